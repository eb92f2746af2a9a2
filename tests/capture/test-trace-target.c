/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-trace-target.c: the gates that makers of chips have before the trace hardware, on a probe in the
 * test's own process. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include "capture/ts-connection-private.h"
#include "capture/ts-probe.h"
#include "capture/ts-trace-target-private.h"

#define CPUID_M7 0x411FC271u
#define CPUID_M55 0x411FD221u
#define RCC 0x58024400u

/* A chip: words by address; what is not there and not of the core's own bus faults. */
typedef struct
{
  TsProbe parent;
  GHashTable *words;
  GArray *writes; /* of TsProbeAccess, in order */
  guint id_port;  /* behind which the words below the core's bus are, if it is not the core's */
} Chip;

static gboolean
chip_read (TsProbe *probe,
           guint32 address,
           guint8 *bytes,
           gsize n_bytes,
           GError **error)
{
  Chip *self = (Chip *) probe;
  gpointer value = NULL;

  g_assert_cmpuint (n_bytes, ==, 4);
  if ((!g_hash_table_lookup_extended (self->words, GUINT_TO_POINTER (address), NULL, &value)
       || (address < 0xE0000000u && self->id_port != probe->access_port))
      && address < 0xE0000000u)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "nothing at 0x%08x", address);
      return FALSE;
    }
  *(guint32 *) (gpointer) bytes = GUINT32_TO_LE (GPOINTER_TO_UINT (value));

  return TRUE;
}

static gboolean
chip_write (TsProbe *probe,
            guint32 address,
            guint32 value,
            GError **error)
{
  Chip *self = (Chip *) probe;
  TsProbeAccess write = { TRUE, address, value };

  g_array_append_val (self->writes, write);
  g_hash_table_insert (self->words, GUINT_TO_POINTER (address), GUINT_TO_POINTER (value));

  return TRUE;
}

static const TsProbeClass chip_class = {
  .type = "fake",
  .max_read = 512,
  .read_words = chip_read,
  .write_word = chip_write,
};

static guint32
get (Chip *chip,
     guint32 address)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (chip->words, GUINT_TO_POINTER (address)));
}

/* Sets a chip's trace hardware up as @config wants; @words: pairs of address and value, ended by 0. The
 * trace clock that was found. */
static gint64
set_up (Chip *chip,
        const char *config,
        const guint32 *words)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  TsTraceTarget target;
  gint64 hz;

  chip->parent.klass = &chip_class;
  chip->words = g_hash_table_new (NULL, NULL);
  chip->writes = g_array_new (FALSE, FALSE, sizeof (TsProbeAccess));
  for (; *words != 0; words += 2)
    g_hash_table_insert (chip->words, GUINT_TO_POINTER (words[0]), GUINT_TO_POINTER (words[1]));
  ts_connection_load_data (connection, config, -1, "test", FALSE, &error);
  g_assert_no_error (error);
  _ts_trace_target_prepare (&target, &chip->parent, connection, &error);
  g_assert_no_error (error);
  _ts_trace_target_apply (&target, &error);
  g_assert_no_error (error);
  hz = target.image->trace_hz;
  _ts_trace_target_clear (&target);

  return hz;
}

static void
clear (Chip *chip)
{
  g_hash_table_unref (chip->words);
  g_array_unref (chip->writes);
}

#define CONFIG(cpu, swo)                                                                           \
  "{\"transport\": \"stlink-swo\", \"cpu-clock-hz\": " cpu ", \"swo-freq-hz\": " swo "}"

/* Source: viewalyzer-host.md section 2.5, row H7 */
static void
test_h7 (void)
{
  const guint32 words[] = { TS_CORE_CPUID, CPUID_M7, 0x5C001000, 0x20036450, 0x5C001004, 0x00000007,
                            0x5C004000, 0x00000300, 0xE0001000, 0x40000000, 0 };
  Chip chip = { { NULL } };

  g_assert_cmpint (set_up (&chip, CONFIG ("400000000", "2000000"), words), ==, 400000000);
  g_assert_cmphex (get (&chip, 0x5C001004), ==, 0x00700007);
  g_assert_cmphex (get (&chip, 0x5C003010), ==, 199);
  g_assert_cmphex (get (&chip, 0x5C0030F0), ==, 2);
  g_assert_cmphex (get (&chip, 0x5C004000), ==, 0x00000301);
  /* its own block stands in place of the TPIU */
  for (guint i = 0; i < chip.writes->len; i++)
    g_assert_cmphex (g_array_index (chip.writes, TsProbeAccess, i).address >> 12, !=, 0xE0040);
  clear (&chip);
}

