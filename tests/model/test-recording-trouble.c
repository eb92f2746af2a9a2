/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-recording-trouble.c: files that are damaged, hostile or left behind, folders and disks that
 * cannot be written. */
#include "config.h"

#include <glib/gstdio.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/ts-recording-writer-private.h"

#include "recording-files.h"

static void
assert_no_open (const char *path,
                int code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  TsRecording *recording = ts_recording_open (path, &error);

  g_assert_null (recording);
  g_assert_error (error, TS_MODEL_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", error->message, words);
}

static void
test_bad_files (Fixture *fixture,
                gconstpointer data)
{
  g_autofree char *contents = NULL;
  gsize length = 0;
  int fd;

  assert_no_open (fixture->path, TS_MODEL_ERROR_NO_SUCH_RECORDING, fixture->path);
  assert_no_open (fixture->dir, TS_MODEL_ERROR_BAD_RECORDING, "folder");

  g_assert_true (g_file_set_contents (fixture->path, "", 0, NULL));
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "empty");
  g_assert_true (g_file_set_contents (fixture->path, "this is no database\n", -1, NULL));
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");

  fd = g_open (fixture->path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  g_assert_cmpint (ftruncate (fd, (off_t) 10 << 30), ==, 0);
  close (fd);
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");
  g_unlink (fixture->path);

  exec_sql (fixture->path, "CREATE TABLE t(a)");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");
  g_unlink (fixture->path);

  fixture_write (fixture->path);
  exec_sql (fixture->path, "PRAGMA user_version=2");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "newer");
  exec_sql (fixture->path,
            "PRAGMA user_version=1; UPDATE meta SET value='7' WHERE key='taskscope_schema'");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "newer");

  /* Cut off anywhere: an error or a reader, never a crash. */
  g_unlink (fixture->path);
  fixture_write (fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));
  for (gsize n = 16; n < length; n += 1777)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents_full (fixture->path, contents, (gssize) n,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));
      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
    }
}

/* Damage a byte here and there: an error or a reader whose functions all return. */
static void
test_damaged (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *contents = NULL;
  gsize length = 0;

  fixture_write (fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));

  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *bad = g_memdup2 (contents, length);
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 4; k++)
        bad[g_test_rand_int_range (16, (gint32) length)] = (char) g_test_rand_int ();
      g_assert_true (g_file_set_contents_full (fixture->path, bad, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));

      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
      if (recording != NULL)
        {
          TsEvent events[32];
          guint n = 0;

          ts_recording_row_at_time (recording, 300);
          if (ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, NULL))
            {
              for (guint k = 0; k < n; k++)
                {
                  g_autofree char *text = ts_recording_describe_event (recording, &events[k]);

                  g_assert_nonnull (text);
                }
            }
        }
    }
}

