/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-domain-private.h: reading JSON that may be anything, and channels by name. */
#pragma once

#include "ts-domain.h"
#include "ts-series.h"

G_BEGIN_DECLS

const char *_ts_domain_get_text (JsonObject *object,
                                 const char *key);
gboolean _ts_domain_get_number (JsonObject *object,
                                const char *key,
                                double *value);
JsonArray *_ts_domain_get_array (JsonObject *object,
                                 const char *key);
JsonObject *_ts_domain_get_object (JsonObject *object,
                                   const char *key);
JsonObject *_ts_domain_get_element (JsonArray *array,
                                    guint i);
JsonObject *_ts_domain_find (TsDomain *self,
                             JsonObject *parent,
                             const char *list,
                             const char *name);

GArray *_ts_domain_read_channel (TsDomain *self,
                                 TsRecording *recording,
                                 const char *name,
                                 gint64 end);
double _ts_domain_wrap (TsDomain *self,
                        const char *channel);
char *_ts_domain_dup_label (TsDomain *self,
                            const char *channel,
                            double value);

G_END_DECLS
