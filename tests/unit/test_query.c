/* SPDX-License-Identifier: MIT */
/*
 * query_data and list_datasets (lib/tool): the SQL of structured queries by a
 * golden file, and hostile queries against a real MariaDB.
 */
#include "query_lab.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "db/db.h"
#include "tool/data/query.h"

static struct row_caller caller_row(const struct identity *who)
{
	return (struct row_caller){
		.user = who->login, .user_id = str_of("USER-ID"),
		.tenant = who->tenant, .groups = who->groups,
		.n_groups = who->n_groups,
	};
}

/* -- the golden file -------------------------------------------------------- */

static void print_arg(struct buf *b, const struct db_val *v)
{
	if (v->type == 'i')
		buf_addf(b, "%lld", (long long)v->i);
	else if (v->type == 'd')
		buf_addf(b, "%.15g", v->d);
	else
		buf_json(b, v->s);
}

/* One case as the golden file has it. */
static void compile_case(struct str json, const char *groups, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct tool_ctx ctx;
	struct row_caller caller;
	struct dataset d;
	struct query q;
	struct err e = ERR_INIT;
	json_t *args = jx_load(json, &e);

	as_user("anna", groups, &a, &ctx);
	caller = caller_row(ctx.turn.by.who);
	assert_non_null(args);
	jx_keep(&a, args);
	if (dataset_find(&ctx, jx_str(args, "dataset"), &d, &e) < 0 ||
	    query_compile(&d, &caller, args, &a, &q, &e) < 0) {
		buf_addf(out, "! %s %s\n", err_row(&e)->code, e.public);
		arena_release(&a);
		return;
	}
	buf_addf(out, "%.*s\n", STR_ARG(q.sql));
	buf_addf(out, "args");
	for (size_t i = 0; i < q.args.n; i++) {
		buf_addc(out, ' ');
		print_arg(out, &q.args.v[i]);
	}
	buf_adds(out, "\ncolumns");
	for (size_t i = 0; i < q.n_columns; i++)
		buf_addf(out, " %.*s:%s", STR_ARG(q.columns[i].name),
			 query_type_name(q.columns[i].type));
	buf_addf(out, "\ncount %.*s\n", STR_ARG(q.count_sql));
	arena_release(&a);
}

static void read_file(const char *name, struct buf *out)
{
	FILE *f = fopen(query_lab_path(name), "r");
	char piece[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(out, piece, n);
	fclose(f);
}

static void queries_compile_as_golden(void **state)
{
	struct buf have = BUF_INIT(1 << 20), want = BUF_INIT(1 << 20);
	char groups[128] = "";
	struct str rest;

	(void)state;
	read_file("cases.txt", &have);
	rest = buf_str(&have);
	while (rest.p && rest.n) {
		struct str line = str_cut(&rest, '\n');

		if (line.n && line.p[0] != '#' && line.p[0] != '>' &&
		    line.p[0] != '@')
			continue;	/* what is compared */
		buf_addf(&want, "%.*s\n", STR_ARG(line));
		if (line.n > 2 && line.p[0] == '@')
			snprintf(groups, sizeof(groups), "%.*s",
				 (int)line.n - 2, line.p + 2);
		if (line.n > 2 && line.p[0] == '>') {
			compile_case((struct str){ line.p + 2, line.n - 2 },
				     groups, &want);
			groups[0] = '\0';
		}
	}
	if (getenv("LAMPLIGHTER_GOLDEN")) {
		FILE *f = fopen(query_lab_path("cases.txt"), "w");

		assert_non_null(f);
		fwrite(want.p, 1, want.n, f);
		fclose(f);
	} else if (want.n != have.n || memcmp(want.p, have.p, want.n) != 0) {
		size_t i = 0;

		while (i < want.n && i < have.n && want.p[i] == have.p[i])
			i++;
		while (i > 0 && want.p[i - 1] != '\n')
			i--;
		fail_msg("cases.txt differs at:\n%.300s", want.p + i);
	}
	buf_release(&have);
	buf_release(&want);
}

/* -- what an admin may write ------------------------------------------------ */

static void row_filters_are_checked(void **state)
{
	static const char *const bad[] = {
		"a = ?", "a = 1; b", "a = 1 -- x", "a = 1 /* x */", "a # b",
		"a = 1) OR (1=1", "(a = 1", "a = 'x", "a = \"x", "a = `x",
		"a = :user.department", "a = :other", "a = @@version",
		"a = 'x\\'", "@x := 1",
	};
	static const char *const good[] = {
		"a = :user", "a IN (:groups)", "a = 'it''s ? :x -- ;'",
		"`a;b` = :tenant AND b = :user_id", "a->'$.x' = 1", "a - 1 = b / 2",
	};
	struct row_caller who = { .user = STR("u") };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct arena a = ARENA_INIT;
		struct query_args args = { .arena = &a };
		struct buf sql = BUF_INIT(4096);
		struct err e = ERR_INIT;

		if (row_filter_bind(bad[i], &who, &sql, &args, &e) == 0)
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(e.code, ERR_CONFIG);
		buf_release(&sql);
		arena_release(&a);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct arena a = ARENA_INIT;
		struct query_args args = { .arena = &a };
		struct buf sql = BUF_INIT(4096);
		struct err e = ERR_INIT;

		if (row_filter_bind(good[i], &who, &sql, &args, &e) < 0)
			fail_msg("refused: %s: %s", good[i], e.text);
		buf_release(&sql);
		arena_release(&a);
	}
}

