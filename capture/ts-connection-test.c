/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-test.c: tries a connection step by step. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "decode/ts-decoder.h"
#include "decode/ts-va-memory.h"

#include "ts-block-survey-private.h"
#include "ts-connection-test.h"
#include "ts-core-watch-private.h"
#include "ts-probe.h"
#include "ts-source.h"
#include "ts-target-ids-private.h"
#include "ts-trace-target-private.h"

/* Below this the target is taken as not powered. Source: probes.md section 1.5 */
#define LOW_MILLIVOLTS 1500
/* Source: probes.md section 4 */
#define RTT_ID "SEGGER RTT\0\0\0\0\0"
#define RTT_ID_LEN 16

typedef struct
{
  TsConnection *connection;
  const char *transport;
  guint listen_ms;
  TsTestStep tell;
  gpointer user_data;
  GCancellable *cancellable;
  guint step;
} Test;

/* ---- telling ---- */

static void
begin (Test *self,
       const char *text)
{
  self->tell (self->step, TS_TEST_BUSY, text, self->user_data);
}

static void end (Test *self,
                 TsTestResult result,
                 const char *format,
                 ...) G_GNUC_PRINTF (3, 4);

static void
end (Test *self,
     TsTestResult result,
     const char *format,
     ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  self->tell (self->step++, result, text, self->user_data);
}

/* ---- the probe, its target, and what lies in its memory ---- */

static TsProbe *
open_probe (Test *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *version = NULL;
  TsProbe *probe;

  begin (self, _("Probe"));
  probe = ts_probe_open_connection (self->connection, &error);
  if (probe == NULL)
    {
      end (self, TS_TEST_FAILED, "%s", error->message);
      return NULL;
    }

  version = ts_probe_dup_version (probe);
  end (self, TS_TEST_PASSED, _("Probe found: %s"), version != NULL ? version : probe->klass->type);

  return probe;
}

static void
test_power (Test *self,
            TsProbe *probe)
{
  int millivolts;

  begin (self, _("Power of the target"));
  millivolts = ts_probe_get_voltage (probe);
  if (millivolts < 0)
    end (self, TS_TEST_DOUBTFUL, _("The probe cannot tell whether the target has power."));
  else if (millivolts < LOW_MILLIVOLTS)
    end (self, TS_TEST_DOUBTFUL,
         _("The probe sees %d.%02d V at the target: is it powered, and is the reference pin of the "
           "connector (VTref) wired?"),
         millivolts / 1000, millivolts % 1000 / 10);
  else
    end (self, TS_TEST_PASSED, _("The target has power: %d.%02d V"), millivolts / 1000,
         millivolts % 1000 / 10);
}

/* What the core does. FALSE: nothing can come from it. */
static gboolean
test_core (Test *self,
           TsProbe *probe)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *mismatch = NULL;
  g_autofree char *chip = NULL;
  g_autofree char *whole = NULL;
  guint32 cpuid = 0, dhcsr = 0;
  const char *name;

  begin (self, _("Core"));
  if (!ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, &error)
      || !ts_probe_read_word (probe, TS_CORE_DHCSR, &dhcsr, &error))
    {
      end (self, TS_TEST_FAILED, "%s", error->message);
      return FALSE;
    }

  name = _ts_target_get_core_name (cpuid >> 4 & 0xFFF);
  if (cpuid >> 24 != 0x41)
    {
      end (self, TS_TEST_FAILED,
           _("What answers is no Arm Cortex-M core (identification 0x%08x): check the access port "
             "(stlink-apid), and whether the chip is read-protected."),
           cpuid);
      return FALSE;
    }
  if (name == NULL)
    name = _("Arm core");
  chip = _ts_target_dup_names_of_id (_ts_trace_target_read_id (probe));
  if (chip != NULL)
    name = whole = g_strdup_printf ("%s (%s)", name, chip);
  if ((dhcsr & TS_DHCSR_S_LOCKUP) != 0)
    end (self, TS_TEST_FAILED,
         _("%s, locked up: its firmware faulted inside of its fault handler, so nothing comes any "
           "more. Reset the target."),
         name);
  else if ((dhcsr & TS_DHCSR_S_HALT) != 0)
    end (self, TS_TEST_FAILED,
         _("%s, halted by a breakpoint or another debugger: nothing comes until it runs on."), name);
  else if ((mismatch = _ts_core_dup_mismatch (probe, self->connection)) != NULL)
    end (self, TS_TEST_DOUBTFUL, "%s", mismatch);
  else if ((dhcsr & TS_DHCSR_S_SLEEP) != 0)
    end (self, TS_TEST_PASSED, _("%s, asleep at the moment"), name);
  else
    end (self, TS_TEST_PASSED, _("%s, running"), name);

  return (dhcsr & (TS_DHCSR_S_LOCKUP | TS_DHCSR_S_HALT)) == 0;
}

