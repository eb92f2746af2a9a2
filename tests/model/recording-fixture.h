/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording-fixture.h: a small recording made by hand, whose every figure can be worked out on
 * paper. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "model/ts-recording-writer.h"
#include "model/ts-recording.h"

/* 10 MHz: ten ticks are a microsecond. */
#define FIXTURE_HZ 10000000

enum
{
  OBJECT_CTRL = 1,
  OBJECT_IDLE,
  OBJECT_SYSTICK,
  OBJECT_BUS,
  OBJECT_CURRENT,
  OBJECT_BULK,
  OBJECT_LOG,
  N_FIXTURE_OBJECTS = OBJECT_LOG
};

#define FIXTURE_TEXT "hello, \"world\""

/* Rows: 17 events, of which 16 came from the target, and capture_end makes 18.
 *
 *   tick     0 IDLE runs ......... 100 Ctrl runs (interrupted 150-170) ........ 300 scheduler 310
 * IDLE (interrupted 500-520) 1000
 */
#define FIXTURE_N_EVENTS 16
#define FIXTURE_N_ROWS 18
#define FIXTURE_END 1000

static inline TsEvent
fixture_event (gint64 time,
               TsEventKind kind,
               guint32 object,
               guint8 flags)
{
  return (TsEvent){ .time = time, .kind = (guint16) kind, .object = object, .flags = flags };
}

static inline void
fixture_define (TsEventSink *sink)
{
  static const struct
  {
    TsObjectType type;
    const char *name;
    int wire_id;
    gint64 priority;
    const char *unit;
  } objects[N_FIXTURE_OBJECTS] = {
    { TS_OBJECT_TASK, "Ctrl", 1, 5, NULL },
    { TS_OBJECT_TASK, "IDLE", 2, 0, NULL },
    { TS_OBJECT_ISR, "SysTick", 1, TS_OBJECT_UNKNOWN, NULL },
    { TS_OBJECT_MUTEX, "BusMtx", 3, TS_OBJECT_UNKNOWN, NULL },
    { TS_OBJECT_USER_TRACE, "motor_current", 4, TS_OBJECT_UNKNOWN, "A" },
    { TS_OBJECT_USER_EVENT, "bulk", 5, TS_OBJECT_UNKNOWN, NULL },
    { TS_OBJECT_STRING_CHANNEL, "log", 7, TS_OBJECT_UNKNOWN, NULL },
  };

  for (guint i = 0; i < N_FIXTURE_OBJECTS; i++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = objects[i].type;
      object.name = (char *) objects[i].name;
      object.wire_id = objects[i].wire_id;
      object.priority = objects[i].priority;
      object.base_priority = objects[i].priority;
      object.unit = (char *) objects[i].unit;
      object.is_named = TRUE;
      object.is_idle = i + 1 == OBJECT_IDLE;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, i + 1);
    }
}

static inline TsEvent
fixture_float (gint64 time,
               double value)
{
  union
  {
    double d;
    gint64 i;
  } u = { .d = value };
  TsEvent event = fixture_event (time, TS_EVENT_FLOAT_TRACE, OBJECT_CURRENT, TS_EVENT_FLAG_FLOAT);

  event.value = u.i;
  return event;
}

