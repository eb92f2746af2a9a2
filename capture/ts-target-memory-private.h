/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-target-memory-private.h: which memory of a target may be read, and the symbols of its
 * firmware; inside capture only.
 *
 * What is stated is the RAM of the connection's scan window and that of the firmware's ELF file;
 * where the user gave an address, all that an Arm core has as RAM. Addresses that are found in
 * target memory are followed inside it alone.
 */
#pragma once

#include "model/ts-elf.h"

#include "ts-probe.h"

G_BEGIN_DECLS

/**
 * TsTargetMemory:
 * @probe: (nullable): borrowed
 * @elf: (nullable): the firmware's file
 * @scan_start: where to look for control blocks
 * @scan_size: how far
 * @is_wide: an address was given: any RAM is stated
 * @n_refused: accesses outside of what was stated
 */
typedef struct
{
  TsProbe *probe;
  TsElf *elf;
  guint32 scan_start;
  guint64 scan_size;
  gboolean is_wide;
  guint n_refused;
} TsTargetMemory;

gboolean _ts_target_memory_init (TsTargetMemory *self,
                                 TsConnection *connection,
                                 GError **error);
void _ts_target_memory_clear (TsTargetMemory *self);
gboolean _ts_target_memory_holds (const TsTargetMemory *self,
                                  guint32 address,
                                  guint64 n_bytes);
gboolean _ts_target_memory_read (TsTargetMemory *self,
                                 guint32 address,
                                 guint8 *bytes,
                                 gsize n_bytes,
                                 GError **error);
gboolean _ts_target_memory_read_name (TsTargetMemory *self,
                                      guint32 address,
                                      guint8 *bytes,
                                      gsize n_bytes);
/**
 * TsMemoryPiece:
 * @base: target address of the first byte
 * @bytes: (array length=n_bytes): a copy
 * @n_own: what begins at or after this is found in the next piece again
 *
 * Takes a piece of RAM that is looked through; %FALSE with @error set ends it.
 */
typedef gboolean (*TsMemoryPiece) (TsTargetMemory *self,
                                   guint32 base,
                                   const guint8 *bytes,
                                   gsize n_bytes,
                                   gsize n_own,
                                   gpointer user_data,
                                   GError **error);

gboolean _ts_target_memory_scan (TsTargetMemory *self,
                                 gsize n_overlap,
                                 TsMemoryPiece piece,
                                 gpointer user_data,
                                 GError **error);
gboolean _ts_target_memory_is_reachable (TsTargetMemory *self);
gboolean _ts_target_memory_may_retry (TsTargetMemory *self,
                                      guint *n_tries,
                                      gboolean *is_fault);
gboolean _ts_target_memory_find_symbol (const TsTargetMemory *self,
                                        const char *name,
                                        gsize n_bytes,
                                        guint32 *address,
                                        char **problem);
gboolean _ts_address_is_ram (guint32 address,
                             guint64 n_bytes);

G_END_DECLS
