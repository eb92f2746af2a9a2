/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-sequence.c: what never arrived: sequence bytes, checkpoints, sessions, undecodable bytes.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-stream-private.h"

/* Gaps above are more likely a late datagram than a loss. Source: viewalyzer-wire.md section 9.2.
 */
#define MAX_DATAGRAM_GAP 192
/* A checkpoint that reveals more is believed only when the next one agrees: three of its four bytes
 * are protected by nothing. */
#define MAX_UNDOUBTED_LOSS 65536

static void
add_loss (TsVaStream *self, gint64 n_packets)
{
  TsDecodeCounters *counters = &self->decoder->parent.counters;

  counters->lost_packets += (guint64) MAX (n_packets, 0);
  counters->seq_gaps++;
  _ts_event_window_add_host_made (&self->decoder->window, TS_EVENT_DATA_LOSS, self->core, n_packets,
                                  (gint64) self->n_host_lost);
  self->has_host_loss = FALSE;
  self->n_host_lost = 0;
  self->next_flags |= TS_EVENT_FLAG_AFTER_LOSS;
}

/* Puts corrupt bytes and a loss on the host's side in place, before the next event.
 * @keep_host_loss: a gap will tell about it. */
static void
tell_damage (TsVaStream *self, gboolean keep_host_loss)
{
  TsEventWindow *window = &self->decoder->window;

  if (self->n_bad > 0 && self->was_locked)
    {
      _ts_event_window_add_host_made (window, TS_EVENT_CORRUPT, self->core, (gint64) self->n_bad,
                                      0);
      self->n_bad = 0;
      if (self->layout == NULL || !self->layout->has_seq)
        self->next_flags |= TS_EVENT_FLAG_AFTER_LOSS;
    }
  if (self->has_host_loss && !keep_host_loss)
    {
      _ts_event_window_add_host_made (window, TS_EVENT_DATA_LOSS, self->core, -1,
                                      (gint64) self->n_host_lost);
      self->has_host_loss = FALSE;
      self->n_host_lost = 0;
      self->next_flags |= TS_EVENT_FLAG_AFTER_LOSS;
    }
  self->is_dirty = FALSE;
}

void
_ts_va_stream_tell_damage (TsVaStream *self)
{
  tell_damage (self, FALSE);
}

/* Whether a packet with number @seq is one of those that were counted as missing: datagrams
 * overtake each other. Source: viewalyzer-wire.md section 9.2. */
gboolean
_ts_va_stream_is_late (const TsVaStream *self, guint seq)
{
  return self->expected != TS_VA_NO_SEQ && ((seq - self->expected) & 0xFF) > MAX_DATAGRAM_GAP
         && self->n_missing > 0 && (self->is_datagrams || self->sender == TS_VA_SENDER_UDP);
}

/* The byte rule. Source: viewalyzer-wire.md section 9.2. */
static void
count_gap (TsVaStream *self, guint seq)
{
  guint gap;

  if (self->expected == TS_VA_NO_SEQ)
    {
      tell_damage (self, FALSE);
      self->expected = (seq + 1) & 0xFF;
      return;
    }
  gap = (seq - self->expected) & 0xFF;
  if (_ts_va_stream_is_late (self, seq))
    {
      tell_damage (self, FALSE);
      self->n_missing--;
      self->decoder->parent.counters.lost_packets--;
      return;
    }
  tell_damage (self, gap > 0);
  if (gap > 0)
    {
      add_loss (self, gap);
      self->n_missing += gap;
    }
  self->expected = (seq + 1) & 0xFF;
}

/* Called before a packet that does not simply follow the last one. */
void
_ts_va_stream_break (TsVaStream *self, const guint8 *packet, gsize n_packet)
{
  if (!self->layout->has_seq)
    {
      tell_damage (self, FALSE);
      return;
    }
  self->decoder->parent.counters.seq_present = TRUE;
  if (_ts_va_is_session_start (self->layout, packet, n_packet))
    {
      tell_damage (self, FALSE);
      self->expected = self->expected == packet[1] ? (packet[1] + 1u) & 0xFF : TS_VA_NO_SEQ;
    }
  else
    count_gap (self, packet[1]);
}

