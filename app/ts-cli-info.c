/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-info.c: what this program and this machine have: version, doctor, ports, probes,
 * recordings, license. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/ts-probe.h"
#include "capture/ts-source.h"

#include "ts-cli-build.h"
#include "ts-cli.h"

static void
add_license (JsonObject *object)
{
  JsonObject *license = json_object_new ();

  json_object_set_boolean_member (license, "activated", TRUE);
  json_object_set_boolean_member (license, "unlimited", TRUE);
  json_object_set_object_member (object, "license", license);
}

/**
 * ts_cli_version:
 * @args: arguments
 * @error: return location, never set
 *
 * Source: viewalyzer-host.md section 3.5; the name in `app` is part of the contract
 *
 * Returns: exit status
 */
int
ts_cli_version (TsCliArgs *args,
                GError **error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  const char * const *names = ts_connection_list_transports ();
  g_auto (GStrv) build = g_strsplit (TS_BUILD_COMMIT, " ", 2);
  JsonArray *transports = json_array_new ();

  for (gsize i = 0; names[i] != NULL; i++)
    if (ts_connection_transport_is_built (names[i]))
      json_array_add_string_element (transports, names[i]);
  json_object_set_string_member (object, "app", "ViewAlyzer");
  json_object_set_string_member (object, "implementation", "Taskscope");
  json_object_set_string_member (object, "version", TS_VERSION);
  json_object_set_string_member (object, "core", "c");
  json_object_set_string_member (object, "edition", "open");
  json_object_set_string_member (object, "git_sha", build[0] != NULL ? build[0] : "unknown");
  json_object_set_string_member (object, "built",
                                 build[0] != NULL && build[1] != NULL ? build[1] : "unknown");
  json_object_set_array_member (object, "transports", transports);
  add_license (object);
  ts_cli_envelope_print (args, object);
  return 0;
}

static JsonObject *
add_check (JsonArray *checks,
           const char *id,
           const char *name,
           gboolean required,
           const char *status,
           const char *detail)
{
  JsonObject *check = json_object_new ();

  json_object_set_string_member (check, "id", id);
  json_object_set_string_member (check, "name", name);
  json_object_set_boolean_member (check, "required", required);
  json_object_set_string_member (check, "status", status);
  if (detail != NULL)
    ts_cli_envelope_add_text (check, "detail", detail);
  json_array_add_object_element (checks, check);
  return check;
}

/* Probes of one kind that are plugged in, whether they may be used, and whether the rule for udev is
 * there. */
static void
check_probes (JsonArray *checks,
              GPtrArray *probes,
              const char *type,
              const char *id,
              const char *name,
              const char *none)
{
  g_autofree char *rule = ts_probe_dup_udev_rule ();
  g_autoptr (GString) names = g_string_new (NULL);
  const char *problem = NULL;
  gboolean is_built = ts_probe_is_built (type);
  JsonObject *check;

  for (guint i = 0; i < probes->len; i++)
    {
      const TsProbeInfo *info = g_ptr_array_index (probes, i);

      if (!g_str_equal (info->type, type))
        continue;
      problem = problem != NULL ? problem : info->problem;
      g_string_append_printf (names, "%s%s %s", names->len > 0 ? ", " : "", info->description,
                              info->serial != NULL ? info->serial : info->location);
    }
  check = add_check (checks, id, name, FALSE,
                     problem != NULL ? "missing" : names->len > 0 ? "ok" : "none",
                     problem != NULL    ? problem
                     : names->len > 0   ? names->str
                     : is_built         ? none
                                        : _("This version was built without this kind of probe."));
  if (rule == NULL && is_built)
    json_object_set_string_member (
        check, "hint",
        _("The udev rule is not installed: sudo cp 70-taskscope.rules /etc/udev/rules.d/ && sudo "
          "udevadm control --reload, then plug the probe in again."));
}

/**
 * ts_cli_doctor:
 * @args: arguments
 * @error: return location, never set
 *
 * Source: viewalyzer-host.md section 3.5: the seven ids and the four statuses
 *
 * Returns: exit status
 */
int
ts_cli_doctor (TsCliArgs *args,
               GError **error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_auto (GStrv) ports = ts_source_list_serial_ports ();
  g_autofree char *port_names = ports != NULL ? g_strjoinv (", ", ports) : g_strdup ("");
  g_autofree char *folder = ts_cli_index_dup_folder ();
  gboolean is_writable = g_mkdir_with_parents (folder, 0700) == 0 && g_access (folder, W_OK) == 0;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) probes = ts_probe_list (problems);
  JsonArray *checks = json_array_new ();
  JsonObject *check;

  json_object_set_string_member (object, "app_version", TS_VERSION);
  json_object_set_string_member (object, "edition", "open");
  add_license (object);
  check_probes (checks, probes, "stlink", "probes_stlink", _("ST-LINK probes"),
                _("No ST-LINK is plugged in."));
  check_probes (checks, probes, "jlink", "probes_jlink", _("J-Link probes"),
                _("No J-Link is plugged in."));
  check_probes (checks, probes, "cmsis-dap", "probes_cmsis_dap", _("CMSIS-DAP probes"),
                _("No CMSIS-DAP probe is plugged in."));
  add_check (checks, "serial_ports", _("Serial ports"), FALSE, *port_names != '\0' ? "ok" : "none",
             *port_names != '\0' ? port_names : _("No serial port was found."));
  check = add_check (checks, "recordings_dir", _("Folder of recordings"), TRUE,
                     is_writable ? "ok" : "missing",
                     is_writable ? NULL : _("The folder cannot be made or written."));
  ts_cli_envelope_add_text (check, "path", folder);
  if (!is_writable)
    json_object_set_string_member (check, "hint",
                                   _("Set XDG_DATA_HOME to a folder that can be written."));
  add_check (checks, "probe_rs_targets", _("Chip descriptions"), FALSE, "none",
             _("None are needed: probes are driven without them."));
  add_check (checks, "license", _("License"), FALSE, "ok",
             _("Free software: no limits, nothing to activate."));
  json_object_set_array_member (object, "checks", checks);
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_ports:
 * @args: arguments
 * @error: return location, never set
 *
 * Returns: exit status
 */
