/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-hardware-trace.h: what the `hardware-trace` object of a connection asks of ITM, DWT and trace
 * port, and the register image that puts it in force.
 *
 * ts_trace_image_new() is the one place where registers get their values: `hwtrace --dry-run`
 * prints its answer, a capture writes it to the target.
 */
#pragma once

#include "model/ts-names.h"
#include "ts-connection.h"

G_BEGIN_DECLS

/** Most watches of a connection: comparators that a packet can name. */
#define TS_TRACE_MAX_WATCHES 4

/** Stream id of the watch on comparator 0. Source: viewalyzer-host.md section 2.4 */
#define TS_TRACE_WATCH_STREAM 224

typedef enum
{
  TS_TRACE_ARCH_V6M,
  TS_TRACE_ARCH_V7M,
  TS_TRACE_ARCH_V8M,
} TsTraceArch;

/**
 * TsTraceCaps:
 * @numcomp: comparators of the DWT
 * @notrcpkt: no packets of exceptions, samples and data
 * @nocyccnt: no cycle counter
 * @noprfcnt: no event counters
 * @itm: there is an ITM
 * @tpiu: there is a TPIU
 *
 * What the core has. The negative ones are fields of DWT_CTRL.
 */
typedef struct
{
  guint numcomp;
  gboolean notrcpkt;
  gboolean nocyccnt;
  gboolean noprfcnt;
  gboolean itm;
  gboolean tpiu;
} TsTraceCaps;

typedef enum
{
  TS_WATCH_DATA_RW,
  TS_WATCH_DATA_R,
  TS_WATCH_DATA_W,
  TS_WATCH_PC,
  TS_WATCH_ADDRESS,
} TsWatchFunction;

/**
 * TsTraceWatch:
 * @name: (nullable): label
 * @address: first byte
 * @size: bytes
 * @function: what a hit tells
 * @with_pc: also the address of the instruction
 * @comparator: where it was granted: its comparator
 * @is_pair: where it was granted: it has the next one too, for the upper end of its range
 */
typedef struct
{
  char *name;
  guint32 address;
  guint32 size;
  TsWatchFunction function;
  gboolean with_pc;
  guint comparator;
  gboolean is_pair;
} TsTraceWatch;

/** Where samples of the program counter come from. */
typedef enum
{
  TS_TRACE_PATH_AUTO,
  TS_TRACE_PATH_POLL,
  TS_TRACE_PATH_SWO,
} TsTracePath;

/**
 * TsHardwareTrace:
 * @itm_ports: mask of stimulus ports, -1: not given
 * @itm_privilege: value of ITM_TPR
 * @timestamps: prescaler of local timestamps, 0: none, -1: not given
 * @dwt: the DWT is wanted
 * @exception_trace: exceptions are wanted
 * @pc_sample_cyc: cycles between two samples of the program counter, 0: none
 * @counters: event counters, by the bits of their packet (0 CPI ... 5 CYC)
 * @path: where samples come from
 * @watches, @n_watches: data watches
 * @swo_hz: rate of the pin, 0: not given
 * @is_manchester: coding of the pin, else NRZ
 *
 * A `hardware-trace` object, read.
 */
typedef struct
{
  gint64 itm_ports;
  guint32 itm_privilege;
  int timestamps;
  gboolean dwt;
  gboolean exception_trace;
  guint pc_sample_cyc;
  guint counters;
  TsTracePath path;
  TsTraceWatch watches[TS_TRACE_MAX_WATCHES];
  guint n_watches;
  gint64 swo_hz;
  gboolean is_manchester;
} TsHardwareTrace;

/**
 * TsTraceWrite:
 * @address: address of a register
 * @value: 32 bits to write
 * @name: its name
 */
typedef struct
{
  guint32 address;
  guint32 value;
  char *name;
} TsTraceWrite;

/**
 * TsTraceRefusal:
 * @feature: token, such as `dwt-watch`
 * @reason: sentence that names what is missing (translatable)
 */
typedef struct
{
  char *feature;
  char *reason;
} TsTraceRefusal;

/**
 * TsTraceImage:
 * @arch: architecture it is for
 * @caps: what the core has
 * @wanted: what was asked
 * @writes: (element-type TsTraceWrite): in the order in which to write them
 * @refused: (element-type TsTraceRefusal): what was asked and cannot be, and why
 * @granted: what is put in force of @wanted: watches in the order of their comparators,
 * @pc_sample_cyc and @timestamps are as the registers can do
 * @pc_by_polling: samples come from reading DWT_PCSR, at @wanted.pc_sample_cyc != 0
 * @uses_swo: the connection carries ITM packets
 * @init_swo: the trace port is set up too
 * @cpu_hz, @trace_hz: core clock and clock of the trace port
 * @swo_hz: rate that was asked, bits per second
 * @true_swo_hz: rate that the divider gives
 * @itm_port: stimulus port of the recorder
 */
typedef struct
{
  TsTraceArch arch;
  TsTraceCaps caps;
  TsHardwareTrace wanted;
  GArray *writes;
  GArray *refused;
  TsHardwareTrace granted;
  gboolean pc_by_polling;
  gboolean uses_swo;
  gboolean init_swo;
  gint64 cpu_hz;
  gint64 trace_hz;
  gint64 swo_hz;
  gint64 true_swo_hz;
  guint itm_port;
} TsTraceImage;

void ts_trace_caps_init (TsTraceCaps *caps);
void ts_trace_caps_init_from_dwt_ctrl (TsTraceCaps *caps,
                                       guint32 dwt_ctrl);
gboolean ts_trace_caps_read (TsTraceCaps *caps,
                             JsonObject *object,
                             GError **error);
JsonObject *ts_trace_caps_to_json (const TsTraceCaps *caps);

gboolean ts_trace_arch_parse (const char *name,
                              TsTraceArch *arch);
const char *ts_trace_arch_get_name (TsTraceArch arch);
gboolean ts_trace_arch_from_cpuid (guint32 cpuid,
                                   TsTraceArch *arch);

void ts_hardware_trace_init (TsHardwareTrace *self);
gboolean ts_hardware_trace_read (TsHardwareTrace *self,
                                 JsonObject *object,
                                 GError **error);
void ts_hardware_trace_clear (TsHardwareTrace *self);
gboolean ts_hardware_trace_is_override (const char *flag);
gboolean ts_hardware_trace_override_is_switch (const char *flag);
const char *const *ts_hardware_trace_list_overrides (void);
JsonObject *ts_hardware_trace_override (JsonObject *object,
                                        const char *flag,
                                        const char *value,
                                        GError **error);
const char *ts_watch_function_get_name (TsWatchFunction function);

TsTraceImage *ts_trace_image_new (TsTraceArch arch,
                                  const TsTraceCaps *caps,
                                  TsConnection *connection);
void ts_trace_image_free (TsTraceImage *self);
JsonObject *ts_trace_image_to_json (const TsTraceImage *self);
void ts_trace_image_name_watches (const char *text, TsNames *names);
char *ts_hardware_trace_dup_description (TsConnection *connection);
char *ts_hardware_trace_dup_format (TsConnection *connection);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsTraceImage, ts_trace_image_free)

G_END_DECLS
