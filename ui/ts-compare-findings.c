/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-compare-findings.c: findings of two recordings side by side: those of a kind on a lane are one row. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"
#include "ui/ts-compare-private.h"
#include "ui/ts-numbers.h"
#include "ui/ts-report-private.h"

enum
{
  COLUMN_WHAT,
  COLUMN_LANE,
  COLUMN_COUNT,
  COLUMN_DIFFERENCE = COLUMN_COUNT + 2,
  COLUMN_LONGEST,
  COLUMN_REASON = COLUMN_LONGEST + 2,
  N_COLUMNS
};

/**
 * Group: findings of one kind about lanes of one name.
 * @kind, @name: which
 * @lane: that of the first recording, 0: it has none
 * @counts: how many in each recording
 * @longest: (nullable): the longest in each
 */
typedef struct
{
  TsFindingKind kind;
  const char *name;
  guint32 lane;
  guint counts[2];
  const TsFinding *longest[2];
} Group;

void
_ts_compare_add_finding_columns (TsTable *table)
{
  ts_table_add_column (table, _ ("What"), 170, FALSE);
  ts_table_add_column (table, _ ("Lane"), 110, FALSE);
  /* translators: column: how many findings in the first recording, and in the second */
  ts_table_add_column (table, _ ("Findings ①"), 96, TRUE);
  ts_table_add_column (table, _ ("Findings ②"), 96, TRUE);
  ts_table_add_column (table, _ ("Δ"), 60, TRUE);
  /* translators: column: the longest of the findings in the first recording, and in the second */
  ts_table_add_column (table, _ ("Longest ①"), 116, TRUE);
  ts_table_add_column (table, _ ("Longest ②"), 116, TRUE);
  ts_table_add_column (table, _ ("Reason"), 0, FALSE);
}

static const char *
get_lane_name (TsRecording *recording,
               const TsFinding *finding)
{
  const TsLaneInfo *lane =
      finding->n_lanes > 0 ? ts_recording_get_lane (recording, finding->lanes[0]) : NULL;

  return lane != NULL ? lane->name : "";
}

static Group *
find_group (GPtrArray *groups,
            TsFindingKind kind,
            const char *name)
{
  Group *group;

  for (guint i = 0; i < groups->len; i++)
    {
      group = g_ptr_array_index (groups, i);
      if (group->kind == kind && g_str_equal (group->name, name))
        return group;
    }
  group = g_new0 (Group, 1);
  group->kind = kind;
  group->name = name;
  g_ptr_array_add (groups, group);
  return group;
}

static void
add_side (GPtrArray *groups,
          guint side,
          TsRecording *recording,
          GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      Group *group = find_group (groups, finding->kind, get_lane_name (recording, finding));
      const TsFinding *longest = group->longest[side];

      group->counts[side]++;
      if (longest == NULL || finding->end - finding->begin > longest->end - longest->begin)
        group->longest[side] = finding;
      if (side == 0 && finding->n_lanes > 0)
        group->lane = finding->lanes[0];
    }
}

/* Its length leads to where it is; an instant, to where it is. */
static void
set_longest (TsTableRow *row,
             guint column,
             TsRecording *recording,
             const TsFinding *finding,
             gint64 begin,
             gint64 end)
{
  gint64 length = finding->end - finding->begin;

  ts_table_row_set_number (row, column,
                           length > 0 ? _ts_report_dup_ticks (recording, length)
                                      : ts_format_time (recording, finding->begin),
                           (double) ts_recording_ticks_to_ns (recording, length));
  if (begin >= 0)
    ts_table_row_set_link (row, column, begin, end);
}

/*
 * _ts_compare_make_finding_rows: one row for every kind of finding on every lane.
 */
GPtrArray *
_ts_compare_make_finding_rows (const TsCompareSide *first,
                               const TsCompareSide *second,
                               TsCompareMap to_first,
                               gpointer user_data)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);

  add_side (groups, 0, first->recording, first->findings);
  add_side (groups, 1, second->recording, second->findings);
  for (guint i = 0; i < groups->len; i++)
    {
      const Group *group = g_ptr_array_index (groups, i);
      const TsFinding *a = group->longest[0];
      const TsFinding *b = group->longest[1];
      int difference = (int) group->counts[1] - (int) group->counts[0];
      TsTableRow *row = ts_table_row_new (N_COLUMNS, group->lane, -1, -1);

      ts_table_row_set_text (row, COLUMN_WHAT,
                             g_strdup (_ts_report_get_finding_title (group->kind)));
      ts_table_row_set_text (row, COLUMN_LANE, g_strdup (group->name));
      for (guint side = 0; side < 2; side++)
        ts_table_row_set_number (row, COLUMN_COUNT + side, ts_format_count (group->counts[side]),
                                 group->counts[side]);
      ts_table_row_set_number (row, COLUMN_DIFFERENCE,
                               difference != 0 ? g_strdup_printf ("%+d", difference)
                                               : g_strdup ("="),
                               ABS (difference));
      if (a != NULL)
        set_longest (row, COLUMN_LONGEST, first->recording, a, a->begin, a->end);
      if (b != NULL)
        set_longest (row, COLUMN_LONGEST + 1, second->recording, b, to_first (user_data, b->begin),
                     to_first (user_data, b->end));
      ts_table_row_set_text (row, COLUMN_REASON,
                             ts_format_localize (g_strdup (a != NULL ? a->text : b->text)));
      g_ptr_array_add (rows, row);
    }
  return rows;
}
