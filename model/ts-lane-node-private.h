/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-node-private.h: what one node of the pyramid is made of: a fold of buckets, slices, and
 * their packed form.
 *
 * Shared by the store (which makes nodes) and the reader (which unpacks them). No threads, no
 * storage.
 */
#pragma once

#include "ts-lane-store-private.h"

G_BEGIN_DECLS

/** Times and durations stay below it, so that sums over a node cannot overflow. */
#define TS_NODE_MAX_TIME ((gint64) 1 << 60)

/**
 * TsFold: buckets of one power-of-two width on absolute multiples of it, one array ("plane") per
 * figure.
 * @first: absolute index of bucket 0: it covers [first << width_log2, (first + 1) << width_log2)
 * @n: buckets in use, at most TS_NODE_BUCKETS; 0: empty
 * @capacity: buckets allocated in each plane that exists
 * @width_log2: width = 1 << width_log2 ticks
 * @count: slices that begin in the bucket
 * @ticks: (nullable): time per state
 * @min, @max, @last: (nullable): of the samples in a bucket; undefined where @count is 0
 * @lost: (nullable): packets lost
 *
 * A plane exists once something was put into it. Growing past TS_NODE_BUCKETS merges neighbours
 * and doubles the width.
 */
typedef struct
{
  gint64 first;
  guint n;
  guint capacity;
  guint8 width_log2;
  guint32 *count;
  gint64 *ticks[TS_N_TIMED_STATES];
  double *min;
  double *max;
  double *last;
  gint64 *lost;
} TsFold;

void _ts_fold_clear (TsFold *self);
void _ts_fold_reset (TsFold *self);
void _ts_fold_add_count (TsFold *self,
                         gint64 time);
void _ts_fold_add_ticks (TsFold *self,
                         TsLaneState state,
                         gint64 begin,
                         gint64 end);
void _ts_fold_merge (TsFold *self,
                     const TsFold *other,
                     guint min_width_log2);
void _ts_fold_make_room (TsFold *self,
                         const TsSlice *slices,
                         guint n_slices);
void _ts_fold_add_slices (TsFold *self,
                          const TsSlice *slices,
                          guint n_slices,
                          gboolean has_values);
void _ts_fold_copy_into (TsFold *self,
                         const TsFold *other);
void _ts_fold_trim (TsFold *self);
gsize _ts_fold_get_size (const TsFold *self);

/**
 * TsPackWriter: appends numbers to bytes, bit by bit, least significant first.
 */
typedef struct
{
  GByteArray *bytes;
  guint64 bits;
  guint n_bits;
} TsPackWriter;

/**
 * TsPackReader: takes them out again. Never reads past the end: @is_bad is set and zeros are
 * returned instead.
 */
typedef struct
{
  const guint8 *next;
  const guint8 *end;
  guint64 bits;
  guint n_bits;
  gboolean is_bad;
} TsPackReader;

/**
 * TsPackCode: how the numbers of one run are written: a class (bit length) of @class_bits bits
 * above @lowest, then the bits below the leading one. Classes up to @lowest share one class of
 * plain @lowest bits.
 */
typedef struct
{
  guint8 lowest;
  guint8 class_bits;
} TsPackCode;

#define TS_PACK_MAX_CLASS_BITS 6

/** How a number of one class is read. */
typedef struct
{
  guint64 mask;
  guint64 leading;
} TsPackClass;

/**
 * TsPackRun: a run that is being read.
 * @is_constant, @value: all numbers are the same
 */
typedef struct
{
  guint8 lowest;
  guint8 class_bits;
  guint8 most_bits;
  gboolean is_constant;
  guint64 value;
  TsPackClass codes[1 << TS_PACK_MAX_CLASS_BITS];
} TsPackRun;

void _ts_pack_uint (TsPackWriter *writer,
                    guint64 value);
void _ts_pack_run (TsPackWriter *writer,
                   const guint64 *values,
                   guint n_values);
void _ts_pack_marked_run (TsPackWriter *writer,
                          const guint64 *values,
                          guint n_values,
                          const guint *marks,
                          guint n_marks,
                          guint64 *places);
void _ts_pack_flat_run (TsPackWriter *writer,
                        const guint64 *values,
                        guint n_values);
void _ts_pack_finish (TsPackWriter *writer);
void _ts_unpack_seek (TsPackReader *reader,
                      const guint8 *bytes,
                      gsize n_bytes,
                      guint64 bit);
guint64 _ts_unpack_uint (TsPackReader *reader);
void _ts_unpack_begin (TsPackReader *reader,
                       TsPackRun *run);
guint _ts_unpack_next (TsPackReader *reader,
                       const TsPackRun *run,
                       guint64 *values,
                       guint n_values);
guint _ts_unpack_run (TsPackReader *reader,
                      guint64 *values,
                      guint n_values);

/** Bytes that were not read yet, not counting those of which bits were. */
static inline gsize
_ts_unpack_get_left (const TsPackReader *reader)
{
  return (gsize) (reader->end - reader->next) + reader->n_bits / 8;
}

