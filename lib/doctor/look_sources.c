/* SPDX-License-Identifier: MIT */
/* Sources of knowledge bases: whether they can be read, and how the last run went. */
#include <unistd.h>

#include "doctor/look.h"
#include "intake/intake.h"
#include "net/guard.h"
#include "net/http.h"
#include "store/store.h"

#include "base/banned.h"

enum { SITE_MS = 5000 };

static int answered(void *ctx, const struct http_result *res)
{
	*(int *)ctx = res->status;
	return -1;	/* what it says is not wanted */
}

/* The sitemap, or the first address. */
static void look_site(struct doctor *d, const struct doctor_inside *in,
		      const struct conf_intake *s)
{
	const char *url = *s->sitemap ? s->sitemap : s->urls.v[0];
	const struct net_guard guard = { .allow = &s->allow_private };
	struct http_result res = { .status = 0 };
	struct err e = ERR_INIT;
	int status = 0;
	const struct http_request r = {
		.method = "GET", .url = url, .headers = s->headers.v,
		.n_headers = s->headers.n, .guard = &guard, .watch_fd = -1,
		.total_timeout_ms = SITE_MS, .on_head = answered, .ctx = &status,
	};

	if (http_do(in->http, &r, &res, &e) && !status)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_PROBLEM, s->name,
			   e.code == ERR_ADDRESS_REFUSED
			   ? "allow_private: [HOST]   # of the source" : "",
			   "The site cannot be read: %s", doctor_log_text(&e));
	else if (status != 200)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_WARNING, s->name, "",
			   "%s answers %d.", url, status);
	else
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_OK, s->name, "",
			   "The site answers.");
}

void doctor_look_source(struct doctor *d, const struct doctor_inside *in,
			const struct conf_intake *s)
{
	struct intake_state st;
	struct err e = ERR_INIT;

	if (*s->sitemap || s->urls.n)
		look_site(d, in, s);
	else if (*s->directory && access(s->directory, R_OK | X_OK) < 0)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_PROBLEM, s->name, "",
			   "The directory %s cannot be opened.", s->directory);
	if (intake_state_get(in->db, d->conf, str_of(s->name), d->arena, &st,
			     &e) == 0 && st.faults.n)
		doctor_add(d, DOCTOR_SOURCES, DOCTOR_WARNING, s->name,
			   "lamplighter kb status",
			   "The last run could not read everything.");
}
