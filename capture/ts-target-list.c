/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-target-list.c: chips by name.
 *
 * Which core a chip has is in its data sheet. The list helps to write a connection file; a capture
 * asks the chip itself (CPUID) and takes any.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-target-list.h"

#define V6M TS_TRACE_ARCH_V6M
#define V7M TS_TRACE_ARCH_V7M
#define V8M TS_TRACE_ARCH_V8M

/* In order of names. */
static const TsTargetInfo targets[] = {
  { "AT32F403", V7M }, { "AT32F435", V7M }, { "ATSAM3X8E", V7M }, { "ATSAM4S16", V7M },
  { "ATSAMC21", V6M }, { "ATSAMD09", V6M }, { "ATSAMD10", V6M }, { "ATSAMD11", V6M },
  { "ATSAMD20", V6M }, { "ATSAMD21", V6M }, { "ATSAMD21G18", V6M }, { "ATSAMD51", V7M },
  { "ATSAMD51J20", V7M }, { "ATSAME51", V7M }, { "ATSAME53", V7M }, { "ATSAME54", V7M },
  { "ATSAME54P20", V7M }, { "ATSAME70", V7M }, { "ATSAML10", V6M }, { "ATSAML11", V8M },
  { "ATSAML21", V6M }, { "ATSAMS70", V7M }, { "ATSAMV71", V7M }, { "CC1352R", V7M },
  { "CC2340R5", V8M }, { "CC2538", V7M }, { "CC2652R", V7M }, { "EFM32GG11B", V7M },
  { "EFM32GG990", V7M }, { "EFM32HG322", V6M }, { "EFM32LG990", V7M }, { "EFM32PG22", V8M },
  { "EFM32WG990", V7M }, { "EFM32ZG222", V6M }, { "EFR32BG13", V7M }, { "EFR32BG22", V8M },
  { "EFR32BG24", V8M }, { "EFR32MG12", V7M }, { "EFR32MG21", V8M }, { "EFR32MG24", V8M },
  { "GD32E230", V8M }, { "GD32F103", V7M }, { "GD32F303", V7M }, { "GD32F407", V7M },
  { "GD32F450", V7M }, { "GD32W515", V8M }, { "LPC1114", V6M }, { "LPC11U35", V6M },
  { "LPC1347", V7M }, { "LPC1549", V7M }, { "LPC1768", V7M }, { "LPC1769", V7M },
  { "LPC1788", V7M }, { "LPC4088", V7M }, { "LPC4330", V7M }, { "LPC4357", V7M },
  { "LPC54102", V7M }, { "LPC54114", V7M }, { "LPC54608", V7M }, { "LPC54628", V7M },
  { "LPC5504", V8M }, { "LPC5506", V8M }, { "LPC5526", V8M }, { "LPC5528", V8M },
  { "LPC55S06", V8M }, { "LPC55S16", V8M }, { "LPC55S28", V8M }, { "LPC55S69", V8M },
  { "LPC824", V6M }, { "LPC845", V6M }, { "MAX32625", V7M }, { "MAX32657", V8M },
  { "MAX32660", V7M }, { "MAX32666", V7M }, { "MAX32670", V7M }, { "MAX78000", V7M },
  { "MCXA153", V8M }, { "MCXN548", V8M }, { "MCXN947", V8M }, { "MIMXRT1011", V7M },
  { "MIMXRT1021", V7M }, { "MIMXRT1052", V7M }, { "MIMXRT1062", V7M }, { "MIMXRT1064", V7M },
  { "MIMXRT1176", V7M }, { "MIMXRT595", V8M }, { "MIMXRT685", V8M }, { "MK20DX256", V7M },
  { "MK22F51212", V7M }, { "MK64FN1M0", V7M }, { "MK66FN2M0", V7M }, { "MKL25Z128", V6M },
  { "MKL26Z64", V6M }, { "MKL46Z256", V6M }, { "MKV31F512", V7M }, { "MSP432P401R", V7M },
  { "MSPM0G3507", V6M }, { "MSPM0L1306", V6M }, { "MUSCA-B1", V8M }, { "R7FA2L1", V8M },
  { "R7FA4E10", V8M }, { "R7FA4M1", V7M }, { "R7FA4M2", V8M }, { "R7FA4M3", V8M },
  { "R7FA6M4", V8M }, { "R7FA6M5", V8M }, { "R7FA8D1", V8M }, { "R7FA8M1", V8M },
  { "RP2040", V6M }, { "RP2350", V8M }, { "S32K144", V7M }, { "S32K146", V7M },
  { "SSE-300", V8M }, { "STM32C011", V6M }, { "STM32C031", V6M }, { "STM32C051", V6M },
  { "STM32C071", V6M }, { "STM32C091", V6M }, { "STM32C092", V6M }, { "STM32F030", V6M },
  { "STM32F031", V6M }, { "STM32F038", V6M }, { "STM32F042", V6M }, { "STM32F048", V6M },
  { "STM32F051", V6M }, { "STM32F058", V6M }, { "STM32F070", V6M }, { "STM32F071", V6M },
  { "STM32F072", V6M }, { "STM32F078", V6M }, { "STM32F091", V6M }, { "STM32F098", V6M },
  { "STM32F100", V7M }, { "STM32F101", V7M }, { "STM32F102", V7M }, { "STM32F103", V7M },
  { "STM32F103C8", V7M }, { "STM32F103RB", V7M }, { "STM32F105", V7M }, { "STM32F107", V7M },
  { "STM32F205", V7M }, { "STM32F207", V7M }, { "STM32F215", V7M }, { "STM32F217", V7M },
  { "STM32F301", V7M }, { "STM32F302", V7M }, { "STM32F303", V7M }, { "STM32F318", V7M },
  { "STM32F328", V7M }, { "STM32F334", V7M }, { "STM32F358", V7M }, { "STM32F373", V7M },
  { "STM32F378", V7M }, { "STM32F398", V7M }, { "STM32F401", V7M }, { "STM32F405", V7M },
  { "STM32F407", V7M }, { "STM32F407VG", V7M }, { "STM32F410", V7M }, { "STM32F411", V7M },
  { "STM32F411CE", V7M }, { "STM32F412", V7M }, { "STM32F413", V7M }, { "STM32F415", V7M },
  { "STM32F417", V7M }, { "STM32F423", V7M }, { "STM32F427", V7M }, { "STM32F429", V7M },
  { "STM32F429ZI", V7M }, { "STM32F437", V7M }, { "STM32F439", V7M }, { "STM32F446", V7M },
  { "STM32F446RE", V7M }, { "STM32F469", V7M }, { "STM32F479", V7M }, { "STM32F722", V7M },
  { "STM32F723", V7M }, { "STM32F730", V7M }, { "STM32F732", V7M }, { "STM32F733", V7M },
  { "STM32F745", V7M }, { "STM32F746", V7M }, { "STM32F750", V7M }, { "STM32F756", V7M },
  { "STM32F765", V7M }, { "STM32F767", V7M }, { "STM32F767ZI", V7M }, { "STM32F769", V7M },
  { "STM32F777", V7M }, { "STM32F779", V7M }, { "STM32G030", V6M }, { "STM32G031", V6M },
  { "STM32G041", V6M }, { "STM32G050", V6M }, { "STM32G051", V6M }, { "STM32G061", V6M },
  { "STM32G070", V6M }, { "STM32G071", V6M }, { "STM32G081", V6M }, { "STM32G0B0", V6M },
  { "STM32G0B1", V6M }, { "STM32G0B1RE", V6M }, { "STM32G0C1", V6M }, { "STM32G431", V7M },
  { "STM32G441", V7M }, { "STM32G471", V7M }, { "STM32G473", V7M }, { "STM32G474", V7M },
  { "STM32G474RE", V7M }, { "STM32G483", V7M }, { "STM32G484", V7M }, { "STM32G491", V7M },
  { "STM32G4A1", V7M }, { "STM32H503", V8M }, { "STM32H503RB", V8M }, { "STM32H523", V8M },
  { "STM32H533", V8M }, { "STM32H562", V8M }, { "STM32H563", V8M }, { "STM32H563ZI", V8M },
  { "STM32H573", V8M }, { "STM32H723", V7M }, { "STM32H723ZG", V7M }, { "STM32H725", V7M },
  { "STM32H730", V7M }, { "STM32H733", V7M }, { "STM32H735", V7M }, { "STM32H742", V7M },
  { "STM32H743", V7M }, { "STM32H743ZI", V7M }, { "STM32H745", V7M }, { "STM32H747", V7M },
  { "STM32H750", V7M }, { "STM32H750VB", V7M }, { "STM32H753", V7M }, { "STM32H755", V7M },
  { "STM32H757", V7M }, { "STM32H7A3", V7M }, { "STM32H7B0", V7M }, { "STM32H7B3", V7M },
  { "STM32H7R3", V7M }, { "STM32H7R7", V7M }, { "STM32H7S3", V7M }, { "STM32H7S7", V7M },
  { "STM32L010", V6M }, { "STM32L011", V6M }, { "STM32L021", V6M }, { "STM32L031", V6M },
  { "STM32L031K6", V6M }, { "STM32L041", V6M }, { "STM32L051", V6M }, { "STM32L052", V6M },
  { "STM32L053", V6M }, { "STM32L062", V6M }, { "STM32L063", V6M }, { "STM32L071", V6M },
  { "STM32L072", V6M }, { "STM32L073", V6M }, { "STM32L081", V6M }, { "STM32L082", V6M },
  { "STM32L083", V6M }, { "STM32L100", V7M }, { "STM32L151", V7M }, { "STM32L152", V7M },
  { "STM32L162", V7M }, { "STM32L412", V7M }, { "STM32L422", V7M }, { "STM32L431", V7M },
  { "STM32L432", V7M }, { "STM32L433", V7M }, { "STM32L442", V7M }, { "STM32L443", V7M },
  { "STM32L451", V7M }, { "STM32L452", V7M }, { "STM32L462", V7M }, { "STM32L471", V7M },
  { "STM32L475", V7M }, { "STM32L476", V7M }, { "STM32L476RG", V7M }, { "STM32L486", V7M },
  { "STM32L496", V7M }, { "STM32L4A6", V7M }, { "STM32L4P5", V7M }, { "STM32L4Q5", V7M },
  { "STM32L4R5", V7M }, { "STM32L4R7", V7M }, { "STM32L4R9", V7M }, { "STM32L4S5", V7M },
  { "STM32L4S7", V7M }, { "STM32L4S9", V7M }, { "STM32L552", V8M }, { "STM32L562", V8M },
  { "STM32MP151", V7M }, { "STM32MP153", V7M }, { "STM32MP157", V7M }, { "STM32N645", V8M },
  { "STM32N647", V8M }, { "STM32N655", V8M }, { "STM32N657", V8M }, { "STM32U031", V6M },
  { "STM32U073", V6M }, { "STM32U083", V6M }, { "STM32U356", V8M }, { "STM32U366", V8M },
  { "STM32U375", V8M }, { "STM32U385", V8M }, { "STM32U385RG", V8M }, { "STM32U535", V8M },
  { "STM32U545", V8M }, { "STM32U575", V8M }, { "STM32U575ZI", V8M }, { "STM32U585", V8M },
  { "STM32U595", V8M }, { "STM32U599", V8M }, { "STM32U5A5", V8M }, { "STM32U5A9", V8M },
  { "STM32U5F7", V8M }, { "STM32U5F9", V8M }, { "STM32U5G7", V8M }, { "STM32U5G9", V8M },
  { "STM32WB0", V6M }, { "STM32WB10", V7M }, { "STM32WB15", V7M }, { "STM32WB30", V7M },
  { "STM32WB35", V7M }, { "STM32WB50", V7M }, { "STM32WB55", V7M }, { "STM32WBA50", V8M },
  { "STM32WBA52", V8M }, { "STM32WBA54", V8M }, { "STM32WBA55", V8M }, { "STM32WBA62", V8M },
  { "STM32WBA65", V8M }, { "STM32WL33", V6M }, { "STM32WL54", V7M }, { "STM32WL55", V7M },
  { "STM32WLE4", V7M }, { "STM32WLE5", V7M }, { "TM4C123GH6", V7M }, { "TM4C1294NC", V7M },
  { "XMC1100", V7M }, { "XMC4500", V7M }, { "XMC4700", V7M }, { "nRF51422", V6M },
  { "nRF51822", V6M }, { "nRF52805", V7M }, { "nRF52810", V7M }, { "nRF52811", V7M },
  { "nRF52820", V7M }, { "nRF52832", V7M }, { "nRF52833", V7M }, { "nRF52840", V7M },
  { "nRF5340", V8M }, { "nRF54L15", V8M }, { "nRF9160", V8M }, { "nRF9161", V8M },
};

