#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says to an emulated probe what another program once said to one, transfer by transfer, over libusb; prints each answer that
differs, as a line of JSON: replay-transcript.py FILE.jsonl. To be run by emulated-probe."""
import ctypes
import json
import sys

usb = ctypes.CDLL("libusb-1.0.so.0")
usb.libusb_get_device_list.restype = ctypes.c_ssize_t
context, handle = ctypes.c_void_p(), ctypes.c_void_p()
devices = ctypes.POINTER(ctypes.c_void_p)()


def transfer(endpoint, data, length):
    buffer = ctypes.create_string_buffer(data, length) if data is not None else ctypes.create_string_buffer(length)
    done = ctypes.c_int(0)
    code = usb.libusb_bulk_transfer(handle, ctypes.c_ubyte(endpoint), buffer, ctypes.c_int(length), ctypes.byref(done),
                                    ctypes.c_uint(1000))
    return code, done.value, buffer.raw[:done.value]


assert usb.libusb_init(ctypes.byref(context)) == 0
assert usb.libusb_get_device_list(context, ctypes.byref(devices)) > 0
assert usb.libusb_open(ctypes.c_void_p(devices[0]), ctypes.byref(handle)) == 0
assert usb.libusb_claim_interface(handle, 0) == 0
said, n = "", 0
with open(sys.argv[1], encoding="utf-8") as f:
    for line in f:
        entry = json.loads(line)
        # the transcript holds the first 64 bytes of each transfer
        endpoint, length, told = int(entry["ep"], 16), entry["len"], bytes.fromhex(entry["hex"].rstrip("."))
        n += 1
        if endpoint < 0x80:
            said = told.hex()
            code, done, _ = transfer(endpoint, told.ljust(length, b"\0"), length)
            if code != 0 or done != length:
                print(json.dumps({"n": entry["n"], "said": said, "code": code}))
            continue
        if said.startswith("f242") and endpoint != 0x81:
            continue  # bytes of a pin that is silent here
        code, done, got = transfer(endpoint, None, max(length, 1))
        if code != 0 or done != length or got[:len(told)] != told:
            print(json.dumps({"n": entry["n"], "said": said, "code": code, "want": told.hex(), "want_len": length,
                              "got": got[:len(told)].hex(), "got_len": done}))
print(json.dumps({"transfers": n}))
