/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-stlink-private.h: an ST-LINK: the conversation (ts-stlink-wire.c) under what is said in it
 * (ts-stlink.c). Inside capture only.
 */
#pragma once

#include "ts-usb-private.h"

G_BEGIN_DECLS

#define TS_STLINK_COMMAND_LEN 16
#define TS_STLINK_MAX_READ 6144
/** Most accesses of one _ts_stlink_run_batch(). */
#define TS_STLINK_MAX_BATCH 1024

/* Commands. Source: probes.md section 1.4 */
enum
{
  CMD_VERSION = 0xF1,
  CMD_DEBUG = 0xF2,
  CMD_DFU = 0xF3,
  CMD_SWIM = 0xF4,
  CMD_MODE = 0xF5,
  CMD_VOLTAGE = 0xF7,
  CMD_VERSION_3 = 0xFB,

  DEBUG_READ_32 = 0x07,
  DEBUG_WRITE_32 = 0x08,
  DEBUG_READ_8 = 0x0C,
  DEBUG_WRITE_8 = 0x0D,
  DEBUG_EXIT = 0x21,
  DEBUG_ENTER = 0x30,
  DEBUG_WRITE_REG = 0x35,
  DEBUG_READ_REG = 0x36,
  DEBUG_NRST = 0x3C,
  DEBUG_STATUS = 0x3E,
  DEBUG_SWO_START = 0x40,
  DEBUG_SWO_STOP = 0x41,
  DEBUG_SWO_COUNT = 0x42,
  DEBUG_SPEED_V2 = 0x43,
  DEBUG_READ_PORT = 0x45,
  DEBUG_READ_16 = 0x47,
  DEBUG_WRITE_16 = 0x48,
  DEBUG_OPEN_AP = 0x4B,
  DEBUG_BATCH = 0x51,
  DEBUG_BATCH_RESULT = 0x52,
  DEBUG_SPEED_SET_V3 = 0x61,
  DEBUG_SPEEDS_V3 = 0x62,

  ENTER_SWD_NO_RESET = 0xA3,
  NRST_LOW = 0,
  NRST_HIGH = 1,
  MODE_DFU = 0,
  MODE_DEBUG = 2,
  MODE_SWIM = 3,
  MODE_BOOT = 4,

  STATUS_OK = 0x80,
  STATUS_AP_WAIT = 0x10,
  STATUS_DP_WAIT = 0x14,
};

typedef struct _TsStlink TsStlink;

/**
 * TsStlink:
 * @parent: first
 * @usb: the device
 * @out: endpoint of commands
 * @in: endpoint of answers
 * @swo: endpoint of trace, 0: none
 * @generation: 2 or 3
 * @firmware: J of the version
 * @extra: M or B
 * @wish: what open() was asked for, for a new beginning
 * @is_attached: in debug mode
 * @is_swo_running: trace is received
 * @is_recovering: a new beginning goes on
 * @n_failures: broken transfers since the last good one
 * @begin: attaches; for a new beginning
 */
struct _TsStlink
{
  TsProbe parent;
  TsUsb usb;
  guint8 out;
  guint8 in;
  guint8 swo;
  guint generation;
  guint firmware;
  guint extra;
  TsProbeOptions wish;
  gboolean is_attached;
  gboolean is_swo_running;
  gboolean is_recovering;
  guint n_failures;
  gboolean (*begin) (TsStlink *self,
                     GError **error);
};

gboolean _ts_stlink_has (const TsStlink *self,
                         guint v2_since,
                         guint v3_since);
gboolean _ts_stlink_recover (TsProbe *probe);
gboolean _ts_stlink_command (TsStlink *self,
                             const guint8 *bytes,
                             gsize n_bytes,
                             guint8 *in,
                             gsize n_in,
                             GError **error);
gboolean _ts_stlink_debug_command (TsStlink *self,
                                   const guint8 *bytes,
                                   gsize n_bytes,
                                   guint8 *in,
                                   gsize n_in,
                                   GError **error);
gboolean _ts_stlink_receive (TsStlink *self,
                             guint8 endpoint,
                             guint8 *bytes,
                             gsize n_bytes,
                             gsize *n_done,
                             GError **error);
int _ts_stlink_get_voltage (TsStlink *self,
                            GError **error);
gboolean _ts_stlink_read_words (TsProbe *probe,
                                guint32 address,
                                guint8 *bytes,
                                gsize n_bytes,
                                GError **error);
gboolean _ts_stlink_write_word (TsProbe *probe,
                                guint32 address,
                                guint32 value,
                                GError **error);
gboolean _ts_stlink_read_units (TsProbe *probe,
                                guint32 address,
                                guint unit,
                                guint8 *bytes,
                                gsize n_bytes,
                                GError **error);
gboolean _ts_stlink_write_units (TsProbe *probe,
                                 guint32 address,
                                 guint unit,
                                 const guint8 *bytes,
                                 gsize n_bytes,
                                 GError **error);
gboolean _ts_stlink_run_batch (TsProbe *probe,
                               TsProbeAccess *accesses,
                               gsize n_accesses,
                               GError **error);

G_END_DECLS
