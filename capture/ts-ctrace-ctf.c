/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace-ctf.c: events of a trace run as a CTF bundle, record by record.
 *
 * Source: ctrace.md section 8.
 */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "model/ts-export-folder.h"

#include "ts-ctrace-output-private.h"

#define METADATA "metadata"
#define PACKET_BYTES 65536
/* Nested handlers at most; more of them is damage. */
#define MAX_NESTING 512

/* Record ids. Source: ctrace.md section 8.3 */
enum
{
  ID_ITM,
  ID_DWT_VALUE,
  ID_DWT_ADDRESS,
  ID_STATUS,
  ID_EXCEPTION,
  ID_GLOBAL_TIME,
  ID_SAMPLE,
  ID_COUNTER,
  ID_PMU,
  ID_MATCH,
  ID_PROHIBITED,
};

enum
{
  STATUS_START,
  STATUS_RESYNC,
  STATUS_OVERFLOW,
  STATUS_ERROR,
  STATUS_LOSS,
};

enum
{
  ACTION_ENTERED,
  ACTION_EXITED,
  ACTION_RETURNED,
};

enum
{
  VALUE_I8,
  VALUE_U8,
  VALUE_I16,
  VALUE_U16,
  VALUE_I32,
  VALUE_U32,
  VALUE_F32,
};

typedef struct
{
  guint16 number;
  gboolean is_preempted;
} Context;

/**
 * Stream:
 * @time: the largest time so far
 * @stack: handlers that are open
 * @active: the context that has a record open; below 0: none
 */
typedef struct
{
  guint id;
  const TsCtraceStream *config;
  guint clock;
  TsCtfPackets *packets;
  int fd;
  guint64 time;
  guint32 epoch;
  Context stack[MAX_NESTING];
  guint n_stack;
  gint active;
  guint contents;
  gboolean has_told_size[TS_CTRACE_N_COMPARATORS];
} Stream;

typedef struct
{
  char *name;
  char *uuid;
  const char *pname;
  guint64 hz;
} Clock;

struct _TsCtraceCtf
{
  TsCtraceConfig *config;
  TsCtraceOptions options;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
  char *channel;
  TsExportFolder folder;
  guint8 uuid[TS_CTF_UUID_BYTES];
  Stream *streams[TS_CTRACE_LAST_STREAM + 1];
  GArray *clocks; /* Clock */
  const TsCtraceSource *comparators[TS_CTRACE_N_COMPARATORS];
  const TsCtraceSource *ports[TS_CTRACE_N_PORTS];
  guint8 exceptions[TS_CTRACE_N_EXCEPTIONS];
  GByteArray *payload;
  GError *error;
};

void
_ts_ctrace_lane_free (gpointer data)
{
  TsCtraceLane *lane = data;

  g_free (lane->channel);
  g_free (lane->pname);
  g_free (lane->clock);
  g_free (lane);
}

/* ---- records ---- */

static void
begin (TsCtraceCtf *self,
       const Stream *stream)
{
  g_byte_array_set_size (self->payload, 0);
  ts_ctf_append_number (self->payload, stream->id, 1);
  if (self->options.is_formatted)
    ts_ctf_append_number (self->payload, stream->id, 1);
}

static void
put (TsCtraceCtf *self,
     guint64 value,
     guint n_bytes)
{
  ts_ctf_append_number (self->payload, value, n_bytes);
}

static void
end (TsCtraceCtf *self,
     Stream *stream,
     guint id)
{
  GByteArray *output = ts_ctf_packets_get_output (stream->packets);

  ts_ctf_packets_add (stream->packets, id, stream->time, self->payload);
  if (output->len == 0 || self->error != NULL)
    return;
  ts_export_folder_write (&self->folder, stream->fd, output->data, output->len, &self->error);
  g_byte_array_set_size (output, 0);
}

static void
put_quality (TsCtraceCtf *self,
             const TsCtraceEvent *event)
{
  put (self,
       (event->is_overflow ? 1u : 0u) | (event->is_reliable ? 2u : 0u) | (event->is_early ? 4u : 0u),
       1);
  put (self, event->epoch, 4);
}

