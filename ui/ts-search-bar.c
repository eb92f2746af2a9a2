/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-filter-line.h"
#include "ui/ts-numbers.h"
#include "ui/ts-search-bar.h"
#include "ui/ts-search-ask.h"
#include "ui/ts-worker.h"

#define DELAY_MS 120
#define LIVE_INTERVAL_US (2 * G_USEC_PER_SEC)
/* What is kept of a search; beyond it, hits are counted only. */
#define MAX_HITS 500000
/* Of a filter; a hit takes 32 bytes until only its row is kept. */
#define MAX_FILTERED 2000000
/* Steps to hits that are kept: more come by themselves only, from a key that is held. */
#define MAX_STEPS 256
/* Marks in the overview: more than it has pixels. */
#define N_BUCKETS 4096

/* A search and a filter are the same work with another end. */
typedef enum
{
  JOB_SEARCH,
  JOB_FILTER,
  N_JOBS
} JobKind;

/**
 * Job:
 * @n_rows: rows the recording had when it was asked last, at @asked_us
 */
typedef struct
{
  TsWorker *worker;
  guint delay_id;
  gint64 asked_us;
  guint64 n_rows;
} Job;

/**
 * TsSearchBar:
 * @finder: finds the next hit while all of them are still looked for
 * @steps: (element-type int): steps to hits, made one after the other; the first one is looked for
 * @result: (nullable): what the search has found
 * @current: index of the hit shown last, -1 none
 * @filters: texts of the filters, %NULL-terminated
 * @rows: (nullable) (element-type guint64): rows that pass the filters, the first ones
 * @lanes: (nullable) (element-type guint32): lanes those are about; %NULL: not known
 * @n_passing: how many pass the filters
 * @recording: what the results are of; only compared
 */
struct _TsSearchBar
{
  GtkWidget parent_instance;

  GtkWidget *revealer;
  GtkWidget *entry;
  GtkLabel *count_label;
  GtkWidget *chips;

  TsViewState *view;
  GSignalGroup *view_signals;
  gpointer recording;
  Job jobs[N_JOBS];
  TsWorker *finder;
  GArray *steps;
  TsSearchResult *result;
  int current;
  GPtrArray *filters;
  TsFilterScope scope;
  GArray *rows;
  GArray *lanes;
  guint64 n_passing;
  guint n_hidden;
};

enum
{
  SIGNAL_GO_TO,
  SIGNAL_FILTERED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsSearchBar, ts_search_bar, GTK_TYPE_WIDGET)

/* --- work on a thread ------------------------------------------------------------------------- */

static void ask (TsSearchBar *self,
                 JobKind kind);
static void update_chips (TsSearchBar *self);

static void
update_count (TsSearchBar *self,
              const char *problem)
{
  g_autofree char *count = NULL;
  g_autofree char *text = NULL;

  if (problem != NULL)
    text = g_strdup (problem);
  else if (ts_worker_is_busy (self->jobs[JOB_SEARCH].worker))
    text = g_strdup (_ ("searching…"));
  else if (self->result == NULL)
    text = g_strdup ("");
  else
    {
      count = ts_format_count (self->result->n_found);
      if (self->result->n_found == 0)
        text = g_strdup (_ ("not found"));
      else if (self->current >= 0)
        /* translators: the third of 20 hits of a search */
        text = g_strdup_printf (_ ("%d of %s"), self->current + 1, count);
      else
        text = g_strdup_printf (_ ("%s found"), count);
    }
  gtk_label_set_text (self->count_label, text);
}

static void
take_search (TsSearchBar *self,
             TsSearchResult *result)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree gint64 *times = NULL;
  guint n_times;

  g_clear_pointer (&self->result, ts_search_result_free);
  self->result = result;
  self->current = -1;
  times = ts_search_result_thin (result, ts_recording_get_duration (recording), N_BUCKETS,
                                 &n_times);
  ts_view_state_set_hits (self->view, times, n_times);
}

