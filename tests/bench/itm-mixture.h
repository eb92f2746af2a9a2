/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itm-mixture.h: the bytes of a busy ITM: text in words and bytes, data trace with PC, exceptions,
 * PC samples, counters, local time stamps of all lengths, now and then a synchronisation packet.
 */
#pragma once

#include <glib.h>
#include <string.h>

/* Packets between two synchronisation packets. */
#define MIXTURE_SYNC 65536

/** Where the mixture stands; begins as zeros. */
typedef struct
{
  guint8 packets[20][16];
  guint8 sizes[20];
  gboolean is_ready;
  guint32 state;
  guint n;
} ItmMixture;

static inline void
itm_mixture_prepare (ItmMixture *self)
{
  /* Source: itm-dwt.md section 5, examples 9, 11, 24, 26, 28 to 30, 32, 36, 38 */
  static const char *const packets[] = {
    "0348656c6c", "0348656c6c", "026f0a",       "0141",         "47aab800088fc2000000",
    "c0f7c904",   "1734120008", "20",           "0e0f10",       "c078",
    "0e0f20",     "60",         "0e0030",       "e0c226",       "9e3322",
    "0515",       "0b00112233", "47aab800088fc3000000", "c0bbdf74", "1778560008",
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (packets) == G_N_ELEMENTS (self->sizes));
  for (guint i = 0; i < G_N_ELEMENTS (packets); i++)
    for (const char *hex = packets[i]; hex[0] != '\0'; hex += 2)
      self->packets[i][self->sizes[i]++] = (guint8) (g_ascii_xdigit_value (hex[0]) << 4
                                                     | g_ascii_xdigit_value (hex[1]));
  self->state = 1;
  self->is_ready = TRUE;
}

/** Appends at least @n_bytes to @bytes, up to the end of a packet. */
static inline void
itm_mixture_append (ItmMixture *self, GByteArray *bytes, guint n_bytes)
{
  static const guint8 sync[] = { 0, 0, 0, 0, 0, 0x80 };
  guint end = bytes->len + n_bytes;

  if (!self->is_ready)
    itm_mixture_prepare (self);
  while (bytes->len < end)
    {
      guint which;

      if (self->n++ % MIXTURE_SYNC == 0)
        g_byte_array_append (bytes, sync, sizeof sync);
      self->state = self->state * 1664525u + 1013904223u;
      which = (self->state >> 16) % G_N_ELEMENTS (self->sizes);
      g_byte_array_append (bytes, self->packets[which], self->sizes[which]);
    }
}
