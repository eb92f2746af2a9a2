/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <inttypes.h>
#include <glib/gi18n.h>

#include "model/ts-index.h"
#include "model/ts-statistics.h"
#include "ui/draw/ts-display-list.h"

#include "ui/ts-event-facts.h"
#include "ui/ts-fact-list.h"
#include "ui/ts-histogram.h"
#include "ui/ts-inspector-parts.h"
#include "ui/ts-inspector.h"
#include "ui/ts-kind-words.h"
#include "ui/ts-lane-words.h"
#include "ui/ts-numbers.h"
#include "ui/ts-raw-facts.h"
#include "ui/ts-worker.h"

/* Quick enough to follow the pointer, slow enough to read. */
#define UPDATE_INTERVAL_MS 60
/* Figures take a thread of their own; those of a capture are made anew at this pace. */
#define FIGURES_INTERVAL_US (2 * G_USEC_PER_SEC)
#define FIGURES_DELAY_MS 150

typedef enum
{
  SECTION_LANE,
  SECTION_SLICE,
  SECTION_EVENT,
  SECTION_RANGE,
  SECTION_RECORDING,
  N_SECTIONS
} SectionId;

/**
 * TsFiguresKey:
 * @recording: only compared
 * @begin, @end: range in ticks; 0, -1 for all of it
 * @n_rows: rows it had
 *
 * What figures are of.
 */
typedef struct
{
  gpointer recording;
  gint64 begin;
  gint64 end;
  guint64 n_rows;
} TsFiguresKey;

/**
 * TsInspector:
 * @mark: (nullable): says which recording it is about, where there are two
 * @measure_drop: which durations the histogram is of
 * @figures: (nullable): statistics that are shown
 * @asked: what the latest request is for
 * @asked_us, @took_us: when it was made, and how long the last one took
 */
struct _TsInspector
{
  GtkWidget parent_instance;

  GtkLabel *title_label;
  GtkLabel *subtitle_label;
  GtkBox *sections;
  GtkWidget *zoom_button;
  TsFactList *section[N_SECTIONS];
  GtkWidget *histogram_box;
  GtkWidget *measure_drop;
  GtkWidget *histogram;
  GtkLabel *low_label;
  GtkLabel *high_label;

  TsViewState *view;
  char *mark;
  GSignalGroup *view_signals;
  guint update_id;

  TsRawFacts *raw_facts;
  TsInspectorAsker *parts;
  TsWorker *worker;
  TsStatistics *figures;
  TsFiguresKey asked;
  gint64 asked_us;
  gint64 took_us;
  guint figures_id;
};

enum
{
  SIGNAL_GO_TO,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsInspector, ts_inspector, GTK_TYPE_WIDGET)

static gboolean
has_states (const TsLaneInfo *lane)
{
  return lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN ||
         lane->kind == TS_LANE_TOGGLE || lane->kind == TS_LANE_CPU || lane->kind == TS_LANE_RTOS;
}

/* --- figures ---------------------------------------------------------------------------------- */

static void queue_update (TsInspector *self);
static void request_figures (TsInspector *self,
                             TsRecording *recording);

static gpointer
figures_thread (TsRecording *recording,
                gpointer data,
                GCancellable *cancellable,
                GError **error)
{
  const gint64 *range = data;
  gint64 end = range[1] >= 0 ? range[1] : ts_recording_get_duration (recording) + 1;
  TsStatistics *figures = ts_statistics_new (recording, range[0], end, 0, cancellable, error);

  /* they are kept as long as the range stays */
  if (figures != NULL)
    ts_statistics_pack (figures);
  return figures;
}

static void
on_figures (gpointer result,
            const GError *error,
            gpointer user_data)
{
  TsInspector *self = user_data;

  self->took_us = g_get_monotonic_time () - self->asked_us;
  if (result == NULL)
    return;
  g_clear_pointer (&self->figures, ts_statistics_free);
  self->figures = result;
  queue_update (self);
}

