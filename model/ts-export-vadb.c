/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-vadb.c: a part of a recording as a recording of its own. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-domain.h"
#include "ts-export-private.h"
#include "ts-export-vadb.h"
#include "ts-instrument-private.h"
#include "ts-recording-writer-private.h"

#define BATCH 4096
/* Texts whose new ids are remembered. */
#define MAX_KNOWN_TEXTS (64 * 1024)

#define END_REASON "end of the exported range"

typedef struct
{
  TsRecording *recording;
  TsRecordingWriter *writer;
  TsEventSink *sink;
  TsEventFilter filter;
  gint64 offset;          /* taken off every time */
  GHashTable *objects;    /* (nullable) old id to new id; NULL: they are the same */
  GHashTable *texts;      /* old id to new id */
  guint64 n_lost;
  guint64 n_gaps;
  guint64 n_corrupt;
  guint64 n_sessions;
  gboolean has_end;
  TsInstrument *series;   /* (nullable): to be merged */
  guint next_sample;
  guint32 *series_objects;
  GArray *merged;         /* of TsEvent */
} Cut;

/* ---- what the recording says about itself ---- */

/* Rows of meta that the new recording has of its own, or that are not true of it. */
static const char * const own_keys[] = {
  "format",        "has_va",          "va_cpu_hz",   "ts_clock_assumed", "ts_t0_ticks",
  "ts_version",    "ts_recording_id", "ts_complete", "taskscope_schema", "ts_raw_format",
  NULL,
};

static void
copy_meta (Cut *self)
{
  sqlite3 *db = _ts_recording_begin_read (self->recording, TS_QUERY_LIMIT_US, NULL);
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  sqlite3_stmt *stmt = NULL;
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT key,value FROM meta", -1, &stmt, NULL) == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          char *name = _ts_column_dup_text (stmt, 0);

          if (name != NULL)
            g_hash_table_replace (rows, name, _ts_column_dup_text (stmt, 1));
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self->recording);

  g_hash_table_iter_init (&iter, rows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      if (value == NULL || g_strv_contains (own_keys, key))
        continue;
      if (strcmp (key, "va_os") == 0)
        self->sink->iface->set_info (self->sink, "os", value);
      else
        ts_recording_writer_set_meta (self->writer, key, value);
    }

  if (g_hash_table_lookup (rows, "ts_clock_assumed") == NULL)
    self->sink->iface->set_clock (self->sink, ts_recording_get_clock_hz (self->recording));
}

static void
set_meta_int (Cut *self,
              const char *key,
              gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  ts_recording_writer_set_meta (self->writer, key, text);
}

/* Lanes were chosen, and not those of all tasks. */
static gboolean
lacks_tasks (Cut *self)
{
  for (guint32 id = 1; self->filter.objects != NULL && id <= self->recording->n_objects; id++)
    {
      const TsObject *object = ts_recording_get_object (self->recording, id);

      if (object != NULL && object->type == TS_OBJECT_TASK
          && !g_hash_table_contains (self->filter.objects, GUINT_TO_POINTER (id)))
        return TRUE;
    }
  return FALSE;
}

static void
write_origin (Cut *self)
{
  g_autofree char *t0 = ts_recording_dup_meta (self->recording, "ts_t0_ticks");
  const char *id = ts_recording_get_id (self->recording);

  if (lacks_tasks (self))
    set_meta_int (self, TS_META_CUT_LANES, 1);
  set_meta_int (self, "ts_t0_ticks",
                (t0 != NULL ? g_ascii_strtoll (t0, NULL, 10) : 0) + self->offset);
  if (*id != '\0')
    ts_recording_writer_set_meta (self->writer, "ts_cut_of", id);
  set_meta_int (self, "ts_cut_begin_ticks", self->filter.begin_ticks);
  set_meta_int (self, "ts_cut_end_ticks",
                MIN (self->filter.end_ticks, ts_recording_get_duration (self->recording)));
}

static void
set_health_uint (Cut *self,
                 const char *key,
                 guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  ts_recording_writer_set_health (self->writer, key, text);
}

/* Losses and damage of the range, not of the whole. */
static void
write_health (Cut *self)
{
  g_autofree char *has_seq = ts_recording_dup_summary (self->recording, "seq_present");

  ts_recording_writer_set_health (self->writer, "seq_present", has_seq != NULL ? has_seq : "0");
  set_health_uint (self, "lost_events", self->n_lost);
  set_health_uint (self, "seq_gaps", self->n_gaps);
  set_health_uint (self, "corrupt_bytes", self->n_corrupt);
  set_health_uint (self, "sessions", self->n_sessions);
}

