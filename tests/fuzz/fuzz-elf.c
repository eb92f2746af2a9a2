/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-elf.c: any bytes as a firmware's ELF file: its symbols, sections and what of them is RAM. */
#include "config.h"

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/ts-elf.h"
#include "fuzz-target.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  int fd = memfd_create ("elf", MFD_CLOEXEC);
  char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  GError *error = NULL;
  TsElf *elf;

  g_assert (fd >= 0);
  g_assert (write (fd, data, size) == (ssize_t) size);
  elf = ts_elf_open (path, &error);
  g_assert ((elf == NULL) == (error != NULL));
  g_assert (error == NULL || (error->message != NULL && g_utf8_validate (error->message, -1, NULL)));
  g_clear_error (&error);
  if (elf != NULL)
    {
      const TsElfSymbol *symbol = ts_elf_find_symbol (elf, "_VA_RAMBUF");

      for (guint i = 0; i < elf->symbols->len; i++)
        g_assert (g_array_index (elf->symbols, TsElfSymbol, i).name != NULL);
      if (symbol != NULL)
        (void) ts_elf_find_address (elf, symbol->address);
      ts_elf_free (elf);
    }
  close (fd);
  g_free (path);
  return 0;
}
