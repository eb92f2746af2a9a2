/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query.c: the common part of every query: arguments, envelope, budget. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-analysis-private.h"
#include "ts-index.h"
#include "ts-query-private.h"

/* Thirty years: times beyond are taken as this, so that sums cannot overflow. */
#define MAX_US G_GINT64_CONSTANT (1000000000000000)

typedef gboolean (*QueryFunc) (TsQuery *query, GError **error);

/* Verbs, and whether they have tiers. Source: viewalyzer-host.md section 3.7 */
static const struct
{
  const char *verb;
  QueryFunc func;
  gboolean has_tiers;
  gboolean has_window;
} verbs[] = {
  { "summary", _ts_query_summary, FALSE, FALSE },
  { "events", _ts_query_events, TRUE, TRUE },
  { "user-traces", _ts_query_user_traces, TRUE, TRUE },
  { "sql", _ts_query_sql, FALSE, FALSE },
  { "cpu", _ts_query_cpu, FALSE, TRUE },
  { "comms", _ts_query_comms, FALSE, TRUE },
  { "timers", _ts_query_timers, TRUE, TRUE },
  { "series", _ts_query_series, FALSE, TRUE },
  { "profile", _ts_query_hardware, FALSE, TRUE },
  { "itm-console", _ts_query_hardware, FALSE, TRUE },
  { "dwt-data", _ts_query_hardware, FALSE, TRUE },
  { "dwt-exc", _ts_query_hardware, FALSE, TRUE },
  { "dwt-counters", _ts_query_hardware, FALSE, TRUE },
  { "swo-load", _ts_query_hardware, FALSE, TRUE },
  { "verdicts", _ts_query_verdicts, FALSE, TRUE },
  { "fingerprint", _ts_query_fingerprint, FALSE, FALSE },
  { "compare", _ts_query_compare, FALSE, FALSE },
  { "inversions", _ts_query_inversions, FALSE, TRUE },
};

static const struct
{
  const char *name;
  gint64 max_rows;
} budgets[] = {
  { "low", 200 },
  { "med", 2000 },
  { "high", 20000 },
};

static const char * const tiers[] = { "summary", "bucketed", "raw" };

void
_ts_json_set_real (JsonObject *object,
                   const char *key,
                   double value)
{
  if (!isfinite (value))
    json_object_set_null_member (object, key);
  else if (fabs (value) < 1e9)
    json_object_set_double_member (object, key, round (value * 1e6) / 1e6);
  else
    json_object_set_double_member (object, key, value);
}

void
_ts_json_set_text (JsonObject *object,
                   const char *key,
                   const char *value)
{
  g_autofree char *valid = NULL;

  if (value == NULL)
    {
      json_object_set_null_member (object, key);
      return;
    }
  if (!g_utf8_validate (value, -1, NULL))
    value = valid = g_utf8_make_valid (value, -1);
  json_object_set_string_member (object, key, value);
}

/* A column of a small table by its own type. */
void
_ts_json_set_column (JsonObject *object,
                     const char *key,
                     sqlite3_stmt *stmt,
                     int column)
{
  switch (sqlite3_column_type (stmt, column))
    {
    case SQLITE_INTEGER:
      json_object_set_int_member (object, key, sqlite3_column_int64 (stmt, column));
      break;

    case SQLITE_FLOAT:
      _ts_json_set_real (object, key, sqlite3_column_double (stmt, column));
      break;

    case SQLITE_TEXT:
      {
        g_autofree char *text = _ts_column_dup_text (stmt, column);

        _ts_json_set_text (object, key, text);
      }
      break;

    default:
      json_object_set_null_member (object, key);
      break;
    }
}

