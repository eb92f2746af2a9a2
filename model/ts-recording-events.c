/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-events.c: events by row, and what an event says in words. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-recording-private.h"

/**
 * ts_recording_get_n_rows:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: rows, host-made ones included; a live recording counts committed rows (at most 250 ms
 * old)
 */
guint64
ts_recording_get_n_rows (TsRecording *self)
{
  return self->n_rows;
}

/**
 * ts_recording_read_events:
 * @self: a recording
 * @first_row: first row id, from 1
 * @n: how many are wanted
 * @events: (out caller-allocates) (array length=n): filled
 * @n_read: (out): how many there were
 * @error: return location
 *
 * Reads consecutive rows.
 *
 * Cost: one seek, then about half a microsecond a row
 * Thread: owner
 * Errors: %TS_MODEL_ERROR_BAD_RECORDING when the file cannot be read there
 *
 * Returns: %TRUE, also when there are no such rows (@n_read is 0)
 */
gboolean
ts_recording_read_events (TsRecording *self,
                          guint64 first_row,
                          guint n,
                          TsEvent *events,
                          guint *n_read,
                          GError **error)
{
  sqlite3_stmt *stmt;
  guint64 end;
  int rc = SQLITE_DONE;
  sqlite3 *db;

  *n_read = 0;
  if (first_row == 0 || first_row > self->n_rows || n == 0)
    return TRUE;

  end = first_row + MIN (n, self->n_rows - first_row + 1);
  if (self->rebuilt != NULL && self->rebuilt->events != NULL)
    {
      *n_read = (guint) (end - first_row);
      memcpy (events, &g_array_index (self->rebuilt->events, TsEvent, first_row - 1),
              *n_read * sizeof *events);
      return TRUE;
    }

  db = _ts_reader_db_lock (self->rdb);
  stmt = _ts_reader_db_get_statement (self->rdb, TS_STATEMENT_ROWS);
  if (stmt != NULL)
    {
      sqlite3_bind_int64 (stmt, 1, (gint64) first_row);
      sqlite3_bind_int64 (stmt, 2, (gint64) end);
      while (*n_read < n && (rc = sqlite3_step (stmt)) == SQLITE_ROW)
        _ts_row_read (stmt, 1, &events[(*n_read)++]);
    }

  if (stmt == NULL || (rc != SQLITE_DONE && rc != SQLITE_ROW))
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The events of “%s” cannot be read from row %" PRIu64 " on: %s."),
                 self->path, first_row + *n_read,
                 db != NULL ? sqlite3_errmsg (db) : _("the file cannot be opened"));
  _ts_reader_db_unlock (self->rdb);
  return stmt != NULL && (rc == SQLITE_DONE || rc == SQLITE_ROW);
}

static gint64
get_row_time (TsRecording *self,
              sqlite3_stmt *stmt,
              guint64 row)
{
  gint64 time = 0;

  if (stmt == NULL)
    return g_array_index (self->rebuilt->events, TsEvent, row - 1).time;

  sqlite3_reset (stmt);
  sqlite3_bind_int64 (stmt, 1, (gint64) row);
  if (sqlite3_step (stmt) == SQLITE_ROW)
    time = sqlite3_column_int64 (stmt, 0);
  return MAX (time, 0);
}

/**
 * ts_recording_row_at_time:
 * @self: a recording
 * @time: tick
 *
 * Cost: a seek for each step of a search that guesses by time, at most two for each doubling of
 *   the number of rows
 * Thread: owner
 *
 * Returns: the first row that is not before @time; number of rows + 1 when all are
 */
guint64
ts_recording_row_at_time (TsRecording *self,
                          gint64 time)
{
  guint64 low = 1;
  guint64 high = self->n_rows + 1;
  gint64 low_time = 0;
  gint64 high_time = self->duration;
  gboolean by_time = TRUE;
  gboolean in_memory = self->rebuilt != NULL && self->rebuilt->events != NULL;
  sqlite3_stmt *stmt = NULL;

  if (time <= 0 || self->n_rows == 0)
    return 1;

  if (!in_memory)
    {
      _ts_reader_db_lock (self->rdb);
      stmt = _ts_reader_db_get_statement (self->rdb, TS_STATEMENT_ROW_TIME);
    }

  while (low < high && (stmt != NULL || in_memory))
    {
      guint64 probe = low + (high - low) / 2;
      gint64 found;

      /* Events are spread evenly more often than not; every other step halves, so a lie costs
       * little. */
      if (by_time && time > low_time && time < high_time)
        probe = low
                + (guint64) ((__int128) (high - low - 1) * (time - low_time)
                             / (high_time - low_time));
      by_time = !by_time;

      found = get_row_time (self, stmt, probe);
      if (found < time)
        {
          low = probe + 1;
          low_time = MAX (low_time, found);
        }
      else
        {
          high = probe;
          high_time = MIN (high_time, found);
        }
    }

  if (!in_memory)
    _ts_reader_db_unlock (self->rdb);
  return low;
}

