#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the house itself, as TAP. Standard library only.

    check-house.py CHECK SOURCE BUILD [no-gui]

CHECK is one of: arrows headers spdx potfiles tree docs data samples links install
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHECK, ROOT, BUILD = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
WITH_GUI = "no-gui" not in sys.argv[4:]
APP_ID = "io.github.taskscope.Taskscope"
ENV = dict(os.environ, LC_ALL="C.UTF-8")
results = []


def report(name, problems, limit=20):
    """One TAP line, and a line for each problem."""
    results.append(not problems)
    print("%sok %d %s" % ("not " if problems else "", len(results), name))
    for p in problems[:limit]:
        print("# " + p.replace("\n", "\n#   "))
    if len(problems) > limit:
        print("# ... and %d more" % (len(problems) - limit))


def skip(name, why):
    results.append(True)
    print("ok %d %s # SKIP %s" % (len(results), name, why))


def run(args, **kw):
    return subprocess.run([str(a) for a in args], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", env=ENV, **kw)


def tracked():
    """The files of the tree: git's, or all but build folders in an unpacked archive."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        r = run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z"])
        if r.returncode == 0:
            return sorted(f for f in r.stdout.split("\0") if f and (ROOT / f).is_file())
    out = []
    for base, dirs, files in os.walk(ROOT):
        dirs[:] = [d for d in dirs if not d.startswith("build") and d not in (".git", "__pycache__")
                   and not (Path(base) / d).resolve() == BUILD]
        out += [str((Path(base) / f).relative_to(ROOT)) for f in files]
    return sorted(out)


FILES = tracked()


def text(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


# ---------------------------------------------------------------- arrows
# Room -> rooms it may include, and headers of the outside world it must not.
GTK = r"gtk/|gdk/|gsk/|adwaita|libadwaita"
SQL = r"sqlite3"
WIRE = r"libserialport|libusb|sys/socket|netinet/|gio/gunixsocket|termios|sys/ioctl"
THREADS = r"pthread\.h|threads\.h"
ROOMS = {
    "model": ((), GTK + "|cairo|pango|libserialport|libusb"),
    "decode": (("model",), "|".join((GTK, "cairo", "pango", SQL, THREADS, WIRE))),
    "capture": (("model", "decode"), "|".join((GTK, "cairo", "pango"))),
    "ui/draw": (("model",), "|".join((GTK, SQL, WIRE))),
    "ui": (("model", "decode", "capture", "ui/draw"), "|".join((SQL, WIRE))),
    "app": (("model", "decode", "capture", "ui/draw", "ui"), "|".join((SQL, WIRE))),
}
# decode speaks the language of events; it does not know that there are recordings.
DECODE_SEES = re.compile(r"^ts-(event|event-sink|object|model-error|tracker-private)\.h$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def room_of(name):
    for room in ("ui/draw", "ui", "model", "decode", "capture", "app"):
        if name.startswith(room + "/"):
            return room
    return None


def headers_by_name():
    by = {}
    for f in FILES:
        if f.endswith(".h") and room_of(f):
            by.setdefault(os.path.basename(f), set()).add(f)
    return by


def resolve(name, include, by):
    """The file of the tree that a quoted include means, or None."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), include))
    for candidate in (beside, os.path.normpath(include)):
        if (ROOT / candidate).is_file():
            return candidate
    found = by.get(os.path.basename(include), ())
    return next(iter(found)) if len(found) == 1 else None


def check_arrows():
    by = headers_by_name()
    up, foreign, private, upstairs = [], [], [], []
    for name in FILES:
        room = room_of(name)
        if not room or not name.endswith((".c", ".h")):
            continue
        may, never = ROOMS[room]
        for kind, inc in INCLUDE.findall(text(name)):
            if re.match(never, inc):
                foreign.append("%s includes <%s>, which has no place in %s/" % (name, inc, room))
                continue
            target = resolve(name, inc, by) if kind == '"' or inc.startswith("ts-") else None
            there = room_of(target) if target else None
            if not there or there == room:
                continue
            if there not in may:
                up.append("%s includes %s: %s/ may include %s"
                          % (name, target, room, ", ".join(may) or "no other room"))
            elif room == "decode" and not DECODE_SEES.match(os.path.basename(target)):
                up.append("%s includes %s: decode/ sees events, objects and the sink only"
                          % (name, target))
            elif target.endswith("-private.h") and not DECODE_SEES.match(os.path.basename(target)):
                private.append("%s includes %s, private to %s/" % (name, target, there))
    for name in FILES:
        if not name.startswith("tests/") or not name.endswith((".c", ".h")):
            continue
        rooms = {room_of(t) for _, inc in INCLUDE.findall(text(name))
                 for t in [resolve(name, inc, by)] if t and t.endswith("-private.h")}
        if len(rooms - {None}) > 1:
            upstairs.append("%s reads private headers of %s" % (name, " and ".join(sorted(rooms))))
    report("/house/arrows/rooms", up)
    report("/house/arrows/foreign-headers", foreign)
    report("/house/arrows/private-headers", private)
    report("/house/arrows/tests-one-room", upstairs)


# ---------------------------------------------------------------- headers
PACKAGES = {
    "model": "glib-2.0 gio-unix-2.0 sqlite3 json-glib-1.0",
    "decode": "glib-2.0 gio-2.0",
    "capture": "glib-2.0 gio-unix-2.0 json-glib-1.0 libserialport sqlite3",
    "ui/draw": "glib-2.0 gio-unix-2.0 json-glib-1.0 cairo pangocairo",
    "ui": "glib-2.0 gio-unix-2.0 json-glib-1.0 gtk4 libadwaita-1",
    "app": "glib-2.0 gio-unix-2.0 json-glib-1.0 gtk4 libadwaita-1",
}


def check_headers():
    cc = shlex.split(os.environ.get("CC", "")) or ["cc"]
    flags = {}
    for room, packages in PACKAGES.items():
        if room in ("ui", "app") and not WITH_GUI:
            continue
        r = run(["pkg-config", "--cflags"] + packages.split())
        flags[room] = shlex.split(r.stdout) if r.returncode == 0 else None

    def compile_one(name):
        # A header alone, with no more than its room may see; twice, for the include guard.
        source = '#include "%s"\n#include "%s"\n' % (name, name)
        r = subprocess.run(cc + ["-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra",
                                 "-Wno-unused-parameter", "-Wno-unused-function", "-Werror",
                                 "-I", str(ROOT), "-I", str(BUILD)]
                           + flags[room_of(name)] + ["-x", "c", "-"],
                           input=source, capture_output=True, text=True, env=ENV)
        return name, r.returncode, r.stderr

    # Two libraries are not needed to build: without them, what wraps them cannot be looked at
    wraps = set()
    for package, names in (("libusb-1.0", {"capture/ts-usb-private.h", "capture/ts-stlink-private.h"}),
                           ("babeltrace2", {"capture/ts-ctf-import-private.h"})):
        told = run(["pkg-config", "--cflags", package])
        if told.returncode == 0 and flags["capture"] is not None:
            flags["capture"] += shlex.split(told.stdout)
        wraps |= set() if told.returncode == 0 else names
    headers = [f for f in FILES if f.endswith(".h") and room_of(f) and flags.get(room_of(f)) and f not in wraps]
    without = [room for room, f in flags.items() if f is None]
    report("/house/headers/packages", ["pkg-config cannot tell the flags of %s/" % r for r in without])
    with ThreadPoolExecutor(2) as pool:
        for name, code, err in pool.map(compile_one, headers):
            report("/house/headers/" + name, [err.strip()[:600]] if code else [])
    once = [f for f in headers if "#pragma once" not in text(f)]
    report("/house/headers/pragma-once", once)


# ---------------------------------------------------------------- SPDX lines
NEEDS_SPDX = re.compile(r"\.(c|h|py|sh|ui|build|in|y?ml|xml|svg|css|rules|supp|po|1|mallard|page|vacf)$"
                        r"|(^|/)(meson_options\.txt|LINGUAS|dev|run|\.clang-format)$")
FREE_OF_SPDX = re.compile(r"^tests/(data|fuzz/corpus)/")


def check_spdx():
    missing = []
    for name in FILES:
        if not NEEDS_SPDX.search(name) or FREE_OF_SPDX.search(name):
            continue
        head = text(name)[:1200] if name.endswith((".vacf", ".po")) else "\n".join(text(name).splitlines()[:4])
        if "SPDX-License-Identifier: " not in head:
            missing.append(name)
    report("/house/spdx/every-file", missing)
    other = []
    for name in FILES:
        if FREE_OF_SPDX.search(name) or not NEEDS_SPDX.search(name):
            continue
        m = re.search(r"SPDX-License-Identifier: +([^\s\"*<]+)", text(name)[:1200])
        allowed = ("CC0-1.0",) if "metainfo" in name else ("GPL-3.0-or-later",)
        if m and m.group(1) not in allowed:
            other.append("%s: %s" % (name, m.group(1)))
    report("/house/spdx/licence", other)
    report("/house/spdx/licence-text", [] if "GNU GENERAL PUBLIC LICENSE" in text("LICENSE")
           and "Version 3" in text("LICENSE") else ["LICENSE is not the GPL, version 3"])


# ---------------------------------------------------------------- translations
MARKED_C = re.compile(r"(?<![A-Za-z0-9_])(?:_|N_|C_|NC_|Q_|g_dngettext|g_dgettext|gettext|ngettext|dngettext)\s*\(\s*\"")
NGETTEXT = re.compile(r"(?<![A-Za-z0-9_])n?gettext\s*\(")
MARKED_UI = re.compile(r"translatable=\"(?:yes|true|1)\"")


def strip_comments(source):
    return re.sub(r"/\*.*?\*/", "", source, flags=re.S)


def languages():
    return [lang for line in text("po/LINGUAS").splitlines() if not line.startswith("#")
            for lang in line.split()]


def check_potfiles():
    listed = [line.strip() for line in text("po/POTFILES.in").splitlines()
              if line.strip() and not line.startswith("#")]
    marked = set()
    for name in FILES:
        if name.startswith(("tests/", "po/")):
            continue
        if name.endswith((".c", ".h")):
            source = strip_comments(text(name))
            if MARKED_C.search(source) or NGETTEXT.search(source):
                marked.add(name)
        elif name.endswith(".ui") and MARKED_UI.search(text(name)):
            marked.add(name)
        elif re.search(r"\.(desktop|metainfo\.xml|mime\.xml)\.in$", name):
            marked.add(name)
        elif name.endswith(".gschema.xml") and re.search(r"<(summary|description)>", text(name)):
            marked.add(name)
    report("/house/potfiles/complete", sorted("%s has text to translate, and is not in po/POTFILES.in" % n
                                              for n in marked - set(listed)))
    report("/house/potfiles/exist", sorted("%s is in po/POTFILES.in, and not in the tree" % n
                                           for n in listed if not (ROOT / n).is_file()))
    report("/house/potfiles/sorted-once", [] if len(set(listed)) == len(listed) else
           sorted({n for n in listed if listed.count(n) > 1}))
    # A file that marks texts must have them looked up somewhere: the domain's own header or locale.
    unmarked = []
    for name in FILES:
        if name.endswith(".ui"):
            for m in re.finditer(r"<property name=\"(label|title|subtitle|tooltip-text|placeholder-text|"
                                 r"description)\"([^>]*)>([^<]*[A-Za-z]{2}[^<]*)</property>", text(name)):
                if "translatable" not in m.group(2):
                    unmarked.append("%s: %s \"%s\" is not marked translatable"
                                    % (name, m.group(1), m.group(3).strip()))
    said = re.compile(r"(?<!\w)(gtk_label_new|gtk_label_set_text|gtk_button_new_with_(?:label|mnemonic)|gtk_window_set_title|"
                      r"gtk_widget_set_tooltip_text|adw_toast_new|adw_\w+_set_(?:title|subtitle|description))\s*"
                      r"\((?:[^;\"]*,)?\s*\"([^\"]*[A-Za-z]{2}[^\"]*)\"")
    for name in FILES:
        if name.startswith("ui/") and name.endswith(".c"):
            for m in said.finditer(strip_comments(text(name))):
                unmarked.append("%s: %s \"%s\" is not marked translatable" % (name, m.group(1), m.group(2)))
    report("/house/potfiles/ui-texts-marked", unmarked)
    # gettext knows PRId64 and the like, and cuts a text off at GLib's macros
    cut = []
    pieces = r"(?:\"(?:[^\"\\]|\\.)*\"|PRI\w+|[\s,])*"       # never two ways to read one text
    for name in FILES:
        if name.endswith(".c") and not name.startswith("tests/"):
            for m in re.finditer(r"(?<!\w)(?:_|N_|C_|NC_|ngettext)\s*\(%s(G_G\w+)" % pieces, text(name)):
                cut.append("%s: %s in a text to translate; use PRId64, PRIu64 or zu" % (name, m.group(1)))
    report("/house/potfiles/formats-known-to-gettext", cut)
    bad = []
    for line in text("po/LINGUAS").splitlines():
        if line.strip() and not line.startswith("#"):
            for lang in line.split():
                po = ROOT / "po" / (lang + ".po")
                if not po.is_file():
                    bad.append("po/LINGUAS names %s, there is no po/%s.po" % (lang, lang))
                else:
                    r = run(["msgfmt", "--check", "-o", os.devnull, po])
                    if r.returncode:
                        bad.append(r.stderr.strip())
    report("/house/potfiles/languages", bad)
    # every text that is marked today is translated in every language: a new one fails here
    with tempfile.TemporaryDirectory(prefix="ts-po-") as tmp:
        pot = os.path.join(tmp, "taskscope.pot")
        keywords = ["_", "N_", "C_:1c,2", "NC_:1c,2", "Q_", "ngettext:1,2", "g_dcgettext:2", "g_dngettext:2,3",
                    "g_dpgettext2:2c,3"]
        r = run(["xgettext", "--from-code=UTF-8", "--files-from=po/POTFILES.in", "--directory=" + str(ROOT),
                 "--add-comments", "--output=" + pot] + ["--keyword=" + k for k in keywords], cwd=ROOT)
        report("/house/potfiles/texts-are-found", [] if os.path.exists(pot) and os.path.getsize(pot) > 10000 else
               [r.stderr.strip() or "no texts"])
        for lang in languages():
            r = run(["msgcmp", "--no-fuzzy-matching", ROOT / "po" / (lang + ".po"), pot])
            told = [line for line in r.stderr.splitlines() if not line.startswith("msgcmp: found")]
            r2 = run(["msgfmt", "--statistics", "-o", os.devnull, ROOT / "po" / (lang + ".po")])
            if re.search(r"untranslated|fuzzy", r2.stderr):
                told.append(r2.stderr.strip())
            report("/house/potfiles/translated-" + lang, told or ([r.stderr] if r.returncode else []))


# ---------------------------------------------------------------- the tree
BINARY_OK = re.compile(r"^(tests/data/|tests/fuzz/corpus/|docs/.*\.png$|data/help/.*\.png$)")
# In two pieces, so that this file does not find itself.
MACHINE = re.compile("(/ho" r"me/[A-Za-z]|/ro" r"ot/|/wo" r"rk/|/Us" r"ers/[A-Za-z])")


def check_tree():
    binary, machine, large, ends, tabs = [], [], [], [], []
    here = str(ROOT.parent)
    own = re.compile(re.escape(here + "/")) if here not in ("/", "/tmp", "/root", "/home", "/opt", "/usr",
                                                           "/srv", "/usr/src") else None
    for name in FILES:
        data = (ROOT / name).read_bytes()
        if b"\0" in data[:65536]:
            if not BINARY_OK.match(name):
                binary.append(name)
            elif len(data) > 1 << 20:
                large.append("%s: %d KiB" % (name, len(data) >> 10))
            continue
        if BINARY_OK.match(name) or name == "LICENSE":
            continue
        body = data.decode("utf-8", "replace")
        for n, line in enumerate(body.splitlines(), 1):
            if MACHINE.search(line) or (own and own.search(line)):
                machine.append("%s:%d: %s" % (name, n, line.strip()[:100]))
        if name.endswith((".c", ".h")) and "\t" in body:
            tabs.append(name)
        if body and not body.endswith("\n"):
            ends.append(name)
    report("/house/tree/no-binaries", binary)
    report("/house/tree/test-data-small", large)
    report("/house/tree/no-machine-paths", machine)
    report("/house/tree/no-tabs", tabs)
    report("/house/tree/ends-with-newline", ends)
    long = ["%s: %d lines" % (f, text(f).count("\n")) for f in FILES
            if f.endswith((".c", ".h")) and not f.startswith("tests/") and text(f).count("\n") > 900]
    report("/house/tree/files-under-900-lines", long)
    scripts = [f for f in FILES if text(f)[:2] == "#!" and not os.access(ROOT / f, os.X_OK)
               and not f.endswith(".py")]
    report("/house/tree/scripts-executable", [f for f in scripts if f in ("dev", ".ci/run")])
    bash = [r.stderr.strip() for f in FILES if text(f).startswith(("#!/bin/bash", "#!/bin/sh"))
            for r in [run(["bash", "-n", ROOT / f])] if r.returncode]
    report("/house/tree/scripts-parse", bash)
    # One screen of help, on standard output when asked for, on standard error when lost.
    asked, lost = run([ROOT / "dev"]), run([ROOT / "dev", "no-such-command"])
    wrong = []
    if asked.returncode or asked.stdout.count("\n") > 40:
        wrong.append("./dev: status %d, %d lines" % (asked.returncode, asked.stdout.count("\n")))
    for word in ("run", "build", "test", "bench", "asan", "fuzz", "shot", "deps"):
        if not re.search(r"^  %s\b" % word, asked.stdout, re.M):
            wrong.append("the help does not tell of %s" % word)
    if lost.returncode != 2 or "no-such-command" not in lost.stderr or "./dev" not in lost.stderr:
        wrong.append("an unknown command: status %d, %r" % (lost.returncode, lost.stderr[:80]))
    report("/house/tree/dev-help", wrong)


# ---------------------------------------------------------------- what the pages say
def check_docs():
    """Links lead somewhere, and every command in a block marked "sh" does what the page says."""
    dead = []
    for page in [f for f in FILES if f.endswith(".md")]:
        body = re.sub(r"^(```|    ).*?$", "", text(page), flags=re.M)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", body):
            if not re.match(r"[a-z]+:", target) and not (ROOT / page).parent.joinpath(target).exists():
                dead.append("%s: %s" % (page, target))
    report("/house/docs/links", dead)
    cli = BUILD / "app" / "taskscope-cli"
    if not cli.exists():
        return report("/house/docs/commands", ["there is no app/taskscope-cli in the build folder"])
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```", text("README.md"), re.M | re.S)
             for line in block.splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="ts-docs-") as tmp:
        shutil.copy(ROOT / "tests" / "data" / "m4_short.cobs", Path(tmp) / "firmware.cobs")
        for f in (ROOT / "data" / "connections").glob("*.vacf"):
            shutil.copy(f, tmp)
        env = dict(ENV, HOME=tmp, XDG_DATA_HOME=tmp + "/data", XDG_CACHE_HOME=tmp + "/cache",
                   PATH=str(cli.parent) + os.pathsep + ENV.get("PATH", ""))
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        for line in lines:
            wrong = []
            args = shlex.split(line)
            try:
                r = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                   errors="replace", env=env, cwd=tmp, timeout=100)
            except (OSError, subprocess.TimeoutExpired) as e:
                report("/house/docs/" + line.replace("#", ""), [str(e)])
                continue
            last = r.stdout.strip().splitlines()[-1] if r.stdout.strip() else ""
            if r.returncode:
                wrong.append("status %d: %s" % (r.returncode, (r.stdout + r.stderr)[-300:]))
            elif args[1] != "print" and (not last.startswith("{") or "error" in json.loads(last)):
                wrong.append("answered %r" % last[:200])
            elif not last:
                wrong.append("printed nothing")
            if "--output" in args and not wrong:
                out = Path(tmp) / args[args.index("--output") + 1]
                if not out.exists() or not out.stat().st_size:
                    wrong.append("%s was not written" % out.name)
            report("/house/docs/" + line.replace("#", ""), wrong)


# ---------------------------------------------------------------- data/
def validated(name, tool, args, grep=None):
    if not shutil.which(tool):
        return skip(name, "%s is not installed" % tool)
    r = run([tool] + args)
    out = (r.stdout + r.stderr).strip()
    told = [l for l in out.splitlines() if grep and re.search(grep, l)]
    report(name, [out or "status %d" % r.returncode] if r.returncode else told)


def check_data():
    built = BUILD / "data"
    desktop, metainfo = built / (APP_ID + ".desktop"), built / (APP_ID + ".metainfo.xml")
    if not WITH_GUI:
        return skip("/house/data", "built without the window")
    validated("/house/data/desktop-file", "desktop-file-validate", [desktop], r"warning|error|hint")
    # GNOME's ids have capitals: that remark may stay.
    r = run(["appstreamcli", "validate", "--pedantic", "--no-net", "--explain", metainfo]) \
        if shutil.which("appstreamcli") else None
    if r is None:
        skip("/house/data/metainfo", "appstreamcli is not installed")
    else:
        # AppStream 1.0 wants <developer>, which Debian 12's takes for an unknown tag
        told = [l for l in r.stdout.splitlines() if re.match(r"[EWIP]:", l) and not re.search(
            "cid-contains-uppercase-letter|developer-name-tag-deprecated|developer-info-missing", l)]
        report("/house/data/metainfo", told or ([r.stdout + r.stderr] if r.returncode else []))
    mime = built / (APP_ID + ".xml")
    with tempfile.TemporaryDirectory() as tmp:
        packages = Path(tmp) / "packages"
        packages.mkdir()
        shutil.copy(mime, packages)
        if shutil.which("update-mime-database"):
            r = run(["update-mime-database", tmp])
            globs = Path(tmp) / "globs2"
            lines = globs.read_text().splitlines() if globs.exists() else []
            want = ["60:application/x-taskscope-recording:*.vadb",
                    "60:application/x-taskscope-connection:*.vacf",
                    "60:application/x-qnx-kev:*.kev",
                    "80:application/x-cmsis-ctrace-run:*.ctrace-run.yml"]
            report("/house/data/mime", [r.stderr] * bool(r.returncode) +
                   ["no line %s" % w for w in want if w not in lines])
        else:
            skip("/house/data/mime", "update-mime-database is not installed")
    schema = ROOT / "data" / (APP_ID + ".gschema.xml")
    if schema.exists():
        validated("/house/data/schema", "glib-compile-schemas", ["--strict", "--dry-run", ROOT / "data"])
        report("/house/data/schema-compiled", [] if (built / "gschemas.compiled").exists() else
               ["no data/gschemas.compiled in the build folder"])
    else:
        skip("/house/data/schema", "there is no schema")
    bad = []
    icons = ROOT / "data" / "icons"
    kinds = sorted(set(re.findall(r"<icon name=\"([^\"]+)\"", text("data/%s.mime.xml.in" % APP_ID))))
    for name, size in [(APP_ID + ".svg", "128"), (APP_ID + "-symbolic.svg", "16")] + [
            (kind + ".svg", "128") for kind in kinds]:
        svg = ElementTree.parse(icons / name).getroot()
        if (svg.get("width"), svg.get("height"), svg.get("viewBox")) != (size, size, "0 0 %s %s" % (size, size)):
            bad.append("%s is not %s x %s" % (name, size, size))
        for e in svg.iter():
            tag = e.tag.split("}")[-1] if isinstance(e.tag, str) else ""
            if tag in ("image", "text", "script", "foreignObject"):
                bad.append("%s has a <%s>" % (name, tag))
    report("/house/data/icons", bad)
    service = built / (APP_ID + ".service")
    entry = desktop.read_text()
    bad = []
    if "Name=%s\n" % APP_ID not in service.read_text():
        bad.append("the D-Bus service has another name than the program")
    if "Icon=%s\n" % APP_ID not in entry or "DBusActivatable=true\n" not in entry:
        bad.append("the desktop file names another icon, or no activation")
    for m in re.findall(r"<mime-type type=\"([^\"]+)\"", text("data/%s.mime.xml.in" % APP_ID)):
        if m not in entry or m not in text("data/%s.metainfo.xml.in" % APP_ID):
            bad.append("%s is not in the desktop file and the metainfo" % m)
    report("/house/data/names-agree", bad)
    version = re.search(r"version: '([^']+)'", text("meson.build")).group(1)
    report("/house/data/release", [] if '<release version="%s"' % version in
           text("data/%s.metainfo.xml.in" % APP_ID) else ["no release %s in the metainfo" % version])


def check_samples():
    """The sample connections are what they should be."""
    for f in [f for f in FILES if f.startswith("data/connections/")]:
        bad = []
        try:
            sample = json.loads(text(f))
            if "/boards/" in f:
                if sample.get("transport") != "stlink-rambuf" or not sample.get("target-device"):
                    bad.append("%s: no transport, or no chip" % f)
            elif sample.get("transport") != os.path.basename(f)[:-len(".vacf")]:
                bad.append("%s: transport %s" % (f, sample.get("transport")))
        except ValueError as e:
            bad.append("%s: %s" % (f, e))
        report("/house/samples/" + os.path.basename(f), bad)


# ---------------------------------------------------------------- what is linked
def check_links():
    cli = BUILD / "app" / "taskscope-cli"
    if not cli.exists():
        return report("/house/links/cli", ["there is no app/taskscope-cli in the build folder"])
    r = run(["ldd", cli])
    bad = [l.strip() for l in r.stdout.splitlines()
           if re.search(r"lib(gtk|gdk|gsk|adwaita)[-.]", l) or "not found" in l]
    report("/house/links/cli-without-gtk", bad or ([r.stderr] if r.returncode else []))
    needed = run(["readelf", "-d", cli]).stdout
    report("/house/links/cli-needs", [l for l in needed.splitlines()
                                      if "NEEDED" in l and re.search(r"gtk|adwaita|X11|wayland", l)])


# ---------------------------------------------------------------- what is installed
def check_install():
    """DESTDIR holds everything, under the prefix, and nothing else; what it names is there."""
    with tempfile.TemporaryDirectory(prefix="ts-install-") as tmp:
        r = run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", tmp])
        if r.returncode:
            return report("/house/install/installs", [(r.stdout + r.stderr)[-800:]])
        report("/house/install/installs", [])
        files = {str(p.relative_to(tmp)) for p in Path(tmp).rglob("*") if not p.is_dir()}
        options = json.loads(run(["meson", "introspect", "--buildoptions", BUILD]).stdout)
        values = {o["name"]: o["value"] for o in options}
        prefix = values["prefix"].strip("/")
        bindir, share = (os.path.join(prefix, values[k]) for k in ("bindir", "datadir"))
        mandir, locale = (os.path.join(prefix, values[k]) for k in ("mandir", "localedir"))
        want = [bindir + "/taskscope-cli", mandir + "/man1/taskscope-cli.1",
                share + "/taskscope/udev/70-taskscope.rules",
                prefix + "/lib/udev/rules.d/70-taskscope.rules",
                share + "/taskscope/connections/udp.vacf"]
        want += [locale + "/%s/LC_MESSAGES/taskscope.mo" % lang for lang in languages()]
        if WITH_GUI:
            icons = share + "/icons/hicolor/"
            want += [bindir + "/taskscope", mandir + "/man1/taskscope.1",
                     share + "/applications/%s.desktop" % APP_ID, share + "/metainfo/%s.metainfo.xml" % APP_ID,
                     share + "/mime/packages/%s.xml" % APP_ID, share + "/dbus-1/services/%s.service" % APP_ID,
                     share + "/glib-2.0/schemas/%s.gschema.xml" % APP_ID,
                     icons + "scalable/apps/%s.svg" % APP_ID, icons + "symbolic/apps/%s-symbolic.svg" % APP_ID,
                     icons + "scalable/mimetypes/application-x-taskscope-recording.svg"]
        report("/house/install/complete", sorted("%s is not installed" % w for w in want if w not in files))
        report("/house/install/under-the-prefix", sorted(f for f in files if not f.startswith(prefix + "/")))
        # caches are the package manager's business when there is a DESTDIR
        report("/house/install/no-caches", sorted(f for f in files if re.search(
            r"(gschemas\.compiled|mimeinfo\.cache|mime\.cache|icon-theme\.cache)$", f)))
        bad = [f for f in files if f.startswith(bindir) and not os.access(os.path.join(tmp, f), os.X_OK)]
        if WITH_GUI:
            entry = (Path(tmp) / share / "applications" / (APP_ID + ".desktop")).read_text()
            service = (Path(tmp) / share / "dbus-1/services" / (APP_ID + ".service")).read_text()
            if "Exec=/%s/taskscope --gapplication-service" % bindir not in service:
                bad.append("the D-Bus service starts another program: " + service)
            # meson merges once: a build folder older than a translation has not seen it
            merged = (BUILD / "data" / (APP_ID + ".desktop")).stat().st_mtime
            for lang in languages():
                if ("Comment[%s]=" % lang not in entry and
                        (ROOT / "po" / (lang + ".po")).stat().st_mtime < merged):
                    bad.append("the desktop file says nothing in %s" % lang)
        report("/house/install/programs", bad)


CHECKS = {"arrows": check_arrows, "headers": check_headers, "spdx": check_spdx,
          "potfiles": check_potfiles, "tree": check_tree, "docs": check_docs, "data": check_data,
          "samples": check_samples, "links": check_links, "install": check_install}
CHECKS[CHECK]()
print("1..%d" % len(results))
sys.exit(0 if all(results) else 1)
