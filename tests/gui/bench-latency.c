/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-latency.c: how long from a byte that arrives to the end of the snapshot that shows it.
 *
 * A thread plays the demo target over UDP to a real window of 1280 x 800 and writes down when it sent
 * how many events; after each painted frame the events that the timeline now shows are compared with
 * that list. The clock starts before the datagram is sent, so the figure holds the kernel's part too.
 */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include <string.h>

#include "capture/ts-demo-target.h"
#include "ui/ts-frame-stats.h"
#include "ui/ts-timeline.h"
#include "ui/ts-window.h"

#include "gui-test-util.h"

#define RATE 20000
#define SECONDS 10
#define WARM_UP_S 2
#define INTERVAL_US 5000
#define MAX_DATAGRAM 1400

typedef struct
{
  gint64 sent_us;
  guint64 n_events;
} Sent;

typedef struct
{
  GSocket *socket;
  GSocketAddress *address;
  GMutex mutex; /* protects sent, n_sent, is_over */
  Sent sent[(SECONDS + WARM_UP_S) * 1000000 / INTERVAL_US * 2];
  guint n_sent;
  gboolean is_over;
  guint n_shown;
  TsWindow *window;
  TsFrameStats latency;
} Bench;

/* Datagrams hold whole frames. */
static void
send_frames (Bench *bench,
             GByteArray *bytes)
{
  guint begin = 0;

  while (begin < bytes->len)
    {
      guint end = MIN (begin + MAX_DATAGRAM, bytes->len);

      while (end < bytes->len && end > begin + 1 && bytes->data[end - 1] != 0)
        end--;
      g_socket_send_to (bench->socket, bench->address, (const char *) bytes->data + begin,
                        end - begin, NULL, NULL);
      begin = end;
    }
}

static gpointer
sender (gpointer user_data)
{
  Bench *bench = user_data;
  g_autoptr (TsDemoTarget) target = ts_demo_target_new (1, RATE, TRUE);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gint64 begin = g_get_monotonic_time ();
  gint64 next = begin;

  while (next - begin < (SECONDS + WARM_UP_S) * G_USEC_PER_SEC)
    {
      gint64 now = g_get_monotonic_time ();

      if (now < next)
        {
          g_usleep ((gulong) (next - now));
          continue;
        }
      g_byte_array_set_size (bytes, 0);
      ts_demo_target_run (target, now - begin, 1 << 20, bytes);
      now = g_get_monotonic_time ();
      send_frames (bench, bytes);
      g_mutex_lock (&bench->mutex);
      if (bench->n_sent < G_N_ELEMENTS (bench->sent))
        bench->sent[bench->n_sent++] = (Sent) { now, ts_demo_target_get_n_events (target) };
      g_mutex_unlock (&bench->mutex);
      next += INTERVAL_US;
    }
  g_mutex_lock (&bench->mutex);
  bench->is_over = TRUE;
  g_mutex_unlock (&bench->mutex);
  return NULL;
}

static void
on_after_paint (GdkFrameClock *clock,
                Bench *bench)
{
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (bench->window));
  gint64 now = g_get_monotonic_time ();
  guint64 n_events;

  if (recording == NULL)
    return;
  n_events = ts_recording_get_n_events (recording);
  g_mutex_lock (&bench->mutex);
  while (bench->n_shown < bench->n_sent && bench->sent[bench->n_shown].n_events <= n_events)
    {
      const Sent *sent = &bench->sent[bench->n_shown++];

      if (sent->sent_us - bench->sent[0].sent_us > WARM_UP_S * G_USEC_PER_SEC)
        ts_frame_stats_add (&bench->latency, now - sent->sent_us);
    }
  g_mutex_unlock (&bench->mutex);
}

static gboolean
is_over (gpointer user_data)
{
  Bench *bench = user_data;
  gboolean over;

  g_mutex_lock (&bench->mutex);
  over = bench->is_over;
  g_mutex_unlock (&bench->mutex);
  return over;
}

