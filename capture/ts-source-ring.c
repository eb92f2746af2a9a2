/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-ring.c: a ring in the RAM of a target behind a probe: the recorder's own, or RTT. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "decode/ts-va-names.h"

#include "ts-block-survey-private.h"
#include "ts-core-watch-private.h"
#include "ts-metadata-attach-private.h"
#include "ts-poll-private.h"
#include "ts-ring-find-private.h"
#include "ts-ring-pace-private.h"
#include "ts-source-private.h"
#include "ts-trace-target-private.h"

/* Some firmware starts its recorder seconds after the reset. */
#define FIND_US (10 * G_USEC_PER_SEC)
#define FIND_PAUSE_US 20000
#define FIND_TELL_US G_USEC_PER_SEC
/* A target in reset cannot be read for a while. */
#define UNREADABLE_US (2 * G_USEC_PER_SEC)
#define UNREADABLE_PAUSE_US 5000
#define ATTACH_PAUSE_US 1000
/* A ring that is gone for so long may come back elsewhere. */
#define MOVED_US G_USEC_PER_SEC
/* How often it is asked why nothing comes. */
#define SILENCE_US G_USEC_PER_SEC
/* Names that are missing are not asked for more often. */
#define NAMES_US G_USEC_PER_SEC
#define FIGURES_US (G_USEC_PER_SEC / 4)
#define EMIT_BYTES 32768
/* As often as a probe can. */
#define PC_HZ 1000

typedef struct
{
  TsSource parent;

  TsConnection *connection; /* our own copy */
  TsTargetMemory memory;
  TsRingDrain drain;
  TsRingFinder finder;
  TsRingPace pace;
  TsMetadataAttach attach;
  gboolean is_attaching;
  TsVaNames names;           /* that the stream has told */
  guint32 names_at;          /* where the recorder keeps them, 0: not known yet */
  guint32 names_generation;  /* of its table when none was missing */
  guint32 names_dropped;     /* packets dropped up to then */
  gint64 names_asked_us;
  guint names_restarts;      /* restarts of the target that @names knows of */
  guint64 n_names;           /* read from RAM */
  TsProbe *probe;
  TsPoller *poller;
  gboolean is_first;        /* nothing was given out yet */
  const char *silence;      /* why nothing comes */
  gint64 heard_us;          /* when something came, or it was asked why not */
  gint64 told_us;           /* when figures were told */
  gint64 started_us;
  gint64 paused_us;
  gint64 failing_us;        /* since when reads fail, 0: they do not */
  GError *first_failure;    /* of those */
  guint64 n_failures;
  guint32 dropped_before;   /* of former lives of the target */

  TsSourceEmit emit;
  gpointer emit_data;
  GCancellable *cancellable;
} Ring;

static const TsSourceClass *
get_class (const char *transport)
{
  static const TsSourceClass *const classes[]
      = { &_ts_source_stlink_rambuf_class, &_ts_source_stlink_rtt_class,
          &_ts_source_jlink_rambuf_class, &_ts_source_jlink_rtt_class,
          &_ts_source_cmsis_dap_rambuf_class, &_ts_source_cmsis_dap_rtt_class };

  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (classes[i]->transport, transport) == 0)
      return classes[i];

  g_return_val_if_reached (classes[0]);
}

static TsSource *
ring_create (TsConnection *connection,
             GError **error)
{
  Ring *self = g_new0 (Ring, 1);
  const char *transport = ts_connection_get_transport (connection);

  self->parent.klass = get_class (transport);
  self->connection = ts_connection_copy (connection);
  self->drain.memory = &self->memory;
  ts_va_names_init (&self->names);
  if (g_str_has_suffix (transport, "-rtt"))
    {
      self->drain.kind = TS_RING_RTT;
      self->drain.channel = (guint) ts_connection_get_int (connection, "rtt-channel");
    }
  else if (ts_connection_has (connection, "rambuf-poll-ms"))
    self->pace.fixed_us = ts_connection_get_int (connection, "rambuf-poll-ms") * 1000;

  return &self->parent;
}