/* ---- objects, texts, events ---- */

static int
compare_ids (gconstpointer a,
             gconstpointer b)
{
  guint32 left = *(const guint32 *) a;
  guint32 right = *(const guint32 *) b;

  return left < right ? -1 : left > right;
}

/* All objects, also of lanes that are left out: events name them. Ids stay as they are unless the
 * recording left some out. */
static void
copy_objects (Cut *self)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  gboolean are_same = TRUE;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->recording->objects);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint32 id = GPOINTER_TO_UINT (key);

      g_array_append_val (ids, id);
    }
  g_array_sort (ids, compare_ids);

  for (guint i = 0; i < ids->len; i++)
    {
      guint32 old_id = g_array_index (ids, guint32, i);
      guint32 new_id = self->sink->iface->define_object (
          self->sink, ts_recording_get_object (self->recording, old_id));

      g_hash_table_insert (map, GUINT_TO_POINTER (old_id), GUINT_TO_POINTER (new_id));
      if (new_id != old_id)
        are_same = FALSE;
    }
  if (!are_same)
    self->objects = g_steal_pointer (&map);
}

static guint32
map_object (Cut *self,
            guint32 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->objects, GUINT_TO_POINTER (id)));
}

static void
map_detail (Cut *self,
            TsEvent *event)
{
  guint32 id = map_object (self, (guint32) ts_event_get_detail (event));

  event->detail = (gint64) (((guint64) ts_event_get_text_id (event) << 32) | id);
}

/* Objects that an event names. Source: events.md section 1, operands beyond the plain one */
static void
map_objects (Cut *self,
             TsEvent *event)
{
  event->object = map_object (self, event->object);
  switch (event->kind)
    {
    case TS_EVENT_MUTEX_CONTENTION:
      event->value = map_object (self, (guint32) event->value);
      map_detail (self, event);
      break;

    case TS_EVENT_TASK_NOTIFY:
    case TS_EVENT_TASK_STATE:
      map_detail (self, event);
      break;

    default:
      break;
    }
}

static void
map_text (Cut *self,
          TsEvent *event)
{
  guint32 old_id = ts_event_get_text_id (event);
  guint32 new_id = GPOINTER_TO_UINT (g_hash_table_lookup (self->texts, GUINT_TO_POINTER (old_id)));
  const char *text;

  if (new_id == 0)
    {
      text = ts_recording_get_string (self->recording, old_id);
      if (text == NULL)
        {
          event->detail = ts_event_get_detail (event);
          event->flags &= (guint8) ~TS_EVENT_FLAG_TEXT;
          return;
        }
      new_id = self->sink->iface->intern (self->sink, text, -1);
      if (g_hash_table_size (self->texts) >= MAX_KNOWN_TEXTS)
        g_hash_table_remove_all (self->texts);
      g_hash_table_insert (self->texts, GUINT_TO_POINTER (old_id), GUINT_TO_POINTER (new_id));
    }
  event->detail = (gint64) (((guint64) new_id << 32) | (guint32) event->detail);
}

/* Losses are kept whatever was chosen: nothing may look complete that is not. */
static inline gboolean
is_wanted (Cut *self,
           const TsEvent *event)
{
  return event->kind >= TS_EVENT_DATA_LOSS || _ts_event_filter_matches (&self->filter, event);
}

static void
count_host_event (Cut *self,
                  const TsEvent *event)
{
  switch (event->kind)
    {
    case TS_EVENT_DATA_LOSS:
      self->n_gaps++;
      self->n_lost += (guint64) MAX (event->value, 0);
      break;
    case TS_EVENT_CORRUPT:
      self->n_corrupt += (guint64) MAX (event->value, 0);
      break;
    case TS_EVENT_SESSION_START:
      self->n_sessions++;
      break;
    case TS_EVENT_CAPTURE_END:
      self->has_end = TRUE;
      break;
    default:
      break;
    }
}

