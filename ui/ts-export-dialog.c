/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-choice-list.h"
#include "ui/ts-export-dialog.h"
#include "ui/ts-kind-words.h"
#include "ui/ts-lane-words.h"
#include "ui/ts-row-control.h"
#include "ui/ts-text-scale.h"

/* Numbers of kinds are below. */
#define N_KINDS 0x300

#define DIALOG_WIDTH 560
#define DIALOG_HEIGHT 640

static const struct
{
  const char *suffix;
  const char *name;
  const char *use;
} formats[TS_EXPORT_N_FORMATS] = {
  { "vadb", N_ ("Recording"),
    N_ ("Opens alone: names, and what every task was doing, are carried in") },
  { "csv", N_ ("Table (CSV)"), N_ ("A row for each event, for spreadsheets and scripts") },
  { "json", N_ ("Perfetto trace"), N_ ("For ui.perfetto.dev and Chrome") },
  { "ctf", N_ ("CTF trace (folder)"), N_ ("For Trace Compass and babeltrace2") },
  { "png", N_ ("Picture (PNG)"), N_ ("What is on the screen, with a legend") },
  { "svg", N_ ("Picture (SVG)"), N_ ("What is on the screen, with a legend: shapes, no pixels") },
  { "pdf", N_ ("Picture (PDF)"),
    N_ ("What is on the screen, with a legend: shapes and text, no pixels") },
};

/* Rows of the choice of lanes. */
enum
{
  LANES_ALL,
  LANES_SHOWN,
  LANES_CHOSEN
};

/* Rows of the choice of kinds. */
enum
{
  KINDS_ALL,
  KINDS_CHOSEN
};

struct _TsExportDialog
{
  AdwWindow parent_instance;

  AdwComboRow *format_row;
  AdwActionRow *use_row;
  AdwComboRow *part_row;
  GtkWidget *rebase_row;
  GtkSwitch *rebase_switch;
  GtkWidget *lanes_box;
  AdwComboRow *lanes_row;
  TsChoiceList *lanes_list;
  GtkWidget *kinds_box;
  AdwComboRow *kinds_row;
  TsChoiceList *kinds_list;
  GtkWidget *save_button;

  TsViewState *view;
};

enum
{
  SIGNAL_SAVE,
  SIGNAL_REFUSED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsExportDialog, ts_export_dialog, ADW_TYPE_WINDOW)

/* --- formats ---------------------------------------------------------------------------------- */

/**
 * ts_export_format_of_name:
 * @path: name of a file
 *
 * Thread: any
 *
 * Returns: what its suffix says; %TS_EXPORT_N_FORMATS if that says nothing
 */
TsExportFormat
ts_export_format_of_name (const char *path)
{
  g_return_val_if_fail (path != NULL, TS_EXPORT_N_FORMATS);

  for (guint i = 0; i < TS_EXPORT_N_FORMATS; i++)
    {
      g_autofree char *suffix = g_strconcat (".", formats[i].suffix, NULL);

      if (g_str_has_suffix (path, suffix))
        return i;
    }
  return TS_EXPORT_N_FORMATS;
}

/**
 * ts_export_format_get_suffix:
 * @format: a format
 *
 * Thread: any
 *
 * Returns: (transfer none): what its files end with, without the dot
 */
const char *
ts_export_format_get_suffix (TsExportFormat format)
{
  g_return_val_if_fail (format < TS_EXPORT_N_FORMATS, NULL);

  return formats[format].suffix;
}

/**
 * ts_export_format_is_picture:
 * @format: a format
 *
 * Thread: any
 *
 * Returns: whether it shows what is on the screen, and not events
 */
gboolean
ts_export_format_is_picture (TsExportFormat format)
{
  return format >= TS_EXPORT_PNG && format < TS_EXPORT_N_FORMATS;
}

/**
 * ts_export_choice_clear:
 * @self: a choice
 *
 * Thread: any
 */
void
ts_export_choice_clear (TsExportChoice *self)
{
  g_return_if_fail (self != NULL);

  g_clear_pointer (&self->lanes, g_strfreev);
  g_clear_pointer (&self->kinds, g_strfreev);
}

/* --- what can be chosen ----------------------------------------------------------------------- */

/* Lanes that events belong to. */
static gboolean
is_of_events (const TsLaneInfo *lane)
{
  return lane->object != 0 && lane->name != NULL && lane->kind != TS_LANE_CPU
         && lane->kind != TS_LANE_LOSS && lane->kind != TS_LANE_DENSITY;
}

