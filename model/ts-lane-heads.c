/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-heads.c: what a node tells of its slices without a look at them, and the way past nodes
 * that hold nothing of what is looked for. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-skip-private.h"

/* Twice the slices of a node, so that the table never fills up. */
#define TABLE_SIZE (2 * TS_NODE_SLICES)

/* Beside what is known: storms are. Not so in versions of figures before 4. */
#define HAS_STORMS 4

void
_ts_head_init (TsLaneHead *self)
{
  memset (self, 0, sizeof *self);
  self->crowd = G_MAXINT64;
}

void
_ts_head_clear (TsLaneHead *self)
{
  g_clear_pointer (&self->acts, g_array_unref);
}

static int
compare_acts (gconstpointer a,
              gconstpointer b)
{
  guint64 left = *(const guint64 *) a;
  guint64 right = *(const guint64 *) b;

  return left < right ? -1 : left > right;
}

/* Each act once, in order. */
static GArray *
list_acts (const TsSlice *slices,
           guint n_slices)
{
  GArray *acts = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autofree guint64 *table = g_new0 (guint64, TABLE_SIZE);

  for (guint i = 0; i < n_slices; i++)
    {
      guint64 act = TS_HEAD_ACT (slices[i].kind & TS_SLICE_KIND_MASK, slices[i].arg);
      guint at = (guint) ((act * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) >> 51) % TABLE_SIZE;

      while (table[at] != 0 && table[at] != act + 1)
        at = (at + 1) % TABLE_SIZE;
      if (table[at] != 0)
        continue;
      table[at] = act + 1;
      g_array_append_val (acts, act);
    }
  g_array_sort (acts, compare_acts);
  return acts;
}

/**
 * _ts_head_add_slices:
 * @self: an empty head
 * @kind: what lane the slices are of
 * @slices: (array length=n_slices): those of a node
 * @n_slices: how many
 *
 * Cost: some 2 ns a slice
 */
void
_ts_head_add_slices (TsLaneHead *self,
                     TsLaneKind kind,
                     const TsSlice *slices,
                     guint n_slices)
{
  self->is_known = TRUE;
  self->has_acts = kind == TS_LANE_OBJECT;
  if (self->has_acts)
    {
      self->acts = list_acts (slices, n_slices);
      return;
    }
  for (guint s = 0; s < TS_N_STATES; s++)
    {
      self->shortest[s] = G_MAXINT64;
      self->longest[s] = -1;
    }
  for (guint i = 0; i < n_slices; i++)
    {
      gint64 ticks = slices[i].end - slices[i].begin;
      guint s = MIN (slices[i].state, TS_N_STATES - 1);

      self->shortest[s] = MIN (self->shortest[s], ticks);
      self->longest[s] = MAX (self->longest[s], ticks);
    }
  for (guint s = 0; s < TS_N_STATES; s++)
    {
      if (self->longest[s] >= 0)
        self->states |= 1u << s;
      else
        self->shortest[s] = self->longest[s] = 0;
    }
}

static GArray *
merge_acts (const GArray *left,
            const GArray *right)
{
  GArray *both = g_array_sized_new (FALSE, FALSE, sizeof (guint64), left->len + right->len);
  guint i = 0;
  guint k = 0;

  while (i < left->len || k < right->len)
    {
      guint64 a = i < left->len ? g_array_index (left, guint64, i) : G_MAXUINT64;
      guint64 b = k < right->len ? g_array_index (right, guint64, k) : G_MAXUINT64;
      guint64 next = MIN (a, b);

      i += a == next;
      k += b == next;
      g_array_append_val (both, next);
    }
  return both;
}