/* What has passed the filters, to whom it is for. */
static void
apply_scope (TsSearchBar *self)
{
  /* an array without data is still an array: no lane passes */
  static const guint32 none[1];
  gboolean has_lanes = self->lanes != NULL && self->scope != TS_FILTER_LIST;

  if (self->view != NULL && has_lanes)
    ts_view_state_set_only_lanes (
        self->view, self->lanes->len > 0 ? (const guint32 *) self->lanes->data : none,
        self->lanes->len);
  else if (self->view != NULL)
    ts_view_state_set_only_lanes (self->view, NULL, 0);
  g_signal_emit (self, signals[SIGNAL_FILTERED], 0);
}

/* Rows for the list, lanes for the timeline. */
static void
take_filter (TsSearchBar *self,
             TsFiltered *filtered)
{
  g_clear_pointer (&self->rows, g_array_unref);
  self->rows = g_array_ref (filtered->rows);
  g_clear_pointer (&self->lanes, g_array_unref);
  if (filtered->lanes != NULL)
    self->lanes = g_array_ref (filtered->lanes);
  self->n_passing = filtered->n_found;
  ts_filtered_free (filtered);
  apply_scope (self);
  update_chips (self);
}

static void
on_found (gpointer result,
          const GError *error,
          gpointer user_data)
{
  TsSearchBar *self = user_data;

  if (result != NULL)
    take_search (self, result);
  update_count (self, error != NULL ? error->message : NULL);
}

static void
on_filter_found (gpointer result,
                 const GError *error,
                 gpointer user_data)
{
  if (result != NULL)
    take_filter (user_data, result);
  else
    update_chips (user_data);
}

static void
start (TsSearchBar *self,
       JobKind kind)
{
  Job *job = &self->jobs[kind];
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *text = NULL;

  job->delay_id = 0;
  if (recording == NULL)
    return;
  text = kind == JOB_SEARCH ? g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry)))
                            : g_strjoinv (" ", (char **) self->filters->pdata);
  job->asked_us = g_get_monotonic_time ();
  job->n_rows = ts_recording_get_n_rows (recording);
  if (kind == JOB_FILTER)
    {
      ts_search_ask_filtered (job->worker, text, MAX_FILTERED, on_filter_found, self);
      return;
    }
  ts_search_ask_all (job->worker, text, MAX_HITS, on_found, self);
  update_count (self, NULL);
}

static gboolean
on_search_delay (gpointer user_data)
{
  start (user_data, JOB_SEARCH);
  return G_SOURCE_REMOVE;
}

static gboolean
on_filter_delay (gpointer user_data)
{
  start (user_data, JOB_FILTER);
  return G_SOURCE_REMOVE;
}

static void
ask (TsSearchBar *self,
     JobKind kind)
{
  Job *job = &self->jobs[kind];

  if (job->delay_id == 0)
    job->delay_id = g_timeout_add (kind == JOB_SEARCH ? DELAY_MS : 1,
                                   kind == JOB_SEARCH ? on_search_delay : on_filter_delay, self);
}

static void
forget (TsSearchBar *self,
        JobKind kind)
{
  g_clear_handle_id (&self->jobs[kind].delay_id, g_source_remove);
  ts_worker_cancel (self->jobs[kind].worker);
}

/* --- searching -------------------------------------------------------------------------------- */

static void
on_text_changed (TsSearchBar *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0')
    {
      ask (self, JOB_SEARCH);
      return;
    }
  forget (self, JOB_SEARCH);
  g_clear_pointer (&self->result, ts_search_result_free);
  self->current = -1;
  if (self->view != NULL)
    ts_view_state_set_hits (self->view, NULL, 0);
  update_count (self, NULL);
}

static void find_next (TsSearchBar *self);

static void
on_next_found (gpointer result,
               const GError *error,
               gpointer user_data)
{
  TsSearchBar *self = user_data;
  g_autofree TsSearchHit *hit = result;

  g_array_remove_index (self->steps, 0);
  if (hit == NULL)
    gtk_widget_error_bell (GTK_WIDGET (self));
  else
    g_signal_emit (self, signals[SIGNAL_GO_TO], 0, hit->lane, hit->begin, hit->end);
  find_next (self);
}

