/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-comms.c: who gave what to whom: against searching, and sums of chunks against walking. */
#include "config.h"

#include <glib/gstdio.h>

#include "analysis-fixture.h"
#include "model/ts-comms-private.h"
#include "model/ts-index.h"

#define N_RECORDINGS 12
#define N_WINDOWS 8

/* ---- against searching ---- */

typedef struct
{
  gint64 count;
  gint64 n_blocked;
  gint64 max;
} PathSum;

/* All transfers of a path that end in the range, by looking for each take's give. */
static PathSum
sum_path (const Sim *sim,
          guint32 producer,
          guint32 object,
          guint32 consumer,
          gint64 begin,
          gint64 end)
{
  TsObjectType type = sim_types[object - SIM_OBJECT (0)];
  g_autofree gboolean *used = g_new0 (gboolean, sim->operations->len);
  PathSum sum = { 0, 0, -1 };

  for (guint i = 0; i < sim->operations->len; i++)
    {
      const SimOperation *take = &g_array_index (sim->operations, SimOperation, i);
      gint found = -1;

      if (take->object != object || take->is_failed || take->time >= end)
        continue;
      if (take->is_give)
        continue;

      if (type == TS_OBJECT_MUTEX || type == TS_OBJECT_EVENT_FLAG)
        {
          for (guint k = 0; k < i; k++)
            {
              const SimOperation *give = &g_array_index (sim->operations, SimOperation, k);

              if (give->object == object && give->is_give && !give->is_failed)
                found = (gint) k;
            }
        }
      else
        {
          for (guint k = 0; k < i && found < 0; k++)
            {
              const SimOperation *give = &g_array_index (sim->operations, SimOperation, k);

              if (give->object == object && give->is_give && !give->is_failed && !used[k])
                found = (gint) k;
            }
          if (found >= 0)
            used[found] = TRUE;
        }

      {
        const SimOperation *give
            = found >= 0 ? &g_array_index (sim->operations, SimOperation, found) : NULL;
        guint32 giver = give != NULL ? give->actor : 0;

        if (take->actor != consumer || giver != producer || take->time < begin)
          continue;
        if (type == TS_OBJECT_MUTEX && (giver == 0 || giver == consumer))
          continue;
        sum.count++;
        sum.n_blocked += take->is_blocked;
        /* A mutex that was free has no latency. */
        if (give != NULL && (type != TS_OBJECT_MUTEX || take->is_blocked))
          sum.max = MAX (sum.max, take->time - give->time);
      }
    }
  return sum;
}

#define BUCKET 500

/* What there was when each stretch of time began, and the most that was in it. */
static void
check_depths (const Sim *sim,
              const TsComms *comms,
              const TsResource *resource,
              gint64 least)
{
  g_assert_nonnull (resource->depths);
  for (guint k = 0; k < comms->n_buckets; k++)
    {
      gint64 begin = comms->begin + (gint64) k * BUCKET;
      gint64 depth = 0;
      gint64 most = 0;

      for (guint i = 0; i < sim->operations->len; i++)
        {
          const SimOperation *operation = &g_array_index (sim->operations, SimOperation, i);

          if (operation->object != resource->object || operation->is_failed
              || operation->time >= MIN (begin + BUCKET, comms->end))
            continue;
          depth += operation->is_give ? 1 : -1;
          most = operation->time < begin ? depth : MAX (most, depth);
        }
      g_assert_cmpint (resource->depths[k], ==, most - least);
    }
}

