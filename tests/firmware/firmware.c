/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * firmware.c: firmware of our own for a bare Cortex-M: writes recorder packets into a ring in RAM
 * and, in COBS frames, to a UART, and at its end tells on another UART what it wrote.
 *
 * Own code after viewalyzer-wire.md (sections 3.5, 4, 5, 6, 11 and 12.1); no vendor's code, no C
 * library. Board: MPS2 with AN386 (Cortex-M4) as QEMU emulates it (probes.md section 9.3).
 *
 * RING_BLOCKS: the ring waits for the host (BLOCK) and the UART stays silent; else the ring drops,
 * and everything leaves through the UART.
 */
#include <stdint.h>

#define N_ROUNDS 2000
#define CLOCK_HZ 25000000u
#define RING_SIZE 8192u
#define N_TASKS 3

#define REG(address) (*(volatile uint32_t *) (address))
#define UART0 0x40004000u
#define UART1 0x40005000u
#define TIMER0 0x40000000u
#define TIMER1 0x40001000u
#define NVIC_ENABLE 0xE000E100u
#define TIMER1_IRQ 9

/* Source: viewalyzer-wire.md section 12.1 */
typedef struct
{
  char magic[16];
  uint32_t buffer;
  uint32_t size;
  volatile uint32_t write_offset;
  volatile uint32_t read_offset;
  volatile uint32_t dropped;
  uint32_t flags;
  uint32_t clock_hz;
  uint8_t wire_version;
  uint8_t timestamp_bytes;
  uint16_t recorder_version;
} Block;

Block _VA_RAMBUF;
static struct
{
  uint8_t before; /* rings begin at odd addresses */
  uint8_t bytes[RING_SIZE];
} ring;
static uint32_t sequence;
static uint32_t n_packets;
static volatile uint32_t n_interrupts;
static uint32_t n_codes[128];

void reset (void);
void *memset (void *bytes, int value, unsigned n);

extern uint32_t __data_load, __data_begin, __data_end, __bss_begin, __bss_end, __stack_top;

/* ---- the board ---- */

static uint32_t
now (void)
{
  return ~REG (TIMER0 + 4);
}

static void
start_uart (uint32_t uart)
{
  REG (uart + 16) = 16; /* divider */
  REG (uart + 8) = 1;   /* transmit */
}

static void
send (uint32_t uart,
      uint8_t byte)
{
  while ((REG (uart + 4) & 1) != 0) /* full */
    ;
  REG (uart) = byte;
}

static void
start_timers (void)
{
  REG (TIMER0 + 8) = 0xFFFFFFFFu;
  REG (TIMER0 + 4) = 0xFFFFFFFFu;
  REG (TIMER0) = 1;
  REG (TIMER1 + 8) = CLOCK_HZ / 1000;
  REG (TIMER1 + 4) = CLOCK_HZ / 1000;
  REG (TIMER1) = 1 | 8; /* with interrupt */
  REG (NVIC_ENABLE) = 1u << TIMER1_IRQ;
}

/* Ends the machine: semihosting SYS_EXIT, "application exit". */
static void
end (void)
{
  register uint32_t operation __asm__ ("r0") = 0x18;
  register uint32_t reason __asm__ ("r1") = 0x20026;

  __asm__ volatile ("bkpt 0xab" : : "r"(operation), "r"(reason) : "memory");
  for (;;)
    ;
}

/* The compiler wants it, and there is no C library. */
void *
memset (void *bytes,
        int value,
        unsigned n)
{
  volatile uint8_t *at = bytes;

  while (n-- > 0)
    *at++ = (uint8_t) value;

  return bytes;
}

/* ---- the recorder ---- */

/* Section 12.1: whole packets, the offset last; DROP counts, BLOCK waits with interrupts masked. */
static void
put_in_ring (const uint8_t *bytes,
             uint32_t n)
{
  Block *b = &_VA_RAMBUF;
  uint32_t wr = b->write_offset;

  for (;;)
    {
      uint32_t n_free = (b->read_offset + RING_SIZE - wr - 1) % RING_SIZE;

      if (n <= n_free)
        break;
#ifndef RING_BLOCKS
      b->dropped++;
      return;
#endif
    }
  for (uint32_t i = 0; i < n; i++)
    ring.bytes[(wr + i) % RING_SIZE] = bytes[i];
  __asm__ volatile ("dmb" : : : "memory");
  b->write_offset = (wr + n) % RING_SIZE;
}

