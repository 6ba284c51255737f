/* SPDX-License-Identifier: MIT */
/*
 * Inside lib/net: the switch of http.h. A flag that is read without a system call,
 * an eventfd that wakes http_wait, and the pool whose loops must check the flag.
 */
#ifndef NET_HTTP_ABORT_H
#define NET_HTTP_ABORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "net/http.h"

struct http_abort {
	int fd;			/* stays readable once it is set */
	atomic_bool pulled;
	_Atomic(struct http_pool *) pool;	/* the last that used it; or NULL */
	pthread_mutex_t lock;		/* protects the following members */
	struct http_abort_hook *hooks;
};

/* http_aborted. a may be NULL. */
static inline bool abort_pulled(const struct http_abort *a)
{
	return a && atomic_load(&a->pulled);
}

#endif
