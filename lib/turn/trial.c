/* SPDX-License-Identifier: MIT */
#include "turn/trial.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "event/live.h"
#include "llm/probe.h"
#include "llm/retrieval.h"
#include "net/http.h"
#include "prompt/ask.h"

#include "base/banned.h"

enum {
	TRIAL_MS = 30000, TRIAL_TOKENS = 64, TRIAL_BYTES = 65536,
	REASON_CHARS = 200,	/* shown of what a service says */
};

struct trial_try {
	const struct turn_deps *deps;
	const struct llm_service *s;
	struct arena *a;
	struct llm_probe p;
	struct http_abort *abort;
	int64_t until_ms;	/* monotonic: for all that is tried */
	struct llm_trial *out;
	/* Of the one that was tried last: */
	const char *does;	/* what was found that it does, if more than its row says */
	struct str reason;	/* the service's own sentence; or NULL */
};

static const char *const by_trouble[] = {
	[HTTP_CONNECTED] = NULL,
	[HTTP_NO_HOST] = "The host name of the address is not known. Check "
			 "url: for typing errors.",
	[HTTP_NO_ANSWER] = "Nothing accepts connections at the address. Check "
			   "the host and port in url:, and whether a firewall "
			   "is in between.",
	[HTTP_NO_TLS] = "No encrypted connection (TLS) can be made to the "
			"address: the server does not speak TLS there, or its "
			"certificate is not trusted on this machine.",
};

static const struct {
	enum err_code code;
	const char *text;
} by_code[] = {
	{ ERR_LLM_NO_CREDENTIAL, "The service has no key. Set api_key:." },
	{ ERR_UPSTREAM_AUTH, "The provider rejects the key. Check that it is "
			     "complete, valid, and allowed to use this model." },
	{ ERR_UPSTREAM_QUOTA, "The key works, but the account at the provider "
			      "has no credit left." },
	{ ERR_UPSTREAM_RATE, "The rate limit of the provider for this key is "
			     "reached. Try again later." },
	{ ERR_UPSTREAM_OVERLOAD, "The provider is overloaded. Try again "
				 "later." },
	{ ERR_UPSTREAM_TIMEOUT, "The service did not answer in time." },
	{ ERR_UPSTREAM_CONNECT, "The address cannot be reached. Check url:." },
	{ ERR_UPSTREAM_PROTOCOL, "What answers at the address is not this "
				 "kind of service. Check provider: and url:." },
	{ ERR_UPSTREAM_EARLY_END, "The connection was closed in the middle of "
				  "the answer." },
	{ ERR_UPSTREAM_REQUEST, "The provider rejects the request. Check "
				"provider:, model:, quirks: and extra_body:." },
	{ ERR_ADDRESS_REFUSED, "The address is private, or begins with "
			       "http://. Services made over the API may have "
			       "such an address only if the administrator "
			       "lists it (api_services.allow_private, "
			       "byok.allow_private)." },
	{ ERR_CONFIG, "The service is not completely configured. Check "
		      "provider: and url:." },
};

static const char *wrong_model(const struct trial_try *k)
{
	const struct llm_service *s = k->s;
	const struct llm_probe *p = &k->p;
	const char *near = str_nearest(str_of(s->model), p->models.rows,
				       p->models.n, sizeof(*p->models.rows),
				       2 + (int)str_of(s->model).n / 3);

	if (p->has_model)
		return "The provider has the model, but not for this. Check "
			"capabilities:.";
	return arena_printf(k->a, "The provider has no model \"%.*s\"%s%s%s",
			    (int)MIN(str_of(s->model).n, 80), s->model,
			    near ? "; did you mean \"" : "", near ? near : "",
			    near ? "\"?" : ". Check model:.");
}

/* The explanation of a failure; e: the error of the call that found it. */
static const char *sentence(const struct trial_try *k, const struct err *e)
{
	if (k->p.trouble != HTTP_CONNECTED)
		return by_trouble[k->p.trouble];
	if (e->code == ERR_UPSTREAM_MODEL)
		return wrong_model(k);
	for (size_t i = 0; i < ARRAY_LEN(by_code); i++)
		if (by_code[i].code == e->code)
			return by_code[i].text;
	return arena_strdup(k->a, err_message(e));
}