/* Makes the first @n events those of the new recording; returns how many are left. */
static guint
convert (Cut *self,
         TsEvent *events,
         guint n)
{
  guint n_kept = 0;

  for (guint i = 0; i < n; i++)
    {
      TsEvent *event = &events[n_kept];

      if (!is_wanted (self, &events[i]))
        continue;

      *event = events[i];
      event->time = MAX (event->time - self->offset, 0);
      if (self->objects != NULL)
        map_objects (self, event);
      if ((event->flags & TS_EVENT_FLAG_TEXT) != 0)
        map_text (self, event);
      if (G_UNLIKELY (event->kind >= TS_EVENT_DATA_LOSS))
        count_host_event (self, event);
      n_kept++;
    }
  return n_kept;
}

static gboolean
copy_state (Cut *self,
            GCancellable *cancellable,
            GError **error)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  guint n;

  if (!_ts_export_add_state (self->recording, self->filter.begin_ticks, &self->filter, events,
                             cancellable, error))
    return FALSE;

  /* The filter was asked about what each of them stands for. */
  for (guint i = 0; i < events->len; i++)
    {
      TsEvent *event = &g_array_index (events, TsEvent, i);

      event->time -= self->offset;
      if (self->objects != NULL)
        map_objects (self, event);
      if ((event->flags & TS_EVENT_FLAG_TEXT) != 0)
        map_text (self, event);
    }
  n = events->len;
  self->sink->iface->events (self->sink, (const TsEvent *) events->data, n);
  return TRUE;
}

/* ---- an instrument's series ---- */

static void
define_series (Cut *self)
{
  TsInstrument *series = self->series;

  self->series_objects = g_new0 (guint32, series->channel_names->len);
  for (guint i = 0; i < series->channel_names->len; i++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = TS_OBJECT_USER_TRACE;
      object.name = g_ptr_array_index (series->channel_names, i);
      object.unit = g_ptr_array_index (series->units, i);
      object.is_named = TRUE;
      self->series_objects[i] = self->sink->iface->define_object (self->sink, &object);
    }
}

/* The next sample on the recording's clock; a time on two clocks is never exact. */
static TsEvent
get_sample (Cut *self)
{
  const TsInstrumentSample *sample
      = &g_array_index (self->series->samples, TsInstrumentSample, self->next_sample);
  double t_us = self->series->offset_us + self->series->scale * sample->t_us;
  union
  {
    double d;
    gint64 i;
  } value = { .d = sample->value };

  return (TsEvent){ .time = ts_recording_us_to_ticks (self->recording, (gint64) t_us),
                    .kind = TS_EVENT_EXTERNAL_TRACE,
                    .object = self->series_objects[sample->channel],
                    .value = value.i,
                    .flags = TS_EVENT_FLAG_FLOAT | TS_EVENT_FLAG_TIME_ESTIMATED };
}

/* Hands on @n events, the samples that lie before each of them first. */
static void
pass_on (Cut *self,
         const TsEvent *events,
         guint n)
{
  if (self->series == NULL)
    {
      self->sink->iface->events (self->sink, events, n);
      return;
    }

  g_array_set_size (self->merged, 0);
  for (guint i = 0; i < n; i++)
    {
      while (self->next_sample < self->series->samples->len)
        {
          TsEvent sample = get_sample (self);

          if (sample.time > events[i].time)
            break;
          /* before the begin there is nothing to lay it on */
          if (sample.time >= 0)
            g_array_append_val (self->merged, sample);
          self->next_sample++;
        }
      g_array_append_val (self->merged, events[i]);
    }
  self->sink->iface->events (self->sink, (const TsEvent *) (gpointer) self->merged->data,
                             self->merged->len);
}

/* Bytes as they came, so that the recording can still be decoded again. */
static gboolean
copy_raw (Cut *self,
          GCancellable *cancellable,
          GError **error)
{
  sqlite3 *db = _ts_recording_begin_read (self->recording, 0, NULL);
  sqlite3_stmt *stmt = NULL;
  gboolean ok = TRUE;

  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT t_host_us,source,bytes FROM raw_log ORDER BY id", -1,
                             &stmt, NULL)
             == SQLITE_OK)
    while (ok && sqlite3_step (stmt) == SQLITE_ROW)
      {
        const guint8 *bytes = sqlite3_column_blob (stmt, 2);

        ts_recording_writer_push_raw (self->writer, sqlite3_column_int64 (stmt, 0),
                                      (guint32) sqlite3_column_int (stmt, 1), bytes,
                                      (gsize) sqlite3_column_bytes (stmt, 2));
        ok = ts_recording_writer_tick (self->writer, FALSE, error)
             && _ts_query_check_cancelled (cancellable, error);
      }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self->recording);
  return ok;
}

