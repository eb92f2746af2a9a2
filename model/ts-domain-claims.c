/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-domain-claims.c: which channels of a recording the Trace Domains speak of. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-domain-private.h"
#include "ts-json-writer-private.h"
#include "ts-recording-writer-private.h"

/* More prefixes than this in one domain are not looked at. */
#define MAX_PREFIXES 1000
/* Derived channels of derived channels, no deeper. */
#define MAX_DEPTH 8

/* Name spaces of channels. */
enum
{
  SPACE_USER_TRACE = 1 << 0,
  SPACE_POLL = 1 << 1,
  SPACE_DERIVED = 1 << 2,
  SPACE_EXTERNAL = 1 << 3,
  SPACE_ANY = 0xf,
};

typedef struct
{
  const char *prefix;
  guint spaces;
} Prefix;

/* What one domain claims. */
typedef struct
{
  GHashTable *names; /* of char *, in the domain, to the spaces */
  GArray *prefixes;  /* of Prefix */
} Claims;

/* Without a word on it any; an unknown one holds nothing. */
static guint
read_space (JsonObject *match)
{
  static const struct
  {
    const char *name;
    guint space;
  } spaces[] = { { "user_trace", SPACE_USER_TRACE },
                 { "poll", SPACE_POLL },
                 { "derived", SPACE_DERIVED },
                 { "external", SPACE_EXTERNAL } };
  const char *name = _ts_domain_get_text (match, "ns");

  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    if (g_strcmp0 (name, spaces[i].name) == 0)
      return spaces[i].space;
  return name == NULL ? SPACE_ANY : 0;
}

/* The spaces a channel of the recording can be of. A trace without a number of the wire may come
 * from an instrument or from a host's trace: nothing tells which. */
static guint
spaces_of (const TsObject *object)
{
  switch (object->type)
    {
    case TS_OBJECT_USER_TRACE:
      return object->wire_id >= 0 ? SPACE_USER_TRACE : SPACE_USER_TRACE | SPACE_EXTERNAL;

    case TS_OBJECT_USER_TOGGLE:
    case TS_OBJECT_STRING_CHANNEL:
    case TS_OBJECT_HEAP_GAUGE:
    case TS_OBJECT_COUNTER:
    case TS_OBJECT_GPIO:
      return SPACE_USER_TRACE;

    case TS_OBJECT_POLLED:
    case TS_OBJECT_WATCH:
      return SPACE_POLL;

    default:
      return 0;
    }
}

static void
add_name (Claims *self,
          const char *name,
          guint spaces)
{
  if (name == NULL)
    return;
  spaces |= GPOINTER_TO_UINT (g_hash_table_lookup (self->names, name));
  g_hash_table_replace (self->names, (gpointer) name, GUINT_TO_POINTER (spaces));
}

static void
read_claims (Claims *self,
             JsonObject *root)
{
  JsonArray *channels = _ts_domain_get_array (root, "channels");
  JsonArray *sampled = _ts_domain_get_array (_ts_domain_get_object (root, "sampled_state"),
                                             "channels");

  for (guint i = 0; channels != NULL && i < json_array_get_length (channels); i++)
    {
      JsonObject *match
          = _ts_domain_get_object (_ts_domain_get_element (channels, i), "match");
      Prefix prefix = { _ts_domain_get_text (match, "name_prefix"), read_space (match) };

      add_name (self, _ts_domain_get_text (match, "name"), prefix.spaces);
      if (prefix.prefix != NULL && self->prefixes->len < MAX_PREFIXES)
        g_array_append_val (self->prefixes, prefix);
    }
  for (guint i = 0; sampled != NULL && i < json_array_get_length (sampled); i++)
    {
      JsonObject *channel = _ts_domain_get_element (sampled, i);

      add_name (self, _ts_domain_get_text (channel, "name"), SPACE_POLL);
      add_name (self, _ts_domain_get_text (channel, "symbol"), SPACE_POLL);
    }
}

static gboolean
is_claimed (const Claims *self,
            const char *name,
            guint spaces)
{
  if (GPOINTER_TO_UINT (g_hash_table_lookup (self->names, name)) & spaces)
    return TRUE;
  for (guint i = 0; i < self->prefixes->len; i++)
    {
      const Prefix *prefix = &g_array_index (self->prefixes, Prefix, i);

      if ((prefix->spaces & spaces) != 0 && g_str_has_prefix (name, prefix->prefix))
        return TRUE;
    }
  return FALSE;
}

