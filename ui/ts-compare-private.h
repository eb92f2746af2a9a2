/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-compare-private.h: the table of ts-compare.h. */
#pragma once

#include "model/ts-statistics.h"

#include "ui/ts-table.h"

G_BEGIN_DECLS

/**
 * TsCompareSide: one of the two.
 * @recording: the recording
 * @statistics: its figures
 */
typedef struct
{
  TsRecording *recording;
  const TsStatistics *statistics;
} TsCompareSide;

/** A time of the second recording as one of the first. */
typedef gint64 (*TsCompareMap) (gpointer user_data,
                                gint64 tick);

void _ts_compare_add_columns (TsTable *table);
GPtrArray *_ts_compare_make_rows (const TsCompareSide *first,
                                  const TsCompareSide *second,
                                  TsCompareMap to_first,
                                  gpointer user_data);

G_END_DECLS
