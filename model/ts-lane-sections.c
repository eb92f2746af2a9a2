/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-sections.c: what nodes of level 0 keep of parts of their slices.
 *
 * A figure that takes a part of a node would need all its slices to be unpacked: in a recording
 * with 200 tasks that is 400 nodes for one range. So a row of its own tells for every 1024 slices:
 * where in the blob they are, from when to when they go, and their figures. It is not with the
 * figures of the node because these are read far more often.
 *
 * Layout (numbers and runs as ts-lane-pack.c writes them): version, to a whole byte, which is not
 * there in older recordings, that have it all behind the figures of the node; number of sections;
 * slices of each; for each run of the blob its place in bits, 0: none, and if there is
 * one the run of places of the sections but the first, each from the one before; begin of the
 * first section; run of the other begins, from the end before; run of lengths; run of states
 * before; if there is a run of arguments, the run of those before a section; run of numbers of
 * bytes of the figures; in whole bytes the figures of each section, their times from its begin.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-figures-private.h"

#define VERSION 1

void
_ts_sections_init (TsNodeSections *self)
{
  memset (self, 0, sizeof *self);
}

void
_ts_sections_clear (TsNodeSections *self)
{
  g_clear_pointer (&self->made, g_byte_array_unref);
}

/**
 * _ts_sections_add:
 * @self: sections that are made
 * @slices: (array length=n_slices): slices of the next section
 * @n_slices: how many, at least 1
 * @before: state of the slice before them
 * @figures: their figures
 *
 * Where they are in the blob is told by _ts_node_encode().
 */
void
_ts_sections_add (TsNodeSections *self,
                  const TsSlice *slices,
                  guint n_slices,
                  guint8 before,
                  const TsLaneFigures *figures)
{
  guint i = self->n_made++;
  TsPackWriter writer = { NULL, 0, 0 };

  g_assert (i < TS_NODE_MAX_SECTIONS && n_slices > 0);

  if (self->made == NULL)
    self->made = g_byte_array_sized_new (4096);
  self->begin[i] = slices[0].begin;
  for (guint k = 1; k < n_slices; k++)
    self->begin[i] = MIN (self->begin[i], slices[k].begin);
  self->end[i] = slices[n_slices - 1].end;
  self->before[i] = i > 0 ? before : TS_STATE_NONE;
  writer.bytes = self->made;
  _ts_figures_encode_durations (figures, &writer, self->begin[i]);
  _ts_pack_finish (&writer);
  self->stops[i] = self->made->len;
}

static void
encode_places (const TsNodePlaces *self,
               TsPackWriter *writer)
{
  guint64 run[TS_NODE_MAX_SECTIONS];
  guint n = self->n_sections;

  for (guint which = 0; which < TS_N_RUNS; which++)
    {
      guint64 bit = self->runs[which];

      _ts_pack_uint (writer, bit);
      if (bit == 0)
        continue;
      for (guint i = 1; i < n; i++)
        {
          run[i] = self->bits[which][i] - bit;
          bit = self->bits[which][i];
        }
      _ts_pack_run (writer, run + 1, n - 1);
    }
}

/**
 * _ts_sections_encode:
 * @self: sections that were made
 *
 * Returns: (transfer full): the bytes to store
 */
GBytes *
_ts_sections_encode (const TsNodeSections *self)
{
  TsPackWriter whole = { g_byte_array_sized_new (512 + self->made->len), 0, 0 };
  TsPackWriter *writer = &whole;
  const TsNodePlaces *places = &self->places;
  guint64 run[TS_NODE_MAX_SECTIONS];
  guint n = places->n_sections;

  g_assert (n == self->n_made);

  _ts_pack_uint (writer, VERSION);
  _ts_pack_finish (writer);
  _ts_pack_uint (writer, n);
  _ts_pack_uint (writer, places->n_slices);
  encode_places (places, writer);
  _ts_pack_uint (writer, (guint64) self->begin[0]);
  for (guint i = 1; i < n; i++)
    run[i] = _ts_zigzag (self->begin[i] - self->end[i - 1]);
  _ts_pack_run (writer, run + 1, n - 1);
  for (guint i = 0; i < n; i++)
    run[i] = (guint64) (self->end[i] - self->begin[i]);
  _ts_pack_run (writer, run, n);
  for (guint i = 0; i < n; i++)
    run[i] = self->before[i];
  _ts_pack_run (writer, run, n);
  if (places->runs[TS_RUN_ARGS] != 0)
    {
      for (guint i = 0; i < n; i++)
        run[i] = places->args[i];
      _ts_pack_run (writer, run, n);
    }
  for (guint i = 0; i < n; i++)
    run[i] = self->stops[i] - (i > 0 ? self->stops[i - 1] : 0);
  _ts_pack_run (writer, run, n);
  _ts_pack_finish (writer);
  g_byte_array_append (writer->bytes, self->made->data, self->made->len);
  return g_byte_array_free_to_bytes (writer->bytes);
}

