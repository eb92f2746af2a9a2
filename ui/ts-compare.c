/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-compare-private.h"
#include "ui/ts-compare.h"
#include "ui/ts-worker.h"

/* A range is dragged out before it is worth computing for. */
#define DELAY_MS 150
/* Times beyond this are as good as at the end of all times. */
#define MAX_TICKS (G_GINT64_CONSTANT (1) << 60)

/**
 * Side: what is asked of one of the recordings.
 * @worker, @finder: for its figures, and for its findings
 * @begin, @end: the range its figures are of; 0 and -1: all
 */
typedef struct
{
  TsWorker *worker;
  TsWorker *finder;
  TsStatistics *statistics;
  GPtrArray *findings;
  gint64 begin;
  gint64 end;
} Side;

/**
 * TsCompare:
 * @first: the view above
 * @second: the view below
 * @anchor_first, @anchor_second: these two times stand below one another
 * @is_syncing: one view is made to show what the other does
 * @scroll_y: how far the lanes of each were scrolled when that was last looked at
 * @asked_begin, @asked_end: the range of the table
 */
struct _TsCompare
{
  GtkWidget parent_instance;

  GtkLabel *name_label;
  GtkLabel *offset_label;
  GtkWidget *align_drop;
  TsTimeline *timeline;
  TsTable *table;
  TsTable *findings;
  GtkWidget *status;
  GtkWidget *findings_status;
  GtkWidget *link_button;

  TsViewState *first;
  TsViewState *second;
  GSignalGroup *first_signals;
  GSignalGroup *second_signals;
  TsSession *session;
  TsAlignment alignment;
  gint64 anchor_first;
  gint64 anchor_second;
  gboolean is_syncing;
  gboolean is_choosing;
  int scroll_y[2];

  Side sides[2];
  gboolean is_asked;
  gint64 asked_begin;
  gint64 asked_end;
  guint delay_id;
};

enum
{
  SIGNAL_ALIGN,
  SIGNAL_GO_TO,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsCompare, ts_compare, GTK_TYPE_WIDGET)

/* --- times ------------------------------------------------------------------------------------ */

/* Clocks that are not known count alike. */
static gint64
convert (TsRecording *from,
         TsRecording *to,
         gint64 ticks)
{
  guint64 from_hz = ts_recording_get_clock_hz (from);
  guint64 to_hz = ts_recording_get_clock_hz (to);
  __int128 product;

  if (from_hz == 0 || to_hz == 0 || from_hz == to_hz)
    return ticks;
  product = (__int128) ticks * (__int128) to_hz;
  product = (product + (product < 0 ? -(__int128) from_hz : (__int128) from_hz) / 2) /
            (__int128) from_hz;
  return (gint64) CLAMP (product, -(__int128) MAX_TICKS, (__int128) MAX_TICKS);
}

static TsRecording *
get_first (TsCompare *self)
{
  return ts_view_state_get_recording (self->first);
}

static TsRecording *
get_second (TsCompare *self)
{
  return ts_view_state_get_recording (self->second);
}

/**
 * ts_compare_to_second:
 * @self: a comparison
 * @tick: a time of the first recording
 *
 * Thread: main
 *
 * Returns: the time of the second that stands below it
 */
gint64
ts_compare_to_second (TsCompare *self,
                      gint64 tick)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), 0);
  return self->anchor_second +
         convert (get_first (self), get_second (self), tick - self->anchor_first);
}

/**
 * ts_compare_to_first:
 * @self: a comparison
 * @tick: a time of the second recording
 *
 * Thread: main
 *
 * Returns: the time of the first that stands above it
 */
gint64
ts_compare_to_first (TsCompare *self,
                     gint64 tick)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), 0);
  return self->anchor_first +
         convert (get_second (self), get_first (self), tick - self->anchor_second);
}

static gint64
map_to_first (gpointer user_data,
              gint64 tick)
{
  return ts_compare_to_first (user_data, tick);
}

/* --- seen together ---------------------------------------------------------------------------- */

static void queue_figures (TsCompare *self);

