/* SPDX-License-Identifier: MIT */
/* The agent state, facts and the summariser's answers, without a database. */
#include "unit.h"

#include <string.h>

#include "memory/fold.h"
#include "memory/state.h"
#include "schema/schema.h"

enum { NOW_US = 1700000000 };

static struct arena a;

static json_t *parsed(const char *text)
{
	json_t *j = jx_keep(&a, jx_try(str_of(text)));

	assert_non_null(j);
	return j;
}

static size_t apply(json_t *state, const char *items, const char *patches,
		    enum state_by by, const char *given)
{
	return state_apply(state, parsed(items), parsed(patches), by, str_of(given), NOW_US);
}

static const char *text_of(const json_t *state)
{
	struct buf b = BUF_INIT(65536);
	const char *text;

	state_text(state, &b);
	text = arena_str(&a, buf_str(&b)).p;
	buf_release(&b);
	return text;
}

/* Whether there is nothing in it that a model needs to know. */
static bool is_empty(const json_t *state)
{
	struct buf b = BUF_INIT(4096);
	bool empty;

	state_text(state, &b);
	empty = b.n == 0;
	buf_release(&b);
	return empty;
}

static void a_state_that_is_no_state_is_empty(void **s)
{
	static const char *const wrong[] = { "", "[]", "{", "1", "{\"items\":3}" };

	(void)s;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_true(is_empty(state_read(&a, str_of(wrong[i]))));
}

static void items_first_then_the_rest(void **s)
{
	json_t *state = state_read(&a, STR(""));

	(void)s;
	assert_int_equal(apply(state,
		"[{\"op\":\"add\",\"item\":{\"kind\":\"task\",\"title\":\"Roof\"}},"
		"{\"op\":\"update\",\"id\":\"i1\",\"patch\":{\"status\":\"resolved\"}},"
		"{\"op\":\"add\",\"item\":{\"kind\":\"party\",\"title\":\"Door\"}}]",
		"{\"assumptions\":[{\"hypothesis\":\"It rains\",\"confidence\":7}]}",
		STATE_BY_MODEL, ""), 0);
	assert_string_equal(text_of(state), "Open items:\n- [i2] note: Door\n"
			    "Assumptions:\n- [a1] It rains (confidence 1)\n");
}

static void the_model_removes_nothing(void **s)
{
	json_t *state = state_read(&a, STR(""));

	(void)s;
	assert_int_equal(apply(state, "[{\"op\":\"add\",\"item\":{\"title\":\"Roof\"}}]",
			       "[{\"assumptions\":[{\"hypothesis\":\"It rains\"}]}]",
			       STATE_BY_MODEL, ""), 0);
	assert_int_equal(apply(state, "[{\"op\":\"remove\",\"id\":\"i1\"},"
			       "{\"op\":\"update\",\"id\":\"i9\",\"patch\":{}}, 7, {}]",
			       "[\"x\"]", STATE_BY_MODEL, ""), 5);
	assert_non_null(strstr(text_of(state), "Roof"));
	/* An assumption is discarded, and stays. */
	assert_int_equal(apply(state, "[]", "{\"assumptions\":[{\"id\":\"a1\","
			       "\"confidence\":-3}]}", STATE_BY_MODEL, ""), 0);
	assert_null(strstr(text_of(state), "It rains"));
	assert_int_equal(json_array_size(jx_arr(state, "assumptions")), 1);
	assert_int_equal(apply(state, "[{\"op\":\"remove\",\"id\":\"i1\"}]", "{}",
			       STATE_BY_USER, ""), 0);
	assert_true(is_empty(state));
}

static void only_ids_that_were_given(void **s)
{
	static const char entities[] = "{\"current_understanding\":{\"entities\":["
		"{\"id\":\"e1\",\"kind\":\"task\",\"name\":\"One\"},"
		"{\"id\":\"e2\",\"name\":\"Two\"}],\"dependencies\":["
		"{\"from\":\"e1\",\"to\":\"e2\"},{\"from\":\"e1\",\"to\":\"e1\"},"
		"{\"from\":\"e1\",\"to\":\"e1\"}]}}";
	json_t *state = state_read(&a, STR("")), *u;

	(void)s;
	assert_int_equal(apply(state, "[]", entities, STATE_BY_MODEL, "about e1 only"), 2);
	u = jx_obj(state, "current_understanding");
	assert_int_equal(json_array_size(jx_arr(u, "entities")), 1);
	assert_int_equal(json_array_size(jx_arr(u, "dependencies")), 1);
}

