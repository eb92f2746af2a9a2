/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-stream.c: a capture's live lines on standard error: `--stream`.
 *
 * A thread of its own reads the live recording and writes, so that a slow reader of the lines
 * neither holds up the capture nor keeps it from being stopped.
 *
 * Source: viewalyzer-host.md sections 3.9 and 3.11; `slice` and `cpu_load` are ours
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "capture/ts-poll.h"
#include "model/ts-series.h"
#include "model/ts-slice-feed.h"

#include "ts-cli.h"

#define BATCH 1024
#define N_COMPARATORS 32
#define POLL_US (20 * 1000)
#define LOAD_PERIOD_US (500 * 1000)
#define EXCEPTION_PERIOD_US (200 * 1000)
/* How long a reader that does not read may hold up the end. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)

/* One exception since the begin. Source: viewalyzer-host.md section 3.7, `dwt-exc` */
typedef struct
{
  guint32 object;
  guint64 n[3]; /* enter, exit, return */
  guint depth;
  guint max_depth;
} Exception;

struct _TsCliStream
{
  TsRecording *recording;
  char *path;
  int schema_version;
  GThread *thread;
  GMutex lock;
  GCond cond;
  gboolean is_ending;   /* protected by @lock */
  gboolean is_done;     /* protected by @lock */
  gboolean is_broken;   /* nobody reads */
  GString *text;
  TsSliceFeed *feed;
  GArray *polled;       /* of TsPollSymbol, %NULL: none */
  gboolean is_polling;  /* and nothing else */
  GHashTable *told;     /* objects whose stream_meta has been sent */
  guint64 next_row;
  gint64 first_sample;  /* tick; -1: none yet */
  gint64 load_tick;
  gint64 load_us;
  GString *pcs;         /* numbers since the last line */
  guint64 n_pcs;
  guint64 n_sleep_pcs;
  GString *watch_rows;  /* objects since the last line */
  int watch_sizes[N_COMPARATORS]; /* bytes, 0: not looked up yet */
  Exception exceptions[512];
  guint64 n_exceptions; /* packets */
  guint depth;
  guint max_depth;
  gboolean has_new_exceptions;
  gint64 exceptions_us;
  gboolean is_swo;
  gint64 swo_hz;
  gint64 swo_us;
  guint64 swo_bytes;    /* at the last line */
  guint64 n_overflows;
};

static void
append_quoted (GString *text,
               const char *value)
{
  g_autoptr (JsonNode) node
      = json_node_init_string (json_node_alloc (), value != NULL ? value : "");
  g_autofree char *quoted = ts_cli_dup_json (node, FALSE);

  g_string_append (text, quoted);
}

/* Always with a point or an exponent: readers take it for a float. */
static void
append_float (GString *text,
              double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    {
      g_string_append (text, "null");
      return;
    }
  g_ascii_formatd (digits, sizeof digits, "%.12g", value);
  g_string_append (text, digits);
  if (strpbrk (digits, ".e") == NULL)
    g_string_append (text, ".0");
}

static void
flush (TsCliStream *self)
{
  gsize done = 0;

  while (!self->is_broken && done < self->text->len)
    {
      gssize n = write (STDERR_FILENO, self->text->str + done, self->text->len - done);

      if (n > 0)
        done += (gsize) n;
      else if (n < 0 && errno != EINTR && errno != EAGAIN)
        self->is_broken = TRUE;
      else if (n < 0 && errno == EAGAIN)
        g_usleep (1000);
    }
  g_string_truncate (self->text, 0);
}

/* ---- channels ---- */

/* The id of a channel: user traces, toggles and counters have the firmware's own; other spaces
 * are kept apart from them. */
static gint64
channel_id (TsCliStream *self,
            const TsObject *object)
{
  gint64 id = MAX (object->wire_id, 0);

  switch (object->type)
    {
    case TS_OBJECT_GPIO:
      return 0x10000 + id;
    case TS_OBJECT_HEAP_GAUGE:
      return 0x20000 + id;
    case TS_OBJECT_HEAP:
      return 0x30000 + id;
    case TS_OBJECT_WATCH:
      return 224 + id;
    case TS_OBJECT_POLLED:
      return (self->is_polling ? 0 : 0x40000) + id;
    default:
      return id;
    }
}

