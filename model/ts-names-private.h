/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-names-private.h: a book of names from inside. Private to the model. */
#pragma once

#include "ts-elf.h"
#include "ts-names.h"
#include "ts-svd.h"

G_BEGIN_DECLS

/** Comparators that a packet can name. Source: itm-dwt.md section 2.7 */
#define TS_NAMES_N_WATCHES 4

struct _TsNames
{
  GObject parent_instance;

  TsElf *elf;
  TsSvd *svd;
  char *watch_names[TS_NAMES_N_WATCHES];
  gint64 watch_addresses[TS_NAMES_N_WATCHES]; /* TS_OBJECT_UNKNOWN: not known */
  GHashTable *names;                          /* type << 32 | wire id to name */
  char *schema_path;                          /* of the file that they are from, or NULL */
};

char *_ts_names_dup_watch (TsNames *self,
                           guint comparator);
void _ts_names_read_number (TsEvent *event,
                            TsElfNumber number,
                            guint size);
const char *_ts_names_find (TsNames *self,
                            TsObjectType type,
                            gint32 wire_id);

G_END_DECLS
