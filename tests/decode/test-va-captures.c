/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-va-captures.c: captures of real recorders against figures worked out independently
 * (`*.expected.json`). */
#include "config.h"

#include <math.h>
#include <string.h>

#include "collect-sink.h"

typedef struct
{
  const char *name;
  const char *extension;
  const char *format;
  gint64 beyond; /* ticks by which an event lies behind the last packet: the sender's stamps of one
                    turn are not in order */
} Capture;

static JsonArray *
get_array (JsonObject *object, const char *name)
{
  return json_object_has_member (object, name) ? json_object_get_array_member (object, name) : NULL;
}

static const guint8 sided[] = {
  0x01, 0x02, 0x05, 0x06, 0x07, 0x08, 0x0B, 0x12, 0x13, 0x14, 0x15, 0x18, 0x19, 0x1A, 0x1E,
};

static gboolean
has_sides (guint code)
{
  return memchr (sided, (int) code, sizeof sided) != NULL;
}

/* Counted events by type byte, START flags where they mean something. */
static void
count_codes (CollectSink *sink, guint *counts)
{
  memset (counts, 0, 256 * sizeof *counts);
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (!ts_event_is_counted (event))
        continue;
      g_assert_cmpuint (event->kind, <=, 0x25);
      g_assert_cmpint ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0, ==,
                       has_sides (event->kind));
      counts[event->kind | ((event->flags & TS_EVENT_FLAG_START) != 0 ? 0x80 : 0)]++;
    }
}

static void
expect_codes (JsonObject *expected, guint *wanted)
{
  JsonObject *codes = json_object_get_object_member (expected, "events_by_code");
  g_autoptr (GList) names = json_object_get_members (codes);

  memset (wanted, 0, 256 * sizeof *wanted);
  for (GList *l = names; l != NULL; l = l->next)
    {
      guint code = (guint) g_ascii_strtoull (l->data, NULL, 16);
      guint n = (guint) json_object_get_int_member (codes, l->data);

      if (!has_sides (code & 0x7F))
        code &= 0x7F;
      wanted[code] += n;
    }
}

static void
check_codes (CollectSink *sink, JsonObject *expected)
{
  guint counts[256];
  guint wanted[256];

  count_codes (sink, counts);
  expect_codes (expected, wanted);
  for (guint code = 0; code < 256; code++)
    {
      if (counts[code] != wanted[code])
        g_test_message ("code %02X: %u for %u", code, counts[code], wanted[code]);
      g_assert_cmpuint (counts[code], ==, wanted[code]);
    }
}

static void
check_time (CollectSink *sink, JsonObject *expected, gint64 beyond)
{
  gint64 first = -1;
  gint64 last = -1;
  const char *t0 = collect_sink_info (sink, "t0_ticks");

  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (!ts_event_is_counted (event))
        continue;
      if (first < 0)
        first = event->time;
      last = event->time;
    }
  g_assert_cmpint (first, ==, 0);
  if (!json_object_has_member (expected, "tick_hz")
      || !json_object_has_member (expected, "duration_ticks"))
    return;
  g_assert_cmpint (last, ==, json_object_get_int_member (expected, "duration_ticks") + beyond);
  g_assert_nonnull (t0);
  g_assert_cmpint (g_ascii_strtoll (t0, NULL, 10), ==,
                   json_object_get_int_member (expected, "first_timestamp"));
  g_assert_cmpuint (sink->hz, ==, (guint64) json_object_get_int_member (expected, "tick_hz"));
}

static void
check_facts (CollectSink *sink, JsonObject *expected)
{
  const char *dialect = json_object_get_string_member_with_default (expected, "dialect", "wire-1");
  JsonNode *os = json_object_get_member (expected, "os");

  /* the datagram files give totals only */
  if (os == NULL)
    return;
  if (json_object_has_member (expected, "string_length_bits")
      && !json_object_has_member (json_object_get_object_member (expected, "events_by_code"),
                                  "0x0D"))
    dialect = "legacy-v1"; /* no string that could tell */
  g_assert_cmpstr (collect_sink_info (sink, "dialect"), ==, dialect);
  g_assert_cmpstr (collect_sink_info (sink, "os"), ==,
                   JSON_NODE_HOLDS_NULL (os) ? NULL : json_node_get_string (os));
  if (json_object_has_member (expected, "recorder_version"))
    {
      JsonNode *version = json_object_get_member (expected, "recorder_version");

      g_assert_cmpstr (collect_sink_info (sink, "recorder_version"), ==,
                       JSON_NODE_HOLDS_NULL (version) ? NULL : json_node_get_string (version));
    }
}

