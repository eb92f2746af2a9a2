/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-access.c: nodes for walks through whole lanes, on the reader's thread and on others. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-access-private.h"

/* Pages that one of several threads keeps: hardly any is read twice. */
#define APART_CACHE_KIB 1000

/**
 * _ts_lane_access_new:
 * @recording: a recording; its owner uses it meanwhile under a lock only
 * @is_apart: used by another thread than the owner of @recording
 *
 * Thread: owner of @recording; then only one at a time
 *
 * Returns: (transfer full) (nullable): _ts_lane_access_free(); %NULL if no other thread can read
 *   the recording: the nodes of one that is being written change hands meanwhile, and a file that
 *   was removed cannot be opened again
 */
TsLaneAccess *
_ts_lane_access_new (TsRecording *recording,
                     gboolean is_apart)
{
  g_autoptr (TsReaderDb) rdb = NULL;
  TsLaneAccess *self;

  if (is_apart && recording->live != NULL)
    return NULL;
  /* Lanes that were made in memory are read without. */
  if (recording->live == NULL && recording->lanes->load != NULL)
    rdb = is_apart ? _ts_reader_db_dup (recording->rdb) : _ts_reader_db_ref (recording->rdb);
  if (is_apart && rdb != NULL && !_ts_reader_db_is_twin (rdb, recording->rdb))
    return NULL;

  /* The stream is large, and begun before it is read. */
  self = g_new (TsLaneAccess, 1);
  self->node = NULL;
  self->n_slices = 0;
  self->bytes = NULL;
  self->stream_node = NULL;
  memset (self->books, 0, sizeof self->books);
  self->reader = recording->lanes;
  self->slices = g_new (TsSlice, TS_NODE_SLICES);
  self->rdb = g_steal_pointer (&rdb);
  if (self->rdb != NULL)
    _ts_reader_db_hold (self->rdb);
  if (self->rdb != NULL && is_apart)
    _ts_reader_db_limit_cache (self->rdb, APART_CACHE_KIB);
  return self;
}

void
_ts_lane_access_free (TsLaneAccess *self)
{
  if (self == NULL)
    return;
  if (self->rdb != NULL)
    {
      _ts_reader_db_release (self->rdb);
      _ts_reader_db_unref (self->rdb);
    }
  g_clear_pointer (&self->bytes, g_bytes_unref);
  for (guint i = 0; i < TS_BOOK_PARTS; i++)
    _ts_book_clear (&self->books[i]);
  g_free (self->slices);
  g_free (self);
}

static GBytes *
load (TsLaneAccess *self,
      TsReaderStatement which,
      TsNodeLoad owner_load,
      gint64 key)
{
  if (key == 0 || owner_load == NULL)
    return NULL;
  if (self->rdb != NULL)
    return _ts_reader_db_dup_blob (self->rdb, which, key);
  return owner_load (key, self->reader->user_data);
}

/* Figures of a node as bytes; NULL where there are none. */
GBytes *
_ts_lane_access_dup_figures (TsLaneAccess *self,
                             TsReaderNode *node)
{
  gint64 blob = node->info.blob;
  gint64 key = _ts_book_get_key (&node->info);
  TsBook *book = &self->books[_ts_book_get_part (&node->info)];
  GBytes *bytes = node->stored != NULL
                      ? _ts_lane_store_ref_figures (self->reader->store, node->stored, &blob)
                      : NULL;

  if (bytes != NULL || blob == 0)
    return bytes;
  if (!_ts_book_is (book, key))
    _ts_book_read (book, key,
                   load (self, TS_STATEMENT_BOOK, self->reader->load_book, key),
                   self->reader->store != NULL);
  bytes = _ts_book_dup_figures (book, &node->info);
  return bytes != NULL ? bytes
                       : load (self, TS_STATEMENT_FIGURES, self->reader->load_figures, blob);
}

/* Sections of a node of level 0 as bytes; NULL where there are none, and in older recordings. */
GBytes *
_ts_lane_access_dup_sections (TsLaneAccess *self,
                              TsReaderNode *node)
{
  gint64 blob = node->info.blob;
  GBytes *bytes = node->stored != NULL
                      ? _ts_lane_store_ref_sections (self->reader->store, node->stored, &blob)
                      : NULL;

  return bytes != NULL ? bytes
                       : load (self, TS_STATEMENT_SECTIONS, self->reader->load_sections, blob);
}

static GBytes *
dup_bytes (TsLaneAccess *self,
           TsReaderNode *node)
{
  gint64 blob = node->info.blob;
  GBytes *bytes = node->stored != NULL
                      ? _ts_lane_store_ref_bytes (self->reader->store, node->stored, &blob)
                      : NULL;

  return bytes != NULL ? bytes : load (self, TS_STATEMENT_BLOB, self->reader->load, blob);
}

/* Slices of a node of level 0, valid until those of another are read; NULL if they cannot be. */
const TsSlice *
_ts_lane_access_read_slices (TsLaneAccess *self,
                             TsReaderNode *node,
                             guint *n_slices)
{
  if (self->node != node)
    {
      g_autoptr (GBytes) bytes = dup_bytes (self, node);

      self->node = bytes != NULL ? node : NULL;
      self->n_slices = bytes != NULL ? _ts_node_decode_slices (bytes, self->slices) : 0;
    }
  *n_slices = self->n_slices;
  return self->node != NULL ? self->slices : NULL;
}

static gboolean
read_stream_node (TsLaneAccess *self,
                  TsReaderNode *node)
{
  if (self->stream_node != node || self->bytes == NULL)
    {
      g_clear_pointer (&self->bytes, g_bytes_unref);
      self->bytes = dup_bytes (self, node);
      self->stream_node = node;
    }
  return self->bytes != NULL;
}

/* The same in portions, valid until the next node or section is begun; NULL if there are none. */
TsSliceStream *
_ts_lane_access_begin_slices (TsLaneAccess *self,
                              TsReaderNode *node)
{
  return read_stream_node (self, node) && _ts_node_begin_slices (self->bytes, &self->stream)
             ? &self->stream
             : NULL;
}

/* The same of one section of the node; @sections stays. */
TsSliceStream *
_ts_lane_access_begin_section (TsLaneAccess *self,
                               TsReaderNode *node,
                               const TsNodeSections *sections,
                               guint section)
{
  return read_stream_node (self, node)
                 && _ts_node_begin_section (self->bytes, &sections->places, section,
                                            section > 0 ? sections->end[section - 1] : 0,
                                            &self->stream)
             ? &self->stream
             : NULL;
}
