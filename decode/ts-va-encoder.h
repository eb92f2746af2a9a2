/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-encoder.h: writes recorder packets, for the demo target and for tests.
 *
 * Made from the wire description alone and independent of the decoder, so that one can check the
 * other. The encoder is a plain struct of the caller's; every function appends whole packets
 * (framed as asked) to a byte array. It never fails: what the wire cannot carry (a name above 255
 * bytes, a text above 1024) is cut.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsVaDialect:
 *
 * The layouts of the recorder stream, oldest first.
 *
 * Source: viewalyzer-wire.md section 2.1
 */
typedef enum
{
  TS_VA_DIALECT_LEGACY_EARLY, /* 64-bit time, no sequence byte, string length u8 */
  TS_VA_DIALECT_LEGACY,       /* 64-bit time, no sequence byte, string length u16 */
  TS_VA_DIALECT_V2,           /* 32-bit time, no sequence byte */
  TS_VA_DIALECT_V3,           /* 32-bit time, sequence byte */
  TS_VA_DIALECT_WIRE1,        /* the current one */
} TsVaDialect;

/**
 * TsVaFraming:
 *
 * What goes around each packet and each marker.
 *
 * Source: viewalyzer-wire.md sections 3.5 and 12.2
 */
typedef enum
{
  TS_VA_FRAMING_RAW,
  TS_VA_FRAMING_COBS,        /* COBS, then a zero byte */
  TS_VA_FRAMING_POST_MORTEM, /* a length byte; packets above 255 bytes are not sent and not counted
                              */
} TsVaFraming;

/**
 * TsVaCode:
 *
 * Type bytes of packets without the START flag.
 *
 * Source: viewalyzer-wire.md sections 5.1 and 6.1
 */
typedef enum
{
  TS_VA_TASK_SWITCH = 0x01,
  TS_VA_ISR = 0x02,
  TS_VA_TASK_CREATE = 0x03,
  TS_VA_USER_TRACE = 0x04,
  TS_VA_TASK_NOTIFY = 0x05,
  TS_VA_SEMAPHORE = 0x06,
  TS_VA_MUTEX = 0x07,
  TS_VA_QUEUE = 0x08,
  TS_VA_STACK_USAGE = 0x09,
  TS_VA_USER_TOGGLE = 0x0A,
  TS_VA_USER_EVENT = 0x0B,
  TS_VA_MUTEX_CONTENTION = 0x0C,
  TS_VA_STRING_EVENT = 0x0D,
  TS_VA_FLOAT_TRACE = 0x0E,
  TS_VA_GPIO = 0x0F,
  TS_VA_COUNTER = 0x10,
  TS_VA_HEAP = 0x11,
  TS_VA_SLEEP = 0x12,
  TS_VA_TIMER = 0x13,
  TS_VA_HEAP_SYNC = 0x14,
  TS_VA_PM_SUSPEND = 0x15,
  TS_VA_SEQ_CHECKPOINT = 0x16,
  TS_VA_HEAP_FAIL = 0x17,
  TS_VA_EVENTFLAG = 0x18,
  TS_VA_OP_FAILED = 0x19,
  TS_VA_WORK = 0x1A,
  TS_VA_TIMER_ARM = 0x1B,
  TS_VA_TASK_STATE = 0x1C,
  TS_VA_TASK_PRIORITY = 0x1D,
  TS_VA_TIMER_CALLBACK = 0x1E,
  TS_VA_STREAM_BUFFER = 0x1F,
  TS_VA_MEM_SLAB = 0x20,
  TS_VA_CONDVAR = 0x21,
  TS_VA_POLL = 0x22,
  TS_VA_QUEUE_DETAILS = 0x23,
  TS_VA_NOTIFY_DETAILS = 0x24,
  TS_VA_FLAG_DETAILS = 0x25,

  TS_VA_TASK_MAP = 0x70,
  TS_VA_ISR_MAP = 0x71,
  TS_VA_USER_TRACE_MAP = 0x72,
  TS_VA_SEMAPHORE_MAP = 0x73,
  TS_VA_MUTEX_MAP = 0x74,
  TS_VA_QUEUE_MAP = 0x75,
  TS_VA_USER_EVENT_MAP = 0x76,
  TS_VA_CONFIG_FLAGS = 0x77,
  TS_VA_GPIO_MAP = 0x78,
  TS_VA_HEAP_INFO = 0x79,
  TS_VA_OS_INFO = 0x7A,
  TS_VA_TIMER_MAP = 0x7B,
  TS_VA_HEAP_MAP = 0x7C,
  TS_VA_PM_MAP = 0x7D,
  TS_VA_OBJECT_INFO = 0x7E,
  TS_VA_INFO = 0x7F,
} TsVaCode;

