/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-itm-reader.c: the packets of ITM and DWT. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-reader-private.h"

/* Zero bytes before 80 that make a synchronisation packet. Source: itm-dwt.md section 2.1 */
#define SYNC_ZEROS 5
#define SYNC_END 0x80

/* Packets in a row that must be plausible to be believed, and where nothing is known of the target,
 * or too much was passed over already. Source: itm-dwt.md section 8.3, which says "a few" */
#define BELIEVED 4
#define BELIEVED_UNKNOWN 8
#define MANY_PASSED 1024
/* Bytes of packets that tell what the target sends. */
#define MANY_BELIEVED 256
/* Packets in a row that the target did not send before, after which the reader may be out of step. */
#define MANY_STRANGE 4
/* Bytes passed over that are told at once. */
#define PASSED_AT_ONCE 4096
/* Zeros at a packet's place that still can be the beginning of a synchronisation packet. */
#define MAX_ZEROS 8
/* Exceptions of the largest vector table. */
#define N_EXCEPTIONS 496

static void
hand_on (TsItmReader *self)
{
  guint n = self->n_batch;

  self->n_batch = 0;
  if (n > 0)
    self->n_last = n;
  if (n > 0)
    self->func (self->batch, n, self->user_data);
}

/* Room for the next packet. */
static inline TsItmPacket *
next_packet (TsItmReader *self)
{
  if (G_UNLIKELY (self->n_batch == TS_ITM_BATCH))
    hand_on (self);
  return &self->batch[self->n_batch];
}

static void
add_plain (TsItmReader *self, TsItmType type, guint64 offset, guint64 length)
{
  *next_packet (self) = (TsItmPacket){ .offset = offset, .length = length, .type = (guint8) type };
  self->n_batch++;
}

/* ---- the stream ---- */

static void
hunt (TsItmReader *self, guint64 from)
{
  self->is_hunting = TRUE;
  self->unsynced_at = from;
  self->n_zeros = 0;
  self->page = 0;
}

/* Automatic: what comes from @from on is not believed yet. */
static void
doubt (TsItmReader *self, guint64 from)
{
  if (!self->is_doubting)
    self->n_believed += from - self->believed_from;
  self->is_doubting = TRUE;
  self->unsynced_at = self->doubt_from = from;
  self->n_doubt = 0;
  self->n_zeros = 0;
  self->page = 0;
}

/* An error of @length bytes at @offset, which begin with @header. */
static void
take_error (TsItmReader *self, TsItmType type, guint8 header, guint64 offset, guint64 length)
{
  add_plain (self, type, offset, length);
  self->batch[self->n_batch - 1].header = header;
  if (self->policy == TS_ITM_STRICT)
    hunt (self, offset + length);
  else if (self->policy == TS_ITM_AUTO)
    doubt (self, offset + length);
}

static void
take_sync (TsItmReader *self, guint64 begin, guint64 end)
{
  if (self->is_hunting && begin > self->unsynced_at)
    add_plain (self, TS_ITM_UNSYNCED, self->unsynced_at, begin - self->unsynced_at);
  self->is_hunting = FALSE;
  add_plain (self, TS_ITM_SYNC, begin, end - begin);
}

/* Looks for a synchronisation packet; returns where to go on. */
static const guint8 *
read_hunting (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  guint64 base = self->offset;
  const guint8 *begin = bytes;

  for (; bytes < end; bytes++)
    {
      if (*bytes == 0)
        {
          if (self->n_zeros++ == 0)
            self->zeros_at = base + (guint64) (bytes - begin);
          continue;
        }
      if (G_UNLIKELY (*bytes == SYNC_END && self->n_zeros >= SYNC_ZEROS))
        {
          bytes++;
          self->n_zeros = 0;
          take_sync (self, self->zeros_at, base + (guint64) (bytes - begin));
          break;
        }
      self->n_zeros = 0;
    }
  self->offset = base + (guint64) (bytes - begin);
  return bytes;
}

