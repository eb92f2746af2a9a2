/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-page.c: reads pages of the event list, on a worker. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-event-page-private.h"

TsEventPageRequest *
_ts_event_page_request_new (GArray *lines,
                            GArray *rows,
                            gboolean is_sorted,
                            guint64 n_lines)
{
  TsEventPageRequest *self = g_new0 (TsEventPageRequest, 1);

  self->lines = lines != NULL ? g_array_ref (lines) : NULL;
  self->rows = rows != NULL ? g_array_ref (rows) : NULL;
  self->is_sorted = is_sorted;
  self->n_lines = n_lines;
  return self;
}

/* Once each, as many as there is room for. */
void
_ts_event_page_request_add (TsEventPageRequest *self,
                            guint64 first_line)
{
  for (guint i = 0; i < self->n_pages; i++)
    if (self->first_lines[i] == first_line)
      return;
  if (self->n_pages < TS_EVENT_PAGE_MAX_ASKED)
    self->first_lines[self->n_pages++] = first_line;
}

void
_ts_event_page_request_free (gpointer self)
{
  TsEventPageRequest *request = self;

  g_clear_pointer (&request->lines, g_array_unref);
  g_clear_pointer (&request->rows, g_array_unref);
  g_free (request);
}

guint
_ts_event_rows_find (const GArray *rows,
                     guint64 row)
{
  guint low = 0;
  guint high = rows->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (rows, guint64, middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Lines are rows: one read, with the row before the first. */
static void
read_run (TsRecording *recording,
          TsEventPage *page,
          guint n)
{
  TsEvent events[TS_EVENT_MODEL_PAGE_ROWS + 1];
  guint lead = page->first_line > 1;
  guint n_read = 0;

  if (!ts_recording_read_events (recording, page->first_line - lead, n + lead, events, &n_read,
                                 NULL))
    return;
  for (guint i = lead; i < n_read; i++)
    {
      page->events[i - lead] = events[i];
      page->deltas[i - lead] = i > 0 ? events[i].time - events[i - 1].time : -1;
      page->n++;
    }
}

static gboolean
read_one (TsRecording *recording,
          guint64 row,
          TsEvent *event)
{
  guint n_read = 0;

  return ts_recording_read_events (recording, row, 1, event, &n_read, NULL) && n_read == 1;
}

/* Row before that of a line, in order of time; 0: none. */
static guint64
get_row_before (const TsEventPageRequest *request,
                guint64 line)
{
  guint64 row = g_array_index (request->lines, guint64, line - 1);
  guint at;

  if (!request->is_sorted)
    return line > 1 ? g_array_index (request->lines, guint64, line - 2) : 0;
  if (request->rows == NULL)
    return row - 1;
  at = _ts_event_rows_find (request->rows, row);
  return at > 0 ? g_array_index (request->rows, guint64, at - 1) : 0;
}

/* Each line has a row of its own somewhere. One that cannot be read is told as an invalid event. */
static void
read_lines (TsRecording *recording,
            const TsEventPageRequest *request,
            TsEventPage *page,
            guint n,
            GCancellable *cancellable)
{
  TsEvent last;
  guint64 last_row = 0;

  for (guint i = 0; i < n && !g_cancellable_is_cancelled (cancellable); i++)
    {
      guint64 line = page->first_line + i;
      guint64 row = g_array_index (request->lines, guint64, line - 1);
      guint64 before = get_row_before (request, line);

      page->deltas[i] = -1;
      if (before != 0 && before != last_row && read_one (recording, before, &last))
        last_row = before;
      if (read_one (recording, row, &page->events[i]))
        {
          if (before != 0 && last_row == before)
            page->deltas[i] = page->events[i].time - last.time;
          last = page->events[i];
          last_row = row;
        }
      else
        page->events[i].kind = TS_EVENT_INVALID;
      page->n++;
    }
}

gpointer
_ts_event_page_thread (TsRecording *recording,
                       gpointer data,
                       GCancellable *cancellable,
                       GError **error)
{
  const TsEventPageRequest *request = data;
  GPtrArray *pages = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < request->n_pages && !g_cancellable_is_cancelled (cancellable); i++)
    {
      TsEventPage *page = g_new0 (TsEventPage, 1);
      guint64 left = request->n_lines - request->first_lines[i] + 1;
      guint n = (guint) MIN (left, TS_EVENT_MODEL_PAGE_ROWS);

      page->first_line = request->first_lines[i];
      page->known = request->n_lines;
      g_ptr_array_add (pages, page);
      if (request->lines == NULL)
        read_run (recording, page, n);
      else
        read_lines (recording, request, page, n, cancellable);
    }
  return pages;
}
