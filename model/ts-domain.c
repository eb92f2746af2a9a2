/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-domain.c: `.vadomain` files: finding, reading and checking them. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-domain-private.h"
#include "ts-json-writer-private.h"

/* Files larger than this are no domains. */
#define MAX_BYTES (4 << 20)

struct _TsDomain
{
  char *path;
  JsonNode *root;
};

/* ---- JSON that may be anything ---- */

const char *
_ts_domain_get_text (JsonObject *object,
                     const char *key)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* Numbers may be written as "0x10" too. */
gboolean
_ts_domain_get_number (JsonObject *object,
                       const char *key,
                       double *value)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;
  const char *text = _ts_domain_get_text (object, key);

  if (text != NULL)
    {
      gboolean is_hex = g_ascii_strncasecmp (text, "0x", 2) == 0;
      char *end = NULL;

      *value = is_hex ? (double) g_ascii_strtoull (text, &end, 16) : g_ascii_strtod (text, &end);
      return end != text && *end == '\0';
    }
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || (json_node_get_value_type (node) != G_TYPE_INT64
          && json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return FALSE;
  *value = json_node_get_double (node);
  return TRUE;
}

JsonArray *
_ts_domain_get_array (JsonObject *object,
                      const char *key)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

JsonObject *
_ts_domain_get_object (JsonObject *object,
                       const char *key)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, key) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonObject *
_ts_domain_get_element (JsonArray *array,
                        guint i)
{
  JsonNode *node = array != NULL && i < json_array_get_length (array)
                       ? json_array_get_element (array, i)
                       : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* The element of a list that has @name. */
JsonObject *
_ts_domain_find (TsDomain *self,
                 JsonObject *parent,
                 const char *list,
                 const char *name)
{
  JsonArray *array = _ts_domain_get_array (parent, list);

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonObject *element = _ts_domain_get_element (array, i);

      if (g_strcmp0 (_ts_domain_get_text (element, "name"), name) == 0)
        return element;
    }
  return NULL;
}

/* ---- files ---- */

static gboolean
fail (const char *path,
      const char *what,
      GError **error)
{
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("The Trace Domain “%s” is not valid: %s."), path, what);
  return FALSE;
}

static gboolean
check_verdicts (const char *path,
                JsonObject *root,
                GError **error)
{
  static const char *const types[]
      = { "sustained_at_or_above", "value_at_or_above", "counter_advanced",
          "counter_stalled",       "value_in",          "ratio_below" };
  JsonArray *verdicts = _ts_domain_get_array (root, "verdicts");

  for (guint i = 0; verdicts != NULL && i < json_array_get_length (verdicts); i++)
    {
      JsonObject *verdict = _ts_domain_get_element (verdicts, i);
      JsonObject *when = _ts_domain_get_object (verdict, "when");
      const char *type = _ts_domain_get_text (when, "type");
      g_autofree char *what = NULL;
      guint k = 0;

      while (k < G_N_ELEMENTS (types) && g_strcmp0 (types[k], type) != 0)
        k++;
      if (_ts_domain_get_text (verdict, "id") == NULL)
        what = g_strdup_printf (_("verdict %u has no “id”"), i + 1);
      else if (k == G_N_ELEMENTS (types))
        what = g_strdup_printf (_("verdict “%s” has an unknown “when.type”"),
                                _ts_domain_get_text (verdict, "id"));
      else if (_ts_domain_get_text (when, "channel") == NULL)
        what = g_strdup_printf (_("verdict “%s” names no channel"),
                                _ts_domain_get_text (verdict, "id"));
      if (what != NULL)
        return fail (path, what, error);
    }
  return TRUE;
}

static gboolean
check (const char *path,
       JsonObject *root,
       GError **error)
{
  static const char *const texts[] = { "id", "name", "version" };
  static const char *const lists[]
      = { "channels", "derived", "verdicts", "namespaces", "series_kinds" };
  double api = 0;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (_ts_domain_get_text (root, texts[i]) == NULL)
      {
        g_autofree char *what = g_strdup_printf (_("it has no “%s”"), texts[i]);

        return fail (path, what, error);
      }
  if (!_ts_domain_get_number (root, "domain_api", &api) || api != 1)
    return fail (path, _("its “domain_api” is not 1"), error);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (json_object_has_member (root, lists[i]) && _ts_domain_get_array (root, lists[i]) == NULL)
      {
        g_autofree char *what = g_strdup_printf (_("“%s” is not a list"), lists[i]);

        return fail (path, what, error);
      }
  return check_verdicts (path, root, error);
}