static gboolean
ring_open (TsSource *source,
           GCancellable *cancellable,
           GError **error)
{
  Ring *self = (Ring *) source;
  g_autofree char *version = NULL;
  g_autofree char *mismatch = NULL;
  int millivolts;

  if (!_ts_target_memory_init (&self->memory, self->connection, error)
      || !_ts_poller_new_for (self->connection, &self->poller, error))
    return FALSE;
  self->probe = ts_probe_open_connection_to_reset (self->connection, error);
  if (self->probe == NULL)
    return FALSE;
  self->memory.probe = self->probe;
  mismatch = _ts_core_dup_mismatch (self->probe, self->connection);
  if (mismatch != NULL)
    _ts_source_note (source, TS_SOURCE_NOTE_WARNING, 0, "%s", mismatch);
  _ts_ring_finder_init (&self->finder, &self->drain, self->connection);
  version = ts_probe_dup_version (self->probe);
  millivolts = ts_probe_get_voltage (self->probe);
  if (millivolts >= 0)
    _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0, _("Probe %s, target supply %d.%02d V"),
                     version, millivolts / 1000, millivolts % 1000 / 10);

  return TRUE;
}

/* ---- what all phases share ---- */

static gboolean
is_stopped (Ring *self)
{
  return g_cancellable_is_cancelled (self->cancellable);
}

static void
tell_problem (Ring *self,
              char **problem)
{
  if (*problem != NULL)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_WARNING, 0, "%s", *problem);
  g_clear_pointer (problem, g_free);
}

/* Does nothing for @us, except for what is to be polled meanwhile. */
static gboolean
pause_for (Ring *self,
           gint64 us,
           GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gint64 now_us = begin, until = begin + us;

  while (self->poller != NULL)
    {
      gint64 due_us;

      if (!_ts_poller_step (self->poller, self->probe, now_us, self->emit, self->emit_data, error))
        return FALSE;
      due_us = MIN (_ts_poller_get_due_us (self->poller), until);
      now_us = g_get_monotonic_time ();
      if (now_us >= until || is_stopped (self))
        break;
      _ts_source_pause (due_us - now_us, self->cancellable);
      now_us = g_get_monotonic_time ();
    }
  if (self->poller == NULL)
    _ts_source_pause (us, self->cancellable);
  self->paused_us += g_get_monotonic_time () - begin;

  return TRUE;
}

/* An access failed: TRUE when it is worth trying again. What is told in the end is the first
 * failure: it is nearest to the cause. */
static gboolean
may_try_again (Ring *self,
               GError **error)
{
  gint64 now_us = g_get_monotonic_time ();

  self->n_failures++;
  if (self->failing_us == 0)
    {
      self->failing_us = now_us;
      g_clear_error (&self->first_failure);
      self->first_failure = g_error_copy (*error);
      if (!ts_probe_is_gone (self->probe))
        _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                         _("The target cannot be read at the moment: does its core sleep, or is it "
                           "in reset?"));
    }
  g_clear_error (error);
  if (now_us - self->failing_us <= UNREADABLE_US && !is_stopped (self)
      && !ts_probe_is_gone (self->probe))
    return pause_for (self, UNREADABLE_PAUSE_US, NULL);
  *error = g_error_copy (self->first_failure);

  return FALSE;
}

static void
tell_figures (Ring *self,
              gboolean is_end)
{
  TsSource *source = &self->parent;
  const TsProbeCounters *counters = ts_probe_get_counters (self->probe);
  gint64 now_us = g_get_monotonic_time ();
  gint64 elapsed_us = MAX (now_us - self->started_us, 1);

  if (!is_end && now_us - self->told_us < FIGURES_US)
    return;
  self->told_us = now_us;
  _ts_source_figure (source, "probe_round_trips", counters->n_trips);
  _ts_source_figure (source, "probe_bytes_read", counters->n_bytes_read);
  _ts_source_figure (source, "probe_retries", counters->n_retries);
  _ts_source_figure (source, "probe_recoveries", counters->n_recoveries);
  _ts_source_figure (source, "probe_bytes_per_trip",
                     counters->n_trips > 0 ? counters->n_bytes_read / counters->n_trips : 0);
  _ts_source_figure (source, "probe_idle_percent",
                     (guint64) (CLAMP (self->paused_us, 0, elapsed_us) * 100 / elapsed_us));
  _ts_source_figure (source, "probe_failed_reads", self->n_failures);
  _ts_source_figure (source, "target_ring_bytes", self->drain.n_bytes);
  _ts_source_figure (source, "target_ring_looks", self->drain.n_looks);
  _ts_source_figure (source, "target_ring_most_used_percent",
                     self->drain.ring.size > 0
                         ? (guint64) self->drain.most_used * 100 / self->drain.ring.size
                         : 0);
  _ts_source_figure (source, "target_dropped_packets",
                     (guint64) self->dropped_before + self->drain.ring.dropped);
  _ts_source_figure (source, "target_restarts", self->drain.n_restarts);
  if (self->poller != NULL)
    _ts_poller_tell_figures (self->poller, source);
}

