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
		err_set(e, ERR_INTERNAL, "eventfd: %s",
			err_errno(errno, why, sizeof(why)));
		free(a);
		return NULL;
	}
	return a;
}

void http_abort_now(struct http_abort *a)
{
	struct http_pool *p;
	uint64_t one = 1;

	/* In this order: a transfer names its pool before it looks. */
	atomic_store(&a->pulled, true);
	p = atomic_load(&a->pool);
	if (p)
		loop_look(p);
	/* Full already means readable, which is all that is wanted. */
	if (write(a->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
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
	free(a);
}
