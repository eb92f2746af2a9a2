/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings-memory.c: stacks and heaps that run out; what the recording itself lacks. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>

#include "ts-findings-private.h"

#define STACK_PERCENT 90
#define STACK_BAD_PERCENT 98
/* A heap grows if its lowest level rises through so many equal parts of the range, by so many
 * percent and bytes in all. */
#define HEAP_PARTS 8
#define HEAP_PERCENT 10
#define HEAP_BYTES 256

/* ---- stacks ---- */

typedef struct
{
  TsFinder *finder;
  GHashTable *findings; /* task to TsFinding */
} StackFinder;

static gboolean
note_stack (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  StackFinder *self = user_data;
  const TsObject *task = ts_recording_get_object (self->finder->recording, event->object);
  gint64 total = ts_event_get_detail (event) > 0 ? ts_event_get_detail (event)
                                                 : (task != NULL ? task->stack_bytes : 0);
  gpointer key = GUINT_TO_POINTER (event->object);
  TsFinding *finding = g_hash_table_lookup (self->findings, key);
  gint64 percent;

  if (total <= 0 || task == NULL)
    return TRUE;
  percent = (gint64) ((__int128) event->value * 100 / total);
  if (percent < STACK_PERCENT || (finding != NULL && finding->weight >= event->value))
    return TRUE;

  if (finding == NULL)
    {
      finding = _ts_finder_add (self->finder, TS_FINDING_STACK, TS_SEVERITY_WARNING, event->time,
                                event->time, 0, "%s", "");
      _ts_finding_add_lane (finding, event->object);
      g_hash_table_insert (self->findings, key, finding);
    }
  g_free (finding->text);
  finding->text = g_strdup_printf (_("%s has used %" PRId64 " of %" PRId64
                                     " bytes of its stack."),
                                   task->name, event->value, total);
  finding->weight = event->value;
  finding->end = event->time;
  finding->severity = percent >= STACK_BAD_PERCENT ? TS_SEVERITY_ERROR : TS_SEVERITY_WARNING;
  return TRUE;
}

/* Rows are looked through only if the table of figures tells that there is something. */
static gboolean
has_full_stack (TsFinder *self)
{
  sqlite3 *db = _ts_recording_begin_read (self->recording, 5 * G_USEC_PER_SEC, self->cancellable);
  gint64 n = 1;

  if (db != NULL && self->recording->tables.has_task_stats && !self->recording->is_live
      && self->recording->rebuilt == NULL)
    n = _ts_db_get_int (db,
                        "SELECT COUNT(*) FROM va_task_stats s JOIN va_objects o ON o.id=s.object_id"
                        " WHERE o.stack_bytes>0 AND s.stack_used_bytes*100>=o.stack_bytes*90",
                        1);
  _ts_recording_end_read (self->recording);
  return n > 0;
}

gboolean
_ts_findings_stacks (TsFinder *self,
                     GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_STACK_USAGE };
  g_autoptr (GHashTable) findings = g_hash_table_new (NULL, NULL);
  StackFinder finder = { self, findings };

  return !has_full_stack (self)
         || _ts_analysis_scan (self->recording, kinds, 1, self->begin, self->end, note_stack,
                               &finder, self->cancellable, error);
}

/* ---- heaps ---- */

static void
find_growth (TsFinder *self,
             const TsLaneInfo *lane)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  double least[HEAP_PARTS];
  gboolean has_value[HEAP_PARTS] = { FALSE };
  gint64 length = self->end - self->begin;
  const TsSlice *slice;
  TsFinding *finding;

  _ts_slice_cursor_init (cursor, self->recording, lane->id, self->begin, self->end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      gint64 offset = MAX (slice->begin, self->begin) - self->begin;
      guint part = (guint) ((__int128) offset * HEAP_PARTS / length);

      if (!has_value[part] || slice->value < least[part])
        least[part] = slice->value;
      has_value[part] = TRUE;
    }
  for (guint i = 0; i < HEAP_PARTS; i++)
    if (!has_value[i] || (i > 0 && least[i] <= least[i - 1]))
      return;
  if (least[HEAP_PARTS - 1] - least[0] < HEAP_BYTES
      || least[HEAP_PARTS - 1] < least[0] * (100 + HEAP_PERCENT) / 100)
    return;

  finding = _ts_finder_add (self, TS_FINDING_HEAP_GROWTH, TS_SEVERITY_WARNING, self->begin,
                            self->end, (gint64) (least[HEAP_PARTS - 1] - least[0]),
                            _("%s grew from %.0f to %.0f bytes and never gave back."), lane->name,
                            least[0], least[HEAP_PARTS - 1]);
  _ts_finding_add_lane (finding, lane->id);
}

