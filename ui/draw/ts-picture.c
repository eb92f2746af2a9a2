/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-picture.c: a recording, or a range of it, as a PNG, SVG or PDF file, by the same list and
 * painter as the window. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <inttypes.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "ts-picture-private.h"

#define DEFAULT_WIDTH 1600
#define DEFAULT_HEIGHT 900
#define MIN_SIZE 64
#define MAX_SIZE 16384
/* How much of the work is done then. */
#define DRAWN 0.5
#define ENCODED 0.9
#define FONT "Cantarell, Noto Sans, Sans 12px"

/* What is drawn, and where it goes. */
struct _TsPicture
{
  cairo_surface_t *surface;
  GByteArray *bytes;
  char *path;
  gboolean is_vector;
  GCancellable *cancellable; /* while it is written */
};

/* A picture replaces what has its name: nothing else than a file, and not what it shows. */
static gboolean
check_path (TsRecording *recording,
            const char *path,
            GError **error)
{
  const char *source = ts_recording_get_path (recording);
  g_autofree char *name = NULL;
  GStatBuf target, shown;

  if (g_stat (path, &target) != 0)
    return TRUE;

  name = g_filename_display_name (path);
  if (!S_ISREG (target.st_mode))
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                 S_ISDIR (target.st_mode) ? _("Cannot write %s: it is a folder.")
                                          : _("Cannot write %s: it is not a file."),
                 name);
  else if (source != NULL && g_stat (source, &shown) == 0 && shown.st_dev == target.st_dev
           && shown.st_ino == target.st_ino)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                 _("Cannot write %s: it is the recording itself; give another name."), name);
  else
    return TRUE;

  return FALSE;
}

static gboolean
check_cancelled (GCancellable *cancellable,
                 GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return FALSE;
  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED, _("Cancelled."));
  return TRUE;
}

static cairo_status_t
write_to_array (void *closure,
                const unsigned char *data,
                unsigned int length)
{
  TsPicture *self = closure;

  if (g_cancellable_is_cancelled (self->cancellable))
    return CAIRO_STATUS_WRITE_ERROR;
  g_byte_array_append (self->bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
check_size (const char *what,
            int size,
            GError **error)
{
  if (size >= MIN_SIZE && size <= MAX_SIZE)
    return TRUE;
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("The %s of a picture must be between %d and %d pixels, not %d."), what, MIN_SIZE,
               MAX_SIZE, size);
  return FALSE;
}

static gboolean
check_lanes (TsRecording *recording,
             const char *const *names,
             GError **error)
{
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      gboolean is_known = FALSE;

      for (guint j = 0; j < n_lanes && !is_known; j++)
        is_known = _ts_view_group_of_lane (&lanes[j]) >= 0
                   && _ts_view_lane_matches (recording, &lanes[j], names[i]);
      if (is_known)
        continue;
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("The recording has no lane “%s”; lane names are those of tasks, “ISR:” "
                      "interrupts and “Fn:” spans, or "
                      "“type:name”."),
                   names[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
set_range (TsViewState *view,
           TsRecording *recording,
           const TsPictureOptions *options,
           GError **error)
{
  gint64 end = ts_recording_get_duration (recording);
  gint64 first
      = options->t_start_us >= 0 ? ts_recording_us_to_ticks (recording, options->t_start_us) : 0;
  gint64 last
      = options->t_end_us >= 0 ? ts_recording_us_to_ticks (recording, options->t_end_us) : end;

  if (options->t_start_us >= 0 && options->t_end_us >= 0
      && options->t_end_us <= options->t_start_us)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("The range ends at %" PRId64
                      " µs, which is not after its begin at %" PRId64 " µs."),
                   options->t_end_us, options->t_start_us);
      return FALSE;
    }
  if (options->t_start_us > 0 && first >= end)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("The range begins at %" PRId64
                      " µs, but the recording ends at %" PRId64 " µs."),
                   options->t_start_us, ts_recording_ticks_to_us (recording, end));
      return FALSE;
    }
  last = MIN (last, MAX (end, 1));
  ts_view_state_set_visible (view, first, MAX (last - first, TS_VIEW_MIN_SPAN));
  return TRUE;
}

