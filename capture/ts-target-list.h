/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-target-list.h: chips by name, and which architecture their main core has. */
#pragma once

#include "ts-hardware-trace.h"

G_BEGIN_DECLS

/**
 * TsTargetInfo:
 * @name: name of a chip, or of a family where all of it is alike
 * @arch: architecture of its (first) core
 */
typedef struct
{
  const char *name;
  TsTraceArch arch;
} TsTargetInfo;

const TsTargetInfo *ts_target_list (guint *n_targets);
gboolean ts_target_find_arch (const char *name,
                              TsTraceArch *arch);

G_END_DECLS