typedef struct
{
  TsFinder *finder;
  GHashTable *findings; /* heap to TsFinding */
} FailFinder;

/* One finding for each heap, at its first failure; its weight is the largest request. */
static gboolean
note_heap_fail (guint64 row,
                const TsEvent *event,
                gpointer user_data)
{
  FailFinder *self = user_data;
  gpointer key = GUINT_TO_POINTER (event->object);
  TsFinding *finding = g_hash_table_lookup (self->findings, key);

  if (finding == NULL)
    {
      finding = _ts_finder_add (self->finder, TS_FINDING_HEAP_FAIL, TS_SEVERITY_ERROR, event->time,
                                event->time, 0, "%s", "");
      finding->count = 0;
      _ts_finding_add_lane (finding, event->object);
      g_hash_table_insert (self->findings, key, finding);
    }
  finding->count++;
  finding->weight = MAX (finding->weight, event->value);
  finding->end = event->time;
  return TRUE;
}

static void
describe_heap_fails (TsFinder *self,
                     GHashTable *findings)
{
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_hash_table_iter_init (&iter, findings);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      TsFinding *finding = value;

      g_free (finding->text);
      finding->text = g_strdup_printf (
          _("%s could not serve a request %" PRIu64 " times; the largest was %"
            PRId64 " bytes."),
          _ts_finder_name (self, GPOINTER_TO_UINT (key)), finding->count, finding->weight);
    }
}

gboolean
_ts_findings_heaps (TsFinder *self,
                    GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_HEAP_FAIL };
  g_autoptr (GHashTable) findings = g_hash_table_new (NULL, NULL);
  FailFinder finder = { self, findings };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes && self->end > self->begin; i++)
    if (lanes[i].kind == TS_LANE_VALUE
        && (lanes[i].type == TS_OBJECT_HEAP || lanes[i].type == TS_OBJECT_HEAP_GAUGE))
      find_growth (self, &lanes[i]);
  if (!_ts_analysis_scan (self->recording, kinds, 1, self->begin, self->end, note_heap_fail,
                          &finder, self->cancellable, error))
    return FALSE;
  describe_heap_fails (self, findings);
  return TRUE;
}

/* ---- losses ---- */

gboolean
_ts_findings_losses (TsFinder *self,
                     GError **error)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, self->recording, TS_LANE_ID_LOSS, self->begin, self->end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      TsFinding *finding;

      if (slice->state == TS_STATE_CORRUPT)
        finding = _ts_finder_add (self, TS_FINDING_CORRUPT, TS_SEVERITY_ERROR, slice->begin,
                                  slice->end, slice->arg,
                                  _("%u bytes could not be decoded here."), slice->arg);
      else if (slice->arg == G_MAXUINT32)
        finding = _ts_finder_add (self, TS_FINDING_DATA_LOSS, TS_SEVERITY_ERROR, slice->begin,
                                  slice->end, 1, "%s",
                                  _("Events were lost here; nothing tells how many."));
      else
        {
          finding = _ts_finder_add (self, TS_FINDING_DATA_LOSS, TS_SEVERITY_ERROR, slice->begin,
                                    slice->end, slice->arg, _("%u events were lost here."),
                                    slice->arg);
          finding->count = slice->arg;
        }
      _ts_finding_add_lane (finding, TS_LANE_ID_LOSS);
    }
  return TRUE;
}
