/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include "ui/ts-help-text.h"

/**
 * ts_help_block_free:
 * @self: (transfer full) (nullable): a block
 *
 * Thread: any
 */
void
ts_help_block_free (TsHelpBlock *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_free (self->target);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  g_free (self);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The block that is being read, and those that are done. */
typedef struct
{
  GPtrArray *blocks;
  TsHelpBlock *open;
  GString *text;
  gboolean is_code;
} Reader;

static void
finish (Reader *self)
{
  if (self->open == NULL)
    return;
  self->open->text = g_strdup (self->text->str);
  g_ptr_array_add (self->blocks, g_steal_pointer (&self->open));
  g_string_truncate (self->text, 0);
}

static TsHelpBlock *
begin (Reader *self,
       TsHelpBlockKind kind,
       guint level)
{
  finish (self);
  self->open = g_new0 (TsHelpBlock, 1);
  self->open->kind = kind;
  self->open->level = level;
  return self->open;
}

static void
append (Reader *self,
        const char *text,
        const char *separator)
{
  if (self->text->len > 0)
    g_string_append (self->text, separator);
  g_string_append (self->text, text);
}

/* "| a | b |": cells without the spaces around them. A row of dashes ends the head. */
static void
read_row (Reader *self,
          const char *line)
{
  g_autofree char *inner = g_strdup (line + 1);
  g_auto (GStrv) cells = NULL;
  gsize length;
  guint n;

  g_strchomp (inner);
  length = strlen (inner);
  if (length > 0 && inner[length - 1] == '|')
    inner[length - 1] = '\0';
  if (strspn (inner, "-:| ") == strlen (inner))
    return;
  cells = g_strsplit (inner, "|", -1);
  n = g_strv_length (cells);
  if (self->open == NULL || self->open->kind != TS_HELP_TABLE)
    {
      begin (self, TS_HELP_TABLE, 0);
      self->open->cells = g_ptr_array_new_with_free_func (g_free);
      self->open->n_columns = MAX (n, 1);
    }
  for (guint i = 0; i < self->open->n_columns; i++)
    g_ptr_array_add (self->open->cells, g_strdup (i < n ? g_strstrip (cells[i]) : ""));
}

/* "![what it shows](file.png)" */
static gboolean
read_picture (Reader *self,
              const char *line)
{
  const char *middle = strstr (line, "](");
  const char *end = middle != NULL ? strchr (middle, ')') : NULL;
  TsHelpBlock *block;

  if (!g_str_has_prefix (line, "![") || end == NULL || end[1] != '\0')
    return FALSE;
  block = begin (self, TS_HELP_PICTURE, 0);
  block->target = g_strndup (middle + 2, (gsize) (end - middle - 2));
  g_string_append_len (self->text, line + 2, middle - line - 2);
  finish (self);
  return TRUE;
}

/* "- text" and "1. text" */
static gboolean
read_item (Reader *self,
           const char *line)
{
  guint64 number = 0;
  const char *text = line;

  if (g_str_has_prefix (line, "- "))
    {
      text = line + 2;
    }
  else
    {
      gsize n_digits = strspn (line, "0123456789");

      if (n_digits == 0 || n_digits > 3 || !g_str_has_prefix (line + n_digits, ". "))
        return FALSE;
      number = g_ascii_strtoull (line, NULL, 10);
      text = line + n_digits + 2;
    }
  begin (self, TS_HELP_ITEM, (guint) number);
  g_string_append (self->text, text);
  return TRUE;
}

static void
read_line (Reader *self,
           char *line)
{
  gsize n_marks;

  if (g_str_has_prefix (line, "```"))
    {
      if (self->is_code)
        finish (self);
      else
        begin (self, TS_HELP_CODE, 0);
      self->is_code = !self->is_code;
      return;
    }
  if (self->is_code)
    {
      append (self, line, "\n");
      return;
    }
  g_strstrip (line);
  n_marks = strspn (line, "#");
  if (*line == '\0' || g_str_has_prefix (line, "<!--"))
    {
      finish (self);
    }
  else if (n_marks > 0 && n_marks <= 3 && line[n_marks] == ' ')
    {
      begin (self, TS_HELP_HEADING, (guint) n_marks);
      g_string_append (self->text, line + n_marks + 1);
      finish (self);
    }
  else if (*line == '|')
    {
      read_row (self, line);
    }
  else if (!read_picture (self, line) && !read_item (self, line))
    {
      if (self->open == NULL || self->open->kind == TS_HELP_TABLE)
        begin (self, TS_HELP_PARAGRAPH, 0);
      append (self, line, " ");
    }
}

/**
 * ts_help_text_parse:
 * @text: a page
 *
 * Thread: any
 *
 * Returns: (transfer full) (element-type TsHelpBlock): its blocks, from the top
 */
GPtrArray *
ts_help_text_parse (const char *text)
{
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) buffer = g_string_new (NULL);
  Reader reader = { NULL, NULL, buffer, FALSE };

  g_return_val_if_fail (text != NULL, NULL);
  reader.blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_help_block_free);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    read_line (&reader, lines[i]);
  finish (&reader);
  return reader.blocks;
}

