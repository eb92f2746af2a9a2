/* SPDX-License-Identifier: GPL-3.0-or-later */
/* emulated-usb.c: usbfs requests answered by a device that is a program. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "emulated-usb.h"

/* A request of the program that waits. */
typedef struct
{
  UMockdevIoctlData *urb;
  UMockdevIoctlData *buffer;
  gboolean is_done;
} Pending;

/* An answer that waits for a request, or for its time. */
typedef struct
{
  guint8 endpoint;
  gboolean is_stall;
  gint64 ready_us;
  GByteArray *bytes;
  gsize at;
} Answer;

struct _EmuUsb
{
  UMockdevTestbed *testbed;
  EmuUsbDescription description;
  EmuUsbFaults faults;
  EmuUsbTake take;
  gpointer device;
  char *node;
  char *sys_path;

  GPtrArray *pending; /* of Pending, in order */
  GPtrArray *answers; /* of Answer, in order */
  guint n_commands;
  guint n_logged;
  GRand *noise;
  gint64 free_us; /* when the wire has sent all answers so far */
  guint timer;
  gboolean is_gone;
};

static GRecMutex lock;

void
emu_usb_lock (void)
{
  g_rec_mutex_lock (&lock);
}

void
emu_usb_unlock (void)
{
  g_rec_mutex_unlock (&lock);
}

static void
pending_free (Pending *pending)
{
  umockdev_ioctl_data_unref (pending->urb);
  umockdev_ioctl_data_unref (pending->buffer);
  g_free (pending);
}

static void
answer_free (Answer *answer)
{
  g_byte_array_unref (answer->bytes);
  g_free (answer);
}

static void
finish (Pending *pending,
        int status,
        int n_bytes)
{
  struct usbdevfs_urb *urb = (struct usbdevfs_urb *) pending->urb->data;

  urb->status = status;
  urb->actual_length = n_bytes;
  pending->is_done = TRUE;
}

static void
write_log (EmuUsb *self,
           guint8 endpoint,
           const guint8 *bytes,
           gsize n_bytes)
{
  if (self->faults.log == NULL)
    return;
  fprintf (self->faults.log, "{\"n\":%u,\"us\":%" G_GINT64_FORMAT ",\"ep\":\"0x%02x\",\"len\":%zu,\"hex\":\"",
           self->n_logged++, g_get_monotonic_time (), endpoint, n_bytes);
  for (gsize i = 0; i < n_bytes; i++)
    fprintf (self->faults.log, "%02x", bytes[i]);
  fprintf (self->faults.log, "\"}\n");
}

/* Gives @answer to a request; TRUE: it is used up. A buffer of whole packets may be filled and the
 * rest wait; any other that is too small overflows. */
static gboolean
give (EmuUsb *self,
      Answer *answer,
      Pending *pending)
{
  struct usbdevfs_urb *urb = (struct usbdevfs_urb *) pending->urb->data;
  gsize room = (gsize) MAX (urb->buffer_length, 0);
  gsize n = answer->bytes->len - answer->at;

  if (answer->is_stall)
    {
      finish (pending, -EPIPE, 0);
      return TRUE;
    }
  if (n > room && room % self->description.packet != 0)
    {
      finish (pending, -EOVERFLOW, urb->buffer_length);
      return TRUE;
    }
  n = MIN (n, room);
  umockdev_ioctl_data_update (pending->buffer, 0, answer->bytes->data + answer->at, (gint) n);
  write_log (self, answer->endpoint, answer->bytes->data + answer->at, n);
  finish (pending, 0, (int) n);
  answer->at += n;

  return answer->at == answer->bytes->len;
}

static gboolean on_time (gpointer user_data);

