/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pixels at known places, and pictures as files. */
#include "config.h"

#include <sys/stat.h>

#include <cairo-svg.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

#include "scene.h"
#include "ui/draw/ts-painter.h"

static const TsDisplayOptions options = {
  .width = 1100,
  .height = 760,
  .label_width = 100,
  .overview_height = 50,
  .ruler_height = 30,
  .line_height = 14,
  .pointer_x = -1,
  .pointer_y = -1,
};

typedef struct
{
  Scene scene;
  TsRecording *recording;
  TsViewState *view;
  TsDisplayList *list;
  TsPainter *painter;
  cairo_surface_t *surface;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->recording = scene_new (&fixture->scene);
  fixture->view = ts_view_state_new ();
  ts_view_state_set_row_height (fixture->view, 20, 16, 40);
  ts_view_state_set_recording (fixture->view, fixture->recording);
  /* 10 µs per pixel */
  ts_view_state_set_visible (fixture->view, 0, scene_ticks (10000));
  fixture->list = ts_display_list_new ();
  fixture->painter = ts_painter_new ();
  fixture->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, options.width, options.height);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  cairo_surface_destroy (fixture->surface);
  ts_painter_free (fixture->painter);
  ts_display_list_free (fixture->list);
  g_object_unref (fixture->view);
  g_object_unref (fixture->recording);
}

static void
paint (Fixture *fixture,
       gboolean vector)
{
  cairo_t *cr = cairo_create (fixture->surface);

  ts_display_list_build (fixture->list, fixture->view, &options);
  ts_painter_paint (fixture->painter, fixture->list, cr, vector);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
}

static guint32
get_pixel (cairo_surface_t *surface,
           int x,
           int y)
{
  const guint8 *data;

  cairo_surface_flush (surface);
  data = cairo_image_surface_get_data (surface);
  return *(const guint32 *) (gconstpointer) (data + y * cairo_image_surface_get_stride (surface)
                                             + 4 * x)
         & 0xffffff;
}

static int
get_row_middle (Fixture *fixture,
                guint32 lane)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (fixture->view, &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      return rows[i].y + rows[i].height / 2 + options.overview_height + options.ruler_height;
  g_assert_not_reached ();
}

static void
check_colors (Fixture *fixture,
              const TsPalette *palette)
{
  TsSlice slice;
  int y = get_row_middle (fixture, fixture->scene.control);
  int x;

  for (gint64 t = 0; t < 4000; t += 10)
    if (ts_recording_find_slice (fixture->recording, fixture->scene.control, scene_ticks (t), 0,
                                 &slice)
        && slice.state == TS_STATE_RUNNING)
      break;
  g_assert_cmpint (slice.state, ==, TS_STATE_RUNNING);
  x = 100 + (int) ((slice.begin + slice.end) / 2 / scene_ticks (10));
  /* the first task is blue; the bar is higher than the line of waiting */
  g_assert_cmphex (get_pixel (fixture->surface, x, y), ==, palette->lane[0]);
  g_assert_cmphex (get_pixel (fixture->surface, x, y - 5), ==, palette->lane[0]);
  g_assert_cmphex (
      get_pixel (fixture->surface, 100 + (int) (slice.end / scene_ticks (10)) + 3, y - 5), ==,
      palette->ink[TS_INK_BACKGROUND]);
  /* interrupt at 640 µs: 164 pixels */
  y = get_row_middle (fixture, fixture->scene.adc);
  g_assert_cmphex (get_pixel (fixture->surface, 165, y), ==, palette->isr[0]);
  g_assert_cmphex (get_pixel (fixture->surface, 180, y), ==, palette->ink[TS_INK_BACKGROUND]);
  /* the shell is suspended: nothing (between grid lines, which stand at each 1 ms) */
  y = get_row_middle (fixture, fixture->scene.shell);
  g_assert_cmphex (get_pixel (fixture->surface, 333, y), ==, palette->ink[TS_INK_BACKGROUND]);
  g_assert_cmphex (get_pixel (fixture->surface, 300, y), ==, palette->ink[TS_INK_GRID]);
  g_assert_cmphex (get_pixel (fixture->surface, 600, 83), ==,
                   palette->ink[TS_INK_HEADER_BACKGROUND]);
}

