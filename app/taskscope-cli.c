/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <stdio.h>

#include "ts-cli.h"

int
main (int argc,
      char *argv[])
{
  /* a build folder has its translations, too */
  const char *locale_folder = g_getenv ("TASKSCOPE_LOCALEDIR");
  int status;

  setlocale (LC_ALL, "");
  /* what is written never depends on the language */
  setlocale (LC_NUMERIC, "C");
  bindtextdomain (GETTEXT_PACKAGE, locale_folder != NULL ? locale_folder : TS_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  status = ts_cli_run (argc, argv);
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;

  ts_cli_remark ("%s", _("The answer could not be written to standard output."));
  return 1;
}
