/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-capture-panel.c: probes, firmware files, trigger, and testing a connection, in the panel. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "capture/ts-probe.h"

#include "ui/ts-capture-panel.h"
#include "ui/ts-connection-form.h"
#include "ui/ts-connection-tester.h"
#include "ui/ts-firmware-row.h"
#include "ui/ts-probe-list-view.h"
#include "ui/ts-trigger-row.h"

#include "window-fixture.h"

typedef struct
{
  GtkWindow *window;
  TsCapturePanel *panel;
  TsConnectionForm *form;
  TsTriggerRow *trigger;
  TsConnectionTester *tester;
  TsProbeListView *probes;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  GtkWidget *panel = ts_capture_panel_new ();

  fixture->window = gui_test_show (panel, 300, 760);
  fixture->panel = TS_CAPTURE_PANEL (panel);
  fixture->form = TS_CONNECTION_FORM (gui_test_find (panel, TS_TYPE_CONNECTION_FORM));
  fixture->trigger = TS_TRIGGER_ROW (gui_test_find (panel, TS_TYPE_TRIGGER_ROW));
  fixture->tester = TS_CONNECTION_TESTER (gui_test_find (panel, TS_TYPE_CONNECTION_TESTER));
  fixture->probes = TS_PROBE_LIST_VIEW (gui_test_find (panel, TS_TYPE_PROBE_LIST_VIEW));
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  gtk_window_destroy (fixture->window);
}

/* Whether a label that is seen holds @text. */
static gboolean
shows (GtkWidget *widget,
       const char *text)
{
  GtkWidget *child;

  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL)
    return TRUE;
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (shows (child, text))
      return TRUE;
  return FALSE;
}

static void
set_entry (TsTriggerRow *row,
           const char *key,
           const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (ts_trigger_row_get_row (row, key)), text);
}

/* ---- trigger ---- */

static void
test_trigger (Fixture *fixture,
              gconstpointer data)
{
  AdwExpanderRow *row = ADW_EXPANDER_ROW (fixture->trigger);
  GtkWidget *condition = ts_trigger_row_get_row (fixture->trigger, "trigger");
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (TsConnection) loaded = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  /* without: nothing in the connection */
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_false (ts_connection_has (connection, "trigger"));
  g_clear_object (&connection);

  /* switched on without a condition: said, with what to do */
  adw_expander_row_set_enable_expansion (row, TRUE);
  adw_expander_row_set_expanded (row, TRUE);
  g_assert_null (ts_capture_panel_dup_connection (fixture->panel, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_nonnull (strstr (error->message, "condition"));
  g_clear_error (&error);

  /* wrong: shown while it is typed, with the place */
  set_entry (fixture->trigger, "trigger", "lane:Ctrl vlaue>3");
  gui_test_iterate (50);
  g_assert_true (gtk_widget_has_css_class (condition, "error"));
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "character 11"));
  g_assert_null (ts_capture_panel_dup_connection (fixture->panel, &error));
  g_assert_nonnull (strstr (error->message, "character 11"));
  g_clear_error (&error);

  set_entry (fixture->trigger, "trigger", "lane:Ctrl value>3");
  set_entry (fixture->trigger, "trigger-before-ms", "250");
  adw_combo_row_set_selected (
      ADW_COMBO_ROW (ts_trigger_row_get_row (fixture->trigger, "trigger-action")), 1);
  gui_test_iterate (50);
  g_assert_false (gtk_widget_has_css_class (condition, "error"));
  g_assert_false (shows (GTK_WIDGET (fixture->panel), "character"));
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_string (connection, "trigger"), ==, "lane:Ctrl value>3");
  g_assert_cmpint (ts_connection_get_int (connection, "trigger-before-ms"), ==, 250);
  g_assert_false (ts_connection_has (connection, "trigger-after-ms"));
  g_assert_cmpstr (ts_connection_get_string (connection, "trigger-action"), ==, "rearm");

  /* and back from a file */
  ts_connection_load_data (loaded,
                           "{\"transport\": \"udp\", \"trigger\": \"loss\", "
                           "\"trigger-after-ms\": 77, \"trigger-action\": \"mark\"}",
                           -1, "test", FALSE, &error);
  g_assert_no_error (error);
  ts_capture_panel_set_connection (fixture->panel, loaded, "x.vacf");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (condition)), ==, "loss");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (
                       ts_trigger_row_get_row (fixture->trigger, "trigger-after-ms"))),
                   ==, "77");
  g_clear_object (&connection);
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_string (connection, "trigger-action"), ==, "mark");
  g_assert_cmpint (ts_connection_get_int (connection, "trigger-after-ms"), ==, 77);
}

