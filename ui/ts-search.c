/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-search.h"

/* Rows read at once; a request to stop is looked at after each. */
#define CHUNK_ROWS 8192

typedef enum
{
  TERM_WORD,
  TERM_LANE,
  TERM_KIND,
  TERM_TEXT,
  TERM_STATE,
  TERM_VALUE,
  TERM_DURATION,
  TERM_CORE,
  TERM_PRIORITY,
} TermType;

typedef enum
{
  COMPARE_EQUAL,
  COMPARE_LESS,
  COMPARE_AT_MOST,
  COMPARE_GREATER,
  COMPARE_AT_LEAST,
} Comparison;

/**
 * Term:
 * @word: case-folded
 * @number: what is compared with; durations in nanoseconds
 * @objects, @kinds: 1 where the word is in the name of the object or kind
 * @strings: string id -> 1 no, 2 yes
 */
typedef struct
{
  TermType type;
  char *word;
  Comparison comparison;
  double number;
  GByteArray *objects;
  guint8 kinds[0x300];
  GHashTable *strings;
} Term;

struct _TsSearch
{
  GPtrArray *terms;
  gboolean wants_slices;
};

static void
term_free (gpointer data)
{
  Term *term = data;

  g_free (term->word);
  g_clear_pointer (&term->objects, g_byte_array_unref);
  g_clear_pointer (&term->strings, g_hash_table_unref);
  g_free (term);
}

/* --- reading what was typed ------------------------------------------------------------------- */

/* Splits at spaces; quotes keep together what is between them. */
static GPtrArray *
split (const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) word = g_string_new (NULL);
  gboolean is_quoted = FALSE;

  for (const char *p = text;; p++)
    {
      if (*p == '"')
        {
          is_quoted = !is_quoted;
          continue;
        }
      if (*p != '\0' && (is_quoted || !g_ascii_isspace (*p)))
        {
          g_string_append_c (word, *p);
          continue;
        }
      if (word->len > 0)
        g_ptr_array_add (words, g_strdup (word->str));
      g_string_truncate (word, 0);
      if (*p == '\0')
        return words;
    }
}

/* A number with an optional unit of time; durations in nanoseconds. */
static gboolean
parse_number (const char *text,
              gboolean is_duration,
              double *number)
{
  static const struct
  {
    const char *name;
    double ns;
  } units[] = {
    { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
  };
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text)
    return FALSE;
  if (!is_duration)
    return *end == '\0';
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (end, units[i].name))
      {
        *number *= units[i].ns;
        return TRUE;
      }
  /* milliseconds are what people think in */
  *number *= 1e6;
  return *end == '\0';
}

