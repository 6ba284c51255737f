/* SPDX-License-Identifier: MIT */
/*
 * lib/conf: cases of tests/fixtures/conf, live reload, printing, rules.
 * LAMPLIGHTER_GOLDEN=write rewrites the files `expect`; read the difference before
 * you commit it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/catalog.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "conf/addr.h"
#include "conf/load.h"
#include "conf/rules.h"
#include "unit.h"

#define CAP (1 << 20)

static char fixtures[PATH_MAX];
static char scratch[PATH_MAX];

static void read_text(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(out, part, n);
	fclose(f);
	assert_true(buf_ok(out));
}

/* Writes it again, as an editor does: another file under the same name. */
static void write_text(const char *path, const char *text)
{
	char tmp[PATH_MAX];
	FILE *f;

	snprintf(tmp, sizeof(tmp), "%s.new", path);
	f = fopen(tmp, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(rename(tmp, path), 0);
}

/* -- case directories ----------------------------------------------------------- */

/* Calls fn in each case of a kind; returns how many there were. */
static int each_case(const char *kind, void (*fn)(const char *name))
{
	struct dirent **v;
	int n, cases = 0;

	assert_int_equal(chdir(fixtures), 0);
	n = scandir(kind, &v, NULL, alphasort);
	assert_true(n > 2);
	for (int i = 0; i < n; i++) {
		if (v[i]->d_name[0] != '.') {
			assert_int_equal(chdir(kind), 0);
			assert_int_equal(chdir(v[i]->d_name), 0);
			fn(v[i]->d_name);
			assert_int_equal(chdir(fixtures), 0);
			cases++;
		}
		free(v[i]);
	}
	free(v);
	return cases;
}

static void one_invalid(const char *name)
{
	struct buf want = BUF_INIT(CAP), got = BUF_INIT(CAP);
	struct err e = ERR_INIT;
	struct str all, first;

	read_text("error", &want);
	if (conf_load_report("lamplighter.yaml", &got, &e))
		fail_msg("%s was accepted", name);
	if (strcmp(want.p, got.p))
		fail_msg("%s:\n--- expected\n%s--- got\n%s", name, want.p,
			 got.p);
	assert_int_equal(e.code, ERR_CONFIG);
	/* the error is the first line of the report, cut at its size */
	all = buf_str(&got);
	first = str_cut(&all, '\n');
	assert_memory_equal(e.text, first.p, MIN(first.n, sizeof(e.text) - 1));
	buf_release(&want);
	buf_release(&got);
}

/* mcp-two-credentials: P-E13, for MCP servers. */
static void invalid_files_say_where(void **state)
{
	(void)state;
	assert_true(each_case("invalid", one_invalid) >= 80);
}

static void one_valid(const char *name)
{
	struct buf want = BUF_INIT(CAP), got = BUF_INIT(CAP);
	struct err e = ERR_INIT;
	struct conf *c = conf_load("lamplighter.yaml", &e);

	if (!c)
		fail_msg("%s: %s", name, e.text);
	conf_print(c, &got);
	if (getenv("LAMPLIGHTER_GOLDEN"))
		write_text("expect", got.p);
	read_text("expect", &want);
	if (strcmp(want.p, got.p))
		fail_msg("%s:\n--- expected\n%s--- got\n%s", name, want.p,
			 got.p);
	assert_null(strstr(got.p, "hunter2"));
	buf_release(&want);
	buf_release(&got);
	conf_put(c);
}

static void valid_files_print_as_expected(void **state)
{
	(void)state;
	assert_true(each_case("valid", one_valid) >= 5);
}

/* -- values --------------------------------------------------------------------- */

static struct conf *conf_of(const char *text, struct err *e)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/lamplighter.yaml", scratch);
	write_text(path, text);
	return conf_load(path, e);
}

