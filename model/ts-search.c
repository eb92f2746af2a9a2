/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search.c: what was typed becomes conditions; what they say of an event or a slice. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-search-private.h"

static void
term_free (gpointer data)
{
  TsTerm *term = data;

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
parse_comparison (TsTerm *term,
                  const char *sign,
                  GError **error)
{
  static const struct
  {
    const char *sign;
    TsComparison comparison;
  } signs[] = {
    { ">=", TS_COMPARE_AT_LEAST }, { "<=", TS_COMPARE_AT_MOST }, { ">", TS_COMPARE_GREATER },
    { "<", TS_COMPARE_LESS },      { "=", TS_COMPARE_EQUAL },    { ":", TS_COMPARE_EQUAL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    {
      if (!g_str_has_prefix (sign, signs[i].sign))
        continue;
      term->comparison = signs[i].comparison;
      if (parse_number (sign + strlen (signs[i].sign), term->type == TS_TERM_DURATION,
                        &term->number))
        return TRUE;
      break;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               _ ("“%s” is no condition; write for example dur>1.5ms or value<=20."), sign);
  return FALSE;
}

static TsTerm *
parse_term (const char *text,
            GError **error)
{
  static const struct
  {
    const char *name;
    TsTermType type;
  } names[] = {
    { "lane", TS_TERM_LANE },   { "task", TS_TERM_TASK },        { "name", TS_TERM_LANE },
    { "kind", TS_TERM_KIND },   { "text", TS_TERM_TEXT },        { "state", TS_TERM_STATE },
    { "value", TS_TERM_VALUE }, { "duration", TS_TERM_DURATION }, { "dur", TS_TERM_DURATION },
    { "core", TS_TERM_CORE },   { "priority", TS_TERM_PRIORITY }, { "prio", TS_TERM_PRIORITY },
  };
  TsTerm *term = g_new0 (TsTerm, 1);
  gsize length = strcspn (text, ":<>=");

  for (guint i = 0; text[length] != '\0' && i < G_N_ELEMENTS (names); i++)
    {
      if (strlen (names[i].name) != length ||
          g_ascii_strncasecmp (text, names[i].name, length) != 0)
        continue;
      term->type = names[i].type;
      if (term->type >= TS_TERM_VALUE)
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
      TsTerm *term = parse_term (g_ptr_array_index (words, i), error);

      if (term == NULL)
        return NULL;
      g_ptr_array_add (self->terms, term);
      self->wants_slices |= term->type == TS_TERM_DURATION || term->type == TS_TERM_STATE;
      self->wants_actors |= term->type == TS_TERM_TASK;
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
holds (const TsTerm *term,
       double number)
{
  switch (term->comparison)
    {
    case TS_COMPARE_LESS:
      return number < term->number;
    case TS_COMPARE_AT_MOST:
      return number <= term->number;
    case TS_COMPARE_GREATER:
      return number > term->number;
    case TS_COMPARE_AT_LEAST:
      return number >= term->number;
    case TS_COMPARE_EQUAL:
    default:
      return number >= term->number && number <= term->number;
    }
}

static void
prepare_term (TsTerm *term,
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
      if (term->type == TS_TERM_PRIORITY)
        term->objects->data[id] =
            object->priority != TS_OBJECT_UNKNOWN && holds (term, (double) object->priority);
      else if (term->word != NULL)
        term->objects->data[id] = contains (object->name, term->word);
    }
  memset (term->kinds, 0, sizeof term->kinds);
  for (guint kind = 0; term->word != NULL && kind < G_N_ELEMENTS (term->kinds); kind++)
    term->kinds[kind] = contains (ts_event_kind_get_name (kind), term->word);
}

/* What can be told of names is told once, and not of every event. */
void
_ts_search_prepare (TsSearch *self,
                    TsRecording *recording)
{
  for (guint i = 0; i < self->terms->len; i++)
    prepare_term (g_ptr_array_index (self->terms, i), recording);
}

static gboolean
is_in_text (TsTerm *term,
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

static inline gboolean
has_object (const TsTerm *term,
            guint32 object)
{
  return object < term->objects->len && term->objects->data[object];
}

static inline gboolean
has_kind (const TsTerm *term,
          guint kind)
{
  return kind < G_N_ELEMENTS (term->kinds) && term->kinds[kind];
}

static gboolean
matches_event (TsTerm *term,
               TsRecording *recording,
               const TsEvent *event,
               guint32 actor)
{
  switch (term->type)
    {
    case TS_TERM_WORD:
      return has_object (term, event->object) || has_kind (term, event->kind)
             || is_in_text (term, recording, event);
    case TS_TERM_LANE:
    case TS_TERM_PRIORITY:
      return has_object (term, event->object);
    case TS_TERM_TASK:
      return has_object (term, event->object) || has_object (term, actor);
    case TS_TERM_KIND:
      return has_kind (term, event->kind);
    case TS_TERM_TEXT:
      return is_in_text (term, recording, event);
    case TS_TERM_VALUE:
      return ts_event_kind_get_n_operands (event->kind) > 0 &&
             holds (term, ts_event_get_double (event));
    case TS_TERM_CORE:
      return holds (term, event->core);
    case TS_TERM_STATE:
    case TS_TERM_DURATION:
    default:
      return FALSE;
    }
}

/* Whether an event meets all conditions. @actor: who did it, 0 unknown. */
gboolean
_ts_search_matches_event (TsSearch *self,
                          TsRecording *recording,
                          const TsEvent *event,
                          guint32 actor)
{
  for (guint i = 0; i < self->terms->len; i++)
    if (!matches_event (g_ptr_array_index (self->terms, i), recording, event, actor))
      return FALSE;
  return TRUE;
}

/* @is_whole: the key tells all it can: whether there is a text, and the processor. */
static TsSearchVerdict
judge_term (const TsTerm *term,
            guint64 group,
            guint32 actor,
            gboolean is_whole)
{
  guint kind = TS_ROW_GROUP_KIND (group);
  guint32 object = TS_ROW_GROUP_OBJECT (group);
  gboolean may_have_text = !is_whole || TS_ROW_GROUP_HAS_TEXT (group);

  switch (term->type)
    {
    case TS_TERM_WORD:
      if (has_object (term, object) || has_kind (term, kind))
        return TS_VERDICT_YES;
      return may_have_text ? TS_VERDICT_MAYBE : TS_VERDICT_NO;
    case TS_TERM_LANE:
    case TS_TERM_PRIORITY:
      return has_object (term, object) ? TS_VERDICT_YES : TS_VERDICT_NO;
    case TS_TERM_TASK:
      return has_object (term, object) || has_object (term, actor) ? TS_VERDICT_YES
                                                                   : TS_VERDICT_NO;
    case TS_TERM_KIND:
      return has_kind (term, kind) ? TS_VERDICT_YES : TS_VERDICT_NO;
    case TS_TERM_TEXT:
      return may_have_text ? TS_VERDICT_MAYBE : TS_VERDICT_NO;
    case TS_TERM_VALUE:
      return ts_event_kind_get_n_operands (kind) > 0 ? TS_VERDICT_MAYBE : TS_VERDICT_NO;
    case TS_TERM_CORE:
      if (!is_whole)
        return TS_VERDICT_MAYBE;
      return holds (term, TS_ROW_GROUP_CORE (group)) ? TS_VERDICT_YES : TS_VERDICT_NO;
    case TS_TERM_STATE:
    case TS_TERM_DURATION:
    default:
      return TS_VERDICT_NO;
    }
}

/* What the conditions say of all events of a group (_ts_row_group_key()) done by @actor. */
TsSearchVerdict
_ts_search_judge (TsSearch *self,
                  guint64 group,
                  guint32 actor,
                  gboolean is_whole)
{
  TsSearchVerdict all = TS_VERDICT_YES;

  for (guint i = 0; i < self->terms->len && all != TS_VERDICT_NO; i++)
    all = MIN (all, judge_term (g_ptr_array_index (self->terms, i), group, actor, is_whole));
  return all;
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
gboolean
_ts_search_matches_lane (TsSearch *self,
                         const TsLaneInfo *lane)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      const TsTerm *term = g_ptr_array_index (self->terms, i);

      if ((term->type == TS_TERM_LANE || term->type == TS_TERM_WORD
           || term->type == TS_TERM_TASK) &&
          !contains (lane->name, term->word))
        return FALSE;
      if (term->type == TS_TERM_CORE && !holds (term, lane->core))
        return FALSE;
      if (term->type == TS_TERM_PRIORITY &&
          (lane->priority == TS_OBJECT_UNKNOWN || !holds (term, (double) lane->priority)))
        return FALSE;
      if (term->type == TS_TERM_KIND || term->type == TS_TERM_TEXT || term->type == TS_TERM_VALUE)
        return FALSE;
    }
  return lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN ||
         lane->kind == TS_LANE_TOGGLE;
}

gboolean
_ts_search_matches_slice (TsSearch *self,
                          TsRecording *recording,
                          const TsSlice *slice)
{
  gboolean has_state = FALSE;

  for (guint i = 0; i < self->terms->len; i++)
    {
      const TsTerm *term = g_ptr_array_index (self->terms, i);

      if (term->type == TS_TERM_STATE)
        {
          has_state = TRUE;
          if (strstr (get_state_name (slice->state), term->word) == NULL)
            return FALSE;
        }
      if (term->type == TS_TERM_DURATION &&
          !holds (term, (double) ts_recording_ticks_to_ns (recording, slice->end - slice->begin)))
        return FALSE;
    }
  return has_state || slice->state == TS_STATE_RUNNING;
}

/* Whether any duration between two can meet a condition. */
static gboolean
may_hold_between (const TsTerm *term,
                  double shortest,
                  double longest)
{
  switch (term->comparison)
    {
    case TS_COMPARE_LESS:
    case TS_COMPARE_AT_MOST:
      return holds (term, shortest);
    case TS_COMPARE_GREATER:
    case TS_COMPARE_AT_LEAST:
      return holds (term, longest);
    case TS_COMPARE_EQUAL:
    default:
      return shortest <= term->number && term->number <= longest;
    }
}

/* Whether a slice of one state, of durations as a node has them, can match. */
static gboolean
may_match_state (TsSearch *self,
                 TsRecording *recording,
                 const TsLaneHead *head,
                 guint8 state)
{
  gboolean has_state = FALSE;

  for (guint i = 0; i < self->terms->len; i++)
    {
      const TsTerm *term = g_ptr_array_index (self->terms, i);

      has_state |= term->type == TS_TERM_STATE;
      if (term->type == TS_TERM_STATE && strstr (get_state_name (state), term->word) == NULL)
        return FALSE;
      if (term->type == TS_TERM_DURATION
          && !may_hold_between (
              term, (double) ts_recording_ticks_to_ns (recording, head->shortest[state]),
              (double) ts_recording_ticks_to_ns (recording, head->longest[state])))
        return FALSE;
    }
  return has_state || state == TS_STATE_RUNNING;
}

/* Whether a look at the slices of a node is worth it. */
gboolean
_ts_search_may_match_head (TsSearch *self,
                           TsRecording *recording,
                           const TsLaneHead *head)
{
  for (guint8 state = 0; state < TS_N_STATES; state++)
    if ((head->states & 1u << state) != 0 && may_match_state (self, recording, head, state))
      return TRUE;
  return FALSE;
}

/**
 * ts_search_wants_slices:
 * @self: a search
 *
 * Thread: any
 *
 * Returns: whether its hits are slices, not events
 */
gboolean
ts_search_wants_slices (const TsSearch *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->wants_slices;
}

/**
 * ts_search_find:
 * @self: what to look for
 * @recording: where
 * @time: from this tick on
 * @direction: +1: the first hit at @time or later; -1: the last one before it
 * @hit: (out caller-allocates): what was found
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Cost: a look at the summaries of what lies between, and at one block of rows or one node of each
 *   lane that matches: under 100 ms for kind and task in a hundred million events
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_RECORDING, or cancelled
 *
 * Returns: %TRUE if there is one; %FALSE without @error: there is none in that direction
 */
gboolean
ts_search_find (TsSearch *self,
                TsRecording *recording,
                gint64 time,
                int direction,
                TsSearchHit *hit,
                GCancellable *cancellable,
                GError **error)
{
  TsSearchHit from = { time, time, 0, 0 };
  guint64 row;

  g_return_val_if_fail (self != NULL && TS_IS_RECORDING (recording) && hit != NULL, FALSE);
  g_return_val_if_fail (direction == 1 || direction == -1, FALSE);

  if (self->terms->len == 0)
    return FALSE;
  _ts_search_prepare (self, recording);
  if (self->wants_slices)
    return _ts_search_find_slice (self, recording, &from, direction, hit, cancellable, error);

  row = ts_recording_row_at_time (recording, time);
  if (row == 0)
    return FALSE;
  if (direction < 0)
    row--;
  return _ts_search_find_event (self, recording, row, direction, hit, cancellable, error);
}

/**
 * ts_search_find_from:
 * @self: what to look for
 * @recording: where
 * @from: a hit of the same search
 * @direction: +1: the next one; -1: the one before it
 * @hit: (out caller-allocates): what was found; may be @from
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Cost: as ts_search_find()
 * Thread: owner of @recording
 * Errors: as ts_search_find()
 *
 * Returns: as ts_search_find()
 */
gboolean
ts_search_find_from (TsSearch *self,
                     TsRecording *recording,
                     const TsSearchHit *from,
                     int direction,
                     TsSearchHit *hit,
                     GCancellable *cancellable,
                     GError **error)
{
  TsSearchHit place;

  g_return_val_if_fail (self != NULL && TS_IS_RECORDING (recording), FALSE);
  g_return_val_if_fail (from != NULL && hit != NULL, FALSE);
  g_return_val_if_fail (direction == 1 || direction == -1, FALSE);

  if (self->terms->len == 0)
    return FALSE;
  place = *from;
  _ts_search_prepare (self, recording);
  if (self->wants_slices)
    return _ts_search_find_slice (self, recording, &place, direction, hit, cancellable, error);
  return _ts_search_find_event (self, recording,
                                direction > 0 ? place.row + 1 : MAX (place.row, 1) - 1, direction,
                                hit, cancellable, error);
}

/**
 * ts_search_run:
 * @self: what to look for
 * @recording: where
 * @max_hits: how many to keep: the first ones
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * Cost: one pass over the blocks of rows that can hold hits, or over the slices of the lanes that
 *   match; once @max_hits are found, blocks whose summary tells the number are not read
 * Thread: owner of @recording
 * Errors: as ts_search_find()
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
  _ts_search_prepare (self, recording);
  if (self->wants_slices)
    is_done = _ts_search_all_slices (self, recording, max_hits, result, cancellable, error);
  else
    is_done = _ts_search_all_events (self, recording, max_hits, result, cancellable, error);
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
