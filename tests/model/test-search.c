/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-search.c: what a search finds, against a look at every event.
 *
 * A random recording of some blocks of rows: who acts is known from how it is made. Kinds and
 * objects come in stretches, so that whole blocks hold nothing of what is looked for.
 */
#include "config.h"

#include "recording-fixture.h"

#include "model/ts-analysis-private.h"
#include "model/ts-search.h"

#define N_TASKS 6
#define N_ROWS 52000

enum
{
  FIRST_TASK = 1,
  AN_ISR = FIRST_TASK + N_TASKS,
  A_MUTEX,
  A_QUEUE,
  A_TRACE,
  A_CHANNEL,
  N_OBJECTS = A_CHANNEL
};

static const char *const names[N_OBJECTS]
    = { "Alpha", "Beta", "Gamma", "Delta", "Motor", "Idle", "TIM2", "BusLock", "Inbox", "motor_rpm",
        "log" };
static const TsObjectType types[N_OBJECTS]
    = { TS_OBJECT_TASK,  TS_OBJECT_TASK, TS_OBJECT_TASK,  TS_OBJECT_TASK,
        TS_OBJECT_TASK,  TS_OBJECT_TASK, TS_OBJECT_ISR,   TS_OBJECT_MUTEX,
        TS_OBJECT_QUEUE, TS_OBJECT_USER_TRACE, TS_OBJECT_STRING_CHANNEL };

/** One event, and what a search may know of it. */
typedef struct
{
  TsEvent event;
  guint32 actor;
  const char *text;
} Made;

typedef struct
{
  char *dir;
  char *path;
  GArray *made; /* Made, row - 1 */
  TsRecording *recording;
  GRand *random;
} Fixture;

static void
make_events (Fixture *self,
             TsEventSink *sink)
{
  static const char *const texts[] = { "overrun", "Motor started", "ready" };
  guint32 text_ids[G_N_ELEMENTS (texts)];
  guint32 running = FIRST_TASK;
  gboolean is_in_isr = FALSE;
  gint64 time = 0;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    text_ids[i] = sink->iface->intern (sink, texts[i], -1);

  for (guint i = 0; i < N_ROWS; i++)
    {
      Made made = { .event = { .time = time } };
      TsEvent *event = &made.event;
      gint what = g_rand_int_range (self->random, 0, 100);
      gboolean is_mutex_time = i > 20000 && i < 27000;

      if (what < 30 && !is_in_isr)
        {
          event->kind = TS_EVENT_TASK_SWITCH;
          /* Delta hardly ever runs. */
          running = FIRST_TASK + (guint32) g_rand_int_range (self->random, 0, N_TASKS);
          if (running == FIRST_TASK + 3 && i % 6000 > 300)
            running = FIRST_TASK;
          event->object = running;
          event->flags = TS_EVENT_FLAG_START;
        }
      else if (what < 45)
        {
          is_in_isr = !is_in_isr;
          event->kind = TS_EVENT_ISR;
          event->object = AN_ISR;
          event->flags = is_in_isr ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
        }
      else if (what < 60)
        {
          event->kind = is_mutex_time ? TS_EVENT_MUTEX : TS_EVENT_QUEUE;
          event->object = is_mutex_time ? A_MUTEX : A_QUEUE;
          event->flags = what % 2 != 0 ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
          made.actor = is_in_isr ? AN_ISR : running;
        }
      else if (what < 95 || i % 7000 > 20)
        {
          event->kind = TS_EVENT_USER_TRACE;
          event->object = A_TRACE;
          event->value = g_rand_int_range (self->random, 0, 1000);
        }
      else
        {
          guint k = (guint) g_rand_int_range (self->random, 0, G_N_ELEMENTS (texts));

          event->kind = TS_EVENT_STRING;
          event->object = A_CHANNEL;
          event->flags = TS_EVENT_FLAG_TEXT;
          event->detail = (gint64) text_ids[k] << 32;
          made.text = texts[k];
        }
      g_array_append_val (self->made, made);
      sink->iface->events (sink, event, 1);
      time += g_rand_int_range (self->random, 0, 4);
    }
}