/**
 * ts_help_text_dup_title:
 * @text: a page
 *
 * Thread: any
 *
 * Returns: (transfer full): its first heading, "" if it has none
 */
char *
ts_help_text_dup_title (const char *text)
{
  g_autoptr (GPtrArray) blocks = ts_help_text_parse (text);

  for (guint i = 0; blocks != NULL && i < blocks->len; i++)
    {
      TsHelpBlock *block = g_ptr_array_index (blocks, i);

      if (block->kind == TS_HELP_HEADING)
        return g_steal_pointer (&block->text);
    }
  return g_strdup ("");
}

/* --- marks ------------------------------------------------------------------------------------ */

static void
append_escaped (GString *out,
                const char *text,
                gssize length)
{
  g_autofree char *escaped = g_markup_escape_text (text, length);

  g_string_append (out, escaped);
}

/* What stands between @open and the next @close, without them. %NULL: there is no such. */
static const char *
find_end (const char *text,
          const char *open,
          const char *close)
{
  if (!g_str_has_prefix (text, open))
    return NULL;
  text = strstr (text + strlen (open), close);
  return text;
}

/* A mark at @text becomes markup. Returns: what follows it, %NULL if there is no mark. */
static const char *
read_mark (GString *out,
           const char *text)
{
  const char *end;
  const char *middle;

  if ((end = find_end (text, "`", "`")) != NULL)
    {
      g_string_append (out, "<tt>");
      append_escaped (out, text + 1, end - text - 1);
      g_string_append (out, "</tt>");
      return end + 1;
    }
  if ((end = find_end (text, "**", "**")) != NULL)
    {
      g_autofree char *inner = g_strndup (text + 2, (gsize) (end - text - 2));
      g_autofree char *markup = ts_help_text_to_markup (inner);

      g_string_append_printf (out, "<b>%s</b>", markup);
      return end + 2;
    }
  if (text[0] == '*' && text[1] != ' ' && (end = find_end (text, "*", "*")) != NULL)
    {
      g_string_append (out, "<i>");
      append_escaped (out, text + 1, end - text - 1);
      g_string_append (out, "</i>");
      return end + 1;
    }
  if (g_str_has_prefix (text, "<http") && (end = strchr (text, '>')) != NULL)
    {
      g_string_append (out, "<a href=\"");
      append_escaped (out, text + 1, end - text - 1);
      g_string_append (out, "\">");
      append_escaped (out, text + 1, end - text - 1);
      g_string_append (out, "</a>");
      return end + 1;
    }
  middle = *text == '[' ? strstr (text, "](") : NULL;
  end = middle != NULL ? strchr (middle, ')') : NULL;
  if (end == NULL)
    return NULL;
  g_string_append (out, "<a href=\"");
  append_escaped (out, middle + 2, end - middle - 2);
  g_string_append (out, "\">");
  append_escaped (out, text + 1, middle - text - 1);
  g_string_append (out, "</a>");
  return end + 1;
}

/**
 * ts_help_text_to_markup:
 * @text: text of a block
 *
 * Thread: any
 *
 * Returns: (transfer full): the same as Pango markup
 */
char *
ts_help_text_to_markup (const char *text)
{
  GString *out = g_string_new (NULL);
  const char *plain = text;

  g_return_val_if_fail (text != NULL, NULL);
  while (*text != '\0')
    {
      gsize mark = out->len;
      const char *after;

      if (strchr ("`*[<", *text) == NULL)
        {
          text++;
          continue;
        }
      append_escaped (out, plain, text - plain);
      mark = out->len;
      after = read_mark (out, text);
      if (after == NULL)
        {
          g_string_truncate (out, mark);
          append_escaped (out, text, 1);
          after = text + 1;
        }
      text = plain = after;
    }
  append_escaped (out, plain, text - plain);
  return g_string_free (out, FALSE);
}
