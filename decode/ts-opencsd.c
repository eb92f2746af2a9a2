/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-opencsd.c: the decode tree of OpenCSD, with decoders of our own at its sources.
 *
 * One tree takes a capture apart: raw SWO as a single source, formatter frames into as many sources
 * as they have. At each source sits a decoder of ours, registered with the library, that hands its
 * bytes to the ITM decoder of that source; the library's own decoders find their place beside it.
 * Ours give the library no elements, so none of its sinks is set: each one set would leak.
 *
 * Everything that the library gets wrong is kept away from it here: frames come aligned and whole,
 * blocks are never empty, offsets stay ours, trees are made and freed under one lock, nothing is
 * logged. Source: coresight.md sections 2 and 3, pitfalls P1 to P20.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-opencsd-private.h"

#ifdef TS_HAVE_OPENCSD

#include <opencsd/c_api/opencsd_c_api.h>

#define DECODER "TASKSCOPE_SOURCE"
#define FRAME 16
#define LAST_SOURCE 0x6F
/* Bytes at once: the library counts in 32 bits. */
#define MAX_BLOCK (1 << 20)

/** One decoder of ours. */
typedef struct
{
  TsOpencsd *tree;
  guint8 id;
} Source;

struct _TsOpencsd
{
  dcd_tree_handle_t tree;
  gboolean is_framed;
  TsOpencsdFunc func;
  gpointer user_data;
  guint32 offset; /* of the next byte, as the library counts: it may wrap */
  gboolean is_known[LAST_SOURCE + 1];
};

/* Making and freeing trees is not safe in two threads at once, even for different trees. Source:
 * coresight.md section 2.11 */
static GMutex lock;

/* ---- a decoder ---- */

typedef struct
{
  TsOpencsd *tree;
  guint8 id;
} SourceConfig;

static ocsd_datapath_resp_t
source_data_in (const void *handle,
                const ocsd_datapath_op_t op,
                const ocsd_trc_index_t index,
                const uint32_t n_bytes,
                const uint8_t *bytes,
                uint32_t *n_used)
{
  const Source *source = handle;

  if (op == OCSD_OP_DATA && n_bytes > 0 && bytes != NULL)
    source->tree->func (source->id, bytes, n_bytes, source->tree->user_data);
  if (op == OCSD_OP_DATA && n_used != NULL)
    *n_used = n_bytes;
  return OCSD_RESP_CONT;
}

/* Packets are ours, nobody watches them through the library. */
static void
source_update_monitor (const void *handle, const int flags)
{
}

static ocsd_err_t
source_create (const int flags,
               const void *config,
               const ocsd_extern_dcd_cb_fns *callbacks,
               ocsd_extern_dcd_inst_t *instance)
{
  static char name[] = DECODER;
  const SourceConfig *wanted = config;
  Source *source = g_new0 (Source, 1);

  source->tree = wanted->tree;
  source->id = wanted->id;
  instance->fn_data_in = source_data_in;
  instance->fn_update_pkt_mon = source_update_monitor;
  instance->decoder_handle = source;
  instance->p_decoder_name = name;
  instance->cs_id = wanted->id;
  return OCSD_OK;
}

static ocsd_err_t
source_destroy (const void *handle)
{
  g_free ((gpointer) handle);
  return OCSD_OK;
}

static ocsd_err_t
source_get_id (const void *config, unsigned char *id)
{
  *id = ((const SourceConfig *) config)->id;
  return OCSD_OK;
}

/* Registers our decoder, once in the life of the process: a registration is never given back. With
 * the lock held. */
static gboolean
prepare_library (void)
{
  static gboolean is_done;
  static gboolean is_good;
  static ocsd_extern_dcd_fact_t factory = { .createDecoder = source_create,
                                            .destroyDecoder = source_destroy,
                                            .csidFromConfig = source_get_id };

  if (is_done)
    return is_good;
  is_done = TRUE;
  /* structures changed under one name of the library: what runs must be what was built against */
  if (ocsd_get_version () >> 8 != OCSD_VER_NUM >> 8)
    return FALSE;
  ocsd_def_errlog_init (OCSD_ERR_SEV_NONE, 0);
  is_good = ocsd_register_custom_decoder (DECODER, &factory) == OCSD_OK;
  return is_good;
}

/* ---- the tree ---- */

/* With the lock held. */
static gboolean
add_source (TsOpencsd *self, guint8 id)
{
  SourceConfig config = { self, id };
  unsigned char told;

  self->is_known[id] = ocsd_dt_create_decoder (self->tree, DECODER, OCSD_CREATE_FLG_FULL_DECODER,
                                               &config, &told)
                       == OCSD_OK;
  return self->is_known[id];
}