static gboolean
parse_comparison (Term *term,
                  const char *sign,
                  GError **error)
{
  static const struct
  {
    const char *sign;
    Comparison comparison;
  } signs[] = {
    { ">=", COMPARE_AT_LEAST }, { "<=", COMPARE_AT_MOST }, { ">", COMPARE_GREATER },
    { "<", COMPARE_LESS },      { "=", COMPARE_EQUAL },    { ":", COMPARE_EQUAL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    {
      if (!g_str_has_prefix (sign, signs[i].sign))
        continue;
      term->comparison = signs[i].comparison;
      if (parse_number (sign + strlen (signs[i].sign), term->type == TERM_DURATION,
                        &term->number))
        return TRUE;
      break;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               _ ("“%s” is no condition; write for example dur>1.5ms or value<=20."), sign);
  return FALSE;
}

static Term *
parse_term (const char *text,
            GError **error)
{
  static const struct
  {
    const char *name;
    TermType type;
  } names[] = {
    { "lane", TERM_LANE },   { "task", TERM_LANE },        { "name", TERM_LANE },
    { "kind", TERM_KIND },   { "text", TERM_TEXT },        { "state", TERM_STATE },
    { "value", TERM_VALUE }, { "duration", TERM_DURATION }, { "dur", TERM_DURATION },
    { "core", TERM_CORE },   { "priority", TERM_PRIORITY }, { "prio", TERM_PRIORITY },
  };
  Term *term = g_new0 (Term, 1);
  gsize length = strcspn (text, ":<>=");

  for (guint i = 0; text[length] != '\0' && i < G_N_ELEMENTS (names); i++)
    {
      if (strlen (names[i].name) != length ||
          g_ascii_strncasecmp (text, names[i].name, length) != 0)
        continue;
      term->type = names[i].type;
      if (term->type >= TERM_VALUE)
        {
          if (parse_comparison (term, text + length, error))
            return term;
          term_free (term);
          return NULL;
        }
      term->word = g_utf8_casefold (text + length + 1, -1);
      return term;
    }
  term->word = g_utf8_casefold (text, -1);
  return term;
}

/**
 * ts_search_new:
 * @text: what was typed; UTF-8
 * @error: return location
 *
 * Thread: any; used by one thread at a time
 * Errors: G_IO_ERROR_INVALID_ARGUMENT: a condition that cannot be read
 *
 * Returns: (transfer full) (nullable): what to look for
 */
TsSearch *
ts_search_new (const char *text,
               GError **error)
{
  g_autoptr (TsSearch) self = g_new0 (TsSearch, 1);
  g_autoptr (GPtrArray) words = split (text);

  self->terms = g_ptr_array_new_with_free_func (term_free);
  for (guint i = 0; i < words->len; i++)
    {
      Term *term = parse_term (g_ptr_array_index (words, i), error);

      if (term == NULL)
        return NULL;
      g_ptr_array_add (self->terms, term);
      self->wants_slices |= term->type == TERM_DURATION || term->type == TERM_STATE;
    }
  return g_steal_pointer (&self);
}

/**
 * ts_search_free:
 * @self: (transfer full): a search
 *
 * Thread: any
 */
void
ts_search_free (TsSearch *self)
{
  g_clear_pointer (&self->terms, g_ptr_array_unref);
  g_free (self);
}

/**
 * ts_search_result_free:
 * @self: (transfer full): a result
 *
 * Thread: any
 */
void
ts_search_result_free (TsSearchResult *self)
{
  g_clear_pointer (&self->hits, g_array_unref);
  g_free (self);
}

/* --- looking ---------------------------------------------------------------------------------- */

static gboolean
contains (const char *text,
          const char *word)
{
  g_autofree char *folded = text != NULL ? g_utf8_casefold (text, -1) : NULL;

  return folded != NULL && strstr (folded, word) != NULL;
}

static gboolean
holds (const Term *term,
       double number)
{
  switch (term->comparison)
    {
    case COMPARE_LESS:
      return number < term->number;
    case COMPARE_AT_MOST:
      return number <= term->number;
    case COMPARE_GREATER:
      return number > term->number;
    case COMPARE_AT_LEAST:
      return number >= term->number;
    case COMPARE_EQUAL:
    default:
      return number >= term->number && number <= term->number;
    }
}

/* What can be told of names is told once, and not of every event. */
static void
prepare (Term *term,
         TsRecording *recording)
{
  guint n = ts_recording_get_n_objects (recording);

  if (term->strings == NULL)
    term->strings = g_hash_table_new (NULL, NULL);
  g_clear_pointer (&term->objects, g_byte_array_unref);
  term->objects = g_byte_array_sized_new (n + 1);
  g_byte_array_set_size (term->objects, n + 1);
  memset (term->objects->data, 0, n + 1);
  for (guint32 id = 1; id <= n; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object == NULL)
        continue;
      if (term->type == TERM_PRIORITY)
        term->objects->data[id] =
            object->priority != TS_OBJECT_UNKNOWN && holds (term, (double) object->priority);
      else if (term->word != NULL)
        term->objects->data[id] = contains (object->name, term->word);
    }
  memset (term->kinds, 0, sizeof term->kinds);
  for (guint kind = 0; term->word != NULL && kind < G_N_ELEMENTS (term->kinds); kind++)
    term->kinds[kind] = contains (ts_event_kind_get_name (kind), term->word);
}

static gboolean
is_in_text (Term *term,
            TsRecording *recording,
            const TsEvent *event)
{
  gpointer id = GUINT_TO_POINTER (ts_event_get_text_id (event));
  guint known;

  if (id == NULL)
    return FALSE;
  known = GPOINTER_TO_UINT (g_hash_table_lookup (term->strings, id));
  if (known == 0)
    {
      known = contains (ts_recording_get_string (recording, GPOINTER_TO_UINT (id)), term->word)
                  ? 2
                  : 1;
      g_hash_table_insert (term->strings, id, GUINT_TO_POINTER (known));
    }
  return known == 2;
}

static gboolean
matches_event (Term *term,
               TsRecording *recording,
               const TsEvent *event)
{
  gboolean is_object = event->object < term->objects->len && term->objects->data[event->object];
  gboolean is_kind = event->kind < G_N_ELEMENTS (term->kinds) && term->kinds[event->kind];

  switch (term->type)
    {
    case TERM_WORD:
      return is_object || is_kind || is_in_text (term, recording, event);
    case TERM_LANE:
    case TERM_PRIORITY:
      return is_object;
    case TERM_KIND:
      return is_kind;
    case TERM_TEXT:
      return is_in_text (term, recording, event);
    case TERM_VALUE:
      return ts_event_kind_get_n_operands (event->kind) > 0 &&
             holds (term, ts_event_get_double (event));
    case TERM_CORE:
      return holds (term, event->core);
    case TERM_STATE:
    case TERM_DURATION:
    default:
      return FALSE;
    }
}

static gboolean
search_events (TsSearch *self,
               TsRecording *recording,
               guint max_hits,
               TsSearchResult *result,
               GCancellable *cancellable,
               GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, CHUNK_ROWS);
  guint64 n_rows = ts_recording_get_n_rows (recording);
  guint n_read;

  for (guint64 row = 1; row <= n_rows; row += n_read)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!ts_recording_read_events (recording, row, CHUNK_ROWS, events, &n_read, error))
        return FALSE;
      if (n_read == 0)
        break;
      for (guint i = 0; i < n_read; i++)
        {
          gboolean matches = TRUE;

          for (guint j = 0; j < self->terms->len && matches; j++)
            matches = matches_event (g_ptr_array_index (self->terms, j), recording, &events[i]);
          if (!matches)
            continue;
          result->n_found++;
          if (result->hits->len < max_hits)
            {
              TsSearchHit hit = { events[i].time, events[i].time, row + i, events[i].object };

              g_array_append_val (result->hits, hit);
            }
        }
    }
  return TRUE;
}

