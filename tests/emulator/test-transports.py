#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures over each transport of a probe, from a connection file to events with known figures, as TAP:
test-transports.py BUILD SOURCE."""
import itertools
import json
import os
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
EMULATOR = BUILD / "tests" / "emulator" / "emulated-probe"
CLI = BUILD / "app" / "taskscope-cli"
DATA = SOURCE / "tests" / "data"
HAS_JLINK = "TS_HAVE_JAYLINK" in (BUILD / "config.h").read_text()
SHARED = Path(os.environ.get("TASKSCOPE_SHARED", SOURCE.parent / "shared")) / "data"
TMP = Path(tempfile.mkdtemp(prefix="ts-transports-"))
ENV = dict(os.environ, XDG_DATA_HOME=str(TMP), LC_ALL="C.UTF-8")
PACKETS = DATA / "m4_short.raw"
# host-made rows and those that the host polled are no events of the target
TARGET = ("(COALESCE(flags, 0) & 4) = 0 AND kind NOT IN ('data_loss', 'corrupt', 'session_start', 'capture_end', "
          "'mark', 'poll_trace')")
KINDS = {"01": "task_switch", "02": "isr", "04": "user_trace", "06": "semaphore", "07": "mutex", "0D": "string"}
tests = []
serial = itertools.count(1)


class Skip(Exception):
    pass


def test(f):
    tests.append(f)
    return f


def shared(name):
    path = SHARED / name
    if not path.exists():
        if os.environ.get("CI") == "true":
            raise AssertionError(f"{path} is missing")
        raise Skip(f"{path} is not here")
    return path


def emulated(*args, options=(), timeout=120):
    return subprocess.run([str(a) for a in (EMULATOR, *options, "--", *args)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=timeout, env=ENV)


def last(r):
    return json.loads(r.stdout.splitlines()[-1])


def config(**keys):
    path = TMP / f"target{next(serial)}.vacf"
    path.write_text(json.dumps({k.replace("_", "-"): v for k, v in keys.items()}))
    return path


def each_probe(check):
    """Calls @check with each kind of probe and the prefix of its transports. They wait for most of their time: some at once."""
    with ThreadPoolExecutor(max_workers=3) as pool:
        for done in [pool.submit(check, kind, prefix) for kind, prefix in PROBES]:
            done.result()


def has_all(key, n_bytes):
    """Whether a recording that is being written says that so many bytes have come."""
    return lambda path: health(path).get(key) == str(n_bytes)


def capture(vacf, *flags, options=(), until=None, ends_itself=False):
    """Captures until the target has given everything, or until @until says so, or until it ends by itself; path of the recording
    and the run."""
    number = next(serial)
    out, stop = TMP / f"r{number}.vadb", TMP / f"stop{number}"
    args = [EMULATOR, *options, *(() if ends_itself else ("--stop-file", stop)), "--verbose", "--", CLI, "capture", "--config", vacf, "--output", out,
            "--no-register", "--verbose", "--duration", "60", "--stop-file", stop, *flags]
    p = subprocess.Popen([str(a) for a in args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env=ENV)
    deadline = time.monotonic() + 60
    while until is not None and p.poll() is None and time.monotonic() < deadline:
        if until(out):
            stop.touch()
            break
        time.sleep(0.1)
    text, err = p.communicate(timeout=120)
    r = subprocess.CompletedProcess(args, p.returncode, text, err)
    assert r.returncode == 0, r.stdout + r.stderr
    return out, r


def rows(path, sql):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(sql).fetchall()


def health(path):
    """Figures of a recording; none of one that is not there yet."""
    try:
        return dict(rows(path, "SELECT key, value FROM health"))
    except sqlite3.OperationalError:
        return {}


def check_events(path):
    """Every event of the target's packets is there, by kind."""
    codes = json.loads((DATA / "m4_short.expected.json").read_text())["decoded"]["events_by_code"]
    n = rows(path, f"SELECT COUNT(*) FROM va_events WHERE {TARGET}")[0][0]
    assert n == sum(codes.values()), (n, health(path))
    got = dict(rows(path, f"SELECT kind, COUNT(*) FROM va_events WHERE {TARGET} GROUP BY kind"))
    for code, kind in KINDS.items():
        want = sum(n for c, n in codes.items() if f"{int(c, 16) & 0x7F:02X}" == code)
        assert got.get(kind, 0) == want, (kind, got.get(kind), want)
    h = health(path)
    assert h["lost_events"] == "0" and h["corrupt_bytes"] == "0", h


def make_elf(name, symbols, ram=(0x20000000, 0x20000)):
    """A firmware's ELF file with nothing but symbols: (name, address, size)."""
    strings, table = b"\0", struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    for symbol, address, size in symbols:
        table += struct.pack("<IIIBBH", len(strings), address, size, 1, 0, 2)
        strings += symbol.encode() + b"\0"
    names = b"\0.text\0.bss\0.symtab\0.strtab\0.shstrtab\0"
    at = [52, 52 + len(table), 52 + len(table) + len(strings)]
    sections = [(b"", 0, 0, 0, 0, 0, 0, 0), (b".text", 1, 6, 0x08000000, 52, 0x1000, 0, 0),
                (b".bss", 8, 3, ram[0], 52, ram[1], 0, 0), (b".symtab", 2, 0, 0, at[0], len(table), 4, 16),
                (b".strtab", 3, 0, 0, at[1], len(strings), 0, 0), (b".shstrtab", 3, 0, 0, at[2], len(names), 0, 0)]
    heads = b"".join(struct.pack("<10I", names.index(b"\0" + n + b"\0") + 1 if n else 0, t, f, a, o, s, link, 0, 4, e)
                     for n, t, f, a, o, s, link, e in sections)
    path = TMP / name
    path.write_bytes(b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 40, 1, 0x08000000, 0, at[2] + len(names), 0, 52, 32, 0, 40, len(sections), 5)
        + table + strings + names + heads)
    return path


# the fake target's: tests/emulator/fake-target.c
ELF = make_elf("firmware.elf", [("_VA_RAMBUF", 0x200004CC, 48), ("_SEGGER_RTT", 0x200004CC, 96),
                                ("counter", 0x20008000, 4), ("level", 0x20008004, 2), ("ratio", 0x20008008, 4),
                                ("blob", 0x20008010, 12)])