static void
check_resource (const Sim *sim,
                const TsComms *comms,
                const TsResource *resource,
                gint64 begin,
                gint64 end)
{
  guint64 given = 0;
  guint64 taken = 0;
  guint64 failed_gives = 0;
  guint64 failed_takes = 0;
  gint64 depth = 0;
  gint64 least = 0;
  gint64 most = 0;
  gboolean has_begun = FALSE;

  for (guint i = 0; i < sim->operations->len; i++)
    {
      const SimOperation *operation = &g_array_index (sim->operations, SimOperation, i);

      if (operation->object != resource->object || operation->time >= end)
        continue;
      if (operation->time >= begin)
        {
          if (!has_begun)
            most = depth;
          has_begun = TRUE;
          given += operation->is_give && !operation->is_failed;
          taken += !operation->is_give && !operation->is_failed;
          failed_gives += operation->is_give && operation->is_failed;
          failed_takes += !operation->is_give && operation->is_failed;
        }
      if (!operation->is_failed)
        depth += operation->is_give ? 1 : -1;
      least = MIN (least, depth);
      if (has_begun)
        most = MAX (most, depth);
    }
  g_assert_cmpuint (resource->given, ==, given);
  g_assert_cmpuint (resource->taken, ==, taken);
  g_assert_cmpuint (resource->failed_gives, ==, failed_gives);
  g_assert_cmpuint (resource->failed_takes, ==, failed_takes);
  if (resource->has_depth)
    {
      g_assert_cmpint (resource->pending, ==, depth - least);
      g_assert_cmpint (resource->max_depth, ==, most - least);
      check_depths (sim, comms, resource, least);
    }
}

/* Whether a transfer is one, by looking for each take's give. */
static gboolean
is_transfer (const Sim *sim,
             const TsTransfer *transfer)
{
  TsObjectType type = sim_types[transfer->resource - SIM_OBJECT (0)];
  gboolean is_last = type == TS_OBJECT_MUTEX || type == TS_OBJECT_EVENT_FLAG;
  g_autofree gboolean *used = g_new0 (gboolean, sim->operations->len);

  for (guint i = 0; i < sim->operations->len; i++)
    {
      const SimOperation *take = &g_array_index (sim->operations, SimOperation, i);
      gint found = -1;

      if (take->object != transfer->resource || take->is_failed || take->is_give)
        continue;
      for (guint k = 0; k < i && (is_last || found < 0); k++)
        {
          const SimOperation *give = &g_array_index (sim->operations, SimOperation, k);

          if (give->object == transfer->resource && give->is_give && !give->is_failed && !used[k])
            found = (gint) k;
        }
      if (found < 0)
        continue;
      if (!is_last)
        used[found] = TRUE;
      {
        const SimOperation *give = &g_array_index (sim->operations, SimOperation, found);

        if (take->time == transfer->take_time && take->actor == transfer->consumer
            && give->time == transfer->give_time && give->actor == transfer->producer)
          return TRUE;
      }
    }
  return FALSE;
}

