/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-rows.c: the rows of an answer, for people and pipes: `--as ndjson|table`.
 *
 * An answer is about an array of objects, or has none: then its figures are the rows, by name.
 * Answers without a bound pass through a stream that takes the rows out of them one by one.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "ts-cli.h"

#define MAX_CELL 48
/* Rows that the widths of a table's columns are taken from; longer tables go on with these. */
#define MAX_MEASURED 500

/* ---- what the rows are ---- */

/* The first array of objects, at the top or under `data`; an empty one says that there are none. */
static JsonArray *
find_rows (JsonObject *object)
{
  JsonArray *empty = NULL;
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

      if (array == NULL || g_str_equal (key, "series"))
        continue;
      if (json_array_get_length (array) == 0)
        empty = array;
      else if (JSON_NODE_HOLDS_OBJECT (json_array_get_element (array, 0)))
        return array;
    }
  node = json_object_get_member (object, "data");
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonArray *inner = find_rows (json_node_get_object (node));

      return inner != NULL ? inner : empty;
    }
  return empty;
}

/* Rows of `sql` and points are arrays: they become objects. */
static JsonArray *
make_array_rows (JsonObject *object)
{
  static const char *const point_names[] = { "t_us", "value" };
  gboolean is_sql = json_object_has_member (object, "rows");
  const char *member = is_sql ? "rows" : "points";
  JsonArray *out, *rows, *columns;

  if (!json_object_has_member (object, member))
    return NULL;
  out = json_array_new ();
  rows = json_object_get_array_member (object, member);
  columns = is_sql ? json_object_get_array_member (object, "columns") : NULL;
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);
      JsonObject *item = json_object_new ();

      for (guint k = 0; k < json_array_get_length (row); k++)
        json_object_set_member (item,
                                columns != NULL ? json_array_get_string_element (columns, k)
                                                : point_names[MIN (k, 1)],
                                json_node_copy (json_array_get_element (row, k)));
      json_array_add_object_element (out, item);
    }
  return out;
}

static void
add_named_row (JsonArray *rows,
               const char *prefix,
               const char *key,
               JsonNode *node)
{
  g_autofree char *name = prefix != NULL ? g_strconcat (prefix, ".", key, NULL) : g_strdup (key);
  JsonObject *row = json_object_new ();

  json_object_set_string_member (row, "name", name);
  json_object_set_member (row, "value", json_node_copy (node));
  json_array_add_object_element (rows, row);
}

/* Figures by name, those inside of others too. */
static void
add_figures (JsonArray *rows,
             JsonObject *object,
             const char *prefix)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    if (JSON_NODE_HOLDS_OBJECT (node) && prefix == NULL)
      add_figures (rows, json_node_get_object (node), key);
    else if (JSON_NODE_HOLDS_VALUE (node) || JSON_NODE_HOLDS_NULL (node))
      add_named_row (rows, prefix, key, node);
}

/* An object of objects (metrics, counters): each is a row, its key the name. Else its figures. */
static JsonArray *
make_named_rows (JsonObject *object)
{
  JsonArray *out = json_array_new ();
  JsonObjectIter iter;
  gboolean is_list = TRUE;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    is_list = is_list && JSON_NODE_HOLDS_OBJECT (node);
  if (!is_list)
    {
      add_figures (out, object, NULL);
      return out;
    }
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      JsonObject *row = json_object_new ();
      JsonObjectIter inner;
      const char *member;
      JsonNode *value;

      json_object_set_string_member (row, "name", key);
      json_object_iter_init_ordered (&inner, json_node_get_object (node));
      while (json_object_iter_next_ordered (&inner, &member, &value))
        json_object_set_member (row, member, json_node_copy (value));
      json_array_add_object_element (out, row);
    }
  return out;
}

static JsonArray *
get_rows (JsonObject *answer)
{
  static const char *const named[] = { "metrics", "data" };
  JsonArray *rows = make_array_rows (answer);

  if (rows != NULL)
    return rows;
  rows = find_rows (answer);
  if (rows != NULL)
    return json_array_ref (rows);
  for (gsize i = 0; i < G_N_ELEMENTS (named); i++)
    {
      JsonNode *node = json_object_get_member (answer, named[i]);

      if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
        {
          JsonObject *object = json_node_get_object (node);

          return make_named_rows (json_object_has_member (object, "counters")
                                      ? json_object_get_object_member (object, "counters")
                                      : object);
        }
    }
  return json_array_new ();
}

