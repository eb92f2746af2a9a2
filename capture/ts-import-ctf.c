/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-import-ctf.c: traces in the Common Trace Format, of LTTng, Zephyr or ourselves, to a recording.
 *
 * libbabeltrace2 reads them: one source for each folder with `metadata`, a muxer that puts their
 * events in order of time, and a sink that is us.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "model/ts-domain.h"
#include "model/ts-recording-writer.h"
#include "ts-capture-session.h"
#include "ts-import-private.h"
#ifdef TS_HAVE_BABELTRACE
#include "ts-ctf-import-private.h"
#include "ts-ctf-pad-private.h"
#include "ts-ctf-progress-private.h"
#include "ts-import-apart-private.h"
#endif

#define METADATA "metadata"
/* Folders in folders that are looked at: `kernel`, `ust/uid/1000/64-bit`. */
#define MAX_DEPTH 5
#define MAX_TRACES 64
/* Progress is told so often. */
#define PROGRESS_US 100000

static gint
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
find_traces (const char *folder,
             guint depth,
             GPtrArray *traces)
{
  g_autofree char *metadata = g_build_filename (folder, METADATA, NULL);
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (traces->len >= MAX_TRACES)
    return;
  if (g_file_test (metadata, G_FILE_TEST_IS_REGULAR))
    {
      g_ptr_array_add (traces, g_strdup (folder));
      return;
    }
  if (depth == 0 || (dir = g_dir_open (folder, 0, NULL)) == NULL)
    return;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, g_ptr_array_index (names, i), NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        find_traces (path, depth - 1, traces);
    }
}

/*
 * _ts_import_list_ctf_traces:
 * @path: a folder, or the file `metadata` in one
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the folders of CTF traces there, in
 *   or below it; %NULL where @path is something else
 */
char **
_ts_import_list_ctf_traces (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  GPtrArray *traces;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      traces = g_ptr_array_new ();
      find_traces (path, MAX_DEPTH, traces);
    }
  else if (strcmp (name, METADATA) == 0)
    {
      traces = g_ptr_array_new ();
      g_ptr_array_add (traces, g_path_get_dirname (path));
    }
  else
    return NULL;
  g_ptr_array_add (traces, NULL);
  return (char **) g_ptr_array_free (traces, FALSE);
}

#ifdef TS_HAVE_BABELTRACE

/* Packets of metadata: magic, UUID, checksum, then the sizes in bits of content and packet.
 * Source: CTF 1.8.3 section 7.1 */
#define METADATA_MAGIC 0x75D11D57u
#define METADATA_HEADER 37
#define AT_CONTENT_BITS 24

/* Whether the packets of the metadata in @folder, where it has any, hold what they say: the library
 * would wait for the rest without an end. */
static gboolean
check_metadata (const char *folder,
                GError **error)
{
  g_autofree char *path = g_build_filename (folder, METADATA, NULL);
  g_autofree char *text = NULL;
  g_autofree char *name = g_filename_display_name (folder);
  gboolean is_big = FALSE;
  guint32 sizes[2];
  guint32 magic;
  gsize n = 0;

  if (!g_file_get_contents (path, &text, &n, NULL) || n < sizeof magic)
    return TRUE; /* the library says what is wrong */
  memcpy (&magic, text, sizeof magic);
  is_big = magic == GUINT32_SWAP_LE_BE (METADATA_MAGIC);
  if (magic != METADATA_MAGIC && !is_big)
    return TRUE;
  for (gsize at = 0; at < n;)
    {
      gsize content;
      gsize packet;

      if (n - at < METADATA_HEADER)
        break;
      memcpy (sizes, text + at + AT_CONTENT_BITS, sizeof sizes);
      content = (is_big ? GUINT32_SWAP_LE_BE (sizes[0]) : sizes[0]) / 8;
      packet = (is_big ? GUINT32_SWAP_LE_BE (sizes[1]) : sizes[1]) / 8;
      if (content < METADATA_HEADER || content > packet || packet > n - at)
        break;
      at += packet;
      if (at == n)
        return TRUE;
    }
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("Cannot read the CTF trace “%s”: %s"), name, _("it is damaged"));
  return FALSE;
}

