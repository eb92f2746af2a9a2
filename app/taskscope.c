/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * taskscope.c: the program with windows.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <glib/gi18n.h>

#include "ui/ts-application.h"

int
main (int argc,
      char **argv)
{
  /* a build folder has its translations, too */
  const char *locale_folder = g_getenv ("TASKSCOPE_LOCALEDIR");
  g_autoptr (TsApplication) application = NULL;

#ifdef __GLIBC__
  /* Workers come and go, and each would leave memory of its own behind: 50 MB with 100 M events. */
  mallopt (M_ARENA_MAX, 2);
  /* What is large goes back at once, and holds nothing small in its place. */
  mallopt (M_MMAP_THRESHOLD, 1 << 20);
  mallopt (M_TRIM_THRESHOLD, 4 << 20);
#endif
  setlocale (LC_ALL, "");
  /* what is written never depends on the language */
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();
  bindtextdomain (GETTEXT_PACKAGE, locale_folder != NULL ? locale_folder : TS_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_application_name ("Taskscope");
  gtk_window_set_default_icon_name (TS_APP_ID);
  application = ts_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
