/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-writer.c: events in, `.vadb` out. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-counters-private.h"
#include "ts-lane-books-private.h"
#include "ts-recording-writer-private.h"

#define COMMIT_INTERVAL_US (250 * 1000)
#define COMMIT_EVENTS (64 * 1024)
#define COMMIT_EVENTS_TIGHT (4 * 1024)
#define PUBLISH_INTERVAL_US (5 * 1000)
#define RAW_BLOB_BYTES (64 * 1024)
#define MAX_INTERNED (64 * 1024)
#define MAX_STRING_ID G_MAXINT32
/* How long closing waits for somebody else's read to end. */
#define CLOSE_WAIT_MS 500

/* Totals by kind and by object, and where the recording ends. */
void
_ts_writer_count_events (TsRecordingWriter *self,
                         const TsEvent *events,
                         gsize n_events)
{
  for (gsize i = 0; i < n_events; i++)
    {
      const TsEvent *event = &events[i];

      guint64 group = _ts_row_group_key (event->kind, (event->flags & TS_EVENT_FLAG_TEXT) != 0,
                                         event->core, event->object);

      if (_ts_row_counter_add (self->row_counter, group))
        g_queue_push_tail (&self->row_blocks, _ts_row_counter_take (self->row_counter));
      if (event->kind == TS_EVENT_CAPTURE_END)
        self->has_capture_end = TRUE;
      if (!ts_event_is_counted (event))
        continue;

      self->n_events++;
      self->kind_counts[(event->kind & (TS_WRITER_N_KINDS - 1)) * 3
                        + ((event->flags >> 3) & 3) % 3]++;
      if (event->object < self->object_counts->len)
        g_array_index (self->object_counts, guint64, event->object)++;
    }

  if (events[n_events - 1].time > self->last_time)
    self->last_time = events[n_events - 1].time;
}

static void
sink_events (TsEventSink *sink,
             const TsEvent *events,
             gsize n_events)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;
  guint64 n_commit = self->reserve.is_tight ? COMMIT_EVENTS_TIGHT : COMMIT_EVENTS;
  gint64 now_us;

  if (n_events == 0 || self->error != NULL || self->is_closed)
    return;

  _ts_writer_track (self, events, n_events);
  _ts_writer_count_events (self, events, n_events);
  self->n_rows += n_events;
  self->n_uncommitted += n_events;

  while (n_events > 0)
    {
      gsize n = MIN (n_events, TS_WRITER_BATCH - self->n_pending);

      memcpy (self->pending + self->n_pending, events, n * sizeof *events);
      self->n_pending += n;
      events += n;
      n_events -= n;
      if (self->n_pending == TS_WRITER_BATCH && !_ts_writer_store_pending (self))
        return;
    }

  if (self->n_uncommitted < n_commit && self->live == NULL)
    return;

  now_us = g_get_monotonic_time ();
  if (self->live != NULL && now_us - self->published_at_us >= PUBLISH_INTERVAL_US)
    _ts_writer_publish (self, now_us);
  if (self->n_uncommitted >= n_commit)
    _ts_writer_commit (self, FALSE, now_us);
}

static void
mark_object (TsRecordingWriter *self,
             const TsObject *object)
{
  guint8 *dirty = &self->object_is_dirty->data[object->id - 1];

  if (!*dirty)
    {
      *dirty = 1;
      g_array_append_val (self->dirty_objects, object->id);
    }

  ts_tracker_set_object (self->tracker, object);
  _ts_writer_note_known (self, object);
  if (self->live != NULL)
    _ts_live_set_object (self->live, object);
}

static guint32
sink_define_object (TsEventSink *sink,
                    const TsObject *object)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;
  TsObject *copy = ts_object_copy (object);
  guint8 clean = 0;

  g_ptr_array_add (self->objects, copy);
  copy->id = self->objects->len;
  if (copy->name == NULL)
    copy->name = g_strdup ("");
  g_byte_array_append (self->object_is_dirty, &clean, 1);
  g_array_set_size (self->object_counts, self->objects->len + 1);
  mark_object (self, copy);
  return copy->id;
}

static void
sink_update_object (TsEventSink *sink,
                    const TsObject *object)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;
  TsObject *copy;

  g_return_if_fail (object->id > 0 && object->id <= self->objects->len);

  copy = ts_object_copy (object);
  if (copy->name == NULL)
    copy->name = g_strdup ("");
  ts_object_free (g_ptr_array_index (self->objects, object->id - 1));
  g_ptr_array_index (self->objects, object->id - 1) = copy;
  mark_object (self, copy);
}

