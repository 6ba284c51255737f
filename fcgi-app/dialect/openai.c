/* SPDX-License-Identifier: MIT */
/*
 * OpenAI's chat.completion.chunk stream (P-F5): the role in the
 * first chunk, text, a finish_reason in the last, the usage in one of its own
 * where the client asked, [DONE].
 *
 * The agent's tools run on the server, so their calls are not sent: a client would try
 * to run them. Those of the client's own are, when the turn waits for it. Narration
 * cannot be removed; an empty line separates it from what follows.
 * Reasoning is sent as `reasoning_content`, which clients know from other servers
 * and otherwise ignore. Sources that the answer cites, and that have an address, are
 * sent as `annotations`, as those of OpenAI's models that search the web.
 */
#include "dialect/openai.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "dialect/wire.h"
#include "context/quote.h"

#include "base/banned.h"

/* What a stream needs for its annotations. */
struct openai_state {
	struct source *v;	/* those with an address: number, address, title */
	size_t n, room;
	size_t chars;		/* of content, sent so far */
	size_t answer;		/* characters before the text that is not narration */
};

/* The model that the client asked for, else "workspace/agent". */
static void openai_model(struct jw *w, struct str asked, const struct turn_run *run)
{
	if (asked.n) {
		jw_str(w, asked);
		return;
	}
	jw_raw(w, STR("\""));		/* slugs need no escapes */
	buf_adds(w->b, run->in.target.workspace->id);
	buf_addc(w->b, '/');
	buf_adds(w->b, run->in.target.agent->id);
	buf_addc(w->b, '"');
}

static void head(struct jw *w, const char *object, const struct uuid *turn,
		 int64_t created_us)
{
	char id[9 + UUID_TEXT_BYTES] = "chatcmpl-";

	uuid_format(turn, id + 9);
	jw_kstrz(w, "id", id);
	jw_kstrz(w, "object", object);
	jw_kint(w, "created", created_us / 1000000);
	jw_key(w, "model");
}

void dialect_openai_head(struct jw *w, const char *object, struct str asked,
			 const struct turn_run *run)
{
	head(w, object, &run->id, run->user.created_us);
	openai_model(w, asked, run);
}

char *dialect_openai_call_id(char out[OPENAI_CALL_BYTES], const struct turn_wait *w)
{
	char hex[UUID_HEX_BYTES];

	snprintf(out, OPENAI_CALL_BYTES, "call_%s%d", uuid_hex(&w->turn_id, hex),
		 (int)MIN(w->position, 999));
	return out;
}

bool dialect_openai_call_parse(struct str id, struct uuid *turn, int64_t *position)
{
	static const size_t from[] = { 0, 8, 12, 16, 20, 32 };
	char text[UUID_TEXT_BYTES];
	size_t n = 0;

	if (id.n < 5 + 32 + 1 || id.n > 5 + 32 + 3 || memcmp(id.p, "call_", 5))
		return false;
	for (size_t i = 0; i + 1 < ARRAY_LEN(from); i++) {
		memcpy(text + n, id.p + 5 + from[i], from[i + 1] - from[i]);
		n += from[i + 1] - from[i];
		text[n++] = '-';
	}
	*position = 0;
	for (size_t i = 5 + 32; i < id.n; i++) {
		if (id.p[i] < '0' || id.p[i] > '9')
			return false;
		*position = 10 * *position + (id.p[i] - '0');
	}
	return uuid_parse((struct str){ text, UUID_TEXT_BYTES - 1 }, turn);
}

bool dialect_openai_calls(const struct turn_wait *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == WAIT_CLIENT)
			return true;
	return false;
}

void dialect_openai_call(struct jw *w, const struct turn_wait *wait, size_t i,
			 bool indexed)
{
	char id[OPENAI_CALL_BYTES];

	jw_obj(w);
	if (indexed)
		jw_kint(w, "index", (int64_t)i);
	jw_kstrz(w, "id", dialect_openai_call_id(id, wait));
	jw_kstrz(w, "type", "function");
	jw_key(w, "function");
	jw_obj(w);
	jw_kstr(w, "name", wait->tool);
	jw_kstr(w, "arguments", wait->args);
	jw_end_obj(w);
	jw_end_obj(w);
}

