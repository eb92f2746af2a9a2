/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-poll-records.c: writes the stream of polled values. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-poll-records.h"

static const struct
{
  const char *name;
  const char *c_name;
  guint size;
} types[TS_POLL_N_TYPES] = {
  [TS_POLL_U8] = { "u8", "uint8_t", 1 },    [TS_POLL_U16] = { "u16", "uint16_t", 2 },
  [TS_POLL_U32] = { "u32", "uint32_t", 4 }, [TS_POLL_I8] = { "i8", "int8_t", 1 },
  [TS_POLL_I16] = { "i16", "int16_t", 2 },  [TS_POLL_I32] = { "i32", "int32_t", 4 },
  [TS_POLL_F32] = { "f32", "float", 4 },
};

/**
 * ts_poll_type_get_name:
 * @type: a type
 *
 * Returns: (transfer none): as people write it: "u16"
 */
const char *
ts_poll_type_get_name (TsPollType type)
{
  g_return_val_if_fail ((guint) type < TS_POLL_N_TYPES, NULL);

  return types[type].name;
}

/**
 * ts_poll_type_get_c_name:
 * @type: a type
 *
 * Returns: (transfer none): as C names it: "uint16_t"
 */
const char *
ts_poll_type_get_c_name (TsPollType type)
{
  g_return_val_if_fail ((guint) type < TS_POLL_N_TYPES, NULL);

  return types[type].c_name;
}

/**
 * ts_poll_type_parse:
 * @name: a word
 * @type: (out): the type of that name
 *
 * Returns: whether it is one
 */
gboolean
ts_poll_type_parse (const char *name,
                    TsPollType *type)
{
  for (guint i = 0; i < TS_POLL_N_TYPES; i++)
    if (strcmp (types[i].name, name) == 0)
      {
        *type = (TsPollType) i;
        return TRUE;
      }

  return FALSE;
}

/**
 * ts_poll_type_get_size:
 * @type: a type
 *
 * Returns: bytes of a value
 */
guint
ts_poll_type_get_size (TsPollType type)
{
  g_return_val_if_fail ((guint) type < TS_POLL_N_TYPES, 0);

  return types[type].size;
}

static void
put (GByteArray *out,
     guint64 value,
     guint n_bytes)
{
  guint64 word = GUINT64_TO_LE (value);

  g_byte_array_append (out, (const guint8 *) &word, n_bytes);
}

/**
 * ts_poll_put_channel:
 * @out: where to append
 * @channel: its number: 0, then 1, 2 ...
 * @type: of its values
 * @address: where the variable lies
 * @name: its name; cut at 255 bytes
 *
 * To be written before the first values of the channel.
 */
void
ts_poll_put_channel (GByteArray *out,
                     guint channel,
                     TsPollType type,
                     guint32 address,
                     const char *name)
{
  gsize n = MIN (strlen (name), 255);

  put (out, 'C', 1);
  put (out, type, 1);
  put (out, channel, 2);
  put (out, address, 4);
  put (out, n, 1);
  g_byte_array_append (out, (const guint8 *) name, (guint) n);
}

/**
 * ts_poll_put_values:
 * @out: where to append
 * @time_us: when they were read, not before the last time
 * @values: (array length=n_values): one of each channel, as it stood in memory
 * @n_values: how many
 */
void
ts_poll_put_values (GByteArray *out,
                    gint64 time_us,
                    const guint32 *values,
                    guint n_values)
{
  put (out, 'V', 1);
  put (out, n_values, 2);
  put (out, (guint64) time_us, 8);
  for (guint i = 0; i < n_values; i++)
    put (out, values[i], 4);
}

/**
 * ts_poll_put_pc:
 * @out: where to append
 * @time_us: when it was read
 * @pc: value of DWT_PCSR
 */
void
ts_poll_put_pc (GByteArray *out,
                gint64 time_us,
                guint32 pc)
{
  put (out, 'P', 1);
  put (out, (guint64) time_us, 8);
  put (out, pc, 4);
}

/**
 * ts_poll_put_missed:
 * @out: where to append
 * @time_us: now
 * @n_missed: rounds that should have been made before and were not
 */
void
ts_poll_put_missed (GByteArray *out,
                    gint64 time_us,
                    guint32 n_missed)
{
  put (out, 'L', 1);
  put (out, (guint64) time_us, 8);
  put (out, n_missed, 4);
}
