/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace-config.c: the file *.ctrace-run.yml, in all its dialects.
 *
 * Processors are read first, then references; only when all are known is it clear whose they are and
 * which stream carries what.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-ctrace-yaml-private.h"

#define get _ts_ctrace_yaml_get
#define text_of _ts_ctrace_yaml_text
#define is_null _ts_ctrace_yaml_is_null
#define fail _ts_ctrace_yaml_fail

/** A number that may be missing or broken. */
typedef struct
{
  gboolean is_there;
  gboolean is_good;
  guint64 value;
} Number;

/** An entry of `data` of a processor. */
typedef struct
{
  const char *type;
  Number size;
  Number address;
} Data;

/** One processor. */
typedef struct
{
  char *pname;
  guint prescaler;
  gboolean has_timestamps;
  gboolean is_active;
  Number clock;
  Number mask;
  GArray *data; /* Data */
} Setup;

/**
 * Reference:
 * @node: for messages
 * @data_index: of its path; below 0: none
 * @setup: (nullable): the processor it belongs to
 */
typedef struct
{
  const yaml_node_t *node;
  const char *type;
  const char *path;
  const char *pname;
  guint stream;
  gboolean is_excused;
  gboolean is_left_out;
  gint data_index;
  guint32 sources; /* comparators or ports */
  gboolean has_sources;
  const Setup *setup;
} Reference;

struct _TsCtraceConfig
{
  TsCtraceFormat format;
  GPtrArray *setups;     /* Setup */
  GPtrArray *references; /* Reference; empty after reading */
  GPtrArray *problems;   /* texts that streams borrow */
  TsCtraceStream streams[TS_CTRACE_LAST_STREAM + 1];
};

static Number
read_number (const yaml_node_t *node)
{
  Number number = { .is_there = !is_null (node) };

  number.is_good = number.is_there && _ts_ctrace_yaml_number (node, &number.value);
  return number;
}

/* ---- processors ---- */

static void
setup_free (gpointer data)
{
  Setup *setup = data;

  g_free (setup->pname);
  g_array_unref (setup->data);
  g_free (setup);
}

/* Every dialect has its own place for type and size. Source: ctrace.md section 3.1 */
static void
read_data (TsCtraceYaml *yaml, const yaml_node_t *list, Setup *setup)
{
  for (guint i = 0; i < _ts_ctrace_yaml_count (list); i++)
    {
      const yaml_node_t *node = _ts_ctrace_yaml_item (yaml, list, i);
      Data data = { 0 };

      data.type = text_of (get (yaml, node, "data-type"));
      if (data.type == NULL)
        data.type = text_of (get (yaml, node, "symbol-type"));
      if (data.type == NULL)
        data.type = text_of (get (yaml, node, "type"));
      data.size = read_number (get (yaml, node, "size"));
      if (!data.size.is_there)
        data.size = read_number (get (yaml, node, "symbol-size"));
      data.address = read_number (get (yaml, node, "address"));
      g_array_append_val (setup->data, data);
    }
}

/* One processor. Source: ctrace.md sections 3 and 3.4 */
static gboolean
read_setup (TsCtraceConfig *self, TsCtraceYaml *yaml, const yaml_node_t *node, GError **error)
{
  const yaml_node_t *timestamps = get (yaml, node, "timestamps");
  const yaml_node_t *itm = get (yaml, node, "itm");
  const yaml_node_t *prescaler = get (yaml, timestamps, "itm-prescaler");
  const char *pname = text_of (get (yaml, node, "pname"));
  Setup *setup;
  guint64 value = 1;

  if (node == NULL || node->type != YAML_MAPPING_NODE)
    return fail (yaml, node, "an entry of ctrace-setup must be a map", error);
  if (get (yaml, node, "disable") != NULL)
    return TRUE;
  if (!is_null (timestamps) && timestamps->type != YAML_MAPPING_NODE)
    return fail (yaml, timestamps, "timestamps must be a map", error);
  if (!is_null (prescaler)
      && (!_ts_ctrace_yaml_number (prescaler, &value)
          || (value != 1 && value != 4 && value != 16 && value != 64)))
    return fail (yaml, prescaler, "itm-prescaler must be 1, 4, 16 or 64", error);

  setup = g_new0 (Setup, 1);
  setup->pname = pname != NULL && *pname != '\0' && !is_null (get (yaml, node, "pname"))
                     ? g_strdup (pname)
                     : NULL;
  setup->prescaler = (guint) value;
  setup->has_timestamps = timestamps != NULL;
  setup->is_active = timestamps != NULL || itm != NULL;
  setup->clock = read_number (get (yaml, timestamps, "clock"));
  setup->mask = read_number (get (yaml, itm, "enable"));
  setup->data = g_array_new (FALSE, FALSE, sizeof (Data));
  read_data (yaml, get (yaml, node, "data"), setup);
  g_ptr_array_add (self->setups, setup);
  return TRUE;
}

