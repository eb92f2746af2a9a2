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
#define DCRSR 0xE000EDF4u
#define DCRDR 0xE000EDF8u
#define DEMCR 0xE000EDFCu
#define DWT_CTRL 0xE0001000u
#define ITM_TCR 0xE0000E80u
#define TPIU_ACPR 0xE0040010u
#define TPIU_SPPR 0xE00400F0u
#define SYSTEM_BASE 0xE0000000u
#define OPTIONS_BASE 0x1FFF0000u
#define BOOT_DELAY 3
#define SLEEP_PERIOD_MS 50
#define BLOCK_LEN 48
/* Where names are kept, and how. Source: viewalyzer-wire.md section 12.4 */
#define NAMES_AT 0x600
#define TABLE_AT 0x680
#define TABLE_CAPACITY 2048
#define NAMES_BLOCK_LEN 64
#define FLAG_NAMES 0x100
#define ANSWER_LEN (TS_VA_MARKER_LEN + TS_VA_CHECKPOINT_LEN)
#define RTT_CHANNELS 2
#define RTT_BLOCK_LEN (24 + 24 * (RTT_CHANNELS + 1))

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

/* Where the target keeps its write offset, and the host its read offset. */
static guint8 *
write_offset (FakeTarget *self)
{
  return block (self) + (self->is_rtt ? 24 + 24 * FAKE_RTT_CHANNEL + 12 : 24);
}

static guint8 *
read_offset (FakeTarget *self)
{
  return write_offset (self) + 4;
}

/* What the recorder does at initialisation: the magic last. Source: viewalyzer-wire.md section 12.1
 */
static void
init_ring (FakeTarget *self)
{
  guint8 *b = block (self);

  memset (b, 0, BLOCK_LEN);
  put_u32 (b + 16, self->ram_base + self->ring_at);
  put_u32 (b + 20, self->ring_size);
  put_u32 (b + 36, (self->is_blocking ? 1 : 0) | (self->is_keeping_names ? FLAG_NAMES : 0));
  put_u32 (b + 40, 25000000);
  b[44] = 1;
  b[45] = 4;
  b[47] = 1;
  memcpy (b, "ViewAlyzerRB01", 14);
}

/* ---- names in RAM ---- */

static guint8 *
names (FakeTarget *self)
{
  return self->ram + NAMES_AT;
}

static void
init_names (FakeTarget *self)
{
  memset (names (self), 0, NAMES_BLOCK_LEN);
  put_u32 (names (self) + 16, 1);
  put_u32 (names (self) + 20, self->ram_base + TABLE_AT);
  put_u32 (names (self) + 24, TABLE_CAPACITY);
  put_u32 (names (self) + 32, 2);
  memcpy (names (self), "ViewAlyzerMD01", 14);
  self->sequence = 0;
}

/* Whether a record of the table is told anew by @packet. All maps of objects count as one. */
static gboolean
is_same_name (const guint8 *record,
              const guint8 *packet)
{
  static const guint8 maps[] = { 0x73, 0x74, 0x75, 0x7B, 0x7C, 0x7D };
  gboolean is_map = memchr (maps, packet[0], sizeof maps) != NULL;

  if (is_map ? memchr (maps, record[0], sizeof maps) == NULL : record[0] != packet[0])
    return FALSE;
  if (packet[0] == 0x7F)
    return memcmp (record + 3, packet + 3, packet[3] + 1u) == 0
           || (memcmp (record + 4, "CLK:", 4) == 0 && memcmp (packet + 4, "CLK:", 4) == 0);

  return record[2] == packet[2] && (packet[0] != 0x7E || record[3] == packet[3]);
}

/* Keeps what a setup packet or the creation of a task says; FALSE: it is told already. */
static gboolean
keep_name (FakeTarget *self,
           const guint8 *packet,
           gsize n_packet)
{
  guint8 *table = self->ram + TABLE_AT;
  gsize used = _ts_va_u32 (names (self) + 28);
  guint8 record[2 + 300] = { (guint8) n_packet, (guint8) (n_packet >> 8) };

  memcpy (record + 2, packet, n_packet);
  record[3] = 0;
  if (packet[0] == TS_VA_CODE_TASK_CREATE)
    memset (record + 5, 0, 4);
  for (gsize at = 0; at < used;)
    {
      gsize n = 2 + _ts_va_u16 (table + at);

      if (is_same_name (table + at + 2, packet))
        {
          if (n == 2 + n_packet && memcmp (table + at, record, n) == 0)
            return FALSE;
          memmove (table + at, table + at + n, used - at - n);
          used -= n;
          break;
        }
      at += n;
    }
  if (used + 2 + n_packet <= TABLE_CAPACITY)
    {
      memcpy (table + used, record, 2 + n_packet);
      used += 2 + n_packet;
    }
  else
    put_u32 (names (self) + 36, 1);
  put_u32 (names (self) + 28, (guint32) used);
  put_u32 (names (self) + 32, _ts_va_u32 (names (self) + 32) + 2);

  return TRUE;
}

