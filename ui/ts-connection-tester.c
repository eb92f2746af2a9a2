/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-connection-test.h"
#include "capture/ts-probe.h"

#include "ui/ts-connection-tester.h"

/* How long the first packet is waited for. */
#define LISTEN_MS 5000

/**
 * TsConnectionTester:
 * @cancellable: (nullable): of the test that runs
 * @generation: counts tests: what an older one still says is not shown
 */
struct _TsConnectionTester
{
  GtkBox parent_instance;

  GtkWidget *button;
  TsChecklist *checklist;
  GCancellable *cancellable;
  guint generation;
};

enum
{
  SIGNAL_REQUESTED,
  SIGNAL_TARGET,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsConnectionTester, ts_connection_tester, GTK_TYPE_BOX)

/**
 * Trial: one test on its way
 * @tester: who is told
 */
typedef struct
{
  TsConnection *connection;
  GWeakRef tester;
  guint generation;
} Trial;

static void
trial_free (Trial *trial)
{
  g_object_unref (trial->connection);
  g_weak_ref_clear (&trial->tester);
  g_free (trial);
}

/* News of one step, on its way to the main thread. */
typedef struct
{
  TsConnectionTester *tester;
  TsConnection *connection;
  guint generation;
  guint step;
  TsTestResult result;
  char *text;
} News;

static void
news_free (gpointer data)
{
  News *news = data;

  g_object_unref (news->tester);
  g_object_unref (news->connection);
  g_free (news->text);
  g_free (news);
}

static gboolean
on_news (gpointer data)
{
  static const TsCheckState states[] = {
    [TS_TEST_BUSY] = TS_CHECK_BUSY,
    [TS_TEST_PASSED] = TS_CHECK_DONE,
    [TS_TEST_DOUBTFUL] = TS_CHECK_DOUBTFUL,
    [TS_TEST_FAILED] = TS_CHECK_FAILED,
  };
  News *news = data;

  if (news->generation == news->tester->generation)
    {
      ts_checklist_set (news->tester->checklist, news->step, states[news->result], news->text);
      gtk_widget_set_visible (GTK_WIDGET (news->tester->checklist), TRUE);
      if (news->step == TS_TEST_STEP_CORE && news->result == TS_TEST_PASSED &&
          ts_probe_type_of_transport (ts_connection_get_transport (news->connection)) != NULL)
        g_signal_emit (news->tester, signals[SIGNAL_TARGET], 0, news->connection, news->text);
    }
  return G_SOURCE_REMOVE;
}

static void
tell_step (guint step,
           TsTestResult result,
           const char *text,
           gpointer user_data)
{
  Trial *trial = user_data;
  TsConnectionTester *tester = g_weak_ref_get (&trial->tester);
  News *news;

  if (tester == NULL)
    return;
  news = g_new (News, 1);
  *news = (News){ tester, g_object_ref (trial->connection), trial->generation, step, result,
                  g_strdup (text) };
  g_main_context_invoke_full (NULL, G_PRIORITY_DEFAULT, on_news, news, news_free);
}

