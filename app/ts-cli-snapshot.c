/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-snapshot.c: what a target's memory holds of its recorder, as a recording. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "capture/ts-probe.h"
#include "capture/ts-snapshot.h"

#include "ts-cli.h"

/* Only transports that read target memory. Source: viewalyzer-host.md section 3.5, behaviour */
static gboolean
check_transport (const char *transport,
                 GError **error)
{
  if (ts_probe_type_of_transport (transport) != NULL && g_str_has_suffix (transport, "-rambuf"))
    return TRUE;

  if (transport == NULL)
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                         _("“snapshot” needs --transport stlink-rambuf or jlink-rambuf, or a "
                            "--config that names one."));
  else
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("“snapshot” reads target memory: the transport is stlink-rambuf or "
                    "jlink-rambuf, not “%s”."),
                 transport);
  return FALSE;
}

static char *
dup_hex (guint32 address)
{
  return g_strdup_printf ("0x%08x", address);
}

static JsonObject *
block_to_json (const TsVaBlock *block)
{
  JsonObject *object = json_object_new ();
  g_autofree char *address = dup_hex (block->address);
  g_autofree char *buffer = dup_hex (block->buffer);
  g_autofree char *version
      = block->version != 0
            ? g_strdup_printf ("%u.%u", block->version >> 8, block->version & 0xFF)
            : NULL;

  json_object_set_int_member (object, "address", block->address);
  json_object_set_string_member (object, "address_hex", address);
  json_object_set_int_member (object, "buffer_address", block->buffer);
  json_object_set_string_member (object, "buffer_address_hex", buffer);
  json_object_set_int_member (object, "buffer_size", block->size);
  json_object_set_int_member (object, "write_offset", block->write_offset);
  json_object_set_int_member (object, "read_offset", block->read_offset);
  json_object_set_int_member (object, "flags", block->flags);
  json_object_set_int_member (object, "cpu_hz", block->clock_hz);
  json_object_set_int_member (object, "wire_version", block->wire_version);
  ts_cli_envelope_add_text (object, "recorder_version", version);
  if (block->kind == TS_VA_BLOCK_LIVE)
    {
      json_object_set_string_member (object, "mode", block->is_blocking ? "block" : "drop");
      json_object_set_boolean_member (object, "metadata", block->has_metadata);
    }
  else
    {
      json_object_set_int_member (object, "names_address", block->names);
      json_object_set_int_member (object, "names_bytes", block->n_names);
    }
  return object;
}

/* Source: viewalyzer-host.md section 3.5, `snapshot` */
static JsonObject *
figures_to_json (const TsSnapshotFigures *figures,
                 const TsRecordingSummary *summary)
{
  JsonObject *object = ts_cli_summary_to_json (summary);
  JsonObject *integrity = json_object_new ();
  const TsVaBlock *block = &figures->block;
  gboolean is_live = block->kind == TS_VA_BLOCK_LIVE;

  json_object_set_string_member (object, "ring", is_live ? "live-drop" : "post-mortem");
  json_object_set_int_member (object, "window_bytes", (gint64) figures->walk.n_window);
  json_object_set_int_member (object, "discarded_packets", block->dropped);
  json_object_set_boolean_member (object, "wrapped",
                                  is_live ? block->write_offset < block->read_offset
                                          : block->has_wrapped);
  json_object_set_boolean_member (object, "frozen", block->is_frozen);
  json_object_set_object_member (object, "control_block", block_to_json (block));

  json_object_set_int_member (integrity, "packets", figures->walk.n_frames);
  json_object_set_int_member (integrity, "damaged_bytes", (gint64) figures->walk.n_damaged);
  json_object_set_int_member (integrity, "names_packets", figures->walk.n_names);
  json_object_set_int_member (integrity, "names_damaged_bytes",
                              (gint64) figures->walk.n_names_damaged);
  json_object_set_int_member (integrity, "rings_found", figures->n_blocks);
  json_object_set_object_member (object, "integrity", integrity);
  return object;
}

/* The codes of the contract. Source: viewalyzer-host.md section 3.6 */
static void
propagate_snapshot_error (GError **error,
                          GError *cause)
{
  if (g_error_matches (cause, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY))
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_EMPTY_SNAPSHOT, cause->message);
  else if (g_error_matches (cause, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG))
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS, cause->message);
  else if (cause->domain == TS_CAPTURE_ERROR)
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_SNAPSHOT_FAILED, cause->message);
  else
    {
      g_propagate_error (error, cause);
      return;
    }
  g_error_free (cause);
}

/* The contract lines, on standard error: standard output holds the envelope alone. Source:
 * viewalyzer-host.md sections 3.3 and 3.11 */
static char *
tell_recording (TsCliArgs *args,
                const char *path,
                const TsRecordingSummary *summary)
{
  g_autofree char *id = ts_cli_dup_recording_id (path);
  g_autoptr (GError) error = NULL;
  GStatBuf status = { 0 };

  if (g_stat (path, &status) == 0)
    ts_cli_remark ("[headless] Recording saved: %s (%" G_GINT64_FORMAT " KB)", path,
                   (gint64) status.st_size / 1024);
  if (id != NULL && !ts_cli_args_has (args, "no-register"))
    {
      if (ts_cli_index_register (path, id, summary->os != NULL ? summary->os : "snapshot",
                                 summary->duration_us, &error))
        ts_cli_remark ("[headless] Recording registered: id=%s", id);
      else
        ts_cli_remark ("%s", error->message);
    }
  return g_steal_pointer (&id);
}

