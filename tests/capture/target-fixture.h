/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target-fixture.h: firmware of a target in the test's own process, and the host's side of it. */
#pragma once

#include "capture/ts-ring-drain-private.h"
#include "decode/ts-va-encoder.h"
#include "fake-memory.h"

#define BLOCK (FAKE_BASE + 0x100)
#define OTHER (FAKE_BASE + 0x800)
#define RING (FAKE_BASE + 0x1001)
#define META (FAKE_BASE + 0x200)
#define TABLE (FAKE_BASE + 0x300)
#define RTT (FAKE_BASE + 0x500)
#define METADATA_TABLE_LEN 49

/* A recorder that keeps names in RAM. */
typedef struct
{
  GByteArray *packets; /* what it writes next */
  TsVaEncoder encoder;
  guint32 ring_size;
  gboolean answers;
  guint n_changes; /* so often the table changes when it is asked for */
  guint n_rounds;  /* events that are left to record */
  guint32 time;
} Recorder;

typedef struct
{
  FakeMemory *fake;
  TsConnection *connection;
  TsTargetMemory memory;
  TsRingDrain drain;
} Host;

extern const guint8 metadata_table[METADATA_TABLE_LEN];

void put_block (FakeMemory *fake,
                guint32 at,
                guint32 buffer,
                guint32 size,
                guint32 flags);
void write_ring (FakeMemory *fake,
                 guint32 block,
                 const guint8 *bytes,
                 gsize n_bytes);
gsize get_free (FakeMemory *fake,
                guint32 block);
void run_recorder (FakeMemory *fake);
void recorder_init (Recorder *recorder,
                    FakeMemory *fake);
void host_init (Host *host,
                gboolean has_batch,
                const char *config);
void host_clear (Host *host);
