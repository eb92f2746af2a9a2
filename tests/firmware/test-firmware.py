#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware of our own on an emulated board, from source to events, as TAP: test-firmware.py BUILD SOURCE.

The compiler is arm-none-eabi-gcc, the board QEMU's MPS2 (AN386). The firmware counts by itself what it writes and tells
that on a second serial port; those are the figures a recording is compared with.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
CLI = BUILD / "app" / "taskscope-cli"
EMULATOR = BUILD / "tests" / "emulator" / "emulated-probe"
HERE = SOURCE / "tests" / "firmware"
TMP = Path(tempfile.mkdtemp(prefix="ts-firmware-"))
ENV = dict(os.environ, XDG_DATA_HOME=str(TMP), LC_ALL="C.UTF-8")
RAM = 0x21000000
RAM_SIZE = 16 * 1024 * 1024
# Source: viewalyzer-wire.md section 5.1; events.md section 2
KINDS = {0x01: "task_switch", 0x02: "isr", 0x04: "user_trace", 0x0D: "string", 0x16: "seq_checkpoint"}
tests = []


class Skip(Exception):
    pass


def test(f):
    tests.append(f)
    return f


def run(*args, timeout=90):
    return subprocess.run([str(a) for a in args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                          env=ENV)


def build(name, *flags):
    for tool in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(tool) is None:
            raise Skip(f"{tool} is not installed")
    elf = TMP / name
    r = run("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft", "-Os", "-g", "-ffreestanding", "-nostdlib",
            "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-T", HERE / "firmware.ld", *flags, HERE / "firmware.c", "-o", elf)
    assert r.returncode == 0, r.stderr
    return elf


def board(elf, uart, facts, *options):
    return [str(a) for a in ("qemu-system-arm", "-display", "none", "-monitor", "none", "-semihosting-config",
                             "enable=on,target=native", "-serial", uart, "-serial", f"file:{facts}", "-kernel", elf, *options)]


def read_facts(path):
    """What the firmware says it wrote: by name, and how often each code."""
    facts, codes, code = {}, {}, None
    for line in path.read_text().splitlines():
        key, value = line.split()
        if key == "code":
            code = int(value)
        elif key == "times":
            codes[code] = int(value)
        else:
            facts[key] = int(value)
    return facts, codes


def check(path, codes):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    kinds = dict(db.execute("SELECT kind, COUNT(*) FROM va_events WHERE (COALESCE(flags, 0) & 4) = 0 GROUP BY kind"))
    own = ("session_start", "capture_end", "mark")
    assert {k: n for k, n in kinds.items() if k not in own} == {kind: codes[code] for code, kind in KINDS.items()}, (kinds, codes)


@test
def what_leaves_through_the_serial_port():
    elf, trace, facts = build("uart.elf"), TMP / "trace.bin", TMP / "facts.txt"
    r = run(*board(elf, f"file:{trace}", facts, "-M", "mps2-an386", "-icount", "shift=5,sleep=off"))
    assert r.returncode == 0, r.stderr
    told, codes = read_facts(facts)
    assert told["packets"] == sum(codes.values()) and told["interrupts"] == codes[2] // 2 > 0, told
    out = TMP / "uart.vadb"
    r = run(CLI, "decode", trace, "--output", out)
    assert r.returncode == 0, r.stdout + r.stderr
    check(out, codes)
    # the same run, byte for byte
    again = TMP / "again.bin"
    run(*board(elf, f"file:{again}", TMP / "facts2.txt", "-M", "mps2-an386", "-icount", "shift=5,sleep=off"))
    assert again.read_bytes() == trace.read_bytes()


@test
def what_a_probe_reads_out_of_the_ring_while_it_runs():
    if not EMULATOR.exists():
        raise Skip("built without the emulated probe")
    elf, facts, ram, stop, out = build("ring.elf", "-DRING_BLOCKS"), TMP / "ring.txt", TMP / "ram.bin", TMP / "stop", TMP / "ring.vadb"
    with open(ram, "wb") as f:
        f.truncate(RAM_SIZE)
    p = subprocess.Popen(board(elf, "null", facts, "-M", "mps2-an386,memory-backend=m0", "-object",
                               f"memory-backend-file,id=m0,size=16M,mem-path={ram},share=on"),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENV)
    capture = subprocess.Popen([str(a) for a in (
        EMULATOR, "--probe", "v3", "--ram-file", ram, "--ram-base", str(RAM), "--", CLI, "capture", "--transport", "stlink-rambuf",
        "--rambuf-scan-start", hex(RAM), "--rambuf-scan-size", "131072", "--no-reset", "--output", out, "--duration", "60",
        "--stop-file", stop, "--no-register")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=ENV)
    try:
        _, errors = p.communicate(timeout=60)  # it ends when its ring is empty
        assert p.returncode == 0, errors
        stop.touch()
        text, _ = capture.communicate(timeout=60)
    finally:
        for child in (p, capture):
            if child.poll() is None:
                child.kill()
    assert capture.returncode == 0, text
    summary = json.loads(text.splitlines()[-1])["summary"]
    assert summary["lost_events"] == 0 and summary["corrupt_bytes"] == 0, summary
    told, codes = read_facts(facts)
    assert told["dropped"] == 0, told
    check(out, codes)


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
