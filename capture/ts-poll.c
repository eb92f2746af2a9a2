/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-poll.c: variables of the firmware, read out of target memory at a rate. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "ts-poll-private.h"
#include "ts-source-private.h"
#include "ts-target-memory-private.h"

/* Variables that lie so near to each other are read in one piece. */
#define MAX_GAP 64
#define MAX_PIECE 512
/* Rounds that failed one after the other until it is given up. */
#define MAX_FAILURES 50

/* ---- what is polled ---- */

static void
clear_symbol (gpointer data)
{
  g_free (((TsPollSymbol *) data)->name);
}

/* Splits `name:type`; names may hold colons themselves. */
static char *
split_type (const char *word,
            TsPollType *type,
            gboolean *has_type)
{
  const char *colon = strrchr (word, ':');

  *has_type = colon != NULL && colon > word && ts_poll_type_parse (colon + 1, type);

  return *has_type ? g_strndup (word, (gsize) (colon - word)) : g_strdup (word);
}

/* The type of a variable of which nothing is known but its size: signed. Source:
 * viewalyzer-host.md section 3.5, behaviour */
static gboolean
default_type (guint64 size,
              TsPollType *type)
{
  *type = size == 1 ? TS_POLL_I8 : size == 2 ? TS_POLL_I16 : TS_POLL_I32;

  return size == 1 || size == 2 || size == 4;
}

static gboolean
refuse (GError **error,
        int code,
        char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);
  g_free (sentence);

  return FALSE;
}

static gboolean
resolve (TsPollSymbol *symbol,
         gboolean has_type,
         const TsElf *elf,
         GError **error)
{
  const TsElfSymbol *found;

  if (elf == NULL)
    return refuse (error, TS_CAPTURE_ERROR_BAD_CONFIG,
                   g_strdup_printf (_("To poll “%.64s” the firmware's ELF file is needed (--elf)."),
                                    symbol->name));
  found = ts_elf_find_symbol (elf, symbol->name);
  if (found == NULL || found->is_function)
    return refuse (error, TS_CAPTURE_ERROR_NO_SYMBOL,
                   g_strdup_printf (_("“%s” has no variable “%.64s” (the verb “symbols” lists what "
                                      "there is; types are u8 u16 u32 i8 i16 i32 f32)."),
                                    elf->path, symbol->name));
  if (found->address > G_MAXUINT32
      || !_ts_address_is_ram ((guint32) found->address, MAX (found->size, 1)))
    return refuse (error, TS_CAPTURE_ERROR_BAD_CONFIG,
                   g_strdup_printf (_("“%.64s” lies at 0x%08" PRIx64 ", which is no RAM: it cannot be polled."),
                                    symbol->name, found->address));
  symbol->address = (guint32) found->address;
  if (!has_type && !default_type (found->size, &symbol->type))
    return refuse (error, TS_CAPTURE_ERROR_BAD_CONFIG,
                   g_strdup_printf (_("“%.64s” has %" PRIu64
                                      " bytes: say how to read it, as in %.64s:u32 (u8 u16 u32 i8 "
                                      "i16 i32 f32)."),
                                    symbol->name, found->size, symbol->name));
  if (found->size != 0 && ts_poll_type_get_size (symbol->type) > found->size)
    return refuse (error, TS_CAPTURE_ERROR_BAD_CONFIG,
                   g_strdup_printf (_("“%.64s” has %" PRIu64
                                      " bytes only: it cannot be read as %s."),
                                    symbol->name, found->size,
                                    ts_poll_type_get_name (symbol->type)));

  return TRUE;
}

/**
 * ts_poll_symbols_parse:
 * @list: `name[:type]`, separated by commas
 * @elf: (nullable): the firmware
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CAPTURE_ERROR_NO_SYMBOL for a name that the firmware does not have,
 * %TS_CAPTURE_ERROR_BAD_CONFIG for what cannot be polled
 * Source: viewalyzer-host.md section 3.5, `poll`
 *
 * Returns: (transfer full) (element-type TsPollSymbol): in the order of the list; %NULL with @error
 * set
 */
GArray *
ts_poll_symbols_parse (const char *list,
                        const TsElf *elf,
                        GError **error)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  g_autoptr (GArray) symbols = g_array_new (FALSE, TRUE, sizeof (TsPollSymbol));

  g_array_set_clear_func (symbols, clear_symbol);
  for (guint i = 0; words[i] != NULL; i++)
    {
      TsPollSymbol symbol = { 0 };
      gboolean has_type;

      if (*g_strstrip (words[i]) == '\0')
        continue;
      symbol.name = split_type (words[i], &symbol.type, &has_type);
      g_array_append_val (symbols, symbol);
      if (!resolve (&g_array_index (symbols, TsPollSymbol, symbols->len - 1), has_type, elf,
                    error))
        return NULL;
    }
  if (symbols->len == 0 || symbols->len > TS_POLL_MAX_CHANNELS)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("--symbols names %u variables; it must be between 1 and %u."), symbols->len,
                   TS_POLL_MAX_CHANNELS);
      return NULL;
    }

  return g_steal_pointer (&symbols);
}

