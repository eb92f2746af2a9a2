/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tracker-fixture.h: a small target whose events are written by hand. */
#pragma once

#include "model/ts-recording.h"
#include "model/ts-tracker-private.h"

/* Objects that every scenario knows. */
enum
{
  IDLE = 1, /* priority 0 */
  LOW,      /* priority 2 */
  MID,      /* priority 4 */
  HIGH,     /* priority 6 */
  SYSTICK,
  IRQ21,
  QUEUE,
  MUTEX,
  SEM,
  TRACE,
  TOGGLE,
  SPAN,
  CHANNEL,
  N_OBJECTS
};

#define START TS_EVENT_FLAG_START
#define END TS_EVENT_FLAG_END

typedef struct
{
  TsLaneStore *store;
  TsTracker *tracker;
  TsLaneReader *reader;
  gint64 now;
} Scene;

static inline void
set_up_with (Scene *scene,
             gboolean knows_idle)
{
  static const struct
  {
    TsObjectType type;
    const char *name;
    gint64 priority;
  } objects[N_OBJECTS] = {
    [IDLE] = { TS_OBJECT_TASK, "IDLE", 0 },
    [LOW] = { TS_OBJECT_TASK, "Low", 2 },
    [MID] = { TS_OBJECT_TASK, "Mid", 4 },
    [HIGH] = { TS_OBJECT_TASK, "High", 6 },
    [SYSTICK] = { TS_OBJECT_ISR, "SysTick", TS_OBJECT_UNKNOWN },
    [IRQ21] = { TS_OBJECT_ISR, "IRQ 21", TS_OBJECT_UNKNOWN },
    [QUEUE] = { TS_OBJECT_QUEUE, "Q", TS_OBJECT_UNKNOWN },
    [MUTEX] = { TS_OBJECT_MUTEX, "M", TS_OBJECT_UNKNOWN },
    [SEM] = { TS_OBJECT_BINARY_SEM, "S", TS_OBJECT_UNKNOWN },
    [TRACE] = { TS_OBJECT_USER_TRACE, "speed", TS_OBJECT_UNKNOWN },
    [TOGGLE] = { TS_OBJECT_USER_TOGGLE, "led", TS_OBJECT_UNKNOWN },
    [SPAN] = { TS_OBJECT_USER_EVENT, "step", TS_OBJECT_UNKNOWN },
    [CHANNEL] = { TS_OBJECT_STRING_CHANNEL, "log", TS_OBJECT_UNKNOWN },
  };

  scene->store = ts_lane_store_new ();
  scene->tracker = ts_tracker_new (scene->store);
  scene->reader = ts_lane_reader_new_live (scene->store, NULL, NULL);
  scene->now = 0;
  ts_tracker_set_os (scene->tracker, "FreeRTOS");
  for (guint32 id = 1; id < N_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;
      g_autofree char *name = g_strdup (objects[id].name);

      object.id = id;
      object.type = objects[id].type;
      object.name = name;
      object.priority = objects[id].priority;
      object.is_idle = id == IDLE && knows_idle;
      ts_tracker_set_object (scene->tracker, &object);
    }
}

static inline void
set_up (Scene *scene,
        gconstpointer data)
{
  set_up_with (scene, TRUE);
}

static inline void
tear_down (Scene *scene,
           gconstpointer data)
{
  ts_lane_reader_free (scene->reader);
  ts_tracker_free (scene->tracker);
  ts_lane_store_unref (scene->store);
}

static inline void
event (Scene *scene,
       gint64 time,
       guint kind,
       guint32 object,
       guint flags,
       gint64 value,
       gint64 detail)
{
  TsEvent e = { .time = time,
                .object = object,
                .kind = (guint16) kind,
                .flags = (guint8) flags,
                .value = value,
                .detail = detail };

  ts_tracker_events (scene->tracker, &e, 1);
  scene->now = time;
}

static inline void
in (Scene *scene,
    gint64 time,
    guint32 task)
{
  event (scene, time, TS_EVENT_TASK_SWITCH, task, START, 0, 0);
}

static inline void
out (Scene *scene,
     gint64 time,
     guint32 task)
{
  event (scene, time, TS_EVENT_TASK_SWITCH, task, END, 0, 0);
}

static inline void
isr (Scene *scene,
     gint64 time,
     guint32 id,
     guint side)
{
  event (scene, time, TS_EVENT_ISR, id, side, 0, 0);
}

typedef struct
{
  gint64 begin;
  gint64 end;
  guint state;
  guint32 arg;
} Want;

/* What a lane shows at the end of the scene, live. */
static inline void
assert_lane (Scene *scene,
             guint32 lane,
             const Want *want,
             guint n_want)
{
  g_autofree TsColumn *columns = g_new (TsColumn, 1000);
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));

  ts_tracker_publish_open (scene->tracker);
  ts_lane_store_publish (scene->store, scene->now);
  ts_lane_reader_sync (scene->reader);
  g_assert_cmpint (
      ts_lane_reader_query (scene->reader, lane, 0, scene->now + 1, 1000, columns, slices, 0, NULL),
      ==, TS_LANE_DETAIL_SLICES);
  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *s = &g_array_index (slices, TsSlice, i);

      g_test_message ("lane %u: %" G_GINT64_FORMAT " .. %" G_GINT64_FORMAT
                      " state %u arg %u kind %x",
                      lane, s->begin, s->end, s->state, s->arg, s->kind);
    }
  g_assert_cmpuint (slices->len, ==, n_want);
  for (guint i = 0; i < n_want; i++)
    {
      const TsSlice *s = &g_array_index (slices, TsSlice, i);

      g_assert_cmpint (s->begin, ==, want[i].begin);
      g_assert_cmpint (s->end, ==, want[i].end);
      g_assert_cmpuint (s->state, ==, want[i].state);
      /* Of a running one it is what interrupts took, of a ready one whether it was chosen again. */
      if (s->state != TS_STATE_RUNNING && s->state != TS_STATE_READY)
        g_assert_cmpuint (s->arg, ==, want[i].arg);
    }
}

#define ASSERT_LANE(scene, lane, ...) \
  G_STMT_START { \
    const Want want_[] = { __VA_ARGS__ }; \
    assert_lane (scene, lane, want_, G_N_ELEMENTS (want_)); \
  } G_STMT_END

static inline const TsTaskStats *
find_stats (Scene *scene,
            guint32 lane)
{
  guint n;
  const TsTaskStats *stats = ts_tracker_get_task_stats (scene->tracker, &n);

  for (guint i = 0; i < n; i++)
    if (stats[i].lane == lane)
      return &stats[i];
  g_assert_not_reached ();
}

static inline gint64
interrupted_ticks (Scene *scene,
                   guint32 lane)
{
  g_autofree TsColumn *columns = g_new (TsColumn, 1);
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));

  /* A single column never answers with slices where there are any. */
  ts_lane_store_publish (scene->store, scene->now);
  ts_lane_reader_sync (scene->reader);
  g_assert_cmpint (
      ts_lane_reader_query (scene->reader, lane, 0, scene->now + 1, 1, columns, slices, 0, NULL),
      ==, TS_LANE_DETAIL_COLUMNS);
  return columns[0].ticks[TS_STATE_INTERRUPTED];
}
