/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe-private.h: the drivers of the table of probes; inside capture only. */
#pragma once

#include "ts-probe.h"

G_BEGIN_DECLS

#ifdef TS_HAVE_LIBUSB
extern const TsProbeDriver _ts_stlink_driver;
extern const TsProbeDriver _ts_cmsis_dap_driver;
#endif
#ifdef TS_HAVE_JAYLINK
extern const TsProbeDriver _ts_jlink_driver;
#endif

gboolean _ts_probe_set_reset (TsProbe *self,
                              gboolean is_held,
                              GError **error);
gboolean _ts_probe_catch_core (TsProbe *self,
                               gboolean is_line,
                               GError **error);

/** Little-endian words in the bytes of commands and answers. */
static inline guint32
_ts_probe_get_u32 (const guint8 *at)
{
  return (guint32) at[0] | (guint32) at[1] << 8 | (guint32) at[2] << 16 | (guint32) at[3] << 24;
}

static inline void
_ts_probe_put_u32 (guint8 *at,
                   guint32 value)
{
  at[0] = (guint8) value;
  at[1] = (guint8) (value >> 8);
  at[2] = (guint8) (value >> 16);
  at[3] = (guint8) (value >> 24);
}

G_END_DECLS