/* A whole packet with a code of a newer recorder: nothing is known but its number. */
void
_ts_va_stream_unknown_packet (TsVaStream *self, guint seq)
{
  self->decoder->parent.counters.unknown_packets++;
  self->n_seq++;
  count_gap (self, seq);
}

/* Sequence, time and registries of the target start anew. Source: viewalyzer-wire.md
 * sections 6.2, 9.2, 10.2. */
void
_ts_va_stream_new_epoch (TsVaStream *self)
{
  self->has_checkpoint = FALSE;
  self->is_checkpoint_doubted = FALSE;
  self->may_be_repeat = FALSE;
  self->n_missing = 0;
  self->has_session_clock = FALSE;
  self->doubted_hz = 0;
  self->version = 0;
  self->sender = TS_VA_SENDER_UNKNOWN;
  _ts_va_time_new_epoch (self);
  _ts_va_objects_new_session (self);
  _ts_va_decoder_update_depth (self->decoder);
}

/* INFO `SES:START` came, with sequence byte @seq. With the number that was expected and a
 * checkpoint that goes on counting it is the prelude of a UDP sender, sent once more. Source:
 * viewalyzer-wire.md section 9.2. */
void
_ts_va_stream_session_start (TsVaStream *self, guint seq)
{
  guint next = (seq + 1) & 0xFF;
  gboolean follows = self->layout->has_seq && self->expected == next;

  self->decoder->parent.counters.sessions++;
  self->has_session = TRUE;
  if (follows && (seq != 0 || self->has_checkpoint))
    self->may_be_repeat = TRUE;
  else
    _ts_va_stream_new_epoch (self);
  if (self->layout->has_seq)
    self->expected = next;
  _ts_event_window_add_host_made (&self->decoder->window, TS_EVENT_SESSION_START, self->core, 0, 0);
}

/* Checkpoint with absolute number @number, its sequence byte already taken. Source:
 * viewalyzer-wire.md section 9.2. */
void
_ts_va_stream_checkpoint (TsVaStream *self, guint32 number)
{
  gint64 n_received = (gint64) (self->n_seq - self->checkpoint_n_seq);
  gint64 exact = (gint64) (guint32) (number - self->checkpoint) - n_received;
  gint64 rest = exact - self->n_missing;

  if (self->may_be_repeat)
    {
      self->may_be_repeat = FALSE;
      if (self->has_checkpoint && (exact < 0 || exact > MAX_UNDOUBTED_LOSS || (rest & 0xFF) != 0))
        _ts_va_stream_new_epoch (self);
    }
  if (self->has_checkpoint)
    {
      if (rest > MAX_UNDOUBTED_LOSS && !self->is_checkpoint_doubted)
        {
          self->is_checkpoint_doubted = TRUE;
          return;
        }
      if (exact < 0 || (rest & 0xFF) != 0 || rest > (gint64) G_MAXINT32)
        {
          /* a restart without SES:START */
          _ts_event_window_add_host_made (&self->decoder->window, TS_EVENT_DATA_LOSS, self->core,
                                          -1, 0);
          self->next_flags |= TS_EVENT_FLAG_AFTER_LOSS;
          _ts_va_stream_new_epoch (self);
        }
      else if (rest > 0)
        add_loss (self, rest);
      else
        self->decoder->parent.counters.lost_packets -= (guint64) -rest;
    }
  self->has_checkpoint = TRUE;
  self->is_checkpoint_doubted = FALSE;
  self->checkpoint = number;
  self->checkpoint_n_seq = self->n_seq;
  self->n_missing = 0;
}

/* Bytes that are no packet. Those before the first boundary of a stream joined in the middle are
 * not corrupt, only passed over. */
void
_ts_va_stream_bad_bytes (TsVaStream *self, guint64 n_bytes)
{
  TsDecodeCounters *counters = &self->decoder->parent.counters;

  if (self->was_locked)
    {
      if (self->n_bad == 0)
        counters->resyncs++;
      counters->corrupt_bytes += n_bytes;
      self->is_dirty = TRUE;
    }
  else
    counters->skipped_bytes += n_bytes;
  self->n_bad += n_bytes;
}