struct str dialect_openai_waiting(struct arena *a, const struct turn_wait *v, size_t n,
				  struct str page, const struct uuid *conversation)
{
	struct turn_wait *others = arena_zalloc(a, n + 1, sizeof(*others));
	size_t n_others = 0;
	char id[UUID_TEXT_BYTES];
	struct str text;

	for (size_t i = 0; i < n; i++)
		if (v[i].kind != WAIT_CLIENT)
			others[n_others++] = v[i];
	if (!n_others)
		return (struct str){ NULL, 0 };
	text = turn_waiting_text(a, others, n_others);
	return !page.n ? text : str_of(arena_printf(a, "%.*s\n\nAnswer on the page: "
		"%.*s#/c/%s", STR_ARG(text), STR_ARG(page),
		uuid_format(conversation, id)));
}

const char *dialect_openai_finish_reason(struct str ours)
{
	if (str_is(ours, "length"))
		return "length";
	if (str_is(ours, "refusal") || str_is(ours, "content_filter"))
		return "content_filter";
	return "stop";
}

static int64_t known(const json_t *usage, const char *key)
{
	int64_t n = jx_int(usage, key, 0);

	return n > 0 ? n : 0;
}

/* Our counters are disjoint; theirs contain each other. */
void dialect_openai_usage(struct jw *w, const json_t *usage)
{
	int64_t cached = known(usage, "cachedTokens");
	int64_t prompt = known(usage, "inputTokens") + cached +
		known(usage, "cacheWriteTokens");
	int64_t completion = known(usage, "outputTokens");

	jw_obj(w);
	jw_kint(w, "prompt_tokens", prompt);
	jw_kint(w, "completion_tokens", completion);
	jw_kint(w, "total_tokens", prompt + completion);
	jw_key(w, "prompt_tokens_details");
	jw_obj(w);
	jw_kint(w, "cached_tokens", cached);
	jw_end_obj(w);
	jw_key(w, "completion_tokens_details");
	jw_obj(w);
	jw_kint(w, "reasoning_tokens", known(usage, "reasoningTokens"));
	jw_end_obj(w);
	jw_end_obj(w);
}

static const struct source *source_of(const struct source *v, size_t n, int number)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].no == number && v[i].url.n)
			return &v[i];
	return NULL;
}

void dialect_openai_annotations(struct jw *w, struct str text, size_t before,
				const struct source *v, size_t n, bool always)
{
	struct arena a = ARENA_INIT;
	struct quote_place *places;
	size_t n_places = quote_places(text, &a, &places), read = 0;
	bool open = always;

	if (open) {
		jw_key(w, "annotations");
		jw_arr(w);
	}
	for (size_t i = 0; i < n_places; i++) {
		const struct quote_place *p = &places[i];
		const struct source *s = source_of(v, n, p->number);

		before += utf8_chars((struct str){ text.p + read, p->at - read });
		read = p->at;
		if (!s)
			continue;
		if (!open) {
			jw_key(w, "annotations");
			jw_arr(w);
			open = true;
		}
		jw_obj(w);
		jw_kstrz(w, "type", "url_citation");
		jw_key(w, "url_citation");
		jw_obj(w);
		jw_kint(w, "start_index", (int64_t)before);
		jw_kint(w, "end_index", (int64_t)(before + p->n));	/* ASCII */
		jw_kstr(w, "url", s->url);
		jw_kstr(w, "title", s->title.n ? s->title : s->url);
		jw_end_obj(w);
		jw_end_obj(w);
	}
	if (open)
		jw_end_arr(w);
	arena_release(&a);
}

static const char *error_type(int status)
{
	switch (status) {
	case 401:
		return "authentication_error";
	case 403:
		return "permission_error";
	case 429:
		return "rate_limit_error";
	default:
		return status >= 500 ? "server_error" : "invalid_request_error";
	}
}

void dialect_openai_error(struct jw *w, int status, struct str message,
			  const char *param, struct str code)
{
	jw_obj(w);
	jw_kstr(w, "message", message);
	jw_kstrz(w, "type", error_type(status));
	jw_kstrz(w, "param", *param ? param : NULL);
	jw_kstr(w, "code", code);
	jw_end_obj(w);
}

