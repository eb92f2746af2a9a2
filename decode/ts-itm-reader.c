/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-itm-reader.c: the packets of ITM and DWT. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-reader-private.h"

/* Zero bytes before 80 that make a synchronisation packet. Source: itm-dwt.md section 2.1 */
#define SYNC_ZEROS 5
#define SYNC_END 0x80

/* Source: itm-dwt.md section 2 */
#define HEADER_OVERFLOW 0x70
#define HEADER_GTS1 0x94
#define HEADER_GTS2 0xB4

/* Most payload bytes of time stamps and extensions. Source: itm-dwt.md sections 2.3, 2.4, 2.5 */
#define MAX_CONTINUED 4
#define MAX_GTS2 6

static const char *const type_names[TS_ITM_N_TYPES] = {
  [TS_ITM_SYNC] = "sync",
  [TS_ITM_OVERFLOW] = "overflow",
  [TS_ITM_LTS1] = "lts1",
  [TS_ITM_LTS2] = "lts2",
  [TS_ITM_GTS1] = "gts1",
  [TS_ITM_GTS2] = "gts2",
  [TS_ITM_EXTENSION] = "extension",
  [TS_ITM_SWIT] = "swit",
  [TS_ITM_EVENT_COUNTER] = "event_counter",
  [TS_ITM_EXCEPTION_ENTERED] = "exception_entered",
  [TS_ITM_EXCEPTION_EXITED] = "exception_exited",
  [TS_ITM_EXCEPTION_RETURNED] = "exception_returned",
  [TS_ITM_EXCEPTION_RESERVED] = "exception_reserved",
  [TS_ITM_PC_SAMPLE] = "pc_sample",
  [TS_ITM_PC_SLEEP] = "pc_sleep",
  [TS_ITM_PC_PROHIBITED] = "pc_prohibited",
  [TS_ITM_PMU_OVERFLOW] = "pmu_overflow",
  [TS_ITM_DATA_PC] = "data_pc",
  [TS_ITM_DATA_ADDRESS] = "data_address",
  [TS_ITM_DATA_VALUE_READ] = "data_value_read",
  [TS_ITM_DATA_VALUE_WRITE] = "data_value_write",
  [TS_ITM_DATA_MATCH] = "data_match",
  [TS_ITM_HW_RESERVED_DISC] = "hw_reserved_disc",
  [TS_ITM_EVENT_COUNTER_BAD_SIZE] = "event_counter_bad_size",
  [TS_ITM_EXCEPTION_BAD_SIZE] = "exception_bad_size",
  [TS_ITM_PC_SAMPLE_BAD_SIZE] = "pc_sample_bad_size",
  [TS_ITM_PMU_BAD_SIZE] = "pmu_bad_size",
  [TS_ITM_RESERVED] = "reserved",
  [TS_ITM_BAD_SEQUENCE] = "bad_sequence",
  [TS_ITM_INCOMPLETE] = "incomplete",
  [TS_ITM_UNSYNCED] = "unsynced",
};

/* Name of a type. Source: events.md section 4, `packets` */
const char *
_ts_itm_type_get_name (TsItmType type)
{
  g_return_val_if_fail (type < TS_ITM_N_TYPES, NULL);
  return type_names[type];
}

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

/* ---- one packet ---- */