static void defaults_and_lookups(void **state)
{
	struct err e = ERR_INIT;
	struct conf *c;

	(void)state;
	assert_int_equal(chdir(fixtures), 0);
	c = conf_load("valid/workspaces/lamplighter.yaml", &e);
	assert_non_null(c);
	assert_int_equal(c->threads.max, 1024);
	assert_int_equal(c->limits.body_bytes, LIM_BODY_BYTES);
	assert_int_equal(c->log.level, LOG_LVL_INFO);
	assert_true(isnan(c->llms[0].temperature));
	assert_int_equal(c->llms[0].capabilities, LLM_CAN_CHAT | LLM_CAN_TOOLS);
	assert_int_equal(c->llms[0].line, 4);
	assert_string_equal(c->llms[0].file,
			    "valid/workspaces/lamplighter.yaml");
	assert_int_equal(c->n_chain, 1);
	assert_int_equal(c->chain[0].kind, IDENTITY_API_TOKEN);
	assert_string_equal(c->roles[0].id, "user");
	assert_null(c->platform.name);

	assert_null(catalog_workspace(c, STR("first")));
	const struct workspace *w = catalog_workspace(c, STR("second"));

	assert_non_null(w);
	assert_string_equal(workspace_default_agent(w)->id, "two");
	assert_non_null(workspace_agent(w, STR("one")));
	assert_null(workspace_agent(w, STR("on")));
	assert_ptr_equal(conf_database(c, STR("app")), &c->db);
	assert_string_equal(conf_database(c, STR("shop"))->host,
			    "db.example.org");
	assert_string_equal(catalog_prompt(c, STR("summary"))->text, "Summarize.");
	const struct conf_dataset *d = &w->datasets[1];

	assert_string_equal(d->name, "open-orders");
	assert_int_equal(d->n_columns, 2);
	assert_int_equal(d->columns[0].type, COL_AUTO);
	assert_true(d->columns[0].sort);
	assert_false(d->columns[1].sort);
	assert_true(conf_list_has(&d->columns[1].groups, STR("sales")));
	assert_false(conf_list_has(&d->columns[1].groups, STR("sale")));
	conf_put(conf_ref(c));
	conf_put(c);
	conf_put(NULL);
}

static void variables_and_secret_files(void **state)
{
	struct err e = ERR_INIT;
	struct conf *c;
	const struct llm_service *m;

	(void)state;
	assert_int_equal(chdir(fixtures), 0);
	c = conf_load("valid/environment/lamplighter.yaml", &e);
	assert_non_null(c);
	assert_string_equal(c->db.password, "hunter2");
	assert_string_equal(c->db.user, "a-value-b");
	assert_string_equal(c->db.name, "fallback");
	assert_int_equal(c->db.port, 3308);
	assert_string_equal(c->db.host, "");
	assert_string_equal(c->llms[0].api_key, "hunter2");
	assert_string_equal(c->llms[0].model, "valuevalue");
	conf_put(c);

	c = conf_load("valid/texts/lamplighter.yaml", &e);
	assert_non_null(c);
	assert_string_equal(c->db.password, "it's ${HOME} $5 $");
	assert_int_equal(c->open_secrets.n, 1);
	conf_put(c);
	c = conf_of("database: {password: '${LAMPLIGHTER_TEST_SET}'}\n", &e);
	assert_non_null(c);
	assert_int_equal(c->open_secrets.n, 0);
	conf_put(c);
	c = conf_load("valid/texts/lamplighter.yaml", &e);
	assert_non_null(c);
	assert_string_equal(c->db.user, "yes");
	assert_string_equal(c->roles[0].groups.v[0], "no");
	m = &c->llms[0];
	assert_string_equal(m->model, "4.10");
	assert_false(m->prompt_cache);
	assert_true(m->temperature == 1.0);
	assert_string_equal(json_string_value(json_object_get(m->quirks, "a")),
			    "no");
	assert_true(json_is_true(json_object_get(m->quirks, "b")));
	assert_true(json_is_string(json_object_get(m->quirks, "c")));
	assert_true(json_is_real(json_object_get(m->quirks, "d")));
	assert_true(json_is_null(json_object_get(m->quirks, "e")));
	assert_true(json_is_string(json_object_get(m->quirks, "f")));
	assert_int_equal(json_integer_value(json_object_get(m->quirks, "h")),
			 -3);
	assert_string_equal(json_string_value(json_object_get(m->quirks, "i")),
			    "value");
	conf_put(c);
}

