/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-checklist.h: the steps of a connection, turning green from the top.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * TsCheckState:
 * @TS_CHECK_PENDING: not reached yet
 * @TS_CHECK_BUSY: waiting for it now
 * @TS_CHECK_DONE: reached
 * @TS_CHECK_FAILED: will not be reached
 * @TS_CHECK_DOUBTFUL: reached, but something is odd
 */
typedef enum
{
  TS_CHECK_PENDING,
  TS_CHECK_BUSY,
  TS_CHECK_DONE,
  TS_CHECK_FAILED,
  TS_CHECK_DOUBTFUL,
} TsCheckState;

#define TS_TYPE_CHECKLIST (ts_checklist_get_type ())
G_DECLARE_FINAL_TYPE (TsChecklist, ts_checklist, TS, CHECKLIST, GtkBox)

GtkWidget *ts_checklist_new (void);
void ts_checklist_set (TsChecklist *self,
                       guint step,
                       TsCheckState state,
                       const char *text);
TsCheckState ts_checklist_get_state (TsChecklist *self,
                                     guint step);
const char *ts_checklist_get_text (TsChecklist *self,
                                   guint step);
guint ts_checklist_get_n_steps (TsChecklist *self);
void ts_checklist_clear (TsChecklist *self);

G_END_DECLS
