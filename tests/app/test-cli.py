#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line from outside: arguments, envelopes, exit statuses, captures, files. Prints TAP.

test-cli.py PATH-OF-taskscope-cli [NAME...]    with names: only the tests whose names contain one of them
"""
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import xml.etree.ElementTree
from pathlib import Path

CLI = sys.argv[1]
ONLY = sys.argv[2:]
DATA = Path(os.environ.get("TASKSCOPE_TEST_DATA", Path(__file__).resolve().parent.parent / "data"))
TMP = Path(tempfile.mkdtemp(prefix="ts-cli-test-"))
ENV = dict(os.environ, XDG_DATA_HOME=str(TMP / "data"), XDG_CACHE_HOME=str(TMP / "cache"),
           XDG_CONFIG_HOME=str(TMP / "config"), LC_ALL="C.UTF-8", LANGUAGE="C")
TESTS = []


class Skip(Exception):
    """Something that the test needs is not there."""


def test(function):
    TESTS.append(function)
    return function


def run(*args, timeout=60, env=None, cwd=None):
    result = subprocess.run([CLI, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                            env=dict(ENV, **(env or {})), cwd=cwd)
    result.out = result.stdout.decode("utf-8")
    result.err = result.stderr.decode("utf-8", "replace")
    return result


def one_json(result):
    """The whole of standard output is one JSON object."""
    value = json.loads(result.out)
    assert isinstance(value, dict)
    assert value["schema_version"] == 2
    return value


def answer(*args, **more):
    result = run(*args, **more)
    assert result.returncode == 0, f"exit {result.returncode}: {result.out} {result.err}"
    value = one_json(result)
    assert "error" not in value
    return value


def refusal(code, *args, mentions=(), **more):
    result = run(*args, **more)
    assert result.returncode == 1, f"exit {result.returncode}: {result.out}"
    lines = result.out.splitlines()
    value = json.loads(lines[-1])
    assert value["error"] == code, value
    for word in mentions:
        assert word in value["message"], value
    return value


def sql(path, statement):
    con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return con.execute(statement).fetchall()
    finally:
        con.close()


def expected(name):
    return json.loads((DATA / f"{name}.expected.json").read_text())


def decoded(name="m4_short.cobs", fmt="va-cobs"):
    path = TMP / (name + ".vadb")
    if not path.exists():
        answer("decode", DATA / name, "--format", fmt, "--output", path)
    return path


def count_events(name):
    return sum(expected(name)["decoded"]["events_by_code"].values())


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(condition, seconds=20, what="the condition"):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come about in {seconds} s")


def n_rows(path):
    """Events that a recording holds by now, also while it is being written."""
    try:
        con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return con.execute("SELECT COUNT(*) FROM ts_events").fetchone()[0]
        finally:
            con.close()
    except sqlite3.Error:
        return 0


def wait_for_rows(path, n):
    wait_for(lambda: path.exists() and n_rows(path) >= n, what=f"a recording of {n} events")


def catches(pid, number):
    """Whether a process has a handler for a signal by now."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (number - 1) & 1 == 1
    return False


def is_bound(port):
    return any(f":{port:04X} " in Path(f).read_text() for f in ("/proc/net/udp", "/proc/net/udp6") if os.path.exists(f))


def send_records(path, port):
    """Sends a file of datagram records, [u32 time][u16 length][payload]."""
    data = Path(path).read_bytes()
    at = n = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        while at + 6 <= len(data):
            _, length = struct.unpack_from("<IH", data, at)
            s.sendto(data[at + 6:at + 6 + length], ("127.0.0.1", port))
            at += 6 + length
            n += 1
            if n % 8 == 0:
                time.sleep(0.002)


def start(*args):
    return subprocess.Popen([CLI, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)


def finish(process, seconds=20):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"did not end in {seconds} s")
    return out.decode("utf-8"), err.decode("utf-8", "replace")


# ---------------------------------------------------------------- arguments and envelopes

@test
def version_in_all_forms():
    for args in (["version"], ["--version"], ["--headless", "--version"], ["--headless", "version"]):
        v = answer(*args)
        assert v["app"] == "ViewAlyzer" and v["implementation"] == "Taskscope" and v["version"]
        assert v["core"] == "c" and v["edition"] == "open" and v["license"]["unlimited"] is True
        assert {"udp", "serial", "tcp", "file", "demo"} <= set(v["transports"])
        assert {"git_sha", "built"} <= set(v)


@test
def pretty_is_one_value():
    result = run("version", "--pretty")
    assert result.out.count("\n") > 5
    assert one_json(result) == answer("version")


@test
def help_names_the_verbs():
    for args in ([], ["help"], ["--help"], ["-h"], ["capture", "--help"]):
        result = run(*args)
        assert result.returncode == 0
        for verb in ("capture", "decode", "query", "export", "print", "demo"):
            assert verb in result.out


@test
def lists_and_doctor():
    assert isinstance(answer("ports")["ports"], list)
    assert isinstance(answer("--headless", "--list-ports")["ports"], list)
    probes = answer("--headless", "--list-probes", "--jlink", "/x", "--stlink=/y", "--cube-programmer", "/z", "--arm-gdb", "/w")
    assert probes["probes"] == [] and probes["warnings"]
    for args in (["doctor"], ["--headless", "--doctor", "--jlink", "/x"]):
        checks = {c["id"]: c for c in answer(*args)["checks"]}
        assert set(checks) == {"probes_stlink", "probes_jlink", "probes_cmsis_dap", "serial_ports", "recordings_dir",
                               "probe_rs_targets", "license"}
        assert all(c["status"] in ("ok", "none", "missing", "free") and c["name"] for c in checks.values())
        assert checks["recordings_dir"]["path"].startswith(str(TMP))


@test
def doctor_tells_a_folder_that_cannot_be_made():
    (TMP / "file").write_text("")
    checks = {c["id"]: c for c in answer("doctor", env={"XDG_DATA_HOME": str(TMP / "file")})["checks"]}
    assert checks["recordings_dir"]["status"] == "missing" and checks["recordings_dir"]["hint"]
    # there is nothing in it either
    assert answer("recordings", env={"XDG_DATA_HOME": "/proc/none"})["recordings"] == []


@test
def license_verbs():
    for args in (["license", "get"], ["license"], ["--headless", "--get-license"]):
        v = answer(*args)
        assert v["activated"] is True and "max_record_s" in v
    for args in (["license", "activate", "X"], ["--headless", "--activate-license", "X"], ["--headless", "--validate-license"],
                 ["license", "deactivate"]):
        refusal("unsupported", *args)


@test
def mistyped_words_are_named_with_the_nearest():
    refusal("bad_arguments", "recordngs", mentions=["recordngs", "recordings"])
    refusal("bad_arguments", "decode", "x", "--outptu", "y", mentions=["--outptu", "--output"])
    refusal("bad_arguments", "capture", "--udp-prot", "1", mentions=["--udp-prot", "--udp-port"])
    refusal("bad_arguments", "query", "sumary", "--recording", "x", mentions=["sumary", "summary"])
    refusal("bad_arguments", "export", "--to", "pgn", "--output", "x", "--recording", "x", mentions=["pgn", "png"])
    refusal("bad_arguments", "decode", DATA / "m4_short.cobs", "--format", "va-cosb", mentions=["va-cosb", "va-cobs"])


@test
def keys_of_another_section_are_named_there():
    config, out = TMP / "sections.vacf", TMP / "sections.vadb"
    for key, value, place in (("dwt-watch", ["0x20000000:4"], '"hardware-trace": {"dwt": {"watch": \u2026}}'),
                              ("dwt-exc", True, '"hardware-trace": {"dwt": {"exception-trace": \u2026}}'),
                              ("pc-sample-cyc", 64, '"hardware-trace": {"dwt": {"pc-sample-cyc": \u2026}}'),
                              ("itm.ports", 1, '"hardware-trace": {"itm": {"ports": \u2026}}'),
                              ("swo-hz", 1, '"hardware-trace": {"trace-port": {"swo-hz": \u2026}}'),
                              ("itm", {"ports": 1}, '"hardware-trace": {"itm": \u2026}')):
        config.write_text(json.dumps({"transport": "udp", "udp-port": 17200, key: value}))
        message = refusal("bad_config", "capture", "--config", config, "--output", out, mentions=[key, place])["message"]
        assert "did you mean" not in message, message
    config.write_text(json.dumps({"transport": "udp", "size": 1}))
    refusal("bad_config", "capture", "--config", config, "--output", out, mentions=["size", "did you mean"])
    block = {"watch": [], "swo-freq-hz": 2000000, "dwt": {"ports": 1}, "nonsense": 1}
    result = run("hwtrace", "--dry-run", "--arch", "v7m", "--cpu-clock-hz", "100000000", "--hardware-trace", json.dumps(block))
    assert result.returncode == 0, result
    for words in ('\u201cwatch\u201d has no effect here: it is written {"dwt": {"watch": \u2026}}.',
                  "\u201cswo-freq-hz\u201d has no effect in it: it is written beside it.",
                  '\u201cports\u201d has no effect here: it is written {"itm": {"ports": \u2026}}.',
                  "unknown key \u201cnonsense\u201d has no effect."):
        assert words in result.err, (words, result.err)