/* -- what can be tried ---------------------------------------------------------- */

/* Milliseconds that are left for the next one. */
static int left_ms(const struct trial_try *k, int *out, struct err *e)
{
	*out = (int)(k->until_ms - clock_mono_ms());
	return *out > 0 ? 0 : err_set(e, ERR_UPSTREAM_TIMEOUT, "no time for the rest");
}

static void note(struct trial_try *k, const struct usage *u)
{
	if (k->out->n_spent < TRIAL_KINDS)
		k->out->spent[k->out->n_spent++] = *u;
}

static int ask(struct trial_try *k, struct str input, const struct llm_image *image,
	       struct prompt_reply *out, struct err *e)
{
	struct prompt_ask q = {
		.http = k->deps->http, .service = k->s, .kind = USAGE_TRIAL,
		.layer = "trial", .input = input, .images = image,
		.n_images = image ? 1 : 0, .max_output_tokens = TRIAL_TOKENS,
		.max_bytes = TRIAL_BYTES, .aside = true, .stream = true,
		.abort = k->abort,
	};
	int rc;

	if (left_ms(k, &q.deadline_ms, e) < 0)
		return -1;
	rc = prompt_ask(&q, k->a, out, e);
	if (out->usage.iterations)
		note(k, &out->usage);
	return rc;
}

static int try_chat(struct trial_try *k, struct err *e)
{
	struct prompt_reply r;

	if (ask(k, STR("Answer with the word OK."), NULL, &r, e) < 0)
		return -1;
	k->out->model = r.usage.model.p;
	k->out->ttft_ms = r.usage.ttft_ms;
	return 0;
}

/* 64 x 64 pixels, all of them red. */
static const unsigned char red_png[] = {
	0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R',
	0, 0, 0, 64, 0, 0, 0, 64, 8, 2, 0, 0, 0, 0x25, 0x0b, 0xe6,
	0x89, 0, 0, 0, 0x4b, 'I', 'D', 'A', 'T', 0x78, 0xda, 0xed, 0xcf, 0x41, 0x09, 0,
	0, 0x08, 0, 0xb1, 0xeb, 0x5f, 0x5a, 0x23, 0xf8, 0x16, 0x06, 0x2b, 0xb0, 0xa6, 0x5e,
	0x4b, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40,
	0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40,
	0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40,
	0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0xe0, 0xb2, 0xa9, 0xdc, 0xf0, 0xe2,
	0x60, 0xe8, 0xb9, 0xf7, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82,
};

/* The word, not the end of "covered". */
static bool says_red(struct str s)
{
	for (size_t i = 0; i + 3 <= s.n; i++)
		if (!strncasecmp(s.p + i, "red", 3) &&
		    (!i || !isalpha((unsigned char)s.p[i - 1])) &&
		    (i + 3 == s.n || !isalpha((unsigned char)s.p[i + 3])))
			return true;
	return false;
}

/*
 * Servers leave images out for a model that sees none, so the answer counts. One without
 * a text was cut within its reasoning.
 */
static int try_vision(struct trial_try *k, struct err *e)
{
	const struct str bytes = { (const char *)red_png, sizeof(red_png) };
	struct llm_image image;
	struct prompt_reply r;
	struct str text;

	if (llm_image_read(bytes, k->a, &image, e) < 0 ||
	    ask(k, STR("Which colour is this image? Answer with one English word."),
		&image, &r, e) < 0)
		return -1;
	text = utf8_head(str_trim(r.text), REASON_CHARS);
	return !text.n || says_red(text) ? 0
		: err_public(e, ERR_LLM_UNSUPPORTED, "Asked for the colour of a red image, "
			     "the model answered \"%.*s\": it does not see images.",
			     STR_ARG(text));
}

static struct llm_call call_of(const struct trial_try *k)
{
	return (struct llm_call){ .http = k->deps->http, .abort = k->abort };
}

/* The service for one try, in the time that is left. */
static int tried_service(const struct trial_try *k, struct llm_service *out, struct err *e)
{
	const struct llm_service once = llm_service_aside(k->s);
	int ms;

	if (left_ms(k, &ms, e) < 0)
		return -1;
	*out = llm_service_within(&once, ms);
	return 0;
}

