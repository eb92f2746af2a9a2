/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-poll.h: variables of a firmware that can be polled: names and types to addresses.
 */
#pragma once

#include "decode/ts-poll-records.h"
#include "model/ts-elf.h"

#include "ts-connection.h"

G_BEGIN_DECLS

/**
 * TsPollSymbol:
 * @name: as the user wrote it, without the type
 * @address: where it lies
 * @type: type of its value
 */
typedef struct
{
  char *name;
  guint32 address;
  TsPollType type;
} TsPollSymbol;

GArray *ts_poll_symbols_parse (const char *list,
                               const TsElf *elf,
                               GError **error);
GArray *ts_poll_symbols_of_connection (TsConnection *connection,
                                       GError **error);

G_END_DECLS
