#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Flatpak, really built and really run, with nothing but a Debian mirror; and the tests on Debian 13.
#
#   local.sh flatpak [FOLDER]   check, build, bundle, install, run; pictures and figures to FOLDER
#   local.sh trixie [ARGUMENTS] build and test in a Debian 13 tree (ARGUMENTS go to "meson test")
#   local.sh sources            fetch the modules' sources and compare them with the manifest's pins
#   local.sh clean              remove the cache
#
# GNOME's runtime cannot be downloaded from a Debian mirror. A Platform and an Sdk made of Debian 13
# packages (GTK 4.18, libadwaita 1.7) stand in for it: they hold what GNOME's hold of what we use, and
# none of what the manifest's modules bring. The modules are built offline from Debian's archives of
# the same upstream releases. What differs from the manifest is printed, line by line.
#
# Variables: TASKSCOPE_CACHE (default ~/.cache/taskscope-dev), TASKSCOPE_MIRROR (apt's own).
# It touches neither the user's nor the system's Flatpak installation. Everything it starts ends with it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
app=io.github.taskscope.Taskscope
manifest=$here/$app.yml
cache=${TASKSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/taskscope-dev}
suite=trixie
platform=io.local.DebianPlatform sdk=io.local.DebianSdk
arch=$(uname -m)

say () { printf '== %s\n' "$*"; }
note () { printf '   not GNOME here: %s\n' "$*"; }
die () { printf 'flatpak: %s\n' "$*" >&2; exit 1; }
need () {
  local t
  for t in "$@"; do
    command -v "$t" >/dev/null || die "$t is missing; './dev flatpak' and './dev trixie' install it"
  done
}
mirror () {
  if [ -n "${TASKSCOPE_MIRROR:-}" ]; then
    echo "$TASKSCOPE_MIRROR"
  else
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1
  fi
}

# What org.gnome.Platform has of what we use.
runtime_packages="libgtk-4-1 libgtk-4-common libadwaita-1-0 libglib2.0-bin libjson-glib-1.0-0
  libsqlite3-0 libcairo2 libpangocairo-1.0-0 adwaita-icon-theme hicolor-icon-theme shared-mime-info
  fontconfig-config fonts-dejavu-core fonts-cantarell dconf-gsettings-backend librsvg2-common"
# What org.gnome.Sdk has beside that; the last line is for tests in its sandbox.
sdk_packages="$runtime_packages build-essential pkgconf meson ninja-build cmake autoconf automake
  libtool m4 bison flex gettext git file python3 zlib1g-dev libglib2.0-dev-bin libgtk-4-dev
  libadwaita-1-dev libjson-glib-dev libsqlite3-dev gtk-update-icon-cache desktop-file-utils appstream
  appstream-util libxml2-utils
  sqlite3"

tree () {                                           # folder, packages: a Debian without docs
  mmdebstrap --quiet --variant=minbase --components=main \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-include=/usr/share/locale/locale.alias' \
    --include="$(tr -s ' \n' ',' <<<"$2" | sed 's/^,//;s/,$//')" \
    "$suite" "$1" "$(mirror)"
}

# ---------------------------------------------------------------- Platform and Sdk
key=$(printf '%s\n' "v2 $suite $runtime_packages $sdk_packages" | sha256sum | cut -c1-12)
export FLATPAK_USER_DIR=$cache/runtime-$key/user

