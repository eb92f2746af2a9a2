/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-opencsd.c: the decode tree of OpenCSD hands out what our own reading of formatter frames
 * hands out, source by source and byte by byte.
 */
#include "config.h"

#include <string.h>

#include "decode/ts-opencsd-private.h"
#include "decode/ts-tpiu-private.h"

typedef struct
{
  GByteArray *by_id[TS_TPIU_N_IDS];
} Sources;

static void
take (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  Sources *sources = user_data;

  if (id == 0 || id >= TS_TPIU_FIRST_RESERVED)
    return;
  if (sources->by_id[id] == NULL)
    sources->by_id[id] = g_byte_array_new ();
  g_byte_array_append (sources->by_id[id], bytes, (guint) n_bytes);
}

static void
clear (Sources *sources)
{
  for (guint i = 0; i < TS_TPIU_N_IDS; i++)
    g_clear_pointer (&sources->by_id[i], g_byte_array_unref);
}

static void
assert_same (const Sources *a, const Sources *b)
{
  for (guint i = 0; i < TS_TPIU_N_IDS; i++)
    {
      const GByteArray *left = a->by_id[i];
      const GByteArray *right = b->by_id[i];

      g_assert_cmpmem (left != NULL ? left->data : NULL, (left != NULL ? left->len : 0),
                       right != NULL ? right->data : NULL, (right != NULL ? right->len : 0));
    }
}

/* FALSE: the library is not there, and the test is skipped. */
static gboolean
compare (const guint8 *frames, gsize n_bytes, gsize slice)
{
  Sources own = { { NULL } };
  Sources theirs = { { NULL } };
  g_autoptr (TsOpencsd) tree = _ts_opencsd_new (TRUE, take, &theirs);
  TsTpiu *tpiu;

  if (tree == NULL)
    {
      g_test_skip ("built without OpenCSD");
      return FALSE;
    }
  tpiu = g_new (TsTpiu, 1);
  _ts_tpiu_init (tpiu, take, &own);
  tpiu->layout = TS_TPIU_MEMORY;
  _ts_tpiu_push (tpiu, frames, n_bytes);
  for (gsize at = 0; at < n_bytes; at += slice)
    _ts_opencsd_push (tree, frames + at, MIN (slice, n_bytes - at));
  _ts_opencsd_finish (tree);
  assert_same (&own, &theirs);
  g_free (tpiu);
  clear (&own);
  clear (&theirs);
  return TRUE;
}

/* The frames of itm-dwt.md section 7.3. */
static void
test_example (void)
{
  static const guint8 frames[]
      = { 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x30,
          0x08, 0xC0, 0x17, 0x16, 0x68, 0xAA, 0x00, 0x03, 0x08, 0xC0, 0x82, 0x48, 0x17, 0xA8, 0x0B,
          0x10, 0x2E };
  static const guint8 first[] = { 0, 0, 0, 0, 0, 0x80, 0xC0, 0x82, 0x49, 0x17, 0xA8, 0x0B, 0x10 };
  static const guint8 second[]
      = { 0, 0, 0, 0, 0, 0x80, 0x30, 0xC0, 0x17, 0x17, 0x68, 0xAB, 0x00, 0x08 };
  Sources sources = { { NULL } };
  g_autoptr (TsOpencsd) tree = _ts_opencsd_new (TRUE, take, &sources);

  if (tree == NULL)
    {
      g_test_skip ("built without OpenCSD");
      return;
    }
  _ts_opencsd_push (tree, frames, sizeof frames);
  _ts_opencsd_push (tree, frames, 0);
  _ts_opencsd_finish (tree);
  g_assert_cmpmem (sources.by_id[1]->data, sources.by_id[1]->len, first, sizeof first);
  g_assert_cmpmem (sources.by_id[2]->data, sources.by_id[2]->len, second, sizeof second);
  clear (&sources);
}

