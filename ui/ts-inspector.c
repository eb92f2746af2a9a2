/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-inspector.h"
#include "ui/ts-numbers.h"
#include "ui/ts-task-figures.h"

#define MAX_ROWS 16
/* Quick enough to follow the pointer, slow enough to read; figures of a whole file take longer. */
#define UPDATE_INTERVAL_MS 60
#define FIGURES_INTERVAL_US (2 * G_USEC_PER_SEC)

typedef struct
{
  GtkWidget *box;
  GtkWidget *title;
  GtkGrid *grid;
  GtkWidget *names[MAX_ROWS];
  GtkWidget *values[MAX_ROWS];
  guint n_used;
} Section;

typedef enum
{
  SECTION_LANE,
  SECTION_SLICE,
  SECTION_RANGE,
  SECTION_RECORDING,
  N_SECTIONS
} SectionId;

/**
 * TsInspector:
 * @figures: what `query timeline` answered for the whole recording
 * @figures_id: recording the figures are of
 * @figures_rows: rows it had then
 * @figures_us: when they were asked for
 */
struct _TsInspector
{
  GtkWidget parent_instance;

  GtkLabel *title_label;
  GtkLabel *subtitle_label;
  GtkBox *sections;
  GtkWidget *zoom_button;
  Section section[N_SECTIONS];

  TsViewState *view;
  GSignalGroup *view_signals;
  guint update_id;

  JsonNode *figures;
  char *figures_path;
  guint64 figures_rows;
  gint64 figures_us;
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (TsInspector, ts_inspector, GTK_TYPE_WIDGET)

/* --- sections --------------------------------------------------------------------------------- */

static void
init_section (TsInspector *self,
              Section *section,
              const char *title)
{
  section->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  section->title = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (section->title), 0);
  gtk_widget_add_css_class (section->title, "heading");
  gtk_widget_set_visible (section->title, title != NULL);
  section->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_row_spacing (section->grid, 5);
  gtk_grid_set_column_spacing (section->grid, 12);
  gtk_box_append (GTK_BOX (section->box), section->title);
  gtk_box_append (GTK_BOX (section->box), GTK_WIDGET (section->grid));
  gtk_box_append (self->sections, section->box);
}

static void
add_row_widgets (Section *section,
                 guint i)
{
  GtkWidget *name = gtk_label_new (NULL);
  GtkWidget *value = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_widget_add_css_class (name, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (GTK_LABEL (value), FALSE);
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_set_hexpand (value, TRUE);
  gtk_grid_attach (section->grid, name, 0, (int) i, 1, 1);
  gtk_grid_attach (section->grid, value, 1, (int) i, 1, 1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name,
                                  NULL, -1);
  section->names[i] = name;
  section->values[i] = value;
}

static void
begin_section (Section *section)
{
  section->n_used = 0;
}

/* Takes @value; a %NULL or empty one makes no row. */
static void
add_row (Section *section,
         const char *name,
         char *value)
{
  guint i = section->n_used;

  if (value == NULL || *value == '\0' || i >= MAX_ROWS)
    {
      g_free (value);
      return;
    }
  if (section->names[i] == NULL)
    add_row_widgets (section, i);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (section->names[i])), name) != 0)
    gtk_label_set_text (GTK_LABEL (section->names[i]), name);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (section->values[i])), value) != 0)
    {
      gtk_label_set_text (GTK_LABEL (section->values[i]), value);
      gtk_widget_set_tooltip_text (section->values[i], value);
    }
  gtk_widget_set_visible (section->names[i], TRUE);
  gtk_widget_set_visible (section->values[i], TRUE);
  section->n_used++;
  g_free (value);
}

