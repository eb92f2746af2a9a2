/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-elf-types.c: how a variable's bytes are read, out of a firmware's debug information. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#ifdef TS_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#endif

#include "ts-elf-private.h"

/* Types in types (arrays of structures ...), and blocks in blocks, that are gone into. */
#define MAX_DEPTH 32

#ifdef TS_HAVE_LIBDW
typedef struct
{
  guint64 address;
  TsElfNumber number;
  guint size;
} Wanted;

/* Of what a variable, a member, an array is. */
static gboolean
find_type (Dwarf_Die *die,
           Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Die found;

  return dwarf_attr_integrate (die, DW_AT_type, &attribute) != NULL
         && dwarf_formref_die (&attribute, &found) != NULL
         && dwarf_peel_type (&found, type) == 0;
}

static TsElfNumber
read_base (Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;

  if (dwarf_attr_integrate (type, DW_AT_encoding, &attribute) == NULL
      || dwarf_formudata (&attribute, &encoding) != 0)
    return TS_ELF_NUMBER_UNKNOWN;
  switch (encoding)
    {
    case DW_ATE_float:
      return TS_ELF_NUMBER_FLOAT;

    case DW_ATE_signed:
    case DW_ATE_signed_char:
      return TS_ELF_NUMBER_SIGNED;

    case DW_ATE_boolean:
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
    case DW_ATE_address:
      return TS_ELF_NUMBER_UNSIGNED;

    default:
      return TS_ELF_NUMBER_UNKNOWN;
    }
}

/* The member that holds the byte at *@offset, which becomes the distance from its begin. A bit
 * field has no bytes of its own. */
static gboolean
find_member (Dwarf_Die *type,
             guint64 *offset,
             Dwarf_Die *found)
{
  Dwarf_Die member;

  if (dwarf_child (type, &member) != 0)
    return FALSE;
  do
    {
      Dwarf_Attribute attribute;
      Dwarf_Word begin = 0;
      Dwarf_Word size;
      Dwarf_Die inner;

      if (dwarf_tag (&member) != DW_TAG_member || dwarf_hasattr (&member, DW_AT_bit_size)
          || dwarf_attr (&member, DW_AT_data_member_location, &attribute) == NULL
          || dwarf_formudata (&attribute, &begin) != 0 || !find_type (&member, &inner)
          || dwarf_aggregate_size (&inner, &size) != 0)
        continue;
      if (*offset >= begin && *offset - begin < size)
        {
          *offset -= begin;
          *found = inner;
          return TRUE;
        }
    }
  while (dwarf_siblingof (&member, &member) == 0);
  return FALSE;
}

/* The number that begins @offset bytes behind the begin of a @type. */
static void
read_type (Wanted *wanted,
           Dwarf_Die type,
           guint64 offset)
{
  for (guint depth = 0; depth < MAX_DEPTH; depth++)
    {
      Dwarf_Word size;
      Dwarf_Die inner;

      switch (dwarf_tag (&type))
        {
        case DW_TAG_array_type:
          if (!find_type (&type, &inner) || dwarf_aggregate_size (&inner, &size) != 0 || size == 0)
            return;
          offset %= size;
          break;

        case DW_TAG_structure_type:
        case DW_TAG_class_type:
          if (!find_member (&type, &offset, &inner))
            return;
          break;

        case DW_TAG_base_type:
        case DW_TAG_enumeration_type:
        case DW_TAG_pointer_type:
          if (offset != 0 || dwarf_aggregate_size (&type, &size) != 0 || size == 0 || size > 8)
            return;
          wanted->size = (guint) size;
          if (dwarf_tag (&type) == DW_TAG_base_type)
            wanted->number = read_base (&type);
          else if (dwarf_tag (&type) == DW_TAG_enumeration_type && find_type (&type, &inner))
            wanted->number = read_base (&inner);
          else
            wanted->number = TS_ELF_NUMBER_UNSIGNED;
          return;

        default: /* of a union nobody knows which member is meant */
          return;
        }
      type = inner;
    }
}

/* Whether a variable holds the address; then its type tells the rest. */
static gboolean
read_variable (Wanted *wanted,
               Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *operations;
  size_t n_operations;
  Dwarf_Word size;
  Dwarf_Die type;

  if (dwarf_attr (die, DW_AT_location, &attribute) == NULL
      || dwarf_getlocation (&attribute, &operations, &n_operations) != 0 || n_operations != 1
      || operations[0].atom != DW_OP_addr || operations[0].number > wanted->address
      || !find_type (die, &type) || dwarf_aggregate_size (&type, &size) != 0
      || wanted->address - operations[0].number >= size)
    return FALSE;
  read_type (wanted, type, wanted->address - operations[0].number);
  return TRUE;
}

/* Looks among the children of @parent, and in what has variables of its own. */
static gboolean
search_block (Wanted *wanted,
              Dwarf_Die *parent,
              guint depth)
{
  Dwarf_Die die;

  if (depth > MAX_DEPTH || dwarf_child (parent, &die) != 0)
    return FALSE;
  do
    switch (dwarf_tag (&die))
      {
      case DW_TAG_variable:
        if (read_variable (wanted, &die))
          return TRUE;
        break;

      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
        if (search_block (wanted, &die, depth + 1))
          return TRUE;
        break;

      default:
        break;
      }
  while (dwarf_siblingof (&die, &die) == 0);
  return FALSE;
}

static gboolean
search_unit (TsElf *self,
             gpointer unit,
             gpointer user_data)
{
  return !search_block (user_data, unit, 0);
}
#endif

/**
 * ts_elf_find_number:
 * @self: a file
 * @address: an address of data
 * @size: (out): bytes of the number, 0 if it is not known
 *
 * How the number at @address is read, by the type of the variable there: of an array its element,
 * of a structure the member. Reads debug information each time: some hundred milliseconds for a large
 * firmware.
 *
 * Thread: one at a time
 * Source: DWARF 5, sections 4.1 (variables), 5.1 (base types), 7.8 (encodings)
 *
 * Returns: its kind, %TS_ELF_NUMBER_UNKNOWN if no debug information tells
 */
TsElfNumber
ts_elf_find_number (TsElf *self,
                    guint64 address,
                    guint *size)
{
  *size = 0;
#ifdef TS_HAVE_LIBDW
  {
    Wanted wanted = { .address = address };

    _ts_elf_each_unit (self, search_unit, &wanted);
    if (wanted.number != TS_ELF_NUMBER_UNKNOWN)
      *size = wanted.size;
    return wanted.number;
  }
#else
  return TS_ELF_NUMBER_UNKNOWN;
#endif
}
