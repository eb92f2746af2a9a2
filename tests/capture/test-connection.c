/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-connection.c: connection files: the table of keys, refusals that name what is wrong, and a
 * save that keeps the rest. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "capture/ts-connection.h"
#include "capture/ts-probe.h"
#include "capture/ts-source.h"

static gboolean
load (TsConnection *connection,
      const char *text,
      gboolean lenient,
      GError **error)
{
  return ts_connection_load_data (connection, text, -1, "test.vacf", lenient, error);
}

/* @text must be refused as bad_config with a message that holds every one of the words. */
static void
assert_refused (const char *text,
                const char *const *words)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  gboolean is_loaded
      = load (connection, text, FALSE, &error) && ts_connection_validate (connection, &error);

  g_test_message ("%s", error != NULL ? error->message : "accepted");
  g_assert_false (is_loaded);
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  for (gsize i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
}

#define REFUSED(text, ...) assert_refused (text, (const char *const[]) { __VA_ARGS__, NULL })

static void
test_keys (void)
{
  /* viewalyzer-host.md section 2.2, viewalyzer-wire.md section 14.1, events.md section 5 */
  static const char *const names[] = {
    "transport",
    "target-device",
    "interface",
    "speed-khz",
    "no-reset",
    "connect-under-reset",
    "stlink-serial",
    "jlink-serial",
    "stlink-apid",
    "cpu-clock-hz",
    "trace-clock-hz",
    "swo-freq-hz",
    "itm-port",
    "init-swo",
    "rambuf-scan-start",
    "rambuf-scan-size",
    "rambuf-address",
    "rambuf-poll-ms",
    "rtt-channel",
    "rtt-address",
    "udp-ip",
    "udp-port",
    "serial-port",
    "baud",
    "cobs",
    "hardware-trace",
    "comment",
    "_comment",
    "$schema",
    "stlink-gdb-port",
    "stlink-swo-port",
    "jlink-gdb-port",
    "jlink-swo-port",
    "jlink-telnet-port",
    "rtt-port",
    "jlink",
    "stlink",
    "cube-programmer",
    "arm-gdb",
    "target-init",
    "rambuf-driver",
    "tcp-host",
    "tcp-port",
    "file-path",
    "file-format",
    "file-pace",
    "demo-seed",
    "demo-rate",
    "swo-tcp-host",
    "swo-tcp-port",
    "cmsis-dap-serial",
    "trigger",
    "trigger-before-ms",
    "trigger-after-ms",
    "trigger-action",
  };
  static const char *const transports[] = {
    "stlink-swo", "stlink-rambuf", "stlink-rtt", "jlink-swo", "jlink-rtt", "jlink-rambuf",
    "cmsis-dap-rambuf", "cmsis-dap-rtt", "cmsis-dap-swo",
    "udp",        "serial",        "swo-tcp",    "tcp",       "file",      "demo",
  };
  guint n_keys = 0;
  const TsConnectionKey *keys = ts_connection_list_keys (&n_keys);

  g_assert_cmpuint (n_keys, ==, G_N_ELEMENTS (names));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const TsConnectionKey *key = ts_connection_find_key (names[i]);

      g_assert_nonnull (key);
      g_assert_cmpstr (key->name, ==, names[i]);
      g_assert_nonnull (key->help);
      g_assert_true (g_str_has_suffix (key->help, "."));
    }
  for (guint i = 0; i < n_keys; i++)
    g_assert_true (ts_connection_find_key (keys[i].name) == &keys[i]);

  g_assert_cmpuint (g_strv_length ((char **) ts_connection_list_transports ()), ==,
                    G_N_ELEMENTS (transports));
  for (gsize i = 0; i < G_N_ELEMENTS (transports); i++)
    g_assert_true (g_strv_contains (ts_connection_list_transports (), transports[i]));

  g_assert_true (ts_connection_key_applies (ts_connection_find_key ("udp-port"), "udp"));
  g_assert_false (ts_connection_key_applies (ts_connection_find_key ("udp-port"), "serial"));
  g_assert_true (ts_connection_key_applies (ts_connection_find_key ("cobs"), "serial"));
  g_assert_true (ts_connection_key_applies (ts_connection_find_key ("cpu-clock-hz"), "udp"));
  g_assert_true (ts_connection_key_applies (ts_connection_find_key ("itm-port"), "swo-tcp"));
  g_assert_false (ts_connection_key_applies (ts_connection_find_key ("baud"), "ser"));
  g_assert_false (ts_connection_key_applies (ts_connection_find_key ("rtt-port"), "jlink-rtt"));
  g_assert_true (ts_connection_transport_is_built ("udp"));
  g_assert_false (ts_connection_transport_is_built ("no-such-transport"));
}

