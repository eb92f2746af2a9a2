/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-text.c: words for the details of recorder 1.2.0, and texts that the target sends. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-stream-private.h"

/* Source of all tables: viewalyzer-wire.md sections 5.4 and 7. */
static const char *const states[]
    = { NULL, "ready", "running", "blocked", "sleeping", "suspended", "deleted" };

static const char *const reasons[] = {
  NULL,
  "mutex",
  "semaphore",
  "queue send",
  "queue receive",
  "notification",
  "event flags",
  "stream send",
  "stream receive",
  "memory slab",
  "condition variable",
  "poll",
  "join",
  "timer",
  "heap",
};

static const char *const causes[] = { NULL, "set", "inherited", "disinherited" };

static const char *const rtos_operations[] = {
  NULL,   "send",         "receive",    "send failed", "receive failed", "reset",     "alloc",
  "free", "alloc failed", "wait begin", "wait end",    "signal",         "broadcast",
};

static const char *const queue_operations[] = {
  NULL,    "send", "receive",     "send failed", "receive failed",
  "reset", "peek", "peek failed", "front",       "overwrite",
  "batch", "init", "back",        "LIFO put",    "send begin",
};

static const char *const notify_operations[] = {
  NULL,         "no action",  "set bits",     "increment",   "overwrite",       "no overwrite",
  "failed",     "wait ok",    "wait timeout", "take, clear", "take, decrement", "take timeout",
  "wait clear", "wait begin",
};

static const char *const flag_operations[] = {
  NULL,      "set",          "clear",        "snapshot",       "wait begin",
  "wait ok", "wait timeout", "set deferred", "clear deferred",
};

/* A valid UTF-8 copy of @text; bytes that are none become U+FFFD. */
char *
_ts_va_text_dup_valid (const char *text, gsize n_text)
{
  if (n_text == 0)
    return g_strdup ("");
  return g_utf8_make_valid (text, (gssize) n_text);
}

/* Whether all bytes are below 80h, and none is 0. */
static gboolean
is_ascii (const char *text, gsize n_text)
{
  guint high = 0;
  guint low = 0;

  for (gsize i = 0; i < n_text; i++)
    {
      high |= (guint8) text[i];
      low |= (guint8) text[i] - 1u;
    }
  return ((high | low) & ~0x7Fu) == 0;
}

/* Id of a text from the target. Source: viewalyzer-wire.md section 4 (texts have no stated
 * encoding). */
guint32
_ts_va_text_intern (TsEventSink *sink, const char *text, gsize n_text)
{
  g_autofree char *valid = NULL;

  if (n_text == 0)
    return sink->iface->intern (sink, "", 0);
  if (G_LIKELY (is_ascii (text, n_text)) || g_utf8_validate_len (text, n_text, NULL))
    return sink->iface->intern (sink, text, (gssize) n_text);
  valid = g_utf8_make_valid (text, (gssize) n_text);
  return sink->iface->intern (sink, valid, -1);
}

/* Cached id of the text that @key and @key2 stand for, 0 if it must be made; @slot is where it
 * goes. */
static guint32
look_up (TsVaStream *self, guint64 key, guint32 key2, TsVaText **slot)
{
  guint64 hash = (key ^ ((guint64) key2 << 17)) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);

  *slot = &self->texts[hash >> 56];
  return (*slot)->id != 0 && (*slot)->key == key && (*slot)->key2 == key2 ? (*slot)->id : 0;
}

static guint32
keep (TsVaStream *self, TsVaText *slot, guint64 key, guint32 key2, const char *text)
{
  TsEventSink *sink = self->decoder->parent.sink;

  slot->key = key;
  slot->key2 = key2;
  slot->id = sink->iface->intern (sink, text, -1);
  return slot->id;
}

static void
append_word (
    GString *text, const char *const *words, gsize n_words, guint number, const char *otherwise)
{
  if (number < n_words && words[number] != NULL)
    g_string_append (text, words[number]);
  else
    g_string_append_printf (text, "%s %u", otherwise, number);
}

