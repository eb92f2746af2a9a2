/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-rambuf.c: the recorder's ring in the RAM of a target behind a probe. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-ring-drain-private.h"
#include "ts-source-private.h"

/* Some firmware starts its recorder seconds after the reset. */
#define FIND_MS 10000
#define FIND_POLL_MS 20
#define FIND_TELL_MS 1000
/* A block that a former run left in RAM looks valid until the new one clears it. */
#define STALE_MS 500
#define EMIT_BYTES 32768

typedef struct
{
  TsSource parent;

  const char *probe_type; /* static */
  char *serial;
  TsProbeOptions options;
  gboolean do_reset;
  guint poll_ms;
  TsRingDrain drain;
  TsProbe *probe;
} Rambuf;

static TsSource *
rambuf_create (TsConnection *connection,
               GError **error)
{
  Rambuf *self = g_new0 (Rambuf, 1);
  const char *transport = ts_connection_get_transport (connection);

  self->parent.klass = &_ts_source_stlink_rambuf_class;
  self->probe_type = g_str_has_prefix (transport, "jlink") ? "jlink" : "stlink";
  self->serial = g_strdup (ts_connection_get_string (
      connection, g_str_equal (self->probe_type, "jlink") ? "jlink-serial" : "stlink-serial"));
  self->options.serial = self->serial;
  self->options.speed_khz = (guint) ts_connection_get_int (connection, "speed-khz");
  self->options.access_port = (guint) ts_connection_get_int (connection, "stlink-apid");
  self->do_reset = !ts_connection_get_bool (connection, "no-reset");
  self->poll_ms = (guint) ts_connection_get_int (connection, "rambuf-poll-ms");
  self->drain.scan_start = (guint32) ts_connection_get_int (connection, "rambuf-scan-start");
  self->drain.scan_size
      = (gsize) MIN ((guint64) ts_connection_get_int (connection, "rambuf-scan-size"),
                     G_GUINT64_CONSTANT (0x100000000) - self->drain.scan_start);
  self->drain.is_given = ts_connection_has (connection, "rambuf-address");
  if (self->drain.is_given)
    self->drain.address = (guint32) ts_connection_get_int (connection, "rambuf-address");

  return &self->parent;
}

/* Resets the target, and waits until a block of its former life is gone. */
static gboolean
reset_target (Rambuf *self,
              GCancellable *cancellable,
              GError **error)
{
  guint8 before[TS_VA_LIVE_BLOCK_LEN], now[TS_VA_LIVE_BLOCK_LEN];
  gint64 deadline;
  gboolean was_found = FALSE;

  if (!_ts_ring_drain_find (&self->drain, &was_found, error))
    return FALSE;
  if (was_found
      && !ts_probe_read (self->probe, self->drain.address, before, sizeof before, error))
    return FALSE;
  if (!ts_probe_reset (self->probe, error))
    return FALSE;

  deadline = g_get_monotonic_time () + STALE_MS * 1000;
  while (was_found && g_get_monotonic_time () < deadline)
    {
      if (!ts_probe_read (self->probe, self->drain.address, now, sizeof now, error))
        return FALSE;
      if (memcmp (before, now, sizeof now) != 0)
        break;
      if (_ts_source_wait (-1, 1, cancellable, NULL) == TS_WAIT_CANCELLED)
        break;
    }
  /* another firmware may keep its block elsewhere */
  if (!self->drain.is_given)
    self->drain.address = 0;
  self->drain.is_found = FALSE;

  return TRUE;
}

static gboolean
rambuf_open (TsSource *source,
             GCancellable *cancellable,
             GError **error)
{
  Rambuf *self = (Rambuf *) source;
  g_autofree char *version = NULL;
  int millivolts;

  self->probe = ts_probe_open (self->probe_type, &self->options, error);
  if (self->probe == NULL)
    return FALSE;
  self->drain.probe = self->probe;
  version = ts_probe_dup_version (self->probe);
  millivolts = ts_probe_get_voltage (self->probe);
  if (millivolts >= 0)
    _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0, _("Probe %s, target supply %d.%02d V"),
                     version, millivolts / 1000, millivolts % 1000 / 10);

  return !self->do_reset || reset_target (self, cancellable, error);
}

