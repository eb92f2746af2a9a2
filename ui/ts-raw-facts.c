/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-capture-session.h"
#include "capture/ts-raw-bytes.h"

#include "ui/ts-numbers.h"
#include "ui/ts-raw-facts.h"
#include "ui/ts-worker.h"

/* Who steps from event to event is not waited for. */
#define DELAY_MS 200
#define BYTES_A_LINE 6
#define MAX_BYTES 48

/**
 * TsRawFacts:
 * @changed, @user_data: called when there is something new to show
 * @recording: whose event, only compared; @row: which, 0: none
 * @bytes, @error: (nullable): what was found, or why nothing was
 */
struct _TsRawFacts
{
  GCallback changed;
  gpointer user_data;
  TsWorker *worker;
  gpointer recording;
  guint64 row;
  guint delay_id;
  TsRawBytes *bytes;
  GError *error;
};

static void
clear (TsRawFacts *self)
{
  g_clear_handle_id (&self->delay_id, g_source_remove);
  ts_worker_cancel (self->worker);
  g_clear_pointer (&self->bytes, ts_raw_bytes_free);
  g_clear_error (&self->error);
}

static gpointer
find_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  return ts_raw_bytes_find (recording, *(guint64 *) data, cancellable, error);
}

static void
on_found (gpointer result,
          const GError *error,
          gpointer user_data)
{
  TsRawFacts *self = user_data;

  g_clear_pointer (&self->bytes, ts_raw_bytes_free);
  g_clear_error (&self->error);
  self->bytes = result;
  if (result == NULL && error != NULL)
    self->error = g_error_copy (error);
  ((void (*) (gpointer)) self->changed) (self->user_data);
}

static gboolean
on_delay (gpointer user_data)
{
  TsRawFacts *self = user_data;

  self->delay_id = 0;
  ts_worker_ask (self->worker, find_thread, g_memdup2 (&self->row, sizeof self->row), g_free,
                 (GDestroyNotify) ts_raw_bytes_free, on_found, self);
  return G_SOURCE_REMOVE;
}

static char *
dup_hex (GBytes *bytes)
{
  GString *text = g_string_new (NULL);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);

  for (gsize i = 0; i < MIN (n, MAX_BYTES); i++)
    g_string_append_printf (text, "%s%02x",
                            i == 0 ? "" : i % BYTES_A_LINE == 0 ? "\n" : " ", data[i]);
  if (n > MAX_BYTES)
    g_string_append (text, " …");
  return g_string_free (text, FALSE);
}

static char *
dup_place (const TsRawBytes *bytes)
{
  gsize n = g_bytes_get_size (bytes->bytes);
  g_autofree char *offset = ts_format_count (bytes->offset);

  /* translators: how many bytes, and how many came before them */
  return g_strdup_printf (ngettext ("%u byte after %s", "%u bytes after %s", (guint) n), (guint) n,
                          offset);
}

/**
 * ts_raw_facts_new:
 * @changed: `void (*) (gpointer user_data)`, called when the facts are to be added again
 * @user_data: for @changed
 *
 * Thread: main
 *
 * Returns: (transfer full): facts of no event
 */
TsRawFacts *
ts_raw_facts_new (GCallback changed,
                  gpointer user_data)
{
  TsRawFacts *self = g_new0 (TsRawFacts, 1);

  self->changed = changed;
  self->user_data = user_data;
  self->worker = ts_worker_new ("[ts-ui] bytes of an event");
  return self;
}

/**
 * ts_raw_facts_free:
 * @self: (transfer full) (nullable): facts; nothing is called any more
 *
 * Thread: main
 */
void
ts_raw_facts_free (TsRawFacts *self)
{
  if (self == NULL)
    return;
  clear (self);
  g_object_unref (self->worker);
  g_free (self);
}

/**
 * ts_raw_facts_add:
 * @self: facts
 * @list: where to, between begin and end
 * @recording: (nullable): a recording
 * @row: row of an event; 0: none
 *
 * Adds the bytes of the event, once they are known; until then, and for another event than before,
 * they are looked for.
 *
 * Thread: main
 */
void
ts_raw_facts_add (TsRawFacts *self,
                  TsFactList *list,
                  TsRecording *recording,
                  guint64 row)
{
  g_return_if_fail (self != NULL);

  if ((gpointer) recording != self->recording || row != self->row)
    {
      clear (self);
      self->recording = recording;
      self->row = row;
      ts_worker_set_recording (self->worker, recording);
      if (recording != NULL && row != 0)
        self->delay_id = g_timeout_add (DELAY_MS, on_delay, self);
    }
  if (recording == NULL || row == 0)
    return;
  if (self->bytes != NULL)
    {
      ts_fact_list_add (list, _ ("Raw bytes"), dup_hex (self->bytes->bytes));
      ts_fact_list_add (list, _ ("In the stream"), dup_place (self->bytes));
      if (self->bytes->n_events > 1)
        ts_fact_list_add (list, _ ("Shared by"),
                          g_strdup_printf (ngettext ("%u event", "%u events", self->bytes->n_events),
                                           self->bytes->n_events));
    }
  else if (self->error == NULL)
    ts_fact_list_add (list, _ ("Raw bytes"), g_strdup ("…"));
  else if (g_error_matches (self->error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY))
    /* translators: the raw bytes of an event */
    ts_fact_list_add (list, _ ("Raw bytes"), g_strdup (_ ("not kept")));
  else
    ts_fact_list_add (list, _ ("Raw bytes"), g_strdup (self->error->message));
}
