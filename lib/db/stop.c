/* SPDX-License-Identifier: MIT */
/*
 * Ends a query from another thread. Its socket is shut down, so that the thread
 * that waits for rows wakes at once; the server, which would only notice at its
 * next row, gets a KILL QUERY through a second connection.
 */
#include <stdio.h>
#include <sys/socket.h>

#include "base/log.h"
#include "db/link.h"

#include "base/banned.h"

enum { KILL_IO_S = 2 };

void db_stop_init(struct db_stop *s)
{
	*s = (struct db_stop){ .link = NULL };
	pthread_mutex_init(&s->lock, NULL);
}

void db_stop_release(struct db_stop *s)
{
	pthread_mutex_destroy(&s->lock);
}

void db_stop_now(struct db_stop *s)
{
	pthread_mutex_lock(&s->lock);
	s->pulled = true;
	if (s->link)
		shutdown(mysql_get_socket(s->link->my), SHUT_RDWR);
	pthread_mutex_unlock(&s->lock);
}

bool stop_enter(struct db_stop *s, struct link *c)
{
	bool pulled;

	if (!s)
		return true;
	pthread_mutex_lock(&s->lock);
	pulled = s->pulled;
	s->link = pulled ? NULL : c;
	pthread_mutex_unlock(&s->lock);
	return !pulled;
}

bool stop_leave(struct db_stop *s)
{
	bool pulled;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	pulled = s->pulled;
	s->link = NULL;
	pthread_mutex_unlock(&s->lock);
	return pulled;
}

void stop_kill(struct pool *p, const struct settings *s, size_t host,
	       unsigned long id)
{
	struct err e = ERR_INIT;
	struct link *c = link_open_at(p, s, host, KILL_IO_S, &e);
	char sql[48];

	snprintf(sql, sizeof(sql), "KILL QUERY %lu", id);
	/* It may have ended meanwhile: then there is no such thread. */
	if (c)
		(void)!link_query(c, sql, "kill", &e);
	else
		log_err("a stopped query continues until its time limit", &e);
	if (c)
		link_close(c);
}
