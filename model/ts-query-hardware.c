/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-hardware.c: what a core's trace hardware told: samples, consoles, watches, counters. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-analysis-private.h"
#include "ts-counters-private.h"
#include "ts-names-private.h"
#include "ts-query-private.h"

#define MAX_WATCH_ROWS 256
#define MAX_EXCEPTION_ROWS 4096
#define MAX_TRACE_BYTES 1000000
/* External interrupts begin at this exception number. Source: itm-dwt.md section 2.7 */
#define FIRST_INTERRUPT 16

gboolean
_ts_query_no_rows (const char *what,
                   const char *flags,
                   GError **error)
{
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_NO_HW_TRACE,
               _("The recording has no %s; capture with %s."), what, flags);
  return FALSE;
}

/* Names of the files that the question brings; none of them: an empty book. */
static TsNames *
load_names (TsQuery *query,
            GError **error)
{
  g_autoptr (TsNames) names = ts_names_new ();
  const TsQueryOptions *options = query->options;

  if ((options->elf != NULL && !ts_names_add_elf (names, options->elf, error))
      || (options->svd != NULL && !ts_names_add_svd (names, options->svd, error)))
    return NULL;
  _ts_json_set_text (query->answer, "elf", options->elf);
  return g_steal_pointer (&names);
}

static double
span_seconds (TsQuery *query)
{
  return (double) (query->end_us - query->begin_us) / 1e6;
}

/* What `meta.hardware_trace` tells to be in force; an empty object where nothing is told. */
static JsonObject *
parse_applied (const char *text)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonNode *member = NULL;

  if (text != NULL && strlen (text) < MAX_TRACE_BYTES
      && json_parser_load_from_data (parser, text, -1, NULL)
      && (root = json_parser_get_root (parser)) != NULL && JSON_NODE_HOLDS_OBJECT (root))
    member = json_object_get_member (json_node_get_object (root), "applied");
  return member != NULL && JSON_NODE_HOLDS_OBJECT (member)
             ? json_object_ref (json_node_get_object (member))
             : json_object_new ();
}

static JsonObject *
dup_applied (TsQuery *query)
{
  g_autofree char *text = ts_recording_dup_meta (query->recording, "hardware_trace");

  return parse_applied (text);
}

static gint64
get_applied_int (JsonObject *applied,
                 const char *name)
{
  JsonNode *node = json_object_get_member (applied, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : 0;
}

guint64
_ts_trace_get_line_rate (const char *text)
{
  g_autoptr (JsonObject) applied = parse_applied (text);

  return (guint64) MAX (get_applied_int (applied, "true_swo_hz"), 0);
}

guint64
_ts_recording_get_line_rate (TsRecording *recording)
{
  g_autofree char *text = ts_recording_dup_meta (recording, "hardware_trace");

  return _ts_trace_get_line_rate (text);
}

/* ---- profile ---- */

typedef struct
{
  gint64 pc;
  guint32 object; /* function, where the recording knows it; else 0 */
  guint64 n;
} Hotspot;

typedef struct
{
  GHashTable *by_pc; /* gint64 to Hotspot */
  guint64 n;
  guint64 n_sleep;
  guint64 n_prohibited;
} Profile;

/* A sample while the core sleeps has no address (0), nor one that may not be told (-1). */
static gboolean
note_pc (guint64 row,
         const TsEvent *event,
         gpointer user_data)
{
  Profile *profile = user_data;
  Hotspot *spot;

  profile->n++;
  if (event->value <= 0)
    {
      profile->n_sleep += event->value == 0;
      profile->n_prohibited += event->value < 0;
      return TRUE;
    }
  spot = g_hash_table_lookup (profile->by_pc, &event->value);
  if (spot == NULL)
    {
      spot = g_new0 (Hotspot, 1);
      spot->pc = event->value;
      spot->object = event->object;
      g_hash_table_insert (profile->by_pc, &spot->pc, spot);
    }
  spot->n++;
  return TRUE;
}

static int
compare_hotspots (gconstpointer a,
                  gconstpointer b)
{
  const Hotspot *left = *(Hotspot *const *) a;
  const Hotspot *right = *(Hotspot *const *) b;

  if (left->n != right->n)
    return left->n > right->n ? -1 : 1;
  return left->pc < right->pc ? -1 : left->pc > right->pc;
}

/* Symbol and source line, as far as the ELF file or the recording tells them. Returns the symbol. */
static const char *
tell_place (TsQuery *query,
            JsonObject *item,
            const Hotspot *spot,
            TsElf *elf)
{
  const TsElfSymbol *symbol = elf != NULL ? ts_elf_find_address (elf, (guint64) spot->pc) : NULL;
  guint line = 0;
  const char *file = elf != NULL ? ts_elf_find_line (elf, (guint64) spot->pc, &line) : NULL;
  const char *name = symbol != NULL     ? symbol->name
                     : spot->object != 0 ? _ts_query_object_name (query, spot->object)
                                         : NULL;

  if (item != NULL && name != NULL)
    json_object_set_string_member (item, "symbol", name);
  if (item != NULL && file != NULL)
    {
      json_object_set_string_member (item, "file", file);
      json_object_set_int_member (item, "line", line);
    }
  return name;
}

static int
compare_functions (gconstpointer a,
                   gconstpointer b,
                   gpointer user_data)
{
  GHashTable *counts = user_data;
  guint64 left = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, *(gpointer *) a));
  guint64 right = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, *(gpointer *) b));

  if (left != right)
    return left > right ? -1 : 1;
  return strcmp (*(char **) a, *(char **) b);
}

