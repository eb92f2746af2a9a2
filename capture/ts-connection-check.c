/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-check.c: text from outside to checked values of connection keys. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-trigger-private.h"

static const char *
node_type_name (JsonNode *node)
{
  switch (json_node_get_node_type (node))
    {
    case JSON_NODE_OBJECT:
      return _("an object");
    case JSON_NODE_ARRAY:
      return _("an array");
    case JSON_NODE_NULL:
      return _("null");
    case JSON_NODE_VALUE:
      break;
    default:
      return _("nothing");
    }

  switch (json_node_get_value_type (node))
    {
    case G_TYPE_STRING:
      return _("a string");
    case G_TYPE_BOOLEAN:
      return _("true or false");
    case G_TYPE_DOUBLE:
      return _("a number with a fraction");
    default:
      return _("a whole number");
    }
}

/* A decimal or 0x number; FALSE for anything else. */
gboolean
_ts_connection_parse_int (const char *text,
                          gint64 *value)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  gboolean is_hex = g_ascii_strncasecmp (trimmed, "0x", 2) == 0;
  const char *digits = is_hex ? trimmed + 2 : trimmed;

  if (is_hex)
    {
      guint64 parsed = 0;

      if (!g_ascii_string_to_unsigned (digits, 16, 0, G_MAXINT64, &parsed, NULL))
        return FALSE;
      *value = (gint64) parsed;
      return TRUE;
    }

  return g_ascii_string_to_signed (digits, 10, G_MININT64, G_MAXINT64, value, NULL);
}

static gboolean
check_range (const TsConnectionKey *key,
             gint64 value,
             GError **error)
{
  gint64 minimum, maximum;

  if (!_ts_connection_key_get_range (key, &minimum, &maximum)
      || (value >= minimum && value <= maximum))
    return TRUE;

  if (key->type == TS_KEY_ADDRESS)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                 _("“%s” must be an address from 0x%" PRIX64 " to 0x%" PRIX64
                   ", not 0x%" PRIX64 "."),
                 key->name, (guint64) minimum, (guint64) maximum, (guint64) value);
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                 _("“%s” must be from %" PRId64 " to %" PRId64
                   ", not %" PRId64 "."),
                 key->name, minimum, maximum, value);

  return FALSE;
}

static gboolean
check_string (const TsConnectionKey *key,
              const char *value,
              GError **error)
{
  const char * const *choices = _ts_connection_key_list_choices (key);
  g_autofree char *known = NULL;
  const char *nearest;

  if (strcmp (key->name, "comment") == 0)
    return TRUE;
  if (*value == '\0')
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” must not be empty: give it a value or leave the key out."), key->name);
      return FALSE;
    }
  if (strcmp (key->name, "trigger") == 0)
    {
      g_autoptr (GPtrArray) terms = _ts_trigger_parse (value, error);

      return terms != NULL;
    }
  if (choices == NULL || g_strv_contains (choices, value))
    return TRUE;

  known = g_strjoinv (", ", (char **) choices);
  nearest = _ts_connection_find_nearest (value, choices);
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“%s” cannot be “%.64s”: did you mean “%s”? Known values: %s."),
               key->name, value, nearest != NULL ? nearest : choices[0], known);

  return FALSE;
}

static gboolean
wrong_type (const TsConnectionKey *key,
            JsonNode *node,
            const char *wanted,
            GError **error)
{
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“%s” must be %s, not %s."), key->name, wanted, node_type_name (node));

  return FALSE;
}

/* Checks a member of the file and returns it in the form in which it is kept. */
JsonNode *
_ts_connection_check_node (const TsConnectionKey *key,
                           JsonNode *node,
                           GPtrArray *warnings,
                           GError **error)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;
  gint64 value = 0;

  switch (key->type)
    {
    case TS_KEY_STRING:
      if (type != G_TYPE_STRING)
        return wrong_type (key, node, _("a string"), error), NULL;
      if (!check_string (key, json_node_get_string (node), error))
        return NULL;
      break;

    case TS_KEY_BOOL:
      if (type != G_TYPE_BOOLEAN)
        return wrong_type (key, node, _("true or false"), error), NULL;
      break;

    case TS_KEY_INT:
      if (type == G_TYPE_DOUBLE)
        {
          double number = json_node_get_double (node);

          /* 9007199254740992 = 2^53: above it a double does not tell whole numbers apart */
          if (!(number >= -9007199254740992.0 && number <= 9007199254740992.0)
              || number != (double) (gint64) number)
            return wrong_type (key, node, _("a whole number"), error), NULL;
          value = (gint64) number;
        }
      else if (type == G_TYPE_INT64)
        value = json_node_get_int (node);
      else
        return wrong_type (key, node, _("a whole number"), error), NULL;
      if (!check_range (key, value, error))
        return NULL;
      break;

    case TS_KEY_ADDRESS:
      if (type == G_TYPE_INT64)
        value = json_node_get_int (node);
      else if (type != G_TYPE_STRING
               || !_ts_connection_parse_int (json_node_get_string (node), &value))
        return wrong_type (key, node, _("an address such as \"0x20000000\""), error), NULL;
      if (!check_range (key, value, error))
        return NULL;
      break;

    case TS_KEY_OBJECT:
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return wrong_type (key, node, _("an object"), error), NULL;
      if (!_ts_hardware_trace_check (json_node_get_object (node), warnings, error))
        return NULL;
      break;

    case TS_KEY_IGNORED:
      if (warnings != NULL && !_ts_connection_key_has_no_meaning (key))
        g_ptr_array_add (warnings, g_strdup_printf (_("“%s” has no effect."), key->name));
      break;

    default:
      g_assert_not_reached ();
    }

  return json_node_copy (node);
}

