/* SPDX-License-Identifier: MIT */
/* doctor: its tables, and what becomes of findings. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/paths.h"
#include "doctor/look.h"

static struct arena arena = ARENA_INIT;
static struct conf conf = { .limits.body_bytes = 1048576, .workspaces_dir = "w.d" };

/* Whether a name in braces was not replaced. */
static bool has_name(const char *lines)
{
	static const char *const names[] = {
		"{base}", "{data}", "{libexec}", "{etc}", "{header}", "{param}",
		"{mib}", "{kib}", "{bytes}", "{origin}", "{workspaces}",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strstr(lines, names[i]))
			return true;
	return false;
}

static struct doctor *fresh(enum doctor_web web, const char *base)
{
	struct doctor *d = arena_new(&arena, struct doctor);

	d->arena = &arena;
	d->conf = &conf;
	d->web = web;
	d->base = base;
	d->header = "X-User";
	return d;
}

static void every_check_has_its_words(void **state)
{
	(void)state;
	for (int i = 0; i < DOCTOR__MAX; i++) {
		assert_true(doctor_rows[i].name[0] && doctor_rows[i].title[0]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(doctor_rows[i].name,
						doctor_rows[k].name);
	}
}

/* Something to do for every topic and server, with the base in it. */
static void every_advice_is_complete(void **state)
{
	(void)state;
	for (int w = 0; w < WEB__MAX; w++) {
		struct doctor *d = fresh((enum doctor_web)w, "/ai chat");

		assert_true(doctor_web_name((enum doctor_web)w)[0]);
		for (int t = 0; t < ADVICE__MAX; t++) {
			const char *lines = doctor_advice(d, (enum doctor_topic)t);

			assert_true(lines[0]);
			assert_false(has_name(lines));
		}
		assert_non_null(strstr(doctor_advice(d, ADVICE_BASE),
				       "/ai chat"));
	}
	assert_string_equal(doctor_advice(fresh(WEB_APACHE_CGI, "/c"),
					  ADVICE_BASE),
			    "export LAMPLIGHTER_BASE=\"/c\"   # in lamplighter.cgi");
	assert_string_equal(doctor_advice(fresh(WEB_NGINX, ""), ADVICE_HEADER),
			    "fastcgi_param HTTP_X_USER \"\";");
	assert_non_null(strstr(doctor_advice(fresh(WEB_NGINX, ""), ADVICE_PAGE),
			       LAMPLIGHTER_DATADIR "/www/"));
	arena_reset(&arena);
}

/* Who asks the responder, and who is in front of it. */
static void servers_are_told_apart(void **state)
{
	static const struct {
		const char *outer, *inner;
		enum doctor_passed passed;
		enum doctor_gateway gateway;
		enum doctor_web web;
		const char *front;	/* as the report has it; "" = none */
	} t[] = {
		{ "lighttpd/1.4.69", "lighttpd/1.4.69", PASSED_NOT, GATEWAY_SOCKET,
		  WEB_LIGHTTPD, "" },
		{ "lighttpd/1.4.69", "lighttpd/1.4.69", PASSED_NOT, GATEWAY_SPAWNED,
		  WEB_LIGHTTPD_SPAWN, "" },
		{ "nginx", "", PASSED_NOT, GATEWAY_SOCKET, WEB_NGINX, "" },
		{ "nginx/1.22.1", "Apache/2.4.66 (Debian)", PASSED_NOT, GATEWAY_SPAWNED,
		  WEB_APACHE_FCGID, "nginx" },
		{ "nginx", "Apache", PASSED_ON, GATEWAY_CGI, WEB_APACHE_CGI, "nginx" },
		{ "Apache", "Apache", PASSED_ON, GATEWAY_SOCKET, WEB_APACHE_PROXY, "a proxy" },
		{ "Apache", "Apache", PASSED_BY_APACHE, GATEWAY_SOCKET, WEB_APACHE_PROXY,
		  "Apache" },
		{ "Apache", "Apache", PASSED_BY_LIGHTTPD, GATEWAY_SOCKET, WEB_APACHE_PROXY,
		  "lighttpd" },
		{ "lighttpd", "lighttpd", PASSED_BY_APACHE, GATEWAY_SPAWNED,
		  WEB_LIGHTTPD_SPAWN, "Apache" },
		{ "nginx", "", PASSED_BY_APACHE, GATEWAY_SOCKET, WEB_NGINX, "Apache" },
		{ "nginx", "lighttpd", PASSED_BY_APACHE, GATEWAY_SOCKET, WEB_LIGHTTPD,
		  "nginx, Apache" },
		{ "nginx", "Apache", PASSED_BY_APACHE, GATEWAY_SOCKET, WEB_APACHE_PROXY,
		  "nginx, Apache" },
		{ "Caddy", "nginx", PASSED_BY_LIGHTTPD, GATEWAY_SOCKET, WEB_NGINX,
		  "Caddy, lighttpd" },
		{ "cloudflare", "lighttpd", PASSED_ON, GATEWAY_SOCKET, WEB_LIGHTTPD,
		  "cloudflare" },
		{ "", "Apache", PASSED_ON, GATEWAY_SOCKET, WEB_APACHE_PROXY, "a proxy" },
		{ "nginx", "", PASSED_ON, GATEWAY_SOCKET, WEB_NGINX, "nginx" },
		{ "Caddy", "", PASSED_ON, GATEWAY_SOCKET, WEB_OTHER, "Caddy" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct doctor *d = fresh(WEB_OTHER, "");
		struct buf b = BUF_INIT(65536);
		struct jw w = jw_on(&b);
		char want[64];

		doctor_name_servers(d, str_of(t[i].outer), str_of(t[i].inner),
				    t[i].passed, t[i].gateway);
		doctor_write(d, &w);
		snprintf(want, sizeof(want), "\"front\":\"%s\"", t[i].front);
		if (d->web != t[i].web || !strstr(b.p, want))
			fail_msg("%s, %s: %s", t[i].outer, t[i].inner, b.p);
		buf_release(&b);
	}
	arena_reset(&arena);
}

/* The line must fix it: 16 MiB would not do for larger bodies. */
static void advice_fits_the_limit(void **state)
{
	static const struct {
		int bytes;
		const char *nginx, *fcgid, *lighttpd;
	} rows[] = {
		{ 1048576, "client_max_body_size 16m;",
		  "FcgidMaxRequestLen 50331648\nLimitRequestBody 0\n"
		  "<If \"%{HTTP:Content-Length} -gt 16777216\">",
		  "server.max-request-size = 16384" },
		{ 67108864, "client_max_body_size 65m;",
		  "FcgidMaxRequestLen 101711872\nLimitRequestBody 0\n"
		  "<If \"%{HTTP:Content-Length} -gt 68157440\">",
		  "server.max-request-size = 66560" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		conf.limits.body_bytes = rows[i].bytes;
		assert_string_equal(doctor_advice(fresh(WEB_NGINX, ""),
						  ADVICE_BODY), rows[i].nginx);
		assert_string_equal(doctor_advice(fresh(WEB_APACHE_FCGID, ""),
						  ADVICE_BODY), rows[i].fcgid);
		assert_string_equal(doctor_advice(fresh(WEB_LIGHTTPD, ""),
						  ADVICE_BODY), rows[i].lighttpd);
	}
	arena_reset(&arena);
}

/* The advice about a main file with a password that everybody can read. */
static const char *advice_for_open_file(enum doctor_web web, const char *file)
{
	const struct doctor_inside in = { .db = NULL };
	struct doctor *d = fresh(web, "/c");

	doctor_look_files(d, &in);
	assert_int_equal(d->n, 1);
	assert_string_equal(d->items[0].subject, file);
	return d->items[0].advice;
}

/* On a shared host nobody can give a file to root. */
static void an_open_file_is_closed_by_its_owner(void **state)
{
	enum { NOBODY = 65534 };
	char dir[] = "/tmp/lamp-doctor.XXXXXX";
	const char *file, *want;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	file = arena_printf(&arena, "%s/lamplighter.yaml", dir);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(chmod(file, 0644), 0);
	conf.file = file;
	conf.files = (struct conf_list){ .v = &file, .n = 1 };
	conf.open_secrets = conf.files;
	if (geteuid() == 0) {
		want = arena_printf(&arena, "setfacl -m u:0:r %s && chmod o-r %s",
				    file, file);
		assert_string_equal(advice_for_open_file(WEB_APACHE_CGI, file),
				    want);
		want = arena_printf(&arena, "chown root:www-data %s && "
				    "chmod 0640 %s", file, file);
		assert_string_equal(advice_for_open_file(WEB_NGINX, file), want);
		assert_int_equal(chown(file, NOBODY, NOBODY), 0);
		assert_int_equal(seteuid(NOBODY), 0);
	}
	want = arena_printf(&arena, "chmod 0600 %s", file);
	for (int w = 0; w < WEB__MAX; w++)
		assert_string_equal(advice_for_open_file((enum doctor_web)w,
							 file), want);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	conf.open_secrets = (struct conf_list){ .n = 0 };
	unlink(file);
	rmdir(dir);
	arena_reset(&arena);
}

static void servers_are_known(void **state)
{
	static const struct {
		const char *software;
		enum doctor_gateway gateway;
		enum doctor_web web;
	} t[] = {
		{ "lighttpd/1.4.69", GATEWAY_SOCKET, WEB_LIGHTTPD },
		{ "lighttpd/1.4.69", GATEWAY_SPAWNED, WEB_LIGHTTPD_SPAWN },
		{ "Apache/2.4.62 (Debian)", GATEWAY_SOCKET, WEB_APACHE_PROXY },
		{ "Apache", GATEWAY_SPAWNED, WEB_APACHE_FCGID },
		{ "Apache/2.4", GATEWAY_CGI, WEB_APACHE_CGI },
		{ "Apache/2.4", GATEWAY_UNKNOWN, WEB_APACHE_PROXY },
		{ "nginx/1.22.1", GATEWAY_SOCKET, WEB_NGINX },
		{ "cloudflare", GATEWAY_SOCKET, WEB_OTHER },
		{ "", GATEWAY_UNKNOWN, WEB_OTHER }, { "Apac", 0, WEB_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(doctor_web_of(str_of(t[i].software),
					       t[i].gateway), t[i].web);
	assert_int_equal(doctor_web_of((struct str){ NULL, 0 }, GATEWAY_CGI),
			 WEB_OTHER);
}

/* Ordered by check, those of one in their order; too many are cut. */
static void findings_are_written_in_order(void **state)
{
	struct doctor *d = fresh(WEB_OTHER, "");
	struct buf b = BUF_INIT(1 << 20);
	struct jw w = jw_on(&b);
	struct err e = ERR_INIT;
	json_t *j;

	(void)state;
	doctor_add(d, DOCTOR_FILES, DOCTOR_OK, "1", "", "a\nb\x01\xff");
	doctor_add(d, DOCTOR_REACH, DOCTOR_WARNING, "", "do", "%s", "x");
	doctor_add(d, DOCTOR_FILES, DOCTOR_OK, "2", "", "c");
	doctor_write(d, &w);
	j = jx_load(buf_str(&b), &e);
	assert_non_null(j);
	assert_str_is(jx_str(j, "result"), "warning");
	assert_int_equal(json_array_size(jx_arr(j, "items")), 3);
	assert_str_is(jx_str(json_array_get(jx_arr(j, "items"), 0), "check"),
		      "reach");
	assert_str_is(jx_str(json_array_get(jx_arr(j, "items"), 1), "subject"),
		      "1");
	assert_str_is(jx_str(json_array_get(jx_arr(j, "items"), 1), "text"),
		      "a b \xef\xbf\xbd");
	json_decref(j);
	buf_release(&b);
	for (int i = 0; i < 2 * DOCTOR_FINDINGS; i++)
		doctor_add(d, DOCTOR_TOOL, i ? DOCTOR_OK : DOCTOR_PROBLEM, "",
			   "", "x");
	assert_int_equal(d->n, DOCTOR_FINDINGS);
	assert_int_equal(d->worst, DOCTOR_PROBLEM);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check_has_its_words),
		cmocka_unit_test(every_advice_is_complete),
		cmocka_unit_test(servers_are_told_apart),
		cmocka_unit_test(advice_fits_the_limit),
		cmocka_unit_test(an_open_file_is_closed_by_its_owner),
		cmocka_unit_test(servers_are_known),
		cmocka_unit_test(findings_are_written_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
