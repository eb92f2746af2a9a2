/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-udp.c: datagrams of one or several senders on a bound UDP port. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ts-source-private.h"

#define BATCH 64
#define MAX_DATAGRAM 65536
#define MAX_SENDERS 64
#define RECEIVE_BUFFER (8 * 1024 * 1024)
/* After each batch the senders get this time to fill the socket: fewer, larger batches, for one
 * millisecond of latency. */
#define PAUSE_MS 1
/* A sender that was silent for this long gives up its place when a new one needs it. */
#define FORGET_US (10 * G_USEC_PER_SEC)

typedef struct
{
  struct sockaddr_storage address;
  socklen_t length;
  gint64 last_us;
} Sender;

typedef struct
{
  TsSource parent;

  char *ip;
  guint16 port;
  const char *format;

  int fd;
  Sender senders[MAX_SENDERS];
  guint n_senders;
  guint last_sender;
  guint32 kernel_drops;
  gboolean told_too_many;

  /* of one batch */
  struct mmsghdr messages[BATCH];
  struct iovec vectors[BATCH];
  struct sockaddr_storage addresses[BATCH];
  union
  {
    char bytes[CMSG_SPACE (sizeof (guint32))];
    struct cmsghdr header;
  } controls[BATCH];
  guint8 *datagrams;  /* BATCH times MAX_DATAGRAM: touched only as far as datagrams are long */
  GByteArray *joined; /* neighbouring datagrams of one sender */
} Udp;

static TsSource *
udp_create (TsConnection *connection,
            GError **error)
{
  Udp *self = g_new0 (Udp, 1);

  self->parent.klass = &_ts_source_udp_class;
  self->fd = -1;
  self->ip = g_strdup (ts_connection_get_string (connection, "udp-ip"));
  self->port = (guint16) ts_connection_get_int (connection, "udp-port");
  self->format = ts_connection_get_bool (connection, "cobs") ? "va-cobs" : "va";

  return &self->parent;
}

static gboolean
make_address (Udp *self,
              struct sockaddr_storage *address,
              socklen_t *length,
              GError **error)
{
  struct sockaddr_in *in4 = (struct sockaddr_in *) address;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *) address;
  const char *ip = g_ascii_strcasecmp (self->ip, "localhost") == 0 ? "127.0.0.1" : self->ip;

  memset (address, 0, sizeof *address);
  if (inet_pton (AF_INET, ip, &in4->sin_addr) == 1)
    {
      in4->sin_family = AF_INET;
      in4->sin_port = htons (self->port);
      *length = sizeof *in4;
      return TRUE;
    }
  if (inet_pton (AF_INET6, ip, &in6->sin6_addr) == 1)
    {
      in6->sin6_family = AF_INET6;
      in6->sin6_port = htons (self->port);
      *length = sizeof *in6;
      return TRUE;
    }

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“udp-ip” is “%.64s”, no IPv4 or IPv6 address of this machine such as 127.0.0.1, "
                 "0.0.0.0 or ::."),
               self->ip);

  return FALSE;
}

static void
set_bind_error (Udp *self,
                int code,
                GError **error)
{
  switch (code)
    {
    case EADDRINUSE:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("UDP port %u of %s is in use by another program: stop that program or choose "
                     "another “udp-port”."),
                   self->port, self->ip);
      break;

    case EADDRNOTAVAIL:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("%s is no address of this machine: give one of its own as “udp-ip”, or "
                     "0.0.0.0 for all."),
                   self->ip);
      break;

    case EACCES:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("No permission to listen on UDP port %u: choose a “udp-port” above 1023."),
                   self->port);
      break;

    default:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("Cannot listen on UDP port %u of %s: %s."), self->port, self->ip,
                   g_strerror (code));
      break;
    }
}

