#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces for other programs, from outside: CTF read by babeltrace2, trace runs as ctrace writes them. Prints TAP.

test-traces.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import csv
import importlib.util
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import xml.etree.ElementTree as xml_tree
from collections import Counter, defaultdict
from pathlib import Path

spec = importlib.util.spec_from_file_location("cli", Path(__file__).with_name("test-cli.py"))
cli = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cli)
cli.TESTS.clear()
TMP, test, Skip, answer, decoded, refusal, run = cli.TMP, cli.test, cli.Skip, cli.answer, cli.decoded, cli.refusal, cli.run


def babeltrace(folder, *args):
    """Lines of babeltrace2, which must have nothing to say about the trace."""
    tool = shutil.which("babeltrace2")
    if tool is None:
        assert os.environ.get("CI") != "true", "babeltrace2 is not installed"
        raise Skip("babeltrace2 is not installed")
    result = subprocess.run([tool, "--clock-cycles", *args, str(folder)], capture_output=True, timeout=120)
    assert result.returncode == 0 and not result.stderr, result.stderr[:300]
    return [line for line in re.split(r"^\[", result.stdout.decode(), flags=re.M) if line]


@test
def babeltrace2_reads_an_export_event_by_event():
    for name, fmt in (("m4_short.cobs", "va-cobs"), ("m4_noisy.cobs", "va-cobs"), ("m3_baremetal.cobs", "va-cobs")):
        path, trace, table = decoded(name, fmt), TMP / (name + ".ctf"), TMP / (name + ".csv")
        said = answer("export", "--recording", path, "--output", trace)["events"]
        answer("export", "--recording", path, "--to", "csv", "--output", table)
        rows = list(csv.DictReader(open(table, newline="")))
        lines = babeltrace(trace)
        assert len(lines) == len(rows) == said, (len(lines), len(rows), said)
        for line, row in zip(lines, rows):
            m = re.match(r"(\d+)\] \(\S+\) (?:\S+ )?(\w+): \{ cpu_id = 0 \}, \{ (.*) \}\s*$", line, re.S)
            assert m, line
            assert (int(m[1]), m[2]) == (int(row["t_cycles"]), row["kind"]), (line, row)
            assert f"flags = {row['flags']}" in m[3]
            if row["object"]:
                assert f'object = "{row["object"]}"' in m[3], (line, row)
            if row["start"]:
                assert f"side = ( \"{'start' if row['start'] == '1' else 'end'}\"" in m[3], (line, row)
            if row["value"] and "." not in row["value"]:
                assert f"value = {row['value']}" in m[3], (line, row)
            if row["detail"]:
                assert f"detail = {row['detail']}" in m[3], (line, row)


