/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-capture-session.c: a capture as the main thread sees it: states, figures, and signals at a
 * rate a person can follow. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-capture-private.h"
#include "ts-hardware-trace.h"
#include "ts-probe.h"

#define DATA_INTERVAL_US 16000
#define NOTIFY_INTERVAL_US 50000
#define DEFAULT_RING_BYTES (16 * 1024 * 1024)
#define MAX_RING_BYTES ((gsize) 1024 * 1024 * 1024)
#define SLOT_BYTES 2048
#define MIN_SLOTS 4

struct _TsCaptureSession
{
  GObject parent_instance;

  TsConnection *connection;
  char *output;
  TsCaptureOptions options;   /* its string is not kept */
  GMainContext *context;
  TsCaptureCore *core;        /* NULL before the start */

  /* as told to the outside */
  TsCaptureState state;
  char *message;
  GError *error;
  TsCaptureStats stats;
  gint64 data_us;
  gint64 notified_us;
  gboolean has_data;

  GMutex lock;                /* protects the next two */
  GSource *delivery;          /* pending in the main context */
  gboolean is_over;           /* nothing more will be delivered */
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_MESSAGE,
  PROP_BYTES,
  PROP_EVENTS,
  PROP_BYTES_PER_S,
  PROP_EVENTS_PER_S,
  PROP_FILL,
  PROP_HIGH_WATER,
  PROP_RING_OVERRUNS,
  PROP_RING_DROPPED_BYTES,
  PROP_LOST_EVENTS,
  PROP_CORRUPT_BYTES,
  PROP_ELAPSED_US,
  PROP_RECONNECTS,
  PROP_TRIGGER_STATE,
  PROP_TRIGGER_FIRED,
  PROP_TRIGGER_HELD_US,
  PROP_TRIGGER_WANTED_US,
  N_PROPERTIES
};

enum
{
  SIGNAL_DATA,
  SIGNAL_ENDED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsCaptureSession, ts_capture_session, G_TYPE_OBJECT)

/* ---- delivery in the main context ---- */

static gboolean deliver (gpointer user_data);

/* Any thread. */
static void
request_delivery (TsCaptureSession *self,
                  gint64 delay_us)
{
  g_mutex_lock (&self->lock);
  if (self->delivery == NULL && !self->is_over)
    {
      self->delivery = delay_us > 0 ? g_timeout_source_new ((guint) (delay_us / 1000 + 1))
                                    : g_idle_source_new ();
      g_source_set_priority (self->delivery, G_PRIORITY_DEFAULT);
      g_source_set_static_name (self->delivery, "ts-capture-session");
      g_source_set_callback (self->delivery, deliver, self, NULL);
      g_source_attach (self->delivery, self->context);
    }
  g_mutex_unlock (&self->lock);
}

static void
wake_session (gpointer user_data)
{
  request_delivery (user_data, 0);
}

static void
set_state (TsCaptureSession *self,
           TsCaptureState state)
{
  if (self->state == state)
    return;

  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
set_message (TsCaptureSession *self,
             const char *message)
{
  if (g_strcmp0 (self->message, message) == 0)
    return;

  g_free (self->message);
  self->message = g_strdup (message);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MESSAGE]);
}

/* Each in its turn: whoever writes them down misses none. */
static void
set_messages (TsCaptureSession *self,
              const TsCaptureNews *news)
{
  for (guint i = 0; i < news->messages->len; i++)
    set_message (self, news->messages->pdata[i]);
}

#define SET_STAT(field, property)                                                  \
  G_STMT_START                                                                     \
    {                                                                              \
      if (self->stats.field != stats->field)                                       \
        {                                                                          \
          self->stats.field = stats->field;                                        \
          g_object_notify_by_pspec (G_OBJECT (self), properties[property]);        \
        }                                                                          \
    }                                                                              \
  G_STMT_END

