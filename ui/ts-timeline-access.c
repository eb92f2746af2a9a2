/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-access.c: what a screen reader sees of the timeline: a list with one item for each lane.
 *
 * Lanes are painted, not widgets, and before GTK 4.10 only widgets can be told to a screen reader. So
 * each lane has a small widget that draws nothing, takes no input and no focus, lies where the lane
 * lies, and says what it is and what it does at the cursor. They change at most twice a second.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <inttypes.h>
#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-lane-words.h"
#include "ui/ts-timeline-private.h"

/* More are of no use to anybody who hears them one after the other; search finds the others. */
#define MAX_ITEMS 256
/* What a lane does at the cursor may have to be read and unpacked: between two portions of such work
 * frames are drawn. */
#define PORTION_US 3000

#define TS_TYPE_LANE_ITEM (ts_lane_item_get_type ())
G_DECLARE_FINAL_TYPE (TsLaneItem, ts_lane_item, TS, LANE_ITEM, GtkWidget)

/**
 * TsLaneItem:
 * @lane: the lane it stands for
 * @y, @height: where its row is, in pixels from the first row
 * @text: what it says
 */
struct _TsLaneItem
{
  GtkWidget parent_instance;
  guint32 lane;
  int y;
  int height;
  char *text;
};

G_DEFINE_FINAL_TYPE (TsLaneItem, ts_lane_item, GTK_TYPE_WIDGET)

static void
ts_lane_item_finalize (GObject *object)
{
  g_free (TS_LANE_ITEM (object)->text);
  G_OBJECT_CLASS (ts_lane_item_parent_class)->finalize (object);
}

static void
ts_lane_item_class_init (TsLaneItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_lane_item_finalize;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "lane");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_LIST_ITEM);
}

static void
ts_lane_item_init (TsLaneItem *self)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

/* --- what lanes are doing --------------------------------------------------------------------- */

/**
 * Request:
 * @tick: when
 * @lanes: (element-type guint32): of which lanes
 */
typedef struct
{
  gint64 tick;
  GArray *lanes;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_array_unref (request->lanes);
  g_free (request);
}

static gpointer
states_thread (TsRecording *recording,
               gpointer data,
               GCancellable *cancellable,
               GError **error)
{
  const Request *request = data;
  GHashTable *states = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; i < request->lanes->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      guint32 lane = g_array_index (request->lanes, guint32, i);
      TsSlice slice;

      if (ts_recording_find_slice (recording, lane, request->tick, 0, &slice))
        g_hash_table_insert (states, GUINT_TO_POINTER (lane), g_memdup2 (&slice, sizeof slice));
    }
  return states;
}

/* FALSE: there is none, or none is known yet. */
static gboolean
find_state (TsTimeline *self,
            guint32 lane,
            gint64 tick,
            TsSlice *slice)
{
  const TsSlice *found = self->states != NULL && self->states_tick == tick
                             ? g_hash_table_lookup (self->states, GUINT_TO_POINTER (lane))
                             : NULL;

  if (found != NULL)
    *slice = *found;
  return found != NULL;
}

void
_ts_timeline_forget_states (TsTimeline *self)
{
  ts_worker_cancel (self->describer);
  g_clear_pointer (&self->states, g_hash_table_unref);
}

/* --- what an item says ------------------------------------------------------------------------ */

static char *
describe_lane (TsTimeline *self,
               TsRecording *recording,
               const TsLaneInfo *lane)
{
  GString *text = g_string_new (lane->name);
  const char *kind = ts_lane_describe_kind (lane);
  gint64 cursor = ts_view_state_get_cursor (self->view);
  TsSlice slice;

  if (*kind != '\0')
    g_string_append_printf (text, ", %s", kind);
  if (lane->kind == TS_LANE_TASK && lane->priority != TS_OBJECT_UNKNOWN)
    {
      g_string_append (text, ", ");
      g_string_append_printf (text, _ ("priority %" PRId64), lane->priority);
    }
  if (cursor >= 0 && find_state (self, lane->id, cursor, &slice) &&
      slice.begin <= cursor && cursor < MAX (slice.end, slice.begin + 1))
    {
      g_autofree char *state = ts_lane_describe_state (recording, lane, &slice);
      g_autofree char *length = ts_format_duration (recording, slice.end - slice.begin);

      if (state != NULL)
        {
          g_string_append (text, "; ");
          /* translators: at the cursor: a state such as "running" or "blocked on q", and how long */
          g_string_append_printf (text, _ ("at the cursor %s for %s"), state, length);
        }
    }
  return g_string_free (text, FALSE);
}

