/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-elf.c: what a firmware's own files tell: `symbols`, `memory`, and `domains`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "model/ts-domain.h"
#include "model/ts-elf.h"

#include "ts-cli.h"

#define MAX_SYMBOLS 20000

static TsElf *
open_elf (TsCliArgs *args,
          GError **error)
{
  const char *path = ts_cli_args_get (args, "elf");

  if (path == NULL)
    path = ts_cli_args_get_positional (args, 0);
  if (path == NULL || *path == '\0')
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” needs --elf with the firmware's ELF file."), args->verb);
      return NULL;
    }
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("There is no file “%s”."),
                   path);
      return NULL;
    }
  return ts_elf_open (path, error);
}

/* The type that a poll takes by default: of the symbol's size, signed.
 * Source: viewalyzer-host.md section 3.5, behaviour */
static const char *
type_of (const TsElfSymbol *symbol)
{
  if (symbol->is_function)
    return "function";
  return symbol->size == 1 ? "i8" : symbol->size == 2 ? "i16" : symbol->size == 4 ? "i32" : "data";
}

static gboolean
matches (const char *name,
         const char *folded_filter)
{
  g_autofree char *folded = folded_filter != NULL ? g_utf8_casefold (name, -1) : NULL;

  return folded_filter == NULL || strstr (folded, folded_filter) != NULL;
}

static JsonObject *
make_symbol (const TsElfSymbol *symbol)
{
  JsonObject *item = json_object_new ();
  g_autofree char *hex = g_strdup_printf ("0x%08" G_GINT64_MODIFIER "X", symbol->address);

  json_object_set_string_member (item, "name", symbol->name);
  json_object_set_int_member (item, "address", (gint64) symbol->address);
  json_object_set_string_member (item, "address_hex", hex);
  json_object_set_int_member (item, "size", (gint64) symbol->size);
  json_object_set_string_member (item, "type", type_of (symbol));
  return item;
}

/**
 * ts_cli_symbols:
 * @args: arguments
 * @error: return location
 *
 * Lists the symbols of an ELF file, with the spellings of both generations of the contract.
 *
 * Source: viewalyzer-host.md sections 3.5 and 3.11
 *
 * Returns: exit status
 */
int
ts_cli_symbols (TsCliArgs *args,
                GError **error)
{
  const char *filter = ts_cli_args_get (args, "filter");
  g_autofree char *valid = g_utf8_make_valid (filter != NULL ? filter : "", -1);
  g_autofree char *folded = filter != NULL ? g_utf8_casefold (valid, -1) : NULL;
  g_autoptr (TsElf) elf = open_elf (args, error);
  g_autoptr (JsonObject) object = NULL;
  JsonArray *list;
  gint64 n_data = 0;
  gint64 n_text = 0;
  gint64 total = 0;

  if (elf == NULL)
    return 1;
  list = json_array_new ();
  for (guint i = 0; i < elf->symbols->len; i++)
    {
      const TsElfSymbol *symbol = &g_array_index (elf->symbols, TsElfSymbol, i);

      n_data += !symbol->is_function;
      n_text += symbol->is_function;
      if (!matches (symbol->name, folded))
        continue;
      if (total++ < MAX_SYMBOLS)
        json_array_add_object_element (list, make_symbol (symbol));
    }

  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "elf", elf->path);
  json_object_set_string_member (object, "filter", valid);
  json_object_set_int_member (object, "data_symbols", n_data);
  json_object_set_int_member (object, "text_symbols", n_text);
  json_object_set_int_member (object, "total_symbols", total);
  json_object_set_int_member (object, "returned", json_array_get_length (list));
  json_object_set_boolean_member (object, "truncated", total > MAX_SYMBOLS);
  json_object_set_array_member (object, "symbol_legend", json_array_ref (list));
  json_object_set_array_member (object, "symbols", list);
  ts_cli_envelope_print (args, object);
  return 0;
}

static JsonArray *
make_sections (const TsElf *elf)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < elf->sections->len; i++)
    {
      const TsElfSection *section = &g_array_index (elf->sections, TsElfSection, i);
      JsonObject *item;

      if (!section->is_allocated)
        continue;
      item = json_object_new ();
      json_object_set_string_member (item, "name", section->name);
      json_object_set_int_member (item, "address", (gint64) section->address);
      json_object_set_int_member (item, "size", (gint64) section->size);
      json_object_set_string_member (item, "type",
                                     !section->has_contents ? "bss"
                                     : section->is_writable ? "data"
                                                            : "text");
      json_array_add_object_element (array, item);
    }
  return array;
}

