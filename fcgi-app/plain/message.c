/* SPDX-License-Identifier: MIT */
/*
 * Messages on plain pages: stored ones as Markdown, and a running turn's events as
 * plain text, because a page that is being sent cannot be changed any more.
 * Reasoning and tool calls are in <details>.
 */
#include <string.h>

#include "api/attachment.h"
#include "api/knowledge.h"
#include "api/scope.h"
#include "app.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "body.h"
#include "file/upload.h"
#include "multipart.h"
#include "plain/plain.h"
#include "prompt/origin.h"
#include "route.h"
#include "store/source.h"

#include "base/banned.h"

static void put_list(struct plain *p, const char *before, const json_t *list)
{
	struct buf *b = p->b;
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item) {
		buf_adds(b, i ? "," : "<p class=\"error\">");
		if (!i)
			plain_say(p, before);
		buf_addc(b, ' ');
		if (json_is_integer(item))
			buf_addf(b, "[%lld]", (long long)json_integer_value(item));
		else
			html_text(b, str_of(json_string_value(item)));
	}
	buf_adds(b, json_array_size(list) ? "</p>\n" : "");
}

/*
 * Below an answer of the path's conversation: what is wrong with its citations, and a
 * link to its sources.
 */
static void plain_citations(struct plain *p, const struct message *m, const json_t *meta)
{
	const json_t *checked = jx_obj(meta, "citations");
	size_t n = json_array_size(jx_arr(meta, "sources"));
	size_t cited = json_array_size(jx_arr(checked, "cited"));
	char id[UUID_TEXT_BYTES];

	put_list(p, N_("There is no source"), jx_arr(checked, "unknown"));
	put_list(p, N_("Not found in the sources:"), jx_arr(checked, "notFound"));
	if (!n)
		return;
	buf_addf(p->b, "<p class=\"small\"><a href=\"%sconversations/%s/"
		 "sources?messageId=%s.%lld\">", p->root, uuid_format(
			 route_arg_uuid(p->rq, "conversation"), id), id,
		 (long long)m->seq);
	/* What was looked at and answers nothing is no source. */
	if (checked && !cited)
		plain_sayf(p, "Passages looked at, none of them cited: %zu", n);
	else
		plain_sayf(p, "Sources: %zu", checked ? cited : n);
	buf_adds(p->b, "</a></p>\n");
}

/* Below a message: links to the files of its metadata (NULL: none). */
static void plain_put_files(struct plain *p, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) {
		buf_adds(p->b, i ? "," : "<p class=\"small\">");
		if (!i)
			plain_say(p, "Files:");
		buf_addc(p->b, ' ');
		if (p->outside) {
			html_text(p->b, jx_str(one, "name"));
			continue;
		}
		buf_addf(p->b, "<a href=\"%s../api/v1/attachments/", p->root);
		buf_url(p->b, jx_str(one, "id"));
		buf_adds(p->b, "/content\">");
		html_text(p->b, jx_str(one, "name"));
		buf_adds(p->b, "</a> ");
		plain_sayf(p, "(%lld bytes)", (long long)jx_int(one, "size", 0));
	}
	buf_adds(p->b, json_array_size(list) ? "</p>\n" : "");
}

#define SHOWN_BYTES 8192	/* of a tool's arguments or result */

struct str plain_agent_name(const struct request *rq, struct str workspace,
			    struct str agent)
{
	const struct workspace *w;
	const struct agent *a;
	struct err e = ERR_INIT;

	return target_scope(&rq->by, workspace, agent, &w, &a, &e) == 0 &&
		*a->name ? str_of(a->name) : agent;
}

static void put_section(struct buf *b, const char *class, struct str who)
{
	buf_addf(b, "<section class=\"%s\">\n<h2>", class);
	html_text(b, who);
	buf_adds(b, "</h2>\n");
}

static void put_long(struct plain *p, struct str s)
{
	struct buf *b = p->b;
	struct str head = { s.p, MIN(s.n, SHOWN_BYTES) };

	head.n = utf8_complete(head);
	buf_adds(b, "<pre>");
	html_text(b, head);
	buf_adds(b, "</pre>\n");
	if (head.n == s.n)
		return;
	buf_adds(b, "<p class=\"small\">");
	plain_sayf(p, "and %zu bytes more", s.n - head.n);
	buf_adds(b, "</p>\n");
}