/* Nobody waits for the last of a hundred million rows to see the first hit. */
static void
find_next (TsSearchBar *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  int direction;

  if (recording == NULL || *text == '\0' || self->steps->len == 0)
    {
      g_array_set_size (self->steps, 0);
      return;
    }
  direction = g_array_index (self->steps, int, 0);
  ts_worker_set_recording (self->finder, recording);
  ts_search_ask_next (self->finder, text,
                      ts_view_state_get_cursor (self->view) + (direction > 0 ? 1 : 0), direction,
                      on_next_found, self);
}

/**
 * ts_search_bar_step:
 * @self: a bar
 * @direction: 1: the next hit, -1: the one before; from the cursor, around the ends
 *
 * Thread: main
 */
void
ts_search_bar_step (TsSearchBar *self,
                    int direction)
{
  const TsSearchHit *hits;
  gint64 cursor;
  int n;

  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  /* one after the other: each goes on from where the one before it came to */
  if (ts_worker_is_busy (self->finder))
    {
      if (self->steps->len < MAX_STEPS)
        g_array_append_val (self->steps, direction);
      return;
    }
  if (self->result == NULL || self->result->n_found > self->result->hits->len)
    {
      g_array_set_size (self->steps, 0);
      g_array_append_val (self->steps, direction);
      find_next (self);
      return;
    }
  if (self->result->hits->len == 0)
    return;
  n = (int) self->result->hits->len;
  hits = (const TsSearchHit *) self->result->hits->data;
  cursor = ts_view_state_get_cursor (self->view);
  if (self->current >= 0 && hits[self->current].begin == cursor)
    {
      self->current = (self->current + (direction > 0 ? 1 : n - 1)) % n;
    }
  else
    {
      int low = 0;
      int high = n;

      /* the first hit at or after the cursor */
      while (low < high)
        {
          int middle = low + (high - low) / 2;

          if (hits[middle].begin < cursor)
            low = middle + 1;
          else
            high = middle;
        }
      self->current = direction > 0 ? low % n : (low + n - 1) % n;
    }
  update_count (self, NULL);
  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, hits[self->current].lane,
                 hits[self->current].begin, hits[self->current].end);
}

