/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-node.c: a node as a blob, and back.
 *
 * Layout, version 2 (numbers and runs as ts-lane-pack.c writes them):
 *   version, number of slices
 *   if there are slices: begin of the first; flags (args apart, gaps signed, values, running args); dictionary
 *   of shapes; run of indices into it;
 *     [run of the arguments of running slices]; [run of the other argument differences]; run of gaps (begin minus end of the one before); run of
 *     durations; [values] plane mask; if not 0: width, first bucket, number of buckets, one run
 *     per plane Planes that follow from the slices (all but INTERRUPTED) are not written beside
 *     them.
 *
 * Blobs are read from files, so everything is checked: a damaged one gives the slices and planes
 * that could be read.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-node-private.h"

#define VERSION 2

/* Limits of what a blob may claim: later sums cannot overflow. */
#define MAX_TIME TS_NODE_MAX_TIME
#define MAX_TICKS ((guint64) 1 << 52)
#define MAX_WIDTH_LOG2 50

/* With more distinct shapes than this, arguments are written apart from them. */
#define MAX_SHAPES_WITH_ARG 256
#define SHAPE_TABLE_SIZE 8192

G_STATIC_ASSERT (TS_NODE_SLICES <= TS_SECTION_SLICES * TS_NODE_MAX_SECTIONS);

enum
{
  PLANE_COUNT = 1 << TS_N_TIMED_STATES,
  PLANE_VALUES = 1 << (TS_N_TIMED_STATES + 1),
  PLANE_LOST = 1 << (TS_N_TIMED_STATES + 2),
  PLANE_END = 1 << (TS_N_TIMED_STATES + 3),
};

typedef enum
{
  VALUES_INT,
  VALUES_FLOAT,
  VALUES_DOUBLE,
} ValueCode;

/* ---- values ---- */

static inline guint64
double_bits (double value)
{
  union { double d; guint64 u; } bits = { .d = value };

  return bits.u;
}

static inline double
bits_double (guint64 value)
{
  union { guint64 u; double d; } bits = { .u = value };

  return bits.d;
}

static inline guint32
float_bits (double value)
{
  union { float f; guint32 u; } bits = { .f = (float) value };

  return bits.u;
}

static inline double
bits_float (guint32 value)
{
  union { guint32 u; float f; } bits = { .u = value };

  return (double) bits.f;
}

static inline gboolean
is_exact_int (double value)
{
  return value >= -9007199254740992.0 && value <= 9007199254740992.0 &&
         double_bits ((double) (gint64) value) == double_bits (value);
}

static inline gboolean
is_exact_float (double value)
{
  /* A value beyond the range of float would be undefined to convert; NaN fails both and needs its
   * 64 bits. */
  return value >= -3.0e38 && value <= 3.0e38
         && double_bits ((double) (float) value) == double_bits (value);
}

/* Codes that hold everything they were asked for, so far. */
enum
{
  FITS_INT = 1 << 0,
  FITS_FLOAT = 1 << 1,
};

/* Leaves in @fits what also holds @value. */
static inline guint
narrow_codes (guint fits,
              double value)
{
  if ((fits & FITS_INT) != 0 && !is_exact_int (value))
    fits &= ~(guint) FITS_INT;
  if ((fits & FITS_FLOAT) != 0 && !is_exact_float (value))
    fits &= ~(guint) FITS_FLOAT;
  return fits;
}

static inline ValueCode
choose_code (guint fits)
{
  return (fits & FITS_INT) != 0     ? VALUES_INT
         : (fits & FITS_FLOAT) != 0 ? VALUES_FLOAT
                                    : VALUES_DOUBLE;
}

/* One value as a number that is small when it is like @reference. */
static inline guint64
value_to_code (ValueCode code,
               double value,
               double reference)
{
  switch (code)
    {
    case VALUES_INT:
      return _ts_zigzag ((gint64) value - (gint64) reference);
    case VALUES_FLOAT:
      return float_bits (value) ^ float_bits (reference);
    case VALUES_DOUBLE:
    default:
      return double_bits (value) ^ double_bits (reference);
    }
}

static inline double
code_to_value (ValueCode code,
               guint64 number,
               double reference)
{
  switch (code)
    {
    case VALUES_INT:
      {
        gint64 sum = (gint64) ((guint64) (gint64) reference + (guint64) _ts_unzigzag (number));

        /* Only a damaged blob leaves the range; it must stay convertible. */
        return (double) CLAMP (sum, -(G_GINT64_CONSTANT (1) << 53), G_GINT64_CONSTANT (1) << 53);
      }
    case VALUES_FLOAT:
      return bits_float ((guint32) number ^ float_bits (reference));
    case VALUES_DOUBLE:
    default:
      return bits_double (number ^ double_bits (reference));
    }
}

