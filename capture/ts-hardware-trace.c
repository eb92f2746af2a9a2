/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-hardware-trace.c: checks the `hardware-trace` object of a connection: ITM, DWT and trace port
 * settings. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"

#define MAX_WATCHES 4

/* Members by path, and what they hold: i whole number, b switch, s string, a array, o object, x
 * address. Source: viewalyzer-host.md section 2.4, viewalyzer-wire.md section 14.1. */
static const struct
{
  const char *parent;
  const char *name;
  char type;
} known_members[] = {
  { "", "itm", 'o' },
  { "", "dwt", 'o' },
  { "", "trace-port", 'o' },
  { "", "chip", 's' },
  { "", "etr-window", 'o' },
  { "itm", "ports", 'i' },
  { "itm", "privilege", 'i' },
  { "itm", "timestamps", 'i' },
  { "dwt", "enable", 'b' },
  { "dwt", "exception-trace", 'b' },
  { "dwt", "pc-sample-cyc", 'i' },
  { "dwt", "counters", 'a' },
  { "dwt", "watch", 'a' },
  { "trace-port", "swo-hz", 'i' },
  { "trace-port", "protocol", 's' },
  { "etr-window", "base", 'x' },
  { "etr-window", "size", 'x' },
  { "watch", "addr", 'x' },
  { "watch", "size", 'i' },
  { "watch", "function", 's' },
  { "watch", "pc", 'b' },
  { "watch", "name", 's' },
};

static const char * const counter_names[] = { "cpi", "exc", "sleep", "lsu", "fold", "cyc", NULL };
static const char *const function_names[]
    = { "data-rw", "data-r", "data-w", "pc", "address", NULL };

static gboolean
holds (JsonNode *node,
       char type)
{
  GType value_type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;

  switch (type)
    {
    case 'i':
      return value_type == G_TYPE_INT64;
    case 'b':
      return value_type == G_TYPE_BOOLEAN;
    case 's':
      return value_type == G_TYPE_STRING;
    case 'x':
      return value_type == G_TYPE_STRING || value_type == G_TYPE_INT64;
    case 'a':
      return JSON_NODE_HOLDS_ARRAY (node);
    case 'o':
      return JSON_NODE_HOLDS_OBJECT (node);
    default:
      return FALSE;
    }
}

static gboolean
refuse (GError **error,
        const char *where,
        const char *what)
{
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“hardware-trace”: “%s” must be %s."), where, what);

  return FALSE;
}

static const char *
describe_type (char type)
{
  switch (type)
    {
    case 'i':
      return _("a whole number");
    case 'b':
      return _("true or false");
    case 's':
      return _("a string");
    case 'x':
      return _("an address or number, such as \"0x20000000\"");
    case 'a':
      return _("an array");
    default:
      return _("an object");
    }
}

static gboolean
check_members (JsonObject *object,
               const char *parent,
               GPtrArray *warnings,
               GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      char type = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (known_members) && type == 0; i++)
        if (strcmp (known_members[i].parent, parent) == 0
            && strcmp (known_members[i].name, name) == 0)
          type = known_members[i].type;

      if (type == 0)
        {
          if (warnings != NULL)
            g_ptr_array_add (
                warnings,
                g_strdup_printf (_("“hardware-trace”: unknown key “%.64s” has no effect."), name));
        }
      else if (!holds (node, type))
        return refuse (error, name, describe_type (type));
    }

  return TRUE;
}

static gboolean
check_watch (JsonNode *node,
             GPtrArray *warnings,
             GError **error)
{
  JsonObject *watch;
  const char *text;

  /* older spelling: "0xADDR:size" */
  if (holds (node, 's'))
    {
      char *rest = NULL;

      text = json_node_get_string (node);
      g_ascii_strtoull (text, &rest, 0);
      if (rest == text || (*rest != '\0' && *rest != ':'))
        return refuse (error, "watch",
                       _("an object with “addr”, or a string such as \"0x20000000:4\""));
      return TRUE;
    }

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse (error, "watch",
                   _("an object with “addr”, or a string such as \"0x20000000:4\""));

  watch = json_node_get_object (node);
  if (!json_object_has_member (watch, "addr"))
    return refuse (error, "addr", _("given for every watch"));
  if (!check_members (watch, "watch", warnings, error))
    return FALSE;
  if (json_object_has_member (watch, "function")
      && !g_strv_contains (function_names, json_object_get_string_member (watch, "function")))
    return refuse (error, "function", _("one of data-rw, data-r, data-w, pc, address"));

  return TRUE;
}

static gboolean
check_dwt (JsonObject *dwt,
           GPtrArray *warnings,
           GError **error)
{
  if (!check_members (dwt, "dwt", warnings, error))
    return FALSE;

  if (json_object_has_member (dwt, "counters"))
    {
      JsonArray *counters = json_object_get_array_member (dwt, "counters");

      for (guint i = 0; i < json_array_get_length (counters); i++)
        {
          JsonNode *node = json_array_get_element (counters, i);

          if (!holds (node, 's') || !g_strv_contains (counter_names, json_node_get_string (node)))
            return refuse (error, "counters", _("a list of cpi, exc, sleep, lsu, fold, cyc"));
        }
    }

  if (json_object_has_member (dwt, "watch"))
    {
      JsonArray *watches = json_object_get_array_member (dwt, "watch");

      if (json_array_get_length (watches) > MAX_WATCHES)
        return refuse (error, "watch", _("at most four watches"));
      for (guint i = 0; i < json_array_get_length (watches); i++)
        if (!check_watch (json_array_get_element (watches, i), warnings, error))
          return FALSE;
    }

  return TRUE;
}

/*
 * _ts_hardware_trace_check:
 * @object: value of `hardware-trace`
 * @warnings: (nullable) (element-type utf8): gets a sentence for each member nobody knows
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md section 2.4
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_hardware_trace_check (JsonObject *object,
                          GPtrArray *warnings,
                          GError **error)
{
  static const char * const parts[] = { "itm", "trace-port", "etr-window" };

  if (!check_members (object, "", warnings, error))
    return FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (json_object_has_member (object, parts[i])
        && !check_members (json_object_get_object_member (object, parts[i]), parts[i], warnings,
                           error))
      return FALSE;

  if (json_object_has_member (object, "itm"))
    {
      JsonObject *itm = json_object_get_object_member (object, "itm");

      if (json_object_has_member (itm, "timestamps"))
        {
          gint64 prescale = json_object_get_int_member (itm, "timestamps");

          if (prescale != 0 && prescale != 1 && prescale != 4 && prescale != 16 && prescale != 64)
            return refuse (error, "timestamps", _("0, 1, 4, 16 or 64"));
        }
    }

  return !json_object_has_member (object, "dwt")
         || check_dwt (json_object_get_object_member (object, "dwt"), warnings, error);
}
