/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-sections.c: parts of nodes: their slices, and the figures of ranges whose edges go
 * through nodes: anywhere, at sections and nodes exactly, live, in older recordings, damaged. */
#include "config.h"

#include <sqlite3.h>

#include "figures-fixture.h"

/* Beside those of the simulation: an interrupt that does not nest, spans, one behind the other. */
#define TICK (SIM_OBJECT (SIM_OBJECTS))
#define SPAN (TICK + 1)

#define N_PARTS 420

static const TsLaneKind kinds[]
    = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_SPAN, TS_LANE_RTOS };

static void
define_more (TsEventSink *sink)
{
  TsObject tick = TS_OBJECT_INIT;
  TsObject span = TS_OBJECT_INIT;
  char tick_name[] = "Tick";
  char span_name[] = "Work";

  tick.type = TS_OBJECT_ISR;
  tick.wire_id = (gint32) TICK;
  tick.name = tick_name;
  tick.is_named = TRUE;
  g_assert_cmpuint (sink->iface->define_object (sink, &tick), ==, TICK);
  span.type = TS_OBJECT_USER_EVENT;
  span.wire_id = (gint32) SPAN;
  span.name = span_name;
  span.is_named = TRUE;
  g_assert_cmpuint (sink->iface->define_object (sink, &span), ==, SPAN);
}

static void
add_event (TsEventSink *sink,
           TsEventKind kind,
           guint32 object,
           gint64 time,
           guint8 flags)
{
  TsEvent event = { .time = time, .object = object, .kind = (guint16) kind, .flags = flags };

  sink->iface->events (sink, &event, 1);
}

/* Events of a simulation, and some between. */
static void
add_part (TsEventSink *sink,
          const Sim *sim,
          gint64 offset,
          gboolean *is_in_span)
{
  TsEvent *events = (TsEvent *) (gpointer) sim->events->data;

  for (guint i = 0; i < sim->events->len; i++)
    {
      gint64 time = events[i].time + offset;
      gint64 next = i + 1 < sim->events->len ? events[i + 1].time + offset : time;

      events[i].time = time;
      sink->iface->events (sink, &events[i], 1);
      if (next - time < 4)
        continue;
      if (i % 2 == 0)
        {
          add_event (sink, TS_EVENT_ISR, TICK, time + 1, TS_EVENT_FLAG_START);
          add_event (sink, TS_EVENT_ISR, TICK, next - 1, TS_EVENT_FLAG_END);
        }
      else
        {
          add_event (sink, TS_EVENT_USER_EVENT, SPAN, time + 1,
                     *is_in_span ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);
          *is_in_span = !*is_in_span;
        }
    }
}

/* Returns the time after the last event. */
static gint64
add_parts (TsEventSink *sink,
           guint n_parts,
           gint64 offset)
{
  gboolean is_in_span = FALSE;

  for (guint part = 0; part < n_parts; part++)
    {
      Sim *sim = sim_new (g_test_rand_int ());

      if (part % 7 == 3)
        add_event (sink, part % 2 == 0 ? TS_EVENT_DATA_LOSS : TS_EVENT_SESSION_START, 0, offset,
                   TS_EVENT_FLAG_SYNTHETIC);
      add_part (sink, sim, offset, &is_in_span);
      /* Sometimes without a gap. */
      offset += sim->end + (part % 2 == 0 ? g_test_rand_int_range (1, 500) : 0);
      sim_free (sim);
    }
  return offset;
}

static TsEventSink *
begin_recording (TsRecordingWriter *writer)
{
  TsEventSink *sink = ts_recording_writer_get_sink (writer);

  sink->iface->set_clock (sink, SIM_HZ);
  sim_define (sink);
  define_more (sink);
  return sink;
}

static void
write_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, &error);

  g_assert_no_error (error);
  add_parts (begin_recording (writer), N_PARTS, 0);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
}

static TsRecording *
open_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  TsRecording *recording = ts_recording_open (path, &error);

  g_assert_no_error (error);
  return recording;
}

