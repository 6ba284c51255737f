/*
 * The switch of http.h as the poll sees it: a flag that can be looked at
 * without a system call, and an eventfd that wakes whoever waits.
 */
#ifndef NET_HTTP_ABORT_H
#define NET_HTTP_ABORT_H

#include <stdatomic.h>

#include "net/http.h"

struct http_abort {
	int fd;			/* readable once pulled, and for ever */
	atomic_bool pulled;
};

#endif
