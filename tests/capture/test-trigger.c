/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-trigger.c: trigger expressions, and finding where they fire, against a naive reading of the
 * whole past at every event. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "capture/ts-trigger.h"

/* ---- expressions ---- */

static void
test_expressions (void)
{
  static const char *const good[] = {
    "kind:isr_enter",
    "KIND:queue,mutex",
    "lane:Ctrl",
    "lane:\"Ctrl task\" value>80",
    "value>=-2.5e3",
    "value!=0",
    "core=1 kind:queue",
    "core:0",
    "lane:ISR:SysTick dur>20us",
    "lane:task:Ctrl silent>=1.5s",
    "lane:Ctrl and dur>5ms",
    "loss",
    "loss or kind:heap_fail or text:overrun",
    "text:\"stack overflow\" lane:log",
    NULL,
  };
  static const struct
  {
    const char *text;
    const char *place;
    const char *word;
  } bad[] = {
    { "", "character 1:", "missing" },
    { "   ", "character 1:", "missing" },
    { "kind:queues", "character 6:", "no kind" },
    { "kind:queue,nothing", "character 6:", "nothing" },
    { "vlue>3", "character 1:", "“value”" },
    { "lane:Ctrl vlaue>3", "character 11:", "“value”" },
    { "lane:Ctrl value>three", "character 17:", "no number" },
    { "lane:Ctrl value", "character 16:", "comparison" },
    { "value>1e999", "character 7:", "no number" },
    { "dur>5ms", "character 1:", "lane" },
    { "lane:Ctrl dur>5", "character 15:", "no time" },
    { "lane:Ctrl dur>0ms", "character 15:", "no time" },
    { "lane:Ctrl dur>.ms", "character 15:", "no time" },
    { "lane:Ctrl dur>1.2.3ms", "character 15:", "no time" },
    { "lane:Ctrl dur>99999999999999999999s", "character 15:", "no time" },
    { "lane:Ctrl dur<5ms", "character 11:", ">" },
    { "lane:Ctrl dur>1ms silent>1ms", "character 19:", "“or”" },
    { "lane:Ctrl silent>1ms kind:queue", "character 1:", "silent" },
    { "lane:A lane:B", "character 8:", "“or”" },
    { "value>1 value<2", "character 9:", "once" },
    { "core=256", "character 1:", "255" },
    { "core=1.5", "character 1:", "whole" },
    { "core>1", "character 1:", "whole" },
    { "lane:", "character 6:", "name" },
    { "lane", "character 1:", "colon" },
    { "lane:Ctrl or", "character 1:", "missing" },
    { "or lane:Ctrl", "character 1:", "missing" },
    { "lane:Ctrl or or loss", "character 14:", "missing" },
    { "lane:Ctrl and", "character 1:", "missing" },
    { "and loss", "character 1:", "“and”" },
    { "lane:\"Ctrl", "character 6:", "quote" },
    { "lane:Grün vlue>3", "character 11:", "“value”" },
    { "loss:3", "character 1:", "no condition" },
  };

  for (guint i = 0; good[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TsTrigger) trigger = ts_trigger_new (good[i], &error);

      g_assert_no_error (error);
      g_assert_nonnull (trigger);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ts_trigger_new (bad[i].text, &error));
      g_test_message ("%s -> %s", bad[i].text, error->message);
      g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
      g_assert_nonnull (strstr (error->message, bad[i].place));
      g_assert_nonnull (strstr (error->message, bad[i].word));
    }
}

