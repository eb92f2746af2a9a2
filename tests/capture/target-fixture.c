/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target-fixture.c: firmware of a target in the test's own process, and the host's side of it. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "capture/ts-connection-private.h"
#include "target-fixture.h"

/* Example 20 of viewalyzer-wire.md: the clock, task 1 and its data. */
const guint8 metadata_table[METADATA_TABLE_LEN] = {
  0x10, 0x00, 0x7F, 0x00, 0x00, 0x0C, 0x43, 0x4C, 0x4B, 0x3A, 0x34, 0x38, 0x30, 0x30, 0x30, 0x30,
  0x30, 0x30, 0x08, 0x00, 0x70, 0x00, 0x01, 0x04, 0x6D, 0x61, 0x69, 0x6E, 0x13, 0x00, 0x03, 0x00,
  0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
  0x00,
};

/* ---- firmware ---- */

void
put_block (FakeMemory *fake,
           guint32 at,
           guint32 buffer,
           guint32 size,
           guint32 flags)
{
  memset (fake->ram + (at - FAKE_BASE), 0, 48);
  fake_memory_put (fake, at + 16, buffer);
  fake_memory_put (fake, at + 20, size);
  fake_memory_put (fake, at + 36, flags);
  fake_memory_put (fake, at + 40, 48000000);
  fake_memory_put (fake, at + 44, 0x01020401);
  memcpy (fake->ram + (at - FAKE_BASE), "ViewAlyzerRB01\0", 16);
}

void
write_ring (FakeMemory *fake,
            guint32 block,
            const guint8 *bytes,
            gsize n_bytes)
{
  guint32 buffer = fake_memory_get (fake, block + 16);
  guint32 size = fake_memory_get (fake, block + 20);
  guint32 wr = fake_memory_get (fake, block + 24);

  for (gsize i = 0; i < n_bytes; i++)
    fake->ram[buffer - FAKE_BASE + (wr + i) % size] = bytes[i];
  fake_memory_put (fake, block + 24, (guint32) ((wr + n_bytes) % size));
}

gsize
get_free (FakeMemory *fake,
          guint32 block)
{
  guint32 size = fake_memory_get (fake, block + 20);

  return (fake_memory_get (fake, block + 28) + size - fake_memory_get (fake, block + 24) - 1) % size;
}

static void
flush_packets (FakeMemory *fake,
               Recorder *recorder)
{
  if (recorder->packets->len <= get_free (fake, BLOCK))
    write_ring (fake, BLOCK, recorder->packets->data, recorder->packets->len);
  g_byte_array_set_size (recorder->packets, 0);
}

/* Source: viewalyzer-wire.md section 12.4, example 20: marker, checkpoint, running task, in one piece;
 * then the acknowledgement. */
static void
answer (FakeMemory *fake,
        Recorder *recorder,
        guint32 request)
{
  guint32 generation = fake_memory_get (fake, META + 32);

  if (recorder->n_changes > 0)
    {
      recorder->n_changes--;
      generation += 2;
      fake_memory_put (fake, META + 32, generation);
    }
  fake_memory_put (fake, META + 52, generation);
  fake_memory_put (fake, META + 60, 1);
  if (fake_memory_get (fake, META + 44) == generation)
    {
      fake_memory_put (fake, META + 56, recorder->encoder.sequence);
      fake_memory_put (fake, META + 60, 0);
      ts_va_encoder_marker (&recorder->encoder);
      ts_va_encoder_checkpoint (&recorder->encoder, recorder->time);
      ts_va_encoder_event (&recorder->encoder, TS_VA_TASK_SWITCH | TS_VA_START, 1, recorder->time);
      flush_packets (fake, recorder);
    }
  fake_memory_put (fake, META + 48, request);
}

void
run_recorder (FakeMemory *fake)
{
  Recorder *recorder = fake->data;
  guint32 request = fake_memory_get (fake, META + 40);

  if (recorder->answers && request != fake_memory_get (fake, META + 48))
    answer (fake, recorder, request);
  if (recorder->n_rounds == 0)
    return;
  recorder->n_rounds--;
  recorder->time += 1000;
  ts_va_encoder_event_u32 (&recorder->encoder, TS_VA_COUNTER, 1, recorder->time,
                           recorder->n_rounds);
  flush_packets (fake, recorder);
}

void
recorder_init (Recorder *recorder,
               FakeMemory *fake)
{
  memset (recorder, 0, sizeof *recorder);
  recorder->packets = g_byte_array_new ();
  recorder->ring_size = 4096;
  recorder->answers = TRUE;
  recorder->time = 0x10000;
  ts_va_encoder_init (&recorder->encoder, recorder->packets, TS_VA_DIALECT_WIRE1,
                      TS_VA_FRAMING_RAW);
  recorder->encoder.sequence = 700;
  put_block (fake, BLOCK, RING, recorder->ring_size, 0x100);
  memset (fake->ram + (META - FAKE_BASE), 0, 64);
  fake_memory_put (fake, META + 16, 1);
  fake_memory_put (fake, META + 20, TABLE);
  fake_memory_put (fake, META + 24, 256);
  fake_memory_put (fake, META + 28, METADATA_TABLE_LEN);
  fake_memory_put (fake, META + 32, 12);
  memcpy (fake->ram + (TABLE - FAKE_BASE), metadata_table, METADATA_TABLE_LEN);
  memcpy (fake->ram + (META - FAKE_BASE), "ViewAlyzerMD01\0", 16);
  fake->data = recorder;
  fake->run = run_recorder;
}

/* ---- the host's side ---- */

void
host_init (Host *host,
           gboolean has_batch,
           const char *config)
{
  g_autoptr (GError) error = NULL;

  memset (host, 0, sizeof *host);
  host->fake = fake_memory_new (has_batch);
  host->connection = ts_connection_new ();
  ts_connection_load_data (host->connection, config, -1, "test", FALSE, &error);
  g_assert_no_error (error);
  _ts_connection_set_probe_maker (host->connection, fake_memory_make_probe, host->fake);
  g_assert_true (_ts_target_memory_init (&host->memory, host->connection, &error));
  g_assert_no_error (error);
  host->memory.probe = &host->fake->parent;
  host->drain.memory = &host->memory;
  if (strstr (config, "rtt") != NULL)
    {
      host->drain.kind = TS_RING_RTT;
      host->drain.channel = 1;
    }
  host->fake->stated_start = host->memory.scan_start;
  host->fake->stated_end = (guint32) (host->memory.scan_start + host->memory.scan_size);
}

void
host_clear (Host *host)
{
  _ts_target_memory_clear (&host->memory);
  g_clear_object (&host->connection);
  fake_memory_free (host->fake);
}

