/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-report.c: a comparison as a report: `query compare --as md|html|junit`.
 *
 * What failed comes first, what is farthest outside before the rest. The page stands alone: pictures
 * of the timeline lie inside it, at the places where figures that failed were at their worst.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/ts-findings.h"
#include "ui/draw/ts-painter.h"

#include "ts-cli.h"

#define MAX_FINDINGS 10
#define MAX_PICTURES 3
/* A picture of more than this shows nothing. */
#define MAX_PICTURE_US (2 * G_USEC_PER_SEC)

/* ---- results ---- */

static const char *
get_text (JsonObject *object,
          const char *key)
{
  return json_object_get_string_member_with_default (object, key, "");
}

static gboolean
has_number (JsonObject *object,
            const char *key)
{
  return json_object_has_member (object, key) && !json_object_get_null_member (object, key);
}

static char *
format_number (JsonObject *result,
               const char *key)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!has_number (result, key))
    return g_strdup ("-");
  return g_strdup (
      g_ascii_formatd (text, sizeof text, "%.6g", json_object_get_double_member (result, key)));
}

/* With a sign: which way a figure moved matters. */
static char *
format_percent (JsonObject *result,
                const char *key,
                const char *format)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!has_number (result, key))
    return g_strdup ("-");
  return g_strconcat (
      g_ascii_formatd (text, sizeof text, format, json_object_get_double_member (result, key)),
      " %", NULL);
}

/* How far outside of what is allowed; what is missing is nowhere. */
static char *
format_outside (JsonObject *result)
{
  if (!has_number (result, "value"))
    return g_strdup ("-");
  return format_percent (result, "deviation_pct", "%+.1f");
}

static guint
rank_of (JsonObject *result)
{
  static const char *const ranks[] = { "fail", "missing", "warn", "pass" };
  guint rank = 0;

  while (rank < G_N_ELEMENTS (ranks) && !g_str_equal (ranks[rank], get_text (result, "status")))
    rank++;
  return rank;
}

static double
distance_of (JsonObject *result)
{
  return has_number (result, "deviation_pct")
             ? fabs (json_object_get_double_member (result, "deviation_pct"))
             : HUGE_VAL;
}

static int
compare_results (gconstpointer a,
                 gconstpointer b)
{
  JsonObject *left = *(JsonObject *const *) a;
  JsonObject *right = *(JsonObject *const *) b;
  guint left_rank = rank_of (left);
  guint right_rank = rank_of (right);

  if (left_rank != right_rank)
    return left_rank < right_rank ? -1 : 1;
  if (left_rank + 1 < 4 && distance_of (left) != distance_of (right))
    return distance_of (left) > distance_of (right) ? -1 : 1;
  return strcmp (get_text (left, "metric"), get_text (right, "metric"));
}

/* The results, worst first. */
static GPtrArray *
sort_results (JsonObject *answer)
{
  JsonArray *results = json_object_get_array_member (answer, "results");
  GPtrArray *sorted = g_ptr_array_new ();

  for (guint i = 0; i < json_array_get_length (results); i++)
    g_ptr_array_add (sorted, json_array_get_object_element (results, i));
  g_ptr_array_sort (sorted, compare_results);
  return sorted;
}

static char *
dup_counts (JsonObject *answer)
{
  return g_strdup_printf (_("%d metrics pass, %d warn, %d fail, %d are missing."),
                          (int) json_object_get_int_member (answer, "n_pass"),
                          (int) json_object_get_int_member (answer, "n_warn"),
                          (int) json_object_get_int_member (answer, "n_fail"),
                          (int) json_object_get_int_member (answer, "n_missing"));
}

/* What was compared with what. */
static char *
dup_subject (JsonObject *answer,
             TsRecording *recording)
{
  g_autofree char *name = g_path_get_basename (get_text (answer, "path"));
  g_autofree char *baseline = g_path_get_basename (get_text (answer, "baseline"));
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");
  gint64 us = ts_recording_ticks_to_us (recording, ts_recording_get_duration (recording));

  return g_strdup_printf (_("%s (%s%s%.3f s, %" PRIu64 " events) against %s."), name,
                          os != NULL ? os : "", os != NULL ? ", " : "", (double) us / 1e6,
                          ts_recording_get_n_events (recording), baseline);
}

/* ---- places ---- */

typedef struct
{
  const char *metric; /* NULL: that of a finding */
  char *text;
  gint64 begin_us;
  gint64 end_us;
} Place;

