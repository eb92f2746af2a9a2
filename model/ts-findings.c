/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings.c: all finders, one list. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <stdarg.h>

#include <glib/gi18n-lib.h>

#include "ts-findings-private.h"
#include "ts-query-private.h"

/* Findings of one kind; of more, the weightiest are told. */
#define MAX_OF_KIND 100

static const char *const kind_names[TS_FINDING_N_KINDS]
    = { "inversion",     "lock_inversion", "starvation",      "timer_late",   "timer_missed",
        "period",        "operation_failed", "queue_overflow", "stack",       "interrupt_storm",
        "heap_growth",   "heap_fail",      "data_loss",       "corrupt" };

/**
 * ts_finding_kind_get_name:
 * @kind: a kind
 *
 * Thread: safe
 *
 * Returns: (transfer none): its name in answers
 */
const char *
ts_finding_kind_get_name (TsFindingKind kind)
{
  g_return_val_if_fail (kind < TS_FINDING_N_KINDS, NULL);

  return kind_names[kind];
}

/**
 * ts_severity_get_name:
 * @severity: a severity
 *
 * Thread: safe
 *
 * Returns: (transfer none): its name in answers
 */
const char *
ts_severity_get_name (TsSeverity severity)
{
  static const char *const names[] = { "info", "warning", "error" };

  g_return_val_if_fail (severity < G_N_ELEMENTS (names), NULL);

  return names[severity];
}

/**
 * ts_finding_free:
 * @self: (nullable) (transfer full): a finding
 */
void
ts_finding_free (TsFinding *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_free (self);
}

TsFinding *
_ts_finder_add (TsFinder *self,
                TsFindingKind kind,
                TsSeverity severity,
                gint64 begin,
                gint64 end,
                gint64 weight,
                const char *format,
                ...)
{
  TsFinding *finding = g_new0 (TsFinding, 1);
  va_list arguments;

  finding->kind = kind;
  finding->severity = severity;
  finding->begin = begin;
  finding->end = end;
  finding->weight = weight;
  finding->count = 1;
  va_start (arguments, format);
  finding->text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_ptr_array_add (self->findings, finding);
  return finding;
}

void
_ts_finding_add_lane (TsFinding *self,
                      guint32 lane)
{
  if (lane != 0 && self->n_lanes < TS_FINDING_MAX_LANES)
    self->lanes[self->n_lanes++] = lane;
}

/* What a sentence calls an object. */
const char *
_ts_finder_name (TsFinder *self,
                 guint32 object)
{
  const TsObject *info = ts_recording_get_object (self->recording, object);

  return info != NULL ? info->name : _("something unknown");
}

/* A duration as a sentence tells it. */
char *
_ts_finder_duration (TsFinder *self,
                     gint64 ticks)
{
  double us = _ts_analysis_us (self->recording, ticks);

  if (us < 1000.0)
    return g_strdup_printf (_("%.1f µs"), us);
  if (us < 1e6)
    return g_strdup_printf (_("%.2f ms"), us / 1e3);
  return g_strdup_printf (_("%.3f s"), us / 1e6);
}

static int
compare_findings (gconstpointer a,
                  gconstpointer b)
{
  const TsFinding *left = *(TsFinding *const *) a;
  const TsFinding *right = *(TsFinding *const *) b;

  if (left->severity != right->severity)
    return left->severity > right->severity ? -1 : 1;
  if (left->begin != right->begin)
    return left->begin < right->begin ? -1 : 1;
  return left->kind < right->kind ? -1 : left->kind > right->kind;
}

static int
compare_weights (gconstpointer a,
                 gconstpointer b)
{
  const TsFinding *left = *(TsFinding *const *) a;
  const TsFinding *right = *(TsFinding *const *) b;

  if (left->severity != right->severity)
    return left->severity > right->severity ? -1 : 1;
  if (left->weight != right->weight)
    return left->weight > right->weight ? -1 : 1;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* What one finder found beyond the limit goes, the least first; the last one that stays counts
 * for those. */
static void
limit (GPtrArray *findings,
       guint first)
{
  g_autoptr (GPtrArray) found = NULL;
  guint n = findings->len - first;

  if (n <= MAX_OF_KIND)
    return;
  found = g_ptr_array_new ();
  for (guint i = first; i < findings->len; i++)
    g_ptr_array_add (found, g_ptr_array_index (findings, i));
  g_ptr_array_sort (found, compare_weights);
  for (guint i = 0; i < n; i++)
    findings->pdata[first + i] = found->pdata[i];
  for (guint i = MAX_OF_KIND; i < n; i++)
    ((TsFinding *) found->pdata[MAX_OF_KIND - 1])->count += ((TsFinding *) found->pdata[i])->count;
  g_ptr_array_remove_range (findings, first + MAX_OF_KIND, n - MAX_OF_KIND);
}

/* As ts_findings_list(), with the figures of the range, if they are there already. */
GPtrArray *
_ts_findings_list_with (TsRecording *recording,
                        gint64 begin,
                        gint64 end,
                        const TsStatistics *statistics,
                        GCancellable *cancellable,
                        GError **error)
{
  static gboolean (*const finders[]) (TsFinder *self, GError **error) = {
    _ts_findings_losses,     _ts_findings_contention, _ts_findings_locks,
    _ts_findings_starvation, _ts_findings_operations, _ts_findings_timers,
    _ts_findings_periods,    _ts_findings_storms,     _ts_findings_stacks,
    _ts_findings_heaps,
  };
  g_autoptr (GPtrArray) findings
      = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_finding_free);
  TsFinder self = { .recording = recording,
                    .findings = findings,
                    .statistics = statistics,
                    .cancellable = cancellable };

  self.begin = MAX (begin, 0);
  self.end = MAX (MIN (end, ts_recording_get_duration (recording) + 1), self.begin);
  for (guint i = 0; i < G_N_ELEMENTS (finders); i++)
    {
      guint first = findings->len;

      if (!finders[i](&self, error) || !_ts_query_check_cancelled (cancellable, error))
        return NULL;
      limit (findings, first);
    }
  g_ptr_array_sort (findings, compare_findings);
  return g_steal_pointer (&findings);
}

/**
 * ts_findings_list:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Everything in the range that a person should look at. Definitions: #TsFindingKind. Of each kind
 * at most 100, the weightiest.
 *
 * Cost: that of ts_statistics_new(), ts_timers_list(), ts_contention_list() and a look at the slices
 *   of nodes that may hold something; of semaphores at all until it is sure that they are no locks
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE, %TS_MODEL_ERROR_BAD_RECORDING
 *
 * Returns: (transfer full) (element-type TsFinding) (nullable): the worst first, then by time
 */
GPtrArray *
ts_findings_list (TsRecording *recording,
                  gint64 begin,
                  gint64 end,
                  GCancellable *cancellable,
                  GError **error)
{
  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  return _ts_findings_list_with (recording, begin, end, NULL, cancellable, error);
}
