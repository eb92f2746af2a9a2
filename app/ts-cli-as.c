/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-as.c: answers of queries for people: `--as ndjson|table`, and reports of comparisons:
 * `--as md|html|junit`.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "model/ts-findings.h"
#include "ui/draw/ts-painter.h"

#include "ts-cli.h"

#define MAX_CELL 48
#define MAX_FINDINGS 10
#define MAX_PICTURES 3

/* ---- rows of an answer ---- */

static gboolean
is_row_array (JsonNode *node)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  return array != NULL && json_array_get_length (array) > 0
         && JSON_NODE_HOLDS_OBJECT (json_array_get_element (array, 0));
}

/* The array that an answer is about: its first array of objects, at the top or under `data`; else
 * the rows of `sql`, or the points of a series. */
static JsonArray *
find_rows (JsonObject *object)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    if (is_row_array (node) && !g_str_equal (key, "series"))
      return json_node_get_array (node);
  node = json_object_get_member (object, "data");
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return find_rows (json_node_get_object (node));
  return NULL;
}

/* Rows of `sql` and points are arrays: they become objects. */
static JsonArray *
find_array_rows (JsonObject *object)
{
  static const char *const point_names[] = { "t_us", "value" };
  JsonArray *out = json_array_new ();
  gboolean is_sql = json_object_has_member (object, "rows");
  const char *member = is_sql ? "rows" : "points";
  JsonArray *rows;
  JsonArray *columns = is_sql ? json_object_get_array_member (object, "columns") : NULL;

  if (!json_object_has_member (object, member))
    return out;
  rows = json_object_get_array_member (object, member);
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

static JsonArray *
get_rows (JsonObject *answer)
{
  JsonArray *rows = find_rows (answer);

  return rows != NULL ? json_array_ref (rows) : find_array_rows (answer);
}

static void
print_ndjson (JsonObject *answer)
{
  g_autoptr (JsonArray) rows = get_rows (answer);

  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      g_autofree char *text = json_to_string (json_array_get_element (rows, i), FALSE);

      ts_cli_print_line ("%s", text);
    }
}

/* A value in a cell of a table; what is inside of it is told by name. */
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
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      char *text;

      if (JSON_NODE_HOLDS_OBJECT (node) && prefix == NULL)
        {
          add_cells (json_node_get_object (node), key, names, cells);
          continue;
        }
      if (JSON_NODE_HOLDS_ARRAY (node) || JSON_NODE_HOLDS_OBJECT (node))
        continue;
      if (JSON_NODE_HOLDS_NULL (node))
        text = g_strdup ("-");
      else if (json_node_get_value_type (node) == G_TYPE_STRING)
        text = g_utf8_substring (json_node_get_string (node), 0,
                                 MIN (g_utf8_strlen (json_node_get_string (node), -1), MAX_CELL));
      else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
        text = g_strdup (
            g_ascii_formatd (number, sizeof number, "%.3f", json_node_get_double (node)));
      else
        text = json_to_string (node, FALSE);
      if (names != NULL && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_strdup (name));
      g_hash_table_insert (cells, g_steal_pointer (&name), text);
    }
}

static void
print_table_line (GPtrArray *names,
                  GHashTable *cells,
                  const guint *widths)
{
  g_autoptr (GString) line = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      const char *text = cells != NULL ? g_hash_table_lookup (cells, name) : name;
      glong length;

      if (text == NULL)
        text = "";
      length = g_utf8_strlen (text, -1);
      g_string_append (line, text);
      if (i + 1 < names->len)
        for (glong k = length; k < (glong) widths[i] + 2; k++)
          g_string_append_c (line, ' ');
    }
  ts_cli_print_line ("%s", line->str);
}