static void
test_hostile_values (Fixture *fixture,
                     gconstpointer data)
{
  static const char * const attacks[] = {
    "UPDATE meta SET value=NULL WHERE key='va_cpu_hz'",
    "UPDATE meta SET value='-1' WHERE key='va_cpu_hz'",
    "UPDATE meta SET value=x'FFFE' WHERE key='va_cpu_hz'",
    "UPDATE meta SET value='99999999999999999999999' WHERE key='va_cpu_hz'",
    "UPDATE va_summary SET value='x'",
    "UPDATE va_objects SET name=NULL, type=7, priority='high'",
    "UPDATE va_objects SET name=CAST(x'FFFEFD' AS TEXT)",
    "UPDATE va_objects SET id=id+9223372036854775000",
    "UPDATE ts_events SET t='late', x='?', v=x'00', d='text'",
    "UPDATE ts_events SET t=-5",
    "UPDATE ts_events SET t=9223372036854775807, x=-1, v=9223372036854775807, "
    "d=-9223372036854775807-1",
    "UPDATE ts_strings SET text=NULL",
    "UPDATE ts_lanes SET kind=99",
    "UPDATE ts_lanes SET name=NULL, color=-1, first_seen='x', n_slices=-1",
    "UPDATE ts_nodes SET level=200, width_log2=99, blob=-1, begin=-1, end=-2",
    "UPDATE ts_nodes SET blob=1, n_slices=9223372036854775807",
    "UPDATE ts_blobs SET data=zeroblob(10)",
    "UPDATE ts_blobs SET data='text'",
    "UPDATE ts_blobs SET data=randomblob(length(data))",
    "DELETE FROM ts_nodes",
    "DELETE FROM ts_lanes",
    "DELETE FROM va_objects",
    "DELETE FROM ts_events WHERE rowid=5",
    "INSERT INTO ts_events(rowid,t) VALUES(9223372036854775807,1)",
    "UPDATE meta SET value='0' WHERE key='ts_complete'; INSERT INTO ts_events(rowid,t,x) "
    "VALUES(3000000,1,-1)",
    "UPDATE meta SET value='0' WHERE key='ts_complete'; UPDATE ts_events SET t=t*1000000000000, "
    "x=x|(x<<33)",
    "DROP VIEW va_events",
    "DROP TABLE ts_events",
    "DROP TABLE va_objects",
    "DROP TABLE meta",
    "DROP TABLE va_summary; CREATE VIEW va_summary AS WITH RECURSIVE r(key,value) AS (SELECT "
    "'a','b' UNION ALL SELECT"
    " key||'a',value FROM r LIMIT 100000) SELECT * FROM r",
  };

  for (guint i = 0; i < G_N_ELEMENTS (attacks); i++)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;
      const TsLaneInfo *lanes;
      TsEvent events[32];
      guint n = 0;
      guint n_lanes = 0;

      fixture_write (fixture->path);
      exec_sql (fixture->path, attacks[i]);
      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
      if (recording == NULL)
        continue;

      ts_recording_ticks_to_us (recording, G_MAXINT64);
      ts_recording_row_at_time (recording, 300);
      if (ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, NULL))
        {
          for (guint k = 0; k < n; k++)
            {
              g_autofree char *text = ts_recording_describe_event (recording, &events[k]);

              g_assert_cmpint (events[k].time, >=, 0);
              g_assert_nonnull (text);
            }
        }

      lanes = ts_recording_get_lanes (recording, &n_lanes);
      for (guint k = 0; k < n_lanes; k++)
        {
          g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
          TsColumn columns[16] = { 0 };
          TsSlice slice;
          gboolean is_coarse;

          g_assert_nonnull (lanes[k].name);
          ts_recording_query_lane (recording, lanes[k].id, 0, 1000, 16, columns, slices, 0,
                                   &is_coarse);
          ts_recording_find_slice (recording, lanes[k].id, 500, 100, &slice);
          ts_recording_next_slice (recording, lanes[k].id, 500, 1, &slice);
        }
    }
}

/* Somebody else's recording: public tables only. */
static void
test_foreign (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsRecording) again = NULL;
  g_autoptr (GError) error = NULL;
  TsEvent event;
  guint n = 0;

  exec_sql (
      fixture->path,
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
      "INSERT INTO meta VALUES('format','va-recording'),('va_cpu_hz','1000000'),('va_os','Zephyr');"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY, value TEXT); INSERT INTO va_summary "
      "VALUES('total_events','3');"
      "CREATE TABLE va_events(kind TEXT, object TEXT, object_id INTEGER, start INTEGER, t_cycles "
      "INTEGER, text TEXT);"
      "INSERT INTO va_events "
      "VALUES('task_switch','main',4,1,5000,NULL),('string','log',9,NULL,5100,'boot'),"
      "('task_switch','main',4,0,5200,NULL);");
  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 3);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 3);
  g_assert_cmpint (ts_recording_get_duration (recording), ==, 200);
  g_assert_cmpstr (ts_recording_get_object (recording, 4)->name, ==, "main");
  g_assert_cmpstr (ts_recording_get_id (recording), ==, "");
  g_assert_true (ts_recording_read_events (recording, 2, 1, &event, &n, &error));
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (event.time, ==, 100);
  g_assert_cmpstr (ts_recording_get_string (recording, ts_event_get_text_id (&event)), ==, "boot");
  g_assert_cmpuint (ts_recording_row_at_time (recording, 101), ==, 3);

  again = ts_recording_reopen (recording, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (again), ==, 3);
  g_assert_cmpstr (ts_recording_get_object (again, 9)->name, ==, "log");
}