export_tree () {                                    # folder, id: its /usr and /etc as a runtime
  local t=$1 id=$2 d=$1.export
  mkdir "$d"; mv "$t/usr" "$d/usr"; rm -rf "$d/usr/etc"; mv "$t/etc" "$d/usr/etc"
  ( cd "$d/usr/etc"                                 # these come from the host, or from flatpak
    rm -rf passwd passwd- group group- shadow shadow- gshadow gshadow- hosts hostname resolv.conf \
      machine-id localtime timezone mtab fstab apt systemd init.d
    printf '%s\n' 'include /run/flatpak/ld.so.conf.d/app-*.conf' 'include /app/etc/ld.so.conf' \
      /app/lib "/app/lib/$arch-linux-gnu" 'include /run/flatpak/ld.so.conf.d/runtime-*.conf' \
      'include /etc/ld.so.conf.d/*.conf' >ld.so.conf )
  cat >"$d/metadata" <<M
[Runtime]
name=$id
runtime=$platform/$arch/$suite
sdk=$sdk/$arch/$suite

[Environment]
XDG_DATA_DIRS=/app/share:/usr/share:/usr/share/runtime/share:/run/host/user-share:/run/host/share
M
  flatpak build-export --runtime --files=usr --disable-sandbox "$FLATPAK_USER_DIR/../repo" "$d" \
    "$suite" >/dev/null
  rm -rf "$t" "$d"
}
make_runtime () {
  local d=$cache/runtime-$key began=$SECONDS p
  need flatpak ostree mmdebstrap bwrap
  if [ -e "$d/done" ]; then say "Platform and Sdk from the cache"; return; fi
  bwrap --ro-bind / / --unshare-user true 2>/dev/null || die "no user namespaces: bubblewrap cannot work here"
  say "making a Platform and an Sdk from Debian $suite (minutes, once)"
  rm -rf "$d"; mkdir -p "$d"
  # bare-user-only: hard links from the repository to the installation, nothing is compressed
  ostree init --repo="$d/repo" --mode=bare-user-only
  tree "$d/p" "$runtime_packages" & p=$!
  tree "$d/s" "$sdk_packages"; wait $p
  export_tree "$d/p" $platform; export_tree "$d/s" $sdk
  flatpak --user remote-add --no-gpg-verify local "file://$d/repo"
  flatpak --user install -y --noninteractive local $platform//$suite $sdk//$suite >/dev/null
  touch "$d/done"
  say "Platform and Sdk ready: $(du -sh "$d" | cut -f1), $((SECONDS - began)) s"
}

# ---------------------------------------------------------------- sources
# Debian's archives of the modules' upstream releases; the pin decides whether they are the same bytes.
fetch_sources () {
  mkdir -p "$cache/sources"
  flatpak-builder --show-manifest "$manifest" >"$cache/manifest.json"
  local s m
  m=$(mirror)
  for s in bookworm trixie; do
    [ -s "$cache/sources/$s.xz" ] ||
      /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file "$m/dists/$s/main/source/Sources.xz" "$cache/sources/$s.xz" >/dev/null
  done
  /usr/bin/python3 -I "$here/local-manifest.py" fetch "$cache/manifest.json" "$cache/sources" "$m"
}

# ---------------------------------------------------------------- checks
check () {
  need flatpak-builder desktop-file-validate appstreamcli
  say "manifest"
  flatpak-builder --show-manifest "$manifest" >"$cache/manifest.json" 2>"$cache/manifest.err" ||
    { cat "$cache/manifest.err"; die "the manifest cannot be read"; }
  if [ -s "$cache/manifest.err" ]; then cat "$cache/manifest.err"; die "flatpak-builder warns"; fi
  /usr/bin/python3 -I "$here/local-manifest.py" check "$cache/manifest.json" || die "see above"
}

# ---------------------------------------------------------------- build, bundle, install
build () {
  local w=$cache/made began=$SECONDS
  need flatpak-builder eu-strip eu-elfcompress
  mkdir -p "$w"
  say "what differs from the manifest"
  note "runtime org.gnome.Platform: Debian $suite packages"
  /usr/bin/python3 -I "$here/local-manifest.py" localise "$cache/manifest.json" "$cache/sources" \
    "$root" "$platform" "$sdk" "$suite" "$w/local.json"
  rm -rf "$w/build" "$w/repo"
  ostree init --repo="$w/repo" --mode=archive
  say "building, offline, tests included"
  flatpak-builder --user --force-clean --disable-rofiles-fuse --disable-updates \
    --state-dir="$w/state-$key" --repo="$w/repo" --default-branch=local "$w/build" "$w/local.json" \
    >"$w/build.log" 2>&1 || { tail -n 80 "$w/build.log"; die "the build failed; all of it: $w/build.log"; }
  say "built in $((SECONDS - began)) s"
  grep -E '^(Ok|Fail|Skipped|Timeout|Expected Fail|Unexpected Pass): ' "$w/build.log" | tr -s ' ' | paste -sd' ' |
    sed 's/^/   tests in the sandbox: /' || true
  flatpak build-bundle "$w/repo" "$w/$app.flatpak" "$app" local
  say "bundle: $(($(stat -c %s "$w/$app.flatpak") / 1024)) KiB"
  local e=$w/build/export/share
  [ -e "$e/applications/$app.desktop" ] || die "the build exports no desktop file"
  [ -n "$(find "$e/icons" -name "$app*")" ] || die "the build exports no icon"
  [ -e "$e/mime/packages/$app.xml" ] || die "the build exports no MIME types"
  # flatpak-builder before 1.3 gives it its older name
  ls "$e/metainfo/$app".*.xml >/dev/null 2>&1 || die "the build exports no metainfo"
  [ -e "$e/dbus-1/services/$app.service" ] || die "the build exports no D-Bus service"
  flatpak --user uninstall -y --noninteractive "$app//local" >/dev/null 2>&1 || true
  flatpak --user install -y --noninteractive --bundle "$w/$app.flatpak" >/dev/null
  say "installed; permissions:"
  flatpak info --user --show-permissions "$app//local" | sed 's/^/   /'
}

