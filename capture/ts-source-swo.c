/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-swo.c: the bytes of a target's SWO pin, received by a probe. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-core-watch-private.h"
#include "ts-poll-private.h"
#include "ts-source-private.h"
#include "ts-trace-target-private.h"

/* As large as the largest buffer of a probe. */
#define READ_BYTES 16384
/* So that the probe's buffer cannot fill. Source: probes.md section 1.10 */
#define SLOW_HZ 2000000
#define SLOW_PAUSE_US 5000
#define FAST_PAUSE_US 1000
#define WATCH_US (G_USEC_PER_SEC / 4)
#define SILENCE_US G_USEC_PER_SEC
#define UNREADABLE_US (2 * G_USEC_PER_SEC)

typedef struct
{
  TsSource parent;

  TsConnection *connection; /* our own copy */
  TsProbe *probe;
  TsPoller *poller;
  TsTraceTarget target;
  gboolean has_target;
  char *format;
  guint hz;
  gboolean do_init;
  const char *silence;
  guint64 n_bytes;
  guint64 n_reads;
  guint64 n_recoveries; /* of the conversation with the probe, told so far */
  guint n_resets;
  gint64 heard_us;
  gint64 watched_us;
  gint64 failing_us;
  guint8 bytes[READ_BYTES];
} Swo;

static const TsSourceClass *
get_class (const char *transport)
{
  if (g_str_has_prefix (transport, "jlink"))
    return &_ts_source_jlink_swo_class;

  return g_str_has_prefix (transport, "cmsis-dap") ? &_ts_source_cmsis_dap_swo_class
                                                   : &_ts_source_stlink_swo_class;
}

static TsSource *
swo_create (TsConnection *connection,
            GError **error)
{
  JsonObject *block = ts_connection_get_object (connection, "hardware-trace");
  TsHardwareTrace wanted;
  Swo *self = g_new0 (Swo, 1);

  self->parent.klass = get_class (ts_connection_get_transport (connection));
  self->connection = ts_connection_copy (connection);
  self->do_init = ts_connection_get_bool (connection, "init-swo");
  ts_hardware_trace_init (&wanted);
  (void) ts_hardware_trace_read (&wanted, block, NULL);
  self->format = g_strdup_printf ("va-itm:port=%d,prescaler=%d",
                                  (int) ts_connection_get_int (connection, "itm-port"),
                                  MAX (wanted.timestamps, 1));
  ts_hardware_trace_clear (&wanted);

  return &self->parent;
}

static gboolean
swo_open (TsSource *source,
          GCancellable *cancellable,
          GError **error)
{
  Swo *self = (Swo *) source;
  g_autofree char *mismatch = NULL;

  if (!_ts_poller_new_for (self->connection, &self->poller, error))
    return FALSE;
  self->probe = ts_probe_open_connection_to_reset (self->connection, error);
  if (self->probe == NULL)
    return FALSE;
  mismatch = _ts_core_dup_mismatch (self->probe, self->connection);
  if (mismatch != NULL)
    _ts_source_note (source, TS_SOURCE_NOTE_WARNING, 0, "%s", mismatch);

  return TRUE;
}

/* ---- set-up ---- */

/* Makes the image, checks what can be wrong with it, and keeps it for the recording. */
static gboolean
prepare_target (Swo *self,
                GError **error)
{
  const TsTraceImage *image;

  if (!_ts_trace_target_prepare (&self->target, self->probe, self->connection, error))
    return FALSE;
  self->has_target = TRUE;
  image = self->target.image;
  if (self->target.arch == TS_TRACE_ARCH_V6M)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                           _("This core (ARMv6-M) has no SWO pin: use the RAM ring or RTT."));
      return FALSE;
    }
  if (image->wanted.is_manchester)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           _("Probes receive SWO in NRZ coding only: set “protocol” of "
                             "“trace-port” to nrz."));
      return FALSE;
    }
  if (self->do_init && !_ts_trace_target_check_rate (&self->target, error))
    return FALSE;
  _ts_trace_target_tell (&self->target, &self->parent);

  return TRUE;
}

/* Rate of the receiver: that which the divider gives, or what the firmware is said to have set. */
static guint
get_rate (Swo *self)
{
  const TsTraceImage *image = self->target.image;

  return (guint) (self->do_init ? image->true_swo_hz : image->swo_hz);
}

