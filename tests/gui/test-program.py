#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real program on a desktop of its own, as TAP: started by D-Bus, seen by a screen reader's eyes,
keeping the machine awake while it captures, telling when a capture has ended.

    test-program.py BUILD TEST_DATA

Runs inside of run-display.sh. Skips itself without the libraries of a screen reader.
"""
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

APP_ID = "io.github.taskscope.Taskscope"
APP_PATH = "/io/github/taskscope/Taskscope"
DEADLINE_S = 60

try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, Gio, GLib
except (ImportError, ValueError) as e:
    print("1..0 # SKIP %s" % e)
    sys.exit(0)

# ---------------------------------------------------------------- the desktop's other end
SESSION_XML = """<node><interface name="org.gnome.SessionManager">
<method name="Inhibit"><arg type="s" direction="in"/><arg type="u" direction="in"/>
<arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="u" direction="out"/></method>
<method name="Uninhibit"><arg type="u" direction="in"/></method>
</interface></node>"""
NOTIFY_XML = """<node><interface name="org.freedesktop.Notifications">
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
<arg type="u" direction="out"/></method>
<method name="GetCapabilities"><arg type="as" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method>
</interface></node>"""


def desktop(log):
    """A session manager and a notification service that write down what they are told."""
    bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)

    def called(_bus, _sender, _path, _interface, method, args, invocation):
        with open(log, "a", encoding="utf-8") as f:
            f.write("%s %s\n" % (method, args.unpack()))
        answers = {"Inhibit": ("(u)", (7,)), "Notify": ("(u)", (1,)),
                   "GetCapabilities": ("(as)", (["body"],))}
        answer = answers.get(method)
        invocation.return_value(GLib.Variant(*answer) if answer else None)

    for name, path, xml in (("org.gnome.SessionManager", "/org/gnome/SessionManager", SESSION_XML),
                            ("org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                             NOTIFY_XML)):
        info = Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0]
        bus.register_object(path, info, called, None, None)
        bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                      "RequestName", GLib.Variant("(su)", (name, 0)), None, 0, -1, None)
    with open(log, "a", encoding="utf-8") as f:
        f.write("ready\n")
    GLib.MainLoop().run()


if sys.argv[1] == "--desktop":
    desktop(sys.argv[2])
    sys.exit(0)

BUILD, DATA = Path(sys.argv[1]), Path(sys.argv[2])
HOME = Path(os.environ["HOME"])
LOG = HOME / "desktop.log"
results = []


def report(name, ok, why=""):
    results.append(bool(ok))
    print("%sok %d %s" % ("" if ok else "not ", len(results), name))
    for line in str(why).splitlines() if not ok else ():
        print("# " + line)
    sys.stdout.flush()


def wait(what, seconds=DEADLINE_S):
    """Until what() is true; its last value."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = what()
        except GLib.Error:                      # the tree changed under our feet
            value = None
        if value or time.monotonic() > end:
            return value
        time.sleep(0.1)


def told(pattern, times=1):
    return LOG.exists() and len(re.findall(pattern, LOG.read_text(encoding="utf-8"), re.M)) >= times


def call(bus, destination, path, interface, method, args, reply=None):
    return bus.call_sync(destination, path, interface, method, args,
                         GLib.VariantType(reply) if reply else None, 0, 30000, None)


# ---------------------------------------------------------------- a screen reader's eyes
def kids(node):
    """What a live tree changes under our feet is left out."""
    try:
        n = node.get_child_count()
    except GLib.Error:
        return
    for i in range(n):
        try:
            child = node.get_child_at_index(i)
        except GLib.Error:
            continue
        if child is not None:
            yield child


def walk(node):
    yield node
    for child in kids(node):
        yield from walk(child)


def find_app():
    for app in kids(Atspi.get_desktop(0)):
        if "taskscope" in (app.get_name() or "").lower():
            return app
    return None


def nodes(role=None, name=None):
    app = find_app()
    found = []
    for node in walk(app) if app else ():
        try:
            if role and node.get_role_name() != role:
                continue
            if name and not re.search(name, node.get_name() or ""):
                continue
        except GLib.Error:
            continue
        found.append(node)
    return found


def act(action):
    """Runs an action of the window, as a screen reader's user would."""
    app = find_app()
    for node in kids(app) if app else ():
        if "Action" not in node.get_interfaces():
            continue
        for i in range(Atspi.Action.get_n_actions(node)):
            if Atspi.Action.get_action_name(node, i) == action:
                return Atspi.Action.do_action(node, i)
    return False


CONTROLS = {"push button", "toggle button", "check box", "text", "entry", "combo box", "spin button",
            "slider", "switch", "list", "table", "tree table"}


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    other = subprocess.Popen([sys.executable, __file__, "--desktop", str(LOG)])
    try:
        run(bus)
    finally:
        try:
            call(bus, APP_ID, APP_PATH, "org.freedesktop.Application", "ActivateAction",
                 GLib.Variant("(sava{sv})", ("quit", [], {})))
        except GLib.Error:
            pass
        other.terminate()
        other.wait()