/* -- hostile queries -------------------------------------------------------- */

static unsigned rng = 20261121;

static unsigned pick(unsigned n)
{
	rng = rng * 1103515245 + 12345;
	return (rng >> 16) % n;
}

#define MARK "zqxmark"		/* in everything the "model" writes */

static const char *const names[] = {
	"id", "owner", "name", "state", "amount", "made", "day", "done", "note",
	"salary", "fixed", "count", "n", MARK "`", MARK "'", MARK "` OR 1=1 -- ",
	MARK ") UNION SELECT * FROM secret -- ", MARK "\\", "*", "",
	MARK "😀", "owner` = owner OR `owner", "c0", "1", "NULL", MARK "/*", "?",
	":user", MARK "\"", "item.owner", "secret.word", MARK ";DROP TABLE item",
};

static const char *const texts[] = {
	MARK "' OR '1'='1", MARK "\" OR \"\"=\"", MARK "\\' OR 1=1 -- ", MARK "%",
	MARK "_", "%", "_%", "!%", MARK "'; DROP TABLE item; --", MARK "/*", "*/",
	MARK "😀", "2026-01-01", "2026-01-01T00:00:00Z", "0000-00-00", "", "0",
	MARK "\x01\x02", MARK " UNION SELECT word FROM secret", "?", "NULL",
	"bob", "anna", "open", MARK "\xc2\xa0", "1e400", "-9223372036854775808",
};

static json_t *hostile_value(void)
{
	switch (pick(9)) {
	case 0: return json_integer(INT64_MAX);
	case 1: return json_integer((json_int_t)pick(1000) - 500);
	case 2: return json_real(1e308);
	case 3: return json_true();
	case 4: return json_null();
	case 5: return json_object();
	case 6: {
		json_t *list = json_array();
		size_t n = pick(20) == 0 ? 10000 : pick(4);

		for (size_t i = 0; i < n; i++)
			json_array_append_new(list, json_string(
				texts[pick(sizeof(texts) / sizeof(texts[0]))]));
		return list;
	}
	default:
		return json_string(texts[pick(sizeof(texts) / sizeof(texts[0]))]);
	}
}

static json_t *a_name(void)
{
	/* Mostly real columns, so that many queries reach the database. */
	if (pick(4))
		return json_string(names[pick(9)]);
	return json_string(names[pick(sizeof(names) / sizeof(names[0]))]);
}

