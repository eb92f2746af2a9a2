#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what a test run did, from meson's testlog.json: "N passed, N failed[, N skipped]".

    count-tests.py testlog.json [STATUS]

Every TAP line counts as one test, and so does a program without TAP lines. A program that ended
badly with no failing line (a crash, a time limit, lines missing) counts as one failure more.
STATUS is what "meson test" returned: it failing while nothing failed here is a failure, too.
Exit status 1 if anything failed, or if nothing ran (a suite that skips everything is not green).
"""
import json
import re
import sys

LINE = re.compile(r"^(not )?ok\b[^#]*(?:#\s*(skip|todo)\b.*)?", re.I)
PLAN_SKIP = re.compile(r"^1\.\.0\s*(#|$)")
GOOD = ("OK", "EXPECTEDFAIL")


def count_one(run):
    """(passed, failed names, skipped) of one test program."""
    passed, failed, skipped = 0, [], 0
    for line in (run.get("stdout") or "").splitlines():
        m = LINE.match(line)
        if not m:
            continue
        mark = (m.group(2) or "").lower()
        if mark == "skip":
            skipped += 1
        elif m.group(1) and mark != "todo":
            failed.append(line.strip())
        else:
            passed += 1
    result = run["result"]
    if result == "SKIP":
        return passed, failed, max(skipped, 1)
    if result not in GOOD and not failed:
        failed.append(result)
    if result in GOOD and not failed and not passed and not skipped:
        if any(PLAN_SKIP.match(line) for line in (run.get("stdout") or "").splitlines()):
            skipped = 1
        else:
            passed = 1
    return passed, failed, skipped


def reasons(run):
    """What a failed program said about it: the comments round its failing lines (meson hides them)."""
    said, follow = [], 0
    for line in (run.get("stdout") or "").splitlines():
        m = LINE.match(line)
        if m:
            follow = 20 if m.group(1) and (m.group(2) or "").lower() != "todo" else 0
            if follow:
                said.append(line)
        elif line.startswith("Bail out!") or (line.startswith("#") and (follow or "ERROR" in line)):
            said.append(line)
            follow -= 1
    return said[:60]


def main(argv):
    status = int(argv[2]) if len(argv) > 2 else 0
    passed = skipped = 0
    failures = []
    try:
        with open(argv[1], encoding="utf-8", errors="replace") as log:
            for line in log:
                if not line.strip():
                    continue
                run = json.loads(line)
                p, f, s = count_one(run)
                passed += p
                skipped += s
                failures += ["%s: %s" % (run["name"], what) for what in f]
                if f:
                    print("\n%s (%s)" % (run["name"], run["result"]))
                    print("\n".join("  " + line for line in reasons(run)))
    except OSError as e:
        failures.append("no test log: %s" % e)
    if status and not failures:
        failures.append("meson test ended with status %d" % status)
    print()
    for what in failures:
        print("failed: " + what)
    if not passed and not failures:
        print("nothing ran")
    print("%d passed, %d failed%s" % (passed, len(failures),
                                      ", %d skipped" % skipped if skipped else ""))
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