@test
def a_ring_by_its_symbol_by_address_and_by_scanning():
    for flags, keys in ((("--elf", ELF), {}), ((), {"rambuf_address": "0x200004CC"}), ((), {})):
        out, r = capture(config(transport="stlink-rambuf", speed_khz=4000, **keys), *flags,
                         options=("--probe", "v2-1", "--packets", PACKETS))
        check_events(out)
        h = health(out)
        assert h["target_ring_bytes"] == str(PACKETS.stat().st_size) and h["target_dropped_packets"] == "0", h
        assert int(h["probe_round_trips"]) > 0 and int(h["probe_bytes_per_trip"]) > 0, h
        assert "1 resets" in r.stderr, r.stderr


@test
def an_elf_file_of_another_firmware_is_told():
    stale = make_elf("stale.elf", [("_VA_RAMBUF", 0x20000600, 48)])
    out, r = capture(config(transport="stlink-rambuf"), "--elf", stale, options=("--packets", PACKETS))
    check_events(out)
    warnings = rows(out, "SELECT value FROM meta WHERE key = 'ts_warnings'")[0][0]
    assert "stale.elf" in warnings and "0x20000600" in warnings and "0x200004cc" in warnings, warnings
    assert warnings in r.stderr, r.stderr


@test
def elf_files_that_lie_or_are_cut_short_cost_one_sentence():
    whole = ELF.read_bytes()
    cut = TMP / "cut.elf"
    cut.write_bytes(whole[:60])
    r = emulated(CLI, "capture", "--config", config(transport="stlink-rambuf"), "--elf", cut, "--output", TMP / "x.vadb",
                 "--duration", "5", options=("--packets", PACKETS))
    e = last(r)
    assert r.returncode == 1 and e["error"] == "bad_config" and "cut.elf" in e["message"], e
    liar = make_elf("liar.elf", [("_VA_RAMBUF", 0xE000ED00, 48)])
    out, r = capture(config(transport="stlink-rambuf"), "--elf", liar, options=("--packets", PACKETS))
    check_events(out)
    assert "liar.elf" in rows(out, "SELECT value FROM meta WHERE key = 'ts_warnings'")[0][0]


@test
def a_dropping_ring_tells_what_it_dropped():
    out, r = capture(config(transport="stlink-rambuf", rambuf_poll_ms=200), options=(
        "--packets", PACKETS, "--drop", "--ring", "2048", "--rate", "60000"))
    h = health(out)
    dropped = int(h["target_dropped_packets"])
    # what arrived and what was dropped is what the firmware wrote: 9898 frames, markers among them
    assert dropped > 0 and int(h["packets"]) + int(h["sync_markers"]) + dropped == 9898, h
    # what was dropped last leaves no gap, markers none at all
    assert int(h["lost_events"]) <= dropped and h["corrupt_bytes"] == "0", h


@test
def a_reset_while_draining_begins_a_new_part():
    out, r = capture(config(transport="stlink-rambuf", no_reset=True), options=(
        "--packets", PACKETS, "--rate", "150000", "--reset-at", "150"))
    h = health(out)
    assert int(h["target_restarts"]) == 1 and int(h["sessions"]) >= 1, h
    assert rows(out, "SELECT COUNT(*) FROM va_events WHERE kind = 'session_start'")[0][0] >= 1


@test
def attaching_does_not_reset():
    for transport, options in (("stlink-rambuf", ()), ("stlink-rtt", ("--rtt",))):
        out, r = capture(config(transport=transport, no_reset=True), options=("--packets", PACKETS, *options),
                         until=has_all("target_ring_bytes", PACKETS.stat().st_size))
        check_events(out)
        assert "0 resets" in r.stderr, r.stderr


@test
def rtt_by_name_by_symbol_and_by_scanning():
    for kind, flags, keys in (("v2", (), {}), ("v3", ("--elf", ELF), {}), ("v3", (), {"rtt_address": "0x200004CC"})):
        out, r = capture(config(transport="stlink-rtt", rtt_channel=0, **keys), *flags,
                         options=("--probe", kind, "--rtt", "--packets", PACKETS))
        check_events(out)


@test
def a_wrong_rtt_address_is_told_and_the_block_found():
    out, r = capture(config(transport="stlink-rtt", rtt_address="0x20000700"), options=("--rtt", "--packets", PACKETS))
    check_events(out)
    assert "0x20000700" in rows(out, "SELECT value FROM meta WHERE key = 'ts_warnings'")[0][0]


def small_ram(what, kind):
    """Keys for a probe that looks through RAM slowly, a packet of some bytes at a time: 16 KiB hold all there is."""
    return {"rambuf": {"rambuf_scan_size": 16384}, "rtt": {"rtt_address": "0x200004CC"}}.get(what, {}) \
        if kind.startswith("cmsis-dap") or kind == "jlink" else {}


# kind of emulated probe, prefix of its transports
PROBES = [("v2", "stlink"), ("v2-1", "stlink"), ("v3", "stlink"), ("cmsis-dap", "cmsis-dap"), ("cmsis-dap-v1", "cmsis-dap")] \
    + ([("jlink", "jlink")] if HAS_JLINK else [])


@test
def every_transport_of_every_probe():
    swo = shared("viewalyzer/m4_short.itm_min.bin")
    for kind, prefix in PROBES:
        for what, options, key, n in (("rambuf", ("--packets", PACKETS), "target_ring_bytes", PACKETS.stat().st_size),
                                      ("rtt", ("--rtt", "--packets", PACKETS), "target_ring_bytes", PACKETS.stat().st_size),
                                      ("swo", ("--swo", swo), "swo_bytes", swo.stat().st_size)):
            keys = {"cpu_clock_hz": 168000000, "swo_freq_hz": 2000000} if what == "swo" else small_ram(what, kind)
            out, r = capture(config(transport=f"{prefix}-{what}", **keys), options=("--probe", kind, *options),
                             until=has_all(key, n) if what == "swo" else None)
            check_events(out)
            assert health(out)[key] == str(n), (kind, what, health(out))
            assert "1 resets" in r.stderr and "core runs, debug off" in r.stderr, (kind, what, r.stderr)


