/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-fingerprint.c: a recording in some hundred numbers: keeping, merging, storing, comparing. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-domain-private.h"
#include "ts-fingerprint-private.h"
#include "ts-json-writer-private.h"

#define FORMAT "vafp"
#define VERSION 1
#define MAX_BYTES (16 << 20)

/* Items of a section that a fingerprint keeps: it is to be read, and edited by hand. Paths are as
 * many as there are givers by takers. */
#define MAX_PATHS 256
#define MAX_ITEMS 1024

struct _TsFingerprint
{
  GPtrArray *metrics; /* TsMetric */
  GHashTable *by_name;
  char **sections;
  guint n_runs;
  guint n_left_out;
  JsonObject *provenance;
};

static const char *const all_sections[]
    = { "summary", "tasks", "traces", "timers", "comms", "health", NULL };

/**
 * ts_fingerprint_list_sections:
 *
 * Returns: (transfer none) (array zero-terminated=1): the sections there are
 */
const char *const *
ts_fingerprint_list_sections (void)
{
  return all_sections;
}

static void
metric_free (gpointer data)
{
  TsMetric *metric = data;

  g_free (metric->name);
  g_free (metric);
}

static TsFingerprint *
fingerprint_new (const char *const *sections)
{
  TsFingerprint *self = g_new0 (TsFingerprint, 1);

  self->metrics = g_ptr_array_new_with_free_func (metric_free);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->sections = g_strdupv ((char **) sections);
  self->provenance = json_object_new ();
  return self;
}

/**
 * ts_fingerprint_free:
 * @self: (nullable) (transfer full): a fingerprint
 */
void
ts_fingerprint_free (TsFingerprint *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->metrics);
  g_strfreev (self->sections);
  json_object_unref (self->provenance);
  g_free (self);
}

/* Takes @name. */
static TsMetric *
add_metric (TsFingerprint *self,
            char *name)
{
  TsMetric *metric = g_new0 (TsMetric, 1);

  metric->name = name;
  metric->warn_pct = TS_FINGERPRINT_WARN_PCT;
  metric->fail_pct = TS_FINGERPRINT_FAIL_PCT;
  g_ptr_array_add (self->metrics, metric);
  g_hash_table_insert (self->by_name, metric->name, metric);
  return metric;
}

/* A number of a run. Two items of one name (a task that was made twice) add up in rates and
 * shares, and count once else: the larger one. */
void
_ts_fingerprint_add (TsFingerprint *self,
                     const char *section,
                     const char *item,
                     const char *metric_name,
                     double value)
{
  g_autofree char *name = item != NULL ? g_strconcat (section, ".", item, ".", metric_name, NULL)
                                       : g_strconcat (section, ".", metric_name, NULL);
  TsMetric *metric = g_hash_table_lookup (self->by_name, name);

  if (!isfinite (value))
    return;
  if (metric == NULL)
    {
      metric = add_metric (self, g_steal_pointer (&name));
      metric->value = value;
    }
  else if (g_str_has_suffix (metric_name, "_hz") || g_str_has_suffix (metric_name, "_percent"))
    metric->value += value;
  else
    metric->value = MAX (metric->value, value);
  metric->min = metric->value;
  metric->max = metric->value;
  metric->n_runs = 1;
}

static void
set_text (JsonObject *object,
          const char *key,
          char *value)
{
  if (value != NULL)
    json_object_set_string_member (object, key, value);
  g_free (value);
}

/* Where the numbers come from: what makes two recordings comparable or not. */
static void
set_provenance (TsFingerprint *self,
                TsRecording *recording)
{
  JsonObject *provenance = self->provenance;

  json_object_set_string_member (provenance, "recording_id", ts_recording_get_id (recording));
  set_text (provenance, "os", ts_recording_dup_meta (recording, "va_os"));
  set_text (provenance, "recorder_version", ts_recording_dup_meta (recording, "recorder_version"));
  set_text (provenance, "capture_source", ts_recording_dup_meta (recording, "capture_source"));
  set_text (provenance, "created_utc", ts_recording_dup_meta (recording, "created_utc"));
  json_object_set_int_member (provenance, "cpu_hz",
                              (gint64) ts_recording_get_clock_hz (recording));
  json_object_set_int_member (
      provenance, "duration_us",
      ts_recording_ticks_to_us (recording, ts_recording_get_duration (recording)));
  json_object_set_int_member (provenance, "events",
                              (gint64) ts_recording_get_n_events (recording));
}

