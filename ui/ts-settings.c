/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-settings.h"

static gboolean
has_key (GSettings *settings,
         const char *key)
{
  g_autoptr (GSettingsSchema) schema = NULL;

  if (settings == NULL)
    return FALSE;
  g_object_get (settings, "settings-schema", &schema, NULL);
  return schema != NULL && g_settings_schema_has_key (schema, key);
}

/**
 * ts_settings_new:
 *
 * Opens the program's settings.
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable): the settings, or %NULL when the schema is not installed
 */
GSettings *
ts_settings_new (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = NULL;

  if (source == NULL)
    return NULL;
  schema = g_settings_schema_source_lookup (source, TS_APP_ID, TRUE);
  if (schema == NULL)
    return NULL;
  return g_settings_new_full (schema, NULL, NULL);
}

/**
 * ts_settings_get_bool:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @fallback: value without a schema or key
 *
 * Thread: main
 */
gboolean
ts_settings_get_bool (GSettings *settings,
                      const char *key,
                      gboolean fallback)
{
  return has_key (settings, key) ? g_settings_get_boolean (settings, key) : fallback;
}

/**
 * ts_settings_get_int:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @fallback: value without a schema or key
 *
 * Thread: main
 */
int
ts_settings_get_int (GSettings *settings,
                     const char *key,
                     int fallback)
{
  return has_key (settings, key) ? g_settings_get_int (settings, key) : fallback;
}

/**
 * ts_settings_dup_string:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable): the text, %NULL if it is empty or there is no schema
 */
char *
ts_settings_dup_string (GSettings *settings,
                        const char *key)
{
  g_autofree char *text = has_key (settings, key) ? g_settings_get_string (settings, key) : NULL;

  return text != NULL && *text != '\0' ? g_steal_pointer (&text) : NULL;
}

/**
 * ts_settings_set_bool:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @value: new value
 *
 * Thread: main
 */
void
ts_settings_set_bool (GSettings *settings,
                      const char *key,
                      gboolean value)
{
  if (has_key (settings, key))
    g_settings_set_boolean (settings, key, value);
}

/**
 * ts_settings_set_int:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @value: new value
 *
 * Thread: main
 */
void
ts_settings_set_int (GSettings *settings,
                     const char *key,
                     int value)
{
  if (has_key (settings, key))
    g_settings_set_int (settings, key, value);
}

/**
 * ts_settings_set_string:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @value: (nullable): new value, %NULL for empty
 *
 * Thread: main
 */
void
ts_settings_set_string (GSettings *settings,
                        const char *key,
                        const char *value)
{
  if (has_key (settings, key))
    g_settings_set_string (settings, key, value != NULL ? value : "");
}

/**
 * ts_settings_dup_strings:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the texts, %NULL without a schema
 */
char **
ts_settings_dup_strings (GSettings *settings,
                         const char *key)
{
  return has_key (settings, key) ? g_settings_get_strv (settings, key) : NULL;
}

/**
 * ts_settings_set_strings:
 * @settings: (nullable): the settings
 * @key: a key of the schema
 * @values: (array zero-terminated=1): new texts
 *
 * Thread: main
 */
void
ts_settings_set_strings (GSettings *settings,
                         const char *key,
                         const char * const *values)
{
  if (has_key (settings, key))
    g_settings_set_strv (settings, key, values);
}

/**
 * ts_settings_dup_recordings_folder:
 * @settings: (nullable): the settings
 *
 * The folder new recordings go to: the one chosen last, else `taskscope/recordings` in the user's
 * data folder. It need not exist yet.
 *
 * Thread: main
 *
 * Returns: (transfer full): a path
 */
char *
ts_settings_dup_recordings_folder (GSettings *settings)
{
  char *chosen = ts_settings_dup_string (settings, "recordings-folder");

  if (chosen != NULL)
    return chosen;
  return g_build_filename (g_get_user_data_dir (), "taskscope", "recordings", NULL);
}
