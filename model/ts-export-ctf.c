/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-export-ctf.c: a recording as a CTF 1.8 trace.
 *
 * One stream file for each processor, in order of time, and `metadata`, which describes the kinds of
 * events that are there. An event class has just the fields that its events have: with or without
 * an object, a side, a text; its value an integer or a real number.
 *
 * Source: Common Trace Format 1.8.3, sections 4 to 7.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "ts-ctf-packets.h"
#include "ts-export-ctf.h"
#include "ts-export-folder.h"
#include "ts-export-private.h"

#define METADATA "metadata"
#define PACKET_BYTES 65536
#define FLUSH_BYTES (4 * PACKET_BYTES)
#define N_CORES 256
/* Kinds of other versions go under the last one. */
#define N_KINDS 0x400

/* What the events of a class have. */
enum
{
  HAS_OBJECT = 1 << 0,
  HAS_SIDE = 1 << 1,
  HAS_REAL = 1 << 2,
  HAS_TEXT = 1 << 3,
  N_SHAPES = 1 << 4,
};

typedef struct
{
  TsCtfPackets *packets;
  int fd;
} Core;

typedef struct
{
  TsRecording *recording;
  TsExportFolder folder;
  guint8 uuid[TS_CTF_UUID_BYTES];
  Core cores[N_CORES];
  guint8 *seen; /* of N_KINDS * N_SHAPES classes */
  GByteArray *payload;
  guint64 n_events;
  gint64 zero; /* tick that times count from */
  guint64 first_row;
  guint64 end_row;
  TsExportProgress progress;
  gpointer user_data;
  GError *error;
} Ctf;

/* ---- events ---- */

static gboolean
store (Ctf *self,
       Core *core)
{
  GByteArray *output = ts_ctf_packets_get_output (core->packets);

  if (!ts_export_folder_write (&self->folder, core->fd, output->data, output->len, &self->error))
    return FALSE;
  g_byte_array_set_size (output, 0);
  return TRUE;
}

static Core *
get_core (Ctf *self,
          guint number)
{
  Core *core = &self->cores[number];
  TsCtfPacketsOptions options = { .has_core = TRUE, .core = number, .packet_bytes = PACKET_BYTES };
  g_autofree char *name = NULL;

  if (core->packets != NULL)
    return core;

  name = g_strdup_printf ("core_%u", number);
  core->fd = ts_export_folder_create (&self->folder, name, &self->error);
  if (core->fd < 0)
    return NULL;
  memcpy (options.uuid, self->uuid, sizeof options.uuid);
  core->packets = ts_ctf_packets_new (&options);
  return core;
}

static void
append_text (GByteArray *payload,
             const char *text)
{
  g_byte_array_append (payload, (const guint8 *) text, (guint) strlen (text) + 1);
}

static guint
get_shape (const TsEvent *event,
           const TsObject *object,
           const char *text)
{
  guint shape = 0;

  if (object != NULL)
    shape |= HAS_OBJECT;
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    shape |= HAS_SIDE;
  if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0 && ts_event_kind_get_n_operands (event->kind) > 0)
    shape |= HAS_REAL;
  if (text != NULL)
    shape |= HAS_TEXT;
  return shape;
}

static gboolean
export_event (guint64 row,
              const TsEvent *event,
              gpointer user_data)
{
  Ctf *self = user_data;
  const TsObject *object = ts_recording_get_object (self->recording, event->object);
  const char *text = ts_recording_get_string (self->recording, ts_event_get_text_id (event));
  guint n_operands = ts_event_kind_get_n_operands (event->kind);
  guint class = MIN (event->kind, N_KINDS - 1) * N_SHAPES + get_shape (event, object, text);
  Core *core = get_core (self, event->core);
  GByteArray *payload = self->payload;

  if (core == NULL)
    return FALSE;

  g_byte_array_set_size (payload, 0);
  ts_ctf_append_number (payload, event->flags & TS_EVENT_FLAGS_PUBLIC, 1);
  if ((class & HAS_OBJECT) != 0)
    {
      ts_ctf_append_number (payload, event->object, 4);
      append_text (payload, object->name);
    }
  if ((class & HAS_SIDE) != 0)
    ts_ctf_append_number (payload, (event->flags & TS_EVENT_FLAG_START) != 0, 1);
  if (n_operands > 0)
    ts_ctf_append_number (payload, (guint64) event->value, 8);
  if (n_operands > 1)
    ts_ctf_append_number (payload, (guint64) ts_event_get_detail (event), 8);
  if ((class & HAS_TEXT) != 0)
    append_text (payload, text);

  self->seen[class] = 1;
  self->n_events++;
  ts_ctf_packets_add (core->packets, class, (guint64) MAX (event->time - self->zero, 0), payload);
  if (ts_ctf_packets_get_output (core->packets)->len < FLUSH_BYTES)
    return TRUE;

  if (self->progress != NULL)
    self->progress ((double) (row - self->first_row) / (double) (self->end_row - self->first_row),
                    self->user_data);
  return store (self, core);
}

