/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-poll-records.h: values that the host read out of target memory, as a byte stream of our own
 * (format "poll"), so that they go the way of all bytes: through the buffer, into the raw log and
 * through a decoder.
 *
 * A stream is records, little-endian, one after the other:
 *   'C' u8 type, u16 channel, u32 address, u8 length, name    a channel, numbered from 0
 *   'V' u16 n, u64 time, n * u32                              one round: values of channels 0 to n-1
 *   'P' u64 time, u32 pc                                      where the core was
 *   'L' u64 time, u32 n                                       rounds that were missed before
 * Times are microseconds of the host's clock, which never go back.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Most channels of a stream. */
#define TS_POLL_MAX_CHANNELS 256

/** Type of a polled value. Source: viewalyzer-host.md section 3.5, `poll` */
typedef enum
{
  TS_POLL_U8,
  TS_POLL_U16,
  TS_POLL_U32,
  TS_POLL_I8,
  TS_POLL_I16,
  TS_POLL_I32,
  TS_POLL_F32,
  TS_POLL_N_TYPES
} TsPollType;

const char *ts_poll_type_get_name (TsPollType type);
const char *ts_poll_type_get_c_name (TsPollType type);
gboolean ts_poll_type_parse (const char *name,
                             TsPollType *type);
guint ts_poll_type_get_size (TsPollType type);

void ts_poll_put_channel (GByteArray *out,
                          guint channel,
                          TsPollType type,
                          guint32 address,
                          const char *name);
void ts_poll_put_values (GByteArray *out,
                         gint64 time_us,
                         const guint32 *values,
                         guint n_values);
void ts_poll_put_pc (GByteArray *out,
                     gint64 time_us,
                     guint32 pc);
void ts_poll_put_missed (GByteArray *out,
                         gint64 time_us,
                         guint32 n_missed);

G_END_DECLS
