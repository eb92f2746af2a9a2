/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-event.c: names of kinds and types; they are in users' files and scripts, so they are
 * written out here once more. */
#include "config.h"

#include "model/ts-event.h"
#include "model/ts-object.h"

/* Source: events.md section 2. */
static const struct
{
  guint kind;
  const char *name;
} kinds[] = {
  { 0x01, "task_switch" },    { 0x02, "isr" },           { 0x03, "task_create" },
  { 0x04, "user_trace" },     { 0x05, "task_notify" },   { 0x06, "semaphore" },
  { 0x07, "mutex" },          { 0x08, "queue" },         { 0x09, "stack_usage" },
  { 0x0A, "user_toggle" },    { 0x0B, "user_event" },    { 0x0C, "mutex_contention" },
  { 0x0D, "string" },         { 0x0E, "float_trace" },   { 0x0F, "gpio" },
  { 0x10, "counter" },        { 0x11, "heap" },          { 0x12, "sleep" },
  { 0x13, "timer" },          { 0x14, "heap_sync" },     { 0x15, "pm_suspend" },
  { 0x16, "seq_checkpoint" }, { 0x17, "heap_fail" },     { 0x18, "event_flag" },
  { 0x19, "op_failed" },      { 0x1A, "work" },          { 0x1B, "timer_arm" },
  { 0x1C, "task_state" },     { 0x1D, "task_priority" }, { 0x1E, "timer_callback" },
  { 0x1F, "stream_buffer" },  { 0x20, "mem_slab" },      { 0x21, "condvar" },
  { 0x22, "poll" },           { 0x23, "queue_details" }, { 0x24, "notify_details" },
  { 0x25, "flag_details" },
};

static const char *const other_names[] = {
  "dwt_pc",       "dwt_exc",      "dwt_data",    "dwt_data_pc",  "dwt_match", "dwt_counters",
  "pmu_overflow", "itm_text",     "itm_data",    "itm_overflow", "global_ts", "poll_trace",
  "function",     "thread_state", "kernel_call", "process",      "message",      "external_trace",
};

static const char *const host_names[]
    = { "data_loss", "corrupt", "session_start", "capture_end", "mark", "swo_load" };

static void
test_kinds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_assert_cmpstr (ts_event_kind_get_name (kinds[i].kind), ==, kinds[i].name);
      g_assert_cmpuint (ts_event_kind_from_name (kinds[i].name), ==, kinds[i].kind);
      g_assert_false (ts_event_kind_is_host_made (kinds[i].kind));
    }
  for (guint i = 0; i < G_N_ELEMENTS (other_names); i++)
    {
      g_assert_cmpuint (ts_event_kind_from_name (other_names[i]), ==, 0x100 + i);
      g_assert_cmpstr (ts_event_kind_get_name (0x100 + i), ==, other_names[i]);
      g_assert_false (ts_event_kind_is_host_made (0x100 + i));
    }
  for (guint i = 0; i < G_N_ELEMENTS (host_names); i++)
    {
      g_assert_cmpuint (ts_event_kind_from_name (host_names[i]), ==, 0x200 + i);
      g_assert_cmpstr (ts_event_kind_get_name (0x200 + i), ==, host_names[i]);
      g_assert_true (ts_event_kind_is_host_made (0x200 + i));
    }
}

static void
test_unknown_kinds (void)
{
  const guint unknown[] = { 0, 0x26, 0x6F, 0xFF, 0x112, 0x1FF, 0x206, 0x300, 0xFFFF, 0xFFFFFFFF };

  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_assert_null (ts_event_kind_get_name (unknown[i]));
      g_assert_cmpuint (ts_event_kind_get_n_operands (unknown[i]), ==, 0);
      g_assert_false (ts_event_kind_is_host_made (unknown[i]));
    }
  g_assert_cmpuint (ts_event_kind_from_name (NULL), ==, 0);
  g_assert_cmpuint (ts_event_kind_from_name (""), ==, 0);
  g_assert_cmpuint (ts_event_kind_from_name ("Task_Switch"), ==, 0);
}

static void
test_operands (void)
{
  /* Source: events.md section 1. */
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_TASK_SWITCH), ==, 0);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_QUEUE), ==, 0);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_USER_TRACE), ==, 1);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_STRING), ==, 1);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_TASK_CREATE), ==, 2);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_MUTEX_CONTENTION), ==, 2);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_DATA_LOSS), ==, 2);
  g_assert_cmpuint (ts_event_kind_get_n_operands (TS_EVENT_CORRUPT), ==, 1);
}

