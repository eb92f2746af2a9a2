/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-buffer-ring.c: the ring against a plain model, and its two threads against each other.
 *
 * Links no GLib, so that it can be built with the thread sanitizer (GLib's own locks would be noise
 * there); writes TAP by hand.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/ts-buffer-ring.h"

#ifdef RING_TEST_SANITIZED
#define N_STREAM_BYTES 3000000u
#else
#define N_STREAM_BYTES 20000000u
#endif
#define N_MODEL_STEPS 40000
#define MAX_MODEL 64
#define N_SENDERS 3

static unsigned failures;
static unsigned n_tests;

#define CHECK_EQUAL(a, b)                                                                          \
  do                                                                                               \
    {                                                                                              \
      uint64_t a_ = (uint64_t) (a), b_ = (uint64_t) (b);                                           \
      if (a_ != b_)                                                                                \
        {                                                                                          \
          printf ("# line %d: %s = %" PRIu64 ", expected %" PRIu64 "\n", __LINE__, #a, a_, b_);    \
          failures++;                                                                              \
        }                                                                                          \
    }                                                                                              \
  while (0)

static void
report (const char *name,
        unsigned failures_before)
{
  n_tests++;
  printf ("%s %u %s\n", failures == failures_before ? "ok" : "not ok", n_tests, name);
  fflush (stdout);
}

static uint32_t
next_random (uint32_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;

  return *state;
}

static uint64_t
now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);

  return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* The byte at a place of the endless stream that all tests push. */
static uint8_t
stream_byte (uint64_t offset)
{
  return (uint8_t) ((offset * 0x9E3779B1u) >> 13);
}

static void
fill_stream (uint8_t *bytes,
             uint64_t offset,
             size_t n)
{
  for (size_t i = 0; i < n; i++)
    bytes[i] = stream_byte (offset + i);
}

static unsigned
count_wrong_bytes (const TsRingSlot *slot,
                   uint64_t offset)
{
  unsigned n_wrong = 0;

  for (size_t i = 0; i < slot->n_bytes; i++)
    n_wrong += slot->bytes[i] != stream_byte (offset + i);

  return n_wrong;
}

/* ---- against a model ---- */

/* @own: bytes that its sender had offered before */
typedef struct
{
  uint64_t offset;
  uint64_t own;
  size_t n;
  uint32_t source;
} ModelSlot;

typedef struct
{
  ModelSlot slots[MAX_MODEL];
  unsigned n;
  uint64_t dropped;
  uint64_t overruns;
  int is_overrun;
  unsigned high_water;
} Model;

static void
model_drop_oldest (Model *model)
{
  model->dropped += model->slots[0].n;
  memmove (model->slots, model->slots + 1, (model->n - 1) * sizeof model->slots[0]);
  model->n--;
}

static void
model_push (Model *model,
            TsRingMode mode,
            unsigned n_slots,
            size_t slot_bytes,
            uint64_t offset,
            uint64_t own,
            size_t n,
            uint32_t source)
{
  size_t n_needed = (n + slot_bytes - 1) / slot_bytes;

  if (mode == TS_RING_LINEAR && n_needed > n_slots - model->n)
    {
      model->dropped += n;
      model->overruns += !model->is_overrun;
      model->is_overrun = 1;
      return;
    }

  while (n > 0)
    {
      size_t part = n < slot_bytes ? n : slot_bytes;

      if (model->n == n_slots)
        {
          model_drop_oldest (model);
          model->overruns += !model->is_overrun;
          model->is_overrun = 1;
        }
      else
        model->is_overrun = 0;
      model->slots[model->n++] = (ModelSlot) { offset, own, part, source };
      offset += part;
      own += part;
      n -= part;
    }
  if (model->n > model->high_water)
    model->high_water = model->n;
}

