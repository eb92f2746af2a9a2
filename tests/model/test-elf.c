/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-elf.c: ELF files and linker maps, good and bad. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "model/ts-elf.h"

/* A 32-bit little-endian Arm file made by hand: sections null, .text, .data, .bss, .symtab,
 * .strtab, .shstrtab; symbols counter (data), main (code, with the Thumb bit), $t. */
static void
put (GByteArray *file,
     guint64 value,
     guint width)
{
  for (guint i = 0; i < width; i++)
    {
      guint8 byte = (guint8) (value >> (8 * i));

      g_byte_array_append (file, &byte, 1);
    }
}

static void
put_section (GByteArray *file,
             guint name,
             guint type,
             guint flags,
             guint address,
             guint offset,
             guint size,
             guint link,
             guint entry_size)
{
  const guint fields[] = { name, type, flags, address, offset, size, link, 0, 4, entry_size };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    put (file, fields[i], 4);
}

static void
put_symbol (GByteArray *file,
            guint name,
            guint value,
            guint size,
            guint type,
            guint section)
{
  put (file, name, 4);
  put (file, value, 4);
  put (file, size, 4);
  put (file, type, 1);
  put (file, 0, 1);
  put (file, section, 2);
}

static GByteArray *
make_elf (void)
{
  static const char strings[] = "\0counter\0main\0$t";
  static const char names[] = "\0.text\0.data\0.bss\0.symtab\0.strtab\0.shstrtab";
  GByteArray *file = g_byte_array_new ();
  guint symbols_at = 52;
  guint strings_at = symbols_at + 4 * 16;
  guint names_at = strings_at + sizeof strings;
  guint sections_at = names_at + sizeof names;

  g_byte_array_append (file, (const guint8 *) "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0", 16);
  put (file, 2, 2);
  put (file, 40, 2);
  put (file, 1, 4);
  put (file, 0x08000000, 4);
  put (file, 0, 4);
  put (file, sections_at, 4);
  put (file, 0, 4);
  put (file, 52, 2);
  put (file, 32, 2);
  put (file, 0, 2);
  put (file, 40, 2);
  put (file, 7, 2);
  put (file, 6, 2);
  put_symbol (file, 0, 0, 0, 0, 0);
  put_symbol (file, 1, 0x20000004, 4, 1, 2);
  put_symbol (file, 9, 0x08000101, 20, 2, 1);
  put_symbol (file, 14, 0x08000100, 0, 0, 1);
  g_byte_array_append (file, (const guint8 *) strings, sizeof strings);
  g_byte_array_append (file, (const guint8 *) names, sizeof names);
  put_section (file, 0, 0, 0, 0, 0, 0, 0, 0);
  put_section (file, 1, 1, 6, 0x08000000, 52, 0x1000, 0, 0);
  put_section (file, 7, 1, 3, 0x20000000, 52, 0x20, 0, 0);
  put_section (file, 13, 8, 3, 0x20000020, 52, 0x100, 0, 0);
  put_section (file, 18, 2, 0, 0, symbols_at, 64, 5, 16);
  put_section (file, 26, 3, 0, 0, strings_at, sizeof strings, 0, 0);
  put_section (file, 34, 3, 0, 0, names_at, sizeof names, 0, 0);
  return file;
}

static TsElf *
open_bytes (const guint8 *bytes,
            gsize n,
            GError **error)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ts-elf-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  TsElf *elf;

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, (const char *) bytes, (gssize) n, NULL));
  elf = ts_elf_open (path, error);
  g_unlink (path);
  return elf;
}

static void
test_symbols (void)
{
  g_autoptr (GByteArray) file = make_elf ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsElf) elf = open_bytes (file->data, file->len, &error);

  g_assert_no_error (error);
  g_assert_false (elf->is_64);
  g_assert_cmpuint (elf->machine, ==, 40);
  g_assert_cmpuint (elf->symbols->len, ==, 2);
  g_assert_cmpuint (ts_elf_find_symbol (elf, "main")->address, ==, 0x08000100);
  g_assert_true (ts_elf_find_symbol (elf, "main")->is_function);
  g_assert_cmpuint (ts_elf_find_symbol (elf, "counter")->size, ==, 4);
  g_assert_null (ts_elf_find_symbol (elf, "$t"));
  g_assert_null (ts_elf_find_symbol (elf, "nothing"));
  g_assert_cmpstr (ts_elf_find_address (elf, 0x08000113)->name, ==, "main");
  g_assert_null (ts_elf_find_address (elf, 0x08000114));
  g_assert_null (ts_elf_find_address (elf, 0));
  /* As `size` tells: .text is constant, .data and .bss are not. */
  g_assert_cmpuint (elf->text, ==, 0x1000);
  g_assert_cmpuint (elf->data, ==, 0x20);
  g_assert_cmpuint (elf->bss, ==, 0x100);
}

