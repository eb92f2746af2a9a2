/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-swd-private.h: target memory through a debug port and a memory access port of Arm, for probes
 * that have no commands for memory of their own. Inside capture only.
 *
 * The probe below carries out accesses to registers of the two ports, in batches; what is above is a
 * TsProbe's reads and writes.
 */
#pragma once

#include "ts-probe.h"

G_BEGIN_DECLS

/** A request: which register, and which way. The bits are those of CMSIS-DAP. */
#define TS_SWD_PORT 1u /* access port, else debug port */
#define TS_SWD_READ 2u
#define TS_SWD_DP_ABORT 0x0u
#define TS_SWD_DP_IDR 0x0u
#define TS_SWD_DP_CTRL_STAT 0x4u
#define TS_SWD_DP_SELECT 0x8u
#define TS_SWD_DP_RDBUFF 0xCu
#define TS_SWD_AP_CSW 0x0u
#define TS_SWD_AP_TAR 0x4u
#define TS_SWD_AP_DRW 0xCu

/** TsSwdAck: how an access was acknowledged. Source: probes.md section 5 */
typedef enum
{
  TS_SWD_OK = 1,
  TS_SWD_WAIT = 2,
  TS_SWD_FAULT = 4,
  TS_SWD_NONE = 7,
} TsSwdAck;

/**
 * TsSwdAccess:
 * @request: which register, and which way
 * @value: to write, or what was read
 */
typedef struct
{
  guint8 request;
  guint32 value;
} TsSwdAccess;

typedef struct _TsSwd TsSwd;

/**
 * TsSwdClass: what a probe has to do
 * @name: "J-Link", for sentences
 * @sequence: clocks @n_bits out, lowest first
 * @transfer: carries out accesses in order until one is not acknowledged with OK, and tells how
 *   many were; a read gives its own value, whatever the wire posts
 * @restart: resets the probe's USB side and greets it anew, up to a wire that is ready; for a
 *   conversation that broke
 * @needs_overrun: a batch goes out whole before an acknowledge is seen
 */
typedef struct
{
  const char *name;
  gboolean (*sequence) (TsSwd *self,
                        const guint8 *bits,
                        guint n_bits,
                        GError **error);
  gboolean (*transfer) (TsSwd *self,
                        TsSwdAccess *accesses,
                        gsize n_accesses,
                        gsize *n_done,
                        TsSwdAck *ack,
                        GError **error);
  gboolean (*restart) (TsSwd *self,
                       GError **error);
  gboolean needs_overrun;
} TsSwdClass;

/**
 * TsSwd: first member of a probe that works so
 * @parent: first
 * @klass: the wire
 * @n_most: accesses of one transfer, at least 4
 * @window: bytes TAR counts through, 1024 or 4096
 * @dpidr: DPIDR, 0: not connected
 * @wish: what open() was asked for, for a new beginning
 * @is_recovering: a new beginning goes on
 * @n_failures: broken conversations since the last good one
 */
struct _TsSwd
{
  TsProbe parent;
  const TsSwdClass *klass;
  gsize n_most;
  guint window;
  guint32 dpidr;
  TsProbeOptions wish;
  gboolean is_recovering;
  guint n_failures;
};

/** What all probes that work so have in common, for their #TsProbeClass. */
#define TS_SWD_PROBE_METHODS                                                                       \
  .max_read = 65536,                                                                               \
  .read_words = _ts_swd_read_words,                                                                \
  .write_word = _ts_swd_write_word,                                                                \
  .read_units = _ts_swd_read_units,                                                                \
  .write_units = _ts_swd_write_units,                                                              \
  .max_batch = 1024,                                                                               \
  .run_batch = _ts_swd_run_batch,                                                                  \
  .recover = _ts_swd_recover

gboolean _ts_swd_begin (TsSwd *self,
                        const TsProbeOptions *options,
                        gboolean (*start) (TsSwd *self,
                                           GError **error),
                        GError **error);
gboolean _ts_swd_recover (TsProbe *probe);
gboolean _ts_swd_read_words (TsProbe *probe,
                             guint32 address,
                             guint8 *bytes,
                             gsize n_bytes,
                             GError **error);
gboolean _ts_swd_write_word (TsProbe *probe,
                             guint32 address,
                             guint32 value,
                             GError **error);
gboolean _ts_swd_read_units (TsProbe *probe,
                             guint32 address,
                             guint unit,
                             guint8 *bytes,
                             gsize n_bytes,
                             GError **error);
gboolean _ts_swd_write_units (TsProbe *probe,
                              guint32 address,
                              guint unit,
                              const guint8 *bytes,
                              gsize n_bytes,
                              GError **error);
gboolean _ts_swd_run_batch (TsProbe *probe,
                            TsProbeAccess *accesses,
                            gsize n_accesses,
                            GError **error);

G_END_DECLS
