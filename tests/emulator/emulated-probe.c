/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * emulated-probe.c: debug probes below libusb, with a target behind them, for any program that uses
 * libusb: `emulated-probe [OPTIONS] -- PROGRAM ARGUMENTS...`.
 *
 * Own code after the description of the protocols in probes.md. Ends as the program ends.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated-probe.h"

#define SERIAL "066AFF3032FAKE0PROBE0001"
#define SERIAL_2 "066AFF3032FAKE0PROBE0002"
#define NOBODY 65534
#define SERIAL_JLINK "000123456789"
#define SERIAL_JLINK_2 "000987654321"

/* Source: probes.md section 1.11: twelve raw bytes instead of their digits */
static const guint8 raw_serial[12] = { 0x54, 0xFF, 0x6B, 0x06, 0x82, 0x80, 0x50, 0x55,
                                       0x12, 0x34, 0x09, 0x67 };

static const struct
{
  const char *name;
  EmuPlug plug;
} kinds[] = {
  { "v2", emu_stlink_plug },
  { "v2-1", emu_stlink_plug },
  { "v3", emu_stlink_plug },
  { "jlink", emu_jlink_plug },
  { "cmsis-dap", emu_cmsis_dap_plug },
  { "cmsis-dap-v1", emu_cmsis_dap_plug },
};

typedef struct
{
  FakeTarget target;
  EmuProbe probe;
  EmuProbe second_probe;
  UMockdevTestbed *testbed;
  EmuUsb *usb;
  EmuUsb *second;
  GMainLoop *loop;
  int status;

  char *kind;
  char *second_kind;
  char *packets_path;
  char *image_path;
  char *swo_path;
  char *ram_path;
  char *control_path;
  char *stop_file;
  char *log_path;
  char *serial;
  char *status_text;
  gboolean is_dropping;
  gboolean is_rtt;
  gboolean is_chatty;
  gboolean has_raw_serial;
  gboolean is_swo_ready;
  gboolean is_protected;
  gboolean is_halted;
  gboolean is_off;
  gboolean is_deaf;
  gboolean is_asleep;
  int sleep_ms;
  gboolean is_keeping_names;
  gboolean is_forbidden;
  int burst;
  int ring_size;
  int rate;
  int millivolts;
  gint64 ram_base;
  EmuUsbFaults faults;
} Emulator;

static EmuPlug
find_plug (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (name, kinds[i].name) == 0)
      return kinds[i].plug;

  return NULL;
}

/* The file that tells a capture to stop appears when all is read. */
static void
tell_when_drained (gpointer data)
{
  Emulator *self = data;

  if (self->stop_file == NULL
      || (self->target.n_resets + self->target.n_answers == 0 && self->target.n_packets > 0)
      || !fake_target_is_drained (&self->target))
    return;
  (void) g_file_set_contents (self->stop_file, "", 0, NULL);
  g_clear_pointer (&self->stop_file, g_free);
}

void
emu_probe_note_trace (EmuProbe *probe,
                      EmuUsb *usb)
{
  guint n = ++probe->n_trace_answers;

  if (n == probe->stall_trace_at || (probe->stall_trace_from > 0 && n >= probe->stall_trace_from))
    emu_usb_stall_next (usb);
}

static EmuUsb *
plug (Emulator *self,
      EmuProbe *probe,
      const char *kind,
      guint number,
      const EmuUsbFaults *faults,
      GError **error)
{
  probe->kind = kind;
  probe->target = &self->target;
  probe->after = tell_when_drained;
  probe->after_data = self;

  return find_plug (kind) (probe, self->testbed, number, faults, error);
}

/* ---- from outside, while it runs: a line for each deed ---- */

static void
obey (Emulator *self,
      const char *line)
{
  static const EmuUsbFaults none;
  g_autoptr (GError) error = NULL;

  emu_usb_lock ();
  if (strcmp (line, "unplug") == 0)
    emu_usb_unplug (self->usb);
  else if (strcmp (line, "plug") == 0 && self->second == NULL)
    self->second = plug (self, &self->second_probe,
                         self->second_kind != NULL ? self->second_kind : self->kind, 3, &none,
                         &error);
  else if (strcmp (line, "reset") == 0)
    fake_target_reset (&self->target);
  else if (strcmp (line, "power off") == 0 || strcmp (line, "power on") == 0)
    self->target.is_off = strcmp (line, "power off") == 0;
  else
    fprintf (stderr, "emulated-probe: nobody knows how to “%s”\n", line);
  emu_usb_unlock ();
  if (error != NULL)
    fprintf (stderr, "emulated-probe: %s\n", error->message);
}

