/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-va-resync.c: finding back into a damaged stream without framing.
 *
 * Random streams as viewalyzer-wire.md section 8.2 describes them: a packet cut and followed by a
 * marker, cut without a marker, one flipped bit, removed bytes, gaps up to 100 packets. Each value
 * packet carries a number that tells whether it was really sent. Allowed is what the rules there
 * gave.
 */
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-va-encoder.h"

#define N_STREAMS 400
#define N_PACKETS 200

typedef enum
{
  DAMAGE_CUT_MARKER,
  DAMAGE_CUT,
  DAMAGE_FLIP,
  DAMAGE_REMOVE,
  DAMAGE_GAP,
  N_DAMAGES
} Damage;

/* What was lost to the damage, and what came out though nobody sent it. */
typedef struct
{
  guint n_lost;
  guint n_false;
} Outcome;

static guint32
mark_of (guint i)
{
  return 0xA5000000u | (i * 0x9E37u & 0xFFFFFF);
}

static void
add_packet (TsVaEncoder *e, guint i)
{
  guint64 time = 1000 + i * 50;

  /* one in two is a value with a mark; the others are what a stream is made of */
  switch (i % 2 == 0 ? 0 : g_test_rand_int_range (1, 9))
    {
    case 0:
      ts_va_encoder_event_u32 (e, TS_VA_USER_TRACE, 7, time, mark_of (i));
      break;
    case 1:
      ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 2, time);
      break;
    case 2:
      ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 3, time);
      break;
    case 3:
      ts_va_encoder_event (e, TS_VA_ISR | TS_VA_START, 25, time);
      break;
    case 4:
      ts_va_encoder_string (e, 1, time, "some text of a log line", g_test_rand_int_range (0, 24));
      break;
    case 5:
      ts_va_encoder_event_2u32 (e, TS_VA_STACK_USAGE, 3, time, 100, 512);
      break;
    case 6:
      ts_va_encoder_notify (e, TRUE, 2, 3, time, 1);
      break;
    case 7:
      ts_va_encoder_name (e, TS_VA_TASK_MAP, 9, "Worker", -1);
      break;
    default:
      ts_va_encoder_event_3u32 (e, TS_VA_TASK_CREATE, 9, time, 3, 3, 128);
      break;
    }
}

static Outcome
try_one (Damage damage, TsVaDialect dialect)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (CollectSink) sink = NULL;
  TsVaEncoder encoder;
  guint at = (guint) g_test_rand_int_range (20, N_PACKETS - 40);
  guint n_hit = damage == DAMAGE_GAP ? (guint) g_test_rand_int_range (1, 101) : 1;
  gboolean sent[2 * N_PACKETS] = { FALSE };
  gboolean seen[2 * N_PACKETS] = { FALSE };
  Outcome outcome = { 0, 0 };
  TsDecodeCounters counters;

  ts_va_encoder_init (&encoder, out, dialect, TS_VA_FRAMING_RAW);
  ts_va_encoder_marker (&encoder);
  ts_va_encoder_info (&encoder, "SES:START");
  for (guint i = 0; i < N_PACKETS + (damage == DAMAGE_GAP ? n_hit : 0); i++)
    {
      guint begin = out->len;
      gboolean is_hit = i >= at && i < at + n_hit;
      guint n;

      encoder.drop = is_hit && damage == DAMAGE_GAP;
      add_packet (&encoder, i);
      encoder.drop = FALSE;
      n = out->len - begin;
      sent[i] = i % 2 == 0 && !is_hit;
      if (!is_hit || n == 0)
        continue;
      switch (damage)
        {
        case DAMAGE_CUT_MARKER:
        case DAMAGE_CUT:
          g_byte_array_set_size (out, begin + (guint) g_test_rand_int_range (1, (gint32) n));
          if (damage == DAMAGE_CUT_MARKER)
            {
              ts_va_encoder_marker (&encoder);
              if (dialect >= TS_VA_DIALECT_V3)
                ts_va_encoder_checkpoint (&encoder, 1000 + i * 50);
            }
          break;
        case DAMAGE_FLIP:
          {
            guint byte = (guint) g_test_rand_int_range (0, (gint32) n);

            out->data[begin + byte] ^= (guint8) (1 << g_test_rand_int_range (0, 8));
            break;
          }
        case DAMAGE_REMOVE:
          g_byte_array_remove_range (out, begin, (guint) g_test_rand_int_range (1, (gint32) n));
          break;
        case DAMAGE_GAP:
        case N_DAMAGES:
        default:
          break;
        }
    }
  sink = decode_bytes ("va", out->data, out->len, &counters);
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);
      gboolean is_real = FALSE;

      if (event->kind != TS_EVENT_USER_TRACE)
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (sent) && !is_real; k += 2)
        if ((guint32) event->value == mark_of (k) && !seen[k] && (sent[k] || k == at))
          is_real = seen[k] = TRUE;
      outcome.n_false += !is_real;
    }
  for (guint k = 0; k < G_N_ELEMENTS (sent); k++)
    outcome.n_lost += sent[k] && !seen[k];
  return outcome;
}

static void
try_all (TsVaDialect dialect, const guint *max_lost, const guint *max_false)
{
  for (guint damage = 0; damage < N_DAMAGES; damage++)
    {
      Outcome sum = { 0, 0 };

      for (guint i = 0; i < N_STREAMS; i++)
        {
          Outcome one = try_one (damage, dialect);

          sum.n_lost += one.n_lost;
          sum.n_false += one.n_false;
        }
      g_test_message ("damage %u: %u good packets lost, %u false ones", damage, sum.n_lost,
                      sum.n_false);
      g_assert_cmpuint (sum.n_lost, <=, max_lost[damage]);
      g_assert_cmpuint (sum.n_false, <=, max_false[damage]);
    }
}

/* A flip in a value gives a false value that nothing can see: half of the packets hold one, in 4 of
 * their 11 bytes (73 of 400). One unlucky stream of the 400 may lose half a dozen. */
static void
test_wire1 (void)
{
  static const guint lost[] = { 12, 16, 16, 16, 12 };
  static const guint false_ones[] = { 1, 2, 115, 2, 0 };

  try_all (TS_VA_DIALECT_WIRE1, lost, false_ones);
}

/* Without sequence bytes a cut packet cannot be told from one that swallowed its neighbour, as long as
 * what follows parses. Of 115 runs a cut lost 91 on average and 336 at most, a flip 9 and 66: a few
 * unlucky streams lose most of theirs. */
static void
test_without_sequence (void)
{
  static const guint lost[] = { 5, 600, 150, 600, 5 };
  static const guint false_ones[] = { 5, 170, 130, 30, 0 };

  try_all (TS_VA_DIALECT_V2, lost, false_ones);
  try_all (TS_VA_DIALECT_LEGACY, lost, false_ones);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/resync/wire1", test_wire1);
  g_test_add_func ("/decode/resync/without-sequence", test_without_sequence);
  return g_test_run ();
}