static gboolean
copy_events (Cut *self,
             TsExportProgress progress,
             gpointer user_data,
             GCancellable *cancellable,
             GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, BATCH);
  guint64 first = self->filter.first_row;
  guint64 end = self->filter.end_row;
  guint64 row = first;

  while (row < end)
    {
      guint n = 0;
      guint n_kept;

      if (!_ts_query_check_cancelled (cancellable, error)
          || !ts_recording_read_events (self->recording, row, (guint) MIN (end - row, BATCH),
                                        events, &n, error))
        return FALSE;
      if (n == 0)
        break;

      n_kept = convert (self, events, n);
      pass_on (self, events, n_kept);
      row += n;
      if (!ts_recording_writer_tick (self->writer, FALSE, error))
        return FALSE;
      /* Forgets texts; a live recording must not change here. */
      if (self->recording->live == NULL)
        ts_recording_refresh (self->recording);
      if (progress != NULL)
        progress ((double) (row - first) / (double) (end - first), user_data);
    }
  return TRUE;
}

/* The last row, so that what is open lasts to the end of the range. */
static void
add_end (Cut *self)
{
  gint64 end = MIN (self->filter.end_ticks, ts_recording_get_duration (self->recording));
  guint32 text;
  TsEvent event = { .time = MAX (end - self->offset, 0),
                    .kind = TS_EVENT_CAPTURE_END,
                    .flags = TS_EVENT_FLAG_SYNTHETIC | TS_EVENT_FLAG_TEXT };

  if (self->has_end || end < self->filter.begin_ticks)
    return;

  text = self->sink->iface->intern (self->sink, END_REASON, -1);
  event.detail = (gint64) ((guint64) text << 32);
  self->sink->iface->events (self->sink, &event, 1);
}

static gboolean
write_cut (Cut *self,
           TsExportProgress progress,
           gpointer user_data,
           GCancellable *cancellable,
           GError **error)
{
  g_autofree char *end_reason = NULL;

  self->sink = ts_recording_writer_get_sink (self->writer);
  copy_meta (self);
  if (self->series == NULL)
    write_origin (self);
  copy_objects (self);
  if (self->series != NULL)
    {
      g_autofree char *format = ts_recording_dup_meta (self->recording, "ts_raw_format");
      g_autofree char *t0 = ts_recording_dup_meta (self->recording, "ts_t0_ticks");

      define_series (self);
      if (format != NULL)
        ts_recording_writer_set_meta (self->writer, "ts_raw_format", format);
      if (t0 != NULL)
        ts_recording_writer_set_meta (self->writer, "ts_t0_ticks", t0);
      if (*ts_recording_get_id (self->recording) != '\0')
        ts_recording_writer_set_meta (self->writer, "ts_recording_id",
                                      ts_recording_get_id (self->recording));
      if (!copy_raw (self, cancellable, error))
        return FALSE;
    }
  if (!copy_state (self, cancellable, error)
      || !copy_events (self, progress, user_data, cancellable, error))
    return FALSE;

  if (self->has_end)
    end_reason = ts_recording_dup_health (self->recording, "end_reason");
  add_end (self);
  write_health (self);
  if (self->series != NULL)
    ts_domain_note_claims (self->writer);
  return ts_recording_writer_close (self->writer, end_reason != NULL ? end_reason : END_REASON,
                                    error);
}

static TsRecordingWriter *
make_writer (const TsExportFile *file,
             gboolean keep_raw_log,
             GError **error)
{
  const TsWriterOptions options = { .keep_raw_log = keep_raw_log, .is_all_or_nothing = TRUE,
                                    .shown_path = file->path };

  /* Its name is what is wanted of the file: a writer would keep it as an older recording. */
  g_unlink (file->temporary);
  return ts_recording_writer_new (file->temporary, &options, error);
}

