/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-query.h: the questions of the public command-line contract, answered as JSON.
 *
 * One implementation for the command line and the window. Answers follow viewalyzer-host.md section 3.7.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TsQuerySuggestion:
 * @t_start_us, @t_end_us: a window that fits; -1 if none is known
 * @bucket_us: a bucket width that fits; -1 if none is known
 * @lanes: codes of some lanes that fit, for --lanes; empty if that is not the trouble
 *
 * What to ask instead, after %TS_MODEL_ERROR_WINDOW_TOO_WIDE.
 */
typedef struct
{
  gint64 t_start_us;
  gint64 t_end_us;
  gint64 bucket_us;
  char lanes[128];
} TsQuerySuggestion;

/**
 * TsQueryOptions:
 * @suggestion: (nullable) (out caller-allocates): filled when the window is too wide
 *
 * The common flags of section 3.7; strings are borrowed, %NULL or -1 where not given.
 */
typedef struct
{
  const char *tier;
  const char *budget;
  gint64 t_start_us;
  gint64 t_end_us;
  gint64 bucket_us;
  gint64 max_slices;
  const char *sql;
  const char * const *kinds;
  const char * const *channels;
  const char * const *lanes;
  const char *kind;
  const char *task;
  const char *metric;
  const char *from;
  const char *to;
  gint64 threshold_us;
  gint64 port;
  const char * const *runs;     /* paths of further recordings */
  const char * const *sections;
  double tolerance_pct;
  double warn_pct;
  const char *out;
  const char *baseline;
  const char *elf;              /* of the question: symbols and source lines */
  const char *svd;              /* of the question: names of interrupts */
  gint64 schema_version;
  gboolean is_pretty;           /* of what is streamed: a row per line */
  TsQuerySuggestion *suggestion;
} TsQueryOptions;

#define TS_QUERY_OPTIONS_INIT { .t_start_us = -1, .t_end_us = -1, .bucket_us = -1, .max_slices = -1, \
                                .threshold_us = -1, .port = -1, .tolerance_pct = -1.0, .warn_pct = -1.0, \
                                .schema_version = 2 }

JsonNode *ts_query_run (TsRecording *recording,
                        const char *verb,
                        const TsQueryOptions *options,
                        GCancellable *cancellable,
                        GError **error);
gboolean ts_query_is_known (const char *verb);
gboolean ts_query_is_stream (const char *verb);
gboolean ts_query_stream (TsRecording *recording,
                          const char *verb,
                          const TsQueryOptions *options,
                          GOutputStream *stream,
                          GCancellable *cancellable,
                          GError **error);

G_END_DECLS
