/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-buffer-ring.c: a bounded ring of slots with one producer and one consumer; no GLib code, only
 * its type names. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ts-buffer-ring.h"

#define MIN_SLOTS 4
#define MIN_SLOT_BYTES 16
#define MAX_SLOTS (1u << 22)
#define MAX_SLOT_BYTES (1u << 24)
#define DEFAULT_HIGH_WATER_LINEAR 70
#define DEFAULT_HIGH_WATER_OVERWRITE 90
/* How often the producer looks again at a slot the consumer is copying, before it drops the new
 * bytes instead. One copy of a slot takes well under a microsecond; only a consumer that lost its
 * processor in the middle of it makes this run out. */
#define MAX_LOOKS 2000

enum
{
  STATE_EMPTY,
  STATE_WRITING,
  STATE_FULL,
  STATE_READING,
};

typedef struct
{
  _Atomic guint64 word;   /* number of the slot in the stream << 2 | state */
  guint32 source;
  guint32 n_bytes;
  gboolean gap_before;
  gint64 host_us;
  guint64 offset;         /* bytes its sender offered before this slot, dropped ones included */
  guint8 *bytes;
} Slot;

struct _TsBufferRing
{
  /* constant */
  TsRingMode mode;
  guint n_slots;
  gsize slot_bytes;
  guint high_water_slots;
  Slot *slots;
  guint8 *storage;

  /* written by the producer only */
  _Alignas (64) _Atomic guint64 head;       /* number of the next slot to be filled */
  _Atomic guint64 bytes_in;
  _Atomic guint64 bytes_dropped;
  _Atomic guint64 overruns;
  _Atomic guint high_water;
  _Atomic int closed;
  gboolean is_overrun;
  gboolean gap_pending;
  guint64 offered[TS_RING_SOURCES];  /* bytes of each sender; the consumer's once closed */

  /* written by the consumer only */
  _Alignas (64) _Atomic guint64 tail;       /* number of the next slot to be read */
  _Atomic int waiting;
  guint64 expected[TS_RING_SOURCES]; /* where the next slot of each sender begins without a loss */
  gboolean has_slot;
  TsRingSlot current;
  guint8 *copy;             /* ring mode: the slot being consumed */

  /* the consumer's wait: protects nothing but the condition itself */
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

static inline guint64
make_word (guint64 number,
           guint state)
{
  return number << 2 | state;
}

static inline guint
used_slots (TsBufferRing *self)
{
  guint64 tail = atomic_load_explicit (&self->tail, memory_order_acquire);
  guint64 head = atomic_load_explicit (&self->head, memory_order_acquire);
  guint64 used = head > tail ? head - tail : 0;

  return used > self->n_slots ? self->n_slots : (guint) used;
}

static void
add_counter (_Atomic guint64 *counter,
             guint64 n)
{
  /* one writer: no read-modify-write needed */
  atomic_store_explicit (counter, atomic_load_explicit (counter, memory_order_relaxed) + n,
                         memory_order_relaxed);
}

static void
count_drop (TsBufferRing *self,
            guint64 n_bytes)
{
  add_counter (&self->bytes_dropped, n_bytes);
  if (!self->is_overrun)
    add_counter (&self->overruns, 1);
  self->is_overrun = TRUE;
}

/**
 * ts_buffer_ring_new:
 * @mode: what happens when it is full
 * @n_slots: slots, at least 4
 * @slot_bytes: bytes of a slot, at least 16
 * @high_water_percent: filled share that wakes the consumer; 0: the default of the mode, 70 linear,
 * 90 overwrite
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): a ring; %NULL when the sizes are out of range or there is no
 * memory
 */
TsBufferRing *
ts_buffer_ring_new (TsRingMode mode,
                    guint n_slots,
                    gsize slot_bytes,
                    guint high_water_percent)
{
  TsBufferRing *self;
  pthread_condattr_t attributes;

  if (n_slots < MIN_SLOTS || n_slots > MAX_SLOTS || slot_bytes < MIN_SLOT_BYTES
      || slot_bytes > MAX_SLOT_BYTES || high_water_percent > 100)
    return NULL;

  self = aligned_alloc (64, (sizeof *self + 63) / 64 * 64);
  if (self == NULL)
    return NULL;
  memset (self, 0, sizeof *self);

  if (high_water_percent == 0)
    high_water_percent
        = mode == TS_RING_LINEAR ? DEFAULT_HIGH_WATER_LINEAR : DEFAULT_HIGH_WATER_OVERWRITE;
  self->mode = mode;
  self->n_slots = n_slots;
  self->slot_bytes = slot_bytes;
  self->high_water_slots = (guint) (((guint64) n_slots * high_water_percent + 99) / 100);
  if (self->high_water_slots == 0)
    self->high_water_slots = 1;

  self->slots = calloc (n_slots, sizeof *self->slots);
  self->storage = malloc (n_slots * slot_bytes);
  self->copy = mode == TS_RING_OVERWRITE ? malloc (slot_bytes) : NULL;
  if (self->slots == NULL || self->storage == NULL
      || (mode == TS_RING_OVERWRITE && self->copy == NULL))
    {
      free (self->slots);
      free (self->storage);
      free (self->copy);
      free (self);
      return NULL;
    }
  for (guint i = 0; i < n_slots; i++)
    {
      atomic_init (&self->slots[i].word, make_word (0, STATE_EMPTY));
      self->slots[i].bytes = self->storage + i * slot_bytes;
    }

  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->wake, &attributes);
  pthread_condattr_destroy (&attributes);