/* ---- slices ---- */

typedef struct
{
  guint64 keys[TS_NODE_SLICES];
  guint n_keys;
  guint16 table[SHAPE_TABLE_SIZE]; /* index + 1 */
} ShapeTable;

static inline guint64
shape_key (const TsSlice *slice,
           gboolean with_arg)
{
  guint64 key = slice->state | (guint64) slice->depth << 8 | (guint64) slice->kind << 16;

  return with_arg && slice->state != TS_STATE_RUNNING ? key | (guint64) slice->arg << 32 : key;
}

/* Index of @key, added if new. */
static inline guint
find_shape (ShapeTable *self,
            guint64 key)
{
  guint at = (guint) ((key * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) >> 51) % SHAPE_TABLE_SIZE;

  while (self->table[at] != 0)
    {
      if (self->keys[self->table[at] - 1] == key)
        return self->table[at] - 1;
      at = (at + 1) % SHAPE_TABLE_SIZE;
    }

  self->keys[self->n_keys++] = key;
  self->table[at] = (guint16) self->n_keys;
  return self->n_keys - 1;
}

/* Fills @indices; FALSE when there are more than @max_shapes. */
static gboolean
index_shapes (ShapeTable *self,
              const TsSlice *slices,
              guint n_slices,
              gboolean with_arg,
              guint max_shapes,
              guint64 *indices)
{
  memset (self->table, 0, sizeof self->table);
  self->n_keys = 0;

  for (guint i = 0; i < n_slices; i++)
    {
      indices[i] = find_shape (self, shape_key (&slices[i], with_arg));
      if (self->n_keys > max_shapes)
        return FALSE;
    }
  return TRUE;
}

/* A run with numbers for each slice, and where those of each section are. @marks: begins of the
 * sections but the first, in the run. */
static void
encode_run (TsPackWriter *writer,
            guint which,
            const guint64 *values,
            guint n_values,
            const guint *marks,
            TsNodePlaces *places)
{
  if (places == NULL)
    {
      _ts_pack_run (writer, values, n_values);
      return;
    }
  places->runs[which] = _ts_pack_get_place (writer);
  _ts_pack_marked_run (writer, values, n_values, marks + 1, places->n_sections - 1,
                       places->bits[which] + 1);
}

static void
begin_places (TsNodePlaces *self,
              guint n_slices,
              guint *marks)
{
  memset (self, 0, sizeof *self);
  self->n_slices = TS_SECTION_SLICES;
  self->n_sections = (n_slices + TS_SECTION_SLICES - 1) / TS_SECTION_SLICES;
  for (guint i = 0; i < self->n_sections; i++)
    marks[i] = i * TS_SECTION_SLICES;
}

static void
encode_running_args (TsPackWriter *writer,
                     const TsSlice *slices,
                     guint n_slices,
                     guint64 *run,
                     TsNodePlaces *places)
{
  guint marks[TS_NODE_MAX_SECTIONS] = { 0 };
  guint n = 0;

  for (guint i = 0; i < n_slices; i++)
    {
      if (i % TS_SECTION_SLICES == 0)
        marks[i / TS_SECTION_SLICES] = n;
      if (slices[i].state == TS_STATE_RUNNING)
        run[n++] = slices[i].arg;
    }
  encode_run (writer, TS_RUN_RUNNING_ARGS, run, n, marks, places);
}

static void
encode_args (TsPackWriter *writer,
             const TsSlice *slices,
             guint n_slices,
             guint64 *run,
             const guint *marks,
             TsNodePlaces *places)
{
  guint32 arg = 0;

  for (guint i = 0; i < n_slices; i++)
    {
      guint32 next = slices[i].state == TS_STATE_RUNNING ? arg : slices[i].arg;

      if (places != NULL && i % TS_SECTION_SLICES == 0)
        places->args[i / TS_SECTION_SLICES] = arg;
      run[i] = _ts_zigzag ((gint64) next - (gint64) arg);
      arg = next;
    }
  encode_run (writer, TS_RUN_ARGS, run, n_slices, marks, places);
}

