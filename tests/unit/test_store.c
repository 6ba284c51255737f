/* SPDX-License-Identifier: MIT */
/* lib/store over a real MariaDB: conversations, pages, people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "resource/resource.h"
#include "store/key.h"
#include "store/message.h"
#include "store/stmt.h"
#include "store/token.h"
#include "store/tool_output.h"
#include "store/usage.h"
#include "store_lab.h"

/* House rule: every statement prepares, with the declared types. */
static void every_statement_prepares(void **state)
{
	(void)state;
	ok(db_check_stmts(db, &e));
}

static void conversation_comes_back(void **state)
{
	struct uuid own = uuid_new();
	struct conversation_new n = { .id = &own, .workspace_id = S("home"),
				      .agent_id = S("helper"),
				      .title = S("Gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80") };
	struct conversation c, d;

	(void)state;
	ok(conversation_create(db, &ann, &n, &c, &e));
	assert_true(uuid_eq(&c.id, &own));
	ok(conversation_get(db, &ann, &own, &a, &d, &e));
	assert_true(str_is(d.workspace_id, "home"));
	assert_true(str_is(d.agent_id, "helper"));
	assert_true(str_eq(d.title, n.title));
	assert_int_equal(d.title_by, TITLE_USER);
	assert_int_equal(d.created_us, c.created_us);
	assert_int_equal(d.last_seq, 0);
	assert_true(uuid_is_nil(&d.running_turn_id));
	/* The id is taken, for its owner and for anyone else alike. */
	refused(conversation_create(db, &ann, &n, &d, &e), ERR_CONFLICT);
	refused(conversation_create(db, &bob, &n, &d, &e), ERR_CONFLICT);
}

/* A49: foreign and unknown are the same. */
static void foreign_is_not_found(void **state)
{
	struct uuid id = new_conversation(&ann, "private");
	struct owner other = person("other", "ann");
	const struct owner *strangers[] = { &bob, &other };
	struct turn_begin own = begin_of(&id, "hello");

	(void)state;
	ok(store_turn_begin(db, &ann, &own, &e));
	for (size_t i = 0; i < 2; i++) {
		const struct owner *o = strangers[i];
		struct turn_begin b = begin_of(&id, "mine now");
		struct turn_end t = { .turn_id = own.turn_id,
				      .conversation_id = id,
				      .status = TURN_DONE };
		struct message row = { .role = ROLE_TOOL };
		struct turn_events *events;
		bool more;
		struct message_page page;
		struct conversation c;
		struct turn turn;
		bool closed;
		size_t n;

		refused(conversation_get(db, o, &id, &a, &c, &e), ERR_NOT_FOUND);
		refused(conversation_rename(db, o, &id, S("x"), TITLE_USER,
					    NULL, &e), ERR_NOT_FOUND);
		refused(conversation_rename(db, o, &id, S("x"), TITLE_MODEL,
					    NULL, &e), ERR_NOT_FOUND);
		refused(conversation_delete(db, o, &id, &e), ERR_NOT_FOUND);
		refused(message_list(db, o, &id, NEWEST_FIRST, 0, 10, &a,
				     &page, &e), ERR_NOT_FOUND);
		refused(message_history(db, o, &id, 0, 10, &a, &page, &e),
			ERR_NOT_FOUND);
		refused(store_turn_begin(db, o, &b, &e), ERR_NOT_FOUND);
		refused(store_turn_append(db, o, &id, &own.turn_id, 0, &row, 1, &e),
			ERR_CONFLICT);
		refused(store_turn_end(db, o, &t, &e), ERR_CONFLICT);
		refused(store_turn_get(db, o, &own.turn_id, &a, &turn, &e),
			ERR_NOT_FOUND);
		refused(store_turn_cancel(db, o, &own.turn_id, &a, &turn, &e),
			ERR_NOT_FOUND);
		refused(store_turn_recover(db, o, &own.turn_id, NULL, &closed, &e),
			ERR_NOT_FOUND);
		refused(store_turn_events_list(db, o, &own.turn_id, 0, NULL, 10, &a,
					       &events, &n, &more, &e),
			ERR_NOT_FOUND);
	}
	end_with(&ann, &own, "done");
}