static void
give_out (Ring *self,
          const GByteArray *bytes)
{
  gint64 now_us = g_get_monotonic_time ();

  for (gsize at = 0; at < bytes->len; at += EMIT_BYTES)
    self->emit (0, now_us, bytes->data + at, MIN (EMIT_BYTES, bytes->len - at), self->emit_data);
  if (bytes->len > 0)
    {
      self->heard_us = now_us;
      self->silence = NULL;
      self->is_first = FALSE;
    }
}

/* Gives out what came from the ring; a stream that begins in the middle of a run is told what it
 * is. */
static void
give_out_ring (Ring *self,
               const GByteArray *bytes)
{
  g_autoptr (GByteArray) whole = NULL;

  if (self->is_first && self->drain.kind == TS_RING_RAMBUF)
    {
      whole = g_byte_array_new ();
      ts_va_live_to_raw (&self->drain.ring.va, bytes->data, bytes->len, whole);
      bytes = whole;
    }
  give_out (self, bytes);
}

/* ---- samples of the program counter ---- */

/* Whether `hardware-trace` asks for samples; without SWO they are polled. */
static gboolean
wants_pc_samples (TsConnection *connection)
{
  JsonObject *block = ts_connection_get_object (connection, "hardware-trace");
  TsHardwareTrace wanted;
  gboolean is_wanted;

  ts_hardware_trace_init (&wanted);
  is_wanted = block != NULL && ts_hardware_trace_read (&wanted, block, NULL)
              && wanted.pc_sample_cyc > 0;
  ts_hardware_trace_clear (&wanted);

  return is_wanted;
}

/* Sets up the trace hardware as far as it is of use without a pin. Source: viewalyzer-host.md
 * section 2.4, `dwt.pc-sample-cyc` */
static gboolean
set_up_trace (Ring *self,
              GError **error)
{
  TsTraceTarget target;
  gboolean is_ok;

  if (ts_connection_get_object (self->connection, "hardware-trace") == NULL)
    return TRUE;
  if (!_ts_trace_target_prepare (&target, self->probe, self->connection, error))
    return FALSE;
  is_ok = _ts_trace_target_apply (&target, error);
  if (is_ok)
    {
      _ts_trace_target_tell (&target, &self->parent);
      if (target.image->pc_by_polling && self->poller == NULL)
        self->poller = _ts_poller_new (NULL, 1, PC_HZ);
      else if (target.image->pc_by_polling)
        _ts_poller_set_pc_hz (self->poller, PC_HZ);
    }
  _ts_trace_target_clear (&target);

  return is_ok;
}

/* ---- reset and search ---- */

/* Resets the target, now that everything is ready for what it will say. */
static gboolean
reset_target (Ring *self,
              GError **error)
{
  g_autoptr (GError) local_error = NULL;

  /* what cannot be read before the reset cannot be mistaken after it */
  if (!_ts_ring_finder_note_before (&self->finder, &local_error))
    g_debug ("before the reset: %s", local_error->message);

  return ts_probe_reset (self->probe, error);
}