/** Bits written so far. */
static inline guint64
_ts_pack_get_place (const TsPackWriter *writer)
{
  return (guint64) writer->bytes->len * 8 + writer->n_bits;
}

gboolean _ts_unpack_flat_run (TsPackReader *reader,
                              guint64 *values,
                              guint n_values);

static inline guint64
_ts_zigzag (gint64 value)
{
  return ((guint64) value << 1) ^ (guint64) (value >> 63);
}

static inline gint64
_ts_unzigzag (guint64 value)
{
  return (gint64) (value >> 1) ^ -(gint64) (value & 1);
}

/** A number that may be below zero. */
static inline void
_ts_pack_int (TsPackWriter *writer,
              gint64 value)
{
  _ts_pack_uint (writer, _ts_zigzag (value));
}

/** What the slices of a blob have. Persisted. */
enum
{
  TS_SLICES_ARGS_APART = 1 << 0,
  TS_SLICES_GAPS_SIGNED = 1 << 1,
  TS_SLICES_VALUES = 1 << 2,
  TS_SLICES_RUNNING_ARGS = 1 << 3, /* those of running slices are durations, apart from shapes */
};

/** Slices that a stream gives at once: they and what they are made of stay in the first cache. */
#define TS_STREAM_SLICES 128

/** Slices of a section of a node: what is between two of its ends is read without the rest. Each
 * node tells how many its sections have. */
#define TS_SECTION_SLICES 1024
#define TS_NODE_MAX_SECTIONS 8

/** Runs of a blob that have numbers for each slice, or for each that runs. Persisted. */
enum
{
  TS_RUN_SHAPES,
  TS_RUN_RUNNING_ARGS,
  TS_RUN_ARGS,
  TS_RUN_GAPS,
  TS_RUN_DURATIONS,
  TS_N_RUNS,
};

/**
 * TsNodePlaces: where in a blob the slices of a section are.
 * @n_sections: how many there are; 0: none
 * @n_slices: of each but the last
 * @runs: bits of the blob before a run; 0: there is no such run
 * @bits: bits before the first number of a section, of section 1 and up
 * @args: argument of the last slice before a section that did not run
 */
typedef struct
{
  guint n_sections;
  guint n_slices;
  guint64 runs[TS_N_RUNS];
  guint64 bits[TS_N_RUNS][TS_NODE_MAX_SECTIONS];
  guint32 args[TS_NODE_MAX_SECTIONS];
} TsNodePlaces;

/**
 * TsSliceStream: slices of a blob, or of a section of it, in portions, in order.
 * @bytes, @n_bytes, @places, @section: (nullable): a section that is read, and in what
 * @reader: at the next duration
 * @durations: where they are in
 * @n_slices: how many can be read, as far as is known
 * @n_written: how many there were
 * @i: the next one
 * @shapes: state, depth and kind in the low half, argument in the high one
 * @indices: of the shape of each slice
 * @args: of those that have one of their own
 * @gaps: begin minus end of the one before; not filled when all are @gap
 */
typedef struct
{
  const guint8 *bytes;
  gsize n_bytes;
  const TsNodePlaces *places;
  guint section;
  TsPackReader reader;
  TsPackRun durations;
  guint64 flags;
  guint n_slices;
  guint n_written;
  guint i;
  gint64 end;
  gint64 total;
  gboolean has_gaps;
  gint64 gap;
  guint64 shapes[TS_NODE_SLICES];
  guint16 indices[TS_NODE_SLICES];
  guint32 args[TS_NODE_SLICES];
  gint64 gaps[TS_NODE_SLICES];
} TsSliceStream;

/* ts-lane-stream.c */
gboolean _ts_slice_stream_begin (TsSliceStream *self,
                                 const TsPackReader *reader,
                                 guint n_slices);
gboolean _ts_slice_stream_begin_section (TsSliceStream *self,
                                         const TsPackReader *reader,
                                         guint n_slices,
                                         GBytes *blob,
                                         const TsNodePlaces *places,
                                         guint section,
                                         gint64 end);
guint _ts_slice_stream_next (TsSliceStream *self,
                             TsSlice *slices);
void _ts_slice_stream_end (TsSliceStream *self,
                           TsPackReader *reader);

GBytes *_ts_node_encode (const TsSlice *slices,
                         guint n_slices,
                         const TsFold *fold,
                         gboolean has_values,
                         TsNodePlaces *places);
guint _ts_node_decode_slices (GBytes *blob,
                              TsSlice *slices);
gboolean _ts_node_begin_slices (GBytes *blob,
                                TsSliceStream *stream);
gboolean _ts_node_begin_section (GBytes *blob,
                                 const TsNodePlaces *places,
                                 guint section,
                                 gint64 end,
                                 TsSliceStream *stream);
gboolean _ts_node_decode_fold (GBytes *blob,
                               TsFold *fold,
                               TsSlice *scratch);

G_END_DECLS
