/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-trigger.c: finds the event at which a trigger fires.
 *
 * What has to be known of the past is little: per object whether a slice is open and since when, and
 * whether its value met the condition last time; per condition on silence when the lane was last
 * heard. An event that cannot fire costs a few comparisons: what lasts too long is looked for only
 * when the earliest moment at which it could is over.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-trigger-private.h"

/* What a recording assumes as long as the stream does not tell its clock. */
#define DEFAULT_HZ 1000000
#define NS_PER_S 1000000000
#define N_CORES 256
/* Functions of an exception packet. Source: itm-dwt.md section 2.7 */
#define EXCEPTION_ENTERED 1
#define EXCEPTION_EXITED 2

/**
 * Object:
 * @lane_terms: terms (bits) that this object can meet
 * @met_terms: terms whose comparison its last value met
 * @told_terms: terms that its open slice has fired already
 * @core: where the slice is open
 * @depth: how often it was entered; 0: no slice is open
 * @begin: since when
 */
typedef struct
{
  guint16 lane_terms;
  guint16 met_terms;
  guint16 told_terms;
  guint8 core;
  guint32 depth;
  gint64 begin;
} Object;

G_STATIC_ASSERT (TS_TRIGGER_MAX_ALTERNATIVES <= 16);

/**
 * Silence: of one term
 * @heard: when the lane was last heard of
 * @is_told: it has fired since
 */
typedef struct
{
  gint64 heard;
  gboolean is_told;
} Silence;

struct _TsTrigger
{
  GPtrArray *terms;
  guint16 event_terms;
  guint16 wait_terms;
  gint64 wait_ticks[TS_TRIGGER_MAX_ALTERNATIVES]; /* shortest wait that fires */
  Silence silences[TS_TRIGGER_MAX_ALTERNATIVES];
  GHashTable *strings[TS_TRIGGER_MAX_ALTERNATIVES]; /* (nullable): ids whose text has the words */
  GArray *objects;                                  /* of Object, by id; 0: no object */
  guint32 running[N_CORES];                         /* task that is switched in */
  guint8 n_operands[TS_TRIGGER_N_KINDS];
  gboolean has_begun;
  gint64 next_wait;  /* no wait is over before */
  int reason;        /* term that fired last, -1 none */
  guint32 reason_object;
};

static const TsTriggerTerm *
get_term (TsTrigger *self,
          guint i)
{
  return g_ptr_array_index (self->terms, i);
}

static Object *
get_object (TsTrigger *self,
            guint32 id)
{
  guint n = self->objects->len;

  /* ids are given in order, so this grows one by one */
  if (id >= n)
    {
      g_array_set_size (self->objects, id + 1);
      for (guint i = n; i <= id; i++)
        g_array_index (self->objects, Object, i).lane_terms
            = g_array_index (self->objects, Object, 0).lane_terms;
    }

  return &g_array_index (self->objects, Object, id);
}

/**
 * ts_trigger_new:
 * @expression: what to wait for
 * @error: return location
 *
 * Thread: any; used by one thread at a time
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG: one sentence with the place in @expression
 *
 * Returns: (transfer full): a trigger, or %NULL with @error set
 */
TsTrigger *
ts_trigger_new (const char *expression,
                GError **error)
{
  g_autoptr (GPtrArray) terms = NULL;
  TsTrigger *self;
  Object *nothing;

  g_return_val_if_fail (expression != NULL, NULL);

  terms = _ts_trigger_parse (expression, error);
  if (terms == NULL)
    return NULL;

  self = g_new0 (TsTrigger, 1);
  self->terms = g_steal_pointer (&terms);
  self->objects = g_array_new (FALSE, TRUE, sizeof (Object));
  g_array_set_size (self->objects, 1);
  self->reason = -1;
  for (guint kind = 0; kind < TS_TRIGGER_N_KINDS; kind++)
    self->n_operands[kind] = (guint8) ts_event_kind_get_n_operands (kind);

  nothing = &g_array_index (self->objects, Object, 0);
  for (guint i = 0; i < self->terms->len; i++)
    {
      const TsTriggerTerm *term = get_term (self, i);

      if (term->type == TS_TRIGGER_EVENT)
        self->event_terms |= (guint16) (1u << i);
      else
        self->wait_terms |= (guint16) (1u << i);
      if (term->words != NULL)
        self->strings[i] = g_hash_table_new (NULL, NULL);
      if (term->lane == NULL)
        nothing->lane_terms |= (guint16) (1u << i);
    }
  ts_trigger_set_clock (self, 0);

  return self;
}

/**
 * ts_trigger_free:
 * @self: (nullable): a trigger
 *
 * Thread: owner
 */
void
ts_trigger_free (TsTrigger *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (self->strings); i++)
    g_clear_pointer (&self->strings[i], g_hash_table_unref);
  g_array_unref (self->objects);
  g_ptr_array_unref (self->terms);
  g_free (self);
}