/**
 * ts_fingerprint_new:
 * @recording: a recording
 * @sections: (nullable) (array zero-terminated=1): which sections; %NULL or none: all
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS for an unknown section, %TS_MODEL_ERROR_CANCELLED ...
 * Source: viewalyzer-host.md section 3.8
 *
 * Returns: (transfer full) (nullable): ts_fingerprint_free()
 */
TsFingerprint *
ts_fingerprint_new (TsRecording *recording,
                    const char *const *sections,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (TsFingerprint) self = NULL;

  if (sections == NULL || sections[0] == NULL)
    sections = all_sections;
  for (guint i = 0; sections[i] != NULL; i++)
    if (!g_strv_contains (all_sections, sections[i]))
      {
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                     _("--sections: there is no section “%s”; there are summary, tasks, traces, "
                       "timers, comms and health."),
                     sections[i]);
        return NULL;
      }

  self = fingerprint_new (sections);
  self->n_runs = 1;
  set_provenance (self, recording);
  if (!_ts_fingerprint_measure (self, recording, sections, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * ts_fingerprint_merge:
 * @self: a fingerprint
 * @other: a further run
 *
 * Values become means over all runs, envelopes grow.
 */
void
ts_fingerprint_merge (TsFingerprint *self,
                      TsFingerprint *other)
{
  for (guint i = 0; i < other->metrics->len; i++)
    {
      const TsMetric *theirs = g_ptr_array_index (other->metrics, i);
      TsMetric *ours = g_hash_table_lookup (self->by_name, theirs->name);

      if (ours == NULL)
        {
          ours = add_metric (self, g_strdup (theirs->name));
          ours->value = theirs->value;
          ours->min = theirs->min;
          ours->max = theirs->max;
          ours->n_runs = theirs->n_runs;
          continue;
        }
      ours->value = (ours->value * ours->n_runs + theirs->value * theirs->n_runs)
                    / (ours->n_runs + theirs->n_runs);
      ours->n_runs += theirs->n_runs;
      ours->min = MIN (ours->min, theirs->min);
      ours->max = MAX (ours->max, theirs->max);
    }
  self->n_runs += other->n_runs;
}

/**
 * ts_fingerprint_set_tolerance:
 * @self: a fingerprint
 * @fail_pct: how far outside of the envelope a value fails; negative: unchanged
 * @warn_pct: how far outside it warns; negative: unchanged, but no more than @fail_pct
 */
void
ts_fingerprint_set_tolerance (TsFingerprint *self,
                              double fail_pct,
                              double warn_pct)
{
  for (guint i = 0; i < self->metrics->len; i++)
    {
      TsMetric *metric = g_ptr_array_index (self->metrics, i);

      if (fail_pct >= 0)
        metric->fail_pct = fail_pct;
      if (warn_pct >= 0)
        metric->warn_pct = warn_pct;
      metric->warn_pct = MIN (metric->warn_pct, metric->fail_pct);
    }
}

/* An item of a section while it is seen which are the busiest. */
typedef struct
{
  char *name;
  gsize length;
  double rate;
  gboolean is_left_out;
} Item;

static guint
item_hash (gconstpointer key)
{
  const Item *item = key;
  guint hash = 5381;

  for (gsize i = 0; i < item->length; i++)
    hash = hash * 33 + (guchar) item->name[i];
  return hash;
}

static gboolean
item_equal (gconstpointer a,
            gconstpointer b)
{
  const Item *left = a;
  const Item *right = b;

  return left->length == right->length && memcmp (left->name, right->name, left->length) == 0;
}

static int
compare_items (gconstpointer a,
               gconstpointer b)
{
  const Item *left = *(const Item *const *) a;
  const Item *right = *(const Item *const *) b;
  gsize length = MIN (left->length, right->length);
  int order = memcmp (left->name, right->name, length);

  if (left->rate > right->rate || left->rate < right->rate)
    return left->rate > right->rate ? -1 : 1;
  return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}

/* Which item a metric is of: `section.item` of `section.item.metric`, where an item may hold
 * points. Returns the length; 0: of none. */
static gsize
find_item (const char *name,
           const char *section)
{
  gsize length = strlen (section);
  const char *last = strrchr (name, '.');

  if (!g_str_has_prefix (name, section) || name[length] != '.' || last == name + length)
    return 0;
  return (gsize) (last - name);
}

/* The items of a section; @of: for each metric its item, %NULL: of none. */
static GPtrArray *
list_items (TsFingerprint *self,
            const char *section,
            Item **of)
{
  g_autoptr (GHashTable) known = g_hash_table_new (item_hash, item_equal);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->metrics->len; i++)
    {
      const TsMetric *metric = g_ptr_array_index (self->metrics, i);
      Item key = { metric->name, find_item (metric->name, section), -1, FALSE };
      Item *item;

      of[i] = NULL;
      if (key.length == 0)
        continue;
      /* Those of one item mostly follow each other. */
      item = i > 0 && of[i - 1] != NULL && item_equal (of[i - 1], &key)
                 ? of[i - 1]
                 : g_hash_table_lookup (known, &key);
      if (item == NULL)
        {
          item = g_memdup2 (&key, sizeof key);
          g_ptr_array_add (items, item);
          g_hash_table_add (known, item);
        }
      of[i] = item;
      if (g_str_has_suffix (metric->name, "rate_hz")
          && !g_str_has_suffix (metric->name, ".violation_rate_hz"))
        item->rate = metric->value;
    }
  return items;
}

/**
 * ts_fingerprint_limit:
 * @self: a fingerprint
 *
 * Keeps the busiest 256 ways of who gives what to whom, and the busiest 1024 items of every other
 * section. A recording that is compared with it keeps all: what is busy enough in one run may just
 * not be in another.
 */
void
ts_fingerprint_limit (TsFingerprint *self)
{
  g_autofree Item **of = g_new (Item *, self->metrics->len + 1);

  for (guint i = 0; all_sections[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) items = NULL;
      guint limit = strcmp (all_sections[i], "comms") == 0 ? MAX_PATHS : MAX_ITEMS;
      guint n = 0;

      items = list_items (self, all_sections[i], of);
      if (items->len <= limit)
        continue;
      g_ptr_array_sort (items, compare_items);
      for (guint k = limit; k < items->len; k++)
        ((Item *) g_ptr_array_index (items, k))->is_left_out = TRUE;
      self->n_left_out += items->len - limit;
      g_hash_table_remove_all (self->by_name);
      for (guint k = 0; k < self->metrics->len; k++)
        {
          TsMetric *metric = g_ptr_array_index (self->metrics, k);

          if (of[k] != NULL && of[k]->is_left_out)
            {
              metric_free (metric);
              continue;
            }
          self->metrics->pdata[n++] = metric;
          g_hash_table_insert (self->by_name, metric->name, metric);
        }
      g_ptr_array_set_free_func (self->metrics, NULL);
      g_ptr_array_set_size (self->metrics, (gint) n);
      g_ptr_array_set_free_func (self->metrics, metric_free);
    }
}

/** How many items ts_fingerprint_limit() left out. */
guint
ts_fingerprint_get_n_left_out (TsFingerprint *self)
{
  return self->n_left_out;
}

guint
ts_fingerprint_get_n_runs (TsFingerprint *self)
{
  return self->n_runs;
}

guint
ts_fingerprint_get_n_metrics (TsFingerprint *self)
{
  return self->metrics->len;
}

const TsMetric *
ts_fingerprint_get_metric (TsFingerprint *self,
                           guint i)
{
  return g_ptr_array_index (self->metrics, i);
}

const TsMetric *
ts_fingerprint_find (TsFingerprint *self,
                     const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

const char *const *
ts_fingerprint_get_sections (TsFingerprint *self)
{
  return (const char *const *) self->sections;
}

/**
 * ts_fingerprint_get_provenance:
 * @self: a fingerprint
 *
 * Returns: (transfer none): where its first run comes from
 */
JsonObject *
ts_fingerprint_get_provenance (TsFingerprint *self)
{
  return self->provenance;
}

/* Six digits tell enough and keep the file readable. */
static double
shorten (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_ascii_strtod (g_ascii_formatd (text, sizeof text, "%.6g", value), NULL);
}

/**
 * ts_fingerprint_metrics_to_json:
 * @self: a fingerprint
 *
 * Returns: (transfer full): one member per metric
 */
JsonObject *
ts_fingerprint_metrics_to_json (TsFingerprint *self)
{
  JsonObject *metrics = json_object_new ();

  for (guint i = 0; i < self->metrics->len; i++)
    {
      const TsMetric *metric = g_ptr_array_index (self->metrics, i);
      JsonObject *item = json_object_new ();

      json_object_set_double_member (item, "value", shorten (metric->value));
      json_object_set_double_member (item, "min", shorten (metric->min));
      json_object_set_double_member (item, "max", shorten (metric->max));
      json_object_set_double_member (item, "warn_pct", metric->warn_pct);
      json_object_set_double_member (item, "fail_pct", metric->fail_pct);
      json_object_set_int_member (item, "runs", metric->n_runs);
      json_object_set_object_member (metrics, metric->name, item);
    }
  return metrics;
}

/* A number as people write it. */
static void
append_number (GString *text,
               double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.6g", value));
}

/**
 * ts_fingerprint_save:
 * @self: a fingerprint
 * @path: where; an existing file is replaced
 * @error: return location
 *
 * Writes a `.vafp.json`: one line per metric, to be edited by hand.
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 */
gboolean
ts_fingerprint_save (TsFingerprint *self,
                     const char *path,
                     GError **error)
{
  g_autoptr (GString) text = g_string_new ("{\n");
  g_autoptr (GError) failure = NULL;
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *provenance = NULL;

  json_node_set_object (node, self->provenance);
  provenance = json_to_string (node, FALSE);
  g_string_append_printf (text, "  \"format\": \"%s\",\n  \"version\": %d,\n", FORMAT, VERSION);
  if (self->n_left_out > 0)
    g_string_append_printf (text, "  \"items_left_out\": %u,\n", self->n_left_out);
  g_string_append_printf (text, "  \"runs\": %u,\n  \"provenance\": %s,\n  \"sections\": [",
                          self->n_runs, provenance);
  for (guint i = 0; self->sections[i] != NULL; i++)
    g_string_append_printf (text, "%s\"%s\"", i > 0 ? ", " : "", self->sections[i]);
  g_string_append (text, "],\n  \"metrics\": {\n");
  for (guint i = 0; i < self->metrics->len; i++)
    {
      const TsMetric *metric = g_ptr_array_index (self->metrics, i);
      g_autoptr (JsonNode) name = json_node_init_string (json_node_alloc (), metric->name);
      g_autofree char *quoted = json_to_string (name, FALSE);

      g_string_append_printf (text, "    %s: {\"value\": ", quoted);
      append_number (text, metric->value);
      g_string_append (text, ", \"min\": ");
      append_number (text, metric->min);
      g_string_append (text, ", \"max\": ");
      append_number (text, metric->max);
      g_string_append (text, ", \"warn_pct\": ");
      append_number (text, metric->warn_pct);
      g_string_append (text, ", \"fail_pct\": ");
      append_number (text, metric->fail_pct);
      g_string_append_printf (text, ", \"runs\": %u}%s\n", metric->n_runs,
                              i + 1 < self->metrics->len ? "," : "");
    }
  g_string_append (text, "  }\n}\n");

  if (g_file_set_contents (path, text->str, (gssize) text->len, &failure))
    return TRUE;
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write “%s”: %s."), path,
               failure->message);
  return FALSE;
}

static gboolean
read_metrics (TsFingerprint *self,
              const char *path,
              JsonObject *metrics,
              GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, metrics);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      JsonObject *item = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      double value = 0;
      double runs = 1;
      TsMetric *metric;

      if (!_ts_domain_get_number (item, "value", &value) || !isfinite (value))
        {
          g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                       _("--baseline: the metric “%s” of “%s” has no number “value”."), name, path);
          return FALSE;
        }
      metric = add_metric (self, g_strdup (name));
      metric->value = metric->min = metric->max = value;
      _ts_domain_get_number (item, "min", &metric->min);
      _ts_domain_get_number (item, "max", &metric->max);
      _ts_domain_get_number (item, "warn_pct", &metric->warn_pct);
      _ts_domain_get_number (item, "fail_pct", &metric->fail_pct);
      _ts_domain_get_number (item, "runs", &runs);
      metric->n_runs = (guint) CLAMP (runs, 1, 1e6);
    }
  return TRUE;
}