/**
 * ts_target_list:
 * @n_targets: (out): how many
 *
 * Thread: any
 *
 * Returns: (transfer none) (array length=n_targets): chips, by name
 */
const TsTargetInfo *
ts_target_list (guint *n_targets)
{
  g_return_val_if_fail (n_targets != NULL, NULL);

  *n_targets = G_N_ELEMENTS (targets);

  return targets;
}

/**
 * ts_target_find_arch:
 * @name: name of a chip, whole or the beginning of one, as connection files have it
 * @arch: (out): architecture of its core
 *
 * Thread: any
 *
 * Returns: whether the list tells
 */
gboolean
ts_target_find_arch (const char *name,
                     TsTraceArch *arch)
{
  gsize longest = 0, length;
  guint n_known = 0;

  g_return_val_if_fail (name != NULL && arch != NULL, FALSE);

  length = strlen (name);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      gsize n = strlen (targets[i].name);

      /* packages and memory sizes follow the names of the list */
      if (n > longest && g_ascii_strncasecmp (name, targets[i].name, n) == 0)
        {
          longest = n;
          *arch = targets[i].arch;
        }
    }
  if (longest > 0)
    return TRUE;

  /* a family: if all of it are alike */
  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (targets); i++)
    if (g_ascii_strncasecmp (name, targets[i].name, length) == 0)
      {
        if (n_known++ > 0 && *arch != targets[i].arch)
          return FALSE;
        *arch = targets[i].arch;
      }

  return n_known > 0;
}
