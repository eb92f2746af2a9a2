/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-connection.h"
#include "capture/ts-probe-monitor.h"

#include "ui/ts-connection-form.h"
#include "ui/ts-probe-list-view.h"

/**
 * TsProbeListView:
 * @group: (nullable): the rows; made anew when the list changes
 * @transport: what the user has chosen so far
 */
struct _TsProbeListView
{
  GtkBox parent_instance;

  TsProbeMonitor *monitor;
  GPtrArray *probes;
  GtkWidget *group;
  char *transport;
  GHashTable *targets; /* of a probe's kind and serial number: what was found behind it */
};

enum
{
  SIGNAL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsProbeListView, ts_probe_list_view, GTK_TYPE_BOX)

/* What a probe of this kind can do in this version; the chosen transport first. Names are
 * "KIND-WHAT". */
static GPtrArray *
list_transports (TsProbeListView *self,
                 const char *type)
{
  const char *const *names = ts_connection_list_transports ();
  g_autofree char *prefix = g_strconcat (type, "-", NULL);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (names[i], prefix) && ts_connection_transport_is_built (names[i]))
      g_ptr_array_insert (found, g_strcmp0 (names[i], self->transport) == 0 ? 0 : -1,
                          (gpointer) names[i]);
  return found;
}

/* "ST-LINK, RAM buffer" without what the row says anyway. */
static const char *
get_ability (const char *transport)
{
  const char *title = ts_connection_form_get_transport_title (transport);
  const char *comma = strstr (title, ", ");

  return comma != NULL ? comma + 2 : title;
}

static void
on_activated (AdwActionRow *row,
              TsProbeListView *self)
{
  const char *transport = g_object_get_data (G_OBJECT (row), "transport");
  const char *serial = g_object_get_data (G_OBJECT (row), "serial");

  if (transport != NULL)
    g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, transport, serial);
}

/* Which probe it is, for the table of targets. */
static char *
dup_key (const TsProbeInfo *probe)
{
  return g_strdup_printf ("%s %s", probe->type,
                          probe->serial != NULL ? probe->serial : probe->location);
}

static void
set_subtitle (TsProbeListView *self,
              GtkWidget *row,
              const TsProbeInfo *probe,
              GPtrArray *transports)
{
  g_autoptr (GString) text = g_string_new (probe->serial);
  g_autofree char *escaped = NULL;
  g_autofree char *key = dup_key (probe);
  const char *target = g_hash_table_lookup (self->targets, key);

  if (target != NULL && probe->problem == NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", target);

  if (probe->problem != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", probe->problem);
  else if (transports->len == 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "",
                            _ ("This version cannot use it."));
  else
    for (guint i = 0; i < transports->len; i++)
      g_string_append_printf (text, "%s%s", i == 0 ? (text->len > 0 ? "\n" : "") : ", ",
                              get_ability (g_ptr_array_index (transports, i)));
  escaped = g_markup_escape_text (text->str, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), escaped);
}

static GtkWidget *
new_row (TsProbeListView *self,
         const TsProbeInfo *probe)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *title = g_markup_escape_text (probe->description, -1);
  g_autoptr (GPtrArray) transports = list_transports (self, probe->type);
  gboolean is_usable = probe->problem == NULL && transports->len > 0;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  set_subtitle (self, row, probe, transports);
  adw_action_row_add_prefix (
      ADW_ACTION_ROW (row),
      gtk_image_new_from_icon_name (probe->problem != NULL ? "dialog-warning-symbolic"
                                                           : "taskscope-target-symbolic"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), is_usable);
  if (is_usable)
    {
      g_object_set_data (G_OBJECT (row), "transport", g_ptr_array_index (transports, 0));
      g_object_set_data_full (G_OBJECT (row), "serial", g_strdup (probe->serial), g_free);
      gtk_widget_set_tooltip_text (row, _ ("Use this probe"));
      g_signal_connect_object (row, "activated", G_CALLBACK (on_activated), self, 0);
    }
  return row;
}

static gboolean
wants_probe (const char *transport)
{
  return transport != NULL &&
         (g_str_has_prefix (transport, "stlink-") || g_str_has_prefix (transport, "jlink-") ||
          g_str_has_prefix (transport, "cmsis-"));
}

static void
rebuild (TsProbeListView *self)
{
  gboolean is_wanted = wants_probe (self->transport);

  if (self->group != NULL)
    gtk_box_remove (GTK_BOX (self), self->group);
  self->group = adw_preferences_group_new ();
  for (guint i = 0; i < self->probes->len; i++)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group),
                               new_row (self, g_ptr_array_index (self->probes, i)));
  if (self->probes->len == 0)
    {
      GtkWidget *row = adw_action_row_new ();

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("No probe is plugged in"));
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row),
                                   _ ("It is shown here as soon as there is one."));
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
    }
  gtk_box_append (GTK_BOX (self), self->group);
  gtk_widget_set_visible (GTK_WIDGET (self), self->probes->len > 0 || is_wanted);
}

