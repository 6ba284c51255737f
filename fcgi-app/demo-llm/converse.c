/* SPDX-License-Identifier: MIT */
/*
 * converse.c - the conversational mode, as a function of the request alone: it
 * keeps no state, so each round of the tool loop works out the same plan again
 * and sees how far the results have come.
 *
 *	no catalogue yet        -> call list_datasets
 *	ids of a name needed    -> call query_data for them
 *	no rows yet             -> call query_data
 *	rows                    -> answer
 */
#include "demo-llm/converse.h"

#include "demo-llm/act.h"
#include "demo-llm/answer.h"
#include "demo-llm/fill.h"
#include "demo-llm/project.h"
#include "demo-llm/quote.h"
#include "demo-llm/steps.h"

#include "base/json.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define TITLE_WORDS 7
#define TITLE_PROMPT_BYTES 300	/* of the prompt, that must speak of it */
#define SUMMARY_BYTES 262144
#define SAID_CHARS 120		/* of each message in a summary */
#define QUERIES_MAX 4		/* of one turn: then the last result counts */
#define ERROR_BYTES 300
#define IDS_MAX 50

static const char trailer[] =
	"\n\n_I am the demo model: fixed rules, no language model. To plug in "
	"a real one, set `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` and run "
	"`./lamp up` again, or edit `llm_services` in `lamplighter.yaml`._";

struct talk {
	const struct ask *ask;
	struct plan *plan;
	struct arena *a;
	struct words w;			/* of the question */
	struct catalogue catalogue;
	bool known;			/* the catalogue was read */
	struct done *done;
	size_t n_done;
	const char *lister, *query;	/* tools as offered, or NULL */
	struct out text;
};

/* Whether an answer before has said who answers here. */
static bool is_told(const struct ask *a)
{
	for (long i = 0; i < ask_last_user(a); i++)
		if (a->msgs[i].role == ROLE_ASSISTANT &&
		    strstr(a->msgs[i].text, trailer))
			return true;
	return false;
}

static void say(struct talk *t, bool with_trailer)
{
	if (with_trailer && !is_told(t->ask))
		out_puts(&t->text, trailer);
	plan_text(t->plan, PIECE_TEXT, out_keep(&t->text, t->a));
}

/* Pairs the calls behind the last user message with their results. */
static void collect(struct talk *t)
{
	const struct ask *a = t->ask;
	size_t i, k, j, n = 0;
	json_t *call;

	for (i = (size_t)(ask_last_user(a) + 1); i < a->n; i++)
		n += json_array_size(a->msgs[i].calls);
	t->done = arena_zalloc(t->a, n + 1, sizeof(*t->done));
	for (i = (size_t)(ask_last_user(a) + 1); i < a->n; i++)
		json_array_foreach(a->msgs[i].calls, k, call) {
			struct done *d = &t->done[t->n_done];
			const char *id = jx_str(call, "id").p;

			for (j = i + 1; j < a->n &&
			     a->msgs[j].role == ROLE_TOOL; j++)
				if (a->msgs[j].call_id && *id
				    ? !strcmp(a->msgs[j].call_id, id)
				    : j - i - 1 == k)
					d->result = &a->msgs[j];
			if (!d->result)
				continue;
			d->name = jx_str(call, "name").p;
			d->args = json_object_get(call, "args");
			t->n_done++;
		}
}

/* The newest readable list of datasets in the whole conversation. */
static void find_catalogue(struct talk *t)
{
	size_t i = t->ask->n;

	while (i-- > 0 && !t->known) {
		const struct msg *m = &t->ask->msgs[i];

		if (m->role == ROLE_TOOL && !m->is_error &&
		    demo_tool_is(m->tool_name, "list_datasets"))
			t->known = catalogue_read(&t->catalogue, t->a,
						  m->text);
	}
}

static void suggest(struct talk *t)
{
	if (!t->catalogue.n)
		return;
	out_puts(&t->text, " For example:\n");
	answer_examples(&t->text, &t->catalogue);
}

