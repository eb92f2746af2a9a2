/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-target-memory.c: which memory of a target may be read, and the symbols of its firmware. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "ts-target-memory-private.h"

#define MACHINE_ARM 40
/* A name may stand in flash: below the RAM of an Arm core there are no peripherals. */
#define CODE_END 0x20000000u
#define SCAN_CHUNK 4096
#define MAX_OVERLAP 64
/* RAM of an ELF file is looked through up to this size. Source: probes.md section 3, step 1 */
#define MAX_SCAN (1024 * 1024)

static gboolean
is_within (guint32 address,
           guint64 n_bytes,
           guint64 start,
           guint64 end)
{
  return address >= start && n_bytes <= end - start && address - start <= end - start - n_bytes;
}

/* Where an Arm core may have RAM: on the buses of the code region (CCM, TCM), in the SRAM region
 * without its bit-band alias, and outside of the chip. Source: Armv7-M Architecture Reference
 * Manual, system address map */
gboolean
_ts_address_is_ram (guint32 address,
                    guint64 n_bytes)
{
  return is_within (address, n_bytes, 0x10000000u, 0x40000000u)
         || is_within (address, n_bytes, 0x60000000u, 0xA0000000u);
}

/*
 * _ts_target_memory_init:
 * @self: (out caller-allocates): to be cleared with _ts_target_memory_clear()
 * @connection: its scan window, addresses and ELF file
 * @error: return location
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG for an ELF file that is none, or of another processor
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_target_memory_init (TsTargetMemory *self,
                        TsConnection *connection,
                        GError **error)
{
  const char *path = ts_connection_get_elf (connection);
  g_autoptr (GError) local_error = NULL;

  memset (self, 0, sizeof *self);
  self->scan_start = (guint32) ts_connection_get_int (connection, "rambuf-scan-start");
  self->scan_size = MIN ((guint64) ts_connection_get_int (connection, "rambuf-scan-size"),
                         G_GUINT64_CONSTANT (0x100000000) - self->scan_start);
  self->is_wide = ts_connection_has (connection, "rambuf-address")
                  || ts_connection_has (connection, "rtt-address");
  if (path == NULL)
    return TRUE;

  self->elf = ts_elf_open (path, &local_error);
  if (self->elf == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG, "%s",
                   local_error->message);
      return FALSE;
    }
  if (self->elf->machine != MACHINE_ARM || self->elf->is_64)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” is for another kind of processor (machine %u), not for an Arm "
                     "Cortex-M: name the firmware's own ELF file."),
                   path, self->elf->machine);
      return FALSE;
    }

  return TRUE;
}

void
_ts_target_memory_clear (TsTargetMemory *self)
{
  g_clear_pointer (&self->elf, ts_elf_free);
}

/* Whether the bytes are part of the stated RAM. */
gboolean
_ts_target_memory_holds (const TsTargetMemory *self,
                         guint32 address,
                         guint64 n_bytes)
{
  if (is_within (address, n_bytes, self->scan_start, self->scan_start + self->scan_size))
    return TRUE;
  if (self->is_wide && _ts_address_is_ram (address, n_bytes))
    return TRUE;
  for (guint i = 0; self->elf != NULL && i < self->elf->sections->len; i++)
    {
      const TsElfSection *section = &g_array_index (self->elf->sections, TsElfSection, i);

      if (section->is_allocated && section->is_writable && section->size > 0
          && section->address <= G_MAXUINT32
          && section->size <= G_GUINT64_CONSTANT (0x100000000) - section->address
          && _ts_address_is_ram ((guint32) section->address, section->size)
          && is_within (address, n_bytes, section->address, section->address + section->size))
        return TRUE;
    }

  return FALSE;
}

/*
 * _ts_target_memory_read:
 * @self: a target's memory
 * @address: target address
 * @bytes: (array length=n_bytes): where to put them
 * @n_bytes: how many
 * @error: return location
 *
 * Reads stated RAM, and nothing else.
 *
 * Errors: %TS_CAPTURE_ERROR_LOST for memory that was not stated; those of the probe
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_target_memory_read (TsTargetMemory *self,
                        guint32 address,
                        guint8 *bytes,
                        gsize n_bytes,
                        GError **error)
{
  if (!_ts_target_memory_holds (self, address, n_bytes))
    {
      self->n_refused++;
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("0x%08x, %zu bytes, is no part of the RAM that may be read: check “rambuf-scan-start” "
                     "and “rambuf-scan-size”, or give the firmware's ELF file."),
                   address, n_bytes);
      return FALSE;
    }

  return ts_probe_read (self->probe, address, bytes, n_bytes, error);
}

/* Reads a text, which may also stand in flash; %FALSE when it cannot be read. */
gboolean
_ts_target_memory_read_name (TsTargetMemory *self,
                             guint32 address,
                             guint8 *bytes,
                             gsize n_bytes)
{
  if (!_ts_target_memory_holds (self, address, n_bytes)
      && !is_within (address, n_bytes, 0, CODE_END))
    return FALSE;

  return ts_probe_read (self->probe, address, bytes, n_bytes, NULL);
}