/**
 * ts_trigger_set_clock:
 * @self: a trigger
 * @hz: ticks per second of event times, 0: not known yet
 *
 * Thread: owner
 */
void
ts_trigger_set_clock (TsTrigger *self,
                      guint64 hz)
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; i < self->terms->len; i++)
    {
      const TsTriggerTerm *term = get_term (self, i);
      __int128 ticks = (__int128) term->wait_ns * (hz > 0 ? hz : DEFAULT_HZ);

      /* more than so long: the tick after; at least: the first that is not before */
      ticks = term->or_equal ? (ticks + NS_PER_S - 1) / NS_PER_S : ticks / NS_PER_S + 1;
      self->wait_ticks[i] = (gint64) MIN (ticks, G_MAXINT64 / 2);
    }
  self->next_wait = G_MININT64;
}

/**
 * ts_trigger_set_object:
 * @self: a trigger
 * @object: an object, new or with another name
 *
 * Thread: owner
 */
void
ts_trigger_set_object (TsTrigger *self,
                       const TsObject *object)
{
  Object *known;

  g_return_if_fail (self != NULL);
  g_return_if_fail (object != NULL);

  known = get_object (self, object->id);
  known->lane_terms = g_array_index (self->objects, Object, 0).lane_terms;
  for (guint i = 0; i < self->terms->len; i++)
    if (get_term (self, i)->lane != NULL && object->id > 0
        && ts_object_is_called (object, get_term (self, i)->lane))
      known->lane_terms |= (guint16) (1u << i);
  self->next_wait = G_MININT64;
}

/**
 * ts_trigger_set_string:
 * @self: a trigger
 * @id: id of a text of events
 * @text: the text, UTF-8
 *
 * Thread: owner
 */
void
ts_trigger_set_string (TsTrigger *self,
                       guint32 id,
                       const char *text)
{
  g_autofree char *folded = NULL;

  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  for (guint i = 0; i < self->terms->len; i++)
    {
      if (self->strings[i] == NULL)
        continue;
      if (folded == NULL)
        folded = g_utf8_casefold (text, -1);
      if (strstr (folded, get_term (self, i)->words) != NULL)
        g_hash_table_add (self->strings[i], GUINT_TO_POINTER (id));
    }
}

/* ---- slices and silence ---- */

static void
fire (TsTrigger *self,
      guint term,
      guint32 object,
      gboolean *has_fired)
{
  if (*has_fired)
    return;

  *has_fired = TRUE;
  self->reason = (int) term;
  self->reason_object = object;
}

static gboolean
is_on_core (const TsTriggerTerm *term,
            guint core)
{
  return term->core < 0 || (guint) term->core == core;
}

/* Slices of one term that have lasted long enough at @time. */
static void
look_at_slices (TsTrigger *self,
                guint i,
                gint64 time,
                gboolean *has_fired)
{
  const TsTriggerTerm *term = get_term (self, i);

  for (guint32 id = 1; id < self->objects->len; id++)
    {
      Object *object = &g_array_index (self->objects, Object, id);
      gint64 due;

      if (object->depth == 0 || (object->lane_terms >> i & 1) == 0
          || (object->told_terms >> i & 1) != 0 || !is_on_core (term, object->core))
        continue;

      due = object->begin + self->wait_ticks[i];
      if (time >= due)
        {
          object->told_terms |= (guint16) (1u << i);
          fire (self, i, id, has_fired);
        }
      else
        self->next_wait = MIN (self->next_wait, due);
    }
}

/* A lane of one term is silent as long as none of its slices is open and nothing is heard of it. */
static void
look_at_silence (TsTrigger *self,
                 guint i,
                 gint64 time,
                 gboolean *has_fired)
{
  const TsTriggerTerm *term = get_term (self, i);
  Silence *silence = &self->silences[i];
  gint64 due = silence->heard + self->wait_ticks[i];
  guint32 who = 0;

  if (silence->is_told)
    return;
  for (guint32 id = 1; id < self->objects->len; id++)
    {
      const Object *object = &g_array_index (self->objects, Object, id);

      if ((object->lane_terms >> i & 1) == 0)
        continue;
      who = who == 0 ? id : who;
      if (object->depth > 0 && is_on_core (term, object->core))
        return;
    }

  if (time >= due)
    {
      silence->is_told = TRUE;
      fire (self, i, who, has_fired);
    }
  else
    self->next_wait = MIN (self->next_wait, due);
}

/* What is over at @time, before the event of that time has its effect. */
static void
look_at_waits (TsTrigger *self,
               gint64 time,
               gboolean *has_fired)
{
  self->next_wait = G_MAXINT64;
  for (guint i = 0; i < self->terms->len; i++)
    if (get_term (self, i)->type == TS_TRIGGER_DURATION)
      look_at_slices (self, i, time, has_fired);
    else if (get_term (self, i)->type == TS_TRIGGER_SILENCE)
      look_at_silence (self, i, time, has_fired);
}

