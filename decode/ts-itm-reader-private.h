/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-reader-private.h: bytes of an ITM stream to packets.
 *
 * Packets are handed on in batches, in order, each with the offset of its header and its length.
 * Where one push ends and the next begins means nothing. Nothing is allocated per packet.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsItmType: what a packet is. The names of _ts_itm_type_get_name() are those of events.md
 * section 4, `packets`.
 * @TS_ITM_RESERVED: a header that means nothing (an error)
 * @TS_ITM_BAD_SEQUENCE: a broken run of zeros, an over-long time stamp or extension (an error)
 * @TS_ITM_INCOMPLETE: the data ended inside a packet (an error)
 * @TS_ITM_UNSYNCED: no packet: `length` bytes were passed over while looking for a
 *   synchronisation packet
 */
typedef enum
{
  TS_ITM_SYNC,
  TS_ITM_OVERFLOW,
  TS_ITM_LTS1,
  TS_ITM_LTS2,
  TS_ITM_GTS1,
  TS_ITM_GTS2,
  TS_ITM_EXTENSION,
  TS_ITM_SWIT,
  TS_ITM_EVENT_COUNTER,
  TS_ITM_EXCEPTION_ENTERED,
  TS_ITM_EXCEPTION_EXITED,
  TS_ITM_EXCEPTION_RETURNED,
  TS_ITM_EXCEPTION_RESERVED,
  TS_ITM_PC_SAMPLE,
  TS_ITM_PC_SLEEP,
  TS_ITM_PC_PROHIBITED,
  TS_ITM_PMU_OVERFLOW,
  TS_ITM_DATA_PC,
  TS_ITM_DATA_ADDRESS,
  TS_ITM_DATA_VALUE_READ,
  TS_ITM_DATA_VALUE_WRITE,
  TS_ITM_DATA_MATCH,
  TS_ITM_HW_RESERVED_DISC,
  TS_ITM_EVENT_COUNTER_BAD_SIZE,
  TS_ITM_EXCEPTION_BAD_SIZE,
  TS_ITM_PC_SAMPLE_BAD_SIZE,
  TS_ITM_PMU_BAD_SIZE,
  TS_ITM_RESERVED,
  TS_ITM_BAD_SEQUENCE,
  TS_ITM_INCOMPLETE,
  TS_ITM_UNSYNCED,
  TS_ITM_N_TYPES
} TsItmType;

/** Flags of a global time stamp. */
#define TS_ITM_GTS_WRAP 1
#define TS_ITM_GTS_CLOCK_CHANGE 2

/**
 * TsItmPacket:
 * @offset: of the header in the stream
 * @length: bytes of the whole packet
 * @type: a #TsItmType
 * @size: bytes of the payload
 * @header: the header
 * @flags: TS_ITM_GTS_..., of a four-byte GTS1
 * @port: stimulus port with its page, comparator, or discriminator of a reserved packet
 * @tc: of a local time stamp
 * @value: payload as a number; of a time stamp or an extension its value
 */
typedef struct
{
  guint64 offset;
  guint64 value;
  guint64 length;
  guint8 type;
  guint8 size;
  guint8 header;
  guint8 flags;
  guint16 port;
  guint8 tc;
} TsItmPacket;

/**
 * TsItmPolicy: what to do where nothing says that a packet begins.
 * @TS_ITM_STRICT: nothing before a synchronisation packet; look for the next one after an error
 * @TS_ITM_ALIGNED: the first byte is a header; after an error go on with the next byte that can be
 * @TS_ITM_AUTO: as aligned, and a synchronisation packet is recognised even where the packet before
 *   it was damaged and took its first zeros; after an error packets are believed again where a few
 *   in a row are plausible
 *
 * Source: itm-dwt.md sections 8.2 and 8.3
 */
typedef enum
{
  TS_ITM_AUTO,
  TS_ITM_STRICT,
  TS_ITM_ALIGNED,
} TsItmPolicy;

typedef void (*TsItmPacketsFunc) (const TsItmPacket *packets, gsize n_packets, gpointer user_data);

/**
 * TsItmTakeFunc: takes packets as bytes, from a boundary on
 * @last: (out): where the last one begins that was taken, if any was
 *
 * All that it takes must be of a header that _ts_itm_header_is_known(), and whole.
 *
 * Returns: where the first one begins that it did not take
 */
