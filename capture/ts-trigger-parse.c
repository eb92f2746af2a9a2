/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-trigger-parse.c: a trigger's expression, from text to conditions. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-trigger-private.h"

/* Longest expression, bytes. */
#define MAX_TEXT 1024
/* Longest wait: a year. */
#define MAX_WAIT_NS (G_GINT64_CONSTANT (31536000) * 1000000000)

/**
 * Word:
 * @begin: where it stands, characters from 1
 * @text: without quotes
 * @is_quoted: it had some, so it is no operator
 */
typedef struct
{
  guint begin;
  char *text;
  gboolean is_quoted;
} Word;

typedef struct
{
  GArray *words;
  GPtrArray *terms;
  GError **error;
} Parser;

static void
word_clear (gpointer data)
{
  g_free (((Word *) data)->text);
}

static void
term_free (gpointer data)
{
  TsTriggerTerm *term = data;

  g_free (term->text);
  g_free (term->kinds);
  g_free (term->lane);
  g_free (term->words);
  g_free (term);
}

static gboolean fail (Parser *self,
                      guint begin,
                      const char *format,
                      ...) G_GNUC_PRINTF (3, 4);

/* One sentence with the place. */
static gboolean
fail (Parser *self,
      guint begin,
      const char *format,
      ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  /* translators: the place in what was typed, counted from 1, and what is wrong there */
  g_set_error (self->error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("Trigger, character %u: %s"), begin, reason);

  return FALSE;
}

/* Splits at spaces; quotes keep together what is between them. */
static gboolean
split (Parser *self,
       const char *expression)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Word word = { 0 };
  gboolean is_open = FALSE;
  guint quote = 0, at = 1;

  for (const char *p = expression;; p = g_utf8_next_char (p), at++)
    {
      gunichar c = g_utf8_get_char (p);

      if (c != 0 && word.begin == 0 && !g_unichar_isspace (c))
        word.begin = at;
      if (c == '"')
        {
          is_open = !is_open;
          word.is_quoted = TRUE;
          quote = at;
        }
      else if (c != 0 && (is_open || !g_unichar_isspace (c)))
        g_string_append_unichar (text, c);
      else if (word.begin != 0)
        {
          if (is_open)
            return fail (self, quote, _("the quote that begins here does not end."));
          word.text = g_strdup (text->str);
          g_array_append_val (self->words, word);
          g_string_truncate (text, 0);
          word = (Word){ 0 };
        }
      if (c == 0)
        return TRUE;
    }
}

/* ---- one condition ---- */

static const char *const condition_names[]
    = { "kind", "lane", "text", "core", "value", "dur", "silent", "loss", NULL };

/* Where the value of a condition begins. */
static guint
value_place (const Word *word,
             const char *value)
{
  return word->begin + (guint) g_utf8_strlen (word->text, value - word->text);
}

static gboolean
parse_kinds (Parser *self,
             const Word *word,
             TsTriggerTerm *term,
             const char *value)
{
  g_auto (GStrv) names = g_strsplit (value, ",", -1);

  if (term->kinds == NULL)
    term->kinds = g_new0 (guint8, TS_TRIGGER_N_KINDS);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      guint8 sides = 0;
      TsEventKind kind = ts_event_kind_parse (g_strstrip (names[i]), &sides);

      if (kind == TS_EVENT_INVALID || kind >= TS_TRIGGER_N_KINDS)
        return fail (self, value_place (word, value),
                     _("there is no kind of event “%.64s”; kinds are named as in the list of "
                       "events, such as isr_enter, queue or heap_fail."),
                     names[i]);
      term->kinds[kind] |= sides;
    }

  return TRUE;
}

static gboolean
parse_compare (Parser *self,
               const Word *word,
               const char **sign,
               TsTriggerCompare *compare)
{
  static const struct
  {
    const char *sign;
    TsTriggerCompare compare;
  } signs[] = {
    { ">=", TS_COMPARE_AT_LEAST }, { "<=", TS_COMPARE_AT_MOST }, { "!=", TS_COMPARE_DIFFERENT },
    { "==", TS_COMPARE_EQUAL },    { ">", TS_COMPARE_ABOVE },    { "<", TS_COMPARE_BELOW },
    { "=", TS_COMPARE_EQUAL },     { ":", TS_COMPARE_EQUAL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (*sign, signs[i].sign))
      {
        *compare = signs[i].compare;
        *sign += strlen (signs[i].sign);
        return TRUE;
      }

  return fail (self, value_place (word, *sign),
               _("a comparison is missing here: write for example value>80 or dur>5ms."));
}

/* Time as an exact number of nanoseconds: digits, a fraction, a unit. */
static gboolean
parse_time (const char *text,
            gint64 *ns)
{
  static const struct
  {
    const char *name;
    gint64 ns;
  } units[] = { { "ns", 1 },       { "us", 1000 },       { "µs", 1000 }, { "μs", 1000 },
                { "ms", 1000000 }, { "s", 1000000000 } };
  const char *unit = text + strspn (text, "0123456789.");
  const char *point = memchr (text, '.', (gsize) (unit - text));
  gint64 scale = 0, value = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (unit, units[i].name) == 0)
      scale = units[i].ns;
  if (scale == 0 || unit == text || (unit == text + 1 && point == text))
    return FALSE;

  for (const char *p = text; p < unit; p++)
    {
      if (*p == '.')
        {
          if (p != point)
            return FALSE;
          continue;
        }
      if (point != NULL && p > point)
        {
          scale /= 10;
          value += (*p - '0') * scale;
        }
      else if (value > MAX_WAIT_NS / 10)
        return FALSE;
      else
        value = value * 10 + (*p - '0') * scale;
    }
  *ns = value;

  return value > 0 && value <= MAX_WAIT_NS;
}