static gboolean
scan_memory (Test *self,
             TsProbe *probe,
             TsBlockSurvey *survey,
             GError **error)
{
  TsTargetMemory target;
  gboolean is_ok = _ts_target_memory_init (&target, self->connection, error);

  target.probe = probe;
  is_ok = is_ok && _ts_block_survey (&target, self->cancellable, survey, error);
  _ts_target_memory_clear (&target);

  return is_ok;
}

/* Why the block that is looked for is not where it was said to be, or nowhere. */
static void
explain_missing (Test *self,
                 const char *key,
                 guint32 found,
                 const TsBlockSurvey *survey)
{
  gboolean is_rtt = g_str_has_suffix (self->transport, "-rtt");
  const char *what = is_rtt ? _("RTT control block") : _("ring of the recorder");
  g_autofree char *other = _ts_block_survey_dup_other (survey, is_rtt);

  if (ts_connection_has (self->connection, key) && found != 0)
    end (self, TS_TEST_FAILED,
         _("There is no %s at 0x%08x, but one at 0x%08x: the firmware on the target is not that of "
           "the ELF file. Load the right file, or clear “%s”."),
         what, (guint) ts_connection_get_int (self->connection, key), found, key);
  else if (other != NULL)
    end (self, TS_TEST_FAILED, "%s", other);
  else if (ts_connection_has (self->connection, key))
    end (self, TS_TEST_FAILED,
         _("The %s at 0x%08x is not initialised: has the firmware started its recorder, and is it "
           "the firmware of the ELF file?"),
         what, (guint) ts_connection_get_int (self->connection, key));
  else
    end (self, TS_TEST_FAILED,
         _("There is no %s from 0x%08x on, in %" PRId64
           " bytes: has the firmware started its recorder, is it built for this transport, and "
           "does its RAM lie there (rambuf-scan-start)?"),
         what, (guint) ts_connection_get_int (self->connection, "rambuf-scan-start"),
         ts_connection_get_int (self->connection, "rambuf-scan-size"));
}

/* Whether the block lies where the connection says. */
static gboolean
is_at (TsProbe *probe,
       guint32 address,
       gboolean is_rtt)
{
  guint8 bytes[TS_VA_MAGIC_LEN];

  if (!ts_probe_read (probe, address, bytes, sizeof bytes, NULL))
    return FALSE;

  return is_rtt ? memcmp (bytes, RTT_ID, RTT_ID_LEN) == 0
                : ts_va_block_has_magic (TS_VA_BLOCK_LIVE, bytes, sizeof bytes);
}

static gboolean
test_block (Test *self,
            TsProbe *probe)
{
  gboolean is_rtt = g_str_has_suffix (self->transport, "-rtt");
  const char *key = is_rtt ? "rtt-address" : "rambuf-address";
  guint32 address = ts_connection_has (self->connection, key)
                        ? (guint32) ts_connection_get_int (self->connection, key)
                        : 0;
  g_autoptr (GError) error = NULL;
  TsBlockSurvey survey = { 0, 0, 0 };
  guint32 found;

  begin (self, is_rtt ? _("RTT control block") : _("Ring of the recorder"));
  if (address != 0 && is_at (probe, address, is_rtt))
    {
      end (self, TS_TEST_PASSED, is_rtt ? _("RTT control block at 0x%08x") : _("Ring at 0x%08x"),
           address);
      return TRUE;
    }
  if (!scan_memory (self, probe, &survey, &error))
    {
      end (self, TS_TEST_FAILED, "%s", error->message);
      return FALSE;
    }

  found = is_rtt ? survey.rtt : survey.ring;
  if (found == 0 || address != 0)
    {
      explain_missing (self, key, found, &survey);
      return FALSE;
    }
  end (self, TS_TEST_PASSED, is_rtt ? _("RTT control block at 0x%08x") : _("Ring at 0x%08x"),
       found);

  return TRUE;
}

/* All that can be asked without listening. FALSE: there is no point in listening. */
static gboolean
test_probe (Test *self)
{
  g_autoptr (TsProbe) probe = open_probe (self);

  if (probe == NULL)
    return FALSE;
  test_power (self, probe);
  if (!test_core (self, probe))
    return FALSE;
  if (g_str_has_suffix (self->transport, "-swo"))
    return TRUE;

  return test_block (self, probe);
}

/* ---- listening ---- */

/**
 * Listening:
 * @stop: ends the source
 * @lock, @wake: protect and tell the next
 * @is_over: the watchdog may go
 */
typedef struct
{
  TsDecoder *decoder;
  GCancellable *stop;
  guint64 n_bytes;
  gboolean is_connected;
  guint listen_ms;
  GMutex lock;
  GCond wake;
  gboolean is_over;
} Listening;