/* The slowest transfer of a path, found from both its ends; others may have the same end. */
static void
check_transfer (const Sim *sim,
                TsRecording *recording,
                const TsPath *path)
{
  g_autoptr (GError) error = NULL;
  TsTransfer transfer;

  g_assert_true (ts_comms_find_transfer (recording, path->resource, path->consumer, path->max_end,
                                         FALSE, &transfer, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (transfer.take_time, ==, path->max_end);
  g_assert_cmpuint (transfer.consumer, ==, path->consumer);
  g_assert_true (is_transfer (sim, &transfer));
  g_assert_true (ts_comms_find_transfer (recording, path->resource, 0, path->max_begin, TRUE,
                                         &transfer, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (transfer.give_time, ==, path->max_begin);
  g_assert_cmpint (transfer.take_time, <=, path->max_end);
  g_assert_true (is_transfer (sim, &transfer));
}

static void
check_comms (const Sim *sim,
             TsRecording *recording,
             gint64 begin,
             gint64 end,
             guint64 max_exact)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsComms) comms
      = _ts_comms_new_with_limit (recording, begin, end, BUCKET, max_exact,
                                  TS_COMMS_BYTES_PER_PART_SHARE, NULL, &error);
  gint64 n_mutex = 0;
  gint64 n = 0;

  g_assert_no_error (error);
  g_assert_true (comms->is_exact || max_exact == 0);
  for (guint k = 0; k < comms->paths->len; k++)
    {
      const TsPath *path = &g_array_index (comms->paths, TsPath, k);
      PathSum sum = sum_path (sim, path->producer, path->resource, path->consumer, begin, end);

      g_assert_false (path->is_notification);
      g_assert_cmpint (path->count, ==, sum.count);
      g_assert_cmpint (path->n_blocked, ==, sum.n_blocked);
      g_assert_cmpint (path->max, ==, sum.max);
      g_assert_cmpint (path->p50, <=, path->p99);
      g_assert_cmpint (path->p99, <=, path->max);
      if (sim_is_lock (path->resource))
        n_mutex += sum.count;
      else
        n += sum.count;
      if (path->max >= 0 && path->producer != 0)
        check_transfer (sim, recording, path);
    }
  /* No transfer is left out: but for mutexes, each take is one. */
  for (guint k = 0; k < comms->resources->len; k++)
    {
      const TsResource *resource = &g_array_index (comms->resources, TsResource, k);

      check_resource (sim, comms, resource, begin, end);
      if (!sim_is_lock (resource->object))
        n -= (gint64) resource->taken;
    }
  g_assert_cmpint (n, ==, 0);
  g_assert_cmpint (n_mutex, >=, 0);
}

static void
test_searching (void)
{
  for (guint i = 0; i < N_RECORDINGS; i++)
    {
      guint32 seed = g_test_rand_int ();
      Sim *sim = sim_new (seed);
      guint chunk_steps = (guint) g_test_rand_int_range (1, 60);
      g_autoptr (TsRecording) recording
          = sim_record_in_chunks (sim, i % 3 == 0 ? 0 : chunk_steps);

      g_test_message ("seed %u, chunks of %u", seed, i % 3 == 0 ? 0 : chunk_steps);
      check_comms (sim, recording, 0, G_MAXINT64, G_MAXUINT64);
      check_comms (sim, recording, 0, G_MAXINT64, 0);
      for (guint k = 0; k < N_WINDOWS; k++)
        {
          gint64 begin = g_test_rand_int_range (0, (gint32) sim->end);
          gint64 end = g_test_rand_int_range ((gint32) begin, (gint32) sim->end + 2);

          check_comms (sim, recording, begin, end, G_MAXUINT64);
          check_comms (sim, recording, begin, end, 0);
        }
      sim_free (sim);
    }
}

/* ---- sums of chunks against walking ---- */

#define N_TASKS 5
#define N_ISRS 3
#define N_OBJECTS 8

static const TsObjectType object_types[N_OBJECTS]
    = { TS_OBJECT_SEMAPHORE,  TS_OBJECT_QUEUE,         TS_OBJECT_MUTEX,      TS_OBJECT_EVENT_FLAG,
        TS_OBJECT_BINARY_SEM, TS_OBJECT_STREAM_BUFFER, TS_OBJECT_EVENT_FLAG, TS_OBJECT_COUNTING_SEM };

/* What the first ones say is followed by the name of the task that runs. */
#define N_NAMED 6
static const char *const texts[]
    = { "send 4",    "receive 4", "send failed, full", "set 3",        "wait ok 3", "take timeout",
        "increment", "no action", "set deferred 1",    "take",         "send 1",    "receive 1",
        "trigger level 4" };

static TsEvent
random_event (GRand *rand,
              gint64 time,
              guint32 running)
{
  TsEvent event = { .time = time };
  guint32 task = (guint32) g_rand_int_range (rand, 1, N_TASKS + 1);
  guint32 object = (guint32) g_rand_int_range (rand, 0, N_OBJECTS);
  guint32 first = N_TASKS + N_ISRS + 1;

  event.flags = g_rand_boolean (rand) ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
  switch (g_rand_int_range (rand, 0, 12))
    {
    case 0:
    case 1:
    case 2:
      event.kind = TS_EVENT_TASK_SWITCH;
      event.object = task;
      break;
    case 3:
    case 4:
      event.kind = TS_EVENT_ISR;
      event.object = (guint32) g_rand_int_range (rand, N_TASKS + 1, (gint32) first);
      break;
    case 5:
      event.kind = TS_EVENT_TASK_NOTIFY;
      event.object = running;
      if (running == 0)
        event.flags = TS_EVENT_FLAG_START;
      event.detail = g_rand_int_range (rand, 1, N_TASKS + 1);
      break;
    case 6:
      event.kind = (guint16) (g_rand_boolean (rand) && running != 0 ? TS_EVENT_NOTIFY_DETAILS
                              : object_types[object] == TS_OBJECT_EVENT_FLAG
                                  ? TS_EVENT_FLAG_DETAILS
                                  : TS_EVENT_STREAM_BUFFER);
      event.object = event.kind == TS_EVENT_NOTIFY_DETAILS ? running
                     : event.kind == TS_EVENT_FLAG_DETAILS ? first + object
                                                           : first + 5;
      event.flags = TS_EVENT_FLAG_TEXT;
      event.detail = running == 0 ? g_rand_int_range (rand, N_NAMED, G_N_ELEMENTS (texts))
                                  : (gint64) running * 100 + g_rand_int_range (rand, 0, N_NAMED);
      event.detail = (event.detail + 1) << 32;
      break;
    case 7:
      event.kind = TS_EVENT_OP_FAILED;
      event.object = first + object;
      break;
    default:
      event.kind = (guint16) (object_types[object] == TS_OBJECT_QUEUE        ? TS_EVENT_QUEUE
                              : object_types[object] == TS_OBJECT_MUTEX      ? TS_EVENT_MUTEX
                              : object_types[object] == TS_OBJECT_EVENT_FLAG ? TS_EVENT_EVENT_FLAG
                                                                             : TS_EVENT_SEMAPHORE);
      event.object = first + object;
      break;
    }
  return event;
}

/* The same events, in chunks of @chunk_steps. */
static TsRecording *
record_random (guint32 seed,
               guint n_events,
               guint chunk_steps,
               const char *path)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GError *error = NULL;
  TsWriterOptions options = { .raw_format = "va-cobs", .capture_source = "file" };
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  TsRecording *recording;
  guint32 running = 0;
  gint64 time = 0;

  g_assert_no_error (error);
  if (chunk_steps > 0)
    _ts_comms_feed_set_chunk_steps (ts_tracker_get_comms (writer->tracker), chunk_steps);
  sink->iface->set_clock (sink, SIM_HZ);
  for (guint32 id = 1; id <= N_TASKS + N_ISRS + N_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;
      g_autofree char *name = g_strdup_printf (id <= N_TASKS ? "Task%u" : "Other%u", id);

      object.type = id <= N_TASKS            ? TS_OBJECT_TASK
                    : id <= N_TASKS + N_ISRS ? TS_OBJECT_ISR
                                             : object_types[id - N_TASKS - N_ISRS - 1];
      object.wire_id = (gint32) id;
      object.name = name;
      object.is_named = TRUE;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
    }
  for (guint i = 0; i < N_TASKS * 100 + N_NAMED + 100; i++)
    {
      g_autofree char *text = i < G_N_ELEMENTS (texts) ? g_strdup (texts[i])
                              : i % 100 < N_NAMED
                                  ? g_strdup_printf ("%s by Task%u", texts[i % 100], i / 100)
                                  : g_strdup_printf ("text %u", i);

      g_assert_cmpuint (sink->iface->intern (sink, text, -1), ==, i + 1);
    }
  for (guint i = 0; i < n_events; i++)
    {
      TsEvent event = random_event (rand, time, running);

      sink->iface->events (sink, &event, 1);
      /* What an event says of its task is so: it runs, and nothing else does. */
      running = event.kind == TS_EVENT_TASK_SWITCH && (event.flags & TS_EVENT_FLAG_START) != 0
                    ? event.object
                    : 0;
      /* Ticks with several events are where orders matter. */
      if (g_rand_int_range (rand, 0, 3) > 0)
        time += g_rand_int_range (rand, 1, 30);
    }
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  return recording;
}

static void
check_near (gint64 exact,
            gint64 near)
{
  if (exact < 0)
    g_assert_cmpint (near, ==, exact);
  else
    g_assert_cmpint (ABS (near - exact) * 100, <=, exact);
}

static void
check_same (const TsComms *walked,
            const TsComms *added)
{
  g_assert_cmpuint (walked->paths->len, ==, added->paths->len);
  for (guint i = 0; i < walked->paths->len; i++)
    {
      TsPath left = g_array_index (walked->paths, TsPath, i);
      TsPath right = g_array_index (added->paths, TsPath, i);

      g_assert_cmpuint (left.producer, ==, right.producer);
      g_assert_cmpuint (left.resource, ==, right.resource);
      g_assert_cmpuint (left.consumer, ==, right.consumer);
      g_assert_cmpint (left.is_notification, ==, right.is_notification);
      g_assert_cmpuint (left.count, ==, right.count);
      g_assert_cmpuint (left.n_blocked, ==, right.n_blocked);
      g_assert_cmpint (left.max, ==, right.max);
      g_assert_cmpint (left.first, ==, right.first);
      g_assert_cmpint (left.last, ==, right.last);
      if (left.max >= 0)
        {
          g_assert_cmpint (left.max_begin, ==, right.max_begin);
          g_assert_cmpint (left.max_end, ==, right.max_end);
        }
      check_near (left.p50, right.p50);
      check_near (left.p99, right.p99);
    }
  g_assert_cmpuint (walked->resources->len, ==, added->resources->len);
  for (guint i = 0; i < walked->resources->len; i++)
    {
      const TsResource *left = &g_array_index (walked->resources, TsResource, i);
      const TsResource *right = &g_array_index (added->resources, TsResource, i);

      g_assert_cmpuint (left->object, ==, right->object);
      g_assert_cmpint (left->is_notification, ==, right->is_notification);
      g_assert_cmpuint (left->given, ==, right->given);
      g_assert_cmpuint (left->taken, ==, right->taken);
      g_assert_cmpuint (left->failed_gives, ==, right->failed_gives);
      g_assert_cmpuint (left->failed_takes, ==, right->failed_takes);
      g_assert_cmpuint (left->blocked_gives, ==, right->blocked_gives);
      g_assert_cmpuint (left->blocked_takes, ==, right->blocked_takes);
      g_assert_cmpint (left->has_depth, ==, right->has_depth);
      if (!left->has_depth)
        continue;
      g_assert_cmpint (left->pending, ==, right->pending);
      g_assert_cmpint (left->max_depth, ==, right->max_depth);
      g_assert_cmpint (left->max_depth_time, ==, right->max_depth_time);
      for (guint k = 0; k < walked->n_buckets; k++)
        g_assert_cmpint (left->depths[k], ==, right->depths[k]);
    }
}

static TsComms *
ask_in_shares (TsRecording *recording,
               gint64 begin,
               gint64 end,
               guint64 max_exact,
               gint64 bytes_per_share)
{
  g_autoptr (GError) error = NULL;
  TsComms *comms = _ts_comms_new_with_limit (recording, begin, end, 700, max_exact,
                                             bytes_per_share, NULL, &error);

  g_assert_no_error (error);
  return comms;
}

static TsComms *
ask (TsRecording *recording,
     gint64 begin,
     gint64 end,
     guint64 max_exact)
{
  return ask_in_shares (recording, begin, end, max_exact, TS_COMMS_BYTES_PER_PART_SHARE);
}

static void
check_same_percentiles (const TsComms *one,
                        const TsComms *other)
{
  for (guint i = 0; i < one->paths->len; i++)
    {
      g_assert_cmpint (g_array_index (one->paths, TsPath, i).p50, ==,
                       g_array_index (other->paths, TsPath, i).p50);
      g_assert_cmpint (g_array_index (one->paths, TsPath, i).p99, ==,
                       g_array_index (other->paths, TsPath, i).p99);
    }
}

static guint
count_chunks (const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  guint n;

  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT count(*) FROM ts_comms", -1, &stmt, NULL), ==,
                   SQLITE_OK);
  g_assert_cmpint (sqlite3_step (stmt), ==, SQLITE_ROW);
  n = (guint) sqlite3_column_int (stmt, 0);
  sqlite3_finalize (stmt);
  sqlite3_close (db);
  return n;
}

