/* SPDX-License-Identifier: MIT */
/*
 * The loop (lib/turn) over real HTTP to the stand-in model and with the real
 * store: what is emitted and what is stored. Failures: test_turn_faults.c.
 */
#include "turn/after.h"
#include "turn_lab.h"

#include <stdio.h>

#include "base/utf8.h"
#include "context/context.h"
#include "turn/title.h"

/* -- answers ---------------------------------------------------------------- */

static void an_answer_is_streamed_and_stored(void **state)
{
	struct message_page page;
	struct play p;
	struct turn t;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"Hello world\"}");
	assert_int_equal(p.status, TURN_DONE);
	play_assert_log(&p, "SESSION\n"
		   "USER_MESSAGE !script {\"text\":\"Hello world\"}\n"
		   "TITLE !script {\"text\":\"Hello world\"}\n"
		   "CONTEXT_USAGE\nSTATUS thinking\nSTATUS answering\n"
		   "TOKEN Hello world\nDONE Hello world\n");
	page = play_thread(&p);
	assert_int_equal(page.n, 2);
	assert_int_equal(page.items[1].role, ROLE_ASSISTANT);
	assert_str_is(page.items[1].content, "Hello world");
	assert_true(uuid_eq(&page.items[1].turn_id, &p.run.id));
	assert_string_equal(json_string_value(play_meta(&p, "finish_reason")), "stop");
	assert_true(jx_int(play_meta(&p, "usage"), "outputTokens", -1) > 0);
	t = play_turn(&p);
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
	play_assert_has(&p, "STATUS answering\nTOKEN Let me look.\nSTATUS executing\n"
		   "TOOL_CALL query_data {\"dataset\":\"ticket\",\"aggregates\":"
		   "[{\"fn\":\"count\"}]}\n"
		   "TOOL_RESULT query_data ok {\"dataset\":\"ticket\",\"columns\":"
		   "[{\"name\":\"count\",\"type\":\"integer\"}],\"rows\":[[3]],"
		   "\"rowCount\":1,\"truncated\":false}\nTOKEN_RESET\n"
		   "CONTEXT_USAGE\nSTATUS thinking\nSTATUS answering\n"
		   "TOKEN Three.\nDONE Three.\n");
	page = play_thread(&p);
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
	page = play_thread(&p);
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
	play_assert_has(&p, "DONE Final.");
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
	play_assert_has(&p, "TOOL_RESULT query_data error {\"error\":{\"code\":"
		   "\"tool_arguments_invalid\"");
	play_assert_has(&p, "TOOL_RESULT nothing error {\"error\":{\"code\":"
		   "\"tool_unknown\"");
	play_assert_has(&p, "DONE Sorry.");
	play_end(&p);
}

static void a_model_without_tools_answers(void **state)
{
	struct play p;

	(void)state;
	play(&p, "plain", NULL, "!script {\"text\":\"Just text.\"}");
	assert_int_equal(p.status, TURN_DONE);
	assert_int_equal((int)play_request(&p)->n_tools, 0);
	play_assert_has(&p, "DONE Just text.");
	play_end(&p);
}

static void agents_offer_what_they_list(void **state)
{
	struct play p;

	(void)state;
	play(&p, "bare", NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"then\":{\"text\":\"No.\"}}");
	assert_int_equal((int)play_request(&p)->n_tools, 1);
	play_assert_has(&p, "tool_unknown");
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

static void usage_is_recorded(void **state)
{
	const char **row;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "!script {\"tool_calls\":[" COUNT_TICKETS
	     "],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5},\"then\":"
	     "{\"text\":\"x\",\"usage\":{\"prompt_tokens\":20,"
	     "\"completion_tokens\":7}}}");
	row = play_usage(&p, USAGE_CHAT, "iterations, input_tokens, output_tokens,"
			 " prompts, tools, finish_reason, ttft_ms >= 0,"
			 " workspace_id, model");
	assert_string_equal(row[0], "2");
	assert_string_equal(row[1], "30");
	assert_string_equal(row[2], "12");
	assert_non_null(strstr(row[3], "{\"layer\":\"guardrails\","
			       "\"name\":\"guardrails\",\"version\":1,"));
	assert_non_null(strstr(row[3], "\"hash\""));
	assert_non_null(strstr(row[4], "{\"name\":\"query_data\",\"ms\":"));
	assert_string_equal(row[5], "stop");
	assert_string_equal(row[6], "1");
	assert_string_equal(row[7], "lab");
	play_end(&p);
}