static gboolean
fail_not_found (Ring *self,
                GError **error)
{
  gboolean is_rtt = self->drain.kind == TS_RING_RTT;
  const char *why = _ts_core_explain_silence (self->probe);
  guint32 hint = self->finder.given != 0 ? self->finder.given : self->finder.symbol;
  TsBlockSurvey survey = { 0, 0, 0 };
  g_autofree char *other = NULL;

  if (why == NULL && _ts_block_survey (&self->memory, self->cancellable, &survey, NULL))
    other = _ts_block_survey_dup_other (&survey, is_rtt);
  if (other != NULL)
    g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, other);
  else if (why != NULL)
    g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, why);
  else if (hint != 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 is_rtt ? _("No RTT block with a usable channel appeared, neither at 0x%08x nor "
                            "from 0x%08x on: check “rtt-address” and “rtt-channel”, and that the "
                            "firmware was built for RTT and starts it.")
                        : _("No recorder ring appeared, neither at 0x%08x nor from 0x%08x on: "
                            "check “rambuf-address” or the ELF file, and that the firmware was "
                            "built with a ring in RAM and starts its recorder."),
                 hint, self->memory.scan_start);
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 is_rtt ? _("No RTT block with a usable channel appeared in target RAM (0x%08x, "
                            "%" PRIu64 " bytes) within 10 s: give the firmware's ELF "
                            "file or “rtt-address”, check “rtt-channel”, and that the firmware was "
                            "built for RTT and runs.")
                        : _("No recorder ring appeared in target RAM (0x%08x, %" PRIu64
                            " bytes) within 10 s: check “rambuf-scan-start” and “rambuf-address”, "
                            "and that the firmware was built with a ring in RAM and runs."),
                 self->memory.scan_start, self->memory.scan_size);

  return FALSE;
}

static void
tell_found (Ring *self,
            TsFoundHow how)
{
  const TsTargetRing *ring = &self->drain.ring;

  _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                   how == TS_FOUND_BY_SYMBOL    ? _("Ring of %u bytes at 0x%08x, found by its symbol")
                   : how == TS_FOUND_AT_ADDRESS ? _("Ring of %u bytes at 0x%08x, as given")
                                                : _("Ring of %u bytes at 0x%08x"),
                   ring->size, ring->buffer);
  _ts_source_figure (&self->parent, "target_ring_size", ring->size);
  tell_problem (self, &self->finder.problem);
}

/* Waits until the firmware has made its ring. TRUE: found, or stopped. @is_patient: a target that
 * was there once may take its time. */
static gboolean
find_ring (Ring *self,
           gboolean is_patient,
           GError **error)
{
  gint64 start = g_get_monotonic_time ();
  gboolean is_told = is_patient;

  self->finder.started_us = 0;
  tell_problem (self, &self->finder.problem);
  while (!is_stopped (self))
    {
      TsFoundHow how = TS_FOUND_NOT;
      gint64 waited_us = g_get_monotonic_time () - start;
      g_autoptr (GError) local_error = NULL;

      if (!_ts_ring_finder_step (&self->finder, g_get_monotonic_time (), &how, &local_error))
        {
          if (may_try_again (self, &local_error))
            continue;
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      self->failing_us = 0;
      if (how != TS_FOUND_NOT)
        {
          tell_found (self, how);
          return TRUE;
        }
      if (waited_us > FIND_US && !is_patient)
        return fail_not_found (self, error);
      if (waited_us > FIND_TELL_US && !is_told)
        {
          is_told = TRUE;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                           self->drain.kind == TS_RING_RTT
                               ? _("Waiting for the firmware to start RTT")
                               : _("Waiting for the firmware to start its recorder"));
        }
      if (!pause_for (self, FIND_PAUSE_US, error))
        return FALSE;
    }

  return TRUE;
}

/* ---- names in RAM ---- */

/* What the attach that ended tells of the table; @is_complete: every name of it is given out. */
static void
note_names (Ring *self,
            gboolean is_complete)
{
  self->names_at = self->attach.address;
  self->names_dropped = self->drain.ring.dropped;
  self->names_restarts = self->drain.n_restarts;
  self->names_asked_us = g_get_monotonic_time ();
  if (!is_complete)
    return;
  self->names_generation = self->attach.generation;
  ts_va_names_take_table (&self->names, self->attach.table->data, self->attach.table->len);
}

