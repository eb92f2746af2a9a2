/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-target-ids.c: what a chip of a name says of itself when it is asked.
 *
 * Source: which core, which device number and how much flash a name means are in the chip's data
 * sheet and reference manual (STM32: chapters “Debug support”, DBGMCU_IDCODE, and “Device electronic
 * signature”).
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-target-ids-private.h"

#define M0 0xC20
#define M0_PLUS 0xC60
#define M3 0xC23
#define M4 0xC24
#define M7 0xC27
#define M33 0xD21
#define M55 0xD22

/* In order of names; the longest counts. */
static const TsTargetIds device_ids[] = {
  { "STM32C011", { 0x443 } }, { "STM32C031", { 0x453 } },
  { "STM32C071", { 0x493 } }, { "STM32F030", { 0x440, 0x442, 0x444 } },
  { "STM32F031", { 0x444 } }, { "STM32F038", { 0x444 } },
  { "STM32F042", { 0x445 } }, { "STM32F048", { 0x445 } },
  { "STM32F051", { 0x440 } }, { "STM32F058", { 0x440 } },
  { "STM32F070", { 0x445, 0x448 } }, { "STM32F071", { 0x448 } },
  { "STM32F072", { 0x448 } }, { "STM32F078", { 0x448 } },
  { "STM32F091", { 0x442 } }, { "STM32F098", { 0x442 } },
  { "STM32F100", { 0x420, 0x428 } }, { "STM32F101", { 0x410, 0x412, 0x414 } },
  { "STM32F102", { 0x410, 0x412 } }, { "STM32F103", { 0x410, 0x412, 0x414 } },
  { "STM32F103RF", { 0x430 } }, { "STM32F103RG", { 0x430 } },
  { "STM32F103VF", { 0x430 } }, { "STM32F103VG", { 0x430 } },
  { "STM32F103ZF", { 0x430 } }, { "STM32F103ZG", { 0x430 } },
  { "STM32F105", { 0x418 } }, { "STM32F107", { 0x418 } },
  { "STM32F205", { 0x411 } }, { "STM32F207", { 0x411 } },
  { "STM32F215", { 0x411 } }, { "STM32F217", { 0x411 } },
  { "STM32F301", { 0x439 } }, { "STM32F302", { 0x422, 0x439, 0x446 } },
  { "STM32F303", { 0x422, 0x438, 0x446 } }, { "STM32F318", { 0x439 } },
  { "STM32F328", { 0x438 } }, { "STM32F334", { 0x438 } },
  { "STM32F358", { 0x422 } }, { "STM32F373", { 0x432 } },
  { "STM32F378", { 0x432 } }, { "STM32F398", { 0x446 } },
  { "STM32F401", { 0x423, 0x433 } }, { "STM32F405", { 0x413 } },
  { "STM32F407", { 0x413 } }, { "STM32F410", { 0x458 } },
  { "STM32F411", { 0x431 } }, { "STM32F412", { 0x441 } },
  { "STM32F413", { 0x463 } }, { "STM32F415", { 0x413 } },
  { "STM32F417", { 0x413 } }, { "STM32F423", { 0x463 } },
  { "STM32F427", { 0x419 } }, { "STM32F429", { 0x419 } },
  { "STM32F437", { 0x419 } }, { "STM32F439", { 0x419 } },
  { "STM32F446", { 0x421 } }, { "STM32F469", { 0x434 } },
  { "STM32F479", { 0x434 } }, { "STM32F722", { 0x452 } },
  { "STM32F723", { 0x452 } }, { "STM32F730", { 0x452 } },
  { "STM32F732", { 0x452 } }, { "STM32F733", { 0x452 } },
  { "STM32F745", { 0x449 } }, { "STM32F746", { 0x449 } },
  { "STM32F750", { 0x449 } }, { "STM32F756", { 0x449 } },
  { "STM32F765", { 0x451 } }, { "STM32F767", { 0x451 } },
  { "STM32F769", { 0x451 } }, { "STM32F777", { 0x451 } },
  { "STM32F779", { 0x451 } }, { "STM32G030", { 0x466 } },
  { "STM32G031", { 0x466 } }, { "STM32G041", { 0x466 } },
  { "STM32G050", { 0x456 } }, { "STM32G051", { 0x456 } },
  { "STM32G061", { 0x456 } }, { "STM32G070", { 0x460 } },
  { "STM32G071", { 0x460 } }, { "STM32G081", { 0x460 } },
  { "STM32G0B0", { 0x467 } }, { "STM32G0B1", { 0x467 } },
  { "STM32G0C1", { 0x467 } }, { "STM32G431", { 0x468 } },
  { "STM32G441", { 0x468 } }, { "STM32G471", { 0x469 } },
  { "STM32G473", { 0x469 } }, { "STM32G474", { 0x469 } },
  { "STM32G483", { 0x469 } }, { "STM32G484", { 0x469 } },
  { "STM32G491", { 0x479 } }, { "STM32G4A1", { 0x479 } },
  { "STM32H503", { 0x474 } }, { "STM32H562", { 0x484 } },
  { "STM32H563", { 0x484 } }, { "STM32H573", { 0x484 } },
  { "STM32H723", { 0x483 } }, { "STM32H725", { 0x483 } },
  { "STM32H730", { 0x483 } }, { "STM32H733", { 0x483 } },
  { "STM32H735", { 0x483 } }, { "STM32H742", { 0x450 } },
  { "STM32H743", { 0x450 } }, { "STM32H745", { 0x450 } },
  { "STM32H747", { 0x450 } }, { "STM32H750", { 0x450 } },
  { "STM32H753", { 0x450 } }, { "STM32H755", { 0x450 } },
  { "STM32H757", { 0x450 } }, { "STM32H7A3", { 0x480 } },
  { "STM32H7B0", { 0x480 } }, { "STM32H7B3", { 0x480 } },
  { "STM32H7R", { 0x485 } }, { "STM32H7S", { 0x485 } },
  { "STM32L011", { 0x457 } }, { "STM32L021", { 0x457 } },
  { "STM32L031", { 0x425 } }, { "STM32L041", { 0x425 } },
  { "STM32L412", { 0x464 } }, { "STM32L422", { 0x464 } },
  { "STM32L431", { 0x435 } }, { "STM32L432", { 0x435 } },
  { "STM32L433", { 0x435 } }, { "STM32L442", { 0x435 } },
  { "STM32L443", { 0x435 } }, { "STM32L451", { 0x462 } },
  { "STM32L452", { 0x462 } }, { "STM32L462", { 0x462 } },
  { "STM32L471", { 0x415 } }, { "STM32L475", { 0x415 } },
  { "STM32L476", { 0x415 } }, { "STM32L486", { 0x415 } },
  { "STM32L496", { 0x461 } }, { "STM32L4A6", { 0x461 } },
  { "STM32L4P5", { 0x471 } }, { "STM32L4Q5", { 0x471 } },
  { "STM32L4R", { 0x470 } }, { "STM32L4S", { 0x470 } },
  { "STM32L552", { 0x472 } }, { "STM32L562", { 0x472 } },
  { "STM32N6", { 0x486 } }, { "STM32U375", { 0x454 } },
  { "STM32U385", { 0x454 } }, { "STM32U535", { 0x455 } },
  { "STM32U545", { 0x455 } }, { "STM32U575", { 0x482 } },
  { "STM32U585", { 0x482 } }, { "STM32U595", { 0x481 } },
  { "STM32U599", { 0x481 } }, { "STM32U5A", { 0x481 } },
  { "STM32U5F", { 0x476 } }, { "STM32U5G", { 0x476 } },
  { "STM32WB10", { 0x494 } }, { "STM32WB15", { 0x494 } },
  { "STM32WB30", { 0x495 } }, { "STM32WB35", { 0x495 } },
  { "STM32WB50", { 0x495 } }, { "STM32WB55", { 0x495 } },
  { "STM32WBA5", { 0x492 } }, { "STM32WL5", { 0x497 } },
  { "STM32WLE", { 0x497 } },
};

