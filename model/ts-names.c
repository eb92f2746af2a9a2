/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-names.c: a book of names from files beside the stream. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-names-private.h"

G_DEFINE_FINAL_TYPE (TsNames, ts_names, G_TYPE_OBJECT)

static void
ts_names_finalize (GObject *object)
{
  TsNames *self = TS_NAMES (object);

  ts_elf_free (self->elf);
  ts_svd_free (self->svd);
  for (guint i = 0; i < TS_NAMES_N_WATCHES; i++)
    g_free (self->watch_names[i]);
  g_hash_table_unref (self->names);
  g_free (self->schema_path);

  G_OBJECT_CLASS (ts_names_parent_class)->finalize (object);
}

static void
ts_names_class_init (TsNamesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_names_finalize;
}

static void
ts_names_init (TsNames *self)
{
  self->names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (guint i = 0; i < TS_NAMES_N_WATCHES; i++)
    self->watch_addresses[i] = TS_OBJECT_UNKNOWN;
}

/**
 * ts_names_new:
 *
 * Thread: any; filled by one thread, then used by one
 *
 * Returns: (transfer full): an empty book
 */
TsNames *
ts_names_new (void)
{
  return g_object_new (TS_TYPE_NAMES, NULL);
}

/**
 * ts_names_add_elf:
 * @self: a book
 * @path: the firmware
 * @error: return location
 *
 * Functions for samples of the program counter, places for the instructions that wrote a watched
 * variable, variables for watches.
 *
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS, those of reading a file
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_names_add_elf (TsNames *self,
                  const char *path,
                  GError **error)
{
  g_autoptr (GError) cause = NULL;
  TsElf *elf;

  g_return_val_if_fail (TS_IS_NAMES (self), FALSE);

  elf = ts_elf_open (path, &cause);
  if (elf == NULL)
    {
      gboolean is_said = cause->domain == TS_MODEL_ERROR;

      g_propagate_error (error, g_steal_pointer (&cause));
      if (!is_said)
        g_prefix_error (error, "%s ", _("Cannot read the ELF file:"));
      return FALSE;
    }
  ts_elf_free (self->elf);
  self->elf = elf;
  return TRUE;
}

/**
 * ts_names_add_svd:
 * @self: a book
 * @path: a CMSIS-SVD file
 * @error: return location
 *
 * Names for external interrupts.
 *
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_names_add_svd (TsNames *self,
                  const char *path,
                  GError **error)
{
  TsSvd *svd;

  g_return_val_if_fail (TS_IS_NAMES (self), FALSE);

  svd = ts_svd_open (path, error);
  if (svd == NULL)
    return FALSE;
  ts_svd_free (self->svd);
  self->svd = svd;
  return TRUE;
}

/**
 * ts_names_set_watch:
 * @self: a book
 * @comparator: number of a comparator
 * @name: (nullable): label; %NULL: the variable at @address, if an ELF file knows it
 * @address: what it watches, %TS_OBJECT_UNKNOWN if that is not known
 */
void
ts_names_set_watch (TsNames *self,
                    guint comparator,
                    const char *name,
                    gint64 address)
{
  g_return_if_fail (TS_IS_NAMES (self));
  g_return_if_fail (comparator < TS_NAMES_N_WATCHES);

  g_free (self->watch_names[comparator]);
  self->watch_names[comparator] = g_strdup (name);
  self->watch_addresses[comparator] = address;
}

/**
 * ts_names_set_name:
 * @self: a book
 * @type: type of an object
 * @wire_id: its number on the wire
 * @name: its name, until the target sends one
 */
void
ts_names_set_name (TsNames *self,
                   TsObjectType type,
                   gint32 wire_id,
                   const char *name)
{
  gint64 key = (gint64) type << 32 | (guint32) wire_id;

  g_return_if_fail (TS_IS_NAMES (self));
  g_return_if_fail (name != NULL);

  g_hash_table_replace (self->names, g_memdup2 (&key, sizeof key), g_strdup (name));
}