static guint32
sink_intern (TsEventSink *sink,
             const char *text,
             gssize len)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;
  g_autofree char *copy = len >= 0 ? g_strndup (text, (gsize) len) : g_strdup (text);
  gpointer known = g_hash_table_lookup (self->strings, copy);
  guint32 id;
  int rc;

  if (known != NULL)
    return GPOINTER_TO_UINT (known);
  if (self->n_strings >= MAX_STRING_ID || self->error != NULL || !_ts_writer_begin (self))
    return MAX (self->n_strings, 1);

  id = ++self->n_strings;
  sqlite3_bind_int64 (self->insert_string, 1, id);
  sqlite3_bind_text (self->insert_string, 2, copy, -1, SQLITE_STATIC);
  rc = sqlite3_step (self->insert_string);
  sqlite3_reset (self->insert_string);
  sqlite3_clear_bindings (self->insert_string);
  _ts_writer_check (self, rc);
  if (self->live != NULL)
    _ts_live_add_string (self->live, id, copy);

  if (g_hash_table_size (self->strings) >= MAX_INTERNED)
    {
      g_hash_table_remove_all (self->strings);
      _ts_comms_feed_forget_texts (ts_tracker_get_comms (self->tracker));
    }
  _ts_comms_feed_add_text (ts_tracker_get_comms (self->tracker), id, copy);
  g_hash_table_insert (self->strings, g_steal_pointer (&copy), GUINT_TO_POINTER (id));
  return id;
}

static void
sink_set_clock (TsEventSink *sink,
                guint64 hz)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;

  self->clock_hz = hz;
  if (hz > 0)
    {
      ts_tracker_set_clock (self->tracker, hz);
      _ts_key_table_set_uint (&self->meta, "va_cpu_hz", hz);
      _ts_key_table_set (&self->meta, "ts_clock_assumed", NULL);
    }
}

/* Facts of the stream become rows of meta. Source: viewalyzer-host.md section 1.3; names that are
 * open there are ours. */
static void
sink_set_info (TsEventSink *sink,
               const char *key,
               const char *value)
{
  TsRecordingWriter *self = (TsRecordingWriter *) sink;
  g_autofree char *name = NULL;

  if (strcmp (key, "t0_ticks") == 0)
    {
      _ts_key_table_set (&self->meta, "ts_t0_ticks", value);
      return;
    }

  if (strcmp (key, "error") == 0)
    {
      const char *before = _ts_key_table_get (&self->meta, "va_errors");
      g_autofree char *all = before == NULL                ? g_strdup (value)
                             : strlen (before) < 16 * 1024 ? g_strconcat (before, "\n", value, NULL)
                                                           : g_strdup (before);

      _ts_key_table_set (&self->meta, "va_errors", all);
      return;
    }

  if (strcmp (key, "os") == 0)
    ts_tracker_set_os (self->tracker, value);

  name = g_str_has_prefix (key, "va_") || g_str_has_prefix (key, "ts_")
             ? g_strdup (key)
             : g_strconcat ("va_", key, NULL);
  _ts_key_table_set (&self->meta, name, value);
}

static const TsEventSinkInterface sink_interface = {
  .events = sink_events,
  .define_object = sink_define_object,
  .update_object = sink_update_object,
  .intern = sink_intern,
  .set_clock = sink_set_clock,
  .set_info = sink_set_info,
};

/* What a recording says about itself from its first commit on. */
static void
fill_meta (TsRecordingWriter *self)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *id = g_strdup_printf ("%.8s%.4s", uuid, uuid + 9);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *created = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");

  _ts_key_table_set (&self->meta, "format", "va-recording");
  _ts_key_table_set (&self->meta, "has_va", "1");
  _ts_key_table_set_uint (&self->meta, "va_cpu_hz", TS_SCHEMA_DEFAULT_HZ);
  _ts_key_table_set (&self->meta, "ts_clock_assumed", "1");
  _ts_key_table_set (&self->meta, "ts_t0_ticks", "0");
  _ts_key_table_set_uint (&self->meta, "taskscope_schema", TS_SCHEMA_VERSION);
  _ts_key_table_set (&self->meta, "ts_version", TS_VERSION);
  _ts_key_table_set (&self->meta, "ts_recording_id", id);
  _ts_key_table_set (&self->meta, "ts_complete", "0");
  _ts_key_table_set (&self->meta, "created_utc", created);
  if (self->options.capture_source != NULL)
    _ts_key_table_set (&self->meta, "capture_source", self->options.capture_source);
  if (self->options.raw_format != NULL)
    _ts_key_table_set (&self->meta, "ts_raw_format", self->options.raw_format);
  _ts_key_table_set (&self->health, "end_reason", "not closed");
}

