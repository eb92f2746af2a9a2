/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-snapshot.c: rings in target memory to a recording. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "ts-pipeline-private.h"
#include "ts-snapshot.h"
#include "ts-source-private.h"

/* More control blocks than these are not looked at: no firmware has more than a few. */
#define MAX_BLOCKS 64

/* One run. */
typedef struct
{
  TsSnapshotRead read;
  gpointer user_data;
  const TsSnapshotOptions *options;
  GArray *blocks; /* of TsVaBlock: sane control blocks */
  guint n_insane; /* magics that no sane block follows */
  GByteArray *ring;
  GByteArray *names;
} Snapshot;

static GByteArray *
read_range (Snapshot *self,
            guint32 address,
            gsize n_bytes,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  g_byte_array_set_size (bytes, (guint) n_bytes);
  if (n_bytes > 0 && !self->read (address, bytes->data, n_bytes, self->user_data, error))
    return NULL;

  return g_steal_pointer (&bytes);
}

static void
take_block (Snapshot *self,
            guint32 address,
            const guint8 *bytes,
            gsize n_bytes)
{
  TsVaBlock block;

  if (!ts_va_block_parse (address, bytes, n_bytes, &block))
    self->n_insane++;
  else if (self->blocks->len < MAX_BLOCKS)
    g_array_append_val (self->blocks, block);
}

/* Fills @self->blocks. */
static gboolean
find_blocks (Snapshot *self,
             GError **error)
{
  const TsSnapshotOptions *options = self->options;
  g_autoptr (GByteArray) memory = NULL;
  TsVaImage image;
  TsVaBlockKind kind;
  gsize at = 0;

  if (options->address != 0)
    {
      memory = read_range (self, options->address, TS_VA_POST_MORTEM_BLOCK_LEN, error);
      if (memory == NULL)
        return FALSE;
      take_block (self, options->address, memory->data, memory->len);
      return TRUE;
    }

  memory = read_range (self, options->start, options->size, error);
  if (memory == NULL)
    return FALSE;
  image = (TsVaImage){ options->start, memory->data, memory->len };
  for (; ts_va_image_find (&image, &at, &kind); at += TS_VA_MAGIC_LEN)
    if (kind != TS_VA_BLOCK_METADATA)
      take_block (self, options->start + (guint32) at, memory->data + at, memory->len - at);

  return TRUE;
}

/* The ring worth reading: what a crash left before what nobody drained, what holds something before
 * what is empty. */
static const TsVaBlock *
choose_block (Snapshot *self)
{
  const TsVaBlock *best = NULL;
  int best_worth = -1;

  for (guint i = 0; i < self->blocks->len; i++)
    {
      const TsVaBlock *block = &g_array_index (self->blocks, TsVaBlock, i);
      int worth = (ts_va_block_get_used (block) > 0 ? 4 : 0)
                  + (block->kind == TS_VA_BLOCK_POST_MORTEM ? 2 : 0) + (block->is_frozen ? 1 : 0);

      if (worth > best_worth)
        {
          best = block;
          best_worth = worth;
        }
    }

  return best;
}

static void
set_no_block_error (Snapshot *self,
                    GError **error)
{
  const TsSnapshotOptions *options = self->options;

  if (options->address != 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("There is no control block of a recorder at 0x%08x: check “rambuf-address”, and "
                   "that the firmware has started its recorder."),
                 options->address);
  else if (self->n_insane > 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("The control block of the recorder's ring is damaged: its sizes and offsets "
                   "make no sense (%u found from 0x%08x to 0x%08x)."),
                 self->n_insane, options->start, (guint32) (options->start + options->size - 1));
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("No control block of a recorder lies between 0x%08x and 0x%08x: check the "
                   "address of the memory, and that the firmware was built with a ring in RAM and "
                   "has started its recorder."),
                 options->start, (guint32) (options->start + options->size - 1));
}

/* Reads ring and names. */
static gboolean
read_block (Snapshot *self,
            const TsVaBlock *block,
            GError **error)
{
  g_autoptr (GError) local_error = NULL;

  self->ring = read_range (self, block->buffer, block->size, &local_error);
  if (self->ring != NULL && block->n_names > 0)
    self->names = read_range (self, block->names, block->n_names, NULL);
  if (self->ring != NULL)
    return TRUE;

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("The ring that the control block at 0x%08x speaks of (0x%08x, %u bytes) cannot be "
                 "read: %s"),
               block->address, block->buffer, block->size, local_error->message);

  return FALSE;
}

