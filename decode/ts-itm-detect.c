/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-itm-detect.c: is it a trace stream of ITM, bare or in formatter frames, and does it carry the
 * recorder? By synchronisation packets, and by how much of the first bytes is plausible. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-reader-private.h"
#include "ts-tpiu-private.h"
#include "ts-va-stream-private.h"

/* A synchronisation packet: so many bytes of zeros before the one with the one in it.
 * Source: itm-dwt.md section 2.1 */
#define SYNC_ZEROS 5
#define SYNC_END 0x80
/* Bits of an exception that are zero, and those of an event counter. Source: itm-dwt.md section 2.7 */
#define EXCEPTION_ZEROS 0xCE00
#define COUNTERS 0x3F

/* Shares, in thousandths of the bytes, from which on a stream is believed: recorder streams,
 * programs, pictures and noise stay below 920, good captures above 930 with and 970 without
 * synchronisation. */
#define ENOUGH_SYNCED 930
#define ENOUGH 970
/* So few packets say nothing, with synchronisation or without. */
#define LEAST_SYNCED 4
#define LEAST 64
/* A target sends few kinds of packets, over and over, but not one and the same; it hardly changes
 * the page of ports. */
#define PACKETS_PER_HEADER 8
#define PACKETS_PER_EXTENSION 20
#define PACKETS_PER_CHANGE 8
/* A short capture without synchronisation: fewer packets do, if each byte is of one and their kinds
 * are few. Recorder streams hold bytes of zero, noise hardly repeats a kind. */
#define LEAST_SHORT 16
#define SHORT_PACKETS_PER_HEADER 3
/* More than these thousandths of a formatted stream are of sources that speak ITM, or padding. */
#define ENOUGH_OF_SOURCES 600
#define MOST_RESERVED 20
#define LEAST_FULL_SYNCS 2
/* Source: itm-dwt.md section 7.1 */
#define TRIGGER_ID 0x7D
/* What is written to the recorder's port is of the recorder from these thousandths on. */
#define ENOUGH_RECORDER 800
#define LEAST_RECORDER 32

typedef struct
{
  gsize n_good;  /* bytes of plausible packets */
  gsize n_bytes; /* all that were looked at */
  guint n_packets;
  guint n_syncs;
  guint n_extensions;
  guint n_headers; /* different ones */
  guint n_changes; /* packets that are not as the one before */
  guint64 last;
  guint8 was_seen[256];
} Figures;

static gboolean
is_plausible (const TsItmPacket *packet)
{
  switch (packet->type)
    {
    case TS_ITM_EVENT_COUNTER:
      return packet->value != 0 && packet->value <= COUNTERS;
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
      return (packet->value & EXCEPTION_ZEROS) == 0;
    case TS_ITM_PC_SAMPLE:
      return (packet->value & 1) == 0;
    case TS_ITM_EXCEPTION_RESERVED:
    case TS_ITM_HW_RESERVED_DISC:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_EXCEPTION_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
      return FALSE;
    default:
      return !_ts_itm_type_is_error (packet->type);
    }
}

static void
count_packet (Figures *figures, const TsItmPacket *packet)
{
  guint64 all = packet->value << 8 | packet->header;

  figures->n_packets++;
  if (all != figures->last)
    figures->n_changes++;
  figures->last = all;
  if (packet->type == TS_ITM_EXTENSION)
    figures->n_extensions++;
  if (!figures->was_seen[packet->header])
    figures->n_headers++;
  figures->was_seen[packet->header] = TRUE;
}

/* Reads packets from the first byte on, a byte further after what is none. @port: takes what is
 * written to @itm_port. */
static void
rate_itm (const guint8 *bytes, gsize n_bytes, guint itm_port, GByteArray *port, Figures *figures)
{
  g_autofree TsItmReader *reader = g_new0 (TsItmReader, 1);
  gsize at = 0;

  memset (figures, 0, sizeof *figures);
  while (at < n_bytes)
    {
      TsItmPacket packet;
      gsize n_zeros = 0;
      int n;

      while (at + n_zeros < n_bytes && bytes[at + n_zeros] == 0)
        n_zeros++;
      if (n_zeros > 0)
        {
          if (at + n_zeros == n_bytes)
            break;
          at += n_zeros;
          if (n_zeros < SYNC_ZEROS || bytes[at] != SYNC_END)
            continue;
          at++;
          figures->n_good += n_zeros + 1;
          figures->n_syncs++;
          continue;
        }
      n = _ts_itm_packet_parse (reader, bytes + at, n_bytes - at, &packet);
      if (n == 0)
        break;
      if (n < 0 || !is_plausible (&packet))
        {
          at++;
          continue;
        }
      count_packet (figures, &packet);
      if (packet.type == TS_ITM_SWIT && packet.port == itm_port)
        g_byte_array_append (port, bytes + at + 1, packet.size);
      figures->n_good += (gsize) n;
      at += (gsize) n;
    }
  figures->n_bytes = at;
}

