/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-session.h: what a person made of a recording: marks with notes, place, lanes, filters. Kept
 * outside the recording, in a file of the user's state folder named after the recording's id. No
 * GTK.
 */
#pragma once

#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

/** A place with a note. */
typedef struct
{
  gint64 time;
  char *note;
} TsMark;

typedef struct _TsSession TsSession;

TsSession *ts_session_new (TsRecording *recording);
void ts_session_free (TsSession *self);
gboolean ts_session_load (TsSession *self);
gboolean ts_session_save (TsSession *self,
                          GError **error);
const char *ts_session_get_path (TsSession *self);

void ts_session_take_view (TsSession *self,
                           TsViewState *view);
void ts_session_apply_view (TsSession *self,
                            TsViewState *view);
void ts_session_set_filters (TsSession *self,
                             const char * const *filters);
const char * const *ts_session_get_filters (TsSession *self);
void ts_session_set_lane_percent (TsSession *self,
                                  double percent);
double ts_session_get_lane_percent (TsSession *self);

guint ts_session_get_n_marks (TsSession *self);
const TsMark *ts_session_get_mark (TsSession *self,
                                   guint index);
void ts_session_add_mark (TsSession *self,
                          gint64 time,
                          const char *note);
gboolean ts_session_remove_mark (TsSession *self,
                                 gint64 time);
void ts_session_show_marks (TsSession *self,
                            TsViewState *view);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSession, ts_session_free)

G_END_DECLS
