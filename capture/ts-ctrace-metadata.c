/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-metadata.c: the text that describes a CTF bundle of a trace run. */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include "ts-ctrace-output-private.h"

/* Source of everything here: ctrace.md section 8.5 and the bundle that stands beside it. */

static void
append_head (GString *text,
             const TsCtraceMetadata *self)
{
  g_string_append_printf (text,
                          "/* CTF 1.8 */\n"
                          "trace {\n"
                          "    major = 1;\n"
                          "    minor = 8;\n"
                          "    uuid = \"%s\";\n"
                          "    byte_order = le;\n"
                          "    packet.header := struct {\n"
                          "        integer { size = 32; align = 8; signed = false; } magic;\n"
                          "        integer { size = 8; align = 8; signed = false; } uuid[16];\n"
                          "        integer { size = 32; align = 8; signed = false; } stream_id;\n"
                          "    };\n"
                          "};\n\n",
                          self->uuid);
}

static void
append_environment (GString *text,
                    const TsCtraceMetadata *self)
{
  static const char *const types[] = { "unsigned", "signed", "float" };

  g_string_append (text, "env {\n"
                         "    cmsis_ctf_profile = \"cmsis.ctf\";\n"
                         "    cmsis_ctf_profile_version = 1;\n");
  for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
    if (self->comparators[i] != NULL)
      g_string_append_printf (text, "    cmsis_dwt%u_value_type = \"%s\";\n", i,
                              types[self->comparators[i]->value_type]);
  for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
    if (self->comparators[i] != NULL && self->comparators[i]->has_address)
      g_string_append_printf (text,
                              "    cmsis_dwt%u_address_start = \"0x%" G_GINT64_MODIFIER "X\";\n",
                              i, self->comparators[i]->address);
  for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
    if (self->comparators[i] != NULL && self->comparators[i]->has_address)
      g_string_append_printf (
          text, "    cmsis_dwt%u_address_end = \"0x%" G_GINT64_MODIFIER "X\";\n", i,
          self->comparators[i]->address + self->comparators[i]->size - 1);
  for (guint i = 0; self->is_formatted && i < self->n_classes; i++)
    if (self->classes[i].pname != NULL)
      {
        g_string_append_printf (text, "    cmsis_stream_%u_processor_name = ",
                                self->classes[i].id);
        ts_ctf_append_quoted (text, self->classes[i].pname);
        g_string_append (text, ";\n");
      }
  g_string_append (text, "};\n\n");
}

static void
append_clocks (GString *text,
               const TsCtraceMetadata *self)
{
  for (guint i = 0; i < self->n_clocks; i++)
    {
      const TsCtraceClock *clock = &self->clocks[i];

      g_string_append_printf (text, "clock {\n    name = %s;\n", clock->name);
      if (clock->uuid != NULL)
        g_string_append_printf (text, "    uuid = \"%s\";\n", clock->uuid);
      g_string_append_printf (text,
                              "    precision = 0;\n"
                              "    offset_s = 0;\n"
                              "    offset = 0;\n"
                              "    absolute = false;\n"
                              "    freq = %" G_GUINT64_FORMAT ";\n"
                              "};\n\n",
                              clock->hz);
    }
}

static void
append_types (GString *text,
              const TsCtraceMetadata *self)
{
  static const char types[]
      = "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
        "typealias integer { size = 16; align = 8; signed = false; byte_order = le; } := "
        "uint16_t;\n"
        "typealias integer { size = 32; align = 8; signed = false; byte_order = le; } := "
        "uint32_t;\n"
        "typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
        "typealias integer { size = 16; align = 8; signed = true; byte_order = le; } := int16_t;\n"
        "typealias integer { size = 32; align = 8; signed = true; byte_order = le; } := int32_t;\n"
        "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; byte_order = le; } := "
        "ieee_float32_t;\n"
        "typealias integer { size = 64; align = 8; signed = false; byte_order = le; } := "
        "uint64_t;\n";

  g_string_append (text, types);
  for (guint i = 0; i < self->n_clocks; i++)
    g_string_append_printf (text,
                            "typealias integer { size = 64; align = 8; signed = false; map = "
                            "clock.%s.value; } := %s_t;\n",
                            self->clocks[i].name, self->clocks[i].name);
  g_string_append_c (text, '\n');
}

