/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-dap.h: an Arm debug port with one memory access port, for probes that leave its registers
 * to the host.
 */
#pragma once

#include "emulated-probe.h"

#define EMU_ACK_OK 1
#define EMU_ACK_WAIT 2
#define EMU_ACK_FAULT 4
#define EMU_ACK_NONE 7

/**
 * EmuDap:
 * @probe: whose target is reached, and whose faults befall the accesses
 * @select: SELECT
 * @ctrl_stat: CTRL/STAT without the sticky bits
 * @csw: CSW of the port
 * @tar: TAR
 * @rdbuff: what the last read of the port posted
 * @is_sticky: an access failed: nothing but ABORT and CTRL/STAT is taken
 * @is_connected: a line reset was followed by a read of DPIDR
 */
typedef struct
{
  EmuProbe *probe;
  guint32 select;
  guint32 ctrl_stat;
  guint32 csw;
  guint32 tar;
  guint32 rdbuff;
  gboolean is_sticky;
  gboolean is_connected;
} EmuDap;

/* The line's side of it: one bit after the other. */
typedef struct
{
  EmuDap dap;
  guint n_ones;
  gboolean is_lost;   /* until the next line reset */
  gboolean is_reset;  /* since the line reset nothing but DPIDR was read */
  guint n_request;    /* bits of a request so far */
  guint8 request;
  guint at;           /* clock of the answer, 0: no answer goes on */
  guint ack;
  guint32 data;       /* read or written */
  guint parity;
} EmuSwd;

guint emu_dap_access (EmuDap *self,
                      gboolean is_port,
                      gboolean is_read,
                      guint number,
                      guint32 *value);
void emu_dap_line_reset (EmuDap *self);
void emu_swd_init (EmuSwd *self,
                   EmuProbe *probe);
guint emu_swd_clock (EmuSwd *self,
                     gboolean is_driven,
                     guint bit);
