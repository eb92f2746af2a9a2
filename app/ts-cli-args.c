/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-args.c: reads the arguments, in the verb form, the --headless flag form and the mixed
 * form. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <inttypes.h>
#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>

#include "ts-cli.h"

static void
clear_flag (gpointer data)
{
  TsCliFlag *flag = data;

  g_free (flag->name);
  g_free (flag->value);
}

/**
 * ts_cli_args_new:
 *
 * Returns: (transfer full): empty arguments
 */
TsCliArgs *
ts_cli_args_new (void)
{
  TsCliArgs *self = g_new0 (TsCliArgs, 1);

  self->positional = g_ptr_array_new_with_free_func (g_free);
  self->flags = g_array_new (FALSE, FALSE, sizeof (TsCliFlag));
  g_array_set_clear_func (self->flags, clear_flag);
  return self;
}

/**
 * ts_cli_args_free:
 * @self: (nullable) (transfer full): arguments
 */
void
ts_cli_args_free (TsCliArgs *self)
{
  if (self == NULL)
    return;
  g_free (self->verb);
  g_ptr_array_unref (self->positional);
  g_array_unref (self->flags);
  g_free (self);
}

static guint
edit_distance (const char *a,
               const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint) j;
  for (gsize i = 1; a[i - 1] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n; j++)
        {
          guint above = row[j];
          guint change = diagonal + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));

          row[j] = MIN (change, MIN (above, row[j - 1]) + 1);
          diagonal = above;
        }
    }
  return row[n];
}

/**
 * ts_cli_nearest:
 * @word: what was typed
 * @words: (array zero-terminated=1): what could have been meant
 *
 * Returns: (transfer none) (nullable): the nearest one, %NULL if none is near
 */
const char *
ts_cli_nearest (const char *word,
                const char * const *words)
{
  const char *best = NULL;
  guint limit = (guint) MIN (strlen (word), 64) / 2 + 1;

  for (gsize i = 0; words[i] != NULL && strlen (word) < 64; i++)
    {
      guint distance = edit_distance (word, words[i]);

      if (distance < limit)
        {
          limit = distance;
          best = words[i];
        }
    }
  return best;
}

static gboolean
unknown_verb (const char *word,
              GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const TsCliVerb *verbs;
  const char *nearest;
  guint n_verbs;

  verbs = ts_cli_list_verbs (&n_verbs);
  for (guint i = 0; i < n_verbs; i++)
    g_ptr_array_add (names, (gpointer) verbs[i].name);
  g_ptr_array_add (names, NULL);
  nearest = ts_cli_nearest (word, (const char * const *) names->pdata);
  if (nearest != NULL)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no verb “%s”; did you mean “%s”?"), word, nearest);
  else
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no verb “%s”; see taskscope-cli help."), word);
  return FALSE;
}

static gboolean
unknown_flag (TsCliArgs *self,
              const char *name,
              GError **error)
{
  g_auto (GStrv) names = ts_cli_flag_list_for (self->verb);
  const char *nearest = ts_cli_nearest (name, (const char * const *) names);

  if (nearest != NULL)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("“%s” has no flag --%s; did you mean --%s?"), self->verb, name, nearest);
  else
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("“%s” has no flag --%s; see taskscope-cli help."), self->verb, name);
  return FALSE;
}

static gboolean
is_truth_value (const char *word)
{
  return word != NULL && (g_str_equal (word, "true") || g_str_equal (word, "false"));
}

/* One flag with its value, from `--name=value`, `--name value` or `--name`; @index moves on when
 * the next word was its value. */
static gboolean
read_flag (TsCliArgs *self,
           int argc,
           char **argv,
           int *index,
           GError **error)
{
  const char *word = argv[*index] + 2;
  const char *equals = strchr (word, '=');
  const char *next = *index + 1 < argc ? argv[*index + 1] : NULL;
  TsCliFlag flag = { 0 };

  flag.name = equals != NULL ? g_strndup (word, (gsize) (equals - word)) : g_strdup (word);
  flag.value = equals != NULL ? g_strdup (equals + 1) : NULL;
  g_array_append_val (self->flags, flag);

  switch (ts_cli_flag_get_kind (flag.name))
    {
    case TS_CLI_FLAG_VALUE:
      if (equals != NULL)
        break;
      if (next == NULL || g_str_has_prefix (next, "--"))
        {
          g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                       _("The flag --%s needs a value."), flag.name);
          return FALSE;
        }
      g_array_index (self->flags, TsCliFlag, self->flags->len - 1).value = g_strdup (next);
      (*index)++;
      break;

    case TS_CLI_FLAG_SWITCH:
      if (equals == NULL && is_truth_value (next) && ts_connection_find_key (flag.name) != NULL)
        {
          g_array_index (self->flags, TsCliFlag, self->flags->len - 1).value = g_strdup (next);
          (*index)++;
        }
      break;

    case TS_CLI_FLAG_UNKNOWN:
    default:
      break;
    }
  return TRUE;
}