/* Brings answers and requests of each endpoint together. */
static void
serve (EmuUsb *self)
{
  gint64 now_us = g_get_monotonic_time ();

  for (guint i = 0; i < self->answers->len;)
    {
      Answer *answer = g_ptr_array_index (self->answers, i);
      gboolean is_used = FALSE;

      if (answer->ready_us > now_us)
        {
          if (self->timer == 0)
            self->timer = g_timeout_add ((guint) ((answer->ready_us - now_us + 999) / 1000),
                                         on_time, self);
          break;
        }
      for (guint j = 0; j < self->pending->len && !is_used; j++)
        {
          Pending *pending = g_ptr_array_index (self->pending, j);
          struct usbdevfs_urb *urb = (struct usbdevfs_urb *) pending->urb->data;

          if (!pending->is_done && urb->endpoint == answer->endpoint)
            is_used = give (self, answer, pending);
        }
      if (is_used)
        g_ptr_array_remove_index (self->answers, i);
      else
        i++;
    }
}

static gboolean
on_time (gpointer user_data)
{
  EmuUsb *self = user_data;

  emu_usb_lock ();
  self->timer = 0;
  serve (self);
  emu_usb_unlock ();

  return G_SOURCE_REMOVE;
}

/* The device answers @n_bytes at @endpoint, unless a fault makes it something else. */
void
emu_usb_answer (EmuUsb *self,
                guint8 endpoint,
                const guint8 *bytes,
                gsize n_bytes)
{
  const EmuUsbFaults *faults = &self->faults;
  guint n = self->n_commands;
  gint64 now_us = g_get_monotonic_time ();
  Answer *answer;

  if (self->is_gone || (n != 0 && n == faults->lost_at) || (faults->silent_at != 0 && n >= faults->silent_at))
    return;

  answer = g_new0 (Answer, 1);
  answer->endpoint = endpoint;
  answer->bytes = g_byte_array_new ();
  g_byte_array_append (answer->bytes, bytes, (guint) n_bytes);
  answer->is_stall = (n != 0 && n == faults->stall_at)
                     || (faults->stall_longer != 0 && n_bytes > faults->stall_longer);
  if (n != 0 && n == faults->short_at && n_bytes > 0)
    g_byte_array_set_size (answer->bytes, (guint) n_bytes - 1);
  if (n != 0 && n == faults->long_at)
    {
      g_byte_array_set_size (answer->bytes, (guint) n_bytes + self->description.packet + 1);
      memset (answer->bytes->data + n_bytes, 0xA5, self->description.packet + 1);
    }
  if (n != 0 && n == faults->corrupt_at && answer->bytes->len > 0)
    answer->bytes->data[0] ^= 0xFF;
  if (self->noise != NULL)
    {
      if (g_rand_int_range (self->noise, 0, 16) == 0)
        g_byte_array_set_size (answer->bytes, (guint) g_rand_int_range (self->noise, 0, 600));
      for (guint i = 0; i < answer->bytes->len; i++)
        if (i > 0 || g_rand_int_range (self->noise, 0, 8) == 0)
          answer->bytes->data[i] = (guint8) g_rand_int (self->noise);
    }

  self->free_us = MAX (self->free_us, now_us);
  if (faults->bytes_per_ms != 0)
    self->free_us += (gint64) n_bytes * 1000 / faults->bytes_per_ms;
  if (n != 0 && n == faults->late_at)
    self->free_us += 1000 * (gint64) faults->late_ms;
  answer->ready_us = self->free_us + faults->delay_us;
  g_ptr_array_add (self->answers, answer);
}

/* Answers that nobody has fetched yet. */
guint
emu_usb_count_answers (EmuUsb *self,
                       guint8 endpoint)
{
  guint n = 0;

  for (guint i = 0; i < self->answers->len; i++)
    n += ((Answer *) g_ptr_array_index (self->answers, i))->endpoint == endpoint;

  return n;
}

/* The next answer to the command at hand is a stall. */
void
emu_usb_stall_next (EmuUsb *self)
{
  self->faults.stall_at = self->n_commands;
}

/* A device that begins a new command forgets what nobody fetched. */
void
emu_usb_forget_answers (EmuUsb *self,
                        guint8 endpoint)
{
  for (guint i = self->answers->len; i > 0; i--)
    if (((Answer *) g_ptr_array_index (self->answers, i - 1))->endpoint == endpoint)
      g_ptr_array_remove_index (self->answers, i - 1);
}

