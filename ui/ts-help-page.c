/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include "ui/ts-help-page.h"
#include "ui/ts-help-text.h"

struct _TsHelpPage
{
  GtkWidget parent_instance;
  GtkWidget *box;
};

G_DEFINE_FINAL_TYPE (TsHelpPage, ts_help_page, GTK_TYPE_WIDGET)

enum
{
  LINK,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static gboolean
on_link (GtkLabel *label,
         const char *uri,
         TsHelpPage *self)
{
  gboolean is_handled = FALSE;

  g_signal_emit (self, signals[LINK], 0, uri, &is_handled);
  return is_handled;
}

static GtkWidget *
new_label (TsHelpPage *self,
           const char *text,
           GtkAccessibleRole role)
{
  g_autofree char *markup = ts_help_text_to_markup (text);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "accessible-role", role, NULL);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_WORD);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  g_signal_connect_object (label, "activate-link", G_CALLBACK (on_link), self, 0);
  return label;
}

static void
add_heading (TsHelpPage *self,
             const TsHelpBlock *block)
{
  static const char * const classes[] = { "title-1", "title-3", "heading" };
  GtkWidget *label = new_label (self, block->text, GTK_ACCESSIBLE_ROLE_HEADING);

  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_LEVEL,
                                  (int) block->level, -1);
  gtk_widget_add_css_class (label, classes[CLAMP (block->level, 1, 3) - 1]);
  gtk_widget_set_margin_top (label, block->level == 1 ? 0 : 12);
  gtk_box_append (GTK_BOX (self->box), label);
}

static void
add_item (TsHelpPage *self,
          const TsHelpBlock *block)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  g_autofree char *number = block->level > 0 ? g_strdup_printf ("%u.", block->level)
                                             : g_strdup ("•");
  GtkWidget *mark = gtk_label_new (number);
  GtkWidget *label = new_label (self, block->text, GTK_ACCESSIBLE_ROLE_LABEL);

  gtk_label_set_xalign (GTK_LABEL (mark), 1);
  gtk_label_set_yalign (GTK_LABEL (mark), 0);
  gtk_label_set_width_chars (GTK_LABEL (mark), 2);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (row), mark);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (self->box), row);
}

static void
add_code (TsHelpPage *self,
          const TsHelpBlock *block)
{
  GtkWidget *label = gtk_label_new (block->text);

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "monospace");
  gtk_widget_add_css_class (label, "help-code");
  /* time, code and addresses run from left to right everywhere */
  gtk_widget_set_direction (label, GTK_TEXT_DIR_LTR);
  gtk_box_append (GTK_BOX (self->box), label);
}

static void
add_picture (TsHelpPage *self,
             const TsHelpBlock *block,
             const char *picture_path)
{
  /* pages in other languages lie one folder deeper than the pictures */
  g_autofree char *name = g_path_get_basename (block->target);
  g_autofree char *path = g_strconcat (picture_path, "/", name, NULL);
  GtkWidget *picture;

  if (!g_resources_get_info (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL))
    return;
  picture = gtk_picture_new_for_resource (path);
  gtk_picture_set_content_fit (GTK_PICTURE (picture), GTK_CONTENT_FIT_SCALE_DOWN);
  gtk_picture_set_alternative_text (GTK_PICTURE (picture), block->text);
  gtk_widget_add_css_class (picture, "help-picture");
  gtk_box_append (GTK_BOX (self->box), picture);
}

/* Columns get room by their longest words and texts; the last one takes what is left. */
static void
add_table (TsHelpPage *self,
           const TsHelpBlock *block)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_widget_add_css_class (grid, "help-table");
  for (guint i = 0; i < block->cells->len; i++)
    {
      guint column = i % block->n_columns;
      guint row = i / block->n_columns;
      GtkWidget *label = new_label (self, g_ptr_array_index (block->cells, i),
                                    row == 0 ? GTK_ACCESSIBLE_ROLE_COLUMN_HEADER
                                             : GTK_ACCESSIBLE_ROLE_CELL);

      if (row == 0)
        gtk_widget_add_css_class (label, "heading");
      if (column + 1 == block->n_columns)
        gtk_widget_set_hexpand (label, TRUE);
      gtk_label_set_max_width_chars (GTK_LABEL (label), column == 0 ? 28 : 44);
      gtk_grid_attach (GTK_GRID (grid), label, (int) column, (int) row, 1, 1);
    }
  gtk_box_append (GTK_BOX (self->box), grid);
}

