/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-trace-target-private.h: puts a register image of ITM, DWT and trace port in force on a target
 * behind a probe, past the gates that chip makers put before them; inside capture only.
 */
#pragma once

#include "ts-hardware-trace.h"
#include "ts-probe.h"
#include "ts-source.h"

G_BEGIN_DECLS

/**
 * TsTracePart:
 * @name: family, for messages
 * @id_address: where its id word lies
 * @is_id_on_port_0: behind the first access port, wherever the core is
 * @gate: address of the word that opens the trace
 * @gate_bits: bits to set there
 * @swo_block: address of its own SWO block, which stands in place of the TPIU; 0: it has none
 * @funnel: address of the funnel before that, 0: none
 * @fifo: address of the trace FIFO between funnel and SWO block, 0: none
 * @clock_divider: core clock to trace clock
 * @rcc: address of the clock control that tells the trace clock, 0: @clock_divider does
 * @ids: device numbers, 0 ends them
 */
typedef struct
{
  const char *name;
  guint32 id_address;
  gboolean is_id_on_port_0;
  guint32 gate;
  guint32 gate_bits;
  guint32 swo_block;
  guint32 funnel;
  guint32 fifo;
  guint32 rcc;
  guint clock_divider;
  guint16 ids[32];
} TsTracePart;

/**
 * TsTraceTarget:
 * @probe: borrowed
 * @connection: borrowed
 * @arch: architecture of the core
 * @part: (nullable): the chip, if it has gates that are known
 * @image: what was put in force
 */
typedef struct
{
  TsProbe *probe;
  TsConnection *connection;
  TsTraceArch arch;
  const TsTracePart *part;
  TsTraceImage *image;
} TsTraceTarget;

gboolean _ts_trace_target_prepare (TsTraceTarget *self,
                                   TsProbe *probe,
                                   TsConnection *connection,
                                   GError **error);
gboolean _ts_trace_target_apply (TsTraceTarget *self,
                                 GError **error);
gboolean _ts_trace_target_check_rate (const TsTraceTarget *self,
                                      GError **error);
void _ts_trace_target_tell (const TsTraceTarget *self,
                            TsSource *source);
guint _ts_trace_target_read_id (TsProbe *probe);
void _ts_trace_target_clear (TsTraceTarget *self);

G_END_DECLS