  return self;
}

/**
 * ts_buffer_ring_free:
 * @self: (nullable): a ring nobody uses any more
 *
 * Thread: any
 */
void
ts_buffer_ring_free (TsBufferRing *self)
{
  if (self == NULL)
    return;

  pthread_cond_destroy (&self->wake);
  pthread_mutex_destroy (&self->lock);
  free (self->slots);
  free (self->storage);
  free (self->copy);
  free (self);
}

static void
wake_consumer (TsBufferRing *self)
{
  pthread_mutex_lock (&self->lock);
  pthread_cond_signal (&self->wake);
  pthread_mutex_unlock (&self->lock);
}

/* Makes the slot at the head the producer's own. FALSE: the consumer has it, or (linear) it is
 * still full. */
static gboolean
acquire_head (TsBufferRing *self,
              Slot *slot,
              guint64 number)
{
  for (guint look = 0; look < MAX_LOOKS; look++)
    {
      guint64 word = atomic_load_explicit (&slot->word, memory_order_acquire);

      switch (word & 3)
        {
        case STATE_EMPTY:
          atomic_store_explicit (&slot->word, make_word (number, STATE_WRITING),
                                 memory_order_relaxed);
          return TRUE;

        case STATE_FULL:
          if (self->mode == TS_RING_LINEAR)
            return FALSE;
          if (atomic_compare_exchange_strong_explicit (&slot->word, &word,
                                                       make_word (number, STATE_WRITING),
                                                       memory_order_acquire, memory_order_relaxed))
            {
              count_drop (self, slot->n_bytes);
              return TRUE;
            }
          break;

        default:
          if (self->mode == TS_RING_LINEAR)
            return FALSE;
          break;
        }
    }

  return FALSE;
}

static gboolean
push_slot (TsBufferRing *self,
           guint32 source,
           gint64 host_us,
           const guint8 *bytes,
           gsize n_bytes)
{
  guint64 number = atomic_load_explicit (&self->head, memory_order_relaxed);
  Slot *slot = &self->slots[number % self->n_slots];
  guint64 *offered = &self->offered[source % TS_RING_SOURCES];
  guint64 offset = *offered;
  guint64 dropped = atomic_load_explicit (&self->bytes_dropped, memory_order_relaxed);

  add_counter (&self->bytes_in, n_bytes);
  *offered += n_bytes;
  if (!acquire_head (self, slot, number))
    {
      count_drop (self, n_bytes);
      return FALSE;
    }
  if (dropped == atomic_load_explicit (&self->bytes_dropped, memory_order_relaxed))
    self->is_overrun = FALSE;

  slot->source = source;
  slot->host_us = host_us;
  slot->offset = offset;
  slot->n_bytes = (guint32) n_bytes;
  slot->gap_before = self->gap_pending;
  self->gap_pending = FALSE;
  memcpy (slot->bytes, bytes, n_bytes);

  atomic_store_explicit (&slot->word, make_word (number, STATE_FULL), memory_order_release);
  /* seq_cst, with the consumer's store of "waiting": one of the two sees the other's */
  atomic_store_explicit (&self->head, number + 1, memory_order_seq_cst);

  return TRUE;
}

/**
 * ts_buffer_ring_has_room:
 * @self: a ring
 * @n_bytes: bytes to be pushed at once
 *
 * Whether ts_buffer_ring_push() of so many bytes would lose nothing now; for producers that can
 * wait. Nothing is counted.
 *
 * Thread: producer
 *
 * Returns: %TRUE if they fit
 */
