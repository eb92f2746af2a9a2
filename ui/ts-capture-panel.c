/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "capture/ts-connection-test.h"
#include "capture/ts-firmware.h"
#include "capture/ts-probe.h"

#include "ui/ts-capture-figures.h"
#include "ui/ts-capture-panel.h"
#include "ui/ts-checklist.h"
#include "ui/ts-connection-form.h"
#include "ui/ts-connection-tester.h"
#include "ui/ts-firmware-row.h"
#include "ui/ts-form-firmware.h"
#include "ui/ts-numbers.h"
#include "ui/ts-probe-list-view.h"
#include "ui/ts-settings.h"
#include "ui/ts-trigger-row.h"

/* Figures for people: faster than this nobody reads. */
#define UPDATE_INTERVAL_MS 100
/* After this time without an event it is said what may be wrong. */
#define PATIENCE_US (3 * G_USEC_PER_SEC)

enum
{
  STEP_CONNECTED,
  STEP_BYTES,
  STEP_EVENTS,
  STEP_CLOCK,
  STEP_NAMES,
};

/**
 * TsCapturePanel:
 * @was_connected: the source of this capture was open at some time
 * @first_bytes_us: how long after the start the first bytes were seen, -1 not yet
 */
struct _TsCapturePanel
{
  GtkWidget parent_instance;

  GtkLabel *name_label;
  GtkWidget *problem_box;
  GtkLabel *problem_label;
  GtkWidget *rule_button;
  GtkWidget *setup_box;
  TsConnectionForm *form;
  AdwActionRow *folder_row;
  GtkSwitch *ring_switch;
  GtkSwitch *raw_switch;
  GtkButton *record_button;
  GtkWidget *session_box;
  TsChecklist *checklist;
  GtkLabel *live_title;
  TsCaptureFigures *figures;
  TsProbeListView *probe_list;
  TsTriggerRow *trigger_row;
  TsConnectionTester *tester;
  TsFirmwareRow *firmware_row;

  GSettings *settings;
  char *folder;
  TsCaptureSession *session;
  GSignalGroup *session_signals;
  TsRecording *recording;
  gboolean was_connected;
  gint64 first_bytes_us;
  guint update_id;
};

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsCapturePanel, ts_capture_panel, GTK_TYPE_WIDGET)

static void
report (TsCapturePanel *self,
        const GError *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error->message);
}

/* --- what goes on ----------------------------------------------------------------------------- */

static gboolean
is_active (TsCaptureState state)
{
  return state == TS_CAPTURE_CONNECTING || state == TS_CAPTURE_CAPTURING ||
         state == TS_CAPTURE_STOPPING;
}

static guint
count_names (TsRecording *recording,
             guint *n_isrs)
{
  guint n = recording != NULL ? ts_recording_get_n_objects (recording) : 0;
  guint n_tasks = 0;
  guint id;

  *n_isrs = 0;
  for (id = 1; id <= n; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object == NULL || !object->is_named)
        continue;
      if (object->type == TS_OBJECT_TASK || object->type == TS_OBJECT_THREAD)
        n_tasks++;
      else if (object->type == TS_OBJECT_ISR || object->type == TS_OBJECT_EXCEPTION)
        (*n_isrs)++;
    }
  return n_tasks;
}

/* Why a step is waited for so long, in place of its name; NULL: it is not long yet. */
static char *
dup_reason (TsCapturePanel *self,
            const TsCaptureStats *stats)
{
  const char *transport = ts_connection_form_get_transport (self->form);
  const char *message = ts_capture_session_get_message (self->session);

  if (ts_capture_session_get_state (self->session) != TS_CAPTURE_CAPTURING ||
      stats->events > 0 || stats->elapsed_us < PATIENCE_US)
    return NULL;
  /* who has a probe can look at the target, and says what it does */
  if (stats->bytes == 0 && message != NULL && ts_probe_type_of_transport (transport) != NULL)
    return g_strdup (message);
  return ts_connection_explain_waiting (transport, stats->bytes);
}

/* A step is done, waited for by a capture that runs, or out of reach of one that ended. */
static void
set_step (TsCapturePanel *self,
          guint step,
          gboolean is_done,
          gboolean is_next,
          const char *text)
{
  TsCaptureState state = ts_capture_session_get_state (self->session);
  TsCheckState check = TS_CHECK_PENDING;

  if (is_done)
    check = TS_CHECK_DONE;
  else if (is_next && state == TS_CAPTURE_FAILED)
    check = TS_CHECK_FAILED;
  else if (is_next && is_active (state))
    check = TS_CHECK_BUSY;
  ts_checklist_set (self->checklist, step, check, text);
}

