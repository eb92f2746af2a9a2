/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-raw-bytes.c: a recording does not say which bytes an event came from; its raw_log is decoded once
 * more. One decoder runs ahead, in large steps, until it makes the event; a second one stays behind it
 * and goes the rest of the way byte by byte, asked after each for what it has, so that it is seen which
 * byte completed the event and which one completed what came before. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "decode/ts-decoder.h"
#include "model/ts-raw-log.h"

#include "ts-connection.h"
#include "ts-raw-bytes.h"
#include "ts-raw-jump-private.h"
#include "ts-source.h"

/* An event is looked for among those of its tick: no more rows than these are. */
#define MAX_SAME_TICK 4096
/* A decoder holds back a few events for those that come a little late: none is older than this. */
#define BEHIND_BYTES (128 * 1024)
/* From where a jump ends it is not farther than this. */
#define MAX_BEHIND_JUMP (8 * 1024 * 1024)
/* Portions before that are tried where the event is not found behind it. */
#define MAX_STEPS 3
/* More bytes than these are not of one event. */
#define MAX_BYTES 65536

/**
 * Watch: a sink that waits for one event.
 * @wanted: it, as the recording has it
 * @n_before: how many that look the same come first
 * @has_zero, @zero: raw ticks of time 0 of the recording, which need not be where the bytes begin
 * @shift: what the decoder's times are later than the recording's; wraps
 * @n_events: events until now
 * @is_off: not yet: what comes stands elsewhere
 * @is_found: it came
 */
typedef struct
{
  TsEventSink sink;
  TsEvent wanted;
  guint n_before;
  gboolean has_zero;
  guint64 zero;
  guint64 shift;
  guint64 n_events;
  guint32 n_objects;
  guint32 n_texts;
  gboolean is_off;
  gboolean is_found;
} Watch;

/* Numbers of objects and texts are a recording's own, and not all flags are kept. */
static gboolean
is_alike (const TsEvent *a,
          const TsEvent *b)
{
  const guint sides = TS_EVENT_FLAG_START | TS_EVENT_FLAG_END;

  return a->kind == b->kind && a->core == b->core && (a->flags & sides) == (b->flags & sides);
}

static void
watch_events (TsEventSink *sink,
              const TsEvent *events,
              gsize n_events)
{
  Watch *self = (Watch *) sink;

  self->n_events += n_events;
  for (gsize i = 0; i < n_events && !self->is_found && !self->is_off; i++)
    {
      if ((guint64) events[i].time != (guint64) self->wanted.time + self->shift ||
          !is_alike (&events[i], &self->wanted))
        continue;
      if (self->n_before == 0)
        self->is_found = TRUE;
      else
        self->n_before--;
    }
}

static guint32
watch_define_object (TsEventSink *sink,
                     const TsObject *object)
{
  return ++((Watch *) sink)->n_objects;
}

static void
watch_update_object (TsEventSink *sink,
                     const TsObject *object)
{
}

static guint32
watch_intern (TsEventSink *sink,
              const char *text,
              gssize len)
{
  return ++((Watch *) sink)->n_texts;
}

static void
watch_set_clock (TsEventSink *sink,
                 guint64 hz)
{
}

static void
watch_set_info (TsEventSink *sink,
                const char *key,
                const char *value)
{
  Watch *self = (Watch *) sink;

  if (self->has_zero && strcmp (key, "t0_ticks") == 0)
    self->shift = self->zero - g_ascii_strtoull (value, NULL, 10);
}

static const TsEventSinkInterface watch_iface = {
  .events = watch_events,
  .define_object = watch_define_object,
  .update_object = watch_update_object,
  .intern = watch_intern,
  .set_clock = watch_set_clock,
  .set_info = watch_set_info,
};

