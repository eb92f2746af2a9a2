/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctf-progress-private.h: how far the reading of a CTF trace is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _TsCtfProgress TsCtfProgress;

TsCtfProgress *_ts_ctf_progress_new (char **folders);
void _ts_ctf_progress_free (TsCtfProgress *self);
double _ts_ctf_progress_get (TsCtfProgress *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtfProgress, _ts_ctf_progress_free)

G_END_DECLS
