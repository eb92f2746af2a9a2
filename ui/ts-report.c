/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-report-private.h"

/* A range is dragged out before it is worth computing for; a capture grows all the time. */
#define DELAY_MS 150
#define LIVE_INTERVAL_US (2 * G_USEC_PER_SEC)

/**
 * TsReport:
 * @worker: the recording once more, for the thread; not touched here while @is_busy
 * @worker_of: the recording it was made from, only compared
 * @begin, @end: the range asked for last, 0 and -1 for everything
 * @n_rows: rows the recording had then
 * @asked_us: when that was
 * @is_stale: what is shown is not what the view says
 * @cancellable: of the request that runs
 */
struct _TsReport
{
  GtkWidget parent_instance;

  TsReportKind kind;
  TsTable *table;
  GtkWidget *empty;
  GtkWidget *status;
  GtkWidget *spinner;
  GtkLabel *status_label;

  TsViewState *view;
  GSignalGroup *view_signals;
  TsRecording *worker;
  gpointer worker_of;
  gint64 begin;
  gint64 end;
  guint64 n_rows;
  gint64 asked_us;
  gboolean is_stale;
  gboolean is_busy;
  guint delay_id;
  GCancellable *cancellable;
};

enum
{
  SIGNAL_GO_TO,
  SIGNAL_UPDATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsReport, ts_report, GTK_TYPE_WIDGET)

static const TsReportFunc funcs[TS_N_REPORTS] = {
  _ts_report_statistics,
  _ts_report_findings,
  _ts_report_communication,
};

void
_ts_report_result_free (TsReportResult *self)
{
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  g_free (self->note);
  g_free (self);
}

/* --- on the thread ---------------------------------------------------------------------------- */

typedef struct
{
  TsReportFunc func;
  TsRecording *recording;
  gint64 begin;
  gint64 end;
} Request;

static void
request_free (Request *request)
{
  g_object_unref (request->recording);
  g_free (request);
}

static void
report_thread (GTask *task,
               gpointer source,
               gpointer data,
               GCancellable *cancellable)
{
  Request *request = data;
  TsReportResult *result = g_new0 (TsReportResult, 1);
  gint64 end = request->end;
  GError *error = NULL;

  ts_recording_refresh (request->recording);
  if (end < 0)
    end = ts_recording_get_duration (request->recording) + 1;
  result->rows = g_ptr_array_new_with_free_func (g_object_unref);
  if (request->func (request->recording, request->begin, end, result, cancellable, &error))
    {
      g_task_return_pointer (task, result, (GDestroyNotify) _ts_report_result_free);
      return;
    }
  _ts_report_result_free (result);
  g_task_return_error (task, error);
}

/* --- asking ----------------------------------------------------------------------------------- */

static void ask (TsReport *self);

static void
show_status (TsReport *self,
             const char *note)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  g_autofree char *length = NULL;
  g_autofree char *text = NULL;

  if (recording == NULL)
    {
      gtk_label_set_text (self->status_label, "");
      return;
    }
  if (self->end >= 0)
    {
      length = ts_format_duration (recording, self->end - self->begin);
      /* translators: what figures are of: a selected range of that length */
      text = g_strdup_printf (_ ("Range of %s"), length);
    }
  else
    text = g_strdup (_ ("Whole recording"));
  if (note != NULL)
    {
      g_autofree char *both = g_strconcat (text, " · ", note, NULL);

      gtk_label_set_text (self->status_label, both);
    }
  else
    gtk_label_set_text (self->status_label, text);
}

