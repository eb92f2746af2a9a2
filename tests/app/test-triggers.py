#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each kind of trigger with each action, by the real program, as TAP: test-triggers.py CLI.

When a trigger has to fire is worked out here, from the rows of a recording of everything.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

CLI = sys.argv[1]
DATA = Path(os.environ["TASKSCOPE_TEST_DATA"])
TMP = Path(tempfile.mkdtemp(prefix="ts-triggers-"))
ENV = dict(os.environ, XDG_DATA_HOME=str(TMP), LC_ALL="C.UTF-8")
HZ = 25_000_000
BEFORE_MS, AFTER_MS = 20, 15
AFTER = AFTER_MS * HZ // 1000
BEFORE = BEFORE_MS * HZ // 1000
OWN = ("session_start", "capture_end", "mark")


def run(*args):
    return subprocess.run([CLI, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENV)


def rows_of(path):
    """Rows as they came: (raw ticks, kind, object, value, start)."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    t0, = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'ts_t0_ticks'").fetchone()
    return [(t0 + t, kind, name, value, start) for t, kind, name, value, start in
            db.execute("SELECT t_cycles, kind, object, value, start FROM va_events ORDER BY id")]


wholes = {}


def whole(name):
    if name not in wholes:
        path = TMP / f"{name}.vadb"
        r = run("decode", DATA / name, "--output", path)
        assert r.returncode == 0, r.stdout + r.stderr
        wholes[name] = rows_of(path)
    return wholes[name]


def at_rows(rows, is_meant):
    """Fires where a row is meant: intervals that hold one moment."""
    return [(row[0], row[0]) for row in rows if is_meant(row)]


def crossings(rows, name, holds):
    """Fires where a value comes to be so."""
    found, was = [], False
    for t, _, row_name, value, _ in rows:
        if row_name == name and value is not None:
            if holds(value) and not was:
                found.append((t, t))
            was = holds(value)
    return found


def long_spans(rows, name, ticks):
    """Fires when a span has lasted so long, at its end at the latest."""
    found, begin = [], None
    for t, kind, row_name, _, start in rows:
        if row_name == name and kind == "user_event":
            if start == 1:
                begin = t
            elif begin is not None:
                if t - begin > ticks:
                    found.append((begin + ticks, t))
                begin = None
    return found


def silences(rows, name, ticks):
    """Fires when nothing was heard for so long, when it is heard again at the latest."""
    found, heard = [], rows[0][0]
    for t, kind, row_name, _, _ in rows:
        if row_name == name or kind == "capture_end":
            if t - heard > ticks:
                found.append((heard + ticks, t))
            heard = t
    return found


def longest(rows, name, rank):
    """A duration between that of two spans, in µs: as many as @rank are longer."""
    lengths = sorted((b - a for a, b in long_spans(rows, name, 0)), reverse=True)
    return (lengths[rank - 1] + lengths[rank]) // 2 // 25


CLEAN = "m4_short.cobs"


def kinds():
    """File, expression, and the intervals in which it fires."""
    rows = whole(CLEAN)
    dur_us = longest(rows, "bus_wait", 5)
    gaps = silences(rows, "Blink", 0)
    silent_us = max(b - a for a, b in gaps) * 9 // 10 // 25
    noisy = whole("m4_noisy.cobs")
    return [
        (CLEAN, "kind:op_failed", at_rows(rows, lambda r: r[1] == "op_failed")),
        (CLEAN, "lane:heap4_used", at_rows(rows, lambda r: r[2] == "heap4_used")),
        (CLEAN, "lane:scaled value>1500", crossings(rows, "scaled", lambda v: v > 1500)),
        (CLEAN, "lane:setpoint value<-15000", crossings(rows, "setpoint", lambda v: v < -15000)),
        (CLEAN, f"lane:bus_wait dur>{dur_us}us", long_spans(rows, "bus_wait", dur_us * 25)),
        (CLEAN, f"lane:Blink silent>{silent_us}us", silences(rows, "Blink", silent_us * 25)),
        ("m4_noisy.cobs", "loss", at_rows(noisy, lambda r: r[1] in ("data_loss", "corrupt"))),
    ]


def check(name, expression, fires, action):
    assert fires, expression
    out = TMP / "triggered.vadb"
    out.unlink(missing_ok=True)
    r = run("capture", "--transport", "file", "--file-path", DATA / name, "--output", out, "--no-register", "--trigger", expression,
            "--trigger-before-ms", BEFORE_MS, "--trigger-after-ms", AFTER_MS, "--trigger-action", action)
    assert r.returncode == 0, (expression, action, r.stdout + r.stderr)
    n_fired = json.loads(r.stdout.splitlines()[-1])["summary"]["triggers"]
    rows, everything = rows_of(out), whole(name)
    marks = [t for t, kind, *_ in rows if kind == "mark"]
    assert len(marks) == n_fired >= 1, (expression, action, marks, n_fired)
    # the first time is the first there is, and each is one
    assert fires[0][0] <= marks[0] <= fires[0][1], (expression, action, marks[0], fires[0])
    for t in marks:
        assert any(a <= t <= b for a, b in fires), (expression, action, t)
    # between two of them is the time after the first
    assert all(b - a > AFTER for a, b in zip(marks, marks[1:])), (expression, action, marks)
    kept = [row for row in rows if row[1] not in OWN]
    target = [row for row in everything if row[1] not in OWN]
    if action == "mark":
        assert kept == target, (expression, len(kept), len(target))
        return
    # what is kept lies around the times it fired, and is all that lay there
    if action == "stop":
        assert n_fired == 1, (expression, n_fired)
    windows = [(t - BEFORE, t + AFTER) for t in marks]
    if action == "rearm":  # a stream that ends while it waits leaves its end
        windows.append((everything[-1][0] - BEFORE, everything[-1][0]))
    within = [row for row in target if any(a <= row[0] <= b for a, b in windows)]
    lost = ("data_loss", "corrupt")
    got, wanted = ([row for row in of if row[1] not in lost] for of in (kept, within))
    assert len(got) >= len([row for row in wanted if any(a < row[0] < b for a, b in windows)]), (expression, action)
    assert set(got) <= set(target) and len(got) <= len(wanted) + 2, (expression, action, len(got), len(wanted))


tests = []
for action in ("stop", "rearm", "mark"):
    for number in range(7):
        tests.append((number, action))
print(f"1..{len(tests)}")
failed = False
for n, (number, action) in enumerate(tests, 1):
    label = f"{number} {action}"
    try:
        file, expression, fires = kinds()[number]
        label = f"{expression} {action}"
        check(file, expression, fires, action)
        print(f"ok {n} {label}", flush=True)
    except Exception:
        failed = True
        print(f"not ok {n} {label}", flush=True)
        print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
shutil.rmtree(TMP, ignore_errors=True)
sys.exit(failed)
