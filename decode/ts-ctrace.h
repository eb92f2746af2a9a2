/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace.h: CMSIS trace runs: their configuration, and their captures as CSV, as the program
 * ctrace writes it.
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

typedef struct _TsCtraceConfig TsCtraceConfig;
typedef struct _TsCtrace TsCtrace;

TsCtraceConfig *ts_ctrace_config_new (const char *path,
                                      const char *text,
                                      gsize n_text,
                                      TsCtraceDiagnosticFunc func,
                                      gpointer user_data,
                                      GError **error);
void ts_ctrace_config_free (TsCtraceConfig *self);
TsCtraceFormat ts_ctrace_config_get_format (TsCtraceConfig *self);
guint ts_ctrace_config_get_prescaler (TsCtraceConfig *self,
                                      guint stream);
gboolean ts_ctrace_config_has_route (TsCtraceConfig *self,
                                     guint stream);

/**
 * TsCtraceOptions:
 * @generation: 1, 2 or 3: dialect of what is written
 * @is_formatted: the input is formatter frames
 * @types: (nullable): only events of these types
 * @streams: (nullable): array of guint: only these streams
 */
typedef struct
{
  guint generation;
  gboolean is_formatted;
  const char *const *types;
  GArray *streams;
} TsCtraceOptions;

TsCtrace *ts_ctrace_new (TsCtraceConfig *config,
                         const TsCtraceOptions *options,
                         TsCtraceDiagnosticFunc func,
                         gpointer user_data);
void ts_ctrace_free (TsCtrace *self);
void ts_ctrace_push (TsCtrace *self,
                     const guint8 *bytes,
                     gsize n_bytes);
void ts_ctrace_finish (TsCtrace *self);
GString *ts_ctrace_get_csv (TsCtrace *self);
guint64 ts_ctrace_get_n_events (TsCtrace *self);
gboolean ts_ctrace_is_type (const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtraceConfig, ts_ctrace_config_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtrace, ts_ctrace_free)

G_END_DECLS