/* A flag that says two things at once says nothing; only the tool that `ctrace` stands for takes the
 * last one. The search of chip traces went with them: it is told as what it was. */
static gboolean
check_flags (TsCliArgs *self,
             GError **error)
{
  for (guint i = 0; i < self->flags->len; i++)
    {
      const TsCliFlag *flag = &g_array_index (self->flags, TsCliFlag, i);
      const char *other = ts_cli_args_get (self, flag->name);

      if (g_str_equal (flag->name, "onchip-scan"))
        {
          g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                               _("--onchip-scan looked for instruction trace (ETM), which this "
                                 "program does not have; the chips it knows are listed by "
                                 "taskscope-cli targets."));
          return FALSE;
        }
      if (g_strcmp0 (flag->value, other) != 0 && g_strcmp0 (self->verb, "ctrace") != 0)
        {
          g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                       _("The flag --%s is given twice, as “%s” and as “%s”; give it once."),
                       flag->name, flag->value != NULL ? flag->value : "true",
                       other != NULL ? other : "true");
          return FALSE;
        }
    }
  return TRUE;
}

/* The verb that the flags stand for. Source: viewalyzer-host.md section 3.2 */
static const char *
verb_of_flags (TsCliArgs *self)
{
  for (guint i = 0; i < self->flags->len; i++)
    {
      const TsCliFlag *flag = &g_array_index (self->flags, TsCliFlag, i);
      const char *verb = ts_cli_flag_get_verb (flag->name);

      if (verb == NULL)
        continue;
      if (g_str_equal (flag->name, "query"))
        g_ptr_array_insert (self->positional, 0, g_strdup (flag->value));
      return verb;
    }
  for (guint i = 0; i < self->flags->len; i++)
    if (!g_str_equal (g_array_index (self->flags, TsCliFlag, i).name, "pretty"))
      return "capture";
  return NULL;
}

/* The short flags of ctrace. Source: ctrace.md section 1 */
static char *
spell_out (char *word)
{
  static const struct
  {
    const char *letter;
    const char *flag;
  } letters[] = { { "-t", "--target" }, { "-a", "--all" }, { "-v", "--verbose" } };

  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    if (g_str_equal (word, letters[i].letter))
      return (char *) letters[i].flag;
  return word;
}

/**
 * ts_cli_args_parse:
 * @self: empty arguments
 * @argc: number of arguments
 * @argv: arguments, the program's name first
 * @error: return location
 *
 * Reads verb, flags and the rest. The first word without dashes is the verb and wins over flags
 * that stand for a verb; without one the flags decide, and flags alone are a capture. @self is
 * usable after a failure too, as far as it was read.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS naming the nearest verb or flag
 * Source: viewalyzer-host.md section 3.1
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_args_parse (TsCliArgs *self,
                   int argc,
                   char **argv,
                   GError **error)
{
  const TsCliVerb *verb;
  const char *selected;
  g_autoptr (GError) flag_error = NULL;

  for (int i = 1; i < argc; i++)
    {
      if (g_str_equal (argv[i], "-h"))
        argv[i] = (char *) "--help";
      if (g_strcmp0 (self->verb, "ctrace") == 0)
        argv[i] = spell_out (argv[i]);
      if (g_str_has_prefix (argv[i], "--") && argv[i][2] != '\0')
        {
          if (!read_flag (self, argc, argv, &i, flag_error == NULL ? &flag_error : NULL))
            continue;
        }
      else if (self->verb == NULL)
        self->verb = g_strdup (argv[i]);
      else if (!g_str_equal (argv[i], "--"))
        g_ptr_array_add (self->positional, g_strdup (argv[i]));
    }
  self->is_pretty = ts_cli_args_has (self, "pretty");
  if (self->verb == NULL || ts_cli_args_has (self, "help"))
    {
      selected = ts_cli_args_has (self, "help") ? "help" : verb_of_flags (self);
      g_free (self->verb);
      self->verb = g_strdup (selected);
    }
  if (!check_flags (self, error))
    return FALSE;
  if (self->verb == NULL)
    return TRUE;
  verb = ts_cli_find_verb (self->verb);
  if (verb == NULL)
    return unknown_verb (self->verb, error);
  if (flag_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&flag_error));
      return FALSE;
    }
  if (verb->run == NULL || verb->run == ts_cli_help)
    return TRUE;
  for (guint i = 0; i < self->flags->len; i++)
    {
      const char *name = g_array_index (self->flags, TsCliFlag, i).name;

      if (!ts_cli_flag_is_for (name, self->verb))
        return unknown_flag (self, name, error);
    }
  if (self->positional->len > verb->n_words)
    {
      g_set_error (
          error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
          _("“%s” does not take the word “%s”; values belong to flags, as in --output FILE."),
          self->verb, ts_cli_args_get_positional (self, verb->n_words));
      return FALSE;
    }
  return TRUE;
}

/**
 * ts_cli_args_get:
 * @self: arguments
 * @name: a flag
 *
 * Returns: (transfer none) (nullable): its value, the last one if it was given several times
 */