/* Writes in a child that is killed between two commits. Returns the rows that were committed. */
static void
write_and_die (const char *path,
               guint n_commits,
               int ready_fd)
{
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);

  sink->iface->set_clock (sink, FIXTURE_HZ);
  fixture_define (sink);
  for (guint i = 0; i < n_commits * 1000; i++)
    {
      TsEvent events[2];

      events[0] = fixture_event (i * 10, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_START);
      events[1] = fixture_event (i * 10 + 4, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_END);
      sink->iface->events (sink, events, 2);
      if (i % 1000 == 999)
        ts_recording_writer_tick (writer, TRUE, NULL);
    }

  /* Uncommitted: lost. */
  {
    TsEvent more[3000];

    for (guint i = 0; i < G_N_ELEMENTS (more); i++)
      more[i] = fixture_event (n_commits * 10000 + i, TS_EVENT_ISR, OBJECT_SYSTICK,
                               i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);
    sink->iface->events (sink, more, G_N_ELEMENTS (more));
  }

  if (write (ready_fd, "x", 1) != 1)
    _exit (1);
  for (;;)
    pause ();
}

static void
test_killed (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  const TsLaneInfo *lane;
  TsSlice slice;
  char ready;
  int fds[2];
  pid_t child;

  g_assert_cmpint (pipe (fds), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    write_and_die (fixture->path, 5, fds[1]);

  g_assert_cmpint (read (fds[0], &ready, 1), ==, 1);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (fds[0]);
  close (fds[1]);

  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 10000);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 10000);
  g_assert_cmpint (ts_recording_get_duration (recording), ==, 49994);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "not closed");

  lane = ts_recording_get_lane (recording, OBJECT_CTRL);
  g_assert_nonnull (lane);
  g_assert_cmpstr (lane->name, ==, "Ctrl");
  g_assert_true (ts_recording_find_slice (recording, OBJECT_CTRL, 49992, 0, &slice));
  g_assert_cmpint (slice.begin, ==, 49990);
  g_assert_cmpint (slice.end, ==, 49994);
}

/* A killed recording in a folder that cannot be written, opened by somebody who may not write
 * there. */
static void
test_killed_read_only (Fixture *fixture,
                       gconstpointer data)
{
  char ready;
  int fds[2];
  int status = 0;
  pid_t child;

  g_assert_cmpint (pipe (fds), ==, 0);
  child = fork ();
  if (child == 0)
    write_and_die (fixture->path, 3, fds[1]);
  g_assert_cmpint (read (fds[0], &ready, 1), ==, 1);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (fds[0]);
  close (fds[1]);

  for (guint round = 0; round < 2; round++)
    {
      if (round == 1)
        {
          g_autofree char *shm = g_strconcat (fixture->path, "-shm", NULL);

          g_chmod (fixture->dir, 0755);
          g_unlink (shm);
        }
      g_chmod (fixture->dir, 0555);

      child = fork ();
      g_assert_cmpint (child, >=, 0);
      if (child == 0)
        {
          g_autoptr (TsRecording) recording = NULL;

          if (geteuid () == 0 && setuid (65534) != 0)
            _exit (77);
          /* a sandbox may keep its folders for root alone */
          if (access (fixture->path, R_OK) != 0)
            _exit (77);
          recording = ts_recording_open (fixture->path, NULL);
          _exit (recording == NULL ? 1 : ts_recording_get_n_rows (recording) != 6000 ? 2 : 0);
        }

      waitpid (child, &status, 0);
      g_chmod (fixture->dir, 0755);
      g_assert_true (WIFEXITED (status));
      if (WEXITSTATUS (status) == 77)
        {
          g_test_skip ("cannot become an ordinary user here");
          return;
        }
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }
}