/* Samples by function; ours beside the contract's hotspots. */
static JsonArray *
make_functions (TsQuery *query,
                GPtrArray *spots,
                TsElf *elf,
                guint64 n_samples,
                guint max_functions)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  JsonArray *functions = json_array_new ();

  for (guint i = 0; i < spots->len; i++)
    {
      const Hotspot *spot = g_ptr_array_index (spots, i);
      const char *name = tell_place (query, NULL, spot, elf);
      guint64 n = spot->n;

      if (name == NULL)
        continue;
      if (!g_hash_table_contains (counts, name))
        g_ptr_array_add (names, (gpointer) name);
      n += GPOINTER_TO_SIZE (g_hash_table_lookup (counts, name));
      g_hash_table_insert (counts, (gpointer) name, GSIZE_TO_POINTER (n));
    }
  g_ptr_array_sort_with_data (names, compare_functions, counts);
  for (guint i = 0; i < MIN (names->len, max_functions); i++)
    {
      const char *name = g_ptr_array_index (names, i);
      guint64 n = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, name));
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "function", name);
      json_object_set_int_member (item, "samples", (gint64) n);
      _ts_json_set_real (item, "pct", 100.0 * (double) n / (double) n_samples);
      json_array_add_object_element (functions, item);
    }
  return functions;
}