/** Added to a #TsVaCode: the START side (in, enter, give, set). */
#define TS_VA_START 0x80
/** Longest text of a string event in bytes. */
#define TS_VA_MAX_TEXT 1024
/** Longest name and longest INFO text in bytes. */
#define TS_VA_MAX_NAME 255

/**
 * TsVaEncoder:
 * @out: where packets go; borrowed
 * @dialect: layout
 * @framing: what goes around a packet
 * @sequence: absolute number of the next packet; its low byte is stamped into it
 * @drop: while set, packets take a number and are not sent: a loss
 * @cobs_bare_end: leave out the code 01 after a last block of 254 bytes (both endings are legal)
 * @n_packets: packets sent, markers not counted
 * @n_events: event packets (01 to 25) among them
 * @n_dropped: packets that took a number and were not sent
 *
 * Fields may be read and changed between two calls.
 */
typedef struct
{
  GByteArray *out;
  TsVaDialect dialect;
  TsVaFraming framing;
  guint32 sequence;
  gboolean drop;
  gboolean cobs_bare_end;
  guint64 n_packets;
  guint64 n_events;
  guint64 n_dropped;
} TsVaEncoder;

/**
 * TsVaTask:
 * @id: task id
 * @name: its name
 * @priority: effective priority
 * @base_priority: base priority
 * @stack_size: stack size as packet 03 tells it (words on FreeRTOS)
 * @stack_used: high-water mark of packet 09, in bytes
 * @stack_total: total of packet 09, in bytes; 0: unknown, no 09 is sent
 */
typedef struct
{
  guint8 id;
  const char *name;
  gint32 priority;
  gint32 base_priority;
  guint32 stack_size;
  guint32 stack_used;
  guint32 stack_total;
} TsVaTask;

/**
 * TsVaSyncObject:
 * @map_code: one of 73 74 75 7B 7C 7D
 * @id: object id
 * @name: its name
 * @object_type: value of 7E kind 3; negative: not sent
 * @capacity: value of 7E kind 4; negative: not sent
 * @element_size: value of 7E kind 5; negative: not sent
 * @address: value of 7E kind 2; 0: not sent
 * @heap_capacity: value of 7E kind 1; 0: not sent
 */
typedef struct
{
  guint8 map_code;
  guint8 id;
  const char *name;
  gint object_type;
  gint64 capacity;
  gint64 element_size;
  guint32 address;
  guint32 heap_capacity;
} TsVaSyncObject;

/**
 * TsVaUserName:
 * @code: 71, 72, 76, 78 or 79
 * @id: id in the space of @code
 * @name: its name
 * @value: display type of 72, total bytes of 79
 */
typedef struct
{
  guint8 code;
  guint8 id;
  const char *name;
  guint32 value;
} TsVaUserName;

/**
 * TsVaSetup:
 * @clock_hz: ticks per second
 * @os: name of the operating system
 * @categories: value of flag group 1
 * @build_flags: value of flag group 2
 * @version: value of flag group 3
 * @has_isrs: interrupts are traced: the prelude names interrupt 1
 * @tasks: live tasks
 * @n_tasks: how many
 * @objects: live synchronisation objects
 * @n_objects: how many
 * @names: user traces and interrupts, user events, pins, heap gauges, in that order
 * @n_names: how many
 * @errors: (nullable) (array zero-terminated=1): latched INFO texts
 *
 * What preludes and bundles repeat. All borrowed.
 */
typedef struct
{
  guint32 clock_hz;
  const char *os;
  guint32 categories;
  guint32 build_flags;
  guint32 version;
  gboolean has_isrs;
  const TsVaTask *tasks;
  guint n_tasks;
  const TsVaSyncObject *objects;
  guint n_objects;
  const TsVaUserName *names;
  guint n_names;
  const char * const *errors;
} TsVaSetup;

