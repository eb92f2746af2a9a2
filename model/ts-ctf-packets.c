/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctf-packets.c: the binary side of CTF.
 *
 * Everything is little-endian and aligned to bytes. Header and context of a packet are those of
 * ctrace.md section 8.2, with the processor behind them where it is wanted.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-ctf-packets.h"

/* Source: CTF 1.8.3 section 5.1; ctrace.md section 8.2 */
#define MAGIC 0xC1FC1FC1u
#define AT_PACKET_SIZE 24
#define AT_CONTENT_SIZE 28
#define AT_TIME_BEGIN 32
#define AT_TIME_END 40
#define AT_EVENTS 56

struct _TsCtfPackets
{
  TsCtfPacketsOptions options;
  GByteArray *packet; /* being filled; empty: none */
  GByteArray *output; /* packets that are whole */
  guint64 last;
  guint32 n_packets;
};

/**
 * ts_ctf_append_number:
 * @bytes: where to
 * @value: a number; only its lowest bytes count
 * @n_bytes: how many, 1 to 8
 *
 * Appends a little-endian number.
 *
 * Thread: safe
 */
void
ts_ctf_append_number (GByteArray *bytes,
                      guint64 value,
                      guint n_bytes)
{
  guint8 raw[8];

  g_return_if_fail (n_bytes <= sizeof raw);

  value = GUINT64_TO_LE (value);
  memcpy (raw, &value, sizeof raw);
  g_byte_array_append (bytes, raw, n_bytes);
}

static void
put_number (GByteArray *bytes,
            guint at,
            guint64 value,
            guint n_bytes)
{
  value = GUINT64_TO_LE (value);
  memcpy (bytes->data + at, &value, n_bytes);
}

/**
 * ts_ctf_append_quoted:
 * @text: where to
 * @words: any text
 *
 * Appends a string literal of the description language.
 *
 * Thread: safe
 * Source: CTF 1.8.3 appendix C.1.6; ctrace.md section 8.5
 */
void
ts_ctf_append_quoted (GString *text,
                      const char *words)
{
  g_string_append_c (text, '"');
  for (const char *c = words; *c != '\0'; c++)
    switch (*c)
      {
      case '\\':
      case '"':
        g_string_append_c (text, '\\');
        g_string_append_c (text, *c);
        break;
      case '\n':
        g_string_append (text, "\\n");
        break;
      case '\r':
        g_string_append (text, "\\r");
        break;
      case '\t':
        g_string_append (text, "\\t");
        break;
      default:
        if ((guchar) *c < 0x20 || *c == 0x7F)
          g_string_append_printf (text, "\\x%02X", (guint) (guchar) *c);
        else
          g_string_append_c (text, *c);
        break;
      }
  g_string_append_c (text, '"');
}

/**
 * ts_ctf_make_uuid:
 * @uuid: (out) (array fixed-size=16): a new random one, version 4
 *
 * Thread: safe
 */
void
ts_ctf_make_uuid (guint8 *uuid)
{
  g_autofree char *text = g_uuid_string_random ();
  guint n = 0;

  for (const char *c = text; *c != '\0' && n < TS_CTF_UUID_BYTES; c += 2)
    {
      if (*c == '-')
        c++;
      uuid[n++] = (guint8) (g_ascii_xdigit_value (c[0]) << 4 | g_ascii_xdigit_value (c[1]));
    }
}

/**
 * ts_ctf_dup_uuid:
 * @uuid: (array fixed-size=16): a UUID
 *
 * Thread: safe
 *
 * Returns: (transfer full): it in hexadecimal digits with dashes
 */
char *
ts_ctf_dup_uuid (const guint8 *uuid)
{
  GString *text = g_string_sized_new (37);

  for (guint i = 0; i < TS_CTF_UUID_BYTES; i++)
    g_string_append_printf (text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                            uuid[i]);
  return g_string_free (text, FALSE);
}

