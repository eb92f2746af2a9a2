/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-itm-packet.c: one packet of ITM or DWT, and what its type is called. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-reader-private.h"

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

/* Sets type and port of a packet of hardware from its header and payload. Source: itm-dwt.md section
 * 2.7 */
void
_ts_itm_packet_classify (TsItmPacket *out)
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

/* The packet that begins at @bytes (not a zero). Returns the length of the packet, 0: more bytes
 * needed, below 0: an error that takes so many bytes. */
int
_ts_itm_packet_parse (TsItmReader *self, const guint8 *bytes, gsize n_bytes, TsItmPacket *out)
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
    _ts_itm_packet_classify (out);
  else
    {
      out->type = TS_ITM_SWIT;
      out->port = (guint16) ((header >> 3) + self->page * 32);
    }
  return (int) size + 1;
}