const char *
ts_cli_args_get (TsCliArgs *self,
                 const char *name)
{
  for (guint i = self->flags->len; i > 0; i--)
    if (g_str_equal (g_array_index (self->flags, TsCliFlag, i - 1).name, name))
      return g_array_index (self->flags, TsCliFlag, i - 1).value;
  return NULL;
}

/**
 * ts_cli_args_has:
 * @self: arguments
 * @name: a flag
 *
 * Returns: whether it was given
 */
gboolean
ts_cli_args_has (TsCliArgs *self,
                 const char *name)
{
  for (guint i = 0; i < self->flags->len; i++)
    if (g_str_equal (g_array_index (self->flags, TsCliFlag, i).name, name))
      return TRUE;
  return FALSE;
}

/**
 * ts_cli_args_get_positional:
 * @self: arguments
 * @index: 0 for the first word after the verb
 *
 * Returns: (transfer none) (nullable): that word
 */
const char *
ts_cli_args_get_positional (TsCliArgs *self,
                            guint index)
{
  return index < self->positional->len ? g_ptr_array_index (self->positional, index) : NULL;
}

/**
 * ts_cli_args_dup_list:
 * @self: arguments
 * @name: a flag whose value is a list with commas
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): its elements without empty ones,
 * %NULL if it was not given
 */
char **
ts_cli_args_dup_list (TsCliArgs *self,
                      const char *name)
{
  const char *value = ts_cli_args_get (self, name);
  g_auto (GStrv) parts = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (value == NULL)
    return NULL;
  parts = g_strsplit (value, ",", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0')
      g_strv_builder_add (builder, parts[i]);
  return g_strv_builder_end (builder);
}

/**
 * ts_cli_args_get_int:
 * @self: arguments
 * @name: a flag
 * @minimum: smallest value allowed
 * @maximum: largest value allowed
 * @fallback: value when the flag is not given
 * @value: (out): its value
 * @error: return location
 *
 * Reads a whole number, decimal or with 0x.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_args_get_int (TsCliArgs *self,
                     const char *name,
                     gint64 minimum,
                     gint64 maximum,
                     gint64 fallback,
                     gint64 *value,
                     GError **error)
{
  const char *text = ts_cli_args_get (self, name);
  gboolean is_hex;
  char *end;

  *value = fallback;
  if (text == NULL)
    return TRUE;
  is_hex = g_ascii_strncasecmp (text, "0x", 2) == 0;
  errno = 0;
  *value = g_ascii_strtoll (text, &end, is_hex ? 16 : 10);
  if (*text == '\0' || *end != '\0' || errno != 0 || *value < minimum || *value > maximum)
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--%s must be a whole number from %" PRId64 " to %" PRId64
                      ", not “%s”."),
                   name, minimum, maximum, text);
      return FALSE;
    }
  return TRUE;
}

/**
 * ts_cli_args_get_duration_ms:
 * @self: arguments
 * @name: a flag
 * @value_ms: (out): milliseconds, 0 if the flag is not given
 * @error: return location
 *
 * Reads seconds, with or without a fraction.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_args_get_duration_ms (TsCliArgs *self,
                             const char *name,
                             gint64 *value_ms,
                             GError **error)
{
  const char *text = ts_cli_args_get (self, name);
  double seconds;
  char *end;

  *value_ms = 0;
  if (text == NULL)
    return TRUE;
  seconds = g_ascii_strtod (text, &end);
  if (*text == '\0' || *end != '\0' || !(seconds > 0) || !(seconds <= 31536000))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--%s must be a number of seconds above 0, such as 5 or 0.5, not “%s”."),
                   name, text);
      return FALSE;
    }
  *value_ms = MAX ((gint64) (seconds * 1000 + 0.5), 1);
  return TRUE;
}
