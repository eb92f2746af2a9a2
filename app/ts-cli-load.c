/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-load.c: what a recording is and whether it is whole: `load`; chips there are: `targets`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <string.h>

#include "capture/ts-target-list.h"

#include "ts-cli.h"

static void
add_meta (JsonObject *object,
          const char *member,
          TsRecording *recording,
          const char *key)
{
  g_autofree char *text = ts_recording_dup_meta (recording, key);

  ts_cli_envelope_add_text (object, member, text);
}

/* Name space of a channel, as Trace Domains know it. Source: viewalyzer-host.md section 1.6 */
static const char *
space_of (const char *type)
{
  if (g_strcmp0 (type, "watch") == 0 || g_strcmp0 (type, "polled_symbol") == 0)
    return "poll";
  return "user_trace";
}

/* The value channels, with their name spaces. */
static JsonArray *
make_channels (JsonObject *traces)
{
  JsonArray *list = json_object_get_array_member (traces, "traces");
  JsonArray *channels = json_array_new ();

  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *trace = json_array_get_object_element (list, i);
      JsonObject *item = json_object_new ();
      JsonObjectIter iter;
      const char *name;
      JsonNode *node;

      json_object_iter_init_ordered (&iter, trace);
      while (json_object_iter_next_ordered (&iter, &name, &node))
        json_object_set_member (item, name, json_node_copy (node));
      json_object_set_string_member (
          item, "ns",
          space_of (json_object_get_string_member_with_default (trace, "type", NULL)));
      json_array_add_object_element (channels, item);
    }
  return channels;
}

/**
 * ts_cli_load:
 * @args: arguments
 * @error: return location
 *
 * Opens a recording as everything else does and tells what is in it, and whether it is whole.
 *
 * Errors: those of opening it
 * Source: viewalyzer-host.md section 3.2, `load` and `--replay`; the shape is ours
 *
 * Returns: exit status
 */
int
ts_cli_load (TsCliArgs *args,
             GError **error)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (JsonNode) summary = NULL;
  g_autoptr (JsonNode) traces = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autofree char *complete = NULL;
  g_autofree char *schema = NULL;
  JsonArray *channels;

  recording = ts_cli_open_recording (args, error);
  if (recording == NULL)
    return 1;
  cancellable = ts_cli_interrupt_new ();
  summary = ts_query_run (recording, "summary", &options, cancellable, error);
  if (summary == NULL)
    return 1;
  options.budget = "high";
  traces = ts_query_run (recording, "user-traces", &options, cancellable, error);
  if (traces == NULL)
    return 1;

  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "recording_id", ts_recording_get_id (recording));
  ts_cli_envelope_add_text (object, "path", ts_recording_get_path (recording));
  json_object_set_boolean_member (object, "valid", TRUE);
  schema = ts_recording_dup_meta (recording, "taskscope_schema");
  json_object_set_string_member (object, "written_by", schema != NULL ? "Taskscope" : "other");
  complete = ts_recording_dup_meta (recording, "ts_complete");
  json_object_set_boolean_member (object, "complete",
                                  schema == NULL || g_strcmp0 (complete, "1") == 0);
  add_meta (object, "os", recording, "va_os");
  add_meta (object, "capture_source", recording, "capture_source");
  add_meta (object, "raw_format", recording, "ts_raw_format");
  add_meta (object, "created_utc", recording, "created_utc");
  json_object_set_int_member (object, "cpu_hz", (gint64) ts_recording_get_clock_hz (recording));
  json_object_set_object_member (
      object, "summary",
      json_object_ref (json_object_get_object_member (json_node_get_object (summary), "data")));
  channels = make_channels (json_node_get_object (traces));
  json_object_set_int_member (object, "channels", json_array_get_length (channels));
  json_object_set_array_member (object, "channels_detail", channels);
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_targets:
 * @args: arguments
 * @error: return location, never set
 *
 * Lists chips by name.
 *
 * Source: viewalyzer-host.md section 3.5, `targets`
 *
 * Returns: exit status
 */
int
ts_cli_targets (TsCliArgs *args,
                GError **error)
{
  const char *filter = ts_cli_args_get (args, "filter");
  g_autofree char *folded = g_utf8_casefold (filter != NULL ? filter : "", -1);
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  JsonArray *array = json_array_new ();
  const TsTargetInfo *targets;
  guint n_targets;

  targets = ts_target_list (&n_targets);
  for (guint i = 0; i < n_targets; i++)
    {
      g_autofree char *name = g_utf8_casefold (targets[i].name, -1);
      JsonObject *item;

      if (strstr (name, folded) == NULL)
        continue;
      item = json_object_new ();
      json_object_set_string_member (item, "name", targets[i].name);
      json_object_set_string_member (item, "architecture",
                                     ts_trace_arch_get_name (targets[i].arch));
      json_array_add_object_element (array, item);
    }
  ts_cli_envelope_add_text (object, "filter", filter != NULL ? filter : "");
  json_object_set_int_member (object, "count", json_array_get_length (array));
  json_object_set_array_member (object, "targets", array);
  ts_cli_envelope_print (args, object);
  return 0;
}
