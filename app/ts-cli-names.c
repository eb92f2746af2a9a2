/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-names.c: names out of files beside the stream: --elf, --svd, --vaschema. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include "capture/ts-vaschema.h"

#include "ts-cli.h"

/**
 * ts_cli_names_new:
 * @args: arguments
 * @is_lenient: a file that cannot be read costs its names and a remark, nothing more
 * @error: return location, for @is_lenient %NULL
 *
 * Errors: those of the files
 *
 * Returns: (transfer full) (nullable): the names that @args name files for
 */
TsNames *
ts_cli_names_new (TsCliArgs *args,
                  gboolean is_lenient,
                  GError **error)
{
  g_autoptr (TsNames) names = ts_names_new ();
  static const char *const flags[] = { "elf", "svd", "vaschema" };

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      const char *path = ts_cli_args_get (args, flags[i]);
      g_autoptr (GError) cause = NULL;

      if (path == NULL
          || (i == 0   ? ts_names_add_elf (names, path, &cause)
              : i == 1 ? ts_names_add_svd (names, path, &cause)
                       : ts_vaschema_load (path, NULL, names, &cause)))
        continue;
      if (!is_lenient)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
      ts_cli_remark ("WARNING: %s", cause->message);
    }
  return g_steal_pointer (&names);
}

/**
 * ts_cli_list_claims:
 * @path: a recording
 *
 * Source: viewalyzer-host.md section 3.3, other lines
 *
 * Returns: (transfer full) (array zero-terminated=1): a line for each Trace Domain that claimed
 * channels when it was recorded
 */
char **
ts_cli_list_claims (const char *path)
{
  g_autoptr (GStrvBuilder) lines = g_strv_builder_new ();
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autofree char *text
      = recording != NULL ? ts_recording_dup_meta (recording, "va_domains") : NULL;
  g_autoptr (JsonNode) root = text != NULL ? json_from_string (text, NULL) : NULL;
  JsonArray *list = root != NULL && JSON_NODE_HOLDS_ARRAY (root) ? json_node_get_array (root) : NULL;

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonNode *node = json_array_get_element (list, i);
      JsonObject *item = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      g_autofree char *line = NULL;

      if (item == NULL)
        continue;
      line = g_strdup_printf ("Trace Domain %s %s: claimed %" G_GINT64_FORMAT " channel(s)",
                              json_object_get_string_member_with_default (item, "id", "?"),
                              json_object_get_string_member_with_default (item, "version", "?"),
                              json_object_get_int_member_with_default (item, "channels", 0));
      g_strv_builder_add (lines, line);
    }
  return g_strv_builder_end (lines);
}

/**
 * ts_cli_remark_claims:
 * @path: a recording that was just made, by a verb whose answer is all of standard output
 *
 * Says on standard error which Trace Domains claimed channels of it.
 */
void
ts_cli_remark_claims (const char *path)
{
  g_auto (GStrv) lines = ts_cli_list_claims (path);

  for (gsize i = 0; lines[i] != NULL; i++)
    ts_cli_remark ("%s", lines[i]);
}