static void
show_offset (TsCompare *self)
{
  gint64 offset = self->anchor_first - convert (get_second (self), get_first (self),
                                                self->anchor_second);
  g_autofree char *length = ts_format_duration (get_first (self), ABS (offset));
  g_autofree char *text = NULL;

  /* translators: by how much the second recording is moved: a sign and a duration */
  text = g_strdup_printf (_ ("moved by %s%s"), offset < 0 ? "\xe2\x88\x92" : "+", length);
  gtk_label_set_text (self->offset_label, offset != 0 ? text : "");
}

static void
show_second (TsCompare *self)
{
  gint64 begin = ts_view_state_get_begin (self->first);
  gint64 span = ts_view_state_get_span (self->first);

  self->is_syncing = TRUE;
  ts_view_state_set_visible (self->second, ts_compare_to_second (self, begin),
                             convert (get_first (self), get_second (self), span));
  self->is_syncing = FALSE;
}

static gboolean
is_linked (TsCompare *self)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->link_button));
}

static void
check_scroll (TsCompare *self,
              guint side)
{
  TsViewState *view = side == 0 ? self->first : self->second;
  TsViewState *other = side == 0 ? self->second : self->first;
  int scroll_y = ts_view_state_get_scroll_y (view);

  if (scroll_y == self->scroll_y[side])
    return;
  self->scroll_y[side] = scroll_y;
  if (!is_linked (self))
    return;
  self->is_syncing = TRUE;
  _ts_compare_scroll (view, other);
  self->is_syncing = FALSE;
  self->scroll_y[1 - side] = ts_view_state_get_scroll_y (other);
}

static void
on_link_toggled (TsCompare *self)
{
  if (!is_linked (self) || get_first (self) == NULL)
    return;
  self->is_syncing = TRUE;
  _ts_compare_scroll (self->first, self->second);
  self->is_syncing = FALSE;
}

static void
on_first_changed (TsCompare *self)
{
  if (self->is_syncing || get_first (self) == NULL || get_second (self) == NULL)
    return;
  check_scroll (self, 0);
  show_second (self);
  queue_figures (self);
}

/* By hand, a move of the lower one is a move against the upper one; a zoom is of both. */
static void
on_second_changed (TsCompare *self)
{
  gint64 begin;
  gint64 span;

  if (self->is_syncing || get_first (self) == NULL || get_second (self) == NULL)
    return;
  check_scroll (self, 1);
  begin = ts_view_state_get_begin (self->second);
  span = ts_view_state_get_span (self->second);
  if (self->alignment == TS_ALIGN_HAND &&
      span == convert (get_first (self), get_second (self), ts_view_state_get_span (self->first)))
    {
      self->anchor_first = ts_view_state_get_begin (self->first);
      self->anchor_second = begin;
      show_offset (self);
      queue_figures (self);
      return;
    }
  self->is_syncing = TRUE;
  ts_view_state_set_visible (self->first, ts_compare_to_first (self, begin),
                             convert (get_second (self), get_first (self), span));
  self->is_syncing = FALSE;
}

/* --- figures ---------------------------------------------------------------------------------- */

static gpointer
figures_thread (TsRecording *recording,
                gpointer data,
                GCancellable *cancellable,
                GError **error)
{
  const gint64 *range = data;
  gint64 end = range[1] >= 0 ? range[1] : ts_recording_get_duration (recording) + 1;

  return ts_statistics_new (recording, MAX (range[0], 0), MAX (end, 0), 0, cancellable, error);
}

static gpointer
findings_thread (TsRecording *recording,
                 gpointer data,
                 GCancellable *cancellable,
                 GError **error)
{
  const gint64 *range = data;
  gint64 end = range[1] >= 0 ? range[1] : ts_recording_get_duration (recording) + 1;

  return ts_findings_list (recording, MAX (range[0], 0), MAX (end, 0), cancellable, error);
}

static void
show_findings (TsCompare *self)
{
  TsCompareSide first = { get_first (self), NULL, self->sides[0].findings };
  TsCompareSide second = { get_second (self), NULL, self->sides[1].findings };
  g_autoptr (GPtrArray) rows = NULL;

  if (first.findings == NULL || second.findings == NULL)
    return;
  rows = _ts_compare_make_finding_rows (&first, &second, map_to_first, self);
  ts_table_set_rows (self->findings, rows);
}

