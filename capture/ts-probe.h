/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-probe.h: debug probes: one interface for all kinds, found in one driver table (ts-probe.c).
 *
 * A probe belongs to one thread: the wire knows one command at a time. Nothing here halts or resets
 * a target unless it is asked to. Everything a probe answers is foreign and checked.
 */
#pragma once

#include <gio/gio.h>

#include "ts-connection.h"

G_BEGIN_DECLS

/** Registers of an Arm core. Source: probes.md section 2 */
#define TS_CORE_CPUID 0xE000ED00u
#define TS_CORE_AIRCR 0xE000ED0Cu
#define TS_CORE_DHCSR 0xE000EDF0u
#define TS_CORE_DCRSR 0xE000EDF4u
#define TS_CORE_DCRDR 0xE000EDF8u
#define TS_CORE_DEMCR 0xE000EDFCu
#define TS_CORE_DWT_CTRL 0xE0001000u
#define TS_CORE_DWT_PCSR 0xE000101Cu
#define TS_DEMCR_VC_CORERESET (1u << 0)
#define TS_DEMCR_TRCENA (1u << 24)
#define TS_DHCSR_KEY 0xA05F0000u
#define TS_DHCSR_C_DEBUGEN (1u << 0)
#define TS_DHCSR_C_HALT (1u << 1)
#define TS_DHCSR_S_REGRDY (1u << 16)
#define TS_DHCSR_S_HALT (1u << 17)
#define TS_DHCSR_S_SLEEP (1u << 18)
#define TS_DHCSR_S_LOCKUP (1u << 19)
#define TS_DHCSR_S_RESET_ST (1u << 25)

/**
 * TsProbeInfo: one probe that is plugged in.
 * @type: "stlink"
 * @serial: (nullable): %NULL when it has none or may not be asked
 * @description: name for a person: "ST-LINK/V2-1"
 * @vid: USB vendor
 * @pid: USB product
 * @location: (nullable): bus and ports, "1-4.2": what to call it that has no serial number
 * @problem: (nullable): why it cannot be used, one sentence
 */
typedef struct
{
  char *type;
  char *serial;
  char *description;
  guint16 vid;
  guint16 pid;
  char *location;
  char *problem;
} TsProbeInfo;

/**
 * TsProbeOptions:
 * @serial: (nullable): which one, also by its @location; %NULL: the only one
 * @speed_khz: wish, 0: the fastest
 * @access_port: index of the access port; with 0 the first few are tried if no core is behind it
 * @is_under_reset: attach while the reset line is held, and keep the core at its first instruction:
 *   for firmware that switches the debug pins off or sleeps too deep; the target begins anew with
 *   ts_probe_reset() or ts_probe_resume()
 */
typedef struct
{
  const char *serial;
  guint speed_khz;
  guint access_port;
  gboolean is_under_reset;
} TsProbeOptions;

/**
 * TsProbeCounters:
 * @n_trips: command and answer pairs
 * @n_bytes_read: bytes of target memory read
 * @n_retries: accesses repeated because the target asked to wait
 * @n_recoveries: conversations with the probe begun anew after a broken transfer
 */
typedef struct
{
  guint64 n_trips;
  guint64 n_bytes_read;
  guint64 n_retries;
  guint64 n_recoveries;
} TsProbeCounters;

typedef struct _TsProbe TsProbe;

/**
 * TsProbeAccess:
 * @is_write: a store of @value; else a load into it
 * @address: target address, divisible by four
 * @value: the word
 *
 * One access of a batch.
 */
typedef struct
{
  gboolean is_write;
  guint32 address;
  guint32 value;
} TsProbeAccess;

/**
 * TsProbeClass:
 * @type: "stlink", "jlink"
 * @max_read: most bytes of one read_words()
 * @read_words: reads whole words; address and length divisible by four, at most @max_read
 * @write_word: one aligned 32-bit store
 * @max_batch: most accesses of one run_batch(), 0: it has none
 * @run_batch: (nullable): word accesses one after the other in one round trip; what was loaded is
 * put into the accesses
 * @read_units: (nullable): reads in accesses of 1, 2 or 4 bytes and nothing beyond
 * @write_units: (nullable): writes likewise
 * @set_reset: (nullable): holds the reset line low, or lets it go
 * @recover: (nullable): begins the conversation with the probe anew after a broken transfer; %FALSE
 *   when it is gone for good
 * @get_voltage: (nullable): target supply in millivolts, -1: not known
 * @get_swo_max_hz: (nullable): fastest SWO rate it can receive
 * @swo_start: (nullable): begins to receive SWO at a rate
 * @swo_read: (nullable): bytes that arrived, none: 0; -1 with @error set
 * @swo_stop: (nullable): ends it
 * @dup_version: (nullable): firmware, "V2J37M26"
 * @close: lets go of the target and frees the probe
 *
 * What a driver offers. Words are in host order.
 */
