/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings-waits.c: tasks that waited longer than they should have, or in vain. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>

#include "ts-contention.h"
#include "ts-findings-private.h"

/* A semaphore is a lock if it was given at least so often, and by its taker in so many percent. */
#define LOCK_MIN_GIVES 10
#define LOCK_PERCENT 80
/* Takes that are remembered, to know who held a lock when a wait began. */
#define N_TAKES 32

/* ---- mutexes ---- */

gboolean
_ts_findings_contention (TsFinder *self,
                         GError **error)
{
  g_autoptr (GArray) list
      = ts_contention_list (self->recording, self->begin, self->end, self->cancellable, error);

  if (list == NULL)
    return FALSE;
  for (guint i = 0; i < list->len; i++)
    {
      const TsContention *contention = &g_array_index (list, TsContention, i);
      gint64 ticks = contention->end - contention->begin;
      g_autofree char *wait = _ts_finder_duration (self, ticks);
      g_autofree char *ran = _ts_finder_duration (self, contention->third_ticks);
      TsFinding *finding;

      if (!contention->is_inversion)
        continue;
      if (contention->third != 0)
        finding = _ts_finder_add (
            self, TS_FINDING_INVERSION, TS_SEVERITY_WARNING, contention->begin, contention->end,
            ticks, _("%s waited %s for %s, held by the less urgent %s, while %s ran for %s."),
            _ts_finder_name (self, contention->waiter), wait,
            _ts_finder_name (self, contention->mutex), _ts_finder_name (self, contention->holder),
            _ts_finder_name (self, contention->third), ran);
      else
        finding = _ts_finder_add (self, TS_FINDING_INVERSION, TS_SEVERITY_INFO, contention->begin,
                                  contention->end, ticks,
                                  _("%s waited %s for %s, held by the less urgent %s."),
                                  _ts_finder_name (self, contention->waiter), wait,
                                  _ts_finder_name (self, contention->mutex),
                                  _ts_finder_name (self, contention->holder));
      _ts_finding_add_lane (finding, contention->waiter);
      _ts_finding_add_lane (finding, contention->holder);
      _ts_finding_add_lane (finding, contention->third);
      _ts_finding_add_lane (finding, contention->mutex);
    }
  return TRUE;
}

/* ---- semaphores used as locks ---- */

typedef struct
{
  gint64 time;
  guint32 actor;
} Take;

typedef struct
{
  Take takes[N_TAKES];
  guint n_takes;
  guint64 n_gives;
  guint64 n_own_gives;
} Lock;

typedef struct
{
  guint32 object;
  guint32 waiter;
  guint32 holder;
  gint64 begin;
  gint64 end;
} LockWait;

/* Who took it last before @time. */
static guint32
find_holder (const Lock *lock,
             gint64 time)
{
  for (guint i = 0; i < MIN (lock->n_takes, N_TAKES); i++)
    {
      const Take *take = &lock->takes[(lock->n_takes - 1 - i) % N_TAKES];

      if (take->time <= time)
        return take->actor;
    }
  return 0;
}

static void
note_lock_point (Lock *lock,
                 const TsSlice *slice)
{
  if ((slice->kind & TS_SLICE_KIND_MASK) != TS_EVENT_SEMAPHORE)
    return;
  if ((slice->kind & TS_SLICE_START) != 0)
    {
      lock->n_gives++;
      lock->n_own_gives += lock->n_takes > 0
                           && lock->takes[(lock->n_takes - 1) % N_TAKES].actor == slice->arg;
    }
  else
    {
      lock->takes[lock->n_takes % N_TAKES] = (Take) { slice->begin, slice->arg };
      lock->n_takes++;
    }
}