/* Something of @object was heard on @core. */
static void
hear (TsTrigger *self,
      const Object *object,
      guint core,
      gint64 time)
{
  for (guint i = 0; i < self->terms->len; i++)
    if ((object->lane_terms >> i & 1) != 0 && get_term (self, i)->type == TS_TRIGGER_SILENCE
        && is_on_core (get_term (self, i), core))
      {
        self->silences[i].heard = time;
        self->silences[i].is_told = FALSE;
        self->next_wait = MIN (self->next_wait, time + self->wait_ticks[i]);
      }
}

static void
enter (TsTrigger *self,
       Object *object,
       guint core,
       gint64 time)
{
  if (object->depth++ > 0)
    return;

  object->begin = time;
  object->core = (guint8) core;
  object->told_terms = 0;
  for (guint i = 0; i < self->terms->len; i++)
    if ((object->lane_terms >> i & 1) != 0)
      self->next_wait = MIN (self->next_wait, time + self->wait_ticks[i]);
}

static void
leave (TsTrigger *self,
       Object *object,
       gint64 time)
{
  if (object->depth == 0 || --object->depth > 0)
    return;

  hear (self, object, object->core, time);
}

static void
switch_task (TsTrigger *self,
             const TsEvent *event,
             Object *object)
{
  guint32 *running = &self->running[event->core];

  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      if (*running != 0 && *running != event->object)
        {
          Object *other = &g_array_index (self->objects, Object, *running);

          if (other->core == event->core)
            leave (self, other, event->time);
        }
      if (object->depth == 0)
        enter (self, object, event->core, event->time);
      else
        object->core = event->core;
      *running = event->object;
    }
  else
    {
      leave (self, object, event->time);
      if (*running == event->object)
        *running = 0;
    }
}

/* After a loss nobody knows what was left meanwhile: slices begin anew. */
static void
forget_core (TsTrigger *self,
             guint core,
             gint64 time)
{
  for (guint32 id = 1; id < self->objects->len; id++)
    {
      Object *object = &g_array_index (self->objects, Object, id);

      if (object->core == core)
        object->depth = 0;
    }
  self->running[core] = 0;
  for (guint i = 0; i < self->terms->len; i++)
    if (is_on_core (get_term (self, i), core))
      self->silences[i] = (Silence){ .heard = time };
  self->next_wait = G_MININT64;
}

/* Slices begin and end, lanes are heard. */
static void
follow (TsTrigger *self,
        const TsEvent *event)
{
  Object *object;
  gboolean is_begin = (event->flags & TS_EVENT_FLAG_START) != 0;
  gboolean is_end = (event->flags & TS_EVENT_FLAG_END) != 0;

  if (event->kind == TS_EVENT_DATA_LOSS || event->kind == TS_EVENT_SESSION_START)
    {
      forget_core (self, event->core, event->time);
      return;
    }
  if (event->object == 0)
    return;

  object = get_object (self, event->object);
  if ((object->lane_terms & self->wait_terms) == 0 && event->kind != TS_EVENT_TASK_SWITCH)
    return;

  switch ((TsEventKind) event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
      switch_task (self, event, object);
      break;

    case TS_EVENT_DWT_EXC:
      is_begin = event->value == EXCEPTION_ENTERED;
      is_end = event->value == EXCEPTION_EXITED;
      break;

    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
      is_begin = event->value != 0 && object->depth == 0;
      is_end = event->value == 0;
      break;

    case TS_EVENT_ISR:
    case TS_EVENT_USER_EVENT:
    case TS_EVENT_FUNCTION:
      break;

    default:
      is_begin = is_end = FALSE;
      break;
    }

  if (event->kind != TS_EVENT_TASK_SWITCH)
    {
      if (is_begin)
        enter (self, object, event->core, event->time);
      else if (is_end)
        leave (self, object, event->time);
    }
  if (!ts_event_kind_is_host_made (event->kind))
    hear (self, object, event->core, event->time);
}

/* ---- events ---- */

static gboolean
compare (TsTriggerCompare how,
         double value,
         double number)
{
  switch (how)
    {
    case TS_COMPARE_ABOVE:
      return value > number;
    case TS_COMPARE_AT_LEAST:
      return value >= number;
    case TS_COMPARE_BELOW:
      return value < number;
    case TS_COMPARE_AT_MOST:
      return value <= number;
    case TS_COMPARE_EQUAL:
      return value >= number && value <= number;
    case TS_COMPARE_DIFFERENT:
      return value < number || value > number;
    case TS_COMPARE_NONE:
    default:
      return TRUE;
    }
}

