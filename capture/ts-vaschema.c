/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-vaschema.c: reads `.vaschema` files.
 *
 * Source: viewalyzer-host.md section 3.13, viewalyzer-wire.md section 14.2
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-vaschema.h"

/* Members of `transport` and the keys they have become. */
static const struct
{
  const char *member;
  const char *key;
} settings[] = {
  { "cpuClockHz", "cpu-clock-hz" },   { "traceClockHz", "trace-clock-hz" },
  { "speedKHz", "speed-khz" },        { "swoFreqHz", "swo-freq-hz" },
  { "itmPort", "itm-port" },          { "rttChannel", "rtt-channel" },
  { "udpListenIP", "udp-ip" },        { "udpListenPort", "udp-port" },
  { "interface", "interface" },
};

/* Lists of `protocol` and what they name. */
static const struct
{
  const char *list;
  TsObjectType type;
} lists[] = {
  { "tasks", TS_OBJECT_TASK },
  { "isrs", TS_OBJECT_ISR },
  { "userTraces", TS_OBJECT_USER_TRACE },
  { "userFunctions", TS_OBJECT_USER_EVENT },
  { "userToggles", TS_OBJECT_USER_TOGGLE },
  { "userStrings", TS_OBJECT_STRING_CHANNEL },
  { "syncObjects", TS_OBJECT_NONE },
};

static const struct
{
  const char *name;
  TsObjectType type;
} sync_types[] = {
  { "queue", TS_OBJECT_QUEUE },
  { "mutex", TS_OBJECT_MUTEX },
  { "binary_sem", TS_OBJECT_BINARY_SEM },
  { "counting_sem", TS_OBJECT_COUNTING_SEM },
};

/* A member as the text that a key takes; NULL: it is not there, or is no plain value. */
static char *
dup_value (JsonObject *object,
           const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_STRING:
      return g_strdup (json_node_get_string (node));
    case G_TYPE_INT64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
    case G_TYPE_BOOLEAN:
      return g_strdup (json_node_get_boolean (node) ? "true" : "false");
    default:
      return NULL;
    }
}

static JsonObject *
get_object (JsonObject *object,
            const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static gboolean
set_key (TsConnection *connection,
         const char *member,
         const char *key,
         const char *value,
         GError **error)
{
  if (value == NULL || *value == '\0')
    return TRUE;
  if (ts_connection_set_from_text (connection, key, value, error))
    return TRUE;
  g_prefix_error (error, "“%s”: ", member);

  return FALSE;
}

static gboolean
load_transport (JsonObject *transport,
                TsConnection *connection,
                GError **error)
{
  g_autofree char *type = dup_value (transport, "type");
  g_autofree char *reset = dup_value (transport, "resetOnConnect");
  g_autofree char *framing = dup_value (transport, "framing");

  /* names were written with _ */
  if (type != NULL)
    g_strdelimit (type, "_", '-');
  if (!set_key (connection, "type", "transport", type, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *value = dup_value (transport, settings[i].member);

      if (!set_key (connection, settings[i].member, settings[i].key, value, error))
        return FALSE;
    }
  if (reset != NULL
      && !set_key (connection, "resetOnConnect", "no-reset",
                   strcmp (reset, "false") == 0 ? "true" : "false", error))
    return FALSE;

  return framing == NULL
         || set_key (connection, "framing", "cobs", strcmp (framing, "cobs") == 0 ? "true" : "false",
                     error);
}

static TsObjectType
get_sync_type (JsonObject *item)
{
  g_autofree char *name = dup_value (item, "type");

  for (gsize i = 0; i < G_N_ELEMENTS (sync_types); i++)
    if (g_strcmp0 (sync_types[i].name, name) == 0)
      return sync_types[i].type;

  return TS_OBJECT_NONE;
}

static void
load_names (JsonObject *protocol,
            TsNames *names)
{
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      JsonNode *node = json_object_get_member (protocol, lists[i].list);
      JsonArray *array
          = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

      for (guint k = 0; array != NULL && k < json_array_get_length (array); k++)
        {
          JsonNode *element = json_array_get_element (array, k);
          JsonObject *item = JSON_NODE_HOLDS_OBJECT (element) ? json_node_get_object (element) : NULL;
          g_autofree char *id = item != NULL ? dup_value (item, "id") : NULL;
          g_autofree char *name = item != NULL ? dup_value (item, "name") : NULL;
          TsObjectType type = lists[i].type;
          gint64 number;

          if (id == NULL || name == NULL || *name == '\0'
              || !_ts_connection_parse_int (id, &number) || number < 0 || number > G_MAXINT32)
            continue;
          if (type == TS_OBJECT_NONE)
            type = get_sync_type (item);
          if (type != TS_OBJECT_NONE)
            ts_names_set_name (names, type, (gint32) number, name);
        }
    }
}

/**
 * ts_vaschema_load:
 * @path: a `.vaschema` file
 * @connection: (nullable): gets the transport
 * @names: (nullable): gets the names
 * @error: return location
 *
 * Members that are not known are passed over.
 *
 * Thread: owner of both; reads a file
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_vaschema_load (const char *path,
                  TsConnection *connection,
                  TsNames *names,
                  GError **error)
{
  g_autofree char *data = NULL;
  g_autofree char *name = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) cause = NULL;
  JsonObject *object, *part;
  gsize length;

  g_return_val_if_fail (path != NULL, FALSE);

  name = g_filename_display_name (path);
  if (!g_file_get_contents (path, &data, &length, &cause))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("Cannot read the schema file: %s."), cause->message);
      return FALSE;
    }
  root = _ts_connection_parse_object (data, length, name, error);
  if (root == NULL)
    return FALSE;

  object = json_node_get_object (root);
  part = get_object (object, "transport");
  if (connection != NULL && part != NULL && !load_transport (part, connection, error))
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  if (connection != NULL)
    {
      g_autofree char *device = dup_value (object, "targetDevice");

      if (!set_key (connection, "targetDevice", "target-device", device, error))
        return FALSE;
    }
  part = get_object (object, "protocol");
  if (names != NULL && part != NULL)
    load_names (part, names);
  if (names != NULL)
    ts_names_set_schema_path (names, path);

  return TRUE;
}