static json_t *hostile_query(void)
{
	static const char *const op_names[] = {
		"eq", "ne", "lt", "le", "gt", "ge", "in", "contains",
		"starts_with", "is_null", "not_null", "between",
	};
	static const char *const fn_names[] = {
		"count", "sum", "avg", "min", "max", "count_distinct",
	};
	json_t *q = json_pack("{s:s}", "dataset", pick(5) ? "item" : "joined");
	json_t *list;

	if (pick(2)) {
		json_object_set_new(q, "select", list = json_array());
		for (unsigned i = pick(4); i; i--)
			json_array_append_new(list, a_name());
	}
	if (pick(3)) {
		json_object_set_new(q, "filters", list = json_array());
		for (unsigned i = pick(3); i; i--)
			json_array_append_new(list, json_pack("{s:o,s:s,s:o}",
				"column", a_name(), "op", op_names[pick(12)],
				"value", hostile_value()));
	}
	if (pick(3) == 0) {
		json_object_set_new(q, "group_by", list = json_array());
		for (unsigned i = pick(3); i; i--)
			json_array_append_new(list, a_name());
	}
	if (pick(3) == 0) {
		json_object_set_new(q, "aggregates", list = json_array());
		for (unsigned i = pick(3); i; i--)
			json_array_append_new(list, json_pack("{s:s,s:o,s:s}",
				"fn", fn_names[pick(6)], "column", a_name(),
				"as", names[11 + pick(15)]));
	}
	if (pick(3) == 0) {
		json_object_set_new(q, "sort", list = json_array());
		for (unsigned i = pick(3); i; i--)
			json_array_append_new(list, json_pack("{s:o,s:s}",
				"column", a_name(), "direction",
				pick(2) ? "asc" : "desc"));
	}
	if (pick(3) == 0)
		json_object_set_new(q, "search", json_string(
			texts[pick(sizeof(texts) / sizeof(texts[0]))]));
	if (pick(2))
		json_object_set_new(q, "limit", json_integer(1 + pick(100000)));
	return q;
}

/* Whatever is asked, its words are not in the SQL and the row filter is. */
static void sql_has_no_model_text(void **state)
{
	int compiled = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct arena a = ARENA_INIT;
		struct tool_ctx ctx;
		struct row_caller caller;
		struct dataset d;
		struct query q;
		struct err e = ERR_INIT;
		json_t *args = jx_keep(&a, hostile_query());
		const char *filter;

		as_user("anna", "sales", &a, &ctx);
		caller = caller_row(ctx.turn.by.who);
		assert_int_equal(dataset_find(&ctx, jx_str(args, "dataset"), &d,
					      &e), 0);
#define EXACT "(? COLLATE utf8mb4_nopad_bin)"
		filter = d.conf->from[0] ? "WHERE (g.name IN (" EXACT ") AND "
			"(i.owner = " EXACT " OR i.owner = 'it''s :user?'))"
			: "WHERE (owner = " EXACT ")";
		if (query_compile(&d, &caller, args, &a, &q, &e) == 0) {
			compiled++;
			assert_null(strstr(q.sql.p, MARK));
			assert_null(strstr(q.count_sql.p, MARK));
			assert_non_null(strstr(q.sql.p, filter));
			assert_non_null(strstr(q.count_sql.p, filter));
			assert_null(strstr(q.sql.p, "salary"));
		} else {
			assert_int_equal(e.code, ERR_TOOL_ARGS);
			assert_true(e.public[0] != '\0');
		}
		arena_release(&a);
	}
	assert_true(compiled > 1000);
}

