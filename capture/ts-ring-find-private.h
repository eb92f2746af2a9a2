/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ring-find-private.h: which of the rings in a target's RAM is the one that its firmware writes:
 * by address, by symbol or by scanning, and not one that an earlier firmware left behind.
 *
 * No thread and no clock of its own: the source says what time it is. Inside capture only.
 */
#pragma once

#include "ts-ring-drain-private.h"

G_BEGIN_DECLS

/** How the ring was found. */
typedef enum
{
  TS_FOUND_NOT,
  TS_FOUND_AT_ADDRESS,
  TS_FOUND_BY_SYMBOL,
  TS_FOUND_BY_SCAN,
} TsFoundHow;

/**
 * TsRingFinder:
 * @drain: borrowed: what to look for
 * @key: key of the connection that gives an address
 * @symbol_name: name of the control block
 * @given: address from the connection, 0: none
 * @symbol: address from the ELF file, 0: none
 * @started_us: since when it is looked for
 * @before: (element-type TsTargetRing): what was there before the target was reset, or %NULL
 * @seen: (element-type TsTargetRing): what the last scan found
 * @is_seen_wide: that was all of the RAM
 * @problem: (nullable): one sentence for the person who watches; taken and cleared by the source
 */
typedef struct
{
  TsRingDrain *drain;
  const char *key;
  const char *symbol_name;
  guint32 given;
  guint32 symbol;
  gint64 started_us;
  GArray *before;
  GArray *seen;
  gboolean is_seen_wide;
  char *problem;
} TsRingFinder;

void _ts_ring_finder_init (TsRingFinder *self,
                           TsRingDrain *drain,
                           TsConnection *connection);
void _ts_ring_finder_clear (TsRingFinder *self);
gboolean _ts_ring_finder_note_before (TsRingFinder *self,
                                      GError **error);
gboolean _ts_ring_finder_step (TsRingFinder *self,
                               gint64 now_us,
                               TsFoundHow *how,
                               GError **error);
gboolean _ts_ring_finder_look_for_another (TsRingFinder *self,
                                           gboolean *has_changed,
                                           GError **error);

G_END_DECLS
