/* SPDX-License-Identifier: MIT */
/*
 * Vectors, ranking and transcriptions for programs, by services that the admin offers
 * (openai.services, docs/openai-server.md): their requests are passed on, and what is
 * a service's own (address, credential, form, limits) stays here.
 */
#include "api/api.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "api/client.h"
#include "api/openai.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "body.h"
#include "knowledge/embed.h"
#include "domain/offer.h"
#include "file/upload.h"
#include "multipart.h"
#include "places.h"
#include "store/usage.h"

#include "base/banned.h"

enum { CAN = LLM_CAN_EMBED | LLM_CAN_RERANK | LLM_CAN_TRANSCRIBE };

/* -- which services there are ------------------------------------------------------ */

/* A token for agents only has no services. */
static bool may_use(const struct request *rq)
{
	return policy_may(rq->by.who, PERM_CHAT_COMPLETE) &&
		policy_may_ask(rq->by.who, STR(""), STR(""));
}

static bool is_usable(const struct llm_service *s)
{
	struct err e = ERR_INIT;

	return s->capabilities & CAN && llm_check_service(s, &e) == 0;
}

int oai_service_list(struct request *rq, struct jw *w, struct err *e)
{
	const struct llm_service *s;
	size_t at = 0;
	int rc = 0;

	while (may_use(rq) && (rc = offer_each(&rq->by, &at, &s, e)) > 0)
		if (is_usable(s))
			oai_model(w, str_of(s->id), 0);
	return rc;
}

int oai_service_one(struct request *rq, struct response *rs, struct str id,
		    struct err *e)
{
	const struct llm_service *s;
	size_t at = 0;
	struct jw w;
	int rc = 0;

	while (may_use(rq) && (rc = offer_each(&rq->by, &at, &s, e)) > 0)
		if (str_is(id, s->id) && is_usable(s)) {
			w = resp_json(rs, 200);
			oai_model(&w, id, 0);
			return 1;
		}
	return rc;
}

/* -- a request ---------------------------------------------------------------------- */

struct offer_call {
	struct request *rq;
	const struct llm_service *s;
	struct str model;		/* as in the request */
	struct str *texts;
	size_t n;
	struct buf ignored;		/* X-Ignored-Parameters */
	struct llm_call io;
	int64_t began_ms;
};

/* The service that `model` names; what: "embeddings", … */
static int find_service(struct offer_call *c, unsigned can, const char *what,
			struct err *e)
{
	struct request *rq = c->rq;
	struct err why = ERR_INIT;

	if (!policy_may_ask(rq->by.who, STR(""), STR("")))
		return err_public(e, ERR_FORBIDDEN, "This token can only talk with its "
				  "agents.");
	if (client_name(rq->body, "model", &c->model, e) < 0 ||
	    offer_find(&rq->by, c->model, &c->s, e) < 0)
		return -1;
	if (!c->s)
		return err_field(e, ERR_NOT_FOUND, "model", "There is no model \"%.*s\" "
				 "for %s; GET /models lists those that there are.",
				 (int)MIN(c->model.n, 100), c->model.p, what);
	if (llm_check_can(c->s, can, &why) < 0)
		return err_field(e, ERR_INVALID_FIELD, "model", "%s", err_message(&why));
	return rq->brief ? places_refuse(e) : 0;
}

static int begin(struct offer_call *c, struct request *rq, const struct response *rs,
		 const char *const *known, size_t n_known, struct err *e)
{
	const char *key;
	json_t *v;

	*c = (struct offer_call){
		.rq = rq, .ignored = BUF_INIT(4096),
		.io = { .http = rq->app->http, .stop = &rq->app->stopping,
			.peer_fd = rs->conn->fd },
		.began_ms = clock_mono_ms(),
	};
	if (!json_is_object(rq->body))
		return err_public(e, ERR_INVALID_JSON, "The body must be a JSON object.");
	json_object_foreach(rq->body, key, v) {
		size_t i = 0;

		while (i < n_known && strcmp(key, known[i]))
			i++;
		if (i == n_known && !oai_idle(v))
			oai_ignored(&c->ignored, "", str_of(key));
	}
	return 0;
}

static int wrong_texts(const char *key, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of at most %d texts, "
			 "none of which is empty.", key, LIM_OFFER_TEXTS);
}

