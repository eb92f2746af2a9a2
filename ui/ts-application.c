/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-application.h"
#include "ui/ts-help-window.h"
#include "ui/ts-window.h"

struct _TsApplication
{
  AdwApplication parent_instance;
};

G_DEFINE_FINAL_TYPE (TsApplication, ts_application, ADW_TYPE_APPLICATION)

/* All keys of the program in one table; those of the timeline alone are in ts-timeline-input.c. */
static const struct
{
  const char *action;
  const char *accels[3];
} keys[] = {
  { "app.new-window", { "<Control>n", NULL } },
  { "app.quit", { "<Control>q", NULL } },
  { "app.help", { "F1", NULL } },
  { "window.close", { "<Control>w", NULL } },
  { "win.open", { "<Control>o", NULL } },
  { "win.compare", { "<Control><Shift>o", NULL } },
  { "win.record", { "<Control>r", NULL } },
  { "win.follow", { "<Control>e", NULL } },
  { "win.undo-view", { "<Alt>Left", "<Control>z", NULL } },
  { "win.redo-view", { "<Alt>Right", "<Control><Shift>z", NULL } },
  { "win.zoom-range", { "<Control>Return", NULL } },
  { "win.fit", { "<Control>0", NULL } },
  { "win.export", { "<Control><Shift>s", NULL } },
  { "win.copy-picture", { "<Control><Shift>c", NULL } },
  { "win.export-csv", { "<Control><Shift>e", NULL } },
  { "win.export-picture", { "<Control><Shift>p", NULL } },
  { "win.next-pane", { "F6", NULL } },
  { "win.previous-pane", { "<Shift>F6", NULL } },
  { "win.show-capture", { "F9", NULL } },
  { "win.show-inspector", { "<Shift>F9", NULL } },
  { "win.show-events", { "<Control>F9", NULL } },
  { "win.show-tab::marks", { "<Alt>5", NULL } },
  { "win.preferences", { "<Control>comma", NULL } },
  { "win.search", { "<Control>f", NULL } },
  { "win.find-lane", { "<Control>l", NULL } },
  { "win.next-hit", { "<Control>g", NULL } },
  { "win.previous-hit", { "<Control><Shift>g", NULL } },
  { "win.clear-filters", { "<Control><Shift>f", NULL } },
  { "win.show-tab::events", { "<Alt>1", NULL } },
  { "win.show-tab::statistics", { "<Alt>2", NULL } },
  { "win.show-tab::findings", { "<Alt>3", NULL } },
  { "win.show-tab::communication", { "<Alt>4", NULL } },
  { "win.show-help-overlay", { "<Control>question", NULL } },
};

/* The window in front if it shows nothing yet, else a new one. */
static TsWindow *
get_empty_window (TsApplication *self)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (active != NULL && TS_IS_WINDOW (active) && ts_window_is_empty (TS_WINDOW (active)))
    return TS_WINDOW (active);
  return ts_window_new (GTK_APPLICATION (self));
}

/* --- actions ---------------------------------------------------------------------------------- */

static void
on_new_window (GSimpleAction *action,
               GVariant *parameter,
               gpointer user_data)
{
  gtk_window_present (GTK_WINDOW (ts_window_new (GTK_APPLICATION (user_data))));
}

/* Each window is asked, so that a running capture is finished first. */
static void
on_quit (GSimpleAction *action,
         GVariant *parameter,
         gpointer user_data)
{
  GList *windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (user_data)));
  GList *l;

  for (l = windows; l != NULL; l = l->next)
    gtk_window_close (GTK_WINDOW (l->data));
  g_list_free (windows);
}

/* The session ends, or somebody asks from a shell: as Ctrl+Q. A second time it has the system's effect. */
static gboolean
on_terminate (gpointer user_data)
{
  g_action_group_activate_action (G_ACTION_GROUP (user_data), "quit", NULL);
  return G_SOURCE_REMOVE;
}

static void
on_about (GSimpleAction *action,
          GVariant *parameter,
          gpointer user_data)
{
  GtkWindow *active = gtk_application_get_active_window (GTK_APPLICATION (user_data));

  adw_show_about_window (active, "application-name", _ ("Taskscope"), "application-icon", TS_APP_ID,
                         "version", TS_VERSION, "developer-name", _ ("The Taskscope authors"),
                         "license-type", GTK_LICENSE_GPL_3_0, "comments",
                         _ ("An oscilloscope for firmware: it records what an RTOS or bare-metal "
                            "target does and draws it on a timeline, live."),
                         NULL);
}

static void
on_demo (GSimpleAction *action,
         GVariant *parameter,
         gpointer user_data)
{
  TsWindow *window = get_empty_window (TS_APPLICATION (user_data));

  gtk_window_present (GTK_WINDOW (window));
  ts_window_start_demo (window);
}

/* Of a notification: the window comes to the front. */
static void
on_show (GSimpleAction *action,
         GVariant *parameter,
         gpointer user_data)
{
  g_application_activate (G_APPLICATION (user_data));
}

