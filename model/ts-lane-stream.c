/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-stream.c: slices of a blob, a portion at a time.
 *
 * The runs of a blob lie one behind the other, so all but the last, the durations, are read before
 * the first slice is known. Layout: ts-lane-node.c. Everything is checked: a damaged blob gives the
 * slices that could be read.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-node-private.h"

G_STATIC_ASSERT (TS_NODE_SLICES % TS_STREAM_SLICES == 0);

/* Shapes of a blob. Returns how many, 0 when damaged. */
static guint
read_shapes (TsPackReader *reader,
             gboolean with_arg,
             guint64 *shapes)
{
  guint64 n_shapes = _ts_unpack_uint (reader);

  if (n_shapes == 0 || n_shapes > TS_NODE_SLICES)
    return 0;

  for (guint i = 0; i < n_shapes; i++)
    {
      shapes[i] = _ts_unpack_uint (reader) & G_MAXUINT32;
      if (with_arg)
        shapes[i] |= _ts_unpack_uint (reader) << 32;
      if (reader->is_bad || (shapes[i] & 0xFF) >= TS_N_STATES)
        return 0;
    }
  return (guint) n_shapes;
}

/* Begins to read a run, at the section that is read. */
static void
begin_run (TsSliceStream *self,
           guint which,
           TsPackRun *run)
{
  if (self->places != NULL)
    _ts_unpack_seek (&self->reader, self->bytes, self->n_bytes, self->places->runs[which]);
  _ts_unpack_begin (&self->reader, run);
  if (self->places != NULL && self->section > 0 && !run->is_constant && !self->reader.is_bad)
    _ts_unpack_seek (&self->reader, self->bytes, self->n_bytes,
                     self->places->bits[which][self->section]);
}

/* Indices of shapes; returns how many slices they tell the shapes of, and how many of those run. */
static guint
read_indices (TsSliceStream *self,
              guint n_shapes,
              guint *n_running)
{
  guint64 values[TS_STREAM_SLICES];
  guint n_good = self->n_slices;
  TsPackRun run;

  *n_running = 0;
  begin_run (self, TS_RUN_SHAPES, &run);
  for (guint from = 0; from < self->n_slices; from += TS_STREAM_SLICES)
    {
      guint n = MIN (self->n_slices - from, TS_STREAM_SLICES);
      guint n_read = _ts_unpack_next (&self->reader, &run, values, n);

      for (guint i = 0; i < n_read && from + i < n_good; i++)
        {
          if (values[i] >= n_shapes)
            {
              n_good = from + i;
              break;
            }
          self->indices[from + i] = (guint16) values[i];
          *n_running += (self->shapes[values[i]] & 0xFF) == TS_STATE_RUNNING;
        }
      if (n_read < n)
        return MIN (n_good, from + n_read);
    }
  return n_good;
}

static inline gboolean
is_running (const TsSliceStream *self,
            guint i)
{
  return (self->shapes[self->indices[i]] & 0xFF) == TS_STATE_RUNNING;
}

/* Arguments of running slices, each to its slice. FALSE if there are not so many. */
static gboolean
read_running_args (TsSliceStream *self,
                   guint n_running)
{
  guint64 values[TS_STREAM_SLICES];
  TsPackRun run;
  guint at = 0;

  if (n_running == 0)
    return TRUE;
  begin_run (self, TS_RUN_RUNNING_ARGS, &run);
  for (guint from = 0; from < n_running; from += TS_STREAM_SLICES)
    {
      guint n = MIN (n_running - from, TS_STREAM_SLICES);

      if (_ts_unpack_next (&self->reader, &run, values, n) < n)
        return FALSE;
      for (guint i = 0; i < n; at++)
        if (is_running (self, at))
          {
            self->args[at] = (guint32) MIN (values[i], G_MAXUINT32);
            i++;
          }
    }
  return TRUE;
}