static void
check_loss (const TsDecodeCounters *counters, CollectSink *sink, JsonObject *expected)
{
  gint64 told = 0;
  guint n_marks = 0;

  g_assert_cmpuint (counters->sessions, ==,
                    (guint64) json_object_get_int_member_with_default (expected, "sessions", 1));
  g_assert_cmpuint (counters->packets, ==,
                    (guint64) json_object_get_int_member (expected, "packets_total"));
  g_assert_cmpuint (counters->markers, ==,
                    (guint64) json_object_get_int_member (expected, "sync_markers"));
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_SESSION_START), ==, counters->sessions);
  if (JSON_NODE_HOLDS_NULL (json_object_get_member (expected, "lost_packets")))
    {
      g_assert_false (counters->seq_present);
      g_assert_cmpuint (counters->lost_packets, ==, 0);
      return;
    }
  g_assert_true (counters->seq_present);
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (event->kind != TS_EVENT_DATA_LOSS)
        continue;
      g_assert_cmpint (event->value, >, 0);
      g_assert_cmpuint (event->flags, ==, TS_EVENT_FLAG_SYNTHETIC);
      told += event->value;
      n_marks++;
    }
  g_assert_cmpint (told, ==, json_object_get_int_member (expected, "lost_packets"));
  g_assert_cmpint ((gint64) counters->lost_packets, ==, told);
  g_assert_cmpuint (n_marks, ==, counters->seq_gaps);
  if (json_object_has_member (expected, "gap_count"))
    g_assert_cmpint ((gint64) counters->seq_gaps, ==,
                     json_object_get_int_member (expected, "gap_count"));
}

/* Switch-ins, priority and stack of each task, by its number on the wire. */
static void
check_tasks (CollectSink *sink, JsonObject *expected)
{
  JsonArray *tasks = get_array (expected, "tasks");

  for (guint i = 0; tasks != NULL && i < json_array_get_length (tasks); i++)
    {
      JsonObject *task = json_array_get_object_element (tasks, i);
      const TsObject *object = NULL;
      guint n = 0;
      gint64 used = -1;
      gint64 total = -1;

      for (guint k = 0; k < sink->objects->len && object == NULL; k++)
        {
          const TsObject *o = sink->objects->pdata[k];

          if (o->type == TS_OBJECT_TASK && o->wire_id == json_object_get_int_member (task, "id"))
            object = o;
        }
      g_assert_nonnull (object);
      if (!json_object_get_null_member (task, "name"))
        g_assert_cmpstr (object->name, ==, json_object_get_string_member (task, "name"));
      for (guint k = 0; k < sink->events->len; k++)
        {
          const TsEvent *event = collect_sink_nth (sink, k);

          if (event->object != object->id)
            continue;
          n += event->kind == TS_EVENT_TASK_SWITCH && (event->flags & TS_EVENT_FLAG_START) != 0;
          if (event->kind == TS_EVENT_STACK_USAGE)
            {
              used = event->value;
              total = event->detail;
            }
        }
      g_assert_cmpint (n, ==, json_object_get_int_member (task, "switch_ins"));
      if (json_object_has_member (task, "priority")
          && !json_object_get_null_member (task, "priority"))
        {
          g_assert_cmpint (object->priority, ==, json_object_get_int_member (task, "priority"));
          g_assert_cmpint (object->stack_bytes, ==,
                           json_object_get_int_member (task, "stack_bytes_reported"));
        }
      if (json_object_has_member (task, "stack_used_last")
          && !json_object_get_null_member (task, "stack_used_last"))
        {
          gint64 unit = total == 4 * json_object_get_int_member (task, "stack_total_last") ? 4 : 1;

          g_assert_cmpint (total, ==, unit * json_object_get_int_member (task, "stack_total_last"));
          g_assert_cmpint (used, ==, unit * json_object_get_int_member (task, "stack_used_last"));
          g_assert_cmpint (total, ==, object->stack_bytes);
        }
    }
}