/* Several processors that count need names to tell them apart. Source: ctrace.md section 3.4 */
static gboolean
check_names (TsCtraceConfig *self, TsCtraceYaml *yaml, const yaml_node_t *list, GError **error)
{
  guint n_active = 0;

  for (guint i = 0; i < self->setups->len; i++)
    n_active += ((Setup *) g_ptr_array_index (self->setups, i))->is_active;
  for (guint i = 0; n_active > 1 && i < self->setups->len; i++)
    {
      const Setup *setup = g_ptr_array_index (self->setups, i);

      if (!setup->is_active)
        continue;
      if (setup->pname == NULL)
        return fail (yaml, list, "with several processors each entry needs a pname", error);
      for (guint j = 0; j < i; j++)
        {
          const Setup *other = g_ptr_array_index (self->setups, j);

          if (other->is_active && g_strcmp0 (other->pname, setup->pname) == 0)
            return fail (yaml, list, "two entries have the same pname", error);
        }
    }
  return TRUE;
}

static gboolean
read_setups (TsCtraceConfig *self, TsCtraceYaml *yaml, const yaml_node_t *list, GError **error)
{
  if (is_null (list))
    return TRUE;
  if (list->type != YAML_SEQUENCE_NODE)
    return fail (yaml, list, "ctrace-setup must be a list", error);
  for (guint i = 0; i < _ts_ctrace_yaml_count (list); i++)
    if (!read_setup (self, yaml, _ts_ctrace_yaml_item (yaml, list, i), error))
      return FALSE;
  return check_names (self, yaml, list, error);
}

/* ---- references ---- */

/* A message of the configuration, or a list of them. Source: ctrace.md section 3.3 */
static void
tell_text (TsCtraceYaml *yaml, const yaml_node_t *node, TsCtraceLevel level, const char *context)
{
  const char *text = text_of (node);

  if (node == NULL)
    return;
  if (node->type == YAML_SEQUENCE_NODE)
    {
      for (guint i = 0; i < _ts_ctrace_yaml_count (node); i++)
        {
          const yaml_node_t *item = _ts_ctrace_yaml_item (yaml, node, i);

          if (item != NULL && item->type == YAML_SCALAR_NODE)
            tell_text (yaml, item, level, context);
        }
      return;
    }
  if (is_null (node) || text == NULL || *text == '\0')
    {
      if (level != TS_CTRACE_REMARK)
        return;
      text = _ ("the configuration reports an error without saying which");
    }
  _ts_ctrace_yaml_warn (yaml, level, text, context);
}

static void
tell_messages (TsCtraceYaml *yaml, const Reference *reference)
{
  static const struct
  {
    const char *key;
    TsCtraceLevel level;
  } messages[] = {
    { "info", TS_CTRACE_INFO },
    { "warning", TS_CTRACE_WARNING },
    { "error", TS_CTRACE_REMARK },
  };
  g_autoptr (GString) context = g_string_new (NULL);

  g_string_printf (context, "config=%s, ctraceRef=%s, type=%s", yaml->path, reference->path,
                   reference->type);
  if (reference->pname != NULL)
    g_string_append_printf (context, ", pname=%s", reference->pname);
  if (reference->stream != TS_CTRACE_UNFORMATTED)
    g_string_append_printf (context, ", stream=%u", reference->stream);
  for (gsize i = 0; i < G_N_ELEMENTS (messages); i++)
    tell_text (yaml, get (yaml, reference->node, messages[i].key), messages[i].level,
               context->str);
}