@test
def what_is_named_must_be_there():
    for verb in ("slices", "slice-details", "timeline"):
        refusal("bad_arguments", "query", verb, decoded(), "--lanes", "Ctrl,Nobody", mentions=["--lanes", "Nobody"])
    rows = answer("query", "slices", decoded(), "--lanes", "Ctrl,ISR:DUALTIM,_RTOS_")["slices"]
    assert {r["name"] for r in rows} == {"Ctrl", "ISR:DUALTIM", "_RTOS_"}, rows[:3]
    for value in ("3", "", "one"):
        refusal("bad_arguments", "query", "summary", decoded(), "--schema", value, mentions=["--schema", "1 or 2"])


@test
def flags_of_other_verbs_are_refused():
    refusal("bad_arguments", "ports", "--duration", "3", mentions=["--duration"])
    refusal("bad_arguments", "print", "--udp-port", "3", mentions=["--udp-port"])


@test
def flags_say_one_thing():
    v = refusal("bad_arguments", "query", "summary", "--recording", decoded(), "--recording", TMP / "other.vadb", mentions=["--recording", "other.vadb"])
    assert str(decoded()) in v["message"], v
    refusal("bad_arguments", "--headless", "--query", "summary", "--recording", decoded(), "--budget", "low", "--budget=high", mentions=["--budget"])
    # the same thing twice is one thing
    answer("query", "summary", "--recording", decoded(), f"--recording={decoded()}", "--pretty", "--pretty")
    # what went with instruction trace, as it was asked for: a word that is no verb does not hide it
    for args in (("--headless", "--onchip-scan", "list"), ("--onchip-scan=list",), ("capture", "--onchip-scan", "list")):
        result = run(*args)
        value = json.loads(result.out.splitlines()[-1])
        assert result.returncode == 1 and value["error"] == "bad_arguments" and "ETM" in value["message"], (args, value)


@test
def stray_words_are_refused():
    refusal("bad_arguments", "capture", "--transport", "demo", "--cobs", "maybe", mentions=["maybe"])
    refusal("bad_arguments", "ports", "all", mentions=["all"])


@test
def flags_need_values_that_make_sense():
    refusal("bad_arguments", "capture", "--output", mentions=["--output"])
    refusal("bad_arguments", "capture", "--transport", "demo", "--duration", "soon", "--output", TMP / "x", mentions=["--duration"])
    refusal("bad_arguments", "demo", "--output", TMP / "x", "--duration", "0", mentions=["--duration"])
    refusal("bad_arguments", "demo", "--output", TMP / "x", mentions=["--duration", "--events"])
    refusal("bad_arguments", "demo", "--duration", "1", mentions=["--output"])
    refusal("bad_arguments", "demo", "--output", TMP / "x", "--events", "1e6", mentions=["--events"])
    refusal("bad_arguments", "decode", mentions=["file"])
    refusal("bad_arguments", "query", "summary", mentions=["--recording"])
    refusal("bad_arguments", "query")
    refusal("bad_arguments", "query", "sql", "--recording", decoded(), mentions=["sql"])
    refusal("bad_arguments", "print", "--recording", decoded(), "--t-start-us", "9", "--t-end-us", "3", mentions=["--t-end-us"])


@test
def snapshots_of_memory_images():
    refusal("bad_arguments", "snapshot", mentions=["stlink-rambuf"])
    refusal("bad_arguments", "snapshot", "--transport", "udp", "--image", "x@0", mentions=["udp"])
    image = TMP / "ram.bin"
    out = TMP / "ram.vadb"
    ask = ("snapshot", "--transport", "stlink-rambuf", "--output", out, "--image")
    image.write_bytes(bytes(1024))
    refusal("bad_arguments", *ask, image, mentions=["@"])
    refusal("file_not_found", *ask, f"{TMP}/none.bin@0")
    refusal("snapshot_failed", *ask, f"{image}@0x20000000", mentions=["0x20000000"])
    block = b"ViewAlyzerRB01\0\0" + struct.pack("<IIIIIIIBBH", 0x20000100, 256, 0, 0, 3, 0, 1000000, 1, 4, 0x102)
    image.write_bytes(bytes(64) + block + bytes(1024))
    refusal("empty_snapshot", *ask, f"{image}@0x20000000")
    assert not out.exists()
    packet = bytes([0x81, 5, 1, 0x10, 0, 0, 0])
    block = b"ViewAlyzerRB01\0\0" + struct.pack("<IIIIIIIBBH", 0x20000100, 256, 7, 0, 3, 0, 1000000, 1, 4, 0x102)
    image.write_bytes((bytes(64) + block).ljust(256, b"\0") + packet + bytes(1024))
    s = answer(*ask, f"{image}@0x20000000")["summary"]
    assert (s["ring"], s["events"], s["window_bytes"], s["discarded_packets"], s["wrapped"], s["frozen"]) \
        == ("live-drop", 1, 7, 3, False, False), s
    assert s["control_block"]["recorder_version"] == "1.2" and s["integrity"]["damaged_bytes"] == 0, s
    s = answer("decode", f"{image}@0x20000000", "--format", "snapshot", "--output", out)["summary"]
    assert s["events"] == 1, s


@test
def no_instruction_trace_queries():
    refusal("etm_not_present", "query", "etm", "--recording", "x")


def image_of(*args):
    result = run("--headless", "hwtrace", "--dry-run", *args)
    assert result.returncode == 0, result.out
    image = json.loads(result.out)
    assert "schema_version" not in image and image["schema"] == 1
    return image


def writes_of(image):
    return {w["reg"]: w["value"] for w in image["writes"]}


@test
def registers_of_a_hardware_trace():
    base = ("--arch", "v7m", "--cpu-clock-hz", "170000000")
    image = image_of(*base)
    assert (image["arch"], image["cpu_hz"], image["swo_hz"], image["itm_port"], image["init_swo"]) == ("v7m", 170000000, 2000000, 1, True)
    assert image["writes"][0] == {"reg": "DEMCR", "addr": "0xE000EDFC", "value": "0x01000000"}
    assert image["writes"][1] == {"reg": "TPIU_ACPR", "addr": "0xE0040010", "value": f"0x{170000000 // 2000000 - 1:08X}"}
    assert image["refused"] == [] and image["applied"]["dwt"] is False
    assert image["caps"] == {"numcomp": 4, "notrcpkt": 0, "nocyccnt": 0, "noprfcnt": 0, "itm": 1, "tpiu": 1}

    block = TMP / "block.json"
    block.write_text(json.dumps({"dwt": {"enable": True, "exception-trace": True}}))
    for text in (block.read_text(), f"@{block}"):
        image = image_of(*base, "--hardware-trace", text, "--no-init-swo")
        assert image["hardware_trace"]["dwt"]["exception-trace"] is True and image["init_swo"] is False
        assert "TPIU_ACPR" not in writes_of(image) and int(writes_of(image)["DWT_CTRL"], 16) >> 16 & 1
    caps = TMP / "caps.json"
    caps.write_text('{"numcomp": 0}')
    watch = ("--dwt", "--dwt-watch", "level@0x20000010:4:data-w:pc")
    for text in (caps.read_text(), f"@{caps}"):
        image = image_of(*base, *watch, "--caps", text)
        assert image["refused"][0]["feature"] == "dwt-watch" and "numcomp=0" in image["refused"][0]["reason"]
        assert image["dwt_watch"] == watch[-1] and image["applied"]["watch"] == []
    image = image_of(*base, *watch, "--hardware-trace", '{"dwt": {"pc-sample-cyc": 64}}', "--dwt-pc=16384", "--dwt-counters", "cyc,sleep",
                     "--itm-timestamps", "16", "--itm-ports", "0xF", "--itm-privilege", "1", "--dwt-exc")
    applied = image["applied"]
    assert applied["pc_sample_cyc"] == 16384 and applied["counters"] == ["sleep"] and applied["itm_timestamps"] == 16
    assert [r["feature"] for r in image["refused"]] == ["dwt-counters"] and "cyc" in image["refused"][0]["reason"]
    assert applied["watch"] == [{"cmp": 0, "id": 224, "name": "level", "addr": "0x20000010", "size": 4, "function": "data-w", "pc": True}]
    assert writes_of(image)["DWT_FUNCTION0"] == "0x0000000F" and writes_of(image)["ITM_TER"] == "0x0000000F"