/* Lanes whose figures come from nodes. */
static GPtrArray *
list_lanes (TsRecording *recording)
{
  GPtrArray *lanes = g_ptr_array_new ();
  guint n_lanes = 0;
  const TsLaneInfo *infos = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      if (infos[i].kind == kinds[k])
        g_ptr_array_add (lanes, _ts_lane_reader_find_lane (recording->lanes, infos[i].id));
  return lanes;
}

/* Sections of a node, in these @bytes; FALSE: it has none. */
static gboolean
read_sections (TsLaneAccess *access,
               TsReaderNode *node,
               TsNodeSections *sections,
               GBytes **bytes)
{
  *bytes = _ts_lane_access_dup_sections (access, node);
  if (*bytes != NULL)
    return _ts_sections_decode (*bytes, sections);
  *bytes = _ts_lane_access_dup_figures (access, node);
  g_assert_nonnull (*bytes);
  return _ts_sections_decode_older (*bytes, sections);
}

/* Begins and ends of nodes and sections. @n_sections: (out): how many of those, of each kind. */
static GArray *
list_edges (TsRecording *recording,
            guint *n_sections)
{
  g_autoptr (GPtrArray) lanes = list_lanes (recording);
  g_autoptr (TsLaneAccess) access = _ts_lane_access_new (recording, FALSE);
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint k = 0; k < lanes->len; k++)
    {
      const TsReaderLane *lane = lanes->pdata[k];

      for (guint i = 0; i < _ts_reader_lane_n_nodes (lane, 0); i++)
        {
          TsReaderNode *node = _ts_reader_lane_node (lane, 0, i);
          g_autoptr (GBytes) bytes = NULL;
          TsNodeSections sections;

          g_array_append_val (edges, node->info.begin);
          g_array_append_val (edges, node->info.end);
          if (!read_sections (access, node, &sections, &bytes))
            continue;
          n_sections[lane->info.kind] += sections.places.n_sections;
          for (guint s = 0; s < sections.places.n_sections; s++)
            {
              g_array_append_val (edges, sections.begin[s]);
              g_array_append_val (edges, sections.end[s]);
            }
        }
    }
  return edges;
}

static gint64
pick_edge (const GArray *edges)
{
  gint64 edge = g_array_index (edges, gint64, g_test_rand_int_range (0, (gint32) edges->len));

  return MAX (edge + g_test_rand_int_range (-1, 2) * g_test_rand_int_range (0, 2), 0);
}

static void
check_edges (TsRecording *recording,
             const GArray *edges,
             guint n_rounds)
{
  for (guint i = 0; i < n_rounds; i++)
    {
      gint64 a = pick_edge (edges);
      gint64 b = i % 3 == 0 ? a + g_test_rand_int_range (1, 20000) : pick_edge (edges);

      check_nodes (recording, MIN (a, b), MAX (a, b) + (a == b));
    }
}

