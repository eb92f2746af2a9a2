/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-private.h: the conditions of a search, shared by reading them (ts-search.c) and looking
 * (ts-search-events.c, ts-search-slices.c). */
#pragma once

#include "ts-lane-figures-private.h"
#include "ts-lane-reader-private.h"
#include "ts-recording-private.h"
#include "ts-row-blocks-private.h"
#include "ts-search.h"

G_BEGIN_DECLS

typedef enum
{
  TS_TERM_WORD,
  TS_TERM_LANE,
  TS_TERM_TASK,
  TS_TERM_KIND,
  TS_TERM_TEXT,
  TS_TERM_STATE,
  TS_TERM_VALUE,
  TS_TERM_DURATION,
  TS_TERM_CORE,
  TS_TERM_PRIORITY,
} TsTermType;

typedef enum
{
  TS_COMPARE_EQUAL,
  TS_COMPARE_LESS,
  TS_COMPARE_AT_MOST,
  TS_COMPARE_GREATER,
  TS_COMPARE_AT_LEAST,
} TsComparison;

#define TS_SEARCH_N_KINDS 0x300

/**
 * TsTerm:
 * @word: (nullable): case-folded
 * @number: what is compared with; durations in nanoseconds
 * @objects: 1 where the word is in the name of the object, or its priority meets the condition
 * @kinds: 1 where the word is in the name of the kind
 * @strings: string id to 1 no, 2 yes
 */
typedef struct
{
  TsTermType type;
  char *word;
  TsComparison comparison;
  double number;
  GByteArray *objects;
  guint8 kinds[TS_SEARCH_N_KINDS];
  GHashTable *strings;
} TsTerm;

/**
 * TsSearch:
 * @terms: (element-type TsTerm): all have to be met
 * @wants_slices: slices are looked for, not events
 * @wants_actors: it matters who did something to an object
 */
struct _TsSearch
{
  GPtrArray *terms;
  gboolean wants_slices;
  gboolean wants_actors;
};

/** What can be said of an event whose kind and object alone are known. */
typedef enum
{
  TS_VERDICT_NO,
  TS_VERDICT_MAYBE,
  TS_VERDICT_YES,
} TsSearchVerdict;

void _ts_search_prepare (TsSearch *self,
                         TsRecording *recording);
gboolean _ts_search_matches_event (TsSearch *self,
                                   TsRecording *recording,
                                   const TsEvent *event,
                                   guint32 actor);
TsSearchVerdict _ts_search_judge (TsSearch *self,
                                  guint64 group,
                                  guint32 actor,
                                  gboolean is_whole);
gboolean _ts_search_matches_lane (TsSearch *self,
                                  const TsLaneInfo *lane);
gboolean _ts_search_matches_slice (TsSearch *self,
                                   TsRecording *recording,
                                   const TsSlice *slice);
gboolean _ts_search_may_match_head (TsSearch *self,
                                    TsRecording *recording,
                                    const TsLaneHead *head);

/* ts-search-events.c */
gboolean _ts_search_find_event (TsSearch *self,
                                TsRecording *recording,
                                guint64 row,
                                int direction,
                                TsSearchHit *hit,
                                GCancellable *cancellable,
                                GError **error);
gboolean _ts_search_all_events (TsSearch *self,
                                TsRecording *recording,
                                guint max_hits,
                                TsSearchResult *result,
                                GCancellable *cancellable,
                                GError **error);

/* ts-search-slices.c */
gboolean _ts_search_find_slice (TsSearch *self,
                                TsRecording *recording,
                                const TsSearchHit *from,
                                int direction,
                                TsSearchHit *hit,
                                GCancellable *cancellable,
                                GError **error);
gboolean _ts_search_all_slices (TsSearch *self,
                                TsRecording *recording,
                                guint max_hits,
                                TsSearchResult *result,
                                GCancellable *cancellable,
                                GError **error);

G_END_DECLS
