#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of other programs, from outside: CTF of LTTng and Zephyr, written by hand here, and of our own export. Prints TAP.

test-ctf-import.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import importlib.util
import json
import os
import pty
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

spec = importlib.util.spec_from_file_location("cli", Path(__file__).with_name("test-cli.py"))
cli = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cli)
cli.TESTS.clear()
TMP, Skip, answer, refusal, run = cli.TMP, cli.Skip, cli.answer, cli.refusal, cli.run
UUID = bytes(range(16))
UUID_TEXT = "00010203-0405-0607-0809-0a0b0c0d0e0f"


def test(function):
    """A test that needs Babeltrace, which a build may have been made without."""
    def tried():
        (TMP / "any").mkdir(exist_ok=True)
        (TMP / "any" / "metadata").touch()
        if "without Babeltrace" in run("decode", TMP / "any", "--output", TMP / "none.vadb").out:
            raise Skip("built without Babeltrace 2")
        function()
    tried.__name__ = function.__name__
    tried.__doc__ = function.__doc__
    return cli.test(tried)


def ends_babeltrace(folder):
    """Whether the library breaks on a trace: its own tool does. Without the tool nobody knows: None."""
    if shutil.which("babeltrace2") is None:
        return None
    return subprocess.run(["babeltrace2", folder], stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode < 0


def decode_or_refuse(folder, output, *more):
    """The answer, where the library survives the trace; else None, after the right refusal, with nothing left."""
    result = run("decode", folder, "--output", output, *more)
    assert not result.err, result.err
    breaks = ends_babeltrace(folder)
    if breaks is False or (breaks is None and result.returncode == 0):
        assert result.returncode == 0, result.out
        return json.loads(result.out)
    assert result.returncode == 1, (result.returncode, result.out)
    error = json.loads(result.out)
    assert error["error"] == "bad_config", error
    assert re.search(r"damaged, or Babeltrace 2\.\d+\.\d+ has a fault with it; try another version", error["message"]), error
    assert not list(output.parent.glob(output.name + "*")), output
    return None


def rows(path, sql):
    return sqlite3.connect(path).execute(sql).fetchall()


# ---- LTTng: packets with a context, compact event headers of 5 and 27 bits, one stream for each processor ----

LTTNG_TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
trace { major = 1; minor = 8; uuid = "%s"; byte_order = le;
    packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; };
};
env { hostname = "target"; domain = "kernel"; sysname = "Linux"; tracer_name = "lttng-modules"; tracer_major = 2; };
clock { name = "monotonic"; uuid = "11111111-2222-3333-4444-555555555555"; freq = 1000000000; offset = 1546300800000000000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock_monotonic_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock_monotonic_t;
struct event_header_compact {
    enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
    variant <id> {
        struct { uint27_clock_monotonic_t timestamp; } compact;
        struct { uint32_t id; uint64_clock_monotonic_t timestamp; } extended;
    } v;
} align(8);
stream { id = 0; event.header := struct event_header_compact;
    packet.context := struct { uint64_clock_monotonic_t timestamp_begin; uint64_clock_monotonic_t timestamp_end;
        uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
    event.context := struct { integer { size = 32; align = 8; signed = 1; } _tid; };
};
""" % UUID_TEXT
COMM = "integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }"
INT = "integer { size = 32; align = 8; signed = 1; base = 10; }"
LTTNG_EVENTS = {
    "sched_switch": (0, f"{COMM} _prev_comm[16]; {INT} _prev_tid; {INT} _prev_prio; {INT} _prev_state; "
                        f"{COMM} _next_comm[16]; {INT} _next_tid; {INT} _next_prio;"),
    "irq_handler_entry": (1, f"{INT} _irq; string _name;"),
    "irq_handler_exit": (2, f"{INT} _irq; {INT} _ret;"),
    "my_app:temperature": (3, "floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; } _degrees;"),
    "my_app:message": (31, f"string _text; uint32_t __numbers_length; {INT} _numbers[ __numbers_length ];"),
    "my_app:level": (5, f"{INT} _level;"),
    "my_app:close": (6, f"{INT} _fd;"),
}


def lttng_event(name, time, tid, payload):
    number = LTTNG_EVENTS[name][0]
    if number < 31:
        header = struct.pack("<I", number | (time & 0x7FFFFFF) << 5)
    else:
        # the id says extended, the next field is aligned to a byte
        header = struct.pack("<BIQ", 31, number, time)
    return header + struct.pack("<i", tid) + payload


def lttng_stream(cpu, events, discarded):
    """Events [(time, bytes)] in packets of ten; events_discarded counts up in the last."""
    data = b""
    for seq, at in enumerate(range(0, len(events), 10)):
        part = events[at:at + 10]
        body = b"".join(raw for _, raw in part)
        size = (4 + 16 + 4 + 8 + 8 * 6 + 4 + len(body)) * 8
        is_last = at + 10 >= len(events)
        data += struct.pack("<I16sIQ", 0xC1FC1FC1, UUID, 0, cpu)
        data += struct.pack("<QQQQQQI", part[0][0], part[-1][0], size, size, seq, discarded if is_last else 0, cpu)
        data += body
    return data


def comm(name):
    return name.encode().ljust(16, b"\0")


def write_lttng(folder, seed, discarded=0):
    """A random Linux on two processors. Returns what is expected: run ticks, counts, events."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    names = {0: "swapper", 101: "worker", 102: "grün", 103: "logger"}
    ticks, runs, interrupts, n_events, total = defaultdict(int), Counter(), Counter(), 0, []
    values = []
    for cpu in range(2):
        now, current, since, events = 5_000_000_000, None, None, []
        net = 0

        def put(name, payload):
            events.append((now, lttng_event(name, now, current or 0, payload)))

        def switch(to):
            nonlocal current, since, net
            put("sched_switch", comm(names.get(current or 0)) + struct.pack("<iii", current or 0, 20, 0)
                + comm(names[to]) + struct.pack("<ii", to, 120 if to else 0))
            if current is not None:
                ticks[names[current], cpu if current == 0 else 0] += now - since - net
            current, since, net = to, now, 0
            runs[names[to], cpu if to == 0 else 0] += 1

        switch(0)
        for _ in range(400):
            now += rng.choice([1, 1000, 250_000, 90_000_000])
            what = rng.randrange(8)
            # a thread is on one processor only
            if what < 4:
                others = [tid for tid in ([0, 101] if cpu == 0 else [0, 102, 103]) if tid != current]
                switch(rng.choice(others))
            elif what == 4:
                put("irq_handler_entry", struct.pack("<i", 27) + b"eth0\0")
                begin = now
                now += 700
                put("irq_handler_exit", struct.pack("<ii", 27, 1))
                net += now - begin
                interrupts["eth0"] += 1
            elif what == 5:
                values.append(rng.uniform(-20, 80))
                put("my_app:temperature", struct.pack("<d", values[-1]))
            elif what == 6:
                put("my_app:message", "höher\0".encode() + struct.pack("<Iii", 2, -1, 7))
            else:
                put("my_app:level", struct.pack("<i", rng.randrange(-5, 5)))
                put("my_app:close", struct.pack("<i", 3))
        now += 1
        switch(0 if current != 0 else (101 if cpu == 0 else 102))
        now += 1
        switch(0)
        n_events += len(events)
        total += [time for time, _ in events]
        (folder / f"channel0_{cpu}").write_bytes(lttng_stream(cpu, events, discarded if cpu else 0))
    text = LTTNG_TYPES
    for name, (number, fields) in LTTNG_EVENTS.items():
        text += f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{ {fields} }}; }};\n'
    (folder / "metadata").write_text(text)
    return ticks, runs, interrupts, n_events, (min(total), max(total)), values


