/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-verdict.c: when the rules of Trace Domains held. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-domain-private.h"
#include "ts-query-private.h"

/* Times of one rule that are told; more of the same helps nobody. */
#define MAX_TIMES 100

typedef struct
{
  TsDomain *domain;
  JsonObject *verdict;
  JsonObject *when;
  TsRecording *recording;
  GArray *channel; /* TsPoint */
  gint64 begin;
  gint64 end;
  GArray *out;
  guint n;
} Rule;

static gint64
ms_to_ticks (Rule *rule,
             const char *key)
{
  double ms = 0;

  _ts_domain_get_number (rule->when, key, &ms);
  return ts_recording_us_to_ticks (rule->recording, (gint64) CLAMP (ms * 1000.0, 0, 1e15));
}

static void
add (Rule *rule,
     gint64 begin,
     gint64 end,
     double peak)
{
  TsVerdict verdict = { rule->domain, rule->verdict, begin, end, peak };

  if (end < rule->begin || begin >= rule->end || rule->n >= MAX_TIMES)
    return;
  rule->n++;
  g_array_append_val (rule->out, verdict);
}

typedef gboolean (*TestFunc) (Rule *rule,
                              const TsPoint *point);

/* A value holds until the next sample. */
static void
find_intervals (Rule *rule,
                TestFunc test,
                gint64 at_least)
{
  gint64 since = -1;
  double peak = 0;

  for (guint i = 0; i <= rule->channel->len; i++)
    {
      const TsPoint *point
          = i < rule->channel->len ? &g_array_index (rule->channel, TsPoint, i) : NULL;
      gint64 time = point != NULL ? point->time
                                  : MIN (rule->end, ts_recording_get_duration (rule->recording));

      if (point != NULL && test (rule, point))
        {
          if (since < 0)
            {
              since = point->time;
              peak = point->value;
            }
          peak = MAX (peak, point->value);
          continue;
        }
      if (since >= 0 && time - since >= at_least)
        add (rule, since, MAX (time, since), peak);
      since = -1;
    }
}

static gboolean
is_at_or_above (Rule *rule,
                const TsPoint *point)
{
  double value = 0;

  return _ts_domain_get_number (rule->when, "value", &value) && point->value >= value;
}

static gboolean
is_in_values (Rule *rule,
              const TsPoint *point)
{
  JsonArray *values = _ts_domain_get_array (rule->when, "values");

  for (guint i = 0; values != NULL && i < json_array_get_length (values); i++)
    {
      JsonNode *node = json_array_get_element (values, i);

      if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) != G_TYPE_STRING
          && json_node_get_double (node) == point->value)
        return TRUE;
    }
  return FALSE;
}

/* How far a counter went from one sample to the next. */
static double
get_advance (double before,
             double after,
             double wrap)
{
  double advance = after - before;

  return advance < 0 ? (wrap > 0 ? advance + wrap : 0.0) : advance;
}

static void
find_advances (Rule *rule)
{
  double wrap = _ts_domain_wrap (rule->domain, _ts_domain_get_text (rule->when, "channel"));
  gint64 first = -1;
  gint64 last = -1;
  double sum = 0;

  for (guint i = 1; i < rule->channel->len; i++)
    {
      const TsPoint *before = &g_array_index (rule->channel, TsPoint, i - 1);
      const TsPoint *after = &g_array_index (rule->channel, TsPoint, i);
      double advance = get_advance (before->value, after->value, wrap);

      if (advance <= 0 || after->time < rule->begin || after->time >= rule->end)
        continue;
      if (first < 0)
        first = after->time;
      last = after->time;
      sum += advance;
    }
  if (first >= 0)
    add (rule, first, last, sum);
}

/* How far a counter went within (@begin, @end]. */
static double
advance_within (const GArray *points,
                double wrap,
                gint64 begin,
                gint64 end)
{
  double sum = 0;

  for (guint i = 1; i < points->len; i++)
    {
      const TsPoint *after = &g_array_index (points, TsPoint, i);

      if (after->time > end)
        break;
      if (after->time > begin)
        sum += get_advance (g_array_index (points, TsPoint, i - 1).value, after->value, wrap);
    }
  return sum;
}

