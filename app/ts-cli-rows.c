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
/* Lines are written by as much. */
#define OUT_BYTES 65536

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

/**
 * Cell:
 * @column: which
 * @at, @length: its text within the table's
 * @width: characters
 */
typedef struct
{
  guint column;
  gsize at;
  gsize length;
  guint width;
} Cell;

/**
 * Table:
 * @names: (element-type utf8): columns
 * @text: what the cells of rows that wait say
 * @cells: (element-type Cell): row after row
 * @ends: (element-type guint): cells up to the end of each row that waits
 * @widths: (nullable): of the columns; %NULL: not measured yet
 * @in_row: (nullable): per column, its cell in the row that is printed, from 1 on
 * @out: lines that have not been written yet
 */
typedef struct
{
  GPtrArray *names;
  GString *text;
  GArray *cells;
  GArray *ends;
  guint *widths;
  guint *in_row;
  GString *out;
} Table;

static void
table_init (Table *self)
{
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->text = g_string_new (NULL);
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  self->ends = g_array_new (FALSE, FALSE, sizeof (guint));
  self->widths = NULL;
  self->in_row = NULL;
  self->out = g_string_sized_new (2 * OUT_BYTES);
}

static void
table_clear (Table *self)
{
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_string_free (g_steal_pointer (&self->text), TRUE);
  g_clear_pointer (&self->cells, g_array_unref);
  g_clear_pointer (&self->ends, g_array_unref);
  g_clear_pointer (&self->widths, g_free);
  g_clear_pointer (&self->in_row, g_free);
  g_string_free (g_steal_pointer (&self->out), TRUE);
}

/* Of figures inside of a figure a table has room for these. */
static gboolean
is_main_figure (const char *key,
                gsize length)
{
  static const char *const keys[]
      = { "count", "mean", "avg_us", "median", "p99", "p99_us", "max", "max_us" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strlen (keys[i]) == length && memcmp (keys[i], key, length) == 0)
      return TRUE;
  return FALSE;
}

/* Whether @name is that of what is inside of @prefix, or @key itself. */
static gboolean
is_named (const char *name,
          const char *prefix,
          gsize prefix_length,
          const char *key,
          gsize length)
{
  if (prefix != NULL)
    {
      if (strncmp (name, prefix, prefix_length) != 0 || name[prefix_length] != '.')
        return FALSE;
      name += prefix_length + 1;
    }
  return strncmp (name, key, length) == 0 && name[length] == '\0';
}

/* The column of a value; rows tell theirs mostly in one order. A table whose widths are known gets
 * no more columns: -1. */
static int
find_column (Table *self,
             guint expected,
             const char *prefix,
             gsize prefix_length,
             const char *key,
             gsize length)
{
  guint n = self->names->len;

  for (guint i = 0; i < n; i++)
    {
      guint k = (expected + i) % n;

      if (is_named (g_ptr_array_index (self->names, k), prefix, prefix_length, key, length))
        return (int) k;
    }
  if (self->widths != NULL)
    return -1;
  g_ptr_array_add (self->names, prefix != NULL
                                    ? g_strdup_printf ("%.*s.%.*s", (int) prefix_length, prefix,
                                                       (int) length, key)
                                    : g_strndup (key, length));
  return (int) n;
}

/* A text of JSON with its quotes. Most hold nothing that has to be looked at. */
static void
append_text (GString *text,
             const char *value,
             gsize length)
{
  g_autofree char *copy = NULL;
  g_autofree char *printable = NULL;
  g_autofree char *cut = NULL;
  g_autoptr (JsonNode) node = NULL;
  gboolean is_plain = length <= MAX_CELL + 2;

  for (gsize i = 1; i + 1 < length && is_plain; i++)
    is_plain = value[i] >= 0x20 && value[i] < 0x7F && value[i] != '\\';
  if (is_plain)
    {
      g_string_append_len (text, value + 1, (gssize) length - 2);
      return;
    }
  copy = g_strndup (value, length);
  node = json_from_string (copy, NULL);
  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return;
  printable = ts_cli_dup_printable (json_node_get_string (node));
  cut = g_utf8_substring (printable, 0, MIN (g_utf8_strlen (printable, -1), MAX_CELL));
  g_string_append (text, cut);
}

/* A number with a point: three decimals. */
static void
append_real (GString *text,
             const char *value,
             gsize length)
{
  char copy[G_ASCII_DTOSTR_BUF_SIZE];
  char number[512];
  const char *point = memchr (value, '.', length);
  gsize decimals = point != NULL ? length - (gsize) (point - value) - 1 : 0;

  if (point != NULL && decimals <= 3 && memchr (value, 'e', length) == NULL)
    {
      g_string_append_len (text, value, (gssize) length);
      g_string_append_len (text, "000", (gssize) (3 - decimals));
      return;
    }
  g_strlcpy (copy, value, MIN (length + 1, sizeof copy));
  g_string_append (
      text, g_ascii_formatd (number, sizeof number, "%.3f", g_ascii_strtod (copy, NULL)));
}