static void
write_status (TsCtraceCtf *self,
              Stream *stream,
              guint reason)
{
  gboolean is_wanted = reason == STATUS_OVERFLOW
                           ? ts_ctrace_has_type (&self->options, TS_CTRACE_OVERFLOW)
                       : reason >= STATUS_ERROR ? ts_ctrace_has_type (&self->options, TS_CTRACE_BAD)
                                                : self->options.types == NULL;

  if (!is_wanted)
    return;
  begin (self, stream);
  put (self, reason, 1);
  put (self, stream->epoch, 4);
  end (self, stream, ID_STATUS);
}

static void
write_exception (TsCtraceCtf *self,
                 Stream *stream,
                 guint number,
                 guint action,
                 gboolean is_synthetic)
{
  if (!ts_ctrace_has_type (&self->options, TS_CTRACE_EXCEPTION))
    return;
  self->exceptions[number & (TS_CTRACE_N_EXCEPTIONS - 1)] = 1;
  if (!is_synthetic)
    stream->contents |= TS_CTRACE_HAS_EXCEPTION;
  begin (self, stream);
  put (self, number, 2);
  put (self, action, 1);
  put (self, number, 2);
  if (self->options.generation > 1)
    put (self, is_synthetic, 1);
  end (self, stream, ID_EXCEPTION);
}

/* ---- the lane of exceptions. Source: ctrace.md section 8.4 ---- */

static void
close_lane (TsCtraceCtf *self,
            Stream *stream)
{
  stream->n_stack = 0;
  if (stream->active >= 0)
    write_exception (self, stream, (guint) stream->active, ACTION_EXITED, TRUE);
  stream->active = -1;
}

static guint
get_top (const Stream *stream)
{
  return stream->n_stack > 0 ? stream->stack[stream->n_stack - 1].number : 0;
}

static void
push_context (Stream *stream,
              guint number)
{
  if (stream->n_stack == MAX_NESTING)
    {
      memmove (stream->stack, stream->stack + 1, (MAX_NESTING - 1) * sizeof stream->stack[0]);
      stream->n_stack--;
    }
  stream->stack[stream->n_stack++] = (Context){ .number = (guint16) number };
}

/* The records of a context that another one takes over from. */
static void
follow (TsCtraceCtf *self,
        Stream *stream,
        guint action)
{
  guint target = get_top (stream);
  gboolean is_same = stream->active == (gint) target;

  if (is_same && (action == ACTION_ENTERED || self->options.generation == 1))
    return;
  if (!is_same && stream->active >= 0)
    write_exception (self, stream, (guint) stream->active, ACTION_EXITED, TRUE);
  write_exception (self, stream, target,
                   self->options.generation == 1 ? ACTION_ENTERED : action, FALSE);
  stream->active = (gint) target;
}

static void
take_exception (TsCtraceCtf *self,
                Stream *stream,
                const TsCtraceEvent *event)
{
  guint number = (guint) event->source;
  guint action = event->value.value - 1;
  Context *top = stream->n_stack > 0 ? &stream->stack[stream->n_stack - 1] : NULL;

  switch (action)
    {
    case ACTION_ENTERED:
      if (top != NULL)
        top->is_preempted = TRUE;
      push_context (stream, number);
      follow (self, stream, ACTION_ENTERED);
      return;
    case ACTION_EXITED:
      if (top == NULL || top->number != number || top->is_preempted)
        return;
      stream->n_stack--;
      if (self->options.generation == 1)
        {
          follow (self, stream, ACTION_ENTERED);
          return;
        }
      if (stream->active >= 0)
        write_exception (self, stream, (guint) stream->active, ACTION_EXITED, FALSE);
      stream->active = -1;
      return;
    default:
      while (stream->n_stack > 0 && get_top (stream) != number)
        stream->n_stack--;
      if (stream->n_stack == 0 && number != 0)
        push_context (stream, number);
      if (stream->n_stack > 0)
        stream->stack[stream->n_stack - 1].is_preempted = FALSE;
      follow (self, stream, ACTION_RETURNED);
      return;
    }
}

