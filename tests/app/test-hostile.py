#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad days of the command line: statements, files, disks, signals, names. Prints TAP.

test-hostile.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import importlib.util
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

spec = importlib.util.spec_from_file_location("cli", Path(__file__).with_name("test-cli.py"))
cli = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cli)
cli.TESTS.clear()
TMP, DATA, test, answer, decoded, refusal, run = cli.TMP, cli.DATA, cli.test, cli.answer, cli.decoded, cli.refusal, cli.run


@test
def statements_that_mean_harm():
    path = TMP / "sql.vadb"
    shutil.copy(decoded(), path)
    before = path.read_bytes()
    ask = lambda sql, **more: refusal("bad_sql", "query", "sql", "--recording", path, "--sql", sql, timeout=40, **more)
    for sql in ("DELETE FROM meta", "PRAGMA writable_schema=1", "PRAGMA journal_mode=WAL", f"ATTACH '{TMP}/x.db' AS x", "SELECT 1; SELECT 2",
                "VACUUM INTO '/tmp/x'", "CREATE TEMP TABLE x(y)", "SELECT load_extension('x')", "BEGIN", ";", "SELECT", "/* nothing */",
                "SELECT * FROM no_table", "EXPLAIN DELETE FROM meta", "REINDEX", "INSERT INTO meta VALUES('a','b')",
                "WITH x AS (SELECT 1) DELETE FROM meta", "SELECT zeroblob(2000000000)",
                "SELECT hex(zeroblob(900000000))", "SELECT group_concat(hex(zeroblob(1000000))) FROM (SELECT 1 FROM va_events LIMIT 20)",
                "SELECT replace(hex(zeroblob(8000000)), '00', '0123456789')"):
        ask(sql)
    assert path.read_bytes() == before and not (TMP / "x.db").exists()
    odd = answer("query", "sql", "--recording", path, "--sql", "SELECT 9e999, -9e999, x'ff00', CAST(x'ff' AS TEXT), NULL")["rows"][0]
    assert odd[0] is None and odd[1] is None and odd[2] == "ff00" and odd[4] is None
    v = answer("query", "sql", "--recording", path, "--sql", "SELECT a.id FROM va_events a, va_events b")
    assert v["truncated"] is True and v["row_count"] > 0


def doubled(body, n=40):
    """Common tables of which each names the one before twice."""
    return ("WITH a0(x) AS (SELECT 1)" + "".join(f", a{i}(x) AS ({body.format(p=f'a{i - 1}')})" for i in range(1, n)) + f" SELECT x FROM a{n - 1}")


LONG = "(WITH RECURSIVE g(s) AS (SELECT 'aaaaaaaa' UNION ALL SELECT s||s FROM g LIMIT 13) SELECT max(s) FROM g)"    # 32 KiB
# SQLite looks at the clock between its own steps; each of these is one step, or none, that would take minutes or gigabytes
ONE_STEP = {
    "zeroblob": "SELECT zeroblob(900000000)",
    "randomblob": "SELECT hex(randomblob(900000000))",
    "hex": "SELECT hex(hex(hex(hex(hex(zeroblob(60000))))))",
    "instr": "SELECT instr(zeroblob(1000000), zeroblob(500000)||x'01')",
    "replace": "SELECT replace(hex(zeroblob(400000)), hex(zeroblob(200000))||'b', 'c')",
    "trim": "SELECT trim(hex(zeroblob(400000)), hex(zeroblob(400000))||'1')",
    "like": f"SELECT {LONG}||'b' LIKE '" + "%a" * 30000 + "c'",
    "glob": f"SELECT {LONG}||'b' GLOB '" + "*a" * 30000 + "c'",
    "patch": "SELECT json_patch(a, a) FROM (SELECT json_group_object('k'||id||'_'||n, id) a FROM va_events, (SELECT 1 n UNION SELECT 2 UNION SELECT 3))",
    "array": "SELECT json_group_array(hex(zeroblob(20000))) FROM va_events a, va_events b",
    "recursion": "WITH RECURSIVE g(s) AS (SELECT 'aaaaaaaa' UNION ALL SELECT s||s FROM g) SELECT length(s) FROM g",
    "depth": "SELECT 1" + "+1" * 60000,
    "terms": "SELECT 1" + " UNION ALL SELECT 1" * 6000,
    "columns": "SELECT " + "1," * 60000 + "1",
    "tables": "SELECT 1 FROM " + ",".join(f"va_events a{i}" for i in range(65)),
    "joined": doubled("SELECT p.x FROM {p} p, {p} q"),
    "united": doubled("SELECT x FROM {p} UNION ALL SELECT x FROM {p}"),
    "nested": doubled("SELECT (SELECT x FROM {p}) + (SELECT x FROM {p})"),
    "extension": "SELECT load_extension('x')",
    "tokenizer": "SELECT fts3_tokenizer('simple')",
    "check": "SELECT rtreecheck('main', 'x')",
    "pragma": "SELECT * FROM pragma_integrity_check",
}
# These are allowed, and short
ALLOWED = {
    "width": ("SELECT length(printf('%1000000000d', 1))", None),
    "star": ("SELECT length(printf('%*c', 2000000000, 'x'))", None),
    "instr": (f"SELECT instr({LONG}, substr({LONG}, 1, 16000)||'b')", 0),
    "like": (f"SELECT {LONG} LIKE '" + "%a" * 450 + "c'", 0),
    "glob": (f"SELECT {LONG} GLOB '*[" + "b" * 900 + "]'", 0),
    "trim": (f"SELECT length(trim({LONG}, substr({LONG}, 1, 1000)||'b'))", 0),
    "count": ("SELECT count(*) FROM va_events WHERE text LIKE '%a%' OR instr(object, 'M') > 0", None),
    "raw": ("SELECT instr(bytes, x'00') > 0 FROM raw_log LIMIT 1", 1),
}