static gboolean
on_figures_delay (gpointer user_data)
{
  TsInspector *self = user_data;
  gint64 range[2] = { self->asked.begin, self->asked.end };

  self->figures_id = 0;
  if (ts_view_state_get_recording (self->view) == NULL)
    return G_SOURCE_REMOVE;
  self->asked_us = g_get_monotonic_time ();
  ts_worker_set_recording (self->worker, ts_view_state_get_recording (self->view));
  ts_worker_ask (self->worker, figures_thread, g_memdup2 (range, sizeof range), g_free,
                 (GDestroyNotify) ts_statistics_free, on_figures, self);
  return G_SOURCE_REMOVE;
}

/* Asks again when the recording or the range is another one, or when a capture has grown and some
 * time has passed. A request that came too late is given up. */
static void
request_figures (TsInspector *self,
                 TsRecording *recording)
{
  TsFiguresKey key = { recording, 0, -1, ts_recording_get_n_rows (recording) };
  gboolean is_same_range;

  if (!ts_view_state_get_range (self->view, &key.begin, &key.end) || key.end <= key.begin)
    {
      key.begin = 0;
      key.end = -1;
    }
  is_same_range = key.recording == self->asked.recording && key.begin == self->asked.begin &&
                  key.end == self->asked.end;
  if (ts_index_is_needed (recording))
    return;
  if (is_same_range &&
      (key.n_rows == self->asked.n_rows ||
       g_get_monotonic_time () - self->asked_us < MAX (FIGURES_INTERVAL_US, 10 * self->took_us)))
    return;
  if (!is_same_range)
    g_clear_pointer (&self->figures, ts_statistics_free);
  self->asked = key;
  g_clear_handle_id (&self->figures_id, g_source_remove);
  self->figures_id = g_timeout_add (FIGURES_DELAY_MS, on_figures_delay, self);
}

static void
add_figure (TsFactList *section,
            TsRecording *recording,
            const char *name,
            gint64 ticks)
{
  if (ticks >= 0)
    ts_fact_list_add (section, name, ts_format_ns (ts_recording_ticks_to_ns (recording, ticks)));
}

/* The largest leads to where it was. */
static void
add_largest (TsFactList *section,
             TsRecording *recording,
             const char *name,
             const TsFigure *figure)
{
  if (figure->count > 0)
    ts_fact_list_add_link (section, name,
                           ts_format_ns (ts_recording_ticks_to_ns (recording, figure->max)),
                           figure->max_begin, figure->max_end);
}

/* How often it ran, and how often per second. */
static char *
dup_activations (TsInspector *self,
                 TsRecording *recording,
                 const TsLaneStatistics *lane)
{
  gint64 us = ts_recording_ticks_to_us (recording, self->figures->end - self->figures->begin);
  g_autofree char *count = ts_format_count (lane->n_runs);
  g_autofree char *rate = NULL;

  if (us <= 0)
    return g_steal_pointer (&count);
  rate = ts_format_per_s ((double) lane->n_runs * 1e6 / (double) us);
  return g_strdup_printf ("%s (%s)", count, rate);
}

