/* SPDX-License-Identifier: MIT */
#include "llm/retrieval.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "llm/error.h"
#include "llm/probe.h"
#include "llm/provider.h"
#include "metric/metric.h"
#include "net/guard.h"
#include "net/http.h"

#include "base/banned.h"

enum {
	TICK_MS = 200,
	LEAST_CHARS = 256,	/* a text of so many is refused for what it says */
};

enum form { FORM_EMBED, FORM_RERANK, FORM_TRANSCRIBE, FORM__MAX };

/* Where a chat goes, by the end of its path, and where the others go. */
static const struct {
	const char *chat, *other[FORM__MAX];
} paths[] = {
	{ "/chat/completions", { "/embeddings", "/rerank", "/audio/transcriptions" } },
	{ "/api/chat", { "/api/embed" } },
};

static const struct {
	unsigned can;
	const char *what;
} forms[FORM__MAX] = {
	[FORM_EMBED] = { LLM_CAN_EMBED, "vectors" },
	[FORM_RERANK] = { LLM_CAN_RERANK, "ranking" },
	[FORM_TRANSCRIBE] = { LLM_CAN_TRANSCRIBE, "transcriptions" },
};

/* A request that is being made. */
struct retrieval {
	const struct llm_call *io;
	const struct llm_service *s;
	struct quirks q;
	struct llm_wire wire;
	struct net_guard guard;
	struct http_request rq;
	int64_t until_ms;	/* monotonic; 0: no limit */
	struct buf sent, answer;
	bool halves;		/* a refusal leads to a smaller request: not retried */
	struct str reason;	/* of the last failure, in arena; or NULL */
	struct arena *arena;
};

static int on_body(void *ctx, struct str bytes)
{
	struct retrieval *k = ctx;

	buf_addstr(&k->answer, bytes);
	return 0;
}