static void
check_isrs (CollectSink *sink, JsonObject *expected)
{
  JsonArray *isrs = get_array (expected, "isrs");

  for (guint i = 0; isrs != NULL && i < json_array_get_length (isrs); i++)
    {
      JsonObject *isr = json_array_get_object_element (isrs, i);
      const TsObject *object
          = collect_sink_find (sink, TS_OBJECT_ISR, json_object_get_string_member (isr, "name"));
      gint64 n = 0;

      g_assert_nonnull (object);
      g_assert_cmpint (object->wire_id, ==, json_object_get_int_member (isr, "id"));
      for (guint k = 0; k < sink->events->len; k++)
        n += collect_sink_nth (sink, k)->object == object->id
             && (collect_sink_nth (sink, k)->flags & TS_EVENT_FLAG_END) != 0;
      /* the expectation counts matched pairs */
      g_assert_cmpint (n, >=, json_object_get_int_member (isr, "count"));
      g_assert_cmpint (n, <=, json_object_get_int_member (isr, "count") + 8);
    }
}

static void
check_traces (CollectSink *sink, JsonObject *expected)
{
  static const char *const displays[] = {
    "graph", "bar", "gauge", "counter", "table", "histogram", "toggle", "task", "isr", "register",
  };
  JsonArray *traces = get_array (expected, "user_traces");

  for (guint i = 0; traces != NULL && i < json_array_get_length (traces); i++)
    {
      JsonObject *trace = json_array_get_object_element (traces, i);
      const char *kind = json_object_get_string_member (trace, "kind");
      TsObjectType type = strcmp (kind, "USER_TOGGLE") == 0 ? TS_OBJECT_USER_TOGGLE
                          : strcmp (kind, "COUNTER") == 0   ? TS_OBJECT_COUNTER
                                                            : TS_OBJECT_USER_TRACE;
      guint code = strcmp (kind, "USER_TRACE") == 0    ? TS_EVENT_USER_TRACE
                   : strcmp (kind, "FLOAT_TRACE") == 0 ? TS_EVENT_FLOAT_TRACE
                   : type == TS_OBJECT_COUNTER         ? TS_EVENT_COUNTER
                                                       : TS_EVENT_USER_TOGGLE;
      g_autofree char *made_up
          = g_strdup_printf ("Counter %d", (int) json_object_get_int_member (trace, "id"));
      gboolean is_named = !json_object_get_null_member (trace, "name");
      const TsObject *object = collect_sink_find (
          sink, type, is_named ? json_object_get_string_member (trace, "name") : made_up);
      double min = INFINITY, max = -INFINITY, sum = 0, first = 0, last = 0;
      gint64 n = 0;

      g_assert_nonnull (object);
      g_assert_cmpint (object->wire_id, ==, json_object_get_int_member (trace, "id"));
      for (guint k = 0; k < sink->events->len; k++)
        {
          const TsEvent *event = collect_sink_nth (sink, k);
          double value = ts_event_get_double (event);

          if (event->object != object->id || event->kind != code)
            continue;
          if (n++ == 0)
            first = value;
          last = value;
          min = MIN (min, value);
          max = MAX (max, value);
          sum += value;
        }
      g_assert_cmpint (n, ==, json_object_get_int_member (trace, "count"));
      g_assert_cmpfloat (first, ==, json_object_get_double_member (trace, "first"));
      g_assert_cmpfloat (last, ==, json_object_get_double_member (trace, "last"));
      g_assert_cmpfloat (min, ==, json_object_get_double_member (trace, "min"));
      g_assert_cmpfloat (max, ==, json_object_get_double_member (trace, "max"));
      g_assert_cmpfloat_with_epsilon (sum, json_object_get_double_member (trace, "sum"), 1e-5);
      g_assert_cmpint (object->is_named, ==, is_named);
      if (is_named)
        {
          guint display = (guint) json_object_get_int_member (trace, "type");

          /* toggle was 5 before there were histograms */
          if (display == 5 && type == TS_OBJECT_USER_TOGGLE)
            display = 6;
          g_assert_cmpstr (object->display, ==, displays[display]);
        }
    }
}

