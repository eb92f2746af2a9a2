/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-index.c: the index of captured recordings in the user's data folder.
 *
 * One JSON file, replaced whole; a lock file beside it keeps two captures that end at once from
 * losing each other's entry.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "ts-cli.h"

#define INDEX_VERSION 1
#define MAX_ENTRIES 100000

/**
 * ts_cli_index_dup_folder:
 *
 * Returns: (transfer full): the folder of the index and of recordings without a place of their own
 */
char *
ts_cli_index_dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "taskscope", NULL);
}

static char *
dup_index_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "taskscope", "recordings.json", NULL);
}

/* Takes the lock; the caller closes the descriptor to give it back. */
static int
lock_index (GError **error)
{
  g_autofree char *folder = ts_cli_index_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "recordings.json.lock", NULL);
  int fd = -1;

  if (g_mkdir_with_parents (folder, 0700) == 0)
    fd = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0)
    {
      int result;

      do
        result = flock (fd, LOCK_EX);
      while (result != 0 && errno == EINTR);
      if (result == 0)
        return fd;
    }
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL,
               _("Cannot lock the index of recordings %s: %s"), path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

static gboolean
is_entry (JsonNode *node)
{
  JsonObject *object;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  object = json_node_get_object (node);
  return json_object_get_string_member_with_default (object, "recording_id", NULL) != NULL
         && json_object_get_string_member_with_default (object, "path", NULL) != NULL;
}

/* The entries of the index, newest first; an unreadable index is set aside and told, not an end to
 * captures. */
static JsonArray *
load_index (GError **error)
{
  g_autofree char *path = dup_index_path ();
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) parse_error = NULL;
  g_autofree char *text = NULL;
  JsonArray *entries = json_array_new ();
  JsonNode *root;
  JsonArray *stored = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &parse_error))
    {
      if (g_error_matches (parse_error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return entries;
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL,
                   _("Cannot read the index of recordings: %s"), parse_error->message);
      json_array_unref (entries);
      return NULL;
    }
  if (json_parser_load_from_data (parser, text, (gssize) length, &parse_error))
    {
      root = json_parser_get_root (parser);
      if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
          && json_object_has_member (json_node_get_object (root), "recordings"))
        {
          JsonNode *member = json_object_get_member (json_node_get_object (root), "recordings");

          stored = JSON_NODE_HOLDS_ARRAY (member) ? json_node_get_array (member) : NULL;
        }
    }
  if (stored == NULL)
    {
      g_autofree char *aside = g_strconcat (path, ".damaged", NULL);

      ts_cli_remark (
          _("The index of recordings %s is damaged; it is kept as %s and a new one begun."), path,
          aside);
      if (g_rename (path, aside) != 0)
        ts_cli_remark (_("Cannot rename %s: %s"), path, g_strerror (errno));
      return entries;
    }
  for (guint i = 0; i < json_array_get_length (stored) && i < MAX_ENTRIES; i++)
    if (is_entry (json_array_get_element (stored, i)))
      json_array_add_element (entries, json_node_copy (json_array_get_element (stored, i)));
  return entries;
}

static gboolean
save_index (JsonArray *entries,
            GError **error)
{
  g_autofree char *path = dup_index_path ();
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *text = NULL;
  g_autoptr (GError) write_error = NULL;
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "index_version", INDEX_VERSION);
  json_object_set_array_member (object, "recordings", json_array_ref (entries));
  json_node_take_object (root, object);
  text = ts_cli_dup_json (root, TRUE);
  if (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &write_error))
    return TRUE;
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL,
               _("Cannot write the index of recordings: %s"), write_error->message);
  return FALSE;
}

static const char *
get_text (JsonArray *entries,
          guint index,
          const char *key)
{
  return json_object_get_string_member_with_default (json_array_get_object_element (entries, index),
                                                     key, "");
}

/**
 * ts_cli_index_list:
 * @error: return location
 *
 * Lists the recordings whose files still exist.
 *
 * Source: viewalyzer-host.md section 3.5, `recordings`
 *
 * Returns: (transfer full): the entries, newest first, or %NULL with @error set
 */
JsonArray *
ts_cli_index_list (GError **error)
{
  /* a folder that cannot be written can be read: the index is only ever replaced whole */
  int fd = lock_index (NULL);
  JsonArray *entries;
  JsonArray *existing;

  entries = load_index (error);
  if (fd >= 0)
    close (fd);
  if (entries == NULL)
    return NULL;
  existing = json_array_new ();
  for (guint i = 0; i < json_array_get_length (entries); i++)
    if (g_file_test (get_text (entries, i, "path"), G_FILE_TEST_EXISTS))
      json_array_add_element (existing, json_node_copy (json_array_get_element (entries, i)));
  json_array_unref (entries);
  return existing;
}

