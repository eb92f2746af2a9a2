/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-decoder.c: the table of formats and the verbs that every decoder shares. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ts-decoder-private.h"

G_DEFINE_QUARK (ts - decode - error - quark, ts_decode_error)

/* Source: events.md section 4 (`decode --format`). */
static const struct
{
  const char *name;
  TsDecoderCreate create; /* NULL: known, not built yet */
} formats[] = {
  { "auto", _ts_va_decoder_create },
  { "va", _ts_va_decoder_create },
  { "va-cobs", _ts_va_decoder_create },
  { "va-udprec", _ts_va_decoder_create },
  { "va-itm", _ts_itm_decoder_create },
  { "va-tpiu", _ts_itm_decoder_create },
  { "itm", _ts_itm_decoder_create },
  { "tpiu", _ts_itm_decoder_create },
  { "poll", _ts_poll_decoder_create },
  { "rtic", NULL },
  { "kev", NULL },
  { "snapshot", NULL },
};

/* Those that can be made, for ts_decoder_list_formats(). */
static const char *const built_formats[] = { "auto", "va", "va-cobs", "va-udprec", "va-itm",
                                             "va-tpiu", "itm", "tpiu", "poll", NULL };

/* An escaped name, cut to the room there is. */
static gboolean
read_name (const char *escaped, char *place)
{
  g_autofree char *name = g_uri_unescape_string (escaped, NULL);
  const char *valid_end;

  if (name == NULL || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  g_strlcpy (place, name, TS_DECODE_NAME);
  /* not in the middle of a character */
  g_utf8_validate (place, -1, &valid_end);
  place[valid_end - place] = '\0';
  return TRUE;
}

/* "watch0=NAME", "port1=NAME" with escapes as in a URI, "clock.2=HZ", "prescaler.2=N". FALSE: none of
 * those. */
static gboolean
read_numbered (const char *text, TsDecoderOptions *options)
{
  static const struct
  {
    const char *prefix;
    guint64 end;
  } kinds[] = {
    { "watch", TS_DECODE_N_WATCHES },
    { "port", TS_DECODE_N_PORTS },
    { "clock.", TS_DECODE_N_IDS },
    { "prescaler.", TS_DECODE_N_IDS },
  };
  const char *equals = strchr (text, '=');

  for (guint i = 0; equals != NULL && i < G_N_ELEMENTS (kinds); i++)
    {
      gsize n_prefix = strlen (kinds[i].prefix);
      g_autofree char *digits = NULL;
      guint64 number;
      guint64 value;

      if (!g_str_has_prefix (text, kinds[i].prefix) || equals <= text + n_prefix)
        continue;
      digits = g_strndup (text + n_prefix, (gsize) (equals - text) - n_prefix);
      if (!g_ascii_string_to_unsigned (digits, 10, 0, kinds[i].end - 1, &number, NULL))
        continue;
      if (i < 2)
        return read_name (equals + 1, i == 0 ? options->watch_names[number]
                                             : options->port_names[number]);
      if (!g_ascii_string_to_unsigned (equals + 1, 10, 1,
                                       i == 2 ? G_GUINT64_CONSTANT (100000000000) : 64, &value,
                                       NULL))
        return FALSE;
      if (i == 2)
        options->id_clock_hz[number] = value;
      else
        options->id_prescaler[number] = (guint8) value;
      return TRUE;
    }
  return FALSE;
}

/* The name of a comparator or a stimulus port of one source: `watch.ID.N=NAME`, `port.ID.N=NAME`. */
static gboolean
read_name_of_source (const char *text, TsDecoderOptions *options)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ".=", 4);
  gboolean is_watch = g_strcmp0 (parts[0], "watch") == 0;
  TsDecodePortName *port;
  guint64 id;
  guint64 number;

  if (g_strv_length (parts) != 4 || (!is_watch && strcmp (parts[0], "port") != 0)
      || !g_ascii_string_to_unsigned (parts[1], 10, 1, TS_DECODE_N_IDS - 1, &id, NULL)
      || !g_ascii_string_to_unsigned (
          parts[2], 10, 0, (is_watch ? TS_DECODE_N_WATCHES : TS_DECODE_N_PORTS) - 1, &number, NULL))
    return FALSE;
  if (is_watch)
    return read_name (parts[3], options->id_watch_names[id][number]);
  if (options->n_id_ports == TS_DECODE_N_ID_PORTS)
    return FALSE;
  port = &options->id_ports[options->n_id_ports++];
  port->id = (guint8) id;
  port->port = (guint8) number;
  return read_name (parts[3], port->name);
}