/* A closed recording in a read-only folder. */
static void
test_read_only_folder (Fixture *fixture,
                       gconstpointer data)
{
  int status = 0;
  pid_t child;

  fixture_write (fixture->path);
  g_chmod (fixture->dir, 0555);
  child = fork ();
  if (child == 0)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *other = g_build_filename (fixture->dir, "new.vadb", NULL);

      if (geteuid () == 0 && setuid (65534) != 0)
        _exit (0);
      if (access (fixture->path, R_OK) != 0)
        _exit (0);
      recording = ts_recording_open (fixture->path, NULL);
      if (recording == NULL || ts_recording_get_n_rows (recording) != FIXTURE_N_ROWS)
        _exit (1);
      if (ts_recording_writer_new (other, NULL, &error) != NULL
          || !g_error_matches (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE)
          || strstr (error->message, "new.vadb") == NULL)
        _exit (2);
      _exit (0);
    }
  waitpid (child, &status, 0);
  g_chmod (fixture->dir, 0755);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_cannot_create (Fixture *fixture,
                    gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->dir, "no", "such", "folder.vadb", NULL);

  g_assert_null (ts_recording_writer_new (path, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "folder.vadb"));
  g_clear_error (&error);

  g_assert_null (ts_recording_writer_new (fixture->dir, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
}

/* Not root, which may write everywhere. */
static void
test_folder_read_only (Fixture *fixture,
                       gconstpointer data)
{
  int status = 0;
  pid_t child;

  g_assert_cmpint (g_chmod (fixture->dir, 0555), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;

      if (geteuid () == 0 && setresuid (65534, 65534, 65534) != 0)
        _exit (77);
      if (ts_recording_writer_new (fixture->path, NULL, &error) != NULL)
        _exit (1);
      _exit (strstr (error->message, g_strerror (EACCES)) != NULL ? 0 : 2);
    }
  waitpid (child, &status, 0);
  g_assert_cmpint (g_chmod (fixture->dir, 0755), ==, 0);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    g_test_skip ("cannot become another user");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

/* A name that is being written cannot be taken by a second writer, in this process or another. */
static void
test_written_already (Fixture *fixture,
                      gconstpointer data)
{
  g_autoptr (TsRecordingWriter) first = ts_recording_writer_new (fixture->path, NULL, NULL);
  g_autoptr (TsRecordingWriter) again = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      if (ts_recording_writer_new (fixture->path, NULL, &error) != NULL)
        _exit (1);
      _exit (strstr (error->message, "already") != NULL ? 0 : 2);
    }
  waitpid (child, &status, 0);
  g_assert_cmpint (status, ==, 0);

  fixture_define (ts_recording_writer_get_sink (first));
  fixture_events (ts_recording_writer_get_sink (first));
  g_assert_true (ts_recording_writer_close (first, "stopped", &error));
  g_assert_no_error (error);
  assert_sql (fixture->path, "SELECT COUNT(*) FROM ts_events", G_STRINGIFY (FIXTURE_N_ROWS));

  /* closed, it can be replaced */
  again = ts_recording_writer_new (fixture->path, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (again);
}

/* The file goes while it is being written: told at the next commit, and at the end. */
static void
test_deleted_while_written (Fixture *fixture,
                            gconstpointer data)
{
  g_autofree char *moved = g_strconcat (fixture->path, ".moved", NULL);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (fixture->path, NULL, NULL);
      g_autoptr (GError) error = NULL;
      g_autofree char *content = NULL;

      fixture_define (ts_recording_writer_get_sink (writer));
      fixture_events (ts_recording_writer_get_sink (writer));
      g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
      g_assert_cmpint (g_rename (fixture->path, moved), ==, 0);
      g_assert_true (g_file_set_contents (fixture->path, "another", -1, NULL));

      if (i == 0)
        {
          g_assert_false (ts_recording_writer_tick (writer, TRUE, &error));
          g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
          g_assert_nonnull (strstr (error->message, "moved or replaced"));
          g_clear_error (&error);
        }
      if (i == 2)
        ts_recording_writer_discard (writer);
      g_assert_false (ts_recording_writer_close (writer, "stopped", &error));
      g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);

      /* what took the name stays as it is; what was moved is whole */
      g_assert_true (g_file_get_contents (fixture->path, &content, NULL, NULL));
      g_assert_cmpstr (content, ==, "another");
      assert_sql (moved, "SELECT COUNT(*) > 16 FROM ts_events", "1");
      g_unlink (moved);
    }
}

