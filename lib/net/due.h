/* SPDX-License-Identifier: MIT */
/*
 * The due times of transfers: a binary heap, used by the loop's thread. Received
 * bytes only postpone a due time, so an entry that is too early stays where it is
 * and is checked when its time comes: no work per token.
 */
#ifndef NET_DUE_H
#define NET_DUE_H

#include "net/transfer.h"

struct due {			/* zero-initialised */
	struct transfer **heap;	/* indexed from 1 */
	size_t n, size;
};

/* Adds t with the time of transfer_due, unless it has an earlier entry. */
void due_set(struct due *d, struct transfer *t);

/* Removes t, if it has an entry. */
void due_off(struct due *d, struct transfer *t);

/* Removes and returns a transfer that is due, or NULL. */
struct transfer *due_take(struct due *d, int64_t now);

/* When the first one is due, monotonic ms; -1 = none. */
static inline int64_t due_first(const struct due *d)
{
	return d->n ? d->heap[1]->due : -1;
}

#endif
