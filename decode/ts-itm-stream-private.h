/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-stream-private.h: one ITM stream: from packets to events and to the bytes of a recorder.
 *
 * A decoder has one stream, or one per trace id behind a formatter. All put their events into one
 * window, which is the recorder's where there is one: ts-itm-decoder.c takes bytes to streams,
 * ts-itm-events.c makes events, ts-itm-time.c knows when they happened, ts-itm-lines.c when lines of
 * text began, ts-itm-load.c how many bytes came.
 */
#pragma once

#include "ts-decoder-private.h"
#include "ts-deframer-private.h"
#include "ts-event-window-private.h"
#include "ts-itm-reader-private.h"
#include "ts-va-stream-private.h"

G_BEGIN_DECLS

#define TS_ITM_N_PORTS 256
#define TS_ITM_N_EXCEPTIONS 512
#define TS_ITM_N_COMPARATORS 4
/** Bytes of a new source that are looked at before it is believed to be ITM. */
#define TS_ITM_PROBE 192
/** A line of console text is given out at this length even if it does not end. */
#define TS_ITM_MAX_LINE 512
/** A packet may end past that. */
#define TS_ITM_LINE_ROOM (TS_ITM_MAX_LINE + 4)
/** Events waiting for a time stamp at most. */
#define TS_ITM_MAX_PENDING 128
/** With more events in the window there is not room for those that wait. */
#define TS_ITM_MAX_IN_WINDOW                                                                       \
  (TS_EVENT_WINDOW_BATCH + TS_EVENT_WINDOW_MAX_DEPTH - TS_ITM_MAX_PENDING)

/** Data trace packets of one access that wait for each other. */
typedef struct
{
  gboolean has_pc;
  gboolean has_address;
  guint32 pc;
  guint32 address;
} TsItmFragment;

typedef enum
{
  TS_ITM_PORT_UNKNOWN,
  TS_ITM_PORT_TEXT,
  TS_ITM_PORT_DATA,
} TsItmPortUse;

/** When a line began: together with the event that it becomes, or with whatever waits for a time. */
#define TS_ITM_BEGAN_NOW G_MAXINT64
/** The same within a batch: in this section of it, counted from here. */
#define TS_ITM_BEGAN_IN_SECTION G_MININT64
#define TS_ITM_IS_SECTION(begin) ((begin) < G_MININT64 / 2)
/** No line began in this batch. */
#define TS_ITM_NO_SECTION G_MAXUINT32

/** Text that no end of a line has come for. @begin: time of its first byte, see ts-itm-lines.c; @section:
 * while packets are taken many at a time, the section of the batch that it began in. */
typedef struct
{
  gint64 begin;
  guint32 section;
  guint16 n;
  gboolean has_high; /* bytes that are not ASCII may be in it */
  char text[TS_ITM_LINE_ROOM];
} TsItmLine;

/**
 * TsItmLoad: bytes that were not told yet
 * @begin: on the clock of the stream, %G_MININT64: a measurement begins with the next time stamp
 * @width: ticks of a stretch, 0: not known
 * @offset: of the first of them
 * @looked: where the recorder's clock was looked at
 */
typedef struct
{
  gint64 begin;
  gint64 width;
  guint64 offset;
  guint64 looked;
} TsItmLoad;

typedef struct
{
  guint32 object;
  guint8 use;      /* a TsItmPortUse */
  TsItmLine *line; /* %NULL before the first text */
} TsItmPort;

/** What was learned about packets, see ts-itm-batch.c. */
typedef struct _TsItmLesson TsItmLesson;
typedef struct _TsItmLessons TsItmLessons;

typedef struct _TsItmDecoder TsItmDecoder;

/**
 * TsItmStream:
 * @id: trace id, 0 without a formatter
 * @now: ticks of its clock, after the prescaler, since the beginning
 * @prescaler: ticks of its clock in a tick of a local time stamp
 * @has_time: a local time stamp came
 * @anchor_now: @anchor_now on the own clock is @anchor_out on the recording's (without the window's
 *   shift)
 */
typedef struct
{
  TsItmDecoder *decoder;
  guint id;
  guint8 core;
  gboolean is_ignored;
  gboolean is_probing;
  GByteArray *probe;
  TsItmReader reader;

  guint prescaler;
  gint64 now;
  gint64 line_time; /* bytes of the stream before the packet */
  gboolean has_time;
  gint64 anchor_now;
  gint64 anchor_out;
  gint64 first_now;
  gint64 first_out;
  gint64 recorder_now; /* of the last anchor: what the recorder's clock said */
  gboolean has_anchor;
  gboolean is_anchor_loose; /* something was lost since */
  guint n_taken_back;       /* jumps of the recorder's clock, in a row */
  gboolean is_scaled;
  gboolean is_tentative; /* after damage, and no synchronisation packet came since */
  guint8 next_flags;

  gboolean is_in_place; /* events wait in the window, behind its own, not in @pending */
  TsItmLessons *lessons; /* where that is so */
  TsEvent pending[TS_ITM_MAX_PENDING]; /* waiting for a time, or for the recorder's next packet */
  guint n_pending;
  guint n_timed;   /* of those, how many have their time on the stream's clock */
  guint n_texts;   /* of those, how many are lines whose begin is to be told */
  guint n_lines;   /* ports with text */
  guint8 lines[TS_ITM_N_PORTS];
  gboolean has_young; /* lines may have begun since the last time stamp */
  TsItmLoad load;
  TsItmFragment fragments[TS_ITM_N_COMPARATORS];
  guint waiting; /* which of them hold something, a bit each; four up, an address */
  guint64 gts_low;
  guint64 gts_high;
  gboolean has_gts_high;

  guint32 exceptions[TS_ITM_N_EXCEPTIONS];
  guint32 watches[TS_ITM_N_COMPARATORS];
  guint8 watch_sizes[TS_ITM_N_COMPARATORS]; /* of the last value, in bytes */
  TsItmPort ports[TS_ITM_N_PORTS];
} TsItmStream;