/* The core behind the first access port. */
static const struct
{
  const char *name;
  guint part;
} cores[] = {
  { "LPC1114", M0 },      { "LPC17", M3 },        { "RP2040", M0_PLUS },  { "RP2350", M33 },
  { "STM32C0", M0_PLUS }, { "STM32F0", M0 },      { "STM32F1", M3 },      { "STM32F2", M3 },
  { "STM32F3", M4 },      { "STM32F4", M4 },      { "STM32F7", M7 },      { "STM32G0", M0_PLUS },
  { "STM32G4", M4 },      { "STM32H5", M33 },     { "STM32H7", M7 },      { "STM32L0", M0_PLUS },
  { "STM32L1", M3 },      { "STM32L4", M4 },      { "STM32L5", M33 },     { "STM32N6", M55 },
  { "STM32U0", M0_PLUS }, { "STM32U3", M33 },     { "STM32U5", M33 },     { "STM32WB0", M0_PLUS },
  { "STM32WB1", M4 },     { "STM32WB3", M4 },     { "STM32WB5", M4 },     { "STM32WBA", M33 },
  { "STM32WL5", M4 },     { "STM32WLE", M4 },     { "nRF51", M0 },        { "nRF52", M4 },
  { "nRF53", M33 },       { "nRF54L", M33 },      { "nRF91", M33 },
};

