/* SPDX-License-Identifier: MIT */
#include "api/etag.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#include "base/banned.h"

const char *etag_conversation(const struct conversation *c, int64_t now_us,
			      char out[ETAG_BYTES])
{
	/* Deleting a base shortens the set of the record, not its row. */
	snprintf(out, ETAG_BYTES, "\"%lld%c%zu\"", (long long)c->version,
		 conversation_running(c, now_us) ? 'r' : 'f', c->knowledge.n);
	return out;
}

const char *etag_row(int64_t version, char out[ETAG_BYTES])
{
	snprintf(out, ETAG_BYTES, "\"%lld\"", (long long)version);
	return out;
}

const char *etag_page(int64_t version, char out[ETAG_BYTES])
{
	snprintf(out, ETAG_BYTES, "\"%lldp\"", (long long)version);
	return out;
}

/* Whether one of the tags of a list is ours, regardless of suffixes for compression. */
static bool has_tag(struct str list, const char *tag)
{
	size_t n = strlen(tag) - 1;	/* up to the closing quote */

	while (list.n) {
		struct str t = str_trim(str_cut(&list, ','));

		if (t.n > 2 && memcmp(t.p, "W/", 2) == 0)
			t.p += 2, t.n -= 2;
		if (t.n > n && memcmp(t.p, tag, n) == 0 &&
		    (t.p[n] == '"' || t.p[n] == '-'))
			return true;
	}
	return false;
}

bool etag_answer(const struct request *rq, struct response *rs, const char *tag)
{
	struct str known = req_header(rq, "If-None-Match");
	bool same = known.p && (str_is(str_trim(known), "*") ||
				has_tag(known, tag));

	resp_header(rs, "ETag", tag);
	if (same)
		resp_empty(rs, 304);
	return same;
}

int etag_wanted(const struct request *rq, const char *tag, struct err *e)
{
	struct str wanted = req_header(rq, "If-Match");

	if (!wanted.p || str_is(str_trim(wanted), "*"))
		return 0;
	if (has_tag(wanted, tag))
		return 1;
	return err_set(e, ERR_PRECONDITION, "it is at version %s", tag);
}

int etag_required(const struct request *rq, const struct conversation *c,
		  int64_t *version, struct err *e)
{
	char tag[ETAG_BYTES];
	int rc = etag_wanted(rq, etag_conversation(c, clock_now_us(), tag), e);

	*version = rc > 0 ? c->version : -1;
	return rc < 0 ? -1 : 0;
}