/* Zeros at the end of the packet just before the run: no whole packet ends with so many that they
 * and the run make a synchronisation packet. Source: itm-dwt.md section 2.1 */
static guint
count_swallowed (const TsItmReader *self)
{
  guint n = self->n_batch > 0 ? self->n_batch : self->n_last;
  const TsItmPacket *last = n > 0 ? &self->batch[n - 1] : NULL;
  guint n_zeros = 0;

  if (last == NULL || last->offset + last->length != self->zeros_at || (last->header & 3) == 0)
    return 0;
  while (n_zeros < last->size && (last->value >> (8 * (last->size - 1 - n_zeros)) & 0xFF) == 0)
    n_zeros++;
  return n_zeros;
}

/* Goes on with a run of zeros that began at a packet's place. */
static const guint8 *
read_zeros (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  const guint8 *begin = bytes;
  guint64 n_zeros;

  while (bytes < end && *bytes == 0)
    bytes++;
  self->n_zeros += (guint64) (bytes - begin);
  self->offset += (guint64) (bytes - begin);
  if (bytes == end)
    return bytes;

  n_zeros = self->n_zeros;
  self->n_zeros = 0;
  if (*bytes == SYNC_END
      && (n_zeros >= SYNC_ZEROS
          || (self->policy == TS_ITM_AUTO && n_zeros + count_swallowed (self) >= SYNC_ZEROS)))
    {
      self->offset++;
      take_sync (self, self->zeros_at, self->offset);
      return bytes + 1;
    }
  if (self->policy != TS_ITM_STRICT)
    {
      take_error (self, TS_ITM_BAD_SEQUENCE, 0, self->zeros_at, n_zeros);
      return bytes;
    }
  self->offset++;
  take_error (self, TS_ITM_BAD_SEQUENCE, 0, self->zeros_at, n_zeros + 1);
  return bytes + 1;
}

/* The target sends such packets, unless it never does. */
static inline void
note_header (TsItmHeader *header)
{
  header->n_seen += header->n_seen < TS_ITM_KNOWN && !header->is_odd;
}

/* How a packet with a known header is read. */
enum
{
  KIND_SLOW,    /* by _ts_itm_packet_parse(); see _ts_itm_header_is_known() */
  KIND_PLAIN,   /* all is in the header and the payload's bytes */
  KIND_CHECKED, /* the payload decides about the type */
};

/* A packet at @offset that the target is not known to send: whether there are so many of them in a row
 * that the reader may be out of step. Source: itm-dwt.md section 8.4 */
static gboolean
is_too_strange (TsItmReader *self, TsItmHeader *header, guint64 offset)
{
  note_header (header);
  self->n_strange++;
  if (self->policy != TS_ITM_AUTO || self->n_strange < MANY_STRANGE
      || offset < self->tested_at + MANY_PASSED)
    return FALSE;
  self->is_testing = TRUE;
  self->n_doubt = 0;
  return TRUE;
}

/* Notes a packet at @offset, however it was read. Returns whether it must wait for a test. */
static inline gboolean
is_held_back (TsItmReader *self, TsItmHeader *header, guint64 offset)
{
  if (header->kind == KIND_SLOW)
    note_header (header);
  else if (G_UNLIKELY (header->n_seen < TS_ITM_KNOWN))
    return is_too_strange (self, header, offset);
  else if (G_UNLIKELY (self->n_strange != 0))
    self->n_strange = 0;
  return FALSE;
}

/* One byte more for the packet whose beginning is kept. */
static void
read_carried (TsItmReader *self, guint8 byte)
{
  TsItmPacket *out = next_packet (self);
  guint64 at = self->offset - self->n_carry;
  int n;

  self->carry[self->n_carry++] = byte;
  self->offset++;
  n = _ts_itm_packet_parse (self, self->carry, self->n_carry, out);
  if (n == 0)
    return;
  if (n > 0 && is_held_back (self, &self->headers[out->header], at))
    {
      memcpy (self->doubt, self->carry, self->n_carry);
      self->n_doubt = self->n_carry;
      self->n_carry = 0;
      return;
    }
  self->n_carry = 0;
  if (n > 0)
    {
      out->offset = at;
      out->length = (guint) n;
      self->n_batch++;
    }
  else
    take_error (self, out->type, out->header, at, (guint) -n);
}

