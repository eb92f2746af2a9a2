/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session-fixture.h: a capture session with everything it told, for the tests of sessions. */
#pragma once

#include "capture-test-util.h"

/* A session with everything it told. */
typedef struct
{
  char *folder;
  char *output;
  TsCaptureSession *session;
  GArray *states;
  guint n_data;
  gint64 data_us;
  gint64 shortest_us;
  guint n_ended;
  guint n_after_end;
  guint n_notified;
} Fixture;

typedef gboolean (*Condition) (Fixture *self);

Fixture *fixture_new (const char *config,
                      const TsCaptureOptions *options);
void fixture_start (Fixture *self);
void fixture_free (Fixture *self);
void wait_for (Fixture *self,
               Condition condition,
               const char *what);
gboolean has_ended (Fixture *self);
gboolean is_capturing (Fixture *self);
gboolean has_some_events (Fixture *self);
gboolean has_overrun (Fixture *self);
void assert_failed (Fixture *self,
                    TsCaptureError code,
                    const char *const *words);
void assert_stopped (Fixture *self);
guint16 find_free_port (void);
int make_sender (guint16 port);
char *udp_config (guint16 port);
gsize send_records (Fixture *self,
                    const char *name,
                    const int *fds,
                    guint n_fds,
                    gboolean is_gentle);

#define WAIT(fixture, condition) wait_for (fixture, condition, #condition)

#define ASSERT_FAILED(fixture, code, ...)                                                          \
  assert_failed (fixture, code, (const char *const[]){ __VA_ARGS__, NULL })