/* Adds what the next node holds. */
void
_ts_head_merge (TsLaneHead *self,
                const TsLaneHead *next)
{
  GArray *acts = NULL;

  /* The first one of all. */
  if (!self->is_known && self->states == 0 && self->acts == NULL)
    {
      *self = *next;
      if (self->acts != NULL)
        self->acts = g_array_copy (self->acts);
      return;
    }

  self->is_known = self->is_known && next->is_known;
  self->crowd = MIN (self->crowd, next->crowd);
  self->storm_window = self->storm_window == next->storm_window ? next->storm_window : 0;
  self->storm_count = MAX (self->storm_count, next->storm_count);
  for (guint s = 0; s < TS_N_STATES; s++)
    {
      if ((next->states & 1u << s) == 0)
        continue;
      if ((self->states & 1u << s) == 0)
        {
          self->shortest[s] = next->shortest[s];
          self->longest[s] = next->longest[s];
        }
      self->shortest[s] = MIN (self->shortest[s], next->shortest[s]);
      self->longest[s] = MAX (self->longest[s], next->longest[s]);
    }
  self->states |= next->states;

  self->has_acts = self->has_acts && next->has_acts;
  if (self->has_acts)
    acts = merge_acts (self->acts, next->acts);
  if (acts != NULL && acts->len > TS_HEAD_MAX_ACTS)
    {
      g_clear_pointer (&acts, g_array_unref);
      self->has_acts = FALSE;
    }
  _ts_head_clear (self);
  self->acts = acts;
}

void
_ts_head_encode (const TsLaneHead *self,
                 TsPackWriter *writer)
{
  _ts_pack_uint (writer, (self->is_known ? 1 : 0) | (self->has_acts ? 2 : 0)
                             | (self->storm_window > 0 ? HAS_STORMS : 0));
  _ts_pack_uint (writer, self->states);
  for (guint s = 0; s < TS_N_STATES; s++)
    if ((self->states & 1u << s) != 0)
      {
        _ts_pack_uint (writer, (guint64) self->shortest[s]);
        _ts_pack_uint (writer, (guint64) (self->longest[s] - self->shortest[s]));
      }
  _ts_pack_uint (writer, self->crowd == G_MAXINT64 ? 0 : (guint64) self->crowd + 1);
  if (self->storm_window > 0)
    {
      _ts_pack_uint (writer, (guint64) self->storm_window);
      _ts_pack_uint (writer, self->storm_count);
    }
  if (self->has_acts)
    {
      g_autofree guint64 *run = g_new (guint64, MAX (self->acts->len, 1));
      guint64 before = 0;

      for (guint i = 0; i < self->acts->len; i++)
        {
          run[i] = g_array_index (self->acts, guint64, i) - before;
          before = g_array_index (self->acts, guint64, i);
        }
      _ts_pack_uint (writer, self->acts->len);
      _ts_pack_run (writer, run, self->acts->len);
    }
}

/* Of damaged bytes @reader->is_bad is left; nothing can be told by them then. */
void
_ts_head_decode (TsLaneHead *self,
                 TsPackReader *reader)
{
  guint64 flags = _ts_unpack_uint (reader);
  guint64 crowd;

  self->states = (guint32) _ts_unpack_uint (reader);
  if (self->states >> TS_N_STATES != 0)
    reader->is_bad = TRUE;
  for (guint s = 0; s < TS_N_STATES && !reader->is_bad; s++)
    if ((self->states & 1u << s) != 0)
      {
        guint64 shortest = _ts_unpack_uint (reader);
        guint64 more = _ts_unpack_uint (reader);

        if (shortest > (guint64) TS_NODE_MAX_TIME || more > (guint64) TS_NODE_MAX_TIME)
          reader->is_bad = TRUE;
        self->shortest[s] = (gint64) (shortest & (guint64) G_MAXINT64 >> 2);
        self->longest[s] = self->shortest[s] + (gint64) (more & (guint64) G_MAXINT64 >> 2);
      }
  crowd = _ts_unpack_uint (reader);
  self->crowd = crowd == 0 ? G_MAXINT64 : (gint64) MIN (crowd - 1, (guint64) G_MAXINT64);
  if ((flags & HAS_STORMS) != 0)
    {
      guint64 window = _ts_unpack_uint (reader);

      self->storm_window = (gint64) MIN (window, (guint64) G_MAXINT64);
      self->storm_count = _ts_unpack_uint (reader);
    }
  if ((flags & 2) != 0 && !reader->is_bad)
    {
      guint64 n = _ts_unpack_uint (reader);
      guint64 act = 0;

      if (reader->is_bad || n > TS_HEAD_MAX_ACTS)
        {
          reader->is_bad = TRUE;
          return;
        }
      self->acts = g_array_sized_new (FALSE, FALSE, sizeof (guint64), (guint) n);
      g_array_set_size (self->acts, (guint) n);
      if (_ts_unpack_run (reader, (guint64 *) (gpointer) self->acts->data, (guint) n) != n)
        reader->is_bad = TRUE;
      for (guint i = 0; i < n; i++)
        {
          act += g_array_index (self->acts, guint64, i);
          g_array_index (self->acts, guint64, i) = act;
        }
    }
  self->has_acts = self->acts != NULL;
  self->is_known = (flags & 1) != 0 && !reader->is_bad;
}