@test
def wrong_settings_of_a_hardware_trace():
    for args, flags in (((), ("--arch", "--cpu-clock-hz")), (("--arch", "v7m"), ("--cpu-clock-hz",)),
                        (("--arch", "v9", "--cpu-clock-hz", "fast"), ("--arch", "--cpu-clock-hz")),
                        (("--arch", "v7m", "--cpu-clock-hz", "1000", "--caps", "[]"), ("--caps",)),
                        (("--arch", "v7m", "--cpu-clock-hz", "1000", "--caps", f"@{TMP}/none"), ("--caps",)),
                        (("--arch", "v7m", "--cpu-clock-hz", "1000", "--hardware-trace", "{"), ("--hardware-trace",)),
                        (("--arch", "v7m", "--cpu-clock-hz", "1000", "--dwt-watch", "level"), ("--dwt-watch",))):
        result = run("hwtrace", "--dry-run", *args)
        value = json.loads(result.out)
        assert result.returncode == 2 and set(value) == {"error"}, result.out
        assert all(flag in value["error"] for flag in flags), value
    refusal("bad_arguments", "hwtrace", "--arch", "v7m", mentions=["--dry-run"])
    refusal("bad_arguments", "hwtrace", "--dry-run", "--cap", "x", mentions=["--caps"])


@test
def failures_of_captures_repeat_their_text():
    result = run("capture", "--transport", "udp", "--udp-port", "x", "--output", TMP / "x.vadb", "--duration", "1")
    lines = result.out.splitlines()
    assert result.returncode == 1
    assert any(line.startswith("[headless] ERROR: ") for line in lines)
    assert json.loads(lines[-1])["error"] == "bad_config"
    # what cannot be connected to, with and without live lines: the same text, no sample and no file
    for stream in ([], ["--stream"]):
        result = run("capture", "--transport", "serial", "--serial-port", "/dev/ttyNowhere", "--output", TMP / "x.vadb", "--duration", "1", *stream)
        lines = result.out.splitlines()
        value = json.loads(lines[-1])
        assert result.returncode == 1 and value["error"] == "capture_failed" and "/dev/ttyNowhere" in value["message"], result.out
        assert [line for line in lines if line.startswith("[headless] ERROR: ")] == [f"[headless] ERROR: {value['message']}"], lines
        assert not [line for line in stream_lines(result.err) if line["t"] == "stream_sample"], result.err
        assert not (TMP / "x.vadb").exists()


# ---------------------------------------------------------------- configuration

@test
def unknown_keys_of_a_file():
    vacf = TMP / "unknown.vacf"
    vacf.write_text(json.dumps({"transport": "udp", "udp-prot": 1}))
    refusal("bad_config", "capture", "--config", vacf, "--output", TMP / "x.vadb", "--duration", "1", mentions=["udp-prot", "udp-port"])
    vacf.write_text(json.dumps({"transport": "demo", "udp-prot": 1}))
    result = run("capture", "--config", vacf, "--lenient-config", "--output", TMP / "lenient.vadb", "--duration", "0.3")
    assert result.returncode == 0, result.out
    assert "udp-prot" in result.err


@test
def flags_win_over_the_file():
    vacf = TMP / "port.vacf"
    port = free_udp_port()
    vacf.write_text(json.dumps({"transport": "serial", "serial-port": "/dev/nowhere", "udp-port": 1}))
    p = start("capture", "--config", vacf, "--transport=udp", f"--udp-port={port}", "--udp-ip", "127.0.0.1", "--no-cobs",
              "--output", TMP / "win.vadb", "--duration", "20")
    wait_for(lambda: is_bound(port), what=f"UDP port {port}")
    p.send_signal(signal.SIGINT)
    out, err = finish(p)
    assert p.returncode == 1 and json.loads(out.splitlines()[-1])["error"] == "empty_capture", out


@test
def a_capture_waits_for_its_trigger():
    path = TMP / "triggered.vadb"
    result = run("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--output", path, "--no-register",
                 "--trigger", "lane:Once kind:timer", "--trigger-before-ms", "50", "--trigger-after-ms=30")
    lines = result.out.splitlines()
    value = json.loads(lines[-1])
    assert result.returncode == 0 and value["summary"]["triggers"] == 1, result.out
    assert any(line.startswith("[headless] Trigger fired (1)") for line in lines), lines
    rows = sql(path, "SELECT t_cycles, text FROM va_events WHERE kind = 'mark'")
    assert len(rows) == 1 and "lane:Once kind:timer" in rows[0][1], rows
    # the mark is right behind the one expiry of that timer, 50 ms (25 MHz) after the beginning at most
    fired = sql(path, "SELECT t_cycles FROM va_events WHERE kind = 'timer' AND object = 'Once' ORDER BY id LIMIT 1")[0][0]
    assert rows[0][0] == fired <= 50 * 25000, (rows, fired)
    last = sql(path, "SELECT MAX(t_cycles) FROM va_events")[0][0]
    assert last - fired <= 30 * 25000, last
    # what was kept of the raw bytes is a piece of the file, and gives the same events again
    raw = b"".join(row[0] for row in sql(path, "SELECT bytes FROM raw_log ORDER BY id"))
    assert 0 < len(raw) < len((DATA / "m4_short.cobs").read_bytes())
    assert raw in (DATA / "m4_short.cobs").read_bytes()


@test
def a_trigger_that_cannot_be_read_is_refused_with_the_place():
    refusal("bad_config", "capture", "--transport", "demo", "--output", TMP / "x.vadb", "--trigger", "lane:Ctrl vlaue>3",
            mentions=["character 11", "“value”"])
    vacf = TMP / "trigger.vacf"
    vacf.write_text('{"transport": "demo", "trigger": "dur>5ms"}')
    refusal("bad_config", "capture", "--config", vacf, "--output", TMP / "x.vadb", mentions=["trigger.vacf", "needs a lane"])
    assert not (TMP / "x.vadb").exists()


@test
def what_fails_keeps_the_older_recording():
    older = TMP / "older.vadb"
    answer("demo", "--output", older, "--events", "500")
    before = older.read_bytes()
    text = TMP / "no-capture.txt"
    text.write_text("The quick brown fox.\n" * 20)
    refusal("empty_capture", "decode", text, "--output", older)
    refusal("empty_capture", "capture", "--transport", "file", "--file-path", text, "--output", older)
    refusal("bad_arguments", "decode", DATA / "m4_short.cobs", "--format", "nothing", "--output", older)
    assert older.read_bytes() == before
    assert not list(TMP.glob("older.vadb?*")), list(TMP.glob("older*"))
    # what goes well replaces it
    answer("decode", DATA / "m4_short.cobs", "--output", older)
    assert sql(older, "SELECT COUNT(*) FROM va_events WHERE object = 'Once'")[0][0] > 0
    assert not list(TMP.glob("older.vadb?*")), list(TMP.glob("older*"))


@test
def numbers_of_more_than_64_bits_are_told():
    vacf = TMP / "large.vacf"
    vacf.write_text('{\n "transport": "udp",\n "udp-port": 99999999999999999999999\n}')
    refusal("bad_config", "capture", "--config", vacf, "--output", TMP / "x.vadb",
            mentions=["line 3", "99999999999999999999999", "64 bits"])
    vacf.write_text('{"transport": "udp", "comment": "99999999999999999999999", "udp-port": -99999999999999999999}')
    refusal("bad_config", "capture", "--config", vacf, "--output", TMP / "x.vadb", mentions=["line 1", "-9999"])


@test
def control_characters_are_shown_and_not_sent():
    result = run("capture", "--transport", "file", "--file-path", "no\x1b[31mfile\nhere", "--output", TMP / "x.vadb")
    line = [line for line in result.out.splitlines() if line.startswith("[headless] ERROR: ")]
    assert result.returncode == 1 and len(line) == 1, result.out
    assert "\x1b" not in result.out and "no\\x1B[31mfile\\x0Ahere" in line[0], result.out
    assert "\x1b[31mfile" in json.loads(result.out.splitlines()[-1])["message"]


@test
def every_key_is_a_flag():
    for key in ("target-device", "speed-khz", "no-reset", "init-swo", "no-init-swo", "rambuf-address", "baud", "demo-seed", "jlink-gdb-port"):
        value = [] if key in ("no-reset", "init-swo", "no-init-swo") else ["0x10"]
        v = refusal("bad_config", "capture", f"--{key}", *value, "--output", TMP / "x.vadb", "--duration", "1")
        assert "transport" in v["message"], v