class Server(threading.Thread):
    """Serves bytes to whoever connects, as long as there is a test."""

    def __init__(self, data):
        super().__init__(daemon=True)
        self.data, self.socket = data, socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        client, _ = self.socket.accept()
        client.sendall(self.data)
        client.recv(1)  # until the other side ends it
        client.close()


class JlinkServer(Server):
    """The RTT port of SEGGER's J-Link GDB server, as its documentation says: a banner; for 100 ms the client may choose a channel,
    else it gets channel 0; then the bytes of the channel."""

    BANNER = (b"SEGGER J-Link V7.94e - Real time terminal output\r\nJ-Link V9 compiled, SN=123456789\r\n"
              b"Process: JLinkGDBServerCLExe\r\n")

    def run(self):
        client, _ = self.socket.accept()
        client.sendall(self.BANNER)
        client.settimeout(0.1)
        self.asked = b""
        try:
            while not self.asked.endswith(b"$$"):
                self.asked += client.recv(256)
        except TimeoutError:
            pass
        client.settimeout(None)
        client.sendall(self.data)
        client.recv(1)
        client.close()


class SwvServer(Server):
    """The raw SWV port of pyOCD (swv_raw_enable), as its documentation says: whoever connects gets a copy of the bytes from then on,
    in pieces as they come from the probe."""

    def run(self):
        client, _ = self.socket.accept()
        for at in range(0, len(self.data), 1000):
            client.sendall(self.data[at:at + 1000])
            time.sleep(0.0005)
        client.recv(1)
        client.close()


def readme_lines(word):
    """Commands for the command line in the README, behind that of another program."""
    lines = (SOURCE / "README.md").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("$ " + word))
    return lines[at], lines[at + 1].removeprefix("$ taskscope-cli ").split()