static void
update_checklist (TsCapturePanel *self,
                  const TsCaptureStats *stats)
{
  TsCaptureState state = ts_capture_session_get_state (self->session);
  g_autofree char *description = ts_capture_session_dup_description (self->session);
  guint64 hz = self->recording != NULL ? ts_recording_get_clock_hz (self->recording) : 0;
  g_autofree char *bytes_text = NULL;
  g_autofree char *events_text = NULL;
  g_autofree char *clock_text = NULL;
  g_autofree char *names_text = NULL;
  g_autofree char *reason = dup_reason (self, stats);
  guint n_isrs;
  guint n_tasks;

  if (state == TS_CAPTURE_CAPTURING || stats->bytes > 0)
    self->was_connected = TRUE;
  if (stats->bytes > 0 && self->first_bytes_us < 0)
    self->first_bytes_us = stats->elapsed_us;
  n_tasks = count_names (self->recording, &n_isrs);
  if (self->first_bytes_us >= 0)
    bytes_text = g_strdup_printf (_ ("First bytes after %" PRId64 " ms"),
                                  self->first_bytes_us / 1000);
  if (stats->events > 0)
    events_text = g_strdup (_ ("Events understood"));
  if (hz > 0)
    {
      g_autofree char *clock = ts_format_hz (hz);

      clock_text = g_strdup_printf (_ ("Clock known: %s"), clock);
    }
  if (n_tasks + n_isrs > 0)
    /* translators: how many names of tasks and interrupts the target has sent */
    names_text = g_strdup_printf (_ ("Names known: %u tasks, %u interrupts"), n_tasks, n_isrs);

  set_step (self, STEP_CONNECTED, self->was_connected, TRUE,
            description != NULL ? description : _ ("Connect"));
  set_step (self, STEP_BYTES, stats->bytes > 0, self->was_connected,
            bytes_text != NULL ? bytes_text
            : reason != NULL   ? reason
                               : _ ("First bytes"));
  set_step (self, STEP_EVENTS, stats->events > 0, stats->bytes > 0,
            events_text != NULL                  ? events_text
            : reason != NULL && stats->bytes > 0 ? reason
                                                 : _ ("First events"));
  set_step (self, STEP_CLOCK, hz > 0, stats->events > 0,
            clock_text != NULL ? clock_text : _ ("Clock of the target"));
  set_step (self, STEP_NAMES, n_tasks + n_isrs > 0, stats->events > 0,
            names_text != NULL ? names_text : _ ("Names of tasks"));
}

static void
update_buttons (TsCapturePanel *self)
{
  TsCaptureState state =
      self->session != NULL ? ts_capture_session_get_state (self->session) : TS_CAPTURE_IDLE;
  gboolean is_on = is_active (state);

  gtk_widget_set_visible (self->setup_box, !is_on);
  gtk_button_set_label (self->record_button,
                        state == TS_CAPTURE_STOPPING ? _ ("Stopping…")
                        : is_on                      ? _ ("Stop Recording")
                                                     : _ ("Start Recording"));
  gtk_widget_remove_css_class (GTK_WIDGET (self->record_button),
                               is_on ? "suggested-action" : "destructive-action");
  gtk_widget_add_css_class (GTK_WIDGET (self->record_button),
                            is_on ? "destructive-action" : "suggested-action");
  gtk_label_set_text (self->live_title, is_on ? _ ("Live") : _ ("Last capture"));
}

static void
update (TsCapturePanel *self)
{
  TsCaptureStats stats;

  update_buttons (self);
  gtk_widget_set_visible (self->session_box, self->session != NULL);
  if (self->session == NULL)
    return;
  ts_capture_session_get_stats (self->session, &stats);
  update_checklist (self, &stats);
  ts_capture_figures_set (self->figures, &stats);
  if (ts_capture_session_get_state (self->session) == TS_CAPTURE_FAILED)
    ts_capture_panel_show_problem (self, ts_capture_session_get_message (self->session));
}

