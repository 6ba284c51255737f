/* SPDX-License-Identifier: MIT */
/*
 * The hosts of one database. The client library's own list tries the next host only
 * if a TCP connect fails; a node that is frozen, read-only or without a quorum
 * accepts connections and would be used for ever. So we connect to one host at a
 * time, check that it can be used, and avoid one that failed for a while.
 *
 * A failed host is used again after a trial: when its pause is over, one thread at
 * a time connects to it, and first checks that it sends a greeting, because the
 * library waits as long for a greeting as for the longest result. Connections to
 * less preferred hosts are closed one by one as they are returned to the pool.
 */
#include "db/hosts.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "conf/addr.h"

#include "base/banned.h"

#define PAUSE_MIN_MS 2000
#define PAUSE_MAX_MS 15000

struct host {
	char name[256];
	int port;
	bool bad;
	int pause_ms;
	int64_t until_ms;	/* bad: not tried before this time */
	char why[160];
};

struct hosts {
	pthread_mutex_t lock;	/* protects what changes; never held across I/O */
	size_t n, first;	/* first: index at which the order begins */
	struct host v[HOSTS_MAX];
};

struct hosts *hosts_new(const struct conf_db *conf)
{
	struct hosts *h = xcalloc(1, sizeof(*h));

	pthread_mutex_init(&h->lock, NULL);
	for (size_t i = 0; i < conf->hosts.n && h->n < HOSTS_MAX; i++) {
		struct host *o = &h->v[h->n];

		o->port = conf->port;
		if (addr_host_port(str_of(conf->hosts.v[i]), o->name, &o->port))
			h->n++;
	}
	if (!h->n) {		/* one server, by socket or host */
		snprintf(h->v[0].name, sizeof(h->v[0].name), "%s",
			 *conf->socket ? conf->socket : conf->host);
		h->v[0].port = *conf->socket ? 0 : conf->port;
		h->n = 1;
	}
	if (conf->hosts_order == DB_HOSTS_SPREAD)
		h->first = randombytes_uniform((uint32_t)h->n);
	return h;
}

void hosts_free(struct hosts *h)
{
	if (!h)
		return;
	pthread_mutex_destroy(&h->lock);
	free(h);
}

size_t hosts_n(const struct hosts *h)
{
	return h->n;
}

void hosts_name(const struct hosts *h, size_t i, const char **name, int *port)
{
	*name = h->v[i].name;
	*port = h->v[i].port;
}

size_t hosts_order(struct hosts *h, size_t order[HOSTS_MAX],
		   bool trial[HOSTS_MAX])
{
	int64_t now_ms = clock_mono_ms();
	bool last[HOSTS_MAX];
	size_t n = 0;

	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < h->n; i++) {
		struct host *o = &h->v[i];

		/* A trial is at its host's own place; other bad hosts are last. */
		last[i] = o->bad && now_ms < o->until_ms;
		if (o->bad && !last[i])	/* no other thread starts one meanwhile */
			o->until_ms = now_ms + PAUSE_MIN_MS;
	}
	for (int bad = 0; bad < 2; bad++)
		for (size_t k = 0; k < h->n; k++) {
			size_t i = (h->first + k) % h->n;

			if (last[i] != bad)
				continue;
			trial[n] = h->v[i].bad;
			order[n++] = i;
		}
	pthread_mutex_unlock(&h->lock);
	return n;
}

static const char *name_of(const struct host *o, char *out, size_t n)
{
	snprintf(out, n, "%s:%d", o->name, o->port);
	return out;
}

void hosts_good(struct hosts *h, size_t i)
{
	struct host *o = &h->v[i];
	char name[280];
	bool was;

	pthread_mutex_lock(&h->lock);
	was = o->bad;
	o->bad = false;
	o->pause_ms = 0;
	pthread_mutex_unlock(&h->lock);
	if (was)
		log_info("a database host is used again", "host",
			 name_of(o, name, sizeof(name)));
}

void hosts_bad(struct hosts *h, size_t i, const char *why)
{
	struct host *o = &h->v[i];
	char name[280];
	bool was;

	if (h->n < 2)
		return;
	pthread_mutex_lock(&h->lock);
	was = o->bad;
	/* Many connections fail at once; that counts as one failure. */
	if (!was || clock_mono_ms() >= o->until_ms - o->pause_ms / 2)
		o->pause_ms = o->pause_ms ? MIN(o->pause_ms * 2, PAUSE_MAX_MS)
					  : PAUSE_MIN_MS;
	o->bad = true;
	o->until_ms = clock_mono_ms() + o->pause_ms;
	snprintf(o->why, sizeof(o->why), "%.159s", why);
	pthread_mutex_unlock(&h->lock);
	if (!was)
		log_warn("a database host is not used any more", "host",
			 name_of(o, name, sizeof(name)), "why", why);
}

bool hosts_better(struct hosts *h, size_t i)
{
	int64_t now_ms = clock_mono_ms();
	bool better = false;

	if (h->n < 2)
		return false;
	pthread_mutex_lock(&h->lock);
	for (size_t k = 0; k < h->n && !better; k++) {
		size_t other = (h->first + k) % h->n;

		if (other == i)
			break;
		better = !h->v[other].bad || now_ms >= h->v[other].until_ms;
	}
	pthread_mutex_unlock(&h->lock);
	return better;
}

void hosts_state(struct hosts *h, size_t i, struct db_host *out)
{
	pthread_mutex_lock(&h->lock);
	*out = (struct db_host){ .port = h->v[i].port, .bad = h->v[i].bad };
	snprintf(out->name, sizeof(out->name), "%s", h->v[i].name);
	if (out->bad)
		snprintf(out->why, sizeof(out->why), "%s", h->v[i].why);
	pthread_mutex_unlock(&h->lock);
}

/* Waits for an event of fd; false after until_ms. */
static bool ready(int fd, short events, int64_t until_ms)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int64_t left_ms = until_ms - clock_mono_ms();
		int rc = poll(&p, 1, left_ms > 0 ? (int)left_ms : 0);

		if (rc >= 0 || errno != EINTR)
			return rc > 0;
	}
}

bool hosts_greets(const struct hosts *h, size_t i, int wait_ms)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	int64_t until_ms = clock_mono_ms() + wait_ms;
	struct addrinfo *list = NULL;
	bool greets = false;
	char port[8];

	snprintf(port, sizeof(port), "%d", h->v[i].port);
	if (getaddrinfo(h->v[i].name, port, &hints, &list))
		return false;
	for (struct addrinfo *a = list; a && !greets; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC |
				SOCK_NONBLOCK, a->ai_protocol);
		char byte;

		if (fd < 0)
			continue;
		if (connect(fd, a->ai_addr, a->ai_addrlen) == 0 ||
		    errno == EINPROGRESS)
			greets = ready(fd, POLLOUT, until_ms) &&
				ready(fd, POLLIN, until_ms) &&
				recv(fd, &byte, 1, 0) == 1;
		close(fd);
	}
	freeaddrinfo(list);
	return greets;
}