static void
update_figures (TsInspector *self,
                TsRecording *recording,
                const TsLaneStatistics *lane)
{
  TsFactList *section = self->section[SECTION_LANE];
  const TsFigure *run = &lane->measures[TS_MEASURE_RUN];
  const TsFigure *period = &lane->measures[TS_MEASURE_PERIOD];
  const TsFigure *block = &lane->measures[TS_MEASURE_BLOCK];
  const TsObject *object;

  ts_fact_list_add (section, _ ("CPU share"), ts_format_localize (g_strdup_printf ("%.1f\xe2\x80\x89%%", lane->share)));
  ts_fact_list_add (section, _ ("Activations"), dup_activations (self, recording, lane));
  if (run->count == 1)
    add_largest (section, recording, _ ("Run time"), run);
  else if (run->count > 1)
    {
      add_figure (section, recording, _ ("Run time min"), run->min);
      add_figure (section, recording, _ ("avg"), run->sum / (gint64) run->count);
      add_figure (section, recording, _ ("p99"), run->p99);
      add_largest (section, recording, _ ("max"), run);
    }
  if (period->count == 1)
    add_largest (section, recording, _ ("Period"), period);
  else if (period->count > 1)
    {
      add_figure (section, recording, _ ("Period avg"), period->sum / (gint64) period->count);
      add_largest (section, recording, _ ("Period max"), period);
    }
  add_largest (section, recording, _ ("Response max"), &lane->measures[TS_MEASURE_RESPONSE]);
  add_largest (section, recording, _ ("Longest wait"), block);
  object = block->count > 0 && lane->longest_block_object != 0
               ? ts_recording_get_object (recording, lane->longest_block_object)
               : NULL;
  if (object != NULL)
    /* translators: under "Longest wait": what the task waited for */
    ts_fact_list_add (section, _ ("for"), g_strdup (object->name));
  if (lane->kind == TS_LANE_TASK)
    {
      g_autofree char *count = ts_format_count (lane->preemptions);

      ts_fact_list_add (section, _ ("Preempted"), g_strconcat (count, "\xe2\x80\x89×", NULL));
    }
  if (lane->failures > 0)
    ts_fact_list_add (section, _ ("Failed operations"), ts_format_count (lane->failures));
  if (lane->stack_used >= 0 && lane->stack_size > 0)
    ts_fact_list_add (section, _ ("Stack"),
                      g_strdup_printf ("%" G_GINT64_FORMAT " / %" G_GINT64_FORMAT "\xe2\x80\x89" "B",
                                       lane->stack_used, lane->stack_size));
  else if (lane->stack_size > 0)
    ts_fact_list_add (section, _ ("Stack"), ts_format_bytes ((guint64) lane->stack_size));
}

/* What can be shown as a histogram, in this order. */
static const struct
{
  TsMeasure measure;
  const char *title;
} measures[] = {
  { TS_MEASURE_RUN, N_ ("Run time") },         { TS_MEASURE_EXECUTION, N_ ("Execution time") },
  { TS_MEASURE_RESPONSE, N_ ("Response time") }, { TS_MEASURE_PERIOD, N_ ("Period") },
  { TS_MEASURE_BLOCK, N_ ("Wait") },           { TS_MEASURE_LATENCY, N_ ("Start latency") },
};

static void
update_histogram (TsInspector *self,
                  TsRecording *recording,
                  const TsLaneStatistics *lane)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->measure_drop));
  TsMeasure measure = measures[MIN (selected, G_N_ELEMENTS (measures) - 1)].measure;
  guint64 bins[TS_HISTOGRAM_BINS] = { 0 };
  const TsFigure *figure;
  gint64 low = 0;
  gint64 high = 0;
  guint first_outlier = TS_HISTOGRAM_BINS;
  g_autofree char *low_text = NULL;
  g_autofree char *high_text = NULL;
  gboolean has_any = FALSE;

  for (guint i = 0; lane != NULL && i < TS_N_MEASURES; i++)
    has_any |= lane->measures[i].count > 1;
  gtk_widget_set_visible (self->histogram_box, has_any);
  if (!has_any)
    return;
  figure = &lane->measures[measure];
  if (figure->count < 2 ||
      !ts_statistics_histogram (self->figures, lane->lane, measure, TS_HISTOGRAM_BINS, bins, &low,
                                &high))
    {
      ts_histogram_set (TS_HISTOGRAM (self->histogram), bins, 0, 0);
      gtk_label_set_text (self->low_label, _ ("too few to compare"));
      gtk_label_set_text (self->high_label, "");
      return;
    }
  if (high > low && figure->p99 >= low && figure->count >= 100)
    first_outlier =
        (guint) ((__int128) (figure->p99 - low) * TS_HISTOGRAM_BINS / (high - low)) + 1;
  ts_histogram_set (TS_HISTOGRAM (self->histogram), bins, TS_HISTOGRAM_BINS, first_outlier);
  low_text = ts_format_ns (ts_recording_ticks_to_ns (recording, figure->min));
  high_text = ts_format_ns (ts_recording_ticks_to_ns (recording, figure->max));
  gtk_label_set_text (self->low_label, low_text);
  gtk_label_set_text (self->high_label, high_text);
}