/* Rows as high as the font wants; lower where the picture has no room for them. */
static void
set_row_heights (TsViewState *view,
                 int line_height,
                 int room)
{
  int lane = line_height * 17 / 10;
  int plot = line_height * 3;

  ts_view_state_set_row_height (view, lane, line_height + 4, plot);
  while (room > 0 && ts_view_state_get_rows_height (view) > room
         && (plot > line_height || lane > line_height))
    {
      /* plots give way first, down to twice a line; then all lanes, down to a line */
      if (lane > line_height && plot <= 2 * line_height)
        lane--;
      plot = MAX (plot - 1, line_height);
      ts_view_state_set_row_height (view, lane, line_height + 2, MAX (plot, lane));
    }
}

static char *
make_subtitle (TsRecording *recording)
{
  GString *text = g_string_new (NULL);
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");
  g_autofree char *lost = ts_recording_dup_health (recording, "lost_events");
  gint64 n_lost = lost != NULL ? g_ascii_strtoll (lost, NULL, 10) : 0;
  g_autofree char *duration = ts_format_duration (recording, ts_recording_get_duration (recording));

  if (os != NULL && os[0] != '\0')
    g_string_append_printf (text, "%s · ", os);
  g_string_append_printf (text, "%s · ", duration);
  _ts_format_decimal (
      text, (gint64) MIN (ts_recording_get_n_events (recording), (guint64) G_MAXINT64), 0);
  g_string_append_printf (text, " %s", _("events"));
  if (lost != NULL)
    {
      g_string_append (text, " · ");
      _ts_format_decimal (text, n_lost, 0);
      g_string_append_printf (text, " %s", _("lost"));
    }
  return g_string_free (text, FALSE);
}

static void
paint_title (TsPainter *painter,
             TsRecording *recording,
             cairo_t *cr,
             int width,
             int height,
             int line_height,
             gboolean vector)
{
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  const char *path = ts_recording_get_path (recording);
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : g_strdup (_("Recording"));
  g_autofree char *shown = g_filename_display_name (name);
  g_autofree char *subtitle = make_subtitle (recording);
  TsDisplayOptions metrics = { .line_height = line_height };
  double name_width = MIN (_ts_text_width (&metrics, shown, 0) * 1.35 + 8, width / 2);

  _ts_list_add (list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, 0, 0, width, height);
  _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_TEXT, 0, TS_ITEM_BOLD, 10, 0, name_width, height,
                     shown);
  _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 2, TS_ITEM_TABULAR, 10 + name_width, 0,
                     width - 20 - name_width, height, subtitle);
  _ts_list_add (list, TS_ITEM_RECT, TS_INK_BORDER, 0, 0, height - 1, width, 1);
  ts_painter_paint (painter, list, cr, vector);
}

/* What went wrong, without the name of the temporary file. */
static const char *
get_reason (const GError *error)
{
  static const struct
  {
    GFileError code;
    int number;
  } known[] = { { G_FILE_ERROR_NOENT, ENOENT }, { G_FILE_ERROR_ACCES, EACCES },
                { G_FILE_ERROR_PERM, EPERM },   { G_FILE_ERROR_ROFS, EROFS },
                { G_FILE_ERROR_NOTDIR, ENOTDIR }, { G_FILE_ERROR_IO, EIO } };

  if (error->domain == G_FILE_ERROR && error->code == G_FILE_ERROR_NOSPC)
    return _("the disk is full");
  for (gsize i = 0; error->domain == G_FILE_ERROR && i < G_N_ELEMENTS (known); i++)
    if (error->code == (int) known[i].code)
      return g_strerror (known[i].number);
  return error->message;
}

