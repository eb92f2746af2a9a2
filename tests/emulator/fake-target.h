/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake-target.h: a target without hardware: RAM, an Arm core's debug registers, and firmware that
 * writes recorder packets into a live ring, into an RTT channel, or out of the SWO pin.
 *
 * The firmware runs whenever somebody looks: before each read and after each write. In BLOCK mode
 * it writes as many whole packets as fit, and goes on when the host has read. With a rate it writes
 * no more than that time allows.
 */
#pragma once

#include <glib.h>

#define FAKE_RAM_BASE 0x20000000u
#define FAKE_RAM_SIZE 0x20000u
#define FAKE_FLASH_BASE 0x08000000u
#define FAKE_FLASH_SIZE 0x100000u
#define FAKE_RTT_CHANNEL 1
#define FAKE_N_REGISTERS 21

/**
 * FakeTarget:
 * @ram: its memory: @own_ram, or that of another program
 * @ram_base: address of the memory
 * @ram_size: bytes of it
 * @packets: raw packets that the firmware writes, one after the other
 * @n_packets: bytes of them
 * @at: bytes of them already written
 * @ring_size: bytes of the ring or of the RTT channel
 * @block_at: offset of the control block in RAM
 * @ring_at: offset of the bytes of the ring in RAM
 * @is_blocking: BLOCK mode
 * @is_rtt: the ring is RTT channel 1, named ViewAlyzer
 * @is_without_firmware: RAM stays as it is
 * @is_protected: flash must not be read
 * @is_off: no power
 * @is_asleep: the core sleeps, and has nothing to do
 * @sleep_ms: it sleeps now and then, for so many of 50 milliseconds, and RAM cannot be read meanwhile
 * @is_deaf: its debug pins are switched off, until the reset line is held
 * @is_in_reset: the reset line is held
 * @burst: bytes of packets that it writes at once when it boots, before anybody looks
 * @is_keeping_names: DROP mode with names in RAM, as recorders from 1.1.5 on have it
 * @rate: bytes of packets a second; 0: as fast as they fit
 * @boot_delay: looks after a reset until the recorder starts
 * @reset_at: the look at which the target resets itself, 0: never
 * @power_loss_at: the look at which it loses its power, 0: never
 * @n_looks: accesses so far
 * @swo: bytes that leave through the SWO pin
 * @n_swo: how many
 * @swo_at: how many have left
 * @is_swo_ready: the firmware has set up the trace hardware by itself
 * @trace_clock_hz: what the trace hardware divides
 */
typedef struct
{
  guint8 *ram;
  guint32 ram_base;
  guint32 ram_size;
  guint8 own_ram[FAKE_RAM_SIZE];
  const guint8 *packets;
  gsize n_packets;
  gsize at;
  guint32 ring_size;
  guint32 block_at;
  guint32 ring_at;
  gboolean is_blocking;
  gboolean is_rtt;
  gboolean is_without_firmware;
  gboolean is_protected;
  gboolean is_off;
  gboolean is_asleep;
  guint sleep_ms;
  gboolean is_deaf;
  gboolean is_in_reset;
  gsize burst;
  gboolean is_keeping_names;
  guint rate;
  gint64 boot_us;
  guint boot_delay;
  guint until_boot;
  gboolean is_running;
  gboolean is_debug;
  gboolean has_reset;
  guint n_resets;
  guint reset_at;
  guint power_loss_at;
  guint n_looks;
  guint32 dropped;
  gsize last_time_at; /* time of the last packet that had one, in @packets */
  guint32 sequence;  /* number of the next packet, when names are kept */
  guint n_answers;   /* requests for names that were acknowledged */
  guint n_after;     /* event packets written since the last of them */
  guint n_dropped_after; /* packets dropped since then */
  guint n_events;    /* event packets written at all */

  guint32 registers[FAKE_N_REGISTERS];
  guint32 register_data; /* DCRDR */
  struct
  {
    guint32 address;
    guint32 value;
  } written[128]; /* other registers of the core, as somebody left them */
  guint n_written;

  const guint8 *swo;
  gsize n_swo;
  gsize swo_at;
  gboolean is_swo_ready;
  guint trace_clock_hz;
} FakeTarget;

void fake_target_init (FakeTarget *self,
                       const guint8 *packets,
                       gsize n_packets,
                       guint32 ring_size,
                       gboolean is_blocking);
gboolean fake_target_read (FakeTarget *self,
                           guint32 address,
                           guint8 *bytes,
                           gsize n_bytes);
gboolean fake_target_write (FakeTarget *self,
                            guint32 address,
                            const guint8 *bytes,
                            gsize n_bytes);
guint32 fake_target_read_register (FakeTarget *self,
                                   guint number);
void fake_target_write_register (FakeTarget *self,
                                 guint number,
                                 guint32 value);
void fake_target_reset (FakeTarget *self);
void fake_target_hold_reset (FakeTarget *self,
                             gboolean is_held);
gboolean fake_target_is_silent (const FakeTarget *self);
gsize fake_target_take_swo (FakeTarget *self,
                            guint hz,
                            guint8 *bytes,
                            gsize n_bytes);
gboolean fake_target_is_drained (FakeTarget *self);
