/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-event-columns.h"
#include "ui/ts-numbers.h"

/* Rows read at once. */
#define CHUNK_ROWS 4096
/* Kinds have smaller numbers. */
#define N_KINDS 0x1000

static const struct
{
  const char *id;
  const char *title;
  int width;
  gboolean is_number;
  gboolean can_sort;
} columns[TS_EVENT_N_COLUMNS] = {
  [TS_EVENT_COLUMN_ROW] = { "row", N_ ("Row"), 92, TRUE, FALSE },
  [TS_EVENT_COLUMN_TIME] = { "time", N_ ("Time"), 148, FALSE, TRUE },
  /* translators: column of the event table: time since the cursor */
  [TS_EVENT_COLUMN_RELATIVE] = { "relative", N_ ("From Cursor"), 148, FALSE, FALSE },
  /* translators: column of the event table: time since the event before */
  [TS_EVENT_COLUMN_DELTA] = { "delta", N_ ("Δ"), 150, FALSE, TRUE },
  [TS_EVENT_COLUMN_LANE] = { "lane", N_ ("Lane"), 116, FALSE, TRUE },
  [TS_EVENT_COLUMN_KIND] = { "kind", N_ ("Kind"), 124, FALSE, TRUE },
  [TS_EVENT_COLUMN_CORE] = { "core", N_ ("Core"), 56, TRUE, TRUE },
  [TS_EVENT_COLUMN_VALUE] = { "value", N_ ("Value"), 96, TRUE, TRUE },
  [TS_EVENT_COLUMN_DETAIL] = { "detail", N_ ("Detail"), 96, TRUE, TRUE },
  [TS_EVENT_COLUMN_WHAT] = { "what", N_ ("What"), 0, FALSE, FALSE },
};

/**
 * ts_event_column_get_id:
 * @column: a column
 *
 * Thread: any
 *
 * Returns: (transfer none): its name in settings and files
 */
const char *
ts_event_column_get_id (TsEventColumn column)
{
  g_return_val_if_fail (column < TS_EVENT_N_COLUMNS, NULL);
  return columns[column].id;
}

/**
 * ts_event_column_get_title:
 * @column: a column
 *
 * Thread: any
 *
 * Returns: (transfer none): its translated title
 */
const char *
ts_event_column_get_title (TsEventColumn column)
{
  g_return_val_if_fail (column < TS_EVENT_N_COLUMNS, NULL);
  return _ (columns[column].title);
}

/**
 * ts_event_column_get_width:
 * @column: a column
 *
 * Thread: any
 *
 * Returns: pixels at the usual size of text, 0: what is left
 */
int
ts_event_column_get_width (TsEventColumn column)
{
  g_return_val_if_fail (column < TS_EVENT_N_COLUMNS, 0);
  return columns[column].width;
}

/**
 * ts_event_column_is_number:
 * @column: a column
 *
 * Thread: any
 *
 * Returns: whether its cells stand at the end
 */
gboolean
ts_event_column_is_number (TsEventColumn column)
{
  g_return_val_if_fail (column < TS_EVENT_N_COLUMNS, FALSE);
  return columns[column].is_number;
}

/**
 * ts_event_column_can_sort:
 * @column: a column
 *
 * Thread: any
 *
 * Returns: whether rows can be sorted by it
 */
gboolean
ts_event_column_can_sort (TsEventColumn column)
{
  g_return_val_if_fail (column < TS_EVENT_N_COLUMNS, FALSE);
  return columns[column].can_sort;
}

static const char *
get_lane (TsRecording *recording,
          const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (recording, event->object);

  return object != NULL && object->name != NULL ? object->name : "";
}

static const char *
get_kind (const TsEvent *event)
{
  const char *name = ts_event_kind_get_name (event->kind);

  return name != NULL ? name : "";
}

static char *
format_difference (TsRecording *recording,
                   gint64 ticks)
{
  g_autofree char *text = ts_format_duration (recording, ticks);

  return ticks >= 0 ? g_strconcat ("+", text, NULL) : g_steal_pointer (&text);
}