static void
test_defaults (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();

  g_assert_null (ts_connection_get_transport (connection));
  g_assert_cmpint (ts_connection_get_int (connection, "swo-freq-hz"), ==, 2000000);
  g_assert_cmpint (ts_connection_get_int (connection, "itm-port"), ==, 1);
  g_assert_cmpint (ts_connection_get_int (connection, "rambuf-scan-start"), ==, 0x20000000);
  g_assert_cmpint (ts_connection_get_int (connection, "rambuf-scan-size"), ==, 131072);
  g_assert_cmpint (ts_connection_get_int (connection, "rtt-channel"), ==, 1);
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 17200);
  g_assert_cmpint (ts_connection_get_int (connection, "cpu-clock-hz"), ==, 0);
  g_assert_true (ts_connection_get_bool (connection, "init-swo"));
  g_assert_true (ts_connection_get_bool (connection, "cobs"));
  g_assert_false (ts_connection_get_bool (connection, "no-reset"));
  g_assert_cmpstr (ts_connection_get_string (connection, "file-format"), ==, "auto");
  g_assert_cmpstr (ts_connection_get_string (connection, "file-pace"), ==, "whole");
  g_assert_false (ts_connection_has (connection, "udp-port"));

  /* the trace clock is the core clock unless told otherwise */
  g_assert_true (ts_connection_set_from_text (connection, "cpu-clock-hz", "480000000", NULL));
  g_assert_cmpint (ts_connection_get_int (connection, "trace-clock-hz"), ==, 480000000);
  g_assert_true (ts_connection_set_from_text (connection, "trace-clock-hz", "240000000", NULL));
  g_assert_cmpint (ts_connection_get_int (connection, "trace-clock-hz"), ==, 240000000);
}

static void
test_load (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (load (
      connection,
      "{\"transport\": \"stlink-rambuf\", \"target-device\": \"STM32G474RE\", \"interface\": "
      "\"SWD\","
      " \"speed-khz\": 24000, \"cpu-clock-hz\": 170000000, \"rambuf-scan-start\": \"0x20000000\","
      " \"rambuf-scan-size\": 131072, \"rambuf-address\": 536870912, \"no-reset\": true, "
      "\"comment\": \"bench 3\","
      " \"hardware-trace\": {\"itm\": {\"ports\": 3, \"timestamps\": 4}, \"dwt\": {\"enable\": "
      "true,"
      " \"counters\": [\"cpi\", \"exc\"], \"watch\": [{\"addr\": \"0x20000010\", \"size\": 4,"
      " \"function\": \"data-w\", \"pc\": true, \"name\": \"speed\"}, \"0x20000020:2\"]},"
      " \"trace-port\": {\"swo-hz\": 2000000, \"protocol\": \"nrz\"}}}",
      FALSE, &error));
  g_assert_no_error (error);
  g_assert_true (ts_connection_validate (connection, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_transport (connection), ==, "stlink-rambuf");
  g_assert_cmpint (ts_connection_get_int (connection, "rambuf-address"), ==, 0x20000000);
  g_assert_cmpint (ts_connection_get_int (connection, "rambuf-scan-start"), ==, 0x20000000);
  g_assert_true (ts_connection_get_bool (connection, "no-reset"));
  g_assert_null (ts_connection_get_warnings (connection)[0]);
  g_assert_true (ts_connection_set_from_text (connection, "transport", "jlink-rtt", &error));
  if (!ts_probe_is_built ("jlink"))
    {
      g_assert_null (ts_source_new (connection, &error));
      g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT);
      g_assert_nonnull (strstr (error->message, "needs a probe"));
    }
  g_assert_true (ts_connection_set_from_text (connection, "transport", "stlink-rambuf", NULL));

  /* a loading that fails changes nothing; one that works replaces everything */
  g_clear_error (&error);
  g_assert_false (load (connection, "{\"transport\": \"udp\", \"udp-port\": 0}", FALSE, &error));
  g_assert_cmpstr (ts_connection_get_transport (connection), ==, "stlink-rambuf");
  g_assert_true (
      load (connection, "\xEF\xBB\xBF{\"transport\": \"udp\", \"udp-port\": 5005.0}", FALSE, NULL));
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 5005);
  g_assert_false (ts_connection_has (connection, "speed-khz"));
}