static void
take_findings (TsCompare *self,
               guint side,
               GPtrArray *findings,
               const GError *error)
{
  if (findings == NULL)
    {
      gtk_label_set_text (GTK_LABEL (self->findings_status), error->message);
      return;
    }
  g_clear_pointer (&self->sides[side].findings, g_ptr_array_unref);
  self->sides[side].findings = findings;
  show_findings (self);
}

static void
on_first_findings (gpointer result,
                   const GError *error,
                   gpointer user_data)
{
  take_findings (user_data, 0, result, error);
}

static void
on_second_findings (gpointer result,
                    const GError *error,
                    gpointer user_data)
{
  take_findings (user_data, 1, result, error);
}

static void
show_figures (TsCompare *self)
{
  TsCompareSide first = { get_first (self), self->sides[0].statistics, NULL };
  TsCompareSide second = { get_second (self), self->sides[1].statistics, NULL };
  g_autoptr (GPtrArray) rows = NULL;

  if (first.statistics == NULL || second.statistics == NULL)
    return;
  rows = _ts_compare_make_rows (&first, &second, map_to_first, self);
  ts_table_set_rows (self->table, rows);
}

static void
take_figures (TsCompare *self,
              guint side,
              TsStatistics *statistics,
              const GError *error)
{
  if (statistics == NULL)
    {
      gtk_label_set_text (GTK_LABEL (self->status), error->message);
      return;
    }
  g_clear_pointer (&self->sides[side].statistics, ts_statistics_free);
  self->sides[side].statistics = statistics;
  show_figures (self);
}

static void
on_first_figures (gpointer result,
                  const GError *error,
                  gpointer user_data)
{
  take_figures (user_data, 0, result, error);
}

static void
on_second_figures (gpointer result,
                   const GError *error,
                   gpointer user_data)
{
  take_figures (user_data, 1, result, error);
}

static void
set_status (GtkWidget *status,
            const char *text)
{
  gtk_label_set_text (GTK_LABEL (status), text);
  gtk_widget_set_tooltip_text (status, text);
}

static void
ask (TsCompare *self,
     guint side,
     const gint64 range[2],
     TsWorkerDone on_figures,
     TsWorkerDone on_findings)
{
  TsRecording *recording = side == 0 ? get_first (self) : get_second (self);

  ts_worker_set_recording (self->sides[side].worker, recording);
  ts_worker_set_recording (self->sides[side].finder, recording);
  ts_worker_ask (self->sides[side].worker, figures_thread, g_memdup2 (range, 2 * sizeof range[0]),
                 g_free, (GDestroyNotify) ts_statistics_free, on_figures, self);
  ts_worker_ask (self->sides[side].finder, findings_thread, g_memdup2 (range, 2 * sizeof range[0]),
                 g_free, (GDestroyNotify) g_ptr_array_unref, on_findings, self);
}

static gboolean
on_delay (gpointer user_data)
{
  TsCompare *self = user_data;
  gint64 first[2] = { 0, -1 };
  gint64 second[2] = { 0, -1 };
  g_autofree char *length = NULL;
  g_autofree char *text = NULL;

  self->delay_id = 0;
  if (get_first (self) == NULL)
    return G_SOURCE_REMOVE;
  if (self->asked_end >= 0)
    {
      first[0] = self->asked_begin;
      first[1] = self->asked_end;
      second[0] = ts_compare_to_second (self, self->asked_begin);
      second[1] = MAX (ts_compare_to_second (self, self->asked_end), 0);
      length = ts_format_duration (get_first (self), self->asked_end - self->asked_begin);
      text = g_strdup_printf (_ ("Range of %s"), length);
    }
  if (text == NULL)
    text = g_strdup (_ ("Both recordings as a whole"));
  set_status (self->status, text);
  set_status (self->findings_status, text);
  ask (self, 0, first, on_first_figures, on_first_findings);
  ask (self, 1, second, on_second_figures, on_second_findings);
  return G_SOURCE_REMOVE;
}

