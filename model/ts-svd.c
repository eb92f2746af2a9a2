/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-svd.c: reads the interrupts of a CMSIS-SVD file; the rest of it is passed over.
 *
 * Source: CMSIS-SVD format: device/peripherals/peripheral/interrupt with `name` and `value`
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-svd.h"

/* Real ones are below 10 MB. */
#define MAX_BYTES (64u << 20)
#define MAX_NUMBER 495

typedef struct
{
  TsSvd *svd;
  guint depth;
  gboolean is_svd;
  gboolean is_in_interrupt;
  GString *text; /* of the element that is read; NULL: of no interest */
  char *name;
  char *value;
} Reader;

static void
on_start (GMarkupParseContext *context,
          const char *element,
          const char **names,
          const char **values,
          gpointer data,
          GError **error)
{
  Reader *reader = data;

  if (reader->depth++ == 0)
    {
      reader->is_svd = strcmp (element, "device") == 0;
      if (!reader->is_svd)
        g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT,
                     _("its outermost element is “%s”, not “device”"), element);
      return;
    }

  if (strcmp (element, "interrupt") == 0)
    {
      reader->is_in_interrupt = TRUE;
      g_clear_pointer (&reader->name, g_free);
      g_clear_pointer (&reader->value, g_free);
    }
  else if ((reader->is_in_interrupt
            && (strcmp (element, "name") == 0 || strcmp (element, "value") == 0))
           || (reader->depth == 2 && strcmp (element, "name") == 0))
    {
      if (reader->text == NULL)
        reader->text = g_string_new (NULL);
    }
}

static void
on_text (GMarkupParseContext *context,
         const char *text,
         gsize length,
         gpointer data,
         GError **error)
{
  Reader *reader = data;

  if (reader->text != NULL && reader->text->len < 256)
    g_string_append_len (reader->text, text, (gssize) MIN (length, 256));
}

/* The first of several names of one interrupt counts. */
static void
keep_interrupt (Reader *reader)
{
  gint64 number;
  char *end;

  if (reader->name == NULL || *reader->name == '\0' || reader->value == NULL)
    return;
  number = g_ascii_strtoll (reader->value, &end, 0);
  if (end == reader->value || number < 0 || number > MAX_NUMBER)
    return;
  if (!g_hash_table_contains (reader->svd->interrupts, GUINT_TO_POINTER ((guint) number)))
    g_hash_table_insert (reader->svd->interrupts, GUINT_TO_POINTER ((guint) number),
                         g_steal_pointer (&reader->name));
}

static void
on_end (GMarkupParseContext *context,
        const char *element,
        gpointer data,
        GError **error)
{
  Reader *reader = data;

  reader->depth--;
  if (reader->text != NULL)
    {
      g_autofree char *raw = g_string_free (g_steal_pointer (&reader->text), FALSE);
      char *text = g_utf8_make_valid (g_strstrip (raw), -1);
      char **place = &reader->svd->device;

      if (reader->is_in_interrupt)
        place = strcmp (element, "name") == 0 ? &reader->name : &reader->value;
      g_free (*place);
      *place = text;
      return;
    }
  if (strcmp (element, "interrupt") == 0)
    {
      keep_interrupt (reader);
      reader->is_in_interrupt = FALSE;
    }
}

/**
 * ts_svd_open:
 * @path: a CMSIS-SVD file
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS, also for a file that cannot be read
 *
 * Returns: (transfer full) (nullable): ts_svd_free()
 */
TsSvd *
ts_svd_open (const char *path,
             GError **error)
{
  static const GMarkupParser parser
      = { .start_element = on_start, .end_element = on_end, .text = on_text };
  g_autoptr (GMappedFile) mapped = NULL;
  g_autoptr (GMarkupParseContext) context = NULL;
  g_autoptr (TsSvd) self = NULL;
  g_autoptr (GError) cause = NULL;
  Reader reader = { 0 };
  gboolean ok;

  g_return_val_if_fail (path != NULL, NULL);

  mapped = g_mapped_file_new (path, FALSE, &cause);
  if (mapped == NULL)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("Cannot read the SVD file: %s"), cause->message);
      return NULL;
    }
  if (g_mapped_file_get_length (mapped) > MAX_BYTES)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("“%s” is too large for an SVD file."), path);
      return NULL;
    }

  self = g_new0 (TsSvd, 1);
  self->path = g_strdup (path);
  self->interrupts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  reader.svd = self;
  context = g_markup_parse_context_new (&parser, G_MARKUP_PREFIX_ERROR_POSITION, &reader, NULL);
  ok = g_markup_parse_context_parse (context, g_mapped_file_get_contents (mapped),
                                     (gssize) g_mapped_file_get_length (mapped), &cause)
       && g_markup_parse_context_end_parse (context, &cause);
  if (reader.text != NULL)
    g_string_free (reader.text, TRUE);
  g_free (reader.name);
  g_free (reader.value);
  if (ok)
    return g_steal_pointer (&self);

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("“%s” is no SVD file: %s."), path, cause->message);
  return NULL;
}

/**
 * ts_svd_free:
 * @self: (nullable): a file
 */
void
ts_svd_free (TsSvd *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->interrupts);
  g_free (self->device);
  g_free (self->path);
  g_free (self);
}

/**
 * ts_svd_find_interrupt:
 * @self: a file
 * @number: number of an external interrupt, 0 for exception 16
 *
 * Returns: (transfer none) (nullable): its name
 */
const char *
ts_svd_find_interrupt (const TsSvd *self,
                       guint number)
{
  return g_hash_table_lookup (self->interrupts, GUINT_TO_POINTER (number));
}
