/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-verdicts.c: what Trace Domains find, as JSON. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-domain-private.h"
#include "ts-query-private.h"

static char *
dup_value (gboolean has_value,
           double value,
           const char *label)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!has_value)
    return g_strdup ("?");
  if (label != NULL)
    return g_strdup (label);
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", value));
}

static JsonArray *
make_evidence (TsQuery *query,
               const TsVerdict *verdict)
{
  g_autoptr (GPtrArray) list = ts_verdict_list_evidence (verdict, query->recording);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < list->len; i++)
    {
      const TsEvidence *evidence = g_ptr_array_index (list, i);
      g_autofree char *from
          = dup_value (evidence->has_start, evidence->at_start, evidence->label_start);
      g_autofree char *to = dup_value (evidence->has_end, evidence->at_end, evidence->label_end);
      g_autofree char *summary = g_strdup_printf ("%s: %s → %s", evidence->channel, from, to);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "channel", evidence->channel);
      if (evidence->has_start)
        _ts_json_set_real (item, "at_start", evidence->at_start);
      else
        json_object_set_null_member (item, "at_start");
      if (evidence->has_end)
        _ts_json_set_real (item, "at_end", evidence->at_end);
      else
        json_object_set_null_member (item, "at_end");
      _ts_json_set_text (item, "label_start", evidence->label_start);
      _ts_json_set_text (item, "label_end", evidence->label_end);
      json_object_set_string_member (item, "summary", summary);
      json_array_add_object_element (array, item);
    }
  return array;
}

static void
add_domains (TsQuery *query,
             GPtrArray *domains,
             GPtrArray *failures)
{
  JsonArray *array = json_array_new ();
  JsonArray *warnings = json_array_new ();

  for (guint i = 0; i < domains->len; i++)
    {
      TsDomain *domain = g_ptr_array_index (domains, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "id", ts_domain_get_id (domain));
      json_object_set_string_member (item, "version", ts_domain_get_version (domain));
      json_array_add_object_element (array, item);
    }
  for (guint i = 0; i < failures->len; i++)
    json_array_add_string_element (warnings, g_ptr_array_index (failures, i));
  json_object_set_array_member (query->answer, "domains", array);
  json_object_set_array_member (query->answer, "warnings", warnings);
}

/* Source: viewalyzer-host.md sections 3.7, `verdicts`, and 3.12 */
gboolean
_ts_query_verdicts (TsQuery *query,
                    GError **error)
{
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) domains = ts_domain_load_all (failures);
  g_autoptr (GArray) verdicts = NULL;
  JsonArray *array = json_array_new ();
  gint64 begin;
  gint64 end;

  json_object_set_array_member (query->answer, "verdicts", array);
  _ts_query_get_range (query, &begin, &end);
  verdicts = ts_domain_evaluate (domains, query->recording, begin, end, query->cancellable, error);
  if (verdicts == NULL || !_ts_query_check_budget (query, verdicts->len, _("verdicts"), error))
    return FALSE;

  for (guint i = 0; i < verdicts->len; i++)
    {
      const TsVerdict *verdict = &g_array_index (verdicts, TsVerdict, i);
      const char *id = _ts_domain_get_text (verdict->json, "id");
      const char *name = _ts_domain_get_text (verdict->json, "name");
      const char *severity = _ts_domain_get_text (verdict->json, "severity");
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "id", id);
      json_object_set_string_member (item, "name", name != NULL ? name : id);
      json_object_set_string_member (item, "severity", severity != NULL ? severity : "warning");
      json_object_set_string_member (item, "domain", ts_domain_get_id (verdict->domain));
      _ts_json_set_real (item, "t_start_us", _ts_query_us (query, verdict->begin));
      _ts_json_set_real (item, "t_end_us", _ts_query_us (query, verdict->end));
      _ts_json_set_real (item, "peak", verdict->peak);
      _ts_json_set_text (item, "explain", _ts_domain_get_text (verdict->json, "explain"));
      json_object_set_array_member (item, "evidence", make_evidence (query, verdict));
      json_array_add_object_element (array, item);
    }
  json_object_set_int_member (query->answer, "count", verdicts->len);
  add_domains (query, domains, failures);
  return TRUE;
}