static void
test_colors (Fixture *fixture,
             gconstpointer data)
{
  for (guint i = 0; i < 8; i++)
    {
      const TsPalette *palette = ts_palette_get_default (i & 1, i & 2);

      ts_painter_set_palette (fixture->painter, palette);
      paint (fixture, (i & 4) != 0);
      check_colors (fixture, palette);
    }
}

/* Written as pixels or as paths: the same picture, but for softened corners and mixed edges. */
static void
test_same_both_ways (Fixture *fixture,
                     gconstpointer data)
{
  static const gint64 spans[] = { 10000, 100000, 1000000 };

  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    {
      g_autofree guint32 *first = g_new (guint32, options.width * options.height);
      guint n_different = 0;

      ts_view_state_set_visible (fixture->view, 0, scene_ticks (spans[i]));
      paint (fixture, FALSE);
      for (int y = 0; y < options.height; y++)
        for (int x = 0; x < options.width; x++)
          first[y * options.width + x] = get_pixel (fixture->surface, x, y);
      paint (fixture, TRUE);
      for (int y = 0; y < options.height; y++)
        for (int x = 0; x < options.width; x++)
          n_different += first[y * options.width + x] != get_pixel (fixture->surface, x, y);
      g_test_message ("%u of %d pixels differ", n_different, options.width * options.height);
      g_assert_cmpuint (n_different, <, (guint) (options.width * options.height) / 50);
    }
}

/* Where the word "ready" stands, and a row of pixels through the block it stands on. */
static const TsItem *
find_ready (Fixture *fixture,
            int *y)
{
  guint n;
  const TsItem *items = ts_display_list_get_items (fixture->list, &n);

  for (guint i = 0; i < n; i++)
    if (items[i].type == TS_ITEM_TEXT &&
        g_str_equal (ts_display_list_get_text (fixture->list, &items[i]), "ready"))
      {
        *y = (int) (items[i].y + items[i].height / 2);
        return &items[i];
      }
  return NULL;
}

/* High contrast: the block that means ready is striped, and nothing of it lies under its word.
 * Stripes are what is neither the ground nor grey: text and ground are. */
static void
test_ready_on_stripes (Fixture *fixture,
                       gconstpointer data)
{
  for (guint i = 0; i < 4; i++)
    {
      const TsPalette *palette = ts_palette_get_default (i & 1, TRUE);
      TsSlice slice = { 0 };
      const TsItem *word;
      guint n_colored = 0;
      int y = 0;

      for (gint64 t = 0; t < 9000 && slice.state != TS_STATE_READY; t += 5)
        ts_recording_find_slice (fixture->recording, fixture->scene.control, scene_ticks (t), 0,
                                 &slice);
      g_assert_cmpint (slice.state, ==, TS_STATE_READY);
      /* the block is 250 pixels wide, and begins 250 pixels from the lanes' left edge */
      ts_view_state_set_visible (fixture->view, 2 * slice.begin - slice.end,
                                 4 * (slice.end - slice.begin));
      ts_painter_set_palette (fixture->painter, palette);
      paint (fixture, (i & 2) != 0);
      word = find_ready (fixture, &y);
      g_assert_nonnull (word);
      g_assert_cmpfloat (word->x, >=, 350);
      g_assert_cmpfloat (word->x + word->width, <, 500);
      for (int x = (int) word->x - 1; x < (int) (word->x + word->width) - 1; x++)
        for (int dy = -2; dy <= 2; dy++)
          {
            guint32 pixel = get_pixel (fixture->surface, x, y + dy);

            g_assert_cmphex (pixel & 0xff, ==, (pixel >> 8) & 0xff);
            g_assert_cmphex (pixel & 0xff, ==, pixel >> 16);
          }
      for (int x = 510; x < 590; x++)
        {
          guint32 pixel = get_pixel (fixture->surface, x, y);

          n_colored += (pixel & 0xff) != (pixel >> 16);
        }
      g_assert_cmpuint (n_colored, >=, 60);
      /* a stripe in every 7 pixels: more colours than that of the tint */
      {
        guint n_stripes = 0;

        for (int x = 510; x < 510 + 70; x++)
          n_stripes += get_pixel (fixture->surface, x, y) !=
                           get_pixel (fixture->surface, x - 1, y) &&
                       get_pixel (fixture->surface, x, y) == get_pixel (fixture->surface, x + 7, y);
        g_assert_cmpuint (n_stripes, >=, 10);
      }
    }
}