/* Seventeen alternatives are one too many, and so are 1025 bytes. */
static void
test_limits (void)
{
  g_autoptr (GString) text = g_string_new ("loss");
  g_autoptr (TsTrigger) most = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < 16; i++)
    g_string_append (text, " or loss");
  most = ts_trigger_new (text->str, &error);
  g_assert_no_error (error);
  g_string_append (text, " or loss");
  g_assert_null (ts_trigger_new (text->str, &error));
  g_assert_nonnull (strstr (error->message, "16"));
  g_clear_error (&error);

  g_string_assign (text, "lane:");
  for (guint i = 0; i < 1020; i++)
    g_string_append_c (text, 'x');
  g_string_truncate (text, 1024);
  g_clear_pointer (&most, ts_trigger_free);
  most = ts_trigger_new (text->str, &error);
  g_assert_no_error (error);
  g_string_append_c (text, 'x');
  g_assert_null (ts_trigger_new (text->str, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);
  g_assert_null (ts_trigger_new ("lane:\xff", &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
}

/* ---- single cases ---- */

#define HZ 1000000 /* a tick is a microsecond */

typedef struct
{
  TsObjectType type;
  const char *name;
} ObjectSpec;

/* Id of an object is its place here and 1. */
static const ObjectSpec object_specs[] = {
  { TS_OBJECT_TASK, "A" },       { TS_OBJECT_TASK, "B" },        { TS_OBJECT_ISR, "Tick" },
  { TS_OBJECT_USER_EVENT, "f" }, { TS_OBJECT_USER_TRACE, "temp" }, { TS_OBJECT_QUEUE, "q" },
  { TS_OBJECT_TASK, "A" },       { TS_OBJECT_USER_TOGGLE, "led" },
};
#define N_OBJECTS G_N_ELEMENTS (object_specs)

static TsTrigger *
make_trigger (const char *expression)
{
  g_autoptr (GError) error = NULL;
  TsTrigger *trigger = ts_trigger_new (expression, &error);

  g_assert_no_error (error);
  ts_trigger_set_clock (trigger, HZ);
  for (guint i = 0; i < N_OBJECTS; i++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.id = i + 1;
      object.type = object_specs[i].type;
      object.name = (char *) object_specs[i].name;
      ts_trigger_set_object (trigger, &object);
    }
  ts_trigger_set_string (trigger, 1, "Buffer OVERRUN in DMA");
  ts_trigger_set_string (trigger, 2, "fine");

  return trigger;
}

/* Where @expression fires, as a text such as "2 5". */
static char *
find_all (const char *expression,
          const TsEvent *events,
          gsize n_events)
{
  g_autoptr (TsTrigger) trigger = make_trigger (expression);
  GString *places = g_string_new (NULL);

  for (gsize at = 0; at < n_events; at++)
    {
      at += ts_trigger_find (trigger, events + at, n_events - at);
      if (at < n_events)
        g_string_append_printf (places, "%s%" G_GSIZE_FORMAT, places->len > 0 ? " " : "", at);
    }

  return g_string_free (places, FALSE);
}

#define SWITCH_IN(time_, object_)                                                                  \
  { .time = time_, .object = object_, .kind = TS_EVENT_TASK_SWITCH, .flags = TS_EVENT_FLAG_START }
#define SWITCH_OUT(time_, object_)                                                                 \
  { .time = time_, .object = object_, .kind = TS_EVENT_TASK_SWITCH, .flags = TS_EVENT_FLAG_END }
#define VALUE(time_, value_)                                                                       \
  { .time = time_, .object = 5, .kind = TS_EVENT_USER_TRACE, .value = value_ }

static void
test_cases (void)
{
  static const TsEvent events[] = {
    SWITCH_IN (0, 1),                                                        /* 0 */
    VALUE (1000, 79),                                                        /* 1 */
    VALUE (2000, 81),                                                        /* 2 */
    VALUE (3000, 90),                                                        /* 3 */
    SWITCH_OUT (5000, 1),                                                    /* 4 */
    SWITCH_IN (5001, 2),                                                     /* 5 */
    VALUE (6000, 80),                                                        /* 6 */
    VALUE (7000, 81),                                                        /* 7 */
    { .time = 8000, .kind = TS_EVENT_DATA_LOSS, .value = 3 },                /* 8 */
    { .time = 9000,
      .kind = TS_EVENT_STRING,
      .flags = TS_EVENT_FLAG_TEXT,
      .detail = G_GINT64_CONSTANT (1) << 32 },                               /* 9 */
    SWITCH_IN (20000, 1),                                                    /* 10 */
    { .time = 26000, .object = 6, .kind = TS_EVENT_HEAP, .value = 81 },     /* 11 */
    { .time = 27000, .object = 6, .kind = TS_EVENT_HEAP, .value = 82 },     /* 12 */
  };
  static const struct
  {
    const char *expression;
    const char *places;
  } cases[] = {
    { "lane:temp value>80", "2 7" },      /* where it rises above */
    { "lane:temp value<80", "1" },
    { "lane:temp value=81", "2 7" },      /* each of them */
    { "value>80", "2 7 11" },             /* each channel for itself */
    { "lane:q value!=81", "12" },
    { "kind:task_in lane:A", "0 10" },
    { "kind:task_out", "4" },
    { "loss", "8" },
    { "text:overrun", "9" },
    { "text:fine", "" },
    { "lane:A dur>=5ms", "4 11" },        /* exactly 5 ms; then 6 ms, without waiting for the end */
    { "lane:A dur>5ms", "11" },
    { "lane:B dur>3ms", "" },             /* the loss takes away what was known */
    { "lane:A silent>11ms", "10" },       /* heard at 5 ms, loss at 8 ms */
    { "lane:A silent>12ms", "" },
    { "lane:B silent>=12ms", "10" },      /* the loss at 8 ms, then nothing */
    { "lane:nobody silent>5ms", "5 10" }, /* never heard: since the beginning, and since the loss */
    { "lane:nobody", "" },
    { "core=1", "" },
    { "loss or kind:task_out", "4 8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *places = find_all (cases[i].expression, events, G_N_ELEMENTS (events));

      g_test_message ("%s", cases[i].expression);
      g_assert_cmpstr (places, ==, cases[i].places);
    }
}

/* Without events time goes on all the same. */
static void
test_wait (void)
{
  static const TsEvent events[] = { SWITCH_IN (0, 1), SWITCH_OUT (1000, 1), SWITCH_IN (1000, 2) };
  g_autoptr (TsTrigger) silent = make_trigger ("lane:A silent>10ms");
  g_autoptr (TsTrigger) lasts = make_trigger ("lane:B dur>10ms or loss");

  g_assert_false (ts_trigger_wait (silent, 1000000)); /* nothing has come at all */
  g_assert_cmpuint (ts_trigger_find (silent, events, 3), ==, 3);
  g_assert_false (ts_trigger_wait (silent, 11000));
  g_assert_true (ts_trigger_wait (silent, 11001));
  g_assert_false (ts_trigger_wait (silent, 50000)); /* once for each silence */
  g_assert_cmpstr (ts_trigger_get_reason (silent), ==, "lane:A silent>10ms");
  g_assert_cmpuint (ts_trigger_get_object (silent), ==, 1);

  g_assert_cmpuint (ts_trigger_find (lasts, events, 3), ==, 3);
  g_assert_false (ts_trigger_wait (lasts, 11000));
  g_assert_true (ts_trigger_wait (lasts, 11001));
  g_assert_cmpstr (ts_trigger_get_reason (lasts), ==, "lane:B dur>10ms");
  g_assert_cmpuint (ts_trigger_get_object (lasts), ==, 2);

  /* ten times the clock: a tenth of the time */
  ts_trigger_set_clock (silent, 10 * HZ);
  g_assert_cmpuint (ts_trigger_find (silent, &(TsEvent) SWITCH_IN (60000, 1), 1), ==, 1);
  g_assert_cmpuint (ts_trigger_find (silent, &(TsEvent) SWITCH_OUT (60000, 1), 1), ==, 1);
  g_assert_false (ts_trigger_wait (silent, 160000));
  g_assert_true (ts_trigger_wait (silent, 160001));
}

/* ---- against a naive reading ---- */

#define N_EVENTS 160

typedef enum
{
  ABOVE,
  AT_LEAST,
  BELOW,
  AT_MOST,
  EQUAL,
  DIFFERENT,
  N_COMPARES
} Compare;

static const char *const signs[] = { ">", ">=", "<", "<=", "=", "!=" };

/* One alternative, made at random. */
typedef struct
{
  enum
  {
    EVENT,
    DURATION,
    SILENCE
  } type;
  const char *lane; /* nullable */
  int kind;         /* -1: any */
  int side;         /* 0 any, 1 in, 2 out: of ISR and TASK_SWITCH */
  int core;         /* -1: any */
  gboolean has_value;
  Compare compare;
  int number;
  gboolean has_text;
  gint64 wait;
  gboolean or_equal;
} Spec;

static const char *const lanes[] = { "A", "B", "ISR:Tick", "Fn:f", "temp", "q", "led", "nobody" };

static Spec
random_spec (GRand *rand)
{
  Spec spec = { .kind = -1, .core = -1 };

  spec.type = g_rand_int_range (rand, 0, 3);
  if (spec.type != EVENT || g_rand_boolean (rand))
    spec.lane = lanes[g_rand_int_range (rand, 0, G_N_ELEMENTS (lanes))];
  if (g_rand_int_range (rand, 0, 4) == 0)
    spec.core = g_rand_int_range (rand, 0, 2);
  if (spec.type != EVENT)
    {
      spec.wait = g_rand_int_range (rand, 1, 60);
      spec.or_equal = g_rand_boolean (rand);
      return spec;
    }
  if (g_rand_boolean (rand))
    {
      static const int kinds[] = { TS_EVENT_TASK_SWITCH, TS_EVENT_ISR, TS_EVENT_USER_EVENT,
                                   TS_EVENT_USER_TRACE, TS_EVENT_QUEUE, TS_EVENT_USER_TOGGLE };

      spec.kind = kinds[g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds))];
      if (spec.kind == TS_EVENT_ISR || spec.kind == TS_EVENT_TASK_SWITCH)
        spec.side = g_rand_int_range (rand, 0, 3);
    }
  spec.has_value = g_rand_boolean (rand);
  spec.compare = (Compare) g_rand_int_range (rand, 0, N_COMPARES);
  spec.number = g_rand_int_range (rand, -2, 4);
  spec.has_text = g_rand_int_range (rand, 0, 5) == 0;

  return spec;
}

static void
append_spec (GString *text,
             const Spec *spec)
{
  if (text->len > 0)
    g_string_append (text, " or ");
  if (spec->lane != NULL)
    g_string_append_printf (text, "lane:%s ", spec->lane);
  if (spec->core >= 0)
    g_string_append_printf (text, "core=%d ", spec->core);
  if (spec->kind == TS_EVENT_ISR && spec->side != 0)
    g_string_append_printf (text, "kind:isr_%s ", spec->side == 1 ? "enter" : "exit");
  else if (spec->kind == TS_EVENT_TASK_SWITCH && spec->side != 0)
    g_string_append_printf (text, "kind:task_%s ", spec->side == 1 ? "in" : "out");
  else if (spec->kind >= 0)
    g_string_append_printf (text, "kind:%s ", ts_event_kind_get_name (spec->kind));
  if (spec->has_value)
    g_string_append_printf (text, "value%s%d ", signs[spec->compare], spec->number);
  if (spec->has_text)
    g_string_append (text, "text:overrun ");
  if (spec->type != EVENT)
    g_string_append_printf (text, "%s%s%" G_GINT64_FORMAT "us ",
                            spec->type == DURATION ? "dur" : "silent", spec->or_equal ? ">=" : ">",
                            spec->wait);
  else if (!spec->has_value && !spec->has_text && spec->kind < 0 && spec->lane == NULL
           && spec->core < 0)
    g_string_append (text, "loss ");
}

static gboolean
lane_is (const Spec *spec,
         guint32 object)
{
  static const char *const of_object[] = { "A", "B", "ISR:Tick", "Fn:f", "temp", "q", "A", "led" };

  return spec->lane == NULL || (object > 0 && strcmp (of_object[object - 1], spec->lane) == 0);
}

/* What a slow reader knows after the first @n events. */
typedef struct
{
  int depth[N_OBJECTS + 1];
  gsize opened[N_OBJECTS + 1]; /* event that opened it */
  guint core[N_OBJECTS + 1];
  guint32 running[2];
  gsize heard; /* event at which the lane was last heard, or the first */
} Past;

static void
past_close (Past *past,
            const Spec *spec,
            guint32 object,
            gsize at)
{
  if (past->depth[object] == 0 || --past->depth[object] > 0)
    return;
  if (lane_is (spec, object) && (spec->core < 0 || spec->core == (int) past->core[object]))
    past->heard = at;
}

static void
past_open (Past *past,
           guint32 object,
           guint core,
           gsize at)
{
  if (past->depth[object]++ == 0)
    {
      past->opened[object] = at;
      past->core[object] = core;
    }
}

static void
read_past (Past *past,
           const Spec *spec,
           const TsEvent *events,
           gsize n)
{
  memset (past, 0, sizeof *past);
  for (gsize i = 0; i < n; i++)
    {
      const TsEvent *event = &events[i];
      gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
      guint32 object = event->object;

      if (event->kind == TS_EVENT_DATA_LOSS)
        {
          for (guint32 id = 1; id <= N_OBJECTS; id++)
            if (past->core[id] == event->core)
              past->depth[id] = 0;
          past->running[event->core] = 0;
          if (spec->core < 0 || spec->core == event->core)
            past->heard = i;
          continue;
        }
      if (object == 0)
        continue;

      if (event->kind == TS_EVENT_TASK_SWITCH && is_start)
        {
          guint32 other = past->running[event->core];

          if (other != 0 && other != object && past->core[other] == event->core)
            past_close (past, spec, other, i);
          if (past->depth[object] == 0)
            past_open (past, object, event->core, i);
          past->core[object] = event->core;
          past->running[event->core] = object;
        }
      else if (event->kind == TS_EVENT_TASK_SWITCH)
        {
          past_close (past, spec, object, i);
          if (past->running[event->core] == object)
            past->running[event->core] = 0;
        }
      else if (event->kind == TS_EVENT_ISR || event->kind == TS_EVENT_USER_EVENT)
        {
          if (is_start)
            past_open (past, object, event->core, i);
          else
            past_close (past, spec, object, i);
        }
      else if (event->kind == TS_EVENT_USER_TOGGLE && event->value != 0)
        {
          if (past->depth[object] == 0)
            past_open (past, object, event->core, i);
        }
      else if (event->kind == TS_EVENT_USER_TOGGLE)
        past_close (past, spec, object, i);

      if (lane_is (spec, object) && (spec->core < 0 || spec->core == event->core))
        past->heard = i;
    }
}

static gboolean
is_over (const Spec *spec,
         gint64 ticks)
{
  return spec->or_equal ? ticks >= spec->wait : ticks > spec->wait;
}

static gboolean
value_meets (const Spec *spec,
             gint64 value)
{
  const gboolean all[] = { value > spec->number,  value >= spec->number, value < spec->number,
                           value <= spec->number, value == spec->number, value != spec->number };

  return all[spec->compare];
}

/* All but the value. */
static gboolean
passes (const Spec *spec,
        const TsEvent *event)
{
  gboolean is_loss_only = spec->lane == NULL && spec->kind < 0 && spec->core < 0
                          && !spec->has_value && !spec->has_text;
  int side = (event->flags & TS_EVENT_FLAG_START) != 0 ? 1
             : (event->flags & TS_EVENT_FLAG_END) != 0 ? 2
                                                       : 0;

  if (is_loss_only)
    return event->kind == TS_EVENT_DATA_LOSS;
  return lane_is (spec, event->object) && (spec->core < 0 || spec->core == event->core)
         && (spec->kind < 0 || spec->kind == event->kind)
         && (spec->side == 0 || spec->side == side)
         && (!spec->has_text
             || ((event->flags & TS_EVENT_FLAG_TEXT) != 0 && event->detail >> 32 == 1));
}

static gboolean
has_value (const TsEvent *event)
{
  return ts_event_kind_get_n_operands (event->kind) > 0;
}

static gboolean
fires (const Spec *spec,
       const TsEvent *events,
       gsize at)
{
  Past past;

  if (spec->type == EVENT)
    {
      if (!passes (spec, &events[at]))
        return FALSE;
      if (!spec->has_value)
        return TRUE;
      if (!has_value (&events[at]) || !value_meets (spec, events[at].value))
        return FALSE;
      if (spec->compare >= EQUAL)
        return TRUE;
      for (gsize k = at; k > 0; k--)
        if (passes (spec, &events[k - 1]) && has_value (&events[k - 1])
            && events[k - 1].object == events[at].object)
          return !value_meets (spec, events[k - 1].value);
      return TRUE;
    }

  read_past (&past, spec, events, at);
  if (spec->type == DURATION)
    {
      for (guint32 id = 1; id <= N_OBJECTS; id++)
        {
          gsize opened = past.opened[id];

          if (past.depth[id] > 0 && lane_is (spec, id)
              && (spec->core < 0 || spec->core == (int) past.core[id])
              && is_over (spec, events[at].time - events[opened].time)
              && (opened == at - 1
                  || !is_over (spec, events[at - 1].time - events[opened].time)))
            return TRUE;
        }
      return FALSE;
    }

  if (at == 0)
    return FALSE;
  for (guint32 id = 1; id <= N_OBJECTS; id++)
    if (past.depth[id] > 0 && lane_is (spec, id)
        && (spec->core < 0 || spec->core == (int) past.core[id]))
      return FALSE;

  return is_over (spec, events[at].time - events[past.heard].time)
         && (past.heard == at - 1
             || !is_over (spec, events[at - 1].time - events[past.heard].time));
}

static void
make_events (GRand *rand,
             TsEvent *events)
{
  gint64 time = g_rand_int_range (rand, 0, 100);

  for (guint i = 0; i < N_EVENTS; i++)
    {
      TsEvent *event = &events[i];
      guint32 object = (guint32) g_rand_int_range (rand, 0, N_OBJECTS + 1);

      time += g_rand_int_range (rand, 0, 20);
      *event = (TsEvent){ .time = time, .object = object };
      /* an object stays on its core: what moves between two is told apart by the tracker only */
      event->core = object == 2 || object == 7;
      event->flags = g_rand_boolean (rand) ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
      event->value = g_rand_int_range (rand, -3, 5);
      switch (object)
        {
        case 0:
          event->kind = TS_EVENT_DATA_LOSS;
          event->core = (guint8) g_rand_int_range (rand, 0, 2);
          event->flags = TS_EVENT_FLAG_SYNTHETIC;
          break;
        case 3:
          event->kind = TS_EVENT_ISR;
          break;
        case 4:
          event->kind = TS_EVENT_USER_EVENT;
          break;
        case 5:
          event->kind = TS_EVENT_USER_TRACE;
          event->flags = 0;
          if (g_rand_boolean (rand))
            {
              event->flags = TS_EVENT_FLAG_TEXT;
              event->detail = (gint64) g_rand_int_range (rand, 1, 3) << 32;
            }
          break;
        case 6:
          event->kind = g_rand_boolean (rand) ? TS_EVENT_QUEUE : TS_EVENT_HEAP;
          break;
        case 8:
          event->kind = TS_EVENT_USER_TOGGLE;
          event->flags = 0;
          event->value = g_rand_boolean (rand);
          break;
        default:
          event->kind = TS_EVENT_TASK_SWITCH;
          break;
        }
    }
}

static void
test_brute_force (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint n_fired = 0, n_silent = 0, n_lasted = 0;

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 400; round++)
    {
      Spec specs[3];
      guint n_specs = (guint) g_rand_int_range (rand, 1, 4);
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *found = NULL;
      g_autoptr (GString) expected = g_string_new (NULL);
      TsEvent events[N_EVENTS];

      make_events (rand, events);
      for (guint i = 0; i < n_specs; i++)
        {
          specs[i] = random_spec (rand);
          append_spec (text, &specs[i]);
        }
      for (gsize at = 0; at < N_EVENTS; at++)
        {
          gboolean does = FALSE;

          for (guint i = 0; i < n_specs; i++)
            if (fires (&specs[i], events, at))
              {
                does = TRUE;
                n_silent += specs[i].type == SILENCE;
                n_lasted += specs[i].type == DURATION;
              }
          if (does)
            g_string_append_printf (expected, "%s%" G_GSIZE_FORMAT, expected->len > 0 ? " " : "",
                                    at);
          n_fired += does;
        }
      found = find_all (text->str, events, N_EVENTS);
      if (strcmp (found, expected->str) != 0)
        g_test_message ("round %u: %s", round, text->str);
      g_assert_cmpstr (found, ==, expected->str);
    }
  g_test_message ("fired %u times, %u for silence, %u for a duration", n_fired, n_silent, n_lasted);
  g_assert_cmpuint (n_silent, >, 100);
  g_assert_cmpuint (n_lasted, >, 100);
}

/* Any text is an expression or an error, never anything else. */
static void
test_any_text (void)
{
  static const char *const pieces[] = { "lane", ":",  "kind", "value", ">",  "=",  "5ms", "\"",
                                        " ",    "or", "and",  "dur",   "é",  "1.", "e9",  "silent",
                                        "loss", ",",  "A",    "core",  "!=", "<",  "text" };
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint n_good = 0;

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (TsTrigger) trigger = NULL;
      g_autoptr (GError) error = NULL;

      for (int n = g_rand_int_range (rand, 0, 9); n > 0; n--)
        g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
      trigger = ts_trigger_new (text->str, &error);
      g_assert_true ((trigger == NULL) == (error != NULL));
      n_good += trigger != NULL;
    }
  g_assert_cmpuint (n_good, >, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/trigger/expressions", test_expressions);
  g_test_add_func ("/capture/trigger/limits", test_limits);
  g_test_add_func ("/capture/trigger/cases", test_cases);
  g_test_add_func ("/capture/trigger/wait", test_wait);
  g_test_add_func ("/capture/trigger/brute-force", test_brute_force);
  g_test_add_func ("/capture/trigger/any-text", test_any_text);

  return g_test_run ();
}
