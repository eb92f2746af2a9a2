/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-svd.h: names of a chip's interrupts out of its CMSIS-SVD file. */
#pragma once

#include <glib.h>

#include "ts-model-error.h"

G_BEGIN_DECLS

/**
 * TsSvd:
 * @path: path
 * @device: (nullable): name of the chip
 * @interrupts: number of an external interrupt (0, 1 ...) to its name
 */
typedef struct
{
  char *path;
  char *device;
  GHashTable *interrupts;
} TsSvd;

TsSvd *ts_svd_open (const char *path,
                    GError **error);
void ts_svd_free (TsSvd *self);
const char *ts_svd_find_interrupt (const TsSvd *self,
                                   guint number);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSvd, ts_svd_free)

G_END_DECLS
