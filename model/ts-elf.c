/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-elf.c: reading ELF files.
 *
 * Source: Tool Interface Standard, Executable and Linking Format, version 1.2; the numbers are
 * those of <elf.h>. Files come from outside: every offset is checked before it is used.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <elf.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-elf.h"

#define MAX_SECTIONS 65536
#define MAX_SYMBOLS 4000000

typedef struct
{
  const guint8 *bytes;
  gsize length;
  gboolean is_64;
  gboolean is_big;
} File;

/* One section header, either width. */
typedef struct
{
  guint32 name;
  guint32 type;
  guint64 flags;
  guint64 address;
  guint64 offset;
  guint64 size;
  guint32 link;
  guint64 entry_size;
} Header;

static guint64
read_number (const File *file,
             guint64 offset,
             guint width)
{
  guint64 value = 0;

  if (offset > file->length || file->length - offset < width)
    return 0;
  for (guint i = 0; i < width; i++)
    {
      guint at = file->is_big ? i : width - 1 - i;

      value = value << 8 | file->bytes[offset + at];
    }
  return value;
}

static gboolean
has_range (const File *file,
           guint64 offset,
           guint64 size)
{
  return offset <= file->length && size <= file->length - offset;
}

static void
read_header (const File *file,
             guint64 at,
             Header *header)
{
  guint w = file->is_64 ? 8 : 4;

  header->name = (guint32) read_number (file, at, 4);
  header->type = (guint32) read_number (file, at + 4, 4);
  header->flags = read_number (file, at + 8, w);
  header->address = read_number (file, at + 8 + w, w);
  header->offset = read_number (file, at + 8 + 2 * w, w);
  header->size = read_number (file, at + 8 + 3 * w, w);
  header->link = (guint32) read_number (file, at + 8 + 4 * w, 4);
  header->entry_size = read_number (file, at + 16 + 5 * w, w);
}

/* A name in a table of names; valid UTF-8, empty if there is none. */
static char *
dup_name (const File *file,
          const Header *names,
          guint32 offset)
{
  const char *start;
  gsize left;

  if (names == NULL || names->type != SHT_STRTAB || offset >= names->size
      || !has_range (file, names->offset, names->size))
    return g_strdup ("");
  start = (const char *) file->bytes + names->offset + offset;
  left = names->size - offset;
  return g_utf8_make_valid (start, (gssize) strnlen (start, left));
}

static void
symbol_clear (gpointer data)
{
  g_free (((TsElfSymbol *) data)->name);
}

static void
section_clear (gpointer data)
{
  g_free (((TsElfSection *) data)->name);
}

static int
compare_symbols (gconstpointer a,
                 gconstpointer b)
{
  const TsElfSymbol *left = a;
  const TsElfSymbol *right = b;

  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  return strcmp (left->name, right->name);
}

/* Functions and data; what the assembler made for itself ($t, $d) is none. */
static void
read_symbols (TsElf *self,
              const File *file,
              const Header *table,
              const Header *names)
{
  guint width = file->is_64 ? 24 : 16;
  guint64 n = table->size / width;

  if (!has_range (file, table->offset, table->size))
    return;
  for (guint64 i = 0; i < MIN (n, MAX_SYMBOLS); i++)
    {
      guint64 at = table->offset + i * width;
      guint info = (guint) read_number (file, at + (file->is_64 ? 4 : 12), 1);
      guint section = (guint) read_number (file, at + (file->is_64 ? 6 : 14), 2);
      guint type = info & 15;
      TsElfSymbol symbol = { 0 };

      if (section == SHN_UNDEF || section == SHN_ABS
          || (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE))
        continue;
      symbol.address = read_number (file, at + (file->is_64 ? 8 : 4), file->is_64 ? 8 : 4);
      symbol.size = read_number (file, at + (file->is_64 ? 16 : 8), file->is_64 ? 8 : 4);
      symbol.is_function = type == STT_FUNC;
      if (type == STT_NOTYPE && section < self->sections->len)
        symbol.is_function = g_array_index (self->sections, TsElfSection, section).is_executable;
      if (symbol.is_function && self->machine == EM_ARM)
        symbol.address &= ~(guint64) 1;
      symbol.name = dup_name (file, names, (guint32) read_number (file, at, 4));
      if (*symbol.name == '\0' || *symbol.name == '$')
        {
          g_free (symbol.name);
          continue;
        }
      g_array_append_val (self->symbols, symbol);
    }
}

static void
read_sections (TsElf *self,
               const File *file,
               const Header *headers,
               guint n_headers,
               const Header *names)
{
  for (guint i = 0; i < n_headers; i++)
    {
      const Header *header = &headers[i];
      TsElfSection section = { .name = dup_name (file, names, header->name),
                               .address = header->address,
                               .size = header->size,
                               .is_allocated = (header->flags & SHF_ALLOC) != 0,
                               .is_writable = (header->flags & SHF_WRITE) != 0,
                               .is_executable = (header->flags & SHF_EXECINSTR) != 0,
                               .has_contents
                               = header->type != SHT_NOBITS && header->type != SHT_NULL };

      if (section.is_allocated && !section.has_contents)
        self->bss += section.size;
      else if (section.is_allocated && section.is_writable)
        self->data += section.size;
      else if (section.is_allocated)
        self->text += section.size;
      g_array_append_val (self->sections, section);
    }
}

