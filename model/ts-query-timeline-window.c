/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-timeline-window.c: `timeline` of a window: shares in buckets, and slices. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-analysis-private.h"
#include "ts-query-timeline-private.h"

/* Suggested lanes, and how many are looked at for them. */
#define MAX_SUGGESTED 8
#define MAX_LOOKED_AT 20000
/* As this many columns a window is asked for. */
#define WINDOW_COLUMNS 8192

/* Lanes get no fewer in a narrower window, nor with wider buckets: if they alone are too many, some
 * that have something in the window, as many as the budget allows. @each: figures or slices that
 * each has */
static void
suggest_lanes (TsQuery *query,
               GArray *cards,
               gint64 each)
{
  TsQuerySuggestion *suggestion = query->options->suggestion;
  gint64 n_wanted = 0;
  guint limit = (guint) CLAMP (query->max_rows / MAX (each, 1), 1, MAX_SUGGESTED);
  guint n = 0;
  gint64 begin;
  gint64 end;

  for (guint i = 0; i < cards->len; i++)
    n_wanted += g_array_index (cards, TsLaneCard, i).is_wanted;
  if (suggestion == NULL || n_wanted <= query->max_rows)
    return;
  _ts_timeline_get_window (query, &begin, &end);
  for (guint i = 0; i < MIN (cards->len, MAX_LOOKED_AT) && n < limit; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      if (!card->is_wanted || _ts_timeline_running_ticks (query, card, begin, end) <= 0)
        continue;
      if (n++ > 0)
        g_strlcat (suggestion->lanes, ",", sizeof suggestion->lanes);
      g_strlcat (suggestion->lanes, card->code, sizeof suggestion->lanes);
    }
}

/* ---- buckets ---- */

/* About how many there are, which are more than the budget allows. */
static gint64
count_slices (TsQuery *query,
              GArray *cards,
              gint64 begin,
              gint64 end)
{
  gint64 n = query->max_rows + 2;

  for (guint i = 0; i < cards->len; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      if (card->is_wanted)
        n += (gint64) _ts_analysis_count_slices (query->recording, card->lane, begin, end);
    }
  return n;
}

static gboolean
check_buckets (TsQuery *query,
               GArray *cards,
               GError **error)
{
  gint64 n_wanted = 0;

  for (guint i = 0; i < cards->len; i++)
    n_wanted += g_array_index (cards, TsLaneCard, i).is_wanted;
  suggest_lanes (query, cards, query->n_buckets);
  return _ts_query_check_buckets (query, n_wanted, error);
}

/* Share of the processor that a lane had in each bucket. */
static void
list_shares (TsQuery *query,
             const TsLaneCard *card,
             double *shares)
{
  for (gint64 k = 0; k < query->n_buckets; k++)
    {
      gint64 begin
          = ts_recording_us_to_ticks (query->recording, query->begin_us + k * query->bucket_us);
      gint64 end = ts_recording_us_to_ticks (query->recording,
                                             query->begin_us + (k + 1) * query->bucket_us);
      gint64 running = _ts_timeline_running_ticks (query, card, begin, end);

      shares[k] = end > begin ? 100.0 * (double) running / (double) (end - begin) : 0.0;
    }
}

static void
write_shares (TsJsonWriter *writer,
              const char *key,
              const double *shares,
              gint64 n)
{
  _ts_json_writer_key (writer, key);
  _ts_json_writer_begin (writer, '[');
  for (gint64 k = 0; k < n; k++)
    {
      _ts_json_writer_row (writer);
      _ts_json_writer_figure_element (writer, shares[k]);
    }
  _ts_json_writer_end (writer, ']');
}

