/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-probe.h: what all emulated probes have in common: a target, an identity, faults of the
 * debug port, and figures.
 */
#pragma once

#include "emulated-usb.h"
#include "fake-target.h"

/**
 * EmuProbe:
 * @kind: "v2", "v2-1", "v3", "jlink", "cmsis-dap", "cmsis-dap-v1"
 * @target: what hangs on it
 * @serial: serial number, "" for none
 * @raw_serial: (nullable): twelve bytes, as old ST-LINK boot loaders tell theirs
 * @firmware: J of an ST-LINK's version, 0: that of today
 * @millivolts: measured target supply
 * @core_port: access port behind which the core is
 * @n_held: (CMSIS-DAP) packets that it takes before it has answered the first, 0: 4
 * @wait_every: every so many accesses must wait
 * @status_at: the memory access that ends with @status
 * @status: status byte of an ST-LINK, acknowledge of the others
 * @enter_status: (ST-LINK) answer to entering debug mode, 0: good
 * @mode: (ST-LINK) in which a former owner left it
 * @stall_trace_at: the answer with trace bytes that is a stall, from 1; 0: none
 * @stall_trace_from: the answer with trace bytes from which on all of them are, from 1; 0: none
 * @n_trace_answers: answers with trace bytes so far
 * @n_accesses: memory accesses so far
 * @n_commands: commands taken
 * @most_held: (CMSIS-DAP) most packets at once whose answers were not fetched
 * @n_bytes_read: bytes of target memory read
 * @after: called after each command
 * @after_data: for it
 */
typedef struct
{
  const char *kind;
  FakeTarget *target;
  const char *serial;
  const guint8 *raw_serial;
  guint firmware;
  guint millivolts;
  guint core_port;
  guint n_held;
  guint wait_every;
  guint status_at;
  guint status;
  guint enter_status;
  guint mode;
  guint stall_trace_at;
  guint stall_trace_from;
  guint n_trace_answers;
  guint n_accesses;
  guint64 n_commands;
  guint most_held;
  guint64 n_bytes_read;
  void (*after) (gpointer data);
  gpointer after_data;
} EmuProbe;

/** Called before an answer that holds trace bytes. */
void emu_probe_note_trace (EmuProbe *probe,
                           EmuUsb *usb);

/** EmuPlug: plugs such a probe in as device @number. */
typedef EmuUsb *(*EmuPlug) (EmuProbe *probe,
                            UMockdevTestbed *testbed,
                            guint number,
                            const EmuUsbFaults *faults,
                            GError **error);

EmuUsb *emu_stlink_plug (EmuProbe *probe,
                         UMockdevTestbed *testbed,
                         guint number,
                         const EmuUsbFaults *faults,
                         GError **error);
EmuUsb *emu_jlink_plug (EmuProbe *probe,
                        UMockdevTestbed *testbed,
                        guint number,
                        const EmuUsbFaults *faults,
                        GError **error);
EmuUsb *emu_cmsis_dap_plug (EmuProbe *probe,
                            UMockdevTestbed *testbed,
                            guint number,
                            const EmuUsbFaults *faults,
                            GError **error);

static inline guint32
emu_get_u32 (const guint8 *at)
{
  return (guint32) at[0] | (guint32) at[1] << 8 | (guint32) at[2] << 16 | (guint32) at[3] << 24;
}

static inline void
emu_put_u32 (guint8 *at,
             guint32 value)
{
  for (guint i = 0; i < 4; i++)
    at[i] = (guint8) (value >> (8 * i));
}
