/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-comms-private.h: gives and takes matched while they go by, in a walk through lanes or while a
 * recording is written; what a recording keeps of it, so that a question about hours need not look
 * at every operation again.
 *
 * Table `ts_comms`: one row for each stretch of time (a chunk), in order: the sums of the paths and
 * resources in it, and the state of everything at its end. A question adds up the sums of the chunks
 * that it contains, and walks through the lanes only at its two edges, from the state before them.
 * Row 0 is the answer for the whole of a recording that has several chunks; files of older versions
 * do without.
 */
#pragma once

#include <sqlite3.h>

#include "ts-analysis-private.h"
#include "ts-comms.h"

G_BEGIN_DECLS

/**
 * TsOperation:
 * @time: when
 * @object: the object; of a notification the receiving task
 * @actor: task or interrupt; 0 not known
 * @is_notification: a notification
 * @is_give: give, send, set; else take, receive, wait satisfied
 * @is_failed: it did not happen
 */
typedef struct
{
  gint64 time;
  guint32 object;
  guint32 actor;
  gboolean is_notification;
  gboolean is_give;
  gboolean is_failed;
} TsOperation;

typedef void (*TsTransferFunc) (const TsTransfer *transfer,
                                gpointer user_data);

gboolean _ts_comms_parse_words (const char *words,
                                TsOperation *operation);
const char *_ts_comms_find_actor (const char *words);
GArray *_ts_comms_read_operations (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   GCancellable *cancellable,
                                   GError **error);

TsComms *_ts_comms_new_with_limit (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   gint64 bucket,
                                   guint64 max_exact,
                                   gint64 bytes_per_share,
                                   GCancellable *cancellable,
                                   GError **error);

/* ---- ts-comms-match.c ---- */

/** How takes find their gives. */
typedef enum
{
  TS_MATCH_FIRST, /* a queue of gives */
  TS_MATCH_LAST,  /* the newest */
  TS_MATCH_HOLDER /* a mutex */
} TsMatch;

typedef struct
{
  gint64 time;
  guint32 actor;
} TsGive;

/** The last wait of a task. @object is 0 once an operation has claimed it. */
typedef struct
{
  guint32 object;
  gint64 begin;
  gint64 end;
} TsMatchWait;

/**
 * TsMatchedResource:
 * @resource: what was counted; depths as they come, without @least
 * @gives, @first: what was given and not taken; the oldest at @first
 * @depth: gives less takes since the begin of the recording
 * @least: the least that was: as far below 0 as there was something at the begin
 * @n_filled: buckets of depths over time that have a figure
 * @is_counted: anything of it was counted
 */
typedef struct
{
  TsResource resource;
  TsMatch match;
  GArray *gives;
  guint first;
  gint64 depth;
  gint64 least;
  guint n_filled;
  gboolean is_counted;
} TsMatchedResource;

/**
 * TsMatchedPath:
 * @latencies: (nullable) (element-type gint64): each of them
 * @buckets: (nullable): how many lie in each bucket, in order, see _ts_matched_buckets_add(): there
 *   may be some hundred thousand paths at once
 * @n_buckets, @n_allocated: how many of them there are, and there is room for
 */
typedef struct
{
  TsPath path;
  GArray *latencies;
  guint64 *buckets;
  guint32 n_buckets;
  guint32 n_allocated;
} TsMatchedPath;

/**
 * TsMatcher:
 * @resources: by object, notifications above 2^32, to #TsMatchedResource
 * @paths: #TsMatchedPath as its own key
 * @waits: by task, to #TsMatchWait
 * @mutex_start_takes: see _ts_analysis_mutex_start_takes()
 * @is_counting: else what goes by only changes the state
 * @is_exact: keep each latency; else how many lie in each bucket
 * @begin, @bucket, @n_buckets: of depths over time; 0 buckets: none
 * @late_until: of waits of %TS_CHUNK_LATE those that ended by then are taken
 * @n_shares, @share: of the paths of a chunk only those whose hash leaves @share are taken; 0: all
 * @get_type, @types: type of an object
 * @func, @user_data: (nullable): told of every transfer
 */
typedef struct
{
  GHashTable *resources;
  GHashTable *paths;
  GHashTable *waits;
  gboolean mutex_start_takes;
  gboolean is_counting;
  gboolean is_exact;
  gint64 begin;
  gint64 bucket;
  guint n_buckets;
  gint64 late_until;
  guint n_shares;
  guint share;
  TsObjectType (*get_type) (guint32 object,
                            gpointer types);
  gpointer types;
  TsTransferFunc func;
  gpointer user_data;
} TsMatcher;

void _ts_matcher_init (TsMatcher *self);
void _ts_matcher_clear (TsMatcher *self);
TsMatch _ts_match_of (TsObjectType type);
TsMatchedResource *_ts_matcher_find_resource (TsMatcher *self,
                                              guint32 object,
                                              gboolean is_notification);
TsMatchedPath *_ts_matcher_find_path (TsMatcher *self,
                                      const TsPath *key);
void _ts_matcher_begin (TsMatcher *self,
                        gint64 time);
void _ts_matcher_point (TsMatcher *self,
                        guint32 object,
                        const TsSlice *slice);
void _ts_matcher_wait (TsMatcher *self,
                       guint32 task,
                       const TsSlice *slice);
void _ts_matcher_operation (TsMatcher *self,
                            const TsOperation *operation);
guint _ts_comms_path_hash (gconstpointer key);
void _ts_comms_note_depth (gint64 *depths,
                           guint *n_filled,
                           guint bucket,
                           gint64 before,
                           gint64 depth);
