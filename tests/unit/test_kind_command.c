/* SPDX-License-Identifier: MIT */
/* Tools of kind command: what a program gets, and what becomes of its answer. */
#include "kind_lab.h"

#include <sys/wait.h>

#include "base/utf8.h"

/* One tool per script; the arguments may be anything. */
static struct tool_result call(const char *script, const char *more,
			       const char *args, struct arena *a)
{
	struct buf yaml = BUF_INIT(65536);
	struct tool_result r;

	buf_adds(&yaml, "tools:\n  t:\n    kind: command\n    description: A.\n"
		 "    parameters: {type: object}\n");
	buf_addf(&yaml, "%s    command:\n      run: [/bin/sh, -c, ", more);
	buf_json(&yaml, str_of(script));
	buf_adds(&yaml, "]\n      env: [API_KEY=hunter2-key]\n"
		 "      output_bytes: 4096\n");
	kind_lab_conf(yaml.p, "workspace: w\n");
	buf_release(&yaml);
	r = kind_lab_call("sales staff", "t", args, a);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return r;
}

static void arguments_come_on_stdin_only(void **state)
{
	struct arena a = ARENA_INIT;
	const char *hostile = "{\"x\":\"$(touch /tmp/pwned); `id` ' \\\" \\n"
			      "\\u0001 ; rm -rf /\",\"--help\":[1,2.5,null]}";
	struct tool_result r = call("cat", "", hostile, &a);
	struct err e = ERR_INIT;
	json_auto_t *sent = jx_load(str_of(hostile), &e);
	json_auto_t *got = jx_load(r.text, &e);

	(void)state;
	assert_true(r.is_json);
	assert_true(json_equal(sent, got));
	r = call("tr '\\0' ' ' < /proc/$$/cmdline", "", hostile, &a);
	assert_null(strstr(r.text.p, "pwned"));
	arena_release(&a);
}

static void who_asks_stands_in_the_environment(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	setenv("OURS", "hunter2", 1);
	r = call("env | sort", "", "{}", &a);
	assert_false(r.is_json);
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_USER=anna\n"));
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_USER_NAME=Anna Ünal\n"));
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_GROUPS=sales,staff\n"));
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_TENANT=default\n"));
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_WORKSPACE=w\n"));
	assert_non_null(strstr(r.text.p, "LAMPLIGHTER_TOOL=t\n"));
	assert_non_null(strstr(r.text.p, "PATH=/usr/local/bin:/usr/bin:/bin"));
	assert_null(strstr(r.text.p, "OURS"));
	/* it has the admin's key, and cannot tell it */
	assert_non_null(strstr(r.text.p, "API_KEY=***"));
	assert_null(strstr(r.text.p, "hunter2"));
	arena_release(&a);
}

static void failures_tell_the_model_why(void **state)
{
	static const struct {
		const char *script, *more, *want;
	} cases[] = {
		{ "echo 'No such room: hunter2-key.'; echo x >&2; exit 4", "",
		  "{\"error\":{\"code\":\"exit_4\",\"message\":\"The command "
		  "failed.\"},\"output\":\"No such room: ***.\"}" },
		{ "exit 1", "", "{\"error\":{\"code\":\"exit_1\",\"message\":"
		  "\"The command failed.\"}}" },
		{ "kill -SEGV $$", "", "ended by signal 11 (SEGV)" },
		{ "exec yes", "", "wrote more than 4096 bytes" },
		{ "exec sleep 60", "    timeout_ms: 200\n",
		  "\"code\":\"tool_timeout\",\"message\":\"The command took "
		  "longer than 200 ms and was ended.\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a = ARENA_INIT;
		struct tool_result r = call(cases[i].script, cases[i].more,
					    "{}", &a);

		assert_true(r.is_error);
		assert_int_equal(r.foreign, i < 2);
		if (!strstr(r.text.p, cases[i].want))
			fail_msg("%s: %s", cases[i].script, r.text.p);
		arena_release(&a);
	}
}

static void output_is_json_or_text(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	r = call("echo '{ \"a\" : [1, 2] }'", "", "{}", &a);
	assert_true(r.is_json);
	assert_str_is(r.text, "{\"a\":[1,2]}");
	r = call("echo '{not json'", "", "{}", &a);
	assert_false(r.is_json);
	assert_false(r.is_error);
	assert_str_is(r.text, "{not json");
	r = call("printf 'a\\377b\\000c'", "", "{}", &a);
	assert_true(utf8_valid(r.text));
	r = call("printf '%0200d' | tr 0 '['", "", "{}", &a);
	assert_false(r.is_error);
	arena_release(&a);
}

static void a_missing_program_is_the_admins_business(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	kind_lab_conf("tools:\n  t:\n    kind: command\n    description: A.\n"
		      "    command: {run: [/nonexistent/x]}\n", "name: W\n");
	r = kind_lab_call("", "t", "", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "The command cannot be started here."));
	assert_null(strstr(r.text.p, "nonexistent"));
	arena_release(&a);
}

static void a_stopped_turn_stops_the_program(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_result r;

	(void)state;
	kind_lab.abort = http_abort_new(&e);
	assert_non_null(kind_lab.abort);
	http_abort_now(kind_lab.abort);
	r = call("exec sleep 60", "    timeout_ms: 50000\n", "{}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "\"code\":\"cancelled\""));
	assert_true(r.duration_ms < 10000);
	http_abort_free(kind_lab.abort);
	kind_lab.abort = NULL;
	arena_release(&a);
}

static void a_dry_run_shows_all_and_runs_nothing(void **state)
{
	struct buf out = BUF_INIT(65536);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	json_auto_t *args = json_pack("{s:i}", "n", 5);
	const struct tool_offer *o;
	struct tool_ctx ctx;
	struct tool_set set;

	(void)state;
	call("echo", "", "{}", &a);
	kind_lab_ctx("", &a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	o = tool_set_find(&set, STR("t"));
	assert_int_equal(o->tool->dry_run(o->tool, &ctx, args, &out, &e), 0);
	assert_non_null(strstr(out.p, "run: \"/bin/sh\" \"-c\" \"echo\"\n"));
	assert_non_null(strstr(out.p, "env: API_KEY=***\n"));
	assert_non_null(strstr(out.p, "env: LAMPLIGHTER_USER=anna\n"));
	assert_non_null(strstr(out.p, "stdin: {\"n\":5}\n"));
	buf_release(&out);
	arena_release(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_come_on_stdin_only),
		cmocka_unit_test(who_asks_stands_in_the_environment),
		cmocka_unit_test(failures_tell_the_model_why),
		cmocka_unit_test(output_is_json_or_text),
		cmocka_unit_test(a_missing_program_is_the_admins_business),
		cmocka_unit_test(a_stopped_turn_stops_the_program),
		cmocka_unit_test(a_dry_run_shows_all_and_runs_nothing),
	};

	return cmocka_run_group_tests_name("kind_command", tests, kind_lab_up,
					   kind_lab_down);
}