/* Section 3.5: one frame, one zero; no packet here is longer than 254 bytes. */
static void
put_on_uart (const uint8_t *bytes,
             uint32_t n)
{
#ifndef RING_BLOCKS
  uint32_t at = 0;

  while (at <= n)
    {
      uint32_t stop = at;

      while (stop < n && bytes[stop] != 0)
        stop++;
      send (UART0, (uint8_t) (stop - at + 1));
      for (; at < stop; at++)
        send (UART0, bytes[at]);
      at++;
    }
  send (UART0, 0);
#endif
}

static uint32_t
lock (void)
{
  uint32_t mask;

  __asm__ volatile ("mrs %0, primask\n cpsid i" : "=r"(mask) : : "memory");

  return mask;
}

static void
unlock (uint32_t mask)
{
  __asm__ volatile ("msr primask, %0" : : "r"(mask) : "memory");
}

static uint8_t *
put_u32 (uint8_t *at,
         uint32_t value)
{
  for (int i = 0; i < 4; i++)
    *at++ = (uint8_t) (value >> (8 * i));

  return at;
}

/* Sends a packet that was made up to @end, with its number in it. Locked. */
static void
put_packet (uint8_t *packet,
            const uint8_t *end)
{
  packet[1] = (uint8_t) sequence++;
  n_packets++;
  n_codes[packet[0] & 0x7F]++;
  put_in_ring (packet, (uint32_t) (end - packet));
  put_on_uart (packet, (uint32_t) (end - packet));
}

/* Code, id, time, and a word or none: most events. */
static void
event (uint8_t code,
       uint8_t id,
       int has_value,
       uint32_t value)
{
  uint8_t packet[16] = { code, 0, id };
  uint32_t mask = lock ();
  uint8_t *end = put_u32 (packet + 3, now ());

  if (has_value)
    end = put_u32 (end, value);
  put_packet (packet, end);
  unlock (mask);
}

static uint8_t *
put_text (uint8_t *at,
          const char *text)
{
  uint8_t *n = at++;

  while (*text != '\0')
    *at++ = (uint8_t) *text++;
  *n = (uint8_t) (at - n - 1);

  return at;
}

/* A name or an information: code, id, text. */
static void
name (uint8_t code,
      uint8_t id,
      const char *text)
{
  uint8_t packet[64] = { code, 0, id };
  uint32_t mask = lock ();

  put_packet (packet, put_text (packet + 3, text));
  unlock (mask);
}

static void
config (uint8_t group,
        uint32_t value)
{
  uint8_t packet[8] = { 0x77, 0, group };
  uint32_t mask = lock ();

  put_packet (packet, put_u32 (packet + 3, value));
  unlock (mask);
}

static void
string_event (uint8_t id,
              const char *text)
{
  uint8_t packet[80] = { 0x0D, 0, id };
  uint32_t mask = lock ();
  uint8_t *at = put_u32 (packet + 3, now ()) + 2;
  uint8_t *begin = at;

  while (*text != '\0')
    *at++ = (uint8_t) *text++;
  packet[7] = (uint8_t) (at - begin);
  put_packet (packet, at);
  unlock (mask);
}