/* The file may not grow beyond 2 MB: one sentence, and what was committed before opens again. */
static void
test_disk_full (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      struct rlimit limit = { 2 << 20, 2 << 20 };
      TsRecordingWriter *writer;
      TsEventSink *sink;
      g_autoptr (GError) failure = NULL;
      guint i;

      signal (SIGXFSZ, SIG_IGN);
      if (setrlimit (RLIMIT_FSIZE, &limit) != 0)
        _exit (1);
      writer = ts_recording_writer_new (fixture->path, NULL, NULL);
      sink = ts_recording_writer_get_sink (writer);
      sink->iface->set_clock (sink, FIXTURE_HZ);
      fixture_define (sink);
      for (i = 0; i < 1000000; i++)
        {
          TsEvent event = fixture_event (i * 10, TS_EVENT_ISR, OBJECT_SYSTICK,
                                         i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);

          sink->iface->events (sink, &event, 1);
          if (i % 5000 == 4999 && !ts_recording_writer_tick (writer, TRUE, &failure))
            break;
        }
      if (failure == NULL || i < 10000)
        _exit (2);
      if (!g_error_matches (failure, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE)
          || strstr (failure->message, "r.vadb") == NULL
          || strstr (failure->message, " s is kept") == NULL)
        _exit (3);
      if (ts_recording_writer_close (writer, "stopped", NULL))
        _exit (4);
      ts_recording_writer_free (writer);
      _exit (0);
    }

  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);

  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), >=, 10000);
  g_assert_cmpuint (ts_recording_get_n_rows (recording) % 5000, ==, 0);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, ts_recording_get_n_rows (recording));
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, !=, "stopped");
}

/* In a child with a file system of its own of 12 MB: fills it, then looks at what is there. Returns
 * the exit status. */
static int
fill_small_disk (const char *dir,
                 const char *path)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *reason = NULL;
  TsWriterOptions options = { .keep_raw_log = TRUE };
  TsRecordingWriter *writer;
  TsEventSink *sink;
  guint8 raw[900] = { 0 };
  TsSlice slice;
  gint64 end;

  if (unshare (geteuid () == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0
      || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount ("tmpfs", dir, "tmpfs", 0, "size=12m") != 0)
    return 77;

  writer = ts_recording_writer_new (path, &options, NULL);
  if (writer == NULL)
    return 1;
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, FIXTURE_HZ);
  fixture_define (sink);
  for (guint i = 0; i < 10000000 && failure == NULL; i += 100)
    {
      TsEvent events[100];

      for (guint k = 0; k < G_N_ELEMENTS (events); k++)
        events[k] = fixture_event ((i + k) * 10, TS_EVENT_ISR, OBJECT_SYSTICK,
                                   k % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);
      ts_recording_writer_push_raw (writer, i, 0, raw, sizeof raw);
      sink->iface->events (sink, events, G_N_ELEMENTS (events));
      ts_recording_writer_tick (writer, FALSE, &failure);
    }
  if (failure == NULL || strstr (failure->message, "full") == NULL
      || strstr (failure->message, "kept") == NULL)
    return 2;
  if (ts_recording_writer_close (writer, "stopped", NULL))
    return 3;
  ts_recording_writer_free (writer);

  /* Whole, in one piece, finished: at least half of the disk was used, and lanes reach the end. */
  assert_no_side_files (path);
  recording = ts_recording_open (path, NULL);
  if (recording == NULL || ts_recording_get_n_rows (recording) < 150000)
    return 4;
  reason = ts_recording_dup_health (recording, "end_reason");
  if (reason == NULL || strcmp (reason, failure->message) != 0)
    return 5;
  end = ts_recording_get_duration (recording);
  if (!ts_recording_find_slice (recording, OBJECT_SYSTICK, end, 10, &slice) || slice.end != end)
    return 6;
  assert_sql (path, "PRAGMA journal_mode", "delete");
  assert_sql (path, "PRAGMA integrity_check", "ok");
  assert_sql (path,
              "SELECT (SELECT value FROM va_summary WHERE key='total_events') -"
              " (SELECT COUNT(*) FROM va_events WHERE kind='isr')",
              "0");
  return 0;
}

static void
test_small_disk (Fixture *fixture,
                 gconstpointer data)
{
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    _exit (fill_small_disk (fixture->dir, fixture->path));

  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    g_test_skip ("no file system of its own may be mounted here");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/recording/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("bad-files", test_bad_files);
  ADD ("damaged", test_damaged);
  ADD ("hostile-values", test_hostile_values);
  ADD ("foreign", test_foreign);
  ADD ("killed", test_killed);
  ADD ("killed-read-only", test_killed_read_only);
  ADD ("read-only-folder", test_read_only_folder);
  ADD ("cannot-create", test_cannot_create);
  ADD ("folder-read-only", test_folder_read_only);
  ADD ("written-already", test_written_already);
  ADD ("deleted-while-written", test_deleted_while_written);
  ADD ("disk-full", test_disk_full);
  ADD ("small-disk", test_small_disk);
#undef ADD

  return g_test_run ();
}
