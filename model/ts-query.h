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
 * TsQueryOptions:
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
} TsQueryOptions;

#define TS_QUERY_OPTIONS_INIT { NULL, NULL, -1, -1, -1, -1, NULL, NULL, NULL, NULL }

JsonNode *ts_query_run (TsRecording *recording,
                        const char *verb,
                        const TsQueryOptions *options,
                        GCancellable *cancellable,
                        GError **error);
gboolean ts_query_is_known (const char *verb);

G_END_DECLS