static void
on_probes_changed (TsProbeMonitor *monitor,
                   TsProbeListView *self)
{
  ts_probe_list_view_set_probes (self, ts_probe_monitor_get_probes (monitor));
}

static void
ts_probe_list_view_dispose (GObject *object)
{
  g_clear_object (&TS_PROBE_LIST_VIEW (object)->monitor);
  G_OBJECT_CLASS (ts_probe_list_view_parent_class)->dispose (object);
}

static void
ts_probe_list_view_finalize (GObject *object)
{
  TsProbeListView *self = TS_PROBE_LIST_VIEW (object);

  g_ptr_array_unref (self->probes);
  g_hash_table_unref (self->targets);
  g_free (self->transport);
  G_OBJECT_CLASS (ts_probe_list_view_parent_class)->finalize (object);
}

static void
ts_probe_list_view_class_init (TsProbeListViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = ts_probe_list_view_dispose;
  object_class->finalize = ts_probe_list_view_finalize;
  signals[SIGNAL_CHOSEN] =
      g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
ts_probe_list_view_init (TsProbeListView *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->probes = g_ptr_array_new ();
  self->targets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  rebuild (self);
}

/**
 * ts_probe_list_view_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a list without probes
 */
GtkWidget *
ts_probe_list_view_new (void)
{
  return g_object_new (TS_TYPE_PROBE_LIST_VIEW, NULL);
}

/**
 * ts_probe_list_view_watch:
 * @self: a list
 *
 * Looks for probes from now on.
 *
 * Thread: main
 */
void
ts_probe_list_view_watch (TsProbeListView *self)
{
  g_return_if_fail (TS_IS_PROBE_LIST_VIEW (self));
  if (self->monitor != NULL)
    return;
  self->monitor = ts_probe_monitor_new ();
  g_signal_connect_object (self->monitor, "changed", G_CALLBACK (on_probes_changed), self, 0);
}

/**
 * ts_probe_list_view_set_probes:
 * @self: a list
 * @probes: (element-type TsProbeInfo): what is plugged in
 *
 * Thread: main
 */
void
ts_probe_list_view_set_probes (TsProbeListView *self,
                               GPtrArray *probes)
{
  g_return_if_fail (TS_IS_PROBE_LIST_VIEW (self));
  g_ptr_array_ref (probes);
  g_ptr_array_unref (self->probes);
  self->probes = probes;
  rebuild (self);
}

/**
 * ts_probe_list_view_set_transport:
 * @self: a list
 * @transport: (nullable): name of the transport that is chosen
 *
 * That there is no probe is said only to who wants one.
 *
 * Thread: main
 */
void
ts_probe_list_view_set_transport (TsProbeListView *self,
                                  const char *transport)
{
  g_return_if_fail (TS_IS_PROBE_LIST_VIEW (self));
  if (g_strcmp0 (self->transport, transport) == 0)
    return;
  g_free (self->transport);
  self->transport = g_strdup (transport);
  rebuild (self);
}

/**
 * ts_probe_list_view_set_target:
 * @self: a list
 * @connection: a connection through a probe; without a serial number the only one of its kind
 * @text: what was found behind it
 *
 * Shows the target with its probe, until that is another.
 *
 * Thread: main
 */
void
ts_probe_list_view_set_target (TsProbeListView *self,
                               TsConnection *connection,
                               const char *text)
{
  const char *transport = ts_connection_get_transport (connection);
  const char *type = ts_probe_type_of_transport (transport);
  const char *key = ts_probe_serial_key_of_transport (transport);
  const char *serial = key != NULL ? ts_connection_get_string (connection, key) : NULL;
  const TsProbeInfo *found = NULL;
  guint n_found = 0;

  g_return_if_fail (TS_IS_PROBE_LIST_VIEW (self));

  for (guint i = 0; i < self->probes->len; i++)
    {
      const TsProbeInfo *probe = g_ptr_array_index (self->probes, i);

      if (g_strcmp0 (probe->type, type) == 0 &&
          (serial == NULL || *serial == '\0' || g_strcmp0 (probe->serial, serial) == 0))
        {
          found = probe;
          n_found++;
        }
    }
  if (n_found != 1)
    return;
  g_hash_table_replace (self->targets, dup_key (found), g_strdup (text));
  rebuild (self);
}

/**
 * ts_probe_list_view_get_n_probes:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: probes that are shown
 */
guint
ts_probe_list_view_get_n_probes (TsProbeListView *self)
{
  g_return_val_if_fail (TS_IS_PROBE_LIST_VIEW (self), 0);
  return self->probes->len;
}
