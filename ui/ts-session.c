/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "ui/ts-session.h"
#include "ui/ts-worker.h"

/* A file of somebody else's making is not read to the end of memory. */
#define MAX_BYTES (4 * 1024 * 1024)
#define MAX_MARKS 10000
#define VERSION 1

/**
 * TsSession:
 * @root: what was read; %NULL if there was nothing
 * @marks: (element-type TsMark): by time
 * @changes: tick to note, or to %NULL for a mark that was removed: what is not yet in the file, which
 *   another window may have written since
 * @worker: (nullable): reads the event that was chosen
 * @view: (nullable): where that is to be chosen again when it has come
 * @row, @cursor: that event, and where the cursor was put
 */
struct _TsSession
{
  char *path;
  JsonObject *root;
  GArray *marks;
  GHashTable *changes;
  TsWorker *worker;
  TsViewState *view;
  guint64 row;
  gint64 cursor;
  char **filters;
  double lane_percent;
};

static void
clear_mark (gpointer mark)
{
  g_free (((TsMark *) mark)->note);
}

/* Ids are plain in recordings of ours; of others they may be anything. */
static char *
dup_path (TsRecording *recording)
{
  const char *id = ts_recording_get_id (recording);
  g_autofree char *name = NULL;
  g_autofree char *base = NULL;

  if (id == NULL || *id == '\0')
    id = ts_recording_get_path (recording);
  if (strlen (id) <= 64 && strspn (id, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_") == strlen (id))
    name = g_strdup (id);
  else
    name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, id, -1);
  base = g_strconcat (name, ".json", NULL);
  return g_build_filename (g_get_user_state_dir (), "taskscope", "sessions", base, NULL);
}

/**
 * ts_session_new:
 * @recording: whose session
 *
 * Thread: main
 *
 * Returns: (transfer full): an empty session; see ts_session_load()
 */
TsSession *
ts_session_new (TsRecording *recording)
{
  TsSession *self = g_new0 (TsSession, 1);

  self->path = dup_path (recording);
  self->marks = g_array_new (FALSE, FALSE, sizeof (TsMark));
  g_array_set_clear_func (self->marks, clear_mark);
  self->changes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->filters = g_new0 (char *, 1);
  self->lane_percent = 100;
  return self;
}

/* What was to be chosen is not chosen any more. */
static void
forget_event (TsSession *self)
{
  if (self->worker != NULL)
    ts_worker_cancel (self->worker);
  g_clear_object (&self->view);
  self->row = 0;
}

/**
 * ts_session_free:
 * @self: (transfer full): a session
 *
 * Thread: main
 */
void
ts_session_free (TsSession *self)
{
  forget_event (self);
  g_clear_object (&self->worker);
  g_free (self->path);
  g_clear_pointer (&self->root, json_object_unref);
  g_clear_pointer (&self->marks, g_array_unref);
  g_clear_pointer (&self->changes, g_hash_table_unref);
  g_clear_pointer (&self->filters, g_strfreev);
  g_free (self);
}

/**
 * ts_session_get_path:
 * @self: a session
 *
 * Thread: main
 *
 * Returns: (transfer none): its file
 */
const char *
ts_session_get_path (TsSession *self)
{
  return self->path;
}

/* --- reading: everything may be missing or of the wrong type ---------------------------------- */

static gint64
get_int (JsonObject *object,
         const char *name,
         gint64 fallback)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_INT64)
    return fallback;
  return json_node_get_int (node);
}

static const char *
get_string (JsonNode *node)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

static JsonArray *
get_array (JsonObject *object,
           const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* Ids of an array, of lanes that exist. */
static GArray *
get_lanes (JsonObject *object,
           const char *name,
           TsRecording *recording)
{
  GArray *lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  JsonArray *array = get_array (object, name);
  guint n = array != NULL ? json_array_get_length (array) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gboolean is_int = JSON_NODE_HOLDS_VALUE (node) &&
                        json_node_get_value_type (node) == G_TYPE_INT64;
      gint64 id = is_int ? json_node_get_int (node) : 0;
      guint32 lane = id > 0 && id <= G_MAXUINT32 ? (guint32) id : 0;

      if (lane != 0 && ts_recording_get_lane (recording, lane) != NULL)
        g_array_append_val (lanes, lane);
    }
  return lanes;
}

static void
insert_mark (TsSession *self,
             gint64 time,
             const char *note)
{
  TsMark mark = { time, g_utf8_make_valid (note, -1) };
  guint i = 0;

  while (i < self->marks->len && g_array_index (self->marks, TsMark, i).time < time)
    i++;
  if (i < self->marks->len && g_array_index (self->marks, TsMark, i).time == time)
    g_array_remove_index (self->marks, i);
  g_array_insert_val (self->marks, i, mark);
}

