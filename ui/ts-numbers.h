/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-numbers.h: figures as people read them: groups of three with thin spaces, units always.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ts_format_count (guint64 count);
char *ts_format_bytes (guint64 bytes);
char *ts_format_bytes_per_s (double rate);
char *ts_format_per_s (double rate);
char *ts_format_hz (guint64 hz);
char *ts_format_seconds (gint64 us);
char *ts_format_ns (gint64 ns);
char *ts_format_percent (gint64 part,
                         gint64 whole);

G_END_DECLS