@test
def missing_file_and_no_transport():
    refusal("bad_config", "capture", "--config", TMP / "nowhere.vacf", "--output", TMP / "x.vadb", mentions=["nowhere.vacf"])
    refusal("bad_config", "--headless", "--output", TMP / "x.vadb", mentions=["transport"])


@test
def probe_transports_say_that_they_are_not_built():
    v = refusal("capture_failed", "capture", "--transport", "stlink-rambuf", "--output", TMP / "x.vadb", "--duration", "1")
    assert re.search("probe|usb", v["message"].lower()), v         # a sandbox may have no USB at all
    assert not (TMP / "x.vadb").exists()


# ---------------------------------------------------------------- captures

CONTRACT_SAVED = re.compile(r"Recording saved:\s*(.+?)\s*\((\d+)\s*KB\)")
CONTRACT_REGISTERED = re.compile(r"Recording registered:\s*id=([0-9a-f]{12})")


@test
def loss_of_one_of_two_udp_senders_is_its_own():
    port = free_udp_port()
    vacf, out, stop = TMP / "senders.vacf", TMP / "senders.vadb", TMP / "senders-stop"
    vacf.write_text(json.dumps({"transport": "udp", "udp-ip": "127.0.0.1", "udp-port": port}))
    p = start("capture", "--config", vacf, "--output", out, "--duration", "60", "--stop-file", stop, "--no-register")
    wait_for(lambda: is_bound(port), what=f"UDP port {port}")
    # both run at once, from ports of their own; of the first three datagrams are missing
    senders = [threading.Thread(target=send_records, args=(DATA / name, port))
               for name in ("m4_short_udp_loss.udprec", "m4_short_udp.udprec")]
    senders[0].start()
    wait_for_rows(out, 1)
    senders[1].start()
    for sender in senders:
        sender.join()
    lossy = json.loads((DATA / "m4_short_udp_loss.expected.json").read_text())
    n_lossy, n_whole = sum(lossy["intact"]["events_by_code"].values()), count_events("m4_short_udp")
    wait_for_rows(out, n_lossy + n_whole)
    stop.write_text("")
    text, err = finish(p)
    assert p.returncode == 0, text + err
    db = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
    counted = "kind NOT IN ('data_loss', 'corrupt', 'session_start', 'capture_end', 'mark') AND (COALESCE(flags, 0) & 4) = 0"
    events = dict(db.execute(f"SELECT core, COUNT(*) FROM va_events WHERE {counted} GROUP BY core"))
    lost = db.execute("SELECT core, COUNT(*), SUM(value) FROM va_events WHERE kind = 'data_loss' GROUP BY core").fetchall()
    db.close()
    assert events == {0: n_lossy, 1: n_whole}, events
    assert lost == [(0, lossy["intact"]["gap_count"], lossy["packets_lost_by_sequence"])], lost
    s = json.loads(text.splitlines()[-1])["summary"]
    assert s["lost_events"] == lossy["packets_lost_by_sequence"], s


@test
def capture_over_udp_until_the_stop_file():
    port = free_udp_port()
    vacf, out, stop = TMP / "udp.vacf", TMP / "with spaces.db", TMP / "stop"
    vacf.write_text(json.dumps({"transport": "udp", "udp-ip": "127.0.0.1", "udp-port": port}))
    p = start("--headless", "--config", vacf, "--output", out, "--duration", "60", "--stop-file", stop, "--keep-va", "--symbols", "a,b",
              "--poll-hz", "10", "--elf", "/x", "--log", TMP / "log")
    wait_for(lambda: is_bound(port), what=f"UDP port {port}")
    send_records(DATA / "m4_short_udp.udprec", port)
    wait_for_rows(TMP / "with spaces.vadb", count_events("m4_short_udp"))
    stop.write_text("")
    text, err = finish(p)
    assert p.returncode == 0, text + err
    lines = text.splitlines()
    saved = CONTRACT_SAVED.search(text)
    path = TMP / "with spaces.vadb"
    assert saved and saved.group(1) == str(path) and int(saved.group(2)) == path.stat().st_size // 1024
    identity = CONTRACT_REGISTERED.search(text).group(1)
    value = json.loads(lines[-1])
    assert value["recording_id"] == identity and value["path"] == str(path)
    s = value["summary"]
    assert s["transport"] == "udp" and s["events"] == count_events("m4_short_udp") and s["lost_events"] == 0 and s["corrupt_bytes"] == 0
    assert s["duration_us"] > 0 and s["os"] and s["cpu_hz"] > 0
    assert "symbols" in err
    assert "Recording saved" in (TMP / "log").read_text()
    assert not list(TMP.glob("with spaces.vadb-*"))

    entry = answer("recordings")["recordings"][0]
    assert entry["recording_id"] == identity and entry["path"] == str(path) and entry["size_bytes"] == path.stat().st_size
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry["created_utc"]) and entry["schema_name"]
    assert answer("query", "summary", "--recording", identity)["data"]["events"] == s["events"]
    assert answer("--headless", "--delete-recording", identity) == {"schema_version": 2, "deleted": identity}
    assert not path.exists()
    refusal("no_such_recording", "query", "summary", "--recording", identity, mentions=[identity])
    refusal("no_such_recording", "--headless", "--delete-recording", identity, mentions=[identity])


@test
def captures_end_well_on_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        path = TMP / f"signal{number}.vadb"
        p = start("capture", "--transport", "demo", "--output", path, "--duration", "60")
        wait_for_rows(path, 1500)
        p.send_signal(number)
        text, err = finish(p)
        assert p.returncode == 0, text + err
        assert json.loads(text.splitlines()[-1])["summary"]["events"] > 1000


@test
def a_capture_without_a_reader_ends_well():
    path = TMP / "reader.vadb"
    p = start("capture", "--transport", "demo", "--output", path, "--duration", "60")
    wait_for_rows(path, 1500)
    p.stdout.close()
    assert p.wait(30) == 1
    p.stderr.close()
    assert not Path(str(path) + "-wal").exists()
    assert answer("query", "summary", "--recording", path)["data"]["events"] > 1000
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT value FROM health WHERE key = 'end_reason'").fetchone() == ("stopped",)


@test
def what_is_interrupted_says_so():
    forever = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    p = start("query", "sql", "--recording", decoded(), "--sql", forever)
    wait_for(lambda: catches(p.pid, signal.SIGINT), what="a query that can be interrupted")
    p.send_signal(signal.SIGINT)
    text, err = finish(p)
    assert p.returncode == 1 and json.loads(text)["error"] == "cancelled", text

    path = TMP / "interrupted.vadb"
    p = start("demo", "--output", path, "--events", "10000000000")
    wait_for(path.exists, what="the recording")
    p.send_signal(signal.SIGTERM)
    text, err = finish(p)
    assert p.returncode == 1 and json.loads(text)["error"] == "cancelled", text
    assert not path.exists()


@test
def an_answer_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "wb") as full:
        result = subprocess.run([CLI, "version"], stdout=full, stderr=subprocess.PIPE, env=ENV, timeout=30)
    assert result.returncode == 1 and b"could not be written" in result.stderr


@test
def two_captures_into_one_file():
    path = TMP / "two.vadb"
    first = start("capture", "--transport", "demo", "--output", path, "--duration", "60")
    wait_for_rows(path, 1500)
    result = run("capture", "--transport", "demo", "--output", path, "--duration", "1")
    assert result.returncode == 1 and json.loads(result.out.splitlines()[-1])["error"] == "capture_failed"
    assert "already" in result.out and "saved" not in result.out
    first.send_signal(signal.SIGINT)
    text, err = finish(first)
    events = json.loads(text.splitlines()[-1])["summary"]["events"]
    assert first.returncode == 0 and events > 1000
    assert answer("query", "summary", "--recording", path)["data"]["events"] == events


@test
def an_export_does_not_replace_its_recording():
    path = TMP / "shown.vadb"
    answer("demo", "--output", path, "--events", "1000")
    fifo = TMP / "fifo.csv"
    os.mkfifo(fifo)
    for to in ("csv", "png", "svg", "vadb", "perfetto"):
        refusal("capture_failed", "export", "--recording", path, "--to", to, "--output", path, mentions=["itself"])
        refusal("capture_failed", "export", "--recording", path, "--to", to, "--output", fifo, mentions=["not a file"])
    assert fifo.is_fifo()
    assert answer("query", "summary", "--recording", path)["data"]["events"] >= 1000


@test
def capture_without_registration():
    answer("recordings", "--delete-all-recordings")
    result = run("capture", "--transport=demo", "--output", TMP / "quiet.vadb", "--duration=0.5", "--no-register")
    assert result.returncode == 0, result.out
    assert CONTRACT_SAVED.search(result.out) and not CONTRACT_REGISTERED.search(result.out)
    assert answer("recordings")["recordings"] == []