/* A group's header that stays looks as it does in its own place, whatever scrolls below it. */
static void
test_header_stays (Fixture *fixture,
                   gconstpointer data)
{
  const int top = options.overview_height + options.ruler_height;
  const TsViewRow *rows;
  const TsViewRow *header = NULL;
  g_autofree guint32 *own = NULL;
  guint n;

  rows = ts_view_state_get_rows (fixture->view, &n);
  for (guint i = 0; i + 1 < n; i++)
    if (rows[i].is_header && !rows[i + 1].is_header && rows[i + 1].lane == fixture->scene.control)
      header = &rows[i];
  g_assert_nonnull (header);
  own = g_new (guint32, options.width * header->height);
  for (guint i = 0; i < 8; i++)
    {
      ts_painter_set_palette (fixture->painter, ts_palette_get_default (i & 1, i & 2));
      ts_view_state_set_scroll_y (fixture->view, 0);
      paint (fixture, (i & 4) != 0);
      for (int y = 0; y < header->height - 1; y++)
        for (int x = 0; x < options.width; x++)
          own[y * options.width + x] = get_pixel (fixture->surface, x, top + header->y + y);
      /* half of a lane's row is under it */
      ts_view_state_set_scroll_y (fixture->view, header->y + 10);
      paint (fixture, (i & 4) != 0);
      /* the last line divides it from what scrolls */
      for (int y = 0; y < header->height - 1; y++)
        for (int x = 0; x < options.width; x++)
          g_assert_cmphex (get_pixel (fixture->surface, x, top + y), ==, own[y * options.width + x]);
    }
}

/* A clip and a move of the context hold for pixels too. */
static void
test_clip (Fixture *fixture,
           gconstpointer data)
{
  cairo_t *cr = cairo_create (fixture->surface);
  int y = get_row_middle (fixture, fixture->scene.adc);

  cairo_set_source_rgb (cr, 1, 0, 1);
  cairo_paint (cr);
  cairo_rectangle (cr, 150, 100, 40, 400);
  cairo_clip (cr);
  cairo_translate (cr, 7, 0);
  ts_display_list_build (fixture->list, fixture->view, &options);
  ts_painter_paint (fixture->painter, fixture->list, cr, FALSE);
  cairo_destroy (cr);
  g_assert_cmphex (get_pixel (fixture->surface, 149, y), ==, 0xff00ff);
  g_assert_cmphex (get_pixel (fixture->surface, 190, y), ==, 0xff00ff);
  g_assert_cmphex (get_pixel (fixture->surface, 160, 99), ==, 0xff00ff);
  g_assert_cmphex (get_pixel (fixture->surface, 172, y), ==,
                   ts_palette_get_default (FALSE, FALSE)->isr[0]);
  g_assert_cmphex (get_pixel (fixture->surface, 165, y), ==, 0xffffff);
}

