/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-instrument.h: series of an instrument (a power meter, a logic analyser) in a recording. */
#pragma once

#include "ts-export.h"

G_BEGIN_DECLS

/**
 * TsInstrumentReport:
 * @n_channels, @n_samples: what was merged
 * @n_marks: marks of the instrument
 * @n_matched: marks that were found in the recording
 * @offset_us: time of the recording at the instrument's time 0
 * @drift_ppm: how much faster the recording's clock goes
 * @mean_resid_us, @max_resid_us: distances of the matched marks after the fit
 *
 * How an instrument's clock fits the recording's. Without marks the two are taken to be the same.
 */
typedef struct
{
  guint n_channels;
  guint64 n_samples;
  guint n_marks;
  guint n_matched;
  double offset_us;
  double drift_ppm;
  double mean_resid_us;
  double max_resid_us;
} TsInstrumentReport;

typedef struct _TsInstrument TsInstrument;

TsInstrument *ts_instrument_load (const char *path,
                                  GError **error);
void ts_instrument_free (TsInstrument *self);
gboolean ts_instrument_fit (TsInstrument *self,
                            TsRecording *recording,
                            double max_resid_us,
                            TsInstrumentReport *report,
                            GCancellable *cancellable,
                            GError **error);
gboolean ts_instrument_merge (TsInstrument *self,
                              TsRecording *recording,
                              const char *path,
                              TsExportProgress progress,
                              gpointer user_data,
                              GCancellable *cancellable,
                              GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsInstrument, ts_instrument_free)

G_END_DECLS
