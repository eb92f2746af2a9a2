/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-source.h: where bytes come from.
 *
 * A source is a table of functions run by the session's I/O thread: open, then run until cancelled
 * or ended. It pushes bytes through the emit function and knows nothing of their meaning. Sources
 * are found by transport name in one driver table (ts-source.c).
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
 * Called on the I/O thread with bytes that just arrived. Returns %FALSE when they could not be
 * taken (counted, the source goes on); a source that can wait (file, demo) may offer them again.
 */
typedef gboolean (*TsSourceEmit) (guint32 source_id,
                                  gint64 host_us,
                                  const guint8 *bytes,
                                  gsize n_bytes,
                                  gpointer user_data);

/**
 * TsSourceNote:
 * @TS_SOURCE_NOTE_MESSAGE: a sentence for the person who watches (text)
 * @TS_SOURCE_NOTE_RECONNECTED: the connection was lost and made again; bytes may be missing before
 * the next ones (text)
 * @TS_SOURCE_NOTE_DATAGRAMS_DROPPED: the system dropped datagrams before we could read them (n)
 * @TS_SOURCE_NOTE_BYTES_IGNORED: bytes that were read and could not be used, such as those of too
 * many senders (n)
 * @TS_SOURCE_NOTE_FIGURE: a figure for the table `health`: its key, a static string (text), and its
 * value so far (n)
 * @TS_SOURCE_NOTE_WARNING: a sentence that must not be missed: it is kept in the recording (text)
 * @TS_SOURCE_NOTE_META: a row for the table `meta`: key, `=` and value (text)
 *
 * What a source tells besides bytes.
 */
typedef enum
{
  TS_SOURCE_NOTE_MESSAGE,
  TS_SOURCE_NOTE_RECONNECTED,
  TS_SOURCE_NOTE_DATAGRAMS_DROPPED,
  TS_SOURCE_NOTE_BYTES_IGNORED,
  TS_SOURCE_NOTE_FIGURE,
  TS_SOURCE_NOTE_META,
  TS_SOURCE_NOTE_WARNING,
} TsSourceNote;

/** Sender number of polled values, which are decoded beside the other bytes. */
#define TS_SOURCE_ID_POLLED 0x7FFFFFFFu

/**
 * TsSourceNotify:
 * @note: what kind of news
 * @n: a number, or 0
 * @text: (nullable): a sentence
 *
 * Called on the I/O thread, inside open() or run().
 */
typedef void (*TsSourceNotify) (TsSourceNote note,
                                guint64 n,
                                const char *text,
                                gpointer user_data);

/**
 * TsSourceClass:
 * @transport: name as in the connection file
 * @create: copies the settings out of the connection; checks nothing that needs the outside world
 * @open: opens, on the I/O thread; %FALSE with one clear sentence
 * @run: reads until @cancellable is cancelled (returns %TRUE), the source ended by itself (returns
 * %TRUE, end of file), or broke (%FALSE)
 * @describe: one line for the window ("UDP 0.0.0.0:17200")
 * @format: decoder format for these settings ("va-cobs", "va", ...), or "auto"
 * @lossless: the source waits when the ring is full (file, demo) instead of losing bytes
 * @polls: (nullable): whether values of sender %TS_SOURCE_ID_POLLED come beside the other bytes
 * @free: frees it
 */
typedef struct
{
  const char *transport;
  TsSource *(*create) (TsConnection *connection,
                       GError **error);
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
  gboolean (*polls) (TsSource *source);
  void (*free) (TsSource *source);
} TsSourceClass;

/**
 * TsSource:
 * @klass: its functions
 * @notify: (nullable): set by the session before open()
 * @notify_data: for @notify
 */
struct _TsSource
{
  const TsSourceClass *klass;
  TsSourceNotify notify;
  gpointer notify_data;
};

TsSource *ts_source_new (TsConnection *connection,
                         GError **error);
void ts_source_free (TsSource *source);

/* Serial ports as `ports` lists them: NULL-terminated, (transfer full). */
char **ts_source_list_serial_ports (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSource, ts_source_free)

G_END_DECLS