@test
def lttng():
    for seed in (1, 2):
        top = TMP / f"lttng-{seed}"
        ticks, runs, interrupts, n_events, (first, last), values = write_lttng(top / "kernel", seed, 12 * (seed - 1))
        path = TMP / f"lttng-{seed}.vadb"
        # the folder of a session, whose traces lie below
        got = answer("decode", top, "--output", path)
        assert got["summary"]["events"] == n_events and got["summary"]["cpu_hz"] == 1_000_000_000, got
        assert got["summary"]["format"] == "ctf"
        assert rows(path, "SELECT MIN(t_cycles), MAX(t_cycles) FROM va_events WHERE flags & 4 = 0") == [(0, last - first)]
        found = {(name, core if name == "swapper" else 0): (n, run_ticks) for name, core, n, run_ticks in
                 rows(path, "SELECT name, core, run_count, run_ticks FROM va_task_stats WHERE type = 'task'")}
        for key in runs:
            assert found[key][0] == runs[key], (seed, key, found, runs)
            # of the processor that lost events the last interval is cut
            if key[0] != "swapper" and (seed == 1 or key[0] == "worker"):
                assert found[key][1] == ticks[key], (seed, key, found, ticks)
        assert rows(path, "SELECT name, is_idle FROM va_objects WHERE type = 'task' AND wire_id = 0") == [("swapper", 1)] * 2
        assert rows(path, "SELECT name, core FROM va_objects WHERE type = 'task' AND wire_id > 0 ORDER BY name") \
            == [("grün", 1), ("logger", 1), ("worker", 0)]
        assert rows(path, "SELECT run_count, max_us FROM va_task_stats WHERE name = 'ISR:eth0'") == [(interrupts["eth0"], 0.7)]
        # numbers are values, what names something is not; the rest is text
        assert sorted(v for v, in rows(path, "SELECT value FROM va_events WHERE object = 'my_app:temperature'")) == sorted(values)
        assert rows(path, "SELECT DISTINCT kind FROM va_events WHERE object = 'my_app:level'") == [("user_trace",)]
        assert rows(path, "SELECT DISTINCT kind, text FROM va_events WHERE object = 'my_app:close'") == [("string", "fd=3")]
        assert rows(path, "SELECT DISTINCT kind, text FROM va_events WHERE object = 'my_app:message'") \
            == [("string", "text=höher _numbers_length=2 numbers=-1,7")]
        # what the tracer lost is a loss
        assert rows(path, "SELECT value, core FROM va_events WHERE kind = 'data_loss'") == [(12, 1)] * (seed - 1)
        assert rows(path, "SELECT value FROM meta WHERE key = 'va_os'") == [("Linux",)]
    # `metadata` stands for its folder
    assert answer("import", top / "kernel" / "metadata", "--output", path)["summary"]["events"] == n_events


