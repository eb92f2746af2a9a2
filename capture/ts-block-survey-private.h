/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-block-survey-private.h: which control blocks lie in a target's RAM; inside capture only. */
#pragma once

#include "ts-target-memory-private.h"

G_BEGIN_DECLS

/**
 * TsBlockSurvey: addresses of the first of each kind, 0: none
 * @ring: of the recorder's ring
 * @post_mortem: of its post-mortem ring
 * @rtt: of RTT
 */
typedef struct
{
  guint32 ring;
  guint32 post_mortem;
  guint32 rtt;
} TsBlockSurvey;

gboolean _ts_block_survey (TsTargetMemory *memory,
                           GCancellable *cancellable,
                           TsBlockSurvey *survey,
                           GError **error);
char *_ts_block_survey_dup_other (const TsBlockSurvey *survey,
                                  gboolean is_rtt);

G_END_DECLS
