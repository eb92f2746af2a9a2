/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-storms.c: how many interrupts came in the last ten milliseconds, and how long they took. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-figures-private.h"

/* Entries that have left the window go when there are so many, and more than others. */
#define MAX_GONE 4096

/**
 * _ts_storm_window_init:
 * @self: (out caller-allocates): an empty window; _ts_storm_window_clear()
 * @window: its length in ticks
 */
void
_ts_storm_window_init (TsStormWindow *self,
                       gint64 window)
{
  *self = (TsStormWindow){ .window = window,
                           .recent = g_array_new (FALSE, FALSE, sizeof (TsStormEntry)) };
}

void
_ts_storm_window_clear (TsStormWindow *self)
{
  g_clear_pointer (&self->recent, g_array_unref);
}

/**
 * _ts_storm_window_add:
 * @self: a window
 * @slice: the next interrupt of its lane
 *
 * Moves the window: what began earlier than its length before @slice leaves it.
 *
 * Cost: some 5 ns
 *
 * Returns: how many are in it, @slice among them
 */
guint
_ts_storm_window_add (TsStormWindow *self,
                      const TsSlice *slice)
{
  TsStormEntry entry = { slice->begin, slice->depth == 0 ? slice->end - slice->begin : 0 };
  const TsStormEntry *entries;

  g_array_append_val (self->recent, entry);
  self->ticks += entry.ticks;
  entries = (const TsStormEntry *) (gconstpointer) self->recent->data;
  while (entries[self->first].begin < slice->begin - self->window)
    self->ticks -= entries[self->first++].ticks;
  if (self->first > MAX_GONE && self->first * 2 > self->recent->len)
    {
      g_array_remove_range (self->recent, 0, self->first);
      self->first = 0;
    }
  return self->recent->len - self->first;
}

/* Whether they took as long as in a storm. */
gboolean
_ts_storm_window_is_busy (const TsStormWindow *self)
{
  return (__int128) self->ticks * 100 >= (__int128) self->window * TS_STORM_PERCENT;
}

/* The begin of the first one in the window, which is not empty. */
gint64
_ts_storm_window_get_begin (const TsStormWindow *self)
{
  return g_array_index (self->recent, TsStormEntry, self->first).begin;
}