void ts_va_encoder_init (TsVaEncoder *self,
                         GByteArray *out,
                         TsVaDialect dialect,
                         TsVaFraming framing);

/* Event packets by shape. @type: a #TsVaCode, with %TS_VA_START for its START side; @time: ticks,
 * 64 bit, cut to what the dialect carries. */
void ts_va_encoder_event (TsVaEncoder *self,
                          guint8 type,
                          guint8 id,
                          guint64 time);
void ts_va_encoder_event_u8 (TsVaEncoder *self,
                             guint8 type,
                             guint8 id,
                             guint64 time,
                             guint8 value);
void ts_va_encoder_event_u32 (TsVaEncoder *self,
                              guint8 type,
                              guint8 id,
                              guint64 time,
                              guint32 value);
void ts_va_encoder_event_f32 (TsVaEncoder *self,
                              guint8 type,
                              guint8 id,
                              guint64 time,
                              float value);
void ts_va_encoder_event_2u32 (TsVaEncoder *self,
                               guint8 type,
                               guint8 id,
                               guint64 time,
                               guint32 first,
                               guint32 second);
void ts_va_encoder_event_3u32 (TsVaEncoder *self,
                               guint8 type,
                               guint8 id,
                               guint64 time,
                               guint32 first,
                               guint32 second,
                               guint32 third);
void ts_va_encoder_notify (TsVaEncoder *self,
                           gboolean give,
                           guint8 id,
                           guint8 other,
                           guint64 time,
                           guint32 value);
void ts_va_encoder_contention (TsVaEncoder *self,
                               guint8 mutex,
                               guint8 waiter,
                               guint8 holder,
                               guint64 time);
void ts_va_encoder_string (TsVaEncoder *self,
                           guint8 channel,
                           guint64 time,
                           const char *text,
                           gssize length);
void ts_va_encoder_task_state (TsVaEncoder *self,
                               guint8 task,
                               guint64 time,
                               guint8 state,
                               guint8 reason,
                               guint8 object,
                               guint32 detail);
void ts_va_encoder_operation (TsVaEncoder *self,
                              guint8 type,
                              guint8 id,
                              guint64 time,
                              guint8 operation,
                              guint8 task,
                              guint16 exception,
                              guint32 value,
                              guint32 detail);
void ts_va_encoder_checkpoint (TsVaEncoder *self,
                               guint64 time);

/* Setup packets. */
void ts_va_encoder_name (TsVaEncoder *self,
                         guint8 code,
                         guint8 id,
                         const char *name,
                         gssize length);
void ts_va_encoder_user_trace (TsVaEncoder *self,
                               guint8 id,
                               guint8 display,
                               const char *name,
                               gssize length);
void ts_va_encoder_heap_info (TsVaEncoder *self,
                              guint8 id,
                              guint32 total,
                              const char *name,
                              gssize length);
void ts_va_encoder_config_flags (TsVaEncoder *self,
                                 guint8 group,
                                 guint32 value);
void ts_va_encoder_object_info (TsVaEncoder *self,
                                guint8 id,
                                guint8 kind,
                                guint32 value);
void ts_va_encoder_info (TsVaEncoder *self,
                         const char *text);
void ts_va_encoder_clock (TsVaEncoder *self,
                          guint32 hz);

/* Sequences. */
void ts_va_encoder_marker (TsVaEncoder *self);
void ts_va_encoder_prelude (TsVaEncoder *self,
                            const TsVaSetup *setup,
                            guint64 time);
void ts_va_encoder_bundle (TsVaEncoder *self,
                           const TsVaSetup *setup,
                           guint64 time);
void ts_va_encoder_register_task (TsVaEncoder *self,
                                  const TsVaTask *task,
                                  guint64 time);
void ts_va_encoder_register_object (TsVaEncoder *self,
                                    const TsVaSyncObject *object);
void ts_va_encoder_register_name (TsVaEncoder *self,
                                  const TsVaUserName *name);

/* Bytes as they are (damage, foreign bytes), framed like a packet but not stamped and not counted.
 */
void ts_va_encoder_raw (TsVaEncoder *self,
                        const guint8 *bytes,
                        gsize n_bytes);

G_END_DECLS
