/* SPDX-License-Identifier: MIT */
/* lib/domain: files as the domain, who sees what, and which service answers. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "domain/auto.h"
#include "setting/values.h"
#include "setting/setting.h"
#include "domain/stored.h"
#include "domain/target.h"
#include "base/limits.h"
#include "unit.h"

#define MAIN \
	"llm_services:\n" \
	"  full: {provider: anthropic, model: m1, url: \"http://h\", " \
		"api_key: k, temperature: 0, thinking_budget_tokens: 2000}\n" \
	"  bare: {provider: ollama, model: m2}\n" \
	"  blind: {provider: ollama, model: m3, capabilities: [embed]}\n" \
	"  keyless: {provider: openai, model: m4}\n" \
	"chat:\n" \
	"  llm_service: bare\n" \
	"  auto:\n" \
	"    - {service: keyless}\n" \
	"    - {service: full, from: \"22:00\", until: \"06:00\"}\n" \
	"    - {service: full, from: \"09:00\", until: \"10:00\", " \
		"tasks: [title]}\n" \
	"    - {service: bare}\n" \
	"prompts: {platform: {name: house, version: 4, text: P}}\n" \
	"database: {name: x}\n"

static char dir[] = "/tmp/lamplighter-agent-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	char path[200];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/workspaces.d", dir);
	if (mkdir(path, 0700))
		return -1;
	put("lamplighter.yaml", MAIN);
	put("workspaces.d/a_open.yaml",
	    "name: Open\nagents:\n"
	    "  - {id: own, llm_service: full, system_prompt: Hi, tools: [none], "
		"max_tool_iterations: 3}\n"
	    "  - {id: plain, default: true}\n"
	    "  - {id: poor, llm_service: keyless}\n");
	put("workspaces.d/b_staff.yaml",
	    "visible_to: [staff]\nllm_service: full\nprompt: {text: W}\n");
	put("workspaces.d/c_open.yaml", "name: Third\n");
	snprintf(path, sizeof(path), "%s/agent-templates.d", dir);
	if (mkdir(path, 0700))
		return -1;
	put("agent-templates.d/a.yaml", "id: zoe\nname: Zoe\nsystem_prompt: Z\n");
	put("agent-templates.d/b.yaml", "name: B\nsystem_prompt: Be B.\n"
	    "default_on_new_workspace: true\n");
	return 0;
}

static int drop(const char *path, const struct stat *st, int kind,
		struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static struct conf *load(void)
{
	struct err e = ERR_INIT;
	struct conf *c;
	char path[200];

	snprintf(path, sizeof(path), "%s/lamplighter.yaml", dir);
	c = conf_load(path, &e);
	if (!c)
		fail_msg("%s", e.text);
	return c;
}

static void unset_is_a_flag(void **state)
{
	struct conf *c = load();
	const struct llm_service *full = catalog_service(c, STR("full"));
	const struct llm_service *bare = catalog_service(c, STR("bare"));
	const struct workspace *w = catalog_workspace(c, STR("a_open"));
	const struct workspace *staff = catalog_workspace(c, STR("b_staff"));
	const struct agent *own = workspace_agent(w, STR("own"));
	const struct agent *plain = workspace_default_agent(w);

	(void)state;
	/* 0 is a temperature. */
	assert_true(full->set.temperature && full->temperature <= 0);
	assert_true(full->set.url && full->set.api_key);
	assert_true(full->set.thinking_budget_tokens);
	assert_false(full->set.top_p || full->set.reasoning_effort);
	assert_false(bare->set.temperature || bare->set.url ||
		     bare->set.api_key || bare->set.api_version ||
		     bare->set.deployment || bare->set.thinking_budget_tokens);
	assert_true(own->set.system_prompt && own->set.llm_service &&
		    own->set.tools && own->set.max_tool_iterations);
	assert_string_equal(plain->id, "plain");
	assert_false(plain->set.system_prompt || plain->set.llm_service ||
		     plain->set.tools || plain->set.max_tool_iterations);
	assert_false(w->set.llm_service || w->set.prompt);
	assert_true(staff->set.llm_service && staff->set.prompt);
	assert_true(catalog_of(c)->set.platform);
	assert_string_equal(catalog_of(c)->platform.name, "house");
	conf_put(c);
}

