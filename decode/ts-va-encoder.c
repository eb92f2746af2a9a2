/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-encoder.h"

/* Largest packet: a string event with a 64-bit time and the longest text. */
#define MAX_PACKET (16 + TS_VA_MAX_TEXT)
/* Bytes COBS may add, delimiter included: one per 254, one at the start, one at the end. Source:
 * viewalyzer-wire.md 3.5 */
#define MAX_FRAME (MAX_PACKET + MAX_PACKET / 254 + 2)

typedef struct
{
  guint8 bytes[MAX_PACKET];
  guint length;
} Packet;

static inline gboolean
has_sequence (const TsVaEncoder *self)
{
  return self->dialect >= TS_VA_DIALECT_V3;
}

static inline void
put_u8 (Packet *packet,
        guint8 value)
{
  packet->bytes[packet->length++] = value;
}

static inline void
put_u16 (Packet *packet,
         guint16 value)
{
  guint16 le = GUINT16_TO_LE (value);

  memcpy (packet->bytes + packet->length, &le, sizeof le);
  packet->length += sizeof le;
}

static inline void
put_u32 (Packet *packet,
         guint32 value)
{
  guint32 le = GUINT32_TO_LE (value);

  memcpy (packet->bytes + packet->length, &le, sizeof le);
  packet->length += sizeof le;
}

static inline void
put_time (const TsVaEncoder *self,
          Packet *packet,
          guint64 time)
{
  put_u32 (packet, (guint32) time);
  if (self->dialect <= TS_VA_DIALECT_LEGACY)
    put_u32 (packet, (guint32) (time >> 32));
}

static inline void
put_bytes (Packet *packet,
           const char *bytes,
           gsize n_bytes)
{
  if (n_bytes > 0)
    memcpy (packet->bytes + packet->length, bytes, n_bytes);
  packet->length += (guint) n_bytes;
}

static inline gsize
bounded_length (const char *text,
                gssize length,
                gsize limit)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;

  return MIN (n, limit);
}

/* The type byte and, where the dialect has one, the sequence byte. */
static inline void
begin_packet (const TsVaEncoder *self,
              Packet *packet,
              guint8 type)
{
  packet->length = 0;
  put_u8 (packet, type);
  if (has_sequence (self))
    put_u8 (packet, (guint8) self->sequence);
}

static inline void
begin_event (const TsVaEncoder *self,
             Packet *packet,
             guint8 type,
             guint8 id,
             guint64 time)
{
  begin_packet (self, packet, type);
  put_u8 (packet, id);
  put_time (self, packet, time);
}

static void
append_cobs (GByteArray *out,
             const guint8 *bytes,
             gsize n_bytes,
             gboolean bare_end)
{
  guint8 frame[MAX_FRAME];
  gsize code_at = 0;
  gsize n = 1;
  guint8 code = 1;
  gboolean block_full = FALSE;

  for (gsize i = 0; i < n_bytes; i++)
    {
      block_full = FALSE;
      if (bytes[i] != 0)
        {
          frame[n++] = bytes[i];
          code++;
        }
      if (bytes[i] == 0 || code == 0xFF)
        {
          block_full = bytes[i] != 0;
          frame[code_at] = code;
          code_at = n++;
          code = 1;
        }
    }
  /* After a last block of 254 the recorder writes one more code that decodes to nothing; the bare
   * ending leaves it out. */
  if (block_full && bare_end)
    n = code_at;
  else
    frame[code_at] = code;
  frame[n++] = 0;
  g_byte_array_append (out, frame, (guint) n);
}

static gboolean
append_frame (TsVaEncoder *self,
              const guint8 *bytes,
              gsize n_bytes)
{
  switch (self->framing)
    {
    case TS_VA_FRAMING_COBS:
      append_cobs (self->out, bytes, n_bytes, self->cobs_bare_end);
      return TRUE;

    case TS_VA_FRAMING_POST_MORTEM:
      {
        guint8 length = (guint8) n_bytes;

        if (n_bytes > 255)
          return FALSE;
        g_byte_array_append (self->out, &length, 1);
        g_byte_array_append (self->out, bytes, (guint) n_bytes);
        return TRUE;
      }

    case TS_VA_FRAMING_RAW:
    default:
      g_byte_array_append (self->out, bytes, (guint) n_bytes);
      return TRUE;
    }
}

/* Every packet takes its number here, whether it is sent or not: that is how a loss shows. */
static void
send_packet (TsVaEncoder *self,
             const Packet *packet)
{
  self->sequence++;
  if (self->drop || !append_frame (self, packet->bytes, packet->length))
    {
      self->n_dropped++;
      return;
    }
  self->n_packets++;
  if ((packet->bytes[0] & 0x7F) < TS_VA_TASK_MAP)
    self->n_events++;
}

