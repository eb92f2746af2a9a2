/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-window-private.h: what the parts of the window share: ts-window.c (chrome, actions),
 * ts-window-capture.c (a capture from start to stop), ts-window-files.c (open, import, recent
 * files), ts-window-index.c (lanes of recordings of other programs), ts-window-export.c (pictures
 * and tables), ts-window-panes.c (the tabs below the timeline), ts-window-session.c (marks, and what
 * is kept between runs), ts-window-settings.c (preferences), ts-window-desktop.c (what the desktop
 * asks and hears of), ts-window-compare.c (a second recording),
 * ts-window-snapshot.c (what target memory or a copy of it holds), ts-window-watch.c (whether the
 * file is still what it was).
 */
#pragma once

#include "ui/ts-capture-panel.h"
#include "ui/ts-compare.h"
#include "ui/ts-event-list.h"
#include "ui/ts-inspector.h"
#include "ui/ts-job.h"
#include "ui/ts-lane-finder.h"
#include "ui/ts-report.h"
#include "ui/ts-search-bar.h"
#include "ui/ts-session.h"
#include "ui/ts-timeline.h"
#include "ui/ts-window.h"

G_BEGIN_DECLS

/**
 * TsWindow:
 * @view: what part of the recording is seen
 * @compare: (nullable): a second recording below the first
 * @session_state: marks, and how the recording was looked at
 * @session: the capture of this window, the last one also after it ended
 * @session_path: the recording it writes
 * @has_connection: the capture panel holds a connection the user has used
 * @awake_cookie: the machine is kept from suspending, 0 if not
 * @capture_begin_us: monotonic time at which the running capture began
 * @is_watching_focus: the timeline tells when it is used
 * @is_closing: the window closes as soon as the capture has ended
 * @frame_id: tick callback that takes in new data, 0 if nothing is new
 * @subtitle_us: when the subtitle was written last
 * @job: the one long piece of work, %NULL if there is none
 * @index_job: (nullable): makes the lanes of the recording that is shown
 * @error_details: text for the clipboard
 * @file_monitor: (nullable): tells when the file of the recording that is shown is written to
 * @file_info: (nullable): what that file was when it came
 */
struct _TsWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  AdwWindowTitle *window_title;
  AdwSplitButton *open_button;
  GtkWidget *record_button;
  AdwButtonContent *record_content;
  GtkWidget *follow_button;
  GtkRevealer *error_revealer;
  GtkLabel *error_label;
  GtkRevealer *job_revealer;
  GtkLabel *job_label;
  GtkProgressBar *job_progress;
  GtkRevealer *index_revealer;
  GtkLabel *index_label;
  GtkProgressBar *index_progress;
  AdwFlap *capture_flap;
  AdwFlap *inspector_flap;
  TsCapturePanel *capture_panel;
  TsInspector *inspector;
  GtkStack *pages;
  GtkBox *ways_in;
  AdwStatusPage *waiting_page;
  GtkPaned *paned;
  GtkPaned *compare_paned;
  GtkWidget *compare;
  TsTimeline *timeline;
  GtkScrollbar *timeline_scrollbar;
  TsSearchBar *search_bar;
  GtkWidget *marks_table;
  GtkWidget *note_popover;
  GtkWidget *note_entry;
  gint64 mark_time;
  GtkWidget *lane_finder;
  GtkWidget *bottom_pane;
  GtkStack *bottom_stack;
  GtkStack *status_stack;
  TsEventList *event_list;
  TsReport *reports[TS_N_REPORTS];

  GSettings *settings;
  TsViewState *view;
  TsSession *session_state;
  gboolean show_events;
  gboolean was_following;

  TsCaptureSession *session;
  GSignalGroup *session_signals;
  char *session_path;
  gboolean is_closing;
  gboolean is_watching_focus;
  gboolean has_connection;
  guint awake_cookie;
  gint64 capture_begin_us;
  guint frame_id;
  gint64 subtitle_us;

  TsJob *job;
  guint job_timer_id;
  TsJob *index_job;
  guint index_timer_id;
  GMenu *recent_menu;
  guint recent_id;
  char *error_details;

  GFileMonitor *file_monitor;
  GCancellable *file_cancellable;
  GFileInfo *file_info;
};

void _ts_window_update_range_action (TsWindow *self);
void _ts_window_update_actions (TsWindow *self);
void _ts_window_update_title (TsWindow *self);
void _ts_window_reveal (AdwFlap *flap,
                        gboolean is_shown);
void _ts_window_set_recording (TsWindow *self,
                               TsRecording *recording,
                               gboolean keep_view);
void _ts_window_show_toast (TsWindow *self,
                            const char *text);
gboolean _ts_window_begin_job (TsWindow *self,
                               TsJob *job);
void _ts_window_end_job (TsWindow *self);

void _ts_window_init_capture (TsWindow *self);
void _ts_window_install_capture (GtkWidgetClass *widget_class);
void _ts_window_clear_capture (TsWindow *self);

void _ts_window_init_files (TsWindow *self);
void _ts_window_install_files (GtkWidgetClass *widget_class);
void _ts_window_clear_files (TsWindow *self);
/** For threads: what a window is to show, with what it draws at once. */
TsRecording *_ts_window_read_recording (const char *path,
                                        GError **error);
void _ts_window_open_path (TsWindow *self,
                           const char *path,
                           gboolean keep_view);

void _ts_window_watch_file (TsWindow *self);
void _ts_window_unwatch_file (TsWindow *self);

void _ts_window_install_snapshot (GtkWidgetClass *widget_class);

void _ts_window_init_panes (TsWindow *self);
void _ts_window_install_panes (GtkWidgetClass *widget_class);
void _ts_window_refresh_panes (TsWindow *self);
void _ts_window_add_page (TsWindow *self,
                          GtkWidget *page,
                          const char *name,
                          const char *title,
                          GtkWidget *status);
void _ts_window_init_session (TsWindow *self);
void _ts_window_install_session (GtkWidgetClass *widget_class);
void _ts_window_save_session (TsWindow *self);
void _ts_window_load_session (TsWindow *self,
                              gboolean keep_view);
void _ts_window_clear_session (TsWindow *self);
void _ts_window_go_to (TsWindow *self,
                       guint32 lane,
                       gint64 begin,
                       gint64 end);

void _ts_window_install_export (GtkWidgetClass *widget_class);

void _ts_window_compare_path (TsWindow *self,
                              const char *path);
void _ts_window_begin_compare (TsWindow *self,
                               TsRecording *second);
void _ts_window_end_compare (TsWindow *self);
TsTimeline *_ts_window_get_used_timeline (TsWindow *self);
void _ts_window_install_compare (GtkWidgetClass *widget_class);

void _ts_window_begin_index (TsWindow *self);
void _ts_window_cancel_index (TsWindow *self);
void _ts_window_install_index (GtkWidgetClass *widget_class);

void _ts_window_init_settings (TsWindow *self);
void _ts_window_apply_settings (TsWindow *self,
                                TsViewState *view,
                                TsTimeline *timeline);
void _ts_window_install_settings (GtkWidgetClass *widget_class);

void _ts_window_install_desktop (GtkWidgetClass *widget_class);
void _ts_window_keep_awake (TsWindow *self,
                            gboolean is_on);
void _ts_window_tell_ended (TsWindow *self,
                            const char *title,
                            const char *body);

G_END_DECLS
