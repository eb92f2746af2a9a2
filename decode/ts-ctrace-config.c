/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-config.c: the file *.ctrace-run.yml. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <errno.h>
#include <string.h>

#include <yaml.h>

#include "ts-ctrace.h"

G_DEFINE_QUARK (ts - ctrace - error - quark, ts_ctrace_error)

/** One processor. */
typedef struct
{
  char *pname;
  guint prescaler;
  gboolean is_active;
} Setup;

struct _TsCtraceConfig
{
  TsCtraceFormat format;
  GPtrArray *setups; /* Setup */
  guint prescalers[TS_CTRACE_LAST_STREAM + 1];
  gboolean routes[TS_CTRACE_LAST_STREAM + 1];
};

/* What reading needs. */
typedef struct
{
  TsCtraceConfig *config;
  yaml_document_t document;
  const char *path;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
} Reader;

static gboolean
fail (Reader *reader, const yaml_node_t *node, const char *message, GError **error)
{
  g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG, "%s(%zu): %s", reader->path,
               node != NULL ? node->start_mark.line + 1 : (size_t) 1, message);
  return FALSE;
}

static const char *
text_of (const yaml_node_t *node)
{
  return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *) node->data.scalar.value
                                                        : NULL;
}

static gboolean
is_null (const yaml_node_t *node)
{
  const char *text = text_of (node);

  if (node == NULL)
    return TRUE;
  return text != NULL && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
         && (*text == '\0' || strcmp (text, "~") == 0 || g_ascii_strcasecmp (text, "null") == 0);
}