enum err_code dialect_openai_err_code(struct str code)
{
	for (int i = 0; i < ERR__MAX; i++)
		if (str_is(code, err_rows[i].code))
			return (enum err_code)i;
	return ERR_INTERNAL;
}

/* -- the stream ------------------------------------------------------------- */

static const struct openai_asked *openai_asked(const struct dialect_state *st)
{
	static const struct openai_asked nothing = { .want_usage = false };

	return st->asked ? st->asked : &nothing;
}

static struct jw chunk_open(struct buf *out, const struct turn_event *ev,
			    const struct dialect_state *st)
{
	struct jw w = jw_on(out);

	buf_add(out, "data: ", 6);
	jw_obj(&w);
	dialect_openai_head(&w, "chat.completion.chunk", openai_asked(st)->model, ev->run);
	return w;
}

/* choices with one choice, open at the members of its delta. */
static void delta_open(struct jw *w)
{
	jw_key(w, "choices");
	jw_arr(w);
	jw_obj(w);
	jw_kint(w, "index", 0);
	jw_key(w, "delta");
	jw_obj(w);
}

/* Where usage is wanted, all chunks before the one that has it say that it is null. */
static void delta_close(struct jw *w, const struct dialect_state *st,
			const char *finish_reason)
{
	jw_end_obj(w);
	jw_kstrz(w, "finish_reason", finish_reason);
	jw_end_obj(w);
	jw_end_arr(w);
	if (openai_asked(st)->want_usage)
		jw_kstrz(w, "usage", NULL);
}

static void write_role(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = chunk_open(out, ev, st);

	(void)name;
	delta_open(&w);
	jw_kstrz(&w, "role", "assistant");
	jw_kstrz(&w, "content", "");
	delta_close(&w, st, NULL);
	wire_frame_end(&w);
}

/* The one that must be cheap. */
static void put_text(struct buf *out, const char *key, struct str text,
		     const struct turn_event *ev,
		     const struct dialect_state *st)
{
	char id[UUID_TEXT_BYTES];
	struct jw w = jw_on(out);

	if (openai_asked(st)->streamed && !strcmp(key, "content"))
		buf_addstr(openai_asked(st)->streamed, text);
	/* The same output as chunk_open to chunk_close, in a few appends. */
	buf_adds(out, "data: {\"id\":\"chatcmpl-");
	buf_add(out, uuid_format(&ev->run->id, id), UUID_TEXT_BYTES - 1);
	buf_adds(out, "\",\"object\":\"chat.completion.chunk\",\"created\":");
	buf_addu(out, (uint64_t)ev->run->user.created_us / 1000000);
	buf_adds(out, ",\"model\":");
	openai_model(&w, openai_asked(st)->model, ev->run);
	buf_adds(out, ",\"choices\":[{\"index\":0,\"delta\":{\"");
	buf_adds(out, key);
	buf_add(out, "\":", 2);
	buf_json(out, text);
	buf_adds(out, openai_asked(st)->want_usage
		 ? "},\"finish_reason\":null}],\"usage\":null}"
		 : "},\"finish_reason\":null}]}");
	wire_close(out);
}

static void write_delta(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct openai_state *k = st->own;

	if (ev->type == TURN_EV_TOKEN && openai_asked(st)->typed)
		return;
	if (ev->type == TURN_EV_TOKEN)
		k->chars += utf8_chars(ev->text);
	put_text(out, name, ev->text, ev, st);
}

static void write_gap(struct buf *out, const char *name,
		      const struct turn_event *ev, struct dialect_state *st)
{
	struct openai_state *k = st->own;

	if (openai_asked(st)->typed)
		return;
	put_text(out, name, STR("\n\n"), ev, st);
	k->answer = k->chars += 2;
}

/*
 * Nothing yet: the places of citations are known only at the end of the answer.
 */
static void keep_source(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct openai_state *k = st->own;
	json_auto_t *s = jx_try(ev->args);
	struct str url = jx_str(s, "url");

	(void)out;
	(void)name;
	if (!url.n || k->n == LIM_SOURCES)
		return;
	k->v = arena_room(st->arena, k->v, k->n, 1, &k->room, sizeof(*k->v));
	k->v[k->n++] = (struct source){
		.no = jx_int(s, "number", 0), .url = arena_str(st->arena, url),
		.title = arena_str(st->arena, jx_str(s, "title")),
	};
}