static void
test_refusals (void)
{
  REFUSED ("{\"transport\": \"udp\", \"udp-prot\": 1}", "test.vacf", "udp-prot", "udp-port");
  REFUSED ("{\"transport\": \"serial\", \"serial_port\": \"COM7\"}", "serial_port", "serial-port");
  REFUSED ("{\"transport\": \"udp\", \"itmport\": 1}", "itmport", "itm-port");
  REFUSED ("{\"transport\": \"upd\"}", "upd", "“udp”", "stlink-swo", "serial", "demo");
  REFUSED ("{\"udp-port\": 17200}", "transport", "udp", "jlink-rtt");
  REFUSED ("{\"transport\": 5}", "transport", "string", "whole number");
  REFUSED ("{\"transport\": \"udp\", \"udp-port\": \"17200\"}", "udp-port", "whole number",
           "a string");
  REFUSED ("{\"transport\": \"udp\", \"udp-port\": 0}", "udp-port", "65535", "not 0");
  REFUSED ("{\"transport\": \"udp\", \"udp-port\": 65536}", "udp-port", "65535", "65536");
  REFUSED ("{\"transport\": \"udp\", \"udp-port\": 1.5}", "udp-port", "fraction");
  REFUSED ("{\"transport\": \"udp\", \"udp-port\": null}", "udp-port", "null");
  REFUSED ("{\"transport\": \"udp\", \"cobs\": \"yes\"}", "cobs", "true or false");
  REFUSED ("{\"transport\": \"udp\", \"cobs\": 1}", "cobs", "true or false");
  REFUSED ("{\"transport\": \"udp\", \"itm-port\": 32}", "itm-port", "31");
  REFUSED ("{\"transport\": \"udp\", \"baud\": 0}", "baud", "not 0");
  REFUSED ("{\"transport\": \"udp\", \"rtt-address\": \"here\"}", "rtt-address", "0x20000000");
  REFUSED ("{\"transport\": \"udp\", \"rtt-address\": \"0x123456789\"}", "rtt-address",
           "0xFFFFFFFF");
  REFUSED ("{\"transport\": \"udp\", \"rtt-address\": -1}", "rtt-address");
  REFUSED ("{\"transport\": \"serial\"}", "serial", "serial-port");
  REFUSED ("{\"transport\": \"serial\", \"serial-port\": \"\"}", "serial-port", "empty");
  REFUSED ("{\"transport\": \"tcp\", \"tcp-host\": \"localhost\"}", "tcp-port");
  REFUSED ("{\"transport\": \"tcp\", \"tcp-port\": 9091}", "tcp-host");
  REFUSED ("{\"transport\": \"file\"}", "file-path");
  REFUSED ("{\"transport\": \"file\", \"file-path\": \"a\", \"file-pace\": \"record\"}",
           "file-pace", "recorded");
  REFUSED ("{\"transport\": \"file\", \"file-path\": \"a\", \"file-format\": \"va-cbos\"}",
           "file-format", "va-cobs");
  REFUSED ("{\"transport\": \"stlink-swo\"}", "stlink-swo", "cpu-clock-hz");
  REFUSED ("{\"transport\": \"udp\", \"hardware-trace\": []}", "hardware-trace", "object");
  REFUSED ("{\"transport\": \"udp\", \"hardware-trace\": {\"itm\": {\"timestamps\": 3}}}",
           "timestamps", "16");
  REFUSED ("{\"transport\": \"udp\", \"hardware-trace\": {\"dwt\": {\"watch\": "
           "[\"0x0\",\"0x4\",\"0x8\",\"0xc\",\"0x10\"]}}}",
           "watch", "four");
  REFUSED ("{\"transport\": \"udp\", \"hardware-trace\": {\"dwt\": {\"counters\": [\"cycles\"]}}}",
           "counters", "cyc");

  REFUSED ("", "test.vacf");
  REFUSED ("[]", "test.vacf", "object");
  REFUSED ("{", "test.vacf", "JSON");
  REFUSED ("{\"transport\": \"udp\",}x", "test.vacf");
  REFUSED ("\"udp\"", "object");
  REFUSED ("\xff\xfe{}", "UTF-8");
}

