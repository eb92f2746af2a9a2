/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-hardware-trace.c: the `hardware-trace` object of a connection (settings of ITM, DWT and trace
 * port): checked, read, and changed by flags. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-hardware-trace.h"

/* Members by path, and what they hold: i whole number, b switch, s string, a array, o object, x
 * address. `dwt.path` is ours. Source: viewalyzer-host.md section 2.4, viewalyzer-wire.md section
 * 14.1. */
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
  { "dwt", "path", 's' },
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

/* In the order of the bits of an event counter packet. Source: itm-dwt.md section 2.7 */
static const char * const counter_names[] = { "cpi", "exc", "sleep", "lsu", "fold", "cyc", NULL };
/* In the order of #TsWatchFunction. */
static const char *const function_names[]
    = { "data-rw", "data-r", "data-w", "pc", "address", NULL };
/* In the order of #TsTracePath. */
static const char *const path_names[] = { "auto", "poll", "swo", NULL };

/* Flags that win over the object. Source: viewalyzer-host.md section 2.4, "Flat overrides" */
static const struct
{
  const char *flag;
  const char *parent;
  const char *name;
  char type;
} overrides[] = {
  { "dwt", "dwt", "enable", 'b' },
  { "dwt-exc", "dwt", "exception-trace", 'b' },
  { "dwt-pc", "dwt", "pc-sample-cyc", 'i' },
  { "dwt-watch", "dwt", "watch", 'a' },
  { "dwt-counters", "dwt", "counters", 'a' },
  { "dwt-path", "dwt", "path", 's' },
  { "itm-ports", "itm", "ports", 'i' },
  { "itm-privilege", "itm", "privilege", 'i' },
  { "itm-timestamps", "itm", "timestamps", 'i' },
};

static const char *const override_flags[]
    = { "dwt",      "dwt-exc",   "dwt-pc",        "dwt-watch",      "dwt-counters",
        "dwt-path", "itm-ports", "itm-privilege", "itm-timestamps", NULL };

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

/* How a member is written, in the object. @parent: the empty string for those at its top */
static char *
dup_place (const char *parent,
           const char *name)
{
  return *parent != '\0' ? g_strdup_printf ("{\"%s\": {\"%s\": …}}", parent, name)
                         : g_strdup_printf ("{\"%s\": …}", name);
}

/*
 * _ts_hardware_trace_dup_place:
 * @name: what stands where it is not known
 *
 * Names inside of watches and windows ("size", "name") say too little to tell.
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): how it is written inside of `hardware-trace`, if @name is
 * exactly the name of a member or of the flag that sets one
 */
char *
_ts_hardware_trace_dup_place (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (overrides); i++)
    if (strcmp (overrides[i].flag, name) == 0 && strcmp (name, overrides[i].parent) != 0)
      return dup_place (overrides[i].parent, overrides[i].name);
  for (gsize i = 0; i < G_N_ELEMENTS (known_members); i++)
    {
      const char *parent = known_members[i].parent;
      g_autofree char *path = g_strconcat (parent, ".", known_members[i].name, NULL);

      if (strcmp (parent, "watch") != 0 && strcmp (parent, "etr-window") != 0
          && (strcmp (known_members[i].name, name) == 0 || strcmp (path, name) == 0))
        return dup_place (parent, known_members[i].name);
    }
  return NULL;
}

static void
warn_of_member (const char *name,
                GPtrArray *warnings)
{
  g_autofree char *place = NULL;
  char *text;

  if (warnings == NULL)
    return;
  if (ts_connection_find_key (name) != NULL)
    text = g_strdup_printf (
        _("“hardware-trace”: “%.64s” has no effect in it: it is written beside it."), name);
  else if ((place = _ts_hardware_trace_dup_place (name)) != NULL)
    text = g_strdup_printf (
        _("“hardware-trace”: “%.64s” has no effect here: it is written %s."), name, place);
  else
    text = g_strdup_printf (_("“hardware-trace”: unknown key “%.64s” has no effect."), name);
  g_ptr_array_add (warnings, text);
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
        warn_of_member (name, warnings);
      else if (!holds (node, type))
        return refuse (error, name, describe_type (type));
    }

  return TRUE;
}

static gboolean
find_name (const char *const *names,
           const char *name,
           guint *index)
{
  for (*index = 0; names[*index] != NULL; (*index)++)
    if (strcmp (names[*index], name) == 0)
      return TRUE;

  return FALSE;
}

static gboolean
bad_watch_text (const char *text,
                GError **error)
{
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“hardware-trace”: “%.64s” is no watch; one is written "
                 "[name@]0xADDR[:size][:data-rw|data-r|data-w|pc|address][:pc]."),
               text);

  return FALSE;
}

