/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-search.h: finding events and slices by words and conditions.
 *
 * Words are looked for in names, kinds and texts; all of them have to be met. `lane:Ctrl`,
 * `kind:mutex`, `text:overrun` look in one place only; `task:Ctrl` is what a task did: events about
 * it, and what it did to others (it took a mutex); `state:blocked` and conditions on the duration
 * (`dur>1.5ms`) look for slices instead of events; `value>=3`, `core=1`, `prio<4` compare. Quotes
 * keep words together.
 *
 * Looking goes by the summaries that a recording keeps (which kinds and objects a block of rows
 * holds, which acts and how long slices a node of a lane holds): what cannot match is never read.
 */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

typedef struct _TsSearch TsSearch;

/**
 * TsSearchHit:
 * @begin: its tick
 * @end: tick after the last; @begin for an event
 * @row: row id of an event, 0 for a slice
 * @lane: the lane or object it is about, 0 none
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  guint64 row;
  guint32 lane;
} TsSearchHit;

/**
 * TsSearchResult:
 * @hits: (element-type TsSearchHit): in order of time, the first as many as were asked for
 * @n_found: how many there are in all
 * @are_slices: slices were looked for, not events
 */
typedef struct
{
  GArray *hits;
  guint64 n_found;
  gboolean are_slices;
} TsSearchResult;

TsSearch *ts_search_new (const char *text,
                         GError **error);
void ts_search_free (TsSearch *self);
gboolean ts_search_wants_slices (const TsSearch *self);

/* The next hit in one direction from a place; no more is looked at than it takes. */
gboolean ts_search_find (TsSearch *self,
                         TsRecording *recording,
                         gint64 time,
                         int direction,
                         TsSearchHit *hit,
                         GCancellable *cancellable,
                         GError **error);
gboolean ts_search_find_from (TsSearch *self,
                              TsRecording *recording,
                              const TsSearchHit *from,
                              int direction,
                              TsSearchHit *hit,
                              GCancellable *cancellable,
                              GError **error);

/* All of them. */
TsSearchResult *ts_search_run (TsSearch *self,
                               TsRecording *recording,
                               guint max_hits,
                               GCancellable *cancellable,
                               GError **error);
void ts_search_result_free (TsSearchResult *self);
gint64 *ts_search_result_thin (const TsSearchResult *self,
                               gint64 duration,
                               guint n_buckets,
                               guint *n_times);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSearch, ts_search_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSearchResult, ts_search_result_free)

G_END_DECLS