static void
append_enumerations (GString *text,
                     guint generation)
{
  g_string_append (text, "typealias enum : uint8_t {\n"
                         "    \"read\" = 0,\n"
                         "    \"write\" = 1\n"
                         "} := cmsis_dwt_access_t;\n"
                         "typealias enum : uint8_t {\n"
                         "    \"trace_start\" = 0,\n"
                         "    \"resync\" = 1,\n"
                         "    \"overflow\" = 2,\n"
                         "    \"decode_error\" = 3,\n"
                         "    \"data_loss\" = 4\n"
                         "} := cmsis_trace_status_reason_t;\n"
                         "typealias enum : uint8_t {\n"
                         "    \"entered\" = 0,\n");
  if (generation == 1)
    {
      g_string_append (text, "    \"exited\" = 1\n} := cmsis_exception_action_t;\n");
      return;
    }
  g_string_append (text, "    \"exited\" = 1,\n"
                         "    \"returned\" = 2\n"
                         "} := cmsis_exception_action_t;\n"
                         "typealias enum : uint8_t {\n"
                         "    \"trace\" = 0,\n"
                         "    \"synthetic\" = 1\n"
                         "} := cmsis_exception_origin_t;\n"
                         "typealias enum : uint8_t {\n"
                         "    \"CPICNT\" = 0,\n"
                         "    \"EXCCNT\" = 1,\n"
                         "    \"SLEEPCNT\" = 2,\n"
                         "    \"LSUCNT\" = 3,\n"
                         "    \"FOLDCNT\" = 4,\n"
                         "    \"CYCCNT\" = 5,\n"
                         "} := cmsis_dwt_event_counter_t;\n"
                         "typealias enum : uint8_t {\n");
  for (guint i = 0; i < 8; i++)
    g_string_append_printf (text, "    \"Event%u\" = %u,\n", i, i);
  g_string_append (text, "} := cmsis_pmu_event_counter_t;\n");
}

/* Names of ports or comparators. A label that is taken gives way to the plain name, and that to one
 * with a number behind it. */
static void
append_sources (GString *text,
                const char *prefix,
                const TsCtraceSource *const *sources,
                guint first,
                guint end)
{
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = first; i < end; i++)
    {
      g_autofree char *name
          = sources[i] != NULL && sources[i]->label != NULL
                    && !g_hash_table_contains (taken, sources[i]->label)
                ? g_strdup (sources[i]->label)
                : g_strdup_printf ("%s%u", prefix, i);

      for (guint n = 1; g_hash_table_contains (taken, name); n++)
        {
          g_free (name);
          name = g_strdup_printf ("%s%u_%u", prefix, i, n);
        }
      g_string_append (text, "    ");
      ts_ctf_append_quoted (text, name);
      g_string_append_printf (text, " = %u,\n", i);
      g_hash_table_add (taken, g_steal_pointer (&name));
    }
}

static void
append_exceptions (GString *text,
                   const TsCtraceMetadata *self)
{
  static const char *const names[16] = {
    "Thread Mode", "Reset",       "NMI", "HardFault", "MemManage", "BusFault",
    "UsageFault",  "SecureFault", NULL,  NULL,        NULL,        "SVCall",
    "DebugMonitor", NULL,         "PendSV", "SysTick",
  };

  g_string_append (text, "typealias enum : uint16_t {\n");
  for (guint i = 0; i < TS_CTRACE_N_EXCEPTIONS; i++)
    if (i < G_N_ELEMENTS (names) && names[i] != NULL)
      g_string_append_printf (text, "    \"%s\" = %u,\n",
                              i == 0 && self->generation == 1 ? "ThreadMode" : names[i], i);
    else if (self->exceptions[i] != 0 && i < G_N_ELEMENTS (names))
      g_string_append_printf (text, "    \"Reserved %u\" = %u,\n", i, i);
    else if (self->exceptions[i] != 0)
      g_string_append_printf (text, "    \"External IRQ %u\" = %u,\n", i - 16, i);
  g_string_append (text, "} := cmsis_exception_number_t;\n\n");
}