/* Whether the caller no longer waits for the answer. */
static bool has_hung_up(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return fd > 0 && poll(&p, 1, 0) > 0 &&
	       p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static int on_tick(void *ctx)
{
	const struct llm_call *io = ((const struct retrieval *)ctx)->io;

	return (io->stop && atomic_load(io->stop)) || has_hung_up(io->peer_fd)
		? -1 : 0;
}

/* The address and the headers of a chat, whose path is replaced. */
static int begin(struct retrieval *k, enum form form, struct arena *a, struct err *e)
{
	const struct llm_message any = { .role = LLM_USER, .text = STR("?") };
	const struct llm_service *s = k->s;
	const struct llm_request r = { .service = s, .messages = &any,
				       .n_messages = 1 };
	const char *url = NULL;

	if (llm_check_can(s, forms[form].can, e) < 0 ||
	    llm_build(&r, a, &k->wire, e) < 0)
		return -1;
	buf_release(&k->wire.body);
	for (size_t i = 0; !url && i < ARRAY_LEN(paths); i++)
		if (paths[i].other[form])
			url = llm_url_beside(a, k->wire.url, paths[i].chat,
					     paths[i].other[form]);
	if (!url)
		return err_public(e, ERR_LLM_UNSUPPORTED, "The provider \"%.40s\" "
				  "of the LLM service \"%.60s\" has no %s.",
				  s->provider, s->id, forms[form].what);
	if (provider_quirks(provider_find(s->provider), s->quirks, &k->q, e))
		return -1;
	k->guard = guard_for_secret(s->guard, url);
	k->rq = (struct http_request){
		.method = "POST", .url = url, .headers = k->wire.headers,
		.n_headers = k->wire.n_headers,
		.connect_timeout_ms = s->connect_timeout_ms,
		.first_byte_timeout_ms = s->first_byte_timeout_ms,
		.idle_timeout_ms = s->idle_timeout_ms,
		.max_body_bytes = LIM_RETRIEVAL_BYTES, .abort = k->io->abort,
		.guard = s->guard ? &k->guard : NULL, .watch_fd = -1,
		.tick_ms = k->io->stop || k->io->peer_fd > 0 ? TICK_MS : 0,
		.on_tick = on_tick,
		.on_body = on_body, .ctx = k,
	};
	if (s->total_timeout_ms)
		k->until_ms = clock_mono_ms() + s->total_timeout_ms;
	return 0;
}

/* One request; *f says if a retry may help. */
static int once(struct retrieval *k, struct llm_fault *f, struct err *e)
{
	struct http_result res;
	char key[12];	/* its beginning: the sentence may be cut within it */

	*f = (struct llm_fault){ .retry_after_ms = -1 };
	buf_reset(&k->answer);
	if (k->until_ms)
		k->rq.total_timeout_ms =
			(int)MAX(k->until_ms - clock_mono_ms(), 1);
	if (http_do(k->io->http, &k->rq, &res, e)) {
		f->retry = e->code != ERR_CANCELLED && err_row(e)->retryable;
		return -1;
	}
	if (res.status >= 200 && res.status < 300)
		return 0;
	llm_fault_of_answer(&(struct llm_answer){
		.status = res.status, .body = buf_str(&k->answer),
		.retry_after = str_of(res.retry_after),
		.retry_after_ms = str_of(res.retry_after_ms),
		.should_retry = str_of(res.should_retry),
	}, f, e);
	/* A server may quote the text or the key, which must not be logged. */
	k->reason = arena_str(k->arena, str_of(e->text));
	snprintf(key, sizeof(key), "%s", k->s->api_key ? k->s->api_key : "");
	if (*key && str_holds_any_case(str_of(e->text), str_of(key)))
		k->reason = (struct str){ NULL, 0 };
	err_clear(e);
	return err_set(e, f->code, "%s: HTTP %d", k->s->id, res.status);
}

/*
 * What less may help against: servers answer a request that is too large for them, in
 * all or in one text, with 400, 413, 422 and, those that do not check, with 500.
 */
static bool is_halved(enum err_code code)
{
	return code == ERR_UPSTREAM_REQUEST || code == ERR_UPSTREAM_CONTEXT ||
		code == ERR_UPSTREAM;
}

/* Sends b, and again if that may help. */
static int ask(struct retrieval *k, const struct buf *b, struct err *e)
{
	if (!buf_ok(b))
		return err_set(e, ERR_TOO_BIG, "what %s is asked", k->s->id);
	k->rq.body = buf_str(b);
	for (int n = 0; ; n++) {
		struct llm_fault f;
		uint8_t r = 0;

		if (once(k, &f, e) == 0)
			return 0;
		if (!f.retry || n >= k->s->retries ||
		    (k->halves && is_halved(e->code)))
			return -1;
		if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
			r = (uint8_t)n;
		err_clear(e);
		if (http_wait(&k->rq, llm_backoff_ms(&f, n, r), e))
			return -1;
	}
}

/* Sends body, which it takes, and reads the answer. */
static int post(struct retrieval *k, json_t *body, json_t **out, struct err *e)
{
	struct err bad = ERR_INIT;

	if (k->s->extra_body)
		json_object_update(body, k->s->extra_body);
	buf_reset(&k->sent);
	jx_dump(&k->sent, body);
	json_decref(body);
	if (ask(k, &k->sent, e))
		return -1;
	*out = jx_load(buf_str(&k->answer), &bad);
	return *out ? 0 : err_set(e, ERR_UPSTREAM_PROTOCOL, "%s: no JSON",
				  k->s->id);
}

static int not_understood(const struct retrieval *k, const char *what, struct err *e)
{
	return err_set(e, ERR_UPSTREAM_PROTOCOL, "%s: %s", k->s->id, what);
}

static void count(struct llm_usage *sum, const json_t *answer)
{
	const json_t *u = jx_obj(answer, "usage");
	struct llm_usage one = LLM_USAGE_UNKNOWN;

	one.input = jx_int(u, "prompt_tokens", jx_int(u, "total_tokens",
			jx_int(answer, "prompt_eval_count", -1)));
	if (one.input >= 0)
		one.output = 0;
	llm_usage_add(sum, &one);
	if (one.input > 0)
		metric_add(METRIC_TOKENS, "input", NULL, one.input);
}

/* -- vectors --------------------------------------------------------------------- */

struct str llm_embed_name(const struct llm_service *s, struct arena *a)
{
	const struct provider *p = provider_find(s->provider);
	struct err e = ERR_INIT;
	struct quirks q;

	if (!p || provider_quirks(p, s->quirks, &q, &e) || !q.embed_dimensions)
		return str_of(s->model);
	return str_of(arena_printf(a, "%.180s/%d", s->model,
				   q.embed_dimensions));
}

/* What differs between providers, by quirks. */
static void embed_options(const struct quirks *q, bool question, json_t *body)
{
	const char *type = question ? q->embed_query_type
				    : q->embed_document_type;

	if (q->embed_dimensions)
		json_object_set_new(body, "dimensions",
				    json_integer(q->embed_dimensions));
	if (q->embed_type_field && type)
		json_object_set_new(body, q->embed_type_field,
				    json_string(type));
	if (q->embed_truncate == TRUNCATE_END)
		json_object_set_new(body, "truncate", json_string("END"));
	else if (q->embed_truncate != TRUNCATE_UNSET)
		json_object_set_new(body, "truncate",
			json_boolean(q->embed_truncate == TRUNCATE_ON));
}

static json_t *embed_body(const struct retrieval *k, const struct str *texts,
			  size_t n, size_t chars, bool question)
{
	const char *prefix = question ? k->q.embed_query_prefix
				      : k->q.embed_document_prefix;
	json_t *body = json_object(), *input = json_array();
	struct buf b = BUF_INIT(LIM_LLM_BODY_BYTES);

	for (size_t i = 0; i < n; i++) {
		buf_reset(&b);
		buf_adds(&b, prefix ? prefix : "");
		buf_addstr(&b, utf8_head(texts[i], chars));
		json_array_append_new(input, jx_string(buf_str(&b)));
	}
	buf_release(&b);
	json_object_set_new(body, "model", jx_string(str_of(k->s->model)));
	json_object_set_new(body, "input", input);
	embed_options(&k->q, question, body);
	return body;
}

/* The list of numbers of the i-th item, and which text it is of. */
static const json_t *numbers_of(const json_t *list, size_t i, size_t *of)
{
	const json_t *item = json_array_get(list, i);
	int64_t index;

	*of = i;
	if (!json_is_object(item))
		return item;
	index = jx_int(item, "index", (int64_t)i);
	*of = index < 0 ? SIZE_MAX : (size_t)index;
	return jx_arr(item, "embedding");
}

static int take_numbers(struct retrieval *k, const json_t *v, int dimension,
			float *to, struct err *e)
{
	for (int i = 0; i < dimension; i++) {
		const json_t *x = json_array_get(v, (size_t)i);

		if (!json_is_number(x) || !isfinite(json_number_value(x)))
			return not_understood(k, "a vector that is not a list "
					      "of numbers", e);
		to[i] = (float)json_number_value(x);
	}
	return 0;
}

/* Appends the vectors of n texts to out. */
static int take_vectors(struct retrieval *k, const json_t *answer, size_t done,
			size_t n, size_t all, struct arena *a,
			struct llm_vectors *out, struct err *e)
{
	const json_t *list = jx_arr(answer, "data");
	bool *there = arena_zalloc(a, n, sizeof(*there));

	if (!list)
		list = jx_arr(answer, "embeddings");
	if (json_array_size(list) != n)
		return not_understood(k, "not one vector for each text", e);
	for (size_t i = 0; i < n; i++) {
		size_t of;
		const json_t *v = numbers_of(list, i, &of);
		size_t d = json_array_size(v);

		if (of >= n || there[of] || !d || d > LIM_DIMENSION)
			return not_understood(k, "vectors in an unknown form", e);
		if (!out->v) {
			out->dimension = (int)d;
			out->v = arena_zalloc(a, all * d, sizeof(*out->v));
		}
		if (d != (size_t)out->dimension)
			return not_understood(k, "vectors of different dimensions",
					      e);
		there[of] = true;
		if (take_numbers(k, v, out->dimension,
				 out->v + (done + of) * d, e))
			return -1;
	}
	return arena_check(a, e);
}

/* How much of the texts the next request has. */
struct portion {
	size_t texts, chars;		/* at most; chars of each */
	size_t all_texts, all_chars;	/* without a refusal */
};

static struct portion portion_of(const struct quirks *q, unsigned how)
{
	struct portion p = {
		.texts = q->embed_texts ? (size_t)q->embed_texts : LIM_EMBED_TEXTS,
		.chars = how & LLM_WHOLE ? SIZE_MAX
			: q->embed_chars ? (size_t)q->embed_chars : LIM_EMBED_CHARS,
	};

	p.all_texts = p.texts;
	p.all_chars = p.chars;
	return p;
}

/* Makes the next request smaller than the refused one of n texts. false: it cannot be. */
static bool halve(struct portion *p, const struct str *texts, size_t n, unsigned how)
{
	if (n > 1) {
		p->texts = (n + 1) / 2;
		return true;
	}
	if (how & LLM_WHOLE)
		return false;
	p->chars = MIN(p->chars, utf8_chars(texts[0])) / 2;
	return p->chars >= LEAST_CHARS;
}

/* A text that was cut was the fault; a size that is accepted stays. */
static void accepted(struct portion *p)
{
	if (p->chars < p->all_chars)
		p->texts = p->all_texts;
	p->chars = p->all_chars;
}

int llm_embed(const struct llm_call *io, const struct llm_service *s,
	      const struct str *texts, size_t n, unsigned how, struct arena *a,
	      struct llm_vectors *out, struct err *e)
{
	const bool question = how & LLM_QUESTIONS;
	struct retrieval k = { .io = io, .s = s, .arena = a,
			       .sent = BUF_INIT(LIM_LLM_BODY_BYTES),
			       .answer = BUF_INIT(LIM_RETRIEVAL_BYTES) };
	struct portion p;
	int rc;

	*out = (struct llm_vectors){ .usage = LLM_USAGE_UNKNOWN, .at = SIZE_MAX };
	rc = begin(&k, FORM_EMBED, a, e);
	p = portion_of(&k.q, how);
	for (size_t done = 0; !rc && done < n; ) {
		size_t some = MIN(n - done, p.texts);
		json_t *answer = NULL;

		k.halves = some > 1 || p.chars < p.all_chars;
		rc = post(&k, embed_body(&k, texts + done, some, p.chars, question),
			  &answer, e);
		if (!rc) {
			count(&out->usage, answer);
			rc = take_vectors(&k, answer, done, some, n, a, out, e);
			done += some;
			accepted(&p);
		} else if (is_halved(e->code) && halve(&p, texts + done, some, how)) {
			err_clear(e);
			rc = 0;
		} else {
			out->at = some == 1 ? done : SIZE_MAX;
		}
		json_decref(answer);
	}
	out->reason = k.reason;
	buf_release(&k.sent);
	buf_release(&k.answer);
	return rc;
}

/* -- ranking ----------------------------------------------------------------------- */

static json_t *rerank_body(const struct retrieval *k, struct str question,
			   const struct str *texts, size_t n, size_t chars)
{
	bool tei = k->q.rerank_format == RERANK_TEXTS;
	json_t *body = json_object(), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, jx_string(utf8_head(texts[i], chars)));
	if (!tei)
		json_object_set_new(body, "model", jx_string(str_of(k->s->model)));
	json_object_set_new(body, "query", jx_string(question));
	json_object_set_new(body, tei ? "texts" : "documents", list);
	return body;
}

