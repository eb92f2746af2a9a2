/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-block-survey.c: which control blocks lie in a target's RAM, for sentences about one that does
 * not. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "decode/ts-rtt-memory.h"
#include "decode/ts-va-memory.h"

#include "ts-block-survey-private.h"

typedef struct
{
  TsBlockSurvey *survey;
  GCancellable *cancellable;
} Look;

static gboolean
look_through (TsTargetMemory *target,
              guint32 base,
              const guint8 *bytes,
              gsize n_bytes,
              gsize n_own,
              gpointer user_data,
              GError **error)
{
  Look *self = user_data;
  TsVaImage image = { base, bytes, n_bytes };
  TsVaBlockKind kind;
  gsize at = 0;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  for (gsize offset = 0; ts_va_image_find (&image, &offset, &kind); offset += TS_VA_MAGIC_LEN)
    {
      if (kind == TS_VA_BLOCK_LIVE && self->survey->ring == 0)
        self->survey->ring = base + (guint32) offset;
      if (kind == TS_VA_BLOCK_POST_MORTEM && self->survey->post_mortem == 0)
        self->survey->post_mortem = base + (guint32) offset;
    }
  if (self->survey->rtt == 0 && ts_rtt_find (base, bytes, n_bytes, &at))
    self->survey->rtt = base + (guint32) at;

  return TRUE;
}

/*
 * _ts_block_survey:
 * @memory: a target's memory
 * @cancellable: (nullable): ends it
 * @survey: (out caller-allocates): what was seen
 * @error: return location
 *
 * Looks through stated RAM for control blocks of all kinds.
 *
 * Errors: those of the probe; %G_IO_ERROR_CANCELLED
 *
 * Returns: %FALSE with @error set
 */
gboolean
_ts_block_survey (TsTargetMemory *memory,
                  GCancellable *cancellable,
                  TsBlockSurvey *survey,
                  GError **error)
{
  Look look = { survey, cancellable };

  *survey = (TsBlockSurvey){ 0, 0, 0 };

  return _ts_target_memory_scan (memory, TS_VA_MAGIC_LEN, look_through, &look, error);
}

/*
 * _ts_block_survey_dup_other:
 * @survey: what lies in RAM
 * @is_rtt: RTT is looked for; else the recorder's ring
 *
 * Returns: (transfer full) (nullable): what else the firmware was built for, one sentence; %NULL:
 *   nothing tells
 */
char *
_ts_block_survey_dup_other (const TsBlockSurvey *survey,
                            gboolean is_rtt)
{
  if (is_rtt && survey->ring != 0)
    return g_strdup_printf (_("There is no RTT control block, but a ring at 0x%08x: the firmware was "
                              "built for another transport. Choose “RAM buffer”."),
                            survey->ring);
  if (!is_rtt && survey->rtt != 0)
    return g_strdup_printf (_("There is no ring, but an RTT control block at 0x%08x: the firmware was "
                              "built for another transport. Choose “RTT”."),
                            survey->rtt);
  if (survey->post_mortem != 0)
    return g_strdup_printf (_("There is only a post-mortem ring, at 0x%08x: it is read after the "
                              "fact. Take a snapshot of the target instead."),
                            survey->post_mortem);

  return NULL;
}
