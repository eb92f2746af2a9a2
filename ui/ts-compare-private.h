/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-compare-private.h: the table of ts-compare.h. */
#pragma once

#include "model/ts-findings.h"
#include "model/ts-statistics.h"

#include "ui/ts-table.h"

G_BEGIN_DECLS

/**
 * TsCompareSide: one of the two.
 * @recording: the recording
 * @statistics: its figures
 * @findings: (element-type TsFinding): what a person should look at
 */
typedef struct
{
  TsRecording *recording;
  const TsStatistics *statistics;
  GPtrArray *findings;
} TsCompareSide;

/** A time of the second recording as one of the first. */
typedef gint64 (*TsCompareMap) (gpointer user_data,
                                gint64 tick);

void _ts_compare_scroll (TsViewState *from,
                         TsViewState *to);
void _ts_compare_add_columns (TsTable *table);
GPtrArray *_ts_compare_make_rows (const TsCompareSide *first,
                                  const TsCompareSide *second,
                                  TsCompareMap to_first,
                                  gpointer user_data);

void _ts_compare_add_finding_columns (TsTable *table);
GPtrArray *_ts_compare_make_finding_rows (const TsCompareSide *first,
                                          const TsCompareSide *second,
                                          TsCompareMap to_first,
                                          gpointer user_data);

G_END_DECLS
