/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection.c: a connection: the members of a `.vacf` file, checked against the table of keys.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ts-connection-private.h"
#include "ts-hardware-trace.h"

struct _TsConnection
{
  GObject parent_instance;

  JsonObject *members;  /* as loaded and set, in order; every value was checked */
  GPtrArray *warnings;  /* of char *, NULL-terminated */

  /* of one run; in no file */
  char *elf;
  char *symbols;
  guint poll_hz;
  gboolean is_poll_alone;
  TsProbeMaker probe_maker;
  gpointer probe_data;
};

G_DEFINE_QUARK (ts-capture-error-quark, ts_capture_error)

G_DEFINE_FINAL_TYPE (TsConnection, ts_connection, G_TYPE_OBJECT)

static void
take_warnings (TsConnection *self,
               GPtrArray *warnings)
{
  g_ptr_array_unref (self->warnings);
  self->warnings = warnings;
}

/* The list ends with %NULL. */
static void
add_warnings (TsConnection *self,
              GPtrArray *warnings)
{
  g_ptr_array_set_size (self->warnings, (gint) self->warnings->len - 1);
  for (guint i = 0; i < warnings->len; i++)
    g_ptr_array_add (self->warnings, g_strdup (g_ptr_array_index (warnings, i)));
  g_ptr_array_add (self->warnings, NULL);
}

static void
ts_connection_finalize (GObject *object)
{
  TsConnection *self = TS_CONNECTION (object);

  json_object_unref (self->members);
  g_ptr_array_unref (self->warnings);
  g_free (self->elf);
  g_free (self->symbols);

  G_OBJECT_CLASS (ts_connection_parent_class)->finalize (object);
}

static void
ts_connection_class_init (TsConnectionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_connection_finalize;
}

static void
ts_connection_init (TsConnection *self)
{
  self->members = json_object_new ();
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->warnings, NULL);
}

/**
 * ts_connection_new:
 *
 * A connection without any key set.
 *
 * Thread: any; one connection is used by one thread at a time
 *
 * Returns: (transfer full): it
 */
TsConnection *
ts_connection_new (void)
{
  return g_object_new (TS_TYPE_CONNECTION, NULL);
}