/* {text} is a text, too: so some programs write passages. */
static struct str text_of(const json_t *v)
{
	if (json_is_object(v))
		return jx_str(v, "text");
	return json_is_string(v) ? (struct str){ json_string_value(v),
						 json_string_length(v) }
		: (struct str){ NULL, 0 };
}

/* lone: a text alone is a list of one. */
static int read_texts(struct offer_call *c, const char *key, bool lone, struct err *e)
{
	const json_t *v = json_object_get(c->rq->body, key), *one;
	size_t n = lone && json_is_string(v) ? 1 : json_array_size(v);

	if (!n || n > LIM_OFFER_TEXTS)
		return wrong_texts(key, e);
	c->texts = arena_zalloc(c->rq->arena, n, sizeof(*c->texts));
	for (; c->n < n; c->n++) {
		one = json_is_string(v) ? v : json_array_get(v, c->n);
		if (json_is_number(one) || json_is_array(one))
			return err_field(e, ERR_INVALID_FIELD, key, "Lists of tokens are "
					 "not supported, because each service has tokens "
					 "of its own. Send texts (LangChain: "
					 "check_embedding_ctx_length=False).");
		c->texts[c->n] = text_of(one);
		if (!c->texts[c->n].n)
			return wrong_texts(key, e);
	}
	return 0;
}

/* A whole number of 1 to most; absent and null: 0. */
static int read_number(const struct offer_call *c, const char *key, int most, int *out,
		       struct err *e)
{
	const json_t *v = json_object_get(c->rq->body, key);

	*out = json_is_integer(v) ? (int)MIN(json_integer_value(v), most + INT64_C(1)) : 0;
	if (!v || json_is_null(v) || (*out > 0 && *out <= most))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, key, "%s must be a whole number from 1 to %d.",
			 key, most);
}

/*
 * A failure of the service, as the program is told: what the service refuses is the
 * request's fault, with the service's own sentence.
 */
static int failed(const struct offer_call *c, const char *field, struct str reason,
		  size_t at, struct err *e)
{
	const enum err_code code = e->code;
	const char *what = at == SIZE_MAX || c->n <= 1 ? field
		: arena_printf(c->rq->arena, "%s[%zu]", field, at);
	const char *text = arena_strdup(c->rq->arena, err_message(e));

	if (code == ERR_CANCELLED && atomic_load(&c->rq->app->stopping)) {
		err_clear(e);
		e->retry_after_s = 2;
		return err_public(e, ERR_OVERLOADED, "The server is being restarted; try "
				  "again in a moment.");
	}
	switch (code) {
	case ERR_UPSTREAM_REQUEST: case ERR_UPSTREAM_CONTEXT: case ERR_UPSTREAM_FILTER:
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, field, "The service \"%.64s\" refused "
				 "%s.%s%.*s", c->s->id, what, reason.n ? " " : "",
				 (int)MIN(reason.n, 300), reason.n ? reason.p : "");
	case ERR_UPSTREAM: case ERR_UPSTREAM_PROTOCOL: case ERR_UPSTREAM_EARLY_END:
	case ERR_UPSTREAM_CONNECT: case ERR_UPSTREAM_TIMEOUT: case ERR_UPSTREAM_AUTH:
	case ERR_UPSTREAM_QUOTA: case ERR_UPSTREAM_RATE: case ERR_UPSTREAM_OVERLOAD:
	case ERR_UPSTREAM_MODEL:
		err_clear(e);
		return err_public(e, code, "The service \"%.64s\" failed%s%s. %s", c->s->id,
				  what == field ? "" : " at ", what == field ? "" : what,
				  text);
	default:
		return -1;
	}
}

/* Tokens as the service counted them, else an estimate. */
static int64_t tokens(const struct offer_call *c, const struct llm_usage *u)
{
	int64_t n = 0;

	if (u->input >= 0)
		return u->input;
	for (size_t i = 0; i < c->n; i++)
		n += llm_estimate_tokens(c->texts[i]);
	return n;
}

/* The beginning of an answer, which is left open. */
static struct jw answer(struct offer_call *c, struct response *rs,
			const struct llm_usage *u)
{
	struct jw w;

	if (c->ignored.n && buf_ok(&c->ignored))
		resp_header(rs, "X-Ignored-Parameters", c->ignored.p);
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kstr(&w, "model", c->model);
	jw_key(&w, "usage");
	jw_obj(&w);
	jw_kint(&w, "prompt_tokens", tokens(c, u));
	jw_kint(&w, "total_tokens", tokens(c, u));
	jw_end_obj(&w);
	return w;
}