static gboolean
is_shallow (JsonNode *node,
            guint depth)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObjectIter iter;
      JsonNode *child;

      if (depth == 0)
        return FALSE;
      json_object_iter_init (&iter, json_node_get_object (node));
      while (json_object_iter_next (&iter, NULL, &child))
        if (!is_shallow (child, depth - 1))
          return FALSE;
    }
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      if (depth == 0)
        return FALSE;
      for (guint i = 0; i < json_array_get_length (array); i++)
        if (!is_shallow (json_array_get_element (array, i), depth - 1))
          return FALSE;
    }

  return TRUE;
}

/* The parser turns a whole number of more than 64 bits into another one without a word: look for
 * them in the text. */
static gboolean
check_numbers (const char *data,
               gsize length,
               const char *name,
               GError **error)
{
  gboolean is_string = FALSE;
  guint line = 1;

  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *number = NULL;
      gsize n = 0;

      line += data[i] == '\n';
      if (is_string && data[i] == '\\')
        i++;
      else if (data[i] == '"')
        is_string = !is_string;
      if (is_string || !(g_ascii_isdigit (data[i]) || data[i] == '-'))
        continue;

      while (i + n < length && (g_ascii_isalnum (data[i + n]) || strchr ("+-.", data[i + n]) != NULL))
        n++;
      number = g_strndup (data + i, n);
      i += MAX (n, 1) - 1;
      if (strspn (number + (*number == '-'), "0123456789") == strlen (number + (*number == '-'))
          && number[*number == '-'] != '\0'
          && !g_ascii_string_to_signed (number, 10, G_MININT64, G_MAXINT64, NULL, NULL))
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("%s, line %u: the number %.40s is too large (more than 64 bits)."), name,
                       line, number);
          return FALSE;
        }
    }

  return TRUE;
}

/* Text from outside to one JSON object, within bounds of size and nesting. */
JsonNode *
_ts_connection_parse_object (const char *data,
                             gsize length,
                             const char *name,
                             GError **error)
{
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (GError) local_error = NULL;
  JsonNode *root;
  guint n_brackets = 0;

  if (length > TS_CONNECTION_MAX_BYTES)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s is larger than %d KiB, too large for a connection file."),
                   name, TS_CONNECTION_MAX_BYTES / 1024);
      return NULL;
    }
  if (length >= 3 && memcmp (data, "\xEF\xBB\xBF", 3) == 0)
    {
      data += 3;
      length -= 3;
    }
  if (!g_utf8_validate_len (data, length, NULL))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s is no UTF-8 text, so no connection file."), name);
      return NULL;
    }

  /* The parser recurses at every bracket, wherever it stands: bound them before it runs. */
  for (gsize i = 0; i < length; i++)
    n_brackets += data[i] == '{' || data[i] == '[';
  if (n_brackets > TS_CONNECTION_MAX_BRACKETS)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s has %u brackets, too many for a connection file."), name, n_brackets);
      return NULL;
    }

  if (!check_numbers (data, length, name, error))
    return NULL;

  parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (parser, data, (gssize) length, &local_error))
    {
      const char *reason = local_error->message;

      /* the parser's name for text without a file; "line:column: ..." follows */
      if (g_str_has_prefix (reason, "<data>:"))
        reason += strlen ("<data>:");
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s is no valid JSON: %s."), name, reason);
      return NULL;
    }

  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s must hold one JSON object with the keys of the connection."), name);
      return NULL;
    }
  if (!is_shallow (root, TS_CONNECTION_MAX_DEPTH))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s is nested deeper than %d levels."), name, TS_CONNECTION_MAX_DEPTH);
      return NULL;
    }

  return json_node_copy (root);
}
