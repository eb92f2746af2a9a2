/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-find.c: which of the rings in a target's RAM is the one that its firmware writes. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-ring-find-private.h"

/* A block that a former run left in RAM looks valid until the new one clears it. */
#define STALE_US (500 * 1000)
/* So long after a reset only the places of before are looked at: that is quick, and the same firmware
 * has its block in the same place. */
#define QUICK_US (300 * 1000)
/* Some firmware starts its recorder late: where a block is said to lie counts alone for so long. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

/*
 * _ts_ring_finder_init:
 * @self: (out caller-allocates): to be cleared with _ts_ring_finder_clear()
 * @drain: what to look for; its memory is known
 * @connection: where it may lie
 */
void
_ts_ring_finder_init (TsRingFinder *self,
                      TsRingDrain *drain,
                      TsConnection *connection)
{
  gboolean is_rtt = drain->kind == TS_RING_RTT;

  memset (self, 0, sizeof *self);
  self->drain = drain;
  self->key = is_rtt ? "rtt-address" : "rambuf-address";
  self->symbol_name = is_rtt ? "_SEGGER_RTT" : "_VA_RAMBUF";
  if (ts_connection_has (connection, self->key))
    self->given = (guint32) ts_connection_get_int (connection, self->key);
  if (self->given == 0)
    (void) _ts_target_memory_find_symbol (drain->memory, self->symbol_name,
                                          is_rtt ? TS_RTT_HEAD_LEN : TS_VA_OLD_LIVE_BLOCK_LEN,
                                          &self->symbol, &self->problem);
}

void
_ts_ring_finder_clear (TsRingFinder *self)
{
  g_clear_pointer (&self->before, g_array_unref);
  g_clear_pointer (&self->seen, g_array_unref);
  g_clear_pointer (&self->problem, g_free);
}

static void
tell (TsRingFinder *self,
      char *sentence)
{
  g_free (self->problem);
  self->problem = sentence;
}

/* Where the block is said to lie, 0: nobody says. */
static guint32
get_hint (TsRingFinder *self)
{
  return self->given != 0 ? self->given : self->symbol;
}

/* The rings there are: at the hint alone, or all. */
static GArray *
list_rings (TsRingFinder *self,
            gboolean is_wide,
            GError **error)
{
  g_autoptr (GArray) rings = NULL;
  TsTargetRing ring;
  gboolean is_sane = FALSE;

  if (is_wide)
    return _ts_ring_scan (self->drain, error);
  rings = g_array_new (FALSE, FALSE, sizeof (TsTargetRing));
  if (!_ts_ring_look (self->drain, get_hint (self), &ring, &is_sane, error))
    return NULL;
  if (is_sane)
    g_array_append_val (rings, ring);

  return g_steal_pointer (&rings);
}

static const TsTargetRing *
find_at (GArray *rings,
         guint32 address)
{
  for (guint i = 0; rings != NULL && i < rings->len; i++)
    if (g_array_index (rings, TsTargetRing, i).block == address)
      return &g_array_index (rings, TsTargetRing, i);

  return NULL;
}

/*
 * _ts_ring_finder_note_before:
 * @self: a finder
 * @error: return location
 *
 * To be called before the target is reset: what lies in RAM now belongs to its former life.
 *
 * Errors: those of the probe
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_ring_finder_note_before (TsRingFinder *self,
                             GError **error)
{
  g_clear_pointer (&self->before, g_array_unref);
  self->before = list_rings (self, get_hint (self) == 0, error);

  return self->before != NULL;
}

/* Whether nobody has touched a ring since it was @seen. */
static gboolean
is_untouched (const TsTargetRing *seen,
              const TsTargetRing *ring)
{
  return seen != NULL && seen->write_offset == ring->write_offset
         && memcmp (seen->head, ring->head, sizeof ring->head) == 0;
}

/* Whether the block is one of the former life that nobody has touched since. */
static gboolean
is_stale (TsRingFinder *self,
          const TsTargetRing *ring)
{
  return is_untouched (find_at (self->before, ring->block), ring);
}

/* The ring that shows most signs of life: written since the last look, then made anew since the
 * reset; of equals the first. */
static const TsTargetRing *
choose_liveliest (TsRingFinder *self,
                  GArray *rings,
                  gboolean allow_stale,
                  guint *n_candidates)
{
  const TsTargetRing *best = NULL;
  int best_worth = -1;

  *n_candidates = 0;
  for (guint i = 0; i < rings->len; i++)
    {
      const TsTargetRing *ring = &g_array_index (rings, TsTargetRing, i);
      const TsTargetRing *seen = find_at (self->seen, ring->block);
      int worth = 0;

      if (is_stale (self, ring) && !allow_stale)
        continue;
      (*n_candidates)++;
      worth += seen != NULL && seen->write_offset != ring->write_offset ? 4 : 0;
      worth += is_stale (self, ring) ? 0 : 2;
      if (worth > best_worth)
        {
          best = ring;
          best_worth = worth;
        }
    }

  return best;
}

