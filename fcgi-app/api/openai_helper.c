/* SPDX-License-Identifier: MIT */
/*
 * Questions that a user interface asks for itself: a title for its chat, tags, the
 * next questions. They are answered by one call of the model and leave nothing but a
 * usage record, as POST /chat/{w}/complete does, and only for callers who may use
 * that. They are recognised by how they begin, as their programs ship them; one that
 * is not is an ordinary conversation of the program.
 */
#include "api/openai.h"

#include <string.h>

#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "places.h"
#include "turn/ask.h"

#include "base/banned.h"

/* The beginnings, of the first system message or of the only message of the user. */
static const char *const helpers[] = {
	/* Open WebUI */
	"### Task:\nGenerate a concise, 3-5 word title",
	"### Task:\nGenerate 1-3 broad tags",
	"### Task:\nSuggest 3-5 relevant follow-up",
	"### Task:\nAnalyze the chat history to determine the necessity",
	"### Task:\nGenerate a detailed prompt for am image",
	"### Task:\nGenerate a detailed prompt for an image",
	"### Task:\nYou are an autocompletion system.",
	"Your task is to reflect the speaker's likely facial",
	/* LibreChat */
	"Provide a concise, 5-word-or-less title",
	"Please generate a concise, 5-word-or-less title",
	"Write a concise title for this conversation in the",
	"Analyze this conversation and provide:\n1. The detected lang",
	"Detect the language used in the following text.",
	/* opencode */
	"You are a title generator. You output ONLY a thread title",
	/* n8n */
	"Generate a concise, descriptive title for this conversation",
	/* Chatbox */
	"Based on the chat history, give this conversation a name.",
	/* NextChat */
	"Please generate a four to five word title summarizing",
	/* LobeChat */
	"You are a professional conversation summarizer. Generate a",
	/* Continue */
	"Please reply with a title for this chat that is 3-4 words",
};

static bool begins(struct str s)
{
	s = str_trim(s);
	for (size_t i = 0; i < ARRAY_LEN(helpers); i++)
		if (str_starts(s, str_of(helpers[i])))
			return true;
	return false;
}

/*
 * Only short requests are looked at: the question, perhaps behind a system message;
 * opencode's has its message in two.
 */
bool oai_helper_is(struct request *rq)
{
	enum { MOST = 4 };
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	struct err ignored = ERR_INIT;
	bool found = false;
	struct str text;
	size_t i;

	if (json_array_size(messages) > MOST ||
	    json_array_size(jx_arr(rq->body, "tools")) ||
	    !policy_may(rq->by.who, PERM_CHAT_COMPLETE))
		return false;
	json_array_foreach((json_t *)messages, i, m) {
		if (!str_is(jx_str(m, "role"), "user") && !oai_is_system(m))
			return false;
		if (oai_text(rq, m, &text, &ignored) < 0)
			return false;
		found |= begins(text);
	}
	return found;
}

/* The messages as one text. */
static int read_input(struct request *rq, struct str *out, struct err *e)
{
	const json_t *messages = jx_arr(rq->body, "messages"), *m;
	struct buf b = BUF_INIT(4 * (size_t)rq->conf->limits.message_chars + 1);
	struct str text;
	size_t i;

	json_array_foreach((json_t *)messages, i, m)
		if (oai_text(rq, m, &text, e) == 0) {
			buf_adds(&b, b.n ? "\n\n" : "");
			buf_addstr(&b, text);
		}
	*out = arena_str(rq->arena, buf_str(&b));
	if (!buf_ok(&b))
		err_field(e, ERR_TOO_BIG, "messages", "The text is too long.");
	buf_release(&b);
	return e->code ? -1 : 0;
}

static void record_usage(struct request *rq)
{
	prompt_ask_record(rq->app->db, &rq->by.owner, rq->after_ctx);
}

int oai_helper_ask(struct request *rq, const struct openai_ask *ask,
		   struct prompt_reply **out, struct err *e)
{
	struct target t = ask->in.target;
	struct prompt_reply *r = arena_new(rq->arena, struct prompt_reply);
	struct prompt_ask q = {
		.kind = USAGE_COMPLETE, .layer = "complete", .guardrails = true,
		.schema = jx_obj(ask->generation, "schema"),
		.max_output_tokens = jx_int(ask->generation, "maxTokens", 0),
		.max_bytes = LIM_ANSWER_BYTES,
	};
	int rc;

	if (target_settle(&rq->by, &t, rq->arena, e) < 0 ||
	    target_can_chat(&t, e) < 0 || read_input(rq, &q.input, e) < 0)
		return -1;
	if (rq->brief)
		return places_refuse(e);
	q.service = t.service;
	rc = turn_ask(&rq->app->deps, NULL, &q, rq->arena, r, e);
	r->usage.workspace_id = str_of(t.workspace->id);
	r->usage.agent_id = str_of(t.agent->id);
	rq->after = record_usage;
	rq->after_ctx = r;
	*out = r;
	if (!r->interrupted)
		return rc;
	err_clear(e);
	e->retry_after_s = 2;
	return err_public(e, ERR_OVERLOADED, "The server is being restarted; try again "
			  "in a moment.");
}