static void
decode_places (TsNodePlaces *self,
               TsPackReader *reader)
{
  guint64 run[TS_NODE_MAX_SECTIONS];
  guint n = self->n_sections;

  for (guint which = 0; which < TS_N_RUNS && !reader->is_bad; which++)
    {
      guint64 bit = self->runs[which] = _ts_unpack_uint (reader);

      if (bit == 0)
        continue;
      _ts_unpack_run (reader, run, n - 1);
      for (guint i = 1; i < n; i++)
        self->bits[which][i] = bit += run[i - 1];
    }
}

/* Begins and ends. FALSE: they cannot be. */
static gboolean
decode_times (TsNodeSections *self,
              TsPackReader *reader)
{
  guint64 first = _ts_unpack_uint (reader);
  guint64 gaps[TS_NODE_MAX_SECTIONS];
  guint64 lengths[TS_NODE_MAX_SECTIONS];
  guint n = self->places.n_sections;
  gint64 end = 0;

  _ts_unpack_run (reader, gaps, n - 1);
  _ts_unpack_run (reader, lengths, n);
  for (guint i = 0; i < n && !reader->is_bad; i++)
    {
      gint64 gap = i > 0 ? _ts_unzigzag (gaps[i - 1]) : (gint64) MIN (first, G_MAXINT64);

      /* Sums of these do not overflow. */
      if (gap > TS_NODE_MAX_TIME || gap < -TS_NODE_MAX_TIME
          || lengths[i] > (guint64) TS_NODE_MAX_TIME)
        return FALSE;
      self->begin[i] = end + gap;
      self->end[i] = self->begin[i] + (gint64) lengths[i];
      if (self->begin[i] < 0 || self->end[i] > TS_NODE_MAX_TIME || self->end[i] < end)
        return FALSE;
      end = self->end[i];
    }
  return !reader->is_bad;
}

static gboolean
decode (const guint8 *data,
        gsize size,
        TsNodeSections *self)
{
  TsPackReader reader = { data, data + size, 0, 0, FALSE };
  guint64 run[TS_NODE_MAX_SECTIONS];
  guint64 n;
  guint64 n_slices;
  gsize left;

  n = _ts_unpack_uint (&reader);
  n_slices = _ts_unpack_uint (&reader);
  if (reader.is_bad || n < 2 || n > TS_NODE_MAX_SECTIONS || n_slices == 0
      || n_slices > TS_NODE_SLICES)
    return FALSE;
  self->made = NULL;
  self->places.n_sections = self->n_made = (guint) n;
  self->places.n_slices = (guint) n_slices;
  decode_places (&self->places, &reader);
  if (reader.is_bad || !decode_times (self, &reader))
    return FALSE;
  _ts_unpack_run (&reader, run, (guint) n);
  for (guint i = 0; i < n; i++)
    self->before[i] = (guint8) MIN (run[i], TS_N_STATES);
  memset (self->places.args, 0, sizeof self->places.args);
  if (self->places.runs[TS_RUN_ARGS] != 0)
    {
      _ts_unpack_run (&reader, run, (guint) n);
      for (guint i = 0; i < n; i++)
        self->places.args[i] = (guint32) run[i];
    }
  _ts_unpack_run (&reader, run, (guint) n);
  left = _ts_unpack_get_left (&reader);
  self->bytes = reader.end - left;
  for (guint i = 0; i < n; i++)
    {
      gsize start = i > 0 ? self->stops[i - 1] : 0;

      if (run[i] > left - start)
        return FALSE;
      self->stops[i] = start + run[i];
    }
  return !reader.is_bad;
}

/**
 * _ts_sections_decode:
 * @bytes: sections of a node; they stay
 * @self: (out caller-allocates): sections
 *
 * Cost: some 0.5 us
 *
 * Returns: %FALSE if they are damaged
 */
gboolean
_ts_sections_decode (GBytes *bytes,
                     TsNodeSections *self)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return size > 0 && data[0] == VERSION && decode (data + 1, size - 1, self);
}

/**
 * _ts_sections_decode_older:
 * @bytes: figures of a node; they stay
 * @self: (out caller-allocates): sections
 *
 * Returns: %FALSE if there are none: in recordings that are older still, in nodes with few slices,
 *   in recordings that have a table for them, or because of damage
 */
gboolean
_ts_sections_decode_older (GBytes *bytes,
                           TsNodeSections *self)
{
  gsize size;
  const guint8 *data = _ts_figures_find_sections (bytes, &size);

  return data != NULL && decode (data, size, self);
}

/**
 * _ts_sections_decode_figures:
 * @self: sections that were decoded
 * @section: one of them
 * @figures: (out caller-allocates): _ts_figures_clear(), also when damaged
 * @into: (nullable) (array fixed-size=6): buckets go there and not into @figures, unless they nest
 *
 * Cost: some 2 us
 *
 * Returns: %FALSE if they are damaged (@into may have got some buckets)
 */
gboolean
_ts_sections_decode_figures (const TsNodeSections *self,
                             guint section,
                             TsLaneFigures *figures,
                             TsBuckets *into)
{
  gsize start = section > 0 ? self->stops[section - 1] : 0;
  TsPackReader reader
      = { self->bytes + start, self->bytes + self->stops[section], 0, 0, FALSE };

  _ts_figures_init (figures);
  return _ts_figures_decode_durations (figures, &reader, self->begin[section], into);
}
