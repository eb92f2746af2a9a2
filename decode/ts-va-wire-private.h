/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-wire-private.h: shape of the recorder's packets in every dialect: lengths, validity, sync
 * markers.
 *
 * Facts only, no state. Source: viewalyzer-wire.md, sections as cited in the source file.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Bytes of a sync marker. */
#define TS_VA_MARKER_LEN 12
/** Longest text of a string event. */
#define TS_VA_MAX_STRING 1024
/** Longest packet of any dialect: a string event of legacy v1 (12 + 1024). */
#define TS_VA_MAX_PACKET 1036
/** Event codes that matter by themselves. */
#define TS_VA_CODE_TASK_CREATE 0x03
#define TS_VA_CODE_STRING 0x0D
#define TS_VA_CODE_CHECKPOINT 0x16
/** Bytes of a checkpoint of wire 1. Source: viewalyzer-wire.md section 5.1 */
#define TS_VA_CHECKPOINT_LEN 11
#define TS_VA_CODE_SETUP 0x70
#define TS_VA_CODE_CONFIG 0x77
#define TS_VA_CODE_INFO 0x7F
#define TS_VA_START_FLAG 0x80

/**
 * TsVaWire:
 * @TS_VA_WIRE_NONE: not known yet
 * @TS_VA_WIRE_LEGACY: legacy v1: 64-bit time, no sequence byte; length of strings u8 or u16
 * @TS_VA_WIRE_V2: 32-bit time, no sequence byte
 * @TS_VA_WIRE_V3: 32-bit time, sequence byte; `77` may be a text
 * @TS_VA_WIRE_1: the current one
 */
typedef enum
{
  TS_VA_WIRE_NONE,
  TS_VA_WIRE_LEGACY,
  TS_VA_WIRE_V2,
  TS_VA_WIRE_V3,
  TS_VA_WIRE_1,
  TS_VA_N_WIRES
} TsVaWire;

/**
 * TsVaLayout:
 * @dialect: whose layout this is
 * @has_seq: packets carry a sequence byte at offset 1
 * @id_at: offset of the id byte
 * @ts_bytes: size of a time stamp
 * @body_at: offset behind the time stamp of a packet `id, time, ...`
 * @fixed: by type byte: length of an event packet that is valid whatever it holds; 0: another, see
 * _ts_va_measure()
 * @known: by type byte: a packet of this dialect may begin so
 */
typedef struct
{
  guint8 dialect;
  guint8 has_seq;
  guint8 id_at;
  guint8 ts_bytes;
  guint8 body_at;
  guint8 fixed[256];
  guint8 known[256];
} TsVaLayout;

/** Results of _ts_va_measure() and of other questions to bytes that may not all be there yet. */
#define TS_VA_INVALID 0
#define TS_VA_MORE -1

const TsVaLayout *_ts_va_layout_get (TsVaWire dialect);
const char *_ts_va_dialect_get_name (TsVaWire dialect, guint string_bits);
int
_ts_va_measure (const TsVaLayout *layout, guint string_bits, const guint8 *bytes, gsize n_bytes);
gboolean _ts_va_frame_fits (const TsVaLayout *layout,
                            const guint8 *frame,
                            gsize n_frame,
                            guint *string_bits);
gboolean _ts_va_looks_sound (const TsVaLayout *layout, const guint8 *packet, gsize n_packet);
int _ts_va_marker_at (const guint8 *bytes, gsize n_bytes);
const guint8 *_ts_va_find_marker (const guint8 *bytes, const guint8 *end);
int _ts_va_dialect_after_marker (const guint8 *bytes, gsize n_bytes);
int
_ts_va_text_at (const guint8 *packet, gsize n_packet, const TsVaLayout *layout, const char **text);
gint64 _ts_va_packet_time (const TsVaLayout *layout, const guint8 *packet, gsize n_packet);

static inline guint32
_ts_va_u16 (const guint8 *p)
{
  return (guint32) p[0] | (guint32) p[1] << 8;
}

static inline guint32
_ts_va_u32 (const guint8 *p)
{
  guint32 v;

  __builtin_memcpy (&v, p, sizeof v);
  return GUINT32_FROM_LE (v);
}

static inline guint64
_ts_va_u64 (const guint8 *p)
{
  guint64 v;

  __builtin_memcpy (&v, p, sizeof v);
  return GUINT64_FROM_LE (v);
}

G_END_DECLS
