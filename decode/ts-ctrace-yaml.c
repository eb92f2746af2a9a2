/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-yaml.c: reads YAML for the configuration of trace runs. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-ctrace-yaml-private.h"

G_DEFINE_QUARK (ts - ctrace - error - quark, ts_ctrace_error)

/* An error at a node: FALSE. Source: ctrace.md section 3 */
gboolean
_ts_ctrace_yaml_fail (TsCtraceYaml *self,
                      const yaml_node_t *node,
                      const char *message,
                      GError **error)
{
  g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG, "%s(%zu): %s", self->path,
               node != NULL ? node->start_mark.line + 1 : (size_t) 1, message);
  return FALSE;
}

/* Tells of something; @context: (nullable): what follows the message. */
void
_ts_ctrace_yaml_warn (TsCtraceYaml *self,
                      TsCtraceLevel level,
                      const char *message,
                      const char *context)
{
  g_autofree char *line = context != NULL ? g_strconcat (message, ": ", context, NULL)
                                          : g_strdup (message);

  if (self->func != NULL)
    self->func (level, line, self->user_data);
}

/* The text of a scalar, else NULL. */
const char *
_ts_ctrace_yaml_text (const yaml_node_t *node)
{
  return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *) node->data.scalar.value
                                                        : NULL;
}

/* Whether there is nothing, or a null. */
gboolean
_ts_ctrace_yaml_is_null (const yaml_node_t *node)
{
  const char *text = _ts_ctrace_yaml_text (node);

  if (node == NULL)
    return TRUE;
  return text != NULL && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
         && (*text == '\0' || strcmp (text, "~") == 0 || g_ascii_strcasecmp (text, "null") == 0);
}

/* The value of a key of a map. */
yaml_node_t *
_ts_ctrace_yaml_get (TsCtraceYaml *self, const yaml_node_t *map, const char *key)
{
  if (map == NULL || map->type != YAML_MAPPING_NODE)
    return NULL;
  for (yaml_node_pair_t *pair = map->data.mapping.pairs.start;
       pair < map->data.mapping.pairs.top; pair++)
    {
      const char *name
          = _ts_ctrace_yaml_text (yaml_document_get_node (&self->document, pair->key));

      if (name != NULL && strcmp (name, key) == 0)
        return yaml_document_get_node (&self->document, pair->value);
    }
  return NULL;
}

/* Decimal or hexadecimal, the whole scalar. Source: ctrace.md section 3 */
gboolean
_ts_ctrace_yaml_number (const yaml_node_t *node, guint64 *value)
{
  const char *text = _ts_ctrace_yaml_text (node);
  gboolean is_hex = text != NULL && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

  return text != NULL
         && g_ascii_string_to_unsigned (is_hex ? text + 2 : text, is_hex ? 16 : 10, 0, G_MAXUINT64,
                                        value, NULL);
}

/* Number of items, 0 if it is no list. */
guint
_ts_ctrace_yaml_count (const yaml_node_t *list)
{
  return list != NULL && list->type == YAML_SEQUENCE_NODE
             ? (guint) (list->data.sequence.items.top - list->data.sequence.items.start)
             : 0;
}

yaml_node_t *
_ts_ctrace_yaml_item (TsCtraceYaml *self, const yaml_node_t *list, guint index)
{
  return yaml_document_get_node (&self->document, list->data.sequence.items.start[index]);
}

/* Reads the document; to be deleted if that went well. */
gboolean
_ts_ctrace_yaml_load (TsCtraceYaml *self, const char *text, gsize n_text, GError **error)
{
  yaml_parser_t parser;
  gboolean is_ok;

  if (!yaml_parser_initialize (&parser))
    {
      g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG, "%s: out of memory",
                   self->path);
      return FALSE;
    }
  yaml_parser_set_input_string (&parser, (const unsigned char *) text, n_text);
  is_ok = yaml_parser_load (&parser, &self->document) != 0;
  if (!is_ok)
    g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG,
                 "failed to parse trace-run configuration: %s(%zu,%zu): %s", self->path,
                 parser.problem_mark.line + 1, parser.problem_mark.column + 1,
                 parser.problem != NULL ? parser.problem : "not YAML");
  yaml_parser_delete (&parser);
  return is_ok;
}