/* Gives out the names, and the stream after them. */
static void
give_out_attached (Ring *self)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint n_names = 0;

  _ts_metadata_attach_take (&self->attach, out, &n_names);
  tell_problem (self, &self->attach.problem);
  if (self->attach.n_discarded > 0)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_BYTES_IGNORED, self->attach.n_discarded, NULL);
  self->n_names += n_names;
  _ts_source_figure (&self->parent, "target_names_from_ram", self->n_names);
  note_names (self, self->attach.state == TS_ATTACH_DONE);
  ts_va_names_take (&self->names, self->attach.stream->data + self->attach.n_discarded,
                    self->attach.stream->len - self->attach.n_discarded);
  if (n_names > 0)
    {
      _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                       _("Attached: %u names and settings read from target RAM"), n_names);
      give_out (self, out);
    }
  else
    give_out_ring (self, out);
  self->is_attaching = FALSE;
  _ts_metadata_attach_clear (&self->attach);
}

/* Attaches to a target that keeps its names in RAM. */
static gboolean
attach_to_names (Ring *self,
                 GError **error)
{
  if (!_ts_metadata_attach_init (&self->attach, &self->drain, self->names_at, error))
    {
      _ts_metadata_attach_clear (&self->attach);
      return FALSE;
    }
  self->is_attaching = TRUE;
  while (self->attach.state == TS_ATTACH_WAITING && !is_stopped (self))
    if (!_ts_metadata_attach_step (&self->attach, g_get_monotonic_time (), error)
        || !pause_for (self, ATTACH_PAUSE_US, error))
      return FALSE;
  if (self->attach.state == TS_ATTACH_DONE || self->attach.stream->len > 0)
    give_out_attached (self);

  return TRUE;
}

/* Whether the ring dropped packets with names among them, as far as one can tell. */
static gboolean
is_missing_names (Ring *self)
{
  const TsTargetRing *ring = &self->drain.ring;
  guint32 generation;

  if (self->drain.kind != TS_RING_RAMBUF || !ring->va.has_metadata)
    return FALSE;
  if (self->names_restarts != self->drain.n_restarts)
    {
      ts_va_names_restart (&self->names);
      self->names_generation = 0;
      self->names_dropped = 0;
      self->names_asked_us = 0;
      self->names_restarts = self->drain.n_restarts;
    }
  if (ring->dropped == self->names_dropped || is_stopped (self)
      || g_get_monotonic_time () - self->names_asked_us < NAMES_US)
    return FALSE;
  /* a table that is as it was when none was missing has no new names */
  if (self->names_at == 0 || self->names_generation == 0
      || !_ts_metadata_read_generation (&self->memory, self->names_at, &generation)
      || generation != self->names_generation)
    return TRUE;
  self->names_dropped = ring->dropped;
  self->names_asked_us = g_get_monotonic_time ();

  return FALSE;
}

/* The ring dropped packets, names perhaps among them: what is in RAM of those that nobody has told is
 * put into the gap. @bytes came from the ring and are not given out yet. */
static gboolean
put_names_back (Ring *self,
                const GByteArray *bytes,
                GError **error)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint32 dropped = self->names_dropped;
  gboolean is_ok, is_complete;
  guint n_names = 0;

  if (!_ts_ring_drain_release (&self->drain, FALSE, error))
    {
      give_out_ring (self, bytes);
      return FALSE;
    }
  is_ok = _ts_metadata_attach_init (&self->attach, &self->drain, self->names_at, error);
  g_byte_array_prepend (self->attach.stream, bytes->data, bytes->len);
  while (is_ok && self->attach.state == TS_ATTACH_WAITING && !is_stopped (self))
    is_ok = _ts_metadata_attach_step (&self->attach, g_get_monotonic_time (), error)
            && pause_for (self, ATTACH_PAUSE_US, error);
  is_complete = ts_va_names_put_back (&self->names, self->attach.stream->data,
                                      self->attach.stream->len, self->attach.table->data,
                                      self->attach.table->len, self->drain.ring.dropped - dropped,
                                      out, &n_names);
  note_names (self, is_complete && self->attach.state == TS_ATTACH_DONE);
  give_out_ring (self, out);
  _ts_metadata_attach_clear (&self->attach);
  self->n_names += n_names;
  _ts_source_figure (&self->parent, "target_names_from_ram", self->n_names);
  if (n_names > 0)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                     _("%u names that the ring had no room for were read from target RAM"), n_names);

  return is_ok;
}

/* ---- draining ---- */

