/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-fingerprint.h: a recording in some hundred numbers, to tell whether another one is like it.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "ts-recording.h"

G_BEGIN_DECLS

/** Percent by which a metric may leave the envelope of its baseline, where nothing else is said. */
#define TS_FINGERPRINT_FAIL_PCT 25.0
#define TS_FINGERPRINT_WARN_PCT 10.0

/**
 * TsMetric:
 * @name: `section.metric`, or `section.item.metric`
 * @value: mean over the runs
 * @min, @max: envelope over the runs
 * @warn_pct, @fail_pct: how far a value may be outside of the envelope, in percent of @value
 * @n_runs: runs that had it
 */
typedef struct
{
  char *name;
  double value;
  double min;
  double max;
  double warn_pct;
  double fail_pct;
  guint n_runs;
} TsMetric;

typedef struct _TsFingerprint TsFingerprint;

TsFingerprint *ts_fingerprint_new (TsRecording *recording,
                                   const char *const *sections,
                                   GCancellable *cancellable,
                                   GError **error);
TsFingerprint *ts_fingerprint_load (const char *path,
                                    GError **error);
void ts_fingerprint_free (TsFingerprint *self);
void ts_fingerprint_merge (TsFingerprint *self,
                           TsFingerprint *other);
void ts_fingerprint_set_tolerance (TsFingerprint *self,
                                   double fail_pct,
                                   double warn_pct);
void ts_fingerprint_limit (TsFingerprint *self);
guint ts_fingerprint_get_n_left_out (TsFingerprint *self);
guint ts_fingerprint_get_n_runs (TsFingerprint *self);
guint ts_fingerprint_get_n_metrics (TsFingerprint *self);
const TsMetric *ts_fingerprint_get_metric (TsFingerprint *self,
                                           guint i);
const TsMetric *ts_fingerprint_find (TsFingerprint *self,
                                     const char *name);
const char *const *ts_fingerprint_get_sections (TsFingerprint *self);
JsonObject *ts_fingerprint_get_provenance (TsFingerprint *self);
JsonObject *ts_fingerprint_metrics_to_json (TsFingerprint *self);
gboolean ts_fingerprint_save (TsFingerprint *self,
                              const char *path,
                              GError **error);
const char *const *ts_fingerprint_list_sections (void);

/**
 * TsComparison:
 * @TS_COMPARISON_PASS: within the envelope or @warn_pct of it
 * @TS_COMPARISON_WARN: within @fail_pct of it
 * @TS_COMPARISON_FAIL: beyond
 * @TS_COMPARISON_MISSING: the recording does not have it
 */
typedef enum
{
  TS_COMPARISON_PASS,
  TS_COMPARISON_WARN,
  TS_COMPARISON_FAIL,
  TS_COMPARISON_MISSING,
} TsComparison;

const char *ts_comparison_get_name (TsComparison comparison);
TsComparison ts_metric_compare (const TsMetric *baseline,
                                const TsMetric *current,
                                double *deviation_pct);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsFingerprint, ts_fingerprint_free)

G_END_DECLS
