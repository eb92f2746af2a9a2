/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-private.h: what the connection's table knows beyond its public columns; inside
 * capture only. */
#pragma once

#include "ts-connection.h"

G_BEGIN_DECLS

/** Largest connection file that is read, bytes: published ones are below 2 KiB. */
#define TS_CONNECTION_MAX_BYTES (256 * 1024)
/** Most brackets in a connection file: bounds the recursion of any parser. */
#define TS_CONNECTION_MAX_BRACKETS 512
/** Deepest nesting of objects and arrays: hardware-trace needs four. */
#define TS_CONNECTION_MAX_DEPTH 8

/** Makes a probe that is attached to its target; %NULL with one clear sentence. */
typedef struct _TsProbe *(*TsProbeMaker) (gpointer user_data,
                                          GError **error);

void _ts_connection_set_probe_maker (TsConnection *self,
                                     TsProbeMaker maker,
                                     gpointer user_data);
TsProbeMaker _ts_connection_get_probe_maker (TsConnection *self,
                                             gpointer *user_data);

const char *_ts_connection_find_nearest (const char *name,
                                         const char * const *candidates);
const char *_ts_connection_find_nearest_key (const char *name);
const char *_ts_connection_find_nearest_transport (const char *name);
gboolean _ts_connection_key_get_range (const TsConnectionKey *key,
                                       gint64 *minimum,
                                       gint64 *maximum);
gboolean _ts_connection_key_has_no_meaning (const TsConnectionKey *key);
const char * const *_ts_connection_key_list_choices (const TsConnectionKey *key);
const char *_ts_connection_find_missing_key (TsConnection *self,
                                             const char *transport);

gboolean _ts_connection_parse_int (const char *text,
                                   gint64 *value);
JsonNode *_ts_connection_parse_object (const char *data,
                                       gsize length,
                                       const char *name,
                                       GError **error);
JsonNode *_ts_connection_check_node (const TsConnectionKey *key,
                                     JsonNode *node,
                                     GPtrArray *warnings,
                                     GError **error);
char *_ts_hardware_trace_dup_place (const char *name);
gboolean _ts_hardware_trace_check (JsonObject *object,
                                   GPtrArray *warnings,
                                   GError **error);

G_END_DECLS
