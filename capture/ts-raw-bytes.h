/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-raw-bytes.h: which of the bytes that arrived an event was made of. */
#pragma once

#include "model/ts-recording.h"

G_BEGIN_DECLS

/**
 * TsRawBytes:
 * @bytes: from the end of what came before to the byte with which the event was known; framing is
 *   part of it
 * @offset: how many bytes arrived before them
 * @n_events: how many events these bytes made
 * @is_near: only what is around them was decoded to find them
 */
typedef struct
{
  GBytes *bytes;
  guint64 offset;
  guint n_events;
  gboolean is_near;
} TsRawBytes;

TsRawBytes *ts_raw_bytes_find (TsRecording *recording,
                               guint64 row,
                               GCancellable *cancellable,
                               GError **error);
void ts_raw_bytes_free (TsRawBytes *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsRawBytes, ts_raw_bytes_free)

G_END_DECLS