static const char *
display_of (const TsObject *object)
{
  if (object->display != NULL && *object->display != '\0')
    return object->display;
  switch (object->type)
    {
    case TS_OBJECT_COUNTER:
      return "counter";
    case TS_OBJECT_USER_TOGGLE:
    case TS_OBJECT_GPIO:
      return "toggle";
    case TS_OBJECT_HEAP:
    case TS_OBJECT_HEAP_GAUGE:
      return "gauge";
    default:
      return "graph";
    }
}

/* What `type` says of a channel: of a polled variable its C type. Source: viewalyzer-host.md
 * section 3.9 */
static const char *
type_of (TsCliStream *self,
         const TsObject *object)
{
  if (object->type != TS_OBJECT_POLLED || self->polled == NULL || object->wire_id < 0
      || (guint) object->wire_id >= self->polled->len)
    return display_of (object);
  return ts_poll_type_get_c_name (
      g_array_index (self->polled, TsPollSymbol, object->wire_id).type);
}

/* Before the first sample of a channel; both spellings of the display, for every client. */
static void
tell_channel (TsCliStream *self,
              const TsObject *object)
{
  if (!g_hash_table_add (self->told, GUINT_TO_POINTER (object->id)))
    return;
  g_string_append_printf (self->text,
                          "{\"t\":\"stream_meta\",\"id\":%" G_GINT64_FORMAT ",\"name\":",
                          channel_id (self, object));
  append_quoted (self->text, object->name);
  g_string_append (self->text, ",\"display\":");
  append_quoted (self->text, display_of (object));
  g_string_append (self->text, ",\"type\":");
  append_quoted (self->text, type_of (self, object));
  if (object->unit != NULL && *object->unit != '\0')
    {
      g_string_append (self->text, ",\"unit\":");
      append_quoted (self->text, object->unit);
    }
  g_string_append (self->text, "}\n");
}

static gboolean
is_sample (const TsEvent *event)
{
  switch (event->kind)
    {
    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
    case TS_EVENT_DWT_DATA:
      return TRUE;

    default:
      return FALSE;
    }
}

static void
tell_event (TsCliStream *self,
            const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self->recording, event->object);

  if (is_sample (event) && object != NULL)
    {
      /* readers expect a number, and JSON has no other way to tell of these */
      if (!isfinite (ts_event_get_double (event)))
        return;
      if (self->first_sample < 0)
        self->first_sample = event->time;
      tell_channel (self, object);
      g_string_append_printf (
          self->text,
          "{\"t\":\"stream_sample\",\"id\":%" G_GINT64_FORMAT ",\"t_us\":%" G_GINT64_FORMAT
          ",\"value\":",
          channel_id (self, object),
          ts_recording_ticks_to_us (self->recording, event->time - self->first_sample));
      append_float (self->text, ts_event_get_double (event));
      if (self->schema_version == 1)
        g_string_append (self->text, ",\"is_float\":true");
      g_string_append (self->text, "}\n");
    }
  else if (event->kind == TS_EVENT_ITM_TEXT)
    {
      g_string_append_printf (
          self->text, "{\"t\":\"itm_text\",\"port\":%d,\"t_us\":%" G_GINT64_FORMAT ",\"text\":",
          object != NULL ? MAX (object->wire_id, 0) : 0,
          ts_recording_ticks_to_us (self->recording, event->time));
      append_quoted (self->text,
                     ts_recording_get_string (self->recording, ts_event_get_text_id (event)));
      g_string_append (self->text, "}\n");
    }
}

/* ---- trace hardware ---- */