/* Calls list_datasets when that can help; false when it cannot. */
static bool need_catalogue(struct talk *t)
{
	size_t i;

	if (t->known)
		return false;
	for (i = 0; i < t->n_done; i++)
		if (demo_tool_is(t->done[i].name, "list_datasets")) {
			out_printf(&t->text, "I asked for the list of datasets,"
				" but could not use the answer: %.*s",
				(int)strnlen(t->done[i].result->text,
					     ERROR_BYTES),
				t->done[i].result->text);
			say(t, true);
			return true;
		}
	if (!t->lister) {
		out_puts(&t->text, "I have no datasets here that I could ask: "
			 "the tools `list_datasets` and `query_data` are not "
			 "offered to me, and without them I only know a few "
			 "polite phrases.");
		say(t, true);
		return true;
	}
	plan_call(t->plan, NULL, t->lister, NULL);
	return true;
}

static void call_query(struct talk *t, json_t *args)
{
	if (t->query) {
		plan_call(t->plan, NULL, t->query, args);
		return;
	}
	out_puts(&t->text, "I know how to look that up, but the tool "
		 "`query_data` is not offered to me (any more).");
	say(t, true);
}

/* The finished query_data call with these arguments, or NULL. */
static const struct done *find_query(const struct talk *t, const json_t *args)
{
	size_t i;

	for (i = 0; i < t->n_done; i++)
		if (demo_tool_is(t->done[i].name, "query_data") &&
		    json_equal(t->done[i].args, args))
			return &t->done[i];
	return NULL;
}

static size_t count_queries(const struct talk *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n_done; i++)
		n += demo_tool_is(t->done[i].name, "query_data");
	return n;
}

/* The rows of a finished call; NULL after saying why there are none. */
static json_t *rows_of(struct talk *t, const struct done *d)
{
	json_t *v = d->result->is_error ? NULL
					: result_json(t->a, d->result->text);

	if (json_is_array(json_object_get(v, "rows")))
		return v;
	out_printf(&t->text, "The query did not work: %.*s",
		   (int)strnlen(d->result->text, ERROR_BYTES),
		   d->result->text);
	say(t, true);
	return NULL;
}

/*
 * Turns filters by another dataset's title into filters by id. True when q can
 * be asked now; else the plan is made.
 */
static bool resolve(struct talk *t, struct question *q)
{
	size_t i, k;

	for (i = 0; i < q->n_filters; i++) {
		struct filter *f = &q->filter[i];
		const struct done *d;
		json_t *args, *v, *row, *ids;

		if (!f->via)
			continue;
		args = question_lookup(f, t->a);
		d = find_query(t, args);
		if (!d) {
			call_query(t, args);
			return false;
		}
		v = rows_of(t, d);
		if (!v)
			return false;
		ids = jx_keep(t->a, json_array());
		json_array_foreach(jx_arr(v, "rows"), k, row)
			if (k < IDS_MAX)
				json_array_append(ids, json_array_get(row, 0));
		if (!json_array_size(ids)) {
			out_printf(&t->text, "I found no %s called **%s**.",
				   f->via->one, json_string_value(f->value));
			say(t, true);
			return false;
		}
		f->value = ids;
		f->via = NULL;
		f->name = false;
	}
	return true;
}

/* No row, or a count of nothing. */
static bool is_nothing(const json_t *result)
{
	const json_t *rows = jx_arr(result, "rows");
	const json_t *v = json_array_get(json_array_get(rows, 0), 0);

	return !json_array_size(rows) ||
	       (json_array_size(rows) == 1 && json_is_integer(v) &&
		!json_integer_value(v));
}

/* "my tickets": whose, is not known here, unless the dataset knows. */
static bool is_mine(const struct talk *t, const struct question *q)
{
	return words_find(&t->w, "my mine") >= 0 &&
	       words_find(&q->dataset->about, "your my own") < 0;
}