def measured(*args):
    """The answer, with seconds of processor time and megabytes of memory it took."""
    p = cli.start(*args)
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    p.stdout.close(), p.stderr.close()
    return p.returncode, json.loads(out), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


@test
def statements_of_one_long_step():
    for name, statement in ONE_STEP.items():
        status, value, seconds, megabytes = measured("query", "sql", "--recording", decoded(), "--sql", statement)
        assert status == 1 and value["error"] == "bad_sql", (name, value)
        assert seconds < 25 and megabytes < 300, (name, seconds, megabytes)
    # SQLite before 3.46 refuses these, later ones see a plain 1
    for n in (2000, 60000):
        status, value, seconds, megabytes = measured("query", "sql", "--recording", decoded(), "--sql", "SELECT " + "(" * n + "1" + ")" * n)
        assert value["rows"] == [[1]] if status == 0 else value["error"] == "bad_sql", (n, value)
        assert status in (0, 1) and seconds < 25 and megabytes < 300, (n, seconds, megabytes)
    for name, (statement, wanted) in ALLOWED.items():
        status, value, seconds, megabytes = measured("query", "sql", "--recording", decoded(), "--sql", statement)
        assert status == 0 and value["row_count"] == 1, (name, value)
        assert wanted is None or value["rows"] == [[wanted]], (name, value)
        assert seconds < 25 and megabytes < 300, (name, seconds, megabytes)


@test
def an_endless_statement_is_stopped_in_time():
    begin = time.monotonic()
    v = refusal("bad_sql", "query", "sql", "--recording", decoded(), "--budget", "low", "--sql",
                "SELECT count(*) FROM va_events a, va_events b, va_events c", timeout=40)
    assert "longer than" in v["message"], v
    assert time.monotonic() - begin < 29


