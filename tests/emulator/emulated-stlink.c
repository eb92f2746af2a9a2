/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-stlink.c: an ST-LINK below libusb, with a target behind it, for any program that uses
 * libusb: `emulated-stlink [OPTIONS] -- PROGRAM ARGUMENTS...`.
 *
 * umockdev hands the program's usbfs requests to this one, which answers as the probe would. Own
 * code after the description of the protocol.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <umockdev.h>

#include "fake-target.h"

#define NODE "/dev/bus/usb/001/002"
#define SYS_PATH "/devices/pci0000:00/0000:00:14.0/usb1/1-1"
#define STATUS_OK 0x80
#define STATUS_AP_WAIT 0x10
#define STATUS_AP_FAULT 0x11
#define STATUS_UNKNOWN 0x42
#define MAX_TRANSFER 6144

typedef struct
{
  const char *name;
  guint16 pid;
  guint16 version; /* answer of F1: generation, J, S or M */
  guint8 out;
  guint8 swo;
  guint16 packet;
  const char *speed;
} Personality;

static const Personality personalities[] = {
  { "v2", 0x3748, 2 << 12 | 37 << 6 | 7, 0x02, 0x83, 64, "12" },
  { "v2-1", 0x374B, 2 << 12 | 37 << 6 | 26, 0x01, 0x82, 64, "12" },
  { "v3", 0x374E, 3 << 12, 0x01, 0x82, 512, "480" },
};

/* A request of the program that waits. */
typedef struct
{
  UMockdevIoctlData *urb;
  UMockdevIoctlData *buffer;
  gboolean is_done;
} Pending;

typedef struct
{
  const Personality *personality;
  FakeTarget target;
  guint wait_every;
  guint n_accesses;
  char *stop_file;

  GPtrArray *pending; /* of Pending, in order */
  GByteArray *reply;
  guint mode;
  guint status;
  guint32 fault;
  gboolean expects_data;
  guint32 write_address;
  gsize n_write;

  guint64 n_commands;
  guint64 n_bytes_read;
} Emulator;

static guint32
get_u32 (const guint8 *at)
{
  return (guint32) at[0] | (guint32) at[1] << 8 | (guint32) at[2] << 16 | (guint32) at[3] << 24;
}

static void
reply_bytes (Emulator *self,
             const guint8 *bytes,
             gsize n_bytes)
{
  g_byte_array_set_size (self->reply, 0);
  g_byte_array_append (self->reply, bytes, (guint) n_bytes);
}

/* A status byte, zeros, and a word at offset 4 if there is room. */
static void
reply_status (Emulator *self,
              guint status,
              guint32 word,
              gsize n_bytes)
{
  guint8 bytes[64] = { (guint8) status };

  word = GUINT32_TO_LE (word);
  if (n_bytes >= 8)
    memcpy (bytes + 4, &word, sizeof word);
  reply_bytes (self, bytes, n_bytes);
}

/* ---- the probe's commands ---- */

static gboolean
must_wait (Emulator *self)
{
  self->n_accesses++;

  return self->wait_every != 0 && self->n_accesses % self->wait_every == 0;
}

static void
read_memory (Emulator *self,
             const guint8 *command,
             guint unit)
{
  guint32 address = get_u32 (command + 2);
  gsize n = (gsize) command[6] | (gsize) command[7] << 8;
  gsize limit = unit == 1 ? 64 : MAX_TRANSFER;
  guint8 bytes[MAX_TRANSFER] = { 0 };

  self->fault = 0;
  if (must_wait (self))
    self->status = STATUS_AP_WAIT;
  else if (n > limit || address % unit != 0 || n % unit != 0)
    self->status = 0x0A;
  else if (!fake_target_read (&self->target, address, bytes, n))
    {
      self->status = STATUS_AP_FAULT;
      self->fault = address;
    }
  else
    {
      self->status = STATUS_OK;
      self->n_bytes_read += n;
    }
  /* one byte comes with another one behind it */
  reply_bytes (self, bytes, unit == 1 && n == 1 ? 2 : MIN (n, MAX_TRANSFER));
}

static void
take_data (Emulator *self,
           const guint8 *bytes,
           gsize n_bytes)
{
  self->expects_data = FALSE;
  self->fault = 0;
  self->status = STATUS_OK;
  if (must_wait (self))
    self->status = STATUS_AP_WAIT;
  else if (n_bytes != self->n_write
           || !fake_target_write (&self->target, self->write_address, bytes, n_bytes))
    {
      self->status = STATUS_AP_FAULT;
      self->fault = self->write_address;
    }
}