/* Source: viewalyzer-host.md section 2.5, row H723: 192 MHz of core and 96 MHz of trace are published */
static void
test_h723 (void)
{
  /* PLL1 drives the system; P 2, R 4, no prescaler */
  guint32 words[] = { TS_CORE_CPUID, CPUID_M7, 0x5C001000, 0x10016483, 0x5C001004, 0, 0x5C004000, 0,
                      0xE0001000, 0x40000000, RCC + 0x10, 3 << 3, RCC + 0x18, 0,
                      RCC + 0x30, 3u << 24 | 1 << 9, 0 };
  Chip chip = { { NULL } };

  g_assert_cmpint (set_up (&chip, CONFIG ("192000000", "2000000"), words), ==, 96000000);
  g_assert_cmphex (get (&chip, 0x5C003010), ==, 47);
  clear (&chip);
  /* the core at half of it */
  words[13] = 8 << 8;
  g_assert_cmpint (set_up (&chip, CONFIG ("96000000", "2000000"), words), ==, 96000000);
  clear (&chip);
  /* no PLL: the system's clock before the prescaler, here a quarter of it */
  words[11] = 0;
  words[13] = 9 << 8;
  g_assert_cmpint (set_up (&chip, CONFIG ("16000000", "2000000"), words), ==, 64000000);
  clear (&chip);
  /* what is said counts more than what is found */
  g_assert_cmpint (set_up (&chip,
                           "{\"transport\": \"stlink-swo\", \"cpu-clock-hz\": 192000000, "
                           "\"trace-clock-hz\": 48000000}",
                           words),
                   ==, 48000000);
  clear (&chip);
}

/* Source: viewalyzer-host.md section 2.5, row N6: its id is behind port 0, its core behind port 1 */
static void
test_n6 (void)
{
  const guint32 words[] = { TS_CORE_CPUID, CPUID_M55, 0x44001000, 0x20006486, 0xE0081000, 0x300,
                            0xE0001000, 0x40000000, 0 };
  static const guint32 fifo[][2] = { { 0xE0082020, 0 }, { 0xE0082028, 2 }, { 0xE0082304, 3 },
                                     { 0xE0082020, 1 } };
  Chip chip = { { NULL } };
  guint at = 0;

  chip.parent.access_port = 1;
  g_assert_cmpint (set_up (&chip, CONFIG ("800000000", "2000000"), words), ==, 100000000);
  g_assert_cmpuint (chip.parent.access_port, ==, 1);
  g_assert_cmphex (get (&chip, 0xE008A010), ==, 49);
  g_assert_cmphex (get (&chip, 0xE008A0F0), ==, 2);
  g_assert_cmphex (get (&chip, 0xE0081000), ==, 0x301);
  /* stopped, made a FIFO, started */
  for (guint i = 0; i < chip.writes->len && at < G_N_ELEMENTS (fifo); i++)
    {
      const TsProbeAccess *write = &g_array_index (chip.writes, TsProbeAccess, i);

      at += write->address == fifo[at][0] && write->value == fifo[at][1];
    }
  g_assert_cmpuint (at, ==, G_N_ELEMENTS (fifo));
  clear (&chip);
}

/* A chip that nobody knows gets no write but those of the core's own registers. */
static void
test_unknown (void)
{
  const guint32 words[] = { TS_CORE_CPUID, CPUID_M7, 0x5C001000, 0x10016499, 0xE0001000, 0x40000000,
                            0 };
  Chip chip = { { NULL } };

  g_assert_cmpint (set_up (&chip, CONFIG ("100000000", "2000000"), words), ==, 100000000);
  for (guint i = 0; i < chip.writes->len; i++)
    {
      guint32 address = g_array_index (chip.writes, TsProbeAccess, i).address;

      g_assert_true (address >= 0xE0000000u && address < 0xE0041000u && address >> 12 != 0xE0042);
    }
  clear (&chip);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/trace-target/h7", test_h7);
  g_test_add_func ("/capture/trace-target/h723", test_h723);
  g_test_add_func ("/capture/trace-target/n6", test_n6);
  g_test_add_func ("/capture/trace-target/unknown", test_unknown);

  return g_test_run ();
}