/*
 * _ts_opencsd_new:
 * @is_framed: the bytes are aligned formatter frames; else they are one source's
 * @func: takes the bytes of sources
 * @user_data: for @func
 *
 * Thread: any; afterwards owner
 *
 * Returns: (transfer full) (nullable): a tree; %NULL: this library is not the one that was built
 *   against, or there is none
 */
TsOpencsd *
_ts_opencsd_new (gboolean is_framed, TsOpencsdFunc func, gpointer user_data)
{
  TsOpencsd *self = g_new0 (TsOpencsd, 1);
  gboolean is_good;

  self->is_framed = is_framed;
  self->func = func;
  self->user_data = user_data;
  g_mutex_lock (&lock);
  is_good = prepare_library ();
  if (is_good)
    self->tree = ocsd_create_dcd_tree (is_framed ? OCSD_TRC_SRC_FRAME_FORMATTED
                                                 : OCSD_TRC_SRC_SINGLE,
                                       is_framed ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
  is_good = is_good && self->tree != C_API_INVALID_TREE_HANDLE;
  if (is_good && !is_framed)
    is_good = add_source (self, TS_OPENCSD_RAW);
  g_mutex_unlock (&lock);
  if (is_good)
    return self;
  _ts_opencsd_free (self);
  return NULL;
}

/*
 * _ts_opencsd_free:
 * @self: (transfer full) (nullable): a tree
 *
 * Thread: owner
 */
void
_ts_opencsd_free (TsOpencsd *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&lock);
  if (self->tree != C_API_INVALID_TREE_HANDLE)
    ocsd_destroy_dcd_tree (self->tree);
  g_mutex_unlock (&lock);
  g_free (self);
}

/* Gives every source that the frames name a decoder, before its bytes come. Source: itm-dwt.md section
 * 7.1 */
static void
add_sources (TsOpencsd *self, const guint8 *frames, gsize n_bytes)
{
  for (gsize at = 0; at < n_bytes; at += 2)
    {
      guint id = frames[at] >> 1;

      if ((frames[at] & 1) == 0 || id == 0 || id > LAST_SOURCE || self->is_known[id])
        continue;
      g_mutex_lock (&lock);
      add_source (self, (guint8) id);
      g_mutex_unlock (&lock);
    }
}

/*
 * _ts_opencsd_push:
 * @self: a tree
 * @bytes: (array length=n_bytes): the next bytes; of frames only whole ones
 * @n_bytes: how many
 *
 * Thread: owner
 */
void
_ts_opencsd_push (TsOpencsd *self, const guint8 *bytes, gsize n_bytes)
{
  g_return_if_fail (!self->is_framed || n_bytes % FRAME == 0);

  if (self->is_framed)
    add_sources (self, bytes, n_bytes);

  while (n_bytes > 0)
    {
      guint32 n_block = (guint32) MIN (n_bytes, MAX_BLOCK);
      guint32 n_used = 0;
      ocsd_datapath_resp_t response
          = ocsd_dt_process_data (self->tree, OCSD_OP_DATA, self->offset, n_block, bytes, &n_used);

      n_used = MIN (n_used, n_block);
      if (OCSD_DATA_RESP_IS_FATAL (response) || n_used == 0)
        {
          /* our decoders never cause this; what the block holds beside that is lost */
          _ts_opencsd_reset (self);
          n_used = n_block;
        }
      self->offset += n_used;
      bytes += n_used;
      n_bytes -= n_used;
    }
}

/*
 * _ts_opencsd_reset:
 * @self: a tree
 *
 * What comes does not belong to what was: the current source is unknown.
 *
 * Thread: owner
 */
void
_ts_opencsd_reset (TsOpencsd *self)
{
  ocsd_dt_process_data (self->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
}

/*
 * _ts_opencsd_finish:
 * @self: a tree
 *
 * The end of the data. More may follow all the same.
 *
 * Thread: owner
 */
void
_ts_opencsd_finish (TsOpencsd *self)
{
  ocsd_dt_process_data (self->tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
}

#else

TsOpencsd *
_ts_opencsd_new (gboolean is_framed, TsOpencsdFunc func, gpointer user_data)
{
  return NULL;
}

void
_ts_opencsd_free (TsOpencsd *self)
{
}

void
_ts_opencsd_push (TsOpencsd *self, const guint8 *bytes, gsize n_bytes)
{
}

void
_ts_opencsd_reset (TsOpencsd *self)
{
}

void
_ts_opencsd_finish (TsOpencsd *self)
{
}

#endif