static void
test_hostile (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *deep = NULL;
  g_autofree char *large = NULL;
  g_autofree char *strings = NULL;

  /* nesting that would exhaust the stack of a parser that recurses */
  deep = g_strnfill (200000, '[');
  g_assert_false (load (connection, deep, FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);

  g_assert_false (load (connection, "{\"comment\": \"x\", \"jlink\": [[[[[[[[[[[[1]]]]]]]]]]]]}",
                        FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_nonnull (strstr (error->message, "nested"));
  g_clear_error (&error);

  large = g_strnfill (300 * 1024, ' ');
  g_assert_false (load (connection, large, FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_nonnull (strstr (error->message, "256"));
  g_clear_error (&error);

  strings = g_strnfill (100000, 'a');
  deep = (g_free (deep), g_strdup_printf ("{\"%s\": 1}", strings));
  g_assert_false (load (connection, deep, FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_cmpuint (strlen (error->message), <, 300);
}

static void
test_mutations (void)
{
  static const char good[]
      = "{\"transport\": \"udp\", \"udp-port\": 17200, \"cobs\": true, \"rtt-address\": "
        "\"0x20000000\","
        " \"hardware-trace\": {\"dwt\": {\"watch\": [\"0x20000020:2\"]}}, \"comment\": \"é\"}";

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (TsConnection) connection = ts_connection_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strdup (good);
      gsize length = strlen (text);

      for (gint n = g_test_rand_int_range (1, 4); n > 0; n--)
        text[g_test_rand_int_range (0, (gint32) length)] = (char) g_test_rand_int_range (1, 256);
      if (i % 3 == 0)
        length = (gsize) g_test_rand_int_range (0, (gint32) length);

      if (ts_connection_load_data (connection, text, (gssize) length, "mutation", FALSE, &error))
        {
          g_assert_no_error (error);
          ts_connection_get_int (connection, "udp-port");
          ts_connection_get_string (connection, "comment");
        }
      else
        g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
    }
}

static void
test_lenient (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  const char *const *warnings;

  g_assert_true (load (connection,
                       "{\"transport\": \"udp\", \"udp-prot\": 1, \"jlink\": \"/opt\", "
                       "\"$schema\": \"x\", \"_comment\": 3}",
                       TRUE, &error));
  g_assert_no_error (error);
  warnings = ts_connection_get_warnings (connection);
  g_assert_cmpuint (g_strv_length ((char **) warnings), ==, 2);
  g_assert_nonnull (strstr (warnings[0], "udp-prot"));
  g_assert_nonnull (strstr (warnings[0], "udp-port"));
  g_assert_nonnull (strstr (warnings[1], "jlink"));
  g_assert_nonnull (strstr (warnings[1], "no effect"));

  /* keys of older programs are no error anywhere */
  g_assert_true (load (
      connection, "{\"transport\": \"udp\", \"rtt-port\": 19021, \"target-init\": {\"a\": [1]}}",
      FALSE, &error));
  g_assert_cmpuint (g_strv_length ((char **) ts_connection_get_warnings (connection)), ==, 2);
  g_assert_true (load (
      connection, "{\"transport\": \"udp\", \"hardware-trace\": {\"dwt\": {\"new-thing\": 1}}}",
      FALSE, &error));
  g_assert_cmpuint (g_strv_length ((char **) ts_connection_get_warnings (connection)), ==, 1);
}

static void
test_set_from_text (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) json = NULL;

  g_assert_true (load (connection,
                       "{\"transport\": \"serial\", \"serial-port\": \"COM7\", \"baud\": 250000}",
                       FALSE, NULL));
  g_assert_true (ts_connection_set_from_text (connection, "transport", "udp", &error));
  g_assert_true (ts_connection_set_from_text (connection, "udp-port", "0x4330", &error));
  g_assert_true (ts_connection_set_from_text (connection, "cobs", "false", &error));
  g_assert_true (ts_connection_set_from_text (connection, "no-reset", "", &error));
  g_assert_true (ts_connection_set_from_text (connection, "rtt-address", "536881388", &error));
  g_assert_true (ts_connection_set_from_text (connection, "hardware-trace",
                                              "{\"itm\": {\"ports\": 1}}", &error));
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_transport (connection), ==, "udp");
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 17200);
  g_assert_cmpint (ts_connection_get_int (connection, "baud"), ==, 250000);
  g_assert_false (ts_connection_get_bool (connection, "cobs"));
  g_assert_true (ts_connection_get_bool (connection, "no-reset"));
  g_assert_cmpint (ts_connection_get_int (connection, "rtt-address"), ==, 0x200028ec);

  json = ts_connection_to_json (connection);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (json), "rtt-address"), ==,
                   "0x200028ec");
  /* what was given out is nobody else's */
  json_object_remove_member (json_node_get_object (json), "udp-port");
  g_assert_true (ts_connection_has (connection, "udp-port"));

  g_assert_false (ts_connection_set_from_text (connection, "udp-port", "many", &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);
  g_assert_false (ts_connection_set_from_text (connection, "udp-prot", "1", &error));
  g_assert_nonnull (strstr (error->message, "udp-port"));
  g_clear_error (&error);
  g_assert_false (ts_connection_set_from_text (connection, "cobs", "maybe", &error));
  g_clear_error (&error);
  g_assert_false (
      ts_connection_set_from_text (connection, "hardware-trace", "@/nonexistent", &error));
  g_clear_error (&error);
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 17200);

  ts_connection_unset (connection, "udp-port");
  ts_connection_unset (connection, "udp-port");
  g_assert_false (ts_connection_has (connection, "udp-port"));
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 17200);
}