int
ts_cli_ports (TsCliArgs *args,
              GError **error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_auto (GStrv) ports = ts_source_list_serial_ports ();
  JsonArray *array = json_array_new ();

  for (gsize i = 0; ports != NULL && ports[i] != NULL; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (ports[i], -1);

      json_array_add_string_element (array, valid);
    }
  json_object_set_array_member (object, "ports", array);
  ts_cli_envelope_print (args, object);
  return 0;
}

/* Source: viewalyzer-host.md section 3.5, `probes` */
static JsonObject *
probe_to_json (const TsProbeInfo *info)
{
  JsonObject *object = json_object_new ();
  g_autofree char *vid = g_strdup_printf ("%04x", info->vid);
  g_autofree char *pid = g_strdup_printf ("%04x", info->pid);

  json_object_set_string_member (object, "type", info->type);
  ts_cli_envelope_add_text (object, "serial", info->serial != NULL ? info->serial : "");
  ts_cli_envelope_add_text (object, "description", info->description);
  json_object_set_string_member (object, "vid", vid);
  json_object_set_string_member (object, "pid", pid);
  return object;
}

/**
 * ts_cli_probes:
 * @args: arguments
 * @error: return location, never set
 *
 * Debug probes that are plugged in, also those that may not be opened: why is among the warnings.
 *
 * Returns: exit status
 */
int
ts_cli_probes (TsCliArgs *args,
               GError **error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) probes = ts_probe_list (problems);
  JsonArray *array = json_array_new ();
  JsonArray *warnings = json_array_new ();

  for (guint i = 0; i < probes->len; i++)
    json_array_add_object_element (array, probe_to_json (g_ptr_array_index (probes, i)));
  for (guint i = 0; i < problems->len; i++)
    json_array_add_string_element (warnings, g_ptr_array_index (problems, i));
  if (probes->len == 0 && problems->len == 0)
    json_array_add_string_element (
        warnings, _("No debug probe is plugged in."));
  json_object_set_array_member (object, "probes", array);
  json_object_set_array_member (object, "warnings", warnings);
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_recordings:
 * @args: arguments
 * @error: return location
 *
 * Lists the index, or deletes one recording or all.
 *
 * Errors: %TS_CLI_ERROR_NO_SUCH_RECORDING
 *
 * Returns: exit status
 */
int
ts_cli_recordings (TsCliArgs *args,
                   GError **error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  const char *reference = ts_cli_args_get (args, "delete-recording");

  if (reference != NULL)
    {
      if (!ts_cli_index_delete (reference, error))
        return 1;
      ts_cli_envelope_add_text (object, "deleted", reference);
    }
  else if (ts_cli_args_has (args, "delete-all-recordings"))
    {
      if (!ts_cli_index_delete_all (error))
        return 1;
      json_object_set_string_member (object, "deleted", "all");
    }
  else
    {
      JsonArray *entries = ts_cli_index_list (error);

      if (entries == NULL)
        return 1;
      json_object_set_array_member (object, "recordings", entries);
    }
  ts_cli_envelope_print (args, object);
  return 0;
}

/**
 * ts_cli_license:
 * @args: arguments
 * @error: return location
 *
 * There is nothing to buy: `get` says so, everything else is `unsupported`.
 *
 * Errors: %TS_CLI_ERROR_UNSUPPORTED
 * Source: viewalyzer-host.md section 3.5, `license`
 *
 * Returns: exit status
 */
int
ts_cli_license (TsCliArgs *args,
                GError **error)
{
  g_autoptr (JsonObject) object = NULL;
  const char *what = ts_cli_args_get_positional (args, 0);

  if ((what != NULL && !g_str_equal (what, "get")) || ts_cli_args_has (args, "activate-license")
      || ts_cli_args_has (args, "validate-license") || ts_cli_args_has (args, "deactivate-license"))
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_UNSUPPORTED,
                           _("Taskscope is free software: there is no license to activate, "
                              "validate or give back."));
      return 1;
    }
  object = ts_cli_envelope_new ();
  json_object_set_boolean_member (object, "activated", TRUE);
  json_object_set_boolean_member (object, "unlimited", TRUE);
  json_object_set_string_member (object, "tier", "open");
  json_object_set_null_member (object, "max_record_s");
  json_object_set_int_member (object, "cooldown_remaining_s", 0);
  ts_cli_envelope_print (args, object);
  return 0;
}