/* The event of a row, and how many like it stand before it. */
static gboolean
watch_init (Watch *self,
            TsRecording *recording,
            guint64 row,
            GError **error)
{
  guint64 first = row > MAX_SAME_TICK ? row - MAX_SAME_TICK : 1;
  g_autofree TsEvent *events = g_new (TsEvent, MAX_SAME_TICK + 1);
  g_autofree char *zero = ts_recording_dup_meta (recording, "ts_t0_ticks");
  guint n = 0;

  *self = (Watch) { .sink = { &watch_iface } };
  if (!ts_recording_read_events (recording, first, (guint) (row - first + 1), events, &n, error))
    return FALSE;
  if (n != row - first + 1)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                   _("The recording has no row %" PRIu64 "."), row);
      return FALSE;
    }
  self->wanted = events[n - 1];
  self->has_zero = zero != NULL;
  self->zero = zero != NULL ? g_ascii_strtoull (zero, NULL, 10) : 0;
  for (guint i = n - 1; i > 0 && events[i - 1].time == self->wanted.time; i--)
    self->n_before += is_alike (&events[i - 1], &self->wanted);
  return TRUE;
}

/* A portion of what arrived. */
typedef struct
{
  GByteArray *bytes;
  guint32 source;
  guint64 offset;
} Portion;

static void
portion_free (gpointer data)
{
  Portion *portion = data;

  g_byte_array_unref (portion->bytes);
  g_free (portion);
}

/* Everything that says that something was completed. */
static guint64
count_ends (TsDecoder *decoder,
            const Watch *watch)
{
  const TsDecodeCounters *counters = ts_decoder_get_counters (decoder);

  return counters->packets + counters->markers + counters->unknown_packets +
         counters->corrupt_bytes + counters->skipped_bytes + watch->n_events;
}

/* Byte by byte, and what is held back stays so: how many bytes it takes until the event comes;
 * G_MAXUINT64: it does not come. */
static guint64
count_bytes (TsDecoder *decoder,
             Watch *watch,
             GPtrArray *portions)
{
  guint64 n = 0;

  for (guint i = 0; i < portions->len; i++)
    {
      const Portion *portion = g_ptr_array_index (portions, i);

      for (guint j = 0; j < portion->bytes->len; j++)
        {
          ts_decoder_push (decoder, portion->source, portion->bytes->data + j, 1);
          n++;
          if (watch->is_found)
            return n;
        }
    }
  return G_MAXUINT64;
}