static TsObjectType
type_of (const char *type)
{
  if (strcmp (type, "pm") == 0)
    return TS_OBJECT_POWER;
  return ts_object_type_from_name (type);
}

/* Kernel objects with what was done to them. */
static void
check_objects (CollectSink *sink, JsonObject *expected)
{
  JsonArray *objects = get_array (expected, "objects");

  for (guint i = 0; objects != NULL && i < json_array_get_length (objects); i++)
    {
      JsonObject *wanted = json_array_get_object_element (objects, i);
      JsonObject *ops = json_object_get_object_member (wanted, "ops");
      g_autoptr (GList) names = json_object_get_members (ops);
      TsObjectType type = type_of (json_object_get_string_member (wanted, "type"));
      const TsObject *object = NULL;
      gint64 n_wanted = 0;
      gint64 n = 0;

      /* announced like a queue; the events tell */
      if (json_object_has_member (ops, "EVENTFLAG_give")
          || json_object_has_member (ops, "EVENTFLAG_take"))
        type = TS_OBJECT_EVENT_FLAG;
      for (guint k = 0; k < sink->objects->len; k++)
        {
          const TsObject *o = sink->objects->pdata[k];

          if (o->wire_id == json_object_get_int_member (wanted, "id") && o->type == type)
            object = o;
        }
      g_assert_nonnull (object);
      g_assert_cmpstr (object->name, ==, json_object_get_string_member (wanted, "name"));
      if (json_object_has_member (wanted, "address")
          && !json_object_get_null_member (wanted, "address"))
        g_assert_cmpint (object->address, ==, json_object_get_int_member (wanted, "address"));
      if (json_object_has_member (wanted, "capacity")
          && !json_object_get_null_member (wanted, "capacity"))
        g_assert_cmpint (object->capacity, ==, json_object_get_int_member (wanted, "capacity"));
      for (GList *l = names; l != NULL; l = l->next)
        n_wanted += json_object_get_int_member (ops, l->data);
      for (guint k = 0; k < sink->events->len; k++)
        {
          const TsEvent *event = collect_sink_nth (sink, k);

          n += event->object == object->id && event->kind != TS_EVENT_MUTEX_CONTENTION;
        }
      g_assert_cmpint (n, ==, n_wanted);
    }
}

static void
check_strings (CollectSink *sink, JsonObject *expected)
{
  JsonObject *strings = json_object_has_member (expected, "strings")
                            ? json_object_get_object_member (expected, "strings")
                            : NULL;
  JsonArray *first;
  const char *t0_text = collect_sink_info (sink, "t0_ticks");
  gint64 t0 = t0_text != NULL ? g_ascii_strtoll (t0_text, NULL, 10) : 0;
  guint n = 0;
  gsize n_bytes = 0;

  if (strings == NULL)
    return;
  first = json_object_get_array_member (strings, "first");
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (event->kind != TS_EVENT_STRING)
        continue;
      g_assert_nonnull (collect_sink_text (sink, event));
      if (n < json_array_get_length (first))
        {
          JsonArray *wanted = json_array_get_array_element (first, n);

          g_assert_cmpint (event->time + t0, ==, json_array_get_int_element (wanted, 0));
          g_assert_cmpint (event->value, ==, json_array_get_int_element (wanted, 1));
          g_assert_cmpstr (collect_sink_text (sink, event), ==,
                           json_array_get_string_element (wanted, 2));
        }
      n_bytes += strlen (collect_sink_text (sink, event));
      n++;
    }
  g_assert_cmpint (n, ==, json_object_get_int_member (strings, "count"));
  g_assert_cmpint ((gint64) n_bytes, ==, json_object_get_int_member (strings, "bytes"));
}

