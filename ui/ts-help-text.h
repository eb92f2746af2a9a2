/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-help-text.h: the pages of the manual (data/help, a small part of Markdown) taken apart: blocks,
 * and text with marks as Pango markup. No widgets.
 *
 * What is understood: headings (# to ###), paragraphs, lists (-, 1.), tables (|), code (```),
 * pictures on a line of their own, comments; in the text **strong**, *emphasis*, `code`,
 * [links](page.md) and <https://addresses>.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TsHelpBlockKind:
 * @TS_HELP_HEADING: @level is 1 to 3
 * @TS_HELP_PARAGRAPH: text
 * @TS_HELP_ITEM: of a list; @level is its number, 0 for a bullet
 * @TS_HELP_CODE: lines as they are
 * @TS_HELP_PICTURE: @target is the file, @text what it shows
 * @TS_HELP_TABLE: @cells, @n_columns a row; the first row is the head
 */
typedef enum
{
  TS_HELP_HEADING,
  TS_HELP_PARAGRAPH,
  TS_HELP_ITEM,
  TS_HELP_CODE,
  TS_HELP_PICTURE,
  TS_HELP_TABLE,
} TsHelpBlockKind;

/**
 * TsHelpBlock:
 * @kind: what it is
 * @level: see #TsHelpBlockKind
 * @text: the source text, lines joined (code: as they are)
 * @target: (nullable): file of a picture
 * @cells: (nullable): cells of a table, row by row
 * @n_columns: of a table
 */
typedef struct
{
  TsHelpBlockKind kind;
  guint level;
  char *text;
  char *target;
  GPtrArray *cells;
  guint n_columns;
} TsHelpBlock;

GPtrArray *ts_help_text_parse (const char *text);
void ts_help_block_free (TsHelpBlock *self);
char *ts_help_text_to_markup (const char *text);
char *ts_help_text_dup_title (const char *text);

G_END_DECLS