/* Nothing has come for a while: why? */
static gboolean
look_into_silence (Ring *self,
                   GError **error)
{
  gint64 now_us = g_get_monotonic_time ();
  gboolean has_changed = FALSE;
  const char *why;

  if (now_us - self->heard_us < SILENCE_US)
    return TRUE;
  self->heard_us = now_us;
  why = _ts_core_explain_silence (self->probe);
  if (why != NULL && self->silence == NULL)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0, "%s", why);
  self->silence = why;
  if (why != NULL || self->drain.n_bytes > 0 || self->finder.given != 0)
    return TRUE;

  /* the ring may be one that another firmware left */
  if (!_ts_ring_finder_look_for_another (&self->finder, &has_changed, error))
    return FALSE;
  if (has_changed)
    tell_found (self, TS_FOUND_BY_SCAN);

  return TRUE;
}

static gboolean
take_bytes (Ring *self,
            GByteArray *bytes,
            gboolean is_last,
            GError **error)
{
  gsize n = bytes->len;

  if (self->is_attaching)
    {
      g_byte_array_append (self->attach.stream, bytes->data, bytes->len);
      give_out_attached (self);
    }
  else if (is_missing_names (self))
    return put_names_back (self, bytes, error);
  else
    {
      ts_va_names_take (&self->names, bytes->data, bytes->len);
      give_out_ring (self, bytes);
    }

  return _ts_ring_drain_release (
      &self->drain, !is_last && _ts_ring_pace_get_pause (&self->pace, n, self->drain.ring.size) == 0,
      error);
}

/* Drains until stopped (@has_moved FALSE), or until the ring has been gone for a while. */
static gboolean
drain_ring (Ring *self,
            gboolean *has_moved,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gint64 gone_us = 0;
  gboolean is_last = FALSE;

  *has_moved = FALSE;
  while (!is_last && !*has_moved)
    {
      TsDrainResult result = TS_DRAIN_EMPTY;
      guint32 dropped = self->drain.ring.dropped;
      g_autoptr (GError) local_error = NULL;
      gint64 now_us;

      /* what came before the stop is taken along */
      is_last = is_stopped (self);
      g_byte_array_set_size (bytes, 0);
      if (!_ts_ring_drain_step (&self->drain, bytes, &result, &local_error)
          || (result == TS_DRAIN_BYTES && !take_bytes (self, bytes, is_last, &local_error)))
        {
          if (is_last && self->drain.n_bytes > 0)
            return TRUE;
          /* stopped while it could not be read: one last time */
          if (!is_last && is_stopped (self))
            continue;
          if (may_try_again (self, &local_error))
            continue;
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      self->failing_us = 0;
      now_us = g_get_monotonic_time ();
      _ts_ring_pace_note (&self->pace, now_us, bytes->len);
      tell_figures (self, FALSE);

      if (result == TS_DRAIN_RESTARTING)
        {
          if (gone_us == 0)
            {
              gone_us = now_us;
              _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                               _("The target restarts: waiting for its recorder"));
            }
          *has_moved = now_us - gone_us > MOVED_US;
        }
      else
        gone_us = 0;
      if (result == TS_DRAIN_RESTARTED)
        {
          self->dropped_before += dropped;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_RECONNECTED, 1,
                           _("The target has restarted"));
        }
      else if (result == TS_DRAIN_EMPTY && !look_into_silence (self, error))
        return FALSE;
      if (!is_last && result != TS_DRAIN_RESTARTED
          && !pause_for (self,
                         _ts_ring_pace_get_pause (&self->pace, bytes->len, self->drain.ring.size),
                         error))
        return FALSE;
    }

  return TRUE;
}

/* From the reset to the end. */
static gboolean
follow_target (Ring *self,
               GError **error)
{
  gboolean do_reset = !ts_connection_get_bool (self->connection, "no-reset");
  gboolean is_first = TRUE, has_moved = TRUE;

  if ((do_reset && !reset_target (self, error)) || !set_up_trace (self, error))
    return FALSE;
  while (has_moved && !is_stopped (self))
    {
      if (!find_ring (self, !is_first, error))
        return FALSE;
      if (is_stopped (self))
        return TRUE;
      if (!is_first)
        {
          self->drain.n_restarts++;
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_RECONNECTED, 1,
                           _("The target has restarted"));
        }
      self->heard_us = g_get_monotonic_time ();
      if (is_first && !do_reset && self->drain.kind == TS_RING_RAMBUF
          && self->drain.ring.va.has_metadata && !attach_to_names (self, error))
        return FALSE;
      is_first = FALSE;
      if (!drain_ring (self, &has_moved, error))
        return FALSE;
      g_clear_pointer (&self->finder.before, g_array_unref);
    }

  return TRUE;
}