/* What the reader knows before it sees a payload. Headers that it is not sure of stay slow. */
static void
fill_headers (TsItmReader *self)
{
  for (guint i = 1; i < 256; i++)
    {
      static const guint8 sizes[] = { 0, 1, 2, 4 };
      TsItmHeader *header = &self->headers[i];
      guint size = sizes[i & 3];
      TsItmPacket packet = { .header = (guint8) i, .size = (guint8) size };

      header->size = (guint8) size;
      header->mask = size != 0 ? G_MAXUINT32 >> (32 - 8 * size) : 0;
      if (size != 0 && (i & 4) == 0)
        {
          header->kind = KIND_PLAIN;
          header->type = TS_ITM_SWIT;
          header->port = (guint16) (i >> 3);
          header->page_mask = 0xFFFF;
        }
      else if (size != 0)
        {
          guint discriminator = i >> 3;

          _ts_itm_packet_classify (&packet);
          header->kind = (discriminator == 2 && size == 1)
                                 || (packet.type == TS_ITM_DATA_PC && size == 1)
                             ? KIND_CHECKED
                             : KIND_PLAIN;
          header->type = packet.type;
          header->port = packet.port;
          header->is_odd = packet.type >= TS_ITM_HW_RESERVED_DISC
                           && packet.type <= TS_ITM_PMU_BAD_SIZE;
          if (discriminator == 1 && size == 2)
            {
              header->type = TS_ITM_EXCEPTION_ENTERED;
              header->port = 0;
              header->number_mask = 0x1FF;
              header->function_mask = 3;
            }
        }
      else if ((i & 0x8F) == 0 && i != 0x70)
        {
          header->kind = KIND_PLAIN;
          header->type = TS_ITM_LTS2;
          header->fixed = i >> 4;
        }
      else if ((i & 0xCF) == 0xC0)
        {
          header->kind = KIND_PLAIN;
          header->type = TS_ITM_LTS1;
          header->continued = G_MAXUINT32;
          header->tc = (guint8) ((i >> 4) & 3);
        }
    }
}

/* Packets with a plain header whose bytes are all there, up to a full batch; returns where
 * something else begins, or the last bytes. Nobody can foretell which packet comes next, so what
 * all of them need is worked out for each, and masks choose. */
static const guint8 *
read_fast (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  guint64 offset = self->offset;
  guint page = self->page * 32;
  guint n_batch = self->n_batch;

  /* what changes with every packet stays out of memory */
  while (end - bytes >= 5 && n_batch < TS_ITM_BATCH)
    {
      TsItmHeader *header = &self->headers[*bytes];
      guint32 payload;
      guint32 last;
      guint32 packed;
      guint32 value;
      guint n_packed;
      guint size;
      TsItmPacket *out;

      memcpy (&payload, bytes + 1, sizeof payload);
      payload = GUINT32_FROM_LE (payload);
      last = ~payload & 0x80808080u;
      /* slowly, or four bytes and another one follows */
      if (G_UNLIKELY (header->kind == KIND_SLOW || last < (header->continued & 1)))
        break;
      /* seven bits of each byte, up to the first that none follows */
      n_packed = (guint) __builtin_ctz (last | 0x80000000u) / 8 + 1;
      packed = ((payload & 0x7Fu) | (payload >> 1 & 0x3F80u) | (payload >> 2 & 0x1FC000u)
                | (payload >> 3 & 0xFE00000u))
               & ((1u << (7 * n_packed)) - 1);
      size = header->size + (n_packed & header->continued);
      value = header->fixed | (payload & header->mask) | (packed & header->continued);
      if (is_held_back (self, header, offset))
        break;
      out = &self->batch[n_batch];
      *out = (TsItmPacket){
        .offset = offset,
        .value = value,
        .length = size + 1,
        /* functions 1, 2, 3, 0 are the types from that of the header on */
        .type = (guint8) (header->type + (((value >> 12) - 1) & header->function_mask)),
        .size = (guint8) size,
        .header = *bytes,
        .port = (guint16) (header->port + (page & header->page_mask) + (value & header->number_mask)),
        .tc = header->tc,
      };
      if (header->kind == KIND_CHECKED)
        _ts_itm_packet_classify (out);
      n_batch++;
      offset += size + 1;
      bytes += size + 1;
    }
  self->n_batch = n_batch;
  self->offset = offset;
  return bytes;
}

