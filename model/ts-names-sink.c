/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-names-sink.c: a sink that names what passes through it.
 *
 * Samples of the program counter become samples of functions (and of sleep); a write that a watch
 * saw gets the place of the instruction as its text, and the value is read by the variable's type.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-names-private.h"

/* Functions that get a lane of their own; what is sampled after them is one more. */
#define MAX_FUNCTIONS 500
/* External interrupts begin at this exception number. Source: itm-dwt.md section 2.7 */
#define FIRST_INTERRUPT 16
#define MAX_CORES 256

typedef struct
{
  TsEventSink parent;
  TsNames *names; /* (nullable) */
  TsEventSink *next;
  GHashTable *functions; /* first address to object */
  GHashTable *pcs;       /* address of an instruction to object */
  GHashTable *places;    /* address of an instruction to text id */
  GHashTable *numbers;   /* object of a watch to access << 16 | variable << 8 | TsElfNumber */
  guint32 sleep[MAX_CORES];
  guint32 others;
  GArray *copy; /* of TsEvent */
} NamesSink;

static guint32
define_function (NamesSink *self,
                 const char *name,
                 gint64 address,
                 guint core)
{
  TsObject object = TS_OBJECT_INIT;

  object.type = TS_OBJECT_FUNCTION;
  object.name = (char *) name;
  object.address = address;
  object.core = (guint8) core;
  return self->next->iface->define_object (self->next, &object);
}

/* The function that holds @pc; 0 if nobody knows. */
static guint32
find_function (NamesSink *self,
               guint64 pc)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) pc);
  const TsElfSymbol *symbol;
  gpointer known;

  if (self->names == NULL || self->names->elf == NULL)
    return 0;
  if (g_hash_table_lookup_extended (self->pcs, key, NULL, &known))
    return GPOINTER_TO_UINT (known);

  symbol = ts_elf_find_address (self->names->elf, pc);
  known = NULL;
  if (symbol != NULL)
    {
      gpointer begin = GSIZE_TO_POINTER ((gsize) symbol->address);

      known = g_hash_table_lookup (self->functions, begin);
      if (known == NULL && g_hash_table_size (self->functions) < MAX_FUNCTIONS)
        {
          known = GUINT_TO_POINTER (
              define_function (self, symbol->name, (gint64) symbol->address, 0));
          g_hash_table_insert (self->functions, begin, known);
        }
    }
  if (known == NULL)
    {
      if (self->others == 0)
        self->others = define_function (self, _("other code"), TS_OBJECT_UNKNOWN, 0);
      known = GUINT_TO_POINTER (self->others);
    }
  g_hash_table_insert (self->pcs, key, known);
  return GPOINTER_TO_UINT (known);
}

/* A sample while the core sleeps has no address (0), nor one that may not be told (-1). */
static void
name_sample (NamesSink *self,
             TsEvent *event)
{
  if (event->object != 0 || event->value < 0)
    return;
  if (event->value > 0)
    {
      event->object = find_function (self, (guint64) event->value);
      return;
    }
  if (self->sleep[event->core] == 0)
    self->sleep[event->core]
        = define_function (self, _("Sleep"), TS_OBJECT_UNKNOWN, event->core);
  event->object = self->sleep[event->core];
}

/* Makes of the bits that a comparator saw, @size bytes of them, the number of a variable that is as
 * large. */
void
_ts_names_read_number (TsEvent *event,
                       TsElfNumber number,
                       guint size)
{
  union
  {
    guint32 i;
    float f;
  } bits = { .i = (guint32) event->value };
  union
  {
    gint64 i;
    double d;
  } real;

  if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0 || event->value < 0)
    return;
  if (number == TS_ELF_NUMBER_FLOAT && size == 4)
    {
      real.d = (double) bits.f;
      event->value = real.i;
      event->flags |= TS_EVENT_FLAG_FLOAT;
    }
  else if (number == TS_ELF_NUMBER_SIGNED && size == 1)
    event->value = (gint8) bits.i;
  else if (number == TS_ELF_NUMBER_SIGNED && size == 2)
    event->value = (gint16) bits.i;
  else if (number == TS_ELF_NUMBER_SIGNED && size == 4)
    event->value = (gint32) bits.i;
}