/* What was chosen stays, over whatever transport it is waited for. */
static void
test_trigger_everywhere (Fixture *fixture,
                         gconstpointer data)
{
  static const char *const transports[]
      = { "stlink-rambuf", "stlink-rtt",       "stlink-swo",    "jlink-rambuf",  "jlink-rtt", "jlink-swo",
          "udp",           "cmsis-dap-rambuf", "cmsis-dap-rtt", "cmsis-dap-swo", "tcp",       "swo-tcp",
          "serial",        "file",             "demo" };

  for (guint i = 0; i < G_N_ELEMENTS (transports); i++)
    for (guint action = 0; action < 3; action++)
      {
        static const char *const actions[] = { "stop", "rearm", "mark" };
        g_autofree char *text = g_strdup_printf (
            "{\"transport\": \"%s\", \"trigger\": \"lane:Ctrl dur>5ms or loss\", \"trigger-before-ms\": 300, "
            "\"trigger-action\": \"%s\", \"tcp-host\": \"h\", \"tcp-port\": 1, \"swo-tcp-port\": 2, "
            "\"serial-port\": \"s\", \"file-path\": \"f\", \"cpu-clock-hz\": 1000000}",
            transports[i], actions[action]);
        g_autoptr (TsConnection) loaded = ts_connection_new ();
        g_autoptr (TsConnection) connection = NULL;
        g_autoptr (GError) error = NULL;

        if (!ts_connection_transport_is_built (transports[i]))
          continue;
        ts_connection_load_data (loaded, text, -1, "test", FALSE, &error);
        g_assert_no_error (error);
        ts_capture_panel_set_connection (fixture->panel, loaded, "x.vacf");
        g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->trigger)));
        g_assert_true (gtk_widget_get_sensitive (GTK_WIDGET (fixture->trigger)));
        connection = ts_capture_panel_dup_connection (fixture->panel, &error);
        g_assert_no_error (error);
        g_assert_cmpstr (ts_connection_get_transport (connection), ==, transports[i]);
        g_assert_cmpstr (ts_connection_get_string (connection, "trigger"), ==, "lane:Ctrl dur>5ms or loss");
        g_assert_cmpstr (ts_connection_get_string (connection, "trigger-action"), ==, actions[action]);
        g_assert_cmpint (ts_connection_get_int (connection, "trigger-before-ms"), ==, 300);
      }
}

/* ---- probes ---- */

static TsProbeInfo *
new_probe (const char *type,
           const char *serial,
           const char *description,
           const char *problem)
{
  TsProbeInfo *info = g_new0 (TsProbeInfo, 1);

  info->type = g_strdup (type);
  info->serial = g_strdup (serial);
  info->description = g_strdup (description);
  info->problem = g_strdup (problem);
  return info;
}

