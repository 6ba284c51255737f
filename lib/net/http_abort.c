/* SPDX-License-Identifier: MIT */
#include "net/http_abort.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/transfer.h"

#include "base/banned.h"

struct http_abort *http_abort_new(struct err *e)
{
	struct http_abort *a = xcalloc(1, sizeof(*a));
	char why[80];

	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->fd < 0) {
		err_set(e, ERR_OVERLOADED, "eventfd: %s",
			err_errno(errno, why, sizeof(why)));
		free(a);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void http_abort_now(struct http_abort *a)
{
	struct http_pool *p;
	uint64_t one = 1;

	/* In this order, because a transfer sets its pool before it reads the flag. */
	atomic_store(&a->pulled, true);
	p = atomic_load(&a->pool);
	if (p)
		http_pool_look(p);
	pthread_mutex_lock(&a->lock);
	while (a->hooks) {
		struct http_abort_hook *h = a->hooks;

		a->hooks = h->next;
		h->fn(h->ctx);
	}
	pthread_mutex_unlock(&a->lock);
	/* If the counter is full, it is readable, which is all that is needed. */
	if (write(a->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
}

void http_abort_on(struct http_abort *a, struct http_abort_hook *h)
{
	pthread_mutex_lock(&a->lock);
	if (atomic_load(&a->pulled)) {
		h->fn(h->ctx);
	} else {
		h->next = a->hooks;
		a->hooks = h;
	}
	pthread_mutex_unlock(&a->lock);
}

void http_abort_off(struct http_abort *a, struct http_abort_hook *h)
{
	pthread_mutex_lock(&a->lock);
	for (struct http_abort_hook **at = &a->hooks; *at; at = &(*at)->next)
		if (*at == h) {
			*at = h->next;
			break;
		}
	pthread_mutex_unlock(&a->lock);
}

bool http_aborted(const struct http_abort *a)
{
	return a && atomic_load(&a->pulled);
}

int http_abort_fd(const struct http_abort *a)
{
	return a->fd;
}

void http_abort_free(struct http_abort *a)
{
	if (!a)
		return;
	close(a->fd);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