static int take_scores(struct retrieval *k, const json_t *answer, double *scores,
		       size_t n, struct err *e)
{
	const json_t *list = json_is_array(answer) ? answer
		: jx_arr(answer, "results");
	size_t i;
	json_t *item;

	if (!list)
		list = jx_arr(answer, "data");
	if (!json_array_size(list))
		return not_understood(k, "not a list of scores", e);
	for (i = 0; i < n; i++)
		scores[i] = -INFINITY;
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		int64_t of = jx_int(item, "index", -1);
		const json_t *score = json_object_get(item, "relevance_score");

		if (!score)
			score = json_object_get(item, "score");
		if (of < 0 || of >= (int64_t)n || !isinf(scores[of]) ||
		    !json_is_number(score) || !isfinite(json_number_value(score)))
			return not_understood(k, "scores in an unknown form", e);
		scores[of] = json_number_value(score);
	}
	return 0;
}

int llm_rerank(const struct llm_call *io, const struct llm_service *s,
	       struct str question, const struct str *texts, size_t n, unsigned how,
	       double *scores, struct arena *a, struct llm_ranks *out,
	       struct err *e)
{
	const size_t chars = how & LLM_WHOLE ? SIZE_MAX : LIM_EMBED_CHARS;
	struct retrieval k = { .io = io, .s = s, .arena = a,
			       .sent = BUF_INIT(LIM_LLM_BODY_BYTES),
			       .answer = BUF_INIT(LIM_RETRIEVAL_BYTES) };
	size_t most = n;
	int rc;