/* Pulls the cable: what waits ends, the node answers ENODEV, and the system tells of it. */
void
emu_usb_unplug (EmuUsb *self)
{
  if (self->is_gone)
    return;
  self->is_gone = TRUE;
  g_ptr_array_set_size (self->answers, 0);
  for (guint i = 0; i < self->pending->len; i++)
    {
      Pending *pending = g_ptr_array_index (self->pending, i);

      if (!pending->is_done)
        finish (pending, -ENODEV, 0);
    }
  umockdev_testbed_uevent (self->testbed, self->sys_path, "remove");
  umockdev_testbed_remove_device (self->testbed, self->sys_path);
}

/* ---- descriptors ---- */

static GByteArray *
make_device_descriptor (const EmuUsbDescription *d)
{
  guint n_strings = 0;
  guint8 bytes[18] = { 18, 1, 0, 2, 0, 0, 0, 64 };

  while (n_strings < EMU_MAX_STRINGS && d->strings[n_strings] != NULL)
    n_strings++;
  bytes[8] = (guint8) d->vid;
  bytes[9] = (guint8) (d->vid >> 8);
  bytes[10] = (guint8) d->pid;
  bytes[11] = (guint8) (d->pid >> 8);
  bytes[13] = 1;
  bytes[14] = n_strings >= 1 ? 1 : 0;
  bytes[15] = n_strings >= 2 ? 2 : 0;
  bytes[16] = n_strings >= 3 && *d->strings[2] != '\0' ? 3 : 0;
  bytes[17] = 1;

  return g_byte_array_append (g_byte_array_new (), bytes, sizeof bytes);
}

static void
append_string (GByteArray *out,
               const guint8 *text,
               gsize n)
{
  const guint8 head[2] = { (guint8) (2 + 2 * n), 3 };

  g_byte_array_append (out, head, 2);
  for (gsize i = 0; i < n; i++)
    {
      const guint8 unit[2] = { text[i], 0 };

      g_byte_array_append (out, unit, 2);
    }
}

/* Answers a control request; the number of bytes behind the eight of the set-up. */
static int
control (EmuUsb *self,
         UMockdevIoctlData *buffer)
{
  const EmuUsbDescription *d = &self->description;
  const guint8 *setup = buffer->data;
  g_autoptr (GByteArray) answer = g_byte_array_new ();
  gsize wanted = (gsize) setup[6] | (gsize) setup[7] << 8;
  gsize n;

  if (setup[0] != 0x80 || setup[1] != 6)
    return 0;
  if (setup[3] == 1)
    {
      g_byte_array_unref (answer);
      answer = make_device_descriptor (d);
    }
  else if (setup[3] == 2)
    g_byte_array_append (answer, d->config, (guint) d->n_config);
  else if (setup[3] == 3 && setup[2] == 0)
    g_byte_array_append (answer, (const guint8 *) "\x04\x03\x09\x04", 4);
  else if (setup[3] == 3 && setup[2] == 3 && d->raw_serial != NULL)
    append_string (answer, d->raw_serial, 12);
  else if (setup[3] == 3 && setup[2] <= EMU_MAX_STRINGS && d->strings[setup[2] - 1] != NULL)
    append_string (answer, (const guint8 *) d->strings[setup[2] - 1],
                   strlen (d->strings[setup[2] - 1]));
  n = MIN (MIN (answer->len, wanted), (gsize) buffer->data_len - 8);
  umockdev_ioctl_data_update (buffer, 8, answer->data, (gint) n);

  return (int) n;
}

/* ---- usbfs ---- */