static void
test_model (TsRingMode mode,
            uint32_t seed)
{
  const unsigned n_slots = 7;
  const size_t slot_bytes = 32;
  TsBufferRing *ring = ts_buffer_ring_new (mode, n_slots, slot_bytes, 0);
  Model model = { .n = 0 };
  TsRingCounters counters;
  uint8_t bytes[7 * 32];
  uint64_t offset = 0;
  uint64_t offered[N_SENDERS] = { 0 }, expected[N_SENDERS] = { 0 };
  uint32_t random = seed;

  for (unsigned step = 0; step < N_MODEL_STEPS && failures == 0; step++)
    {
      /* phases of more pushing and of more reading, so that it is often full and often empty */
      int is_push = next_random (&random) % 10 < (step / 50 % 2 == 0 ? 8u : 2u);

      if (is_push)
        {
          size_t n = 1
                     + next_random (&random)
                           % (next_random (&random) % 8 == 0 ? sizeof bytes : slot_bytes);
          uint32_t source = next_random (&random) % N_SENDERS;
          uint64_t dropped_before = model.dropped;

          fill_stream (bytes, offset, n);
          if (mode == TS_RING_LINEAR)
            CHECK_EQUAL (ts_buffer_ring_has_room (ring, n),
                         (n + slot_bytes - 1) / slot_bytes <= n_slots - model.n);
          model_push (&model, mode, n_slots, slot_bytes, offset, offered[source], n, source);
          CHECK_EQUAL (ts_buffer_ring_push (ring, source, (gint64) offset, bytes, n),
                       mode == TS_RING_OVERWRITE || model.dropped == dropped_before);
          offset += n;
          offered[source] += n;
        }
      else
        {
          TsRingSlot slot, again;
          int is_there = ts_buffer_ring_peek (ring, &slot);

          CHECK_EQUAL (is_there, model.n > 0);
          if (!is_there || model.n == 0)
            continue;
          CHECK_EQUAL (slot.lost_before, model.slots[0].own - expected[slot.source]);
          CHECK_EQUAL (slot.n_bytes, model.slots[0].n);
          CHECK_EQUAL (slot.source, model.slots[0].source);
          CHECK_EQUAL (slot.gap_before, 0);
          CHECK_EQUAL (count_wrong_bytes (&slot, model.slots[0].offset), 0);
          CHECK_EQUAL (ts_buffer_ring_peek (ring, &again), 1);
          CHECK_EQUAL (again.lost_before, slot.lost_before);
          CHECK_EQUAL (again.bytes == slot.bytes, 1);
          expected[slot.source] = model.slots[0].own + model.slots[0].n;
          ts_buffer_ring_release (ring);
          memmove (model.slots, model.slots + 1, (model.n - 1) * sizeof model.slots[0]);
          model.n--;
        }

      ts_buffer_ring_get_counters (ring, &counters);
      CHECK_EQUAL (counters.bytes_in, offset);
      CHECK_EQUAL (counters.bytes_dropped, model.dropped);
      CHECK_EQUAL (counters.overruns, model.overruns);
      CHECK_EQUAL (counters.high_water, model.high_water);
      CHECK_EQUAL (counters.used, model.n);
      CHECK_EQUAL (counters.n_slots, n_slots);
    }
  if (failures > 0)
    printf ("# seed %u\n", seed);
  CHECK_EQUAL (model.dropped > 0, 1);

  /* what has no slot any more is told of its own sender too */
  ts_buffer_ring_close (ring);
  for (TsRingSlot slot; ts_buffer_ring_peek (ring, &slot); ts_buffer_ring_release (ring))
    expected[slot.source] += slot.lost_before + slot.n_bytes;
  for (uint32_t source = 0; source < N_SENDERS; source++)
    CHECK_EQUAL (ts_buffer_ring_get_trailing_loss (ring, source),
                 offered[source] - expected[source]);

  ts_buffer_ring_free (ring);
}

/* ---- two threads ---- */

typedef struct
{
  TsBufferRing *ring;
  uint32_t seed;
  unsigned pause_every;
} Producer;

static void *
producer_main (void *data)
{
  Producer *producer = data;
  uint32_t random = producer->seed;
  uint8_t bytes[500];
  uint64_t offset = 0;

  for (unsigned i = 0; offset < N_STREAM_BYTES; i++)
    {
      size_t n = 1 + next_random (&random) % sizeof bytes;

      fill_stream (bytes, offset, n);
      ts_buffer_ring_push (producer->ring, 0, 0, bytes, n);
      offset += n;
      if (producer->pause_every != 0 && i % producer->pause_every == 0)
        sched_yield ();
    }
  ts_buffer_ring_close (producer->ring);

  return NULL;
}