@test
def recordings_are_listed_newest_first():
    answer("recordings", "--delete-all-recordings")
    listed = lambda: [Path(e["path"]).stem for e in answer("recordings")["recordings"]]
    record = lambda name: run("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--output", TMP / f"{name}.vadb")
    # of names whose order is neither that of the alphabet nor its reverse
    for name in ("newest-m", "newest-a", "newest-z", "newest-k"):
        assert record(name).returncode == 0
    assert listed() == ["newest-k", "newest-z", "newest-a", "newest-m"], listed()
    # recorded once more it is the newest, and there once
    assert record("newest-a").returncode == 0
    assert listed() == ["newest-a", "newest-k", "newest-z", "newest-m"], listed()
    answer("recordings", "--delete-recording", TMP / "newest-z.vadb")
    assert listed() == ["newest-a", "newest-k", "newest-m"], listed()
    answer("recordings", "--delete-all-recordings")


@test
def captures_that_end_at_once_keep_their_entries():
    answer("recordings", "--delete-all-recordings")
    running = [start("capture", "--transport", "demo", "--output", TMP / f"many{i}.vadb", "--duration", "0.4") for i in range(4)]
    for p in running:
        text, err = finish(p, 40)
        assert p.returncode == 0, text + err
    entries = answer("recordings")["recordings"]
    assert {Path(e["path"]).name for e in entries} == {f"many{i}.vadb" for i in range(4)}
    assert len({e["recording_id"] for e in entries}) == 4
    assert answer("recordings", "--delete-all-recordings")["deleted"] == "all"
    assert not list(TMP.glob("many*.vadb")) and answer("recordings")["recordings"] == []


@test
def a_damaged_index_is_set_aside():
    folder = TMP / "damaged"
    (folder / "taskscope").mkdir(parents=True)
    (folder / "taskscope" / "recordings.json").write_text("[1, 2")
    result = run("recordings", env={"XDG_DATA_HOME": str(folder)})
    assert result.returncode == 0 and one_json(result)["recordings"] == [] and "damaged" in result.err
    assert (folder / "taskscope" / "recordings.json.damaged").read_text() == "[1, 2"


@test
def an_empty_capture_leaves_no_file():
    path = TMP / "empty.vadb"
    refusal("empty_capture", "capture", "--transport", "udp", "--udp-ip", "127.0.0.1", "--udp-port", free_udp_port(), "--output", path,
            "--duration", "0.5")
    assert not list(TMP.glob("empty.vadb*"))


@test
def ports_in_use_and_devices_that_are_not_there():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        refusal("capture_failed", "capture", "--transport", "udp", "--udp-ip", "127.0.0.1", "--udp-port", port, "--output", TMP / "x.vadb",
                "--duration", "1", mentions=[str(port)])
    refusal("capture_failed", "capture", "--transport", "serial", "--serial-port", "/dev/ttyNowhere", "--output", TMP / "x.vadb",
            "--duration", "1", mentions=["/dev/ttyNowhere"])
    assert not (TMP / "x.vadb").exists()


@test
def capture_over_tcp():
    data = (DATA / "m4_short.cobs").read_bytes()
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = server.accept()
        with connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)

    threading.Thread(target=serve, daemon=True).start()
    path = TMP / "tcp.vadb"
    result = run("capture", "--transport", "tcp", "--tcp-host", "127.0.0.1", "--tcp-port", server.getsockname()[1], "--output", path,
                 "--duration", "3")
    server.close()
    assert result.returncode == 0, result.out
    assert json.loads(result.out.splitlines()[-1])["summary"]["events"] == count_events("m4_short")


@test
def capture_from_a_file():
    path = TMP / "file.vadb"
    result = run("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--file-format", "va-cobs", "--output", path)
    assert result.returncode == 0, result.out
    assert json.loads(result.out.splitlines()[-1])["summary"]["events"] == count_events("m4_short")


@test
def a_folder_that_cannot_be_written():
    v = refusal("capture_failed", "capture", "--transport", "demo", "--output", TMP / "no" / "such" / "folder.vadb", "--duration", "1")
    assert "folder.vadb" in v["message"]


# ---------------------------------------------------------------- demo

@test
def demo_paced_and_as_fast_as_it_goes():
    begin = time.monotonic()
    v = answer("demo", "--output", TMP / "paced.vadb", "--duration", "1.5", "--seed", "7", "--rate", "10000")
    assert time.monotonic() - begin >= 1.4
    assert 10000 < v["summary"]["events"] < 20000 and v["summary"]["lost_events"] == 0 and v["summary"]["corrupt_bytes"] == 0
    assert re.fullmatch("[0-9a-f]{12}", v["recording_id"])
    v = answer("demo", "--output", TMP / "fast.vadb", "--events", "200000", "--seed", "7")
    assert 200000 <= v["summary"]["events"] < 250000 and v["summary"]["os"] == "FreeRTOS" and v["summary"]["cpu_hz"] == 100000000
    again = answer("demo", "--output", TMP / "fast2.vadb", "--events", "200000", "--seed", "7")
    assert again["summary"] == v["summary"]


@test
def demo_shows_what_it_promises():
    path = TMP / "demo.vadb"
    answer("demo", "--output", path, "--events", "200000", "--seed", "3")
    con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tasks = {r[0] for r in con.execute("SELECT name FROM va_objects WHERE type = 'task'")}
    assert {"Control", "Sensor", "Comms", "UI", "Logger", "Shell", "Storage", "IDLE", "Tmr Svc", "Calib"} == tasks
    assert {r[0] for r in con.execute("SELECT name FROM va_objects WHERE type = 'isr'")} == {"SysTick", "ADC", "TIM2", "USART1"}
    assert con.execute("SELECT COUNT(*) FROM va_events WHERE kind = 'mutex_contention'").fetchone()[0] > 0
    load = float(con.execute("SELECT value FROM va_summary WHERE key = 'cpu_load_percent'").fetchone()[0])
    assert 50 < load < 75, load


# ---------------------------------------------------------------- decode, query, print, export

@test
def decode_finds_the_format_and_tells_figures():
    path = TMP / "auto.db"
    v = answer("decode", DATA / "m4_short.raw", "--output", path, "--no-raw-log")
    assert v["path"] == str(TMP / "auto.vadb") and v["summary"]["format"] == "va"
    assert v["summary"]["events"] == count_events("m4_short") and v["summary"]["lost_events"] == 0 and v["summary"]["seq_gaps"] == 0
    con = sqlite3.connect(f"file:{TMP / 'auto.vadb'}?mode=ro", uri=True)
    assert con.execute("SELECT COUNT(*) FROM raw_log").fetchone()[0] == 0


@test
def decode_without_sequence_bytes_tells_no_loss():
    v = answer("decode", DATA / "legacy_u16.cobs", "--format", "va-cobs", "--output", TMP / "legacy.vadb")
    assert v["summary"]["lost_events"] is None and v["summary"]["seq_gaps"] is None


@test
def decode_refuses_what_is_not_there():
    refusal("file_not_found", "decode", TMP / "nowhere.bin", "--output", TMP / "x.vadb", mentions=["nowhere.bin"])
    refusal("bad_arguments", "decode", DATA / "m4_short.cobs", "--format", "kev", "--output", TMP / "x.vadb", mentions=["kev"])
    assert not (TMP / "x.vadb").exists()


@test
def recordings_that_are_none():
    (TMP / "text.vadb").write_text("this is no database\n" * 10)
    refusal("bad_recording", "query", "summary", "--recording", TMP / "text.vadb", mentions=["text.vadb"])
    refusal("bad_recording", "print", "--recording", TMP / "text.vadb")
    refusal("no_such_recording", "query", "summary", "--recording", TMP / "gone.vadb", mentions=["gone.vadb"])


@test
def queries_in_both_forms():
    path = decoded()
    a = answer("query", "summary", path)
    b = answer("--headless", "--query", "summary", "--recording", path)
    assert a == b and a["query"] == "summary" and a["data"]["events"] == count_events("m4_short")
    for verb in ("timeline", "events", "user-traces"):
        v = answer("--headless", "--query", verb, "--recording", path, "--tier", "summary", "--budget", "low")
        assert v["query"] == verb and v["tier"] == "summary" and v["budget"] == "low"
    v = answer("query", "sql", "--recording", path, "--sql", "SELECT kind, COUNT(*) AS n FROM va_events GROUP BY kind")
    assert v["columns"] == ["kind", "n"] and v["row_count"] == len(v["rows"]) > 10
    for statement in ("DELETE FROM meta", "PRAGMA user_version", "SELECT 1; SELECT 2", "SELEKT"):
        refusal("bad_sql", "query", "sql", "--recording", path, "--sql", statement)
    refusal("bad_arguments", "query", "timeline", "--recording", path, "--tier", "raw")


