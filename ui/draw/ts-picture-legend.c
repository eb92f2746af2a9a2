/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-picture-legend.c: the line below a picture that tells what bars, lines and colours mean. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-picture-private.h"

typedef struct
{
  TsDisplayList *list;
  TsDisplayOptions metrics;
  double x;
  double right;
  int height;
  int line_height;
} Legend;

/* Room for a sample and its word; FALSE: there is none left. */
static gboolean
begin_entry (Legend *self,
             const char *word,
             double *sample_x,
             double *sample_width)
{
  double width = ceil (_ts_text_width (&self->metrics, word, TS_ITEM_SMALL)) + 4;

  *sample_x = self->x;
  *sample_width = self->line_height * 2;
  if (self->x + *sample_width + 6 + width > self->right)
    return FALSE;

  _ts_list_add_text (self->list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0, TS_ITEM_SMALL,
                     self->x + *sample_width + 6, 0, width, self->height, word);
  self->x += *sample_width + 6 + width + self->line_height * 1.2;
  return TRUE;
}

static void
add_bar (Legend *self,
         const char *word,
         TsInk ink,
         guint color,
         guint flags,
         double share)
{
  double bar = floor (self->line_height * 0.75);
  double height = MAX (floor (bar * share), 2);
  double x, width;

  if (begin_entry (self, word, &x, &width))
    _ts_list_add (self->list, TS_ITEM_RECT, ink, color, x, floor ((self->height - height) / 2),
                  width, height)->flags = (guint8) flags;
}

static void
add_loss (Legend *self,
          const char *word)
{
  double bar = floor (self->line_height * 0.75);
  double x, width;

  if (begin_entry (self, word, &x, &width))
    _ts_list_add (self->list, TS_ITEM_HATCH, TS_INK_LOSS, 0, x, floor ((self->height - bar) / 2),
                  width, bar);
}

static gboolean
has_lane (TsRecording *recording,
          TsLaneKind kind)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == kind)
      return TRUE;
  return FALSE;
}

/**
 * _ts_picture_paint_legend:
 * @painter: paints it
 * @view: what the picture shows: only what it has is explained, in its colours
 * @cr: where to; the legend's corner is at 0, 0
 * @width: pixels
 * @height: pixels
 * @line_height: of the painter's font
 * @vector: as of ts_painter_paint()
 *
 * Tells what the shapes of a task's states and the other marks mean. What does not fit is left out.
 *
 * Thread: owner of @view
 */
void
_ts_picture_paint_legend (TsPainter *painter,
                          TsViewState *view,
                          cairo_t *cr,
                          int width,
                          int height,
                          int line_height,
                          gboolean vector)
{
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  TsRecording *recording = ts_view_state_get_recording (view);
  gboolean by_state = ts_view_state_is_color_by_state (view);
  Legend self = { .list = list,
                  .metrics = { .line_height = line_height },
                  .x = 10,
                  .right = width - 10,
                  .height = height,
                  .line_height = line_height };

  _ts_list_add (list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, 0, 0, width, height);
  _ts_list_add (list, TS_ITEM_RECT, TS_INK_BORDER, 0, 0, 0, width, 1);
  if (has_lane (recording, TS_LANE_TASK))
    {
      add_bar (&self, _("Running"), by_state ? TS_INK_STATE_RUNNING : TS_INK_LANE, 0, TS_ITEM_SOFT,
               1);
      add_bar (&self, _("Ready"), by_state ? TS_INK_STATE_READY : TS_INK_LANE_TINT, 0, 0, 0.4);
      add_bar (&self, _("Blocked"), by_state ? TS_INK_STATE_BLOCKED : TS_INK_LANE_LINE, 0, 0, 0);
      add_bar (&self, _("Sleeping"), by_state ? TS_INK_STATE_SLEEPING : TS_INK_LANE_LINE, 0,
               TS_ITEM_DOTTED, 0);
      add_bar (&self, _("Idle"), TS_INK_IDLE, 0, TS_ITEM_SOFT, 1);
    }
  if (has_lane (recording, TS_LANE_ISR))
    add_bar (&self, _("Interrupt"), TS_INK_ISR, 0, TS_ITEM_SOFT, 1);
  if (has_lane (recording, TS_LANE_LOSS))
    add_loss (&self, _("Data lost"));
  ts_painter_paint (painter, list, cr, vector);
}
