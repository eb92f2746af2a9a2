/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctf-events.c: what the events of a CTF trace mean.
 *
 * Events that say who runs make lanes: `sched_switch`, `irq_handler_entry`, `softirq_entry` of the
 * Linux kernel as LTTng records them, `thread_switched_in`, `isr_enter` and their likes of Zephyr.
 * The events of our own export become what they were. All others are messages on a lane of their
 * name, with the payload as text; one whose only payload is a number is a value.
 *
 * Source: names and fields are those of the metadata of LTTng 2.13 and of Zephyr's
 * subsys/tracing/ctf/tsdl/metadata; ours are written by model/ts-export-ctf.c
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-ctf-import-private.h"

/* Events handed on at once. */
#define BATCH 256
/* Text of a payload at most, and structures in structures. */
#define MAX_TEXT 480
#define MAX_DEPTH 4
#define MAX_ELEMENTS 16
/* What our export says of who made a trace. */
#define OURS "taskscope"

/* What an event means. */
typedef enum
{
  MEANS_ITSELF,
  MEANS_SWITCH,      /* from one thread to another */
  MEANS_THREAD_IN,
  MEANS_THREAD_OUT,
  MEANS_THREAD_NEW,
  MEANS_THREAD_NAME,
  MEANS_PRIORITY,
  MEANS_ISR_IN,
  MEANS_ISR_OUT,
  MEANS_OURS,
} Meaning;

static const struct
{
  const char *name;
  Meaning meaning;
  const char *number; /* field that tells which interrupt */
  const char *prefix; /* of its name, where there is a number only */
} meanings[] = {
  { "sched_switch", MEANS_SWITCH, NULL, NULL },
  { "irq_handler_entry", MEANS_ISR_IN, "irq", "IRQ" },
  { "irq_handler_exit", MEANS_ISR_OUT, "irq", "IRQ" },
  { "irq_softirq_entry", MEANS_ISR_IN, "vec", "softirq" },
  { "irq_softirq_exit", MEANS_ISR_OUT, "vec", "softirq" },
  { "softirq_entry", MEANS_ISR_IN, "vec", "softirq" },
  { "softirq_exit", MEANS_ISR_OUT, "vec", "softirq" },
  { "thread_switched_in", MEANS_THREAD_IN, NULL, NULL },
  { "thread_switched_out", MEANS_THREAD_OUT, NULL, NULL },
  { "thread_create", MEANS_THREAD_NEW, NULL, NULL },
  { "thread_info", MEANS_THREAD_NAME, NULL, NULL },
  { "thread_name_set", MEANS_THREAD_NAME, NULL, NULL },
  { "thread_priority_set", MEANS_PRIORITY, NULL, NULL },
  { "isr_enter", MEANS_ISR_IN, NULL, "ISR" },
  { "isr_exit", MEANS_ISR_OUT, NULL, "ISR" },
  { "isr_exit_to_scheduler", MEANS_ISR_OUT, NULL, "ISR" },
};

/* An event class, looked at once. */
typedef struct
{
  Meaning meaning;
  guint row;            /* of meanings[] */
  TsEventKind kind;     /* of our own events */
  char *value;          /* field that is the value */
  const char *name;     /* the class's own */
} Class;

struct _TsCtfEvents
{
  TsEventSink *sink;
  GHashTable *classes; /* bt_event_class: Class */
  GHashTable *objects; /* text: id */
  GHashTable *homes;   /* key of a thread: processor + 1 */
  GHashTable *names;   /* id: text, of threads */
  GHashTable *cores;   /* bt_stream: processor + 1 */
  GArray *ours;        /* guint32: objects of our own export, by their numbers there - 1 */
  TsEvent events[BATCH];
  guint n_events;
  guint64 hz; /* 0: no event came */
  gint64 origin_s;
  guint64 origin_ticks;
  gint64 first;
  gint64 last;
};

/* ---- fields ---- */