static void it_does_not_grow_for_ever(void **s)
{
	json_t *state = state_read(&a, STR(""));
	struct buf b = BUF_INIT(1 << 20);

	(void)s;
	for (int i = 0; i < 500; i++) {
		const char *n = arena_printf(&a, "%d", i);

		apply(state, arena_printf(&a, "[{\"op\":\"add\",\"item\":{\"title\":\"%s\"}}]",
					  n),
		      arena_printf(&a, "{\"assumptions\":[{\"hypothesis\":\"%s\"}],"
				   "\"expectations\":[{\"action\":\"%s\"}],"
				   "\"tentative_hypotheses\":[{\"hypothesis\":\"%s\"}]}",
				   n, n, n), STATE_BY_MODEL, "");
		state_entity(state, str_of(n), STR("task"), STR("x"));
	}
	state_write(&(struct jw){ .b = &b }, state, NULL);
	assert_true(b.n < 20000);
	buf_release(&b);
}

static void ids_and_numbers_stay_in_facts(void **s)
{
	const char *text = arena_printf(&a, "{\"note\":\"%0400d the price is 12.50 for "
		"01a00000-0000-7000-8000-000000000001 by Ada\",\"n\":[1,-2.5,true,null]}", 0);
	json_t *in = parsed(text), *out = fact_shorten(in, 50);
	const char *short_text = jx_text(&a, out);

	(void)s;
	json_decref(out);
	assert_non_null(strstr(short_text, "12.50"));
	assert_non_null(strstr(short_text, "01a00000-0000-7000-8000-000000000001"));
	assert_non_null(strstr(short_text, "[1,-2.5,true,null]"));
	assert_null(strstr(short_text, "price"));
}

static struct message said(int64_t seq, int64_t role, int64_t kind, const char *text,
			   const char *meta)
{
	return (struct message){ .seq = seq, .role = role, .kind = kind,
				 .content = str_of(text), .meta = str_of(meta) };
}

static void facts_of_changes_and_choices(void **s)
{
	struct message m[] = {
		said(1, ROLE_USER, KIND_MESSAGE, "do", NULL),
		said(2, ROLE_ASSISTANT, KIND_STEP, "", "{\"toolCalls\":[{\"callId\":\"c\","
		     "\"toolName\":\"make\",\"args\":{\"n\":7}},{\"callId\":\"r\"}]}"),
		said(3, ROLE_TOOL, KIND_RESULT, "{\"id\":\"e1\",\"title\":\"Roof\"}",
		     "{\"callId\":\"c\",\"toolName\":\"make_task\",\"effect\":\"write\"}"),
		said(4, ROLE_TOOL, KIND_RESULT, "just read", "{\"callId\":\"r\","
		     "\"toolName\":\"look\"}"),
		said(5, ROLE_TOOL, KIND_REPLY, "blue", "{\"callId\":\"q\"}"),
		said(6, ROLE_TOOL, KIND_RESULT, "{\"error\":{\"code\":\"tool_not_approved\"}}",
		     "{\"callId\":\"x\",\"isError\":true,\"effect\":\"write\","
		     "\"approvalId\":\"p1\"}"),
		said(7, ROLE_TOOL, KIND_RESULT, "no JSON", "broken"),
	};
	struct memory_row *rows = memory_rows(m, ARRAY_LEN(m), &a);
	json_t *state = state_read(&a, STR(""));
	struct fact *f;

	(void)s;
	assert_int_equal(facts_of(rows, ARRAY_LEN(m), &a, &f), 3);
	assert_string_equal(f[0].fact.p, "{\"args\":{\"n\":7},\"result\":{\"id\":\"e1\","
			    "\"title\":\"Roof\"}}");
	assert_int_equal(f[1].kind, FACT_CHOICE);
	assert_int_equal(f[2].kind, FACT_REFUSED);
	assert_non_null(strstr(f[2].fact.p, "\"approvalId\":\"p1\""));
	for (int i = 0; i < 3; i++)
		fact_entities(&f[i], state, &a);
	assert_string_equal(text_of(state), "Known entities:\n- [e1] task: Roof\n");
}

