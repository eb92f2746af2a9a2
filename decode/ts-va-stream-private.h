/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-stream-private.h: one recorder stream: what is known about one sender, and the steps from
 * its bytes to events.
 *
 * A decoder has one stream per source. The way of the bytes: framing (ts-va-raw.c, ts-va-frames.c)
 * finds packets, ts-va-dialect.c settles their layout, ts-va-packet.c takes one packet:
 * ts-va-sequence.c counts what is missing, ts-va-time.c extends its time, ts-va-setup.c takes names
 * and facts, ts-va-packet.c itself makes the event; ts-va-objects.c knows what ids stand for,
 * ts-va-text.c words the details.
 */
#pragma once

#include "ts-decoder-private.h"
#include "ts-event-window-private.h"
#include "ts-va-wire-private.h"

G_BEGIN_DECLS

/**
 * TsVaSpace: what an id byte may count. Kernel objects of different kinds share one space in
 * firmware and have one each in the UDP senders; keyed by kind they are right in both. Source:
 * viewalyzer-wire.md sections 6.5 and 3.6.
 */
typedef enum
{
  TS_VA_SPACE_TASK,
  TS_VA_SPACE_ISR,
  TS_VA_SPACE_SEM,
  TS_VA_SPACE_MUTEX,
  TS_VA_SPACE_QUEUE, /* all that code 75 announces */
  TS_VA_SPACE_TIMER,
  TS_VA_SPACE_HEAP,
  TS_VA_SPACE_POWER,
  TS_VA_SPACE_TRACE,
  TS_VA_SPACE_TOGGLE,
  TS_VA_SPACE_COUNTER,
  TS_VA_SPACE_SPAN,
  TS_VA_SPACE_GPIO,
  TS_VA_SPACE_GAUGE,
  TS_VA_SPACE_STRING,
  TS_VA_N_SPACES,
  TS_VA_SPACE_NONE = TS_VA_N_SPACES
} TsVaSpace;

#define TS_VA_SPACE_FIRST_SYNC TS_VA_SPACE_SEM
#define TS_VA_SPACE_LAST_SYNC TS_VA_SPACE_POWER

/**
 * TsVaObject: what is known about one id.
 * @object: as the sink knows it, or will: its id is 0 until an event needs it
 * @raw_stack: stack size as sent
 * @has_stack: @raw_stack is set
 * @is_stale: learned in an earlier session
 * @is_dead: the target told that it was deleted
 */
typedef struct
{
  TsObject object;
  guint32 raw_stack;
  gboolean has_stack;
  gboolean is_stale;
  gboolean is_dead;
} TsVaObject;

/** Name and display type of a user trace: shared by traces, toggles and counters. */
typedef struct
{
  char *name;
  guint8 display;
} TsVaTraceName;

typedef struct
{
  guint64 key;
  guint32 key2;
  guint32 id;
} TsVaText;

#define TS_VA_N_TEXTS 256

typedef enum
{
  TS_VA_SENDER_UNKNOWN,
  TS_VA_SENDER_FIRMWARE,
  TS_VA_SENDER_UDP,
} TsVaSender;

/** What may come after the bytes at hand. */
typedef enum
{
  TS_VA_MORE_COMES, /* decide nothing that later bytes could change */
  TS_VA_IDLE,       /* nothing came for a while: a complete packet stands */
  TS_VA_END,        /* nothing will come */
} TsVaOutlook;

/** "no number": beyond every sequence byte. */
#define TS_VA_NO_SEQ 0x100

/** Longest datagram. */
#define TS_VA_MAX_DATAGRAM 65507

/** Clock step above which the slow way looks at a time stamp, where the rate is not known yet. */
#define TS_VA_DEFAULT_STEP (1 << 18)

typedef struct _TsVaDecoder TsVaDecoder;

