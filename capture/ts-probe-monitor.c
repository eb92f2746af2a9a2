/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe-monitor.c: tells when probes are plugged in and unplugged. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#ifdef TS_HAVE_LIBUSB
#include <libusb.h>
#endif

#include "ts-probe-monitor.h"

/* A composite device comes up piece by piece, and permissions come with it. */
#define SETTLE_MS 150
/* Without notices from USB: how often to look. */
#define POLL_MS 2000
#define WAIT_MS 60000

/*
 * What the thread and the monitor share; whoever lets go last frees it. @is_stopping and @is_dirty
 * are atomic, the rest does not change while the thread runs.
 */
typedef struct
{
#ifdef TS_HAVE_LIBUSB
  libusb_context *usb;
#endif
  gboolean has_notices;
  GMainContext *context;
  GWeakRef monitor;
  int is_stopping;
  int is_dirty;
} Watch;

struct _TsProbeMonitor
{
  GObject parent_instance;
  Watch *watch;
  GPtrArray *probes;
  gboolean is_ready;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsProbeMonitor, ts_probe_monitor, G_TYPE_OBJECT)

static void
watch_clear (Watch *watch)
{
#ifdef TS_HAVE_LIBUSB
  if (watch->usb != NULL)
    libusb_exit (watch->usb);
#endif
  g_weak_ref_clear (&watch->monitor);
  g_main_context_unref (watch->context);
}

static void
watch_unref (Watch *watch)
{
  g_atomic_rc_box_release_full (watch, (GDestroyNotify) watch_clear);
}

static gboolean
is_same (const TsProbeInfo *a,
         const TsProbeInfo *b)
{
  return g_strcmp0 (a->type, b->type) == 0 && g_strcmp0 (a->serial, b->serial) == 0
         && g_strcmp0 (a->description, b->description) == 0
         && g_strcmp0 (a->problem, b->problem) == 0 && a->vid == b->vid && a->pid == b->pid;
}

static gboolean
is_same_list (const GPtrArray *a,
              const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!is_same (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;

  return TRUE;
}

/* ---- in the context of the monitor ---- */

typedef struct
{
  Watch *watch;
  GPtrArray *probes;
} Found;

static void
found_free (Found *found)
{
  watch_unref (found->watch);
  g_ptr_array_unref (found->probes);
  g_free (found);
}

static gboolean
on_found (gpointer user_data)
{
  Found *found = user_data;
  g_autoptr (TsProbeMonitor) self = g_weak_ref_get (&found->watch->monitor);

  if (self == NULL || (self->is_ready && is_same_list (self->probes, found->probes)))
    return G_SOURCE_REMOVE;

  g_ptr_array_unref (self->probes);
  self->probes = g_ptr_array_ref (found->probes);
  self->is_ready = TRUE;
  g_signal_emit (self, signals[CHANGED], 0);

  return G_SOURCE_REMOVE;
}

/* ---- in the thread ---- */

static void
look (Watch *watch)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  Found *found = g_new0 (Found, 1);

  g_atomic_int_set (&watch->is_dirty, FALSE);
  found->watch = g_atomic_rc_box_acquire (watch);
  found->probes = ts_probe_list (warnings);
  g_main_context_invoke_full (watch->context, G_PRIORITY_DEFAULT, on_found, found,
                              (GDestroyNotify) found_free);
}

#ifdef TS_HAVE_LIBUSB
static int
on_usb_change (libusb_context *usb,
               libusb_device *device,
               libusb_hotplug_event event,
               void *user_data)
{
  Watch *watch = user_data;

  g_atomic_int_set (&watch->is_dirty, TRUE);

  return 0;
}

static void
wait_for_usb (Watch *watch,
              guint milliseconds)
{
  struct timeval timeout = { milliseconds / 1000, (long) (milliseconds % 1000) * 1000 };

  (void) libusb_handle_events_timeout_completed (watch->usb, &timeout, &watch->is_stopping);
}

static gpointer
watch_thread (gpointer user_data)
{
  Watch *watch = user_data;

  while (!g_atomic_int_get (&watch->is_stopping))
    {
      if (g_atomic_int_get (&watch->is_dirty))
        look (watch);
      if (g_atomic_int_get (&watch->is_stopping))
        break;
      wait_for_usb (watch, watch->has_notices ? WAIT_MS : POLL_MS);
      if (!watch->has_notices)
        g_atomic_int_set (&watch->is_dirty, TRUE);
      else if (g_atomic_int_get (&watch->is_dirty) && !g_atomic_int_get (&watch->is_stopping))
        wait_for_usb (watch, SETTLE_MS);
    }
  watch_unref (watch);

  return NULL;
}

