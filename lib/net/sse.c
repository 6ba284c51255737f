/* SPDX-License-Identifier: MIT */
/*
 * Lines are split by bytes, not by characters (P-C7): CR and LF cannot occur within a
 * UTF-8 sequence. A CR at the end of a read ends its line at once, and an LF at the
 * start of the next read is then skipped, so that an event is never delayed by a
 * byte that may not come.
 */
#include "net/sse.h"

#include <string.h>

#include "base/json.h"
#include "base/limits.h"

#include "base/banned.h"

void sse_init(struct sse_reader *r)
{
	*r = (struct sse_reader){
		.line = BUF_INIT(LIM_SSE_LINE_BYTES),
		.data = BUF_INIT(LIM_SSE_EVENT_BYTES),
		.name = BUF_INIT(256), .id = BUF_INIT(256),
		.id_line = BUF_INIT(256), .retry_ms = -1,
	};
}

void sse_release(struct sse_reader *r)
{
	buf_release(&r->line);
	buf_release(&r->data);
	buf_release(&r->name);
	buf_release(&r->id);
	buf_release(&r->id_line);
}

void sse_resume(struct sse_reader *r)
{
	buf_reset(&r->line);
	buf_reset(&r->data);
	buf_reset(&r->name);
	buf_reset(&r->id_line);
	r->has_data = r->skip_lf = r->started = r->stopped = false;
}

static int stop(struct sse_reader *r)
{
	r->stopped = true;
	return -1;
}

static int too_big(struct sse_reader *r, const char *what, struct err *e)
{
	stop(r);
	return err_public(e, ERR_TOO_BIG,
			  "The language model sent %s that is too large.", what);
}

/* Stores a text that fits; a text that is too long counts as absent. */
static void copy_value(struct buf *b, struct str value)
{
	buf_reset(b);
	buf_addstr(b, value);
	if (!buf_ok(b))
		buf_reset(b);
}

static int hand_out(struct sse_reader *r, struct str data, sse_handler *fn,
		    void *ctx)
{
	int rc = 0;

	if (r->id_line.n) {
		copy_value(&r->id, buf_str(&r->id_line));
		buf_reset(&r->id_line);
	}
	if (data.n) {
		r->n_events++;
		rc = fn(ctx, buf_str(&r->name), data);
	}
	buf_reset(&r->data);
	buf_reset(&r->name);
	r->has_data = false;
	return rc < 0 ? stop(r) : 0;
}

/* Digits only, as in the standard. */
static void keep_retry(struct sse_reader *r, struct str value)
{
	int ms = 0;

	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < '0' || value.p[i] > '9' || ms > 3600000)
			return;
		ms = ms * 10 + (value.p[i] - '0');
	}
	if (value.n)
		r->retry_ms = ms;
}

/* Handles a field line other than `data`. */
static void other_field(struct sse_reader *r, struct str line)
{
	struct str value = line, name = str_cut(&value, ':');

	if (line.n && line.p[0] == ':') {
		r->n_comments++;
		return;
	}
	if (value.n && value.p[0] == ' ')
		value.p++, value.n--;
	if (str_is(name, "event"))
		copy_value(&r->name, value);
	else if (str_is(name, "id") && !(value.n && memchr(value.p, 0, value.n)))
		copy_value(&r->id_line, value);
	else if (str_is(name, "retry"))
		keep_retry(r, value);
}

/* Whether line is a data field; *value: its value. */
static bool data_field(struct str line, struct str *value)
{
	if (line.n < 4 || memcmp(line.p, "data", 4) != 0)
		return false;
	if (line.n == 4) {
		*value = (struct str){ line.p + 4, 0 };
		return true;
	}
	if (line.p[4] != ':')
		return false;
	*value = (struct str){ line.p + 5, line.n - 5 };
	if (value->n && value->p[0] == ' ')
		value->p++, value->n--;
	return true;
}

static int whole_line(struct sse_reader *r, struct str line, sse_handler *fn,
		      void *ctx, struct err *e)
{
	struct str value;

	if (!line.n)
		return hand_out(r, buf_str(&r->data), fn, ctx);
	if (r->error_field && str_starts(line, STR("error:"))) {
		if (r->has_data && hand_out(r, buf_str(&r->data), fn, ctx) < 0)
			return -1;
		copy_value(&r->name, STR("error"));
		value = str_trim((struct str){ line.p + 6, line.n - 6 });
	} else if (!data_field(line, &value)) {
		other_field(r, line);
		return 0;
	}
	if (r->has_data)
		buf_addc(&r->data, '\n');
	buf_addstr(&r->data, value);
	r->has_data = true;
	if (!buf_ok(&r->data))
		return too_big(r, "an event", e);
	return 0;
}

/*
 * Finds the end of the line that starts at p: *n is its length, *n_end that of the
 * line end. False if the line is not complete. *next: the next LF, or the end of the
 * bytes; it is looked for once, however many lines end with CR before it.
 */
