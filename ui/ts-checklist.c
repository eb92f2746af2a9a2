/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-checklist.h"

#define MAX_STEPS 8

typedef struct
{
  GtkWidget *icon;
  GtkWidget *spinner;
  GtkWidget *stack;
  GtkWidget *label;
  TsCheckState state;
} TsStep;

struct _TsChecklist
{
  GtkBox parent_instance;

  TsStep steps[MAX_STEPS];
  guint n_steps;
};

G_DEFINE_FINAL_TYPE (TsChecklist, ts_checklist, GTK_TYPE_BOX)

static const struct
{
  const char *icon;
  const char *css_class;
  const char *spoken;
} looks[] = {
  [TS_CHECK_PENDING] = { "content-loading-symbolic", "dim-label", N_ ("not yet") },
  [TS_CHECK_BUSY] = { "content-loading-symbolic", "dim-label", N_ ("waiting") },
  [TS_CHECK_DONE] = { "emblem-ok-symbolic", "success", N_ ("done") },
  [TS_CHECK_FAILED] = { "dialog-error-symbolic", "error", N_ ("failed") },
  [TS_CHECK_DOUBTFUL] = { "dialog-warning-symbolic", "warning", N_ ("doubtful") },
};

static void
add_step (TsChecklist *self)
{
  TsStep *step = &self->steps[self->n_steps++];
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  step->stack = gtk_stack_new ();
  step->icon = gtk_image_new ();
  step->spinner = gtk_spinner_new ();
  gtk_stack_add_child (GTK_STACK (step->stack), step->icon);
  gtk_stack_add_child (GTK_STACK (step->stack), step->spinner);
  gtk_widget_set_valign (step->stack, GTK_ALIGN_START);
  step->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (step->label), 0);
  gtk_label_set_wrap (GTK_LABEL (step->label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (step->label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (step->label, TRUE);
  gtk_box_append (GTK_BOX (row), step->stack);
  gtk_box_append (GTK_BOX (row), step->label);
  gtk_box_append (GTK_BOX (self), row);
}

static void
ts_checklist_class_init (TsChecklistClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "checklist");
}

static void
ts_checklist_init (TsChecklist *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
}

/**
 * ts_checklist_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a checklist without steps
 */
GtkWidget *
ts_checklist_new (void)
{
  return g_object_new (TS_TYPE_CHECKLIST, NULL);
}

/**
 * ts_checklist_set:
 * @self: a checklist
 * @step: number of the step, from 0; steps up to it are made
 * @state: how far it is
 * @text: what it says
 *
 * Thread: main
 */
void
ts_checklist_set (TsChecklist *self,
                  guint number,
                  TsCheckState state,
                  const char *text)
{
  g_autofree char *spoken = NULL;
  TsStep *step;

  g_return_if_fail (TS_IS_CHECKLIST (self));
  g_return_if_fail (number < MAX_STEPS && text != NULL);

  while (self->n_steps <= number)
    add_step (self);
  step = &self->steps[number];
  step->state = state;
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (step->label)), text) != 0)
    gtk_label_set_text (GTK_LABEL (step->label), text);
  gtk_image_set_from_icon_name (GTK_IMAGE (step->icon), looks[state].icon);
  gtk_widget_set_css_classes (step->icon, (const char *[]) { looks[state].css_class, NULL });
  gtk_widget_set_css_classes (step->label, state == TS_CHECK_PENDING
                                               ? (const char *[]) { "dim-label", NULL }
                                               : (const char *[]) { NULL });
  gtk_spinner_set_spinning (GTK_SPINNER (step->spinner), state == TS_CHECK_BUSY);
  gtk_stack_set_visible_child (GTK_STACK (step->stack),
                               state == TS_CHECK_BUSY ? step->spinner : step->icon);
  /* translators: a step of a connection and how far it is, for screen readers */
  spoken = g_strdup_printf (_ ("%s: %s"), text, _ (looks[state].spoken));
  gtk_accessible_update_property (GTK_ACCESSIBLE (step->label), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  spoken, -1);
}

/**
 * ts_checklist_get_state:
 * @self: a checklist
 * @step: number of the step, from 0
 *
 * Thread: main
 *
 * Returns: how far it is; pending if there is no such step
 */
TsCheckState
ts_checklist_get_state (TsChecklist *self,
                        guint step)
{
  g_return_val_if_fail (TS_IS_CHECKLIST (self), TS_CHECK_PENDING);
  return step < self->n_steps ? self->steps[step].state : TS_CHECK_PENDING;
}

/**
 * ts_checklist_get_text:
 * @self: a checklist
 * @step: number of the step, from 0
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): what it says, %NULL if there is no such step
 */
const char *
ts_checklist_get_text (TsChecklist *self,
                       guint step)
{
  g_return_val_if_fail (TS_IS_CHECKLIST (self), NULL);
  return step < self->n_steps ? gtk_label_get_text (GTK_LABEL (self->steps[step].label)) : NULL;
}

/**
 * ts_checklist_get_n_steps:
 * @self: a checklist
 *
 * Thread: main
 *
 * Returns: number of steps
 */
guint
ts_checklist_get_n_steps (TsChecklist *self)
{
  g_return_val_if_fail (TS_IS_CHECKLIST (self), 0);
  return self->n_steps;
}

/**
 * ts_checklist_clear:
 * @self: a checklist
 *
 * Removes all steps.
 *
 * Thread: main
 */
void
ts_checklist_clear (TsChecklist *self)
{
  GtkWidget *child;

  g_return_if_fail (TS_IS_CHECKLIST (self));
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_box_remove (GTK_BOX (self), child);
  self->n_steps = 0;
}
