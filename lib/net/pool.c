/* SPDX-License-Identifier: MIT */
/*
 * A pool: loops (loop.c) that share the work, and the easy handles without a transfer.
 *
 * One loop serves a few transfers best: it is woken once for all that have bytes, and
 * they share its warm connections. But it is one thread: where many threads want the
 * processors, which the kernel shares out evenly, a loop of a thousand streams gets
 * less than it needs, and all of them are late. So the transfers beyond SPREAD are
 * shared out, too.
 */
#include "net/transfer.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "net/http_abort.h"

#include "base/banned.h"

enum {
	EASY_KEPT = 16,		/* handles without a transfer */
	SPREAD = 256,		/* transfers that a loop has before the next one gets any */
	LOOPS = 8,		/* at most */
};

struct http_pool {
	pthread_mutex_t lock;		/* protects the following members */
	CURL *easies[EASY_KEPT];
	int n_easies;

	int n_loops;			/* one per processor, and at least two */
	struct http_loop *loops[LOOPS];
};

struct http_pool *http_pool_new(int max_idle)
{
	struct http_pool *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	p->n_loops = (int)MIN(MAX(sysconf(_SC_NPROCESSORS_ONLN), 2), LOOPS);
	for (int i = 0; i < p->n_loops; i++)
		p->loops[i] = http_loop_new(MAX(max_idle, 1));
	return p;
}

void http_pool_free(struct http_pool *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_loops; i++)
		http_loop_free(p->loops[i]);
	for (int i = 0; i < p->n_easies; i++)
		curl_easy_cleanup(p->easies[i]);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

struct http_loop *http_pool_loop(struct http_pool *p)
{
	struct http_loop *best = p->loops[0];

	for (int i = 1; i < p->n_loops; i++)
		if (http_loop_busy(p->loops[i]) / SPREAD < http_loop_busy(best) / SPREAD)
			best = p->loops[i];
	return best;
}

void http_pool_look(struct http_pool *p)
{
	for (int i = 0; i < p->n_loops; i++)
		http_loop_look(p->loops[i]);
}

CURL *http_pool_easy_get(struct http_pool *p)
{
	CURL *c = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->n_easies)
		c = p->easies[--p->n_easies];
	pthread_mutex_unlock(&p->lock);
	if (!c)
		c = curl_easy_init();
	if (!c)
		BUG("no memory for a libcurl handle");
	return c;
}

void http_pool_easy_put(struct http_pool *p, CURL *easy)
{
	curl_easy_reset(easy);
	pthread_mutex_lock(&p->lock);
	if (p->n_easies < EASY_KEPT) {
		p->easies[p->n_easies++] = easy;
		easy = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	curl_easy_cleanup(easy);
}