static void rows_of_others_never_come(void **state)
{
	struct arena set_arena = ARENA_INIT;
	struct tool_ctx set_ctx;
	struct tool_set set;
	struct err e = ERR_INIT;
	int answered = 0;

	(void)state;
	as_user("anna", "sales", &set_arena, &set_ctx);
	assert_int_equal(tool_set_build(&set_ctx, &set, &e), 0);
	for (int i = 0; i < 1500; i++) {
		struct arena a = ARENA_INIT;
		struct tool_ctx ctx = set_ctx;
		struct tool_result r;
		json_t *q = jx_keep(&a, hostile_query());

		ctx.arena = &a;
		tool_call(&set, &ctx, STR("query_data"), str_of(jx_text(&a, q)),
			  &r);
		assert_true(utf8_valid(r.text));
		if (strstr(r.text.p, "FOREIGN") || strstr(r.text.p, "66600"))
			fail_msg("%s\n%s", jx_text(&a, q), r.text.p);
		if (!r.is_error)
			answered++;
		else if (strstr(r.text.p, "refused"))
			fail_msg("refused by the database: %s", jx_text(&a, q));
		arena_release(&a);
	}
	assert_true(answered > 100);
	arena_release(&set_arena);
}

/* -- against a real database ------------------------------------------------ */

static void answers_are_typed(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	json_t *j = call("anna", "", "query_data", "{\"dataset\":\"plain\","
			 "\"sort\":[{\"column\":\"id\"}]}", &a, &r);

	(void)state;
	if (r.is_error)
		fail_msg("%s", r.text.p);
	assert_string_equal(jx_text(&a, json_object_get(j, "columns")),
		"[{\"name\":\"id\",\"type\":\"integer\"},"
		"{\"name\":\"big\",\"type\":\"integer\"},"
		"{\"name\":\"price\",\"type\":\"decimal\"},"
		"{\"name\":\"kind\",\"type\":\"text\"},"
		"{\"name\":\"at\",\"type\":\"datetime\"},"
		"{\"name\":\"on_day\",\"type\":\"date\"},"
		"{\"name\":\"yes\",\"type\":\"boolean\"}]");
	assert_string_equal(jx_text(&a, json_object_get(j, "rows")),
		"[[1,\"9007199254740993\",12.5,\"red\",\"2026-01-31 14:30:00\","
		"\"2026-01-31\",true],[2,null,null,null,null,null,false]]");
	assert_int_equal(jx_int(j, "rowCount", -1), 2);
	assert_false(jx_bool(j, "truncated", true));
	arena_release(&a);
}

static void row_filter_bounds_counts(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	json_t *j = call("anna", "", "query_data", "{\"dataset\":\"item\","
			 "\"aggregates\":[{\"fn\":\"count\"}]}", &a, &r);

	(void)state;
	assert_string_equal(jx_text(&a, json_object_get(j, "rows")), "[[80]]");
	j = call("carl", "", "query_data", "{\"dataset\":\"item\"}", &a, &r);
	assert_int_equal(jx_int(j, "rowCount", -1), 0);
	arena_release(&a);
}

static void long_answers_say_so(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	json_t *j = call("anna", "", "query_data", "{\"dataset\":\"item\","
			 "\"select\":[\"id\"]}", &a, &r);

	(void)state;
	assert_int_equal(jx_int(j, "rowCount", -1), 50);
	assert_true(jx_bool(j, "truncated", false));
	assert_int_equal(jx_int(j, "totalCount", -1), 80);
	/* The same when it is the bytes that are too many. */
	query_lab.conf->limits.tool_result_bytes = 2048;
	j = call("anna", "", "query_data", "{\"dataset\":\"item\"}", &a, &r);
	query_lab.conf->limits.tool_result_bytes = 0;
	assert_false(r.is_error);
	assert_true(r.text.n <= 2048);
	assert_true(jx_bool(j, "truncated", false));
	assert_in_range(jx_int(j, "rowCount", -1), 1, 49);
	assert_int_equal(json_array_size(jx_arr(j, "rows")),
			 jx_int(j, "rowCount", -1));
	arena_release(&a);
}