static GtkWidget *
find_row (GtkWidget *root,
          const char *title)
{
  GtkWidget *child;

  if (ADW_IS_PREFERENCES_ROW (root) &&
      g_strcmp0 (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (root)), title) == 0)
    return root;
  for (child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_probes (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (GPtrArray) probes
      = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_probe_info_free);
  GtkWidget *row;

  if (!ts_connection_transport_is_built ("stlink-rambuf"))
    {
      g_test_skip ("built without libusb");
      return;
    }
  /* the real list of this machine first, so that it does not come later */
  g_ptr_array_add (probes, new_probe ("stlink", "066AFF", "ST-LINK/V2-1", NULL));
  g_ptr_array_add (probes, new_probe ("stlink", "0042", "ST-LINK/V3",
                                      "No permission to open it: install the udev rule."));
  g_ptr_array_add (probes, new_probe ("other", "9", "Some & probe", NULL));
  gui_test_iterate (400);
  ts_probe_list_view_set_probes (fixture->probes, probes);
  gui_test_iterate (50);
  g_assert_cmpuint (ts_probe_list_view_get_n_probes (fixture->probes), ==, 3);
  g_assert_true (shows (GTK_WIDGET (fixture->probes), "066AFF"));
  g_assert_true (shows (GTK_WIDGET (fixture->probes), "RAM buffer"));
  g_assert_true (shows (GTK_WIDGET (fixture->probes), "udev rule"));
  g_assert_true (shows (GTK_WIDGET (fixture->probes), "cannot use it"));

  /* what a test found behind a probe is shown with it; behind one of several it has to be known which */
  {
    g_autoptr (TsConnection) tested = ts_connection_new ();

    ts_connection_load_data (tested, "{\"transport\": \"stlink-rambuf\", \"stlink-serial\": \"066AFF\"}", -1, "test",
                             FALSE, NULL);
    g_signal_emit_by_name (fixture->tester, "target", tested, "Cortex-M4 (STM32F446), running");
    gui_test_iterate (50);
    g_assert_true (shows (find_row (GTK_WIDGET (fixture->probes), "ST-LINK/V2-1"), "Cortex-M4 (STM32F446)"));
    g_assert_false (shows (find_row (GTK_WIDGET (fixture->probes), "ST-LINK/V3"), "Cortex-M4"));
    ts_connection_load_data (tested, "{\"transport\": \"stlink-rambuf\"}", -1, "test", FALSE, NULL);
    g_assert_null (ts_connection_get_string (tested, "stlink-serial"));
    ts_probe_list_view_set_target (fixture->probes, tested, "of whom?");
    g_assert_false (shows (GTK_WIDGET (fixture->probes), "of whom?"));
  }

  /* what cannot be used cannot be chosen */
  row = find_row (GTK_WIDGET (fixture->probes), "ST-LINK/V3");
  g_assert_false (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  row = find_row (GTK_WIDGET (fixture->probes), "ST-LINK/V2-1");
  g_assert_true (gtk_list_box_row_get_activatable (GTK_LIST_BOX_ROW (row)));
  g_signal_emit_by_name (row, "activated");
  g_assert_true (
      g_str_has_prefix (ts_connection_form_get_transport (fixture->form), "stlink-"));
  row = ts_connection_form_get_row (fixture->form, "stlink-serial");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "066AFF");

  /* none: said to who wants one, and to nobody else */
  g_ptr_array_set_size (probes, 0);
  ts_probe_list_view_set_probes (fixture->probes, probes);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->probes)));
  ts_connection_form_set_transport (fixture->form, "udp");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (fixture->probes)));
}

/* “Reset target” says the opposite of the key “no-reset”. */
static void
test_reset (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsConnection) loaded = ts_connection_new ();
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (GError) error = NULL;
  GtkWidget *row;
  GtkSwitch *toggle;

  ts_connection_load_data (loaded, "{\"transport\": \"stlink-rambuf\", \"no-reset\": true}", -1,
                           "test", FALSE, &error);
  g_assert_no_error (error);
  ts_capture_panel_set_connection (fixture->panel, loaded, NULL);
  row = ts_connection_form_get_row (fixture->form, "no-reset");
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "Reset target");
  toggle = GTK_SWITCH (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row)));
  g_assert_false (gtk_switch_get_active (toggle));
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_true (ts_connection_get_bool (connection, "no-reset"));
  gtk_switch_set_active (toggle, TRUE);
  g_clear_object (&connection);
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_false (ts_connection_get_bool (connection, "no-reset"));
}

/* ---- firmware ---- */

static void
put (GByteArray *file,
     guint value,
     guint width)
{
  for (guint i = 0; i < width; i++)
    {
      guint8 byte = (guint8) (value >> (8 * i));

      g_byte_array_append (file, &byte, 1);
    }
}

static void
put_words (GByteArray *file,
           const guint *words,
           guint n)
{
  for (guint i = 0; i < n; i++)
    put (file, words[i], 4);
}