static void
append_stream (GString *text,
               const TsCtraceMetadata *self,
               const TsCtraceClass *class)
{
  const char *time = self->clocks[class->clock].name;

  if (self->is_formatted)
    {
      g_string_append (text, "typealias enum : uint8_t {\n    ");
      ts_ctf_append_quoted (text, class->route);
      g_string_append_printf (text, " = %u\n} := cmsis_stream_%u_route_t;\n\n", class->id,
                              class->id);
    }
  g_string_append_printf (text,
                          "stream {\n"
                          "    id = %u;\n"
                          "    event.header := struct {\n"
                          "        uint32_t id;\n"
                          "        %s_t timestamp;\n"
                          "    };\n"
                          "    event.context := struct {\n"
                          "        uint8_t cmsis_trace_bus_id;\n",
                          class->id, time);
  if (self->is_formatted)
    g_string_append_printf (text, "        cmsis_stream_%u_route_t ctrace_route;\n", class->id);
  g_string_append_printf (text,
                          "    };\n"
                          "    packet.context := struct {\n"
                          "        uint32_t packet_size;\n"
                          "        uint32_t content_size;\n"
                          "        %s_t timestamp_begin;\n"
                          "        %s_t timestamp_end;\n"
                          "        uint32_t events_discarded;\n"
                          "        uint32_t packet_seq_num;\n"
                          "    };\n"
                          "};\n\n",
                          time, time);
}

static void
append_event (GString *text,
              guint id,
              const char *name,
              guint stream,
              const char *fields)
{
  g_string_append_printf (text,
                          "%sevent {\n"
                          "    id = %u;\n"
                          "    name = \"%s\";\n"
                          "    stream_id = %u;\n"
                          "    fields := struct {\n"
                          "%s"
                          "    };\n"
                          "};\n",
                          g_str_has_suffix (text->str, "\n\n") ? "" : "\n", id, name, stream,
                          fields);
}

#define VALUE(name)                                                                                \
  "        enum : uint8_t { i8 = 0, u8 = 1, i16 = 2, u16 = 3, i32 = 4, u32 = 5, f32 = 6 } "       \
  name "_type;\n"                                                                                  \
  "        variant <" name "_type> {\n"                                                            \
  "            int8_t i8;\n"                                                                       \
  "            uint8_t u8;\n"                                                                      \
  "            int16_t i16;\n"                                                                     \
  "            uint16_t u16;\n"                                                                    \
  "            int32_t i32;\n"                                                                     \
  "            uint32_t u32;\n"                                                                    \
  "            ieee_float32_t f32;\n"                                                              \
  "        } " name ";\n"
#define WIDTH(name)                                                                                \
  "        enum : uint8_t { none = 0, u8 = 1, u16 = 2, u32 = 4 } " name "_type;\n"                 \
  "        variant <" name "_type> {\n"                                                            \
  "            uint8_t none;\n"                                                                    \
  "            uint8_t u8;\n"                                                                      \
  "            uint16_t u16;\n"                                                                    \
  "            uint32_t u32;\n"                                                                    \
  "        } " name ";\n"
#define COUNT "        uint32_t cmsis_overflow_count;\n"
#define QUALITY "        uint8_t cmsis_sample_flags;\n" COUNT
#define COMPARATOR "        cmsis_dwt_comparator_t cmsis_dwt_comparator;\n"
#define ACCESS "        cmsis_dwt_access_t cmsis_dwt_access;\n"