/**
 * ts_ctf_packets_new:
 * @options: what the packets are like; copied
 *
 * Thread: any; afterwards owner
 *
 * Returns: (transfer full): a stream without events
 */
TsCtfPackets *
ts_ctf_packets_new (const TsCtfPacketsOptions *options)
{
  TsCtfPackets *self = g_new0 (TsCtfPackets, 1);

  self->options = *options;
  self->packet = g_byte_array_sized_new (options->packet_bytes + 256);
  self->output = g_byte_array_new ();
  return self;
}

/**
 * ts_ctf_packets_free:
 * @self: (transfer full) (nullable): a stream
 *
 * Thread: owner
 */
void
ts_ctf_packets_free (TsCtfPackets *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->packet);
  g_byte_array_unref (self->output);
  g_free (self);
}

static void
begin_packet (TsCtfPackets *self,
              guint64 time)
{
  GByteArray *packet = self->packet;

  ts_ctf_append_number (packet, MAGIC, 4);
  g_byte_array_append (packet, self->options.uuid, TS_CTF_UUID_BYTES);
  ts_ctf_append_number (packet, self->options.stream, 4);
  ts_ctf_append_number (packet, 0, 4);
  ts_ctf_append_number (packet, 0, 4);
  ts_ctf_append_number (packet, time, 8);
  ts_ctf_append_number (packet, time, 8);
  ts_ctf_append_number (packet, 0, 4); /* events discarded */
  ts_ctf_append_number (packet, self->n_packets++, 4);
  if (self->options.has_core)
    ts_ctf_append_number (packet, self->options.core, 4);
}

static void
end_packet (TsCtfPackets *self)
{
  GByteArray *packet = self->packet;
  guint n = packet->len;
  guint total = self->options.is_padded ? MAX (n, self->options.packet_bytes) : n;

  if (n == 0)
    return;
  put_number (packet, AT_PACKET_SIZE, (guint64) total * 8, 4);
  put_number (packet, AT_CONTENT_SIZE, (guint64) n * 8, 4);
  put_number (packet, AT_TIME_END, self->last, 8);
  g_byte_array_set_size (packet, total);
  memset (packet->data + n, 0, total - n);
  g_byte_array_append (self->output, packet->data, total);
  g_byte_array_set_size (packet, 0);
}

/**
 * ts_ctf_packets_add:
 * @self: a stream
 * @id: id of the event class
 * @time: ticks of the stream's clock; one before the last event's becomes that
 * @payload: contexts and fields
 *
 * Appends an event. What became a whole packet is in ts_ctf_packets_get_output().
 *
 * Thread: owner
 *
 * Returns: the time that was written
 */
guint64
ts_ctf_packets_add (TsCtfPackets *self,
                    guint32 id,
                    guint64 time,
                    const GByteArray *payload)
{
  guint n_bytes = payload->len + 12;

  time = MAX (time, self->last);
  if (self->packet->len > AT_EVENTS + 4
      && self->packet->len + (self->options.is_padded ? n_bytes : 0) > self->options.packet_bytes)
    end_packet (self);
  if (self->packet->len == 0)
    begin_packet (self, time);
  self->last = time;
  ts_ctf_append_number (self->packet, id, 4);
  ts_ctf_append_number (self->packet, time, 8);
  g_byte_array_append (self->packet, payload->data, payload->len);
  return time;
}

/**
 * ts_ctf_packets_finish:
 * @self: a stream
 *
 * The last packet is whole now.
 *
 * Thread: owner
 */
void
ts_ctf_packets_finish (TsCtfPackets *self)
{
  end_packet (self);
}

/**
 * ts_ctf_packets_get_output:
 * @self: a stream
 *
 * Thread: owner
 *
 * Returns: (transfer none): whole packets; to be emptied by the caller once they are stored
 */
GByteArray *
ts_ctf_packets_get_output (TsCtfPackets *self)
{
  return self->output;
}
