/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-lines.c: when the lines of a stimulus port began.
 *
 * A line is told by one event, at the time of the packet that ended it. When its first byte came is
 * known with the first time stamp after that: until then the line is young. An event that waits for
 * its own time holds the begin of its line in place of its value, and its port beside the text; when
 * it has its time, the age of the line goes there.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-itm-stream-private.h"

/* The first byte of a line came with the packet that is being taken. Without time stamps the bytes of
 * the line stand for time, or the recorder's clock. */
void
_ts_itm_stream_begin_line (TsItmStream *self, TsItmLine *line)
{
  const TsEventWindow *window = self->decoder->window;

  if (self->has_time)
    {
      line->begin = TS_ITM_BEGAN_NOW;
      self->has_young = TRUE;
    }
  else if (self->decoder->va == NULL)
    line->begin = self->line_time;
  else
    line->begin = window->newest != G_MININT64 ? window->newest - window->shift : 0;
}

/* What waited for a time stamp happened now: young lines began then. */
void
_ts_itm_stream_age_lines (TsItmStream *self)
{
  for (guint i = 0; i < self->n_lines; i++)
    {
      TsItmLine *line = self->ports[self->lines[i]].line;

      if (line->begin == TS_ITM_BEGAN_NOW)
        line->begin = self->now;
    }
  self->has_young = FALSE;
}

/* The first time stamp of all came: what was taken for times before is none. */
void
_ts_itm_stream_renew_lines (TsItmStream *self)
{
  TsEvent *events = self->is_in_place ? self->decoder->window->events + self->decoder->window->n_events
                                      : self->pending;

  for (guint i = 0; i < self->n_lines; i++)
    _ts_itm_stream_begin_line (self, self->ports[self->lines[i]].line);
  for (guint i = self->n_timed; i < self->n_pending; i++)
    if (events[i].kind == TS_EVENT_ITM_TEXT)
      events[i].value = TS_ITM_BEGAN_NOW;
}

/* An event with a line has its time on the clock of the recording: tells the age of the line. */
void
_ts_itm_stream_finish_text (TsItmStream *self, TsEvent *event)
{
  gint64 begin = event->value;
  guint32 number = (guint32) event->detail;
  gint64 age = 0;

  if (begin != TS_ITM_BEGAN_NOW)
    {
      if (self->decoder->va == NULL || self->has_time)
        begin = _ts_itm_stream_map_time (self, begin);
      age = event->time - self->decoder->window->shift - begin;
    }
  event->value = number;
  event->detail = event->detail - number + ts_event_pack_age (age);
  self->n_texts--;
}

/* The same for those of @events, all of which have their times. */
void
_ts_itm_stream_finish_texts (TsItmStream *self, TsEvent *events, guint n_events)
{
  for (guint i = 0; i < n_events; i++)
    if (events[i].kind == TS_EVENT_ITM_TEXT)
      _ts_itm_stream_finish_text (self, &events[i]);
}

/* Packets are going to be taken many at a time: their first section is the one that is open. */
void
_ts_itm_stream_begin_batch_lines (TsItmStream *self)
{
  for (guint i = 0; i < self->n_lines; i++)
    {
      TsItmLine *line = self->ports[self->lines[i]].line;

      if (line->begin == TS_ITM_BEGAN_NOW)
        line->section = 0;
    }
}

/* They were: @times are the ends of their sections, but for the open one, on the stream's clock. */
void
_ts_itm_stream_end_batch_lines (TsItmStream *self, const gint64 *times, guint n_sections)
{
  self->has_young = FALSE;
  for (guint i = 0; i < self->n_lines; i++)
    {
      TsItmLine *line = self->ports[self->lines[i]].line;

      if (line->section < n_sections)
        line->begin = times[line->section];
      else if (line->section != TS_ITM_NO_SECTION)
        {
          line->begin = TS_ITM_BEGAN_NOW;
          self->has_young = TRUE;
        }
      line->section = TS_ITM_NO_SECTION;
    }
}