/* --- what is selected ------------------------------------------------------------------------- */

static void queue_update (TsInspector *self);

/* What is known of @wanted, the last known for a little while until it is; NULL: nothing yet. What is
 * not known is asked for. */
static const TsInspectorParts *
get_parts (TsInspector *self,
           TsRecording *recording,
           const TsLaneInfo *lane)
{
  TsInspectorWanted wanted = { .slice_begin = -1 };
  TsSlice slice;

  wanted.cursor = ts_view_state_get_cursor (self->view);
  wanted.has_recording = lane == NULL;
  if (lane != NULL)
    {
      wanted.lane = lane->id;
      wanted.object = lane->object;
      wanted.has_state = has_states (lane);
      if (ts_view_state_get_selected_slice (self->view, &slice))
        wanted.slice_begin = slice.begin;
      wanted.has_column = lane->kind == TS_LANE_CPU || lane->kind == TS_LANE_VALUE;
    }
  wanted.row = ts_view_state_get_event (self->view);
  wanted.has_range = ts_view_state_get_range (self->view, &wanted.begin, &wanted.end)
                     && wanted.end > wanted.begin;
  if (!wanted.has_range)
    wanted.begin = wanted.end = 0;
  wanted.n_rows = ts_recording_is_live (recording) ? ts_recording_get_n_rows (recording) : 0;
  return ts_inspector_parts_ask (self->parts, recording, &wanted);
}

static void
update_lane (TsInspector *self,
             TsRecording *recording,
             const TsLaneInfo *lane,
             const TsInspectorParts *parts)
{
  TsFactList *section = self->section[SECTION_LANE];
  const TsObject *object = ts_recording_get_object (recording, lane->object);
  const TsLaneStatistics *figures;
  gboolean is_of_lane = parts != NULL && parts->wanted.lane == lane->id;

  request_figures (self, recording);
  if (is_of_lane && parts->has_slice)
    ts_fact_list_add (section, _ ("At the cursor"),
                      ts_lane_describe_state (recording, lane, &parts->slice));
  if (object != NULL && object->base_priority != TS_OBJECT_UNKNOWN &&
      object->base_priority != lane->priority)
    ts_fact_list_add (section, _ ("Base priority"),
                      g_strdup_printf ("%" G_GINT64_FORMAT, object->base_priority));
  figures = self->figures != NULL ? ts_statistics_find (self->figures, lane->id) : NULL;
  if (figures != NULL)
    update_figures (self, recording, figures);
  else if (lane->kind == TS_LANE_CPU && is_of_lane && parts->has_column)
    ts_fact_list_add (section, _ ("Load"),
                      ts_format_percent (parts->column.ticks[TS_STATE_RUNNING],
                                         ts_recording_get_duration (recording)));
  update_histogram (self, recording, figures);
  if (lane->kind == TS_LANE_VALUE && is_of_lane && parts->has_column && parts->column.has_value)
    {
      const TsColumn *column = &parts->column;
      const char *unit = object != NULL ? object->unit : NULL;

      ts_fact_list_add (section, _ ("Samples"), ts_format_count (column->count));
      ts_fact_list_add (section, _ ("Smallest"), ts_format_value (column->min, unit));
      ts_fact_list_add (section, _ ("Largest"), ts_format_value (column->max, unit));
      ts_fact_list_add (section, _ ("Last"), ts_format_value (column->last, unit));
    }
}

