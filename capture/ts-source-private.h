/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-private.h: the sources of the driver table and what they share; inside capture only. */
#pragma once

#include "ts-source.h"

G_BEGIN_DECLS

extern const TsSourceClass _ts_source_udp_class;
extern const TsSourceClass _ts_source_tcp_class;
extern const TsSourceClass _ts_source_swo_tcp_class;
extern const TsSourceClass _ts_source_serial_class;
extern const TsSourceClass _ts_source_file_class;
extern const TsSourceClass _ts_source_demo_class;
extern const TsSourceClass _ts_source_stlink_swo_class;
extern const TsSourceClass _ts_source_jlink_swo_class;
extern const TsSourceClass _ts_source_cmsis_dap_swo_class;
extern const TsSourceClass _ts_source_cmsis_dap_rambuf_class;
extern const TsSourceClass _ts_source_cmsis_dap_rtt_class;
extern const TsSourceClass _ts_source_poll_class;
extern const TsSourceClass _ts_source_stlink_rambuf_class;
extern const TsSourceClass _ts_source_stlink_rtt_class;
extern const TsSourceClass _ts_source_jlink_rambuf_class;
extern const TsSourceClass _ts_source_jlink_rtt_class;

/** What ended a wait. */
typedef enum
{
  TS_WAIT_READY,
  TS_WAIT_TIMEOUT,
  TS_WAIT_CANCELLED,
  TS_WAIT_FAILED, /* errno says why */
} TsWaitResult;

TsWaitResult _ts_source_wait (int fd,
                              int timeout_ms,
                              GCancellable *cancellable,
                              short *revents);
void _ts_source_note (TsSource *source,
                      TsSourceNote note,
                      guint64 n,
                      const char *format,
                      ...) G_GNUC_PRINTF (4, 5);

void _ts_source_figure (TsSource *source,
                        const char *key,
                        guint64 value);
void _ts_source_meta (TsSource *source,
                      const char *key,
                      const char *value);
void _ts_source_pause (gint64 us,
                       GCancellable *cancellable);

/* ts-serial-line.c: what <termios.h> cannot be asked for */
gboolean _ts_serial_line_set_raw (int fd,
                                  guint baud,
                                  guint *actual_baud);

/* ts-source-file.c: opens a file of captured bytes for a source or an import; -1 with one clear
 * sentence */
int _ts_capture_file_open (const char *path,
                           guint64 *size,
                           GError **error);

G_END_DECLS
