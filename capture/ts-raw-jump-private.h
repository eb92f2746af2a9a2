/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-raw-jump-private.h: where in a long raw_log an event stands, without decoding what is before it. */
#pragma once

#include "decode/ts-decoder.h"
#include "model/ts-raw-log.h"

#include "ts-raw-bytes.h"

G_BEGIN_DECLS

/**
 * TsRawJump:
 * @n_head: portions that a decoder gets first: names and the dialect
 * @first: the portion it gets then; the event is in it or not far behind
 * @shift: what its times are later than the recording's from there on; wraps
 * @n_read: bytes that were read to find out
 */
typedef struct
{
  guint n_head;
  guint first;
  guint64 shift;
  guint64 n_read;
} TsRawJump;

gboolean _ts_raw_jump_find (TsRawJump *self,
                            TsRecording *recording,
                            const char *format,
                            const TsDecoderOptions *options,
                            GArray *portions,
                            guint64 row,
                            GCancellable *cancellable);
gboolean _ts_raw_jump_push (const TsRawJump *self,
                            TsRecording *recording,
                            TsDecoder *decoder,
                            GArray *portions,
                            GCancellable *cancellable);
TsRawBytes *_ts_raw_bytes_find_whole (TsRecording *recording,
                                      guint64 row,
                                      GCancellable *cancellable,
                                      GError **error);

G_END_DECLS
