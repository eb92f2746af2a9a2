/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <pango/pangocairo.h>

#include "ui/ts-timeline-private.h"

/* After so many coarse frames in a row the data does not come: no reason to go on asking. */
#define MAX_COARSE 240
/* The timeline's text against the widget's font. */
#define FONT_SHARE 0.92

G_DEFINE_FINAL_TYPE (TsTimeline, ts_timeline, GTK_TYPE_WIDGET)

double
_ts_timeline_get_scale (TsTimeline *self)
{
  return gtk_widget_get_scale_factor (GTK_WIDGET (self));
}

int
_ts_timeline_get_lanes_width (TsTimeline *self)
{
  return MAX (1, self->options.width - self->options.label_width);
}

/* Device pixels from the left edge of the lanes; negative in their headers. */
double
_ts_timeline_get_plot_x (TsTimeline *self,
                         double x)
{
  return ts_display_options_unmirror (&self->options, x * _ts_timeline_get_scale (self)) -
         self->options.label_width;
}

/* Where the lanes begin, in widget coordinates. */
double
_ts_timeline_get_plot_left (TsTimeline *self)
{
  return self->options.is_mirrored ? 0.0
                                   : self->options.label_width / _ts_timeline_get_scale (self);
}

/* What lies under a point in widget coordinates. */
void
_ts_timeline_hit (TsTimeline *self,
                  double x,
                  double y,
                  TsHit *hit)
{
  double scale = _ts_timeline_get_scale (self);

  *hit = (TsHit) { .group = -1 };
  if (self->view != NULL && self->options.width > 0)
    ts_display_list_hit (self->list, self->view, &self->options, x * scale, y * scale, hit);
}

static void
queue_repaint (TsTimeline *self)
{
  self->is_dirty = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- look: font and colours ------------------------------------------------------------------ */

static void
update_palette (TsTimeline *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  ts_painter_set_palette (self->painter,
                          ts_palette_get_default (adw_style_manager_get_dark (manager),
                                                  adw_style_manager_get_high_contrast (manager)));
  queue_repaint (self);
}

/* Everything that has a size gets it from the font here, in device pixels. */
static void
update_font (TsTimeline *self)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  g_autoptr (PangoFontDescription) font = NULL;
  g_autofree char *text = NULL;
  double resolution = pango_cairo_context_get_resolution (context);
  double scale = _ts_timeline_get_scale (self);
  double size;
  int line;

  font = pango_font_description_copy (pango_context_get_font_description (context));
  size = pango_font_description_get_size (font);
  if (!pango_font_description_get_size_is_absolute (font))
    size *= (resolution > 0.0 ? resolution : 96.0) / 72.0;
  pango_font_description_set_absolute_size (font, size * FONT_SHARE * scale);
  text = pango_font_description_to_string (font);
  ts_painter_set_font (self->painter, text);

  line = ts_painter_get_line_height (self->painter);
  self->options.line_height = line;
  self->options.label_width = line * 9;
  self->options.overview_height = line * 2;
  self->options.ruler_height = line * 3 / 2;
  _ts_timeline_update_rows (self);
  self->is_font_dirty = FALSE;
}

/* Heights of rows: from the font, and from what the user made of them. */
void
_ts_timeline_update_rows (TsTimeline *self)
{
  int line = self->options.line_height;

  if (self->view != NULL && line > 0)
    ts_view_state_set_row_height (self->view,
                                  MAX ((int) (line * 1.4 * self->lane_percent / 100.0), 6),
                                  line * 6 / 5,
                                  MAX ((int) (line * 2.5 * self->lane_percent / 100.0), 8));
}

/* --- painting --------------------------------------------------------------------------------- */

static void
ensure_surface (TsTimeline *self,
                int width,
                int height)
{
  cairo_surface_t **surface = &self->surfaces[self->current];

  if (*surface != NULL && cairo_image_surface_get_width (*surface) == width &&
      cairo_image_surface_get_height (*surface) == height)
    return;
  g_clear_pointer (surface, cairo_surface_destroy);
  *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
}