/* Where the size of the flash stands, in KiB, 16 bits. */
static const struct
{
  const char *name;
  guint32 address;
} flash_sizes[] = {
  { "STM32F2", 0x1FFF7A22 },   { "STM32F4", 0x1FFF7A22 },   { "STM32F72", 0x1FF07A22 },
  { "STM32F73", 0x1FF07A22 },  { "STM32F74", 0x1FF0F442 },  { "STM32F75", 0x1FF0F442 },
  { "STM32F76", 0x1FF0F442 },  { "STM32F77", 0x1FF0F442 },  { "STM32G4", 0x1FFF75E0 },
  { "STM32L4", 0x1FFF75E0 },   { "STM32WB1", 0x1FFF75E0 },  { "STM32WB3", 0x1FFF75E0 },
  { "STM32WB5", 0x1FFF75E0 },
};

/* How much of @name is the beginning of a name of a list; 0: it is another. */
static gsize
get_match (const char *name,
           const char *beginning)
{
  gsize n = strlen (beginning);

  return g_ascii_strncasecmp (name, beginning, n) == 0 ? n : 0;
}

/*
 * _ts_target_find_ids:
 * @name: name of a chip
 *
 * Returns: (nullable) (transfer none): which device numbers it may have, if that is known
 */
const TsTargetIds *
_ts_target_find_ids (const char *name)
{
  const TsTargetIds *best = NULL;
  gsize n_best = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (device_ids); i++)
    if (get_match (name, device_ids[i].name) > n_best)
      {
        best = &device_ids[i];
        n_best = strlen (best->name);
      }

  return best;
}

/*
 * _ts_target_dup_names_of_id:
 * @id: a device number
 *
 * Returns: (transfer full) (nullable): beginnings of the names of the chips that have it,
 * "STM32F405/F407/F415/F417"
 */
char *
_ts_target_dup_names_of_id (guint id)
{
  const gsize n_family = strlen ("STM32");
  GString *names = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (device_ids); i++)
    for (guint j = 0; j < TS_TARGET_MAX_IDS; j++)
      if (device_ids[i].ids[j] == id && id != 0)
        {
          if (names == NULL)
            names = g_string_new (device_ids[i].name);
          else
            g_string_append_printf (names, "/%s", device_ids[i].name + n_family);
        }

  return names != NULL ? g_string_free (names, FALSE) : NULL;
}

/*
 * _ts_target_find_core:
 * @name: name of a chip
 *
 * Returns: part number (bits 15 to 4 of CPUID) of its core, 0: that is not known
 */
guint
_ts_target_find_core (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cores); i++)
    if (get_match (name, cores[i].name) > 0)
      return cores[i].part;

  return 0;
}

/*
 * _ts_target_get_core_name:
 * @part: bits 15 to 4 of CPUID
 *
 * Source: probes.md section 2
 *
 * Returns: (nullable) (transfer none): "Cortex-M4"
 */
const char *
_ts_target_get_core_name (guint part)
{
  static const struct
  {
    guint part;
    const char *name;
  } names[] = {
    { M0, "Cortex-M0" },     { M0_PLUS, "Cortex-M0+" }, { M3, "Cortex-M3" },
    { M4, "Cortex-M4" },     { M7, "Cortex-M7" },       { 0xD20, "Cortex-M23" },
    { M33, "Cortex-M33" },   { M55, "Cortex-M55" },     { 0xD23, "Cortex-M85" },
    { 0xD24, "Cortex-M52" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].part == part)
      return names[i].name;

  return NULL;
}

/*
 * _ts_target_get_flash_size_address:
 * @name: name of a chip
 *
 * Returns: where the chip tells the size of its flash, 0: that is not known
 */
guint32
_ts_target_get_flash_size_address (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (flash_sizes); i++)
    if (get_match (name, flash_sizes[i].name) > 0)
      return flash_sizes[i].address;

  return 0;
}

/*
 * _ts_target_get_flash_kib:
 * @name: whole name of an STM32, with the letters for pins and flash: "STM32F407VG"
 *
 * Returns: size of the flash in KiB, 0: the name does not tell
 */
guint
_ts_target_get_flash_kib (const char *name)
{
  static const struct
  {
    char letter;
    guint kib;
  } sizes[] = { { '4', 16 },  { '6', 32 },  { '8', 64 },   { 'B', 128 },  { 'C', 256 },
                { 'D', 384 }, { 'E', 512 }, { 'F', 768 },  { 'G', 1024 }, { 'H', 1536 },
                { 'I', 2048 } };
  const gsize at = strlen ("STM32F407V");

  if (get_match (name, "STM32") == 0 || strlen (name) <= at)
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i].letter == g_ascii_toupper (name[at]))
      return sizes[i].kib;

  return 0;
}
