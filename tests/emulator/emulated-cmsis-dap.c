/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-cmsis-dap.c: a CMSIS-DAP probe, version 2 (bulk) or version 1 (HID reports). Own code
 * after probes.md section 6 and Arm's public description of the commands.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "emulated-dap.h"

#define OUT 0x01
#define IN 0x82
#define SWO_IN 0x83
#define PACKET_2 512
#define PACKET_1 64
#define N_PACKETS 4
#define INVALID 0xFF

typedef struct
{
  EmuProbe *probe;
  EmuUsb *usb;
  EmuSwd swd;
  gboolean is_hid;
  gsize packet;
  guint retries; /* of an access that must wait */
  guint32 mask;  /* of a value match */
  guint swo_hz;
  gboolean is_swo_on;
} Dap;

static void
reply (Dap *self,
       const guint8 *bytes,
       gsize n_bytes)
{
  guint8 report[PACKET_1] = { 0 };

  if (!self->is_hid)
    {
      emu_usb_answer (self->usb, IN, bytes, n_bytes);
      return;
    }
  memcpy (report, bytes, MIN (n_bytes, sizeof report));
  emu_usb_answer (self->usb, IN, report, sizeof report);
}

/* ---- transfers ---- */

/* One access, repeated while it must wait. */
static guint
access_dap (Dap *self,
            guint8 request,
            guint32 *value)
{
  guint ack = EMU_ACK_WAIT;

  for (guint i = 0; i <= self->retries && ack == EMU_ACK_WAIT; i++)
    ack = emu_dap_access (&self->swd.dap, (request & 1) != 0, (request & 2) != 0, request & 0xC,
                          value);
  if (ack == EMU_ACK_OK && (request & 3) == 3)
    self->swd.dap.rdbuff = *value;
  /* the probe asks RDBUFF whether the access went well */
  if (ack == EMU_ACK_OK && (request & 1) != 0 && self->swd.dap.is_sticky)
    ack = EMU_ACK_FAULT;

  return ack;
}

/* DAP_Transfer: any accesses. Bits of a request: port, read, A2, A3, match value, match mask. */
static void
transfer (Dap *self,
          const guint8 *command,
          gsize n_command)
{
  guint8 answer[PACKET_2] = { 0x05 };
  guint n_wanted = command[2];
  gsize at = 3, n_answer = 3;
  guint n_done = 0, ack = EMU_ACK_OK;

  for (; n_done < n_wanted && at < n_command; n_done++)
    {
      guint8 request = command[at++];
      gboolean is_read = (request & 2) != 0;
      gboolean is_match = is_read && (request & 0x10) != 0;
      guint32 value = 0, wanted = 0;

      if (!is_read || is_match)
        {
          if (at + 4 > n_command)
            break;
          wanted = emu_get_u32 (command + at);
          at += 4;
        }
      if (!is_read && (request & 0x20) != 0)
        {
          self->mask = wanted;
          continue;
        }
      value = wanted;
      ack = access_dap (self, request, &value);
      if (ack != EMU_ACK_OK)
        break;
      if (is_match && (value & self->mask) != wanted)
        {
          ack |= 0x10;
          break;
        }
      if (is_read && !is_match)
        {
          if (n_answer + 4 > self->packet)
            break;
          emu_put_u32 (answer + n_answer, value);
          n_answer += 4;
        }
    }
  answer[1] = (guint8) n_done;
  answer[2] = (guint8) ack;
  reply (self, answer, n_answer);
}

