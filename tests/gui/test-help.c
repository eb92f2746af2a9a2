/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/ts-help-page.h"
#include "ui/ts-help-text.h"
#include "ui/ts-help-window.h"
#include "ui/ts-hint-bar.h"
#include "ui/ts-settings.h"
#include "ui/ts-udev-window.h"

#include "window-fixture.h"

#define HELP_PATH "/io/github/taskscope/Taskscope/help"

static const TsHelpBlock *
get_block (GPtrArray *blocks,
           guint i)
{
  g_assert_cmpuint (i, <, blocks->len);
  return g_ptr_array_index (blocks, i);
}

static void
test_blocks (void)
{
  g_autoptr (GPtrArray) blocks = ts_help_text_parse ("<!-- a comment -->\n"
                                                     "# Title\n"
                                                     "one\n"
                                                     "two\n"
                                                     "\n"
                                                     "- item\n"
                                                     "  goes on\n"
                                                     "2. second\n"
                                                     "\n"
                                                     "| a | b |\n"
                                                     "|---|---|\n"
                                                     "| c | `d` |\n"
                                                     "```\n"
                                                     "# no title\n"
                                                     "\n"
                                                     "  code\n"
                                                     "```\n"
                                                     "![what it shows](file.png)\n"
                                                     "### deep\n"
                                                     "end");
  const TsHelpBlock *block;

  g_assert_cmpuint (blocks->len, ==, 9);
  block = get_block (blocks, 0);
  g_assert_cmpint (block->kind, ==, TS_HELP_HEADING);
  g_assert_cmpuint (block->level, ==, 1);
  g_assert_cmpstr (block->text, ==, "Title");
  block = get_block (blocks, 1);
  g_assert_cmpint (block->kind, ==, TS_HELP_PARAGRAPH);
  g_assert_cmpstr (block->text, ==, "one two");
  block = get_block (blocks, 2);
  g_assert_cmpint (block->kind, ==, TS_HELP_ITEM);
  g_assert_cmpuint (block->level, ==, 0);
  g_assert_cmpstr (block->text, ==, "item goes on");
  block = get_block (blocks, 3);
  g_assert_cmpuint (block->level, ==, 2);
  block = get_block (blocks, 4);
  g_assert_cmpint (block->kind, ==, TS_HELP_TABLE);
  g_assert_cmpuint (block->n_columns, ==, 2);
  g_assert_cmpuint (block->cells->len, ==, 4);
  g_assert_cmpstr (g_ptr_array_index (block->cells, 3), ==, "`d`");
  block = get_block (blocks, 5);
  g_assert_cmpint (block->kind, ==, TS_HELP_CODE);
  g_assert_cmpstr (block->text, ==, "# no title\n\n  code");
  block = get_block (blocks, 6);
  g_assert_cmpint (block->kind, ==, TS_HELP_PICTURE);
  g_assert_cmpstr (block->target, ==, "file.png");
  g_assert_cmpstr (block->text, ==, "what it shows");
  g_assert_cmpuint (get_block (blocks, 7)->level, ==, 3);
  g_assert_cmpstr (get_block (blocks, 8)->text, ==, "end");
}

static void
test_marks (void)
{
  static const struct
  {
    const char *text;
    const char *markup;
  } cases[] = {
    { "plain", "plain" },
    { "a < b & c", "a &lt; b &amp; c" },
    { "`x < 1`", "<tt>x &lt; 1</tt>" },
    { "**strong** and *emphasis*", "<b>strong</b> and <i>emphasis</i>" },
    { "[page](lanes.md).", "<a href=\"lanes.md\">page</a>." },
    { "<https://a.b/c>", "<a href=\"https://a.b/c\">https://a.b/c</a>" },
    { "3 * 4 * 5", "3 * 4 * 5" },
    { "[no link", "[no link" },
    { "a ` b", "a ` b" },
    { "µ — ü", "µ — ü" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *markup = ts_help_text_to_markup (cases[i].text);

      g_assert_cmpstr (markup, ==, cases[i].markup);
    }
}

static char *
load (const char *path)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gsize size;
  gconstpointer data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data, size);
}