/* Anew when the range is another one, or stands below another part. */
static void
queue_figures (TsCompare *self)
{
  gint64 begin;
  gint64 end;

  if (!ts_view_state_get_range (self->first, &begin, &end) || end <= begin)
    {
      begin = 0;
      end = -1;
    }
  if (self->is_asked && begin == self->asked_begin && end == self->asked_end)
    return;
  self->is_asked = TRUE;
  self->asked_begin = begin;
  self->asked_end = end;
  if (self->delay_id == 0)
    self->delay_id = g_timeout_add (DELAY_MS, on_delay, self);
}

/* --- alignment -------------------------------------------------------------------------------- */

/* Marks with the same note, else the first of each. */
static gboolean
find_marks (TsSession *first,
            TsSession *second,
            gint64 *a,
            gint64 *b)
{
  if (first == NULL || ts_session_get_n_marks (first) == 0 || ts_session_get_n_marks (second) == 0)
    return FALSE;
  *a = ts_session_get_mark (first, 0)->time;
  *b = ts_session_get_mark (second, 0)->time;
  for (guint i = 0; i < ts_session_get_n_marks (first); i++)
    for (guint j = 0; j < ts_session_get_n_marks (second); j++)
      {
        const TsMark *x = ts_session_get_mark (first, i);
        const TsMark *y = ts_session_get_mark (second, j);

        if (*x->note == '\0' || !g_str_equal (x->note, y->note))
          continue;
        *a = x->time;
        *b = y->time;
        return TRUE;
      }
  return TRUE;
}

/**
 * ts_compare_align:
 * @self: a comparison
 * @alignment: what stands below one another
 * @session: (nullable): that of the first recording, for its marks
 *
 * Thread: main
 *
 * Returns: %FALSE if there is no mark or cursor to go by; nothing changes then
 */
gboolean
ts_compare_align (TsCompare *self,
                  TsAlignment alignment,
                  TsSession *session)
{
  gint64 first = self->anchor_first;
  gint64 second = self->anchor_second;
  gboolean can_align = TRUE;

  g_return_val_if_fail (TS_IS_COMPARE (self), FALSE);
  g_return_val_if_fail (alignment < TS_N_ALIGNMENTS, FALSE);
  if (alignment == TS_ALIGN_BEGIN)
    first = second = 0;
  else if (alignment == TS_ALIGN_MARK)
    can_align = find_marks (session, self->session, &first, &second);
  else if (alignment == TS_ALIGN_CURSOR)
    {
      first = ts_view_state_get_cursor (self->first);
      second = ts_view_state_get_cursor (self->second);
      can_align = first >= 0 && second >= 0;
    }
  if (can_align)
    {
      self->alignment = alignment;
      self->anchor_first = first;
      self->anchor_second = second;
      show_second (self);
      show_offset (self);
      self->is_asked = FALSE;
      queue_figures (self);
    }
  self->is_choosing = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->align_drop), self->alignment);
  self->is_choosing = FALSE;
  return can_align;
}

static void
on_align_chosen (TsCompare *self)
{
  if (!self->is_choosing)
    g_signal_emit (self, signals[SIGNAL_ALIGN], 0,
                   gtk_drop_down_get_selected (GTK_DROP_DOWN (self->align_drop)));
}

/* --- life ------------------------------------------------------------------------------------- */

static void
on_go_to (TsTable *table,
          guint lane,
          gint64 begin,
          gint64 end,
          TsCompare *self)
{
  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, lane, begin, end);
}

static void
ts_compare_dispose (GObject *object)
{
  TsCompare *self = TS_COMPARE (object);
  GtkWidget *child;

  g_clear_handle_id (&self->delay_id, g_source_remove);
  for (guint i = 0; i < 2; i++)
    {
      if (self->sides[i].worker != NULL)
        ts_worker_cancel (self->sides[i].worker);
      if (self->sides[i].finder != NULL)
        ts_worker_cancel (self->sides[i].finder);
      g_clear_object (&self->sides[i].worker);
      g_clear_object (&self->sides[i].finder);
      g_clear_pointer (&self->sides[i].statistics, ts_statistics_free);
      g_clear_pointer (&self->sides[i].findings, g_ptr_array_unref);
    }
  if (self->first_signals != NULL)
    g_signal_group_set_target (self->first_signals, NULL);
  if (self->second_signals != NULL)
    g_signal_group_set_target (self->second_signals, NULL);
  g_clear_object (&self->first_signals);
  g_clear_object (&self->second_signals);
  if (self->first != NULL)
    ts_view_state_set_unbounded (self->first, FALSE);
  g_clear_object (&self->first);
  g_clear_object (&self->second);
  g_clear_object (&self->table);
  g_clear_object (&self->findings);
  g_clear_object (&self->status);
  g_clear_object (&self->findings_status);
  g_clear_pointer (&self->session, ts_session_free);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (ts_compare_parent_class)->dispose (object);
}

