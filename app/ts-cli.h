/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli.h: what the files of the command line share: arguments, envelopes, the index of
 * recordings, verbs.
 *
 * One verb is one function: it takes the arguments, prints its answer and returns the exit status,
 * or sets an error that becomes an error envelope. Standard output carries answers only; remarks
 * for people go to standard error.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "capture/ts-capture-session.h"
#include "model/ts-instrument.h"
#include "model/ts-query.h"

G_BEGIN_DECLS

#define TS_CLI_SCHEMA_VERSION 2

#define TS_CLI_ERROR (ts_cli_error_quark ())
GQuark ts_cli_error_quark (void);

/**
 * TsCliError:
 *
 * Failures that belong to the command line itself; their names in envelopes: ts-cli-envelope.c.
 */
typedef enum
{
  TS_CLI_ERROR_BAD_ARGUMENTS,
  TS_CLI_ERROR_NO_SUCH_RECORDING,
  TS_CLI_ERROR_FILE_NOT_FOUND,
  TS_CLI_ERROR_UNSUPPORTED,
  TS_CLI_ERROR_ETM_NOT_PRESENT,
  TS_CLI_ERROR_EMPTY_SNAPSHOT,
  TS_CLI_ERROR_SNAPSHOT_FAILED,
  TS_CLI_ERROR_INTERNAL,
} TsCliError;

/**
 * TsCliFlag:
 * @name: name without dashes
 * @value: (nullable): its value, %NULL for a switch
 */
typedef struct
{
  char *name;
  char *value;
} TsCliFlag;

/**
 * TsCliArgs:
 * @verb: (nullable): what to do; %NULL: show the help
 * @positional: arguments after the verb
 * @flags: array of #TsCliFlag, in order
 * @is_pretty: indented JSON
 * @suggestion: what a query suggests to ask instead
 */
typedef struct
{
  char *verb;
  GPtrArray *positional;
  GArray *flags;
  gboolean is_pretty;
  TsQuerySuggestion suggestion;
} TsCliArgs;

/* ts-cli-args.c */
TsCliArgs *ts_cli_args_new (void);
gboolean ts_cli_args_parse (TsCliArgs *self,
                            int argc,
                            char **argv,
                            GError **error);
void ts_cli_args_free (TsCliArgs *self);
gboolean ts_cli_args_has (TsCliArgs *self,
                          const char *name);
const char *ts_cli_args_get (TsCliArgs *self,
                             const char *name);
const char *ts_cli_args_get_positional (TsCliArgs *self,
                                        guint index);
char **ts_cli_args_dup_list (TsCliArgs *self,
                             const char *name);
gboolean ts_cli_args_get_int (TsCliArgs *self,
                              const char *name,
                              gint64 minimum,
                              gint64 maximum,
                              gint64 fallback,
                              gint64 *value,
                              GError **error);
gboolean ts_cli_args_get_duration_ms (TsCliArgs *self,
                                      const char *name,
                                      gint64 *value_ms,
                                      GError **error);
const char *ts_cli_nearest (const char *word,
                            const char * const *words);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCliArgs, ts_cli_args_free)

/* ts-cli-flags.c */
typedef enum
{
  TS_CLI_FLAG_UNKNOWN,
  TS_CLI_FLAG_SWITCH,
  TS_CLI_FLAG_VALUE,
} TsCliFlagKind;

TsCliFlagKind ts_cli_flag_get_kind (const char *name);
gboolean ts_cli_flag_is_for (const char *name,
                             const char *verb);
const char *ts_cli_flag_get_verb (const char *name);
char **ts_cli_flag_list_for (const char *verb);
gboolean ts_cli_set_keys (TsCliArgs *args,
                          TsConnection *connection,
                          GPtrArray *reasons,
                          GError **error);
gboolean ts_cli_load_config (TsCliArgs *args,
                             TsConnection *connection,
                             GError **error);

/* ts-cli-envelope.c */
JsonObject *ts_cli_envelope_new (void);
int ts_cli_get_schema_version (TsCliArgs *args);
char *ts_cli_dup_json (JsonNode *node,
                       gboolean is_pretty);
void ts_cli_envelope_print (TsCliArgs *args,
                            JsonObject *object);
void ts_cli_envelope_print_error (TsCliArgs *args,
                                  const GError *error);
void ts_cli_envelope_add_text (JsonObject *object,
                               const char *key,
                               const char *text);
JsonObject *ts_cli_summary_to_json (const TsRecordingSummary *summary);
char *ts_cli_dup_printable (const char *text);
void ts_cli_print_line (const char *format,
                        ...) G_GNUC_PRINTF (1, 2);
void ts_cli_remark (const char *format,
                    ...) G_GNUC_PRINTF (1, 2);

/* ts-cli-index.c */
char *ts_cli_index_dup_folder (void);
JsonArray *ts_cli_index_list (GError **error);
gboolean ts_cli_index_register (const char *path,
                                const char *recording_id,
                                const char *schema_name,
                                gint64 duration_us,
                                GError **error);
gboolean ts_cli_index_delete (const char *reference,
                              GError **error);
gboolean ts_cli_index_delete_all (GError **error);
char *ts_cli_index_dup_path (const char *reference,
                             GError **error);

/* ts-cli-output.c */
char *ts_cli_dup_vadb_path (const char *path);
TsRecording *ts_cli_open_recording (TsCliArgs *args,
                                    GError **error);
gboolean ts_cli_get_window (TsCliArgs *args,
                            gint64 *t_start_us,
                            gint64 *t_end_us,
                            GError **error);
void ts_cli_show_progress (double fraction,
                           gpointer user_data);