static void printed_text_reads_back(void **state)
{
	struct buf first = BUF_INIT(CAP), second = BUF_INIT(CAP);
	struct err e = ERR_INIT;
	struct conf *c;
	char *end;

	(void)state;
	assert_int_equal(chdir(fixtures), 0);
	c = conf_load("valid/texts/lamplighter.yaml", &e);
	assert_non_null(c);
	conf_print(c, &first);
	conf_put(c);
	c = conf_of(first.p, &e);
	if (!c)
		fail_msg("%s\n%s", e.text, first.p);
	conf_print(c, &second);
	conf_put(c);
	/* the first line names the file */
	end = strchr(second.p, '\n');
	assert_string_equal(end, strchr(first.p, '\n'));
	buf_release(&first);
	buf_release(&second);
}

/* Too much of anything is an error, not the end of the process. */
static void caps_hold(void **state)
{
	struct buf b = BUF_INIT(4 * CAP);
	struct err e = ERR_INIT;

	(void)state;
	buf_adds(&b, "roles:\n  user:\n    groups:\n");
	while (b.n < LIM_CONF_FILE_BYTES - 100)
		buf_adds(&b, "    - a\n");
	assert_null(conf_of(b.p, &e));
	assert_non_null(strstr(e.text, "groups must have"));
	while (b.n <= LIM_CONF_FILE_BYTES)
		buf_adds(&b, "    - a\n");
	err_clear(&e);
	assert_null(conf_of(b.p, &e));
	assert_non_null(strstr(e.text, "larger than"));
	buf_reset(&b);
	buf_adds(&b, "x: [");
	for (int i = 0; i < LIM_CONF_NODES; i++)
		buf_adds(&b, "a,");
	buf_adds(&b, "]\n");
	err_clear(&e);
	assert_null(conf_of(b.p, &e));
	assert_non_null(strstr(e.text, "more than 200000 values"));
	buf_reset(&b);
	for (int i = 0; i <= LIM_CONF_KEYS; i++)
		buf_addf(&b, "k%d: 1\n", i);
	err_clear(&e);
	assert_null(conf_of(b.p, &e));
	assert_non_null(strstr(e.text, "more than 4096 keys"));
	buf_release(&b);
}

static void a_directory_or_fifo_is_no_file(void **state)
{
	struct err e = ERR_INIT;
	char path[PATH_MAX + 32];

	(void)state;
	assert_null(conf_load(scratch, &e));
	assert_non_null(strstr(e.text, "not a regular file"));
	err_clear(&e);
	snprintf(path, sizeof(path), "%s/fifo", scratch);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(conf_load(path, &e));
	assert_non_null(strstr(e.text, "not a regular file"));
	unlink(path);
	err_clear(&e);
	assert_null(conf_load("/nonexistent/lamplighter.yaml", &e));
	assert_string_equal(e.text, "/nonexistent/lamplighter.yaml: No such "
			    "file or directory");
}

/* -- the table itself ----------------------------------------------------------- */

static void option_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < conf_option_count; i++) {
		const struct conf_option *o = &conf_options[i];
		size_t n = strlen(o->help);

		assert_true(n > 10 && o->help[n - 1] == '.');
		assert_true(o->in < SEC__MAX);
		assert_ptr_equal(option_find(o->in, o->key), o);
		if (o->type == OPT_ENUM || o->type == OPT_FLAGS)
			assert_non_null(o->names);
		/* what live.c can compare */
		if (o->flags & OPT_RESTART)
			assert_true(o->in == SEC_MAIN &&
				    (o->type == OPT_INT ||
				     o->type == OPT_BOOL ||
				     o->type == OPT_STRING ||
				     o->type == OPT_ENUM ||
				     o->type == OPT_STRUCT));
		if (o->type >= OPT_STRUCT)
			assert_true(o->of < SEC__MAX);
		if (o->type == OPT_INT || o->type == OPT_DOUBLE ||
		    o->type == OPT_STRING || o->type == OPT_LIST)
			assert_true(o->min <= o->max);
		/* what is not required has a value when it is absent */
		if (o->type <= OPT_FLAGS && !(o->flags & OPT_REQUIRED))
			assert_non_null(o->dflt);
	}
}