/* Packets that @take takes; returns where something else begins, or the last bytes. */
static const guint8 *
read_taken (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  const guint8 *last = bytes;
  const guint8 *next;
  TsItmPacket *packet = &self->batch[0];

  hand_on (self);
  next = self->take (bytes, end, &last, self->user_data);
  if (next == bytes)
    return bytes;
  self->offset += (guint64) (next - bytes);
  self->n_strange = 0;
  /* a run of zeros may ask about it */
  _ts_itm_packet_parse (self, last, (gsize) (next - last), packet);
  packet->length = (guint64) (next - last);
  packet->offset = self->offset - packet->length;
  self->n_last = 1;
  return next;
}

/* Packets from a boundary on, as many as are complete; the beginning of another one is kept. */
static const guint8 *
read_packets (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  while (bytes < end)
    {
      TsItmPacket *out;
      int n;

      bytes = self->take != NULL ? read_taken (self, bytes, end) : read_fast (self, bytes, end);
      if (bytes == end || self->is_testing)
        break;
      out = next_packet (self);
      if (*bytes == 0)
        {
          self->zeros_at = self->offset++;
          self->n_zeros = 1;
          return bytes + 1;
        }
      n = _ts_itm_packet_parse (self, bytes, (gsize) (end - bytes), out);
      if (G_LIKELY (n > 0))
        {
          if (is_held_back (self, &self->headers[out->header], self->offset))
            break;
          out->offset = self->offset;
          out->length = (guint) n;
          self->n_batch++;
          self->offset += (guint) n;
          bytes += n;
        }
      else if (n == 0)
        {
          self->n_carry = (guint) (end - bytes);
          memcpy (self->carry, bytes, self->n_carry);
          self->offset += self->n_carry;
          return end;
        }
      else
        {
          self->offset += (guint) -n;
          bytes += -n;
          take_error (self, out->type, out->header, self->offset - (guint) -n, (guint) -n);
          return bytes;
        }
    }
  return bytes;
}

/* ---- after an error: which packets are to be believed ---- */

/* Whether a target sends that. @before: the type of the packet before. Source: itm-dwt.md section
 * 8.4 */
static gboolean
is_plausible (const TsItmReader *self, const TsItmPacket *packet, guint before, gboolean is_known)
{
  gboolean is_time = packet->type == TS_ITM_LTS1 || packet->type == TS_ITM_LTS2;

  if (is_time)
    /* sent with data only */
    return before != TS_ITM_LTS1 && before != TS_ITM_LTS2;
  if (is_known && self->headers[packet->header].n_seen < TS_ITM_KNOWN)
    return FALSE;
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_EXCEPTION_RESERVED:
    case TS_ITM_HW_RESERVED_DISC:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_EXCEPTION_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
      return FALSE;
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
      return packet->port > 0 && packet->port < N_EXCEPTIONS && (packet->value & 0xCE00) == 0;
    case TS_ITM_EXCEPTION_RETURNED:
      return packet->port < N_EXCEPTIONS && (packet->value & 0xCE00) == 0;
    case TS_ITM_EVENT_COUNTER:
      return packet->value != 0 && packet->value < 0x40;
    case TS_ITM_PMU_OVERFLOW:
      return packet->value != 0;
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_DATA_PC:
      return (packet->value & 1) == 0;
    case TS_ITM_EXTENSION:
      return packet->size == 0 && !self->has_one_page;
    default:
      return TRUE;
    }
}

