/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-metadata-attach-private.h: attaches to a running target whose recorder keeps its names in RAM:
 * the table is read under its generation, a checkpoint is requested and acknowledged, and the
 * stream begins there.
 *
 * No thread and no clock of its own: the source says what time it is. Inside capture only.
 * Source: viewalyzer-wire.md section 12.4
 */
#pragma once

#include "ts-ring-drain-private.h"

G_BEGIN_DECLS

typedef enum
{
  TS_ATTACH_WAITING, /* call again soon */
  TS_ATTACH_DONE,    /* names, then the stream from the target's answer */
  TS_ATTACH_PLAIN,   /* no answer: what names there are, then the stream as it came */
} TsAttachState;

/**
 * TsMetadataAttach:
 * @drain: borrowed: the ring that was chosen
 * @address: of `_VA_METADATA`, 0: not known
 * @state: where it stands
 * @started_us: since when it is waited for something
 * @n_requests: how often was asked
 * @request: number of the request written, 0: none yet
 * @generation: of @table
 * @table: bytes of the table
 * @stream: bytes of the ring since the attach
 * @answer: absolute number of the target's checkpoint
 * @answer_at: where its marker begins in @stream
 * @ticks: its time
 * @n_discarded: bytes before the target's answer
 * @problem: (nullable): why it is plain or incomplete, one sentence
 */
typedef struct
{
  TsRingDrain *drain;
  guint32 address;
  TsAttachState state;
  gint64 started_us;
  guint n_requests;
  guint32 request;
  guint32 generation;
  GByteArray *table;
  GByteArray *stream;
  guint32 answer;
  gsize answer_at;
  guint32 ticks;
  gsize n_discarded;
  char *problem;
} TsMetadataAttach;

gboolean _ts_metadata_attach_init (TsMetadataAttach *self,
                                   TsRingDrain *drain,
                                   guint32 known,
                                   GError **error);
void _ts_metadata_attach_clear (TsMetadataAttach *self);
gboolean _ts_metadata_attach_step (TsMetadataAttach *self,
                                   gint64 now_us,
                                   GError **error);
gboolean _ts_metadata_read_generation (TsTargetMemory *memory,
                                       guint32 address,
                                       guint32 *generation);
void _ts_metadata_attach_take (TsMetadataAttach *self,
                               GByteArray *out,
                               guint *n_names);

G_END_DECLS
