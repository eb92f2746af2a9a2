/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-index.h: lanes of recordings that bring none: made once, kept in the user's cache folder.
 *
 * Recordings that somebody else wrote, and long ones whose writer was killed, hold no lanes, or not
 * all. Short ones get them in memory whenever they are opened. Of a long foreign one a first
 * picture comes from samples; ts_index_build() makes the rest on a worker, and whoever opens the
 * recording afterwards finds it. The recording itself is never touched, but for
 * ts_index_reindex().
 */
#pragma once

#include "ts-export.h"

G_BEGIN_DECLS

/** What all indexes together may take, unless somebody says otherwise: 8 GB. */
#define TS_INDEX_DEFAULT_BYTES ((guint64) 8 << 30)

/**
 * TsIndexEntry: one kept index.
 * @path: its file
 * @source: (nullable): the recording it belongs to
 * @n_bytes: size
 * @used: when it was used last, seconds since 1970
 */
typedef struct
{
  char *path;
  char *source;
  guint64 n_bytes;
  gint64 used;
} TsIndexEntry;

gboolean ts_index_is_needed (TsRecording *recording);
gboolean ts_index_build (TsRecording *recording,
                         guint64 max_bytes,
                         TsExportProgress progress,
                         gpointer user_data,
                         GCancellable *cancellable,
                         GError **error);
gboolean ts_index_reindex (const char *path,
                           TsExportProgress progress,
                           gpointer user_data,
                           GCancellable *cancellable,
                           guint64 *n_events,
                           GError **error);

char *ts_index_dup_folder (void);
GPtrArray *ts_index_list (void);
guint64 ts_index_trim (guint64 max_bytes);

G_END_DECLS