static void
set_up (Fixture *self)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer;
  TsEventSink *sink;

  g_test_message ("seed %u", seed);
  self->random = g_rand_new_with_seed (seed);
  self->made = g_array_new (FALSE, FALSE, sizeof (Made));
  self->dir = fixture_dir ();
  self->path = g_build_filename (self->dir, "search.vadb", NULL);
  writer = ts_recording_writer_new (self->path, NULL, &error);
  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, FIXTURE_HZ);
  for (guint i = 0; i < N_OBJECTS; i++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = types[i];
      object.name = (char *) names[i];
      object.priority = types[i] == TS_OBJECT_TASK ? (gint64) i : TS_OBJECT_UNKNOWN;
      object.wire_id = (gint32) i;
      object.is_named = TRUE;
      object.is_idle = i == N_TASKS - 1;
      sink->iface->define_object (sink, &object);
    }
  make_events (self, sink);
  g_assert_true (ts_recording_writer_close (writer, NULL, &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
  self->recording = ts_recording_open (self->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (self->recording), ==, N_ROWS);
}

static void
tear_down (Fixture *self)
{
  g_object_unref (self->recording);
  fixture_remove_dir (self->dir);
  g_array_unref (self->made);
  g_rand_free (self->random);
  g_free (self->dir);
  g_free (self->path);
}

/* ---- what each search means ---- */

static gboolean
is_switch_to_beta (const Made *made)
{
  return made->event.kind == TS_EVENT_TASK_SWITCH && made->event.object == FIRST_TASK + 1;
}

static gboolean
is_mutex_of_delta (const Made *made)
{
  return made->event.kind == TS_EVENT_MUTEX && made->actor == FIRST_TASK + 3;
}

static gboolean
is_of_gamma (const Made *made)
{
  return made->event.object == FIRST_TASK + 2 || made->actor == FIRST_TASK + 2;
}

static gboolean
is_queue_of_interrupt (const Made *made)
{
  return made->event.kind == TS_EVENT_QUEUE && made->actor == AN_ISR;
}

/* A word may be in a name, a kind or a text. */
static gboolean
is_motor (const Made *made)
{
  return made->event.object == FIRST_TASK + 4 || made->event.object == A_TRACE
         || (made->text != NULL && strstr (made->text, "Motor") != NULL);
}

static gboolean
is_overrun (const Made *made)
{
  return made->text != NULL && strcmp (made->text, "overrun") == 0;
}

static gboolean
is_large (const Made *made)
{
  return made->event.kind == TS_EVENT_USER_TRACE && made->event.value >= 998;
}

static gboolean
is_urgent (const Made *made)
{
  return made->event.object >= FIRST_TASK + 4 && made->event.object < AN_ISR;
}

static gboolean
is_mutex (const Made *made)
{
  return made->event.kind == TS_EVENT_MUTEX;
}

static gboolean
is_none (const Made *made)
{
  return FALSE;
}

static const struct
{
  const char *text;
  gboolean (*matches) (const Made *made);
} searches[] = {
  { "kind:task_switch lane:beta", is_switch_to_beta },
  { "task:Delta kind:mutex", is_mutex_of_delta },
  { "task:gamma", is_of_gamma },
  { "kind:queue task:TIM2", is_queue_of_interrupt },
  { "motor", is_motor },
  { "text:overrun", is_overrun },
  { "motor_rpm value>=998", is_large },
  { "prio>=4", is_urgent },
  { "mutex core=0", is_mutex },
  { "mutex core=1", is_none },
  { "kind:semaphore", is_none },
  { "task:Beta kind:semaphore", is_none },
};

static GArray *
find_brute_force (const Fixture *self,
                  gboolean (*matches) (const Made *made))
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < self->made->len; i++)
    {
      guint64 row = i + 1;

      if (matches (&g_array_index (self->made, Made, i)))
        g_array_append_val (rows, row);
    }
  return rows;
}

