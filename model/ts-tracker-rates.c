/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tracker-rates.c: event counters of a core as rates: one value for every hundredth second.
 *
 * A packet tells that an 8-bit counter wrapped, so that a rate is known in steps of one wrap an
 * interval. Rates are worked out of events that are kept anyway: they are no events themselves and
 * count in no total. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include "ts-counters-private.h"
#include "ts-tracker-state-private.h"

#define INTERVALS_PER_SECOND 100
/* Longer than this no interval is, whatever clock a file tells of. */
#define MAX_WIDTH ((gint64) 1 << 50)

typedef struct
{
  guint32 id; /* of the lane */
  gint64 range;
  guint64 wraps; /* in the interval that is open */
} Rate;

/* @origin: nothing was lost since then; @begin, @width: the interval that is open; @is_lost: events
 * are missing since @begin. */
struct _TsRates
{
  GArray *rates; /* Rate by order of appearance */
  gint64 origin;
  gint64 begin;
  gint64 width;
  guint64 clock_hz;
  gboolean is_lost;
  gboolean has_value;
};

/* Source: itm-dwt.md section 2.5, the order of bits */
static const char *const names[TS_N_COUNTERS] = { "CPI", "EXC", "SLEEP", "LSU", "FOLD", "CYC" };

const char *
_ts_counter_get_name (guint counter)
{
  g_return_val_if_fail (counter < TS_N_COUNTERS, "");

  return names[counter];
}

gint64
_ts_counter_get_range (guint counter)
{
  return counter == TS_N_COUNTERS - 1 ? TS_CYC_INTERVAL : 256;
}

/**
 * ts_tracker_set_clock:
 * @self: a tracker
 * @hz: ticks per second; 0: not known
 *
 * Rates are per second of this clock, and storms of interrupts counted by it, from the next interval
 * that begins.
 *
 * Thread: owner
 */
void
ts_tracker_set_clock (TsTracker *self,
                      guint64 hz)
{
  g_return_if_fail (self != NULL);

  if (hz == 0)
    return;
  self->clock_hz = hz;
  ts_lane_store_set_clock (self->store, hz);
}

static void
add_value (TsTracker *self,
           const Rate *rate,
           gint64 begin,
           gint64 end,
           double value)
{
  TsSlice slice = { .begin = begin, .end = end, .value = value, .state = TS_STATE_POINT };

  if (end > begin)
    ts_lane_store_add_slice (self->store, rate->id, &slice);
}

/* The same for every lane. */
static void
add_values (TsTracker *self,
            gint64 begin,
            gint64 end,
            double value)
{
  TsRates *rates = self->rates;

  for (guint i = 0; i < rates->rates->len; i++)
    add_value (self, &g_array_index (rates->rates, Rate, i), begin, end, value);
}

/* The interval that is open ends. */
static void
close_interval (TsTracker *self,
                gint64 end)
{
  TsRates *rates = self->rates;

  for (guint i = 0; i < rates->rates->len; i++)
    {
      Rate *rate = &g_array_index (rates->rates, Rate, i);
      double counts = (double) rate->wraps * (double) rate->range;

      add_value (self, rate, rates->begin, end,
                 counts * (double) rates->clock_hz / (double) (end - rates->begin));
      rate->wraps = 0;
    }
  rates->begin = end;
  rates->has_value = TRUE;
}

static void
begin_intervals (TsTracker *self,
                 gint64 begin)
{
  TsRates *rates = self->rates;

  rates->origin = begin;
  rates->begin = begin;
  rates->clock_hz = self->clock_hz;
  rates->width = (gint64) MIN (rates->clock_hz / INTERVALS_PER_SECOND, (guint64) MAX_WIDTH);
  rates->width = MAX (rates->width, 1);
  rates->is_lost = FALSE;
  self->rates_due = begin + rates->width;
}