/**
 * ts_domain_load:
 * @path: a `.vadomain` file
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS saying what is wrong with it, or those of reading a file
 * Source: viewalyzer-host.md section 3.12
 *
 * Returns: (transfer full) (nullable): ts_domain_free()
 */
TsDomain *
ts_domain_load (const char *path,
                GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) parse_error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;
  JsonNode *root;
  TsDomain *self;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (length > MAX_BYTES || !g_utf8_validate (text, (gssize) length, NULL)
      || !_ts_json_is_shallow (text, length))
    {
      fail (path, _("it is too large, nested too deeply, or no UTF-8 text"), error);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) length, &parse_error))
    {
      fail (path, parse_error->message, error);
      return NULL;
    }
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      fail (path, _("it is not a JSON object"), error);
      return NULL;
    }
  if (!check (path, json_node_get_object (root), error))
    return NULL;

  self = g_new0 (TsDomain, 1);
  self->path = g_strdup (path);
  self->root = json_node_ref (root);
  return self;
}

/**
 * ts_domain_free:
 * @self: (nullable) (transfer full): a domain
 */
void
ts_domain_free (TsDomain *self)
{
  if (self == NULL)
    return;
  json_node_unref (self->root);
  g_free (self->path);
  g_free (self);
}

const char *
ts_domain_get_id (TsDomain *self)
{
  return _ts_domain_get_text (ts_domain_get_json (self), "id");
}

const char *
ts_domain_get_name (TsDomain *self)
{
  return _ts_domain_get_text (ts_domain_get_json (self), "name");
}

const char *
ts_domain_get_version (TsDomain *self)
{
  return _ts_domain_get_text (ts_domain_get_json (self), "version");
}

const char *
ts_domain_get_path (TsDomain *self)
{
  return self->path;
}

/**
 * ts_domain_get_json:
 * @self: a domain
 *
 * Returns: (transfer none): its text
 */
JsonObject *
ts_domain_get_json (TsDomain *self)
{
  return json_node_get_object (self->root);
}

/**
 * ts_domain_count:
 * @self: a domain
 * @list: name of a list in it
 *
 * Returns: how many elements the list has; 0 without it
 */
guint
ts_domain_count (TsDomain *self,
                 const char *list)
{
  JsonArray *array = _ts_domain_get_array (ts_domain_get_json (self), list);

  return array != NULL ? json_array_get_length (array) : 0;
}

/**
 * ts_domain_list_folders:
 *
 * Where domains are looked for: the environment variable VA_DOMAINS_DIR (several with colons),
 * then the user's data folder.
 *
 * Returns: (transfer full) (array zero-terminated=1): paths of folders, which need not exist
 */
char **
ts_domain_list_folders (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) given
      = g_strsplit (g_getenv ("VA_DOMAINS_DIR") != NULL ? g_getenv ("VA_DOMAINS_DIR") : "",
                    G_SEARCHPATH_SEPARATOR_S, -1);
  g_autofree char *own = g_build_filename (g_get_user_data_dir (), "taskscope", "domains", NULL);

  for (guint i = 0; given[i] != NULL; i++)
    if (*given[i] != '\0')
      g_strv_builder_add (builder, given[i]);
  g_strv_builder_add (builder, own);
  return g_strv_builder_end (builder);
}

static int
compare_paths (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/**
 * ts_domain_load_all:
 * @failures: (nullable) (element-type utf8): gets a sentence for each file that is not valid
 *
 * Reads every `.vadomain` file of the folders, in order of folders and names. The first one with
 * an id counts.
 *
 * Returns: (transfer full) (element-type TsDomain): the domains
 */
GPtrArray *
ts_domain_load_all (GPtrArray *failures)
{
  GPtrArray *domains = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_domain_free);
  g_auto (GStrv) folders = ts_domain_list_folders ();
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (folders[i], 0, NULL);
      g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        if (g_str_has_suffix (name, ".vadomain"))
          g_ptr_array_add (paths, g_build_filename (folders[i], name, NULL));
      g_ptr_array_sort (paths, compare_paths);

      for (guint k = 0; k < paths->len; k++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (TsDomain) domain = ts_domain_load (g_ptr_array_index (paths, k), &error);

          if (domain == NULL)
            {
              if (failures != NULL)
                g_ptr_array_add (failures, g_strdup (error->message));
              continue;
            }
          if (g_hash_table_add (ids, (gpointer) ts_domain_get_id (domain)))
            g_ptr_array_add (domains, g_steal_pointer (&domain));
        }
    }
  return domains;
}