/* Everything from the reset to the first byte: the core stands at its first instruction while its
 * trace hardware is set up, so that its boot is seen. */
static gboolean
arm (Swo *self,
     GError **error)
{
  gboolean do_reset = !ts_connection_get_bool (self->connection, "no-reset");
  gboolean is_held = do_reset && self->do_init;
  guint32 dhcsr;

  if (is_held && !ts_probe_reset_and_hold (self->probe, error))
    return FALSE;
  if (!prepare_target (self, error))
    return FALSE;
  self->hz = get_rate (self);
  if (self->do_init && !_ts_trace_target_apply (&self->target, error))
    return FALSE;
  if (!ts_probe_swo_start (self->probe, self->hz, error))
    return FALSE;
  /* a reset of our own must not be taken for one that comes later */
  if (is_held ? !ts_probe_resume (self->probe, error)
              : do_reset && !ts_probe_reset (self->probe, error))
    return FALSE;
  _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0, _("SWO at %u Hz%s%s"), self->hz,
                   self->target.part != NULL ? ", " : "",
                   self->target.part != NULL ? self->target.part->name : "");
  _ts_source_figure (&self->parent, "swo_hz", self->hz);

  return ts_probe_read_word (self->probe, TS_CORE_DHCSR, &dhcsr, error);
}

/* ---- receiving ---- */

/* The target was reset by somebody: that stops the trace hardware. */
static gboolean
arm_again (Swo *self,
           GError **error)
{
  self->n_resets++;
  _ts_source_note (&self->parent, TS_SOURCE_NOTE_RECONNECTED, 1,
                   _("The target has restarted: its trace hardware is set up again"));
  if (!self->do_init)
    return TRUE;

  return _ts_trace_target_apply (&self->target, error)
         && ts_probe_swo_start (self->probe, self->hz, error);
}

static gboolean
watch_target (Swo *self,
              gint64 now_us,
              GError **error)
{
  guint32 dhcsr, demcr;

  if (now_us - self->watched_us < WATCH_US)
    return TRUE;
  self->watched_us = now_us;
  if (!ts_probe_read_word (self->probe, TS_CORE_DHCSR, &dhcsr, error))
    return FALSE;
  if ((dhcsr & TS_DHCSR_S_RESET_ST) != 0)
    return arm_again (self, error);
  if (now_us - self->heard_us < SILENCE_US)
    return TRUE;

  /* silence: was the trace hardware switched off, or does the core stand? */
  self->heard_us = now_us;
  if (!ts_probe_read_word (self->probe, TS_CORE_DEMCR, &demcr, error))
    return FALSE;
  if ((demcr & TS_DEMCR_TRCENA) == 0 && self->do_init)
    return arm_again (self, error);
  self->silence = (demcr & TS_DEMCR_TRCENA) == 0
                      ? _("The trace hardware is switched off: let the firmware set it up, or leave "
                          "“init-swo” on.")
                      : _ts_core_explain_silence (self->probe);
  if (self->silence != NULL)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0, "%s", self->silence);

  return TRUE;
}

static void
tell_figures (Swo *self)
{
  const TsProbeCounters *counters = ts_probe_get_counters (self->probe);

  _ts_source_figure (&self->parent, "probe_round_trips", counters->n_trips);
  _ts_source_figure (&self->parent, "probe_retries", counters->n_retries);
  _ts_source_figure (&self->parent, "probe_recoveries", counters->n_recoveries);
  _ts_source_figure (&self->parent, "swo_bytes", self->n_bytes);
  _ts_source_figure (&self->parent, "swo_reads", self->n_reads);
  _ts_source_figure (&self->parent, "target_restarts", self->n_resets);
  if (self->poller != NULL)
    _ts_poller_tell_figures (self->poller, &self->parent);
}

/* Until the next look, or the next value to be polled. */
static void
pause_until_due (Swo *self,
                 GCancellable *cancellable)
{
  gint64 us = self->hz > SLOW_HZ ? FAST_PAUSE_US : SLOW_PAUSE_US;

  if (self->poller != NULL)
    us = MIN (us, _ts_poller_get_due_us (self->poller) - g_get_monotonic_time ());
  _ts_source_pause (us, cancellable);
}