/* Twice as many pixels, the same picture. */
static void
test_scale (Fixture *fixture,
            gconstpointer data)
{
  cairo_surface_t *large
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, options.width * 2, options.height * 2);
  cairo_t *cr;
  int y = get_row_middle (fixture, fixture->scene.adc);

  cairo_surface_set_device_scale (large, 2, 2);
  cr = cairo_create (large);
  ts_display_list_build (fixture->list, fixture->view, &options);
  ts_painter_paint (fixture->painter, fixture->list, cr, FALSE);
  cairo_destroy (cr);
  g_assert_cmphex (get_pixel (large, 330, y * 2), ==,
                   ts_palette_get_default (FALSE, FALSE)->isr[0]);
  g_assert_cmphex (get_pixel (large, 360, y * 2), ==, 0xffffff);
  cairo_surface_destroy (large);
}

/* A burst of other samples leaves a plot's line where its values are. */
static void
test_plot (Fixture *fixture,
           gconstpointer data)
{
  const TsPalette *palette = ts_palette_get_default (FALSE, FALSE);
  int y = get_row_middle (fixture, fixture->scene.count);
  gboolean found_low = FALSE, found_high = FALSE;

  paint (fixture, FALSE);
  /* 0 from 0 to 1.7 ms, 5 from 8.5 ms on, in a view of 0 to 5 */
  for (int i = 0; i < 20; i++)
    {
      found_low |= get_pixel (fixture->surface, 150, y + i) == palette->lane[1];
      found_high |= get_pixel (fixture->surface, 150, y - i) == palette->lane[1];
    }
  g_assert_true (found_low);
  g_assert_false (found_high);
}

/* Names and messages come from a target, or from a file anyone wrote: any bytes, any length. */
static void
test_hostile_texts (Fixture *fixture,
                    gconstpointer data)
{
  g_autofree char *lengthy = g_strnfill (100000, 'x');
  const char *const names[] = { "", "\xff\xfe", "caf\xc3", "\xe2\x82", "a\nb\tc", lengthy };
  TsSlice slice = { .begin = 5, .end = 5, .state = TS_STATE_POINT };
  TsHit hit;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      guint32 lane = fake_recording_add_lane (fixture->recording, TS_LANE_MESSAGE,
                                              TS_OBJECT_STRING_CHANNEL, names[i], 0);

      slice.arg = fake_recording_add_string (fixture->recording, names[i]);
      fake_recording_add_slice (fixture->recording, lane, &slice);
    }
  ts_view_state_refresh (fixture->view);
  ts_view_state_set_scroll_y (fixture->view, 10000);
  ts_view_state_set_scroll_y (fixture->view, ts_view_state_get_rows_height (fixture->view) - 200);
  paint (fixture, FALSE);
  paint (fixture, TRUE);
  for (int y = 80; y < 280; y += 10)
    {
      g_autofree char *text = NULL;

      ts_display_list_hit (fixture->list, fixture->view, &options, 101, y, &hit);
      text = ts_display_list_describe_hit (fixture->view, &hit);
      g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
    }
}

static char *
make_path (const char *name)
{
  return g_build_filename (g_get_user_cache_dir (), name, NULL);
}

static guint32
get_be32 (const char *bytes)
{
  return GUINT32_FROM_BE (*(const guint32 *) (gconstpointer) bytes);
}

static void
test_png (Fixture *fixture,
          gconstpointer data)
{
  TsPictureOptions picture
      = { .format = "png", .width = 1600, .height = 900, .t_start_us = -1, .t_end_us = -1 };
  g_autofree char *path = NULL;
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  path = make_path ("a.png");
  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_cmpmem (content, 8, "\211PNG\r\n\032\n", 8);
  g_assert_cmpuint (get_be32 (content + 16), ==, 1600);
  g_assert_cmpuint (get_be32 (content + 20), ==, 900);
  g_assert_cmpuint (length, >, 15000);

  /* as high as the lanes need */
  g_clear_pointer (&content, g_free);
  picture.height = 0;
  picture.width = 0;
  picture.t_start_us = 5000;
  picture.t_end_us = 25000;
  picture.lanes = (const char *[]) { "control", "motor_current", NULL };
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_cmpuint (get_be32 (content + 16), ==, 1600);
  g_assert_cmpuint (get_be32 (content + 20), <, 400);
}