static gboolean
take_mark_away (TsSession *self,
                gint64 time)
{
  for (guint i = 0; i < self->marks->len; i++)
    if (g_array_index (self->marks, TsMark, i).time == time)
      {
        g_array_remove_index (self->marks, i);
        return TRUE;
      }
  return FALSE;
}

static void
read_marks (TsSession *self,
            JsonObject *root)
{
  JsonArray *array = get_array (root, "marks");
  guint n = array != NULL ? MIN (json_array_get_length (array), MAX_MARKS) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      JsonObject *mark = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      gint64 time = get_int (mark, "time", -1);
      const char *note = mark != NULL ? get_string (json_object_get_member (mark, "note")) : NULL;

      if (time >= 0)
        insert_mark (self, time, note != NULL ? note : "");
    }
}

static void
read_filters (TsSession *self)
{
  JsonArray *array = get_array (self->root, "filters");
  guint n = array != NULL ? MIN (json_array_get_length (array), 64) : 0;
  g_autoptr (GPtrArray) filters = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      const char *text = get_string (json_array_get_element (array, i));

      if (text != NULL)
        g_ptr_array_add (filters, (char *) text);
    }
  g_ptr_array_add (filters, NULL);
  ts_session_set_filters (self, (const char * const *) filters->pdata);
}

/* What the file holds, %NULL if it is none of ours. */
static JsonObject *
read_root (TsSession *self)
{
  g_autoptr (GFile) file = g_file_new_for_path (self->path);
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  JsonNode *root;

  info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, NULL);
  if (info == NULL || g_file_info_get_size (info) > MAX_BYTES ||
      !json_parser_load_from_file (parser, self->path, NULL))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root) ||
      get_int (json_node_get_object (root), "version", 0) != VERSION)
    return NULL;
  return json_object_ref (json_node_get_object (root));
}

/**
 * ts_session_load:
 * @self: a session
 *
 * Reads its file. One that is damaged is as good as none.
 *
 * Thread: main
 *
 * Returns: whether there is a session
 */
gboolean
ts_session_load (TsSession *self)
{
  g_clear_pointer (&self->root, json_object_unref);
  self->root = read_root (self);
  if (self->root == NULL)
    return FALSE;
  read_marks (self, self->root);
  read_filters (self);
  self->lane_percent = (double) CLAMP (get_int (self->root, "lane-percent", 100), 20, 1000);
  return TRUE;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void
set_lanes (JsonObject *object,
           const char *name,
           GArray *lanes)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < lanes->len; i++)
    json_array_add_int_element (array, g_array_index (lanes, guint32, i));
  json_object_set_array_member (object, name, array);
}

/* Pairs of a lane and its style, of a lane and its host. */
static void
set_plots (JsonObject *root,
           TsViewState *view)
{
  JsonArray *styles = json_array_new ();
  JsonArray *hosts = json_array_new ();
  guint n;
  const TsLaneInfo *lanes = ts_recording_get_lanes (ts_view_state_get_recording (view), &n);

  for (guint i = 0; i < n; i++)
    {
      guint32 host = ts_view_state_get_plot_host (view, lanes[i].id);

      if (ts_view_state_has_plot_style (view, lanes[i].id))
        {
          json_array_add_int_element (styles, lanes[i].id);
          json_array_add_int_element (styles, ts_view_state_get_plot_style (view, lanes[i].id));
        }
      if (host != 0)
        {
          json_array_add_int_element (hosts, lanes[i].id);
          json_array_add_int_element (hosts, host);
        }
    }
  json_object_set_array_member (root, "plots", styles);
  json_object_set_array_member (root, "plot-hosts", hosts);
}

/* Element of an array that may hold anything, -1 if it is no whole number. */
static gint64
get_element (JsonArray *array,
             guint i)
{
  JsonNode *node = json_array_get_element (array, i);

  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64
             ? json_node_get_int (node)
             : -1;
}

static void
apply_plots (JsonObject *root,
             TsViewState *view)
{
  static const char * const names[] = { "plots", "plot-hosts" };

  for (guint kind = 0; kind < G_N_ELEMENTS (names); kind++)
    {
      JsonArray *array = get_array (root, names[kind]);
      guint n = array != NULL ? MIN (json_array_get_length (array), 4096) : 0;

      for (guint i = 0; i + 1 < n; i += 2)
        {
          gint64 lane = get_element (array, i);
          gint64 value = get_element (array, i + 1);

          if (lane <= 0 || lane > G_MAXUINT32 || value < 0 || value > G_MAXUINT32)
            continue;
          if (kind == 0 && value < TS_PLOT_N_STYLES)
            ts_view_state_set_plot_style (view, (guint32) lane, (TsPlotStyle) value);
          else if (kind == 1)
            ts_view_state_set_plot_host (view, (guint32) lane, (guint32) value);
        }
    }
}