# ---------------------------------------------------------------- run
# Inside a session bus of its own: $0 run-inside FOLDER
pids=()
gone () { ! kill -0 "$1" 2>/dev/null; }
end () {
  local n
  kill -TERM "$1" 2>/dev/null || return 0
  for ((n = 0; n < 40; n++)); do gone "$1" && break; sleep 0.1; done
  gone "$1" || kill -KILL "$1" 2>/dev/null
  wait "$1" 2>/dev/null || true
}
await () {                                          # seconds, what, command
  local n limit=$1 what=$2; shift 2
  for ((n = 0; n < limit * 5; n++)); do "$@" && return 0; sleep 0.2; done
  tail -n 20 "$tmp/log" >&2
  die "waited $limit s in vain for $what"
}
window_named () {
  window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1)
  [ -n "$window" ]
}
closed_recording () {                               # a recording, and nothing beside it
  recording=$(find "$data/taskscope/recordings" -name '*.vadb' 2>/dev/null | head -n 1)
  [ -n "$recording" ] && [ ! -e "$recording-wal" ] && [ ! -e "$recording-shm" ]
}
picture () {
  import -window root "$out/$1"
  [ "$(identify -format %k "$out/$1")" -gt 50 ] || die "the picture $1 is blank"
  say "picture: $out/$1"
}
in_app () { flatpak --user run --branch=local "$@"; }
run_inside () {
  out=$1
  tmp=$(mktemp -d "${TMPDIR:-/tmp}/taskscope-flatpak.XXXXXX")
  trap 'for p in "${pids[@]}"; do end "$p"; done; rm -rf "$tmp"' EXIT
  mkdir -m 700 "$tmp/run"
  # a home of its own: the sandbox keeps its files in ~/.var
  export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
  unset WAYLAND_DISPLAY XAUTHORITY XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME
  data=$tmp/.var/app/$app/data
  Xvfb -displayfd 9 -screen 0 1280x800x24 -nolisten tcp -noreset 9>"$tmp/display" >"$tmp/x.log" 2>&1 &
  pids+=($!)
  : >"$tmp/log"
  await 10 "an X server" test -s "$tmp/display"
  export DISPLAY=:$(tr -dc 0-9 <"$tmp/display")
  local env=(--env=GSK_RENDERER=cairo --env=ADW_DISABLE_PORTAL=1 --env=GSETTINGS_BACKEND=memory
    --env=GTK_A11Y=none)

  say "the command line: $(in_app --command=taskscope-cli $app version 2>&1 | tr -s ' \n' ' ' | cut -c1-100)"
  say "the window, recording the demo target"
  in_app "${env[@]}" $app --demo >"$tmp/log" 2>&1 &
  local p=$!
  pids+=("$p")
  await 40 "the window" window_named '.vadb'
  xdotool windowfocus "$window"
  sleep 3
  picture flatpak-live.png
  xdotool key ctrl+r
  await 20 "the closed recording" closed_recording
  say "recorded $(($(stat -c %s "$recording") / 1024)) KiB; beside it: $(ls "$(dirname "$recording")" | wc -l) file"
  xdotool key ctrl+q
  end "$p"
  say "opening the recording"
  in_app "${env[@]}" $app "/var/data/taskscope/recordings/$(basename "$recording")" >"$tmp/log" 2>&1 &
  p=$!
  pids+=("$p")
  await 40 "the window" window_named "$(basename "$recording")"
  sleep 2
  picture flatpak-recording.png
  end "$p"
  say "exporting"
  local f
  for f in png pdf csv; do
    in_app --command=taskscope-cli $app export --recording "/var/data/taskscope/recordings/$(basename "$recording")" \
      --to $f --output /var/data/export.$f >"$tmp/log" 2>&1 || { cat "$tmp/log"; die "the export to $f failed"; }
    [ -s "$data/export.$f" ] || die "the export to $f left no file"
  done
  cp "$data/export.png" "$out/flatpak-export.png"
  say "exported png, pdf and csv ($(wc -l <"$data/export.csv") rows)"
  if grep -hE 'CRITICAL|WARNING' "$tmp/log"; then die "the program warned"; fi
}
run () {
  need Xvfb dbus-run-session xdotool import identify
  mkdir -p "$1"
  dbus-run-session -- bash "$0" run-inside "$(cd "$1" && pwd)"
}