static JsonObject *
make_map (const char *path,
          const TsLinkerMap *map)
{
  JsonObject *object = json_object_new ();
  JsonArray *regions = json_array_new ();
  JsonArray *discarded = json_array_new ();

  for (guint i = 0; i < map->regions->len; i++)
    {
      const TsMapRegion *region = &g_array_index (map->regions, TsMapRegion, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "name", region->name);
      json_object_set_int_member (item, "origin", (gint64) region->origin);
      json_object_set_int_member (item, "length", (gint64) region->length);
      json_object_set_int_member (item, "used", (gint64) region->used);
      json_object_set_int_member (item, "free", (gint64) (region->length - region->used));
      json_object_set_double_member (
          item, "percent",
          region->length > 0 ? 100.0 * (double) region->used / (double) region->length : 0.0);
      json_array_add_object_element (regions, item);
    }
  for (guint i = 0; i < map->discarded->len; i++)
    json_array_add_string_element (discarded, g_ptr_array_index (map->discarded, i));
  ts_cli_envelope_add_text (object, "file_path", path);
  json_object_set_array_member (object, "memory_regions", regions);
  json_object_set_int_member (object, "discarded_count", map->discarded->len);
  json_object_set_array_member (object, "discarded_sections", discarded);
  return object;
}

/**
 * ts_cli_memory:
 * @args: arguments
 * @error: return location
 *
 * Tells how much memory a firmware needs: from its ELF file, and from its linker map how full each
 * region is.
 *
 * Source: viewalyzer-host.md section 3.5
 *
 * Returns: exit status
 */
int
ts_cli_memory (TsCliArgs *args,
               GError **error)
{
  const char *map_path = ts_cli_args_get (args, "map");
  g_autoptr (TsElf) elf = open_elf (args, error);
  g_autoptr (TsLinkerMap) map = NULL;
  g_autoptr (JsonObject) object = NULL;

  if (elf == NULL)
    return 1;
  if (map_path != NULL)
    {
      map = ts_linker_map_open (map_path, error);
      if (map == NULL)
        return 1;
    }

  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "elf", elf->path);
  json_object_set_int_member (object, "text", (gint64) elf->text);
  json_object_set_int_member (object, "data", (gint64) elf->data);
  json_object_set_int_member (object, "bss", (gint64) elf->bss);
  json_object_set_int_member (object, "total", (gint64) (elf->text + elf->data + elf->bss));
  json_object_set_int_member (object, "flash_used", (gint64) (elf->text + elf->data));
  json_object_set_int_member (object, "ram_used", (gint64) (elf->data + elf->bss));
  json_object_set_array_member (object, "sections", make_sections (elf));
  json_object_set_boolean_member (object, "has_map_data", map != NULL);
  if (map != NULL)
    json_object_set_object_member (object, "map", make_map (map_path, map));
  else
    json_object_set_null_member (object, "map");
  ts_cli_envelope_print (args, object);
  return 0;
}

static JsonObject *
make_domain (TsDomain *domain)
{
  static const char *const lists[] = { "channels", "derived", "verdicts" };
  JsonObject *item = json_object_new ();

  json_object_set_string_member (item, "id", ts_domain_get_id (domain));
  json_object_set_string_member (item, "name", ts_domain_get_name (domain));
  json_object_set_string_member (item, "version", ts_domain_get_version (domain));
  ts_cli_envelope_add_text (item, "path", ts_domain_get_path (domain));
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    json_object_set_int_member (item, lists[i], ts_domain_count (domain, lists[i]));
  return item;
}

/**
 * ts_cli_domains:
 * @args: arguments
 * @error: return location
 *
 * Shows where Trace Domains are looked for and which there are; with --parse-trace-domain checks
 * one file.
 *
 * Source: viewalyzer-host.md sections 3.2 and 3.12
 *
 * Returns: exit status
 */
int
ts_cli_domains (TsCliArgs *args,
                GError **error)
{
  const char *path = ts_cli_args_get (args, "parse-trace-domain");
  g_autoptr (JsonObject) object = NULL;
  g_autoptr (GPtrArray) failures = NULL;
  g_autoptr (GPtrArray) domains = NULL;
  g_auto (GStrv) folders = NULL;
  JsonArray *array;

  if (path != NULL)
    {
      g_autoptr (TsDomain) domain = ts_domain_load (path, error);

      if (domain == NULL)
        return 1;
      object = make_domain (domain);
      json_object_set_int_member (object, "schema_version", ts_cli_get_schema_version (args));
      json_object_set_boolean_member (object, "valid", TRUE);
      ts_cli_envelope_print (args, object);
      return 0;
    }

  object = ts_cli_envelope_new ();
  failures = g_ptr_array_new_with_free_func (g_free);
  domains = ts_domain_load_all (failures);
  folders = ts_domain_list_folders ();
  array = json_array_new ();
  for (guint i = 0; folders[i] != NULL; i++)
    json_array_add_string_element (array, folders[i]);
  json_object_set_array_member (object, "search_dirs", array);
  array = json_array_new ();
  for (guint i = 0; i < domains->len; i++)
    json_array_add_object_element (array, make_domain (g_ptr_array_index (domains, i)));
  json_object_set_array_member (object, "domains", array);
  array = json_array_new ();
  for (guint i = 0; i < failures->len; i++)
    json_array_add_string_element (array, g_ptr_array_index (failures, i));
  json_object_set_array_member (object, "warnings", array);
  ts_cli_envelope_print (args, object);
  return 0;
}
