/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-rows.c: which lane belongs to which group, and in which order lanes stand. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <string.h>

#include "ts-view-state-private.h"

/*
 * _ts_view_group_of_lane:
 *
 * Returns: a group, -1: the lane has no row
 */
int
_ts_view_group_of_lane (const TsLaneInfo *lane)
{
  switch (lane->kind)
    {
    case TS_LANE_CPU:
    case TS_LANE_RTOS:
      return TS_GROUP_CPU;
    case TS_LANE_ISR:
      return TS_GROUP_INTERRUPTS;
    case TS_LANE_TASK:
      return TS_GROUP_TASKS;
    case TS_LANE_OBJECT:
      return TS_GROUP_OBJECTS;
    case TS_LANE_SPAN:
      return lane->type == TS_OBJECT_FUNCTION ? TS_GROUP_FUNCTIONS : TS_GROUP_EVENTS;
    case TS_LANE_TOGGLE:
      return TS_GROUP_EVENTS;
    case TS_LANE_VALUE:
      return ts_lane_id_get_load_core (lane->id) >= 0 ? TS_GROUP_CPU : TS_GROUP_VALUES;
    case TS_LANE_MESSAGE:
      return TS_GROUP_MESSAGES;
    case TS_LANE_LOSS:
    case TS_LANE_DENSITY:
    case TS_LANE_N_KINDS:
      break;
    }
  return -1;
}

/* Place of a group among the others. */
static int
get_rank (const TsLaneInfo *lane)
{
  int group = _ts_view_group_of_lane (lane);

  if (group == TS_GROUP_FUNCTIONS)
    return TS_GROUP_OBJECTS;
  return group < TS_GROUP_OBJECTS ? group : group + 1;
}

/*
 * _ts_view_compare_groups:
 *
 * Returns: less than 0 if the group of @a stands before that of @b, 0: they are in the same one
 */
int
_ts_view_compare_groups (const TsLaneInfo *a,
                         const TsLaneInfo *b)
{
  return get_rank (a) - get_rank (b);
}

typedef struct
{
  const TsLaneInfo *lanes;
  gboolean smaller_is_more_urgent;
} SortData;

static int
compare_int (gint64 a,
             gint64 b)
{
  return (a > b) - (a < b);
}

static int
compare_tasks (const TsLaneInfo *a,
               const TsLaneInfo *b,
               gboolean smaller_is_more_urgent)
{
  gboolean a_unknown = a->priority == TS_OBJECT_UNKNOWN;
  gboolean b_unknown = b->priority == TS_OBJECT_UNKNOWN;

  if (a->is_idle != b->is_idle)
    return a->is_idle ? 1 : -1;
  if (a_unknown != b_unknown)
    return a_unknown ? 1 : -1;
  if (a->priority != b->priority)
    return compare_int (a->priority, b->priority) * (smaller_is_more_urgent ? 1 : -1);
  return 0;
}

static int
compare_lanes (gconstpointer pa,
               gconstpointer pb,
               gpointer user_data)
{
  const SortData *data = user_data;
  const TsLaneInfo *a = &data->lanes[*(const guint32 *) pa];
  const TsLaneInfo *b = &data->lanes[*(const guint32 *) pb];
  int order = _ts_view_compare_groups (a, b);

  if (order == 0 && a->kind == TS_LANE_TASK)
    order = compare_tasks (a, b, data->smaller_is_more_urgent);
  if (order == 0)
    order = (int) a->kind - (int) b->kind;
  if (order == 0 && (a->kind == TS_LANE_TOGGLE || a->kind == TS_LANE_OBJECT))
    order = (int) a->type - (int) b->type;
  if (order == 0)
    order = compare_int (a->core, b->core);
  return order != 0 ? order : compare_int (a->id, b->id);
}

GArray *
_ts_view_sort_lanes (const TsLaneInfo *lanes,
                     guint n_lanes,
                     gboolean smaller_is_more_urgent)
{
  SortData data = { lanes, smaller_is_more_urgent };
  GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n_lanes);

  for (guint32 i = 0; i < n_lanes; i++)
    if (_ts_view_group_of_lane (&lanes[i]) >= 0)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_lanes, &data);
  for (guint i = 0; i < order->len; i++)
    {
      guint32 *place = &g_array_index (order, guint32, i);

      *place = lanes[*place].id;
    }
  return order;
}

gboolean
_ts_view_lane_matches (TsRecording *recording,
                       const TsLaneInfo *lane,
                       const char *filter)
{
  const TsObject *object
      = lane->object != 0 ? ts_recording_get_object (recording, lane->object) : NULL;
  const char *type = ts_object_type_get_name (lane->type);
  gsize type_length = type != NULL ? strlen (type) : 0;

  if (g_strcmp0 (filter, lane->name) == 0)
    return TRUE;
  if (object != NULL && g_strcmp0 (filter, object->name) == 0)
    return TRUE;
  if (type_length == 0 || strncmp (filter, type, type_length) != 0 || filter[type_length] != ':')
    return FALSE;
  filter += type_length + 1;
  return g_strcmp0 (filter, lane->name) == 0 ||
         (object != NULL && g_strcmp0 (filter, object->name) == 0);
}

/**
 * ts_view_state_get_fixed_height:
 * @self: a view state
 * @page: height of what is seen of the rows
 *
 * Pinned lanes stay where they are while the others scroll, unless they would leave too little room
 * for them.
 *
 * Thread: owner
 *
 * Returns: pixels from the top that do not scroll
 */
int
ts_view_state_get_fixed_height (TsViewState *self,
                                int page)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (self, &n_rows);
  guint i = 0;
  int height;

  while (i < n_rows && rows[i].group == TS_GROUP_PINNED)
    i++;
  if (i == 0)
    return 0;
  height = rows[i - 1].y + rows[i - 1].height;
  return height <= page * 2 / 3 ? height : 0;
}

/**
 * ts_view_state_get_row_y:
 * @self: a view state
 * @row: one of its rows
 * @page: height of what is seen of the rows
 *
 * Thread: owner
 *
 * Returns: where its top is seen, from the top of what is seen of the rows
 */
int
ts_view_state_get_row_y (TsViewState *self,
                         const TsViewRow *row,
                         int page)
{
  if (row->group == TS_GROUP_PINNED && ts_view_state_get_fixed_height (self, page) > 0)
    return row->y;
  return row->y - self->scroll_y;
}

int
_ts_view_state_get_sticky_row (TsViewState *self,
                               int fixed)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (self, &n_rows);
  int found = -1;

  for (guint i = 0; i < n_rows && rows[i].y < self->scroll_y + fixed; i++)
    if (rows[i].is_header && (fixed == 0 || rows[i].group != TS_GROUP_PINNED))
      found = (int) i;
  return found;
}

int
_ts_view_state_get_sticky_y (TsViewState *self,
                             int row,
                             int fixed)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (self, &n_rows);

  for (guint i = (guint) row + 1; i < n_rows; i++)
    if (rows[i].is_header)
      return MIN (rows[i].y - self->scroll_y - rows[row].height, fixed);
  return fixed;
}