typedef enum
{
  DOUBT_BAD,
  DOUBT_MORE,
  DOUBT_GOOD,
} Doubt;

/* Whether the packets that begin with the first byte in doubt can be believed. @n_used: bytes of
 * the whole ones among them. */
static Doubt
judge (TsItmReader *self, guint *n_used)
{
  guint64 n_passed = self->offset - self->doubt_from;
  gboolean is_known = self->n_believed >= MANY_BELIEVED && n_passed < MANY_PASSED;
  guint before = TS_ITM_N_TYPES;
  guint page = self->page;
  guint n_good = 0;
  /* where nothing is known, what the first packet is must come again: it may be the end of another
   * one that the rest follows */
  gboolean is_first_odd = !is_known && n_passed < MANY_PASSED;
  Doubt found = DOUBT_MORE;

  *n_used = 0;
  while (found == DOUBT_MORE && *n_used < self->n_doubt)
    {
      const guint8 *bytes = self->doubt + *n_used;
      guint n_bytes = self->n_doubt - *n_used;
      TsItmPacket packet;
      int n;

      if (bytes[0] == 0)
        {
          guint n_zeros = 1;

          while (n_zeros < n_bytes && bytes[n_zeros] == 0)
            n_zeros++;
          if (n_zeros < n_bytes || n_zeros > MAX_ZEROS)
            found = DOUBT_BAD;
          break;
        }
      n = _ts_itm_packet_parse (self, bytes, n_bytes, &packet);
      if (n == 0)
        break;
      if (n < 0 || !is_plausible (self, &packet, before, is_known))
        found = DOUBT_BAD;
      else
        {
          before = packet.type;
          if (n_good == 0)
            is_first_odd = is_first_odd && (packet.header & 3) != 0
                           && self->headers[packet.header].n_seen < TS_ITM_KNOWN;
          else if (packet.header == self->doubt[0])
            is_first_odd = FALSE;
          *n_used += (guint) n;
          if (++n_good == (is_known ? BELIEVED : BELIEVED_UNKNOWN))
            found = is_first_odd ? DOUBT_BAD : DOUBT_GOOD;
        }
    }
  self->page = page;
  return found;
}

/* Tells of bytes passed over, up to @to. */
static void
tell_passed (TsItmReader *self, guint64 to)
{
  if (to > self->unsynced_at)
    add_plain (self, TS_ITM_UNSYNCED, self->unsynced_at, to - self->unsynced_at);
  self->unsynced_at = to;
}

/* Hands on the packets in the first @n_used bytes in doubt, which are believed. */
static void
believe (TsItmReader *self, guint n_used)
{
  guint64 at = self->offset - self->n_doubt;

  tell_passed (self, at);
  for (guint used = 0; used < n_used;)
    {
      TsItmPacket *out = next_packet (self);
      int n = _ts_itm_packet_parse (self, self->doubt + used, n_used - used, out);

      out->offset = at + used;
      out->length = (guint) n;
      note_header (&self->headers[out->header]);
      self->n_batch++;
      used += (guint) n;
    }
  self->unsynced_at = at + n_used;
}

static void push (TsItmReader *self, const guint8 *bytes, gsize n_bytes);

/* The first @n_used bytes in doubt are believed, and with them all that comes. */
static void
end_doubt (TsItmReader *self, guint n_used)
{
  guint8 rest[TS_ITM_DOUBT];
  guint n_rest = self->n_doubt - n_used;

  believe (self, n_used);
  memcpy (rest, self->doubt + n_used, n_rest);
  self->is_doubting = FALSE;
  self->n_doubt = 0;
  self->n_zeros = 0;
  self->offset -= n_rest;
  self->believed_from = self->offset;
  push (self, rest, n_rest);
}

