/* SPDX-License-Identifier: MIT */
/*
 * From body bytes to neutral events: framing, parsing, and the one terminal
 * event. What the answer says is read by the dialects; how deltas and calls
 * become events is in emit.c.
 *
 * The template: nearly all chunks of a stream differ only in the text of one
 * delta, and parsing each costs more than everything else we do with it. So
 * when a chunk turns out to be a pure text delta, the bytes around its text are
 * remembered, and a later payload with the same bytes around a simple JSON
 * string needs no parsing. This is not assumed to be right for every provider,
 * but checked when a template is learned: the remembered bytes around a marker
 * are parsed, and the result must be the original document with the marker in
 * place of the text and nothing else changed.
 */
#include "llm/decoder.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/emit.h"
#include "llm/repair.h"

#include "base/banned.h"

#define LEARN_MAX 4	/* templates in a row that nothing matched */

struct llm_decoder *llm_decoder_new(const char *provider,
				    const struct llm_service *service,
				    struct err *e)
{
	const struct provider *p = provider_find(provider);
	struct llm_decoder *d;
	struct quirks q;

	if (!p && provider_unknown(provider, e) < 0)
		return NULL;
	if (provider_quirks(p, service ? service->quirks : NULL, &q, e) < 0)
		return NULL;
	d = xcalloc(1, sizeof(*d));
	*d = (struct llm_decoder){
		.provider = p, .dialect = p->dialect, .q = q, .fast = true,
		.model = service && service->model ? service->model : "",
		.url = service && service->set.url ? service->url : "",
		.body = BUF_INIT(LIM_UPSTREAM_BYTES),
		.reported_model = BUF_INIT(256),
		.held = BUF_INIT(256),
		.message_id = BUF_INIT(512),
		.reasoning = BUF_INIT(LIM_ANSWER_BYTES),
		.est_input = -1,
		.usage = LLM_USAGE_UNKNOWN,
		.thinking = q.think_tags == THINK_INSIDE,
		.think_open = q.think_tags == THINK_TAGS,
		.fault.retry_after_ms = -1,
		.tmpl.prefix = BUF_INIT(LIM_SSE_EVENT_BYTES),
		.tmpl.suffix = BUF_INIT(LIM_SSE_EVENT_BYTES),
		.tmpl.name = BUF_INIT(256),
		.tmpl.tmp = BUF_INIT(LIM_SSE_EVENT_BYTES),
	};
	sse_init(&d->reader);
	d->reader.error_field = true;
	return d;
}

void llm_decoder_free(struct llm_decoder *d)
{
	if (!d)
		return;
	if (d->dialect->release)
		d->dialect->release(d);
	for (int i = 0; i < d->n_calls; i++) {
		buf_release(&d->calls[i].id);
		buf_release(&d->calls[i].name);
		buf_release(&d->calls[i].args);
		buf_release(&d->calls[i].last);
		json_decref(d->calls[i].opaque);
	}
	free(d->calls);
	sse_release(&d->reader);
	buf_release(&d->body);
	buf_release(&d->reported_model);
	buf_release(&d->held);
	buf_release(&d->message_id);
	buf_release(&d->reasoning);
	buf_release(&d->tmpl.prefix);
	buf_release(&d->tmpl.suffix);
	buf_release(&d->tmpl.name);
	buf_release(&d->tmpl.tmp);
	json_decref(d->opaque);
	json_decref(d->replay);
	free(d);
}

void llm_decoder_fast(struct llm_decoder *d, bool on)
{
	d->fast = on;
}

void llm_decoder_fixed_ids(struct llm_decoder *d)
{
	d->fixed_ids = true;
}

void llm_decoder_history(struct llm_decoder *d, const struct llm_request *r)
{
	d->request = r;
}

void llm_decoder_estimate(struct llm_decoder *d, int64_t input_tokens)
{
	d->est_input = input_tokens;
}

bool llm_decoder_over(const struct llm_decoder *d)
{
	return d->terminal || d->stopped;
}

bool llm_decoder_finished(const struct llm_decoder *d)
{
	return d->finished;
}

uint64_t llm_decoder_events(const struct llm_decoder *d)
{
	return d->reader.n_events;
}

const struct llm_fault *llm_decoder_fault(const struct llm_decoder *d)
{
	return &d->fault;
}

/* -- the template --------------------------------------------------------- */

#define MARKER "9c0ba5d1-template-marker"

/*
 * The JSON string whose opening quote is just before p: *raw is the string
 * without quotes, *text its value. Reads only the simple cases: valid UTF-8 and
 * the one-character escapes, which are decoded in *tmp. False otherwise.
 */
