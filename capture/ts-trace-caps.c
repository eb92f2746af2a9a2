/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-trace-caps.c: what a core's trace hardware has, and which architecture it is. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-hardware-trace.h"

static const char *const arch_names[] = { "v6m", "v7m", "v8m" };

/**
 * ts_trace_caps_init:
 * @caps: (out): what most cores have: four comparators and everything else
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.5
 */
void
ts_trace_caps_init (TsTraceCaps *caps)
{
  g_return_if_fail (caps != NULL);

  *caps = (TsTraceCaps) { .numcomp = 4, .itm = TRUE, .tpiu = TRUE };
}

/**
 * ts_trace_caps_init_from_dwt_ctrl:
 * @caps: (out): what the core has
 * @dwt_ctrl: DWT_CTRL as read from it
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.5: NUMCOMP 31:28, NOTRCPKT 27, NOCYCCNT 25, NOPRFCNT 24
 */
void
ts_trace_caps_init_from_dwt_ctrl (TsTraceCaps *caps,
                                  guint32 dwt_ctrl)
{
  g_return_if_fail (caps != NULL);

  ts_trace_caps_init (caps);
  caps->numcomp = dwt_ctrl >> 28;
  caps->notrcpkt = (dwt_ctrl >> 27 & 1) != 0;
  caps->nocyccnt = (dwt_ctrl >> 25 & 1) != 0;
  caps->noprfcnt = (dwt_ctrl >> 24 & 1) != 0;
}

/* Switches are 0 and 1; false and true are understood too. */
static gboolean
read_cap (JsonObject *object,
          const char *name,
          gint64 maximum,
          gint64 *value,
          GError **error)
{
  JsonNode *node = json_object_get_member (object, name);
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node)
                                                            : G_TYPE_NONE;

  if (node == NULL)
    return TRUE;
  if (type == G_TYPE_BOOLEAN)
    *value = json_node_get_boolean (node) ? 1 : 0;
  else if (type == G_TYPE_INT64)
    *value = json_node_get_int (node);
  if ((type == G_TYPE_BOOLEAN || type == G_TYPE_INT64) && *value >= 0 && *value <= maximum)
    return TRUE;

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("“%s” must be a whole number from 0 to %" PRId64 "."), name, maximum);
  return FALSE;
}

/**
 * ts_trace_caps_read:
 * @caps: (inout): what is not told stays
 * @object: an object with `numcomp`, `notrcpkt`, `nocyccnt`, `noprfcnt`, `itm`, `tpiu`
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md section 2.5
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_trace_caps_read (TsTraceCaps *caps,
                    JsonObject *object,
                    GError **error)
{
  static const char *const names[]
      = { "numcomp", "notrcpkt", "nocyccnt", "noprfcnt", "itm", "tpiu" };
  gint64 values[G_N_ELEMENTS (names)];
  JsonObjectIter iter;
  const char *name;

  g_return_val_if_fail (caps != NULL, FALSE);
  g_return_val_if_fail (object != NULL, FALSE);

  values[0] = caps->numcomp;
  values[1] = caps->notrcpkt;
  values[2] = caps->nocyccnt;
  values[3] = caps->noprfcnt;
  values[4] = caps->itm;
  values[5] = caps->tpiu;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (!read_cap (object, names[i], i == 0 ? 15 : 1, &values[i], error))
      return FALSE;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, NULL))
    {
      gboolean is_known = FALSE;

      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        is_known = is_known || strcmp (names[i], name) == 0;
      if (!is_known)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("“%.64s” is nothing that a core has; there are numcomp, notrcpkt, "
                         "nocyccnt, noprfcnt, itm and tpiu."),
                       name);
          return FALSE;
        }
    }

  caps->numcomp = (guint) values[0];
  caps->notrcpkt = values[1] != 0;
  caps->nocyccnt = values[2] != 0;
  caps->noprfcnt = values[3] != 0;
  caps->itm = values[4] != 0;
  caps->tpiu = values[5] != 0;

  return TRUE;
}

/**
 * ts_trace_caps_to_json:
 * @caps: what a core has
 *
 * Thread: any
 *
 * Returns: (transfer full): the object that ts_trace_caps_read() reads
 */
JsonObject *
ts_trace_caps_to_json (const TsTraceCaps *caps)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "numcomp", caps->numcomp);
  json_object_set_int_member (object, "notrcpkt", caps->notrcpkt ? 1 : 0);
  json_object_set_int_member (object, "nocyccnt", caps->nocyccnt ? 1 : 0);
  json_object_set_int_member (object, "noprfcnt", caps->noprfcnt ? 1 : 0);
  json_object_set_int_member (object, "itm", caps->itm ? 1 : 0);
  json_object_set_int_member (object, "tpiu", caps->tpiu ? 1 : 0);

  return object;
}

/**
 * ts_trace_arch_parse:
 * @name: v6m, v7m or v8m
 * @arch: (out): the architecture
 *
 * Thread: any
 *
 * Returns: whether there is one of that name
 */
gboolean
ts_trace_arch_parse (const char *name,
                     TsTraceArch *arch)
{
  for (guint i = 0; i < G_N_ELEMENTS (arch_names); i++)
    if (g_strcmp0 (arch_names[i], name) == 0)
      {
        *arch = (TsTraceArch) i;
        return TRUE;
      }

  return FALSE;
}

/**
 * ts_trace_arch_get_name:
 * @arch: an architecture
 *
 * Thread: any
 *
 * Returns: v6m, v7m or v8m
 */
const char *
ts_trace_arch_get_name (TsTraceArch arch)
{
  g_return_val_if_fail ((guint) arch < G_N_ELEMENTS (arch_names), NULL);

  return arch_names[arch];
}

/**
 * ts_trace_arch_from_cpuid:
 * @cpuid: CPUID (0xE000ED00) of a core
 * @arch: (out): its architecture
 *
 * Thread: any
 * Source: part numbers of the Arm cores' reference manuals: C20 M0, C60 M0+, C21 M1, C23 M3, C24
 * M4, C27 M7, D20 M23, D21 M33, D22 M55, D23 M85, D24 M52, D31 M35P
 *
 * Returns: whether the core is known
 */
gboolean
ts_trace_arch_from_cpuid (guint32 cpuid,
                          TsTraceArch *arch)
{
  switch (cpuid >> 4 & 0xFFF)
    {
    case 0xC20:
    case 0xC21:
    case 0xC60:
      *arch = TS_TRACE_ARCH_V6M;
      return TRUE;

    case 0xC23:
    case 0xC24:
    case 0xC27:
      *arch = TS_TRACE_ARCH_V7M;
      return TRUE;

    case 0xD20:
    case 0xD21:
    case 0xD22:
    case 0xD23:
    case 0xD24:
    case 0xD31:
      *arch = TS_TRACE_ARCH_V8M;
      return TRUE;

    default:
      return FALSE;
    }
}