static gboolean
run_profile (TsQuery *query,
             JsonObject *data,
             gint64 begin,
             gint64 end,
             GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_DWT_PC };
  g_autoptr (GHashTable) by_pc = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr (GPtrArray) spots = g_ptr_array_new ();
  Profile profile = { .by_pc = by_pc };
  guint max_spots = query->max_rows <= 200 ? 16 : query->max_rows <= 2000 ? 32 : 64;
  double seconds = span_seconds (query);
  g_autoptr (TsNames) names = NULL;
  TsElf *elf;
  g_autoptr (JsonObject) applied = dup_applied (query);
  const char *path = json_object_get_string_member_with_default (applied, "pc_path", "swo");
  gint64 interval = get_applied_int (applied, "pc_sample_cyc");
  JsonArray *hotspots = json_array_new ();
  GHashTableIter iter;
  gpointer value;

  json_object_set_array_member (data, "hotspots", hotspots);
  names = load_names (query, error);
  if (names == NULL)
    return FALSE;
  elf = names->elf;
  if (!_ts_analysis_scan (query->recording, kinds, 1, begin, end, note_pc, &profile,
                          query->cancellable, error))
    return FALSE;
  if (profile.n == 0)
    return _ts_query_no_rows (_("program counter samples"), "--dwt-pc", error);

  g_hash_table_iter_init (&iter, by_pc);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (spots, value);
  g_ptr_array_sort (spots, compare_hotspots);
  for (guint i = 0; i < MIN (spots->len, max_spots); i++)
    {
      const Hotspot *spot = g_ptr_array_index (spots, i);
      JsonObject *item = json_object_new ();

      json_object_set_int_member (item, "pc", spot->pc);
      json_object_set_int_member (item, "samples", (gint64) spot->n);
      _ts_json_set_real (item, "pct", 100.0 * (double) spot->n / (double) profile.n);
      tell_place (query, item, spot, elf);
      json_array_add_object_element (hotspots, item);
    }
  json_object_set_int_member (data, "total_samples", (gint64) profile.n);
  json_object_set_int_member (data, "sleep_samples", (gint64) profile.n_sleep);
  json_object_set_int_member (data, "prohibited_samples", (gint64) profile.n_prohibited);
  _ts_json_set_real (data, "span_s", seconds);
  _ts_json_set_real (data, "sample_rate_hz", seconds > 0 ? (double) profile.n / seconds : NAN);
  json_object_set_array_member (data, "functions",
                                make_functions (query, spots, elf, profile.n, max_spots));
  json_object_set_string_member (data, "source",
                                 strcmp (path, "poll") == 0 ? "pcsr-poll" : "dwt-swo");
  if (interval > 0 && strcmp (path, "poll") != 0)
    json_object_set_int_member (data, "interval_cycles", interval);
  else
    json_object_set_null_member (data, "interval_cycles");
  return TRUE;
}

/* ---- console ---- */

typedef struct
{
  guint32 object;
  GString *line;
  gint64 line_time;
  gint64 n_bytes;
  JsonArray *lines;
  gboolean is_truncated;
} Port;

typedef struct
{
  TsQuery *query;
  GHashTable *by_object;
  GPtrArray *ports;
} Console;

static void
port_free (gpointer data)
{
  Port *port = data;

  g_string_free (port->line, TRUE);
  json_array_unref (port->lines);
  g_free (port);
}

static void
end_line (Console *console,
          Port *port,
          gboolean is_partial)
{
  JsonObject *item;
  g_autofree char *text = g_utf8_make_valid (port->line->str, (gssize) port->line->len);

  g_string_truncate (port->line, 0);
  if (json_array_get_length (port->lines) >= (guint64) console->query->max_rows)
    {
      port->is_truncated = TRUE;
      return;
    }
  item = json_object_new ();
  _ts_json_set_real (item, "t_us", _ts_query_us (console->query, port->line_time));
  json_object_set_string_member (item, "text", text);
  if (is_partial)
    json_object_set_boolean_member (item, "partial", TRUE);
  json_array_add_object_element (port->lines, item);
}

static gboolean
note_text (guint64 row,
           const TsEvent *event,
           gpointer user_data)
{
  Console *console = user_data;
  const char *text
      = ts_recording_get_string (console->query->recording, ts_event_get_text_id (event));
  gpointer key = GUINT_TO_POINTER (event->object);
  Port *port = g_hash_table_lookup (console->by_object, key);

  if (port == NULL)
    {
      port = g_new0 (Port, 1);
      port->object = event->object;
      port->line = g_string_new (NULL);
      port->lines = json_array_new ();
      g_hash_table_insert (console->by_object, key, port);
      g_ptr_array_add (console->ports, port);
    }
  for (const char *p = text; p != NULL && *p != '\0'; p++)
    {
      port->n_bytes++;
      /* what follows the end of a line came with the packet that ended it */
      if (port->line->len == 0)
        port->line_time = p == text ? ts_event_get_line_begin (event) : event->time;
      if (*p == '\n')
        {
          end_line (console, port, FALSE);
          continue;
        }
      if (*p != '\r')
        g_string_append_c (port->line, *p);
    }
  return TRUE;
}