static void wrong_agent_is_not_found(void **state)
{
	struct uuid id = new_conversation(&ann, "t");
	struct turn_begin b = begin_of(&id, "x");

	(void)state;
	b.workspace_id = S("home");
	b.agent_id = S("other");	/* B36 */
	refused(store_turn_begin(db, &ann, &b, &e), ERR_NOT_FOUND);
	b.agent_id = S("assistant");
	ok(store_turn_begin(db, &ann, &b, &e));
	end_with(&ann, &b, "y");
}

/* B31, E19: a title that a person gave stays. */
static void titles(void **state)
{
	struct uuid id = new_conversation(&ann, NULL);
	struct turn_begin b = begin_of(&id, "first words");
	struct conversation c;
	bool changed;

	(void)state;
	b.title = S("first words");
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_true(b.titled);
	end_with(&ann, &b, "x");
	ok(conversation_rename(db, &ann, &id, S("By the model"), TITLE_MODEL,
			       &changed, &e));
	assert_true(changed);
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_true(str_is(c.title, "By the model"));
	ok(conversation_rename(db, &ann, &id, S("By Ann"), TITLE_USER,
			       &changed, &e));
	assert_true(changed);
	ok(conversation_rename(db, &ann, &id, S("Model again"), TITLE_MODEL,
			       &changed, &e));
	assert_false(changed);
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_true(str_is(c.title, "By Ann"));
	ok(conversation_rename(db, &ann, &id, (struct str){ 0 }, TITLE_USER,
			       NULL, &e));
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_null(c.title.p);
}

/* A46, B33: pages join without a gap or a double, both ways. */
static void pages_join(void **state)
{
	struct uuid id = new_conversation(&ann, "pages");
	struct turn_begin b = begin_of(&id, "1");
	struct message rows[64];
	struct message_page p;
	int64_t after = 0, want = 65, count = 0;

	(void)state;
	ok(message_list(db, &ann, &id, NEWEST_FIRST, 0, 10, &a, &p, &e));
	assert_int_equal(p.n, 0);
	assert_false(p.more);
	assert_true(str_is(p.agent_id, "assistant"));
	ok(store_turn_begin(db, &ann, &b, &e));
	for (size_t i = 0; i < 64; i++)
		rows[i] = (struct message){ .role = ROLE_TOOL,
					    .content = S("r") };
	ok(store_turn_append(db, &ann, &id, &b.turn_id, 0, rows, 64, &e));
	do {
		ok(message_list(db, &ann, &id, NEWEST_FIRST, after, 13, &a,
				&p, &e));
		for (size_t i = 0; i < p.n; i++)
			assert_int_equal(p.items[i].seq, want--);
		after = p.next_seq;
	} while (p.more);
	assert_int_equal(want, 0);
	assert_int_equal(p.n, 13);	/* 65 = 5 * 13: no empty page at the end */
	after = 0;
	do {
		ok(message_list(db, &ann, &id, OLDEST_FIRST, after, 10, &a,
				&p, &e));
		for (size_t i = 0; i < p.n; i++)
			assert_int_equal(p.items[i].seq, ++count);
		after = p.next_seq;
	} while (p.more);
	assert_int_equal(count, 65);
	ok(message_history(db, &ann, &id, 30, 5, &a, &p, &e));
	assert_int_equal(p.n, 5);
	assert_int_equal(p.items[0].seq, 26);
	assert_int_equal(p.items[4].seq, 30);
	end_with(&ann, &b, "x");
}

static void text_of_all_kinds(void **state)
{
	static const char nasty[] = "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"
		" \0 nul, '\"; DROP TABLE message; -- \xe2\x80\xae %_ \\";
	struct uuid id = new_conversation(&ann, "text");
	struct turn_begin b = begin_of(&id, "");
	struct message_page p;
	char *big;
	size_t n = 4 << 20;
	struct message row = { .role = ROLE_TOOL };

	(void)state;
	b.content = (struct str){ nasty, sizeof(nasty) - 1 };
	ok(store_turn_begin(db, &ann, &b, &e));
	big = malloc(n);
	memset(big, 'x', n);
	row.content = (struct str){ big, n };
	ok(store_turn_append(db, &ann, &id, &b.turn_id, 0, &row, 1, &e));
	ok(message_history(db, &ann, &id, 0, 5, &a, &p, &e));
	assert_true(str_eq(p.items[0].content, b.content));
	assert_true(str_eq(p.items[1].content, row.content));
	free(big);
	/* Bad bytes are refused by the server, and cost nothing else. */
	row = (struct message){ .role = ROLE_TOOL, .content = S("\xff\xfe") };
	refused(store_turn_append(db, &ann, &id, &b.turn_id, 0, &row, 1, &e), ERR_DB);
	end_with(&ann, &b, "x");
}