static void
submit (EmuUsb *self,
        UMockdevIoctlClient *client)
{
  UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg (client);
  Pending *pending = g_new0 (Pending, 1);
  struct usbdevfs_urb *urb;

  pending->urb = umockdev_ioctl_data_resolve (argument, 0, sizeof (struct usbdevfs_urb), NULL);
  urb = (struct usbdevfs_urb *) pending->urb->data;
  pending->buffer
      = umockdev_ioctl_data_resolve (pending->urb, offsetof (struct usbdevfs_urb, buffer),
                                     (gsize) urb->buffer_length, NULL);
  g_ptr_array_add (self->pending, pending);

  if (urb->type == USBDEVFS_URB_TYPE_CONTROL)
    finish (pending, 0, control (self, pending->buffer));
  else if ((urb->endpoint & 0x80) == 0)
    {
      self->n_commands++;
      if (self->n_commands == self->faults.unplug_at)
        {
          emu_usb_unplug (self);
          umockdev_ioctl_client_complete (client, 0, 0);
          return;
        }
      finish (pending, 0, urb->buffer_length);
      write_log (self, urb->endpoint, pending->buffer->data, (gsize) urb->buffer_length);
      self->take (self->device, urb->endpoint, pending->buffer->data, (gsize) urb->buffer_length);
    }
  serve (self);
  umockdev_ioctl_client_complete (client, 0, 0);
}

static void
reap (EmuUsb *self,
      UMockdevIoctlClient *client)
{
  UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg (client);

  for (guint i = 0; i < self->pending->len; i++)
    {
      Pending *pending = g_ptr_array_index (self->pending, i);

      if (pending->is_done)
        {
          UMockdevIoctlData *slot
              = umockdev_ioctl_data_resolve (argument, 0, sizeof (gpointer), NULL);

          umockdev_ioctl_data_set_ptr (slot, 0, pending->urb);
          umockdev_ioctl_client_complete (client, 0, 0);
          umockdev_ioctl_data_unref (slot);
          g_ptr_array_remove_index (self->pending, i);
          return;
        }
    }
  umockdev_ioctl_client_complete (client, -1, self->is_gone ? ENODEV : EAGAIN);
}

static void
discard (EmuUsb *self,
         UMockdevIoctlClient *client)
{
  gulong address = *(gulong *) umockdev_ioctl_client_get_arg (client)->data;

  for (guint i = 0; i < self->pending->len; i++)
    {
      Pending *pending = g_ptr_array_index (self->pending, i);

      if (pending->urb->client_addr == address && !pending->is_done)
        {
          finish (pending, -ENOENT, 0);
          umockdev_ioctl_client_complete (client, 0, 0);
          return;
        }
    }
  umockdev_ioctl_client_complete (client, -1, EINVAL);
}

static void
tell_capabilities (UMockdevIoctlClient *client)
{
  UMockdevIoctlData *word = umockdev_ioctl_data_resolve (umockdev_ioctl_client_get_arg (client), 0,
                                                         sizeof (guint32), NULL);
  guint32 capabilities = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION
                         | USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_BULK_SCATTER_GATHER
                         | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;

  umockdev_ioctl_data_update (word, 0, (guint8 *) &capabilities, sizeof capabilities);
  umockdev_ioctl_client_complete (client, 0, 0);
  umockdev_ioctl_data_unref (word);
}