typedef struct
{
  bt_graph *graph;
  const bt_component_filter *muxer;
  guint64 n_ports; /* of the muxer that are taken */
  TsCtfEvents *events;
  GCancellable *cancellable;
  TsImportProgress progress;
  gpointer user_data;
  TsCtfProgress *read;
  gint64 told_us;
} Reader;

/* Tells how far it is, to another program too. */
static void
tell (Reader *self,
      double fraction)
{
  _ts_apart_tell (fraction);
  if (self->progress != NULL)
    self->progress (fraction, self->user_data);
}

static void
tell_sometimes (Reader *self)
{
  gint64 now_us = g_get_monotonic_time ();

  if (now_us - self->told_us < PROGRESS_US)
    return;
  tell (self, _ts_ctf_progress_get (self->read));
  self->told_us = now_us;
}

/* What the library says went wrong: the innermost reason. */
static char *
dup_reason (void)
{
  const bt_error *error = bt_current_thread_take_error ();
  char *reason;

  if (error == NULL)
    return g_strdup (_("it is damaged"));
  reason = g_utf8_make_valid (
      bt_error_get_cause_count (error) > 0
          ? bt_error_cause_get_message (bt_error_borrow_cause_by_index (error, 0))
          : "",
      -1);
  g_strdelimit (reason, "\n", ' ');
  bt_error_release (error);
  return reason;
}

static void
set_bad_trace (const char *path,
               GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *reason = dup_reason ();

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("Cannot read the CTF trace “%s”: %s"), name, reason);
}

/* The sink. */
static bt_graph_simple_sink_component_consume_func_status
consume (bt_message_iterator *iterator,
         void *user_data)
{
  Reader *self = user_data;
  bt_message_array_const messages;
  guint64 n = 0;

  switch (bt_message_iterator_next (iterator, &messages, &n))
    {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
      break;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR:
    default:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
    }
  for (guint64 i = 0; i < n; i++)
    {
      bt_message_type type = bt_message_get_type (messages[i]);

      if (type == BT_MESSAGE_TYPE_EVENT)
        _ts_ctf_events_take (self->events, messages[i]);
      else if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
        _ts_ctf_events_take_loss (self->events, messages[i]);
      bt_message_put_ref (messages[i]);
    }
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* The source of one trace, all its streams into the muxer. */
static gboolean
add_source (Reader *self,
            const bt_component_class_source *class,
            guint number,
            const char *folder)
{
  g_autofree char *name = g_strdup_printf ("trace %u", number);
  bt_value *parameters = bt_value_map_create ();
  bt_value *inputs = bt_value_array_create ();
  const bt_component_source *source = NULL;
  gboolean ok;

  bt_value_array_append_string_element (inputs, folder);
  bt_value_map_insert_entry (parameters, "inputs", inputs);
  /* a clock that counts from anything can be put beside others */
  bt_value_map_insert_bool_entry (parameters, "force-clock-class-origin-unix-epoch", BT_TRUE);
  ok = bt_graph_add_source_component (self->graph, class, name, parameters, BT_LOGGING_LEVEL_NONE,
                                      &source)
       == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
  for (guint64 i = 0; ok && i < bt_component_source_get_output_port_count (source); i++)
    ok = bt_graph_connect_ports (
             self->graph, bt_component_source_borrow_output_port_by_index_const (source, i),
             bt_component_filter_borrow_input_port_by_index_const (self->muxer, self->n_ports++),
             NULL)
         == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
  bt_value_put_ref (inputs);
  bt_value_put_ref (parameters);
  return ok;
}

/* Sources, muxer and sink for the traces in @folders, which @path stands for. */
static gboolean
build_graph (Reader *self,
             const char *path,
             char **folders,
             GError **error)
{
  const bt_plugin *ctf = NULL;
  const bt_plugin *utils = NULL;
  const bt_component_sink *sink = NULL;
  gboolean ok = TRUE;

  if (bt_plugin_find ("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf)
          != BT_PLUGIN_FIND_STATUS_OK
      || bt_plugin_find ("utils", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &utils)
             != BT_PLUGIN_FIND_STATUS_OK)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
                           _("The parts of Babeltrace 2 that read CTF traces are not installed."));
      ok = FALSE;
    }
  else
    {
      ok = bt_graph_add_filter_component (
               self->graph, bt_plugin_borrow_filter_component_class_by_name_const (utils, "muxer"),
               "muxer", NULL, BT_LOGGING_LEVEL_NONE, &self->muxer)
               == BT_GRAPH_ADD_COMPONENT_STATUS_OK
           && bt_graph_add_simple_sink_component (self->graph, "events", NULL, consume, NULL, self,
                                                  &sink)
                  == BT_GRAPH_ADD_COMPONENT_STATUS_OK
           && bt_graph_connect_ports (
                  self->graph,
                  bt_component_filter_borrow_output_port_by_index_const (self->muxer, 0),
                  bt_component_sink_borrow_input_port_by_index_const (sink, 0), NULL)
                  == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
      if (!ok)
        set_bad_trace (path, error);
      for (guint i = 0; ok && folders[i] != NULL; i++)
        if (!add_source (self, bt_plugin_borrow_source_component_class_by_name_const (ctf, "fs"), i,
                         folders[i]))
          {
            /* not the name of a copy */
            set_bad_trace (g_str_has_prefix (folders[i], path) ? folders[i] : path, error);
            ok = FALSE;
          }
    }
  bt_plugin_put_ref (ctf);
  bt_plugin_put_ref (utils);
  return ok;
}