static void
end_section (Section *section)
{
  guint i;

  for (i = section->n_used; i < MAX_ROWS && section->names[i] != NULL; i++)
    {
      gtk_widget_set_visible (section->names[i], FALSE);
      gtk_widget_set_visible (section->values[i], FALSE);
    }
  gtk_widget_set_visible (section->box, section->n_used > 0);
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *
describe_lane_kind (const TsLaneInfo *lane)
{
  switch (lane->kind)
    {
    case TS_LANE_CPU:
      return _ ("CPU load");
    case TS_LANE_TASK:
      return lane->is_idle ? _ ("Idle task") : _ ("Task");
    case TS_LANE_RTOS:
      return _ ("Scheduler");
    case TS_LANE_ISR:
      return _ ("Interrupt");
    case TS_LANE_SPAN:
      return _ ("User event");
    case TS_LANE_TOGGLE:
      return _ ("Toggle");
    case TS_LANE_VALUE:
      return _ ("Value");
    case TS_LANE_OBJECT:
      return _ ("Kernel object");
    case TS_LANE_MESSAGE:
      return _ ("Messages");
    case TS_LANE_LOSS:
      return _ ("Data loss");
    case TS_LANE_DENSITY:
    case TS_LANE_N_KINDS:
    default:
      return "";
    }
}

static char *
describe_state (TsRecording *recording,
                const TsLaneInfo *lane,
                const TsSlice *slice)
{
  const TsObject *object;

  switch (slice->state)
    {
    case TS_STATE_RUNNING:
      if (lane->kind == TS_LANE_TOGGLE)
        return g_strdup (_ ("high"));
      if (lane->kind == TS_LANE_SPAN)
        return g_strdup (_ ("active"));
      if (lane->kind == TS_LANE_CPU)
        return g_strdup (_ ("busy"));
      return g_strdup (_ ("running"));
    case TS_STATE_READY:
      return g_strdup (_ ("ready"));
    case TS_STATE_BLOCKED:
      object = slice->arg != 0 ? ts_recording_get_object (recording, slice->arg) : NULL;
      /* translators: name of a queue, mutex ... a task waits for */
      return object != NULL ? g_strdup_printf (_ ("blocked on %s"), object->name)
                            : g_strdup (_ ("blocked"));
    case TS_STATE_SLEEPING:
      return g_strdup (_ ("sleeping"));
    case TS_STATE_SUSPENDED:
      return g_strdup (_ ("suspended"));
    case TS_STATE_INTERRUPTED:
      return g_strdup (_ ("interrupted"));
    case TS_STATE_LOW:
      return g_strdup (_ ("low"));
    case TS_STATE_LOSS:
      return g_strdup (_ ("data lost"));
    case TS_STATE_CORRUPT:
      return g_strdup (_ ("undecodable"));
    case TS_STATE_NONE:
    case TS_STATE_POINT:
    default:
      return NULL;
    }
}

static gboolean
has_states (const TsLaneInfo *lane)
{
  return lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN ||
         lane->kind == TS_LANE_TOGGLE || lane->kind == TS_LANE_CPU || lane->kind == TS_LANE_RTOS;
}

/* One column over a part of a lane: sums from the pyramid, exact at any size. A part without a
 * slice of its own is answered as an empty list of slices. */
static gboolean
query_column (TsRecording *recording,
              guint32 lane,
              gint64 begin,
              gint64 end,
              TsColumn *column)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneDetail detail;
  guint i;

  *column = (TsColumn) { 0 };
  if (end <= begin)
    return FALSE;
  detail = ts_recording_query_lane (recording, lane, begin, end, 1, column, slices, 0, NULL);
  if (detail == TS_LANE_DETAIL_FAILED)
    return FALSE;
  if (detail == TS_LANE_DETAIL_SLICES)
    *column = (TsColumn) { 0 };
  for (i = 0; detail == TS_LANE_DETAIL_SLICES && i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);

      if (slice->state < TS_N_TIMED_STATES)
        column->ticks[slice->state] += MIN (slice->end, end) - MAX (slice->begin, begin);
      column->count++;
    }
  return TRUE;
}

