/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-instrument.c: reads an instrument's series and lays its clock on the recording's.
 *
 * One JSON object a line: a sample {"t_us", "channel", "value", "unit"?} or a mark {"t_us",
 * "mark"}: an instant that the recording knows too, as the event of the object of that name. The
 * format is ours.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-export-private.h"
#include "ts-instrument-private.h"

#define MAX_LINE 65536
#define MAX_MARKS 4096
#define MAX_CHANNELS 1000
/* Fewer pairs than these fit by chance. */
#define MIN_PAIRS 3
/* No crystal is off by more. */
#define MAX_DRIFT 0.05

typedef struct
{
  double t_us;
  guint name; /* in mark_names */
} Mark;

typedef struct
{
  double x; /* instrument */
  double y; /* recording */
} Pair;

typedef struct
{
  double offset;
  double scale;
  double mean;
  double max;
  guint n;
} Fit;

static guint
find_name (GPtrArray *names,
           GHashTable *ids,
           const char *name)
{
  gpointer known = g_hash_table_lookup (ids, name);
  char *copy;

  if (known != NULL)
    return GPOINTER_TO_UINT (known) - 1;
  copy = g_strdup (name);
  g_ptr_array_add (names, copy);
  g_hash_table_insert (ids, copy, GUINT_TO_POINTER (names->len));
  return names->len - 1;
}

static gboolean
bad_line (const char *path,
          guint64 line,
          const char *why,
          GError **error)
{
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("%s, line %" PRIu64 ": %s."), path, line, why);
  return FALSE;
}

static gboolean
get_number (JsonObject *object,
            const char *name,
            double *value)
{
  JsonNode *node = json_object_get_member (object, name);
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node)
                                                            : G_TYPE_NONE;

  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return FALSE;
  *value = json_node_get_double (node);
  return isfinite (*value) && fabs (*value) < 1e300;
}

static const char *
get_text (JsonObject *object,
          const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static gboolean
take_line (TsInstrument *self,
           JsonParser *parser,
           const char *line,
           gsize length,
           guint64 number,
           GError **error)
{
  JsonNode *root;
  JsonObject *object;
  const char *name;
  double t_us;
  TsInstrumentSample sample = { 0 };

  if (!json_parser_load_from_data (parser, line, (gssize) length, NULL)
      || (root = json_parser_get_root (parser)) == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return bad_line (self->path, number, _("this is no JSON object"), error);
  object = json_node_get_object (root);
  if (!get_number (object, "t_us", &t_us) || fabs (t_us) > 1e15)
    return bad_line (self->path, number, _("“t_us” must be a number of microseconds"), error);

  name = get_text (object, "mark");
  if (name != NULL)
    {
      Mark mark = { t_us, find_name (self->mark_names, self->mark_ids, name) };

      if (self->marks->len < MAX_MARKS)
        g_array_append_val (self->marks, mark);
      return TRUE;
    }

  name = get_text (object, "channel");
  if (name == NULL || *name == '\0')
    return bad_line (self->path, number, _("it has neither “channel” nor “mark”"), error);
  if (!get_number (object, "value", &sample.value))
    return bad_line (self->path, number, _("“value” must be a number"), error);
  sample.t_us = t_us;
  sample.channel = find_name (self->channel_names, self->channel_ids, name);
  if (sample.channel >= MAX_CHANNELS)
    return bad_line (self->path, number, _("these are too many channels"), error);
  if (sample.channel >= self->units->len)
    g_ptr_array_add (self->units, g_strdup (get_text (object, "unit")));
  g_array_append_val (self->samples, sample);
  return TRUE;
}

static int
compare_samples (gconstpointer a,
                 gconstpointer b)
{
  double left = ((const TsInstrumentSample *) a)->t_us;
  double right = ((const TsInstrumentSample *) b)->t_us;

  return (left > right) - (left < right);
}

static int
compare_marks (gconstpointer a,
               gconstpointer b)
{
  double left = ((const Mark *) a)->t_us;
  double right = ((const Mark *) b)->t_us;

  return (left > right) - (left < right);
}

/**
 * ts_instrument_load:
 * @path: a file of one JSON object a line
 * @error: return location
 *
 * Thread: any; reads a file
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS naming the line
 *
 * Returns: (transfer full) (nullable): ts_instrument_free()
 */
TsInstrument *
ts_instrument_load (const char *path,
                    GError **error)
{
  g_autoptr (TsInstrument) self = g_new0 (TsInstrument, 1);
  g_autoptr (GMappedFile) mapped = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) cause = NULL;
  const char *at, *end;
  guint64 number = 0;

  self->path = g_filename_display_name (path);
  self->marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  self->samples = g_array_new (FALSE, FALSE, sizeof (TsInstrumentSample));
  self->channel_names = g_ptr_array_new_with_free_func (g_free);
  self->mark_names = g_ptr_array_new_with_free_func (g_free);
  self->units = g_ptr_array_new_with_free_func (g_free);
  self->channel_ids = g_hash_table_new (g_str_hash, g_str_equal);
  self->mark_ids = g_hash_table_new (g_str_hash, g_str_equal);
  self->scale = 1.0;

  mapped = g_mapped_file_new (path, FALSE, &cause);
  if (mapped == NULL)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("Cannot read the series: %s"), cause->message);
      return NULL;
    }
  at = g_mapped_file_get_contents (mapped);
  end = at + g_mapped_file_get_length (mapped);
  for (; at != NULL && at < end; number++)
    {
      const char *stop = memchr (at, '\n', (gsize) (end - at));
      gsize length;

      stop = stop != NULL ? stop : end;
      length = (gsize) (stop - at);
      if (length > MAX_LINE)
        return bad_line (self->path, number + 1, _("the line is too long"), error), NULL;
      if (length > 0 && strspn (at, " \t\r") < length
          && !take_line (self, parser, at, length, number + 1, error))
        return NULL;
      at = stop + 1;
    }
  if (self->samples->len == 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("%s holds no sample."), self->path);
      return NULL;
    }
  g_array_sort (self->samples, compare_samples);
  g_array_sort (self->marks, compare_marks);
  return g_steal_pointer (&self);
}

