/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-jlink.c: a J-Link, as far as libjaylink needs one. Command numbers: probes.md sections 5
 * and 9.2, and what libjaylink 0.3.1 sends.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "emulated-dap.h"

#define OUT 0x02
#define IN 0x81
#define VERSION "J-Link V9 compiled Jan  1 2024 00:00:00"
#define VERSION_LEN 112
/* GET_HW_VERSION, ADAPTIVE_CLOCKING, GET_SPEEDS, GET_FREE_MEMORY, SELECT_TIF, SWO, REGISTER,
 * GET_EXT_CAPS */
#define CAPS 0x88820A0Au
#define HW_VERSION 90300
#define FREE_MEMORY 16384
#define BASE_HZ 48000000u
#define SWO_BASE_HZ 60000000u
#define MAX_DIVIDER 65535
#define REGISTER_LEN 76

typedef struct
{
  EmuProbe *probe;
  EmuUsb *usb;
  EmuSwd swd;
  GByteArray *command; /* may come in several transfers */
  guint interface;
  guint swo_hz;
} Jlink;

static void
reply (Jlink *self,
       const guint8 *bytes,
       gsize n_bytes)
{
  emu_usb_answer (self->usb, IN, bytes, n_bytes);
}

static void
reply_u32 (Jlink *self,
           guint32 value)
{
  guint8 bytes[4];

  emu_put_u32 (bytes, value);
  reply (self, bytes, sizeof bytes);
}

static void
reply_version (Jlink *self)
{
  guint8 answer[2 + VERSION_LEN] = { VERSION_LEN, 0 };

  memcpy (answer + 2, VERSION, sizeof VERSION);
  reply (self, answer, sizeof answer);
}

/* Voltage in millivolts, then the levels of six pins. */
static void
reply_status (Jlink *self)
{
  guint millivolts = self->probe->target->is_off ? 0 : self->probe->millivolts;
  const guint8 bytes[8] = { (guint8) millivolts, (guint8) (millivolts >> 8), 0, 0, 0, 0, 1, 1 };

  reply (self, bytes, sizeof bytes);
}

static void
reply_registration (Jlink *self)
{
  /* our number, one connection of 16 bytes, nothing behind it; the connection has that number */
  guint8 bytes[REGISTER_LEN] = { 1, 0, 1, 0, 16, 0, 0, 0, [8 + 10] = 1 };

  reply (self, bytes, sizeof bytes);
}

/* Clocks bits through the wire. Source: probes.md section 5 */
static void
clock_bits (Jlink *self,
            const guint8 *bytes,
            guint n_bits)
{
  gsize n_bytes = (n_bits + 7) / 8;
  g_autofree guint8 *heard = g_malloc0 (n_bytes + 1);

  for (guint i = 0; i < n_bits; i++)
    {
      gboolean is_driven = (bytes[i / 8] >> (i % 8) & 1) != 0;
      guint bit = bytes[n_bytes + i / 8] >> (i % 8) & 1;

      heard[i / 8] |= (guint8) (emu_swd_clock (&self->swd, is_driven, bit) << (i % 8));
    }
  reply (self, heard, n_bytes + 1); /* the status behind them: 0 */
}

/* ---- trace ---- */

static void
swo_command (Jlink *self,
             const guint8 *command)
{
  guint8 speeds[28] = { 28 };
  guint8 bytes[4096], head[8] = { 0 };
  gsize n;

  switch (command[1])
    {
    case 0x64:
      self->swo_hz = emu_get_u32 (command + 10);
      reply_u32 (self, 0);
      return;
    case 0x65:
      self->swo_hz = 0;
      reply_u32 (self, 0);
      return;
    case 0x66:
      n = MIN (emu_get_u32 (command + 4), sizeof bytes);
      n = self->swo_hz != 0 ? fake_target_take_swo (self->probe->target, self->swo_hz, bytes, n) : 0;
      emu_put_u32 (head + 4, (guint32) n);
      if (n > 0)
        emu_probe_note_trace (self->probe, self->usb);
      reply (self, head, sizeof head);
      if (n > 0)
        reply (self, bytes, n);
      return;
    default:
      emu_put_u32 (speeds + 8, SWO_BASE_HZ);
      emu_put_u32 (speeds + 12, 8);
      emu_put_u32 (speeds + 16, MAX_DIVIDER);
      reply (self, speeds, 4);
      reply (self, speeds + 4, sizeof speeds - 4);
      return;
    }
}

