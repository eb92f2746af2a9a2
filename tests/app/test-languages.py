#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Languages, as TAP: what is written never depends on them, what is said does.

    test-languages.py CLI BUILD TEST_DATA

Standard library only. The checks of numbers need the sources of a German locale (package locales).
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLI, BUILD, DATA = (Path(a).resolve() for a in sys.argv[1:4])
TMP = Path(tempfile.mkdtemp(prefix="ts-languages-"))
results = []


def report(name, ok, why=""):
    results.append(bool(ok))
    print("%sok %d %s" % ("" if ok else "not ", len(results), name))
    for line in str(why).splitlines()[:20] if not ok else ():
        print("# " + line)


def run(*args, **env):
    base = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    base.update(XDG_DATA_HOME=str(TMP / "data"), XDG_CACHE_HOME=str(TMP / "cache"),
                TASKSCOPE_LOCALEDIR=str(BUILD / "po"), **env)
    return subprocess.run([str(CLI), *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True,
                          env=base, timeout=120, check=False)


def german():
    """A German locale of our own, or None: decimal comma, points between groups."""
    folder = TMP / "locale"
    folder.mkdir()
    try:
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
                       capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


def main():
    recording = TMP / "r.vadb"
    made = run("decode", DATA / "m4_short.cobs", "--output", recording, LC_ALL="C.UTF-8")
    report("/languages/recording", made.returncode == 0, made.stdout)
    locale = german()
    questions = [("query", q) for q in ("summary", "timeline", "events", "user-traces", "cpu", "comms",
                                        "timers", "inversions", "verdicts")]
    questions += [("query", "series", "--kind", "cpu-load", "--bucket-us", "100000"), ("print",)]
    for q in questions:
        name = "/languages/same-in-german/" + "-".join(q[:2])
        if locale is None:
            results.append(True)
            print("ok %d %s # SKIP no German locale can be made here" % (len(results), name))
            continue
        plain = run(*q, "--recording", recording, LC_ALL="C.UTF-8")
        other = run(*q, "--recording", recording, LANGUAGE="en", **locale)
        report(name, plain.returncode == 0 and plain.stdout == other.stdout,
               "%s\n%s" % (plain.stdout[:300], other.stdout[:300]))
    for kind in ("csv", "perfetto", "svg"):
        name = "/languages/same-in-german/" + kind
        if locale is None:
            results.append(True)
            print("ok %d %s # SKIP no German locale can be made here" % (len(results), name))
            continue
        files = []
        for i, env in enumerate(({"LC_ALL": "C.UTF-8"}, dict(locale, LANGUAGE="en"))):
            files.append(TMP / ("%d.%s" % (i, kind)))
            run("export", "--recording", recording, "--to", kind, "--output", files[-1],
                "--t-start-us", "0", "--t-end-us", "50000", **env)
        report(name, files[0].exists() and files[0].read_bytes() == files[1].read_bytes())

    # what events say is translated in the window only: listings and files are read by programs, too
    if locale is None:
        results.append(True)
        print("ok %d /languages/events # SKIP no German locale can be made here" % len(results))
    else:
        csv = TMP / "de.csv"
        german_words = dict(locale, LANGUAGE="de")
        listing = run("print", "--recording", recording, **german_words).stdout
        run("export", "--recording", recording, "--to", "csv", "--output", csv, "--t-start-us", "0",
            "--t-end-us", "50000", **german_words)
        report("/languages/events", b"give BusMtx" in listing and b"BusMtx geben" not in listing
               and csv.read_bytes() == (TMP / "0.csv").read_bytes(), listing[:300])

    # what people read is in their language, codes are not
    # (newer C libraries do not look at LANGUAGE in the locale C.UTF-8)
    for language, words in (("de", "Es gibt keine Abfrage"), ("zh_CN", "没有查询")):
        there = (BUILD / "po" / language / "LC_MESSAGES" / "taskscope.mo").exists()
        report("/languages/%s/built" % language, there)
        if locale is None:
            results.append(True)
            print("ok %d /languages/%s/message # SKIP no German locale can be made here" % (len(results), language))
            continue
        answer = json.loads(run("query", "nonsense", "--recording", recording,
                                **dict(locale, LANGUAGE=language)).stdout)
        report("/languages/%s/message" % language, words in answer["message"], answer)
        report("/languages/%s/code" % language, answer["error"] == "bad_arguments", answer)


main()
print("1..%d" % len(results))
sys.exit(0 if all(results) else 1)