/* The scroll bar follows the rows and the size; the view never scrolls past its last row. */
static void
update_adjustment (TsTimeline *self)
{
  double scale = _ts_timeline_get_scale (self);
  int header = self->options.overview_height + self->options.ruler_height;
  double page = MAX (1, self->options.height - header);
  double upper;
  int scroll_y;

  if (self->view == NULL || self->options.height <= 0)
    return;
  upper = MAX (page, ts_view_state_get_rows_height (self->view));
  scroll_y = ts_view_state_get_scroll_y (self->view);
  if (scroll_y > upper - page)
    {
      scroll_y = upper - page;
      ts_view_state_set_scroll_y (self->view, scroll_y);
    }
  self->is_updating_adjustment = TRUE;
  gtk_adjustment_configure (self->vadjustment, scroll_y / scale, 0, upper / scale,
                            self->options.line_height / scale, page / scale, page / scale);
  self->is_updating_adjustment = FALSE;
}

static gboolean
on_tick (GtkWidget *widget,
         GdkFrameClock *clock,
         gpointer user_data)
{
  TsTimeline *self = TS_TIMELINE (widget);

  self->tick_id = 0;
  queue_repaint (self);
  return G_SOURCE_REMOVE;
}

static void
on_fetched (gpointer user_data)
{
  TsTimeline *self = user_data;

  if (ts_display_list_is_coarse (self->list))
    {
      self->n_coarse = 0;
      queue_repaint (self);
    }
  if (self->view == NULL)
    return;
  _ts_timeline_resume (self);
  _ts_timeline_resume_snaps (self);
  if (self->is_card_pending)
    _ts_timeline_update_card (self);
}

/* What a frame has no time for is unpacked by a worker of the recording that is shown. */
static void
follow_recording (TsTimeline *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;

  if (self->fetching == recording)
    return;
  if (self->fetching != NULL)
    ts_recording_stop_fetching (self->fetching);
  g_set_object (&self->fetching, recording);
  _ts_timeline_forget_moves (self);
  _ts_timeline_forget_states (self);
  memset (self->snaps, 0, sizeof self->snaps);
  self->is_card_pending = FALSE;
  if (recording != NULL)
    ts_recording_start_fetching (recording, on_fetched, self);
}

