/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-event-columns.h"
#include "ui/ts-event-facts.h"
#include "ui/ts-kind-words.h"
#include "ui/ts-numbers.h"

/* The public bits, and the side, in words. */
static char *
dup_flags (const TsEvent *event)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    /* translators: side of an event: give, enter, in */
    g_ptr_array_add (words, (char *) _ ("start"));
  if ((event->flags & TS_EVENT_FLAG_END) != 0)
    /* translators: side of an event: take, exit, out */
    g_ptr_array_add (words, (char *) _ ("end"));
  if ((event->flags & TS_EVENT_FLAG_TIME_ESTIMATED) != 0)
    g_ptr_array_add (words, (char *) _ ("time estimated"));
  if ((event->flags & TS_EVENT_FLAG_AFTER_LOSS) != 0)
    g_ptr_array_add (words, (char *) _ ("first after a loss"));
  if ((event->flags & TS_EVENT_FLAG_SYNTHETIC) != 0)
    g_ptr_array_add (words, (char *) _ ("made by the host"));
  if (words->len == 0)
    return NULL;
  g_ptr_array_add (words, NULL);
  return g_strjoinv (", ", (char **) words->pdata);
}

/* In words, and as filters and files call it. */
static char *
dup_kind (TsEventKind kind)
{
  const char *name = ts_event_kind_get_name (kind);

  return g_strdup_printf ("%s (%s)", ts_kind_describe (kind), name != NULL ? name : "?");
}

static void
add_column (TsFactList *list,
            TsEventColumn column,
            const TsEventCell *cell)
{
  g_autofree char *text = ts_event_column_format (column, cell);

  if (*text != '\0')
    ts_fact_list_add (list, ts_event_column_get_title (column), g_steal_pointer (&text));
}

static void
add_object (TsFactList *list,
            TsRecording *recording,
            guint32 id)
{
  const TsObject *object = id != 0 ? ts_recording_get_object (recording, id) : NULL;
  const char *type = object != NULL ? ts_object_type_get_name (object->type) : NULL;

  if (type != NULL && *type != '\0')
    ts_fact_list_add (list, _ ("Type"), g_strdup (type));
  if (object != NULL && object->wire_id >= 0)
    /* translators: number of an object as the target sends it */
    ts_fact_list_add (list, _ ("Wire number"), g_strdup_printf ("%d", object->wire_id));
  if (object != NULL && object->address != TS_OBJECT_UNKNOWN)
    ts_fact_list_add (list, _ ("Address"),
                      g_strdup_printf ("0x%08" G_GINT64_MODIFIER "x", (guint64) object->address));
}

/**
 * ts_event_facts_add:
 * @list: where to, between begin and end
 * @view: a view of the recording
 * @row: its row id
 * @event: the event
 *
 * Every field of the event, as the columns of the event list show them.
 *
 * Thread: main
 */
void
ts_event_facts_add (TsFactList *list,
                    TsViewState *view,
                    guint64 row,
                    const TsEvent *event)
{
  static const TsEventColumn columns[] = {
    TS_EVENT_COLUMN_WHAT, TS_EVENT_COLUMN_KIND,  TS_EVENT_COLUMN_LANE,   TS_EVENT_COLUMN_TIME,
    TS_EVENT_COLUMN_CORE, TS_EVENT_COLUMN_VALUE, TS_EVENT_COLUMN_DETAIL, TS_EVENT_COLUMN_ROW,
  };
  TsRecording *recording = ts_view_state_get_recording (view);
  TsEventCell cell = { view, row, event, -1, -1 };
  const char *text;

  g_return_if_fail (recording != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (columns[i] != TS_EVENT_COLUMN_KIND)
      add_column (list, columns[i], &cell);
    else
      ts_fact_list_add (list, ts_event_column_get_title (columns[i]), dup_kind (event->kind));
  text = ts_recording_get_string (recording, ts_event_get_text_id (event));
  if (text != NULL && *text != '\0')
    ts_fact_list_add (list, _ ("Text"), g_strdup (text));
  ts_fact_list_add (list, _ ("Ticks"), ts_format_count ((guint64) MAX (event->time, 0)));
  ts_fact_list_add (list, _ ("Flags"), dup_flags (event));
  add_object (list, recording, event->object);
}