static void
on_activate (TsSearchBar *self)
{
  ts_search_bar_step (self, 1);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        TsSearchBar *self)
{
  if (keyval == GDK_KEY_Escape)
    {
      ts_search_bar_close (self);
      return GDK_EVENT_STOP;
    }
  if (keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter)
    return GDK_EVENT_PROPAGATE;
  if ((state & GDK_CONTROL_MASK) != 0)
    {
      ts_search_bar_add_filter (self, gtk_editable_get_text (GTK_EDITABLE (self->entry)));
      gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
      return GDK_EVENT_STOP;
    }
  if ((state & GDK_SHIFT_MASK) != 0)
    {
      ts_search_bar_step (self, -1);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

/* --- filters ---------------------------------------------------------------------------------- */

static void
apply_filters (TsSearchBar *self)
{
  if (self->filters->len > 1)
    {
      ask (self, JOB_FILTER);
    }
  else
    {
      forget (self, JOB_FILTER);
      g_clear_pointer (&self->rows, g_array_unref);
      g_clear_pointer (&self->lanes, g_array_unref);
      apply_scope (self);
    }
  update_chips (self);
}

static void
on_remove (TsFilterLine *line,
           const char *text,
           TsSearchBar *self)
{
  for (guint i = 0; i + 1 < self->filters->len; i++)
    if (g_str_equal (g_ptr_array_index (self->filters, i), text))
      {
        g_ptr_array_remove_index (self->filters, i);
        break;
      }
  apply_filters (self);
}

static void
on_show_lanes (TsSearchBar *self)
{
  ts_view_state_show_all_lanes (self->view);
}

static void
on_clear_all (TsSearchBar *self)
{
  ts_search_bar_clear_filters (self);
  ts_view_state_show_all_lanes (self->view);
}

/* Whether the filters hold yet, and what is not in the list though it passes: nothing is left out in
 * silence. */
static char *
dup_filter_note (TsSearchBar *self)
{
  g_autofree char *kept = NULL;
  g_autofree char *found = NULL;

  if (self->filters->len <= 1)
    return NULL;
  /* until then all is shown */
  if (self->jobs[JOB_FILTER].delay_id != 0 || ts_worker_is_busy (self->jobs[JOB_FILTER].worker))
    return g_strdup (_ ("searching…"));
  if (self->rows == NULL || self->n_passing <= MAX_FILTERED)
    return NULL;
  kept = ts_format_count (MAX_FILTERED);
  found = ts_format_count (self->n_passing);
  /* translators: of the events that pass a filter only so many of so many are in the list */
  return g_strdup_printf (_ ("the list has the first %s of %s; all lanes are shown"), kept, found);
}

static void
update_chips (TsSearchBar *self)
{
  const char * const scopes[] = { NULL, _ ("Timeline only:"), _ ("List only:") };
  g_autofree char *note = dup_filter_note (self);

  ts_filter_line_update (TS_FILTER_LINE (self->chips), scopes[self->scope],
                         (const char * const *) self->filters->pdata, note, self->n_hidden);
}

static void
on_view_changed (TsSearchBar *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  guint n_hidden = ts_view_state_get_n_hidden (self->view);

  if ((gpointer) recording != self->recording)
    {
      self->recording = recording;
      for (guint i = 0; i < N_JOBS; i++)
        {
          forget (self, i);
          ts_worker_set_recording (self->jobs[i].worker, recording);
        }
      g_clear_pointer (&self->result, ts_search_result_free);
      g_clear_pointer (&self->rows, g_array_unref);
      g_clear_pointer (&self->lanes, g_array_unref);
      self->current = -1;
      if (recording != NULL && *gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0')
        ask (self, JOB_SEARCH);
      if (recording != NULL && self->filters->len > 1)
        ask (self, JOB_FILTER);
    }
  if (n_hidden != self->n_hidden)
    {
      self->n_hidden = n_hidden;
      update_chips (self);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_search_bar_dispose (GObject *object)
{
  TsSearchBar *self = TS_SEARCH_BAR (object);
  GtkWidget *child;

  for (guint i = 0; i < N_JOBS; i++)
    {
      if (self->jobs[i].worker != NULL)
        forget (self, i);
      g_clear_object (&self->jobs[i].worker);
    }
  if (self->finder != NULL)
    ts_worker_cancel (self->finder);
  g_clear_object (&self->finder);
  g_clear_pointer (&self->steps, g_array_unref);
  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (ts_search_bar_parent_class)->dispose (object);
}

static void
ts_search_bar_finalize (GObject *object)
{
  TsSearchBar *self = TS_SEARCH_BAR (object);

  g_clear_pointer (&self->result, ts_search_result_free);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->lanes, g_array_unref);
  g_clear_pointer (&self->filters, g_ptr_array_unref);
  G_OBJECT_CLASS (ts_search_bar_parent_class)->finalize (object);
}

static void
ts_search_bar_class_init (TsSearchBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ts_search_bar_dispose;
  G_OBJECT_CLASS (klass)->finalize = ts_search_bar_finalize;
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_INT64, G_TYPE_INT64);
  signals[SIGNAL_FILTERED] = g_signal_new ("filtered", G_TYPE_FROM_CLASS (klass),
                                           G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
}

static void
add_button (TsSearchBar *self,
            GtkWidget *box,
            const char *icon,
            const char *action,
            const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  gtk_widget_add_css_class (button, "flat");
  gtk_box_append (GTK_BOX (box), button);
}

static void
ts_search_bar_init (TsSearchBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkWidget *filter;

  self->current = -1;
  for (guint i = 0; i < N_JOBS; i++)
    self->jobs[i].worker = ts_worker_new ("[ts-ui] search");
  self->finder = ts_worker_new ("[ts-ui] next hit");
  self->steps = g_array_new (FALSE, FALSE, sizeof (int));
  self->filters = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->filters, NULL);
  gtk_orientable_set_orientation (
      GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))),
      GTK_ORIENTATION_VERTICAL);
  self->entry = gtk_search_entry_new ();
  gtk_widget_set_hexpand (self->entry, TRUE);
  g_object_set (self->entry, "placeholder-text",
                _ ("Names, kinds, texts; lane:Ctrl kind:mutex value>3 dur>1.5ms state:blocked"),
                NULL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (self->entry, keys);
  g_signal_connect_object (self->entry, "search-changed", G_CALLBACK (on_text_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (on_activate), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), self->entry);
  self->count_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->count_label), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->count_label), "numeric");
  gtk_label_set_ellipsize (self->count_label, PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (self->count_label, 14);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->count_label));
  add_button (self, box, "go-up-symbolic", "win.previous-hit", _ ("Previous Hit (Shift+Return)"));
  add_button (self, box, "go-down-symbolic", "win.next-hit", _ ("Next Hit (Return)"));
  filter = gtk_button_new_with_mnemonic (_ ("_Filter"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (filter), "win.filter-by-search");
  gtk_widget_set_tooltip_text (filter, _ ("Show Only What Is Found (Ctrl+Return)"));
  gtk_widget_add_css_class (filter, "flat");
  gtk_box_append (GTK_BOX (box), filter);
  add_button (self, box, "window-close-symbolic", "win.close-search", _ ("Close the Search"));
  gtk_widget_add_css_class (box, "search-line");
  self->revealer = gtk_revealer_new ();
  gtk_revealer_set_child (GTK_REVEALER (self->revealer), box);
  gtk_widget_set_visible (self->revealer, FALSE);
  gtk_widget_set_parent (self->revealer, GTK_WIDGET (self));
  self->chips = ts_filter_line_new ();
  g_signal_connect_object (self->chips, "remove", G_CALLBACK (on_remove), self, 0);
  g_signal_connect_object (self->chips, "show-lanes", G_CALLBACK (on_show_lanes), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chips, "clear", G_CALLBACK (on_clear_all), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_parent (self->chips, GTK_WIDGET (self));
  self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                  self);
}