static const char *
get_state_name (guint8 state)
{
  static const char * const names[TS_N_STATES] = {
    "",          "running",     "ready", "blocked", "sleeping", "suspended",
    "interrupted", "low", "point", "loss",    "corrupt",
  };

  return state < TS_N_STATES ? names[state] : "";
}

/* Whether a lane can have slices that meet the conditions. */
static gboolean
matches_lane (TsSearch *self,
              const TsLaneInfo *lane)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      const Term *term = g_ptr_array_index (self->terms, i);

      if ((term->type == TERM_LANE || term->type == TERM_WORD) &&
          !contains (lane->name, term->word))
        return FALSE;
      if (term->type == TERM_CORE && !holds (term, lane->core))
        return FALSE;
      if (term->type == TERM_PRIORITY &&
          (lane->priority == TS_OBJECT_UNKNOWN || !holds (term, (double) lane->priority)))
        return FALSE;
      if (term->type == TERM_KIND || term->type == TERM_TEXT || term->type == TERM_VALUE)
        return FALSE;
    }
  return lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN ||
         lane->kind == TS_LANE_TOGGLE;
}

static gboolean
matches_slice (TsSearch *self,
               TsRecording *recording,
               const TsSlice *slice)
{
  gboolean has_state = FALSE;

  for (guint i = 0; i < self->terms->len; i++)
    {
      const Term *term = g_ptr_array_index (self->terms, i);

      if (term->type == TERM_STATE)
        {
          has_state = TRUE;
          if (strstr (get_state_name (slice->state), term->word) == NULL)
            return FALSE;
        }
      if (term->type == TERM_DURATION &&
          !holds (term, (double) ts_recording_ticks_to_ns (recording, slice->end - slice->begin)))
        return FALSE;
    }
  return has_state || slice->state == TS_STATE_RUNNING;
}