static void
update_slice (TsInspector *self,
              TsRecording *recording,
              const TsLaneInfo *lane,
              const TsSlice *slice)
{
  TsFactList *section = self->section[SECTION_SLICE];

  if (slice->state == TS_STATE_POINT && lane->kind != TS_LANE_VALUE)
    {
      if (lane->kind == TS_LANE_MESSAGE)
        ts_fact_list_add (section, _ ("Text"),
                          g_strdup (ts_recording_get_string (recording, slice->arg)));
      else if ((slice->kind & TS_SLICE_KIND_MASK) != 0)
        ts_fact_list_add (section, _ ("Event"),
                          g_strdup (ts_kind_describe (slice->kind & TS_SLICE_KIND_MASK)));
      ts_fact_list_add (section, _ ("Time"),
                        ts_view_state_format_time (self->view, slice->begin));
      return;
    }
  if (lane->kind == TS_LANE_VALUE)
    {
      const TsObject *object = ts_recording_get_object (recording, lane->object);

      ts_fact_list_add (section, _ ("Value"),
                        ts_format_value (slice->value, object != NULL ? object->unit : NULL));
    }
  else
    ts_fact_list_add (section, _ ("State"), ts_lane_describe_state (recording, lane, slice));
  ts_fact_list_add (section, _ ("Begin"),
                    ts_view_state_format_time (self->view, slice->begin));
  if ((slice->kind & TS_SLICE_OPEN) != 0)
    ts_fact_list_add (section, _ ("End"), g_strdup (_ ("not seen")));
  else
    ts_fact_list_add (section, _ ("End"), ts_view_state_format_time (self->view, slice->end));
  ts_fact_list_add (section, _ ("Duration"),
                    ts_format_duration (recording, slice->end - slice->begin));
}

static void
update_range (TsInspector *self,
              TsRecording *recording,
              const TsInspectorParts *parts)
{
  TsFactList *section = self->section[SECTION_RANGE];
  guint64 hz = ts_recording_get_clock_hz (recording);
  gint64 begin;
  gint64 end;

  if (!ts_view_state_get_range (self->view, &begin, &end) || end <= begin)
    return;
  ts_fact_list_add (section, _ ("Begin"), ts_view_state_format_time (self->view, begin));
  ts_fact_list_add (section, _ ("Length"), ts_format_duration (recording, end - begin));
  ts_fact_list_add (section, _ ("Ticks"), ts_format_count (end - begin));
  if (hz > 0)
    {
      double frequency = (double) hz / (double) (end - begin);

      ts_fact_list_add (section, _ ("Frequency"),
                        frequency >= 1000.0 ? ts_format_hz ((guint64) (frequency + 0.5))
                                            : ts_format_localize (g_strdup_printf ("%.3f\xe2\x80\x89Hz", frequency)));
    }
  if (parts == NULL || !parts->wanted.has_range)
    {
      ts_fact_list_add (section, _ ("Events"), g_strdup ("…"));
      return;
    }
  if (parts->first_row > 0 && parts->row_after >= parts->first_row)
    ts_fact_list_add (section, _ ("Events"),
                      ts_format_count (parts->row_after - parts->first_row));
  if (parts->n_cores > 0)
    ts_fact_list_add (section, _ ("CPU load"),
                      ts_format_percent (parts->busy, (parts->wanted.end - parts->wanted.begin)
                                                          * parts->n_cores));
  if (parts->n_lost >= 0)
    ts_fact_list_add (section, _ ("Lost"), ts_format_count ((guint64) parts->n_lost));
}

/* Recordings hold it in English; what is no word of ours is an error's sentence. */
static char *
dup_end_reason (const char *reason)
{
  static const char * const known[] = { N_ ("end of source"), N_ ("stopped"),   N_ ("trigger"),
                                        N_ ("duration"),      N_ ("no packet"), N_ ("snapshot") };

  for (guint i = 0; i < G_N_ELEMENTS (known) && reason != NULL; i++)
    if (g_str_equal (reason, known[i]))
      return g_strdup (_ (known[i]));
  return g_strdup (reason);
}

