/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake-recording.h: a recording made by hand, slice by slice, linked in place of the model's.
 *
 * Answers the same questions by the simplest means, so that tests of the display list know exactly
 * what it was given.
 */
#pragma once

#include "model/ts-recording.h"

G_BEGIN_DECLS

TsRecording *fake_recording_new (guint64 clock_hz,
                                 gint64 duration);
void fake_recording_set_live (TsRecording *self,
                              gboolean is_live);
void fake_recording_set_duration (TsRecording *self,
                                  gint64 duration);
void fake_recording_set_meta (TsRecording *self,
                              const char *key,
                              const char *value);
/* Slices may be this many before the answer comes as columns. */
void fake_recording_set_max_slices (TsRecording *self,
                                    guint max_slices);
/* Defines object and lane of the same id; returns the id. */
guint32 fake_recording_add_lane (TsRecording *self,
                                 TsLaneKind kind,
                                 TsObjectType type,
                                 const char *name,
                                 gint64 priority);
void fake_recording_set_idle (TsRecording *self,
                              guint32 lane);
void fake_recording_set_unit (TsRecording *self,
                              guint32 lane,
                              const char *unit);
guint32 fake_recording_add_string (TsRecording *self,
                                   const char *text);
void fake_recording_add_slice (TsRecording *self,
                               guint32 lane,
                               const TsSlice *slice);
/* Whether answers claim to be coarser than asked. */
void fake_recording_set_coarse (TsRecording *self,
                                gboolean is_coarse);
/* Queries of lanes so far. */
guint fake_recording_get_n_queries (TsRecording *self);

G_END_DECLS
