/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-fact-list.h"
#include "ui/ts-tip.h"

#define MAX_ROWS 20
/* Names longer than this take two lines. */
#define MAX_NAME_CHARS 16
/* A value longer than this many characters may not fit, and is in the tooltip, too. */
#define LONG_VALUE 20

struct _TsFactList
{
  GtkBox parent_instance;

  GtkGrid *grid;
  GtkWidget *names[MAX_ROWS];
  GtkWidget *values[MAX_ROWS];
  guint n_rows;
};

enum
{
  SIGNAL_GO_TO,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsFactList, ts_fact_list, GTK_TYPE_BOX)

/* A place in the recording is written as begin and end in the link. */
static gboolean
on_link (GtkLabel *label,
         const char *uri,
         TsFactList *self)
{
  char *rest;
  gint64 begin = g_ascii_strtoll (uri, &rest, 10);
  gint64 end = *rest == ':' ? g_ascii_strtoll (rest + 1, NULL, 10) : begin;

  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, begin, end);
  return TRUE;
}

static void
make_row (TsFactList *self,
          guint i)
{
  GtkWidget *name = gtk_label_new (NULL);
  GtkWidget *value = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  /* a long name leaves the values of the others their room */
  gtk_label_set_wrap (GTK_LABEL (name), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (name), MAX_NAME_CHARS);
  gtk_widget_add_css_class (name, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  /* a time after hours, a long name: the whole of it, not its beginning */
  gtk_label_set_wrap (GTK_LABEL (value), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (value), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (value), 4);
  gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
  gtk_label_set_justify (GTK_LABEL (value), GTK_JUSTIFY_RIGHT);
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_set_hexpand (value, TRUE);
  gtk_grid_attach (self->grid, name, 0, (int) i, 1, 1);
  gtk_grid_attach (self->grid, value, 1, (int) i, 1, 1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name,
                                  NULL, -1);
  g_signal_connect (value, "activate-link", G_CALLBACK (on_link), self);
  self->names[i] = name;
  self->values[i] = value;
}

static void
ts_fact_list_class_init (TsFactListClass *klass)
{
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "factlist");
}

static void
ts_fact_list_init (TsFactList *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_row_spacing (self->grid, 5);
  gtk_grid_set_column_spacing (self->grid, 12);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->grid));
}

/**
 * ts_fact_list_new:
 * @title: (nullable): heading
 *
 * Thread: main
 *
 * Returns: (transfer floating): a list without rows
 */
GtkWidget *
ts_fact_list_new (const char *title)
{
  TsFactList *self = g_object_new (TS_TYPE_FACT_LIST, NULL);
  GtkWidget *label;

  if (title != NULL)
    {
      label = gtk_label_new (title);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_widget_add_css_class (label, "heading");
      gtk_box_prepend (GTK_BOX (self), label);
    }
  return GTK_WIDGET (self);
}

/**
 * ts_fact_list_begin:
 * @self: a list
 *
 * The rows are written from the first one on.
 *
 * Thread: main
 */
void
ts_fact_list_begin (TsFactList *self)
{
  g_return_if_fail (TS_IS_FACT_LIST (self));
  self->n_rows = 0;
}

/**
 * ts_fact_list_add:
 * @self: a list
 * @name: what it is
 * @value: (transfer full) (nullable): the value; %NULL or empty makes no row
 *
 * Thread: main
 */
void
ts_fact_list_add (TsFactList *self,
                  const char *name,
                  char *value)
{
  ts_fact_list_add_link (self, name, value, -1, -1);
}

/**
 * ts_fact_list_add_link:
 * @self: a list
 * @name: what it is
 * @value: (transfer full) (nullable): the value; %NULL or empty makes no row
 * @begin: first tick of the place it leads to, negative for none
 * @end: tick after the last
 *
 * Thread: main
 */
void
ts_fact_list_add_link (TsFactList *self,
                       const char *name,
                       char *value,
                       gint64 begin,
                       gint64 end)
{
  g_autofree char *owned = value;
  g_autofree char *markup = NULL;
  guint i;

  g_return_if_fail (TS_IS_FACT_LIST (self));
  i = self->n_rows;
  if (value == NULL || *value == '\0' || i >= MAX_ROWS)
    return;
  if (begin >= 0)
    markup = g_markup_printf_escaped ("<a href=\"%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT
                                      "\" title=\"%s\">%s\xe2\x80\x89↗</a>",
                                      begin, end, _ ("Go there"), value);
  else
    markup = g_markup_escape_text (value, -1);
  if (self->names[i] == NULL)
    make_row (self, i);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (self->names[i])), name) != 0)
    gtk_label_set_text (GTK_LABEL (self->names[i]), name);
  if (g_strcmp0 (gtk_label_get_label (GTK_LABEL (self->values[i])), markup) != 0)
    {
      gtk_label_set_markup (GTK_LABEL (self->values[i]), markup);
      ts_tip_set (self->values[i], g_utf8_strlen (value, -1) > LONG_VALUE ? value : NULL);
    }
  gtk_widget_set_visible (self->names[i], TRUE);
  gtk_widget_set_visible (self->values[i], TRUE);
  self->n_rows++;
}

/**
 * ts_fact_list_end:
 * @self: a list
 *
 * Takes away what is left from before; a list without rows is not shown at all.
 *
 * Thread: main
 */
void
ts_fact_list_end (TsFactList *self)
{
  guint i;

  g_return_if_fail (TS_IS_FACT_LIST (self));
  for (i = self->n_rows; i < MAX_ROWS && self->names[i] != NULL; i++)
    {
      gtk_widget_set_visible (self->names[i], FALSE);
      gtk_widget_set_visible (self->values[i], FALSE);
    }
  gtk_widget_set_visible (GTK_WIDGET (self), self->n_rows > 0);
}

/**
 * ts_fact_list_get_n_rows:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: how many rows were added since begin
 */
guint
ts_fact_list_get_n_rows (TsFactList *self)
{
  g_return_val_if_fail (TS_IS_FACT_LIST (self), 0);
  return self->n_rows;
}