/* Lanes for which @test holds. */
static GArray *
collect (TsViewState *view,
         gboolean (*test) (TsViewState *view,
                           guint32 lane))
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n;
  const TsLaneInfo *lanes = ts_recording_get_lanes (ts_view_state_get_recording (view), &n);

  for (guint i = 0; i < n; i++)
    if (test (view, lanes[i].id))
      g_array_append_val (found, lanes[i].id);
  return found;
}

/* Whether an event is still to be chosen in @view: nobody has chosen anything since. */
static gboolean
is_event_to_come (TsSession *self,
                  TsViewState *view)
{
  return self->view != NULL && self->view == view && ts_view_state_get_event (view) == 0
         && ts_view_state_get_cursor (view) == self->cursor;
}

/**
 * ts_session_take_view:
 * @self: a session
 * @view: the view of its recording
 *
 * Takes down what is seen and how.
 *
 * Thread: main
 */
void
ts_session_take_view (TsSession *self,
                      TsViewState *view)
{
  g_autoptr (GArray) hidden = NULL;
  g_autoptr (GArray) pinned = NULL;
  g_autoptr (GArray) places = NULL;
  JsonObject *root = json_object_new ();
  gint64 begin;
  gint64 end;
  gint64 folded = 0;

  for (guint i = 0; i < ts_view_state_get_n_groups (view); i++)
    if (ts_view_state_is_group_folded (view, i))
      folded |= G_GINT64_CONSTANT (1) << i;
  hidden = collect (view, ts_view_state_is_lane_hidden);
  pinned = collect (view, ts_view_state_is_lane_pinned);
  places = ts_view_state_get_lane_places (view);
  json_object_set_int_member (root, "begin", ts_view_state_get_begin (view));
  json_object_set_int_member (root, "span", ts_view_state_get_span (view));
  json_object_set_int_member (root, "scroll", ts_view_state_get_scroll_y (view));
  json_object_set_int_member (root, "cursor", ts_view_state_get_cursor (view));
  json_object_set_int_member (root, "event",
                              (gint64) (is_event_to_come (self, view)
                                            ? self->row
                                            : ts_view_state_get_event (view)));
  json_object_set_int_member (root, "second-cursor", ts_view_state_get_second_cursor (view));
  json_object_set_int_member (root, "zero", ts_view_state_get_time_zero (view));
  json_object_set_int_member (root, "lane", ts_view_state_get_selected_lane (view));
  json_object_set_int_member (root, "folded", folded);
  json_object_set_int_member (root, "sort", ts_view_state_get_lane_sort (view));
  if (ts_view_state_get_range (view, &begin, &end))
    {
      json_object_set_int_member (root, "range-begin", begin);
      json_object_set_int_member (root, "range-end", end);
    }
  set_plots (root, view);
  set_lanes (root, "hidden", hidden);
  set_lanes (root, "pinned", pinned);
  set_lanes (root, "order", places);
  g_clear_pointer (&self->root, json_object_unref);
  self->root = root;
}

/* On a worker: the time of the event. */
static gpointer
read_event_thread (TsRecording *recording,
                   gpointer row,
                   GCancellable *cancellable,
                   GError **error)
{
  TsEvent event;
  guint n = 0;

  if (!ts_recording_read_events (recording, *(const guint64 *) row, 1, &event, &n, error) || n != 1)
    return NULL;
  return g_memdup2 (&event.time, sizeof event.time);
}

static void
on_event_read (gpointer result,
               const GError *error,
               gpointer user_data)
{
  TsSession *self = user_data;
  g_autofree gint64 *time = result;

  if (time != NULL && is_event_to_come (self, self->view)
      && ts_view_state_get_cursor (self->view) == *time)
    ts_view_state_set_event (self->view, self->row, *time);
  forget_event (self);
}

/* The event that was chosen, if it stands where the cursor is. It is read by a worker: nobody waits
 * for the disk. */
