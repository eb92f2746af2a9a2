/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder encoder against the worked examples of viewalyzer-wire.md section 16, and its
 * lengths and framings. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "decode/ts-va-encoder.h"

typedef struct
{
  TsVaEncoder encoder;
  GByteArray *out;
} Fixture;

static void
fixture_set_up (Fixture *fixture,
                gconstpointer data)
{
  fixture->out = g_byte_array_new ();
  ts_va_encoder_init (&fixture->encoder, fixture->out, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW);
}

static void
fixture_tear_down (Fixture *fixture,
                   gconstpointer data)
{
  g_byte_array_unref (fixture->out);
}

static void
restart (Fixture *fixture,
         TsVaDialect dialect,
         TsVaFraming framing,
         guint32 sequence)
{
  g_byte_array_set_size (fixture->out, 0);
  ts_va_encoder_init (&fixture->encoder, fixture->out, dialect, framing);
  fixture->encoder.sequence = sequence;
}

/* Compares with bytes as the examples print them, and empties the output. */
static void
expect (Fixture *fixture,
        const char *hex)
{
  g_autoptr (GByteArray) want = g_byte_array_new ();

  for (const char *p = hex; *p != '\0'; p++)
    {
      guint8 byte;

      if (!g_ascii_isxdigit (*p))
        continue;
      byte = (guint8) (g_ascii_xdigit_value (p[0]) << 4 | g_ascii_xdigit_value (p[1]));
      g_byte_array_append (want, &byte, 1);
      p++;
    }
  g_assert_cmpmem (fixture->out->data, fixture->out->len, want->data, want->len);
  g_byte_array_set_size (fixture->out, 0);
}

static void
test_prelude (Fixture *fixture,
              gconstpointer data)
{
  TsVaSetup setup = { .clock_hz = 170000000,
                      .os = "FreeRTOS",
                      .categories = 0x0007FFFF,
                      .build_flags = 4,
                      .version = 0x00010005,
                      .has_isrs = TRUE };

  fixture->encoder.sequence = 99;
  ts_va_encoder_prelude (&fixture->encoder, &setup, 320);
  g_assert_cmpuint (fixture->encoder.n_packets, ==, 8);
  g_assert_cmpuint (fixture->encoder.n_events, ==, 1);
  expect (fixture,
          "56 41 5A 01 53 59 4E 43 30 31 AA 55"
          "7F 00 00 09 53 45 53 3A 53 54 41 52 54"
          "16 01 00 40 01 00 00 01 00 00 00"
          "7F 02 00 0D 43 4C 4B 3A 31 37 30 30 30 30 30 30 30"
          "71 03 01 07 53 79 73 54 69 63 6B"
          "77 04 01 FF FF 07 00"
          "77 05 02 04 00 00 00"
          "77 06 03 05 00 01 00"
          "7A 07 00 08 46 72 65 65 52 54 4F 53");
}

static void
test_tasks_and_isrs (Fixture *fixture,
                     gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  TsVaTask idle = { .id = 3, .name = "IDLE", .stack_size = 128 };

  e->sequence = 8;
  ts_va_encoder_register_task (e, &idle, 0x1000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 2, 0x10000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x10020);
  expect (fixture,
          "70 08 03 04 49 44 4C 45"
          "03 09 03 00 10 00 00 00 00 00 00 00 00 00 00 80 00 00 00"
          "01 0A 02 00 00 01 00"
          "81 0B 03 20 00 01 00");

  e->sequence = 0x10;
  ts_va_encoder_event (e, TS_VA_ISR | TS_VA_START, 37, 0x1000);
  ts_va_encoder_event (e, TS_VA_ISR | TS_VA_START, 15, 0x1020);
  ts_va_encoder_event (e, TS_VA_ISR, 15, 0x1050);
  ts_va_encoder_event (e, TS_VA_ISR, 37, 0x1090);
  expect (fixture,
          "82 10 25 00 10 00 00"
          "82 11 0F 20 10 00 00"
          "02 12 0F 50 10 00 00"
          "02 13 25 90 10 00 00");
}