/* ---- data ---- */

/* A number of its own width; none is one zero byte. */
static void
put_width (TsCtraceCtf *self,
           const TsCtraceField *field)
{
  put (self, field->size, 1);
  put (self, field->value, field->size != 0 ? field->size : 1);
}

/* PC and address as the first generation wrote them. Source: ctrace.md section 8.3 */
static void
put_first_widths (TsCtraceCtf *self,
                  const TsCtraceEvent *event,
                  gboolean has_value)
{
  if (!has_value)
    {
      put (self, event->pc.size != 0, 1);
      put (self, event->address.size != 0, 1);
      put (self, event->pc.value, 4);
      put (self, event->address.value, 2);
      return;
    }
  put (self, event->pc.size != 0, 1);
  if (event->pc.size != 0)
    put (self, event->pc.value, 4);
  put (self, event->address.size != 0, 1);
  if (event->address.size != 0)
    put (self, event->address.value, 2);
}

static void
put_widths (TsCtraceCtf *self,
            const TsCtraceEvent *event,
            gboolean has_value)
{
  if (self->options.generation == 1)
    {
      put_first_widths (self, event, has_value);
      return;
    }
  put_width (self, &event->pc);
  put_width (self, &event->address);
}

/* A value as the configuration says that it is. */
static void
put_value (TsCtraceCtf *self,
           Stream *stream,
           guint comparator,
           const TsCtraceField *field)
{
  static const guint8 unsigned_tags[] = { 0, VALUE_U8, VALUE_U16, 0, VALUE_U32 };
  static const guint8 signed_tags[] = { 0, VALUE_I8, VALUE_I16, 0, VALUE_I32 };
  const TsCtraceSource *source = stream->config->comparators[comparator];
  guint size = source != NULL ? source->size : 4;
  TsCtraceValueType type = source != NULL ? source->value_type : TS_CTRACE_UNSIGNED;
  guint32 value = field->value;

  if (source != NULL && size != field->size && !stream->has_told_size[comparator])
    {
      g_autofree char *message = g_strdup_printf (
          _("comparator %u sent %u bytes, %u were configured: stream=%u"), comparator, field->size,
          size, stream->id);

      stream->has_told_size[comparator] = TRUE;
      self->func (TS_CTRACE_WARNING, message, self->user_data);
    }
  if (type == TS_CTRACE_SIGNED && field->size == 1)
    value = (guint32) (gint32) (gint8) value;
  else if (type == TS_CTRACE_SIGNED && field->size == 2)
    value = (guint32) (gint32) (gint16) value;
  put (self,
       type == TS_CTRACE_FLOAT    ? VALUE_F32
       : type == TS_CTRACE_SIGNED ? signed_tags[size]
                                  : unsigned_tags[size],
       1);
  put (self, value, size);
}

static void
take_data (TsCtraceCtf *self,
           Stream *stream,
           const TsCtraceEvent *event)
{
  guint comparator = (guint) event->source;

  put (self, comparator, 1);
  if (event->is_match)
    {
      put_quality (self, event);
      stream->contents |= TS_CTRACE_HAS_MATCH;
      end (self, stream, ID_MATCH);
      return;
    }
  if (event->value.size != 0)
    {
      put (self, event->is_write, 1);
      put_value (self, stream, comparator, &event->value);
      stream->contents |= TS_CTRACE_HAS_VALUE;
    }
  else if (event->address.size != 0)
    stream->contents |= TS_CTRACE_HAS_ADDRESS;
  put_widths (self, event, event->value.size != 0);
  put_quality (self, event);
  end (self, stream, event->value.size != 0 ? ID_DWT_VALUE : ID_DWT_ADDRESS);
}