static void
print_table (JsonObject *answer)
{
  g_autoptr (JsonArray) rows = get_rows (answer);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lines
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  g_autofree guint *widths = NULL;

  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      GHashTable *cells = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

      add_cells (json_array_get_object_element (rows, i), NULL, names, cells);
      g_ptr_array_add (lines, cells);
    }
  widths = g_new0 (guint, names->len + 1);
  for (guint i = 0; i < names->len; i++)
    {
      widths[i] = (guint) g_utf8_strlen (g_ptr_array_index (names, i), -1);
      for (guint k = 0; k < lines->len; k++)
        {
          const char *text
              = g_hash_table_lookup (g_ptr_array_index (lines, k), g_ptr_array_index (names, i));

          if (text != NULL)
            widths[i] = MAX (widths[i], (guint) g_utf8_strlen (text, -1));
        }
    }
  print_table_line (names, NULL, widths);
  for (guint k = 0; k < lines->len; k++)
    print_table_line (names, g_ptr_array_index (lines, k), widths);
}

/* ---- reports of comparisons ---- */

static char *
format_number (JsonObject *result,
               const char *key)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!json_object_has_member (result, key) || json_object_get_null_member (result, key))
    return g_strdup ("-");
  return g_strdup (
      g_ascii_formatd (text, sizeof text, "%.6g", json_object_get_double_member (result, key)));
}

static const char *
get_text (JsonObject *object,
          const char *key)
{
  return json_object_get_string_member_with_default (object, key, "");
}

typedef void (*ResultFunc) (JsonObject *result,
                            const char *values[4],
                            gpointer user_data);

/* Calls @func with baseline, value, deviation and limit of each result; @bad: only those that do
 * not pass. */
static void
for_each_result (JsonObject *answer,
                 gboolean bad,
                 ResultFunc func,
                 gpointer user_data)
{
  JsonArray *results = json_object_get_array_member (answer, "results");

  for (guint i = 0; i < json_array_get_length (results); i++)
    {
      JsonObject *result = json_array_get_object_element (results, i);
      g_autofree char *baseline = format_number (result, "baseline");
      g_autofree char *value = format_number (result, "value");
      g_autofree char *deviation = format_number (result, "deviation_pct");
      g_autofree char *limit = format_number (result, "fail_pct");
      const char *values[4] = { baseline, value, deviation, limit };

      if (!bad || !g_str_equal (get_text (result, "status"), "pass"))
        func (result, values, user_data);
    }
}

static void
append_md_row (JsonObject *result,
               const char *values[4],
               gpointer user_data)
{
  g_string_append_printf (user_data, "| `%s` | %s | %s | %s | %s %% | %s %% |\n",
                          get_text (result, "metric"), get_text (result, "status"), values[0],
                          values[1], values[2], values[3]);
}

static void
append_warnings (JsonObject *answer,
                 const char *before,
                 const char *after,
                 GString *text)
{
  JsonArray *warnings = json_object_get_array_member (answer, "warnings");

  for (guint i = 0; i < json_array_get_length (warnings); i++)
    {
      g_autofree char *escaped
          = g_markup_escape_text (json_array_get_string_element (warnings, i), -1);

      g_string_append_printf (text, "%s%s%s", before, escaped, after);
    }
}

static GPtrArray *
list_findings (TsRecording *recording)
{
  GPtrArray *findings = ts_findings_list (recording, 0, G_MAXINT64, NULL, NULL);

  return findings != NULL ? findings : g_ptr_array_new ();
}

static void
print_md (JsonObject *answer,
          TsRecording *recording)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) findings = list_findings (recording);

  g_string_append_printf (text, _("# Golden run: %s\n\n"), get_text (answer, "verdict"));
  g_string_append_printf (
      text, _("%d metrics pass, %d warn, %d fail, %d are missing.\n\n"),
      (int) json_object_get_int_member (answer, "n_pass"),
      (int) json_object_get_int_member (answer, "n_warn"),
      (int) json_object_get_int_member (answer, "n_fail"),
      (int) json_object_get_int_member (answer, "n_missing"));
  append_warnings (answer, "> ", "\n", text);
  if (!g_str_equal (get_text (answer, "verdict"), "pass"))
    {
      g_string_append (text, _("\n| metric | status | baseline | now | outside by | allowed |\n"));
      g_string_append (text, "|---|---|---:|---:|---:|---:|\n");
      for_each_result (answer, TRUE, append_md_row, text);
    }
  if (findings->len > 0)
    g_string_append (text, _("\n## Findings\n\n"));
  for (guint i = 0; i < MIN (findings->len, MAX_FINDINGS); i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);

      g_string_append_printf (text, "- %s, %.3f ms: %s\n", ts_severity_get_name (finding->severity),
                              (double) ts_recording_ticks_to_us (recording, finding->begin) / 1e3,
                              finding->text);
    }
  fputs (text->str, stdout);
}