static char *
format_us (double us)
{
  if (us >= 1e6)
    return g_strdup_printf ("%.3f\xe2\x80\x89s", us / 1e6);
  if (us >= 1e3)
    return g_strdup_printf ("%.3f\xe2\x80\x89ms", us / 1e3);
  return g_strdup_printf ("%.1f\xe2\x80\x89µs", us);
}

/* --- figures of the whole recording ----------------------------------------------------------- */

static void queue_update (TsInspector *self);

static void
on_figures (GObject *source,
            GAsyncResult *result,
            gpointer user_data)
{
  g_autoptr (TsInspector) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) figures = ts_task_figures_load_finish (result, &error);

  if (figures == NULL || self->view == NULL)
    return;
  g_clear_pointer (&self->figures, json_node_unref);
  self->figures = g_steal_pointer (&figures);
  queue_update (self);
}

/* Asks again when the recording is another one, or has grown and some time has passed. */
static void
request_figures (TsInspector *self,
                 TsRecording *recording)
{
  const char *path = ts_recording_get_path (recording);
  guint64 n_rows = ts_recording_get_n_rows (recording);
  gint64 now = g_get_monotonic_time ();
  gboolean is_same = g_strcmp0 (path, self->figures_path) == 0;

  if (path == NULL)
    return;
  if (is_same && (n_rows == self->figures_rows || now - self->figures_us < FIGURES_INTERVAL_US))
    return;
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  self->cancellable = g_cancellable_new ();
  if (!is_same)
    g_clear_pointer (&self->figures, json_node_unref);
  g_free (self->figures_path);
  self->figures_path = g_strdup (path);
  self->figures_rows = n_rows;
  self->figures_us = now;
  ts_task_figures_load_async (path, -1, -1, self->cancellable, on_figures, g_object_ref (self));
}

static void
add_figure_us (Section *section,
               const char *name,
               JsonObject *card,
               const char *member)
{
  double value;

  if (ts_task_figures_get (card, member, &value))
    add_row (section, name, format_us (value));
}

static void
add_figure_count (Section *section,
                  const char *name,
                  JsonObject *card,
                  const char *member)
{
  double value;

  if (ts_task_figures_get (card, member, &value) && value >= 0)
    add_row (section, name, ts_format_count ((guint64) value));
}

/* --- what is selected ------------------------------------------------------------------------- */

static void
update_stack (Section *section,
              TsRecording *recording,
              const TsLaneInfo *lane,
              JsonObject *card)
{
  const TsObject *object = ts_recording_get_object (recording, lane->object);
  double used;

  if (object == NULL)
    return;
  if (ts_task_figures_get (card, "stack_used_bytes", &used) &&
      object->stack_bytes != TS_OBJECT_UNKNOWN)
    add_row (section, _ ("Stack"),
             g_strdup_printf ("%.0f / %" G_GINT64_FORMAT " B", used, object->stack_bytes));
  else if (object->stack_bytes != TS_OBJECT_UNKNOWN && object->stack_bytes > 0)
    add_row (section, _ ("Stack"), ts_format_bytes (object->stack_bytes));
}

