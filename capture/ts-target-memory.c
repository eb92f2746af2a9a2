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
/* Pieces in which memory is looked through, and into which one is cut that cannot be read whole. */
#define SCAN_CHUNK 4096
#define SCAN_LEAST 1024
/* So many pieces in a row that cannot be read are the end of memory, and no hole in it. */
#define MAX_HOLE 64
/* A core that sleeps for a moment is asked again, one in reset is waited for. */
#define MAX_TRIES 4
#define TRY_PAUSE_US 1000
#define UNREACHABLE_US (100 * 1000)
#define UNREACHABLE_PAUSE_US 5000
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

/*
 * _ts_target_memory_may_retry:
 * @self: a target's memory, of which an access failed
 * @n_tries: (inout): how often it was tried, 0 at first
 * @is_fault: (out): whether the core answers, so that it was the address
 *
 * Waits a moment for a core that sleeps now and then, or is in reset.
 *
 * Source: probes.md section 2, "Reading while the core sleeps"
 *
 * Returns: whether it is worth trying once more
 */
gboolean
_ts_target_memory_may_retry (TsTargetMemory *self,
                             guint *n_tries,
                             gboolean *is_fault)
{
  gint64 deadline = g_get_monotonic_time () + UNREACHABLE_US;

  *is_fault = _ts_target_memory_is_reachable (self);
  while (!*is_fault && !ts_probe_is_gone (self->probe) && g_get_monotonic_time () < deadline)
    {
      g_usleep (UNREACHABLE_PAUSE_US);
      *is_fault = _ts_target_memory_is_reachable (self);
    }
  if (!*is_fault || ++*n_tries >= MAX_TRIES)
    return FALSE;
  g_usleep (TRY_PAUSE_US);

  return TRUE;
}

typedef struct
{
  TsTargetMemory *memory;
  gsize n_overlap;
  TsMemoryPiece piece;
  gpointer user_data;
  gboolean is_any_read;
  guint n_hole;   /* pieces in a row that could not be read */
  GError *first;  /* why not, of the first of all */
} Scan;

/* Reads @n_own bytes and what overlaps them, which may be more than there is. @n: (out): how many,
 * 0: they cannot be read. FALSE: nor can anything else. */
static gboolean
read_piece (Scan *self,
            guint32 base,
            gsize n_own,
            gsize n_whole,
            guint8 *bytes,
            gsize *n,
            GError **error)
{
  guint n_tries = self->n_hole > 0 ? MAX_TRIES - 1 : 0;

  for (;;)
    {
      g_autoptr (GError) local_error = NULL;
      gboolean is_fault;

      *n = n_whole;
      if (_ts_target_memory_read (self->memory, base, bytes, *n, &local_error))
        return TRUE;
      *n = n_own;
      if (n_own < n_whole && self->n_hole == 0
          && _ts_target_memory_read (self->memory, base, bytes, *n, NULL))
        return TRUE;
      *n = 0;
      if (_ts_target_memory_may_retry (self->memory, &n_tries, &is_fault))
        continue;
      if (!is_fault)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      if (self->first == NULL)
        self->first = g_steal_pointer (&local_error);
      return TRUE;
    }
}

/* Looks through one range. What cannot be read is left out: there may be more memory behind it. */
static gboolean
scan_range (Scan *self,
            guint32 start,
            guint64 size,
            GError **error)
{
  guint8 bytes[SCAN_CHUNK + MAX_OVERLAP];
  gsize chunk = SCAN_CHUNK;

  self->n_hole = 0;
  for (guint64 at = 0; at < size && self->n_hole < MAX_HOLE;)
    {
      gsize n_own = (gsize) MIN (chunk - at % chunk, size - at);
      guint32 base = (guint32) (start + at);
      g_autoptr (GError) local_error = NULL;
      gboolean is_fault;
      guint n_tries = 0;
      gsize n;

      if (!read_piece (self, base, n_own, (gsize) MIN (n_own + self->n_overlap, size - at), bytes, &n,
                       error))
        return FALSE;
      if (n == 0 && self->n_hole == 0 && n_own > SCAN_LEAST)
        {
          chunk = SCAN_LEAST; /* where exactly does it end? */
          continue;
        }
      self->n_hole = n == 0 ? self->n_hole + 1 : 0;
      self->is_any_read = self->is_any_read || n > 0;
      if (n > 0
          && !self->piece (self->memory, base, bytes, n, n_own, self->user_data, &local_error)
          && (local_error->domain != TS_CAPTURE_ERROR
              || (!_ts_target_memory_may_retry (self->memory, &n_tries, &is_fault) && !is_fault)))
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }
      at += n_own;
      if (at % SCAN_CHUNK == 0)
        chunk = SCAN_CHUNK;
    }

  return TRUE;
}

static gboolean
scan_all (Scan *self,
          GError **error)
{
  const TsTargetMemory *memory = self->memory;
  guint64 n_scanned = 0;

  if (!scan_range (self, memory->scan_start, memory->scan_size, error))
    return FALSE;
  for (guint i = 0; memory->elf != NULL && i < memory->elf->sections->len; i++)
    {
      const TsElfSection *section = &g_array_index (memory->elf->sections, TsElfSection, i);

      if (section->size == 0 || section->address > G_MAXUINT32
          || is_within ((guint32) section->address, section->size, memory->scan_start,
                        memory->scan_start + memory->scan_size)
          || !_ts_target_memory_holds (memory, (guint32) section->address, section->size)
          || n_scanned + section->size > MAX_SCAN)
        continue;
      n_scanned += section->size;
      if (!scan_range (self, (guint32) section->address, section->size, error))
        return FALSE;
    }
  if (self->is_any_read || self->first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->first));

  return FALSE;
}

/*
 * _ts_target_memory_scan:
 * @self: a target's memory
 * @n_overlap: by how much pieces overlap, at most 64: what is looked for is not longer
 * @piece: takes a piece
 * @user_data: for @piece
 * @error: return location
 *
 * Looks through the scan window, and the firmware's RAM beside it. Pages that cannot be read are left
 * out, and what @piece could not read; only where nothing at all can be read, or the core answers no
 * more, it fails.
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
  Scan scan = { self, n_overlap, piece, user_data, FALSE, 0, NULL };
  gboolean is_ok;

  g_return_val_if_fail (n_overlap <= MAX_OVERLAP, FALSE);

  is_ok = scan_all (&scan, error);
  g_clear_error (&scan.first);

  return is_ok;
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
