/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-usb.h: USB devices below libusb, for an unmodified program: umockdev hands the program's
 * usbfs requests over, and a device answers as hardware would.
 *
 * Faults that a cable or a controller can cause are made here, for every kind of device: after so
 * many commands it is unplugged, stalls, falls silent, answers a byte less or a packet more, or
 * answers late.
 *
 * umockdev hands requests over in a thread of its own. Whatever else touches a device or what hangs on
 * it does so between emu_usb_lock() and emu_usb_unlock().
 */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <umockdev.h>

#define EMU_MAX_STRINGS 8

typedef struct _EmuUsb EmuUsb;

/**
 * EmuUsbFaults: what goes wrong; commands are counted from 1, 0: never
 * @unplug_at: pulled out while this command is on its way
 * @stall_at: the answer of this command is a stall
 * @stall_longer: answers longer than this are stalls, whatever was done before; 0: none
 * @silent_at: this command and those after it have no answer
 * @lost_at: this command has no answer
 * @late_at: the answer of this command is late,
 * @late_ms: by so much; those behind it wait
 * @short_at: a byte is missing in the answer
 * @long_at: a packet too many in the answer
 * @corrupt_at: the first byte of the answer is another
 * @noise_seed: every answer is noise of some length, drawn from this seed
 * @delay_us: how late each answer is
 * @bytes_per_ms: how fast answers come, 0: at once
 * @is_busy: another program holds the interface
 * @log: (nullable): each transfer goes there as a line of JSON, as in the published conversations
 */
typedef struct
{
  guint unplug_at;
  guint stall_at;
  guint stall_longer;
  guint silent_at;
  guint lost_at;
  guint late_at;
  guint late_ms;
  guint short_at;
  guint long_at;
  guint corrupt_at;
  guint noise_seed;
  guint delay_us;
  guint bytes_per_ms;
  gboolean is_busy;
  FILE *log;
} EmuUsbFaults;

/**
 * EmuUsbDescription: what a device says of itself
 * @vid: vendor
 * @pid: product
 * @speed: "12" or "480", as sysfs tells
 * @packet: bytes of a bulk packet
 * @config: configuration descriptor
 * @n_config: its length
 * @strings: string descriptors 1, 2, ...; the third is the serial number
 * @raw_serial: (nullable): twelve bytes that stand in the serial number, one in each character
 */
typedef struct
{
  guint16 vid;
  guint16 pid;
  const char *speed;
  guint packet;
  const guint8 *config;
  gsize n_config;
  const char *strings[EMU_MAX_STRINGS];
  const guint8 *raw_serial;
} EmuUsbDescription;

/**
 * EmuUsbTake:
 * @device: the probe
 * @endpoint: where to
 * @bytes: what the program sent in one transfer
 * @n_bytes: how many
 *
 * A transfer arrived; answers go through emu_usb_answer().
 */
typedef void (*EmuUsbTake) (gpointer device,
                            guint8 endpoint,
                            const guint8 *bytes,
                            gsize n_bytes);

void emu_usb_lock (void);
void emu_usb_unlock (void);
EmuUsb *emu_usb_plug (UMockdevTestbed *testbed,
                      guint number,
                      const EmuUsbDescription *description,
                      const EmuUsbFaults *faults,
                      EmuUsbTake take,
                      gpointer device,
                      GError **error);
void emu_usb_answer (EmuUsb *self,
                     guint8 endpoint,
                     const guint8 *bytes,
                     gsize n_bytes);
guint emu_usb_count_answers (EmuUsb *self,
                             guint8 endpoint);
void emu_usb_forget_answers (EmuUsb *self,
                             guint8 endpoint);
void emu_usb_stall_next (EmuUsb *self);
void emu_usb_unplug (EmuUsb *self);