/* Any damage gives an error or some answer, never more. */
static void
test_damage (void)
{
  g_autoptr (GByteArray) file = make_elf ();

  for (guint i = 0; i < 400; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (file->data, file->len);
      gsize length = file->len;
      g_autoptr (TsElf) elf = NULL;

      if (i % 2 == 0)
        length = (gsize) g_test_rand_int_range (0, (gint32) file->len);
      for (guint k = 0; k < 1 + i % 7; k++)
        copy[g_test_rand_int_range (4, (gint32) file->len)] = (guint8) g_test_rand_int ();
      elf = open_bytes (copy, length, NULL);
      if (elf != NULL)
        ts_elf_find_address (elf, 0x08000100);
    }
}

/* Cut short at every length: an error of one sentence, or fewer symbols, and none that is not there. */
static void
test_cut (void)
{
  g_autoptr (GByteArray) file = make_elf ();
  guint n_opened = 0;

  for (guint length = 0; length < file->len; length++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TsElf) elf = open_bytes (file->data, length, &error);

      g_assert_true ((elf == NULL) == (error != NULL));
      if (elf == NULL)
        {
          g_assert_cmpuint (strlen (error->message), >, 10);
          g_assert_null (strchr (error->message, '\n'));
          continue;
        }
      n_opened++;
      g_assert_cmpuint (elf->symbols->len, <=, 2);
    }
  g_assert_cmpuint (n_opened, <, file->len);
}

static void
test_not_elf (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_bytes ((const guint8 *) "hello", 5, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS);
  g_clear_error (&error);
  g_assert_null (ts_elf_open ("/nonexistent/file.elf", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

static const char map_text[]
    = "Archive member included ...\n\nDiscarded input sections\n\n"
      " .text          0x00000000        0x0 crt.o\n .text.unused   0x00000000       0x10 main.o\n"
      "\nMemory Configuration\n\nName             Origin             Length             "
      "Attributes\n"
      "FLASH            0x08000000         0x00080000         xr\n"
      "RAM              0x20000000         0x00020000         xrw\n"
      "*default*        0x00000000         0xffffffff\n\nLinker script and memory map\n\n"
      ".isr_vector     0x08000000      0x1d8\n .isr_vector    0x08000000      0x1d8 startup.o\n"
      ".text           0x080001d8     0x1000\n.a_very_long_section_name\n"
      "                0x080011d8       0x28\n"
      ".data           0x20000000       0x10 load address 0x08001200\n"
      ".bss            0x20000010      0x100\n.debug_info     0x00000000     0x5000\n";

static void
test_map (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ts-map-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsLinkerMap) map = NULL;

  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, map_text, -1, NULL));
  map = ts_linker_map_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (map->regions->len, ==, 2);
  g_assert_cmpstr (g_array_index (map->regions, TsMapRegion, 0).name, ==, "FLASH");
  g_assert_cmpuint (g_array_index (map->regions, TsMapRegion, 0).length, ==, 0x80000);
  g_assert_cmpuint (g_array_index (map->regions, TsMapRegion, 0).used, ==,
                    0x1d8 + 0x1000 + 0x28 + 0x10);
  g_assert_cmpuint (g_array_index (map->regions, TsMapRegion, 1).used, ==, 0x110);
  g_assert_cmpuint (map->discarded->len, ==, 2);
  g_assert_cmpstr (g_ptr_array_index (map->discarded, 1), ==, ".text.unused");

  g_assert_true (g_file_set_contents (path, "no map\n", -1, NULL));
  g_assert_null (ts_linker_map_open (path, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS);
  g_unlink (path);
}

/* Its line is looked up in this program's own debug information. */
static __attribute__ ((noinline, used)) int
marked_function (int number)
{
  return number * 3 + __LINE__;
}

static void
test_lines (void)
{
  const guint marked_line = (guint) marked_function (0);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsElf) elf = ts_elf_open ("/proc/self/exe", &error);
  const TsElfSymbol *symbol;
  g_autofree char *place = NULL;
  g_autofree char *wanted = NULL;
  const char *file;
  guint line = 0;

  g_assert_no_error (error);
  symbol = ts_elf_find_symbol (elf, "marked_function");
  if (symbol == NULL || (file = ts_elf_find_line (elf, symbol->address, &line)) == NULL)
    {
      g_test_skip ("built without symbols or debug information");
      return;
    }
  g_assert_cmpstr (file, ==, "test-elf.c");
  /* the function's first instruction: the line of its name, or of its brace */
  g_assert_cmpuint (line, >=, marked_line - 2);
  g_assert_cmpuint (line, <=, marked_line);
  place = ts_elf_dup_place (elf, symbol->address);
  wanted = g_strdup_printf ("marked_function (test-elf.c:%u)", line);
  g_assert_cmpstr (place, ==, wanted);
  /* its last byte belongs to the line of the number or to the end of the function */
  file = ts_elf_find_line (elf, symbol->address + symbol->size - 1, &line);
  g_assert_cmpstr (file, ==, "test-elf.c");
  g_assert_cmpuint (line, >=, marked_line);
  g_assert_cmpuint (line, <=, marked_line + 1);
  g_assert_null (ts_elf_find_line (elf, 1, &line));
}

