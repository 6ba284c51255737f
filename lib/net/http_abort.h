/*
 * The switch of http.h from the side of its waiters: a flag that can be read
 * without a system call, an eventfd that wakes http_wait, and the pool whose
 * loop must check the flag.
 */
#ifndef NET_HTTP_ABORT_H
#define NET_HTTP_ABORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "net/http.h"

struct http_abort {
	int fd;			/* stays readable once pulled */
	atomic_bool pulled;
	_Atomic(struct http_pool *) pool;	/* used it last; or NULL */
	pthread_mutex_t lock;		/* over what follows */
	struct http_abort_hook *hooks;
};

#endif