/* -- gates ------------------------------------------------------------------ */

static void gates_answer_before_the_stream(void **state)
{
	struct uuid nowhere = uuid_new();
	struct play p;

	(void)state;
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
	r = play_request(&q);
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
		.kind = KIND_STEP,
	};
	struct message tool = {
		.role = ROLE_TOOL, .content = STR("{\"rows\":[]}"),
		.meta = STR("{\"callId\":\"c2\",\"toolName\":\"query_data\","
			    "\"isError\":false}"),
		.kind = KIND_RESULT,
	};
	struct message rows[2] = { step, tool };
	struct turn_end end = { .status = TURN_INTERRUPTED };
	const struct llm_message *m;
	struct err e = ERR_INIT;
	struct play p, q;

	(void)state;
	play(&p, NULL, NULL, "!script {\"text\":\"First.\"}");
	o = play_owner(&p);
	b = (struct turn_begin){
		.turn_id = uuid_new(),
		.conversation_id = p.run.conversation_id,
		.content = STR("second"),
	};
	assert_int_equal(store_turn_begin(lab.root, &o, &b, &e), 0);
	assert_int_equal(store_turn_append(lab.root, &o, &b.conversation_id,
					   &b.turn_id, 0, rows, 2, &e), 0);
	end.turn_id = b.turn_id;
	end.conversation_id = b.conversation_id;
	assert_int_equal(store_turn_end(lab.root, &o, &end, &e), 0);

	play(&q, NULL, &p.run.conversation_id, "!script {\"text\":\"Third.\"}");
	m = play_request(&q)->messages;
	assert_int_equal(play_request(&q)->n_messages, 7);
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
	q.run.in.target.service = catalog_service(lab.conf, STR("claude"));
	play_run(&q, NULL);
	play_assert_has(&q, "DONE Fourth.");
	m = play_request(&q)->messages;
	for (size_t i = 0; i < play_request(&q)->n_messages; i++)
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
	assert_int_equal(play_request(&p)->messages[0].role, LLM_USER);
	assert_in_range(play_request(&p)->n_messages, 7, 13);
	for (size_t i = 0; i < play_request(&p)->n_messages; i++)
		if (play_request(&p)->messages[i].role == LLM_TOOL)
			assert_true(i > 1);
	assert_true(play_shorten(&p));
	assert_int_equal(play_request(&p)->messages[0].role, LLM_USER);
	while (play_shorten(&p))
		continue;
	assert_int_equal(play_request(&p)->n_messages, 1);
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
	}, said[] = {
		{ "Title: # Printers", "Printers" },
		{ "**Title:** Printers", "Printers" },
		{ "Titel: Drucker", "Drucker" }, { "Titre : Imprimante", "Imprimante" },
		{ "标题：打印机", "打印机" }, { "Titelseite: Entwurf", "Titelseite: Entwurf" },
		{ "```json {\"title\": \"Printers\"} ```", "Printers" },
		{ "~~~\nPrinters\n~~~", "Printers" },
		{ "„Urlaubsantrag für den Sommer“", "Urlaubsantrag für den Sommer" },
		{ "« Congés d’été »", "Congés d’été" },
		{ "「夏休みの申請」。", "夏休みの申請" },
		{ "```json\n{\"title\": \"Printer does not print\"}\n```",
		  "Printer does not print" },
		{ "{\"title\":\"Printers\"}", "Printers" },
		{ "[\"Printers\"]", "Printers" }, { "\"Printers\"", "Printers" },
		{ "```\nPrinters\n```", "Printers" },
		{ "Here is a title:\n\n\"Printers\"", "Printers" },
		{ "Here it is:\n\n```json\n{\n \"title\": \"Printers\"\n}\n```\nDone.",
		  "Printers" },
		{ "{'title': 'Printers'}", "Printers" },
		{ "Sets {a} and {b}", "Sets {a} and {b}" },
		{ "Printers:", "Printers:" },
		{ "- Printers", "Printers" }, { "<title>Printers</title>", "Printers" },
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
	for (size_t i = 0; i < ARRAY_LEN(said); i++)
		assert_str_is(title_clean(&a, str_of(said[i].content)),
			      said[i].title);
	arena_release(&a);
}

