/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-hardware-trace.c: the register image against values worked out from the fields by hand, what
 * is refused and why, and flags that win over the object. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "capture/ts-hardware-trace.h"

static TsTraceImage *
make_image (TsTraceArch arch,
            const char *caps_text,
            const char *connection_text)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  TsTraceCaps caps;

  ts_trace_caps_init (&caps);
  if (caps_text != NULL)
    {
      g_autoptr (JsonNode) node = json_from_string (caps_text, NULL);

      g_assert_true (ts_trace_caps_read (&caps, json_node_get_object (node), &error));
    }
  ts_connection_load_data (connection, connection_text, -1, "test.vacf", FALSE, &error);
  g_assert_no_error (error);

  return ts_trace_image_new (arch, &caps, connection);
}

/* The @n-th write to a register, 0 for the first. */
static guint32
value_of (const TsTraceImage *image,
          const char *name,
          guint n)
{
  for (guint i = 0; i < image->writes->len; i++)
    {
      const TsTraceWrite *row = &g_array_index (image->writes, TsTraceWrite, i);

      if (strcmp (row->name, name) == 0 && n-- == 0)
        return row->value;
    }
  g_error ("%s is not written", name);
}

static gboolean
is_written (const TsTraceImage *image,
            const char *name)
{
  for (guint i = 0; i < image->writes->len; i++)
    if (strcmp (g_array_index (image->writes, TsTraceWrite, i).name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Features refused, in order, with a word of each reason: "dwt-watch:numcomp=0 dwt-exc:..." */
static void
assert_refused (const TsTraceImage *image,
                const char *wanted)
{
  g_auto (GStrv) words = g_strsplit (wanted, " ", -1);
  guint n = *wanted != '\0' ? g_strv_length (words) : 0;

  for (guint i = 0; i < image->refused->len; i++)
    {
      const TsTraceRefusal *row = &g_array_index (image->refused, TsTraceRefusal, i);

      g_test_message ("%s: %s", row->feature, row->reason);
    }
  g_assert_cmpuint (image->refused->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const TsTraceRefusal *row = &g_array_index (image->refused, TsTraceRefusal, i);
      g_auto (GStrv) parts = g_strsplit (words[i], ":", 2);

      g_assert_cmpstr (row->feature, ==, parts[0]);
      g_assert_nonnull (strstr (row->reason, parts[1]));
    }
}

/* 170 MHz / 2 MHz - 1 = 84. TCR: ITMENA, SYNCENA, bus id 1. DWT_CTRL: CYCCNTENA, SYNCTAP 1. */
static void
test_plain_swo (void)
{
  static const TsTraceWrite wanted[] = {
    { 0xE000EDFC, 0x01000000, (char *) "DEMCR" },    { 0xE0040010, 84, (char *) "TPIU_ACPR" },
    { 0xE0040004, 1, (char *) "TPIU_CSPSR" },        { 0xE00400F0, 2, (char *) "TPIU_SPPR" },
    { 0xE0040304, 0x100, (char *) "TPIU_FFCR" },     { 0xE0000FB0, 0xC5ACCE55, (char *) "ITM_LAR" },
    { 0xE0000E80, 0, (char *) "ITM_TCR" },           { 0xE0000E00, 3, (char *) "ITM_TER" },
    { 0xE0000E40, 0, (char *) "ITM_TPR" },           { 0xE0001000, 0x401, (char *) "DWT_CTRL" },
    { 0xE0000E80, 0x10005, (char *) "ITM_TCR" },     { 0xE0001004, 0x15000000, (char *) "DWT_CYCCNT" },
    { 0xE0001004, 0, (char *) "DWT_CYCCNT" },        { 0xE0001004, 0x15000000, (char *) "DWT_CYCCNT" },
    { 0xE0001004, 0, (char *) "DWT_CYCCNT" },
  };
  g_autoptr (TsTraceImage) image
      = make_image (TS_TRACE_ARCH_V7M, NULL,
                    "{\"transport\": \"stlink-swo\", \"cpu-clock-hz\": 170000000}");

  g_assert_cmpuint (image->writes->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      const TsTraceWrite *row = &g_array_index (image->writes, TsTraceWrite, i);

      g_assert_cmpstr (row->name, ==, wanted[i].name);
      g_assert_cmphex (row->address, ==, wanted[i].address);
      g_assert_cmphex (row->value, ==, wanted[i].value);
    }
  assert_refused (image, "");
  g_assert_cmpint (image->true_swo_hz, ==, 2000000);
}

/* A running core keeps its counter; firmware that sets up the pin itself keeps its pin. */
static void
test_gentle (void)
{
  g_autoptr (TsTraceImage) running
      = make_image (TS_TRACE_ARCH_V7M, NULL, "{\"cpu-clock-hz\": 1000000, \"no-reset\": true}");
  g_autoptr (TsTraceImage) hands_off
      = make_image (TS_TRACE_ARCH_V7M, NULL, "{\"cpu-clock-hz\": 1000000, \"init-swo\": false}");
  g_autoptr (TsTraceImage) data_only = make_image (
      TS_TRACE_ARCH_V7M, NULL,
      "{\"cpu-clock-hz\": 1000000, \"init-swo\": false, \"hardware-trace\": {\"dwt\": "
      "{\"exception-trace\": true}}}");

  g_assert_false (is_written (running, "DWT_CYCCNT"));
  g_assert_true (is_written (running, "ITM_TCR"));
  g_assert_false (is_written (hands_off, "TPIU_ACPR"));
  g_assert_false (is_written (hands_off, "ITM_TCR"));
  g_assert_false (is_written (data_only, "TPIU_ACPR"));
  g_assert_true (is_written (data_only, "ITM_TCR"));
}

/* The published rule divides down; a rate above the clock gives the clock. */
static void
test_divider (void)
{
  static const struct
  {
    const char *connection;
    guint32 acpr;
    gint64 rate;
  } cases[] = {
    { "{\"cpu-clock-hz\": 192000000, \"trace-clock-hz\": 96000000, \"swo-freq-hz\": 2000000}", 47,
      2000000 },
    { "{\"cpu-clock-hz\": 72000000, \"swo-freq-hz\": 5000000}", 13, 5142857 },
    { "{\"cpu-clock-hz\": 1000000, \"swo-freq-hz\": 2000000}", 0, 1000000 },
    { "{\"cpu-clock-hz\": 80000000, \"hardware-trace\": {\"trace-port\": {\"swo-hz\": 500000}}}",
      159, 500000 },
    { "{\"cpu-clock-hz\": 80000000, \"swo-freq-hz\": 1000000, \"hardware-trace\": {\"trace-port\": "
      "{\"swo-hz\": 500000}}}",
      79, 1000000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TsTraceImage) image = make_image (TS_TRACE_ARCH_V8M, NULL, cases[i].connection);

      g_assert_cmpuint (value_of (image, "TPIU_ACPR", 0), ==, cases[i].acpr);
      g_assert_cmpint (image->true_swo_hz, ==, cases[i].rate);
      g_assert_false (is_written (image, "ITM_LAR"));
    }

  {
    g_autoptr (TsTraceImage) slow = make_image (
        TS_TRACE_ARCH_V7M, NULL, "{\"cpu-clock-hz\": 170000000, \"swo-freq-hz\": 9600}");

    g_assert_cmphex (value_of (slow, "TPIU_ACPR", 0), ==, 0x1FFF);
    assert_refused (slow, "trace-port:20751");
  }
}

/* CYCCNTENA 0, POSTPRESET 4:1, POSTINIT 8:5, CYCTAP 9, SYNCTAP 11:10, PCSAMPLENA 12, EXCTRCENA 16,
 * CPI 17, SLEEP 19, CYC 22. */
static void
test_dwt_control (void)
{
  static const struct
  {
    const char *dwt;
    guint32 control;
    guint cycles;
    const char *refused;
  } cases[] = {
    { "{\"exception-trace\": true, \"pc-sample-cyc\": 1024, \"counters\": [\"cpi\", \"sleep\", "
      "\"cyc\"]}",
      0xB15FF, 1024, "dwt-counters:cyc" },
    { "{\"pc-sample-cyc\": 16384}", 0x17FF, 16384, "" },
    { "{\"pc-sample-cyc\": 1}", 0x1401, 64, "" },
    { "{\"pc-sample-cyc\": 3000}", 0x1645, 3072, "" },
    { "{\"counters\": [\"cyc\"]}", 0x4007FF, 0, "" },
    { "{\"counters\": [\"cpi\", \"exc\", \"sleep\", \"lsu\", \"fold\"]}", 0x3E0401, 0, "" },
    { "{\"enable\": false, \"exception-trace\": true}", 0x401, 0, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text
          = g_strdup_printf ("{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": %s}}",
                             cases[i].dwt);
      g_autoptr (TsTraceImage) image = make_image (TS_TRACE_ARCH_V7M, NULL, text);

      g_assert_cmphex (value_of (image, "DWT_CTRL", 0), ==, cases[i].control);
      g_assert_cmpuint (image->granted.pc_sample_cyc, ==, cases[i].cycles);
      assert_refused (image, cases[i].refused);
    }
}

/* ITMENA 0, TSENA 1, SYNCENA 2, TXENA 3, TSPrescale 9:8, bus id 22:16. */
static void
test_itm_control (void)
{
  static const struct
  {
    const char *block;
    guint32 control;
    guint32 ports;
  } cases[] = {
    { "{\"itm\": {\"ports\": 240, \"privilege\": 5, \"timestamps\": 16}}", 0x10207, 0xF2 },
    { "{\"itm\": {\"timestamps\": 64}}", 0x10307, 3 },
    { "{\"dwt\": {\"exception-trace\": true}}", 0x1000F, 3 },
    { "{\"itm\": {\"timestamps\": 0}, \"dwt\": {\"enable\": true}}", 0x1000D, 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text
          = g_strdup_printf ("{\"cpu-clock-hz\": 1, \"hardware-trace\": %s}", cases[i].block);
      g_autoptr (TsTraceImage) image = make_image (TS_TRACE_ARCH_V7M, NULL, text);

      g_assert_cmphex (value_of (image, "ITM_TCR", 1), ==, cases[i].control);
      g_assert_cmphex (value_of (image, "ITM_TER", 0), ==, cases[i].ports);
      g_assert_cmphex (value_of (image, "ITM_TPR", 0), ==, i == 0 ? 5 : 0);
    }
}

#define WATCHES \
  "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [{\"addr\": \"0x20000010\", " \
  "\"size\": 4, \"function\": \"data-w\", \"pc\": true, \"name\": \"level\"}, \"0x20000002:2\", " \
  "\"mode@0x20000005:1:data-r\", \"0x20000008:4:pc\"]}}}"

/* v7-M: 15 PC and data on write, 2 data, 12 data on read, 1 PC. v8-M: MATCH 3:0, ACTION 5:4,
 * DATAVSIZE 11:10. */
static void
test_watches (void)
{
  static const struct
  {
    guint32 address;
    guint32 mask;
    guint32 v7m;
    guint32 v8m;
  } wanted[] = {
    { 0x20000010, 2, 15, 0x83D },
    { 0x20000002, 1, 2, 0x42C },
    { 0x20000005, 0, 12, 0x02E },
    { 0x20000008, 2, 1, 0x834 },
  };

  for (TsTraceArch arch = TS_TRACE_ARCH_V7M; arch <= TS_TRACE_ARCH_V8M; arch++)
    {
      g_autoptr (TsTraceImage) image = make_image (arch, NULL, WATCHES);

      assert_refused (image, "");
      g_assert_cmpuint (image->granted.n_watches, ==, 4);
      g_assert_cmpstr (image->granted.watches[0].name, ==, "level");
      g_assert_cmpstr (image->granted.watches[2].name, ==, "mode");
      for (guint i = 0; i < 4; i++)
        {
          g_autofree char *comp = g_strdup_printf ("DWT_COMP%u", i);
          g_autofree char *mask = g_strdup_printf ("DWT_MASK%u", i);
          g_autofree char *function = g_strdup_printf ("DWT_FUNCTION%u", i);

          g_assert_cmphex (value_of (image, comp, 0), ==, wanted[i].address);
          g_assert_cmphex (value_of (image, function, 0), ==, 0);
          g_assert_cmphex (value_of (image, function, 1), ==,
                           arch == TS_TRACE_ARCH_V7M ? wanted[i].v7m : wanted[i].v8m);
          if (arch == TS_TRACE_ARCH_V7M)
            g_assert_cmphex (value_of (image, mask, 0), ==, wanted[i].mask);
          else
            g_assert_false (is_written (image, mask));
        }
    }
}

static void
test_refusals (void)
{
  static const char everything[]
      = "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"itm\": {\"ports\": 1, \"timestamps\": 1}, "
        "\"dwt\": {\"watch\": [\"0x20000000:4\", \"0x20000004:4\"], \"pc-sample-cyc\": 1024, "
        "\"exception-trace\": true, \"counters\": [\"cpi\"]}}}";
  static const struct
  {
    TsTraceArch arch;
    const char *caps;
    const char *refused;
  } cases[] = {
    { TS_TRACE_ARCH_V7M, "{\"numcomp\": 0}", "dwt-watch:numcomp=0 dwt-watch:numcomp=0" },
    { TS_TRACE_ARCH_V7M, "{\"numcomp\": 1}", "dwt-watch:numcomp=1" },
    { TS_TRACE_ARCH_V7M, "{\"notrcpkt\": 1}",
      "dwt-watch:notrcpkt=1 dwt-watch:notrcpkt=1 dwt-pc:notrcpkt=1 dwt-exc:notrcpkt=1 "
      "dwt-counters:notrcpkt=1" },
    { TS_TRACE_ARCH_V7M, "{\"nocyccnt\": true}", "dwt-pc:nocyccnt=1" },
    { TS_TRACE_ARCH_V8M, "{\"noprfcnt\": 1}", "dwt-counters:noprfcnt=1" },
    { TS_TRACE_ARCH_V7M, "{\"itm\": 0}",
      "dwt-watch:itm=0 dwt-watch:itm=0 dwt-pc:itm=0 dwt-exc:itm=0 dwt-counters:itm=0 "
      "itm-ports:itm=0 itm-timestamps:itm=0" },
    { TS_TRACE_ARCH_V7M, "{\"tpiu\": 0}", "trace-port:tpiu=0" },
    { TS_TRACE_ARCH_V6M, NULL,
      "dwt-watch:v6m dwt-watch:v6m dwt-exc:v6m dwt-counters:v6m itm-ports:v6m "
      "itm-timestamps:v6m trace-port:v6m" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TsTraceImage) image = make_image (cases[i].arch, cases[i].caps, everything);

      assert_refused (image, cases[i].refused);
    }
}

/* Without a trace pin, and where polling is asked for, the program counter is read and nothing
 * else can be had. */
static void
test_polling (void)
{
  g_autoptr (TsTraceImage) ring = make_image (
      TS_TRACE_ARCH_V7M, NULL,
      "{\"transport\": \"stlink-rambuf\", \"hardware-trace\": {\"dwt\": {\"enable\": true, "
      "\"pc-sample-cyc\": 1, \"exception-trace\": true}}}");
  g_autoptr (TsTraceImage) asked = make_image (
      TS_TRACE_ARCH_V7M, NULL,
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"pc-sample-cyc\": 100, \"path\": "
      "\"poll\", \"counters\": [\"cpi\"]}}}");
  g_autoptr (TsTraceImage) small = make_image (
      TS_TRACE_ARCH_V6M, NULL,
      "{\"cpu-clock-hz\": 1, \"init-swo\": false, \"hardware-trace\": {\"dwt\": "
      "{\"pc-sample-cyc\": 100, \"path\": \"swo\"}}}");

  g_assert_true (ring->pc_by_polling);
  g_assert_cmpuint (ring->writes->len, ==, 1);
  g_assert_cmphex (value_of (ring, "DEMCR", 0), ==, 0x01000000);
  assert_refused (ring, "dwt-exc:poll");
  g_assert_true (asked->pc_by_polling);
  g_assert_cmphex (value_of (asked, "DWT_CTRL", 0), ==, 0x401);
  assert_refused (asked, "dwt-counters:poll");
  g_assert_false (small->pc_by_polling);
  assert_refused (small, "dwt-pc:v6m");
}

static void
test_odd_watches (void)
{
  g_autoptr (TsTraceImage) image = make_image (
      TS_TRACE_ARCH_V7M, NULL,
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [\"0x20000001:4\", "
      "\"0x20000000:3\", \"0x20000000:64:address:pc\"]}}}");
  g_autoptr (TsTraceImage) newer = make_image (
      TS_TRACE_ARCH_V8M, NULL,
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [\"0x20000000:8\"]}}}");

  assert_refused (image, "dwt-watch:multiple dwt-watch:multiple dwt-watch-pc:instruction");
  g_assert_cmphex (value_of (image, "DWT_FUNCTION0", 1), ==, 0x21);
  g_assert_cmpuint (value_of (image, "DWT_MASK0", 0), ==, 6);
  assert_refused (newer, "dwt-watch:v8m");
}

typedef struct
{
  TsEventSink parent;
  char *name; /* of the last object */
} NameSink;

static guint32
keep_name (TsEventSink *sink,
           const TsObject *object)
{
  g_free (((NameSink *) sink)->name);
  ((NameSink *) sink)->name = g_strdup (object->name);
  return 1;
}

/* What the book calls a comparator. */
static char *
dup_watch_name (TsNames *names,
                guint comparator)
{
  static const TsEventSinkInterface iface = { .define_object = keep_name };
  NameSink keeping = { { &iface }, NULL };
  TsEventSink *sink = ts_names_sink_new (names, &keeping.parent);
  TsObject object = TS_OBJECT_INIT;

  object.type = TS_OBJECT_WATCH;
  object.wire_id = (gint32) comparator;
  object.name = (char *) "none";
  sink->iface->define_object (sink, &object);
  ts_names_sink_free (sink);
  return keeping.name;
}

/* ARMv8-M: a range is two linked comparators, the first of them even; the second holds the last
 * address and sends: MATCH 7 with ACTION 3. Source: Armv8-M Architecture Reference Manual,
 * DWT_FUNCTIONn */
static void
test_pairs (void)
{
  g_autoptr (TsTraceImage) image = make_image (
      TS_TRACE_ARCH_V8M, NULL,
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [\"one@0x20000010:4:data-w\", "
      "\"range@0x20000040:64:address:pc\"]}}}");
  g_autoptr (TsTraceImage) plain = make_image (
      TS_TRACE_ARCH_V8M, NULL,
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [\"a@0x20000000:4:address\", "
      "\"b@0x20000008:2:address\", \"c@0x20000010:4\"]}}}");
  g_autoptr (TsTraceImage) few = make_image (
      TS_TRACE_ARCH_V8M, "{\"numcomp\": 2}",
      "{\"cpu-clock-hz\": 1, \"hardware-trace\": {\"dwt\": {\"watch\": [\"0x20000000:4\", "
      "\"0x20000040:64:address\", \"0x20000004:4\"]}}}");
  g_autoptr (JsonObject) json = ts_trace_image_to_json (image);
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), json);
  g_autofree char *text = json_to_string (node, FALSE);
  g_autoptr (TsNames) names = ts_names_new ();
  g_autofree char *first = NULL;
  g_autofree char *lower = NULL;
  g_autofree char *upper = NULL;

  assert_refused (image, "");
  g_assert_cmphex (value_of (image, "DWT_FUNCTION0", 1), ==, 0x82D);
  g_assert_false (is_written (image, "DWT_FUNCTION1"));
  g_assert_cmphex (value_of (image, "DWT_COMP2", 0), ==, 0x20000040);
  g_assert_cmphex (value_of (image, "DWT_COMP3", 0), ==, 0x2000007F);
  g_assert_cmphex (value_of (image, "DWT_FUNCTION2", 1), ==, 0x34);
  g_assert_cmphex (value_of (image, "DWT_FUNCTION3", 0), ==, 0);
  g_assert_cmphex (value_of (image, "DWT_FUNCTION3", 1), ==, 0x37);
  g_assert_nonnull (strstr (text, "\"cmp\":2,\"cmp_limit\":3,\"id\":226,\"name\":\"range\""));

  /* the names follow the comparators, not the order in which the watches were asked for */
  ts_names_set_watch (names, 1, "range", 0x20000040);
  ts_trace_image_name_watches (text, names);
  first = dup_watch_name (names, 1);
  lower = dup_watch_name (names, 2);
  upper = dup_watch_name (names, 3);
  g_assert_cmpstr (first, ==, "none");
  g_assert_cmpstr (lower, ==, "range");
  g_assert_cmpstr (upper, ==, "range");

  assert_refused (plain, "dwt-watch:numcomp=4");
  g_assert_cmphex (value_of (plain, "DWT_FUNCTION0", 1), ==, 0x04);
  g_assert_cmphex (value_of (plain, "DWT_COMP1", 0), ==, 0x20000003);
  g_assert_cmphex (value_of (plain, "DWT_COMP3", 0), ==, 0x20000009);
  assert_refused (few, "dwt-watch:numcomp=2");
  g_assert_cmphex (value_of (few, "DWT_COMP1", 0), ==, 0x20000004);
}

static void
test_overrides (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  static const char *const good[][2] = {
    { "dwt-exc", NULL },        { "dwt-pc", "0x800" },
    { "dwt-counters", "exc, lsu" }, { "dwt-watch", "a@0x20000000:4:data-w:pc,0x20000010" },
    { "itm-timestamps", "off" }, { "itm-ports", "0xFF" },
    { "dwt-path", "swo" },
  };
  static const char *const bad[][2] = {
    { "dwt-pc", "often" },   { "dwt-counters", "cycles" },   { "dwt-watch", "level" },
    { "dwt-watch", "0x1:4:data-x" }, { "dwt-watch", "1,2,3,4,5" }, { "dwt-path", "fast" },
    { "itm-timestamps", "3" }, { "itm-ports", "-1" },
  };
  TsHardwareTrace trace;

  ts_connection_load_data (connection,
                           "{\"transport\": \"stlink-swo\", \"hardware-trace\": {\"dwt\": "
                           "{\"pc-sample-cyc\": 64, \"watch\": [\"0x1:1\"]}, \"itm\": "
                           "{\"privilege\": 2}}}",
                           -1, "x", FALSE, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_true (ts_hardware_trace_is_override (bad[i][0]));
      g_assert_false (
          ts_connection_override_hardware_trace (connection, bad[i][0], bad[i][1], &error));
      g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
      g_assert_nonnull (strstr (error->message, bad[i][0]));
      g_clear_error (&error);
    }
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      ts_connection_override_hardware_trace (connection, good[i][0], good[i][1], &error);
      g_assert_no_error (error);
    }

  ts_hardware_trace_read (&trace, ts_connection_get_object (connection, "hardware-trace"), &error);
  g_assert_no_error (error);
  g_assert_true (trace.dwt && trace.exception_trace);
  g_assert_cmpuint (trace.pc_sample_cyc, ==, 2048);
  g_assert_cmphex (trace.counters, ==, 1 << 1 | 1 << 3);
  g_assert_cmpint (trace.timestamps, ==, 0);
  g_assert_cmpint (trace.itm_ports, ==, 0xFF);
  g_assert_cmpuint (trace.itm_privilege, ==, 2);
  g_assert_cmpint (trace.path, ==, TS_TRACE_PATH_SWO);
  g_assert_cmpuint (trace.n_watches, ==, 2);
  g_assert_cmpstr (trace.watches[0].name, ==, "a");
  g_assert_cmpint (trace.watches[0].function, ==, TS_WATCH_DATA_W);
  g_assert_true (trace.watches[0].with_pc);
  g_assert_cmphex (trace.watches[1].address, ==, 0x20000010);
  g_assert_cmpuint (trace.watches[1].size, ==, 4);
  ts_hardware_trace_clear (&trace);
}

static void
test_caps (void)
{
  static const char *const bad[] = { "{\"numcomp\": 16}", "{\"itm\": 2}", "{\"numcomp\": \"4\"}",
                                     "{\"comparators\": 4}" };
  TsTraceCaps caps;
  TsTraceArch arch;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (JsonNode) node = json_from_string (bad[i], NULL);
      g_autoptr (GError) error = NULL;

      ts_trace_caps_init (&caps);
      g_assert_false (ts_trace_caps_read (&caps, json_node_get_object (node), &error));
      g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
    }

  ts_trace_caps_init_from_dwt_ctrl (&caps, 0x4A000001);
  g_assert_cmpuint (caps.numcomp, ==, 4);
  g_assert_true (caps.notrcpkt && caps.nocyccnt && !caps.noprfcnt && caps.itm && caps.tpiu);

  /* Cortex-M4 r0p1, M0+ r0p1, M33 r0p4 */
  g_assert_true (ts_trace_arch_from_cpuid (0x410FC241, &arch) && arch == TS_TRACE_ARCH_V7M);
  g_assert_true (ts_trace_arch_from_cpuid (0x410CC601, &arch) && arch == TS_TRACE_ARCH_V6M);
  g_assert_true (ts_trace_arch_from_cpuid (0x410FD214, &arch) && arch == TS_TRACE_ARCH_V8M);
  g_assert_false (ts_trace_arch_from_cpuid (0, &arch));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/hardware-trace/plain-swo", test_plain_swo);
  g_test_add_func ("/capture/hardware-trace/gentle", test_gentle);
  g_test_add_func ("/capture/hardware-trace/divider", test_divider);
  g_test_add_func ("/capture/hardware-trace/dwt-control", test_dwt_control);
  g_test_add_func ("/capture/hardware-trace/itm-control", test_itm_control);
  g_test_add_func ("/capture/hardware-trace/watches", test_watches);
  g_test_add_func ("/capture/hardware-trace/refusals", test_refusals);
  g_test_add_func ("/capture/hardware-trace/polling", test_polling);
  g_test_add_func ("/capture/hardware-trace/odd-watches", test_odd_watches);
  g_test_add_func ("/capture/hardware-trace/pairs", test_pairs);
  g_test_add_func ("/capture/hardware-trace/overrides", test_overrides);
  g_test_add_func ("/capture/hardware-trace/caps", test_caps);
  return g_test_run ();
}
