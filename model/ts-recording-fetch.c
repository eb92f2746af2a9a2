/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-fetch.c: a recording whose lanes are unpacked ahead, on a worker. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-reader-private.h"
#include "ts-recording-private.h"

/**
 * TsRecordingFetch:
 * @recording: not owned: ends the worker before it goes
 * @rdb: the worker's own connection
 * @origin: that of the recording
 * @is_live: the recording is being written
 * @is_checked: the worker knows which of the two to use
 * @is_own: it is its own
 * @context: where @notify is called
 * @is_pending: a call of @notify is on its way; atomic
 */
struct _TsRecordingFetch
{
  TsRecording *recording;
  TsReaderDb *rdb;
  TsReaderDb *origin;
  gboolean is_live;
  gboolean is_checked;
  gboolean is_own;
  GMainContext *context;
  TsRecordingFetched notify;
  gpointer user_data;
  gboolean is_stopped;
  gint is_pending;
};

static void
fetch_clear (gpointer data)
{
  TsRecordingFetch *self = data;

  g_clear_pointer (&self->rdb, _ts_reader_db_detach);
  g_clear_pointer (&self->origin, _ts_reader_db_unref);
  g_main_context_unref (self->context);
}

static void
fetch_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, fetch_clear);
}

/* On the worker. Its connection is made by the name of the file, which may have been removed or
 * replaced by another since the recording was opened: then that of the recording has to do. */
static GBytes *
load_node (gint64 blob,
           gpointer user_data)
{
  TsRecordingFetch *self = user_data;

  if (!self->is_checked)
    self->is_own = self->is_live || _ts_reader_db_is_twin (self->rdb, self->origin);
  self->is_checked = TRUE;
  return _ts_reader_db_dup_blob (self->is_own ? self->rdb : self->origin, TS_STATEMENT_BLOB, blob);
}

static gboolean
on_fetched (gpointer user_data)
{
  TsRecordingFetch *self = user_data;

  g_atomic_int_set (&self->is_pending, FALSE);
  if (!self->is_stopped)
    {
      g_autoptr (TsRecording) recording = g_object_ref (self->recording);

      if (self->notify != NULL)
        self->notify (self->user_data);
      _ts_recording_emit_fetched (recording);
    }
  return G_SOURCE_REMOVE;
}

/* On the worker. */
static void
tell (gpointer user_data)
{
  TsRecordingFetch *self = user_data;
  g_autoptr (GSource) source = NULL;

  if (!g_atomic_int_compare_and_exchange (&self->is_pending, FALSE, TRUE))
    return;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_HIGH_IDLE);
  g_source_set_callback (source, on_fetched, g_atomic_rc_box_acquire (self), fetch_unref);
  g_source_attach (source, self->context);
}

/**
 * ts_recording_read_coarse:
 * @self: a closed recording
 *
 * Reads what the coarsest picture of every lane needs, what is told of the whole recording
 * (ts_recording_dup_meta() and the like) and the texts of events, if they are not very many, and
 * keeps them: pictures with a deadline then read nothing from the disk where there is a worker
 * (ts_recording_start_fetching()). For the thread that opens; does nothing for a live recording.
 *
 * Cost: some 50 us a lane, and the disk
 * Thread: owner
 */
void
ts_recording_read_coarse (TsRecording *self)
{
  g_return_if_fail (TS_IS_RECORDING (self));

  if (self->live != NULL)
    return;
  _ts_recording_keep_small (self);
  if (self->lanes != NULL)
    _ts_lane_reader_read_roots (self->lanes);
}

/**
 * ts_recording_start_fetching:
 * @self: a recording
 * @notify: (nullable): called when something has come that a picture was coarse for
 * @user_data: for @notify
 *
 * From now on a worker unpacks what ts_recording_query_lane() had no time for, and what
 * ts_recording_fetch_lane() asks for. It goes with the recording, or with
 * ts_recording_stop_fetching().
 *
 * Thread: owner; @notify is called in its main context
 */