/* A 32-bit little-endian file of @machine with one symbol in RAM. Source: the ELF specification */
static char *
make_elf (const char *symbol,
          guint address,
          guint machine)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  guint n_names = (guint) strlen (symbol) + 2;
  guint sections_at = 52 + 32 + n_names;
  char *path = g_build_filename (g_get_user_data_dir (), "firmware.elf", NULL);

  g_mkdir_with_parents (g_get_user_data_dir (), 0700);
  g_byte_array_append (file, (const guint8 *) "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0", 16);
  put (file, 2, 2);
  put (file, machine, 2);
  put_words (file, (const guint[]){ 1, 0x08000000, 0, sections_at, 0 }, 5);
  for (guint i = 0; i < 6; i++)
    put (file, ((const guint[]){ 52, 32, 0, 40, 4, 3 })[i], 2);
  put_words (file, (const guint[]){ 0, 0, 0, 0 }, 4);
  put_words (file, (const guint[]){ 1, address, 48, 1 | 1 << 16 }, 4);
  put (file, 0, 1);
  g_byte_array_append (file, (const guint8 *) symbol, n_names - 1);
  put_words (file, (const guint[]){ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 10);
  put_words (file, (const guint[]){ 0, 8, 3, 0x20000000, 52, 0x4000, 0, 0, 4, 0 }, 10);
  put_words (file, (const guint[]){ 0, 2, 0, 0, 52, 32, 3, 0, 4, 16 }, 10);
  put_words (file, (const guint[]){ 0, 3, 0, 0, 84, n_names, 0, 0, 1, 0 }, 10);
  g_assert_true (g_file_set_contents (path, (const char *) file->data, (gssize) file->len, NULL));
  return path;
}

static void
test_firmware (Fixture *fixture,
               gconstpointer data)
{
  g_autofree char *path = make_elf ("_VA_RAMBUF", 0x20000ABC, 40);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *other = NULL;
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (GError) error = NULL;
  GtkWidget *row;
  GtkWidget *variables;

  if (!ts_connection_transport_is_built ("stlink-rambuf"))
    {
      g_test_skip ("built without libusb");
      return;
    }
  ts_capture_panel_load_firmware (fixture->panel, file);
  gui_test_iterate (50);
  g_assert_false (ts_capture_panel_has_problem (fixture->panel));
  g_assert_cmpstr (ts_connection_form_get_transport (fixture->form), ==, "stlink-rambuf");
  row = ts_connection_form_get_row (fixture->form, "rambuf-address");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "0x20000ABC");
  row = ts_connection_form_get_row (fixture->form, "rambuf-scan-size");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "16384");
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "firmware.elf: ring at 0x20000ABC"));

  /* variables beside the capture: known by name, or refused before anything begins */
  variables = ts_firmware_row_get_variables (
      TS_FIRMWARE_ROW (gui_test_find (GTK_WIDGET (fixture->panel), TS_TYPE_FIRMWARE_ROW)));
  gtk_editable_set_text (GTK_EDITABLE (variables), "no_such_variable");
  g_assert_null (ts_capture_panel_dup_connection (fixture->panel, &error));
  g_assert_nonnull (strstr (error->message, "no_such_variable"));
  g_clear_error (&error);
  gtk_editable_set_text (GTK_EDITABLE (variables), "_VA_RAMBUF:u32");
  connection = ts_capture_panel_dup_connection (fixture->panel, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_elf (connection), ==, path);
  g_assert_cmpstr (ts_connection_get_polled_symbols (connection), ==, "_VA_RAMBUF:u32");
  gtk_editable_set_text (GTK_EDITABLE (variables), "");

  /* of another processor, or without what is looked for: said, and nothing is changed by it */
  other = make_elf ("_VA_RAMBUF", 0x20000DEF, 62);
  ts_capture_panel_load_firmware (fixture->panel, file);
  g_assert_true (ts_capture_panel_has_problem (fixture->panel));
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "another kind of processor"));
  row = ts_connection_form_get_row (fixture->form, "rambuf-address");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "0x20000ABC");
  g_free (make_elf ("counter", 0x20000010, 40));
  ts_capture_panel_load_firmware (fixture->panel, file);
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "no recorder"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "");

  /* an RTT block, and where the clock of the core stands */
  g_free (make_elf ("_SEGGER_RTT", 0x20000ACC, 40));
  ts_capture_panel_load_firmware (fixture->panel, file);
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "RTT block at 0x20000ACC"));
  g_assert_cmpstr (ts_connection_form_get_transport (fixture->form), ==, "stlink-rtt");
  row = ts_connection_form_get_row (fixture->form, "rtt-address");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "0x20000ACC");
  g_free (make_elf ("SystemCoreClock", 0x20000004, 40));
  ts_capture_panel_load_firmware (fixture->panel, file);
  g_assert_true (shows (GTK_WIDGET (fixture->panel), "core clock in SystemCoreClock"));
  g_unlink (path);
}

