/* SPDX-License-Identifier: MIT */
/* The work of the job knowledge-index. */
#ifndef KNOWLEDGE_KB_INDEX_H
#define KNOWLEDGE_KB_INDEX_H

#include <stdint.h>

#include "base/err.h"
#include "base/uuid.h"

struct db;

/*
 * Indexes queued documents, unless the base is paused. Returns 1 if none is left, 0 if
 * until_ms (monotonic) was reached first, -1 on error. A document that cannot be indexed
 * becomes KB_FAILED, with a sentence in error. Can run concurrently and be repeated.
 * The vectors are requested for the person who asked, or nil.
 */
int kb_index(struct db *db, const struct uuid *by, const struct uuid *base,
	     int64_t until_ms, struct err *e) MUST_CHECK;

#endif