void
ts_recording_start_fetching (TsRecording *self,
                             TsRecordingFetched notify,
                             gpointer user_data)
{
  TsRecordingFetch *fetch;

  g_return_if_fail (TS_IS_RECORDING (self));

  ts_recording_stop_fetching (self);
  fetch = g_atomic_rc_box_new0 (TsRecordingFetch);
  fetch->context = g_main_context_ref_thread_default ();
  fetch->recording = self;
  fetch->notify = notify;
  fetch->user_data = user_data;
  fetch->is_live = self->live != NULL;
  if (fetch->is_live)
    fetch->rdb = _ts_reader_db_new_live (self->live);
  else
    fetch->rdb = _ts_reader_db_dup (self->rdb);
  fetch->origin = _ts_reader_db_ref (self->rdb);
  self->fetch = fetch;
  _ts_lane_reader_set_fetcher (self->lanes,
                               _ts_lane_fetcher_new (load_node, fetch, tell, fetch));
}

/**
 * ts_recording_stop_fetching:
 * @self: a recording
 *
 * Ends the worker, if there is one.
 *
 * Thread: owner
 */
void
ts_recording_stop_fetching (TsRecording *self)
{
  g_return_if_fail (TS_IS_RECORDING (self));

  if (self->fetch == NULL)
    return;
  self->fetch->is_stopped = TRUE;
  if (self->lanes != NULL)
    _ts_lane_reader_set_fetcher (self->lanes, NULL);
  g_clear_pointer (&self->fetch, fetch_unref);
}

/**
 * ts_recording_take_fetched:
 * @self: a recording
 *
 * Takes over what the worker has unpacked; before a picture is made.
 *
 * Thread: owner
 *
 * Returns: %TRUE if there was anything
 */
gboolean
ts_recording_take_fetched (TsRecording *self)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), FALSE);

  return self->fetch != NULL && _ts_lane_reader_adopt (self->lanes);
}

/**
 * ts_recording_fetch_lane:
 * @self: a recording
 * @lane: id of a lane
 * @begin: first tick of a window
 * @end: tick after the last
 * @n_columns: its width
 *
 * Asks for what a picture of the window will need, at ts_recording_send_fetches(). Does nothing
 * without a worker.
 *
 * Cost: some microseconds
 * Thread: owner
 */
void
ts_recording_fetch_lane (TsRecording *self,
                         guint32 lane,
                         gint64 begin,
                         gint64 end,
                         guint n_columns)
{
  g_return_if_fail (TS_IS_RECORDING (self));

  if (self->fetch != NULL)
    _ts_lane_reader_plan (self->lanes, lane, begin, end, n_columns);
}

/**
 * ts_recording_send_fetches:
 * @self: a recording
 *
 * Sends the worker what queries and ts_recording_fetch_lane() asked for since the last time. What is
 * left of the request before is no longer done.
 *
 * Thread: owner
 */
void
ts_recording_send_fetches (TsRecording *self)
{
  g_return_if_fail (TS_IS_RECORDING (self));

  if (self->fetch != NULL)
    _ts_lane_reader_send (self->lanes);
}

/**
 * ts_recording_begin_look:
 * @self: a recording
 * @look: who looks
 *
 * From now on, until ts_recording_end_look(), nothing is read from the disk:
 * ts_recording_find_slice() and ts_recording_next_slice() find nothing where it is not in memory,
 * ts_recording_query_lane() without a deadline answers coarser, and what they lack is asked of the
 * worker; with a deadline it asks for nothing. Of a live recording what is wanted has just been
 * written; there, and without a worker, all wait as ever.
 *
 * Thread: owner
 */
void
ts_recording_begin_look (TsRecording *self,
                         TsLook look)
{
  g_return_if_fail (TS_IS_RECORDING (self));

  if (self->fetch != NULL)
    _ts_lane_reader_begin_look (self->lanes, look);
}

/**
 * ts_recording_end_look:
 * @self: a recording
 *
 * Sends what was lacking, before what pictures have asked for. If there was anything, it
 * replaces what is left of the question that the same one asked before.
 *
 * Thread: owner
 *
 * Returns: %TRUE if something was not there: what was found may be wrong. Look again at
 *   #TsRecording::fetched
 */
gboolean
ts_recording_end_look (TsRecording *self)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), FALSE);

  return self->fetch != NULL && _ts_lane_reader_end_look (self->lanes);
}

/**
 * ts_recording_is_fetching:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: whether there is a worker that has something left to do
 */
gboolean
ts_recording_is_fetching (TsRecording *self)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), FALSE);

  return self->fetch != NULL && !_ts_lane_fetcher_is_idle (self->lanes->fetcher);
}