void ts_cli_end_progress (void);
GCancellable *ts_cli_interrupt_new (void);
GCancellable *ts_cli_interrupt_new_until (gint64 end_us);
void ts_cli_hold_signals (void);
void ts_cli_release_signals (void);
char *ts_cli_dup_recording_id (const char *path);

/* ts-cli-cache.c */
TsRecording *ts_cli_open_indexed (const char *path,
                                  GError **error);

/* ts-cli-query.c */
const char *const *ts_cli_list_queries (void);

/* ts-cli-names.c */
char **ts_cli_list_claims (const char *path);
void ts_cli_remark_claims (const char *path);
TsNames *ts_cli_names_new (TsCliArgs *args,
                           gboolean is_lenient,
                           GError **error);

/* ts-cli-rows.c */
void ts_cli_rows_print (JsonObject *answer,
                        gboolean is_table);
GOutputStream *ts_cli_rows_stream_new (gboolean is_table);

/* ts-cli-report.c */
void ts_cli_report_print_md (JsonObject *answer,
                             TsRecording *recording);
void ts_cli_report_print_html (JsonObject *answer,
                               TsRecording *recording);
void ts_cli_report_print_junit (JsonObject *answer);

/* ts-cli-as.c */
gboolean ts_cli_as_check (TsCliArgs *args,
                          const char *verb,
                          GError **error);
void ts_cli_as_print (TsCliArgs *args,
                      JsonObject *answer,
                      TsRecording *recording);

/* ts-cli-capture.c */
void ts_cli_remark_warnings (TsConnection *connection);
TsConnection *ts_cli_make_connection (TsCliArgs *args,
                                      GError **error);
int ts_cli_record (TsCliArgs *args,
                   TsConnection *connection,
                   const TsCaptureOptions *options,
                   const char *headline,
                   GError **error);

/* ts-cli-stream.c */
typedef struct _TsCliStream TsCliStream;

void ts_cli_stream_tell_start (TsCliArgs *args,
                               TsConnection *connection);
TsCliStream *ts_cli_stream_new (TsCliArgs *args,
                                TsRecording *recording,
                                const char *path,
                                TsConnection *connection);
void ts_cli_stream_finish (TsCliStream *self);

/* ts-cli-import.c */
JsonObject *ts_cli_instrument_report_to_json (const TsInstrumentReport *report);

/* ts-cli-instrument.c */
typedef struct _TsCliInstrument TsCliInstrument;

gboolean ts_cli_instrument_new (TsCliArgs *args,
                                TsCliInstrument **instrument,
                                GError **error);
gboolean ts_cli_instrument_start (TsCliInstrument *self,
                                  GError **error);
void ts_cli_instrument_stop (TsCliInstrument *self);
JsonObject *ts_cli_instrument_merge (TsCliInstrument *self,
                                     const char *path,
                                     gint64 since_us);
void ts_cli_instrument_free (TsCliInstrument *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsCliInstrument, ts_cli_instrument_free)

/* Verbs. */
int ts_cli_version (TsCliArgs *args,
                    GError **error);
int ts_cli_doctor (TsCliArgs *args,
                   GError **error);
int ts_cli_ports (TsCliArgs *args,
                  GError **error);
int ts_cli_probes (TsCliArgs *args,
                   GError **error);
int ts_cli_recordings (TsCliArgs *args,
                       GError **error);
int ts_cli_license (TsCliArgs *args,
                    GError **error);
int ts_cli_capture (TsCliArgs *args,
                    GError **error);
int ts_cli_poll (TsCliArgs *args,
                 GError **error);
int ts_cli_demo (TsCliArgs *args,
                 GError **error);
int ts_cli_decode (TsCliArgs *args,
                   GError **error);
int ts_cli_reset (TsCliArgs *args,
                  GError **error);
int ts_cli_snapshot (TsCliArgs *args,
                     GError **error);
int ts_cli_snapshot_image (TsCliArgs *args,
                           const char *image,
                           const char *source,
                           GError **error);
int ts_cli_query (TsCliArgs *args,
                  GError **error);
int ts_cli_export (TsCliArgs *args,
                   GError **error);
int ts_cli_symbols (TsCliArgs *args,
                    GError **error);
int ts_cli_memory (TsCliArgs *args,
                   GError **error);
int ts_cli_domains (TsCliArgs *args,
                    GError **error);
int ts_cli_print (TsCliArgs *args,
                  GError **error);
int ts_cli_ctrace (TsCliArgs *args,
                   GError **error);
int ts_cli_packets (TsCliArgs *args,
                    GError **error);
int ts_cli_completion (TsCliArgs *args,
                       GError **error);
int ts_cli_targets (TsCliArgs *args,
                    GError **error);
int ts_cli_load (TsCliArgs *args,
                 GError **error);
int ts_cli_import (TsCliArgs *args,
                   GError **error);
int ts_cli_hwtrace (TsCliArgs *args,
                    GError **error);
int ts_cli_cache (TsCliArgs *args,
                  GError **error);
int ts_cli_reindex (TsCliArgs *args,
                    GError **error);
int ts_cli_help (TsCliArgs *args,
                 GError **error);

/**
 * TsCliVerb:
 * @name: verb
 * @run: (nullable): its function; %NULL: a verb of the contract that is not built yet
 * @n_words: most words after the verb
 * @help: one line for the help; %NULL: not shown
 */
typedef struct
{
  const char *name;
  int (*run) (TsCliArgs *args,
              GError **error);
  guint n_words;
  const char *help;
} TsCliVerb;

const TsCliVerb *ts_cli_find_verb (const char *name);
const TsCliVerb *ts_cli_list_verbs (guint *n_verbs);
int ts_cli_run (int argc,
                char **argv);

G_END_DECLS