static void
set_stats (TsCaptureSession *self,
           const TsCaptureStats *stats)
{
  g_object_freeze_notify (G_OBJECT (self));
  SET_STAT (bytes, PROP_BYTES);
  SET_STAT (events, PROP_EVENTS);
  SET_STAT (bytes_per_s, PROP_BYTES_PER_S);
  SET_STAT (events_per_s, PROP_EVENTS_PER_S);
  SET_STAT (fill, PROP_FILL);
  SET_STAT (high_water, PROP_HIGH_WATER);
  SET_STAT (ring_overruns, PROP_RING_OVERRUNS);
  SET_STAT (ring_dropped_bytes, PROP_RING_DROPPED_BYTES);
  SET_STAT (lost_events, PROP_LOST_EVENTS);
  SET_STAT (corrupt_bytes, PROP_CORRUPT_BYTES);
  SET_STAT (elapsed_us, PROP_ELAPSED_US);
  SET_STAT (reconnects, PROP_RECONNECTS);
  SET_STAT (trigger_state, PROP_TRIGGER_STATE);
  SET_STAT (trigger_fired, PROP_TRIGGER_FIRED);
  SET_STAT (trigger_held_us, PROP_TRIGGER_HELD_US);
  SET_STAT (trigger_wanted_us, PROP_TRIGGER_WANTED_US);
  g_object_thaw_notify (G_OBJECT (self));
}

static void
drop_delivery (TsCaptureSession *self,
               gboolean is_over)
{
  GSource *delivery;

  g_mutex_lock (&self->lock);
  delivery = g_steal_pointer (&self->delivery);
  self->is_over = self->is_over || is_over;
  g_mutex_unlock (&self->lock);

  if (delivery != NULL)
    {
      g_source_destroy (delivery);
      g_source_unref (delivery);
    }
}

static gboolean
deliver (gpointer user_data)
{
  g_autoptr (TsCaptureSession) self = g_object_ref (user_data);
  TsCaptureNews news;
  gint64 now_us = g_get_monotonic_time ();

  drop_delivery (self, FALSE);
  _ts_capture_core_take_news (self->core, &news);
  self->has_data = self->has_data || news.has_data;

  if (news.is_ended)
    {
      drop_delivery (self, TRUE);
      _ts_capture_core_join (self->core);
      if (self->has_data)
        g_signal_emit (self, signals[SIGNAL_DATA], 0);
      self->error = g_steal_pointer (&news.error);
      set_stats (self, &news.stats);
      set_messages (self, &news);
      set_state (self, news.state);
      g_signal_emit (self, signals[SIGNAL_ENDED], 0);
      _ts_capture_news_clear (&news);
      return G_SOURCE_REMOVE;
    }

  if (self->state < news.state)
    set_state (self, news.state);
  set_messages (self, &news);
  if (now_us - self->notified_us >= NOTIFY_INTERVAL_US)
    {
      self->notified_us = now_us;
      set_stats (self, &news.stats);
    }

  if (self->has_data)
    {
      gint64 early_us = DATA_INTERVAL_US - (now_us - self->data_us);

      if (early_us > 0)
        request_delivery (self, early_us);
      else
        {
          self->has_data = FALSE;
          self->data_us = now_us;
          g_signal_emit (self, signals[SIGNAL_DATA], 0);
        }
    }
  _ts_capture_news_clear (&news);

  return G_SOURCE_REMOVE;
}

/* ---- object ---- */

