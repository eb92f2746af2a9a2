/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-decoder-private.h: what a decoder of one format must offer.
 */
#pragma once

#include "ts-decoder.h"

G_BEGIN_DECLS

/**
 * TsDecoderClass: the verbs of ts-decoder.h for one family of formats. All are required.
 * @prepare_counters: brings the counters up to date, where that is not done packet by packet
 */
typedef struct
{
  void (*free) (TsDecoder *self);
  void (*push) (TsDecoder *self, guint32 source, const guint8 *bytes, gsize n_bytes);
  void (*idle) (TsDecoder *self);
  void (*mark_loss) (TsDecoder *self, guint32 source, guint64 n_bytes);
  void (*flush) (TsDecoder *self);
  void (*reset) (TsDecoder *self);
  void (*prepare_counters) (TsDecoder *self);
} TsDecoderClass;

/** First member of every decoder. */
struct _TsDecoder
{
  const TsDecoderClass *klass;
  const char *format; /* static string */
  TsEventSink *sink;
  TsDecoderOptions options;
  TsDecodeCounters counters;
};

/** Makes a decoder of @format, one of the names the registry has for this function. */
typedef TsDecoder *(*TsDecoderCreate) (const char *format,
                                       TsEventSink *sink,
                                       const TsDecoderOptions *options);

TsDecoder *
_ts_va_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options);

TsDecoder *
_ts_itm_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options);

TsDecoder *
_ts_poll_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options);

G_END_DECLS
