/* SPDX-License-Identifier: MIT */
/* turn: what answered a turn, with which prompts and tools, and what it cost. */
#include <stdio.h>
#include <string.h>

#include "domain/catalog.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli.h"
#include "llm/llm.h"
#include "store/message.h"
#include "store/turn.h"
#include "store/turn_show.h"

#include "base/banned.h"

static void put_text(struct buf *b, const char *name, struct str s)
{
	if (s.n)
		buf_addf(b, "%-13s %.*s\n", name, STR_ARG(s));
}

static void put_id(struct buf *b, const char *name, const struct uuid *id)
{
	char text[UUID_TEXT_BYTES];

	put_text(b, name, str_of(uuid_format(id, text)));
}

static void put_time(struct buf *b, const char *name, int64_t us)
{
	char text[CLOCK_ISO_BYTES];

	if (us)
		put_text(b, name, str_of(clock_iso(us, text)));
}

static void put_count(struct buf *b, const char *name, int64_t n)
{
	if (n >= 0)
		buf_addf(b, " %s %lld", name, (long long)n);
}

/* [{"layer", "name", "version", "hash"}], a line each. */
static void put_prompts(struct buf *b, struct str text)
{
	json_auto_t *list = jx_try(text);
	json_t *p;
	size_t i;

	json_array_foreach(list, i, p)
		buf_addf(b, "  prompt      %.*s: %.*s, version %lld, %.*s\n",
			 STR_ARG(jx_str(p, "layer")), STR_ARG(jx_str(p, "name")),
			 (long long)jx_int(p, "version", 1),
			 STR_ARG(jx_str(p, "hash")));
}

/* [{"name", "ms", "ok"}], a line each. */
static void put_tools(struct buf *b, struct str text)
{
	json_auto_t *list = text.p ? jx_try(text) : NULL;
	json_t *t;
	size_t i;

	json_array_foreach(list, i, t)
		buf_addf(b, "  tool        %.*s: %lld ms, %s\n",
			 STR_ARG(jx_str(t, "name")),
			 (long long)jx_int(t, "ms", 0),
			 jx_bool(t, "ok", true) ? "ok" : "failed");
}

static const char *kind_of(const struct usage *u)
{
	static const char *const names[] = {
		[0] = "other",
		[USAGE_CHAT] = "answer", [USAGE_COMPLETE] = "completion",
		[USAGE_TITLE] = "title", [USAGE_AGENT] = "agent",
		[USAGE_TRIAL] = "trial", [USAGE_EMBED] = "embedding",
		[USAGE_RERANK] = "ranking", [USAGE_SCAN] = "scan",
		[USAGE_SUMMARY] = "summary", [USAGE_TOOL] = "tool",
		[USAGE_TRANSCRIBE] = "transcription", [USAGE_FOLLOW_UPS] = "follow-ups",
	};

	return u->kind > 0 && u->kind < (int64_t)ARRAY_LEN(names)
		? names[u->kind] : names[0];
}

/* Without prices of its own, a service costs what its provider says. */
static void put_cost(struct buf *b, const struct conf *c, const struct usage *u)
{
	const struct llm_service *s = catalog_service(c, u->service);

	if (!(u->cost > 0))
		return;
	buf_addf(b, "  cost        %.6f ", u->cost);
	if (s && s->set.price)
		buf_addf(b, "%s\n", *c->currency ? c->currency : "(prices.currency is not set)");
	else
		buf_adds(b, "in the provider's currency\n");
}

static void put_call(struct buf *b, const struct conf *c, const struct usage *u)
{
	buf_addf(b, "%-13s service %.*s, provider %.*s, model %.*s\n", kind_of(u),
		 STR_ARG(u->service.n ? u->service : STR("-")),
		 STR_ARG(u->provider), STR_ARG(u->model));
	buf_adds(b, "  stages     ");
	put_count(b, "first token ms", u->ttft_ms);
	put_count(b, "whole ms", u->duration_ms);
	put_count(b, "model calls", u->iterations);
	buf_addf(b, ", ended as %.*s\n  tokens     ", STR_ARG(u->finish_reason));
	put_count(b, "input", u->input_tokens);
	put_count(b, "cache read", u->cache_read_tokens);
	put_count(b, "cache write", u->cache_write_tokens);
	put_count(b, "output", u->output_tokens);
	put_count(b, "reasoning", u->reasoning_tokens);
	buf_adds(b, u->estimated ? " (estimated)\n" : "\n");
	put_cost(b, c, u);
	put_prompts(b, u->prompts);
	put_tools(b, u->tools);
}

/* Titles and ids only: the passages are what documents say. */
static void put_source(struct buf *b, const struct source *s)
{
	bool attached = !uuid_is_nil(&s->attachment_id);
	char id[UUID_TEXT_BYTES];

	buf_addf(b, "source        [%lld] %s %s, passage %lld, score %.3f: %.*s\n",
		 (long long)s->no, attached ? "attachment" : "document",
		 uuid_format(attached ? &s->attachment_id : &s->document_id, id),
		 (long long)s->chunk, s->score, STR_ARG(s->title));
}

static int print(const struct conf *c, const struct turn_show *t)
{
	struct buf b = BUF_INIT(CLI_OUT_BYTES);

	put_id(&b, "turn", &t->id);
	put_id(&b, "conversation", &t->conversation_id);
	put_text(&b, "workspace", t->workspace_id);
	put_text(&b, "agent", t->agent_id);
	put_id(&b, "user", &t->user_id);
	put_text(&b, "status", str_of(store_turn_status_name(
		(enum turn_status)t->status)));
	put_text(&b, "error", t->error_code);
	put_text(&b, "", t->error_text);
	put_time(&b, "started", t->started_us);
	put_time(&b, "ended", t->ended_us);
	if (t->resumes)
		buf_addf(&b, "%-13s %lld times\n", "resumed",
			 (long long)t->resumes);
	for (size_t i = 0; i < t->n_calls; i++)
		put_call(&b, c, &t->calls[i]);
	for (size_t i = 0; i < t->n_sources; i++)
		put_source(&b, &t->sources[i]);
	return cli_print(&b);
}

static int show(struct cli_session *s, const char *text)
{
	struct turn_show t;
	struct err e = ERR_INIT;
	struct uuid id;
	int64_t seq = 0;

	if (!message_id_parse(str_of(text), &id, &seq) &&
	    !uuid_parse(str_of(text), &id)) {
		fprintf(stderr, "lamplighter: %s is not the id of a turn, a message "
			"or a conversation\n", text);
		return CLI_FAILED;
	}
	if (store_turn_show(s->db, str_of(s->conf->tenant), &id, seq, &s->arena, &t,
			    &e) == 0)
		return print(s->conf, &t);
	if (e.code != ERR_NOT_FOUND)
		return cli_failed(&e);
	fprintf(stderr, "lamplighter: there is no turn of %s\n", text);
	return CLI_FAILED;
}

int cli_turn(struct cli *cli, int argc, char **argv)
{
	struct cli_session s;
	int rc;

	if (argc != 3 || strcmp(argv[1], "show") != 0)
		return cli_usage(cli, "the subcommand must be show, with an id");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	rc = show(&s, argv[2]);
	cli_session_close(&s);
	return rc;
}
