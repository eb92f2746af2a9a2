/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe-list-view.h: the probes that are plugged in, kept up to date, to choose one. */
#pragma once

#include <adwaita.h>

#include "capture/ts-connection.h"

G_BEGIN_DECLS

#define TS_TYPE_PROBE_LIST_VIEW (ts_probe_list_view_get_type ())
G_DECLARE_FINAL_TYPE (TsProbeListView, ts_probe_list_view, TS, PROBE_LIST_VIEW, GtkBox)

/* Signals: "chosen" (transport, serial): the user wants this probe. */
GtkWidget *ts_probe_list_view_new (void);
void ts_probe_list_view_watch (TsProbeListView *self);
void ts_probe_list_view_set_probes (TsProbeListView *self,
                                    GPtrArray *probes);
void ts_probe_list_view_set_transport (TsProbeListView *self,
                                       const char *transport);
void ts_probe_list_view_set_target (TsProbeListView *self,
                                    TsConnection *connection,
                                    const char *text);
guint ts_probe_list_view_get_n_probes (TsProbeListView *self);

G_END_DECLS