static void
test_accessors (void)
{
  union { double d; gint64 i; } bits = { .d = 1.5 };
  TsEvent event = {
    .kind = TS_EVENT_FLOAT_TRACE, .flags = TS_EVENT_FLAG_FLOAT, .value = bits.i, .detail = -3
  };

  g_assert_cmpfloat (ts_event_get_double (&event), ==, 1.5);
  g_assert_cmpint (ts_event_get_detail (&event), ==, -3);
  g_assert_cmpuint (ts_event_get_text_id (&event), ==, 0);
  g_assert_true (ts_event_is_counted (&event));

  event.flags = TS_EVENT_FLAG_TEXT;
  event.value = -7;
  event.detail = (gint64) 42 << 32 | 9;
  g_assert_cmpfloat (ts_event_get_double (&event), ==, -7);
  g_assert_cmpuint (ts_event_get_text_id (&event), ==, 42);
  g_assert_cmpint (ts_event_get_detail (&event), ==, 9);

  event.flags |= TS_EVENT_FLAG_SYNTHETIC;
  g_assert_false (ts_event_is_counted (&event));
  event.flags = 0;
  event.kind = TS_EVENT_MARK;
  g_assert_false (ts_event_is_counted (&event));
}

static void
test_objects (void)
{
  /* Source: events.md section 3. */
  const char *names = "task isr queue mutex recursive_mutex binary_sem counting_sem semaphore "
                      "timer heap power event_flag stream_buffer "
                      "message_buffer mem_slab condvar poll_signal heap_gauge string_channel "
                      "user_trace user_event user_toggle gpio "
                      "counter core exception function watch itm_port process thread polled_symbol";
  g_auto (GStrv) list = g_strsplit (names, " ", -1);

  g_assert_cmpuint (g_strv_length (list), ==, TS_OBJECT_N_TYPES - 1);
  for (guint i = 0; list[i] != NULL; i++)
    {
      TsObjectType type = ts_object_type_from_name (list[i]);

      g_assert_cmpint (type, !=, TS_OBJECT_NONE);
      g_assert_cmpstr (ts_object_type_get_name (type), ==, list[i]);
    }
  g_assert_null (ts_object_type_get_name (TS_OBJECT_NONE));
  g_assert_null (ts_object_type_get_name (TS_OBJECT_N_TYPES));
  g_assert_cmpint (ts_object_type_from_name ("Task"), ==, TS_OBJECT_NONE);
  g_assert_cmpint (ts_object_type_from_name (NULL), ==, TS_OBJECT_NONE);
}

static void
test_lane_names (void)
{
  const struct
  {
    TsObjectType type;
    const char *lane_name;
  } cases[] = {
    { TS_OBJECT_TASK, "bulk" },          { TS_OBJECT_ISR, "ISR:bulk" },
    { TS_OBJECT_EXCEPTION, "ISR:bulk" }, { TS_OBJECT_USER_EVENT, "Fn:bulk" },
    { TS_OBJECT_FUNCTION, "Fn:bulk" },   { TS_OBJECT_QUEUE, "bulk" },
    { TS_OBJECT_USER_TRACE, "bulk" },
  };
  char name[] = "bulk";
  char unit[] = "mV";
  TsObject object = TS_OBJECT_INIT;
  g_autoptr (TsObject) copy = NULL;

  object.name = name;
  object.unit = unit;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *lane_name = NULL;

      object.type = cases[i].type;
      lane_name = ts_object_dup_lane_name (&object);
      g_assert_cmpstr (lane_name, ==, cases[i].lane_name);
    }

  copy = ts_object_copy (&object);
  g_assert_true (copy->name != object.name);
  g_assert_cmpstr (copy->name, ==, "bulk");
  g_assert_cmpstr (copy->unit, ==, "mV");
  g_assert_null (copy->display);
  ts_object_clear (copy);
  g_assert_null (copy->name);
  g_assert_cmpint (copy->priority, ==, TS_OBJECT_UNKNOWN);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

  g_test_add_func ("/model/event/kinds", test_kinds);
  g_test_add_func ("/model/event/unknown-kinds", test_unknown_kinds);
  g_test_add_func ("/model/event/operands", test_operands);
  g_test_add_func ("/model/event/accessors", test_accessors);
  g_test_add_func ("/model/object/types", test_objects);
  g_test_add_func ("/model/object/lane-names", test_lane_names);

  return g_test_run ();
}