/* By its name alone where nothing else has it, else with its type. */
static char *
dup_key (TsRecording *recording,
         const TsLaneInfo *lane)
{
  const TsObject *object = ts_recording_get_object (recording, lane->object);
  const char *type = ts_object_type_get_name (lane->type);
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; object != NULL && type != NULL && i < n_lanes; i++)
    if (lanes[i].object != lane->object && is_of_events (&lanes[i])
        && g_strcmp0 (lanes[i].name, lane->name) == 0)
      return g_strconcat (type, ":", object->name, NULL);
  return g_strdup (lane->name);
}

static gboolean
is_shown (TsExportDialog *self,
          guint32 lane)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (self->view, &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      return TRUE;
  return FALSE;
}

/* Shown as a row, or in the plot of another one. */
static gboolean
is_seen (TsExportDialog *self,
         guint32 lane)
{
  guint32 host = ts_view_state_get_plot_host (self->view, lane);

  return is_shown (self, lane) || (host != 0 && is_shown (self, host));
}

static void
add_lanes (TsExportDialog *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      g_autofree char *key = NULL;

      if (!is_of_events (&lanes[i]))
        continue;
      key = dup_key (recording, &lanes[i]);
      ts_choice_list_add (self->lanes_list, key, lanes[i].name, ts_lane_describe_kind (&lanes[i]),
                          is_seen (self, lanes[i].id));
    }
}

/* Those that occur; all there are where nobody has counted them. */
static void
add_kinds (TsExportDialog *self)
{
  g_autoptr (GArray) kinds
      = ts_recording_list_kinds (ts_view_state_get_recording (self->view));

  for (guint kind = 1; kinds == NULL && kind < N_KINDS; kind++)
    if (ts_event_kind_get_name (kind) != NULL)
      ts_choice_list_add (self->kinds_list, ts_event_kind_get_name (kind),
                          ts_kind_describe (kind), ts_event_kind_get_name (kind), FALSE);
  for (guint i = 0; kinds != NULL && i < kinds->len; i++)
    {
      guint kind = g_array_index (kinds, guint, i);

      ts_choice_list_add (self->kinds_list, ts_event_kind_get_name (kind),
                          ts_kind_describe (kind), ts_event_kind_get_name (kind), FALSE);
    }
}

/* Kinds that the filters ask for are those that are wanted here, until somebody says otherwise. */
static void
take_filters (TsExportDialog *self,
              const char * const *filters)
{
  gboolean is_any = FALSE;

  for (guint i = 0; filters != NULL && filters[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (filters[i], " ", -1);

      for (guint j = 0; words[j] != NULL; j++)
        if (g_str_has_prefix (words[j], "kind:"))
          is_any |= ts_choice_list_choose (self->kinds_list, words[j] + strlen ("kind:"), TRUE);
    }
  if (is_any)
    adw_combo_row_set_selected (self->kinds_row, KINDS_CHOSEN);
}

static void
set_rows (AdwComboRow *row,
          const char * const *titles,
          guint n)
{
  g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);

  for (guint i = 0; i < n; i++)
    gtk_string_list_append (model, titles[i]);
  adw_combo_row_set_model (row, G_LIST_MODEL (model));
}

/* Keys of the lanes that are shown, in their order in the recording. */
static char **
dup_shown (TsExportDialog *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (is_of_events (&lanes[i]) && is_seen (self, lanes[i].id))
      {
        g_autofree char *key = dup_key (recording, &lanes[i]);

        g_strv_builder_add (keys, key);
      }
  return g_strv_builder_end (keys);
}

/* --- the dialog ------------------------------------------------------------------------------- */

static TsExportFormat
get_format (TsExportDialog *self)
{
  return MIN (adw_combo_row_get_selected (self->format_row), TS_EXPORT_N_FORMATS - 1);
}

static void
tell_chosen (AdwComboRow *row,
             TsChoiceList *list,
             gboolean is_list)
{
  guint n = ts_choice_list_get_n_chosen (list);
  g_autofree char *text = NULL;

  if (is_list)
    text = g_strdup_printf (ngettext ("%u of %u is ticked", "%u of %u are ticked", n), n,
                            ts_choice_list_get_n_items (list));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (list), is_list);
}