/* An event with the names of va_events, its time in microseconds. */
void
_ts_json_set_event (JsonObject *object,
                    TsRecording *recording,
                    guint64 row,
                    const TsEvent *event)
{
  const TsObject *about = ts_recording_get_object (recording, event->object);
  guint n_operands = ts_event_kind_get_n_operands (event->kind);
  const char *text = ts_recording_get_string (recording, ts_event_get_text_id (event));

  json_object_set_int_member (object, "id", (gint64) row);
  _ts_json_set_real (object, "t_us",
                     (double) ts_recording_ticks_to_ns (recording, event->time) / 1000.0);
  _ts_json_set_text (object, "kind", ts_event_kind_get_name (event->kind));
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    json_object_set_int_member (object, "start", (event->flags & TS_EVENT_FLAG_START) != 0 ? 1 : 0);
  if (event->object != 0)
    {
      json_object_set_int_member (object, "object_id", event->object);
      _ts_json_set_text (object, "object", about != NULL ? about->name : NULL);
    }
  json_object_set_int_member (object, "core", event->core);
  if (n_operands > 0 && (event->flags & TS_EVENT_FLAG_FLOAT) != 0)
    _ts_json_set_real (object, "value", ts_event_get_double (event));
  else if (n_operands > 0)
    json_object_set_int_member (object, "value", event->value);
  if (n_operands > 1)
    json_object_set_int_member (object, "detail", ts_event_get_detail (event));
  if (text != NULL)
    json_object_set_string_member (object, "text", text);
  json_object_set_int_member (object, "flags", event->flags & TS_EVENT_FLAGS_PUBLIC);
}

/* The member `data` of the answer; borrowed. */
JsonObject *
_ts_query_add_data (TsQuery *query)
{
  JsonObject *data = json_object_new ();

  json_object_set_object_member (query->answer, "data", data);
  return data;
}

/* The end of a window with the same begin that holds @part of @whole of the events. */
gint64
_ts_query_find_share (TsQuery *query,
                      gint64 part,
                      gint64 whole)
{
  TsRecording *recording = query->recording;
  guint64 first
      = ts_recording_row_at_time (recording, ts_recording_us_to_ticks (recording, query->begin_us));
  guint64 last
      = ts_recording_row_at_time (recording, ts_recording_us_to_ticks (recording, query->end_us));
  gint64 span = query->end_us - query->begin_us;
  gint64 end_us = query->begin_us + (gint64) ((__int128) span * part / MAX (whole, 1));
  TsEvent event;
  guint n = 0;

  if (last > first
      && ts_recording_read_events (
          recording,
          first + (guint64) ((unsigned __int128) (last - first) * (guint64) part
                             / (guint64) MAX (whole, 1)),
          1, &event, &n, NULL)
      && n == 1)
    end_us = ts_recording_ticks_to_us (recording, event.time);
  return CLAMP (end_us, query->begin_us + 1, MAX (query->end_us, query->begin_us + 1));
}

/* A window that holds about as much as the budget allows: up to where rows in order of time were
 * read (@query->reached_us), else a part of it, as far as @n (rows of the whole window, or just
 * one too many) tells. */
static void
suggest_window (TsQuery *query,
                gint64 n)
{
  TsQuerySuggestion *suggestion = query->options->suggestion;
  gint64 span = query->end_us - query->begin_us;

  if (suggestion == NULL)
    return;

  suggestion->t_start_us = query->begin_us;
  if (query->reached_us > query->begin_us)
    suggestion->t_end_us = query->reached_us - 1;
  else if (n > query->max_rows + 1 && query->options->bucket_us > 0)
    suggestion->t_end_us
        = query->begin_us + MAX ((gint64) ((__int128) span * query->max_rows / n), 1);
  else if (n > query->max_rows + 1)
    suggestion->t_end_us = _ts_query_find_share (query, query->max_rows, 2 * MIN (n, MAX_US));
  else
    suggestion->t_end_us = _ts_query_find_share (query, 1, 4);
  if (query->options->bucket_us > 0 && n > query->max_rows)
    suggestion->bucket_us
        = (gint64) MIN ((__int128) query->options->bucket_us * n / query->max_rows + 1, MAX_US);
}

/* @what: a plural, such as "events". */
gboolean
_ts_query_check_budget (TsQuery *query,
                        gint64 n,
                        const char *what,
                        GError **error)
{
  if (n <= query->max_rows)
    return TRUE;

  suggest_window (query, n);
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
               _("The answer has more than the %" PRId64
                  " %s that the budget allows; narrow the window, give a filter, "
                  "or raise --budget."),
               query->max_rows, what);
  return FALSE;
}

/* As _ts_query_check_budget(), of the buckets of @each channels or lanes: what fits is known. */
gboolean
_ts_query_check_buckets (TsQuery *query,
                         gint64 each,
                         GError **error)
{
  TsQuerySuggestion *suggestion = query->options->suggestion;
  gint64 n_fit = query->max_rows / MAX (each, 1);

  if (_ts_query_check_budget (query,
                              (gint64) MIN ((__int128) query->n_buckets * MAX (each, 1), MAX_US),
                              _("buckets"), error))
    return TRUE;
  if (suggestion != NULL && n_fit > 0)
    {
      gint64 span = query->end_us - query->begin_us;

      suggestion->t_end_us = query->begin_us
                             + (gint64) MIN ((__int128) n_fit * query->bucket_us, span);
      suggestion->bucket_us = (span + n_fit - 1) / n_fit;
    }
  return FALSE;
}

