/* SPDX-License-Identifier: MIT */
/*
 * Agents as tools (lib/turn/nested.c): the loop within a call, its budget, what
 * it shows, stores and may not do; and who said something first (text_origin.c).
 */
#include "turn_lab.h"

#include <stdio.h>

#include "base/json.h"
#include "context/text_origin.h"

#define CALL(name) "!script {\"tool_calls\":[{\"name\":\"" name \
	"\",\"args\":{\"task\":\"go\"}}],\"then\":{\"text\":\"Done.\"}}"

/* What the tool gave, as it is stored in the thread: the last tool row. */
static struct message tool_row(struct play *p)
{
	struct message_page page = play_thread(p);
	size_t i = page.n;

	while (i > 0 && page.items[i - 1].role != ROLE_TOOL)
		i--;
	assert_true(i > 0);
	return page.items[i - 1];
}

static bool has(struct str s, const char *part)
{
	return memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static void assert_row(struct play *p, const char *part, bool is_error)
{
	struct message m = tool_row(p);
	struct err e = ERR_INIT;
	json_t *meta = jx_load(m.meta, &e);	/* its steps have isError too */

	if (!has(m.content, part))
		fail_msg("no \"%s\" in %.*s", part, STR_ARG(m.content));
	assert_int_equal(jx_bool(meta, "isError", !is_error), is_error);
	json_decref(meta);
}

static void run_one(struct play *p, const char *content)
{
	play(p, NULL, NULL, content);
	assert_int_equal(p->status, TURN_DONE);
	play_assert_has(p, "DONE Done.\n");
}

/* -- answers ---------------------------------------------------------------- */

static void an_agent_answers(void **state)
{
	struct message_page page;
	struct play p;

	(void)state;
	run_one(&p, CALL("greet"));
	assert_str_is(tool_row(&p).content, "Guten Tag");	/* trimmed */
	assert_false(has(tool_row(&p).meta, "\"untrusted\":true"));
	page = play_thread(&p);		/* nothing of it but call and result */
	assert_int_equal(page.n, 4);
	assert_null(strstr(p.record.log.p, "TOOL_PROGRESS"));
	play_end(&p);
}

static void it_shows_what_it_does(void **state)
{
	const char *start, *end, *result;
	struct play p;

	(void)state;
	run_one(&p, CALL("counter"));
	start = strstr(p.record.log.p, "TOOL_PROGRESS query_data start \n");
	end = strstr(p.record.log.p, "TOOL_PROGRESS query_data success \n");
	result = strstr(p.record.log.p, "TOOL_RESULT counter ok Three.");
	assert_true(start && end && result && start < end && end < result);
	assert_null(strstr(p.record.log.p, "TOOL_CALL query_data"));
	assert_int_equal(play_thread(&p).n, 4);
	/* It is trusted, but has read what is not. */
	assert_true(has(tool_row(&p).meta, "\"untrusted\":true"));
	play_end(&p);
}

static void its_usage_is_a_record_of_its_own(void **state)
{
	const char **row;
	struct play p;

	(void)state;
	run_one(&p, CALL("counter"));
	row = play_usage(&p, USAGE_AGENT, "agent_id, iterations,"
			 " input_tokens > 0, finish_reason");
	assert_string_equal(row[0], "counter");
	assert_string_equal(row[1], "2");
	assert_string_equal(row[2], "1");
	assert_string_equal(row[3], "stop");
	(void)play_usage(&p, USAGE_CHAT, "1");
	play_end(&p);
}

static void a_long_answer_is_cut(void **state)
{
	struct play p;

	(void)state;
	run_one(&p, CALL("chatty"));
	assert_row(&p, "bytes left out here; read_result", false);
	assert_true(tool_row(&p).content.n < 70000);
	play_end(&p);
}

static void two_at_once(void **state)
{
	struct play p;

	(void)state;
	run_one(&p, "!script {\"tool_calls\":[{\"name\":\"greet\",\"args\":{}},"
		"{\"name\":\"counter\",\"args\":{}}],\"then\":{\"text\":\"Done.\"}}");
	play_assert_has(&p, "TOOL_RESULT greet ok Guten Tag\n");
	play_assert_has(&p, "TOOL_RESULT counter ok Three.\n");
	play_end(&p);
}

/* -- its budget ------------------------------------------------------------- */

static void budgets_end_it(void **state)
{
	static const char *const scripts[] = {
		CALL("capped"), CALL("hurried"), CALL("frugal"),
	};
	struct play p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		run_one(&p, scripts[i]);
		assert_row(&p, "\n\n[This agent came to the end of its budget "
			   "before it was done.]", false);
		play_end(&p);
	}
}