static void
update_item (TsTimeline *self,
             TsLaneItem *item,
             TsRecording *recording,
             const TsViewRow *row)
{
  const TsLaneInfo *lane = ts_recording_get_lane (recording, row->lane);
  gint64 cursor = ts_view_state_get_cursor (self->view);
  gboolean is_known = cursor < 0 || (self->states != NULL && self->states_tick == cursor);
  g_autofree char *text = NULL;
  gboolean is_selected = ts_view_state_get_selected_lane (self->view) == row->lane;

  /* what is said already stays until what is to be said is known */
  if (lane == NULL)
    text = g_strdup ("");
  else if (!is_known && item->lane == row->lane && item->text != NULL)
    text = g_strdup (item->text);
  else
    text = describe_lane (self, recording, lane);
  item->lane = row->lane;
  item->y = row->y;
  item->height = row->height;
  if (g_strcmp0 (item->text, text) != 0)
    {
      g_free (item->text);
      item->text = g_steal_pointer (&text);
      gtk_accessible_update_property (GTK_ACCESSIBLE (item), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      item->text, -1);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (item), GTK_ACCESSIBLE_STATE_SELECTED, is_selected,
                               -1);
}

static TsLaneItem *
next_item (GtkWidget *child)
{
  while (child != NULL && !TS_IS_LANE_ITEM (child))
    child = gtk_widget_get_next_sibling (child);
  return child != NULL ? TS_LANE_ITEM (child) : NULL;
}

static TsLaneItem *
add_item (TsTimeline *self)
{
  TsLaneItem *item = g_object_new (TS_TYPE_LANE_ITEM, NULL);

  gtk_widget_set_parent (GTK_WIDGET (item), GTK_WIDGET (self));
  return item;
}

/* Goes on where the last portion ended. Returns FALSE when all items say what the view shows. */
static gboolean
update_portion (TsTimeline *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  TsLaneItem *item = next_item (gtk_widget_get_first_child (GTK_WIDGET (self)));
  gint64 end_us = g_get_monotonic_time () + PORTION_US;
  const TsViewRow *rows = NULL;
  gboolean is_any = FALSE;
  guint n_rows = 0;
  guint n = 0;
  guint i;

  if (recording != NULL)
    rows = ts_view_state_get_rows (self->view, &n_rows);
  for (i = 0; i < n_rows && n < MAX_ITEMS; i++)
    {
      if (rows[i].is_header)
        continue;
      if (i >= self->next_item_row)
        {
          if (is_any && g_get_monotonic_time () >= end_us)
            break;
          if (item == NULL)
            item = add_item (self);
          update_item (self, item, recording, &rows[i]);
          self->next_item_row = i + 1;
          is_any = TRUE;
        }
      item = item != NULL ? next_item (gtk_widget_get_next_sibling (GTK_WIDGET (item))) : NULL;
      n++;
    }
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  if (i < n_rows && n < MAX_ITEMS)
    return TRUE;
  while (item != NULL)
    {
      TsLaneItem *next = next_item (gtk_widget_get_next_sibling (GTK_WIDGET (item)));

      gtk_widget_unparent (GTK_WIDGET (item));
      item = next;
    }
  return FALSE;
}

static gboolean
on_items (gpointer user_data)
{
  TsTimeline *self = user_data;

  if (update_portion (self))
    return G_SOURCE_CONTINUE;
  if (self->are_items_stale)
    {
      self->are_items_stale = FALSE;
      self->next_item_row = 0;
      return G_SOURCE_CONTINUE;
    }
  self->items_id = 0;
  return G_SOURCE_REMOVE;
}

