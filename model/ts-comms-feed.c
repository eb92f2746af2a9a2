/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-comms-feed.c: matches operations while a recording is written, chunk by chunk.
 *
 * The tracker tells of slices as it makes them. That is the order of a walk through the lanes as
 * far as matching can see: a wait is told before the next act of its task. Operations that no lane
 * shows come behind all points of their tick, as a walk takes them: they are held until then.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-comms-private.h"

/* A chunk ends after so many acts and waits, and not before there are as many for each of the things
 * it has to keep: so what is kept stays a small part of what is recorded, whatever that is. */
#define CHUNK_STEPS 65536
#define STEPS_PER_PATH 24
#define STEPS_PER_GIVE 8
/* Beyond it nothing is kept: matching would take more memory than a question is worth. */
#define MAX_THINGS (1 << 20)
/* Steps from one look at what a chunk costs to the next, as a part of what it has. */
#define STEPS_PER_LOOK 4

/* What a text says of an operation. */
typedef struct
{
  gboolean is_operation;
  gboolean is_give;
  gboolean is_failed;
  char *actor; /* nullable */
} Words;

typedef struct
{
  gint64 begin;
  gint64 end;
  guint64 n_steps;
  gboolean is_last;
  GBytes *bytes;
} Chunk;

/**
 * TsCommsFeed:
 * @begin, @n_steps: of the chunk that is open
 * @next_look: steps after which to see whether it is enough
 * @chunk_steps: the least that a chunk has
 * @costs: chunks are as long as what they keep makes worth it
 * @last: time of its newest act
 * @late: waits that were over before it
 * @held: operations of the tick @last that wait for its points
 * @is_void: nothing of it can be told for sure; nothing is kept
 * @is_wiped: and what was stored is gone
 * @n_saved: chunks that were stored
 * @is_finished: nothing more comes
 */
struct _TsCommsFeed
{
  TsMatcher matcher;
  guint32 (*find_task) (const char *name,
                        gpointer types);
  GHashTable *texts; /* id to Words */
  gint64 begin;
  gint64 last;
  guint64 n_steps;
  guint64 next_look;
  guint64 chunk_steps;
  gboolean costs;
  GArray *late;
  GArray *held;
  GQueue chunks;
  gboolean has_mutex;
  gboolean is_void;
  gboolean is_wiped;
  guint n_saved;
  gboolean is_finished;
};

static void
words_free (gpointer data)
{
  Words *words = data;

  g_free (words->actor);
  g_free (words);
}

static void
chunk_free (gpointer data)
{
  Chunk *chunk = data;

  g_bytes_unref (chunk->bytes);
  g_free (chunk);
}

/**
 * _ts_comms_feed_new:
 * @get_type: type of an object, as it is now
 * @find_task: a task by its name; 0: there is none
 * @types: for both
 *
 * Returns: (transfer full): _ts_comms_feed_free()
 */
TsCommsFeed *
_ts_comms_feed_new (TsObjectType (*get_type) (guint32 object,
                                              gpointer types),
                    guint32 (*find_task) (const char *name,
                                          gpointer types),
                    gpointer types)
{
  TsCommsFeed *self = g_new0 (TsCommsFeed, 1);

  self->matcher.get_type = get_type;
  self->matcher.types = types;
  self->matcher.is_counting = TRUE;
  self->find_task = find_task;
  self->next_look = self->chunk_steps = CHUNK_STEPS;
  self->costs = TRUE;
  _ts_matcher_init (&self->matcher);
  self->texts = g_hash_table_new_full (NULL, NULL, NULL, words_free);
  self->late = g_array_new (FALSE, FALSE, sizeof (TsLateWait));
  self->held = g_array_new (FALSE, FALSE, sizeof (TsOperation));
  g_queue_init (&self->chunks);
  return self;
}

void
_ts_comms_feed_free (TsCommsFeed *self)
{
  if (self == NULL)
    return;
  _ts_matcher_clear (&self->matcher);
  g_hash_table_unref (self->texts);
  g_array_unref (self->late);
  g_array_unref (self->held);
  g_queue_clear_full (&self->chunks, chunk_free);
  g_free (self);
}

static void
give_up (TsCommsFeed *self)
{
  self->is_void = TRUE;
  _ts_matcher_clear (&self->matcher);
  _ts_matcher_init (&self->matcher);
  g_queue_clear_full (&self->chunks, chunk_free);
  g_queue_init (&self->chunks);
  g_array_set_size (self->held, 0);
  g_array_set_size (self->late, 0);
}

/* For tests: short chunks, whatever they cost. */
void
_ts_comms_feed_set_chunk_steps (TsCommsFeed *self,
                                guint64 n_steps)
{
  self->next_look = self->chunk_steps = n_steps;
  self->costs = FALSE;
}

