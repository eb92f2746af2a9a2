/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-firmware.c: what a firmware's ELF file tells about how to capture from it. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "model/ts-elf.h"

#include "ts-firmware.h"

/* Source: the ELF specification, e_machine */
#define MACHINE_ARM 40
/* RAM of an Arm core. Source: the Arm memory map of probes.md section 2 */
#define RAM_START 0x20000000u
#define RAM_END 0x40000000u

static guint32
find_address (const TsElf *elf,
              const char *name)
{
  const TsElfSymbol *symbol = ts_elf_find_symbol (elf, name);

  return symbol != NULL && !symbol->is_function && symbol->address <= G_MAXUINT32
             ? (guint32) symbol->address
             : 0;
}

/* From the first to the last byte that the firmware keeps in the SRAM region. */
static void
find_ram (const TsElf *elf,
          TsFirmware *firmware)
{
  guint64 begin = RAM_END, end = RAM_START;

  for (guint i = 0; i < elf->sections->len; i++)
    {
      const TsElfSection *section = &g_array_index (elf->sections, TsElfSection, i);

      if (!section->is_allocated || section->size == 0 || section->address < RAM_START
          || section->address >= RAM_END || section->size > RAM_END - section->address)
        continue;
      begin = MIN (begin, section->address);
      end = MAX (end, section->address + section->size);
    }
  if (end > begin)
    {
      firmware->ram_start = (guint32) begin & ~3u;
      firmware->ram_size = (guint32) (end - firmware->ram_start + 3) & ~3u;
    }
}

/**
 * ts_firmware_read:
 * @path: an ELF file
 * @firmware: (out caller-allocates): what it tells
 * @error: return location
 *
 * Thread: any; reads a file
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG when it is no ELF file, or of another processor
 * Source: viewalyzer-wire.md section 12 and probes.md sections 3 and 4 for the symbols
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_firmware_read (const char *path,
                  TsFirmware *firmware,
                  GError **error)
{
  static const char *const clocks[] = { "SystemCoreClock", "SystemFrequency", "g_core_clock_hz" };
  g_autofree char *name = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autoptr (TsElf) elf = NULL;

  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (firmware != NULL, FALSE);

  *firmware = (TsFirmware){ 0 };
  elf = ts_elf_open (path, &local_error);
  if (elf == NULL)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           local_error->message);
      return FALSE;
    }
  name = g_filename_display_name (path);
  if (elf->machine != MACHINE_ARM || elf->is_64)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s is for another kind of processor (machine %u), not for an Arm Cortex-M: "
                     "choose the firmware's own ELF file."),
                   name, elf->machine);
      return FALSE;
    }
  if (elf->symbols->len == 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("%s has no symbols: choose the file that the linker wrote, before it is "
                     "stripped."),
                   name);
      return FALSE;
    }

  firmware->ring = find_address (elf, "_VA_RAMBUF");
  firmware->post_mortem = find_address (elf, "_VA_PMBUF");
  firmware->rtt = find_address (elf, "_SEGGER_RTT");
  for (gsize i = 0; i < G_N_ELEMENTS (clocks) && firmware->clock == NULL; i++)
    if (find_address (elf, clocks[i]) != 0)
      firmware->clock = clocks[i];
  find_ram (elf, firmware);

  return TRUE;
}

/**
 * ts_firmware_is_elf:
 * @path: a file
 *
 * Thread: any; reads four bytes
 *
 * Returns: whether it begins like an ELF file
 */
gboolean
ts_firmware_is_elf (const char *path)
{
  char head[4] = { 0 };
  FILE *file;
  gsize n;

  g_return_val_if_fail (path != NULL, FALSE);

  file = g_fopen (path, "rbe");
  if (file == NULL)
    return FALSE;
  n = fread (head, 1, sizeof head, file);
  fclose (file);

  return n == sizeof head && memcmp (head, "\177ELF", 4) == 0;
}