/* Every page is there, in good markup; its links lead to pages, its pictures are shipped. */
static void
check_page (const char *folder,
            const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.md", folder, name);
  g_autofree char *text = load (path);
  g_autoptr (GPtrArray) blocks = NULL;
  g_autoptr (GRegex) link = g_regex_new ("\\]\\(([a-z-]+)\\.md\\)", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_test_message ("%s", path);
  g_assert_nonnull (text);
  blocks = ts_help_text_parse (text);
  g_assert_cmpint (get_block (blocks, 0)->kind, ==, TS_HELP_HEADING);
  for (guint i = 0; i < blocks->len; i++)
    {
      const TsHelpBlock *block = get_block (blocks, i);
      g_autofree char *markup = ts_help_text_to_markup (block->text);
      g_autoptr (GError) error = NULL;

      if (block->kind == TS_HELP_PICTURE)
        {
          g_autofree char *base = g_path_get_basename (block->target);
          g_autofree char *picture = g_strdup_printf (HELP_PATH "/%s", base);

          g_assert_true (g_resources_get_info (picture, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL,
                                               &error));
          g_assert_cmpstr (block->text, !=, "");
        }
      else if (block->kind != TS_HELP_CODE && strstr (markup, "<a ") == NULL)
        {
          g_assert_true (pango_parse_markup (markup, -1, 0, NULL, NULL, NULL, &error));
        }
      g_assert_no_error (error);
    }
  for (g_regex_match (link, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *target = g_match_info_fetch (match, 1);

      g_test_message ("%s links to %s", name, target);
      g_assert_true (g_strv_contains (ts_help_window_get_page_names (), target));
    }
}

/* What is not translated: code is the same, links and names of pictures are, and so is the order of
 * headings, tables, lists. */
static void
check_same (const char *folder,
            const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.md", folder, name);
  g_autofree char *english_path = g_strdup_printf (HELP_PATH "/%s.md", name);
  g_autofree char *text = load (path);
  g_autofree char *english_text = load (english_path);
  g_autoptr (GPtrArray) blocks = ts_help_text_parse (text);
  g_autoptr (GPtrArray) english = ts_help_text_parse (english_text);

  g_test_message ("%s: %u blocks, in English %u", path, blocks->len, english->len);
  g_assert_cmpuint (blocks->len, ==, english->len);
  for (guint i = 0; i < blocks->len; i++)
    {
      g_assert_cmpint (get_block (blocks, i)->kind, ==, get_block (english, i)->kind);
      if (get_block (blocks, i)->kind == TS_HELP_CODE)
        g_assert_cmpstr (get_block (blocks, i)->text, ==, get_block (english, i)->text);
      else if (strlen (get_block (blocks, i)->text) > 20)
        g_assert_cmpstr (get_block (blocks, i)->text, !=, get_block (english, i)->text);
    }
}

static void
test_pages (void)
{
  const char * const *names = ts_help_window_get_page_names ();
  g_auto (GStrv) children = g_resources_enumerate_children (HELP_PATH,
                                                            G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names[i] != NULL; i++)
    check_page (HELP_PATH, names[i]);
  /* pages in other languages: all of them, or English ones would stand between them */
  for (guint i = 0; children[i] != NULL; i++)
    {
      g_autofree char *folder = NULL;

      if (!g_str_has_suffix (children[i], "/"))
        continue;
      folder = g_strdup_printf (HELP_PATH "/%.*s", (int) strlen (children[i]) - 1, children[i]);
      for (guint j = 0; names[j] != NULL; j++)
        {
          check_page (folder, names[j]);
          check_same (folder, names[j]);
        }
    }
}

static TsHelpWindow *
find_help (void)
{
  GList *l = gtk_application_get_windows (window_fixture_get_application ());

  for (; l != NULL; l = l->next)
    if (TS_IS_HELP_WINDOW (l->data))
      return l->data;
  return NULL;
}

static guint
count_visible_rows (GtkListBox *list)
{
  GtkListBoxRow *row;
  guint n = 0;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    n += gtk_widget_get_child_visible (GTK_WIDGET (row)) ? 1 : 0;
  return n;
}

static gboolean
has_picture (gpointer help)
{
  GtkWidget *picture = gui_test_find (help, GTK_TYPE_PICTURE);

  return picture != NULL && gtk_widget_get_height (picture) > 200 &&
         gtk_widget_get_height (picture) < gtk_widget_get_width (picture);
}

/* F1 is an action; links, the contents, the way back and the search lead where they should. */
static void
test_window (void)
{
  TsHelpWindow *help;
  GtkWidget *page;
  GtkWidget *contents;
  GtkWidget *entry;
  gboolean is_handled = FALSE;
  g_auto (GStrv) accels = gtk_application_get_accels_for_action (window_fixture_get_application (),
                                                                 "app.help");

  g_assert_cmpstr (accels[0], ==, "F1");
  g_action_group_activate_action (G_ACTION_GROUP (window_fixture_get_application ()), "help", NULL);
  help = find_help ();
  g_assert_nonnull (help);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (help));
  g_assert_cmpstr (ts_help_window_get_page (help), ==, "index");
  /* the picture of the window is seen, in its proportions */
  gui_test_wait (has_picture, help);
  page = gui_test_find (GTK_WIDGET (help), TS_TYPE_HELP_PAGE);
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (page), GTK_ACCESSIBLE_ROLE_DOCUMENT);

  g_signal_emit_by_name (page, "link", "lanes.md", &is_handled);
  g_assert_true (is_handled);
  g_assert_cmpstr (ts_help_window_get_page (help), ==, "lanes");
  g_signal_emit_by_name (page, "link", "https://example.org/", &is_handled);
  g_assert_false (is_handled);
  gtk_widget_activate_action (GTK_WIDGET (help), "help.back", NULL);
  g_assert_cmpstr (ts_help_window_get_page (help), ==, "index");

  contents = gui_test_find (GTK_WIDGET (help), GTK_TYPE_LIST_BOX);
  gtk_list_box_select_row (GTK_LIST_BOX (contents),
                           gtk_list_box_get_row_at_index (GTK_LIST_BOX (contents), 2));
  g_assert_cmpstr (ts_help_window_get_page (help), ==, "connect");

  entry = gui_test_find (GTK_WIDGET (help), GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "configUSE_TRACE_FACILITY");
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_cmpuint (count_visible_rows (GTK_LIST_BOX (contents)), ==, 1);
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_cmpuint (count_visible_rows (GTK_LIST_BOX (contents)), ==,
                    g_strv_length ((char **) ts_help_window_get_page_names ()));

  /* there is one manual; whoever asks for a page gets it there */
  g_action_group_activate_action (G_ACTION_GROUP (window_fixture_get_application ()), "help-page",
                                  g_variant_new_string ("nothing-arrives"));
  g_assert_true (find_help () == help);
  g_assert_cmpstr (ts_help_window_get_page (help), ==, "nothing-arrives");
  g_assert_false (ts_help_window_show_page (help, "no-such-page"));
  gtk_window_destroy (GTK_WINDOW (help));
}

