/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-histogram.c: how often a task took how long, against a recording whose every duration is worked
 * out by hand, and down to the bars that are drawn.
 *
 * One tick is a microsecond. The task Work waits for a semaphore from 0 on, is given it five times,
 * and waits again:
 *
 *   ready   runs              waits from
 *    1000   1010-1110          1110
 *    2000   2010-2110          2110
 *    3000   3020-3120 3170-3210  3210   (the task Other runs between)
 *    4000   4010-4110          4110
 *    5400   5490-5590          5590 to the end
 */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <math.h>
#include <string.h>

#include "model/ts-recording-writer.h"

#include "ui/ts-histogram.h"
#include "ui/ts-inspector.h"

#include "gui-test-util.h"

#define MAX_BARS 8
/* Pixels that the highest bar takes. */
#define HIGHEST 56

enum
{
  WORK = 1,
  IDLE,
  OTHER,
  SEMAPHORE
};

/* What the target says of the state of a task. */
enum
{
  READY = 1,
  BLOCKED = 3,
  ASLEEP = 4
};

/**
 * Expected:
 * @title: what is chosen
 * @low, @high: what stands below the first and the last bar
 * @bars: bin and number of values in it; 0 ends them; the rest of the 32 bins is empty
 */
typedef struct
{
  const char *title;
  const char *low;
  const char *high;
  struct
  {
    guint bin;
    guint count;
  } bars[MAX_BARS];
} Expected;

/* A value v is in bin (v - low) * 32 / (high + 1 - low). */
static const Expected expectations[] = {
  /* 40, five times 100 */
  { "Run time", "40.00\xe2\x80\x89µs", "100.0\xe2\x80\x89µs", { { 0, 1 }, { 31, 5 } } },
  /* four times 100, 140 */
  { "Execution time", "100.0\xe2\x80\x89µs", "140.0\xe2\x80\x89µs", { { 0, 4 }, { 31, 1 } } },
  /* three times 110, 190, 210 */
  { "Response time", "110.0\xe2\x80\x89µs", "210.0\xe2\x80\x89µs",
    { { 0, 3 }, { 25, 1 }, { 31, 1 } } },
  /* 990, 1000, 1010, 1480 */
  { "Period", "990.0\xe2\x80\x89µs", "1.480\xe2\x80\x89ms", { { 0, 2 }, { 1, 1 }, { 31, 1 } } },
  /* 790, twice 890, 1000 from the begin on, 1290 */
  { "Wait", "790.0\xe2\x80\x89µs", "1.290\xe2\x80\x89ms",
    { { 0, 1 }, { 6, 2 }, { 13, 1 }, { 31, 1 } } },
  /* three times 10, 20, 90 */
  { "Start latency", "10.00\xe2\x80\x89µs", "90.00\xe2\x80\x89µs",
    { { 0, 3 }, { 3, 1 }, { 31, 1 } } },
};

/* --- the recording ---------------------------------------------------------------------------- */

static void
add (GArray *events,
     gint64 time,
     TsEventKind kind,
     guint32 object,
     guint flags,
     gint64 value,
     gint64 detail)
{
  TsEvent event = { .time = time,
                    .object = object,
                    .kind = (guint16) kind,
                    .flags = (guint8) flags,
                    .value = value,
                    .detail = detail };

  g_array_append_val (events, event);
}

static void
add_switch (GArray *events,
            gint64 time,
            guint32 from,
            guint state,
            guint32 on,
            guint32 to)
{
  if (state != READY)
    add (events, time, TS_EVENT_TASK_STATE, from, 0, state, on);
  add (events, time, TS_EVENT_TASK_SWITCH, from, TS_EVENT_FLAG_END, 0, 0);
  if (state == READY)
    add (events, time, TS_EVENT_TASK_STATE, from, 0, READY, 0);
  add (events, time, TS_EVENT_TASK_SWITCH, to, TS_EVENT_FLAG_START, 0, 0);
}

