/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collect-sink.c: a sink that keeps everything, and the files tests read. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

static void
sink_events (TsEventSink *sink, const TsEvent *events, gsize n_events)
{
  CollectSink *self = (CollectSink *) sink;
  gint64 last = self->events->len > 0
                    ? g_array_index (self->events, TsEvent, self->events->len - 1).time
                    : 0;

  g_assert_cmpuint (n_events, >, 0);
  for (gsize i = 0; i < n_events; i++)
    {
      g_assert_cmpint (events[i].time, >=, last);
      last = events[i].time;
      g_assert_cmpuint (events[i].object, <=, self->objects->len);
      g_assert_cmpuint (ts_event_get_text_id (&events[i]), <=, self->texts->len);
      g_assert_nonnull (ts_event_kind_get_name (events[i].kind));
    }
  g_array_append_vals (self->events, events, (guint) n_events);
}

static guint32
sink_define (TsEventSink *sink, const TsObject *object)
{
  CollectSink *self = (CollectSink *) sink;
  TsObject *copy = ts_object_copy (object);

  g_assert_cmpuint (object->id, ==, 0);
  g_assert_nonnull (object->name);
  g_assert_true (g_utf8_validate (object->name, -1, NULL));
  g_ptr_array_add (self->objects, copy);
  copy->id = self->objects->len;
  return copy->id;
}

static void
sink_update (TsEventSink *sink, const TsObject *object)
{
  CollectSink *self = (CollectSink *) sink;

  g_assert_cmpuint (object->id, >, 0);
  g_assert_cmpuint (object->id, <=, self->objects->len);
  g_assert_true (g_utf8_validate (object->name, -1, NULL));
  ts_object_free (self->objects->pdata[object->id - 1]);
  self->objects->pdata[object->id - 1] = ts_object_copy (object);
}

static guint32
sink_intern (TsEventSink *sink, const char *text, gssize len)
{
  CollectSink *self = (CollectSink *) sink;
  g_autofree char *copy = len < 0 ? g_strdup (text) : g_strndup (text, (gsize) len);
  gpointer id;

  g_assert_true (g_utf8_validate (copy, -1, NULL));
  if (len >= 0)
    g_assert_cmpuint (strlen (copy), ==, len);
  id = g_hash_table_lookup (self->text_ids, copy);
  if (id != NULL)
    return GPOINTER_TO_UINT (id);
  g_ptr_array_add (self->texts, g_steal_pointer (&copy));
  g_hash_table_insert (self->text_ids, self->texts->pdata[self->texts->len - 1],
                       GUINT_TO_POINTER (self->texts->len));
  return self->texts->len;
}

static void
sink_clock (TsEventSink *sink, guint64 hz)
{
  CollectSink *self = (CollectSink *) sink;

  g_assert_cmpuint (hz, >, 0);
  self->hz = hz;
  self->n_clocks++;
}

static void
sink_info (TsEventSink *sink, const char *key, const char *value)
{
  CollectSink *self = (CollectSink *) sink;

  g_assert_true (g_utf8_validate (value, -1, NULL));
  g_ptr_array_add (self->infos, g_strconcat (key, "=", value, NULL));
}

static const TsEventSinkInterface collect_iface = {
  sink_events, sink_define, sink_update, sink_intern, sink_clock, sink_info,
};

