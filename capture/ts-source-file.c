/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-file.c: captured bytes from a file, as fast as they go or paced as they once arrived.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ts-source-private.h"

#define CHUNK (128 * 1024)
/* Longest silence that a recorded file is followed in: a longer one is shortened to this. */
#define MAX_SILENCE_US (60 * G_USEC_PER_SEC)
#define PACE_MS 5
/* Header of a datagram record: u32 time in us, u16 length, little endian (events.md section 4,
 * va-udprec). */
#define RECORD_HEADER 6
#define BITS_PER_BYTE 10 /* 8N1: start bit, eight data bits, stop bit */

typedef struct
{
  TsSource parent;

  char *path;
  char *format;
  gboolean is_paced;
  guint baud;

  int fd;
  guint8 buffer[CHUNK];
  gsize begin; /* of what is not emitted yet in the buffer */
  gsize end;
} File;

static TsSource *
file_create (TsConnection *connection,
             GError **error)
{
  File *self = g_new0 (File, 1);

  self->parent.klass = &_ts_source_file_class;
  self->fd = -1;
  self->path = g_strdup (ts_connection_get_string (connection, "file-path"));
  self->format = g_strdup (ts_connection_get_string (connection, "file-format"));
  self->is_paced = strcmp (ts_connection_get_string (connection, "file-pace"), "recorded") == 0;
  self->baud = (guint) ts_connection_get_int (connection, "baud");

  if (strcmp (self->format, "auto") == 0 && g_str_has_suffix (self->path, ".udprec"))
    {
      g_free (self->format);
      self->format = g_strdup ("va-udprec");
    }

  return &self->parent;
}

/*
 * _ts_capture_file_open:
 * @path: a file
 * @size: (out): its bytes now
 * @error: return location
 *
 * Thread: any; opens a file
 * Errors: %TS_CAPTURE_ERROR_CONNECT when it cannot be read or is no file of captured bytes,
 * %TS_CAPTURE_ERROR_EMPTY when it has none
 *
 * Returns: a descriptor, or -1 with @error set
 */
int
_ts_capture_file_open (const char *path,
                       guint64 *size,
                       GError **error)
{
  static const char sqlite_magic[16] = "SQLite format 3";
  g_autofree char *name = g_filename_display_name (path);
  char magic[sizeof sqlite_magic];
  struct stat info;
  int fd;

  /* not to wait for the writer of a FIFO before we know what it is */
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat (fd, &info) != 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, _("Cannot open “%s”: %s."),
                   name, g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return -1;
    }

  if (S_ISDIR (info.st_mode))
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("“%s” is a folder: name a file of captured bytes in it."), name);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("“%s” is no regular file: for terminals and FIFOs use the transport “serial”."),
                 name);
  else if (info.st_size == 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                 _("“%s” is empty (0 bytes): nothing was captured into it."), name);
  else if (pread (fd, magic, sizeof magic, 0) == (gssize) sizeof magic
           && memcmp (magic, sqlite_magic, sizeof magic) == 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("“%s” is a recording already, not a file of captured bytes: open it as it is."),
                 name);
  else
    {
      *size = (guint64) info.st_size;
      return fd;
    }

  close (fd);

  return -1;
}

static gboolean
file_open (TsSource *source,
           GCancellable *cancellable,
           GError **error)
{
  File *self = (File *) source;
  guint64 size = 0;

  self->fd = _ts_capture_file_open (self->path, &size, error);

  return self->fd >= 0;
}

/* Fills the buffer behind what is still in it. Returns bytes read, 0 at the end, -1 with @error
 * set. */
static gssize
fill_buffer (File *self,
             GError **error)
{
  gssize n;

  memmove (self->buffer, self->buffer + self->begin, self->end - self->begin);
  self->end -= self->begin;
  self->begin = 0;

  do
    n = read (self->fd, self->buffer + self->end, sizeof self->buffer - self->end);
  while (n < 0 && errno == EINTR);

  if (n < 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                 _("Cannot read “%s”: %s. What was read before is kept."), self->path,
                 g_strerror (errno));
  else
    self->end += (gsize) n;

  return n;
}

/* FALSE: cancelled. */
static gboolean
sleep_until (gint64 deadline_us,
             GCancellable *cancellable)
{
  for (;;)
    {
      gint64 rest_us = deadline_us - g_get_monotonic_time ();

      if (rest_us <= 0)
        return !g_cancellable_is_cancelled (cancellable);
      if (_ts_source_wait (-1, (int) MIN (rest_us / 1000 + 1, 1000), cancellable, NULL)
          == TS_WAIT_CANCELLED)
        return FALSE;
    }
}

