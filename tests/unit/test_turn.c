/*
 * The loop (lib/turn) over real HTTP to the stand-in model and with the real
 * store: what is emitted, what is stored, and what happens when things fail.
 */
#include "turn_lab.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

#define COUNT_TICKETS "{\"name\":\"query_data\",\"args\":{\"dataset\":" \
	"\"ticket\",\"aggregates\":[{\"fn\":\"count\"}]}}"
#define SLOW(as) "{\"name\":\"query_data\",\"args\":{\"dataset\":\"slow\"," \
	"\"limit\":" as "}}"

static void assert_log(const struct play *p, const char *want)
{
	if (strcmp(p->record.log.p, want) != 0)
		fail_msg("events:\n%s\nwanted:\n%s", p->record.log.p, want);
}

static void assert_has(const struct play *p, const char *part)
{
	if (!strstr(p->record.log.p, part))
		fail_msg("no \"%s\" in\n%s", part, p->record.log.p);
}

static struct owner owner_of_play(const struct play *p)
{
	return (struct owner){ p->who.tenant, p->who.user_id };
}

/* The thread as it is stored, oldest first. */
static struct message_page thread_of(struct play *p)
{
	struct owner o = owner_of_play(p);
	struct message_page page;
	struct err e = ERR_INIT;

	if (message_list(lab.root, &o, &p->run.conversation_id, OLDEST_FIRST,
			 0, 100, &p->arena, &page, &e) < 0)
		fail_msg("%s", e.text);
	return page;
}

static struct turn turn_of(struct play *p)
{
	struct owner o = owner_of_play(p);
	struct err e = ERR_INIT;
	struct turn t;

	if (turn_get(lab.root, &o, &p->run.id, &p->arena, &t, &e) < 0)
		fail_msg("%s", e.text);
	return t;
}

/* -- answers ---------------------------------------------------------------- */

static void an_answer_is_streamed_and_stored(void **state)
{
	struct message_page page;
	struct play p;
	struct turn t;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"Hello world\"}");
	assert_int_equal(p.status, TURN_DONE);
	assert_log(&p, "SESSION\n"
		   "USER_MESSAGE !script {\"text\":\"Hello world\"}\n"
		   "TITLE !script {\"text\":\"Hello world\"}\n"
		   "CONTEXT_USAGE\nSTATUS thinking\nSTATUS answering\n"
		   "TOKEN Hello world\nDONE Hello world\n");
	page = thread_of(&p);
	assert_int_equal(page.n, 2);
	assert_int_equal(page.items[1].role, ROLE_ASSISTANT);
	assert_str_is(page.items[1].content, "Hello world");
	assert_true(uuid_eq(&page.items[1].turn_id, &p.run.id));
	assert_string_equal(json_string_value(play_meta(&p, "finish_reason")), "stop");
	assert_true(jx_int(play_meta(&p, "usage"), "outputTokens", -1) > 0);
	t = turn_of(&p);
	assert_int_equal(t.status, TURN_DONE);
	assert_int_equal(t.answer_seq, 2);
	play_end(&p);
}

static void tools_are_called_in_a_loop(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "!script {\"narration\":\"Let me look.\","
	     "\"tool_calls\":[" COUNT_TICKETS "],\"then\":{\"text\":\"Three.\"}}");
	assert_int_equal(p.status, TURN_DONE);
	assert_has(&p, "STATUS answering\nTOKEN Let me look.\nSTATUS executing\n"
		   "TOOL_CALL query_data {\"dataset\":\"ticket\",\"aggregates\":"
		   "[{\"fn\":\"count\"}]}\n"
		   "TOOL_RESULT query_data ok {\"dataset\":\"ticket\",\"columns\":"
		   "[{\"name\":\"count\",\"type\":\"integer\"}],\"rows\":[[3]],"
		   "\"rowCount\":1,\"truncated\":false}\nTOKEN_RESET\n"
		   "CONTEXT_USAGE\nSTATUS thinking\nSTATUS answering\n"
		   "TOKEN Three.\nDONE Three.\n");
	page = thread_of(&p);
	assert_int_equal(page.n, 4);
	assert_str_is(page.items[1].content, "Let me look.");
	assert_non_null(strstr(page.items[1].meta.p, "\"step\":true"));
	assert_int_equal(page.items[2].role, ROLE_TOOL);
	assert_non_null(strstr(page.items[2].content.p, "\"rows\":[[3]]"));
	assert_non_null(strstr(page.items[2].meta.p, "\"isError\":false"));
	assert_str_is(page.items[3].content, "Three.");
	play_end(&p);
}

