#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces for other programs, from outside: CTF read by babeltrace2, trace runs as ctrace writes them. Prints TAP.

test-traces.py PATH-OF-taskscope-cli [NAME...]    as test-cli.py, whose helpers it uses
"""
import csv
import importlib.util
import os
import re
import shutil
import subprocess
import sys
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


if __name__ == "__main__":
    sys.exit(cli.main("/app/traces/"))