/* Brings the picture up to date with the view state; the only place where the recording is read. */
static void
repaint (TsTimeline *self,
         int width,
         int height)
{
  cairo_t *cr;

  follow_recording (self);
  self->options.width = width;
  self->options.height = height;
  self->options.deadline_us = TS_DISPLAY_DEADLINE_US;
  self->options.pointer_x = -1;
  self->options.pointer_y = -1;
  self->current ^= 1;
  ensure_surface (self, width, height);

  ts_display_list_build (self->list, self->view, &self->options);
  cr = cairo_create (self->surfaces[self->current]);
  ts_painter_paint (self->painter, self->list, cr, FALSE);
  cairo_destroy (cr);
  cairo_surface_flush (self->surfaces[self->current]);
  self->is_dirty = FALSE;

  if (!ts_display_list_is_coarse (self->list))
    self->n_coarse = 0;
  else if (self->n_coarse++ < MAX_COARSE && self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

/* A thin line through the lanes at the pointer: drawn over the picture, so that moving it costs
 * nothing. */
static void
snapshot_pointer (TsTimeline *self,
                  GtkSnapshot *snapshot,
                  int height)
{
  double scale = _ts_timeline_get_scale (self);
  double top = self->options.overview_height / scale;
  const GdkRGBA dark = { 1, 1, 1, 0.25 };
  const GdkRGBA light = { 0, 0, 0, 0.25 };
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());

  if (self->pointer_x < 0 || _ts_timeline_get_plot_x (self, self->pointer_x) < 0 ||
      self->pointer_y < top || self->drag_mode == TS_DRAG_PAN)
    return;
  gtk_snapshot_append_color (snapshot, is_dark ? &dark : &light,
                             &GRAPHENE_RECT_INIT ((int) self->pointer_x, top, 1, height - top));
}

/* What is under a pointer that rests changes when the picture does; not inside of a snapshot. */
static gboolean
on_card_idle (gpointer user_data)
{
  TsTimeline *self = user_data;

  self->card_id = 0;
  _ts_timeline_update_card (self);
  return G_SOURCE_REMOVE;
}

static void
ts_timeline_snapshot (GtkWidget *widget,
                      GtkSnapshot *snapshot)
{
  TsTimeline *self = TS_TIMELINE (widget);
  gint64 started = g_get_monotonic_time ();
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int scale = gtk_widget_get_scale_factor (widget);
  gboolean was_dirty = self->is_dirty;
  cairo_t *cr;

  if (self->view == NULL || width <= 0 || height <= 0 || self->options.line_height <= 0)
    return;
  if (self->is_dirty || self->options.width != width * scale ||
      self->options.height != height * scale)
    {
      repaint (self, width * scale, height * scale);
      was_dirty = TRUE;
    }

  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  cairo_scale (cr, 1.0 / scale, 1.0 / scale);
  cairo_set_source_surface (cr, self->surfaces[self->current], 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_destroy (cr);
  snapshot_pointer (self, snapshot, height);
  if (gtk_widget_get_visible (self->card) && self->pointer_x >= 0)
    gtk_widget_snapshot_child (widget, self->card, snapshot);

  if (was_dirty)
    {
      gint64 now = g_get_monotonic_time ();

      ts_frame_stats_add (self->frame_stats, now - started);
      if (self->arrival_us != 0)
        ts_frame_stats_add (self->latency_stats, now - self->arrival_us);
      self->arrival_us = 0;
      if (self->pointer_x >= 0 && self->card_id == 0)
        self->card_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_card_idle, self, NULL);
    }
}

/* --- size ------------------------------------------------------------------------------------- */

static void
ts_timeline_measure (GtkWidget *widget,
                     GtkOrientation orientation,
                     int for_size,
                     int *minimum,
                     int *natural,
                     int *minimum_baseline,
                     int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 360 : 160;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 800 : 480;
}

/* The card stands beside the pointer, on the side where there is room. */
static void
ts_timeline_size_allocate (GtkWidget *widget,
                           int width,
                           int height,
                           int baseline)
{
  TsTimeline *self = TS_TIMELINE (widget);
  int scale = gtk_widget_get_scale_factor (widget);
  GtkRequisition size;
  GtkWidget *child;
  int x;
  int y;

  if (self->is_font_dirty)
    update_font (self);
  if (self->options.width != width * scale || self->options.height != height * scale)
    {
      self->options.width = width * scale;
      self->options.height = height * scale;
      self->is_dirty = TRUE;
      /* a pointer at rest lies elsewhere in it now; its next event says where */
      self->pointer_x = -1;
      self->pointer_y = -1;
      if (gtk_widget_get_visible (self->card) && self->card_id == 0)
        self->card_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_card_idle, self, NULL);
    }
  update_adjustment (self);
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child))
      gtk_popover_present (GTK_POPOVER (child));
  _ts_timeline_allocate_items (self, width);
  if (!gtk_widget_get_visible (self->card))
    return;
  gtk_widget_get_preferred_size (self->card, NULL, &size);
  size.width = MIN (size.width, width);
  size.height = MIN (size.height, height);
  x = (int) self->pointer_x + 16;
  y = (int) self->pointer_y + 18;
  if (x + size.width > width)
    x = (int) self->pointer_x - 12 - size.width;
  if (y + size.height > height)
    y = (int) self->pointer_y - 12 - size.height;
  x = CLAMP (x, 0, width - size.width);
  y = CLAMP (y, 0, height - size.height);
  gtk_widget_size_allocate (self->card, &(GtkAllocation) { x, y, size.width, size.height }, -1);
}

/* --- changes from outside --------------------------------------------------------------------- */