@test
def names_that_are_no_text():
    """Names of files, and arguments, of bytes that are no UTF-8: no answer may hold them as they are."""
    folder = os.fsencode(str(TMP)) + b"/odd\xff\xfe"
    os.mkdir(folder)
    path, none, golden = folder + b"/r.vadb", folder + b"/none", folder + b"/g.vafp.json"
    shutil.copy(decoded(), path)
    shutil.copy(DATA / "m4_short.cobs", folder + b"/in.cobs")
    Path(os.fsdecode(folder + b"/c.vacf")).write_text('{"transport": "demo"}')
    for args, code in (
            (("query", "summary", path), None), (("query", "slices", path, "--max-slices", "1"), None), (("load", path), None),
            (("query", "fingerprint", path, "--out", golden), None), (("query", "compare", path, "--baseline", golden), None),
            (("query", "compare", path, "--baseline", path), None), (("query", "compare", path, "--baseline", none), "file_not_found"),
            (("query", "compare", path, "--baseline", path, "--as", "ndjson"), None),
            (("query", "fingerprint", path, "--runs", none), "no_such_recording"), (("query", "profile", path, "--elf", none), "file_not_found"),
            (("query", "sql", path, "--sql", b"SELECT '\xff' AS \"\xfe\""), None), (("query", "sql", path, "--sql", b"SELEKT \xff"), "bad_sql"),
            (("query", "timeline", path, "--tier", b"\xff"), "bad_arguments"), (("query", b"\xff", path), "bad_arguments"),
            (("symbols", "--elf", cli.CLI, "--filter", b"no\xff"), None), (("memory", "--elf", cli.CLI, "--map", none), "file_not_found"),
            (("decode", folder + b"/in.cobs"), None), (("decode", none, folder + b"/no2"), "file_not_found"),
            (("capture", "--config", folder + b"/c.vacf", "--output", folder + b"/o.vadb", "--duration", "0.2", "--stream"), None),
            (("capture", "--transport", b"\xff"), "bad_config"), (("capture", b"--\xff", b"\xff"), "bad_arguments"),
            (("export", "--recording", path, "--output", folder + b"/x.csv"), None), (("recordings",), None), ((b"\xff",), "bad_arguments"),
            (("recordings", "--delete-recording", none), "no_such_recording")):
        result = subprocess.run([os.fsencode(cli.CLI), *map(os.fsencode, args)], capture_output=True, timeout=60, env=cli.ENV)
        out, err = result.stdout.decode("utf-8"), result.stderr.decode("utf-8")
        values = [json.loads(line) for line in out.splitlines() if line.startswith("{")] + \
            [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        assert values and values[-1 if "--stream" not in args else 0].get("error") == code, (args, out[-300:], err[-300:])
        assert result.returncode == (1 if code else 0), (args, out)


@test
def names_of_control_characters():
    """Whatever character a name holds, an answer is JSON, and gives it back."""
    path, name = TMP / "control.vadb", "odd\x01\n\x1e\x1f\x7f\x80"
    shutil.copy(decoded(), path)
    with sqlite3.connect(path) as db:
        for table in ("va_objects", "ts_lanes"):
            assert db.execute(f"UPDATE {table} SET name=? WHERE name='Sensor'", (name,)).rowcount == 1
    db.close()
    for args in (("query", "cpu", "--recording", path), ("query", "comms", "--recording", path, "--pretty"),
                 ("query", "comms", "--recording", path, "--as", "ndjson"),
                 ("query", "sql", "--recording", path, "--sql", "SELECT name FROM va_objects")):
        out = subprocess.run([cli.CLI, *map(str, args)], capture_output=True, timeout=60, env=cli.ENV).stdout.decode("utf-8")
        values = [json.loads(out)] if "ndjson" not in args else [json.loads(line) for line in out.splitlines()]
        assert r"odd\u0001" in json.dumps(values) and r"\u001f" in json.dumps(values), (args, out[:300])


@test
def every_wrong_file_is_named():
    a, b = TMP / "wrong-a", TMP / "wrong-b"
    refusal("file_not_found", "decode", a, DATA / "m4_short.cobs", b, "--output", TMP / "x.vadb", mentions=["wrong-a", "wrong-b"])
    refusal("no_such_recording", "query", "fingerprint", decoded(), "--runs", f"{a},{decoded()},{b}", mentions=["wrong-a", "wrong-b"])
    assert not (TMP / "x.vadb").exists()


@test
def recordings_cut_short_and_damaged():
    seed = int(os.environ.get("TASKSCOPE_SEED", time.time_ns() % 1000000))
    print(f"# seed {seed}")
    rand = random.Random(seed)
    whole, path = decoded().read_bytes(), TMP / "cut.vadb"
    for round in range(24):
        data = bytearray(whole[:(rand.randrange(len(whole)), rand.randrange(len(whole) // 4096) * 4096, rand.randrange(200))[round % 3]])
        if round % 4 == 3:
            data = bytearray(whole)
            for _ in range(rand.randrange(1, 40)):
                data[rand.randrange(len(data))] = rand.randrange(256)
        path.write_bytes(data)
        for args in (("load", path), ("query", "summary", path), ("query", "cpu", path), ("query", "slices", path, "--max-slices", "9"),
                     ("query", "sql", path, "--sql", "SELECT COUNT(*) FROM va_events")):
            result = run(*args)
            value = json.loads(result.out.splitlines()[-1])
            assert result.returncode in (0, 1) and value.get("error") in (None, "bad_recording", "bad_sql"), (args, result.returncode, value)
        assert path.read_bytes() == bytes(data) and not [f for f in TMP.glob("cut.vadb*") if f != path]


@test
def a_disk_that_is_full():
    def small(limit=3000000):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    path = TMP / "full.vadb"
    for args in (("demo", "--events", "2000000"), ("capture", "--transport", "demo", "--demo-rate", "1000000", "--duration", "60", "--no-register")):
        result = subprocess.run([cli.CLI, *args, "--output", str(path)], capture_output=True, timeout=100, env=cli.ENV, preexec_fn=small)
        value = json.loads(result.stdout.decode().splitlines()[-1])
        assert result.returncode == 1 and value["error"] == "capture_failed", value
        # what was committed is there
        assert answer("query", "summary", path)["data"]["events"] > 1000
        path.unlink()
    # what was there before is there still
    answer("demo", "--output", path, "--events", "500")
    result = subprocess.run([cli.CLI, *args, "--output", str(path)], capture_output=True, timeout=100, env=cli.ENV, preexec_fn=small)
    assert result.returncode == 1 and answer("query", "summary", f"{path}~")["data"]["events"] < 1000 < answer("query", "summary", path)["data"]["events"]
    for limit in (3000000, 100000, 10000):
        for to in ("csv", "vadb", "perfetto", "ctf"):
            out = TMP / f"room.{to}"
            result = subprocess.run([cli.CLI, "export", "--recording", str(big()), "--to", to, "--output", str(out)], capture_output=True,
                                    timeout=100, env=cli.ENV, preexec_fn=lambda: small(limit))
            value = json.loads(result.stdout.decode())
            assert result.returncode == 1 and value["error"] == "capture_failed" and not result.stderr, (to, value, result.stderr)
            assert not list(TMP.glob(f"room.{to}*")) and f"{out}:" in value["message"] and "kept" not in value["message"], (to, value)


def big():
    path = TMP / "big.vadb"
    if not path.exists():
        answer("demo", "--events", "300000", "--output", path)
    return path


@test
def ended_at_any_moment():
    seed = int(os.environ.get("TASKSCOPE_SEED", time.time_ns() % 1000000))
    print(f"# seed {seed}")
    rand = random.Random(seed)
    source, copy, series = big(), TMP / "moment-copy.vadb", TMP / "moment.ndjson"
    shutil.copy(source, copy)
    series.write_text("".join(f'{{"t_us": {100 * i}, "channel": "a", "value": {i}}}\n' for i in range(50000)))
    for round in range(36):
        out = TMP / f"moment{round}.vadb"
        args = (("demo", "--output", out, "--events", "10000000000"), ("capture", "--transport", "demo", "--output", out, "--no-register"),
                ("export", "--recording", source, "--to", "csv", "--output", out), ("query", "events-all", source),
                ("import", source, "--series", series, "--output", out), ("reindex", "--recording", copy))[round % 6]
        p = cli.start(*args)
        time.sleep(rand.uniform(0.0, 0.25))     # the moment is what is tested
        p.send_signal(rand.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)))
        text, err = cli.finish(p, 60)
        left = [f for f in TMP.glob(f"moment{round}.*") if f != out] + [f for f in TMP.glob("moment-copy*") if f != copy]
        assert not left, (args, left)
        if p.returncode < 0:
            # the moment was before the program's first own instruction
            assert not text and not out.exists(), (args, text)
            continue
        assert p.returncode in (0, 1), (args, p.returncode, err)
        value = json.loads(text.splitlines()[-1])
        if p.returncode == 1:
            assert value["error"] in ("cancelled", "empty_capture", "capture_failed"), value
            assert not out.exists(), (args, value)
        elif args[0] == "capture":
            assert answer("query", "summary", out)["data"]["events"] == value["summary"]["events"]
    # what was interrupted while its lanes were made again has all its events still
    assert answer("query", "summary", copy)["data"]["events"] == answer("query", "summary", source)["data"]["events"]


if __name__ == "__main__":
    sys.exit(cli.main("/app/hostile/"))
