/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-json-writer-private.h: one JSON object written piece by piece, for answers that are too large
 * to be held in memory.
 *
 * Nothing leaves before _ts_json_writer_start(): until then the caller can still decide that the
 * answer is no answer. Private to the model.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * TsJsonWriter:
 * @stream: where it goes
 * @text: what has not been written yet
 * @is_started: may be written
 * @is_pretty: indented, every member and element on a line of its own
 * @needs_comma: something stands before the next member or element
 * @depth: brackets that are open
 * @error: (nullable): the first failure; everything after it is dropped
 */
typedef struct
{
  GOutputStream *stream;
  GString *text;
  GCancellable *cancellable;
  gboolean is_started;
  gboolean is_pretty;
  gboolean needs_comma;
  guint depth;
  GError *error;
} TsJsonWriter;

void _ts_json_writer_init (TsJsonWriter *self,
                           GOutputStream *stream,
                           gboolean is_pretty,
                           GCancellable *cancellable);
void _ts_json_writer_clear (TsJsonWriter *self);
void _ts_json_writer_start (TsJsonWriter *self);
gboolean _ts_json_writer_finish (TsJsonWriter *self,
                                 GError **error);
void _ts_json_writer_begin (TsJsonWriter *self,
                            char bracket);
void _ts_json_writer_end (TsJsonWriter *self,
                          char bracket);
void _ts_json_writer_row (TsJsonWriter *self);
void _ts_json_writer_key (TsJsonWriter *self,
                          const char *key);
void _ts_json_writer_members (TsJsonWriter *self,
                              JsonObject *object);
void _ts_json_writer_text (TsJsonWriter *self,
                           const char *key,
                           const char *value);
void _ts_json_writer_int (TsJsonWriter *self,
                          const char *key,
                          gint64 value);
void _ts_json_writer_int_element (TsJsonWriter *self,
                                  gint64 value);
void _ts_json_writer_figure (TsJsonWriter *self,
                             const char *key,
                             double value);
void _ts_json_writer_figure_element (TsJsonWriter *self,
                                     double value);
void _ts_json_writer_real (TsJsonWriter *self,
                           const char *key,
                           double value);
void _ts_json_writer_bool (TsJsonWriter *self,
                           const char *key,
                           gboolean value);

/* Reading: whether brackets nest little enough for a parser that calls itself. */
gboolean _ts_json_is_shallow (const char *text,
                              gsize length);

G_END_DECLS