gboolean
ts_buffer_ring_has_room (TsBufferRing *self,
                         gsize n_bytes)
{
  gsize n = (n_bytes + self->slot_bytes - 1) / self->slot_bytes;

  return n <= self->n_slots - used_slots (self);
}

/**
 * ts_buffer_ring_push:
 * @self: a ring
 * @source: sender number
 * @host_us: monotonic time of arrival, microseconds
 * @bytes: (array length=n_bytes): the bytes, copied
 * @n_bytes: how many
 *
 * Takes bytes in, over as many slots as they need. Linear: when they do not fit as a whole they are
 * dropped as a whole, counted, and told with the next slot that fits. Overwrite: the oldest slots
 * make room, counted.
 *
 * Cost: one copy; wakes the consumer when the high-water mark is passed; never blocks
 * Thread: producer
 *
 * Returns: %TRUE, or %FALSE when bytes of it were dropped
 */
gboolean
ts_buffer_ring_push (TsBufferRing *self,
                     guint32 source,
                     gint64 host_us,
                     const guint8 *bytes,
                     gsize n_bytes)
{
  gboolean is_taken = TRUE;
  guint used;

  if (n_bytes == 0)
    return TRUE;

  if (self->mode == TS_RING_LINEAR && n_bytes <= self->n_slots * self->slot_bytes
      && !ts_buffer_ring_has_room (self, n_bytes))
    {
      add_counter (&self->bytes_in, n_bytes);
      self->offered[source % TS_RING_SOURCES] += n_bytes;
      count_drop (self, n_bytes);
      is_taken = FALSE;
    }
  else
    {
      while (n_bytes > 0)
        {
          gsize n = n_bytes < self->slot_bytes ? n_bytes : self->slot_bytes;

          is_taken = push_slot (self, source, host_us, bytes, n) && is_taken;
          bytes += n;
          n_bytes -= n;
        }
    }

  used = used_slots (self);
  if (used > atomic_load_explicit (&self->high_water, memory_order_relaxed))
    atomic_store_explicit (&self->high_water, used, memory_order_relaxed);
  if (used >= self->high_water_slots
      && atomic_load_explicit (&self->waiting, memory_order_seq_cst) != 0)
    wake_consumer (self);

  return is_taken;
}

/**
 * ts_buffer_ring_note_gap:
 * @self: a ring
 *
 * Says that the source itself lost something of unknown size before the bytes that are pushed next.
 *
 * Thread: producer
 */
void
ts_buffer_ring_note_gap (TsBufferRing *self)
{
  self->gap_pending = TRUE;
}

/**
 * ts_buffer_ring_close:
 * @self: a ring
 *
 * Nothing will be pushed any more; the consumer wakes and may drain what is left.
 *
 * Thread: producer
 */
void
ts_buffer_ring_close (TsBufferRing *self)
{
  atomic_store_explicit (&self->closed, 1, memory_order_seq_cst);
  wake_consumer (self);
}

/**
 * ts_buffer_ring_is_closed:
 * @self: a ring
 *
 * Thread: any. A consumer that asks first and drains afterwards has seen everything.
 *
 * Returns: whether ts_buffer_ring_close() was called
 */
gboolean
ts_buffer_ring_is_closed (TsBufferRing *self)
{
  return atomic_load_explicit (&self->closed, memory_order_seq_cst) != 0;
}

/**
 * ts_buffer_ring_get_trailing_loss:
 * @self: a ring that is closed and empty
 * @source: sender number, below %TS_RING_SOURCES
 *
 * What was dropped of a sender after its last slot has no slot to be told with.
 *
 * Thread: consumer, after ts_buffer_ring_is_closed() was true
 *
 * Returns: bytes
 */
guint64
ts_buffer_ring_get_trailing_loss (TsBufferRing *self,
                                  guint32 source)
{
  return self->offered[source % TS_RING_SOURCES] - self->expected[source % TS_RING_SOURCES];
}

/**
 * ts_buffer_ring_wait:
 * @self: a ring
 * @timeout_ms: longest wait
 *
 * Waits until the filled share has passed the high-water mark, the ring is closed, or the time is
 * over: a consumer that works in portions of time instead of waking for every byte.
 *
 * Thread: consumer
 *
 * Returns: whether there is something to ts_buffer_ring_peek()
 */