static void templates_are_by_id(void **state)
{
	struct conf *c = load();
	const struct catalog *all = catalog_of(c);

	(void)state;
	assert_int_equal(all->n_templates, 2);
	assert_string_equal(all->templates[0].agent.id, "b");
	assert_true(all->templates[0].on_new && !all->templates[1].on_new);
	assert_string_equal(catalog_template(c, STR("zoe"))->agent.system_prompt, "Z");
	assert_string_equal(catalog_template(c, STR("zoe"))->use_case, "");
	assert_null(catalog_template(c, STR("a")));
	conf_put(c);
}

/* What a file has is found without a database, and what it has not is not there. */
static void files_need_no_database(void **state)
{
	struct conf *c = load();
	struct arena a = ARENA_INIT;
	struct identity who = { .tenant = STR("t"), .login = STR("u") };
	const struct caller by = caller_of(c, &who, NULL, &a);
	const struct workspace *w;
	const struct agent *found;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(target_scope(&by, STR("a_open"), STR("own"), &w, &found,
				      &e), 0);
	assert_string_equal(found->id, "own");
	assert_null(found->row);
	assert_int_equal(target_scope(&by, STR("a_open"), STR("theirs"), &w,
				      &found, &e), -1);
	assert_int_equal(e.code, ERR_NOT_FOUND);
	err_clear(&e);
	assert_int_equal(target_scope(&by, STR("made"), (struct str){ NULL, 0 },
				      &w, &found, &e), -1);
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_int_equal(filled_list(&a, STR("[\"x\", \"y\"]")).n, 2);
	assert_int_equal(filled_list(&a, STR("{}")).n, 0);
	assert_int_equal(filled_list(&a, (struct str){ NULL, 0 }).n, 0);
	arena_release(&a);
	conf_put(c);
}

static void one_catalog_a_generation(void **state)
{
	struct conf *c = load(), *next = load();
	const struct catalog *all = catalog_of(c);

	(void)state;
	assert_ptr_equal(catalog_of(c), all);
	assert_ptr_not_equal(catalog_of(next), all);
	assert_int_equal(all->version, c->generation);
	assert_true(catalog_of(next)->version > all->version);
	for (size_t i = 0; i < all->n_workspaces; i++) {
		assert_int_equal(all->workspaces[i].source, SOURCE_CONFIG);
		assert_int_equal(all->workspaces[i].version, all->version);
	}
	conf_put(next);
	conf_put(c);
}

static void callers_see_what_is_for_them(void **state)
{
	static const struct str staff = { "staff", 5 };
	struct conf *c = load();
	struct identity who = { .n_groups = 0 };
	const struct caller by = { .conf = c, .who = &who };
	struct err e = ERR_INIT;
	struct target t;
	size_t at = 0;

	(void)state;
	assert_string_equal(catalog_each(&by, &at)->id, "a_open");
	assert_string_equal(catalog_each(&by, &at)->id, "c_open");
	assert_null(catalog_each(&by, &at));
	/* Not there and not yours are one answer. */
	assert_null(catalog_find(&by, STR("b_staff")));
	assert_null(catalog_find(&by, STR("nowhere")));
	assert_int_equal(target_find(&by, STR("b_staff"), STR(""), &t, &e), -1);
	assert_int_equal(e.code, ERR_NOT_FOUND);
	who.groups = &staff;
	who.n_groups = 1;
	assert_non_null(catalog_find(&by, STR("b_staff")));
	at = 1;
	assert_string_equal(catalog_each(&by, &at)->id, "b_staff");
	conf_put(c);
}

/* B15, A29: the agent's, the workspace's, the chat: block's; whoever asks. */
static void one_service_answers(void **state)
{
	static const struct str staff = { "staff", 5 };
	static const struct str none = { NULL, 0 };
	static const struct {
		const char *workspace, *agent, *service;
		enum err_code chat;
	} cases[] = {
		{ "a_open", "own", "full", ERR_NONE },
		{ "a_open", NULL, "bare", ERR_NONE },
		{ "a_open", "poor", "keyless", ERR_LLM_NO_CREDENTIAL },
		{ "b_staff", NULL, "full", ERR_NONE },
		{ "c_open", NULL, "bare", ERR_NONE },
	};
	struct conf *c = load();
	const struct identity who = { .groups = &staff, .n_groups = 1 };
	const struct caller by = { .conf = c, .who = &who };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct target t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		err_clear(&e);
		assert_int_equal(target_find(&by, str_of(cases[i].workspace),
			cases[i].agent ? str_of(cases[i].agent) : none, &t,
			&e), 0);
		assert_string_equal(t.service->id, cases[i].service);
		assert_int_equal(target_can_chat(&t, &e),
				 cases[i].chat ? -1 : 0);
		assert_int_equal(e.code, cases[i].chat);
	}
	/* lib/conf refuses both; rows may say so. */
	t.service = catalog_service(c, STR("blind"));
	assert_int_equal(target_can_chat(&t, &e), -1);
	assert_int_equal(e.code, ERR_CHAT_DISABLED);
	err_clear(&e);
	t.service = NULL;
	assert_int_equal(target_can_chat(&t, &e), -1);
	assert_int_equal(e.code, ERR_CHAT_DISABLED);
	assert_int_equal(target_find(&by, STR("a_open"), STR("nobody"), &t, &e),
			 -1);
	/* Of what is gone: the installation's. */
	t = target_of(c, workspace_named(&a, STR("gone")),
		      agent_named(&a, STR("too")));
	assert_string_equal(t.service->id, "bare");
	arena_release(&a);
	conf_put(c);
}