static void
append_html_row (JsonObject *result,
                 const char *values[4],
                 gpointer user_data)
{
  g_autofree char *metric = g_markup_escape_text (get_text (result, "metric"), -1);

  g_string_append_printf (user_data,
                          "<tr class=\"%s\"><td>%s<td>%s<td>%s<td>%s<td>%s %%<td>%s %%</tr>\n",
                          get_text (result, "status"), metric, get_text (result, "status"),
                          values[0], values[1], values[2], values[3]);
}

/* The timeline around a place, within the page. As an image, because names inside of one drawing
 * would be taken for those of another. */
static void
append_picture (TsRecording *recording,
                const TsFinding *finding,
                GString *text)
{
  gint64 begin = ts_recording_ticks_to_us (recording, finding->begin);
  gint64 end = ts_recording_ticks_to_us (recording, finding->end);
  gint64 margin = MAX ((end - begin) / 2, 1000);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ts-report-XXXXXX.svg", NULL);
  TsPictureOptions options = { .format = "svg",
                               .width = 1000,
                               .height = 420,
                               .t_start_us = MAX (begin - margin, 0),
                               .t_end_us = end + margin };
  g_autofree char *svg = NULL;
  gsize length = 0;
  int fd = g_mkstemp (path);

  if (fd < 0)
    return;
  g_close (fd, NULL);
  if (ts_picture_export (recording, path, &options, NULL)
      && g_file_get_contents (path, &svg, &length, NULL))
    {
      g_autofree char *encoded = g_base64_encode ((const guchar *) svg, length);

      g_string_append_printf (
          text, "<figure><img alt=\"\" src=\"data:image/svg+xml;base64,%s\"></figure>\n", encoded);
    }
  g_unlink (path);
}

static void
print_html (JsonObject *answer,
            TsRecording *recording)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) findings = list_findings (recording);

  g_string_append_printf (
      text,
      "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>%s</title>\n"
      "<style>body{font-family:sans-serif;max-width:64em;margin:2em auto}"
      "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right}"
      "td:first-child,th:first-child{text-align:left;font-family:monospace}"
      ".fail,.missing{background:#f6c6c6}.warn{background:#fbe8b8}"
      "figure{margin:1em 0}figure img{max-width:100%%;height:auto}</style>\n<h1>%s</h1>\n",
      _("Golden run"), get_text (answer, "verdict"));
  g_string_append_printf (text, "<p>%d pass, %d warn, %d fail, %d missing.</p>\n",
                          (int) json_object_get_int_member (answer, "n_pass"),
                          (int) json_object_get_int_member (answer, "n_warn"),
                          (int) json_object_get_int_member (answer, "n_fail"),
                          (int) json_object_get_int_member (answer, "n_missing"));
  append_warnings (answer, "<p><em>", "</em></p>\n", text);
  g_string_append_printf (text, "<table>\n<tr><th>%s<th>%s<th>%s<th>%s<th>%s<th>%s</tr>\n",
                          _("Metric"), _("Status"), _("Baseline"), _("Now"), _("Outside by"),
                          _("Allowed"));
  for_each_result (answer, FALSE, append_html_row, text);
  g_string_append (text, "</table>\n");
  if (findings->len > 0)
    g_string_append_printf (text, "<h2>%s</h2>\n", _("Findings"));
  for (guint i = 0; i < MIN (findings->len, MAX_FINDINGS); i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      g_autofree char *escaped = g_markup_escape_text (finding->text, -1);

      g_string_append_printf (text, "<p><strong>%s</strong>, %.3f ms: %s</p>\n",
                              ts_severity_get_name (finding->severity),
                              (double) ts_recording_ticks_to_us (recording, finding->begin) / 1e3,
                              escaped);
      if (i < MAX_PICTURES)
        append_picture (recording, finding, text);
    }
  fputs (text->str, stdout);
}