static const bt_field *
find_field (const bt_field *structure,
            const char *name)
{
  if (structure == NULL || bt_field_get_class_type (structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
    return NULL;
  return bt_field_structure_borrow_member_field_by_name_const (structure, name);
}

static gboolean
get_number (const bt_field *field,
            gint64 *number)
{
  bt_field_class_type type;

  if (field == NULL)
    return FALSE;
  type = bt_field_get_class_type (field);
  if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
    *number = (gint64) bt_field_integer_unsigned_get_value (field);
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
    *number = bt_field_integer_signed_get_value (field);
  else
    return FALSE;
  return TRUE;
}

static gboolean
get_real (const bt_field *field,
          double *number)
{
  bt_field_class_type type = bt_field_get_class_type (field);

  if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
    *number = (double) bt_field_real_single_precision_get_value (field);
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
    *number = bt_field_real_double_precision_get_value (field);
  else
    return FALSE;
  return TRUE;
}

/* The text of a field, valid UTF-8: a string, or an array of characters that does not say so. */
static char *
dup_text (const bt_field *field)
{
  bt_field_class_type type;
  g_autoptr (GString) text = NULL;

  if (field == NULL)
    return NULL;
  type = bt_field_get_class_type (field);
  if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_STRING))
    return g_utf8_make_valid (bt_field_string_get_value (field), -1);
  if (!bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_ARRAY))
    return NULL;
  text = g_string_new (NULL);
  for (guint64 i = 0; i < MIN (bt_field_array_get_length (field), MAX_TEXT); i++)
    {
      gint64 byte;

      if (!get_number (bt_field_array_borrow_element_field_by_index_const (field, i), &byte))
        return NULL;
      if ((byte & 0xFF) == 0)
        break;
      g_string_append_c (text, (char) byte);
    }
  return g_utf8_make_valid (text->str, (gssize) text->len);
}

static gboolean
is_address (const bt_field *field)
{
  return bt_field_class_integer_get_preferred_display_base (bt_field_borrow_class_const (field))
         == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
}

static void append_field (GString *text,
                          const bt_field *field,
                          guint depth);

static void
append_members (GString *text,
                const bt_field *structure,
                guint depth)
{
  const bt_field_class *class = bt_field_borrow_class_const (structure);

  for (guint64 i = 0; i < bt_field_class_structure_get_member_count (class); i++)
    {
      const bt_field_class_structure_member *member
          = bt_field_class_structure_borrow_member_by_index_const (class, i);

      if (text->len > MAX_TEXT)
        return;
      g_string_append_printf (text, "%s%s=", text->len > 0 ? " " : "",
                              bt_field_class_structure_member_get_name (member));
      append_field (text, bt_field_structure_borrow_member_field_by_index_const (structure, i),
                    depth);
    }
}

static void
append_enumeration (GString *text,
                    const bt_field *field)
{
  bt_field_class_enumeration_mapping_label_array labels = NULL;
  guint64 n = 0;
  gint64 number = 0;
  gboolean is_signed = bt_field_class_type_is (bt_field_get_class_type (field),
                                               BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION);

  if ((is_signed ? bt_field_enumeration_signed_get_mapping_labels (field, &labels, &n)
                 : bt_field_enumeration_unsigned_get_mapping_labels (field, &labels, &n))
          == BT_FIELD_ENUMERATION_GET_MAPPING_LABELS_STATUS_OK
      && n > 0)
    {
      g_autofree char *label = g_utf8_make_valid (labels[0], -1);

      g_string_append (text, label);
    }
  else if (get_number (field, &number))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
}

