/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-settings.h: what the window remembers between runs.
 *
 * A thin layer over GSettings that also works when the schema is not installed (a program run from
 * its build folder): reading then gives the built-in default and writing does nothing.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GSettings *ts_settings_new (void);
gboolean ts_settings_get_bool (GSettings *settings,
                               const char *key,
                               gboolean fallback);
int ts_settings_get_int (GSettings *settings,
                         const char *key,
                         int fallback);
char *ts_settings_dup_string (GSettings *settings,
                              const char *key);
void ts_settings_set_bool (GSettings *settings,
                           const char *key,
                           gboolean value);
void ts_settings_set_int (GSettings *settings,
                          const char *key,
                          int value);
void ts_settings_set_string (GSettings *settings,
                             const char *key,
                             const char *value);
char **ts_settings_dup_strings (GSettings *settings,
                                const char *key);
void ts_settings_set_strings (GSettings *settings,
                              const char *key,
                              const char * const *values);
char *ts_settings_dup_recordings_folder (GSettings *settings);

G_END_DECLS