/* The value of a key of a map. */
static yaml_node_t *
get (Reader *reader, const yaml_node_t *map, const char *key)
{
  if (map == NULL || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (yaml_node_pair_t *pair = map->data.mapping.pairs.start;
       pair < map->data.mapping.pairs.top; pair++)
    {
      const char *name = text_of (yaml_document_get_node (&reader->document, pair->key));

      if (name != NULL && strcmp (name, key) == 0)
        return yaml_document_get_node (&reader->document, pair->value);
    }
  return NULL;
}

/* Decimal or hexadecimal, the whole scalar. Source: ctrace.md section 3 */
static gboolean
read_number (const yaml_node_t *node, guint64 *value)
{
  const char *text = text_of (node);
  gboolean is_hex = text != NULL && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

  return text != NULL
         && g_ascii_string_to_unsigned (is_hex ? text + 2 : text, is_hex ? 16 : 10, 0, G_MAXUINT64,
                                        value, NULL);
}

static guint
count_items (const yaml_node_t *list)
{
  return list != NULL && list->type == YAML_SEQUENCE_NODE
             ? (guint) (list->data.sequence.items.top - list->data.sequence.items.start)
             : 0;
}

static yaml_node_t *
get_item (Reader *reader, const yaml_node_t *list, guint index)
{
  return yaml_document_get_node (&reader->document, list->data.sequence.items.start[index]);
}

static void
setup_free (gpointer data)
{
  Setup *setup = data;

  g_free (setup->pname);
  g_free (setup);
}

/* One processor. Source: ctrace.md sections 3 and 3.4 */
static gboolean
read_setup (Reader *reader, const yaml_node_t *node, GError **error)
{
  const yaml_node_t *timestamps = get (reader, node, "timestamps");
  const yaml_node_t *prescaler = get (reader, timestamps, "itm-prescaler");
  const char *pname = text_of (get (reader, node, "pname"));
  Setup *setup;
  guint64 value = 1;

  if (node == NULL || node->type != YAML_MAPPING_NODE)
    return fail (reader, node, "an entry of ctrace-setup must be a map", error);
  if (get (reader, node, "disable") != NULL)
    return TRUE;
  if (!is_null (prescaler)
      && (!read_number (prescaler, &value)
          || (value != 1 && value != 4 && value != 16 && value != 64)))
    return fail (reader, prescaler, "itm-prescaler must be 1, 4, 16 or 64", error);

  setup = g_new0 (Setup, 1);
  setup->pname = pname != NULL && *pname != '\0' ? g_strdup (pname) : NULL;
  setup->prescaler = (guint) value;
  setup->is_active = timestamps != NULL || get (reader, node, "itm") != NULL;
  g_ptr_array_add (reader->config->setups, setup);
  return TRUE;
}

static gboolean
read_setups (Reader *reader, const yaml_node_t *list, GError **error)
{
  GPtrArray *setups = reader->config->setups;
  guint n_active = 0;

  if (is_null (list))
    return TRUE;
  if (list->type != YAML_SEQUENCE_NODE)
    return fail (reader, list, "ctrace-setup must be a list", error);
  for (guint i = 0; i < count_items (list); i++)
    if (!read_setup (reader, get_item (reader, list, i), error))
      return FALSE;
  for (guint i = 0; i < setups->len; i++)
    n_active += ((Setup *) g_ptr_array_index (setups, i))->is_active;
  for (guint i = 0; n_active > 1 && i < setups->len; i++)
    {
      const Setup *setup = g_ptr_array_index (setups, i);

      if (setup->is_active && setup->pname == NULL)
        return fail (reader, list, "with several processors each entry needs a pname", error);
      for (guint j = 0; j < i; j++)
        if (g_strcmp0 (((Setup *) g_ptr_array_index (setups, j))->pname, setup->pname) == 0)
          return fail (reader, list, "two entries have the same pname", error);
    }
  return TRUE;
}

/* The processor that a reference belongs to: the one of its name, else the only one. */
static const Setup *
find_setup (TsCtraceConfig *config, const char *pname)
{
  const Setup *only = NULL;

  for (guint i = 0; i < config->setups->len; i++)
    {
      const Setup *setup = g_ptr_array_index (config->setups, i);

      if (pname != NULL && g_strcmp0 (setup->pname, pname) == 0)
        return setup;
      if (only != NULL && pname == NULL)
        return NULL;
      only = setup;
    }
  return pname == NULL || (only != NULL && only->pname == NULL) ? only : NULL;
}

static void
tell_text (Reader *reader, const yaml_node_t *node, TsCtraceLevel level, const char *context)
{
  const char *text = text_of (node);

  if (node == NULL)
    return;
  if (node->type == YAML_SEQUENCE_NODE)
    {
      for (guint i = 0; i < count_items (node); i++)
        {
          yaml_node_t *item = get_item (reader, node, i);

          if (item != NULL && item->type == YAML_SCALAR_NODE)
            tell_text (reader, item, level, context);
        }
      return;
    }
  if (is_null (node) || text == NULL || *text == '\0')
    {
      if (level != TS_CTRACE_REMARK)
        return;
      text = "the configuration reports an error without saying which";
    }
  if (reader->func != NULL)
    {
      g_autofree char *message = g_strconcat (text, ": ", context, NULL);

      reader->func (level, message, reader->user_data);
    }
}

/* Messages that the configuration carries. Source: ctrace.md section 3.3 */
static void
tell_messages (Reader *reader, const yaml_node_t *node, const char *type, const char *path)
{
  static const struct
  {
    const char *key;
    TsCtraceLevel level;
  } messages[] = {
    { "info", TS_CTRACE_INFO },
    { "warning", TS_CTRACE_WARNING },
    { "error", TS_CTRACE_REMARK },
  };
  const char *pname = text_of (get (reader, node, "pname"));
  g_autofree char *context = g_strdup_printf ("config=%s, ctraceRef=%s, type=%s%s%s", reader->path,
                                              path, type, pname != NULL ? ", pname=" : "",
                                              pname != NULL ? pname : "");

  for (gsize i = 0; i < G_N_ELEMENTS (messages); i++)
    tell_text (reader, get (reader, node, messages[i].key), messages[i].level, context);
}

/* Whether a reference binds its stream to a processor. Source: ctrace.md section 3.4 */
static gboolean
is_binding (const char *type, const char *path, gboolean has_index)
{
  const char *last = strrchr (path, '/');

  last = last != NULL ? last + 1 : path;
  if (strcmp (type, "itm") == 0)
    return has_index || strcmp (last, "timestamps") == 0 || strcmp (last, "itm") == 0;
  if (strcmp (type, "dwt") == 0)
    return has_index || g_str_has_prefix (last, "data#") || strcmp (last, "timestamps") == 0
           || g_str_has_prefix (last, "synchronization");
  return (strcmp (type, "exception") == 0 && strcmp (last, "exceptions") == 0)
         || ((strcmp (type, "event") == 0 || strcmp (type, "pmu") == 0)
             && g_str_has_prefix (last, "events#"))
         || (strcmp (type, "pcsample") == 0 && strcmp (last, "pcsampling") == 0);
}

static gboolean
check_index (Reader *reader, const yaml_node_t *index, const char *type, GError **error)
{
  gboolean is_list = index->type == YAML_SEQUENCE_NODE;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < (is_list ? count_items (index) : 1); i++)
    {
      const yaml_node_t *item = is_list ? get_item (reader, index, i) : index;
      guint64 value;

      if (!read_number (item, &value) || value > G_MAXINT32)
        return fail (reader, index, "a source number must be a whole number", error);
      if (strcmp (type, "itm") == 0 && value > 31)
        return fail (reader, index, "an ITM port must be between 0 and 31", error);
      if (!g_hash_table_add (seen, GUINT_TO_POINTER ((guint) value)))
        return fail (reader, index, "a source number is there twice", error);
    }
  return TRUE;
}