static gboolean
parse_budget (TsQuery *query,
              GError **error)
{
  const char *name = query->options->budget != NULL ? query->options->budget : "med";

  for (guint i = 0; i < G_N_ELEMENTS (budgets); i++)
    {
      if (strcmp (budgets[i].name, name) == 0)
        {
          query->max_rows = budgets[i].max_rows;
          json_object_set_string_member (query->answer, "budget", name);
          return TRUE;
        }
    }

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("--budget is “%s”; it can be low, med or high."), name);
  return FALSE;
}

static gboolean
parse_tier (TsQuery *query,
            const char *verb,
            gboolean has_tiers,
            GError **error)
{
  const char *name = query->options->tier;

  query->tier = TS_TIER_SUMMARY;
  if (!has_tiers)
    {
      if (name == NULL || strcmp (name, "summary") == 0)
        return TRUE;
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("--tier: “%s” has no tiers."), verb);
      return FALSE;
    }

  if (name == NULL)
    name = tiers[0];
  for (guint i = 0; i < G_N_ELEMENTS (tiers); i++)
    {
      if (strcmp (tiers[i], name) == 0)
        {
          query->tier = (TsQueryTier) i;
          json_object_set_string_member (query->answer, "tier", name);
          return TRUE;
        }
    }

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("--tier is “%s”; it can be summary, bucketed or raw."), name);
  return FALSE;
}

static gboolean
require (TsQuery *query,
         gint64 value,
         const char *flag,
         GError **error)
{
  if (value >= 0)
    return TRUE;

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS, _("The tier %s needs %s."),
               tiers[query->tier], flag);
  return FALSE;
}

/* Source: viewalyzer-host.md section 3.7, "Window rule" */
static gboolean
parse_window (TsQuery *query,
              GError **error)
{
  const TsQueryOptions *options = query->options;
  JsonObject *window;

  if (query->tier != TS_TIER_SUMMARY
      && (!require (query, options->t_start_us, "--t-start-us", error)
          || !require (query, options->t_end_us, "--t-end-us", error)))
    return FALSE;
  if (query->tier == TS_TIER_BUCKETED && !require (query, options->bucket_us, "--bucket-us", error))
    return FALSE;

  query->has_window = options->t_start_us >= 0 || options->t_end_us >= 0;
  query->begin_us = CLAMP (options->t_start_us, 0, MAX_US);
  query->end_us = options->t_end_us >= 0
                      ? MIN (options->t_end_us, MAX_US)
                      : MAX (ts_recording_ticks_to_us (
                                 query->recording, ts_recording_get_duration (query->recording)),
                             query->begin_us);

  if (query->end_us < query->begin_us)
    {
      g_set_error (
          error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
          _("--t-end-us (%" PRId64 ") is before --t-start-us (%" PRId64 ")."),
          query->end_us, query->begin_us);
      return FALSE;
    }

  if (query->tier == TS_TIER_BUCKETED)
    {
      if (options->bucket_us < 1)
        {
          g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                               _("--bucket-us must be at least 1."));
          return FALSE;
        }
      query->bucket_us = MIN (options->bucket_us, MAX_US);
      query->n_buckets
          = MAX ((query->end_us - query->begin_us + query->bucket_us - 1) / query->bucket_us, 1);
      json_object_set_int_member (query->answer, "bucket_us", options->bucket_us);
    }

  window = json_object_new ();
  json_object_set_int_member (window, "t_start_us", query->begin_us);
  json_object_set_int_member (window, "t_end_us", query->end_us);
  json_object_set_object_member (query->answer, "window", window);
  return TRUE;
}

/* Whether all that questions look at must be made again each time: in long recordings of older
 * versions, and of other programs. */
static gboolean
is_older (TsRecording *recording)
{
  const TsRecordingTables *tables = &recording->tables;

  if (recording->is_live)
    return FALSE;
  return ts_index_is_needed (recording)
         || (tables->has_rows && recording->n_rows > TS_ANALYSIS_MAX_EXACT
             && !(tables->has_lanes && tables->has_blocks && tables->has_comms));
}