	*out = (struct llm_ranks){ .usage = LLM_USAGE_UNKNOWN, .at = SIZE_MAX };
	rc = begin(&k, FORM_RERANK, a, e);
	for (size_t done = 0; !rc && done < n; ) {
		size_t some = MIN(n - done, most);
		json_t *answer = NULL;

		k.halves = some > 1;
		rc = post(&k, rerank_body(&k, question, texts + done, some, chars),
			  &answer, e);
		if (!rc) {
			count(&out->usage, answer);
			rc = take_scores(&k, answer, scores + done, some, e);
			done += some;
		} else if (is_halved(e->code) && some > 1) {
			most = (some + 1) / 2;
			err_clear(e);
			rc = 0;
		} else {
			out->at = some == 1 ? done : SIZE_MAX;
		}
		json_decref(answer);
	}
	out->reason = k.reason;
	buf_release(&k.sent);
	buf_release(&k.answer);
	return rc;
}

/* -- transcriptions ---------------------------------------------------------------- */

void llm_sound_begin(struct llm_sound *f, size_t cap_bytes)
{
	struct uuid id = uuid_new();

	*f = (struct llm_sound){ .form = BUF_INIT(cap_bytes) };
	uuid_hex(&id, f->boundary);
}

void llm_sound_release(struct llm_sound *f)
{
	buf_release(&f->form);
}