/* Closes what is over by @time. A stretch without any wrap is one slice of 0, however long. */
static void
advance (TsTracker *self,
         gint64 time)
{
  TsRates *rates = self->rates;
  gint64 quiet;

  if (time - rates->begin < rates->width)
    return;
  close_interval (self, rates->begin + rates->width);
  quiet = (time - rates->begin) / rates->width * rates->width;
  add_values (self, rates->begin, rates->begin + quiet, 0);
  rates->begin += quiet;
  self->rates_due = rates->begin + rates->width;
}

/* An event of the target came, at or after the end of the interval, or after a loss. */
void
_ts_tracker_advance_rates (TsTracker *self)
{
  TsRates *rates = self->rates;

  if (rates->is_lost)
    {
      add_values (self, rates->begin, self->now, NAN);
      begin_intervals (self, self->now);
    }
  else
    {
      advance (self, self->now);
    }
}

/* Events are missing: no rate is known from the interval that is open to the next event. */
void
_ts_tracker_forget_rates (TsTracker *self)
{
  TsRates *rates = self->rates;

  if (rates == NULL || rates->is_lost)
    return;
  rates->is_lost = TRUE;
  self->rates_due = G_MININT64;
  for (guint i = 0; i < rates->rates->len; i++)
    g_array_index (rates->rates, Rate, i).wraps = 0;
}

static Rate *
find_rate (TsTracker *self,
           const TsCore *core,
           guint counter)
{
  TsRates *rates = self->rates;
  Rate fresh = { TS_LANE_ID_COUNTER (core->index, counter), _ts_counter_get_range (counter), 0 };
  g_autofree char *name = NULL;

  for (guint i = 0; i < rates->rates->len; i++)
    if (g_array_index (rates->rates, Rate, i).id == fresh.id)
      return &g_array_index (rates->rates, Rate, i);

  name = core->index == 0 ? g_strdup_printf ("%s /s", names[counter])
                          : g_strdup_printf ("%s /s, CPU %u", names[counter], core->index);
  _ts_tracker_define_special (self, fresh.id, TS_LANE_VALUE, core->index, name);
  add_value (self, &fresh, rates->origin, rates->begin, 0);
  g_array_append_val (rates->rates, fresh);
  return &g_array_index (rates->rates, Rate, rates->rates->len - 1);
}

/* Some counters wrapped. */
void
_ts_tracker_counters (TsTracker *self,
                      const TsCore *core,
                      const TsEvent *event)
{
  if ((event->value & ((1 << TS_N_COUNTERS) - 1)) == 0
      || (event->flags & TS_EVENT_FLAG_SYNTHETIC) != 0)
    return;
  if (self->rates == NULL)
    {
      self->rates = g_new0 (TsRates, 1);
      self->rates->rates = g_array_new (FALSE, FALSE, sizeof (Rate));
      begin_intervals (self, core->span_begin >= 0 ? core->span_begin : self->now);
      advance (self, self->now);
    }
  for (guint i = 0; i < TS_N_COUNTERS; i++)
    if ((event->value >> i & 1) != 0)
      find_rate (self, core, i)->wraps++;
}

/* End of the recording. The rest of an interval counts from half of one on, or where there is
 * nothing else: what came in a few ticks is no rate. */
void
_ts_tracker_finish_rates (TsTracker *self,
                          gint64 end)
{
  TsRates *rates = self->rates;

  if (rates == NULL)
    return;
  self->rates_due = G_MAXINT64;
  if (rates->is_lost)
    {
      add_values (self, rates->begin, end, NAN);
      return;
    }
  advance (self, end);
  self->rates_due = G_MAXINT64;
  if (end > rates->begin && (!rates->has_value || end - rates->begin >= rates->width / 2))
    close_interval (self, end);
}

void
_ts_tracker_free_rates (TsTracker *self)
{
  if (self->rates == NULL)
    return;
  g_array_unref (self->rates->rates);
  g_clear_pointer (&self->rates, g_free);
}