/* Words for `1C`. Source: viewalyzer-wire.md sections 5.3, 13.7. */
guint32
_ts_va_text_state (TsVaStream *self, guint32 packed, guint32 detail)
{
  guint64 key = (guint64) TS_EVENT_TASK_STATE << 32 | packed;
  guint reason = packed >> 8 & 0xFF;
  guint id = packed >> 16 & 0xFF;
  TsVaText *slot;
  guint32 known = look_up (self, key, detail, &slot);
  g_autoptr (GString) text = NULL;

  if (known != 0)
    return known;
  text = g_string_new (NULL);
  append_word (text, states, G_N_ELEMENTS (states), packed & 0xFF, "state");
  if (id != 0)
    {
      TsVaSpace space = _ts_va_objects_find_sync (self, id);

      _ts_va_object (self, space, id);
      g_string_append_printf (text, " on %s", _ts_va_objects_peek_name (self, space, id));
    }
  if (reason != 0)
    {
      g_string_append (text, " (");
      append_word (text, reasons, G_N_ELEMENTS (reasons), reason, "reason");
      g_string_append_c (text, ')');
    }
  if (detail != 0)
    {
      if (reason == 5)
        g_string_append_printf (text, ", index %u", detail);
      else if (reason == 7 || reason == 8)
        g_string_append_printf (text, ", %u bytes", detail);
      else if (reason == 6)
        g_string_append_printf (text, ", bits 0x%X", detail);
      else
        g_string_append_printf (text, ", 0x%X", detail);
    }
  return keep (self, slot, key, detail, text->str);
}

/* Words for the cause of a `1D`, which is not 0. */
guint32
_ts_va_text_cause (TsVaStream *self, guint32 cause)
{
  guint64 key = (guint64) TS_EVENT_TASK_PRIORITY << 32 | cause;
  TsVaText *slot;
  guint32 known = look_up (self, key, 0, &slot);
  g_autoptr (GString) text = NULL;

  if (known != 0)
    return known;
  text = g_string_new (NULL);
  append_word (text, causes, G_N_ELEMENTS (causes), cause, "cause");
  return keep (self, slot, key, 0, text->str);
}

/* Words for an operation `1F` to `25`: what, and who did it. Source: viewalyzer-wire.md
 * section 5.4. */
guint32
_ts_va_text_operation (TsVaStream *self, guint code, guint operation, guint task, guint exception)
{
  guint64 key = (guint64) code << 32 | (guint64) operation << 24 | task << 16 | exception;
  TsVaText *slot;
  guint32 known = look_up (self, key, 0, &slot);
  g_autoptr (GString) text = NULL;

  if (known != 0)
    return known;
  text = g_string_new (NULL);
  switch (code)
    {
    case TS_EVENT_QUEUE_DETAILS:
      append_word (text, queue_operations, G_N_ELEMENTS (queue_operations), operation, "operation");
      break;
    case TS_EVENT_NOTIFY_DETAILS:
      append_word (text, notify_operations, G_N_ELEMENTS (notify_operations), operation,
                   "operation");
      break;
    case TS_EVENT_FLAG_DETAILS:
      append_word (text, flag_operations, G_N_ELEMENTS (flag_operations), operation & 0x0F,
                   "operation");
      if ((operation & 0x10) != 0)
        g_string_append (text, ", all");
      if ((operation & 0x20) != 0)
        g_string_append (text, ", clear on exit");
      if ((operation & 0x40) != 0)
        g_string_append (text, ", reset on entry");
      break;
    default:
      append_word (text, rtos_operations, G_N_ELEMENTS (rtos_operations), operation, "operation");
      break;
    }
  if (exception != 0)
    g_string_append_printf (text, " in exception %u", exception);
  else if (task != 0 || self->sender == TS_VA_SENDER_UDP)
    {
      _ts_va_object (self, TS_VA_SPACE_TASK, task);
      g_string_append_printf (text, " by %s",
                              _ts_va_objects_peek_name (self, TS_VA_SPACE_TASK, task));
    }
  return keep (self, slot, key, 0, text->str);
}