/* The bytes of the file. */
static gboolean
encode (TsPicture *self,
        GError **error)
{
  cairo_status_t status = cairo_surface_status (self->surface);

  if (status == CAIRO_STATUS_SUCCESS && !self->is_vector)
    status = cairo_surface_write_to_png_stream (self->surface, write_to_array, self);
  cairo_surface_finish (self->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (self->surface);
  if (check_cancelled (self->cancellable, error))
    return FALSE;
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   _("Cannot make the picture “%s”: %s."), self->path,
                   cairo_status_to_string (status));
      return FALSE;
    }
  return TRUE;
}

static gboolean
store (GByteArray *bytes,
       const char *path,
       GError **error)
{
  g_autoptr (GError) local = NULL;

  /* writes a file beside it and renames: what was there stays until the new one is whole */
  if (!g_file_set_contents_full (path, (const char *) bytes->data, (gssize) bytes->len,
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0666, &local))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   _("Cannot write the picture “%s”: %s."), path, get_reason (local));
      return FALSE;
    }
  return TRUE;
}

/* Where paths, or pixels, go. A PDF's text stays text: it can be searched and copied. */
static cairo_surface_t *
make_surface (TsPicture *self,
              TsRecording *recording,
              const char *format,
              int width,
              int height)
{
  cairo_surface_t *surface;
  const char *path = ts_recording_get_path (recording);
  g_autofree char *title = path != NULL ? g_filename_display_basename (path) : NULL;

  if (g_str_equal (format, "svg"))
    return cairo_svg_surface_create_for_stream (write_to_array, self, width, height);
  if (g_str_equal (format, "png"))
    return cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);

  surface = cairo_pdf_surface_create_for_stream (write_to_array, self, width, height);
  if (title != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "Taskscope " TS_VERSION);
  return surface;
}

/* Checks what is asked for before anything is done. */
static gboolean
check_options (TsRecording *recording,
               const char *path,
               const TsPictureOptions *options,
               GError **error)
{
  const char *format = options->format;

  if (g_strcmp0 (format, "svg") != 0 && g_strcmp0 (format, "pdf") != 0
      && g_strcmp0 (format, "png") != 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("There is no picture format “%s”; use png, svg or pdf."),
                   format != NULL ? format : "");
      return FALSE;
    }
  return (options->width == 0 || check_size (_("width"), options->width, error))
         && (options->height <= 0 || check_size (_("height"), options->height, error))
         && check_lanes (recording, options->lanes, error) && check_path (recording, path, error);
}

/* A view of what is asked for; @room: for the lanes, 0: as much as they need. */
static TsViewState *
make_view (TsRecording *recording,
           const TsPictureOptions *options,
           int line_height,
           int room,
           GError **error)
{
  g_autoptr (TsViewState) view = NULL;

  if (options->view != NULL)
    return g_object_ref (options->view);
  view = ts_view_state_new ();
  ts_view_state_set_recording (view, recording);
  ts_view_state_set_lane_filter (view, options->lanes);
  if (!set_range (view, recording, options, error))
    return NULL;
  set_row_heights (view, line_height, room);
  return g_steal_pointer (&view);
}

/**
 * ts_picture_new:
 * @recording: what to show
 * @path: file that ts_picture_write() writes
 * @options: size, range, lanes, colours, or a view
 * @error: return location
 *
 * Draws a picture of a recording. Needs no display.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS for a format, size, range or lane that does not exist;
 * %TS_MODEL_ERROR_WRITE: @path is no file that may be replaced
 *
 * Returns: (transfer full) (nullable): the picture
 */