static void
reply_speeds (Emulator *self)
{
  static const guint32 words[] = { STATUS_OK, 1000, 7, 24000, 8000, 3300, 1000, 200, 50, 5 };
  guint8 bytes[52] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      guint32 word = GUINT32_TO_LE (words[i]);

      memcpy (bytes + 4 * i, &word, sizeof word);
    }
  reply_bytes (self, bytes, sizeof bytes);
}

static void
debug_command (Emulator *self,
               const guint8 *command)
{
  guint8 bytes[4] = { 0 };
  gboolean is_good;

  switch (command[1])
    {
    case 0x21:
      self->mode = 1;
      return;
    case 0x30:
      self->mode = 2;
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x31:
      reply_status (self, STATUS_OK, 0x2BA01477, 12);
      return;
    case 0x36:
      is_good = fake_target_read (&self->target, get_u32 (command + 2), bytes, 4);
      reply_status (self, is_good ? STATUS_OK : STATUS_AP_FAULT, get_u32 (bytes), 8);
      return;
    case 0x35:
      is_good = fake_target_write (&self->target, get_u32 (command + 2), command + 6, 4);
      reply_status (self, is_good ? STATUS_OK : STATUS_AP_FAULT, 0, 2);
      return;
    case 0x07:
      read_memory (self, command, 4);
      return;
    case 0x0C:
      read_memory (self, command, 1);
      return;
    case 0x47:
      read_memory (self, command, 2);
      return;
    case 0x08:
    case 0x0D:
    case 0x48:
      self->expects_data = TRUE;
      self->write_address = get_u32 (command + 2);
      self->n_write = (gsize) command[6] | (gsize) command[7] << 8;
      return;
    case 0x3E:
      reply_status (self, self->status, self->fault, 12);
      return;
    case 0x3B:
      reply_status (self, self->status, 0, 2);
      return;
    case 0x45:
      reply_status (self, STATUS_OK, command[4] == 0xFC ? 0x24770011 : 0, 8);
      return;
    case 0x61:
      reply_status (self, STATUS_OK, 0, 8);
      return;
    case 0x62:
      reply_speeds (self);
      return;
    case 0x33:
      reply_status (self, STATUS_OK, command[2] == 15 ? 0x08000100 : 0, 8);
      return;
    case 0x3A:
      {
        guint8 registers[88] = { STATUS_OK };

        reply_bytes (self, registers, sizeof registers);
        return;
      }
    case 0x32:
      (void) fake_target_write (&self->target, 0xE000ED0C, (const guint8 *) "\x04\x00\xFA\x05", 4);
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x34:
    case 0x3C:
    case 0x40:
    case 0x41:
    case 0x43:
    case 0x44:
    case 0x46:
    case 0x4B:
    case 0x4C:
      reply_status (self, STATUS_OK, 0, 2);
      return;
    case 0x42:
      reply_status (self, 0, 0, 2);
      return;
    default:
      reply_status (self, STATUS_UNKNOWN, 0, 2);
      return;
    }
}

static void
take_command (Emulator *self,
              const guint8 *command)
{
  guint16 pid = self->personality->pid;
  guint16 version = self->personality->version;

  self->n_commands++;
  g_byte_array_set_size (self->reply, 0);
  switch (command[0])
    {
    case 0xF1:
      {
        const guint8 bytes[6] = { (guint8) (version >> 8), (guint8) version, 0x83, 0x04,
                                  (guint8) pid, (guint8) (pid >> 8) };

        reply_bytes (self, bytes, sizeof bytes);
        return;
      }
    case 0xFB:
      {
        const guint8 bytes[12]
            = { 3, 0, 8, 3, 1, 0, 0, 0, 0x83, 0x04, (guint8) pid, (guint8) (pid >> 8) };

        reply_bytes (self, bytes, sizeof bytes);
        return;
      }
    case 0xF5:
      {
        const guint8 bytes[2] = { (guint8) self->mode, 0 };

        reply_bytes (self, bytes, sizeof bytes);
        return;
      }
    case 0xF7:
      {
        /* 2 * 2062 * 1.2 / 1500 = 3.299 V */
        const guint8 bytes[8] = { 1500 & 0xFF, 1500 >> 8, 0, 0, 2062 & 0xFF, 2062 >> 8, 0, 0 };

        reply_bytes (self, bytes, sizeof bytes);
        return;
      }
    case 0xF3:
    case 0xF4:
      self->mode = 1;
      return;
    case 0xF2:
      debug_command (self, command);
      return;
    default:
      reply_status (self, STATUS_UNKNOWN, 0, 2);
      return;
    }
}