static gboolean
handle_ioctl (UMockdevIoctlBase *base,
              UMockdevIoctlClient *client,
              gpointer user_data)
{
  EmuUsb *self = user_data;
  gulong request = umockdev_ioctl_client_get_request (client);

  emu_usb_lock ();
  if (request == USBDEVFS_REAPURBNDELAY || request == USBDEVFS_REAPURB)
    reap (self, client);
  else if (self->is_gone)
    umockdev_ioctl_client_complete (client, -1, ENODEV);
  else if (request == USBDEVFS_SUBMITURB)
    submit (self, client);
  else if (request == (gulong) USBDEVFS_DISCARDURB)
    discard (self, client);
  else if (request == USBDEVFS_GET_CAPABILITIES)
    tell_capabilities (client);
  else if (request == USBDEVFS_CLAIMINTERFACE || request == USBDEVFS_DISCONNECT_CLAIM)
    umockdev_ioctl_client_complete (client, self->faults.is_busy ? -1 : 0,
                                    self->faults.is_busy ? EBUSY : 0);
  else if (request == (gulong) USBDEVFS_RESET)
    {
      /* what waits in the endpoints does not outlive it */
      g_ptr_array_set_size (self->answers, 0);
      umockdev_ioctl_client_complete (client, 0, 0);
    }
  else if (request == USBDEVFS_RELEASEINTERFACE
           || request == USBDEVFS_CLEAR_HALT || request == USBDEVFS_SETCONFIGURATION
           || request == USBDEVFS_SETINTERFACE)
    umockdev_ioctl_client_complete (client, 0, 0);
  else if (request == USBDEVFS_GETDRIVER || request == USBDEVFS_IOCTL)
    umockdev_ioctl_client_complete (client, -1, ENODATA);
  else
    umockdev_ioctl_client_complete (client, -1, ENOTTY);
  emu_usb_unlock ();

  return TRUE;
}

/* ---- the device ---- */

static char *
make_device (const EmuUsb *self,
             guint number)
{
  const EmuUsbDescription *d = &self->description;
  g_autoptr (GByteArray) descriptors = make_device_descriptor (d);
  GString *text = g_string_new (NULL);

  g_byte_array_append (descriptors, d->config, (guint) d->n_config);
  g_string_append_printf (
      text,
      "P: %s\nN: bus/usb/001/%03u\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: DEVNAME=%s\n"
      "E: BUSNUM=001\nE: DEVNUM=%03u\nE: MAJOR=189\nE: MINOR=%u\nA: busnum=1\\n\n"
      "A: devnum=%u\\n\nA: speed=%s\\n\nA: bConfigurationValue=1\\n\nA: idVendor=%04x\\n\n"
      "A: idProduct=%04x\\n\n",
      self->sys_path + strlen ("/sys"), number, self->node, number, number - 1, number, d->speed, d->vid, d->pid);
  if (d->strings[1] != NULL)
    g_string_append_printf (text, "A: product=%s\\n\n", d->strings[1]);
  if (d->strings[2] != NULL && *d->strings[2] != '\0' && d->raw_serial == NULL)
    g_string_append_printf (text, "A: serial=%s\\n\n", d->strings[2]);
  g_string_append (text, "H: descriptors=");
  for (guint i = 0; i < descriptors->len; i++)
    g_string_append_printf (text, "%02X", descriptors->data[i]);
  g_string_append (text, "\n");

  return g_string_free (text, FALSE);
}

/*
 * Plugs a device in as number @number (from 2) of bus 1; it stays for as long as the process.
 * @description, @faults are copied; what they point to stays borrowed.
 */
EmuUsb *
emu_usb_plug (UMockdevTestbed *testbed,
              guint number,
              const EmuUsbDescription *description,
              const EmuUsbFaults *faults,
              EmuUsbTake take,
              gpointer device,
              GError **error)
{
  EmuUsb *self = g_new0 (EmuUsb, 1);
  UMockdevIoctlBase *base = umockdev_ioctl_base_new ();
  g_autofree char *text = NULL;

  self->testbed = testbed;
  self->description = *description;
  self->faults = *faults;
  self->take = take;
  self->device = device;
  self->node = g_strdup_printf ("/dev/bus/usb/001/%03u", number);
  self->sys_path = g_strdup_printf ("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-%u", number - 1);
  self->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) pending_free);
  self->answers = g_ptr_array_new_with_free_func ((GDestroyNotify) answer_free);
  if (faults->noise_seed != 0)
    self->noise = g_rand_new_with_seed (faults->noise_seed);

  text = make_device (self, number);
  g_signal_connect (base, "handle-ioctl", G_CALLBACK (handle_ioctl), self);
  if (!umockdev_testbed_add_from_string (testbed, text, error)
      || !umockdev_testbed_attach_ioctl (testbed, self->node, base, error))
    return NULL;
  umockdev_testbed_uevent (testbed, self->sys_path, "add");

  return self;
}