static void
note_exception (TsCliStream *self,
                const TsEvent *event)
{
  guint number = (guint) CLAMP (event->value, 0, (gint64) G_N_ELEMENTS (self->exceptions) - 1);
  Exception *exception = &self->exceptions[number];
  gint64 function = ts_event_get_detail (event);

  exception->object = event->object;
  self->n_exceptions++;
  self->has_new_exceptions = TRUE;
  if (function < 1 || function > 3)
    return;
  exception->n[function - 1]++;
  if (function == 1)
    {
      exception->max_depth = MAX (exception->max_depth, ++exception->depth);
      self->max_depth = MAX (self->max_depth, ++self->depth);
    }
  else if (function == 2)
    {
      exception->depth -= exception->depth > 0;
      self->depth -= self->depth > 0;
    }
}

/* Bytes of what a comparator watches, as far as it was set up from here; else those of a word. */
static int
size_of_watch (TsCliStream *self,
               int comparator)
{
  g_autofree char *text = ts_recording_dup_meta (self->recording, "hardware_trace");
  g_autoptr (JsonNode) root = text != NULL ? json_from_string (text, NULL) : NULL;
  JsonObject *applied;
  JsonArray *watches;

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)
      || !json_object_has_member (json_node_get_object (root), "applied"))
    return 4;
  applied = json_object_get_object_member (json_node_get_object (root), "applied");
  watches = json_object_has_member (applied, "watch")
                ? json_object_get_array_member (applied, "watch")
                : NULL;
  for (guint i = 0; watches != NULL && i < json_array_get_length (watches); i++)
    {
      JsonObject *watch = json_array_get_object_element (watches, i);

      if (json_object_get_int_member_with_default (watch, "cmp", -1) == comparator)
        return (int) json_object_get_int_member_with_default (watch, "size", 4);
    }
  return 4;
}

static void
tell_watched (TsCliStream *self,
              const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self->recording, event->object);
  int comparator = object != NULL ? CLAMP (object->wire_id, 0, N_COMPARATORS - 1) : 0;
  gint64 pc = ts_event_get_detail (event);
  int size;

  if (self->watch_sizes[comparator] == 0)
    self->watch_sizes[comparator] = size_of_watch (self, comparator);
  size = object != NULL && object->capacity > 0 ? (int) object->capacity
                                                : self->watch_sizes[comparator];
  g_string_append_printf (
      self->watch_rows,
      "%s{\"cmp\":%d,\"t_us\":%" G_GINT64_FORMAT ",\"v\":%" G_GUINT32_FORMAT
      ",\"size\":%d,\"w\":%s,\"pc\":",
      self->watch_rows->len > 0 ? "," : "", comparator,
      ts_recording_ticks_to_us (self->recording, event->time),
      ts_event_get_raw (event, (guint) size), size,
      (event->flags & TS_EVENT_FLAG_START) != 0 ? "true" : "false");
  if (pc > 0)
    g_string_append_printf (self->watch_rows, "%" G_GINT64_FORMAT "}", pc);
  else
    g_string_append (self->watch_rows, "null}");
}

static void
note_hardware (TsCliStream *self,
               const TsEvent *event)
{
  switch (event->kind)
    {
    case TS_EVENT_DWT_PC:
      self->n_pcs++;
      self->n_sleep_pcs += event->value == 0;
      if (event->value > 0)
        g_string_append_printf (self->pcs, "%s%" G_GINT64_FORMAT, self->pcs->len > 0 ? "," : "",
                                event->value);
      break;

    case TS_EVENT_DWT_DATA:
      tell_watched (self, event);
      break;

    case TS_EVENT_DWT_EXC:
      note_exception (self, event);
      break;

    case TS_EVENT_ITM_OVERFLOW:
      self->n_overflows++;
      break;

    default:
      break;
    }
}

