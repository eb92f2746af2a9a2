/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cobs.c: consistent overhead byte stuffing, the receiving side. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-cobs.h"

/* Frames without a full block, which is nearly all of them, are as long as their data and one byte:
 * copied in one go, then a zero for each code. -1: not such a frame, or a bad one. */
static gssize
decode_short (const guint8 *frame, gsize n_frame, guint8 *out)
{
  gsize at = frame[0];

  memcpy (out, frame + 1, n_frame - 1);
  while (at < n_frame)
    {
      gsize code = frame[at];

      if (code == 0 || code == 0xFF)
        return -1;
      out[at - 1] = 0;
      at += code;
    }
  return at == n_frame ? (gssize) n_frame - 1 : -1;
}

/**
 * ts_cobs_decode:
 * @frame: (array length=n_frame): the bytes between two delimiters, no zero among them
 * @n_frame: number of bytes in @frame
 * @out: (out caller-allocates) (array length=n_out): the decoded bytes
 * @n_out: room in @out; @n_frame bytes are always enough
 *
 * Decodes one frame. A block of 254 bytes that ends the data may be followed by a last code 01 or
 * not; both are accepted.
 *
 * Thread: safe
 * Source: viewalyzer-wire.md section 3.5
 *
 * Returns: number of decoded bytes, or -1 if a code runs past the end of the frame or @out is too
 * small
 */
gssize
ts_cobs_decode (const guint8 *frame, gsize n_frame, guint8 *out, gsize n_out)
{
  gsize in = 0;
  gsize n = 0;

  g_return_val_if_fail (frame != NULL || n_frame == 0, -1);

  if (n_frame == 0)
    return 0;
  if (n_frame <= n_out && frame[0] != 0 && frame[0] != 0xFF)
    {
      gssize n_short = decode_short (frame, n_frame, out);

      if (n_short >= 0)
        return n_short;
    }

  while (TRUE)
    {
      gsize code = frame[in];

      if (code == 0 || code > n_frame - in || n + code - 1 > n_out)
        return -1;
      memcpy (out + n, frame + in + 1, code - 1);
      n += code - 1;
      in += code;
      if (in == n_frame)
        return (gssize) n;
      if (code < 0xFF)
        {
          if (n == n_out)
            return -1;
          out[n++] = 0;
        }
    }
}