static void list_is_newest_first(void **state)
{
	struct owner o = person("default", "lister");
	int64_t t = clock_now_us();
	struct conversation_key key;
	struct conversation_page p;
	struct uuid ids[25];
	size_t seen = 25;
	int64_t n;

	(void)state;
	for (size_t i = 0; i < 25; i++) {
		/* Three share each time: the id decides. */
		clock_fix_us(t + (int64_t)(i / 3) * 1000);
		ids[i] = new_conversation(&o, i % 2 ? "odd" : "even");
	}
	clock_fix_us(0);
	ok(conversation_list(db, &o, NULL, NULL, 7, &a, &p, &e));
	for (;;) {
		for (size_t i = 0; i < p.n; i++)
			assert_true(uuid_eq(&p.items[i].id, &ids[--seen]));
		if (!p.more)
			break;
		key = p.next;
		ok(conversation_list(db, &o, NULL, &key, 7, &a, &p, &e));
	}
	assert_int_equal(seen, 0);
	ok(conversation_count(db, &o, NULL, &n, &e));
	assert_int_equal(n, 25);
	ok(conversation_count(db, &bob, &(struct conversation_filter){
		.agent_id = S("nobody") }, &n, &e));
	assert_int_equal(n, 0);
	ok(conversation_list(db, &o, &(struct conversation_filter){
		.workspace_id = S("home"), .agent_id = S("assistant"),
		.title = S("ODD") }, NULL, 100, &a, &p, &e));
	assert_int_equal(p.n, 12);
}

static void title_search(void **state)
{
	static const char *const titles_[] = { "100% done", "snake_case",
		"a|b", ("Stra\xc3\x9f" "e"), "plain", "\xf0\x9f\x98\x80 smile" };
	static const struct {
		const char *q;
		int n;
	} cases[] = {
		{ "%", 1 }, { "_", 1 }, { "|", 1 }, { "0% D", 1 },
		{ "SNAKE_", 1 }, { "snakeXcase", 0 }, { "PLA", 1 },
		{ "\xf0\x9f\x98\x80", 1 }, { "\xf0\x9f\x98\x81", 0 },
		{ "", 6 }, { "'", 0 }, { "\\", 0 },
	};
	struct owner o = person("default", "searcher");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(titles_); i++)
		new_conversation(&o, titles_[i]);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct conversation_filter f = { .title = S(cases[i].q) };
		struct conversation_page p;
		int64_t n;

		ok(conversation_list(db, &o, &f, NULL, 100, &a, &p, &e));
		ok(conversation_count(db, &o, &f, &n, &e));
		if (p.n != (size_t)cases[i].n || n != cases[i].n)
			fail_msg("search \"%s\": %zu, %d", cases[i].q, p.n,
				 (int)n);
	}
}

/* -- people, tokens, usage -------------------------------------------------------- */

static void tokens(void **state)
{
	struct token_new n = { .tenant_id = S("default"), .login = S("ann"),
			       .name = S("ci"), .groups = S("[\"it\"]") };
	char text[TOKEN_TEXT_BYTES], other[TOKEN_TEXT_BYTES];
	struct db_stats before, after;
	struct uuid id, id2;
	struct token t, *list;
	size_t count;

	(void)state;
	ok(token_create(db, &n, text, &id, &e));
	assert_int_equal(strlen(text), 48);
	ok(token_find(db, S(text), &a, &t, &e));
	assert_true(uuid_eq(&t.id, &id));
	assert_true(str_is(t.login, "ann"));
	assert_true(str_is(t.groups, "[\"it\"]"));
	assert_true(uuid_eq(&t.user_id, &ann.user_id));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM api_token WHERE"
		" hash = UNHEX(SHA2('%s', 256))", text), 1);
	/* One wrong character; and what cannot be a token asks nobody. */
	memcpy(other, text, sizeof(other));
	other[20] = other[20] == 'A' ? 'B' : 'A';
	refused(token_find(db, S(other), &a, &t, &e), ERR_UNAUTHENTICATED);
	db_stats(db, &before);
	refused(token_find(db, S("lamp_x"), &a, &t, &e), ERR_UNAUTHENTICATED);
	db_stats(db, &after);
	assert_int_equal(before.round_trips, after.round_trips);
	n.expires_us = clock_now_us() + 1000000;
	ok(token_create(db, &n, other, &id2, &e));
	ok(token_find(db, S(other), &a, &t, &e));
	clock_fix_us(n.expires_us);
	refused(token_find(db, S(other), &a, &t, &e), ERR_UNAUTHENTICATED);
	clock_fix_us(0);
	ok(token_revoke(db, S("default"), &id, &e));
	ok(token_revoke(db, S("default"), &id, &e));
	refused(token_find(db, S(text), &a, &t, &e), ERR_UNAUTHENTICATED);
	refused(token_revoke(db, S("other"), &id2, &e), ERR_NOT_FOUND);
	ok(token_list(db, S("default"), NULL, 10, &a, &list, &count, &e));
	assert_int_equal(count, 2);
	assert_true(uuid_eq(&list[0].id, &id2));
	assert_true(list[1].revoked_us > 0);
}