static void
take_stimulus (TsCtraceCtf *self,
               Stream *stream,
               const TsCtraceEvent *event)
{
  if (event->source == 0 || event->source >= TS_CTRACE_N_PORTS)
    return;
  put (self, (guint) event->source, 1);
  put (self,
       event->value.size == 1   ? VALUE_U8
       : event->value.size == 2 ? VALUE_U16
                                : VALUE_U32,
       1);
  put (self, event->value.value, event->value.size);
  put_quality (self, event);
  stream->contents |= TS_CTRACE_HAS_ITM;
  end (self, stream, ID_ITM);
}

static void
take_sample (TsCtraceCtf *self,
             Stream *stream,
             const TsCtraceEvent *event)
{
  stream->contents |= TS_CTRACE_HAS_SAMPLE;
  if (event->note == TS_CTRACE_NOTE_PROHIBITED)
    {
      put_quality (self, event);
      end (self, stream, ID_PROHIBITED);
      return;
    }
  put (self, event->pc.size != 0, 1);
  if (event->pc.size != 0)
    put (self, event->pc.value, 4);
  put_quality (self, event);
  end (self, stream, ID_SAMPLE);
}

/* One record for each bit. */
static void
take_bits (TsCtraceCtf *self,
           Stream *stream,
           const TsCtraceEvent *event,
           guint id)
{
  for (guint i = 0; i < 8; i++)
    if ((event->value.value >> i & 1) != 0)
      {
        begin (self, stream);
        put (self, i, 1);
        put_quality (self, event);
        end (self, stream, id);
      }
  stream->contents |= id == ID_PMU ? TS_CTRACE_HAS_PMU : TS_CTRACE_HAS_COUNTER;
}

/* What broke the stream. Source: ctrace.md section 8.4 */
static void
take_break (TsCtraceCtf *self,
            Stream *stream,
            const TsCtraceEvent *event)
{
  gboolean is_first = self->options.generation == 1;
  guint reason = event->type == TS_CTRACE_OVERFLOW ? STATUS_OVERFLOW : STATUS_LOSS;

  if (is_first)
    write_status (self, stream, reason);
  close_lane (self, stream);
  if (!is_first)
    write_status (self, stream, reason);
  if (event->note == TS_CTRACE_NOTE_BAD_SEQUENCE || event->note == TS_CTRACE_NOTE_BAD_HEADER
      || event->note == TS_CTRACE_NOTE_CUT)
    write_status (self, stream, STATUS_ERROR);
}

static void
take_fault (TsCtraceCtf *self,
            Stream *stream,
            const TsCtraceEvent *event)
{
  switch ((TsCtraceNote) event->note)
    {
    case TS_CTRACE_NOTE_BAD_SEQUENCE:
    case TS_CTRACE_NOTE_BAD_HEADER:
    case TS_CTRACE_NOTE_CUT:
    case TS_CTRACE_NOTE_LOSS:
    case TS_CTRACE_NOTE_LOSS_TO_END:
    case TS_CTRACE_NOTE_NEVER_SYNCED:
      take_break (self, stream, event);
      break;
    default:
      write_status (self, stream, STATUS_ERROR);
      break;
    }
}

/* ---- streams ---- */

static gboolean
is_used (TsCtraceCtf *self,
         guint id)
{
  if (!ts_ctrace_has_stream (&self->options, id))
    return FALSE;
  if (!self->options.is_formatted)
    return id == TS_CTRACE_UNFORMATTED;
  return id != TS_CTRACE_UNFORMATTED && ts_ctrace_config_get_stream (self->config, id)->has_route;
}

static Stream *
get_stream (TsCtraceCtf *self,
            guint id)
{
  TsCtfPacketsOptions options = { .stream = id, .packet_bytes = PACKET_BYTES, .is_padded = TRUE };
  g_autofree char *name = NULL;
  Stream *stream;
  int fd;

  if (self->error != NULL || id > TS_CTRACE_LAST_STREAM || !is_used (self, id))
    return NULL;
  if (self->streams[id] != NULL)
    return self->streams[id];
  name = g_strdup_printf ("stream_%u", id);
  fd = ts_export_folder_create (&self->folder, name, &self->error);
  if (fd < 0)
    return NULL;
  stream = self->streams[id] = g_new0 (Stream, 1);
  stream->id = id;
  stream->fd = fd;
  stream->config = ts_ctrace_config_get_stream (self->config, id);
  for (guint i = 0; i < self->clocks->len; i++)
    if (g_strcmp0 (g_array_index (self->clocks, Clock, i).pname, stream->config->pname) == 0)
      stream->clock = i;
  memcpy (options.uuid, self->uuid, sizeof options.uuid);
  stream->packets = ts_ctf_packets_new (&options);
  stream->active = -1;
  write_status (self, stream, STATUS_START);
  write_exception (self, stream, 0, ACTION_ENTERED, TRUE);
  stream->active = 0;
  return stream;
}

