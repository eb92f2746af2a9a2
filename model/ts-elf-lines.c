/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-elf-lines.c: source lines of a firmware's code, out of its debug information by libdw. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef TS_HAVE_LIBDW
#include <elfutils/libdw.h>
#endif

#include "ts-elf-private.h"

/* Rows of a line table that are kept: 24 bytes each. */
#define MAX_ROWS 8000000

#ifdef TS_HAVE_LIBDW
static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  const TsElfLine *left = a;
  const TsElfLine *right = b;

  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  /* The end of one sequence comes before the begin of the next one at the same place. */
  return (left->file != NULL) - (right->file != NULL);
}

/* Files are named as the compiler knew them; what matters to people is the last part. */
static const char *
keep_name (GStringChunk *names,
           const char *path)
{
  const char *slash = strrchr (path, '/');
  g_autofree char *valid = g_utf8_make_valid (slash != NULL ? slash + 1 : path, -1);

  return g_string_chunk_insert_const (names, valid);
}

static gboolean
read_unit (TsElf *self,
           gpointer unit,
           gpointer user_data)
{
  Dwarf_Lines *lines;
  size_t n_lines;

  if (dwarf_getsrclines (unit, &lines, &n_lines) != 0)
    return TRUE;
  for (size_t i = 0; i < n_lines && self->lines->len < MAX_ROWS; i++)
    {
      Dwarf_Line *line = dwarf_onesrcline (lines, i);
      Dwarf_Addr address;
      TsElfLine row = { 0 };
      bool is_end = false;
      const char *path;
      int number;

      if (line == NULL || dwarf_lineaddr (line, &address) != 0)
        continue;
      row.address = address;
      dwarf_lineendsequence (line, &is_end);
      path = is_end ? NULL : dwarf_linesrc (line, NULL, NULL);
      if (path != NULL && dwarf_lineno (line, &number) == 0 && number > 0)
        {
          row.file = keep_name (self->names, path);
          row.line = (guint32) number;
        }
      /* a sequence at address 0 is of code that the linker left out */
      if (address != 0)
        g_array_append_val (self->lines, row);
    }
  return TRUE;
}

/* Calls @func for the units of the file's debug information, until it wants no more. */
void
_ts_elf_each_unit (TsElf *self,
                   TsElfUnitFunc func,
                   gpointer user_data)
{
  int fd = open (self->path, O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = fd >= 0 ? dwarf_begin (fd, DWARF_C_READ) : NULL;
  Dwarf_Off offset = 0;
  Dwarf_Off next;
  size_t header;

  while (dwarf != NULL
         && dwarf_next_unit (dwarf, offset, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL)
                == 0)
    {
      Dwarf_Die unit;

      if (dwarf_offdie (dwarf, offset + header, &unit) != NULL
          && !func (self, &unit, user_data))
        break;
      if (next <= offset)
        break;
      offset = next;
    }
  if (dwarf != NULL)
    dwarf_end (dwarf);
  if (fd >= 0)
    close (fd);
}

static void
read_lines (TsElf *self)
{
  _ts_elf_each_unit (self, read_unit, NULL);
  g_array_sort (self->lines, compare_rows);
}
#else
static void
read_lines (TsElf *self)
{
}
#endif

/**
 * ts_elf_find_line:
 * @self: a file
 * @address: an address of code
 * @line: (out): number of the line
 *
 * The first call reads the debug information: some hundred milliseconds for a large firmware.
 *
 * Thread: one at a time
 *
 * Returns: (transfer none) (nullable): name of the source file without folders, %NULL if the file
 * has no debug information for @address
 */
const char *
ts_elf_find_line (TsElf *self,
                  guint64 address,
                  guint *line)
{
  guint low = 0;
  guint high;
  const TsElfLine *row;

  g_return_val_if_fail (self != NULL && line != NULL, NULL);

  if (self->lines == NULL)
    {
      self->lines = g_array_new (FALSE, FALSE, sizeof (TsElfLine));
      self->names = g_string_chunk_new (4096);
      read_lines (self);
    }

  high = self->lines->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->lines, TsElfLine, middle).address <= address)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return NULL;
  row = &g_array_index (self->lines, TsElfLine, low - 1);
  *line = row->line;
  return row->file;
}

/**
 * ts_elf_dup_place:
 * @self: a file
 * @address: an address of code
 *
 * Thread: one at a time
 *
 * Returns: (transfer full) (nullable): where that is, for people: `main (main.c:42)`, or as much
 * of it as is known; %NULL: nothing
 */
char *
ts_elf_dup_place (TsElf *self,
                  guint64 address)
{
  const TsElfSymbol *symbol = ts_elf_find_address (self, address);
  guint line = 0;
  const char *file = ts_elf_find_line (self, address, &line);

  if (symbol != NULL && file != NULL)
    return g_strdup_printf ("%s (%s:%u)", symbol->name, file, line);
  if (symbol != NULL)
    return g_strdup (symbol->name);
  return file != NULL ? g_strdup_printf ("%s:%u", file, line) : NULL;
}