static gboolean
run_whole (File *self,
           TsSourceEmit emit,
           gpointer user_data,
           GCancellable *cancellable,
           GError **error)
{
  while (!g_cancellable_is_cancelled (cancellable))
    {
      gssize n = fill_buffer (self, error);

      if (n <= 0)
        return n == 0;
      emit (0, g_get_monotonic_time (), self->buffer, self->end, user_data);
      self->begin = self->end = 0;
    }

  return TRUE;
}

/* Bytes without times: at the rate of the serial line they came through. */
static gboolean
run_at_rate (File *self,
             TsSourceEmit emit,
             gpointer user_data,
             GCancellable *cancellable,
             GError **error)
{
  gint64 start_us = g_get_monotonic_time ();
  guint64 n_emitted = 0;

  for (;;)
    {
      guint64 elapsed_us = (guint64) (g_get_monotonic_time () - start_us);
      guint64 n_due = elapsed_us * self->baud / (BITS_PER_BYTE * G_USEC_PER_SEC);
      gsize n;

      if (self->begin == self->end)
        {
          gssize n_read = fill_buffer (self, error);

          if (n_read <= 0)
            return n_read == 0;
        }

      n = (gsize) MIN (n_due - MIN (n_due, n_emitted), self->end - self->begin);
      if (n > 0)
        {
          emit (0, g_get_monotonic_time (), self->buffer + self->begin, n, user_data);
          self->begin += n;
          n_emitted += n;
        }
      if (self->begin < self->end
          && !sleep_until (g_get_monotonic_time () + PACE_MS * 1000, cancellable))
        return TRUE;
      if (g_cancellable_is_cancelled (cancellable))
        return TRUE;
    }
}

/* Datagram records at their own times. A record longer than the buffer cannot be (16-bit length).
 */
static gboolean
run_records (File *self,
             TsSourceEmit emit,
             gpointer user_data,
             GCancellable *cancellable,
             GError **error)
{
  gint64 due_us = g_get_monotonic_time ();
  guint32 previous = 0;
  gboolean is_first = TRUE;

  while (!g_cancellable_is_cancelled (cancellable))
    {
      const guint8 *record = self->buffer + self->begin;
      gsize n_there = self->end - self->begin;
      gsize n_record = RECORD_HEADER;
      guint32 time;

      if (n_there >= RECORD_HEADER)
        n_record += (gsize) (record[4] | record[5] << 8);
      if (n_there < n_record)
        {
          gssize n = fill_buffer (self, error);

          if (n < 0)
            return FALSE;
          if (n > 0)
            continue;
          /* a cut record at the end: the decoder says what is missing */
          if (self->end > self->begin)
            emit (0, g_get_monotonic_time (), self->buffer + self->begin, self->end - self->begin,
                  user_data);
          return TRUE;
        }

      time = record[0] | (guint32) record[1] << 8 | (guint32) record[2] << 16
             | (guint32) record[3] << 24;
      if (!is_first)
        {
          /* the 32-bit time wraps; a step back (a new recording joined on) is no silence */
          gint32 step = (gint32) (time - previous);

          due_us += CLAMP ((gint64) step, 0, MAX_SILENCE_US);
        }
      previous = time;
      is_first = FALSE;

      if (!sleep_until (due_us, cancellable))
        return TRUE;
      emit (0, g_get_monotonic_time (), record, n_record, user_data);
      self->begin += n_record;
    }

  return TRUE;
}

static gboolean
file_run (TsSource *source,
          TsSourceEmit emit,
          gpointer user_data,
          GCancellable *cancellable,
          GError **error)
{
  File *self = (File *) source;

  if (!self->is_paced)
    return run_whole (self, emit, user_data, cancellable, error);
  if (strcmp (self->format, "va-udprec") == 0)
    return run_records (self, emit, user_data, cancellable, error);

  return run_at_rate (self, emit, user_data, cancellable, error);
}

static char *
file_describe (TsSource *source)
{
  File *self = (File *) source;
  g_autofree char *name = g_filename_display_basename (self->path);

  return self->is_paced ? g_strdup_printf (_("File %s, paced"), name)
                        : g_strdup_printf (_("File %s"), name);
}

static const char *
file_format (TsSource *source)
{
  return ((File *) source)->format;
}

static void
file_free (TsSource *source)
{
  File *self = (File *) source;

  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->format);
  g_free (self);
}

const TsSourceClass _ts_source_file_class = {
  .transport = "file",
  .create = file_create,
  .open = file_open,
  .run = file_run,
  .describe = file_describe,
  .format = file_format,
  .lossless = TRUE,
  .free = file_free,
};