static void
append_field (GString *text,
              const bt_field *field,
              guint depth)
{
  bt_field_class_type type = bt_field_get_class_type (field);
  g_autofree char *string = NULL;
  double real;
  gint64 number;

  if (depth > MAX_DEPTH)
    return;
  if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_ENUMERATION))
    append_enumeration (text, field);
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
    g_string_append_printf (text, is_address (field) ? "0x%" G_GINT64_MODIFIER "x"
                                                     : "%" G_GUINT64_FORMAT,
                            bt_field_integer_unsigned_get_value (field));
  else if (get_number (field, &number))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
  else if (get_real (field, &real))
    {
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%g", real));
    }
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_BOOL))
    g_string_append (text, bt_field_bool_get_value (field) ? "true" : "false");
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_STRING))
    {
      string = dup_text (field);
      g_string_append (text, string);
    }
  else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
    append_members (text, field, depth + 1);
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_ARRAY))
    for (guint64 i = 0; i < MIN (bt_field_array_get_length (field), MAX_ELEMENTS); i++)
      {
        g_string_append (text, i > 0 ? "," : "");
        append_field (text, bt_field_array_borrow_element_field_by_index_const (field, i),
                      depth + 1);
      }
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_OPTION))
    {
      const bt_field *content = bt_field_option_borrow_field_const (field);

      if (content != NULL)
        append_field (text, content, depth + 1);
    }
  else if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_VARIANT))
    append_field (text, bt_field_variant_borrow_selected_option_field_const (field), depth + 1);
}

/* ---- objects ---- */

static guint32
get_object (TsCtfEvents *self,
            const char *key,
            TsObject *object)
{
  guint32 id = GPOINTER_TO_UINT (g_hash_table_lookup (self->objects, key));

  if (id != 0)
    return id;
  id = self->sink->iface->define_object (self->sink, object);
  g_hash_table_insert (self->objects, g_strdup (key), GUINT_TO_POINTER (id));
  return id;
}

/* A thread by its number. Number 0 of Linux is the idle thread, one for each processor. */
static guint32
get_thread (TsCtfEvents *self,
            gint64 number,
            const char *name,
            guint core,
            gboolean is_linux)
{
  gboolean is_idle = is_linux ? number == 0 : g_strcmp0 (name, "idle") == 0;
  g_autofree char *key = g_strdup_printf ("thread %" G_GINT64_FORMAT " %u", number,
                                          is_linux && number == 0 ? core : 0);
  g_autofree char *own = NULL;
  TsObject object = TS_OBJECT_INIT;
  gpointer first;
  guint32 id;

  if (name != NULL && *name != '\0')
    own = g_strdup (name);
  else
    own = g_strdup_printf (is_linux ? "Thread %" G_GINT64_FORMAT : "Thread 0x%" G_GINT64_MODIFIER "x",
                           number);
  object.type = TS_OBJECT_TASK;
  /* where it was seen first: that is where its colour shows */
  first = g_hash_table_lookup (self->homes, key);
  object.core = (guint8) (first != NULL ? GPOINTER_TO_UINT (first) - 1 : core);
  if (first == NULL)
    g_hash_table_insert (self->homes, g_strdup (key), GUINT_TO_POINTER (core + 1));
  object.is_named = name != NULL && *name != '\0';
  object.is_idle = is_idle;
  object.wire_id = (gint32) number;
  object.name = own;
  id = get_object (self, key, &object);
  if (object.is_named
      && g_strcmp0 (g_hash_table_lookup (self->names, GUINT_TO_POINTER (id)), own) != 0)
    {
      object.id = id;
      self->sink->iface->update_object (self->sink, &object);
      g_hash_table_insert (self->names, GUINT_TO_POINTER (id), g_strdup (own));
    }
  return id;
}

static guint32
get_named (TsCtfEvents *self,
           TsObjectType type,
           guint core,
           const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s %s", ts_object_type_get_name (type), name);
  TsObject object = TS_OBJECT_INIT;

  object.type = type;
  object.core = (guint8) core;
  object.is_named = TRUE;
  object.name = (char *) name;
  return get_object (self, key, &object);
}

