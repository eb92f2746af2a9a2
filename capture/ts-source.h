/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-source.h: where bytes come from.
 *
 * A source is a table of functions run by the session's I/O thread: open, then run until cancelled or ended. It pushes bytes through
 * the emit function and knows nothing of their meaning. Sources are found by transport name in one driver table (ts-source.c).
 */
#pragma once

#include <gio/gio.h>

#include "ts-connection.h"

G_BEGIN_DECLS

typedef struct _TsSource TsSource;

/**
 * TsSourceEmit:
 * @source_id: sender number, 0 for transports with one sender
 * @host_us: g_get_monotonic_time() of arrival
 *
 * Called on the I/O thread with bytes that just arrived. Returns %FALSE when they could not be taken (counted, the source goes on);
 * a source that can wait (file, demo) may offer them again.
 */
typedef gboolean (*TsSourceEmit) (guint32 source_id,
                                  gint64 host_us,
                                  const guint8 *bytes,
                                  gsize n_bytes,
                                  gpointer user_data);

/**
 * TsSourceClass:
 * @transport: name as in the connection file
 * @open: checks the settings and opens; %FALSE with one clear sentence
 * @run: reads until @cancellable is cancelled (returns %TRUE), the source ended by itself (returns %TRUE, end of file), or broke (%FALSE)
 * @describe: one line for the window ("UDP 0.0.0.0:17200")
 * @format: decoder format for these settings ("va-cobs", "va", ...), or "auto"
 * @lossless: the source waits when the ring is full (file, demo) instead of losing bytes
 * @free: frees it
 */
typedef struct
{
  const char *transport;
  gboolean (*open) (TsSource *source,
                    GCancellable *cancellable,
                    GError **error);
  gboolean (*run) (TsSource *source,
                   TsSourceEmit emit,
                   gpointer user_data,
                   GCancellable *cancellable,
                   GError **error);
  char *(*describe) (TsSource *source);
  const char *(*format) (TsSource *source);
  gboolean lossless;
  void (*free) (TsSource *source);
} TsSourceClass;

struct _TsSource
{
  const TsSourceClass *klass;
};

TsSource *ts_source_new (TsConnection *connection,
                         GError **error);
void ts_source_free (TsSource *source);

/* Serial ports as `ports` lists them: NULL-terminated, (transfer full). */
char **ts_source_list_serial_ports (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSource, ts_source_free)

G_END_DECLS
