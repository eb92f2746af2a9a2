#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that other programs of the same protocol left: `.vaschema` and `.vadomain`, clause by clause. Prints TAP.

test-imports.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import importlib.util
import json
import signal
import socket
import sqlite3
import struct
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("cli", Path(__file__).with_name("test-cli.py"))
cli = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cli)
cli.TESTS.clear()
TMP, DATA, test, answer, decoded, refusal, run = cli.TMP, cli.DATA, cli.test, cli.answer, cli.decoded, cli.refusal, cli.run


def rows(path, sql):
    con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return con.execute(sql).fetchall()
    finally:
        con.close()


def wire(*packets):
    """Packets of wire version 1: (code, id, microseconds, what follows), numbered. Source: viewalyzer-wire.md section 5.1"""
    return b"".join(struct.pack("<BBBI", code, n % 256, i, t) + rest for n, (code, i, t, rest) in enumerate(packets))


# ---------------------------------------------------------------- .vaschema: viewalyzer-host.md section 3.13

PROTOCOL = {
    "rtosType": "freertos", "tasks": [{"id": 1, "name": "Blinker"}, {"id": 2, "name": "Reader"}], "isrs": [{"id": 15, "name": "Tick"}],
    "userTraces": [{"id": 7, "name": "Volt", "type": "float", "scaleMin": 0, "scaleMax": 5}, {"id": 8, "name": "Count", "type": "int"}],
    "userFunctions": [{"id": 3, "name": "filter()"}], "userToggles": [{"id": 9, "name": "Led"}], "userStrings": [{"id": 4, "name": "Log"}],
    "syncObjects": [{"id": 11, "name": "Jobs", "type": "queue"}, {"id": 12, "name": "Bus", "type": "mutex"},
                    {"id": 13, "name": "Go", "type": "binary_sem"}, {"id": 14, "name": "Slots", "type": "counting_sem"}]}


@test
def every_list_of_a_schema_names():
    schema, raw, out = TMP / "names.vaschema", TMP / "names.bin", TMP / "names.vadb"
    schema.write_text(json.dumps({"version": 1, "name": "x", "protocol": PROTOCOL}))
    u32 = lambda v: struct.pack("<I", v)
    raw.write_bytes(wire(
        (0x81, 1, 1000, b""), (0x82, 15, 2000, b""), (0x02, 15, 2500, b""), (0x0E, 7, 3000, struct.pack("<f", 2.5)), (0x04, 8, 3100, u32(41)),
        (0x8B, 3, 3200, b""), (0x0B, 3, 3300, b""), (0x0A, 9, 3400, b"\x01"), (0x0D, 4, 3500, b"\x02\x00ok"), (0x88, 11, 3600, b""),
        (0x07, 12, 3700, b""), (0x87, 12, 3800, b""), (0x86, 13, 3900, b""), (0x86, 14, 4000, b""), (0x01, 1, 4100, b""), (0x81, 2, 4200, b"")))
    wanted = {("task", "Blinker"), ("task", "Reader"), ("isr", "Tick"), ("user_event", "filter()"), ("queue", "Jobs"), ("mutex", "Bus"),
              ("binary_sem", "Go"), ("counting_sem", "Slots")}
    for args in (("decode", raw, "--format", "va", "--vaschema", schema, "--no-register"),
                 ("capture", "--transport", "file", "--file-path", raw, "--file-format", "va", "--vaschema", schema, "--no-register")):
        answer_of = run(*args, "--output", out)
        assert answer_of.returncode == 0, answer_of.out
        objects = set(rows(out, "SELECT type, name FROM va_objects"))
        names = {name for _, name in objects}
        # how a packet is read tells whether an object is a queue, a mutex or a semaphore; which semaphore, only the schema
        assert names >= {name for _, name in wanted} | {"Volt", "Count", "Led", "Log"}, (args, objects)
        assert {o for o in objects if o[0] in ("task", "isr", "queue", "mutex", "user_event")} >= {
            w for w in wanted if "sem" not in w[0]}, (args, objects)
        assert rows(out, "SELECT last FROM va_trace_stats WHERE name = 'Volt'") == [(2.5,)]
        assert rows(out, "SELECT object, text FROM va_events WHERE kind = 'string'") == [("Log", "ok")]
    # what the stream itself names wins
    schema.write_text(json.dumps({"protocol": {"tasks": [{"id": i, "name": f"Other{i}"} for i in range(1, 12)]}}))
    answer("decode", DATA / "m4_short.cobs", "--format", "va-cobs", "--vaschema", schema, "--output", out, "--no-register")
    same = "SELECT name FROM va_objects WHERE type = 'task' ORDER BY id"
    assert rows(out, same) == rows(decoded(), same) and rows(out, same)