# ---------------------------------------------------------------- trace runs
SHARED = Path(os.environ.get("TASKSCOPE_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data" / "ctrace"
UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"


def trace_run(name, config, raw=None, edit=None, channel="SWO"):
    """A folder with one solution set: the configuration, changed by pairs of texts, and its capture."""
    if not SHARED.exists():
        assert os.environ.get("CI") != "true", f"{SHARED} is missing"
        raise Skip(f"{SHARED} is missing")
    folder = TMP / name
    folder.mkdir()
    stem = Path(config).name.replace(".ctrace-run.yml", "")
    text = (SHARED / config).read_text()
    for old, new in edit or ():
        assert old in text
        text = text.replace(old, new)
    (folder / Path(config).name).write_text(text)
    if raw:
        shutil.copy(SHARED / raw, folder / f"{stem}.{channel}.raw")
    return folder, stem


CLOCK = [("    timestamps:\n      itm-prescaler: 1\n  - pname: CM4",
          "    timestamps:\n      clock: 480000000\n      itm-prescaler: 1\n  - pname: CM4")]


def blinky(name):
    return trace_run(name, "newer-yml/Blinky+Arm.ctrace-run.yml", "Blinky+Arm/Blinky+Arm.SWO.raw", CLOCK)


def normal(text):
    return re.sub(UUID, "00000000-0000-0000-0000-000000000000", text)


def stream_of(path):
    """A stream file with its UUIDs zeroed: one in each packet of 64 KiB."""
    data = bytearray(path.read_bytes())
    assert len(data) % 65536 == 0
    for at in range(0, len(data), 65536):
        data[at + 4:at + 20] = bytes(16)
    return bytes(data)


@test
def a_bundle_is_the_published_one():
    folder, name = blinky("g2")
    result = run("ctrace", folder, "--all", "--generation", "2")
    assert result.returncode == 1, result.err      # the capture has a loss, which is an error
    golden = SHARED / "expected-newer"
    assert normal((folder / "Blinky+Arm.ctf" / "metadata").read_text()) == (golden / "Blinky+Arm.ctf" / "metadata").read_text()
    assert stream_of(folder / "Blinky+Arm.ctf" / "stream_0") == (golden / "Blinky+Arm.ctf" / "stream_0").read_bytes()
    assert (folder / "Blinky+Arm.SWO.traceanalysis.xml").read_bytes() == (golden / "Blinky+Arm.SWO.traceanalysis.xml").read_bytes()
    assert (folder / "Blinky+Arm.SWO.csv").read_bytes() == (golden / "Blinky+Arm.SWO.G2.csv").read_bytes()
    assert len(babeltrace(folder / "Blinky+Arm.ctf")) == 539


@test
def an_input_may_still_be_written():
    folder, name = blinky("live")
    raw = folder / f"{name}.SWO.raw"
    data = raw.read_bytes()
    raw.unlink()
    os.mkfifo(raw)
    csv_path = folder / f"{name}.SWO.csv"
    golden = (SHARED / "expected-newer" / "Blinky+Arm.SWO.G3.csv").read_bytes()
    p = cli.start("ctrace", folder, "--csv")
    with open(raw, "wb", buffering=0) as pipe:
        pipe.write(data[:8000])
        # its rows are there while the rest is still to come
        cli.wait_for(lambda: csv_path.exists() and csv_path.read_bytes().count(b"\n") > 300, what="the first rows")
        assert p.poll() is None and golden.startswith(csv_path.read_bytes())
        pipe.write(data[8000:])
    text, err = cli.finish(p)
    assert csv_path.read_bytes() == golden, err


@test
def the_newest_generation_is_the_default():
    folder, name = blinky("g3")
    run("ctrace", folder, "-a")
    golden = SHARED / "expected-newer"
    assert (folder / "Blinky+Arm.SWO.csv").read_bytes() == (golden / "Blinky+Arm.SWO.G3.csv").read_bytes()
    assert stream_of(folder / "Blinky+Arm.SWO.ctf" / "stream_0") == (golden / "Blinky+Arm.ctf" / "stream_0").read_bytes()
    metadata = (folder / "Blinky+Arm.SWO.ctf" / "metadata").read_text()
    clock = re.search(rf"name = swo_clock;\n    uuid = \"({UUID})\"", metadata)
    assert clock, metadata
    xml = (folder / "Blinky+Arm.traceanalysis.xml").read_text()
    assert clock[1] in xml
    version = re.search(r'version="(\d+)"', xml)
    hash32 = 2166136261
    for byte in xml.replace(f'version="{version[1]}"', 'version="__SWO_ANALYSIS_VERSION__"').encode():
        hash32 = (hash32 ^ byte) * 16777619 & 0xFFFFFFFF
    assert int(version[1]) == (hash32 & 0x7FFFFFFF or 1)
    xml = xml.replace(f'version="{version[1]}"', 'version="0"').replace(clock[1], "00000000-0000-4000-8000-000000000001")
    xml = re.sub(r"\.[0-9a-f]{16}\.", ".0000000000000000.", xml)
    assert xml == (golden / "Blinky+Arm.traceanalysis.xml").read_text()
    assert len(babeltrace(folder / "Blinky+Arm.SWO.ctf")) == 539


@test
def bundles_need_a_clock_and_csv_does_not():
    for n, (edit, sentence) in enumerate((([], "timestamps.clock is missing"),
                                          ([(CLOCK[0][0], CLOCK[0][1].replace("480000000", "0"))], "must be a number above 0"),
                                          ([(CLOCK[0][0], CLOCK[0][1].replace("480000000", "fast"))], "must be a number above 0"))):
        folder, name = trace_run(f"clock{n}", "newer-yml/Blinky+Arm.ctrace-run.yml", "Blinky+Arm/Blinky+Arm.SWO.raw", edit)
        result = run("ctrace", folder, "--all")
        assert result.returncode == 1 and sentence in result.err, result.err
        assert not list(folder.glob("*.ctf*")) and not list(folder.glob("*.xml"))
        assert (folder / "Blinky+Arm.SWO.csv").read_bytes() == (SHARED / "expected-newer" / "Blinky+Arm.SWO.G3.csv").read_bytes()


@test
def several_processors_in_one_bundle():
    for name, raw, processors in (("TB-Trace", "TB-Trace/Blinky+Arm.TB.raw", {1: "CM4", 2: "CM7"}),
                                  ("formatted-synthetic", "formatted-synthetic/Synthetic.TB.raw", {1: "anchored", 2: "fallback"})):
        config = next((SHARED / name).glob("*.yml")).relative_to(SHARED) if SHARED.exists() else name
        folder, stem = trace_run("several-" + name, str(config), raw, channel="TB")
        result = run("ctrace", folder, "-a")
        rows = list(csv.DictReader(open(folder / f"{stem}.TB.csv", newline="")))
        bundle = folder / f"{stem}.TB.ctf"
        for stream, processor in processors.items():
            # clocks of two processors have nothing to do with each other: babeltrace2 does not mix them
            alone = TMP / f"alone-{name}-{stream}"
            alone.mkdir()
            for file in ("metadata", f"stream_{stream}"):
                shutil.copy(bundle / file, alone)
            lines = babeltrace(alone)
            mine = [line for line in lines if f'ctrace_route = ( "{processor}"' in line and f"cmsis_trace_bus_id = {stream}," in line]
            assert mine and len(mine) == len(lines)
            # counters have a record for each bit, everything else one; the rest are states
            wanted = sum(bin(int(row["value"], 16)).count("1") if row["type"] in ("event", "pmu") else 1 for row in rows
                         if row["stream"] == str(stream) and row["type"] not in ("overflow", "error", "info", "exception"))
            got = sum(not re.search(r"\) (TRACE_STATUS|EXCEPTION):", line) for line in mine)
            assert got == wanted, (name, stream, got, wanted)
        metadata = (bundle / "metadata").read_text()
        assert len(set(re.findall(rf"uuid = \"({UUID})\"", metadata))) == 3
        assert "freq = 240000000;" in metadata and "freq = 480000000;" in metadata
        xml = (folder / f"{stem}.traceanalysis.xml").read_text()
        assert all(f"TB - {p}" in xml for p in processors.values())


@test
def exceptions_are_states_that_follow_each_other():
    # entered 15, exited 15, returned 0, as in ctrace.md section 8.4
    folder = TMP / "lane"
    folder.mkdir()
    (folder / "A.ctrace-run.yml").write_text("ctrace-run:\n  ctrace-setup:\n  - timestamps:\n      clock: 1000\n  ctrace-refs: []\n")
    (folder / "A.SWO.raw").write_bytes(bytes.fromhex("000000000080" "0e0f10" "10" "0e0f20" "10" "0e0030" "10" "70" "0e1210" "10"))
    for generation, wanted in ((2, ["0 entered synthetic", "0 exited synthetic", "15 entered trace", "15 exited trace",
                                    "0 returned trace", "0 exited synthetic", "18 entered trace"]),
                               (1, ["0 entered", "0 exited", "15 entered", "15 exited", "0 entered", "0 exited", "18 entered"])):
        result = run("ctrace", folder, "--ctf", "--generation", generation)
        assert result.returncode == 0, result.err
        got = []
        for line in babeltrace(folder / "A.ctf"):
            m = re.search(r'EXCEPTION: .*cmsis_exception_action = \( "(\w+)".*number_value = (\d+)(?:.*origin = \( "(\w+)")?', line)
            if m:
                got.append(" ".join(filter(None, (m[2], m[1], m[3]))))
        assert got == wanted, (generation, got)
    assert '"External IRQ 2" = 18,' in (folder / "A.ctf" / "metadata").read_text()


@test
def filters_and_what_is_in_the_way():
    folder, name = blinky("filters")
    assert run("ctrace", folder, "--all", "--type", "dwt").returncode == 1
    rows = (folder / "Blinky+Arm.SWO.csv").read_text().splitlines()
    assert len(rows) == 1 + 528 and all(",dwt," in row for row in rows[1:])
    assert len(babeltrace(folder / "Blinky+Arm.SWO.ctf")) == 528
    run("ctrace", folder, "--all", "--stream", "3")
    assert (folder / "Blinky+Arm.SWO.csv").read_text().count("\n") == 1
    for words in (["--type", "dwt,itm"], ["--type", "nothing"], ["--stream", "112"], ["--stream", "-1"], ["--type", ""]):
        refusal("bad_arguments", "ctrace", folder, *words)
    shutil.rmtree(folder / "Blinky+Arm.SWO.ctf")
    (folder / "Blinky+Arm.SWO.ctf").write_text("a file")
    (folder / "Blinky+Arm.SWO.csv").unlink()
    (folder / "Blinky+Arm.SWO.csv").mkdir()
    result = run("ctrace", folder, "--all")
    assert result.returncode == 1 and "is in the way" in result.err
    (folder / "Blinky+Arm.SWO.csv").rmdir()
    result = run("ctrace", folder, "--all")
    assert result.returncode == 1 and "it is not a folder" in result.err
    assert (folder / "Blinky+Arm.SWO.ctf").read_text() == "a file" and (folder / "Blinky+Arm.SWO.csv").exists()


@test
def one_sentence_for_each_kind_of_rubbish():
    config = "ctrace-run:\n  ctrace-setup:\n  - timestamps:\n      clock: 1000\n  ctrace-refs: []\n"
    rubbish = bytes((n * n * 2654435761 >> 7 & 0xFF) | 1 for n in range(200000))
    cases = {
        "baud": (config, {"A.SWO.raw": rubbish}, "no hardware ITM sync in 200000 raw bytes"),
        "none": (config, {}, "there is no capture"),
        "lying": ("ctrace-run:\n  ctrace-refs: 7\n", {"A.SWO.raw": b"\1A"}, "A.ctrace-run.yml(2): there is no list ctrace-refs"),
        "cut": (config, {"A.TB.raw": bytes(17)}, "not a multiple of 16"),
        "binary": ("\0\1\2", {"A.SWO.raw": b""}, "failed to parse trace-run configuration"),
    }
    for name, (text, files, sentence) in cases.items():
        folder = TMP / ("rubbish-" + name)
        folder.mkdir()
        (folder / "A.ctrace-run.yml").write_bytes(text.encode())
        for file, data in files.items():
            (folder / file).write_bytes(data)
        result = run("ctrace", folder, "--csv")
        errors = [line for line in result.err.splitlines() if line.startswith("[error]")]
        assert result.returncode == 1 and len(errors) == 1 and sentence in errors[0], (name, result.err)
    assert (TMP / "rubbish-cut" / "A.TB.csv").read_text().splitlines()[-1] == ",,error,,,,,Decode aborted; trace incomplete"
    run("ctrace", TMP / "rubbish-cut", "--csv", "--generation", "2")


@test
def a_trace_run_is_a_recording():
    folder, name = trace_run("opened", "Arm-reset/Arm.ctrace-run.yml", "Arm-reset/Arm.SWO.raw")
    path = TMP / "opened.vadb"
    summary = answer("decode", folder / "Arm.ctrace-run.yml", "--output", path)["summary"]
    assert summary["cpu_hz"] == 280000000, summary
    expected = json.loads((SHARED / "expected.json").read_text())["files"]["Arm-reset/Arm.SWO.raw"]["assume_aligned"]["packets"]
    con = sqlite3.connect(path)
    values = dict(con.execute("SELECT object, COUNT(*) FROM va_events WHERE kind = 'dwt_data' GROUP BY object"))
    assert set(values) == {"Sine", "Rectangle", "Random", "Current"}, values
    assert sum(values.values()) == expected["data_value_write"]
    counters = con.execute("SELECT COUNT(*) FROM va_events WHERE kind = 'dwt_counters'").fetchone()[0]
    assert abs(counters - expected["event_counter"]) <= expected["event_counter"] // 50
    raw_format = con.execute("SELECT value FROM meta WHERE key = 'ts_raw_format'").fetchone()[0]
    assert raw_format.startswith("itm:") and "watch0=Sine" in raw_format and "clock=280000000" in raw_format, raw_format
    # what it holds decodes again to the same
    with open(TMP / "again.raw", "wb") as again:
        for (piece,) in con.execute("SELECT bytes FROM raw_log ORDER BY id"):
            again.write(piece)
    assert (TMP / "again.raw").read_bytes() == (SHARED / "Arm-reset" / "Arm.SWO.raw").read_bytes()
    answer("decode", TMP / "again.raw", "--format", raw_format, "--output", TMP / "again.vadb")
    rows = "SELECT t_cycles, kind, object, value FROM va_events ORDER BY id"
    assert sqlite3.connect(TMP / "again.vadb").execute(rows).fetchall() == con.execute(rows).fetchall()

    # two processors with clocks and prescalers of their own: 60 * 4 ticks at 480 MHz are 120 at 240 MHz
    folder, name = trace_run("opened-two", "formatted-synthetic/Synthetic.ctrace-run.yml", "formatted-synthetic/Synthetic.TB.raw", channel="TB")
    path = TMP / "opened-two.vadb"
    summary = answer("decode", folder / "Synthetic.ctrace-run.yml", "--output", path)["summary"]
    assert summary["cpu_hz"] == 480000000, summary
    con = sqlite3.connect(path)
    rows = con.execute("SELECT core, COUNT(*), MAX(t_cycles) FROM va_events WHERE flags & 4 = 0 GROUP BY core ORDER BY core").fetchall()
    assert len(rows) == 2 and rows[0][1] == rows[1][1] > 10, rows
    # each processor's comparators have their own labels
    config = folder / "Synthetic.ctrace-run.yml"
    text = config.read_text()
    for ref, label in (("anchored/data#0", "Speed"), ("fallback/data#0", "Torque"), ("anchored/itm", "Fast"), ("fallback/messages", "Slow")):
        assert text.count(f"- ref: {ref}\n") == 1
        text = text.replace(f"- ref: {ref}\n", f"- ref: {ref}\n      label: {label}\n")
    config.write_text(text)
    answer("decode", config, "--output", path)
    names = set(sqlite3.connect(path).execute("SELECT name, core FROM va_objects WHERE type = 'watch' AND name NOT LIKE 'Watch %'"))
    assert names == {("Speed", 0), ("Torque (1)", 1)}, names
    ports = sqlite3.connect(path).execute("SELECT DISTINCT name, core FROM va_objects WHERE type = 'itm_port'").fetchall()
    assert set(ports) == {("Fast", 0), ("Slow (1)", 1)}, ports

    # several captures: each becomes a recording; a capture can also be opened by its own name
    folder = TMP / "opened-all"
    folder.mkdir()
    for suffix in (".SWO.raw", ".TB.raw", ".ctrace-run.yml"):
        shutil.copy(SHARED / "Blinky+Arm" / f"Blinky+Arm{suffix}", folder)
    got = answer("decode", folder / "Blinky+Arm.ctrace-run.yml", "--output", TMP / "opened-swo.vadb")
    assert [(Path(one["path"]).name, Path(one["capture"]).name) for one in got["recordings"]] \
        == [("opened-swo.vadb", "Blinky+Arm.SWO.raw"), ("opened-swo.TB.vadb", "Blinky+Arm.TB.raw")], got
    assert got["recordings"][1]["recording_id"] and got["recordings"][1]["summary"]["format"].startswith("tpiu")
    answer("decode", folder / "Blinky+Arm.TB.raw", "--output", TMP / "opened-tb.vadb")
    kinds = "SELECT core, COUNT(*) FROM va_events WHERE kind = 'dwt_data' GROUP BY core"
    every = "SELECT t_cycles, kind, object, value FROM va_events ORDER BY id"
    assert sqlite3.connect(TMP / "opened-tb.vadb").execute(every).fetchall() \
        == sqlite3.connect(TMP / "opened-swo.TB.vadb").execute(every).fetchall()
    # one that holds nothing does not stop the others
    (folder / "Blinky+Arm.SWO.raw").rename(folder / "Blinky+Arm.TB_two.raw")
    (folder / "Blinky+Arm.TB_two.raw").write_bytes(b"")
    shutil.copy(folder / "Blinky+Arm.TB.raw", folder / "Blinky+Arm.TB_z.raw")
    result = run("decode", folder / "Blinky+Arm.ctrace-run.yml", "--output", TMP / "opened-three.vadb")
    assert result.returncode == 1 and (TMP / "opened-three.vadb").exists() and (TMP / "opened-three.TB_z.vadb").exists()
    shutil.copy(SHARED / "Blinky+Arm" / "Blinky+Arm.SWO.raw", folder)
    read_format = "SELECT value FROM meta WHERE key = 'ts_raw_format'"
    swo, tb = (sqlite3.connect(TMP / f"opened-{name}.vadb") for name in ("swo", "tb"))
    assert swo.execute(read_format).fetchone()[0].startswith("itm:"), swo.execute(read_format).fetchone()
    assert tb.execute(read_format).fetchone()[0].startswith("tpiu:"), tb.execute(read_format).fetchone()
    assert len(swo.execute(kinds).fetchall()) == 1 and tb.execute(kinds).fetchall() != swo.execute(kinds).fetchall()

    (TMP / "empty").mkdir()
    (TMP / "empty" / "A.ctrace-run.yml").write_text("ctrace-run:\n  ctrace-refs: []\n")
    refusal("capture_failed", "decode", TMP / "empty" / "A.ctrace-run.yml", "--output", TMP / "no.vadb", mentions=["no capture beside"])
    (TMP / "empty" / "A.ctrace-run.yml").write_text("ctrace-run: 1\n")
    refusal("bad_config", "decode", TMP / "empty" / "A.ctrace-run.yml", "--output", TMP / "no.vadb", mentions=["there is no map"])
    assert not (TMP / "no.vadb").exists()


@test
def formats_take_parameters():
    folder, name = trace_run("parameters", "Arm-reset/Arm.ctrace-run.yml", "Arm-reset/Arm.SWO.raw")
    for n, (fmt, hz) in enumerate((("itm:clock=1000", 1000), ("itm:clock=1000000,prescaler=4,watch0=a%2Cb", 1000000))):
        path = TMP / f"parameters{n}.vadb"
        assert answer("decode", folder / "Arm.SWO.raw", "--format", fmt, "--output", path)["summary"]["cpu_hz"] == hz
    assert sqlite3.connect(path).execute("SELECT COUNT(*) FROM va_events WHERE object = 'a,b'").fetchone()[0] == 57
    for fmt in ("itm:clock=", "itm:watch4=x", "itm:prescaler=65", "itm:what=1", "itme:clock=1"):
        assert run("decode", folder / "Arm.SWO.raw", "--format", fmt, "--output", TMP / "no.vadb").returncode == 1, fmt


@test
def every_generation_is_well_formed():
    # one of each packet: values, addresses, match, samples, counters, PMU, exceptions, ITM, global time, overflow, damage
    stream = bytes.fromhex("000000000080" "47aab800088fc2000000" "c0f7c904" "4e2400" "10" "0e0f10" "20" "0e0f20" "0e0030" "30"
                           "0901" "120102" "0b01020304" "10" "94d6e8c807" "b49398a0a08000" "70" "8dfe" "20")
    newer = bytes.fromhex("4501" "4534" "567856" "7e5878" "1734120008" "1500" "15ff" "0521" "1d81" "10")
    tail = bytes.fromhex("0000ff" "0102030405" "000000000080" "0e1310" "10" "0e00")
    config = ("ctrace-run:\n  ctrace-setup:\n  - pname: Main <\"&>\n    timestamps:\n      clock: 1000000\n  ctrace-refs:\n"
              "  - ref: data#0\n    type: dwt\n    index: [0, 1]\n    data-type: signed\n    size: 2\n    label: 'a\"b\\c'\n"
              "    address: 0x20000000\n  - ref: itm\n    type: itm\n    index: [1, 2]\n    label: log\n")
    for generation in (1, 2, 3):
        folder = TMP / f"formed{generation}"
        folder.mkdir()
        (folder / "A.ctrace-run.yml").write_text(config)
        (folder / "A.SWO.raw").write_bytes(stream + (newer if generation > 1 else b"") + tail)
        result = run("ctrace", folder, "--all", "--generation", generation)
        assert result.returncode == 1 and "invalid ITM packet sequence" in result.err, result.err
        bundle, = folder.glob("*.ctf")
        text = "\n".join(babeltrace(bundle))
        names = {"ITM", "DWT_VALUE", "DWT_ADDR", "TRACE_STATUS", "EXCEPTION", "GLOBAL_TIMESTAMP"}
        if generation > 1:
            names |= {"DWT_MATCH", "DWT_EVENT", "PMU_EVENT", "PC_SAMPLE", "PC_SAMPLE_PROHIBITED"}
        assert set(re.findall(r"\) (\w+): \{", text)) == names, text[:2000]
        # the label stands for the first of its ports, the plain name for the others; FE is -2
        assert '"log" : container = 1' in text and '"ITM2" : container = 2' in text
        assert '"a\\"b\\\\c" : container = 0' in text and "-2 }" in text, text[:3000]
        assert f"cmsis_global_timestamp = {0x1020304CF23456}," in text
        xml, = folder.glob("*.traceanalysis.xml")
        root = xml_tree.parse(xml).getroot()
        views = {view.find("head/label").get("value").split(" - ")[0] for view in root if view.tag != "stateProvider"}
        wanted = {"DWT_VALUE", "DWT_ADDR", "EXCEPTION"}
        wanted |= {"ITM", "TRACE_STATUS"} if generation == 1 else {"DWT_MATCH", "DWT_EVENT", "PMU_EVENT", "PROCESSOR_STATE"}
        assert views == wanted, views


@test
def packets_of_a_recorder():
    for name in ("m4_short", "m3_baremetal"):
        decoded_by = cli.expected(name)["decoded"]
        got = answer("packets", cli.DATA / f"{name}.cobs", "--format", "va-cobs")
        # both sides of a kind count under its name
        events = [0] * 128
        for code, n in decoded_by["events_by_code"].items():
            events[int(code, 16) & 0x7F] += n
        packets = got["packets"]
        assert packets["task_switch"] == events[0x01] if events[0x01] else "task_switch" not in packets
        assert packets["isr"] == events[0x02] and packets["user_event"] == events[0x0B]
        assert sum(n for kind, n in packets.items() if kind not in ("setup", "sync_marker")) == sum(events)
        assert packets["sync_marker"] == decoded_by["sync_markers"]
        assert packets["setup"] == sum(decoded_by["setup_by_code"].values())
        assert got["errors"] == 0 and got["unsynced_bytes"] == 0
        lines = run("packets", cli.DATA / f"{name}.cobs", "--format", "va-cobs", "--list").out.splitlines()
        assert len(lines) >= sum(events)


@test
def queries_of_a_hardware_trace_by_brute_force():
    """A random trace whose packets are counted while they are made; every query must come to the same."""
    rng = random.Random(20)
    data, now, hz = bytearray(b"\0\0\0\0\0\x80"), 0, 1_000_000
    pcs, sleeps, prohibited, wraps, overflows = Counter(), 0, 0, Counter(), 0
    exceptions, stack, deepest, line = defaultdict(Counter), [], Counter(), ""
    values = defaultdict(list)
    waiting = []
    came = []  # when each character of the console did
    for _ in range(6000):
        what = rng.randrange(9)
        if what == 0:
            pc = 0x08000000 + 2 * rng.randrange(12)
            data += b"\x17" + struct.pack("<I", pc)
            pcs[pc] += 1
        elif what == 1 and rng.random() < 0.5:
            data += b"\x15\0"
            sleeps += 1
        elif what == 1:
            data += b"\x15\xff"
            prohibited += 1
        elif what == 2:
            bits = rng.randrange(1, 64)
            data += bytes((5, bits))
            wraps.update(i for i in range(6) if bits >> i & 1)
        elif what == 3 and rng.random() < 0.1:
            # what came before an overflow without a time stamp stands at the last one known
            for comparator, *rest in waiting:
                values[comparator].append((now, *rest))
            waiting.clear()
            came += [now] * (len(line) - len(came))
            overflows += 1
            data += b"\x70"
        elif what in (3, 4) and len(stack) < 4:
            number = rng.choice([n for n in (11, 14, 15, 16, 40, 255) if n not in stack])
            stack.append(number)
            deepest[number] = max(deepest[number], len(stack))
            data += b"\x0e" + struct.pack("<H", number | 1 << 12)
            exceptions[number]["enter"] += 1
        elif what == 5 and stack:
            number = stack.pop()
            below = stack[-1] if stack else 0
            # tail chains, and cores that never tell an exit
            if rng.random() < 0.7:
                data += b"\x0e" + struct.pack("<H", number | 2 << 12)
                exceptions[number]["exit"] += 1
            data += b"\x0e" + struct.pack("<H", below | 3 << 12)
            exceptions[below]["return"] += 1
        elif what == 6:
            text = rng.choice(("a", "bcde", "f\n", "gh\ni", "é"))
            raw = text.encode()
            data += bytes(({1: 1, 2: 2, 4: 3}[len(raw)],)) + raw
            line += text
        elif what == 7:
            comparator, is_write, has_pc = rng.randrange(4), rng.randrange(2), rng.randrange(2)
            value, pc = rng.randrange(1 << 32), 0x08001000 + 2 * rng.randrange(5)
            if has_pc:
                data += bytes((0x47 + 16 * comparator,)) + struct.pack("<I", pc)
            data += bytes((0x87 + 16 * comparator + 8 * is_write,)) + struct.pack("<I", value)
            waiting.append((comparator, value, "w" if is_write else "r", pc if has_pc else None))
        else:
            ticks = rng.randrange(1, 1 << rng.choice((3, 7, 14, 20)))
            # packets since the last time stamp happened now
            now += ticks
            data += b"\xc0"
            while ticks > 127:
                data.append(ticks & 127 | 128)
                ticks >>= 7
            data.append(ticks)
            for comparator, *rest in waiting:
                values[comparator].append((now, *rest))
            waiting.clear()
            came += [now] * (len(line) - len(came))
    data += b"\xc0\x01"
    now += 1
    came += [now] * (len(line) - len(came))
    for comparator, *rest in waiting:
        values[comparator].append((now, *rest))
    path = TMP / "random-trace.vadb"
    (TMP / "random-trace.bin").write_bytes(data)
    answer("decode", TMP / "random-trace.bin", "--format", f"itm:clock={hz}", "--output", path)
    profile = answer("query", "profile", path, "--budget", "high")["data"]
    assert {h["pc"]: h["samples"] for h in profile["hotspots"]} == pcs
    assert (profile["total_samples"], profile["sleep_samples"]) == (sum(pcs.values()) + sleeps + prohibited, sleeps)
    assert all(abs(h["pct"] - 100 * h["samples"] / profile["total_samples"]) < 1e-5 for h in profile["hotspots"])
    counters = answer("query", "dwt-counters", path)["data"]["counters"]
    assert [counters[name]["wraps"] for name in ("cpi", "exc", "sleep", "lsu", "fold", "cyc")] == [wraps[i] for i in range(6)]
    assert counters["lsu"]["cycles"] == 256 * wraps[3]
    known = {e["num"]: e for e in answer("query", "dwt-exc", path)["data"]["exceptions"]}
    for number, count in exceptions.items():
        assert {k: known[number][k] for k in ("enter", "exit", "return")} == {k: count[k] for k in ("enter", "exit", "return")}
        assert known[number]["max_depth"] == deepest[number], (number, known[number], deepest)
    port, = answer("query", "itm-console", path, "--budget", "high")["data"]["ports"]
    assert port["bytes"] == len(line.encode())
    assert [one["text"] for one in port["lines"]] == [part for part in line.split("\n")][:len(port["lines"])]
    watches = {w["cmp"]: w for w in answer("query", "dwt-data", path)["data"]["watches"]}
    shift = None
    for comparator, rows in values.items():
        got = watches[comparator]
        assert got["count"] == len(rows)
        for one, (at, value, rw, pc) in zip(got["first"], rows[:256]):
            assert (one["value"], one["rw"], one.get("pc")) == (value, rw, pc)
            shift = at - one["t_us"] if shift is None else shift
            assert abs(at - one["t_us"] - shift) < 1e-3, (comparator, at, one, shift)
    at = 0
    for one in port["lines"]:
        # of the first byte, not of the one that ended the line
        assert abs(came[at] - one["t_us"] - shift) < 1e-3 or one["t_us"] == 0, (one, came[at], shift)
        at += len(one["text"]) + 1
    load = answer("query", "swo-load", path)["data"]
    assert (load["bytes"], load["overflows"]) == (len(data), overflows)
    assert abs(load["bytes_per_s"] - len(data) / load["seconds"]) < 1e-6 * load["bytes_per_s"]
    # the same from the rows that tell it, which a recording made again of its raw bytes has too
    with sqlite3.connect(path) as db:
        told = db.execute("SELECT t_cycles, value, detail, flags FROM va_events WHERE kind = 'swo_load' ORDER BY id").fetchall()
    db.close()
    assert told and all(flags & 4 for _, _, _, flags in told)
    assert max(v * hz / d for _, v, d, _ in told) == load["peak_bytes_per_s"] or \
        abs(max(v * hz / d for _, v, d, _ in told) / load["peak_bytes_per_s"] - 1) < 1e-9, load
    end, count, ticks, _ = told[len(told) // 2]
    part = answer("query", "swo-load", path, "--t-start-us", str(end - ticks), "--t-end-us", str(end + 1))["data"]
    assert part["bytes"] == count and abs(part["bytes_per_s"] - count * hz / ticks) < 1e-6 * part["bytes_per_s"], part
    before = answer("export", "--recording", path, "--to", "perfetto", "--output", TMP / "load.json")
    values = [e["args"]["value"] for e in json.loads((TMP / "load.json").read_text())["traceEvents"]
              if e["name"] == "SWO load kB/s"]
    assert len(values) >= len(told) and abs(max(values) * 1000 / load["peak_bytes_per_s"] - 1) < 1e-6, before
    answer("reindex", "--recording", path)
    again = TMP / "again.json"
    answer("export", "--recording", path, "--to", "perfetto", "--output", again)
    assert again.read_bytes() == (TMP / "load.json").read_bytes()


if __name__ == "__main__":
    sys.exit(cli.main("/app/traces/"))