/**
 * ts_cli_index_register:
 * @path: path of a recording
 * @recording_id: its id, 12 hexadecimal digits
 * @schema_name: what it is a recording of
 * @duration_us: its length in microseconds
 * @error: return location
 *
 * Puts a recording at the top of the index. An older entry of the same path or id goes.
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_index_register (const char *path,
                       const char *recording_id,
                       const char *schema_name,
                       gint64 duration_us,
                       GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *created = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autoptr (JsonArray) entries = NULL;
  g_autoptr (JsonArray) updated = json_array_new ();
  JsonObject *entry;
  GStatBuf status;
  gboolean ok;
  int fd = lock_index (error);

  if (fd < 0)
    return FALSE;
  entries = load_index (error);
  if (entries == NULL)
    {
      close (fd);
      return FALSE;
    }
  entry = json_object_new ();
  json_object_set_string_member (entry, "recording_id", recording_id);
  ts_cli_envelope_add_text (entry, "path", absolute);
  ts_cli_envelope_add_text (entry, "schema_name", schema_name);
  json_object_set_int_member (entry, "duration_us", duration_us);
  json_object_set_int_member (entry, "size_bytes",
                              g_stat (absolute, &status) == 0 ? (gint64) status.st_size : 0);
  json_object_set_string_member (entry, "created_utc", created);
  json_array_add_object_element (updated, entry);
  for (guint i = 0; i < json_array_get_length (entries); i++)
    if (!g_str_equal (get_text (entries, i, "path"), absolute)
        && !g_str_equal (get_text (entries, i, "recording_id"), recording_id))
      json_array_add_element (updated, json_node_copy (json_array_get_element (entries, i)));
  ok = save_index (updated, error);
  close (fd);
  return ok;
}

/* The entry that an id or a path means, or -1. */
static gint
find_entry (JsonArray *entries,
            const char *reference)
{
  g_autofree char *absolute = g_canonicalize_filename (reference, NULL);

  for (guint i = 0; i < json_array_get_length (entries); i++)
    if (g_str_equal (get_text (entries, i, "recording_id"), reference)
        || g_str_equal (get_text (entries, i, "path"), absolute))
      return (gint) i;
  return -1;
}

static gboolean
remove_file (const char *path,
             GError **error)
{
  if (g_unlink (path) == 0 || errno == ENOENT)
    return TRUE;
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL, _("Cannot delete %s: %s"), path,
               g_strerror (errno));
  return FALSE;
}

/**
 * ts_cli_index_delete:
 * @reference: id or path of a recording in the index
 * @error: return location
 *
 * Deletes the file and its entry. Files that no capture registered are left alone.
 *
 * Errors: %TS_CLI_ERROR_NO_SUCH_RECORDING
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_index_delete (const char *reference,
                     GError **error)
{
  g_autoptr (JsonArray) entries = NULL;
  gboolean ok = FALSE;
  int fd = lock_index (error);
  gint index;

  if (fd < 0)
    return FALSE;
  entries = load_index (error);
  if (entries != NULL)
    {
      index = find_entry (entries, reference);
      if (index < 0)
        g_set_error (
            error, TS_CLI_ERROR, TS_CLI_ERROR_NO_SUCH_RECORDING,
            _("There is no recording “%s” in the index; taskscope-cli recordings lists them."),
            reference);
      else if (remove_file (get_text (entries, (guint) index, "path"), error))
        {
          json_array_remove_element (entries, (guint) index);
          ok = save_index (entries, error);
        }
    }
  close (fd);
  return ok;
}

/**
 * ts_cli_index_delete_all:
 * @error: return location
 *
 * Deletes all files of the index and their entries.
 *
 * Returns: %TRUE, or %FALSE with @error set and the rest still in the index
 */
gboolean
ts_cli_index_delete_all (GError **error)
{
  g_autoptr (JsonArray) entries = NULL;
  gboolean ok = FALSE;
  int fd = lock_index (error);

  if (fd < 0)
    return FALSE;
  entries = load_index (error);
  if (entries != NULL)
    {
      ok = TRUE;
      while (ok && json_array_get_length (entries) > 0)
        {
          ok = remove_file (get_text (entries, 0, "path"), error);
          if (ok)
            json_array_remove_element (entries, 0);
        }
      ok = save_index (entries, ok ? error : NULL) && ok;
    }
  close (fd);
  return ok;
}

static gboolean
is_recording_id (const char *text)
{
  return strlen (text) == 12 && strspn (text, "0123456789abcdef") == 12;
}

/**
 * ts_cli_index_dup_path:
 * @reference: id or path of a recording
 * @error: return location
 *
 * Finds the file that a reference means: a path if such a file exists, else an id.
 *
 * Errors: %TS_CLI_ERROR_NO_SUCH_RECORDING naming @reference
 *
 * Returns: (transfer full): a path, or %NULL with @error set
 */
char *
ts_cli_index_dup_path (const char *reference,
                       GError **error)
{
  g_autoptr (JsonArray) entries = NULL;

  if (g_file_test (reference, G_FILE_TEST_EXISTS))
    return g_strdup (reference);
  if (is_recording_id (reference))
    {
      gint index;

      entries = ts_cli_index_list (error);
      if (entries == NULL)
        return NULL;
      index = find_entry (entries, reference);
      if (index >= 0)
        return g_strdup (get_text (entries, (guint) index, "path"));
      g_set_error (
          error, TS_CLI_ERROR, TS_CLI_ERROR_NO_SUCH_RECORDING,
          _("There is no recording with the id “%s”; taskscope-cli recordings lists them."),
          reference);
      return NULL;
    }
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_NO_SUCH_RECORDING,
               _("There is no recording at “%s”."), reference);
  return NULL;
}