/* Reads all events into the recording. */
static gboolean
read_all (Reader *self,
          TsRecordingWriter *writer,
          const char *path,
          GError **error)
{
  for (;;)
    {
      bt_graph_run_once_status status = bt_graph_run_once (self->graph);

      if (status == BT_GRAPH_RUN_ONCE_STATUS_END)
        return TRUE;
      if (status != BT_GRAPH_RUN_ONCE_STATUS_OK && status != BT_GRAPH_RUN_ONCE_STATUS_AGAIN)
        {
          set_bad_trace (path, error);
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error)
          || !ts_recording_writer_tick (writer, FALSE, error))
        return FALSE;
      tell_sometimes (self);
    }
}

/* Ends the recording of a trace that was read as far as it can be. */
static gboolean
finish (TsRecordingWriter *writer,
        const char *name,
        TsRecordingSummary *summary,
        GError *read_error,
        GError **error)
{
  GError *close_error = NULL;

  if (read_error != NULL && g_error_matches (read_error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      ts_recording_writer_discard (writer);
      g_propagate_error (error, read_error);
      return FALSE;
    }
  if (ts_recording_writer_get_n_events (writer) == 0)
    {
      ts_recording_writer_discard (writer);
      if (read_error != NULL)
        g_propagate_error (error, read_error);
      else
        g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                     _("No event was found in the CTF trace “%s”."), name);
      return FALSE;
    }
  ts_domain_note_claims (writer);
  if (!ts_recording_writer_close (writer, read_error != NULL ? read_error->message : "end of source",
                                  &close_error))
    {
      g_clear_error (&read_error);
      g_propagate_error (error, close_error);
      return FALSE;
    }
  if (read_error != NULL)
    {
      g_propagate_error (error, read_error);
      return FALSE;
    }
  if (summary != NULL)
    ts_recording_writer_get_summary (writer, summary);
  return TRUE;
}