/* Removes the file that nobody wants, and gives its name back to the recording that had it. */
static void
give_name_back (TsRecordingWriter *self)
{
  _ts_older_remove (self->path);
  if (self->older != NULL)
    _ts_older_put_back (self->older, self->path);
  g_clear_pointer (&self->older, g_free);
}

/* The recording is whole and in place: the one it replaces can go. */
static void
replace_older (TsRecordingWriter *self)
{
  if (self->older == NULL || self->keeps_older || self->error != NULL)
    return;

  _ts_older_remove (self->older);
  g_clear_pointer (&self->older, g_free);
}

/**
 * ts_recording_writer_new:
 * @path: file to create; an older recording of that name is set aside until this one is closed, and
 * replaced only if that went well; one that is being written is refused
 * @options: (nullable): how to write; its strings are copied
 * @error: return location
 *
 * Creates a recording and opens it for writing.
 *
 * Thread: the caller's becomes the owner
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: (transfer full) (nullable): the writer; ts_recording_writer_free()
 */
TsRecordingWriter *
ts_recording_writer_new (const char *path,
                         const TsWriterOptions *options,
                         GError **error)
{
  g_autofree char *display_name = NULL;
  g_autofree char *older = NULL;
  g_autoptr (GError) reason = NULL;
  TsRecordingWriter *self;

  g_return_val_if_fail (path != NULL, NULL);

  display_name = g_filename_display_name (
      options != NULL && options->shown_path != NULL ? options->shown_path : path);
  if (!_ts_older_set_aside (path, display_name, &older, error))
    return NULL;

  self = g_new0 (TsRecordingWriter, 1);
  self->sink.iface = &sink_interface;
  self->reserve.fd = -1;
  self->path = g_canonicalize_filename (path, NULL);
  self->display_name = g_steal_pointer (&display_name);
  self->older = older != NULL ? g_canonicalize_filename (older, NULL) : NULL;
  if (options != NULL)
    self->options = *options;

  self->store = ts_lane_store_new ();
  self->tracker = ts_tracker_new (self->store);
  ts_tracker_keep_comms (self->tracker);
  self->pending = g_new (TsEvent, TS_WRITER_BATCH);
  self->kind_counts = g_new0 (guint64, TS_WRITER_N_KINDS * 3);
  self->object_counts = g_array_new (FALSE, TRUE, sizeof (guint64));
  g_array_set_size (self->object_counts, 1);
  self->row_counter = _ts_row_counter_new ();
  g_queue_init (&self->row_blocks);
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  self->dirty_objects = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->object_is_dirty = g_byte_array_new ();
  self->strings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->raw = g_byte_array_sized_new (RAW_BLOB_BYTES);
  _ts_key_table_init (&self->meta, "meta");
  _ts_key_table_init (&self->health, "health");
  _ts_key_table_init (&self->summary, "va_summary");
  fill_meta (self);
  self->options.capture_source = NULL;
  self->options.raw_format = NULL;
  self->options.shown_path = NULL;

  if (!_ts_writer_create_file (self, &reason)
      || !_ts_writer_commit (self, TRUE, g_get_monotonic_time ()))
    {
      if (self->error != NULL)
        g_propagate_error (error, g_steal_pointer (&self->error));
      else
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."),
                     self->display_name, reason->message);
      self->is_closed = TRUE;
      _ts_writer_close_database (self);
      give_name_back (self);
      ts_recording_writer_free (self);
      return NULL;
    }

  if (self->options.live)
    self->live = _ts_live_new (self->path, _ts_key_table_get (&self->meta, "ts_recording_id"),
                               self->store);
  _ts_writer_publish_keys (self);
  return self;
}

/**
 * ts_recording_writer_free:
 * @self: (transfer full) (nullable): a writer
 *
 * Frees the writer; one that was not closed is closed first, keeping what was captured.
 *
 * Thread: owner
 */
