/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-poll.c: variables of the firmware, polled through a probe with no capture beside. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-core-watch-private.h"
#include "ts-poll-private.h"
#include "ts-source-private.h"

#define FIGURES_US (G_USEC_PER_SEC / 4)
#define CORE_US G_USEC_PER_SEC

typedef struct
{
  TsSource parent;

  TsConnection *connection; /* our own copy */
  TsProbe *probe;
  TsPoller *poller;
} Poll;

/* Symbols are resolved here: what is wrong with them needs no probe to be told. */
static TsSource *
poll_create (TsConnection *connection,
             GError **error)
{
  const char *transport = ts_connection_get_transport (connection);
  GArray *symbols;
  Poll *self;

  if (ts_probe_type_of_transport (transport) == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("Polling reads target memory: the transport is stlink-... or jlink-..., not "
                     "“%s”."),
                   transport);
      return NULL;
    }
  self = g_new0 (Poll, 1);
  self->parent.klass = &_ts_source_poll_class;
  self->connection = ts_connection_copy (connection);
  symbols = ts_poll_symbols_of_connection (connection, error);
  if (symbols == NULL)
    {
      _ts_source_poll_class.free (&self->parent);
      return NULL;
    }
  self->poller = _ts_poller_new (symbols, ts_connection_get_poll_hz (connection), 0);

  return &self->parent;
}

static gboolean
poll_open (TsSource *source,
           GCancellable *cancellable,
           GError **error)
{
  Poll *self = (Poll *) source;

  self->probe = ts_probe_open_connection (self->connection, error);

  return self->probe != NULL;
}

static gboolean
poll_run (TsSource *source,
          TsSourceEmit emit,
          gpointer user_data,
          GCancellable *cancellable,
          GError **error)
{
  Poll *self = (Poll *) source;
  gint64 told_us = 0, looked_us = g_get_monotonic_time ();
  const char *silence = NULL;

  while (!g_cancellable_is_cancelled (cancellable))
    {
      gint64 now_us = g_get_monotonic_time ();

      if (!_ts_poller_step (self->poller, self->probe, now_us, emit, user_data, error))
        return FALSE;
      if (now_us - told_us > FIGURES_US)
        {
          _ts_poller_tell_figures (self->poller, source);
          told_us = now_us;
        }
      if (now_us - looked_us > CORE_US)
        {
          const char *why = _ts_core_explain_silence (self->probe);

          if (why != NULL && why != silence)
            _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0, "%s", why);
          silence = why;
          looked_us = now_us;
        }
      _ts_source_pause (_ts_poller_get_due_us (self->poller) - g_get_monotonic_time (),
                        cancellable);
    }
  _ts_poller_tell_figures (self->poller, source);

  return TRUE;
}

static char *
poll_describe (TsSource *source)
{
  Poll *self = (Poll *) source;

  g_autofree char *probe = ts_probe_dup_connection_name (self->connection);

  return g_strdup_printf (_("%s, polled variables"), probe);
}

static const char *
poll_format (TsSource *source)
{
  return "poll";
}

static void
poll_free (TsSource *source)
{
  Poll *self = (Poll *) source;

  g_clear_pointer (&self->poller, _ts_poller_free);
  g_clear_pointer (&self->probe, ts_probe_close);
  g_clear_object (&self->connection);
  g_free (self);
}

/* Not in the table of transports: it is made for a connection that polls alone. */
const TsSourceClass _ts_source_poll_class = {
  .transport = "poll",
  .create = poll_create,
  .open = poll_open,
  .run = poll_run,
  .describe = poll_describe,
  .format = poll_format,
  .lossless = FALSE,
  .free = poll_free,
};