@test
def every_setting_of_a_schema_is_one():
    schema = TMP / "settings.vaschema"
    full = {"type": "stlink_swo", "cpuClockHz": 72000000, "traceClockHz": 36000000, "speedKHz": 1800, "resetOnConnect": False, "swoFreqHz": 1000000,
            "itmPort": 3, "interface": "SWD"}
    schema.write_text(json.dumps({"targetDevice": "STM32F103RB", "transport": full}))
    image = json.loads(run("hwtrace", "--dry-run", "--arch", "v7m", "--config", schema).out)
    assert (image["cpu_hz"], image["trace_hz"], image["swo_hz"], image["itm_port"]) == (72000000, 36000000, 1000000, 3), image
    # 36 MHz / 1 MHz - 1
    assert {w["reg"]: w["value"] for w in image["writes"]}["TPIU_ACPR"] == "0x00000023", image["writes"]
    # a flag wins
    image = json.loads(run("hwtrace", "--dry-run", "--arch", "v7m", "--config", schema, "--itm-port", "2").out)
    assert image["itm_port"] == 2 and image["cpu_hz"] == 72000000
    # each type is the transport of that name, and every setting must be one that it can be
    refusal("bad_arguments", "snapshot", "--config", schema, "--output", TMP / "x.vadb", mentions=["stlink-swo"])
    for transport in ("stlink_swo", "jlink_rtt"):
        schema.write_text(json.dumps({"transport": dict(full, type=transport, rttChannel=2)}))
        result = run("capture", "--config", schema, "--output", TMP / "x.vadb", "--duration", "0.3", "--no-register")
        assert f"[headless] Capture: {transport.replace('_', '-')}" in result.out and json.loads(result.out.splitlines()[-1])["error"] == "capture_failed"
    for wrong in ({"cpuClockHz": -1}, {"swoFreqHz": "fast"}, {"itmPort": 99}, {"rttChannel": -2}, {"udpListenPort": 70000}, {"speedKHz": 0},
                  {"type": "carrier_pigeon"}, {"resetOnConnect": 7}, {"framing": 5}):
        schema.write_text(json.dumps({"transport": dict(full, **wrong)}))
        member, = wrong
        if member in ("resetOnConnect", "framing"):
            continue
        refusal("bad_config", "capture", "--config", schema, "--output", TMP / "x.vadb", mentions=[schema.name, member])
    for text in ("", "[]", "{", '{"transport": {"type": "udp"'):
        schema.write_text(text)
        refusal("bad_config", "capture", "--config", schema, "--output", TMP / "x.vadb", mentions=[schema.name])


@test
def framing_of_a_schema():
    port = cli.free_udp_port()
    schema, out = TMP / "framing.vaschema", TMP / "framing.vadb"
    udp = {"type": "udp", "udpListenIP": "127.0.0.1", "udpListenPort": port}
    for framing, payload in (("none", (DATA / "m4_short.raw").read_bytes()), ("cobs", None)):
        schema.write_text(json.dumps({"transport": dict(udp, framing=framing), "protocol": PROTOCOL}))
        p = cli.start("capture", "--config", schema, "--output", out, "--duration", "60", "--no-register")
        cli.wait_for(lambda: cli.is_bound(port), what="the port")
        if payload is None:
            cli.send_records(DATA / "m4_short_udp.udprec", port)
        else:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                for i in range(0, len(payload), 1000):
                    s.sendto(payload[i:i + 1000], ("127.0.0.1", port))
        wanted = cli.count_events("m4_short" if payload else "m4_short_udp")
        cli.wait_for_rows(out, wanted)
        p.send_signal(signal.SIGINT)
        text, err = cli.finish(p)
        value = json.loads(text.splitlines()[-1])
        assert p.returncode == 0 and value["summary"]["corrupt_bytes"] == 0 and value["summary"]["events"] == wanted, (framing, value, err)


# ---------------------------------------------------------------- .vadomain: viewalyzer-host.md section 3.12