/* A text as markup, for plain_sayf. In the request's arena. */
static const char *escaped(struct plain *p, struct str s)
{
	struct buf b = BUF_INIT(6 * s.n + 1);
	const char *out;

	html_text(&b, s);
	out = arena_str(p->rq->arena, buf_str(&b)).p;
	buf_release(&b);
	return out;
}

/* What tools do, for people, as the page says it; of others the words of their names. */
static const struct {
	const char *tool, *words;
} tool_words[] = {
	{ "analyse_log", N_("Analyse a log") },
	{ "ask_user", N_("Ask you") },
	{ "create_prompt", N_("Store a prompt") },
	{ "describe_dataset", N_("Describe a dataset") },
	{ "find_pii", N_("Find personal data") },
	{ "get_prompt", N_("Read a prompt") },
	{ "list_datasets", N_("List the datasets") },
	{ "list_prompts", N_("Look up prompts") },
	{ "query_data", N_("Look up data") },
	{ "read_result", N_("Read more of a result") },
	{ "suggest_action", N_("Suggest a link") },
	{ "summarize", N_("Summarise a text") },
	{ "translate", N_("Translate a text") },
	{ "web_search", N_("Search the web") },
	{ "web_visit", N_("Read a web page") },
};

/* As markup, for plain_sayf. In the request's arena. */
static const char *tool_name(struct plain *p, struct str tool)
{
	struct buf b = BUF_INIT(tool.n + 1);
	const char *out;

	for (size_t i = 0; i < ARRAY_LEN(tool_words); i++)
		if (str_is(tool, tool_words[i].tool))
			return escaped(p, str_of(plain_text(p, tool_words[i].words)));
	for (size_t i = 0; i < tool.n; i++) {
		char c = tool.p[i];

		/* The ontology of projects is no word for people. */
		if (str_starts((struct str){ tool.p + i, tool.n - i }, STR("_onto_")))
			i += 5;
		buf_addc(&b, !i && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A')
			 : c == '_' || c == '-' ? ' ' : c);
	}
	out = escaped(p, buf_str(&b));
	buf_release(&b);
	return out;
}

static void put_call(struct plain *p, struct str tool, struct str args)
{
	buf_addf(p->b, "<details class=\"tool\"><summary>%s", tool_name(p, tool));
	buf_adds(p->b, "</summary>\n");
	put_long(p, args);
	buf_adds(p->b, "</details>\n");
}

static void put_result(struct plain *p, struct str tool, struct str result,
		       bool is_error, int64_t ms)
{
	struct buf *b = p->b;

	buf_adds(b, "<details class=\"tool\"><summary>");
	if (is_error)
		plain_sayf(p, "%s failed (%lld ms)", tool_name(p, tool), (long long)ms);
	else
		plain_sayf(p, "%s (%lld ms)", tool_name(p, tool), (long long)ms);
	buf_adds(b, "</summary>\n");
	put_long(p, result);
	buf_adds(b, "</details>\n");
	if (!p->outside)
		plain_plan_link(p, tool, result);
}

static void open_reasoning(struct plain *p)
{
	buf_adds(p->b, "<details class=\"reasoning\"><summary>");
	plain_say(p, "Reasoning");
	buf_adds(p->b, "</summary>\n<p class=\"text\">");
}

static void put_reasoning(struct plain *p, struct str text)
{
	struct buf *b = p->b;

	if (!text.n)
		return;
	open_reasoning(p);
	html_lines(b, text);
	buf_adds(b, "</p></details>\n");
}

/* Whose prompts the answer was made with, if they are by other users. */
static void put_prompts(struct plain *p, const json_t *meta)
{
	struct origins o = { .n = 0 };

	origins_read(&o, jx_arr(meta, "origins"));
	for (size_t i = 0; i < o.n; i++) {
		struct buf name = BUF_INIT(65536);

		if (strcmp(o.v[i].kind, "prompt") != 0)
			continue;
		plain_spelled(&name, str_of(o.v[i].name));
		buf_adds(p->b, "<p class=\"prompt\">");
		plain_sayf(p, "With instructions by %s.", buf_str(&name).p);
		buf_adds(p->b, "</p>\n");
		buf_release(&name);
	}
}