static void ask_data(struct talk *t, struct question *q)
{
	const struct done *d;
	json_t *strict, *loose, *v;

	if (is_mine(t, q) && !q->n_filters) {
		out_puts(&t->text, "I do not know who you are, so I cannot "
			 "tell what is yours. Ask again with a name, please.");
		say(t, true);
		return;
	}
	if (!resolve(t, q))
		return;
	strict = question_query(q, t->a, false);
	loose = question_query(q, t->a, true);
	d = find_query(t, loose);
	if (!d)
		d = find_query(t, strict);
	/* A caller that changed the arguments must not make us ask for ever. */
	if (!d && count_queries(t) >= QUERIES_MAX)
		d = &t->done[t->n_done - 1];
	if (!d) {
		call_query(t, strict);
		return;
	}
	v = rows_of(t, d);
	if (!v)
		return;
	if (is_nothing(v) && t->query && !find_query(t, loose) &&
	    count_queries(t) < QUERIES_MAX) {
		call_query(t, loose);
		return;
	}
	answer_rows(&t->text, q, v);
	if (is_mine(t, q))
		out_puts(&t->text, "\n\nI cannot tell which rows are yours: "
			 "these are all that you may see.");
	say(t, true);
}

static bool smalltalk(struct talk *t)
{
	const struct words *w = &t->w;

	if (!w->n || (w->n <= 4 && word_in(w, 0, "hi hello hey hallo moin "
			"servus bonjour hola ciao greetings good"))) {
		out_puts(&t->text, "Hello! I can answer simple questions about "
			 "the datasets of this workspace, such as counting, "
			 "listing and grouping. Ask me \"What can you do?\" to "
			 "see them.");
		say(t, true);
		return true;
	}
	if (w->n <= 6 && words_find(w, "thanks thank thx danke merci bye "
				    "goodbye") >= 0) {
		out_puts(&t->text, words_find(w, "bye goodbye") >= 0
			 ? "Goodbye!" : "You are welcome!");
		say(t, false);
		return true;
	}
	return false;
}

/* Does the question ask what can be asked? */
static bool wants_help(const struct words *w)
{
	static const char *const phrase[] = {"what can you", "what do you know",
		"what can i ask", "who are you", "what are you",
		"how do you work", "what data", "which data", "help me",
		"what datasets", "which datasets", "what tables",
		"which tables"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(phrase); i++)
		if (words_have(w, phrase[i]))
			return true;
	return words_find(w, "datasets dataset") >= 0 ||
	       (w->n <= 2 && words_find(w, "help hilfe") >= 0);
}

/* "Delete all tickets": what none of the tools here does. */
static bool wants_change(const struct words *w)
{
	size_t i = 0;

	while (word_in(w, i, "please can could will would you now then and"))
		i++;
	return word_in(w, i, "delete remove drop erase destroy purge truncate "
		       "update change edit modify rename move assign reassign "
		       "close reopen cancel insert create add book") &&
	       !word_in(w, i + 1, "up");
}

static void help(struct talk *t)
{
	if (!t->catalogue.n) {
		out_puts(&t->text, "There is no dataset here for you yet. The "
			"administrator declares one with three lines of YAML "
			"in the workspace's file, `datasets:`, a name, and "
			"`{database: …, table: …}`.");
		say(t, true);
		return;
	}
	out_puts(&t->text, "I can count, list, sort, group and add up rows of "
		 "these datasets:\n");
	answer_datasets(&t->text, &t->catalogue);
	out_puts(&t->text, "\n\nAsk me in plain English.");
	suggest(t);
	say(t, true);
}

bool converse_wants_title(const struct ask *a)
{
	struct arena tmp = ARENA_INIT;
	struct words w;
	bool wants;
	size_t i;

	/* A prompt that is about a title says so at once; one that mentions
	 * a title somewhere is about something else. */
	for (i = 0; i < a->n && a->msgs[i].role != ROLE_SYSTEM; i++)
		;
	if (i == a->n || json_array_size(a->tools))
		return false;
	w = words_of(&tmp, arena_memdup(&tmp, a->msgs[i].text,
				strnlen(a->msgs[i].text, TITLE_PROMPT_BYTES)));
	wants = words_find(&w, "title") >= 0 &&
		words_find(&w, "conversation chat short words") >= 0;
	arena_release(&tmp);
	return wants;
}