/* Numbers of ports or comparators. Source: ctrace.md section 3.2 */
static gboolean
read_sources (TsCtraceYaml *yaml, const yaml_node_t *index, Reference *reference, GError **error)
{
  gboolean is_list = index->type == YAML_SEQUENCE_NODE;
  gboolean is_itm = strcmp (reference->type, "itm") == 0;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < (is_list ? _ts_ctrace_yaml_count (index) : 1); i++)
    {
      const yaml_node_t *item = is_list ? _ts_ctrace_yaml_item (yaml, index, i) : index;
      guint64 value;

      if (!_ts_ctrace_yaml_number (item, &value) || value > G_MAXINT32)
        return fail (yaml, index, "a source number must be a whole number", error);
      if (is_itm && value > 31)
        return fail (yaml, index, "an ITM port must be between 0 and 31", error);
      if (!g_hash_table_add (seen, GUINT_TO_POINTER ((guint) value)))
        return fail (yaml, index, "a source number is there twice", error);
      reference->has_sources = TRUE;
      if (value < 32)
        reference->sources |= 1u << value;
    }
  return TRUE;
}

/* `[pname/]data#n`. Source: ctrace.md section 3.2 */
static gboolean
read_path (TsCtraceYaml *yaml, Reference *reference, GError **error)
{
  const char *last = strrchr (reference->path, '/');
  guint64 value;

  reference->data_index = -1;
  last = last != NULL ? last + 1 : reference->path;
  if (!g_str_has_prefix (last, "data#"))
    return TRUE;
  if (!g_ascii_string_to_unsigned (last + strlen ("data#"), 10, 0, G_MAXINT32, &value, NULL))
    return reference->is_excused
           || fail (yaml, reference->node, "the number behind data# must be a whole number",
                    error);
  reference->data_index = (gint) value;
  return TRUE;
}

/* Source: ctrace.md section 3.2 */
static gboolean
read_reference (TsCtraceConfig *self, TsCtraceYaml *yaml, const yaml_node_t *node, GError **error)
{
  static const char *const consumed[]
      = { "dwt", "itm", "event", "pmu", "pcsample", "exception", "overflow", "global_ts", NULL };
  const char *type = text_of (get (yaml, node, "type"));
  const char *path = text_of (get (yaml, node, "ref"));
  const char *pname = text_of (get (yaml, node, "pname"));
  const yaml_node_t *stream_node = get (yaml, node, "stream");
  const yaml_node_t *index = get (yaml, node, "index");
  guint64 stream = TS_CTRACE_UNFORMATTED;
  Reference *reference;

  if (node == NULL || node->type != YAML_MAPPING_NODE)
    return fail (yaml, node, "an entry of ctrace-refs must be a map", error);
  if (type == NULL || *type == '\0')
    return fail (yaml, node, "a reference needs a type", error);
  if (!g_strv_contains (consumed, type))
    return TRUE;
  if (path == NULL)
    path = text_of (get (yaml, node, "ctrace-ref"));
  if (path == NULL || *path == '\0')
    return fail (yaml, node, "a reference needs a path", error);

  reference = g_new0 (Reference, 1);
  g_ptr_array_add (self->references, reference);
  reference->node = node;
  reference->type = type;
  reference->path = path;
  reference->pname = pname != NULL && *pname != '\0' ? pname : NULL;
  reference->is_excused = get (yaml, node, "error") != NULL;
  if (!is_null (stream_node)
      && (!_ts_ctrace_yaml_number (stream_node, &stream) || stream < 1
          || stream > TS_CTRACE_LAST_STREAM))
    {
      if (!reference->is_excused)
        return fail (yaml, stream_node, "a stream must be between 1 and 111", error);
      stream = TS_CTRACE_UNFORMATTED;
      reference->is_left_out = TRUE;
    }
  reference->stream = (guint) stream;
  tell_messages (yaml, reference);
  if (index == NULL)
    index = get (yaml, node, "source");
  if (!is_null (index))
    {
      g_autoptr (GError) problem = NULL;

      if (!read_sources (yaml, index, reference, &problem))
        {
          if (!reference->is_excused)
            {
              g_propagate_error (error, g_steal_pointer (&problem));
              return FALSE;
            }
          reference->has_sources = FALSE;
          reference->sources = 0;
        }
    }
  /* port 0 never reaches the outputs */
  reference->is_left_out
      |= strcmp (type, "itm") == 0 && reference->has_sources && reference->sources == 1;
  return read_path (yaml, reference, error);
}