/**
 * ts_poll_symbols_of_connection:
 * @connection: a connection with polled symbols and an ELF file
 * @error: return location
 *
 * Thread: owner of @connection
 * Errors: those of ts_poll_symbols_parse() and of reading an ELF file
 *
 * Returns: (transfer full) (element-type TsPollSymbol): what it polls; %NULL with @error set
 */
GArray *
ts_poll_symbols_of_connection (TsConnection *connection,
                               GError **error)
{
  const char *list = ts_connection_get_polled_symbols (connection);
  TsTargetMemory memory;
  GArray *symbols = NULL;

  if (_ts_target_memory_init (&memory, connection, error))
    symbols = ts_poll_symbols_parse (list != NULL ? list : "", memory.elf, error);
  _ts_target_memory_clear (&memory);

  return symbols;
}

/* ---- polling ---- */

/* Neighbours that are read together. */
typedef struct
{
  guint32 address;
  guint n_bytes;
} Piece;

struct _TsPoller
{
  GArray *symbols;  /* owned; %NULL: the program counter alone */
  GArray *order;    /* of guint: symbols by address */
  GArray *pieces;   /* of Piece */
  gint64 period_us;
  gint64 pc_period_us;
  gint64 due_us;
  gint64 pc_due_us;
  gint64 first_us;
  guint64 n_rounds;
  guint64 n_missed;
  guint64 n_pcs;
  guint n_failures;
  gboolean is_begun;
  gboolean is_told;
  GByteArray *records;
  guint32 values[TS_POLL_MAX_CHANNELS];
};

static int
compare_addresses (gconstpointer a,
                   gconstpointer b,
                   gpointer user_data)
{
  const GArray *symbols = user_data;
  guint32 left = g_array_index (symbols, TsPollSymbol, *(const guint *) a).address;
  guint32 right = g_array_index (symbols, TsPollSymbol, *(const guint *) b).address;

  return left < right ? -1 : left > right;
}

static guint32
get_end (const TsPollSymbol *symbol)
{
  return symbol->address + ts_poll_type_get_size (symbol->type);
}

/* Cuts the variables into pieces. */
static void
plan (TsPoller *self)
{
  Piece *piece = NULL;

  for (guint i = 0; i < self->symbols->len; i++)
    g_array_append_val (self->order, i);
  g_array_sort_with_data (self->order, compare_addresses, self->symbols);
  for (guint i = 0; i < self->order->len; i++)
    {
      const TsPollSymbol *symbol = &g_array_index (self->symbols, TsPollSymbol,
                                                   g_array_index (self->order, guint, i));
      guint32 end = get_end (symbol);

      if (piece != NULL && symbol->address <= piece->address + piece->n_bytes + MAX_GAP
          && end - piece->address <= MAX_PIECE)
        piece->n_bytes = MAX (piece->n_bytes, end - piece->address);
      else
        {
          Piece next = { symbol->address, end - symbol->address };

          g_array_append_val (self->pieces, next);
          piece = &g_array_index (self->pieces, Piece, self->pieces->len - 1);
        }
    }
}

/*
 * _ts_poller_new:
 * @symbols: (nullable) (transfer full) (element-type TsPollSymbol): what to poll
 * @hz: rounds per second, 1 to %TS_POLL_MAX_HZ
 * @pc_hz: readings of the program counter per second, 0: none
 *
 * Returns: (transfer full): a poller
 */
TsPoller *
_ts_poller_new (GArray *symbols,
                guint hz,
                guint pc_hz)
{
  TsPoller *self = g_new0 (TsPoller, 1);

  self->symbols = symbols;
  self->order = g_array_new (FALSE, FALSE, sizeof (guint));
  self->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  self->records = g_byte_array_new ();
  self->period_us = G_USEC_PER_SEC / CLAMP (hz, 1, TS_POLL_MAX_HZ);
  self->pc_period_us = pc_hz > 0 ? G_USEC_PER_SEC / pc_hz : 0;
  if (symbols != NULL)
    plan (self);

  return self;
}

/* Reads the program counter too, so often per second. */
void
_ts_poller_set_pc_hz (TsPoller *self,
                      guint hz)
{
  self->pc_period_us = hz > 0 ? G_USEC_PER_SEC / hz : 0;
}

/*
 * _ts_poller_new_for:
 * @connection: a connection
 * @poller: (out): a poller of what it polls, %NULL if nothing
 * @error: return location
 *
 * Errors: those of ts_poll_symbols_of_connection()
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_poller_new_for (TsConnection *connection,
                    TsPoller **poller,
                    GError **error)
{
  GArray *symbols = NULL;

  *poller = NULL;
  if (ts_connection_get_polled_symbols (connection) == NULL)
    return TRUE;
  symbols = ts_poll_symbols_of_connection (connection, error);
  if (symbols == NULL)
    return FALSE;
  *poller = _ts_poller_new (symbols, ts_connection_get_poll_hz (connection), 0);

  return TRUE;
}

void
_ts_poller_free (TsPoller *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->symbols, g_array_unref);
  g_array_unref (self->order);
  g_array_unref (self->pieces);
  g_byte_array_unref (self->records);
  g_free (self);
}

/* When the next reading is due (monotonic); 0: at once. */
gint64
_ts_poller_get_due_us (TsPoller *self)
{
  if (self->symbols == NULL)
    return self->pc_due_us;

  return self->pc_period_us != 0 ? MIN (self->due_us, self->pc_due_us) : self->due_us;
}