/**
 * ts_va_encoder_init:
 * @self: (out caller-allocates): an encoder
 * @out: array that packets are appended to; borrowed, must outlive @self
 * @dialect: layout
 * @framing: what goes around each packet
 *
 * Prepares @self for a new stream: the next packet has number 0. There is nothing to clear
 * afterwards.
 *
 * Thread: owner
 */
void
ts_va_encoder_init (TsVaEncoder *self,
                    GByteArray *out,
                    TsVaDialect dialect,
                    TsVaFraming framing)
{
  g_return_if_fail (self != NULL && out != NULL);

  memset (self, 0, sizeof *self);
  self->out = out;
  self->dialect = dialect;
  self->framing = framing;
}

/**
 * ts_va_encoder_event:
 * @self: an encoder
 * @type: 01 02 06 07 08 0B 12 13 15, with or without %TS_VA_START
 * @id: id in the space of the event
 * @time: ticks
 *
 * Appends an event without operands.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event (TsVaEncoder *self,
                     guint8 type,
                     guint8 id,
                     guint64 time)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_event_u8:
 * @self: an encoder
 * @type: 0A
 * @id: trace id
 * @time: ticks
 * @value: state, 0 or 1
 *
 * Appends a toggle.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event_u8 (TsVaEncoder *self,
                        guint8 type,
                        guint8 id,
                        guint64 time,
                        guint8 value)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  put_u8 (&packet, value);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_event_u32:
 * @self: an encoder
 * @type: 04 0F 10 11 14 17 18 19, with or without %TS_VA_START
 * @id: id in the space of the event
 * @time: ticks
 * @value: operand; a signed value as its two's complement
 *
 * Appends an event with one operand. A checkpoint carries its own number: use
 * ts_va_encoder_checkpoint().
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event_u32 (TsVaEncoder *self,
                         guint8 type,
                         guint8 id,
                         guint64 time,
                         guint32 value)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  put_u32 (&packet, value);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_event_f32:
 * @self: an encoder
 * @type: 0E
 * @id: trace id
 * @time: ticks
 * @value: value in the channel's unit
 *
 * Appends a sample of a float channel.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event_f32 (TsVaEncoder *self,
                         guint8 type,
                         guint8 id,
                         guint64 time,
                         float value)
{
  guint32 bits;

  G_STATIC_ASSERT (sizeof bits == sizeof value);
  memcpy (&bits, &value, sizeof bits);
  ts_va_encoder_event_u32 (self, type, id, time, bits);
}

/**
 * ts_va_encoder_event_2u32:
 * @self: an encoder
 * @type: 09 1A 1B 1E, with or without %TS_VA_START (1C: ts_va_encoder_task_state())
 * @id: id in the space of the event
 * @time: ticks
 * @first: first operand
 * @second: second operand
 *
 * Appends an event with two operands.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event_2u32 (TsVaEncoder *self,
                          guint8 type,
                          guint8 id,
                          guint64 time,
                          guint32 first,
                          guint32 second)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  put_u32 (&packet, first);
  put_u32 (&packet, second);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_event_3u32:
 * @self: an encoder
 * @type: 03 or 1D
 * @id: task id
 * @time: ticks
 * @first: first operand; a signed one as its two's complement
 * @second: second operand
 * @third: third operand
 *
 * Appends an event with three operands.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_event_3u32 (TsVaEncoder *self,
                          guint8 type,
                          guint8 id,
                          guint64 time,
                          guint32 first,
                          guint32 second,
                          guint32 third)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  put_u32 (&packet, first);
  put_u32 (&packet, second);
  put_u32 (&packet, third);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_notify:
 * @self: an encoder
 * @give: %TRUE: a give, %FALSE: a take
 * @id: give: sender (0 from an interrupt); take: receiver
 * @other: give: receiver; take: last sender or 0
 * @time: ticks
 * @value: notification value
 *
 * Appends a task notification (05); its time stands one byte later than elsewhere.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_notify (TsVaEncoder *self,
                      gboolean give,
                      guint8 id,
                      guint8 other,
                      guint64 time,
                      guint32 value)
{
  Packet packet;

  begin_packet (self, &packet, give ? TS_VA_TASK_NOTIFY | TS_VA_START : TS_VA_TASK_NOTIFY);
  put_u8 (&packet, id);
  put_u8 (&packet, other);
  put_time (self, &packet, time);
  put_u32 (&packet, value);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_contention:
 * @self: an encoder
 * @mutex: object id of the mutex
 * @waiter: task about to wait
 * @holder: task that holds it
 * @time: ticks
 *
 * Appends a mutex contention (0C); its time stands two bytes later than elsewhere.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.1
 */
