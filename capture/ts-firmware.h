/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-firmware.h: what a firmware's ELF file tells about how to capture from it. */
#pragma once

#include "ts-connection.h"

G_BEGIN_DECLS

/**
 * TsFirmware:
 * @ring: address of the recorder's control block `_VA_RAMBUF`, 0: none
 * @post_mortem: of `_VA_PMBUF`, 0: none
 * @rtt: of `_SEGGER_RTT`, 0: none
 * @clock: (nullable): name of the variable that holds the core clock
 * @ram_start, @ram_size: extent of what the firmware keeps in RAM, 0: not known
 */
typedef struct
{
  guint32 ring;
  guint32 post_mortem;
  guint32 rtt;
  const char *clock;
  guint32 ram_start;
  guint32 ram_size;
} TsFirmware;

gboolean ts_firmware_read (const char *path,
                           TsFirmware *firmware,
                           GError **error);
gboolean ts_firmware_is_elf (const char *path);

G_END_DECLS
