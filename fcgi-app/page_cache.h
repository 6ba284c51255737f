/* SPDX-License-Identifier: MIT */
/*
 * The newest pages of recently read threads, in rendered form.
 *
 * A copy is never trusted: each request reads the conversation's row, which checks
 * the owner and has the version (message_head). Every change of a thread increments
 * that version in its own transaction, so a copy of this version equals what a read
 * would return, whichever process or node made the change. created_us distinguishes
 * a conversation from an earlier one with the same id.
 */
#ifndef APP_PAGE_CACHE_H
#define APP_PAGE_CACHE_H

#include "base/buf.h"
#include "base/uuid.h"

struct page_cache;

struct page_key {
	struct uuid conversation_id;
	size_t size;			/* of the page */
	bool steps;			/* steps are included */
};

struct page_state {			/* of the conversation */
	int64_t version, created_us;
};

/* An empty cache. Owned: page_cache_free, which accepts NULL. */
struct page_cache *page_cache_new(void);
void page_cache_free(struct page_cache *c);

/* The following functions: any thread. */

/* Whether there is a copy, so that reading the state is worthwhile. */
bool page_cache_has(struct page_cache *c, const struct page_key *k);

/* Appends the copy to out if it is of this state. */
bool page_cache_get(struct page_cache *c, const struct page_key *k,
		    const struct page_state *s, struct buf *out);

/*
 * Stores a copy of body, which was read in this state, unless it is larger than
 * LIM_PAGE_COPY_BYTES.
 */
void page_cache_put(struct page_cache *c, const struct page_key *k,
		    const struct page_state *s, struct str body);

#endif