/* Who wrote (or read) a watched variable. */
static void
name_place (NamesSink *self,
            TsEvent *event,
            guint64 pc)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) pc);
  gpointer text;

  if (pc == 0 || self->names == NULL || self->names->elf == NULL
      || (event->flags & TS_EVENT_FLAG_TEXT) != 0)
    return;
  if (!g_hash_table_lookup_extended (self->places, key, NULL, &text))
    {
      g_autofree char *place = ts_elf_dup_place (self->names->elf, pc);

      text = GUINT_TO_POINTER (
          place != NULL ? self->next->iface->intern (self->next, place, -1) : 0);
      g_hash_table_insert (self->places, key, text);
    }
  if (text == NULL)
    return;
  event->flags |= TS_EVENT_FLAG_TEXT;
  event->detail = (gint64) ((guint64) GPOINTER_TO_UINT (text) << 32 | (guint32) event->detail);
}

/* The bytes that were read or written are what the program means, if they are all of it. */
static void
read_number (NamesSink *self,
             TsEvent *event)
{
  guint known = GPOINTER_TO_UINT (
      g_hash_table_lookup (self->numbers, GUINT_TO_POINTER (event->object)));

  if (known >> 16 == (known >> 8 & 0xff))
    _ts_names_read_number (event, known & 0xff, known >> 16);
}

static gboolean
is_ours (const TsEvent *event)
{
  return event->kind == TS_EVENT_DWT_PC || event->kind == TS_EVENT_DWT_DATA
         || event->kind == TS_EVENT_DWT_DATA_PC;
}

static void
sink_events (TsEventSink *sink,
             const TsEvent *events,
             gsize n_events)
{
  NamesSink *self = (NamesSink *) sink;
  gsize first = 0;

  while (first < n_events && !is_ours (&events[first]))
    first++;
  if (first == n_events)
    {
      self->next->iface->events (self->next, events, n_events);
      return;
    }

  g_array_set_size (self->copy, 0);
  g_array_append_vals (self->copy, events, (guint) n_events);
  for (gsize i = first; i < n_events; i++)
    {
      TsEvent *event = &g_array_index (self->copy, TsEvent, i);

      if (event->kind == TS_EVENT_DWT_PC)
        name_sample (self, event);
      else if (event->kind == TS_EVENT_DWT_DATA)
        {
          read_number (self, event);
          name_place (self, event, (guint64) ts_event_get_detail (event));
        }
      else if (event->kind == TS_EVENT_DWT_DATA_PC)
        name_place (self, event, (guint64) event->value);
    }
  self->next->iface->events (self->next, (const TsEvent *) (gpointer) self->copy->data, n_events);
}

/* A name of ours for an object that the target has not named. */
static char *
dup_name (NamesSink *self,
          const TsObject *object)
{
  TsNames *names = self->names;

  if (names == NULL || object->is_named)
    return NULL;
  switch (object->type)
    {
    case TS_OBJECT_EXCEPTION:
      if (names->svd != NULL && object->wire_id >= FIRST_INTERRUPT)
        return g_strdup (
            ts_svd_find_interrupt (names->svd, (guint) object->wire_id - FIRST_INTERRUPT));
      return NULL;

    case TS_OBJECT_WATCH:
      return _ts_names_dup_watch (names, (guint) object->wire_id);

    default:
      return g_strdup (_ts_names_find (names, object->type, object->wire_id));
    }
}

/* A second stream's objects say whose they are, as the decoder's own names do. */
static TsObject
rename_object (NamesSink *self,
               const TsObject *object,
               char **name)
{
  TsObject copy = *object;

  *name = dup_name (self, object);
  if (*name != NULL && object->core > 0
      && (object->type == TS_OBJECT_EXCEPTION || object->type == TS_OBJECT_WATCH))
    {
      g_autofree char *own = *name;

      *name = g_strdup_printf ("%s (%u)", own, object->core);
    }
  if (*name != NULL)
    copy.name = *name;
  if (self->names != NULL && object->type == TS_OBJECT_WATCH && object->wire_id >= 0
      && object->wire_id < TS_NAMES_N_WATCHES)
    copy.address = self->names->watch_addresses[object->wire_id];
  return copy;
}

