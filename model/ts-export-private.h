/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-export-private.h: what the exports share: files that appear only when they are whole, and the
 * state of everything at a point in time. Private to the model.
 */
#pragma once

#include "ts-export.h"
#include "ts-query-private.h"

G_BEGIN_DECLS

/**
 * TsExportFile:
 * @path: where the file shall be
 * @display_name: @path for messages
 * @temporary: where it is made
 * @fd: of @temporary; -1: none
 *
 * A file made beside its target and renamed onto it at the end.
 */
typedef struct
{
  char *path;
  char *display_name;
  char *temporary;
  int fd;
} TsExportFile;

gboolean _ts_export_file_open (TsExportFile *self,
                               TsRecording *recording,
                               const char *path,
                               GError **error);
gboolean _ts_export_file_write (TsExportFile *self,
                                const char *bytes,
                                gsize n_bytes,
                                GError **error);
gboolean _ts_export_file_finish (TsExportFile *self,
                                 GError **error);
void _ts_export_file_clear (TsExportFile *self);
gboolean _ts_export_filter_init (TsEventFilter *filter,
                                 TsRecording *recording,
                                 const TsQueryOptions *options,
                                 GError **error);
gboolean _ts_export_set_errno (const char *display_name,
                               int code,
                               GError **error);
char *_ts_export_dup_temporary (const char *path);
int _ts_export_write_all (int fd,
                          const void *bytes,
                          gsize n_bytes);

gboolean _ts_export_add_state (TsRecording *recording,
                               gint64 time,
                               const TsEventFilter *filter,
                               GArray *events,
                               GCancellable *cancellable,
                               GError **error);

G_END_DECLS
