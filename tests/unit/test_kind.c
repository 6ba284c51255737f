/* SPDX-License-Identifier: MIT */
/* lib/tool/core/kind.c: declarations, their checks, and who is offered what. */
#include "kind_lab.h"

#define TOOL_HEAD "tools:\n  t:\n    kind: command\n    description: A test.\n"
#define RUN "    command: {run: [/bin/cat]}\n"

#define EYES(can) "llm_services: {s: {provider: openai, model: m, api_key: k, " \
	"capabilities: " can "}}\ntools:\n  eyes:\n    kind: image_text\n" \
	"    description: E.\n"

static const char main_tools[] =
	"tools:\n"
	"  echo:\n"
	"    kind: command\n"
	"    description: Gives back its arguments.\n"
	"    group: basics\n"
	"    parameters:\n"
	"      type: object\n"
	"      properties: {n: {type: integer, minimum: 1}}\n"
	"      required: [n]\n"
	"    command: {run: [/bin/cat]}\n"
	"  secret_echo:\n"
	"    kind: command\n"
	"    description: Only for a few.\n"
	"    groups: [few]\n"
	"    effect: destructive\n"
	"    command: {run: [/bin/cat]}\n";

static void declared_tools_are_offered(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	kind_lab_conf(main_tools, "tools:\n  wipe:\n    kind: command\n"
		      "    description: W.\n    effect: write\n"
		      "    command: {run: [/bin/true]}\n");
	assert_string_equal(kind_lab_offered("", &a),
			    "ask_user echo summarize translate wipe");
	assert_string_equal(kind_lab_offered("few", &a),
			    "ask_user echo secret_echo summarize translate wipe");
	arena_release(&a);
}

static void agents_choose_by_name_and_group(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	kind_lab_conf(main_tools, "agents: [{id: a, tools: [group:basics]}]\n");
	assert_string_equal(kind_lab_offered("few", &a), "echo");
	kind_lab_conf(main_tools, "agents: [{id: a, tools: [secret_echo]}]\n");
	assert_string_equal(kind_lab_offered("few", &a), "secret_echo");
	kind_lab_conf(main_tools, "agents: [{id: a, tools: none}]\n");
	assert_string_equal(kind_lab_offered("few", &a), "");
	arena_release(&a);
}

/* A68: what a workspace allows narrows what its agents list, and who lists none. */
static void workspaces_narrow_what_agents_have(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;

	(void)state;
	kind_lab_conf(main_tools, "allow_tools: [group:knowledge, echo]\n");
	assert_string_equal(kind_lab_offered("few", &a),
			    "echo summarize translate");
	kind_lab_conf(main_tools, "allow_tools: [group:knowledge]\n"
		      "agents: [{id: a, tools: [echo, translate]}]\n");
	assert_string_equal(kind_lab_offered("few", &a), "translate");
	kind_lab_conf(main_tools, "allow_tools: none\n");
	assert_string_equal(kind_lab_offered("few", &a), "");
	assert_int_equal(kind_lab_load(main_tools, "name: W\n"
				       "allow_tools: [group:knowledge, ech]\n",
				       &e), -1);
	assert_non_null(strstr(e.public, "w.yaml:2: allow_tools: there is no "
			       "tool ech. Did you mean \"echo\"?"));
	arena_release(&a);
}

/* A69: there is no such tool until somebody declares it. */
static void images_are_opt_in(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	kind_lab_conf(main_tools, "name: W\n");
	assert_string_equal(kind_lab_offered("", &a),
			    "ask_user echo summarize translate");
	kind_lab_conf(EYES("vision") "    image_text: {}\n", "name: W\n");
	assert_string_equal(kind_lab_offered("", &a),
			    "ask_user eyes summarize translate");
	r = kind_lab_call("", "eyes", "{\"image\":\"https://h/a.png\"}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "only in a conversation"));
	r = kind_lab_call("", "eyes", "{\"image\":\"\"}", &a);
	assert_non_null(strstr(r.text.p, "tool_arguments_invalid"));
	arena_release(&a);
}

static void permissions_bound_them(void **state)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(8192);

	(void)state;
	buf_adds(&b, main_tools);
	buf_adds(&b, "roles: {u: {groups: ['*'], permissions: "
		 "[AI.Chat.UseTool.secret_echo]}}\n");
	kind_lab_conf(b.p, "name: W\n");
	assert_string_equal(kind_lab_offered("few", &a), "secret_echo");
	assert_string_equal(kind_lab_offered("", &a), "");
	buf_release(&b);
	arena_release(&a);
}