/* ---- testing a connection ---- */

static gboolean
has_ended (gpointer tester)
{
  return !ts_connection_tester_is_running (tester);
}

static void
test_tester (Fixture *fixture,
             gconstpointer data)
{
  TsChecklist *list = ts_connection_tester_get_checklist (fixture->tester);
  g_autoptr (TsConnection) udp = ts_connection_new ();
  GtkWidget *button = gui_test_find (GTK_WIDGET (fixture->tester), GTK_TYPE_BUTTON);
  g_autoptr (GError) error = NULL;

  /* the demo target answers */
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (ts_connection_tester_is_running (fixture->tester));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Cancel the Test");
  gui_test_wait (has_ended, fixture->tester);
  g_assert_cmpuint (ts_checklist_get_n_steps (list), ==, 2);
  g_assert_cmpint (ts_checklist_get_state (list, 0), ==, TS_CHECK_DONE);
  g_assert_cmpint (ts_checklist_get_state (list, 1), ==, TS_CHECK_DONE);
  g_assert_nonnull (strstr (ts_checklist_get_text (list, 1), "understood"));

  /* a port on which nothing comes: cancelled, and nothing is left of it */
  ts_connection_load_data (
      udp, "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": 17999}", -1, "test",
      FALSE, &error);
  g_assert_no_error (error);
  ts_capture_panel_set_connection (fixture->panel, udp, NULL);
  g_assert_cmpuint (ts_checklist_get_n_steps (list), ==, 0);
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (ts_connection_tester_is_running (fixture->tester));
  g_signal_emit_by_name (button, "clicked");
  gui_test_wait (has_ended, fixture->tester);
  g_assert_cmpuint (ts_checklist_get_n_steps (list), ==, 0);

  /* what cannot be tried is a problem of the form */
  ts_connection_form_set_transport (fixture->form, "tcp");
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (ts_connection_tester_is_running (fixture->tester));
  g_assert_true (ts_capture_panel_has_problem (fixture->panel));

  /* one that still runs when the panel goes is of no harm */
  ts_capture_panel_set_connection (fixture->panel, udp, NULL);
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (ts_connection_tester_is_running (fixture->tester));
}

/* ---- in the window ---- */

static gboolean
says_waiting (gpointer window)
{
  GtkWidget *panel = gui_test_find (window, TS_TYPE_CAPTURE_PANEL);

  return strstr (ts_capture_panel_get_trigger (TS_CAPTURE_PANEL (panel)), "Waiting") != NULL;
}

static gboolean
has_closed_recording (gpointer window)
{
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (window));

  return recording != NULL && !ts_recording_is_live (recording);
}

/* The file is opened a little later than the live recording ends. */
static gboolean
shows_trigger (gpointer window)
{
  return has_closed_recording (window) && ts_view_state_get_cursor (ts_window_get_view (window)) >= 0;
}