/* A synchronisation packet ends with the last byte in doubt: it is certain. */
static void
end_doubt_with_sync (TsItmReader *self)
{
  guint64 n_sync = self->n_zeros + 1;
  guint64 begin = self->offset - n_sync;
  guint n_used = 0;

  /* what came before it and ends just there is kept */
  self->n_doubt -= (guint) MIN (n_sync, self->n_doubt);
  self->offset = begin;
  if (self->n_doubt > 0 && judge (self, &n_used) != DOUBT_BAD && n_used == self->n_doubt)
    believe (self, n_used);
  tell_passed (self, begin);
  self->is_doubting = FALSE;
  self->n_doubt = 0;
  self->n_zeros = 0;
  self->offset = begin + n_sync;
  self->believed_from = begin;
  take_sync (self, begin, self->offset);
}

/* Reads on until packets can be believed. */
static const guint8 *
read_doubting (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  while (bytes < end && self->is_doubting)
    {
      guint8 byte = *bytes++;
      guint n_used;
      Doubt found = DOUBT_BAD;

      self->doubt[self->n_doubt++] = byte;
      self->offset++;
      if (byte == SYNC_END && self->n_zeros >= SYNC_ZEROS)
        {
          end_doubt_with_sync (self);
          break;
        }
      self->n_zeros = byte == 0 ? self->n_zeros + 1 : 0;
      while (self->n_doubt > 0 && (found = judge (self, &n_used)) == DOUBT_BAD)
        memmove (self->doubt, self->doubt + 1, --self->n_doubt);
      if (found == DOUBT_GOOD)
        end_doubt (self, n_used);
      else if (self->offset - self->n_doubt - self->unsynced_at >= PASSED_AT_ONCE)
        tell_passed (self, self->offset - self->n_doubt);
    }
  return bytes;
}

/* Whether known packets follow each other from the byte @from on, to the end of what is kept. */
static gboolean
is_in_step (TsItmReader *self, guint from)
{
  guint before = TS_ITM_N_TYPES;
  guint n_sources = 0;
  guint page = self->page;
  gboolean is_good = TRUE;
  TsItmPacket packet;

  while (is_good && from < self->n_doubt)
    {
      int n = self->doubt[from] != 0
                  ? _ts_itm_packet_parse (self, self->doubt + from, self->n_doubt - from, &packet)
                  : -1;

      if (n == 0)
        break;
      is_good = n > 0 && is_plausible (self, &packet, before, TRUE);
      if (is_good)
        {
          before = packet.type;
          n_sources += (packet.header & 3) != 0;
          from += (guint) n;
        }
    }
  self->page = page;
  return is_good && n_sources >= BELIEVED;
}

/* Enough is kept: if known packets follow each other from a byte inside the first packet on, the reader
 * was out of step; else the target sends something new. */
static void
end_test (TsItmReader *self)
{
  guint8 rest[TS_ITM_DOUBT];
  guint n_rest = self->n_doubt;
  guint n_first = n_rest > 0 ? 1u + self->headers[self->doubt[0]].size : 0;
  guint shift = 1;

  self->is_testing = FALSE;
  self->tested_at = self->offset;
  self->n_strange = 0;
  while (shift < n_first && !is_in_step (self, shift))
    shift++;
  memcpy (rest, self->doubt, n_rest);
  self->n_doubt = 0;
  self->offset -= n_rest;
  if (shift < n_first && shift < n_rest)
    {
      self->headers[rest[0]].n_seen = 0;
      self->n_unlearned++;
      doubt (self, self->offset);
      self->is_doubting = FALSE;
      self->offset += shift;
      tell_passed (self, self->offset);
      self->believed_from = self->offset;
      push (self, rest + shift, n_rest - shift);
      return;
    }
  push (self, rest, n_rest);
}

/* Keeps bytes until it can be seen whether the reader is out of step. */
static const guint8 *
read_testing (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  guint n = (guint) MIN ((gsize) (end - bytes), (gsize) (TS_ITM_DOUBT - self->n_doubt));

  memcpy (self->doubt + self->n_doubt, bytes, n);
  self->n_doubt += n;
  self->offset += n;
  if (self->n_doubt == TS_ITM_DOUBT)
    end_test (self);
  return bytes + n;
}