/* @places: (nullable): filled in */
static void
encode_slices (TsPackWriter *writer,
               const TsSlice *slices,
               guint n_slices,
               gboolean has_values,
               TsNodePlaces *places)
{
  guint marks[TS_NODE_MAX_SECTIONS] = { 0 };
  g_autofree ShapeTable *shapes = g_new (ShapeTable, 1);
  g_autofree guint64 *run = g_new (guint64, TS_NODE_SLICES);
  gboolean with_arg;
  gboolean is_signed = FALSE;
  gboolean has_running_args = FALSE;
  gint64 previous = slices[0].begin;

  if (places != NULL)
    begin_places (places, n_slices, marks);
  for (guint i = 0; i < n_slices && !is_signed; i++)
    {
      is_signed = slices[i].begin < previous;
      previous = slices[i].end;
    }

  for (guint i = 0; i < n_slices && !has_running_args; i++)
    has_running_args = slices[i].state == TS_STATE_RUNNING && slices[i].arg != 0;
  with_arg = index_shapes (shapes, slices, n_slices, TRUE, MAX_SHAPES_WITH_ARG, run);
  if (!with_arg)
    index_shapes (shapes, slices, n_slices, FALSE, TS_NODE_SLICES, run);

  _ts_pack_uint (writer, (guint64) slices[0].begin);
  _ts_pack_uint (writer, (with_arg ? 0 : TS_SLICES_ARGS_APART)
                             | (is_signed ? TS_SLICES_GAPS_SIGNED : 0)
                             | (has_values ? TS_SLICES_VALUES : 0)
                             | (has_running_args ? TS_SLICES_RUNNING_ARGS : 0));
  _ts_pack_uint (writer, shapes->n_keys);
  for (guint i = 0; i < shapes->n_keys; i++)
    {
      _ts_pack_uint (writer, shapes->keys[i] & G_MAXUINT32);
      if (with_arg)
        _ts_pack_uint (writer, shapes->keys[i] >> 32);
    }
  encode_run (writer, TS_RUN_SHAPES, run, n_slices, marks, places);

  if (has_running_args)
    encode_running_args (writer, slices, n_slices, run, places);
  if (!with_arg)
    encode_args (writer, slices, n_slices, run, marks, places);

  previous = slices[0].begin;
  for (guint i = 0; i < n_slices; i++)
    {
      gint64 gap = slices[i].begin - previous;

      run[i] = is_signed ? _ts_zigzag (gap) : (guint64) gap;
      previous = slices[i].end;
    }
  encode_run (writer, TS_RUN_GAPS, run, n_slices, marks, places);

  for (guint i = 0; i < n_slices; i++)
    run[i] = (guint64) (slices[i].end - slices[i].begin);
  encode_run (writer, TS_RUN_DURATIONS, run, n_slices, marks, places);

  if (has_values)
    {
      guint fits = FITS_INT | FITS_FLOAT;
      double reference = 0;
      ValueCode code;

      for (guint i = 0; i < n_slices; i++)
        fits = narrow_codes (fits, slices[i].value);
      code = choose_code (fits);
      for (guint i = 0; i < n_slices; i++)
        {
          run[i] = value_to_code (code, slices[i].value, reference);
          reference = slices[i].value;
        }
      _ts_pack_uint (writer, code);
      _ts_pack_run (writer, run, n_slices);
    }
}

/* Fills @slices from what follows the number of slices; returns how many are good. */
static guint
decode_slices (TsPackReader *reader,
               guint n_slices,
               TsSlice *slices,
               gboolean *has_values)
{
  TsSliceStream stream;
  guint n_good = 0;
  guint n;

  *has_values = FALSE;
  if (!_ts_slice_stream_begin (&stream, reader, n_slices))
    return 0;
  *has_values = (stream.flags & TS_SLICES_VALUES) != 0;
  while ((n = _ts_slice_stream_next (&stream, slices + n_good)) > 0)
    n_good += n;
  _ts_slice_stream_end (&stream, reader);

  if (*has_values)
    {
      guint64 run[TS_NODE_SLICES];
      guint64 code = _ts_unpack_uint (reader);
      guint n_read = code <= VALUES_DOUBLE ? _ts_unpack_run (reader, run, n_slices) : 0;
      double value = 0;

      n_good = MIN (n_good, n_read);
      for (guint i = 0; i < n_good; i++)
        {
          value = code_to_value ((ValueCode) code, run[i], value);
          slices[i].value = value;
        }
    }
  return n_good;
}

/* ---- planes ---- */

