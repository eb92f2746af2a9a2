/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-stlink-private.h: parts of the ST-LINK's protocol that need no USB; inside capture only. */
#pragma once

#include "ts-probe.h"

G_BEGIN_DECLS

/** Most commands of a batch, and bytes of the data that carries them. Source: probes.md section 1.8
 */
#define TS_STLINK_MAX_BATCH 64
#define TS_STLINK_BATCH_BYTES (5 * TS_STLINK_MAX_BATCH)

gboolean _ts_stlink_fail_status (guint status,
                                 guint32 address,
                                 GError **error);
guint _ts_stlink_batch_encode (const TsProbeAccess *accesses,
                               gsize n_accesses,
                               guint access_port,
                               guint8 *data,
                               gsize *n_data);
guint _ts_stlink_batch_decode (TsProbeAccess *accesses,
                               gsize n_accesses,
                               const guint8 *answer,
                               guint n_commands,
                               guint32 *address);
guint _ts_stlink_choose_divisor (guint wish_khz,
                                 guint *khz);

G_END_DECLS