/* `[name@]0xADDR[:size][:function][:pc]`: a first `pc` is the function, one after a function the
 * switch. */
static gboolean
read_watch_text (TsTraceWatch *watch,
                 const char *text,
                 GError **error)
{
  const char *at = strrchr (text, '@');
  g_auto (GStrv) words = g_strsplit (at != NULL ? at + 1 : text, ":", 8);
  gint64 number;
  guint i = 1;
  guint function;

  if (words[0] == NULL || !_ts_connection_parse_int (words[0], &number) || number < 0
      || number > G_MAXUINT32)
    return bad_watch_text (text, error);
  watch->address = (guint32) number;

  if (words[i] != NULL && _ts_connection_parse_int (words[i], &number))
    {
      if (number < 1 || number > 0x8000)
        return refuse (error, "size", _("from 1 to 32768"));
      watch->size = (guint32) number;
      i++;
    }
  if (words[i] != NULL && find_name (function_names, words[i], &function))
    {
      watch->function = (TsWatchFunction) function;
      i++;
    }
  if (words[i] != NULL && strcmp (words[i], "pc") == 0)
    {
      watch->with_pc = TRUE;
      i++;
    }
  if (words[i] != NULL)
    return bad_watch_text (text, error);
  if (at != NULL && at > text)
    watch->name = g_strndup (text, (gsize) (at - text));

  return TRUE;
}

static gboolean
read_number (JsonNode *node,
             gint64 *number)
{
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return _ts_connection_parse_int (json_node_get_string (node), number);
  *number = json_node_get_int (node);

  return TRUE;
}

static gboolean
read_watch_object (TsTraceWatch *watch,
                   JsonObject *object,
                   GPtrArray *warnings,
                   GError **error)
{
  gint64 number;
  guint function;

  if (!json_object_has_member (object, "addr"))
    return refuse (error, "addr", _("given for every watch"));
  if (!check_members (object, "watch", warnings, error))
    return FALSE;
  if (!read_number (json_object_get_member (object, "addr"), &number) || number < 0
      || number > G_MAXUINT32)
    return refuse (error, "addr", describe_type ('x'));
  watch->address = (guint32) number;

  number = json_object_get_int_member_with_default (object, "size", 4);
  if (number < 1 || number > 0x8000)
    return refuse (error, "size", _("from 1 to 32768"));
  watch->size = (guint32) number;

  if (json_object_has_member (object, "function"))
    {
      if (!find_name (function_names, json_object_get_string_member (object, "function"),
                      &function))
        return refuse (error, "function", _("one of data-rw, data-r, data-w, pc, address"));
      watch->function = (TsWatchFunction) function;
    }
  watch->with_pc = json_object_get_boolean_member_with_default (object, "pc", FALSE);
  watch->name = g_strdup (json_object_get_string_member_with_default (object, "name", NULL));

  return TRUE;
}

static gboolean
read_watch (TsTraceWatch *watch,
            JsonNode *node,
            GPtrArray *warnings,
            GError **error)
{
  *watch = (TsTraceWatch) { .size = 4, .function = TS_WATCH_DATA_RW };
  if (holds (node, 's'))
    return read_watch_text (watch, json_node_get_string (node), error);
  if (JSON_NODE_HOLDS_OBJECT (node))
    return read_watch_object (watch, json_node_get_object (node), warnings, error);

  return refuse (error, "watch", _("an object with “addr”, or a string such as \"0x20000000:4\""));
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

      if (json_array_get_length (watches) > TS_TRACE_MAX_WATCHES)
        return refuse (error, "watch", _("at most four watches"));
      for (guint i = 0; i < json_array_get_length (watches); i++)
        {
          TsTraceWatch watch;
          gboolean ok = read_watch (&watch, json_array_get_element (watches, i), warnings, error);

          g_free (watch.name);
          if (!ok)
            return FALSE;
        }
    }

  if (json_object_has_member (dwt, "path")
      && !g_strv_contains (path_names, json_object_get_string_member (dwt, "path")))
    return refuse (error, "path", _("auto, poll or swo"));
  if (json_object_has_member (dwt, "pc-sample-cyc"))
    {
      gint64 cycles = json_object_get_int_member (dwt, "pc-sample-cyc");

      if (cycles < 0 || cycles > G_MAXINT32)
        return refuse (error, "pc-sample-cyc", _("a number of cycles, 0 or more"));
    }

  return TRUE;
}

