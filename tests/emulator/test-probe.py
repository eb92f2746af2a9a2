#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs over libusb on the emulated ST-LINK, as TAP: test-probe.py BUILD SOURCE."""
import json
import os
import random
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
EMULATOR = BUILD / "tests" / "emulator" / "emulated-probe"
DRIVE = BUILD / "tests" / "emulator" / "drive-probe"
HAS_JLINK = "TS_HAVE_JAYLINK" in (BUILD / "config.h").read_text()
CLI = BUILD / "app" / "taskscope-cli"
DATA = SOURCE / "tests" / "data"
TMP = Path(tempfile.mkdtemp(prefix="ts-probe-"))
ENV = dict(os.environ, TASKSCOPE_BUILD=str(BUILD), XDG_DATA_HOME=str(TMP), LC_ALL="C.UTF-8")
tests = []


class Skip(Exception):
    pass


def test(f):
    tests.append(f)
    return f


def run(*args, timeout=120):
    return subprocess.run([str(a) for a in args], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, env=ENV)


def counts(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    return db.execute("SELECT COUNT(*) FROM va_events WHERE (COALESCE(flags, 0) & 4) = 0 AND kind NOT IN "
                      "('data_loss', 'corrupt', 'session_start', 'capture_end', 'mark')").fetchone()[0]


def expected_events():
    e = json.loads((DATA / "m4_short.expected.json").read_text())
    return sum(e["decoded"]["events_by_code"].values())


def capture(*options):
    out = TMP / "ring.vadb"
    r = run(SOURCE / "tests" / "emulator" / "ring-capture", DATA / "m4_short.raw", out, *options)
    assert r.returncode == 0, r.stdout + r.stderr
    summary = json.loads(r.stdout.splitlines()[-1])["summary"]
    assert summary["lost_events"] == 0 and summary["corrupt_bytes"] == 0, summary
    assert summary["bytes"] == (DATA / "m4_short.raw").stat().st_size, summary
    assert counts(out) == expected_events()


def emulated(*args, options=()):
    return run(EMULATOR, *options, "--", *args)


@test
def every_event_over_each_kind_of_probe():
    for kind in ("v2", "v2-1", "v3"):
        capture("--probe", kind)


@test
def small_rings_wrap_often():
    capture("--ring", "600")


@test
def accesses_that_must_wait_are_repeated():
    capture("--wait-every", "7")


@test
def probes_are_listed_with_serial_number():
    r = emulated(CLI, "probes", options=("--probe", "v2-1"))
    probe, = json.loads(r.stdout)["probes"]
    assert probe == {"type": "stlink", "serial": "066AFF3032FAKE0PROBE0001", "description": "ST-LINK/V2-1",
                     "vid": "0483", "pid": "374b"}, probe
    r = emulated(CLI, "doctor")
    check, = [c for c in json.loads(r.stdout)["checks"] if c["id"] == "probes_stlink"]
    assert check["status"] == "ok" and "066AFF3032FAKE0PROBE0001" in check["detail"], check


@test
def every_kind_of_probe_is_listed_with_type_and_serial():
    for kind, driver in kinds():
        r = emulated(CLI, "probes", options=("--probe", kind))
        value = json.loads(r.stdout)
        assert r.returncode == 0 and value["schema_version"] == 2 and value["warnings"] == [], (kind, value)
        probe, = value["probes"]
        assert set(probe) == {"type", "serial", "description", "vid", "pid"} and probe["type"] == driver, (kind, probe)
        assert probe["description"] and all(re.fullmatch("[0-9a-f]{4}", probe[key]) for key in ("vid", "pid")), (kind, probe)
        # the number is the one that picks the probe, and no other does
        assert probe["serial"] and drive(kind, driver, serial=(probe["serial"],)).returncode == 0, (kind, probe)
        assert drive(kind, driver, serial=(probe["serial"] + "0",)).returncode != 0, (kind, probe)
        r = emulated("/bin/sh", "-c", f"'{CLI}' --headless --list-probes", options=("--probe", kind))
        assert json.loads(r.stdout)["probes"] == [probe], (kind, r.stdout)


@test
def two_probes_are_two_entries():
    r = emulated(CLI, "probes", options=("--probe", "v2-1", "--second", "v3"))
    probes = json.loads(r.stdout)["probes"]
    assert [p["type"] for p in probes] == ["stlink", "stlink"] and len({p["serial"] for p in probes}) == 2, probes
    assert sorted(p["pid"] for p in probes) == ["374b", "374e"], probes


@test
def a_snapshot_halts_and_resumes_and_never_resets():
    packets = (DATA / "m4_short.raw").read_bytes()
    ring = 0x20001001
    block = b"ViewAlyzerRB01\0\0" + struct.pack("<IIIIIIIBBH", ring, 90001, len(packets), 0, 7, 0, 25000000, 1, 4, 0x102)
    image = TMP / "image.bin"
    image.write_bytes((bytes(0x4CC) + block).ljust(0x1001, b"\0") + packets)
    out = TMP / "snapshot.vadb"
    r = emulated(CLI, "snapshot", "--transport", "stlink-rambuf", "--no-register", "--output", out,
                 options=("--image", image, "--verbose"))
    assert r.returncode == 0, r.stdout + r.stderr
    summary = json.loads(r.stdout)["summary"]
    assert summary["ring"] == "live-drop" and summary["discarded_packets"] == 7, summary
    assert summary["window_bytes"] == len(packets) and summary["integrity"]["damaged_bytes"] == 0, summary
    assert counts(out) == expected_events()
    assert "0 resets" in r.stderr and "core runs" in r.stderr, r.stderr
    r = emulated(CLI, "reset", "--transport", "stlink-rambuf", options=("--image", image, "--verbose"))
    assert r.returncode == 0 and json.loads(r.stdout)["reset"] is True, r.stdout
    assert "1 resets" in r.stderr, r.stderr


@test
def a_wrong_serial_number_is_told():
    r = emulated(CLI, "capture", "--transport", "stlink-rambuf", "--stlink-serial", "NONE", "--output", TMP / "x.vadb",
                 "--duration", "5")
    e = json.loads(r.stdout.splitlines()[-1])
    assert r.returncode == 1 and e["error"] == "capture_failed" and "NONE" in e["message"], e
    assert not (TMP / "x.vadb").exists()


def kinds():
    """Kind of emulated probe and driver for it."""
    return [("v2", "stlink"), ("v2-1", "stlink"), ("v3", "stlink"), ("cmsis-dap", "cmsis-dap"),
            ("cmsis-dap-v1", "cmsis-dap")] + ([("jlink", "jlink")] if HAS_JLINK else [])


def random_image():
    image = TMP / "random.bin"
    if not image.exists():
        image.write_bytes(random.Random(4).randbytes(131072))
    return image


def each_kind(check):
    """Calls @check with each kind of probe and its driver. They wait for most of their time: some at once."""
    random_image()
    with ThreadPoolExecutor(max_workers=3) as pool:
        for done in [pool.submit(check, kind, driver) for kind, driver in kinds()]:
            done.result()


def drive(kind, driver, *options, serial=()):
    image = random_image()
    return run(EMULATOR, "--probe", kind, "--image", image, *options, "--", DRIVE, driver, image, *serial)


def facts(r):
    return dict(line.split(" ", 1) for line in r.stdout.splitlines())


def refusal(*options, transport="stlink-rambuf", arguments=()):
    """The sentence with which a capture ends before it began."""
    r = emulated(CLI, "capture", "--transport", transport, "--output", TMP / "x.vadb", "--duration", "5", "--no-register",
                 *arguments, options=options)
    e = json.loads(r.stdout.splitlines()[-1])
    assert r.returncode == 1 and e["error"] == "capture_failed", r.stdout + r.stderr
    return e["message"]


@test
def every_access_on_each_kind_of_probe():
    def check(kind, driver):
        r = drive(kind, driver)
        assert r.returncode == 0, kind + r.stdout + r.stderr
    each_kind(check)
    assert facts(drive("v3", "stlink"))["speed"] == "3300"
    assert facts(drive("v2", "stlink"))["version"] == "V2J37M7"


@test
def busy_targets_cost_retries_and_no_byte():
    def check(kind, driver):
        r = drive(kind, driver, "--wait-every", "401" if kind == "jlink" else "7")
        assert r.returncode == 0, kind + r.stdout + r.stderr
        # a CMSIS-DAP probe repeats by itself
        assert int(facts(r)["retries"]) > 0 or driver == "cmsis-dap", kind + r.stdout
    each_kind(check)


@test
def a_broken_transfer_is_mended():
    for fault in ("--stall-at", "--short-at", "--long-at"):
        def check(kind, driver):
            # within the first large read
            r = drive(kind, driver, fault, "200" if kind == "jlink" else "60")
            # an answer that is a byte short may just as well be one that ends earlier
            n = "0" if driver == "cmsis-dap" and fault == "--short-at" else "1"
            assert r.returncode == 0 and facts(r)["recoveries"] == n, kind + fault + r.stdout + r.stderr
        each_kind(check)


@test
def what_breaks_again_after_each_new_beginning_is_given_up():
    def check(kind, driver):
        if kind != "cmsis-dap-v1":  # all of its answers are 64 bytes
            r = drive(kind, driver, "--stall-longer", "200")
            assert r.returncode != 0 and "does not answer" in r.stderr, kind + r.stdout + r.stderr
    each_kind(check)


@test
def reads_are_under_way_together_where_the_probe_holds_them():
    for n in ("1", "2", "4"):
        r = drive("cmsis-dap", "cmsis-dap", "--verbose", "--held", n)
        assert r.returncode == 0 and f" {n} held at once" in r.stderr, (n, r.stdout + r.stderr)


@test
def an_answer_that_is_lost_is_asked_for_again():
    def check(kind, driver):
        r = drive(kind, driver, "--lost-at", "200" if kind == "jlink" else "60")
        assert r.returncode == 0 and facts(r)["recoveries"] == "1", kind + r.stdout + r.stderr
    each_kind(check)


@test
def an_answer_that_is_late_is_waited_for():
    def check(kind, driver):
        r = drive(kind, driver, "--late-at", "200" if kind == "jlink" else "60", "--late-ms", "1400")
        assert r.returncode == 0, kind + r.stdout + r.stderr
        if driver == "cmsis-dap":  # answers come in order, so that it is known for one
            assert facts(r)["recoveries"] == "0", kind + r.stdout
    each_kind(check)
    # later than a probe that lives can be: asked anew
    r = drive("cmsis-dap", "cmsis-dap", "--late-at", "60", "--late-ms", "2600")
    assert r.returncode == 0 and facts(r)["recoveries"] == "1", r.stdout + r.stderr


@test
def cores_behind_other_access_ports_are_found():
    def check(kind, driver):
        r = drive(kind, driver, "--core-port", "1")
        assert r.returncode == 0 and facts(r)["port"] == "1", kind + r.stdout + r.stderr
    each_kind(check)
    assert "access port 3" in refusal("--core-port", "1", arguments=("--stlink-apid", "3"))
    # that firmware knows only the first
    assert "update" in refusal("--probe", "v2", "--firmware", "27", arguments=("--stlink-apid", "1"))


@test
def old_serial_numbers_have_three_spellings():
    r = emulated(CLI, "probes", options=("--probe", "v2", "--raw-serial"))
    probe, = json.loads(r.stdout)["probes"]
    assert probe["serial"] == "54FF6B068280505512340967", probe
    raw = bytes.fromhex(probe["serial"]).decode("latin-1")
    for wish in (probe["serial"], probe["serial"].lower(), "".join(f"\\x{ord(c):02x}" for c in raw), raw):
        r = drive("v2", "stlink", "--raw-serial", "--second", "v3", serial=(wish,))
        assert r.returncode == 0 and facts(r)["version"] == "V2J37M7", wish + r.stdout + r.stderr
    # none at all: by where it is plugged in
    r = drive("v2", "stlink", "--serial", "", "--second", "v3", serial=("1-1",))
    # the emulated bus has no ports to tell, so that such a probe is the one on bus 1
    assert r.returncode == 0 or "1-1" in r.stdout, r.stdout + r.stderr


@test
def what_a_person_can_do_is_told():
    told = {
        ("--firmware", "2"): "update the probe firmware",
        ("--probe", "v2", "--firmware", "25"): "update the probe firmware",
        ("--off",): "no power",
        ("--enter-status", "5"): "finds no target",
        ("--enter-status", "11"): "read-protected",
        ("--mode", "4"): "boot loader",
        ("--busy",): "in use by another program",
        ("--second", "v2"): "More than one",
        ("--unplug-at", "3"): "unplugged",
        ("--silent-at", "5"): "plug it in again",
    }
    for options, words in told.items():
        message = refusal(*options)
        assert words in message, (options, message)
    assert "read-protected" not in refusal("--off")
    assert "read-protected" in facts(drive("v3", "stlink", "--protected"))["flash"]
    assert facts(drive("v3", "stlink"))["flash"] == "ffffffff"
    # a former owner left it in another mode
    for mode in ("0", "2", "3"):
        assert drive("v2-1", "stlink", "--mode", mode).returncode == 0


def whole(path):
    """Events of a recording, those about itself left out; and whether it was finished."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    return counts(path)


@test
def what_arrived_before_the_end_is_kept():
    raw = DATA / "m4_short.raw"
    for options, words in {("--unplug-at", "300"): "unplugged", ("--power-loss-at", "150"): "no power",
                           ("--silent-at", "300"): "plug it in again"}.items():
        out = TMP / f"end{options[0]}.vadb"
        r = emulated(CLI, "capture", "--transport", "stlink-rambuf", "--output", out, "--duration", "20", "--no-register",
                     options=("--probe", "v3", "--packets", raw, "--ring", "600", *options))
        assert words in r.stdout, (options, r.stdout, r.stderr)
        n = whole(out)
        assert 100 < n < expected_events(), (options, n)


@test
def every_event_over_the_other_kinds_of_probe():
    def check(kind, driver):
        if driver == "stlink":
            return
        # where the target's block is, tests of looking through RAM find out
        for options, transport, place in ((("--ring", "3000"), "rambuf", ("--rambuf-scan-size", "16384")),
                                          (("--rtt", "--ring", "3000"), "rtt", ("--rtt-address", "0x200004CC"))):
            out, stop = TMP / f"{kind}-{transport}.vadb", TMP / f"{kind}-{transport}.stop"
            r = emulated(CLI, "capture", "--transport", f"{driver}-{transport}", *place, "--output", out, "--duration", "60",
                         "--stop-file", stop, "--no-register",
                         options=("--probe", kind, "--packets", DATA / "m4_short.raw", "--stop-file", stop, *options))
            assert r.returncode == 0, kind + r.stdout + r.stderr
            assert counts(out) == expected_events(), (kind, transport, r.stdout)
    each_kind(check)
    for kind, driver in kinds():
        r = emulated(CLI, "doctor", options=("--probe", kind))
        check, = [c for c in json.loads(r.stdout)["checks"] if c["id"] == "probes_" + driver.replace("-", "_")]
        assert check["status"] == "ok", check


@test
def a_target_that_resets_itself_is_followed():
    out = TMP / "reset.vadb"
    r = run(SOURCE / "tests" / "emulator" / "ring-capture", DATA / "m4_short.raw", out, "--ring", "2000", "--reset-at", "200")
    assert r.returncode == 0, r.stdout + r.stderr
    assert counts(out) > expected_events() and "2 resets" in r.stderr, r.stderr


@test
def a_ring_written_at_a_rate_loses_nothing():
    out = TMP / "rate.vadb"
    r = run(SOURCE / "tests" / "emulator" / "ring-capture", DATA / "m4_short.raw", out, "--drop", "--rate", "40000", "--ring", "60000",
            "--probe", "v2-1")
    assert r.returncode == 0, r.stdout + r.stderr
    assert counts(out) == expected_events() and " 0 packets dropped" in r.stderr, r.stdout + r.stderr


@test
def a_probe_that_answers_noise_is_refused():
    def check(kind, driver):
        for seed in range(1, 4):
            r = run(EMULATOR, "--probe", kind, "--noise", seed, "--", DRIVE, driver, random_image())
            assert r.returncode == 1 and r.stdout.startswith("error: "), (kind, seed, r.stdout, r.stderr)
    each_kind(check)
    for seed in range(6, 12):
        assert refusal("--noise", str(seed))


QUIET = "gdb_port disabled; tcl_port disabled; telnet_port disabled"


def openocd(kind, interface, transport, commands, *options):
    return run(EMULATOR, "--probe", kind, "--verbose", *options, "--", "openocd", "-c", QUIET, "-f", f"interface/{interface}.cfg",
               "-c", f"transport select {transport}", "-f", "target/stm32f4x.cfg", "-c", f"init; {commands}; shutdown")


@test
def openocd_drives_every_kind():
    if shutil.which("openocd") is None:
        raise Skip("openocd is not installed")
    image, out = random_image(), TMP / "dump.bin"
    for kind, interface, transport in (("v2", "stlink", "hla_swd"), ("v2-1", "stlink", "hla_swd"), ("v3", "stlink", "hla_swd"),
                                       ("v3", "stlink-dap", "dapdirect_swd"), ("jlink", "jlink", "swd"),
                                       ("cmsis-dap", "cmsis-dap", "swd")):
        out.unlink(missing_ok=True)
        r = openocd(kind, interface, transport,
                    f"halt; wait_halt 2000; echo [reg pc]; dump_image {out} 0x20000000 0x20000; mww 0x20000100 0x12345678; "
                    "mwb 0x20000103 0x55; mwh 0x20000100 0xABCD; echo [mdw 0x20000100]; resume", "--image", image)
        assert out.exists() and out.read_bytes() == image.read_bytes(), kind + r.stdout + r.stderr
        assert "0x08000100" in r.stderr and "5534abcd" in r.stderr, kind + r.stderr
        assert "core runs" in r.stderr and "0 resets" in r.stderr, kind + r.stderr


def may_differ(said, want, got):
    """Whether an answer says of the target what may be otherwise: other RAM, supply, registers, product number."""
    registers = {"f0ed00e0": 0x03000000}  # DHCSR: whether instructions retired, or a reset came, since the last look
    command, address = said[:4], said[4:12]
    if command[:2] in ("f7", "f1", "fb") or command in ("f233", "f252"):
        return True
    if command in ("f207", "f247", "f20c") and address[4:] == "0020":
        return True
    if command in ("f236", "f207") and address in registers:
        a, b = (int.from_bytes(bytes.fromhex(x)[-4:], "little") for x in (want, got))
        return (a ^ b) & ~registers[address] == 0
    if command == "f236" and address == "207aff1f":
        return True  # size of the flash
    return False


@test
def golden_conversations_get_the_same_answers():
    folder = Path(os.environ.get("TASKSCOPE_SHARED", SOURCE.parent / "shared")) / "data" / "probe-transcripts"
    if not folder.is_dir():
        assert os.environ.get("CI") != "true", f"{folder} is missing"
        raise Skip(f"{folder} is not here")
    for name, kind, least in (("stlink_v2_openocd_hla", "v2", 400), ("stlink_v2-1_openocd_hla", "v2-1", 400),
                              ("stlink_v3_openocd_hla", "v3", 400), ("stlink_v3_openocd_dapdirect", "v3", 1000),
                              ("stlink_v2-1_st-info", "v2-1", 30), ("stlink_v2-1_openocd_swo", "v2-1", 400),
                              ("cmsis-dap_openocd_swd", "cmsis-dap", 170)):
        r = run(EMULATOR, "--probe", kind, "--image", random_image(), "--", sys.executable, "-I",
                SOURCE / "tests" / "emulator" / "replay-transcript.py", folder / f"{name}.jsonl")
        lines = [json.loads(line) for line in r.stdout.splitlines()]
        assert r.returncode == 0 and lines and lines[-1]["transfers"] >= least, name + r.stdout + r.stderr
        for line in lines[:-1]:
            said, is_long = line["said"], line.get("got_len") == line.get("want_len")
            if kind == "cmsis-dap":
                # DHCSR is in every answer from the first halt on; serial number and RAM are others
                assert line["code"] == 0 and is_long or said == "0003", (name, line)
                assert said in ("00f0", "0003") or line["n"] >= 103, (name, line)
            elif said.startswith("f242"):
                continue  # no bytes leave this pin
            else:
                assert line["code"] == 0 and is_long and may_differ(said, line["want"], line["got"]), (name, line)


def spoken(path):
    """What was said, in order: endpoint and bytes."""
    with open(path, encoding="utf-8") as f:
        return [(int(t["ep"], 16), bytes.fromhex(t["hex"])) for t in map(json.loads, f)]


def jlink_commands(path):
    """Commands to a J-Link, each with the bytes of its answers. Lengths: probes.md section 5, and what its library sends."""
    commands, rest = [], b""
    for endpoint, data in spoken(path):
        if endpoint & 0x80:
            assert commands and not rest, "an answer in the middle of a command"
            commands[-1][1] += data
            continue
        rest += data
        while rest:
            code = rest[0]
            n = {0x05: 3, 0x09: 14, 0xC7: 2}.get(code, 1)
            if code == 0xCF:
                n = 4 + 2 * (int.from_bytes(rest[2:4], "little") + 7 >> 3) if len(rest) >= 4 else 4
            elif code == 0xEB:
                n = {0x64: 21, 0x65: 3}.get(rest[1], 9) if len(rest) >= 2 else 2
            if len(rest) < n:
                break
            commands.append([rest[:n], b""])
            rest = rest[n:]
    assert not rest, rest.hex()
    return commands


def swd_requests(command, answer):
    """What the bits of one CF command mean: (is port, is read, register, value, acknowledge); None: a line reset."""
    n = int.from_bytes(command[2:4], "little")
    size = n + 7 >> 3
    assert command[:2] == b"\xcf\0" and len(command) == 4 + 2 * size and len(answer) == size + 1 and answer[-1] == 0

    def bits(data):
        value = int.from_bytes(data, "little")
        return [value >> i & 1 for i in range(n)]

    driven, out, heard = bits(command[4:4 + size]), bits(command[4 + size:]), bits(answer[:size])
    if size == len(LINE_RESET) and bytes(command[4 + size:]) == LINE_RESET:
        assert all(driven)
        return None

    def number(of, at, length):
        return sum(of[at + i] << i for i in range(length))

    found, at, idle = [], 0, 0
    while at < n:
        assert driven[at], (at, command.hex())
        if not out[at]:
            at, idle = at + 1, idle + 1
            continue
        # an access port gets two clocks of rest at least
        assert not found or not found[-1][0] or idle >= 2, command.hex()
        start, port, read, a2, a3, parity, stop, park = out[at:at + 8]
        assert all(driven[at:at + 8]) and parity == port ^ read ^ a2 ^ a3 and (stop, park) == (0, 1), command.hex()
        at += 8
        ack = number(heard, at, 3)
        if read:  # 38 clocks: acknowledge at 0, data at 3, their parity at 35
            assert not any(driven[at:at + 38])
            value = number(heard, at + 3, 32)
            assert ack != 1 or heard[at + 35] == bin(value).count("1") % 2
            at += 38
        else:  # 5 clocks of the other side, then data and their parity
            assert not any(driven[at:at + 5]) and all(driven[at + 5:at + 38])
            value = number(out, at + 5, 32)
            assert out[at + 37] == bin(value).count("1") % 2, command.hex()
            at += 38
        found.append((port, read, a2 << 2 | a3 << 3, value, ack))
        idle = 0
    assert found and idle >= 8 and at == n, command.hex()
    return found


# 56 ones, 0xE79E, 56 ones, 8 zeros
LINE_RESET = b"\xff" * 7 + b"\x9e\xe7" + b"\xff" * 7 + b"\0"


@test
def speeds_are_those_of_the_table():
    # Source: probes.md section 1.6: the largest not above the wish; the smallest where all are above
    divisors = {4000: 0, 1800: 1, 1200: 2, 950: 3, 650: 5, 480: 7, 400: 9, 360: 10, 240: 15, 150: 25, 125: 31, 100: 40, 50: 79,
                25: 158, 15: 265, 5: 798}
    wishes = {khz: d for khz, d in divisors.items()} | {24000: 0, 3999: 1, 1801: 1, 1799: 2, 949: 5, 7: 798, 4: 798, 1: 798}
    log = TMP / "speed.jsonl"

    def said(kind, khz, *commands):
        r = emulated(CLI, "reset", "--transport", "stlink-rambuf", "--speed-khz", khz, options=("--probe", kind, "--log", log))
        assert r.returncode == 0, r.stdout + r.stderr
        return [data for endpoint, data in spoken(log) if endpoint < 0x80 and data[:2] in commands]

    for khz, divisor in wishes.items():
        told = said("v2", khz, b"\xf2\x43")
        # before it enters debug mode and after
        assert len(told) == 2 and {t[2:4] for t in told} == {struct.pack("<H", divisor)}, (khz, told)
        assert all(len(t) == 16 and not any(t[4:]) for t in told), told
    for khz, best in ((24000, 24000), (25000, 24000), (23999, 8000), (4000, 3300), (1000, 1000), (999, 200), (49, 5), (1, 5)):
        told = said("v3", khz, b"\xf2\x61", b"\xf2\x62")
        assert [t[1] for t in told] == [0x62, 0x61, 0x62, 0x61], told
        assert {t[2:8] for t in told if t[1] == 0x61} == {struct.pack("<BBI", 0, 0, best)}, (khz, told)


@test
def what_is_said_to_a_jlink_is_what_is_documented():
    if not HAS_JLINK:
        raise Skip("built without libjaylink")
    log = TMP / "jlink.jsonl"
    image = random_image()
    r = drive("jlink", "jlink", "--log", log)
    assert r.returncode == 0, r.stdout + r.stderr
    commands = jlink_commands(log)
    # version, abilities, more of them, who we are, SWD, speeds, 4000 kHz; the line is woken up. Lengths of the answers
    opening = [("01", 114), ("e8", 4), ("ed", 32), ("0964", 76), ("c701", 4), ("c0", 6), ("05a00f", 0),
               ("cf008800" + "ff" * 17 + LINE_RESET.hex(), 18)]
    for (said, answer), (want, n) in zip(commands, opening):
        assert said.hex().startswith(want) and len(answer) == n, (said.hex(), want, len(answer))
    # at the end: we are not there any more
    assert commands[-1][0][:2] == b"\x09\x65" and len(commands[-1][0]) == 14, commands[-1]
    # nothing but what the documentation knows; a buffer of 4 KiB is enough
    assert {c[0][0] for c in commands} <= {0x01, 0xE8, 0xED, 0xF0, 0xD4, 0x07, 0xC0, 0xC7, 0x05, 0x09, 0xCF, 0xDC, 0xDD}
    assert max(len(c[0]) for c in commands) <= 4096
    wire = [swd_requests(*c) for c in commands if c[0][0] == 0xCF]
    assert wire[0] is None and None not in wire[1:]
    accesses = [a for batch in wire[1:] for a in batch]
    DP, AP, READ, WRITE = 0, 1, 1, 0
    # identification first, then: errors away, bank 0, power on with overrun detection, until both parts are on
    assert accesses[0][:3] == (DP, READ, 0) and accesses[0][3] & 0xFFF == 0x477, accesses[0]
    assert [a[:4] for a in accesses[1:4]] == [(DP, WRITE, 0, 0x1E), (DP, WRITE, 8, 0), (DP, WRITE, 4, 0x50000001)]
    assert accesses[4][:3] == (DP, READ, 4) and accesses[4][3] >> 28 == 0xF
    # what is the port: its identification, at FC, in bank F0
    assert accesses[5][:4] == (DP, WRITE, 8, 0xF0) and accesses[6][:3] == (AP, READ, 0xC)
    assert accesses[7][:3] == (DP, READ, 0xC), "what a port read brings comes with the next"
    # widths of accesses in CSW; addresses that count no further than 4 KiB of a Cortex-M4
    assert {a[3] for a in accesses if a[:3] == (AP, WRITE, 0)} == {0x23000050, 0x23000051, 0x23000052}
    assert {a[2] for a in accesses if a[0] == AP} == {0, 4, 0xC}
    assert {a[3] for a in accesses if a[:3] == (DP, WRITE, 8)} == {0, 0xF0}
    assert {a[3] for a in accesses if a[:3] == (DP, WRITE, 0)} == {0x1E}
    # the memory that all these bits bring is the target's: the first batch reads it from its beginning
    first = next(b for b in wire[1:] if (AP, WRITE, 4, 0x20000000) in [a[:4] for a in b] and len(b) > 100)
    words = [a[3] for a in first if a[1] == READ][1:]  # the first brings what was read before
    assert struct.pack(f"<{len(words)}I", *words) == image.read_bytes()[:4 * len(words)] and len(words) > 100
    # every address register is written anew where it counts no further: after 4 KiB at most
    address, width, bank = None, 4, 0
    for port, read, register, value, ack in accesses:
        if (port, read, register) == (DP, WRITE, 8):
            bank = value
        elif (port, read, register) == (AP, WRITE, 0):
            width = 1 << (value & 3)
        elif (port, read, register) == (AP, WRITE, 4):
            address, page = value, value >> 12
        elif (port, register, bank) == (AP, 0xC, 0):
            assert address >> 12 == page, hex(address)
            address += width
    # the faulting reads of the test are acknowledged with FAULT, and the errors are cleared then
    assert 4 in {a[4] for a in accesses}


@test
def a_golden_conversation_with_a_jlink_gets_the_same_answers():
    path = Path(os.environ.get("TASKSCOPE_SHARED", SOURCE.parent / "shared")) / "data" / "probe-transcripts" / "jlink_openocd_swd.jsonl"
    if not path.exists():
        assert os.environ.get("CI") != "true", f"{path} is missing"
        raise Skip(f"{path} is not here")
    # long transfers are not published whole, and the wire forgives no missing bit: up to the first of them
    lines = path.read_text().splitlines()
    whole = next(i for i, t in enumerate(map(json.loads, lines)) if t["ep"] == "0x02" and t["len"] > 64)
    part = TMP / "part.jsonl"
    part.write_text("\n".join(lines[:whole]) + "\n")
    r = run(EMULATOR, "--probe", "jlink", "--image", random_image(), "--", sys.executable, "-I",
            SOURCE / "tests" / "emulator" / "replay-transcript.py", part)
    *differing, end = [json.loads(line) for line in r.stdout.splitlines()]
    assert r.returncode == 0 and end["transfers"] == whole > 30, r.stdout + r.stderr
    for line in differing:
        # other abilities; the interface that was selected before; the core had been reset, or its RAM is another
        assert line["code"] == 0 and line["got_len"] == line["want_len"], line
        assert line["said"] in ("e8", "ed", "c701") or line["said"].startswith("cf"), line
    assert sum(line["said"].startswith("cf") for line in differing) <= 4, differing


@test
def st_info_and_st_util_know_it():
    if shutil.which("st-info") is None or shutil.which("st-util") is None:
        raise Skip("stlink-tools is not installed")
    for kind in ("v2", "v2-1", "v3"):
        r = run(EMULATOR, "--probe", kind, "--", "st-info", "--probe")
        # stlink 1.7 says 0x0413 and F4xx, 1.8 says 0x413 and STM32F4x5_F4x7
        for words in ("066AFF3032FAKE0PROBE0001", r"0x0?413\b", r"\b1048576\b", r"\b(STM32)?F4x[x5]"):
            assert re.search(words, r.stdout), kind + r.stdout + r.stderr
    image = random_image()
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen([EMULATOR, "--probe", "v2-1", "--image", image, "--", "st-util", "-p", str(port), "-n"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENV)
    try:
        assert gdb_read(port, 0x20000000, 64) == image.read_bytes()[:64].hex()
    finally:
        p.terminate()  # and the program with it
        p.wait(30)


@test
def pyocd_knows_it():
    tool = shutil.which("pyocd-tool")
    if tool is None:
        raise Skip("python3-pyocd is not installed")
    words = struct.unpack("<4I", random_image().read_bytes()[:16])
    for kind in ("v2", "v2-1", "cmsis-dap-v1"):  # version 0.13 knows neither V3 nor CMSIS-DAP 2
        r = run(EMULATOR, "--probe", kind, "--image", random_image(), "--", tool, "-t", "cortex_m", "-d", "warning",
                "read32", "0x20000000", "16")
        assert r.returncode == 0 and " ".join(f"{w:08x}" for w in words) in r.stdout, kind + r.stdout + r.stderr


def gdb_read(port, address, n):
    """Memory, as a debugger asks for it."""
    deadline = time.monotonic() + 30
    while True:
        try:
            s = socket.create_connection(("127.0.0.1", port), 10)
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    with s:
        text = f"m{address:x},{n:x}"
        s.sendall(f"+${text}#{sum(text.encode()) & 255:02x}".encode())
        answer = b""
        while answer.count(b"#") < 1 or len(answer.split(b"#", 1)[1]) < 2:
            piece = s.recv(4096)
            assert piece
            answer += piece
        return answer.split(b"$", 1)[1].split(b"#")[0].decode()


@test
def plugging_and_unplugging_are_noticed():
    control = TMP / "control"
    os.mkfifo(control)
    p = subprocess.Popen([EMULATOR, "--probe", "v2-1", "--second", "v3", "--control", control, "--",
                          BUILD / "tests" / "emulator" / "watch-probes", "1", "2", "1"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=ENV)
    first, second = "066AFF3032FAKE0PROBE0001", "066AFF3032FAKE0PROBE0002"
    assert p.stdout.readline() == f"[{first}]\n"
    control.write_text("plug\n")
    assert sorted(p.stdout.readline().strip("[]\n").split()) == [first, second]
    control.write_text("unplug\n")
    assert p.stdout.readline() == f"[{second}]\n"
    assert p.wait(60) == 0


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
    except (AssertionError, KeyError, ValueError, IndexError, OSError, StopIteration, subprocess.TimeoutExpired):
        failed = True
        print(f"not ok {number} {name}", flush=True)
        for line in traceback.format_exc().splitlines():
            print(f"# {line}")
shutil.rmtree(TMP, ignore_errors=True)
sys.exit(failed)