# ---- Zephyr: one packet without a header, a clock that nobody describes, times of 32 bits ----

ZEPHYR = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 8; align = 8; signed = false; encoding = ASCII; } := ctf_bounded_string_t;
struct event_header { uint32_t timestamp; uint8_t id; };
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct event_header; };
"""
ZEPHYR_EVENTS = {
    "thread_switched_out": (0x10, "uint32_t thread_id; ctf_bounded_string_t name[20];"),
    "thread_switched_in": (0x11, "uint32_t thread_id; ctf_bounded_string_t name[20];"),
    "thread_priority_set": (0x12, "uint32_t thread_id; ctf_bounded_string_t name[20]; int8_t prio;"),
    "thread_create": (0x13, "uint32_t thread_id; ctf_bounded_string_t name[20];"),
    "isr_enter": (0x1B, None),
    "isr_exit": (0x1C, None),
    "semaphore_give_enter": (0x22, "uint32_t id;"),
}


def write_zephyr(folder, header=""):
    """The metadata; streams follow. @header: a declaration of the packet's header, which Zephyr has none of."""
    folder.mkdir()
    text = ZEPHYR.replace("byte_order = le;", "byte_order = le; " + header)
    for name, (number, fields) in ZEPHYR_EVENTS.items():
        text += f"event {{ name = {name}; id = {number}; {f'fields := struct {{ {fields} }};' if fields else ''} }};\n"
    (folder / "metadata").write_text(text)


@test
def zephyr():
    folder = TMP / "zephyr"
    write_zephyr(folder)
    data, now = b"", 0xFFFFFF00

    def put(after, name, payload=b""):
        nonlocal data, now
        now = now + after & 0xFFFFFFFF
        data += struct.pack("<IB", now, ZEPHYR_EVENTS[name][0]) + payload

    def thread(number, name):
        return struct.pack("<I20s", number, name)
    put(0, "thread_create", thread(0x20000400, b"main"))
    put(10, "thread_priority_set", thread(0x20000400, b"main") + b"\xfe")
    put(10, "thread_switched_in", thread(0x20000400, b"main"))
    put(100, "isr_enter")
    put(40, "isr_exit")
    put(60, "thread_switched_out", thread(0x20000400, b"main"))
    # here the counter begins anew
    put(1000, "thread_switched_in", thread(0x20000800, b""))
    put(300, "semaphore_give_enter", struct.pack("<I", 0x20001234))
    put(5, "thread_switched_out", thread(0x20000800, b""))
    put(0, "thread_switched_in", thread(0x20000400, b"main"))
    put(50, "thread_switched_out", thread(0x20000400, b"main"))
    put(7, "isr_enter")
    (folder / "channel0_0").write_bytes(data)
    path = TMP / "zephyr.vadb"
    got = answer("decode", folder, "--output", path)
    assert got["summary"]["events"] == 12 and got["summary"]["cpu_hz"] == 1_000_000_000, got
    assert [t for t, in rows(path, "SELECT t_cycles FROM va_events WHERE flags & 4 = 0")] \
        == [0, 10, 20, 120, 160, 220, 1220, 1520, 1525, 1525, 1575, 1582]
    found = {name: (n, ticks) for name, n, ticks in
             rows(path, "SELECT name, run_count, run_ticks FROM va_task_stats WHERE type = 'task'")}
    # 200 less 40 in the interrupt, and 50
    assert found == {"main": (2, 210), "Thread 0x20000800": (1, 305)}, found
    assert rows(path, "SELECT kind, value FROM va_events WHERE kind LIKE 'task_p%'") == [("task_priority", -2)]
    assert rows(path, "SELECT run_count FROM va_task_stats WHERE name = 'ISR:ISR'")[0][0] == 2
    assert rows(path, "SELECT text FROM va_events WHERE object = 'semaphore_give_enter'") == [("id=536875572",)]
    # nothing else was left beside it, and the trace is as it was
    assert [p.name for p in TMP.glob("zephyr.*")] == ["zephyr.vadb"] and (folder / "channel0_0").read_bytes() == data
    # a schema names what the trace does not
    schema = TMP / "names.vaschema"
    schema.write_text(json.dumps({"version": 1, "name": "x", "protocol": {"tasks": [{"id": 0x20000800, "name": "Sampler"}]}}))
    answer("decode", folder, "--output", path, "--vaschema", schema)
    assert {n for n, in rows(path, "SELECT name FROM va_objects WHERE type = 'task'")} == {"main", "Sampler"}
    # a packet with a header and without a context, which some versions of the library break on: with names as without
    header = TMP / "zephyr-header"
    write_zephyr(header, "packet.header := struct { uint32_t magic; };")
    (header / "channel0_0").write_bytes(struct.pack("<I", 0xC1FC1FC1) + data)
    for more in ((), ("--vaschema", schema)):
        got = decode_or_refuse(header, TMP / "zephyr-header.vadb", *more)
        assert got is None or got["summary"]["events"] == 12, got