static gboolean
meets (TsTrigger *self,
       guint i,
       const TsEvent *event,
       Object *object)
{
  const TsTriggerTerm *term = get_term (self, i);
  guint16 bit = (guint16) (1u << i);
  gboolean is_met, was_met;

  if (!is_on_core (term, event->core))
    return FALSE;
  if (term->kinds != NULL
      && (event->kind >= TS_TRIGGER_N_KINDS
          || (term->kinds[event->kind] & ts_event_get_side (event)) == 0))
    return FALSE;
  if (term->words != NULL
      && (ts_event_get_text_id (event) == 0
          || !g_hash_table_contains (self->strings[i],
                                     GUINT_TO_POINTER (ts_event_get_text_id (event)))))
    return FALSE;
  if (term->compare == TS_COMPARE_NONE)
    return TRUE;
  if ((event->flags & TS_EVENT_FLAG_FLOAT) == 0
      && (event->kind >= TS_TRIGGER_N_KINDS || self->n_operands[event->kind] == 0))
    return FALSE;

  is_met = compare (term->compare, ts_event_get_double (event), term->number);
  was_met = (object->met_terms & bit) != 0;
  object->met_terms = (guint16) (is_met ? object->met_terms | bit : object->met_terms & ~bit);

  return is_met
         && (!was_met || term->compare == TS_COMPARE_EQUAL
             || term->compare == TS_COMPARE_DIFFERENT);
}

static gboolean
take_event (TsTrigger *self,
            const TsEvent *event)
{
  gboolean has_fired = FALSE;
  Object *object;
  guint16 terms;

  if (self->wait_terms != 0)
    {
      if (!self->has_begun)
        for (guint i = 0; i < self->terms->len; i++)
          self->silences[i].heard = event->time;
      self->has_begun = TRUE;
      if (event->time >= self->next_wait)
        look_at_waits (self, event->time, &has_fired);
      follow (self, event);
    }

  object = get_object (self, event->object);
  terms = object->lane_terms & self->event_terms;
  for (guint i = 0; terms != 0; i++, terms >>= 1)
    if ((terms & 1) != 0 && meets (self, i, event, object))
      fire (self, i, event->object, &has_fired);

  return has_fired;
}

/**
 * ts_trigger_find:
 * @self: a trigger
 * @events: (array length=n_events): events, in order of time
 * @n_events: how many
 *
 * Takes events in until one fires: that one is the last taken in. To go on, give those after it.
 *
 * Thread: owner
 *
 * Returns: its place, @n_events if none fires
 */
gsize
ts_trigger_find (TsTrigger *self,
                 const TsEvent *events,
                 gsize n_events)
{
  g_return_val_if_fail (self != NULL, n_events);

  for (gsize i = 0; i < n_events; i++)
    if (take_event (self, &events[i]))
      return i;

  return n_events;
}

/**
 * ts_trigger_wait:
 * @self: a trigger
 * @time: a time up to which no event has come
 *
 * Whether a slice has become too long, or a silence, although nothing arrives.
 *
 * Thread: owner
 *
 * Returns: %TRUE if it fires
 */
gboolean
ts_trigger_wait (TsTrigger *self,
                 gint64 time)
{
  gboolean has_fired = FALSE;

  g_return_val_if_fail (self != NULL, FALSE);

  if (self->has_begun && time >= self->next_wait)
    look_at_waits (self, time, &has_fired);

  return has_fired;
}

/**
 * ts_trigger_get_reason:
 * @self: a trigger
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): the alternative that fired last, as it was written
 */
const char *
ts_trigger_get_reason (TsTrigger *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->reason >= 0 ? get_term (self, (guint) self->reason)->text : NULL;
}

/**
 * ts_trigger_get_object:
 * @self: a trigger
 *
 * Thread: owner
 *
 * Returns: the object it fired for, 0: none
 */
guint32
ts_trigger_get_object (TsTrigger *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->reason_object;
}

/* ---- actions ---- */

static const char *const action_names[] = { "stop", "rearm", "mark" };

/**
 * ts_trigger_action_get_name:
 * @action: an action
 *
 * Thread: any
 *
 * Returns: (transfer none): its name, as in a connection file
 */
const char *
ts_trigger_action_get_name (TsTriggerAction action)
{
  g_return_val_if_fail (action < G_N_ELEMENTS (action_names), NULL);

  return action_names[action];
}

/**
 * ts_trigger_action_from_name:
 * @name: (nullable): a name
 * @action: (out): the action
 *
 * Thread: any
 *
 * Returns: whether there is such an action
 */
gboolean
ts_trigger_action_from_name (const char *name,
                             TsTriggerAction *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (action_names); i++)
    if (g_strcmp0 (action_names[i], name) == 0)
      {
        *action = (TsTriggerAction) i;
        return TRUE;
      }

  return FALSE;
}