static gint64
time_of_row (const Fixture *self,
             guint64 row)
{
  return g_array_index (self->made, Made, row - 1).event.time;
}

/* From random places in both directions, and from hit to hit. */
static void
check_steps (Fixture *self,
             TsSearch *search,
             const GArray *rows)
{
  g_autoptr (GError) error = NULL;
  gint64 end = time_of_row (self, N_ROWS);

  for (guint i = 0; i < 6; i++)
    {
      gint64 time = i == 0 ? 0 : i == 1 ? end + 1 : g_rand_int_range (self->random, 0, (gint32) end);
      TsSearchHit hit;
      guint at = 0;
      guint walked = 0;

      while (at < rows->len && time_of_row (self, g_array_index (rows, guint64, at)) < time)
        at++;
      if (ts_search_find (search, self->recording, time, 1, &hit, NULL, &error))
        {
          g_assert_cmpuint (at, <, rows->len);
          g_assert_cmpuint (hit.row, ==, g_array_index (rows, guint64, at));
          g_assert_cmpint (hit.begin, ==, time_of_row (self, hit.row));
        }
      else
        g_assert_cmpuint (at, ==, rows->len);
      g_assert_no_error (error);

      if (!ts_search_find (search, self->recording, time, -1, &hit, NULL, &error))
        {
          g_assert_no_error (error);
          g_assert_cmpuint (at, ==, 0);
          continue;
        }
      g_assert_cmpuint (at, >, 0);
      g_assert_cmpuint (hit.row, ==, g_array_index (rows, guint64, --at));
      for (; walked < 5 && at > 0; walked++)
        {
          g_assert_true (ts_search_find_from (search, self->recording, &hit, -1, &hit, NULL,
                                              &error));
          g_assert_cmpuint (hit.row, ==, g_array_index (rows, guint64, --at));
        }
      for (walked = 0; walked < 9 && at + 1 < rows->len; walked++)
        {
          g_assert_true (ts_search_find_from (search, self->recording, &hit, 1, &hit, NULL,
                                              &error));
          g_assert_cmpuint (hit.row, ==, g_array_index (rows, guint64, ++at));
        }
      if (at + 1 == rows->len)
        g_assert_false (ts_search_find_from (search, self->recording, &hit, 1, &hit, NULL, &error));
      g_assert_no_error (error);
    }
}