static void
test_threads (TsRingMode mode,
              unsigned n_slots,
              unsigned pause_every)
{
  Producer producer = { ts_buffer_ring_new (mode, n_slots, 64, 0), 12345, pause_every };
  TsRingCounters counters;
  uint64_t received = 0, lost = 0, position = 0;
  unsigned n_wrong = 0;
  pthread_t thread;
  int is_closed;

  pthread_create (&thread, NULL, producer_main, &producer);
  do
    {
      TsRingSlot slot;

      ts_buffer_ring_wait (producer.ring, 1);
      is_closed = ts_buffer_ring_is_closed (producer.ring);
      while (ts_buffer_ring_peek (producer.ring, &slot))
        {
          position += slot.lost_before;
          lost += slot.lost_before;
          n_wrong += count_wrong_bytes (&slot, position);
          position += slot.n_bytes;
          received += slot.n_bytes;
          ts_buffer_ring_release (producer.ring);
        }
    }
  while (!is_closed);
  pthread_join (thread, NULL);

  ts_buffer_ring_get_counters (producer.ring, &counters);
  CHECK_EQUAL (n_wrong, 0);
  CHECK_EQUAL (counters.bytes_in >= N_STREAM_BYTES, 1);
  CHECK_EQUAL (received + counters.bytes_dropped, counters.bytes_in);
  CHECK_EQUAL (lost <= counters.bytes_dropped, 1);
  CHECK_EQUAL (counters.used, 0);
  /* in overwrite mode the last slot always comes through; only a collision with a copy may drop the
   * newest */
  if (mode == TS_RING_OVERWRITE && counters.overruns == 0)
    CHECK_EQUAL (lost, 0);
  printf ("# %" PRIu64 " bytes, %.1f %% through, %" PRIu64 " overruns, high water %u of %u\n",
          (uint64_t) counters.bytes_in, 100.0 * (double) received / (double) counters.bytes_in,
          (uint64_t) counters.overruns, counters.high_water, counters.n_slots);
  ts_buffer_ring_free (producer.ring);
}

/* ---- the wait ---- */

static void *
push_some_main (void *data)
{
  TsBufferRing *ring = data;
  uint8_t bytes[16] = { 0 };

  for (unsigned i = 0; i < 7; i++)
    ts_buffer_ring_push (ring, 0, 0, bytes, sizeof bytes);

  return NULL;
}

static void *
close_main (void *data)
{
  ts_buffer_ring_close (data);

  return NULL;
}

static void
test_wait (void)
{
  TsBufferRing *ring = ts_buffer_ring_new (TS_RING_LINEAR, 10, 16, 0);
  uint8_t bytes[16] = { 0 };
  uint64_t begin;
  pthread_t thread;
  TsRingSlot slot;

  /* nothing comes: the time passes */
  begin = now_us ();
  CHECK_EQUAL (ts_buffer_ring_wait (ring, 20), 0);
  CHECK_EQUAL (now_us () - begin >= 19000, 1);

  /* one slot of ten is below 70 %: the time passes all the same, then it is there */
  ts_buffer_ring_push (ring, 0, 0, bytes, sizeof bytes);
  begin = now_us ();
  CHECK_EQUAL (ts_buffer_ring_wait (ring, 20), 1);
  CHECK_EQUAL (now_us () - begin >= 19000, 1);
  CHECK_EQUAL (ts_buffer_ring_peek (ring, &slot), 1);
  ts_buffer_ring_release (ring);

  /* seven of ten are 70 %: no waiting for the whole minute */
  begin = now_us ();
  pthread_create (&thread, NULL, push_some_main, ring);
  CHECK_EQUAL (ts_buffer_ring_wait (ring, 60000), 1);
  CHECK_EQUAL (now_us () - begin < 30000000, 1);
  pthread_join (thread, NULL);
  while (ts_buffer_ring_peek (ring, &slot))
    ts_buffer_ring_release (ring);

  /* a close wakes, too */
  begin = now_us ();
  pthread_create (&thread, NULL, close_main, ring);
  CHECK_EQUAL (ts_buffer_ring_wait (ring, 60000), 0);
  CHECK_EQUAL (now_us () - begin < 30000000, 1);
  pthread_join (thread, NULL);
  CHECK_EQUAL (ts_buffer_ring_is_closed (ring), 1);

  ts_buffer_ring_free (ring);
}

