/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace-xml.c: an analysis for Trace Compass that shows the CTF bundles of a trace run.
 *
 * Source: ctrace.md section 9.
 */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <string.h>

#include "ts-ctrace-output-private.h"

#define VERSION_MARK "__SWO_ANALYSIS_VERSION__"
/* FNV-1a. Source: ctrace.md section 9 */
#define FNV32_BASIS 2166136261u
#define FNV32_PRIME 16777619u
#define FNV64_BASIS G_GUINT64_CONSTANT (14695981039346656037)
#define FNV64_PRIME G_GUINT64_CONSTANT (1099511628211)

typedef struct
{
  guint generation;
  char *hash;
  char *provider;
  GString *text;
} Xml;

/* ---- state changes ---- */

static void
add_condition (Xml *self,
               const char *indent,
               const char *field,
               const char *type,
               const char *value)
{
  g_string_append_printf (self->text,
                          "%s<condition>\n"
                          "%s    <stateValue type=\"eventField\" value=\"%s\" />\n"
                          "%s    <stateValue type=\"%s\" value=\"%s\" />\n"
                          "%s</condition>\n",
                          indent, indent, field, indent, type, value, indent);
}

static void
begin_then (Xml *self)
{
  g_string_append (self->text, "                <then>\n");
  if (self->generation < 3)
    return;
  g_string_append (self->text,
                   "                    <stateAttribute type=\"eventField\" value=\"hostId\" />\n"
                   "                    <stateAttribute type=\"eventField\" "
                   "value=\"context.cmsis_trace_bus_id\" />\n");
}

/* A change that happens if a field has a value; @field: (nullable): always. */
static void
begin_change (Xml *self,
              const char *field,
              const char *type,
              const char *value)
{
  g_string_append (self->text, "            <stateChange>\n");
  if (field != NULL)
    {
      g_string_append (self->text, "                <if>\n");
      add_condition (self, "                    ", field, type, value);
      g_string_append (self->text, "                </if>\n");
    }
  begin_then (self);
}

static void
add_constant (Xml *self,
              const char *name)
{
  g_string_append_printf (self->text,
                          "                    <stateAttribute type=\"constant\" value=\"%s\" "
                          "/>\n",
                          name);
}

static void
add_field (Xml *self,
           const char *name)
{
  g_string_append_printf (self->text,
                          "                    <stateAttribute type=\"eventField\" value=\"%s\" "
                          "/>\n",
                          name);
}

static void
end_change (Xml *self,
            const char *value)
{
  g_string_append_printf (self->text,
                          "                    %s\n"
                          "                </then>\n"
                          "            </stateChange>\n",
                          value);
}

static void
begin_handler (Xml *self,
               const char *name)
{
  g_string_append_printf (self->text, "        <eventHandler eventName=\"%s\">\n", name);
}

static void
end_handler (Xml *self)
{
  g_string_append (self->text, "        </eventHandler>\n");
}

static const char null_value[] = "<stateValue type=\"null\" />";
static const char one_value[] = "<stateValue type=\"long\" value=\"1\" />";
static const char number_value[]
    = "<stateValue type=\"eventField\" value=\"cmsis_exception_number_value\" forcedType=\"long\" "
      "/>";
static const char pulse[]
    = "<stateValue type=\"long\" value=\"1\" stack=\"push\" />\n"
      "                    <futureTime type=\"script\" value=\"timestamp + 1000\" "
      "forcedType=\"long\">\n"
      "                        <stateValue id=\"timestamp\" type=\"eventField\" "
      "value=\"timestamp\" />\n"
      "                    </futureTime>";

/* A value whose tag says how wide it is. */
static void
add_tagged (Xml *self,
            const char *event,
            const char *source,
            const char *attribute,
            const char *field,
            const char *const *tags)
{
  g_autofree char *type = g_strconcat (field, "_type", NULL);

  begin_handler (self, event);
  for (guint i = 0; tags[i] != NULL; i++)
    {
      g_autofree char *value = g_strdup_printf (
          "<stateValue type=\"eventField\" value=\"%s.%s\" forcedType=\"%s\" />", field, tags[i],
          strcmp (tags[i], "f32") == 0 ? "double" : "long");

      begin_change (self, type, "string", tags[i]);
      add_constant (self, event);
      add_field (self, source);
      add_constant (self, attribute);
      end_change (self, value);
    }
  end_handler (self);
}

