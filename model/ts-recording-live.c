/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-live.c: the state that a writer shares with its live readers. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-recording-live.h"

/**
 * _ts_live_new:
 * @path: file of the recording
 * @id: recording id
 * @store: the writer's lanes; referenced
 *
 * Thread: writer
 *
 * Returns: (transfer full): the shared state; _ts_live_unref()
 */
TsLive *
_ts_live_new (const char *path,
              const char *id,
              TsLaneStore *store)
{
  TsLive *self = g_atomic_rc_box_new0 (TsLive);

  g_mutex_init (&self->mutex);
  self->path = g_strdup (path);
  self->id = g_strdup (id);
  self->store = ts_lane_store_ref (store);
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  self->changed = g_array_new (FALSE, TRUE, sizeof (guint64));
  self->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->fresh_strings = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->readers = g_ptr_array_new ();
  return self;
}

/* Thread: safe */
TsLive *
_ts_live_ref (TsLive *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
live_clear (gpointer data)
{
  TsLive *self = data;

  g_assert (self->readers->len == 0);
  g_mutex_clear (&self->mutex);
  g_free (self->path);
  g_free (self->id);
  ts_lane_store_unref (self->store);
  g_ptr_array_unref (self->objects);
  g_array_unref (self->changed);
  g_hash_table_unref (self->keys);
  g_hash_table_unref (self->fresh_strings);
  g_ptr_array_unref (self->readers);
}

/* Thread: safe */
void
_ts_live_unref (TsLive *self)
{
  g_atomic_rc_box_release_full (self, live_clear);
}

/**
 * _ts_live_set_object:
 * @self: the shared state
 * @object: an object as it is now; copied
 *
 * Thread: writer
 */
void
_ts_live_set_object (TsLive *self,
                     const TsObject *object)
{
  TsObject *copy = ts_object_copy (object);

  g_mutex_lock (&self->mutex);
  if (self->objects->len < object->id)
    {
      g_ptr_array_set_size (self->objects, (int) object->id);
      g_array_set_size (self->changed, object->id);
    }

  ts_object_free (g_ptr_array_index (self->objects, object->id - 1));
  g_ptr_array_index (self->objects, object->id - 1) = copy;
  g_array_index (self->changed, guint64, object->id - 1) = ++self->serial;
  g_mutex_unlock (&self->mutex);
}

/* A text that no other connection sees before the next commit. Thread: writer */
void
_ts_live_add_string (TsLive *self,
                     guint32 id,
                     const char *text)
{
  char *copy = g_strdup (text);

  g_mutex_lock (&self->mutex);
  g_hash_table_insert (self->fresh_strings, GUINT_TO_POINTER (id), copy);
  g_mutex_unlock (&self->mutex);
}

/* Totals as they are now. Thread: writer */
void
_ts_live_publish (TsLive *self,
                  guint64 n_events,
                  gint64 end_time,
                  guint64 clock_hz)
{
  g_mutex_lock (&self->mutex);
  self->n_events = n_events;
  self->end_time = end_time;
  self->clock_hz = clock_hz;
  g_mutex_unlock (&self->mutex);
}

/* Rows and texts are in the file now. Thread: writer */
void
_ts_live_committed (TsLive *self,
                    guint64 n_rows,
                    guint64 n_events)
{
  g_mutex_lock (&self->mutex);
  self->n_rows = n_rows;
  /* A commit amid many events comes before their totals are published. */
  self->n_events = MAX (self->n_events, n_events);
  g_hash_table_remove_all (self->fresh_strings);
  g_mutex_unlock (&self->mutex);
}

/* What meta, health and va_summary hold now; @keys: (transfer full). Thread: writer */
void
_ts_live_take_keys (TsLive *self,
                    GHashTable *keys)
{
  g_autoptr (GHashTable) old = NULL;

  g_mutex_lock (&self->mutex);
  old = g_steal_pointer (&self->keys);
  self->keys = keys;
  g_mutex_unlock (&self->mutex);
}

/**
 * _ts_live_dup_key:
 * @self: the shared state
 * @table: `meta`, `health` or `va_summary`
 * @key: a key of it
 *
 * Readers of a file that is being written do not wait for it.
 *
 * Thread: safe
 *
 * Returns: (transfer full) (nullable): the value, as of the last commit
 */
char *
_ts_live_dup_key (TsLive *self,
                  const char *table,
                  const char *key)
{
  g_autofree char *name = g_strconcat (table, ".", key, NULL);
  char *value;

  g_mutex_lock (&self->mutex);
  value = g_strdup (g_hash_table_lookup (self->keys, name));
  g_mutex_unlock (&self->mutex);
  return value;
}

/**
 * _ts_live_dup_string:
 * @self: the shared state
 * @id: id of a text
 *
 * Thread: safe
 *
 * Returns: (transfer full) (nullable): the text if it is not committed yet
 */
char *
_ts_live_dup_string (TsLive *self,
                     guint32 id)
{
  char *text;

  g_mutex_lock (&self->mutex);
  text = g_strdup (g_hash_table_lookup (self->fresh_strings, GUINT_TO_POINTER (id)));
  g_mutex_unlock (&self->mutex);
  return text;
}

/**
 * _ts_live_begin_close:
 * @self: the shared state
 *
 * Closes the live readers' connections and keeps them closed until _ts_live_end_close(): a database
 * leaves the WAL only for somebody who is alone with it. Waits for reads under way; they are short.
 *
 * Thread: writer
 */
void
_ts_live_begin_close (TsLive *self)
{
  g_autoptr (GPtrArray) readers
      = g_ptr_array_new_with_free_func ((GDestroyNotify) _ts_reader_db_unref);

  g_mutex_lock (&self->mutex);
  self->is_closing = TRUE;
  for (guint i = 0; i < self->readers->len; i++)
    g_ptr_array_add (readers, _ts_reader_db_ref (g_ptr_array_index (self->readers, i)));
  g_mutex_unlock (&self->mutex);

  for (guint i = 0; i < readers->len; i++)
    _ts_reader_db_close (g_ptr_array_index (readers, i));
}

/* The file is complete: readers may open it again, now as a closed one. Thread: writer */
void
_ts_live_end_close (TsLive *self)
{
  g_mutex_lock (&self->mutex);
  self->is_closing = FALSE;
  self->is_closed = TRUE;
  g_mutex_unlock (&self->mutex);
}