static void
marker (void)
{
  static const uint8_t bytes[12] = { 'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55 };

  put_in_ring (bytes, sizeof bytes);
  put_on_uart (bytes, sizeof bytes);
}

static void
checkpoint (void)
{
  uint8_t packet[11] = { 0x16 };
  uint32_t mask = lock ();

  put_packet (packet, put_u32 (put_u32 (packet + 3, now ()), sequence));
  unlock (mask);
}

static void
prelude (void)
{
  uint32_t mask = lock ();

  marker ();
  name (0x7F, 0, "SES:START");
  checkpoint ();
  name (0x7F, 0, "CLK:25000000");
  name (0x71, 1, "Tick");
  config (1, 1u << 0 | 1u << 3 | 1u << 12 | 1u << 14);
  config (2, 1u << 0 | 1u << 2 | 1u << 4);
  config (3, 1u << 16);
  name (0x7A, 0, "BareMetal");
  unlock (mask);
}

static void
names (void)
{
  uint8_t packet[32] = { 0x72, 0, 1, 0 };
  uint32_t mask = lock ();

  name (0x70, 1, "Control");
  name (0x70, 2, "Radio");
  name (0x70, 3, "Idle");
  put_packet (packet, put_text (packet + 4, "Level"));
  unlock (mask);
}

/* Section 12.1: the magic last, its first byte at the very end. */
static void
start_recorder (void)
{
  static const char magic[16] = "ViewAlyzerRB01";
  Block *b = &_VA_RAMBUF;

  b->magic[0] = 0;
  b->buffer = (uint32_t) ring.bytes;
  b->size = RING_SIZE;
  b->write_offset = 0;
  b->read_offset = 0;
  b->dropped = 0;
#ifdef RING_BLOCKS
  b->flags = 1;
#endif
  b->clock_hz = CLOCK_HZ;
  b->wire_version = 1;
  b->timestamp_bytes = 4;
  b->recorder_version = 1 << 8;
  __asm__ volatile ("dmb" : : : "memory");
  for (int i = 15; i >= 0; i--)
    ((volatile char *) b->magic)[i] = magic[i];
}

/* ---- what it does ---- */

static void
on_timer (void)
{
  event (0x82, 1, 0, 0);
  REG (TIMER1 + 12) = 1;
  n_interrupts++;
  event (0x02, 1, 0, 0);
}

static void
work (void)
{
  for (uint32_t i = 0; i < N_ROUNDS; i++)
    {
      uint8_t task = (uint8_t) (1 + i % N_TASKS);

      event (0x81, task, 0, 0);
      event (0x04, 1, 1, (i * 37) % 1000 - 500);
      if (i % 100 == 99)
        string_event (1, "a round of a hundred");
      if (i % 500 == 499)
        {
          uint32_t mask = lock ();

          marker ();
          checkpoint ();
          unlock (mask);
        }
      for (volatile uint32_t j = 0; j < 200; j++)
        ;
      event (0x01, task, 0, 0);
    }
}

static void
tell (const char *text,
      uint32_t value)
{
  char digits[10];
  int n = 0;

  while (*text != '\0')
    send (UART1, (uint8_t) *text++);
  do
    digits[n++] = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  while (n > 0)
    send (UART1, (uint8_t) digits[--n]);
  send (UART1, '\n');
}

static void
tell_facts (void)
{
  tell ("packets ", n_packets);
  tell ("interrupts ", n_interrupts);
  tell ("dropped ", _VA_RAMBUF.dropped);
  for (uint32_t i = 0; i < 128; i++)
    if (n_codes[i] != 0)
      {
        tell ("code ", i);
        tell ("times ", n_codes[i]);
      }
}

void
reset (void)
{
  uint32_t *from = &__data_load;

  for (uint32_t *at = &__data_begin; at < &__data_end; at++)
    *at = *from++;
  for (uint32_t *at = &__bss_begin; at < &__bss_end; at++)
    *at = 0;

  start_uart (UART0);
  start_uart (UART1);
  start_recorder ();
  prelude ();
  names ();
  start_timers ();
  work ();
  (void) lock ();
#ifdef RING_BLOCKS
  while (_VA_RAMBUF.read_offset != _VA_RAMBUF.write_offset)
    ;
#endif
  tell_facts ();
  end ();
}

static void
fault (void)
{
  tell ("fault ", 1);
  end ();
}

typedef void (*Handler) (void);

__attribute__ ((section (".vectors"), used)) static const Handler vectors[16 + 32] = {
  (Handler) &__stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0,
  fault, fault, [16 + TIMER1_IRQ] = on_timer,
};