# ---------------------------------------------------------------- Debian 13
trixie () {
  local packages="${TASKSCOPE_PACKAGES:?set by ./dev}" k d began=$SECONDS f etc=() log
  need mmdebstrap bwrap
  k=$(printf '%s\n' "v1 $packages" | sha256sum | cut -c1-12)
  d=$cache/trixie-$k
  if [ ! -e "$d.done" ]; then
    say "making a Debian $suite tree (minutes, once)"
    rm -rf "$d"; mkdir -p "$cache"
    tree "$d" "build-essential $packages"
    touch "$d.done"
    say "tree ready: $(du -sh "$d" | cut -f1), $((SECONDS - began)) s"
  fi
  rm -rf "$root/build-trixie/src"
  mkdir -p "$root/build-trixie/src"
  log=$root/build-trixie/dev.log
  # the files git knows, as they are now: whoever goes on editing does not disturb the build
  git -C "$root" ls-files -z | (cd "$root" && while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done) |
    tar -C "$root" -c --null -T - | tar -C "$root/build-trixie/src" -x
  local run=(bwrap --bind "$d" / --proc /proc --ro-bind /sys /sys --dev /dev --tmpfs /tmp --tmpfs /run
    --ro-bind "$root/build-trixie/src" /usr/src/taskscope --bind "$root/build-trixie" /usr/src/build
    --unshare-net --unshare-pid --unshare-ipc --die-with-parent --clearenv --setenv HOME /tmp
    --setenv LANG C.UTF-8 --setenv PATH /usr/bin:/usr/sbin:/bin:/sbin --setenv CI "${CI:-}"
    --chdir /usr/src/taskscope)
  if [ -d "${TASKSCOPE_SHARED:-$root/../shared}" ]; then
    run+=(--ro-bind "$(cd "${TASKSCOPE_SHARED:-$root/../shared}" && pwd)" /usr/src/shared --setenv TASKSCOPE_SHARED /usr/src/shared)
  fi
  began=$SECONDS
  say "building on Debian $suite"
  "${run[@]}" bash -euc '
    printf "   gcc %s, GTK %s, libadwaita %s, GLib %s, meson %s\n" "$(gcc -dumpfullversion)" \
      $(pkg-config --modversion gtk4 libadwaita-1 glib-2.0) "$(meson --version)"
    cd /usr/src/build
    [ -f out/build.ninja ] || meson setup out /usr/src/taskscope --fatal-meson-warnings -Dgui=enabled -Dwerror=true
    ninja -k 50 -C out' >"$log" 2>&1 || { tail -n 60 "$log"; die "the build failed; all of it: $log"; }
  grep '^   gcc' "$log"
  say "built in $((SECONDS - began)) s with $(grep -c 'warning: ' "$log" || true) warnings (warnings are errors)"
  say "testing on Debian $suite"
  local status=0
  "${run[@]}" bash -uc 'cd /usr/src/build/out && meson test --no-rebuild --print-errorlogs --no-suite nested \
    --timeout-multiplier 3 "$@"' bash "$@" || status=$?
  /usr/bin/python3 -I "$root/tests/house/count-tests.py" "$root/build-trixie/out/meson-logs/testlog.json" "$status"
}

mkdir -p "$cache"
command=${1:-help}
[ $# = 0 ] || shift
case $command in
  flatpak)
    began=$SECONDS
    check; make_runtime; fetch_sources; build
    run "${1:-$cache/pictures}"
    say "not to be had here, so not tried: GNOME's own runtime, Flathub's linter, the file chooser portal, USB"
    say "the Flatpak works ($((SECONDS - began)) s in all; the bundle: $cache/made/$app.flatpak)"
    ;;
  trixie) trixie "$@" ;;
  sources) fetch_sources ;;
  check) check ;;
  run) run "${1:-$cache/pictures}" ;;
  run-inside) run_inside "$1" ;;
  clean) rm -rf "${cache:?}" ;;
  *) sed -n '3,19{s/^# \{0,1\}//;p}' "$0"; [ "$command" = help ] || exit 2 ;;
esac
