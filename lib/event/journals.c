/* SPDX-License-Identifier: MIT */
#include "event/journals.h"

#include <stdlib.h>

#include "base/log.h"

#include "base/banned.h"

struct journal_head {
	struct uuid process;
	int64_t number;		/* of the last row seen; -1 = not read yet */
	bool watched;
};

void journals_release(struct journals *j)
{
	free(j->heads);
	*j = (struct journals){ .n = 0 };
}

static struct journal_head *head_of(struct journals *j,
				    const struct uuid *process)
{
	struct journal_head *h;

	for (size_t i = 0; i < j->n; i++)
		if (uuid_eq(&j->heads[i].process, process))
			return &j->heads[i];
	if (j->n == j->size) {
		j->size = 2 * j->size + 4;
		j->heads = xrealloc(j->heads, j->size * sizeof(*j->heads));
	}
	h = &j->heads[j->n++];
	*h = (struct journal_head){ .process = *process, .number = -1 };
	return h;
}

void journals_look(struct journals *j, struct db *db,
		   const struct turn_state *watched, size_t n,
		   journal_news_fn *fn, void *ctx)
{
	struct err e = ERR_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < j->n; i++)
		j->heads[i].watched = false;
	for (size_t i = 0; i < n; i++)
		if (watched[i].status == TURN_RUNNING &&
		    !uuid_is_nil(&watched[i].journal_id))
			head_of(j, &watched[i].journal_id)->watched = true;
	for (size_t i = 0; i < j->n; i++) {
		struct journal_head *h = &j->heads[i];

		if (!h->watched)
			continue;
		if (journal_news(db, &h->process, &h->number, fn, ctx, &e) < 0) {
			log_err("journal of another process", &e);
			err_clear(&e);
			/* Its end is unknown: read it from the beginning. */
			h->number = MAX(h->number, 0);
		}
		j->heads[kept++] = *h;
	}
	j->n = kept;
}