static bool find_end(const char *p, size_t n_bytes, const char **next, size_t *n,
		     size_t *n_end)
{
	const char *lf = !*next || *next < p ? memchr(p, '\n', n_bytes)
		: *next < p + n_bytes ? *next : NULL;
	size_t upto = lf ? (size_t)(lf - p) : n_bytes;
	const char *cr = memchr(p, '\r', upto);

	*next = lf ? lf : p + n_bytes;
	if (!lf && !cr)
		return false;
	*n = cr ? (size_t)(cr - p) : upto;
	*n_end = cr && lf && lf == cr + 1 ? 2 : 1;
	return true;
}

/* Once per stream: the first bytes may be a BOM, split anywhere. */
static void skip_bom(struct sse_reader *r, struct str *line)
{
	if (r->started)
		return;
	r->started = true;
	if (str_starts(*line, STR("\xef\xbb\xbf")))
		line->p += 3, line->n -= 3;
}

/*
 * Handles the common case in one step: a data line and the empty line after it,
 * both in this read, with nothing pending. Returns the number of bytes used; 0:
 * another case.
 */
static size_t plain_event(const struct sse_reader *r, struct str line,
			  size_t n_end, size_t n_left, struct str *value)
{
	const char *next = line.p + line.n + n_end;

	if (r->has_data || r->line.n || !data_field(line, value) || !value->n)
		return 0;
	if (n_left > line.n + n_end && next[0] == '\n')
		return line.n + n_end + 1;
	if (n_left > line.n + n_end + 1 && next[0] == '\r' && next[1] == '\n')
		return line.n + n_end + 2;
	return 0;
}

int sse_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
	     void *ctx, struct err *e)
{
	const char *p = bytes.p, *next = NULL;
	size_t left = bytes.n;

	if (r->stopped)
		return -1;
	if (r->skip_lf && left) {
		if (*p == '\n')
			p++, left--;
		r->skip_lf = false;
	}
	while (left) {
		struct str line, value;
		size_t n, n_end, used;

		if (!find_end(p, left, &next, &n, &n_end)) {
			buf_add(&r->line, p, left);
			return buf_ok(&r->line) ? 0 : too_big(r, "a line", e);
		}
		r->skip_lf = n_end == 1 && n + 1 == left && p[n] == '\r';
		line = (struct str){ p, n };
		if (r->line.n) {
			buf_add(&r->line, p, n);
			if (!buf_ok(&r->line))
				return too_big(r, "a line", e);
			line = buf_str(&r->line);
		}
		skip_bom(r, &line);
		used = r->line.n ? 0 : plain_event(r, line, n_end,
				      left - (size_t)(line.p - p), &value);
		if (used) {
			used += (size_t)(line.p - p);
			if (hand_out(r, value, fn, ctx) < 0)
				return -1;
		} else {
			if (whole_line(r, line, fn, ctx, e) < 0)
				return -1;
			buf_reset(&r->line);
			used = n + n_end;
		}
		p += used;
		left -= used;
	}
	return 0;
}

static bool complete(struct str data)
{
	struct err e = ERR_INIT;
	json_t *j;

	if (str_is(str_trim(data), "[DONE]"))
		return true;
	j = jx_load_lenient(data, &e);
	json_decref(j);
	return j != NULL;
}

int sse_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
	       struct err *e)
{
	if (r->stopped)
		return -1;
	if (r->line.n) {
		struct str line = buf_str(&r->line);

		skip_bom(r, &line);
		if (whole_line(r, line, fn, ctx, e) < 0)
			return -1;
		buf_reset(&r->line);
	}
	if (r->data.n && complete(buf_str(&r->data)))
		return hand_out(r, buf_str(&r->data), fn, ctx);
	return 0;
}

static int json_line(struct sse_reader *r, struct str line, sse_handler *fn,
		     void *ctx)
{
	skip_bom(r, &line);
	line = str_trim(line);
	if (!line.n)
		return 0;
	r->n_events++;
	return fn(ctx, STR(""), line) < 0 ? stop(r) : 0;
}

int ndjson_feed(struct sse_reader *r, struct str bytes, sse_handler *fn,
		void *ctx, struct err *e)
{
	const char *p = bytes.p;
	size_t left = bytes.n;

	if (r->stopped)
		return -1;
	while (left) {
		const char *lf = memchr(p, '\n', left);
		size_t n = lf ? (size_t)(lf - p) : left;
		struct str line = { p, n };

		if (!lf || r->line.n) {
			buf_add(&r->line, p, n);
			if (!buf_ok(&r->line))
				return too_big(r, "a line", e);
			line = buf_str(&r->line);
		}
		if (!lf)
			return 0;
		if (json_line(r, line, fn, ctx) < 0)
			return -1;
		buf_reset(&r->line);
		p += n + 1;
		left -= n + 1;
	}
	return 0;
}

int ndjson_finish(struct sse_reader *r, sse_handler *fn, void *ctx,
		  struct err *e)
{
	(void)e;
	if (r->stopped)
		return -1;
	if (r->line.n && json_line(r, buf_str(&r->line), fn, ctx) < 0)
		return -1;
	buf_reset(&r->line);
	return 0;
}