/* Arguments that are not in the shapes. Returns how many could be read. */
static guint
read_args (TsSliceStream *self,
           guint n_good)
{
  guint64 values[TS_STREAM_SLICES];
  guint32 arg = self->places != NULL ? self->places->args[self->section] : 0;
  TsPackRun run;

  begin_run (self, TS_RUN_ARGS, &run);
  for (guint from = 0; from < self->n_written; from += TS_STREAM_SLICES)
    {
      guint n = MIN (self->n_written - from, TS_STREAM_SLICES);
      guint n_read = _ts_unpack_next (&self->reader, &run, values, n);

      for (guint i = 0; i < n_read; i++)
        {
          arg += (guint32) _ts_unzigzag (values[i]);
          if (from + i < n_good && !is_running (self, from + i))
            self->args[from + i] = arg;
        }
      if (n_read < n)
        return from + n_read;
    }
  return self->n_written;
}

static guint
read_gaps (TsSliceStream *self)
{
  const gboolean is_signed = (self->flags & TS_SLICES_GAPS_SIGNED) != 0;
  guint64 values[TS_STREAM_SLICES];
  TsPackRun run;

  begin_run (self, TS_RUN_GAPS, &run);
  self->has_gaps = !run.is_constant;
  if (run.is_constant)
    {
      self->gap = is_signed ? _ts_unzigzag (run.value) : (gint64) run.value;
      return self->reader.is_bad ? 0 : self->n_written;
    }
  for (guint from = 0; from < self->n_written; from += TS_STREAM_SLICES)
    {
      guint n = MIN (self->n_written - from, TS_STREAM_SLICES);
      guint n_read = _ts_unpack_next (&self->reader, &run, values, n);

      for (guint i = 0; i < n_read; i++)
        self->gaps[from + i] = is_signed ? _ts_unzigzag (values[i]) : (gint64) values[i];
      if (n_read < n)
        return from + n_read;
    }
  return self->n_written;
}

/* Reads all but the durations; where from is set. */
static gboolean
begin (TsSliceStream *self,
       const TsPackReader *reader,
       guint n_slices)
{
  guint64 first;
  guint n_shapes;
  guint n_running = 0;
  guint n_good;
  guint n_read;

  self->reader = *reader;
  first = _ts_unpack_uint (&self->reader);
  self->flags = _ts_unpack_uint (&self->reader);
  n_shapes = read_shapes (&self->reader, (self->flags & TS_SLICES_ARGS_APART) == 0, self->shapes);
  if (self->reader.is_bad || n_shapes == 0 || first > (guint64) TS_NODE_MAX_TIME)
    return FALSE;

  self->n_slices = self->n_written = n_slices;
  self->i = 0;
  if (self->section == 0)
    self->end = (gint64) first;
  self->total = 0;
  n_good = read_indices (self, n_shapes, &n_running);
  /* Damaged shapes: what follows cannot be told apart. */
  if ((self->flags & TS_SLICES_RUNNING_ARGS) != 0
      && (n_good < n_slices || !read_running_args (self, n_running)))
    return FALSE;
  n_read = (self->flags & TS_SLICES_ARGS_APART) != 0 ? read_args (self, n_good) : n_good;
  n_good = MIN (n_good, n_read);
  n_read = read_gaps (self);
  n_good = MIN (n_good, n_read);
  begin_run (self, TS_RUN_DURATIONS, &self->durations);
  self->n_slices = n_good;
  return TRUE;
}

/**
 * _ts_slice_stream_begin:
 * @self: (out caller-allocates): a stream
 * @reader: behind the number of slices; it is copied
 * @n_slices: that number, at least 1
 *
 * Cost: some 5 ns a slice
 *
 * Returns: %FALSE if there are none that can be read
 */
gboolean
_ts_slice_stream_begin (TsSliceStream *self,
                        const TsPackReader *reader,
                        guint n_slices)
{
  self->places = NULL;
  self->section = 0;
  return begin (self, reader, n_slices);
}