/* Whether the core still answers after an access that failed: then it was the address, and not the
 * probe. */
gboolean
_ts_target_memory_is_reachable (TsTargetMemory *self)
{
  guint32 cpuid = 0;

  return ts_probe_read_word (self->probe, TS_CORE_CPUID, &cpuid, NULL) && cpuid >> 24 == 0x41;
}

/* Looks through one range; one whose end is no memory is looked through up to there. */
static gboolean
scan_range (TsTargetMemory *self,
            guint32 start,
            guint64 size,
            gsize n_overlap,
            TsMemoryPiece piece,
            gpointer user_data,
            GError **error)
{
  guint8 bytes[SCAN_CHUNK + MAX_OVERLAP];

  for (guint64 at = 0; at < size; at += SCAN_CHUNK)
    {
      gsize n = (gsize) MIN (SCAN_CHUNK + n_overlap, size - at);
      guint32 base = (guint32) (start + at);
      g_autoptr (GError) local_error = NULL;

      if (!_ts_target_memory_read (self, base, bytes, n, &local_error))
        {
          if (at > 0 && _ts_target_memory_is_reachable (self))
            return TRUE;
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      if (!piece (self, base, bytes, n, SCAN_CHUNK, user_data, error))
        return FALSE;
    }

  return TRUE;
}

/*
 * _ts_target_memory_scan:
 * @self: a target's memory
 * @n_overlap: by how much pieces overlap, at most 64: what is looked for is not longer
 * @piece: takes a piece
 * @user_data: for @piece
 * @error: return location
 *
 * Looks through the scan window, and the firmware's RAM beside it.
 *
 * Errors: those of the probe and of @piece
 * Source: probes.md section 3, step 1
 *
 * Returns: %FALSE with @error set
 */
gboolean
_ts_target_memory_scan (TsTargetMemory *self,
                        gsize n_overlap,
                        TsMemoryPiece piece,
                        gpointer user_data,
                        GError **error)
{
  guint64 n_scanned = 0;

  g_return_val_if_fail (n_overlap <= MAX_OVERLAP, FALSE);

  if (!scan_range (self, self->scan_start, self->scan_size, n_overlap, piece, user_data, error))
    return FALSE;
  for (guint i = 0; self->elf != NULL && i < self->elf->sections->len; i++)
    {
      const TsElfSection *section = &g_array_index (self->elf->sections, TsElfSection, i);

      if (section->size == 0 || section->address > G_MAXUINT32
          || is_within ((guint32) section->address, section->size, self->scan_start,
                        self->scan_start + self->scan_size)
          || !_ts_target_memory_holds (self, (guint32) section->address, section->size)
          || n_scanned + section->size > MAX_SCAN)
        continue;
      n_scanned += section->size;
      if (!scan_range (self, (guint32) section->address, section->size, n_overlap, piece,
                       user_data, error))
        return FALSE;
    }

  return TRUE;
}

/*
 * _ts_target_memory_find_symbol:
 * @self: a target's memory
 * @name: a symbol of the recorder
 * @n_bytes: least size of what it names
 * @address: (out): where it lies
 * @problem: (out) (transfer full): why the file is no help, one sentence
 *
 * Source: viewalyzer-wire.md section 12.7
 *
 * Returns: whether the ELF file tells; %FALSE without @problem when there is no file
 */
gboolean
_ts_target_memory_find_symbol (const TsTargetMemory *self,
                               const char *name,
                               gsize n_bytes,
                               guint32 *address,
                               char **problem)
{
  const TsElfSymbol *symbol = self->elf != NULL ? ts_elf_find_symbol (self->elf, name) : NULL;

  *problem = NULL;
  if (self->elf == NULL)
    return FALSE;
  if (symbol == NULL || symbol->is_function)
    {
      *problem = g_strdup_printf (_("“%s” has no variable %s: is it this firmware's file, and was "
                                    "it built for this transport?"),
                                  self->elf->path, name);
      return FALSE;
    }
  if (symbol->address > G_MAXUINT32 || symbol->address % 4 != 0
      || (symbol->size != 0 && symbol->size < n_bytes)
      || !_ts_target_memory_holds (self, (guint32) symbol->address, n_bytes))
    {
      *problem = g_strdup_printf (_("“%s” puts %s at 0x%08" PRIx64 ", where the firmware has no RAM for it: the file is damaged "
                                    "or not this firmware's."),
                                  self->elf->path, name, symbol->address);
      return FALSE;
    }
  *address = (guint32) symbol->address;

  return TRUE;
}