/* One parameter behind the name of a format. */
static gboolean
read_parameter (const char *text, TsDecoderOptions *options, GError **error)
{
  static const struct
  {
    const char *name;
    guint64 least;
    guint64 most;
  } numbers[] = {
    { "port=", 0, 255 },
    { "id=", 1, 111 },
    { "prescaler=", 1, 64 },
    { "clock=", 1, G_GUINT64_CONSTANT (100000000000) },
  };
  static const char *const syncs[] = { "sync=auto", "sync=strict", "sync=aligned" };

  if (read_numbered (text, options) || read_name_of_source (text, options))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (syncs); i++)
    if (strcmp (text, syncs[i]) == 0)
      {
        options->sync = (TsDecodeSync) i;
        return TRUE;
      }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      guint64 value;

      if (!g_str_has_prefix (text, numbers[i].name)
          || !g_ascii_string_to_unsigned (text + strlen (numbers[i].name), 10, numbers[i].least,
                                          numbers[i].most, &value, NULL))
        continue;
      if (i == 0)
        options->has_itm_port = TRUE;
      if (i == 0)
        options->itm_port = (guint) value;
      else if (i == 1)
        options->trace_id = (guint) value;
      else if (i == 2)
        options->itm_prescaler = (guint) value;
      else
        options->clock_hz = value;
      return TRUE;
    }
  g_set_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_BAD_OPTION,
               _ ("The parameter “%s” of a format makes no sense; use port=0…255, id=1…111, "
                  "sync=auto, strict or aligned, prescaler=1…64, clock=HZ, watchN=NAME, "
                  "portN=NAME, watch.ID.N=NAME, port.ID.N=NAME, clock.ID=HZ, prescaler.ID=N."),
               text);
  return FALSE;
}

/* Parameters in the form `,` separated behind `:`. */
static gboolean
read_parameters (const char *text, TsDecoderOptions *options, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (!read_parameter (parts[i], options, error))
      return FALSE;
  return TRUE;
}

/**
 * ts_decoder_new:
 * @format: name of a format, as `decode --format` takes it; parameters may follow it:
 *   "va-tpiu:id=1,port=2,sync=strict,prescaler=4,clock=480000000"; they win over @options
 * @sink: where events go; borrowed, must outlive the decoder
 * @options: (nullable): what the stream does not say; copied
 * @error: return location
 *
 * Makes a decoder. It is owned by the thread that pushes into it.
 *
 * Thread: any; afterwards owner
 * Errors: %TS_DECODE_ERROR_UNKNOWN_FORMAT, %TS_DECODE_ERROR_NOT_BUILT, %TS_DECODE_ERROR_BAD_OPTION
 *
 * Returns: (transfer full): a decoder, or %NULL with @error set
 */
TsDecoder *
ts_decoder_new (const char *format,
                TsEventSink *sink,
                const TsDecoderOptions *options,
                GError **error)
{
  TsDecoderOptions own = { 0 };
  g_autofree char *known = NULL;
  const char *colon;
  gsize n_name;

  g_return_val_if_fail (format != NULL, NULL);
  g_return_val_if_fail (sink != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (options != NULL)
    own = *options;
  colon = strchr (format, ':');
  n_name = colon != NULL ? (gsize) (colon - format) : strlen (format);
  known = g_strjoinv (", ", (char **) built_formats);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (strlen (formats[i].name) != n_name || strncmp (formats[i].name, format, n_name) != 0)
        continue;
      if (formats[i].create == NULL)
        {
          g_set_error (
              error, TS_DECODE_ERROR, TS_DECODE_ERROR_NOT_BUILT,
              _ ("This version cannot decode the format “%s” yet; use one of these: %s."),
              formats[i].name, known);
          return NULL;
        }
      if (colon != NULL && !read_parameters (colon + 1, &own, error))
        return NULL;
      return formats[i].create (formats[i].name, sink, &own);
    }
  g_set_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT,
               _ ("There is no format “%s”; use one of these: %s."), format, known);
  return NULL;
}