/* Waits until the firmware has made its ring. TRUE: found, or cancelled. */
static gboolean
find_ring (Rambuf *self,
           GCancellable *cancellable,
           GError **error)
{
  gint64 start = g_get_monotonic_time ();
  gboolean is_told = FALSE, is_found = FALSE;

  for (;;)
    {
      gint64 waited_ms = (g_get_monotonic_time () - start) / 1000;

      if (!_ts_ring_drain_find (&self->drain, &is_found, error))
        return FALSE;
      if (is_found)
        {
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                           _("Ring of %u bytes at 0x%08x"), self->drain.block.size,
                           self->drain.block.buffer);
          return TRUE;
        }
      if (waited_ms > FIND_MS)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                       _("No recorder ring appeared in target RAM (0x%08x, %zu"
                         " bytes) within 10 s: check “rambuf-scan-start” and “rambuf-address”, and "
                         "that the firmware was built with a ring in RAM and runs."),
                       self->drain.address != 0 ? self->drain.address : self->drain.scan_start,
                       self->drain.address != 0 ? (gsize) TS_VA_LIVE_BLOCK_LEN
                                                : self->drain.scan_size);
          return FALSE;
        }
      if (waited_ms > FIND_TELL_MS && !is_told)
        {
          is_told = TRUE;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                           _("Waiting for the firmware to start its recorder"));
        }
      if (_ts_source_wait (-1, FIND_POLL_MS, cancellable, NULL) == TS_WAIT_CANCELLED)
        return TRUE;
    }
}

static void
emit_bytes (const GByteArray *bytes,
            TsSourceEmit emit,
            gpointer user_data)
{
  gint64 now_us = g_get_monotonic_time ();

  for (gsize at = 0; at < bytes->len; at += EMIT_BYTES)
    emit (0, now_us, bytes->data + at, MIN (EMIT_BYTES, bytes->len - at), user_data);
}

/* Drains until cancelled. */
static gboolean
drain_ring (Rambuf *self,
            TsSourceEmit emit,
            gpointer user_data,
            GCancellable *cancellable,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean is_boot_told = FALSE, is_last = FALSE;

  while (!is_last)
    {
      TsDrainResult result;

      /* what came before the stop is taken along */
      is_last = g_cancellable_is_cancelled (cancellable);
      g_byte_array_set_size (bytes, 0);
      if (!_ts_ring_drain_step (&self->drain, bytes, &result, error))
        return FALSE;

      if (result == TS_DRAIN_BYTES)
        {
          emit_bytes (bytes, emit, user_data);
          if (!_ts_ring_drain_release (&self->drain, error))
            return FALSE;
          if (bytes->len > self->drain.block.size / 4)
            continue;
        }
      else if (result == TS_DRAIN_RESTARTING && !is_boot_told)
        {
          is_boot_told = TRUE;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                           _("The target restarts: waiting for its recorder"));
        }
      else if (result == TS_DRAIN_RESTARTED)
        {
          is_boot_told = FALSE;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_RECONNECTED, 1,
                           _("The target has restarted"));
          continue;
        }
      if (!is_last)
        (void) _ts_source_wait (-1, (int) self->poll_ms, cancellable, NULL);
    }

  return TRUE;
}

static gboolean
rambuf_run (TsSource *source,
            TsSourceEmit emit,
            gpointer user_data,
            GCancellable *cancellable,
            GError **error)
{
  Rambuf *self = (Rambuf *) source;
  const TsProbeCounters *counters = ts_probe_get_counters (self->probe);
  gboolean is_ok = find_ring (self, cancellable, error);

  if (is_ok && self->drain.is_found)
    is_ok = drain_ring (self, emit, user_data, cancellable, error);
  if (is_ok && self->drain.n_bytes > 0)
    _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0,
                     _("%" PRIu64 " bytes in %" PRIu64
                       " round trips to the probe, %" PRIu64 " repeated"),
                     self->drain.n_bytes, counters->n_trips, counters->n_retries);

  return is_ok;
}

static char *
rambuf_describe (TsSource *source)
{
  Rambuf *self = (Rambuf *) source;

  return self->serial != NULL ? g_strdup_printf ("ST-LINK %s, RAM ring", self->serial)
                              : g_strdup ("ST-LINK, RAM ring");
}

static const char *
rambuf_format (TsSource *source)
{
  return "va";
}

static void
rambuf_free (TsSource *source)
{
  Rambuf *self = (Rambuf *) source;

  g_clear_pointer (&self->probe, ts_probe_close);
  g_free (self->serial);
  g_free (self);
}

const TsSourceClass _ts_source_stlink_rambuf_class = {
  .transport = "stlink-rambuf",
  .create = rambuf_create,
  .open = rambuf_open,
  .run = rambuf_run,
  .describe = rambuf_describe,
  .format = rambuf_format,
  .lossless = TRUE,
  .free = rambuf_free,
};