void
ts_va_encoder_contention (TsVaEncoder *self,
                          guint8 mutex,
                          guint8 waiter,
                          guint8 holder,
                          guint64 time)
{
  Packet packet;

  begin_packet (self, &packet, TS_VA_MUTEX_CONTENTION);
  put_u8 (&packet, mutex);
  put_u8 (&packet, waiter);
  put_u8 (&packet, holder);
  put_time (self, &packet, time);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_string:
 * @self: an encoder
 * @channel: string channel
 * @time: ticks
 * @text: text; need not be terminated if @length is given
 * @length: its bytes, or -1 for a terminated string; cut at %TS_VA_MAX_TEXT (legacy early: 200)
 *
 * Appends a text message (0D).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 2.1, 2.3 and 5.1
 */
void
ts_va_encoder_string (TsVaEncoder *self,
                      guint8 channel,
                      guint64 time,
                      const char *text,
                      gssize length)
{
  gboolean is_early = self->dialect == TS_VA_DIALECT_LEGACY_EARLY;
  gsize n = bounded_length (text, length, is_early ? 200 : TS_VA_MAX_TEXT);
  Packet packet;

  begin_event (self, &packet, TS_VA_STRING_EVENT, channel, time);
  if (is_early)
    put_u8 (&packet, (guint8) n);
  else
    put_u16 (&packet, (guint16) n);
  put_bytes (&packet, text, n);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_task_state:
 * @self: an encoder
 * @task: task id
 * @time: ticks
 * @state: 1 ready, 3 blocked, 4 sleeping, 5 suspended, 6 deleted
 * @reason: wait reason, 0 unless blocked
 * @object: object waited for, 0 unless blocked
 * @detail: reason's detail, 0 unless blocked
 *
 * Appends a task state (1C).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 5.3 and 7
 */
void
ts_va_encoder_task_state (TsVaEncoder *self,
                          guint8 task,
                          guint64 time,
                          guint8 state,
                          guint8 reason,
                          guint8 object,
                          guint32 detail)
{
  guint32 packed = state | (guint32) reason << 8 | (guint32) object << 16;

  ts_va_encoder_event_2u32 (self, TS_VA_TASK_STATE, task, time, packed, detail);
}

/**
 * ts_va_encoder_operation:
 * @self: an encoder
 * @type: 1F to 25
 * @id: object (24: receiving task; waits of 22: waiting task)
 * @time: ticks
 * @operation: operation number
 * @task: acting task, 0 in an exception
 * @exception: exception number, 0 in a task
 * @value: operation's value
 * @detail: operation's detail
 *
 * Appends an operation packet.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 5.4
 */
void
ts_va_encoder_operation (TsVaEncoder *self,
                         guint8 type,
                         guint8 id,
                         guint64 time,
                         guint8 operation,
                         guint8 task,
                         guint16 exception,
                         guint32 value,
                         guint32 detail)
{
  Packet packet;

  begin_event (self, &packet, type, id, time);
  put_u8 (&packet, operation);
  put_u8 (&packet, task);
  put_u16 (&packet, exception);
  put_u32 (&packet, value);
  put_u32 (&packet, detail);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_checkpoint:
 * @self: an encoder
 * @time: ticks
 *
 * Appends a sequence checkpoint (16) with its own absolute number. Dialects without sequence bytes
 * have none: nothing is appended.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 5.2 and 9
 */
void
ts_va_encoder_checkpoint (TsVaEncoder *self,
                          guint64 time)
{
  if (has_sequence (self))
    ts_va_encoder_event_u32 (self, TS_VA_SEQ_CHECKPOINT, 0, time, self->sequence);
}

/**
 * ts_va_encoder_name:
 * @self: an encoder
 * @code: 70 71 73 74 75 76 78 7A 7B 7C 7D 7F; 77 for the older text form
 * @id: id in the space of @code
 * @name: name or text; need not be terminated if @length is given
 * @length: its bytes, or -1 for a terminated string; cut at %TS_VA_MAX_NAME
 *
 * Appends a setup packet that holds a name.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.1
 */
void
ts_va_encoder_name (TsVaEncoder *self,
                    guint8 code,
                    guint8 id,
                    const char *name,
                    gssize length)
{
  gsize n = bounded_length (name, length, TS_VA_MAX_NAME);
  Packet packet;

  begin_packet (self, &packet, code);
  put_u8 (&packet, id);
  put_u8 (&packet, (guint8) n);
  put_bytes (&packet, name, n);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_user_trace:
 * @self: an encoder
 * @id: trace id
 * @display: display type
 * @name: name of the channel
 * @length: its bytes, or -1
 *
 * Appends the name of a value channel (72).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 6.1 and 7
 */
void
ts_va_encoder_user_trace (TsVaEncoder *self,
                          guint8 id,
                          guint8 display,
                          const char *name,
                          gssize length)
{
  gsize n = bounded_length (name, length, TS_VA_MAX_NAME);
  Packet packet;

  begin_packet (self, &packet, TS_VA_USER_TRACE_MAP);
  put_u8 (&packet, id);
  put_u8 (&packet, display);
  put_u8 (&packet, (guint8) n);
  put_bytes (&packet, name, n);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_heap_info:
 * @self: an encoder
 * @id: heap gauge id
 * @total: size in bytes
 * @name: name of the gauge
 * @length: its bytes, or -1
 *
 * Appends the name and size of a heap gauge (79).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.1
 */
void
ts_va_encoder_heap_info (TsVaEncoder *self,
                         guint8 id,
                         guint32 total,
                         const char *name,
                         gssize length)
{
  gsize n = bounded_length (name, length, TS_VA_MAX_NAME);
  Packet packet;

  begin_packet (self, &packet, TS_VA_HEAP_INFO);
  put_u8 (&packet, id);
  put_u32 (&packet, total);
  put_u8 (&packet, (guint8) n);
  put_bytes (&packet, name, n);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_config_flags:
 * @self: an encoder
 * @group: 1 categories, 2 build, 3 version
 * @value: value of the group
 *
 * Appends a typed flag group (77). The older text form is ts_va_encoder_name() with code 77 and id
 * 0.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.3
 */
void
ts_va_encoder_config_flags (TsVaEncoder *self,
                            guint8 group,
                            guint32 value)
{
  Packet packet;

  begin_packet (self, &packet, TS_VA_CONFIG_FLAGS);
  put_u8 (&packet, group);
  put_u32 (&packet, value);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_object_info:
 * @self: an encoder
 * @id: object id
 * @kind: 1 heap capacity, 2 address, 3 type, 4 capacity, 5 element size
 * @value: value of the kind
 *
 * Appends a fact about a synchronisation object (7E).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.4
 */
void
ts_va_encoder_object_info (TsVaEncoder *self,
                           guint8 id,
                           guint8 kind,
                           guint32 value)
{
  Packet packet;

  begin_packet (self, &packet, TS_VA_OBJECT_INFO);
  put_u8 (&packet, id);
  put_u8 (&packet, kind);
  put_u32 (&packet, value);
  send_packet (self, &packet);
}

/**
 * ts_va_encoder_info:
 * @self: an encoder
 * @text: `SES:START`, `ERR:...` ...
 *
 * Appends an INFO text (7F).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.2
 */
void
ts_va_encoder_info (TsVaEncoder *self,
                    const char *text)
{
  ts_va_encoder_name (self, TS_VA_INFO, 0, text, -1);
}

/**
 * ts_va_encoder_clock:
 * @self: an encoder
 * @hz: ticks per second
 *
 * Appends the INFO text `CLK:<hz>`.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.2
 */
void
ts_va_encoder_clock (TsVaEncoder *self,
                     guint32 hz)
{
  char text[16];

  g_snprintf (text, sizeof text, "CLK:%u", hz);
  ts_va_encoder_info (self, text);
}

/**
 * ts_va_encoder_marker:
 * @self: an encoder
 *
 * Appends the sync marker of the dialect; it takes no number. Framed like a packet; not sent while
 * @drop is set.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 2.1
 */
void
ts_va_encoder_marker (TsVaEncoder *self)
{
  guint8 marker[12] = { 'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55 };
  guint8 version = 1;

  if (self->dialect == TS_VA_DIALECT_V2)
    version = 2;
  else if (self->dialect == TS_VA_DIALECT_V3)
    version = 3;
  marker[3] = version;
  marker[9] = (guint8) ('0' + version);
  ts_va_encoder_raw (self, marker, sizeof marker);
}

/**
 * ts_va_encoder_raw:
 * @self: an encoder
 * @bytes: (array length=n_bytes): bytes of one frame
 * @n_bytes: how many, at most 1040
 *
 * Appends bytes that are no packet of the encoder's own making, framed but neither stamped nor
 * counted.
 *
 * Thread: owner
 */
void
ts_va_encoder_raw (TsVaEncoder *self,
                   const guint8 *bytes,
                   gsize n_bytes)
{
  g_return_if_fail (n_bytes <= MAX_PACKET);

  if (!self->drop)
    append_frame (self, bytes, n_bytes);
}