void _ts_matched_buckets_add (TsMatchedPath *path,
                              guint bucket,
                              guint64 count);
void _ts_matched_buckets_unpack (const TsMatchedPath *path,
                                 GArray *counts);
gint64 _ts_matched_buckets_percentile (const TsMatchedPath *path,
                                       guint percent);

/** Whether a point of an object's lane says that something was given, taken, or failed. */
static inline gboolean
_ts_match_is_act (guint kind)
{
  return kind == TS_EVENT_MUTEX || kind == TS_EVENT_SEMAPHORE || kind == TS_EVENT_QUEUE
         || kind == TS_EVENT_EVENT_FLAG || kind == TS_EVENT_OP_FAILED;
}

/** States of a task in which it waits for something. */
#define TS_MATCH_WAITS (1u << TS_STATE_BLOCKED | 1u << TS_STATE_SLEEPING | 1u << TS_STATE_SUSPENDED)

/* ---- ts-comms-chunk.c ---- */

/** What of a chunk is meant. */
typedef enum
{
  TS_CHUNK_PATHS = 1 << 0,  /* sums, added to what was counted */
  TS_CHUNK_COUNTS = 1 << 1, /* those of resources */
  TS_CHUNK_SUMS = TS_CHUNK_PATHS | TS_CHUNK_COUNTS,
  TS_CHUNK_STATE = 1 << 2, /* at its end; in place of what is known */
  TS_CHUNK_LATE = 1 << 3,  /* waits that were over before it began, and known only in it */
} TsChunkParts;

/** Things that the state at the end of a chunk may hold. */
#define TS_CHUNK_MAX_GIVES (1 << 22)

/** A wait that became known late. */
typedef struct
{
  guint32 task;
  TsMatchWait wait;
} TsLateWait;

GBytes *_ts_comms_paths_encode (TsMatcher *matcher,
                                gint64 begin);
GBytes *_ts_comms_chunk_encode (TsMatcher *matcher,
                                const GArray *late,
                                gint64 begin);
gboolean _ts_comms_chunk_decode (gconstpointer data,
                                 gsize n_bytes,
                                 gint64 begin,
                                 TsChunkParts parts,
                                 TsMatcher *into);

/* ---- ts-comms-total.c: what is answered ---- */

/** Row of `ts_comms` with the answer for the whole recording. */
#define TS_COMMS_TOTAL_ID 0
#define TS_COMMS_BYTES_PER_SHARE (8 << 20)
/** The answer for a part is made while others are in memory, too. */
#define TS_COMMS_BYTES_PER_PART_SHARE (3 << 20)
/** More shares than this are not worth the memory. */
#define TS_COMMS_MAX_SHARES 64

TsComms *_ts_comms_alloc (void);
guint _ts_comms_count_shares (gint64 n_bytes,
                              gint64 bytes_per_share);
void _ts_comms_finish_paths (TsComms *comms,
                             TsMatcher *matcher);
void _ts_comms_finish (TsComms *comms,
                       TsMatcher *matcher);
gboolean _ts_comms_total_decode (gconstpointer data,
                                 gsize n_bytes,
                                 TsComms *into);
int _ts_comms_total_save (sqlite3 *db,
                          gint64 bytes_per_share,
                          TsObjectType (*get_type) (guint32 object,
                                                    gpointer types),
                          gpointer types);

/* ---- ts-comms-depths.c: depths over time ---- */

gboolean _ts_comms_fill_depths (TsRecording *recording,
                                TsComms *comms,
                                TsMatcher *from_state,
                                gint64 from,
                                TsMatcher *end_state,
                                const GArray *operations,
                                gint64 deadline_us,
                                GCancellable *cancellable);

/* ---- ts-comms-feed.c: while a recording is written ---- */

typedef struct _TsCommsFeed TsCommsFeed;

TsCommsFeed *_ts_comms_feed_new (TsObjectType (*get_type) (guint32 object,
                                                           gpointer types),
                                 guint32 (*find_task) (const char *name,
                                                       gpointer types),
                                 gpointer types);
void _ts_comms_feed_free (TsCommsFeed *self);
void _ts_comms_feed_set_chunk_steps (TsCommsFeed *self,
                                     guint64 n_steps);
void _ts_comms_feed_add_text (TsCommsFeed *self,
                              guint32 id,
                              const char *text);
gboolean _ts_comms_feed_knows_text (TsCommsFeed *self,
                                    guint32 id);
void _ts_comms_feed_forget_texts (TsCommsFeed *self);
void _ts_comms_feed_type_changed (TsCommsFeed *self,
                                  guint32 object,
                                  TsObjectType type);
void _ts_comms_feed_point (TsCommsFeed *self,
                           guint32 object,
                           const TsSlice *slice);
void _ts_comms_feed_wait (TsCommsFeed *self,
                          guint32 task,
                          const TsSlice *slice);
void _ts_comms_feed_event (TsCommsFeed *self,
                           const TsEvent *event,
                           gint64 time);
gboolean _ts_comms_feed_is_holding (const TsCommsFeed *self);
void _ts_comms_feed_release (TsCommsFeed *self,
                             guint32 interrupt);
void _ts_comms_feed_finish (TsCommsFeed *self);
int _ts_comms_feed_save (TsCommsFeed *self,
                         sqlite3 *db);

static inline gboolean
_ts_comms_feed_wants (guint kind)
{
  return kind == TS_EVENT_TASK_NOTIFY || kind == TS_EVENT_NOTIFY_DETAILS
         || kind == TS_EVENT_STREAM_BUFFER || kind == TS_EVENT_FLAG_DETAILS
         || kind == TS_EVENT_MUTEX;
}

G_END_DECLS