typedef const guint8 *(*TsItmTakeFunc) (const guint8 *bytes,
                                        const guint8 *end,
                                        const guint8 **last,
                                        gpointer user_data);

#define TS_ITM_BATCH 128
/** Room for packets that are to be believed. */
#define TS_ITM_DOUBT 96
/** Headers that came so often are those of packets that the target sends. */
#define TS_ITM_KNOWN 4

/**
 * TsItmHeader: what a header byte tells
 * @kind: how to read on: 0 slowly, else see ts-itm-reader.c
 * @type: a #TsItmType
 * @size: bytes of payload, where the header says it
 * @port: port, comparator or discriminator
 * @page_mask: all ones for stimulus ports, which have pages
 * @fixed: the value, where the header holds it
 * @mask: of the payload as a number
 * @continued: all ones where the bytes of the payload say whether another one follows
 * @number_mask: of the part of the payload that is the port
 * @function_mask: of the part that tells the type, with @type for the least; see fill_headers()
 * @is_odd: no target sends it
 * @n_seen: how often it came, up to %TS_ITM_KNOWN, where the target is known to send it
 */
typedef struct
{
  guint8 kind;
  guint8 type;
  guint8 size;
  guint8 tc;
  guint16 port;
  guint16 page_mask;
  guint32 fixed;
  guint32 mask;
  guint32 continued;
  guint16 number_mask;
  guint8 function_mask;
  guint8 n_seen;
  guint8 is_odd;
} TsItmHeader;

/**
 * TsItmReader:
 * @take: (nullable): asked before packets are made of bytes; @func may set it
 * @n_unlearned: how often a header that was known is so no more
 * @has_one_page: there are 32 ports: a packet that changes the page is damage or means nothing
 * @is_doubting: automatic, after an error: what comes is kept in @doubt until it is believed
 * @is_testing: automatic: a few packets in a row are such as the target did not send before; what
 *   comes is kept in @doubt until it is seen whether the reader is out of step
 * @is_lenient: take the headers 80 90 A0 B0 as local time stamps, as some decoders do
 */
typedef struct
{
  TsItmPolicy policy;
  gboolean is_lenient;
  gboolean has_one_page;
  TsItmPacketsFunc func;
  TsItmTakeFunc take;
  gpointer user_data;
  guint n_unlearned;

  guint64 offset;      /* of the next byte */
  guint64 n_zeros;     /* of a run being read */
  guint64 zeros_at;    /* where it began */
  guint64 unsynced_at; /* hunting: where it began */
  gboolean is_hunting;
  gboolean is_doubting;
  gboolean is_testing;
  guint n_strange;    /* packets in a row that the target did not send before */
  guint64 tested_at;  /* where a test ended */
  guint64 doubt_from; /* where that began */
  guint64 believed_from;
  guint64 n_believed; /* bytes of packets before */
  guint8 doubt[TS_ITM_DOUBT];
  guint n_doubt;
  guint page;
  guint8 carry[8]; /* the beginning of a packet */
  guint n_carry;
  guint n_batch;
  guint n_last; /* packets of the batch before */
  TsItmPacket batch[TS_ITM_BATCH];
  TsItmHeader headers[256];
} TsItmReader;

void _ts_itm_reader_init (TsItmReader *self,
                          TsItmPolicy policy,
                          TsItmPacketsFunc func,
                          gpointer user_data);
void _ts_itm_reader_push (TsItmReader *self, const guint8 *bytes, gsize n_bytes);
void _ts_itm_reader_lose (TsItmReader *self);
void _ts_itm_reader_finish (TsItmReader *self);

/* ts-itm-packet.c */
const char *_ts_itm_type_get_name (TsItmType type);
void _ts_itm_packet_classify (TsItmPacket *out);
int _ts_itm_packet_parse (TsItmReader *self,
                          const guint8 *bytes,
                          gsize n_bytes,
                          TsItmPacket *out);

/* Whether packets with a header are such as the target sends, and nothing but their bytes must be
 * known to read them. */
static inline gboolean
_ts_itm_header_is_known (const TsItmHeader *header)
{
  return header->kind != 0 && header->n_seen >= TS_ITM_KNOWN;
}

/* Whether the packet tells of damage. */
static inline gboolean
_ts_itm_type_is_error (TsItmType type)
{
  return type >= TS_ITM_RESERVED && type <= TS_ITM_INCOMPLETE;
}

G_END_DECLS
