#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a lab adds to the stream, from outside: names out of ELF, SVD and schema files, instruments, chips. Prints TAP.

test-lab.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import hashlib
import importlib.util
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from pathlib import Path

spec = importlib.util.spec_from_file_location("cli", Path(__file__).with_name("test-cli.py"))
cli = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cli)
cli.TESTS.clear()
TMP, DATA, test, answer, decoded, refusal, run = cli.TMP, cli.DATA, cli.test, cli.answer, cli.decoded, cli.refusal, cli.run


def make_dwarf(data, types):
    """.debug_abbrev and .debug_info (DWARF 4): types are {name: encoding} of some of the data; 4 is a
    float, 5 a signed number. Source: DWARF 4, sections 7.5 and 7.8."""
    entry = lambda code, tag, children, *pairs: bytes((code, tag, children)) + bytes(n for pair in pairs for n in pair) + b"\0\0"
    abbrev = (entry(1, 0x11, 1)                                                          # a unit
              + entry(2, 0x24, 0, (0x3e, 0x0b), (0x0b, 0x0b))                            # a base type: encoding, size
              + entry(3, 0x34, 0, (0x03, 0x08), (0x49, 0x13), (0x02, 0x18)) + b"\0")     # a variable: name, type, place
    body = b"\1"
    for name, encoding in types.items():
        address, size = data[name]
        at = 11 + len(body)
        body += bytes((2, encoding, size))
        body += b"\3" + name.encode() + b"\0" + struct.pack("<I", at) + b"\5\3" + struct.pack("<I", address)
    body += b"\0"
    return abbrev, struct.pack("<IHIB", 7 + len(body), 4, 0, 4) + body


def make_elf(path, functions, data, types=None):
    """A 32-bit Arm ELF with a symbol table: functions and data are {name: (address, size)}."""
    abbrev, info = make_dwarf(data, types or {})
    names, symbols = b"\0", struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    for kind, table in ((2, functions), (1, data)):
        for name, (address, size) in table.items():
            symbols += struct.pack("<IIIBBH", len(names), address | (kind == 2), size, kind, 0, 1)
            names += name.encode() + b"\0"
    sections = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.debug_abbrev\0.debug_info\0"
    at = 52
    parts = [(1, 1, 6, 0x08000000, at, 0x100, 0, 0), (7, 2, 0, 0, at, len(symbols), 3, 16),
             (15, 3, 0, 0, at + len(symbols), len(names), 0, 0),
             (23, 3, 0, 0, at + len(symbols) + len(names), len(sections), 0, 0),
             (33, 1, 0, 0, at + len(symbols) + len(names) + len(sections), len(abbrev), 0, 0),
             (47, 1, 0, 0, at + len(symbols) + len(names) + len(sections) + len(abbrev), len(info), 0, 0)]
    table = struct.pack("<10I", *[0] * 10)
    for name, kind, flags, address, offset, size, link, entry in parts:
        table += struct.pack("<10I", name, kind, flags, address, offset, size, link, 0, 4, entry)
    head = b"\177ELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0x08000000, 0,
                                                   at + len(symbols + names + sections + abbrev + info), 0, 52, 32, 0, 40, 7, 4)
    path.write_bytes(head + symbols + names + sections + abbrev + info + table)
    return path


def pc(address):
    return b"\x17" + struct.pack("<I", address)


def rows(path, sql):
    con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return con.execute(sql).fetchall()
    finally:
        con.close()


# SysTick enters and exits, external interrupt 2 (exception 18) too; samples in main, work, sleep; a write by work that
# comparator 0 sees. Every group is followed by a time stamp of 100 ticks.
TICK = b"\xc0\x64"
STREAM = b"".join(group + TICK for group in (
    bytes(5) + b"\x80" + pc(0x08000010), pc(0x08000012), b"\x0e\x0f\x10", b"\x0e\x0f\x20", b"\x0e\x00\x30",
    pc(0x08000044), b"\x0e\x12\x10", b"\x0e\x12\x20", b"\x0e\x00\x30", b"\x15\x00", b"\x15\x00", pc(0x08000010),
    b"\x47" + struct.pack("<I", 0x08000048) + b"\x8f" + struct.pack("<I", 77), b"\x05\x04",
    b"\x01h\x01i\x01\n"))
FUNCTIONS = {"main": (0x08000000, 0x40), "work": (0x08000040, 0x20)}
VARIABLES = {"level": (0x20000010, 4)}
SVD = """<?xml version="1.0"?><device><name>CHIP</name><peripherals><peripheral><name>TIM2</name>
<interrupt><name>TIM2_IRQ</name><value>2</value></interrupt></peripheral></peripherals></device>"""