static void
ts_compare_class_init (TsCompareClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_compare_dispose;
  signals[SIGNAL_ALIGN] =
      g_signal_new ("align", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_INT64, G_TYPE_INT64);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
init_bar (TsCompare *self)
{
  const char *titles[TS_N_ALIGNMENTS + 1] = { _ ("Begins"), _ ("Marks"), _ ("Cursors"),
                                              _ ("By Hand"), NULL };
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");
  GtkWidget *label = gtk_label_new (_ ("aligned by"));

  self->name_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->name_label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (self->name_label, 0);
  gtk_widget_set_hexpand (GTK_WIDGET (self->name_label), TRUE);
  self->offset_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->offset_label), "numeric");
  gtk_widget_add_css_class (GTK_WIDGET (self->offset_label), "dim-label");
  gtk_widget_add_css_class (label, "dim-label");
  self->align_drop = gtk_drop_down_new_from_strings (titles);
  gtk_widget_set_tooltip_text (self->align_drop, _ ("Which Times Stand Below One Another"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->align_drop),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Alignment"), -1);
  g_signal_connect_object (self->align_drop, "notify::selected", G_CALLBACK (on_align_chosen),
                           self, G_CONNECT_SWAPPED);
  self->link_button = gtk_toggle_button_new ();
  gtk_button_set_icon_name (GTK_BUTTON (self->link_button), "insert-link-symbolic");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->link_button), TRUE);
  gtk_widget_add_css_class (self->link_button, "flat");
  gtk_widget_set_tooltip_text (self->link_button, _ ("Scroll Both Together"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->link_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Scroll Both Together"), -1);
  g_signal_connect_object (self->link_button, "toggled", G_CALLBACK (on_link_toggled), self,
                           G_CONNECT_SWAPPED);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "win.close-compare");
  gtk_widget_set_tooltip_text (close, _ ("End the Comparison"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("End the Comparison"), -1);
  gtk_widget_add_css_class (close, "flat");
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->name_label));
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->offset_label));
  gtk_box_append (GTK_BOX (bar), label);
  gtk_box_append (GTK_BOX (bar), self->align_drop);
  gtk_box_append (GTK_BOX (bar), self->link_button);
  gtk_box_append (GTK_BOX (bar), close);
  gtk_widget_add_css_class (bar, "compare-line");
  gtk_widget_set_parent (bar, GTK_WIDGET (self));
}

/* Stays when its page goes. */
static GtkWidget *
new_status (void)
{
  GtkWidget *status = g_object_ref_sink (gtk_label_new (NULL));

  gtk_label_set_xalign (GTK_LABEL (status), 1);
  gtk_label_set_ellipsize (GTK_LABEL (status), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (status, "dim-label");
  gtk_widget_add_css_class (status, "numeric");
  return status;
}

static void
ts_compare_init (TsCompare *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *bar;

  gtk_orientable_set_orientation (
      GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))),
      GTK_ORIENTATION_VERTICAL);
  init_bar (self);
  self->timeline = TS_TIMELINE (ts_timeline_new ());
  bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, ts_timeline_get_vadjustment (self->timeline));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->timeline));
  gtk_box_append (GTK_BOX (box), bar);
  gtk_widget_set_vexpand (box, TRUE);
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  self->table = g_object_ref_sink (TS_TABLE (ts_table_new (_ ("Compared figures"))));
  _ts_compare_add_columns (self->table);
  g_signal_connect_object (self->table, "go-to", G_CALLBACK (on_go_to), self, 0);
  self->findings =
      g_object_ref_sink (TS_TABLE (ts_table_new (_ ("Compared findings"))));
  _ts_compare_add_finding_columns (self->findings);
  g_signal_connect_object (self->findings, "go-to", G_CALLBACK (on_go_to), self, 0);
  self->status = new_status ();
  self->findings_status = new_status ();
  for (guint i = 0; i < 2; i++)
    {
      self->sides[i].worker = ts_worker_new ("[ts-ui] compared figures");
      self->sides[i].finder = ts_worker_new ("[ts-ui] compared findings");
    }
}