def run(bus):
    recording = HOME / "seen.vadb"
    made = subprocess.run([BUILD / "app" / "taskscope-cli", "decode", DATA / "m4_short.cobs",
                           "--output", recording], capture_output=True, check=False)
    report("/program/recording", made.returncode == 0, made.stdout)
    report("/program/desktop", wait(lambda: told("^ready")))

    # The service file that is installed, with this build's program in it.
    service = (BUILD / "data" / (APP_ID + ".service")).read_text(encoding="utf-8")
    service = re.sub(r"^Exec=\S*/taskscope ", "Exec=%s " % (BUILD / "app" / "taskscope"), service,
                     flags=re.M)
    folder = Path(os.environ["XDG_DATA_HOME"]) / "dbus-1" / "services"
    folder.mkdir(parents=True)
    (folder / (APP_ID + ".service")).write_text(service, encoding="utf-8")
    me = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
    call(bus, *me, "ReloadConfig", None)
    call(bus, *me, "UpdateActivationEnvironment",
         GLib.Variant("(a{ss})", ({"GTK_A11Y": "atspi", "NO_AT_BRIDGE": "0"},)))
    call(bus, APP_ID, APP_PATH, "org.freedesktop.Application", "Open",
         GLib.Variant("(asa{sv})", ([recording.as_uri()], {})))
    report("/program/started-by-dbus", wait(lambda: nodes("frame", "^seen.vadb$")),
           "no window named seen.vadb")

    # lanes
    lane = "^Ctrl, Task, priority 5"
    report("/program/lanes-are-seen", wait(lambda: nodes("list item", lane)),
           [n.get_name() for n in nodes("list item")][:20])
    timeline = nodes("list", "^Timeline$")
    report("/program/timeline", timeline and timeline[0].get_child_count() >= 15,
           "%d lanes" % (timeline[0].get_child_count() if timeline else -1))
    report("/program/timeline-says-what-it-shows",
           timeline and wait(lambda: re.match("From ", timeline[0].get_description() or "")))

    # the event list: a table (or what GTK makes of it) with texts in its cells
    report("/program/event-list-is-seen",
           wait(lambda: len(nodes("label", "^0\\.00\\d.*s$")) >= 4 and nodes("label", "^session_start$")),
           sorted({n.get_name() for n in nodes("label")}))
    nameless = [n.get_role_name() for n in nodes() if n.get_role_name() in CONTROLS
                and not (n.get_name() or "").strip()
                # inside of a control that has the name: the text of an entry row, a scrolled list
                and not (n.get_parent().get_name() or "").strip()]
    report("/program/controls-are-named", len(nameless) <= 12, nameless)

    # a capture keeps the machine awake (flag 4: suspend) and tells when it has ended
    wait(lambda: act("win.demo"))
    report("/program/kept-awake", wait(lambda: told(r"^Inhibit .*, 4\)$")), LOG.read_text())
    began = time.monotonic()
    wait(lambda: time.monotonic() - began > 6.5)
    report("/program/still-awake", not told("^Uninhibit"), LOG.read_text())
    call(bus, APP_ID, APP_PATH, "org.freedesktop.Application", "ActivateAction",
         GLib.Variant("(sava{sv})", ("help", [], {})))
    report("/program/manual", wait(lambda: nodes("label", "^First steps$") or nodes("heading", "^First steps$")))
    wait(lambda: act("win.record"))
    report("/program/may-sleep-again", wait(lambda: told(r"^Uninhibit \(7,\)")), LOG.read_text())
    report("/program/end-is-told", wait(lambda: told(r"^Notify .*'Capture Ended'.*demo-.*\.vadb")),
           LOG.read_text())
    recent = Path(os.environ["XDG_DATA_HOME"]) / "recently-used.xbel"
    report("/program/recent-files",
           wait(lambda: recent.exists() and "seen.vadb" in recent.read_text(encoding="utf-8")))

    # asked to end by a signal while it captures: the capture is closed, and nothing lies beside it
    folder = Path(os.environ["XDG_DATA_HOME"]) / "taskscope" / "recordings"
    before = set(folder.glob("*.vadb"))
    wait(lambda: act("win.demo"))
    report("/program/captures-again", wait(lambda: told(r"^Inhibit .*, 4\)$", 2)), LOG.read_text())
    pid, = call(bus, *me, "GetConnectionUnixProcessID", GLib.Variant("(s)", (APP_ID,))).unpack()
    os.kill(pid, signal.SIGTERM)
    report("/program/ended-by-a-signal", wait(lambda: call(bus, *me, "NameHasOwner", GLib.Variant("(s)", (APP_ID,))).unpack() == (False,)))
    made = set(folder.glob("*.vadb")) - before
    complete = [sqlite3.connect("file:%s?mode=ro" % f, uri=True).execute(
        "SELECT value FROM meta WHERE key = 'ts_complete'").fetchone() for f in made]
    report("/program/ended-whole", len(made) == 1 and complete == [("1",)] and not list(folder.glob("*.vadb-*")),
           (made, complete, list(folder.glob("*"))))


main()
print("1..%d" % len(results))
sys.exit(0 if all(results) else 1)