@test
def figures_of_a_target_that_was_joined_late_are_those_of_its_rows():
    """Names and priorities come two seconds after the first switch: what decode makes of it is what reindex makes of all rows."""
    for name in ("viewalyzer/m4_late_attach.cobs", "viewalyzer-legacy/legacy_u16_late.cobs"):
        source = Path(os.environ.get("TASKSCOPE_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data" / name
        if not source.exists():
            assert os.environ.get("CI") != "true", source
            print(f"# no {source}")
            continue
        path, copy = TMP / "late names.vadb", TMP / "late again.vadb"
        answer("decode", source, "--output", path, "--no-register")
        shutil.copy(path, copy)
        answer("reindex", copy)
        told = [[answer("query", verb, file) for verb in ("summary", "timeline", "cpu", "slices")] for file in (path, copy)]
        for one, other in zip(*told):
            one.pop("path"), other.pop("path")
            assert one == other, (name, one["query"])
        # the idle task is always ready: it is preempted whenever it leaves, and comes back from all but the last
        leaves = rows(path, "SELECT object,count(*) FROM va_events WHERE kind='task_switch' AND start=0 AND object='IDLE'")
        idle = [t for t in told[0][1]["tasks"] if t["name"] == "IDLE"]
        assert "m4_late" not in name or (idle[0]["preemptions"] == leaves[0][1] - 1 > 1000), (idle, leaves)


@test
def names_of_functions_variables_and_interrupts():
    raw, out = TMP / "swo.bin", TMP / "swo.vadb"
    raw.write_bytes(STREAM)
    elf, svd = make_elf(TMP / "fw.elf", FUNCTIONS, VARIABLES), TMP / "chip.svd"
    svd.write_text(SVD)
    answer("decode", raw, "--format", "itm", "--clock-hz", "1000000", "--output", out)
    bare = {name for name, in rows(out, "SELECT name FROM va_task_stats")}
    assert bare == {"ISR:SysTick", "ISR:IRQ 2", "Fn:Sleep"}, bare
    assert [h["samples"] for h in answer("query", "profile", out)["data"]["hotspots"]] == [2, 1, 1]

    answer("decode", raw, "--format", "itm", "--clock-hz", "1000000", "--output", out, "--elf", elf, "--svd", svd)
    lanes = {name for name, in rows(out, "SELECT name FROM va_task_stats")}
    assert lanes == {"ISR:SysTick", "ISR:TIM2_IRQ", "Fn:Sleep", "Fn:main", "Fn:work"}, lanes
    # time begins with the first sample; main runs from there to the first sample elsewhere, and again from 1100 us to the end
    slices = [(s["t_start_us"], s["t_end_us"]) for s in answer("query", "slices", out)["slices"] if s["name"] in ("main", "Fn:main")]
    assert slices == [(0, 500), (1100, 1400)], slices
    profile = answer("query", "profile", out)["data"]
    assert profile["functions"][0] == {"function": "main", "samples": 3, "pct": 50.0}, profile["functions"]
    assert {f["function"]: f["samples"] for f in profile["functions"]} == {"main": 3, "work": 1}
    assert profile["sleep_samples"] == 2 and profile["total_samples"] == 6
    assert profile["hotspots"][0]["symbol"] == "main"
    # who wrote, in the list of events too
    (text, value, where), = rows(out, "SELECT text, value, detail FROM va_events WHERE kind = 'dwt_data'")
    assert (text, value, where) == ("work", 77, 0x08000048)
    row, = answer("query", "dwt-data", out)["data"]["watches"][0]["first"]
    assert row["where"] == "work" and row["pc"] == 0x08000048
    assert [e["name"] for e in answer("query", "dwt-exc", out)["data"]["exceptions"]] == ["SysTick", "Thread Mode", "TIM2_IRQ"]
    assert answer("query", "itm-console", out)["data"]["ports"][0]["lines"][0]["text"] == "hi"
    assert [q["port"] for q in answer("query", "itm-console", out, "--port", "0")["data"]["ports"]] == [0]
    assert answer("query", "itm-console", out, "--port", "5")["data"]["ports"] == []
    assert answer("query", "profile", out)["elf"] is None
    counters = answer("query", "dwt-counters", out)["data"]["counters"]
    assert counters["sleep"]["wraps"] == 1 and counters["sleep"]["cycles"] == 256

    # without them in the recording, an ELF file of the question
    answer("decode", raw, "--format", "itm", "--clock-hz", "1000000", "--output", out)
    profile = answer("query", "profile", out, "--elf", elf)
    assert profile["data"]["hotspots"][0]["symbol"] == "main" and profile["elf"] == str(elf)
    row, = answer("query", "dwt-data", out)["data"]["watches"][0]["first"]
    assert "where" not in row and row["pc"] == 0x08000048
    row, = answer("query", "dwt-data", out, "--elf", elf)["data"]["watches"][0]["first"]
    assert row["where"] == "work" and row["pc"] == 0x08000048
    names = [e["name"] for e in answer("query", "dwt-exc", out)["data"]["exceptions"]]
    assert names == ["SysTick", "Thread Mode", "IRQ 2"], names
    names = [e["name"] for e in answer("query", "dwt-exc", out, "--svd", svd)["data"]["exceptions"]]
    assert names == ["SysTick", "Thread Mode", "TIM2_IRQ"], names
    refusal("bad_arguments", "query", "dwt-exc", out, "--svd", elf, mentions=["SVD"])
    refusal("file_not_found", "query", "dwt-data", out, "--elf", TMP / "none.elf", mentions=["none.elf"])
    refusal("file_not_found", "decode", raw, "--output", out, "--elf", TMP / "none.elf", mentions=["none.elf"])
    refusal("bad_arguments", "decode", raw, "--output", out, "--elf", svd, mentions=["ELF"])
    refusal("bad_arguments", "decode", raw, "--output", out, "--svd", elf, mentions=["SVD"])
    refusal("bad_arguments", "query", "profile", out, "--elf", svd, mentions=["ELF"])


@test
def data_of_a_port_is_a_value():
    """A port that sends numbers is a lane of values; text stays text."""
    raw, out = TMP / "port.bin", TMP / "port.vadb"
    raw.write_bytes(bytes(5) + b"\x80" + TICK + b"".join(b"\x0b" + struct.pack("<I", n) + TICK for n in (0, 7, 70000))
                    + b"\x01o\x01k\x01\n" + TICK)
    answer("decode", raw, "--format", "itm:clock=1000000", "--output", out)
    assert rows(out, "SELECT name, count, min, max FROM va_trace_stats") == [("ITM port 1", 3, 0, 70000)]
    assert rows(out, "SELECT text FROM va_events WHERE kind = 'itm_text'") == [("ok\n",)]


@test
def event_counters_are_lanes_of_rates():
    """At 1 MHz 10 ms are 10000 ticks; a wrap in them is 256 counts, 25600 a second. Time begins with the first packet."""
    raw, out = TMP / "rates.bin", TMP / "rates.vadb"
    after = lambda ticks: bytes((0xc0, ticks & 127 | 128, ticks >> 7 & 127 | 128, ticks >> 14))
    raw.write_bytes(bytes(5) + b"\x80" + b"\x05\x01" + TICK + b"\x05\x01" + after(5000) + b"\x05\x05" + after(6000)
                    + b"\x05\x04" + after(20000) + b"\x05\x01" + after(20000))
    answer("decode", raw, "--format", "itm:clock=1000000", "--output", out)
    # packets at 0, 5, 11, 31 and 51 ms: the part of an interval at the end is shorter than half of one
    wanted = {"CPI /s": [(0, 51200), (10000, 25600), (20000, 0), (30000, 0), (40000, 0)],
              "SLEEP /s": [(0, 0), (10000, 25600), (20000, 0), (30000, 25600), (40000, 0)]}
    again = TMP / "rates-again.vadb"
    shutil.copy(out, again)
    con = sqlite3.connect(again)
    con.executescript("DELETE FROM ts_nodes; DELETE FROM ts_lanes")
    con.close()
    answer("reindex", "--recording", again)
    # as it was recorded, and with its lanes made anew
    for path in (out, again):
        answer("export", "--recording", path, "--to", "perfetto", "--output", TMP / "rates.json")
        points = {}
        for e in json.loads((TMP / "rates.json").read_text())["traceEvents"]:
            if e["ph"] == "C":
                points.setdefault(e["name"], []).append((e["ts"], e["args"]["value"]))
        # from the header of the first time stamp to that of the last: 22 bytes in 51 ms
        (at, load), = points.pop("SWO load kB/s")
        assert at == 0 and abs(load - 22 / 51) < 1e-9, load
        assert points == wanted, points
    # they are worked out of events that are there anyway
    assert rows(out, "SELECT kind, count(*) FROM va_events GROUP BY kind") == [("capture_end", 1), ("dwt_counters", 5), ("swo_load", 1)]
    assert rows(out, "SELECT * FROM va_trace_stats") == []
    counters = answer("query", "dwt-counters", out)["data"]["counters"]
    assert (counters["cpi"]["cycles"], counters["sleep"]["cycles"]) == (4 * 256, 2 * 256)


@test
def a_watched_variable_over_tcp():
    elf = make_elf(TMP / "fw.elf", FUNCTIONS, VARIABLES)
    out = TMP / "watch.vadb"
    with socket.create_server(("127.0.0.1", 0)) as server:
        p = cli.start("capture", "--transport", "swo-tcp", "--swo-tcp-port", server.getsockname()[1], "--cpu-clock-hz", "1000000",
                      "--swo-freq-hz", "500000", "--dwt-watch", "0x20000010:2:data-w:pc", "--dwt-pc", "64", "--elf", elf, "--output", out,
                      "--stream", "--duration", "30", "--no-register")
        peer, _ = server.accept()
        peer.sendall(STREAM)
        cli.wait_for_rows(out, 15)
        p.send_signal(signal.SIGINT)
        text, err = cli.finish(p)
        peer.close()
    assert p.returncode == 0, text + err
    lines = cli.stream_lines(err)
    load = [l for l in lines if l["t"] == "swo_load"]
    assert all(l["share_pct"] is not None for l in load)
    row, = [r for l in lines if l["t"] == "dwt_data" for r in l["rows"]]
    # the access was a word, whatever the watch was set up for
    assert (row["cmp"], row["v"], row["size"], row["w"], row["pc"]) == (0, 77, 4, True, 0x08000048), row
    # it is a channel too, of the id that the contract gives to watches
    meta, = [l for l in lines if l["t"] == "stream_meta" and l["id"] == 224]
    sample, = [l for l in lines if l["t"] == "stream_sample" and l["id"] == 224]
    assert meta["name"] == "level" and (sample["t_us"], sample["value"]) == (0, 77.0) and lines.index(meta) < lines.index(sample)
    watch, = answer("query", "dwt-data", out)["data"]["watches"]
    assert watch["name"] == "level" and watch["address"] == 0x20000010 and watch["function"] == "data-w", watch
    swo = answer("query", "swo-load", out)["data"]
    assert swo["swo_hz"] == 500000 and swo["bytes"] == len(STREAM), swo
    # ten bits a byte
    assert abs(swo["share_pct"] - 1000.0 * len(STREAM) / swo["seconds"] / 500000) < 1e-3, swo
    trace = json.loads(rows(out, "SELECT value FROM meta WHERE key = 'hardware_trace'")[0][0])
    assert trace["applied"]["watch"][0]["addr"] == "0x20000010" and trace["writes"] == [] and trace["refused"] == []
    assert answer("query", "profile", out)["data"]["interval_cycles"] == 64


def record_watches(stream, data, out, *args):
    """What a server sends, with a watch for each of the data; tells the live lines."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        watches = ",".join(f"{address:#x}:{size}:data-w" for address, size in data.values())
        p = cli.start("capture", "--transport", "swo-tcp", "--swo-tcp-port", server.getsockname()[1], "--cpu-clock-hz", "1000000",
                      "--dwt-watch", watches, *args, "--output", out, "--stream", "--duration", "30", "--no-register")
        server.settimeout(30)
        peer, _ = server.accept()
        peer.sendall(stream)
        cli.wait_for_rows(out, 9)
        p.send_signal(signal.SIGINT)
        text, err = cli.finish(p)
        peer.close()
    assert p.returncode == 0, text + err
    return cli.stream_lines(err)


@test
def watched_variables_are_read_by_their_type():
    """What DWARF calls signed, or a float, is shown so; the bits that were sent stay in "value"."""
    if b"libdw.so" not in Path(cli.CLI).read_bytes():
        return  # built without debug information's library
    data = {"small": (0x20000010, 2), "real": (0x20000014, 4), "plain": (0x20000018, 4), "tiny": (0x2000001c, 1)}
    elf, out, raw = TMP / "types.elf", TMP / "types.vadb", TMP / "types.bin"
    make_elf(elf, FUNCTIONS, data, {"small": 5, "real": 4, "tiny": 5})
    value = lambda n, size, bits: bytes((0x8c + 16 * n + {1: 1, 2: 2, 4: 3}[size],)) + bits.to_bytes(size, "little") + TICK
    single = lambda real: struct.unpack("<I", struct.pack("<f", real))[0]
    stream = (bytes(5) + b"\x80" + value(0, 2, 0xfed4) + value(0, 2, 300) + value(1, 4, single(-1.5)) + value(1, 4, single(float("inf")))
              + value(1, 4, 0x7fc00000) + value(2, 4, 0xfffffed4) + value(3, 1, 0xfb)
              # the instruction of a pair of comparators, then the address of the other: no value
              + b"\x47" + struct.pack("<I", 0x08000048) + TICK + b"\x5e" + struct.pack("<H", 0x1234) + TICK)
    raw.write_bytes(stream)
    wanted = {"small": [(0xfed4, -300), (300, 300)], "real": [(0xbfc00000, -1.5), (0x7f800000, None), (0x7fc00000, None)],
              "plain": [(0xfffffed4, 0xfffffed4)], "tiny": [(0xfb, -5)]}
    live = [r for l in record_watches(stream, data, out, "--elf", elf) if l["t"] == "dwt_data" for r in l["rows"]]
    assert [r["v"] for r in live] == [0xfed4, 300, 0xbfc00000, 0x7f800000, 0x7fc00000, 0xfffffed4, 0xfb], live
    read = lambda *args: {w["name"]: [(r["value"], r["number"]) for r in w["first"]]
                          for w in answer("query", "dwt-data", *args)["data"]["watches"]}
    assert read(out) == wanted, read(out)
    stats = {name: (low, high) for name, low, high in rows(out, "SELECT name, min, max FROM va_trace_stats")}
    assert stats["small"] == (-300, 300) and stats["tiny"] == (-5, -5) and stats["plain"] == (0xfffffed4, 0xfffffed4), stats
    words = [w for w, in rows(out, "SELECT value FROM va_events WHERE kind = 'dwt_data' ORDER BY id")]
    assert words[:3] == [-300, 300, -1.5], words
    # who accessed, where there is no value
    assert rows(out, "SELECT text, value FROM va_events WHERE kind = 'dwt_data_pc' ORDER BY id")[0] == ("work", 0x08000048)
    # recorded without a file, the question's tells the types
    plain = TMP / "plain.vadb"
    record_watches(stream, data, plain)
    assert list(read(plain, "--elf", elf).values()) == list(wanted.values()), read(plain, "--elf", elf)
    assert [n for found in read(plain).values() for _, n in found][:2] == [0xfed4, 300]
    # decoded without either, nobody knows the addresses
    bare = TMP / "bare.vadb"
    answer("decode", raw, "--format", "itm:clock=1000000", "--output", bare)
    got = [(r["value"], r["number"]) for w in answer("query", "dwt-data", bare)["data"]["watches"] for r in w["first"]]
    assert got == [(v, v) for v, _ in sum(wanted.values(), [])], got


# Beside STREAM: comparator 1 sees a halfword written, and something was lost in the target.
LIVE = STREAM + b"\x57" + struct.pack("<I", 0x08000012) + b"\x9e" + struct.pack("<H", 513) + TICK + b"\x70" + TICK


def live_lines(read_text):
    """What the lines that are complete by now tell, by their kind."""
    text = read_text()
    kinds = {}
    for line in cli.stream_lines(text[:text.rfind("\n") + 1]):
        kinds.setdefault(line["t"], []).append(line)
    return kinds


def check_live(kinds, out):
    """All of section 2 of the hardware trace while the capture runs."""
    names = {e["name"] for line in kinds["exc"] for e in line["exceptions"]}
    assert {"SysTick", "TIM2_IRQ"} <= names, names
    pcs = {p for line in kinds["pc_samples"] for p in line["pcs"]}
    assert pcs == {0x08000010, 0x08000012, 0x08000044}, pcs
    assert any(line["sleep"] > 0 for line in kinds["pc_samples"])
    seen = {(r["cmp"], r["v"], r["size"], r["w"], r["pc"]) for line in kinds["dwt_data"] for r in line["rows"]}
    assert seen == {(0, 77, 4, True, 0x08000048), (1, 513, 2, True, 0x08000012)}, seen
    assert {(t["port"], t["text"].strip()) for t in kinds["itm_text"]} == {(0, "hi")}
    last = kinds["swo_load"][-1]
    assert last["overflows"] > 0 and last["bytes_per_s"] > 0 and last["share_pct"] > 0, last
    # the recording that grows answers as well
    assert set(rows(out, "SELECT DISTINCT text FROM va_events WHERE kind = 'dwt_data'")) == {("work",), ("main",)}
    assert answer("query", "dwt-counters", out)["data"]["counters"]["sleep"]["wraps"] > 0
    answer("export", "--recording", out, "--to", "perfetto", "--output", TMP / "live.json")
    rates = [e for e in json.loads((TMP / "live.json").read_text())["traceEvents"] if e["name"] == "SLEEP /s"]
    assert rates and max(e["args"]["value"] for e in rates) > 0, rates
    profile = answer("query", "profile", out)["data"]
    assert {f["function"] for f in profile["functions"]} >= {"main", "work"}, profile
    assert answer("query", "swo-load", out)["data"]["overflows"] > 0
    assert {w["name"] for w in answer("query", "dwt-data", out)["data"]["watches"]} == {"level", "flags"}


def wait_for_live(p, out, go_on):
    """Reads the lines of a capture until all kinds came, then looks at them while it runs."""
    wanted = {"exc", "pc_samples", "dwt_data", "itm_text", "swo_load"}
    text = []
    os.set_blocking(p.stderr.fileno(), False)

    def read_text():
        text.append((p.stderr.read() or b"").decode())
        return "".join(text)

    def is_all():
        go_on()
        assert p.poll() is None, read_text()
        kinds = live_lines(read_text)
        rows_seen = {r["cmp"] for line in kinds.get("dwt_data", []) for r in line["rows"]}
        return wanted <= set(kinds) and rows_seen == {0, 1} and kinds["swo_load"][-1]["overflows"] > 0 \
            and kinds["swo_load"][-1]["bytes_per_s"] > 0

    cli.wait_for(is_all, what="a line of every kind")
    check_live(live_lines(read_text), out)
    assert p.poll() is None
    p.send_signal(signal.SIGINT)
    p.wait(timeout=20)
    p.stderr.close()
    p.stdout.close()
    assert p.returncode == 0


LIVE_FLAGS = ("--cpu-clock-hz", "1000000", "--swo-freq-hz", "500000", "--dwt-watch",
              "0x20000010:4:data-w:pc,flags@0x20000014:2:data-w:pc", "--stream", "--duration", "60", "--no-register")


@test
def everything_is_live_over_tcp():
    elf, svd = make_elf(TMP / "fw.elf", FUNCTIONS, VARIABLES), TMP / "chip.svd"
    svd.write_text(SVD)
    out = TMP / "live.vadb"
    with socket.create_server(("127.0.0.1", 0)) as server:
        p = cli.start("capture", "--transport", "swo-tcp", "--swo-tcp-port", server.getsockname()[1], *LIVE_FLAGS,
                      "--elf", elf, "--svd", svd, "--output", out)
        peer, _ = server.accept()
        wait_for_live(p, out, lambda: peer.sendall(LIVE))
        peer.close()


@test
def everything_is_live_from_a_paced_file():
    elf, svd = make_elf(TMP / "fw.elf", FUNCTIONS, VARIABLES), TMP / "chip.svd"
    svd.write_text(SVD)
    raw, out = TMP / "paced.bin", TMP / "paced.vadb"
    # a minute and more of the line, so that the file does not end before the test
    raw.write_bytes(LIVE * (80 * 50000 // len(LIVE)))
    p = cli.start("capture", "--transport", "file", "--file-path", raw, "--file-format", "itm", "--file-pace", "recorded",
                  "--baud", "500000", *LIVE_FLAGS,
                  "--elf", elf, "--svd", svd, "--output", out)
    wait_for_live(p, out, lambda: None)


@test
def names_of_an_older_schema():
    schema = TMP / "old.vaschema"
    schema.write_text(json.dumps({
        "version": 1, "name": "x", "targetDevice": "STM32G474RE", "transport": {"type": "file"},
        "protocol": {"tasks": [{"id": 1, "name": "Blinker"}], "isrs": [{"id": 15, "name": "Tick"}], "userTraces": [{"id": 7, "name": "Volt"}],
                     "syncObjects": [{"id": 3, "name": "Bus", "type": "mutex"}]}}))
    raw, out = TMP / "unnamed.bin", TMP / "unnamed.vadb"
    # wire v1 without set-up: switch to task 1, interrupt 15 in and out
    raw.write_bytes(b"".join(struct.pack("<BBBI", code, i, 1 if code & 0x7F == 1 else 15, 1000 * i)
                             for i, code in enumerate((0x81, 0x82, 0x02, 0x01, 0x81))))
    result = run("decode", raw, "--format", "va", "--output", out, "--vaschema", schema)
    assert result.returncode == 0, result.out
    names = {tuple(r) for r in rows(out, "SELECT type, name FROM va_objects")}
    assert ("task", "Blinker") in names and ("isr", "Tick") in names, names

    udp = TMP / "udp.vaschema"
    port = cli.free_udp_port()
    udp.write_text(json.dumps({"transport": {"type": "udp", "udpListenIP": "127.0.0.1", "udpListenPort": port, "framing": "cobs"}}))
    out = TMP / "schema.vadb"
    p = cli.start("capture", "--config", udp, "--output", out, "--duration", "60", "--no-register")
    cli.wait_for(lambda: cli.is_bound(port), what="the port")
    cli.send_records(DATA / "m4_short_udp.udprec", port)
    cli.wait_for_rows(out, cli.count_events("m4_short_udp"))
    p.send_signal(signal.SIGINT)
    text, err = cli.finish(p)
    assert p.returncode == 0, text + err
    udp.write_text(json.dumps({"transport": {"type": "carrier_pigeon"}}))
    refusal("bad_config", "capture", "--config", udp, "--output", out, mentions=["carrier"])


@test
def chips_by_name():
    everything = answer("--headless", "--list-targets")
    assert everything["filter"] == "" and everything["count"] == len(everything["targets"]) > 100
    assert all(set(t) == {"name", "architecture"} and t["architecture"] in ("v6m", "v7m", "v8m") for t in everything["targets"])
    some = answer("--headless", "--list-targets", "--filter", "stm32G4")
    assert some["filter"] == "stm32G4" and 0 < some["count"] < everything["count"]
    assert all("STM32G4" in t["name"] and t["architecture"] == "v7m" for t in some["targets"])
    assert answer("targets", "--filter", "no such chip")["targets"] == []


@test
def a_recording_tells_what_it_is():
    for args in (("load", decoded()), ("--headless", "--replay", decoded())):
        v = answer(*args)
        assert v["valid"] and v["complete"] and v["written_by"] == "Taskscope" and v["path"] == str(decoded())
        assert v["summary"]["events"] == cli.count_events("m4_short") and v["channels"] == len(v["channels_detail"]) > 3
        assert all({"name", "ns", "count", "min", "max"} <= set(c) for c in v["channels_detail"])
    (TMP / "no.vadb").write_text("no database" * 100)
    refusal("bad_recording", "load", TMP / "no.vadb")
    refusal("no_such_recording", "load", TMP / "none.vadb")


@test
def a_long_recording_of_an_older_version_says_what_helps():
    out = TMP / "older.vadb"
    run("demo", "--events", "1100000", "--shape", "mixed", "--output", out)
    assert "hint" not in answer("query", "summary", out)
    comms = answer("query", "comms", out)
    con = sqlite3.connect(out)
    con.execute("DROP TABLE ts_comms")
    con.commit()
    con.close()
    v = answer("query", "comms", out)
    assert "reindex" in v["hint"] and [p["count"] for p in v["data"]["paths"]] == [p["count"] for p in comms["data"]["paths"]]
    answer("reindex", "--recording", out)
    v = answer("query", "comms", out)
    assert "hint" not in v and v["data"] == comms["data"]


@test
def an_instrument_beside_a_recording():
    path, copy, series = decoded(), TMP / "merged.vadb", TMP / "power.ndjson"
    marks = [t for t, in rows(path, "SELECT t_cycles / 25.0 FROM va_events WHERE kind = 'user_event' AND start = 1 AND object = 'filter_block'")]
    name = "filter_block"
    assert len(marks) > 20
    # the instrument began 1.5 s later, runs 40 ppm slow, and missed the first marks
    drift, begin = 1 + 40e-6, 300000.0
    on_instrument = lambda t_us: (t_us - begin) / drift
    lines = [{"t_us": on_instrument(t), "mark": name} for t in marks if t > begin]
    lines += [{"t_us": on_instrument(400000 + 100 * i), "channel": "supply", "value": 0.5 + i, "unit": "A"} for i in range(1000)]
    series.write_text("".join(json.dumps(line) + "\n" for line in lines))
    v = answer("import", path, "--series", series, "--output", copy, "--max-resid-us", "5")["summary"]
    assert v["samples"] == 1000 and v["channels"] == 1 and v["matched_pairs"] == v["marks"] == sum(t > begin for t in marks)
    assert abs(v["drift_ppm"] - 40) < 1 and abs(v["offset_us"] - begin) < 2 and v["max_resid_us"] < 2, v
    got = rows(copy, "SELECT t_cycles, value, object FROM va_events WHERE kind = 'external_trace' ORDER BY id")
    assert len(got) == 1000 and got[7][1:] == (7.5, "supply")
    assert all(abs(t / 25.0 - (400000 + 100 * i)) < 5 for i, (t, _, _) in enumerate(got))
    assert rows(copy, "SELECT COUNT(*) FROM va_events")[0][0] == rows(path, "SELECT COUNT(*) FROM va_events")[0][0] + 1000
    assert rows(copy, "SELECT GROUP_CONCAT(LENGTH(bytes)) FROM raw_log") and \
        rows(copy, "SELECT SUM(LENGTH(bytes)) FROM raw_log") == rows(path, "SELECT SUM(LENGTH(bytes)) FROM raw_log")
    channel = [c for c in answer("query", "user-traces", copy)["traces"] if c["name"] == "supply"][0]
    assert (channel["count"], channel["min"], channel["max"], channel["unit"]) == (1000, 0.5, 999.5, "A")
    # the recording itself, in place
    own = TMP / "own.vadb"
    shutil.copy(path, own)
    assert answer("import", own, "--series", series)["recording_id"] == answer("query", "summary", path)["recording_id"]
    assert rows(own, "SELECT COUNT(*) FROM va_events WHERE kind = 'external_trace'") == [(1000,)]
    assert not [f for f in TMP.iterdir() if "merged." in f.name and f != copy]

    series.write_text(json.dumps({"t_us": 1, "mark": "nowhere"}) + "\n" + json.dumps({"t_us": 1, "channel": "a", "value": 1}))
    refusal("bad_arguments", "import", own, "--series", series, mentions=["marks"])
    for bad, word in (("{", "line 1"), ('{"t_us": 1}', "channel"), ('\n{"t_us": "a"}', "line 2"), ('{"t_us": 1, "channel": "a"}', "value"), ("", "no sample")):
        series.write_text(bad)
        refusal("bad_arguments", "import", own, "--series", series, mentions=[word])
    refusal("bad_arguments", "import", own, mentions=["--series"])
    refusal("bad_arguments", "import", own, "--series", TMP / "none", mentions=["none"])
    assert rows(own, "SELECT COUNT(*) FROM va_events WHERE kind = 'external_trace'") == [(1000,)]


INSTRUMENT = """import json, signal, sys, time
# as an instrument's recorder does: writes until Ctrl+C, and a last sample then
stop = []
signal.signal(signal.SIGINT, lambda *_: stop.append(1))
out = open(sys.argv[1], "w") if len(sys.argv) > 1 else sys.stdout
print("measuring", file=sys.stderr)
n = 0
while not stop:
    print(json.dumps({"t_us": 1000 * n, "channel": "supply", "value": n, "unit": "A"}), file=out, flush=True)
    n += 1
    if n == 50:
        open("READY", "w").close()
    time.sleep(0.001)
print(json.dumps({"t_us": 0, "channel": "last", "value": n}), file=out, flush=True)
"""


@test
def an_instrument_runs_beside_a_capture():
    script, series, out = TMP / "instrument.py", TMP / "own series.ndjson", TMP / "beside.vadb"
    ready = TMP / "instrument.ready"
    script.write_text(INSTRUMENT.replace("READY", str(ready)))
    for command, more in ((f"{sys.executable} {script} '{series}'", ["--instrument-series", series]), (f"{sys.executable} {script}", [])):
        series.unlink(missing_ok=True)
        out.unlink(missing_ok=True)
        ready.unlink(missing_ok=True)
        p = cli.start("capture", "--transport", "demo", "--output", out, "--no-register", "--stream", "--instrument-cmd", command, *more)
        cli.wait_for_rows(out, 1500)
        cli.wait_for(ready.exists, what="an instrument that measures")
        p.send_signal(signal.SIGINT)
        text, err = cli.finish(p)
        assert p.returncode == 0, text + err
        value = json.loads(text.splitlines()[-1])
        report = value["summary"]["instrument"]
        assert report["merged"] is True and report["channels"] == 2 and report["samples"] > 50, report
        assert "[instrument] measuring" in err and series.exists() == bool(more)
        got = rows(out, "SELECT object, t_cycles, value FROM va_events WHERE kind = 'external_trace' ORDER BY id")
        # the one that it wrote when it was told to stop, and the others one a millisecond of the target's time (100 MHz)
        assert [(o, t, v) for o, t, v in got if o == "last"] == [("last", 0, float(report["samples"] - 1))], got[:3]
        assert len(got) > 10 and all(t == 100000 * v for o, t, v in got if o == "supply"), got[:5]
        assert rows(out, "SELECT COUNT(*) FROM va_events WHERE kind != 'external_trace'")[0][0] >= value["summary"]["events"]
        for key in ("capture_source", "va_os", "va_cpu_hz"):
            assert rows(out, f"SELECT value FROM meta WHERE key = '{key}'"), key
        assert [r[0] for r in rows(out, "SELECT value FROM meta WHERE key = 'ts_id'")] in ([value["recording_id"]], [])
        assert int(re.search(r"\((\d+) KB\)", text)[1]) == out.stat().st_size // 1024
        assert not [f for f in TMP.glob("beside.*") if f != out]


@test
def what_an_instrument_does_wrong_costs_no_capture():
    old, out = TMP / "old.ndjson", TMP / "wrong.vadb"
    old.write_text('{"t_us": 1, "channel": "a", "value": 1}')
    for command, series, word in (("exit 3", None, "no sample"), ("true", old, "before the capture"), ("true", TMP / "none.ndjson", "none.ndjson"),
                                  ("echo '{'", None, "line 1"), ("no-such-program", None, "no sample"),
                                  (None, TMP / "none.ndjson", "none.ndjson"),
                                  # does not listen to Ctrl+C, and has a child that does not either
                                  ("trap '' INT; sleep 600.0123 & sleep 600.0123", None, "no sample")):
        args = (["--instrument-cmd", command] if command else []) + (["--instrument-series", series] if series else [])
        result = run("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--output", out, "--no-register", *args)
        value = json.loads(result.out.splitlines()[-1])
        assert result.returncode == 0 and value["summary"]["events"] == cli.count_events("m4_short"), result.out
        assert value["summary"]["instrument"]["merged"] is False and word in value["summary"]["instrument"]["message"], (command, value)
        assert "WARNING: the recording is without the instrument" in result.err, result.err
    assert not subprocess.run(["pgrep", "-f", "sleep 600.0123"], capture_output=True).stdout, "what the command started was ended"
    # what comes from elsewhere is taken as it is
    result = run("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--output", out, "--no-register", "--instrument-series", old)
    assert json.loads(result.out.splitlines()[-1])["summary"]["instrument"]["samples"] == 1
    refusal("bad_arguments", "capture", "--transport", "demo", "--output", out, "--instrument-cmd", "", mentions=["--instrument-cmd"])
    # a capture that cannot begin leaves nothing running
    refusal("capture_failed", "capture", "--transport", "serial", "--serial-port", "/dev/ttyNowhere", "--output", TMP / "x.vadb",
            "--instrument-cmd", "sleep 600.0321")
    assert not subprocess.run(["pgrep", "-f", "sleep 600.0321"], capture_output=True).stdout


@test
def a_merge_that_would_take_too_long_is_given_up():
    own, series = TMP / "late it's.vadb", TMP / "late series.ndjson"
    line = '{"t_us": 1, "channel": "a", "value": 1}'
    series.write_text(line)
    data = TMP / "long.cobs"
    data.write_bytes((DATA / "m4_short.cobs").read_bytes() * 20)
    kinds = "SELECT kind, COUNT(*) FROM va_events GROUP BY kind"
    alone = TMP / "alone.vadb"
    capture = ("capture", "--transport", "file", "--file-path", data, "--no-register", "--output")
    assert run(*capture, alone).returncode == 0
    for seconds, args in (("0", ["--instrument-series", series]), ("0.001", ["--instrument-series", series]),
                          ("0.002", ["--instrument-cmd", f"echo '{line}'", "--max-resid-us", "70"])):
        own.unlink(missing_ok=True)
        result = run(*capture, own, *args, env={"TASKSCOPE_MERGE_SECONDS": seconds})
        value = json.loads(result.out.splitlines()[-1])
        report = value["summary"]["instrument"]
        assert result.returncode == 0 and report["merged"] is False, (seconds, report)
        assert report["command"] in report["message"] and report["command"] in result.err and "WARNING" in result.err, (report, result.err)
        assert rows(own, kinds) == rows(alone, kinds) and answer("load", own)["complete"]
        assert not [f for f in TMP.glob("late it's*") if f.suffix not in (".vadb", ".ndjson")], list(TMP.glob("late it's*"))
        # a shell that finds the program does what the answer says
        words = shlex.split(report["command"])
        assert words[0] == "taskscope-cli" and words[2] == str(own) and ("--max-resid-us" in words) == ("--max-resid-us" in args), words
        assert Path(words[4]).read_text().strip() == line and (Path(words[4]) == series) == (seconds != "0.002")
        assert answer(*words[1:])["summary"]["samples"] == 1
        assert dict(rows(own, kinds)).pop("external_trace") == 1
    # what a second capture of that name leaves does not go over the first
    report = json.loads(run(*capture, own, *args, env={"TASKSCOPE_MERGE_SECONDS": "0"}).out.splitlines()[-1])["summary"]["instrument"]
    assert len([f for f in TMP.glob("late it's.instrument*.ndjson")]) == 2 and "instrument-1.ndjson" in report["command"], report
    # what is no number is as if it were not there
    for text in ("", "soon", "-1", "nan"):
        # of a path that begins here, too
        report = json.loads(run(*capture, os.path.relpath(own), *args, env={"TASKSCOPE_MERGE_SECONDS": text}).out.splitlines()[-1])["summary"]["instrument"]
        assert report["merged"] is True, (text, report)


@test
def an_import_that_is_interrupted_changes_nothing():
    path, series = TMP / "interrupted.vadb", TMP / "interrupted.ndjson"
    series.write_text('{"t_us": 1, "channel": "a", "value": 1}')
    answer("demo", "--events", "1500000", "--shape", "mixed", "--output", path)
    before = hashlib.sha256(path.read_bytes()).digest()
    for sent in (signal.SIGINT, signal.SIGTERM):
        p = cli.start("import", path, "--series", series)
        # the new file is being written beside it
        cli.wait_for(lambda: [f for f in TMP.iterdir() if "interrupted.vadb" in f.name and f != path], what="a file beside the recording")
        p.send_signal(sent)
        text, err = cli.finish(p)
        assert p.returncode == 1 and json.loads(text)["error"] == "cancelled", (text, err)
        assert hashlib.sha256(path.read_bytes()).digest() == before
        assert not [f for f in TMP.iterdir() if "interrupted.vadb" in f.name and f != path], list(TMP.iterdir())


if __name__ == "__main__":
    sys.exit(cli.main("/app/lab/"))