/* ---- usbfs ---- */

static void
append_string (GByteArray *out,
               const char *text)
{
  const guint8 head[2] = { (guint8) (2 + 2 * strlen (text)), 3 };

  g_byte_array_append (out, head, 2);
  for (; *text != '\0'; text++)
    {
      const guint8 unit[2] = { (guint8) *text, 0 };

      g_byte_array_append (out, unit, 2);
    }
}

static GByteArray *
make_descriptors (const Personality *p)
{
  const guint8 bytes[] = {
    18, 1, 0, 2, 0, 0, 0, 64, 0x83, 0x04, (guint8) p->pid, (guint8) (p->pid >> 8), 0, 1, 1, 2, 3, 1,
    9, 2, 39, 0, 1, 1, 0, 0x80, 0xFA,
    9, 4, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0,
    7, 5, 0x81, 2, (guint8) p->packet, (guint8) (p->packet >> 8), 0,
    7, 5, p->out, 2, (guint8) p->packet, (guint8) (p->packet >> 8), 0,
    7, 5, p->swo, 2, (guint8) p->packet, (guint8) (p->packet >> 8), 0,
  };

  return g_byte_array_append (g_byte_array_new (), bytes, sizeof bytes);
}

/* Answers a control request; the bytes behind the eight of the set-up. */
static int
control (Emulator *self,
         UMockdevIoctlData *buffer)
{
  static const char *const strings[] = { "STMicroelectronics", "ST-Link",
                                         "066AFF3032FAKE0PROBE0001" };
  const guint8 *setup = buffer->data;
  g_autoptr (GByteArray) answer = g_byte_array_new ();
  g_autoptr (GByteArray) descriptors = make_descriptors (self->personality);
  gsize wanted = (gsize) setup[6] | (gsize) setup[7] << 8;
  gsize n;

  if (setup[0] != 0x80 || setup[1] != 6)
    return 0;
  if (setup[3] == 1)
    g_byte_array_append (answer, descriptors->data, 18);
  else if (setup[3] == 2)
    g_byte_array_append (answer, descriptors->data + 18, descriptors->len - 18);
  else if (setup[3] == 3 && setup[2] == 0)
    g_byte_array_append (answer, (const guint8 *) "\x04\x03\x09\x04", 4);
  else if (setup[3] == 3 && setup[2] <= G_N_ELEMENTS (strings))
    append_string (answer, strings[setup[2] - 1]);
  n = MIN (MIN (answer->len, wanted), (gsize) buffer->data_len - 8);
  umockdev_ioctl_data_update (buffer, 8, answer->data, (gint) n);

  return (int) n;
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

/* Gives the reply to the request that waits for it. */
static void
serve_reads (Emulator *self)
{
  for (guint i = 0; i < self->pending->len && self->reply->len > 0; i++)
    {
      Pending *pending = g_ptr_array_index (self->pending, i);
      struct usbdevfs_urb *urb = (struct usbdevfs_urb *) pending->urb->data;

      if (pending->is_done || urb->endpoint != 0x81)
        continue;
      if ((guint) urb->buffer_length < self->reply->len)
        finish (pending, -EOVERFLOW, urb->buffer_length);
      else
        {
          umockdev_ioctl_data_update (pending->buffer, 0, self->reply->data,
                                      (gint) self->reply->len);
          finish (pending, 0, (int) self->reply->len);
        }
      g_byte_array_set_size (self->reply, 0);
    }
}

static void
tell_when_drained (Emulator *self)
{
  if (self->stop_file == NULL || self->target.n_resets == 0
      || !fake_target_is_drained (&self->target))
    return;
  (void) g_file_set_contents (self->stop_file, "", 0, NULL);
  g_clear_pointer (&self->stop_file, g_free);
}

static void
submit (Emulator *self,
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
      if (self->expects_data)
        take_data (self, pending->buffer->data, (gsize) urb->buffer_length);
      else if (urb->buffer_length == 16)
        take_command (self, pending->buffer->data);
      finish (pending, 0, urb->buffer_length);
      tell_when_drained (self);
    }
  serve_reads (self);
  umockdev_ioctl_client_complete (client, 0, 0);
}

