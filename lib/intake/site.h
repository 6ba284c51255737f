/* SPDX-License-Identifier: MIT */
/* Inside lib/intake: a site as a source, its requests and their results. */
#ifndef INTAKE_SITE_H
#define INTAKE_SITE_H

#include "base/buf.h"
#include "intake/item.h"
#include "net/http.h"

/* The state of an address. */
struct site_page {
	struct str item, url;
	int64_t depth;		/* level of a sitemap, from 1; 0: a page */
	struct str lastmod, read_mod;	/* now, and at the last read */
	struct str etag, modified;	/* of the last read */
	int64_t listed;		/* entries of a sitemap that are listed already */
	struct str listed_of;	/* and the hash of all of its entries then */
};

struct site {
	struct intake_run *k;
	struct intake_pages count;
	int64_t delay_ms;	/* between requests */
	struct buf rules_at, rules;	/* robots.txt of the last site, and its
					   address */
	struct arena one;	/* for one page or sitemap */
	bool full;		/* reaching max_pages or run_mb was reported */
};

#define SITE_MOD_BYTES 40
#define SITE_ETAG_BYTES 256
#define SITE_MODIFIED_BYTES 64

struct site_answer {
	int status;
	struct buf url;		/* final address, after redirects */
	struct buf body;
	char etag[SITE_ETAG_BYTES + 1], modified[SITE_MODIFIED_BYTES + 1];
	char content_type[128];
	bool noindex;		/* set by a header */
	int64_t wait_s;		/* Retry-After in seconds; 0: none */
	char to[4096];		/* target of a redirect, or "" */
};

/* Whether url belongs to base's site: same origin, or the same with https. */
bool site_has(const char *base, const char *url);

/*
 * Requests a page when the site may be asked again; unless fresh, only if it
 * has changed (304), by p's etag or modified. Returns 1 with the answer in
 * *out, whatever its status; 0 if the run ends before the request may be sent;
 * -1, with a public text if the page is at fault. site_answer_release must
 * follow.
 */
int site_get(struct site *s, const struct site_page *p, bool fresh,
	     size_t max_bytes, struct site_answer *out, struct err *e) MUST_CHECK;
void site_answer_release(struct site_answer *w);

/*
 * Whether robots.txt of its site allows url: 1 yes; 2 no; 0 if the run ends
 * before it can be requested; -1 as site_get.
 */
int site_allows(struct site *s, const char *url, struct err *e) MUST_CHECK;

#endif
