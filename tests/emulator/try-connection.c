/* SPDX-License-Identifier: GPL-3.0-or-later */
/* try-connection.c: `try-connection JSON [LISTEN_MS]`: tests a connection and prints its steps, one a
 * line: number, result, text. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/ts-connection-test.h"

static void
tell (guint step,
      TsTestResult result,
      const char *text,
      gpointer user_data)
{
  static const char *const words[] = { "busy", "passed", "doubtful", "failed" };

  printf ("%u %s %s\n", step, words[result], text);
  fflush (stdout);
}

int
main (int argc,
      char **argv)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  guint listen_ms = argc > 2 ? (guint) atoi (argv[2]) : 3000;

  if (argc < 2)
    return 2;
  if (!ts_connection_load_data (connection, argv[1], -1, "connection", FALSE, &error)
      || !ts_connection_test (connection, listen_ms, tell, NULL, NULL, &error))
    {
      printf ("error %s\n", error->message);
      return 1;
    }

  return 0;
}