/* A month after its end a token is gone; those in force stay. */
static void ended_tokens_are_deleted(void **state)
{
	int64_t now_us = clock_now_us(), day_us = INT64_C(86400000000);
	struct token_new n = { .tenant_id = S("default"), .login = S("ann"),
			       .groups = S("[]") };
	char text[TOKEN_TEXT_BYTES];
	struct uuid kept, revoked, expired;
	struct resource_row row;

	(void)state;
	dbtest_sql("DELETE FROM api_token");
	ok(token_create(db, &n, text, &kept, &e));
	ok(token_create(db, &n, text, &revoked, &e));
	ok(token_revoke(db, S("default"), &revoked, &e));
	n.expires_us = now_us + day_us;
	ok(token_create(db, &n, text, &expired, &e));
	clock_fix_us(now_us + 30 * day_us);
	ok(store_tidy(db, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM api_token"), 3);
	clock_fix_us(now_us + 30 * day_us + 60000000);
	ok(store_tidy(db, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM api_token"), 2);
	clock_fix_us(now_us + 31 * day_us + 60000000);
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM api_token"), 1);
	ok(resource_get(db, &resources[RESOURCE_API_TOKEN],
			&(struct resource_at){ .by = ann,
					       .holder = ann.user_id },
			&kept, &a, &row, &e));
}

/* Of two at the same version one must lose, whatever the clock says. */
static void changes_do_not_meet(void **state)
{
	const struct resource *r = &resources[RESOURCE_API_TOKEN];
	struct token_new n = { .tenant_id = S("default"), .login = S("ann"),
			       .groups = S("[]") };
	struct resource_at at = resource_own(&ann);
	struct resource_row one, two;
	char text[TOKEN_TEXT_BYTES];
	struct uuid id;

	(void)state;
	clock_fix_us(clock_now_us() + 3600000000);
	ok(token_create(db, &n, text, &id, &e));
	clock_fix_us(0);
	ok(resource_get(db, r, &at, &id, &a, &one, &e));
	two = one;
	one.v[COLUMN(API_TOKEN, name)] = DB_S(S("one"));
	two.v[COLUMN(API_TOKEN, name)] = DB_S(S("two"));
	one.given[0] = two.given[0] = true;
	ok(resource_update(db, r, &at, &one, NULL, &e));
	refused(resource_update(db, r, &at, &two, NULL, &e), ERR_PRECONDITION);
}

static void users(void **state)
{
	struct owner o = person("default", "dora");

	(void)state;
	ok(store_user_touch(db, &o, S("dora"), S("Dora"), &e));
	ok(store_user_touch(db, &o, S("dora"), (struct str){ 0 }, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM user WHERE"
		" tenant_id = 'default' AND login = 'dora' AND name = 'Dora'"
		" AND last_seen_us >= first_seen_us"), 1);
}

static void usage_sums(void **state)
{
	struct owner o = person("default", "spender");
	struct uuid id = new_conversation(&o, "usage");
	char text[UUID_TEXT_BYTES];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct turn_begin b = begin_of(&id, "x");

		ok(store_turn_begin(db, &o, &b, &e));
		end_with(&o, &b, "y");
	}
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM usage_record WHERE"
		" conversation_id = UNHEX(REPLACE('%s', '-', ''))"
		" AND input_tokens = 100 AND output_tokens = 20",
		uuid_format(&id, text)), 3);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM usage_record WHERE"
		" cache_read_tokens IS NOT NULL OR cost IS NOT NULL"), 0);
}