static void
append_junit_case (JsonObject *result,
                   const char *values[4],
                   gpointer user_data)
{
  g_autofree char *metric = g_markup_escape_text (get_text (result, "metric"), -1);
  const char *status = get_text (result, "status");

  g_string_append_printf (user_data, "  <testcase classname=\"taskscope\" name=\"%s\"", metric);
  if (g_str_equal (status, "fail") || g_str_equal (status, "missing"))
    g_string_append_printf (
        user_data,
        ">\n    <failure type=\"%s\" message=\"%s, expected %s, outside by %s %%, "
        "allowed %s %%\"/>\n  </testcase>\n",
        status, values[1], values[0], values[2], values[3]);
  else if (g_str_equal (status, "warn"))
    g_string_append_printf (user_data,
                            ">\n    <system-out>%s, expected %s, outside by %s %%</system-out>\n"
                            "  </testcase>\n",
                            values[1], values[0], values[2]);
  else
    g_string_append (user_data, "/>\n");
}

static void
print_junit (JsonObject *answer,
             TsRecording *recording)
{
  g_autoptr (GString) text = g_string_new (NULL);
  JsonArray *results = json_object_get_array_member (answer, "results");

  g_string_append_printf (
      text,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"taskscope\" tests=\"%u\" failures=\"%d\" errors=\"0\" skipped=\"0\">\n",
      json_array_get_length (results),
      (int) (json_object_get_int_member (answer, "n_fail")
             + json_object_get_int_member (answer, "n_missing")));
  for_each_result (answer, FALSE, append_junit_case, text);
  g_string_append (text, "</testsuite>\n");
  fputs (text->str, stdout);
}

/**
 * ts_cli_as_check:
 * @args: arguments
 * @verb: verb of the query
 * @error: return location
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS for a form that does not exist, or not for this query
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_as_check (TsCliArgs *args,
                 const char *verb,
                 GError **error)
{
  static const char *const forms[] = { "json", "ndjson", "table", "md", "html", "junit", NULL };
  const char *form = ts_cli_args_get (args, "as");

  if (form == NULL)
    return TRUE;
  if (!g_strv_contains (forms, form))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--as is “%s”; it can be json, ndjson or table, and for compare md, html or "
                     "junit."),
                   form);
      return FALSE;
    }
  if (!g_str_equal (verb, "compare")
      && (g_str_equal (form, "md") || g_str_equal (form, "html") || g_str_equal (form, "junit")))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--as %s is a report of “compare”, not of “%s”."), form, verb);
      return FALSE;
    }
  if (ts_query_is_stream (verb) && !g_str_equal (form, "json"))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” has no bound and is written as one JSON object only."), verb);
      return FALSE;
    }
  return TRUE;
}

/**
 * ts_cli_as_print:
 * @args: arguments
 * @answer: (transfer none): answer of a query
 * @recording: what it is about
 *
 * Prints an answer in the form that --as tells: one JSON object, its rows as lines of JSON or as a
 * table, or a report.
 */
void
ts_cli_as_print (TsCliArgs *args,
                 JsonObject *answer,
                 TsRecording *recording)
{
  const char *form = ts_cli_args_get (args, "as");

  if (form == NULL || g_str_equal (form, "json"))
    ts_cli_envelope_print (args, answer);
  else if (g_str_equal (form, "ndjson"))
    print_ndjson (answer);
  else if (g_str_equal (form, "table"))
    print_table (answer);
  else if (g_str_equal (form, "md"))
    print_md (answer, recording);
  else if (g_str_equal (form, "html"))
    print_html (answer, recording);
  else
    print_junit (answer, recording);
}
