/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-wire.c: shape of the recorder's packets in every dialect. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-wire-private.h"

/* Lengths. Source: viewalyzer-wire.md section 8.1 (wire 1), 2.3 (older dialects). B is the length
 * of a packet that holds an id and a time stamp only: 7 in wire 1 and v3, 6 in v2, 10 in legacy v1.
 * Both values of the START flag are legal on an event. */
#define BOTH(code, value) [(code)] = (value), [(code) | TS_VA_START_FLAG] = (value)

#define FIXED_LEGACY(B)                                                                            \
  BOTH (0x01, (B)), BOTH (0x02, (B)), BOTH (0x06, (B)), BOTH (0x07, (B)), BOTH (0x08, (B)),        \
      BOTH (0x0B, (B)), BOTH (0x12, (B)), BOTH (0x13, (B)), BOTH (0x15, (B)),                      \
      BOTH (0x0A, (B) + 1), BOTH (0x0C, (B) + 2), BOTH (0x04, (B) + 4), BOTH (0x0E, (B) + 4),      \
      BOTH (0x0F, (B) + 4), BOTH (0x10, (B) + 4), BOTH (0x11, (B) + 4), BOTH (0x14, (B) + 4),      \
      BOTH (0x05, (B) + 5), BOTH (0x09, (B) + 8), BOTH (0x03, (B) + 12)

#define FIXED_V3(B) FIXED_LEGACY (B), BOTH (0x17, (B) + 4)

#define FIXED_WIRE1(B)                                                                             \
  FIXED_V3 (B), BOTH (0x18, (B) + 4), BOTH (0x19, (B) + 4), BOTH (0x1A, (B) + 8),                  \
      BOTH (0x1B, (B) + 8), BOTH (0x1C, (B) + 8), BOTH (0x1E, (B) + 8), BOTH (0x1D, (B) + 12),     \
      BOTH (0x1F, (B) + 12), BOTH (0x20, (B) + 12), BOTH (0x21, (B) + 12), BOTH (0x22, (B) + 12),  \
      BOTH (0x23, (B) + 12), BOTH (0x24, (B) + 12), BOTH (0x25, (B) + 12)

/* Type bytes. Source: viewalyzer-wire.md section 2.3 ("Codes in the older dialects"), 5.1, 6.1. */
#define KNOWN_EVENTS(last) [0x01 ...(last)] = 1, [0x81 ...(last) + 0x80] = 1

static const TsVaLayout layouts[TS_VA_N_WIRES] = {
  [TS_VA_WIRE_LEGACY] = {
    .dialect = TS_VA_WIRE_LEGACY, .has_seq = 0, .id_at = 1, .ts_bytes = 8, .body_at = 10,
    .fixed = { FIXED_LEGACY (10) },
    .known = { KNOWN_EVENTS (0x15), [0x70 ... 0x7D] = 1, [0x7F] = 1 },
  },
  [TS_VA_WIRE_V2] = {
    .dialect = TS_VA_WIRE_V2, .has_seq = 0, .id_at = 1, .ts_bytes = 4, .body_at = 6,
    .fixed = { FIXED_V3 (6) },
    .known = { KNOWN_EVENTS (0x15), BOTH (0x17, 1), [0x70 ... 0x7D] = 1, [0x7F] = 1 },
  },
  [TS_VA_WIRE_V3] = {
    .dialect = TS_VA_WIRE_V3, .has_seq = 1, .id_at = 2, .ts_bytes = 4, .body_at = 7,
    .fixed = { FIXED_V3 (7) },
    .known = { KNOWN_EVENTS (0x17), [0x70 ... 0x7D] = 1, [0x7F] = 1 },
  },
  [TS_VA_WIRE_1] = {
    .dialect = TS_VA_WIRE_1, .has_seq = 1, .id_at = 2, .ts_bytes = 4, .body_at = 7,
    .fixed = { FIXED_WIRE1 (7) },
    .known = { KNOWN_EVENTS (0x25), [0x70 ... 0x7F] = 1 },
  },
};

