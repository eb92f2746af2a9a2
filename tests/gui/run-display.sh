#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a test program on a virtual display and a session bus of its own, so that nothing appears on
# anybody's screen and nothing of their settings is read. Without Xvfb the program runs as it is and
# skips itself.
export GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable GTK_A11Y=test ADW_DISABLE_PORTAL=1
unset WAYLAND_DISPLAY
if command -v xvfb-run >/dev/null && command -v dbus-run-session >/dev/null; then
  exec xvfb-run -a -s '-screen 0 1280x800x24 -nolisten tcp' dbus-run-session -- "$@"
fi
unset DISPLAY
exec "$@"
