/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-run.h: the trace runs of a folder, as the program ctrace converts them. */
#pragma once

#include "decode/ts-ctrace.h"

G_BEGIN_DECLS

#define TS_CTRACE_RUN_SUFFIX ".ctrace-run.yml"

/**
 * TsCtraceRunOptions:
 * @output: (nullable): where outputs go; %NULL: beside the inputs
 * @target: (nullable): the one solution set that is meant
 * @wants_csv: write CSV
 * @wants_ctf: write CTF, and XML for Trace Compass
 * @convert: what to write; @is_formatted of it does not matter
 * @func: takes diagnostics
 */
typedef struct
{
  const char *output;
  const char *target;
  gboolean wants_csv;
  gboolean wants_ctf;
  TsCtraceOptions convert;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
} TsCtraceRunOptions;

gboolean ts_ctrace_run (const char *folder,
                        const TsCtraceRunOptions *options);
gboolean ts_ctrace_is_target (const char *name);

/**
 * TsCtraceInput:
 * @path: of the raw file
 * @channel: SWO, TB, TB_...
 * @is_formatted: formatter frames
 */
typedef struct
{
  char *path;
  char *channel;
  gboolean is_formatted;
} TsCtraceInput;

TsCtraceConfig *ts_ctrace_load (const char *path,
                                TsCtraceDiagnosticFunc func,
                                gpointer user_data,
                                GError **error);
GPtrArray *ts_ctrace_find_inputs (const char *path,
                                  TsCtraceConfig *config,
                                  guint generation,
                                  TsCtraceDiagnosticFunc func,
                                  gpointer user_data);

G_END_DECLS