void
ts_recording_writer_free (TsRecordingWriter *self)
{
  if (self == NULL)
    return;

  ts_recording_writer_close (self, NULL, NULL);
  _ts_writer_close_database (self);
  replace_older (self);

  g_clear_pointer (&self->live, _ts_live_unref);
  ts_tracker_free (self->tracker);
  _ts_hold_clear (&self->hold);
  ts_lane_store_unref (self->store);
  g_free (self->pending);
  g_free (self->kind_counts);
  g_array_unref (self->object_counts);
  _ts_row_counter_free (self->row_counter);
  g_queue_clear_full (&self->row_blocks, (GDestroyNotify) g_bytes_unref);
  g_ptr_array_unref (self->objects);
  g_array_unref (self->dirty_objects);
  g_byte_array_unref (self->object_is_dirty);
  g_hash_table_unref (self->strings);
  g_byte_array_unref (self->raw);
  _ts_key_table_clear (&self->meta);
  _ts_key_table_clear (&self->health);
  _ts_key_table_clear (&self->summary);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self->display_name);
  g_free (self->older);
  g_free (self);
}

/**
 * ts_recording_writer_get_sink:
 * @self: a writer
 *
 * Thread: owner
 *
 * Returns: (transfer none): where a decoder puts its events
 */
TsEventSink *
ts_recording_writer_get_sink (TsRecordingWriter *self)
{
  return &self->sink;
}

/**
 * ts_recording_writer_get_path:
 * @self: a writer
 *
 * Thread: safe
 *
 * Returns: (transfer none): the absolute path of the file
 */
const char *
ts_recording_writer_get_path (TsRecordingWriter *self)
{
  return self->path;
}

TsLive *
_ts_recording_writer_get_live (TsRecordingWriter *writer)
{
  return writer->live;
}

/* Bytes per second of recording time. */
static void
count_bytes (TsRecordingWriter *self,
             gsize n_bytes)
{
  TsThroughput *throughput = &self->throughput;
  gint64 second = _ts_scale_ticks (self->last_time, 1, self->clock_hz);

  if (second != throughput->second)
    {
      throughput->peak = MAX (throughput->peak, throughput->in_second);
      throughput->in_second = 0;
      throughput->second = second;
    }

  throughput->total += n_bytes;
  throughput->in_second += n_bytes;
}

/**
 * ts_recording_writer_push_raw:
 * @self: a writer
 * @host_us: when the bytes arrived, on the host's clock
 * @source: which source or sender they came from
 * @bytes: (array length=n_bytes): what arrived; copied
 * @n_bytes: number of bytes
 *
 * Appends to the raw log, in order and unchanged; nothing is stored if the options say so, but
 * throughput is counted.
 *
 * Thread: owner
 */
void
ts_recording_writer_push_raw (TsRecordingWriter *self,
                              gint64 host_us,
                              guint32 source,
                              const guint8 *bytes,
                              gsize n_bytes)
{
  if (n_bytes == 0 || self->is_closed)
    return;

  count_bytes (self, n_bytes);
  if (!self->options.keep_raw_log || self->error != NULL)
    return;

  if (self->raw->len > 0 && self->raw_source != source && !_ts_writer_store_raw (self))
    return;

  while (n_bytes > 0)
    {
      gsize n = MIN (n_bytes, RAW_BLOB_BYTES - self->raw->len);

      if (self->raw->len == 0)
        {
          self->raw_host_us = host_us;
          self->raw_source = source;
        }

      g_byte_array_append (self->raw, bytes, (guint) n);
      bytes += n;
      n_bytes -= n;
      if (self->raw->len == RAW_BLOB_BYTES && !_ts_writer_store_raw (self))
        return;
    }
}

/**
 * ts_recording_writer_set_meta:
 * @self: a writer
 * @key: a key of table `meta`
 * @value: (nullable): its text; %NULL removes the row
 *
 * %TS_META_CUT_LANES, which says that only some lanes are there, must come before the events.
 *
 * Thread: owner
 */
void
ts_recording_writer_set_meta (TsRecordingWriter *self,
                              const char *key,
                              const char *value)
{
  g_return_if_fail (key != NULL);

  if (value != NULL && strcmp (key, TS_META_CUT_LANES) == 0)
    ts_tracker_set_excerpt (self->tracker);
  if (strcmp (key, "hardware_trace") == 0)
    ts_tracker_set_line_rate (self->tracker, _ts_trace_get_line_rate (value));
  _ts_key_table_set (&self->meta, key, value);
}

