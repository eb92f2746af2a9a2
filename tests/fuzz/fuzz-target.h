/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz-target.h: what a fuzz target offers: to libFuzzer, or to replay.c as an ordinary test. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
