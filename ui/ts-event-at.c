/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-event-at.h"
#include "ui/ts-event-page-private.h"

/* Rows looked through for the one event, among those of one tick, that is about the object. */
#define MAX_SAME_TICK 64

/**
 * ts_event_at_find:
 * @recording: a recording of the thread's own
 * @rows: (nullable) (element-type guint64): the only rows there are, ascending
 * @n_rows: of all
 * @tick: a point in time
 * @object: the event is to be about it, if one of that tick is; 0: about anything
 * @cancellable: (nullable): ends the search
 *
 * Units: ticks
 * Cost: some reads of the file
 * Thread: owner of @recording
 *
 * Returns: the last row that is not after @tick, among those of exactly that tick the last one about
 *   @object; 0: there is none, or it is not known yet
 */
guint64
ts_event_at_find (TsRecording *recording,
                  GArray *rows,
                  guint64 n_rows,
                  gint64 tick,
                  guint32 object,
                  GCancellable *cancellable)
{
  guint64 after = ts_recording_row_at_time (recording, tick + 1);
  guint64 n = rows != NULL ? rows->len : n_rows;
  guint64 found;
  guint64 line;

  if (after == 0 || n == 0)
    return 0;
  line = rows != NULL ? _ts_event_rows_find (rows, after) : after - 1;
  line = CLAMP (line, 1, n);
  found = rows != NULL ? g_array_index (rows, guint64, line - 1) : line;
  for (guint64 i = 0; object != 0 && i < MIN (MAX_SAME_TICK, line)
                      && !g_cancellable_is_cancelled (cancellable); i++)
    {
      guint64 row = rows != NULL ? g_array_index (rows, guint64, line - 1 - i) : line - i;
      guint n_read = 0;
      TsEvent event;

      if (!ts_recording_read_events (recording, row, 1, &event, &n_read, NULL) || n_read == 0
          || event.time != tick)
        break;
      if (event.object == object)
        return row;
    }
  return found;
}