static void parallel_calls_run_together(void **state)
{
	int64_t start = lab_ms();
	struct message_page page;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "!script {\"tool_calls\":[" SLOW("1") "," SLOW("2")
	     "," SLOW("3") "," SLOW("4") "],\"then\":{\"text\":\"ok\"}}");
	assert_int_equal(p.status, TURN_DONE);
	assert_in_range(lab_ms() - start, 250, 1100);	/* not 1200 */
	page = thread_of(&p);
	assert_int_equal(page.n, 7);
	for (size_t i = 2; i < 6; i++)
		assert_int_equal(page.items[i].role, ROLE_TOOL);
	play_end(&p);
}

static void iterations_have_a_limit(void **state)
{
	struct play p;

	(void)state;
	play(&p, "short", NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"text\":\"Final.\"}}");
	assert_int_equal(p.status, TURN_DONE);
	assert_true(json_is_true(play_meta(&p, "capped")));
	assert_has(&p, "DONE Final.");
	play_end(&p);
}

static void a_third_repeat_is_refused(void **state)
{
	struct play p;
	const char *at;

	(void)state;
	play(&p, NULL, NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"tool_calls\":[{\"name\":\"query_data\",\"args\":"
	     "{\"aggregates\":[{\"fn\":\"count\"}],\"dataset\":\"ticket\"}}],"
	     "\"then\":{\"text\":\"Enough.\"}}}}");
	assert_int_equal(p.status, TURN_DONE);
	at = strstr(p.record.log.p, "TOOL_RESULT query_data error");
	assert_non_null(at);
	assert_non_null(strstr(at, "with the same arguments before"));
	assert_null(strstr(at + 1, "TOOL_RESULT"));
	play_end(&p);
}

static void bad_arguments_are_answered(void **state)
{
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "!script {\"tool_calls\":[{\"name\":\"query_data\","
	     "\"args\":\"{\\\"dataset\\\":\"},{\"name\":\"nothing\",\"args\":{}}],"
	     "\"then\":{\"text\":\"Sorry.\"}}");
	assert_int_equal(p.status, TURN_DONE);
	assert_has(&p, "TOOL_RESULT query_data error {\"error\":{\"code\":"
		   "\"tool_arguments_invalid\"");
	assert_has(&p, "TOOL_RESULT nothing error {\"error\":{\"code\":"
		   "\"tool_unknown\"");
	assert_has(&p, "DONE Sorry.");
	play_end(&p);
}

static void a_model_without_tools_answers(void **state)
{
	struct play p;

	(void)state;
	play(&p, "plain", NULL, "!script {\"text\":\"Just text.\"}");
	assert_int_equal(p.status, TURN_DONE);
	assert_int_equal(p.run.loop->tools.n, 0);
	assert_has(&p, "DONE Just text.");
	play_end(&p);
}

static void agents_offer_what_they_list(void **state)
{
	struct play p;

	(void)state;
	play(&p, "bare", NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"text\":\"No.\"}}");
	assert_int_equal(p.run.loop->tools.n, 1);
	assert_has(&p, "tool_unknown");
	play_end(&p);
}