static void
update_lane (TsInspector *self,
             TsRecording *recording,
             const TsLaneInfo *lane)
{
  Section *section = &self->section[SECTION_LANE];
  const TsObject *object = ts_recording_get_object (recording, lane->object);
  gint64 cursor = ts_view_state_get_cursor (self->view);
  JsonObject *card = ts_task_figures_find (self->figures, lane->name);
  TsSlice slice;
  TsColumn column;

  request_figures (self, recording);
  if (cursor >= 0 && has_states (lane) &&
      ts_recording_find_slice (recording, lane->id, cursor, 0, &slice))
    add_row (section, _ ("At the cursor"), describe_state (recording, lane, &slice));
  if (object != NULL && object->base_priority != TS_OBJECT_UNKNOWN &&
      object->base_priority != lane->priority)
    add_row (section, _ ("Base priority"),
             g_strdup_printf ("%" G_GINT64_FORMAT, object->base_priority));
  if ((lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_RTOS ||
       lane->kind == TS_LANE_CPU) &&
      query_column (recording, lane->id, 0, ts_recording_get_duration (recording), &column))
    add_row (section, _ ("CPU share"),
             ts_format_percent (column.ticks[TS_STATE_RUNNING],
                                ts_recording_get_duration (recording)));
  if (lane->kind == TS_LANE_VALUE &&
      query_column (recording, lane->id, 0, ts_recording_get_duration (recording), &column) &&
      column.has_value)
    {
      add_row (section, _ ("Samples"), ts_format_count (column.count));
      add_row (section, _ ("Smallest"), g_strdup_printf ("%.6g", column.min));
      add_row (section, _ ("Largest"), g_strdup_printf ("%.6g", column.max));
      add_row (section, _ ("Last"), g_strdup_printf ("%.6g", column.last));
    }
  add_figure_count (section, _ ("Activations"), card, "run_count");
  add_figure_us (section, _ ("Run time min"), card, "min_us");
  add_figure_us (section, _ ("Run time avg"), card, "avg_us");
  add_figure_us (section, _ ("Run time p99"), card, "p99_slice_us");
  add_figure_us (section, _ ("Run time max"), card, "max_us");
  add_figure_us (section, _ ("Period"), card, "period_us");
  add_figure_us (section, _ ("Jitter max"), card, "max_jitter_us");
  add_figure_count (section, _ ("Preempted"), card, "preemptions");
  update_stack (section, recording, lane, card);
}

static void
update_slice (TsInspector *self,
              TsRecording *recording,
              const TsLaneInfo *lane,
              const TsSlice *slice)
{
  Section *section = &self->section[SECTION_SLICE];

  if (slice->state == TS_STATE_POINT)
    {
      if (lane->kind == TS_LANE_MESSAGE)
        add_row (section, _ ("Text"), g_strdup (ts_recording_get_string (recording, slice->arg)));
      else if ((slice->kind & TS_SLICE_KIND_MASK) != 0)
        add_row (section, _ ("Event"),
                 g_strdup (ts_event_kind_get_name (slice->kind & TS_SLICE_KIND_MASK)));
      add_row (section, _ ("Time"), ts_format_time (recording, slice->begin));
      return;
    }
  if (lane->kind == TS_LANE_VALUE)
    add_row (section, _ ("Value"), g_strdup_printf ("%.6g", slice->value));
  else
    add_row (section, _ ("State"), describe_state (recording, lane, slice));
  add_row (section, _ ("Begin"), ts_format_time (recording, slice->begin));
  if ((slice->kind & TS_SLICE_OPEN) != 0)
    add_row (section, _ ("End"), g_strdup (_ ("not seen")));
  else
    add_row (section, _ ("End"), ts_format_time (recording, slice->end));
  add_row (section, _ ("Duration"), ts_format_duration (recording, slice->end - slice->begin));
}

/* Busy time of all cores in a range. */
static char *
dup_range_load (TsRecording *recording,
                gint64 begin,
                gint64 end)
{
  const TsLaneInfo *lanes;
  guint n_lanes;
  guint i;
  gint64 busy = 0;
  guint n_cores = 0;
  TsColumn column;

  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_CPU &&
        query_column (recording, lanes[i].id, begin, end, &column))
      {
        busy += column.ticks[TS_STATE_RUNNING];
        n_cores++;
      }
  return n_cores > 0 ? ts_format_percent (busy, (end - begin) * n_cores) : NULL;
}

static char *
dup_range_lost (TsRecording *recording,
                gint64 begin,
                gint64 end)
{
  TsColumn column;

  if (!query_column (recording, TS_LANE_ID_LOSS, begin, end, &column))
    return NULL;
  return ts_format_count (MAX (column.n_lost, 0));
}