/* ---- a table ---- */

typedef struct
{
  GPtrArray *names;  /* of char *: columns */
  GPtrArray *lines;  /* of GHashTable *: rows not yet printed */
  guint *widths;     /* NULL: not measured yet */
} Table;

static void
table_init (Table *self)
{
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  self->widths = NULL;
}

static void
table_clear (Table *self)
{
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_clear_pointer (&self->lines, g_ptr_array_unref);
  g_clear_pointer (&self->widths, g_free);
}

/* Of figures inside of a figure a table has room for these. */
static gboolean
is_main_figure (const char *key)
{
  static const char *const keys[] = { "count", "mean", "avg_us", "median", "p99", "p99_us", "max",
                                      "max_us", NULL };

  return g_strv_contains (keys, key);
}

static char *
make_cell (JsonNode *node)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (JSON_NODE_HOLDS_NULL (node))
    return g_strdup ("-");
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      g_autofree char *text = ts_cli_dup_printable (json_node_get_string (node));

      return g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), MAX_CELL));
    }
  if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    return g_strdup (g_ascii_formatd (number, sizeof number, "%.3f", json_node_get_double (node)));
  return json_to_string (node, FALSE);
}

/* What is inside of a value is told by name. */
static void
add_cells (JsonObject *object,
           const char *prefix,
           GPtrArray *names,
           GHashTable *cells)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      g_autofree char *name
          = prefix != NULL ? g_strconcat (prefix, ".", key, NULL) : g_strdup (key);

      if (JSON_NODE_HOLDS_OBJECT (node) && prefix == NULL)
        add_cells (json_node_get_object (node), key, names, cells);
      if (JSON_NODE_HOLDS_ARRAY (node) || JSON_NODE_HOLDS_OBJECT (node)
          || (prefix != NULL && !is_main_figure (key)))
        continue;
      if (names != NULL && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_strdup (name));
      g_hash_table_insert (cells, g_steal_pointer (&name), make_cell (node));
    }
}

static void
print_line (Table *self,
            GHashTable *cells)
{
  g_autoptr (GString) line = g_string_new (NULL);

  for (guint i = 0; i < self->names->len; i++)
    {
      const char *name = g_ptr_array_index (self->names, i);
      const char *text = cells != NULL ? g_hash_table_lookup (cells, name) : name;
      glong length;

      if (text == NULL)
        text = "";
      length = g_utf8_strlen (text, -1);
      g_string_append (line, text);
      if (i + 1 < self->names->len)
        g_string_append_printf (line, "%*s", MAX ((int) self->widths[i] + 2 - (int) length, 1), "");
    }
  g_string_append_c (line, '\n');
  fputs (line->str, stdout);
}

/* Prints what has been held back. */
static void
table_flush (Table *self)
{
  if (self->widths == NULL)
    {
      self->widths = g_new0 (guint, self->names->len + 1);
      for (guint i = 0; i < self->names->len; i++)
        {
          const char *name = g_ptr_array_index (self->names, i);

          self->widths[i] = (guint) g_utf8_strlen (name, -1);
          for (guint k = 0; k < self->lines->len; k++)
            {
              const char *text = g_hash_table_lookup (g_ptr_array_index (self->lines, k), name);

              if (text != NULL)
                self->widths[i] = MAX (self->widths[i], (guint) g_utf8_strlen (text, -1));
            }
        }
      if (self->names->len == 0)
        fprintf (stdout, "%s\n", _("(nothing)"));
      else
        print_line (self, NULL);
    }
  for (guint k = 0; k < self->lines->len; k++)
    print_line (self, g_ptr_array_index (self->lines, k));
  g_ptr_array_set_size (self->lines, 0);
}

static void
table_add (Table *self,
           JsonObject *row)
{
  GHashTable *cells = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  add_cells (row, NULL, self->widths == NULL ? self->names : NULL, cells);
  g_ptr_array_add (self->lines, cells);
  if (self->widths != NULL || self->lines->len >= MAX_MEASURED)
    table_flush (self);
}

/**
 * ts_cli_rows_print:
 * @answer: an answer
 * @is_table: columns for people, else one JSON object a line
 *
 * Prints the rows of an answer.
 */
