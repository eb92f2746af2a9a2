/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-names.c: names out of files beside the stream: --elf, --svd, --vaschema. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include "capture/ts-vaschema.h"

#include "ts-cli.h"

/**
 * ts_cli_names_new:
 * @args: arguments
 * @is_lenient: a file that cannot be read costs its names and a remark, nothing more
 * @error: return location, for @is_lenient %NULL
 *
 * Errors: those of the files
 *
 * Returns: (transfer full) (nullable): the names that @args name files for
 */
TsNames *
ts_cli_names_new (TsCliArgs *args,
                  gboolean is_lenient,
                  GError **error)
{
  g_autoptr (TsNames) names = ts_names_new ();
  static const char *const flags[] = { "elf", "svd", "vaschema" };

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      const char *path = ts_cli_args_get (args, flags[i]);
      g_autoptr (GError) cause = NULL;

      if (path == NULL
          || (i == 0   ? ts_names_add_elf (names, path, &cause)
              : i == 1 ? ts_names_add_svd (names, path, &cause)
                       : ts_vaschema_load (path, NULL, names, &cause)))
        continue;
      if (!is_lenient)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
      ts_cli_remark ("WARNING: %s", cause->message);
    }
  return g_steal_pointer (&names);
}