/* A value of a header of a part, as browsers write it. */
static void add_quoted(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '"')
			buf_adds(b, "%22");
		else
			buf_addc(b, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
	buf_addc(b, '"');
}

static void begin_part(struct llm_sound *f, const char *name)
{
	buf_addf(&f->form, "%s--%s\r\nContent-Disposition: form-data; name=",
		 f->form.n ? "\r\n" : "", f->boundary);
	add_quoted(&f->form, str_of(name));
}

void llm_sound_field(struct llm_sound *f, const char *name, struct str value)
{
	begin_part(f, name);
	buf_adds(&f->form, "\r\n\r\n");
	buf_addstr(&f->form, value);
}

void llm_sound_file(struct llm_sound *f, struct str filename)
{
	begin_part(f, "file");
	buf_adds(&f->form, "; filename=");
	add_quoted(&f->form, filename);
	buf_adds(&f->form, "\r\nContent-Type: application/octet-stream\r\n\r\n");
}

static void complete_form(struct llm_sound *f, const struct llm_service *s)
{
	const char *key;
	json_t *v;

	llm_sound_field(f, "model", str_of(s->model));
	json_object_foreach(s->extra_body, key, v) {
		char *text = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY |
								   JSON_COMPACT);

		if (json_is_string(v))
			llm_sound_field(f, key, str_of(json_string_value(v)));
		else if (text && !json_is_object(v) && !json_is_array(v))
			llm_sound_field(f, key, str_of(text));
		free(text);
	}
	buf_addf(&f->form, "\r\n--%s--\r\n", f->boundary);
}

/* The headers of a chat, with the type of the form. */
static void set_type(struct retrieval *k, const struct llm_sound *f, struct arena *a)
{
	const char **v = arena_zalloc(a, k->rq.n_headers, sizeof(*v));

	for (size_t i = 0; i < k->rq.n_headers; i++)
		v[i] = str_starts(str_of(k->rq.headers[i]), STR("Content-Type:"))
			? arena_printf(a, "Content-Type: multipart/form-data; boundary=%s",
				       f->boundary)
			: k->rq.headers[i];
	k->rq.headers = v;
}

/* Models of OpenAI's that count tokens say so; Whisper counts seconds. */
static void count_sound(struct llm_usage *u, struct str body)
{
	struct err no_json = ERR_INIT;
	json_auto_t *answer = jx_load_lenient(body, &no_json);
	const json_t *usage = jx_obj(answer, "usage");

	u->input = jx_int(usage, "input_tokens", jx_int(usage, "prompt_tokens", -1));
	u->output = jx_int(usage, "output_tokens", jx_int(usage, "completion_tokens", -1));
	if (u->input > 0)
		metric_add(METRIC_TOKENS, "input", NULL, u->input);
	if (u->output > 0)
		metric_add(METRIC_TOKENS, "output", NULL, u->output);
}

int llm_transcribe(const struct llm_call *io, const struct llm_service *s,
		   struct llm_sound *f, struct arena *a, struct llm_transcript *out,
		   struct err *e)
{
	struct retrieval k = { .io = io, .s = s, .arena = a,
			       .answer = BUF_INIT(LIM_RETRIEVAL_BYTES) };
	int rc = begin(&k, FORM_TRANSCRIBE, a, e);

	*out = (struct llm_transcript){ .usage = LLM_USAGE_UNKNOWN };
	if (rc == 0) {
		complete_form(f, s);
		set_type(&k, f, a);
		rc = ask(&k, &f->form, e);
	}
	if (rc == 0) {
		out->body = arena_str(a, buf_str(&k.answer));
		count_sound(&out->usage, out->body);
	}
	out->reason = k.reason;
	buf_release(&k.answer);
	return rc;
}
