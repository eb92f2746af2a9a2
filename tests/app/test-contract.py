#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole surface of the command line: every verb and flag in both forms, completion, manual, contract, pages. Prints TAP.

test-contract.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import importlib.util
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

spec = importlib.util.spec_from_file_location("lab", Path(__file__).with_name("test-lab.py"))
lab = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lab)
cli = lab.cli
cli.TESTS.clear()
TMP, DATA, test, answer, decoded, refusal, run = cli.TMP, cli.DATA, cli.test, cli.answer, cli.decoded, cli.refusal, cli.run
ROOT = Path(__file__).resolve().parent.parent.parent


# ---------------------------------------------------------------- verbs and flags

# Source: viewalyzer-host.md sections 2.2 and 2.4
KEYS = """--target-device X --interface SWD --speed-khz 4000 --no-reset --stlink-serial X --jlink-serial X --stlink-apid 1
--cpu-clock-hz 1000000 --trace-clock-hz 1000000 --swo-freq-hz 2000000 --itm-port 1 --init-swo --no-init-swo --rambuf-scan-start 0x20000000
--rambuf-scan-size 131072 --rambuf-address 0x20000000 --rambuf-poll-ms 5 --rtt-channel 1 --rtt-address 0x20000000 --udp-ip 0.0.0.0
--udp-port 17200 --serial-port X --baud 921600 --cobs --no-cobs --stlink-gdb-port 61234 --stlink-swo-port 61235 --jlink-gdb-port 2331
--jlink-swo-port 2332 --jlink-telnet-port 2333 --rtt-port 19021 --jlink X --stlink X --cube-programmer X --arm-gdb X"""
TRACE = """--hardware-trace {} --dwt --dwt-exc --dwt-pc 64 --dwt-watch a@0x20000000:4:data-w:pc --dwt-counters sleep --dwt-path auto
--itm-ports 1 --itm-privilege 1 --itm-timestamps 16"""
TOOLS = "--jlink P --stlink P --cube-programmer P --arm-gdb P"
# Section 3.7, "common flags"
QUERY = """--recording REC --budget med --t-start-us 0 --t-end-us 1000 --bucket-us 100 --max-slices 5 --elf ELF --kinds mutex,isr
--channels filtered --threshold-us 500 --port 1 --runs REC --sections summary,tasks --tolerance-pct 30 --warn-pct 10 --schema 2 --pretty"""
# Section 3.2: verb form, flag form, what both take, and the code they answer with (None: success)
VERBS = [
    ("version", "--version", "--pretty", None),
    ("doctor", "--doctor", TOOLS, None),
    ("probes", "--list-probes", TOOLS, None),
    ("ports", "--list-ports", "", None),
    ("targets", "--list-targets", "--filter g474", None),
    ("symbols", "--list-symbols", "--elf ELF --filter main", None),
    ("memory", "--analyze-memory", "--elf ELF --map MAP", None),
    ("hwtrace", None, "--dry-run --arch v7m --cpu-clock-hz 170000000 --swo-freq-hz 2000000 --itm-port 1 --caps {} --no-init-swo " + TRACE, None),
    ("license get", "--get-license", "", None),
    ("license activate KEY", "--activate-license KEY", "", "unsupported"),
    ("license validate", "--validate-license", "", "unsupported"),
    ("license deactivate", "--deactivate-license", "", "unsupported"),
    ("recordings", "--list-recordings", "", None),
    ("recordings --delete-recording 000000000000", "--delete-recording 000000000000", "", "no_such_recording"),
    ("recordings --delete-all-recordings", "--delete-all-recordings", "", None),
    # the transport ends it after all flags have been read
    ("capture", "", f"--transport pigeon --output OUT --duration 0.5 --elf ELF --symbols level --poll-hz 10 --stream --stop-file STOP --no-register "
     f"--keep-va --verbose --log LOG --instrument-cmd true --instrument-series F {KEYS} {TRACE}", "bad_config"),
    ("capture --config CONFIG", "--config CONFIG", "--output OUT --duration 0.5", "bad_config"),
    ("capture --config CONFIG", "--config CONFIG", "--record OUT --duration 0.5", "bad_config"),
    ("poll", "--record-polls", "--elf ELF --symbols level --duration-s 0.5 --poll-hz 10 --transport udp --udp-port 1 --target-device D --output OUT "
     "--stream --no-register --stop-file STOP --log LOG --verbose", "bad_config"),
    ("poll", "--record-polls", "--elf ELF --symbols level --duration-s 0.5 --config CONFIG", "bad_config"),
    ("snapshot", "--snapshot", "--transport udp --output OUT --elf ELF --no-register", "bad_arguments udp"),
    ("reset", None, "--transport udp --udp-port 1", "bad_arguments udp"),
    ("query summary REC", "--query summary", "--recording REC --tier summary", None),
    ("load REC", "--replay REC", "", None),
    ("import REC", None, "--series SERIES --max-resid-us 500 --output OUT --no-register", None),
    ("domains", None, "", None),
    ("domains --parse-trace-domain DOMAIN", "--parse-trace-domain DOMAIN", "--pretty", None),
    ("demo", None, "--events 100 --seed 1 --rate 1000 --output OUT --no-register", None),
    ("decode RAW", None, "--output OUT --no-register", None),
]