typedef struct
{
  TsVaDecoder *decoder;
  guint32 source;
  guint8 core;

  /* layout */
  const TsVaLayout *layout; /* NULL: not known yet */
  guint8 last_dialect;      /* of the last layout */
  guint string_bits;        /* legacy v1: 8, 16, 0 not known; else 16 */
  TsVaSender sender;
  gboolean is_datagrams;

  /* sequence and loss */
  guint expected;    /* next sequence byte, or TS_VA_NO_SEQ */
  gboolean is_dirty; /* corrupt bytes or a host loss wait to be told before the next packet */
  gboolean has_checkpoint;
  gboolean is_checkpoint_doubted;
  gboolean may_be_repeat; /* SES:START in the middle of a sequence: the next checkpoint tells */
  guint8 next_flags;      /* for the next event */
  guint32 checkpoint;
  guint64 n_seq; /* packets with a sequence byte */
  guint64 checkpoint_n_seq;
  gint64 n_missing; /* by the byte rule, since the last checkpoint or the epoch's start */
  guint64 n_bad;    /* undecodable bytes in a row, not told yet */
  guint64 n_host_lost;
  gboolean has_host_loss;
  gboolean was_locked; /* a boundary was found once */

  /* time */
  gint64 now;    /* own ticks, 64 bit */
  gint64 offset; /* own ticks to ticks of the recording, without the window's shift */
  gint64 anchor_own;
  gint64 anchor_out;
  guint64 step;      /* forward steps below are taken as they are; 0: look closer */
  guint64 long_step; /* a step above is long enough to be doubted later */
  guint64 hz;
  guint64 doubted_hz;
  gboolean has_time;
  gboolean is_scaled;
  gboolean is_soft; /* the base is a time of 0 that no clock gave */
  gboolean has_session_clock;
  guint64 marker_count; /* events of the target before the last marker */
  guint64 bundle_end;   /* legacy v1: a bundle may reach to this count of events; G_MAXUINT64 */
  gint64 before_jump;
  guint64 far_back_index; /* of the last of those */
  guint n_far_back;       /* stamps in a row far off the clock */
  guint n_jumps;          /* events in a row that did */
  guint64 counted_before_jump; /* events of the target until then */
  guint64 jump_index;     /* of the event that came with a long step, G_MAXUINT64: none */

  /* facts */
  gboolean is_freertos;
  gboolean is_zephyr;
  gboolean has_os;
  gboolean has_session; /* SES:START was seen */
  guint32 version;      /* 0: not told */

  /* objects */
  guint32 ids[TS_VA_N_SPACES][256];
  TsVaObject *objects[TS_VA_N_SPACES][256];
  TsVaTraceName traces[256];
  guint n_known;          /* objects */
  guint n_traces;         /* names among traces */
  guint8 sync_space[256]; /* of the last map packet of this id, TS_VA_SPACE_NONE */
  guint8 sync_used[256];  /* of the last event of this id */
  guint8 queue_kind[256]; /* event kind that told what a QUEUE id is; 0: none */
  TsVaText texts[TS_VA_N_TEXTS];

  /* framing */
  GByteArray *carry;     /* raw: bytes not decided yet; frames: the beginning of a frame */
  gboolean is_searching; /* raw: looking for a boundary */
  gboolean after_marker; /* the last thing was a marker */
  gboolean is_overlong;  /* frames: dropping up to the next delimiter */
  guint64 n_overlong;
  guint8 held[TS_VA_MAX_PACKET]; /* frames: a packet out of sequence, waiting for the next one */
  gsize n_held;
  gsize n_held_encoded;
  GByteArray *undecided; /* frames: kept until the dialect is known */
  guint n_undecided;
  guint scores[TS_VA_N_WIRES];
  guint8 record[6]; /* records: header */
  guint n_record;
  guint n_payload; /* records: bytes of the payload still to come */
  guint32 record_time;
  gboolean is_record_lost; /* records: an absurd header; the rest cannot be trusted */
} TsVaStream;

typedef enum
{
  TS_VA_INPUT_AUTO,
  TS_VA_INPUT_RAW,
  TS_VA_INPUT_COBS,
  TS_VA_INPUT_RECORDS,
} TsVaInput;

/**
 * TsVaDecoder:
 * @ref_hz: rate of the recording's clock, 0: not known
 * @ref_is_given: it is the caller's, not the stream's
 * @infos: facts told to the sink, by key
 * @trace: (nullable): automatic: decodes what turned out to be a trace stream
 */
struct _TsVaDecoder
{
  TsDecoder parent;
  const char *asked_format;
  TsVaInput framing;
  TsEventWindow window;
  TsVaStream *streams[256];
  guint n_streams;
  guint64 ref_hz;
  gboolean ref_is_given;
  gboolean origin_told;
  GHashTable *infos;

  /* automatic detection */
  GByteArray *unread; /* source u32, length u32, bytes ... */
  gsize n_unread;     /* bytes of the first source among them */
  gsize n_dropped;    /* what was let go before */
  gboolean is_foreign; /* a file of another kind: nothing in it is looked at */
  TsDecoder *trace;
};

/* ts-va-decoder.c */
TsVaStream *_ts_va_stream_new (TsVaDecoder *decoder, guint32 source, guint core);
void _ts_va_stream_free (TsVaStream *self);
void _ts_va_stream_tell (TsVaStream *self, const char *key, const char *value);
void _ts_va_decoder_update_depth (TsVaDecoder *self);

/* ts-va-raw.c, ts-va-frames.c, ts-va-records.c, ts-va-detect.c */
void _ts_va_raw_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes);
void _ts_va_raw_settle (TsVaStream *self, TsVaOutlook outlook);
void _ts_va_raw_lose (TsVaStream *self);
void _ts_va_frames_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes);
void _ts_va_frames_settle (TsVaStream *self, TsVaOutlook outlook);
void _ts_va_frames_lose (TsVaStream *self);
void _ts_va_records_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes);
void _ts_va_records_settle (TsVaStream *self, TsVaOutlook outlook);
TsVaInput _ts_va_detect (const guint8 *bytes, gsize n_bytes, gboolean can_wait);
guint _ts_va_rate_raw (const guint8 *bytes, gsize n_bytes, gboolean must_be_likely);

/* ts-itm-detect.c */
gboolean _ts_itm_is_text (const guint8 *bytes, gsize n_bytes);
gboolean _ts_itm_is_foreign (const guint8 *bytes, gsize n_bytes);
const char *_ts_itm_detect (const guint8 *bytes, gsize n_bytes, guint itm_port);