/* ---- their description ---- */

static const char types[]
    = "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
      "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
      "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
      "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; } "
      ":= double_t;\n"
      "typealias enum : uint8_t { \"end\" = 0, \"start\" = 1 } := side_t;\n\n";

static const char stream[]
    = "typealias integer { size = 64; align = 8; signed = false; map = clock.target.value; } "
      ":= ticks_t;\n\n"
      "stream {\n"
      "    id = 0;\n"
      "    event.header := struct {\n"
      "        uint32_t id;\n"
      "        ticks_t timestamp;\n"
      "    };\n"
      "    packet.context := struct {\n"
      "        uint32_t packet_size;\n"
      "        uint32_t content_size;\n"
      "        ticks_t timestamp_begin;\n"
      "        ticks_t timestamp_end;\n"
      "        uint32_t events_discarded;\n"
      "        uint32_t packet_seq_num;\n"
      "        uint32_t cpu_id;\n"
      "    };\n"
      "};\n\n";

static void
append_variable (GString *text,
                 const char *name,
                 const char *value)
{
  if (value == NULL || *value == '\0')
    return;
  g_string_append_printf (text, "    %s = ", name);
  ts_ctf_append_quoted (text, value);
  g_string_append (text, ";\n");
}

/* What events are about, so that a reader has more than names: type, processor, priority (-1: none),
 * whether it is an idle task, name. */
static void
append_objects (GString *text,
                TsRecording *recording)
{
  for (guint i = 1; i <= ts_recording_get_n_objects (recording); i++)
    {
      const TsObject *object = ts_recording_get_object (recording, i);
      g_autofree char *name = g_strdup_printf ("object_%u", i);
      g_autofree char *value = NULL;

      if (object == NULL)
        continue;
      value = g_strdup_printf ("%s %u %" G_GINT64_FORMAT " %d %s",
                               ts_object_type_get_name (object->type), object->core,
                               MAX (object->priority, -1), object->is_idle != 0, object->name);
      append_variable (text, name, value);
    }
}

static void
append_class (GString *text,
              guint class)
{
  TsEventKind kind = class / N_SHAPES;
  const char *name = ts_event_kind_get_name (kind);
  guint n_operands = ts_event_kind_get_n_operands (kind);

  g_string_append_printf (text, "event {\n    id = %u;\n    name = \"%s\";\n    stream_id = 0;\n"
                          "    fields := struct {\n        uint8_t flags;\n",
                          class, name != NULL ? name : "unknown");
  if ((class & HAS_OBJECT) != 0)
    g_string_append (text, "        uint32_t object_id;\n"
                           "        string { encoding = UTF8; } object;\n");
  if ((class & HAS_SIDE) != 0)
    g_string_append (text, "        side_t side;\n");
  if (n_operands > 0)
    g_string_append_printf (text, "        %s value;\n",
                            (class & HAS_REAL) != 0 ? "double_t" : "int64_t");
  if (n_operands > 1)
    g_string_append (text, "        int64_t detail;\n");
  if ((class & HAS_TEXT) != 0)
    g_string_append (text, "        string { encoding = UTF8; } text;\n");
  g_string_append (text, "    };\n};\n\n");
}

