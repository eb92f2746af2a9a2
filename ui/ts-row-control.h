/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-row-control.h: names for the switches and numbers that stand in rows.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

void ts_row_control_take_name (GtkWidget *control,
                               AdwPreferencesRow *row);
void ts_row_control_name_switch (AdwExpanderRow *row);

G_END_DECLS