/* No lanes or kinds would mean all of them. */
static gboolean
is_something (TsExportDialog *self)
{
  guint lanes = adw_combo_row_get_selected (self->lanes_row);

  if (ts_export_format_is_picture (get_format (self)))
    return TRUE;
  if (lanes == LANES_SHOWN)
    {
      g_auto (GStrv) shown = dup_shown (self);

      if (shown[0] == NULL)
        return FALSE;
    }
  else if (lanes == LANES_CHOSEN && ts_choice_list_get_n_chosen (self->lanes_list) == 0)
    return FALSE;
  return adw_combo_row_get_selected (self->kinds_row) == KINDS_ALL
         || ts_choice_list_get_n_chosen (self->kinds_list) > 0;
}

/* What a format cannot do is not offered. */
static void
on_changed (TsExportDialog *self)
{
  TsExportFormat format = get_format (self);
  gboolean is_picture = ts_export_format_is_picture (format);

  if (self->view == NULL)
    return;
  adw_action_row_set_subtitle (self->use_row, _ (formats[format].use));
  gtk_widget_set_visible (self->rebase_row, !is_picture);
  gtk_widget_set_visible (self->lanes_box, !is_picture);
  gtk_widget_set_visible (self->kinds_box, !is_picture);
  tell_chosen (self->lanes_row, self->lanes_list,
               adw_combo_row_get_selected (self->lanes_row) == LANES_CHOSEN);
  tell_chosen (self->kinds_row, self->kinds_list,
               adw_combo_row_get_selected (self->kinds_row) == KINDS_CHOSEN);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "export.save", is_something (self));
}

/* With the suffix of the format. A file that this makes it fall on was not asked about. */
static void
save_to (TsExportDialog *self,
         const char *path)
{
  TsExportFormat format = get_format (self);
  g_autofree char *whole = NULL;

  if (ts_export_format_of_name (path) == format)
    {
      g_signal_emit (self, signals[SIGNAL_SAVE], 0, path);
      return;
    }
  whole = g_strconcat (path, ".", formats[format].suffix, NULL);
  if (g_file_test (whole, G_FILE_TEST_EXISTS))
    {
      g_autofree char *shown = g_filename_display_name (whole);
      g_autofree char *text = g_strdup_printf (
          _ ("“%s” exists already: give its whole name to replace it."), shown);

      g_signal_emit (self, signals[SIGNAL_REFUSED], 0, text);
      return;
    }
  g_signal_emit (self, signals[SIGNAL_SAVE], 0, whole);
}

static void
on_response (GtkNativeDialog *chooser,
             int response,
             TsExportDialog *self)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
  if (file != NULL)
    path = g_file_get_path (file);
  g_object_unref (chooser);
  if (path != NULL)
    save_to (self, path);
}

static void
save_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsExportDialog *self = TS_EXPORT_DIALOG (widget);
  TsExportFormat format = get_format (self);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  g_autofree char *base = NULL;
  g_autofree char *suggestion = NULL;
  GtkFileChooserNative *chooser;

  base = g_path_get_basename (
      ts_recording_get_path (ts_view_state_get_recording (self->view)));
  if (g_str_has_suffix (base, ".vadb"))
    base[strlen (base) - 5] = '\0';
  suggestion = g_strconcat (base, format == TS_EXPORT_RECORDING ? "-part." : ".",
                            formats[format].suffix, NULL);
  chooser = gtk_file_chooser_native_new (_ ("Export"), GTK_WINDOW (self),
                                         GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  gtk_file_filter_set_name (filter, _ (formats[format].name));
  gtk_file_filter_add_suffix (filter, formats[format].suffix);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), filter);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), suggestion);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/* The same without the dialog of files, for scripts and tests: the parameter is the path. */
static void
save_to_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  save_to (TS_EXPORT_DIALOG (widget), g_variant_get_string (parameter, NULL));
}

static void
ts_export_dialog_dispose (GObject *object)
{
  g_clear_object (&TS_EXPORT_DIALOG (object)->view);
  G_OBJECT_CLASS (ts_export_dialog_parent_class)->dispose (object);
}