static void
encode_values_planes (TsPackWriter *writer,
                      const TsFold *fold,
                      guint64 *run)
{
  guint fits = FITS_INT | FITS_FLOAT;
  ValueCode code;
  double reference = 0;
  guint n_runs = 0;

  for (guint i = 0; i < fold->n; i++)
    {
      if (fold->count[i] == 0)
        continue;
      fits = narrow_codes (fits, fold->min[i]);
      fits = narrow_codes (fits, fold->max[i]);
      fits = narrow_codes (fits, fold->last[i]);
    }
  code = choose_code (fits);

  _ts_pack_uint (writer, code);
  for (guint i = 0; i < fold->n; i++)
    {
      if (fold->count[i] == 0)
        continue;
      run[n_runs++] = value_to_code (code, fold->last[i], reference);
      reference = fold->last[i];
    }
  _ts_pack_run (writer, run, n_runs);

  n_runs = 0;
  for (guint i = 0; i < fold->n; i++)
    if (fold->count[i] != 0)
      run[n_runs++] = value_to_code (code, fold->min[i], fold->last[i]);
  _ts_pack_run (writer, run, n_runs);

  n_runs = 0;
  for (guint i = 0; i < fold->n; i++)
    if (fold->count[i] != 0)
      run[n_runs++] = value_to_code (code, fold->max[i], fold->last[i]);
  _ts_pack_run (writer, run, n_runs);
}

static gboolean
decode_value_planes (TsPackReader *reader,
                     TsFold *fold,
                     guint64 *run)
{
  guint64 code = _ts_unpack_uint (reader);
  double reference = 0;
  guint n_runs = 0;
  guint at = 0;

  if (code > VALUES_DOUBLE || fold->count == NULL)
    return FALSE;

  fold->min = g_new0 (double, fold->capacity);
  fold->max = g_new0 (double, fold->capacity);
  fold->last = g_new0 (double, fold->capacity);
  for (guint i = 0; i < fold->n; i++)
    n_runs += fold->count[i] != 0;

  _ts_unpack_run (reader, run, n_runs);
  for (guint i = 0; i < fold->n; i++)
    if (fold->count[i] != 0)
      reference = fold->last[i] = code_to_value ((ValueCode) code, run[at++], reference);

  _ts_unpack_run (reader, run, n_runs);
  at = 0;
  for (guint i = 0; i < fold->n; i++)
    if (fold->count[i] != 0)
      fold->min[i] = code_to_value ((ValueCode) code, run[at++], fold->last[i]);

  _ts_unpack_run (reader, run, n_runs);
  at = 0;
  for (guint i = 0; i < fold->n; i++)
    if (fold->count[i] != 0)
      fold->max[i] = code_to_value ((ValueCode) code, run[at++], fold->last[i]);

  return !reader->is_bad;
}

/* The state whose time follows best from the others, because the states fill the buckets;
 * TS_N_TIMED_STATES: none. */
static guint
choose_rest_state (const TsFold *fold,
                   guint mask)
{
  guint best = TS_N_TIMED_STATES;
  gint64 most = 0;

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      gint64 sum = 0;

      if ((mask & (1u << s)) == 0 || s == TS_STATE_INTERRUPTED)
        continue;
      for (guint i = 0; i < fold->n; i++)
        sum += fold->ticks[s][i] >> 8;
      if (sum > most)
        {
          most = sum;
          best = s;
        }
    }
  return best;
}

/* What bucket @i lacks to be filled by the states other than @rest. */
static inline gint64
get_rest (const TsFold *fold,
          guint rest,
          guint i)
{
  gint64 ticks = (gint64) 1 << fold->width_log2;

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (s != rest && s != TS_STATE_INTERRUPTED && fold->ticks[s] != NULL)
      ticks -= fold->ticks[s][i];
  return ticks;
}

static void
encode_planes (TsPackWriter *writer,
               const TsFold *fold,
               guint mask)
{
  guint64 run[TS_NODE_BUCKETS];
  guint rest = choose_rest_state (fold, mask);

  _ts_pack_uint (writer, mask);
  if (mask == 0)
    return;

  _ts_pack_uint (writer, fold->width_log2);
  _ts_pack_uint (writer, (guint64) fold->first);
  _ts_pack_uint (writer, fold->n);
  _ts_pack_uint (writer, rest);

  if ((mask & PLANE_COUNT) != 0)
    {
      for (guint i = 0; i < fold->n; i++)
        run[i] = fold->count[i];
      _ts_pack_run (writer, run, fold->n);
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      if ((mask & (1u << s)) == 0 || s == rest)
        continue;
      for (guint i = 0; i < fold->n; i++)
        run[i] = (guint64) fold->ticks[s][i];
      _ts_pack_run (writer, run, fold->n);
    }

  if (rest < TS_N_TIMED_STATES)
    {
      for (guint i = 0; i < fold->n; i++)
        run[i] = _ts_zigzag (get_rest (fold, rest, i) - fold->ticks[rest][i]);
      _ts_pack_run (writer, run, fold->n);
    }

  if ((mask & PLANE_VALUES) != 0)
    encode_values_planes (writer, fold, run);

  if ((mask & PLANE_LOST) != 0)
    {
      for (guint i = 0; i < fold->n; i++)
        run[i] = (guint64) fold->lost[i];
      _ts_pack_run (writer, run, fold->n);
    }
}