/**
 * ts_names_get_elf_path:
 * @self: a book
 *
 * Returns: (transfer none) (nullable): its ELF file
 */
const char *
ts_names_get_elf_path (TsNames *self)
{
  g_return_val_if_fail (TS_IS_NAMES (self), NULL);

  return self->elf != NULL ? self->elf->path : NULL;
}

/**
 * ts_names_get_svd_path:
 * @self: a book
 *
 * Returns: (transfer none) (nullable): its SVD file
 */
const char *
ts_names_get_svd_path (TsNames *self)
{
  g_return_val_if_fail (TS_IS_NAMES (self), NULL);

  return self->svd != NULL ? self->svd->path : NULL;
}

/**
 * ts_names_set_schema_path:
 * @self: a book
 * @path: the file that all names of ts_names_set_name() are from
 */
void
ts_names_set_schema_path (TsNames *self,
                          const char *path)
{
  g_return_if_fail (TS_IS_NAMES (self));

  g_free (self->schema_path);
  self->schema_path = g_strdup (path);
}

/**
 * ts_names_get_schema_path:
 * @self: a book
 *
 * Returns: (transfer none) (nullable): the file that its names of objects are from
 */
const char *
ts_names_get_schema_path (TsNames *self)
{
  g_return_val_if_fail (TS_IS_NAMES (self), NULL);

  return self->schema_path;
}

/**
 * ts_names_is_of_files:
 * @self: a book
 *
 * Returns: whether all it knows is in its ELF, SVD and schema files
 */
gboolean
ts_names_is_of_files (TsNames *self)
{
  g_return_val_if_fail (TS_IS_NAMES (self), FALSE);

  for (guint i = 0; i < TS_NAMES_N_WATCHES; i++)
    if (self->watch_names[i] != NULL || self->watch_addresses[i] != TS_OBJECT_UNKNOWN)
      return FALSE;
  return self->schema_path != NULL || g_hash_table_size (self->names) == 0;
}

/* The label of a watch; else the variable that it lies in, with the distance where it does not
 * begin there. */
char *
_ts_names_dup_watch (TsNames *self,
                     guint comparator)
{
  gint64 address;
  const TsElfSymbol *symbol;

  if (comparator >= TS_NAMES_N_WATCHES)
    return NULL;
  if (self->watch_names[comparator] != NULL)
    return g_strdup (self->watch_names[comparator]);

  address = self->watch_addresses[comparator];
  if (address == TS_OBJECT_UNKNOWN)
    return NULL;
  symbol = self->elf != NULL ? ts_elf_find_address (self->elf, (guint64) address) : NULL;
  if (symbol == NULL)
    return g_strdup_printf ("0x%08" G_GINT64_MODIFIER "X", (guint64) address);
  if (symbol->address == (guint64) address)
    return g_strdup (symbol->name);
  return g_strdup_printf ("%s+%" G_GUINT64_FORMAT, symbol->name,
                          (guint64) address - symbol->address);
}

static const char *
find_name (TsNames *self,
           TsObjectType type,
           gint32 wire_id)
{
  gint64 key = (gint64) type << 32 | (guint32) wire_id;

  return g_hash_table_lookup (self->names, &key);
}

/* Packets of a semaphore do not tell which kind it is, while a book of names does; kernel objects
 * share one space of numbers. Source: viewalyzer-wire.md section 6.5 */
const char *
_ts_names_find (TsNames *self,
                TsObjectType type,
                gint32 wire_id)
{
  const char *name = find_name (self, type, wire_id);

  if (name == NULL && type == TS_OBJECT_SEMAPHORE)
    name = find_name (self, TS_OBJECT_BINARY_SEM, wire_id);
  if (name == NULL && type == TS_OBJECT_SEMAPHORE)
    name = find_name (self, TS_OBJECT_COUNTING_SEM, wire_id);
  return name;
}