/* The last chunk, where the client asked for it. */
static void put_usage(struct buf *out, const struct turn_event *ev,
		      const struct dialect_state *st)
{
	struct wire_answer a;
	struct jw w;

	if (!openai_asked(st)->want_usage || !ev->message)
		return;
	wire_answer_read(&a, ev->message);
	w = chunk_open(out, ev, st);
	jw_key(&w, "choices");
	jw_arr(&w);
	jw_end_arr(&w);
	jw_key(&w, "usage");
	dialect_openai_usage(&w, a.usage);
	wire_frame_end(&w);
	wire_answer_release(&a);
}

static void write_done(struct buf *out, const char *name,
		       const struct turn_event *ev, struct dialect_state *st)
{
	struct str unsent = openai_asked(st)->typed ? ev->message->content
		: wire_unsent(ev, st);
	const struct openai_state *k = st->own;
	struct wire_answer a;
	struct jw w;

	(void)name;
	if (unsent.n)
		put_text(out, "content", unsent, ev, st);
	wire_answer_read(&a, ev->message);
	w = chunk_open(out, ev, st);
	delta_open(&w);
	dialect_openai_annotations(&w, ev->message->content,
				   unsent.n ? k->chars : k->answer, k->v, k->n, false);
	delta_close(&w, st, dialect_openai_finish_reason(a.finish_reason));
	wire_frame_end(&w);
	wire_answer_release(&a);
	put_usage(out, ev, st);
}

/* Whole calls: they were checked, so that none is cut (P-A6). */
static void put_calls(struct buf *out, const struct turn_event *ev,
		      const struct dialect_state *st)
{
	for (size_t i = 0, k = 0; i < ev->n_waits; i++) {
		struct jw w;

		if (ev->waits[i].kind != WAIT_CLIENT)
			continue;
		w = chunk_open(out, ev, st);
		delta_open(&w);
		jw_key(&w, "tool_calls");
		jw_arr(&w);
		dialect_openai_call(&w, &ev->waits[i], k++, true);
		jw_end_arr(&w);
		delta_close(&w, st, NULL);
		wire_frame_end(&w);
	}
}

/*
 * Calls of the client's tools are tool_calls. The format has no way to wait for
 * something else, so the text says what the turn waits for.
 */
static void write_waiting(struct buf *out, const char *name,
			  const struct turn_event *ev, struct dialect_state *st)
{
	struct arena a = ARENA_INIT;
	struct str text = dialect_openai_waiting(&a, ev->waits, ev->n_waits,
						 openai_asked(st)->page,
						 &ev->run->conversation_id);
	struct jw w;

	(void)name;
	if (st->has_text && text.n)
		put_text(out, "content", STR("\n\n"), ev, st);
	if (text.n)
		put_text(out, "content", text, ev, st);
	arena_release(&a);
	put_calls(out, ev, st);
	w = chunk_open(out, ev, st);
	delta_open(&w);
	delta_close(&w, st, dialect_openai_calls(ev->waits, ev->n_waits) ? "tool_calls"
		    : "stop");
	wire_frame_end(&w);
	put_usage(out, ev, st);
}

static void write_error(struct buf *out, const char *name,
			const struct turn_event *ev, struct dialect_state *st)
{
	struct jw w = jw_on(out);
	struct wire_answer a;

	(void)name;
	(void)st;
	wire_answer_read(&a, ev->message);
	buf_add(out, "data: ", 6);
	jw_obj(&w);
	jw_key(&w, "error");
	dialect_openai_error(&w, err_rows[dialect_openai_err_code(a.error_code)].http_status,
			     a.error_message.n ? a.error_message
			     : STR("The answer could not be made."), "", a.error_code);
	wire_frame_end(&w);
	wire_answer_release(&a);
}

/* -- an answer without a turn --------------------------------------------------- */

