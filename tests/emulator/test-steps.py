#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection tested step by step on the emulated probe, as TAP: test-steps.py BUILD SOURCE."""
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
EMULATOR = BUILD / "tests" / "emulator" / "emulated-probe"
TRY = BUILD / "tests" / "emulator" / "try-connection"
DATA = SOURCE / "tests" / "data"
TMP = Path(tempfile.mkdtemp(prefix="ts-steps-"))
LIVE, POST_MORTEM = b"ViewAlyzerRB01\0\0", b"ViewAlyzerPM01\0\0"
RTT = b"SEGGER RTT" + bytes(6)
tests = []


def test(f):
    tests.append(f)
    return f


def steps(*options, listen_ms=3000, **keys):
    """The last word on each step: [(result, text), ...]."""
    connection = {"transport": "stlink-rambuf", **{k.replace("_", "-"): v for k, v in keys.items()}}
    r = subprocess.run([EMULATOR, *options, "--", TRY, json.dumps(connection), str(listen_ms)], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=60)
    told = {}
    for line in r.stdout.splitlines():
        number, result, text = line.split(" ", 2)
        assert number.isdigit(), r.stdout + r.stderr
        told[int(number)] = (result, text)
    assert sorted(told) == list(range(len(told))) and told, r.stdout + r.stderr
    return [told[i] for i in range(len(told))]


def results(told):
    return [result for result, text in told]


def image(name, *blocks):
    memory = bytearray(131072)
    for address, block in blocks:
        memory[address - 0x20000000:address - 0x20000000 + len(block)] = block
    path = TMP / name
    path.write_bytes(memory)
    return path


def ring(size=1024):
    return LIVE + struct.pack("<IIIIIIIBBH", 0x20001001, size, 0, 0, 0, 0, 25000000, 1, 4, 0x102)


@test
def a_good_connection_has_a_tick_at_each_step():
    told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw")
    assert results(told) == ["passed"] * 6, told
    for (result, text), word in zip(told, ("V2J", "power", "Cortex-M4 (STM32F405/F407/F415/F417), running", "Ring at 0x2", "ST-LINK", "understood")):
        assert word in text, told


@test
def a_target_without_power_or_voltage_is_told():
    told = steps("--probe", "v3", "--off")
    assert results(told)[0] == "failed" or "failed" in results(told), told
    told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", "--millivolts", "300")
    assert told[1][0] == "doubtful" and "0.29 V" in told[1][1] and "VTref" in told[1][1], told


@test
def a_halted_core_is_told_and_nothing_is_waited_for():
    told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", "--halted")
    assert results(told) == ["passed", "passed", "failed"], told
    assert "halted" in told[2][1] and "breakpoint" in told[2][1], told


@test
def a_ring_that_is_not_there_is_explained():
    told = steps("--image", image("empty", ))
    assert results(told) == ["passed", "passed", "passed", "failed"], told
    assert "0x20000000" in told[3][1] and "rambuf-scan-start" in told[3][1], told
    told = steps("--image", image("empty", ), rambuf_address="0x20000400")
    assert "0x20000400 is not initialised" in told[3][1], told


@test
def the_wrong_elf_file_is_told():
    told = steps("--image", image("moved", (0x20000800, ring())), rambuf_address="0x20000400")
    assert told[3][0] == "failed" and "0x20000400" in told[3][1] and "0x20000800" in told[3][1], told
    assert "ELF" in told[3][1], told


@test
def firmware_for_another_transport_is_told():
    told = steps("--image", image("rtt", (0x20000C00, RTT + struct.pack("<II", 1, 0))))
    assert told[3][0] == "failed" and "RTT" in told[3][1] and "0x20000c00" in told[3][1], told
    told = steps("--image", image("pm", (0x20000C00, POST_MORTEM)))
    assert told[3][0] == "failed" and "post-mortem" in told[3][1] and "snapshot" in told[3][1], told


@test
def a_ring_into_which_nobody_writes_is_told():
    told = steps("--image", image("idle", (0x20000400, ring())), listen_ms=1000)
    assert results(told)[:4] == ["passed"] * 4 and told[-1][0] == "failed", told
    assert "ring stays empty" in told[-1][1], told


@test
def a_core_that_sleeps_is_told():
    told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", "--asleep", listen_ms=2500)
    assert results(told)[:4] == ["passed"] * 4 and "asleep" in told[2][1], told
    assert told[-1][0] == "failed" and "The core sleeps" in told[-1][1] and "DBGMCU" in told[-1][1], told