static gboolean
is_believed (const Figures *figures)
{
  if (figures->n_syncs > 0)
    return figures->n_packets >= LEAST_SYNCED
           && figures->n_good * 1000 >= figures->n_bytes * ENOUGH_SYNCED;
  if (figures->n_packets < LEAST)
    return figures->n_packets >= LEAST_SHORT && figures->n_good == figures->n_bytes
           && figures->n_packets >= figures->n_headers * SHORT_PACKETS_PER_HEADER
           && figures->n_extensions == 0
           && figures->n_packets <= figures->n_changes * PACKETS_PER_CHANGE;
  return figures->n_good * 1000 >= figures->n_bytes * ENOUGH
         && figures->n_packets >= figures->n_headers * PACKETS_PER_HEADER
         && figures->n_packets >= figures->n_extensions * PACKETS_PER_EXTENSION
         && figures->n_packets <= figures->n_changes * PACKETS_PER_CHANGE;
}

static gboolean
is_recorder (const GByteArray *port)
{
  return port->len >= LEAST_RECORDER
         && _ts_va_rate_raw (port->data, port->len, FALSE) >= ENOUGH_RECORDER;
}

/* Whether it is lines of text, which are no stream, whatever their letters mean as headers. */
gboolean
_ts_itm_is_text (const guint8 *bytes, gsize n_bytes)
{
  for (gsize i = 0; i < n_bytes; i++)
    if (bytes[i] == 0x7F || (bytes[i] < ' ' && strchr ("\t\n\f\r\033", bytes[i]) == NULL)
        || bytes[i] == 0)
      return FALSE;
  return TRUE;
}

/* Whether it is a file of a kind that begins like nothing that targets send: a program, a picture,
 * a packed file. */
gboolean
_ts_itm_is_foreign (const guint8 *bytes, gsize n_bytes)
{
  static const char *const magics[]
      = { "\177ELF", "\211PNG\r\n\032\n", "PK\003\004", "\037\213\010", "\3757zXZ" };

  for (guint i = 0; i < G_N_ELEMENTS (magics); i++)
    {
      gsize n = strlen (magics[i]);

      if (n_bytes > n && memcmp (bytes, magics[i], n) == 0)
        return TRUE;
    }
  return FALSE;
}

typedef struct
{
  GByteArray *sources[TS_TPIU_N_IDS];
  gsize n_reserved;
} Sources;

static void
take_source (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  Sources *self = user_data;

  /* bytes before the first id, padding, and the trigger are of no source */
  if (id == TS_TPIU_NO_ID || id == 0 || id == TRIGGER_ID)
    return;
  if (id >= TS_TPIU_FIRST_RESERVED)
    {
      self->n_reserved += n_bytes;
      return;
    }
  if (self->sources[id] == NULL)
    self->sources[id] = g_byte_array_new ();
  g_byte_array_append (self->sources[id], bytes, (guint) n_bytes);
}

/* "tpiu" or "va-tpiu" if sources in formatter frames speak ITM. */
static const char *
detect_tpiu (const guint8 *bytes, gsize n_bytes, guint itm_port)
{
  g_autofree TsTpiu *tpiu = g_new0 (TsTpiu, 1);
  Sources all = { 0 };
  gboolean has_recorder = FALSE;
  gsize n_trace = 0;
  gsize n_all;

  _ts_tpiu_init (tpiu, take_source, &all);
  _ts_tpiu_push (tpiu, bytes, n_bytes);
  _ts_tpiu_finish (tpiu);
  n_all = all.n_reserved;
  for (guint id = 1; id < TS_TPIU_FIRST_RESERVED; id++)
    {
      g_autoptr (GByteArray) source = g_steal_pointer (&all.sources[id]);
      g_autoptr (GByteArray) port = g_byte_array_new ();
      Figures figures;

      if (source == NULL)
        continue;
      n_all += source->len;
      rate_itm (source->data, source->len, itm_port, port, &figures);
      /* frames that synchronisation stands between tell enough */
      if (!is_believed (&figures)
          && (tpiu->n_full_syncs < LEAST_FULL_SYNCS || figures.n_packets < LEAST_SYNCED
              || figures.n_good * 1000 < figures.n_bytes * ENOUGH))
        continue;
      n_trace += source->len;
      has_recorder |= is_recorder (port);
    }
  if (n_trace == 0 || n_trace * 1000 < n_all * ENOUGH_OF_SOURCES
      || all.n_reserved * 1000 > n_all * MOST_RESERVED)
    return NULL;
  return has_recorder ? "va-tpiu" : "tpiu";
}

/* The format of the trace that the first bytes of a stream show: "itm", "tpiu", or one of them with
 * the recorder on @itm_port: "va-itm", "va-tpiu"; a static string, %NULL if it is no trace.
 * Source: itm-dwt.md sections 7, 8.3 and 8.4 */
const char *
_ts_itm_detect (const guint8 *bytes, gsize n_bytes, guint itm_port)
{
  g_autoptr (GByteArray) port = g_byte_array_new ();
  const char *framed;
  Figures figures;

  framed = detect_tpiu (bytes, n_bytes, itm_port);
  if (framed != NULL)
    return framed;
  rate_itm (bytes, n_bytes, itm_port, port, &figures);
  if (!is_believed (&figures))
    return NULL;
  return is_recorder (port) ? "va-itm" : "itm";
}