static void
place_free (gpointer data)
{
  Place *self = data;

  g_free (self->text);
  g_free (self);
}

/* `tasks.NAME.response_p99_us`: where the response time of NAME was longest. */
static Place *
find_place (JsonObject *cpu,
            const char *metric)
{
  static const char *const figures[] = { "run", "response", "period" };
  const char *last = strrchr (metric, '.');
  JsonArray *tasks = json_object_get_array_member (cpu, "tasks");

  if (!g_str_has_prefix (metric, "tasks.") || last <= metric + 6
      || !g_str_has_suffix (last, "_us"))
    return NULL;
  for (guint i = 0; i < json_array_get_length (tasks); i++)
    {
      JsonObject *task = json_array_get_object_element (tasks, i);
      const char *name = get_text (task, "name");

      if (strlen (name) != (gsize) (last - metric - 6)
          || strncmp (name, metric + 6, strlen (name)) != 0)
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (figures); k++)
        {
          JsonObject *figure;
          double t_us, max_us;
          Place *place;

          if (!g_str_has_prefix (last + 1, figures[k]) || last[1 + strlen (figures[k])] != '_'
              || !json_object_has_member (task, figures[k]))
            continue;
          figure = json_object_get_object_member (task, figures[k]);
          if (!has_number (figure, "max_t_us") || !has_number (figure, "max_us"))
            continue;
          t_us = json_object_get_double_member (figure, "max_t_us");
          max_us = json_object_get_double_member (figure, "max_us");
          place = g_new0 (Place, 1);
          place->metric = metric;
          place->text = g_strdup_printf (_("%s: at most %.3f ms, at %.3f ms."), name,
                                         max_us / 1e3, t_us / 1e3);
          place->begin_us = (gint64) t_us;
          place->end_us = (gint64) (t_us + max_us);
          return place;
        }
    }
  return NULL;
}

static gboolean
is_shown (GPtrArray *places,
          const Place *place)
{
  for (guint i = 0; i < places->len; i++)
    {
      const Place *other = g_ptr_array_index (places, i);

      if (place->begin_us < other->end_us && other->begin_us < place->end_us)
        return TRUE;
    }
  return FALSE;
}

static void
add_place (GPtrArray *places,
           Place *place)
{
  if (place == NULL)
    return;
  if (places->len >= MAX_PICTURES || place->end_us - place->begin_us > MAX_PICTURE_US
      || is_shown (places, place))
    place_free (place);
  else
    g_ptr_array_add (places, place);
}

static GPtrArray *
list_findings (TsRecording *recording)
{
  GPtrArray *findings = ts_findings_list (recording, 0, G_MAXINT64, NULL, NULL);

  return findings != NULL ? findings : g_ptr_array_new ();
}

/* Of figures that failed or warn; where these have none, of findings. */
static GPtrArray *
list_places (TsRecording *recording,
             GPtrArray *results,
             GPtrArray *findings)
{
  static const TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonNode) answer = ts_query_run (recording, "cpu", &options, NULL, NULL);
  JsonObject *cpu = answer != NULL
                        ? json_object_get_object_member (json_node_get_object (answer), "data")
                        : NULL;
  GPtrArray *places = g_ptr_array_new_with_free_func (place_free);

  for (guint i = 0; cpu != NULL && i < results->len; i++)
    {
      JsonObject *result = g_ptr_array_index (results, i);

      if (!g_str_equal (get_text (result, "status"), "pass"))
        add_place (places, find_place (cpu, get_text (result, "metric")));
    }
  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      Place *place = g_new0 (Place, 1);

      place->text = g_strdup (finding->text);
      place->begin_us = ts_recording_ticks_to_us (recording, finding->begin);
      place->end_us = ts_recording_ticks_to_us (recording, finding->end);
      add_place (places, place);
    }
  return places;
}

/* ---- Markdown ---- */

/* Bars end cells of a table, and grave accents the code they stand in. */
static char *
dup_md_cell (const char *text)
{
  GString *cell = g_string_new (text);

  g_string_replace (cell, "|", "\\|", 0);
  g_string_replace (cell, "`", "'", 0);
  return g_string_free (cell, FALSE);
}

