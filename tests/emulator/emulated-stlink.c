/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-stlink.c: an ST-LINK V2, V2-1 or V3. Own code after the description of the protocol in
 * probes.md section 1.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "emulated-probe.h"

#define STATUS_OK 0x80
#define STATUS_NO_DEVICE 0x05
#define STATUS_ALIGNMENT 0x0A
#define STATUS_AP_WAIT 0x10
#define STATUS_AP_FAULT 0x11
#define STATUS_BAD_AP 0x1D
#define STATUS_UNKNOWN 0x42
#define MAX_TRANSFER 6144
#define MAX_BATCH 1227
#define IN 0x81
#define ROM_TABLE 0xE00FF003u

/* Source: probes.md section 1.1 */
static const struct
{
  const char *name;
  guint16 pid;
  guint generation;
  guint firmware;
  guint extra; /* M */
  guint8 out;
  guint8 swo;
  guint16 packet;
  const char *speed;
} personalities[] = {
  { "v2", 0x3748, 2, 37, 7, 0x02, 0x83, 64, "12" },
  { "v2-1", 0x374B, 2, 37, 26, 0x01, 0x82, 64, "12" },
  { "v3", 0x374E, 3, 8, 3, 0x01, 0x82, 512, "480" },
};

typedef struct
{
  EmuProbe *probe;
  EmuUsb *usb;
  guint kind;
  guint firmware;
  guint mode;
  guint status;
  guint32 fault;

  /* what the data after a command is for */
  gboolean expects_data;
  guint8 data_command;
  guint32 write_address;
  gsize n_write;

  guint32 select;
  guint32 ctrl_stat;
  guint32 tar;
  guint32 csw;
  GByteArray *batch; /* answer of the last one */

  guint swo_hz; /* 0: off */
  gsize swo_size;
  GByteArray *swo; /* waits in the probe */
} Stlink;

static void
reply (Stlink *self,
       const guint8 *bytes,
       gsize n_bytes)
{
  emu_usb_answer (self->usb, IN, bytes, n_bytes);
}

/* A status byte, zeros, and a word at offset 4 if there is room. */
static void
reply_status (Stlink *self,
              guint status,
              guint32 word,
              gsize n_bytes)
{
  guint8 bytes[64] = { (guint8) status };

  if (n_bytes >= 8)
    emu_put_u32 (bytes + 4, word);
  reply (self, bytes, n_bytes);
}

/* ---- memory ---- */

/* Whether this access is to fail, and how; 0: it goes on. */
static guint
get_fault (Stlink *self,
           guint port)
{
  EmuProbe *probe = self->probe;

  probe->n_accesses++;
  if (fake_target_is_silent (probe->target))
    return STATUS_NO_DEVICE;
  if (probe->wait_every != 0 && probe->n_accesses % probe->wait_every == 0)
    return STATUS_AP_WAIT;
  if (probe->n_accesses == probe->status_at)
    return probe->status;

  return port != probe->core_port ? STATUS_BAD_AP : 0;
}

/* Of an access that did not go through. */
static guint
get_failure (Stlink *self)
{
  return fake_target_is_silent (self->probe->target) ? STATUS_NO_DEVICE : STATUS_AP_FAULT;
}

/* Ports other than 0 came with firmware J28 of the second generation. Source: probes.md section 1.3
 */
static gsize
get_limit (Stlink *self,
           guint unit)
{
  if (unit != 1)
    return MAX_TRANSFER;

  return personalities[self->kind].generation >= 3 && self->firmware >= 6 ? 512 : 64;
}

static void
read_memory (Stlink *self,
             const guint8 *command,
             guint unit)
{
  guint32 address = emu_get_u32 (command + 2);
  gsize n = (gsize) command[6] | (gsize) command[7] << 8;
  guint8 bytes[MAX_TRANSFER] = { 0 };
  guint fault = get_fault (self, command[8]);

  self->fault = address; /* told with the status, good or bad */
  self->status = STATUS_OK;
  if (fault != 0)
    self->status = fault;
  else if (n > get_limit (self, unit) || address % unit != 0 || n % unit != 0)
    self->status = STATUS_ALIGNMENT;
  else if (!fake_target_read (self->probe->target, address, bytes, n))
    self->status = get_failure (self);
  else
    self->probe->n_bytes_read += n;
  /* one byte comes with another one behind it */
  reply (self, bytes, unit == 1 && n == 1 ? 2 : MIN (n, MAX_TRANSFER));
}

