/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-model-error.c: the error domain of the model room. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-model-error.h"

G_DEFINE_QUARK (ts-model-error-quark, ts_model_error)