/*
 * _ts_ctrace_ctf_add:
 * @self: a bundle
 * @event: an event, in order
 *
 * Writes the records of an event. What goes wrong is told at the end.
 */
void
_ts_ctrace_ctf_add (TsCtraceCtf *self,
                    const TsCtraceEvent *event)
{
  Stream *stream;

  if (event->type == TS_CTRACE_SKIPPED || event->note == TS_CTRACE_NOTE_ABORTED)
    return;
  stream = get_stream (self, event->stream);
  if (stream == NULL)
    return;
  if (event->has_time && event->type != TS_CTRACE_GLOBAL_TIME)
    stream->time = MAX (stream->time, event->time);
  stream->epoch = event->epoch;
  if (event->type == TS_CTRACE_SYNC)
    {
      write_status (self, stream, STATUS_RESYNC);
      return;
    }
  if (event->type == TS_CTRACE_OVERFLOW)
    {
      take_break (self, stream, event);
      return;
    }
  if (event->type == TS_CTRACE_BAD)
    {
      take_fault (self, stream, event);
      return;
    }
  if (event->type == TS_CTRACE_EXCEPTION)
    {
      take_exception (self, stream, event);
      return;
    }
  if (!ts_ctrace_has_type (&self->options, (TsCtraceType) event->type)
      || (self->options.generation == 1
          && (event->type == TS_CTRACE_COUNTER || event->type == TS_CTRACE_PMU
              || event->type == TS_CTRACE_PC)))
    return;
  begin (self, stream);
  switch ((TsCtraceType) event->type)
    {
    case TS_CTRACE_ITM:
      take_stimulus (self, stream, event);
      break;
    case TS_CTRACE_DWT:
      take_data (self, stream, event);
      break;
    case TS_CTRACE_PC:
      take_sample (self, stream, event);
      break;
    case TS_CTRACE_COUNTER:
      take_bits (self, stream, event, ID_COUNTER);
      break;
    case TS_CTRACE_PMU:
      take_bits (self, stream, event, ID_PMU);
      break;
    case TS_CTRACE_GLOBAL_TIME:
      put (self, event->number, 8);
      put (self, event->clock_changed, 1);
      end (self, stream, ID_GLOBAL_TIME);
      break;
    default:
      break;
    }
}

/* ---- before and after ---- */

static gboolean
is_same_source (const TsCtraceSource *a,
                const TsCtraceSource *b,
                gboolean is_port)
{
  return g_strcmp0 (a->label, b->label) == 0
         && (is_port
             || (a->size == b->size && a->value_type == b->value_type
                 && a->has_address == b->has_address && a->address == b->address));
}

/* Enumerations are the bundle's: what two streams call by one number must be the same. FALSE after
 * telling what is not. Source: ctrace.md section 8.5 */
static gboolean
collect (TsCtraceCtf *self,
         const TsCtraceSource **place,
         const TsCtraceSource *source,
         guint number,
         gboolean is_port)
{
  g_autofree char *message = NULL;

  if (source == NULL)
    return TRUE;
  if (source->problem != NULL)
    {
      self->func (TS_CTRACE_FAILURE, source->problem, self->user_data);
      return FALSE;
    }
  if (*place == NULL || is_same_source (*place, source, is_port))
    {
      *place = *place != NULL ? *place : source;
      return TRUE;
    }
  message = g_strdup_printf (is_port ? _("ITM port %u means different things in two streams: CTF "
                                         "cannot say so, no CTF is written")
                                     : _("comparator %u means different things in two streams: CTF "
                                         "cannot say so, no CTF is written"),
                             number);
  self->func (TS_CTRACE_FAILURE, message, self->user_data);
  return FALSE;
}