static void
append_md_rows (GPtrArray *results,
                GString *text)
{
  g_string_append (text, _("\n| metric | status | baseline | now | outside by | allowed |\n"));
  g_string_append (text, "|---|---|---:|---:|---:|---:|\n");
  for (guint i = 0; i < results->len; i++)
    {
      JsonObject *result = g_ptr_array_index (results, i);
      g_autofree char *metric = dup_md_cell (get_text (result, "metric"));
      g_autofree char *baseline = format_number (result, "baseline");
      g_autofree char *value = format_number (result, "value");
      g_autofree char *outside = format_outside (result);
      g_autofree char *allowed = format_percent (result, "fail_pct", "%g");

      if (!g_str_equal (get_text (result, "status"), "pass"))
        g_string_append_printf (text, "| `%s` | %s | %s | %s | %s | %s |\n", metric,
                                get_text (result, "status"), baseline, value, outside, allowed);
    }
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

/**
 * ts_cli_report_print_md:
 * @answer: answer of `compare`
 * @recording: what was compared
 *
 * Prints a report in Markdown, for a comment.
 */
void
ts_cli_report_print_md (JsonObject *answer,
                        TsRecording *recording)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) findings = list_findings (recording);
  g_autoptr (GPtrArray) results = sort_results (answer);
  g_autofree char *counts = dup_counts (answer);
  g_autofree char *subject = dup_subject (answer, recording);

  g_string_append_printf (text, _("# Golden run: %s\n\n"), get_text (answer, "verdict"));
  g_string_append_printf (text, "%s %s\n", subject, counts);
  append_warnings (answer, "\n> ", "\n", text);
  if (results->len > 0 && rank_of (g_ptr_array_index (results, 0)) < 3)
    append_md_rows (results, text);
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

/* ---- HTML ---- */

static const char style[]
    = "body{font-family:sans-serif;max-width:68em;margin:2em auto;padding:0 1em;color:#222}"
      "h1{margin-bottom:.2em}h1.fail{color:#b01c1c}h1.warn{color:#9a6700}h1.pass{color:#1a7f37}"
      "table{border-collapse:collapse;margin:1em 0}"
      "td,th{padding:.25em .8em;text-align:right;border-bottom:1px solid #ddd}"
      "td:first-child,th:first-child{text-align:left;font-family:monospace}"
      "tr.fail,tr.missing{background:#f6c6c6}tr.warn{background:#fbe8b8}"
      "figure{margin:1em 0 2em}figure img{max-width:100%;height:auto;border:1px solid #ddd}"
      "figcaption{margin-bottom:.4em}code{font-size:1.05em}details{margin:2em 0}";

static void
append_html_rows (GPtrArray *results,
                  gboolean is_bad,
                  GString *text)
{
  g_string_append_printf (text, "<table>\n<tr><th>%s<th>%s<th>%s<th>%s<th>%s<th>%s</tr>\n",
                          _("Metric"), _("Status"), _("Baseline"), _("Now"), _("Outside by"),
                          _("Allowed"));
  for (guint i = 0; i < results->len; i++)
    {
      JsonObject *result = g_ptr_array_index (results, i);
      const char *status = get_text (result, "status");
      g_autofree char *metric = g_markup_escape_text (get_text (result, "metric"), -1);
      g_autofree char *baseline = format_number (result, "baseline");
      g_autofree char *value = format_number (result, "value");
      g_autofree char *outside = format_outside (result);
      g_autofree char *allowed = format_percent (result, "fail_pct", "%g");

      if (is_bad == !g_str_equal (status, "pass"))
        g_string_append_printf (text,
                                "<tr class=\"%s\"><td>%s<td>%s<td>%s<td>%s<td>%s<td>%s</tr>\n",
                                status, metric, status, baseline, value, outside, allowed);
    }
  g_string_append (text, "</table>\n");
}

/* The timeline around a place, within the page. As an image, because names inside of one drawing
 * would be taken for those of another. */
static void
append_picture (TsRecording *recording,
                const Place *place,
                GString *text)
{
  gint64 margin = MAX ((place->end_us - place->begin_us) / 2, 1000);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ts-report-XXXXXX.svg", NULL);
  g_autofree char *caption = g_markup_escape_text (place->text, -1);
  TsPictureOptions options = { .format = "svg",
                               .width = 1000,
                               .height = 420,
                               .t_start_us = MAX (place->begin_us - margin, 0),
                               .t_end_us = place->end_us + margin };
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

      g_string_append (text, "<figure><figcaption>");
      if (place->metric != NULL)
        {
          g_autofree char *metric = g_markup_escape_text (place->metric, -1);

          g_string_append_printf (text, "<code>%s</code> ", metric);
        }
      g_string_append_printf (text,
                              "%s</figcaption><img alt=\"\" src=\"data:image/svg+xml;base64,%s\">"
                              "</figure>\n",
                              caption, encoded);
    }
  g_unlink (path);
}

