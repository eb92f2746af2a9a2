/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-decode.c: any bytes into a decoder of the format TS_FUZZ_FORMAT.
 *
 * The input is decoded whole, and again in slices: as they are, with pauses, or with losses on the
 * host's side sprinkled in; a sink checks what every sink relies on. Slices alone must give the same
 * events. The first byte chooses the slices, and which of the three it is.
 */
#include "config.h"

#include <string.h>

#include "decode/ts-decoder.h"
#include "fuzz-target.h"

typedef struct
{
  TsEventSink parent;
  gint64 last_time;
  guint64 n_counted;
  guint64 hash;
  guint32 n_objects;
  guint32 n_texts;
} CheckingSink;

static void
check_events (TsEventSink *sink, const TsEvent *events, gsize n_events)
{
  CheckingSink *self = (CheckingSink *) sink;

  for (gsize i = 0; i < n_events; i++)
    {
      const TsEvent *event = &events[i];

      g_assert (event->time >= self->last_time);
      g_assert (event->object <= self->n_objects);
      g_assert (ts_event_get_text_id (event) <= self->n_texts);
      self->last_time = event->time;
      self->n_counted += ts_event_is_counted (event);
      self->hash = (self->hash ^ (guint64) event->time ^ (guint64) event->value ^ event->kind)
                   * G_GUINT64_CONSTANT (0x100000001B3);
    }
}

static guint32
check_define (TsEventSink *sink, const TsObject *object)
{
  g_assert (object->id == 0);
  g_assert (g_utf8_validate (object->name, -1, NULL));
  return ++((CheckingSink *) sink)->n_objects;
}

static void
check_update (TsEventSink *sink, const TsObject *object)
{
  g_assert (object->id > 0 && object->id <= ((CheckingSink *) sink)->n_objects);
  g_assert (g_utf8_validate (object->name, -1, NULL));
}

static guint32
check_intern (TsEventSink *sink, const char *text, gssize len)
{
  g_assert (g_utf8_validate (text, len, NULL));
  return ++((CheckingSink *) sink)->n_texts;
}

static void
check_clock (TsEventSink *sink, guint64 hz)
{
  g_assert (hz > 0);
}

static void
check_info (TsEventSink *sink, const char *key, const char *value)
{
  g_assert (g_utf8_validate (value, -1, NULL));
}

static const TsEventSinkInterface checking_iface = {
  check_events, check_define, check_update, check_intern, check_clock, check_info,
};

typedef enum
{
  RUN_WHOLE,
  RUN_SLICED,
  RUN_WITH_PAUSES,
  RUN_WITH_LOSSES,
} Run;

static CheckingSink
decode (const guint8 *bytes, gsize n_bytes, gsize slice, Run run)
{
  CheckingSink sink = { .parent.iface = &checking_iface };
  g_autoptr (TsDecoder) decoder = ts_decoder_new (TS_FUZZ_FORMAT, &sink.parent, NULL, NULL);
  const TsDecodeCounters *counters;

  while (n_bytes > 0)
    {
      gsize n = run == RUN_WHOLE ? n_bytes : MIN (slice, n_bytes);

      ts_decoder_push (decoder, run == RUN_WITH_LOSSES ? n_bytes & 1 : 0, bytes, n);
      if (run == RUN_WITH_PAUSES)
        ts_decoder_idle (decoder);
      else if (run == RUN_WITH_LOSSES && n_bytes % 3 == 0)
        ts_decoder_mark_loss (decoder, n_bytes & 1, n);
      bytes += n;
      n_bytes -= n;
    }
  ts_decoder_flush (decoder);
  counters = ts_decoder_get_counters (decoder);
  g_assert (sink.n_counted == counters->events);
  /* a stimulus packet may end one line of text and begin another */
  if (strstr (TS_FUZZ_FORMAT, "itm") == NULL && strstr (TS_FUZZ_FORMAT, "tpiu") == NULL)
    g_assert (counters->packets >= counters->events);
  g_assert (counters->corrupt_bytes + counters->skipped_bytes <= counters->bytes);
  return sink;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  gsize slice;
  Run run;
  CheckingSink whole;
  CheckingSink again;

  if (size == 0)
    return 0;
  slice = 1 + data[0] % 61;
  run = data[0] < 0x80 ? RUN_SLICED : data[0] < 0xC0 ? RUN_WITH_PAUSES : RUN_WITH_LOSSES;
  data++;
  size--;
  whole = decode (data, size, slice, RUN_WHOLE);
  again = decode (data, size, slice, run);
  if (run != RUN_SLICED)
    return 0;
  g_assert (whole.n_counted == again.n_counted);
  g_assert (whole.hash == again.hash);
  g_assert (whole.n_objects == again.n_objects);
  return 0;
}
