/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-folder.h: a folder of files that appears only when it is whole. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TsExportFolder:
 * @path: where the folder shall be
 * @display_name: @path for messages
 * @temporary: where it is made, beside @path
 */
typedef struct
{
  char *path;
  char *display_name;
  char *temporary;
} TsExportFolder;

gboolean ts_export_folder_open (TsExportFolder *self,
                                const char *path,
                                const char *marker,
                                GError **error);
int ts_export_folder_create (TsExportFolder *self,
                             const char *name,
                             GError **error);
gboolean ts_export_folder_write (TsExportFolder *self,
                                 int fd,
                                 const void *bytes,
                                 gsize n_bytes,
                                 GError **error);
gboolean ts_export_folder_close (TsExportFolder *self,
                                 int fd,
                                 GError **error);
gboolean ts_export_folder_finish (TsExportFolder *self,
                                  GError **error);
void ts_export_folder_clear (TsExportFolder *self);

G_END_DECLS