/* A channel derived, over however many steps, from one that the recording has. */
static gboolean
has_source (GHashTable *derived,
            GHashTable *recorded,
            JsonObject *definition)
{
  for (guint depth = 0; definition != NULL && depth < MAX_DEPTH; depth++)
    {
      const char *source = _ts_domain_get_text (definition, "source");

      if (source == NULL)
        return FALSE;
      if (g_hash_table_contains (recorded, source))
        return TRUE;
      definition = g_hash_table_lookup (derived, source);
    }
  return FALSE;
}

static guint
count_derived (const Claims *self,
               JsonObject *root,
               GHashTable *recorded)
{
  g_autoptr (GHashTable) derived = g_hash_table_new (g_str_hash, g_str_equal);
  JsonArray *list = _ts_domain_get_array (root, "derived");
  GHashTableIter iter;
  gpointer name, definition;
  guint n = 0;

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonObject *element = _ts_domain_get_element (list, i);
      const char *own = _ts_domain_get_text (element, "name");

      if (own != NULL && !g_hash_table_contains (derived, own))
        g_hash_table_insert (derived, (gpointer) own, element);
    }
  g_hash_table_iter_init (&iter, derived);
  while (g_hash_table_iter_next (&iter, &name, &definition))
    n += is_claimed (self, name, SPACE_DERIVED) && has_source (derived, recorded, definition);
  return n;
}

/* How many channels of the recording, and of those derived from them, @domain speaks of. */
static guint
count_claims (TsDomain *domain,
              GPtrArray *channels,
              GHashTable *recorded)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) prefixes = g_array_new (FALSE, FALSE, sizeof (Prefix));
  Claims claims = { names, prefixes };
  JsonObject *root = ts_domain_get_json (domain);
  guint n = 0;

  read_claims (&claims, root);
  for (guint i = 0; i < channels->len; i++)
    {
      const TsObject *object = g_ptr_array_index (channels, i);

      n += is_claimed (&claims, object->name, spaces_of (object));
    }
  return n + count_derived (&claims, root, recorded);
}

/**
 * ts_domain_note_claims:
 * @writer: a recording that has all its channels and is about to be closed
 *
 * Says in the recording's `meta.va_domains` which Trace Domains claim channels of it: JSON, an array
 * of `{id, version, channels}`. A domain claims what its `channels[].match` and its
 * `sampled_state.channels[]` name. Where none claims any the row stays as it is.
 *
 * Thread: owner of @writer
 * Source: viewalyzer-host.md sections 1.3, `va_domains`, whose form it leaves open, 1.6 and 3.12
 */
void
ts_domain_note_claims (TsRecordingWriter *writer)
{
  g_autoptr (GPtrArray) domains = ts_domain_load_all (NULL);
  g_autoptr (GPtrArray) channels = g_ptr_array_new ();
  g_autoptr (GHashTable) recorded = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (JsonArray) list = json_array_new ();
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_ARRAY);
  g_autofree char *text = NULL;

  for (guint i = 0; domains->len > 0 && i < writer->objects->len; i++)
    {
      TsObject *object = g_ptr_array_index (writer->objects, i);

      if (spaces_of (object) == 0)
        continue;
      g_ptr_array_add (channels, object);
      g_hash_table_add (recorded, object->name);
    }
  for (guint i = 0; i < domains->len; i++)
    {
      TsDomain *domain = g_ptr_array_index (domains, i);
      guint n = count_claims (domain, channels, recorded);
      JsonObject *item;

      if (n == 0)
        continue;
      item = json_object_new ();
      json_object_set_string_member (item, "id", ts_domain_get_id (domain));
      json_object_set_string_member (item, "version", ts_domain_get_version (domain));
      json_object_set_int_member (item, "channels", n);
      json_array_add_object_element (list, item);
    }
  if (json_array_get_length (list) == 0)
    return;
  json_node_set_array (root, list);
  text = json_to_string (root, FALSE);
  ts_recording_writer_set_meta (writer, "va_domains", text);
}