/* ts-va-dialect.c */
void _ts_va_stream_set_dialect (TsVaStream *self, TsVaWire dialect);
void _ts_va_stream_set_string_bits (TsVaStream *self, guint bits);
void _ts_va_stream_set_sender (TsVaStream *self, TsVaSender sender);
void _ts_va_stream_marker (TsVaStream *self);
int _ts_va_score_layouts (const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook);

/* ts-va-packet.c */
void _ts_va_stream_packet (TsVaStream *self, const guint8 *packet, gsize n_packet);

/* ts-va-setup.c */
gboolean _ts_va_is_session_start (const TsVaLayout *layout, const guint8 *packet, gsize n_packet);
void _ts_va_stream_setup (TsVaStream *self, const guint8 *packet, gsize n_packet);

/* ts-va-sequence.c */
void _ts_va_stream_break (TsVaStream *self, const guint8 *packet, gsize n_packet);
void _ts_va_stream_tell_damage (TsVaStream *self);
void _ts_va_stream_checkpoint (TsVaStream *self, guint32 number);
void _ts_va_stream_session_start (TsVaStream *self, guint seq);
void _ts_va_stream_new_epoch (TsVaStream *self);
void _ts_va_stream_bad_bytes (TsVaStream *self, guint64 n_bytes);
gboolean _ts_va_stream_is_late (const TsVaStream *self, guint seq);
void _ts_va_stream_unknown_packet (TsVaStream *self, guint seq);

/* ts-va-time.c */
void _ts_va_time_init (TsVaStream *self);
void _ts_va_time_new_epoch (TsVaStream *self);
void _ts_va_time_set_clock (TsVaStream *self, guint64 hz);
gint64 _ts_va_time_take_slowly (TsVaStream *self, guint64 stamp);
gint64 _ts_va_time_of_now (TsVaStream *self);

/* Time, in ticks of the recording, of an event stamped @stamp (low 32 bits of the own clock, or all
 * of it in legacy v1). */
static inline gint64
_ts_va_time_take (TsVaStream *self, guint64 stamp, gboolean is_wide)
{
  guint64 step = is_wide ? stamp - (guint64) self->now : (guint32) (stamp - (guint64) self->now);

  if (G_LIKELY (step < self->step))
    {
      self->now += (gint64) step;
      return self->now + self->offset + self->decoder->window.shift;
    }
  return _ts_va_time_take_slowly (self, stamp);
}

/* ts-va-objects.c */
guint32 _ts_va_objects_need (TsVaStream *self, TsVaSpace space, guint id);
TsVaSpace _ts_va_objects_find_sync (TsVaStream *self, guint id);
void
_ts_va_objects_map (TsVaStream *self, TsVaSpace space, guint id, const char *name, gsize n_name);
void _ts_va_objects_map_trace (
    TsVaStream *self, guint id, guint display, const char *name, gsize n_name);
void _ts_va_objects_map_gauge (
    TsVaStream *self, guint id, guint32 total, const char *name, gsize n_name);
void _ts_va_objects_info (TsVaStream *self, guint id, guint kind, guint32 value);
void _ts_va_objects_task (
    TsVaStream *self, guint id, gint32 priority, gint32 base_priority, guint32 stack);
void
_ts_va_objects_task_priority (TsVaStream *self, guint id, gint32 priority, gint32 base_priority);
void _ts_va_objects_task_deleted (TsVaStream *self, guint id);
void _ts_va_objects_queue_is (TsVaStream *self, guint id, guint kind);
void _ts_va_objects_os_changed (TsVaStream *self);
void _ts_va_objects_new_session (TsVaStream *self);
void _ts_va_objects_complete (TsVaStream *self);
void _ts_va_objects_clear (TsVaStream *self);
const char *_ts_va_objects_peek_name (TsVaStream *self, TsVaSpace space, guint id);
gboolean _ts_va_objects_sizes_are_words (const TsVaStream *self);

/* Id of the object that @id stands for in @space; made up and told to the sink if the stream did
 * not announce it. */
static inline guint32
_ts_va_object (TsVaStream *self, TsVaSpace space, guint id)
{
  guint32 object = self->ids[space][id];

  return G_LIKELY (object != 0) ? object : _ts_va_objects_need (self, space, id);
}

/* The same for a field where 0 means "none" in firmware. */
static inline guint32
_ts_va_object_or_none (TsVaStream *self, TsVaSpace space, guint id)
{
  return id == 0 && self->sender != TS_VA_SENDER_UDP ? 0 : _ts_va_object (self, space, id);
}

/* ts-va-text.c */
guint32 _ts_va_text_state (TsVaStream *self, guint32 packed, guint32 detail);
guint32 _ts_va_text_cause (TsVaStream *self, guint32 cause);
guint32
_ts_va_text_operation (TsVaStream *self, guint code, guint operation, guint task, guint exception);
guint32 _ts_va_text_intern (TsEventSink *sink, const char *text, gsize n_text);
char *_ts_va_text_dup_valid (const char *text, gsize n_text);

G_END_DECLS