static gboolean
take_bytes (guint32 source,
            gint64 host_us,
            const guint8 *bytes,
            gsize n_bytes,
            gpointer user_data)
{
  Listening *self = user_data;
  const TsDecodeCounters *counters;

  self->n_bytes += n_bytes;
  ts_decoder_push (self->decoder, source, bytes, n_bytes);
  ts_decoder_idle (self->decoder);
  counters = ts_decoder_get_counters (self->decoder);
  if (counters->events > 0 || counters->packets > 0)
    g_cancellable_cancel (self->stop);

  return TRUE;
}

/* Ends the listening when its time is over. */
static gpointer
watchdog_main (gpointer data)
{
  Listening *self = data;
  gint64 deadline = g_get_monotonic_time () + (gint64) self->listen_ms * 1000;
  gboolean is_late = FALSE;

  g_mutex_lock (&self->lock);
  while (!self->is_over && !is_late)
    is_late = !g_cond_wait_until (&self->wake, &self->lock, deadline);
  g_mutex_unlock (&self->lock);
  if (is_late)
    g_cancellable_cancel (self->stop);

  return NULL;
}

static void
on_cancelled (GCancellable *cancellable,
              GCancellable *stop)
{
  g_cancellable_cancel (stop);
}

/* Opens the source and runs it until a packet has come, or the time is over. */
static void
listen (Test *self,
        TsSource *source,
        Listening *listening)
{
  g_autofree char *description = source->klass->describe (source);
  g_autoptr (GError) error = NULL;
  const TsDecodeCounters *counters;
  GThread *watchdog = g_thread_new ("ts-test", watchdog_main, listening);

  begin (self, description);
  if (source->klass->open (source, listening->stop, &error))
    {
      end (self, TS_TEST_PASSED, "%s", description);
      begin (self, _("First packet"));
      listening->is_connected = TRUE;
      source->klass->run (source, take_bytes, listening, listening->stop, &error);
    }
  g_mutex_lock (&listening->lock);
  listening->is_over = TRUE;
  g_cond_signal (&listening->wake);
  g_mutex_unlock (&listening->lock);
  g_thread_join (watchdog);
  if (g_cancellable_is_cancelled (self->cancellable))
    return;

  ts_decoder_flush (listening->decoder);
  counters = ts_decoder_get_counters (listening->decoder);
  if (counters->packets > 0)
    end (self, TS_TEST_PASSED, _("Packets arrive and are understood (%s)"),
         ts_decoder_get_format (listening->decoder));
  else if (error != NULL)
    end (self, TS_TEST_FAILED, "%s", error->message);
  else if (!listening->is_connected)
    end (self, TS_TEST_FAILED, _("There was no connection within %u s."),
         listening->listen_ms / 1000);
  else if (listening->n_bytes > 0)
    end (self, TS_TEST_FAILED,
         _("%" PRIu64 " bytes arrived, but no packet (read as %s): check the baud rate, "
           "the key “cobs” or the format, and that the firmware was built for this transport."),
         listening->n_bytes, ts_decoder_get_format (listening->decoder));
  else
    end (self, TS_TEST_FAILED, _("Nothing arrived within %u s: %s."), listening->listen_ms / 1000,
         ts_connection_explain_silence (self->transport));
}

/* Takes what a decoder finds, and forgets it. */
typedef struct
{
  TsEventSink sink;
  guint32 n_objects;
} Forgetful;

static void
forget_events (TsEventSink *sink,
               const TsEvent *events,
               gsize n_events)
{
}

static guint32
forget_definition (TsEventSink *sink,
                   const TsObject *object)
{
  return ++((Forgetful *) sink)->n_objects;
}

static void
forget_object (TsEventSink *sink,
               const TsObject *object)
{
}

static guint32
forget_text (TsEventSink *sink,
             const char *text,
             gssize len)
{
  return 1;
}

static void
forget_clock (TsEventSink *sink,
              guint64 hz)
{
}

static void
forget_info (TsEventSink *sink,
             const char *key,
             const char *value)
{
}

static const TsEventSinkInterface forgetful_interface = {
  .events = forget_events,
  .define_object = forget_definition,
  .update_object = forget_object,
  .intern = forget_text,
  .set_clock = forget_clock,
  .set_info = forget_info,
};