static void
write_bucketed_tasks (TsQueryStream *stream,
                      GArray *cards,
                      const double *shares)
{
  gint64 n = stream->query->n_buckets;

  _ts_json_writer_key (&stream->writer, "tasks");
  _ts_json_writer_begin (&stream->writer, '[');
  for (guint i = 0; i < cards->len; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      if (!card->is_wanted)
        continue;
      _ts_timeline_write_head (&stream->writer, card);
      write_shares (&stream->writer, "cpu_percent", shares, n);
      _ts_json_writer_end (&stream->writer, '}');
      shares += n;
    }
  _ts_json_writer_end (&stream->writer, ']');
}

/* As many figures as the budget allows: the shares of one lane after those of the other. */
gboolean
_ts_timeline_run_bucketed (TsQueryStream *stream,
                           GArray *cards,
                           GError **error)
{
  TsQuery *query = stream->query;
  TsJsonWriter *writer = &stream->writer;
  g_autofree double *shares = NULL;
  gsize n = 0;

  if (!check_buckets (query, cards, error))
    return FALSE;
  shares = g_new (double, (gsize) MAX (query->max_rows, 1));
  for (guint i = 0; i < cards->len; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      if (!card->is_wanted)
        continue;
      if (!_ts_query_check_cancelled (query->cancellable, error))
        return FALSE;
      list_shares (query, card, shares + n);
      n += (gsize) query->n_buckets;
    }

  _ts_timeline_write_legend (stream, cards);
  _ts_json_writer_key (writer, "data");
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_key (writer, "t_us");
  _ts_json_writer_begin (writer, '[');
  for (gint64 k = 0; k < query->n_buckets; k++)
    {
      _ts_json_writer_row (writer);
      _ts_json_writer_int_element (writer, query->begin_us + k * query->bucket_us);
    }
  _ts_json_writer_end (writer, ']');
  _ts_json_writer_key (writer, "lanes");
  _ts_json_writer_begin (writer, '{');
  n = 0;
  for (guint i = 0; i < cards->len; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      if (!card->is_wanted)
        continue;
      write_shares (writer, card->code, shares + n, query->n_buckets);
      n += (gsize) query->n_buckets;
    }
  _ts_json_writer_end (writer, '}');
  write_bucketed_tasks (stream, cards, shares);
  _ts_json_writer_end (writer, '}');
  write_bucketed_tasks (stream, cards, shares);
  return TRUE;
}

/* ---- slices ---- */

typedef gboolean (*SliceFunc) (const TsSlice *slice, gpointer user_data);

/* One window of a lane. Splits where it holds more slices than one answer gives. FALSE ends the
 * walk. */
static gboolean
walk_window (TsQuery *query,
             guint32 lane,
             gint64 begin,
             gint64 end,
             TsColumn *columns,
             SliceFunc func,
             gpointer user_data)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneDetail detail = ts_recording_query_lane (query->recording, lane, begin, end, WINDOW_COLUMNS,
                                                 columns, slices, 0, NULL);

  if (g_cancellable_is_cancelled (query->cancellable))
    return FALSE;

  if (detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < slices->len; i++)
        {
          const TsSlice *slice = &g_array_index (slices, TsSlice, i);

          if (slice->begin >= begin && slice->begin < end && !func (slice, user_data))
            return FALSE;
        }
      return TRUE;
    }

  if (detail != TS_LANE_DETAIL_COLUMNS || end - begin < 2)
    return TRUE;

  return walk_window (query, lane, begin, begin + (end - begin) / 2, columns, func, user_data)
         && walk_window (query, lane, begin + (end - begin) / 2, end, columns, func, user_data);
}

/* Calls @func for the slices of a lane that begin within [@begin, @end), in order of windows. */
static void
walk_slices (TsQuery *query,
             guint32 lane,
             gint64 begin,
             gint64 end,
             SliceFunc func,
             gpointer user_data)
{
  g_autofree TsColumn *columns = g_new (TsColumn, WINDOW_COLUMNS);

  if (end > begin)
    walk_window (query, lane, begin, end, columns, func, user_data);
}

typedef struct
{
  const TsLaneCard *card;
  TsSlice slice;
} RawSlice;

typedef struct
{
  TsQuery *query;
  const TsLaneCard *card;
  GArray *slices; /* RawSlice */
} RawSlices;