static bool simple_string(const char *p, size_t n, struct str *raw,
			  struct str *text, struct buf *tmp)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	bool ascii = true;
	size_t i, done = 0;

	for (i = 0; i < n && p[i] != '"'; i++) {
		unsigned char c = (unsigned char)p[i];
		const char *escape;

		ascii &= c < 0x80;
		if (c < 0x20)
			return false;
		if (c != '\\')
			continue;
		escape = i + 1 < n && p[i + 1] ? strchr(from, p[i + 1]) : NULL;
		if (!escape)
			return false;
		buf_add(tmp, p + done, i - done);
		buf_addc(tmp, to[escape - from]);
		done = ++i + 1;
	}
	if (i >= n)
		return false;
	*raw = *text = (struct str){ p, i };
	if (done) {
		buf_add(tmp, p + done, i - done);
		*text = buf_str(tmp);
	}
	return ascii || utf8_valid(*raw);
}

/* Whether text is written in JSON as it is. */
static bool plain_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == '"' ||
		    s.p[i] == '\\')
			return false;
	return utf8_valid(s);
}

/* Equal but for blanks; neither side has strings in it. */
static bool same_tokens(struct str a, struct str b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a.n && a.p[i] == ' ')
			i++;
		while (j < b.n && b.p[j] == ' ')
			j++;
		if (i == a.n || j == b.n)
			return i == a.n && j == b.n;
		if (a.p[i++] != b.p[j++])
			return false;
	}
}

static bool try_template(struct llm_decoder *d, struct str name,
			 struct str data)
{
	struct dec_template *t = &d->tmpl;
	struct str raw, text, rest;

	if (!t->set || data.n < t->prefix.n + 1 ||
	    memcmp(data.p, t->prefix.p, t->prefix.n) != 0 ||
	    !str_eq(name, buf_str(&t->name)))
		return false;
	buf_reset(&t->tmp);
	if (!simple_string(data.p + t->prefix.n, data.n - t->prefix.n, &raw,
			   &text, &t->tmp))
		return false;
	rest.p = raw.p + raw.n + 1;
	rest.n = (size_t)(data.p + data.n - rest.p);
	if (!str_eq(rest, buf_str(&t->suffix)) &&
	    !(t->loose && same_tokens(rest, buf_str(&t->suffix))))
		return false;
	t->n_wasted = 0;
	d->repaired = false;
	d->dialect->plain(d, t->slot, text);
	return true;
}

/* Whether prefix MARKER suffix is j with another text in its slot. */
static bool proven(struct llm_decoder *d, json_t *j, struct str text, int slot)
{
	struct dec_template *t = &d->tmpl;
	struct buf probe = BUF_INIT(LIM_SSE_EVENT_BYTES + 64);
	json_t *k = NULL, *parent;
	const char *key = d->dialect->text_key;
	int k_slot;
	bool ok = false;

	buf_addstr(&probe, buf_str(&t->prefix));
	buf_adds(&probe, MARKER "\"");
	buf_addstr(&probe, buf_str(&t->suffix));
	if (!buf_ok(&probe))
		goto out;
	k = jx_try(buf_str(&probe));
	parent = k ? d->dialect->slot(k, &k_slot) : NULL;
	if (!parent || k_slot != slot ||
	    !str_is(jx_str(parent, key), MARKER))
		goto out;
	json_object_set_new(parent, key, jx_string(text));
	ok = json_equal(j, k);
out:
	json_decref(k);
	buf_release(&probe);
	return ok;
}

/* j was decoded from data and had no effect but the text of its slot. */
static void learn(struct llm_decoder *d, struct str name, struct str data,
		  json_t *j, json_t *parent, int slot)
{
	struct dec_template *t = &d->tmpl;
	struct str text = jx_str(parent, d->dialect->text_key);
	struct buf quoted = BUF_INIT(LIM_SSE_EVENT_BYTES);
	const char *from = data.p, *q;

	if (t->n_wasted >= LEARN_MAX || !text.n || !plain_text(text))
		return;
	t->n_wasted++;
	t->set = false;
	buf_addc(&quoted, '"');
	buf_addstr(&quoted, text);
	buf_addc(&quoted, '"');
	for (int tries = 0; buf_ok(&quoted) && tries < 4; tries++) {
		q = memmem(from, data.n - (size_t)(from - data.p), quoted.p,
			   quoted.n);
		if (!q)
			break;
		buf_reset(&t->prefix);
		buf_reset(&t->suffix);
		buf_reset(&t->name);
		buf_add(&t->prefix, data.p, (size_t)(q + 1 - data.p));
		buf_add(&t->suffix, q + quoted.n,
			data.n - (size_t)(q + quoted.n - data.p));
		buf_addstr(&t->name, name);
		if (proven(d, j, text, slot)) {
			t->set = true;
			t->slot = slot;
			t->loose = !memchr(t->suffix.p, '"', t->suffix.n);
			break;
		}
		from = q + 1;
	}
	buf_release(&quoted);
}