/* Remembers how a watched variable is read, and what is read of it; the file is asked once. */
static void
note_number (NamesSink *self,
             const TsObject *watch,
             guint32 id)
{
  gpointer key = GUINT_TO_POINTER (id);
  gpointer known;
  guint size;

  if (self->names == NULL || self->names->elf == NULL || watch->type != TS_OBJECT_WATCH
      || watch->address == TS_OBJECT_UNKNOWN)
    return;
  if (!g_hash_table_lookup_extended (self->numbers, key, NULL, &known))
    {
      guint number = (guint) ts_elf_find_number (self->names->elf, (guint64) watch->address, &size);

      known = GUINT_TO_POINTER (size << 8 | number);
    }
  size = watch->capacity > 0 && watch->capacity <= 4 ? (guint) watch->capacity : 0;
  g_hash_table_insert (self->numbers, key,
                       GUINT_TO_POINTER (size << 16 | (GPOINTER_TO_UINT (known) & 0xffff)));
}

static guint32
sink_define_object (TsEventSink *sink,
                    const TsObject *object)
{
  NamesSink *self = (NamesSink *) sink;
  g_autofree char *name = NULL;
  TsObject copy = rename_object (self, object, &name);
  guint32 id = self->next->iface->define_object (self->next, &copy);

  note_number (self, &copy, id);
  return id;
}

static void
sink_update_object (TsEventSink *sink,
                    const TsObject *object)
{
  NamesSink *self = (NamesSink *) sink;
  g_autofree char *name = NULL;
  TsObject copy = rename_object (self, object, &name);

  self->next->iface->update_object (self->next, &copy);
  note_number (self, &copy, copy.id);
}

static guint32
sink_intern (TsEventSink *sink,
             const char *text,
             gssize len)
{
  NamesSink *self = (NamesSink *) sink;

  return self->next->iface->intern (self->next, text, len);
}

static void
sink_set_clock (TsEventSink *sink,
                guint64 hz)
{
  NamesSink *self = (NamesSink *) sink;

  self->next->iface->set_clock (self->next, hz);
}

static void
sink_set_info (TsEventSink *sink,
               const char *key,
               const char *value)
{
  NamesSink *self = (NamesSink *) sink;

  self->next->iface->set_info (self->next, key, value);
}

static const TsEventSinkInterface sink_interface = {
  .events = sink_events,
  .define_object = sink_define_object,
  .update_object = sink_update_object,
  .intern = sink_intern,
  .set_clock = sink_set_clock,
  .set_info = sink_set_info,
};

/**
 * ts_names_sink_new:
 * @self: (nullable): a book; %NULL: samples during sleep get their lane, nothing else is named
 * @next: where everything goes on to
 *
 * A sink that gives what passes through it the names of a book.
 *
 * Thread: the decoder's
 *
 * Returns: (transfer full): the sink; ts_names_sink_free()
 */
TsEventSink *
ts_names_sink_new (TsNames *self,
                   TsEventSink *next)
{
  NamesSink *sink = g_new0 (NamesSink, 1);

  g_return_val_if_fail (next != NULL, NULL);

  sink->parent.iface = &sink_interface;
  sink->names = self != NULL ? g_object_ref (self) : NULL;
  sink->next = next;
  sink->functions = g_hash_table_new (NULL, NULL);
  sink->pcs = g_hash_table_new (NULL, NULL);
  sink->places = g_hash_table_new (NULL, NULL);
  sink->numbers = g_hash_table_new (NULL, NULL);
  sink->copy = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  return &sink->parent;
}

/**
 * ts_names_sink_free:
 * @sink: (nullable) (transfer full): a sink of ts_names_sink_new()
 */
void
ts_names_sink_free (TsEventSink *sink)
{
  NamesSink *self = (NamesSink *) sink;

  if (self == NULL)
    return;
  g_clear_object (&self->names);
  g_hash_table_unref (self->functions);
  g_hash_table_unref (self->pcs);
  g_hash_table_unref (self->places);
  g_hash_table_unref (self->numbers);
  g_array_unref (self->copy);
  g_free (self);
}