static gboolean
add_slice (const TsSlice *slice,
           gpointer user_data)
{
  RawSlices *raw = user_data;
  gint64 max_slices = raw->query->options->max_slices;
  RawSlice item = { raw->card, *slice };

  if (max_slices >= 0 && (gint64) raw->slices->len >= max_slices)
    return FALSE;
  g_array_append_val (raw->slices, item);
  return (gint64) raw->slices->len <= raw->query->max_rows;
}

static int
compare_slices (gconstpointer a,
                gconstpointer b)
{
  const RawSlice *left = a;
  const RawSlice *right = b;

  return left->slice.begin < right->slice.begin ? -1 : left->slice.begin > right->slice.begin;
}

static void
write_time (TsQueryStream *stream,
            const char *key,
            gint64 ticks)
{
  _ts_json_writer_figure (
      &stream->writer, key,
      (double) ts_recording_ticks_to_ns (stream->query->recording, ticks) / 1000.0);
}

static void
write_slices (TsQueryStream *stream,
              GArray *slices)
{
  TsJsonWriter *writer = &stream->writer;
  TsRecording *recording = stream->query->recording;

  _ts_json_writer_key (writer, "slices");
  _ts_json_writer_begin (writer, '[');
  for (guint i = 0; i < slices->len; i++)
    {
      const RawSlice *item = &g_array_index (slices, RawSlice, i);
      const TsSlice *slice = &item->slice;
      const TsObject *waits_for = slice->state == TS_STATE_BLOCKED
                                      ? ts_recording_get_object (recording, slice->arg)
                                      : NULL;

      _ts_timeline_write_head (writer, item->card);
      write_time (stream, "t_start_us", slice->begin);
      write_time (stream, "t_end_us", slice->end);
      write_time (stream, "duration_us", slice->end - slice->begin);
      _ts_json_writer_text (writer, "state", _ts_query_state_name (slice->state));
      if (slice->depth > 0)
        _ts_json_writer_int (writer, "depth", slice->depth);
      if (waits_for != NULL)
        _ts_json_writer_text (writer, "waits_for", waits_for->name);
      if ((slice->kind & TS_SLICE_OPEN) != 0)
        _ts_json_writer_bool (writer, "open", TRUE);
      _ts_json_writer_end (writer, '}');
    }
  _ts_json_writer_end (writer, ']');
}

gboolean
_ts_timeline_run_raw (TsQueryStream *stream,
                      GArray *cards,
                      GError **error)
{
  TsQuery *query = stream->query;
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (RawSlice));
  gint64 begin;
  gint64 end;

  _ts_timeline_get_window (query, &begin, &end);
  for (guint i = 0; i < cards->len && (gint64) slices->len <= query->max_rows; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);
      RawSlices raw = { query, card, slices };
      TsSlice first;

      if (!card->is_wanted)
        continue;

      /* The slice that the window's edge cuts belongs to it. */
      if (ts_recording_find_slice (query->recording, card->lane, begin, 0, &first)
          && first.begin < begin && first.end > begin)
        add_slice (&first, &raw);
      walk_slices (query, card->lane, begin, end, add_slice, &raw);
    }

  if (!_ts_query_check_cancelled (query->cancellable, error))
    return FALSE;
  if (slices->len > query->max_rows)
    suggest_lanes (query, cards, 1);
  if (slices->len > query->max_rows)
    return _ts_query_check_budget (query, count_slices (query, cards, begin, end), _("slices"),
                                   error);

  g_array_sort (slices, compare_slices);
  _ts_timeline_write_legend (stream, cards);
  _ts_json_writer_key (&stream->writer, "data");
  _ts_json_writer_begin (&stream->writer, '{');
  _ts_json_writer_int (&stream->writer, "count", slices->len);
  write_slices (stream, slices);
  _ts_json_writer_end (&stream->writer, '}');
  write_slices (stream, slices);
  return TRUE;
}