static gboolean
run_console (TsQuery *query,
             JsonObject *data,
             gint64 begin,
             gint64 end,
             GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_ITM_TEXT };
  g_autoptr (GHashTable) by_object = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) ports = g_ptr_array_new_with_free_func (port_free);
  Console console = { query, by_object, ports };
  JsonArray *array = json_array_new ();

  json_object_set_array_member (data, "ports", array);
  if (!_ts_analysis_scan (query->recording, kinds, 1, begin, end, note_text, &console,
                          query->cancellable, error))
    return FALSE;
  if (ports->len == 0)
    return _ts_query_no_rows (_("console text"), "--itm-ports", error);

  for (guint i = 0; i < ports->len; i++)
    {
      Port *port = g_ptr_array_index (ports, i);
      const TsObject *object = ts_recording_get_object (query->recording, port->object);
      gint64 number = object != NULL ? object->wire_id : 0;
      JsonObject *item;

      if (query->options->port >= 0 && query->options->port != number)
        continue;
      if (port->line->len > 0)
        end_line (&console, port, TRUE);
      item = json_object_new ();
      json_object_set_int_member (item, "port", number);
      json_object_set_array_member (item, "lines", json_array_ref (port->lines));
      json_object_set_int_member (item, "bytes", port->n_bytes);
      if (port->is_truncated)
        json_object_set_boolean_member (item, "lines_truncated", TRUE);
      json_array_add_object_element (array, item);
    }
  return TRUE;
}

/* ---- watches, exceptions, counters ---- */

typedef struct
{
  TsQuery *query;
  TsNames *names;
  GHashTable *items; /* object id to JsonObject */
  GHashTable *stacks; /* processor to numbers of the handlers that run, the innermost last */
  JsonArray *list;
  JsonArray *events;
  guint64 n;
  gint64 number_address; /* of the watch whose type was looked up last */
  TsElfNumber number;
  guint number_size;
} Rows;

static JsonObject *
find_item (Rows *rows,
           guint32 object,
           gboolean *is_new)
{
  gpointer key = GUINT_TO_POINTER (object);
  JsonObject *item = g_hash_table_lookup (rows->items, key);

  *is_new = item == NULL;
  if (item == NULL)
    {
      item = json_object_new ();
      g_hash_table_insert (rows->items, key, item);
      json_array_add_object_element (rows->list, item);
    }
  return item;
}

static void
count_up (JsonObject *item,
          const char *key)
{
  json_object_set_int_member (item, key,
                              json_object_get_int_member_with_default (item, key, 0) + 1);
}

/* What the recording calls a watch, or what the question's ELF file has at its address where nobody
 * named it. */
static char *
dup_watch_name (Rows *rows,
                const TsObject *object)
{
  gboolean is_plain = object == NULL || object->name == NULL || g_str_has_prefix (object->name, "0x")
                      || g_str_has_prefix (object->name, "Watch ");

  if (object == NULL || object->name == NULL)
    return NULL;
  if (rows->names->elf == NULL || !is_plain || object->address == TS_OBJECT_UNKNOWN)
    return g_strdup (object->name);
  ts_names_set_watch (rows->names, 0, NULL, object->address);
  return _ts_names_dup_watch (rows->names, 0);
}

/* Where the instruction is that accessed a watched variable, as the question's ELF file knows it, or
 * the recording. */
static void
tell_accessor (Rows *rows,
               JsonObject *sample,
               const TsEvent *event)
{
  gint64 pc = ts_event_get_detail (event);
  g_autofree char *place = rows->names->elf != NULL && pc != 0
                               ? ts_elf_dup_place (rows->names->elf, (guint64) pc)
                               : NULL;

  if (pc != 0)
    json_object_set_int_member (sample, "pc", pc);
  if (place != NULL)
    json_object_set_string_member (sample, "where", place);
  else if (ts_event_get_text_id (event) != 0)
    _ts_json_set_text (
        sample, "where",
        ts_recording_get_string (rows->query->recording, ts_event_get_text_id (event)));
}