static void calls_beyond_it_are_refused(void **state)
{
	struct play p;

	(void)state;
	run_one(&p, CALL("capped"));
	play_assert_has(&p, "TOOL_PROGRESS list_datasets success");
	play_assert_has(&p, "TOOL_PROGRESS query_data error");
	play_end(&p);
}

static void two_deep_and_no_deeper(void **state)
{
	const char *at;
	struct play p;
	int n = 0;

	(void)state;
	run_one(&p, CALL("deep"));
	assert_row(&p, "Deep.", false);
	/* deep, in it deep and counter; in that one neither is there */
	for (at = p.record.log.p; (at = strstr(at, "TOOL_PROGRESS deep start"));
	     at++)
		n++;
	assert_int_equal(n, 2);
	play_assert_has(&p, "TOOL_PROGRESS deep error");
	play_assert_has(&p, "TOOL_PROGRESS counter success");
	play_end(&p);
}

/* -- what it may not -------------------------------------------------------- */

static void without_tools_it_has_none(void **state)
{
	struct play p;

	(void)state;
	run_one(&p, CALL("bare"));
	assert_null(strstr(p.record.log.p, "TOOL_PROGRESS query_data success"));
	play_end(&p);
}

static void nobody_is_there_to_be_asked(void **state)
{
	struct play p;

	(void)state;
	run_one(&p, CALL("writer"));
	play_assert_has(&p, "TOOL_PROGRESS query_data success");
	play_assert_has(&p, "TOOL_PROGRESS note error");
	play_assert_has(&p, "TOOL_PROGRESS drop error");
	assert_null(strstr(p.record.log.p, "WAITING"));
	play_end(&p);
	run_one(&p, CALL("lonely"));
	play_assert_has(&p, "TOOL_PROGRESS ask_user error");
	assert_row(&p, "Alone.", false);
	play_end(&p);
}

/* -- failures --------------------------------------------------------------- */

static void failures_are_results(void **state)
{
	static const struct {
		const char *script, *says;
	} t[] = {
		{ CALL("mute"), "The agent \\\"mute\\\" gave no answer." },
		{ CALL("dies"), "The agent \\\"dies\\\" failed: " },
		{ CALL("away"), "The agent \\\"away\\\" failed: " },
		{ CALL("keyless"), "The agent \\\"keyless\\\" has no language "
		  "model: " },
	};
	struct play p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		run_one(&p, t[i].script);
		assert_row(&p, t[i].says, true);
		assert_row(&p, "\"code\":\"tool_failed\"", true);
		play_end(&p);
	}
}

static void it_has_a_time_limit(void **state)
{
	int64_t start = lab_ms();
	struct play p;

	(void)state;
	run_one(&p, CALL("late"));
	assert_row(&p, "\"code\":\"tool_timeout\"", true);
	assert_in_range(lab_ms() - start, 290, 5000);
	play_end(&p);
}

static void stop_it(struct record *r, const struct turn_event *ev)
{
	(void)r;
	if (ev->type == TURN_EV_TOOL_CALL)
		assert_true(event_live_cancel(lab.deps.live, &ev->run->id));
}

static void a_stop_reaches_it(void **state)
{
	int64_t start = lab_ms();
	struct play p;

	(void)state;
	assert_int_equal(play_open(&p, NULL, NULL, CALL("slow")), 0);
	play_run(&p, stop_it);
	assert_int_equal(p.status, TURN_CANCELLED);
	assert_true(lab_ms() - start < 5000);
	assert_row(&p, "cancelled", true);
	play_end(&p);
}

