/* SPDX-License-Identifier: MIT */
#include "multipart.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "body.h"

#include "base/banned.h"

enum { BOUNDARY_BYTES = 70 };	/* RFC 2046 section 5.1.1 */

static int malformed(struct err *e)
{
	return err_public(e, ERR_BAD_REQUEST,
			  "The multipart body is malformed or incomplete.");
}

/* The value of a parameter of a header: name=value or name="value"; p == NULL: none. */
static struct str parameter(struct str header, const char *name, struct arena *a)
{
	size_t len = strlen(name);
	struct buf b = BUF_INIT(4096);
	struct str out = { NULL, 0 };
	bool quoted = false;

	for (size_t i = 0; i + len < header.n; i++) {
		char before = i ? header.p[i - 1] : ';';

		if (header.p[i] == '"' && (!i || header.p[i - 1] != '\\'))
			quoted = !quoted;
		if (quoted || (before != ';' && before != ' ') ||
		    strncasecmp(header.p + i, name, len) != 0 ||
		    header.p[i + len] != '=')
			continue;
		i += len + 1;
		quoted = i < header.n && header.p[i] == '"';
		for (i += quoted; i < header.n; i++) {
			if (quoted ? header.p[i] == '"' : header.p[i] == ';')
				break;
			/* Browsers write %22 for a quote; other clients \". */
			if (quoted && header.p[i] == '\\' && i + 1 < header.n &&
			    (header.p[i + 1] == '"' || header.p[i + 1] == '\\'))
				i++;
			buf_addc(&b, header.p[i]);
		}
		out = arena_str(a, buf_str(&b));
		break;
	}
	buf_release(&b);
	return out;
}

bool multipart_is(const struct request *rq)
{
	struct str type = req_param(rq, "CONTENT_TYPE");
	struct str name = str_trim(str_cut(&type, ';'));

	return name.n == 19 && !strncasecmp(name.p, "multipart/form-data", 19);
}

/* Reads until the window is full or the body ends. */
static int fill(struct multipart *m, struct err *e)
{
	memmove(m->window, m->window + m->at, m->n - m->at);
	m->n -= m->at;
	m->at = 0;
	while (!m->ended && m->n < MULTIPART_WINDOW) {
		ssize_t got = req_body_some(m->rq, m->window + m->n,
					    MULTIPART_WINDOW - m->n, e);

		if (got < 0)
			return -1;
		m->ended = got == 0;
		m->n += (size_t)got;
	}
	return 0;
}

int multipart_begin(struct multipart *m, struct request *rq, struct err *e)
{
	struct str boundary = parameter(req_param(rq, "CONTENT_TYPE"),
					"boundary", rq->arena);

	*m = (struct multipart){ .rq = rq, .in_part = true };
	if (!boundary.n || boundary.n > BOUNDARY_BYTES)
		return malformed(e);
	m->delimiter = str_of(arena_printf(rq->arena, "\r\n--%.*s",
					   STR_ARG(boundary)));
	m->window = arena_alloc(rq->arena, MULTIPART_WINDOW);
	/* The first delimiter is at the start, without its line end. */
	memcpy(m->window, "\r\n", 2);
	m->n = 2;
	return fill(m, e);
}

int multipart_read(struct multipart *m, struct str *out, struct err *e)
{
	const char *found;
	size_t n;

	*out = (struct str){ NULL, 0 };
	if (!m->in_part)
		return 0;
	if (m->n - m->at < MULTIPART_WINDOW && !m->ended && fill(m, e) < 0)
		return -1;
	n = m->n - m->at;
	found = memmem(m->window + m->at, n, m->delimiter.p, m->delimiter.n);
	if (found) {
		n = (size_t)(found - m->window) - m->at;
		m->in_part = n > 0;
	} else if (m->ended) {
		return malformed(e);
	} else {
		n -= m->delimiter.n - 1;
	}
	*out = (struct str){ m->window + m->at, n };
	m->at += n;
	return 0;
}

/* After a delimiter: -- ends the body, else header lines follow. */
static int read_head(struct multipart *m, struct multipart_part *out,
		     struct err *e)
{
	static const char field[] = "Content-Disposition:";
	struct str s, head;
	const char *end;

	if (fill(m, e) < 0)
		return -1;
	m->at += m->delimiter.n;
	s = (struct str){ m->window + m->at, m->n - m->at };
	if (str_starts(s, STR("--")))
		return 0;
	/* Names of parts are kept as long as the request. */
	if (++m->n_parts > LIM_FORM_FIELDS)
		return err_public(e, ERR_BAD_REQUEST, "The multipart body has more "
				  "than %d parts.", LIM_FORM_FIELDS);
	end = memmem(s.p, s.n, "\r\n\r\n", 4);
	if (!end || end - s.p > LIM_PART_HEAD_BYTES)
		return malformed(e);
	head = (struct str){ s.p, (size_t)(end - s.p) };
	m->at += head.n + 4;
	while (head.n) {
		struct str line = str_cut(&head, '\n');

		if (line.n > strlen(field) &&
		    !strncasecmp(line.p, field, strlen(field))) {
			line = str_trim(line);
			out->name = parameter(line, "name", m->rq->arena);
			out->filename = parameter(line, "filename",
						  m->rq->arena);
		}
	}
	m->in_part = true;
	return 1;
}

int multipart_next(struct multipart *m, struct multipart_part *out,
		   struct err *e)
{
	struct str skipped;

	*out = (struct multipart_part){ .name = { NULL, 0 } };
	while (m->in_part)
		if (multipart_read(m, &skipped, e) < 0)
			return -1;
	return read_head(m, out, e);
}
