/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-records.c: recorded datagrams: `[u32 time_us][u16 length][payload]`, little-endian, the
 * payloads being COBS frames.
 *
 * The end of a datagram means nothing to the frames inside. Source: events.md section 4
 * (`va-udprec`).
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-stream-private.h"

/* Datagrams of one recording are not further apart; they are written in the order of arrival. */
#define MAX_PAUSE_US 3600000000u

/* Takes the next bytes of a file of datagram records. */
void
_ts_va_records_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes)
{
  while (n_bytes > 0)
    {
      gsize n;

      if (self->is_record_lost)
        {
          _ts_va_stream_bad_bytes (self, n_bytes);
          return;
        }
      if (self->n_payload > 0)
        {
          n = MIN (n_bytes, self->n_payload);
          _ts_va_frames_push (self, bytes, n);
          self->n_payload -= (guint) n;
          bytes += n;
          n_bytes -= n;
          continue;
        }
      self->record[self->n_record++] = *bytes++;
      n_bytes--;
      if (self->n_record < sizeof self->record)
        continue;

      self->n_record = 0;
      self->n_payload = _ts_va_u16 (self->record + 4);
      if (self->n_payload > TS_VA_MAX_DATAGRAM
          || _ts_va_u32 (self->record) - self->record_time > MAX_PAUSE_US)
        {
          /* no record: nothing behind can be trusted */
          _ts_va_frames_settle (self, TS_VA_END);
          self->is_record_lost = TRUE;
          self->n_payload = 0;
          _ts_va_stream_bad_bytes (self, sizeof self->record);
        }
      self->record_time = _ts_va_u32 (self->record);
    }
}

/* Nothing comes for now, or ever. */
void
_ts_va_records_settle (TsVaStream *self, TsVaOutlook outlook)
{
  _ts_va_frames_settle (self, outlook);
  if (outlook != TS_VA_END)
    return;
  if (self->n_record > 0)
    _ts_va_stream_bad_bytes (self, self->n_record);
  self->n_record = 0;
  self->n_payload = 0;
}