static gboolean
parse_wait (Parser *self,
            const Word *word,
            TsTriggerTerm *term,
            TsTriggerType type,
            const char *sign)
{
  TsTriggerCompare compare = TS_COMPARE_NONE;

  if (term->type != TS_TRIGGER_EVENT)
    return fail (self, word->begin,
                 _("“dur” and “silent” cannot be met together: join them by “or”."));
  if (!parse_compare (self, word, &sign, &compare))
    return FALSE;
  if (compare != TS_COMPARE_ABOVE && compare != TS_COMPARE_AT_LEAST)
    return fail (self, word->begin, _("“%s” goes with > or >= only, as in %s>5ms."),
                 type == TS_TRIGGER_DURATION ? "dur" : "silent",
                 type == TS_TRIGGER_DURATION ? "dur" : "silent");
  if (!parse_time (sign, &term->wait_ns))
    return fail (self, value_place (word, sign),
                 _("“%.64s” is no time; write a number above 0 and ns, us, ms or s, as in 1.5ms."),
                 sign);
  term->type = type;
  term->or_equal = compare == TS_COMPARE_AT_LEAST;

  return TRUE;
}

static gboolean
parse_number (Parser *self,
              const Word *word,
              const char *text,
              double *number)
{
  char *end = NULL;

  *number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(*number >= -G_MAXDOUBLE && *number <= G_MAXDOUBLE))
    return fail (self, value_place (word, text), _("“%.64s” is no number."), text);

  return TRUE;
}

static gboolean
parse_core (Parser *self,
            const Word *word,
            TsTriggerTerm *term,
            const char *sign)
{
  TsTriggerCompare compare = TS_COMPARE_NONE;
  double number = 0;

  if (!parse_compare (self, word, &sign, &compare) || !parse_number (self, word, sign, &number))
    return FALSE;
  if (compare != TS_COMPARE_EQUAL || !(number >= 0 && number <= 255)
      || number != (double) (int) number)
    return fail (self, word->begin, _("a core is a whole number from 0 to 255, as in core=1."));
  term->core = (int) number;

  return TRUE;
}

static gboolean
set_name (Parser *self,
          const Word *word,
          const char *value,
          char **name,
          gboolean is_folded)
{
  if (*name != NULL)
    return fail (self, word->begin,
                 _("one event cannot meet both: join alternatives by “or”."));
  *name = is_folded ? g_utf8_casefold (value, -1) : g_strdup (value);

  return TRUE;
}