/* -- settings ------------------------------------------------------------------ */

static const struct conf nothing;

/* The value in a scope, and the level that it must come from. */
static struct setting_value from(enum setting_id id, enum setting_level level,
				 const struct setting_scope *in)
{
	struct setting_value v = setting_get(id, in);

	assert_int_equal(v.level, level);
	return v;
}

/* The nearest level that says something; unset is not the same as empty or 0. */
static void the_nearest_counts(void **state)
{
	struct conf conf = { .chat_system_prompt = "" };
	struct workspace w = { .max_tool_iterations = 9 };
	struct agent a = { .system_prompt = "mine", .max_tool_iterations = 3 };
	struct setting_scope in = { .conf = &conf, .workspace = &w, .agent = &a };

	(void)state;
	assert_int_equal(from(SETTING_MAX_TOOL_ITERATIONS, LEVEL_WORKSPACE,
			      &in).number, 9);
	a.set.max_tool_iterations = true;
	assert_int_equal(from(SETTING_MAX_TOOL_ITERATIONS, LEVEL_AGENT,
			      &in).number, 3);
	in.workspace = NULL;
	a.set.max_tool_iterations = false;
	assert_int_equal(from(SETTING_MAX_TOOL_ITERATIONS, LEVEL_BUILT_IN,
			      &in).number, 6);

	assert_null(from(SETTING_SYSTEM_PROMPT, LEVEL_BUILT_IN, &in).text);
	conf.chat_system_prompt = "ours";
	assert_string_equal(from(SETTING_SYSTEM_PROMPT, LEVEL_INSTALLATION,
				 &in).text, "ours");
	a.set.system_prompt = true;
	assert_string_equal(from(SETTING_SYSTEM_PROMPT, LEVEL_AGENT, &in).text,
			    "mine");
	a.system_prompt = "";
	assert_string_equal(from(SETTING_SYSTEM_PROMPT, LEVEL_AGENT, &in).text,
			    "");
}

/* The strictest of all levels, and the smallest; a default is no level. */
static void levels_are_merged(void **state)
{
	struct conf conf = { .confirm = TOOL_CONFIRM_TAINTED };
	struct workspace w = { .confirm = TOOL_CONFIRM_NEVER };
	struct setting_scope in = {
		.conf = &conf, .workspace = &w,
		.tool = { true, TOOL_CONFIRM_NEVER },
	};

	(void)state;
	assert_int_equal(from(SETTING_CONFIRM, LEVEL_INSTALLATION, &in).number,
			 TOOL_CONFIRM_TAINTED);
	w.confirm = TOOL_CONFIRM_ALWAYS;
	assert_int_equal(from(SETTING_CONFIRM, LEVEL_WORKSPACE, &in).number,
			 TOOL_CONFIRM_ALWAYS);
	/* Of equals the nearest is named. */
	in.tool.number = TOOL_CONFIRM_ALWAYS;
	assert_int_equal(from(SETTING_CONFIRM, LEVEL_TOOL, &in).number,
			 TOOL_CONFIRM_ALWAYS);

	in = (struct setting_scope){ .conf = &nothing };
	assert_int_equal(from(SETTING_RESULT_BYTES, LEVEL_BUILT_IN, &in).number,
			 LIM_TOOL_RESULT_BYTES);
	in.conf = &conf;
	conf.limits.tool_result_bytes = 2 * LIM_TOOL_RESULT_BYTES;
	assert_int_equal(from(SETTING_RESULT_BYTES, LEVEL_INSTALLATION,
			      &in).number, 2 * LIM_TOOL_RESULT_BYTES);
	in.tool.set = true;
	in.tool.number = 5000;
	assert_int_equal(from(SETTING_RESULT_BYTES, LEVEL_TOOL, &in).number,
			 5000);
	conf.limits.tool_result_bytes = 4000;
	assert_int_equal(from(SETTING_RESULT_BYTES, LEVEL_INSTALLATION,
			      &in).number, 4000);
}