/* -- payloads ------------------------------------------------------------- */

static int reader_rc(const struct llm_decoder *d)
{
	return llm_decoder_over(d) ? -1 : 0;
}

/* The start of a text that is not JSON, as a JSON string; new reference. */
static json_t *text_start(struct str data)
{
	struct buf clean = BUF_INIT(4096);
	json_t *v;

	utf8_scrub(&clean, (struct str){ data.p, MIN(data.n, 160) });
	v = jx_string(buf_str(&clean));
	buf_release(&clean);
	return v;
}

/* One stream payload. -1 tells the reader to stop; d has the reason. */
static int on_payload(void *ctx, struct str name, struct str data)
{
	struct llm_decoder *d = ctx;
	json_t *j, *parent;
	int slot;

	if (d->fast && try_template(d, name, data))
		return reader_rc(d);
	data = str_trim(data);
	if (str_is(data, "[DONE]")) {	/* P-A2: stop reading, not success */
		if (d->dialect->done)
			d->dialect->done(d);
		dec_end(d);
		return -1;
	}
	if (d->not_lines) {
		buf_addstr(&d->body, data);
		buf_addc(&d->body, '\n');
		return 0;
	}
	j = repair_load(data, &d->repaired);
	if (!j && d->framing == FRAME_NDJSON && d->reader.n_events == 1) {
		d->not_lines = true;
		return on_payload(ctx, name, data);
	}
	if (!j && str_is(name, "error")) {	/* its text, as one */
		j = json_object();
		json_object_set_new(j, "error", text_start(data));
	}
	if (!j) {		/* P-C11: one odd event does not end the run */
		d->n_lost++;
		return 0;
	}
	if (d->repaired)
		d->n_repaired++;
	parent = d->dialect->slot(j, &slot);
	if (!parent)
		d->tmpl.set = false;
	if (llm_is_error(name, j))
		dec_fail_json(d, j);
	else
		d->dialect->event(d, name, j);
	if (parent && d->fast && !d->repaired && !llm_decoder_over(d))
		learn(d, name, data, j, parent, slot);
	json_decref(j);
	return reader_rc(d);
}

static void whole_document(struct llm_decoder *d)
{
	struct str body = str_trim(buf_str(&d->body));
	json_t *j = repair_load(body, &d->repaired), *doc = j;

	if (d->repaired)
		d->n_repaired++;
	if (json_is_array(j) && json_array_size(j) == 1)
		doc = json_array_get(j, 0);	/* P-A11 */
	if (!j) {
		dec_fail(d, body.n ? ERR_UPSTREAM_PROTOCOL
			 : ERR_UPSTREAM_EARLY_END, "not a JSON document");
	} else if (llm_is_error(STR(""), doc)) {
		dec_fail_json(d, doc);
	} else {
		d->dialect->whole(d, doc);
		dec_end(d);
	}
	json_decref(j);
}

/* -- framing -------------------------------------------------------------- */

void llm_decoder_content_type(struct llm_decoder *d, struct str content_type)
{
	struct str type = str_trim(str_cut(&content_type, ';'));

	d->ndjson_type = type.n > 6 &&
		(memmem(type.p, type.n, "ndjson", 6) ||
		 memmem(type.p, type.n, "jsonl", 5) ||
		 memmem(type.p, type.n, "json-seq", 8));
}

/*
 * Decides by the first byte that is not blank: the content type may be wrong
 * (P-A13), but a line of an event stream never starts with a bracket. Blank lines
 * at the start are keep-alives of DeepSeek. False = not known yet.
 */
static bool find_framing(struct llm_decoder *d)
{
	struct str s = buf_str(&d->body);

	if (s.n < 3 && str_starts(STR("\xef\xbb\xbf"), s))
		return false;
	if (str_starts(s, STR("\xef\xbb\xbf")))
		s.p += 3, s.n -= 3;
	while (s.n && strchr(" \t\r\n", s.p[0]) && s.p[0])
		s.p++, s.n--;
	if (!s.n)
		return false;
	buf_shift(&d->body, d->body.n - s.n);
	if (d->body.p[0] == '<')
		d->framing = FRAME_HTML;
	else if (d->body.p[0] != '{' && d->body.p[0] != '[')
		d->framing = FRAME_SSE;
	else if (d->ndjson_type || d->dialect == &llm_dialect_ollama)
		d->framing = FRAME_NDJSON;
	else
		d->framing = FRAME_JSON;
	return true;
}