/* Whether a semaphore is used as a lock, and by which tasks. */
static gboolean
is_lock (TsFinder *self,
         const TsLaneInfo *lane,
         GHashTable *users)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  g_autoptr (TsLaneAccess) access = NULL;
  g_autoptr (GHashTable) own = NULL;
  guint64 n_left;
  Lock lock = { 0 };
  guint32 last = 0;
  GHashTableIter iter;
  gpointer key;
  const TsSlice *slice;

  if (lane->kind != TS_LANE_OBJECT
      || (lane->type != TS_OBJECT_SEMAPHORE && lane->type != TS_OBJECT_BINARY_SEM
          && lane->type != TS_OBJECT_COUNTING_SEM))
    return FALSE;
  access = _ts_lane_access_new (self->recording, FALSE);
  own = g_hash_table_new (NULL, NULL);
  n_left = _ts_analysis_count_slices (self->recording, lane->id, self->begin, self->end);
  _ts_slice_cursor_init_apart (cursor, access, lane->id, self->begin, self->end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      note_lock_point (&lock, slice);
      if (slice->arg != last)
        g_hash_table_add (own, GUINT_TO_POINTER (slice->arg));
      last = slice->arg;
      n_left -= MIN (n_left, 1);
      /* Even if all that follow were given by their takers it would not be one. */
      if ((lock.n_own_gives + n_left) * 100 < (lock.n_gives + n_left) * LOCK_PERCENT)
        return FALSE;
    }
  if (lock.n_gives < LOCK_MIN_GIVES || lock.n_own_gives * 100 < lock.n_gives * LOCK_PERCENT)
    return FALSE;
  g_hash_table_iter_init (&iter, own);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (users, key);
  return TRUE;
}

/* Waits of tasks for locks; only tasks that use any are looked at. */
static void
find_lock_waits (TsFinder *self,
                 GArray *waits)
{
  TsSliceMerge *merge = _ts_slice_merge_new (self->recording, self->begin, self->end);
  g_autoptr (GHashTable) users = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) locks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  const TsLaneInfo *lane;
  const TsSlice *slice;
  guint n = 0;

  for (guint i = 0; i < n_lanes; i++)
    if (is_lock (self, &lanes[i], users))
      {
        _ts_slice_merge_add (merge, lanes[i].id);
        g_hash_table_insert (locks, GUINT_TO_POINTER (lanes[i].object), g_new0 (Lock, 1));
      }
  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_TASK
        && g_hash_table_contains (users, GUINT_TO_POINTER (lanes[i].object)))
      _ts_slice_merge_add (merge, lanes[i].id);

  while ((slice = _ts_slice_merge_next (merge, &lane)) != NULL)
    {
      Lock *lock;

      if (++n % 65536 == 0 && g_cancellable_is_cancelled (self->cancellable))
        break;
      if (lane->kind == TS_LANE_OBJECT)
        {
          note_lock_point (g_hash_table_lookup (locks, GUINT_TO_POINTER (lane->object)), slice);
          continue;
        }
      if (slice->state != TS_STATE_BLOCKED || slice->arg == 0)
        continue;
      lock = g_hash_table_lookup (locks, GUINT_TO_POINTER (slice->arg));
      if (lock != NULL)
        {
          guint32 holder = find_holder (lock, slice->begin);
          LockWait wait = { slice->arg, lane->object, holder, slice->begin, slice->end };

          if (holder != 0 && holder != lane->object)
            g_array_append_val (waits, wait);
        }
    }
  _ts_slice_merge_free (merge);
}

/* The less urgent task that ran longest in a wait and is no part of it. */
static guint32
find_third (TsFinder *self,
            TsPriorities *priorities,
            const LockWait *wait,
            gint64 *ticks)
{
  gint64 own = _ts_priorities_get (priorities, wait->waiter, wait->begin);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  guint32 third = 0;

  *ticks = 0;
  for (guint i = 0; i < n_lanes; i++)
    {
      gint64 ran;

      if (lanes[i].kind != TS_LANE_TASK || lanes[i].is_idle || lanes[i].id == wait->waiter
          || lanes[i].id == wait->holder
          || !_ts_priorities_is_more_urgent (
              priorities, own, _ts_priorities_get (priorities, lanes[i].id, wait->begin)))
        continue;
      ran = _ts_analysis_running_ticks (self->recording, lanes[i].id, wait->begin, wait->end);
      if (ran > *ticks)
        {
          *ticks = ran;
          third = lanes[i].id;
        }
    }
  return third;
}