static void
test_values (Fixture *fixture,
             gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  e->sequence = 0x28;
  ts_va_encoder_user_trace (e, 5, 0, "speed", -1);
  ts_va_encoder_event_u32 (e, TS_VA_USER_TRACE, 5, 0x12345678, (guint32) -2);
  ts_va_encoder_event_f32 (e, TS_VA_FLOAT_TRACE, 6, 0x12345680, 1.5f);
  ts_va_encoder_event_u8 (e, TS_VA_USER_TOGGLE, 7, 0x12345690, 1);
  ts_va_encoder_event_u32 (e, TS_VA_COUNTER, 1, 0x123456A0, 10000);
  ts_va_encoder_event_u32 (e, TS_VA_GPIO, 2, 0x123456B0, 1);
  ts_va_encoder_heap_info (e, 1, 4096, "pool", -1);
  expect (fixture,
          "72 28 05 00 05 73 70 65 65 64"
          "04 29 05 78 56 34 12 FE FF FF FF"
          "0E 2A 06 80 56 34 12 00 00 C0 3F"
          "0A 2B 07 90 56 34 12 01"
          "10 2C 01 A0 56 34 12 10 27 00 00"
          "0F 2D 02 B0 56 34 12 01 00 00 00"
          "79 2E 01 00 10 00 00 04 70 6F 6F 6C");
}

static void
test_kernel_objects (Fixture *fixture,
                     gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  e->sequence = 0x2F;
  ts_va_encoder_notify (e, TRUE, 0, 3, 0x123456C0, 1);
  ts_va_encoder_notify (e, FALSE, 3, 0, 0x123456D0, 1);
  ts_va_encoder_event (e, TS_VA_MUTEX, 4, 0x12345700);
  ts_va_encoder_contention (e, 4, 2, 3, 0x12345740);
  ts_va_encoder_event (e, TS_VA_MUTEX | TS_VA_START, 4, 0x12345800);
  ts_va_encoder_event (e, TS_VA_MUTEX, 4, 0x12345820);
  expect (fixture,
          "85 2F 00 03 C0 56 34 12 01 00 00 00"
          "05 30 03 00 D0 56 34 12 01 00 00 00"
          "07 31 04 00 57 34 12"
          "0C 32 04 02 03 40 57 34 12"
          "87 33 04 00 58 34 12"
          "07 34 04 20 58 34 12");

  ts_va_encoder_string (e, 1, 0x12346000, "Hi", -1);
  ts_va_encoder_string (e, 0, 0x12346010, "DROP:5", 6);
  expect (fixture,
          "0D 35 01 00 60 34 12 02 00 48 69"
          "0D 36 00 10 60 34 12 06 00 44 52 4F 50 3A 35");

  ts_va_encoder_name (e, TS_VA_HEAP_MAP, 1, "FreeRTOSHeap", -1);
  ts_va_encoder_object_info (e, 1, 2, 0x20001234);
  ts_va_encoder_object_info (e, 1, 1, 15360);
  ts_va_encoder_event_u32 (e, TS_VA_HEAP_SYNC | TS_VA_START, 1, 0x12346100, 128);
  ts_va_encoder_event_u32 (e, TS_VA_HEAP_FAIL, 1, 0x12346110, 16384);
  expect (fixture,
          "7C 37 01 0C 46 72 65 65 52 54 4F 53 48 65 61 70"
          "7E 38 01 02 34 12 00 20"
          "7E 39 01 01 00 3C 00 00"
          "94 3A 01 00 61 34 12 80 00 00 00"
          "17 3B 01 10 61 34 12 00 40 00 00");

  ts_va_encoder_event (e, TS_VA_TIMER | TS_VA_START, 6, 0x5000);
  ts_va_encoder_event_2u32 (e, TS_VA_TIMER_ARM, 6, 0x5000, 500, 500);
  ts_va_encoder_event (e, TS_VA_TIMER, 6, 0x9000);
  ts_va_encoder_event_2u32 (e, TS_VA_WORK | TS_VA_START, 0, 0x5100, 0x08000145, 1000);
  expect (fixture,
          "93 3C 06 00 50 00 00"
          "1B 3D 06 00 50 00 00 F4 01 00 00 F4 01 00 00"
          "13 3E 06 00 90 00 00"
          "9A 3F 00 00 51 00 00 45 01 00 08 E8 03 00 00");
}