/* What a person should correct when the block did not lie where it was said to. */
static void
tell_wrong_hint (TsRingFinder *self,
                 guint32 address)
{
  if (self->given != 0)
    tell (self, g_strdup_printf (_("There is no control block at 0x%08x (“%s”): the one found at "
                                   "0x%08x is used. Correct or remove the key."),
                                 self->given, self->key, address));
  else if (self->symbol != 0)
    tell (self,
          g_strdup_printf (_("“%s” is not the firmware that runs: %s should lie at 0x%08x, but was "
                             "found at 0x%08x. Flash the firmware again, or name its own file."),
                           self->drain->memory->elf->path, self->symbol_name, self->symbol,
                           address));
}

/* Looks at the places where rings were before the reset. @is_found: one was made anew, and chosen.
 */
static gboolean
look_at_old_places (TsRingFinder *self,
                    gboolean *is_found,
                    GError **error)
{
  *is_found = FALSE;
  for (guint i = 0; i < self->before->len && !*is_found; i++)
    {
      TsTargetRing ring;
      gboolean is_sane = FALSE;

      if (!_ts_ring_look (self->drain, g_array_index (self->before, TsTargetRing, i).block, &ring,
                          &is_sane, error))
        return FALSE;
      *is_found = is_sane && !is_stale (self, &ring);
      if (*is_found)
        _ts_ring_drain_choose (self->drain, &ring);
    }

  return TRUE;
}

/*
 * _ts_ring_finder_step:
 * @self: a finder
 * @now_us: what time it is
 * @how: (out): whether a ring was found and chosen for the drain, and how
 * @error: return location
 *
 * Looks once.
 *
 * Errors: those of the probe
 * Source: probes.md section 3, step 1; viewalyzer-wire.md section 12.1, "Finding the block"
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_ring_finder_step (TsRingFinder *self,
                      gint64 now_us,
                      TsFoundHow *how,
                      GError **error)
{
  g_autoptr (GArray) rings = NULL;
  const TsTargetRing *ring;
  guint32 hint = get_hint (self);
  gint64 waited_us;
  gboolean is_wide;

  *how = TS_FOUND_NOT;
  if (self->started_us == 0)
    self->started_us = now_us;
  waited_us = now_us - self->started_us;
  is_wide = hint == 0 || waited_us > PATIENCE_US;
  if (hint == 0 && self->before != NULL && self->before->len > 0)
    {
      gboolean is_found;

      if (!look_at_old_places (self, &is_found, error))
        return FALSE;
      if (is_found)
        *how = TS_FOUND_BY_SCAN;
      if (is_found || waited_us < QUICK_US)
        return TRUE;
    }
  rings = list_rings (self, is_wide, error);
  if (rings == NULL)
    return FALSE;

  ring = hint != 0 ? find_at (rings, hint) : NULL;
  if (ring != NULL && is_stale (self, ring) && waited_us < STALE_US)
    return TRUE;
  if (ring != NULL)
    *how = hint == self->given ? TS_FOUND_AT_ADDRESS : TS_FOUND_BY_SYMBOL;
  else
    {
      guint n_candidates;

      ring = choose_liveliest (self, rings, waited_us >= STALE_US, &n_candidates);
      /* of several one must show that it lives, at a second look */
      if (ring != NULL && n_candidates > 1 && self->seen == NULL)
        ring = NULL;
      if (ring != NULL)
        {
          *how = TS_FOUND_BY_SCAN;
          tell_wrong_hint (self, ring->block);
        }
    }
  if (ring != NULL)
    _ts_ring_drain_choose (self->drain, ring);
  g_clear_pointer (&self->seen, g_array_unref);
  self->seen = g_steal_pointer (&rings);
  self->is_seen_wide = is_wide;

  return TRUE;
}

/*
 * _ts_ring_finder_look_for_another:
 * @self: a finder whose ring was chosen
 * @has_changed: (out): whether another ring was chosen
 * @error: return location
 *
 * To be called now and then while nothing has come from the ring: an earlier firmware may have left
 * it, and the one that runs writes another.
 *
 * Errors: those of the probe
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_ring_finder_look_for_another (TsRingFinder *self,
                                  gboolean *has_changed,
                                  GError **error)
{
  g_autoptr (GArray) rings = _ts_ring_scan (self->drain, error);

  *has_changed = FALSE;
  if (rings == NULL)
    return FALSE;
  for (guint i = 0; i < rings->len && self->is_seen_wide && !*has_changed; i++)
    {
      const TsTargetRing *ring = &g_array_index (rings, TsTargetRing, i);

      if (ring->block == self->drain->ring.block
          || is_untouched (find_at (self->seen, ring->block), ring))
        continue;
      tell_wrong_hint (self, ring->block);
      _ts_ring_drain_choose (self->drain, ring);
      *has_changed = TRUE;
    }
  g_clear_pointer (&self->seen, g_array_unref);
  self->seen = g_steal_pointer (&rings);
  self->is_seen_wide = TRUE;

  return TRUE;
}