static void
check_contention (CollectSink *sink, JsonObject *expected)
{
  JsonArray *all = get_array (expected, "mutex_contention");

  for (guint i = 0; all != NULL && i < json_array_get_length (all); i++)
    {
      JsonObject *wanted = json_array_get_object_element (all, i);
      gint64 n = 0;

      for (guint k = 0; k < sink->events->len; k++)
        {
          const TsEvent *event = collect_sink_nth (sink, k);

          n += event->kind == TS_EVENT_MUTEX_CONTENTION
               && collect_sink_object (sink, event->object)->wire_id
                      == json_object_get_int_member (wanted, "mutex")
               && collect_sink_object (sink, (guint32) event->value)->wire_id
                      == json_object_get_int_member (wanted, "waiter")
               && collect_sink_object (sink, (guint32) event->detail)->wire_id
                      == json_object_get_int_member (wanted, "holder");
        }
      g_assert_cmpint (n, ==, json_object_get_int_member (wanted, "count"));
    }
}

static void
test_capture (gconstpointer data)
{
  const Capture *capture = data;
  g_autofree char *file = g_strconcat (capture->name, capture->extension, NULL);
  g_autoptr (GBytes) bytes = read_capture (file);
  g_autoptr (JsonNode) root = bytes != NULL ? read_expected (capture->name) : NULL;
  g_autoptr (CollectSink) sink = NULL;
  JsonObject *expected;
  TsDecodeCounters counters;

  if (root == NULL)
    return;
  expected = json_object_get_object_member (json_node_get_object (root), "decoded");
  sink = decode_bytes (capture->format, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                       &counters);
  check_loss (&counters, sink, expected);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.skipped_bytes, ==, 0);
  g_assert_cmpuint (counters.bytes, ==, g_bytes_get_size (bytes));
  if (!json_object_has_member (expected, "events_by_code"))
    return; /* the datagram files give totals only */
  check_codes (sink, expected);
  check_time (sink, expected, capture->beyond);
  check_facts (sink, expected);
  check_tasks (sink, expected);
  check_isrs (sink, expected);
  check_traces (sink, expected);
  check_objects (sink, expected);
  check_strings (sink, expected);
  check_contention (sink, expected);
}

static const Capture captures[] = {
  { "m4_short", ".cobs", "va-cobs" },
  { "m4_short", ".cobs", "auto" },
  { "m4_short", ".raw", "va" },
  { "m4_short", ".raw", "auto" },
  { "m4_short_udp", ".udprec", "va-udprec" },
  { "m4_short_udp", ".udprec", "auto" },
  { "m3_baremetal", ".cobs", "va-cobs" },
  { "legacy_early", ".cobs", "va-cobs" },
  { "legacy_early", ".cobs", "auto" },
  { "legacy_u16", ".cobs", "va-cobs" },
  { "v2_100", ".cobs", "va-cobs" },
  { "v2_100", ".cobs", "auto" },
  { "v3_130", ".cobs", "va-cobs" },
  /* not in the source tree */
  { "m4_long_wrap", ".cobs", "va-cobs" },
  { "m3_systick", ".cobs", "va-cobs" },
  { "m4_loss", ".cobs", "va-cobs" },
  { "m3_late_init", ".cobs", "va-cobs" },
  { "legacy_oldest", ".raw", "va" },
  { "legacy_oldest", ".raw", "auto" },
  { "legacy_early", ".raw", "va" },
  { "legacy_u16", ".raw", "va" },
  { "legacy_u16", ".raw", "auto" },
  { "legacy_bare", ".cobs", "va-cobs" },
  { "v2_100", ".raw", "va" },
  { "v3_110", ".cobs", "va-cobs" },
  { "v3_110_loss", ".cobs", "va-cobs" },
  { "v3_130", ".raw", "va" },
  /* the last packets: 0B at 220665607, 0B at 220665619, 81 at 220659634 */
  { "udp_cpp_current", ".udprec", "va-udprec", 5985 },
  { "udp_cpp_current", ".udprec", "auto", 5985 },
  { "udp_python_legacy", ".udprec", "va-udprec" },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (captures); i++)
    {
      g_autofree char *path = g_strdup_printf ("/decode/captures/%s%s/%s", captures[i].name,
                                               captures[i].extension, captures[i].format);

      g_test_add_data_func (path, &captures[i], test_capture);
    }
  return g_test_run ();
}