/* The envelope; takes what @summary holds. */
static int
tell_snapshot (TsCliArgs *args,
               const char *path,
               const TsSnapshotFigures *figures,
               TsRecordingSummary *summary)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_autofree char *id = tell_recording (args, path, summary);

  ts_cli_remark_claims (path);
  ts_cli_envelope_add_text (object, "recording_id", id);
  ts_cli_envelope_add_text (object, "path", path);
  json_object_set_object_member (object, "summary", figures_to_json (figures, summary));
  ts_cli_envelope_print (args, object);
  ts_recording_summary_clear (summary);
  return 0;
}

/**
 * ts_cli_snapshot_image:
 * @args: arguments
 * @image: FILE\@ADDRESS
 * @source: transport, for the recording
 * @error: return location
 *
 * Makes a recording of a memory image and prints the envelope: `snapshot --image`, and `decode
 * --format snapshot`.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND, %TS_CLI_ERROR_EMPTY_SNAPSHOT,
 *   %TS_CLI_ERROR_SNAPSHOT_FAILED
 *
 * Returns: exit status
 */
int
ts_cli_snapshot_image (TsCliArgs *args,
                       const char *image,
                       const char *source,
                       GError **error)
{
  const char *output = ts_cli_args_get (args, "output");
  g_autofree char *file = NULL;
  g_autofree char *path = NULL;
  TsSnapshotOptions options = { .keep_raw_log = !ts_cli_args_has (args, "no-raw-log"),
                                .capture_source = source };
  TsSnapshotFigures figures;
  TsRecordingSummary summary = { 0 };
  GError *local_error = NULL;
  guint32 base = 0;

  if (!ts_snapshot_parse_image_name (image, &file, &base, &local_error))
    {
      propagate_snapshot_error (error, local_error);
      return 1;
    }
  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("There is no file “%s”."),
                   file);
      return 1;
    }
  path = ts_cli_dup_vadb_path (output != NULL && *output != '\0' ? output : file);
  options.output = path;
  if (!ts_snapshot_take_image (file, base, &options, &figures, &summary, &local_error))
    {
      propagate_snapshot_error (error, local_error);
      return 1;
    }

  return tell_snapshot (args, path, &figures, &summary);
}

static int
snapshot_of_target (TsCliArgs *args,
                    TsConnection *connection,
                    GError **error)
{
  const char *output = ts_cli_args_get (args, "output");
  g_autofree char *path
      = ts_cli_dup_vadb_path (output != NULL && *output != '\0' ? output : "snapshot.vadb");
  TsSnapshotOptions options = { .output = path,
                                .keep_raw_log = !ts_cli_args_has (args, "no-raw-log"),
                                .capture_source = ts_connection_get_transport (connection) };
  TsSnapshotFigures figures;
  TsRecordingSummary summary = { 0 };
  GError *local_error = NULL;

  ts_connection_set_elf (connection, ts_cli_args_get (args, "elf"));
  ts_cli_remark ("[headless] Snapshot: %s", options.capture_source);
  if (!ts_snapshot_take_probe (connection, &options, &figures, &summary, &local_error))
    {
      propagate_snapshot_error (error, local_error);
      return 1;
    }
  return tell_snapshot (args, path, &figures, &summary);
}

/**
 * ts_cli_snapshot:
 * @args: arguments
 * @error: return location
 *
 * Reads the recorder's ring out of target memory once; the target is never reset.
 *
 * Errors: those of ts_cli_snapshot_image()
 * Source: viewalyzer-host.md sections 3.2 and 3.5; events.md section 4 for --image
 *
 * Returns: exit status
 */
int
ts_cli_snapshot (TsCliArgs *args,
                 GError **error)
{
  const char *image = ts_cli_args_get (args, "image");
  const char *transport = ts_cli_args_get (args, "transport");
  g_autoptr (TsConnection) connection = ts_connection_new ();

  /* told as a wrong argument, whatever else the connection lacks */
  if (transport != NULL && !check_transport (transport, error))
    return 1;
  if (!ts_cli_load_config (args, connection, error)
      || !ts_cli_set_keys (args, connection, NULL, error)
      || !check_transport (ts_connection_get_transport (connection), error))
    return 1;
  if (image != NULL)
    return ts_cli_snapshot_image (args, image, ts_connection_get_transport (connection), error);
  if (!ts_connection_validate (connection, error))
    return 1;
  return snapshot_of_target (args, connection, error);
}

/**
 * ts_cli_reset:
 * @args: arguments
 * @error: return location
 *
 * Resets the target behind a probe and lets it run: what a snapshot never does.
 *
 * Errors: those of the connection and of ts_probe_open()
 * Source: viewalyzer-host.md section 3.2, `reset`
 *
 * Returns: exit status
 */
int
ts_cli_reset (TsCliArgs *args,
              GError **error)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (JsonObject) object = NULL;
  g_autoptr (TsProbe) probe = NULL;
  const char *transport;

  if (!ts_cli_load_config (args, connection, error)
      || !ts_cli_set_keys (args, connection, NULL, error)
      || !ts_connection_validate (connection, error))
    return 1;
  transport = ts_connection_get_transport (connection);
  if (ts_probe_type_of_transport (transport) == NULL)
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“reset” needs a probe: the transport is stlink-... or jlink-..., not “%s”."),
                   transport);
      return 1;
    }
  probe = ts_probe_open_connection_to_reset (connection, error);
  if (probe == NULL || !ts_probe_reset (probe, error))
    return 1;

  object = ts_cli_envelope_new ();
  json_object_set_boolean_member (object, "reset", TRUE);
  json_object_set_string_member (object, "transport", transport);
  ts_cli_envelope_print (args, object);
  return 0;
}
