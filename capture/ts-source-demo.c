/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-demo.c: the demo target in real time. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-demo-target.h"
#include "ts-source-private.h"

#define STEP_US 5000
/* Most target time made at once: a machine that was asleep does not catch up hours. */
#define MAX_BEHIND_US 1000000
#define MAX_BYTES_AT_ONCE 65536

typedef struct
{
  TsSource parent;

  guint32 seed;
  guint rate;
  gboolean is_cobs;
  TsDemoTarget *target;
  GByteArray *bytes;
} Demo;

static TsSource *
demo_create (TsConnection *connection,
             GError **error)
{
  Demo *self = g_new0 (Demo, 1);

  self->parent.klass = &_ts_source_demo_class;
  self->seed = (guint32) ts_connection_get_int (connection, "demo-seed");
  self->rate = (guint) ts_connection_get_int (connection, "demo-rate");
  self->is_cobs
      = ts_connection_has (connection, "cobs") && ts_connection_get_bool (connection, "cobs");

  return &self->parent;
}

static gboolean
demo_open (TsSource *source,
           GCancellable *cancellable,
           GError **error)
{
  Demo *self = (Demo *) source;

  self->target = ts_demo_target_new (self->seed, self->rate, self->is_cobs);
  self->bytes = g_byte_array_sized_new (MAX_BYTES_AT_ONCE);

  return TRUE;
}

static gboolean
demo_run (TsSource *source,
          TsSourceEmit emit,
          gpointer user_data,
          GCancellable *cancellable,
          GError **error)
{
  Demo *self = (Demo *) source;
  gint64 start_us = g_get_monotonic_time ();

  for (gint64 due_us = STEP_US;; due_us += STEP_US)
    {
      gint64 now_us = g_get_monotonic_time () - start_us;
      gsize n;

      if (now_us - due_us > MAX_BEHIND_US)
        {
          start_us += now_us - due_us;
          now_us = due_us;
        }
      /* in small waits, so that a stop is not noticed late; a step that is due already is not
       * waited for */
      while (now_us < due_us)
        {
          if (_ts_source_wait (-1, (int) ((due_us - now_us + 999) / 1000), cancellable, NULL)
              == TS_WAIT_CANCELLED)
            return TRUE;
          now_us = g_get_monotonic_time () - start_us;
        }
      if (g_cancellable_is_cancelled (cancellable))
        return TRUE;

      do
        {
          g_byte_array_set_size (self->bytes, 0);
          n = ts_demo_target_run (self->target, due_us, MAX_BYTES_AT_ONCE, self->bytes);
          if (n > 0)
            emit (0, g_get_monotonic_time (), self->bytes->data, self->bytes->len, user_data);
        }
      while (n > 0 && ts_demo_target_get_time_us (self->target) < due_us
             && !g_cancellable_is_cancelled (cancellable));
    }
}

static char *
demo_describe (TsSource *source)
{
  Demo *self = (Demo *) source;

  return g_strdup_printf (_("Demo target, %u events/s"), self->rate);
}

static const char *
demo_format (TsSource *source)
{
  return ((Demo *) source)->is_cobs ? "va-cobs" : "va";
}

static void
demo_free (TsSource *source)
{
  Demo *self = (Demo *) source;

  g_clear_pointer (&self->target, ts_demo_target_free);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_free (self);
}

const TsSourceClass _ts_source_demo_class = {
  .transport = "demo",
  .create = demo_create,
  .open = demo_open,
  .run = demo_run,
  .describe = demo_describe,
  .format = demo_format,
  .lossless = TRUE,
  .free = demo_free,
};