/**
 * ts_fingerprint_load:
 * @path: a `.vafp.json`
 * @error: return location
 *
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS if it is none, or those of reading a file
 *
 * Returns: (transfer full) (nullable): ts_fingerprint_free()
 */
TsFingerprint *
ts_fingerprint_load (const char *path,
                     GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (TsFingerprint) self = NULL;
  g_autoptr (GPtrArray) sections = g_ptr_array_new ();
  g_autofree char *text = NULL;
  JsonObject *root = NULL;
  JsonObject *provenance;
  JsonArray *list;
  double runs = 1;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (length <= MAX_BYTES && g_utf8_validate (text, (gssize) length, NULL)
      && _ts_json_is_shallow (text, length)
      && json_parser_load_from_data (parser, text, (gssize) length, NULL)
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    root = json_node_get_object (json_parser_get_root (parser));
  if (root == NULL || g_strcmp0 (_ts_domain_get_text (root, "format"), FORMAT) != 0
      || _ts_domain_get_object (root, "metrics") == NULL)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("--baseline: “%s” is no fingerprint; “query fingerprint --out” makes one."),
                   path);
      return NULL;
    }

  list = _ts_domain_get_array (root, "sections");
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    for (guint k = 0; all_sections[k] != NULL; k++)
      {
        JsonNode *node = json_array_get_element (list, i);

        if (JSON_NODE_HOLDS_VALUE (node)
            && g_strcmp0 (json_node_get_string (node), all_sections[k]) == 0)
          g_ptr_array_add (sections, (gpointer) all_sections[k]);
      }
  g_ptr_array_add (sections, NULL);
  self = fingerprint_new ((const char *const *) sections->pdata);
  _ts_domain_get_number (root, "runs", &runs);
  self->n_runs = (guint) CLAMP (runs, 1, 1e6);
  provenance = _ts_domain_get_object (root, "provenance");
  if (provenance != NULL)
    {
      json_object_unref (self->provenance);
      self->provenance = json_object_ref (provenance);
    }
  if (!read_metrics (self, path, _ts_domain_get_object (root, "metrics"), error))
    return NULL;
  return g_steal_pointer (&self);
}

