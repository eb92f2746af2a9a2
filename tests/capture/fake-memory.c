/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake-memory.c: a probe in the test's own process. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "fake-memory.h"

#define CPUID 0x410FC241u /* Cortex-M4 */
#define AIRCR_RESET 0x05FA0004u

static gboolean
is_ram (guint32 address,
        gsize n_bytes)
{
  return address >= FAKE_BASE && (guint64) address + n_bytes <= FAKE_BASE + FAKE_SIZE;
}

/* Whole words may reach three bytes beyond what is wanted. */
static void
note_access (FakeMemory *self,
             guint32 address,
             gsize n_bytes)
{
  if (address < (self->stated_start & ~3u)
      || (guint64) address + n_bytes > (((guint64) self->stated_end + 3) & ~(guint64) 3))
    {
      if ((guint64) address + n_bytes <= FAKE_BASE)
        self->n_code++;
      else
        self->n_outside++;
    }
}

static gboolean
fail_or_run (FakeMemory *self,
             guint32 address,
             GError **error)
{
  guint number = self->n_accesses++;

  if (number >= self->fail_from && number - self->fail_from < self->n_fail)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "no access to 0x%08x", address);
      return FALSE;
    }

  return TRUE;
}

static gboolean
fake_read_words (TsProbe *probe,
                 guint32 address,
                 guint8 *bytes,
                 gsize n_bytes,
                 GError **error)
{
  FakeMemory *self = (FakeMemory *) probe;
  guint32 word = 0;

  g_assert_cmpuint (address % 4, ==, 0);
  g_assert_cmpuint (n_bytes % 4, ==, 0);
  g_assert_cmpuint (n_bytes, <=, probe->klass->max_read);
  probe->counters.n_trips++;
  if (address >= 0xE0000000u)
    {
      if (address == TS_CORE_CPUID)
        word = CPUID;
      else if (address == TS_CORE_DHCSR)
        word = TS_DHCSR_S_REGRDY | (self->is_halted ? TS_DHCSR_S_HALT : 0);
      word = GUINT32_TO_LE (word);
      memcpy (bytes, &word, sizeof word);
      return TRUE;
    }
  if (!fail_or_run (self, address, error))
    return FALSE;
  if (self->run != NULL)
    self->run (self);
  note_access (self, address, n_bytes);
  if (!is_ram (address, n_bytes)
      || (address < self->hole_end && address + n_bytes > self->hole_start))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "no memory at 0x%08x", address);
      return FALSE;
    }
  memcpy (bytes, self->ram + (address - FAKE_BASE), n_bytes);

  return TRUE;
}

static gboolean
fake_write_word (TsProbe *probe,
                 guint32 address,
                 guint32 value,
                 GError **error)
{
  FakeMemory *self = (FakeMemory *) probe;
  TsProbeAccess write = { TRUE, address, value };

  probe->counters.n_trips++;
  if (address >= 0xE0000000u)
    {
      if (address == TS_CORE_AIRCR && value == AIRCR_RESET)
        {
          self->n_resets++;
          if (self->reset != NULL)
            self->reset (self);
        }
      return TRUE;
    }
  if (!fail_or_run (self, address, error))
    return FALSE;
  note_access (self, address, 4);
  g_assert_true (is_ram (address, 4));
  g_array_append_val (self->writes, write);
  fake_memory_put (self, address, value);
  if (self->run != NULL)
    self->run (self);

  return TRUE;
}

static gboolean
fake_run_batch (TsProbe *probe,
                TsProbeAccess *accesses,
                gsize n_accesses,
                GError **error)
{
  ((FakeMemory *) probe)->n_batches++;
  for (gsize i = 0; i < n_accesses; i++)
    {
      gboolean is_ok
          = accesses[i].is_write
                ? fake_write_word (probe, accesses[i].address, accesses[i].value, error)
                : fake_read_words (probe, accesses[i].address, (guint8 *) &accesses[i].value, 4,
                                   error);

      if (!is_ok)
        return FALSE;
      accesses[i].value = GUINT32_FROM_LE (accesses[i].value);
    }

  return TRUE;
}

/* The test's own; fake_memory_free() frees it. */
static void
fake_close (TsProbe *probe)
{
}

static const TsProbeClass plain_class = {
  .type = "fake",
  .max_read = 512,
  .read_words = fake_read_words,
  .write_word = fake_write_word,
  .close = fake_close,
};

static const TsProbeClass batch_class = {
  .type = "fake",
  .max_read = 512,
  .read_words = fake_read_words,
  .write_word = fake_write_word,
  .max_batch = 64,
  .run_batch = fake_run_batch,
  .close = fake_close,
};

FakeMemory *
fake_memory_new (gboolean has_batch)
{
  FakeMemory *self = g_new0 (FakeMemory, 1);

  self->parent.klass = has_batch ? &batch_class : &plain_class;
  self->stated_start = FAKE_BASE;
  self->stated_end = FAKE_BASE + FAKE_SIZE;
  self->writes = g_array_new (FALSE, FALSE, sizeof (TsProbeAccess));

  return self;
}

void
fake_memory_free (FakeMemory *self)
{
  g_array_unref (self->writes);
  g_free (self);
}

/* For _ts_connection_set_probe_maker(). */
TsProbe *
fake_memory_make_probe (gpointer fake,
                        GError **error)
{
  return &((FakeMemory *) fake)->parent;
}

void
fake_memory_put (FakeMemory *self,
                 guint32 address,
                 guint32 value)
{
  guint32 word = GUINT32_TO_LE (value);

  memcpy (self->ram + (address - FAKE_BASE), &word, sizeof word);
}

guint32
fake_memory_get (FakeMemory *self,
                 guint32 address)
{
  guint32 word;

  memcpy (&word, self->ram + (address - FAKE_BASE), sizeof word);

  return GUINT32_FROM_LE (word);
}