/**
 * ts_search_bar_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a bar that shows nothing
 */
GtkWidget *
ts_search_bar_new (void)
{
  return g_object_new (TS_TYPE_SEARCH_BAR, NULL);
}

/**
 * ts_search_bar_set_view:
 * @self: a bar
 * @view: (nullable): where to search
 *
 * Thread: main
 */
void
ts_search_bar_set_view (TsSearchBar *self,
                        TsViewState *view)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  if (g_set_object (&self->view, view))
    g_signal_group_set_target (self->view_signals, view);
}

/**
 * ts_search_bar_open:
 * @self: a bar
 *
 * Shows the line to type in and goes there.
 *
 * Thread: main
 */
void
ts_search_bar_open (TsSearchBar *self)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  gtk_widget_set_visible (self->revealer, TRUE);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), TRUE);
  gtk_widget_grab_focus (self->entry);
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
}

/**
 * ts_search_bar_close:
 * @self: a bar
 *
 * Ends the search; filters stay.
 *
 * Thread: main
 */
void
ts_search_bar_close (TsSearchBar *self)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  on_text_changed (self);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), FALSE);
  gtk_widget_set_visible (self->revealer, FALSE);
}

/**
 * ts_search_bar_set_text:
 * @self: a bar
 * @text: what to search for
 *
 * As if it was typed.
 *
 * Thread: main
 */
void
ts_search_bar_set_text (TsSearchBar *self,
                        const char *text)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  on_text_changed (self);
}

/**
 * ts_search_bar_get_n_found:
 * @self: a bar
 *
 * Thread: main
 *
 * Returns: how many hits the search has
 */
