/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-packets.h: what packets a capture holds: counts by type, and one line for each if asked.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** Stream id of input without a formatter. */
#define TS_PACKETS_NO_ID 0

typedef struct _TsPackets TsPackets;

/**
 * TsPacketsLineFunc:
 * @id: trace id, %TS_PACKETS_NO_ID without a formatter
 * @line: one packet in words
 * @user_data: as given
 */
typedef void (*TsPacketsLineFunc) (guint id,
                                   const char *line,
                                   gpointer user_data);

/**
 * TsPacketsStream:
 * @id: trace id, %TS_PACKETS_NO_ID without a formatter
 * @bytes: of the stream
 * @unsynced_bytes: passed over while looking for a synchronisation packet
 * @errors: packets that could not be
 * @counts: (array length=n_types): packets by type, named by ts_packets_get_type_name()
 * @n_types: number of types
 */
typedef struct
{
  guint id;
  guint64 bytes;
  guint64 unsynced_bytes;
  guint64 errors;
  const guint64 *counts;
  guint n_types;
} TsPacketsStream;

/**
 * TsPacketsFrames:
 * @frames: whole formatter frames
 * @id_changes: changes to another trace id
 * @dropped_bytes: bytes outside of whole frames
 * @no_id_bytes: bytes before the first id
 * @null_bytes: padding
 * @reserved_bytes: bytes of ids that no source has
 * @full_syncs: full synchronisation patterns
 * @half_syncs: half ones
 */
typedef struct
{
  guint64 frames;
  guint64 id_changes;
  guint64 dropped_bytes;
  guint64 no_id_bytes;
  guint64 null_bytes;
  guint64 reserved_bytes;
  guint64 full_syncs;
  guint64 half_syncs;
} TsPacketsFrames;

TsPackets *ts_packets_new (const char *format,
                           const char *sync,
                           TsPacketsLineFunc func,
                           gpointer user_data,
                           GError **error);
void ts_packets_free (TsPackets *self);
void ts_packets_push (TsPackets *self,
                      const guint8 *bytes,
                      gsize n_bytes);
void ts_packets_finish (TsPackets *self);
guint ts_packets_get_n_streams (TsPackets *self);
void ts_packets_get_stream (TsPackets *self,
                            guint index,
                            TsPacketsStream *stream);
gboolean ts_packets_get_frames (TsPackets *self,
                                TsPacketsFrames *frames);
const char *ts_packets_get_type_name (TsPackets *self,
                                      guint type);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPackets, ts_packets_free)

G_END_DECLS