def places():
    """Words of the tables that stand for a file."""
    files = {"REC": decoded(), "ELF": TMP / "table.elf", "MAP": TMP / "table.map", "OUT": TMP / "table-out.vadb", "STOP": TMP / "table-stop",
             "LOG": TMP / "table.log", "CONFIG": TMP / "table.vacf", "SERIES": TMP / "table.ndjson", "DOMAIN": TMP / "table.vadomain",
             "RAW": DATA / "m4_short.cobs"}
    lab.make_elf(files["ELF"], lab.FUNCTIONS, lab.VARIABLES)
    files["MAP"].write_text("Memory Configuration\n\nRAM 0x20000000 0x100 xrw\n\nLinker script and memory map\n\n.data 0x20000000 0x40\n")
    files["CONFIG"].write_text('{"transport": "pigeon"}')
    files["SERIES"].write_text('{"t_us": 1, "channel": "a", "value": 1}')
    files["DOMAIN"].write_text('{"id": "a", "name": "a", "version": "1", "domain_api": 1}')
    return files


def words(text, files):
    return [str(files.get(w, w)) for w in text.split()]


def with_equals(args):
    """--flag=value in place of --flag value."""
    joined = []
    for word in args:
        if joined and joined[-1].startswith("--") and "=" not in joined[-1] and not word.startswith("--"):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


@test
def every_verb_and_flag_of_the_contract_is_taken():
    files = places()
    for verb, flag_form, flags, code in VERBS:
        forms = [words(verb, files) + words(flags, files), ["--headless"] + words(verb, files) + words(flags, files),
                 words(verb, files) + with_equals(words(flags, files))]
        if flag_form is not None:
            forms.append(["--headless"] + words(flag_form, files) + words(flags, files))
        for args in forms:
            result = run(*args)
            value = json.loads(result.out if result.out.startswith("{\n") else result.out.splitlines()[-1])
            if code is None:
                assert result.returncode == 0 and "error" not in value, (args, result.out)
            else:
                wanted, *mentions = code.split()
                assert result.returncode == 1 and value["error"] == wanted, (args, result.out)
                assert all(m in value["message"] for m in mentions) and "flag" not in value["message"], (args, value)
                assert "pigeon" in value["message"] or "pigeon" not in args, (args, value)


@test
def every_query_takes_every_flag():
    files = places()
    flags = words(QUERY, files)
    # verb: what else it needs, its tiers, its code
    more = {"sql": ["--sql", "SELECT 1"], "series": ["--kind", "interval", "--task", "Ctrl", "--metric", "exec", "--from", "resource:SampSem", "--to", "trace:filtered"],
            "fingerprint": ["--out", TMP / "table.vafp.json"], "compare": ["--baseline", decoded()]}
    hardware = ("profile", "itm-console", "dwt-data", "dwt-exc", "dwt-counters", "swo-load")
    tiers = dict({v: ("summary", "bucketed", "raw") for v in ("timeline", "events", "user-traces")}, timers=("summary", "raw"))
    for verb in ("summary", "timeline", "events", "user-traces", "timers", "cpu", "comms", "series", "inversions", "verdicts", "sql", "slices",
                 "slice-details", "events-all", "user-traces-all", "fingerprint", "compare") + hardware:
        for tier in tiers.get(verb, (None,)):
            args = flags + list(map(str, more.get(verb, []))) + (["--tier", tier] if tier else [])
            answers = []
            for form in (["query", verb], ["--headless", "--query", verb]):
                result = run(*form, *args)
                value = json.loads(result.out)
                if verb in hardware:
                    assert value["error"] == "no_hw_trace", (verb, value)
                else:
                    assert "error" not in value and result.returncode in ((0, 2) if verb == "compare" else (0,)), (verb, value)
                    assert value["query"] == verb and value["schema_version"] == 2 and {"recording_id", "path", "budget"} <= set(value), (verb, list(value))
                    assert tier is None or value["tier"] == tier
                answers.append(value)
            assert answers[0] == answers[1], verb


