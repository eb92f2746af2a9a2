/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe-private.h: the drivers of the table of probes; inside capture only. */
#pragma once

#include "ts-probe.h"

G_BEGIN_DECLS

#ifdef TS_HAVE_LIBUSB
extern const TsProbeDriver _ts_stlink_driver;
#endif

G_END_DECLS