static void other_ends_have_names(void **state)
{
	static const struct {
		const char *script, *reason, *content;
	} rows[] = {
		{ "{\"text\":\"Cut\",\"finish\":\"length\"}", "length", "Cut" },
		{ "{\"text\":\"\",\"finish\":\"length\"}", "length",
		  "The answer was cut off" },
		{ "{\"text\":\"Half\",\"finish\":\"content_filter\"}",
		  "content_filter", "Half" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char content[256];
		struct play p;

		snprintf(content, sizeof(content), "!script %s", rows[i].script);
		play(&p, NULL, NULL, content);
		assert_int_equal(p.status, TURN_DONE);
		assert_string_equal(json_string_value(
			play_meta(&p, "finish_reason")), rows[i].reason);
		assert_true(str_starts(p.run.answer.content,
				       str_of(rows[i].content)));
		play_end(&p);
	}
}

/* -- cancel ----------------------------------------------------------------- */

static void cancel_here(struct record *r, const struct turn_event *ev)
{
	if (ev->type == TURN_EV_TOKEN && r->tokens == 3)
		assert_true(turn_live_cancel(lab.deps.live, &ev->run->id));
}

static void cancel_elsewhere(struct record *r, const struct turn_event *ev)
{
	struct owner o = { ev->run->in.who->tenant, ev->run->in.who->user_id };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct turn t;

	if (r->tokens != 3)
		return;
	r->tokens++;
	assert_int_equal(turn_cancel(lab.root, &o, &ev->run->id, &a, &t, &e), 0);
	arena_release(&a);
}

static void cancel_in_tool(struct record *r, const struct turn_event *ev)
{
	(void)r;
	if (ev->type == TURN_EV_TOOL_CALL)
		turn_live_cancel(lab.deps.live, &ev->run->id);
}

static void assert_cancelled(struct play *p)
{
	struct turn t = turn_of(p);

	assert_int_equal(p->status, TURN_CANCELLED);
	assert_int_equal(t.status, TURN_CANCELLED);
	assert_string_equal(json_string_value(play_meta(p, "finish_reason")),
			    "cancelled");
	assert_int_equal(p->record.last, TURN_EV_DONE);
}

static void cancel_keeps_the_text(void **state)
{
	static lab_hook *const hooks[] = { cancel_here, cancel_elsewhere };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int64_t start = lab_ms();
		struct message_page page;
		struct play p;

		assert_int_equal(play_open(&p, NULL, NULL, "!script "
			"{\"tokens\":1000,\"rate\":50}"), 0);
		play_run(&p, hooks[i]);
		assert_cancelled(&p);
		assert_true(lab_ms() - start < 5000);	/* of 20 s */
		page = thread_of(&p);
		assert_int_equal(page.n, 2);
		assert_true(page.items[1].content.n > 5);
		play_end(&p);
	}
}

static void cancel_in_a_tool_answers_all_calls(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"tool_calls\":["
		SLOW("1") "," SLOW("2") "],\"then\":{\"text\":\"never\"}}"), 0);
	play_run(&p, cancel_in_tool);
	assert_cancelled(&p);
	assert_null(strstr(p.record.log.p, "TOKEN never"));
	page = thread_of(&p);
	assert_int_equal(page.n, 5);	/* user, step, two results, answer */
	assert_non_null(strstr(page.items[2].content.p, "cancelled"));
	assert_non_null(strstr(page.items[3].content.p, "cancelled"));
	play_end(&p);
}

/* -- failures upstream ------------------------------------------------------ */

static void upstream_failures_are_told_and_stored(void **state)
{
	static const struct {
		const char *agent, *script, *code, *content;
	} rows[] = {
		{ NULL, "{\"error\":{\"status\":500,\"body\":\"secret detail\"}}",
		  "upstream_error", "The language model" },
		{ NULL, "{\"error\":{\"status\":401}}", "upstream_auth",
		  "The language model" },
		{ NULL, "{\"html\":true}", "upstream_", "The language model" },
		{ NULL, "{\"empty\":true}", "upstream_", "The language model" },
		{ NULL, "{\"text\":\"one two three four\",\"cut_after\":2}",
		  "upstream_ended_early", "one two" },
		{ NULL, "{\"text\":\"one two three four\",\"error\":{\"after_tokens\":2}}",
		  "upstream_", "one two" },
		{ "away", "{}", "upstream_unreachable", "The language model" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char content[256];
		struct play p;
		struct turn t;

		snprintf(content, sizeof(content), "!script %s", rows[i].script);
		play(&p, rows[i].agent, NULL, content);
		if (p.status != TURN_ERROR)
			fail_msg("%s: %d\n%s", rows[i].script, p.status,
				 p.record.log.p);
		assert_int_equal(p.record.last, TURN_EV_ERROR);
		assert_string_equal(json_string_value(
			play_meta(&p, "finish_reason")), "error");
		t = turn_of(&p);
		assert_int_equal(t.status, TURN_ERROR);
		if (!str_starts(t.error_code, str_of(rows[i].code)) ||
		    !str_starts(p.run.answer.content, str_of(rows[i].content)))
			fail_msg("%s: %.*s \"%.*s\"", rows[i].script,
				 STR_ARG(t.error_code),
				 STR_ARG(p.run.answer.content));
		assert_null(strstr(p.run.answer.content.p, "secret detail"));
		assert_null(strstr(p.run.answer.meta.p, "secret detail"));
		play_end(&p);
	}
}

static void a_failed_turn_is_not_replayed(void **state)
{
	struct play p, q;
	struct llm_request *r;

	(void)state;
	play(&p, NULL, NULL, "!script {\"error\":{\"status\":500}}");
	play(&q, NULL, &p.run.conversation_id, "!script {\"text\":\"Better.\"}");
	r = &q.run.loop->request;
	assert_int_equal(r->n_messages, 2);
	assert_int_equal(r->messages[0].role, LLM_USER);
	assert_int_equal(r->messages[1].role, LLM_USER);
	play_end(&p);
	play_end(&q);
}

/* -- gates ------------------------------------------------------------------ */

static void gates_answer_before_the_stream(void **state)
{
	struct conf_workspace cannot_chat = { .id = "x", .llm_service = "blind" };
	struct uuid nowhere = uuid_new();
	const struct conf_llm *s;
	struct err e = ERR_INIT;
	struct play p;

	(void)state;
	assert_int_equal(turn_service(lab.conf, &cannot_chat, NULL, &s, &e), -1);
	assert_int_equal(e.code, ERR_CHAT_DISABLED);
	assert_int_equal(play_open(&p, NULL, &nowhere, "hi"), -1);
	assert_int_equal(p.err.code, ERR_NOT_FOUND);
	play_end(&p);
}

static void try_second(struct record *r, const struct turn_event *ev)
{
	char id[UUID_TEXT_BYTES];
	struct play q;

	if (ev->type != TURN_EV_TOKEN || r->tokens != 1)
		return;
	assert_int_equal(play_open(&q, NULL, &ev->run->conversation_id, "me too"), -1);
	assert_int_equal(q.err.code, ERR_BUSY);
	assert_string_equal(q.err.id, uuid_format(&ev->run->id, id));
	play_end(&q);
}

static void a_conversation_answers_one_at_a_time(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"a b\"}"), 0);
	play_run(&p, try_second);
	assert_int_equal(p.status, TURN_DONE);
	play_end(&p);
}