/* ---- whose references are they ---- */

static Setup *
find_setup (TsCtraceConfig *self, const char *pname)
{
  for (guint i = 0; i < self->setups->len; i++)
    {
      Setup *setup = g_ptr_array_index (self->setups, i);

      if (g_strcmp0 (setup->pname, pname) == 0)
        return setup;
    }
  return NULL;
}

/* Data that a reference uses make a processor count. Source: ctrace.md section 3.4 */
static void
mark_used (TsCtraceConfig *self)
{
  for (guint i = 0; i < self->references->len; i++)
    {
      const Reference *reference = g_ptr_array_index (self->references, i);
      Setup *setup = find_setup (self, reference->pname);

      if (setup == NULL && self->setups->len == 1)
        setup = g_ptr_array_index (self->setups, 0);
      if (setup != NULL && reference->data_index >= 0
          && (guint) reference->data_index < setup->data->len)
        setup->is_active = TRUE;
    }
}

/* Without a processor that counts, references that name several must all name one. Source:
 * ctrace.md section 3.4 */
static gboolean
check_nameless (TsCtraceConfig *self, TsCtraceYaml *yaml, GError **error)
{
  const Reference *nameless = NULL;
  const char *first = NULL;
  gboolean has_several = FALSE;

  for (guint i = 0; i < self->references->len; i++)
    {
      const Reference *reference = g_ptr_array_index (self->references, i);

      if (reference->pname == NULL)
        nameless = reference;
      else if (first == NULL)
        first = reference->pname;
      else
        has_several |= strcmp (first, reference->pname) != 0;
    }
  if (has_several && nameless != NULL)
    return fail (yaml, nameless->node,
                 "with references of several processors each needs a pname", error);
  return TRUE;
}

/* Gives each reference its processor. Source: ctrace.md section 3.4 */
static gboolean
assign (TsCtraceConfig *self, TsCtraceYaml *yaml, const yaml_node_t *list, GError **error)
{
  const Setup *only = NULL;
  const char *told = NULL;
  gboolean has_told = FALSE;
  guint n_active = 0;

  mark_used (self);
  for (guint i = 0; i < self->setups->len; i++)
    {
      const Setup *setup = g_ptr_array_index (self->setups, i);

      if (setup->is_active)
        only = setup;
      n_active += setup->is_active;
    }
  if (!check_names (self, yaml, list, error))
    return FALSE;
  if (n_active == 0)
    return check_nameless (self, yaml, error);

  for (guint i = 0; i < self->references->len; i++)
    {
      Reference *reference = g_ptr_array_index (self->references, i);
      const Setup *named = reference->pname != NULL ? find_setup (self, reference->pname) : NULL;
      g_autofree char *context = g_strdup_printf ("config=%s, ctraceRef=%s%s%s", yaml->path,
                                                  reference->path,
                                                  reference->pname != NULL ? ", pname=" : "",
                                                  reference->pname != NULL ? reference->pname : "");

      if (n_active == 1 && only->pname == NULL)
        {
          reference->setup = only;
          if (reference->pname == NULL)
            continue;
          if (told != NULL && strcmp (told, reference->pname) != 0 && !has_told)
            {
              _ts_ctrace_yaml_warn (yaml, TS_CTRACE_WARNING,
                                    _ ("references name several processors, the setup none"),
                                    context);
              has_told = TRUE;
            }
          told = reference->pname;
          continue;
        }
      if (n_active == 1 && (reference->pname == NULL || named == only))
        reference->setup = only;
      else if (n_active > 1 && named != NULL && named->is_active)
        reference->setup = named;
      else
        {
          reference->is_left_out = TRUE;
          _ts_ctrace_yaml_warn (yaml, TS_CTRACE_WARNING,
                                _ ("the reference belongs to no processor that is traced: "
                                   "ignored"),
                                context);
        }
    }
  return TRUE;
}

/* ---- streams ---- */