/* DAP_TransferBlock: one register again and again. */
static void
transfer_block (Dap *self,
                const guint8 *command,
                gsize n_command)
{
  guint8 answer[PACKET_2] = { 0x06 };
  guint n_wanted = (guint) command[2] | (guint) command[3] << 8;
  gsize n_answer = 4;
  guint n_done = 0, ack = EMU_ACK_OK;

  for (; n_done < n_wanted; n_done++)
    {
      gboolean is_read = (command[4] & 2) != 0;
      gsize at = 5 + 4 * (gsize) n_done;
      guint32 value = 0;

      if (is_read ? n_answer + 4 > self->packet : at + 4 > n_command)
        break;
      if (!is_read)
        value = emu_get_u32 (command + at);
      ack = access_dap (self, command[4], &value);
      if (ack != EMU_ACK_OK)
        break;
      if (is_read)
        {
          emu_put_u32 (answer + n_answer, value);
          n_answer += 4;
        }
    }
  answer[1] = (guint8) n_done;
  answer[2] = (guint8) (n_done >> 8);
  answer[3] = (guint8) ack;
  reply (self, answer, n_answer);
}

/* ---- other commands ---- */

static void
tell (Dap *self,
      guint what)
{
  static const char *const texts[] = { NULL,    "Taskscope", "Emulated CMSIS-DAP",
                                       NULL,    "2.1.0" };
  guint8 answer[64] = { 0 };
  const char *text = what == 3 ? self->probe->serial : what < G_N_ELEMENTS (texts) ? texts[what] : NULL;

  if (text != NULL)
    {
      answer[1] = (guint8) (strlen (text) + 1);
      memcpy (answer + 2, text, strlen (text) + 1);
    }
  else if (what == 0xF0)
    {
      answer[1] = 1;
      answer[2] = 0x05; /* SWD, SWO as UART */
    }
  else if (what == 0xFE)
    {
      answer[1] = 1;
      answer[2] = (guint8) (self->probe->n_held != 0 ? self->probe->n_held : N_PACKETS);
    }
  else if (what == 0xFF)
    {
      answer[1] = 2;
      answer[2] = (guint8) self->packet;
      answer[3] = (guint8) (self->packet >> 8);
    }
  else if (what == 0xFD)
    {
      answer[1] = 4;
      emu_put_u32 (answer + 2, 4096);
    }
  reply (self, answer, 2u + answer[1]);
}

static void
sequence (Dap *self,
          const guint8 *command)
{
  guint n_bits = command[1] != 0 ? command[1] : 256;
  const guint8 answer[2] = { 0x12, 0 };

  for (guint i = 0; i < n_bits; i++)
    (void) emu_swd_clock (&self->swd, TRUE, command[2 + i / 8] >> (i % 8) & 1);
  reply (self, answer, sizeof answer);
}

static void
pins (Dap *self,
      const guint8 *command)
{
  guint8 answer[2] = { 0x10, 0x83 };

  /* nRESET is bit 7: value, then which pins are meant */
  if ((command[2] & 0x80) != 0)
    fake_target_hold_reset (self->probe->target, (command[1] & 0x80) == 0);
  if (self->probe->target->is_in_reset)
    answer[1] = 0x03;
  reply (self, answer, sizeof answer);
}

/* SWO: mode 18, baud rate 19, control 1A, status 1B, data 1C, transport 17. */
static void
trace (Dap *self,
       const guint8 *command)
{
  guint8 answer[PACKET_2] = { command[0] };
  gsize n;

  switch (command[0])
    {
    case 0x19:
      self->swo_hz = emu_get_u32 (command + 1);
      emu_put_u32 (answer + 1, self->swo_hz);
      reply (self, answer, 5);
      return;
    case 0x1A:
      self->is_swo_on = command[1] == 1;
      reply (self, answer, 2);
      return;
    case 0x1C:
      n = MIN ((gsize) command[1] | (gsize) command[2] << 8, self->packet - 4);
      n = self->is_swo_on
              ? fake_target_take_swo (self->probe->target, self->swo_hz, answer + 4, n)
              : 0;
      if (n > 0)
        emu_probe_note_trace (self->probe, self->usb);
      answer[1] = self->is_swo_on ? 1 : 0;
      answer[2] = (guint8) n;
      answer[3] = (guint8) (n >> 8);
      reply (self, answer, 4 + n);
      return;
    case 0x1B:
      reply (self, answer, 6);
      return;
    default:
      reply (self, answer, 2);
      return;
    }
}