/**
 * ts_connection_load_data:
 * @self: a connection
 * @data: text of a connection file
 * @length: bytes of @data, or -1 if it is terminated
 * @name_for_messages: what to call it in messages
 * @lenient: an unknown key is a warning, not an error
 * @error: return location
 *
 * Replaces all keys by those of @data; on failure nothing changes. Keys are checked one by one;
 * whether the transport has all it needs is ts_connection_validate()'s question, so that flags may
 * complete a file.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md section 2.1
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_connection_load_data (TsConnection *self,
                         const char *data,
                         gssize length,
                         const char *name_for_messages,
                         gboolean lenient,
                         GError **error)
{
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonObject) members = NULL;
  g_autoptr (GPtrArray) warnings = NULL;
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (data != NULL || length == 0, FALSE);
  g_return_val_if_fail (name_for_messages != NULL, FALSE);

  root = _ts_connection_parse_object (data, length < 0 ? strlen (data) : (gsize) length,
                                      name_for_messages, error);
  if (root == NULL)
    return FALSE;

  members = json_object_new ();
  warnings = g_ptr_array_new_with_free_func (g_free);

  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      const TsConnectionKey *key = ts_connection_find_key (name);
      JsonNode *checked;

      if (key == NULL)
        {
          const char *nearest = _ts_connection_find_nearest_key (name);
          g_autofree char *place = _ts_hardware_trace_dup_place (name);
          g_autofree char *text = NULL;

          if (place != NULL)
            text = g_strdup_printf (
                _("unknown key “%.64s”: it is written \"hardware-trace\": %s."), name, place);
          else if (nearest != NULL)
            text = g_strdup_printf (_("unknown key “%.64s”: did you mean “%s”?"), name, nearest);
          else
            text = g_strdup_printf (_("unknown key “%.64s…”."), name);
          if (!lenient)
            {
              g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG, "%s: %s",
                           name_for_messages, text);
              return FALSE;
            }
          g_ptr_array_add (warnings, g_steal_pointer (&text));
          json_object_set_member (members, name, json_node_copy (node));
          continue;
        }

      checked = _ts_connection_check_node (key, node, warnings, error);
      if (checked == NULL)
        {
          g_prefix_error (error, "%s: ", name_for_messages);
          return FALSE;
        }
      json_object_set_member (members, name, checked);
    }

  g_ptr_array_add (warnings, NULL);
  take_warnings (self, g_steal_pointer (&warnings));
  json_object_unref (self->members);
  self->members = g_steal_pointer (&members);

  return TRUE;
}

/**
 * ts_connection_load_file:
 * @self: a connection
 * @path: a `.vacf` (or `.vacfg.json`) file
 * @lenient: an unknown key is a warning, not an error
 * @error: return location
 *
 * As ts_connection_load_data(), from a file of at most 256 KiB.
 *
 * Thread: owner; reads a file
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG, also when the file cannot be read
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_connection_load_file (TsConnection *self,
                         const char *path,
                         gboolean lenient,
                         GError **error)
{
  g_autofree char *data = NULL;
  g_autofree char *name = NULL;
  g_autoptr (GError) local_error = NULL;
  struct stat info;
  gsize length = 0;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  name = g_filename_display_name (path);
  if (stat (path, &info) == 0)
    {
      if (!S_ISREG (info.st_mode))
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("%s is no regular file: name a connection file (.vacf)."), name);
          return FALSE;
        }
      if (info.st_size > TS_CONNECTION_MAX_BYTES)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("%s is larger than %d KiB, too large for a connection file."),
                       name, TS_CONNECTION_MAX_BYTES / 1024);
          return FALSE;
        }
    }

  if (!g_file_get_contents (path, &data, &length, &local_error))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("Cannot read the connection file: %s."), local_error->message);
      return FALSE;
    }

  return ts_connection_load_data (self, data, (gssize) length, name, lenient, error);
}

static gboolean
parse_bool (const char *text,
            gboolean *value)
{
  static const char * const yes[] = { "", "true", "1", "yes", "on", NULL };
  static const char * const no[] = { "false", "0", "no", "off", NULL };
  g_autofree char *lower = g_ascii_strdown (text, -1);

  *value = g_strv_contains (yes, lower);

  return *value || g_strv_contains (no, lower);
}

static JsonNode *
object_from_text (const TsConnectionKey *key,
                  const char *value,
                  GError **error)
{
  g_autofree char *data = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length = 0;

  if (*value != '@')
    return _ts_connection_parse_object (value, strlen (value), key->name, error);

  if (!g_file_get_contents (value + 1, &data, &length, &local_error))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG, _("“%s”: %s."), key->name,
                   local_error->message);
      return NULL;
    }

  return _ts_connection_parse_object (data, length, value + 1, error);
}

/**
 * ts_connection_set_from_text:
 * @self: a connection
 * @key: name of a key
 * @value: its value as a person writes it: numbers decimal or with 0x; switches true, false or
 * empty for true; an object as JSON or @file
 * @error: return location
 *
 * Sets one key, as a flag of the command line or a row of a form does.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 *
 * Returns: %TRUE, or %FALSE with @error set and nothing changed
 */
