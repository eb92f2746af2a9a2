/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-json-writer.c: JSON piece by piece. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "ts-json-writer-private.h"

#define BUFFER_BYTES 65536

void
_ts_json_writer_init (TsJsonWriter *self,
                      GOutputStream *stream,
                      gboolean is_pretty,
                      GCancellable *cancellable)
{
  memset (self, 0, sizeof *self);
  self->stream = stream;
  self->text = g_string_sized_new (BUFFER_BYTES * 2);
  self->is_pretty = is_pretty;
  self->cancellable = cancellable;
}

void
_ts_json_writer_clear (TsJsonWriter *self)
{
  g_string_free (g_steal_pointer (&self->text), TRUE);
  g_clear_error (&self->error);
}

static void
flush (TsJsonWriter *self)
{
  if (self->error == NULL)
    g_output_stream_write_all (self->stream, self->text->str, self->text->len, NULL,
                               self->cancellable, &self->error);
  g_string_truncate (self->text, 0);
}

/* From now on the text leaves as it comes. */
void
_ts_json_writer_start (TsJsonWriter *self)
{
  self->is_started = TRUE;
}

gboolean
_ts_json_writer_finish (TsJsonWriter *self,
                        GError **error)
{
  self->is_started = TRUE;
  g_string_append_c (self->text, '\n');
  flush (self);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

static void
add_comma (TsJsonWriter *self)
{
  if (self->needs_comma)
    g_string_append_c (self->text, ',');
  self->needs_comma = FALSE;
}

static void
add_line (TsJsonWriter *self)
{
  if (self->is_pretty)
    g_string_append_printf (self->text, "\n%*s", (int) self->depth * 2, "");
}

/* @bracket: { or [ */
void
_ts_json_writer_begin (TsJsonWriter *self,
                       char bracket)
{
  add_comma (self);
  g_string_append_c (self->text, bracket);
  self->depth++;
}

void
_ts_json_writer_end (TsJsonWriter *self,
                     char bracket)
{
  gsize length = self->text->len;
  char last = length > 0 ? self->text->str[length - 1] : '\0';

  self->depth -= self->depth > 0;
  if (last != '{' && last != '[')
    add_line (self);
  g_string_append_c (self->text, bracket);
  self->needs_comma = TRUE;
  if (self->is_started && self->text->len >= BUFFER_BYTES)
    flush (self);
}

/* Before each element of an array. */
void
_ts_json_writer_row (TsJsonWriter *self)
{
  add_comma (self);
  add_line (self);
}

/* JSON text of @value, which is UTF-8 or made so. Source: RFC 8259 section 7 */
static void
append_text (GString *text,
             const char *value)
{
  g_autofree char *valid = NULL;

  if (!g_utf8_validate (value, -1, NULL))
    value = valid = g_utf8_make_valid (value, -1);
  g_string_append_c (text, '"');
  for (const char *p = value; *p != '\0';)
    {
      const char *plain = p;

      while ((guchar) *p >= 0x20 && *p != '"' && *p != '\\')
        p++;
      g_string_append_len (text, plain, p - plain);
      if (*p == '"' || *p == '\\')
        {
          g_string_append_c (text, '\\');
          g_string_append_c (text, *p++);
        }
      else if (*p != '\0')
        g_string_append_printf (text, "\\u%04x", (guint) *p++);
    }
  g_string_append_c (text, '"');
}

void
_ts_json_writer_key (TsJsonWriter *self,
                     const char *key)
{
  add_comma (self);
  add_line (self);
  append_text (self->text, key);
  g_string_append (self->text, self->is_pretty ? ": " : ":");
}

static void
write_node (TsJsonWriter *self,
            JsonNode *node)
{
  g_autofree char *text = NULL;

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      _ts_json_writer_begin (self, '{');
      _ts_json_writer_members (self, json_node_get_object (node));
      _ts_json_writer_end (self, '}');
      return;
    }
  self->needs_comma = TRUE;
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    {
      append_text (self->text, json_node_get_string (node));
      return;
    }
  text = json_to_string (node, FALSE);
  g_string_append (self->text, text);
}

