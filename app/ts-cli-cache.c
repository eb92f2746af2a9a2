/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-cache.c: lanes that are made once and kept: `cache`, `reindex`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-index.h"

#include "ts-cli.h"

static JsonArray *
list_entries (guint64 *n_bytes)
{
  g_autoptr (GPtrArray) entries = ts_index_list ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < entries->len; i++)
    {
      const TsIndexEntry *entry = g_ptr_array_index (entries, i);
      g_autoptr (GDateTime) used = g_date_time_new_from_unix_utc (entry->used);
      g_autofree char *text
          = used != NULL ? g_date_time_format (used, "%Y-%m-%dT%H:%M:%SZ") : g_strdup ("");
      JsonObject *object = json_object_new ();

      ts_cli_envelope_add_text (object, "path", entry->path);
      if (entry->source != NULL)
        ts_cli_envelope_add_text (object, "recording", entry->source);
      json_object_set_int_member (object, "bytes", (gint64) entry->n_bytes);
      json_object_set_string_member (object, "used_utc", text);
      json_array_add_object_element (array, object);
      *n_bytes += entry->n_bytes;
    }
  return array;
}

/**
 * ts_cli_cache:
 * @args: arguments
 * @error: return location
 *
 * Lists or clears the lanes that are kept for recordings which bring none.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS
 *
 * Returns: exit status
 */
int
ts_cli_cache (TsCliArgs *args,
              GError **error)
{
  const char *what = ts_cli_args_get_positional (args, 0);
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_autofree char *folder = ts_index_dup_folder ();
  guint64 n_bytes = 0;

  ts_cli_envelope_add_text (object, "folder", folder);
  if (g_strcmp0 (what, "clear") == 0)
    {
      json_object_set_int_member (object, "removed_bytes", (gint64) ts_index_trim (0));
    }
  else if (what == NULL || g_str_equal (what, "list"))
    {
      json_object_set_array_member (object, "entries", list_entries (&n_bytes));
      json_object_set_int_member (object, "bytes", (gint64) n_bytes);
      json_object_set_int_member (object, "max_bytes", (gint64) TS_INDEX_DEFAULT_BYTES);
    }
  else
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("There is no “cache %s”; there are list and clear."), what);
      return 1;
    }
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_reindex:
 * @args: arguments
 * @error: return location
 *
 * Makes a recording's lanes and statistics again from its events.
 *
 * Source: events.md section 4, `reindex`
 *
 * Returns: exit status
 */
int
ts_cli_reindex (TsCliArgs *args,
                GError **error)
{
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autofree char *path = NULL;
  const char *reference = ts_cli_args_get (args, "recording");
  guint64 n_events = 0;
  gboolean ok;

  if (reference == NULL)
    reference = ts_cli_args_get_positional (args, 0);
  if (reference == NULL || *reference == '\0')
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” needs a recording: give --recording with a path or an id."),
                   args->verb);
      return 1;
    }
  path = ts_cli_index_dup_path (reference, error);
  if (path == NULL)
    return 1;

  cancellable = ts_cli_interrupt_new ();
  ok = ts_index_reindex (path, ts_cli_show_progress, NULL, cancellable, &n_events, error);
  ts_cli_end_progress ();
  if (!ok)
    return 1;
  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", path);
  json_object_set_int_member (object, "events", (gint64) n_events);
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_open_indexed:
 * @path: a recording
 * @error: return location
 *
 * Opens a recording with all its lanes, making them first where they have to be.
 *
 * Errors: those of ts_recording_open() and ts_index_build()
 *
 * Returns: (transfer full): the recording, or %NULL with @error set
 */
TsRecording *
ts_cli_open_indexed (const char *path,
                     GError **error)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, error);
  g_autoptr (GCancellable) cancellable = NULL;
  gboolean ok;

  if (recording == NULL || !ts_index_is_needed (recording))
    return g_steal_pointer (&recording);

  cancellable = ts_cli_interrupt_new ();
  ts_cli_remark ("%s", _("This recording brings no lanes: making them, once."));
  ok = ts_index_build (recording, TS_INDEX_DEFAULT_BYTES, ts_cli_show_progress, NULL, cancellable,
                       error);
  ts_cli_end_progress ();
  return ok ? ts_recording_open (path, error) : NULL;
}