/**
 * ts_compare_new:
 * @first: the view above, of a recording; while the comparison lives it may look beyond its ends
 * @second: what to show below
 *
 * Thread: main
 *
 * Returns: (transfer floating): both seen together, aligned by their begins
 */
GtkWidget *
ts_compare_new (TsViewState *first,
                TsRecording *second)
{
  TsCompare *self = g_object_new (TS_TYPE_COMPARE, NULL);
  g_autofree char *base = g_path_get_basename (ts_recording_get_path (second));
  g_autofree char *length =
      ts_format_duration (second, ts_recording_get_duration (second));
  g_autofree char *text = g_strdup_printf ("② %s · %s", base, length);

  self->first = g_object_ref (first);
  self->second = ts_view_state_new ();
  ts_view_state_set_recording (self->second, second);
  ts_view_state_set_unbounded (self->first, TRUE);
  ts_view_state_set_unbounded (self->second, TRUE);
  self->session = ts_session_new (second);
  ts_session_load (self->session);
  ts_session_show_marks (self->session, self->second);
  gtk_label_set_text (self->name_label, text);
  ts_timeline_set_view (self->timeline, self->second);
  self->first_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->first_signals, "changed", G_CALLBACK (on_first_changed),
                                  self);
  g_signal_group_set_target (self->first_signals, self->first);
  self->second_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->second_signals, "changed",
                                  G_CALLBACK (on_second_changed), self);
  g_signal_group_set_target (self->second_signals, self->second);
  on_first_changed (self);
  return GTK_WIDGET (self);
}

/**
 * ts_compare_get_alignment:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: what stands below one another
 */
TsAlignment
ts_compare_get_alignment (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), TS_ALIGN_BEGIN);
  return self->alignment;
}

/**
 * ts_compare_get_view:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): the view of the second recording
 */
TsViewState *
ts_compare_get_view (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->second;
}

/**
 * ts_compare_get_timeline:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): the timeline of the second recording
 */
TsTimeline *
ts_compare_get_timeline (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->timeline;
}

/**
 * ts_compare_get_table:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): figures of both, for a place of its own
 */
TsTable *
ts_compare_get_table (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->table;
}

/**
 * ts_compare_get_status:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): a line that says what the figures are of
 */
GtkWidget *
ts_compare_get_status (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->status;
}

/**
 * ts_compare_get_findings:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): findings of both, for a place of its own
 */
TsTable *
ts_compare_get_findings (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->findings;
}

/**
 * ts_compare_get_findings_status:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: (transfer none): a line that says what the findings are of
 */
GtkWidget *
ts_compare_get_findings_status (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), NULL);
  return self->findings_status;
}

/**
 * ts_compare_set_linked:
 * @self: a comparison
 * @is_linked: when the lanes of one are scrolled, those of the other are; so it begins
 *
 * Thread: main
 */
void
ts_compare_set_linked (TsCompare *self,
                       gboolean is_linked)
{
  g_return_if_fail (TS_IS_COMPARE (self));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->link_button), is_linked);
}

/**
 * ts_compare_is_busy:
 * @self: a comparison
 *
 * Thread: main
 *
 * Returns: whether the tables are about to change
 */
gboolean
ts_compare_is_busy (TsCompare *self)
{
  g_return_val_if_fail (TS_IS_COMPARE (self), FALSE);
  return self->delay_id != 0 || ts_worker_is_busy (self->sides[0].worker) ||
         ts_worker_is_busy (self->sides[1].worker) || ts_worker_is_busy (self->sides[0].finder) ||
         ts_worker_is_busy (self->sides[1].finder);
}
