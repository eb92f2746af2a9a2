/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake-target.h: a target without hardware: RAM, an Arm core's debug registers, and firmware that
 * writes recorder packets into a live ring.
 *
 * The firmware runs whenever somebody looks: before each read and after each write. In BLOCK mode
 * it writes as many whole packets as fit, and goes on when the host has read.
 */
#pragma once

#include <glib.h>

#define FAKE_RAM_BASE 0x20000000u
#define FAKE_RAM_SIZE 0x20000u

/**
 * FakeTarget:
 * @ram: its memory
 * @packets: raw packets that the firmware writes, one after the other
 * @n_packets: bytes of them
 * @at: bytes of them already written
 * @ring_size: bytes of the ring
 * @block_at: offset of the control block in RAM
 * @is_blocking: BLOCK mode
 * @is_without_firmware: RAM stays as it is
 * @boot_delay: looks after a reset until the recorder starts
 */
typedef struct
{
  guint8 ram[FAKE_RAM_SIZE];
  const guint8 *packets;
  gsize n_packets;
  gsize at;
  guint32 ring_size;
  guint32 block_at;
  guint32 ring_at;
  gboolean is_blocking;
  gboolean is_without_firmware;
  guint boot_delay;
  guint until_boot;
  gboolean is_running;
  gboolean is_debug;
  gboolean has_reset;
  guint n_resets;
  guint32 dropped;
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
gboolean fake_target_is_drained (FakeTarget *self);