static void
ts_capture_session_get_property (GObject *object,
                                 guint property_id,
                                 GValue *value,
                                 GParamSpec *pspec)
{
  TsCaptureSession *self = TS_CAPTURE_SESSION (object);

  switch (property_id)
    {
    case PROP_STATE:
      g_value_set_int (value, self->state);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    case PROP_BYTES:
      g_value_set_uint64 (value, self->stats.bytes);
      break;
    case PROP_EVENTS:
      g_value_set_uint64 (value, self->stats.events);
      break;
    case PROP_BYTES_PER_S:
      g_value_set_double (value, self->stats.bytes_per_s);
      break;
    case PROP_EVENTS_PER_S:
      g_value_set_double (value, self->stats.events_per_s);
      break;
    case PROP_FILL:
      g_value_set_double (value, self->stats.fill);
      break;
    case PROP_HIGH_WATER:
      g_value_set_double (value, self->stats.high_water);
      break;
    case PROP_RING_OVERRUNS:
      g_value_set_uint64 (value, self->stats.ring_overruns);
      break;
    case PROP_RING_DROPPED_BYTES:
      g_value_set_uint64 (value, self->stats.ring_dropped_bytes);
      break;
    case PROP_LOST_EVENTS:
      g_value_set_int64 (value, self->stats.lost_events);
      break;
    case PROP_CORRUPT_BYTES:
      g_value_set_uint64 (value, self->stats.corrupt_bytes);
      break;
    case PROP_ELAPSED_US:
      g_value_set_int64 (value, self->stats.elapsed_us);
      break;
    case PROP_RECONNECTS:
      g_value_set_uint64 (value, self->stats.reconnects);
      break;
    case PROP_TRIGGER_STATE:
      g_value_set_int (value, (int) self->stats.trigger_state);
      break;
    case PROP_TRIGGER_FIRED:
      g_value_set_uint64 (value, self->stats.trigger_fired);
      break;
    case PROP_TRIGGER_HELD_US:
      g_value_set_int64 (value, self->stats.trigger_held_us);
      break;
    case PROP_TRIGGER_WANTED_US:
      g_value_set_int64 (value, self->stats.trigger_wanted_us);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
      break;
    }
}

static void
ts_capture_session_dispose (GObject *object)
{
  TsCaptureSession *self = TS_CAPTURE_SESSION (object);

  if (self->core != NULL)
    {
      _ts_capture_core_stop (self->core, "stopped");
      _ts_capture_core_join (self->core);
    }
  drop_delivery (self, TRUE);
  g_clear_pointer (&self->core, _ts_capture_core_free);
  g_clear_object (&self->connection);

  G_OBJECT_CLASS (ts_capture_session_parent_class)->dispose (object);
}

static void
ts_capture_session_finalize (GObject *object)
{
  TsCaptureSession *self = TS_CAPTURE_SESSION (object);

  g_clear_pointer (&self->context, g_main_context_unref);
  g_clear_error (&self->error);
  g_free (self->message);
  g_clear_object (&self->options.names);
  g_free (self->output);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ts_capture_session_parent_class)->finalize (object);
}

