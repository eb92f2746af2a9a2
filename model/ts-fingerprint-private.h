/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-fingerprint-private.h: where the sections put their numbers. */
#pragma once

#include "ts-fingerprint.h"

G_BEGIN_DECLS

void _ts_fingerprint_add (TsFingerprint *self,
                          const char *section,
                          const char *item,
                          const char *metric,
                          double value);
gboolean _ts_fingerprint_measure (TsFingerprint *self,
                                  TsRecording *recording,
                                  const char *const *sections,
                                  GCancellable *cancellable,
                                  GError **error);

G_END_DECLS