static void
update_recording (TsInspector *self,
                  TsRecording *recording,
                  const TsInspectorParts *parts)
{
  TsFactList *section = self->section[SECTION_RECORDING];
  static const TsInspectorParts nothing;
  guint64 hz = ts_recording_get_clock_hz (recording);

  if (parts == NULL)
    parts = &nothing;
  ts_fact_list_add (section, _ ("System"), g_strdup (parts->os));
  if (hz > 0)
    ts_fact_list_add (section, _ ("Clock"), ts_format_hz (hz));
  ts_fact_list_add (section, _ ("Duration"),
                    ts_format_duration (recording, ts_recording_get_duration (recording)));
  ts_fact_list_add (section, _ ("Events"), ts_format_count (ts_recording_get_n_events (recording)));
  if (parts->lost != NULL)
    ts_fact_list_add (section, _ ("Lost"),
                      ts_format_count (g_ascii_strtoull (parts->lost, NULL, 10)));
  if (parts->corrupt != NULL)
    ts_fact_list_add (section, _ ("Corrupt"),
                      ts_format_bytes (g_ascii_strtoull (parts->corrupt, NULL, 10)));
  ts_fact_list_add (section, _ ("Source"), g_strdup (parts->source));
  if (!ts_recording_is_live (recording))
    ts_fact_list_add (section, _ ("Ended"), dup_end_reason (parts->end_reason));
}

static void
set_title (TsInspector *self,
           const char *title)
{
  g_autofree char *marked = NULL;

  if (self->mark != NULL)
    title = marked = g_strdup_printf ("%s %s", self->mark, title);
  gtk_label_set_text (self->title_label, title);
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

      set_title (self, _ ("Recording"));
      gtk_label_set_text (self->subtitle_label, base);
      return;
    }
  object = ts_recording_get_object (recording, lane->object);
  set_title (self, object != NULL && object->name != NULL ? object->name : lane->name);
  if (lane->kind == TS_LANE_TASK && lane->priority != TS_OBJECT_UNKNOWN)
    subtitle = g_strdup_printf (_ ("%s · priority %" PRId64), ts_lane_describe_kind (lane),
                                lane->priority);
  else
    subtitle = g_strdup (ts_lane_describe_kind (lane));
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
    ts_fact_list_begin (self->section[i]);
  if ((gpointer) recording != self->asked.recording)
    {
      ts_worker_cancel (self->worker);
      g_clear_handle_id (&self->figures_id, g_source_remove);
      g_clear_pointer (&self->figures, ts_statistics_free);
      self->asked = (TsFiguresKey) { 0 };
    }
  if (recording != NULL)
    {
      const TsInspectorParts *parts;

      lane_id = ts_view_state_get_selected_lane (self->view);
      lane = lane_id != 0 ? ts_recording_get_lane (recording, lane_id) : NULL;
      parts = get_parts (self, recording, lane);
      if (lane != NULL)
        update_lane (self, recording, lane, parts);
      if (lane != NULL && ts_view_state_get_selected_slice (self->view, &slice))
        update_slice (self, recording, lane, &slice);
      if (parts != NULL && parts->has_event)
        ts_event_facts_add (self->section[SECTION_EVENT], self->view, parts->row, &parts->event);
      ts_raw_facts_add (self->raw_facts, self->section[SECTION_EVENT], recording,
                        parts != NULL && parts->has_event ? parts->row : 0);
      update_range (self, recording, parts);
      if (lane == NULL)
        update_recording (self, recording, parts);
    }
  else
    ts_raw_facts_add (self->raw_facts, self->section[SECTION_EVENT], NULL, 0);
  if (lane == NULL)
    gtk_widget_set_visible (self->histogram_box, FALSE);
  update_titles (self, recording, lane);
  gtk_widget_set_visible (self->zoom_button,
                          ts_fact_list_get_n_rows (self->section[SECTION_RANGE]) > 0);
  for (i = 0; i < N_SECTIONS; i++)
    ts_fact_list_end (self->section[i]);
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

/* What was lacking has come: at once, it was waited for. */
static void
on_parts (gpointer user_data)
{
  TsInspector *self = user_data;

  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update (self);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
on_go_to (TsFactList *list,
          gint64 begin,
          gint64 end,
          TsInspector *self)
{
  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, begin, end);
}