static void
tell_exceptions (TsCliStream *self)
{
  gboolean is_first = TRUE;

  g_string_append_printf (self->text,
                          "{\"t\":\"exc\",\"total\":%" G_GUINT64_FORMAT
                          ",\"max_depth\":%u,\"exceptions\":[",
                          self->n_exceptions, self->max_depth);
  for (guint i = 0; i < G_N_ELEMENTS (self->exceptions); i++)
    {
      const Exception *exception = &self->exceptions[i];
      const TsObject *object = ts_recording_get_object (self->recording, exception->object);

      if (exception->object == 0)
        continue;
      g_string_append_printf (self->text, "%s{\"num\":%u,\"name\":", is_first ? "" : ",", i);
      append_quoted (self->text, object != NULL ? object->name : "");
      g_string_append_printf (self->text,
                              ",\"enter\":%" G_GUINT64_FORMAT ",\"exit\":%" G_GUINT64_FORMAT
                              ",\"return\":%" G_GUINT64_FORMAT ",\"max_depth\":%u}",
                              exception->n[0], exception->n[1], exception->n[2],
                              exception->max_depth);
      is_first = FALSE;
    }
  g_string_append (self->text, "]}\n");
  self->has_new_exceptions = FALSE;
  self->exceptions_us = g_get_monotonic_time ();
}

/* What has come since the last lines of these kinds. */
static void
tell_hardware (TsCliStream *self)
{
  if (self->n_pcs > 0)
    {
      g_string_append_printf (self->text,
                              "{\"t\":\"pc_samples\",\"total\":%" G_GUINT64_FORMAT
                              ",\"sleep\":%" G_GUINT64_FORMAT ",\"pcs\":[%s]}\n",
                              self->n_pcs, self->n_sleep_pcs, self->pcs->str);
      g_string_truncate (self->pcs, 0);
      self->n_pcs = self->n_sleep_pcs = 0;
    }
  if (self->watch_rows->len > 0)
    {
      g_string_append_printf (self->text, "{\"t\":\"dwt_data\",\"rows\":[%s]}\n",
                              self->watch_rows->str);
      g_string_truncate (self->watch_rows, 0);
    }
  if (self->has_new_exceptions
      && g_get_monotonic_time () >= self->exceptions_us + EXCEPTION_PERIOD_US)
    tell_exceptions (self);
}

static gboolean
tell_events (TsCliStream *self)
{
  g_autofree TsEvent *events = g_new (TsEvent, BATCH);
  guint n = 0;

  if (!ts_recording_read_events (self->recording, self->next_row, BATCH, events, &n, NULL))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      tell_event (self, &events[i]);
      note_hardware (self, &events[i]);
    }
  tell_hardware (self);
  self->next_row += n;
  flush (self);
  return n == BATCH;
}

/* ---- slices and load ---- */

static const char *
state_name (guint state)
{
  static const char *const names[]
      = { "none", "running", "ready", "blocked", "sleeping", "suspended" };

  return state < G_N_ELEMENTS (names) ? names[state] : "none";
}

static gboolean
tell_slices (TsCliStream *self)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsFedSlice));

  ts_slice_feed_read (self->feed, self->recording, BATCH, slices);
  for (guint i = 0; i < slices->len; i++)
    {
      const TsFedSlice *fed = &g_array_index (slices, TsFedSlice, i);
      const TsLaneInfo *lane = ts_recording_get_lane (self->recording, fed->lane);
      gint64 begin_ns = ts_recording_ticks_to_ns (self->recording, fed->slice.begin);
      gint64 end_ns = ts_recording_ticks_to_ns (self->recording, fed->slice.end);

      if (lane == NULL)
        continue;
      g_string_append (self->text, "{\"t\":\"slice\",\"lane\":");
      append_quoted (self->text, lane->kind == TS_LANE_RTOS ? "_RTOS_" : lane->name);
      g_string_append (self->text, ",\"t_us\":");
      append_float (self->text, (double) begin_ns / 1000.0);
      g_string_append (self->text, ",\"duration_us\":");
      append_float (self->text, (double) (end_ns - begin_ns) / 1000.0);
      g_string_append_printf (self->text, ",\"state\":\"%s\",\"depth\":%u}\n",
                              state_name (fed->slice.state), fed->slice.depth);
    }
  flush (self);
  return slices->len >= BATCH;
}

