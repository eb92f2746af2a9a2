/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-output-private.h: trace runs as CTF and as an analysis for Trace Compass. */
#pragma once

#include "decode/ts-ctrace.h"
#include "model/ts-ctf-packets.h"

G_BEGIN_DECLS

/** What a stream turned out to hold: which views an analysis shows. */
typedef enum
{
  TS_CTRACE_HAS_VALUE = 1 << 0,
  TS_CTRACE_HAS_ADDRESS = 1 << 1,
  TS_CTRACE_HAS_ITM = 1 << 2,
  TS_CTRACE_HAS_EXCEPTION = 1 << 3,
  TS_CTRACE_HAS_SAMPLE = 1 << 4,
  TS_CTRACE_HAS_MATCH = 1 << 5,
  TS_CTRACE_HAS_COUNTER = 1 << 6,
  TS_CTRACE_HAS_PMU = 1 << 7,
} TsCtraceContents;

/**
 * TsCtraceLane:
 * @channel: of the raw file
 * @pname: (nullable): the processor
 * @clock: UUID of the clock, as text
 * @stream: trace id
 * @contents: #TsCtraceContents
 *
 * One stream, as an analysis sees it.
 */
typedef struct
{
  char *channel;
  char *pname;
  char *clock;
  guint stream;
  guint contents;
} TsCtraceLane;

void _ts_ctrace_lane_free (gpointer lane);

typedef struct _TsCtraceCtf TsCtraceCtf;

TsCtraceCtf *_ts_ctrace_ctf_new (TsCtraceConfig *config,
                                 const TsCtraceOptions *options,
                                 const char *channel,
                                 const char *path,
                                 TsCtraceDiagnosticFunc func,
                                 gpointer user_data);
void _ts_ctrace_ctf_free (TsCtraceCtf *self);
void _ts_ctrace_ctf_add (TsCtraceCtf *self,
                         const TsCtraceEvent *event);
gboolean _ts_ctrace_ctf_finish (TsCtraceCtf *self,
                                GPtrArray *lanes);

/* What metadata tells of. */
typedef struct
{
  const char *name;  /* of the type */
  guint64 hz;
  const char *uuid; /* (nullable) */
} TsCtraceClock;

typedef struct
{
  guint id;
  guint clock;
  const char *pname; /* (nullable) */
  const char *route; /* label */
} TsCtraceClass;

typedef struct
{
  guint generation;
  gboolean is_formatted;
  const char *uuid;
  const TsCtraceSource *comparators[TS_CTRACE_N_COMPARATORS]; /* (nullable) each */
  const TsCtraceSource *ports[TS_CTRACE_N_PORTS];
  const guint8 *exceptions; /* of TS_CTRACE_N_EXCEPTIONS: seen */
  const TsCtraceClock *clocks;
  guint n_clocks;
  const TsCtraceClass *classes;
  guint n_classes;
} TsCtraceMetadata;

char *_ts_ctrace_metadata_dup (const TsCtraceMetadata *metadata);

char *_ts_ctrace_xml_dup (guint generation,
                          const char *set,
                          GPtrArray *lanes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtraceCtf, _ts_ctrace_ctf_free)

G_END_DECLS
