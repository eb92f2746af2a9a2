/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-cobs.c: any bytes as a COBS frame, into rooms of any size. */
#include "config.h"

#include <string.h>

#include "decode/ts-cobs.h"
#include "fuzz-target.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree guint8 *large = g_malloc (size + 1);
  gssize n = ts_cobs_decode (data, size, large, size);

  g_assert (n <= (gssize) size);
  for (size_t room = 0; room < size && room < 300; room++)
    {
      g_autofree guint8 *out = g_malloc (room + 1);
      gssize m = ts_cobs_decode (data, size, out, room);

      g_assert (m == -1 || (m == n && (size_t) m <= room));
      if (m > 0)
        g_assert (memcmp (out, large, (size_t) m) == 0);
    }
  return 0;
}