/**
 * ts_decoder_free:
 * @self: (transfer full) (nullable): a decoder
 *
 * Frees the decoder. What was not flushed is dropped.
 *
 * Thread: owner
 */
void
ts_decoder_free (TsDecoder *self)
{
  if (self != NULL)
    self->klass->free (self);
}

/**
 * ts_decoder_push:
 * @self: a decoder
 * @source: who sent the bytes: 0 where there is one sender; several senders are decoded apart
 * @bytes: (array length=n_bytes): the next bytes of that sender; borrowed for the call
 * @n_bytes: number of bytes
 *
 * Decodes bytes. Where one call ends and the next begins means nothing. Events go to the sink
 * during the call, a few held back until later bytes, ts_decoder_idle() or ts_decoder_flush()
 * confirm them.
 *
 * Thread: owner
 */
void
ts_decoder_push (TsDecoder *self, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (bytes != NULL || n_bytes == 0);

  if (n_bytes == 0)
    return;
  self->counters.bytes += n_bytes;
  self->klass->push (self, source, bytes, n_bytes);
}

/**
 * ts_decoder_idle:
 * @self: a decoder
 *
 * To be called when no sender sent anything for 20 ms: gives out complete packets and events that
 * were held back.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 8.2 (20 ms without data confirm a packet)
 */
void
ts_decoder_idle (TsDecoder *self)
{
  g_return_if_fail (self != NULL);

  self->klass->idle (self);
}

/**
 * ts_decoder_mark_loss:
 * @self: a decoder
 * @source: the sender whose bytes were lost on the host's side
 * @n_bytes: how many, 0 if not known
 *
 * Tells that bytes are missing before the next push: the decoder looks for a boundary again and
 * puts a `data_loss` event in place.
 *
 * Thread: owner
 */
void
ts_decoder_mark_loss (TsDecoder *self, guint32 source, guint64 n_bytes)
{
  g_return_if_fail (self != NULL);

  self->klass->mark_loss (self, source, n_bytes);
}

/**
 * ts_decoder_flush:
 * @self: a decoder
 *
 * The end of the data: gives out everything, counts an unfinished packet as corrupt, and tells the
 * sink about objects that were named but never used. More bytes may follow all the same.
 *
 * Thread: owner
 */
void
ts_decoder_flush (TsDecoder *self)
{
  g_return_if_fail (self != NULL);

  self->klass->flush (self);
}

/**
 * ts_decoder_reset:
 * @self: a decoder
 *
 * Forgets everything, counters and objects included, as if just made. What was not flushed is
 * dropped.
 *
 * Thread: owner
 */
void
ts_decoder_reset (TsDecoder *self)
{
  g_return_if_fail (self != NULL);

  self->klass->reset (self);
}

/**
 * ts_decoder_get_counters:
 * @self: a decoder
 *
 * Thread: owner
 *
 * Returns: (transfer none): the counters, up to date until the next call
 */
const TsDecodeCounters *
ts_decoder_get_counters (TsDecoder *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  self->klass->prepare_counters (self);
  return &self->counters;
}

/**
 * ts_decoder_get_format:
 * @self: a decoder
 *
 * Thread: owner
 *
 * Returns: (transfer none): name of the format; "auto" until the format was recognised
 */
const char *
ts_decoder_get_format (TsDecoder *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->format;
}

/**
 * ts_decoder_list_formats:
 *
 * Thread: safe
 *
 * Returns: (transfer none) (array zero-terminated=1): names of the formats that this version
 * decodes
 */
const char *const *
ts_decoder_list_formats (void)
{
  return built_formats;
}