static void
test_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  Trial *trial = data;
  GError *error = NULL;

  if (ts_connection_test (trial->connection, LISTEN_MS, tell_step, trial, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
show_running (TsConnectionTester *self)
{
  gtk_button_set_label (GTK_BUTTON (self->button), self->cancellable != NULL
                                                       ? _ ("Cancel the Test")
                                                       : _ ("Test Connection"));
}

static void
on_tested (GObject *source,
           GAsyncResult *result,
           gpointer user_data)
{
  TsConnectionTester *self = TS_CONNECTION_TESTER (source);
  Trial *trial = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean is_tested = g_task_propagate_boolean (G_TASK (result), &error);

  /* another one has begun, or the widget is gone */
  if (trial->generation != self->generation)
    return;
  g_clear_object (&self->cancellable);
  if (!is_tested && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ts_connection_tester_clear (self);
  else if (!is_tested)
    {
      ts_checklist_set (self->checklist, 0, TS_CHECK_FAILED, error->message);
      gtk_widget_set_visible (GTK_WIDGET (self->checklist), TRUE);
    }
  show_running (self);
}

static void
on_clicked (TsConnectionTester *self)
{
  if (self->cancellable != NULL)
    ts_connection_tester_cancel (self);
  else
    g_signal_emit (self, signals[SIGNAL_REQUESTED], 0);
}

static void
ts_connection_tester_dispose (GObject *object)
{
  TsConnectionTester *self = TS_CONNECTION_TESTER (object);

  ts_connection_tester_cancel (self);
  g_clear_object (&self->cancellable);
  self->generation++;
  G_OBJECT_CLASS (ts_connection_tester_parent_class)->dispose (object);
}

static void
ts_connection_tester_class_init (TsConnectionTesterClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_connection_tester_dispose;
  signals[SIGNAL_REQUESTED] = g_signal_new ("requested", G_TYPE_FROM_CLASS (klass),
                                            G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_TARGET] =
      g_signal_new ("target", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, TS_TYPE_CONNECTION, G_TYPE_STRING);
}

static void
ts_connection_tester_init (TsConnectionTester *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 9);
  self->button = gtk_button_new ();
  gtk_widget_set_tooltip_text (self->button,
                               _ ("Tries it step by step; the target is not reset, and nothing is "
                                  "recorded"));
  g_signal_connect_object (self->button, "clicked", G_CALLBACK (on_clicked), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self), self->button);
  self->checklist = TS_CHECKLIST (ts_checklist_new ());
  gtk_widget_set_visible (GTK_WIDGET (self->checklist), FALSE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->checklist));
  show_running (self);
}

/**
 * ts_connection_tester_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a tester that has tested nothing
 */
GtkWidget *
ts_connection_tester_new (void)
{
  return g_object_new (TS_TYPE_CONNECTION_TESTER, NULL);
}

/**
 * ts_connection_tester_run:
 * @self: a tester
 * @connection: what to try; not to be changed any more
 *
 * Tries @connection on a thread of its own and shows each step as it comes. A test that still runs
 * is cancelled.
 *
 * Thread: main
 */
void
ts_connection_tester_run (TsConnectionTester *self,
                          TsConnection *connection)
{
  g_autoptr (GTask) task = NULL;
  Trial *trial;

  g_return_if_fail (TS_IS_CONNECTION_TESTER (self));
  g_return_if_fail (TS_IS_CONNECTION (connection));

  ts_connection_tester_clear (self);
  self->cancellable = g_cancellable_new ();
  trial = g_new0 (Trial, 1);
  trial->connection = g_object_ref (connection);
  trial->generation = self->generation;
  g_weak_ref_init (&trial->tester, self);
  task = g_task_new (self, self->cancellable, on_tested, NULL);
  g_task_set_source_tag (task, ts_connection_tester_run);
  g_task_set_task_data (task, trial, (GDestroyNotify) trial_free);
  g_task_run_in_thread (task, test_thread);
  show_running (self);
}

/**
 * ts_connection_tester_cancel:
 * @self: a tester
 *
 * Thread: main
 */
void
ts_connection_tester_cancel (TsConnectionTester *self)
{
  g_return_if_fail (TS_IS_CONNECTION_TESTER (self));
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
}

/**
 * ts_connection_tester_clear:
 * @self: a tester
 *
 * Forgets what was tested; a test that runs is cancelled.
 *
 * Thread: main
 */
void
ts_connection_tester_clear (TsConnectionTester *self)
{
  g_return_if_fail (TS_IS_CONNECTION_TESTER (self));
  ts_connection_tester_cancel (self);
  g_clear_object (&self->cancellable);
  self->generation++;
  ts_checklist_clear (self->checklist);
  gtk_widget_set_visible (GTK_WIDGET (self->checklist), FALSE);
  show_running (self);
}

/**
 * ts_connection_tester_is_running:
 * @self: a tester
 *
 * Thread: main
 *
 * Returns: whether a test runs
 */
gboolean
ts_connection_tester_is_running (TsConnectionTester *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION_TESTER (self), FALSE);
  return self->cancellable != NULL;
}

/**
 * ts_connection_tester_get_checklist:
 * @self: a tester
 *
 * Thread: main
 *
 * Returns: (transfer none): the steps
 */
TsChecklist *
ts_connection_tester_get_checklist (TsConnectionTester *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION_TESTER (self), NULL);
  return self->checklist;
}
