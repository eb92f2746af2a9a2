/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctf-pad-private.h: CTF traces without packets, in a form that Babeltrace reads. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _TsCtfPad TsCtfPad;

char *_ts_ctf_pad_metadata (const char *text);
TsCtfPad *_ts_ctf_pad_new (char **folders,
                           const char *output,
                           GCancellable *cancellable,
                           GError **error);
void _ts_ctf_pad_free (TsCtfPad *self);
char **_ts_ctf_pad_get_folders (TsCtfPad *self);
GPtrArray *_ts_ctf_list_streams (const char *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCtfPad, _ts_ctf_pad_free)

G_END_DECLS
