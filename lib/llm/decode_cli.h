/* SPDX-License-Identifier: MIT */
/*
 * The core of `lamplighter decode PROVIDER`: a recorded body in, neutral
 * events as JSON lines out. Admins attach the output to bug reports and tests of
 * recorded bodies compare it, so it is stable: ids that we make are numbered
 * instead of random.
 */
#ifndef LLM_DECODE_CLI_H
#define LLM_DECODE_CLI_H

#include <stdio.h>

#include "llm/llm.h"

/*
 * Reads in to its end and writes one line per event to out. quirks (may be
 * NULL) are on top of the provider's own, as in `quirks:`. A body that ends in
 * an ERROR event is a success of this function.
 * Errors: ERR_LLM_UNSUPPORTED, ERR_CONFIG (quirks), ERR_INTERNAL (cannot read
 * or write).
 */
int llm_decode_stream(const char *provider, const json_t *quirks, FILE *in,
		      FILE *out, struct err *e) MUST_CHECK;

/* One event as a JSON line, with its line end. */
void llm_event_json(struct buf *out, const struct llm_event *ev);

#endif