static guint32
get_interrupt (TsCtfEvents *self,
               const Class *class,
               const bt_field *payload,
               guint core)
{
  const char *prefix = meanings[class->row].prefix;
  g_autofree char *key = NULL;
  g_autofree char *name = dup_text (find_field (payload, "name"));
  TsObject object = TS_OBJECT_INIT;
  gint64 number = -1;

  if (meanings[class->row].number != NULL)
    get_number (find_field (payload, meanings[class->row].number), &number);
  key = g_strdup_printf ("%s %" G_GINT64_FORMAT, prefix, number);
  if (name == NULL || *name == '\0')
    {
      g_free (name);
      name = number >= 0 ? g_strdup (key) : g_strdup (prefix);
    }
  object.type = TS_OBJECT_ISR;
  object.core = (guint8) core;
  object.is_named = TRUE;
  object.wire_id = (gint32) number;
  object.name = name;
  return get_object (self, key, &object);
}

/* ---- classes ---- */

/* Numbers that name something are no values to draw. */
static gboolean
is_identity (const char *name)
{
  static const char *const names[] = { "tid", "pid", "vtid", "vpid", "ret", "vec", "irq", "fd", "cpu" };

  if (g_str_has_suffix (name, "id"))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The name of the field that is the value of an event whose payload is a number and no more. */
static char *
dup_value_name (const bt_field_class *payload)
{
  const bt_field_class_structure_member *member;
  const bt_field_class *class;
  bt_field_class_type type;
  const char *name;

  if (payload == NULL || bt_field_class_structure_get_member_count (payload) != 1)
    return NULL;
  member = bt_field_class_structure_borrow_member_by_index_const (payload, 0);
  class = bt_field_class_structure_member_borrow_field_class_const (member);
  name = bt_field_class_structure_member_get_name (member);
  type = bt_field_class_get_type (class);
  if (is_identity (name) || bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_ENUMERATION))
    return NULL;
  if (bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_INTEGER))
    return bt_field_class_integer_get_preferred_display_base (class)
                   == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL
               ? NULL
               : g_strdup (name);
  return bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_REAL) ? g_strdup (name) : NULL;
}

static void
class_free (gpointer data)
{
  g_free (((Class *) data)->value);
  g_free (data);
}

/* A text of the trace's environment, or NULL. */
static const char *
get_environment (const bt_stream *stream,
                 const char *name)
{
  const bt_value *value
      = bt_trace_borrow_environment_entry_value_by_name_const (bt_stream_borrow_trace_const (stream),
                                                               name);

  return value != NULL && bt_value_is_string (value) ? bt_value_string_get (value) : NULL;
}

/* The objects that our export names in the environment keep their numbers.
 * Source: model/ts-export-ctf.c */
static void
define_ours (TsCtfEvents *self,
             const bt_stream *stream)
{
  for (guint i = 1;; i++)
    {
      g_autofree char *name = g_strdup_printf ("object_%u", i);
      const char *value = get_environment (stream, name);
      g_autofree char *text = NULL;
      g_auto (GStrv) words = NULL;
      TsObject object = TS_OBJECT_INIT;
      guint32 id;

      if (value == NULL)
        break;
      text = g_utf8_make_valid (value, -1);
      words = g_strsplit (text, " ", 5);
      if (g_strv_length (words) < 5)
        break;
      object.type = ts_object_type_from_name (words[0]);
      object.core = (guint8) g_ascii_strtoull (words[1], NULL, 10);
      if (words[2][0] != '-')
        object.priority = g_ascii_strtoll (words[2], NULL, 10);
      object.is_idle = words[3][0] == '1';
      object.is_named = TRUE;
      object.name = words[4];
      id = self->sink->iface->define_object (self->sink, &object);
      g_array_append_val (self->ours, id);
    }
}

static gboolean
is_ours (const bt_stream *stream)
{
  const char *tracer = get_environment (stream, "tracer_name");

  return tracer != NULL && strcmp (tracer, OURS) == 0;
}

/* The system that ran: our export says it, LTTng says what the kernel is. */
static void
tell_system (TsCtfEvents *self,
             const bt_stream *stream)
{
  const char *name = get_environment (stream, "target_os");
  g_autofree char *text = NULL;

  if (name == NULL)
    name = get_environment (stream, "sysname");
  if (name == NULL)
    return;
  text = g_utf8_make_valid (name, -1);
  self->sink->iface->set_info (self->sink, "os", text);
}