/* The conversation with the probe broke and began anew: what the pin sent meanwhile is missing. */
static void
tell_recovery (Swo *self)
{
  guint64 n_recoveries = ts_probe_get_counters (self->probe)->n_recoveries;

  if (n_recoveries == self->n_recoveries)
    return;
  self->n_recoveries = n_recoveries;
  _ts_source_note (&self->parent, TS_SOURCE_NOTE_RECONNECTED, 1,
                   _("The conversation with the probe broke and was begun anew: bytes of the SWO pin "
                     "may be missing"));
}

static gboolean
receive (Swo *self,
         TsSourceEmit emit,
         gpointer user_data,
         GCancellable *cancellable,
         GError **error)
{
  gboolean is_last = FALSE;

  self->heard_us = g_get_monotonic_time ();
  while (!is_last)
    {
      gint64 now_us;
      gssize n;

      /* what arrived at the probe before the stop is taken along */
      is_last = g_cancellable_is_cancelled (cancellable);
      n = ts_probe_swo_read (self->probe, self->bytes, sizeof self->bytes, error);
      if (n < 0)
        return FALSE;
      now_us = g_get_monotonic_time ();
      tell_recovery (self);
      if (n > 0)
        {
          emit (0, now_us, self->bytes, (gsize) n, user_data);
          self->n_bytes += (guint64) n;
          self->n_reads++;
          self->heard_us = now_us;
          self->silence = NULL;
        }
      if (is_last && n > 0)
        {
          is_last = FALSE; /* until the probe has no more */
          continue;
        }
      if (self->poller != NULL
          && !_ts_poller_step (self->poller, self->probe, now_us, emit, user_data, error))
        return FALSE;
      if (!is_last)
        {
          g_autoptr (GError) local_error = NULL;

          if (watch_target (self, now_us, &local_error))
            self->failing_us = 0;
          else if (self->failing_us == 0)
            self->failing_us = now_us;
          else if (now_us - self->failing_us > UNREADABLE_US || ts_probe_is_gone (self->probe))
            {
              g_propagate_error (error, g_steal_pointer (&local_error));
              return FALSE;
            }
          tell_figures (self);
          if (n == 0)
            pause_until_due (self, cancellable);
        }
    }

  return TRUE;
}

static gboolean
swo_run (TsSource *source,
         TsSourceEmit emit,
         gpointer user_data,
         GCancellable *cancellable,
         GError **error)
{
  Swo *self = (Swo *) source;
  gboolean is_ok = arm (self, error) && receive (self, emit, user_data, cancellable, error);

  ts_probe_swo_stop (self->probe);
  tell_figures (self);
  if (is_ok && self->n_bytes == 0 && self->poller == NULL)
    {
      if (self->silence == NULL)
        self->silence = _ts_core_explain_silence (self->probe);
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                   _("Not one byte came from the SWO pin: %s"),
                   self->silence != NULL
                       ? self->silence
                       : _("check that the pin is wired to the probe, that “cpu-clock-hz” is the "
                           "core's clock, and that the firmware records to ITM."));
      return FALSE;
    }

  return is_ok;
}

static char *
swo_describe (TsSource *source)
{
  g_autofree char *probe = ts_probe_dup_connection_name (((Swo *) source)->connection);

  return g_strdup_printf ("%s, SWO", probe);
}

static const char *
swo_format (TsSource *source)
{
  return ((Swo *) source)->format;
}

static gboolean
swo_polls (TsSource *source)
{
  return ts_connection_get_polled_symbols (((Swo *) source)->connection) != NULL;
}

static void
swo_free (TsSource *source)
{
  Swo *self = (Swo *) source;

  if (self->has_target)
    _ts_trace_target_clear (&self->target);
  g_clear_pointer (&self->poller, _ts_poller_free);
  g_clear_pointer (&self->probe, ts_probe_close);
  g_clear_object (&self->connection);
  g_free (self->format);
  g_free (self);
}

#define SWO_CLASS(name)                                                                            \
  {                                                                                                \
    .transport = name, .create = swo_create, .open = swo_open, .run = swo_run,                     \
    .describe = swo_describe, .format = swo_format, .lossless = FALSE, .polls = swo_polls,         \
    .free = swo_free,                                                                              \
  }

const TsSourceClass _ts_source_stlink_swo_class = SWO_CLASS ("stlink-swo");
const TsSourceClass _ts_source_jlink_swo_class = SWO_CLASS ("jlink-swo");
const TsSourceClass _ts_source_cmsis_dap_swo_class = SWO_CLASS ("cmsis-dap-swo");