/* Source: ctrace.md section 8.3 */
static void
append_events (GString *text,
               guint generation,
               guint stream)
{
  static const char itm[] = "        cmsis_itm_channel_t cmsis_itm_channel;\n" VALUE (
      "m_cmsisitm_value") QUALITY;
  static const char status[]
      = "        cmsis_trace_status_reason_t cmsis_trace_status_reason;\n" COUNT;
  static const char exception[] = "        cmsis_exception_number_t cmsis_exception_number;\n"
                                  "        cmsis_exception_action_t cmsis_exception_action;\n"
                                  "        uint16_t cmsis_exception_number_value;\n";
  static const char origin[] = "        cmsis_exception_origin_t cmsis_exception_origin;\n";
  g_autofree char *lane = g_strconcat (exception, generation > 1 ? origin : "", NULL);

  append_event (text, 0, "ITM", stream, itm);
  if (generation == 1)
    {
      append_event (text, 1, "DWT_VALUE", stream,
                    COMPARATOR ACCESS VALUE ("m_cmsisdwt_value")
                    "        uint8_t cmsis_has_pc;\n"
                    "        uint32_t cmsis_dwt_pc[cmsis_has_pc];\n"
                    "        uint8_t cmsis_has_address;\n"
                    "        uint16_t cmsis_dwt_address[cmsis_has_address];\n" QUALITY);
      append_event (text, 2, "DWT_ADDR", stream,
                    COMPARATOR "        uint8_t cmsis_has_pc;\n"
                               "        uint8_t cmsis_has_address;\n"
                               "        uint32_t cmsis_dwt_pc;\n"
                               "        uint16_t cmsis_dwt_address;\n" QUALITY);
    }
  else
    {
      append_event (text, 1, "DWT_VALUE", stream,
                    COMPARATOR ACCESS VALUE ("m_cmsisdwt_value") WIDTH ("cmsis_dwt_pc")
                        WIDTH ("cmsis_dwt_address") QUALITY);
      append_event (text, 2, "DWT_ADDR", stream,
                    COMPARATOR WIDTH ("cmsis_dwt_pc") WIDTH ("cmsis_dwt_address") QUALITY);
      append_event (text, 9, "DWT_MATCH", stream, COMPARATOR QUALITY);
      append_event (text, 7, "DWT_EVENT", stream,
                    "        cmsis_dwt_event_counter_t cmsis_dwt_event_counter;\n" QUALITY);
      append_event (text, 8, "PMU_EVENT", stream,
                    "        cmsis_pmu_event_counter_t cmsis_pmu_event_counter;\n" QUALITY);
    }
  append_event (text, 3, "TRACE_STATUS", stream, status);
  append_event (text, 4, "EXCEPTION", stream, lane);
  append_event (text, 5, "GLOBAL_TIMESTAMP", stream,
                "        uint64_t cmsis_global_timestamp;\n"
                "        uint8_t cmsis_clock_change;\n");
  if (generation == 1)
    return;
  append_event (text, 6, "PC_SAMPLE", stream,
                "        uint8_t cmsis_pc_sample_state;\n"
                "        uint32_t cmsis_pc[cmsis_pc_sample_state];\n" QUALITY);
  append_event (text, 10, "PC_SAMPLE_PROHIBITED", stream, QUALITY);
}

/*
 * _ts_ctrace_metadata_dup:
 * @metadata: what it tells of
 *
 * Returns: (transfer full): the text of `metadata`
 */
char *
_ts_ctrace_metadata_dup (const TsCtraceMetadata *metadata)
{
  GString *text = g_string_new (NULL);

  append_head (text, metadata);
  append_environment (text, metadata);
  append_clocks (text, metadata);
  append_types (text, metadata);
  append_enumerations (text, metadata->generation);
  g_string_append (text, "typealias enum : uint8_t {\n");
  append_sources (text, "ITM", metadata->ports, 1, TS_CTRACE_N_PORTS);
  g_string_append (text, "} := cmsis_itm_channel_t;\ntypealias enum : uint8_t {\n");
  append_sources (text, "DWT", metadata->comparators, 0, TS_CTRACE_N_COMPARATORS);
  g_string_append (text, "\n} := cmsis_dwt_comparator_t;\n");
  append_exceptions (text, metadata);
  for (guint i = 0; i < metadata->n_classes; i++)
    {
      if (i > 0)
        g_string_append_c (text, '\n');
      append_stream (text, metadata, &metadata->classes[i]);
      append_events (text, metadata->generation, metadata->classes[i].id);
    }
  return g_string_free (text, FALSE);
}