static void
restore_event (TsSession *self,
               TsViewState *view)
{
  guint64 row = (guint64) MAX (get_int (self->root, "event", 0), 0);

  forget_event (self);
  if (row == 0 || ts_view_state_get_cursor (view) < 0)
    return;
  if (self->worker == NULL)
    self->worker = ts_worker_new ("[ts-ui] chosen event");
  self->view = g_object_ref (view);
  self->row = row;
  self->cursor = ts_view_state_get_cursor (view);
  ts_worker_set_recording (self->worker, ts_view_state_get_recording (view));
  ts_worker_ask (self->worker, read_event_thread, g_memdup2 (&row, sizeof row), g_free, g_free,
                 on_event_read, self);
}

/**
 * ts_session_apply_view:
 * @self: a session that was loaded
 * @view: a fresh view of its recording
 *
 * Shows what was seen then.
 *
 * Thread: main
 */
void
ts_session_apply_view (TsSession *self,
                       TsViewState *view)
{
  TsRecording *recording = ts_view_state_get_recording (view);
  g_autoptr (GArray) hidden = NULL;
  g_autoptr (GArray) pinned = NULL;
  g_autoptr (GArray) places = NULL;
  gint64 folded;
  gint64 lane;
  gint64 sort;
  gint64 end;

  if (self->root == NULL || recording == NULL)
    return;
  end = ts_recording_get_duration (recording);
  folded = get_int (self->root, "folded", 0);
  for (guint i = 0; i < ts_view_state_get_n_groups (view); i++)
    ts_view_state_set_group_folded (view, i, (folded >> i & 1) != 0);
  sort = get_int (self->root, "sort", 0);
  if (sort > 0 && sort < TS_LANE_N_SORTS)
    ts_view_state_set_lane_sort (view, (TsLaneSort) sort);
  hidden = get_lanes (self->root, "hidden", recording);
  pinned = get_lanes (self->root, "pinned", recording);
  places = get_lanes (self->root, "order", recording);
  apply_plots (self->root, view);
  if (places->len > 0)
    ts_view_state_set_lane_places (view, (const guint32 *) places->data, places->len);
  for (guint i = 0; i < hidden->len; i++)
    ts_view_state_set_lane_hidden (view, g_array_index (hidden, guint32, i), TRUE);
  for (guint i = 0; i < pinned->len; i++)
    ts_view_state_set_lane_pinned (view, g_array_index (pinned, guint32, i), TRUE);
  if (get_int (self->root, "span", 0) > 0 && !ts_recording_is_live (recording))
    ts_view_state_set_visible (view, get_int (self->root, "begin", 0),
                               get_int (self->root, "span", 0));
  ts_view_state_set_scroll_y (view, (int) CLAMP (get_int (self->root, "scroll", 0), 0, 1 << 24));
  ts_view_state_set_cursor (view, CLAMP (get_int (self->root, "cursor", -1), -1, end));
  ts_view_state_set_second_cursor (view,
                                   CLAMP (get_int (self->root, "second-cursor", -1), -1, end));
  ts_view_state_set_time_zero (view, CLAMP (get_int (self->root, "zero", 0), 0, end));
  lane = get_int (self->root, "lane", 0);
  if (lane > 0 && lane <= G_MAXUINT32 &&
      ts_recording_get_lane (recording, (guint32) lane) != NULL)
    ts_view_state_select_lane (view, (guint32) lane);
  restore_event (self, view);
  if (get_int (self->root, "range-end", -1) > get_int (self->root, "range-begin", 0))
    ts_view_state_set_range (view, CLAMP (get_int (self->root, "range-begin", 0), 0, end),
                             CLAMP (get_int (self->root, "range-end", 0), 0, end + 1));
}

/* The marks of the file, as another window may have left it, and our changes since. */
static void
merge_marks (TsSession *self)
{
  g_autoptr (JsonObject) root = read_root (self);
  GHashTableIter iter;
  gpointer time;
  gpointer note;

  if (root == NULL)
    return;

  g_array_set_size (self->marks, 0);
  read_marks (self, root);
  g_hash_table_iter_init (&iter, self->changes);
  while (g_hash_table_iter_next (&iter, &time, &note))
    if (note != NULL)
      insert_mark (self, *(gint64 *) time, note);
    else
      take_mark_away (self, *(gint64 *) time);
}

/**
 * ts_session_save:
 * @self: a session
 * @error: return location
 *
 * Replaces its file at once, never half. Marks that another window has set or removed since it was
 * read are kept so, and are in @self afterwards.
 *
 * Thread: main
 * Errors: G_FILE_ERROR, G_IO_ERROR: the folder or file cannot be written
 *
 * Returns: whether it is on disk
 */