static Class *
get_class (TsCtfEvents *self,
           const bt_event_class *event_class,
           const bt_stream *stream)
{
  Class *class = g_hash_table_lookup (self->classes, event_class);

  if (class != NULL)
    return class;
  if (g_hash_table_size (self->classes) == 0)
    tell_system (self, stream);
  class = g_new0 (Class, 1);
  class->name = bt_event_class_get_name (event_class);
  if (class->name == NULL || !g_utf8_validate (class->name, -1, NULL))
    class->name = "event";
  for (guint i = 0; i < G_N_ELEMENTS (meanings); i++)
    if (strcmp (meanings[i].name, class->name) == 0)
      {
        class->meaning = meanings[i].meaning;
        class->row = i;
      }
  if (is_ours (stream))
    {
      class->kind = ts_event_kind_from_name (class->name);
      class->meaning = class->kind != TS_EVENT_INVALID ? MEANS_OURS : MEANS_ITSELF;
      if (self->ours->len == 0)
        define_ours (self, stream);
    }
  else if (class->meaning == MEANS_ITSELF)
    class->value = dup_value_name (bt_event_class_borrow_payload_field_class_const (event_class));
  g_hash_table_insert (self->classes, (gpointer) event_class, class);
  return class;
}

/* ---- time ---- */

/* The time of @clock on the clock of the recording, which is the first event's. */
static gint64
get_time (TsCtfEvents *self,
          const bt_clock_snapshot *snapshot)
{
  const bt_clock_class *class = bt_clock_snapshot_borrow_clock_class_const (snapshot);
  guint64 ticks = bt_clock_snapshot_get_value (snapshot);
  guint64 hz = MAX (bt_clock_class_get_frequency (class), 1);
  gint64 seconds;
  guint64 cycles;
  __int128 time;

  bt_clock_class_get_offset (class, &seconds, &cycles);
  if (self->hz == 0)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, ticks);

      self->hz = hz;
      self->origin_s = seconds;
      self->origin_ticks = cycles;
      self->sink->iface->set_clock (self->sink, hz);
      self->sink->iface->set_info (self->sink, "t0_ticks", text);
    }
  time = (__int128) ticks + cycles;
  if (hz != self->hz)
    time = time * self->hz / hz;
  time += ((__int128) seconds - self->origin_s) * self->hz - self->origin_ticks;
  return (gint64) CLAMP (time, (__int128) G_MININT64, (__int128) G_MAXINT64);
}

/* ---- events ---- */

void
_ts_ctf_events_flush (TsCtfEvents *self)
{
  if (self->n_events > 0)
    self->sink->iface->events (self->sink, self->events, self->n_events);
  self->n_events = 0;
}

/* Room for one more event, whose time is that of the message. */
static TsEvent *
add (TsCtfEvents *self,
     const bt_clock_snapshot *snapshot,
     TsEventKind kind,
     guint core)
{
  TsEvent *event;
  gint64 time = self->last;

  if (snapshot != NULL)
    {
      gboolean is_first = self->hz == 0;

      time = get_time (self, snapshot);
      if (is_first)
        self->first = time;
      if (__builtin_sub_overflow (time, self->first, &time))
        time = G_MAXINT64;
    }
  if (self->n_events == BATCH)
    _ts_ctf_events_flush (self);
  event = &self->events[self->n_events++];
  *event = (TsEvent){ .kind = (guint16) kind, .core = (guint8) core };
  event->time = MAX (time, self->last);
  if (snapshot == NULL || time < self->last)
    event->flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
  self->last = event->time;
  return event;
}

static void
set_text (TsCtfEvents *self,
          TsEvent *event,
          const char *text)
{
  guint32 id = self->sink->iface->intern (self->sink, text, -1);

  event->flags |= TS_EVENT_FLAG_TEXT;
  event->detail = (gint64) ((guint64) id << 32) | (event->detail & G_MAXUINT32);
}