/* -- history ---------------------------------------------------------------- */

static void steps_are_replayed_whole(void **state)
{
	const struct llm_request *r;
	struct play p, q;

	(void)state;
	play(&p, NULL, NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"text\":\"Three.\"}}");
	play(&q, NULL, &p.run.conversation_id, "!script {\"text\":\"Yes.\"}");
	r = &q.run.loop->request;
	assert_int_equal(r->n_messages, 5);
	assert_int_equal(r->messages[1].n_calls, 1);
	assert_int_equal(r->messages[2].role, LLM_TOOL);
	assert_true(str_eq(r->messages[2].call_id, r->messages[1].calls[0].id));
	/* In this turn's envelope; the stored one is clean. */
	assert_true(str_starts(r->messages[2].text, STR("[UNTRUSTED-DATA ")));
	assert_str_is(r->messages[3].text, "Three.");
	play_end(&p);
	play_end(&q);
}

static void missing_answers_are_made_up(void **state)
{
	struct owner o;
	struct turn_begin b;
	struct message step = {
		.role = ROLE_ASSISTANT, .content = STR("Looking"),
		.meta = STR("{\"step\":true,\"toolCalls\":[{\"callId\":\"c1\","
			    "\"toolName\":\"query_data\",\"args\":{}},{\"callId\":"
			    "\"c2\",\"toolName\":\"query_data\",\"args\":{}}],"
			    "\"origin\":{\"provider\":\"openai\",\"model\":\"demo\"},"
			    "\"replay\":{\"x\":1}}"),
	};
	struct message tool = {
		.role = ROLE_TOOL, .content = STR("{\"rows\":[]}"),
		.meta = STR("{\"callId\":\"c2\",\"toolName\":\"query_data\","
			    "\"isError\":false}"),
	};
	struct message rows[2] = { step, tool };
	struct turn_end end = { .status = TURN_INTERRUPTED };
	const struct llm_message *m;
	struct err e = ERR_INIT;
	struct play p, q;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"First.\"}");
	o = owner_of_play(&p);
	b = (struct turn_begin){
		.turn_id = uuid_new(),
		.conversation_id = p.run.conversation_id,
		.content = STR("second"),
	};
	assert_int_equal(turn_begin(lab.root, &o, &b, &e), 0);
	assert_int_equal(turn_append(lab.root, &o, &b.conversation_id,
				     &b.turn_id, rows, 2, &e), 0);
	end.turn_id = b.turn_id;
	end.conversation_id = b.conversation_id;
	assert_int_equal(turn_end(lab.root, &o, &end, &e), 0);

	play(&q, NULL, &p.run.conversation_id, "!script {\"text\":\"Third.\"}");
	m = q.run.loop->request.messages;
	assert_int_equal(q.run.loop->request.n_messages, 7);
	assert_int_equal(m[3].n_calls, 2);
	assert_non_null(m[3].replay);
	assert_str_is(m[4].call_id, "c1");
	assert_true(m[4].is_error);
	assert_non_null(strstr(m[4].text.p, "was not answered"));
	assert_str_is(m[5].call_id, "c2");
	assert_false(m[5].is_error);
	assert_int_equal(m[6].role, LLM_USER);
	play_end(&q);

	/* Another provider gets the same without the first one's blobs. */
	assert_int_equal(play_open(&q, NULL, &p.run.conversation_id, "!script "
		"{\"text\":\"Fourth.\"}"), 0);
	q.run.service = conf_llm(lab.conf, STR("claude"));
	play_run(&q, NULL);
	assert_has(&q, "DONE Fourth.");
	m = q.run.loop->request.messages;
	for (size_t i = 0; i < q.run.loop->request.n_messages; i++)
		assert_null(m[i].replay);
	play_end(&q);
	play_end(&p);
}