static void
test_svg (Fixture *fixture,
          gconstpointer data)
{
  static const gint64 ends[] = { 20000, 1000000 };

  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      TsPictureOptions picture = { .format = "svg",
                                   .width = 1200,
                                   .height = 700,
                                   .t_start_us = -1,
                                   .t_end_us = ends[i],
                                   .dark = TRUE };
      g_autofree char *path = make_path ("a.svg");
      g_autofree char *content = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      g_assert_nonnull (strstr (content, "<svg"));
      g_assert_null (strstr (content, "<image"));
      g_assert_null (strstr (content, "base64"));
    }
}

/* As it is seen: only the lanes that have rows, from where they are scrolled, in that part of time. */
static void
test_picture_of_view (Fixture *fixture,
                      gconstpointer data)
{
  g_autoptr (TsViewState) view = ts_view_state_new ();
  g_autoptr (TsViewState) copy = NULL;
  TsPictureOptions picture = { .format = "png", .width = 900, .height = 400 };
  g_autofree char *path = make_path ("view.png");
  g_autofree char *first = NULL;
  g_autofree char *same = NULL;
  g_autofree char *other = NULL;
  g_autoptr (GError) error = NULL;
  gsize n_first, n_same, n_other;
  const TsViewRow *rows;
  guint n, n_before;

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_cache_dir (), 0700), ==, 0);
  ts_view_state_set_recording (view, fixture->recording);
  rows = ts_view_state_get_rows (view, &n_before);
  for (guint i = n_before; i-- > 0;)
    if (!rows[i].is_header)
      {
        ts_view_state_set_lane_hidden (view, rows[i].lane, TRUE);
        break;
      }
  ts_view_state_set_color_by_state (view, TRUE);
  ts_view_state_set_cursor (view, 12345);
  copy = ts_view_state_copy (view);
  ts_view_state_get_rows (copy, &n);
  g_assert_cmpuint (n, <, n_before);
  g_assert_cmpuint (ts_view_state_get_n_hidden (copy), ==, 1);
  g_assert_true (ts_view_state_is_color_by_state (copy));
  g_assert_cmpint (ts_view_state_get_cursor (copy), ==, 12345);
  g_assert_cmpint (ts_view_state_get_span (copy), ==, ts_view_state_get_span (view));

  picture.view = copy;
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_true (g_file_get_contents (path, &first, &n_first, NULL));
  g_assert_cmpuint (get_be32 (first + 16), ==, 900);
  g_assert_cmpuint (get_be32 (first + 20), >, 400); /* title and legend are added */
  picture.view = view;
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_true (g_file_get_contents (path, &same, &n_same, NULL));
  g_assert_cmpmem (first, n_first, same, n_same);

  /* A copy of its own: what is changed in it does not show in the view. */
  ts_view_state_show_all_lanes (copy);
  ts_view_state_set_visible (copy, 1000, 5000);
  g_assert_cmpuint (ts_view_state_get_n_hidden (view), ==, 1);
  picture.view = copy;
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_true (g_file_get_contents (path, &other, &n_other, NULL));
  g_assert_true (n_other != n_first || memcmp (other, first, n_first) != 0);
}

/* Paths and text, no pixels: no stream of the file is an image. */
static void
test_pdf (Fixture *fixture,
          gconstpointer data)
{
  TsPictureOptions picture = { .format = "pdf",
                               .width = 800,
                               .height = 500,
                               .t_start_us = -1,
                               .t_end_us = -1 };
  g_autofree char *path = make_path ("a.pdf");
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize length = 0;

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_cache_dir (), 0700), ==, 0);
  g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_cmpuint (length, >, 2000);
  g_assert_cmpint (memcmp (content, "%PDF-", 5), ==, 0);
  g_assert_null (memmem (content, length, "/Subtype /Image", 15));
  g_assert_nonnull (memmem (content, length, "%%EOF", 5));
}

