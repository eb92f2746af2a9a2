/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-poll.h"
#include "capture/ts-probe.h"

#include "ui/ts-firmware-row.h"
#include "ui/ts-form-firmware.h"

/**
 * TsFirmwareRow:
 * @path: (nullable): the file
 */
struct _TsFirmwareRow
{
  AdwExpanderRow parent_instance;

  char *path;
  GtkWidget *variables;
  GtkWidget *rate;
};

enum
{
  SIGNAL_CHANGED,
  SIGNAL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsFirmwareRow, ts_firmware_row, ADW_TYPE_EXPANDER_ROW)

static void
on_changed (TsFirmwareRow *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
on_response (GtkNativeDialog *dialog,
             int response,
             TsFirmwareRow *self)
{
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_object_unref (dialog);
  if (file != NULL)
    g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, file);
}

static GtkWidget *
add_entry (TsFirmwareRow *self,
           const char *title,
           const char *tooltip)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_entry_row_set_input_hints (ADW_ENTRY_ROW (row), GTK_INPUT_HINT_NO_SPELLCHECK);
  gtk_widget_set_tooltip_text (row, tooltip);
  g_signal_connect_object (row, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
  return row;
}

static void
ts_firmware_row_finalize (GObject *object)
{
  g_free (TS_FIRMWARE_ROW (object)->path);
  G_OBJECT_CLASS (ts_firmware_row_parent_class)->finalize (object);
}

static void
ts_firmware_row_class_init (TsFirmwareRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_firmware_row_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_FILE);
}

static void
ts_firmware_row_init (TsFirmwareRow *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("document-open-symbolic");
  g_autofree char *rate = g_strdup_printf ("%d", TS_POLL_DEFAULT_HZ);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Firmware (ELF)"));
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), _ ("Drop the file here"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self),
                               _ ("Tells where the ring, the RTT block and variables lie"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Choose a File"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Choose a File"), -1);
  g_signal_connect_object (button, "clicked", G_CALLBACK (ts_firmware_row_choose), self,
                           G_CONNECT_SWAPPED);
  adw_expander_row_add_action (ADW_EXPANDER_ROW (self), button);
  self->variables = add_entry (self, _ ("Variables to read beside it"),
                               _ ("Names of global variables, separated by commas, such as "
                                  "counter,g_temp:f32; each becomes a lane of values"));
  self->rate = add_entry (self, _ ("Reads per second"), _ ("From 1 to 1000"));
  adw_entry_row_set_input_purpose (ADW_ENTRY_ROW (self->rate), GTK_INPUT_PURPOSE_DIGITS);
  gtk_editable_set_text (GTK_EDITABLE (self->rate), rate);
}

/**
 * ts_firmware_row_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a row without a file
 */
GtkWidget *
ts_firmware_row_new (void)
{
  return g_object_new (TS_TYPE_FIRMWARE_ROW, NULL);
}

/**
 * ts_firmware_row_choose:
 * @self: a row
 *
 * Lets the user choose a file.
 *
 * Thread: main
 */
void
ts_firmware_row_choose (TsFirmwareRow *self)
{
  GtkWidget *window;
  GtkFileChooserNative *dialog;

  g_return_if_fail (TS_IS_FIRMWARE_ROW (self));
  window = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_WINDOW);
  dialog = gtk_file_chooser_native_new (_ ("Firmware with Symbols"), GTK_WINDOW (window),
                                        GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/**
 * ts_firmware_row_set_transport:
 * @self: a row
 * @transport: (nullable): name of the transport that is chosen
 *
 * Only what goes through a probe needs the file.
 *
 * Thread: main
 */
void
ts_firmware_row_set_transport (TsFirmwareRow *self,
                               const char *transport)
{
  g_return_if_fail (TS_IS_FIRMWARE_ROW (self));
  gtk_widget_set_visible (GTK_WIDGET (self),
                          transport != NULL && ts_probe_type_of_transport (transport) != NULL);
}

/**
 * ts_firmware_row_load:
 * @self: a row
 * @form: the form to fill in
 * @path: an ELF file
 * @error: return location
 *
 * Fills in what the file tells, and says what that was.
 *
 * Thread: main; reads a file
 * Errors: those of ts_connection_form_use_firmware(); then nothing is changed
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_firmware_row_load (TsFirmwareRow *self,
                      TsConnectionForm *form,
                      const char *path,
                      GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *escaped = NULL;

  g_return_val_if_fail (TS_IS_FIRMWARE_ROW (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  text = ts_connection_form_use_firmware (form, path, error);
  if (text == NULL)
    return FALSE;
  escaped = g_markup_escape_text (text, -1);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), escaped);
  g_free (self->path);
  self->path = g_strdup (path);
  ts_firmware_row_set_transport (self, ts_connection_form_get_transport (form));
  return TRUE;
}

/**
 * ts_firmware_row_store:
 * @self: a row
 * @connection: a connection
 * @error: return location
 *
 * Gives the file and the variables to a connection that goes through a probe.
 *
 * Thread: main; reads a file
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG: no file, a bad rate; those of
 * ts_poll_symbols_of_connection()
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_firmware_row_store (TsFirmwareRow *self,
                       TsConnection *connection,
                       GError **error)
{
  g_autofree char *names = NULL;
  g_autoptr (GArray) symbols = NULL;
  guint64 hz = 0;

  g_return_val_if_fail (TS_IS_FIRMWARE_ROW (self), FALSE);
  g_return_val_if_fail (TS_IS_CONNECTION (connection), FALSE);

  if (ts_probe_type_of_transport (ts_connection_get_transport (connection)) == NULL)
    return TRUE;
  ts_connection_set_elf (connection, self->path);
  names = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->variables))));
  if (*names == '\0')
    return TRUE;
  if (self->path == NULL)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           _ ("Without the firmware's ELF file nothing is known of variables: "
                              "drop it on the panel, or remove them."));
      return FALSE;
    }
  if (!g_ascii_string_to_unsigned (gtk_editable_get_text (GTK_EDITABLE (self->rate)), 10, 1,
                                   TS_POLL_MAX_HZ, &hz, NULL))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _ ("Variables can be read from 1 to %d times a second."), TS_POLL_MAX_HZ);
      return FALSE;
    }
  ts_connection_set_polling (connection, names, (guint) hz, FALSE);
  symbols = ts_poll_symbols_of_connection (connection, error);
  return symbols != NULL;
}

/**
 * ts_firmware_row_get_variables:
 * @self: a row
 *
 * Thread: main
 *
 * Returns: (transfer none): the entry for names of variables
 */
GtkWidget *
ts_firmware_row_get_variables (TsFirmwareRow *self)
{
  g_return_val_if_fail (TS_IS_FIRMWARE_ROW (self), NULL);
  return self->variables;
}