/* A recording and its folder. */
typedef struct
{
  char *dir;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->dir = g_dir_make_tmp ("ts-sections-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->dir, "long.vadb", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->dir), ==, 0);
  g_free (fixture->path);
  g_free (fixture->dir);
}

/* Sections give the slices of the node, all of them and in order. */
static void
test_slices (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsLaneAccess) access = NULL;
  g_autoptr (GPtrArray) lanes = NULL;
  guint n_seen = 0;

  write_recording (fixture->path);
  recording = open_recording (fixture->path);
  access = _ts_lane_access_new (recording, FALSE);
  lanes = list_lanes (recording);
  for (guint k = 0; k < lanes->len; k++)
    {
      const TsReaderLane *lane = lanes->pdata[k];

      for (guint i = 0; i < _ts_reader_lane_n_nodes (lane, 0); i++)
        {
          TsReaderNode *node = _ts_reader_lane_node (lane, 0, i);
          g_autoptr (GBytes) bytes = NULL;
          guint n_slices = 0;
          const TsSlice *all = _ts_lane_access_read_slices (access, node, &n_slices);
          TsNodeSections sections;
          guint at = 0;

          g_assert_cmpint (read_sections (access, node, &sections, &bytes), ==,
                           n_slices > TS_SECTION_SLICES);
          if (n_slices <= TS_SECTION_SLICES)
            continue;
          g_assert_cmpuint (sections.places.n_sections, ==,
                            (n_slices + TS_SECTION_SLICES - 1) / TS_SECTION_SLICES);
          for (guint s = 0; s < sections.places.n_sections; s++)
            {
              TsSliceStream *stream = _ts_lane_access_begin_section (access, node, &sections, s);
              TsSlice slices[TS_STREAM_SLICES];
              gint64 begin = G_MAXINT64;
              guint n;

              g_assert_nonnull (stream);
              g_assert_cmpuint (at, ==, s * TS_SECTION_SLICES);
              if (lane->info.kind == TS_LANE_TASK)
                g_assert_cmpuint (sections.before[s], ==, at > 0 ? all[at - 1].state : 0);
              while ((n = _ts_slice_stream_next (stream, slices)) > 0)
                {
                  g_assert_cmpuint (at + n, <=, n_slices);
                  g_assert_cmpmem (slices, n * sizeof *slices, all + at, n * sizeof *all);
                  for (guint j = 0; j < n; j++)
                    begin = MIN (begin, slices[j].begin);
                  at += n;
                }
              g_assert_cmpint (sections.begin[s], ==, begin);
              g_assert_cmpint (sections.end[s], ==, all[at - 1].end);
              n_seen++;
            }
          g_assert_cmpuint (at, ==, n_slices);
        }
    }
  g_assert_cmpuint (n_seen, >, 100);
}

/* Ranges whose edges are at nodes and sections exactly, or a tick beside, and anywhere. */
static void
test_edges (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) edges = NULL;
  guint n_sections[TS_LANE_N_KINDS] = { 0 };

  write_recording (fixture->path);
  recording = open_recording (fixture->path);
  edges = list_edges (recording, n_sections);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_test_message ("lanes of kind %u: %u sections", kinds[k], n_sections[kinds[k]]);
      g_assert_cmpuint (n_sections[kinds[k]], >, 16);
    }
  check_edges (recording, edges, 60);
  /* As after opening. */
  for (guint i = 0; i < 12; i++)
    {
      g_autoptr (TsRecording) fresh = open_recording (fixture->path);

      check_edges (fresh, edges, 1);
    }
}

/* While it is written: nodes in memory and in the file, slices that are in no node yet. */
static void
test_live (Fixture *fixture,
           gconstpointer data)
{
  TsWriterOptions options = { .live = TRUE };
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, &options, &error);
  g_autoptr (TsRecording) recording = NULL;
  TsEventSink *sink;
  gint64 offset = 0;

  g_assert_no_error (error);
  sink = begin_recording (writer);
  recording = ts_recording_open_live (writer, &error);
  g_assert_no_error (error);
  for (guint step = 0; step < 4; step++)
    {
      g_autoptr (GArray) edges = NULL;
      guint n_sections[TS_LANE_N_KINDS] = { 0 };

      offset = add_parts (sink, N_PARTS / 4, offset);
      g_assert_true (ts_recording_writer_tick (writer, step % 2 == 0, &error));
      g_assert_no_error (error);
      ts_recording_refresh (recording);
      g_assert_true (ts_recording_is_live (recording));
      edges = list_edges (recording, n_sections);
      g_assert_cmpuint (n_sections[TS_LANE_TASK], >, 0);
      check_edges (recording, edges, 8);
    }
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  ts_recording_writer_free (writer);
}

static GBytes *
get_bytes (sqlite3_value *value)
{
  return g_bytes_new (sqlite3_value_blob (value), (gsize) sqlite3_value_bytes (value));
}

