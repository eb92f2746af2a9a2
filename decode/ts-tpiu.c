/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tpiu.c: finds formatter frames and takes them apart. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-tpiu-private.h"

/* As they arrive, first byte in the highest position. Source: itm-dwt.md section 7.2 */
#define FULL_SYNC 0xFFFFFF7Fu
#define HALF_SYNC_FIRST 0xFF
#define HALF_SYNC_SECOND 0x7F

void
_ts_tpiu_init (TsTpiu *self, TsTpiuFunc func, gpointer user_data)
{
  memset (self, 0, sizeof *self);
  self->func = func;
  self->user_data = user_data;
  self->id = TS_TPIU_NO_ID;
}

static inline void
set_id (TsTpiu *self, guint id)
{
  self->n_id_changes += id != self->id;
  self->id = id;
}

/* Source: itm-dwt.md section 7.1 */
static void
read_frame (TsTpiu *self, const guint8 *frame)
{
  guint8 run[TS_TPIU_FRAME];
  guint n_run = 0;

  self->n_frames++;
  if (self->frames != NULL)
    {
      self->frames (frame, TS_TPIU_FRAME, self->user_data);
      return;
    }
  for (guint i = 0; i < 8; i++)
    {
      guint8 even = frame[2 * i];
      guint flag = (frame[15] >> i) & 1;

      if ((even & 1) == 0)
        {
          run[n_run++] = (guint8) (even | flag);
          if (i < 7)
            run[n_run++] = frame[2 * i + 1];
          continue;
        }
      /* the byte beside an id change belongs to the old id if the flag says so */
      if (flag != 0 && i < 7)
        run[n_run++] = frame[2 * i + 1];
      if (n_run > 0)
        self->func (self->id, run, n_run, self->user_data);
      n_run = 0;
      set_id (self, even >> 1);
      if (flag == 0 && i < 7)
        run[n_run++] = frame[2 * i + 1];
    }
  if (n_run > 0)
    self->func (self->id, run, n_run, self->user_data);
}

static void
push_memory (TsTpiu *self, const guint8 *bytes, gsize n_bytes)
{
  if (self->n_frame > 0)
    {
      gsize n = MIN (n_bytes, TS_TPIU_FRAME - self->n_frame);

      memcpy (self->frame + self->n_frame, bytes, n);
      self->n_frame += (guint) n;
      bytes += n;
      n_bytes -= n;
      if (self->n_frame < TS_TPIU_FRAME)
        return;
      self->n_frame = 0;
      read_frame (self, self->frame);
    }
  if (self->frames != NULL && n_bytes >= TS_TPIU_FRAME)
    {
      gsize n = n_bytes - n_bytes % TS_TPIU_FRAME;

      self->n_frames += n / TS_TPIU_FRAME;
      self->frames (bytes, n, self->user_data);
      bytes += n;
      n_bytes -= n;
    }
  while (n_bytes >= TS_TPIU_FRAME)
    {
      read_frame (self, bytes);
      bytes += TS_TPIU_FRAME;
      n_bytes -= TS_TPIU_FRAME;
    }
  memcpy (self->frame, bytes, n_bytes);
  self->n_frame = (guint) n_bytes;
}

/* Frames lie between full synchronisations; a half one may lie between any two half words. Source:
 * itm-dwt.md section 7.2 */
static void
push_port (TsTpiu *self, const guint8 *bytes, gsize n_bytes)
{
  for (gsize i = 0; i < n_bytes; i++)
    {
      guint8 byte = bytes[i];

      self->last = self->last << 8 | byte;
      if (self->last == FULL_SYNC)
        {
          /* its first half word was taken for data */
          guint n = self->n_frame + self->has_half;

          if (self->is_locked)
            self->n_dropped += n > 3 ? n - 3 : 0;
          else
            self->n_dropped -= 3;
          self->n_full_syncs++;
          self->is_locked = TRUE;
          self->n_frame = 0;
          self->has_half = FALSE;
          continue;
        }
      if (!self->is_locked)
        {
          self->n_dropped++;
          continue;
        }
      if (!self->has_half)
        {
          self->half = byte;
          self->has_half = TRUE;
          continue;
        }
      self->has_half = FALSE;
      if (self->half == HALF_SYNC_FIRST && byte == HALF_SYNC_SECOND)
        {
          self->n_half_syncs++;
          continue;
        }
      self->frame[self->n_frame++] = self->half;
      self->frame[self->n_frame++] = byte;
      if (self->n_frame == TS_TPIU_FRAME)
        {
          self->n_frame = 0;
          read_frame (self, self->frame);
        }
    }
}