static void
add_addresses (Xml *self)
{
  static const char *const tags[] = { "u8", "u16", "u32", NULL };

  if (self->generation > 1)
    {
      add_tagged (self, "DWT_ADDR", "cmsis_dwt_comparator", "address", "cmsis_dwt_address", tags);
      return;
    }
  begin_handler (self, "DWT_ADDR");
  begin_change (self, "cmsis_has_address", "long", "1");
  add_constant (self, "DWT_ADDR");
  add_field (self, "cmsis_dwt_comparator");
  add_constant (self, "address");
  end_change (self, "<stateValue type=\"eventField\" value=\"cmsis_dwt_address\" "
                    "forcedType=\"long\" />");
  end_handler (self);
}

static void
add_exception_change (Xml *self,
                      const char *action,
                      const char *value)
{
  begin_change (self, "cmsis_exception_action", "string", action);
  add_constant (self, "EXCEPTION");
  add_field (self, "cmsis_exception_number");
  add_constant (self, "action");
  end_change (self, value);
}

static void
add_return_path (Xml *self)
{
  add_constant (self, "EXCEPTION_RETURN");
  add_constant (self, "Exception Return");
  add_constant (self, "action");
}

static void
add_exceptions (Xml *self)
{
  begin_handler (self, "EXCEPTION");
  add_exception_change (self, "entered", number_value);
  add_exception_change (self, "exited", null_value);
  if (self->generation > 1)
    {
      add_exception_change (self, "returned", number_value);
      /* between the exit that the target told and the next context */
      g_string_append (self->text, "            <stateChange>\n"
                                   "                <if>\n"
                                   "                    <and>\n");
      add_condition (self, "                        ", "cmsis_exception_action", "string",
                     "exited");
      add_condition (self, "                        ", "cmsis_exception_origin", "string",
                     "trace");
      g_string_append (self->text, "                    </and>\n"
                                   "                </if>\n");
      begin_then (self);
      add_return_path (self);
      end_change (self, number_value);
      for (guint i = 0; i < 2; i++)
        {
          begin_change (self, "cmsis_exception_action", "string", i == 0 ? "entered" : "returned");
          add_return_path (self);
          end_change (self, null_value);
        }
    }
  end_handler (self);
}

static void
add_sleep_change (Xml *self,
                  const char *field,
                  const char *type,
                  const char *word,
                  const char *value)
{
  begin_change (self, field, type, word);
  add_constant (self, "PC_SAMPLE");
  add_constant (self, "Sleep");
  end_change (self, value);
}

static void
add_samples (Xml *self)
{
  begin_handler (self, "PC_SAMPLE");
  add_sleep_change (self, "cmsis_pc_sample_state", "long", "0", one_value);
  add_sleep_change (self, "cmsis_pc_sample_state", "long", "1", null_value);
  end_handler (self);
  begin_handler (self, "PC_SAMPLE_PROHIBITED");
  add_sleep_change (self, NULL, NULL, NULL, null_value);
  end_handler (self);
  begin_handler (self, "TRACE_STATUS");
  add_sleep_change (self, "cmsis_trace_status_reason", "string", "overflow", null_value);
  add_sleep_change (self, "cmsis_trace_status_reason", "string", "data_loss", null_value);
  end_handler (self);
}

static void
add_pulses (Xml *self,
            const char *event,
            const char *field)
{
  begin_handler (self, event);
  begin_change (self, NULL, NULL, NULL);
  add_constant (self, event);
  add_field (self, field);
  end_change (self, pulse);
  end_handler (self);
}

static void
add_status (Xml *self)
{
  begin_handler (self, "TRACE_STATUS");
  begin_change (self, NULL, NULL, NULL);
  add_constant (self, "TRACE_STATUS");
  add_field (self, "cmsis_trace_status_reason");
  end_change (self, "<stateValue type=\"eventField\" value=\"cmsis_trace_status_reason\" "
                    "forcedType=\"long\" />");
  end_handler (self);
}