static gboolean
on_update (gpointer user_data)
{
  TsCapturePanel *self = user_data;

  self->update_id = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
queue_update (TsCapturePanel *self)
{
  /* it may come and go between two updates */
  if (self->session != NULL &&
      ts_capture_session_get_state (self->session) == TS_CAPTURE_CAPTURING)
    self->was_connected = TRUE;
  if (self->update_id == 0)
    self->update_id = g_timeout_add (UPDATE_INTERVAL_MS, on_update, self);
}

/* --- where recordings go ---------------------------------------------------------------------- */

static void
show_folder (TsCapturePanel *self)
{
  const char *home = g_get_home_dir ();
  g_autofree char *shown = NULL;
  g_autofree char *escaped = NULL;

  if (g_str_has_prefix (self->folder, home) && self->folder[strlen (home)] == G_DIR_SEPARATOR)
    shown = g_strconcat ("~", self->folder + strlen (home), NULL);
  else
    shown = g_strdup (self->folder);
  escaped = g_markup_escape_text (shown, -1);
  adw_action_row_set_subtitle (self->folder_row, escaped);
}

static void
on_folder_response (GtkNativeDialog *dialog,
                    int response,
                    TsCapturePanel *self)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    path = g_file_get_path (file);
  if (path != NULL)
    {
      ts_capture_panel_set_folder (self, path);
      ts_settings_set_string (self->settings, "recordings-folder", path);
    }
  g_object_unref (dialog);
}

static GtkFileChooserNative *
new_chooser (TsCapturePanel *self,
             const char *title,
             GtkFileChooserAction action)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog;

  dialog = gtk_file_chooser_native_new (title, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                        action, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return dialog;
}

static void
on_folder_activated (AdwActionRow *row,
                     TsCapturePanel *self)
{
  GtkFileChooserNative *dialog;

  dialog = new_chooser (self, _ ("Record To"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* --- connection files ------------------------------------------------------------------------- */

static void
add_vacf_filter (GtkFileChooserNative *dialog)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Connections"));
  gtk_file_filter_add_suffix (filter, "vacf");
  gtk_file_filter_add_pattern (filter, "*.vacfg.json");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
}

static void
on_load_response (GtkNativeDialog *dialog,
                  int response,
                  TsCapturePanel *self)
{
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    ts_capture_panel_load (self, file);
  g_object_unref (dialog);
}

static void
load_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsCapturePanel *self = TS_CAPTURE_PANEL (widget);
  GtkFileChooserNative *dialog;

  dialog = new_chooser (self, _ ("Load Connection"), GTK_FILE_CHOOSER_ACTION_OPEN);
  add_vacf_filter (dialog);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_load_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_save_response (GtkNativeDialog *dialog,
                  int response,
                  TsCapturePanel *self)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsConnection) connection = NULL;
  g_autofree char *path = NULL;
  g_autofree char *base = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_object_unref (dialog);
  path = file != NULL ? g_file_get_path (file) : NULL;
  if (path == NULL)
    return;
  connection = ts_capture_panel_dup_connection (self, &error);
  if (connection == NULL || !ts_connection_save_file (connection, path, &error))
    {
      report (self, error);
      return;
    }
  base = g_path_get_basename (path);
  gtk_label_set_text (self->name_label, base);
}

static void
save_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsCapturePanel *self = TS_CAPTURE_PANEL (widget);
  g_autofree char *suggestion = NULL;
  GtkFileChooserNative *dialog;

  dialog = new_chooser (self, _ ("Save Connection"), GTK_FILE_CHOOSER_ACTION_SAVE);
  add_vacf_filter (dialog);
  suggestion = g_strconcat (ts_connection_form_get_transport (self->form), ".vacf", NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), suggestion);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The sentence with what a developer would ask next: the connection and the version. */