static char *
format_value (const TsEvent *event)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (ts_event_kind_get_n_operands (event->kind) < 1)
    return g_strdup ("");
  if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
    return ts_format_localize (
        g_strdup (g_ascii_formatd (digits, sizeof digits, "%.9g", ts_event_get_double (event))));
  return g_strdup_printf ("%" G_GINT64_FORMAT, event->value);
}

static char *
format_detail (const TsEvent *event)
{
  if (ts_event_kind_get_n_operands (event->kind) < 2)
    return g_strdup ("");
  return g_strdup_printf ("%" G_GINT64_FORMAT, ts_event_get_detail (event));
}

/**
 * ts_event_column_format:
 * @column: a column
 * @cell: an event
 *
 * Thread: owner of the view
 *
 * Returns: (transfer full): what people read
 */
char *
ts_event_column_format (TsEventColumn column,
                        const TsEventCell *cell)
{
  TsRecording *recording = ts_view_state_get_recording (cell->view);

  switch (column)
    {
    case TS_EVENT_COLUMN_ROW:
      return ts_format_count (cell->row);
    case TS_EVENT_COLUMN_TIME:
      return ts_view_state_format_time (cell->view, cell->event->time);
    case TS_EVENT_COLUMN_RELATIVE:
      return cell->cursor >= 0 ? format_difference (recording, cell->event->time - cell->cursor)
                               : g_strdup ("");
    case TS_EVENT_COLUMN_DELTA:
      return cell->delta >= 0 ? format_difference (recording, cell->delta) : g_strdup ("");
    case TS_EVENT_COLUMN_LANE:
      return g_strdup (get_lane (recording, cell->event));
    case TS_EVENT_COLUMN_KIND:
      return g_strdup (get_kind (cell->event));
    case TS_EVENT_COLUMN_CORE:
      return g_strdup_printf ("%u", cell->event->core);
    case TS_EVENT_COLUMN_VALUE:
      return format_value (cell->event);
    case TS_EVENT_COLUMN_DETAIL:
      return format_detail (cell->event);
    case TS_EVENT_COLUMN_WHAT:
      return ts_recording_tell_event (recording, cell->event);
    case TS_EVENT_N_COLUMNS:
    default:
      return g_strdup ("");
    }
}

/* Seconds with nine decimals; ticks where the clock is not known. */
static char *
format_plain_time (TsRecording *recording,
                   gint64 ticks)
{
  gint64 ns;
  guint64 magnitude;

  if (ts_recording_get_clock_hz (recording) == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT, ticks);
  ns = ts_recording_ticks_to_ns (recording, ticks);
  magnitude = ns < 0 ? -(guint64) ns : (guint64) ns;
  return g_strdup_printf ("%s%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, ns < 0 ? "-" : "",
                          magnitude / 1000000000, magnitude % 1000000000);
}

/**
 * ts_event_column_format_plain:
 * @column: a column
 * @cell: an event
 *
 * Times in seconds, numbers without separators, words in English.
 *
 * Thread: owner of the view
 *
 * Returns: (transfer full): what programs read
 */
char *
ts_event_column_format_plain (TsEventColumn column,
                              const TsEventCell *cell)
{
  TsRecording *recording = ts_view_state_get_recording (cell->view);

  switch (column)
    {
    case TS_EVENT_COLUMN_ROW:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, cell->row);
    case TS_EVENT_COLUMN_TIME:
      return format_plain_time (recording, cell->event->time);
    case TS_EVENT_COLUMN_RELATIVE:
      return cell->cursor >= 0 ? format_plain_time (recording, cell->event->time - cell->cursor)
                               : g_strdup ("");
    case TS_EVENT_COLUMN_DELTA:
      return cell->delta >= 0 ? format_plain_time (recording, cell->delta) : g_strdup ("");
    case TS_EVENT_COLUMN_WHAT:
      return ts_recording_describe_event (recording, cell->event);
    case TS_EVENT_COLUMN_LANE:
    case TS_EVENT_COLUMN_KIND:
    case TS_EVENT_COLUMN_CORE:
    case TS_EVENT_COLUMN_VALUE:
    case TS_EVENT_COLUMN_DETAIL:
    case TS_EVENT_N_COLUMNS:
    default:
      return ts_event_column_format (column, cell);
    }
}