static void
add_cell (Table *self,
          int column,
          const char *value,
          gsize length)
{
  Cell cell = { .column = (guint) column, .at = self->text->len };

  if (column < 0)
    return;
  if (*value == '"')
    append_text (self->text, value, length);
  else if (*value == 'n')
    g_string_append_c (self->text, '-');
  else if ((*value == '-' || g_ascii_isdigit (*value))
           && (memchr (value, '.', length) != NULL || memchr (value, 'e', length) != NULL))
    append_real (self->text, value, length);
  else
    g_string_append_len (self->text, value, (gssize) length);
  cell.length = self->text->len - cell.at;
  cell.width = (guint) g_utf8_strlen (self->text->str + cell.at, (gssize) cell.length);
  g_array_append_val (self->cells, cell);
}

/* The end of the value of JSON at @p, which is one of ours and whole. */
static const char *
skip_value (const char *p)
{
  guint depth = 0;

  do
    {
      if (*p == '"')
        for (p++; *p != '"' && *p != '\0'; p++)
          p += *p == '\\' && p[1] != '\0';
      else if (*p == '{' || *p == '[')
        depth++;
      else if (*p == '}' || *p == ']')
        depth--;
      if (*p == '\0')
        return p;
      p++;
      if (depth == 0 && p[-1] != '"' && p[-1] != '}' && p[-1] != ']')
        while (*p != '\0' && strchr (",}] \n", *p) == NULL)
          p++;
    }
  while (depth > 0);
  return p;
}

static const char *
skip_space (const char *p)
{
  while (g_ascii_isspace (*p) || *p == ',' || *p == ':')
    p++;
  return p;
}

/* The cells of an object. What is inside of a value is told by name: @prefix. */
static void
add_cells (Table *self,
           const char *object,
           const char *prefix,
           gsize prefix_length)
{
  const char *p = skip_space (object + 1);
  guint expected = 0;

  while (*p == '"')
    {
      const char *key = p + 1;
      gsize length;
      const char *end = skip_value (p);
      int column;

      length = (gsize) (end - key) - 1;
      p = skip_space (end);
      end = skip_value (p);
      if (*p == '{' && prefix == NULL)
        add_cells (self, p, key, length);
      else if (*p != '{' && *p != '[' && (prefix == NULL || is_main_figure (key, length)))
        {
          column = find_column (self, expected, prefix, prefix_length, key, length);
          add_cell (self, column, p, (gsize) (end - p));
          expected = (guint) MAX (column, 0) + 1;
        }
      p = skip_space (end);
    }
}

static void
write_out (Table *self)
{
  fwrite (self->out->str, 1, self->out->len, stdout);
  g_string_truncate (self->out, 0);
}

static void
append_padded (Table *self,
               guint column,
               const char *text,
               gsize length,
               guint width)
{
  g_string_append_len (self->out, text, (gssize) length);
  if (column + 1 < self->names->len)
    for (guint n = MAX (self->widths[column] + 2, width + 1) - width; n > 0; n--)
      g_string_append_c (self->out, ' ');
}

/* The row of cells [@first, @end). */
static void
append_row (Table *self,
            guint first,
            guint end)
{
  memset (self->in_row, 0, self->names->len * sizeof *self->in_row);
  for (guint i = first; i < end; i++)
    self->in_row[g_array_index (self->cells, Cell, i).column] = i + 1;
  for (guint i = 0; i < self->names->len; i++)
    {
      const Cell *cell = self->in_row[i] > 0
                             ? &g_array_index (self->cells, Cell, self->in_row[i] - 1)
                             : NULL;

      if (cell != NULL)
        append_padded (self, i, self->text->str + cell->at, cell->length, cell->width);
      else
        append_padded (self, i, "", 0, 0);
    }
  g_string_append_c (self->out, '\n');
  if (self->out->len >= OUT_BYTES)
    write_out (self);
}

/* The widths of the columns, and the line of their names. */
static void
table_measure (Table *self)
{
  self->widths = g_new0 (guint, self->names->len + 1);
  self->in_row = g_new0 (guint, self->names->len + 1);
  for (guint i = 0; i < self->names->len; i++)
    self->widths[i] = (guint) g_utf8_strlen (g_ptr_array_index (self->names, i), -1);
  for (guint i = 0; i < self->cells->len; i++)
    {
      const Cell *cell = &g_array_index (self->cells, Cell, i);

      self->widths[cell->column] = MAX (self->widths[cell->column], cell->width);
    }
  if (self->names->len == 0)
    {
      g_string_append (self->out, _("(nothing)"));
      g_string_append_c (self->out, '\n');
      return;
    }
  for (guint i = 0; i < self->names->len; i++)
    {
      const char *name = g_ptr_array_index (self->names, i);

      append_padded (self, i, name, strlen (name), (guint) g_utf8_strlen (name, -1));
    }
  g_string_append_c (self->out, '\n');
}