const char *
ts_comparison_get_name (TsComparison comparison)
{
  static const char *const names[] = { "pass", "warn", "fail", "missing" };

  return comparison < G_N_ELEMENTS (names) ? names[comparison] : NULL;
}

/* Differences too small to mean anything, whatever their percentage: half a percent of a
 * processor, a microsecond, a tenth of an event per second. Losses have no such floor. */
static double
get_floor (const char *name)
{
  if (g_str_has_prefix (name, "health."))
    return 0.0;
  if (g_str_has_suffix (name, "_percent") || g_str_has_suffix (name, "_pct"))
    return 0.5;
  if (g_str_has_suffix (name, "_us"))
    return 1.0;
  if (g_str_has_suffix (name, "_hz"))
    return 0.1;
  return 0.0;
}

/**
 * ts_metric_compare:
 * @baseline: what is expected
 * @current: (nullable): what is; %NULL: not there
 * @deviation_pct: (out): how far outside of the envelope it is, in percent of the baseline's
 *   value, with sign; 0 within
 *
 * Source: viewalyzer-host.md section 3.8. The rule is ours.
 *
 * Returns: how the two compare
 */
TsComparison
ts_metric_compare (const TsMetric *baseline,
                   const TsMetric *current,
                   double *deviation_pct)
{
  double outside = 0;

  *deviation_pct = 0;
  if (current == NULL)
    return TS_COMPARISON_MISSING;

  if (current->value > baseline->max)
    outside = current->value - baseline->max;
  else if (current->value < baseline->min)
    outside = current->value - baseline->min;
  /* The file keeps six digits. */
  if (fabs (outside) <= 1e-5 * MAX (fabs (baseline->value), fabs (current->value)))
    outside = 0;
  if (outside == 0)
    return TS_COMPARISON_PASS;

  *deviation_pct = fabs (baseline->value) > 0 ? 100.0 * outside / fabs (baseline->value)
                                              : (outside > 0 ? 1e9 : -1e9);
  if (fabs (outside) <= get_floor (baseline->name) || fabs (*deviation_pct) <= baseline->warn_pct)
    return TS_COMPARISON_PASS;
  return fabs (*deviation_pct) <= baseline->fail_pct ? TS_COMPARISON_WARN : TS_COMPARISON_FAIL;
}