static void
on_result (GObject *source,
           GAsyncResult *task,
           gpointer user_data)
{
  g_autoptr (TsReport) self = user_data;
  g_autoptr (GError) error = NULL;
  TsReportResult *result = g_task_propagate_pointer (G_TASK (task), &error);

  self->is_busy = FALSE;
  if (self->view == NULL)
    {
      g_clear_pointer (&result, _ts_report_result_free);
      return;
    }
  if (result != NULL && self->worker != NULL)
    {
      ts_table_set_rows (self->table, result->rows);
      gtk_widget_set_visible (self->empty, result->rows->len == 0);
      show_status (self, result->note);
      if (self->kind == TS_REPORT_FINDINGS && result->spans != NULL)
        ts_view_state_set_findings (self->view, (const TsViewSpan *) result->spans->data,
                                    result->spans->len);
      g_signal_emit (self, signals[SIGNAL_UPDATED], 0);
    }
  else if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      show_status (self, error->message);
    }
  g_clear_pointer (&result, _ts_report_result_free);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), FALSE);
  gtk_widget_set_visible (self->spinner, FALSE);
  if (self->is_stale)
    ask (self);
}

static gboolean
on_delay (gpointer user_data)
{
  TsReport *self = user_data;
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autoptr (GTask) task = NULL;
  g_autoptr (GError) error = NULL;
  Request *request;

  self->delay_id = 0;
  if (self->is_busy || recording == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return G_SOURCE_REMOVE;
  if (self->worker == NULL)
    {
      self->worker = ts_recording_reopen (recording, &error);
      self->worker_of = recording;
    }
  if (self->worker == NULL)
    {
      show_status (self, error->message);
      return G_SOURCE_REMOVE;
    }
  self->is_stale = FALSE;
  self->is_busy = TRUE;
  self->asked_us = g_get_monotonic_time ();
  self->n_rows = ts_recording_get_n_rows (recording);
  if (!ts_view_state_get_range (self->view, &self->begin, &self->end) || self->end <= self->begin)
    {
      self->begin = 0;
      self->end = -1;
    }
  gtk_widget_set_visible (self->spinner, TRUE);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), TRUE);
  request = g_new0 (Request, 1);
  request->func = funcs[self->kind];
  request->recording = g_object_ref (self->worker);
  request->begin = self->begin;
  request->end = self->end;
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  task = g_task_new (NULL, self->cancellable, on_result, g_object_ref (self));
  g_task_set_source_tag (task, on_delay);
  g_task_set_name (task, "[ts-ui] report");
  g_task_set_task_data (task, request, (GDestroyNotify) request_free);
  g_task_run_in_thread (task, report_thread);
  return G_SOURCE_REMOVE;
}

/* Asks soon; a request that runs is given up first. */
static void
ask (TsReport *self)
{
  self->is_stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (self->is_busy)
    {
      g_cancellable_cancel (self->cancellable);
      return;
    }
  if (self->delay_id == 0)
    self->delay_id = g_timeout_add (DELAY_MS, on_delay, self);
}

static void
on_view_changed (TsReport *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 begin = 0;
  gint64 end = -1;

  if ((gpointer) recording != self->worker_of)
    {
      g_autoptr (GPtrArray) none = g_ptr_array_new ();

      g_clear_object (&self->worker);
      self->worker_of = recording;
      ts_table_set_rows (self->table, none);
      gtk_widget_set_visible (self->empty, FALSE);
      self->begin = 0;
      self->end = -1;
      show_status (self, NULL);
      if (recording != NULL)
        ask (self);
      return;
    }
  if (recording == NULL)
    return;
  if (!ts_view_state_get_range (self->view, &begin, &end) || end <= begin)
    {
      begin = 0;
      end = -1;
    }
  if (begin != self->begin || end != self->end)
    {
      g_clear_handle_id (&self->delay_id, g_source_remove);
      ask (self);
    }
}

static void
on_map (TsReport *self)
{
  if (self->is_stale && self->view != NULL)
    ask (self);
}

static void
on_table_go_to (TsTable *table,
                guint lane,
                gint64 begin,
                gint64 end,
                TsReport *self)
{
  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, lane, begin, end);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_report_dispose (GObject *object)
{
  TsReport *self = TS_REPORT (object);
  GtkWidget *child;

  g_clear_handle_id (&self->delay_id, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->worker);
  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  g_clear_object (&self->status);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (ts_report_parent_class)->dispose (object);
}