/* How the first letters of a page's text are written. */
static GtkTextDirection
find_direction (GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    {
      const TsHelpBlock *block = g_ptr_array_index (blocks, i);
      const char *p = block->kind == TS_HELP_PARAGRAPH ? block->text : "";

      for (; *p != '\0'; p = g_utf8_next_char (p))
        {
          gunichar c = g_utf8_get_char (p);
          GUnicodeScript script = g_unichar_get_script (c);

          if (script == G_UNICODE_SCRIPT_ARABIC || script == G_UNICODE_SCRIPT_HEBREW)
            return GTK_TEXT_DIR_RTL;
          if (g_unichar_isalpha (c))
            return GTK_TEXT_DIR_LTR;
        }
    }
  return GTK_TEXT_DIR_LTR;
}

/* A page in another language than the program's is written its own way. */
static void
set_direction (GtkWidget *widget,
               GtkTextDirection direction)
{
  GtkWidget *child;

  if (!gtk_widget_has_css_class (widget, "help-code"))
    gtk_widget_set_direction (widget, direction);
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    set_direction (child, direction);
}

static void
ts_help_page_dispose (GObject *object)
{
  TsHelpPage *self = TS_HELP_PAGE (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (ts_help_page_parent_class)->dispose (object);
}

static void
ts_help_page_class_init (TsHelpPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ts_help_page_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "helppage");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_DOCUMENT);

  /**
   * TsHelpPage::link:
   * @self: the page
   * @target: what the link names: a page, or an address
   *
   * A link was activated.
   *
   * Returns: whether it was followed; else the desktop opens it
   */
  signals[LINK] = g_signal_new ("link", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 1,
                                G_TYPE_STRING);
}

static void
ts_help_page_init (TsHelpPage *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

/**
 * ts_help_page_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
ts_help_page_new (void)
{
  return g_object_new (TS_TYPE_HELP_PAGE, NULL);
}

/**
 * ts_help_page_set_text:
 * @self: a page
 * @text: what it says, see ts-help-text.h
 * @picture_path: folder of its pictures in the resources
 *
 * Thread: main
 */
void
ts_help_page_set_text (TsHelpPage *self,
                       const char *text,
                       const char *picture_path)
{
  g_autoptr (GPtrArray) blocks = NULL;
  GtkWidget *child;

  g_return_if_fail (TS_IS_HELP_PAGE (self));
  g_return_if_fail (text != NULL && picture_path != NULL);

  while ((child = gtk_widget_get_first_child (self->box)) != NULL)
    gtk_box_remove (GTK_BOX (self->box), child);
  blocks = ts_help_text_parse (text);
  for (guint i = 0; i < blocks->len; i++)
    {
      const TsHelpBlock *block = g_ptr_array_index (blocks, i);

      switch (block->kind)
        {
        case TS_HELP_HEADING:
          add_heading (self, block);
          break;
        case TS_HELP_ITEM:
          add_item (self, block);
          break;
        case TS_HELP_CODE:
          add_code (self, block);
          break;
        case TS_HELP_PICTURE:
          add_picture (self, block, picture_path);
          break;
        case TS_HELP_TABLE:
          add_table (self, block);
          break;
        case TS_HELP_PARAGRAPH:
        default:
          gtk_box_append (GTK_BOX (self->box),
                          new_label (self, block->text, GTK_ACCESSIBLE_ROLE_LABEL));
          break;
        }
    }
  set_direction (GTK_WIDGET (self), find_direction (blocks));
}