/* How an answer ended, unless it ended normally. */
static void put_end(struct plain *p, const json_t *meta)
{
	struct str how = jx_str(meta, "finish_reason");
	struct str why = jx_str(jx_obj(meta, "error"), "message");
	static const struct {
		const char *reason, *text;
	} rows[] = {
		{ "cancelled", N_("Stopped.") },
		{ "interrupted", N_("Interrupted: the server stopped.") },
		{ "length", N_("Cut off: the answer reached the length limit.") },
		{ "error", N_("The answer failed.") },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!str_is(how, rows[i].reason))
			continue;
		buf_adds(p->b, "<p class=\"error\">");
		plain_say(p, rows[i].text);
		buf_addc(p->b, ' ');
		html_text(p->b, lang_str(p->rq->by.lang, why));
		buf_adds(p->b, "</p>\n");
	}
}

static json_t *meta_of(struct plain *p, const struct message *m)
{
	struct err ignored = ERR_INIT;

	return m->meta.n ? jx_keep(p->rq->arena,
				   jx_load_lenient(m->meta, &ignored)) : NULL;
}

struct str plain_mentioned(struct plain *p, const struct message *m)
{
	const json_t *list = jx_arr(meta_of(p, m), "mentions"), *item;
	struct buf b = BUF_INIT(LIM_MENTIONS * LIM_MENTION_REF_BYTES + 16);
	struct str refs;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
		buf_addf(&b, "%s%.*s", i ? " " : "", STR_ARG(jx_str(item, "ref")));
	refs = arena_str(p->rq->arena, buf_str(&b));
	buf_release(&b);
	return refs;
}

const json_t *plain_attached(struct plain *p, const struct message *m)
{
	return jx_arr(meta_of(p, m), "attachments");
}

/* What a message mentions; links are the declaration's (tool/mention/record.c). */
static void put_mentions(struct plain *p, const struct message *m)
{
	const json_t *list = jx_arr(meta_of(p, m), "mentions"), *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item) {
		struct str href = jx_str(item, "href");

		buf_adds(p->b, i ? ", " : "<p class=\"small\">");
		if (!i)
			plain_say(p, "Mentions:");
		buf_addc(p->b, ' ');
		if (href.n) {
			buf_adds(p->b, "<a href=\"");
			html_text(p->b, href);
			buf_adds(p->b, "\">");
		}
		html_text(p->b, jx_str(item, "label"));
		buf_adds(p->b, href.n ? "</a>" : "");
	}
	buf_adds(p->b, json_array_size(list) ? "</p>\n" : "");
}

bool plain_cut_short(struct plain *p, const struct message *m)
{
	struct str how = jx_str(meta_of(p, m), "finish_reason");

	return m->role == ROLE_ASSISTANT &&
	       (str_is(how, "cancelled") || str_is(how, "interrupted") ||
		str_is(how, "error"));
}

/* -- stored -------------------------------------------------------------------- */

static void put_calls(struct plain *p, const json_t *meta)
{
	const json_t *list = jx_arr(meta, "toolCalls"), *call;
	size_t i;

	json_array_foreach((json_t *)list, i, call) {
		const json_t *args = json_object_get(call, "args");

		put_call(p, jx_str(call, "toolName"),
			 json_is_string(args) ? jx_str(call, "args")
			 : str_of(jx_text(p->rq->arena, args)));
	}
}

static void put_assistant(struct plain *p, const struct message *m,
			  struct str name)
{
	const json_t *meta = meta_of(p, m);
	bool step = jx_bool(meta, "step", false);

	put_reasoning(p, jx_str(meta, "reasoning"));
	/* A step may have said nothing before its calls. */
	if (!step || m->content.n) {
		put_section(p->b, "answer", name);
		html_markdown(p->b, m->content);
		put_end(p, meta);
		if (jx_bool(meta, "corrected", false)) {
			buf_adds(p->b, "<p class=\"small\">");
			plain_say(p, p->outside ? N_("Corrected by hand.")
				  : N_("Corrected by you."));
			buf_adds(p->b, "</p>\n");
		}
		put_prompts(p, meta);
		plain_citations(p, m, meta);
		buf_adds(p->b, "</section>\n");
	}
	put_calls(p, meta);
}