/* The members of an object that fits into memory. */
void
_ts_json_writer_members (TsJsonWriter *self,
                         JsonObject *object)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      _ts_json_writer_key (self, key);
      write_node (self, node);
    }
}

void
_ts_json_writer_text (TsJsonWriter *self,
                      const char *key,
                      const char *value)
{
  _ts_json_writer_key (self, key);
  if (value != NULL)
    append_text (self->text, value);
  else
    g_string_append (self->text, "null");
  self->needs_comma = TRUE;
}

static void
append_int (GString *text,
            gint64 value)
{
  char digits[24];
  char *p = digits + sizeof digits;
  guint64 left = value < 0 ? 0 - (guint64) value : (guint64) value;

  do
    *--p = (char) ('0' + left % 10);
  while ((left /= 10) > 0);
  if (value < 0)
    *--p = '-';
  g_string_append_len (text, p, digits + sizeof digits - p);
}

void
_ts_json_writer_int (TsJsonWriter *self,
                     const char *key,
                     gint64 value)
{
  _ts_json_writer_key (self, key);
  _ts_json_writer_int_element (self, value);
}

void
_ts_json_writer_int_element (TsJsonWriter *self,
                             gint64 value)
{
  append_int (self->text, value);
  self->needs_comma = TRUE;
}

/* Numbers that are not finite become null. */
void
_ts_json_writer_real (TsJsonWriter *self,
                      const char *key,
                      double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  _ts_json_writer_key (self, key);
  g_string_append (self->text,
                   isfinite (value) ? g_ascii_formatd (text, sizeof text, "%.15g", value) : "null");
  self->needs_comma = TRUE;
}

/* As _ts_json_set_real() keeps it: six decimals of what is below 1e9, always with a point. */
void
_ts_json_writer_figure (TsJsonWriter *self,
                        const char *key,
                        double value)
{
  _ts_json_writer_key (self, key);
  _ts_json_writer_figure_element (self, value);
}

void
_ts_json_writer_figure_element (TsJsonWriter *self,
                                double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  self->needs_comma = TRUE;
  if (!isfinite (value))
    g_string_append (self->text, "null");
  else if (fabs (value) < 1e9)
    {
      gint64 millionths = llround (fabs (value) * 1e6);
      char decimals[] = ".000000";
      guint n = sizeof decimals - 1;

      if (value < 0.0 && millionths > 0)
        g_string_append_c (self->text, '-');
      append_int (self->text, millionths / 1000000);
      millionths %= 1000000;
      for (guint i = n - 1; i > 0; i--, millionths /= 10)
        decimals[i] = (char) ('0' + millionths % 10);
      while (n > 2 && decimals[n - 1] == '0')
        n--;
      g_string_append_len (self->text, decimals, n);
    }
  else
    {
      g_ascii_formatd (text, sizeof text, "%.17g", value);
      g_string_append (self->text, text);
      if (strpbrk (text, ".e") == NULL)
        g_string_append (self->text, ".0");
    }
}

void
_ts_json_writer_bool (TsJsonWriter *self,
                      const char *key,
                      gboolean value)
{
  _ts_json_writer_key (self, key);
  g_string_append (self->text, value ? "true" : "false");
  self->needs_comma = TRUE;
}

/* Whether brackets outside of strings nest no deeper than 100: what comes from outside must not
 * exhaust the stack of the parser. */
gboolean
_ts_json_is_shallow (const char *text,
                     gsize length)
{
  gboolean in_string = FALSE;
  gint depth = 0;

  for (gsize i = 0; i < length; i++)
    {
      if (in_string)
        {
          if (text[i] == '\\')
            i++;
          else if (text[i] == '"')
            in_string = FALSE;
        }
      else if (text[i] == '"')
        in_string = TRUE;
      else if (text[i] == '{' || text[i] == '[')
        {
          if (++depth > 100)
            return FALSE;
        }
      else if (text[i] == '}' || text[i] == ']')
        depth--;
    }
  return TRUE;
}