static void
test_states_and_details (Fixture *fixture,
                         gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  e->sequence = 0x60;
  ts_va_encoder_task_state (e, 2, 0x4000, 3, 1, 4, 0);
  ts_va_encoder_event_3u32 (e, TS_VA_TASK_PRIORITY, 3, 0x4010, 7, 5, 2);
  ts_va_encoder_task_state (e, 2, 0x4080, 1, 0, 0, 0);
  ts_va_encoder_operation (e, TS_VA_QUEUE_DETAILS, 5, 0x4090, 1, 2, 0, 3, 1);
  ts_va_encoder_operation (e, TS_VA_QUEUE_DETAILS, 5, 0x40A0, 2, 0, 22, 2, 1);
  expect (fixture,
          "1C 60 02 00 40 00 00 03 01 04 00 00 00 00 00"
          "1D 61 03 10 40 00 00 07 00 00 00 05 00 00 00 02 00 00 00"
          "1C 62 02 80 40 00 00 01 00 00 00 00 00 00 00"
          "23 63 05 90 40 00 00 01 02 00 00 03 00 00 00 01 00 00 00"
          "23 64 05 A0 40 00 00 02 00 16 00 02 00 00 00 01 00 00 00");

  e->sequence = 0x70;
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 2, "Queue", -1);
  ts_va_encoder_object_info (e, 2, 2, 0x20001000);
  ts_va_encoder_name (e, TS_VA_MUTEX_MAP, 2, "Mutex", -1);
  ts_va_encoder_event (e, TS_VA_MUTEX | TS_VA_START, 2, 0x1000);
  expect (fixture,
          "75 70 02 05 51 75 65 75 65"
          "7E 71 02 02 00 10 00 20"
          "74 72 02 05 4D 75 74 65 78"
          "87 73 02 00 10 00 00");
}

static void
test_loss_and_checkpoints (Fixture *fixture,
                           gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  e->sequence = 0x40;
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 2, 0x20000);
  e->drop = TRUE;
  for (guint i = 0; i < 3; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 2, 0x20010 + i);
  ts_va_encoder_marker (e);
  e->drop = FALSE;
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x20080);
  g_assert_cmpuint (e->n_packets, ==, 2);
  g_assert_cmpuint (e->n_dropped, ==, 3);
  expect (fixture, "01 40 02 00 00 02 00 81 44 03 80 00 02 00");

  e->sequence = 256;
  ts_va_encoder_checkpoint (e, 0x100000);
  e->sequence = 1000;
  ts_va_encoder_checkpoint (e, 0x900000);
  g_assert_cmpuint (e->sequence, ==, 1001);
  expect (fixture, "16 00 00 00 00 10 00 00 01 00 00 16 E8 00 00 00 90 00 E8 03 00 00");

  /* Example 12: only the low half of the time goes out. */
  e->sequence = 0x50;
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 2, 0xFFFFFF00);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 2, 0x100000100);
  ts_va_encoder_event_2u32 (e, TS_VA_STACK_USAGE, 2, 0x1000000F0, 512, 1024);
  expect (fixture,
          "81 50 02 00 FF FF FF"
          "01 51 02 00 01 00 00"
          "09 52 02 F0 00 00 00 00 02 00 00 00 04 00 00");
}

static void
test_dialects (Fixture *fixture,
               gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  restart (fixture, TS_VA_DIALECT_LEGACY, TS_VA_FRAMING_RAW, 0);
  ts_va_encoder_marker (e);
  ts_va_encoder_info (e, "SES:START");
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x10020);
  ts_va_encoder_string (e, 1, 0x10020, "Hi", -1);
  ts_va_encoder_checkpoint (e, 1);
  expect (fixture,
          "56 41 5A 01 53 59 4E 43 30 31 AA 55"
          "7F 00 09 53 45 53 3A 53 54 41 52 54"
          "81 03 20 00 01 00 00 00 00 00"
          "0D 01 20 00 01 00 00 00 00 00 02 00 48 69");

  /* Section 2.3: length as u8 at offset 10, text at 11. */
  restart (fixture, TS_VA_DIALECT_LEGACY_EARLY, TS_VA_FRAMING_RAW, 0);
  ts_va_encoder_string (e, 1, G_GUINT64_CONSTANT (0x200010020), "Hi", -1);
  expect (fixture, "0D 01 20 00 01 00 02 00 00 00 02 48 69");

  restart (fixture, TS_VA_DIALECT_V2, TS_VA_FRAMING_RAW, 0);
  ts_va_encoder_marker (e);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x10020);
  expect (fixture, "56 41 5A 02 53 59 4E 43 30 32 AA 55 81 03 20 00 01 00");

  restart (fixture, TS_VA_DIALECT_V3, TS_VA_FRAMING_RAW, 0x65);
  ts_va_encoder_marker (e);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x10020);
  expect (fixture, "56 41 5A 03 53 59 4E 43 30 33 AA 55 81 65 03 20 00 01 00");
}