static void
copy_problem_action (GtkWidget *widget,
                     const char *name,
                     GVariant *parameter)
{
  TsCapturePanel *self = TS_CAPTURE_PANEL (widget);
  g_autoptr (TsConnection) connection = ts_connection_form_dup_connection (self->form, NULL);
  g_autoptr (JsonNode) node = connection != NULL ? ts_connection_to_json (connection) : NULL;
  g_autofree char *json = node != NULL ? json_to_string (node, TRUE) : NULL;
  g_autofree char *text = NULL;

  text = g_strdup_printf ("%s\n\nTaskscope %s, %s\n%s\n",
                          gtk_label_get_text (self->problem_label), TS_VERSION,
                          ts_connection_form_get_transport (self->form),
                          json != NULL ? json : "");
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

/* What goes with the chosen transport; what was tested was another one. */
static void
show_transport (TsCapturePanel *self)
{
  const char *transport = ts_connection_form_get_transport (self->form);

  ts_probe_list_view_set_transport (self->probe_list, transport);
  ts_firmware_row_set_transport (self->firmware_row, transport);
  ts_connection_tester_clear (self->tester);
}

static void
on_form_changed (TsConnectionForm *form,
                 TsCapturePanel *self)
{
  gtk_widget_set_visible (self->problem_box, FALSE);
  show_transport (self);
}

static void
hide_problem (TsCapturePanel *self)
{
  gtk_widget_set_visible (self->problem_box, FALSE);
}

/* --- probes, tests, firmware ------------------------------------------------------------------ */

static void
on_probe_chosen (TsProbeListView *list,
                 const char *transport,
                 const char *serial,
                 TsCapturePanel *self)
{
  const char *key = ts_probe_serial_key_of_transport (transport);

  ts_connection_form_set_transport (self->form, transport);
  if (key != NULL)
    ts_connection_form_set_text (self->form, key, serial != NULL ? serial : "");
}

static void
on_test_requested (TsConnectionTester *tester,
                   TsCapturePanel *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsConnection) connection = ts_capture_panel_dup_connection (self, &error);

  if (connection == NULL)
    ts_capture_panel_show_problem (self, error->message);
  else
    ts_connection_tester_run (tester, connection);
}

static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         TsCapturePanel *self)
{
  GSList *files = g_value_get_boxed (value);
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  if (path == NULL || !ts_firmware_is_elf (path))
    return FALSE;
  ts_capture_panel_load_firmware (self, files->data);
  return TRUE;
}

static void
elf_action (GtkWidget *widget,
            const char *name,
            GVariant *parameter)
{
  ts_firmware_row_choose (TS_CAPTURE_PANEL (widget)->firmware_row);
}

/* --- life ------------------------------------------------------------------------------------- */

/* Nobody looks for probes while nobody sees the panel for the first time. */
static void
ts_capture_panel_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ts_capture_panel_parent_class)->map (widget);
  ts_probe_list_view_watch (TS_CAPTURE_PANEL (widget)->probe_list);
}

static void
ts_capture_panel_dispose (GObject *object)
{
  TsCapturePanel *self = TS_CAPTURE_PANEL (object);
  GtkWidget *child;

  g_clear_handle_id (&self->update_id, g_source_remove);
  if (self->session_signals != NULL)
    g_signal_group_set_target (self->session_signals, NULL);
  g_clear_object (&self->session_signals);
  g_clear_object (&self->session);
  g_clear_object (&self->recording);
  g_clear_object (&self->settings);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (ts_capture_panel_parent_class)->dispose (object);
}

static void
ts_capture_panel_finalize (GObject *object)
{
  g_free (TS_CAPTURE_PANEL (object)->folder);
  G_OBJECT_CLASS (ts_capture_panel_parent_class)->finalize (object);
}

static void
ts_capture_panel_class_init (TsCapturePanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ts_capture_panel_dispose;
  widget_class->map = ts_capture_panel_map;
  object_class->finalize = ts_capture_panel_finalize;
  signals[SIGNAL_FAILED] =
      g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
  g_type_ensure (TS_TYPE_CONNECTION_FORM);
  g_type_ensure (TS_TYPE_CHECKLIST);
  g_type_ensure (TS_TYPE_CAPTURE_FIGURES);
  g_type_ensure (TS_TYPE_CONNECTION_TESTER);
  g_type_ensure (TS_TYPE_FIRMWARE_ROW);
  g_type_ensure (TS_TYPE_PROBE_LIST_VIEW);
  g_type_ensure (TS_TYPE_TRIGGER_ROW);
  gtk_widget_class_set_css_name (widget_class, "capturepanel");
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/taskscope/Taskscope/ts-capture-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, name_label);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, problem_box);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, problem_label);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, rule_button);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, setup_box);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, form);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, folder_row);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, ring_switch);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, raw_switch);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, record_button);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, session_box);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, checklist);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, live_title);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, figures);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, probe_list);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, trigger_row);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, tester);
  gtk_widget_class_bind_template_child (widget_class, TsCapturePanel, firmware_row);
  gtk_widget_class_install_action (widget_class, "panel.load", NULL, load_action);
  gtk_widget_class_install_action (widget_class, "panel.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "panel.elf", NULL, elf_action);
  gtk_widget_class_install_action (widget_class, "panel.copy-problem", NULL, copy_problem_action);
}