/* ---- commands ---- */

/* Bytes of the command at @bytes; 0: not all of what tells it has come. */
static gsize
get_length (const guint8 *bytes,
            gsize n_bytes)
{
  gsize n;

  switch (bytes[0])
    {
    case 0x05:
      return 3;
    case 0x09:
      return 14;
    case 0xC7:
      return 2;
    case 0xCF:
      if (n_bytes < 4)
        return 0;
      n = (gsize) bytes[2] | (gsize) bytes[3] << 8;
      return 4 + 2 * ((n + 7) / 8);
    case 0xEB:
      if (n_bytes < 2)
        return 0;
      return bytes[1] == 0x64 ? 21 : bytes[1] == 0x65 ? 3 : 9;
    default:
      return 1;
    }
}

static void
run_command (Jlink *self,
             const guint8 *command)
{
  static const guint8 ext_caps[32] = { CAPS & 0xFF, CAPS >> 8 & 0xFF, CAPS >> 16 & 0xFF, CAPS >> 24 };
  guint8 speeds[6] = { 0, 0, 0, 0, 4, 0 };
  guint before = self->interface;

  switch (command[0])
    {
    case 0x01:
      reply_version (self);
      return;
    case 0x07:
      reply_status (self);
      return;
    case 0x09:
      reply_registration (self);
      return;
    case 0xC0:
      emu_put_u32 (speeds, BASE_HZ);
      reply (self, speeds, sizeof speeds);
      return;
    case 0xC7:
      /* FF asks which there are, FE for the selected one */
      if (command[1] < 0xFE)
        self->interface = command[1];
      reply_u32 (self, command[1] == 0xFF ? 3 : before);
      return;
    case 0xCF:
      clock_bits (self, command + 4, (guint) command[2] | (guint) command[3] << 8);
      return;
    case 0xD4:
      reply_u32 (self, FREE_MEMORY);
      return;
    case 0xDC:
    case 0xDD:
      fake_target_hold_reset (self->probe->target, command[0] == 0xDC);
      return;
    case 0xE8:
      reply_u32 (self, CAPS);
      return;
    case 0xEB:
      swo_command (self, command);
      return;
    case 0xED:
      reply (self, ext_caps, sizeof ext_caps);
      return;
    case 0xF0:
      reply_u32 (self, HW_VERSION);
      return;
    default:
      return;
    }
}

static void
take (gpointer device,
      guint8 endpoint,
      const guint8 *bytes,
      gsize n_bytes)
{
  Jlink *self = device;
  gsize n;

  g_byte_array_append (self->command, bytes, (guint) n_bytes);
  while (self->command->len > 0
         && (n = get_length (self->command->data, self->command->len)) > 0
         && n <= self->command->len)
    {
      self->probe->n_commands++;
      run_command (self, self->command->data);
      g_byte_array_remove_range (self->command, 0, (guint) n);
    }
  self->probe->after (self->probe->after_data);
}

EmuUsb *
emu_jlink_plug (EmuProbe *probe,
                UMockdevTestbed *testbed,
                guint number,
                const EmuUsbFaults *faults,
                GError **error)
{
  /* Source: probes.md section 5: vendor class, one pair of endpoints */
  static const guint8 config[] = {
    9, 2, 32, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0,
    7, 5, IN, 2, 0, 2, 0,
    7, 5, OUT, 2, 0, 2, 0,
  };
  Jlink *self = g_new0 (Jlink, 1);
  EmuUsbDescription description = { .vid = 0x1366,
                                    .pid = 0x0101,
                                    .speed = "480",
                                    .packet = 512,
                                    .config = config,
                                    .n_config = sizeof config,
                                    .strings = { "SEGGER", "J-Link", probe->serial } };

  self->probe = probe;
  self->command = g_byte_array_new ();
  emu_swd_init (&self->swd, probe);
  self->usb = emu_usb_plug (testbed, number, &description, faults, take, self, error);

  return self->usb;
}