static gboolean
check_itm (JsonObject *itm,
           GError **error)
{
  static const char *const masks[] = { "ports", "privilege" };

  for (gsize i = 0; i < G_N_ELEMENTS (masks); i++)
    {
      gint64 mask = json_object_get_int_member_with_default (itm, masks[i], 0);

      if (mask < 0 || mask > G_MAXUINT32)
        return refuse (error, masks[i], _("a mask of 32 bits"));
    }
  if (json_object_has_member (itm, "timestamps"))
    {
      gint64 prescale = json_object_get_int_member (itm, "timestamps");

      if (prescale != 0 && prescale != 1 && prescale != 4 && prescale != 16 && prescale != 64)
        return refuse (error, "timestamps", _("0, 1, 4, 16 or 64"));
    }

  return TRUE;
}

static gboolean
check_port (JsonObject *port,
            GError **error)
{
  const char *protocol = json_object_get_string_member_with_default (port, "protocol", "nrz");
  gint64 rate = json_object_get_int_member_with_default (port, "swo-hz", 1);

  if (rate < 1 || rate > 1000000000)
    return refuse (error, "swo-hz", _("from 1 to 1000000000"));
  if (strcmp (protocol, "nrz") != 0 && strcmp (protocol, "manchester") != 0)
    return refuse (error, "protocol", _("nrz or manchester"));

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

  if (json_object_has_member (object, "itm")
      && !check_itm (json_object_get_object_member (object, "itm"), error))
    return FALSE;
  if (json_object_has_member (object, "trace-port")
      && !check_port (json_object_get_object_member (object, "trace-port"), error))
    return FALSE;

  return !json_object_has_member (object, "dwt")
         || check_dwt (json_object_get_object_member (object, "dwt"), warnings, error);
}

/**
 * ts_hardware_trace_init:
 * @self: (out): nothing asked
 *
 * Thread: any
 */
void
ts_hardware_trace_init (TsHardwareTrace *self)
{
  g_return_if_fail (self != NULL);

  *self = (TsHardwareTrace) { .itm_ports = -1, .timestamps = -1 };
}

/**
 * ts_hardware_trace_clear:
 * @self: settings
 *
 * Thread: any
 */
void
ts_hardware_trace_clear (TsHardwareTrace *self)
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; i < TS_TRACE_MAX_WATCHES; i++)
    g_free (self->watches[i].name);
  ts_hardware_trace_init (self);
}

static void
read_dwt (TsHardwareTrace *self,
          JsonObject *dwt)
{
  guint index;

  self->exception_trace
      = json_object_get_boolean_member_with_default (dwt, "exception-trace", FALSE);
  self->pc_sample_cyc
      = (guint) json_object_get_int_member_with_default (dwt, "pc-sample-cyc", 0);
  if (find_name (path_names, json_object_get_string_member_with_default (dwt, "path", "auto"),
                 &index))
    self->path = (TsTracePath) index;

  if (json_object_has_member (dwt, "counters"))
    {
      JsonArray *counters = json_object_get_array_member (dwt, "counters");

      for (guint i = 0; i < json_array_get_length (counters); i++)
        if (find_name (counter_names, json_array_get_string_element (counters, i), &index))
          self->counters |= 1u << index;
    }
  if (json_object_has_member (dwt, "watch"))
    {
      JsonArray *watches = json_object_get_array_member (dwt, "watch");

      for (guint i = 0; i < json_array_get_length (watches); i++)
        if (!read_watch (&self->watches[self->n_watches++], json_array_get_element (watches, i),
                         NULL, NULL))
          g_return_if_reached ();
    }

  /* Who asks for something of the DWT and does not say that it shall stay off wants it. */
  self->dwt = json_object_get_boolean_member_with_default (
      dwt, "enable",
      self->exception_trace || self->pc_sample_cyc != 0 || self->counters != 0
          || self->n_watches > 0);
}

/**
 * ts_hardware_trace_read:
 * @self: (out): settings; ts_hardware_trace_clear()
 * @object: (nullable): a `hardware-trace` object
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md section 2.4
 *
 * Returns: %TRUE, or %FALSE with @error set and nothing asked in @self
 */
gboolean
ts_hardware_trace_read (TsHardwareTrace *self,
                        JsonObject *object,
                        GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  ts_hardware_trace_init (self);
  if (object == NULL)
    return TRUE;
  if (!_ts_hardware_trace_check (object, NULL, error))
    return FALSE;

  if (json_object_has_member (object, "itm"))
    {
      JsonObject *itm = json_object_get_object_member (object, "itm");

      self->itm_ports = json_object_get_int_member_with_default (itm, "ports", -1);
      self->itm_privilege
          = (guint32) json_object_get_int_member_with_default (itm, "privilege", 0);
      self->timestamps = (int) json_object_get_int_member_with_default (itm, "timestamps", -1);
    }
  if (json_object_has_member (object, "trace-port"))
    {
      JsonObject *port = json_object_get_object_member (object, "trace-port");

      self->swo_hz = json_object_get_int_member_with_default (port, "swo-hz", 0);
      self->is_manchester
          = strcmp (json_object_get_string_member_with_default (port, "protocol", "nrz"),
                    "manchester")
            == 0;
    }
  if (json_object_has_member (object, "dwt"))
    read_dwt (self, json_object_get_object_member (object, "dwt"));

  return TRUE;
}