static void
pending_free (Pending *pending)
{
  umockdev_ioctl_data_unref (pending->urb);
  umockdev_ioctl_data_unref (pending->buffer);
  g_free (pending);
}

static void
reap (Emulator *self,
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
  umockdev_ioctl_client_complete (client, -1, EAGAIN);
}

static void
discard (Emulator *self,
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

static gboolean
handle_ioctl (UMockdevIoctlBase *base,
              UMockdevIoctlClient *client,
              gpointer user_data)
{
  Emulator *self = user_data;
  gulong request = umockdev_ioctl_client_get_request (client);

  if (request == USBDEVFS_SUBMITURB)
    submit (self, client);
  else if (request == USBDEVFS_REAPURBNDELAY || request == USBDEVFS_REAPURB)
    reap (self, client);
  else if (request == (gulong) USBDEVFS_DISCARDURB)
    discard (self, client);
  else if (request == USBDEVFS_GET_CAPABILITIES)
    {
      UMockdevIoctlData *word = umockdev_ioctl_data_resolve (umockdev_ioctl_client_get_arg (client),
                                                             0, sizeof (guint32), NULL);
      guint32 capabilities = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION
                             | USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_BULK_SCATTER_GATHER
                             | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;

      umockdev_ioctl_data_update (word, 0, (guint8 *) &capabilities, sizeof capabilities);
      umockdev_ioctl_client_complete (client, 0, 0);
      umockdev_ioctl_data_unref (word);
    }
  else if (request == USBDEVFS_CLAIMINTERFACE || request == USBDEVFS_RELEASEINTERFACE
           || request == (gulong) USBDEVFS_RESET || request == USBDEVFS_CLEAR_HALT
           || request == USBDEVFS_SETCONFIGURATION || request == USBDEVFS_SETINTERFACE)
    umockdev_ioctl_client_complete (client, 0, 0);
  else if (request == USBDEVFS_GETDRIVER || request == USBDEVFS_IOCTL)
    umockdev_ioctl_client_complete (client, -1, ENODATA);
  else
    umockdev_ioctl_client_complete (client, -1, ENOTTY);

  return TRUE;
}

/* ---- the device ---- */

static char *
make_device (const Personality *p)
{
  g_autoptr (GByteArray) descriptors = make_descriptors (p);
  GString *text = g_string_new (NULL);

  g_string_append_printf (
      text,
      "P: " SYS_PATH "\nN: bus/usb/001/002\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\n"
      "E: DEVNAME=" NODE "\nE: BUSNUM=001\nE: DEVNUM=002\nE: MAJOR=189\nE: MINOR=1\n"
      "A: busnum=1\\n\nA: devnum=2\\n\nA: speed=%s\\n\nA: bConfigurationValue=1\\n\n"
      "A: idVendor=0483\\n\nA: idProduct=%04x\\n\nA: serial=066AFF3032FAKE0PROBE0001\\n\n"
      "H: descriptors=",
      p->speed, p->pid);
  for (guint i = 0; i < descriptors->len; i++)
    g_string_append_printf (text, "%02X", descriptors->data[i]);
  g_string_append (text, "\n");

  return g_string_free (text, FALSE);
}

typedef struct
{
  GMainLoop *loop;
  int status;
} Child;

static void
on_child (GPid pid,
          int status,
          gpointer data)
{
  Child *child = data;

  child->status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  g_main_loop_quit (child->loop);
}

static const Personality *
find_personality (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (personalities); i++)
    if (g_strcmp0 (name, personalities[i].name) == 0)
      return &personalities[i];

  return name == NULL ? &personalities[2] : NULL;
}

/* Runs @program with the emulated /sys and /dev; its exit status. */
static int
run_program (UMockdevTestbed *testbed,
             char **program)
{
  g_auto (GStrv) environment = g_get_environ ();
  g_autofree char *root = umockdev_testbed_get_root_dir (testbed);
  g_autoptr (GError) error = NULL;
  Child child = { g_main_loop_new (NULL, FALSE), 1 };
  GPid pid;

  environment = g_environ_setenv (environment, "LD_PRELOAD", "libumockdev-preload.so.0", TRUE);
  environment = g_environ_setenv (environment, "UMOCKDEV_DIR", root, TRUE);
  if (!g_spawn_async (NULL, program, environment,
                      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH
                          | G_SPAWN_CHILD_INHERITS_STDIN,
                      NULL, NULL, &pid, &error))
    {
      fprintf (stderr, "emulated-stlink: %s\n", error->message);
      return 1;
    }
  g_child_watch_add (pid, on_child, &child);
  g_main_loop_run (child.loop);
  g_main_loop_unref (child.loop);

  return child.status;
}