gboolean
ts_session_save (TsSession *self,
                 GError **error)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autofree char *text = NULL;
  JsonArray *marks = json_array_new ();
  JsonArray *filters = json_array_new ();

  if (self->root == NULL)
    self->root = json_object_new ();
  merge_marks (self);
  for (guint i = 0; i < self->marks->len; i++)
    {
      const TsMark *mark = &g_array_index (self->marks, TsMark, i);
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "time", mark->time);
      json_object_set_string_member (object, "note", mark->note);
      json_array_add_object_element (marks, object);
    }
  for (guint i = 0; self->filters[i] != NULL; i++)
    json_array_add_string_element (filters, self->filters[i]);
  {
    /* what was read is never changed: it may be immutable */
    JsonObject *root = json_object_new ();
    JsonObjectIter iter;
    const char *name;
    JsonNode *value;

    json_object_iter_init (&iter, self->root);
    while (json_object_iter_next (&iter, &name, &value))
      json_object_set_member (root, name, json_node_copy (value));
    json_object_set_int_member (root, "version", VERSION);
    json_object_set_int_member (root, "lane-percent", (gint64) (self->lane_percent + 0.5));
    json_object_set_array_member (root, "marks", marks);
    json_object_set_array_member (root, "filters", filters);
    json_node_take_object (node, root);
  }
  text = json_to_string (node, TRUE);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   _ ("Cannot make the folder “%s” for marks: %s."), folder, g_strerror (errno));
      return FALSE;
    }
  if (!g_file_set_contents (self->path, text, -1, error))
    return FALSE;
  g_hash_table_remove_all (self->changes);
  return TRUE;
}

/* --- filters, heights ------------------------------------------------------------------------- */

/**
 * ts_session_set_filters:
 * @self: a session
 * @filters: (array zero-terminated=1): texts of filters
 *
 * Thread: main
 */
void
ts_session_set_filters (TsSession *self,
                        const char * const *filters)
{
  char **copy = g_strdupv ((char **) filters);

  g_strfreev (self->filters);
  self->filters = copy;
}

/**
 * ts_session_get_filters:
 * @self: a session
 *
 * Thread: main
 *
 * Returns: (transfer none) (array zero-terminated=1): texts of filters
 */
const char * const *
ts_session_get_filters (TsSession *self)
{
  return (const char * const *) self->filters;
}

/**
 * ts_session_set_lane_percent:
 * @self: a session
 * @percent: height of lanes
 *
 * Thread: main
 */
void
ts_session_set_lane_percent (TsSession *self,
                             double percent)
{
  self->lane_percent = percent;
}

/**
 * ts_session_get_lane_percent:
 * @self: a session
 *
 * Thread: main
 *
 * Returns: height of lanes, 100 as the font says
 */
double
ts_session_get_lane_percent (TsSession *self)
{
  return self->lane_percent;
}

/* --- marks ------------------------------------------------------------------------------------ */

/**
 * ts_session_get_n_marks:
 * @self: a session
 *
 * Thread: main
 *
 * Returns: how many marks there are
 */
guint
ts_session_get_n_marks (TsSession *self)
{
  return self->marks->len;
}

/**
 * ts_session_get_mark:
 * @self: a session
 * @index: a place in order of time
 *
 * Thread: main
 *
 * Returns: (transfer none): the mark
 */
const TsMark *
ts_session_get_mark (TsSession *self,
                     guint index)
{
  g_return_val_if_fail (index < self->marks->len, NULL);
  return &g_array_index (self->marks, TsMark, index);
}

/**
 * ts_session_add_mark:
 * @self: a session
 * @time: tick
 * @note: what it says; replaces that of a mark of the same tick
 *
 * Thread: main
 */
void
ts_session_add_mark (TsSession *self,
                     gint64 time,
                     const char *note)
{
  insert_mark (self, time, note);
  g_hash_table_replace (self->changes, g_memdup2 (&time, sizeof time), g_strdup (note));
}

/**
 * ts_session_remove_mark:
 * @self: a session
 * @time: tick of a mark
 *
 * Thread: main
 *
 * Returns: whether there was one
 */
gboolean
ts_session_remove_mark (TsSession *self,
                        gint64 time)
{
  if (!take_mark_away (self, time))
    return FALSE;
  g_hash_table_replace (self->changes, g_memdup2 (&time, sizeof time), NULL);
  return TRUE;
}

/**
 * ts_session_show_marks:
 * @self: a session
 * @view: where they are drawn
 *
 * Thread: main
 */
void
ts_session_show_marks (TsSession *self,
                       TsViewState *view)
{
  g_autofree gint64 *times = g_new (gint64, self->marks->len + 1);

  for (guint i = 0; i < self->marks->len; i++)
    times[i] = g_array_index (self->marks, TsMark, i).time;
  ts_view_state_set_marks (view, times, self->marks->len);
}
