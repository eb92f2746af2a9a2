/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-compare-scroll.c: lanes of two recordings side by side, though one has lanes the other lacks. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-compare-private.h"

/* The lane at the top of one: which, and how much of it is out of sight. */
static const TsLaneInfo *
get_top_lane (TsViewState *view,
              int *out_of_sight)
{
  TsRecording *recording = ts_view_state_get_recording (view);
  int scroll_y = ts_view_state_get_scroll_y (view);
  const TsViewRow *rows;
  guint n_rows;

  rows = ts_view_state_get_rows (view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    if (!rows[i].is_header && !ts_view_state_is_lane_pinned (view, rows[i].lane) &&
        rows[i].y + rows[i].height > scroll_y)
      {
        *out_of_sight = scroll_y - rows[i].y;
        return ts_recording_get_lane (recording, rows[i].lane);
      }
  return NULL;
}

/*
 * _ts_compare_scroll: scrolls the lanes of one as those of the other: the same lane at the top, by kind
 * and name; where there is none, as far.
 */
void
_ts_compare_scroll (TsViewState *from,
                    TsViewState *to)
{
  int scroll_y = ts_view_state_get_scroll_y (from);
  int out_of_sight = 0;
  const TsLaneInfo *top = get_top_lane (from, &out_of_sight);
  const TsViewRow *rows;
  guint n_rows;

  rows = ts_view_state_get_rows (to, &n_rows);
  for (guint i = 0; top != NULL && scroll_y > 0 && i < n_rows; i++)
    {
      const TsLaneInfo *lane =
          rows[i].is_header || ts_view_state_is_lane_pinned (to, rows[i].lane)
              ? NULL
              : ts_recording_get_lane (ts_view_state_get_recording (to), rows[i].lane);

      if (lane == NULL || lane->kind != top->kind || g_strcmp0 (lane->name, top->name) != 0)
        continue;
      scroll_y = MAX (rows[i].y + out_of_sight, 0);
      break;
    }
  ts_view_state_set_scroll_y (to, scroll_y);
}