static gboolean
udp_open (TsSource *source,
          GCancellable *cancellable,
          GError **error)
{
  Udp *self = (Udp *) source;
  struct sockaddr_storage address;
  socklen_t length = 0;
  int on = 1, off = 0, size = RECEIVE_BUFFER;

  if (!make_address (self, &address, &length, error))
    return FALSE;

  self->fd = socket (address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (self->fd < 0)
    {
      set_bind_error (self, errno, error);
      return FALSE;
    }

  /* Each of these only makes it better; none is needed. */
  if (setsockopt (self->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    (void) setsockopt (self->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  (void) setsockopt (self->fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  if (address.ss_family == AF_INET6)
    (void) setsockopt (self->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);

  if (bind (self->fd, (struct sockaddr *) &address, length) != 0)
    {
      set_bind_error (self, errno, error);
      return FALSE;
    }

  self->datagrams = g_malloc ((gsize) BATCH * MAX_DATAGRAM);
  self->joined = g_byte_array_sized_new (MAX_DATAGRAM);

  return TRUE;
}

static gboolean
is_same_sender (const struct sockaddr_storage *a,
                const struct sockaddr_storage *b)
{
  if (a->ss_family != b->ss_family)
    return FALSE;

  if (a->ss_family == AF_INET)
    {
      const struct sockaddr_in *x = (const struct sockaddr_in *) a,
                               *y = (const struct sockaddr_in *) b;

      return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
    }
  else
    {
      const struct sockaddr_in6 *x = (const struct sockaddr_in6 *) a,
                                *y = (const struct sockaddr_in6 *) b;

      return x->sin6_port == y->sin6_port && x->sin6_scope_id == y->sin6_scope_id
             && memcmp (&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
    }
}

static char *
describe_sender (const struct sockaddr_storage *address)
{
  char text[INET6_ADDRSTRLEN] = "?";

  if (address->ss_family == AF_INET)
    {
      const struct sockaddr_in *in4 = (const struct sockaddr_in *) address;

      inet_ntop (AF_INET, &in4->sin_addr, text, sizeof text);
      return g_strdup_printf ("%s:%u", text, ntohs (in4->sin_port));
    }
  else
    {
      const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) address;

      inet_ntop (AF_INET6, &in6->sin6_addr, text, sizeof text);
      return g_strdup_printf ("[%s]:%u", text, ntohs (in6->sin6_port));
    }
}

/* Number of the sender, or MAX_SENDERS when there are too many. */
static guint
find_sender (Udp *self,
             const struct sockaddr_storage *address,
             socklen_t length,
             gint64 now_us)
{
  g_autofree char *name = NULL;
  guint place = self->n_senders;

  if (self->last_sender < self->n_senders
      && is_same_sender (&self->senders[self->last_sender].address, address))
    return self->last_sender;

  for (guint i = 0; i < self->n_senders; i++)
    if (is_same_sender (&self->senders[i].address, address))
      return self->last_sender = i;

  name = describe_sender (address);
  if (place == MAX_SENDERS)
    {
      for (guint i = 0; i < MAX_SENDERS; i++)
        if (place == MAX_SENDERS || self->senders[i].last_us < self->senders[place].last_us)
          place = i;
      if (now_us - self->senders[place].last_us < FORGET_US)
        {
          if (!self->told_too_many)
            _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                             _("More than %d senders at once: the datagrams of %s and further "
                               "ones are ignored."),
                             MAX_SENDERS, name);
          self->told_too_many = TRUE;
          return MAX_SENDERS;
        }
    }
  else
    self->n_senders++;

  self->senders[place].address = *address;
  self->senders[place].length = length;
  self->last_sender = place;
  _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0, _("Receiving from %s"), name);

  return place;
}

/* SO_RXQ_OVFL carries the number of datagrams the socket has dropped so far, modulo 2^32. */
static void
check_kernel_drops (Udp *self,
                    struct msghdr *message)
{
  for (struct cmsghdr *control = CMSG_FIRSTHDR (message); control != NULL;
       control = CMSG_NXTHDR (message, control))
    if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL)
      {
        guint32 drops;

        memcpy (&drops, CMSG_DATA (control), sizeof drops);
        if (drops != self->kernel_drops)
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_DATAGRAMS_DROPPED,
                           (guint32) (drops - self->kernel_drops), NULL);
        self->kernel_drops = drops;
      }
}

static int
receive_batch (Udp *self)
{
  for (guint i = 0; i < BATCH; i++)
    {
      self->vectors[i].iov_base = self->datagrams + (gsize) i * MAX_DATAGRAM;
      self->vectors[i].iov_len = MAX_DATAGRAM;
      self->messages[i].msg_hdr = (struct msghdr) {
        .msg_name = &self->addresses[i],
        .msg_namelen = sizeof self->addresses[i],
        .msg_iov = &self->vectors[i],
        .msg_iovlen = 1,
        .msg_control = &self->controls[i],
        .msg_controllen = sizeof self->controls[i],
      };
    }

  return recvmmsg (self->fd, self->messages, BATCH, MSG_DONTWAIT, NULL);
}

static void
emit_joined (Udp *self,
             guint sender,
             gint64 now_us,
             TsSourceEmit emit,
             gpointer user_data)
{
  if (self->joined->len > 0)
    emit (sender, now_us, self->joined->data, self->joined->len, user_data);
  g_byte_array_set_size (self->joined, 0);
}

/* Datagrams of one sender that follow each other are handed on as one: a border between them means
 * nothing (viewalyzer-wire.md section 3.6). */
static void
take_batch (Udp *self,
            guint n,
            TsSourceEmit emit,
            gpointer user_data)
{
  gint64 now_us = g_get_monotonic_time ();
  guint joined_sender = MAX_SENDERS;

  for (guint i = 0; i < n; i++)
    {
      guint n_bytes = self->messages[i].msg_len;
      guint sender;

      check_kernel_drops (self, &self->messages[i].msg_hdr);
      if (n_bytes == 0)
        continue;

      sender
          = find_sender (self, &self->addresses[i], self->messages[i].msg_hdr.msg_namelen, now_us);
      if (sender == MAX_SENDERS)
        {
          _ts_source_note (&self->parent, TS_SOURCE_NOTE_BYTES_IGNORED, n_bytes, NULL);
          continue;
        }
      self->senders[sender].last_us = now_us;

      if (sender != joined_sender || self->joined->len + n_bytes > MAX_DATAGRAM)
        emit_joined (self, joined_sender, now_us, emit, user_data);
      joined_sender = sender;
      g_byte_array_append (self->joined, self->datagrams + (gsize) i * MAX_DATAGRAM, n_bytes);
    }
  emit_joined (self, joined_sender, now_us, emit, user_data);
}

static gboolean
udp_run (TsSource *source,
         TsSourceEmit emit,
         gpointer user_data,
         GCancellable *cancellable,
         GError **error)
{
  Udp *self = (Udp *) source;

  for (;;)
    {
      int n;

      switch (_ts_source_wait (self->fd, -1, cancellable, NULL))
        {
        case TS_WAIT_CANCELLED:
          /* what already arrived belongs to the capture */
          while ((n = receive_batch (self)) > 0)
            {
              take_batch (self, (guint) n, emit, user_data);
              if (n < BATCH)
                break;
            }
          return TRUE;

        case TS_WAIT_FAILED:
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                       _("Cannot wait for UDP port %u: %s."), self->port, g_strerror (errno));
          return FALSE;

        default:
          break;
        }

      n = receive_batch (self);
      if (n > 0)
        take_batch (self, (guint) n, emit, user_data);
      else if (n < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                       _("Cannot read from UDP port %u: %s."), self->port, g_strerror (errno));
          return FALSE;
        }

      if (n < BATCH)
        (void) _ts_source_wait (-1, PAUSE_MS, cancellable, NULL);
    }
}

static char *
udp_describe (TsSource *source)
{
  Udp *self = (Udp *) source;

  if (strchr (self->ip, ':') != NULL)
    return g_strdup_printf ("UDP [%s]:%u", self->ip, self->port);

  return g_strdup_printf ("UDP %s:%u", self->ip, self->port);
}

static const char *
udp_format (TsSource *source)
{
  return ((Udp *) source)->format;
}

static void
udp_free (TsSource *source)
{
  Udp *self = (Udp *) source;

  if (self->fd >= 0)
    close (self->fd);
  g_clear_pointer (&self->joined, g_byte_array_unref);
  g_free (self->datagrams);
  g_free (self->ip);
  g_free (self);
}

const TsSourceClass _ts_source_udp_class = {
  .transport = "udp",
  .create = udp_create,
  .open = udp_open,
  .run = udp_run,
  .describe = udp_describe,
  .format = udp_format,
  .lossless = FALSE,
  .free = udp_free,
};
