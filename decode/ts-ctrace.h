/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace.h: CMSIS trace runs: their configuration, and their captures as events, in the order and
 * with the times that the program ctrace gives them.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define TS_CTRACE_ERROR (ts_ctrace_error_quark ())
GQuark ts_ctrace_error_quark (void);

/**
 * TsCtraceError:
 * @TS_CTRACE_ERROR_CONFIG: the configuration cannot be read or means nothing
 */
typedef enum
{
  TS_CTRACE_ERROR_CONFIG,
} TsCtraceError;

typedef enum
{
  TS_CTRACE_FORMAT_UNSET,
  TS_CTRACE_FORMAT_UNFORMATTED,
  TS_CTRACE_FORMAT_FORMATTED,
} TsCtraceFormat;

typedef enum
{
  TS_CTRACE_INFO,
  TS_CTRACE_WARNING,
  TS_CTRACE_FAILURE, /* an error that fails the run */
  TS_CTRACE_REMARK,  /* an error that a reference carries: shown, does not fail the run */
} TsCtraceLevel;

typedef void (*TsCtraceDiagnosticFunc) (TsCtraceLevel level,
                                        const char *message,
                                        gpointer user_data);

/** Trace id of input without a formatter. */
#define TS_CTRACE_UNFORMATTED 0
#define TS_CTRACE_LAST_STREAM 111
/** Trace ids that are none: bytes before the first id. */
#define TS_CTRACE_NO_STREAM 255
#define TS_CTRACE_N_COMPARATORS 4
#define TS_CTRACE_N_PORTS 32
#define TS_CTRACE_N_EXCEPTIONS 512

/* ---- the configuration ---- */

typedef enum
{
  TS_CTRACE_UNSIGNED,
  TS_CTRACE_SIGNED,
  TS_CTRACE_FLOAT,
} TsCtraceValueType;

/**
 * TsCtraceSource:
 * @label: (nullable): its name
 * @has_address: @address is known
 * @address: where the value lies
 * @size: bytes of the value: 1, 2, 4
 * @value_type: what the bytes mean
 * @problem: (nullable): why type or size cannot be used
 *
 * A comparator or a stimulus port as the configuration describes it.
 */
typedef struct
{
  char *label;
  gboolean has_address;
  guint64 address;
  guint size;
  TsCtraceValueType value_type;
  char *problem;
} TsCtraceSource;

/**
 * TsCtraceStream:
 * @pname: (nullable): the processor
 * @clock_hz: of its time stamps; 0: not usable
 * @clock_problem: (nullable): why not
 * @prescaler: clock ticks per tick of a local time stamp
 * @has_mask: @mask is known
 * @mask: enabled stimulus ports
 * @has_route: the configuration tells whose stream it is
 * @comparators: (array fixed-size=4): %NULL: not described
 * @ports: (array fixed-size=32): %NULL: not described
 */
typedef struct
{
  const char *pname;
  guint64 clock_hz;
  const char *clock_problem;
  guint prescaler;
  gboolean has_mask;
  guint32 mask;
  gboolean has_route;
  TsCtraceSource *comparators[TS_CTRACE_N_COMPARATORS];
  TsCtraceSource *ports[TS_CTRACE_N_PORTS];
} TsCtraceStream;

typedef struct _TsCtraceConfig TsCtraceConfig;

TsCtraceConfig *ts_ctrace_config_new (const char *path,
                                      const char *text,
                                      gsize n_text,
                                      TsCtraceDiagnosticFunc func,
                                      gpointer user_data,
                                      GError **error);
void ts_ctrace_config_free (TsCtraceConfig *self);
TsCtraceFormat ts_ctrace_config_get_format (TsCtraceConfig *self);
const TsCtraceStream *ts_ctrace_config_get_stream (TsCtraceConfig *self,
                                                   guint stream);

/* ---- what a capture holds ---- */

typedef enum
{
  TS_CTRACE_ITM,
  TS_CTRACE_DWT,
  TS_CTRACE_EXCEPTION,
  TS_CTRACE_PC,
  TS_CTRACE_COUNTER,
  TS_CTRACE_PMU,
  TS_CTRACE_GLOBAL_TIME,
  TS_CTRACE_OVERFLOW,
  TS_CTRACE_BAD,
  TS_CTRACE_SKIPPED,
  TS_CTRACE_SYNC,
  TS_CTRACE_N_TYPES
} TsCtraceType;