static inline void
fixture_events (TsEventSink *sink)
{
  TsEvent events[FIXTURE_N_ROWS - 1];
  guint n = 0;

  events[n++] = fixture_event (0, TS_EVENT_SESSION_START, 0, TS_EVENT_FLAG_SYNTHETIC);
  events[n++] = fixture_event (0, TS_EVENT_TASK_SWITCH, OBJECT_IDLE, TS_EVENT_FLAG_START);
  events[n++] = fixture_event (100, TS_EVENT_TASK_SWITCH, OBJECT_IDLE, TS_EVENT_FLAG_END);
  events[n++] = fixture_event (100, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_START);
  events[n++] = fixture_event (150, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_START);
  events[n++] = fixture_event (170, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_END);
  events[n++] = fixture_event (200, TS_EVENT_MUTEX, OBJECT_BUS, TS_EVENT_FLAG_END);
  events[n++] = fixture_float (210, 1.5);
  events[n] = fixture_event (220, TS_EVENT_STRING, OBJECT_LOG,
                             TS_EVENT_FLAG_TEXT | TS_EVENT_FLAG_AFTER_LOSS);
  events[n].value = 7;
  events[n++].detail = (gint64) sink->iface->intern (sink, FIXTURE_TEXT, -1) << 32;
  events[n++] = fixture_float (230, 2.5);
  events[n] = fixture_event (240, TS_EVENT_TASK_PRIORITY, OBJECT_CTRL, TS_EVENT_FLAG_TEXT);
  events[n].value = 6;
  events[n++].detail = (gint64) sink->iface->intern (sink, "inherited", -1) << 32 | 5;
  events[n++] = fixture_event (300, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_END);
  events[n++] = fixture_event (310, TS_EVENT_TASK_SWITCH, OBJECT_IDLE, TS_EVENT_FLAG_START);
  events[n] = fixture_event (400, TS_EVENT_POLL_TRACE, OBJECT_CURRENT, 0);
  events[n++].value = -3;
  events[n++] = fixture_event (500, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_START);
  events[n++] = fixture_event (520, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_END);
  events[n++] = fixture_event (FIXTURE_END, TS_EVENT_TASK_SWITCH, OBJECT_IDLE, TS_EVENT_FLAG_END);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (events));

  sink->iface->events (sink, events, n);
}

/* A folder of its own for each test. */
static inline char *
fixture_dir (void)
{
  GError *error = NULL;
  char *dir = g_dir_make_tmp ("ts-recording-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

/* Removes a folder of plain files. */
static inline void
fixture_remove_dir (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *full = g_build_filename (path, name, NULL);

      g_unlink (full);
      g_free (full);
    }
  g_dir_close (dir);
  g_rmdir (path);
}

static inline void
fixture_write (const char *path)
{
  TsWriterOptions options
      = { .keep_raw_log = TRUE, .raw_format = "va-cobs", .capture_source = "file" };
  GError *error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, FIXTURE_HZ);
  sink->iface->set_info (sink, "os", "FreeRTOS");
  sink->iface->set_info (sink, "recorder_version", "1.0.5");
  sink->iface->set_info (sink, "t0_ticks", "5635");
  fixture_define (sink);
  ts_recording_writer_push_raw (writer, 1000, 0, (const guint8 *) "abc", 3);
  ts_recording_writer_push_raw (writer, 2000, 0, (const guint8 *) "de", 2);
  ts_recording_writer_push_raw (writer, 3000, 1, (const guint8 *) "f", 1);
  fixture_events (sink);
  ts_recording_writer_set_health (writer, "seq_present", "1");
  ts_recording_writer_set_health (writer, "lost_events", "4");
  ts_recording_writer_set_health (writer, "seq_gaps", "2");
  ts_recording_writer_set_health (writer, "corrupt_bytes", "9");
  ts_recording_writer_set_health (writer, "sessions", "1");
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
}

/* All rows of a statement as text: columns divided by '|', rows by '\n'; NULL as "-". */
static inline char *
fixture_sql (const char *path,
             const char *sql)
{
  GString *text = g_string_new (NULL);
  char *uri = g_strdup_printf ("file:%s?mode=ro", path);
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;

  g_assert_cmpint (sqlite3_open_v2 (uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL), ==,
                   SQLITE_OK);
  if (sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));

  while (sqlite3_step (stmt) == SQLITE_ROW)
    {
      if (text->len > 0)
        g_string_append_c (text, '\n');
      for (int i = 0; i < sqlite3_column_count (stmt); i++)
        {
          const char *value = (const char *) sqlite3_column_text (stmt, i);

          g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", value != NULL ? value : "-");
        }
    }

  sqlite3_finalize (stmt);
  sqlite3_close (db);
  g_free (uri);
  return g_string_free (text, FALSE);
}
