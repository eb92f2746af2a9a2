/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-list-keys.h: which row a key leads to, in every list that moves by itself. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean ts_list_key_move (guint keyval,
                           gint64 n_rows,
                           gint64 page,
                           gint64 *row);

G_END_DECLS
