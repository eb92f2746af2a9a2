/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures-fixture.h: figures from what nodes keep, against those from a look at every slice. */
#pragma once

#include "analysis-fixture.h"
#include "model/ts-analysis-private.h"
#include "model/ts-statistics.h"

static inline void
check_near (gint64 near,
            gint64 exact)
{
  g_assert_cmpint (ABS (near - exact), <=, exact / 100 + 1);
}

/* Figures from what nodes keep, against those from all slices. */
static inline void
check_nodes (TsRecording *recording,
             gint64 begin,
             gint64 end)
{
  /* These first: they must not depend on what has been unpacked for the others. */
  g_autoptr (TsStatistics) near
      = _ts_statistics_new_with_limit (recording, begin, end, 0, 0, NULL, NULL);
  g_autoptr (TsStatistics) exact = ts_statistics_new (recording, begin, end, 0, NULL, NULL);
  /* With a window the load comes from a look at all intervals. */
  g_autoptr (TsStatistics) windowed = ts_statistics_new (recording, begin, end, 1, NULL, NULL);

  g_test_message ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, begin, end);
  g_assert_true (exact->is_exact);
  g_assert_cmpuint (near->n_lanes, ==, exact->n_lanes);
  g_assert_cmpuint (near->switches, ==, exact->switches);
  g_assert_cmpuint (near->preemptions, ==, exact->preemptions);
  g_assert_cmpuint (near->n_loads, ==, windowed->n_loads);
  for (guint k = 0; k < near->n_loads; k++)
    {
      g_assert_cmpint (near->loads[k].busy, ==, windowed->loads[k].busy);
      g_assert_cmpint (near->loads[k].known, ==, windowed->loads[k].known);
    }
  for (guint k = 0; k < exact->n_lanes; k++)
    {
      const TsLaneStatistics *left = &near->lanes[k];
      const TsLaneStatistics *right = &exact->lanes[k];

      g_test_message ("lane %u", right->lane);
      g_assert_cmpuint (left->lane, ==, right->lane);
      g_assert_cmpint (left->ticks, ==, right->ticks);
      g_assert_cmpfloat_with_epsilon (left->share, right->share, 1e-9);
      g_assert_cmpuint (left->n_runs, ==, right->n_runs);
      g_assert_cmpuint (left->preemptions, ==, right->preemptions);
      g_assert_cmpuint (left->blocks, ==, right->blocks);
      g_assert_cmpuint (left->longest_block_object, ==, right->longest_block_object);
      g_assert_cmpuint (left->failures, ==, right->failures);
      for (TsMeasure m = 0; m < TS_N_MEASURES; m++)
        {
          const TsFigure *a = &left->measures[m];
          const TsFigure *b = &right->measures[m];
          guint64 bins[7];
          guint64 n = 0;
          gint64 low;
          gint64 high;

          g_test_message ("%s", ts_measure_get_name (m));
          g_assert_cmpuint (a->count, ==, b->count);
          g_assert_cmpint (a->sum, ==, b->sum);
          g_assert_cmpint (a->min, ==, b->min);
          g_assert_cmpint (a->max, ==, b->max);
          g_assert_cmpint (a->min_begin, ==, b->min_begin);
          g_assert_cmpint (a->min_end, ==, b->min_end);
          g_assert_cmpint (a->max_begin, ==, b->max_begin);
          g_assert_cmpint (a->max_end, ==, b->max_end);
          check_near (a->p50, b->p50);
          check_near (a->p95, b->p95);
          check_near (a->p99, b->p99);
          if (!ts_statistics_histogram (near, left->lane, m, 7, bins, &low, &high))
            continue;
          for (guint i = 0; i < G_N_ELEMENTS (bins); i++)
            n += bins[i];
          g_assert_cmpuint (n, ==, b->count);
        }
    }
}