/* -- a very long thread -------------------------------------------------------------- */

/* The plan of a declared statement with these literals for its parameters. */
static const char *plan_of(enum stmt stmt, const char *const *args)
{
	struct buf sql = BUF_INIT(65536);
	const char *plan;

	for (const char *p = store_stmts[stmt].sql; *p; p++) {
		if (*p == '?')
			buf_adds(&sql, *args++);
		else
			buf_addc(&sql, *p);
	}
	plan = dbtest_text("EXPLAIN FORMAT=JSON %s", sql.p);
	buf_release(&sql);
	return plan;
}

/* All are counted with entries of an index, however many rows there are. */
static void counting_reads_no_rows(void **state)
{
	const char *plan = plan_of(STMT_CONVERSATION_ALL, (const char *[]){
		"'default'", "UNHEX('00')", "0", "1001" });

	(void)state;
	assert_non_null(strstr(plan, "\"key\": \"conversation_shelf\""));
	assert_non_null(strstr(plan, "\"using_index\": true"));
	assert_null(strstr(plan, "filesort"));
}

/* Ranges on the wanted key only, nothing sorted, nothing materialised. */
static void plan_is(enum stmt stmt, const char *key, const char *const *args)
{
	const char *plan = plan_of(stmt, args);
	char want[64];

	snprintf(want, sizeof(want), "\"key\": \"%s\"", key);
	if (strstr(plan, "filesort") || strstr(plan, "temporary") ||
	    strstr(plan, "\"access_type\": \"ALL\"") ||
	    strstr(plan, "\"access_type\": \"index\"") ||
	    (!strstr(plan, "\"access_type\": \"range\"") &&
	     !strstr(plan, "\"access_type\": \"ref\"")) ||
	    !strstr(plan, want))
		fail_msg("%s: %s", store_stmts[stmt].name, plan);
}

/* As NEXT_ARGS. */
#define NEXT(id, seq) id, seq, id, seq, id, seq, seq, id, seq

static void long_thread(void **state)
{
	struct uuid id = new_conversation(&ann, "long");
	char hex[UUID_TEXT_BYTES], x_id[80], x_ann[80];
	int64_t t0, worst = 0;
	struct message_page p;

	(void)state;
	uuid_format(&id, hex);
	dbtest_sql("INSERT INTO message (conversation_id, seq, role,"
		   " created_us, kind, content, meta) SELECT"
		   " UNHEX(REPLACE('%s','-','')), seq, 1 + seq %% 2, 1000 + seq,"
		   " 1 + 2 * (seq %% 2), REPEAT('word ', 100), '{}' FROM seq_1_to_100000", hex);
	dbtest_sql("UPDATE conversation SET last_seq = 100000"
		   " WHERE id = UNHEX(REPLACE('%s','-',''))", hex);
	for (int64_t at = 0; at < 100000; at += 9973) {
		int64_t best = INT64_MAX;

		for (int k = 0; k < 5; k++) {
			t0 = clock_mono_us();
			ok(message_list(db, &ann, &id, NEWEST_FIRST,
					at ? 100001 - at : 0, 30, &a, &p, &e));
			best = MIN(best, clock_mono_us() - t0);
		}
		worst = MAX(worst, best);
		assert_int_equal(p.n, 30);
		assert_int_equal(p.items[0].seq, 100000 - at);
		arena_reset(&a);
	}
	if (worst > 20000)		/* OFFSET would take 100 ms and more */
		fail_msg("a page took %d us", (int)worst);
	snprintf(x_id, sizeof(x_id), "UNHEX(REPLACE('%s','-',''))", hex);
	uuid_format(&ann.user_id, hex);
	snprintf(x_ann, sizeof(x_ann), "UNHEX(REPLACE('%s','-',''))", hex);
	plan_is(STMT_MESSAGE_PAGE_TOP, "PRIMARY", (const char *const[]){
		x_id, "1", x_id, x_id, "'default'", x_ann, "31" });
	plan_is(STMT_MESSAGE_PAGE_NEWEST, "PRIMARY", (const char *const[]){
		x_id, "1", NEXT(x_id, "50000"), x_id, "'default'", x_ann,
		"31" });
	plan_is(STMT_MESSAGE_PAGE_OLDEST, "PRIMARY", (const char *const[]){
		x_id, "1", NEXT(x_id, "50000"), x_id, "'default'", x_ann,
		"31" });
	dbtest_sql("INSERT INTO conversation (id, tenant_id, user_id,"
		   " workspace_id, agent_id, created_us, updated_us)"
		   " SELECT UNHEX(MD5(seq)), 'default', UNHEX(MD5(seq %% 100)),"
		   " 'w', 'a', seq, seq FROM seq_1_to_20000");
	dbtest_sql("ANALYZE TABLE conversation");
	plan_is(STMT_CONVERSATION_LIST, "conversation_shelf",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "0", "15000",
		"15000", "UNHEX(MD5(1))", "31" });
	plan_is(STMT_CONVERSATION_FIND, "conversation_shelf",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "0", "15000",
		"15000", "UNHEX(MD5(1))", "5000", "5000", "UNHEX(MD5(2))",
		"'w'", "'w'", "NULL", "NULL", "UNHEX(MD5(3))", "UNHEX(MD5(3))",
		"'x'", "'x'", "'%x%'", "'%x%'", "31" });
	plan_is(STMT_AGENT_USERS, "conversation_users",
		(const char *const[]){ "'default'", "'w'" });
	assert_non_null(strstr(plan_of(STMT_PROMPT_USERS, (const char *const[]){
		"'[]'", "'default'" }), "\"key\": \"PRIMARY\""));
	plan_is(STMT_CONVERSATION_PINNED, "conversation_pinned",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "'w'", "'w'",
		"31" });
	plan_is(STMT_CONVERSATION_REACH, "conversation_shelf",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "0", "15000",
		"15000", "UNHEX(MD5(1))", "4999" });
	plan_is(STMT_CONVERSATION_OF_AGENT, "conversation_of_agent",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "'w'", "'a'",
		"15000", "15000", "UNHEX(MD5(1))", "5000", "5000",
		"UNHEX(MD5(2))", "'%x%'", "'%x%'", "31" });
	plan_is(STMT_CONVERSATION_REACH_OF_AGENT, "conversation_of_agent",
		(const char *const[]){ "'default'", "UNHEX(MD5(7))", "'w'", "'a'",
		"15000", "15000", "UNHEX(MD5(1))", "4999" });
}