static GParamSpec *
make_count (const char *name,
            const char *blurb)
{
  return g_param_spec_uint64 (name, NULL, blurb, 0, G_MAXUINT64, 0,
                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
}

static GParamSpec *
make_double (const char *name,
             const char *blurb)
{
  return g_param_spec_double (name, NULL, blurb, 0.0, G_MAXDOUBLE, 0.0,
                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
}

static GParamSpec *
make_int64 (const char *name,
            const char *blurb,
            gint64 minimum,
            gint64 initial)
{
  return g_param_spec_int64 (name, NULL, blurb, minimum, G_MAXINT64, initial,
                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
}

static void
ts_capture_session_class_init (TsCaptureSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = ts_capture_session_get_property;
  object_class->dispose = ts_capture_session_dispose;
  object_class->finalize = ts_capture_session_finalize;

  properties[PROP_STATE]
      = g_param_spec_int ("state", NULL, "A TsCaptureState", 0, TS_CAPTURE_FAILED, 0, flags);
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, "What is going on, or why it failed", NULL, flags);
  properties[PROP_BYTES] = make_count ("bytes", "Bytes that arrived");
  properties[PROP_EVENTS] = make_count ("events", "Events decoded");
  properties[PROP_BYTES_PER_S] = make_double ("bytes-per-s", "Bytes per second of late");
  properties[PROP_EVENTS_PER_S] = make_double ("events-per-s", "Events per second of late");
  properties[PROP_FILL] = make_double ("fill", "Share of the ring in use");
  properties[PROP_HIGH_WATER] = make_double ("high-water", "Largest share of the ring so far");
  properties[PROP_RING_OVERRUNS] = make_count ("ring-overruns", "Times the ring was full");
  properties[PROP_RING_DROPPED_BYTES]
      = make_count ("ring-dropped-bytes", "Bytes lost because the ring was full");
  properties[PROP_LOST_EVENTS]
      = make_int64 ("lost-events", "Events that never arrived, -1 unknown", -1, -1);
  properties[PROP_CORRUPT_BYTES] = make_count ("corrupt-bytes", "Bytes that could not be decoded");
  properties[PROP_ELAPSED_US]
      = make_int64 ("elapsed-us", "Microseconds since the capture began", 0, 0);
  properties[PROP_RECONNECTS] = make_count ("reconnects", "Times the connection was made again");
  properties[PROP_TRIGGER_STATE] = g_param_spec_int (
      "trigger-state", NULL, "A TsTriggerState", 0, TS_TRIGGER_DONE, 0, flags);
  properties[PROP_TRIGGER_FIRED] = make_count ("trigger-fired", "Times the trigger has fired");
  properties[PROP_TRIGGER_HELD_US]
      = make_int64 ("trigger-held-us", "Time held before the trigger, or recorded after it", 0, 0);
  properties[PROP_TRIGGER_WANTED_US]
      = make_int64 ("trigger-wanted-us", "How much of it is wanted", 0, 0);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  /**
   * TsCaptureSession::data:
   *
   * New events were published: refresh the recording. At most once per 16 ms.
   */
  signals[SIGNAL_DATA] = g_signal_new ("data", TS_TYPE_CAPTURE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 0);
  /**
   * TsCaptureSession::ended:
   *
   * The last signal: the state is stopped or failed, the recording is complete on disk.
   */
  signals[SIGNAL_ENDED] = g_signal_new ("ended", TS_TYPE_CAPTURE_SESSION, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_capture_session_init (TsCaptureSession *self)
{
  g_mutex_init (&self->lock);
  self->stats.lost_events = -1;
}

/**
 * ts_capture_session_new:
 * @connection: what to connect to; read at ts_capture_session_start()
 * @options: how to capture; copied
 *
 * Makes a capture that is not started yet. Signals and notifications come in the thread-default
 * main context of the caller. Dropping the last reference of a running capture stops it and waits
 * until its recording is complete; to not wait, stop it first and let "ended" come.
 *
 * Thread: the caller's becomes the owner
 *
 * Returns: (transfer full): it
 */
TsCaptureSession *
ts_capture_session_new (TsConnection *connection,
                        const TsCaptureOptions *options)
{
  TsCaptureSession *self;

  g_return_val_if_fail (TS_IS_CONNECTION (connection), NULL);
  g_return_val_if_fail (options != NULL && options->output != NULL, NULL);

  self = g_object_new (TS_TYPE_CAPTURE_SESSION, NULL);
  self->connection = g_object_ref (connection);
  self->options = *options;
  self->options.output = NULL;
  if (self->options.names != NULL)
    g_object_ref (self->options.names);
  self->output = g_strdup (options->output);
  self->context = g_main_context_ref_thread_default ();

  return self;
}

/* The watches of the connection become names; comparators are given in their order. */
static TsNames *
dup_names (TsCaptureSession *self)
{
  TsNames *names = self->options.names != NULL ? g_object_ref (self->options.names) : NULL;
  TsHardwareTrace trace;

  if (!ts_hardware_trace_read (&trace,
                               ts_connection_get_object (self->connection, "hardware-trace"),
                               NULL))
    return names;
  if (names == NULL && trace.n_watches > 0)
    names = ts_names_new ();
  for (guint i = 0; i < trace.n_watches; i++)
    ts_names_set_watch (names, i, trace.watches[i].name, trace.watches[i].address);
  ts_hardware_trace_clear (&trace);

  return names;
}

static TsCaptureCore *
make_core (TsCaptureSession *self,
           TsSource *source,
           GError **error)
{
  gsize ring_bytes = self->options.ring_bytes > 0 ? MIN (self->options.ring_bytes, MAX_RING_BYTES)
                                                  : DEFAULT_RING_BYTES;
  guint n_slots = MAX (MIN_SLOTS, (guint) (ring_bytes / SLOT_BYTES));
  TsCaptureCore *core = _ts_capture_core_new ();

  core->source = source;
  core->output = g_strdup (self->output);
  core->transport = g_strdup (ts_connection_get_transport (self->connection));
  core->description = source->klass->describe (source);
  core->ring_mode = self->options.ring_mode;
  core->keep_raw_log = self->options.keep_raw_log;
  core->duration_us = MAX (self->options.duration_ms, 0) * 1000;
  core->clock_hz = (guint64) ts_connection_get_int (self->connection, "cpu-clock-hz");
  core->trigger = g_strdup (ts_connection_get_string (self->connection, "trigger"));
  core->trigger_options = (TsTriggerOptions){
    .expression = core->trigger,
    .before_ms = ts_connection_get_int (self->connection, "trigger-before-ms"),
    .after_ms = ts_connection_get_int (self->connection, "trigger-after-ms"),
    .keep_raw_log = self->options.keep_raw_log,
  };
  ts_trigger_action_from_name (ts_connection_get_string (self->connection, "trigger-action"),
                               &core->trigger_options.action);
  core->has_polled = source->klass->polls != NULL && source->klass->polls (source);
  core->names = dup_names (self);
  /* a source that sets up the target itself tells what it did */
  if (ts_probe_type_of_transport (core->transport) == NULL)
    core->hardware_trace = ts_hardware_trace_dup_description (self->connection);
  core->is_file = strcmp (core->transport, "file") == 0;
  core->is_waiting_source = source->klass->lossless && core->ring_mode == TS_RING_LINEAR;
  core->max_emit_bytes = MAX (1, n_slots / 2) * (gsize) SLOT_BYTES;
  core->wake = wake_session;
  core->wake_data = self;
  core->ring = ts_buffer_ring_new (core->ring_mode, n_slots, SLOT_BYTES,
                                   MIN (self->options.high_water_percent, 100));
  if (core->ring == NULL)
    {
      g_set_error (
          error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
          _("There is no memory for a ring of %zu bytes: choose a smaller one."),
          ring_bytes);
      g_clear_pointer (&core, _ts_capture_core_free);
    }

  return core;
}

/**
 * ts_capture_session_start:
 * @self: a capture that was not started yet
 * @error: return location
 *
 * Starts connecting; everything further is told by the state. The output is touched only once the
 * source is open.
 *
 * Thread: owner; returns at once
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG, %TS_CAPTURE_ERROR_NOT_BUILT; the state is failed then, and
 * “ended” does not come
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_capture_session_start (TsCaptureSession *self,
                          GError **error)
{
  TsSource *source;
  TsCaptureCore *core = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autofree char *message = NULL;

  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), FALSE);
  g_return_val_if_fail (self->state == TS_CAPTURE_IDLE && self->core == NULL, FALSE);

  source = ts_source_new (self->connection, &local_error);
  if (source != NULL && strcmp (source->klass->transport, "file") == 0
      && _ts_capture_is_same_file (ts_connection_get_string (self->connection, "file-path"),
                                   self->output))
    {
      g_set_error (&local_error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” is both input and output: choose another output."), self->output);
      g_clear_pointer (&source, ts_source_free);
    }
  if (source != NULL)
    core = make_core (self, source, &local_error);
  if (core == NULL)
    {
      self->error = g_error_copy (local_error);
      set_message (self, local_error->message);
      set_state (self, TS_CAPTURE_FAILED);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }

  self->core = core;
  message = g_strdup_printf (_("Connecting to %s"), core->description);
  set_message (self, message);
  set_state (self, TS_CAPTURE_CONNECTING);
  if (!_ts_capture_core_start (core, &local_error))
    {
      g_clear_pointer (&self->core, _ts_capture_core_free);
      self->error = g_error_copy (local_error);
      set_message (self, local_error->message);
      set_state (self, TS_CAPTURE_FAILED);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }

  return TRUE;
}

/**
 * ts_capture_session_stop:
 * @self: a capture
 *
 * Asks for the end: what has arrived is still decoded and written, then "ended" comes. Harmless in
 * any state and any number of times.
 *
 * Thread: owner; returns at once
 */
void
ts_capture_session_stop (TsCaptureSession *self)
{
  g_return_if_fail (TS_IS_CAPTURE_SESSION (self));

  if (self->core == NULL || self->state >= TS_CAPTURE_STOPPED)
    return;

  _ts_capture_core_stop (self->core, "stopped");
  if (self->state < TS_CAPTURE_STOPPING)
    {
      set_message (self, _("Stopping"));
      set_state (self, TS_CAPTURE_STOPPING);
    }
}

/**
 * ts_capture_session_get_state:
 * @self: a capture
 *
 * Thread: owner
 *
 * Returns: its state
 */
TsCaptureState
ts_capture_session_get_state (TsCaptureSession *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), TS_CAPTURE_FAILED);

  return self->state;
}

/**
 * ts_capture_session_get_message:
 * @self: a capture
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): what is going on, or why it failed
 */
const char *
ts_capture_session_get_message (TsCaptureSession *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), NULL);

  return self->message;
}

