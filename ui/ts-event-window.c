/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-event-window.h"

/* A line whose event is not in memory keeps what it showed for so long: most come sooner, and a list
 * that blinks is hard to read. */
#define BLANK_DELAY_MS 60

/**
 * TsEventWindow:
 * @model: all lines
 * @lines: (element-type TsEventItem): those in the window
 * @blank_id: lines that are still to come then are blank
 * @offset: where it stands in @model
 * @size: how many lines it has room for
 */
struct _TsEventWindow
{
  GObject parent_instance;

  TsEventModel *model;
  GPtrArray *lines;
  guint offset;
  guint size;
  guint blank_id;
};

static void ts_event_window_list_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TsEventWindow, ts_event_window, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ts_event_window_list_init))

static GType
ts_event_window_get_item_type (GListModel *model)
{
  return TS_TYPE_EVENT_ITEM;
}

static guint
ts_event_window_get_n_items (GListModel *model)
{
  return TS_EVENT_WINDOW (model)->lines->len;
}

static gpointer
ts_event_window_get_item (GListModel *model,
                          guint position)
{
  TsEventWindow *self = TS_EVENT_WINDOW (model);

  return position < self->lines->len ? g_object_ref (self->lines->pdata[position]) : NULL;
}

static void
ts_event_window_list_init (GListModelInterface *iface)
{
  iface->get_item_type = ts_event_window_get_item_type;
  iface->get_n_items = ts_event_window_get_n_items;
  iface->get_item = ts_event_window_get_item;
}

static gboolean
on_blank (gpointer user_data)
{
  TsEventWindow *self = user_data;

  self->blank_id = 0;
  for (guint i = 0; i < self->lines->len; i++)
    if (ts_event_item_is_pending (self->lines->pdata[i]))
      ts_event_item_blank (self->lines->pdata[i]);
  return G_SOURCE_REMOVE;
}

static void
fill_lines (TsEventWindow *self,
            guint first,
            gboolean only_pending)
{
  gboolean is_any_pending = FALSE;

  for (guint i = first; i < self->lines->len; i++)
    {
      TsEventItem *item = self->lines->pdata[i];

      if (only_pending && !ts_event_item_is_pending (item))
        continue;
      ts_event_model_fill (self->model, (guint64) self->offset + i + 1, item);
      is_any_pending |= ts_event_item_is_pending (item);
    }
  if (is_any_pending && self->blank_id == 0)
    self->blank_id = g_timeout_add (BLANK_DELAY_MS, on_blank, self);
}

/* What lines on screen lacked has come. */
static void
on_loaded (TsEventModel *model,
           TsEventWindow *self)
{
  fill_lines (self, 0, TRUE);
}

/* As many lines as there are, and room for; those from @first_stale on show what is there now. */
static void
update (TsEventWindow *self,
        guint first_stale)
{
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  guint n = self->offset < n_rows ? MIN (self->size, n_rows - self->offset) : 0;
  guint before = self->lines->len;

  if (n < before)
    {
      g_ptr_array_set_size (self->lines, (gint) n);
      g_list_model_items_changed (G_LIST_MODEL (self), n, before - n, 0);
    }
  while (self->lines->len < n)
    g_ptr_array_add (self->lines, g_object_new (TS_TYPE_EVENT_ITEM, NULL));
  ts_event_model_show (self->model, (guint64) self->offset + 1, n);
  fill_lines (self, MIN (first_stale, before), FALSE);
  if (n > before)
    g_list_model_items_changed (G_LIST_MODEL (self), before, 0, n - before);
}

static void
on_items_changed (GListModel *model,
                  guint position,
                  guint n_removed,
                  guint n_added,
                  TsEventWindow *self)
{
  update (self, position > self->offset ? position - self->offset : 0);
}

static void
ts_event_window_dispose (GObject *object)
{
  TsEventWindow *self = TS_EVENT_WINDOW (object);

  g_clear_handle_id (&self->blank_id, g_source_remove);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (ts_event_window_parent_class)->dispose (object);
}

static void
ts_event_window_finalize (GObject *object)
{
  g_ptr_array_unref (TS_EVENT_WINDOW (object)->lines);
  G_OBJECT_CLASS (ts_event_window_parent_class)->finalize (object);
}

static void
ts_event_window_class_init (TsEventWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_event_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = ts_event_window_finalize;
}

static void
ts_event_window_init (TsEventWindow *self)
{
  self->lines = g_ptr_array_new_with_free_func (g_object_unref);
  self->size = 1;
}

/**
 * ts_event_window_new:
 * @model: all lines (a reference is taken)
 *
 * Thread: main
 *
 * Returns: (transfer full): a window of one line, at the first
 */
TsEventWindow *
ts_event_window_new (TsEventModel *model)
{
  TsEventWindow *self;

  g_return_val_if_fail (TS_IS_EVENT_MODEL (model), NULL);
  self = g_object_new (TS_TYPE_EVENT_WINDOW, NULL);
  self->model = g_object_ref (model);
  g_signal_connect_object (model, "items-changed", G_CALLBACK (on_items_changed), self, 0);
  g_signal_connect_object (model, "loaded", G_CALLBACK (on_loaded), self, 0);
  update (self, 0);
  return self;
}

/**
 * ts_event_window_get_offset:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: lines before its first one
 */
guint
ts_event_window_get_offset (TsEventWindow *self)
{
  g_return_val_if_fail (TS_IS_EVENT_WINDOW (self), 0);
  return self->offset;
}

/**
 * ts_event_window_set_offset:
 * @self: a window
 * @offset: lines before its first one
 *
 * Thread: main
 */
void
ts_event_window_set_offset (TsEventWindow *self,
                            guint offset)
{
  g_return_if_fail (TS_IS_EVENT_WINDOW (self));
  if (self->offset == offset)
    return;
  self->offset = offset;
  update (self, 0);
}

/**
 * ts_event_window_get_size:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: how many lines it has room for
 */
guint
ts_event_window_get_size (TsEventWindow *self)
{
  g_return_val_if_fail (TS_IS_EVENT_WINDOW (self), 0);
  return self->size;
}

/**
 * ts_event_window_set_size:
 * @self: a window
 * @size: how many lines it has room for
 *
 * Thread: main
 */
void
ts_event_window_set_size (TsEventWindow *self,
                          guint size)
{
  g_return_if_fail (TS_IS_EVENT_WINDOW (self));
  if (self->size == size)
    return;
  self->size = size;
  update (self, self->lines->len);
}

/**
 * ts_event_window_rewrite:
 * @self: a window
 *
 * Its lines say that they changed: what is written of them depends on more than the events.
 *
 * Thread: main
 */
void
ts_event_window_rewrite (TsEventWindow *self)
{
  g_return_if_fail (TS_IS_EVENT_WINDOW (self));
  for (guint i = 0; i < self->lines->len; i++)
    g_signal_emit_by_name (self->lines->pdata[i], "changed");
}