/* What rows say: JSON texts of a user, two teams and the tenant, NULL: nothing. */
static struct setting_values *rows(struct arena *a, const char *user,
				 const char *team, const char *other,
				 const char *tenant)
{
	static const enum setting_level levels[] = {
		LEVEL_USER, LEVEL_TEAM, LEVEL_TEAM, LEVEL_TENANT,
	};
	const char *texts[] = { user, team, other, tenant };
	struct setting_values *s = arena_new(a, struct setting_values);
	struct err e = ERR_INIT;

	s->n = ARRAY_LEN(levels);
	s->v = arena_zalloc(a, s->n, sizeof(*s->v));
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].level = levels[i];
		if (!texts[i])
			continue;
		s->v[i].values = jx_keep(a, jx_load(str_of(texts[i]), &e));
		assert_non_null(s->v[i].values);
	}
	return s;
}

static void rows_are_merged(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf conf = { .confirm = TOOL_CONFIRM_NEVER };
	struct workspace w = { .history_messages = 30, .title_by_model = true };
	struct setting_scope in = { .conf = &conf };

	(void)state;
	in.values = rows(&a, "{}", "{\"theme\":\"dark\"}", "{\"theme\":\"light\"}",
		       "{\"theme\":\"system\"}");
	assert_string_equal(from(SETTING_THEME, LEVEL_TEAM, &in).text, "dark");
	in.values = rows(&a, "{\"theme\":\"light\"}", NULL, NULL,
		       "{\"theme\":\"dark\"}");
	assert_string_equal(from(SETTING_THEME, LEVEL_USER, &in).text, "light");

	/* The smallest, whoever says it; and the workspace is one of them. */
	in.values = rows(&a, "{\"history_messages\":500}", NULL,
		       "{\"history_messages\":40}", "{\"history_messages\":50}");
	assert_int_equal(from(SETTING_HISTORY_MESSAGES, LEVEL_TEAM, &in).number,
			 40);
	in.workspace = &w;
	assert_int_equal(from(SETTING_HISTORY_MESSAGES, LEVEL_WORKSPACE,
			      &in).number, 30);
	/* Off if anybody says off. */
	assert_int_equal(from(SETTING_TITLE_BY_MODEL, LEVEL_WORKSPACE,
			      &in).number, 1);
	in.values = rows(&a, "{\"title_by_model\":true}", NULL, NULL,
		       "{\"title_by_model\":false,\"confirm\":\"tainted\"}");
	assert_int_equal(from(SETTING_TITLE_BY_MODEL, LEVEL_TENANT, &in).number,
			 0);
	in.values = rows(&a, "{\"confirm\":\"never\"}", NULL, NULL,
		       "{\"confirm\":\"tainted\"}");
	assert_int_equal(from(SETTING_CONFIRM, LEVEL_TENANT, &in).number,
			 TOOL_CONFIRM_TAINTED);
	in.values = rows(&a, "{\"confirm\":\"always\"}", NULL, NULL,
		       "{\"confirm\":\"tainted\"}");
	assert_int_equal(from(SETTING_CONFIRM, LEVEL_USER, &in).number,
			 TOOL_CONFIRM_ALWAYS);
	arena_release(&a);
}