static void
init_section (TsInspector *self,
              SectionId id,
              const char *title)
{
  GtkWidget *list = ts_fact_list_new (title);

  g_signal_connect_object (list, "go-to", G_CALLBACK (on_go_to), self, 0);
  gtk_box_append (self->sections, list);
  self->section[id] = TS_FACT_LIST (list);
}

static GtkLabel *
new_caption (GtkWidget *box)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static void
init_histogram (TsInspector *self)
{
  GtkWidget *ends = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  const char *titles[G_N_ELEMENTS (measures) + 1] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (measures); i++)
    titles[i] = _ (measures[i].title);
  self->histogram_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  self->measure_drop = gtk_drop_down_new_from_strings (titles);
  gtk_widget_add_css_class (self->measure_drop, "flat");
  gtk_widget_add_css_class (self->measure_drop, "measure");
  gtk_widget_set_halign (self->measure_drop, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (self->measure_drop, _ ("What the Histogram Is of"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->measure_drop),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("What the Histogram Is of"),
                                  -1);
  g_signal_connect_object (self->measure_drop, "notify::selected", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  self->histogram = ts_histogram_new ();
  gtk_widget_set_tooltip_text (self->histogram,
                               /* xgettext:no-c-format */
                               _ ("How often it took how long; red: beyond 99 % of all"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->histogram), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Histogram"), -1);
  self->low_label = new_caption (ends);
  self->high_label = new_caption (ends);
  gtk_widget_set_hexpand (GTK_WIDGET (self->high_label), TRUE);
  gtk_label_set_xalign (self->high_label, 1);
  gtk_box_append (GTK_BOX (self->histogram_box), self->measure_drop);
  gtk_box_append (GTK_BOX (self->histogram_box), self->histogram);
  gtk_box_append (GTK_BOX (self->histogram_box), ends);
  gtk_box_append (self->sections, self->histogram_box);
}

static void
ts_inspector_dispose (GObject *object)
{
  TsInspector *self = TS_INSPECTOR (object);
  GtkWidget *child;

  g_clear_handle_id (&self->update_id, g_source_remove);
  g_clear_handle_id (&self->figures_id, g_source_remove);
  if (self->worker != NULL)
    ts_worker_cancel (self->worker);
  g_clear_object (&self->worker);
  g_clear_pointer (&self->raw_facts, ts_raw_facts_free);
  g_clear_pointer (&self->parts, ts_inspector_parts_free);
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

  g_clear_pointer (&self->figures, ts_statistics_free);
  g_clear_pointer (&self->mark, g_free);
  G_OBJECT_CLASS (ts_inspector_parent_class)->finalize (object);
}

static void
ts_inspector_class_init (TsInspectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ts_inspector_dispose;
  object_class->finalize = ts_inspector_finalize;
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
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
  self->worker = ts_worker_new ("[ts-ui] figures of lanes");
  self->raw_facts = ts_raw_facts_new (G_CALLBACK (queue_update), self);
  self->parts = ts_inspector_parts_new (on_parts, self);
  init_section (self, SECTION_LANE, NULL);
  init_section (self, SECTION_RANGE, _ ("Selected range"));
  init_section (self, SECTION_SLICE, _ ("Selected slice"));
  init_section (self, SECTION_EVENT, _ ("Selected event"));
  init_section (self, SECTION_RECORDING, NULL);
  init_histogram (self);
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
 * ts_inspector_get_view:
 * @self: an inspector
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): whose selection it shows
 */
TsViewState *
ts_inspector_get_view (TsInspector *self)
{
  g_return_val_if_fail (TS_IS_INSPECTOR (self), NULL);
  return self->view;
}

/**
 * ts_inspector_set_mark:
 * @self: an inspector
 * @mark: (nullable): stands before the title: which of two recordings it is about
 *
 * Thread: main
 */
void
ts_inspector_set_mark (TsInspector *self,
                       const char *mark)
{
  g_return_if_fail (TS_IS_INSPECTOR (self));
  if (g_strcmp0 (mark, self->mark) == 0)
    return;
  g_free (self->mark);
  self->mark = g_strdup (mark);
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