static gsize
get_free (FakeTarget *self)
{
  return (_ts_va_u32 (read_offset (self)) + self->ring_size - _ts_va_u32 (write_offset (self)) - 1)
         % self->ring_size;
}

static void
put_bytes (FakeTarget *self,
           const guint8 *bytes,
           gsize n)
{
  guint32 wr = _ts_va_u32 (write_offset (self));

  for (gsize i = 0; i < n; i++)
    self->ram[self->ring_at + (wr + i) % self->ring_size] = bytes[i];
  put_u32 (write_offset (self), (guint32) ((wr + n) % self->ring_size));
}

/* Answers a request: marker and checkpoint in one piece, then the acknowledgement. */
static void
answer_request (FakeTarget *self)
{
  guint8 answer[ANSWER_LEN]
      = { 'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55, TS_VA_CODE_CHECKPOINT };
  guint8 *b = names (self);
  guint32 generation = _ts_va_u32 (b + 32);

  if (_ts_va_u32 (b + 40) == _ts_va_u32 (b + 48))
    return;
  if (_ts_va_u32 (b + 44) == generation)
    {
      if (get_free (self) < ANSWER_LEN)
        return; /* it stays pending */
      answer[13] = (guint8) self->sequence;
      memcpy (answer + 15, self->packets + self->last_time_at, 4);
      put_u32 (answer + 19, self->sequence);
      put_u32 (b + 56, self->sequence++);
      put_bytes (self, answer, sizeof answer);
      self->n_answers++;
      self->n_after = 0;
      self->n_dropped_after = 0;
    }
  put_u32 (b + 52, generation);
  put_u32 (b + 60, _ts_va_u32 (b + 44) == generation ? 0 : 1);
  put_u32 (b + 48, _ts_va_u32 (b + 40));
}

/* ---- RTT ---- */

/* Two up-channels, the terminal and the recorder's, and a down-channel. Source: probes.md section 4
 */
static void
init_rtt (FakeTarget *self)
{
  static const char names[] = "Terminal\0ViewAlyzer";
  guint8 *b = block (self);
  guint32 name_at = self->block_at + RTT_BLOCK_LEN;

  memset (b, 0, RTT_BLOCK_LEN);
  memcpy (self->ram + name_at, names, sizeof names);
  put_u32 (b + 16, RTT_CHANNELS);
  put_u32 (b + 20, 1);
  for (guint i = 0; i < RTT_CHANNELS + 1; i++)
    {
      guint8 *channel = b + 24 + 24 * i;
      gboolean is_ours = i == FAKE_RTT_CHANNEL;

      put_u32 (channel, self->ram_base + name_at + (is_ours ? 9 : 0));
      put_u32 (channel + 4, self->ram_base + (is_ours ? self->ring_at : name_at + 32 + 64 * i));
      put_u32 (channel + 8, is_ours ? self->ring_size : 64);
      put_u32 (channel + 20, is_ours && self->is_blocking ? 2 : 0);
    }
  memcpy (b, "SEGGER RTT", 10);
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

/* What the firmware may have written by now. */
static gsize
get_allowed (FakeTarget *self)
{
  gint64 elapsed_us = g_get_monotonic_time () - self->boot_us;

  if (self->rate == 0)
    return self->n_packets;

  return (gsize) MIN (self->burst + (guint64) elapsed_us * self->rate / G_USEC_PER_SEC,
                      self->n_packets);
}

/* The packet at hand as it goes into the ring; FALSE: it is not told at all. */
static gboolean
make_packet (FakeTarget *self,
             guint8 *packet,
             gsize n)
{
  guint8 code;

  memcpy (packet, self->packets + self->at, n);
  if (!self->is_keeping_names)
    return TRUE;

  /* no markers and bundles but those of the boot; names when they are new */
  code = packet[0];
  if (n == TS_VA_MARKER_LEN && _ts_va_marker_at (packet, n) > 0)
    return self->sequence == 0;
  if (((code >= TS_VA_CODE_SETUP && code <= TS_VA_CODE_INFO
        && !(code == TS_VA_CODE_INFO && memcmp (packet + 4, "SES:", 4) == 0))
       || code == TS_VA_CODE_TASK_CREATE)
      && !keep_name (self, packet, n))
    return FALSE;
  packet[1] = (guint8) self->sequence;
  if (code == TS_VA_CODE_CHECKPOINT)
    put_u32 (packet + 7, self->sequence);
  self->sequence++;
  if (code < TS_VA_CODE_SETUP || code > TS_VA_CODE_INFO)
    self->last_time_at = self->at + 3;

  return TRUE;
}

static void
boot (FakeTarget *self)
{
  (self->is_rtt ? init_rtt : init_ring) (self);
  if (self->is_keeping_names)
    init_names (self);
  self->at = 0;
  self->boot_us = g_get_monotonic_time ();
}

/* Writes the packet at hand; FALSE: there is no room, and it has to wait. */
static gboolean
write_packet (FakeTarget *self)
{
  guint8 packet[TS_VA_MAX_PACKET];
  gsize n = measure (self);
  gboolean is_event;

  if (n > get_free (self) && self->is_blocking)
    return FALSE;
  if (make_packet (self, packet, n))
    {
      is_event = (packet[0] < TS_VA_CODE_SETUP || packet[0] > TS_VA_CODE_INFO)
                 && _ts_va_marker_at (packet, n) <= 0;
      if (n > get_free (self))
        {
          self->dropped++;
          self->n_dropped_after++;
          if (!self->is_rtt)
            put_u32 (block (self) + 32, self->dropped);
        }
      else
        {
          put_bytes (self, packet, n);
          self->n_after += is_event;
          self->n_events += is_event;
        }
    }
  self->at += n;

  return TRUE;
}

/* Lets the firmware run for a while. */
static void
run (FakeTarget *self)
{
  gsize allowed;

  if (!self->is_running || self->is_without_firmware || self->is_in_reset)
    return;
  if (self->until_boot > 0)
    {
      if (--self->until_boot > 0)
        return;
      boot (self);
    }
  if (self->is_asleep && self->sleep_ms == 0)
    return; /* it has nothing to do */

  allowed = get_allowed (self);
  while (self->at < allowed && write_packet (self))
    ;
  if (self->is_keeping_names)
    answer_request (self);
}

static guint32
get_written (FakeTarget *self,
             guint32 address)
{
  for (guint i = 0; i < self->n_written; i++)
    if (self->written[i].address == address)
      return self->written[i].value;

  return 0;
}

void
fake_target_init (FakeTarget *self,
                  const guint8 *packets,
                  gsize n_packets,
                  guint32 ring_size,
                  gboolean is_blocking)
{
  memset (self, 0, sizeof *self);
  self->ram = self->own_ram;
  self->ram_base = FAKE_RAM_BASE;
  self->ram_size = FAKE_RAM_SIZE;
  self->packets = packets;
  self->n_packets = n_packets;
  self->ring_size = ring_size;
  self->is_blocking = is_blocking;
  self->block_at = 0x4CC;
  self->ring_at = 0x14A9; /* rings begin at odd addresses */
  self->boot_delay = BOOT_DELAY;
  self->until_boot = BOOT_DELAY;
  self->is_running = TRUE;
  self->boot_us = g_get_monotonic_time ();
  self->trace_clock_hz = 168000000;
  self->registers[13] = FAKE_RAM_BASE + FAKE_RAM_SIZE - 64;
  self->registers[15] = FAKE_FLASH_BASE + 0x100;
  self->registers[16] = 0x01000000;
}

void
fake_target_reset (FakeTarget *self)
{
  self->n_resets++;
  self->has_reset = TRUE;
  self->is_running = TRUE;
  self->until_boot = self->boot_delay;
  self->at = 0;
  self->dropped = 0;
  self->swo_at = 0;
  self->n_written = 0; /* trace hardware is off after a reset */
  if (self->is_without_firmware)
    return;
  /* start-up code clears the block's memory; the magic goes with it */
  memset (block (self), 0, self->is_rtt ? RTT_BLOCK_LEN : BLOCK_LEN);
  memset (names (self), 0, self->is_keeping_names ? NAMES_BLOCK_LEN : 0);
}

/* A reset; the core stands at its first instruction if somebody has set that trap. */
static void
reset_and_catch (FakeTarget *self)
{
  gboolean is_caught = self->is_debug && (get_written (self, DEMCR) & 1) != 0;

  fake_target_reset (self);
  self->is_running = !is_caught;
}

/* The reset line: while it is held the core does nothing, and its debug pins are what they are after
 * a reset. */
void
fake_target_hold_reset (FakeTarget *self,
                        gboolean is_held)
{
  if (is_held)
    {
      self->is_in_reset = TRUE;
      self->is_deaf = FALSE;
    }
  else if (self->is_in_reset)
    {
      self->is_in_reset = FALSE;
      reset_and_catch (self);
    }
}

/* Whether nothing answers on the debug pins. */
gboolean
fake_target_is_silent (const FakeTarget *self)
{
  return self->is_off || self->is_deaf;
}

/* ---- registers ---- */

static void
set_written (FakeTarget *self,
             guint32 address,
             guint32 value)
{
  guint i = 0;

  while (i < self->n_written && self->written[i].address != address)
    i++;
  if (i == G_N_ELEMENTS (self->written))
    return;
  self->n_written = MAX (self->n_written, i + 1);
  self->written[i].address = address;
  self->written[i].value = value;
}

guint32
fake_target_read_register (FakeTarget *self,
                           guint number)
{
  return number < FAKE_N_REGISTERS ? self->registers[number] : 0;
}

void
fake_target_write_register (FakeTarget *self,
                            guint number,
                            guint32 value)
{
  if (number < FAKE_N_REGISTERS)
    self->registers[number] = value;
}

/* Identification of the components that the ROM table names. Source: probes.md section 2 */
static gboolean
read_identification (guint32 address,
                     guint32 *value)
{
  static const struct
  {
    guint32 base;
    guint16 part;
    guint8 class;
  } components[] = { { 0xE00FF000, 0x4C4, 1 },  { 0xE000E000, 0x00C, 0xE },
                     { 0xE0001000, 0x002, 0xE }, { 0xE0002000, 0x003, 0xE },
                     { 0xE0000000, 0x001, 0xE }, { 0xE0040000, 0x9A1, 9 } };
  static const guint32 rom[] = { 0xFFF0F003, 0xFFF02003, 0xFFF03003, 0xFFF01003, 0xFFF41003, 0 };
  guint32 offset = address & 0xFFF;

  if ((address & ~0xFFFu) == 0xE00FF000 && offset / 4 < G_N_ELEMENTS (rom))
    {
      *value = rom[offset / 4];
      return TRUE;
    }
  if (offset < 0xFD0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (components); i++)
    {
      const guint32 part = components[i].part;
      const guint32 words[] = { 4,    0,    0,    0,    part & 0xFF,
                                0xB0 | part >> 8, 0x0B, 0, 0x0D, (guint32) components[i].class << 4,
                                0x05, 0xB1 };

      if (components[i].base == (address & ~0xFFFu))
        {
          *value = words[(offset - 0xFD0) / 4];
          return TRUE;
        }
    }

  return FALSE;
}

static guint32
read_system (FakeTarget *self,
             guint32 address)
{
  guint32 value = 0;

  if (read_identification (address, &value))
    return value;
  switch (address)
    {
    case 0xE000ED00u:
      return CPUID;
    case AIRCR:
      return 0xFA050000;
    case DHCSR:
      /* instructions have retired since the last look */
      value = (self->is_debug ? 1u : 0) | (self->is_running ? 1u << 24 : 0x20002u) | 1u << 16
              | (self->has_reset ? 1u << 25 : 0) | (self->is_asleep ? 1u << 18 : 0);
      self->has_reset = FALSE;
      return value;
    case DCRDR:
      return self->register_data;
    case 0xE0042000u:
      return 0x10076413; /* DBGMCU_IDCODE of an STM32F40x */
    case 0x1FFF7A20u:
      return 0x0400FFFF; /* flash size in KiB, in the upper half */
    case DWT_CTRL:
      return 0x40000000 | get_written (self, address); /* four comparators */
    case 0xE0002000u:
      return 0x00000260 | (get_written (self, address) & 1); /* FP_CTRL: six breakpoints */
    case 0xE0040FC8u:
      return 0x00000CA1; /* TPIU_DEVID: NRZ, Manchester, 32 bytes of buffer */
    case 0xE000EF40u:
      return 0x10110021; /* MVFR0, MVFR1: single precision */
    case 0xE000EF44u:
      return 0x11000011;
    default:
      return get_written (self, address);
    }
}

static void
write_system (FakeTarget *self,
              guint32 address,
              guint32 word)
{
  switch (address)
    {
    case DHCSR:
      if (word >> 16 != 0xA05F)
        return;
      self->is_debug = (word & 1) != 0;
      if ((word & 5) == 5 && !self->is_running)
        self->registers[15] += 2; /* a step */
      self->is_running = (word & 3) != 3 && (word & 5) != 5;
      return;
    case DCRSR:
      if ((word & 1u << 16) != 0)
        fake_target_write_register (self, word & 0x1F, self->register_data);
      else
        self->register_data = fake_target_read_register (self, word & 0x1F);
      return;
    case DCRDR:
      self->register_data = word;
      return;
    case AIRCR:
      if (word >> 16 == 0x05FA && (word & 4) != 0)
        reset_and_catch (self);
      return;
    default:
      set_written (self, address, word);
      return;
    }
}

/* ---- memory ---- */

/* What befalls the target at a look. */
static void
befall (FakeTarget *self)
{
  self->n_looks++;
  if (self->n_looks == self->reset_at)
    fake_target_reset (self);
  if (self->n_looks == self->power_loss_at)
    self->is_off = TRUE;
}

static gboolean
is_in_ram (FakeTarget *self,
           guint32 address,
           gsize n_bytes)
{
  return address >= self->ram_base
         && (guint64) address + n_bytes <= (guint64) self->ram_base + self->ram_size;
}

/* Reads target memory; %FALSE: a fault. */
gboolean
fake_target_read (FakeTarget *self,
                  guint32 address,
                  guint8 *bytes,
                  gsize n_bytes)
{
  befall (self);
  if (fake_target_is_silent (self))
    return FALSE;
  run (self);
  if (is_in_ram (self, address, n_bytes))
    {
      if (self->is_asleep && g_get_monotonic_time () / 1000 % SLEEP_PERIOD_MS < self->sleep_ms)
        return FALSE;
      memcpy (bytes, self->ram + (address - self->ram_base), n_bytes);
      return TRUE;
    }
  if (address >= FAKE_FLASH_BASE && (guint64) address + n_bytes <= FAKE_FLASH_BASE + FAKE_FLASH_SIZE
      && !self->is_protected)
    {
      memset (bytes, 0xFF, n_bytes);
      return TRUE;
    }
  if (address >= SYSTEM_BASE || (address >= OPTIONS_BASE && address < FAKE_RAM_BASE))
    {
      for (gsize i = 0; i < n_bytes;)
        {
          guint32 at = address + (guint32) i;
          guint32 word = GUINT32_TO_LE (read_system (self, at & ~3u));
          gsize n = MIN (4 - at % 4, n_bytes - i);

          memcpy (bytes + i, (const guint8 *) &word + at % 4, n);
          i += n;
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
  befall (self);
  if (fake_target_is_silent (self))
    return FALSE;
  if (is_in_ram (self, address, n_bytes))
    {
      memcpy (self->ram + (address - self->ram_base), bytes, n_bytes);
      run (self);
      return TRUE;
    }
  if (address < SYSTEM_BASE)
    return FALSE;

  for (gsize i = 0; i < n_bytes; i += 4)
    {
      guint32 word = 0;

      memcpy (&word, bytes + i, MIN (4, n_bytes - i));
      write_system (self, address + (guint32) i, GUINT32_FROM_LE (word));
    }

  return TRUE;
}

/* ---- trace ---- */

static gboolean
is_tracing (FakeTarget *self)
{
  return self->is_swo_ready
         || ((get_written (self, DEMCR) & 1u << 24) != 0 && (get_written (self, ITM_TCR) & 1) != 0
             && get_written (self, TPIU_SPPR) == 2);
}

/*
 * What left the SWO pin, as a receiver hears it that listens at @hz: garbage if the target sends at
 * another rate. The pin waits for the receiver: nothing is lost here.
 */
gsize
fake_target_take_swo (FakeTarget *self,
                      guint hz,
                      guint8 *bytes,
                      gsize n_bytes)
{
  gsize n = MIN (n_bytes, self->n_swo - self->swo_at);
  guint64 sent_hz = self->trace_clock_hz / (get_written (self, TPIU_ACPR) + 1);

  if (self->is_off || !self->is_running || !is_tracing (self))
    return 0;
  memcpy (bytes, self->swo + self->swo_at, n);
  /* Source: probes.md section 1.10: three percent */
  if (!self->is_swo_ready && (sent_hz * 100 > (guint64) hz * 103 || sent_hz * 103 < (guint64) hz * 100))
    for (gsize i = 0; i < n; i++)
      bytes[i] ^= 0x5A;
  self->swo_at += n;

  return n;
}

/* Whether the firmware has written all its packets and the host has read them. */
gboolean
fake_target_is_drained (FakeTarget *self)
{
  if (self->n_swo > 0 && self->swo_at < self->n_swo)
    return FALSE;
  if (self->n_packets == 0)
    return self->n_swo > 0;

  return self->until_boot == 0 && self->at == self->n_packets
         && _ts_va_u32 (write_offset (self)) == _ts_va_u32 (read_offset (self));
}
