/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-elf-private.h: what an ELF file keeps of its debug information. Private to the model. */
#pragma once

#include "ts-elf.h"

G_BEGIN_DECLS

/**
 * TsElfLine:
 * @address: first address
 * @file: (nullable): name without folders; %NULL: from here on nothing is known
 * @line: number of the line
 */
typedef struct
{
  guint64 address;
  const char *file;
  guint32 line;
} TsElfLine;

/**
 * TsElfUnitFunc:
 * @self: a file
 * @unit: (type Dwarf_Die): one unit of its debug information
 * @user_data: as given
 *
 * Returns: whether to go on
 */
typedef gboolean (*TsElfUnitFunc) (TsElf *self,
                                   gpointer unit,
                                   gpointer user_data);

void _ts_elf_each_unit (TsElf *self,
                        TsElfUnitFunc func,
                        gpointer user_data);

G_END_DECLS