/* Prints the rows that wait. */
static void
table_print_rows (Table *self)
{
  guint first = 0;

  if (self->widths == NULL)
    table_measure (self);
  for (guint i = 0; i < self->ends->len; i++)
    {
      guint end = g_array_index (self->ends, guint, i);

      if (self->names->len > 0)
        append_row (self, first, end);
      first = end;
    }
  g_array_set_size (self->ends, 0);
  g_array_set_size (self->cells, 0);
  g_string_truncate (self->text, 0);
}

static void
table_flush (Table *self)
{
  table_print_rows (self);
  write_out (self);
}

/* @row: text of an object */
static void
table_add (Table *self,
           const char *row)
{
  add_cells (self, row, NULL, 0);
  g_array_append_val (self->ends, self->cells->len);
  if (self->widths != NULL || self->ends->len >= MAX_MEASURED)
    table_print_rows (self);
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
      g_autofree char *text = ts_cli_dup_json (json_array_get_element (rows, i), FALSE);

      if (is_table)
        table_add (&table, text);
      else
        {
          fputs (text, stdout);
          fputc ('\n', stdout);
        }
    }
  if (is_table)
    table_flush (&table);
  table_clear (&table);
  fflush (stdout);
}

/* ---- rows out of a stream ---- */

#define TS_TYPE_CLI_ROW_STREAM (ts_cli_row_stream_get_type ())
G_DECLARE_FINAL_TYPE (TsCliRowStream, ts_cli_row_stream, TS, CLI_ROW_STREAM, GOutputStream)

/**
 * TsCliRowStream:
 * @is_table: columns for people
 * @table: where the rows go then
 * @row: what has come of the row
 * @depth: brackets that are open
 * @is_array: the member that is being read is an array
 * @has_rows: an array had rows: what comes after it has none
 * @is_in_row, @is_in_text, @is_escaped: where it is
 */
struct _TsCliRowStream
{
  GOutputStream parent_instance;

  gboolean is_table;
  Table table;
  GString *row;
  guint depth;
  gboolean is_array;
  gboolean has_rows;
  gboolean is_in_row;
  gboolean is_in_text;
  gboolean is_escaped;
};

G_DEFINE_FINAL_TYPE (TsCliRowStream, ts_cli_row_stream, G_TYPE_OUTPUT_STREAM)

static void
end_row (TsCliRowStream *self)
{
  if (self->is_table)
    table_add (&self->table, self->row->str);
  else
    {
      g_string_append_c (self->row, '\n');
      fwrite (self->row->str, 1, self->row->len, stdout);
    }
  g_string_truncate (self->row, 0);
}

/* A bracket outside of texts. Rows are the objects in the first array of the outermost object that
 * has any. Returns: whether a row begins or ends here */
static gboolean
take_bracket (TsCliRowStream *self,
              char c)
{
  if (c == '{' || c == '[')
    {
      self->depth++;
      if (self->depth == 2)
        {
          self->is_array = c == '[' && !self->has_rows;
          return FALSE;
        }
      if (self->depth != 3 || !self->is_array || c != '{')
        return FALSE;
      self->has_rows = TRUE;
      self->is_in_row = TRUE;
      return TRUE;
    }
  self->depth -= self->depth > 0;
  if (!self->is_in_row || self->depth != 2)
    return FALSE;
  self->is_in_row = FALSE;
  return TRUE;
}

static gssize
row_stream_write (GOutputStream *stream,
                  const void *buffer,
                  gsize count,
                  GCancellable *cancellable,
                  GError **error)
{
  TsCliRowStream *self = TS_CLI_ROW_STREAM (stream);
  const char *text = buffer;
  gsize row = 0;

  for (gsize i = 0; i < count; i++)
    {
      char c = text[i];

      if (self->is_in_text)
        {
          self->is_in_text = c != '"' || self->is_escaped;
          self->is_escaped = c == '\\' && !self->is_escaped;
        }
      else if (c == '"')
        self->is_in_text = TRUE;
      else if ((c == '{' || c == '[' || c == '}' || c == ']') && take_bracket (self, c))
        {
          if (self->is_in_row)
            {
              row = i;
              continue;
            }
          g_string_append_len (self->row, text + row, (gssize) (i + 1 - row));
          end_row (self);
        }
    }
  if (self->is_in_row)
    g_string_append_len (self->row, text + row, (gssize) (count - row));
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
