#include "net/http_handle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/banned.h"

struct http_pool {
	pthread_mutex_t lock;
	struct http_handle **idle;	/* the last one was used last */
	int n_idle, max_idle;
};

struct http_pool *http_pool_new(int max_idle)
{
	struct http_pool *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	p->max_idle = MAX(max_idle, 0);
	p->idle = xcalloc((size_t)p->max_idle + 1, sizeof(*p->idle));
	return p;
}

static void handle_free(struct http_handle *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	free(h);
}

void http_pool_free(struct http_pool *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_idle; i++)
		handle_free(p->idle[i]);
	pthread_mutex_destroy(&p->lock);
	free(p->idle);
	free(p);
}

static struct http_handle *handle_new(void)
{
	struct http_handle *h = xcalloc(1, sizeof(*h));

	h->multi = curl_multi_init();
	h->easy = curl_easy_init();
	if (!h->multi || !h->easy)
		BUG("no memory for a libcurl handle");
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, 2L);
	return h;
}

/* scheme://host:port of url in out. */
static void origin_of(const char *url, char *out)
{
	const char *host = strstr(url, "://");
	size_t n = host ? (size_t)(host + 3 - url) : 0;

	n += strcspn(url + n, "/?#");
	snprintf(out, HTTP_ORIGIN_BYTES, "%.*s",
		 (int)MIN(n, HTTP_ORIGIN_BYTES - 1), url);
}

struct http_handle *http_handle_get(struct http_pool *p, const char *url)
{
	char origin[HTTP_ORIGIN_BYTES];
	struct http_handle *h = NULL;

	origin_of(url, origin);
	pthread_mutex_lock(&p->lock);
	for (int i = p->n_idle - 1; i >= 0 && !h; i--) {
		if (strcmp(p->idle[i]->origin, origin) != 0)
			continue;
		h = p->idle[i];
		p->n_idle--;
		memmove(&p->idle[i], &p->idle[i + 1],
			(size_t)(p->n_idle - i) * sizeof(*p->idle));
	}
	pthread_mutex_unlock(&p->lock);
	if (h)
		return h;
	h = handle_new();
	memcpy(h->origin, origin, sizeof(origin));
	return h;
}

/* The oldest one makes room: its connection is the coldest. */
void http_handle_put(struct http_pool *p, struct http_handle *h)
{
	struct http_handle *old = NULL;

	pthread_mutex_lock(&p->lock);
	p->idle[p->n_idle++] = h;
	if (p->n_idle > p->max_idle) {
		old = p->idle[0];
		p->n_idle--;
		memmove(&p->idle[0], &p->idle[1],
			(size_t)p->n_idle * sizeof(*p->idle));
	}
	pthread_mutex_unlock(&p->lock);
	handle_free(old);
}