static void put_user(struct plain *p, struct str words)
{
	struct buf *b = p->b;

	put_section(b, "user", str_of(plain_text(p, p->outside ? N_("Question") : N_("You"))));
	buf_adds(b, "<p class=\"text\">");
	html_lines(b, words);
	buf_adds(b, "</p>\n</section>\n");
}

void plain_message(struct plain *p, const struct message *m, struct str name)
{
	struct err ignored = ERR_INIT;
	const json_t *meta;
	struct buf *b = p->b;

	buf_addf(b, "<div id=\"m%lld\">\n", (long long)m->seq);
	switch ((enum message_role)m->role) {
	case ROLE_USER:
		put_user(p, m->content);
		put_mentions(p, m);
		plain_put_files(p, plain_attached(p, m));
		break;
	case ROLE_ASSISTANT:
		put_assistant(p, m, name);
		break;
	case ROLE_TOOL:
		if (m->kind == KIND_REPLY) {
			put_user(p, jx_str(jx_keep(p->rq->arena,
				jx_load_lenient(m->content, &ignored)),
				"answer"));
			break;
		}
		meta = meta_of(p, m);
		put_result(p, jx_str(meta, "toolName"), m->content,
			   jx_bool(meta, "isError", false),
			   jx_int(meta, "durationMs", 0));
		break;
	case ROLE_SYSTEM:
		break;
	}
	buf_adds(b, "</div>\n");
}

/* -- as events ----------------------------------------------------------------- */

void plain_close(struct plain_writer *w)
{
	if (w->open == PLAIN_ANSWER)
		buf_adds(w->p->b, "</p>\n</section>\n");
	if (w->open == PLAIN_REASONING)
		buf_adds(w->p->b, "</p></details>\n");
	w->open = PLAIN_NONE;
}

static void put_delta(struct plain_writer *w, enum plain_block block,
		      struct str text)
{
	if (w->open != block) {
		plain_close(w);
		if (block == PLAIN_ANSWER) {
			put_section(w->p->b, "answer", w->name);
			buf_adds(w->p->b, "<p class=\"text\">");
		} else {
			open_reasoning(w->p);
		}
		w->open = block;
	}
	html_lines(w->p->b, text);
}

/* The turn may run on, so that its forms are on another page; the page may be that. */
static void put_asked(struct plain *p, const struct turn_wait *w)
{
	char id[UUID_TEXT_BYTES];

	if (!(w->flags & WAIT_INNER) || p->steps)
		return;
	buf_adds(p->b, "<p>");
	plain_say(p, "A step of the plan waits for you.");
	buf_addf(p->b, " <a href=\"%sturns/%s?steps=1\">", p->root,
		 uuid_format(&w->turn_id, id));
	plain_say(p, "Answer it");
	buf_adds(p->b, "</a></p>\n");
}

void plain_event(struct plain_writer *w, const struct turn_event *ev)
{
	struct buf *b = w->p->b;

	switch (ev->type) {
	case TURN_EV_TOKEN:
		put_delta(w, PLAIN_ANSWER, ev->text);
		return;
	case TURN_EV_REASONING:
		put_delta(w, PLAIN_REASONING, ev->text);
		return;
	case TURN_EV_SESSION:
	case TURN_EV_CONTEXT_USAGE:
	case TURN_EV_STATUS:
	case TURN_EV_TITLE:
		return;
	default:
		plain_close(w);
	}
	switch (ev->type) {
	case TURN_EV_USER_MESSAGE:
		plain_message(w->p, ev->message, w->name);
		break;
	case TURN_EV_TOOL_CALL:
		put_call(w->p, ev->tool_name, ev->args);
		break;
	case TURN_EV_TOOL_RESULT:
		put_result(w->p, ev->tool_name, ev->result, ev->is_error,
			   ev->duration_ms);
		break;
	case TURN_EV_APPROVAL_REQUEST:
	case TURN_EV_CLARIFICATION:
	case TURN_EV_CLIENT_TOOL_CALL:
		put_asked(w->p, ev->waits);
		break;
	case TURN_EV_WARNING:
		buf_adds(b, "<p class=\"error\">");
		html_text(b, ev->text);
		buf_adds(b, "</p>\n");
		break;
	case TURN_EV_DONE:
	case TURN_EV_ERROR:
		put_end(w->p, meta_of(w->p, ev->message));
		w->ended = true;
		break;
	default:
		break;
	}
}