gboolean
ts_connection_set_from_text (TsConnection *self,
                             const char *key,
                             const char *value,
                             GError **error)
{
  const TsConnectionKey *row;
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JsonNode) node = NULL;
  JsonNode *checked;
  gint64 number = 0;
  gboolean flag = FALSE;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (key != NULL, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  row = ts_connection_find_key (key);
  if (row == NULL)
    {
      const char *nearest = _ts_connection_find_nearest_key (key);

      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("unknown key “%.64s”: did you mean “%s”?"), key,
                   nearest != NULL ? nearest : "transport");
      return FALSE;
    }
  if (!g_utf8_validate (value, -1, NULL))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("“%s” must be UTF-8 text."), key);
      return FALSE;
    }

  switch (row->type)
    {
    case TS_KEY_STRING:
    case TS_KEY_IGNORED:
      node = json_node_init_string (json_node_alloc (), value);
      break;

    case TS_KEY_INT:
    case TS_KEY_ADDRESS:
      if (!_ts_connection_parse_int (value, &number))
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("“%s” must be a whole number, not “%.64s”."), key, value);
          return FALSE;
        }
      node = json_node_init_int (json_node_alloc (), number);
      break;

    case TS_KEY_BOOL:
      if (!parse_bool (value, &flag))
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("“%s” must be true or false, not “%.64s”."), key, value);
          return FALSE;
        }
      node = json_node_init_boolean (json_node_alloc (), flag);
      break;

    case TS_KEY_OBJECT:
      node = object_from_text (row, value, error);
      if (node == NULL)
        return FALSE;
      break;

    default:
      g_assert_not_reached ();
    }

  checked = _ts_connection_check_node (row, node, warnings, error);
  if (checked == NULL)
    return FALSE;
  add_warnings (self, warnings);

  /* The published form of an address is a string. */
  if (row->type == TS_KEY_ADDRESS)
    {
      g_autofree char *text = g_strdup_printf ("0x%08" G_GINT64_MODIFIER "x", (guint64) number);

      json_node_set_string (checked, text);
    }
  json_object_set_member (self->members, key, checked);

  return TRUE;
}

/**
 * ts_connection_validate:
 * @self: a connection
 * @error: return location
 *
 * Whether a capture can be tried: the transport is there, and has every key it cannot do without.
 * Transports that are not built yet pass: ts_source_new() refuses them.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_connection_validate (TsConnection *self,
                        GError **error)
{
  const char *transport, *missing;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);

  transport = ts_connection_get_transport (self);
  if (transport == NULL)
    {
      g_autofree char *known = g_strjoinv (", ", (char **) ts_connection_list_transports ());

      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("The connection has no “transport”: choose one of %s."), known);
      return FALSE;
    }

  if (ts_connection_get_bool (self, "connect-under-reset") && ts_connection_get_bool (self, "no-reset"))
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           _("“connect-under-reset” begins with a reset, which “no-reset” forbids: "
                             "leave one of the two out."));
      return FALSE;
    }
  missing = _ts_connection_find_missing_key (self, transport);
  if (missing != NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("The transport “%s” needs “%s”: %s"), transport, missing,
                   _(ts_connection_find_key (missing)->help));
      return FALSE;
    }

  return TRUE;
}

/**
 * ts_connection_to_json:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: (transfer full): the object a connection file of it holds
 */
JsonNode *
ts_connection_to_json (TsConnection *self)
{
  g_autoptr (JsonObject) object = NULL;
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  object = json_object_new ();
  json_object_iter_init_ordered (&iter, self->members);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    json_object_set_member (object, name, json_node_copy (node));

  return json_node_init_object (json_node_alloc (), object);
}

/**
 * ts_connection_save_file:
 * @self: a connection
 * @path: file to write
 * @error: return location
 *
 * Writes the connection, whole or not at all: what was loaded and not changed stays as it was, in
 * its order.
 *
 * Thread: owner; writes a file
 * Errors: %TS_CAPTURE_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set and the old file untouched
 */
gboolean
ts_connection_save_file (TsConnection *self,
                         const char *path,
                         GError **error)
{
  g_autoptr (JsonGenerator) generator = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autofree char *json = NULL;
  g_autofree char *text = NULL;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  generator = json_generator_new ();
  node = ts_connection_to_json (self);
  json_generator_set_root (generator, node);
  json_generator_set_pretty (generator, TRUE);
  json = json_generator_to_data (generator, NULL);
  text = g_strconcat (json, "\n", NULL);

  if (!g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
                                 &local_error))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE,
                   _("Cannot save the connection: %s."), local_error->message);
      return FALSE;
    }

  return TRUE;
}

/**
 * ts_connection_get_warnings:
 * @self: a connection
 *
 * What the last loading found odd but not wrong: keys without effect, unknown ones when lenient.
 *
 * Thread: owner
 *
 * Returns: (transfer none) (array zero-terminated=1): sentences
 */
const char * const *
ts_connection_get_warnings (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  return (const char * const *) self->warnings->pdata;
}

/**
 * ts_connection_get_transport:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): name of the transport, %NULL if none is set
 */
const char *
ts_connection_get_transport (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  return ts_connection_get_string (self, "transport");
}

