/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-names.h: names and settings that a live ring dropped, put back from the table that the
 * recorder keeps of them in RAM.
 *
 * Raw packets of wire 1 alone, which is what such recorders write. No thread, no I/O: the caller
 * reads the table.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsVaNames:
 * @told: (element-type GBytes): names that the stream has told, without number and time
 * @expected: number of the next packet, -1: not known
 *
 * What a stream has told so far, from the beginning of a packet on.
 */
typedef struct
{
  GHashTable *told;
  int expected;
} TsVaNames;

void ts_va_names_init (TsVaNames *self);
void ts_va_names_clear (TsVaNames *self);
void ts_va_names_restart (TsVaNames *self);
void ts_va_names_take (TsVaNames *self,
                       const guint8 *bytes,
                       gsize n_bytes);
void ts_va_names_take_table (TsVaNames *self,
                             const guint8 *table,
                             gsize n_table);
gboolean ts_va_names_put_back (TsVaNames *self,
                               const guint8 *stream,
                               gsize n_stream,
                               const guint8 *table,
                               gsize n_table,
                               guint32 n_dropped,
                               GByteArray *out,
                               guint *n_names);

G_END_DECLS