def contention_count():
    return sum(m["count"] for m in expected("m4_short")["decoded"]["mutex_contention"])


@test
def every_query_of_the_contract_answers():
    path = decoded()
    for verb in ("timers", "cpu", "comms", "inversions", "verdicts", "slices", "slice-details", "events-all", "user-traces-all"):
        v = answer("--headless", "--query", verb, "--recording", path)
        assert v["query"] == verb and v["window"]["t_start_us"] == 0
    for kind, more in (("cpu-load", ["--bucket-us", "100000"]), ("stack", []), ("heap", []), ("event-rate", []),
                       ("task-timing", ["--task", "Ctrl", "--metric", "period"]),
                       ("interval", ["--from", "resource:SampSem", "--to", "trace:filtered"])):
        v = answer("query", "series", path, "--kind", kind, *more)
        assert v["kind"] == kind and v["points"] and v["data"]["points"] == v["points"]
        assert all(len(p) == 2 for p in v["points"])
    for verb in ("profile", "itm-console", "dwt-data", "dwt-exc", "dwt-counters", "swo-load"):
        refusal("no_hw_trace", "query", verb, path)
    refusal("bad_arguments", "query", "series", path, mentions=["--kind"])
    refusal("bad_arguments", "query", "series", path, "--kind", "task-timing", mentions=["--task"])
    refusal("bad_arguments", "query", "series", path, "--kind", "interval", mentions=["--from"])
    refusal("bad_arguments", "query", "timers", path, "--tier", "raw", mentions=["--t-start-us"])
    refusal("bad_arguments", "query", "compare", path, mentions=["--baseline"])
    refusal("bad_arguments", "query", "fingerprint", path, "--sections", "nonsense", mentions=["nonsense"])
    refusal("bad_arguments", "query", "fingerprint", path, "--tolerance-pct", "much", mentions=["--tolerance-pct"])
    refusal("bad_arguments", "query", "nonsense", path, mentions=["nonsense"])


@test
def analysis_tells_what_the_firmware_counted():
    path = decoded()
    v = answer("query", "inversions", path)
    assert len(v["inversions"]) == contention_count()
    assert all(i["type"] == "inversion" and i["waiter"] == "Ctrl" and i["holder"] == "Logger" for i in v["inversions"])
    tasks = {t["name"]: t for t in answer("query", "cpu", path)["data"]["tasks"]}
    for isr in expected("m4_short")["decoded"]["isrs"]:
        run = tasks["ISR:" + isr["name"]]["run"]
        assert run["count"] == isr["count"] and abs(run["max_us"] - isr["max_ticks"] / 25) < 0.01
    part = answer("query", "cpu", path, "--t-start-us", "500000", "--t-end-us", "1000000", "--task", "Ctrl")["data"]
    assert [t["name"] for t in part["tasks"]] == ["Ctrl"] and 20 < part["tasks"][0]["run_count"] < 40
    comms = answer("query", "comms", path, "--bucket-us", "100000")["data"]
    assert any(p["producer"] == "Sensor" and p["resource"] == "SampleQ" and p["consumer"] == "Filter" for p in comms["paths"])
    queue = next(r for r in comms["resources"] if r["name"] == "SampleQ")
    assert queue["sent"] == queue["received"] == 200 and max(d for _, d in queue["depth"]) == queue["max_depth"]


@test
def golden_runs():
    path = decoded()
    golden = TMP / "golden.vafp.json"
    v = answer("query", "fingerprint", "--recording", path, "--out", golden, "--sections", "summary,tasks,health", "--tolerance-pct", "30")
    assert v["out"] == str(golden) and v["runs_merged"] == 1 and v["sections"] == ["summary", "tasks", "health"]
    assert abs(v["metrics"]["summary.event_rate_hz"]["value"] - 4871.7) < 0.1
    assert v["metrics"]["summary.event_rate_hz"]["fail_pct"] == 30
    v = answer("query", "compare", "--recording", path, "--baseline", golden)
    assert v["verdict"] == "pass" and all(r["status"] == "pass" for r in v["results"])
    assert answer("query", "compare", "--recording", path, "--baseline", path)["verdict"] == "pass"
    # A number of the file changed by hand.
    text = json.loads(golden.read_text())
    m = text["metrics"]["summary.event_rate_hz"]
    m["value"] = m["min"] = m["max"] = 1000
    golden.write_text(json.dumps(text))
    result = run("query", "compare", "--recording", path, "--baseline", golden)
    v = one_json(result)
    assert result.returncode == 2 and v["verdict"] == "fail" and "error" not in v
    assert [r["metric"] for r in v["results"] if r["status"] == "fail"] == ["summary.event_rate_hz"]
    other = decoded("m4_noisy.cobs")
    assert run("query", "compare", "--recording", other, "--baseline", golden).returncode == 2
    v = answer("query", "fingerprint", "--recording", path, "--runs", str(other))
    assert v["runs_merged"] == 2 and v["metrics"]["summary.event_rate_hz"]["min"] < v["metrics"]["summary.event_rate_hz"]["max"]
    refusal("bad_arguments", "query", "compare", "--recording", path, "--baseline", DATA / "m4_short.expected.json", mentions=["no fingerprint"])


@test
def answers_for_people():
    path = decoded()
    lines = run("query", "inversions", path, "--as", "ndjson").out.splitlines()
    assert [json.loads(l)["type"] for l in lines] == ["inversion"] * contention_count()
    lines = run("query", "sql", path, "--sql", "SELECT 1 AS a, 'x' AS b", "--as", "ndjson").out.splitlines()
    assert [json.loads(l) for l in lines] == [{"a": 1, "b": "x"}]
    lines = run("query", "cpu", path, "--as", "table").out.splitlines()
    assert lines[0].startswith("name ") and any(l.startswith("ISR:DUALTIM ") for l in lines)
    golden = TMP / "people.vafp.json"
    answer("query", "fingerprint", "--recording", path, "--out", golden)
    other = decoded("m4_noisy.cobs")
    reports = {}
    for form in ("md", "junit", "html"):
        assert run("query", "compare", "--recording", path, "--baseline", golden, "--as", form).returncode == 0
        result = run("query", "compare", "--recording", other, "--baseline", golden, "--as", form, env={"DISPLAY": ""})
        assert result.returncode == 2
        reports[form] = result.out
    assert reports["md"].startswith("# Golden run: fail") and "| `health.lost_event_rate_hz` | fail |" in reports["md"]
    suite = xml.etree.ElementTree.fromstring(reports["junit"])
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) > 0
    assert '<h1 class="fail">fail</h1>' in reports["html"] and "data:image/svg+xml;base64," in reports["html"]
    # what is not there is not outside by nothing
    text = json.loads(golden.read_text())
    text["metrics"]["tasks.Gone.run_rate_hz"] = {"value": 12}
    golden.write_text(json.dumps(text))
    for form, line in (("md", "| `tasks.Gone.run_rate_hz` | missing | 12 | - | - |"), ("junit", 'message="not there, expected 12"'),
                       ("html", "tasks.Gone.run_rate_hz<td>missing<td>12<td>-<td>-")):
        result = run("query", "compare", "--recording", path, "--baseline", golden, "--as", form)
        assert result.returncode == 2 and line in result.out, form
    refusal("bad_arguments", "query", "cpu", path, "--as", "md", mentions=["compare"])
    refusal("bad_arguments", "query", "cpu", path, "--as", "poem", mentions=["poem"])
    # every query has rows, those without a bound too, and figures alone are rows by name
    for verb in ("summary", "timeline", "events", "user-traces", "timers", "cpu", "comms", "inversions", "slices", "slice-details", "events-all",
                 "user-traces-all", "fingerprint"):
        rows = [json.loads(line) for line in run("query", verb, path, "--as", "ndjson").out.splitlines()]
        lines = run("query", verb, path, "--as", "table").out.splitlines()
        assert len(rows) > 1 and all(isinstance(r, dict) for r in rows) and len(lines) == len(rows) + 1, (verb, len(rows), len(lines))
        whole = answer("query", verb, path)
        if verb in ("slices", "slice-details", "events-all", "user-traces-all"):
            key = {"events-all": "events", "user-traces-all": "samples"}.get(verb, "slices")
            assert rows == whole[key], verb
        elif verb == "timeline":
            assert rows == whole["tasks"] == whole["data"]["tasks"] and all(set(r) == set(rows[0]) for r in rows)
        elif verb == "summary":
            assert {"name": "events", "value": whole["data"]["events"]} in rows
        elif verb == "fingerprint":
            assert {r["name"]: r["value"] for r in rows} == {k: m["value"] for k, m in whole["metrics"].items()}
        # what a line says in its columns is what the row says, also far beyond what the widths were taken from
        if verb in ("timeline", "slice-details", "events-all"):
            names = re.findall(r"\S+", lines[0])
            starts = [m.start() for m in re.finditer(r"\S+", lines[0])]
            assert names == list(dict.fromkeys(k for r in rows[:500] for k in r)), (verb, names)
            for row, line in list(zip(rows, lines[1:]))[:400]:
                for name, begin, end in zip(names, starts, starts[1:] + [None]):
                    value = row.get(name, "")
                    cell = line[begin:end].strip()
                    want = ("-" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.3f}" if isinstance(value, float)
                            else str(value)[:48].strip())
                    assert cell == want, (verb, row, name, cell)
    # rows are lines whatever else is asked for
    lines = run("query", "timeline", path, "--as", "ndjson", "--pretty").out.splitlines()
    assert [json.loads(line) for line in lines] == answer("query", "timeline", path, "--pretty")["tasks"]
    assert run("query", "verdicts", path, "--as", "table").out == "(nothing)\n" and run("query", "verdicts", path, "--as", "ndjson").out == ""