/**
 * ts_instrument_free:
 * @self: (nullable) (transfer full): series
 */
void
ts_instrument_free (TsInstrument *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->marks, g_array_unref);
  g_clear_pointer (&self->samples, g_array_unref);
  g_clear_pointer (&self->channel_ids, g_hash_table_unref);
  g_clear_pointer (&self->mark_ids, g_hash_table_unref);
  g_clear_pointer (&self->channel_names, g_ptr_array_unref);
  g_clear_pointer (&self->mark_names, g_ptr_array_unref);
  g_clear_pointer (&self->units, g_ptr_array_unref);
  g_free (self->path);
  g_free (self);
}

/* ---- the clocks ---- */

typedef struct
{
  TsRecording *recording;
  guint32 object;
  GArray *times; /* of double, us */
} Known;

/* The begin of an event with two sides; a level that rises. */
static gboolean
note_known (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  Known *known = user_data;
  gboolean is_level = event->kind == TS_EVENT_USER_TOGGLE || event->kind == TS_EVENT_GPIO;
  double t_us = (double) ts_recording_ticks_to_ns (known->recording, event->time) / 1000.0;

  if (event->object != known->object || (event->flags & TS_EVENT_FLAG_END) != 0
      || (is_level && event->value == 0))
    return TRUE;
  g_array_append_val (known->times, t_us);
  return known->times->len < MAX_MARKS;
}

static GArray *
read_known (TsRecording *recording,
            const char *name,
            GCancellable *cancellable,
            GError **error)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  TsEventFilter filter;
  Known known = { .recording = recording };

  for (guint32 id = 1; id <= ts_recording_get_n_objects (recording) && known.object == 0; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object != NULL && strcmp (object->name, name) == 0)
        known.object = id;
    }
  known.times = g_array_new (FALSE, FALSE, sizeof (double));
  if (known.object == 0)
    return known.times;
  if (!_ts_event_filter_init (&filter, recording, &options, error)
      || !_ts_event_filter_scan (&filter, recording, 0, note_known, &known, cancellable, error))
    g_clear_pointer (&known.times, g_array_unref);
  _ts_event_filter_clear (&filter);
  return known.times;
}