static void
start_items (TsTimeline *self)
{
  if (self->items_id != 0)
    {
      self->are_items_stale = TRUE;
      return;
    }
  self->next_item_row = 0;
  if (update_portion (self))
    self->items_id = g_idle_add_full (G_PRIORITY_LOW, on_items, self, NULL);
}

static void
on_states (gpointer result,
           const GError *error,
           gpointer user_data)
{
  TsTimeline *self = user_data;

  g_clear_pointer (&self->states, g_hash_table_unref);
  self->states = result;
  self->states_tick = self->asked_tick;
  start_items (self);
}

static void
ask_states (TsTimeline *self,
            TsRecording *recording,
            gint64 tick)
{
  Request *request = g_new0 (Request, 1);
  const TsViewRow *rows;
  guint n_rows;

  request->tick = self->asked_tick = tick;
  request->lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint i = 0; i < n_rows && request->lanes->len < MAX_ITEMS; i++)
    if (!rows[i].is_header)
      g_array_append_val (request->lanes, rows[i].lane);
  ts_worker_set_recording (self->describer, recording);
  ts_worker_ask (self->describer, states_thread, request, request_free,
                 (GDestroyNotify) g_hash_table_unref, on_states, self);
}

/*
 * _ts_timeline_update_items: the items will say what the view shows now: names at once where that is
 * quickly done, what lanes are doing at the cursor when it is known.
 */
void
_ts_timeline_update_items (TsTimeline *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  gint64 cursor = recording != NULL ? ts_view_state_get_cursor (self->view) : -1;

  if (cursor >= 0)
    ask_states (self, recording, cursor);
  start_items (self);
}

/*
 * _ts_timeline_allocate_items: the items lie where their lanes are painted; those out of sight lie
 * above or below.
 */
void
_ts_timeline_allocate_items (TsTimeline *self,
                             int width)
{
  double scale = _ts_timeline_get_scale (self);
  int top = self->options.overview_height + self->options.ruler_height;
  TsLaneItem *item = next_item (gtk_widget_get_first_child (GTK_WIDGET (self)));
  int scroll_y = self->view != NULL ? ts_view_state_get_scroll_y (self->view) : 0;

  for (; item != NULL; item = next_item (gtk_widget_get_next_sibling (GTK_WIDGET (item))))
    {
      GtkAllocation place = { 0, (int) ((top + item->y - scroll_y) / scale), MAX (width, 1),
                              MAX ((int) (item->height / scale), 1) };
      int minimum;

      gtk_widget_measure (GTK_WIDGET (item), GTK_ORIENTATION_VERTICAL, -1, &minimum, NULL, NULL,
                          NULL);
      gtk_widget_size_allocate (GTK_WIDGET (item), &place, -1);
    }
}

/*
 * _ts_timeline_dup_description: which part is shown, and what is selected in it.
 */
char *
_ts_timeline_dup_description (TsTimeline *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  g_autofree char *begin = NULL;
  g_autofree char *span = NULL;
  const TsLaneInfo *lane;
  GString *text;
  TsSlice slice;

  if (recording == NULL)
    return g_strdup (_ ("No recording"));
  begin = ts_format_time (recording, ts_view_state_get_begin (self->view));
  span = ts_format_duration (recording, ts_view_state_get_span (self->view));
  text = g_string_new (NULL);
  /* translators: what the timeline shows; first a point in time, then a duration */
  g_string_append_printf (text, _ ("From %s, %s long"), begin, span);
  lane = ts_recording_get_lane (recording, ts_view_state_get_selected_lane (self->view));
  if (lane != NULL)
    {
      g_autofree char *state = NULL;

      g_string_append (text, "; ");
      /* translators: name of a task or another lane */
      g_string_append_printf (text, _ ("selected: %s"), lane->name);
      if (ts_view_state_get_selected_slice (self->view, &slice))
        state = ts_lane_describe_state (recording, lane, &slice);
      if (state != NULL)
        {
          g_autofree char *length = ts_format_duration (recording, slice.end - slice.begin);

          g_string_append_printf (text, ", %s, %s", state, length);
        }
    }
  return g_string_free (text, FALSE);
}
