#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures of the window on a virtual display: empty, live, a recording, a selected range.
#
#   shot.sh [-b BUILD] [-o FOLDER] [-s "1280x800 1920x1080"] [-t "light dark"]
#           [-r RECORDING] [SCENE...]
#
# Scenes: empty connect probe trigger recording range zoomed statistics findings communication
# search export measure live zooms levels compare states rtl german chinese contrast large help. Pictures go to
# BUILD/shots/SCENE-THEME-SIZE.png.
# The scene "manual" makes those of the manual and of the README again, in data/help and docs.
# Needs Xvfb, dbus-run-session, xdotool, imagemagick. Everything started here is ended by its own
# process id, and runs with settings and folders of its own.
set -u -o pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build out='' sizes='1280x800 1920x1080' themes='light dark' given=''
while getopts b:o:s:t:r:h f; do
  case $f in
    b) build=$OPTARG ;; o) out=$OPTARG ;; s) sizes=$OPTARG ;; t) themes=$OPTARG ;;
    r) given=$(realpath "$OPTARG") ;;
    *) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
scenes=${*:-empty connect recording range zoomed live}
out=${out:-$build/shots}
program=$build/app/taskscope
cli=$build/app/taskscope-cli
say () { printf 'shot: %s\n' "$*" >&2; }

if [ -z "${SHOT_INSIDE:-}" ]; then
  for tool in Xvfb dbus-run-session xdotool xprop import identify; do
    command -v $tool >/dev/null || { say "$tool is missing: ./dev deps installs it"; exit 3; }
  done
  [ -x "$program" ] || { say "there is no $program: ./dev build makes it"; exit 3; }
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  build=$(cd "$build" && pwd)
  SHOT_INSIDE=1 exec dbus-run-session -- bash "$0" -b "$build" -o "$out" -s "$sizes" -t "$themes" \
    ${given:+-r "$given"} $scenes
fi

