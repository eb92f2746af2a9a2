/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-snapshot.h: what a target's memory holds of its recorder, as a recording: the post-mortem ring
 * with its names, or a live ring that nobody drained.
 *
 * Memory comes through one function, so that an image on disk and a halted target behind a probe
 * are the same. Nothing is written to the target.
 */
#pragma once

#include "decode/ts-va-memory.h"
#include "model/ts-recording.h"

#include "ts-connection.h"

G_BEGIN_DECLS

/** Largest image that is read. */
#define TS_SNAPSHOT_MAX_IMAGE (256u * 1024 * 1024)

/**
 * TsSnapshotRead:
 * @address: target address
 * @bytes: (array length=n_bytes): where to put them
 * @n_bytes: how many
 *
 * Reads target memory. %FALSE with one clear sentence.
 */
typedef gboolean (*TsSnapshotRead) (guint32 address,
                                    guint8 *bytes,
                                    gsize n_bytes,
                                    gpointer user_data,
                                    GError **error);

/**
 * TsSnapshotOptions:
 * @output: path of the recording
 * @start: where to look for control blocks
 * @size: how many bytes of memory to look through
 * @address: address of a control block, 0: look for one
 * @keep_raw_log: keep the bytes in the recording
 * @capture_source: transport, for `meta.capture_source`
 */
typedef struct
{
  const char *output;
  guint32 start;
  gsize size;
  guint32 address;
  gboolean keep_raw_log;
  const char *capture_source;
} TsSnapshotOptions;

/**
 * TsSnapshotFigures:
 * @block: control block of the ring that was read
 * @walk: what the ring held
 * @n_blocks: sane control blocks of rings that were found
 */
typedef struct
{
  TsVaBlock block;
  TsVaWalk walk;
  guint n_blocks;
} TsSnapshotFigures;

gboolean ts_snapshot_take (TsSnapshotRead read,
                           gpointer user_data,
                           const TsSnapshotOptions *options,
                           TsSnapshotFigures *figures,
                           TsRecordingSummary *summary,
                           GError **error);
gboolean ts_snapshot_find (TsSnapshotRead read,
                           gpointer user_data,
                           const TsSnapshotOptions *options,
                           TsVaBlock *block,
                           GError **error);
gboolean ts_snapshot_take_probe (TsConnection *connection,
                                 const TsSnapshotOptions *options,
                                 TsSnapshotFigures *figures,
                                 TsRecordingSummary *summary,
                                 GError **error);
gboolean ts_snapshot_take_image (const char *path,
                                 guint32 base,
                                 const TsSnapshotOptions *options,
                                 TsSnapshotFigures *figures,
                                 TsRecordingSummary *summary,
                                 GError **error);
gboolean ts_snapshot_parse_image_name (const char *text,
                                       char **path,
                                       guint32 *base,
                                       GError **error);

G_END_DECLS