static void
append_findings (TsRecording *recording,
                 GPtrArray *findings,
                 GString *text)
{
  if (findings->len == 0)
    return;
  g_string_append_printf (text, "<h2>%s</h2>\n<ul>\n", _("Findings"));
  for (guint i = 0; i < MIN (findings->len, MAX_FINDINGS); i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      g_autofree char *escaped = g_markup_escape_text (finding->text, -1);

      g_string_append_printf (text, "<li><strong>%s</strong>, %.3f ms: %s</li>\n",
                              ts_severity_get_name (finding->severity),
                              (double) ts_recording_ticks_to_us (recording, finding->begin) / 1e3,
                              escaped);
    }
  g_string_append (text, "</ul>\n");
}

/**
 * ts_cli_report_print_html:
 * @answer: answer of `compare`
 * @recording: what was compared
 *
 * Prints a page that stands alone.
 */
void
ts_cli_report_print_html (JsonObject *answer,
                          TsRecording *recording)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) findings = list_findings (recording);
  g_autoptr (GPtrArray) results = sort_results (answer);
  g_autoptr (GPtrArray) places = list_places (recording, results, findings);
  g_autofree char *counts = dup_counts (answer);
  g_autofree char *subject = dup_subject (answer, recording);
  g_autofree char *escaped = g_markup_escape_text (subject, -1);
  const char *verdict = get_text (answer, "verdict");

  g_string_append_printf (text,
                          "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>%s: %s</title>\n"
                          "<style>%s</style>\n<h1 class=\"%s\">%s</h1>\n<p>%s</p>\n<p>%s</p>\n",
                          _("Golden run"), verdict, style, verdict, verdict, escaped, counts);
  append_warnings (answer, "<p><em>", "</em></p>\n", text);
  if (results->len > 0 && rank_of (g_ptr_array_index (results, 0)) < 3)
    append_html_rows (results, TRUE, text);
  if (places->len > 0)
    g_string_append_printf (text, "<h2>%s</h2>\n", _("Worst places"));
  for (guint i = 0; i < places->len; i++)
    append_picture (recording, g_ptr_array_index (places, i), text);
  append_findings (recording, findings, text);
  g_string_append_printf (text, "<details><summary>%s</summary>\n", _("What passes"));
  append_html_rows (results, FALSE, text);
  g_string_append (text, "</details>\n");
  fputs (text->str, stdout);
}

/* ---- JUnit ---- */

static void
append_junit_case (JsonObject *result,
                   GString *text)
{
  g_autofree char *metric = g_markup_escape_text (get_text (result, "metric"), -1);
  g_autofree char *baseline = format_number (result, "baseline");
  g_autofree char *value = format_number (result, "value");
  g_autofree char *outside = format_outside (result);
  g_autofree char *allowed = format_percent (result, "fail_pct", "%g");
  const char *status = get_text (result, "status");

  g_string_append_printf (text, "  <testcase classname=\"taskscope\" name=\"%s\"", metric);
  if (g_str_equal (status, "missing"))
    g_string_append_printf (text,
                            ">\n    <failure type=\"missing\" message=\"not there, expected %s\"/>\n"
                            "  </testcase>\n",
                            baseline);
  else if (g_str_equal (status, "fail"))
    g_string_append_printf (text,
                            ">\n    <failure type=\"%s\" message=\"%s, expected %s, outside by %s, "
                            "allowed %s\"/>\n  </testcase>\n",
                            status, value, baseline, outside, allowed);
  else if (g_str_equal (status, "warn"))
    g_string_append_printf (text,
                            ">\n    <system-out>%s, expected %s, outside by %s</system-out>\n"
                            "  </testcase>\n",
                            value, baseline, outside);
  else
    g_string_append (text, "/>\n");
}

/**
 * ts_cli_report_print_junit:
 * @answer: answer of `compare`
 *
 * Prints each metric as a test, as build servers read them.
 */
void
ts_cli_report_print_junit (JsonObject *answer)
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
  for (guint i = 0; i < json_array_get_length (results); i++)
    append_junit_case (json_array_get_object_element (results, i), text);
  g_string_append (text, "</testsuite>\n");
  fputs (text->str, stdout);
}