static gboolean
test_source (Test *self,
             GError **error)
{
  Forgetful forgetful = { { &forgetful_interface }, 0 };
  TsDecoderOptions options
      = { .clock_hz = (guint64) ts_connection_get_int (self->connection, "cpu-clock-hz") };
  g_autoptr (TsSource) source = ts_source_new (self->connection, error);
  g_autoptr (TsDecoder) decoder = NULL;
  g_autoptr (GCancellable) stop = g_cancellable_new ();
  Listening listening = { .stop = stop, .listen_ms = self->listen_ms };
  gulong id = 0;

  if (source == NULL)
    return FALSE;
  decoder = ts_decoder_new (source->klass->format (source), &forgetful.sink, &options, error);
  if (decoder == NULL)
    return FALSE;

  listening.decoder = decoder;
  g_mutex_init (&listening.lock);
  g_cond_init (&listening.wake);
  if (self->cancellable != NULL)
    id = g_cancellable_connect (self->cancellable, G_CALLBACK (on_cancelled), stop, NULL);
  listen (self, source, &listening);
  g_cancellable_disconnect (self->cancellable, id);
  g_cond_clear (&listening.wake);
  g_mutex_clear (&listening.lock);

  return TRUE;
}

/* The same connection, attaching to what runs, and with nothing beside it. */
static TsConnection *
dup_attaching (TsConnection *connection,
               GError **error)
{
  g_autoptr (TsConnection) copy = ts_connection_copy (connection);

  ts_connection_set_polling (copy, NULL, TS_POLL_DEFAULT_HZ, FALSE);
  if (!ts_connection_set_from_text (copy, "no-reset", "true", error)
      || !ts_connection_set_from_text (copy, "connect-under-reset", "false", error))
    return NULL;

  return g_steal_pointer (&copy);
}

/**
 * ts_connection_test:
 * @connection: a connection
 * @listen_ms: how long to wait for the first packet
 * @tell: called at each step
 * @user_data: for @tell
 * @cancellable: (nullable): ends it
 * @error: return location
 *
 * Tries a connection: of a probe the probe itself, the target's power, its core and what its memory
 * holds; of all the connection and the first packet. The first step that fails is the last one. What
 * is wrong with the target is told by the steps and is no error of this function.
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG, %TS_CAPTURE_ERROR_NOT_BUILT: there is nothing to try;
 * %G_IO_ERROR_CANCELLED
 *
 * Returns: %TRUE when it got to an end, else %FALSE with @error set
 */
gboolean
ts_connection_test (TsConnection *connection,
                    guint listen_ms,
                    TsTestStep tell,
                    gpointer user_data,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (TsConnection) attaching = NULL;
  Test test = { .listen_ms = listen_ms,
                .tell = tell,
                .user_data = user_data,
                .cancellable = cancellable };

  g_return_val_if_fail (TS_IS_CONNECTION (connection), FALSE);
  g_return_val_if_fail (tell != NULL, FALSE);

  if (!ts_connection_validate (connection, error))
    return FALSE;
  attaching = dup_attaching (connection, error);
  if (attaching == NULL)
    return FALSE;
  test.connection = attaching;
  test.transport = ts_connection_get_transport (attaching);

  if (ts_probe_type_of_transport (test.transport) != NULL
      && ts_connection_transport_is_built (test.transport) && !test_probe (&test))
    return !g_cancellable_set_error_if_cancelled (cancellable, error);
  if (!test_source (&test, error))
    return FALSE;

  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/**
 * ts_connection_explain_silence:
 * @transport: name of a transport
 *
 * Thread: any
 *
 * Returns: (transfer none): why not one byte may have arrived, and what to look at; part of a
 * sentence
 */
const char *
ts_connection_explain_silence (const char *transport)
{
  g_return_val_if_fail (transport != NULL, NULL);

  if (strcmp (transport, "udp") == 0)
    return _(
        "check that the target sends to this address and port, and that no firewall is between");
  if (strcmp (transport, "serial") == 0)
    return _("check the wire, the choice of port, and that the target runs");
  if (strcmp (transport, "tcp") == 0 || strcmp (transport, "swo-tcp") == 0)
    return _("the connection was made but the server sent nothing: check that the target runs");
  if (g_str_has_suffix (transport, "-swo"))
    return _("check that the SWO pin is wired to the probe, and that trace clock and rate are those "
             "of the firmware");
  if (g_str_has_suffix (transport, "-rambuf") || g_str_has_suffix (transport, "-rtt"))
    return _("the firmware writes nothing: has it started its recorder, and does it run?");

  return _("the source had nothing to give");
}

/**
 * ts_connection_explain_waiting:
 * @transport: name of a transport
 * @n_bytes: bytes that have arrived
 *
 * Thread: any
 *
 * Returns: (transfer full): one sentence: why there may be no event yet, and what to look at
 */
char *
ts_connection_explain_waiting (const char *transport,
                               guint64 n_bytes)
{
  g_return_val_if_fail (transport != NULL, NULL);

  if (n_bytes > 0)
    return g_strdup (_("Bytes arrive, but no packet among them: check the baud rate, the framing "
                       "(COBS), and that the firmware was built for this transport."));

  /* translators: what to look at when nothing arrives from a target */
  return g_strdup_printf (_("Nothing has arrived yet: %s."),
                          ts_connection_explain_silence (transport));
}