@test
def packetless_metadata():
    """Only what has no packets is given any; words in comments and texts are none."""
    data = struct.pack("<IB", 5, 0x1B) + struct.pack("<IB", 9, 0x1C)
    for number, (old, new) in enumerate((
            ("/* CTF 1.8 */", "/* CTF 1.8 */ /* packet.header stream { */ // packet.context := \n"),
            ("stream {", "env { note = \"stream { packet.context \\\" \"; };\nstream\n/* here */ {"),
            ("uint32_t timestamp;", "/* a word */ uint32_t timestamp;"))):
        folder = TMP / f"words-{number}"
        write_zephyr(folder)
        text = (folder / "metadata").read_text()
        assert old in text
        (folder / "metadata").write_text(text.replace(old, new))
        (folder / "channel0_0").write_bytes(data)
        assert answer("decode", folder, "--output", TMP / "words.vadb")["summary"]["events"] == 2
        assert [t for t, in rows(TMP / "words.vadb", "SELECT t_cycles FROM va_events WHERE flags & 4 = 0")] == [0, 4]


# ---- how far it is ----

class Watched:
    """An import whose progress goes to a terminal."""

    def __init__(self, *args):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([cli.CLI, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                                        env=cli.ENV)
        os.close(slave)
        self.text = b""

    def percents(self):
        """What is said of progress, until nobody says anything more."""
        said = 0
        while True:
            try:
                part = os.read(self.master, 4096)
            except OSError:
                part = b""
            self.text += part
            found = re.findall(rb"(\d+) %", self.text)
            yield from map(int, found[said:])
            said = len(found)
            if not part:
                os.close(self.master)
                return


@test
def progress():
    folder, output, n = TMP / "long", TMP / "out" / "long.vadb", 200_000
    output.parent.mkdir()
    write_zephyr(folder)
    (folder / "channel0_0").write_bytes(b"".join(
        struct.pack("<IBI20s", 10 * i, 0x11 - (i & 1), 0x20000400, b"main") for i in range(n)))
    watched = Watched("decode", folder, "--output", output)
    said = list(watched.percents())
    out = json.loads(watched.process.communicate()[0])
    assert watched.process.returncode == 0 and out["summary"]["events"] == n, out
    assert said == sorted(said) and said[-1] <= 100, said
    assert max((percent for percent in said if percent < 100), default=0) > 60, said
    # ended on the way: nothing is left, of the copy neither
    output.unlink()
    watched = Watched("decode", folder, "--output", output)
    for percent in watched.percents():
        if percent > 0:
            watched.process.send_signal(signal.SIGINT)
    out = json.loads(watched.process.communicate()[0])
    assert watched.process.returncode == 1 and out["error"] == "cancelled", out
    assert not list(output.parent.iterdir()), list(output.parent.iterdir())


# ---- our own export, back again ----

@test
def own_export():
    columns = "SELECT t_cycles, kind, start, object_id, object, core, value, detail, text, flags FROM va_events ORDER BY id"
    objects = "SELECT id, type, name, priority, core, is_idle FROM va_objects ORDER BY id"
    stats = "SELECT name, core, run_count, run_ticks, max_us FROM va_task_stats WHERE type IN ('task', 'isr') ORDER BY object_id"
    for name, source in (("demo", None), ("m4_short", cli.DATA / "m4_short.cobs"), ("m4_noisy", cli.DATA / "m4_noisy.cobs"),
                         ("udp", cli.DATA / "m4_short_udp_loss.udprec")):
        one, trace, two = (TMP / f"own-{name}.{end}" for end in ("vadb", "ctf", "again.vadb"))
        if source is None:
            answer("demo", "--events", "3000", "--seed", "5", "--output", one)
        else:
            answer("decode", source, "--output", one)
        exported = answer("export", "--recording", one, "--to", "ctf", "--output", trace)
        answer("import", trace, "--output", two)
        before, after = rows(one, columns), rows(two, columns)
        assert len(after) == exported["events"] and Counter(before) == Counter(after), name
        assert rows(one, objects) == rows(two, objects), name
        if not rows(one, "SELECT 1 FROM va_events WHERE kind IN ('data_loss', 'corrupt')"):
            assert rows(one, stats) == rows(two, stats), name


# ---- what is no trace, or a damaged one ----

@test
def damaged():
    folder = TMP / "damaged"
    _, _, _, n_events, _, _ = write_lttng(folder, 3)
    output = TMP / "damaged.vadb"
    whole = (folder / "channel0_0").read_bytes()
    metadata = (folder / "metadata").read_text()
    rng = random.Random(9)
    for round_ in range(12):
        data = bytearray(whole)
        if round_ % 2:
            data = data[:rng.randrange(len(data))]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (folder / "channel0_0").write_bytes(data)
        result = run("decode", folder, "--output", output)
        assert result.returncode in (0, 1) and len(result.err.splitlines()) <= 1, (round_, result.err)
    (folder / "channel0_0").write_bytes(whole)
    for text in ("", "nothing", metadata[:len(metadata) // 2], metadata.replace("stream_id = 0", "stream_id = 7")):
        (folder / "metadata").write_text(text)
        error = refusal("bad_config", "decode", folder, "--output", TMP / "never.vadb")
        assert "damaged" in str(error) and not (TMP / "never.vadb").exists(), error
    # what the library does not survive is a refusal: a count of events lost that says "none known", twice
    data, at = bytearray(whole), 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at + 56)
        struct.pack_into("<Q", data, at + 72, 0 if at == 0 else 2**64 - 1)
        at += size // 8
    (folder / "channel0_0").write_bytes(data)
    (folder / "metadata").write_text(metadata)
    schema = TMP / "damaged.vaschema"
    schema.write_text(json.dumps({"version": 1, "name": "x", "protocol": {"tasks": [{"id": 101, "name": "Other"}]}}))
    for more in ((), ("--vaschema", schema)):
        decode_or_refuse(folder, TMP / "lost.vadb", *more)
    (folder / "channel0_0").write_bytes(whole)
    # packets of metadata that are longer than the file: the library would wait for the rest
    for content, packet in ((0xFFFFFFFF, 0xFFFFFFFF), (0, 0), (8 * 37, 8), (8 * 100, 8 * 100)):
        (folder / "metadata").write_bytes(struct.pack("<I16sIIIBBBBB", 0x75D11D57, UUID, 0, content, packet, 0, 0, 0, 1, 8) + b"/* */")
        refusal("bad_config", "decode", folder, "--output", TMP / "never.vadb", mentions=["damaged"])
    (folder / "metadata").write_bytes(b"".join(
        struct.pack("<I16sIIIBBBBB", 0x75D11D57, UUID, 0, 8 * (37 + len(part)), 8 * (37 + len(part)), 0, 0, 0, 1, 8) + part
        for part in (metadata.encode()[:1000], metadata.encode()[1000:])))
    assert answer("decode", folder, "--output", output)["summary"]["events"] == n_events
    (TMP / "empty-folder").mkdir()
    assert "metadata" in str(refusal("capture_failed", "decode", TMP / "empty-folder", "--output", TMP / "never.vadb"))
    (TMP / "empty-folder" / "metadata").write_text(metadata)
    assert "No event" in str(refusal("empty_capture", "decode", TMP / "empty-folder", "--output", TMP / "never.vadb"))
    assert not (TMP / "never.vadb").exists()


if __name__ == "__main__":
    sys.exit(cli.main("/app/ctf-import/"))