# ---------------------------------------------------------------- at a prompt

# What each shell would offer for the last of some words. zsh has no completion outside of its editor: what it would be told is printed.
SHELLS = {
    "bash": ["bash", "--norc", "-c", """source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _taskscope_cli
printf "%s\\n" "${COMPREPLY[@]}\""""],
    "zsh": ["zsh", "-f", "-c", """compdef () { : }; compadd () { shift; print -l -- "$@" }; _files () { print -l -- * }
source "$0"; words=("$@"); CURRENT=$#; _taskscope_cli"""],
    "fish": ["fish", "-N", "-c", """source $argv[1]; complete -C (string escape -- $argv[2..-2] | string join " ")" $argv[-1]\""""],
}


def completed(shell, *line):
    script = TMP / f"completion.{shell}"
    if not script.exists():
        script.write_text(run("completion", shell).out)
    result = subprocess.run([*SHELLS[shell], str(script), "taskscope-cli", *line], capture_output=True, text=True, timeout=60, cwd=TMP,
                            env=dict(cli.ENV, HOME=str(TMP)))
    assert result.returncode == 0 and not result.stderr, (shell, line, result.stderr)
    return sorted(w.split("\t")[0] for w in result.stdout.split("\n") if w.startswith(line[-1]) and w)


def check_completion(shell):
    if not shutil.which(shell):
        raise cli.Skip(f"{shell} is not installed")
    verbs = completed(shell, "")
    assert {"capture", "query", "hwtrace", "import", "load", "targets", "completion"} <= set(verbs), verbs
    for args, offers in (
            (["exp"], ["export"]),
            (["query", "dwt-"], ["dwt-counters", "dwt-data", "dwt-exc"]),
            (["capture", "--swo"], ["--swo-freq-hz", "--swo-tcp-host", "--swo-tcp-port"]),
            (["hwtrace", "--dry"], ["--dry-run"]),
            (["query", "compare", "--as", ""], ["html", "junit", "md", "ndjson", "table"]),
            (["query", "--tier", "raw", "summ"], ["summary"]),
            (["capture", "--transport", "stlink-r"], ["stlink-rambuf", "stlink-rtt"]),
            (["completion", ""], ["bash", "fish", "zsh"])):
        assert completed(shell, *args) == offers, (shell, args, completed(shell, *args))
    (TMP / "beside.vadb").write_text("")
    assert completed(shell, "load", "besi") == ["beside.vadb"]
    # the value of a flag is a file, also where a word of the verb could stand
    assert completed(shell, "query", "--recording", "besi") == ["beside.vadb"]
    assert "print" in verbs and not [w for w in completed(shell, "print", "--dwt") if w.startswith("--")]


@test
def bash_completes_verbs_flags_and_values():
    assert run("completion").out == run("completion", "bash").out
    check_completion("bash")
    for verb in completed("bash", ""):
        if not verb.startswith("--") and verb != "help":
            assert not run(verb, "--no-such-flag").out.count("There is no verb"), verb
    refusal("bad_arguments", "completion", "tcsh", mentions=["tcsh", "bash", "zsh", "fish"])


@test
def zsh_completes_verbs_flags_and_values():
    check_completion("zsh")


@test
def fish_completes_verbs_flags_and_values():
    check_completion("fish")


@test
def the_manual_names_every_verb_and_flag():
    manual = Path(__file__).resolve().parent.parent.parent / "data" / "man" / "taskscope-cli.1"
    text = re.sub(r"\\f.", " ", manual.read_text().replace("\\-", "-"))
    script = run("completion").out
    verbs = re.search(r' verbs="([^"]*)"', script)[1].split()
    missing = [v for v in verbs if not re.search(rf"\b{v}\b", text)]
    flags = {f for line in re.findall(r'flags="([^"]*)"', script) for f in line.split()}
    missing += sorted(f for f in flags if not re.search(rf"{f}\b(?!-)", text))
    assert not missing, missing


