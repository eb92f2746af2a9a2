/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-progress.h: how far work has got, in a bar. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ts_progress_show (GtkProgressBar *bar,
                       double fraction);

G_END_DECLS
