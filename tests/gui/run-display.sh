#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a test program on a virtual display and a session bus of its own, and with folders of its own,
# so that nothing appears on anybody's screen and nothing of theirs is read or changed. Without Xvfb
# the program runs without a display, and skips itself.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/taskscope-gui.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
mkdir -m 700 "$tmp/run"
export HOME="$tmp" XDG_CONFIG_HOME="$tmp/config" XDG_DATA_HOME="$tmp/data" XDG_CACHE_HOME="$tmp/cache" XDG_STATE_HOME="$tmp/state" \
  XDG_RUNTIME_DIR="$tmp/run" GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable GTK_A11Y=test \
  ADW_DISABLE_PORTAL=1
unset WAYLAND_DISPLAY
if command -v xvfb-run >/dev/null && command -v dbus-run-session >/dev/null; then
  # -r: a key that is held for long, because the machine is busy, is not repeated.
  # The services of the session print as they like: only the test itself speaks to who reads its output.
  xvfb-run -a -s '-screen 0 1280x800x24 -nolisten tcp -r' dbus-run-session -- \
    sh -c 'exec "$@" >&9 9>&-' sh "$@" 9>&1 >&2
else
  unset DISPLAY
  "$@"
fi