/* A text that events may name from now on. */
void
_ts_comms_feed_add_text (TsCommsFeed *self,
                         guint32 id,
                         const char *text)
{
  TsOperation operation = { 0 };
  Words *words;

  if (self->is_void)
    return;
  words = g_new0 (Words, 1);
  words->is_operation = _ts_comms_parse_words (text, &operation);
  words->is_give = operation.is_give;
  words->is_failed = operation.is_failed;
  if (words->is_operation)
    words->actor = g_strdup (_ts_comms_find_actor (text));
  g_hash_table_replace (self->texts, GUINT_TO_POINTER (id), words);
}

/* Whether a text was told, or there is no use in telling it. */
gboolean
_ts_comms_feed_knows_text (TsCommsFeed *self,
                           guint32 id)
{
  return self->is_void || g_hash_table_contains (self->texts, GUINT_TO_POINTER (id));
}

/* Texts so far come with a new id, should they come again. */
void
_ts_comms_feed_forget_texts (TsCommsFeed *self)
{
  g_hash_table_remove_all (self->texts);
}

/* An object turns out to be of another type than its operations were taken for. */
void
_ts_comms_feed_type_changed (TsCommsFeed *self,
                             guint32 object,
                             TsObjectType type)
{
  const TsMatchedResource *resource
      = g_hash_table_lookup (self->matcher.resources, GUINT_TO_POINTER (object));

  if (resource != NULL && resource->match != _ts_match_of (type))
    give_up (self);
}

/* ---- chunks ---- */

static gboolean
take_sums (gpointer key,
           gpointer value,
           gpointer user_data)
{
  TsMatchedResource *resource = value;

  resource->resource = (TsResource){ .object = resource->resource.object,
                                     .is_notification = resource->resource.is_notification,
                                     .has_depth = resource->resource.has_depth,
                                     .max_depth = G_MININT32 };
  resource->is_counted = FALSE;
  return FALSE;
}

static void
end_chunk (TsCommsFeed *self,
           gint64 end,
           gboolean is_last)
{
  Chunk *chunk = g_new0 (Chunk, 1);

  chunk->begin = self->begin;
  chunk->end = end;
  chunk->n_steps = self->n_steps;
  chunk->is_last = is_last;
  chunk->bytes = _ts_comms_chunk_encode (&self->matcher, self->late, self->begin);
  g_queue_push_tail (&self->chunks, chunk);

  g_hash_table_remove_all (self->matcher.paths);
  g_hash_table_foreach_remove (self->matcher.resources, take_sums, NULL);
  g_array_set_size (self->late, 0);
  self->begin = end;
  self->n_steps = 0;
  self->next_look = self->chunk_steps;
}

/* Whether there is enough in the chunk for what it costs. */
static gboolean
is_worth_it (TsCommsFeed *self)
{
  GHashTableIter iter;
  gpointer value;
  guint64 n_paths = g_hash_table_size (self->matcher.paths);
  guint64 n_states = g_hash_table_size (self->matcher.resources)
                     + g_hash_table_size (self->matcher.waits);

  if (n_paths + n_states > MAX_THINGS)
    {
      give_up (self);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, self->matcher.resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const TsMatchedResource *resource = value;

      n_states += resource->gives->len - resource->first;
    }
  if (n_states > TS_CHUNK_MAX_GIVES)
    {
      give_up (self);
      return FALSE;
    }
  self->next_look += self->n_steps / STEPS_PER_LOOK;
  return !self->costs || self->n_steps >= n_paths * STEPS_PER_PATH + n_states * STEPS_PER_GIVE;
}

/* One step at @time; a chunk ends between two ticks. */
static void
step (TsCommsFeed *self,
      gint64 time)
{
  if (G_UNLIKELY (self->n_steps >= self->next_look && time > self->last && is_worth_it (self)))
    end_chunk (self, time, FALSE);
  self->n_steps++;
  self->last = MAX (self->last, time);
}

/* ---- what happens ---- */

void
_ts_comms_feed_point (TsCommsFeed *self,
                      guint32 object,
                      const TsSlice *slice)
{
  if (self->is_void)
    return;
  step (self, slice->begin);
  if (!self->is_void)
    _ts_matcher_point (&self->matcher, object, slice);
}

void
_ts_comms_feed_wait (TsCommsFeed *self,
                     guint32 task,
                     const TsSlice *slice)
{
  if (self->is_void || (TS_MATCH_WAITS & 1u << slice->state) == 0)
    return;
  if (slice->end <= self->begin)
    {
      TsLateWait late = { task,
                          { slice->state == TS_STATE_BLOCKED ? slice->arg : 0, slice->begin,
                            slice->end } };

      g_array_append_val (self->late, late);
    }
  self->n_steps++;
  _ts_matcher_wait (&self->matcher, task, slice);
}

/**
 * _ts_comms_feed_event:
 * @self: a feed
 * @event: an event of a kind that _ts_comms_feed_wants()
 * @time: when
 */
