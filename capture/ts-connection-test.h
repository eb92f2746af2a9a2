/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-connection-test.h: tries a connection step by step, and says of each step what is there or what
 * to do.
 *
 * Nothing is recorded, and the target is neither reset nor halted.
 */
#pragma once

#include "ts-connection.h"

G_BEGIN_DECLS

/** Most steps of one test. */
#define TS_TEST_MAX_STEPS 6
/** Of a connection through a probe: the step that tells core and chip. */
#define TS_TEST_STEP_CORE 2

/**
 * TsTestResult: how far a step is
 * @TS_TEST_BUSY: it has begun
 * @TS_TEST_PASSED: it is as it should be
 * @TS_TEST_DOUBTFUL: the text says what is odd; what follows may work all the same
 * @TS_TEST_FAILED: the text says why, and what to do
 */
typedef enum
{
  TS_TEST_BUSY,
  TS_TEST_PASSED,
  TS_TEST_DOUBTFUL,
  TS_TEST_FAILED,
} TsTestResult;

/**
 * TsTestStep:
 * @step: number of the step, from 0
 * @result: how far it is
 * @text: what is tried, what was found, or why it failed
 *
 * Called on the thread of the test, once for each change.
 */
typedef void (*TsTestStep) (guint step,
                            TsTestResult result,
                            const char *text,
                            gpointer user_data);

gboolean ts_connection_test (TsConnection *connection,
                             guint listen_ms,
                             TsTestStep tell,
                             gpointer user_data,
                             GCancellable *cancellable,
                             GError **error);
const char *ts_connection_explain_silence (const char *transport);
char *ts_connection_explain_waiting (const char *transport,
                                     guint64 n_bytes);

G_END_DECLS