/* Lengths of section 2.3 and 8.1 for one packet of every shape. */
static void
test_lengths_by_dialect (Fixture *fixture,
                         gconstpointer data)
{
  static const struct
  {
    TsVaDialect dialect;
    guint plain, u8, contention, u32, notify, two, three, string, name, trace, heap, typed,
        operation, info;
  } rows[] = {
    { TS_VA_DIALECT_WIRE1, 7, 8, 9, 11, 12, 15, 19, 12, 7, 8, 11, 7, 19, 8 },
    { TS_VA_DIALECT_V3, 7, 8, 9, 11, 12, 15, 19, 12, 7, 8, 11, 7, 19, 8 },
    { TS_VA_DIALECT_V2, 6, 7, 8, 10, 11, 14, 18, 11, 6, 7, 10, 6, 18, 7 },
    { TS_VA_DIALECT_LEGACY, 10, 11, 12, 14, 15, 18, 22, 15, 6, 7, 10, 6, 22, 7 },
    { TS_VA_DIALECT_LEGACY_EARLY, 10, 11, 12, 14, 15, 18, 22, 14, 6, 7, 10, 6, 22, 7 },
  };

#define CHECK_LENGTH(call, want)                                                  \
  G_STMT_START                                                                    \
    {                                                                             \
      restart (fixture, rows[i].dialect, TS_VA_FRAMING_RAW, 0);                   \
      call;                                                                       \
      g_assert_cmpuint (fixture->out->len, ==, (want));                           \
    }                                                                             \
  G_STMT_END

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      TsVaEncoder *e = &fixture->encoder;

      CHECK_LENGTH (ts_va_encoder_event (e, TS_VA_PM_SUSPEND, 255, 1), rows[i].plain);
      CHECK_LENGTH (ts_va_encoder_event_u8 (e, TS_VA_USER_TOGGLE, 0, 1, 1), rows[i].u8);
      CHECK_LENGTH (ts_va_encoder_contention (e, 1, 2, 3, 1), rows[i].contention);
      CHECK_LENGTH (ts_va_encoder_event_u32 (e, TS_VA_OP_FAILED, 1, 1, 1), rows[i].u32);
      CHECK_LENGTH (ts_va_encoder_notify (e, TRUE, 1, 2, 1, 1), rows[i].notify);
      CHECK_LENGTH (ts_va_encoder_task_state (e, 1, 1, 1, 0, 0, 0), rows[i].two);
      CHECK_LENGTH (ts_va_encoder_event_3u32 (e, TS_VA_TASK_PRIORITY, 1, 1, 1, 1, 1),
                    rows[i].three);
      CHECK_LENGTH (ts_va_encoder_string (e, 1, 1, "abc", -1), rows[i].string);
      CHECK_LENGTH (ts_va_encoder_name (e, TS_VA_TASK_MAP, 1, "abc", -1), rows[i].name);
      CHECK_LENGTH (ts_va_encoder_user_trace (e, 1, 0, "abc", -1), rows[i].trace);
      CHECK_LENGTH (ts_va_encoder_heap_info (e, 1, 9, "abc", -1), rows[i].heap);
      CHECK_LENGTH (ts_va_encoder_config_flags (e, 1, 9), rows[i].typed);
      CHECK_LENGTH (ts_va_encoder_operation (e, TS_VA_FLAG_DETAILS, 1, 1, 1, 1, 0, 1, 1),
                    rows[i].operation);
      CHECK_LENGTH (ts_va_encoder_object_info (e, 1, 2, 1), rows[i].info);
    }
#undef CHECK_LENGTH
}