/* Variables of this program, whose types are looked up in its own debug information. */
typedef gint16 Level;
typedef union
{
  float real;
  guint32 bits;
} Either;
static volatile struct
{
  guint8 mode;
  const Level levels[3];
  struct
  {
    float gain;
    gint32 offset;
  } inner[2];
  guint32 low_bits : 3;
  Either either;
  double large;
  TsModelError which;
} marked_data = { .levels = { -1, -2, -3 }, .inner = { { .gain = 1.5f } } };
static volatile gint8 marked_small = -5;

static void
check_number (TsElf *elf,
              guint64 address,
              TsElfNumber number,
              guint size)
{
  guint found = 99;

  g_assert_cmpint (ts_elf_find_number (elf, address, &found), ==, number);
  g_assert_cmpuint (found, ==, size);
}

static void
test_numbers (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsElf) elf = ts_elf_open ("/proc/self/exe", &error);
  const TsElfSymbol *data = ts_elf_find_symbol (elf, "marked_data");
  const TsElfSymbol *small = ts_elf_find_symbol (elf, "marked_small");
  const char *base = (const char *) &marked_data;
  guint64 begin;
  guint size;

  g_assert_cmpint (marked_small, ==, -5);
  if (data == NULL || small == NULL
      || ts_elf_find_number (elf, small->address, &size) == TS_ELF_NUMBER_UNKNOWN)
    {
      g_test_skip ("built without symbols or debug information");
      return;
    }
  begin = data->address;
#define AT(member) (begin + (guint64) ((const char *) &marked_data.member - base))
  check_number (elf, small->address, TS_ELF_NUMBER_SIGNED, 1);
  check_number (elf, AT (mode), TS_ELF_NUMBER_UNSIGNED, 1);
  /* through a typedef, a qualifier and an array */
  check_number (elf, AT (levels[2]), TS_ELF_NUMBER_SIGNED, 2);
  check_number (elf, AT (inner[1].gain), TS_ELF_NUMBER_FLOAT, 4);
  check_number (elf, AT (inner[1].offset), TS_ELF_NUMBER_SIGNED, 4);
  check_number (elf, AT (large), TS_ELF_NUMBER_FLOAT, 8);
  check_number (elf, AT (which), TS_ELF_NUMBER_UNSIGNED, 4);
  /* not the begin of a number, a bit field, one of a union, no variable */
  check_number (elf, AT (levels[2]) + 1, TS_ELF_NUMBER_UNKNOWN, 0);
  check_number (elf, AT (either) - 4, TS_ELF_NUMBER_UNKNOWN, 0);
  check_number (elf, AT (either), TS_ELF_NUMBER_UNKNOWN, 0);
  check_number (elf, begin + data->size, TS_ELF_NUMBER_UNKNOWN, 0);
  check_number (elf, 1, TS_ELF_NUMBER_UNKNOWN, 0);
#undef AT
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/elf/symbols-and-sizes", test_symbols);
  g_test_add_func ("/model/elf/lines", test_lines);
  g_test_add_func ("/model/elf/numbers", test_numbers);
  g_test_add_func ("/model/elf/damage", test_damage);
  g_test_add_func ("/model/elf/cut", test_cut);
  g_test_add_func ("/model/elf/no-elf", test_not_elf);
  g_test_add_func ("/model/linker-map/regions", test_map);
  return g_test_run ();
}