CollectSink *
collect_sink_new (void)
{
  CollectSink *self = g_new0 (CollectSink, 1);

  self->parent.iface = &collect_iface;
  self->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  self->infos = g_ptr_array_new_with_free_func (g_free);
  self->text_ids = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
collect_sink_free (CollectSink *self)
{
  g_array_unref (self->events);
  g_ptr_array_unref (self->objects);
  g_hash_table_unref (self->text_ids);
  g_ptr_array_unref (self->texts);
  g_ptr_array_unref (self->infos);
  g_free (self);
}

const TsObject *
collect_sink_object (CollectSink *self, guint32 id)
{
  g_assert_cmpuint (id, >, 0);
  g_assert_cmpuint (id, <=, self->objects->len);
  return self->objects->pdata[id - 1];
}

const TsObject *
collect_sink_find (CollectSink *self, TsObjectType type, const char *name)
{
  for (guint i = 0; i < self->objects->len; i++)
    {
      const TsObject *object = self->objects->pdata[i];

      if ((type == TS_OBJECT_NONE || object->type == type) && strcmp (object->name, name) == 0)
        return object;
    }
  return NULL;
}

const char *
collect_sink_text (CollectSink *self, const TsEvent *event)
{
  guint32 id = ts_event_get_text_id (event);

  return id == 0 ? NULL : self->texts->pdata[id - 1];
}

/* The last value of @key, NULL if it was never told. */
const char *
collect_sink_info (CollectSink *self, const char *key)
{
  gsize n = strlen (key);

  for (guint i = self->infos->len; i > 0; i--)
    {
      const char *info = self->infos->pdata[i - 1];

      if (strncmp (info, key, n) == 0 && info[n] == '=')
        return info + n + 1;
    }
  return NULL;
}

guint
collect_sink_count (CollectSink *self, TsEventKind kind)
{
  guint n = 0;

  for (guint i = 0; i < self->events->len; i++)
    n += g_array_index (self->events, TsEvent, i).kind == kind;
  return n;
}

const TsEvent *
collect_sink_nth (CollectSink *self, guint n)
{
  g_assert_cmpuint (n, <, self->events->len);
  return &g_array_index (self->events, TsEvent, n);
}

/* Equal events, and the same things meant by their ids. */
void
collect_sink_assert_equal (CollectSink *a, CollectSink *b)
{
  g_assert_cmpuint (a->events->len, ==, b->events->len);
  for (guint i = 0; i < a->events->len; i++)
    {
      const TsEvent *x = collect_sink_nth (a, i);
      const TsEvent *y = collect_sink_nth (b, i);

      if (memcmp (x, y, sizeof *x) != 0)
        g_test_message ("event %u: kind %u/%u time %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, i,
                        x->kind, y->kind, x->time, y->time);
      g_assert_cmpmem (x, sizeof *x, y, sizeof *y);
    }
  g_assert_cmpuint (a->objects->len, ==, b->objects->len);
  for (guint i = 0; i < a->objects->len; i++)
    {
      const TsObject *x = a->objects->pdata[i];
      const TsObject *y = b->objects->pdata[i];

      g_assert_cmpint (x->type, ==, y->type);
      g_assert_cmpstr (x->name, ==, y->name);
      g_assert_cmpint (x->wire_id, ==, y->wire_id);
      g_assert_cmpint (x->priority, ==, y->priority);
      g_assert_cmpint (x->stack_bytes, ==, y->stack_bytes);
      g_assert_cmpint (x->capacity, ==, y->capacity);
      g_assert_cmpint (x->address, ==, y->address);
      g_assert_cmpstr (x->display, ==, y->display);
    }
  g_assert_cmpuint (a->texts->len, ==, b->texts->len);
  for (guint i = 0; i < a->texts->len; i++)
    g_assert_cmpstr (a->texts->pdata[i], ==, b->texts->pdata[i]);
  g_assert_cmpuint (a->hz, ==, b->hz);
}

/* Path of a capture: small ones come with the source, larger ones lie beside it. NULL, and the test
 * skipped, if it is not there. */
static char *
find_file (const char *name)
{
  const char *own = g_getenv ("TASKSCOPE_TEST_DATA");
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  static const char *const folders[] = { "viewalyzer", "viewalyzer-legacy", "itm", "ctrace" };
  g_autofree char *path = own != NULL ? g_build_filename (own, name, NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  for (guint i = 0; shared != NULL && i < G_N_ELEMENTS (folders); i++)
    {
      g_free (path);
      path = g_build_filename (shared, "data", folders[i], name, NULL);
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
    g_error ("no capture %s", name);
  g_test_skip_printf ("the capture %s is not here", name);
  return NULL;
}

GBytes *
read_capture (const char *name)
{
  g_autofree char *path = find_file (name);
  g_autoptr (GError) error = NULL;
  char *bytes;
  gsize n;

  if (path == NULL)
    return NULL;
  g_file_get_contents (path, &bytes, &n, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (bytes, n);
}

JsonNode *
read_expected (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".expected.json", NULL);
  g_autofree char *path = find_file (file);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return NULL;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return json_parser_steal_root (parser);
}

/* Bytes of a listing: pairs of hexadecimal digits, anything behind `|` up to the end of the line is
 * a remark. */
GBytes *
bytes_from_hex (const char *hex)
{
  GByteArray *bytes = g_byte_array_new ();

  while (*hex != '\0')
    {
      if (*hex == '|')
        while (*hex != '\0' && *hex != '\n')
          hex++;
      else if (g_ascii_isxdigit (hex[0]) && g_ascii_isxdigit (hex[1]))
        {
          guint8 byte
              = (guint8) (g_ascii_xdigit_value (hex[0]) << 4 | g_ascii_xdigit_value (hex[1]));

          g_byte_array_append (bytes, &byte, 1);
          hex += 2;
        }
      else
        {
          g_assert_true (g_ascii_isspace (*hex));
          hex++;
        }
    }
  return g_byte_array_free_to_bytes (bytes);
}

/* Everything in one push, then the end. */
CollectSink *
decode_bytes (const char *format, const guint8 *bytes, gsize n_bytes, TsDecodeCounters *counters)
{
  CollectSink *sink = collect_sink_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &sink->parent, NULL, &error);

  g_assert_no_error (error);
  ts_decoder_push (decoder, 0, bytes, n_bytes);
  ts_decoder_flush (decoder);
  if (counters != NULL)
    *counters = *ts_decoder_get_counters (decoder);
  return sink;
}

CollectSink *
decode_hex (const char *format, const char *hex, TsDecodeCounters *counters)
{
  g_autoptr (GBytes) bytes = bytes_from_hex (hex);

  return decode_bytes (format, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), counters);
}