static GArray *
make_events (void)
{
  static const gint64 ready[] = { 1000, 2000, 3000, 4000, 5400 };
  static const gint64 begin[] = { 1010, 2010, 3020, 4010, 5490 };
  static const gint64 end[] = { 1110, 2110, 3210, 4110, 5590 };
  GArray *events = g_array_new (FALSE, FALSE, sizeof (TsEvent));

  add (events, 0, TS_EVENT_TASK_STATE, WORK, 0, BLOCKED, SEMAPHORE);
  add (events, 0, TS_EVENT_TASK_SWITCH, IDLE, TS_EVENT_FLAG_START, 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (ready); i++)
    {
      add (events, ready[i], TS_EVENT_TASK_STATE, WORK, 0, READY, 0);
      add_switch (events, begin[i], IDLE, READY, 0, WORK);
      if (i == 2)
        {
          add_switch (events, 3120, WORK, READY, 0, OTHER);
          add_switch (events, 3170, OTHER, ASLEEP, 0, WORK);
        }
      add_switch (events, end[i], WORK, BLOCKED, SEMAPHORE, IDLE);
    }
  add (events, 7000, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  return events;
}

static void
define (TsEventSink *sink,
        guint32 id,
        TsObjectType type,
        const char *name,
        gint64 priority)
{
  TsObject object = TS_OBJECT_INIT;

  object.type = type;
  object.name = (char *) name;
  object.is_named = TRUE;
  object.is_idle = id == IDLE;
  object.wire_id = (gint32) id;
  object.priority = object.base_priority = priority;
  g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
}

static TsRecording *
make_recording (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "by-hand.vadb", NULL);
  const TsWriterOptions options = { 0 };
  g_autoptr (GArray) events = make_events ();
  g_autoptr (TsRecordingWriter) writer = NULL;
  g_autoptr (GError) error = NULL;
  TsRecording *recording;
  TsEventSink *sink;

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  writer = ts_recording_writer_new (path, &options, &error);
  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, 1000000);
  define (sink, WORK, TS_OBJECT_TASK, "Work", 3);
  define (sink, IDLE, TS_OBJECT_TASK, "IDLE", 0);
  define (sink, OTHER, TS_OBJECT_TASK, "Other", 4);
  define (sink, SEMAPHORE, TS_OBJECT_SEMAPHORE, "Sem", TS_OBJECT_UNKNOWN);
  sink->iface->events (sink, (const TsEvent *) (gpointer) events->data, events->len);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  return recording;
}

/* --- what is drawn ---------------------------------------------------------------------------- */

/**
 * Bar:
 * @height: pixels, from the lower edge up
 * @color: of it
 */
typedef struct
{
  double height;
  GdkRGBA color;
} Bar;