/* An HTML page is an error; its text quotes the start, however it was split. */
static void html_page(struct llm_decoder *d, bool over)
{
	if (over || d->n_head == sizeof(d->head) - 1)
		dec_fail(d, ERR_UPSTREAM_PROTOCOL,
			 "an HTML page instead of an answer");
}

static void feed_reader(struct llm_decoder *d, struct str s)
{
	struct err e = ERR_INIT;
	int rc = 0;

	if (d->framing == FRAME_SSE)
		rc = sse_feed(&d->reader, s, on_payload, d, &e);
	else
		rc = ndjson_feed(&d->reader, s, on_payload, d, &e);
	if (rc < 0 && e.code != ERR_NONE)
		dec_fail(d, e.code, e.text);
}

static void feed(struct llm_decoder *d, struct str bytes)
{
	if (d->n_head < sizeof(d->head) - 1) {
		size_t n = MIN(bytes.n, sizeof(d->head) - 1 - d->n_head);

		memcpy(d->head + d->n_head, bytes.p, n);
		d->n_head += n;
	}
	d->n_bytes += bytes.n;
	if (d->framing == FRAME_SSE || d->framing == FRAME_NDJSON) {
		feed_reader(d, bytes);
		return;
	}
	buf_addstr(&d->body, bytes);
	if (!buf_ok(&d->body)) {
		dec_fail(d, ERR_TOO_BIG, "an answer that is too large");
		return;
	}
	if (d->framing == FRAME_UNKNOWN && !find_framing(d))
		return;
	if (d->framing == FRAME_HTML) {
		html_page(d, false);
	} else if (d->framing != FRAME_JSON) {
		struct buf first = d->body;

		d->body = (struct buf)BUF_INIT(LIM_UPSTREAM_BYTES);
		feed_reader(d, buf_str(&first));
		buf_release(&first);
	}
}

static void enter(struct llm_decoder *d, llm_handler *fn, void *ctx)
{
	d->fn = fn;
	d->ctx = ctx;
}

int llm_decoder_feed(struct llm_decoder *d, struct str bytes,
		     llm_handler *fn, void *ctx, struct err *e)
{
	(void)e;
	enter(d, fn, ctx);
	if (bytes.n && !llm_decoder_over(d))
		feed(d, bytes);
	return d->stopped ? -1 : 0;
}

/* The error of a body that ended without a mark of success. */
static void early_end(struct llm_decoder *d)
{
	if (d->reader.n_events || !d->n_bytes || d->reader.n_comments)
		dec_fail(d, ERR_UPSTREAM_EARLY_END, d->n_bytes
			 ? "the stream ended without its end mark"
			 : "an empty answer");
	else
		dec_fail(d, ERR_UPSTREAM_PROTOCOL, "not an event stream");
}

int llm_decoder_finish(struct llm_decoder *d, llm_handler *fn, void *ctx,
		       struct err *e)
{
	struct err mine = ERR_INIT;
	int rc = 0;

	(void)e;
	enter(d, fn, ctx);
	if (llm_decoder_over(d))
		return d->stopped ? -1 : 0;
	if (d->framing == FRAME_SSE)
		rc = sse_finish(&d->reader, on_payload, d, &mine);
	else if (d->framing == FRAME_NDJSON)
		rc = ndjson_finish(&d->reader, on_payload, d, &mine);
	if (rc < 0 && mine.code != ERR_NONE)
		dec_fail(d, mine.code, mine.text);
	if (!llm_decoder_over(d) && d->framing == FRAME_HTML)
		html_page(d, true);
	if (!llm_decoder_over(d) && (d->framing == FRAME_JSON || d->not_lines))
		whole_document(d);
	if (!llm_decoder_over(d) && d->finished)
		dec_end(d);
	if (!llm_decoder_over(d))
		early_end(d);
	return d->stopped ? -1 : 0;
}

int llm_decoder_fail(struct llm_decoder *d, const struct err *why,
		     llm_handler *fn, void *ctx)
{
	enter(d, fn, ctx);
	if (!llm_decoder_over(d)) {
		d->err = *why;
		emit_terminal(d);
	}
	return d->stopped ? -1 : 0;
}
