/* SPDX-License-Identifier: MIT */
#include "net/due.h"

#include <stdlib.h>

#include "base/util.h"

#include "base/banned.h"

static void heap_set(struct due *d, size_t i, struct transfer *t)
{
	d->heap[i] = t;
	t->heap_at = i;
}

static void heap_up(struct due *d, size_t i, struct transfer *t)
{
	for (; i > 1 && d->heap[i / 2]->due > t->due; i /= 2)
		heap_set(d, i, d->heap[i / 2]);
	heap_set(d, i, t);
}

static void heap_down(struct due *d, size_t i, struct transfer *t)
{
	for (;;) {
		size_t k = 2 * i;

		if (k < d->n && d->heap[k + 1]->due < d->heap[k]->due)
			k++;
		if (k > d->n || d->heap[k]->due >= t->due)
			break;
		heap_set(d, i, d->heap[k]);
		i = k;
	}
	heap_set(d, i, t);
}

void due_off(struct due *d, struct transfer *t)
{
	size_t i = t->heap_at;
	struct transfer *last;

	if (!i)
		return;
	t->heap_at = 0;
	last = d->heap[d->n--];
	if (last == t)
		return;
	if (i > 1 && d->heap[i / 2]->due > last->due)
		heap_up(d, i, last);
	else
		heap_down(d, i, last);
}

void due_set(struct due *d, struct transfer *t)
{
	int64_t due = transfer_due(t);

	if (due < 0 || (t->heap_at && t->due <= due))
		return;
	due_off(d, t);
	t->due = due;
	if (d->n + 2 > d->size) {
		d->size = MAX(d->size * 2, 64);
		d->heap = xrealloc(d->heap, d->size * sizeof(*d->heap));
	}
	heap_up(d, ++d->n, t);
}

struct transfer *due_take(struct due *d, int64_t now)
{
	struct transfer *t = d->n && d->heap[1]->due <= now ? d->heap[1] : NULL;

	if (t)
		due_off(d, t);
	return t;
}