static void
add_clock (TsCtraceCtf *self,
           const TsCtraceStream *stream)
{
  guint8 uuid[TS_CTF_UUID_BYTES];
  Clock clock = { .pname = stream->pname, .hz = stream->clock_hz };

  for (guint i = 0; i < self->clocks->len; i++)
    if (g_strcmp0 (g_array_index (self->clocks, Clock, i).pname, stream->pname) == 0)
      return;
  ts_ctf_make_uuid (uuid);
  clock.uuid = ts_ctf_dup_uuid (uuid);
  clock.name = self->options.is_formatted ? g_strdup_printf ("cmsis_clock_%u", self->clocks->len)
                                          : g_strdup ("swo_clock");
  g_array_append_val (self->clocks, clock);
}

/* Whether everything is known that the bundle must tell. */
static gboolean
check (TsCtraceCtf *self)
{
  gboolean is_ok = TRUE;

  for (guint id = 0; id <= TS_CTRACE_LAST_STREAM; id++)
    {
      const TsCtraceStream *stream = ts_ctrace_config_get_stream (self->config, id);

      if (!is_used (self, id))
        continue;
      if (stream->clock_problem != NULL)
        {
          self->func (TS_CTRACE_FAILURE, stream->clock_problem, self->user_data);
          is_ok = FALSE;
          continue;
        }
      add_clock (self, stream);
      for (guint i = 0; is_ok && i < TS_CTRACE_N_COMPARATORS; i++)
        is_ok = collect (self, &self->comparators[i], stream->comparators[i], i, FALSE);
      for (guint i = 0; is_ok && i < TS_CTRACE_N_PORTS; i++)
        is_ok = collect (self, &self->ports[i], stream->ports[i], i, TRUE);
    }
  return is_ok && self->clocks->len > 0;
}

/*
 * _ts_ctrace_ctf_new:
 * @config: the configuration; must outlive the bundle
 * @options: what to write; its lists are borrowed
 * @channel: of the raw file
 * @path: folder to make
 * @func: takes diagnostics
 * @user_data: for @func
 *
 * Returns: (transfer full) (nullable): a bundle; %NULL: it cannot be written, as was told
 */
TsCtraceCtf *
_ts_ctrace_ctf_new (TsCtraceConfig *config,
                    const TsCtraceOptions *options,
                    const char *channel,
                    const char *path,
                    TsCtraceDiagnosticFunc func,
                    gpointer user_data)
{
  g_autoptr (TsCtraceCtf) self = g_new0 (TsCtraceCtf, 1);

  self->config = config;
  self->options = *options;
  self->func = func;
  self->user_data = user_data;
  self->channel = g_strdup (channel);
  self->payload = g_byte_array_new ();
  self->clocks = g_array_new (FALSE, FALSE, sizeof (Clock));
  ts_ctf_make_uuid (self->uuid);
  if (!check (self))
    return NULL;
  if (ts_export_folder_open (&self->folder, path, METADATA, &self->error)
      && (options->is_formatted || get_stream (self, TS_CTRACE_UNFORMATTED) != NULL))
    return g_steal_pointer (&self);
  func (TS_CTRACE_FAILURE, self->error != NULL ? self->error->message : path, user_data);
  return NULL;
}

void
_ts_ctrace_ctf_free (TsCtraceCtf *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    if (self->streams[i] != NULL)
      {
        if (self->streams[i]->fd >= 0)
          close (self->streams[i]->fd);
        ts_ctf_packets_free (self->streams[i]->packets);
        g_free (self->streams[i]);
      }
  for (guint i = 0; i < self->clocks->len; i++)
    {
      g_free (g_array_index (self->clocks, Clock, i).name);
      g_free (g_array_index (self->clocks, Clock, i).uuid);
    }
  g_array_unref (self->clocks);
  g_byte_array_unref (self->payload);
  ts_export_folder_clear (&self->folder);
  g_clear_error (&self->error);
  g_free (self->channel);
  g_free (self);
}

