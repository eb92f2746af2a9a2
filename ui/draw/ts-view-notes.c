/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-notes.c: what is written over a view: findings, hits, marks, a second cursor. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <string.h>

#include "ts-view-state-private.h"

/* Arrays of the same plain bytes are no change. */
static gboolean
replace (GArray *array,
         gconstpointer data,
         guint n)
{
  gsize size = (gsize) n * g_array_get_element_size (array);

  if (array->len == n && (n == 0 || memcmp (array->data, data, size) == 0))
    return FALSE;
  g_array_set_size (array, 0);
  if (n > 0)
    g_array_append_vals (array, data, n);
  return TRUE;
}

void
_ts_view_notes_init (TsViewNotes *notes)
{
  notes->findings = g_array_new (FALSE, FALSE, sizeof (TsViewSpan));
  notes->hits = g_array_new (FALSE, FALSE, sizeof (gint64));
  notes->marks = g_array_new (FALSE, FALSE, sizeof (gint64));
  notes->second_cursor = -1;
}

void
_ts_view_notes_clear (TsViewNotes *notes)
{
  g_clear_pointer (&notes->findings, g_array_unref);
  g_clear_pointer (&notes->hits, g_array_unref);
  g_clear_pointer (&notes->marks, g_array_unref);
}

/* Another recording: nothing of the last one holds. */
void
_ts_view_notes_reset (TsViewNotes *notes)
{
  g_array_set_size (notes->findings, 0);
  g_array_set_size (notes->hits, 0);
  g_array_set_size (notes->marks, 0);
  notes->second_cursor = -1;
}

/**
 * ts_view_state_set_findings:
 * @self: a view state
 * @spans: (array length=n_spans) (nullable): where something was found
 * @n_spans: how many
 *
 * They are hatched in their lane.
 *
 * Thread: owner
 */
void
ts_view_state_set_findings (TsViewState *self,
                            const TsViewSpan *spans,
                            guint n_spans)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (replace (self->notes.findings, spans, n_spans))
    _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_findings:
 * @self: a view state
 * @n_spans: (out): how many
 *
 * Thread: owner
 *
 * Returns: (array length=n_spans) (transfer none): where something was found
 */
const TsViewSpan *
ts_view_state_get_findings (TsViewState *self,
                            guint *n_spans)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  *n_spans = self->notes.findings->len;
  return (const TsViewSpan *) self->notes.findings->data;
}

/**
 * ts_view_state_set_hits:
 * @self: a view state
 * @times: (array length=n_times) (nullable): ticks that a search has found, ascending
 * @n_times: how many
 *
 * They are marked in the overview.
 *
 * Thread: owner
 */
void
ts_view_state_set_hits (TsViewState *self,
                        const gint64 *times,
                        guint n_times)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (replace (self->notes.hits, times, n_times))
    _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_hits:
 * @self: a view state
 * @n_times: (out): how many
 *
 * Thread: owner
 *
 * Returns: (array length=n_times) (transfer none): what a search has found, ascending
 */
const gint64 *
ts_view_state_get_hits (TsViewState *self,
                        guint *n_times)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  *n_times = self->notes.hits->len;
  return (const gint64 *) self->notes.hits->data;
}

/**
 * ts_view_state_set_marks:
 * @self: a view state
 * @times: (array length=n_times) (nullable): ticks of the user's marks, ascending
 * @n_times: how many
 *
 * Thread: owner
 */
void
ts_view_state_set_marks (TsViewState *self,
                         const gint64 *times,
                         guint n_times)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (replace (self->notes.marks, times, n_times))
    _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_marks:
 * @self: a view state
 * @n_times: (out): how many
 *
 * Thread: owner
 *
 * Returns: (array length=n_times) (transfer none): ticks of the user's marks, ascending
 */
const gint64 *
ts_view_state_get_marks (TsViewState *self,
                         guint *n_times)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  *n_times = self->notes.marks->len;
  return (const gint64 *) self->notes.marks->data;
}

/**
 * ts_view_state_set_second_cursor:
 * @self: a view state
 * @tick: where the second cursor stands, -1 for none
 *
 * Thread: owner
 */
void
ts_view_state_set_second_cursor (TsViewState *self,
                                 gint64 tick)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (self->notes.second_cursor == tick)
    return;
  self->notes.second_cursor = tick;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_second_cursor:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: where the second cursor stands, -1 for none
 */
gint64
ts_view_state_get_second_cursor (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), -1);
  return self->notes.second_cursor;
}
