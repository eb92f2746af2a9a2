/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-store-state-private.h: what a store of lanes is made of. */
#pragma once

#include <pthread.h>

#include "ts-lane-figures-private.h"
#include "ts-lane-live-private.h"

G_BEGIN_DECLS

#define N_CORES 256

/* What the children of a node have together. */
typedef struct
{
  TsFold fold;
  TsLaneFigures figures;
} Sum;

/* Children of a node that wait for more. */
#define MAX_WAITING 3

typedef struct
{
  GBytes *bytes;
  GBytes *figures; /* NULL: it has none */
} Child;

/* The node of a higher level that is being put together. Most lanes are short, and never have many
 * children: until those come, the first ones of all stay as their bytes. */
typedef struct
{
  Child waiting[MAX_WAITING];
  guint n_waiting;
  Sum *sum; /* NULL: all that are there wait */
  guint n_children;
  guint64 n_slices;
  gint64 begin;
  gint64 end;
} Parent;

typedef struct
{
  TsLaneInfo info;
  gboolean is_dirty;
  gboolean has_values;

  TsLaneChunk *chunk;
  guint n_chunk;
  guint next_capacity;
  gint64 last_end;

  guint64 touched; /* commits before something was added last */

  TsFold extra;       /* see TsLaneTail */
  gboolean is_extra_dirty;
  guint64 n_counts;   /* counts in extra (density) */
  gint64 extra_begin;
  gint64 extra_end;

  Parent *parents[TS_NODE_MAX_LEVEL + 1]; /* [level]; [0] unused */
  TsFigureMaker *maker; /* NULL: none of its figures are kept */

  /* Sealed nodes. The arrays are only changed under the lock, because readers walk them; the
   * writer reads them without. */
  TsStoredNode **nodes[TS_NODE_MAX_LEVEL + 1];
  guint32 n_nodes[TS_NODE_MAX_LEVEL + 1];

  TsSlice *open; /* NULL: none */
  guint n_open;

  TsLaneTail tail; /* under the lock */
} Lane;

struct _TsLaneStore
{
  gint ref_count; /* atomic */

  /* writer */
  GPtrArray *lanes;   /* of Lane, in order of definition */
  GPtrArray *objects; /* Lane by object id */
  Lane *loss;
  Lane *density;
  Lane *cpu[N_CORES];
  Lane *rtos[N_CORES];
  Lane *counters[N_CORES * 8];
  Lane *loads[N_CORES];
  Lane *overflows[N_CORES];
  GPtrArray *dirty;
  GQueue unsaved;     /* of TsStoredNode */
  GPtrArray *written; /* of TsStoredNode: stored, not committed */
  GArray *lane_infos; /* answer of get_lanes() */
  GByteArray *locks;  /* 1 for objects that are mutexes, by id */
  GArray *losses;     /* gint64: when they began */
  gint64 storm_window; /* in ticks; 0: the clock is not known */
  TsBuckets *buckets; /* for makers of figures */
  TsSlice *scratch;   /* TS_NODE_SLICES of them */
  guint64 n_commits;
  guint64 trimmed_at; /* as @n_commits */
  gsize n_open_bytes; /* room for what lanes have open */
  guint n_sealed;     /* lanes that nothing is added to any more, in the end */

  /* Protects tails and node arrays of all lanes, bytes and blob of all nodes, and the fields
   * below. A POSIX one because the thread sanitizer does not see through GLib's. */
  pthread_mutex_t lock;
  GPtrArray *published; /* of Lane */
  guint64 generation;
  gint64 end_time;
};

Lane *_ts_lane_store_find_lane (TsLaneStore *self,
                                guint32 id);
void _ts_lane_store_set_slices (TsSlice **to,
                                guint *n_to,
                                const TsSlice *from,
                                guint n_from);
void _ts_lane_store_trim (TsLaneStore *self);

G_END_DECLS
