/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cobs.h: consistent overhead byte stuffing, the receiving side.
 *
 * A COBS stream is a row of frames without zero bytes, each ended by one zero. Splitting at the
 * zeros is the caller's work; this turns the bytes of one frame back into what was sent.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gssize ts_cobs_decode (const guint8 *frame, gsize n_frame, guint8 *out, gsize n_out);

G_END_DECLS