static void
ts_report_class_init (TsReportClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_report_dispose;
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_INT64, G_TYPE_INT64);
  signals[SIGNAL_UPDATED] = g_signal_new ("updated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
ts_report_init (TsReport *self)
{
  self->end = -1;
  self->is_stale = TRUE;
  self->status = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  self->spinner = gtk_spinner_new ();
  self->status_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->status_label, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->status_label, 1);
  gtk_widget_set_hexpand (GTK_WIDGET (self->status_label), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->status_label), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->status_label), "numeric");
  gtk_widget_set_visible (self->spinner, FALSE);
  gtk_box_append (GTK_BOX (self->status), self->spinner);
  gtk_box_append (GTK_BOX (self->status), GTK_WIDGET (self->status_label));
  self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                  self);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

/**
 * ts_report_new:
 * @kind: what it is about
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
ts_report_new (TsReportKind kind)
{
  const char *names[TS_N_REPORTS] = { _ ("Statistics"), _ ("Findings"), _ ("Communication") };
  const char *empty[TS_N_REPORTS] = {
    _ ("No task, interrupt or span has run here."),
    _ ("Nothing out of the ordinary was found here."),
    _ ("Nothing was given or taken here."),
  };
  TsReport *self = g_object_new (TS_TYPE_REPORT, NULL);
  GtkWidget *overlay = gtk_overlay_new ();

  g_return_val_if_fail (kind < TS_N_REPORTS, NULL);
  self->kind = kind;
  self->table = TS_TABLE (ts_table_new (names[kind]));
  _ts_report_add_columns (self->table, kind);
  self->empty = gtk_label_new (empty[kind]);
  gtk_widget_add_css_class (self->empty, "dim-label");
  gtk_widget_set_can_target (self->empty, FALSE);
  gtk_widget_set_visible (self->empty, FALSE);
  gtk_overlay_set_child (GTK_OVERLAY (overlay), GTK_WIDGET (self->table));
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), self->empty);
  gtk_widget_set_parent (overlay, GTK_WIDGET (self));
  g_signal_connect_object (self->table, "go-to", G_CALLBACK (on_table_go_to), self, 0);
  return GTK_WIDGET (self);
}

/**
 * ts_report_set_view:
 * @self: a page
 * @view: (nullable): whose recording and range it is about
 *
 * Thread: main
 */
void
ts_report_set_view (TsReport *self,
                    TsViewState *view)
{
  g_return_if_fail (TS_IS_REPORT (self));
  if (!g_set_object (&self->view, view))
    return;
  g_signal_group_set_target (self->view_signals, view);
  if (view != NULL)
    on_view_changed (self);
}

/**
 * ts_report_refresh:
 * @self: a page
 *
 * The recording may have grown: figures of the whole are made anew, at most every two seconds.
 *
 * Thread: main
 */
void
ts_report_refresh (TsReport *self)
{
  TsRecording *recording;

  g_return_if_fail (TS_IS_REPORT (self));
  recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  if (recording == NULL || self->is_busy || self->end >= 0 ||
      g_get_monotonic_time () - self->asked_us < LIVE_INTERVAL_US ||
      ts_recording_get_n_rows (recording) == self->n_rows)
    return;
  ask (self);
}

/**
 * ts_report_get_table:
 * @self: a page
 *
 * Thread: main
 *
 * Returns: (transfer none): its table
 */
TsTable *
ts_report_get_table (TsReport *self)
{
  g_return_val_if_fail (TS_IS_REPORT (self), NULL);
  return self->table;
}

/**
 * ts_report_get_status:
 * @self: a page
 *
 * Thread: main
 *
 * Returns: (transfer none): a line that says what the figures are of, to be put beside the tabs
 */
GtkWidget *
ts_report_get_status (TsReport *self)
{
  g_return_val_if_fail (TS_IS_REPORT (self), NULL);
  return self->status;
}

/**
 * ts_report_is_busy:
 * @self: a page
 *
 * Thread: main
 *
 * Returns: whether what it shows is about to change
 */
gboolean
ts_report_is_busy (TsReport *self)
{
  g_return_val_if_fail (TS_IS_REPORT (self), FALSE);
  return self->is_busy || self->is_stale;
}