/* The bits as they were sent, and the number that they are by the variable's type: as the recording
 * has it, or the question's ELF file. */
static void
tell_number (Rows *rows,
             JsonObject *sample,
             const TsObject *object,
             const TsEvent *event)
{
  guint size = object != NULL && object->capacity > 0 ? (guint) object->capacity : 4;
  TsEvent copy = *event;

  json_object_set_int_member (sample, "value", ts_event_get_raw (event, size));
  if (rows->names->elf != NULL && object != NULL && object->address != TS_OBJECT_UNKNOWN)
    {
      if (rows->number_address != object->address)
        rows->number = ts_elf_find_number (rows->names->elf, (guint64) object->address,
                                           &rows->number_size);
      rows->number_address = object->address;
      if (rows->number_size == size)
        _ts_names_read_number (&copy, rows->number, size);
    }
  if ((copy.flags & TS_EVENT_FLAG_FLOAT) != 0)
    _ts_json_set_real (sample, "number", ts_event_get_double (&copy));
  else
    json_object_set_int_member (sample, "number", copy.value);
}

static gboolean
note_watch (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  Rows *rows = user_data;
  const TsObject *object = ts_recording_get_object (rows->query->recording, event->object);
  gboolean is_new;
  JsonObject *item = find_item (rows, event->object, &is_new);
  JsonArray *first;

  rows->n++;
  if (is_new)
    {
      g_autofree char *name = dup_watch_name (rows, object);

      json_object_set_int_member (item, "cmp", object != NULL ? object->wire_id : -1);
      _ts_json_set_text (item, "name", name);
      if (object != NULL && object->address != TS_OBJECT_UNKNOWN)
        json_object_set_int_member (item, "address", object->address);
      else
        json_object_set_null_member (item, "address");
      json_object_set_null_member (item, "function");
      json_object_set_int_member (item, "count", 0);
      json_object_set_array_member (item, "first", json_array_new ());
    }
  count_up (item, "count");
  first = json_object_get_array_member (item, "first");
  if (event->kind == TS_EVENT_DWT_DATA && json_array_get_length (first) < MAX_WATCH_ROWS)
    {
      JsonObject *sample = json_object_new ();

      _ts_json_set_real (sample, "t_us", _ts_query_us (rows->query, event->time));
      tell_number (rows, sample, object, event);
      json_object_set_string_member (
          sample, "rw", (event->flags & TS_EVENT_FLAG_START) != 0 ? "w" : "r");
      tell_accessor (rows, sample, event);
      json_array_add_object_element (first, sample);
    }
  return TRUE;
}

/* Follows which handlers run on the event's processor; returns how many do, the exception's own
 * included. Source: ctrace.md section 8.4: some captures never tell an exit, so a return ends all
 * handlers above the one it names. */
static guint
follow_exception (Rows *rows,
                  const TsEvent *event,
                  gint64 function)
{
  gpointer key = GUINT_TO_POINTER (event->core);
  GArray *stack = g_hash_table_lookup (rows->stacks, key);
  guint16 number = (guint16) event->value;

  if (stack == NULL)
    {
      stack = g_array_new (FALSE, FALSE, sizeof number);
      g_hash_table_insert (rows->stacks, key, stack);
    }
  if (function == 1 && stack->len < G_MAXUINT16)
    g_array_append_val (stack, number);
  else if (function == 2 && stack->len > 0
           && g_array_index (stack, guint16, stack->len - 1) == number)
    g_array_set_size (stack, stack->len - 1);
  else if (function == 3)
    while (stack->len > 0 && g_array_index (stack, guint16, stack->len - 1) != number)
      g_array_set_size (stack, stack->len - 1);
  return stack->len;
}

/* Function of an exception packet: 1 enter, 2 exit, 3 return. Source: itm-dwt.md, exception trace
 */