/* Source: itm-dwt.md section 2.7 */
static inline void
classify_hardware (TsItmPacket *out)
{
  guint discriminator = out->header >> 3;

  out->port = (guint16) discriminator;
  if (discriminator >= 8 && discriminator < 24)
    {
      out->port = (discriminator >> 1) & 3;
      if (discriminator >= 16)
        out->type = (discriminator & 1) != 0 ? TS_ITM_DATA_VALUE_WRITE : TS_ITM_DATA_VALUE_READ;
      else if ((discriminator & 1) != 0)
        out->type = TS_ITM_DATA_ADDRESS;
      else
        out->type = out->size == 1 && out->value == 1 ? TS_ITM_DATA_MATCH : TS_ITM_DATA_PC;
      return;
    }
  switch (discriminator)
    {
    case 0:
      out->type = out->size == 1 ? TS_ITM_EVENT_COUNTER : TS_ITM_EVENT_COUNTER_BAD_SIZE;
      break;
    case 1:
      if (out->size != 2)
        out->type = TS_ITM_EXCEPTION_BAD_SIZE;
      else
        {
          static const guint8 functions[] = {
            TS_ITM_EXCEPTION_RESERVED,
            TS_ITM_EXCEPTION_ENTERED,
            TS_ITM_EXCEPTION_EXITED,
            TS_ITM_EXCEPTION_RETURNED,
          };

          out->type = functions[(out->value >> 12) & 3];
          out->port = out->value & 0x1FF;
        }
      break;
    case 2:
      if (out->size == 4)
        out->type = TS_ITM_PC_SAMPLE;
      else if (out->size == 1 && out->value == 0)
        out->type = TS_ITM_PC_SLEEP;
      else if (out->size == 1 && out->value == 0xFF)
        out->type = TS_ITM_PC_PROHIBITED;
      else
        out->type = TS_ITM_PC_SAMPLE_BAD_SIZE;
      break;
    case 3:
      out->type = out->size == 1 ? TS_ITM_PMU_OVERFLOW : TS_ITM_PMU_BAD_SIZE;
      break;
    default:
      out->type = TS_ITM_HW_RESERVED_DISC;
      break;
    }
}

/* Payload whose bytes say whether another one follows; returns its length, 0: more bytes needed,
 * -1: too long. */
static int
read_continued (const guint8 *bytes, gsize n_bytes, guint limit, guint64 *value)
{
  *value = 0;
  for (guint i = 0; i < limit; i++)
    {
      if (i == n_bytes)
        return 0;
      *value |= (guint64) (bytes[i] & 0x7F) << (7 * i);
      if ((bytes[i] & 0x80) == 0)
        return (int) i + 1;
    }
  return -1;
}

/* Packets with bits 1:0 = 00. Returns the length of the packet, 0: more bytes needed, below 0: an
 * error that takes so many bytes. Source: itm-dwt.md sections 2 to 2.5 */
static int
parse_protocol (TsItmReader *self, const guint8 *bytes, gsize n_bytes, TsItmPacket *out)
{
  guint8 header = bytes[0];
  guint limit = MAX_CONTINUED;
  gboolean has_payload = (header & 0x80) != 0;
  int n;

  if (header == HEADER_OVERFLOW)
    out->type = TS_ITM_OVERFLOW;
  else if ((header & 0x8F) == 0)
    {
      out->type = TS_ITM_LTS2;
      out->value = header >> 4;
    }
  else if ((header & 0x0B) == 0x08)
    out->type = TS_ITM_EXTENSION;
  else if (header == HEADER_GTS1)
    out->type = TS_ITM_GTS1;
  else if (header == HEADER_GTS2)
    {
      out->type = TS_ITM_GTS2;
      limit = MAX_GTS2;
    }
  else if ((header & 0xCF) == 0xC0 || (self->is_lenient && (header & 0x8F) == 0x80))
    {
      out->type = TS_ITM_LTS1;
      out->tc = (header >> 4) & 3;
    }
  else
    {
      out->type = TS_ITM_RESERVED;
      return -1;
    }

  if (!has_payload)
    {
      if (out->type == TS_ITM_EXTENSION)
        {
          out->value = (header >> 4) & 7;
          if ((header & 0x04) == 0 && !self->has_one_page)
            self->page = (guint) out->value;
        }
      return 1;
    }
  n = read_continued (bytes + 1, n_bytes - 1, limit, &out->value);
  if (n == 0)
    return 0;
  if (n < 0)
    {
      out->type = TS_ITM_BAD_SEQUENCE;
      return -1 - (int) limit;
    }
  out->size = (guint8) n;
  if (out->type == TS_ITM_EXTENSION)
    out->value = out->value << 3 | ((header >> 4) & 7);
  else if (out->type == TS_ITM_GTS1 && n == MAX_CONTINUED)
    {
      out->flags = (guint8) (out->value >> 26);
      out->value &= 0x3FFFFFF;
    }
  return 1 + n;
}