/* Whether a reference binds its stream to a processor. Source: ctrace.md section 3.4 */
static gboolean
is_binding (const Reference *reference)
{
  const char *type = reference->type;
  const char *last = strrchr (reference->path, '/');

  last = last != NULL ? last + 1 : reference->path;
  if (strcmp (type, "itm") == 0)
    return reference->has_sources || strcmp (last, "timestamps") == 0 || strcmp (last, "itm") == 0;
  if (strcmp (type, "dwt") == 0)
    return reference->has_sources || g_str_has_prefix (last, "data#")
           || strcmp (last, "timestamps") == 0 || g_str_has_prefix (last, "synchronization");
  if (reference->stream == TS_CTRACE_UNFORMATTED)
    return FALSE;
  return (strcmp (type, "exception") == 0 && strcmp (last, "exceptions") == 0)
         || ((strcmp (type, "event") == 0 || strcmp (type, "pmu") == 0)
             && g_str_has_prefix (last, "events#"))
         || (strcmp (type, "pcsample") == 0 && strcmp (last, "pcsampling") == 0);
}

static const char *
keep_problem (TsCtraceConfig *self, char *text)
{
  g_ptr_array_add (self->problems, text);
  return text;
}

/* What a processor says of a stream's times and ports. Source: ctrace.md sections 3.4 and 3.5 */
static void
bind_stream (TsCtraceConfig *self, TsCtraceYaml *yaml, TsCtraceStream *stream, const Setup *setup)
{
  stream->prescaler = setup->prescaler;
  stream->has_mask = setup->mask.is_good;
  stream->mask = (guint32) setup->mask.value;
  stream->clock_hz = setup->clock.is_good ? setup->clock.value : 0;
  if (!setup->clock.is_there)
    stream->clock_problem = keep_problem (
        self, g_strdup_printf (_ ("timestamps.clock is missing: config=%s"), yaml->path));
  else if (stream->clock_hz == 0)
    stream->clock_problem = keep_problem (
        self,
        g_strdup_printf (_ ("timestamps.clock must be a number above 0: config=%s"), yaml->path));
  else
    stream->clock_problem = NULL;
}

static void
bind_streams (TsCtraceConfig *self, TsCtraceYaml *yaml)
{
  const Setup *owners[TS_CTRACE_LAST_STREAM + 1] = { NULL };
  const Setup *only = NULL;
  guint n_active = 0;

  for (guint i = 0; i < self->setups->len; i++)
    if (((Setup *) g_ptr_array_index (self->setups, i))->is_active)
      {
        only = g_ptr_array_index (self->setups, i);
        n_active++;
      }
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    {
      TsCtraceStream *stream = &self->streams[i];

      stream->prescaler = 1;
      stream->clock_problem = keep_problem (
          self, g_strdup_printf (_ ("no processor is known for the stream: config=%s, stream=%u"),
                                 yaml->path, i));
      if (i == TS_CTRACE_UNFORMATTED && n_active == 1)
        {
          bind_stream (self, yaml, stream, only);
          stream->pname = only->pname;
        }
    }
  for (guint i = 0; i < self->references->len; i++)
    {
      const Reference *reference = g_ptr_array_index (self->references, i);
      TsCtraceStream *stream = &self->streams[reference->stream];
      const char *pname = reference->setup != NULL && reference->setup->pname != NULL
                              ? reference->setup->pname
                              : reference->pname;

      if (reference->is_left_out || !is_binding (reference))
        continue;
      if (owners[reference->stream] != NULL && reference->setup != NULL
          && owners[reference->stream] != reference->setup)
        {
          g_autofree char *context = g_strdup_printf ("config=%s, ctraceRef=%s, stream=%u",
                                                      yaml->path, reference->path,
                                                      reference->stream);

          _ts_ctrace_yaml_warn (yaml, TS_CTRACE_WARNING,
                                _ ("two processors claim one stream: the first has it"), context);
          continue;
        }
      if (owners[reference->stream] == NULL && reference->setup != NULL)
        {
          bind_stream (self, yaml, stream, reference->setup);
          owners[reference->stream] = reference->setup;
        }
      stream->has_route = TRUE;
      if (pname != NULL && (stream->pname == NULL || reference->stream != 0))
        stream->pname = pname;
    }
}

/* ---- sources ---- */

