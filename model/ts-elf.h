/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-elf.h: symbols and sections of a firmware's ELF file, and what its linker map tells. */
#pragma once

#include <glib.h>

#include "ts-model-error.h"

G_BEGIN_DECLS

/**
 * TsElfSymbol:
 * @name: as in the file, made valid UTF-8
 * @address: without the Thumb bit of functions
 * @size: bytes, 0 if the file does not tell
 * @is_function: code; else data
 */
typedef struct
{
  char *name;
  guint64 address;
  guint64 size;
  gboolean is_function;
} TsElfSymbol;

/**
 * TsElfSection:
 * @name: name
 * @address: where it is at run time
 * @size: bytes
 * @is_allocated: takes memory at run time
 * @is_writable: can be written at run time
 * @is_executable: holds code
 * @has_contents: its bytes are in the file (not zero-initialised)
 */
typedef struct
{
  char *name;
  guint64 address;
  guint64 size;
  gboolean is_allocated;
  gboolean is_writable;
  gboolean is_executable;
  gboolean has_contents;
} TsElfSection;

/**
 * TsElf:
 * @path: path
 * @machine: number of the processor's architecture (40: Arm)
 * @is_64: 64-bit
 * @symbols: (element-type TsElfSymbol): functions and data with a name and a place, by address
 * @sections: (element-type TsElfSection): in the file's order
 * @text, @data, @bss: bytes of constant, of initialised and of zero-initialised memory
 * @lines, @names: (nullable): private: source lines, once somebody has asked for one
 */
typedef struct
{
  char *path;
  guint machine;
  gboolean is_64;
  GArray *symbols;
  GArray *sections;
  guint64 text;
  guint64 data;
  guint64 bss;
  GArray *lines;
  GStringChunk *names;
} TsElf;

/**
 * TsElfNumber:
 * @TS_ELF_NUMBER_UNKNOWN: no debug information, or no number
 * @TS_ELF_NUMBER_UNSIGNED: a number without a sign, a truth value, a pointer
 * @TS_ELF_NUMBER_SIGNED: in two's complement
 * @TS_ELF_NUMBER_FLOAT: of IEEE 754
 *
 * How the bytes of a variable are read.
 */
typedef enum
{
  TS_ELF_NUMBER_UNKNOWN,
  TS_ELF_NUMBER_UNSIGNED,
  TS_ELF_NUMBER_SIGNED,
  TS_ELF_NUMBER_FLOAT,
} TsElfNumber;

TsElf *ts_elf_open (const char *path,
                    GError **error);
void ts_elf_free (TsElf *self);
const TsElfSymbol *ts_elf_find_symbol (const TsElf *self,
                                       const char *name);
const TsElfSymbol *ts_elf_find_address (const TsElf *self,
                                        guint64 address);
const char *ts_elf_find_line (TsElf *self,
                              guint64 address,
                              guint *line);
TsElfNumber ts_elf_find_number (TsElf *self,
                                guint64 address,
                                guint *size);
char *ts_elf_dup_place (TsElf *self,
                        guint64 address);

/**
 * TsMapRegion:
 * @name: name in the linker script
 * @origin, @length: where and how long
 * @used: bytes of output sections in it, by run address, and by load address where that differs
 */
typedef struct
{
  char *name;
  guint64 origin;
  guint64 length;
  guint64 used;
} TsMapRegion;

/**
 * TsLinkerMap:
 * @regions: (element-type TsMapRegion): of the linker script, without the default one
 * @discarded: (element-type utf8): input sections that the linker left out
 */
typedef struct
{
  GArray *regions;
  GPtrArray *discarded;
} TsLinkerMap;

TsLinkerMap *ts_linker_map_open (const char *path,
                                 GError **error);
void ts_linker_map_free (TsLinkerMap *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsElf, ts_elf_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsLinkerMap, ts_linker_map_free)

G_END_DECLS
