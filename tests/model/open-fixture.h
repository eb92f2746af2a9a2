/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open-fixture.h: a folder of a test's own with a recording that is open in it. */
#pragma once

#include "recording-fixture.h"

typedef struct
{
  char *dir;
  char *path;   /* of the recording */
  char *output; /* of what a test writes */
  TsRecording *recording;
} Fixture;

/* First step: the paths. The caller makes the recording at @path, then calls fixture_open(). */
static inline void
fixture_init (Fixture *fixture,
              const char *output_name)
{
  fixture->dir = fixture_dir ();
  fixture->path = g_build_filename (fixture->dir, "whole.vadb", NULL);
  fixture->output = g_build_filename (fixture->dir, output_name, NULL);
}

static inline void
fixture_open (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
}

static inline void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_clear_object (&fixture->recording);
  fixture_remove_dir (fixture->dir);
  g_free (fixture->dir);
  g_free (fixture->path);
  g_free (fixture->output);
}