/* The head of an answer, and the common flags. */
gboolean
_ts_query_begin (TsQuery *query,
                 const char *verb,
                 gboolean has_tiers,
                 gboolean has_window,
                 GError **error)
{
  json_object_set_int_member (query->answer, "schema_version", query->options->schema_version);
  json_object_set_string_member (query->answer, "recording_id",
                                 ts_recording_get_id (query->recording));
  _ts_json_set_text (query->answer, "path", ts_recording_get_path (query->recording));
  json_object_set_string_member (query->answer, "query", verb);
  if (is_older (query->recording))
    json_object_set_string_member (query->answer, "hint",
                                   _("The recording was made by an older version or by another "
                                     "program; “reindex” makes answers faster."));

  return parse_budget (query, error) && parse_tier (query, verb, has_tiers, error)
         && (!has_window || parse_window (query, error));
}

/* Passes @reason on, which is consumed, with what there is to say of it: a window, where it told
 * none, and what makes answers faster. */
void
_ts_query_explain (TsQuery *query,
                   GError *reason,
                   GError **error)
{
  gboolean is_wide
      = g_error_matches (reason, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE);

  /* What took too long tells no number: a quarter of the events. */
  if (is_wide && query->options->suggestion != NULL && query->options->suggestion->t_end_us <= 0)
    suggest_window (query, 0);
  if (is_wide && is_older (query->recording))
    g_set_error (error, reason->domain, reason->code, "%s %s", reason->message,
                 json_object_get_string_member (query->answer, "hint"));
  else
    g_set_error_literal (error, reason->domain, reason->code, reason->message);
  g_error_free (reason);
}

/* What is written row by row as a tree. */
static JsonNode *
run_stream (TsRecording *recording,
            const char *verb,
            const TsQueryOptions *options,
            GCancellable *cancellable,
            GError **error)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM (stream);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (!ts_query_stream (recording, verb, options, stream, cancellable, error)
      || !json_parser_load_from_data (parser, g_memory_output_stream_get_data (memory),
                                      (gssize) g_memory_output_stream_get_data_size (memory),
                                      error))
    return NULL;
  return json_parser_steal_root (parser);
}

/**
 * ts_query_is_known:
 * @verb: a verb of `query`
 *
 * Thread: safe
 *
 * Returns: whether ts_query_run() answers it
 */
gboolean
ts_query_is_known (const char *verb)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      if (g_strcmp0 (verbs[i].verb, verb) == 0)
        return TRUE;
    }

  return ts_query_is_stream (verb);
}

/**
 * ts_query_run:
 * @recording: a recording
 * @verb: a verb that ts_query_is_known()
 * @options: (nullable): the flags
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Answers a question with the JSON object that the command line prints. Answers of verbs that
 * ts_query_is_stream() can be larger than memory: ts_query_stream() needs none.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS naming the flag, %TS_MODEL_ERROR_WINDOW_TOO_WIDE when the
 * answer is over budget, %TS_MODEL_ERROR_BAD_SQL, %TS_MODEL_ERROR_CANCELLED Source:
 * viewalyzer-host.md section 3.7
 *
 * Returns: (transfer full) (nullable): the answer
 */
JsonNode *
ts_query_run (TsRecording *recording,
              const char *verb,
              const TsQueryOptions *options,
              GCancellable *cancellable,
              GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonObject) answer = json_object_new ();
  TsQuery query = { .recording = recording,
                    .options = options != NULL ? options : &defaults,
                    .cancellable = cancellable,
                    .answer = answer };
  GError *reason = NULL;
  JsonNode *node;
  guint i = 0;

  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  if (ts_query_is_stream (verb))
    return run_stream (recording, verb, options, cancellable, error);
  while (i < G_N_ELEMENTS (verbs) && g_strcmp0 (verbs[i].verb, verb) != 0)
    i++;
  if (i == G_N_ELEMENTS (verbs))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("There is no query “%s”."), verb != NULL ? verb : "");
      return NULL;
    }

  if (!_ts_query_begin (&query, verb, verbs[i].has_tiers, verbs[i].has_window, error))
    return NULL;
  if (!verbs[i].func (&query, &reason))
    {
      _ts_query_explain (&query, reason, error);
      return NULL;
    }

  node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, answer);
  return node;
}