/**
 * _ts_slice_stream_begin_section:
 * @self: (out caller-allocates): a stream
 * @reader: behind the number of slices; it is copied
 * @n_slices: how many the blob has
 * @blob: what @reader is in; it stays
 * @places: where its sections are; it stays
 * @section: one of them
 * @end: when the slice before it ended; of section 0 anything
 *
 * Cost: some 5 ns a slice of the section
 *
 * Returns: %FALSE if there are none that can be read
 */
gboolean
_ts_slice_stream_begin_section (TsSliceStream *self,
                                const TsPackReader *reader,
                                guint n_slices,
                                GBytes *blob,
                                const TsNodePlaces *places,
                                guint section,
                                gint64 end)
{
  guint n_before = section * places->n_slices;

  if (section >= places->n_sections || n_before >= n_slices || end < 0 || end > TS_NODE_MAX_TIME)
    return FALSE;
  self->bytes = g_bytes_get_data (blob, &self->n_bytes);
  self->places = places;
  self->section = section;
  self->end = end;
  return begin (self, reader, MIN (n_slices - n_before, places->n_slices));
}

/**
 * _ts_slice_stream_next:
 * @self: a stream
 * @slices: (out caller-allocates): room for %TS_STREAM_SLICES; without values
 *
 * Cost: some 5 ns a slice
 *
 * Returns: how many; 0: there are no more
 */
guint
_ts_slice_stream_next (TsSliceStream *self,
                       TsSlice *slices)
{
  const gboolean has_running = (self->flags & TS_SLICES_RUNNING_ARGS) != 0;
  const gboolean is_apart = (self->flags & TS_SLICES_ARGS_APART) != 0;
  guint n = MIN (self->n_slices - self->i, TS_STREAM_SLICES);
  guint64 values[TS_STREAM_SLICES];
  guint n_read = n > 0 ? _ts_unpack_next (&self->reader, &self->durations, values, n) : 0;
  gint64 end = self->end;
  gint64 total = self->total;
  guint k;

  for (k = 0; k < n_read; k++)
    {
      guint i = self->i + k;
      guint64 shape = self->shapes[self->indices[i]];
      gint64 gap = self->has_gaps ? self->gaps[i] : self->gap;
      guint64 ticks = values[k];
      gint64 begin;
      guint32 arg = (guint32) (shape >> 32);

      /* Within these, no sum below overflows. */
      if (ticks > (guint64) TS_NODE_MAX_TIME || gap > TS_NODE_MAX_TIME || gap < -TS_NODE_MAX_TIME)
        break;
      begin = end + gap;
      total += (gint64) ticks;
      if (begin < 0 || begin + (gint64) ticks > TS_NODE_MAX_TIME
          || (i > 0 && begin + (gint64) ticks < end) || total > G_MAXINT64 / 2)
        break;
      end = begin + (gint64) ticks;
      if ((shape & 0xFF) == TS_STATE_RUNNING ? has_running : is_apart)
        arg = self->args[i];
      slices[k] = (TsSlice){ .begin = begin,
                             .end = end,
                             .arg = arg,
                             .state = (guint8) shape,
                             .depth = (guint8) (shape >> 8),
                             .kind = (guint16) (shape >> 16) };
    }
  self->i += n_read;
  self->end = end;
  self->total = total;
  if (k < n)
    self->n_slices = self->i;
  return k;
}

/**
 * _ts_slice_stream_end:
 * @self: a stream
 * @reader: (out): behind the durations
 */
void
_ts_slice_stream_end (TsSliceStream *self,
                      TsPackReader *reader)
{
  guint64 values[TS_STREAM_SLICES];

  while (self->i < self->n_written)
    {
      guint n = MIN (self->n_written - self->i, TS_STREAM_SLICES);

      if (_ts_unpack_next (&self->reader, &self->durations, values, n) < n)
        break;
      self->i += n;
    }
  *reader = self->reader;
}