/**
 * ts_watch_function_get_name:
 * @function: what a hit of a watch tells
 *
 * Thread: any
 *
 * Returns: its name in a connection file
 */
const char *
ts_watch_function_get_name (TsWatchFunction function)
{
  g_return_val_if_fail ((guint) function + 1 < G_N_ELEMENTS (function_names), NULL);

  return function_names[function];
}

/**
 * ts_hardware_trace_is_override:
 * @flag: a flag without dashes
 *
 * Thread: any
 *
 * Returns: whether it sets a member of the `hardware-trace` object
 */
gboolean
ts_hardware_trace_is_override (const char *flag)
{
  return g_strv_contains (override_flags, flag);
}

/**
 * ts_hardware_trace_override_is_switch:
 * @flag: a flag for which ts_hardware_trace_is_override()
 *
 * Thread: any
 *
 * Returns: whether it goes without a value
 */
gboolean
ts_hardware_trace_override_is_switch (const char *flag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (overrides); i++)
    if (strcmp (overrides[i].flag, flag) == 0)
      return overrides[i].type == 'b';

  return FALSE;
}

/**
 * ts_hardware_trace_list_overrides:
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.4, "Flat overrides"
 *
 * Returns: (transfer none) (array zero-terminated=1): flags without dashes
 */
const char *const *
ts_hardware_trace_list_overrides (void)
{
  return override_flags;
}

static JsonNode *
node_of_value (char type,
               const char *flag,
               const char *value,
               GError **error)
{
  JsonNode *node = json_node_alloc ();
  gint64 number;

  switch (type)
    {
    case 'b':
      return json_node_init_boolean (node, strcmp (value, "false") != 0);

    case 's':
      return json_node_init_string (node, value);

    case 'a':
      {
        g_autoptr (JsonArray) array = json_array_new ();
        g_auto (GStrv) words = g_strsplit (value, ",", -1);

        for (gsize i = 0; words[i] != NULL; i++)
          if (*g_strstrip (words[i]) != '\0')
            json_array_add_string_element (array, words[i]);
        return json_node_init_array (node, array);
      }

    default:
      if (strcmp (flag, "itm-timestamps") == 0 && strcmp (value, "off") == 0)
        return json_node_init_int (node, 0);
      if (_ts_connection_parse_int (value, &number))
        return json_node_init_int (node, number);
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("--%s must be a whole number, not “%.64s”."), flag, value);
      json_node_free (node);
      return NULL;
    }
}

/**
 * ts_hardware_trace_override:
 * @object: (nullable): a `hardware-trace` object, which stays as it is
 * @flag: a flag for which ts_hardware_trace_is_override()
 * @value: (nullable): its value as a person writes it; %NULL for a switch
 * @error: return location
 *
 * A copy of @object in which @flag has its say.
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG naming the flag
 * Source: viewalyzer-host.md section 2.4, "Flat overrides"
 *
 * Returns: (transfer full) (nullable): the copy, checked
 */
JsonObject *
ts_hardware_trace_override (JsonObject *object,
                            const char *flag,
                            const char *value,
                            GError **error)
{
  g_autoptr (JsonNode) root = NULL;
  JsonObject *copy, *parent;
  JsonNode *member;
  gsize i = 0;

  while (i < G_N_ELEMENTS (overrides) && strcmp (overrides[i].flag, flag) != 0)
    i++;
  g_return_val_if_fail (i < G_N_ELEMENTS (overrides), NULL);

  /* A node is copied with the same object inside: text gives one of its own. */
  if (object != NULL)
    {
      g_autoptr (JsonNode) original = json_node_init_object (json_node_alloc (), object);
      g_autofree char *text = json_to_string (original, FALSE);

      root = json_from_string (text, NULL);
    }
  copy = root != NULL ? json_object_ref (json_node_get_object (root)) : json_object_new ();

  member = node_of_value (overrides[i].type, flag, value != NULL ? value : "true", error);
  if (member == NULL)
    {
      json_object_unref (copy);
      return NULL;
    }
  if (!json_object_has_member (copy, overrides[i].parent))
    json_object_set_object_member (copy, overrides[i].parent, json_object_new ());
  parent = json_object_get_object_member (copy, overrides[i].parent);
  json_object_set_member (parent, overrides[i].name, member);

  if (!_ts_hardware_trace_check (copy, NULL, error))
    {
      g_prefix_error (error, "--%s: ", flag);
      g_clear_pointer (&copy, json_object_unref);
    }

  return copy;
}