static gboolean
has_full_sync (const guint8 *bytes, guint n_bytes)
{
  guint32 last = 0;

  for (guint i = 0; i < n_bytes; i++)
    {
      last = last << 8 | bytes[i];
      if (last == FULL_SYNC)
        return TRUE;
    }
  return FALSE;
}

/* How little frames that begin at @bytes look like frames: changes to ids that no source has, and
 * the number of different ids. */
static guint
count_doubts (const guint8 *bytes, guint n_bytes)
{
  guint8 seen[TS_TPIU_N_IDS] = { 0 };
  guint n_doubts = 0;

  for (guint at = 0; at + TS_TPIU_FRAME <= n_bytes; at += TS_TPIU_FRAME)
    for (guint i = 0; i < 8; i++)
      {
        guint8 even = bytes[at + 2 * i];
        guint id = even >> 1;

        if ((even & 1) == 0)
          continue;
        if (seen[id] == 0)
          n_doubts += 2;
        seen[id] = 1;
        if (id >= TS_TPIU_FIRST_RESERVED && id != 0x7D && id != 0x7B)
          n_doubts += 4;
      }
  return n_doubts;
}

/* Memory frames may begin anywhere if the head is missing: the place where ids stay few. */
static guint
find_phase (const guint8 *bytes, guint n_bytes)
{
  guint best = 0;
  guint best_doubts = count_doubts (bytes, n_bytes);

  for (guint phase = 1; phase < TS_TPIU_FRAME && phase + 8 * TS_TPIU_FRAME <= n_bytes; phase++)
    {
      guint n_doubts = count_doubts (bytes + phase, n_bytes - phase);

      if (2 * n_doubts + 4 < best_doubts)
        {
          best_doubts = n_doubts;
          best = phase;
        }
    }
  return best;
}

/*
 * _ts_tpiu_settle:
 * @self: frames
 *
 * Decides now what the layout is, with what there is, if anything, and takes it apart.
 */
void
_ts_tpiu_settle (TsTpiu *self)
{
  guint n_unread = self->n_unread;
  guint phase;

  if (self->layout != TS_TPIU_UNDECIDED || n_unread == 0)
    return;
  self->n_unread = 0;
  if (has_full_sync (self->unread, n_unread))
    {
      self->layout = TS_TPIU_PORT;
      push_port (self, self->unread, n_unread);
      return;
    }
  self->layout = TS_TPIU_MEMORY;
  phase = find_phase (self->unread, n_unread);
  self->n_dropped += phase;
  push_memory (self, self->unread + phase, n_unread - phase);
}

/*
 * _ts_tpiu_push:
 * @self: frames
 * @bytes: (array length=n_bytes): the next bytes
 * @n_bytes: how many
 *
 * Takes bytes apart. Where one call ends and the next begins means nothing.
 */
void
_ts_tpiu_push (TsTpiu *self, const guint8 *bytes, gsize n_bytes)
{
  if (G_UNLIKELY (self->layout == TS_TPIU_UNDECIDED))
    {
      gsize n = MIN (n_bytes, TS_TPIU_DECIDE - self->n_unread);

      memcpy (self->unread + self->n_unread, bytes, n);
      self->n_unread += (guint) n;
      bytes += n;
      n_bytes -= n;
      if (self->n_unread < TS_TPIU_DECIDE)
        return;
      _ts_tpiu_settle (self);
    }
  if (self->layout == TS_TPIU_PORT)
    push_port (self, bytes, n_bytes);
  else
    push_memory (self, bytes, n_bytes);
}

/* Bytes are missing here: the frame that was begun is of no use, and the place of the next one must
 * be found. */
void
_ts_tpiu_lose (TsTpiu *self)
{
  _ts_tpiu_settle (self);
  self->n_dropped += self->n_frame + self->has_half;
  self->n_frame = 0;
  self->has_half = FALSE;
  self->is_locked = FALSE;
  self->last = 0;
  self->id = TS_TPIU_NO_ID;
  self->layout = TS_TPIU_UNDECIDED;
}

/* The end of the data. */
void
_ts_tpiu_finish (TsTpiu *self)
{
  _ts_tpiu_settle (self);
  self->n_dropped += self->n_frame + self->has_half;
  self->n_frame = 0;
  self->has_half = FALSE;
}
