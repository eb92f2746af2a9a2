/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-drain.c: a ring in target RAM, drained through a probe. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-ring-drain-private.h"

/* Words of a control block that are read anew in one batch with the release. */
#define BATCH_WORDS (TS_VA_LIVE_BLOCK_LEN / 4)
/* Accesses of the release itself: what there is, then the store. */
#define RELEASE_WORDS 4

/*
 * _ts_ring_drain_choose:
 * @self: a drain
 * @ring: (nullable): a sane ring; %NULL: none yet
 *
 * Which ring to drain from now on.
 */
void
_ts_ring_drain_choose (TsRingDrain *self,
                       const TsTargetRing *ring)
{
  self->is_found = ring != NULL;
  self->has_written = FALSE;
  self->is_restarting = FALSE;
  self->is_release_pending = FALSE;
  if (ring != NULL)
    self->ring = *ring;
}

/* Appends @n bytes at @offset of the ring. */
static gboolean
read_piece (TsRingDrain *self,
            guint32 offset,
            gsize n,
            GByteArray *out,
            GError **error)
{
  guint at = out->len;

  g_byte_array_set_size (out, (guint) (at + n));

  return _ts_target_memory_read (self->memory, self->ring.buffer + offset, out->data + at, n,
                                 error);
}

static gboolean
can_batch (TsRingDrain *self)
{
  return self->kind == TS_RING_RAMBUF
         && ts_probe_has_batch (self->memory->probe, RELEASE_WORDS + BATCH_WORDS);
}

/* Magic, write offset and read offset as they are, then the read offset as it is to be. */
static void
prepare_release (TsRingDrain *self,
                 TsProbeAccess *accesses)
{
  accesses[0] = (TsProbeAccess){ FALSE, self->ring.block, 0 };
  accesses[1] = (TsProbeAccess){ FALSE, self->ring.offsets_at, 0 };
  accesses[2] = (TsProbeAccess){ FALSE, self->ring.offsets_at + 4, 0 };
  accesses[3] = (TsProbeAccess){ TRUE, self->ring.offsets_at + 4, self->released };
}

/* Whether the ring was the one that was read: else the target began anew in between. As long as nothing
 * is released the ring does not get emptier. */
static gboolean
was_released (const TsRingDrain *self,
              const TsProbeAccess *accesses)
{
  TsTargetRing now = self->ring;
  guint32 magic;

  memcpy (&magic, self->ring.head, sizeof magic);
  if (accesses[0].value != GUINT32_FROM_LE (magic) || accesses[1].value >= now.size)
    return FALSE;
  if (accesses[2].value == self->released)
    return TRUE; /* it was written before */
  now.write_offset = accesses[1].value;

  return accesses[2].value == now.read_offset
         && _ts_ring_get_used (&now) >= _ts_ring_get_used (&self->ring);
}

/*
 * Writes the read offset that is due and reads the recorder's block again, in one round trip. The
 * block's read offset is read before it is written: if the target began anew in between, what was
 * written is taken back.
 * Source: probes.md section 1.8, "Use"
 */
static gboolean
release_and_look (TsRingDrain *self,
                  TsTargetRing *ring,
                  gboolean *is_sane,
                  GError **error)
{
  TsProbe *probe = self->memory->probe;
  TsProbeAccess accesses[RELEASE_WORDS + BATCH_WORDS];

  prepare_release (self, accesses);
  for (guint i = 0; i < BATCH_WORDS; i++)
    accesses[RELEASE_WORDS + i] = (TsProbeAccess){ FALSE, self->ring.block + 4 * i, 0 };
  if (!ts_probe_run_batch (probe, accesses, G_N_ELEMENTS (accesses), error))
    return FALSE;

  self->n_looks++;
  *is_sane = was_released (self, accesses);
  if (!*is_sane) /* the target's own read offset is put back */
    return ts_probe_write_word (probe, accesses[3].address, accesses[2].value, error);

  memset (ring, 0, sizeof *ring);
  ring->block = self->ring.block;
  for (guint i = 0; i < BATCH_WORDS; i++)
    {
      guint32 word = GUINT32_TO_LE (accesses[RELEASE_WORDS + i].value);

      memcpy (ring->head + 4 * i, &word, sizeof word);
    }
  *is_sane = _ts_ring_parse_rambuf (self, ring);

  return TRUE;
}