@test
def each_reason_is_told_over_each_kind_of_probe():
    packets = ("--packets", DATA / "m4_short.raw")
    kinds = [("v2", "stlink"), ("v3", "stlink"), ("cmsis-dap", "cmsis-dap"), ("cmsis-dap-v1", "cmsis-dap")]
    if "TS_HAVE_JAYLINK" in (BUILD / "config.h").read_text():
        kinds.append(("jlink", "jlink"))
    reasons = [(packets + ("--asleep",), {}, -1, ("The core sleeps",)),
               (("--image", image("r1", (0x20000800, ring()))), {"rambuf_address": "0x20000400"}, 3, ("ELF", "0x20000800")),
               (("--image", image("r2")), {"rambuf_address": "0x20000400"}, 3, ("not initialised", "0x20000400")),
               (packets + ("--halted",), {}, 2, ("halted", "breakpoint")),
               (("--image", image("r3", (0x20000C00, RTT + struct.pack("<II", 1, 0)))), {}, 3, ("another transport",))]
    for kind, prefix in kinds:
        for options, keys, number, words in reasons:
            told = steps("--probe", kind, *options, listen_ms=1500, transport=f"{prefix}-rambuf", rambuf_scan_size=8192, **keys)
            assert told[number][0] == "failed" and all(word in told[number][1] for word in words), (kind, words, told)


@test
def a_core_that_is_not_that_of_the_chip_is_told():
    told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", target_device="STM32H563ZI")
    assert results(told) == ["passed", "passed", "doubtful", "passed", "passed", "passed"], told
    assert "STM32H563ZI" in told[2][1] and "v8m" in told[2][1] and "v7m" in told[2][1], told
    for name, words in (("STM32F446RE", ("STM32F405/F407", "0x413")), ("STM32F103C8", ("Cortex-M3", "Cortex-M4")),
                        ("STM32F407VE", ("512 KiB", "1024 KiB"))):
        told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", target_device=name)
        assert results(told) == ["passed", "passed", "doubtful", "passed", "passed", "passed"], (name, told)
        assert name in told[2][1] and all(word in told[2][1] for word in words), (name, told)
    # names that fit, or that nobody knows, or of families that are not all alike
    for name in ("STM32F407VG", "stm32f4", "MyChip", "STM32WB"):
        told = steps("--probe", "v2-1", "--packets", DATA / "m4_short.raw", target_device=name)
        assert results(told) == ["passed"] * 6, (name, told)


@test
def a_ring_where_rtt_was_chosen_is_told():
    told = steps("--image", image("ring", (0x20000C00, ring())), transport="stlink-rtt")
    assert told[3][0] == "failed" and "another transport" in told[3][1] and "0x20000c00" in told[3][1], told


@test
def a_missing_probe_is_told():
    told = steps("--probe", "v3", stlink_serial="NONE")
    assert results(told) == ["failed"] and "NONE" in told[0][1], told


@test
def a_probe_that_may_not_be_used_is_told_with_the_rule():
    for kind, prefix in (("v2-1", "stlink"), ("cmsis-dap", "cmsis-dap")):
        told = steps("--probe", kind, "--forbidden", transport=f"{prefix}-rambuf")
        assert results(told) == ["failed"] and "No permission" in told[0][1] and "70-taskscope.rules" in told[0][1], told
    told = steps("--probe", "v3", "--busy")
    assert results(told) == ["failed"] and "in use by another program" in told[0][1], told


@test
def other_transports_have_their_steps_too():
    def alone(connection, listen_ms=500):
        r = subprocess.run([TRY, json.dumps(connection), str(listen_ms)], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=60)
        return r.returncode, [l for l in r.stdout.splitlines() if " busy " not in l]

    status, lines = alone({"transport": "file", "file-path": str(DATA / "m4_short.cobs")})
    assert status == 0 and len(lines) == 2 and lines[1].startswith("1 passed") and "va-cobs" in lines[1], lines
    status, lines = alone({"transport": "udp", "udp-ip": "127.0.0.1", "udp-port": 1})
    assert status == 0 and lines[-1].split()[1] in ("failed", "passed"), lines
    status, lines = alone({"transport": "serial", "serial-port": "/dev/there-is-none"})
    assert status == 0 and len(lines) == 1 and lines[0].startswith("0 failed") and "there-is-none" in lines[0], lines
    status, lines = alone({"transport": "demo"}, 3000)
    assert status == 0 and lines[-1].startswith("1 passed"), lines
    status, lines = alone({"transport": "serial"})
    assert status == 1 and lines[0].startswith("error ") and "serial-port" in lines[0], lines


print(f"1..{len(tests)}")
failed = 0
for number, function in enumerate(tests, 1):
    name = "/emulator/steps/" + function.__name__.replace("_", "-")
    try:
        function()
        print(f"ok {number} {name}", flush=True)
    except Exception:
        failed += 1
        print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="")
        print(f"not ok {number} {name}", flush=True)
shutil.rmtree(TMP, ignore_errors=True)
sys.exit(failed > 0)