static void
add_handlers (Xml *self,
              guint contents)
{
  static const char *const tags[] = { "i8", "u8", "i16", "u16", "i32", "u32", "f32", NULL };

  if ((contents & TS_CTRACE_HAS_VALUE) != 0)
    add_tagged (self, "DWT_VALUE", "cmsis_dwt_comparator", "data", "m_cmsisdwt_value", tags);
  if ((contents & TS_CTRACE_HAS_ADDRESS) != 0)
    add_addresses (self);
  if ((contents & TS_CTRACE_HAS_ITM) != 0 && self->generation == 1)
    add_tagged (self, "ITM", "cmsis_itm_channel", "value", "m_cmsisitm_value", tags);
  if ((contents & TS_CTRACE_HAS_EXCEPTION) != 0)
    add_exceptions (self);
  if (self->generation == 1)
    {
      add_status (self);
      return;
    }
  if ((contents & TS_CTRACE_HAS_SAMPLE) != 0)
    add_samples (self);
  if ((contents & TS_CTRACE_HAS_MATCH) != 0)
    add_pulses (self, "DWT_MATCH", "cmsis_dwt_comparator");
  if ((contents & TS_CTRACE_HAS_COUNTER) != 0)
    add_pulses (self, "DWT_EVENT", "cmsis_dwt_event_counter");
  if ((contents & TS_CTRACE_HAS_PMU) != 0)
    add_pulses (self, "PMU_EVENT", "cmsis_pmu_event_counter");
}

/* ---- views ---- */

static const struct
{
  guint contents; /* 0: always */
  gboolean is_plot;
  gboolean is_first_only;
  const char *id;
  const char *label;
  const char *paths[4];
  const char *display; /* NULL: the entry itself */
} views[] = {
  { TS_CTRACE_HAS_VALUE, TRUE, FALSE, "dwt_value", "DWT_VALUE", { "DWT_VALUE/*" }, "data" },
  { TS_CTRACE_HAS_ADDRESS, TRUE, FALSE, "dwt_addr", "DWT_ADDR", { "DWT_ADDR/*" }, "address" },
  { TS_CTRACE_HAS_ITM, FALSE, TRUE, "itm", "ITM", { "ITM/*" }, "value" },
  { TS_CTRACE_HAS_EXCEPTION,
    FALSE,
    FALSE,
    "exception",
    "EXCEPTION",
    { "EXCEPTION/Thread Mode", "EXCEPTION_RETURN/*", "EXCEPTION/*" },
    "action" },
  { 0, FALSE, TRUE, "trace_status", "TRACE_STATUS", { "TRACE_STATUS/*" }, NULL },
  { TS_CTRACE_HAS_MATCH, FALSE, FALSE, "dwt_match", "DWT_MATCH", { "DWT_MATCH/*" }, NULL },
  { TS_CTRACE_HAS_COUNTER, FALSE, FALSE, "dwt_event", "DWT_EVENT", { "DWT_EVENT/*" }, NULL },
  { TS_CTRACE_HAS_PMU, FALSE, FALSE, "pmu_event", "PMU_EVENT", { "PMU_EVENT/*" }, NULL },
  { TS_CTRACE_HAS_SAMPLE,
    FALSE,
    FALSE,
    "processor_state",
    "PROCESSOR_STATE",
    { "PC_SAMPLE/*" },
    NULL },
};

static void
add_entry (Xml *self,
           const TsCtraceLane *lane,
           const char *path,
           const char *display)
{
  g_string_append (self->text, "        <entry path=\"");
  if (self->generation >= 3)
    g_string_append_printf (self->text, "(?:%s|&quot;%s&quot;)/%u/", lane->clock, lane->clock,
                            lane->stream);
  g_string_append (self->text, path);
  if (display != NULL)
    g_string_append_printf (self->text,
                            "\"><display type=\"constant\" value=\"%s\" /><name type=\"self\" />",
                            display);
  else
    g_string_append (self->text, "\"><display type=\"self\" /><name type=\"self\" />");
  g_string_append (self->text, "</entry>\n");
}

