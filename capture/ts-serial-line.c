/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-serial-line.c: any baud rate on any terminal; alone in its file because the kernel's termios2
 * and <termios.h> exclude each other. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <asm/termbits.h>
#include <errno.h>
#include <sys/ioctl.h>

#include "ts-source-private.h"

/*
 * _ts_serial_line_set_raw:
 * @fd: a terminal
 * @baud: bits per second
 * @actual_baud: (out): the rate the driver chose
 *
 * Raw bytes, 8N1, no flow control, modem lines ignored and left as they are (also on close: some
 * boards reset on DTR).
 *
 * Thread: I/O
 * Source: probes.md section 7; ioctl_tty(2), TCSETS2 and BOTHER
 *
 * Returns: %TRUE, or %FALSE with errno set
 */
gboolean
_ts_serial_line_set_raw (int fd,
                         guint baud,
                         guint *actual_baud)
{
  struct termios2 line;

  if (ioctl (fd, TCGETS2, &line) != 0)
    return FALSE;

  line.c_iflag &= ~(tcflag_t) (IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON
                               | IXOFF | IXANY | INPCK);
  line.c_oflag &= ~(tcflag_t) OPOST;
  line.c_lflag &= ~(tcflag_t) (ECHO | ECHOE | ECHOK | ECHONL | ICANON | ISIG | IEXTEN);
  line.c_cflag
      &= ~(tcflag_t) (CSIZE | PARENB | CSTOPB | CRTSCTS | HUPCL | CBAUD | (CBAUD << IBSHIFT));
  line.c_cflag |= CS8 | CREAD | CLOCAL | BOTHER;
  line.c_ispeed = baud;
  line.c_ospeed = baud;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;

  if (ioctl (fd, TCSETS2, &line) != 0 || ioctl (fd, TCGETS2, &line) != 0)
    return FALSE;

  *actual_baud = line.c_ispeed;

  return TRUE;
}