static void
take (gpointer device,
      guint8 endpoint,
      const guint8 *bytes,
      gsize n_bytes)
{
  Dap *self = device;
  guint8 command[PACKET_2 + 8] = { 0 };
  guint8 answer[2] = { 0 };

  memcpy (command, bytes, MIN (n_bytes, sizeof command));
  n_bytes = MIN (n_bytes, self->packet);
  self->probe->n_commands++;
  answer[0] = command[0];
  switch (command[0])
    {
    case 0x00:
      tell (self, command[1]);
      break;
    case 0x02:
      answer[1] = 1; /* SWD */
      reply (self, answer, sizeof answer);
      break;
    case 0x04:
      self->retries = (guint) command[2] | (guint) command[3] << 8;
      reply (self, answer, sizeof answer);
      break;
    case 0x05:
      transfer (self, command, n_bytes);
      break;
    case 0x06:
      transfer_block (self, command, n_bytes);
      break;
    case 0x08:
      {
        guint32 value = emu_get_u32 (command + 2);

        (void) emu_dap_access (&self->swd.dap, FALSE, FALSE, 0, &value);
        reply (self, answer, sizeof answer);
      }
      break;
    case 0x10:
      pins (self, command);
      break;
    case 0x12:
      sequence (self, command);
      break;
    case 0x01:
    case 0x03:
    case 0x09:
    case 0x0A:
    case 0x11:
    case 0x13:
      reply (self, answer, sizeof answer);
      break;
    case 0x17:
    case 0x18:
    case 0x19:
    case 0x1A:
    case 0x1B:
    case 0x1C:
      trace (self, command);
      break;
    default:
      answer[0] = INVALID;
      reply (self, answer, 1);
      break;
    }
  self->probe->most_held
      = MAX (self->probe->most_held, emu_usb_count_answers (self->usb, IN));
  self->probe->after (self->probe->after_data);
}

EmuUsb *
emu_cmsis_dap_plug (EmuProbe *probe,
                    UMockdevTestbed *testbed,
                    guint number,
                    const EmuUsbFaults *faults,
                    GError **error)
{
  /* Source: probes.md section 6: the interface's string tells; OUT, IN, SWO IN in this order */
  static const guint8 config_2[] = {
    9, 2, 39, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 3, 0xFF, 0, 0, 4,
    7, 5, OUT, 2, PACKET_2 & 0xFF, PACKET_2 >> 8, 0,
    7, 5, IN, 2, PACKET_2 & 0xFF, PACKET_2 >> 8, 0,
    7, 5, SWO_IN, 2, PACKET_2 & 0xFF, PACKET_2 >> 8, 0,
  };
  static const guint8 config_1[] = {
    9, 2, 41, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 2, 3, 0, 0, 4,
    9, 0x21, 0x11, 1, 0, 1, 0x22, 33, 0,
    7, 5, IN, 3, PACKET_1, 0, 1,
    7, 5, OUT, 3, PACKET_1, 0, 1,
  };
  Dap *self = g_new0 (Dap, 1);
  EmuUsbDescription description = { .vid = 0x2E8A,
                                    .pid = 0x000C,
                                    .strings = { "Taskscope", "Emulated CMSIS-DAP", probe->serial,
                                                 "CMSIS-DAP interface" } };

  self->probe = probe;
  self->is_hid = g_str_equal (probe->kind, "cmsis-dap-v1");
  self->packet = self->is_hid ? PACKET_1 : PACKET_2;
  self->mask = 0xFFFFFFFF;
  description.packet = (guint) self->packet;
  description.speed = self->is_hid ? "12" : "480";
  description.config = self->is_hid ? config_1 : config_2;
  description.n_config = self->is_hid ? sizeof config_1 : sizeof config_2;
  emu_swd_init (&self->swd, probe);
  self->usb = emu_usb_plug (testbed, number, &description, faults, take, self, error);

  return self->usb;
}