gboolean
ts_buffer_ring_wait (TsBufferRing *self,
                     guint timeout_ms)
{
  struct timespec deadline;

  clock_gettime (CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += timeout_ms / 1000;
  deadline.tv_nsec += (long) (timeout_ms % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000)
    {
      deadline.tv_sec++;
      deadline.tv_nsec -= 1000000000;
    }

  pthread_mutex_lock (&self->lock);
  atomic_store_explicit (&self->waiting, 1, memory_order_seq_cst);
  while (!ts_buffer_ring_is_closed (self)
         && atomic_load_explicit (&self->head, memory_order_seq_cst)
                - atomic_load_explicit (&self->tail, memory_order_relaxed) < self->high_water_slots)
    if (pthread_cond_timedwait (&self->wake, &self->lock, &deadline) != 0)
      break;
  atomic_store_explicit (&self->waiting, 0, memory_order_relaxed);
  pthread_mutex_unlock (&self->lock);

  return used_slots (self) > 0;
}

static void
fill_current (TsBufferRing *self,
              const Slot *slot)
{
  TsRingSlot *current = &self->current;
  guint64 *expected = &self->expected[slot->source % TS_RING_SOURCES];

  current->source = slot->source;
  current->host_us = slot->host_us;
  current->gap_before = slot->gap_before;
  current->n_bytes = slot->n_bytes;
  current->lost_before = slot->offset - *expected;
  *expected = slot->offset + slot->n_bytes;
}

/**
 * ts_buffer_ring_peek:
 * @self: a ring
 * @slot: (out caller-allocates): the oldest slot; its bytes stay valid until
 * ts_buffer_ring_release()
 *
 * Peeking again without a release gives the same slot.
 *
 * Thread: consumer
 *
 * Returns: %TRUE, or %FALSE when nothing is there
 */
gboolean
ts_buffer_ring_peek (TsBufferRing *self,
                     TsRingSlot *slot)
{
  guint64 tail = atomic_load_explicit (&self->tail, memory_order_relaxed);

  while (!self->has_slot)
    {
      Slot *oldest = &self->slots[tail % self->n_slots];
      guint64 word = atomic_load_explicit (&oldest->word, memory_order_relaxed);
      guint64 number = word >> 2;

      if (word == make_word (tail, STATE_FULL))
        {
          if (!atomic_compare_exchange_strong_explicit (&oldest->word, &word,
                                                        make_word (tail, STATE_READING),
                                                        memory_order_acquire, memory_order_relaxed))
            continue;

          fill_current (self, oldest);
          if (self->mode == TS_RING_OVERWRITE)
            {
              memcpy (self->copy, oldest->bytes, oldest->n_bytes);
              self->current.bytes = self->copy;
              atomic_store_explicit (&oldest->word, make_word (tail, STATE_EMPTY),
                                     memory_order_release);
            }
          else
            self->current.bytes = oldest->bytes;
          self->has_slot = TRUE;
        }
      else if (number > tail && (word & 3) != STATE_EMPTY)
        {
          /* overwritten: the slot after the one that replaced it is the oldest now */
          tail = number - self->n_slots + 1;
          atomic_store_explicit (&self->tail, tail, memory_order_release);
        }
      else
        return FALSE;
    }

  *slot = self->current;

  return TRUE;
}

/**
 * ts_buffer_ring_release:
 * @self: a ring
 *
 * Gives back the slot that ts_buffer_ring_peek() gave out.
 *
 * Thread: consumer
 */
void
ts_buffer_ring_release (TsBufferRing *self)
{
  guint64 tail = atomic_load_explicit (&self->tail, memory_order_relaxed);

  if (!self->has_slot)
    return;

  if (self->mode == TS_RING_LINEAR)
    atomic_store_explicit (&self->slots[tail % self->n_slots].word, make_word (tail, STATE_EMPTY),
                           memory_order_release);
  atomic_store_explicit (&self->tail, tail + 1, memory_order_release);
  self->has_slot = FALSE;
}

/**
 * ts_buffer_ring_get_counters:
 * @self: a ring
 * @counters: (out caller-allocates): figures of now, each exact, not necessarily of the same
 * instant
 *
 * Thread: any
 */
void
ts_buffer_ring_get_counters (TsBufferRing *self,
                             TsRingCounters *counters)
{
  counters->bytes_in = atomic_load_explicit (&self->bytes_in, memory_order_relaxed);
  counters->bytes_dropped = atomic_load_explicit (&self->bytes_dropped, memory_order_relaxed);
  counters->overruns = atomic_load_explicit (&self->overruns, memory_order_relaxed);
  counters->high_water = atomic_load_explicit (&self->high_water, memory_order_relaxed);
  counters->n_slots = self->n_slots;
  counters->used = used_slots (self);
}
