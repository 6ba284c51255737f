/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP server inside a test: a thread per connection reads requests
 * and lets the test's function answer them with raw bytes.
 */
#ifndef UNIT_PEER_H
#define UNIT_PEER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http.h"
#include "unit.h"

#define PEER_CONNS 1024

struct peer;

/*
 * Answers request number n_req (from 1, over all connections) on fd. Returns
 * 0 to keep the connection, -1 to close it.
 */
typedef int peer_serve(struct peer *p, int fd, int n_req);

struct peer {
	peer_serve *serve;
	int fd, port;
	pthread_t thread;
	pthread_t conns[PEER_CONNS];
	int fds[PEER_CONNS];
	atomic_int n_conns, n_reqs;
	pthread_mutex_t lock;
	char last[65536];	/* the last request, headers and body */
};

static inline void peer_send(int fd, const char *s)
{
	size_t n = strlen(s);

	while (n) {
		ssize_t k = send(fd, s, n, MSG_NOSIGNAL);

		if (k <= 0)
			return;
		s += k;
		n -= (size_t)k;
	}
}

/* Until the other side goes away. */
static inline int peer_stall(int fd)
{
	char c[256];

	while (recv(fd, c, sizeof(c), 0) > 0)
		;
	return -1;
}

static inline int peer_reply(int fd, const char *status, const char *headers,
			     const char *body)
{
	char head[1024];

	snprintf(head, sizeof(head), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n"
		 "%s\r\n", status, strlen(body), headers);
	peer_send(fd, head);
	peer_send(fd, body);
	return 0;
}

/* The head of a chunked event stream, one chunk, the last chunk. */
static inline void peer_stream(int fd)
{
	peer_send(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n");
}

static inline void peer_chunk(int fd, const char *s)
{
	char size[32];

	snprintf(size, sizeof(size), "%zx\r\n", strlen(s));
	peer_send(fd, size);
	peer_send(fd, s);
	peer_send(fd, "\r\n");
}

static inline int peer_end(int fd)
{
	peer_send(fd, "0\r\n\r\n");
	return 0;
}

/* One request into p->last; false at the end of the connection. */
static inline bool peer_read(struct peer *p, int fd)
{
	char buf[65536], *end, *len;
	size_t n = 0, want = 0;

	for (;;) {
		ssize_t k = recv(fd, buf + n, sizeof(buf) - 1 - n, 0);

		if (k <= 0)
			return false;
		n += (size_t)k;
		buf[n] = '\0';
		end = strstr(buf, "\r\n\r\n");
		if (!end)
			continue;
		len = strstr(buf, "Content-Length: ");
		want = (size_t)(end + 4 - buf) +
			(len ? strtoul(len + 16, NULL, 10) : 0);
		if (n >= want)
			break;
	}
	pthread_mutex_lock(&p->lock);
	memcpy(p->last, buf, n + 1);
	pthread_mutex_unlock(&p->lock);
	return true;
}

struct peer_conn {
	struct peer *p;
	int fd;
};

static inline void *peer_conn_main(void *arg)
{
	struct peer_conn c = *(struct peer_conn *)arg;

	free(arg);
	while (peer_read(c.p, c.fd))
		if (c.p->serve(c.p, c.fd,
			       atomic_fetch_add(&c.p->n_reqs, 1) + 1) < 0)
			break;
	shutdown(c.fd, SHUT_RDWR);
	return NULL;
}

static inline void *peer_main(void *arg)
{
	struct peer *p = arg;

	for (;;) {
		int fd = accept(p->fd, NULL, NULL);
		int i = atomic_load(&p->n_conns);
		struct peer_conn *c;

		if (fd < 0 || i == PEER_CONNS)
			return NULL;
		c = malloc(sizeof(*c));
		*c = (struct peer_conn){ p, fd };
		p->fds[i] = fd;
		atomic_store(&p->n_conns, i + 1);
		pthread_create(&p->conns[i], NULL, peer_conn_main, c);
	}
}

static inline int peer_listen(int backlog, int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static inline struct peer *peer_start(peer_serve *serve)
{
	struct peer *p = calloc(1, sizeof(*p));

	p->serve = serve;
	pthread_mutex_init(&p->lock, NULL);
	p->fd = peer_listen(1024, &p->port);
	pthread_create(&p->thread, NULL, peer_main, p);
	return p;
}

/* What the last request said; valid until the next call. */
static inline const char *peer_last(struct peer *p)
{
	static char copy[65536];

	pthread_mutex_lock(&p->lock);
	memcpy(copy, p->last, sizeof(copy));
	pthread_mutex_unlock(&p->lock);
	return copy;
}

static inline void peer_stop(struct peer *p)
{
	int n;

	shutdown(p->fd, SHUT_RDWR);
	pthread_join(p->thread, NULL);
	n = atomic_load(&p->n_conns);
	for (int i = 0; i < n; i++) {
		shutdown(p->fds[i], SHUT_RDWR);
		pthread_join(p->conns[i], NULL);
		close(p->fds[i]);
	}
	close(p->fd);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Upstream handles that go to peers directly, whatever the environment says. */
static inline struct http_pool *peer_pool_open(int max_idle)
{
	struct err e = ERR_INIT;

	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	assert_int_equal(http_global_init(&e), 0);
	return http_pool_new(max_idle);
}

/* Tear-down of a group whose set-up put the pool into *state. */
static inline int peer_pool_close(void **state)
{
	http_pool_free(*state);
	http_global_cleanup();
	return 0;
}

#endif