/* Random frames: every id, data and flag; blocks of any number of frames. */
static void
test_random (void)
{
  for (guint round = 0; round < 50; round++)
    {
      gsize n_frames = (gsize) g_test_rand_int_range (1, 300);
      g_autofree guint8 *frames = g_malloc (n_frames * TS_TPIU_FRAME);

      for (gsize i = 0; i < n_frames * TS_TPIU_FRAME; i++)
        frames[i] = (guint8) g_test_rand_int_range (0, 256);
      /* an id before anything else, and none of those that look like a synchronisation */
      frames[0] = 3;
      for (gsize i = 0; i < n_frames * TS_TPIU_FRAME; i += 2)
        if ((frames[i] & 1) != 0 && i % TS_TPIU_FRAME != TS_TPIU_FRAME - 1 && frames[i] >> 1 >= 0x70)
          frames[i] &= 0x3F;
      if (!compare (frames, n_frames * TS_TPIU_FRAME,
                    TS_TPIU_FRAME * (gsize) g_test_rand_int_range (1, 20)))
        return;
    }
}

static void
test_capture (void)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  static const char *const names[]
      = { "ctrace/TB-Trace/Blinky+Arm.TB.raw", "ctrace/formatted-synthetic/Synthetic.TB.raw",
          "ctrace/Blinky+Arm/Blinky+Arm.TB.raw", "itm/opencsd-itm_testdata_ID_0x14.bin",
          "itm/sigrok-stm32f105-trace_example.tpiu.bin" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (shared != NULL ? shared : "../shared", "data",
                                                names[i], NULL);
      g_autofree char *bytes = NULL;
      gsize n;

      if (!g_file_get_contents (path, &bytes, &n, NULL))
        {
          if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
            g_error ("%s is missing", path);
          g_test_skip ("the captures are not there");
          return;
        }
      n -= n % TS_TPIU_FRAME;
      if (!compare ((const guint8 *) bytes, n, TS_TPIU_FRAME)
          || !compare ((const guint8 *) bytes, n, n))
        return;
    }
}

/* Raw bytes go through the tree as they are, and again after a reset. */
static void
test_raw (void)
{
  static const guint8 bytes[] = { 0, 0, 0, 0, 0, 0x80, 1, 'A' };
  Sources sources = { { NULL } };
  g_autoptr (TsOpencsd) tree = _ts_opencsd_new (FALSE, take, &sources);

  if (tree == NULL)
    {
      g_test_skip ("built without OpenCSD");
      return;
    }
  for (gsize i = 0; i < sizeof bytes; i++)
    _ts_opencsd_push (tree, bytes + i, 1);
  _ts_opencsd_reset (tree);
  _ts_opencsd_push (tree, bytes, sizeof bytes);
  _ts_opencsd_finish (tree);
  g_assert_cmpuint (sources.by_id[TS_OPENCSD_RAW]->len, ==, 2 * sizeof bytes);
  g_assert_cmpmem (sources.by_id[TS_OPENCSD_RAW]->data + sizeof bytes, sizeof bytes, bytes,
                   sizeof bytes);
  clear (&sources);
}

static gpointer
make_trees (gpointer user_data)
{
  for (guint i = 0; i < 30; i++)
    {
      Sources sources = { { NULL } };
      TsOpencsd *tree = _ts_opencsd_new (i & 1, take, &sources);

      if (tree == NULL)
        return NULL;
      _ts_opencsd_free (tree);
    }
  return NULL;
}

/* Trees in several threads: the library alone crashes here. Source: coresight.md section 2.11 */
static void
test_threads (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("trees", make_trees, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/opencsd/example", test_example);
  g_test_add_func ("/decode/opencsd/random", test_random);
  g_test_add_func ("/decode/opencsd/capture", test_capture);
  g_test_add_func ("/decode/opencsd/raw", test_raw);
  g_test_add_func ("/decode/opencsd/threads", test_threads);
  return g_test_run ();
}
