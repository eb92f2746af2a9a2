/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-raw-jump.c: where in a long raw_log an event stands.
 *
 * A decoder that has seen the beginning, with names and the dialect, gets a portion from the middle
 * as after a loss. What it makes of it is looked for among the rows of the recording: the stream has
 * the lower half of each time (viewalyzer-wire.md section 10), so that few places can be meant, and a
 * run of rows alike in kind, side, core and distance in time tells the one. Two such places, and the
 * rows between them, tell where to look next.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-raw-jump-private.h"

/* Shorter logs are decoded whole. */
#define MIN_BYTES (4 * 1024 * 1024)
/* Names and everything else that is told once. */
#define HEAD_BYTES (256 * 1024)
/* Before the event, for what decoders hold back; more than that is searched closer. */
#define BEFORE_BYTES (256 * 1024)
#define MAX_BEFORE_BYTES (1024 * 1024)
/* A run that tells a place. */
#define RUN 48
#define MAX_PROBES 24
/* Events of a portion among which runs are looked for, and portions before it that are looked at
 * where none is found: something is damaged, or missing, there. */
#define MAX_EVENTS (4 * RUN)
#define MAX_STEPS 4
#define HALF (G_GUINT64_CONSTANT (1) << 32)

/* A sink that keeps events from a moment on. */
typedef struct
{
  TsEventSink sink;
  GArray *events;
  gboolean is_on;
  guint64 zero;
  guint32 n_objects;
  guint32 n_texts;
} Keeper;

static void
keep_events (TsEventSink *sink,
             const TsEvent *events,
             gsize n_events)
{
  Keeper *self = (Keeper *) sink;

  for (gsize i = 0; self->is_on && i < n_events; i++)
    if (!ts_event_kind_is_host_made (events[i].kind)
        && (events[i].flags & TS_EVENT_FLAG_SYNTHETIC) == 0)
      g_array_append_val (self->events, events[i]);
}

static guint32
keep_object (TsEventSink *sink,
             const TsObject *object)
{
  return ++((Keeper *) sink)->n_objects;
}

static void
keep_update (TsEventSink *sink,
             const TsObject *object)
{
}

static guint32
keep_text (TsEventSink *sink,
           const char *text,
           gssize len)
{
  return ++((Keeper *) sink)->n_texts;
}

static void
keep_clock (TsEventSink *sink,
            guint64 hz)
{
}

static void
keep_info (TsEventSink *sink,
           const char *key,
           const char *value)
{
  if (strcmp (key, "t0_ticks") == 0)
    ((Keeper *) sink)->zero = g_ascii_strtoull (value, NULL, 10);
}

static const TsEventSinkInterface keeper_iface = {
  .events = keep_events,
  .define_object = keep_object,
  .update_object = keep_update,
  .intern = keep_text,
  .set_clock = keep_clock,
  .set_info = keep_info,
};

static gboolean
push_portion (TsRecording *recording,
              TsDecoder *decoder,
              const TsRawPortion *portion,
              GCancellable *cancellable)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 source;
  gint64 id;

  if (g_cancellable_is_cancelled (cancellable)
      || !ts_raw_log_read (recording, portion->id - 1, &id, &source, bytes, cancellable, NULL)
      || id != portion->id)
    return FALSE;
  ts_decoder_push (decoder, source, bytes->data, bytes->len);
  return TRUE;
}

/**
 * _ts_raw_jump_push:
 * @self: where to
 * @recording: a recording
 * @decoder: a new decoder
 * @portions: (element-type TsRawPortion): of its raw log
 * @cancellable: (nullable): gives up
 *
 * Gives a decoder the beginning, and tells it that what comes next stands elsewhere.
 *
 * Thread: owner of @recording
 *
 * Returns: %FALSE if the file cannot be read there
 */
gboolean
_ts_raw_jump_push (const TsRawJump *self,
                   TsRecording *recording,
                   TsDecoder *decoder,
                   GArray *portions,
                   GCancellable *cancellable)
{
  const TsRawPortion *first = &g_array_index (portions, TsRawPortion, self->first);
  const TsRawPortion *last = &g_array_index (portions, TsRawPortion, self->n_head - 1);

  for (guint i = 0; i < self->n_head; i++)
    if (!push_portion (recording, decoder, &g_array_index (portions, TsRawPortion, i),
                       cancellable))
      return FALSE;
  ts_decoder_idle (decoder);
  ts_decoder_mark_loss (decoder, first->source, first->offset - last->offset - last->n_bytes);
  return TRUE;
}