/* Bytes for a decoder; returns their format. */
static const char *
make_stream (Snapshot *self,
             const TsVaBlock *block,
             GByteArray *stream,
             TsVaWalk *walk)
{
  g_autoptr (GByteArray) window = NULL;

  if (block->kind == TS_VA_BLOCK_POST_MORTEM)
    {
      ts_va_post_mortem_to_cobs (block, self->ring->data,
                                 self->names != NULL ? self->names->data : NULL, stream, walk);
      return "va-cobs";
    }

  window = ts_va_ring_copy (block, self->ring->data);
  walk->n_window = window->len;
  walk->n_damaged = window->len
                    - ts_va_live_measure (block, window->data, window->len, &walk->n_frames);
  ts_va_live_to_raw (block, window->data, window->len, stream);

  return "va";
}

static gboolean
write_recording (Snapshot *self,
                 TsSnapshotFigures *figures,
                 TsRecordingSummary *summary,
                 GError **error)
{
  const TsVaBlock *block = &figures->block;
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  const char *format = make_stream (self, block, stream, &figures->walk);
  TsPipelineOptions options = {
    .output = self->options->output,
    .format = format,
    .clock_hz = block->clock_hz,
    .keep_raw_log = self->options->keep_raw_log,
    .capture_source = self->options->capture_source,
  };
  g_autoptr (TsPipeline) pipeline = _ts_pipeline_new (&options, error);

  if (pipeline == NULL)
    return FALSE;

  _ts_pipeline_push (pipeline, 0, g_get_monotonic_time (), stream->data, stream->len);
  /* a decoder may hold a few events back until nothing more comes */
  _ts_pipeline_idle (pipeline);
  if (_ts_pipeline_get_n_events (pipeline) == 0)
    {
      _ts_pipeline_discard (pipeline);
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                   _("The ring at 0x%08x holds no event: %zu"
                     " bytes are in use. Let the firmware run with its recorder on."),
                   block->buffer, figures->walk.n_window);
      return FALSE;
    }
  _ts_pipeline_set_health (pipeline, "ring_discarded", block->dropped);
  _ts_pipeline_set_health (pipeline, "ring_damaged_bytes", figures->walk.n_damaged);

  return _ts_pipeline_close (pipeline, "snapshot", summary, error);
}

/**
 * ts_snapshot_find:
 * @read: reads target memory
 * @user_data: for @read
 * @options: where to look
 * @block: (out caller-allocates): control block of the ring that ts_snapshot_take() would read
 * @error: return location
 *
 * Thread: any; takes as long as @read does
 * Errors: %TS_CAPTURE_ERROR_CONNECT when there is no ring
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_snapshot_find (TsSnapshotRead read,
                  gpointer user_data,
                  const TsSnapshotOptions *options,
                  TsVaBlock *block,
                  GError **error)
{
  Snapshot self = { .read = read, .user_data = user_data, .options = options };
  gboolean is_ok;

  self.blocks = g_array_new (FALSE, FALSE, sizeof (TsVaBlock));
  is_ok = find_blocks (&self, error);
  if (is_ok && self.blocks->len == 0)
    {
      set_no_block_error (&self, error);
      is_ok = FALSE;
    }
  if (is_ok)
    *block = *choose_block (&self);
  g_array_unref (self.blocks);

  return is_ok;
}

/**
 * ts_snapshot_take:
 * @read: reads target memory
 * @user_data: for @read
 * @options: what to read and where to write it
 * @figures: (out caller-allocates): control block, what the ring held
 * @summary: (out): figures of the recording; ts_recording_summary_clear()
 * @error: return location
 *
 * Finds a ring, reads it once and decodes it. Of several rings the post-mortem ring is preferred.
 * The memory must not change meanwhile: the caller halts the target or knows that it stands.
 *
 * Thread: any; takes as long as @read does
 * Errors: %TS_CAPTURE_ERROR_CONNECT when there is no ring or it cannot be read,
 *   %TS_CAPTURE_ERROR_EMPTY when it holds no event (no output is left), %TS_CAPTURE_ERROR_WRITE
 * Source: viewalyzer-wire.md sections 12.1 to 12.3
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_snapshot_take (TsSnapshotRead read,
                  gpointer user_data,
                  const TsSnapshotOptions *options,
                  TsSnapshotFigures *figures,
                  TsRecordingSummary *summary,
                  GError **error)
{
  Snapshot self = { .read = read, .user_data = user_data, .options = options };
  gboolean is_ok;

  g_return_val_if_fail (options->output != NULL, FALSE);

  memset (figures, 0, sizeof *figures);
  self.blocks = g_array_new (FALSE, FALSE, sizeof (TsVaBlock));
  is_ok = find_blocks (&self, error);
  if (is_ok && self.blocks->len == 0)
    {
      set_no_block_error (&self, error);
      is_ok = FALSE;
    }
  if (is_ok)
    {
      figures->n_blocks = self.blocks->len;
      figures->block = *choose_block (&self);
      is_ok = read_block (&self, &figures->block, error)
              && write_recording (&self, figures, summary, error);
    }
  g_array_unref (self.blocks);
  g_clear_pointer (&self.ring, g_byte_array_unref);
  g_clear_pointer (&self.names, g_byte_array_unref);

  return is_ok;
}

/* ---- images ---- */