@test
def too_much_is_refused_with_a_window_that_fits():
    path = decoded()
    v = refusal("window_too_wide", "query", "events", path, "--tier", "raw", "--t-start-us", "0", "--t-end-us", "2000000", "--budget", "low")
    s = v["suggestion"]
    v = answer("query", "events", path, "--tier", "raw", "--t-start-us", s["t_start_us"], "--t-end-us", s["t_end_us"], "--budget", s["budget"])
    assert 100 < v["count"] <= 20000


@test
def every_suggestion_fits():
    """What is suggested instead is answered, the window alone (with the lanes, where they are the trouble) and the width of buckets alone."""
    path = TMP / "suggestions.vadb"
    whole = str(answer("demo", "--events", "300000", "--shape", "mixed", "--seed", "5", "--output", path, "--no-register")["summary"]["duration_us"])
    window = ["--t-start-us", "0", "--t-end-us", whole]
    tried = 0
    for query in (["timeline", "--tier", "raw"], ["timeline", "--tier", "bucketed", "--bucket-us", "1000000"], ["timeline", "--tier", "bucketed", "--bucket-us", "1"],
                  ["events", "--tier", "raw"], ["events", "--tier", "bucketed", "--bucket-us", "1000"], ["user-traces", "--tier", "raw"],
                  ["user-traces", "--tier", "bucketed", "--bucket-us", "1000000"], ["comms", "--bucket-us", "1000"], ["series", "--kind", "cpu-load", "--bucket-us", "1000"]):
        for budget in ("low", "med"):
            s = refusal("window_too_wide", "query", *query, path, *window, "--budget", budget)["suggestion"]
            lanes = ["--lanes", s["lanes"]] if "lanes" in s else []
            answer("query", *query, path, "--t-start-us", s["t_start_us"], "--t-end-us", s["t_end_us"], "--budget", budget, *lanes)
            if "bucket_us" in s:
                wider = [s["bucket_us"] if w == query[query.index("--bucket-us") + 1] else w for w in query]
                answer("query", *wider, path, *window, "--budget", budget, *lanes)
            tried += 1
    assert tried == 18


@test
def schema_1_by_a_switch():
    for more, env in ((["--schema", "1"], {}), ([], {"TASKSCOPE_SCHEMA": "1"})):
        for args in (["version"], ["query", "summary", decoded()], ["query", "slices", decoded()], ["query", "summary", "000000000000"]):
            assert json.loads(run(*args, *more, env=env).out)["schema_version"] == 1, args


@test
def firmware_files():
    v = answer("--headless", "--list-symbols", "--elf", CLI, "--filter", "TS_CLI_QUERY")
    assert v["elf"] == CLI and v["filter"] == "TS_CLI_QUERY" and v["symbol_legend"] == v["symbols"]
    v = answer("--headless", "--analyze-memory", "--elf", CLI)
    assert v["flash_used"] == v["text"] + v["data"] > 0 and v["has_map_data"] is False and v["map"] is None
    firmware_map = TMP / "a.map"
    firmware_map.write_text("Memory Configuration\n\nFLASH 0x08000000 0x1000 xr\nRAM 0x20000000 0x100 xrw\n\n"
                            "Linker script and memory map\n\n.text 0x08000000 0x200\n.data 0x20000000 0x40 load address 0x08000200\n")
    v = answer("memory", "--elf", CLI, "--map", firmware_map)["map"]
    assert v["file_path"] == str(firmware_map) and v["discarded_count"] == len(v["discarded_sections"]) == 0
    assert [(r["name"], r["length"], r["used"]) for r in v["memory_regions"]] == [("FLASH", 0x1000, 0x240), ("RAM", 0x100, 0x40)]
    refusal("file_not_found", "symbols", "--elf", TMP / "gone.elf", mentions=["gone.elf"])
    refusal("bad_arguments", "symbols", "--elf", decoded())
    refusal("bad_arguments", "memory", mentions=["--elf"])


@test
def trace_domains():
    folder = TMP / "domains"
    folder.mkdir()
    (folder / "a.vadomain").write_text(json.dumps({
        "id": "test.a", "name": "A", "version": "1", "domain_api": 1,
        "verdicts": [{"id": "sampled", "severity": "error", "explain": "Samples came.",
                      "when": {"type": "counter_advanced", "channel": "samples"}, "evidence": ["samples"]}]}))
    (folder / "bad.vadomain").write_text("{")
    env = {"VA_DOMAINS_DIR": str(folder)}
    v = answer("domains", env=env)
    assert [d["id"] for d in v["domains"]] == ["test.a"] and len(v["warnings"]) == 1 and str(folder) in v["search_dirs"]
    v = answer("--headless", "--parse-trace-domain", folder / "a.vadomain")
    assert v["valid"] and v["verdicts"] == 1
    refusal("bad_arguments", "domains", "--parse-trace-domain", folder / "bad.vadomain", mentions=["bad.vadomain"])
    v = answer("query", "verdicts", decoded(), env=env)
    assert v["count"] == 1 and v["verdicts"][0]["id"] == "sampled" and v["verdicts"][0]["peak"] == 199
    assert v["verdicts"][0]["evidence"][0]["summary"].startswith("samples: ")
    assert answer("query", "verdicts", decoded())["count"] == 0


def stream_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@test
def live_lines_of_a_capture():
    port = free_udp_port()
    out = TMP / "stream.vadb"
    stop = TMP / "stream-stop"
    p = start("--headless", "capture", "--transport", "udp", "--udp-ip", "127.0.0.1", "--udp-port", port, "--output", out,
              "--duration", "60", "--stop-file", stop, "--stream")
    wait_for(lambda: is_bound(port), what="the port")
    send_records(DATA / "m4_short_udp.udprec", port)
    wait_for_rows(out, count_events("m4_short_udp"))
    stop.write_text("")
    text, err = finish(p)
    assert p.returncode == 0, err
    lines = stream_lines(err)
    assert lines[0]["t"] == "stream_init" and lines[0]["transport"] == "udp" and lines[0]["schema_version"] == 2
    assert sum(l["t"] == "stream_init" for l in lines) == 1 and not any(l["t"] == "stream_end" for l in lines)
    known = {}
    for l in lines:
        if l["t"] == "stream_meta":
            assert l["display"] == l["type"]
            known[l["id"]] = l["name"]
        elif l["t"] == "stream_sample":
            assert l["id"] in known and isinstance(l["value"], float) and isinstance(l["t_us"], int)
    samples = [l for l in lines if l["t"] == "stream_sample"]
    traces = [t for t in expected("m4_short")["decoded"]["user_traces"] if t["name"] == "filtered"]
    own = [l["value"] for l in samples if known[l["id"]] == "filtered"]
    assert samples[0]["t_us"] == 0 and len(own) == traces[0]["count"] and abs(max(own) - traces[0]["max"]) < 1e-3
    slices = [l for l in lines if l["t"] == "slice"]
    assert len(slices) == answer("query", "slices", out)["count"], "every slice comes once"
    assert any(l["t"] == "cpu_load" and 0 < l["load_pct"] <= 100 for l in lines)