/* What a decoder makes of some portions in the middle. */
static GArray *
decode_from (TsRawJump *self,
             TsRecording *recording,
             const char *format,
             const TsDecoderOptions *options,
             GArray *portions,
             guint64 *zero,
             GCancellable *cancellable)
{
  Keeper keeper = { .sink = { &keeper_iface } };
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &keeper.sink, options, NULL);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (TsEvent));

  keeper.events = events;
  if (decoder == NULL || !_ts_raw_jump_push (self, recording, decoder, portions, cancellable))
    return NULL;
  keeper.is_on = TRUE;
  for (guint i = self->first; i < portions->len && events->len < MAX_EVENTS; i++)
    {
      const TsRawPortion *portion = &g_array_index (portions, TsRawPortion, i);

      if (!push_portion (recording, decoder, portion, cancellable))
        return NULL;
      ts_decoder_idle (decoder);
      self->n_read += portion->n_bytes;
    }
  *zero = keeper.zero;
  return g_steal_pointer (&events);
}

static gboolean
is_alike (const TsEvent *a,
          const TsEvent *b)
{
  const guint sides = TS_EVENT_FLAG_START | TS_EVENT_FLAG_END;

  return a->kind == b->kind && a->core == b->core && (a->flags & sides) == (b->flags & sides);
}

/* Whether the run stands at @row or few rows behind it. */
static gboolean
stands_at (TsRecording *recording,
           guint64 row,
           gint64 time,
           const TsEvent *run,
           guint64 *found)
{
  TsEvent rows[3 * RUN];
  guint n = 0;

  if (!ts_recording_read_events (recording, row, G_N_ELEMENTS (rows), rows, &n, NULL))
    return FALSE;
  for (guint start = 0; start < n && rows[start].time == time; start++)
    {
      guint n_alike = 0;

      for (guint i = start; i < n && n_alike < RUN; i++)
        {
          if (ts_event_kind_is_host_made (rows[i].kind)
              || (rows[i].flags & TS_EVENT_FLAG_SYNTHETIC) != 0)
            continue;
          if (!is_alike (&rows[i], &run[n_alike])
              || rows[i].time - time != run[n_alike].time - run[0].time)
            break;
          n_alike++;
        }
      if (n_alike == RUN)
        {
          *found = row + start;
          return TRUE;
        }
    }
  return FALSE;
}

/* The row of the run's first event; %FALSE if there is none, or more than one. */
static gboolean
find_run (TsRecording *recording,
          const TsEvent *run,
          guint64 shift,
          guint64 *row,
          GCancellable *cancellable)
{
  gint64 duration = ts_recording_get_duration (recording);
  guint64 low = ((guint64) run[0].time - shift) % HALF;
  gboolean is_found = FALSE;

  for (guint64 time = low; time <= (guint64) duration; time += HALF)
    {
      guint64 first = ts_recording_row_at_time (recording, (gint64) time);
      guint64 found = 0;

      if (g_cancellable_is_cancelled (cancellable))
        return FALSE;
      if (!stands_at (recording, first, (gint64) time, run, &found))
        continue;
      /* what comes again and again tells no place */
      if (is_found)
        return FALSE;
      is_found = TRUE;
      *row = found;
    }
  return is_found;
}

/* The row of an event of the portion @self->first or not far behind it, and the shift there; goes
 * back a few portions where there is no such event. @zero: ticks of the recording's time 0 */
static gboolean
find_row (TsRawJump *self,
          TsRecording *recording,
          const char *format,
          const TsDecoderOptions *options,
          GArray *portions,
          guint64 zero,
          guint64 *row,
          GCancellable *cancellable)
{
  for (guint step = 0; step <= MAX_STEPS && self->first >= self->n_head; step++, self->first--)
    {
      guint64 zero_here = 0;
      g_autoptr (GArray) events
          = decode_from (self, recording, format, options, portions, &zero_here, cancellable);

      if (events == NULL)
        return FALSE;
      /* not the first ones: what stood before the gap may be among them */
      for (guint i = RUN / 2; i + RUN <= MIN (events->len, MAX_EVENTS); i += RUN / 2)
        {
          const TsEvent *run = &g_array_index (events, TsEvent, i);
          TsEvent at;
          guint n = 0;

          if (g_cancellable_is_cancelled (cancellable))
            return FALSE;
          if (!find_run (recording, run, zero - zero_here, row, cancellable)
              || !ts_recording_read_events (recording, *row, 1, &at, &n, NULL) || n != 1)
            continue;
          self->shift = (guint64) run->time - (guint64) at.time;
          return TRUE;
        }
    }
  return FALSE;
}