static void
finish_stream (TsCtraceCtf *self,
               Stream *stream)
{
  GByteArray *output = ts_ctf_packets_get_output (stream->packets);
  int fd = stream->fd;

  ts_ctf_packets_finish (stream->packets);
  if (self->error == NULL && output->len > 0)
    ts_export_folder_write (&self->folder, fd, output->data, output->len, &self->error);
  g_byte_array_set_size (output, 0);
  stream->fd = -1;
  ts_export_folder_close (&self->folder, fd, self->error == NULL ? &self->error : NULL);
}

static void
write_metadata (TsCtraceCtf *self)
{
  g_autofree char *uuid = ts_ctf_dup_uuid (self->uuid);
  g_autofree TsCtraceClock *clocks = g_new0 (TsCtraceClock, self->clocks->len);
  g_autoptr (GArray) classes = g_array_new (FALSE, FALSE, sizeof (TsCtraceClass));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  TsCtraceMetadata metadata = { .generation = self->options.generation,
                                .is_formatted = self->options.is_formatted,
                                .uuid = uuid,
                                .exceptions = self->exceptions,
                                .clocks = clocks,
                                .n_clocks = self->clocks->len };
  int fd;

  for (guint i = 0; i < self->clocks->len; i++)
    {
      const Clock *clock = &g_array_index (self->clocks, Clock, i);

      /* earlier ones named no clock by a UUID where there is but one */
      clocks[i] = (TsCtraceClock){ clock->name, clock->hz,
                                   self->options.is_formatted || self->options.generation >= 3
                                       ? clock->uuid
                                       : NULL };
    }
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    if (self->streams[i] != NULL)
      {
        const Stream *stream = self->streams[i];
        char *route = stream->config->pname != NULL ? g_strdup (stream->config->pname)
                                                    : g_strdup_printf ("%u", i);
        TsCtraceClass class = { i, stream->clock, stream->config->pname, route };

        g_ptr_array_add (names, route);
        g_array_append_val (classes, class);
      }
  metadata.classes = (const TsCtraceClass *) classes->data;
  metadata.n_classes = classes->len;
  memcpy (metadata.comparators, self->comparators, sizeof metadata.comparators);
  memcpy (metadata.ports, self->ports, sizeof metadata.ports);
  text = _ts_ctrace_metadata_dup (&metadata);
  fd = ts_export_folder_create (&self->folder, METADATA, &self->error);
  if (fd < 0)
    return;
  ts_export_folder_write (&self->folder, fd, text, strlen (text), &self->error);
  ts_export_folder_close (&self->folder, fd, self->error == NULL ? &self->error : NULL);
}

/*
 * _ts_ctrace_ctf_finish:
 * @self: a bundle
 * @lanes: (element-type TsCtraceLane): its streams are appended
 *
 * Puts the bundle in its place.
 *
 * Returns: whether it is there; if not, that was told
 */
gboolean
_ts_ctrace_ctf_finish (TsCtraceCtf *self,
                       GPtrArray *lanes)
{
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    if (self->streams[i] != NULL)
      finish_stream (self, self->streams[i]);
  if (self->error == NULL)
    write_metadata (self);
  if (self->error == NULL)
    ts_export_folder_finish (&self->folder, &self->error);
  if (self->error != NULL)
    {
      self->func (TS_CTRACE_FAILURE, self->error->message, self->user_data);
      return FALSE;
    }
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    if (self->streams[i] != NULL)
      {
        const Stream *stream = self->streams[i];
        TsCtraceLane *lane = g_new0 (TsCtraceLane, 1);

        lane->channel = g_strdup (self->channel);
        lane->pname = g_strdup (stream->config->pname);
        lane->clock = g_strdup (g_array_index (self->clocks, Clock, stream->clock).uuid);
        lane->stream = i;
        lane->contents = stream->contents;
        g_ptr_array_add (lanes, lane);
      }
  return TRUE;
}