static int note_call(struct trial_try *k, const struct llm_usage *u, struct str reason,
		     int64_t began_ms, int rc)
{
	struct usage r = usage_init(USAGE_TRIAL);

	llm_usage_record(&r, k->s, u);
	r.iterations = 1;
	r.duration_ms = clock_mono_ms() - began_ms;
	r.finish_reason = str_of(rc ? "error" : "stop");
	note(k, &r);
	k->reason = utf8_head(reason, REASON_CHARS);
	return rc ? -1 : 0;
}

static int try_embed(struct trial_try *k, struct err *e)
{
	const struct str text = STR("Lamplighter");
	const struct llm_call io = call_of(k);
	int64_t began_ms = clock_mono_ms();
	struct llm_service s;
	struct llm_vectors v;
	int rc;

	if (tried_service(k, &s, e) < 0)
		return -1;
	rc = llm_embed(&io, &s, &text, 1, LLM_PASSAGES | LLM_WHOLE, k->a, &v, e);
	if (!rc)
		k->does = arena_printf(k->a, "makes vectors of %d dimensions",
				       v.dimension);
	return note_call(k, &v.usage, v.reason, began_ms, rc);
}

static int try_rerank(struct trial_try *k, struct err *e)
{
	const struct str texts[] = { STR("Trains run on rails."), STR("Cats eat fish.") };
	const struct llm_call io = call_of(k);
	int64_t began_ms = clock_mono_ms();
	double scores[ARRAY_LEN(texts)];
	struct llm_service s;
	struct llm_ranks r;
	int rc;

	if (tried_service(k, &s, e) < 0)
		return -1;
	rc = llm_rerank(&io, &s, STR("What do cats eat?"), texts, ARRAY_LEN(texts),
			LLM_WHOLE, scores, k->a, &r, e);
	return note_call(k, &r.usage, r.reason, began_ms, rc);
}

/* A second of silence: mono, 16,000 samples of 16 bits. */
static void add_silence(struct buf *b)
{
	static const unsigned char head[] = {
		'R', 'I', 'F', 'F', 0x24, 0x7d, 0, 0, 'W', 'A', 'V', 'E',
		'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0, 1, 0,
		0x80, 0x3e, 0, 0, 0, 0x7d, 0, 0, 2, 0, 16, 0,
		'd', 'a', 't', 'a', 0, 0x7d, 0, 0,
	};
	static const char silence[32000];

	buf_add(b, (const char *)head, sizeof(head));
	buf_add(b, silence, sizeof(silence));
}

static int try_transcribe(struct trial_try *k, struct err *e)
{
	const struct llm_call io = call_of(k);
	int64_t began_ms = clock_mono_ms();
	struct llm_transcript t;
	struct llm_service s;
	struct llm_sound f;
	int rc;

	if (tried_service(k, &s, e) < 0)
		return -1;
	llm_sound_begin(&f, TRIAL_BYTES);
	llm_sound_field(&f, "response_format", STR("json"));
	llm_sound_file(&f, STR("silence.wav"));
	add_silence(&f.form);
	rc = llm_transcribe(&io, &s, &f, k->a, &t, e);
	llm_sound_release(&f);
	return note_call(k, &t.usage, t.reason, began_ms, rc);
}

static const struct trial_row {
	unsigned can;		/* any of these */
	const char *name;	/* before what is wrong with it, where there are several */
	const char *does;
	int (*run)(struct trial_try *k, struct err *e);
} rows[] = {
	{ LLM_CAN_CHAT | LLM_CAN_TOOLS | LLM_CAN_SUMMARIZE, "Chat", "answers", try_chat },
	{ LLM_CAN_VISION, "Images", "sees images", try_vision },
	{ LLM_CAN_EMBED, "Vectors", "makes vectors", try_embed },
	{ LLM_CAN_RERANK, "Ranking", "ranks texts", try_rerank },
	{ LLM_CAN_TRANSCRIBE, "Transcription", "transcribes sound", try_transcribe },
};
_Static_assert(ARRAY_LEN(rows) == TRIAL_KINDS, "a record for each");

/* -- trying them ------------------------------------------------------------------ */