static JsonNode *
get_member (TsConnection *self,
            const TsConnectionKey *key)
{
  return key->type == TS_KEY_IGNORED ? NULL : json_object_get_member (self->members, key->name);
}

/**
 * ts_connection_get_string:
 * @self: a connection
 * @key: name of a key that is a string
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): its value, else its default, else %NULL
 */
const char *
ts_connection_get_string (TsConnection *self,
                          const char *key)
{
  const TsConnectionKey *row;
  JsonNode *node;

  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);
  row = ts_connection_find_key (key);
  g_return_val_if_fail (row != NULL && row->type == TS_KEY_STRING, NULL);

  node = get_member (self, row);

  return node != NULL ? json_node_get_string (node) : row->default_value;
}

/**
 * ts_connection_get_int:
 * @self: a connection
 * @key: name of a key that is a number or an address
 *
 * Thread: owner
 *
 * Returns: its value, else its default (of `trace-clock-hz`: the core clock), else 0
 */
gint64
ts_connection_get_int (TsConnection *self,
                       const char *key)
{
  const TsConnectionKey *row;
  JsonNode *node;
  gint64 value = 0;

  g_return_val_if_fail (TS_IS_CONNECTION (self), 0);
  row = ts_connection_find_key (key);
  g_return_val_if_fail (row != NULL && (row->type == TS_KEY_INT || row->type == TS_KEY_ADDRESS), 0);

  node = get_member (self, row);
  if (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING)
    _ts_connection_parse_int (json_node_get_string (node), &value);
  else if (node != NULL)
    value = json_node_get_int (node);
  else if (row->default_value != NULL)
    _ts_connection_parse_int (row->default_value, &value);
  else if (strcmp (key, "trace-clock-hz") == 0)
    value = ts_connection_get_int (self, "cpu-clock-hz");

  return value;
}

/**
 * ts_connection_get_bool:
 * @self: a connection
 * @key: name of a key that is a switch
 *
 * Thread: owner
 *
 * Returns: its value, else its default
 */
gboolean
ts_connection_get_bool (TsConnection *self,
                        const char *key)
{
  const TsConnectionKey *row;
  JsonNode *node;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  row = ts_connection_find_key (key);
  g_return_val_if_fail (row != NULL && row->type == TS_KEY_BOOL, FALSE);

  node = get_member (self, row);
  if (node != NULL)
    return json_node_get_boolean (node);

  return g_strcmp0 (row->default_value, "true") == 0;
}

/**
 * ts_connection_get_object:
 * @self: a connection
 * @key: name of a key that is an object
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): its value, %NULL if it is not set
 */
JsonObject *
ts_connection_get_object (TsConnection *self,
                          const char *key)
{
  const TsConnectionKey *row;
  JsonNode *node;

  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);
  row = ts_connection_find_key (key);
  g_return_val_if_fail (row != NULL && row->type == TS_KEY_OBJECT, NULL);

  node = get_member (self, row);

  return node != NULL ? json_node_get_object (node) : NULL;
}

/**
 * ts_connection_override_hardware_trace:
 * @self: a connection
 * @flag: a flag for which ts_hardware_trace_is_override()
 * @value: (nullable): its value; %NULL for a switch
 * @error: return location
 *
 * Changes one setting of `hardware-trace`, as a flag of the command line does.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 *
 * Returns: %TRUE, or %FALSE with @error set and nothing changed
 */
gboolean
ts_connection_override_hardware_trace (TsConnection *self,
                                       const char *flag,
                                       const char *value,
                                       GError **error)
{
  JsonObject *object;

  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (flag != NULL, FALSE);

  object = ts_hardware_trace_override (ts_connection_get_object (self, "hardware-trace"), flag,
                                       value, error);
  if (object == NULL)
    return FALSE;
  json_object_set_object_member (self->members, "hardware-trace", object);

  return TRUE;
}

/**
 * ts_connection_has:
 * @self: a connection
 * @key: name of a key
 *
 * Thread: owner
 *
 * Returns: whether @key is set, by file or by hand
 */
gboolean
ts_connection_has (TsConnection *self,
                   const char *key)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);
  g_return_val_if_fail (key != NULL, FALSE);

  return json_object_has_member (self->members, key);
}

