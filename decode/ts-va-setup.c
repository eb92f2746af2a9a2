/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-setup.c: setup packets: names, facts about the target, sessions, the clock. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-stream-private.h"

/* Build flags. Source: viewalyzer-wire.md section 6.3. */
#define BUILD_SEQ_COUNTER (1 << 2)
#define BUILD_HOST_TS (1 << 3)

static gboolean
text_is (const char *text, int n_text, const char *what)
{
  return n_text == (int) strlen (what) && memcmp (text, what, (gsize) n_text) == 0;
}

static gboolean
text_begins (const char *text, int n_text, const char *what)
{
  return n_text >= (int) strlen (what) && memcmp (text, what, strlen (what)) == 0;
}

/* Whether @packet, complete and valid, is INFO `SES:START`. */
gboolean
_ts_va_is_session_start (const TsVaLayout *layout, const guint8 *packet, gsize n_packet)
{
  const char *text;
  int n_text;

  if (packet[0] != TS_VA_CODE_INFO)
    return FALSE;
  n_text = _ts_va_text_at (packet, n_packet, layout, &text);
  return text_is (text, n_text, "SES:START");
}

/* Source: viewalyzer-wire.md section 6.2. */
static void
take_info (TsVaStream *self, guint seq, const char *text, int n_text)
{
  g_autofree char *valid = NULL;

  if (text_is (text, n_text, "SES:START"))
    {
      _ts_va_stream_session_start (self, seq);
      return;
    }
  if (text_begins (text, n_text, "CLK:"))
    {
      guint64 hz = 0;
      int i;

      for (i = 4; i < n_text && i < 14 && g_ascii_isdigit (text[i]); i++)
        hz = hz * 10 + (guint64) (text[i] - '0');
      if (n_text > 4 && i == n_text && hz <= G_MAXUINT32)
        {
          _ts_va_time_set_clock (self, hz);
          return;
        }
    }
  valid = _ts_va_text_dup_valid (text, (gsize) n_text);
  _ts_va_stream_tell (self, text_begins (text, n_text, "ERR:") ? "error" : "info", valid);
}

/* Source: viewalyzer-wire.md section 6.3; the text form: 2.3. */
static void
take_config (TsVaStream *self, guint group, const guint8 *packet, gsize n_packet)
{
  char text[32];
  guint32 value;

  if (group == 0 || self->layout->dialect == TS_VA_WIRE_LEGACY)
    {
      const char *name;
      int n_name = _ts_va_text_at (packet, n_packet, self->layout, &name);
      g_autofree char *valid = NULL;

      if (n_name < 0)
        return;
      if (text_is (name, n_name, "HOST_TS"))
        _ts_va_stream_set_sender (self, TS_VA_SENDER_UDP);
      valid = _ts_va_text_dup_valid (name, (gsize) n_name);
      _ts_va_stream_tell (self, "config", valid);
      return;
    }

  value = _ts_va_u32 (packet + self->layout->id_at + 1);
  switch (group)
    {
    case 1:
      g_snprintf (text, sizeof text, "%u", value);
      _ts_va_stream_tell (self, "categories", text);
      break;
    case 2:
      g_snprintf (text, sizeof text, "%u", value);
      _ts_va_stream_tell (self, "build_flags", text);
      if ((value & BUILD_HOST_TS) != 0
          || (self->layout->has_seq && (value & BUILD_SEQ_COUNTER) == 0))
        _ts_va_stream_set_sender (self, TS_VA_SENDER_UDP);
      else if (self->layout->has_seq)
        _ts_va_stream_set_sender (self, TS_VA_SENDER_FIRMWARE);
      break;
    case 3:
      self->version = value;
      g_snprintf (text, sizeof text, "%u.%u.%u", value >> 16, value >> 8 & 0xFF, value & 0xFF);
      _ts_va_stream_tell (self, "recorder_version", text);
      break;
    default:
      break;
    }
}

static void
take_os (TsVaStream *self, const char *text, int n_text)
{
  g_autofree char *valid = _ts_va_text_dup_valid (text, (gsize) n_text);

  self->has_os = TRUE;
  self->is_freertos = text_is (text, n_text, "FreeRTOS");
  self->is_zephyr = text_is (text, n_text, "Zephyr");
  _ts_va_stream_tell (self, "os", valid);
  _ts_va_objects_os_changed (self);
}

/* Takes a complete, valid setup packet. Source: viewalyzer-wire.md section 6.1. */
void
_ts_va_stream_setup (TsVaStream *self, const guint8 *packet, gsize n_packet)
{
  const TsVaLayout *layout = self->layout;
  guint id = packet[layout->id_at];
  const char *text = NULL;
  int n_text = _ts_va_text_at (packet, n_packet, layout, &text);
  gsize n = (gsize) MAX (n_text, 0);

  /* firmware refuses to register id 0 */
  if (id == 0 && packet[0] != TS_VA_CODE_CONFIG && packet[0] != 0x7A && packet[0] < 0x7E)
    _ts_va_stream_set_sender (self, TS_VA_SENDER_UDP);

  switch (packet[0])
    {
    case 0x70:
      _ts_va_objects_map (self, TS_VA_SPACE_TASK, id, text, n);
      break;
    case 0x71:
      _ts_va_objects_map (self, TS_VA_SPACE_ISR, id, text, n);
      break;
    case 0x72:
      _ts_va_objects_map_trace (self, id, packet[layout->id_at + 1], text, n);
      break;
    case 0x73:
      _ts_va_objects_map (self, TS_VA_SPACE_SEM, id, text, n);
      break;
    case 0x74:
      _ts_va_objects_map (self, TS_VA_SPACE_MUTEX, id, text, n);
      break;
    case 0x75:
      _ts_va_objects_map (self, TS_VA_SPACE_QUEUE, id, text, n);
      break;
    case 0x76:
      _ts_va_objects_map (self, TS_VA_SPACE_SPAN, id, text, n);
      break;
    case TS_VA_CODE_CONFIG:
      take_config (self, id, packet, n_packet);
      break;
    case 0x78:
      _ts_va_objects_map (self, TS_VA_SPACE_GPIO, id, text, n);
      break;
    case 0x79:
      _ts_va_objects_map_gauge (self, id, _ts_va_u32 (packet + layout->id_at + 1), text, n);
      break;
    case 0x7A:
      take_os (self, text, n_text);
      break;
    case 0x7B:
      _ts_va_objects_map (self, TS_VA_SPACE_TIMER, id, text, n);
      break;
    case 0x7C:
      _ts_va_objects_map (self, TS_VA_SPACE_HEAP, id, text, n);
      break;
    case 0x7D:
      _ts_va_objects_map (self, TS_VA_SPACE_POWER, id, text, n);
      break;
    case 0x7E:
      _ts_va_objects_info (self, id, packet[layout->id_at + 1],
                           _ts_va_u32 (packet + layout->id_at + 2));
      break;
    case TS_VA_CODE_INFO:
      take_info (self, packet[1], text, n_text);
      break;
    default:
      break;
    }
}