/* Load of the time since the last line. */
static void
tell_load (TsCliStream *self)
{
  gint64 now_us = g_get_monotonic_time ();
  gint64 end = ts_recording_get_duration (self->recording);
  g_autoptr (GArray) points = NULL;

  if (now_us < self->load_us + LOAD_PERIOD_US || end <= self->load_tick || self->is_polling)
    return;

  points = ts_series_load (self->recording, 0, self->load_tick, end, 1);
  g_string_append_printf (self->text,
                          "{\"t\":\"cpu_load\",\"t_us\":%" G_GINT64_FORMAT
                          ",\"window_us\":%" G_GINT64_FORMAT ",\"load_pct\":",
                          ts_recording_ticks_to_us (self->recording, end),
                          ts_recording_ticks_to_us (self->recording, end - self->load_tick));
  append_float (self->text, g_array_index (points, TsPoint, 0).value);
  g_string_append (self->text, "}\n");
  self->load_tick = end;
  self->load_us = now_us;
  flush (self);
}

/* Whether what arrives came out of a trace pin: now, or when the file was captured. */
static gboolean
is_trace_pin (TsConnection *connection,
              const char *transport)
{
  const char *format;

  if (g_strcmp0 (transport, "file") != 0)
    return transport != NULL && strstr (transport, "swo") != NULL;
  format = ts_connection_get_string (connection, "file-format");
  return format != NULL && (strstr (format, "itm") != NULL || strstr (format, "tpiu") != NULL);
}

/* Bytes of the trace pin; one costs ten bits of the line (NRZ). */
static void
tell_swo_load (TsCliStream *self)
{
  gint64 now_us = g_get_monotonic_time ();
  g_autofree char *text = NULL;
  guint64 bytes;
  double rate;

  if (!self->is_swo || now_us < self->swo_us + LOAD_PERIOD_US)
    return;

  text = ts_recording_dup_health (self->recording, "raw_bytes");
  bytes = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
  rate = self->swo_us > 0 && bytes >= self->swo_bytes
             ? (double) (bytes - self->swo_bytes) * 1e6 / (double) (now_us - self->swo_us)
             : 0.0;
  if (self->swo_us > 0)
    {
      g_string_append (self->text, "{\"t\":\"swo_load\",\"bytes_per_s\":");
      append_float (self->text, rate);
      g_string_append (self->text, ",\"share_pct\":");
      append_float (self->text, self->swo_hz > 0 ? 1000.0 * rate / (double) self->swo_hz : NAN);
      g_string_append_printf (self->text, ",\"overflows\":%" G_GUINT64_FORMAT "}\n",
                              self->n_overflows);
      flush (self);
    }
  self->swo_us = now_us;
  self->swo_bytes = bytes;
}

/* ---- the thread ---- */

static void
tell_all (TsCliStream *self)
{
  gboolean more_events = TRUE;
  gboolean more_slices = TRUE;

  while ((more_events || more_slices) && !self->is_broken)
    {
      if (more_events)
        more_events = tell_events (self);
      if (more_slices)
        more_slices = tell_slices (self);
    }
}

static gboolean
wait_for_more (TsCliStream *self)
{
  gint64 until = g_get_monotonic_time () + POLL_US;
  gboolean is_ending;

  g_mutex_lock (&self->lock);
  while (!self->is_ending && g_cond_wait_until (&self->cond, &self->lock, until))
    ;
  is_ending = self->is_ending;
  g_mutex_unlock (&self->lock);
  return !is_ending;
}