gboolean
_ts_findings_locks (TsFinder *self,
                    GError **error)
{
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (LockWait));
  TsPriorities *priorities = NULL;

  find_lock_waits (self, waits);
  for (guint i = 0; i < waits->len; i++)
    {
      const LockWait *wait = &g_array_index (waits, LockWait, i);
      g_autofree char *length = _ts_finder_duration (self, wait->end - wait->begin);
      g_autofree char *ran = NULL;
      TsFinding *finding;
      guint32 third;
      gint64 ticks;

      if (priorities == NULL)
        priorities = _ts_priorities_new (self->recording, self->end, self->cancellable, error);
      if (priorities == NULL)
        return FALSE;
      if (!_ts_priorities_is_more_urgent (
              priorities, _ts_priorities_get (priorities, wait->waiter, wait->begin),
              _ts_priorities_get (priorities, wait->holder, wait->begin)))
        continue;
      third = find_third (self, priorities, wait, &ticks);
      if (third == 0)
        continue;

      ran = _ts_finder_duration (self, ticks);
      finding = _ts_finder_add (
          self, TS_FINDING_LOCK_INVERSION, TS_SEVERITY_WARNING, wait->begin, wait->end,
          wait->end - wait->begin,
          _("%s waited %s for the semaphore %s, held by the less urgent %s, while %s ran for %s; "
            "a mutex would lift the holder's priority."),
          _ts_finder_name (self, wait->waiter), length, _ts_finder_name (self, wait->object),
          _ts_finder_name (self, wait->holder), _ts_finder_name (self, third), ran);
      _ts_finding_add_lane (finding, wait->waiter);
      _ts_finding_add_lane (finding, wait->holder);
      _ts_finding_add_lane (finding, third);
      _ts_finding_add_lane (finding, wait->object);
    }
  _ts_priorities_free (priorities);
  return TRUE;
}

/* ---- failed operations ---- */

typedef struct
{
  guint32 object;
  guint32 actor;
  gboolean is_give;
  guint64 count;
  gint64 first;
  gint64 last;
} Failures;

static Failures *
find_group (GArray *groups,
            guint first,
            guint32 actor,
            gboolean is_give)
{
  for (guint i = first; i < groups->len; i++)
    {
      Failures *group = &g_array_index (groups, Failures, i);

      if (group->actor == actor && group->is_give == is_give)
        return group;
    }
  return NULL;
}

/* One finding for each object, who tried, and the side that failed. */
gboolean
_ts_findings_operations (TsFinder *self,
                         GError **error)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Failures));
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  if (!_ts_analysis_has_kind (self->recording, TS_EVENT_OP_FAILED))
    return TRUE;
  for (guint i = 0; i < n_lanes && !g_cancellable_is_cancelled (self->cancellable); i++)
    {
      guint first = groups->len;
      const TsSlice *slice;

      if (lanes[i].kind != TS_LANE_OBJECT)
        continue;
      _ts_slice_cursor_init (cursor, self->recording, lanes[i].id, self->begin, self->end);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        {
          gboolean is_give = (slice->kind & TS_SLICE_START) != 0;
          Failures *group;

          if ((slice->kind & TS_SLICE_KIND_MASK) != TS_EVENT_OP_FAILED)
            continue;
          group = find_group (groups, first, slice->arg, is_give);
          if (group == NULL)
            {
              Failures fresh = { lanes[i].id, slice->arg, is_give, 0, slice->begin, slice->begin };

              g_array_append_val (groups, fresh);
              group = &g_array_index (groups, Failures, groups->len - 1);
            }
          group->count++;
          group->last = slice->begin;
        }
    }

  for (guint i = 0; i < groups->len; i++)
    {
      const Failures *group = &g_array_index (groups, Failures, i);
      const char *object = _ts_finder_name (self, group->object);
      const char *actor = _ts_finder_name (self, group->actor);
      TsFinding *finding
          = group->is_give
                ? _ts_finder_add (self, TS_FINDING_QUEUE_OVERFLOW, TS_SEVERITY_WARNING,
                                  group->first, group->last, (gint64) group->count,
                                  _("%s could not put anything more into %s, %" PRIu64
                                    " times."),
                                  actor, object, group->count)
                : _ts_finder_add (self, TS_FINDING_OPERATION_FAILED, TS_SEVERITY_INFO,
                                  group->first, group->last, (gint64) group->count,
                                  _("%s waited for %s in vain, %" PRIu64 " times."),
                                  actor, object, group->count);

      finding->count = group->count;
      _ts_finding_add_lane (finding, group->object);
      _ts_finding_add_lane (finding, group->actor);
    }
  return TRUE;
}