/* -- vectors ------------------------------------------------------------------------ */

struct embeddings {
	struct offer_call call;
	bool base64;
	unsigned how;
	int dimensions;			/* asked for; 0: the service's */
	struct llm_vectors got;
};

static int read_format(struct embeddings *v, struct err *e)
{
	const json_t *body = v->call.rq->body, *f = json_object_get(body, "encoding_format");
	struct str name = jx_str(body, "encoding_format"), type = jx_str(body, "input_type");

	v->base64 = str_is(name, "base64");
	/* As services that make a difference call them. */
	v->how = LLM_WHOLE | (str_is(type, "query") || str_is(type, "search_query")
			      ? LLM_QUESTIONS : LLM_PASSAGES);
	return !f || json_is_null(f) || v->base64 || str_is(name, "float") ? 0
		: err_field(e, ERR_INVALID_FIELD, "encoding_format",
			    "encoding_format must be float or base64.");
}

static int read_embeddings(struct embeddings *v, struct err *e)
{
	struct offer_call *c = &v->call;

	return find_service(c, LLM_CAN_EMBED, "embeddings", e) < 0 ||
		read_texts(c, "input", true, e) < 0 || read_format(v, e) < 0 ||
		read_number(c, "dimensions", LIM_DIMENSION, &v->dimensions, e) < 0 ? -1 : 0;
}

/* The service, asked for so many dimensions. */
static struct llm_service with_dimensions(const struct embeddings *v)
{
	struct llm_service s = *v->call.s;

	if (v->dimensions) {
		s.quirks = jx_keep(v->call.rq->arena, s.quirks ? json_deep_copy(s.quirks)
				   : json_object());
		json_object_set_new(s.quirks, "embed_dimensions",
				    json_integer(v->dimensions));
	}
	return s;
}

static int check_vectors(const struct embeddings *v, struct err *e)
{
	const int most = LIM_OFFER_NUMBERS / v->got.dimension;

	if (v->dimensions && v->dimensions != v->got.dimension)
		return err_field(e, ERR_INVALID_FIELD, "dimensions", "The vectors of the "
				 "service \"%.64s\" have %d dimensions.", v->call.s->id,
				 v->got.dimension);
	if (v->call.n > (size_t)most)
		return err_field(e, ERR_TOO_BIG, "input", "An answer has room for %d "
				 "vectors of %d dimensions.", most, v->got.dimension);
	return 0;
}

static int make_vectors(struct embeddings *v, struct err *e)
{
	struct offer_call *c = &v->call;
	const struct llm_service s = with_dimensions(v);
	int rc = llm_embed(&c->io, &s, c->texts, c->n, v->how, c->rq->arena, &v->got, e);

	embed_record(c->rq->app->db, &c->rq->by.owner, USAGE_EMBED, c->s, &v->got.usage,
		     c->began_ms, rc == 0);
	return rc ? failed(c, "input", v->got.reason, v->got.at, e) : check_vectors(v, e);
}

/* As OpenAI's: the numbers as 32-bit floats, the lowest byte first. */
static void write_base64(struct jw *w, const float *v, int n, struct arena *a)
{
	const size_t bytes = (size_t)n * sizeof(*v);
	const size_t room = sodium_base64_ENCODED_LEN(bytes, sodium_base64_VARIANT_ORIGINAL);
	struct arena_mark mark = arena_mark(a);
	uint32_t *raw = arena_alloc(a, bytes);
	char *text = arena_alloc(a, room);

	memcpy(raw, v, bytes);
	for (int i = 0; i < n; i++)
		raw[i] = htole32(raw[i]);
	sodium_bin2base64(text, room, (const unsigned char *)raw, bytes,
			  sodium_base64_VARIANT_ORIGINAL);
	jw_str(w, (struct str){ text, room - 1 });
	arena_rewind(a, mark);
}

static void write_numbers(struct jw *w, const float *v, int n)
{
	char text[32];	/* nine digits are all that a float has */

	jw_arr(w);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%.9g", (double)v[i]);
		jw_raw(w, str_of(text));
	}
	jw_end_arr(w);
}

