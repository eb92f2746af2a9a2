/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-metadata-attach.c: attaches to a running target whose recorder keeps its names in RAM. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-metadata-attach-private.h"

/* Source: viewalyzer-wire.md section 12.4, "time out (recommended 2 s)" */
#define ANSWER_US (2 * G_USEC_PER_SEC)
/* A table that changes before each answer is not waited for any longer. */
#define MAX_REQUESTS 20
/* More of the ring than this is not kept while waiting. */
#define MAX_STREAM (16 * 1024 * 1024)
#define REQUEST_AT 40
#define REQUEST_GENERATION_AT 44
#define STATUS_DONE 0
#define STATUS_GENERATION 1
#define STATUS_OVERFLOW 2
/* Source: viewalyzer-wire.md section 2.1 */
#define MARKER_BEGIN 'V'
#define MARKER_LEN 12

/* ---- the ring meanwhile ---- */

static void
give_up (TsMetadataAttach *self,
         const char *why)
{
  self->state = TS_ATTACH_PLAIN;
  g_free (self->problem);
  self->problem = g_strdup (why);
}

/* Takes what is in the ring, so that the target has room for its answer. */
static gboolean
drain_ring (TsMetadataAttach *self,
            GError **error)
{
  TsDrainResult result;

  if (!_ts_ring_drain_step (self->drain, self->stream, &result, error))
    return FALSE;
  if (result == TS_DRAIN_BYTES && !_ts_ring_drain_release (self->drain, FALSE, error))
    return FALSE;
  if (result == TS_DRAIN_RESTARTED || result == TS_DRAIN_RESTARTING)
    give_up (self, _("The target restarted while its names were read: they follow with its new "
                     "start."));
  else if (self->stream->len > MAX_STREAM)
    give_up (self, _("The target does not answer the request for its names; they are read as far "
                     "as they are there."));

  return TRUE;
}

/* ---- finding the block ---- */

/* Whether @address holds a sane metadata block whose table lies in stated RAM. */
static gboolean
look (TsMetadataAttach *self,
      guint32 address,
      TsVaMetadata *metadata,
      gboolean *is_sane,
      GError **error)
{
  TsTargetMemory *memory = self->drain->memory;
  guint8 bytes[TS_VA_METADATA_BLOCK_LEN];

  *is_sane = FALSE;
  if (!_ts_target_memory_read (memory, address, bytes, sizeof bytes, error))
    return FALSE;
  *is_sane = ts_va_metadata_parse (address, bytes, sizeof bytes, metadata)
             && _ts_target_memory_holds (memory, metadata->table, metadata->capacity);

  return TRUE;
}

/* The magic makes the block scannable: it is an ordinary aligned object. The first sane one of all
 * pieces is taken. */
static gboolean
scan_piece (TsTargetMemory *memory,
            guint32 base,
            const guint8 *bytes,
            gsize n_bytes,
            gsize n_own,
            gpointer user_data,
            GError **error)
{
  TsMetadataAttach *self = user_data;
  TsVaImage image = { base, bytes, n_bytes };
  TsVaBlockKind kind;
  gsize offset = 0;

  for (; self->address == 0 && ts_va_image_find (&image, &offset, &kind);
       offset += TS_VA_MAGIC_LEN)
    {
      guint32 address = base + (guint32) offset;
      TsVaMetadata metadata;
      gboolean is_sane;

      if (kind != TS_VA_BLOCK_METADATA || offset >= n_own
          || !_ts_target_memory_holds (memory, address, TS_VA_METADATA_BLOCK_LEN))
        continue;
      if (!look (self, address, &metadata, &is_sane, error))
        return FALSE;
      if (is_sane)
        self->address = address;
    }

  /* looking through all of RAM takes long: the ring must not overflow meanwhile */
  return self->state != TS_ATTACH_WAITING || drain_ring (self, error);
}

