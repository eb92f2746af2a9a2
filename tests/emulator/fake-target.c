/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake-target.c: a target without hardware. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "decode/ts-va-wire-private.h"
#include "fake-target.h"

#define CPUID 0x410FC241u /* Cortex-M4 */
#define AIRCR 0xE000ED0Cu
#define DHCSR 0xE000EDF0u
#define BOOT_DELAY 3

static void
put_u32 (guint8 *at,
         guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static guint8 *
block (FakeTarget *self)
{
  return self->ram + self->block_at;
}

/* What the recorder does at initialisation: the magic last. Source: viewalyzer-wire.md section 12
 */
static void
init_ring (FakeTarget *self)
{
  guint8 *b = block (self);

  memset (b, 0, 48);
  put_u32 (b + 16, FAKE_RAM_BASE + self->ring_at);
  put_u32 (b + 20, self->ring_size);
  put_u32 (b + 36, self->is_blocking ? 1 : 0);
  put_u32 (b + 40, 25000000);
  b[44] = 1;
  b[45] = 4;
  b[47] = 1;
  memcpy (b, "ViewAlyzerRB01", 14);
  self->at = 0;
}

static gsize
measure (FakeTarget *self)
{
  const guint8 *packet = self->packets + self->at;
  gsize n_left = self->n_packets - self->at;
  int n;

  if (n_left >= TS_VA_MARKER_LEN && _ts_va_marker_at (packet, n_left) > 0)
    return TS_VA_MARKER_LEN;
  n = _ts_va_measure (_ts_va_layout_get (TS_VA_WIRE_1), 16, packet, n_left);

  return n > 0 && (gsize) n <= n_left ? (gsize) n : n_left;
}

/* Lets the firmware run for a while. */
static void
run (FakeTarget *self)
{
  guint8 *b = block (self);

  if (!self->is_running || self->is_without_firmware)
    return;
  if (self->until_boot > 0)
    {
      if (--self->until_boot > 0)
        return;
      init_ring (self);
    }

  while (self->at < self->n_packets)
    {
      guint32 wr = _ts_va_u32 (b + 24);
      guint32 rd = _ts_va_u32 (b + 28);
      gsize n_free = (rd + self->ring_size - wr - 1) % self->ring_size;
      gsize n = measure (self);

      if (n > n_free)
        {
          if (self->is_blocking)
            return;
          put_u32 (b + 32, ++self->dropped);
          self->at += n;
          continue;
        }
      for (gsize i = 0; i < n; i++)
        self->ram[self->ring_at + (wr + i) % self->ring_size] = self->packets[self->at + i];
      self->at += n;
      put_u32 (b + 24, (guint32) ((wr + n) % self->ring_size));
    }
}

void
fake_target_init (FakeTarget *self,
                  const guint8 *packets,
                  gsize n_packets,
                  guint32 ring_size,
                  gboolean is_blocking)
{
  memset (self, 0, sizeof *self);
  self->packets = packets;
  self->n_packets = n_packets;
  self->ring_size = ring_size;
  self->is_blocking = is_blocking;
  self->block_at = 0x4CC;
  self->ring_at = 0x14A9; /* rings begin at odd addresses */
  self->boot_delay = BOOT_DELAY;
  self->until_boot = BOOT_DELAY;
  self->is_running = TRUE;
}

static void
reset (FakeTarget *self)
{
  self->n_resets++;
  self->has_reset = TRUE;
  self->is_running = TRUE;
  self->until_boot = self->boot_delay;
  self->at = 0;
  self->dropped = 0;
  /* start-up code clears the block's memory; the magic goes with it */
  memset (block (self), 0, 48);
}

static guint32
read_register (FakeTarget *self,
               guint32 address)
{
  guint32 value = 0;

  switch (address)
    {
    case 0xE000ED00u:
      return CPUID;
    case DHCSR:
      value = (self->is_debug ? 1u : 0) | (self->is_running ? 0 : 0x20002u) | 1u << 16
              | (self->has_reset ? 1u << 25 : 0);
      self->has_reset = FALSE;
      return value;
    case 0xE0042000u:
      return 0x10006413; /* DBGMCU_IDCODE of an STM32F40x */
    case 0xE0001000u:
      return 0x40000000; /* DWT_CTRL: four comparators */
    case 0xE0002000u:
      return 0x00000260; /* FP_CTRL: six breakpoints */
    default:
      return 0;
    }
}

/* Reads target memory; %FALSE: a fault. */
gboolean
fake_target_read (FakeTarget *self,
                  guint32 address,
                  guint8 *bytes,
                  gsize n_bytes)
{
  run (self);
  if (address >= FAKE_RAM_BASE && (guint64) address + n_bytes <= FAKE_RAM_BASE + FAKE_RAM_SIZE)
    {
      memcpy (bytes, self->ram + (address - FAKE_RAM_BASE), n_bytes);
      return TRUE;
    }
  if (address >= 0xE0000000u || (address >= 0x1FFF0000u && address < FAKE_RAM_BASE))
    {
      for (gsize i = 0; i < n_bytes; i += 4)
        {
          guint32 word = GUINT32_TO_LE (read_register (self, (address & ~3u) + (guint32) i));

          memcpy (bytes + i, &word, MIN (4, n_bytes - i));
        }
      return TRUE;
    }

  return FALSE;
}

/* Writes target memory; %FALSE: a fault. */
gboolean
fake_target_write (FakeTarget *self,
                   guint32 address,
                   const guint8 *bytes,
                   gsize n_bytes)
{
  guint32 word = 0;

  if (address >= FAKE_RAM_BASE && (guint64) address + n_bytes <= FAKE_RAM_BASE + FAKE_RAM_SIZE)
    {
      memcpy (self->ram + (address - FAKE_RAM_BASE), bytes, n_bytes);
      run (self);
      return TRUE;
    }
  if (address < 0xE0000000u)
    return FALSE;

  memcpy (&word, bytes, MIN (4, n_bytes));
  word = GUINT32_FROM_LE (word);
  if (address == DHCSR && word >> 16 == 0xA05F)
    {
      self->is_debug = (word & 1) != 0;
      self->is_running = (word & 3) != 3;
    }
  else if (address == AIRCR && word >> 16 == 0x05FA && (word & 4) != 0)
    reset (self);

  return TRUE;
}

/* Whether the firmware has written all its packets and the host has read them. */
gboolean
fake_target_is_drained (FakeTarget *self)
{
  const guint8 *b = block (self);

  return self->until_boot == 0 && self->at == self->n_packets
         && _ts_va_u32 (b + 24) == _ts_va_u32 (b + 28);
}
