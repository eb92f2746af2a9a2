/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake-memory.h: a probe in the test's own process: RAM of a target, registers of its core, and
 * firmware that runs whenever somebody looks.
 */
#pragma once

#include "capture/ts-probe.h"

#define FAKE_BASE 0x20000000u
#define FAKE_SIZE 0x10000u

typedef struct _FakeMemory FakeMemory;

/**
 * FakeMemory:
 * @ram: its memory
 * @stated_start, @stated_end: what may be read; every other access of RAM is counted
 * @n_outside: those accesses
 * @n_code: those of them below RAM, where names of channels may stand
 * @n_accesses: reads and writes so far
 * @fail_from, @n_fail: so many accesses fail from this one on
 * @hole_start, @hole_end: where there is no memory
 * @is_halted: the core stands
 * @run: (nullable): lets the firmware run, before each read and after each write
 * @reset: (nullable): what the firmware's start-up code does
 * @data: for them
 * @writes: (element-type TsProbeAccess): stores into RAM
 */
struct _FakeMemory
{
  TsProbe parent;
  guint8 ram[FAKE_SIZE];
  guint32 stated_start;
  guint32 stated_end;
  guint n_outside;
  guint n_code;
  guint n_accesses;
  guint n_batches;
  guint fail_from;
  guint n_fail;
  guint32 hole_start;
  guint32 hole_end;
  gboolean is_halted;
  guint n_resets;
  void (*run) (FakeMemory *self);
  void (*reset) (FakeMemory *self);
  gpointer data;
  GArray *writes;
};

FakeMemory *fake_memory_new (gboolean has_batch);
void fake_memory_free (FakeMemory *self);
TsProbe *fake_memory_make_probe (gpointer fake,
                                 GError **error);
void fake_memory_put (FakeMemory *self,
                      guint32 address,
                      guint32 value);
guint32 fake_memory_get (FakeMemory *self,
                         guint32 address);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeMemory, fake_memory_free)
