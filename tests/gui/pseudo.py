#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pseudo translation that is written from right to left: every text of the program, its letters
replaced by Arabic ones. What is still Latin in a picture of it is not translatable.

    pseudo.py TRANSLATION.po FOLDER      writes FOLDER/ar/LC_MESSAGES/taskscope.mo

TRANSLATION.po gives the texts; it should be complete. Standard library only; needs msgfmt.
"""
import ast
import re
import subprocess
import sys
from pathlib import Path

LATIN = "abcdefghijklmnopqrstuvwxyz"
ARABIC = "ابجدهوزحطيكلمنسعفصقرشتثخذض"
LETTERS = str.maketrans(LATIN + LATIN.upper(), ARABIC + ARABIC)
# what a program or a person needs as it is: formats, markup, keys of menus
FIXED = re.compile(r"(%[-+ #0]*[\d.*]*(?:<PRI\w+>|[hlz]*[diouxXeEfgGcsp%])|<[^>]+>|_|--?[a-z][a-z-]*|\.[a-z]{2,})")


def pseudo(text):
    return "".join(part if i % 2 else part.translate(LETTERS) for i, part in enumerate(FIXED.split(text)))


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


def main(argv):
    source, folder = Path(argv[1]).read_text(encoding="utf-8"), Path(argv[2]) / "ar" / "LC_MESSAGES"
    out = ['msgid ""\nmsgstr ""\n"Language: ar\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
           '"Content-Transfer-Encoding: 8bit\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n']
    for entry in source.split("\n\n")[1:]:
        parts = {}
        for key, strings in re.findall(r'^(msg\w+(?:\[\d\])?) ((?:".*"\n?)+)', entry + "\n", re.M):
            parts[key] = "".join(ast.literal_eval(s) for s in re.findall(r'".*"', strings))
        if not parts.get("msgid"):
            continue
        lines = ["msgctxt " + quoted(parts["msgctxt"])] if "msgctxt" in parts else []
        lines.append("msgid " + quoted(parts["msgid"]))
        if "msgid_plural" in parts:
            lines += ["msgid_plural " + quoted(parts["msgid_plural"]),
                      "msgstr[0] " + quoted(pseudo(parts["msgid"])),
                      "msgstr[1] " + quoted(pseudo(parts["msgid_plural"]))]
        else:
            lines.append("msgstr " + quoted(pseudo(parts["msgid"])))
        out.append("\n".join(lines) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["msgfmt", "-o", str(folder / "taskscope.mo"), "-"], input="\n".join(out).encode(),
                   check=True)


main(sys.argv)