/* Byte by byte; NULL: the event does not come. @n_far: bytes before it is asked what there is */
static TsRawBytes *
go_slowly (TsDecoder *decoder,
           Watch *watch,
           GPtrArray *portions,
           guint64 n_far,
           GCancellable *cancellable,
           GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 ends = count_ends (decoder, watch);
  guint64 n_pushed = 0;

  for (guint i = 0; i < portions->len; i++)
    {
      const Portion *portion = g_ptr_array_index (portions, i);

      for (guint j = 0; j < portion->bytes->len; j++)
        {
          guint64 n_before = watch->n_events;
          guint64 now;

          if (j % 4096 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
            return NULL;
          ts_decoder_push (decoder, portion->source, portion->bytes->data + j, 1);
          if (n_pushed++ >= n_far)
            ts_decoder_idle (decoder);
          g_byte_array_append (bytes, portion->bytes->data + j, 1);
          /* with the first byte comes what was held back: whose bytes went by before */
          if (watch->is_found && n_pushed <= n_far + 1
              && (n_far > 0 || ((Portion *) g_ptr_array_index (portions, 0))->offset > 0))
            return NULL;
          if (watch->is_found)
            {
              TsRawBytes *found = g_new0 (TsRawBytes, 1);

              found->n_events = (guint) (watch->n_events - n_before);
              found->offset = portion->offset + j + 1 - bytes->len;
              found->bytes = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
              return found;
            }
          now = count_ends (decoder, watch);
          if (now != ends || bytes->len >= MAX_BYTES)
            g_byte_array_set_size (bytes, 0);
          ends = now;
        }
    }
  return NULL;
}

/* Reads portions behind @after until the event comes; keeps the last ones, which @behind and
 * @again (nullable) have not got. %FALSE: it does not come, not before @end, or with @error set. */
static gboolean
go_fast (TsRecording *recording,
         TsDecoder *ahead,
         Watch *watch,
         TsDecoder *behind,
         TsDecoder *again,
         GPtrArray *portions,
         gint64 after,
         guint64 offset,
         guint64 end,
         GCancellable *cancellable,
         GError **error)
{
  gsize n_kept = 0;
  gint64 id = after;

  while (!watch->is_found && offset < end)
    {
      Portion *portion = g_new0 (Portion, 1);

      portion->bytes = g_byte_array_new ();
      portion->offset = offset;
      g_ptr_array_add (portions, portion);
      if (!ts_raw_log_read (recording, id, &id, &portion->source, portion->bytes, cancellable,
                            error) ||
          g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (id == 0)
        {
          /* what was held back until the end */
          ts_decoder_flush (ahead);
          return watch->is_found;
        }
      offset += portion->bytes->len;
      /* polled values have a decoder and times of their own */
      if (portion->source == TS_SOURCE_ID_POLLED)
        g_byte_array_set_size (portion->bytes, 0);
      ts_decoder_push (ahead, portion->source, portion->bytes->data, portion->bytes->len);
      n_kept += portion->bytes->len;
      while (!watch->is_found &&
             n_kept - ((Portion *) g_ptr_array_index (portions, 0))->bytes->len > BEHIND_BYTES)
        {
          const Portion *oldest = g_ptr_array_index (portions, 0);

          n_kept -= oldest->bytes->len;
          ts_decoder_push (behind, oldest->source, oldest->bytes->data, oldest->bytes->len);
          if (again != NULL)
            ts_decoder_push (again, oldest->source, oldest->bytes->data, oldest->bytes->len);
          g_ptr_array_remove_index (portions, 0);
        }
    }
  return watch->is_found;
}

/* With new decoders. @jump: (nullable): where to begin; NULL: all of it. @n_near: bytes before the
 * event from which on it is asked for after each; 0: from far before. A decoder that is asked right
 * behind damage decides with less than it had when it was not. @is_there: (out): the event comes */
static TsRawBytes *
search (TsRecording *recording,
        const Watch *wanted,
        const char *format,
        const TsDecoderOptions *options,
        GArray *list,
        const TsRawJump *jump,
        guint64 n_near,
        gboolean *is_there,
        GCancellable *cancellable,
        GError **error)
{
  g_autoptr (GPtrArray) portions = g_ptr_array_new_with_free_func (portion_free);
  g_autoptr (TsDecoder) ahead = NULL;
  g_autoptr (TsDecoder) behind = NULL;
  g_autoptr (TsDecoder) again = NULL;
  const TsRawPortion *first = NULL;
  Watch fast = *wanted;
  Watch slow = *wanted;
  Watch close = *wanted;
  guint64 n_far;

  *is_there = FALSE;
  ahead = ts_decoder_new (format, &fast.sink, options, error);
  if (ahead == NULL)
    return NULL;
  behind = ts_decoder_new (format, &slow.sink, options, error);
  if (behind == NULL)
    return NULL;
  again = n_near > 0 ? ts_decoder_new (format, &close.sink, options, error) : NULL;
  if (jump != NULL)
    {
      first = &g_array_index (list, TsRawPortion, jump->first);
      fast.is_off = slow.is_off = close.is_off = TRUE;
      if (!_ts_raw_jump_push (jump, recording, ahead, list, cancellable)
          || !_ts_raw_jump_push (jump, recording, behind, list, cancellable)
          || (again != NULL && !_ts_raw_jump_push (jump, recording, again, list, cancellable)))
        return NULL;
      fast.is_off = slow.is_off = close.is_off = FALSE;
      fast.shift = slow.shift = close.shift = jump->shift;
    }
  if (!go_fast (recording, ahead, &fast, behind, again, portions, first != NULL ? first->id - 1 : 0,
                first != NULL ? first->offset : 0,
                first != NULL ? first->offset + MAX_BEHIND_JUMP : G_MAXUINT64, cancellable, error))
    return NULL;
  *is_there = TRUE;
  if (again == NULL)
    return go_slowly (behind, &slow, portions, 0, cancellable, error);
  n_far = count_bytes (behind, &slow, portions);
  if (n_far == G_MAXUINT64)
    return NULL;
  n_far = n_far > n_near ? n_far - n_near : 0;
  return go_slowly (again, &close, portions, n_far, cancellable, error);
}

/* As search(), closer and closer. */
static TsRawBytes *
search_closer (TsRecording *recording,
               const Watch *wanted,
               const char *format,
               const TsDecoderOptions *options,
               GArray *list,
               const TsRawJump *jump,
               GCancellable *cancellable,
               GError **error)
{
  static const guint64 near[] = { 0, 4096, 768, 128 };
  gboolean is_there = TRUE;
  TsRawBytes *found = NULL;
  GError *local_error = NULL;

  for (guint i = 0; found == NULL && is_there && i < G_N_ELEMENTS (near); i++)
    {
      g_clear_error (&local_error);
      found = search (recording, wanted, format, options, list, jump, near[i], &is_there,
                      cancellable, &local_error);
      if (g_cancellable_is_cancelled (cancellable))
        break;
    }
  if (local_error != NULL)
    g_propagate_error (error, local_error);
  return found;
}

static TsRawBytes *
find (TsRecording *recording,
      guint64 row,
      gboolean may_jump,
      GCancellable *cancellable,
      GError **error)
{
  g_autoptr (GArray) list = NULL;
  TsDecoderOptions options = { 0 };
  g_autofree char *format = NULL;
  GError *local_error = NULL;
  TsRawBytes *found = NULL;
  TsRawJump jump;
  Watch wanted;

  if (!watch_init (&wanted, recording, row, error))
    return NULL;
  format = ts_recording_dup_meta (recording, "ts_raw_format");
  if (format == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                   _("“%s” does not say what its raw_log holds: bytes of events cannot be found."),
                   ts_recording_get_path (recording));
      return NULL;
    }
  options.clock_hz = ts_recording_get_clock_hz (recording);
  list = ts_raw_log_list (recording, cancellable);
  if (may_jump
      && _ts_raw_jump_find (&jump, recording, format, &options, list, row, cancellable))
    {
      /* what is held back across the edge of a portion needs one more before it */
      for (guint i = 0; found == NULL && i < MAX_STEPS && jump.first >= jump.n_head; i++)
        {
          found = search_closer (recording, &wanted, format, &options, list, &jump, cancellable,
                                 NULL);
          jump.first--;
        }
      if (found != NULL)
        found->is_near = TRUE;
    }
  if (found == NULL)
    found = search_closer (recording, &wanted, format, &options, list, NULL, cancellable,
                           &local_error);
  if (found == NULL && local_error == NULL)
    g_set_error (&local_error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                 _("The bytes of row %" PRIu64 " are not among those that were kept."), row);
  if (local_error != NULL)
    g_propagate_error (error, local_error);
  return found;
}

/**
 * ts_raw_bytes_find:
 * @recording: a recording
 * @row: row of an event, from 1
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * The bytes an event was made of, as they arrived: with framing and, where a time stamp completes it,
 * with that. Of a recorder's long stream it decodes some portions around the event; else, and where that
 * does not lead to it, `raw_log` from its begin.
 *
 * Cost: a few megabytes decoded, else twice all that arrived before the event
 * Thread: owner of @recording
 * Errors: %TS_CAPTURE_ERROR_EMPTY when the bytes were not kept, or the event is not among what they
 *   decode to (losses in the host are not); %TS_DECODE_ERROR for a format this version does not
 *   know; %TS_MODEL_ERROR when the file cannot be read; %G_IO_ERROR_CANCELLED
 *
 * Returns: (transfer full) (nullable): the bytes, %NULL with @error set
 */
TsRawBytes *
ts_raw_bytes_find (TsRecording *recording,
                   guint64 row,
                   GCancellable *cancellable,
                   GError **error)
{
  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);
  g_return_val_if_fail (row > 0, NULL);

  return find (recording, row, TRUE, cancellable, error);
}

/* The same by decoding all of it: what the other way is held against. */
TsRawBytes *
_ts_raw_bytes_find_whole (TsRecording *recording,
                          guint64 row,
                          GCancellable *cancellable,
                          GError **error)
{
  return find (recording, row, FALSE, cancellable, error);
}

/**
 * ts_raw_bytes_free:
 * @self: (transfer full) (nullable): what ts_raw_bytes_find() returned
 *
 * Thread: any
 */
void
ts_raw_bytes_free (TsRawBytes *self)
{
  if (self == NULL)
    return;
  g_bytes_unref (self->bytes);
  g_free (self);
}