static void
run (const char *path,
     const char *sql)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

static void
test_walking (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-comms-XXXXXX", NULL);
  g_autofree char *one = g_build_filename (dir, "one.vadb", NULL);
  g_autofree char *many = g_build_filename (dir, "many.vadb", NULL);

  for (guint i = 0; i < 10; i++)
    {
      guint32 seed = g_test_rand_int ();
      guint chunk_steps = (guint) g_test_rand_int_range (1, 90);
      g_autoptr (TsRecording) walked = record_random (seed, 1500, 0, one);
      g_autoptr (TsRecording) added = record_random (seed, 1500, chunk_steps, many);
      gint64 duration = ts_recording_get_duration (walked);

      g_test_message ("seed %u, chunks of %u", seed, chunk_steps);
      g_assert_cmpuint (count_chunks (one), ==, 1);
      g_assert_cmpuint (count_chunks (many), >, 3);
      for (guint k = 0; k < 12; k++)
        {
          gint64 begin = k == 0 ? 0 : g_test_rand_int_range (0, (gint32) duration);
          gint64 end = k == 0 ? G_MAXINT64
                              : g_test_rand_int_range ((gint32) begin, (gint32) duration + 2);
          g_autoptr (TsComms) exact = ask (walked, begin, end, G_MAXUINT64);
          g_autoptr (TsComms) from_state = ask (added, begin, end, G_MAXUINT64);
          g_autoptr (TsComms) sums = ask (added, begin, end, 0);
          gint64 bytes = g_test_rand_int_range (20, 3000);
          g_autoptr (TsComms) shares = ask_in_shares (added, begin, end, 0, bytes);

          g_assert_true (exact->is_exact && from_state->is_exact);
          check_same (exact, from_state);
          check_same (exact, sums);
          check_same (exact, shares);
          check_same_percentiles (sums, shares);
        }
    }
  g_unlink (one);
  g_unlink (many);
  g_rmdir (dir);
}

