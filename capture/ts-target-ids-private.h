/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-target-ids-private.h: what a chip of a name says of itself when it is asked; inside capture
 * only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Most numbers that chips of one name may have. */
#define TS_TARGET_MAX_IDS 3

/**
 * TsTargetIds:
 * @name: beginning of the names
 * @ids: device numbers (DEV_ID of DBGMCU_IDCODE), 0: no more
 */
typedef struct
{
  const char *name;
  guint16 ids[TS_TARGET_MAX_IDS];
} TsTargetIds;

const TsTargetIds *_ts_target_find_ids (const char *name);
char *_ts_target_dup_names_of_id (guint id);
guint _ts_target_find_core (const char *name);
const char *_ts_target_get_core_name (guint part);
guint32 _ts_target_get_flash_size_address (const char *name);
guint _ts_target_get_flash_kib (const char *name);

G_END_DECLS