static void
test_names_and_texts (Fixture *fixture,
                      gconstpointer data)
{
  g_autofree char *text = g_malloc (1200);

  memset (text, 'x', 1200);
  for (guint n = 0; n <= 255; n++)
    {
      restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW, 0);
      ts_va_encoder_name (&fixture->encoder, TS_VA_QUEUE_MAP, 255, text, n);
      g_assert_cmpuint (fixture->out->len, ==, 4 + n);
      g_assert_cmpuint (fixture->out->data[3], ==, n);
    }
  for (guint n = 0; n <= 1024; n++)
    {
      restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW, 0);
      ts_va_encoder_string (&fixture->encoder, 0, 1, text, n);
      g_assert_cmpuint (fixture->out->len, ==, 9 + n);
      g_assert_cmpuint (fixture->out->data[7] + 256u * fixture->out->data[8], ==, n);
    }
  /* What the wire cannot carry is cut. */
  restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW, 0);
  ts_va_encoder_name (&fixture->encoder, TS_VA_QUEUE_MAP, 1, text, 1200);
  g_assert_cmpuint (fixture->out->len, ==, 4 + 255);
  restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW, 0);
  ts_va_encoder_string (&fixture->encoder, 1, 1, text, 1200);
  g_assert_cmpuint (fixture->out->len, ==, 9 + 1024);
}

static void
test_bundle (Fixture *fixture,
             gconstpointer data)
{
  static const char * const errors[] = { "ERR:OBJMAPFULL", NULL };
  TsVaTask task = { .id = 1,
                    .name = "T",
                    .priority = 2,
                    .base_priority = 2,
                    .stack_size = 64,
                    .stack_used = 100,
                    .stack_total = 256 };
  TsVaSyncObject object = { .map_code = TS_VA_QUEUE_MAP,
                            .id = 2,
                            .name = "Q",
                            .object_type = 0,
                            .capacity = 8,
                            .element_size = 4,
                            .address = 0x20000010 };
  TsVaUserName names[] = { { TS_VA_USER_TRACE_MAP, 1, "v", 1 },
                           { TS_VA_ISR_MAP, 2, "I", 0 },
                           { TS_VA_USER_EVENT_MAP, 1, "e", 0 },
                           { TS_VA_GPIO_MAP, 1, "p", 0 },
                           { TS_VA_HEAP_INFO, 1, "h", 64 } };
  TsVaSetup setup = { .clock_hz = 1000,
                      .os = "FreeRTOS",
                      .categories = 1,
                      .build_flags = 4,
                      .version = 0x00010200,
                      .tasks = &task,
                      .n_tasks = 1,
                      .objects = &object,
                      .n_objects = 1,
                      .names = names,
                      .n_names = G_N_ELEMENTS (names),
                      .errors = errors };

  fixture->encoder.sequence = 0x10A;
  ts_va_encoder_bundle (&fixture->encoder, &setup, 0x20);
  expect (
      fixture,
      "56 41 5A 01 53 59 4E 43 30 31 AA 55"
      "16 0A 00 20 00 00 00 0A 01 00 00"
      "7F 0B 00 08 43 4C 4B 3A 31 30 30 30"
      "7A 0C 00 08 46 72 65 65 52 54 4F 53"
      "77 0D 01 01 00 00 00 77 0E 02 04 00 00 00 77 0F 03 00 02 01 00"
      "70 10 01 01 54"
      "03 11 01 20 00 00 00 02 00 00 00 02 00 00 00 40 00 00 00"
      "09 12 01 20 00 00 00 64 00 00 00 00 01 00 00"
      "75 13 02 01 51"
      "7E 14 02 03 00 00 00 00 7E 15 02 04 08 00 00 00 7E 16 02 05 04 00 00 00 7E 17 02 02 10 00 "
      "00 20"
      "72 18 01 01 01 76 71 19 02 01 49 76 1A 01 01 65 78 1B 01 01 70 79 1C 01 40 00 00 00 01 68"
      "7F 1D 00 0E 45 52 52 3A 4F 42 4A 4D 41 50 46 55 4C 4C");
}

static void
test_cobs_examples (Fixture *fixture,
                    gconstpointer data)
{
  restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, 0x64);
  ts_va_encoder_event (&fixture->encoder, TS_VA_TASK_SWITCH, 2, 0x10000);
  ts_va_encoder_marker (&fixture->encoder);
  expect (fixture, "04 01 64 02 01 02 01 01 00 0D 56 41 5A 01 53 59 4E 43 30 31 AA 55 00");

  fixture->encoder.sequence = 0x65;
  ts_va_encoder_event (&fixture->encoder, TS_VA_TASK_SWITCH | TS_VA_START, 3, 0x10020);
  expect (fixture, "05 81 65 03 20 02 01 01 00");
}

