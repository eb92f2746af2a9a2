/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-domain.h: Trace Domains: what the channels of some firmware mean, and when they tell of
 * trouble.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "ts-recording-writer.h"
#include "ts-recording.h"

G_BEGIN_DECLS

typedef struct _TsDomain TsDomain;

TsDomain *ts_domain_load (const char *path,
                          GError **error);
void ts_domain_free (TsDomain *self);
const char *ts_domain_get_id (TsDomain *self);
const char *ts_domain_get_name (TsDomain *self);
const char *ts_domain_get_version (TsDomain *self);
const char *ts_domain_get_path (TsDomain *self);
JsonObject *ts_domain_get_json (TsDomain *self);
guint ts_domain_count (TsDomain *self,
                       const char *list);

char **ts_domain_list_folders (void);
GPtrArray *ts_domain_load_all (GPtrArray *failures);
void ts_domain_note_claims (TsRecordingWriter *writer);

/**
 * TsVerdict:
 * @domain: the domain it is of
 * @json: (transfer none): its definition in the domain
 * @begin, @end: when it held, in ticks
 * @peak: the largest value, or how far a counter went
 *
 * One time at which a rule of a domain held.
 */
typedef struct
{
  TsDomain *domain;
  JsonObject *json;
  gint64 begin;
  gint64 end;
  double peak;
} TsVerdict;

/**
 * TsEvidence:
 * @channel: name of the channel
 * @has_start, @has_end: there is a value
 * @at_start, @at_end: the value held at the verdict's begin and end
 * @label_start, @label_end: (nullable): what the domain calls these values
 */
typedef struct
{
  char *channel;
  gboolean has_start;
  gboolean has_end;
  double at_start;
  double at_end;
  char *label_start;
  char *label_end;
} TsEvidence;

GArray *ts_domain_evaluate (GPtrArray *domains,
                            TsRecording *recording,
                            gint64 begin,
                            gint64 end,
                            GCancellable *cancellable,
                            GError **error);
GPtrArray *ts_verdict_list_evidence (const TsVerdict *self,
                                     TsRecording *recording);
void ts_evidence_free (TsEvidence *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDomain, ts_domain_free)

G_END_DECLS