static gpointer
run (gpointer data)
{
  TsCliStream *self = data;
  TsRecording *closed;

  do
    {
      if (ts_recording_refresh (self->recording))
        {
          tell_all (self);
          tell_load (self);
        }
      tell_swo_load (self);
    }
  while (wait_for_more (self) && !self->is_broken);

  /* The rest from the finished file, which knows the ends of everything. */
  closed = self->is_broken ? NULL : ts_recording_open (self->path, NULL);
  if (closed != NULL)
    {
      g_object_unref (self->recording);
      self->recording = closed;
      tell_all (self);
      self->load_us = 0;
      tell_load (self);
      if (self->has_new_exceptions)
        tell_exceptions (self);
      flush (self);
    }

  g_mutex_lock (&self->lock);
  self->is_done = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/**
 * ts_cli_stream_tell_start:
 * @args: arguments
 * @connection: how the capture gets its bytes
 *
 * Prints the first line, before there is anything else to tell.
 */
void
ts_cli_stream_tell_start (TsCliArgs *args,
                          TsConnection *connection)
{
  g_autoptr (GString) text = g_string_new ("{\"t\":\"stream_init\",");
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *started = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  int schema_version = ts_cli_get_schema_version (args);
  gboolean is_polling = ts_connection_is_poll_alone (connection);

  g_string_append_printf (text, "\"schema_version\":%d,\"transport\":", schema_version);
  append_quoted (text, ts_connection_get_transport (connection));
  g_string_append_printf (text, ",\"started_utc\":\"%s\"", started);
  if (is_polling)
    g_string_append_printf (text, ",\"source\":\"poll\",\"poll_hz\":%u",
                            ts_connection_get_poll_hz (connection));
  if (schema_version == 1 && !is_polling)
    g_string_append_printf (text, ",\"streams\":[],\"duration_s\":%s,\"poll_hz\":0",
                            ts_cli_args_has (args, "duration") ? ts_cli_args_get (args, "duration")
                                                               : "0");
  g_string_append (text, "}");
  ts_cli_remark ("%s", text->str);
}

/**
 * ts_cli_stream_new:
 * @args: arguments
 * @recording: the live recording of a capture
 * @path: its path
 * @connection: how it gets its bytes
 *
 * Begins to print a line for each channel, sample, slice and, twice a second, the load.
 *
 * Returns: (transfer full): ts_cli_stream_finish()
 */
TsCliStream *
ts_cli_stream_new (TsCliArgs *args,
                   TsRecording *recording,
                   const char *path,
                   TsConnection *connection)
{
  TsCliStream *self = g_new0 (TsCliStream, 1);
  const char *transport = ts_connection_get_transport (connection);

  self->recording = g_object_ref (recording);
  self->path = g_strdup (path);
  self->schema_version = ts_cli_get_schema_version (args);
  self->text = g_string_sized_new (1 << 16);
  self->pcs = g_string_new (NULL);
  self->watch_rows = g_string_new (NULL);
  self->feed = ts_slice_feed_new (TS_SLICE_FEED_RUNNING);
  self->told = g_hash_table_new (NULL, NULL);
  self->is_swo = is_trace_pin (connection, transport);
  self->swo_hz = self->is_swo ? ts_connection_get_int (connection, "swo-freq-hz") : 0;
  self->is_polling = ts_connection_is_poll_alone (connection);
  if (ts_connection_get_polled_symbols (connection) != NULL)
    self->polled = ts_poll_symbols_of_connection (connection, NULL);
  self->next_row = 1;
  self->first_sample = -1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->thread = g_thread_new ("stream", run, self);
  return self;
}

/**
 * ts_cli_stream_finish:
 * @self: (transfer full): a stream whose capture has ended
 *
 * Prints what is left. A reader that does not read is given up after some seconds: then the
 * thread is left alone, to end with the process.
 */
void
ts_cli_stream_finish (TsCliStream *self)
{
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  gboolean is_done;

  g_mutex_lock (&self->lock);
  self->is_ending = TRUE;
  g_cond_broadcast (&self->cond);
  while (!self->is_done && g_cond_wait_until (&self->cond, &self->lock, until))
    ;
  is_done = self->is_done;
  g_mutex_unlock (&self->lock);
  if (!is_done)
    return;

  g_thread_join (self->thread);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  ts_slice_feed_free (self->feed);
  g_hash_table_unref (self->told);
  g_string_free (self->text, TRUE);
  g_string_free (self->pcs, TRUE);
  g_string_free (self->watch_rows, TRUE);
  g_clear_pointer (&self->polled, g_array_unref);
  g_object_unref (self->recording);
  g_free (self->path);
  g_free (self);
}
