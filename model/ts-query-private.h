/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-private.h: what the queries share: the question, the filter on events, and JSON helpers.
 * Private to the model. */
#pragma once

#include "ts-query.h"
#include "ts-recording-private.h"

G_BEGIN_DECLS

/** Statements and scans of a query end after this; clients give up after 30 s (viewalyzer-host.md
 * section 3.5). */
#define TS_QUERY_LIMIT_US (25 * G_USEC_PER_SEC)

/**
 * TsEventFilter:
 * @has_kinds: only kinds marked in @kinds
 * @kinds: per kind, bit 0: without side, bit 1: START, bit 2: END
 * @objects: (nullable): set of object ids; %NULL: all
 * @begin_ticks: first tick, inclusive
 * @end_ticks: last tick, inclusive
 * @first_row: first row of that time
 * @end_row: row after the last
 *
 * Which events a query or an export is about.
 */
typedef struct
{
  gboolean has_kinds;
  guint8 kinds[0x400];
  GHashTable *objects;
  gint64 begin_ticks;
  gint64 end_ticks;
  guint64 first_row;
  guint64 end_row;
} TsEventFilter;

/* @row: row id of @event. FALSE ends the scan. */
typedef gboolean (*TsEventFunc) (guint64 row, const TsEvent *event, gpointer user_data);

gboolean _ts_event_filter_init (TsEventFilter *self,
                                TsRecording *recording,
                                const TsQueryOptions *options,
                                GError **error);
void _ts_event_filter_clear (TsEventFilter *self);
gboolean _ts_event_filter_matches (const TsEventFilter *self,
                                   const TsEvent *event);
gboolean _ts_event_filter_is_whole (const TsEventFilter *self,
                                    TsRecording *recording);
gboolean _ts_event_filter_scan (const TsEventFilter *self,
                                TsRecording *recording,
                                gint64 limit_us,
                                TsEventFunc func,
                                gpointer user_data,
                                GCancellable *cancellable,
                                GError **error);

typedef enum
{
  TS_TIER_SUMMARY,
  TS_TIER_BUCKETED,
  TS_TIER_RAW,
} TsQueryTier;

/**
 * TsQuery:
 * @recording: what is asked
 * @options: as given
 * @cancellable: (nullable): ends the query
 * @tier: tier
 * @max_rows: rows, slices or cells that the budget allows
 * @has_window: one of the two times was given
 * @begin_us, @end_us: the window; the whole where not given
 * @bucket_us, @n_buckets: bucketed: the buckets that cover the window
 * @reached_us: when the first row was that is one too many, of rows in order of time; 0: not told
 * @answer: the answer's top level
 */
typedef struct
{
  TsRecording *recording;
  const TsQueryOptions *options;
  GCancellable *cancellable;
  TsQueryTier tier;
  gint64 max_rows;
  gboolean has_window;
  gint64 begin_us;
  gint64 end_us;
  gint64 bucket_us;
  gint64 n_buckets;
  gint64 reached_us;
  JsonObject *answer;
} TsQuery;

gboolean _ts_query_begin (TsQuery *query,
                          const char *verb,
                          gboolean has_tiers,
                          gboolean has_window,
                          GError **error);

gboolean _ts_query_summary (TsQuery *query,
                            GError **error);
gboolean _ts_query_events (TsQuery *query,
                           GError **error);
gboolean _ts_query_user_traces (TsQuery *query,
                                GError **error);
gboolean _ts_query_sql (TsQuery *query,
                        GError **error);
gboolean _ts_query_cpu (TsQuery *query,
                        GError **error);
gboolean _ts_query_inversions (TsQuery *query,
                               GError **error);
gboolean _ts_query_comms (TsQuery *query,
                          GError **error);
gboolean _ts_query_timers (TsQuery *query,
                           GError **error);
gboolean _ts_query_series (TsQuery *query,
                           GError **error);
gboolean _ts_query_verdicts (TsQuery *query,
                             GError **error);
gboolean _ts_query_fingerprint (TsQuery *query,
                                GError **error);
gboolean _ts_query_compare (TsQuery *query,
                            GError **error);
gboolean _ts_query_no_rows (const char *what,
                            const char *flags,
                            GError **error);
gboolean _ts_query_swo (TsQuery *query,
                        JsonObject *data,
                        gint64 begin,
                        gint64 end,
                        GError **error);
gboolean _ts_query_hardware (TsQuery *query,
                             GError **error);

/* The window in ticks: [@begin, @end). */
void _ts_query_get_range (TsQuery *query,
                          gint64 *begin,
                          gint64 *end);
double _ts_query_us (TsQuery *query,
                     gint64 ticks);
const char *_ts_query_object_name (TsQuery *query,
                                   guint32 object);

gint64 _ts_query_find_share (TsQuery *query,
                             gint64 part,
                             gint64 whole);
gboolean _ts_query_check_budget (TsQuery *query,
                                 gint64 n,
                                 const char *what,
                                 GError **error);
gboolean _ts_query_check_buckets (TsQuery *query,
                                  gint64 each,
                                  GError **error);
void _ts_query_explain (TsQuery *query,
                        GError *reason,
                        GError **error);
gboolean _ts_query_check_cancelled (GCancellable *cancellable,
                                    GError **error);

/* JSON: numbers that are not finite become null; reals are rounded to six decimals. */
void _ts_json_set_real (JsonObject *object,
                        const char *key,
                        double value);
void _ts_json_set_text (JsonObject *object,
                        const char *key,
                        const char *value);
void _ts_json_set_column (JsonObject *object,
                          const char *key,
                          sqlite3_stmt *stmt,
                          int column);
void
_ts_json_set_event (JsonObject *object,
                    TsRecording *recording,
                    guint64 row,
                    const TsEvent *event);
JsonObject *_ts_query_add_data (TsQuery *query);

G_END_DECLS