static const char *
object_name (TsRecording *self,
             guint32 id)
{
  const TsObject *object = ts_recording_get_object (self, id);

  return object != NULL ? object->name : "?";
}

static const char *
value_name (TsRecording *self,
            gint64 id)
{
  return id > 0 && id <= G_MAXUINT32 ? object_name (self, (guint32) id) : "?";
}

static char *
describe_value (TsRecording *self,
                const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self, event->object);
  const char *name = object != NULL ? object->name : "?";
  const char *space = object != NULL && object->unit != NULL && *object->unit != '\0' ? " " : "";
  const char *unit = object != NULL && object->unit != NULL ? object->unit : "";
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if ((event->flags & TS_EVENT_FLAG_FLOAT) == 0)
    return g_strdup_printf ("%s = %" G_GINT64_FORMAT "%s%s", name, event->value, space, unit);

  g_ascii_formatd (text, sizeof text, "%.7g", ts_event_get_double (event));
  return g_strdup_printf ("%s = %s%s%s", name, text, space, unit);
}

/* Who gives and who takes. A public UDP sender's mutex START means "acquire". Source:
 * viewalyzer-wire.md sections 3.6, 5.1 */
static char *
describe_exchange (TsRecording *self,
                   const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *name = object_name (self, event->object);

  if ((event->flags & TS_EVENT_FLAG_START_TAKES) != 0)
    is_start = !is_start;

  switch (event->kind)
    {
    case TS_EVENT_QUEUE:
      return g_strdup_printf ("%s %s", is_start ? "send" : "receive", name);

    case TS_EVENT_TASK_NOTIFY:
      return g_strdup_printf (is_start ? "notify %2$s from %1$s (%3$" G_GINT64_FORMAT ")"
                                       : "%1$s notified by %2$s (%3$" G_GINT64_FORMAT ")",
                              event->object != 0 ? name : "interrupt",
                              value_name (self, ts_event_get_detail (event)), event->value);

    case TS_EVENT_EVENT_FLAG:
      return g_strdup_printf ("%s %s (0x%" G_GINT64_MODIFIER "x)",
                              is_start ? "set" : "wait satisfied", name, (guint64) event->value);

    case TS_EVENT_OP_FAILED:
      return g_strdup_printf ("%s failed on %s", is_start ? "give" : "take", name);

    default:
      return g_strdup_printf ("%s %s", is_start ? "give" : "take", name);
    }
}

static char *
describe_memory (TsRecording *self,
                 const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  gint64 detail = ts_event_get_detail (event);
  const char *name = object_name (self, event->object);

  switch (event->kind)
    {
    case TS_EVENT_STACK_USAGE:
      return g_strdup_printf ("stack %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes used",
                              event->value, detail);

    case TS_EVENT_HEAP:
      return g_strdup_printf ("%s = %" G_GINT64_FORMAT " bytes used", name, event->value);

    case TS_EVENT_HEAP_SYNC:
      return g_strdup_printf ("%s %s (%" G_GINT64_FORMAT ")",
                              is_start ? "allocated from" : "freed to", name, event->value);

    case TS_EVENT_HEAP_FAIL:
      return g_strdup_printf ("allocation of %" G_GINT64_FORMAT " bytes from %s failed",
                              event->value, name);

    default:
      return g_strdup_printf ("%s (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", name, event->value,
                              detail);
    }
}

static char *
describe_host (TsRecording *self,
               const TsEvent *event,
               const char *text)
{
  switch (event->kind)
    {
    case TS_EVENT_DATA_LOSS:
      if (event->value < 0)
        return g_strdup ("data lost, amount unknown");
      return g_strdup_printf ("%" G_GINT64_FORMAT " packets lost", event->value);

    case TS_EVENT_CORRUPT:
      return g_strdup_printf ("%" G_GINT64_FORMAT " bytes could not be decoded", event->value);

    case TS_EVENT_SESSION_START:
      return g_strdup ("recorder started");

    case TS_EVENT_CAPTURE_END:
      return text != NULL ? g_strdup_printf ("capture ended: %s", text)
                          : g_strdup ("capture ended");

    default:
      return g_strdup (text != NULL ? text : "mark");
    }
}

static char *
describe_task (TsRecording *self,
               const TsEvent *event,
               const char *text)
{
  static const char * const states[]
      = { "unknown", "ready", "running", "blocked", "sleeping", "suspended", "deleted" };
  gint64 waits_for = ts_event_get_detail (event);

  switch (event->kind)
    {
    case TS_EVENT_TASK_CREATE:
      return g_strdup_printf ("created, priority %" G_GINT64_FORMAT, event->value);

    case TS_EVENT_TASK_PRIORITY:
      return g_strdup_printf ("priority %" G_GINT64_FORMAT ", base %" G_GINT64_FORMAT "%s%s%s",
                              event->value, ts_event_get_detail (event), text != NULL ? " (" : "",
                              text != NULL ? text : "", text != NULL ? ")" : "");

    default:
      {
        guint state = (guint) (event->value & 0xFF);
        const char *name = state < G_N_ELEMENTS (states) ? states[state] : states[0];

        if (state == 3 && waits_for > 0)
          return g_strdup_printf ("%s on %s", name, value_name (self, waits_for));
        return g_strdup (name);
      }
    }
}