static int
compare_hits (gconstpointer pa,
              gconstpointer pb)
{
  const TsSearchHit *a = pa;
  const TsSearchHit *b = pb;

  return (a->begin > b->begin) - (a->begin < b->begin);
}

static gboolean
search_slices (TsSearch *self,
               TsRecording *recording,
               guint max_hits,
               TsSearchResult *result,
               GCancellable *cancellable,
               GError **error)
{
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      gint64 time = -1;
      TsSlice slice;

      if (!matches_lane (self, &lanes[i]))
        continue;
      while (ts_recording_next_slice (recording, lanes[i].id, time, 1, &slice) &&
             slice.begin > time)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          time = slice.begin;
          if (!matches_slice (self, recording, &slice))
            continue;
          result->n_found++;
          if (result->hits->len < max_hits)
            {
              TsSearchHit hit = { slice.begin, slice.end, 0, lanes[i].id };

              g_array_append_val (result->hits, hit);
            }
        }
    }
  g_array_sort (result->hits, compare_hits);
  return TRUE;
}

/**
 * ts_search_run:
 * @self: what to look for
 * @recording: where
 * @max_hits: how many to keep
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Cost: one pass over all rows, or over the slices of the lanes that match
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (nullable): what was found
 */
TsSearchResult *
ts_search_run (TsSearch *self,
               TsRecording *recording,
               guint max_hits,
               GCancellable *cancellable,
               GError **error)
{
  g_autoptr (TsSearchResult) result = g_new0 (TsSearchResult, 1);
  gboolean is_done;

  result->hits = g_array_new (FALSE, FALSE, sizeof (TsSearchHit));
  result->are_slices = self->wants_slices;
  if (self->terms->len == 0)
    return g_steal_pointer (&result);
  for (guint i = 0; i < self->terms->len; i++)
    prepare (g_ptr_array_index (self->terms, i), recording);
  if (self->wants_slices)
    is_done = search_slices (self, recording, max_hits, result, cancellable, error);
  else
    is_done = search_events (self, recording, max_hits, result, cancellable, error);
  return is_done ? g_steal_pointer (&result) : NULL;
}

/**
 * ts_search_result_thin:
 * @self: what was found
 * @duration: ticks of the whole
 * @n_buckets: parts of the whole
 * @n_times: (out): how many
 *
 * One hit of each part is enough to mark it.
 *
 * Thread: any
 *
 * Returns: (transfer full) (array length=n_times): ticks, ascending
 */
gint64 *
ts_search_result_thin (const TsSearchResult *self,
                       gint64 duration,
                       guint n_buckets,
                       guint *n_times)
{
  gint64 step = MAX (duration / MAX (n_buckets, 1), 1);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 last = -1;

  for (guint i = 0; i < self->hits->len; i++)
    {
      gint64 begin = g_array_index (self->hits, TsSearchHit, i).begin;

      if (begin / step == last)
        continue;
      last = begin / step;
      g_array_append_val (times, begin);
    }
  *n_times = times->len;
  return (gint64 *) g_array_free (g_steal_pointer (&times), FALSE);
}
