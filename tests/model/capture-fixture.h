/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-fixture.h: recordings made from the captures in tests/data. */
#pragma once

#include "decode/ts-decoder.h"

#include "recording-fixture.h"

static inline void
fixture_decode_file (const char *capture,
                     const char *format,
                     const char *path)
{
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize n_bytes = 0;
  TsDecoder *decoder;

  g_assert_true (g_file_get_contents (capture, &bytes, &n_bytes, &error));
  g_assert_no_error (error);
  decoder = ts_decoder_new (format, ts_recording_writer_get_sink (writer), NULL, &error);
  g_assert_no_error (error);
  ts_decoder_push (decoder, 0, (const guint8 *) bytes, n_bytes);
  ts_decoder_flush (decoder);
  ts_decoder_free (decoder);
  ts_recording_writer_set_health (writer, "seq_present", "1");
  g_assert_true (ts_recording_writer_close (writer, "end of file", &error));
  ts_recording_writer_free (writer);
}

static inline void
fixture_decode (const char *name,
                const char *format,
                const char *path)
{
  const char *folder = g_getenv ("TASKSCOPE_TEST_DATA");
  g_autofree char *capture = g_build_filename (folder != NULL ? folder : "tests/data", name, NULL);

  fixture_decode_file (capture, format, path);
}