static gboolean
decode_ticks_planes (TsPackReader *reader,
                     TsFold *fold,
                     guint mask,
                     guint rest,
                     guint64 *run)
{
  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      if ((mask & (1u << s)) == 0 || s == rest)
        continue;
      fold->ticks[s] = g_new0 (gint64, fold->capacity);
      _ts_unpack_run (reader, run, fold->n);
      for (guint i = 0; i < fold->n; i++)
        fold->ticks[s][i] = (gint64) MIN (run[i], MAX_TICKS);
    }

  if (rest < TS_N_TIMED_STATES)
    {
      gint64 *ticks = g_new0 (gint64, fold->capacity);

      _ts_unpack_run (reader, run, fold->n);
      for (guint i = 0; i < fold->n && !reader->is_bad; i++)
        ticks[i]
            = CLAMP (get_rest (fold, rest, i)
                         - CLAMP (_ts_unzigzag (run[i]), -(gint64) MAX_TICKS, (gint64) MAX_TICKS),
                     0, (gint64) MAX_TICKS);
      fold->ticks[rest] = ticks;
    }

  return !reader->is_bad;
}

/* @fold is empty. FALSE when damaged; what was read until then stays. */
static gboolean
decode_planes (TsPackReader *reader,
               TsFold *fold)
{
  guint64 run[TS_NODE_BUCKETS];
  guint64 mask = _ts_unpack_uint (reader);
  guint64 width_log2;
  guint64 first;
  guint64 n;
  guint64 rest;

  if (reader->is_bad || mask >= PLANE_END)
    return FALSE;
  if (mask == 0)
    return TRUE;

  width_log2 = _ts_unpack_uint (reader);
  first = _ts_unpack_uint (reader);
  n = _ts_unpack_uint (reader);
  rest = _ts_unpack_uint (reader);
  if (reader->is_bad || width_log2 > MAX_WIDTH_LOG2 || n == 0 || n > TS_NODE_BUCKETS
      || rest > TS_N_TIMED_STATES || first > ((guint64) MAX_TIME >> width_log2)
      || (rest < TS_N_TIMED_STATES && (mask & (1u << rest)) == 0))
    return FALSE;

  fold->capacity = TS_NODE_BUCKETS;
  fold->width_log2 = (guint8) width_log2;
  fold->first = (gint64) first;
  fold->n = (guint) n;

  if ((mask & PLANE_COUNT) != 0)
    {
      fold->count = g_new0 (guint32, fold->capacity);
      _ts_unpack_run (reader, run, fold->n);
      for (guint i = 0; i < fold->n; i++)
        fold->count[i] = (guint32) MIN (run[i], G_MAXUINT32);
    }

  if (!decode_ticks_planes (reader, fold, (guint) mask, (guint) rest, run))
    return FALSE;

  if ((mask & PLANE_VALUES) != 0 && !decode_value_planes (reader, fold, run))
    return FALSE;

  if ((mask & PLANE_LOST) != 0)
    {
      fold->lost = g_new0 (gint64, fold->capacity);
      _ts_unpack_run (reader, run, fold->n);
      for (guint i = 0; i < fold->n; i++)
        fold->lost[i] = (gint64) MIN (run[i], MAX_TICKS);
    }
  return !reader->is_bad;
}

/* ---- nodes ---- */

/**
 * _ts_node_encode:
 * @slices: (array length=n_slices): slices of a node of level 0, ordered by end
 * @n_slices: how many, 0 for higher levels and for the density lane
 * @fold: all its buckets
 * @has_values: slices carry values
 * @places: (out caller-allocates) (optional): where the sections of the slices are
 *
 * Returns: (transfer full): the blob to store
 */