/* Reads all variables once. */
static gboolean
read_values (TsPoller *self,
             TsProbe *probe,
             GError **error)
{
  guint next = 0;

  for (guint i = 0; i < self->pieces->len; i++)
    {
      const Piece *piece = &g_array_index (self->pieces, Piece, i);
      guint8 bytes[MAX_PIECE];

      if (!ts_probe_read (probe, piece->address, bytes, piece->n_bytes, error))
        return FALSE;
      for (; next < self->order->len; next++)
        {
          guint number = g_array_index (self->order, guint, next);
          const TsPollSymbol *symbol = &g_array_index (self->symbols, TsPollSymbol, number);
          guint32 word = 0;

          if (get_end (symbol) > piece->address + piece->n_bytes)
            break;
          memcpy (&word, bytes + (symbol->address - piece->address),
                  ts_poll_type_get_size (symbol->type));
          self->values[number] = GUINT32_FROM_LE (word);
        }
    }

  return TRUE;
}

/* One round that is due; those that there was no time for are counted. */
static gboolean
poll_values (TsPoller *self,
             TsProbe *probe,
             gint64 now_us,
             GError **error)
{
  g_autoptr (GError) local_error = NULL;
  guint64 n_late = self->due_us != 0 ? (guint64) ((now_us - self->due_us) / self->period_us) : 0;

  if (n_late > 0)
    {
      self->n_missed += n_late;
      ts_poll_put_missed (self->records, now_us, (guint32) MIN (n_late, G_MAXUINT32));
    }
  self->due_us = self->due_us == 0 ? now_us + self->period_us
                                   : self->due_us + (gint64) (n_late + 1) * self->period_us;
  if (read_values (self, probe, &local_error))
    {
      self->n_failures = 0;
      self->n_rounds++;
      /* when the values came, not when they were asked for */
      ts_poll_put_values (self->records, (now_us + g_get_monotonic_time ()) / 2, self->values,
                          self->symbols->len);
      return TRUE;
    }

  self->n_missed++;
  ts_poll_put_missed (self->records, now_us, 1);
  if (++self->n_failures < MAX_FAILURES)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));

  return FALSE;
}

/*
 * _ts_poller_step:
 * @self: a poller
 * @probe: a probe
 * @now_us: what time it is
 * @emit: takes records, as sender %TS_SOURCE_ID_POLLED
 * @user_data: for @emit
 * @error: return location
 *
 * Reads what is due.
 *
 * Errors: those of the probe, when it fails again and again
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_poller_step (TsPoller *self,
                 TsProbe *probe,
                 gint64 now_us,
                 TsSourceEmit emit,
                 gpointer user_data,
                 GError **error)
{
  gboolean is_ok = TRUE;
  guint32 pc;

  if (now_us < _ts_poller_get_due_us (self))
    return TRUE;
  g_byte_array_set_size (self->records, 0);
  if (!self->is_begun)
    {
      self->is_begun = TRUE;
      self->first_us = now_us;
      for (guint i = 0; self->symbols != NULL && i < self->symbols->len; i++)
        {
          const TsPollSymbol *symbol = &g_array_index (self->symbols, TsPollSymbol, i);

          ts_poll_put_channel (self->records, i, symbol->type, symbol->address, symbol->name);
        }
    }
  if (self->symbols != NULL && now_us >= self->due_us)
    is_ok = poll_values (self, probe, now_us, error);
  if (is_ok && self->pc_period_us != 0 && now_us >= self->pc_due_us)
    {
      self->pc_due_us = MAX (self->pc_due_us + self->pc_period_us, now_us);
      if (ts_probe_read_word (probe, TS_CORE_DWT_PCSR, &pc, NULL))
        {
          self->n_pcs++;
          ts_poll_put_pc (self->records, g_get_monotonic_time (), pc);
        }
    }
  if (self->records->len > 0)
    emit (TS_SOURCE_ID_POLLED, g_get_monotonic_time (), self->records->data, self->records->len,
          user_data);

  return is_ok;
}

/* Tells the session what was polled so far. */
void
_ts_poller_tell_figures (TsPoller *self,
                         TsSource *source)
{
  if (!self->is_told)
    {
      /* Source: viewalyzer-host.md section 1.3 */
      _ts_source_meta (source, "poll_clk_hz", "1000000");
      self->is_told = TRUE;
    }
  if (self->symbols != NULL)
    {
      _ts_source_figure (source, "poll_rounds", self->n_rounds);
      _ts_source_figure (source, "poll_missed", self->n_missed);
    }
  if (self->pc_period_us != 0)
    _ts_source_figure (source, "poll_pc_samples", self->n_pcs);
}
