/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-stlink-protocol.c: what of the ST-LINK's protocol needs no USB: status, batches, speeds. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-stlink-private.h"

/* Commands of a batch. Source: probes.md section 1.8 */
enum
{
  BATCH_ADDRESS = 1,
  BATCH_WRITE = 2,
  BATCH_READ = 3,
  BATCH_AP = 5,
};

#define STATUS_OK 0x80

static gboolean
fail (GError **error,
      int code,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);

  return FALSE;
}

/* What a status byte means to a person. Source: probes.md section 1.4 */
gboolean
_ts_stlink_fail_status (guint status,
                        guint32 address,
                        GError **error)
{
  switch (status)
    {
    case 0x05:
    case 0x09:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The ST-LINK finds no target: check cable, power and reset line."));
    case 0x0B:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The target's debug port stays off: it is in deep sleep or read-protected."));
    case 0x1D:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The access port does not exist: choose another “stlink-apid”."));
    case 0x0E:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("Another program uses this ST-LINK: end it first."));
    case 0x11:
    case 0x15:
    case 0x19:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("The target refuses access to memory at 0x%08x: is the address right, and the "
                     "core awake?"),
                   address);
      return FALSE;
    default:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("The ST-LINK reports error 0x%02x at 0x%08x."), status, address);
      return FALSE;
    }
}

static void
add (guint8 *commands,
     guint32 *words,
     guint *n,
     guint8 command,
     guint32 word)
{
  commands[*n] = command;
  words[*n] = GUINT32_TO_LE (word);
  (*n)++;
}

/* Commands of one access: a store needs its address before it. */
static guint
count_commands (const TsProbeAccess *access)
{
  return access->is_write ? 2 : 1;
}

/*
 * _ts_stlink_batch_encode:
 * @accesses: (array length=n_accesses): at most (%TS_STLINK_MAX_BATCH - 1) / 2
 * @n_accesses: how many
 * @access_port: index of the access port
 * @data: (out): at least %TS_STLINK_BATCH_BYTES
 * @n_data: (out): bytes of it
 *
 * Returns: how many commands it holds
 */
guint
_ts_stlink_batch_encode (const TsProbeAccess *accesses,
                         gsize n_accesses,
                         guint access_port,
                         guint8 *data,
                         gsize *n_data)
{
  guint8 commands[TS_STLINK_MAX_BATCH] = { 0 };
  guint32 words[TS_STLINK_MAX_BATCH];
  guint n = 0;
  gsize n_head;

  g_assert (2 * n_accesses + 1 <= TS_STLINK_MAX_BATCH);

  add (commands, words, &n, BATCH_AP, access_port);
  for (gsize i = 0; i < n_accesses; i++)
    {
      if (accesses[i].is_write)
        {
          add (commands, words, &n, BATCH_ADDRESS, accesses[i].address);
          add (commands, words, &n, BATCH_WRITE, accesses[i].value);
        }
      else
        add (commands, words, &n, BATCH_READ, accesses[i].address);
    }
  n_head = (n + 3) & ~(gsize) 3;
  memcpy (data, commands, n_head);
  memcpy (data + n_head, words, 4 * n);
  *n_data = n_head + 4 * n;

  return n;
}

/*
 * _ts_stlink_batch_decode:
 * @accesses: (array length=n_accesses): those that were encoded; gets what was loaded
 * @n_accesses: how many
 * @answer: as many result words as there were commands, then as many status words
 * @n_commands: how many
 * @address: (out): of the access that failed
 *
 * Returns: status of the first access that failed, else that of success
 */
guint
_ts_stlink_batch_decode (TsProbeAccess *accesses,
                         gsize n_accesses,
                         const guint8 *answer,
                         guint n_commands,
                         guint32 *address)
{
  guint at = 0;

  *address = 0;
  for (gsize i = 0; i < n_accesses; i++)
    {
      guint32 value, status;

      at += count_commands (&accesses[i]);
      memcpy (&value, answer + 4 * at, sizeof value);
      memcpy (&status, answer + 4 * (n_commands + at), sizeof status);
      status = GUINT32_FROM_LE (status) & 0xFF;
      if (status != STATUS_OK)
        {
          *address = accesses[i].address;
          return status;
        }
      if (!accesses[i].is_write)
        accesses[i].value = GUINT32_FROM_LE (value);
    }

  return STATUS_OK;
}

/*
 * _ts_stlink_choose_divisor:
 * @wish_khz: a speed
 * @khz: (out): the largest speed of a V2 that is not above it
 *
 * Source: probes.md section 1.6
 *
 * Returns: its divisor
 */
guint
_ts_stlink_choose_divisor (guint wish_khz,
                           guint *khz)
{
  static const struct
  {
    guint16 khz, divisor;
  } v2[] = { { 4000, 0 },  { 1800, 1 },  { 1200, 2 },  { 950, 3 },  { 650, 5 },   { 480, 7 },
             { 400, 9 },   { 360, 10 },  { 240, 15 },  { 150, 25 }, { 125, 31 },  { 100, 40 },
             { 50, 79 },   { 25, 158 },  { 15, 265 },  { 5, 798 } };
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (v2) && v2[i].khz > wish_khz)
    i++;
  *khz = v2[i].khz;

  return v2[i].divisor;
}