static gboolean
read_from_image (guint32 address,
                 guint8 *bytes,
                 gsize n_bytes,
                 gpointer user_data,
                 GError **error)
{
  const TsVaImage *image = user_data;
  const guint8 *at = ts_va_image_get (image, address, n_bytes);

  if (at == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("the image holds 0x%08x to 0x%08x only."), image->base,
                   (guint32) (image->base + image->n_bytes - 1));
      return FALSE;
    }
  memcpy (bytes, at, n_bytes);

  return TRUE;
}

/* The whole file, @n_bytes of it. */
static guint8 *
read_file (const char *path,
           gsize *n_bytes,
           GError **error)
{
  guint64 size = 0;
  int fd = _ts_capture_file_open (path, &size, error);
  g_autofree char *name = g_filename_display_name (path);
  g_autofree guint8 *bytes = NULL;
  gsize n = 0;

  if (fd < 0)
    return NULL;
  if (size > TS_SNAPSHOT_MAX_IMAGE)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The image %s is larger than 256 MiB: cut out the target's RAM."), name);
      close (fd);
      return NULL;
    }

  bytes = g_malloc (size);
  while (n < size)
    {
      gssize n_read = read (fd, bytes + n, size - n);

      if (n_read < 0 && errno == EINTR)
        continue;
      if (n_read < 0)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                       _("Cannot read the image %s: %s"), name, g_strerror (errno));
          close (fd);
          return NULL;
        }
      if (n_read == 0)
        break;
      n += (gsize) n_read;
    }
  close (fd);
  *n_bytes = n;

  return g_steal_pointer (&bytes);
}

/**
 * ts_snapshot_take_image:
 * @path: a file with a copy of target memory
 * @base: target address of its first byte
 * @options: where to write the recording; `start` and `size` are taken from the image
 * @figures: (out caller-allocates): control block, what the ring held
 * @summary: (out): figures of the recording; ts_recording_summary_clear()
 * @error: return location
 *
 * ts_snapshot_take() from a file; the whole image is looked through.
 *
 * Thread: any
 * Errors: as ts_snapshot_take()
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_snapshot_take_image (const char *path,
                        guint32 base,
                        const TsSnapshotOptions *options,
                        TsSnapshotFigures *figures,
                        TsRecordingSummary *summary,
                        GError **error)
{
  TsSnapshotOptions whole = *options;
  gsize n_bytes = 0;
  g_autofree guint8 *bytes = read_file (path, &n_bytes, error);
  TsVaImage image = { base, bytes, n_bytes };

  if (bytes == NULL)
    return FALSE;
  if ((guint64) base + n_bytes > G_GUINT64_CONSTANT (0x100000000))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("An image of %zu bytes cannot lie at 0x%08x: the address "
                     "space ends there."),
                   n_bytes, base);
      return FALSE;
    }
  if (_ts_capture_is_same_file (path, options->output))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” is both input and output: choose another output."), options->output);
      return FALSE;
    }

  whole.start = base;
  whole.size = n_bytes;

  return ts_snapshot_take (read_from_image, &image, &whole, figures, summary, error);
}

/**
 * ts_snapshot_parse_image_name:
 * @text: FILE@ADDRESS; the address is hexadecimal with 0x, or decimal
 * @path: (out): FILE
 * @base: (out): ADDRESS
 * @error: return location
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: events.md section 4, `snapshot`
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_snapshot_parse_image_name (const char *text,
                              char **path,
                              guint32 *base,
                              GError **error)
{
  const char *at = strrchr (text, '@');
  gboolean is_hex = at != NULL && at[1] == '0' && (at[2] == 'x' || at[2] == 'X');
  guint64 value = 0;

  if (at == NULL || at == text
      || !g_ascii_string_to_unsigned (is_hex ? at + 3 : at + 1, is_hex ? 16 : 10, 0, G_MAXUINT32,
                                      &value, NULL))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” does not say where the memory lies: write FILE@ADDRESS, such as "
                     "ram.bin@0x20000000."),
                   text);
      return FALSE;
    }
  *path = g_strndup (text, (gsize) (at - text));
  *base = (guint32) value;

  return TRUE;
}