static void
update_range (TsInspector *self,
              TsRecording *recording,
              const TsLaneInfo *lane)
{
  Section *section = &self->section[SECTION_RANGE];
  guint64 hz = ts_recording_get_clock_hz (recording);
  gint64 begin;
  gint64 end;
  guint64 first;
  guint64 after;
  TsColumn column;

  if (!ts_view_state_get_range (self->view, &begin, &end) || end <= begin)
    return;
  first = ts_recording_row_at_time (recording, begin);
  after = ts_recording_row_at_time (recording, end);
  add_row (section, _ ("Begin"), ts_format_time (recording, begin));
  add_row (section, _ ("Length"), ts_format_duration (recording, end - begin));
  add_row (section, _ ("Ticks"), ts_format_count (end - begin));
  if (hz > 0)
    {
      double frequency = (double) hz / (double) (end - begin);

      add_row (section, _ ("Frequency"),
               frequency >= 1000.0 ? ts_format_hz ((guint64) (frequency + 0.5))
                                   : g_strdup_printf ("%.3f\xe2\x80\x89Hz", frequency));
    }
  if (after >= first)
    add_row (section, _ ("Events"), ts_format_count (after - first));
  add_row (section, _ ("CPU load"), dup_range_load (recording, begin, end));
  if (lane != NULL && (lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR) &&
      query_column (recording, lane->id, begin, end, &column))
    /* translators: name of a task: its share of the CPU in the range */
    add_row (section, lane->name,
             ts_format_percent (column.ticks[TS_STATE_RUNNING], end - begin));
  add_row (section, _ ("Lost"), dup_range_lost (recording, begin, end));
}

static void
update_recording (TsInspector *self,
                  TsRecording *recording)
{
  Section *section = &self->section[SECTION_RECORDING];
  g_autofree char *lost = ts_recording_dup_health (recording, "lost_events");
  g_autofree char *corrupt = ts_recording_dup_health (recording, "corrupt_bytes");
  guint64 hz = ts_recording_get_clock_hz (recording);

  add_row (section, _ ("System"), ts_recording_dup_summary (recording, "os"));
  if (hz > 0)
    add_row (section, _ ("Clock"), ts_format_hz (hz));
  add_row (section, _ ("Duration"),
           ts_format_duration (recording, ts_recording_get_duration (recording)));
  add_row (section, _ ("Events"), ts_format_count (ts_recording_get_n_events (recording)));
  add_row (section, _ ("Lost"), lost != NULL ? ts_format_count (g_ascii_strtoull (lost, NULL, 10))
                                             : NULL);
  add_row (section, _ ("Corrupt"),
           corrupt != NULL ? ts_format_bytes (g_ascii_strtoull (corrupt, NULL, 10)) : NULL);
  add_row (section, _ ("Source"), ts_recording_dup_meta (recording, "capture_source"));
  if (!ts_recording_is_live (recording))
    add_row (section, _ ("Ended"), ts_recording_dup_health (recording, "end_reason"));
}

static void
update_titles (TsInspector *self,
               TsRecording *recording,
               const TsLaneInfo *lane)
{
  const TsObject *object;
  g_autofree char *subtitle = NULL;

  if (recording == NULL)
    {
      gtk_label_set_text (self->title_label, _ ("Inspector"));
      gtk_label_set_text (self->subtitle_label, "");
      return;
    }
  if (lane == NULL)
    {
      g_autofree char *base = g_path_get_basename (ts_recording_get_path (recording));

      gtk_label_set_text (self->title_label, _ ("Recording"));
      gtk_label_set_text (self->subtitle_label, base);
      return;
    }
  object = ts_recording_get_object (recording, lane->object);
  gtk_label_set_text (self->title_label,
                      object != NULL && object->name != NULL ? object->name : lane->name);
  if (lane->kind == TS_LANE_TASK && lane->priority != TS_OBJECT_UNKNOWN)
    subtitle = g_strdup_printf (_ ("%s · priority %" G_GINT64_FORMAT), describe_lane_kind (lane),
                                lane->priority);
  else
    subtitle = g_strdup (describe_lane_kind (lane));
  gtk_label_set_text (self->subtitle_label, subtitle);
}

