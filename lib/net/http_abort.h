/*
 * The switch of http.h as waiters see it: a flag that can be looked at without
 * a system call, an eventfd that wakes http_wait, and the pool whose loop has
 * to look.
 */
#ifndef NET_HTTP_ABORT_H
#define NET_HTTP_ABORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "net/http.h"

struct http_abort {
	int fd;			/* readable once pulled, and for ever */
	atomic_bool pulled;
	_Atomic(struct http_pool *) pool;	/* used it last; or NULL */
	pthread_mutex_t lock;		/* over what follows */
	struct http_abort_hook *hooks;
};

#endif