/* Only what all lists have; and rows that the table does not take say nothing. */
static void lists_and_bad_rows(void **state)
{
	struct arena a = ARENA_INIT;
	struct setting_scope in = { .conf = &nothing };

	(void)state;
	assert_false(setting_lists(SETTING_LLM_SERVICES, &in, STR("x")));
	in.values = rows(&a, NULL, "{\"llm_services\":[\"x\",\"y\"]}", NULL,
		       "{\"llm_services\":[\"z\",\"y\"]}");
	assert_true(setting_lists(SETTING_LLM_SERVICES, &in, STR("y")));
	assert_false(setting_lists(SETTING_LLM_SERVICES, &in, STR("x")));
	assert_false(setting_lists(SETTING_LLM_SERVICES, &in, STR("z")));
	in.values = rows(&a, NULL, NULL, NULL, "{\"llm_services\":[\"z\"]}");
	assert_true(setting_lists(SETTING_LLM_SERVICES, &in, STR("z")));
	/* A user has no say in what there is to choose from. */
	/* A team alone offers nothing. */
	in.values = rows(&a, NULL, "{\"llm_services\":[\"x\"]}", NULL, NULL);
	assert_false(setting_lists(SETTING_LLM_SERVICES, &in, STR("x")));
	in.values = rows(&a, "{\"llm_services\":[\"x\"]}", NULL, NULL, NULL);
	assert_false(setting_lists(SETTING_LLM_SERVICES, &in, STR("x")));

	in.values = rows(&a, "{\"theme\":\"pink\",\"history_messages\":-1,"
		       "\"web_search\":1,\"answer_language\":\"a\\nb\","
		       "\"default_agent\":\"../x\",\"system_prompt\":\"x\"}",
		       NULL, NULL, "{\"custom_context\":\"of all\"}");
	from(SETTING_THEME, LEVEL_BUILT_IN, &in);
	from(SETTING_HISTORY_MESSAGES, LEVEL_BUILT_IN, &in);
	from(SETTING_WEB_SEARCH, LEVEL_BUILT_IN, &in);
	from(SETTING_ANSWER_LANGUAGE, LEVEL_BUILT_IN, &in);
	from(SETTING_DEFAULT_AGENT, LEVEL_BUILT_IN, &in);
	from(SETTING_CUSTOM_CONTEXT, LEVEL_BUILT_IN, &in);
	arena_release(&a);
}

/* The table: keys are told apart, and what has rows has what a form needs. */
static void settings_are_described(void **state)
{
	const unsigned held = 1u << LEVEL_USER | 1u << LEVEL_TEAM |
		1u << LEVEL_TENANT;

	(void)state;
	for (int i = 0; i < SETTING__MAX; i++) {
		const struct setting_row *r = &setting_rows[i];

		assert_ptr_equal(setting_find(str_of(r->key)), r);
		assert_int_equal(r->type != SETTING_INTERNAL,
				 (r->levels & held) != 0);
		assert_int_equal(r->type != SETTING_INTERNAL, *r->label != 0);
		assert_int_equal(r->merge == MERGE_COMMON,
				 r->type == SETTING_NAMES);
		assert_true(*r->what && r->max >= r->min);
	}
}

static const char *chosen(const struct conf *c, const char *clock,
			  enum auto_task task, const char **reason)
{
	static struct arena a = ARENA_INIT;
	int hour = 0, minute = 0;
	struct auto_facts f = { .task = task };
	struct auto_choice got;

	arena_reset(&a);
	assert_int_equal(sscanf(clock, "%d:%d", &hour, &minute), 2);
	f.now_us = (hour * 60 + minute) * INT64_C(60000000);
	got = auto_select(c, NULL, &f, &a);
	assert_non_null(got.service);
	*reason = got.reason;
	return got.service->id;
}

/* Until is not within; over midnight where it begins later than it ends. */
static void rules_have_hours(void **state)
{
	static const struct {
		const char *clock;
		enum auto_task task;
		const char *service, *reason;
	} rows[] = {
		{ "21:59", AUTO_CHAT, "bare", "default" },
		{ "22:00", AUTO_CHAT, "full", "hours" },
		{ "00:00", AUTO_CHAT, "full", "hours" },
		{ "05:59", AUTO_CHAT, "full", "hours" },
		{ "06:00", AUTO_CHAT, "bare", "default" },
		{ "09:30", AUTO_CHAT, "bare", "default" },
		{ "09:30", AUTO_TITLE, "full", "tasks, hours" },
		{ "10:00", AUTO_TITLE, "bare", "default" },
	};
	struct conf *c = load();
	const char *reason;

	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_string_equal(chosen(c, rows[i].clock, rows[i].task,
					   &reason), rows[i].service);
		assert_string_equal(reason, rows[i].reason);
	}
	assert_string_equal(auto_default(c, NULL)->id, "bare");
	conf_put(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unset_is_a_flag),
		cmocka_unit_test(templates_are_by_id),
		cmocka_unit_test(files_need_no_database),
		cmocka_unit_test(one_catalog_a_generation),
		cmocka_unit_test(callers_see_what_is_for_them),
		cmocka_unit_test(one_service_answers),
		cmocka_unit_test(rules_have_hours),
		cmocka_unit_test(the_nearest_counts),
		cmocka_unit_test(levels_are_merged),
		cmocka_unit_test(rows_are_merged),
		cmocka_unit_test(lists_and_bad_rows),
		cmocka_unit_test(settings_are_described),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
