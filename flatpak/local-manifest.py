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
# Debian's packages of a library, for when the mirror lists its source but does not have it.
SUITE = "trixie"
BINARIES = {"libjaylink": ("libjaylink0", "libjaylink-dev")}


def archives(manifest):
    """(module, source) of everything that is downloaded."""
    for module in manifest["modules"]:
        for source in module.get("sources", []):
            if isinstance(source, dict) and source.get("url"):
                yield module, source


def architecture():
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True,
                          text=True).stdout.strip()


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


def download(address, target, sha):
    """Whether TARGET is there and is the archive that SHA names."""
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == sha:
        return True
    got = subprocess.run(["/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=" + getpass.getuser(),
                          "download-file", address, str(target), "SHA256:" + sha],
                         check=False, capture_output=True)
    return got.returncode == 0


def binaries(module, folder, mirror, suite, arch):
    """Debian's packages that stand in for a module: [{"file", "sha256", "version"}], or None."""
    wanted = BINARIES.get(module)
    lists = folder / ("%s-%s.xz" % (suite, arch))
    if not wanted:
        return None
    if not lists.exists():
        address = "%s/dists/%s/main/binary-%s/Packages.xz" % (mirror, suite, arch)
        subprocess.run(["/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=" + getpass.getuser(),
                        "download-file", address, str(lists)], check=False, capture_output=True)
    if not lists.exists():
        return None
    found = {}
    with lzma.open(lists, "rt", encoding="utf-8") as f:
        for block in f.read().split("\n\n"):
            m = re.match(r"Package: (\S+)", block)
            if m and m.group(1) in wanted:
                where = re.search(r"^Filename: (\S+)", block, re.M).group(1)
                found[m.group(1)] = {
                    "address": where, "file": where.rsplit("/", 1)[1],
                    "sha256": re.search(r"^SHA256: (\S+)", block, re.M).group(1),
                    "version": re.search(r"^Version: (\S+)", block, re.M).group(1)}
    if set(found) != set(wanted):
        return None
    for b in found.values():
        if not download("%s/%s" % (mirror, b.pop("address")), folder / b["file"], b["sha256"]):
            return None
    return [found[w] for w in wanted]


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
        if not download("%s/%s/%s" % (mirror, where, file), folder / file, sha):
            stand_in = binaries(name, folder, mirror, SUITE, architecture())
            # what the program cannot do without fails its build
            print("   %s %s: the mirror lists the archive and does not have it: %s"
                  % (name, version, "LEFT OUT HERE" if stand_in is None else
                     "Debian's built package %s HERE" % stand_in[0]["version"]))
            chosen[name] = None if stand_in is None else {"packages": stand_in}
            continue
        same = sha == source.get("sha256")
        print("   %s %s: Debian's archive %s" % (name, version, "is the pinned one, byte for byte" if same else
                                                 "is not the pinned one (Debian packs it itself)"))
        chosen[name] = {"file": file, "sha256": sha, "same": same}
    (folder / "chosen.json").write_text(json.dumps(chosen, indent=1))
    return 0


# ---------------------------------------------------------------- localise
def unpacked(module, folder, packages):
    """MODULE becomes Debian's own build of it, unpacked into /app."""
    print("   %s: %s from the mirror instead of its source"
          % (module["name"], ", ".join(p["file"] for p in packages)))
    module.pop("config-opts", None)
    module["buildsystem"] = "simple"
    module["build-commands"] = [
        "for f in *.deb; do dpkg-deb -x $f tree; done",
        "mkdir -p /app/lib/pkgconfig",
        "cp -a tree/usr/lib/*/*.so* /app/lib/",
        "cp -a tree/usr/include /app/",
        "for f in tree/usr/lib/*/pkgconfig/*.pc; do"
        " sed -e 's,^prefix=.*,prefix=/app,' -e 's,^libdir=.*,libdir=/app/lib,' $f"
        " >/app/lib/pkgconfig/$(basename $f); done"]
    module["sources"] = [{"type": "file", "path": str(folder / p["file"]), "sha256": p["sha256"]}
                         for p in packages]


def localise(manifest, folder, root, platform, sdk, suite, output):
    chosen = json.loads((folder / "chosen.json").read_text())
    manifest.update({"runtime": platform, "sdk": sdk, "runtime-version": suite, "branch": "local"})
    manifest["modules"] = [m for m in manifest["modules"] if chosen.get(m["name"], True) is not None]
    for module, source in list(archives(manifest)):
        got = chosen[module["name"]]
        if "packages" in got:
            unpacked(module, folder, got["packages"])
            continue
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