/* FALSE: USB cannot be used here. */
static gboolean
start_thread (Watch *watch)
{
  if (libusb_init (&watch->usb) != 0)
    {
      watch->usb = NULL;
      return FALSE;
    }
  watch->has_notices
      = libusb_has_capability (LIBUSB_CAP_HAS_HOTPLUG)
        && libusb_hotplug_register_callback (
               watch->usb, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT,
               LIBUSB_HOTPLUG_NO_FLAGS, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
               LIBUSB_HOTPLUG_MATCH_ANY, on_usb_change, watch, NULL)
               == 0;
  g_thread_unref (
      g_thread_new ("probe-monitor", watch_thread, g_atomic_rc_box_acquire (watch)));

  return TRUE;
}

static void
wake_thread (Watch *watch)
{
  if (watch->usb != NULL)
    libusb_interrupt_event_handler (watch->usb);
}
#else
static gboolean
start_thread (Watch *watch)
{
  return FALSE;
}

static void
wake_thread (Watch *watch)
{
}
#endif

/* ---- the object ---- */

static void
ts_probe_monitor_constructed (GObject *object)
{
  TsProbeMonitor *self = TS_PROBE_MONITOR (object);

  G_OBJECT_CLASS (ts_probe_monitor_parent_class)->constructed (object);
  g_weak_ref_set (&self->watch->monitor, self);
  if (!start_thread (self->watch))
    self->is_ready = TRUE;
}

static void
ts_probe_monitor_dispose (GObject *object)
{
  TsProbeMonitor *self = TS_PROBE_MONITOR (object);

  if (self->watch != NULL)
    {
      g_weak_ref_set (&self->watch->monitor, NULL);
      g_atomic_int_set (&self->watch->is_stopping, TRUE);
      wake_thread (self->watch);
      g_clear_pointer (&self->watch, watch_unref);
    }

  G_OBJECT_CLASS (ts_probe_monitor_parent_class)->dispose (object);
}

static void
ts_probe_monitor_finalize (GObject *object)
{
  TsProbeMonitor *self = TS_PROBE_MONITOR (object);

  g_clear_pointer (&self->probes, g_ptr_array_unref);

  G_OBJECT_CLASS (ts_probe_monitor_parent_class)->finalize (object);
}

static void
ts_probe_monitor_class_init (TsProbeMonitorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = ts_probe_monitor_constructed;
  object_class->dispose = ts_probe_monitor_dispose;
  object_class->finalize = ts_probe_monitor_finalize;

  /**
   * TsProbeMonitor::changed:
   * @self: a monitor
   *
   * Another list of probes; the first time when the first look is over.
   */
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_probe_monitor_init (TsProbeMonitor *self)
{
  self->watch = g_atomic_rc_box_new0 (Watch);
  self->watch->context = g_main_context_ref_thread_default ();
  self->watch->is_dirty = TRUE;
  g_weak_ref_init (&self->watch->monitor, NULL);
  self->probes = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_probe_info_free);
}

/**
 * ts_probe_monitor_new:
 *
 * Begins to look; the first list comes with #TsProbeMonitor::changed. Without libusb, or where USB
 * cannot be used, the monitor is ready at once with an empty list that never changes.
 *
 * Thread: any; signals come in its thread-default main context
 *
 * Returns: (transfer full): a monitor
 */
TsProbeMonitor *
ts_probe_monitor_new (void)
{
  return g_object_new (TS_TYPE_PROBE_MONITOR, NULL);
}

/**
 * ts_probe_monitor_get_probes:
 * @self: a monitor
 *
 * What was plugged in at the last look; also probes that cannot be used, with the sentence why in
 * their @problem. The array does not change: a later look brings another one.
 *
 * Thread: owner
 *
 * Returns: (transfer none) (element-type TsProbeInfo): the probes
 */
GPtrArray *
ts_probe_monitor_get_probes (TsProbeMonitor *self)
{
  g_return_val_if_fail (TS_IS_PROBE_MONITOR (self), NULL);

  return self->probes;
}

/**
 * ts_probe_monitor_is_ready:
 * @self: a monitor
 *
 * Thread: owner
 *
 * Returns: whether the first look is over
 */
gboolean
ts_probe_monitor_is_ready (TsProbeMonitor *self)
{
  g_return_val_if_fail (TS_IS_PROBE_MONITOR (self), FALSE);

  return self->is_ready;
}

/**
 * ts_probe_monitor_refresh:
 * @self: a monitor
 *
 * Looks again, though nothing was plugged: a permission or another program may have changed what a
 * probe answers.
 *
 * Thread: owner
 */
void
ts_probe_monitor_refresh (TsProbeMonitor *self)
{
  g_return_if_fail (TS_IS_PROBE_MONITOR (self));

  g_atomic_int_set (&self->watch->is_dirty, TRUE);
  wake_thread (self->watch);
}