/**
 * TsItmDecoder:
 * @deframer: takes captures apart
 * @va: decodes the recorder's bytes; %NULL where there is no recorder
 * @window: where events go: that of @va if there is one
 * @recorder: the stream that carries the recorder, %NULL: none yet
 * @gathered: bytes of the recorder, not pushed yet
 */
struct _TsItmDecoder
{
  TsDecoder parent;
  gboolean is_framed;
  TsDeframer deframer;
  TsVaDecoder *va;
  TsEventWindow own_window;
  TsEventWindow *window;
  TsItmStream *streams[TS_TPIU_N_IDS];
  guint n_streams;
  TsItmStream *recorder;
  guint8 gathered[512];
  guint n_gathered;
  TsDecodeCounters counted; /* without those of @va */
  gboolean clock_told;
};

/* ts-itm-time.c */
void _ts_itm_stream_local_time (TsItmStream *self, const TsItmPacket *packet);
void _ts_itm_stream_settle_pending (TsItmStream *self, guint8 flags);
void _ts_itm_stream_make_room (TsItmStream *self);
void _ts_itm_stream_deliver (TsItmStream *self);
void _ts_itm_stream_give_out (TsItmStream *self);
void _ts_itm_stream_check_recorder (TsItmStream *self);
void _ts_itm_stream_time_lost (TsItmStream *self);

gint64 _ts_itm_stream_map_time (TsItmStream *self, gint64 own);
gboolean _ts_itm_stream_is_in_doubt (const TsItmStream *self);

/* ts-itm-lines.c */
void _ts_itm_stream_begin_line (TsItmStream *self, TsItmLine *line);
void _ts_itm_stream_age_lines (TsItmStream *self);
void _ts_itm_stream_renew_lines (TsItmStream *self);
void _ts_itm_stream_finish_text (TsItmStream *self, TsEvent *event);
void _ts_itm_stream_finish_texts (TsItmStream *self, TsEvent *events, guint n_events);
void _ts_itm_stream_begin_batch_lines (TsItmStream *self);
void _ts_itm_stream_end_batch_lines (TsItmStream *self, const gint64 *times, guint n_sections);

/* ts-itm-load.c */
void _ts_itm_stream_forget_load (TsItmStream *self);
gboolean _ts_itm_stream_is_load_due (const TsItmStream *self, gint64 now, guint64 offset);
void _ts_itm_stream_note_load (TsItmStream *self, const TsItmPacket *packet, guint8 flags);
gboolean _ts_itm_stream_tell_load (
    TsItmStream *self, gint64 now, guint64 offset, gboolean has_events, TsEvent *event);
void _ts_itm_stream_note_recorder_load (TsItmStream *self, const TsItmPacket *packet);

/* ts-itm-batch.c */
TsItmLessons *_ts_itm_lessons_new (void);
void _ts_itm_stream_learn (TsItmStream *self, const TsItmPacket *packet);
void _ts_itm_stream_forget (TsItmStream *self, gboolean is_stimulus, guint number);
const guint8 *_ts_itm_stream_take_bytes (const guint8 *bytes,
                                         const guint8 *end,
                                         const guint8 **last,
                                         gpointer user_data);

/* ts-itm-events.c */
int _ts_itm_stream_take_text (TsItmStream *self,
                              const TsItmPacket *packet,
                              guint section,
                              TsEvent *event);
void _ts_itm_stream_end_line (TsItmStream *self, guint number, TsEvent *event);
void _ts_itm_stream_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data);
void _ts_itm_stream_finish_fragments (TsItmStream *self);
void _ts_itm_stream_finish_lines (TsItmStream *self);

/* ts-itm-decoder.c */
void _ts_itm_decoder_push_all_gathered (TsItmDecoder *self);

/* An event of this stream; its time comes later. Fill in the rest before the next one. */
static inline TsEvent *
_ts_itm_stream_add (TsItmStream *self, TsEventKind kind, guint32 object)
{
  TsEventWindow *window = self->decoder->window;
  TsEvent *event;

  if (G_UNLIKELY (self->n_pending >= TS_ITM_MAX_PENDING
                  || window->n_events > TS_ITM_MAX_IN_WINDOW))
    _ts_itm_stream_make_room (self);
  event = self->is_in_place ? window->events + window->n_events : self->pending;
  event += self->n_pending++;
  *event = (TsEvent){
    .time = self->line_time,
    .object = object,
    .kind = (guint16) kind,
    .core = self->core,
    .flags = self->next_flags,
  };
  self->next_flags = 0;
  return event;
}

/* A time of the stream's own clock on that of the recording, where both were told and differ: each
 * processor has its own. */
static inline gint64
_ts_itm_stream_scale_clock (const TsItmStream *self, gint64 own)
{
  const TsDecoderOptions *options = &self->decoder->parent.options;
  guint64 hz = self->id < TS_DECODE_N_IDS ? options->id_clock_hz[self->id] : 0;

  if (hz == 0 || options->clock_hz == 0 || hz == options->clock_hz)
    return own;
  return (gint64) MIN ((unsigned __int128) own * options->clock_hz / hz,
                       (unsigned __int128) G_MAXINT64);
}

/* The recorder's bytes gathered so far are decoded. */
static inline void
_ts_itm_decoder_push_gathered (TsItmDecoder *self)
{
  if (G_UNLIKELY (self->n_gathered > 0))
    _ts_itm_decoder_push_all_gathered (self);
}

G_END_DECLS