/* Screen readers hear which part is shown; not more often than once in half a second. */
static gboolean
describe_view (gpointer user_data)
{
  TsTimeline *self = user_data;
  g_autofree char *text = _ts_timeline_dup_description (self);

  self->describe_id = 0;
  _ts_timeline_update_items (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
  return G_SOURCE_REMOVE;
}

static void
on_view_changed (TsTimeline *self)
{
  self->n_coarse = 0;
  follow_recording (self);
  update_adjustment (self);
  queue_repaint (self);
  if (self->describe_id == 0)
    self->describe_id = g_timeout_add (500, describe_view, self);
}

static void
on_adjustment_changed (GtkAdjustment *adjustment,
                       TsTimeline *self)
{
  if (self->is_updating_adjustment || self->view == NULL)
    return;
  ts_view_state_set_scroll_y (self->view, (int) (gtk_adjustment_get_value (adjustment) *
                                                 _ts_timeline_get_scale (self)));
}

static void
on_scale_changed (TsTimeline *self)
{
  self->is_font_dirty = TRUE;
  self->is_dirty = TRUE;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
ts_timeline_css_changed (GtkWidget *widget,
                         GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (ts_timeline_parent_class)->css_changed (widget, change);
  on_scale_changed (TS_TIMELINE (widget));
}

static void
ts_timeline_direction_changed (GtkWidget *widget,
                               GtkTextDirection before)
{
  TsTimeline *self = TS_TIMELINE (widget);

  GTK_WIDGET_CLASS (ts_timeline_parent_class)->direction_changed (widget, before);
  self->options.is_mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  queue_repaint (self);
}

static void
ts_timeline_system_setting_changed (GtkWidget *widget,
                                    GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (ts_timeline_parent_class)->system_setting_changed (widget, setting);
  on_scale_changed (TS_TIMELINE (widget));
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_timeline_dispose (GObject *object)
{
  TsTimeline *self = TS_TIMELINE (object);

  g_clear_handle_id (&self->describe_id, g_source_remove);
  g_clear_handle_id (&self->items_id, g_source_remove);
  g_clear_handle_id (&self->card_id, g_source_remove);
  if (self->tick_id != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick_id);
      self->tick_id = 0;
    }
  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  follow_recording (self);
  if (self->linker != NULL)
    ts_worker_cancel (self->linker);
  g_clear_object (&self->linker);
  if (self->stepper != NULL)
    ts_worker_cancel (self->stepper);
  g_clear_object (&self->stepper);
  if (self->describer != NULL)
    ts_worker_cancel (self->describer);
  g_clear_object (&self->describer);
  g_clear_pointer (&self->states, g_hash_table_unref);
  g_clear_object (&self->vadjustment);
  self->card = NULL;
  while (gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL)
    gtk_widget_unparent (gtk_widget_get_first_child (GTK_WIDGET (self)));
  G_OBJECT_CLASS (ts_timeline_parent_class)->dispose (object);
}

static void
ts_timeline_finalize (GObject *object)
{
  TsTimeline *self = TS_TIMELINE (object);

  if (self->frame_stats->n_total > 0 && g_getenv ("TASKSCOPE_FRAME_STATS") != NULL)
    {
      ts_frame_stats_print (self->frame_stats, "frame (own code in snapshot)");
      ts_frame_stats_print (self->latency_stats, "data published to the end of snapshot");
    }
  g_clear_pointer (&self->surfaces[0], cairo_surface_destroy);
  g_clear_pointer (&self->surfaces[1], cairo_surface_destroy);
  g_clear_pointer (&self->list, ts_display_list_free);
  g_clear_pointer (&self->painter, ts_painter_free);
  g_clear_pointer (&self->card_text, g_free);
  g_clear_pointer (&self->moves, g_array_unref);
  g_clear_pointer (&self->frame_stats, g_free);
  g_clear_pointer (&self->latency_stats, g_free);
  G_OBJECT_CLASS (ts_timeline_parent_class)->finalize (object);
}

static void
ts_timeline_class_init (TsTimelineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ts_timeline_dispose;
  object_class->finalize = ts_timeline_finalize;
  widget_class->snapshot = ts_timeline_snapshot;
  widget_class->measure = ts_timeline_measure;
  widget_class->size_allocate = ts_timeline_size_allocate;
  widget_class->css_changed = ts_timeline_css_changed;
  widget_class->direction_changed = ts_timeline_direction_changed;
  widget_class->system_setting_changed = ts_timeline_system_setting_changed;
  gtk_widget_class_set_css_name (widget_class, "timeline");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
  _ts_timeline_install_input (widget_class);
  _ts_timeline_install_keys (widget_class);
}

static void
ts_timeline_init (TsTimeline *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  self->list = ts_display_list_new ();
  self->options.is_mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  self->linker = ts_worker_new ("[ts-ui] causes");
  self->stepper = ts_worker_new ("[ts-ui] step");
  self->describer = ts_worker_new ("[ts-ui] states at the cursor");
  self->moves = g_array_new (FALSE, FALSE, sizeof (TsMove));
  self->painter = ts_painter_new ();
  self->frame_stats = g_new0 (TsFrameStats, 1);
  self->latency_stats = g_new0 (TsFrameStats, 1);
  self->pointer_x = -1;
  self->pointer_y = -1;
  self->is_dirty = TRUE;
  self->is_font_dirty = TRUE;
  self->lane_percent = 100;
  self->vadjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  g_signal_connect_object (self->vadjustment, "value-changed",
                           G_CALLBACK (on_adjustment_changed), self, 0);

  self->card = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->card, "hover-card");
  gtk_label_set_xalign (GTK_LABEL (self->card), 0);
  gtk_widget_set_can_target (self->card, FALSE);
  gtk_widget_set_visible (self->card, FALSE);
  gtk_widget_set_parent (self->card, GTK_WIDGET (self));

  self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                  self);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (update_palette), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (update_palette), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (on_scale_changed), NULL);

  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Timeline"), -1);
  _ts_timeline_init_input (self);
  _ts_timeline_init_keys (self);
  update_palette (self);
}