/**
 * ts_recording_writer_set_health:
 * @self: a writer
 * @key: a key of table `health`
 * @value: (nullable): its text; %NULL removes the row
 *
 * `va_summary` repeats those that the contract names there.
 *
 * Thread: owner
 */
void
ts_recording_writer_set_health (TsRecordingWriter *self,
                                const char *key,
                                const char *value)
{
  g_return_if_fail (key != NULL);

  _ts_key_table_set (&self->health, key, value);
}

static gboolean
return_error (TsRecordingWriter *self,
              GError **error)
{
  if (self->error == NULL)
    return TRUE;

  if (error != NULL)
    *error = g_error_copy (self->error);
  return FALSE;
}

/**
 * ts_recording_writer_tick:
 * @self: a writer
 * @force: commit now, statistics included
 * @error: return location
 *
 * To be called often (every few milliseconds to 100 ms): publishes the tail to live readers and
 * commits every 250 ms.
 *
 * Thread: owner
 * Errors: %TS_MODEL_ERROR_WRITE, the first failure, again at every call
 */
gboolean
ts_recording_writer_tick (TsRecordingWriter *self,
                          gboolean force,
                          GError **error)
{
  gint64 now_us = g_get_monotonic_time ();

  if (self->error == NULL && !self->is_closed)
    {
      _ts_writer_check_hold (self, now_us);
      if (self->live != NULL && (force || now_us - self->published_at_us >= PUBLISH_INTERVAL_US))
        _ts_writer_publish (self, now_us);
      if (force || now_us - self->committed_at_us >= COMMIT_INTERVAL_US)
        _ts_writer_commit (self, force, now_us);
    }

  return return_error (self, error);
}

/* On a full disk: moves the WAL into the blocks kept back for it. Its own become free for what is
 * still to be written. */