static void
add_view (Xml *self,
          const TsCtraceLane *lane,
          guint which)
{
  const char *element = views[which].is_plot ? "xyView" : "timeGraphView";
  g_autofree char *pname
      = lane->pname != NULL ? g_markup_escape_text (lane->pname, -1) : NULL;
  g_autofree char *channel = g_markup_escape_text (lane->channel, -1);

  g_string_append_printf (self->text, "    <%s id=\"arm.cmsis.swo.%s.%s", element,
                          views[which].is_plot ? "xy" : "tg", views[which].id);
  if (self->generation >= 3)
    g_string_append_printf (self->text, ".%s.clock%s.stream%u", self->hash, lane->clock,
                            lane->stream);
  g_string_append_printf (self->text,
                          ".v1\">\n"
                          "        <head><analysis id=\"%s\" /><label value=\"%s",
                          self->provider, views[which].label);
  if (self->generation >= 3)
    g_string_append_printf (self->text, " - %s%s%s", channel, pname != NULL ? " - " : "",
                            pname != NULL ? pname : "");
  g_string_append (self->text, "\" /></head>\n");
  for (guint i = 0; i < G_N_ELEMENTS (views[which].paths) && views[which].paths[i] != NULL; i++)
    add_entry (self, lane,
               self->generation == 1 && strcmp (views[which].paths[i], "EXCEPTION/Thread Mode") == 0
                   ? "EXCEPTION/ThreadMode"
                   : views[which].paths[i],
               views[which].display);
  g_string_append_printf (self->text, "    </%s>\n", element);
}

/* ---- the whole ---- */

static void
put_version (GString *text)
{
  guint32 hash = FNV32_BASIS;
  g_autofree char *digits = NULL;

  for (gsize i = 0; i < text->len; i++)
    hash = (hash ^ (guint8) text->str[i]) * FNV32_PRIME;
  hash &= 0x7FFFFFFF;
  digits = g_strdup_printf ("%u", hash != 0 ? hash : 1);
  g_string_replace (text, VERSION_MARK, digits, 1);
}

static char *
dup_hash (const char *set)
{
  guint64 hash = FNV64_BASIS;

  for (const char *c = set; *c != '\0'; c++)
    hash = (hash ^ (guint8) *c) * FNV64_PRIME;
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x", hash);
}

/*
 * _ts_ctrace_xml_dup:
 * @generation: 1, 2 or 3
 * @set: name of the solution set
 * @lanes: (element-type TsCtraceLane): streams
 *
 * The first generation has all views always; later ones have those that would show something.
 *
 * Returns: (transfer full) (nullable): the analysis; %NULL: it would show nothing
 */
char *
_ts_ctrace_xml_dup (guint generation,
                    const char *set,
                    GPtrArray *lanes)
{
  Xml self = { .generation = generation, .text = g_string_new (NULL), .hash = dup_hash (set) };
  guint contents = generation == 1 ? G_MAXUINT : 0;
  guint n_views = 0;

  self.provider = generation >= 3
                      ? g_strdup_printf ("arm.cmsis.ctrace.analysis.%s.v1", self.hash)
                      : g_strdup ("arm.cmsis.swo.analysis.v1");
  for (guint i = 0; i < lanes->len; i++)
    contents |= ((TsCtraceLane *) g_ptr_array_index (lanes, i))->contents;
  g_string_append_printf (self.text,
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<tmfxml xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
                          "    xsi:noNamespaceSchemaLocation=\"xmlDefinition.xsd\">\n"
                          "    <stateProvider version=\"" VERSION_MARK "\" id=\"%s\">\n"
                          "        <head><label value=\"%s\" /></head>\n",
                          self.provider,
                          generation >= 3 ? "CMSIS Trace Analysis" : "SWO Trace Analysis");
  add_handlers (&self, contents);
  g_string_append (self.text, "    </stateProvider>\n");
  for (guint i = 0; i < lanes->len; i++)
    for (guint n = 0; n < G_N_ELEMENTS (views); n++)
      {
        const TsCtraceLane *lane = g_ptr_array_index (lanes, i);

        if (generation == 1 ? n > 4
                            : views[n].is_first_only || (lane->contents & views[n].contents) == 0)
          continue;
        add_view (&self, lane, n);
        n_views++;
      }
  g_string_append (self.text, "</tmfxml>\n");
  put_version (self.text);
  g_free (self.provider);
  g_free (self.hash);
  return g_string_free (self.text, n_views == 0);
}