typedef enum
{
  TS_CTRACE_NOTE_NONE,
  TS_CTRACE_NOTE_SLEEPING,
  TS_CTRACE_NOTE_PROHIBITED,
  TS_CTRACE_NOTE_OVERFLOW,
  TS_CTRACE_NOTE_BAD_SEQUENCE,
  TS_CTRACE_NOTE_BAD_HEADER,
  TS_CTRACE_NOTE_LOSS,          /* number: bytes in which there was nothing */
  TS_CTRACE_NOTE_LOSS_TO_END,   /* the same, and nothing came any more */
  TS_CTRACE_NOTE_NEVER_SYNCED,  /* the same, and nothing had come before */
  TS_CTRACE_NOTE_CUT,
  TS_CTRACE_NOTE_BAD_EXCEPTION, /* number: of the exception */
  TS_CTRACE_NOTE_BAD_SAMPLE,
  TS_CTRACE_NOTE_BAD_COUNTER,
  TS_CTRACE_NOTE_BAD_PMU,
  TS_CTRACE_NOTE_BAD_SIZE,
  TS_CTRACE_NOTE_NO_ROUTE,      /* number: bytes of a source that is not described */
  TS_CTRACE_NOTE_NO_SYNC,       /* number: bytes before the first synchronisation */
  TS_CTRACE_NOTE_ABORTED,
  TS_CTRACE_N_NOTES
} TsCtraceNote;

/** A number as wide as it was sent; 0 bytes: none. */
typedef struct
{
  guint32 value;
  guint8 size;
} TsCtraceField;

/**
 * TsCtraceEvent:
 * @type: a #TsCtraceType
 * @note: a #TsCtraceNote
 * @stream: trace id
 * @source: port, comparator, exception, 0 for counters, 3 for the PMU; below 0: none
 * @is_write: of a value: written, else read
 * @is_match: a comparator matched, and that is all
 * @is_overflow: something was lost before it
 * @is_reliable: its time is that of a time stamp
 * @is_early: no time stamp had come yet
 * @clock_changed: of a global time stamp
 * @has_time: @time means something
 * @time: cycles
 * @epoch: how often the times broke
 * @value, @pc, @address: of a packet; of an exception what happened: 1 entered, 2 exited, 3 returned
 * @number: of the note; of a global time stamp its value
 * @offset: of a fault: its place in the stream
 * @has_upto, @upto: of a loss: the time of the next time stamp
 */
typedef struct
{
  guint8 type;
  guint8 note;
  guint8 stream;
  guint is_write : 1;
  guint is_match : 1;
  guint is_overflow : 1;
  guint is_reliable : 1;
  guint is_early : 1;
  guint clock_changed : 1;
  guint has_time : 1;
  guint has_upto : 1;
  gint source;
  guint32 epoch;
  guint64 time;
  TsCtraceField value;
  TsCtraceField pc;
  TsCtraceField address;
  guint64 number;
  guint64 offset;
  guint64 upto;
} TsCtraceEvent;

typedef void (*TsCtraceEventFunc) (const TsCtraceEvent *event,
                                   gpointer user_data);

/**
 * TsCtraceOptions:
 * @generation: 1, 2 or 3: dialect of what is written
 * @is_formatted: the input is formatter frames
 * @is_verbose: tell of every fault; else of the first of each kind, and how many there were
 * @types: (nullable): only events of these types
 * @streams: (nullable): array of guint: only these streams
 */
typedef struct
{
  guint generation;
  gboolean is_formatted;
  gboolean is_verbose;
  const char *const *types;
  GArray *streams;
} TsCtraceOptions;

typedef struct _TsCtrace TsCtrace;

TsCtrace *ts_ctrace_new (TsCtraceConfig *config,
                         const TsCtraceOptions *options,
                         TsCtraceEventFunc event_func,
                         TsCtraceDiagnosticFunc func,
                         gpointer user_data);
void ts_ctrace_free (TsCtrace *self);
void ts_ctrace_push (TsCtrace *self,
                     const guint8 *bytes,
                     gsize n_bytes);
void ts_ctrace_finish (TsCtrace *self);
void ts_ctrace_abort (TsCtrace *self);
guint64 ts_ctrace_get_n_events (TsCtrace *self);

/* ---- events as text ---- */

gboolean ts_ctrace_is_type (const char *name);
const char *ts_ctrace_type_get_name (TsCtraceType type);
gboolean ts_ctrace_has_type (const TsCtraceOptions *options,
                             TsCtraceType type);
gboolean ts_ctrace_has_stream (const TsCtraceOptions *options,
                               guint stream);
const char *ts_ctrace_csv_header (guint generation);
void ts_ctrace_csv_append (GString *csv,
                           const TsCtraceEvent *event,
                           const TsCtraceOptions *options);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtraceConfig, ts_ctrace_config_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtrace, ts_ctrace_free)

G_END_DECLS