/* The channel does not advance for a window, while another one does. */
static void
find_stalls (Rule *rule)
{
  const char *other_name = _ts_domain_get_text (rule->when, "while_advances");
  g_autoptr (GArray) other
      = other_name != NULL
            ? _ts_domain_read_channel (rule->domain, rule->recording, other_name, rule->end)
            : NULL;
  double wrap = _ts_domain_wrap (rule->domain, _ts_domain_get_text (rule->when, "channel"));
  double other_wrap = other_name != NULL ? _ts_domain_wrap (rule->domain, other_name) : 0;
  gint64 window = ms_to_ticks (rule, "window_ms");
  double min_advance = 1;
  gint64 since;

  _ts_domain_get_number (rule->when, "min_advance", &min_advance);
  if (rule->channel->len == 0 || other == NULL)
    return;

  since = g_array_index (rule->channel, TsPoint, 0).time;
  for (guint i = 1; i <= rule->channel->len; i++)
    {
      const TsPoint *before = &g_array_index (rule->channel, TsPoint, i - 1);
      const TsPoint *after
          = i < rule->channel->len ? &g_array_index (rule->channel, TsPoint, i) : NULL;
      gint64 time = after != NULL ? after->time : before->time;
      double advance;

      if (after != NULL && get_advance (before->value, after->value, wrap) <= 0)
        continue;
      advance = advance_within (other, other_wrap, since, time);
      if (time - since >= window && advance >= min_advance)
        add (rule, since, time, advance);
      since = time;
    }
}

/* The channel is less than a part of another one. */
static void
find_low_ratios (Rule *rule)
{
  const char *name = _ts_domain_get_text (rule->when, "reference");
  g_autoptr (GArray) reference
      = name != NULL ? _ts_domain_read_channel (rule->domain, rule->recording, name, rule->end)
                     : NULL;
  double ratio = 0;
  gint64 since = -1;
  double lowest = 0;
  guint at = 0;

  if (reference == NULL || !_ts_domain_get_number (rule->when, "ratio", &ratio))
    return;

  for (guint i = 0; i <= rule->channel->len; i++)
    {
      const TsPoint *point
          = i < rule->channel->len ? &g_array_index (rule->channel, TsPoint, i) : NULL;
      gint64 time = point != NULL ? point->time
                                  : MIN (rule->end, ts_recording_get_duration (rule->recording));
      double base = 0;

      while (at < reference->len && g_array_index (reference, TsPoint, at).time <= time)
        at++;
      if (at > 0)
        base = g_array_index (reference, TsPoint, at - 1).value;
      if (point != NULL && base > 0 && point->value < ratio * base)
        {
          if (since < 0)
            {
              since = time;
              lowest = point->value / base;
            }
          lowest = MIN (lowest, point->value / base);
          continue;
        }
      if (since >= 0 && time - since >= ms_to_ticks (rule, "sustained_ms"))
        add (rule, since, time, lowest);
      since = -1;
    }
}

static void
evaluate (Rule *rule)
{
  const char *type = _ts_domain_get_text (rule->when, "type");

  if (g_strcmp0 (type, "sustained_at_or_above") == 0)
    find_intervals (rule, is_at_or_above, ms_to_ticks (rule, "sustained_ms"));
  else if (g_strcmp0 (type, "value_at_or_above") == 0)
    find_intervals (rule, is_at_or_above, 0);
  else if (g_strcmp0 (type, "value_in") == 0)
    find_intervals (rule, is_in_values, 0);
  else if (g_strcmp0 (type, "counter_advanced") == 0)
    find_advances (rule);
  else if (g_strcmp0 (type, "counter_stalled") == 0)
    find_stalls (rule);
  else if (g_strcmp0 (type, "ratio_below") == 0)
    find_low_ratios (rule);
}