/* One manual, whichever window asked; it opens where it was left, or at the page named. */
static void
on_help (GSimpleAction *action,
         GVariant *parameter,
         gpointer user_data)
{
  GtkApplication *application = user_data;
  TsHelpWindow *help = NULL;
  GList *l;

  for (l = gtk_application_get_windows (application); l != NULL && help == NULL; l = l->next)
    if (TS_IS_HELP_WINDOW (l->data))
      help = l->data;
  if (help == NULL)
    help = ts_help_window_new (application);
  if (parameter != NULL)
    ts_help_window_show_page (help, g_variant_get_string (parameter, NULL));
  gtk_window_present (GTK_WINDOW (help));
}

/* --- command line ----------------------------------------------------------------------------- */

static void
ts_application_activate (GApplication *application)
{
  GtkWindow *window = NULL;
  GList *l;

  /* the one used last; the manual alone is none to come back to */
  for (l = gtk_application_get_windows (GTK_APPLICATION (application)); l != NULL && window == NULL;
       l = l->next)
    if (TS_IS_WINDOW (l->data))
      window = l->data;
  if (window == NULL)
    window = GTK_WINDOW (ts_window_new (GTK_APPLICATION (application)));
  gtk_window_present (window);
}

static void
ts_application_open (GApplication *application,
                     GFile **files,
                     int n_files,
                     const char *hint)
{
  int i;

  for (i = 0; i < n_files; i++)
    {
      TsWindow *window = get_empty_window (TS_APPLICATION (application));

      gtk_window_present (GTK_WINDOW (window));
      ts_window_open (window, files[i]);
    }
}

/* In the process that was started: turns options into what the (maybe other) main process does. */
static int
ts_application_command_line (GApplication *application,
                             GApplicationCommandLine *command_line)
{
  TsApplication *self = TS_APPLICATION (application);
  GVariantDict *options = g_application_command_line_get_options_dict (command_line);
  g_auto (GStrv) names = NULL;
  const char *connection = NULL;
  gboolean is_demo = FALSE;
  int i;

  g_variant_dict_lookup (options, "demo", "b", &is_demo);
  g_variant_dict_lookup (options, "connection", "^&ay", &connection);
  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^aay", &names);
  if (!is_demo && connection == NULL && names == NULL)
    {
      g_application_activate (application);
      return 0;
    }
  for (i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autoptr (GFile) file = NULL;

      file = g_application_command_line_create_file_for_arg (command_line, names[i]);
      ts_application_open (application, &file, 1, "");
    }
  if (connection != NULL)
    {
      TsWindow *window = get_empty_window (self);
      g_autoptr (GFile) file = NULL;

      file = g_application_command_line_create_file_for_arg (command_line, connection);
      gtk_window_present (GTK_WINDOW (window));
      if (ts_window_load_connection (window, file) && is_demo)
        ts_window_start_loaded_demo (window);
      is_demo = FALSE;
    }
  if (is_demo)
    {
      TsWindow *window = get_empty_window (self);

      gtk_window_present (GTK_WINDOW (window));
      ts_window_start_demo (window);
    }
  return 0;
}

static int
ts_application_handle_local_options (GApplication *application,
                                     GVariantDict *options)
{
  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("Taskscope %s\n", TS_VERSION);
      return 0;
    }
  return -1;
}

static void
ts_application_startup (GApplication *application)
{
  static const GActionEntry actions[] = {
    { .name = "new-window", .activate = on_new_window },
    { .name = "about", .activate = on_about },
    { .name = "show", .activate = on_show },
    { .name = "demo", .activate = on_demo },
    { .name = "help", .activate = on_help },
    { .name = "help-page", .activate = on_help, .parameter_type = "s" },
    { .name = "quit", .activate = on_quit },
  };
  guint i;

  G_APPLICATION_CLASS (ts_application_parent_class)->startup (application);
  ts_format_use_locale (gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions),
                                   application);
  for (i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), keys[i].action,
                                           keys[i].accels);
  g_unix_signal_add (SIGTERM, on_terminate, application);
  g_unix_signal_add (SIGINT, on_terminate, application);
  g_unix_signal_add (SIGHUP, on_terminate, application);
}

static void
ts_application_class_init (TsApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->startup = ts_application_startup;
  application_class->activate = ts_application_activate;
  application_class->open = ts_application_open;
  application_class->command_line = ts_application_command_line;
  application_class->handle_local_options = ts_application_handle_local_options;
}

static void
ts_application_init (TsApplication *self)
{
  static const GOptionEntry options[] = {
    { "demo", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Record the simulated target"), NULL },
    { "connection", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Load a connection into the capture panel"), N_ ("FILE.vacf") },
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Print the version and exit"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_ ("[FILE…]") },
    { NULL },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), options);
  g_application_set_option_context_summary (
      G_APPLICATION (self),
      _ ("Opens recordings (.vadb), connections (.vacf) and files of captured bytes."));
}

/**
 * ts_application_new:
 *
 * Thread: main
 *
 * Returns: (transfer full): the program
 */
TsApplication *
ts_application_new (void)
{
  return g_object_new (TS_TYPE_APPLICATION, "application-id", TS_APP_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN | G_APPLICATION_HANDLES_COMMAND_LINE,
                       "resource-base-path", "/io/github/taskscope/Taskscope", NULL);
}