tmp=$(mktemp -d "${TMPDIR:-/tmp}/taskscope-shot.XXXXXX") || exit 3
x_pid='' pid='' failed=0
gone () { ! kill -0 "$1" 2>/dev/null; }
end () {                                     # asks first, insists after two seconds
  local n
  [ -n "$1" ] || return 0
  kill -TERM "$1" 2>/dev/null
  for ((n = 0; n < 20; n++)); do gone "$1" && break; sleep 0.1; done
  gone "$1" || kill -KILL "$1" 2>/dev/null
  wait "$1" 2>/dev/null
}
cleanup () { end "$pid"; end "$x_pid"; rm -rf "$tmp"; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -m 700 "$tmp/run"
mkdir -p "$tmp/config/gtk-4.0" "$tmp/cache" "$tmp/.local/share"
cat >"$tmp/config/gtk-4.0/settings.ini" <<'INI'
[Settings]
gtk-enable-animations=false
gtk-cursor-blink=false
gtk-font-name=Cantarell 11
gtk-xft-antialias=1
gtk-xft-hinting=1
gtk-xft-hintstyle=hintslight
gtk-xft-rgba=none
INI
# Settings of this run alone; hints are for those who are new.
mkdir -p "$tmp/config/glib-2.0/settings"
printf '[io/github/taskscope/Taskscope]\nshow-hints=false\n' >"$tmp/config/glib-2.0/settings/keyfile"
export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run XDG_CONFIG_HOME=$tmp/config XDG_CACHE_HOME=$tmp/cache \
  XDG_DATA_HOME=$tmp/.local/share XDG_STATE_HOME=$tmp/state GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable \
  ADW_DISABLE_PORTAL=1 GSETTINGS_BACKEND=keyfile GSETTINGS_SCHEMA_DIR=$build/data GIO_USE_VFS=local \
  LANG=C.UTF-8 TZ=UTC
unset WAYLAND_DISPLAY XAUTHORITY DESKTOP_STARTUP_ID

dpi () {                                     # dots per inch of text, as a desktop's text size sets it
  xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER "Xft.dpi: $1"
}
start_x () {                                 # the server itself chooses a free display
  rm -f "$tmp/display"
  Xvfb -displayfd 9 -screen 0 "$1x24" -dpi 96 -nolisten tcp -noreset 9>"$tmp/display" \
    >"$tmp/xvfb.log" 2>&1 &
  x_pid=$!
  for ((n = 0; n < 100; n++)); do [ -s "$tmp/display" ] && break; sleep 0.05; done
  [ -s "$tmp/display" ] || { say "no X server"; cat "$tmp/xvfb.log" >&2; exit 3; }
  export DISPLAY=:$(tr -dc 0-9 <"$tmp/display")
}
wrap=()                                      # what the program is started by
start_program () {
  local n
  "${wrap[@]}" "$program" "$@" >"$tmp/log" 2>&1 &
  pid=$!
  window=''
  for ((n = 0; n < 200; n++)); do
    for window in $(xdotool search --onlyvisible --name . 2>/dev/null); do
      [ "$(xdotool getwindowgeometry --shell "$window" 2>/dev/null |
        sed -n 's/^WIDTH=//p')" -gt 50 ] 2>/dev/null && break 2
      window=''
    done
    gone "$pid" && break
    sleep 0.1
  done
  [ -n "$window" ] || { say "no window came"; tail -n 20 "$tmp/log" >&2; failed=1; return 1; }
  xdotool windowsize --sync "$window" "$width" "$height" windowmove "$window" 0 0 2>/dev/null
  xdotool windowfocus "$window" 2>/dev/null
}
title_has () {                               # waits until the window's title is a recording's
  local n
  for ((n = 0; n < 150; n++)); do
    xdotool getwindowname "$window" 2>/dev/null | grep -q "$1" && { sleep 0.8; return 0; }
    sleep 0.1
  done
  say "no window named $1"
  failed=1
}
drag () {                                    # in steps: one jump is no drag
  local n
  xdotool mousemove "$1" "$2" mousedown 1
  for ((n = 1; n <= 10; n++)); do
    xdotool mousemove $(($1 + ($3 - $1) * n / 10)) $(($2 + ($4 - $2) * n / 10))
    sleep 0.03
  done
  xdotool mouseup 1
}
picture () {
  local file=$out/$1-$theme-$size.png colours
  import -window root "$file" || { failed=1; return; }
  colours=$(identify -format %k "$file")
  say "$file ($colours colours)"
  [ "$colours" -gt 50 ] || { say "the picture is blank"; failed=1; }
}

duration_us () {
  "$cli" load "$recording" | sed -n 's/.*"duration_us":\([0-9]*\).*/\1/p'
}

shipped () {                                 # file, width x height + x + y of it
  import -window root -crop "$2" +repage "$tmp/shipped.png" || { failed=1; return; }
  convert "$tmp/shipped.png" +dither -colors 255 -define png:compression-level=9 -strip "PNG8:$root/$1"
  say "$root/$1 ($(identify -format '%wx%h, %k colours' "$root/$1"))"
}

recording=$tmp/motor-ctrl.vadb
if [ -n "$given" ]; then ln -s "$given" "$recording"; else
"$cli" demo --output "$recording" --events 250000 --seed 7 >"$tmp/cli.log" 2>&1 ||
  { say "no recording to open"; cat "$tmp/cli.log" >&2; exit 4; }
fi

scene () {
  case $1 in
    empty)
      start_program || return
      sleep 0.8; picture empty ;;
    connect)
      start_program --connection "$root/data/connections/serial.vacf" || return
      sleep 0.8; picture connect ;;
    probe)
      wrap=("$build/tests/emulator/emulated-probe" --probe v3 --serial 0042001F3038510934333935
        --packets "$root/tests/data/m4_short.raw" --)
      [ -x "${wrap[0]}" ] || { say "there is no ${wrap[0]}"; failed=1; wrap=(); return; }
      start_program --connection "$root/data/connections/stlink-rambuf.vacf" || { wrap=(); return; }
      wrap=()
      sleep 2; picture probe ;;
    trigger)
      printf '%s\n' '{"transport": "demo", "trigger": "lane:Control value>1e9 or loss",' \
        '"trigger-before-ms": 5000, "trigger-after-ms": 1000}' >"$tmp/trigger.vacf"
      start_program --connection "$tmp/trigger.vacf" --demo || return
      sleep 3; picture trigger ;;
    recording)
      start_program "$recording" || return
      title_has motor-ctrl; xdotool mousemove $((width / 2)) $((height / 2)); sleep 0.5
      picture recording ;;
    range)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool mousemove $((width * 4 / 10)) 330 click 1; sleep 0.3
      drag $((width * 35 / 100)) 288 $((width * 55 / 100)) 290
      sleep 1; picture range ;;
    zoomed)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in $(seq 18); do xdotool key plus; done
      xdotool mousemove $((width * 4 / 10)) 330 click 1
      sleep 1; picture zoomed ;;
    statistics)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool key alt+2; sleep 1.5; picture statistics ;;
    findings)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool key alt+3; sleep 1.5; picture findings ;;
    communication)
      start_program "$recording" || return
      title_has motor-ctrl
      xdotool key alt+4; sleep 1.5; picture communication ;;
    search)
      start_program "$recording" || return
      title_has motor-ctrl
      xdotool key ctrl+f; sleep 0.3; xdotool type 'lane:storage'; sleep 1; xdotool key Return
      sleep 1; picture search
      xdotool key ctrl+Return; sleep 1.2; picture filter ;;
    export)
      start_program "$recording" || return
      title_has motor-ctrl
      drag $((width * 35 / 100)) 288 $((width * 55 / 100)) 290
      xdotool key ctrl+shift+s; sleep 1; picture export
      xdotool key alt+k; sleep 0.5; xdotool key Down Return; sleep 1; picture export-kinds ;;
    zooms)
      start_program "$recording" || return
      title_has motor-ctrl
      # as a whole, wherever it was left; then its beginning, where something happens
      xdotool mousemove $((width * 3 / 10)) 330 click 1; sleep 0.3
      xdotool key 0; sleep 0.7; picture zoom-1
      for level in 2 3 4 5; do
        for n in $(seq 9); do xdotool key plus; done
        xdotool key Home; sleep 1; picture zoom-$level
      done ;;
    levels)                                  # no window: the whole, then its beginning ever closer
      for level in 1 100 10000 1000000 100000000; do
        file=$out/level-$level-$theme-$size.png
        "$cli" export --recording "$recording" --to png --output "$file" --t-start-us 0 \
          --t-end-us $((($(duration_us) + level - 1) / level)) --width "$width" \
          --height "${size#*x}" $([ "$theme" = dark ] && echo --dark) >"$tmp/cli.log" 2>&1 ||
          { say "no picture"; cat "$tmp/cli.log" >&2; failed=1; continue; }
        say "$file ($(identify -format %k "$file") colours)"
      done ;;
    compare)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool key ctrl+shift+o; sleep 1.5
      xdotool type "$recording"; sleep 0.5; xdotool key Return; sleep 3; picture compare ;;
    states)
      export GSETTINGS_BACKEND=keyfile
      gsettings set io.github.taskscope.Taskscope color-by state
      start_program "$recording" || return
      export GSETTINGS_BACKEND=memory
      title_has motor-ctrl
      for n in $(seq 18); do xdotool key plus; done
      sleep 1; picture states ;;
    measure)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool mousemove $((width * 25 / 100)) 375 click 1; sleep 0.3; xdotool key p; sleep 0.3
      xdotool key m; sleep 0.5; xdotool type 'begin'; xdotool key Return; sleep 0.3
      xdotool mousemove $((width * 45 / 100)) 400; xdotool key c; sleep 0.3
      xdotool key alt+5; sleep 0.5
      xdotool mousemove $((width / 20)) 290 click 3; sleep 0.8; picture measure ;;
    rtl)                                     # a pseudo translation, from right to left
      python3 -I "$root/tests/gui/pseudo.py" "$root/po/de.po" "$tmp/pseudo" || { failed=1; return; }
      LANGUAGE=ar TASKSCOPE_LOCALEDIR=$tmp/pseudo start_program "$recording" || return
      title_has motor-ctrl; sleep 1; picture rtl ;;
    german|chinese)
      language=de; [ "$1" = german ] || language=zh_CN
      LANGUAGE=$language TASKSCOPE_LOCALEDIR=$build/po start_program "$recording" || return
      title_has motor-ctrl; picture "$1"
      xdotool key F1; sleep 1.5; picture "$1-help" ;;
    contrast)
      ADW_DEBUG_HIGH_CONTRAST=1 start_program "$recording" || return
      title_has motor-ctrl
      for n in $(seq 16); do xdotool key plus; done
      sleep 1; picture contrast ;;
    large)                                   # text of twice the size
      dpi 192
      start_program "$recording" || return
      title_has motor-ctrl; sleep 1; picture large
      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key plus; done
      xdotool mousemove $((width * 6 / 10)) $((height * 5 / 10)) click 1; sleep 0.3
      xdotool key F9; sleep 1; picture large-capture
      xdotool key F9 alt+2; sleep 1.5; picture large-statistics
      xdotool key ctrl+f; sleep 0.3; xdotool type 'lane:storage'; xdotool key Return; sleep 1
      xdotool key ctrl+Return; sleep 1.2; picture large-filter
      dpi 96 ;;
    help)
      start_program || return
      xdotool key F1; sleep 1.5; picture help ;;
    manual)
      start_program "$recording" || return
      title_has motor-ctrl
      for n in $(seq 16); do xdotool key plus; done
      xdotool key F9
      xdotool mousemove 620 330 click 1; sleep 0.5
      drag 560 288 760 290; sleep 1
      xdotool mousemove 700 560; sleep 0.5
      shipped data/help/window.png 1280x800+0+0
      shipped docs/taskscope.png 1280x800+0+0
      xdotool key F9 shift+F9 ctrl+F9 Escape; sleep 1
      xdotool mousemove 900 300
      for n in 1 2; do xdotool key plus; done; sleep 1
      shipped data/help/lanes.png 1280x640+0+46
      xdotool key ctrl+F9 0; sleep 0.5
      for n in $(seq 12); do xdotool key plus; done
      xdotool key alt+3; sleep 2
      shipped data/help/findings.png 1280x500+0+300
      end "$pid"; pid=''
      start_program --demo || return
      title_has demo; sleep 3
      shipped data/help/capture.png 290x560+0+52 ;;
    live)
      start_program --demo || return
      title_has demo; sleep 4; picture live ;;
    *) say "there is no scene $1"; exit 2 ;;
  esac
}

for size in $sizes; do
  width=${size%x*} height=${size#*x}
  start_x "$size"
  for theme in $themes; do
    export ADW_DEBUG_COLOR_SCHEME=prefer-$theme
    for name in $scenes; do
      scene "$name"
      if grep -E 'CRITICAL|WARNING' "$tmp/log" >&2; then failed=1; fi
      end "$pid"; pid=''
    done
  done
  end "$x_pid"; x_pid=''
done
exit $failed
