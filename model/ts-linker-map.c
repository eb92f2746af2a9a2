/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-linker-map.c: maps written by GNU ld (-Map): memory regions, what is in them, what was left
 * out.
 *
 * Three parts are read: "Discarded input sections", "Memory Configuration", and the output
 * sections of "Linker script and memory map": lines that begin with a name in the first column,
 * with the numbers on the same line or, after a long name, on the next.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-elf.h"

#define MAX_BYTES (512u << 20)

typedef enum
{
  PART_NONE,
  PART_DISCARDED,
  PART_MEMORY,
  PART_SECTIONS,
} Part;

static void
region_clear (gpointer data)
{
  g_free (((TsMapRegion *) data)->name);
}

/* The words of a line; at most six matter. */
static guint
split (char *line,
       char *words[6])
{
  guint n = 0;

  while (n < 6)
    {
      line += strspn (line, " \t\r");
      if (*line == '\0')
        break;
      words[n++] = line;
      line += strcspn (line, " \t\r");
      if (*line != '\0')
        *line++ = '\0';
    }
  return n;
}

static gboolean
parse_hex (const char *word,
           guint64 *value)
{
  char *end = NULL;

  if (strncmp (word, "0x", 2) != 0)
    return FALSE;
  *value = g_ascii_strtoull (word, &end, 16);
  return end != word && *end == '\0';
}

static void
read_region (TsLinkerMap *self,
             char *line)
{
  char *words[6] = { NULL };
  guint n = split (line, words);
  TsMapRegion region = { 0 };

  if (n < 3 || strcmp (words[0], "*default*") == 0 || !parse_hex (words[1], &region.origin)
      || !parse_hex (words[2], &region.length))
    return;
  region.name = g_strdup (words[0]);
  g_array_append_val (self->regions, region);
}

static void
add_used (TsLinkerMap *self,
          guint64 address,
          guint64 size)
{
  for (guint i = 0; i < self->regions->len; i++)
    {
      TsMapRegion *region = &g_array_index (self->regions, TsMapRegion, i);

      if (address >= region->origin && address - region->origin < region->length)
        {
          region->used += MIN (size, region->length - (address - region->origin));
          region->used = MIN (region->used, region->length);
          return;
        }
    }
}

/* Address and size of an output section; a load address elsewhere takes memory there too. Sections
 * for the debugger lie at 0 and are in no region of a microcontroller with anything at 0 but its
 * vectors: they are known by their names. */
static void
read_section (TsLinkerMap *self,
              const char *name,
              char **words,
              guint n)
{
  guint64 address;
  guint64 size;
  guint64 load;

  if (n < 2 || !parse_hex (words[0], &address) || !parse_hex (words[1], &size) || size == 0)
    return;
  if (address == 0
      && (g_str_has_prefix (name, ".debug") || g_str_has_prefix (name, ".comment")
          || g_str_has_prefix (name, ".ARM.attributes") || g_str_has_prefix (name, ".stab")))
    return;
  add_used (self, address, size);
  if (n == 5 && strcmp (words[2], "load") == 0 && strcmp (words[3], "address") == 0
      && parse_hex (words[4], &load) && load != address)
    add_used (self, load, size);
}

static Part
find_part (const char *line,
           Part part)
{
  if (g_str_has_prefix (line, "Discarded input sections"))
    return PART_DISCARDED;
  if (g_str_has_prefix (line, "Memory Configuration"))
    return PART_MEMORY;
  if (g_str_has_prefix (line, "Linker script and memory map"))
    return PART_SECTIONS;
  if (g_str_has_prefix (line, "Cross Reference Table") || g_str_has_prefix (line, "OUTPUT("))
    return PART_NONE;
  return part;
}

static void
read_lines (TsLinkerMap *self,
            char *text)
{
  g_autofree char *pending = NULL;
  Part part = PART_NONE;

  for (char *line = text; line != NULL;)
    {
      char *next = strchr (line, '\n');
      Part before = part;
      char *words[6] = { NULL };

      if (next != NULL)
        *next++ = '\0';
      part = find_part (line, part);
      if (part != before)
        g_clear_pointer (&pending, g_free);
      else if (part == PART_MEMORY)
        read_region (self, line);
      else if (part == PART_DISCARDED && *line == ' ' && line[1] != ' ' && line[1] != '\0')
        {
          guint n = split (line, words);

          if (n > 0)
            g_ptr_array_add (self->discarded, g_utf8_make_valid (words[0], -1));
        }
      else if (part == PART_SECTIONS && *line == '.')
        {
          guint n = split (line, words);

          g_free (pending);
          pending = n == 1 ? g_strdup (words[0]) : NULL;
          read_section (self, words[0], words + 1, n - 1);
        }
      else if (part == PART_SECTIONS && pending != NULL)
        {
          guint n = split (line, words);

          read_section (self, pending, words, n);
          g_clear_pointer (&pending, g_free);
        }
      line = next;
    }
}

/**
 * ts_linker_map_open:
 * @path: a map file of GNU ld
 * @error: return location
 *
 * Thread: any
 * Errors: those of reading a file; %TS_MODEL_ERROR_BAD_ARGUMENTS if it has no memory regions
 *
 * Returns: (transfer full) (nullable): ts_linker_map_free()
 */
TsLinkerMap *
ts_linker_map_open (const char *path,
                    GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (TsLinkerMap) self = NULL;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;

  self = g_new0 (TsLinkerMap, 1);
  self->regions = g_array_new (FALSE, FALSE, sizeof (TsMapRegion));
  g_array_set_clear_func (self->regions, region_clear);
  self->discarded = g_ptr_array_new_with_free_func (g_free);
  if (length <= MAX_BYTES)
    read_lines (self, text);
  if (self->regions->len == 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("--map: “%s” tells no memory regions; a map file of GNU ld is needed."), path);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * ts_linker_map_free:
 * @self: (nullable) (transfer full): a map
 */
void
ts_linker_map_free (TsLinkerMap *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->regions);
  g_ptr_array_unref (self->discarded);
  g_free (self);
}