static void
ts_capture_panel_init (TsCapturePanel *self)
{
  GtkDropTarget *drop;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->settings = ts_settings_new ();
  self->folder = ts_settings_dup_recordings_folder (self->settings);
  if (self->settings != NULL)
    g_settings_bind (self->settings, "keep-raw-log", self->raw_switch, "active",
                     G_SETTINGS_BIND_GET | G_SETTINGS_BIND_NO_SENSITIVITY);
  self->first_bytes_us = -1;
  show_folder (self);
  self->session_signals = g_signal_group_new (TS_TYPE_CAPTURE_SESSION);
  g_signal_group_connect_swapped (self->session_signals, "notify", G_CALLBACK (queue_update), self);
  g_signal_group_connect_swapped (self->session_signals, "data", G_CALLBACK (queue_update), self);
  g_signal_group_connect_swapped (self->session_signals, "ended", G_CALLBACK (queue_update), self);
  g_signal_connect_object (self->folder_row, "activated", G_CALLBACK (on_folder_activated), self,
                           0);
  g_signal_connect_object (self->form, "changed", G_CALLBACK (on_form_changed), self, 0);
  g_signal_connect_object (self->trigger_row, "changed", G_CALLBACK (hide_problem), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->firmware_row, "changed", G_CALLBACK (hide_problem), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->firmware_row, "chosen", G_CALLBACK (ts_capture_panel_load_firmware), self,
                           G_CONNECT_SWAPPED);
  ts_firmware_row_set_transport (self->firmware_row, NULL);
  g_signal_connect_object (self->probe_list, "chosen", G_CALLBACK (on_probe_chosen), self, 0);
  g_signal_connect_object (self->tester, "requested", G_CALLBACK (on_test_requested), self, 0);
  g_signal_connect_object (self->tester, "target", G_CALLBACK (ts_probe_list_view_set_target),
                           self->probe_list, G_CONNECT_SWAPPED);
  drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect_object (drop, "drop", G_CALLBACK (on_drop), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
}

/**
 * ts_capture_panel_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a panel for the demo target
 */
GtkWidget *
ts_capture_panel_new (void)
{
  return g_object_new (TS_TYPE_CAPTURE_PANEL, NULL);
}

/**
 * ts_capture_panel_set_connection:
 * @self: a panel
 * @connection: a connection
 * @name: (nullable): name of its file
 *
 * Thread: main
 */
void
ts_capture_panel_set_connection (TsCapturePanel *self,
                                 TsConnection *connection,
                                 const char *name)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  ts_connection_form_set_connection (self->form, connection);
  ts_trigger_row_load (self->trigger_row, connection);
  show_transport (self);
  gtk_label_set_text (self->name_label, name != NULL ? name : "");
  gtk_widget_set_visible (self->problem_box, FALSE);
}

/**
 * ts_capture_panel_dup_connection:
 * @self: a panel
 * @error: return location
 *
 * Thread: main
 * Errors: those of ts_connection_form_dup_connection()
 *
 * Returns: (transfer full): the connection as filled in
 */
TsConnection *
ts_capture_panel_dup_connection (TsCapturePanel *self,
                                 GError **error)
{
  g_autoptr (TsConnection) connection = NULL;

  g_return_val_if_fail (TS_IS_CAPTURE_PANEL (self), NULL);
  connection = ts_connection_form_dup_connection (self->form, error);
  if (connection == NULL || !ts_trigger_row_store (self->trigger_row, connection, error) ||
      !ts_firmware_row_store (self->firmware_row, connection, error))
    return NULL;
  return g_steal_pointer (&connection);
}

/**
 * ts_capture_panel_set_transport:
 * @self: a panel
 * @transport: name of a transport
 *
 * Thread: main
 */
void
ts_capture_panel_set_transport (TsCapturePanel *self,
                                const char *transport)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  ts_connection_form_set_transport (self->form, transport);
}

/**
 * ts_capture_panel_get_options:
 * @self: a panel
 * @options: (out caller-allocates): how to capture; the output path is left to the caller
 *
 * Thread: main
 */
void
ts_capture_panel_get_options (TsCapturePanel *self,
                              TsCaptureOptions *options)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  *options = (TsCaptureOptions) {
    .ring_mode = gtk_switch_get_active (self->ring_switch) ? TS_RING_OVERWRITE : TS_RING_LINEAR,
    .keep_raw_log = gtk_switch_get_active (self->raw_switch),
  };
}