static void groups_bound_datasets_and_columns(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	call("anna", "", "list_datasets", "{}", &a, &r);
	assert_false(r.is_error);
	assert_null(strstr(r.text.p, "secret"));
	assert_null(strstr(r.text.p, "salary"));
	call("anna", "hr board", "list_datasets", "{}", &a, &r);
	assert_non_null(strstr(r.text.p, "secret"));
	assert_non_null(strstr(r.text.p, "salary"));
	call("anna", "", "query_data", "{\"dataset\":\"secret\"}", &a, &r);
	assert_true(r.is_error);
	call("anna", "board", "query_data", "{\"dataset\":\"secret\"}", &a, &r);
	assert_false(r.is_error);
	arena_release(&a);
}

static void slow_queries_are_stopped(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;

	(void)state;
	call("anna", "slow", "query_data", "{\"dataset\":\"slow\"}", &a, &r);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "longer than 300 ms"));
	assert_in_range(r.duration_ms, 250, 3000);
	arena_release(&a);
}

static void costly_queries_are_not_run(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	json_t *j;

	(void)state;
	call("anna", "costly", "query_data", "{\"dataset\":\"costly\","
	     "\"aggregates\":[{\"fn\":\"count\"}]}", &a, &r);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "would have to read about "));
	assert_non_null(strstr(r.text.p, "at most 100000 are allowed for "
			       "\\\"costly\\\". Filter more"));
	assert_true(r.duration_ms < 5000);
	/* a key makes it cheap */
	j = call("anna", "costly", "query_data", "{\"dataset\":\"costly\","
		 "\"filters\":[{\"column\":\"id\",\"op\":\"eq\",\"value\":1}],"
		 "\"aggregates\":[{\"fn\":\"count\"}]}", &a, &r);
	assert_string_equal(jx_text(&a, json_object_get(j, "rows")),
			    "[[25600]]");
	/* so are the first rows, whatever follows */
	j = call("anna", "costly", "query_data", "{\"dataset\":\"costly\","
		 "\"limit\":2}", &a, &r);
	assert_int_equal(jx_int(j, "rowCount", -1), 2);
	arena_release(&a);
}

static void *pull_soon(void *abort)
{
	/* Until the server runs it. */
	while (sql_count("SELECT COUNT(*) FROM information_schema.processlist "
			 "WHERE info LIKE '%SLEEP(30)%' AND command = 'Execute'")
	       == 0)
		sched_yield();
	http_abort_now(abort);
	return NULL;
}

static void a_stopped_turn_stops_the_query(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_result r;
	pthread_t thread;

	(void)state;
	query_lab.abort = http_abort_new(&e);
	assert_non_null(query_lab.abort);
	assert_int_equal(pthread_create(&thread, NULL, pull_soon, query_lab.abort),
			 0);
	call("anna", "slow", "query_data", "{\"dataset\":\"stuck\"}", &a, &r);
	pthread_join(thread, NULL);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "\"code\":\"cancelled\""));
	assert_true(r.duration_ms < 10000);
	/* the server has ended it too */
	for (int64_t start = clock_mono_ms(); sql_count("SELECT COUNT(*) FROM "
		"information_schema.processlist WHERE info LIKE '%SLEEP(30)%'"
		" AND command = 'Execute'") > 0;)
		assert_true(clock_mono_ms() - start < 10000);
	/* and the pool goes on */
	http_abort_free(query_lab.abort);
	query_lab.abort = NULL;
	call("anna", "", "query_data", "{\"dataset\":\"plain\"}", &a, &r);
	assert_false(r.is_error);
	arena_release(&a);
}

static void a_dataset_is_described(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_result r;
	json_t *j = call("anna", "", "describe_dataset",
			 "{\"dataset\":\"item\"}", &a, &r), *c;

	(void)state;
	assert_false(r.is_error);
	assert_string_equal(jx_str(j, "description").p, "Items of the shop");
	c = json_array_get(jx_arr(j, "columns"), 3);
	assert_string_equal(jx_text(&a, c), "{\"name\":\"state\",\"type\":"
			    "\"text\",\"values\":[\"open\",\"closed\"]}");
	c = json_array_get(jx_arr(j, "columns"), 9);
	assert_string_equal(jx_text(&a, c), "{\"name\":\"fixed\",\"type\":"
			    "\"text\",\"filter\":false,\"sort\":false,"
			    "\"group\":false}");
	assert_int_equal(json_array_size(jx_arr(j, "sample")), 3);
	assert_null(strstr(r.text.p, "salary"));
	assert_null(strstr(r.text.p, "FOREIGN"));
	call("anna", "", "describe_dataset", "{\"dataset\":\"secret\"}", &a,
	     &r);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "There is no dataset"));
	arena_release(&a);
}