static void
check_searches (Fixture *self,
                gboolean with_steps)
{
  guint n_with_hits = 0;

  for (guint i = 0; i < G_N_ELEMENTS (searches); i++)
    {
      g_autoptr (GArray) rows = find_brute_force (self, searches[i].matches);
      g_autoptr (GError) error = NULL;
      g_autoptr (TsSearch) search = ts_search_new (searches[i].text, &error);
      g_autoptr (TsSearchResult) all = NULL;
      g_autoptr (TsSearchResult) few = NULL;

      g_test_message ("%s: %u", searches[i].text, rows->len);
      g_assert_no_error (error);
      n_with_hits += rows->len > 0;
      all = ts_search_run (search, self->recording, N_ROWS, NULL, &error);
      g_assert_no_error (error);
      g_assert_false (all->are_slices);
      g_assert_cmpuint (all->n_found, ==, rows->len);
      g_assert_cmpuint (all->hits->len, ==, rows->len);
      for (guint k = 0; k < rows->len; k++)
        {
          const TsSearchHit *hit = &g_array_index (all->hits, TsSearchHit, k);
          guint64 row = g_array_index (rows, guint64, k);

          g_assert_cmpuint (hit->row, ==, row);
          g_assert_cmpint (hit->begin, ==, time_of_row (self, row));
          g_assert_cmpint (hit->end, ==, hit->begin);
          g_assert_cmpuint (hit->lane, ==, g_array_index (self->made, Made, row - 1).event.object);
        }

      /* What is not kept is counted all the same. */
      few = ts_search_run (search, self->recording, 3, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (few->n_found, ==, rows->len);
      g_assert_cmpuint (few->hits->len, ==, MIN (rows->len, 3));
      if (with_steps)
        check_steps (self, search, rows);
    }
  /* What is random may leave one of them without a hit. */
  g_assert_cmpuint (n_with_hits, >, G_N_ELEMENTS (searches) / 2);
}

static void
test_events (void)
{
  Fixture fixture = { 0 };

  set_up (&fixture);
  check_searches (&fixture, TRUE);
  tear_down (&fixture);
}

/* Summaries only say what need not be read: without them, and with damaged ones, the same is
 * found. */
static void
test_summaries (void)
{
  static const char *const damage[] = {
    "DELETE FROM ts_row_blocks WHERE first>20000",
    "UPDATE ts_row_blocks SET data=substr(data,1,length(data)/2)",
    "UPDATE ts_row_blocks SET data=x'01ffffffff7f00'",
    "DROP TABLE ts_row_blocks",
  };
  Fixture fixture = { 0 };
  g_autofree char *n_blocks = NULL;

  set_up (&fixture);
  n_blocks = fixture_sql (fixture.path, "SELECT count(*),min(first),max(first) FROM ts_row_blocks");
  g_assert_cmpstr (n_blocks, ==, "3|1|32769");
  for (guint i = 0; i < G_N_ELEMENTS (damage); i++)
    {
      sqlite3 *db = NULL;
      g_autoptr (GError) error = NULL;

      g_clear_object (&fixture.recording);
      g_assert_cmpint (sqlite3_open (fixture.path, &db), ==, SQLITE_OK);
      g_assert_cmpint (sqlite3_exec (db, damage[i], NULL, NULL, NULL), ==, SQLITE_OK);
      sqlite3_close (db);
      fixture.recording = ts_recording_open (fixture.path, &error);
      g_assert_no_error (error);
      check_searches (&fixture, FALSE);
    }
  tear_down (&fixture);
}

static void
assert_same_hit (const TsSearchHit *left,
                 const TsSearchHit *right)
{
  g_assert_cmpint (left->begin, ==, right->begin);
  g_assert_cmpint (left->end, ==, right->end);
  g_assert_cmpuint (left->row, ==, right->row);
  g_assert_cmpuint (left->lane, ==, right->lane);
}

/* What each search means of a slice; a tick is 100 ns. */
static gboolean
is_long_run (const TsLaneInfo *lane,
             const TsSlice *slice)
{
  return slice->state == TS_STATE_RUNNING && slice->end - slice->begin >= 15;
}

static gboolean
is_short_run_of_alpha (const TsLaneInfo *lane,
                       const TsSlice *slice)
{
  return strstr (lane->name, "Alpha") != NULL && slice->state == TS_STATE_RUNNING
         && slice->end - slice->begin <= 1;
}

static gboolean
is_ready (const TsLaneInfo *lane,
          const TsSlice *slice)
{
  return slice->state == TS_STATE_READY;
}

static gboolean
is_long_interrupt (const TsLaneInfo *lane,
                   const TsSlice *slice)
{
  return strstr (lane->name, "TIM2") != NULL && slice->state == TS_STATE_RUNNING
         && slice->end - slice->begin >= 10;
}

static gboolean
is_long_wait (const TsLaneInfo *lane,
              const TsSlice *slice)
{
  return slice->state == TS_STATE_READY && slice->end - slice->begin > 250;
}

static gboolean
is_nobody (const TsLaneInfo *lane,
           const TsSlice *slice)
{
  return FALSE;
}

static const struct
{
  const char *text;
  gboolean (*matches) (const TsLaneInfo *lane,
                       const TsSlice *slice);
} slice_searches[] = {
  { "dur>=1.5us", is_long_run },
  { "lane:Alpha state:running dur<=100ns", is_short_run_of_alpha },
  { "state:ready", is_ready },
  { "task:TIM2 dur>=1us", is_long_interrupt },
  { "state:ready dur>25us", is_long_wait },
  { "lane:nobody dur>1ns", is_nobody },
};

/* Slices that match, by a walk through all there are. */
static guint64
count_slices (TsRecording *recording,
              gboolean (*matches) (const TsLaneInfo *lane,
                                   const TsSlice *slice))
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  guint64 n = 0;

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsSlice *slice;

      if (lanes[i].kind != TS_LANE_TASK && lanes[i].kind != TS_LANE_ISR)
        continue;
      _ts_slice_cursor_init (cursor, recording, lanes[i].id, 0, G_MAXINT64);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        n += matches (&lanes[i], slice);
    }
  return n;
}