static void nearest_keys(void **state)
{
	char near[64];

	(void)state;
	assert_string_equal(option_nearest(SEC_LLM, "", "api-key", near,
					   sizeof(near)), "api_key");
	assert_string_equal(option_nearest(SEC_MAIN, "", "thread", near,
					   sizeof(near)), "threads");
	assert_string_equal(option_nearest(SEC_MAIN, "threads.", "stack", near,
					   sizeof(near)), "stack_kb");
	assert_null(option_nearest(SEC_MAIN, "threads.", "database", near,
				   sizeof(near)));
	assert_null(option_nearest(SEC_MAIN, "", "zzzzzz", near,
				   sizeof(near)));
}

static void addresses(void **state)
{
	static const struct {
		const char *net, *addr;
		bool in;
	} cases[] = {
		{ "127.0.0.1", "127.0.0.1", true },
		{ "127.0.0.1", "127.0.0.2", false },
		{ "127.0.0.1", "::ffff:127.0.0.1", true },
		{ "10.0.0.0/8", "10.255.1.2", true },
		{ "10.0.0.0/8", "11.0.0.0", false },
		{ "192.168.1.128/25", "192.168.1.127", false },
		{ "192.168.1.128/25", "192.168.1.200", true },
		{ "0.0.0.0/0", "203.0.113.9", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "2001:db8::1", true },
		{ "2001:db8::/33", "2001:db8:7fff::", true },
		{ "2001:db8::/33", "2001:db8:8000::", false },
		{ "::1", "::1", true },
	};
	static const char *const wrong[] = {
		"", "/", "1.2.3", "1.2.3.4.5", "1.2.3.4/", "1.2.3.4/33",
		"1.2.3.4/08", "1.2.3.4/-1", "1.2.3.4/8/8", "::1/129", "::g",
		"localhost", " 1.2.3.4", "01.2.3.4", "fe80::1%eth0",
	};
	struct addr_net net, addr;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(addr_parse(str_of(cases[i].net), &net));
		assert_true(addr_parse(str_of(cases[i].addr), &addr));
		if (addr_in(&net, &addr) != cases[i].in)
			fail_msg("%s in %s", cases[i].addr, cases[i].net);
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		if (addr_parse(str_of(wrong[i]), &net))
			fail_msg("\"%s\" was accepted", wrong[i]);
}