typedef struct
{
  const char *type;
  gsize max_read;
  gboolean (*read_words) (TsProbe *self,
                          guint32 address,
                          guint8 *bytes,
                          gsize n_bytes,
                          GError **error);
  gboolean (*write_word) (TsProbe *self,
                          guint32 address,
                          guint32 value,
                          GError **error);
  gsize max_batch;
  gboolean (*run_batch) (TsProbe *self,
                         TsProbeAccess *accesses,
                         gsize n_accesses,
                         GError **error);
  gboolean (*read_units) (TsProbe *self,
                          guint32 address,
                          guint unit,
                          guint8 *bytes,
                          gsize n_bytes,
                          GError **error);
  gboolean (*write_units) (TsProbe *self,
                           guint32 address,
                           guint unit,
                           const guint8 *bytes,
                           gsize n_bytes,
                           GError **error);
  gboolean (*set_reset) (TsProbe *self,
                         gboolean is_held,
                         GError **error);
  gboolean (*recover) (TsProbe *self);
  int (*get_voltage) (TsProbe *self,
                      GError **error);
  guint (*get_swo_max_hz) (TsProbe *self);
  gboolean (*swo_start) (TsProbe *self,
                         guint hz,
                         GError **error);
  gssize (*swo_read) (TsProbe *self,
                      guint8 *bytes,
                      gsize n_bytes,
                      GError **error);
  void (*swo_stop) (TsProbe *self);
  char *(*dup_version) (TsProbe *self);
  void (*close) (TsProbe *self);
} TsProbeClass;

/** First member of every probe. */
struct _TsProbe
{
  const TsProbeClass *klass;
  TsProbeCounters counters;
  gboolean is_debug_enabled; /* we set C_DEBUGEN and must clear it */
  gboolean is_gone;          /* set by the driver: nothing can be done with it any more */
  gboolean is_reset_held;    /* we hold the reset line low */
  guint swo_hz;              /* rate at which trace bytes are received, 0: they are not */
  guint64 n_swo_recoveries;  /* what counters.n_recoveries was when their receiving began */
  guint n_swo_failures;      /* how often it began anew since the last byte */
  guint speed_khz;           /* that was set, 0: not known */
  guint access_port;         /* behind which the core was found */
};

/**
 * TsProbeDriver:
 * @type: "stlink"
 * @list: appends #TsProbeInfo of every probe plugged in; %FALSE: cannot look
 * @open: opens one and attaches to its target without disturbing it
 */
typedef struct
{
  const char *type;
  gboolean (*list) (GPtrArray *probes,
                    GError **error);
  TsProbe *(*open) (const TsProbeOptions *options,
                    GError **error);
} TsProbeDriver;

GPtrArray *ts_probe_list (GPtrArray *warnings);
void ts_probe_info_free (TsProbeInfo *info);
char *ts_probe_dup_udev_rule (void);
gboolean ts_probe_is_built (const char *type);
TsProbe *ts_probe_open (const char *type,
                        const TsProbeOptions *options,
                        GError **error);
void ts_probe_close (TsProbe *self);
gboolean ts_probe_read (TsProbe *self,
                        guint32 address,
                        guint8 *bytes,
                        gsize n_bytes,
                        GError **error);
gboolean ts_probe_read_word (TsProbe *self,
                             guint32 address,
                             guint32 *value,
                             GError **error);
gboolean ts_probe_write_word (TsProbe *self,
                              guint32 address,
                              guint32 value,
                              GError **error);
gboolean ts_probe_has_batch (TsProbe *self,
                             gsize n_accesses);
gboolean ts_probe_run_batch (TsProbe *self,
                             TsProbeAccess *accesses,
                             gsize n_accesses,
                             GError **error);
gboolean ts_probe_read_units (TsProbe *self,
                              guint32 address,
                              guint unit,
                              guint8 *bytes,
                              gsize n_bytes,
                              GError **error);
gboolean ts_probe_write_units (TsProbe *self,
                               guint32 address,
                               guint unit,
                               const guint8 *bytes,
                               gsize n_bytes,
                               GError **error);
gboolean ts_probe_halt (TsProbe *self,
                        gboolean *was_running,
                        GError **error);
gboolean ts_probe_resume (TsProbe *self,
                          GError **error);
gboolean ts_probe_reset (TsProbe *self,
                         GError **error);
gboolean ts_probe_reset_and_hold (TsProbe *self,
                                  GError **error);
gboolean ts_probe_swo_start (TsProbe *self,
                             guint hz,
                             GError **error);
gssize ts_probe_swo_read (TsProbe *self,
                          guint8 *bytes,
                          gsize n_bytes,
                          GError **error);
void ts_probe_swo_stop (TsProbe *self);
guint ts_probe_get_swo_max_hz (TsProbe *self);
const char *ts_probe_type_of_transport (const char *transport);
const char *ts_probe_serial_key_of_transport (const char *transport);
char *ts_probe_dup_connection_name (TsConnection *connection);
TsProbe *ts_probe_open_connection (TsConnection *connection,
                                   GError **error);
TsProbe *ts_probe_open_connection_to_reset (TsConnection *connection,
                                            GError **error);
gboolean ts_probe_read_register (TsProbe *self,
                                 guint number,
                                 guint32 *value,
                                 GError **error);
gboolean ts_probe_write_register (TsProbe *self,
                                  guint number,
                                  guint32 value,
                                  GError **error);
int ts_probe_get_voltage (TsProbe *self);
char *ts_probe_dup_version (TsProbe *self);
gboolean ts_probe_is_gone (TsProbe *self);
const TsProbeCounters *ts_probe_get_counters (TsProbe *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsProbe, ts_probe_close)

G_END_DECLS