/**
 * ts_capture_panel_dup_folder:
 * @self: a panel
 *
 * Thread: main
 *
 * Returns: (transfer full): folder for new recordings; it need not exist yet
 */
char *
ts_capture_panel_dup_folder (TsCapturePanel *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_PANEL (self), NULL);
  return g_strdup (self->folder);
}

/**
 * ts_capture_panel_set_folder:
 * @self: a panel
 * @path: folder for new recordings
 *
 * Thread: main
 */
void
ts_capture_panel_set_folder (TsCapturePanel *self,
                             const char *path)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  g_return_if_fail (path != NULL);
  g_free (self->folder);
  self->folder = g_strdup (path);
  show_folder (self);
}

/**
 * ts_capture_panel_set_session:
 * @self: a panel
 * @session: (nullable): the capture to watch
 *
 * Thread: main
 */
void
ts_capture_panel_set_session (TsCapturePanel *self,
                              TsCaptureSession *session)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  if (!g_set_object (&self->session, session))
    return;
  ts_connection_tester_clear (self->tester);
  self->first_bytes_us = -1;
  self->was_connected = FALSE;
  g_clear_object (&self->recording);
  g_signal_group_set_target (self->session_signals, session);
  gtk_widget_set_visible (self->problem_box, FALSE);
  update (self);
}

/**
 * ts_capture_panel_set_recording:
 * @self: a panel
 * @recording: (nullable): what the capture writes: clock and names are taken from it
 *
 * Thread: main
 */
void
ts_capture_panel_set_recording (TsCapturePanel *self,
                                TsRecording *recording)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  if (g_set_object (&self->recording, recording))
    queue_update (self);
}

/**
 * ts_capture_panel_show_problem:
 * @self: a panel
 * @message: (nullable): why there is no capture, and what to do; %NULL: no problem
 *
 * Thread: main
 */
void
ts_capture_panel_show_problem (TsCapturePanel *self,
                               const char *message)
{
  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  gtk_label_set_text (self->problem_label, message != NULL ? message : "");
  /* a missing permission for a probe names the file of the rule, in every language */
  gtk_widget_set_visible (self->rule_button,
                          message != NULL && strstr (message, "70-taskscope.rules") != NULL);
  gtk_widget_set_visible (self->problem_box, message != NULL && *message != '\0');
}

/**
 * ts_capture_panel_has_problem:
 * @self: a panel
 *
 * Thread: main
 *
 * Returns: whether it says why there is no capture
 */
gboolean
ts_capture_panel_has_problem (TsCapturePanel *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_PANEL (self), FALSE);
  return gtk_widget_get_visible (self->problem_box);
}

/**
 * ts_capture_panel_load:
 * @self: a panel
 * @file: a connection file
 *
 * Fills the panel in; what is wrong with the file is told by "failed".
 *
 * Thread: main
 *
 * Returns: whether it was loaded
 */
gboolean
ts_capture_panel_load (TsCapturePanel *self,
                       GFile *file)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *base = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (TS_IS_CAPTURE_PANEL (self), FALSE);
  if (path == NULL || !ts_connection_load_file (connection, path, FALSE, &error))
    {
      if (error == NULL)
        error = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                             _ ("A connection must be a file on this machine; copy it here first."));
      report (self, error);
      return FALSE;
    }
  base = g_path_get_basename (path);
  ts_capture_panel_set_connection (self, connection, base);
  return TRUE;
}

/**
 * ts_capture_panel_load_firmware:
 * @self: a panel
 * @file: an ELF file
 *
 * Fills in what the file tells of ring, RTT block and clock; what is wrong with it is shown.
 *
 * Thread: main
 */
void
ts_capture_panel_load_firmware (TsCapturePanel *self,
                                GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autoptr (GError) error = NULL;

  g_return_if_fail (TS_IS_CAPTURE_PANEL (self));
  if (path != NULL && !ts_firmware_row_load (self->firmware_row, self->form, path, &error))
    ts_capture_panel_show_problem (self, error->message);
}

/**
 * ts_capture_panel_get_trigger:
 * @self: a panel
 *
 * Thread: main
 *
 * Returns: (transfer none): what is said of the trigger; empty without one
 */
const char *
ts_capture_panel_get_trigger (TsCapturePanel *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_PANEL (self), NULL);
  return ts_capture_figures_get_trigger (self->figures);
}