/* What our export wrote. */
static void
take_ours (TsCtfEvents *self,
           const Class *class,
           const bt_field *payload,
           TsEvent *event)
{
  g_autofree char *text = dup_text (find_field (payload, "text"));
  const bt_field *value = find_field (payload, "value");
  gint64 number = 0;
  double real;

  event->kind = (guint16) class->kind;
  if (get_number (find_field (payload, "flags"), &number))
    event->flags |= number & TS_EVENT_FLAGS_PUBLIC;
  if (get_number (find_field (payload, "side"), &number))
    event->flags |= number != 0 ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
  if (value != NULL && get_real (value, &real))
    {
      memcpy (&event->value, &real, sizeof event->value);
      event->flags |= TS_EVENT_FLAG_FLOAT;
    }
  else
    get_number (value, &event->value);
  get_number (find_field (payload, "detail"), &event->detail);
  if (text != NULL)
    set_text (self, event, text);
  if (get_number (find_field (payload, "object_id"), &number) && number > 0
      && number <= self->ours->len)
    event->object = g_array_index (self->ours, guint32, number - 1);
}

/* An event that only its name tells about. */
static void
take_itself (TsCtfEvents *self,
             const Class *class,
             const bt_field *payload,
             guint core,
             TsEvent *event)
{
  const bt_field *value = class->value != NULL ? find_field (payload, class->value) : NULL;
  g_autoptr (GString) text = NULL;
  double real;

  if (value != NULL)
    {
      event->object = get_named (self, TS_OBJECT_USER_TRACE, core, class->name);
      if (get_real (value, &real))
        {
          event->kind = TS_EVENT_FLOAT_TRACE;
          memcpy (&event->value, &real, sizeof event->value);
          event->flags |= TS_EVENT_FLAG_FLOAT;
        }
      else
        {
          event->kind = TS_EVENT_USER_TRACE;
          get_number (value, &event->value);
        }
      return;
    }
  event->kind = TS_EVENT_STRING;
  event->object = get_named (self, TS_OBJECT_STRING_CHANNEL, core, class->name);
  text = g_string_new (NULL);
  if (payload != NULL)
    append_members (text, payload, 0);
  if (text->len > MAX_TEXT)
    {
      g_autofree char *cut = g_utf8_make_valid (text->str, MAX_TEXT);

      g_string_printf (text, "%s…", cut);
    }
  set_text (self, event, text->len > 0 ? text->str : class->name);
}

static void
take_thread (TsCtfEvents *self,
             const Class *class,
             const bt_field *payload,
             guint core,
             TsEvent *event)
{
  gboolean is_linux = class->meaning == MEANS_SWITCH;
  g_autofree char *name = dup_text (find_field (payload, is_linux ? "next_comm" : "name"));
  gint64 number = 0;
  gint64 priority = 0;
  gboolean has_priority
      = get_number (find_field (payload, is_linux ? "next_prio" : "prio"), &priority);

  get_number (find_field (payload, is_linux ? "next_tid" : "thread_id"), &number);
  event->object = get_thread (self, number, name, core, is_linux);
  switch (class->meaning)
    {
    case MEANS_THREAD_OUT:
      event->kind = TS_EVENT_TASK_SWITCH;
      event->flags |= TS_EVENT_FLAG_END;
      break;
    case MEANS_THREAD_NEW:
      event->kind = TS_EVENT_TASK_CREATE;
      event->value = event->detail = has_priority ? priority : 0;
      break;
    case MEANS_PRIORITY:
      event->kind = TS_EVENT_TASK_PRIORITY;
      event->value = event->detail = priority;
      break;
    case MEANS_THREAD_NAME:
      take_itself (self, class, payload, core, event);
      break;
    default:
      event->kind = TS_EVENT_TASK_SWITCH;
      event->flags |= TS_EVENT_FLAG_START;
      break;
    }
}