void
_ts_comms_feed_event (TsCommsFeed *self,
                      const TsEvent *event,
                      gint64 time)
{
  TsOperation operation = { .time = time, .object = event->object };

  if (self->is_void)
    return;
  if (event->kind == TS_EVENT_MUTEX)
    {
      if (!self->has_mutex)
        self->matcher.mutex_start_takes = (event->flags & TS_EVENT_FLAG_START_TAKES) != 0;
      self->has_mutex = TRUE;
      return;
    }
  if (event->kind == TS_EVENT_TASK_NOTIFY)
    {
      operation.is_notification = TRUE;
      operation.is_give = (event->flags & TS_EVENT_FLAG_START) != 0;
      operation.actor = event->object;
      if (operation.is_give)
        operation.object = (guint32) ts_event_get_detail (event);
    }
  else
    {
      const Words *words = g_hash_table_lookup (
          self->texts, GUINT_TO_POINTER (ts_event_get_text_id (event)));

      if (words == NULL && ts_event_get_text_id (event) != 0)
        {
          give_up (self);
          return;
        }
      if (words == NULL || !words->is_operation)
        return;
      operation.is_give = words->is_give;
      operation.is_failed = words->is_failed;
      operation.is_notification = event->kind == TS_EVENT_NOTIFY_DETAILS;
      if (operation.is_notification && !operation.is_give)
        operation.actor = event->object;
      else if (words->actor != NULL)
        {
          operation.actor = self->find_task (words->actor, self->matcher.types);
          /* It may get its name later: then a walk would know it. */
          if (operation.actor == 0)
            {
              give_up (self);
              return;
            }
        }
    }
  if (operation.object != 0)
    {
      step (self, time);
      g_array_append_val (self->held, operation);
    }
}

/** Whether operations wait for the end of their tick: _ts_comms_feed_release() before the next. */
gboolean
_ts_comms_feed_is_holding (const TsCommsFeed *self)
{
  return self->held->len > 0;
}

/**
 * _ts_comms_feed_release:
 * @self: a feed
 * @interrupt: the innermost handler that is open, 0: none
 *
 * The tick is over.
 */
void
_ts_comms_feed_release (TsCommsFeed *self,
                        guint32 interrupt)
{
  for (guint i = 0; i < self->held->len; i++)
    {
      TsOperation *operation = &g_array_index (self->held, TsOperation, i);

      if (operation->actor == 0 && (!operation->is_notification || operation->is_give))
        operation->actor = interrupt;
      _ts_matcher_operation (&self->matcher, operation);
    }
  g_array_set_size (self->held, 0);
}

/* Nothing more comes. */
void
_ts_comms_feed_finish (TsCommsFeed *self)
{
  if (self->is_void)
    return;
  _ts_comms_feed_release (self, 0);
  end_chunk (self, MAX (self->last, self->begin) + 1, TRUE);
  self->is_finished = TRUE;
}

/**
 * _ts_comms_feed_save:
 * @self: a feed
 * @db: a recording that is written
 *
 * Stores the chunks that ended since the last time, and behind the last one the answer for all of
 * several.
 *
 * Returns: an SQLite result code
 */
int
_ts_comms_feed_save (TsCommsFeed *self,
                     sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;
  Chunk *chunk;
  int rc = SQLITE_OK;

  if (self->is_void && !self->is_wiped)
    {
      self->is_wiped = TRUE;
      return sqlite3_exec (db, "DELETE FROM ts_comms", NULL, NULL, NULL);
    }
  while (rc == SQLITE_OK && (chunk = g_queue_pop_head (&self->chunks)) != NULL)
    {
      gsize n_bytes = 0;
      gconstpointer bytes = g_bytes_get_data (chunk->bytes, &n_bytes);

      rc = sqlite3_prepare_v2 (db,
                               "INSERT INTO ts_comms(begin,end,steps,is_last,data) "
                               "VALUES(?1,?2,?3,?4,?5)", -1, &stmt, NULL);
      if (rc == SQLITE_OK)
        {
          sqlite3_bind_int64 (stmt, 1, chunk->begin);
          sqlite3_bind_int64 (stmt, 2, chunk->end);
          sqlite3_bind_int64 (stmt, 3, (gint64) chunk->n_steps);
          sqlite3_bind_int (stmt, 4, chunk->is_last != FALSE);
          sqlite3_bind_blob64 (stmt, 5, bytes, n_bytes, SQLITE_STATIC);
          sqlite3_step (stmt);
          rc = sqlite3_finalize (stmt);
        }
      chunk_free (chunk);
      self->n_saved++;
    }
  if (rc == SQLITE_OK && self->is_finished && self->n_saved > 1)
    rc = _ts_comms_total_save (db, TS_COMMS_BYTES_PER_SHARE, self->matcher.get_type,
                               self->matcher.types);
  self->is_finished = FALSE;
  return rc;
}