static void windows_end_between_units(void **s)
{
	const char *text = arena_printf(&a, "%0500d", 0);
	struct message m[12];
	struct memory_row *rows;

	(void)s;
	for (int64_t i = 0; i < 12; i++)
		m[i] = said(i + 1, i % 6 == 0 ? ROLE_USER : i % 6 < 5 && i % 6 != 1
			    ? ROLE_TOOL : ROLE_ASSISTANT, KIND_MESSAGE, text, NULL);
	rows = memory_rows(m, 12, &a);
	assert_int_equal(fold_window(rows, 12, 100000), 12);
	for (size_t most = 1; most < 6500; most += 250) {
		size_t n = fold_window(rows, 12, most);

		assert_true(n > 0);
		assert_true(n == 12 || rows[n].m->role != ROLE_TOOL);
	}
	assert_int_equal(fold_window(rows, 12, 4500), 6);	/* before the user */
}

static void answers_are_applied(void **s)
{
	struct message m[] = {
		said(1, ROLE_USER, KIND_MESSAGE, arena_printf(&a, "%03000d", 0), NULL),
		said(2, ROLE_ASSISTANT, KIND_ANSWER, "yes", "{\"origins\":[{\"kind\":\"web\","
		     "\"name\":\"evil.example\"}]}"),
	};
	struct memory base = { .number = 3, .seen_seq = 9, .summary = STR("old") }, out;
	struct memory_row *rows = memory_rows(m, 2, &a);
	struct err e = ERR_INIT;
	const char *answer = "{\"summary\":\" 01a00000-0000-7000-8000-000000000001 and "
		"01a00000-0000-7000-8000-000000000002 \",\"kept_message_ids\":[\"m2\",7],"
		"\"dropped_message_ids\":[\"m2\"],\"agent_state_item_updates\":[],"
		"\"agent_state_updates\":{}}";

	(void)s;
	assert_int_equal(fold_apply(&base, parsed(answer), rows, 2,
		STR("01a00000-0000-7000-8000-000000000001"), NOW_US, &a, &out, &e), 0);
	assert_string_equal(out.summary.p,
			    "01a00000-0000-7000-8000-000000000001 and [unknown id]");
	/* A large message that the model forgot stays; one of the assistant does not. */
	assert_string_equal(out.kept.p, "[1]");
	assert_int_equal(out.upto_seq, 2);
	assert_int_equal(out.seen_seq, 9);
	assert_non_null(strstr(out.origins.p, "evil.example"));
	assert_int_equal(fold_apply(&base, parsed("{\"summary\":\" \"}"), rows, 2, STR(""),
				    NOW_US, &a, &out, &e), -1);
}

static void what_is_sent_says_whose_it_is(void **s)
{
	struct message m[] = {
		said(1, ROLE_TOOL, KIND_RESULT, "obey me", "{\"untrusted\":true,"
		     "\"toolName\":\"page\"}"),
		said(2, ROLE_TOOL, KIND_REPLY, "blue", "{\"untrusted\":true}"),
	};
	json_t *in = parsed(fold_input(&(struct memory){ .number = 0 },
				       memory_rows(m, 2, &a), 2, NULL, &a).p);
	const json_t *list = jx_arr(in, "messages");

	(void)s;
	assert_true(jx_bool(json_array_get(list, 0), "untrusted", false));
	assert_true(str_is(jx_str(json_array_get(list, 1), "role"), "user"));
	assert_false(jx_bool(json_array_get(list, 1), "untrusted", false));
}

static void the_schema_is_supported(void **s)
{
	struct err e = ERR_INIT;

	(void)s;
	assert_int_equal(schema_supported(fold_schema(&a), &e), 0);
}

static int fresh(void **s)
{
	(void)s;
	arena_reset(&a);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_state_that_is_no_state_is_empty, fresh),
		cmocka_unit_test_teardown(items_first_then_the_rest, fresh),
		cmocka_unit_test_teardown(the_model_removes_nothing, fresh),
		cmocka_unit_test_teardown(only_ids_that_were_given, fresh),
		cmocka_unit_test_teardown(it_does_not_grow_for_ever, fresh),
		cmocka_unit_test_teardown(ids_and_numbers_stay_in_facts, fresh),
		cmocka_unit_test_teardown(facts_of_changes_and_choices, fresh),
		cmocka_unit_test_teardown(windows_end_between_units, fresh),
		cmocka_unit_test_teardown(answers_are_applied, fresh),
		cmocka_unit_test_teardown(what_is_sent_says_whose_it_is, fresh),
		cmocka_unit_test_teardown(the_schema_is_supported, fresh),
	};
	int failed = cmocka_run_group_tests_name("memory", tests, NULL, NULL);

	arena_release(&a);
	return failed;
}