/* Reads the control block anew, and does the store that is due before. */
static gboolean
look_again (TsRingDrain *self,
            TsTargetRing *ring,
            gboolean *is_sane,
            GError **error)
{
  gboolean is_due = self->is_release_pending;

  if (is_due && can_batch (self))
    {
      if (!release_and_look (self, ring, is_sane, error))
        return FALSE;
    }
  else
    {
      if (!_ts_ring_look (self, self->ring.block, ring, is_sane, error))
        return FALSE;
      if (is_due && *is_sane && ring->read_offset == self->ring.read_offset
          && _ts_ring_get_used (ring) >= _ts_ring_get_used (&self->ring))
        {
          if (!ts_probe_write_word (self->memory->probe, ring->offsets_at + 4, self->released,
                                    error))
            return FALSE;
          ring->read_offset = self->released;
        }
    }
  if (is_due)
    {
      self->is_release_pending = FALSE;
      self->read_offset = self->released;
      self->has_written = TRUE;
    }

  return TRUE;
}

/*
 * _ts_ring_drain_step:
 * @self: a drain with a ring that was chosen
 * @out: where to append
 * @result: (out): what there was
 * @error: return location
 *
 * Reads the block, checks that it is the one of the last time, and reads what is new. The target
 * keeps the bytes until _ts_ring_drain_release().
 *
 * Errors: those of the probe
 * Source: viewalyzer-wire.md section 12.1, "Rules" and "Attach"; probes.md sections 3 and 4
 *
 * Returns: %FALSE when the target cannot be read; @out is then as it was
 */
gboolean
_ts_ring_drain_step (TsRingDrain *self,
                     GByteArray *out,
                     TsDrainResult *result,
                     GError **error)
{
  guint before = out->len;
  gboolean is_sane, has_restarted;
  TsTargetRing ring;
  gsize n_used, n_first;

  if (!look_again (self, &ring, &is_sane, error))
    return FALSE;
  if (!is_sane)
    {
      self->is_restarting = TRUE;
      self->has_written = FALSE;
      *result = TS_DRAIN_RESTARTING;
      return TRUE;
    }

  has_restarted = self->is_restarting
                  || (self->has_written && ring.read_offset != self->read_offset)
                  || ring.buffer != self->ring.buffer || ring.size != self->ring.size;
  self->is_restarting = FALSE;
  self->has_written = FALSE;
  self->ring = ring;
  if (has_restarted)
    {
      self->n_restarts++;
      *result = TS_DRAIN_RESTARTED;
      return TRUE;
    }

  n_used = _ts_ring_get_used (&ring);
  self->most_used = MAX (self->most_used, (guint32) n_used);
  if (n_used == 0)
    {
      self->read_offset = ring.read_offset;
      self->has_written = TRUE;
      *result = TS_DRAIN_EMPTY;
      return TRUE;
    }
  n_first = MIN (n_used, (gsize) ring.size - ring.read_offset);
  if (!read_piece (self, ring.read_offset, n_first, out, error)
      || (n_used > n_first && !read_piece (self, 0, n_used - n_first, out, error)))
    {
      g_byte_array_set_size (out, before);
      return FALSE;
    }
  self->n_bytes += n_used;
  *result = TS_DRAIN_BYTES;

  return TRUE;
}

/*
 * _ts_ring_drain_release:
 * @self: a drain of which a step gave bytes that are safe now
 * @is_busy: the next step follows at once: the store may go with its look
 * @error: return location
 *
 * Tells the target that it may overwrite them: one aligned store, the only thing ever written.
 *
 * Errors: those of the probe
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_ring_drain_release (TsRingDrain *self,
                        gboolean is_busy,
                        GError **error)
{
  self->is_release_pending = TRUE;
  self->released = self->ring.write_offset;
  if (is_busy && can_batch (self))
    return TRUE;

  /* if this fails it stays due, so that no byte is read twice */
  if (can_batch (self))
    {
      TsProbeAccess accesses[RELEASE_WORDS];

      prepare_release (self, accesses);
      if (!ts_probe_run_batch (self->memory->probe, accesses, G_N_ELEMENTS (accesses), error))
        return FALSE;
      if (!was_released (self, accesses))
        {
          self->is_release_pending = FALSE;
          self->is_restarting = TRUE;
          return ts_probe_write_word (self->memory->probe, accesses[3].address, accesses[2].value,
                                      error);
        }
    }
  else if (!ts_probe_write_word (self->memory->probe, self->ring.offsets_at + 4, self->released, error))
    return FALSE;
  self->is_release_pending = FALSE;
  self->read_offset = self->released;
  self->has_written = TRUE;

  return TRUE;
}