/* Waits, fires, stops; the recording opens at the event that was waited for. */
static void
test_triggered_capture (void)
{
  TsWindow *window = window_fixture_new ();
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *ticks = NULL;
  TsViewState *view = ts_window_get_view (window);

  ts_connection_load_data (connection,
                           "{\"transport\": \"demo\", \"trigger\": \"lane:nobody silent>700ms\", "
                           "\"trigger-before-ms\": 200, \"trigger-after-ms\": 100}",
                           -1, "test", FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (ts_window_start (window, connection));
  gui_test_wait (says_waiting, window);
  g_assert_null (ts_view_state_get_recording (view));
  gui_test_wait (shows_trigger, window);
  ticks = ts_recording_dup_meta (ts_view_state_get_recording (view), "ts_trigger_ticks");
  g_assert_nonnull (ticks);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, g_ascii_strtoll (ticks, NULL, 10));
  g_assert_false (ts_window_is_capturing (window));
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
shows_error (gpointer window)
{
  GtkWidget *revealer = gui_test_find (window, GTK_TYPE_REVEALER);

  return gtk_revealer_get_reveal_child (GTK_REVEALER (revealer));
}

/* A memory image with a ring in it becomes a recording; one without says so. */
static void
test_image (void)
{
  TsWindow *window = window_fixture_new ();
  g_autofree char *packets = gui_test_data ("m4_short.raw");
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "image.bin", NULL);
  g_autofree char *stream = NULL;
  g_autoptr (GByteArray) image = g_byte_array_new ();
  gsize n = 0;

  g_assert_true (g_file_get_contents (packets, &stream, &n, NULL));
  /* viewalyzer-wire.md section 12: control block, then the ring it points to */
  g_byte_array_append (image, (const guint8 *) "ViewAlyzerRB01\0\0", 16);
  put_words (image,
             (const guint[]){ 0x20000100, (guint) n + 1, (guint) n, 0, 0, 0, 25000000,
                              0x01020401 },
             8);
  g_byte_array_set_size (image, 0x100);
  g_byte_array_append (image, (const guint8 *) stream, (guint) n);
  g_byte_array_set_size (image, 0x100 + (guint) n + 16);
  g_assert_true (
      g_file_set_contents (path, (const char *) image->data, (gssize) image->len, NULL));
  ts_window_take_image (window, path, 0x20000000);
  gui_test_wait (has_closed_recording, window);
  /* m4_short.expected.json: 9896 packets, 136 of them set-up */
  g_assert_cmpuint (ts_recording_get_n_events (
                        ts_view_state_get_recording (ts_window_get_view (window))),
                    ==, 9760);
  gtk_window_destroy (GTK_WINDOW (window));

  window = window_fixture_new ();
  g_assert_true (g_file_set_contents (path, "nothing", -1, NULL));
  ts_window_take_image (window, path, 0x20000000);
  gui_test_wait (shows_error, window);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --demo together with --connection: the settings of the file count. */
static void
test_loaded_demo (void)
{
  TsWindow *window = window_fixture_new ();
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "demo.vacf", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_true (g_file_set_contents (
      path, "{\"transport\": \"demo\", \"demo-rate\": 4321}", -1, NULL));
  g_assert_true (ts_window_load_connection (window, file));
  ts_window_start_loaded_demo (window);
  g_assert_true (ts_window_is_capturing (window));
  gui_test_iterate (300);
  g_assert_true (shows (gui_test_find (GTK_WIDGET (window), TS_TYPE_CAPTURE_PANEL), "4321"));
  ts_window_stop (window);
  gui_test_wait (has_closed_recording, window);
  gtk_window_destroy (GTK_WINDOW (window));

  /* of another transport it is refused, and a bad file is told */
  window = window_fixture_new ();
  g_assert_true (g_file_set_contents (path, "{\"transport\": \"udp\"}", -1, NULL));
  g_assert_true (ts_window_load_connection (window, file));
  ts_window_start_loaded_demo (window);
  g_assert_false (ts_window_is_capturing (window));
  g_assert_true (shows_error (window));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Of several bad files each is told, and none twice. */
static void
test_errors (void)
{
  TsWindow *window = window_fixture_new ();

  ts_window_show_error (window, "The first file is bad.");
  ts_window_show_error (window, "The second file is bad.");
  ts_window_show_error (window, "The second file is bad.");
  gui_test_iterate (100);
  g_assert_true (
      shows (GTK_WIDGET (window), "The first file is bad.\nThe second file is bad."));
  g_assert_false (
      shows (GTK_WIDGET (window), "The second file is bad.\nThe second file is bad."));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-error", NULL);
  ts_window_show_error (window, "The third file is bad.");
  gui_test_iterate (100);
  g_assert_false (shows (GTK_WIDGET (window), "The first file is bad."));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
#define ADD(name, function)                                                                        \
  g_test_add ("/gui/capture-panel/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("trigger", test_trigger);
  ADD ("trigger-everywhere", test_trigger_everywhere);
  ADD ("probes", test_probes);
  ADD ("reset", test_reset);
  ADD ("firmware", test_firmware);
  ADD ("tester", test_tester);
  g_test_add_func ("/gui/capture-panel/triggered-capture", test_triggered_capture);
  g_test_add_func ("/gui/capture-panel/image", test_image);
  g_test_add_func ("/gui/capture-panel/loaded-demo", test_loaded_demo);
  g_test_add_func ("/gui/capture-panel/errors", test_errors);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