# time in ms, value: of channels that an instrument measured beside the recording, so that they are known to the last bit
SERIES = {
    "lab.temp": [(0, 20), (10, 85), (15, 90), (30, 70), (40, 85), (42, 60)],
    "lab.mode": [(0, 0), (5, 3), (9, 1), (20, 5), (22, 1)],
    "lab.frames": [(t, (250 + t) % 256) for t in range(0, 41, 10)],      # a u8 that goes over: 250, 4, 14, 24, 34
    "lab.done": [(0, 10), (10, 11), (40, 11)],
    "lab.in": [(0, 100), (50, 100)],
    "lab.out": [(0, 100), (10, 40), (30, 30), (35, 95), (50, 95)],
    "lab.word": [(0, 0x1230), (10, 0x1270), (20, 0x12F0)],
}
DOMAIN = {
    "id": "lab.power", "name": "Power", "version": "1.2.0", "domain_api": 1, "publisher": "us", "namespaces": ["external"],
    "series_kinds": ["external_trace"],
    "channels": [{"match": {"ns": "external", "name": "lab.temp"}, "unit": "degC", "display": "graph", "group": "Heat", "min": 0, "max": 125, "warn": 80,
                  "interpolation": "linear", "graph": True},
                 {"match": {"ns": "external", "name_prefix": "lab.mo"}, "display": "enum", "names": {"0": "idle", "1": "run", "3": "boot", "5": "fault"}}],
    "sampled_state": {"rate_hz": 100, "channels": [{"name": "lab.frames", "symbol": "frames", "ty": "u8", "counter": "wrapping"},
                                                   {"name": "lab.reg", "peripheral": "TIM2", "register": "CNT"}],
                      "structured": [], "ring": {}},
    "derived": [{"name": "heating", "type": "rate", "source": "lab.temp"},
                {"name": "level", "type": "field", "source": "lab.word", "shift": 4, "mask": 15},
                {"name": "grade", "type": "map", "source": "level", "table": {"3": 1, "7": 2, "15": 9}}],
    "verdicts": [
        {"id": "hot", "name": "Too hot", "severity": "warning", "explain": "It was hot.", "evidence": ["lab.temp", "lab.mode"],
         "when": {"type": "sustained_at_or_above", "channel": "lab.temp", "value": 80, "sustained_ms": 15}},
        {"id": "seen", "severity": "error", "when": {"type": "value_in", "channel": "lab.mode", "values": [3, 5]}, "evidence": ["lab.mode"]},
        {"id": "moved", "when": {"type": "counter_advanced", "channel": "lab.frames"}},
        {"id": "stuck", "when": {"type": "counter_stalled", "channel": "lab.done", "while_advances": "lab.frames", "window_ms": 25, "min_advance": 5}},
        {"id": "slow", "when": {"type": "ratio_below", "channel": "lab.out", "reference": "lab.in", "ratio": 0.5, "sustained_ms": 20}},
        {"id": "rises", "when": {"type": "sustained_at_or_above", "channel": "heating", "value": 5000, "sustained_ms": 0}},
        {"id": "graded", "when": {"type": "value_in", "channel": "grade", "values": [9]}}],
    "instrument": {"kind": "psu"}, "actions": [{"id": "a"}], "presentation": {"title": "Power"}}


def with_series():
    path, series = TMP / "domain.vadb", TMP / "domain.ndjson"
    if not path.exists():
        lines = [{"t_us": 1000 * t, "channel": name, "value": v} for name, points in SERIES.items() for t, v in points]
        series.write_text("".join(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: line["t_us"])))
        answer("import", decoded(), "--series", series, "--output", path, "--no-register")
    return path


def domains(*files):
    folder = TMP / f"domains{len(list(TMP.glob('domains*')))}"
    folder.mkdir()
    for i, content in enumerate(files):
        (folder / f"{i}.vadomain").write_text(content if isinstance(content, str) else json.dumps(content))
    return folder, {"VA_DOMAINS_DIR": str(folder)}