static void history_has_a_budget(void **state)
{
	struct uuid conversation;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"one\"}");
	conversation = p.run.conversation_id;
	play_end(&p);
	for (int i = 0; i < 6; i++) {
		play(&p, NULL, &conversation, "!script {\"tool_calls\":["
		     COUNT_TICKETS "],\"then\":{\"text\":\"more\"}}");
		play_end(&p);
	}
	play(&p, NULL, &conversation, "!script {\"text\":\"last\"}");
	/* history_messages: 6, begun with a user's, steps besides. */
	assert_int_equal(p.run.loop->request.messages[0].role, LLM_USER);
	assert_in_range(p.run.loop->request.n_messages, 7, 13);
	for (size_t i = 0; i < p.run.loop->request.n_messages; i++)
		if (p.run.loop->request.messages[i].role == LLM_TOOL)
			assert_true(i > 1);
	assert_true(context_shorten(p.run.loop));
	assert_int_equal(p.run.loop->request.messages[0].role, LLM_USER);
	while (context_shorten(p.run.loop))
		continue;
	assert_int_equal(p.run.loop->request.n_messages, 1);
	play_end(&p);
}

/* -- titles ----------------------------------------------------------------- */

static void titles_come_from_the_first_message(void **state)
{
	static const struct {
		const char *content, *title;
	} rows[] = {
		{ "Hello", "Hello" },
		{ "  two\n\n lines\there ", "two lines here" },
		{ "one two three four five six seven eight nine ten eleven twelve thirteen",
		  "one two three four five six seven eight nine ten eleven…" },
		{ "äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüä",
		  "äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü…" },
		{ " \n ", "" },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str t = turn_first_title(&a, str_of(rows[i].content));

		assert_str_is(t, rows[i].title);
		assert_true(utf8_valid(t));
	}
	assert_str_is(title_clean(&a, STR("\n\"Open **tickets**\".\nMore")),
		      "Open **tickets");
	assert_str_is(title_clean(&a, STR("Title: # Printers")), "Printers");
	arena_release(&a);
}

static void the_model_writes_a_title(void **state)
{
	struct conversation c;
	struct err e = ERR_INIT;
	struct owner o;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "How many tickets are open?");
	turn_after(&p.run);
	o = owner_of_play(&p);
	assert_int_equal(conversation_get(lab.root, &o, &p.run.conversation_id,
					  &p.arena, &c, &e), 0);
	assert_int_equal(c.title_by, TITLE_MODEL);
	assert_true(c.title.n > 0);
	play_end(&p);
}

/* -- text of a turn that dies ----------------------------------------------- */

static void text_so_far_is_stored(void **state)
{
	struct buf text = BUF_INIT(1 << 20);
	struct turn_events *batches;
	struct err e = ERR_INIT;
	struct owner o;
	struct play p;
	size_t n;

	(void)state;
	turn_text_of_events(&text, STR("{\"token\":\"a \"}\n{\"token\":\"b\"}\n"));
	turn_text_of_events(&text, STR("{\"reset\":true}\n{\"token\":\"c\"}\nbad\n"));
	assert_str_is(buf_str(&text), "c");
	buf_reset(&text);
	/* 60 tokens at 30 a second: two rounds of the live thread. */
	play(&p, NULL, NULL, "!script {\"tokens\":60,\"rate\":30}");
	o = owner_of_play(&p);
	assert_int_equal(turn_events_list(lab.root, &o, &p.run.id, 0, 100,
					  &p.arena, &batches, &n, &e), 0);
	assert_true(n >= 1);
	for (size_t i = 0; i < n; i++)
		turn_text_of_events(&text, batches[i].data);
	assert_true(text.n > 0);
	assert_true(str_starts(p.run.answer.content, buf_str(&text)));
	buf_release(&text);
	play_end(&p);
}