static void calls_are_checked_in_order(void **state)
{
	static const struct {
		const char *tool, *args, *code, *text;
	} rows[] = {
		{ "query_dat", "{}", "tool_unknown", "Did you mean" },
		{ "query_data", "{", "tool_arguments_invalid", "not valid JSON" },
		{ "query_data", "[]", "tool_arguments_invalid", "one JSON object" },
		{ "query_data", "{}", "tool_arguments_invalid", "needs" },
		{ "query_data", "{\"dataset\":\"nope\"}", "tool_arguments_invalid", "must be one of" },
		{ "query_data", "{\"dataset\":\"item\",\"filters\":[{\"column\":\"id\",\"op\":\"like\"}]}",
		  "tool_arguments_invalid", "filters[0].op must be one of: eq" },
	};
	struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tool_result r;

		call("anna", "", rows[i].tool, rows[i].args, &a, &r);
		assert_true(r.is_error);
		assert_true(r.is_json);
		if (!strstr(r.text.p, rows[i].code) ||
		    !strstr(r.text.p, rows[i].text))
			fail_msg("%s: %s", rows[i].args, r.text.p);
	}
	arena_release(&a);
}

static void the_model_is_told_enough(void **state)
{
	struct arena a = ARENA_INIT;
	struct tool_ctx ctx;
	struct tool_set set;
	struct err e = ERR_INIT;
	const char *text;

	(void)state;
	as_user("anna", "", &a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	assert_int_equal(set.n, 6);	/* and the three that are ready */
	assert_string_equal(set.v[1].tool->name, "describe_dataset");
	assert_string_equal(set.v[2].tool->name, "list_datasets");
	assert_true(strlen(set.v[3].description) <= 1024);
	text = jx_str(jx_pointer(set.v[3].schema, "/properties/dataset"),
		      "description").p;
	assert_non_null(strstr(text, "- item: Items of the shop. Columns: id "
			       "integer, owner text, name text \"What it is\", "
			       "state text(open|closed)"));
	assert_non_null(strstr(text, "- plain. Columns: id integer"));
	assert_non_null(strstr(text, "kind text(red|green)"));
	assert_null(strstr(text, "salary"));
	assert_int_equal(schema_supported(set.v[2].schema, &e), 0);
	arena_release(&a);
}

static void configuration_is_checked(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(tool_check_conf(query_lab.conf, &e), 0);
}

/* -- set-up ----------------------------------------------------------------- */

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_compile_as_golden),
		cmocka_unit_test(row_filters_are_checked),
		cmocka_unit_test(sql_has_no_model_text),
		cmocka_unit_test(configuration_is_checked),
		cmocka_unit_test(the_model_is_told_enough),
		cmocka_unit_test(answers_are_typed),
		cmocka_unit_test(row_filter_bounds_counts),
		cmocka_unit_test(long_answers_say_so),
		cmocka_unit_test(groups_bound_datasets_and_columns),
		cmocka_unit_test(slow_queries_are_stopped),
		cmocka_unit_test(costly_queries_are_not_run),
		cmocka_unit_test(a_stopped_turn_stops_the_query),
		cmocka_unit_test(a_dataset_is_described),
		cmocka_unit_test(calls_are_checked_in_order),
		cmocka_unit_test(rows_of_others_never_come),
	};

	(void)argc;
	unit_need_database(argv);
	return cmocka_run_group_tests_name("query", tests, query_lab_up,
					   query_lab_down);
}
