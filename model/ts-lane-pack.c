/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-pack.c: runs of numbers in few bits.
 *
 * Gaps and durations of a lane spread over a few powers of two, so a number is written as its bit
 * length (in as few bits as the run's range of lengths needs) and the bits below its leading one.
 * Near the entropy of such numbers, without tables or adaptation.
 *
 * Where one number is has to be waited for until the one before is known. Flat runs have all their
 * numbers in as many bits, and what does not fit apart: they take about as many bytes when numbers
 * are much alike, and a third of the time.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-node-private.h"

/* Value of the class_bits field for a run of one repeated number, which follows. */
#define CLASS_BITS_CONSTANT 7
#define MAX_CLASS_BITS TS_PACK_MAX_CLASS_BITS

/* Bits of each number of a flat run; with those of the byte before it they fit into a load. */
#define MAX_FLAT_BITS 32

/* With those that do not fill a byte yet they fit into a word. */
#define MAX_BITS_AT_ONCE 56

/* Most bits that a number alone takes. */
#define MAX_UINT_BITS 80

/* Most bits that one number can take: class and value. */
#define MAX_BITS_PER_VALUE (MAX_CLASS_BITS + 64)

static inline guint
bit_length (guint64 value)
{
  /* Without a branch: zeros come at any time. */
  return 64 - (guint) __builtin_clzll (value | 1) - (value == 0);
}

/* Whole bytes are written each time, wherever they end: no branch that depends on the numbers.
 * @n_bits stays below 8. */
static inline guint8 *
put_bits (guint8 *to,
          guint64 *bits,
          guint *n_bits,
          guint64 value,
          guint n)
{
  guint64 word;

  if (n > MAX_BITS_AT_ONCE)
    {
      to = put_bits (to, bits, n_bits, value & G_MAXUINT32, 32);
      value >>= 32;
      n -= 32;
    }

  *bits |= value << *n_bits;
  *n_bits += n;
  word = GUINT64_TO_LE (*bits);
  memcpy (to, &word, sizeof word);
  to += *n_bits / 8;
  *bits >>= *n_bits & ~7u;
  *n_bits &= 7;
  return to;
}

/* Room for @n_bits more bits; returns where to write. Nothing else may touch the array until
 * end_write(). */
static guint8 *
begin_write (TsPackWriter *writer,
             gsize n_bits)
{
  guint len = writer->bytes->len;

  g_byte_array_set_size (writer->bytes, (guint) (len + n_bits / 8 + 16));
  return writer->bytes->data + len;
}

static void
end_write (TsPackWriter *writer,
           const guint8 *to)
{
  g_byte_array_set_size (writer->bytes, (guint) (to - writer->bytes->data));
}

/* Takes up to MAX_UINT_BITS. */
static inline guint8 *
put_uint (guint8 *to,
          guint64 *bits,
          guint *n_bits,
          guint64 value)
{
  while (value >= 0x80)
    {
      to = put_bits (to, bits, n_bits, (value & 0x7F) | 0x80, 8);
      value >>= 7;
    }
  return put_bits (to, bits, n_bits, value, 8);
}

/**
 * _ts_pack_uint:
 * @writer: where to
 * @value: any number
 *
 * Writes one number alone: groups of 7 bits, each after a bit that says whether more follow.
 */
void
_ts_pack_uint (TsPackWriter *writer,
               guint64 value)
{
  guint8 bytes[24];
  const guint8 *to = put_uint (bytes, &writer->bits, &writer->n_bits, value);

  g_byte_array_append (writer->bytes, bytes, (guint) (to - bytes));
}

/* How many numbers have each bit length. Most are of few lengths, and one count would wait for the
 * one before: so every other number is counted apart. */
static void
count_lengths (const guint64 *values,
               guint n_values,
               guint *lengths)
{
  guint apart[3][65];
  gsize i = 0;

  memset (lengths, 0, 65 * sizeof lengths[0]);
  if (n_values >= 32)
    {
      memset (apart, 0, sizeof apart);
      for (; i + 4 <= n_values; i += 4)
        {
          lengths[bit_length (values[i])]++;
          apart[0][bit_length (values[i + 1])]++;
          apart[1][bit_length (values[i + 2])]++;
          apart[2][bit_length (values[i + 3])]++;
        }
      for (guint k = 0; k <= 64; k++)
        lengths[k] += apart[0][k] + apart[1][k] + apart[2][k];
    }
  for (; i < n_values; i++)
    lengths[bit_length (values[i])]++;
}

/* The cheapest code for numbers with the histogram of bit lengths @lengths. */
static TsPackCode
choose_code (const guint *lengths,
             guint n_values)
{
  TsPackCode best = { 64, 0 };
  guint64 best_cost = G_MAXUINT64;
  guint longest = 64;

  while (longest > 0 && lengths[longest] == 0)
    longest--;

  for (guint class_bits = 0; class_bits <= MAX_CLASS_BITS; class_bits++)
    {
      guint n_classes = 1u << class_bits;
      guint lowest = longest >= n_classes ? longest - n_classes + 1 : 0;
      guint64 cost = (guint64) n_values * class_bits;

      for (guint i = 0; i <= longest; i++)
        cost += (guint64) lengths[i] * (i <= lowest ? lowest : i - 1);

      if (cost < best_cost)
        {
          best_cost = cost;
          best.lowest = (guint8) lowest;
          best.class_bits = (guint8) class_bits;
        }
      if (lowest == 0)
        break;
    }

  return best;
}

static guint8 *
put_values (guint8 *to,
            guint64 *all_bits,
            guint *all_n_bits,
            const TsPackCode *code,
            const guint64 *values,
            guint n_values)
{
  guint64 bits = *all_bits;
  guint n_bits = *all_n_bits;

  for (guint i = 0; i < n_values; i++)
    {
      guint64 value = values[i];
      guint length = bit_length (value);
      guint class = length <= code->lowest ? 0 : length - code->lowest;
      guint rest = class == 0 ? code->lowest : length - 1;

      if (class != 0)
        value ^= (guint64) 1 << rest;
      if (G_LIKELY (code->class_bits + rest <= MAX_BITS_AT_ONCE))
        {
          to = put_bits (to, &bits, &n_bits, class | value << code->class_bits,
                         code->class_bits + rest);
        }
      else
        {
          to = put_bits (to, &bits, &n_bits, class, code->class_bits);
          to = put_bits (to, &bits, &n_bits, value, rest);
        }
    }
  *all_bits = bits;
  *all_n_bits = n_bits;
  return to;
}

/**
 * _ts_pack_run:
 * @writer: where to
 * @values: (array length=n_values): numbers
 * @n_values: how many; the reader must know it
 *
 * Writes numbers in the code that suits them best, chosen by looking at all of them.
 */
void
_ts_pack_run (TsPackWriter *writer,
              const guint64 *values,
              guint n_values)
{
  _ts_pack_marked_run (writer, values, n_values, NULL, 0, NULL);
}

/**
 * _ts_pack_marked_run:
 * @writer: where to
 * @values: (array length=n_values): numbers
 * @n_values: how many; the reader must know it
 * @marks: (array length=n_marks): places in @values, in order
 * @n_marks: how many
 * @places: (out caller-allocates) (array length=n_marks): bits before the numbers at @marks, since
 *   the begin of the bytes
 *
 * As _ts_pack_run(), for who reads on from a mark.
 */
void
_ts_pack_marked_run (TsPackWriter *writer,
                     const guint64 *values,
                     guint n_values,
                     const guint *marks,
                     guint n_marks,
                     guint64 *places)
{
  guint lengths[65];
  guint64 differs = 0;
  guint64 bits;
  guint n_bits;
  TsPackCode code;
  guint8 *to;
  guint i = 0;

  for (guint m = 0; m < n_marks; m++)
    places[m] = _ts_pack_get_place (writer);
  if (n_values == 0)
    return;

  for (guint k = 0; k < n_values; k++)
    differs |= values[k] ^ values[0];

  bits = writer->bits;
  n_bits = writer->n_bits;
  to = begin_write (writer, 16 + (gsize) n_values * MAX_BITS_PER_VALUE);
  if (differs == 0)
    {
      to = put_bits (to, &bits, &n_bits, CLASS_BITS_CONSTANT << 7, 10);
      writer->bits = bits;
      writer->n_bits = n_bits;
      end_write (writer, to);
      _ts_pack_uint (writer, values[0]);
      return;
    }

  count_lengths (values, n_values, lengths);
  code = choose_code (lengths, n_values);
  to = put_bits (to, &bits, &n_bits, code.lowest | (guint) code.class_bits << 7, 10);
  for (guint m = 0; m <= n_marks; m++)
    {
      guint next = m < n_marks ? MIN (marks[m], n_values) : n_values;

      to = put_values (to, &bits, &n_bits, &code, values + i, next - i);
      i = next;
      if (m < n_marks)
        places[m] = (guint64) (to - writer->bytes->data) * 8 + n_bits;
    }
  writer->bits = bits;
  writer->n_bits = n_bits;
  end_write (writer, to);
}

/* How many bits of each number lie in a flat run; what is above goes apart: of @n_above numbers. */
static guint
choose_flat_bits (const guint64 *values,
                  guint n_values,
                  guint *n_above)
{
  guint lengths[65];
  guint longest = 64;
  guint best = 0;
  guint64 best_cost = G_MAXUINT64;

  count_lengths (values, n_values, lengths);
  while (longest > 0 && lengths[longest] == 0)
    longest--;
  for (guint n_bits = 0; n_bits <= MIN (longest, MAX_FLAT_BITS); n_bits++)
    {
      guint64 cost = (guint64) n_values * n_bits;

      for (guint i = n_bits + 1; i <= longest; i++)
        cost += (guint64) lengths[i] * (8 + 8 * ((i - n_bits + 6) / 7));
      if (cost < best_cost)
        {
          best_cost = cost;
          best = n_bits;
        }
    }
  *n_above = 0;
  for (guint i = best + 1; i <= longest; i++)
    *n_above += lengths[i];
  return best;
}

/**
 * _ts_pack_flat_run:
 * @writer: where to
 * @values: (array length=n_values): numbers
 * @n_values: how many; the reader must know it
 *
 * Writes numbers for _ts_unpack_flat_run(): bits of each; how many have more; for each of these how
 * many are between it and the one before, and what is above the bits; the bits of all.
 */
void
_ts_pack_flat_run (TsPackWriter *writer,
                   const guint64 *values,
                   guint n_values)
{
  guint n_above;
  guint n_each = choose_flat_bits (values, n_values, &n_above);
  guint n_at_once = MAX_BITS_AT_ONCE / MAX (n_each, 1);
  guint64 mask = ((guint64) 1 << n_each) - 1;
  guint last = 0;
  guint64 bits = writer->bits;
  guint n_bits = writer->n_bits;
  guint8 *to;

  if (n_values == 0)
    return;
  to = begin_write (writer, (2 + 2 * (gsize) n_above) * MAX_UINT_BITS + (gsize) n_values * n_each);
  to = put_uint (to, &bits, &n_bits, n_each);
  to = put_uint (to, &bits, &n_bits, n_above);
  for (guint i = 0; i < n_values && n_above > 0; i++)
    if (values[i] > mask)
      {
        to = put_uint (to, &bits, &n_bits, i - last);
        to = put_uint (to, &bits, &n_bits, values[i] >> n_each);
        last = i;
        n_above--;
      }

  for (guint i = 0; i < n_values && n_each > 0; i += n_at_once)
    {
      guint n = MIN (n_at_once, n_values - i);
      guint64 some = 0;

      for (guint k = 0; k < n; k++)
        some |= (values[i + k] & mask) << k * n_each;
      to = put_bits (to, &bits, &n_bits, some, n * n_each);
    }
  writer->bits = bits;
  writer->n_bits = n_bits;
  end_write (writer, to);
}

/**
 * _ts_pack_finish:
 * @writer: where to
 *
 * Writes the bits that do not fill a byte yet.
 */
void
_ts_pack_finish (TsPackWriter *writer)
{
  while (writer->n_bits > 0)
    {
      guint8 byte = (guint8) writer->bits;

      g_byte_array_append (writer->bytes, &byte, 1);
      writer->bits >>= 8;
      writer->n_bits -= MIN (writer->n_bits, 8);
    }
}

/* At least 57 bits are in @reader->bits after it, unless the bytes end. */
static inline void
refill (TsPackReader *reader)
{
  if (G_LIKELY (reader->end - reader->next >= 8))
    {
      guint64 word;

      memcpy (&word, reader->next, sizeof word);
      reader->bits |= GUINT64_FROM_LE (word) << reader->n_bits;
      reader->next += (63 - reader->n_bits) >> 3;
      reader->n_bits |= 56;
      return;
    }

  while (reader->n_bits <= 56 && reader->next < reader->end)
    {
      reader->bits |= (guint64) *reader->next++ << reader->n_bits;
      reader->n_bits += 8;
    }
}

/* @n <= 32. */
static inline guint64
take_bits (TsPackReader *reader,
           guint n)
{
  guint64 value;

  if (reader->n_bits < n)
    {
      refill (reader);
      if (G_UNLIKELY (reader->n_bits < n))
        {
          reader->is_bad = TRUE;
          reader->n_bits = 0;
          reader->bits = 0;
          return 0;
        }
    }

  value = reader->bits & (((guint64) 1 << n) - 1);
  reader->bits >>= n;
  reader->n_bits -= n;
  return value;
}

static inline guint64
take_long_bits (TsPackReader *reader,
                guint n)
{
  guint64 low;

  if (G_LIKELY (n <= 32))
    return take_bits (reader, n);

  low = take_bits (reader, 32);
  return low | take_bits (reader, n - 32) << 32;
}

/**
 * _ts_unpack_seek:
 * @reader: (out caller-allocates): goes on at @bit
 * @bytes: (array length=n_bytes): what was written
 * @n_bytes: how many
 * @bit: bits before it; behind the bytes is damage
 */
void
_ts_unpack_seek (TsPackReader *reader,
                 const guint8 *bytes,
                 gsize n_bytes,
                 guint64 bit)
{
  *reader = (TsPackReader){ bytes + MIN (bit / 8, n_bytes), bytes + n_bytes, 0, 0,
                            bit / 8 > n_bytes };
  take_bits (reader, (guint) (bit % 8));
}

/**
 * _ts_unpack_uint:
 * @reader: where from
 *
 * Returns: a number of _ts_pack_uint()
 */
guint64
_ts_unpack_uint (TsPackReader *reader)
{
  guint64 value = 0;

  for (guint shift = 0; shift < 64; shift += 7)
    {
      guint64 group = take_bits (reader, 8);

      value |= (group & 0x7F) << shift;
      if ((group & 0x80) == 0)
        return value;
    }

  reader->is_bad = TRUE;
  return 0;
}

/* One number of a run, wherever the bytes end. */
static gboolean
unpack_one (TsPackReader *reader,
            guint lowest,
            guint class_bits,
            guint64 *value)
{
  guint step = (guint) take_bits (reader, class_bits);
  guint length = lowest + step;

  if (step == 0)
    *value = take_long_bits (reader, lowest);
  else if (G_LIKELY (length <= 64))
    *value = take_long_bits (reader, length - 1) | (guint64) 1 << (length - 1);
  else
    reader->is_bad = TRUE;
  return !reader->is_bad;
}

/* Bits that a number of the last class takes, class and all. */
static guint
fill_codes (TsPackClass *codes,
            guint lowest,
            guint class_bits)
{
  guint n_classes = 1u << class_bits;

  for (guint step = 0; step < n_classes; step++)
    {
      guint rest = MIN (lowest + step - (step != 0), 63);

      codes[step] = (TsPackClass){ .mask = ((guint64) 1 << rest) - 1,
                                 .leading = (guint64) (step != 0) << rest };
    }
  return class_bits + lowest + n_classes - 1 - (n_classes > 1);
}

/* Numbers of a run until one has too many bits for a load, or the bytes are about to end. How far
 * one number is behind the next is all that the processor has to wait for. Returns how many were
 * read. */
static guint
unpack_fast (TsPackReader *reader,
             guint64 *values,
             guint n_values,
             const TsPackClass *codes,
             guint lowest,
             guint class_bits,
             guint most_bits)
{
  const guint8 *next = reader->next;
  const guint8 *end = reader->end;
  guint64 bits = reader->bits;
  guint n_bits = reader->n_bits;
  guint class_mask = (1u << class_bits) - 1;
  guint least_bits = lowest + class_bits;
  guint n_at_once = MAX (56 / MAX (most_bits, 1), 1);
  guint n_read = 0;

  while (n_read < n_values && end - next >= 8)
    {
      guint n = MIN (n_at_once, n_values - n_read);
      guint64 word;

      memcpy (&word, next, sizeof word);
      bits |= GUINT64_FROM_LE (word) << n_bits;
      next += (63 - n_bits) >> 3;
      n_bits |= 56;
      for (guint i = 0; i < n; i++)
        {
          guint step = (guint) bits & class_mask;
          guint used = least_bits + step - (step != 0);

          if (G_UNLIKELY (used > 56))
            goto out;
          values[n_read++] = (bits >> class_bits & codes[step].mask) | codes[step].leading;
          bits >>= used;
          n_bits -= used;
        }
    }

out:
  reader->next = next;
  reader->bits = bits;
  reader->n_bits = n_bits;
  return n_read;
}

/**
 * _ts_unpack_begin:
 * @reader: where from
 * @run: (out caller-allocates): numbers to come
 *
 * Begins to read numbers that _ts_pack_run() wrote.
 */
void
_ts_unpack_begin (TsPackReader *reader,
                  TsPackRun *run)
{
  run->lowest = (guint8) take_bits (reader, 7);
  run->class_bits = (guint8) take_bits (reader, 3);
  if (run->lowest > 64)
    reader->is_bad = TRUE;
  run->value = 0;
  run->is_constant = run->class_bits == CLASS_BITS_CONSTANT;
  if (run->is_constant)
    run->value = _ts_unpack_uint (reader);
  else
    run->most_bits = (guint8) fill_codes (run->codes, run->lowest, run->class_bits);
}

/**
 * _ts_unpack_next:
 * @reader: where from
 * @run: numbers
 * @values: (out caller-allocates) (array length=n_values): the next of them; zero from the first
 *   one that could not be read
 * @n_values: how many; in all no more than were written
 *
 * Returns: how many could be read; fewer than @n_values when the bytes end early or are damaged
 */
guint
_ts_unpack_next (TsPackReader *reader,
                 const TsPackRun *run,
                 guint64 *values,
                 guint n_values)
{
  guint n_read = 0;

  if (run->is_constant)
    for (; n_read < n_values && !reader->is_bad; n_read++)
      values[n_read] = run->value;
  while (n_read < n_values && !reader->is_bad)
    {
      n_read += unpack_fast (reader, values + n_read, n_values - n_read, run->codes, run->lowest,
                             run->class_bits, run->most_bits);
      if (n_read == n_values
          || !unpack_one (reader, run->lowest, run->class_bits, &values[n_read]))
        break;
      n_read++;
    }

  memset (values + n_read, 0, (n_values - n_read) * sizeof *values);
  return n_read;
}

/**
 * _ts_unpack_run:
 * @reader: where from
 * @values: (out caller-allocates) (array length=n_values): numbers; zero from the first one that
 *   could not be read
 * @n_values: how many were written
 *
 * Returns: how many could be read; fewer than @n_values when the bytes end early or are damaged
 */
guint
_ts_unpack_run (TsPackReader *reader,
                guint64 *values,
                guint n_values)
{
  TsPackRun run;

  if (n_values == 0)
    return 0;
  _ts_unpack_begin (reader, &run);
  return _ts_unpack_next (reader, &run, values, n_values);
}

/* The low bits of all numbers of a flat run; the reader is behind them. */
static gboolean
unpack_flat_bits (TsPackReader *reader,
                  guint64 *values,
                  guint n_values,
                  guint n_each)
{
  const guint8 *begin = reader->next - (reader->n_bits + 7) / 8;
  guint64 first = (8 - reader->n_bits % 8) % 8;
  guint64 end = first + (guint64) n_values * n_each;
  gsize n_bytes = (gsize) (reader->end - begin);
  guint64 mask = ((guint64) 1 << n_each) - 1;
  guint n_fast = 0;
  guint8 tail[16] = { 0 };
  gsize tail_at = 0;

  if (end > (guint64) n_bytes * 8)
    return FALSE;
  if (n_bytes >= 8 && n_each > 0)
    n_fast = (guint) MIN ((((guint64) n_bytes - 7) * 8 - 1 - first) / n_each, n_values);
  for (guint i = 0; i < n_fast; i++)
    {
      guint64 bit = first + (guint64) i * n_each;
      guint64 word;

      memcpy (&word, begin + bit / 8, sizeof word);
      values[i] = GUINT64_FROM_LE (word) >> bit % 8 & mask;
    }
  for (guint i = n_fast; i < n_values; i++)
    {
      guint64 bit = first + (guint64) i * n_each;
      guint64 word;

      tail_at = (gsize) (bit / 8);
      memset (tail, 0, sizeof tail);
      memcpy (tail, begin + tail_at, MIN (sizeof word, n_bytes - tail_at));
      memcpy (&word, tail, sizeof word);
      values[i] = GUINT64_FROM_LE (word) >> bit % 8 & mask;
    }
  _ts_unpack_seek (reader, begin, n_bytes, end);
  return !reader->is_bad;
}

/**
 * _ts_unpack_flat_run:
 * @reader: where from
 * @values: (out caller-allocates) (array length=n_values): numbers
 * @n_values: how many were written, at most 65536
 *
 * Cost: some 1 ns a number
 *
 * Returns: %FALSE if they are damaged; @values are nothing then
 */
gboolean
_ts_unpack_flat_run (TsPackReader *reader,
                     guint64 *values,
                     guint n_values)
{
  TsPackReader above;
  guint64 n_each;
  guint64 n_above;
  guint64 at = 0;

  if (n_values == 0)
    return TRUE;
  n_each = _ts_unpack_uint (reader);
  n_above = _ts_unpack_uint (reader);
  if (reader->is_bad || n_each > MAX_FLAT_BITS || n_above > n_values)
    {
      reader->is_bad = TRUE;
      return FALSE;
    }
  above = *reader;
  for (guint i = 0; i < n_above; i++)
    {
      _ts_unpack_uint (reader);
      _ts_unpack_uint (reader);
    }
  if (reader->is_bad || !unpack_flat_bits (reader, values, n_values, (guint) n_each))
    {
      reader->is_bad = TRUE;
      return FALSE;
    }
  for (guint i = 0; i < n_above; i++)
    {
      at += _ts_unpack_uint (&above) & G_MAXUINT32;
      if (at >= n_values)
        {
          reader->is_bad = TRUE;
          return FALSE;
        }
      values[at] |= _ts_unpack_uint (&above) << n_each;
    }
  return TRUE;
}
