/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-yaml-private.h: nodes of a YAML document, for the configuration of trace runs. */
#pragma once

#include <yaml.h>

#include "ts-ctrace.h"

G_BEGIN_DECLS

/**
 * TsCtraceYaml:
 * @document: the document
 * @path: its name for messages
 * @func: (nullable): takes diagnostics
 */
typedef struct
{
  yaml_document_t document;
  const char *path;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
} TsCtraceYaml;

gboolean _ts_ctrace_yaml_load (TsCtraceYaml *self,
                               const char *text,
                               gsize n_text,
                               GError **error);
gboolean _ts_ctrace_yaml_fail (TsCtraceYaml *self,
                               const yaml_node_t *node,
                               const char *message,
                               GError **error);
void _ts_ctrace_yaml_warn (TsCtraceYaml *self,
                           TsCtraceLevel level,
                           const char *message,
                           const char *context);
const char *_ts_ctrace_yaml_text (const yaml_node_t *node);
gboolean _ts_ctrace_yaml_is_null (const yaml_node_t *node);
yaml_node_t *_ts_ctrace_yaml_get (TsCtraceYaml *self,
                                  const yaml_node_t *map,
                                  const char *key);
gboolean _ts_ctrace_yaml_number (const yaml_node_t *node,
                                 guint64 *value);
guint _ts_ctrace_yaml_count (const yaml_node_t *list);
yaml_node_t *_ts_ctrace_yaml_item (TsCtraceYaml *self,
                                   const yaml_node_t *list,
                                   guint index);

G_END_DECLS