static gboolean
ring_run (TsSource *source,
          TsSourceEmit emit,
          gpointer user_data,
          GCancellable *cancellable,
          GError **error)
{
  Ring *self = (Ring *) source;
  const TsProbeCounters *counters = ts_probe_get_counters (self->probe);
  gboolean is_ok;

  self->emit = emit;
  self->emit_data = user_data;
  self->cancellable = cancellable;
  self->is_first = TRUE;
  self->started_us = g_get_monotonic_time ();
  is_ok = follow_target (self, error);
  if (self->is_attaching && self->attach.stream->len > 0)
    give_out_attached (self);
  tell_figures (self, TRUE);
  if (is_ok && self->drain.n_bytes > 0)
    _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0,
                     _("%" PRIu64 " bytes in %" PRIu64
                       " round trips to the probe, %" PRIu64 " repeated"),
                     self->drain.n_bytes, counters->n_trips, counters->n_retries);
  if (is_ok && self->is_first && self->poller == NULL)
    {
      if (self->silence == NULL)
        self->silence = _ts_core_explain_silence (self->probe);
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                   _("Not one byte came from the target: %s"),
                   self->silence != NULL      ? self->silence
                   : !self->drain.is_found    ? _("its firmware did not make a ring while it was "
                                                  "waited for; was it built for this transport?")
                                              : _("its ring stays empty. Does the firmware record, "
                                                  "and was the ring not left by an earlier one?"));
      is_ok = FALSE;
    }

  return is_ok;
}

static char *
ring_describe (TsSource *source)
{
  Ring *self = (Ring *) source;
  g_autofree char *probe = ts_probe_dup_connection_name (self->connection);

  return g_strdup_printf ("%s, %s", probe,
                          self->drain.kind == TS_RING_RTT ? "RTT" : _("RAM ring"));
}

static const char *
ring_format (TsSource *source)
{
  return "va";
}

static gboolean
ring_polls (TsSource *source)
{
  TsConnection *connection = ((Ring *) source)->connection;

  return ts_connection_get_polled_symbols (connection) != NULL || wants_pc_samples (connection);
}

static void
ring_free (TsSource *source)
{
  Ring *self = (Ring *) source;

  if (self->is_attaching)
    _ts_metadata_attach_clear (&self->attach);
  _ts_ring_finder_clear (&self->finder);
  g_clear_pointer (&self->poller, _ts_poller_free);
  g_clear_pointer (&self->probe, ts_probe_close);
  _ts_target_memory_clear (&self->memory);
  ts_va_names_clear (&self->names);
  g_clear_object (&self->connection);
  g_clear_error (&self->first_failure);
  g_free (self);
}

#define RING_CLASS(name)                                                                           \
  {                                                                                                \
    .transport = name, .create = ring_create, .open = ring_open, .run = ring_run,                  \
    .describe = ring_describe, .format = ring_format, .lossless = TRUE, .polls = ring_polls,       \
    .free = ring_free,                                                                             \
  }

const TsSourceClass _ts_source_stlink_rambuf_class = RING_CLASS ("stlink-rambuf");
const TsSourceClass _ts_source_stlink_rtt_class = RING_CLASS ("stlink-rtt");
const TsSourceClass _ts_source_jlink_rambuf_class = RING_CLASS ("jlink-rambuf");
const TsSourceClass _ts_source_jlink_rtt_class = RING_CLASS ("jlink-rtt");
const TsSourceClass _ts_source_cmsis_dap_rambuf_class = RING_CLASS ("cmsis-dap-rambuf");
const TsSourceClass _ts_source_cmsis_dap_rtt_class = RING_CLASS ("cmsis-dap-rtt");