int
main (int argc,
      char **argv)
{
  g_autofree char *name = NULL;
  g_autofree char *packets_path = NULL;
  g_autofree char *image_path = NULL;
  g_autofree char *packets = NULL;
  g_autofree char *device = NULL;
  g_auto (GStrv) program = NULL;
  gboolean is_dropping = FALSE, is_chatty = FALSE;
  int ring_size = 8192, wait_every = 0, status;
  gsize n_packets = 0;
  g_autofree Emulator *self = g_new0 (Emulator, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("-- PROGRAM ARGUMENTS...");
  g_autoptr (UMockdevTestbed) testbed = NULL;
  UMockdevIoctlBase *base;
  const GOptionEntry entries[] = {
    { "probe", 0, 0, G_OPTION_ARG_STRING, &name, "v2, v2-1 or v3", "KIND" },
    { "packets", 0, 0, G_OPTION_ARG_FILENAME, &packets_path, "what the firmware records", "FILE" },
    { "image", 0, 0, G_OPTION_ARG_FILENAME, &image_path, "RAM at 0x20000000, no firmware", "FILE" },
    { "ring", 0, 0, G_OPTION_ARG_INT, &ring_size, "bytes of the ring", "N" },
    { "drop", 0, 0, G_OPTION_ARG_NONE, &is_dropping, "DROP mode", NULL },
    { "wait-every", 0, 0, G_OPTION_ARG_INT, &wait_every, "every N-th access must wait", "N" },
    { "stop-file", 0, 0, G_OPTION_ARG_FILENAME, &self->stop_file, "made when all is read", "FILE" },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &is_chatty, "tell figures at the end", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &program, NULL, NULL },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || (packets_path != NULL
          && !g_file_get_contents (packets_path, &packets, &n_packets, &error)))
    {
      fprintf (stderr, "emulated-stlink: %s\n", error->message);
      return 2;
    }
  self->personality = find_personality (name);
  if (program == NULL || self->personality == NULL || ring_size < 64 || ring_size > 65536)
    {
      fprintf (stderr, "emulated-stlink: no program, unknown --probe or --ring out of 64..65536\n");
      return 2;
    }

  fake_target_init (&self->target, (const guint8 *) packets, n_packets, (guint32) ring_size,
                    !is_dropping);
  if (image_path != NULL)
    {
      g_autofree char *image = NULL;
      gsize n_image = 0;

      if (!g_file_get_contents (image_path, &image, &n_image, &error))
        {
          fprintf (stderr, "emulated-stlink: %s\n", error->message);
          return 2;
        }
      memcpy (self->target.ram, image, MIN (n_image, sizeof self->target.ram));
      self->target.is_without_firmware = TRUE;
    }
  self->wait_every = (guint) MAX (wait_every, 0);
  self->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) pending_free);
  self->reply = g_byte_array_new ();
  self->mode = 1;

  testbed = umockdev_testbed_new ();
  device = make_device (self->personality);
  if (!umockdev_testbed_add_from_string (testbed, device, &error))
    {
      fprintf (stderr, "emulated-stlink: %s\n", error->message);
      return 2;
    }
  base = umockdev_ioctl_base_new ();
  g_signal_connect (base, "handle-ioctl", G_CALLBACK (handle_ioctl), self);
  if (!umockdev_testbed_attach_ioctl (testbed, NODE, base, &error))
    {
      fprintf (stderr, "emulated-stlink: %s\n", error->message);
      return 2;
    }

  status = run_program (testbed, program);
  if (is_chatty)
    fprintf (stderr, "emulated-stlink: %" G_GUINT64_FORMAT " commands, %" G_GUINT64_FORMAT
                     " bytes read, %u resets, %u packets dropped, core %s\n",
             self->n_commands, self->n_bytes_read, self->target.n_resets, self->target.dropped,
             self->target.is_running ? "runs" : "stands");

  return status;
}