static void
collect_bars (GskRenderNode *node,
              GArray *bars)
{
  graphene_rect_t bounds;
  Bar bar;

  switch (gsk_render_node_get_node_type (node))
    {
    case GSK_CONTAINER_NODE:
      for (guint i = 0; i < gsk_container_node_get_n_children (node); i++)
        collect_bars (gsk_container_node_get_child (node, i), bars);
      break;
    case GSK_TRANSFORM_NODE:
      collect_bars (gsk_transform_node_get_child (node), bars);
      break;
    case GSK_CLIP_NODE:
      collect_bars (gsk_clip_node_get_child (node), bars);
      break;
    case GSK_COLOR_NODE:
      gsk_render_node_get_bounds (node, &bounds);
      bar = (Bar) { bounds.size.height, *gsk_color_node_get_color (node) };
      g_array_append_val (bars, bar);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* The bars that a histogram draws, from the left. */
static GArray *
draw (GtkWidget *histogram)
{
  GArray *bars = g_array_new (FALSE, FALSE, sizeof (Bar));
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GskRenderNode *node;

  GTK_WIDGET_GET_CLASS (histogram)->snapshot (histogram, snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  if (node != NULL)
    {
      collect_bars (node, bars);
      gsk_render_node_unref (node);
    }
  return bars;
}

static guint
get_count (const Expected *expected,
           guint bin)
{
  for (guint i = 0; i < MAX_BARS && expected->bars[i].count > 0; i++)
    if (expected->bars[i].bin == bin)
      return expected->bars[i].count;
  return 0;
}

/**
 * Shown:
 * @expected: what should be seen
 */
typedef struct
{
  GtkWidget *histogram;
  const Expected *expected;
} Shown;

static const char *
get_end (GtkWidget *histogram,
         gboolean is_last)
{
  GtkWidget *ends = gtk_widget_get_next_sibling (histogram);

  return gtk_label_get_text (GTK_LABEL (is_last ? gtk_widget_get_last_child (ends)
                                                : gtk_widget_get_first_child (ends)));
}

static gboolean
has_ends (gpointer user_data)
{
  Shown *shown = user_data;

  return g_str_equal (get_end (shown->histogram, FALSE), shown->expected->low)
         && g_str_equal (get_end (shown->histogram, TRUE), shown->expected->high);
}

/* --- tests ------------------------------------------------------------------------------------ */

static GtkDropDown *
find_choice (GtkWidget *root)
{
  GtkWidget *found = NULL;

  if (GTK_IS_DROP_DOWN (root))
    return GTK_DROP_DOWN (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = (GtkWidget *) find_choice (child);
  return (GtkDropDown *) found;
}

static void
choose (GtkDropDown *choice,
        const char *title)
{
  GtkStringList *titles = GTK_STRING_LIST (gtk_drop_down_get_model (choice));
  guint n = g_list_model_get_n_items (G_LIST_MODEL (titles));

  for (guint i = 0; i < n; i++)
    if (g_str_equal (gtk_string_list_get_string (titles, i), title))
      {
        gtk_drop_down_set_selected (choice, i);
        return;
      }
  g_assert_not_reached ();
}

static gboolean
has_histogram (gpointer user_data)
{
  GtkWidget *histogram = user_data;

  return gtk_widget_get_mapped (histogram) && gtk_widget_get_width (histogram) > 0;
}

static guint32
find_lane (TsRecording *recording,
           const char *name)
{
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (g_strcmp0 (lanes[i].name, name) == 0)
      return lanes[i].id;
  g_assert_not_reached ();
}

/* Each figure that has a distribution is offered, and its bars are those of its values. */
static void
test_measures (void)
{
  g_autoptr (TsRecording) recording = make_recording ();
  g_autoptr (TsViewState) view = ts_view_state_new ();
  GtkWidget *inspector = ts_inspector_new ();
  GtkWindow *window = gui_test_show (inspector, 320, 900);
  GtkWidget *histogram = gui_test_find (inspector, TS_TYPE_HISTOGRAM);
  GtkDropDown *choice = find_choice (inspector);

  g_assert_false (gtk_widget_get_mapped (histogram));
  ts_inspector_set_view (TS_INSPECTOR (inspector), view);
  ts_view_state_set_recording (view, recording);
  ts_view_state_select_lane (view, find_lane (recording, "Work"));
  gui_test_wait (has_histogram, histogram);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (choice)), ==,
                    G_N_ELEMENTS (expectations));
  gtk_test_accessible_assert_property (choice, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "What the Histogram Is of");
  for (guint i = 0; i < G_N_ELEMENTS (expectations); i++)
    {
      const Expected *expected = &expectations[i];
      Shown shown = { histogram, expected };
      g_autoptr (GArray) bars = NULL;
      guint most = 0;

      g_test_message ("%s", expected->title);
      choose (choice, expected->title);
      gui_test_wait (has_ends, &shown);
      bars = draw (histogram);
      g_assert_cmpuint (bars->len, ==, TS_HISTOGRAM_BINS);
      g_assert_cmpint (gtk_widget_get_height (histogram), ==, HIGHEST);
      for (guint bin = 0; bin < TS_HISTOGRAM_BINS; bin++)
        most = MAX (most, get_count (expected, bin));
      for (guint bin = 0; bin < TS_HISTOGRAM_BINS; bin++)
        {
          guint count = get_count (expected, bin);
          double height = round (HIGHEST * sqrt ((double) count / most));

          g_test_message ("bin %u: %u", bin, count);
          g_assert_cmpfloat (g_array_index (bars, Bar, bin).height, ==, count > 0 ? height : 1);
        }
    }
  gtk_window_destroy (window);
}

/* 100 values, one far out: 4 in one bin, 95 in another, 1 in the last. */
static void
test_bars (void)
{
  static const guint64 none[TS_HISTOGRAM_BINS];
  guint64 bins[TS_HISTOGRAM_BINS] = { [3] = 4, [4] = 95, [31] = 1 };
  GtkWidget *histogram = ts_histogram_new ();
  GtkWindow *window = gui_test_show (histogram, 320, HIGHEST);
  g_autoptr (GArray) empty = NULL;
  g_autoptr (GArray) bars = NULL;
  g_autoptr (GArray) again = NULL;
  const Bar *usual;
  const Bar *outlier;

  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (histogram)), ==,
                   GTK_ACCESSIBLE_ROLE_IMG);
  empty = draw (histogram);
  g_assert_cmpuint (empty->len, ==, 0);
  ts_histogram_set (TS_HISTOGRAM (histogram), bins, TS_HISTOGRAM_BINS, 5);
  bars = draw (histogram);
  g_assert_cmpuint (bars->len, ==, TS_HISTOGRAM_BINS);
  /* sqrt (4 / 95) = 0.2052: 11.49 pixels; sqrt (1 / 95) = 0.1026: 5.75 */
  g_assert_cmpfloat (g_array_index (bars, Bar, 3).height, ==, 11);
  g_assert_cmpfloat (g_array_index (bars, Bar, 4).height, ==, HIGHEST);
  g_assert_cmpfloat (g_array_index (bars, Bar, 31).height, ==, 6);
  g_assert_cmpfloat (g_array_index (bars, Bar, 20).height, ==, 1);
  usual = &g_array_index (bars, Bar, 4);
  outlier = &g_array_index (bars, Bar, 31);
  g_assert_true (gdk_rgba_equal (&g_array_index (bars, Bar, 3).color, &usual->color));
  g_assert_false (gdk_rgba_equal (&usual->color, &outlier->color));
  g_assert_cmpfloat (outlier->color.red, >, outlier->color.blue);
  ts_histogram_set (TS_HISTOGRAM (histogram), none, 0, 0);
  again = draw (histogram);
  g_assert_cmpuint (again->len, ==, 0);
  gtk_window_destroy (window);
}

int
main (int argc,
      char **argv)
{
  if (!gui_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/gui/histogram/measures", test_measures);
  g_test_add_func ("/gui/histogram/bars", test_bars);
  return g_test_run ();
}