TsPicture *
ts_picture_new (TsRecording *recording,
                const char *path,
                const TsPictureOptions *options,
                GError **error)
{
  g_autoptr (TsViewState) view = NULL;
  g_autoptr (TsDisplayList) list = NULL;
  g_autoptr (TsPainter) painter = NULL;
  TsDisplayOptions display = { .pointer_x = -1, .pointer_y = -1 };
  TsPicture *self;
  int width, height, title, line, legend, fixed;
  cairo_t *cr;

  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);
  g_return_val_if_fail (path != NULL && options != NULL, NULL);

  if (!check_options (recording, path, options, error))
    return NULL;
  width = options->width != 0 ? options->width : DEFAULT_WIDTH;
  height = options->height < 0 ? DEFAULT_HEIGHT : options->height;

  painter = ts_painter_new ();
  ts_painter_set_font (painter, FONT);
  ts_painter_set_palette (painter, ts_palette_get_default (options->dark, options->high_contrast));
  line = ts_painter_get_line_height (painter);
  title = line * 2;
  legend = height == 0 || height >= line * 20 ? line * 7 / 4 : 0;
  display.line_height = line;
  display.label_width = CLAMP (line * 11, 40, width / 3);
  display.overview_height = line * 5 / 2;
  display.ruler_height = line * 9 / 5;
  fixed = title + legend + display.overview_height + display.ruler_height;

  view = make_view (recording, options, line, height == 0 ? 0 : height - fixed, error);
  if (view == NULL)
    return NULL;
  if (height == 0)
    height = CLAMP (ts_view_state_get_rows_height (view) + fixed, MIN_SIZE, MAX_SIZE);
  else if (options->view != NULL)
    height += title + legend;
  display.width = width;
  display.height = MAX (height - title - legend, 1);

  list = ts_display_list_new ();
  ts_display_list_build (list, view, &display);
  self = g_new0 (TsPicture, 1);
  self->path = g_strdup (path);
  self->is_vector = !g_str_equal (options->format, "png");
  self->bytes = g_byte_array_new ();
  self->surface = make_surface (self, recording, options->format, width, height);
  cr = cairo_create (self->surface);
  paint_title (painter, recording, cr, width, title, line, self->is_vector);
  cairo_translate (cr, 0, title);
  ts_painter_paint (painter, list, cr, self->is_vector);
  cairo_translate (cr, 0, display.height);
  if (legend > 0)
    _ts_picture_paint_legend (painter, view, cr, width, legend, line, self->is_vector);
  cairo_destroy (cr);
  return self;
}

/**
 * ts_picture_write:
 * @self: a picture; it is written once
 * @progress: (nullable) (scope call): told how far it is: drawn, made into bytes, on disk
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @error: return location
 *
 * Writes the file, replaced as a whole.
 *
 * Thread: any, one at a time
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_CANCELLED
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_picture_write (TsPicture *self,
                  TsExportProgress progress,
                  gpointer user_data,
                  GCancellable *cancellable,
                  GError **error)
{
  gboolean ok;

  g_return_val_if_fail (self != NULL, FALSE);

  if (progress != NULL)
    progress (DRAWN, user_data);
  self->cancellable = cancellable;
  ok = encode (self, error);
  self->cancellable = NULL;
  if (!ok)
    return FALSE;
  if (progress != NULL)
    progress (ENCODED, user_data);
  ok = store (self->bytes, self->path, error);
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}

/**
 * ts_picture_free:
 * @self: (nullable) (transfer full): a picture
 *
 * Thread: any
 */
void
ts_picture_free (TsPicture *self)
{
  if (self == NULL)
    return;
  /* it writes to the bytes until it is gone */
  cairo_surface_destroy (self->surface);
  g_byte_array_unref (self->bytes);
  g_free (self->path);
  g_free (self);
}

/**
 * ts_picture_export:
 * @recording: what to show
 * @path: file to write; replaced as a whole
 * @options: size, range, lanes, colours, or a view
 * @error: return location
 *
 * Writes a picture of a recording: ts_picture_new() and ts_picture_write().
 *
 * Thread: owner of @recording
 * Errors: those of both
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_picture_export (TsRecording *recording,
                   const char *path,
                   const TsPictureOptions *options,
                   GError **error)
{
  g_autoptr (TsPicture) picture = ts_picture_new (recording, path, options, error);

  return picture != NULL && !check_cancelled (options->cancellable, error)
         && ts_picture_write (picture, options->progress, options->user_data, options->cancellable,
                              error);
}
