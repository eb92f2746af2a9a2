/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctf-packets.h: events of one CTF 1.8 stream as the packets of a stream file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_CTF_UUID_BYTES 16

typedef struct _TsCtfPackets TsCtfPackets;

/**
 * TsCtfPacketsOptions:
 * @uuid: of the trace
 * @stream: id of the stream class
 * @has_core: the packet context ends with the number of the processor
 * @core: that number
 * @packet_bytes: a packet that has so many bytes is full
 * @is_padded: each packet has exactly @packet_bytes, filled with zeros; else it ends with its last
 *   event, which may go beyond
 */
typedef struct
{
  guint8 uuid[TS_CTF_UUID_BYTES];
  guint32 stream;
  gboolean has_core;
  guint32 core;
  guint32 packet_bytes;
  gboolean is_padded;
} TsCtfPacketsOptions;

TsCtfPackets *ts_ctf_packets_new (const TsCtfPacketsOptions *options);
void ts_ctf_packets_free (TsCtfPackets *self);
guint64 ts_ctf_packets_add (TsCtfPackets *self,
                            guint32 id,
                            guint64 time,
                            const GByteArray *payload);
void ts_ctf_packets_finish (TsCtfPackets *self);
GByteArray *ts_ctf_packets_get_output (TsCtfPackets *self);

void ts_ctf_append_number (GByteArray *bytes,
                           guint64 value,
                           guint n_bytes);
void ts_ctf_append_quoted (GString *text,
                           const char *words);
void ts_ctf_make_uuid (guint8 *uuid);
char *ts_ctf_dup_uuid (const guint8 *uuid);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtfPackets, ts_ctf_packets_free)

G_END_DECLS
