/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tpiu-private.h: CoreSight formatter frames apart into the streams of their sources.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_TPIU_FRAME 16
#define TS_TPIU_N_IDS 128
/** Sources have ids below. Source: itm-dwt.md section 7.1 */
#define TS_TPIU_FIRST_RESERVED 0x70
/** No id change was seen yet. */
#define TS_TPIU_NO_ID 0xFF

/**
 * TsTpiuLayout:
 * @TS_TPIU_UNDECIDED: not known yet
 * @TS_TPIU_MEMORY: frames back to back
 * @TS_TPIU_PORT: full and half synchronisation patterns between them
 */
typedef enum
{
  TS_TPIU_UNDECIDED,
  TS_TPIU_MEMORY,
  TS_TPIU_PORT,
} TsTpiuLayout;

/** Bytes of source @id, in order; @id is %TS_TPIU_NO_ID before the first id change. */
typedef void (*TsTpiuFunc) (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data);

/** Whole frames, aligned; see @frames of #TsTpiu. */
typedef void (*TsTpiuFramesFunc) (const guint8 *frames, gsize n_bytes, gpointer user_data);

/** Bytes to look at before the layout is decided. */
#define TS_TPIU_DECIDE 4096

/**
 * TsTpiu:
 * @frames: (nullable): takes whole frames, instead of @func their parts
 * @n_frames: whole frames
 * @n_id_changes: changes to another id
 * @n_dropped: bytes of broken frames, and before the first frame
 * @n_full_syncs: full synchronisation patterns
 * @n_half_syncs: half ones
 */
typedef struct
{
  TsTpiuFunc func;
  TsTpiuFramesFunc frames;
  gpointer user_data;
  TsTpiuLayout layout;
  guint id;
  guint64 n_frames;
  guint64 n_id_changes;
  guint64 n_dropped;
  guint64 n_full_syncs;
  guint64 n_half_syncs;

  guint8 frame[TS_TPIU_FRAME];
  guint n_frame;
  guint32 last;      /* port: the last four bytes */
  guint8 half;       /* port: the first byte of a half word */
  gboolean has_half;
  gboolean is_locked; /* port: a full synchronisation was seen */
  guint8 unread[TS_TPIU_DECIDE];
  guint n_unread;
} TsTpiu;

void _ts_tpiu_init (TsTpiu *self, TsTpiuFunc func, gpointer user_data);
void _ts_tpiu_push (TsTpiu *self, const guint8 *bytes, gsize n_bytes);
void _ts_tpiu_settle (TsTpiu *self);
void _ts_tpiu_lose (TsTpiu *self);
void _ts_tpiu_finish (TsTpiu *self);

G_END_DECLS