static gboolean
note_exception (guint64 row,
                const TsEvent *event,
                gpointer user_data)
{
  static const char *const names[] = { NULL, "enter", "exit", "return" };
  Rows *rows = user_data;
  const TsObject *object = ts_recording_get_object (rows->query->recording, event->object);
  gint64 function = ts_event_get_detail (event);
  gboolean is_new;
  JsonObject *item = find_item (rows, event->object, &is_new);
  guint depth = follow_exception (rows, event, function);

  rows->n++;
  if (is_new)
    {
      const char *name
          = rows->names->svd != NULL && event->value >= FIRST_INTERRUPT
                ? ts_svd_find_interrupt (rows->names->svd, (guint) event->value - FIRST_INTERRUPT)
                : NULL;

      if (name == NULL && object != NULL)
        name = object->name;
      json_object_set_int_member (item, "num", event->value);
      _ts_json_set_text (item, "name", name);
      for (guint i = 1; i < G_N_ELEMENTS (names); i++)
        json_object_set_int_member (item, names[i], 0);
      json_object_set_int_member (item, "max_depth", 0);
    }
  if (function >= 1 && function <= 3)
    count_up (item, names[function]);
  if (function == 1)
    json_object_set_int_member (item, "max_depth",
                                MAX (json_object_get_int_member (item, "max_depth"), depth));
  if (json_array_get_length (rows->events) < MAX_EXCEPTION_ROWS)
    {
      JsonObject *sample = json_object_new ();

      _ts_json_set_real (sample, "t_us", _ts_query_us (rows->query, event->time));
      json_object_set_int_member (sample, "num", event->value);
      json_object_set_int_member (sample, "func", function);
      json_array_add_object_element (rows->events, sample);
    }
  return TRUE;
}

static gboolean
run_rows (TsQuery *query,
          const TsEventKind *kinds,
          guint n_kinds,
          TsAnalysisEventFunc func,
          JsonArray *list,
          JsonArray *events,
          guint64 *n,
          gint64 begin,
          gint64 end,
          GError **error)
{
  g_autoptr (GHashTable) items = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) stacks
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  g_autoptr (TsNames) names = load_names (query, error);
  Rows rows = { query, names, items, stacks, list, events, 0 };
  gboolean ok = names != NULL
                && _ts_analysis_scan (query->recording, kinds, n_kinds, begin, end, func, &rows,
                                      query->cancellable, error);

  *n = rows.n;
  return ok;
}

/* What each comparator was told to do. */
static void
tell_functions (JsonArray *watches,
                JsonObject *applied)
{
  JsonNode *node = json_object_get_member (applied, "watch");
  JsonArray *told
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; told != NULL && i < json_array_get_length (watches); i++)
    {
      JsonObject *item = json_array_get_object_element (watches, i);
      gint64 comparator = json_object_get_int_member (item, "cmp");

      for (guint j = 0; j < json_array_get_length (told); j++)
        {
          JsonNode *node_of_watch = json_array_get_element (told, j);
          JsonObject *watch
              = JSON_NODE_HOLDS_OBJECT (node_of_watch) ? json_node_get_object (node_of_watch) : NULL;

          /* older recordings do not tell the comparator: it is the place in the list */
          if (watch != NULL
              && (json_object_get_int_member_with_default (watch, "cmp", j) == comparator
                  || json_object_get_int_member_with_default (watch, "cmp_limit", -1) == comparator))
            _ts_json_set_text (
                item, "function",
                json_object_get_string_member_with_default (watch, "function", NULL));
        }
    }
}

static gboolean
run_watches (TsQuery *query,
             JsonObject *data,
             gint64 begin,
             gint64 end,
             GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_DWT_DATA, TS_EVENT_DWT_MATCH };
  g_autoptr (JsonObject) applied = dup_applied (query);
  JsonArray *watches = json_array_new ();
  guint64 n;

  json_object_set_array_member (data, "watches", watches);
  if (!run_rows (query, kinds, 2, note_watch, watches, NULL, &n, begin, end, error))
    return FALSE;
  tell_functions (watches, applied);
  return n > 0 || _ts_query_no_rows (_("data watches"), "--dwt-watch", error);
}