/* Source: ctrace.md section 3.2 */
static gboolean
read_reference (Reader *reader, const yaml_node_t *node, GError **error)
{
  static const char *const consumed[]
      = { "dwt", "itm", "event", "pmu", "pcsample", "exception", "overflow", "global_ts", NULL };
  const char *type = text_of (get (reader, node, "type"));
  const yaml_node_t *stream_node = get (reader, node, "stream");
  const yaml_node_t *index = get (reader, node, "index");
  gboolean is_excused = get (reader, node, "error") != NULL;
  const char *path = text_of (get (reader, node, "ref"));
  const Setup *setup;
  guint64 stream = TS_CTRACE_UNFORMATTED;

  if (node == NULL || node->type != YAML_MAPPING_NODE)
    return fail (reader, node, "an entry of ctrace-refs must be a map", error);
  if (type == NULL || *type == '\0')
    return fail (reader, node, "a reference needs a type", error);
  if (!g_strv_contains (consumed, type))
    return TRUE;
  if (path == NULL)
    path = text_of (get (reader, node, "ctrace-ref"));
  if (path == NULL || *path == '\0')
    return fail (reader, node, "a reference needs a path", error);
  tell_messages (reader, node, type, path);
  if (index == NULL)
    index = get (reader, node, "source");
  if (!is_null (index) && !is_excused && !check_index (reader, index, type, error))
    return FALSE;
  if (!is_null (stream_node)
      && (!read_number (stream_node, &stream) || stream < 1 || stream > TS_CTRACE_LAST_STREAM))
    {
      if (!is_excused)
        return fail (reader, stream_node, "a stream must be between 1 and 111", error);
      stream = TS_CTRACE_UNFORMATTED;
    }
  if (!is_binding (type, path, !is_null (index)))
    return TRUE;
  setup = find_setup (reader->config, text_of (get (reader, node, "pname")));
  if (!reader->config->routes[stream] && setup != NULL)
    reader->config->prescalers[stream] = setup->prescaler;
  reader->config->routes[stream] = TRUE;
  return TRUE;
}

