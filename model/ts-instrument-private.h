/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-instrument-private.h: an instrument's series from inside. Private to the model. */
#pragma once

#include "ts-instrument.h"

G_BEGIN_DECLS

/** One sample, on the instrument's clock. */
typedef struct
{
  double t_us;
  double value;
  guint channel;
} TsInstrumentSample;

struct _TsInstrument
{
  char *path;              /* for messages */
  GArray *samples;         /* of TsInstrumentSample, by time */
  GPtrArray *channel_names;
  GPtrArray *units;        /* of char *, NULL where there is none */
  GHashTable *channel_ids; /* name to index + 1 */
  GArray *marks;
  GPtrArray *mark_names;
  GHashTable *mark_ids;
  double offset_us;        /* recording = offset + scale * instrument */
  double scale;
};

G_END_DECLS
