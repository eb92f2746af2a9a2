/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "capture/ts-firmware.h"
#include "capture/ts-probe.h"

#include "ui/ts-form-firmware.h"

/**
 * ts_connection_form_set_text:
 * @self: a form
 * @key: name of a key
 * @text: what its row shall say; nothing happens if the transport has no such row
 *
 * Thread: main
 */
void
ts_connection_form_set_text (TsConnectionForm *self,
                             const char *key,
                             const char *text)
{
  GtkWidget *row = ts_connection_form_get_row (self, key);

  if (row != NULL && GTK_IS_EDITABLE (row))
    gtk_editable_set_text (GTK_EDITABLE (row), text);
}

static void
set_address (TsConnectionForm *self,
             const char *key,
             guint32 address)
{
  g_autofree char *text = g_strdup_printf ("0x%08X", address);

  ts_connection_form_set_text (self, key, address != 0 ? text : "");
}

/* A transport that can use what the file holds. */
static void
choose_transport (TsConnectionForm *self,
                  const TsFirmware *firmware)
{
  const char *transport = ts_connection_form_get_transport (self);
  const char *kind = ts_probe_type_of_transport (transport);
  g_autofree char *wanted = g_strconcat (kind != NULL ? kind : "stlink", firmware->ring != 0 ? "-rambuf" : "-rtt", NULL);

  if (firmware->ring == 0 && firmware->rtt == 0)
    return;
  if (g_str_has_suffix (transport, "-rtt") && firmware->rtt != 0)
    return;
  if (ts_connection_transport_is_built (wanted))
    ts_connection_form_set_transport (self, wanted);
}

static void
set_ram (TsConnectionForm *self,
         const TsFirmware *firmware)
{
  g_autofree char *size = g_strdup_printf ("%u", firmware->ram_size);

  if (firmware->ram_size == 0)
    return;
  set_address (self, "rambuf-scan-start", firmware->ram_start);
  ts_connection_form_set_text (self, "rambuf-scan-size", size);
}

static char *
describe (const TsFirmware *firmware,
          const char *name)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *all = NULL;

  if (firmware->ring != 0)
    g_ptr_array_add (found, g_strdup_printf (_ ("ring at 0x%08X"), firmware->ring));
  if (firmware->rtt != 0)
    g_ptr_array_add (found, g_strdup_printf (_ ("RTT block at 0x%08X"), firmware->rtt));
  if (firmware->post_mortem != 0)
    g_ptr_array_add (found, g_strdup_printf (_ ("post-mortem ring at 0x%08X (take a snapshot)"),
                                             firmware->post_mortem));
  if (found->len == 0)
    g_ptr_array_add (found, g_strdup (_ ("no ring and no RTT block: this firmware has no recorder, "
                                         "or one for another transport")));
  if (firmware->clock != NULL)
    g_ptr_array_add (found, g_strdup_printf (_ ("core clock in %s"), firmware->clock));
  g_ptr_array_add (found, NULL);
  all = g_strjoinv (", ", (char **) found->pdata);
  /* translators: the name of a firmware file, and what was found in it */
  return g_strdup_printf (_ ("%s: %s"), name, all);
}

/**
 * ts_connection_form_use_firmware:
 * @self: a form
 * @path: the firmware's ELF file
 * @error: return location
 *
 * Fills in the addresses that the file tells, and chooses a transport that can use them.
 *
 * Thread: main; reads a file
 * Errors: those of ts_firmware_read(); then nothing is changed
 *
 * Returns: (transfer full): what was found, for people, or %NULL with @error set
 */
char *
ts_connection_form_use_firmware (TsConnectionForm *self,
                                 const char *path,
                                 GError **error)
{
  g_autofree char *base = NULL;
  TsFirmware firmware;

  g_return_val_if_fail (TS_IS_CONNECTION_FORM (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  if (!ts_firmware_read (path, &firmware, error))
    return NULL;
  choose_transport (self, &firmware);
  set_address (self, "rambuf-address", firmware.ring);
  set_address (self, "rtt-address", firmware.rtt);
  set_ram (self, &firmware);
  base = g_path_get_basename (path);
  return describe (&firmware, base);
}
