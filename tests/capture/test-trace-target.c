/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-trace-target.c: the gates that makers of chips have before the trace hardware, on a probe in the
 * test's own process. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "capture/ts-connection-private.h"
#include "capture/ts-core-watch-private.h"
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

/* Every row of the table: which word opens the gate and with which bits, before anything of the trace
 * hardware is touched; where the prescaler goes and what it is. Source: viewalyzer-host.md section 2.5,
 * "Vendor trace gate": ACPR = max (1, floor (cpu / divider / swo)) - 1 */
static void
test_gates (void)
{
  static const struct
  {
    guint32 id_at, id, cpuid;
    guint32 gate, bits;
    guint divider;
    guint32 prescaler_at, funnel;
  } rows[] = {
    { 0xE0042000, 0x20036410, 0x411FC231, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* F1 */
    { 0xE0042000, 0x20036411, 0x412FC230, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* F2 */
    { 0xE0042000, 0x10006422, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* F3 */
    { 0xE0042000, 0x10076413, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* F4 */
    { 0xE0042000, 0x10016451, 0x411FC271, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* F7 */
    { 0xE0042000, 0x10186429, 0x412FC230, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* L1 */
    { 0xE0042000, 0x10076415, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* L4 */
    { 0xE0042000, 0x20036468, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* G4 */
    { 0xE0042000, 0x20016495, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* WB */
    { 0xE0042000, 0x10016497, 0x410FC241, 0xE0042004, 0x27, 1, 0xE0040010, 0 },     /* WL */
    { 0xE0044000, 0x20016472, 0x410FD213, 0xE0044004, 0x36, 1, 0xE0040010, 0 },     /* L5 */
    { 0xE0044000, 0x10016482, 0x410FD213, 0xE0044004, 0x36, 1, 0xE0040010, 0 },     /* U5 */
    { 0xE0044000, 0x10016454, 0x410FD213, 0xE0044004, 0x36, 1, 0xE0040010, 0 },     /* U3 */
    { 0xE0044000, 0x10016492, 0x410FD213, 0xE0044004, 0x36, 1, 0xE0040010, 0 },     /* WBA */
    { 0x44024000, 0x10016474, 0x410FD213, 0x44024004, 0x36, 1, 0xE0040010, 0 },     /* H5 */
    { 0x44024000, 0x10016484, 0x410FD213, 0x44024004, 0x36, 1, 0xE0040010, 0 },
    { 0x44024000, 0x1001644E, 0x410FD213, 0x44024004, 0x36, 1, 0xE0040010, 0 },     /* C5 */
    { 0x5C001000, 0x20036450, 0x411FC271, 0x5C001004, 0x00700000, 1, 0x5C003010, 0x5C004000 }, /* H7 */
    { 0x5C001000, 0x10016480, 0x411FC271, 0x5C001004, 0x00700000, 1, 0x5C003010, 0x5C004000 },
    { 0x5C001000, 0x10016484, 0x411FC271, 0x5C001004, 0x00700000, 1, 0x5C003010, 0x5C004000 },
    { 0x5C001000, 0x10036485, 0x411FC271, 0x5C001004, 0x00700000, 3, 0x5C003010, 0x5C004000 }, /* H7R/S */
    { 0x44001000, 0x20006486, 0x411FD221, 0, 0, 8, 0xE008A010, 0xE0081000 },        /* N6 */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const guint32 words[] = { TS_CORE_CPUID, rows[i].cpuid, rows[i].id_at, rows[i].id,
                                0xE0001000, 0x40000000, rows[i].funnel != 0 ? rows[i].funnel : 0xE0001000,
                                rows[i].funnel != 0 ? 0x300 : 0x40000000,
                                rows[i].gate != 0 ? rows[i].gate : 0xE0001000,
                                rows[i].gate != 0 ? 0x80000040 : 0x40000000, 0 };
      Chip chip = { { NULL } };
      gint64 hz;
      guint n_gate = 0;

      g_test_message ("row %u, id 0x%03x", i, rows[i].id & 0xFFF);
      chip.parent.access_port = rows[i].gate == 0 ? 1 : 0;
      hz = set_up (&chip, CONFIG ("240000000", "2000000"), words);
      g_assert_cmpint (hz, ==, 240000000 / rows[i].divider);
      g_assert_cmpuint (get (&chip, rows[i].prescaler_at), ==, 240000000 / rows[i].divider / 2000000 - 1);
      g_assert_cmpuint (get (&chip, (rows[i].prescaler_at & ~0xFFFu) + 0xF0), ==, 2);
      if (rows[i].gate != 0)
        g_assert_cmphex (get (&chip, rows[i].gate), ==, 0x80000040 | rows[i].bits);
      if (rows[i].funnel != 0)
        g_assert_cmphex (get (&chip, rows[i].funnel), ==, 0x301);
      for (guint j = 0; j < chip.writes->len; j++)
        {
          guint32 address = g_array_index (chip.writes, TsProbeAccess, j).address;
          gboolean is_core = address >= 0xE0000000u && address < 0xE0041000u;

          n_gate += address == rows[i].gate;
          if (!is_core && address != TS_CORE_DEMCR)
            g_assert_true (address == rows[i].gate || address == rows[i].funnel
                           || (rows[i].funnel != 0 && address >> 12 == rows[i].prescaler_at >> 12)
                           || (rows[i].divider == 8 && address >> 12 == 0xE0082));
          if (rows[i].gate != 0 && (address >> 12 == 0xE0040 || address >> 12 == 0xE0000))
            g_assert_cmpuint (n_gate, >, 0);
        }
      clear (&chip);
    }
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

/* What is said of the board, for what its name promises and what it has. Numbers: ST RM0090 (F405 to
 * F417: 0x413, flash at 1FFF7A22), RM0390 (F446: 0x421), RM0008 (F103: 0x410), RM0433 (H743: 0x450),
 * RM0444 (G071: 0x460), RM0091 (F072: 0x448), RM0456 (U575: 0x482). */
static void
test_wrong_board (void)
{
  static const struct
  {
    const char *name;
    guint32 cpuid;
    guint32 id_at;
    guint32 id;
    guint kib; /* of flash, as an F4 tells it; 0: it does not */
    const char *words[3];
  } cases[] = {
    { "STM32F407VG", 0x410FC241, 0xE0042000, 0x10076413, 1024, { NULL } },
    { "stm32f407vgt6", 0x410FC241, 0xE0042000, 0x10076413, 1024, { NULL } },
    { "STM32F405", 0x410FC241, 0xE0042000, 0x10076413, 512, { NULL } },
    { "STM32F407VE", 0x410FC241, 0xE0042000, 0x10076413, 1024, { "STM32F407VE", "512 KiB", "1024 KiB" } },
    { "STM32F407VG", 0x410FC241, 0xE0042000, 0x10076413, 0xFFFF, { NULL } },
    { "STM32F446RE", 0x410FC241, 0xE0042000, 0x10076413, 512,
      { "STM32F446RE", "STM32F405/F407/F415/F417", "0x413" } },
    { "STM32F407VG", 0x410FC241, 0xE0042000, 0x10006421, 512, { "STM32F407VG", "an STM32F446 ", "0x421" } },
    { "STM32F103C8", 0x411FC231, 0xE0042000, 0x20036410, 0, { NULL } },
    { "STM32F103C8", 0x410FC241, 0xE0042000, 0x10076413, 0, { "STM32F103C8", "Cortex-M3", "Cortex-M4" } },
    { "STM32H743ZI", 0x411FC271, 0x5C001000, 0x20036450, 0, { NULL } },
    { "STM32H723ZG", 0x411FC271, 0x5C001000, 0x20036450, 0, { "STM32H723ZG", "STM32H742/H743", "0x450" } },
    { "STM32F767ZI", 0x411FC271, 0x5C001000, 0x20036450, 0, { "STM32F767ZI", "STM32H742", "0x450" } },
    { "STM32U575ZI", 0x410FD213, 0xE0044000, 0x10016482, 0, { NULL } },
    { "STM32U575ZI", 0x410FC241, 0xE0042000, 0x10076413, 0, { "STM32U575ZI", "v8m", "v7m" } },
    { "STM32G071RB", 0x410CC601, 0x40015800, 0x20006460, 0, { NULL } },
    { "STM32G071RB", 0x410CC200, 0x40015800, 0x20016448, 0, { "STM32G071RB", "Cortex-M0+", "a Cortex-M0:" } },
    { "STM32F072RB", 0x410CC200, 0x40015800, 0x20006444, 0, { "STM32F072RB", "STM32F030/F031", "0x444" } },
    { "nRF52840", 0x410FC241, 0, 0, 0, { NULL } },
    { "nRF52840", 0x412FC231, 0, 0, 0, { "nRF52840", "Cortex-M4", "Cortex-M3" } },
    /* whom nobody knows, and numbers that nobody knows */
    { "MyChip", 0x410FC241, 0xE0042000, 0x10076413, 0, { NULL } },
    { "STM32F407VG", 0x410FC241, 0xE0042000, 0x10076FFE, 1024, { NULL } },
    { "STM32F407VG", 0x410FC241, 0, 0, 0, { NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TsConnection) connection = ts_connection_new ();
      g_autofree char *config = g_strdup_printf ("{\"transport\": \"stlink-rambuf\", \"target-device\": \"%s\"}",
                                                 cases[i].name);
      g_autofree char *told = NULL;
      g_autoptr (GError) error = NULL;
      Chip chip = { { NULL } };

      chip.parent.klass = &chip_class;
      chip.words = g_hash_table_new (NULL, NULL);
      chip.writes = g_array_new (FALSE, FALSE, sizeof (TsProbeAccess));
      g_hash_table_insert (chip.words, GUINT_TO_POINTER (TS_CORE_CPUID), GUINT_TO_POINTER (cases[i].cpuid));
      if (cases[i].id_at != 0)
        g_hash_table_insert (chip.words, GUINT_TO_POINTER (cases[i].id_at), GUINT_TO_POINTER (cases[i].id));
      if (cases[i].kib != 0)
        g_hash_table_insert (chip.words, GUINT_TO_POINTER (0x1FFF7A20),
                             GUINT_TO_POINTER (cases[i].kib << 16 | 0x1234));
      ts_connection_load_data (connection, config, -1, "test", FALSE, &error);
      g_assert_no_error (error);
      told = _ts_core_dup_mismatch (&chip.parent, connection);
      if (cases[i].words[0] == NULL)
        g_assert_cmpstr (told, ==, NULL);
      for (guint j = 0; j < G_N_ELEMENTS (cases[i].words) && cases[i].words[j] != NULL; j++)
        if (told == NULL || strstr (told, cases[i].words[j]) == NULL)
          g_error ("%u: “%s” without “%s”", i, told, cases[i].words[j]);
      g_assert_cmpuint (chip.writes->len, ==, 0);
      clear (&chip);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/trace-target/h7", test_h7);
  g_test_add_func ("/capture/trace-target/h723", test_h723);
  g_test_add_func ("/capture/trace-target/n6", test_n6);
  g_test_add_func ("/capture/trace-target/gates", test_gates);
  g_test_add_func ("/capture/trace-target/unknown", test_unknown);
  g_test_add_func ("/capture/trace-target/wrong-board", test_wrong_board);

  return g_test_run ();
}