static gboolean
run_exceptions (TsQuery *query,
                JsonObject *data,
                gint64 begin,
                gint64 end,
                GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_DWT_EXC };
  JsonArray *exceptions = json_array_new ();
  JsonArray *events = json_array_new ();
  guint64 n;

  json_object_set_array_member (data, "exceptions", exceptions);
  json_object_set_array_member (data, "events", events);
  if (!run_rows (query, kinds, 1, note_exception, exceptions, events, &n, begin, end, error))
    return FALSE;
  return n > 0 || _ts_query_no_rows (_("exception trace"), "--dwt-exc", error);
}

static const char *const counter_names[] = { "cpi", "exc", "sleep", "lsu", "fold", "cyc" };

static gboolean
note_counters (guint64 row,
               const TsEvent *event,
               gpointer user_data)
{
  guint64 *wraps = user_data;

  for (guint i = 0; i < G_N_ELEMENTS (counter_names); i++)
    wraps[i] += (guint64) (event->value >> i) & 1;
  wraps[G_N_ELEMENTS (counter_names)]++;
  return TRUE;
}

/* Every packet tells which 8-bit counters wrapped, one bit each. Source: itm-dwt.md, event counter
 */
static gboolean
run_counters (TsQuery *query,
              JsonObject *data,
              gint64 begin,
              gint64 end,
              GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_DWT_COUNTERS };
  guint64 wraps[G_N_ELEMENTS (counter_names) + 1] = { 0 };
  JsonObject *counters = json_object_new ();
  double seconds = span_seconds (query);
  guint64 hz = ts_recording_get_clock_hz (query->recording);

  json_object_set_object_member (data, "counters", counters);
  if (!_ts_analysis_scan (query->recording, kinds, 1, begin, end, note_counters, wraps,
                          query->cancellable, error))
    return FALSE;
  if (wraps[G_N_ELEMENTS (counter_names)] == 0)
    return _ts_query_no_rows (_("event counters"), "--dwt-counters", error);

  for (guint i = 0; i < G_N_ELEMENTS (counter_names); i++)
    {
      JsonObject *item = json_object_new ();
      gint64 cycles = (gint64) wraps[i] * _ts_counter_get_range (i);

      json_object_set_int_member (item, "wraps", (gint64) wraps[i]);
      json_object_set_int_member (item, "cycles", cycles);
      _ts_json_set_real (item, "rate_per_s", seconds > 0 ? (double) cycles / seconds : NAN);
      json_object_set_object_member (counters, counter_names[i], item);
    }
  _ts_json_set_real (data, "span_s", seconds);
  _ts_json_set_real (data, "cpu_load_pct",
                     wraps[2] > 0 && seconds > 0 ? MAX (
                         100.0 - 100.0 * (double) wraps[2] * 256.0 / (seconds * (double) hz), 0.0)
                                                 : NAN);
  return TRUE;
}

/* The six queries. Source: viewalyzer-host.md section 3.7 */
gboolean
_ts_query_hardware (TsQuery *query,
                    GError **error)
{
  static const struct
  {
    const char *verb;
    gboolean (*run) (TsQuery *query,
                     JsonObject *data,
                     gint64 begin,
                     gint64 end,
                     GError **error);
  } verbs[] = {
    { "profile", run_profile },       { "itm-console", run_console },
    { "dwt-data", run_watches },      { "dwt-exc", run_exceptions },
    { "dwt-counters", run_counters }, { "swo-load", _ts_query_swo },
  };
  const char *verb = json_object_get_string_member (query->answer, "query");
  JsonObject *data = _ts_query_add_data (query);
  gint64 begin;
  gint64 end;

  _ts_query_get_range (query, &begin, &end);
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (verbs[i].verb, verb) == 0)
      return verbs[i].run (query, data, begin, end, error);
  g_return_val_if_reached (FALSE);
}