@test
def every_kind_of_condition_of_a_domain():
    folder, env = domains(DOMAIN)
    v = answer("domains", "--parse-trace-domain", folder / "0.vadomain")
    assert v["valid"] and v["verdicts"] == 7, v
    v = answer("query", "verdicts", with_series(), env=env)
    found = {}
    for item in v["verdicts"]:
        found.setdefault(item["id"], []).append(item)
    assert v["count"] == len(v["verdicts"]) and set(found) == {x["id"] for x in DOMAIN["verdicts"]}, v
    times = {name: [(round(i["t_start_us"]), round(i["t_end_us"]), i["peak"]) for i in items] for name, items in found.items()}
    # 85 from 10 ms, 70 at 30 ms: 20 ms; from 40 to 42 ms it is too short
    assert times["hot"] == [(10000, 30000, 90)], times["hot"]
    assert times["seen"] == [(5000, 9000, 3), (20000, 22000, 5)], times["seen"]
    # 250 to 4 over 256, and three times 10
    assert times["moved"] == [(10000, 40000, 40)], times["moved"]
    # done stands from 10 to 40 ms, frames went 30 on
    assert times["stuck"] == [(10000, 40000, 30)], times["stuck"]
    # below half from 10 to 35 ms, 0.3 at the least
    assert times["slow"] == [(10000, 35000, 0.3)], times["slow"]
    # 65 in 10 ms is 6500 a second; 15 in 10 ms is not 5000; nor is anything else
    assert len(times["rises"]) == 1 and times["rises"][0][0] == 10000 and abs(times["rises"][0][2] - 6500) < 1, times["rises"]
    # (0x12F0 >> 4) & 15 is 15, whose grade is 9
    assert [(t[0], t[2]) for t in times["graded"]] == [(20000, 9)], times["graded"]
    hot = found["hot"][0]
    assert (hot["name"], hot["severity"], hot["explain"]) == ("Too hot", "warning", "It was hot.")
    assert [e["channel"] for e in hot["evidence"]] == ["lab.temp", "lab.mode"]
    temp, mode = hot["evidence"]
    assert (temp["at_start"], temp["at_end"], temp["label_start"]) == (85, 70, None), temp
    assert (mode["at_start"], mode["at_end"], mode["label_start"], mode["label_end"]) == (1, 1, "run", "run"), mode
    seen = found["seen"][0]["evidence"][0]
    assert (seen["label_start"], seen["label_end"]) == ("boot", "run") and "boot" in seen["summary"] and "run" in seen["summary"], seen
    # within a window: what lies in it
    v = answer("query", "verdicts", with_series(), "--t-start-us", "15000", "--t-end-us", "25000", env=env)
    assert [i["t_start_us"] for i in v["verdicts"] if i["id"] == "seen"] == [20000], v


@test
def domains_that_are_wrong_cost_themselves():
    good = {"id": "ok", "name": "Ok", "version": "1", "domain_api": 1}
    rule = lambda **when: dict(good, verdicts=[{"id": "x", "when": when}])
    wrong = ("", "[]", "{", json.dumps(dict(good, domain_api=2)), json.dumps({k: v for k, v in good.items() if k != "domain_api"}),
             json.dumps({k: v for k, v in good.items() if k != "id"}), json.dumps(dict(good, verdicts=5)), json.dumps(dict(good, channels="x")),
             json.dumps(rule(type="sometimes", channel="a")), json.dumps(rule(type="value_in")),
             json.dumps(dict(good, verdicts=[{"when": {"type": "value_in", "channel": "a"}}])))
    for text in wrong:
        folder, env = domains(text, DOMAIN)
        v = refusal("bad_arguments", "domains", "--parse-trace-domain", folder / "0.vadomain", mentions=["0.vadomain"])
        assert len(v["message"]) > 20, v
        v = answer("query", "verdicts", with_series(), env=env)
        assert v["count"] > 0 and len(v["warnings"]) == 1 and "0.vadomain" in v["warnings"][0], (text, v["warnings"])
    # a derived channel of itself, a table of nonsense, a rule about nothing: no answer, no end of the program
    loop = dict(good, derived=[{"name": "a", "type": "rate", "source": "b"}, {"name": "b", "type": "map", "source": "a", "table": {"x": "y"}}],
                verdicts=[{"id": f"v{i}", "when": dict(type=t, channel=c, values=["1", None, {}], value="x", reference="a", ratio="y", while_advances="b")}
                          for i, t in enumerate(("value_in", "sustained_at_or_above", "counter_advanced", "counter_stalled", "ratio_below"))
                          for c in ("a", "b", "nothing")])
    folder, env = domains(loop)
    assert answer("query", "verdicts", with_series(), env=env)["count"] == 0
    # of two with one id the first counts
    folder, env = domains(dict(good, name="First"), dict(good, name="Second"))
    assert [d["name"] for d in answer("domains", env=env)["domains"]] == ["First"]