static void
test_save (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-connection-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "bench.vacf", NULL);
  g_autofree char *missing = g_build_filename (folder, "none", "x.vacf", NULL);
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (TsConnection) again = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_autoptr (GList) members = NULL;
  JsonObject *object;

  g_assert_true (load (connection,
                       "{\"comment\": \"mine\", \"transport\": \"udp\", \"rtt-port\": 19021, "
                       "\"odd\": [1, {\"a\": null}],"
                       " \"rtt-address\": \"0X20000010\", \"udp-port\": 5005}",
                       TRUE, NULL));
  g_assert_true (ts_connection_set_from_text (connection, "udp-port", "17201", NULL));
  g_assert_true (ts_connection_save_file (connection, path, &error));
  g_assert_no_error (error);

  g_assert_false (ts_connection_load_file (again, path, FALSE, &error));
  g_assert_nonnull (strstr (error->message, "odd"));
  g_assert_nonnull (strstr (error->message, "bench.vacf"));
  g_clear_error (&error);
  g_assert_true (ts_connection_load_file (again, path, TRUE, &error));
  json = ts_connection_to_json (again);
  object = json_node_get_object (json);
  members = json_object_get_members (object);
  g_assert_cmpuint (g_list_length (members), ==, 6);
  g_assert_cmpstr (members->data, ==, "comment");
  g_assert_cmpstr (members->next->data, ==, "transport");
  g_assert_cmpint (json_object_get_int_member (object, "udp-port"), ==, 17201);
  g_assert_cmpint (json_object_get_int_member (object, "rtt-port"), ==, 19021);
  g_assert_cmpstr (json_object_get_string_member (object, "rtt-address"), ==, "0X20000010");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "odd")), ==, 2);

  g_assert_false (ts_connection_save_file (connection, missing, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE);
  g_clear_error (&error);
  g_assert_false (ts_connection_load_file (again, missing, FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);
  g_assert_false (ts_connection_load_file (again, folder, FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);

  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/capture/connection/keys", test_keys);
  g_test_add_func ("/capture/connection/defaults", test_defaults);
  g_test_add_func ("/capture/connection/load", test_load);
  g_test_add_func ("/capture/connection/refusals", test_refusals);
  g_test_add_func ("/capture/connection/hostile", test_hostile);
  g_test_add_func ("/capture/connection/mutations", test_mutations);
  g_test_add_func ("/capture/connection/lenient", test_lenient);
  g_test_add_func ("/capture/connection/set-from-text", test_set_from_text);
  g_test_add_func ("/capture/connection/save", test_save);

  return g_test_run ();
}
