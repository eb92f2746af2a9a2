/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-connection.h: what a capture connects to: the `.vacf` connection file and its keys.
 *
 * Every key of the contract (viewalyzer-host.md section 2.2, viewalyzer-wire.md section 14.1) and
 * our own (events.md section 5) is in one table (name, type, default, transports, help); the same
 * table serves the file, the flags of `capture` and the window's capture panel.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define TS_CAPTURE_ERROR (ts_capture_error_quark ())
GQuark ts_capture_error_quark (void);

/**
 * TsCaptureError:
 * @TS_CAPTURE_ERROR_BAD_CONFIG: unknown key (message names the nearest known one), wrong type or
 * value, missing transport
 * @TS_CAPTURE_ERROR_CONNECT: the source cannot be opened (port in use, no such device, connection
 * refused ...)
 * @TS_CAPTURE_ERROR_LOST: the source ended with an error while capturing (device vanished ...)
 * @TS_CAPTURE_ERROR_NOT_BUILT: a transport that needs a probe: not built yet
 * @TS_CAPTURE_ERROR_EMPTY: the capture ended without one event
 * @TS_CAPTURE_ERROR_WRITE: the recording cannot be written (disk full ...)
 * @TS_CAPTURE_ERROR_NO_SYMBOL: the firmware's ELF file has no such symbol
 */
typedef enum
{
  TS_CAPTURE_ERROR_BAD_CONFIG,
  TS_CAPTURE_ERROR_CONNECT,
  TS_CAPTURE_ERROR_LOST,
  TS_CAPTURE_ERROR_NOT_BUILT,
  TS_CAPTURE_ERROR_EMPTY,
  TS_CAPTURE_ERROR_WRITE,
  TS_CAPTURE_ERROR_NO_SYMBOL,
} TsCaptureError;

typedef enum
{
  TS_KEY_STRING,
  TS_KEY_INT,
  TS_KEY_ADDRESS,  /* a hex string in the file; an integer inside */
  TS_KEY_BOOL,
  TS_KEY_OBJECT,   /* hardware-trace */
  TS_KEY_IGNORED,  /* accepted without effect */
} TsKeyType;

/**
 * TsConnectionKey:
 * @name: key of the file, flag of the command line without `--`
 * @type: its type
 * @default_value: (nullable): default as text
 * @transports: (nullable): space-separated transports it applies to ("udp serial"), %NULL for all
 * @help: one sentence (translatable)
 */
typedef struct
{
  const char *name;
  TsKeyType type;
  const char *default_value;
  const char *transports;
  const char *help;
} TsConnectionKey;

/** Symbols are polled at most so often per second. Source: viewalyzer-host.md section 3.2, `poll` */
#define TS_POLL_MAX_HZ 1000
#define TS_POLL_DEFAULT_HZ 100

#define TS_TYPE_CONNECTION (ts_connection_get_type ())
G_DECLARE_FINAL_TYPE (TsConnection, ts_connection, TS, CONNECTION, GObject)

TsConnection *ts_connection_new (void);
gboolean ts_connection_load_file (TsConnection *self,
                                  const char *path,
                                  gboolean lenient,
                                  GError **error);
gboolean ts_connection_load_data (TsConnection *self,
                                  const char *data,
                                  gssize length,
                                  const char *name_for_messages,
                                  gboolean lenient,
                                  GError **error);
gboolean ts_connection_set_from_text (TsConnection *self,
                                      const char *key,
                                      const char *value,
                                      GError **error);
gboolean ts_connection_validate (TsConnection *self,
                                 GError **error);
gboolean ts_connection_save_file (TsConnection *self,
                                  const char *path,
                                  GError **error);
JsonNode *ts_connection_to_json (TsConnection *self);
const char * const *ts_connection_get_warnings (TsConnection *self);

const char *ts_connection_get_transport (TsConnection *self);
const char *ts_connection_get_string (TsConnection *self,
                                      const char *key);
gint64 ts_connection_get_int (TsConnection *self,
                              const char *key);
gboolean ts_connection_get_bool (TsConnection *self,
                                 const char *key);
JsonObject *ts_connection_get_object (TsConnection *self,
                                      const char *key);
gboolean ts_connection_override_hardware_trace (TsConnection *self,
                                                const char *flag,
                                                const char *value,
                                                GError **error);
gboolean ts_connection_has (TsConnection *self,
                            const char *key);
void ts_connection_unset (TsConnection *self,
                          const char *key);

const TsConnectionKey *ts_connection_list_keys (guint *n_keys);
const TsConnectionKey *ts_connection_find_key (const char *name);
gboolean ts_connection_key_applies (const TsConnectionKey *key,
                                    const char *transport);
/* What belongs to one run and stands in no file. */
TsConnection *ts_connection_copy (TsConnection *self);
void ts_connection_set_elf (TsConnection *self,
                            const char *path);
const char *ts_connection_get_elf (TsConnection *self);
void ts_connection_set_polling (TsConnection *self,
                                const char *symbols,
                                guint hz,
                                gboolean is_alone);
const char *ts_connection_get_polled_symbols (TsConnection *self);
guint ts_connection_get_poll_hz (TsConnection *self);
gboolean ts_connection_is_poll_alone (TsConnection *self);

/** All transports of the contract and our own, in the order a person wants them; NULL-terminated.
 */
const char * const *ts_connection_list_transports (void);
gboolean ts_connection_transport_is_built (const char *transport);

G_END_DECLS