guint64
ts_search_bar_get_n_found (TsSearchBar *self)
{
  g_return_val_if_fail (TS_IS_SEARCH_BAR (self), 0);
  return self->result != NULL ? self->result->n_found : 0;
}

/**
 * ts_search_bar_is_busy:
 * @self: a bar
 *
 * Thread: main
 *
 * Returns: whether a search or a filter is at work
 */
gboolean
ts_search_bar_is_busy (TsSearchBar *self)
{
  g_return_val_if_fail (TS_IS_SEARCH_BAR (self), FALSE);
  for (guint i = 0; i < N_JOBS; i++)
    if (ts_worker_is_busy (self->jobs[i].worker) || self->jobs[i].delay_id != 0)
      return TRUE;
  return FALSE;
}

/**
 * ts_search_bar_add_filter:
 * @self: a bar
 * @text: what has to be met besides the filters that are there; empty: that of the entry; one that
 *   is there already changes nothing
 *
 * Thread: main
 */
void
ts_search_bar_add_filter (TsSearchBar *self,
                          const char *text)
{
  g_autofree char *stripped = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsSearch) search = NULL;

  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  if (*text == '\0')
    text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  stripped = g_strstrip (g_strdup (text));
  search = ts_search_new (stripped, &error);
  if (search == NULL)
    {
      update_count (self, error->message);
      return;
    }
  if (*stripped == '\0'
      || g_strv_contains ((const char * const *) self->filters->pdata, stripped))
    return;
  g_ptr_array_insert (self->filters, (int) self->filters->len - 1, g_steal_pointer (&stripped));
  apply_filters (self);
}

/**
 * ts_search_bar_clear_filters:
 * @self: a bar
 *
 * Thread: main
 */
void
ts_search_bar_clear_filters (TsSearchBar *self)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  if (self->filters->len == 1)
    return;
  g_ptr_array_set_size (self->filters, 0);
  g_ptr_array_add (self->filters, NULL);
  apply_filters (self);
}

/**
 * ts_search_bar_get_filters:
 * @self: a bar
 *
 * Thread: main
 *
 * Returns: (transfer none) (array zero-terminated=1): texts of the filters
 */
const char * const *
ts_search_bar_get_filters (TsSearchBar *self)
{
  g_return_val_if_fail (TS_IS_SEARCH_BAR (self), NULL);
  return (const char * const *) self->filters->pdata;
}

/**
 * ts_search_bar_get_rows:
 * @self: a bar
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable) (element-type guint64): rows that pass the filters,
 *   ascending; %NULL: all
 */
GArray *
ts_search_bar_get_rows (TsSearchBar *self)
{
  g_return_val_if_fail (TS_IS_SEARCH_BAR (self), NULL);
  return self->scope != TS_FILTER_TIMELINE ? self->rows : NULL;
}

/**
 * ts_search_bar_set_scope:
 * @self: a bar
 * @scope: what filters hold for from now on
 *
 * Thread: main
 */
void
ts_search_bar_set_scope (TsSearchBar *self,
                         TsFilterScope scope)
{
  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  if (self->scope == scope)
    return;
  self->scope = scope;
  if (self->rows != NULL)
    apply_scope (self);
  update_chips (self);
}

/**
 * ts_search_bar_refresh:
 * @self: a bar
 *
 * The recording may have grown: what is set is looked for again, at most every two seconds.
 *
 * Thread: main
 */
void
ts_search_bar_refresh (TsSearchBar *self)
{
  TsRecording *recording;
  gint64 now = g_get_monotonic_time ();

  g_return_if_fail (TS_IS_SEARCH_BAR (self));
  recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  for (guint i = 0; recording != NULL && i < N_JOBS; i++)
    {
      Job *job = &self->jobs[i];
      gboolean is_used = i == JOB_FILTER ? self->filters->len > 1 : self->result != NULL;

      if (is_used && !ts_worker_is_busy (job->worker) && now - job->asked_us > LIVE_INTERVAL_US &&
          job->n_rows != ts_recording_get_n_rows (recording))
        ask (self, i);
    }
}