@test
def every_row_of_the_contract_has_its_test():
    """tests/CONTRACT.md: the tests it names exist; where the description of the contract is at hand, no row of it is missing."""
    tests = Path(__file__).resolve().parent.parent
    page = (tests / "CONTRACT.md").read_text()
    code = "".join((tests / "app" / f).read_text() for f in ("test-cli.py", "test-lab.py", "test-contract.py", "test-hostile.py"))
    for row in re.findall(r"^\|(?! row)(?!-)(.*)\|$", page, re.M):
        cells = row.split("|")
        assert len(cells) == 2 and re.search(r"`", cells[1]), row
        path = None
        for name in re.findall(r"`([^`]+)`", cells[1]):
            if "/" in name:
                path = tests.parent / name
                assert path.exists(), name
            elif path is None or (name not in path.read_text() and f"def {name.replace(' ', '_')}(" not in path.read_text()):
                assert f"def {name}(" in code, (path, name)
    spec = Path(os.environ.get("TASKSCOPE_SHARED", tests.parent.parent / "shared")) / "spec" / "viewalyzer-host.md"
    if not spec.exists():
        raise cli.Skip("no description of the contract")
    text = spec.read_text()
    text = text[text.index("### 4.1"):text.index("### 4.5")]
    known = set(re.findall(r"`(test_\w+)", page))
    missing = []
    for line in text.splitlines():
        if line.startswith("| `") and not line.rstrip(" |").endswith("| client"):
            missing += [n for n in re.findall(r"`(test_\w+)", line.split("|")[1]) if n not in known]
    assert not missing, missing


# ---------------------------------------------------------------- what suites of users rely on

@test
def both_spellings_of_answers_say_the_same():
    """Section 3.7, "contradictions in public text"."""
    path = decoded()
    v = answer("query", "timeline", path)
    assert v["tasks"] == v["data"]["tasks"] and v["anomalies"] == v["data"]["anomalies"]
    assert all(v["task_legend"][t["code"]]["name"] == t["name"] and re.fullmatch(r"T\d+", t["code"]) for t in v["tasks"])
    lanes = {t["name"]: t for t in v["tasks"]}
    tick = lanes["ISR:DUALTIM"]
    assert tick["p99_slice_us"] > 0 and {"max_jitter_us", "min_jitter_us", "cpu_percent", "preemptions"} <= set(tick)
    v = answer("query", "user-traces", path)
    assert set(v["channels"]) == set(v["trace_legend"]) == {t["code"] for t in v["traces"]}
    for t in v["traces"]:
        assert v["trace_legend"][t["code"]]["name"] == t["name"]
        assert all(v["channels"][t["code"]][k] == t[k] for k in ("count", "min", "max", "mean", "last", "rms", "std_dev", "rate_hz"))
    one, = answer("query", "user-traces", path, "--channels", "filtered")["traces"]
    code = one["code"]
    assert [t["name"] for t in answer("query", "user-traces", path, "--channels", code)["traces"]] == ["filtered"]
    v = answer("query", "events", path)
    assert v["by_kind"] == v["counts_by_kind"] and sum(v["by_kind"].values()) >= cli.count_events("m4_short") and v["top_objects"]
    v = answer("query", "series", path, "--kind", "cpu-load", "--bucket-us", "100000")
    assert v["kind"] == v["data"]["kind"] == "cpu-load" and v["points"] == v["data"]["points"]
    v = answer("symbols", "--elf", cli.CLI, "--filter", "ts_cli_run")
    assert v["symbols"] == v["symbol_legend"] and all(isinstance(s["address"], int) and int(s["address_hex"], 16) == s["address"] for s in v["symbols"])


@test
def losses_are_counted_as_they_are():
    known = cli.expected("m4_short_udp_loss")["intact"]
    path = TMP / "loss.vadb"
    answer("decode", DATA / "m4_short_udp_loss.udprec", "--format", "va-udprec", "--output", path)
    rows = dict(cli.sql(path, "SELECT key, value FROM va_summary"))
    assert (rows["seq_present"], rows["lost_events"], rows["seq_gaps"]) == ("1", str(known["lost_packets"]), str(known["gap_count"])), rows
    assert int(rows["corrupt_bytes"]) > 0 and float(rows["span_seconds"]) > 0 and int(rows["total_events"]) > 0
    legacy = TMP / "no-loss.vadb"
    answer("decode", DATA / "legacy_u16.cobs", "--format", "va-cobs", "--output", legacy)
    rows = dict(cli.sql(legacy, "SELECT key, value FROM va_summary"))
    assert rows["seq_present"] == "0" and "lost_events" not in rows and "seq_gaps" not in rows and rows["corrupt_bytes"] == "0"


