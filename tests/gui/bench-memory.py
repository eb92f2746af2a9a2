#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory the program takes with a big recording in its window.

    run-display.sh python3 bench-memory.py BUILD [FILE]

Opens FILE (or a recording of ten million events, made for it) in the program itself, looks around
with the keys a person uses, shows every list, goes through the lanes with the inspector and its
histogram beside them, chooses half of the recording with communication in sight. Prints after each
of these steps what is resident, how much of that is files (the program and the libraries), and the
most there was during the step, beside the limit, which holds for all of them. Skips itself where
there is no display or no xdotool. What a machine without a graphics card adds for OpenGL is not in
it: run-display.sh switches that off. Standard library only.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT_MB = 300
N_EVENTS = 10000000
# So long nothing may change before a step counts as done, and so long a step may take.
QUIET_S = 3
PATIENCE_S = 240
# Lanes gone through with the inspector.
N_LANES = 60


def status(pid, name):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        for line in f:
            if line.startswith(name + ":"):
                return int(line.split()[1]) // 1024
    raise SystemExit("no %s" % name)


def forget_most(pid):
    """What VmHWM tells is the most from now on."""
    with open("/proc/%d/clear_refs" % pid, "w", encoding="ascii") as f:
        f.write("5")


def show(pid, step, size):
    """A line for a step that has just settled."""
    most = status(pid, "VmHWM")
    print("window, %s\t%d\tMB\t<= %d\t%s, %d MB of files; at most %d MB\t%s"
          % (step, status(pid, "VmRSS"), LIMIT_MB, size, status(pid, "RssFile"), most,
             "holds" if most <= LIMIT_MB else "DOES NOT HOLD"), flush=True)
    forget_most(pid)
    return most


def cpu(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def settle(pid):
    """Waits until the program has had nothing to do for a while: three ticks a second at most."""
    end = time.monotonic() + PATIENCE_S
    since, before = time.monotonic(), cpu(pid)
    while time.monotonic() < end:
        time.sleep(0.25)
        now = cpu(pid)
        if now - before > 1:
            since = time.monotonic()
        elif time.monotonic() - since >= QUIET_S:
            return
        before = now
    raise SystemExit("still at work after %d s" % PATIENCE_S)


def keys(*names):
    for name in names:
        subprocess.run(["xdotool", "key", name], check=True)
        time.sleep(0.1)


def look_around(pid):
    keys("End", "Home", *["plus"] * 10)
    keys(*["Next"] * 16)
    keys("0")


def show_lists(pid):
    for tab in ("2", "3", "4", "1"):
        settle(pid)
        keys("alt+" + tab)


def show_lanes(pid):
    """The inspector, shown from the start, has figures and a histogram of tasks, and sums of values."""
    for _ in range(N_LANES // 10):
        keys(*["ctrl+Down"] * 10)
        keys("period", "period", "Right")
        settle(pid)


def choose_half(pid):
    """From the middle to the end, with figures and communication of just that."""
    keys("Escape", "Escape", "0", *["shift+Right"] * 30)
    settle(pid)
    for tab in ("2", "4"):
        keys("alt+" + tab)
        settle(pid)


STEPS = (("looked around", look_around), ("all lists shown", show_lists),
         ("lanes and inspector", show_lanes), ("half of it chosen", choose_half))


def main(argv):
    if shutil.which("xdotool") is None or "DISPLAY" not in os.environ:
        print("no display, or no xdotool")
        return 77
    build = os.path.abspath(argv[1])
    program = os.path.join(build, "app", "taskscope")
    made = None
    path = argv[2] if len(argv) > 2 else None
    if path is None:
        made = tempfile.mkdtemp(prefix="bench-memory.", dir=build)
        path = os.path.join(made, "demo.vadb")
        subprocess.run([os.path.join(build, "app", "taskscope-cli"), "demo", "--events",
                        str(N_EVENTS), "--shape", "mixed", "--output", path], check=True,
                       stdout=subprocess.DEVNULL)
    size = "%d M events" % (N_EVENTS // 10**6) if made else "of " + os.path.basename(path)
    window = subprocess.Popen([program, path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        settle(window.pid)
        show(window.pid, "opened", size)
        subprocess.run(["xdotool", "mousemove", "500", "400"], check=True)
        for name, step in STEPS:
            step(window.pid)
            settle(window.pid)
            show(window.pid, name, size)
    finally:
        window.terminate()
        window.wait()
        if made is not None:
            shutil.rmtree(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
