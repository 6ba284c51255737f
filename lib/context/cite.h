/* SPDX-License-Identifier: MIT */
/*
 * The passages that a turn used (tool/core/passage.h): emits them as events,
 * stores them, and checks the citations of the answer.
 */
#ifndef CONTEXT_CITE_H
#define CONTEXT_CITE_H

#include "base/json.h"

struct context;

/* Emits the passages not yet emitted. The turn's own thread. */
void cite_tell(struct context *cx);

/* Stores the passages not yet stored. */
int cite_store(struct context *cx, struct err *e) MUST_CHECK;

/*
 * Loads the passages of a resumed turn, and those of the turn that this one
 * continues, which become its own under the same numbers. Failures are logged
 * and the turn runs without them.
 */
void cite_load(struct context *cx);

/* Checks the citations of the answer, and emits the sources not yet emitted. */
void cite_check(struct context *cx, struct str answer);

/*
 * Writes members of the answer's metadata: context_document_ids, sources (ids
 * and places, no texts), and, if passages were searched for or sent, citations
 * {cited, unknown, notFound}.
 */
void cite_write_meta(const struct context *cx, struct jw *w);

#endif