/**
 * ts_connection_unset:
 * @self: a connection
 * @key: name of a key
 *
 * Removes a key, so that its default holds again.
 *
 * Thread: owner
 */
void
ts_connection_unset (TsConnection *self,
                     const char *key)
{
  g_return_if_fail (TS_IS_CONNECTION (self));
  g_return_if_fail (key != NULL);

  if (json_object_has_member (self->members, key))
    json_object_remove_member (self->members, key);
}

/**
 * ts_connection_copy:
 * @self: a connection
 *
 * Thread: owner; the copy belongs to whoever uses it
 *
 * Returns: (transfer full): another one with the same keys and what was set for the run
 */
TsConnection *
ts_connection_copy (TsConnection *self)
{
  g_autoptr (JsonNode) node = NULL;
  TsConnection *copy;

  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  node = ts_connection_to_json (self);
  copy = ts_connection_new ();
  json_object_unref (copy->members);
  copy->members = json_node_dup_object (node);
  copy->elf = g_strdup (self->elf);
  copy->symbols = g_strdup (self->symbols);
  copy->poll_hz = self->poll_hz;
  copy->is_poll_alone = self->is_poll_alone;
  copy->probe_maker = self->probe_maker;
  copy->probe_data = self->probe_data;

  return copy;
}

/**
 * ts_connection_set_elf:
 * @self: a connection
 * @path: (nullable): the firmware's ELF file
 *
 * Says which firmware runs: the recorder's blocks and polled symbols are then found by name. Not a
 * key of the connection file.
 *
 * Thread: owner
 * Source: viewalyzer-host.md section 2.1
 */
void
ts_connection_set_elf (TsConnection *self,
                       const char *path)
{
  g_return_if_fail (TS_IS_CONNECTION (self));

  g_free (self->elf);
  self->elf = path != NULL && *path != '\0' ? g_strdup (path) : NULL;
}

/**
 * ts_connection_get_elf:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): the firmware's ELF file
 */
const char *
ts_connection_get_elf (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  return self->elf;
}

/**
 * ts_connection_set_polling:
 * @self: a connection whose transport is a probe's
 * @symbols: (nullable): `name[:type]`, separated by commas; %NULL: nothing is polled
 * @hz: how often per second, 1 to %TS_POLL_MAX_HZ; 0: %TS_POLL_DEFAULT_HZ
 * @is_alone: there is no capture beside it
 *
 * Thread: owner
 * Source: viewalyzer-host.md section 3.5, `poll`
 */
void
ts_connection_set_polling (TsConnection *self,
                           const char *symbols,
                           guint hz,
                           gboolean is_alone)
{
  g_return_if_fail (TS_IS_CONNECTION (self));

  g_free (self->symbols);
  self->symbols = symbols != NULL && *symbols != '\0' ? g_strdup (symbols) : NULL;
  self->poll_hz = hz;
  self->is_poll_alone = is_alone;
}

/**
 * ts_connection_get_polled_symbols:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): what ts_connection_set_polling() said
 */
const char *
ts_connection_get_polled_symbols (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), NULL);

  return self->symbols;
}

/**
 * ts_connection_get_poll_hz:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: how often symbols are polled per second
 */
guint
ts_connection_get_poll_hz (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), 0);

  return self->poll_hz != 0 ? self->poll_hz : TS_POLL_DEFAULT_HZ;
}

/**
 * ts_connection_is_poll_alone:
 * @self: a connection
 *
 * Thread: owner
 *
 * Returns: whether symbols are polled and nothing else is captured
 */
gboolean
ts_connection_is_poll_alone (TsConnection *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION (self), FALSE);

  return self->is_poll_alone;
}

/* For tests: probes of this connection come from @maker, not from USB. */
void
_ts_connection_set_probe_maker (TsConnection *self,
                                TsProbeMaker maker,
                                gpointer user_data)
{
  self->probe_maker = maker;
  self->probe_data = user_data;
}

TsProbeMaker
_ts_connection_get_probe_maker (TsConnection *self,
                                gpointer *user_data)
{
  *user_data = self->probe_data;

  return self->probe_maker;
}
