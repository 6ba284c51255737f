/* Inside lib/intake: a site as a source, its requests and what they bring. */
#ifndef INTAKE_SITE_H
#define INTAKE_SITE_H

#include "base/buf.h"
#include "intake/item.h"
#include "net/http.h"

/* What is known of an address. */
struct site_page {
	struct str item, url;
	int64_t depth;		/* of sitemaps, from 1; 0: a page */
	struct str lastmod, read_mod;	/* now, and when it was read last */
	struct str etag, modified;	/* when it was read last */
};

struct site {
	struct intake_run *k;
	struct intake_pages count;
	int64_t delay_ms;	/* between two requests */
	struct buf rules_at, rules;	/* robots.txt of the site asked last */
	struct arena one;	/* of the page or sitemap that it is at */
	bool full;		/* max_pages or run_mb was said to be reached */
};

#define SITE_MOD_BYTES 40
#define SITE_ETAG_BYTES 256
#define SITE_MODIFIED_BYTES 64

struct site_answer {
	int status;
	struct buf url;		/* that answered, redirects followed */
	struct buf body;
	char etag[SITE_ETAG_BYTES + 1], modified[SITE_MODIFIED_BYTES + 1];
	char content_type[128];
	bool noindex;		/* by its headers */
	int64_t wait_s;		/* Retry-After; 0: none */
	char to[4096];		/* of a redirect, "" */
};

/* Whether url is of the same site as base: its origin, or that with https. */
bool site_has(const char *base, const char *url);

/*
 * GET of a page, as it was unless it changed (304) when p has its etag or modified,
 * which asks only if fresh is false. Waits for its turn. 1: *out is the answer,
 * whatever its status; 0: it is not its turn before the run ends; -1: with a public
 * text if it is the page's fault. site_answer_release must follow.
 */
int site_get(struct site *s, const struct site_page *p, bool fresh,
	     size_t max_bytes, struct site_answer *out, struct err *e) MUST_CHECK;
void site_answer_release(struct site_answer *w);

/*
 * Whether the rules of its site allow url: 1 yes, 2 no, 0 it is not its turn to ask,
 * -1 as site_get.
 */
int site_allows(struct site *s, const char *url, struct err *e) MUST_CHECK;

/* What a page becomes: 1 done, 0 it is not its turn, -1. */
int site_page(struct site *s, const struct site_page *p, struct err *e) MUST_CHECK;

/* Lists what a sitemap has. The same. */
int site_map(struct site *s, const struct site_page *p, struct err *e) MUST_CHECK;

/* Puts addresses into the list of this run: a JSON list of {url, depth, mod}. */
int site_list(struct site *s, struct str json, struct err *e) MUST_CHECK;

#endif