static void hosts_with_ports(void **state)
{
	static const struct {
		const char *text, *name;	/* NULL: refused */
		int port;
	} cases[] = {
		{ "db1", "db1", 7 }, { "db1:3307", "db1", 3307 },
		{ "[::1]", "::1", 7 }, { "[::1]:65535", "::1", 65535 },
		{ "", NULL, 7 }, { ":1", NULL, 7 }, { "db1:", NULL, 7 },
		{ "db1:0", NULL, 7 }, { "db1:65536", NULL, 7 },
		{ "db1:+1", NULL, 7 }, { "db1: 1", NULL, 7 },
		{ "db1:1x", NULL, 7 }, { "[::1", NULL, 7 }, { "[]", NULL, 7 },
		{ "[::1]3306", NULL, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[256];
		int port = 7;

		assert_int_equal(addr_host_port(str_of(cases[i].text), name,
						&port), cases[i].name != NULL);
		assert_int_equal(port, cases[i].port);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
	}
}

static void sql_rules(void **state)
{
	(void)state;
	assert_null(check_where("a = :user AND b IN (:groups)"));
	assert_null(check_where("a = 'it''s :nobody; ? -- #' AND `b?` = 1"));
	assert_null(check_where("a = 'x\\'y' OR b = \"q\""));
	assert_null(check_where("x BETWEEN '10:00' AND '11:00'"));
	assert_null(check_where(""));
	assert_non_null(check_where(":user_"));
	assert_non_null(check_where(":groups.x"));
	assert_non_null(check_where("a = 1 /* x */"));
	assert_non_null(check_where("a # b"));
	assert_non_null(check_where("`a"));
	assert_non_null(check_sql("a = :user"));
	assert_null(check_sql("COALESCE(a, 'none')"));
}

/* -- live ----------------------------------------------------------------------- */

static const char *live_tenant(struct conf_live *l, char *out)
{
	const struct conf *c = conf_live_get(l);

	snprintf(out, 64, "%s", c->tenant);
	conf_put(c);
	return out;
}

static size_t live_workspaces(struct conf_live *l)
{
	const struct conf *c = conf_live_get(l);
	size_t n = c->n_workspaces;

	conf_put(c);
	return n;
}

static void live_follows_the_files(void **state)
{
	char main_file[PATH_MAX + 32], dir[PATH_MAX + 32];
	char file[PATH_MAX + 64], secret[PATH_MAX + 32], t[64];
	struct err e = ERR_INIT;
	struct conf_live *l;
	const struct conf *old;

	(void)state;
	snprintf(main_file, sizeof(main_file), "%s/live.yaml", scratch);
	snprintf(dir, sizeof(dir), "%s/workspaces.d", scratch);
	snprintf(file, sizeof(file), "%s/a.yaml", dir);
	snprintf(secret, sizeof(secret), "%s/secret", scratch);
	write_text(secret, "one\n");
	write_text(main_file, "identity: {tenant: one}\n"
		   "database: {password: 'file:secret'}\n");
	l = conf_live_open(main_file, NULL, &e);
	assert_non_null(l);
	assert_true(conf_live_ok(l, &e));
	old = conf_live_get(l);
	assert_string_equal(old->tenant, "one");

	/* a good change takes over; who has the old generation keeps it */
	write_text(main_file, "identity: {tenant: two}\n"
		   "database: {password: 'file:secret'}\n");
	conf_live_look(l);
	assert_string_equal(live_tenant(l, t), "two");
	assert_string_equal(old->tenant, "one");
	conf_put(old);

	/* a bad one does not */
	write_text(main_file, "identity: {tenant: three}\nbad: 1\n");
	conf_live_look(l);
	assert_string_equal(live_tenant(l, t), "two");
	assert_false(conf_live_ok(l, &e));
	assert_non_null(strstr(e.text, "live.yaml:2:1: unknown key"));
	err_clear(&e);
	/* nor does one that vanished or is empty */
	write_text(main_file, "");
	conf_live_look(l);
	assert_false(conf_live_ok(l, &e));
	err_clear(&e);
	unlink(main_file);
	conf_live_look(l);
	assert_string_equal(live_tenant(l, t), "two");
	assert_false(conf_live_ok(l, &e));
	err_clear(&e);
	write_text(main_file, "identity: {tenant: two}\n"
		   "database: {password: 'file:secret'}\n");
	conf_live_look(l);
	assert_true(conf_live_ok(l, &e));

	/* a directory that appears, a file added, broken, removed */
	assert_int_equal(live_workspaces(l), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	write_text(file, "name: A\n");
	conf_live_look(l);
	assert_int_equal(live_workspaces(l), 1);
	write_text(file, "nam: A\n");
	conf_live_look(l);
	assert_int_equal(live_workspaces(l), 1);
	assert_false(conf_live_ok(l, &e));
	assert_non_null(strstr(e.text, "a.yaml:1:1: unknown key \"nam\""));
	err_clear(&e);
	unlink(file);
	conf_live_look(l);
	assert_int_equal(live_workspaces(l), 0);
	assert_true(conf_live_ok(l, &e));

	/* a secret's file counts too */
	write_text(secret, "two\n");
	conf_live_look(l);
	old = conf_live_get(l);
	assert_string_equal(old->db.password, "two");
	conf_put(old);
	conf_live_close(l);
	conf_live_close(NULL);
	rmdir(dir);
}

/* Written in place, same size, same inode, possibly the same time stamp. */
static void live_sees_a_change_in_place(void **state)
{
	char path[PATH_MAX + 32], t[64];
	struct timespec times[2];
	struct err e = ERR_INIT;
	struct conf_live *l;
	struct stat st;
	int64_t until;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/live.yaml", scratch);
	write_text(path, "identity: {tenant: one}\n");
	assert_int_equal(stat(path, &st), 0);
	l = conf_live_open(path, NULL, &e);
	assert_non_null(l);
	f = fopen(path, "r+");
	fputs("identity: {tenant: two}\n", f);
	fclose(f);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	until = clock_mono_ms() + 20000;
	while (strcmp(live_tenant(l, t), "two"))
		if (clock_mono_ms() > until)
			fail_msg("the change was not seen");
	conf_live_close(l);
}

static void *many_gets(void *p)
{
	for (int i = 0; i < 20000; i++) {
		const struct conf *c = conf_live_get(p);

		if (!c->tenant[0])
			abort();
		conf_put(c);
	}
	return NULL;
}

static void live_is_shared(void **state)
{
	char path[PATH_MAX + 32], text[64];
	struct err e = ERR_INIT;
	struct conf_live *l;
	pthread_t t[4];

	(void)state;
	snprintf(path, sizeof(path), "%s/live.yaml", scratch);
	write_text(path, "identity: {tenant: t0}\n");
	l = conf_live_open(path, NULL, &e);
	assert_non_null(l);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, many_gets, l), 0);
	for (int i = 1; i <= 50; i++) {
		snprintf(text, sizeof(text), "identity: {tenant: t%d}\n", i);
		write_text(path, text);
		conf_live_look(l);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	conf_live_look(l);
	assert_string_equal(live_tenant(l, text), "t50");
	conf_live_close(l);
}

/* -- documentation -------------------------------------------------------------- */

static void check_doc(const char *path, enum conf_doc form)
{
	struct buf doc = BUF_INIT(CAP), want = BUF_INIT(CAP);
	char full[PATH_MAX + 64];

	snprintf(full, sizeof(full), "%s/%s", getenv("LAMPLIGHTER_SRCDIR"),
		 path);
	read_text(full, &doc);
	conf_print_options(&want, form);
	if (!strstr(doc.p, want.p))
		fail_msg("%s does not have the options as `lamplighter list "
			 "options` prints them; run make update-docs", path);
	buf_release(&doc);
	buf_release(&want);
}

static void docs_have_every_option(void **state)
{
	(void)state;
	check_doc("docs/configuration.md", CONF_DOC_MARKDOWN);
	check_doc("docs/lamplighter.yaml.5", CONF_DOC_MAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(option_rows_are_whole),
		cmocka_unit_test(invalid_files_say_where),
		cmocka_unit_test(valid_files_print_as_expected),
		cmocka_unit_test(defaults_and_lookups),
		cmocka_unit_test(variables_and_secret_files),
		cmocka_unit_test(printed_text_reads_back),
		cmocka_unit_test(caps_hold),
		cmocka_unit_test(a_directory_or_fifo_is_no_file),
		cmocka_unit_test(nearest_keys),
		cmocka_unit_test(addresses),
		cmocka_unit_test(hosts_with_ports),
		cmocka_unit_test(sql_rules),
		cmocka_unit_test(live_follows_the_files),
		cmocka_unit_test(live_sees_a_change_in_place),
		cmocka_unit_test(live_is_shared),
		cmocka_unit_test(docs_have_every_option),
	};
	const char *src = getenv("LAMPLIGHTER_SRCDIR");
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX + 32];
	int rc;

	snprintf(fixtures, sizeof(fixtures), "%s/tests/fixtures/conf",
		 src ? src : ".");
	snprintf(scratch, sizeof(scratch), "%s/lamplighter-conf-XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(scratch))
		return 1;
	setenv("LAMPLIGHTER_TEST_SET", "value", 1);
	setenv("LAMPLIGHTER_TEST_NUMBER", "3308", 1);
	setenv("LAMPLIGHTER_TEST_EMPTY", "", 1);
	unsetenv("LAMPLIGHTER_TEST_UNSET");
	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	static const char *const made[] = {
		"lamplighter.yaml", "live.yaml", "secret",
	};
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		snprintf(path, sizeof(path), "%s/%s", scratch, made[i]);
		unlink(path);
	}
	if (chdir("/") || rmdir(scratch))
		return 1;
	return rc;
}