static void write_vectors(const struct embeddings *v, struct jw *w)
{
	jw_kstrz(w, "object", "list");
	jw_key(w, "data");
	jw_arr(w);
	for (size_t i = 0; i < v->call.n; i++) {
		const float *one = v->got.v + i * (size_t)v->got.dimension;

		jw_obj(w);
		jw_kstrz(w, "object", "embedding");
		jw_kint(w, "index", (int64_t)i);
		jw_key(w, "embedding");
		if (v->base64)
			write_base64(w, one, v->got.dimension, v->call.rq->arena);
		else
			write_numbers(w, one, v->got.dimension);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

/*
 * POST {base}/openai/v1/embeddings {model, input, encoding_format?, dimensions?,
 * input_type?}: 200 {object: "list", model, data: [{object: "embedding", index,
 * embedding}], usage}, in the order of input. 400 for what the service refuses, 404
 * model_not_found, 502, 503, 504 if it fails. Usage is recorded; texts are not.
 */
int api_openai_embeddings(struct request *rq, struct response *rs, struct err *e)
{
	static const char *const known[] = {
		"model", "input", "encoding_format", "dimensions", "input_type",
	};
	struct embeddings v = { .base64 = false };
	int rc = begin(&v.call, rq, rs, known, ARRAY_LEN(known), e);
	struct jw w;

	if (rc == 0)
		rc = read_embeddings(&v, e);
	if (rc == 0)
		rc = make_vectors(&v, e);
	if (rc == 0) {
		w = answer(&v.call, rs, &v.got.usage);
		write_vectors(&v, &w);
	}
	buf_release(&v.call.ignored);
	return rc;
}

/* -- ranking ------------------------------------------------------------------------ */

struct offer_score {
	size_t index;
	double score;
};

struct offer_ranking {
	struct offer_call call;
	struct str query;
	int top;			/* 0: all */
	bool with_documents;
	double *scores;
	struct llm_ranks got;
};

static int read_ranking(struct offer_ranking *r, struct err *e)
{
	struct offer_call *c = &r->call;

	if (find_service(c, LLM_CAN_RERANK, "ranking", e) < 0)
		return -1;
	r->query = jx_str(c->rq->body, "query");
	if (!r->query.n)
		return err_field(e, ERR_INVALID_FIELD, "query",
				 "query must be a text that is not empty.");
	r->with_documents = json_is_true(json_object_get(c->rq->body, "return_documents"));
	return read_texts(c, "documents", false, e) < 0 ||
		read_number(c, "top_n", LIM_OFFER_TEXTS, &r->top, e) < 0 ? -1 : 0;
}

static int make_ranking(struct offer_ranking *r, struct err *e)
{
	struct offer_call *c = &r->call;
	int rc;

	r->scores = arena_zalloc(c->rq->arena, c->n, sizeof(*r->scores));
	rc = llm_rerank(&c->io, c->s, r->query, c->texts, c->n, LLM_WHOLE, r->scores,
			c->rq->arena, &r->got, e);
	embed_record(c->rq->app->db, &c->rq->by.owner, USAGE_RERANK, c->s, &r->got.usage,
		     c->began_ms, rc == 0);
	return rc ? failed(c, "documents", r->got.reason, r->got.at, e) : 0;
}

/* The best first; equal ones in the order of the request. */
static int compare(const void *a, const void *b)
{
	const struct offer_score *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static void write_ranking(const struct offer_ranking *r, const char *id, struct jw *w)
{
	const struct offer_call *c = &r->call;
	struct offer_score *v = arena_zalloc(c->rq->arena, c->n, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!isinf(r->scores[i]))	/* the service may leave some out */
			v[n++] = (struct offer_score){ i, r->scores[i] };
	qsort(v, n, sizeof(*v), compare);
	if (r->top)
		n = MIN(n, (size_t)r->top);
	jw_kstrz(w, "id", arena_printf(c->rq->arena, "rerank-%s", id));
	jw_key(w, "results");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_kint(w, "index", (int64_t)v[i].index);
		jw_kreal(w, "relevance_score", v[i].score);
		if (r->with_documents) {
			jw_key(w, "document");
			jw_obj(w);
			jw_kstr(w, "text", c->texts[v[i].index]);
			jw_end_obj(w);
		}
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

/*
 * POST {base}/openai/v1/rerank {model, query, documents, top_n?, return_documents?}: 200
 * {id, model, results: [{index, relevance_score, document?: {text}}], usage}, the best
 * first: the form of Cohere, Jina and vLLM. Errors as for embeddings.
 */
int api_openai_rerank(struct request *rq, struct response *rs, struct err *e)
{
	static const char *const known[] = {
		"model", "query", "documents", "top_n", "return_documents",
	};
	struct offer_ranking r = { .top = 0 };
	int rc = begin(&r.call, rq, rs, known, ARRAY_LEN(known), e);
	struct jw w;

	if (rc == 0)
		rc = read_ranking(&r, e);
	if (rc == 0)
		rc = make_ranking(&r, e);
	if (rc == 0) {
		w = answer(&r.call, rs, &r.got.usage);
		write_ranking(&r, rs->request_id, &w);
	}
	buf_release(&r.call.ignored);
	return rc;
}

/* -- transcriptions ---------------------------------------------------------------- */

struct transcription {
	struct offer_call call;
	struct llm_sound form;		/* as it is sent */
	json_t *fields;			/* those that are read here; in rq's arena */
	struct str format;		/* response_format, or NULL */
	bool has_file;
	struct llm_transcript got;
};

/* Fields that go to the service as they are. */
static const char *const sound_fields[] = {
	"language", "prompt", "temperature", "timestamp_granularities[]", "include[]",
	"chunking_strategy", "known_speaker_names[]", "known_speaker_references[]",
	"response_format",
};

static const struct {
	const char *name;
	bool json;
} sound_formats[] = {
	{ "json", true }, { "verbose_json", true }, { "diarized_json", true },
	{ "text", false }, { "srt", false }, { "vtt", false },
};

/* NULL: unknown. */
static const bool *format_is_json(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(sound_formats); i++)
		if (str_is(name, sound_formats[i].name))
			return &sound_formats[i].json;
	return NULL;
}

static int read_value(struct multipart *m, struct str name, struct str *out,
		      struct err *e)
{
	struct buf b = BUF_INIT(LIM_FORM_VALUE_BYTES);
	struct str s;
	int rc;

	do {
		rc = multipart_read(m, &s, e);
		buf_addstr(&b, rc ? STR("") : s);
	} while (!rc && m->in_part);
	*out = arena_str(m->rq->arena, buf_str(&b));
	if (!rc && !buf_ok(&b))
		rc = err_field(e, ERR_TOO_BIG, name.n ? name.p : "form",
			       "A field may have at most %d bytes.", LIM_FORM_VALUE_BYTES);
	buf_release(&b);
	return rc;
}

static int take_field(struct transcription *t, struct multipart *m, struct str name,
		      struct err *e)
{
	struct str value;
	size_t i = 0;

	if (read_value(m, name, &value, e) < 0)
		return -1;
	if (!utf8_valid(name) || !utf8_valid(value))
		return err_set(e, ERR_INVALID_UTF8, "a field of a form");
	if (str_is(name, "model") || str_is(name, "stream") ||
	    str_is(name, "response_format"))
		json_object_set_new(t->fields, name.p, jx_string(value));
	while (i < ARRAY_LEN(sound_fields) && !str_is(name, sound_fields[i]))
		i++;
	if (i < ARRAY_LEN(sound_fields))
		llm_sound_field(&t->form, sound_fields[i], value);
	else if (value.n && !str_is(name, "model") && !str_is(name, "stream"))
		oai_ignored(&t->call.ignored, "", name);
	return 0;
}

static int take_sound(struct transcription *t, struct multipart *m, struct str filename,
		      struct err *e)
{
	struct str s;
	size_t n = 0;

	if (t->has_file)
		return err_field(e, ERR_INVALID_FIELD, "file", "Send one file.");
	llm_sound_file(&t->form, file_name(filename, m->rq->arena));
	do {
		if (multipart_read(m, &s, e) < 0)
			return -1;
		buf_addstr(&t->form.form, s);
		n += s.n;
	} while (m->in_part && buf_ok(&t->form.form));
	t->has_file = n > 0;
	return buf_ok(&t->form.form) ? 0
		: err_field(e, ERR_TOO_BIG, "file", "The body may have at most %d bytes.",
			    LIM_SOUND_BODY_BYTES);
}

static int read_sound(struct transcription *t, struct err *e)
{
	struct request *rq = t->call.rq;
	struct multipart_part part;
	struct multipart m;
	int rc;

	if (!multipart_is(rq))
		return err_public(e, ERR_MEDIA_TYPE, "Send a form of the type "
				  "multipart/form-data, with the sound in the field file.");
	if (req_body_hold(rq, LIM_SOUND_BODY_BYTES, e) < 0 ||
	    multipart_begin(&m, rq, e) < 0)
		return -1;
	while ((rc = multipart_next(&m, &part, e)) > 0)
		if ((part.filename.p ? take_sound(t, &m, part.filename, e)
		     : take_field(t, &m, part.name, e)) < 0)
			return -1;
	return rc;
}

static int check_sound(struct transcription *t, struct err *e)
{
	struct str stream = jx_str(t->fields, "stream");

	t->format = jx_str(t->fields, "response_format");
	if (find_service(&t->call, LLM_CAN_TRANSCRIBE, "transcriptions", e) < 0)
		return -1;
	if (!t->has_file)
		return err_field(e, ERR_INVALID_FIELD, "file", "The form needs the sound in "
				 "the field file, with a file name.");
	if (t->format.n && !format_is_json(t->format))
		return err_field(e, ERR_INVALID_FIELD, "response_format", "response_format "
				 "must be json, text, srt, verbose_json, vtt or "
				 "diarized_json.");
	return !stream.n || str_is(stream, "false") ? 0
		: err_field(e, ERR_INVALID_FIELD, "stream",
			    "Transcriptions are not streamed here.");
}

static int make_transcript(struct transcription *t, struct err *e)
{
	struct offer_call *c = &t->call;
	int rc = llm_transcribe(&c->io, c->s, &t->form, c->rq->arena, &t->got, e);

	embed_record(c->rq->app->db, &c->rq->by.owner, USAGE_TRANSCRIBE, c->s, &t->got.usage,
		     c->began_ms, rc == 0);
	return rc ? failed(c, "file", t->got.reason, SIZE_MAX, e) : 0;
}

static int not_format(const struct transcription *t, const char *name, struct err *e)
{
	return err_public(e, ERR_UPSTREAM_PROTOCOL, "The service \"%.64s\" did not answer "
			  "in the format %s.", t->call.s->id, name);
}

/* The answer as the service gave it, if it is what was asked for. */
static int write_transcript(struct transcription *t, struct response *rs, struct err *e)
{
	struct offer_call *c = &t->call;
	const bool json = !t->format.n || *format_is_json(t->format);
	const char *name = t->format.n ? t->format.p : "json";
	struct err no_json = ERR_INIT;
	json_auto_t *whole = jx_load_lenient(t->got.body, &no_json);
	struct str text = t->got.body;

	/* Some servers give JSON whatever is asked for. */
	if (!json && json_is_object(whole)) {
		text = jx_str(whole, "text");
		if (!str_is(t->format, "text") || !text.p)
			return not_format(t, name, e);
	}
	if (json ? !jx_str(whole, "text").p : !utf8_valid(text))
		return not_format(t, name, e);
	if (c->ignored.n && buf_ok(&c->ignored))
		resp_header(rs, "X-Ignored-Parameters", c->ignored.p);
	buf_addstr(resp_text(rs, 200, json ? "application/json"
			     : "text/plain; charset=utf-8"), text);
	return 0;
}

/*
 * POST {base}/openai/v1/audio/transcriptions, a form {file, model, language?, prompt?,
 * response_format?, temperature?, timestamp_granularities[]?, …}: 200 with the text as
 * the service gives it, JSON or (text, srt, vtt) plain. 400 for what the service
 * refuses, 404 model_not_found, 502, 503, 504 if it fails. Nothing is stored but usage.
 */
int api_openai_transcriptions(struct request *rq, struct response *rs, struct err *e)
{
	struct transcription t = { .has_file = false };
	int rc;

	llm_sound_begin(&t.form, LIM_SOUND_BODY_BYTES);
	t.fields = jx_keep(rq->arena, json_object());
	rq->body = t.fields;
	rc = begin(&t.call, rq, rs, NULL, 0, e);
	if (rc == 0)
		rc = read_sound(&t, e);
	if (rc == 0)
		rc = check_sound(&t, e);
	if (rc == 0)
		rc = make_transcript(&t, e);
	if (rc == 0)
		rc = write_transcript(&t, rs, e);
	llm_sound_release(&t.form);
	buf_release(&t.call.ignored);
	return rc;
}