void
ts_cli_rows_print (JsonObject *answer,
                   gboolean is_table)
{
  g_autoptr (JsonArray) rows = get_rows (answer);
  Table table;

  table_init (&table);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      g_autofree char *text = NULL;

      if (is_table)
        {
          table_add (&table, json_array_get_object_element (rows, i));
          continue;
        }
      text = ts_cli_dup_json (json_array_get_element (rows, i), FALSE);
      fputs (text, stdout);
      fputc ('\n', stdout);
    }
  if (is_table)
    table_flush (&table);
  table_clear (&table);
  fflush (stdout);
}

/* ---- rows out of a stream ---- */

#define TS_TYPE_CLI_ROW_STREAM (ts_cli_row_stream_get_type ())
G_DECLARE_FINAL_TYPE (TsCliRowStream, ts_cli_row_stream, TS, CLI_ROW_STREAM, GOutputStream)

struct _TsCliRowStream
{
  GOutputStream parent_instance;

  gboolean is_table;
  Table table;
  GString *row;
  guint depth;
  gboolean is_in_text;
  gboolean is_escaped;
};

G_DEFINE_FINAL_TYPE (TsCliRowStream, ts_cli_row_stream, G_TYPE_OUTPUT_STREAM)

static void
end_row (TsCliRowStream *self)
{
  g_autoptr (JsonNode) node = NULL;

  if (!self->is_table)
    {
      g_string_append_c (self->row, '\n');
      fwrite (self->row->str, 1, self->row->len, stdout);
    }
  else if ((node = json_from_string (self->row->str, NULL)) != NULL
           && JSON_NODE_HOLDS_OBJECT (node))
    table_add (&self->table, json_node_get_object (node));
  g_string_truncate (self->row, 0);
}

/* One byte of the answer: rows are the objects in an array of the outermost object. */
static void
take (TsCliRowStream *self,
      char c)
{
  gboolean was_row = self->depth >= 3;

  if (self->is_in_text)
    {
      self->is_in_text = c != '"' || self->is_escaped;
      self->is_escaped = c == '\\' && !self->is_escaped;
    }
  else if (c == '"')
    self->is_in_text = TRUE;
  else if (c == '{' || c == '[')
    self->depth++;
  else if ((c == '}' || c == ']') && self->depth > 0)
    self->depth--;
  if (was_row || self->depth >= 3)
    g_string_append_c (self->row, c);
  if (was_row && self->depth == 2)
    end_row (self);
}

static gssize
row_stream_write (GOutputStream *stream,
                  const void *buffer,
                  gsize count,
                  GCancellable *cancellable,
                  GError **error)
{
  TsCliRowStream *self = TS_CLI_ROW_STREAM (stream);

  for (gsize i = 0; i < count; i++)
    take (self, ((const char *) buffer)[i]);
  if (ferror (stdout) != 0)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE,
                           _("The answer could not be written."));
      return -1;
    }
  return (gssize) count;
}

static gboolean
row_stream_close (GOutputStream *stream,
                  GCancellable *cancellable,
                  GError **error)
{
  TsCliRowStream *self = TS_CLI_ROW_STREAM (stream);

  if (self->is_table)
    table_flush (&self->table);
  return fflush (stdout) == 0;
}

static void
ts_cli_row_stream_finalize (GObject *object)
{
  TsCliRowStream *self = TS_CLI_ROW_STREAM (object);

  table_clear (&self->table);
  g_string_free (self->row, TRUE);
  G_OBJECT_CLASS (ts_cli_row_stream_parent_class)->finalize (object);
}

static void
ts_cli_row_stream_class_init (TsCliRowStreamClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ts_cli_row_stream_finalize;
  G_OUTPUT_STREAM_CLASS (class)->write_fn = row_stream_write;
  G_OUTPUT_STREAM_CLASS (class)->close_fn = row_stream_close;
}

static void
ts_cli_row_stream_init (TsCliRowStream *self)
{
  table_init (&self->table);
  self->row = g_string_new (NULL);
}

/**
 * ts_cli_rows_stream_new:
 * @is_table: columns for people, else one JSON object a line
 *
 * What is written here is one JSON object with an array of rows; the rows go to standard output, in
 * flat memory. Close it when the answer is whole.
 *
 * Returns: (transfer full): a stream
 */
GOutputStream *
ts_cli_rows_stream_new (gboolean is_table)
{
  TsCliRowStream *self = g_object_new (TS_TYPE_CLI_ROW_STREAM, NULL);

  self->is_table = is_table;
  return G_OUTPUT_STREAM (self);
}