/* A title from the user's words: "How many tickets are open?": Open tickets. */
static const char *title(struct arena *a, const char *text)
{
	struct refusal ignored = {0};
	struct words w;
	struct out o = {0};
	const char *rest;
	char *s;
	size_t i, n;
	json_t *v;

	if (!strncmp(text, "!script ", 8)) {
		v = script_json(text + 8, &rest, &ignored);
		text = v ? rest : "";
		json_decref(v);
	}
	if (!strncasecmp(text, "user:", 5))
		text += 5;
	w = words_of(a, arena_memdup(a, text, strcspn(text, "\n")));
	for (i = 0; i < w.n && is_stop_word(w.w[i].low); i++)
		;
	if (i == w.n)
		i = 0;
	if (!w.n) {
		out_puts(&o, "New conversation");
	} else if (words_at(&w, 0, "how many") && w.n == i + 3 &&
		   word_in(&w, i + 1, "are is") && !is_stop_word(w.w[i + 2].low)) {
		out_printf(&o, "%s %s", words_text(&w, i + 2, 1),
			   words_text(&w, i, 1));
	} else {
		n = MIN(w.n - i, (size_t)TITLE_WORDS);
		while (n > 1 && !w.w[i + n - 1].caps &&
		       is_stop_word(w.w[i + n - 1].low))
			n--;
		out_puts(&o, words_text(&w, i, n));
	}
	s = out_keep(&o, a);
	*s = (char)toupper((unsigned char)*s);
	return s;
}

/* lost: the words that were not understood, NULL for all of them. */
static void unknown(struct talk *t, const char *lost)
{
	out_printf(&t->text, "I did not understand %s%s%s. I match simple "
		   "questions about datasets, I cannot think.",
		   lost ? "\"" : "", lost ? lost : "that", lost ? "\"" : "");
	suggest(t);
	say(t, true);
}

/*
 * The answer of a summariser of conversations (lib/memory/fold.h): the summary so far and
 * the first words of each message of the user. NULL: the request is another one.
 */
static json_t *summary(struct talk *t, const char *question)
{
	const char *at = strchr(question, '{');
	struct str all = str_of(at), said;
	json_t *v = NULL, *m, *dropped;
	struct buf b = BUF_INIT(SUMMARY_BYTES);
	size_t i;

	if (!json_object_get(json_object_get(t->ask->schema, "properties"),
			     "kept_message_ids"))
		return NULL;
	if (at)
		v = jx_keep(t->a, jx_try((struct str){ at, jx_extent(all) }));
	buf_addstr(&b, jx_str(v, "current_summary"));
	dropped = json_array();
	json_array_foreach(jx_arr(v, "messages"), i, m) {
		json_array_append(dropped, json_object_get(m, "id"));
		said = utf8_head(jx_str(m, "text"), SAID_CHARS);
		if (str_is(jx_str(m, "role"), "user") && buf_ok(&b))
			buf_addf(&b, "%sThe user said: %.*s", b.n ? "\n" : "",
				 STR_ARG(said));
	}
	v = json_pack("{s:o, s:[], s:o, s:[], s:[]}", "summary",
		      jx_string(b.n ? buf_str(&b) : STR("Nothing was said.")),
		      "kept_message_ids", "dropped_message_ids", dropped,
		      "agent_state_item_updates", "agent_state_updates");
	buf_release(&b);
	return v;
}

/* Whether a sentence is one that the user says about themselves, or wants noted. */
static bool is_about_user(const struct words *w)
{
	static const char *const phrase[] = {"i am", "i'm", "i live", "i work",
		"i prefer", "i like", "i use", "i speak", "my name is", "call me",
		"remember that", "remember:", "please remember"};

	for (size_t i = 0; i < ARRAY_LEN(phrase); i++)
		if (words_at(w, 0, phrase[i]))
			return true;
	return false;
}