/* What was written before is what a walk finds when nothing is kept; made again, it is the same. */
static void
test_older (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-comms-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  guint32 seed = g_test_rand_int ();
  g_autoptr (TsRecording) recording = record_random (seed, 2000, 50, path);
  g_autoptr (TsComms) sums = ask (recording, 0, G_MAXINT64, 0);
  g_autoptr (TsRecording) older = NULL;
  g_autoptr (TsRecording) again = NULL;
  g_autoptr (TsComms) walked = NULL;
  g_autoptr (TsComms) made = NULL;
  GError *error = NULL;

  g_test_message ("seed %u", seed);
  run (path, "DROP TABLE ts_comms");
  older = ts_recording_open (path, &error);
  g_assert_no_error (error);
  walked = ask (older, 0, G_MAXINT64, G_MAXUINT64);
  check_same (walked, sums);
  g_clear_object (&older);
  g_assert_true (ts_index_reindex (path, NULL, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_chunks (path), ==, 1);
  again = ts_recording_open (path, &error);
  made = ask (again, 0, G_MAXINT64, 0);
  check_same (walked, made);
  g_unlink (path);
  g_rmdir (dir);
}

static TsComms *
ask_all (TsRecording *recording)
{
  return _ts_comms_new_with_limit (recording, 0, G_MAXINT64, 0, 0, TS_COMMS_BYTES_PER_PART_SHARE,
                                   NULL, NULL);
}

static TsObjectType
type_of (guint32 object,
         gpointer recording)
{
  return ts_recording_get_object (recording, object)->type;
}

/* Makes the answer for a whole recording again, of many small shares. */
static void
make_total (const char *path,
            TsRecording *recording,
            gint64 bytes_per_share)
{
  sqlite3 *db = NULL;

  run (path, "DELETE FROM ts_comms WHERE id=0");
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
  g_assert_cmpint (_ts_comms_total_save (db, bytes_per_share, type_of, recording), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* The answer for a whole recording is kept: that of another is believed. It is the sum of the
 * chunks. */
static void
test_total (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-comms-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  g_autofree char *other_path = g_build_filename (dir, "other.vadb", NULL);
  g_autofree char *sql = g_strdup_printf (
      "ATTACH '%s' AS o; UPDATE ts_comms SET data=(SELECT data FROM o.ts_comms WHERE id=0) "
      "WHERE id=0",
      other_path);
  guint32 seed = g_test_rand_int ();
  g_autoptr (TsRecording) recording = record_random (seed, 2500, 50, path);
  g_autoptr (TsRecording) other = record_random (seed + 1, 2500, 50, other_path);
  g_autoptr (TsRecording) changed = NULL;
  g_autoptr (TsRecording) without = NULL;
  g_autoptr (TsComms) total = ask_all (recording);
  g_autoptr (TsComms) other_total = ask_all (other);
  g_autoptr (TsComms) believed = NULL;
  g_autoptr (TsComms) sums = NULL;

  g_test_message ("seed %u", seed);
  for (gint64 bytes = 100; bytes < 100000; bytes *= 7)
    {
      g_autoptr (TsRecording) again = NULL;
      g_autoptr (TsComms) shared_out = NULL;

      make_total (path, recording, bytes);
      again = ts_recording_open (path, NULL);
      shared_out = ask_all (again);
      check_same (shared_out, total);
    }
  run (path, sql);
  changed = ts_recording_open (path, NULL);
  believed = ask_all (changed);
  check_same (believed, other_total);
  g_clear_object (&changed);

  run (path, "DELETE FROM ts_comms WHERE id=0");
  without = ts_recording_open (path, NULL);
  sums = ask_all (without);
  check_same (sums, total);
  check_same_percentiles (sums, total);
  g_unlink (path);
  g_unlink (other_path);
  g_rmdir (dir);
}

/* Damage costs time and nothing else. */
static void
test_damaged (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-comms-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  static const char *const damages[]
      = { "UPDATE ts_comms SET data=x'' WHERE id=2",
          "UPDATE ts_comms SET data=x'02' WHERE id=2",
          "UPDATE ts_comms SET data=substr(data,1,length(data)/2) WHERE id=1",
          "UPDATE ts_comms SET data=NULL",
          "UPDATE ts_comms SET begin=begin+1 WHERE id=2",
          "UPDATE ts_comms SET end=begin WHERE id=1",
          "DELETE FROM ts_comms WHERE id=1",
          "UPDATE ts_comms SET data=x'' WHERE id=0",
          "UPDATE ts_comms SET data=x'02' WHERE id=0",
          "UPDATE ts_comms SET data=substr(data,1,length(data)/2) WHERE id=0",
          "UPDATE ts_comms SET data=(SELECT data FROM ts_comms WHERE id=1) WHERE id=0",
          "UPDATE ts_comms SET begin=1 WHERE id=0",
          "UPDATE ts_comms SET end=end-1 WHERE id=0" };
  guint32 seed = g_test_rand_int ();

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (TsRecording) recording = record_random (seed, 1200, 40, path);
      g_autoptr (TsComms) sums = ask (recording, 0, G_MAXINT64, 0);
      g_autoptr (TsRecording) damaged = NULL;
      g_autoptr (TsComms) walked = NULL;
      g_autoptr (TsComms) again = NULL;

      run (path, damages[i]);
      damaged = ts_recording_open (path, NULL);
      g_assert_nonnull (damaged);
      walked = ask (damaged, 0, G_MAXINT64, 0);
      check_same (walked, sums);
      /* And without the answer for all of it. */
      g_clear_object (&damaged);
      run (path, "DELETE FROM ts_comms WHERE id=0");
      damaged = ts_recording_open (path, NULL);
      again = ask (damaged, 0, G_MAXINT64, 0);
      check_same (again, sums);
    }

  /* Any bytes are taken, or refused. */
  for (guint i = 0; i < 160; i++)
    {
      g_autoptr (TsRecording) recording G_GNUC_UNUSED
          = i % 40 == 0 ? record_random (seed + i, 600, 60, path) : NULL;
      g_autofree char *sql = g_strdup_printf (
          "UPDATE ts_comms SET data=substr(data,1,%u)||x'%02x'||substr(data,%u)",
          g_test_rand_int_range (0, 400), g_test_rand_int_range (0, 256),
          g_test_rand_int_range (0, 400));
      g_autoptr (TsRecording) damaged = NULL;
      g_autoptr (TsComms) comms = NULL;

      run (path, sql);
      damaged = ts_recording_open (path, NULL);
      comms = ask (damaged, 0, G_MAXINT64, 0);
      g_assert_nonnull (comms);
    }
  g_unlink (path);
  g_rmdir (dir);
}

/* An object that turns out to be something else, a task that is named too late: nothing is kept. */
static void
test_doubts (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-comms-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  TsWriterOptions options = { .raw_format = "va-cobs", .capture_source = "file" };

  for (guint i = 0; i < 2; i++)
    {
      GError *error = NULL;
      TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
      TsEventSink *sink = ts_recording_writer_get_sink (writer);
      TsObject object = TS_OBJECT_INIT;
      TsEvent event = { .time = 5, .kind = TS_EVENT_QUEUE, .flags = TS_EVENT_FLAG_START };

      g_assert_no_error (error);
      _ts_comms_feed_set_chunk_steps (ts_tracker_get_comms (writer->tracker), 1);
      object.type = TS_OBJECT_QUEUE;
      object.name = (char *) "Thing";
      event.object = object.id = sink->iface->define_object (sink, &object);
      sink->iface->events (sink, &event, 1);
      event.time = 9;
      sink->iface->events (sink, &event, 1);
      if (i == 0)
        {
          object.type = TS_OBJECT_MUTEX;
          sink->iface->update_object (sink, &object);
        }
      else
        {
          event = (TsEvent){ .time = 12,
                             .kind = TS_EVENT_STREAM_BUFFER,
                             .object = object.id,
                             .flags = TS_EVENT_FLAG_TEXT };
          event.detail = (gint64) sink->iface->intern (sink, "send 1 by Late", -1) << 32;
          sink->iface->events (sink, &event, 1);
        }
      g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
      ts_recording_writer_free (writer);
      g_assert_cmpuint (count_chunks (path), ==, 0);
    }
  g_unlink (path);
  g_rmdir (dir);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/comms/against-searching", test_searching);
  g_test_add_func ("/model/comms/against-walking", test_walking);
  g_test_add_func ("/model/comms/older-recordings", test_older);
  g_test_add_func ("/model/comms/total", test_total);
  g_test_add_func ("/model/comms/damaged", test_damaged);
  g_test_add_func ("/model/comms/doubts", test_doubts);
  return g_test_run ();
}