static void the_model_writes_a_title(void **state)
{
	const char **row;
	struct conversation c;
	struct err e = ERR_INIT;
	struct owner o;
	struct play p;

	(void)state;
	play(&p, NULL, NULL, "How many tickets are open?");
	turn_after(&p.run);
	o = play_owner(&p);
	assert_int_equal(conversation_get(lab.root, &o, &p.run.conversation_id,
					  &p.arena, &c, &e), 0);
	assert_int_equal(c.title_by, TITLE_MODEL);
	assert_true(c.title.n > 0);
	row = play_usage(&p, USAGE_TITLE, "prompts, finish_reason, iterations,"
			 " input_tokens > 0, agent_id, turn_number");
	assert_non_null(strstr(row[0], "[{\"layer\":\"title\",\"name\":"
			       "\"title\",\"version\":1,\"hash\":\""));
	assert_string_equal(row[1], "stop");
	assert_string_equal(row[2], "1");
	assert_string_equal(row[3], "1");
	assert_string_equal(row[4], p.run.in.target.agent->id);
	assert_string_equal(row[5], "1");
	play_end(&p);
}

/* after.def: each row is whole, and docs/turn.md says what it does. */
static void work_after_a_turn_is_a_table(void **state)
{
	char path[512], line[1024], want[80];
	struct play p;

	(void)state;
	assert_true(after_n_rows > 0);
	snprintf(path, sizeof(path), "%s/docs/turn.md",
		 getenv("LAMPLIGHTER_SRCDIR"));
	for (size_t i = 0; i < after_n_rows; i++) {
		const struct after *row = &after_rows[i];
		bool found = false;
		FILE *f = fopen(path, "r");

		assert_non_null(f);
		assert_true(*row->name && *row->what && row->due && row->run);
		snprintf(want, sizeof(want), "| `%s` |", row->name);
		while (fgets(line, sizeof(line), f))
			found |= strncmp(line, want, strlen(want)) == 0;
		fclose(f);
		if (!found)
			fail_msg("docs/turn.md does not have %s", want);
	}
	/* Due once in a conversation. */
	play(&p, NULL, NULL, "Hello");
	assert_true(title_due(&p.run));
	struct uuid id = p.run.conversation_id;

	play_end(&p);
	play(&p, NULL, &id, "And again");
	assert_false(title_due(&p.run));
	play_end(&p);
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
		cmocka_unit_test(usage_is_recorded),
		cmocka_unit_test(gates_answer_before_the_stream),
		cmocka_unit_test(a_conversation_answers_one_at_a_time),
		cmocka_unit_test(steps_are_replayed_whole),
		cmocka_unit_test(missing_answers_are_made_up),
		cmocka_unit_test(history_has_a_budget),
		cmocka_unit_test(titles_come_from_the_first_message),
		cmocka_unit_test(the_model_writes_a_title),
		cmocka_unit_test(work_after_a_turn_is_a_table),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("turn", tests, lab_up, lab_down);
}