/*
 * _ts_metadata_attach_init:
 * @self: (out caller-allocates): to be cleared with _ts_metadata_attach_clear()
 * @drain: a ring that was chosen and says that its recorder keeps names in RAM
 * @known: where the block of names was found before, 0: nowhere
 * @error: return location
 *
 * Finds the block of names by symbol, else by scanning.
 *
 * Errors: those of the probe
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_metadata_attach_init (TsMetadataAttach *self,
                          TsRingDrain *drain,
                          guint32 known,
                          GError **error)
{
  g_autofree char *problem = NULL;
  TsVaMetadata metadata;
  guint32 symbol = 0;
  gboolean is_sane = FALSE;

  memset (self, 0, sizeof *self);
  self->drain = drain;
  self->table = g_byte_array_new ();
  self->stream = g_byte_array_new ();
  if (known != 0)
    {
      if (!look (self, known, &metadata, &is_sane, error))
        return FALSE;
      self->address = is_sane ? known : 0;
    }
  if (self->address == 0
      && _ts_target_memory_find_symbol (drain->memory, "_VA_METADATA", TS_VA_METADATA_BLOCK_LEN,
                                     &symbol, &problem))
    {
      if (!look (self, symbol, &metadata, &is_sane, error))
        return FALSE;
      if (is_sane)
        self->address = symbol;
    }
  if (self->address == 0
      && !_ts_target_memory_scan (drain->memory, TS_VA_MAGIC_LEN, scan_piece, self, error))
    return FALSE;
  if (self->address == 0)
    give_up (self, _("The recorder keeps its names in RAM, but where was not found: give the "
                     "firmware's ELF file, or reset the target, to see names."));

  return TRUE;
}

void
_ts_metadata_attach_clear (TsMetadataAttach *self)
{
  g_clear_pointer (&self->table, g_byte_array_unref);
  g_clear_pointer (&self->stream, g_byte_array_unref);
  g_clear_pointer (&self->problem, g_free);
}

/* ---- the protocol ---- */

/* Generation of the table whose block is at @address; FALSE: it cannot be read now. */
gboolean
_ts_metadata_read_generation (TsTargetMemory *memory,
                              guint32 address,
                              guint32 *generation)
{
  guint8 bytes[TS_VA_METADATA_BLOCK_LEN];
  TsVaMetadata metadata;

  if (!_ts_target_memory_read (memory, address, bytes, sizeof bytes, NULL)
      || !ts_va_metadata_parse (address, bytes, sizeof bytes, &metadata))
    return FALSE;
  *generation = metadata.generation;

  return TRUE;
}

/* Reads the table; FALSE in @is_stable when it changed meanwhile. */
static gboolean
read_table (TsMetadataAttach *self,
            const TsVaMetadata *before,
            gboolean *is_stable,
            GError **error)
{
  TsTargetMemory *memory = self->drain->memory;
  TsVaMetadata after;
  gboolean is_sane;

  *is_stable = FALSE;
  if (before->generation == 0 || before->generation % 2 != 0)
    return TRUE;
  g_byte_array_set_size (self->table, before->used);
  if ((before->used > 0
       && !_ts_target_memory_read (memory, before->table, self->table->data, before->used, error))
      || !look (self, self->address, &after, &is_sane, error))
    return FALSE;
  *is_stable = is_sane && after.generation == before->generation && after.used == before->used
               && after.table == before->table;
  if (!*is_stable)
    g_byte_array_set_size (self->table, 0);
  self->generation = before->generation;

  return TRUE;
}

/* Step 3: the generation first, then a number that is neither 0 nor the last answer's. */
static gboolean
write_request (TsMetadataAttach *self,
               const TsVaMetadata *metadata,
               GError **error)
{
  TsProbe *probe = self->drain->memory->probe;

  self->request = MAX (metadata->ack, metadata->request) + 1;
  if (self->request == 0 || self->request == metadata->ack)
    self->request = metadata->ack == 1 ? 2 : 1;

  return ts_probe_write_word (probe, self->address + REQUEST_GENERATION_AT, self->generation,
                              error)
         && ts_probe_write_word (probe, self->address + REQUEST_AT, self->request, error);
}