static void
make_room (TsRecordingWriter *self)
{
  sqlite3_exec (self->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
  self->wal_frames = 0;
  self->wal_moved = 0;
}

/* Says on disk how a recording ended that could not be finished. */
static void
close_failed (TsRecordingWriter *self)
{
  make_room (self);
  _ts_key_table_set (&self->health, "end_reason", self->error->message);
  if (sqlite3_exec (self->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
      && (_ts_key_table_write (&self->health, self->db) != SQLITE_OK
          || sqlite3_exec (self->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK))
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  else
    _ts_writer_publish_keys (self);
}

/* Puts figures where they are found faster; the recording is whole without that. */
static void
write_books (TsRecordingWriter *self)
{
  if (self->is_full || self->reserve.is_tight
      || sqlite3_exec (self->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
    return;
  _ts_books_write (self->db, TS_BOOKS_LIMIT_US);
  if (sqlite3_exec (self->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
}

/* The last row, the lanes' open ends, all tables, in one last commit. */
static void
finish (TsRecordingWriter *self,
        const char *end_reason)
{
  if (end_reason != NULL && !self->has_capture_end)
    {
      TsEvent event = { .time = self->last_time,
                        .kind = TS_EVENT_CAPTURE_END,
                        .flags = TS_EVENT_FLAG_SYNTHETIC | TS_EVENT_FLAG_TEXT };

      event.detail = (gint64) ((guint64) sink_intern (&self->sink, end_reason, -1) << 32);
      sink_events (&self->sink, &event, 1);
    }

  _ts_writer_end_hold (self);
  ts_tracker_finish (self->tracker, self->last_time);
  while (ts_lane_store_seal_some (self->store))
    if (!_ts_writer_commit (self, FALSE, g_get_monotonic_time ()))
      return;
  if (end_reason != NULL)
    _ts_key_table_set (&self->health, "end_reason", end_reason);
  _ts_key_table_set (&self->meta, "ts_complete", "1");
  if (!_ts_writer_commit (self, TRUE, g_get_monotonic_time ()))
    _ts_key_table_set (&self->meta, "ts_complete", "0");
  else
    write_books (self);
}

/**
 * ts_recording_writer_close:
 * @self: a writer
 * @end_reason: (nullable): how the capture ended: `health.end_reason` and the text of the last row,
 * `capture_end`; %NULL leaves "not closed"
 * @error: return location
 *
 * Finishes the recording: open slices, statistics, and a plain database without side files. May be
 * called again.
 *
 * Cost: under two seconds at any length, and up to three more for figures that are put in order
 * Thread: owner
 * Errors: %TS_MODEL_ERROR_WRITE; what was committed before is kept and the file opens
 */
gboolean
ts_recording_writer_close (TsRecordingWriter *self,
                           const char *end_reason,
                           GError **error)
{
  g_autoptr (GError) full = NULL;

  if (self->is_closed)
    return return_error (self, error);

  sqlite3_busy_timeout (self->db, CLOSE_WAIT_MS);
  self->is_finishing = TRUE;
  if (self->is_full)
    make_room (self);
  full = self->is_full ? g_steal_pointer (&self->error) : NULL;
  if (self->error == NULL)
    finish (self, full != NULL ? full->message : end_reason);
  if (full != NULL && self->error == NULL)
    self->error = g_steal_pointer (&full);

  self->is_closed = TRUE;
  if (self->live != NULL)
    {
      _ts_writer_publish (self, g_get_monotonic_time ());
      _ts_live_begin_close (self->live);
    }

  if (self->error != NULL && _ts_key_table_get_int (&self->meta, "ts_complete", 0) == 0)
    close_failed (self);

  /* Somebody else may be reading: then the last one to leave finishes the WAL; the recording is
   * whole either way. */
  sqlite3_exec (self->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
  sqlite3_exec (self->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  _ts_writer_close_database (self);
  /* one without an event may still be given up */
  if (self->n_events > 0)
    replace_older (self);

  if (self->live != NULL)
    _ts_live_end_close (self->live);
  return return_error (self, error);
}

/**
 * ts_recording_writer_discard:
 * @self: a writer, closed or not
 *
 * Closes the recording and removes its file, which nobody wants; one of the same name that is not
 * ours stays. An older recording that was set aside gets its name back.
 *
 * Thread: owner
 */
void
ts_recording_writer_discard (TsRecordingWriter *self)
{
  self->keeps_older = TRUE;
  ts_recording_writer_close (self, NULL, NULL);
  if (_ts_writer_is_in_place (self))
    give_name_back (self);
}

/**
 * ts_recording_writer_keep_older:
 * @self: a writer that is not closed
 *
 * What is recorded has ended badly, so the older recording of that name must not go: it stays where
 * it was set aside.
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): where it is, %NULL if there was none
 */
const char *
ts_recording_writer_keep_older (TsRecordingWriter *self)
{
  self->keeps_older = TRUE;
  return self->older;
}

/**
 * ts_recording_writer_get_n_events:
 * @self: a writer
 *
 * Thread: owner
 *
 * Returns: events that count in `total_events` so far
 */
guint64
ts_recording_writer_get_n_events (TsRecordingWriter *self)
{
  return self->n_events;
}

/**
 * ts_recording_writer_get_summary:
 * @self: a writer
 * @summary: (out caller-allocates): ts_recording_summary_clear()
 *
 * Thread: owner
 * Source: events.md section 4, verb decode
 */
void
ts_recording_writer_get_summary (TsRecordingWriter *self,
                                 TsRecordingSummary *summary)
{
  gboolean has_seq = _ts_key_table_get_int (&self->health, "seq_present", 0) != 0;

  summary->events = self->n_events;
  summary->lost_events = has_seq ? _ts_key_table_get_int (&self->health, "lost_events", 0) : -1;
  summary->seq_gaps = has_seq ? _ts_key_table_get_int (&self->health, "seq_gaps", 0) : -1;
  summary->corrupt_bytes
      = (guint64) MAX (_ts_key_table_get_int (&self->health, "corrupt_bytes", 0), 0);
  summary->duration_us = _ts_scale_ticks (self->last_time, G_USEC_PER_SEC, self->clock_hz);
  summary->cpu_hz = self->clock_hz;
  summary->raw_bytes
      = self->throughput.total > 0
            ? self->throughput.total
            : (guint64) MAX (_ts_key_table_get_int (&self->health, "raw_bytes", 0), 0);
  summary->os = g_strdup (_ts_key_table_get (&self->meta, "va_os"));
}

/**
 * ts_recording_summary_clear:
 * @summary: filled by ts_recording_writer_get_summary()
 *
 * Thread: any
 */
void
ts_recording_summary_clear (TsRecordingSummary *summary)
{
  g_clear_pointer (&summary->os, g_free);
}