static gboolean
read_document (Reader *reader, GError **error)
{
  yaml_node_t *root = yaml_document_get_root_node (&reader->document);
  yaml_node_t *run = get (reader, root, "ctrace-run");
  yaml_node_t *format;
  yaml_node_t *references;

  if (run == NULL || run->type != YAML_MAPPING_NODE)
    return fail (reader, root, "there is no map ctrace-run", error);
  format = get (reader, run, "trace-format");
  if (!is_null (format))
    {
      if (g_strcmp0 (text_of (format), "formatted") == 0)
        reader->config->format = TS_CTRACE_FORMAT_FORMATTED;
      else if (g_strcmp0 (text_of (format), "unformatted") == 0)
        reader->config->format = TS_CTRACE_FORMAT_UNFORMATTED;
      else
        return fail (reader, format, "trace-format must be formatted or unformatted", error);
    }
  if (!read_setups (reader, get (reader, run, "ctrace-setup"), error))
    return FALSE;
  references = get (reader, run, "ctrace-refs");
  if (references == NULL || references->type != YAML_SEQUENCE_NODE)
    return fail (reader, run, "there is no list ctrace-refs", error);
  for (guint i = 0; i < count_items (references); i++)
    if (!read_reference (reader, get_item (reader, references, i), error))
      return FALSE;
  return TRUE;
}

/**
 * ts_ctrace_config_new:
 * @path: name of the file, for messages
 * @text: (array length=n_text): its contents
 * @n_text: bytes of it
 * @func: (nullable): takes messages that the configuration carries
 * @user_data: for @func
 * @error: return location
 *
 * Reads a configuration in any of its dialects.
 *
 * Thread: any
 * Errors: %TS_CTRACE_ERROR_CONFIG, with the line
 * Source: ctrace.md section 3
 *
 * Returns: (transfer full): a configuration, or %NULL with @error set
 */
TsCtraceConfig *
ts_ctrace_config_new (const char *path,
                      const char *text,
                      gsize n_text,
                      TsCtraceDiagnosticFunc func,
                      gpointer user_data,
                      GError **error)
{
  g_autoptr (TsCtraceConfig) self = g_new0 (TsCtraceConfig, 1);
  Reader reader = { .config = self, .path = path, .func = func, .user_data = user_data };
  yaml_parser_t parser;
  gboolean is_ok;

  self->setups = g_ptr_array_new_with_free_func (setup_free);
  if (!yaml_parser_initialize (&parser))
    {
      g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG, "%s: out of memory", path);
      return NULL;
    }
  yaml_parser_set_input_string (&parser, (const unsigned char *) text, n_text);
  is_ok = yaml_parser_load (&parser, &reader.document) != 0;
  if (!is_ok)
    g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG,
                 "failed to parse trace-run configuration: %s(%zu,%zu): %s", path,
                 parser.problem_mark.line + 1, parser.problem_mark.column + 1,
                 parser.problem != NULL ? parser.problem : "not YAML");
  yaml_parser_delete (&parser);
  if (!is_ok)
    return NULL;
  is_ok = read_document (&reader, error);
  yaml_document_delete (&reader.document);
  return is_ok ? g_steal_pointer (&self) : NULL;
}

/**
 * ts_ctrace_config_free:
 * @self: (transfer full) (nullable): a configuration
 */
void
ts_ctrace_config_free (TsCtraceConfig *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->setups);
  g_free (self);
}

/**
 * ts_ctrace_config_get_format:
 * @self: a configuration
 *
 * Returns: what it says about the input
 */
TsCtraceFormat
ts_ctrace_config_get_format (TsCtraceConfig *self)
{
  return self->format;
}

/**
 * ts_ctrace_config_get_prescaler:
 * @self: a configuration
 * @stream: trace id, 0 for input without a formatter
 *
 * Returns: clock ticks per tick of a local time stamp; 1 where nothing is known
 */
guint
ts_ctrace_config_get_prescaler (TsCtraceConfig *self, guint stream)
{
  const Setup *setup;

  g_return_val_if_fail (stream <= TS_CTRACE_LAST_STREAM, 1);

  if (self->prescalers[stream] != 0)
    return self->prescalers[stream];
  setup = find_setup (self, NULL);
  return setup != NULL ? setup->prescaler : 1;
}

/**
 * ts_ctrace_config_has_route:
 * @self: a configuration
 * @stream: trace id
 *
 * Returns: whether the configuration tells whose stream it is
 */
gboolean
ts_ctrace_config_has_route (TsCtraceConfig *self, guint stream)
{
  g_return_val_if_fail (stream <= TS_CTRACE_LAST_STREAM, FALSE);

  return self->routes[stream];
}