/* Source: probes.md section 1.8 */
static void
run_batch (Stlink *self,
           const guint8 *bytes,
           gsize n_bytes)
{
  gsize n = self->n_write;
  gsize n_padded = (n + 3) & ~(gsize) 3;
  guint32 address = 0;
  guint port = self->probe->core_port;

  g_byte_array_set_size (self->batch, (guint) (8 * n));
  memset (self->batch->data, 0, 8 * n);
  if (n > MAX_BATCH || n_bytes < n_padded + 4 * n)
    return;
  for (gsize i = 0; i < n; i++)
    {
      guint32 word = emu_get_u32 (bytes + n_padded + 4 * i);
      guint8 value[4] = { 0 };
      guint status = STATUS_OK;

      switch (bytes[i])
        {
        case 1:
          address = word;
          break;
        case 2:
          emu_put_u32 (value, word);
          status = get_fault (self, port);
          if (status == 0)
            status = fake_target_write (self->probe->target, address, value, 4)
                         ? STATUS_OK
                         : get_failure (self);
          address += 4;
          break;
        case 3:
          status = get_fault (self, port);
          if (status == 0)
            status = fake_target_read (self->probe->target, word, value, 4) ? STATUS_OK
                                                                            : get_failure (self);
          break;
        case 5:
          port = word;
          break;
        default:
          status = STATUS_UNKNOWN;
          break;
        }
      memcpy (self->batch->data + 4 * i, value, 4);
      emu_put_u32 (self->batch->data + 4 * (n + i), status);
    }
}

static void
take_data (Stlink *self,
           const guint8 *bytes,
           gsize n_bytes)
{
  guint fault;

  self->expects_data = FALSE;
  if (self->data_command == 0x51)
    {
      run_batch (self, bytes, n_bytes);
      return;
    }
  fault = get_fault (self, self->probe->core_port);
  self->fault = self->write_address;
  self->status = STATUS_OK;
  if (fault != 0)
    self->status = fault;
  else if (n_bytes != self->n_write
           || !fake_target_write (self->probe->target, self->write_address, bytes, n_bytes))
    self->status = get_failure (self);
}

/* ---- debug port ---- */

/* DP and AP registers, as a host sees them that drives the port itself. */
static guint32
read_port (Stlink *self,
           guint port,
           guint number)
{
  guint8 bytes[4] = { 0 };

  if (port == 0xFFFF)
    switch (number)
      {
      case 0:
        return 0x2BA01477;
      case 4:
        return self->ctrl_stat | 0xA0000040; /* the last read went well */
      default:
        return 0;
      }
  if (port != self->probe->core_port)
    return 0;
  switch (number)
    {
    case 0x00:
      return self->csw;
    case 0x04:
      return self->tar;
    case 0x0C:
      (void) fake_target_read (self->probe->target, self->tar, bytes, 4);
      if ((self->csw & 0x30) == 0x10)
        self->tar += 4;
      return emu_get_u32 (bytes);
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1C:
      (void) fake_target_read (self->probe->target, (self->tar & ~0xFu) + (number & 0xC), bytes, 4);
      return emu_get_u32 (bytes);
    case 0xF8:
      return ROM_TABLE;
    case 0xFC:
      return 0x24770011;
    default:
      return 0;
    }
}

static void
write_port (Stlink *self,
            guint port,
            guint number,
            guint32 value)
{
  guint8 bytes[4];

  emu_put_u32 (bytes, value);
  if (port == 0xFFFF && number == 4)
    self->ctrl_stat = value & 0x50000000;
  if (port != self->probe->core_port)
    return;
  if (number == 0)
    self->csw = value;
  else if (number == 4)
    self->tar = value;
  else if (number == 0x0C)
    {
      (void) fake_target_write (self->probe->target, self->tar, bytes, 4);
      if ((self->csw & 0x30) == 0x10)
        self->tar += 4;
    }
  else if (number >= 0x10 && number <= 0x1C)
    (void) fake_target_write (self->probe->target, (self->tar & ~0xFu) + (number & 0xC), bytes, 4);
}

/* ---- trace ---- */

/* The pin fills the probe's buffer, which a real one lets overflow. */
static void
receive_swo (Stlink *self)
{
  guint8 bytes[4096];
  gsize n = MIN (self->swo_size, sizeof bytes) - MIN (self->swo->len, self->swo_size);

  if (self->swo_hz == 0)
    return;
  n = fake_target_take_swo (self->probe->target, self->swo_hz, bytes, n);
  g_byte_array_append (self->swo, bytes, (guint) n);
}

static void
reply_swo_count (Stlink *self)
{
  guint8 count[2];
  guint n;

  receive_swo (self);
  n = self->swo_hz != 0 ? self->swo->len : 0;
  count[0] = (guint8) n;
  count[1] = (guint8) (n >> 8);
  reply (self, count, sizeof count);
  if (n == 0)
    return;
  emu_usb_forget_answers (self->usb, personalities[self->kind].swo);
  emu_probe_note_trace (self->probe, self->usb);
  emu_usb_answer (self->usb, personalities[self->kind].swo, self->swo->data, n);
  g_byte_array_set_size (self->swo, 0);
}