/*
 * The answer of a model that notes what to remember of a user (lib/memory/personal.h):
 * sentences about themselves, as they said them. NULL: the request is another one.
 */
static json_t *facts(struct talk *t, const char *question)
{
	const char *at = strchr(question, '{');
	struct str all = str_of(at), said, one;
	json_t *v = NULL, *out;

	if (!json_object_get(json_object_get(t->ask->schema, "properties"), "facts"))
		return NULL;
	if (at)
		v = jx_keep(t->a, jx_try((struct str){ at, jx_extent(all) }));
	out = json_array();
	for (said = jx_str(v, "message"); said.n;) {
		struct words w;

		one = str_trim(str_cut(&said, '.'));
		if (!one.n || utf8_head(one, SAID_CHARS).n < one.n)
			continue;
		w = words_of(t->a, arena_str(t->a, one).p);
		if (!is_about_user(&w))
			continue;
		json_array_append_new(out, json_string(arena_printf(
			t->a, "The user said: %.*s.", STR_ARG(one))));
	}
	return json_pack("{s:o}", "facts", out);
}

/*
 * The answer of a model that proposes what to say next (lib/turn/after.c): what the
 * demo's data can answer and was not asked. NULL: the request is another one.
 */
static json_t *follow_ups(struct talk *t, const char *question)
{
	static const char *const known[] = {
		"How many tickets are open?",
		"How many tickets were opened in each category this month?",
		"How many days of leave carry over?",
	};
	json_t *out;

	if (!json_object_get(json_object_get(t->ask->schema, "properties"), "messages"))
		return NULL;
	out = json_array();
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strstr(question, known[i]))
			json_array_append_new(out, json_string(known[i]));
	return json_pack("{s:o}", "messages", out);
}

static void say_json(struct talk *t, const char *question)
{
	json_t *v = t->ask->schema ? summary(t, question)
		: json_pack("{s:s}", "answer",
			"The demo model has no language model behind it.");

	if (!v && t->ask->schema)
		v = facts(t, question);
	if (!v && t->ask->schema)
		v = follow_ups(t, question);
	if (!v)
		v = fill_schema(t->ask->schema, question);

	out_dump(&t->text, v);
	json_decref(v);
	say(t, false);
}

/* What is remembered of the user, where they ask for it (context/recall.c). */
static bool recalls(struct talk *t)
{
	static const char mark[] = "assistants to know in all conversations";
	const char *at = NULL;
	bool any = false;

	if (!words_have(&t->w, "know about me") && !words_have(&t->w, "remember about me") &&
	    !words_have(&t->w, "remember of me") && !words_have(&t->w, "who am i"))
		return false;
	for (size_t i = 0; i < t->ask->n && !at; i++)
		if (t->ask->msgs[i].role == ROLE_SYSTEM)
			at = strstr(t->ask->msgs[i].text, mark);
	for (at = at ? strchr(at, '\n') : NULL; at && !strncmp(at, "\n- ", 3);
	     at = strchr(at + 1, '\n')) {
		out_printf(&t->text, "%s\n- %.*s", any ? "" : "You let me remember this:\n",
			   (int)strcspn(at + 3, "\n"), at + 3);
		any = true;
	}
	if (!any)
		out_puts(&t->text, "Nothing is remembered of you. Switch it on under "
			 "\"Remembered\" at the side, and keep what is proposed.");
	say(t, true);
	return true;
}

/* Requests that need no data. True when the plan is made. */
static bool acts(struct talk *t)
{
	const struct deeds done = { t->done, t->n_done };
	enum act did = act(t->ask, &t->w, done, t->plan, &t->text);

	if (did == ACT_NONE)
		did = project_act(t->ask, &t->w, done, t->plan, &t->text);

	if (did == ACT_SAID)
		say(t, true);
	return did != ACT_NONE;
}

/* Whether a search for the question is done: then it found nothing to quote. */
static bool has_searched(const struct talk *t)
{
	for (size_t i = 0; i < t->n_done; i++)
		if (demo_tool_is(t->done[i].name, "search_knowledge"))
			return true;
	return false;
}