def as_the_readme_says(word, server, key, n):
    """Runs the README's command for what @word serves against a stand-in for it on another port; path of the recording."""
    _, command = readme_lines(word)
    at = next(i for i, flag in enumerate(command) if flag.endswith("-port"))
    assert command[at + 1] in ("19021", "3443") and command[0] == "capture", command
    command[at + 1] = str(server.port)
    out, stop = TMP / f"{word}.vadb", TMP / f"{word}.stop"
    command[command.index("--output") + 1] = str(out)
    p = subprocess.Popen([CLI, *command, "--no-register", "--duration", "60", "--stop-file", stop], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
    deadline, is_complete = time.monotonic() + 45, has_all(key, n)
    while p.poll() is None and time.monotonic() < deadline and not is_complete(out):
        time.sleep(0.05)
    stop.touch()
    text, err = p.communicate(timeout=60)
    assert p.returncode == 0, text + err
    return out


@test
def what_a_jlink_server_serves_as_the_readme_says():
    server = JlinkServer(PACKETS.read_bytes())
    # the banner comes first, and is no packet
    out = as_the_readme_says("JLinkGDBServerCLExe", server, "raw_bytes", PACKETS.stat().st_size + len(server.BANNER))
    n = rows(out, f"SELECT COUNT(*) FROM va_events WHERE {TARGET}")[0][0]
    h = health(out)
    assert server.asked == b"" and n == sum(json.loads((DATA / "m4_short.expected.json").read_text())["decoded"]["events_by_code"]
                                            .values()), (n, h)
    assert h["lost_events"] == "0", h


@test
def what_pyocd_serves_as_the_readme_says():
    swo = shared("viewalyzer/m4_short.itm_min.bin").read_bytes()
    check_events(as_the_readme_says("pyocd", SwvServer(swo), "raw_bytes", len(swo)))


def captured(until=None, then=None, **keys):
    """A capture without a probe, until it has got what it should get; its recording."""
    number = next(serial)
    out, stop = TMP / f"r{number}.vadb", TMP / f"stop{number}"
    p = subprocess.Popen([CLI, "capture", "--config", config(**keys), "--output", out, "--no-register", "--verbose", "--duration", "60",
                          "--stop-file", stop], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=ENV)
    deadline = time.monotonic() + 30
    if then is not None:
        then(p)
    while until is not None and p.poll() is None and time.monotonic() < deadline and not until(out):
        time.sleep(0.05)
    stop.touch() if until is not None else None
    text, err = p.communicate(timeout=60)
    assert p.returncode == 0, (keys, p.returncode, text + err)
    return out


def without_a_probe(check, wait, **more):
    """Captures over each transport without a probe; @check gets each recording, @wait tells how far one has to come."""
    cobs, raw = (DATA / "m4_short.cobs").read_bytes(), PACKETS.read_bytes()
    check(captured(transport="file", file_path=str(DATA / "m4_short.cobs"), **more))
    for is_cobs, data in ((True, cobs), (False, raw)):
        check(captured(wait(len(data)), transport="tcp", tcp_host="127.0.0.1", tcp_port=Server(data).port, cobs=is_cobs, **more))
    swo = shared("viewalyzer/m4_short.itm_min.bin").read_bytes()
    check(captured(wait(len(swo)), transport="swo-tcp", swo_tcp_port=Server(swo).port, itm_port=1, **more))

    # a pseudo-terminal is a serial port, too
    master, slave = os.openpty()
    os.set_blocking(master, False)

    def write(p):
        # what is written before the port is open is nobody's
        while "Capturing from" not in p.stderr.readline() and p.poll() is None:
            pass
        at = 0
        while at < len(cobs) and p.poll() is None:
            try:
                at += os.write(master, cobs[at:at + 512])
            except BlockingIOError:
                time.sleep(0.001)
    check(captured(wait(len(cobs)), write, transport="serial", serial_port=os.ttyname(slave), baud=921600, **more))
    os.close(master)
    os.close(slave)

    port = free_udp_port()

    def send(p):
        while f":{port:04X} " not in Path("/proc/net/udp").read_text() and p.poll() is None:
            time.sleep(0.01)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            for at in range(0, len(cobs), 1400):
                s.sendto(cobs[at:at + 1400], ("127.0.0.1", port))
                time.sleep(0.001)
    check(captured(wait(len(cobs)), send, transport="udp", udp_ip="127.0.0.1", udp_port=port, **more))


@test
def every_transport_without_a_probe():
    without_a_probe(check_events, lambda n: has_all("raw_bytes", n))


TRIGGER = {"trigger": "lane:Once kind:timer", "trigger_before_ms": 50, "trigger_after_ms": 30}


def check_triggered(path):
    """One mark, behind the first expiry of that timer; 50 ms before it and 30 ms after it at most, at 25 MHz."""
    assert rows(path, "SELECT value FROM health WHERE key = 'end_reason'") == [("trigger",)], health(path)
    marks = rows(path, "SELECT id, t_cycles, text FROM va_events WHERE kind = 'mark'")
    assert len(marks) == 1 and TRIGGER["trigger"] in marks[0][2], marks
    at, t, _ = marks[0]
    fired = rows(path, "SELECT id, t_cycles FROM va_events WHERE kind = 'timer' AND object = 'Once' ORDER BY id LIMIT 1")
    assert fired == [(at - 1, t)], (marks, fired)
    last = rows(path, "SELECT MAX(t_cycles) FROM va_events")[0][0]
    assert t <= 50 * 25000 and last - t <= 30 * 25000, (t, last)
    return rows(path, f"SELECT COUNT(*) FROM va_events WHERE {TARGET}")[0][0]


@test
def a_trigger_is_waited_for_over_every_transport():
    counts = set()
    without_a_probe(lambda path: counts.add(check_triggered(path)), lambda n: None, **TRIGGER)
    swo = shared("viewalyzer/m4_short.itm_min.bin")
    for kind, prefix in PROBES:
        for what, options in (("rambuf", ("--packets", PACKETS)), ("rtt", ("--rtt", "--packets", PACKETS)), ("swo", ("--swo", swo))):
            if kind in ("v2", "v3", "cmsis-dap-v1") and what != "rambuf":
                continue  # the same transport through another probe of its kind
            out, r = capture(config(transport=f"{prefix}-{what}", cpu_clock_hz=25000000, swo_freq_hz=1000000, **TRIGGER, **small_ram(what, kind)),
                             options=("--probe", kind, *options, "--trace-clock", "25000000"), ends_itself=True)
            counts.add(check_triggered(out))
            assert "core runs, debug off" in r.stderr, (kind, what, r.stderr)
    # whatever the way: the same events, those that a recording of everything has there
    whole = TMP / "whole.vadb"
    assert emulated(CLI, "decode", DATA / "m4_short.cobs", "--output", whole).returncode == 0
    t = rows(whole, "SELECT t_cycles FROM va_events WHERE kind = 'timer' AND object = 'Once' ORDER BY id LIMIT 1")[0][0]
    n = rows(whole, f"SELECT COUNT(*) FROM va_events WHERE {TARGET} AND t_cycles BETWEEN {t - 50 * 25000} AND {t + 30 * 25000}")[0][0]
    assert counts == {n} and n > 100, (counts, n)


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@test
def trace_bytes_go_on_after_a_broken_transfer():
    swo = shared("viewalyzer/m4_short.itm_min.bin")
    n = swo.stat().st_size
    for kind, prefix in PROBES:
        # the pin waits for the receiver, so that what was on its way is all that can be missing
        out, r = capture(config(transport=f"{prefix}-swo", cpu_clock_hz=168000000, no_reset=True),
                         options=("--probe", kind, "--swo", swo, "--stall-trace-at", "5"),
                         until=lambda path: int(health(path).get("swo_bytes", 0)) >= n - 4096 and settled(path))
        h = health(out)
        assert h["probe_recoveries"] == "1", (kind, h)
        assert n - 4096 <= int(h["swo_bytes"]) < n, (kind, h)
        assert "anew" in r.stderr, (kind, r.stderr)


@test
def trace_bytes_that_never_come_again_end_the_capture():
    swo = shared("viewalyzer/m4_short.itm_min.bin")
    for kind, prefix in PROBES:
        out = TMP / f"stalled-{kind}.vadb"
        r = emulated(CLI, "capture", "--config", config(transport=f"{prefix}-swo", cpu_clock_hz=168000000, no_reset=True),
                     "--output", out, "--no-register", "--duration", "60",
                     options=("--probe", kind, "--swo", swo, "--stall-trace-from", "40" if prefix == "cmsis-dap" else "5"))
        e = last(r)
        assert r.returncode == 1 and e["error"] == "capture_failed", (kind, r.stdout + r.stderr)
        assert "does not hand over its trace bytes" in e["message"] and "asked anew 3 times" in e["message"], (kind, e)
        # what came before is there
        h = health(out)
        assert 0 < int(h["swo_bytes"]) < swo.stat().st_size and h["probe_recoveries"] == "3", (kind, h)
        assert rows(out, f"SELECT COUNT(*) FROM va_events WHERE {TARGET}")[0][0] > 20, kind


seen = {}


def settled(path):
    """Whether no byte has come for half a second."""
    now, n = time.monotonic(), health(path).get("swo_bytes")
    if seen.get(path, ("", 0))[0] != n:
        seen[path] = (n, now)
    return now - seen[path][1] > 0.5


@test
def a_deaf_target_is_reached_under_reset():
    for kind, prefix in PROBES:
        r = emulated(CLI, "capture", "--config", config(transport=f"{prefix}-rambuf"), "--output", TMP / "x.vadb", "--duration", "5",
                     options=("--probe", kind, "--deaf", "--packets", PACKETS))
        assert r.returncode == 1 and "no target" in last(r)["message"], (kind, r.stdout)
        out, r = capture(config(transport=f"{prefix}-rambuf", connect_under_reset=True, **small_ram("rambuf", kind)),
                         options=("--probe", kind, "--deaf", "--packets", PACKETS))
        check_events(out)
        # by the line, and by the request once everything is ready; then it is let go
        assert "2 resets" in r.stderr and "core runs, debug off" in r.stderr, (kind, r.stderr)
    swo = shared("viewalyzer/m4_short.itm_min.bin")
    out, r = capture(config(transport="stlink-swo", cpu_clock_hz=168000000), "--connect-under-reset",
                     options=("--deaf", "--swo", swo), until=has_all("swo_bytes", swo.stat().st_size))
    check_events(out)
    assert "core runs, debug off" in r.stderr, r.stderr
    r = emulated(CLI, "reset", "--transport", "stlink-rambuf", "--connect-under-reset", options=("--deaf", "--verbose"))
    assert r.returncode == 0 and "core runs, debug off" in r.stderr, r.stdout + r.stderr


@test
def what_never_resets_does_not_connect_under_reset():
    r = emulated(CLI, "capture", "--transport", "stlink-rambuf", "--connect-under-reset", "--no-reset", "--output", TMP / "x.vadb",
                 "--duration", "5")
    assert r.returncode == 1 and last(r)["error"] == "bad_config" and "no-reset" in last(r)["message"], r.stdout
    image = TMP / "zero.bin"
    image.write_bytes(bytes(131072))
    vacf = config(transport="stlink-rambuf", connect_under_reset=True)
    for verb in (("poll", "--symbols", "counter", "--duration-s", "0.2", "--no-register", "--output", TMP / "never.vadb"),
                 ("snapshot", "--no-register", "--output", TMP / "never.vadb"), ("doctor",)):
        more = () if verb[0] == "doctor" else ("--config", vacf, "--elf", ELF)
        r = emulated(CLI, verb[0], *more, *verb[1:], options=("--image", image, "--verbose"))
        assert "0 resets" in r.stderr and "core runs" in r.stderr, (verb, r.stdout + r.stderr)


@test
def memory_that_faults_while_the_core_sleeps_costs_nothing_but_time():
    for kind, prefix in PROBES:
        out, r = capture(config(transport=f"{prefix}-rambuf", rambuf_address="0x200004CC"), options=(
            "--probe", kind, "--packets", PACKETS, "--ring", "1024", "--asleep", "--sleep-ms", "2"))
        check_events(out)
        assert int(health(out)["probe_failed_reads"]) > 0 and "does its core sleep" in r.stderr, (kind, r.stderr)


@test
def a_ring_that_does_not_come_is_explained():
    post_mortem = b"ViewAlyzerPM01\0\0"
    ring = b"ViewAlyzerRB01\0\0" + struct.pack("<IIIIIIIBBH", 0x20001001, 1024, 0, 0, 0, 0, 25000000, 1, 4, 0x102)
    rtt = b"SEGGER RTT" + bytes(6) + struct.pack("<II", 1, 0)
    told = {}

    def capture_nothing(number, what, block, options):
        image = TMP / f"other{number}.bin"
        image.write_bytes((bytes(0xC00) + block).ljust(131072, b"\0"))
        vacf = TMP / f"other{number}.vacf"
        vacf.write_text(json.dumps({"transport": f"stlink-{what}", "no-reset": True}))
        r = emulated(CLI, "capture", "--config", vacf, "--output", TMP / f"other{number}.vadb", "--no-register", "--duration", "60",
                     options=("--image", image, *options))
        assert r.returncode == 1 and last(r)["error"] == "capture_failed", r.stdout + r.stderr
        told[number] = last(r)["message"]

    cases = [("rambuf", rtt, (), ("RTT control block at 0x20000c00", "another transport")),
             ("rtt", ring, (), ("a ring at 0x20000c00", "another transport")),
             ("rambuf", post_mortem, (), ("post-mortem ring, at 0x20000c00", "snapshot")),
             ("rambuf", b"", (), ("No recorder ring appeared", "rambuf-scan-start")),
             ("rambuf", b"", ("--halted",), ("core is halted", "breakpoint")),
             ("rambuf", b"", ("--asleep",), ("core sleeps", "DBGMCU"))]
    # each is waited for for ten seconds: at once
    threads = [threading.Thread(target=capture_nothing, args=(i, *case[:3])) for i, case in enumerate(cases)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, case in enumerate(cases):
        assert all(word in told.get(i, "") for word in case[3]), (case[0], case[3], told)


@test
def the_chip_that_is_named_is_compared_with_the_core():
    out, r = capture(config(transport="stlink-rambuf", target_device="STM32U575ZI"), options=("--packets", PACKETS))
    check_events(out)
    assert "STM32U575ZI" in rows(out, "SELECT value FROM meta WHERE key = 'ts_warnings'")[0][0]
    out, r = capture(config(transport="stlink-rambuf", target_device="STM32F407VG"), options=("--packets", PACKETS))
    assert not rows(out, "SELECT value FROM meta WHERE key = 'ts_warnings'"), r.stderr


@test
def without_permission_the_rule_is_told():
    for kind, prefix in PROBES:
        r = emulated(CLI, "capture", "--transport", f"{prefix}-rambuf", "--output", "/nowhere/x.vadb", "--duration", "5",
                     "--no-register", options=("--probe", kind, "--forbidden"))
        e = last(r)
        assert r.returncode == 1 and e["error"] == "capture_failed", (kind, r.stdout + r.stderr)
        assert "No permission" in e["message"] and "70-taskscope.rules" in e["message"], (kind, e)
        # listed all the same, without its serial number, and why
        r = emulated(CLI, "probes", options=("--probe", kind, "--forbidden"))
        probe, = last(r)["probes"]
        assert probe["type"] == prefix and not probe["serial"], (kind, probe)
        r = emulated(CLI, "doctor", options=("--probe", kind, "--forbidden"))
        check, = [c for c in json.loads(r.stdout)["checks"] if c["id"] == "probes_" + prefix.replace("-", "_")]
        assert check["status"] != "ok" and "70-taskscope.rules" in json.dumps(check), (kind, check)


def where_the_rule_is_installed():
    """Words before a command that let it see a machine with the rule, and change nothing of this one."""
    folder = next((f for f in ("/etc/udev", "/run/udev", "/usr/lib/udev") if Path(f).is_dir()), None)
    rule = SOURCE / "data" / "70-taskscope.rules"
    prefix = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {folder} && mkdir {folder}/rules.d && cp '{rule}' {folder}/rules.d/ "
              '&& exec "$@"', "sh"]
    if folder is None or os.geteuid() != 0 or shutil.which("unshare") is None \
            or subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        raise Skip("no other view of the file system can be made here")
    return prefix


@test
def with_the_rule_installed_something_else_is_told():
    prefix = where_the_rule_is_installed()

    def doctor(*options, before=()):
        r = subprocess.run([str(a) for a in (*before, EMULATOR, "--probe", "v2-1", *options, "--", CLI, "doctor")],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENV)
        check, = [c for c in json.loads(r.stdout)["checks"] if c["id"] == "probes_stlink"]
        return check

    # without permission, as a user that is not root; the rule is not there, then it is
    check = doctor("--forbidden")
    assert check["status"] == "missing" and "copy 70-taskscope.rules" in check["detail"], check
    assert "not installed" in check["hint"] and "udevadm control --reload" in check["hint"], check
    check = doctor("--forbidden", before=prefix)
    assert check["status"] == "missing" and "70-taskscope.rules is installed" in check["detail"], check
    assert "plug the probe in again" in check["detail"] and "hint" not in check, check
    # with permission
    assert doctor()["status"] == "ok" and "not installed" in doctor()["hint"]
    check = doctor(before=prefix)
    assert check["status"] == "ok" and "hint" not in check, check


def emulator_figures(r):
    """What the emulated target counted itself."""
    m = re.search(r"(\d+) packets dropped, .*?(\d+) requests for names answered, (\d+) events and (\d+) packets dropped after the last, "
                  r"(\d+) events$", r.stderr.strip(), re.M)
    return dict(zip(("dropped", "answers", "after", "dropped_after", "events"), map(int, m.groups())))


def names_of_tasks():
    """Names that the packets themselves tell: TASK_MAP is 70, number, id, length, name."""
    raw, names, at = PACKETS.read_bytes(), set(), 0
    while (at := raw.find(b"\x70", at)) >= 0:
        n = raw[at + 3] if at + 3 < len(raw) else 0
        name = raw[at + 4:at + 4 + n]
        if 0 < raw[at + 2] < 32 and 2 < n < 16 and len(name) == n and name.isascii() and name.decode().isprintable():
            names.add(name.decode())
        at += 1
    return names


@test
def names_in_ram_are_read_when_attaching():
    def check(kind, prefix):
        # the ring has been full for long when somebody looks: names are in RAM only
        out, r = capture(config(transport=f"{prefix}-rambuf", no_reset=True, rambuf_scan_size=32768), options=(
            "--probe", kind, "--packets", PACKETS, "--drop", "--names", "--ring", "16384", "--burst", "40000", "--rate", "20000"))
        h, told = health(out), emulator_figures(r)
        assert told["answers"] == 1 and told["dropped"] > 100, told
        assert "0 resets" in r.stderr, r.stderr
        assert int(h["target_names_from_ram"]) > 10, h
        # from the target's own answer on everything arrives; the checkpoint in it is an event, too
        n, = rows(out, f"SELECT COUNT(*) FROM va_events WHERE {TARGET}")[0]
        tasks = {row[0] for row in rows(out, "SELECT name FROM va_objects WHERE type = 'task'")}
        creations, = rows(out, f"SELECT COUNT(*) FROM va_events WHERE {TARGET} AND kind = 'task_create'")[0]
        assert {"Ctrl", "Filter"} <= names_of_tasks() <= tasks, (tasks, names_of_tasks())
        # a loss that nothing follows leaves no gap
        assert int(h["lost_events"]) <= told["dropped_after"] and h["corrupt_bytes"] == "0", (h, told)
        assert n - creations == told["after"] + 1, (kind, n, creations, told)
    each_probe(check)


@test
def names_that_a_full_ring_dropped_are_put_back():
    elf = make_elf("names.elf", [("_VA_RAMBUF", 0x200004CC, 48), ("_VA_METADATA", 0x20000600, 64)])
    def check(kind, prefix):
        # at the boot more is written than the ring holds: names are among what is dropped
        # (where they are kept is looked for where no file tells it, which takes its time)
        out, r = capture(config(transport=f"{prefix}-rambuf", rambuf_scan_size=32768), *(() if kind == "v3" else ("--elf", elf)), options=(
            "--probe", kind, "--packets", PACKETS, "--drop", "--names", "--ring", "1024", "--burst", "6000", "--rate", "20000"))
        h, told = health(out), emulator_figures(r)
        tasks = {row[0] for row in rows(out, "SELECT name FROM va_objects WHERE type = 'task'")}
        assert {"Ctrl", "Filter"} <= names_of_tasks() <= tasks, (kind, tasks, names_of_tasks(), h)
        # what was put back is no longer lost
        n_names = int(h["target_names_from_ram"])
        assert n_names > 5 and told["answers"] >= 1 and "read from target RAM" in r.stderr, (kind, h, told)
        # (a busy machine drops more: sequence bytes see no multiple of 256, nor what was dropped last; exactly: test-va-names)
        assert int(h["lost_events"]) <= told["dropped"] - n_names, (kind, h, told)
        assert h["corrupt_bytes"] == "0" and h["sessions"] == "1", (kind, h)
    each_probe(check)


@test
def swo_bytes_from_the_boot_on():
    for name, kind in (("itm_min", "v2-1"), ("itm_mixed", "v3")):
        swo = shared(f"viewalyzer/m4_short.{name}.bin")
        out, r = capture(config(transport="stlink-swo", cpu_clock_hz=168000000, swo_freq_hz=2000000, itm_port=1),
                         options=("--probe", kind, "--swo", swo), until=has_all("swo_bytes", swo.stat().st_size))
        codes = json.loads((DATA / "m4_short.expected.json").read_text())["decoded"]["events_by_code"]
        got = dict(rows(out, f"SELECT kind, COUNT(*) FROM va_events WHERE {TARGET} GROUP BY kind"))
        for code, k in KINDS.items():
            assert got[k] == sum(n for c, n in codes.items() if f"{int(c, 16) & 0x7F:02X}" == code), (k, got)
        h = health(out)
        assert h["swo_bytes"] == str(swo.stat().st_size) and h["lost_events"] == "0", h
        image = json.loads(rows(out, "SELECT value FROM meta WHERE key = 'hardware_trace'")[0][0])
        # 168 MHz / 2 MHz = 84
        assert {"reg": "TPIU_ACPR", "addr": "0xE0040010", "value": "0x00000053"} in image["writes"], image
        assert "1 resets" in r.stderr and "core runs" in r.stderr, r.stderr


@test
def swo_rates_that_cannot_be_are_refused():
    for keys, word in (({"swo_freq_hz": 1500000, "cpu_clock_hz": 4000000}, "2000000 or 1333333"),
                       ({"swo_freq_hz": 12000000, "cpu_clock_hz": 168000000}, "2000000")):
        r = emulated(CLI, "capture", "--config", config(transport="stlink-swo", **keys), "--output", TMP / "x.vadb",
                     "--duration", "5", options=("--probe", "v2-1", "--packets", PACKETS))
        e = last(r)
        assert r.returncode == 1 and word in e["message"], e
        assert not (TMP / "x.vadb").exists()


@test
def variables_are_polled():
    image = bytearray(131072)
    struct.pack_into("<Ihxxf", image, 0x8000, 123456, -7, 1.5)
    ram = TMP / "ram.bin"
    ram.write_bytes(image)
    out = TMP / "poll.vadb"
    r = emulated(CLI, "poll", "--transport", "stlink-rtt", "--elf", ELF, "--symbols", "counter,level,ratio:f32,counter:u8",
                 "--poll-hz", "100", "--duration-s", "1", "--output", out, "--no-register", "--stream",
                 options=("--image", ram, "--verbose"))
    assert r.returncode == 0, r.stdout + r.stderr
    summary = last(r)["summary"]
    assert summary["symbols_polled"] == 4 and summary["poll_hz"] == 100, summary
    n = rows(out, "SELECT COUNT(*) FROM va_events WHERE kind = 'poll_trace'")[0][0]
    # a busy machine may miss rounds, but not without telling
    rounds, missed = int(health(out)["poll_rounds"]), int(health(out)["poll_missed"])
    assert n == summary["sample_count"] == 4 * rounds and 5 <= rounds <= 300 and 40 <= rounds + missed, (n, missed, summary)
    assert abs(summary["sample_loss_percent"] - 100 * missed / (rounds + missed)) < 0.01, (missed, summary)
    values = rows(out, "SELECT DISTINCT object_id, object, value FROM va_events WHERE kind = 'poll_trace' ORDER BY 1")
    assert [(v[1], v[2]) for v in values] == [("counter", 123456), ("level", -7), ("ratio", 1.5), ("counter", 64)], values
    # older clients take all of standard output for the envelope: the rest is on standard error
    assert json.loads(r.stdout)["path"] == str(out) and "[headless] Recording saved: " in r.stderr, r.stdout
    assert "[poll] level @ 0x20008004 (i16, 2 bytes)" in r.stderr, r.stderr
    lines = [json.loads(line) for line in r.stderr.splitlines() if line.startswith("{")]
    assert lines[0]["t"] == "stream_init" and lines[0]["source"] == "poll" and lines[0]["poll_hz"] == 100, lines[0]
    meta = [line for line in lines if line["t"] == "stream_meta"]
    assert [(m["id"], m["name"], m["type"]) for m in meta] == [(0, "counter", "int32_t"), (1, "level", "int16_t"),
                                                               (2, "ratio", "float"), (3, "counter", "uint8_t")], meta
    assert sum(line["t"] == "stream_sample" for line in lines) == n
    assert "0 resets" in r.stderr and "core runs" in r.stderr, r.stderr
    # lanes, as every value channel has them
    series = rows(out, "SELECT name, count, last FROM va_trace_stats ORDER BY object_id")
    assert [(s[0], s[2]) for s in series] == [("counter", 123456.0), ("level", -7.0), ("ratio", 1.5), ("counter", 64.0)]


@test
def polls_take_their_connection_from_a_file():
    image = bytearray(131072)
    struct.pack_into("<I", image, 0x8000, 123456)
    ram = TMP / "ram of a file.bin"
    ram.write_bytes(image)
    out = TMP / "poll of a file.vadb"
    flags = ("--elf", ELF, "--symbols", "counter", "--poll-hz", "50", "--duration-s", "1", "--output", out, "--no-register")
    # a file alone; and one of another transport, over which the flag wins
    for given in (("--config", config(transport="stlink-rambuf")), ("--config", config(transport="udp", udp_port=1), "--transport", "stlink-rtt")):
        out.unlink(missing_ok=True)
        r = emulated(CLI, "poll", *given, *flags, options=("--image", ram))
        summary = last(r)["summary"]
        assert r.returncode == 0 and summary["symbols_polled"] == 1 and summary["sample_count"] > 0, r.stdout + r.stderr
        assert rows(out, "SELECT DISTINCT object, value FROM va_events WHERE kind = 'poll_trace'") == [("counter", 123456)]
        assert summary["transport"] == ("stlink-rtt" if "--transport" in given else "stlink-rambuf"), summary
    r = emulated(CLI, "poll", "--config", config(transport="udp", udp_port=1), *flags)
    assert r.returncode == 1 and json.loads(r.stdout)["error"] == "bad_config", r.stdout


@test
def what_cannot_be_polled_is_told():
    for flags, code in ((("--transport", "udp", "--symbols", "counter"), "bad_config"),
                        (("--transport", "stlink-rambuf", "--symbols", "nobody"), "symbol_not_found"),
                        (("--transport", "stlink-rambuf", "--symbols", "blob"), "bad_config"),
                        (("--transport", "stlink-rambuf", "--symbols", "level:u32"), "bad_config"),
                        (("--transport", "stlink-rambuf"), "bad_arguments")):
        r = emulated(CLI, "poll", "--elf", ELF, *flags, "--duration-s", "1", "--output", TMP / "no.vadb",
                     options=("--packets", PACKETS))
        assert r.returncode == 1 and json.loads(r.stdout)["error"] == code, (flags, r.stdout)
        assert "[headless] ERROR: " in r.stderr, r.stderr
        assert not (TMP / "no.vadb").exists()


@test
def variables_are_polled_beside_a_capture():
    out, r = capture(config(transport="stlink-rambuf"), "--elf", ELF, "--symbols", "counter,level:u16", "--poll-hz", "100",
                     options=("--packets", PACKETS, "--rate", "60000"))
    check_events(out)
    polled = rows(out, "SELECT object, COUNT(*), MIN(flags & 1) FROM va_events WHERE kind = 'poll_trace' GROUP BY object")
    assert [p[0] for p in polled] == ["counter", "level"] and polled[0][1] == polled[1][1] > 5, polled
    # between the target's events, on its clock, marked as estimated
    assert polled[0][2] == 1, polled
    t = [x[0] for x in rows(out, "SELECT t FROM ts_events ORDER BY rowid")]
    assert t == sorted(t)
    spread = rows(out, "SELECT MIN(id), MAX(id) FROM va_events WHERE kind = 'poll_trace'")[0]
    assert spread[1] - spread[0] > 3000, spread


@test
def the_program_counter_is_polled_where_there_is_no_pin():
    out, r = capture(config(transport="stlink-rambuf", cpu_clock_hz=168000000), "--dwt", "--dwt-pc", "64",
                     options=("--packets", PACKETS, "--rate", "60000"))
    h = health(out)
    n = rows(out, "SELECT COUNT(*) FROM va_events WHERE kind = 'dwt_pc'")[0][0]
    assert n == int(h["poll_pc_samples"]) > 5, (n, h)
    image = json.loads(rows(out, "SELECT value FROM meta WHERE key = 'hardware_trace'")[0][0])
    assert not [w for w in image["writes"] if w["reg"].startswith("TPIU")], image


@test
def a_busy_ring_is_read_in_few_round_trips():
    trips = {}
    for firmware in ("30", "37"):
        out, r = capture(config(transport="stlink-rambuf"), "--elf", ELF,
                         options=("--probe", "v2-1", "--firmware", firmware, "--ring", "1024", "--packets", PACKETS))
        check_events(out)
        trips[firmware] = int(health(out)["probe_round_trips"])
    # looking and releasing in one batch: two commands in place of four for every piece
    assert trips["37"] < trips["30"] * 0.8, trips


@test
def a_snapshot_by_the_symbol():
    image = bytearray(131072)
    raw = PACKETS.read_bytes()[:20000]
    struct.pack_into("<16sIIIIIIIBBH", image, 0x4CC, b"ViewAlyzerRB01", 0x20001001, 30001, len(raw), 0, 0, 0, 25000000, 1, 4,
                     0x102)
    image[0x1001:0x1001 + len(raw)] = raw
    ram = TMP / "snapshot.bin"
    ram.write_bytes(image)
    # the scan window alone would not find it
    window = ("--rambuf-scan-start", "0x20010000", "--rambuf-scan-size", "4096")
    r = emulated(CLI, "snapshot", "--transport", "stlink-rambuf", *window, "--no-register", "--output", TMP / "s.vadb",
                 options=("--image", ram))
    assert r.returncode == 1 and last(r)["error"] == "snapshot_failed", r.stdout
    r = emulated(CLI, "snapshot", "--transport", "stlink-rambuf", *window, "--elf", ELF, "--no-register", "--output",
                 TMP / "s.vadb", options=("--image", ram, "--verbose"))
    assert r.returncode == 0 and last(r)["summary"]["window_bytes"] == len(raw), r.stdout + r.stderr
    assert "0 resets" in r.stderr, r.stderr


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def through_openocd(commands, vacf, n_bytes, options):
    """OpenOCD drives the emulated probe; the command line captures what it serves over TCP."""
    if shutil.which("openocd") is None:
        raise Skip("openocd is not installed")
    out, stop = TMP / "openocd.vadb", TMP / "openocd.stop"
    for path in (out, stop):
        path.unlink(missing_ok=True)
    server = subprocess.Popen(
        [str(a) for a in (EMULATOR, *options, "--", "openocd", "-c", "gdb_port disabled; tcl_port disabled; telnet_port disabled",
                          "-f", "interface/stlink.cfg", "-c", "transport select hla_swd", "-f", "target/stm32f4x.cfg", "-c",
                          commands)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENV)
    try:
        p = subprocess.Popen([str(a) for a in (CLI, "capture", "--config", vacf, "--output", out, "--no-register", "--duration",
                                               "60", "--stop-file", stop)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=ENV)
        deadline, is_complete = time.monotonic() + 45, has_all("raw_bytes", n_bytes)
        while p.poll() is None and time.monotonic() < deadline and not is_complete(out):
            time.sleep(0.1)
        stop.touch()
        text, err = p.communicate(timeout=60)
    finally:
        server.terminate()
        try:
            log, _ = server.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            log, _ = server.communicate()
    assert p.returncode == 0, text + err + log[-2000:]
    return out


@test
def openocd_serves_rtt_over_tcp():
    port = free_port()
    out = through_openocd(
        f'init; rtt setup 0x20000000 0x20000 "SEGGER RTT"; rtt polling_interval 5; rtt start; rtt server start {port} 1',
        config(transport="tcp", tcp_host="127.0.0.1", tcp_port=port, cobs=False), PACKETS.stat().st_size,
        ("--rtt", "--packets", PACKETS))
    check_events(out)


@test
def openocd_serves_swo_over_tcp():
    port, swo = free_port(), shared("viewalyzer/m4_short.itm_min.bin")
    # bytes before the client connects go nowhere: the ports are opened when it has had time to
    out = through_openocd(
        f"stm32f4x.tpiu configure -protocol uart -output :{port} -traceclk 168000000 -pin-freq 2000000 -formatter off; init; "
        "stm32f4x.tpiu enable; after 4000 {itm ports on}",
        config(transport="swo-tcp", swo_tcp_host="127.0.0.1", swo_tcp_port=port, itm_port=1), swo.stat().st_size,
        ("--probe", "v2-1", "--swo", swo, "--trace-clock", "168000000"))
    check_events(out)


tests = [f for f in tests if not sys.argv[3:] or any(word in f.__name__ for word in sys.argv[3:])]
print(f"1..{len(tests)}")
failed = False
for number, f in enumerate(tests, 1):
    name = f.__name__.replace("_", " ")
    try:
        f()
        print(f"ok {number} {name}", flush=True)
    except Skip as why:
        print(f"ok {number} {name} # SKIP {why}", flush=True)
    except (AssertionError, KeyError, ValueError, IndexError, OSError, sqlite3.Error, subprocess.TimeoutExpired) as e:
        failed = True
        print(f"not ok {number} {name}", flush=True)
        for line in f"{type(e).__name__}: {e}".splitlines():
            print(f"# {line}")
shutil.rmtree(TMP, ignore_errors=True)
sys.exit(failed)