/* The last portion that begins at or before @offset, behind the head. */
static guint
find_portion (GArray *portions,
              guint n_head,
              guint64 offset)
{
  guint low = n_head;
  guint high = portions->len - 1;

  while (low < high)
    {
      guint middle = low + (high - low + 1) / 2;

      if (g_array_index (portions, TsRawPortion, middle).offset <= offset)
        low = middle;
      else
        high = middle - 1;
    }
  return low;
}

/* One recorder's stream, long enough; polled values have times of their own. A target that starts again
 * counts from zero again, and may do to the tick what it did before: what looks like the place is
 * not it. */
static gboolean
is_fit (TsRecording *recording,
        GArray *portions,
        const char *format)
{
  g_autofree char *sessions = ts_recording_dup_health (recording, "sessions");
  const TsRawPortion *last;

  if (sessions == NULL || g_ascii_strtoull (sessions, NULL, 10) > 1)
    return FALSE;
  if (!g_str_has_prefix (format, "va") || portions->len < 8)
    return FALSE;
  last = &g_array_index (portions, TsRawPortion, portions->len - 1);
  for (guint i = 0; i < portions->len; i++)
    if (g_array_index (portions, TsRawPortion, i).source != last->source)
      return FALSE;
  return last->offset >= MIN_BYTES;
}

/**
 * _ts_raw_jump_find:
 * @self: (out caller-allocates): where to begin
 * @recording: a recording
 * @format: what its raw log holds
 * @options: of its decoder
 * @portions: (element-type TsRawPortion): of its raw log
 * @row: row of an event
 * @cancellable: (nullable): gives up
 *
 * Cost: some portions and the head, a few times
 * Thread: owner of @recording
 *
 * Returns: %FALSE if it cannot be told, as in streams of other formats: all of it must be decoded
 */
gboolean
_ts_raw_jump_find (TsRawJump *self,
                   TsRecording *recording,
                   const char *format,
                   const TsDecoderOptions *options,
                   GArray *portions,
                   guint64 row,
                   GCancellable *cancellable)
{
  guint64 low_row = 1;
  guint64 high_row = ts_recording_get_n_rows (recording) + 1;
  g_autofree char *meta = ts_recording_dup_meta (recording, "ts_t0_ticks");
  guint64 zero = meta != NULL ? g_ascii_strtoull (meta, NULL, 10) : 0;
  guint64 low = 0;
  guint64 high;

  *self = (TsRawJump) { 0 };
  if (!is_fit (recording, portions, format))
    return FALSE;
  high = g_array_index (portions, TsRawPortion, portions->len - 1).offset;
  while (g_array_index (portions, TsRawPortion, self->n_head).offset < HEAD_BYTES)
    self->n_head++;
  for (guint i = 0; i < MAX_PROBES && low < high && low_row <= row && row < high_row; i++)
    {
      guint64 guess = low
                      + (i % 3 == 2 ? (high - low) / 2
                                    : (guint64) ((__int128) (high - low) * (row - low_row)
                                                 / (high_row - low_row)));
      guint64 offset;
      guint64 found = 0;

      self->first = find_portion (portions, self->n_head,
                                  guess > BEFORE_BYTES ? guess - BEFORE_BYTES : 0);
      if (!find_row (self, recording, format, options, portions, zero, &found, cancellable))
        return FALSE;
      offset = g_array_index (portions, TsRawPortion, self->first).offset;
      if (found + RUN <= row)
        {
          if (offset <= low
              || (__int128) (row - found) * (high - low)
                     <= (__int128) MAX_BEFORE_BYTES * (high_row - low_row))
            return TRUE;
          low = offset;
          low_row = found;
        }
      else
        {
          if (self->first == self->n_head || offset >= high)
            return FALSE;
          high = offset;
          high_row = found;
        }
    }
  return FALSE;
}
