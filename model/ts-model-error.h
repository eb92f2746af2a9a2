/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-model-error.h: the error domain of the model room. Codes are append-only: the command line publishes them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_MODEL_ERROR (ts_model_error_quark ())
GQuark ts_model_error_quark (void);

/**
 * TsModelError:
 * @TS_MODEL_ERROR_NO_SUCH_RECORDING: no file of that name, or no recording of that id
 * @TS_MODEL_ERROR_BAD_RECORDING: the file is no recording, is damaged, or of a newer schema
 * @TS_MODEL_ERROR_WRITE: cannot create or write (read-only folder, disk full ...)
 * @TS_MODEL_ERROR_BAD_SQL: not one read-only statement
 * @TS_MODEL_ERROR_BAD_ARGUMENTS: an argument is missing or out of range
 * @TS_MODEL_ERROR_WINDOW_TOO_WIDE: the answer would be over budget
 * @TS_MODEL_ERROR_CANCELLED: cancelled by the caller
 * @TS_MODEL_ERROR_NO_HW_TRACE: the recording has no rows of the hardware trace that is asked for
 */
typedef enum
{
  TS_MODEL_ERROR_NO_SUCH_RECORDING,
  TS_MODEL_ERROR_BAD_RECORDING,
  TS_MODEL_ERROR_WRITE,
  TS_MODEL_ERROR_BAD_SQL,
  TS_MODEL_ERROR_BAD_ARGUMENTS,
  TS_MODEL_ERROR_WINDOW_TOO_WIDE,
  TS_MODEL_ERROR_CANCELLED,
  TS_MODEL_ERROR_NO_HW_TRACE,
} TsModelError;

G_END_DECLS
