#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs over libusb on the emulated ST-LINK, as TAP: test-probe.py BUILD SOURCE."""
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
EMULATOR = BUILD / "tests" / "emulator" / "emulated-probe"
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


@test
def openocd_reads_the_same_memory():
    if shutil.which("openocd") is None:
        raise Skip("openocd is not installed")
    image, out = TMP / "image.bin", TMP / "dump.bin"
    image.write_bytes(os.urandom(131072))
    for kind in ("v2", "v2-1", "v3"):
        out.unlink(missing_ok=True)
        r = emulated("openocd", "-c", "gdb_port disabled; tcl_port disabled; telnet_port disabled",
                     "-f", "interface/stlink.cfg", "-c", "transport select hla_swd", "-f", "target/stm32f4x.cfg",
                     "-c", f"init; halt; dump_image {out} 0x20000000 0x20000; resume; shutdown",
                     options=("--probe", kind, "--image", image))
        assert out.exists() and out.read_bytes() == image.read_bytes(), kind + r.stdout + r.stderr


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


print(f"1..{len(tests)}")
failed = False
for number, f in enumerate(tests, 1):
    name = f.__name__.replace("_", " ")
    try:
        f()
        print(f"ok {number} {name}", flush=True)
    except Skip as why:
        print(f"ok {number} {name} # SKIP {why}", flush=True)
    except (AssertionError, KeyError, ValueError, OSError, subprocess.TimeoutExpired) as e:
        failed = True
        print(f"not ok {number} {name}", flush=True)
        for line in str(e).splitlines():
            print(f"# {line}")
shutil.rmtree(TMP, ignore_errors=True)
sys.exit(failed)