/* --- many rows -------------------------------------------------------------------------------- */

/**
 * Reader: goes through row ids one by one, reading rows that follow one another together.
 */
typedef struct
{
  TsRecording *recording;
  TsEvent *events;
  guint64 first;
  guint n;
} Reader;

static gboolean
read_row (Reader *reader,
          guint64 row,
          TsEvent *event,
          GError **error)
{
  if (row < reader->first || row >= reader->first + reader->n)
    {
      reader->first = row;
      if (!ts_recording_read_events (reader->recording, row, CHUNK_ROWS, reader->events,
                                     &reader->n, error))
        return FALSE;
      if (reader->n == 0)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                       _ ("The recording has no row %" PRIu64 "."), row);
          return FALSE;
        }
    }
  *event = reader->events[row - reader->first];
  return TRUE;
}

static guint64
get_row (const TsEventRows *lines,
         guint64 i)
{
  guint64 line = lines->first + i;

  return lines->rows != NULL ? g_array_index (lines->rows, guint64, line - 1) : line;
}

/** One row and what it is sorted by. */
typedef struct
{
  guint64 row;
  double key;
} SortKey;

static int
compare_keys (gconstpointer pa,
              gconstpointer pb,
              gpointer user_data)
{
  const SortKey *a = pa;
  const SortKey *b = pb;
  int order = (a->key > b->key) - (a->key < b->key);

  if (GPOINTER_TO_INT (user_data))
    order = -order;
  /* equal ones stay in order of time */
  return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static int
compare_names (gconstpointer pa,
               gconstpointer pb)
{
  return g_utf8_collate (*(const char * const *) pa, *(const char * const *) pb);
}

/* Place of every lane's name in the order of names: texts are compared once and not per row. */
static GHashTable *
rank_names (GPtrArray *names)
{
  GHashTable *ranks = g_hash_table_new (g_str_hash, g_str_equal);

  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_insert (ranks, g_ptr_array_index (names, i), GUINT_TO_POINTER (i + 1));
  return ranks;
}

static GHashTable *
rank_lanes (TsRecording *recording)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n = ts_recording_get_n_objects (recording);

  for (guint32 id = 1; id <= n; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object != NULL && object->name != NULL)
        g_ptr_array_add (names, object->name);
    }
  return rank_names (names);
}

static GHashTable *
rank_kinds (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint kind = 0; kind < N_KINDS; kind++)
    if (ts_event_kind_get_name (kind) != NULL)
      g_ptr_array_add (names, (char *) ts_event_kind_get_name (kind));
  return rank_names (names);
}

static double
get_key (TsRecording *recording,
         TsEventColumn column,
         GHashTable *ranks,
         const TsEvent *event,
         gint64 before)
{
  switch (column)
    {
    case TS_EVENT_COLUMN_DELTA:
      return before >= 0 ? (double) (event->time - before) : -1;
    case TS_EVENT_COLUMN_LANE:
      return GPOINTER_TO_UINT (g_hash_table_lookup (ranks, get_lane (recording, event)));
    case TS_EVENT_COLUMN_KIND:
      return GPOINTER_TO_UINT (g_hash_table_lookup (ranks, get_kind (event)));
    case TS_EVENT_COLUMN_CORE:
      return event->core;
    case TS_EVENT_COLUMN_VALUE:
      return ts_event_kind_get_n_operands (event->kind) > 0 ? ts_event_get_double (event)
                                                            : -G_MAXDOUBLE;
    case TS_EVENT_COLUMN_DETAIL:
      return ts_event_kind_get_n_operands (event->kind) > 1 ? (double) ts_event_get_detail (event)
                                                            : -G_MAXDOUBLE;
    default:
      return (double) event->time;
    }
}

/**
 * ts_event_rows_sort:
 * @recording: the recording
 * @lines: which rows, ascending
 * @column: what to sort by
 * @is_descending: the largest first
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Cost: one read of each row, and a sort
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (nullable) (element-type guint64): row ids in order
 */