/* A tool call's rows, where the thread's end is known: one round trip. */
static void a_step_is_one_statement(void **state)
{
	struct uuid id = new_conversation(&ann, "step");
	struct turn_begin b = begin_of(&id, "1");
	struct message rows[4];
	struct db_stats s, s2;
	struct message_page p;
	int64_t last;

	(void)state;
	ok(store_turn_begin(db, &ann, &b, &e));
	last = b.user.seq;
	for (size_t n = 2; n <= ARRAY_LEN(rows); n++) {
		for (size_t i = 0; i < n; i++)
			rows[i] = (struct message){ .role = ROLE_TOOL,
				.content = S("r"), .kind = KIND_RESULT };
		db_stats(db, &s);
		ok(store_turn_append(db, &ann, &id, &b.turn_id, last, rows, n, &e));
		db_stats(db, &s2);
		/* The first time it is prepared. */
		assert_int_equal(s2.round_trips - s.round_trips, 2);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(rows[i].seq, ++last);
	}
	rows[0] = rows[1] = (struct message){ .role = ROLE_TOOL,
		.content = S("again"), .kind = KIND_RESULT };
	db_stats(db, &s);
	ok(store_turn_append(db, &ann, &id, &b.turn_id, last, rows, 2, &e));
	db_stats(db, &s2);
	assert_int_equal(s2.round_trips - s.round_trips, 1);
	last += 2;
	/* Stored already, as far as its numbers say: it is not stored twice. */
	ok(store_turn_append(db, &ann, &id, &b.turn_id, last, rows, 2, &e));
	/* A wrong end is no harm. */
	rows[0].seq = rows[1].seq = 0;
	ok(store_turn_append(db, &ann, &id, &b.turn_id, last + 7, rows, 2, &e));
	assert_int_equal(rows[0].seq, last + 1);
	assert_int_equal(rows[1].seq, last + 2);
	ok(message_history(db, &ann, &id, 0, 50, &a, &p, &e));
	assert_int_equal(p.n, 1 + 2 + 3 + 4 + 2 + 2);
	end_with(&ann, &b, "x");
	rows[0].seq = rows[1].seq = 0;
	refused(store_turn_append(db, &ann, &id, &b.turn_id, last + 2, rows, 2, &e),
		ERR_CONFLICT);
}

