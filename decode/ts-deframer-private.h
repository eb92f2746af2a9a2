/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-deframer-private.h: the bytes of a capture apart into those of its sources.
 *
 * Everything that takes trace streams has one: frames are found and aligned here, and the decode
 * tree of OpenCSD takes them apart, as it takes raw bytes, which are one source's. Where the library
 * is not there the formatter is read by ours, which gives the same.
 */
#pragma once

#include "ts-opencsd-private.h"
#include "ts-tpiu-private.h"

G_BEGIN_DECLS

/**
 * TsDeframer:
 * @tpiu: finds frames
 * @rest: (optional): what belongs to no source, which the library drops
 * @tree: (nullable): takes them apart; %NULL: @tpiu does
 */
typedef struct
{
  gboolean is_framed;
  gboolean wants_rest;
  TsTpiu tpiu;
  TsTpiu rest;
  TsOpencsd *tree;
  TsTpiuFunc func;
  gpointer user_data;
} TsDeframer;

void _ts_deframer_init (
    TsDeframer *self, gboolean is_framed, gboolean wants_rest, TsTpiuFunc func, gpointer user_data);
void _ts_deframer_clear (TsDeframer *self);
void _ts_deframer_push (TsDeframer *self, const guint8 *bytes, gsize n_bytes);
void _ts_deframer_settle (TsDeframer *self);
void _ts_deframer_lose (TsDeframer *self);
void _ts_deframer_finish (TsDeframer *self);
guint64 _ts_deframer_get_n_id_changes (const TsDeframer *self);

G_END_DECLS