/* ---- commands ---- */

static void
reply_speeds (Stlink *self)
{
  static const guint32 words[] = { STATUS_OK, 1000, 7, 24000, 8000, 3300, 1000, 200, 50, 5 };
  guint8 bytes[52] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    emu_put_u32 (bytes + 4 * i, words[i]);
  reply (self, bytes, sizeof bytes);
}

static void
reply_registers (Stlink *self)
{
  guint8 bytes[88] = { STATUS_OK };

  for (guint i = 0; i < FAKE_N_REGISTERS; i++)
    emu_put_u32 (bytes + 4 + 4 * i, fake_target_read_register (self->probe->target, i));
  reply (self, bytes, sizeof bytes);
}

static void
enter (Stlink *self)
{
  guint status = self->probe->enter_status;

  if (fake_target_is_silent (self->probe->target))
    status = STATUS_NO_DEVICE;
  if (status == 0)
    self->mode = 2;
  reply_status (self, status != 0 ? status : STATUS_OK, 0, 2);
}

/* Commands on memory and registers; FALSE: not one of them. */
static gboolean
memory_command (Stlink *self,
                const guint8 *command)
{
  FakeTarget *target = self->probe->target;
  guint8 bytes[4] = { 0 };
  gboolean is_good;

  switch (command[1])
    {
    case 0x36:
      is_good = self->probe->core_port == 0
                && fake_target_read (target, emu_get_u32 (command + 2), bytes, 4);
      reply_status (self, is_good ? STATUS_OK : get_failure (self), emu_get_u32 (bytes), 8);
      return TRUE;
    case 0x35:
      is_good = self->probe->core_port == 0
                && fake_target_write (target, emu_get_u32 (command + 2), command + 6, 4);
      reply_status (self, is_good ? STATUS_OK : get_failure (self), 0, 2);
      return TRUE;
    case 0x07:
      read_memory (self, command, 4);
      return TRUE;
    case 0x0C:
      read_memory (self, command, 1);
      return TRUE;
    case 0x47:
      read_memory (self, command, 2);
      return TRUE;
    case 0x08:
    case 0x0D:
    case 0x48:
    case 0x51:
      self->expects_data = TRUE;
      self->data_command = command[1];
      self->write_address = emu_get_u32 (command + 2);
      self->n_write = command[1] == 0x51 ? emu_get_u32 (command + 2)
                                         : (gsize) command[6] | (gsize) command[7] << 8;
      self->n_write = MIN (self->n_write, MAX_TRANSFER);
      return TRUE;
    case 0x52:
      reply (self, self->batch->data, self->batch->len);
      return TRUE;
    case 0x3E:
      reply_status (self, self->status, self->fault, 12);
      return TRUE;
    case 0x3B:
      reply_status (self, self->status, 0, 2);
      return TRUE;
    case 0x33:
      reply_status (self, STATUS_OK, fake_target_read_register (target, command[2]), 8);
      return TRUE;
    case 0x34:
      fake_target_write_register (target, command[2], emu_get_u32 (command + 3));
      reply_status (self, STATUS_OK, 0, 2);
      return TRUE;
    case 0x3A:
      reply_registers (self);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
debug_command (Stlink *self,
               const guint8 *command)
{
  FakeTarget *target = self->probe->target;
  guint port = (guint) command[2] | (guint) command[3] << 8;
  guint number = (guint) command[4] | (guint) command[5] << 8;

  if (memory_command (self, command))
    return;
  switch (command[1])
    {
    case 0x21:
      self->mode = 1;
      return;
    case 0x30:
      enter (self);
      return;
    case 0x31:
      reply_status (self, STATUS_OK, 0x2BA01477, 12);
      return;
    case 0x45:
      reply_status (self, STATUS_OK, read_port (self, port, number), 8);
      return;
    case 0x46:
      write_port (self, port, number, emu_get_u32 (command + 6));
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x61:
      reply_status (self, STATUS_OK, emu_get_u32 (command + 4), 8);
      return;
    case 0x62:
      reply_speeds (self);
      return;
    case 0x32:
      fake_target_reset (target);
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x3C:
      /* 0 low, 1 high, 2 a pulse */
      if (command[2] != 1)
        fake_target_hold_reset (target, TRUE);
      if (command[2] != 0)
        fake_target_hold_reset (target, FALSE);
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x40:
      self->swo_size = (gsize) command[2] | (gsize) command[3] << 8;
      self->swo_hz = emu_get_u32 (command + 4);
      g_byte_array_set_size (self->swo, 0);
      reply_status (self, self->swo_hz <= (personalities[self->kind].generation >= 3 ? 24000000u
                                                                                     : 2250000u)
                              ? STATUS_OK
                              : 0x41,
                    0, 2);
      return;
    case 0x41:
      self->swo_hz = 0;
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x42:
      reply_swo_count (self);
      return;
    case 0x43:
    case 0x44:
    case 0x4B:
    case 0x4C:
      reply_status (self, STATUS_OK, 0, 2);
      return;
    default:
      reply_status (self, STATUS_UNKNOWN, 0, 2);
      return;
    }
}

/* Version and voltage: no status in the answers. */
static void
tell (Stlink *self,
      guint8 what)
{
  guint16 pid = personalities[self->kind].pid;
  guint generation = personalities[self->kind].generation;
  guint extra = personalities[self->kind].extra;
  guint16 version = (guint16) (generation << 12 | (generation < 3 ? self->firmware << 6 | extra : 0));
  guint8 short_form[6] = { (guint8) (version >> 8), (guint8) version, 0x83, 0x04, (guint8) pid,
                           (guint8) (pid >> 8) };
  guint8 long_form[12] = { (guint8) generation, 0, (guint8) self->firmware, (guint8) extra, 1, 0, 0,
                           0, 0x83, 0x04, (guint8) pid, (guint8) (pid >> 8) };
  guint8 voltage[8];

  if (what == 0xF1)
    reply (self, short_form, sizeof short_form);
  else if (what == 0xFB)
    reply (self, long_form, sizeof long_form);
  else
    {
      /* 2 * b * 1.2 / a volts */
      emu_put_u32 (voltage, 1500);
      emu_put_u32 (voltage + 4,
                   self->probe->target->is_off ? 0 : self->probe->millivolts * 1500 / 2400);
      reply (self, voltage, sizeof voltage);
    }
}

static void
take_command (Stlink *self,
              const guint8 *command)
{
  emu_usb_forget_answers (self->usb, IN);
  switch (command[0])
    {
    case 0xF1:
    case 0xFB:
    case 0xF7:
      tell (self, command[0]);
      return;
    case 0xF5:
      {
        const guint8 bytes[2] = { (guint8) self->mode, 0 };

        reply (self, bytes, sizeof bytes);
        return;
      }
    case 0xF3:
    case 0xF4:
      self->mode = 1;
      return;
    case 0xF2:
      debug_command (self, command);
      return;
    default:
      reply_status (self, STATUS_UNKNOWN, 0, 2);
      return;
    }
}

static void
take (gpointer device,
      guint8 endpoint,
      const guint8 *bytes,
      gsize n_bytes)
{
  Stlink *self = device;

  if (self->expects_data)
    take_data (self, bytes, n_bytes);
  else if (n_bytes == 16)
    {
      self->probe->n_commands++;
      take_command (self, bytes);
    }
  self->probe->after (self->probe->after_data);
}

EmuUsb *
emu_stlink_plug (EmuProbe *probe,
                 UMockdevTestbed *testbed,
                 guint number,
                 const EmuUsbFaults *faults,
                 GError **error)
{
  Stlink *self = g_new0 (Stlink, 1);
  guint8 *config;
  EmuUsbDescription description = { .vid = 0x0483, .strings = { "STMicroelectronics", "ST-Link" } };
  guint8 bytes[] = {
    9, 2, 39, 0, 1, 1, 0, 0x80, 0xFA,
    9, 4, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0,
    7, 5, IN, 2, 0, 0, 0,
    7, 5, 0, 2, 0, 0, 0,
    7, 5, 0, 2, 0, 0, 0,
  };

  self->probe = probe;
  while (g_strcmp0 (personalities[self->kind].name, probe->kind) != 0)
    self->kind++;
  self->firmware = probe->firmware != 0 ? probe->firmware : personalities[self->kind].firmware;
  self->mode = probe->mode;
  self->csw = 0x23000052;
  self->batch = g_byte_array_new ();
  self->swo = g_byte_array_new ();

  bytes[27] = personalities[self->kind].out;
  bytes[34] = personalities[self->kind].swo;
  for (guint i = 22; i <= 36; i += 7)
    {
      bytes[i] = (guint8) personalities[self->kind].packet;
      bytes[i + 1] = (guint8) (personalities[self->kind].packet >> 8);
    }
  config = g_memdup2 (bytes, sizeof bytes);
  description.config = config;
  description.n_config = sizeof bytes;
  description.pid = personalities[self->kind].pid;
  description.packet = personalities[self->kind].packet;
  description.speed = personalities[self->kind].speed;
  description.strings[2] = probe->serial;
  description.raw_serial = probe->raw_serial;
  self->usb = emu_usb_plug (testbed, number, &description, faults, take, self, error);

  return self->usb;
}