/* The rule is the file of the tree, and the command writes exactly it. */
static void
test_rule (void)
{
  g_autofree char *rule = ts_udev_dup_rule ();
  g_autofree char *command = ts_udev_dup_command ();
  GtkWindow *window;
  GtkWidget *view;
  GtkTextIter begin;
  GtkTextIter end;
  g_autofree char *shown = NULL;

  g_assert_nonnull (strstr (rule, "TAG+=\"uaccess\""));
  g_assert_nonnull (strstr (command, rule));
  g_assert_true (g_str_has_prefix (command, "sudo tee /etc/udev/rules.d/70-taskscope.rules"));
  window = ts_udev_window_show (NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  view = gui_test_find (GTK_WIDGET (window), GTK_TYPE_TEXT_VIEW);
  gtk_text_buffer_get_bounds (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), &begin, &end);
  shown = gtk_text_buffer_get_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), &begin, &end,
                                    FALSE);
  g_assert_cmpstr (shown, ==, rule);
  gtk_widget_activate_action (GTK_WIDGET (window), "udev.copy-rule", NULL);
  {
    GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
    g_auto (GValue) copied = G_VALUE_INIT;

    g_value_init (&copied, G_TYPE_STRING);
    g_assert_true (gdk_content_provider_get_value (gdk_clipboard_get_content (clipboard), &copied,
                                                   NULL));
    g_assert_cmpstr (g_value_get_string (&copied), ==, rule);
  }
  gtk_window_destroy (window);
}

/* Hints: one after the other and round again; closed for good. */
static void
test_hints (void)
{
  GtkWidget *bar = ts_hint_bar_new ();
  GtkWindow *window = gui_test_show (bar, 700, 200);
  GtkWidget *revealer = gui_test_find (bar, GTK_TYPE_REVEALER);
  GtkWidget *label = gui_test_find (bar, GTK_TYPE_LABEL);
  g_autofree char *first = g_strdup (gtk_label_get_text (GTK_LABEL (label)));
  g_autoptr (GSettings) settings = ts_settings_new ();

  g_assert_true (gtk_revealer_get_reveal_child (GTK_REVEALER (revealer)));
  for (guint i = 1; i < ts_hint_bar_get_n_hints (); i++)
    {
      gtk_widget_activate_action (bar, "hint.next", NULL);
      g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), !=, first);
    }
  gtk_widget_activate_action (bar, "hint.next", NULL);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, first);
  gtk_widget_activate_action (bar, "hint.close", NULL);
  g_assert_false (gtk_revealer_get_reveal_child (GTK_REVEALER (revealer)));
  g_assert_false (ts_settings_get_bool (settings, "show-hints", TRUE));
  g_settings_reset (settings, "show-hints");
  gtk_window_destroy (window);
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/help/blocks", test_blocks);
  g_test_add_func ("/gui/help/marks", test_marks);
  g_test_add_func ("/gui/help/pages", test_pages);
  g_test_add_func ("/gui/help/window", test_window);
  g_test_add_func ("/gui/help/rule", test_rule);
  g_test_add_func ("/gui/help/hints", test_hints);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