/* Undoes COBS as section 3.5 describes it; returns the decoded length. */
static gsize
uncobs (const guint8 *frame,
        gsize n_frame,
        guint8 *out)
{
  gsize n = 0;

  g_assert_cmpuint (frame[n_frame - 1], ==, 0);
  n_frame--;
  for (gsize i = 0; i < n_frame;)
    {
      guint8 code = frame[i++];

      g_assert_cmpuint (code, >, 0);
      g_assert_cmpuint (i + code - 1, <=, n_frame);
      memcpy (out + n, frame + i, code - 1);
      n += code - 1;
      i += code - 1;
      if (code < 0xFF && i < n_frame)
        out[n++] = 0;
    }
  return n;
}

static void
test_cobs_blocks (Fixture *fixture,
                  gconstpointer data)
{
  guint8 bytes[1024];
  guint8 back[1100];

  for (guint n = 1; n <= 1024; n++)
    for (guint zero_at = 0; zero_at < 3; zero_at++)
      for (guint bare = 0; bare < 2; bare++)
        {
          gsize n_back;
          gsize want;
          gboolean ends_full;

          for (guint i = 0; i < n; i++)
            bytes[i] = (guint8) (1 + i % 255);
          if (zero_at > 0)
            bytes[(n - 1) / zero_at] = 0;
          restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, 0);
          fixture->encoder.cobs_bare_end = bare;
          ts_va_encoder_raw (&fixture->encoder, bytes, n);
          g_assert_cmpuint (fixture->out->len, <=, n + n / 254 + 2);
          g_assert_true (memchr (fixture->out->data, 0, fixture->out->len - 1) == NULL);
          n_back = uncobs (fixture->out->data, fixture->out->len, back);
          g_assert_cmpmem (back, n_back, bytes, n);

          /* Without a zero: one code byte per started block of 254, one more after a full last
           * block unless bare. */
          ends_full = n % 254 == 0;
          want = n + (n + 253) / 254 + (ends_full && !bare ? 1 : 0) + 1;
          if (zero_at == 0)
            g_assert_cmpuint (fixture->out->len, ==, want);
        }
}

static void
test_post_mortem (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *text = g_strnfill (300, 'y');

  restart (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_POST_MORTEM, 0x90);
  ts_va_encoder_event (&fixture->encoder, TS_VA_TASK_SWITCH | TS_VA_START, 2, 0x1000);
  ts_va_encoder_event (&fixture->encoder, TS_VA_TASK_SWITCH, 2, 0x1040);
  ts_va_encoder_marker (&fixture->encoder);
  expect (fixture,
          "07 81 90 02 00 10 00 00"
          "07 01 91 02 40 10 00 00"
          "0C 56 41 5A 01 53 59 4E 43 30 31 AA 55");

  /* 9 + 246 = 255 fits; one byte more does not, but takes its number. */
  ts_va_encoder_string (&fixture->encoder, 1, 1, text, 246);
  g_assert_cmpuint (fixture->out->len, ==, 256);
  ts_va_encoder_string (&fixture->encoder, 1, 1, text, 247);
  g_assert_cmpuint (fixture->out->len, ==, 256);
  g_assert_cmpuint (fixture->encoder.n_dropped, ==, 1);
  g_assert_cmpuint (fixture->encoder.sequence, ==, 0x94);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/decode/va-encoder/" name, Fixture, NULL, fixture_set_up, function,                 \
              fixture_tear_down)
  ADD ("prelude", test_prelude);
  ADD ("tasks-and-isrs", test_tasks_and_isrs);
  ADD ("values", test_values);
  ADD ("kernel-objects", test_kernel_objects);
  ADD ("states-and-details", test_states_and_details);
  ADD ("loss-and-checkpoints", test_loss_and_checkpoints);
  ADD ("dialects", test_dialects);
  ADD ("lengths-by-dialect", test_lengths_by_dialect);
  ADD ("names-and-texts", test_names_and_texts);
  ADD ("bundle", test_bundle);
  ADD ("cobs-examples", test_cobs_examples);
  ADD ("cobs-blocks", test_cobs_blocks);
  ADD ("post-mortem", test_post_mortem);
#undef ADD

  return g_test_run ();
}