/* Figures as they were written before they told of storms. */
static GByteArray *
make_figures_2 (GBytes *bytes)
{
  TsLaneFigures figures;
  GBytes *older;
  GByteArray *array;

  g_assert_cmpuint (((const guint8 *) g_bytes_get_data (bytes, NULL))[0], ==, 4);
  _ts_figures_decode (bytes, &figures, NULL);
  g_assert_true (figures.head.is_known);
  figures.head.storm_window = 0;
  figures.head.storm_count = 0;
  older = _ts_figures_encode (&figures);
  array = g_byte_array_new ();
  g_byte_array_append (array, g_bytes_get_data (older, NULL), (guint) g_bytes_get_size (older));
  array->data[0] = 2;
  _ts_figures_clear (&figures);
  g_bytes_unref (older);
  return array;
}

static void
make_older (sqlite3_context *context,
            int n_values,
            sqlite3_value **values)
{
  g_autoptr (GBytes) bytes = get_bytes (values[0]);
  g_autoptr (GByteArray) older = make_figures_2 (bytes);

  sqlite3_result_blob (context, older->data, (int) older->len, SQLITE_TRANSIENT);
}

/* The same with sections behind them. */
static void
make_figures_3 (sqlite3_context *context,
                int n_values,
                sqlite3_value **values)
{
  g_autoptr (GBytes) bytes = get_bytes (values[0]);
  g_autoptr (GByteArray) figures = make_figures_2 (bytes);
  const guint8 *sections = sqlite3_value_blob (values[1]);
  TsPackWriter writer = { g_byte_array_new (), 0, 0 };

  if (sqlite3_value_type (values[1]) == SQLITE_NULL)
    {
      sqlite3_result_blob (context, figures->data, (int) figures->len, SQLITE_TRANSIENT);
      g_byte_array_unref (writer.bytes);
      return;
    }
  g_assert_cmpuint (sections[0], ==, 1);
  _ts_pack_uint (&writer, 3);
  _ts_pack_uint (&writer, figures->len - 1);
  _ts_pack_finish (&writer);
  g_byte_array_append (writer.bytes, figures->data + 1, figures->len - 1);
  g_byte_array_append (writer.bytes, sections + 1, (guint) sqlite3_value_bytes (values[1]) - 1);
  sqlite3_result_blob (context, writer.bytes->data, (int) writer.bytes->len, SQLITE_TRANSIENT);
  g_byte_array_unref (writer.bytes);
}

/* Flips bits. */
static void
damage_sections (sqlite3_context *context,
                 int n_values,
                 sqlite3_value **values)
{
  g_autoptr (GBytes) bytes = get_bytes (values[0]);
  gsize n_all = g_bytes_get_size (bytes);
  g_autofree guint8 *bad = g_memdup2 (g_bytes_get_data (bytes, NULL), n_all);

  for (guint i = 0; i < 3; i++)
    {
      gsize at = (gsize) g_test_rand_int_range (
          0, (gint32) (g_test_rand_int_range (0, 2) == 0 ? MIN (n_all, 120) : n_all));

      bad[at] ^= (guint8) (1 << g_test_rand_int_range (0, 8));
    }
  if (g_test_rand_int_range (0, 20) == 0)
    n_all -= n_all / 4;
  sqlite3_result_blob (context, bad, (int) n_all, SQLITE_TRANSIENT);
}

