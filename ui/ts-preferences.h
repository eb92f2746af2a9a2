/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-preferences.h: the window of preferences. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

GtkWindow *ts_preferences_show (GtkWindow *parent);

G_END_DECLS