static void
note_progress (double fraction,
               gpointer user_data)
{
  double *last = user_data;

  g_assert_cmpfloat (fraction, >=, *last);
  *last = fraction;
}

/* What is there stays until the picture is whole; cancelled, nothing is left. */
static void
test_cancelled (Fixture *fixture,
                gconstpointer data)
{
  static const char * const formats[] = { "png", "svg", "pdf" };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *path = make_path ("stays");

  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      TsPictureOptions picture = { .format = formats[i], .t_start_us = -1, .t_end_us = -1 };
      g_autoptr (TsPicture) drawn = NULL;
      g_autofree char *content = NULL;
      g_autoptr (GError) error = NULL;
      double fraction = 0.0;

      g_assert_true (g_file_set_contents (path, "before", -1, NULL));
      drawn = ts_picture_new (fixture->recording, path, &picture, &error);
      g_assert_nonnull (drawn);
      g_cancellable_cancel (cancellable);
      g_assert_false (ts_picture_write (drawn, NULL, NULL, cancellable, &error));
      g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      g_assert_cmpstr (content, ==, "before");
      g_clear_error (&error);

      g_cancellable_reset (cancellable);
      picture.progress = note_progress;
      picture.user_data = &fraction;
      picture.cancellable = cancellable;
      g_assert_true (ts_picture_export (fixture->recording, path, &picture, &error));
      g_assert_cmpfloat (fraction, ==, 1.0);
    }
}

static void
check_refused (Fixture *fixture,
               const char *path,
               const TsPictureOptions *picture,
               int code,
               const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (ts_picture_export (fixture->recording, path, picture, &error));
  g_assert_error (error, TS_MODEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_refused (Fixture *fixture,
              gconstpointer data)
{
  const TsPictureOptions good
      = { .format = "png", .width = 800, .height = 400, .t_start_us = -1, .t_end_us = -1 };
  g_autofree char *path = make_path ("never.png");
  TsPictureOptions picture = good;

  picture.format = "bmp";
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "bmp");
  picture = good;
  picture.width = 1000000;
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "1000000");
  picture = good;
  picture.height = 5;
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "5");
  picture = good;
  picture.lanes = (const char *[]) { "control", "nobody", NULL };
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "nobody");
  picture = good;
  picture.t_start_us = 500;
  picture.t_end_us = 400;
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "400");
  picture = good;
  picture.t_start_us = 5000000;
  check_refused (fixture, path, &picture, TS_MODEL_ERROR_BAD_ARGUMENTS, "5000000");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  check_refused (fixture, "/nonexistent/folder/a.png", &good, TS_MODEL_ERROR_WRITE,
                 "/nonexistent/folder/a.png");

  /* what is no file is not replaced by one */
  g_assert_cmpint (g_mkdir_with_parents (g_get_user_cache_dir (), 0700), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  check_refused (fixture, path, &good, TS_MODEL_ERROR_WRITE, "not a file");
  g_assert_false (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_unlink (path);
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)
  ADD ("/draw/painter/colors", test_colors);
  ADD ("/draw/painter/same-both-ways", test_same_both_ways);
  ADD ("/draw/painter/ready-on-stripes", test_ready_on_stripes);
  ADD ("/draw/painter/header-stays", test_header_stays);
  ADD ("/draw/painter/clip", test_clip);
  ADD ("/draw/painter/scale", test_scale);
  ADD ("/draw/painter/plot", test_plot);
  ADD ("/draw/painter/hostile-texts", test_hostile_texts);
  ADD ("/draw/picture/png", test_png);
  ADD ("/draw/picture/svg", test_svg);
  ADD ("/draw/picture/view", test_picture_of_view);
  ADD ("/draw/picture/pdf", test_pdf);
  ADD ("/draw/picture/cancelled", test_cancelled);
  ADD ("/draw/picture/refused", test_refused);
  return g_test_run ();
}
