/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-deframer.c: one way of the bytes of all captures, through one decode tree. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-deframer-private.h"

/* Bytes of a source, out of the tree. */
static void
take_source (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsDeframer *self = user_data;

  self->func (self->is_framed ? id : 0, bytes, n_bytes, self->user_data);
}

static gboolean
is_source (guint id)
{
  return id > 0 && id < TS_TPIU_FIRST_RESERVED;
}

/* Bytes of frames that the tree takes apart too: those of no source. */
static void
take_rest (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsDeframer *self = user_data;

  if (!is_source (id))
    self->func (id, bytes, n_bytes, self->user_data);
}

/* Bytes of frames where there is no tree. */
static void
take_own (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsDeframer *self = user_data;

  if (self->wants_rest || is_source (id))
    self->func (id, bytes, n_bytes, self->user_data);
}

/* Whole frames, for the tree. */
static void
take_frames (const guint8 *frames, gsize n_bytes, gpointer user_data)
{
  TsDeframer *self = user_data;

  if (self->wants_rest)
    _ts_tpiu_push (&self->rest, frames, n_bytes);
  _ts_opencsd_push (self->tree, frames, n_bytes);
}

/*
 * _ts_deframer_init:
 * @self: a deframer; must stay where it is
 * @is_framed: the bytes are formatter frames
 * @wants_rest: @func also takes bytes of no source: of id 0, of reserved ids, and of
 *   %TS_TPIU_NO_ID
 * @func: takes the bytes of sources; of source 0 where nothing is framed; must not call back
 * @user_data: for @func
 *
 * Thread: any; afterwards owner
 */
void
_ts_deframer_init (
    TsDeframer *self, gboolean is_framed, gboolean wants_rest, TsTpiuFunc func, gpointer user_data)
{
  self->is_framed = is_framed;
  self->wants_rest = wants_rest;
  self->func = func;
  self->user_data = user_data;
  _ts_tpiu_init (&self->tpiu, take_own, self);
  _ts_tpiu_init (&self->rest, take_rest, self);
  self->rest.layout = TS_TPIU_MEMORY;
  self->tree = _ts_opencsd_new (is_framed, take_source, self);
  self->tpiu.frames = self->tree != NULL ? take_frames : NULL;
}

/* Frees what the deframer owns. */
void
_ts_deframer_clear (TsDeframer *self)
{
  g_clear_pointer (&self->tree, _ts_opencsd_free);
}

/* Takes the next bytes apart. Where one call ends and the next begins means nothing. */
void
_ts_deframer_push (TsDeframer *self, const guint8 *bytes, gsize n_bytes)
{
  if (self->is_framed)
    _ts_tpiu_push (&self->tpiu, bytes, n_bytes);
  else if (self->tree != NULL)
    _ts_opencsd_push (self->tree, bytes, n_bytes);
  else
    self->func (0, bytes, n_bytes, self->user_data);
}

/* Decides now how frames lie, with what there is. */
void
_ts_deframer_settle (TsDeframer *self)
{
  if (self->is_framed)
    _ts_tpiu_settle (&self->tpiu);
}

/* Bytes are missing here. */
void
_ts_deframer_lose (TsDeframer *self)
{
  if (self->is_framed)
    {
      _ts_tpiu_lose (&self->tpiu);
      self->rest.id = TS_TPIU_NO_ID;
    }
  if (self->tree != NULL)
    _ts_opencsd_reset (self->tree);
}

/* The end of the data. */
void
_ts_deframer_finish (TsDeframer *self)
{
  if (self->is_framed)
    _ts_tpiu_finish (&self->tpiu);
}

/* Changes to another id; only where the rest is wanted. */
guint64
_ts_deframer_get_n_id_changes (const TsDeframer *self)
{
  return self->tree != NULL ? self->rest.n_id_changes : self->tpiu.n_id_changes;
}