static gboolean
has_stopped (gpointer user_data)
{
  Bench *bench = user_data;

  return !ts_window_is_capturing (bench->window);
}

static gboolean
is_capturing_now (gpointer user_data)
{
  Bench *bench = user_data;

  return gtk_widget_get_mapped (GTK_WIDGET (bench->window));
}

/* A port nobody uses at the moment. */
static guint16
find_port (void)
{
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GSocket) socket = NULL;

  socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP,
                         NULL);
  g_socket_bind (socket, any, FALSE, NULL);
  bound = g_socket_get_local_address (socket, NULL);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
}

static void
print_figures (Bench *bench,
               GtkWidget *timeline)
{
  const TsFrameStats *frames = ts_timeline_get_frame_stats (TS_TIMELINE (timeline));

  g_print ("byte received to shown, p50\t%.1f\tms\t<= 40\t%u datagrams, %u events/s\n",
           ts_frame_stats_get_percentile (&bench->latency, 50) / 1000.0,
           (guint) bench->latency.n_total, RATE);
  g_print ("byte received to shown, p99\t%.1f\tms\t<= 80\tmost %.1f ms\n",
           ts_frame_stats_get_percentile (&bench->latency, 99) / 1000.0,
           bench->latency.max_us / 1000.0);
  g_print ("own code in a live frame, p50\t%.2f\tms\t\t%u frames\n",
           ts_frame_stats_get_percentile (frames, 50) / 1000.0, (guint) frames->n_total);
  g_print ("own code in a live frame, p99\t%.2f\tms\t<= 8\tmost %.1f ms\n",
           ts_frame_stats_get_percentile (frames, 99) / 1000.0, frames->max_us / 1000.0);
}

int
main (int argc,
      char **argv)
{
  g_autoptr (AdwApplication) application = NULL;
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autofree Bench *bench = g_new0 (Bench, 1);
  g_autofree char *port_text = NULL;
  guint16 port;
  GThread *thread;
  GtkWidget *timeline;

  if (!gtk_init_check ())
    return 77;
  g_mutex_init (&bench->mutex);
  application = ADW_APPLICATION (g_object_new (ADW_TYPE_APPLICATION, "application-id", TS_APP_ID,
                                               "flags", G_APPLICATION_NON_UNIQUE,
                                               "resource-base-path",
                                               "/io/github/taskscope/Taskscope", NULL));
  if (!g_application_register (G_APPLICATION (application), NULL, NULL))
    return 77;
  port = find_port ();
  port_text = g_strdup_printf ("%u", port);
  ts_connection_set_from_text (connection, "transport", "udp", NULL);
  ts_connection_set_from_text (connection, "udp-ip", "127.0.0.1", NULL);
  ts_connection_set_from_text (connection, "udp-port", port_text, NULL);
  bench->window = ts_window_new (GTK_APPLICATION (application));
  gtk_window_present (GTK_WINDOW (bench->window));
  gui_test_wait (is_capturing_now, bench);
  if (!ts_window_start (bench->window, connection))
    return 1;
  gui_test_iterate (300);
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (bench->window)), "after-paint",
                    G_CALLBACK (on_after_paint), bench);
  bench->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
                                G_SOCKET_PROTOCOL_UDP, NULL);
  bench->address = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  thread = g_thread_new ("[bench] target", sender, bench);
  gui_test_wait (is_over, bench);
  g_thread_join (thread);
  gui_test_iterate (200);
  timeline = gui_test_find (GTK_WIDGET (bench->window), TS_TYPE_TIMELINE);
  print_figures (bench, timeline);
  ts_window_stop (bench->window);
  gui_test_wait (has_stopped, bench);
  gtk_window_destroy (GTK_WINDOW (bench->window));
  g_clear_object (&bench->socket);
  g_clear_object (&bench->address);
  return 0;
}