/* Runs @sql, in which "change" is @function of some values. */
static void
change_tables (const char *path,
               const char *sql,
               void (*function) (sqlite3_context *, int, sqlite3_value **))
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_create_function (db, "change", -1, SQLITE_UTF8, NULL, function, NULL,
                                            NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* Puts figures back to where they are until a recording is finished. Returns (transfer full): those
 * of each node, by the key of its blob. */
static GHashTable *
take_from_books (const char *path)
{
  GHashTable *figures = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                               (GDestroyNotify) g_bytes_unref);
  TsBook book = { 0 };
  sqlite3 *db = NULL;
  sqlite3_stmt *nodes = NULL;
  sqlite3_stmt *select = NULL;
  sqlite3_stmt *insert = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "BEGIN", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT lane,level,seq,blob FROM ts_nodes", -1, &nodes,
                                       NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT data FROM ts_books WHERE id=?1", -1, &select,
                                       NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "INSERT INTO ts_figures VALUES(?1,?2)", -1, &insert,
                                       NULL), ==, SQLITE_OK);
  while (sqlite3_step (nodes) == SQLITE_ROW)
    {
      TsNodeInfo info = { .lane = (guint32) sqlite3_column_int64 (nodes, 0),
                          .level = (guint8) sqlite3_column_int (nodes, 1),
                          .seq = (guint32) sqlite3_column_int64 (nodes, 2) };
      gint64 blob = sqlite3_column_int64 (nodes, 3);
      gint64 key = _ts_book_get_key (&info);
      GBytes *bytes;

      if (!_ts_book_is (&book, key))
        {
          sqlite3_bind_int64 (select, 1, key);
          bytes = sqlite3_step (select) == SQLITE_ROW
                      ? g_bytes_new (sqlite3_column_blob (select, 0),
                                     (gsize) sqlite3_column_bytes (select, 0))
                      : NULL;
          sqlite3_reset (select);
          _ts_book_read (&book, key, bytes, FALSE);
        }
      bytes = _ts_book_dup_figures (&book, &info);
      if (bytes == NULL)
        continue;
      sqlite3_bind_int64 (insert, 1, blob);
      sqlite3_bind_blob64 (insert, 2, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                           SQLITE_STATIC);
      g_assert_cmpint (sqlite3_step (insert), ==, SQLITE_DONE);
      sqlite3_reset (insert);
      g_hash_table_insert (figures, g_memdup2 (&blob, sizeof blob), bytes);
    }
  sqlite3_finalize (nodes);
  sqlite3_finalize (select);
  sqlite3_finalize (insert);
  g_assert_cmpint (sqlite3_exec (db, "DELETE FROM ts_books; COMMIT", NULL, NULL, NULL), ==,
                   SQLITE_OK);
  sqlite3_close (db);
  _ts_book_clear (&book);
  return figures;
}

/* Figures of every node are the same in books, and without them; a recording that lacks them tells
 * the same. They go to books only whole. */
