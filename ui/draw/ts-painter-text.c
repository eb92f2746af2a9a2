/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-painter-text.c: Pango layouts, kept by text, look and width: making one costs some twenty
 * times as much as showing it.
 *
 * Two generations: when the young one is full, the old one is dropped and the young one grows old;
 * what is used again moves over.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <string.h>

#include "ts-painter-private.h"

#define GENERATION_SIZE 1024
/** Widths of cut texts are rounded down to this, so that zooming does not make a new layout per
 * pixel. */
#define WIDTH_STEP 8
/** Longest text laid out; nobody sees more of it in a lane. */
#define MAX_TEXT 512

typedef struct
{
  char *text;
  guint flags;
  int width; /* -1: as wide as it is */
  PangoLayout *layout;
  int text_width;
  int text_height;
} Entry;

struct _TsTextCache
{
  PangoContext *context;
  PangoFontDescription *fonts[2]; /* normal, small */
  GHashTable *young;
  GHashTable *old;
  int line_height;
  guint n_misses;
};

static guint
entry_hash (gconstpointer data)
{
  const Entry *entry = data;

  return g_str_hash (entry->text) * 31 + entry->flags * 7 + (guint) entry->width;
}

static gboolean
entry_equal (gconstpointer a,
             gconstpointer b)
{
  const Entry *first = a;
  const Entry *second = b;

  return first->flags == second->flags && first->width == second->width
         && strcmp (first->text, second->text) == 0;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_clear_object (&entry->layout);
  g_free (entry->text);
  g_free (entry);
}

TsTextCache *
_ts_text_cache_new (void)
{
  TsTextCache *self = g_new0 (TsTextCache, 1);
  cairo_font_options_t *options = cairo_font_options_create ();

  self->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options (self->context, options);
  cairo_font_options_destroy (options);
  self->young = g_hash_table_new_full (entry_hash, entry_equal, entry_free, NULL);
  self->old = g_hash_table_new_full (entry_hash, entry_equal, entry_free, NULL);
  _ts_text_cache_set_font (self, "Sans 12px");
  return self;
}

void
_ts_text_cache_free (TsTextCache *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->young);
  g_hash_table_unref (self->old);
  pango_font_description_free (self->fonts[0]);
  pango_font_description_free (self->fonts[1]);
  g_object_unref (self->context);
  g_free (self);
}

void
_ts_text_cache_set_font (TsTextCache *self,
                         const char *description)
{
  PangoFontMetrics *metrics;
  int size;

  g_hash_table_remove_all (self->young);
  g_hash_table_remove_all (self->old);
  g_clear_pointer (&self->fonts[0], pango_font_description_free);
  g_clear_pointer (&self->fonts[1], pango_font_description_free);
  self->fonts[0] = pango_font_description_from_string (description);
  if (pango_font_description_get_size (self->fonts[0]) <= 0)
    pango_font_description_set_absolute_size (self->fonts[0], 12 * PANGO_SCALE);
  self->fonts[1] = pango_font_description_copy (self->fonts[0]);
  size = pango_font_description_get_size (self->fonts[0]) * 7 / 8;
  if (pango_font_description_get_size_is_absolute (self->fonts[0]))
    pango_font_description_set_absolute_size (self->fonts[1], size);
  else
    pango_font_description_set_size (self->fonts[1], size);
  metrics = pango_context_get_metrics (self->context, self->fonts[0], NULL);
  self->line_height = PANGO_PIXELS_CEIL (pango_font_metrics_get_ascent (metrics)
                                         + pango_font_metrics_get_descent (metrics));
  self->line_height = MAX (self->line_height, 4);
  pango_font_metrics_unref (metrics);
}

int
_ts_text_cache_get_line_height (TsTextCache *self)
{
  return self->line_height;
}

guint
_ts_text_cache_get_n_misses (TsTextCache *self)
{
  return self->n_misses;
}

static PangoLayout *
make_layout (TsTextCache *self,
             const Entry *key)
{
  PangoLayout *layout = pango_layout_new (self->context);
  PangoAttrList *attributes = pango_attr_list_new ();
  gsize length = strlen (key->text);

  pango_layout_set_font_description (layout, self->fonts[(key->flags & TS_ITEM_SMALL) != 0]);
  if ((key->flags & TS_ITEM_BOLD) != 0)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  if ((key->flags & TS_ITEM_TABULAR) != 0)
    pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_attr_list_unref (attributes);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  if (key->width >= 0)
    {
      pango_layout_set_width (layout, key->width * PANGO_SCALE);
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    }
  if (length > MAX_TEXT)
    length = (gsize) (g_utf8_find_prev_char (key->text, key->text + MAX_TEXT) - key->text);
  pango_layout_set_text (layout, key->text, (int) length);
  return layout;
}

static Entry *
look_up (TsTextCache *self,
         const Entry *key)
{
  Entry *entry = g_hash_table_lookup (self->young, key);

  if (entry != NULL)
    return entry;
  entry = g_hash_table_lookup (self->old, key);
  if (entry != NULL)
    {
      g_hash_table_steal (self->old, entry);
    }
  else
    {
      entry = g_new0 (Entry, 1);
      *entry = *key;
      entry->text = g_strdup (key->text);
      entry->layout = make_layout (self, key);
      pango_layout_get_pixel_size (entry->layout, &entry->text_width, &entry->text_height);
      self->n_misses++;
    }
  if (g_hash_table_size (self->young) >= GENERATION_SIZE)
    {
      GHashTable *empty = self->old;

      g_hash_table_remove_all (empty);
      self->old = self->young;
      self->young = empty;
    }
  g_hash_table_add (self->young, entry);
  return entry;
}

PangoLayout *
_ts_text_cache_get (TsTextCache *self,
                    const char *text,
                    guint flags,
                    int width,
                    int *text_width,
                    int *text_height)
{
  Entry key
      = { (char *) text, flags & (TS_ITEM_BOLD | TS_ITEM_SMALL | TS_ITEM_TABULAR), -1, NULL, 0, 0 };
  Entry *entry = look_up (self, &key);

  if (entry->text_width > width)
    {
      key.width = MAX (width / WIDTH_STEP * WIDTH_STEP, 1);
      entry = look_up (self, &key);
    }
  *text_width = entry->text_width;
  *text_height = entry->text_height;
  return entry->layout;
}
