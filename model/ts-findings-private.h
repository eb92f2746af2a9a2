/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings-private.h: what the finders share. */
#pragma once

#include "ts-analysis-private.h"
#include "ts-findings.h"

G_BEGIN_DECLS

/**
 * TsFinder:
 * @recording: what is looked through
 * @begin, @end: the range
 * @findings: (element-type TsFinding): where findings go
 * @statistics: (nullable): figures of the range, if somebody has them already
 */
typedef struct
{
  TsRecording *recording;
  gint64 begin;
  gint64 end;
  GPtrArray *findings;
  const TsStatistics *statistics;
  GCancellable *cancellable;
} TsFinder;

GPtrArray *_ts_findings_list_with (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   const TsStatistics *statistics,
                                   GCancellable *cancellable,
                                   GError **error);

TsFinding *_ts_finder_add (TsFinder *self,
                           TsFindingKind kind,
                           TsSeverity severity,
                           gint64 begin,
                           gint64 end,
                           gint64 weight,
                           const char *format,
                           ...) G_GNUC_PRINTF (7, 8);
void _ts_finding_add_lane (TsFinding *self,
                           guint32 lane);
const char *_ts_finder_name (TsFinder *self,
                             guint32 object);
char *_ts_finder_duration (TsFinder *self,
                           gint64 ticks);

/* Each looks for some kinds. ts-findings-waits.c */
gboolean _ts_findings_contention (TsFinder *self,
                                  GError **error);
gboolean _ts_findings_locks (TsFinder *self,
                             GError **error);
gboolean _ts_findings_operations (TsFinder *self,
                                  GError **error);

/* ts-findings-starvation.c */
gboolean _ts_findings_starvation (TsFinder *self,
                                  GError **error);

/* ts-findings-times.c */
gboolean _ts_findings_timers (TsFinder *self,
                              GError **error);
gboolean _ts_findings_periods (TsFinder *self,
                               GError **error);
gboolean _ts_findings_periods_with_limit (TsFinder *self,
                                          guint64 max_exact,
                                          GError **error);
gboolean _ts_findings_storms (TsFinder *self,
                              GError **error);

/* ts-findings-memory.c */
gboolean _ts_findings_stacks (TsFinder *self,
                              GError **error);
gboolean _ts_findings_heaps (TsFinder *self,
                             GError **error);
gboolean _ts_findings_losses (TsFinder *self,
                              GError **error);

G_END_DECLS
