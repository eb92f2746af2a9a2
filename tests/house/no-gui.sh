#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything but the window builds, and passes its tests, on a machine that has no GTK.
#
#   no-gui.sh SOURCE FOLDER
#
# FOLDER keeps the build, so that the next run compiles only what changed. GTK is out of sight: its
# headers lie outside the compiler's own paths, and this pkg-config has never heard of it.
set -uo pipefail
source=$1 folder=$2
n=0 failed=0
ok () {                                             # status, name, [log]
  n=$((n + 1))
  if [ "$1" = 0 ]; then
    echo "ok $n $2"
  else
    failed=1
    echo "not ok $n $2"
    [ -z "${3:-}" ] || tail -n 60 "$3" | sed 's/^/# /'
  fi
}
done_ () { echo "1..$n"; exit $failed; }

mkdir -p "$folder/bin"
log=$folder/log
real=$(command -v pkg-config) || { echo "1..0 # SKIP no pkg-config"; exit 0; }
cat > "$folder/bin/pkg-config" <<WRAPPER
#!/bin/bash
for a in "\$@"; do
  case \$a in
    gtk4*|gtk+*|gdk*|libadwaita*|gtk4-*) echo "Package '\$a' is not installed here" >&2; exit 1 ;;
  esac
done
exec "$real" "\$@"
WRAPPER
chmod +x "$folder/bin/pkg-config"
export PATH=$folder/bin:$PATH PKG_CONFIG=$folder/bin/pkg-config
unset DISPLAY WAYLAND_DISPLAY MESON_TEST_ITERATION

! pkg-config --exists gtk4 && ! pkg-config --exists libadwaita-1
ok $? /house/no-gui/gtk-is-out-of-sight

options=(-Dgui=disabled -Dbuildtype=debugoptimized -Dwerror=true)
if [ ! -f "$folder/build/build.ninja" ]; then
  rm -rf "$folder/build"
  meson setup "$folder/build" "$source" "${options[@]}" >"$log" 2>&1
  status=$?
  ok $status /house/no-gui/configures "$log"
  [ $status = 0 ] || done_
fi
nice -n 5 ninja -C "$folder/build" >"$log" 2>&1
status=$?
ok $status /house/no-gui/builds "$log"
[ $status = 0 ] || done_

# The rooms' own tests; not those that look at the tree, and not this one again.
nice -n 5 meson test -C "$folder/build" --no-rebuild --print-errorlogs --no-suite house \
  --timeout-multiplier 3 >"$log" 2>&1
status=$?
ok $status /house/no-gui/tests-pass "$log"
sed -n 's/^\(Ok\|Fail\|Expected Fail\|Unexpected Pass\|Skipped\|Timeout\): */# \1: /p' "$log"

gtk=$(find "$folder/build" -type f -executable ! -name '*.so*' -print0 |
  xargs -0 -r ldd 2>/dev/null | grep -E 'lib(gtk|gdk|gsk|adwaita)[-.]' | head -n 3)
[ -z "$gtk" ]
ok $? /house/no-gui/links-no-gtk
[ -z "$gtk" ] || echo "# $gtk"
[ -x "$folder/build/app/taskscope-cli" ] && [ ! -e "$folder/build/app/taskscope" ]
ok $? /house/no-gui/programs
done_