/**
 * ts_timeline_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty timeline
 */
GtkWidget *
ts_timeline_new (void)
{
  return g_object_new (TS_TYPE_TIMELINE, NULL);
}

/**
 * ts_timeline_set_view:
 * @self: a timeline
 * @view: (nullable): what to show
 *
 * Thread: main
 */
void
ts_timeline_set_view (TsTimeline *self,
                      TsViewState *view)
{
  g_return_if_fail (TS_IS_TIMELINE (self));

  if (!g_set_object (&self->view, view))
    return;
  g_signal_group_set_target (self->view_signals, view);
  follow_recording (self);
  on_scale_changed (self);
  on_view_changed (self);
}

/**
 * ts_timeline_get_view:
 * @self: a timeline
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): what it shows
 */
TsViewState *
ts_timeline_get_view (TsTimeline *self)
{
  g_return_val_if_fail (TS_IS_TIMELINE (self), NULL);
  return self->view;
}

/**
 * ts_timeline_get_vadjustment:
 * @self: a timeline
 *
 * The vertical place in the lanes, for a scroll bar.
 *
 * Units: widget pixels
 * Thread: main
 *
 * Returns: (transfer none): the adjustment
 */
GtkAdjustment *
ts_timeline_get_vadjustment (TsTimeline *self)
{
  g_return_val_if_fail (TS_IS_TIMELINE (self), NULL);
  return self->vadjustment;
}

/**
 * ts_timeline_mark_data:
 * @self: a timeline
 * @arrival_us: monotonic time at which new data arrived
 *
 * Tells that new data is about to be shown: the next painted frame counts its delay.
 *
 * Thread: main
 */
void
ts_timeline_mark_data (TsTimeline *self,
                       gint64 arrival_us)
{
  g_return_if_fail (TS_IS_TIMELINE (self));
  if (self->arrival_us == 0)
    self->arrival_us = arrival_us;
}

/**
 * ts_timeline_get_frame_stats:
 * @self: a timeline
 *
 * Thread: main
 *
 * Returns: (transfer none): time of our own code in each snapshot that repainted
 */
const TsFrameStats *
ts_timeline_get_frame_stats (TsTimeline *self)
{
  g_return_val_if_fail (TS_IS_TIMELINE (self), NULL);
  return self->frame_stats;
}

/**
 * ts_timeline_get_latency_stats:
 * @self: a timeline
 *
 * Thread: main
 *
 * Returns: (transfer none): time from ts_timeline_mark_data() to the end of the snapshot that
 *   shows it
 */
const TsFrameStats *
ts_timeline_get_latency_stats (TsTimeline *self)
{
  g_return_val_if_fail (TS_IS_TIMELINE (self), NULL);
  return self->latency_stats;
}

/**
 * ts_timeline_dup_texture:
 * @self: a timeline
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable): the picture that is shown
 */
GdkTexture *
ts_timeline_dup_texture (TsTimeline *self)
{
  cairo_surface_t *surface;
  g_autoptr (GBytes) bytes = NULL;
  guint8 *pixels;
  int width;
  int height;

  g_return_val_if_fail (TS_IS_TIMELINE (self), NULL);
  surface = self->surfaces[self->current];
  if (surface == NULL)
    return NULL;
  cairo_surface_flush (surface);
  width = cairo_image_surface_get_width (surface);
  height = cairo_image_surface_get_height (surface);
  pixels = g_malloc ((gsize) width * (gsize) height * 3);
  for (int y = 0; y < height; y++)
    {
      const guint32 *row = (const guint32 *) (const void *) (
          cairo_image_surface_get_data (surface) +
          (gsize) y * (gsize) cairo_image_surface_get_stride (surface));
      guint8 *out = pixels + (gsize) y * (gsize) width * 3;

      for (int x = 0; x < width; x++)
        {
          *out++ = (guint8) (row[x] >> 16);
          *out++ = (guint8) (row[x] >> 8);
          *out++ = (guint8) row[x];
        }
    }
  bytes = g_bytes_new_take (pixels, (gsize) width * (gsize) height * 3);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_R8G8B8, bytes, (gsize) width * 3);
}

