/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-raw-log.h: the bytes that arrived, as a recording keeps them. */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TS_RAW_LOG_MAX_BYTES:
 *
 * A longer portion than this is not one of ours and is not read.
 */
#define TS_RAW_LOG_MAX_BYTES (64 * 1024 * 1024)

/**
 * TsRawPortion:
 * @id: number of the portion
 * @source: who sent it
 * @n_bytes: how long it is
 * @offset: how many bytes came before it
 */
typedef struct
{
  gint64 id;
  guint32 source;
  guint n_bytes;
  guint64 offset;
} TsRawPortion;

GArray *ts_raw_log_list (TsRecording *recording,
                         GCancellable *cancellable);
gboolean ts_raw_log_read (TsRecording *recording,
                          gint64 after,
                          gint64 *id,
                          guint32 *source,
                          GByteArray *bytes,
                          GCancellable *cancellable,
                          GError **error);

G_END_DECLS