static void
ts_export_dialog_class_init (TsExportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ts_export_dialog_dispose;
  g_type_ensure (TS_TYPE_CHOICE_LIST);
  signals[SIGNAL_SAVE] = g_signal_new ("save", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_REFUSED] = g_signal_new ("refused", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/taskscope/Taskscope/ts-export-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, format_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, use_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, part_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, rebase_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, rebase_switch);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, lanes_box);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, lanes_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, lanes_list);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, kinds_box);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, kinds_row);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, kinds_list);
  gtk_widget_class_bind_template_child (widget_class, TsExportDialog, save_button);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_install_action (widget_class, "export.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "export.save-to", "s", save_to_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
ts_export_dialog_init (TsExportDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_widget (GTK_WINDOW (self), self->save_button);
  ts_row_control_take_name (GTK_WIDGET (self->rebase_switch),
                            ADW_PREFERENCES_ROW (self->rebase_row));
  ts_choice_list_set_name (self->lanes_list, _ ("Lanes"));
  ts_choice_list_set_name (self->kinds_list, _ ("Kinds of Events"));
}

/**
 * ts_export_dialog_new:
 * @parent: the window it belongs to
 * @view: with a recording: its range and its lanes are what can be chosen
 * @format: what is chosen first
 * @filters: (nullable) (array zero-terminated=1): texts of filters; kinds they ask for are ticked
 *
 * Thread: main
 *
 * Returns: (transfer none): the dialog, not yet shown, owned by GTK
 */
TsExportDialog *
ts_export_dialog_new (GtkWindow *parent,
                      TsViewState *view,
                      TsExportFormat format,
                      const char * const *filters)
{
  const char *parts[] = { _ ("Everything"), _ ("What Is Seen"), _ ("Selected Range") };
  /* translators: of lanes, and of kinds of events */
  const char *lanes[] = { C_ ("which", "All"), C_ ("which", "Those That Are Shown"),
                          C_ ("which", "Ticked Ones") };
  const char *kinds[] = { C_ ("which", "All"), C_ ("which", "Ticked Ones") };
  const char *names[TS_EXPORT_N_FORMATS];
  TsExportDialog *self;
  gboolean has_range;

  g_return_val_if_fail (TS_IS_VIEW_STATE (view), NULL);
  g_return_val_if_fail (ts_view_state_get_recording (view) != NULL, NULL);
  g_return_val_if_fail (format < TS_EXPORT_N_FORMATS, NULL);

  self = g_object_new (TS_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  ts_text_scale_set_window_size (GTK_WINDOW (self), DIALOG_WIDTH, DIALOG_HEIGHT);
  for (guint i = 0; i < TS_EXPORT_N_FORMATS; i++)
    names[i] = _ (formats[i].name);
  has_range = ts_view_state_get_range (view, NULL, NULL);
  set_rows (self->format_row, names, TS_EXPORT_N_FORMATS);
  set_rows (self->part_row, parts, has_range ? 3 : 2);
  set_rows (self->lanes_row, lanes, G_N_ELEMENTS (lanes));
  set_rows (self->kinds_row, kinds, G_N_ELEMENTS (kinds));
  self->view = g_object_ref (view);
  adw_combo_row_set_selected (self->format_row, format);
  adw_combo_row_set_selected (self->part_row,
                              has_range                             ? TS_EXPORT_RANGE
                              : ts_export_format_is_picture (format) ? TS_EXPORT_VISIBLE
                                                                     : TS_EXPORT_ALL);
  add_lanes (self);
  add_kinds (self);
  take_filters (self, filters);
  on_changed (self);
  /* the first choice, and not the button that leaves */
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->format_row));
  return self;
}

/**
 * ts_export_dialog_get_choice:
 * @self: a dialog
 * @choice: (out caller-allocates): filled; to be cleared with ts_export_choice_clear()
 *
 * Thread: main
 */
void
ts_export_dialog_get_choice (TsExportDialog *self,
                             TsExportChoice *choice)
{
  guint lanes;

  g_return_if_fail (TS_IS_EXPORT_DIALOG (self));
  g_return_if_fail (choice != NULL);

  *choice = (TsExportChoice) { .format = get_format (self),
                               .part = adw_combo_row_get_selected (self->part_row) };
  if (ts_export_format_is_picture (choice->format))
    return;
  choice->is_rebased = gtk_switch_get_active (self->rebase_switch);
  lanes = adw_combo_row_get_selected (self->lanes_row);
  if (lanes == LANES_SHOWN)
    choice->lanes = dup_shown (self);
  else if (lanes == LANES_CHOSEN)
    choice->lanes = ts_choice_list_dup_chosen (self->lanes_list);
  if (adw_combo_row_get_selected (self->kinds_row) == KINDS_CHOSEN)
    choice->kinds = ts_choice_list_dup_chosen (self->kinds_list);
}