/**
 * ts_timeline_reveal:
 * @self: a timeline
 * @tick: a point in time
 *
 * Brings @tick into view without changing the zoom; it is put in the middle if it was not visible.
 *
 * Thread: main
 */
void
ts_timeline_reveal (TsTimeline *self,
                    gint64 tick)
{
  gint64 begin;
  gint64 span;

  g_return_if_fail (TS_IS_TIMELINE (self));
  if (self->view == NULL)
    return;
  begin = ts_view_state_get_begin (self->view);
  span = ts_view_state_get_span (self->view);
  if (tick >= begin && tick - begin < span)
    return;
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_visible (self->view, tick - span / 2, span);
}

/**
 * ts_timeline_reveal_lane:
 * @self: a timeline
 * @lane: a lane
 *
 * Unfolds its group, if need be, and scrolls it into sight.
 *
 * Thread: main
 */
void
ts_timeline_reveal_lane (TsTimeline *self,
                         guint32 lane)
{
  TsRecording *recording;
  const TsViewRow *rows;
  guint n_rows;
  int page;

  g_return_if_fail (TS_IS_TIMELINE (self));
  recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  if (recording == NULL || ts_recording_get_lane (recording, lane) == NULL)
    return;
  ts_view_state_unfold_lane (self->view, lane);
  page = self->options.height - self->options.overview_height - self->options.ruler_height;
  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      int fixed = ts_view_state_get_fixed_height (self->view, page);
      int y = ts_view_state_get_row_y (self->view, &rows[i], page);

      if (rows[i].is_header || rows[i].lane != lane)
        continue;
      if (ts_view_state_is_lane_pinned (self->view, lane) && fixed > 0)
        return;
      /* a header stands above the topmost lane */
      if (y < fixed + rows[i].height)
        ts_view_state_set_scroll_y (self->view, MAX (rows[i].y - rows[i].height - fixed, 0));
      else if (page > 0 && y + rows[i].height > page)
        ts_view_state_set_scroll_y (self->view, rows[i].y + 2 * rows[i].height - page);
      return;
    }
}

/**
 * ts_timeline_zoom_to:
 * @self: a timeline
 * @begin: first tick
 * @end: tick after the last
 *
 * Shows a range with a little room on both sides.
 *
 * Thread: main
 */
void
ts_timeline_zoom_to (TsTimeline *self,
                     gint64 begin,
                     gint64 end)
{
  gint64 span = MAX (end - begin, 1);
  gint64 margin = span / 20;

  g_return_if_fail (TS_IS_TIMELINE (self));
  if (self->view == NULL)
    return;
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_visible (self->view, begin - margin, span + 2 * margin);
}

/**
 * ts_timeline_go_to:
 * @self: a timeline
 * @lane: a lane, 0 for none
 * @begin: first tick, -1: only the lane
 * @end: tick after the last
 *
 * Shows a place large enough to be seen, with what is around it, and selects what is there.
 *
 * Thread: main
 */
void
ts_timeline_go_to (TsTimeline *self,
                   guint32 lane,
                   gint64 begin,
                   gint64 end)
{
  TsRecording *recording;
  gint64 length = MAX (end - begin, 1);
  gint64 span;

  g_return_if_fail (TS_IS_TIMELINE (self));
  recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  if (recording == NULL)
    return;
  span = ts_view_state_get_span (self->view);
  if (lane != 0 && ts_recording_get_lane (recording, lane) == NULL)
    lane = 0;
  if (lane != 0)
    {
      ts_view_state_select_lane (self->view, lane);
      ts_timeline_reveal_lane (self, lane);
    }
  if (begin < 0)
    return;
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_cursor (self->view, begin);
  if (length > span / 2 || (length > 1 && length < span / 20))
    ts_view_state_set_visible (self->view, begin - 2 * length, 5 * length);
  else
    ts_timeline_reveal (self, begin + length / 2);
  if (lane != 0)
    _ts_timeline_select_at (self, lane, begin);
}
