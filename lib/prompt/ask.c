/* SPDX-License-Identifier: MIT */
#include "prompt/ask.h"

#include "base/clock.h"
#include "base/log.h"
#include "net/http.h"
#include "prompt/blocks.h"
#include "llm/repair.h"
#include "schema/schema.h"

#include "base/banned.h"

#define TRIES   2	/* the first attempt and one repair */
#define TICK_MS 200	/* between checks for a stop, and between ticks */

struct asking {
	const struct prompt_ask *q;
	struct arena *arena;
	struct prompt_reply *out;
	struct llm_service service;	/* the requested one, with a shorter
					   timeout */
	struct prompt_blocks blocks;
	int64_t started_ms;
	/* of the running call */
	struct buf text;
	struct llm_usage used;
	int64_t tick_ms;		/* monotonic: when the next tick is due */
};

static int on_event(void *ctx, const struct llm_event *ev)
{
	struct asking *k = ctx;
	struct usage *u = &k->out->usage;

	switch (ev->type) {
	case LLM_EV_TEXT:
		if (u->ttft_ms < 0)
			u->ttft_ms = clock_mono_ms() - k->started_ms;
		buf_addstr(&k->text, ev->text);
		return buf_ok(&k->text) ? 0 : -1;
	case LLM_EV_USAGE:	/* failed calls cost, too */
		k->used = ev->usage;
		break;
	case LLM_EV_DONE:
		k->out->stop = ev->stop;
		if (ev->model.n)
			u->model = arena_str(k->arena, ev->model);
		break;
	default:
		break;
	}
	return 0;
}

static bool stopped(const struct asking *k)
{
	return k->q->stop && atomic_load(k->q->stop);
}

static int on_idle(void *ctx)
{
	const struct asking *k = ctx;

	if (stopped(k))
		return -1;
	return k->q->tick && clock_mono_ms() >= k->tick_ms ? HTTP_STALL : 0;
}

static void on_stall(void *ctx)
{
	struct asking *k = ctx;

	k->q->tick(k->q->tick_ctx);
	k->tick_ms = clock_mono_ms() + TICK_MS;
}

/* -- what is sent ----------------------------------------------------------- */

static void set_prompts(struct asking *k)
{
	const struct prompt_ask *q = k->q;
	const struct prompt_text *typed = &prompt_typed_answer;
	const struct prompt_text *rules = &prompt_guardrails;
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);

	if (q->guardrails)
		prompt_add(&k->blocks, k->arena, rules->name, rules->name,
			   rules->version, str_of(rules->text));
	if (q->prompt)
		prompt_add(&k->blocks, k->arena, q->layer, q->prompt->name,
			   q->prompt->version, str_of(q->prompt->text));
	if (q->schema)
		prompt_add(&k->blocks, k->arena, "schema", typed->name,
			   typed->version,
			   str_of(arena_printf(k->arena, "%s\n%s", typed->text,
					       jx_text(k->arena, q->schema))));
	prompt_stamps(&k->blocks, NULL, NULL, &w);
	k->out->usage.prompts = arena_str(k->arena, buf_str(&b));
	buf_release(&b);
}

/* The service, limited to the remaining time. */
static int set_service(struct asking *k, struct err *e)
{
	const struct prompt_ask *q = k->q;
	int64_t left = q->deadline_ms - (clock_mono_ms() - k->started_ms);

	k->service = q->aside ? llm_service_aside(q->service) : *q->service;
	if (!q->deadline_ms)
		return 0;
	if (left <= 0)
		return err_set(e, ERR_UPSTREAM_TIMEOUT, "no time for a repair");
	k->service = llm_service_within(&k->service, (int)left);
	return 0;
}

/*
 * Reasoning before the answer: servers that do not separate it send the tags of the
 * model's template, often without the opening one, which is in the prompt there.
 */
static struct str without_reasoning(struct str s)
{
	static const struct {
		struct str open, close;
	} tags[] = {
		{ STR("<think>"), STR("</think>") },
		{ STR("<thinking>"), STR("</thinking>") },
		{ STR("<reasoning>"), STR("</reasoning>") },
		{ STR("<thought>"), STR("</thought>") },
		{ STR("[THINK]"), STR("[/THINK]") },
		{ STR("◁think▷"), STR("◁/think▷") },
		{ STR("<seed:think>"), STR("</seed:think>") },
		{ STR("<|begin_of_thought|>"), STR("<|end_of_thought|>") },
		/* gpt-oss; what it commented on comes before the last channel, too */
		{ STR("<|channel|>analysis"), STR("<|channel|>final<|message|>") },
	};
	struct str t = str_trim(s);
	const char *end, *start;