/* Layout of @dialect, NULL for none. */
const TsVaLayout *
_ts_va_layout_get (TsVaWire dialect)
{
  return dialect > TS_VA_WIRE_NONE && dialect < TS_VA_N_WIRES ? &layouts[dialect] : NULL;
}

/* Name of @dialect as recordings keep it. Source: viewalyzer-wire.md section 2.1. */
const char *
_ts_va_dialect_get_name (TsVaWire dialect, guint string_bits)
{
  switch (dialect)
    {
    case TS_VA_WIRE_LEGACY:
      return string_bits == 8 ? "legacy-v1-early" : "legacy-v1";
    case TS_VA_WIRE_V2:
      return "v2";
    case TS_VA_WIRE_V3:
      return "v3";
    case TS_VA_WIRE_1:
      return "wire-1";
    case TS_VA_WIRE_NONE:
    case TS_VA_N_WIRES:
    default:
      return "unknown";
    }
}

static gboolean
is_printable (const guint8 *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if ((text[i] < 0x20 && text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
        || text[i] == 0x7F)
      return FALSE;
  return TRUE;
}

/* Length of a string event. In legacy v1 the length field may be u8 or u16, which no other packet
 * tells: a u16 length below 256 has a zero at its second byte, and no text begins with a zero; a
 * length above 1024 is none. Source: viewalyzer-wire.md section 2.2. */
static int
measure_string (const TsVaLayout *layout, guint string_bits, const guint8 *bytes, gsize n_bytes)
{
  gsize at = layout->body_at;

  if (n_bytes < at + (string_bits == 8 ? 1u : 2u))
    return TS_VA_MORE;
  if (string_bits == 0 && layout->dialect == TS_VA_WIRE_LEGACY)
    {
      if (bytes[at + 1] > TS_VA_MAX_STRING >> 8)
        string_bits = 8;
      else if (bytes[at + 1] != 0 && bytes[at] == 0)
        string_bits = 8; /* empty text, then the next packet's type */
      else if (bytes[at + 1] != 0)
        {
          if (n_bytes < at + 1 + bytes[at])
            return TS_VA_MORE;
          string_bits = is_printable (bytes + at + 1, bytes[at]) ? 8 : 16;
        }
    }
  if (string_bits == 8)
    return (int) at + 1 + bytes[at];
  if (_ts_va_u16 (bytes + at) > TS_VA_MAX_STRING)
    return TS_VA_INVALID;
  return (int) (at + 2 + _ts_va_u16 (bytes + at));
}

/* Length of the packet that begins at @bytes, TS_VA_INVALID if none can begin there, TS_VA_MORE if
 * that takes more than @n_bytes. The packet itself need not be complete, except where its content
 * decides (checkpoint). Source: viewalyzer-wire.md sections 8.1 and 8.3 (hard checks), 2.3. */
int
_ts_va_measure (const TsVaLayout *layout, guint string_bits, const guint8 *bytes, gsize n_bytes)
{
  guint id_at = layout->id_at;
  guint n_at;

  if (n_bytes == 0)
    return TS_VA_MORE;
  if (layout->fixed[bytes[0]] != 0)
    return layout->fixed[bytes[0]];
  if (!layout->known[bytes[0]])
    return TS_VA_INVALID;

  switch (bytes[0])
    {
    case TS_VA_CODE_CHECKPOINT:
    case TS_VA_CODE_CHECKPOINT | TS_VA_START_FLAG:
      if (n_bytes < 11)
        return TS_VA_MORE;
      return bytes[7] == bytes[1] ? 11 : TS_VA_INVALID;

    case TS_VA_CODE_STRING:
    case TS_VA_CODE_STRING | TS_VA_START_FLAG:
      return measure_string (layout, string_bits, bytes, n_bytes);

    case TS_VA_CODE_CONFIG:
      if (n_bytes < id_at + 1u)
        return TS_VA_MORE;
      if (layout->dialect != TS_VA_WIRE_LEGACY && bytes[id_at] != 0)
        return (int) id_at + 5;
      if (layout->dialect == TS_VA_WIRE_1)
        return TS_VA_INVALID;
      n_at = id_at + 1;
      break;

    case 0x7E:
      return (int) id_at + 6;

    case 0x72:
      n_at = id_at + 2;
      break;

    case 0x79:
      n_at = id_at + 5;
      break;

    default:
      n_at = id_at + 1;
      break;
    }

  if (n_bytes < n_at + 1u)
    return TS_VA_MORE;
  return (int) n_at + 1 + bytes[n_at];
}

/* Whether @frame holds exactly one packet of @layout. For a string event of legacy v1 @string_bits
 * is set to the size of the length field that fits. Source: viewalyzer-wire.md sections 3.5 and 2.2
 * ("In a COBS frame the frame length settles it"). */
gboolean
_ts_va_frame_fits (const TsVaLayout *layout, const guint8 *frame, gsize n_frame, guint *string_bits)
{
  if (layout->dialect == TS_VA_WIRE_LEGACY && n_frame > 0 && (frame[0] & 0x7F) == TS_VA_CODE_STRING)
    {
      gsize at = layout->body_at;

      if (n_frame >= at + 2 && n_frame == at + 2 + _ts_va_u16 (frame + at))
        *string_bits = 16;
      else if (n_frame >= at + 1 && n_frame == at + 1 + frame[at])
        *string_bits = 8;
      else
        return FALSE;
      return n_frame <= TS_VA_MAX_PACKET;
    }
  return _ts_va_measure (layout, *string_bits, frame, n_frame) == (int) n_frame;
}

/* Soft checks of a complete, valid packet, for use while searching: what no recorder known today
 * sends. Source: viewalyzer-wire.md sections 8.3, 5.1, 5.3, 5.4, 6.1, 7. */
gboolean
_ts_va_looks_sound (const TsVaLayout *layout, const guint8 *packet, gsize n_packet)
{
  guint code = packet[0] & 0x7F;
  gboolean start = (packet[0] & TS_VA_START_FLAG) != 0;
  guint id = packet[layout->id_at];
  const guint8 *body = packet + layout->body_at;
  const char *text;
  int n_text;

  switch (code)
    {
    case 0x09:
    case 0x0C:
    case 0x0D:
    case 0x0F:
    case 0x10:
    case 0x11:
    case 0x17:
    case 0x1B:
    case 0x1D:
      return !start;
    case 0x0A:
      return !start && body[0] <= 1;
    case 0x16:
      return !start && id == 0;
    case 0x1C:
      return !start && body[0] >= 1 && body[0] <= 6 && body[3] == 0;
    case 0x1F:
    case 0x20:
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24:
      return !start && body[0] >= 1 && body[0] <= 14 && body[3] <= 1;
    case 0x25:
      return !start && body[0] < 0x80 && body[3] <= 1;
    case 0x72:
      if (packet[layout->id_at + 1] > 9)
        return FALSE;
      break;
    case 0x7A:
    case TS_VA_CODE_INFO:
      if (id != 0)
        return FALSE;
      break;
    case 0x7E:
      return packet[layout->id_at + 1] <= 15;
    default:
      break;
    }
  if (code < TS_VA_CODE_SETUP)
    return TRUE;
  n_text = _ts_va_text_at (packet, n_packet, layout, &text);
  return n_text < 0 || (n_text <= 63 && is_printable ((const guint8 *) text, (gsize) n_text));
}

/* Whether @bytes begin with a sync marker: its version (1, 2, 3), TS_VA_INVALID, or TS_VA_MORE if
 * all that is there fits. Source: viewalyzer-wire.md section 2.1. */
int
_ts_va_marker_at (const guint8 *bytes, gsize n_bytes)
{
  static const guint8 pattern[TS_VA_MARKER_LEN]
      = { 'V', 'A', 'Z', 0, 'S', 'Y', 'N', 'C', '0', '0', 0xAA, 0x55 };
  gsize n = MIN (n_bytes, TS_VA_MARKER_LEN);

  for (gsize i = 0; i < n; i++)
    {
      if (i == 3)
        {
          if (bytes[3] < 1 || bytes[3] > 3)
            return TS_VA_INVALID;
        }
      else if (bytes[i] != pattern[i] + (i == 9 ? bytes[3] : 0))
        return TS_VA_INVALID;
    }
  return n == TS_VA_MARKER_LEN ? bytes[3] : TS_VA_MORE;
}

/* First full marker at or after @bytes, or @end. */
const guint8 *
_ts_va_find_marker (const guint8 *bytes, const guint8 *end)
{
  while (end - bytes >= TS_VA_MARKER_LEN)
    {
      /* the second letter but one is rarer than the first in what firmware sends */
      const guint8 *z = memchr (bytes + 2, 'Z', (gsize) (end - bytes) - TS_VA_MARKER_LEN + 1);

      if (z == NULL)
        break;
      if (_ts_va_marker_at (z - 2, TS_VA_MARKER_LEN) > 0)
        return z - 2;
      bytes = z - 1;
    }
  return end;
}

/* Text of a setup packet: its length, -1 if the packet carries none. */
int
_ts_va_text_at (const guint8 *packet, gsize n_packet, const TsVaLayout *layout, const char **text)
{
  guint code = packet[0];
  guint at = layout->id_at + 2;

  if (code < TS_VA_CODE_SETUP || code > TS_VA_CODE_INFO || code == 0x7E)
    return -1;
  if (code == TS_VA_CODE_CONFIG && packet[layout->id_at] != 0)
    return -1;
  if (code == 0x72)
    at = layout->id_at + 3;
  else if (code == 0x79)
    at = layout->id_at + 6;
  if (at > n_packet)
    return -1;
  *text = (const char *) packet + at;
  return (int) (n_packet - at);
}

/* Time stamp of a complete packet, -1 if it has none. */
gint64
_ts_va_packet_time (const TsVaLayout *layout, const guint8 *packet, gsize n_packet)
{
  guint code = packet[0] & 0x7F;
  gsize at = layout->id_at + 1u + (code == 0x05 ? 1u : code == 0x0C ? 2u : 0u);

  if (code >= TS_VA_CODE_SETUP || n_packet < at + layout->ts_bytes)
    return -1;
  if (layout->ts_bytes == 8)
    return (gint64) (_ts_va_u64 (packet + at) & G_MAXINT64);
  return _ts_va_u32 (packet + at);
}

/* Dialect of what follows a marker of version 1, by the first packet: a #TsVaWire, TS_VA_WIRE_NONE
 * if it does not tell, TS_VA_MORE. Source: viewalyzer-wire.md section 2.2. */
int
_ts_va_dialect_after_marker (const guint8 *bytes, gsize n_bytes)
{
  static const char texts[][5] = { "SES:", "CLK:", "ERR:" };

  if (n_bytes == 0)
    return TS_VA_MORE;
  if (bytes[0] == TS_VA_CODE_CHECKPOINT)
    {
      int n = _ts_va_measure (&layouts[TS_VA_WIRE_1], 16, bytes, n_bytes);

      return n == TS_VA_MORE ? TS_VA_MORE : n > 0 ? TS_VA_WIRE_1 : TS_VA_WIRE_NONE;
    }
  if (bytes[0] != TS_VA_CODE_INFO)
    return TS_VA_WIRE_NONE;
  if (n_bytes < 8)
    return TS_VA_MORE;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      if (bytes[2] == 0 && memcmp (bytes + 4, texts[i], 4) == 0)
        return TS_VA_WIRE_1;
      if (bytes[1] == 0 && memcmp (bytes + 3, texts[i], 4) == 0)
        return TS_VA_WIRE_LEGACY;
    }
  return TS_VA_WIRE_NONE;
}