/* Slices: the same steps as a look at every slice gives. */
static void
test_slices (void)
{
  Fixture self = { 0 };

  set_up (&self);
  for (guint i = 0; i < G_N_ELEMENTS (slice_searches); i++)
    {
      const char *text = slice_searches[i].text;
      g_autoptr (GError) error = NULL;
      g_autoptr (TsSearch) search = ts_search_new (text, &error);
      g_autoptr (TsSearchResult) all = ts_search_run (search, self.recording, N_ROWS, NULL, &error);
      g_autoptr (TsSearchResult) few = ts_search_run (search, self.recording, 5, NULL, &error);
      TsSearchHit hit;
      guint n = 0;

      g_test_message ("%s: %" G_GUINT64_FORMAT, text, all->n_found);
      g_assert_no_error (error);
      g_assert_true (ts_search_wants_slices (search) && all->are_slices);
      g_assert_cmpuint (all->n_found, ==, count_slices (self.recording, slice_searches[i].matches));
      g_assert_cmpuint (all->n_found, ==, all->hits->len);
      g_assert_cmpuint (few->n_found, ==, all->n_found);
      g_assert_cmpuint (few->hits->len, ==, MIN (all->hits->len, 5));
      for (guint k = 0; k < few->hits->len; k++)
        assert_same_hit (&g_array_index (few->hits, TsSearchHit, k),
                         &g_array_index (all->hits, TsSearchHit, k));

      /* From the first to the last, and back. Runs of no tick that begin together are one place. */
      for (guint k = 1; k < all->hits->len;)
        {
          const TsSearchHit *hits = &g_array_index (all->hits, TsSearchHit, k - 1);

          if (hits[0].begin == hits[1].begin && hits[0].end == hits[1].end
              && hits[0].lane == hits[1].lane)
            g_array_remove_index (all->hits, k);
          else
            k++;
        }
      if (!ts_search_find (search, self.recording, 0, 1, &hit, NULL, &error))
        {
          g_assert_cmpuint (all->hits->len, ==, 0);
          continue;
        }
      do
        assert_same_hit (&hit, &g_array_index (all->hits, TsSearchHit, n++));
      while (ts_search_find_from (search, self.recording, &hit, 1, &hit, NULL, &error));
      g_assert_cmpuint (n, ==, all->hits->len);
      while (--n > 0)
        {
          g_assert_true (ts_search_find_from (search, self.recording, &hit, -1, &hit, NULL,
                                              &error));
          assert_same_hit (&hit, &g_array_index (all->hits, TsSearchHit, n - 1));
        }
      g_assert_false (ts_search_find_from (search, self.recording, &hit, -1, &hit, NULL, &error));
      g_assert_no_error (error);
    }
  tear_down (&self);
}

static void
test_cancelled (void)
{
  Fixture self = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsSearch) search = ts_search_new ("motor", NULL);
  g_autoptr (TsSearchResult) result = NULL;
  g_autoptr (GError) error = NULL;
  TsSearchHit hit;

  set_up (&self);
  g_cancellable_cancel (cancellable);
  g_assert_false (ts_search_find (search, self.recording, 0, 1, &hit, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  result = ts_search_run (search, self.recording, 10, cancellable, &error);
  g_assert_null (result);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  tear_down (&self);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/search/events", test_events);
  g_test_add_func ("/model/search/summaries", test_summaries);
  g_test_add_func ("/model/search/slices", test_slices);
  g_test_add_func ("/model/search/cancelled", test_cancelled);
  return g_test_run ();
}