static void
test_books (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GHashTable) figures = NULL;
  g_autoptr (GHashTable) again = NULL;
  g_autoptr (GArray) edges = NULL;
  guint n_sections[TS_LANE_N_KINDS] = { 0 };
  GHashTableIter iter;
  gpointer blob;
  gpointer bytes;
  sqlite3 *db = NULL;

  write_recording (fixture->path);
  figures = take_from_books (fixture->path);
  g_assert_cmpuint (g_hash_table_size (figures), >, 100);
  recording = open_recording (fixture->path);
  edges = list_edges (recording, n_sections);
  check_edges (recording, edges, 10);
  g_clear_object (&recording);

  g_assert_cmpint (sqlite3_open (fixture->path, &db), ==, SQLITE_OK);
  g_assert_false (_ts_books_write (db, -1));
  g_assert_cmpint (sqlite3_exec (db, "PRAGMA journal_mode=OFF", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_false (_ts_books_write (db, G_USEC_PER_SEC * 60));
  g_assert_cmpint (sqlite3_exec (db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (_ts_db_get_int (db, "SELECT count(*) FROM ts_books", -1), ==, 0);
  g_assert_cmpint (_ts_db_get_int (db, "SELECT count(*) FROM ts_figures", -1), ==,
                   g_hash_table_size (figures));
  g_assert_true (_ts_books_write (db, G_USEC_PER_SEC * 60));
  g_assert_cmpint (_ts_db_get_int (db, "SELECT count(*) FROM ts_figures", -1), ==, 0);
  sqlite3_close (db);
  recording = open_recording (fixture->path);
  check_edges (recording, edges, 10);
  g_clear_object (&recording);

  again = take_from_books (fixture->path);
  g_assert_cmpuint (g_hash_table_size (again), ==, g_hash_table_size (figures));
  g_hash_table_iter_init (&iter, figures);
  while (g_hash_table_iter_next (&iter, &blob, &bytes))
    g_assert_true (g_bytes_equal (bytes, g_hash_table_lookup (again, blob)));
}

/* Recordings without sections tell the same. */
static void
test_older (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) edges = NULL;
  guint n_sections[TS_LANE_N_KINDS] = { 0 };
  guint n_left[TS_LANE_N_KINDS] = { 0 };

  write_recording (fixture->path);
  recording = open_recording (fixture->path);
  edges = list_edges (recording, n_sections);
  g_assert_cmpuint (n_sections[TS_LANE_TASK], >, 16);
  g_clear_object (&recording);

  g_hash_table_unref (take_from_books (fixture->path));
  change_tables (fixture->path,
                 "DROP TABLE ts_books; DROP TABLE ts_sections; UPDATE ts_figures SET data=change(data)",
                 make_older);
  recording = open_recording (fixture->path);
  g_array_unref (list_edges (recording, n_left));
  g_assert_cmpuint (n_left[TS_LANE_TASK], ==, 0);
  check_edges (recording, edges, 20);
}

/* So do those that have them behind their figures, be there a table for them that is empty or
 * none. */
static void
test_together (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) edges = NULL;
  guint n_sections[TS_LANE_N_KINDS] = { 0 };

  write_recording (fixture->path);
  recording = open_recording (fixture->path);
  edges = list_edges (recording, n_sections);
  g_clear_object (&recording);

  g_hash_table_unref (take_from_books (fixture->path));
  change_tables (fixture->path,
                 "UPDATE ts_figures SET data=change(data,"
                 "(SELECT data FROM ts_sections s WHERE s.id=ts_figures.id));"
                 "DELETE FROM ts_sections", make_figures_3);
  for (guint turn = 0; turn < 2; turn++)
    {
      guint n_left[TS_LANE_N_KINDS] = { 0 };

      if (turn > 0)
        change_tables (fixture->path, "DROP TABLE ts_books; DROP TABLE ts_sections",
                       make_figures_3);
      recording = open_recording (fixture->path);
      g_array_unref (list_edges (recording, n_left));
      g_assert_cmpmem (n_left, sizeof n_left, n_sections, sizeof n_sections);
      check_edges (recording, edges, 10);
      g_clear_object (&recording);
    }
}

/* Damaged sections and books give wrong figures or none, and nothing else. */
static void
test_damaged (Fixture *fixture,
              gconstpointer data)
{
  write_recording (fixture->path);
  for (guint round = 0; round < 8; round++)
    {
      g_autoptr (TsRecording) recording = NULL;
      gint64 end;

      change_tables (fixture->path,
                     round % 2 == 0 ? "UPDATE ts_sections SET data=change(data)"
                                    : "UPDATE ts_books SET data=change(data)", damage_sections);
      recording = open_recording (fixture->path);
      end = ts_recording_get_duration (recording) + 1;
      for (guint i = 0; i < 12; i++)
        {
          gint64 begin = (gint64) (g_test_rand_double () * (double) end);
          g_autoptr (GError) error = NULL;
          g_autoptr (TsStatistics) statistics
              = _ts_statistics_new_with_limit (recording, begin, begin + 1 + (end - begin) / 2, 0,
                                               0, NULL, &error);

          g_assert_no_error (error);
          g_assert_nonnull (statistics);
        }
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add ("/model/lane-sections/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("slices", test_slices);
  ADD ("edges", test_edges);
  ADD ("live", test_live);
  ADD ("books", test_books);
  ADD ("older", test_older);
  ADD ("together", test_together);
  ADD ("damaged", test_damaged);
  return g_test_run ();
}