/* -- text_origin.c ----------------------------------------------------------------- */

#define URL "http://x.example/?q=1"

static struct llm_message message(enum llm_role role, const char *text)
{
	return (struct llm_message){ .role = role, .text = str_of(text) };
}

static bool said(struct llm_message *m, size_t n)
{
	const struct context cx = lab_context(m, n, NULL);

	return context_from_others(&cx, STR(URL));
}

static void who_said_it_first(void **state)
{
	struct llm_tool_call call = { .name = STR("f"), .args = STR("{}") };
	struct llm_message m[3];

	(void)state;
	assert_false(said(m, 0));
	m[0] = message(LLM_USER, "see " URL ", please");
	assert_true(said(m, 1));
	m[0] = message(LLM_USER, "see http://x.example/?q=");
	assert_false(said(m, 1));
	m[1] = message(LLM_TOOL, "links: " URL);
	assert_true(said(m, 2));
	m[2] = message(LLM_ASSISTANT, "I found " URL);
	assert_true(said(m, 3));
	m[1] = message(LLM_ASSISTANT, "I made up " URL);
	m[2] = message(LLM_TOOL, "you said " URL);
	assert_false(said(m, 3));
	m[2] = message(LLM_USER, "yes, " URL);	/* the user says it too */
	assert_true(said(m, 3));
	/* In a call, however it is written there. */
	m[2] = message(LLM_TOOL, "there is no " URL);
	m[1] = message(LLM_ASSISTANT, "");
	m[1].calls = &call;
	m[1].n_calls = 1;
	assert_true(said(m, 3));
	call.args = STR("{\"a\":{\"b\":[\"HTTP:\\/\\/x.example\\u002f?q=1\"]}}");
	assert_false(said(m, 3));
	call.args = STR("{\"" URL "\":1}");
	assert_false(said(m, 3));
	call.args = STR("{\"cut off \\\"" URL);
	assert_false(said(m, 3));
	call.args = STR("{}");
	call.name = STR(URL);
	assert_false(said(m, 3));
}

static void an_agents_task_is_the_models(void **state)
{
	struct llm_message outer[2], inner[3];
	struct context turn = lab_context(outer, 1, NULL);
	struct context cx = lab_context(inner, 1, &turn);

	(void)state;
	outer[0] = message(LLM_USER, "hello");
	inner[0] = message(LLM_USER, "{\"task\":\"" URL "\"}");
	assert_false(context_from_others(&cx, STR(URL)));
	inner[1] = message(LLM_TOOL, URL);
	cx = lab_context(inner, 2, &turn);
	assert_false(context_from_others(&cx, STR(URL)));
	inner[0] = message(LLM_USER, "{}");
	assert_true(context_from_others(&cx, STR(URL)));
	/* What the model around it had made up, a tool within repeats. */
	outer[1] = message(LLM_ASSISTANT, URL);
	turn = lab_context(outer, 2, NULL);
	assert_false(context_from_others(&cx, STR(URL)));
	outer[0] = message(LLM_USER, URL);
	assert_true(context_from_others(&cx, STR(URL)));
}

static int up(void **state)
{
	lab.workspace = "agents";
	return lab_up(state);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_answers),
		cmocka_unit_test(it_shows_what_it_does),
		cmocka_unit_test(its_usage_is_a_record_of_its_own),
		cmocka_unit_test(a_long_answer_is_cut),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(budgets_end_it),
		cmocka_unit_test(calls_beyond_it_are_refused),
		cmocka_unit_test(two_deep_and_no_deeper),
		cmocka_unit_test(without_tools_it_has_none),
		cmocka_unit_test(nobody_is_there_to_be_asked),
		cmocka_unit_test(failures_are_results),
		cmocka_unit_test(it_has_a_time_limit),
		cmocka_unit_test(a_stop_reaches_it),
		cmocka_unit_test(who_said_it_first),
		cmocka_unit_test(an_agents_task_is_the_models),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("nested", tests, up, lab_down);
}
