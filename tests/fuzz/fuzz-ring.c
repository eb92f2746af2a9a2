/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-ring.c: rings in a target's RAM that say anything, and change while they are read.
 *
 * The first byte chooses what is looked for and what the probe can. Then come stores of the firmware, six
 * bytes each: where (in 16 KiB) and what. The first eight are done before anybody looks; then, one before
 * each access; an odd place lets an access fail instead. RAM begins with a ring, a table of names and an
 * RTT block that make sense.
 */
#include "config.h"

#include <string.h>

#include "capture/ts-metadata-attach-private.h"
#include "capture/ts-ring-find-private.h"
#include "fuzz-target.h"

#define BASE 0x20000000u
#define SIZE 0x4000u
#define BLOCK 0x100u
#define META 0x200u
#define TABLE 0x300u
#define RTT 0x500u
#define MOST_ACCESSES 3000

typedef struct
{
  TsProbe parent;
  guint8 ram[SIZE];
  const uint8_t *at;
  const uint8_t *end;
  guint n_accesses;
  gboolean is_rtt;
} Target;

static void
put (Target *self, guint32 offset, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (self->ram + offset, &value, sizeof value);
}

/* The firmware goes on by one store. FALSE: the access that was to follow fails. */
static gboolean
run (Target *self)
{
  guint32 offset;

  if (++self->n_accesses > MOST_ACCESSES)
    return FALSE;
  if (self->end - self->at < 6)
    return TRUE;
  offset = ((guint32) self->at[0] | (guint32) self->at[1] << 8) % SIZE;
  if (offset % 4 == 0)
    memcpy (self->ram + offset, self->at + 2, 4);
  self->at += 6;
  return offset % 2 == 0;
}

static gboolean
target_read (TsProbe *probe, guint32 address, guint8 *bytes, gsize n_bytes, GError **error)
{
  Target *self = (Target *) probe;
  guint32 word = address == TS_CORE_CPUID ? 0x410FC241 : 0;

  if (address >= 0xE0000000u)
    {
      g_assert (n_bytes == 4);
      memcpy (bytes, &word, sizeof word);
      return TRUE;
    }
  /* stated RAM, and for names of channels what may be flash */
  g_assert ((address >= BASE && address - BASE <= SIZE - n_bytes)
            || (self->is_rtt && (guint64) address + n_bytes <= BASE));
  if (!run (self) || address < BASE)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "fault");
      return FALSE;
    }
  memcpy (bytes, self->ram + (address - BASE), n_bytes);
  return TRUE;
}

static gboolean
target_write (TsProbe *probe, guint32 address, guint32 value, GError **error)
{
  Target *self = (Target *) probe;

  g_assert (address % 4 == 0 && address >= BASE && address - BASE <= SIZE - 4);
  if (!run (self))
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "fault");
      return FALSE;
    }
  put (self, address - BASE, value);
  return TRUE;
}

static gboolean
target_batch (TsProbe *probe, TsProbeAccess *accesses, gsize n_accesses, GError **error)
{
  for (gsize i = 0; i < n_accesses; i++)
    {
      TsProbeAccess *access = &accesses[i];

      if (!(access->is_write ? target_write (probe, access->address, access->value, error)
                             : target_read (probe, access->address, (guint8 *) &access->value, 4, error)))
        return FALSE;
    }
  return TRUE;
}

static void
target_close (TsProbe *probe)
{
}

/* Nobody waits for a target here. */
void
g_usleep (gulong microseconds)
{
}

static void
prepare (Target *self)
{
  memcpy (self->ram + BLOCK, "ViewAlyzerRB01\0", 16);
  put (self, BLOCK + 16, BASE + 0x1001);
  put (self, BLOCK + 20, 512);
  put (self, BLOCK + 36, 0x100);
  put (self, BLOCK + 40, 48000000);
  put (self, BLOCK + 44, 0x01020401);
  memcpy (self->ram + META, "ViewAlyzerMD01\0", 16);
  put (self, META + 16, 1);
  put (self, META + 20, BASE + TABLE);
  put (self, META + 24, 256);
  put (self, META + 28, 32);
  put (self, META + 32, 12);
  memcpy (self->ram + RTT, "SEGGER RTT", 10);
  put (self, RTT + 16, 2);
  put (self, RTT + 20, 1);
  put (self, RTT + 24 + 4, BASE + 0x1800);
  put (self, RTT + 24 + 8, 64);
  put (self, RTT + 48 + 4, BASE + 0x1840);
  put (self, RTT + 48 + 8, 64);
}

static void
drain_and_attach (Target *target, TsRingDrain *drain)
{
  GByteArray *out = g_byte_array_new ();
  TsDrainResult result;

  for (guint i = 0; i < 20; i++)
    if (_ts_ring_drain_step (drain, out, &result, NULL) && result == TS_DRAIN_BYTES)
      (void) _ts_ring_drain_release (drain, i % 2 == 0, NULL);
  if (!target->is_rtt)
    {
      TsMetadataAttach attach;
      guint n_names;

      if (_ts_metadata_attach_init (&attach, drain, 0, NULL))
        for (guint i = 0; i < 8 && attach.state == TS_ATTACH_WAITING; i++)
          if (!_ts_metadata_attach_step (&attach, i * 400000, NULL))
            break;
      _ts_metadata_attach_take (&attach, out, &n_names);
      _ts_metadata_attach_clear (&attach);
    }
  /* no more than what the ring can have held each time */
  g_assert (out->len < 64u * SIZE);
  g_byte_array_unref (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const TsProbeClass plain = { .type = "fuzz", .max_read = 512, .read_words = target_read,
                                      .write_word = target_write, .close = target_close };
  static const TsProbeClass batches = { .type = "fuzz", .max_read = 512, .read_words = target_read,
                                        .write_word = target_write, .max_batch = 64,
                                        .run_batch = target_batch, .close = target_close };
  Target *target;
  TsConnection *connection;
  TsTargetMemory memory;
  TsRingDrain drain = { .memory = &memory };
  TsRingFinder finder;
  TsFoundHow how = TS_FOUND_NOT;

  if (size < 1)
    return 0;
  target = g_new0 (Target, 1);
  target->parent.klass = (data[0] & 1) != 0 ? &batches : &plain;
  target->is_rtt = (data[0] & 2) != 0;
  target->at = data + 1;
  target->end = data + size;
  prepare (target);
  for (guint i = 0; i < 8; i++)
    (void) run (target);

  connection = ts_connection_new ();
  (void) ts_connection_load_data (connection, target->is_rtt ? "{\"transport\": \"stlink-rtt\"}" : "{\"transport\": \"stlink-rambuf\"}",
                                  -1, "fuzz", FALSE, NULL);
  (void) _ts_target_memory_init (&memory, connection, NULL);
  memory.scan_size = SIZE;
  memory.probe = &target->parent;
  drain.kind = target->is_rtt ? TS_RING_RTT : TS_RING_RAMBUF;
  drain.channel = 1;
  _ts_ring_finder_init (&finder, &drain, connection);
  for (guint i = 0; i < 4 && how == TS_FOUND_NOT; i++)
    (void) _ts_ring_finder_step (&finder, 1 + i * G_USEC_PER_SEC, &how, NULL);
  if (how != TS_FOUND_NOT)
    drain_and_attach (target, &drain);
  _ts_ring_finder_clear (&finder);
  _ts_target_memory_clear (&memory);
  g_object_unref (connection);
  g_free (target);
  return 0;
}