/**
 * ts_export_vadb:
 * @recording: a recording
 * @path: file to make; replaced at the end only, when all went well
 * @options: (nullable): kinds, lanes and times (both ends inclusive)
 * @rebase: times begin at the begin of the range; else they stay as they are
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @n_events: (out) (optional): events of the target in the new recording
 * @error: return location
 *
 * Writes a part of a recording as a recording that opens alone: objects, texts, what is known of
 * the target, every chosen event of the range, and before them what was running, waiting, open and
 * held when it begins, as events with bit 2 of `flags`. Rows of losses are always kept. The raw log
 * is not: its bytes have no place in time. `meta` tells `ts_cut_of`, `ts_cut_begin_ticks` and
 * `ts_cut_end_ticks`. Where the lanes of some tasks only are chosen, `ts_cut_lanes` says so, and the
 * load of the processor is theirs.
 *
 * Cost: about a microsecond an event of the range; what lies before costs next to nothing
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_CANCELLED,
 *   %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
ts_export_vadb (TsRecording *recording,
                const char *path,
                const TsQueryOptions *options,
                gboolean rebase,
                TsExportProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                guint64 *n_events,
                GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autoptr (GHashTable) texts = g_hash_table_new (NULL, NULL);
  Cut self = { .recording = recording, .texts = texts };
  TsExportFile file = { .fd = -1 };
  gboolean ok = FALSE;

  g_return_val_if_fail (TS_IS_RECORDING (recording) && path != NULL, FALSE);

  if (!_ts_export_filter_init (&self.filter, recording, options != NULL ? options : &defaults,
                               error))
    return FALSE;

  self.offset = rebase ? self.filter.begin_ticks : 0;
  if (_ts_export_file_open (&file, recording, path, error))
    {
      self.writer = make_writer (&file, FALSE, error);
      ok = self.writer != NULL && write_cut (&self, progress, user_data, cancellable, error);
      if (self.writer != NULL && n_events != NULL)
        *n_events = ts_recording_writer_get_n_events (self.writer);
      g_clear_pointer (&self.writer, ts_recording_writer_free);
      ok = ok && _ts_export_file_finish (&file, error);
    }

  _ts_export_file_clear (&file);
  _ts_event_filter_clear (&self.filter);
  g_clear_pointer (&self.objects, g_hash_table_unref);
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}

/**
 * ts_instrument_merge:
 * @self: series; ts_instrument_fit() has laid their clock on the recording's
 * @recording: the recording they belong to
 * @path: file to make; may be that of @recording, which is replaced when all went well
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is changed
 * @error: return location
 *
 * Writes the recording once more, with the samples in it as events of kind `external_trace` and
 * channels of their own. Samples before its begin or after its last event are left out.
 *
 * Thread: owner of @recording
 * Errors: as ts_export_vadb()
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_instrument_merge (TsInstrument *self,
                     TsRecording *recording,
                     const char *path,
                     TsExportProgress progress,
                     gpointer user_data,
                     GCancellable *cancellable,
                     GError **error)
{
  static const TsQueryOptions everything = TS_QUERY_OPTIONS_INIT;
  g_autoptr (GHashTable) texts = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) merged = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  Cut cut = { .recording = recording, .texts = texts, .series = self, .merged = merged };
  g_autofree char *beside = NULL;
  g_autofree char *full = NULL;
  g_autofree char *own = NULL;
  TsExportFile file = { .fd = -1 };
  gboolean is_same;
  gboolean ok = FALSE;

  g_return_val_if_fail (self != NULL && TS_IS_RECORDING (recording) && path != NULL, FALSE);

  if (!_ts_event_filter_init (&cut.filter, recording, &everything, error))
    return FALSE;
  /* An export never writes over its source; this one takes its place when it is whole. */
  full = g_canonicalize_filename (path, NULL);
  own = g_canonicalize_filename (ts_recording_get_path (recording), NULL);
  is_same = strcmp (full, own) == 0;
  beside = is_same ? g_strconcat (path, ".merged", NULL) : g_strdup (path);
  if (_ts_export_file_open (&file, recording, beside, error))
    {
      cut.writer = make_writer (&file, TRUE, error);
      ok = cut.writer != NULL && write_cut (&cut, progress, user_data, cancellable, error);
      g_clear_pointer (&cut.writer, ts_recording_writer_free);
      ok = ok && _ts_export_file_finish (&file, error);
    }
  if (ok && is_same && g_rename (beside, path) != 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot replace %s: %s"),
                   file.display_name, g_strerror (errno));
      g_unlink (beside);
      ok = FALSE;
    }

  _ts_export_file_clear (&file);
  _ts_event_filter_clear (&cut.filter);
  g_clear_pointer (&cut.objects, g_hash_table_unref);
  g_free (cut.series_objects);
  return ok;
}