/* The line through pairs with the smallest squares; times are taken from their means. */
static Fit
fit_pairs (const Pair *pairs,
           guint n)
{
  Fit fit = { .scale = 1.0, .n = n };
  double x = 0, y = 0, xx = 0, xy = 0;

  for (guint i = 0; i < n; i++)
    {
      x += pairs[i].x / n;
      y += pairs[i].y / n;
    }
  for (guint i = 0; i < n; i++)
    {
      xx += (pairs[i].x - x) * (pairs[i].x - x);
      xy += (pairs[i].x - x) * (pairs[i].y - y);
    }
  if (n > 1 && xx > 0)
    fit.scale = CLAMP (xy / xx, 1.0 - MAX_DRIFT, 1.0 + MAX_DRIFT);
  fit.offset = y - fit.scale * x;
  for (guint i = 0; i < n; i++)
    {
      double residual = fabs (fit.offset + fit.scale * pairs[i].x - pairs[i].y);

      fit.mean += residual / n;
      fit.max = MAX (fit.max, residual);
    }
  return fit;
}

/* Of all ways to lay one row of marks beside the other the one that fits best: neither needs to
 * have all marks, but those between the first and the last that both saw. */
static void
match (const double *marks,
       guint n_marks,
       const GArray *known,
       GArray *pairs)
{
  guint n_known = known->len;
  guint least = MAX (MIN_PAIRS, MIN (n_marks, n_known) / 2);
  g_autofree Pair *some = g_new (Pair, MAX (MIN (n_marks, n_known), 1));
  Fit best = { .mean = G_MAXDOUBLE };
  gint best_shift = G_MAXINT;

  for (gint shift = -(gint) n_marks + 1; shift < (gint) n_known; shift++)
    {
      guint n = 0;
      Fit fit;

      for (gint i = MAX (0, -shift); i < (gint) n_marks && i + shift < (gint) n_known; i++)
        some[n++] = (Pair){ marks[i], g_array_index (known, double, i + shift) };
      if (n < MIN (least, MIN (n_marks, n_known)))
        continue;
      fit = fit_pairs (some, n);
      if (fit.mean < best.mean || (fit.mean == best.mean && fit.n > best.n))
        {
          best = fit;
          best_shift = shift;
        }
    }
  for (gint i = MAX (0, -best_shift);
       best_shift != G_MAXINT && i < (gint) n_marks && i + best_shift < (gint) n_known; i++)
    {
      Pair pair = { marks[i], g_array_index (known, double, i + best_shift) };

      g_array_append_val (pairs, pair);
    }
}

/**
 * ts_instrument_fit:
 * @self: series
 * @recording: the recording they belong to
 * @max_resid_us: largest distance of a matched mark from the fit; more is an error; 0: any
 * @report: (out caller-allocates): how the clocks fit
 * @cancellable: (nullable): ends it
 * @error: return location
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS if the marks do not fit
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_instrument_fit (TsInstrument *self,
                   TsRecording *recording,
                   double max_resid_us,
                   TsInstrumentReport *report,
                   GCancellable *cancellable,
                   GError **error)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  Fit fit;

  *report = (TsInstrumentReport){ .n_channels = self->channel_names->len,
                                  .n_samples = self->samples->len,
                                  .n_marks = self->marks->len };
  self->offset_us = 0.0;
  self->scale = 1.0;

  for (guint name = 0; name < self->mark_names->len; name++)
    {
      g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (double));
      g_autoptr (GArray) known
          = read_known (recording, g_ptr_array_index (self->mark_names, name), cancellable, error);

      if (known == NULL)
        return FALSE;
      for (guint i = 0; i < self->marks->len; i++)
        if (g_array_index (self->marks, Mark, i).name == name)
          g_array_append_val (own, g_array_index (self->marks, Mark, i).t_us);
      match ((const double *) (gpointer) own->data, own->len, known, pairs);
    }
  if (self->marks->len == 0)
    return TRUE;
  if (pairs->len == 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("None of the marks of %s is in the recording: a mark is named as an object "
                     "there."),
                   self->path);
      return FALSE;
    }

  fit = fit_pairs ((const Pair *) (gpointer) pairs->data, pairs->len);
  report->n_matched = fit.n;
  report->offset_us = self->offset_us = fit.offset;
  self->scale = fit.scale;
  report->drift_ppm = (fit.scale - 1.0) * 1e6;
  report->mean_resid_us = fit.mean;
  report->max_resid_us = fit.max;
  if (max_resid_us <= 0 || fit.max <= max_resid_us)
    return TRUE;
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("The clocks do not fit: of %u marks one is %.1f us off, more than the %.1f us of "
                 "--max-resid-us."),
               fit.n, fit.max, max_resid_us);
  return FALSE;
}