	for (size_t i = 0; t.n && i < ARRAY_LEN(tags); i++) {
		end = memmem(t.p, t.n, tags[i].close.p, tags[i].close.n);
		start = memmem(t.p, t.n, tags[i].open.p, tags[i].open.n);
		if (end && start && start != t.p && start < end)
			continue;	/* an answer about such tags */
		if (end) {
			end += tags[i].close.n;
			return str_trim((struct str){ end,
				(size_t)(t.p + t.n - end) });
		}
		if (str_starts(t, tags[i].open))
			return STR("");	/* cut off in the middle of it */
	}
	return s;
}

/* One call; leaves its text in k->text. */
static int call(struct asking *k, struct str input, struct err *e)
{
	const struct prompt_ask *q = k->q;
	const struct llm_message message = {
		.role = LLM_USER, .text = input, .images = q->images,
		.n_images = q->n_images,
	};
	struct llm_request r = {
		.service = &k->service, .system = k->blocks.text,
		.n_system = k->blocks.n, .messages = &message, .n_messages = 1,
		.output_schema = q->schema, .stream = q->stream,
		.max_output_tokens = q->max_output_tokens,
	};
	const struct llm_io io = {
		.http = q->http, .abort = q->abort, .watch_fd = -1,
		.idle_ms = TICK_MS,
		.idle_fn = q->stop || q->tick ? on_idle : NULL,
		.flush_fn = q->tick ? on_idle : NULL, .stall_fn = on_stall,
	};
	int rc;

	if (set_service(k, e) < 0)
		return -1;
	buf_reset(&k->text);
	k->used = (struct llm_usage)LLM_USAGE_UNKNOWN;
	rc = llm_stream(&r, &io, k->arena, on_event, k, e);
	k->out->usage.iterations++;
	llm_usage_add(&k->out->spent, &k->used);
	if (!buf_ok(&k->text)) {
		err_clear(e);
		return err_set(e, ERR_UPSTREAM_PROTOCOL, "endless answer");
	}
	k->out->text = arena_str(k->arena, without_reasoning(buf_str(&k->text)));
	if (rc == 0 && (k->out->stop == LLM_STOP_REFUSAL ||
			k->out->stop == LLM_STOP_FILTER))
		return err_set(e, ERR_UPSTREAM_FILTER, "%s",
			       llm_stop_name(k->out->stop));
	return rc;
}

/* -- typed answers ---------------------------------------------------------- */

/* Parses the answer and checks it against the schema; NULL with the reason in e. */
static json_t *typed(const struct asking *k, struct err *e)
{
	json_t *v = jx_keep(k->arena, jx_load(repair_unfenced(k->out->text), e));

	if (v && schema_check(k->q->schema, v, e) < 0)
		return NULL;
	return v;
}

/* The input of the second try: the first answer and what is wrong with it. */
static int converse(struct asking *k, struct err *e)
{
	struct str input = k->q->input;
	struct err wrong = ERR_INIT;

	for (int try = 0; try < TRIES; try++) {
		if (call(k, input, e) < 0)
			return -1;
		if (!k->q->schema)
			return 0;
		err_clear(&wrong);
		k->out->value = typed(k, &wrong);
		if (k->out->value)
			return 0;
		input = str_of(arena_printf(k->arena,
			"%.*s\n\nYour answer before was:\n%.*s\n\nIt does not "
			"fit the schema: %s Answer with the corrected JSON "
			"value only.", STR_ARG(k->q->input),
			STR_ARG(k->out->text), err_message(&wrong)));
	}
	return err_public(e, ERR_UPSTREAM_PROTOCOL,
			  "The model's answer does not fit the schema: %.180s",
			  err_message(&wrong));
}

int prompt_ask(const struct prompt_ask *q, struct arena *a, struct prompt_reply *out,
	    struct err *e)
{
	struct asking k = {
		.q = q, .arena = a, .out = out,
		.text = BUF_INIT(q->max_bytes), .started_ms = clock_mono_ms(),
	};
	int rc;

	*out = (struct prompt_reply){
		.spent = LLM_USAGE_UNKNOWN, .usage = usage_init(q->kind),
	};
	set_prompts(&k);
	rc = converse(&k, e);
	out->interrupted = rc < 0 && stopped(&k);
	llm_usage_record(&out->usage, q->service, &out->spent);
	out->usage.duration_ms = clock_mono_ms() - k.started_ms;
	out->usage.finish_reason = str_of(rc < 0 ? "error"
					  : llm_stop_name(out->stop));
	buf_release(&k.text);
	return rc;
}

void prompt_ask_record(struct db *db, const struct owner *o,
		       const struct prompt_reply *r)
{
	struct err e = ERR_INIT;

	if (r->usage.iterations && usage_insert(db, o, &r->usage, &e) < 0)
		log_err("usage not recorded", &e);
}