/**
 * ts_capture_session_get_error:
 * @self: a capture
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): why it failed, %NULL if it has not
 */
const GError *
ts_capture_session_get_error (TsCaptureSession *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), NULL);

  return self->error;
}

/**
 * ts_capture_session_dup_description:
 * @self: a capture
 *
 * Thread: owner
 *
 * Returns: (transfer full): the source in a few words, such as "UDP 0.0.0.0:17200"
 */
char *
ts_capture_session_dup_description (TsCaptureSession *self)
{
  const char *transport;

  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), NULL);

  if (self->core != NULL)
    return g_strdup (self->core->description);

  transport = ts_connection_get_transport (self->connection);

  return g_strdup (transport != NULL ? transport : _("no transport"));
}

/**
 * ts_capture_session_get_stats:
 * @self: a capture
 * @stats: (out caller-allocates): the figures, as last told
 *
 * Thread: owner
 */
void
ts_capture_session_get_stats (TsCaptureSession *self,
                              TsCaptureStats *stats)
{
  g_return_if_fail (TS_IS_CAPTURE_SESSION (self));
  g_return_if_fail (stats != NULL);

  *stats = self->stats;
}

/**
 * ts_capture_session_dup_recording:
 * @self: a capture
 * @error: return location
 *
 * Opens what is being recorded, live while it grows; to be refreshed at each "data". Each call
 * opens another reader.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_EMPTY when there is nothing yet, or no more; those of
 * ts_recording_open()
 *
 * Returns: (transfer full): a recording, or %NULL with @error set
 */
