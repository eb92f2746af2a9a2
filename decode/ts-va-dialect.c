/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-dialect.c: which dialect a stream speaks and who speaks it. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-stream-private.h"

/* Valid packets in a row after which a layout is believed. Source: viewalyzer-wire.md section 2.2.
 */
#define ENOUGH_PACKETS 8
/* Events from a marker of legacy v1 to the packet that triggered the bundle: one 03 for each task,
 * and what interrupts log between. Source: viewalyzer-wire.md section 2.3. */
#define MAX_BUNDLE_EVENTS 300

static void
tell_dialect (TsVaStream *self)
{
  _ts_va_stream_tell (self, "dialect",
                      _ts_va_dialect_get_name (self->layout->dialect, self->string_bits));
}

/* The stream speaks @dialect from here on. A change in the middle is another firmware on the same
 * line. */
void
_ts_va_stream_set_dialect (TsVaStream *self, TsVaWire dialect)
{
  const TsVaLayout *layout = _ts_va_layout_get (dialect);
  gboolean changes
      = self->last_dialect != TS_VA_WIRE_NONE && self->last_dialect != dialect && self->was_locked;

  if (layout == self->layout)
    return;
  self->layout = layout;
  if (layout == NULL)
    return;
  self->last_dialect = (guint8) dialect;
  self->string_bits = dialect == TS_VA_WIRE_LEGACY ? 0 : 16;
  self->expected = TS_VA_NO_SEQ;
  if (changes)
    {
      self->has_session = FALSE;
      self->has_os = FALSE;
      self->is_freertos = FALSE;
      self->is_zephyr = FALSE;
      _ts_va_stream_new_epoch (self);
    }
  _ts_va_decoder_update_depth (self->decoder);
  tell_dialect (self);
}

void
_ts_va_stream_set_string_bits (TsVaStream *self, guint bits)
{
  if (self->string_bits == bits)
    return;
  self->string_bits = bits;
  tell_dialect (self);
}

/* Who sends: told by habits, in which PC senders differ from firmware; build flags are the last
 * word. Source: viewalyzer-wire.md section 3.6. */
void
_ts_va_stream_set_sender (TsVaStream *self, TsVaSender sender)
{
  if (self->sender == sender || self->sender == TS_VA_SENDER_FIRMWARE)
    return;
  self->sender = sender;
  _ts_va_decoder_update_depth (self->decoder);
}

/* A sync marker was met. */
void
_ts_va_stream_marker (TsVaStream *self)
{
  self->decoder->parent.counters.markers++;
  self->marker_count = self->decoder->window.n_counted;
  self->after_marker = TRUE;
  if (self->layout != NULL && self->layout->dialect == TS_VA_WIRE_LEGACY)
    {
      self->bundle_end = self->marker_count + MAX_BUNDLE_EVENTS;
      _ts_va_decoder_update_depth (self->decoder);
    }
}

/* Number of valid packets of @layout that follow one another at @bytes, up to #ENOUGH_PACKETS or a
 * marker; that many if a marker ends them. TS_VA_MORE: not to be said yet. */
static int
count_chain (const TsVaLayout *layout, const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  gsize at = 0;
  int n = 0;

  while (n < ENOUGH_PACKETS)
    {
      int marker = at < n_bytes ? _ts_va_marker_at (bytes + at, n_bytes - at) : TS_VA_INVALID;
      int len = _ts_va_measure (layout, layout->dialect == TS_VA_WIRE_LEGACY ? 0 : 16, bytes + at,
                                n_bytes - at);

      if (marker > 0)
        return n > 0 ? ENOUGH_PACKETS : 0;
      if (len == TS_VA_INVALID && marker != TS_VA_MORE)
        break;
      if (len == TS_VA_MORE || marker == TS_VA_MORE || (gsize) len > n_bytes - at)
        {
          if (outlook == TS_VA_MORE_COMES)
            return TS_VA_MORE;
          break;
        }
      at += (gsize) len;
      n++;
    }
  return n;
}

/* Dialect of the packets at @bytes, after a marker of version 1 that does not tell: the layout that
 * holds longer. Source: viewalyzer-wire.md section 2.2 (scoring). */
int
_ts_va_score_layouts (const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  int wire1 = count_chain (_ts_va_layout_get (TS_VA_WIRE_1), bytes, n_bytes, outlook);
  int legacy = count_chain (_ts_va_layout_get (TS_VA_WIRE_LEGACY), bytes, n_bytes, outlook);

  if (wire1 == TS_VA_MORE || legacy == TS_VA_MORE)
    return TS_VA_MORE;
  return legacy > wire1 ? TS_VA_WIRE_LEGACY : TS_VA_WIRE_1;
}