/* The packet that begins at @bytes (not a zero). Returns as parse_protocol(). */
static inline int
parse (TsItmReader *self, const guint8 *bytes, gsize n_bytes, TsItmPacket *out)
{
  guint8 header = bytes[0];
  guint size = header & 3;
  guint64 value;

  memset (out, 0, sizeof *out);
  out->header = header;
  if (size == 0)
    return parse_protocol (self, bytes, n_bytes, out);
  if (size == 3)
    size = 4;
  if (G_UNLIKELY (n_bytes <= size))
    return 0;
  value = bytes[1];
  if (size >= 2)
    value |= (guint64) bytes[2] << 8;
  if (size == 4)
    value |= (guint64) bytes[3] << 16 | (guint64) bytes[4] << 24;
  out->value = value;
  out->size = (guint8) size;
  if ((header & 4) != 0)
    classify_hardware (out);
  else
    {
      out->type = TS_ITM_SWIT;
      out->port = (guint16) ((header >> 3) + self->page * 32);
    }
  return (int) size + 1;
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

/* An error of @length bytes at @offset, which begin with @header. */
static void
take_error (TsItmReader *self, TsItmType type, guint8 header, guint64 offset, guint64 length)
{
  add_plain (self, type, offset, length);
  self->batch[self->n_batch - 1].header = header;
  if (self->policy == TS_ITM_STRICT)
    hunt (self, offset + length);
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

/* One byte more for the packet whose beginning is kept. */
static void
read_carried (TsItmReader *self, guint8 byte)
{
  TsItmPacket *out = next_packet (self);
  guint64 at = self->offset - self->n_carry;
  int n;

  self->carry[self->n_carry++] = byte;
  self->offset++;
  n = parse (self, self->carry, self->n_carry, out);
  if (n == 0)
    return;
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

/* How a packet with a known header is read. */
enum
{
  KIND_SLOW,    /* by parse() */
  KIND_PLAIN,   /* all is in the header and the payload's bytes */
  KIND_CHECKED, /* the payload decides about the type */
};

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

          classify_hardware (&packet);
          header->kind = (discriminator == 2 && size == 1)
                                 || (packet.type == TS_ITM_DATA_PC && size == 1)
                             ? KIND_CHECKED
                             : KIND_PLAIN;
          header->type = packet.type;
          header->port = packet.port;
          if (discriminator == 1 && size == 2)
            {
              header->type = TS_ITM_EXCEPTION_ENTERED;
              header->port = 0;
              header->number_mask = 0x1FF;
              header->function_mask = 3;
            }
        }
      else if ((i & 0x8F) == 0 && i != HEADER_OVERFLOW)
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

/* Packets with a plain header whose bytes are all there; returns where something else begins, or
 * the last bytes. Nobody can foretell which packet comes next, so what all of them need is worked
 * out for each, and masks choose. */
static const guint8 *
read_fast (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  guint64 offset = self->offset;
  guint page = self->page * 32;

  while (end - bytes >= 5)
    {
      const TsItmHeader *header = &self->headers[*bytes];
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
      out = next_packet (self);
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
        classify_hardware (out);
      self->n_batch++;
      offset += size + 1;
      bytes += size + 1;
    }
  self->offset = offset;
  return bytes;
}

/* Packets from a boundary on, as many as are complete; the beginning of another one is kept. */
static const guint8 *
read_packets (TsItmReader *self, const guint8 *bytes, const guint8 *end)
{
  while (bytes < end)
    {
      TsItmPacket *out;
      int n;

      bytes = read_fast (self, bytes, end);
      if (bytes == end)
        break;
      out = next_packet (self);
      if (*bytes == 0)
        {
          self->zeros_at = self->offset++;
          self->n_zeros = 1;
          return bytes + 1;
        }
      n = parse (self, bytes, (gsize) (end - bytes), out);
      if (G_LIKELY (n > 0))
        {
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
  const guint8 *end = bytes + n_bytes;

  while (bytes < end)
    {
      if (self->is_hunting)
        bytes = read_hunting (self, bytes, end);
      else if (self->n_zeros > 0)
        bytes = read_zeros (self, bytes, end);
      else if (self->n_carry > 0)
        read_carried (self, *bytes++);
      else
        bytes = read_packets (self, bytes, end);
    }
  hand_on (self);
}

/* What was begun stays incomplete. */
static void
drop_begun (TsItmReader *self)
{
  guint64 n = self->n_carry > 0 ? self->n_carry : self->is_hunting ? 0 : self->n_zeros;

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