static char *
dup_metadata (Ctf *self)
{
  GString *text = g_string_new ("/* CTF 1.8 */\n\n");
  g_autofree char *uuid = ts_ctf_dup_uuid (self->uuid);
  g_autofree char *os = ts_recording_dup_meta (self->recording, "va_os");

  g_string_append (text, types);
  g_string_append_printf (text,
                          "trace {\n"
                          "    major = 1;\n"
                          "    minor = 8;\n"
                          "    uuid = \"%s\";\n"
                          "    byte_order = le;\n"
                          "    packet.header := struct {\n"
                          "        uint32_t magic;\n"
                          "        uint8_t uuid[16];\n"
                          "        uint32_t stream_id;\n"
                          "    };\n"
                          "};\n\n"
                          "env {\n",
                          uuid);
  append_variable (text, "tracer_name", "taskscope");
  append_variable (text, "recording_id", ts_recording_get_id (self->recording));
  append_variable (text, "target_os", os);
  append_objects (text, self->recording);
  g_string_append_printf (text,
                          "};\n\n"
                          "clock {\n"
                          "    name = target;\n"
                          "    freq = %" G_GUINT64_FORMAT ";\n"
                          "    offset = 0;\n"
                          "};\n\n",
                          MAX (ts_recording_get_clock_hz (self->recording), 1));
  g_string_append (text, stream);
  for (guint i = 0; i < N_KINDS * N_SHAPES; i++)
    if (self->seen[i] != 0)
      append_class (text, i);
  return g_string_free (text, FALSE);
}

static gboolean
write_metadata (Ctf *self)
{
  g_autofree char *text = dup_metadata (self);
  int fd = ts_export_folder_create (&self->folder, METADATA, &self->error);
  gboolean ok;

  if (fd < 0)
    return FALSE;
  ok = ts_export_folder_write (&self->folder, fd, text, strlen (text), &self->error);
  return ts_export_folder_close (&self->folder, fd, ok ? &self->error : NULL) && ok;
}

/* ---- the whole ---- */

static gboolean
end_cores (Ctf *self)
{
  gboolean ok = self->error == NULL;

  for (guint i = 0; i < N_CORES; i++)
    {
      Core *core = &self->cores[i];

      if (core->packets == NULL)
        continue;
      if (ok)
        {
          ts_ctf_packets_finish (core->packets);
          ok = store (self, core);
        }
      ok = ts_export_folder_close (&self->folder, core->fd, ok ? &self->error : NULL) && ok;
      g_clear_pointer (&core->packets, ts_ctf_packets_free);
    }
  return ok;
}

/**
 * ts_export_ctf:
 * @recording: a recording
 * @path: folder to make; an older trace there is replaced at the end only, when all went well
 * @options: (nullable): kinds, lanes and times (both ends inclusive)
 * @rebase: times begin at the begin of the range; else they stay as they are
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @n_events: (out) (optional): events written
 * @error: return location
 *
 * Writes events as a trace in the Common Trace Format, version 1.8: a folder with `metadata` and
 * one file for each processor. Times are the recording's ticks; events of one kind have the fields
 * `flags`, `object_id`, `object`, `side`, `value`, `detail` and `text`, as far as they have them. The
 * environment names the objects: type, processor, priority, whether it is an idle task, name.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_CANCELLED,
 * %TS_MODEL_ERROR_BAD_RECORDING
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_export_ctf (TsRecording *recording,
               const char *path,
               const TsQueryOptions *options,
               gboolean rebase,
               TsExportProgress progress,
               gpointer user_data,
               GCancellable *cancellable,
               guint64 *n_events,
               GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autofree guint8 *seen = g_malloc0 (N_KINDS * N_SHAPES);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autofree Ctf *self = g_new0 (Ctf, 1);
  TsEventFilter filter;
  gboolean ok;

  g_return_val_if_fail (TS_IS_RECORDING (recording) && path != NULL, FALSE);

  if (!_ts_export_filter_init (&filter, recording, options != NULL ? options : &defaults, error))
    return FALSE;

  self->recording = recording;
  self->seen = seen;
  self->payload = payload;
  self->first_row = filter.first_row;
  self->end_row = filter.end_row;
  self->zero = rebase ? filter.begin_ticks : 0;
  self->progress = progress;
  self->user_data = user_data;
  ts_ctf_make_uuid (self->uuid);
  ok = ts_export_folder_open (&self->folder, path, METADATA, error);
  if (ok)
    {
      ok = _ts_event_filter_scan (&filter, recording, 0, export_event, self, cancellable, error)
           && self->error == NULL;
      ok = end_cores (self) && ok;
      ok = ok && write_metadata (self) && ts_export_folder_finish (&self->folder, &self->error);
    }
  if (self->error != NULL && (error == NULL || *error == NULL))
    g_propagate_error (error, g_steal_pointer (&self->error));
  g_clear_error (&self->error);
  ts_export_folder_clear (&self->folder);
  _ts_event_filter_clear (&filter);
  if (n_events != NULL)
    *n_events = self->n_events;
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}
