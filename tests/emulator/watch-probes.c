/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * watch-probes.c: prints the list of probes whenever it changes, "[SERIAL SERIAL]", until a list of
 * the wanted length was seen for each argument in turn; ends with status 1 after a minute.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/ts-probe-monitor.h"

typedef struct
{
  GMainLoop *loop;
  char **wanted;
  gboolean is_late;
} Watcher;

static void
on_changed (TsProbeMonitor *monitor,
            gpointer user_data)
{
  Watcher *self = user_data;
  GPtrArray *probes = ts_probe_monitor_get_probes (monitor);

  g_assert_true (ts_probe_monitor_is_ready (monitor));
  printf ("[");
  for (guint i = 0; i < probes->len; i++)
    {
      const TsProbeInfo *info = g_ptr_array_index (probes, i);

      printf ("%s%s", i > 0 ? " " : "", info->serial != NULL ? info->serial : "-");
    }
  printf ("]\n");
  fflush (stdout);
  if (*self->wanted != NULL && probes->len == (guint) atoi (*self->wanted))
    self->wanted++;
  if (*self->wanted == NULL)
    g_main_loop_quit (self->loop);
}

static gboolean
on_late (gpointer user_data)
{
  Watcher *self = user_data;

  self->is_late = TRUE;
  g_main_loop_quit (self->loop);

  return G_SOURCE_REMOVE;
}

int
main (int argc,
      char **argv)
{
  Watcher self = { g_main_loop_new (NULL, FALSE), argv + 1, FALSE };
  TsProbeMonitor *monitor = ts_probe_monitor_new ();

  g_signal_connect (monitor, "changed", G_CALLBACK (on_changed), &self);
  g_timeout_add_seconds (60, on_late, &self);
  g_main_loop_run (self.loop);
  ts_probe_monitor_refresh (monitor);
  g_object_unref (monitor);
  g_main_loop_unref (self.loop);

  return self.is_late ? 1 : 0;
}
