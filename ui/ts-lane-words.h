/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-words.h: lanes and their states in words: for the inspector and for screen readers. */
#pragma once

#include "model/ts-recording.h"

G_BEGIN_DECLS

const char *ts_lane_describe_kind (const TsLaneInfo *lane);
char *ts_lane_describe_state (TsRecording *recording,
                              const TsLaneInfo *lane,
                              const TsSlice *slice);

G_END_DECLS