static gboolean
read_file (TsElf *self,
           File *file)
{
  g_autofree Header *headers = NULL;
  guint64 table;
  guint width;
  guint n;
  guint names;
  const Header *symbols = NULL;

  if (file->length < 52 || memcmp (file->bytes, ELFMAG, SELFMAG) != 0)
    return FALSE;
  file->is_64 = file->bytes[EI_CLASS] == ELFCLASS64;
  file->is_big = file->bytes[EI_DATA] == ELFDATA2MSB;
  self->is_64 = file->is_64;
  self->machine = (guint) read_number (file, 18, 2);
  table = read_number (file, file->is_64 ? 40 : 32, file->is_64 ? 8 : 4);
  width = (guint) read_number (file, file->is_64 ? 58 : 46, 2);
  n = (guint) read_number (file, file->is_64 ? 60 : 48, 2);
  names = (guint) read_number (file, file->is_64 ? 62 : 50, 2);
  if (width < (file->is_64 ? 64u : 40u) || n > MAX_SECTIONS
      || !has_range (file, table, (guint64) n * width))
    return FALSE;

  headers = g_new0 (Header, n + 1);
  for (guint i = 0; i < n; i++)
    read_header (file, table + (guint64) i * width, &headers[i]);
  read_sections (self, file, headers, n, names < n ? &headers[names] : NULL);
  for (guint i = 0; i < n; i++)
    if (headers[i].type == SHT_SYMTAB || (headers[i].type == SHT_DYNSYM && symbols == NULL))
      symbols = &headers[i];
  if (symbols != NULL)
    read_symbols (self, file, symbols, symbols->link < n ? &headers[symbols->link] : NULL);
  g_array_sort (self->symbols, compare_symbols);
  return TRUE;
}

/**
 * ts_elf_open:
 * @path: an ELF file, 32 or 64 bit, of either byte order
 * @error: return location
 *
 * Thread: any
 * Errors: those of opening a file; %TS_MODEL_ERROR_BAD_ARGUMENTS if it is no ELF file
 *
 * Returns: (transfer full) (nullable): ts_elf_free()
 */
TsElf *
ts_elf_open (const char *path,
             GError **error)
{
  g_autoptr (GMappedFile) mapped = g_mapped_file_new (path, FALSE, error);
  g_autoptr (TsElf) self = NULL;
  File file = { 0 };

  if (mapped == NULL)
    return NULL;
  file.bytes = (const guint8 *) g_mapped_file_get_contents (mapped);
  file.length = g_mapped_file_get_length (mapped);

  self = g_new0 (TsElf, 1);
  self->path = g_strdup (path);
  self->symbols = g_array_new (FALSE, FALSE, sizeof (TsElfSymbol));
  self->sections = g_array_new (FALSE, FALSE, sizeof (TsElfSection));
  g_array_set_clear_func (self->symbols, symbol_clear);
  g_array_set_clear_func (self->sections, section_clear);
  if (!read_file (self, &file))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("“%s” is no ELF file, or is damaged."), path);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * ts_elf_free:
 * @self: (nullable) (transfer full): a file
 */
void
ts_elf_free (TsElf *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->symbols);
  g_array_unref (self->sections);
  g_clear_pointer (&self->lines, g_array_unref);
  g_clear_pointer (&self->names, g_string_chunk_free);
  g_free (self->path);
  g_free (self);
}

/**
 * ts_elf_find_symbol:
 * @self: a file
 * @name: name of a symbol
 *
 * Returns: (transfer none) (nullable): the symbol; data before functions of the same name
 */
const TsElfSymbol *
ts_elf_find_symbol (const TsElf *self,
                    const char *name)
{
  const TsElfSymbol *found = NULL;

  for (guint i = 0; i < self->symbols->len; i++)
    {
      const TsElfSymbol *symbol = &g_array_index (self->symbols, TsElfSymbol, i);

      if (strcmp (symbol->name, name) == 0 && (found == NULL || found->is_function))
        found = symbol;
    }
  return found;
}

/**
 * ts_elf_find_address:
 * @self: a file
 * @address: an address
 *
 * Returns: (transfer none) (nullable): the symbol that holds @address; of several the one that
 *   begins last
 */
const TsElfSymbol *
ts_elf_find_address (const TsElf *self,
                     guint64 address)
{
  guint low = 0;
  guint high = self->symbols->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->symbols, TsElfSymbol, middle).address <= address)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint i = low; i > 0 && low - i < 64; i--)
    {
      const TsElfSymbol *symbol = &g_array_index (self->symbols, TsElfSymbol, i - 1);

      if (address - symbol->address < symbol->size)
        return symbol;
    }
  return NULL;
}