@test
def recordings_are_plain_files_when_the_program_ends():
    path = TMP / "odd, name #1 %41?.vadb"
    ask = ("capture", "--transport", "file", "--file-path", DATA / "m4_short.cobs", "--output", path, "--no-register")
    for _ in range(2):
        result = run(*ask)
        assert result.returncode == 0, result.out
        assert [f for f in TMP.iterdir() if f.name.startswith("odd,")] == [path]
        assert path.read_bytes()[18:20] == b"\1\1", "rollback journal"
        con = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        for table in ("meta", "va_summary", "va_task_stats", "va_events", "va_objects", "va_trace_stats", "health", "raw_log"):
            con.execute(f"SELECT * FROM {table} LIMIT 1").fetchall()
        try:
            con.execute("DELETE FROM meta")
            raise AssertionError("a read-only connection wrote")
        except sqlite3.OperationalError:
            pass
        # the second round writes over the file while this one is still being read
        rows = con.execute("SELECT name FROM va_task_stats ORDER BY cpu_percent DESC")
        assert rows.fetchone()


@test
def symbols_on_a_capture_without_a_probe_warn():
    for more, word in ((["--symbols", "level", "--elf", cli.CLI], "--symbols"), (["--symbols", "level"], "--symbols"), (["--poll-hz", "50"], "--poll-hz")):
        result = run("--headless", "--output", TMP / "warn.vadb", "--duration", "20", "--transport", "file", "--file-path", DATA / "m4_short.cobs",
                     "--no-register", "--stream", *more)
        assert result.returncode == 0 and json.loads(result.out.splitlines()[-1])["summary"]["events"] == cli.count_events("m4_short"), result.out
        warnings = [line for line in result.err.splitlines() if not line.startswith("{")]
        assert any("WARNING" in line and word in line for line in warnings), warnings
        assert json.loads([line for line in result.err.splitlines() if line.startswith("{")][0])["t"] == "stream_init"


@test
def a_session_that_nobody_reads_is_stopped():
    out, stop = TMP / "abandoned.vadb", TMP / "abandoned-stop"
    p = cli.start("--headless", "--transport", "demo", "--demo-rate", "100000", "--output", out, "--duration", "60", "--stop-file", stop, "--stream",
                  "--no-register")
    first = p.stderr.readline()
    assert json.loads(first)["t"] == "stream_init"
    cli.wait_for_rows(out, 50000)     # far more lines than a pipe holds
    stop.write_text("")
    p.send_signal(signal.SIGINT)
    # as a client does at last: it closes its ends
    assert p.wait(15) == 0
    value = json.loads(p.stdout.read().decode().splitlines()[-1])
    p.stdout.close(), p.stderr.close()
    assert answer("query", "summary", out)["data"]["events"] == value["summary"]["events"] > 50000