static void write_lone_usage(struct jw *w, const struct llm_usage *spent)
{
	struct buf b = BUF_INIT(1024);
	struct jw of = jw_on(&b);
	json_t *usage;

	jw_obj(&of);
	llm_usage_members(&of, spent);
	jw_end_obj(&of);
	usage = jx_try(buf_str(&b));
	jw_key(w, "usage");
	dialect_openai_usage(w, usage);
	json_decref(usage);
	buf_release(&b);
}

static struct jw lone_open(struct buf *out, const char *object,
			   const struct openai_lone *a)
{
	struct jw w = jw_on(out);

	jw_obj(&w);
	head(&w, object, &a->id, a->created_us);
	jw_str(&w, a->model);
	jw_key(&w, "choices");
	jw_arr(&w);
	return w;
}

static void lone_chunk(struct buf *out, const struct openai_lone *a, bool says)
{
	struct jw w;

	buf_adds(out, "data: ");
	w = lone_open(out, "chat.completion.chunk", a);
	jw_obj(&w);
	jw_kint(&w, "index", 0);
	jw_key(&w, "delta");
	jw_obj(&w);
	if (says) {
		jw_kstrz(&w, "role", "assistant");
		jw_kstr(&w, "content", a->text);
	}
	jw_end_obj(&w);
	jw_kstrz(&w, "finish_reason", says ? NULL : a->finish_reason);
	jw_end_obj(&w);
	jw_end_arr(&w);
	wire_frame_end(&w);
}

void dialect_openai_lone_stream(struct buf *out, const struct openai_lone *a,
				bool want_usage)
{
	lone_chunk(out, a, true);
	lone_chunk(out, a, false);
	if (want_usage) {
		struct jw w;

		buf_adds(out, "data: ");
		w = lone_open(out, "chat.completion.chunk", a);
		jw_end_arr(&w);
		write_lone_usage(&w, a->spent);
		wire_frame_end(&w);
	}
	buf_addstr(out, dialect_openai.end);
}

void dialect_openai_lone(struct buf *out, const struct openai_lone *a)
{
	struct jw w = lone_open(out, "chat.completion", a);

	jw_obj(&w);
	jw_kint(&w, "index", 0);
	jw_key(&w, "message");
	jw_obj(&w);
	jw_kstrz(&w, "role", "assistant");
	jw_kstr(&w, "content", a->text);
	jw_kstrz(&w, "refusal", NULL);
	jw_end_obj(&w);
	jw_kstrz(&w, "logprobs", NULL);
	jw_kstrz(&w, "finish_reason", a->finish_reason);
	jw_end_obj(&w);
	jw_end_arr(&w);
	write_lone_usage(&w, a->spent);
	jw_end_obj(&w);
}

/* -- both forms ------------------------------------------------------------------ */

/* The Responses API has other events for the same. */
static bool as_response(struct buf *out, const struct turn_event *ev,
			struct dialect_state *st)
{
	const struct openai_asked *asked = openai_asked(st);
	struct str unsent = { NULL, 0 };

	if (!asked->write)
		return false;
	if (ev->type == TURN_EV_DONE)
		unsent = asked->typed ? ev->message->content : wire_unsent(ev, st);
	asked->write(out, ev, asked, unsent);
	return true;
}

#define EITHER(fn) \
	static void either_##fn(struct buf *out, const char *name, \
				const struct turn_event *ev, struct dialect_state *st) \
	{ \
		if (!as_response(out, ev, st)) \
			fn(out, name, ev, st); \
	}
EITHER(write_role)
EITHER(write_delta)
EITHER(write_gap)
EITHER(write_waiting)
EITHER(write_done)
EITHER(write_error)

const struct dialect dialect_openai = {
	.id = DIALECT_OPENAI,
	.name = "openai",
	WIRE_SSE,
	.end = STR("data: [DONE]\n\n"),
	.ends_at_wait = true,
	.own_bytes = sizeof(struct openai_state),
	.own = {
		[TURN_EV_SESSION] = either_write_role,
		[TURN_EV_TOKEN] = either_write_delta,
		[TURN_EV_TOKEN_RESET] = either_write_gap,
		[TURN_EV_REASONING] = either_write_delta,
		[TURN_EV_SOURCE] = keep_source,
		[TURN_EV_WAITING] = either_write_waiting,
		[TURN_EV_DONE] = either_write_done,
		[TURN_EV_ERROR] = either_write_error,
	},
};