/* The free request first. A server without a list of models may still answer. */
static int reach(struct trial_try *k, struct err *e)
{
	if (llm_check_service(k->s, e) < 0)
		return -1;
	if (llm_probe(k->deps->http, k->s, k->a, &k->p, e) < 0) {
		if (k->p.trouble != HTTP_CONNECTED)
			return -1;
		err_clear(e);
	}
	return 0;
}

/* Whether what is wrong may be wrong with this capability only. */
static bool is_of_one(enum err_code code)
{
	return code == ERR_UPSTREAM || code == ERR_UPSTREAM_REQUEST ||
		code == ERR_UPSTREAM_MODEL || code == ERR_UPSTREAM_PROTOCOL ||
		code == ERR_UPSTREAM_CONTEXT || code == ERR_UPSTREAM_FILTER ||
		code == ERR_UPSTREAM_EARLY_END || code == ERR_LLM_UNSUPPORTED;
}

/* name: NULL where nothing else was tried. */
static void add_failure(struct trial_try *k, const char *name, const struct err *e,
			struct buf *out)
{
	if (!k->out->code)
		k->out->code = e->code;
	buf_addf(out, "%s%s%s%s", out->n ? " " : "", name ? name : "", name ? ": " : "",
		 sentence(k, e));
	if (k->reason.n && is_of_one(e->code))
		buf_addf(out, " It says: \"%.*s\"", STR_ARG(k->reason));
	log_err("an LLM service was tried", e);
}

static void run_all(struct trial_try *k, struct buf *wrong, struct buf *works)
{
	const char *comma = "";
	struct err e = ERR_INIT;
	bool on = reach(k, &e) == 0;
	size_t n = 0;

	if (!on)
		add_failure(k, NULL, &e, wrong);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		n += k->s->capabilities & rows[i].can ? 1 : 0;
	for (size_t i = 0; on && i < ARRAY_LEN(rows); i++) {
		if (!(k->s->capabilities & rows[i].can))
			continue;
		err_clear(&e);
		k->does = rows[i].does;
		k->reason = (struct str){ NULL, 0 };
		if (rows[i].run(k, &e) == 0) {
			buf_addf(works, "%s%s", comma, k->does);
			comma = ", ";
			continue;
		}
		add_failure(k, n > 1 ? rows[i].name : NULL, &e, wrong);
		/*
		 * A wrong key or a dead address is the same for the rest: one sentence
		 * about it is enough.
		 */
		on = is_of_one(e.code);
	}
}

void trial_run(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct llm_trial *out)
{
	struct trial_try k = {
		.deps = deps, .s = s, .a = a, .out = out,
		.p = { .trouble = HTTP_CONNECTED },
		.until_ms = clock_mono_ms() + TRIAL_MS,
	};
	struct buf wrong = BUF_INIT(TRIAL_BYTES), works = BUF_INIT(TRIAL_BYTES);
	struct event_live_entry entry = { .added = false };
	const struct uuid id = uuid_new();
	struct err e = ERR_INIT;

	*out = (struct llm_trial){ .ttft_ms = -1 };
	k.abort = http_abort_new(&e);
	if (k.abort) {
		event_live_add(deps->live, &entry, &id, k.abort, EVENT_LIVE_ENDED);
		run_all(&k, &wrong, &works);
		event_live_remove(deps->live, &entry);
		http_abort_free(k.abort);
	} else {
		add_failure(&k, NULL, &e, &wrong);
	}
	if (wrong.n)
		out->text = arena_printf(a, "%s%s%s%s", wrong.p, works.n
			? " The rest works: it " : "", works.n ? works.p : "",
			works.n ? "." : "");
	else if (!strcmp(works.p, rows[0].does))
		out->text = "The service works.";
	else
		out->text = arena_printf(a, "The service works: it %s.", works.p);
	buf_release(&wrong);
	buf_release(&works);
}

void trial_record(struct db *db, const struct owner *o, const char *workspace,
		  struct llm_trial *t)
{
	for (size_t i = 0; i < t->n_spent; i++) {
		struct err e = ERR_INIT;

		t->spent[i].workspace_id = str_of(workspace);
		if (usage_insert(db, o, &t->spent[i], &e) < 0)
			log_err("usage not recorded", &e);
	}
}