static gboolean
read_value_type (const char *text, TsCtraceValueType *type)
{
  static const struct
  {
    const char *name;
    TsCtraceValueType type;
  } names[] = {
    { "unsigned", TS_CTRACE_UNSIGNED },   { "signed", TS_CTRACE_SIGNED },
    { "float", TS_CTRACE_FLOAT },         { "unsigned int", TS_CTRACE_UNSIGNED },
    { "signed int", TS_CTRACE_SIGNED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].name, text) == 0)
      {
        *type = names[i].type;
        return TRUE;
      }
  return FALSE;
}

/* What the reference says of a value; where it is silent, the setup. Source: ctrace.md sections 3.1,
 * 3.2 */
static void
describe_value (TsCtraceYaml *yaml, const Reference *reference, TsCtraceSource *source)
{
  const char *type = text_of (get (yaml, reference->node, "data-type"));
  Number size = read_number (get (yaml, reference->node, "size"));
  Number address = read_number (get (yaml, reference->node, "address"));
  const char *problem = NULL;

  if (!address.is_there)
    address = read_number (get (yaml, reference->node, "symbol-address"));
  if (reference->setup != NULL && reference->data_index >= 0
      && (guint) reference->data_index < reference->setup->data->len)
    {
      const Data *data
          = &g_array_index (reference->setup->data, Data, (guint) reference->data_index);

      if (type == NULL)
        type = data->type;
      if (!size.is_there)
        size = data->size;
      if (!address.is_there)
        address = data->address;
    }
  source->has_address = address.is_good;
  source->address = address.value;
  source->size = 4;
  source->value_type = TS_CTRACE_UNSIGNED;
  if (size.is_there && (!size.is_good || (size.value != 1 && size.value != 2 && size.value != 4)))
    problem = _ ("the size of a value must be 1, 2 or 4");
  else if (size.is_there)
    source->size = (guint) size.value;
  if (type != NULL && !read_value_type (type, &source->value_type))
    problem = _ ("the type of a value must be unsigned, signed or float");
  else if (source->value_type == TS_CTRACE_FLOAT && source->size != 4)
    problem = _ ("a float has 4 bytes");
  if (problem != NULL && reference->is_excused)
    {
      source->size = 4;
      source->value_type = TS_CTRACE_UNSIGNED;
    }
  else if (problem != NULL)
    source->problem = g_strdup_printf ("%s(%zu): %s", yaml->path,
                                       reference->node->start_mark.line + 1, problem);
}

static void
source_free (TsCtraceSource *source)
{
  if (source == NULL)
    return;
  g_free (source->label);
  g_free (source->problem);
  g_free (source);
}

static void
describe_sources (TsCtraceConfig *self, TsCtraceYaml *yaml)
{
  for (guint i = 0; i < self->references->len; i++)
    {
      const Reference *reference = g_ptr_array_index (self->references, i);
      TsCtraceStream *stream = &self->streams[reference->stream];
      gboolean is_dwt = strcmp (reference->type, "dwt") == 0;
      const char *label = text_of (get (yaml, reference->node, "label"));

      if (reference->is_left_out || (!is_dwt && strcmp (reference->type, "itm") != 0))
        continue;
      for (guint n = 0; n < (is_dwt ? TS_CTRACE_N_COMPARATORS : TS_CTRACE_N_PORTS); n++)
        {
          TsCtraceSource **place = is_dwt ? &stream->comparators[n] : &stream->ports[n];

          if ((reference->sources >> n & 1) == 0 || *place != NULL)
            continue;
          *place = g_new0 (TsCtraceSource, 1);
          (*place)->label = label != NULL && *label != '\0' ? g_strdup (label) : NULL;
          if (is_dwt)
            describe_value (yaml, reference, *place);
        }
    }
}

/* ---- the document ---- */