/* Of 100 slots, @percent - 1 let a wait run out, @percent end it at once (else the test would hang
 * for a minute and fail). */
static void
test_high_water (TsRingMode mode,
                 guint asked,
                 unsigned percent)
{
  TsBufferRing *ring = ts_buffer_ring_new (mode, 100, 16, asked);
  uint8_t bytes[16] = { 0 };
  uint64_t begin;

  for (unsigned i = 0; i < percent - 1; i++)
    ts_buffer_ring_push (ring, 0, 0, bytes, sizeof bytes);
  begin = now_us ();
  ts_buffer_ring_wait (ring, 20);
  CHECK_EQUAL (now_us () - begin >= 19000, 1);

  ts_buffer_ring_push (ring, 0, 0, bytes, sizeof bytes);
  begin = now_us ();
  ts_buffer_ring_wait (ring, 60000);
  CHECK_EQUAL (now_us () - begin < 30000000, 1);

  ts_buffer_ring_free (ring);
}

static void
test_gap (void)
{
  TsBufferRing *ring = ts_buffer_ring_new (TS_RING_LINEAR, 4, 16, 0);
  uint8_t bytes[40] = { 0 };
  TsRingSlot slot;

  ts_buffer_ring_push (ring, 5, 42, bytes, 3);
  ts_buffer_ring_note_gap (ring);
  ts_buffer_ring_push (ring, 5, 43, bytes, 20);
  CHECK_EQUAL (ts_buffer_ring_peek (ring, &slot), 1);
  CHECK_EQUAL (slot.gap_before, 0);
  CHECK_EQUAL (slot.host_us, 42);
  CHECK_EQUAL (slot.source, 5);
  ts_buffer_ring_release (ring);
  CHECK_EQUAL (ts_buffer_ring_peek (ring, &slot), 1);
  CHECK_EQUAL (slot.gap_before, 1);
  CHECK_EQUAL (slot.n_bytes, 16);
  ts_buffer_ring_release (ring);
  CHECK_EQUAL (ts_buffer_ring_peek (ring, &slot), 1);
  CHECK_EQUAL (slot.gap_before, 0);
  CHECK_EQUAL (slot.n_bytes, 4);
  ts_buffer_ring_release (ring);
  CHECK_EQUAL (ts_buffer_ring_peek (ring, &slot), 0);

  CHECK_EQUAL (ts_buffer_ring_new (TS_RING_LINEAR, 3, 16, 0) == NULL, 1);
  CHECK_EQUAL (ts_buffer_ring_new (TS_RING_LINEAR, 4, 8, 0) == NULL, 1);
  CHECK_EQUAL (ts_buffer_ring_new (TS_RING_LINEAR, 4, 16, 101) == NULL, 1);
  ts_buffer_ring_free (ring);
}

int
main (int argc,
      char **argv)
{
  uint32_t seed = argc > 1 ? (uint32_t) strtoul (argv[1], NULL, 0) : (uint32_t) now_us () | 1;
  unsigned before;

  printf ("# random seed: %u\n", seed);

  before = failures;
  test_gap ();
  report ("/capture/buffer-ring/gap", before);

  before = failures;
  test_model (TS_RING_LINEAR, seed);
  report ("/capture/buffer-ring/model/linear", before);

  before = failures;
  test_model (TS_RING_OVERWRITE, seed);
  report ("/capture/buffer-ring/model/overwrite", before);

  before = failures;
  test_wait ();
  report ("/capture/buffer-ring/wait", before);

  before = failures;
  test_high_water (TS_RING_LINEAR, 0, 70);
  test_high_water (TS_RING_OVERWRITE, 0, 90);
  test_high_water (TS_RING_LINEAR, 35, 35);
  report ("/capture/buffer-ring/high-water", before);

  before = failures;
  test_threads (TS_RING_LINEAR, 64, 0);
  test_threads (TS_RING_LINEAR, 4, 3);
  report ("/capture/buffer-ring/threads/linear", before);

  before = failures;
  test_threads (TS_RING_OVERWRITE, 64, 0);
  test_threads (TS_RING_OVERWRITE, 4, 3);
  report ("/capture/buffer-ring/threads/overwrite", before);

  printf ("1..%u\n", n_tests);

  return failures == 0 ? 0 : 1;
}
