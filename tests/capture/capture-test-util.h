/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-test-util.h: what the tests of sessions and imports share. */
#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "capture/ts-capture-session.h"
#include "model/ts-recording.h"

/* A folder of one test; removed with everything in it. */
static inline char *
test_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("ts-capture-test-XXXXXX", &error);

  g_assert_no_error (error);

  return folder;
}

static inline guint
test_folder_count (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static inline void
test_folder_free (char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

static inline char *
test_data_path (const char *name)
{
  return g_build_filename (g_getenv ("TASKSCOPE_TEST_DATA"), name, NULL);
}

static inline GBytes *
test_data_bytes (const char *name)
{
  g_autofree char *path = test_data_path (name);
  g_autoptr (GError) error = NULL;
  char *data = NULL;
  gsize length = 0;

  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);

  return g_bytes_new_take (data, length);
}

/* Number of events that an expected.json counts in @member ("decoded", "intact"). */
static inline guint64
test_expected_events (const char *name,
                      const char *member)
{
  g_autofree char *path = test_data_path (name);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonObject *counts;
  JsonObjectIter iter;
  JsonNode *node;
  guint64 sum = 0;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  counts = json_object_get_object_member (
      json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)), member),
      "events_by_code");
  json_object_iter_init (&iter, counts);
  while (json_object_iter_next (&iter, NULL, &node))
    sum += (guint64) json_node_get_int (node);

  return sum;
}

static inline gint64
test_health (TsRecording *recording,
             const char *key)
{
  g_autofree char *text = ts_recording_dup_health (recording, key);

  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : -1;
}

/* All rows of a recording, in order. */
static inline GArray *
test_rows (TsRecording *recording)
{
  guint64 n_rows = ts_recording_get_n_rows (recording);
  GArray *rows = g_array_sized_new (FALSE, TRUE, sizeof (TsEvent), (guint) n_rows);
  g_autoptr (GError) error = NULL;

  while (rows->len < n_rows)
    {
      TsEvent events[512];
      guint n_read = 0;

      g_assert_true (ts_recording_read_events (recording, rows->len + 1, G_N_ELEMENTS (events),
                                               events, &n_read, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (n_read, >, 0);
      g_array_append_vals (rows, events, n_read);
    }

  return rows;
}

static inline guint
test_count_kind (GArray *rows,
                 TsEventKind kind)
{
  guint n = 0;

  for (guint i = 0; i < rows->len; i++)
    n += g_array_index (rows, TsEvent, i).kind == kind;

  return n;
}

/* Two recordings of the same bytes hold the same rows, objects and texts. */
static inline void
test_assert_same_recordings (TsRecording *a,
                             TsRecording *b)
{
  g_autoptr (GArray) rows_a = test_rows (a);
  g_autoptr (GArray) rows_b = test_rows (b);

  g_assert_cmpuint (ts_recording_get_n_events (a), ==, ts_recording_get_n_events (b));
  g_assert_cmpuint (ts_recording_get_n_objects (a), ==, ts_recording_get_n_objects (b));
  g_assert_cmpint (ts_recording_get_duration (a), ==, ts_recording_get_duration (b));
  g_assert_cmpuint (rows_a->len, ==, rows_b->len);

  for (guint i = 0; i < rows_a->len; i++)
    {
      const TsEvent *x = &g_array_index (rows_a, TsEvent, i);
      const TsEvent *y = &g_array_index (rows_b, TsEvent, i);

      g_assert_cmpint (x->time, ==, y->time);
      g_assert_cmpuint (x->kind, ==, y->kind);
      g_assert_cmpuint (x->object, ==, y->object);
      g_assert_cmpuint (x->flags, ==, y->flags);
      g_assert_cmpint (x->value, ==, y->value);
      if (x->kind == TS_EVENT_CAPTURE_END)
        continue;
      g_assert_cmpint (ts_event_get_detail (x), ==, ts_event_get_detail (y));
      if (ts_event_get_text_id (x) != 0)
        {
          g_autofree char *text = g_strdup (ts_recording_get_string (a, ts_event_get_text_id (x)));

          g_assert_cmpstr (text, ==, ts_recording_get_string (b, ts_event_get_text_id (y)));
        }
    }
}
