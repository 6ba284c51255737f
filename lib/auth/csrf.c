/* SPDX-License-Identifier: MIT */
#include "auth/csrf.h"

#include <string.h>
#include <strings.h>

#include "base/banned.h"

static struct str param(const struct auth_request *rq, const char *name)
{
	return str_trim(str_of(rq->param(rq->ctx, name)));
}

static bool same_text(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || !strncasecmp(a.p, b.p, a.n));
}

/* Cuts ":port" off *host ("[::1]:80" too); empty when there is none. */
static struct str cut_port(struct str *host)
{
	size_t i = host->n;
	struct str port = { NULL, 0 };

	while (i > 0 && host->p[i - 1] >= '0' && host->p[i - 1] <= '9')
		i--;
	if (i == 0 || i == host->n || host->p[i - 1] != ':')
		return port;
	port = (struct str){ host->p + i, host->n - i };
	host->n = i - 1;
	return port;
}

/*
 * Whether an Origin names the host that the request was sent to. Hosts are
 * compared with their ports, but some web servers strip the port from Host:
 * then it must be the scheme's own, or the one that the server listens on.
 */
static bool is_host(struct str origin, struct str host, struct str listening)
{
	struct str oport, hport, own;

	if (str_starts(origin, STR("https://"))) {
		own = STR("443");
		origin = (struct str){ origin.p + 8, origin.n - 8 };
	} else if (str_starts(origin, STR("http://"))) {
		own = STR("80");
		origin = (struct str){ origin.p + 7, origin.n - 7 };
	} else {
		return false;	/* "null", a browser extension, … */
	}
	oport = cut_port(&origin);
	hport = cut_port(&host);
	if (!origin.n || !same_text(origin, host))
		return false;
	if (!oport.n)
		oport = own;
	if (hport.n)
		return str_eq(oport, hport);
	return str_eq(oport, own) || str_eq(oport, listening);
}

enum csrf_evidence csrf_evidence(const struct auth_request *rq,
				 const char *configured)
{
	struct str origin = param(rq, "HTTP_ORIGIN");
	struct str site = param(rq, "HTTP_SEC_FETCH_SITE");

	if (origin.n && *configured && same_text(origin, str_of(configured)))
		return CSRF_OURS;
	if (site.n)
		return str_is(site, "same-origin") || str_is(site, "none")
			? CSRF_OURS : CSRF_FOREIGN;
	if (origin.n)
		return !*configured &&
		       is_host(origin, param(rq, "HTTP_HOST"),
			       param(rq, "SERVER_PORT"))
			? CSRF_OURS : CSRF_FOREIGN;
	return param(rq, "HTTP_X_REQUESTED_WITH").n ? CSRF_OURS : CSRF_NONE;
}

/* Whether a browser adds this credential by itself. */
static bool needs_proof(enum conf_identity_kind kind)
{
	switch (kind) {
	case IDENTITY_REMOTE_USER:
	case IDENTITY_TRUSTED_HEADER:
	case IDENTITY_SESSION_SQL:
	case IDENTITY_JWT:	/* may come in a cookie */
		return true;
	case IDENTITY_API_TOKEN:
	case IDENTITY_ANONYMOUS:
		break;
	}
	return false;
}

int csrf_check(const struct conf *c, const struct identity *who,
	       const struct auth_request *rq, struct err *e)
{
	enum csrf_evidence evidence;

	if (who->kind == IDENTITY_API_TOKEN)
		return 0;
	evidence = csrf_evidence(rq, c->server.origin);
	if (evidence == CSRF_FOREIGN)
		return err_set(e, ERR_CSRF, "the request comes from another "
			       "site");
	if (evidence == CSRF_NONE && needs_proof(who->kind))
		return err_set(e, ERR_CSRF, "there is neither Sec-Fetch-Site, "
			       "Origin nor X-Requested-With");
	return 0;
}
