/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-packets.c: what packets a file of trace bytes holds. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "decode/ts-packets.h"

#include "ts-cli.h"

#define CHUNK 65536

static void
print_packet (guint id,
              const char *line,
              gpointer user_data)
{
  if (id == TS_PACKETS_NO_ID)
    ts_cli_print_line ("%s", line);
  else
    ts_cli_print_line ("id=%u %s", id, line);
}

/* Gives all bytes of @file to @packets. */
static gboolean
read_file (const char *file,
           TsPackets *packets,
           GError **error)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  gssize n = -1;

  if (fd < 0)
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("Cannot open “%s”: %s."),
                   file, g_strerror (errno));
      return FALSE;
    }
  for (;;)
    {
      n = read (fd, buffer, CHUNK);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      ts_packets_push (packets, buffer, (gsize) n);
    }
  if (n < 0)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("Cannot read “%s”: %s."),
                 file, g_strerror (errno));
  close (fd);
  ts_packets_finish (packets);
  return n == 0;
}

static void
add_stream (JsonObject *object,
            TsPackets *packets,
            guint index)
{
  JsonObject *counts = json_object_new ();
  TsPacketsStream stream;

  ts_packets_get_stream (packets, index, &stream);
  for (guint i = 0; i < stream.n_types; i++)
    if (stream.counts[i] > 0)
      json_object_set_int_member (counts, ts_packets_get_type_name (packets, i), (gint64) stream.counts[i]);
  json_object_set_int_member (object, "bytes", (gint64) stream.bytes);
  json_object_set_object_member (object, "packets", counts);
  json_object_set_int_member (object, "unsynced_bytes", (gint64) stream.unsynced_bytes);
  json_object_set_int_member (object, "errors", (gint64) stream.errors);
}

static void
add_frames (JsonObject *object,
            const TsPacketsFrames *frames)
{
  JsonObject *formatter = json_object_new ();
  const struct
  {
    const char *name;
    guint64 value;
  } figures[] = {
    { "frames", frames->frames },
    { "id_changes", frames->id_changes },
    { "full_syncs", frames->full_syncs },
    { "half_syncs", frames->half_syncs },
    { "padding_bytes", frames->null_bytes },
    { "reserved_id_bytes", frames->reserved_bytes },
    { "no_id_bytes", frames->no_id_bytes },
    { "dropped_bytes", frames->dropped_bytes },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    json_object_set_int_member (formatter, figures[i].name, (gint64) figures[i].value);
  json_object_set_object_member (object, "formatter", formatter);
}

/**
 * ts_cli_packets:
 * @args: arguments
 * @error: return location
 *
 * Counts the packets of a file; with --list also prints one line for each.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND
 * Source: events.md section 4, `packets`
 *
 * Returns: exit status
 */
int
ts_cli_packets (TsCliArgs *args,
                GError **error)
{
  const char *format = ts_cli_args_get (args, "format");
  const char *sync = ts_cli_args_get (args, "sync");
  const char *file;
  g_autoptr (TsPackets) packets = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autoptr (GError) local_error = NULL;
  TsPacketsFrames frames;

  if (args->positional->len != 1)
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“packets” needs one file."));
      return 1;
    }
  file = ts_cli_args_get_positional (args, 0);
  packets = ts_packets_new (format != NULL ? format : "itm", sync != NULL ? sync : "strict",
                            ts_cli_args_has (args, "list") ? print_packet : NULL, NULL,
                            &local_error);
  if (packets == NULL)
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS, local_error->message);
      return 1;
    }
  if (!read_file (file, packets, error))
    return 1;

  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", file);
  if (ts_packets_get_frames (packets, &frames))
    {
      JsonObject *streams = json_object_new ();

      for (guint i = 0; i < ts_packets_get_n_streams (packets); i++)
        {
          JsonObject *item = json_object_new ();
          g_autofree char *name = NULL;
          TsPacketsStream stream;

          ts_packets_get_stream (packets, i, &stream);
          name = g_strdup_printf ("%u", stream.id);
          add_stream (item, packets, i);
          json_object_set_object_member (streams, name, item);
        }
      json_object_set_object_member (object, "streams", streams);
      add_frames (object, &frames);
    }
  else
    add_stream (object, packets, 0);
  ts_cli_envelope_print (args, object);
  return 0;
}