static gboolean
parse_condition (Parser *self,
                 const Word *word,
                 TsTriggerTerm *term)
{
  gsize n = strcspn (word->text, ":<>=!");
  g_autofree char *name = g_ascii_strdown (word->text, (gssize) n);
  const char *rest = word->text + n;
  gboolean has_name = strcmp (name, "kind") == 0 || strcmp (name, "lane") == 0
                      || strcmp (name, "text") == 0;

  if (strcmp (name, "loss") == 0 && *rest == '\0')
    {
      guint8 all = TS_EVENT_SIDE_NONE | TS_EVENT_SIDE_START | TS_EVENT_SIDE_END;

      if (term->kinds == NULL)
        term->kinds = g_new0 (guint8, TS_TRIGGER_N_KINDS);
      term->kinds[TS_EVENT_DATA_LOSS] = term->kinds[TS_EVENT_CORRUPT] = all;
      term->kinds[TS_EVENT_ITM_OVERFLOW] = all;
      return TRUE;
    }
  if (has_name && *rest != ':' && *rest != '=')
    return fail (self, word->begin, _("“%s” needs a name behind a colon, as in %s:%s."), name,
                 name, *name == 'k' ? "queue" : *name == 'l' ? "Ctrl" : "overrun");
  if (has_name && rest[1] == '\0')
    return fail (self, value_place (word, rest + 1), _("a name is missing here."));

  if (strcmp (name, "kind") == 0)
    return parse_kinds (self, word, term, rest + 1);
  if (strcmp (name, "lane") == 0)
    return set_name (self, word, rest + 1, &term->lane, FALSE);
  if (strcmp (name, "text") == 0)
    return set_name (self, word, rest + 1, &term->words, TRUE);
  if (strcmp (name, "core") == 0)
    return parse_core (self, word, term, rest);
  if (strcmp (name, "dur") == 0)
    return parse_wait (self, word, term, TS_TRIGGER_DURATION, rest);
  if (strcmp (name, "silent") == 0)
    return parse_wait (self, word, term, TS_TRIGGER_SILENCE, rest);
  if (strcmp (name, "value") == 0)
    {
      if (term->compare != TS_COMPARE_NONE)
        return fail (self, word->begin,
                     _("a value can be compared once; join alternatives by “or”."));
      return parse_compare (self, word, &rest, &term->compare)
             && parse_number (self, word, rest, &term->number);
    }

  return fail (self, word->begin,
               _("“%.64s” is no condition; did you mean “%s”? There are kind:, lane:, text:, core=, "
                 "value>, dur>, silent> and loss."),
               name, _ts_connection_find_nearest (name, condition_names) != NULL
                         ? _ts_connection_find_nearest (name, condition_names)
                         : "kind");
}

/* ---- alternatives ---- */

/* What can be said of an alternative only as a whole. @begin: its first character. */
static gboolean
check_term (Parser *self,
            TsTriggerTerm *term,
            guint begin)
{
  const char *name = term->type == TS_TRIGGER_DURATION ? "dur" : "silent";

  if (term->type == TS_TRIGGER_EVENT)
    return TRUE;
  if (term->lane == NULL)
    return fail (self, begin, _("“%s” needs a lane, as in lane:Ctrl %s>5ms."), name, name);
  if (term->words != NULL || term->kinds != NULL || term->compare != TS_COMPARE_NONE)
    return fail (self, begin, _("beside “%s” only lane: and core= can stand."), name);

  return TRUE;
}

static gboolean
parse_terms (Parser *self)
{
  TsTriggerTerm *term = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  guint begin = 1;
  gboolean is_joined = FALSE; /* something has to follow */

  for (guint i = 0; i <= self->words->len; i++)
    {
      const Word *word = i < self->words->len ? &g_array_index (self->words, Word, i) : NULL;
      gboolean is_or = word == NULL
                       || (!word->is_quoted && g_ascii_strcasecmp (word->text, "or") == 0);

      if (word != NULL && !word->is_quoted && g_ascii_strcasecmp (word->text, "and") == 0)
        {
          if (term == NULL || is_joined)
            return fail (self, word->begin, _("a condition is missing before “and”."));
          is_joined = TRUE;
          continue;
        }
      if (is_or && (term == NULL || is_joined))
        return fail (self, word != NULL ? word->begin : begin,
                     _("a condition is missing here, such as kind:heap_fail or lane:Ctrl dur>5ms."));
      if (is_or)
        {
          if (!check_term (self, term, begin))
            return FALSE;
          term->text = g_strdup (text->str);
          term = NULL;
          continue;
        }

      if (term == NULL)
        {
          if (self->terms->len == TS_TRIGGER_MAX_ALTERNATIVES)
            return fail (self, word->begin, _("more than %d alternatives are too many."),
                         TS_TRIGGER_MAX_ALTERNATIVES);
          term = g_new0 (TsTriggerTerm, 1);
          term->core = -1;
          g_ptr_array_add (self->terms, term);
          g_string_truncate (text, 0);
          begin = word->begin;
        }
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", word->text);
      is_joined = FALSE;
      if (!parse_condition (self, word, term))
        return FALSE;
    }

  return TRUE;
}

/*
 * _ts_trigger_parse:
 * @expression: what somebody wrote
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG: one sentence with the place, counted in characters from 1
 *
 * Returns: (transfer full) (element-type TsTriggerTerm): its alternatives, or %NULL with @error set
 */
GPtrArray *
_ts_trigger_parse (const char *expression,
                   GError **error)
{
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (Word));
  g_autoptr (GPtrArray) terms = g_ptr_array_new_with_free_func (term_free);
  Parser parser = { words, terms, error };

  g_array_set_clear_func (words, word_clear);
  if (!g_utf8_validate (expression, -1, NULL))
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           _("The trigger is no UTF-8 text."));
      return NULL;
    }
  if (strlen (expression) > MAX_TEXT)
    {
      fail (&parser, MAX_TEXT, _("it is longer than %d bytes."), MAX_TEXT);
      return NULL;
    }
  if (!split (&parser, expression) || !parse_terms (&parser))
    return NULL;

  return g_steal_pointer (&terms);
}