static gboolean
read_document (TsCtraceConfig *self, TsCtraceYaml *yaml, GError **error)
{
  yaml_node_t *root = yaml_document_get_root_node (&yaml->document);
  yaml_node_t *run = get (yaml, root, "ctrace-run");
  yaml_node_t *format;
  yaml_node_t *setups;
  yaml_node_t *references;

  if (run == NULL || run->type != YAML_MAPPING_NODE)
    return fail (yaml, root, "there is no map ctrace-run", error);
  format = get (yaml, run, "trace-format");
  if (!is_null (format))
    {
      if (g_strcmp0 (text_of (format), "formatted") == 0)
        self->format = TS_CTRACE_FORMAT_FORMATTED;
      else if (g_strcmp0 (text_of (format), "unformatted") == 0)
        self->format = TS_CTRACE_FORMAT_UNFORMATTED;
      else
        return fail (yaml, format, "trace-format must be formatted or unformatted", error);
    }
  setups = get (yaml, run, "ctrace-setup");
  if (!read_setups (self, yaml, setups, error))
    return FALSE;
  references = get (yaml, run, "ctrace-refs");
  if (references == NULL || references->type != YAML_SEQUENCE_NODE)
    return fail (yaml, run, "there is no list ctrace-refs", error);
  for (guint i = 0; i < _ts_ctrace_yaml_count (references); i++)
    if (!read_reference (self, yaml, _ts_ctrace_yaml_item (yaml, references, i), error))
      return FALSE;
  if (!assign (self, yaml, setups, error))
    return FALSE;
  bind_streams (self, yaml);
  describe_sources (self, yaml);
  /* the document goes, and with it the names that streams borrowed */
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    if (self->streams[i].pname != NULL)
      self->streams[i].pname = keep_problem (self, g_strdup (self->streams[i].pname));
  return TRUE;
}

/**
 * ts_ctrace_config_new:
 * @path: name of the file, for messages
 * @text: (array length=n_text): its contents
 * @n_text: bytes of it
 * @func: (nullable): takes messages that the configuration carries
 * @user_data: for @func
 * @error: return location
 *
 * Reads a configuration in any of its dialects.
 *
 * Thread: any
 * Errors: %TS_CTRACE_ERROR_CONFIG, with the line
 * Source: ctrace.md section 3
 *
 * Returns: (transfer full): a configuration, or %NULL with @error set
 */
TsCtraceConfig *
ts_ctrace_config_new (const char *path,
                      const char *text,
                      gsize n_text,
                      TsCtraceDiagnosticFunc func,
                      gpointer user_data,
                      GError **error)
{
  g_autoptr (TsCtraceConfig) self = g_new0 (TsCtraceConfig, 1);
  TsCtraceYaml yaml = { .path = path, .func = func, .user_data = user_data };
  gboolean is_ok;

  self->setups = g_ptr_array_new_with_free_func (setup_free);
  self->references = g_ptr_array_new_with_free_func (g_free);
  self->problems = g_ptr_array_new_with_free_func (g_free);
  if (!_ts_ctrace_yaml_load (&yaml, text, n_text, error))
    return NULL;
  is_ok = read_document (self, &yaml, error);
  yaml_document_delete (&yaml.document);
  g_ptr_array_set_size (self->references, 0);
  return is_ok ? g_steal_pointer (&self) : NULL;
}

/**
 * ts_ctrace_config_free:
 * @self: (transfer full) (nullable): a configuration
 *
 * Thread: any
 */
void
ts_ctrace_config_free (TsCtraceConfig *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    {
      for (guint n = 0; n < TS_CTRACE_N_COMPARATORS; n++)
        source_free (self->streams[i].comparators[n]);
      for (guint n = 0; n < TS_CTRACE_N_PORTS; n++)
        source_free (self->streams[i].ports[n]);
    }
  g_ptr_array_unref (self->setups);
  g_ptr_array_unref (self->references);
  g_ptr_array_unref (self->problems);
  g_free (self);
}

/**
 * ts_ctrace_config_get_format:
 * @self: a configuration
 *
 * Thread: any
 *
 * Returns: what it says about the input
 */
TsCtraceFormat
ts_ctrace_config_get_format (TsCtraceConfig *self)
{
  return self->format;
}

/**
 * ts_ctrace_config_get_stream:
 * @self: a configuration
 * @stream: trace id, 0 for input without a formatter
 *
 * Thread: any
 *
 * Returns: (transfer none): what is known of it
 */
const TsCtraceStream *
ts_ctrace_config_get_stream (TsCtraceConfig *self, guint stream)
{
  g_return_val_if_fail (stream <= TS_CTRACE_LAST_STREAM, NULL);

  return &self->streams[stream];
}