GBytes *
_ts_node_encode (const TsSlice *slices,
                 guint n_slices,
                 const TsFold *fold,
                 gboolean has_values,
                 TsNodePlaces *places)
{
  TsPackWriter writer = { g_byte_array_sized_new (256), 0, 0 };
  guint mask = 0;

  g_assert (n_slices <= TS_NODE_SLICES);

  _ts_pack_uint (&writer, VERSION);
  _ts_pack_uint (&writer, n_slices);
  if (n_slices > 0)
    encode_slices (&writer, slices, n_slices, has_values, places);
  else if (places != NULL)
    places->n_sections = 0;

  if (fold->n > 0)
    {
      for (guint s = 0; s < TS_N_TIMED_STATES; s++)
        if (fold->ticks[s] != NULL && (n_slices == 0 || s == TS_STATE_INTERRUPTED))
          mask |= 1u << s;
      if (n_slices == 0)
        mask |= (fold->count != NULL ? PLANE_COUNT : 0) | (fold->min != NULL ? PLANE_VALUES : 0) |
                (fold->lost != NULL ? PLANE_LOST : 0);
    }
  encode_planes (&writer, fold, mask);
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

/* Reads version and number of slices. */
static gboolean
begin_decode (GBytes *blob,
              TsPackReader *reader,
              guint *n_slices)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (blob, &size);
  guint64 n;

  *reader = (TsPackReader) { bytes, bytes + size, 0, 0, FALSE };
  if (_ts_unpack_uint (reader) != VERSION)
    return FALSE;
  n = _ts_unpack_uint (reader);
  if (reader->is_bad || n > TS_NODE_SLICES)
    return FALSE;
  *n_slices = (guint) n;
  return TRUE;
}

/**
 * _ts_node_begin_slices:
 * @blob: any bytes, which stay
 * @stream: (out caller-allocates): slices of a node of level 0, without values
 *
 * Slices in small portions, for who does not need all of them: what is not asked for costs less
 * than half.
 *
 * Returns: %FALSE if there are none that can be read
 */
gboolean
_ts_node_begin_slices (GBytes *blob,
                       TsSliceStream *stream)
{
  TsPackReader reader;
  guint n_slices;

  return begin_decode (blob, &reader, &n_slices) && n_slices > 0
         && _ts_slice_stream_begin (stream, &reader, n_slices);
}

/**
 * _ts_node_begin_section:
 * @blob: any bytes, which stay
 * @places: where its sections are, which stay
 * @section: one of them
 * @end: when the slice before it ended
 * @stream: (out caller-allocates): the slices of the section, without values
 *
 * Cost: that of the section alone
 *
 * Returns: %FALSE if there are none that can be read
 */
gboolean
_ts_node_begin_section (GBytes *blob,
                        const TsNodePlaces *places,
                        guint section,
                        gint64 end,
                        TsSliceStream *stream)
{
  TsPackReader reader;
  guint n_slices;

  return begin_decode (blob, &reader, &n_slices)
         && _ts_slice_stream_begin_section (stream, &reader, n_slices, blob, places, section, end);
}

/**
 * _ts_node_decode_slices:
 * @blob: any bytes
 * @slices: (out caller-allocates) (array fixed-size=4096): room for TS_NODE_SLICES
 *
 * Returns: number of slices that could be read
 */
guint
_ts_node_decode_slices (GBytes *blob,
                        TsSlice *slices)
{
  TsPackReader reader;
  guint n_slices;
  gboolean has_values;

  if (!begin_decode (blob, &reader, &n_slices) || n_slices == 0)
    return 0;
  return decode_slices (&reader, n_slices, slices, &has_values);
}

/**
 * _ts_node_decode_fold:
 * @blob: any bytes
 * @fold: an empty fold
 * @scratch: room for TS_NODE_SLICES; holds the node's slices afterwards
 *
 * Buckets of a node of any level; those of level 0 are made from its slices.
 *
 * Returns: %FALSE if the blob is damaged: @fold then holds what could be read
 */
gboolean
_ts_node_decode_fold (GBytes *blob,
                      TsFold *fold,
                      TsSlice *scratch)
{
  TsPackReader reader;
  guint n_slices;
  guint n_good = 0;
  gboolean has_values = FALSE;
  gboolean is_good;

  if (!begin_decode (blob, &reader, &n_slices))
    return FALSE;

  if (n_slices > 0)
    n_good = decode_slices (&reader, n_slices, scratch, &has_values);
  is_good = n_good == n_slices && decode_planes (&reader, fold);
  if (n_good > 0)
    _ts_fold_add_slices (fold, scratch, n_good, has_values);
  return is_good;
}
