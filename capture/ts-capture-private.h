/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-capture-private.h: the working half of a capture session: its two threads and what they share
 * with the session object.
 *
 * #TsCaptureCore belongs to one session. The fields between the marks belong to the thread named
 * there; what both sides touch is behind the mutex or atomic. The core never touches the session
 * object: it calls @wake, which must be callable on any thread.
 */
#pragma once

#include <stdatomic.h>

#include "ts-capture-session.h"
#include "ts-pipeline-private.h"
#include "ts-source.h"

G_BEGIN_DECLS

/**
 * TsCaptureNews: what the threads have to say; copied out under the lock.
 * @state: as far as the threads know
 * @messages: (element-type utf8): sentences since the last time, the newest one last
 * @error: (nullable): why it failed
 * @stats: figures
 * @has_data: new events were published since the last time
 * @is_ended: both threads are about to return; the recording is complete
 */
typedef struct
{
  TsCaptureState state;
  GPtrArray *messages;
  GError *error;
  TsCaptureStats stats;
  gboolean has_data;
  gboolean is_ended;
} TsCaptureNews;

typedef void (*TsCaptureWake) (gpointer user_data);

typedef struct
{
  /* constant while the threads run */
  char *output;
  char *transport;
  char *description;
  TsRingMode ring_mode;
  gboolean keep_raw_log;
  gint64 duration_us;
  char *trigger;               /* nullable */
  TsTriggerOptions trigger_options;
  guint64 clock_hz;
  TsNames *names;              /* (nullable) */
  char *hardware_trace;        /* (nullable): JSON */
  char *image;                 /* (nullable): JSON of what a source put in force; behind the mutex */
  atomic_int has_image;
  gboolean is_waiting_source;  /* the source waits for room instead of losing bytes */
  gboolean has_polled;         /* values are polled beside the target's bytes */
  gboolean is_file;            /* does not get better by waiting */
  gsize max_emit_bytes;
  TsSource *source;
  TsBufferRing *ring;
  GCancellable *cancellable;   /* stops the source */
  TsCaptureWake wake;
  gpointer wake_data;
  GThread *io_thread;
  GThread *decode_thread;      /* made by the I/O thread; joined after "ended" */

  /* decode thread; after "ended" the session's */
  TsPipeline *pipeline;
  TsRecordingSummary summary;
  gboolean has_summary;

  /* decode thread only */
  gint64 started_us;
  gint64 ticked_us;
  gint64 told_us;
  gint64 rate_us;
  guint64 rate_bytes;
  guint64 rate_events;
  gint64 data_us;              /* of the last bytes */
  gboolean is_idle;
  TsTriggerState trigger_state; /* as last told */
  guint64 trigger_fired;
  guint64 published_events;

  /* both threads and the session */
  _Atomic guint64 n_bytes;
  _Atomic guint64 n_reconnects;
  _Atomic guint64 n_datagrams_dropped;
  _Atomic guint64 n_bytes_ignored;
  _Atomic int is_consumer_gone;
  GMutex lock;                 /* protects the rest */
  TsCaptureNews news;
  GHashTable *figures;         /* static string -> guint64 *: what the source told */
  GString *warnings;           /* one a line */
  GPtrArray *metas;            /* of char *, "key=value": what the source told since */
  GError *source_error;
  const char *end_reason;      /* static string; the first one said counts */
} TsCaptureCore;

TsCaptureCore *_ts_capture_core_new (void);
void _ts_capture_core_free (TsCaptureCore *self);
gboolean _ts_capture_core_start (TsCaptureCore *self,
                                 GError **error);
void _ts_capture_core_stop (TsCaptureCore *self,
                            const char *end_reason);
void _ts_capture_core_join (TsCaptureCore *self);
void _ts_capture_core_take_news (TsCaptureCore *self,
                                 TsCaptureNews *news);
void _ts_capture_news_clear (TsCaptureNews *news);

G_END_DECLS