@test
def live_lines_of_trace_hardware():
    data = DATA / "m4_short.itm_mixed.bin"
    shared = Path(os.environ.get("TASKSCOPE_SHARED", DATA.parent.parent.parent / "shared")) / "data/viewalyzer/m4_short.itm_mixed.bin"
    if not data.exists():
        data = shared
    if not data.exists():
        assert os.environ.get("CI") != "true", "no m4_short.itm_mixed.bin"
        raise Skip("no m4_short.itm_mixed.bin")
    out = TMP / "hardware.vadb"
    p = start("capture", "--transport", "file", "--file-path", data, "--file-format", "va-itm", "--cpu-clock-hz", "25000000",
              "--output", out, "--stream", "--no-register", "--duration", "20")
    text, err = finish(p)
    assert p.returncode == 0, text + err
    lines = stream_lines(err)
    pcs = [l for l in lines if l["t"] == "pc_samples"]
    profile = answer("query", "profile", out)["data"]
    assert sum(l["total"] for l in pcs) == profile["total_samples"] > 0
    assert sum(l["sleep"] for l in pcs) == profile["sleep_samples"]
    assert sum(len(l["pcs"]) for l in pcs) == profile["total_samples"] - profile["sleep_samples"] - profile["prohibited_samples"]
    last = [l for l in lines if l["t"] == "exc"][-1]
    known = {e["num"]: e for e in answer("query", "dwt-exc", out)["data"]["exceptions"]}
    assert {e["num"]: e["enter"] for e in last["exceptions"]} == {n: e["enter"] for n, e in known.items()}
    rows = [r for l in lines if l["t"] == "dwt_data" for r in l["rows"]]
    assert len(rows) > 0 and all(set(r) == {"cmp", "t_us", "v", "size", "w", "pc"} for r in rows)
    texts = [l for l in lines if l["t"] == "itm_text"]
    assert len(texts) == sum(len(q["lines"]) for q in answer("query", "itm-console", out)["data"]["ports"])


@test
def print_is_one_line_per_event():
    path = decoded()
    result = run("print", "--recording", path)
    assert result.returncode == 0
    assert len(result.out.splitlines()) >= count_events("m4_short")
    assert "Ctrl" in result.out and "BusMtx" in result.out
    some = run("print", path, "--kinds", "mutex", "--t-start-us", "0", "--t-end-us", "500000").out.splitlines()
    assert 0 < len(some) < len(result.out.splitlines())
    assert all("mutex" in line for line in some)


@test
def print_into_a_closed_pipe_ends():
    p = subprocess.Popen([CLI, "print", str(decoded())], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENV)
    p.stdout.readline()
    p.stdout.close()
    p.wait(timeout=20)


@test
def export_csv_and_pictures():
    path = decoded()
    out = TMP / "e.csv"
    v = answer("export", "--recording", path, "--to", "csv", "--output", out)
    with open(out, encoding="utf-8") as f:
        rows = sum(1 for _ in f) - 1
    assert v["path"] == str(out) and rows == v["events"] >= count_events("m4_short")
    for args, name in ((["export", "--to", "png"], "a.png"), (["render"], "b.png"), (["export"], "c.png")):
        picture = TMP / name
        answer(*args, "--recording", path, "--output", picture, "--width", "800", "--height", "500",
               env={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
        data = picture.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (800, 500)
    answer("export", "--recording", path, "--output", TMP / "d.svg", "--t-start-us", "0", "--t-end-us", "50000", "--lanes", "Ctrl,Sensor")
    text = (TMP / "d.svg").read_text()
    assert "<svg" in text and "<image" not in text
    refusal("bad_arguments", "export", "--recording", path, "--to", "png", "--output", TMP / "x.png", "--width", "0", mentions=["--width"])


@test
def export_pieces_and_traces():
    path = decoded()
    piece = TMP / "piece.vadb"
    v = answer("export", "--recording", path, "--output", piece, "--t-start-us", "500000", "--t-end-us", "900000", "--rebase")
    con = sqlite3.connect(f"file:{piece}?mode=ro", uri=True)
    assert con.execute("SELECT COUNT(*) FROM va_events WHERE flags & 4 = 0").fetchone()[0] == v["events"] > 1000
    assert con.execute("SELECT MIN(t_cycles), MAX(t_cycles) FROM va_events").fetchone() == (0, 10000000)
    assert con.execute("SELECT COUNT(*) FROM va_events WHERE id < 30 AND flags & 4 AND kind = 'task_state'").fetchone()[0] > 5
    assert answer("query", "summary", "--recording", piece)["data"]["events"] == v["events"]
    refusal("capture_failed", "export", "--recording", path, "--to", "vadb", "--output", path, mentions=["itself"])

    trace = TMP / "trace.json"
    v = answer("export", "--recording", path, "--output", trace)
    events = json.loads(trace.read_text())["traceEvents"]
    assert v["events"] == sum(1 for e in events if e["ph"] != "M") > 5000
    assert {"X", "C", "i", "s", "f", "M"} == {e["ph"] for e in events}

    answer("export", "--recording", path, "--output", TMP / "d.pdf", "--t-start-us", "0", "--t-end-us", "50000")
    assert (TMP / "d.pdf").read_bytes()[:5] == b"%PDF-"
    refusal("bad_arguments", "export", "--recording", path, "--output", TMP / "x.odt", mentions=["perfetto", "pdf"])

    # a range of nothing is one, a range behind the end is a mistake and replaces nothing
    end = answer("query", "summary", "--recording", path)["data"]["duration_us"]
    for to in ("vadb", "csv", "perfetto", "ctf", "png", "svg", "pdf"):
        out = TMP / f"behind.{to}"
        refusal("bad_arguments", "export", "--recording", path, "--to", to, "--output", out, "--t-start-us", end + 1,
                mentions=[str(end + 1), str(end)])
        assert not out.exists()
    for to in ("vadb", "csv", "perfetto", "ctf"):
        v = answer("export", "--recording", path, "--to", to, "--output", TMP / f"none.{to}", "--t-start-us", 100, "--t-end-us", 100)
        assert v["events"] == 0
    assert answer("query", "summary", "--recording", TMP / "none.vadb")["data"]["events"] == 0


@test
def demo_of_mixed_shapes():
    a = answer("demo", "--output", TMP / "mixed.vadb", "--events", "300000", "--shape", "mixed", "--seed", "4")["summary"]
    b = answer("demo", "--output", TMP / "mixed2.vadb", "--events", "300000", "--shape", "mixed", "--seed", "4")["summary"]
    assert a == b and 300000 <= a["events"] < 310000
    refusal("bad_arguments", "demo", "--output", TMP / "x.vadb", "--events", "10", "--shape", "round", mentions=["round", "mixed"])
    refusal("bad_arguments", "demo", "--output", TMP / "x.vadb", "--duration", "1", "--shape", "mixed", mentions=["--events"])


@test
def reindex_and_cache():
    path = TMP / "again.vadb"
    shutil.copy(decoded(), path)
    con = sqlite3.connect(path)
    lanes = con.execute("SELECT * FROM ts_lanes").fetchall()
    stats = con.execute("SELECT * FROM va_task_stats").fetchall()
    con.executescript("DELETE FROM ts_nodes; DELETE FROM ts_lanes; DELETE FROM va_task_stats")
    con.close()
    v = answer("reindex", "--recording", path)
    assert v == {"schema_version": 2, "path": str(path), "events": count_events("m4_short")}
    con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert con.execute("SELECT * FROM ts_lanes").fetchall() == lanes
    assert con.execute("SELECT * FROM va_task_stats").fetchall() == stats
    con.close()
    v = answer("cache", "list")
    assert v["entries"] == [] and v["bytes"] == 0 and v["max_bytes"] > 0
    assert answer("cache", "clear")["removed_bytes"] == 0
    refusal("bad_arguments", "cache", "burn", mentions=["burn", "clear"])
    refusal("bad_arguments", "reindex", mentions=["--recording"])


@test
def standard_error_is_quiet():
    for args in (["version"], ["doctor"], ["query", "summary", decoded()], ["demo", "--output", TMP / "q.vadb", "--events", "1000"]):
        result = run(*args)
        assert result.err == "", (args, result.err)


@test
def kill_keeps_what_was_captured():
    path = TMP / "killed.vadb"
    p = start("demo", "--output", path, "--duration", "60", "--rate", "20000")
    wait_for_rows(path, 3000)
    p.kill()
    p.communicate()
    v = answer("query", "summary", path)
    assert v["data"]["events"] > 2000
    # the tables that tell kinds were written before the last rows
    assert sum(v["data"]["events_by_class"].values()) == v["data"]["events"], v["data"]


def main(prefix="/app/cli/"):
    wanted = [t for t in TESTS if not ONLY or any(o in t.__name__ for o in ONLY)]
    failures = 0
    print(f"1..{len(wanted)}")
    for n, function in enumerate(wanted, 1):
        name = prefix + function.__name__.replace("_", "-")
        try:
            function()
            print(f"ok {n} {name}")
        except Skip as reason:
            print(f"ok {n} {name} # SKIP {reason}")
        except Exception:
            failures += 1
            print(f"not ok {n} {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line[:400]}")
        sys.stdout.flush()
    shutil.rmtree(TMP, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