CLAIM = {"id": "lab.claim", "name": "Claim", "version": "0.3.1", "domain_api": 1, "channels": [
    {"match": {"ns": "user_trace", "name": "Volt"}}, {"match": {"name_prefix": "Cou"}}, {"match": {"ns": "user_trace", "name": "Led"}},
    {"match": {"ns": "poll", "name": "Log"}}, {"match": {"ns": "sky", "name": "Log"}}, {"match": {"ns": "user_trace", "name": "Blinker"}},
    {"match": {"ns": "derived", "name": "rise"}}, {"match": {"ns": "derived", "name": "rises"}}, {"match": {"ns": "derived", "name": "lost"}},
    {"match": {}}, {}, 7, {"match": {"ns": "external", "name": "Volt"}}],
    "derived": [{"name": "rise", "type": "rate", "source": "Volt"}, {"name": "rises", "type": "rate", "source": "rise"},
                {"name": "lost", "type": "rate", "source": "round"}, {"name": "round", "type": "rate", "source": "lost"}]}


@test
def a_recording_says_which_domains_claim_its_channels():
    raw, out, schema = TMP / "claims.bin", TMP / "claims.vadb", TMP / "claims.vaschema"
    schema.write_text(json.dumps({"protocol": PROTOCOL}))
    raw.write_bytes(wire((0x81, 1, 1000, b""), (0x0E, 7, 3000, struct.pack("<f", 2.5)), (0x04, 8, 3100, struct.pack("<I", 41)),
                         (0x0A, 9, 3400, b"\x01"), (0x0D, 4, 3500, b"\x02\x00ok"), (0x01, 1, 4100, b"")))
    folder, env = domains(CLAIM, dict(CLAIM, id="lab.other", version="2", channels=[{"match": {"name": "Nothing"}}]), "{")
    claims = lambda path: [json.loads(text) for (text,) in rows(path, "SELECT value FROM meta WHERE key = 'va_domains'")]
    # Volt, Count by its prefix, Led; rise of Volt and rises of rise; Log is no polled one, Blinker a task, lost comes of nothing
    wanted, line = [[{"id": "lab.claim", "version": "0.3.1", "channels": 5}]], "Trace Domain lab.claim 0.3.1: claimed 5 channel(s)"
    result = run("capture", "--transport", "file", "--file-path", raw, "--file-format", "va", "--vaschema", schema, "--output", out, "--no-register", env=env)
    lines = result.out.splitlines()
    assert result.returncode == 0 and lines.count(line) == 1 and "error" not in json.loads(lines[-1]), result.out
    assert claims(out) == wanted and not any("lab.other" in text for text in lines)
    assert "WARNING" in result.err and "2.vadomain" in result.err, result.err
    result = run("decode", raw, "--format", "va", "--vaschema", schema, "--output", out, env=env)
    # the answer is all of standard output
    assert json.loads(result.out)["path"] == str(out) and line in result.err.splitlines(), (result.out, result.err)
    assert claims(out) == wanted
    # an instrument's channels are there after it is merged, and the other domain is asked then
    _, external = domains(dict(CLAIM, id="lab.ext", channels=[{"match": {"ns": "external", "name_prefix": "psu."}}, {"match": {"ns": "user_trace", "name": "psu.x"}}]))
    series, merged = TMP / "claims.ndjson", TMP / "claims merged.vadb"
    series.write_text('{"t_us": 1, "channel": "psu.x", "value": 1}\n{"t_us": 2, "channel": "psu.y", "value": 2}\n')
    result = run("import", out, "--series", series, "--output", merged, "--no-register", env=external)
    assert json.loads(result.out)["path"] == str(merged) and "Trace Domain lab.ext 0.3.1: claimed 2 channel(s)" in result.err.splitlines(), result.err
    assert claims(merged) == [[{"id": "lab.ext", "version": "0.3.1", "channels": 2}]]
    # and without domains nothing is said, nor taken away
    result = run("import", out, "--series", series, "--output", merged, "--no-register", env={"VA_DOMAINS_DIR": ""})
    assert claims(merged) == wanted
    result = run("decode", raw, "--format", "va", "--output", out, env={"VA_DOMAINS_DIR": ""})
    assert claims(out) == [] and "Trace Domain" not in result.out + result.err


if __name__ == "__main__":
    sys.exit(cli.main("/app/imports/"))