static gboolean
on_control (int fd,
            GIOCondition condition,
            gpointer user_data)
{
  char text[256];
  gssize n = read (fd, text, sizeof text - 1);
  g_auto (GStrv) lines = NULL;

  if (n <= 0)
    return G_SOURCE_CONTINUE;
  text[n] = '\0';
  lines = g_strsplit (g_strstrip (text), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    obey (user_data, lines[i]);

  return G_SOURCE_CONTINUE;
}

/* ---- the program ---- */

static void
on_child (GPid pid,
          int status,
          gpointer data)
{
  Emulator *self = data;

  self->status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  g_main_loop_quit (self->loop);
}

/* The program does not outlive its probe; and may be one that has no right to it. */
static void
prepare_child (gpointer user_data)
{
  const Emulator *self = user_data;

  if (self->is_forbidden && geteuid () == 0)
    {
      if (setgroups (0, NULL) != 0 || setgid (NOBODY) != 0 || setuid (NOBODY) != 0)
        _exit (2);
    }
  (void) prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* The probes' nodes are as the kernel makes them when no rule says anything else: root's own. */
static void
forbid (const char *root)
{
  g_autofree char *folder = g_build_filename (root, "dev/bus/usb/001", NULL);
  g_autoptr (GDir) nodes = g_dir_open (folder, 0, NULL);
  const char *name;

  /* what belongs to the emulation and not to the machine stays open to everybody */
  (void) chmod (root, 0777);
  while (nodes != NULL && (name = g_dir_read_name (nodes)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *socket = g_build_filename (root, "ioctl/dev/bus/usb/001", name, NULL);

      (void) chmod (path, geteuid () == 0 ? 0600 : 0);
      (void) chmod (socket, 0777);
    }
}

/* Runs @program with the emulated /sys and /dev. */
static gboolean
run_program (Emulator *self,
             char **program,
             GError **error)
{
  g_auto (GStrv) environment = g_get_environ ();
  g_autofree char *root = umockdev_testbed_get_root_dir (self->testbed);
  GPid pid;

  if (self->is_forbidden)
    forbid (root);
  self->loop = g_main_loop_new (NULL, FALSE);
  environment = g_environ_setenv (environment, "LD_PRELOAD", "libumockdev-preload.so.0", TRUE);
  environment = g_environ_setenv (environment, "UMOCKDEV_DIR", root, TRUE);
  if (!g_spawn_async (NULL, program, environment,
                      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH
                          | G_SPAWN_CHILD_INHERITS_STDIN,
                      prepare_child, self, &pid, error))
    return FALSE;
  g_child_watch_add (pid, on_child, self);
  g_main_loop_run (self->loop);
  g_main_loop_unref (self->loop);

  return TRUE;
}

/* Memory that another program (a simulator) shares: a file. */
static gboolean
map_ram (Emulator *self,
         GError **error)
{
  struct stat facts;
  int fd = open (self->ram_path, O_RDWR | O_CLOEXEC);
  gpointer memory = MAP_FAILED;

  if (fd >= 0 && fstat (fd, &facts) == 0 && facts.st_size > 0)
    memory = mmap (NULL, (gsize) facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close (fd);
  if (memory == MAP_FAILED)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s cannot be mapped", self->ram_path);
      return FALSE;
    }
  self->target.ram = memory;
  self->target.ram_base = (guint32) self->ram_base;
  self->target.ram_size = (guint32) facts.st_size;
  self->target.is_without_firmware = TRUE;

  return TRUE;
}

static gboolean
load (const char *path,
      char **bytes,
      gsize *n_bytes,
      GError **error)
{
  return path == NULL || g_file_get_contents (path, bytes, n_bytes, error);
}

/* The target as the options want it. */
static gboolean
prepare_target (Emulator *self,
                GError **error)
{
  char *packets = NULL, *image = NULL, *swo = NULL; /* live as long as the process */
  gsize n_packets = 0, n_image = 0, n_swo = 0;
  guint reset_at = self->target.reset_at, power_loss_at = self->target.power_loss_at;
  guint trace_clock_hz = self->target.trace_clock_hz;

  if (!load (self->packets_path, &packets, &n_packets, error)
      || !load (self->image_path, &image, &n_image, error)
      || !load (self->swo_path, &swo, &n_swo, error))
    return FALSE;

  fake_target_init (&self->target, (const guint8 *) packets, n_packets, (guint32) self->ring_size,
                    !self->is_dropping);
  self->target.reset_at = reset_at;
  self->target.power_loss_at = power_loss_at;
  if (trace_clock_hz != 0)
    self->target.trace_clock_hz = trace_clock_hz;
  self->target.is_rtt = self->is_rtt;
  self->target.rate = (guint) self->rate;
  self->target.swo = (const guint8 *) swo;
  self->target.n_swo = n_swo;
  self->target.is_swo_ready = self->is_swo_ready;
  self->target.is_protected = self->is_protected;
  self->target.is_running = !self->is_halted;
  self->target.is_off = self->is_off;
  self->target.is_deaf = self->is_deaf;
  self->target.is_asleep = self->is_asleep;
  self->target.sleep_ms = (guint) self->sleep_ms;
  self->target.is_keeping_names = self->is_keeping_names;
  self->target.burst = (gsize) self->burst;
  if (image != NULL)
    {
      memcpy (self->target.ram, image, MIN (n_image, FAKE_RAM_SIZE));
      self->target.is_without_firmware = TRUE;
    }

  return self->ram_path == NULL || map_ram (self, error);
}

static gboolean
plug_all (Emulator *self,
          GError **error)
{
  static const EmuUsbFaults none;
  gboolean is_jlink = g_str_equal (self->kind, "jlink");

  self->probe.serial = self->serial != NULL ? self->serial : is_jlink ? SERIAL_JLINK : SERIAL;
  self->probe.raw_serial = self->has_raw_serial ? raw_serial : NULL;
  self->probe.millivolts = (guint) self->millivolts;
  if (self->status_text != NULL)
    self->probe.status = (guint) g_ascii_strtoull (self->status_text, NULL, 16);
  self->second_probe.serial = is_jlink ? SERIAL_JLINK_2 : SERIAL_2;
  self->second_probe.millivolts = 3300;

  self->testbed = umockdev_testbed_new ();
  self->usb = plug (self, &self->probe, self->kind, 2, &self->faults, error);
  if (self->usb == NULL)
    return FALSE;
  if (self->second_kind != NULL && self->control_path == NULL)
    {
      self->second = plug (self, &self->second_probe, self->second_kind, 3, &none, error);
      if (self->second == NULL)
        return FALSE;
    }

  return TRUE;
}

static int
run (Emulator *self,
     char **program,
     GError **error)
{
  int control = -1;

  /* what lies in /dev is another /dev once the test bed is there */
  if (!prepare_target (self, error))
    return 2;
  if (self->log_path != NULL)
    {
      self->faults.log = fopen (self->log_path, "we");
      if (self->faults.log == NULL)
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s cannot be written", self->log_path);
          return 2;
        }
    }
  if (self->control_path != NULL)
    control = open (self->control_path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (control >= 0)
    g_unix_fd_add (control, G_IO_IN, on_control, self);
  if (!plug_all (self, error))
    return 2;
  if (!run_program (self, program, error))
    return 1;
  if (self->faults.log != NULL)
    fclose (self->faults.log);
  if (self->is_chatty)
    fprintf (stderr,
             "emulated-probe: %" G_GUINT64_FORMAT " commands, %u held at once, %" G_GUINT64_FORMAT
             " bytes read, %u resets, %u packets dropped, core %s, debug %s, %u requests for names "
             "answered, %u events and %u packets dropped after the last, %u events\n",
             self->probe.n_commands, self->probe.most_held, self->probe.n_bytes_read, self->target.n_resets,
             self->target.dropped, self->target.is_running ? "runs" : "stands",
             self->target.is_debug ? "on" : "off", self->target.n_answers, self->target.n_after,
             self->target.n_dropped_after, self->target.n_events);

  return self->status;
}

/* Notices of plugging need the emulated /dev here, too. */
static void
begin_again_with_preload (char **argv)
{
  if (umockdev_in_mock_environment ())
    return;
  if (g_getenv ("EMULATED_PROBE_PRELOADED") != NULL)
    return;
  g_setenv ("EMULATED_PROBE_PRELOADED", "1", TRUE);
  g_setenv ("LD_PRELOAD", "libumockdev-preload.so.0", TRUE);
  execv ("/proc/self/exe", argv);
}

int
main (int argc,
      char **argv)
{
  Emulator *self = g_new0 (Emulator, 1);
  g_auto (GStrv) program = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("-- PROGRAM ARGUMENTS...");
  const GOptionEntry entries[] = {
    { "probe", 0, 0, G_OPTION_ARG_STRING, &self->kind, "v2, v2-1, v3, jlink, cmsis-dap, cmsis-dap-v1", "KIND" },
    { "second", 0, 0, G_OPTION_ARG_STRING, &self->second_kind, "another beside it", "KIND" },
    { "serial", 0, 0, G_OPTION_ARG_STRING, &self->serial, "serial number, “” for none", "TEXT" },
    { "raw-serial", 0, 0, G_OPTION_ARG_NONE, &self->has_raw_serial, "in 12 raw bytes", NULL },
    { "firmware", 0, 0, G_OPTION_ARG_INT, &self->probe.firmware, "J of the version", "N" },
    { "millivolts", 0, 0, G_OPTION_ARG_INT, &self->millivolts, "target supply", "N" },
    { "core-port", 0, 0, G_OPTION_ARG_INT, &self->probe.core_port, "access port of the core", "N" },
    { "held", 0, 0, G_OPTION_ARG_INT, &self->probe.n_held, "packets a CMSIS-DAP takes at once", "N" },
    { "mode", 0, 0, G_OPTION_ARG_INT, &self->probe.mode, "mode a former owner left", "N" },
    { "packets", 0, 0, G_OPTION_ARG_FILENAME, &self->packets_path, "the firmware writes", "FILE" },
    { "ring", 0, 0, G_OPTION_ARG_INT, &self->ring_size, "bytes of the ring", "N" },
    { "drop", 0, 0, G_OPTION_ARG_NONE, &self->is_dropping, "DROP mode", NULL },
    { "burst", 0, 0, G_OPTION_ARG_INT, &self->burst, "bytes of packets at boot, at once", "N" },
    { "names", 0, 0, G_OPTION_ARG_NONE, &self->is_keeping_names, "names in RAM", NULL },
    { "rtt", 0, 0, G_OPTION_ARG_NONE, &self->is_rtt, "an RTT channel instead", NULL },
    { "rate", 0, 0, G_OPTION_ARG_INT, &self->rate, "bytes of packets a second", "N" },
    { "image", 0, 0, G_OPTION_ARG_FILENAME, &self->image_path, "RAM, no firmware", "FILE" },
    { "ram-file", 0, 0, G_OPTION_ARG_FILENAME, &self->ram_path, "shared memory as RAM", "FILE" },
    { "ram-base", 0, 0, G_OPTION_ARG_INT64, &self->ram_base, "address of it", "N" },
    { "swo", 0, 0, G_OPTION_ARG_FILENAME, &self->swo_path, "bytes of the SWO pin", "FILE" },
    { "swo-ready", 0, 0, G_OPTION_ARG_NONE, &self->is_swo_ready, "firmware sets it up", NULL },
    { "trace-clock", 0, 0, G_OPTION_ARG_INT, &self->target.trace_clock_hz, "Hz", "N" },
    { "halted", 0, 0, G_OPTION_ARG_NONE, &self->is_halted, "the core stands", NULL },
    { "asleep", 0, 0, G_OPTION_ARG_NONE, &self->is_asleep, "the core sleeps", NULL },
    { "sleep-ms", 0, 0, G_OPTION_ARG_INT, &self->sleep_ms, "of each 50, when RAM cannot be read", "N" },
    { "deaf", 0, 0, G_OPTION_ARG_NONE, &self->is_deaf, "debug pins are off until a reset by the line", NULL },
    { "off", 0, 0, G_OPTION_ARG_NONE, &self->is_off, "the target has no power", NULL },
    { "protected", 0, 0, G_OPTION_ARG_NONE, &self->is_protected, "flash is locked", NULL },
    { "reset-at", 0, 0, G_OPTION_ARG_INT, &self->target.reset_at, "access at which it resets", "N" },
    { "power-loss-at", 0, 0, G_OPTION_ARG_INT, &self->target.power_loss_at, "or loses power", "N" },
    { "wait-every", 0, 0, G_OPTION_ARG_INT, &self->probe.wait_every, "access that waits", "N" },
    { "status-at", 0, 0, G_OPTION_ARG_INT, &self->probe.status_at, "access that fails", "N" },
    { "status", 0, 0, G_OPTION_ARG_STRING, &self->status_text, "with this status", "HEX" },
    { "enter-status", 0, 0, G_OPTION_ARG_INT, &self->probe.enter_status, "of attaching", "N" },
    { "unplug-at", 0, 0, G_OPTION_ARG_INT, &self->faults.unplug_at, "transfer", "N" },
    { "stall-at", 0, 0, G_OPTION_ARG_INT, &self->faults.stall_at, "transfer", "N" },
    { "stall-longer", 0, 0, G_OPTION_ARG_INT, &self->faults.stall_longer, "answers", "BYTES" },
    { "stall-trace-at", 0, 0, G_OPTION_ARG_INT, &self->probe.stall_trace_at, "answer with trace bytes", "N" },
    { "stall-trace-from", 0, 0, G_OPTION_ARG_INT, &self->probe.stall_trace_from, "and all behind it", "N" },
    { "late-at", 0, 0, G_OPTION_ARG_INT, &self->faults.late_at, "transfer", "N" },
    { "late-ms", 0, 0, G_OPTION_ARG_INT, &self->faults.late_ms, "by how much", "MS" },
    { "silent-at", 0, 0, G_OPTION_ARG_INT, &self->faults.silent_at, "transfer", "N" },
    { "lost-at", 0, 0, G_OPTION_ARG_INT, &self->faults.lost_at, "transfer", "N" },
    { "short-at", 0, 0, G_OPTION_ARG_INT, &self->faults.short_at, "transfer", "N" },
    { "long-at", 0, 0, G_OPTION_ARG_INT, &self->faults.long_at, "transfer", "N" },
    { "corrupt-at", 0, 0, G_OPTION_ARG_INT, &self->faults.corrupt_at, "transfer", "N" },
    { "noise", 0, 0, G_OPTION_ARG_INT, &self->faults.noise_seed, "answers are noise", "SEED" },
    { "delay-us", 0, 0, G_OPTION_ARG_INT, &self->faults.delay_us, "of each answer", "N" },
    { "bytes-per-ms", 0, 0, G_OPTION_ARG_INT, &self->faults.bytes_per_ms, "of answers", "N" },
    { "busy", 0, 0, G_OPTION_ARG_NONE, &self->faults.is_busy, "in use by another", NULL },
    { "forbidden", 0, 0, G_OPTION_ARG_NONE, &self->is_forbidden, "the program runs as nobody", NULL },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &self->log_path, "each transfer, a line of JSON", "FILE" },
    { "control", 0, 0, G_OPTION_ARG_FILENAME, &self->control_path, "unplug, plug, ...", "FIFO" },
    { "stop-file", 0, 0, G_OPTION_ARG_FILENAME, &self->stop_file, "made when all is read", "FILE" },
    { "verbose", 0, 0, G_OPTION_ARG_NONE, &self->is_chatty, "tell figures at the end", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &program, NULL, NULL },
    { NULL },
  };
  int status = 2;

  begin_again_with_preload (argv);
  self->ring_size = 8192;
  self->millivolts = 3300;
  self->ram_base = FAKE_RAM_BASE;
  self->probe.mode = 1;
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error))
    {
      if (self->kind == NULL)
        self->kind = g_strdup ("v3");
      if (program == NULL || find_plug (self->kind) == NULL || self->ring_size < 64
          || (self->second_kind != NULL && find_plug (self->second_kind) == NULL)
          || self->ring_size > 65536)
        fprintf (stderr, "emulated-probe: no program, unknown kind or --ring out of 64..65536\n");
      else
        status = run (self, program, &error);
    }
  if (error != NULL)
    fprintf (stderr, "emulated-probe: %s\n", error->message);

  return status;
}