static void confirm_follows_the_effect(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_ctx ctx;
	struct tool_set set;

	(void)state;
	kind_lab_conf(main_tools, "tools:\n  wipe:\n    kind: command\n"
		      "    description: W.\n    effect: write\n"
		      "    command: {run: [/bin/true]}\n  calm:\n"
		      "    kind: command\n    description: C.\n"
		      "    effect: destructive\n    confirm: never\n"
		      "    untrusted: false\n    timeout_ms: 77\n"
		      "    command: {run: [/bin/true]}\n");
	kind_lab_ctx("few", &a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	assert_int_equal(set.n, 7);
	assert_int_equal(set.v[1].tool->confirm, TOOL_CONFIRM_NEVER);
	assert_false(set.v[1].tool->untrusted);
	assert_int_equal(set.v[1].timeout_ms, 77);
	assert_int_equal(set.v[2].tool->confirm, TOOL_CONFIRM_TAINTED);
	assert_true(set.v[2].tool->untrusted);
	assert_int_equal(set.v[3].tool->confirm, TOOL_CONFIRM_ALWAYS);
	assert_int_equal(set.v[6].tool->confirm, TOOL_CONFIRM_TAINTED);
	assert_int_equal(set.v[6].tool->visibility, TOOL_SERVER);
	assert_string_equal(set.v[6].tool->kind, "command");
	/* summarize asks nobody, and is others' text where that went in */
	assert_int_equal(set.v[4].tool->effect, TOOL_READ);
	assert_int_equal(set.v[4].tool->confirm, TOOL_CONFIRM_NEVER);
	assert_false(set.v[4].tool->untrusted);
	arena_release(&a);
}

/* The set of a turn in a project whose user wants something to be changed. */
static void project_set(struct arena *a, struct tool_set *set)
{
	struct err e = ERR_INIT;
	struct tool_ctx ctx;

	kind_lab_ctx("", a, &ctx);
	ctx.turn.by.db = (struct db *)(void *)&ctx;	/* there is one */
	ctx.turn.pool = TOOL_POOL_PROJECT;
	ctx.turn.intent = TOOL_MODE_ACT;
	assert_int_equal(tool_set_build(&ctx, set, &e), 0);
}

/* What depends on the configuration alone is made once for it, not in each turn. */
static void schemas_stay_from_turn_to_turn(void **state)
{
	struct arena a = ARENA_INIT, later = ARENA_INIT;
	const struct tool_offer *task;
	struct tool_set first, second;

	(void)state;
	kind_lab_conf("entities: {task: {props: {effort: {type: integer}}}}\n",
		      "name: W\nprojects: true\n");
	project_set(&a, &first);
	project_set(&later, &second);
	assert_in_range(first.n, 48, 200);
	assert_int_equal(first.n, second.n);
	for (size_t i = 0; i < first.n; i++)
		if (!first.v[i].tool->describe)
			assert_ptr_equal(first.v[i].schema, second.v[i].schema);
	arena_release(&a);
	task = tool_set_find(&second, STR("create_onto_task"));
	assert_non_null(jx_pointer(task->schema, "/properties/props"));
	assert_non_null(jx_pointer(task->schema, "/properties/mode/enum"));
	assert_null(jx_pointer(task->tool->parameters, "/properties/mode"));
	arena_release(&later);
	kind_lab_conf("log: {level: error}\n", "name: W\nprojects: true\n");
	project_set(&a, &first);
	task = tool_set_find(&first, STR("create_onto_task"));
	assert_null(jx_pointer(task->schema, "/properties/props"));
	arena_release(&a);
}

/* Who says nothing of it is not taken for harmless (A42). */
static void effect_follows_the_kind(void **state)
{
	static const struct {
		const char *declared;
		enum tool_effect effect;
	} cases[] = {
		{ "command\n    command: {run: [/bin/true]}\n", TOOL_WRITE },
		{ "command\n    effect: read\n    command: {run: [/bin/true]}\n",
		  TOOL_READ },
		{ "http\n    http: {url: http://x.example/}\n", TOOL_READ },
		{ "http\n    http: {url: http://x.example/, method: HEAD}\n",
		  TOOL_READ },
		{ "http\n    http: {url: http://x.example/, method: POST}\n",
		  TOOL_WRITE },
		{ "http\n    http: {url: http://x.example/, method: PATCH}\n",
		  TOOL_WRITE },
		{ "http\n    http: {url: http://x.example/, method: DELETE}\n",
		  TOOL_DESTRUCTIVE },
		{ "http\n    effect: read\n"
		  "    http: {url: http://x.example/, method: POST}\n", TOOL_READ },
		{ "web_visit\n    web_visit: {}\n", TOOL_READ },
		{ "client\n", TOOL_READ },
	};
	static const enum tool_confirm confirms[] = {
		TOOL_CONFIRM_NEVER, TOOL_CONFIRM_TAINTED, TOOL_CONFIRM_ALWAYS,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[256];
		struct arena a = ARENA_INIT;
		struct tool_ctx ctx;
		const struct conf_tool *t;

		snprintf(text, sizeof(text), "tools:\n  t:\n"
			 "    description: T.\n    kind: %s", cases[i].declared);
		kind_lab_conf(text, "name: W\n");
		kind_lab_ctx("", &a, &ctx);
		t = &ctx.turn.by.conf->tools[0];
		assert_int_equal(t->effect, cases[i].effect);
		assert_int_equal(t->confirm, confirms[t->effect]);
		arena_release(&a);
	}
}

/* Each error has the line of what is wrong. */
static void bad_declarations_are_refused(void **state)
{
	static const struct {
		const char *main_file, *workspace, *error;
	} cases[] = {
		{ "tools:\n  t:\n    kind: comand\n    description: A.\n" RUN,
		  "name: W\n",
		  "lamplighter.yaml:3: tools.t.kind: there is no kind "
		  "\"comand\". Did you mean \"command\"? Kinds: " },
		{ TOOL_HEAD, "name: W\n",
		  "lamplighter.yaml:2: tools.t: kind command needs the map "
		  "command:" },
		{ TOOL_HEAD "    command: {run: [cat]}\n", "name: W\n",
		  "lamplighter.yaml:5: tools.t.command.run[0]: must be the "
		  "path of a program, from /" },
		{ TOOL_HEAD RUN "    parameters:\n      type: object\n"
		  "      properties:\n        a:\n          type: string\n"
		  "          contentEncoding: base64\n", "name: W\n",
		  "lamplighter.yaml:11: tools.t.parameters.properties.a."
		  "contentEncoding: JSON Schema at properties.a: "
		  "\"contentEncoding\" is not supported" },
		{ TOOL_HEAD RUN "    parameters:\n      properties: {}\n",
		  "name: W\n",
		  "lamplighter.yaml:6: tools.t.parameters: must be a schema "
		  "with type: object" },
		{ TOOL_HEAD RUN, "agents:\n  - id: a\n    tools: [t, tt]\n",
		  "w.yaml:3: agent a: there is no tool tt. Tools: " },
		{ TOOL_HEAD RUN, "agents:\n  - id: a\n    tools: [sumarize]\n",
		  "w.yaml:3: agent a: there is no tool sumarize. "
		  "Did you mean \"summarize\"? " },
		{ TOOL_HEAD RUN, "agents:\n  - id: a\n    tools: group:x\n",
		  "w.yaml:3: agent a: there is no tool group:x." },
		{ TOOL_HEAD RUN, TOOL_HEAD RUN,
		  "w.yaml:2: tools.t: is already declared in " },
		{ "tools:\n  query_data:\n    kind: command\n"
		  "    description: A.\n" RUN, "name: W\n",
		  "lamplighter.yaml:2: tools.query_data: is the name of a "
		  "built-in tool" },
		{ EYES("chat") "    image_text: {}\n", "name: W\n",
		  "lamplighter.yaml:6: tools.eyes.image_text: needs an LLM "
		  "service with the capability vision, and there is none" },
		{ EYES("vision") "    image_text: {llm_service: none}\n",
		  "name: W\n", "lamplighter.yaml:6: tools.eyes.image_text."
		  "llm_service: there is no LLM service \"none\"" },
		{ EYES("chat") "    image_text: {llm_service: s}\n",
		  "name: W\n", "lamplighter.yaml:6: tools.eyes.image_text."
		  "llm_service: The LLM service \"s\" does not have the "
		  "capability vision" },
		{ "tools:\n  none:\n    kind: command\n    description: A.\n"
		  RUN, "name: W\n",
		  "lamplighter.yaml:2: tools.none: none is reserved: it "
		  "means no tools at all" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(kind_lab_load(cases[i].main_file,
					       cases[i].workspace, &e), -1);
		if (e.code != ERR_CONFIG || !strstr(e.text, cases[i].error))
			fail_msg("%zu: %s", i, e.text);
	}
}

/* The responder keeps what it has when a new file is refused here. */
static void a_live_configuration_asks_the_check(void **state)
{
	struct err e = ERR_INIT;
	const struct conf *c;
	struct conf_live *l;
	char path[256];

	(void)state;
	kind_lab_conf(TOOL_HEAD RUN, "name: W\n");
	snprintf(path, sizeof(path), "%s/lamplighter.yaml", kind_lab.dir);
	l = conf_live_open(path, tool_check_conf, &e);
	assert_non_null(l);
	kind_lab_file("lamplighter.yaml", TOOL_HEAD, 0600);
	conf_live_look(l);
	c = conf_live_get(l);
	assert_non_null(c->tools[0].command);
	assert_false(conf_live_ok(l, &e));
	assert_non_null(strstr(e.text, "needs the map command:"));
	conf_put(c);
	conf_live_close(l);
	err_clear(&e);
	assert_null(conf_live_open(path, tool_check_conf, &e));
	assert_non_null(strstr(e.text, "needs the map command:"));
}

/* A reload that moves a database to other hosts must not leave its tools at the old ones. */
static void pools_follow_the_hosts_of_their_database(void **state)
{
	const char *one[] = { "127.0.0.1:1" }, *other[] = { "127.0.0.1:2" };
	struct conf_db c = {
		.id = "d", .name = "n", .user = "u", .password = "p", .port = 3306,
		.pool = 1, .hosts = { .v = one, .n = 1 },
	};
	struct db *was, *now, *spread;
	struct err e = ERR_INIT;

	(void)state;
	was = tool_env_pool(kind_lab.env, &c, &e);
	assert_non_null(was);
	now = tool_env_pool(kind_lab.env, &c, &e);
	assert_ptr_equal(now, was);
	tool_env_done(kind_lab.env, now);
	c.hosts.v = other;
	now = tool_env_pool(kind_lab.env, &c, &e);
	assert_ptr_not_equal(now, was);
	c.hosts_order = DB_HOSTS_SPREAD;
	spread = tool_env_pool(kind_lab.env, &c, &e);
	assert_ptr_not_equal(spread, now);
	tool_env_done(kind_lab.env, spread);
	tool_env_done(kind_lab.env, now);
	tool_env_done(kind_lab.env, was);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(declared_tools_are_offered),
		cmocka_unit_test(agents_choose_by_name_and_group),
		cmocka_unit_test(workspaces_narrow_what_agents_have),
		cmocka_unit_test(images_are_opt_in),
		cmocka_unit_test(permissions_bound_them),
		cmocka_unit_test(confirm_follows_the_effect),
		cmocka_unit_test(schemas_stay_from_turn_to_turn),
		cmocka_unit_test(effect_follows_the_kind),
		cmocka_unit_test(bad_declarations_are_refused),
		cmocka_unit_test(a_live_configuration_asks_the_check),
		cmocka_unit_test(pools_follow_the_hosts_of_their_database),
	};

	return cmocka_run_group_tests_name("kind", tests, kind_lab_up,
					   kind_lab_down);
}
