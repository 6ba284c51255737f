/*
 * The passages that a turn used (tool/core/passage.h): told as events, kept, and
 * what the answer cites of them checked.
 */
#ifndef TURN_CITE_H
#define TURN_CITE_H

#include "base/json.h"

struct turn_loop;

/* Emits those that were not told yet. The turn's own thread. */
void cite_tell(struct turn_loop *l);

/* Stores those that are not stored yet. */
int cite_store(struct turn_loop *l, struct err *e) MUST_CHECK;

/*
 * What a turn that is resumed had, and what one has of the turn that it continues:
 * those become its own, under their numbers. Without them it goes on; failures are
 * logged.
 */
void cite_load(struct turn_loop *l);

/* Checks the answer, l->step.text, and tells what it did not yet. */
void cite_check(struct turn_loop *l);

/*
 * Members of the answer's metadata: context_document_ids, sources (ids and places,
 * no texts), and, if passages were searched for or sent, citations {cited, unknown,
 * notFound}.
 */
void cite_write_meta(const struct turn_loop *l, struct jw *w);

#endif
