/* SPDX-License-Identifier: MIT */
#include "store_lab.h"

#include "base/clock.h"
#include "job/work.h"

#include "db/db.h"
#include "store/store.h"

struct db *db;
struct owner ann, bob;

struct str S(const char *s)
{
	return str_of(s);
}

struct uuid new_conversation(const struct owner *o, const char *title)
{
	struct conversation_new n = { .workspace_id = S("home"),
				      .agent_id = S("assistant"),
				      .title = S(title) };
	struct conversation c;

	ok(conversation_create(db, o, &n, &c, &e));
	return c.id;
}

struct turn_begin begin_of(const struct uuid *conversation,
			   const char *content)
{
	return (struct turn_begin){ .turn_id = uuid_new(),
				    .conversation_id = *conversation,
				    .content = S(content) };
}

void end_with(const struct owner *o, const struct turn_begin *b,
	      const char *text)
{
	struct message answer = { .role = ROLE_ASSISTANT, .content = S(text),
				  .meta = S("{\"finish_reason\":\"stop\"}"),
				  .kind = KIND_ANSWER,
				  .finish_reason = S("stop") };
	struct usage u = usage_init(USAGE_CHAT);
	struct turn_end t = { .turn_id = b->turn_id,
			      .conversation_id = b->conversation_id,
			      .status = TURN_DONE, .answer = &answer,
			      .usage = &u };

	u.workspace_id = S("home");
	u.agent_id = S("assistant");
	u.conversation_id = b->conversation_id;
	u.turn_id = b->turn_id;
	u.provider = S("openai");
	u.model = S("m");
	u.finish_reason = S("stop");
	u.prompts = S("[{\"layer\":\"guardrails\",\"version\":1}]");
	u.input_tokens = 100;
	u.output_tokens = 20;
	ok(store_turn_end(db, o, &t, &e));
}

struct owner person(const char *tenant, const char *login)
{
	return (struct owner){ S(tenant), uuid_of_name(S(tenant), S(login)) };
}

int store_lab_open(void **state)
{
	if (dbtest_open(state))
		return -1;
	db = store_open(dbtest_schema(*state, 8), &e);
	assert_non_null(db);
	ann = person("default", "ann");
	bob = person("default", "bob");
	return 0;
}

int store_lab_close(void **state)
{
	db_close(db);
	return dbtest_close(state);
}

size_t do_jobs(void)
{
	static const struct conf conf;
	size_t n = 0;

	assert_int_equal(job_work(db, &conf, NULL, NULL, clock_mono_ms() + 60000,
				  NULL, &n, &e), 0);
	return n;
}