/* The end, or a gap: what is plausible so far is given the benefit. */
static void
drop_doubt (TsItmReader *self)
{
  guint n_used = 0;

  if (!self->is_doubting)
    return;
  if (self->n_doubt > 0 && judge (self, &n_used) != DOUBT_BAD && n_used > 0)
    {
      believe (self, n_used);
      self->n_carry = self->n_doubt - n_used;
    }
  tell_passed (self, self->offset - self->n_carry);
  self->believed_from = self->offset;
  self->is_doubting = FALSE;
  self->n_doubt = 0;
  self->n_zeros = 0;
}

/*
 * _ts_itm_reader_init:
 * @self: a reader
 * @policy: what to do without a boundary
 * @func: takes packets; must not call back
 * @user_data: for @func
 *
 * Sets up a reader at the beginning of a stream. It owns nothing.
 */
void
_ts_itm_reader_init (TsItmReader *self,
                     TsItmPolicy policy,
                     TsItmPacketsFunc func,
                     gpointer user_data)
{
  memset (self, 0, G_STRUCT_OFFSET (TsItmReader, batch));
  self->policy = policy;
  self->func = func;
  self->user_data = user_data;
  self->is_hunting = policy == TS_ITM_STRICT;
  memset (self->headers, 0, sizeof self->headers);
  fill_headers (self);
}

static void
push (TsItmReader *self, const guint8 *bytes, gsize n_bytes)
{
  const guint8 *end = bytes + n_bytes;

  while (bytes < end)
    {
      if (self->is_hunting)
        bytes = read_hunting (self, bytes, end);
      else if (self->is_doubting)
        bytes = read_doubting (self, bytes, end);
      else if (self->is_testing)
        bytes = read_testing (self, bytes, end);
      else if (self->n_zeros > 0)
        bytes = read_zeros (self, bytes, end);
      else if (self->n_carry > 0)
        read_carried (self, *bytes++);
      else
        bytes = read_packets (self, bytes, end);
    }
}

/*
 * _ts_itm_reader_push:
 * @self: a reader
 * @bytes: (array length=n_bytes): the next bytes
 * @n_bytes: how many
 *
 * Reads bytes and hands on all packets that are complete.
 */
void
_ts_itm_reader_push (TsItmReader *self, const guint8 *bytes, gsize n_bytes)
{
  push (self, bytes, n_bytes);
  hand_on (self);
}

/* What was begun stays incomplete. */
static void
drop_begun (TsItmReader *self)
{
  guint64 n;

  if (self->is_testing)
    end_test (self);
  drop_doubt (self);
  n = self->n_carry > 0 ? self->n_carry : self->is_hunting ? 0 : self->n_zeros;
  if (n > 0)
    add_plain (self, TS_ITM_INCOMPLETE, self->offset - n, n);
  self->n_carry = 0;
  self->n_zeros = 0;
}

/*
 * _ts_itm_reader_lose:
 * @self: a reader
 *
 * Bytes are missing here: what comes does not belong to what was.
 */
void
_ts_itm_reader_lose (TsItmReader *self)
{
  drop_begun (self);
  self->page = 0;
  if (self->policy == TS_ITM_STRICT && !self->is_hunting)
    hunt (self, self->offset);
  else if (self->policy == TS_ITM_AUTO)
    doubt (self, self->offset);
  hand_on (self);
}

/*
 * _ts_itm_reader_finish:
 * @self: a reader
 *
 * The end of the data: tells of an unfinished packet, or of the bytes passed over.
 */
void
_ts_itm_reader_finish (TsItmReader *self)
{
  drop_begun (self);
  if (self->is_hunting && self->offset > self->unsynced_at)
    {
      add_plain (self, TS_ITM_UNSYNCED, self->unsynced_at, self->offset - self->unsynced_at);
      self->unsynced_at = self->offset;
    }
  hand_on (self);
}