TsRecording *
ts_capture_session_dup_recording (TsCaptureSession *self,
                                  GError **error)
{
  TsPipeline *pipeline = NULL;
  gboolean is_over = FALSE;

  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), NULL);

  if (self->core != NULL)
    {
      g_mutex_lock (&self->core->lock);
      pipeline = self->core->pipeline;
      is_over = self->core->news.is_ended;
      g_mutex_unlock (&self->core->lock);
    }

  if (pipeline == NULL || (is_over && !self->core->has_summary))
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                           _("Nothing has been recorded yet."));
      return NULL;
    }
  if (is_over)
    return ts_recording_open (self->output, error);

  return ts_recording_open_live (_ts_pipeline_get_writer (pipeline), error);
}

/**
 * ts_capture_session_get_summary:
 * @self: a capture
 * @summary: (out caller-allocates): figures of the recording; ts_recording_summary_clear()
 *
 * Thread: owner
 *
 * Returns: %TRUE once the capture has ended with events, else %FALSE and nothing is written
 */
gboolean
ts_capture_session_get_summary (TsCaptureSession *self,
                                TsRecordingSummary *summary)
{
  g_return_val_if_fail (TS_IS_CAPTURE_SESSION (self), FALSE);
  g_return_val_if_fail (summary != NULL, FALSE);

  if (self->state < TS_CAPTURE_STOPPED || self->core == NULL || !self->core->has_summary)
    return FALSE;

  *summary = self->core->summary;
  summary->os = g_strdup (self->core->summary.os);

  return TRUE;
}