/* -- many, and a small pool ------------------------------------------------- */

enum { STREAMS = 200 };

static void *one_stream(void *unused)
{
	struct play *p = malloc(sizeof(*p));
	void *ok;

	(void)unused;
	play(p, NULL, NULL, "!script {\"tokens\":40,\"rate\":40}");
	ok = p->status == TURN_DONE && p->record.tokens >= 40 ? p : NULL;
	play_end(p);
	free(p);
	return ok;
}

static void streams_hold_no_connection(void **state)
{
	pthread_t threads[STREAMS];
	int64_t start = lab_ms();
	struct db_stats stats;
	int done = 0;

	(void)state;
	for (int i = 0; i < STREAMS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, one_stream,
						NULL), 0);
	for (int i = 0; i < STREAMS; i++) {
		void *ok;

		pthread_join(threads[i], &ok);
		done += ok != NULL;
	}
	assert_int_equal(done, STREAMS);
	db_stats(lab.deps.db, &stats);
	assert_true(stats.open <= 4);
	assert_true(lab_ms() - start < 20000);
	assert_int_equal(turn_live_count(lab.deps.live), 0);
}

/* -- the database goes away ------------------------------------------------- */

static void stop_db_at_token(struct record *r, const struct turn_event *ev)
{
	if (ev->type == TURN_EV_TOKEN && r->tokens == 1)
		lab_db_stop();
}

static void *start_db(void *unused)
{
	(void)unused;
	lab_db_start();
	return NULL;
}

static void restart_db_when_delayed(struct record *r,
				    const struct turn_event *ev)
{
	stop_db_at_token(r, ev);
	if (ev->type == TURN_EV_WARNING)
		start_db(NULL);
}

static void a_short_outage_is_waited_for(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"tokens\":20,"
		"\"rate\":40}"), 0);
	play_run(&p, restart_db_when_delayed);
	assert_int_equal(p.status, TURN_DONE);
	assert_has(&p, "WARNING storing_delayed");
	page = thread_of(&p);
	assert_int_equal(page.n, 2);
	assert_true(str_eq(page.items[1].content, p.run.answer.content));
	play_end(&p);
}

static void nothing_stored_is_said(void **state)
{
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, "!script {\"text\":\"Lost "
		"words\"}"), 0);
	play_run(&p, stop_db_at_token);
	assert_int_equal(p.status, TURN_ERROR);
	assert_has(&p, "ERROR Lost words");
	assert_true(json_is_false(play_meta(&p, "stored")));
	assert_int_equal(p.run.answer.seq, 0);
	assert_non_null(strstr(p.run.answer.meta.p, "could not be stored"));
	play_end(&p);
	start_db(NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_streamed_and_stored),
		cmocka_unit_test(tools_are_called_in_a_loop),
		cmocka_unit_test(parallel_calls_run_together),
		cmocka_unit_test(iterations_have_a_limit),
		cmocka_unit_test(a_third_repeat_is_refused),
		cmocka_unit_test(bad_arguments_are_answered),
		cmocka_unit_test(a_model_without_tools_answers),
		cmocka_unit_test(agents_offer_what_they_list),
		cmocka_unit_test(other_ends_have_names),
		cmocka_unit_test(cancel_keeps_the_text),
		cmocka_unit_test(cancel_in_a_tool_answers_all_calls),
		cmocka_unit_test(upstream_failures_are_told_and_stored),
		cmocka_unit_test(a_failed_turn_is_not_replayed),
		cmocka_unit_test(gates_answer_before_the_stream),
		cmocka_unit_test(a_conversation_answers_one_at_a_time),
		cmocka_unit_test(steps_are_replayed_whole),
		cmocka_unit_test(missing_answers_are_made_up),
		cmocka_unit_test(history_has_a_budget),
		cmocka_unit_test(titles_come_from_the_first_message),
		cmocka_unit_test(the_model_writes_a_title),
		cmocka_unit_test(text_so_far_is_stored),
		cmocka_unit_test(streams_hold_no_connection),
		cmocka_unit_test(a_short_outage_is_waited_for),
		cmocka_unit_test(nothing_stored_is_said),
	};

	(void)argc;
	lab_need_database(argv);
	return cmocka_run_group_tests_name("turn", tests, lab_up, lab_down);
}
