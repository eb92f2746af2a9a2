#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifest, checked and turned into one that builds from a Debian mirror. Used by local.sh.

    local-manifest.py check MANIFEST.json
    local-manifest.py fetch MANIFEST.json SOURCES MIRROR
    local-manifest.py localise MANIFEST.json SOURCES ROOT PLATFORM SDK SUITE OUTPUT.json

MANIFEST.json is what "flatpak-builder --show-manifest" prints. Standard library only.
"""
import getpass
import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

# Module -> Debian's source package. The version is the one the manifest's address names.
DEBIAN = {"libserialport": "libserialport", "libusb": "libusb-1.0", "libyaml": "libyaml",
          "libjaylink": "libjaylink", "opencsd": "libopencsd", "elfutils": "elfutils",
          "babeltrace2": "babeltrace2"}


def archives(manifest):
    """(module, source) of everything that is downloaded."""
    for module in manifest["modules"]:
        for source in module.get("sources", []):
            if isinstance(source, dict) and source.get("url"):
                yield module, source


def version_of(module, source):
    m = re.search(r"(\d+(?:\.\d+)+)(?=[^/]*$)", source["url"].replace(".tar", "/").rsplit("/", 1)[0])
    if not m:
        m = re.search(r"(\d+(?:\.\d+)+)", source["url"])
    return m.group(1) if m else ""


# ---------------------------------------------------------------- check
def check(manifest):
    """What Flathub's linter asks for and needs no network, and what we promise ourselves."""
    bad = []
    app = manifest.get("id", "")
    args = manifest.get("finish-args", [])
    if not re.fullmatch(r"[a-z]+(\.[A-Za-z_][\w-]*){2,}", app):
        bad.append("id %r" % app)
    if not manifest.get("command"):
        bad.append("no command")
    allowed = {"--socket=wayland", "--socket=fallback-x11", "--share=ipc", "--share=network",
               "--device=all"}
    for a in args:
        if a not in allowed:
            bad.append("finish-arg %s: nobody asked for it" % a)
    if "--socket=fallback-x11" in args and not {"--socket=wayland", "--share=ipc"} <= set(args):
        bad.append("fallback-x11 wants wayland and ipc")
    for module, source in archives(manifest):
        if source.get("type") != "archive" or not re.fullmatch(r"[0-9a-f]{64}", source.get("sha256", "")):
            bad.append("%s: not an archive pinned by its SHA-256" % module["name"])
        if not source["url"].startswith("https://"):
            bad.append("%s: %s" % (module["name"], source["url"]))
    for module in manifest["modules"]:
        if any("network" in x for x in module.get("build-options", {}).get("build-args", [])):
            bad.append("%s: network while building" % module["name"])
    own = manifest["modules"][-1]
    if not own.get("run-tests"):
        bad.append("%s: its tests do not run" % own["name"])
    for b in bad:
        print("   " + b)
    print("   %d modules, %d pinned archives, %d permissions"
          % (len(manifest["modules"]), len(list(archives(manifest))), len(args)))
    return 1 if bad else 0


# ---------------------------------------------------------------- fetch
def index(folder):
    """(package, upstream version) -> (directory, file, sha256) of Debian's original archives."""
    found = {}
    for suite in ("bookworm", "trixie"):
        with lzma.open(folder / (suite + ".xz"), "rt", encoding="utf-8") as f:
            for block in f.read().split("\n\n"):
                m = re.match(r"Package: (\S+)", block)
                if not m or m.group(1) not in DEBIAN.values():
                    continue
                version = re.search(r"^Version: (?:\d+:)?([^-\n]+)", block, re.M).group(1)
                where = re.search(r"^Directory: (\S+)", block, re.M).group(1)
                sums = re.search(r"^Checksums-Sha256:\n((?: .*\n?)+)", block, re.M).group(1)
                for line in sums.splitlines():
                    sha, _, name = line.split()
                    if re.search(r"\.orig\.tar\.(gz|bz2|xz)$", name):
                        found[(m.group(1), version)] = (where, name, sha)
    return found


def fetch(manifest, folder, mirror):
    debian = index(folder)
    chosen = {}
    for module, source in archives(manifest):
        name, version = module["name"], version_of(module, source)
        package = DEBIAN.get(name)
        hit = debian.get((package, version)) or debian.get((package, version + "+dfsg"))
        if not hit:
            have = sorted(v for p, v in debian if p == package)
            print("   %s %s: Debian has %s only" % (name, version, ", ".join(have) or "nothing"))
            return 1
        where, file, sha = hit
        target = folder / file
        if not target.exists() or hashlib.sha256(target.read_bytes()).hexdigest() != sha:
            got = subprocess.run(["/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=" + getpass.getuser(), "download-file", "%s/%s/%s" % (mirror, where, file),
                            str(target), "SHA256:" + sha], check=False, capture_output=True)
            if got.returncode:
                # what the program cannot do without fails its build
                print("   %s %s: the mirror does not have the archive it names: LEFT OUT HERE" % (name, version))
                chosen[name] = None
                continue
        same = sha == source.get("sha256")
        print("   %s %s: Debian's archive %s" % (name, version, "is the pinned one, byte for byte" if same else
                                                 "is not the pinned one (Debian packs it itself)"))
        chosen[name] = {"file": file, "sha256": sha, "same": same}
    (folder / "chosen.json").write_text(json.dumps(chosen, indent=1))
    return 0


# ---------------------------------------------------------------- localise
def localise(manifest, folder, root, platform, sdk, suite, output):
    chosen = json.loads((folder / "chosen.json").read_text())
    manifest.update({"runtime": platform, "sdk": sdk, "runtime-version": suite, "branch": "local"})
    manifest["modules"] = [m for m in manifest["modules"] if chosen.get(m["name"], True) is not None]
    for module, source in archives(manifest):
        got = chosen[module["name"]]
        print("   %s: %s from the mirror instead of %s" % (module["name"], got["file"], source["url"]))
        source.pop("url")
        source.update({"path": str(folder / got["file"]), "sha256": got["sha256"]})
    own = manifest["modules"][-1]
    # what git knows, and nothing else: no build folders, no caches
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"], check=True,
                            capture_output=True).stdout.decode().split("\0")
    tar = output.parent / "taskscope.tar"
    subprocess.run(["tar", "-C", root, "-cf", str(tar), "--no-recursion", "--transform", "s,^,taskscope/,",
                    "--null", "--verbatim-files-from", "-T", "-"],
                   input="\0".join(f for f in listed if f and os.path.lexists(os.path.join(root, f))).encode(),
                   check=True)
    own["sources"] = [{"type": "archive", "path": str(tar),
                       "sha256": hashlib.sha256(tar.read_bytes()).hexdigest()}]
    print("   %s: the files git knows in this checkout" % own["name"])
    output.write_text(json.dumps(manifest, indent=1))
    return 0


def main(argv):
    verb, manifest = argv[1], json.loads(Path(argv[2]).read_text())
    if verb == "check":
        return check(manifest)
    if verb == "fetch":
        return fetch(manifest, Path(argv[3]), argv[4])
    return localise(manifest, Path(argv[3]), argv[4], argv[5], argv[6], argv[7], Path(argv[8]))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