static int
compare_verdicts (gconstpointer a,
                  gconstpointer b)
{
  const TsVerdict *left = a;
  const TsVerdict *right = b;

  if (left->begin != right->begin)
    return left->begin < right->begin ? -1 : 1;
  return strcmp (_ts_domain_get_text (left->json, "id"), _ts_domain_get_text (right->json, "id"));
}

/**
 * ts_domain_evaluate:
 * @domains: (element-type TsDomain): domains, which must live as long as the result
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Finds the times at which rules of the domains held. A sample holds until the next one. A rule
 * about a channel that the recording does not have never holds.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED
 * Source: viewalyzer-host.md section 3.12
 *
 * Returns: (transfer full) (element-type TsVerdict) (nullable): in order of time
 */
GArray *
ts_domain_evaluate (GPtrArray *domains,
                    TsRecording *recording,
                    gint64 begin,
                    gint64 end,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (TsVerdict));

  for (guint i = 0; i < domains->len; i++)
    {
      TsDomain *domain = g_ptr_array_index (domains, i);
      JsonArray *verdicts = _ts_domain_get_array (ts_domain_get_json (domain), "verdicts");

      for (guint k = 0; verdicts != NULL && k < json_array_get_length (verdicts); k++)
        {
          JsonObject *verdict = _ts_domain_get_element (verdicts, k);
          JsonObject *when = _ts_domain_get_object (verdict, "when");
          g_autoptr (GArray) channel = NULL;
          Rule rule = { .domain = domain,
                        .verdict = verdict,
                        .when = when,
                        .recording = recording,
                        .begin = begin,
                        .end = end,
                        .out = out };

          if (!_ts_query_check_cancelled (cancellable, error))
            return NULL;
          channel = _ts_domain_read_channel (domain, recording,
                                             _ts_domain_get_text (when, "channel"), end);
          rule.channel = channel;
          if (channel->len > 0)
            evaluate (&rule);
        }
    }
  g_array_sort (out, compare_verdicts);
  return g_steal_pointer (&out);
}

static gboolean
find_value (const GArray *points,
            gint64 time,
            double *value)
{
  guint low = 0;
  guint high = points->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (points, TsPoint, middle).time <= time)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return FALSE;
  *value = g_array_index (points, TsPoint, low - 1).value;
  return TRUE;
}

/**
 * ts_verdict_list_evidence:
 * @self: a verdict
 * @recording: the recording it is about
 *
 * The channels that the domain names as evidence, as they were at the begin and at the end.
 *
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (element-type TsEvidence): evidence
 */
GPtrArray *
ts_verdict_list_evidence (const TsVerdict *self,
                          TsRecording *recording)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_evidence_free);
  JsonArray *names = _ts_domain_get_array (self->json, "evidence");

  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++)
    {
      JsonNode *node = json_array_get_element (names, i);
      g_autoptr (GArray) points = NULL;
      TsEvidence *evidence;

      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        continue;
      evidence = g_new0 (TsEvidence, 1);
      evidence->channel = g_strdup (json_node_get_string (node));
      points = _ts_domain_read_channel (self->domain, recording, evidence->channel, self->end + 1);
      evidence->has_start = find_value (points, self->begin, &evidence->at_start);
      evidence->has_end = find_value (points, self->end, &evidence->at_end);
      if (evidence->has_start)
        evidence->label_start
            = _ts_domain_dup_label (self->domain, evidence->channel, evidence->at_start);
      if (evidence->has_end)
        evidence->label_end
            = _ts_domain_dup_label (self->domain, evidence->channel, evidence->at_end);
      g_ptr_array_add (list, evidence);
    }
  return list;
}

/**
 * ts_evidence_free:
 * @self: (nullable) (transfer full): evidence
 */
void
ts_evidence_free (TsEvidence *self)
{
  if (self == NULL)
    return;
  g_free (self->channel);
  g_free (self->label_start);
  g_free (self->label_end);
  g_free (self);
}