/*
 * A file that comes with the question answers it, or nothing does; earlier ones
 * do if they have all of its words.
 */
static bool reads_files(struct talk *t, long user)
{
	const char *text = user < 0 ? "" : t->ask->msgs[user].text;
	bool here = demo_own_words(t->a, text) != text;

	if (!demo_quote_file(t->ask, here ? user : 0, user, &t->w, !here,
			     &t->text)) {
		if (!here)
			return false;
		out_puts(&t->text, "I found no sentence in the file that answers "
			 "this. Without a language model I only quote: ask "
			 "with words that occur in it.");
	}
	say(t, true);
	return true;
}

/*
 * What no dataset answers, an earlier file may, or a knowledge base; where it is
 * silent, that is the answer. True when the plan is made.
 */
static bool quotes(struct talk *t, const char *text)
{
	enum act did = ACT_SAID;

	if (!demo_quote_file(t->ask, 0, ask_last_user(t->ask), &t->w, false,
			     &t->text))
		did = quote(t->ask, text, &t->w,
			    (struct deeds){ t->done, t->n_done }, t->plan,
			    &t->text);
	if (did == ACT_NONE && has_searched(t)) {
		out_puts(&t->text, "The material here does not say. I searched the "
			 "knowledge bases with your question, and no passage "
			 "answers it.");
		did = ACT_SAID;
	}
	if (did == ACT_SAID)
		say(t, true);
	return did != ACT_NONE;
}

void converse(const struct ask *a, struct plan *p)
{
	struct talk t = {.ask = a, .plan = p, .a = a->a};
	long user = ask_last_user(a), before = user - 1;
	const char *text = user < 0 ? "" : a->msgs[user].text, *choice;
	struct words previous = {0};
	const struct demo_step step = demo_step_of(a);
	struct question q;

	if (converse_wants_title(a)) {
		plan_text(p, PIECE_TEXT, title(t.a, text));
		return;
	}
	if (a->schema || a->json_object) {
		say_json(&t, text);
		return;
	}
	if (user >= 0 && a->msgs[user].images) {
		out_printf(&t.text, "I am the demo model and cannot see. What I "
			   "was given is: %s.", a->msgs[user].images);
		say(&t, false);
		return;
	}
	text = step.title ? step.title : demo_own_words(t.a, text);
	if (step.title && demo_step_writes(&step, &t.text)) {
		say(&t, false);
		return;
	}
	t.w = words_of(t.a, text);
	t.lister = ask_tool(a, "list_datasets");
	t.query = ask_tool(a, "query_data");
	collect(&t);
	find_catalogue(&t);
	choice = act_choice(t.a, (struct deeds){ t.done, t.n_done });
	if (choice && !*choice) {
		out_puts(&t.text, "Then I leave it at that.");
		say(&t, false);
		return;
	}
	if (choice)
		t.w = words_of(t.a, choice);
	if (recalls(&t) || acts(&t) || smalltalk(&t) || reads_files(&t, user) ||
	    (!t.lister && quotes(&t, text)) ||
	    need_catalogue(&t) ||
	    (!choice && act_ask_back(a, &t.catalogue, &t.w, p)))
		return;
	if (wants_help(&t.w)) {
		help(&t);
		return;
	}
	if (wants_change(&t.w)) {
		out_puts(&t.text, "I only look things up: I cannot change or "
			 "delete any of it.");
		say(&t, true);
		return;
	}
	while (before >= 0 && a->msgs[before].role != ROLE_USER)
		before--;
	if (before >= 0)
		previous = words_of(t.a, demo_own_words(t.a, a->msgs[before].text));
	if (!question_read(&q, &t.catalogue, &t.w,
			   before >= 0 ? &previous : NULL)) {
		if (!quotes(&t, text))
			unknown(&t, NULL);
	} else if (q.lost) {
		if (!quotes(&t, text))
			unknown(&t, q.lost);
	} else {
		ask_data(&t, &q);
	}
}