def on_a_terminal(*args):
    """Standard output of a run whose standard error is a terminal, and what that terminal saw."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen([cli.CLI, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=cli.ENV)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:     # nobody has the other end any more
            break
        if not piece:
            break
        seen += piece
    out = p.stdout.read().decode()
    p.stdout.close()
    os.close(ours)
    assert p.wait(60) == 0, (args, out, seen)
    return out, seen.decode("utf-8", "replace")


@test
def progress_is_for_a_terminal_alone():
    out = TMP / "progress.vadb"
    for args, pattern in ((("demo", "--output", out, "--events", "300000"), r"\r *\d+ %"),
                          (("export", "--recording", out, "--output", TMP / "progress.csv"), r"\r *\d+ %"),
                          (("capture", "--transport", "demo", "--output", out, "--duration", "1.2", "--no-register"),
                           r"\r\d\.\d s  \d+ events  \d+/s")):
        text, seen = on_a_terminal(*args)
        assert re.search(pattern, seen), (args, seen)
        # the line is wiped at the end, and nothing of it is in the answer
        assert seen.rstrip("\n").endswith("\r\x1b[K") and "\r" not in text and "error" not in json.loads(text.splitlines()[-1]), (seen, text)
        assert "\r" not in run(*args).err
    # what a trigger holds grows to what it was asked to hold
    text, seen = on_a_terminal("capture", "--transport", "demo", "--output", out, "--duration", "1.2", "--no-register", "--trigger", "lane:Never",
                               "--trigger-before-ms", "300", "--trigger-after-ms", "100")
    held = [float(x) for x in re.findall(r"waiting for the trigger: (\d\.\d) of 0\.3 s before it are held", seen)]
    assert held and held == sorted(held) and max(held) <= 0.3, seen
    # JSON lines share standard error with nothing
    text, seen = on_a_terminal("capture", "--transport", "demo", "--output", out, "--duration", "0.7", "--no-register", "--stream")
    assert all(json.loads(line)["t"] for line in seen.replace("\r\n", "\n").splitlines() if line.startswith("{")) and "events  " not in seen


# ---------------------------------------------------------------- the page for build servers

def steps_of(recipe):
    """What the steps of a job run, in order, of the subset of YAML that the page uses."""
    lines, steps, i = recipe.splitlines(), [], 0
    while i < len(lines):
        found = re.match(r"( *)- run: (.*)", lines[i])
        i += 1
        if not found:
            continue
        script = found[2]
        if script == "|":
            indent, script = len(found[1]) + 4, ""
            while i < len(lines) and lines[i].startswith(" " * indent):
                script += lines[i][indent:] + "\n"
                i += 1
        always = i < len(lines) and lines[i].strip() == "if: always()"
        steps.append((script, always))
    return steps


@test
def the_recipe_for_build_servers_works():
    page = (ROOT / "README.md").read_text()
    recipe, = re.findall(r"^```yaml\n(golden-run:.*?)^```", page, re.M | re.S)
    golden, = [b for b in re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S) if "--out golden.vafp.json" in b]
    steps = steps_of(recipe)
    builds = [script for script, _ in steps if "meson" in script or "./dev" in script]
    own = [(script, always) for script, always in steps if "taskscope-cli" in script]
    assert len(builds) == 2 and len(own) == 3, steps
    # what builds it is the block above, word by word, and its options are there; that it builds so is the house's test no-gui
    for line in re.findall(r"^\$ (.*(?:dev deps|build-cli).*)$", page, re.M):
        assert any(line in script for script in builds), line
    options = (ROOT / "meson_options.txt").read_text()
    assert all(f"option('{o}'" in options for o in re.findall(r"-D(gui|tests)=", builds[1])) and "-Dgui=disabled" in builds[1]
    result = subprocess.run([ROOT / "dev", "deps", "--list", "build"], capture_output=True, text=True, timeout=60, env=dict(cli.ENV, DEV_NO_GUI="1"))
    assert result.returncode == 0 and "libsqlite3-dev" in result.stdout and "gtk" not in result.stdout and "qemu" not in result.stdout, result

    folder = TMP / "job"
    folder.mkdir()
    env = dict(cli.ENV, PATH=f"{Path(cli.CLI).resolve().parent}:{os.environ['PATH']}", GITHUB_STEP_SUMMARY=str(folder / "summary.md"))

    def job():
        failed = False
        for script, always in own:
            if not failed or always:
                result = subprocess.run(["sh", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=100)
                failed = failed or result.returncode
        return failed

    subprocess.run(["sh", "-e", "-c", golden], cwd=folder, env=env, check=True, capture_output=True, timeout=100)
    for name in ("today.vadb", "good.vadb"):
        (folder / name).unlink()
    assert job() == 0
    assert xml.etree.ElementTree.parse(folder / "report.xml").getroot().get("failures") == "0"
    # the target has become slower: a number of the golden run says so
    text = json.loads((folder / "golden.vafp.json").read_text())
    m = text["metrics"]["summary.event_rate_hz"]
    m["value"] = m["min"] = m["max"] = m["value"] * 2
    (folder / "golden.vafp.json").write_text(json.dumps(text))
    (folder / "summary.md").unlink()
    assert job() == 2
    suite = xml.etree.ElementTree.parse(folder / "report.xml").getroot()
    assert suite.get("failures") == "1" and "summary.event_rate_hz" in [c.get("name") for c in suite.findall("testcase") if c.find("failure") is not None]
    assert '<h1 class="fail">fail</h1>' in (folder / "report.html").read_text() and "# Golden run: fail" in (folder / "summary.md").read_text()


if __name__ == "__main__":
    sys.exit(cli.main("/app/contract/"))