/* The processor that the packet or the event's context names. */
static guint
get_core (const bt_event *event,
          const bt_stream *stream)
{
  gint64 core = 0;

  if (!get_number (find_field (bt_event_borrow_common_context_field_const (event), "cpu_id"), &core)
      && bt_stream_class_supports_packets (bt_stream_borrow_class_const (stream)))
    get_number (find_field (bt_packet_borrow_context_field_const (
                                bt_event_borrow_packet_const (event)),
                            "cpu_id"),
                &core);
  return (guint) CLAMP (core, 0, 255);
}

static gboolean
has_clock (const bt_stream *stream)
{
  return bt_stream_class_borrow_default_clock_class_const (bt_stream_borrow_class_const (stream))
         != NULL;
}

/* Takes an event's message. */
void
_ts_ctf_events_take (TsCtfEvents *self,
                     const bt_message *message)
{
  const bt_event *source = bt_message_event_borrow_event_const (message);
  const bt_stream *stream = bt_event_borrow_stream_const (source);
  const Class *class = get_class (self, bt_event_borrow_class_const (source), stream);
  const bt_field *payload = bt_event_borrow_payload_field_const (source);
  guint core = get_core (source, stream);
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (self->cores, stream));
  TsEvent *event
      = add (self,
             has_clock (stream) ? bt_message_event_borrow_default_clock_snapshot_const (message)
                                : NULL,
             TS_EVENT_USER_EVENT, core);

  if (known != core + 1)
    g_hash_table_insert (self->cores, (gpointer) stream, GUINT_TO_POINTER (core + 1));
  switch (class->meaning)
    {
    case MEANS_ITSELF:
      take_itself (self, class, payload, core, event);
      break;
    case MEANS_OURS:
      take_ours (self, class, payload, event);
      break;
    case MEANS_ISR_IN:
    case MEANS_ISR_OUT:
      event->kind = TS_EVENT_ISR;
      event->flags |= class->meaning == MEANS_ISR_IN ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
      event->object = get_interrupt (self, class, payload, core);
      break;
    case MEANS_SWITCH:
    case MEANS_THREAD_IN:
    case MEANS_THREAD_OUT:
    case MEANS_THREAD_NEW:
    case MEANS_THREAD_NAME:
    case MEANS_PRIORITY:
    default:
      take_thread (self, class, payload, core, event);
      break;
    }
}

/* Takes a message that events were lost. */
void
_ts_ctf_events_take_loss (TsCtfEvents *self,
                          const bt_message *message)
{
  const bt_stream *stream = bt_message_discarded_events_borrow_stream_const (message);
  guint core = GPOINTER_TO_UINT (g_hash_table_lookup (self->cores, stream));
  TsEvent *event = add (self, NULL, TS_EVENT_DATA_LOSS, core > 0 ? core - 1 : 0);
  guint64 n = 0;

  event->flags = TS_EVENT_FLAG_SYNTHETIC;
  event->value = bt_message_discarded_events_get_count (message, &n)
                         == BT_PROPERTY_AVAILABILITY_AVAILABLE
                     ? (gint64) MIN (n, (guint64) G_MAXINT64)
                     : -1;
}

/* Events go to @sink. Free with _ts_ctf_events_free(). */
TsCtfEvents *
_ts_ctf_events_new (TsEventSink *sink)
{
  TsCtfEvents *self = g_new0 (TsCtfEvents, 1);

  self->sink = sink;
  self->classes = g_hash_table_new_full (NULL, NULL, NULL, class_free);
  self->objects = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->homes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->cores = g_hash_table_new (NULL, NULL);
  self->ours = g_array_new (FALSE, FALSE, sizeof (guint32));
  return self;
}

void
_ts_ctf_events_free (TsCtfEvents *self)
{
  g_hash_table_unref (self->classes);
  g_hash_table_unref (self->objects);
  g_hash_table_unref (self->homes);
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->cores);
  g_array_unref (self->ours);
  g_free (self);
}