/* ---- past nodes ---- */

/* FALSE if nothing is known. _ts_head_clear() also then. */
gboolean
_ts_lane_read_head (TsLaneReader *reader,
                    TsReaderNode *node,
                    TsLaneHead *head)
{
  g_autoptr (GBytes) bytes = _ts_lane_reader_dup_figures (reader, node);

  _ts_head_init (head);
  return bytes != NULL && _ts_figures_decode_head (bytes, head);
}

/* Whether a node can hold what is looked for; unknown: it can. */
static gboolean
may_hold (TsLaneReader *reader,
          const TsReaderLane *lane,
          guint level,
          guint i,
          const TsNodeQuestion *question)
{
  TsReaderNode *node = _ts_reader_lane_node (lane, level, i);
  TsLaneHead head;
  gboolean may = TRUE;

  if (question->may_lie != NULL && !question->may_lie (&node->info, question->user_data))
    return FALSE;
  if (question->may_hold == NULL || !_ts_lane_kind_has_figures (lane->info.kind))
    return TRUE;
  if (_ts_lane_read_head (reader, node, &head))
    may = question->may_hold (&head, question->user_data);
  _ts_head_clear (&head);
  return may;
}

/**
 * _ts_lane_copy_run:
 * @reader: a reader
 * @lane: one of its lanes
 * @run: which part of it
 * @slices: (out caller-allocates): room for TS_NODE_SLICES
 *
 * Slices that have not ended end where the recording does, and are marked %TS_SLICE_OPEN.
 *
 * Returns: number of slices
 */
guint
_ts_lane_copy_run (TsLaneReader *reader,
                   const TsReaderLane *lane,
                   guint run,
                   TsSlice *slices)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  const TsSlice *from = lane->open;
  guint n_slices = lane->n_open;

  if (run < n_nodes)
    from = _ts_lane_reader_borrow_slices (reader, _ts_reader_lane_node (lane, 0, run), &n_slices);
  else if (run == n_nodes)
    {
      from = lane->chunk != NULL ? lane->chunk->slices : NULL;
      n_slices = lane->n_chunk;
    }
  if (from == NULL)
    return 0;

  memcpy (slices, from, n_slices * sizeof *slices);
  for (guint i = 0; run > n_nodes && i < n_slices; i++)
    {
      slices[i].end
          = MAX (MIN (slices[i].end, ts_lane_reader_get_end (reader)), slices[i].begin);
      slices[i].kind |= TS_SLICE_OPEN;
    }
  return n_slices;
}

/**
 * _ts_lane_find_run:
 * @reader: a reader
 * @lane: one of its lanes
 * @run: where to begin: a node of level 0, or one more for each part that is in no node
 * @direction: +1 or -1
 * @question: what is looked for
 *
 * The next run from @run on that can hold what is looked for. Nodes of higher levels are asked
 * before those below them; what is in no node yet always can.
 *
 * Cost: some 2 us for each of a few nodes a level
 *
 * Returns: the run; as many as there are nodes, or more: not a node; %G_MAXUINT: none (backwards)
 */
guint
_ts_lane_find_run (TsLaneReader *reader,
                   const TsReaderLane *lane,
                   guint run,
                   int direction,
                   const TsNodeQuestion *question)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  while (run < n_nodes)
    {
      guint level = 0;
      guint low = 0;

      /* The highest node that ends the way here. The last one of a level may lack some of the nodes
       * below it, even the last of all: only full ones are asked. */
      while (level < TS_NODE_MAX_LEVEL
             && run >> 2 * (level + 1) < _ts_reader_lane_n_nodes (lane, level + 1)
             && ((run >> 2 * (level + 1)) + 1) << 2 * (level + 1) <= n_nodes
             && (direction > 0 ? run : run + 1) % (1u << 2 * (level + 1)) == 0)
        level++;
      while (may_hold (reader, lane, level, run >> 2 * level, question))
        {
          if (level == 0)
            return run;
          level--;
        }
      low = run >> 2 * level << 2 * level;
      if (direction > 0)
        run = MIN (low + (1u << 2 * level), n_nodes);
      else
        run = low - 1;
    }
  return run;
}