static int open_it(void **state)
{
	*state = (char *)"t_store";
	return store_lab_open(state);
}

/* Whoever asks first makes the key; everybody gets the same one. */
static void keys(void **state)
{
	/* Of two processes, and of another purpose. */
	struct key_cache one = KEY_CACHE("form"), two = KEY_CACHE("form");
	struct key_cache third = KEY_CACHE("other");
	unsigned char first[KEY_BYTES], again[KEY_BYTES], other[KEY_BYTES];

	(void)state;
	assert_false(key_peek(&one, first));
	ok(key_cached(&one, db, first, &e));
	ok(key_cached(&two, db, again, &e));
	ok(key_cached(&third, db, other, &e));
	assert_memory_equal(first, again, KEY_BYTES);
	assert_true(key_peek(&one, again));
	assert_memory_equal(first, again, KEY_BYTES);
	assert_memory_not_equal(first, other, KEY_BYTES);
}

/* Long results: bounded, their owner's, gone with the conversation or in time. */
static void tool_outputs_are_kept_for_their_owner(void **state)
{
	struct uuid c = new_conversation(&ann, "long"), id, last;
	char *big = calloc(1, LIM_TOOL_OUTPUT_BYTES + 100);
	struct tool_output o;

	(void)state;
	memset(big, 'x', LIM_TOOL_OUTPUT_BYTES + 10);
	memcpy(big + LIM_TOOL_OUTPUT_BYTES - 1, "\xc3\xa4", 2);
	ok(store_tool_output_put(db, &ann, &c, S("t"), S(big), S("[]"), &id, &e));
	ok(store_tool_output_get(db, &ann, &id, &a, &o, &e));
	assert_int_equal(o.content.n, LIM_TOOL_OUTPUT_BYTES - 1);
	assert_true(str_is(o.tool, "t"));
	refused(store_tool_output_get(db, &bob, &id, &a, &o, &e), ERR_NOT_FOUND);
	for (int i = 0; i < TOOL_OUTPUTS_KEPT + 5; i++)
		ok(store_tool_output_put(db, &ann, &c, S("t"), S("text"), S(""), &last, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM tool_output"),
			 TOOL_OUTPUTS_KEPT);
	refused(store_tool_output_get(db, &ann, &id, &a, &o, &e), ERR_NOT_FOUND);
	ok(store_tool_output_get(db, &ann, &last, &a, &o, &e));
	/* over its day it is not read any more, and then deleted */
	clock_fix_us(clock_now_us() + INT64_C(87000000000));
	refused(store_tool_output_get(db, &ann, &last, &a, &o, &e), ERR_NOT_FOUND);
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM tool_output"), 0);
	ok(store_tool_output_put(db, &ann, &c, S("t"), S("text"), S(""), &last, &e));
	ok(conversation_delete(db, &ann, &c, &e));
	/* nor is one kept whose conversation was deleted while its tool ran */
	refused(store_tool_output_put(db, &ann, &c, S("t"), S("late"), S(""), &id, &e),
		ERR_NOT_FOUND);
	assert_int_equal(do_jobs(), 1);
	refused(store_tool_output_put(db, &ann, &c, S("t"), S("later"), S(""), &id, &e),
		ERR_NOT_FOUND);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM tool_output"), 0);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_prepares),
		cmocka_unit_test(a_step_is_one_statement),
		cmocka_unit_test(conversation_comes_back),
		cmocka_unit_test(foreign_is_not_found),
		cmocka_unit_test(wrong_agent_is_not_found),
		cmocka_unit_test(titles),
		cmocka_unit_test(pages_join),
		cmocka_unit_test(text_of_all_kinds),
		cmocka_unit_test(list_is_newest_first),
		cmocka_unit_test(title_search),
		cmocka_unit_test(tokens),
		cmocka_unit_test(ended_tokens_are_deleted),
		cmocka_unit_test(changes_do_not_meet),
		cmocka_unit_test(users),
		cmocka_unit_test(keys),
		cmocka_unit_test(usage_sums),
		cmocka_unit_test(counting_reads_no_rows),
		cmocka_unit_test(long_thread),
		cmocka_unit_test(tool_outputs_are_kept_for_their_owner),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