GArray *
ts_event_rows_sort (TsRecording *recording,
                    const TsEventRows *lines,
                    TsEventColumn column,
                    gboolean is_descending,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, CHUNK_ROWS);
  g_autoptr (GArray) keys = g_array_sized_new (FALSE, FALSE, sizeof (SortKey), (guint) lines->n);
  g_autoptr (GHashTable) ranks = NULL;
  GArray *sorted;
  Reader reader = { recording, events, 0, 0 };
  gint64 before = -1;

  if (column == TS_EVENT_COLUMN_LANE)
    ranks = rank_lanes (recording);
  else if (column == TS_EVENT_COLUMN_KIND)
    ranks = rank_kinds ();
  for (guint64 i = 0; i < lines->n; i++)
    {
      SortKey key = { get_row (lines, i), 0 };
      TsEvent event;

      if ((i % CHUNK_ROWS == 0 && g_cancellable_set_error_if_cancelled (cancellable, error)) ||
          !read_row (&reader, key.row, &event, error))
        return NULL;
      key.key = get_key (recording, column, ranks, &event, before);
      before = event.time;
      g_array_append_val (keys, key);
    }
  g_array_sort_with_data (keys, compare_keys, GINT_TO_POINTER (is_descending));
  sorted = g_array_sized_new (FALSE, FALSE, sizeof (guint64), keys->len);
  for (guint i = 0; i < keys->len; i++)
    g_array_append_val (sorted, g_array_index (keys, SortKey, i).row);
  return sorted;
}

static void
append_cell (GString *text,
             const char *cell,
             gboolean is_csv)
{
  if (!is_csv)
    {
      for (; *cell != '\0'; cell++)
        g_string_append_c (text, *cell == '\t' || *cell == '\n' ? ' ' : *cell);
      return;
    }
  if (strpbrk (cell, ",\"\n\r") == NULL)
    {
      g_string_append (text, cell);
      return;
    }
  g_string_append_c (text, '"');
  for (; *cell != '\0'; cell++)
    {
      if (*cell == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *cell);
    }
  g_string_append_c (text, '"');
}

/**
 * ts_event_rows_to_text:
 * @view: a view of the recording, for the format of times
 * @lines: which rows
 * @wanted: bit set of columns
 * @is_csv: with a line of names, times in seconds, separated by commas (RFC 4180, lines end with a
 *   newline); else as shown, separated by tabs
 * @cursor: what relative times count from, -1: none
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Thread: owner of @view and its recording
 *
 * Returns: (transfer full) (nullable): the text
 */
char *
ts_event_rows_to_text (TsViewState *view,
                       const TsEventRows *lines,
                       guint wanted,
                       gboolean is_csv,
                       gint64 cursor,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, CHUNK_ROWS);
  g_autoptr (GString) text = g_string_new (NULL);
  Reader reader = { ts_view_state_get_recording (view), events, 0, 0 };
  const char *separator = is_csv ? "," : "\t";
  gint64 before = -1;

  for (guint column = 0; is_csv && column < TS_EVENT_N_COLUMNS; column++)
    if ((wanted & (1u << column)) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? separator : "", columns[column].id);
  if (is_csv)
    g_string_append_c (text, '\n');
  for (guint64 i = 0; i < lines->n; i++)
    {
      TsEvent event;
      TsEventCell cell = { view, get_row (lines, i), &event, -1, cursor };
      gboolean is_first = TRUE;

      if ((i % 256 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error)) ||
          !read_row (&reader, cell.row, &event, error))
        return NULL;
      if (before >= 0 && event.time >= before)
        cell.delta = event.time - before;
      before = event.time;
      for (guint column = 0; column < TS_EVENT_N_COLUMNS; column++)
        {
          g_autofree char *shown = NULL;

          if ((wanted & (1u << column)) == 0)
            continue;
          shown = is_csv ? ts_event_column_format_plain (column, &cell)
                         : ts_event_column_format (column, &cell);
          if (!is_first)
            g_string_append (text, separator);
          is_first = FALSE;
          append_cell (text, shown, is_csv);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