static char *
describe_timer (TsRecording *self,
                const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *name = object_name (self, event->object);
  gint64 detail = ts_event_get_detail (event);

  switch (event->kind)
    {
    case TS_EVENT_TIMER:
      return g_strdup_printf ("%s %s", is_start ? "start" : "expire", name);

    case TS_EVENT_TIMER_ARM:
      return detail > 0
                 ? g_strdup_printf ("arm %s: in %" G_GINT64_FORMAT " ms, every %" G_GINT64_FORMAT
                                    " ms",
                                    name, event->value, detail)
                 : g_strdup_printf ("arm %s: once in %" G_GINT64_FORMAT " ms", name, event->value);

    case TS_EVENT_TIMER_CALLBACK:
      return g_strdup_printf ("%s callback of %s", is_start ? "enter" : "leave", name);

    default:
      return g_strdup_printf ("%s work 0x%" G_GINT64_MODIFIER "x, %" G_GINT64_FORMAT " ms",
                              is_start ? "arm" : "cancel", (guint64) event->value, detail);
    }
}

/* Kinds without words of their own: object, operands and text as they are. */
static char *
describe_plain (TsRecording *self,
                const TsEvent *event,
                const char *text)
{
  g_autoptr (GString) words = g_string_new (NULL);
  guint n_operands = ts_event_kind_get_n_operands (event->kind);

  if (event->object != 0)
    g_string_append (words, object_name (self, event->object));
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "",
                            (event->flags & TS_EVENT_FLAG_START) != 0 ? "start" : "end");
  if (n_operands > 0)
    g_string_append_printf (words, "%s%" G_GINT64_FORMAT, words->len > 0 ? " " : "", event->value);
  if (n_operands > 1)
    g_string_append_printf (words, ", %" G_GINT64_FORMAT, ts_event_get_detail (event));
  if (text != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? ": " : "", text);

  return g_string_free (g_steal_pointer (&words), FALSE);
}

/**
 * ts_recording_describe_event:
 * @self: a recording
 * @event: one of its events
 *
 * What the event says, in a few words ("give BusMtx", "in", "motor_current = 3.412", the text of a
 * message), for the column "What" of lists and listings. The lane and the kind are shown beside it
 * and not repeated.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 5.1 to 5.4; events.md section 1 for the operands
 *
 * Returns: (transfer full): the text
 */
char *
ts_recording_describe_event (TsRecording *self,
                             const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *text = ts_recording_get_string (self, ts_event_get_text_id (event));

  switch (event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
      return g_strdup (is_start ? "in" : "out");

    case TS_EVENT_ISR:
      return g_strdup (is_start ? "enter" : "exit");

    case TS_EVENT_USER_EVENT:
      return g_strdup (is_start ? "start" : "end");

    case TS_EVENT_SLEEP:
      return g_strdup (is_start ? "falls asleep" : "sleep over");

    case TS_EVENT_PM_SUSPEND:
      return g_strdup (is_start ? "enters low power" : "leaves low power");

    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
      return describe_value (self, event);

    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
      return g_strdup_printf ("%s %s", object_name (self, event->object),
                              event->value != 0 ? "high" : "low");

    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_MUTEX:
    case TS_EVENT_QUEUE:
    case TS_EVENT_TASK_NOTIFY:
    case TS_EVENT_EVENT_FLAG:
    case TS_EVENT_OP_FAILED:
      return describe_exchange (self, event);

    case TS_EVENT_MUTEX_CONTENTION:
      return g_strdup_printf ("%s waits for %s, held by %s", value_name (self, event->value),
                              object_name (self, event->object),
                              value_name (self, ts_event_get_detail (event)));

    case TS_EVENT_STRING:
    case TS_EVENT_ITM_TEXT:
      return g_strdup (text != NULL ? text : "");

    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_HEAP_FAIL:
      return describe_memory (self, event);

    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_TASK_STATE:
    case TS_EVENT_TASK_PRIORITY:
      return describe_task (self, event, text);

    case TS_EVENT_TIMER:
    case TS_EVENT_TIMER_ARM:
    case TS_EVENT_TIMER_CALLBACK:
    case TS_EVENT_WORK:
      return describe_timer (self, event);

    case TS_EVENT_SEQ_CHECKPOINT:
      return g_strdup_printf ("sequence number %" G_GINT64_FORMAT, event->value);

    default:
      if (ts_event_kind_is_host_made (event->kind))
        return describe_host (self, event, text);
      return describe_plain (self, event, text);
    }
}