/* The target has answered with @metadata. */
static gboolean
take_answer (TsMetadataAttach *self,
             const TsVaMetadata *metadata,
             GError **error)
{
  if (metadata->ack_status == STATUS_GENERATION)
    {
      self->request = 0; /* the table changed: once more */
      return TRUE;
    }
  /* the answer was visible before its acknowledgement: it is taken along now */
  if (!drain_ring (self, error))
    return FALSE;
  if (self->state != TS_ATTACH_WAITING)
    return TRUE;
  if (metadata->ack_status == STATUS_OVERFLOW)
    give_up (self, _("The recorder's table of names has overflowed: some names are missing. Make "
                     "it larger in the firmware."));
  else if (metadata->ack_status != STATUS_DONE
           || !ts_va_metadata_find_answer (self->stream->data, self->stream->len,
                                           metadata->ack_sequence, &self->answer_at,
                                           &self->ticks))
    give_up (self, _("The target's answer to the request for its names makes no sense; the stream "
                     "is taken as it comes."));
  else
    {
      self->answer = metadata->ack_sequence;
      self->state = TS_ATTACH_DONE;
    }

  return TRUE;
}

/*
 * _ts_metadata_attach_step:
 * @self: an attach that waits
 * @now_us: what time it is
 * @error: return location
 *
 * One step of the protocol; @self->state tells what is next. The ring is drained meanwhile.
 *
 * Errors: those of the probe
 * Source: viewalyzer-wire.md section 12.4, "Attach protocol"
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_metadata_attach_step (TsMetadataAttach *self,
                          gint64 now_us,
                          GError **error)
{
  TsVaMetadata metadata;
  gboolean is_sane, is_stable, is_late;

  if (self->state != TS_ATTACH_WAITING)
    return TRUE;
  if (!drain_ring (self, error))
    return FALSE;
  if (self->state != TS_ATTACH_WAITING)
    return TRUE;
  /* a slow probe may have taken long to get here */
  if (self->started_us == 0)
    self->started_us = now_us;
  is_late = now_us - self->started_us > ANSWER_US || self->n_requests > MAX_REQUESTS;
  if (!look (self, self->address, &metadata, &is_sane, error))
    return FALSE;
  if (!is_sane)
    {
      give_up (self, _("The recorder's table of names has become unreadable; the stream is taken as "
                       "it comes."));
      return TRUE;
    }

  if (self->request == 0 && !is_late)
    {
      if (!read_table (self, &metadata, &is_stable, error))
        return FALSE;
      if (!is_stable)
        return TRUE;
      self->started_us = 0; /* from the next step on */
      self->n_requests++;
      return write_request (self, &metadata, error);
    }
  if (metadata.request_generation == 0)
    {
      give_up (self, _("The target restarted while its names were read: they follow with its new "
                       "start."));
      g_byte_array_set_size (self->table, 0);
      return TRUE;
    }

  if (self->request != 0 && metadata.ack == self->request)
    return take_answer (self, &metadata, error);
  if (is_late)
    give_up (self, _("The target does not answer the request for its names: does its firmware "
                     "still record, or call the recorder's service function?"));

  return TRUE;
}

/*
 * _ts_metadata_attach_take:
 * @self: an attach that is done, or plain
 * @out: where to append
 * @n_names: (out): packets of the table
 *
 * Gives out the names, then the stream; what came before the target's answer is left out and
 * counted.
 */
void
_ts_metadata_attach_take (TsMetadataAttach *self,
                          GByteArray *out,
                          guint *n_names)
{
  const guint8 *stream = self->stream->data;
  gsize n_stream = self->stream->len;
  gboolean is_done = self->state == TS_ATTACH_DONE;
  /* without an answer: the number of the first packet there is */
  gsize number_at = n_stream > 0 && *stream == MARKER_BEGIN ? MARKER_LEN + 1 : 1;
  guint next = is_done ? self->answer : number_at < n_stream ? stream[number_at] : 0;

  *n_names = 0;
  self->n_discarded = is_done ? self->answer_at : 0;
  if (self->table->len > 0
      && !ts_va_metadata_table_to_raw (self->table->data, self->table->len, next,
                                       is_done ? &self->ticks : NULL, out, n_names)
      && self->problem == NULL)
    self->problem = g_strdup (_("A part of the recorder's table of names is damaged: some names "
                                "are missing."));
  g_byte_array_append (out, stream + self->n_discarded, (guint) (n_stream - self->n_discarded));
}
