/* SPDX-License-Identifier: MIT */
/* Between notify_send.c, which makes notices, and the queue of notify.c. */
#ifndef EVENT_NOTIFY_SEND_H
#define EVENT_NOTIFY_SEND_H

#include "event/notify.h"

/*
 * Queues a notice for o's subscriptions, dated now; does nothing if n is NULL.
 * what.word must be constant; tenant and title are copied. Of QUEUE_ROWS notices not
 * stored yet the oldest gives way. Never waits for the store. Any thread.
 */
void notify_send(struct notify *n, const struct owner *o,
		 const struct notice *what);

#endif