static void
update (TsInspector *self)
{
  TsRecording *recording =
      self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  const TsLaneInfo *lane = NULL;
  guint32 lane_id;
  TsSlice slice;
  guint i;

  for (i = 0; i < N_SECTIONS; i++)
    begin_section (&self->section[i]);
  if (recording != NULL)
    {
      lane_id = ts_view_state_get_selected_lane (self->view);
      lane = lane_id != 0 ? ts_recording_get_lane (recording, lane_id) : NULL;
      if (lane != NULL)
        update_lane (self, recording, lane);
      if (lane != NULL && ts_view_state_get_selected_slice (self->view, &slice))
        update_slice (self, recording, lane, &slice);
      update_range (self, recording, lane);
      if (lane == NULL)
        update_recording (self, recording);
    }
  update_titles (self, recording, lane);
  gtk_widget_set_visible (self->zoom_button, self->section[SECTION_RANGE].n_used > 0);
  for (i = 0; i < N_SECTIONS; i++)
    end_section (&self->section[i]);
}

static gboolean
on_update (gpointer user_data)
{
  TsInspector *self = user_data;

  self->update_id = 0;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update (self);
  return G_SOURCE_REMOVE;
}

static void
queue_update (TsInspector *self)
{
  if (self->update_id == 0)
    self->update_id = g_timeout_add (UPDATE_INTERVAL_MS, on_update, self);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_inspector_dispose (GObject *object)
{
  TsInspector *self = TS_INSPECTOR (object);
  GtkWidget *child;

  g_clear_handle_id (&self->update_id, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (ts_inspector_parent_class)->dispose (object);
}

static void
ts_inspector_finalize (GObject *object)
{
  TsInspector *self = TS_INSPECTOR (object);

  g_clear_pointer (&self->figures, json_node_unref);
  g_clear_pointer (&self->figures_path, g_free);
  G_OBJECT_CLASS (ts_inspector_parent_class)->finalize (object);
}

static void
ts_inspector_class_init (TsInspectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ts_inspector_dispose;
  object_class->finalize = ts_inspector_finalize;
  gtk_widget_class_set_css_name (widget_class, "inspector");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/taskscope/Taskscope/ts-inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, TsInspector, title_label);
  gtk_widget_class_bind_template_child (widget_class, TsInspector, subtitle_label);
  gtk_widget_class_bind_template_child (widget_class, TsInspector, sections);
  gtk_widget_class_bind_template_child (widget_class, TsInspector, zoom_button);
}

static void
ts_inspector_init (TsInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cancellable = g_cancellable_new ();
  init_section (self, &self->section[SECTION_LANE], NULL);
  init_section (self, &self->section[SECTION_SLICE], _ ("Selected slice"));
  init_section (self, &self->section[SECTION_RANGE], _ ("Selected range"));
  init_section (self, &self->section[SECTION_RECORDING], NULL);
  self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (queue_update), self);
  g_signal_connect (self, "map", G_CALLBACK (queue_update), NULL);
  update (self);
}

/**
 * ts_inspector_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an inspector of nothing
 */
GtkWidget *
ts_inspector_new (void)
{
  return g_object_new (TS_TYPE_INSPECTOR, NULL);
}

/**
 * ts_inspector_set_view:
 * @self: an inspector
 * @view: (nullable): whose selection to show
 *
 * Thread: main
 */
void
ts_inspector_set_view (TsInspector *self,
                       TsViewState *view)
{
  g_return_if_fail (TS_IS_INSPECTOR (self));
  if (!g_set_object (&self->view, view))
    return;
  g_signal_group_set_target (self->view_signals, view);
  queue_update (self);
}

/**
 * ts_inspector_refresh:
 * @self: an inspector
 *
 * The recording may have grown.
 *
 * Thread: main
 */
void
ts_inspector_refresh (TsInspector *self)
{
  g_return_if_fail (TS_IS_INSPECTOR (self));
  queue_update (self);
}