/* Reads traces on this thread. */
static gboolean
import_here (Reader *reader,
             const char *path,
             char **folders,
             TsNames *names,
             const char *output,
             TsRecordingSummary *summary,
             GError **error)
{
  static const TsWriterOptions options = { .capture_source = "ctf" };
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (TsRecordingWriter) writer = NULL;
  TsEventSink *sink;
  g_autoptr (TsCtfProgress) progress = _ts_ctf_progress_new (folders);
  GError *read_error = NULL;

  reader->read = progress;
  reader->graph = bt_graph_create (0);
  if (!build_graph (reader, path, folders, &read_error))
    {
      bt_graph_put_ref (reader->graph);
      g_propagate_error (error, read_error);
      return FALSE;
    }
  writer = ts_recording_writer_new (output, &options, &read_error);
  if (writer == NULL)
    {
      bt_graph_put_ref (reader->graph);
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE, read_error->message);
      g_clear_error (&read_error);
      return FALSE;
    }
  sink = ts_names_sink_new (names, ts_recording_writer_get_sink (writer));
  reader->events = _ts_ctf_events_new (sink);
  if (read_all (reader, writer, path, &read_error))
    tell (reader, 1.0);
  _ts_ctf_events_flush (reader->events);
  bt_graph_put_ref (reader->graph);
  _ts_ctf_events_free (reader->events);
  ts_names_sink_free (sink);
  return finish (writer, name, summary, read_error, error);
}

/* Reads traces, those without packets as copies, in a process of its own where there is a program
 * for it. */
static gboolean
import_traces (Reader *reader,
               const char *path,
               char **folders,
               TsNames *names,
               const char *output,
               TsRecordingSummary *summary,
               GError **error)
{
  g_auto (GStrv) given = _ts_apart_dup_folders ();
  g_autofree char *program = NULL;
  g_autoptr (TsCtfPad) copies = NULL;
  g_autoptr (GError) cause = NULL;

  if (given != NULL)
    return import_here (reader, path, given, names, output, summary, error);
  copies = _ts_ctf_pad_new (folders, output, reader->cancellable, &cause);
  if (copies == NULL)
    {
      if (cause->domain == TS_MODEL_ERROR)
        g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE, cause->message);
      else
        g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  folders = _ts_ctf_pad_get_folders (copies);
  program = _ts_apart_find_program (names);
  return program != NULL
             ? _ts_apart_import (program, path, folders, names, output, reader->progress,
                                 reader->user_data, reader->cancellable, summary, error)
             : import_here (reader, path, folders, names, output, summary, error);
}
#endif

/*
 * _ts_import_ctf:
 * @path: what is told to the user
 * @folders: (array zero-terminated=1): folders of traces
 * @names: (nullable): names that the trace does not hold
 * @output: path of the recording
 * @progress: (nullable): called every 100 ms or so with the part of the bytes that was read
 * @user_data: for @progress
 * @cancellable: (nullable): stops the import; nothing is left
 * @summary: (out) (optional): figures
 * @error: return location
 *
 * Reads CTF traces, merged in order of time, into a recording. The clock is that of the first event;
 * where another trace has a clock of another rate, its times are converted. What was read of a
 * damaged trace is kept. A program of its own reads where there is one beside this: what makes the
 * library give up ends that one.
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_CAPTURE_ERROR_CONNECT for a folder without a trace, %TS_CAPTURE_ERROR_BAD_CONFIG for a trace that cannot be read, %TS_CAPTURE_ERROR_EMPTY,
 *   %TS_CAPTURE_ERROR_NOT_BUILT, %TS_CAPTURE_ERROR_WRITE, %G_IO_ERROR_CANCELLED
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_import_ctf (const char *path,
                char **folders,
                TsNames *names,
                const char *output,
                TsImportProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                TsRecordingSummary *summary,
                GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
#ifdef TS_HAVE_BABELTRACE
  Reader reader = { .cancellable = cancellable, .progress = progress, .user_data = user_data };
#endif

  if (folders[0] == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("“%s” is a folder without a CTF trace: there is no file “metadata” in it."), name);
      return FALSE;
    }
#ifdef TS_HAVE_BABELTRACE
  for (guint i = 0; folders[i] != NULL; i++)
    if (!check_metadata (folders[i], error))
      return FALSE;
  return import_traces (&reader, path, folders, names, output, summary, error);
#else
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
               _("Cannot read the CTF trace “%s”: this program was built without Babeltrace 2."), name);
  return FALSE;
#endif
}
