#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the benchmarks of a build, one after the other, and prints one table.

    bench-table.py BUILD [NAME...]

A benchmark prints a line for each thing it measured, its fields separated by tabs:

    NAME  VALUE  UNIT  [TARGET  [NOTE]]

TARGET is ">= N" or "<= N", or empty for a figure that stands beside another (a baseline).
Any other line is shown as it is, below the table. Standard library only.
"""
import json
import os
import re
import subprocess
import sys
import time

NUMBER = re.compile(r"^-?\d+(\.\d+)?([eE][-+]?\d+)?$")
TARGET = re.compile(r"^(>=|<=)\s*(-?\d+(?:\.\d+)?)$")


def benchmarks(build, names):
    out = subprocess.run(["meson", "introspect", "--benchmarks", build], check=True,
                         capture_output=True, text=True).stdout
    for b in json.loads(out):
        if not names or any(n in b["name"] for n in names):
            yield b


def verdict(value, target):
    m = TARGET.match(target)
    if not m:
        return ""
    limit = float(m.group(2))
    return "ok" if (value >= limit if m.group(1) == ">=" else value <= limit) else "short"


def machine():
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith(("model name", "Model")):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    load = "%.2f" % os.getloadavg()[0]
    return "%d x %s, load %s" % (os.cpu_count() or 1, model, load)


def main(argv):
    build, names = argv[1], argv[2:]
    rows, notes, failed = [], [], []
    print(machine(), flush=True)
    for b in benchmarks(build, names):
        began = time.monotonic()
        print("running %s ..." % b["name"], file=sys.stderr, flush=True)
        try:
            run = subprocess.run(b["cmd"], env=dict(os.environ, **b.get("env", {})), text=True,
                                 cwd=b.get("workdir") or build, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, errors="replace",
                                 timeout=b.get("timeout") or None)
            out, code = run.stdout, run.returncode
        except subprocess.TimeoutExpired as e:
            out, code = (e.stdout or b"").decode("utf-8", "replace"), "no end after %s s" % e.timeout
        except OSError as e:
            out, code = "", str(e)
        if code == 77:
            notes.append("%s: skipped\n%s" % (b["name"], out.rstrip()))
            continue
        if code != 0:
            failed.append("%s: %s" % (b["name"], code))
        rest = []
        for line in out.splitlines():
            f = [x.strip() for x in line.split("\t")]
            if len(f) >= 3 and NUMBER.match(f[1]):
                f += [""] * (5 - len(f))
                rows.append((b["name"], f[0], f[1], f[2], f[3], verdict(float(f[1]), f[3]), f[4]))
            elif line.strip():
                rest.append("  " + line)
        if rest:
            notes.append("%s (%.1f s):\n%s" % (b["name"], time.monotonic() - began, "\n".join(rest)))
    head = ("benchmark", "measured", "value", "unit", "target", "", "note")
    if rows:
        width = [max(len(r[i]) for r in rows + [head]) for i in range(7)]
        line = lambda r: "  ".join(c.rjust(width[i]) if i == 2 else c.ljust(width[i])
                                   for i, c in enumerate(r)).rstrip()
        print("\n" + line(head))
        print("  ".join("-" * w for w in width).rstrip())
        last = None
        for r in rows:
            print(line((r[0] if r[0] != last else "",) + r[1:]))
            last = r[0]
    for n in notes:
        print("\n" + n)
    marked = [r[5] for r in rows if r[5]]
    print("\n%d figures, %d of %d targets met%s"
          % (len(rows), marked.count("ok"), len(marked),
             "; failed: " + ", ".join(failed) if failed else ""))
    if not rows and not notes:
        print("no benchmark ran")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
