/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-export-dialog.h: what is exported, and how: format, part, lanes, kinds, times.
 */
#pragma once

#include <adwaita.h>

#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

/** What is written. */
typedef enum
{
  TS_EXPORT_RECORDING,
  TS_EXPORT_CSV,
  TS_EXPORT_PERFETTO,
  TS_EXPORT_CTF,
  TS_EXPORT_PNG,
  TS_EXPORT_SVG,
  TS_EXPORT_PDF,
  TS_EXPORT_N_FORMATS
} TsExportFormat;

/** Which part of the recording. */
typedef enum
{
  TS_EXPORT_ALL,
  TS_EXPORT_VISIBLE,
  TS_EXPORT_RANGE,
} TsExportPart;

/**
 * TsExportChoice:
 * @format: what is written
 * @part: which part
 * @is_rebased: times begin at the begin of the part
 * @lanes: (nullable): only these lanes, by name or `type:name`
 * @kinds: (nullable): only these kinds of events, by identifier
 */
typedef struct
{
  TsExportFormat format;
  TsExportPart part;
  gboolean is_rebased;
  char **lanes;
  char **kinds;
} TsExportChoice;

TsExportFormat ts_export_format_of_name (const char *path);
const char *ts_export_format_get_suffix (TsExportFormat format);
gboolean ts_export_format_is_picture (TsExportFormat format);

void ts_export_choice_clear (TsExportChoice *self);

#define TS_TYPE_EXPORT_DIALOG (ts_export_dialog_get_type ())
G_DECLARE_FINAL_TYPE (TsExportDialog, ts_export_dialog, TS, EXPORT_DIALOG, AdwWindow)

/* Signals: "save" (string path): write it there; "refused" (string sentence): it is not written. */
TsExportDialog *ts_export_dialog_new (GtkWindow *parent,
                                      TsViewState *view,
                                      TsExportFormat format,
                                      const char * const *filters);
void ts_export_dialog_get_choice (TsExportDialog *self,
                                  TsExportChoice *choice);

G_END_DECLS
