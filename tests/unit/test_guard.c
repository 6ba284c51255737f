/* SPDX-License-Identifier: MIT */
/* lib/net/guard.c: which addresses, and that no way leads around it. */
#include <netdb.h>

#include "conf/rules.h"
#include "net/guard.h"
#include "net/http.h"
#include "net/url.h"
#include "peer.h"

static struct http_pool *pool;
static atomic_int looked_up;

/* In place of libc's: every name is this machine, whatever it was before. */
int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **out)
{
	struct {
		struct addrinfo ai;
		struct sockaddr_in in;
	} *a = calloc(1, sizeof(*a));

	(void)hints;
	atomic_fetch_add(&looked_up, 1);
	a->in.sin_family = AF_INET;
	a->in.sin_port = htons((uint16_t)strtol(service ? service : "0", NULL,
						10));
	if (inet_pton(AF_INET, node, &a->in.sin_addr) != 1)
		a->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a->ai = (struct addrinfo){
		.ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
		.ai_addrlen = sizeof(a->in),
		.ai_addr = (struct sockaddr *)&a->in,
	};
	*out = &a->ai;
	return 0;
}

void freeaddrinfo(struct addrinfo *ai)
{
	free(ai);
}

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage s = { .ss_family = AF_UNSPEC };
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		memcpy(&s, &in, sizeof(in));
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		memcpy(&s, &in6, sizeof(in6));
	else
		fail_msg("%s", text);
	return s;
}

static void addresses_have_classes(void **state)
{
	static const struct {
		enum guard_class class;
		const char *of[24];
	} rows[] = {
		{ GUARD_PUBLIC, { "1.1.1.1", "93.184.216.34", "100.63.255.255",
		  "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.169.0.1",
		  "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
		  "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1" } },
		{ GUARD_PRIVATE, { "10.0.0.1", "10.255.255.255", "172.16.0.1",
		  "172.31.255.255", "192.168.1.1", "100.64.0.1",
		  "100.127.255.255", "fd12:3456::1", "fc00::1", "fec0::1",
		  "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::1",
		  "::10.1.2.3" } },
		{ GUARD_LOOPBACK, { "127.0.0.1", "127.255.255.254", "::1",
		  "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "::127.0.0.1",
		  "2002:7f00:1::" } },
		{ GUARD_METADATA, { "169.254.169.254", "169.254.0.1",
		  "fe80::1", "febf::1", "100.100.100.200", "168.63.129.16",
		  "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254",
		  "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1" } },
		{ GUARD_RESERVED, { "0.0.0.0", "0.1.2.3", "::", "192.0.0.1",
		  "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1",
		  "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
		  "255.255.255.255", "ff02::1", "2001:db8::1", "2001::1",
		  "3fff::1", "64:ff9b:1::1", "100::1", "4000::1",
		  "::ffff:0.0.0.0" } },
	};
	struct sockaddr local = { .sa_family = AF_UNIX };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; rows[i].of[k]; k++) {
			struct sockaddr_storage s = address(rows[i].of[k]);
			enum guard_class c = guard_class((struct sockaddr *)&s);

			if (c != rows[i].class)
				fail_msg("%s: %d", rows[i].of[k], (int)c);
		}
	assert_int_equal(guard_class(&local), GUARD_RESERVED);
}

static bool allowed(const char *entry, const char *host, const char *ip)
{
	struct conf_list allow = { &entry, entry != NULL };
	struct net_guard g = { .allow = &allow };
	struct sockaddr_storage s = address(ip);

	return guard_allows(&g, host, (struct sockaddr *)&s);
}

/* With a secret, without TLS. */
static bool bare(const char *entry, const char *host, const char *ip)
{
	struct conf_list allow = { &entry, entry != NULL };
	struct net_guard g = guard_for_secret(&allow, "http://x/");
	struct sockaddr_storage s = address(ip);

	return guard_allows(&g, host, (struct sockaddr *)&s);
}

static bool url_allowed(const char *entry, const char *url, enum guard_class *c)
{
	struct conf_list allow = { &entry, entry != NULL };
	struct net_guard g = guard_for_secret(&allow, url);

	return guard_allows_url(&g, url, c);
}

/* What libcurl would connect to, in all forms that it takes. */
static void an_address_in_a_url_is_seen(void **state)
{
	static const struct {
		enum guard_class class;
		const char *url[14];
	} refused[] = {
		{ GUARD_PRIVATE, { "https://10.1.2.3/v1", "https://10.1.2.3:9/",
		  "http://10.1.2.3", "https://0xa010203", "https://167838211/",
		  "https://012.1.515", "https://[fd00::1]:8/v1",
		  "https://[::ffff:10.1.2.3]", "https://10.1.2.3./",
		  "https://%31%30.1.2.3/" } },
		{ GUARD_LOOPBACK, { "https://127.1/", "https://[::1]/",
		  "https://0x7f.1", "https://2130706433",
		  "https://localhost:11434", "HTTPS://LOCALHOST./",
		  "https://a.localhost", "https://１２７.0.0.1/",
		  "https://①②⑦.0.0.1/", "https://ｌｏｃａｌｈｏｓｔ/" } },
		{ GUARD_METADATA, { "https://169.254.169.254/",
		  "https://[fe80::1]", "https://[fe80::1%25eth0]",
		  "https://0xa9fea9fe" } },
		{ GUARD_RESERVED, { "https://0/", "https://0.0.0.0" } },
		{ GUARD_PUBLIC, { "http://1.1.1.1/", "http://0x1010101" } },
	};
	static const char *const open[] = {
		"https://api.example.org/v1", "https://1.1.1.1", "",
		"http://unseen.example/", "https://10.1.2.3.example.org/",
	};
	enum guard_class c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		for (size_t k = 0; refused[i].url[k]; k++)
			if (url_allowed(NULL, refused[i].url[k], &c) ||
			    c != refused[i].class)
				fail_msg("%s: %d", refused[i].url[k], (int)c);
	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		if (!url_allowed(NULL, open[i], &c))
			fail_msg("%s", open[i]);
	assert_true(url_allowed("10.0.0.0/8", "http://10.1.2.3/", &c));
	assert_true(url_allowed("localhost", "http://localhost:11434", &c));
	assert_true(url_allowed("::1", "http://[::1]:11434", &c));
	assert_false(url_allowed("localhost", "http://127.0.0.1", &c));
}

/* Names beyond ASCII are looked up; those that cannot be are no names. */
static void names_have_any_script(void **state)
{
	static const char *const none[] = {
		"https://-ü-.example/", "https://a\xff.example/", "https://u@h/",
	};
	char host[URL_HOST_BYTES];

	(void)state;
	assert_true(url_host("https://münchen.example:8/x", host));
	assert_string_equal(host, "münchen.example");
	assert_true(url_host("https://١٢٧.example/", host));
	assert_true(url_host("https://Ｅxample.org/", host));
	assert_string_equal(host, "example.org");
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		if (url_host(none[i], host))
			fail_msg("%s: %s", none[i], host);
		assert_string_equal(host, "");
	}
}

static void a_secret_in_the_clear_goes_where_it_is_listed(void **state)
{
	const struct conf_list none = { NULL, 0 };

	(void)state;
	assert_false(bare(NULL, "example.org", "93.184.216.34"));
	assert_false(bare("10.0.0.0/8", "example.org", "93.184.216.34"));
	assert_false(bare("intranet.example", "example.org", "93.184.216.34"));
	assert_true(bare("93.184.216.0/24", "example.org", "93.184.216.34"));
	assert_true(bare("*.example.org", "llm.example.org", "93.184.216.34"));
	assert_true(bare("10.0.0.0/8", "any", "10.0.0.1"));
	assert_false(bare("evil.example", "evil.example", "169.254.169.254"));
	assert_false(bare("evil.example", "evil.example", "127.0.0.1"));
	assert_false(guard_for_secret(&none, "HTTPS://x/").listed_only);
	assert_true(guard_for_secret(&none, "https:/x/").listed_only);
	assert_ptr_equal(guard_for_secret(&none, "").allow, &none);
}

static void the_list_opens_what_it_says(void **state)
{
	(void)state;
	assert_true(allowed(NULL, "example.org", "93.184.216.34"));
	assert_false(allowed(NULL, "example.org", "10.0.0.1"));
	assert_true(allowed("10.0.0.0/8", "any", "10.0.0.1"));
	assert_true(allowed("10.0.0.0/8", "any", "::ffff:10.0.0.1"));
	assert_false(allowed("10.0.0.0/8", "any", "11.0.0.1") &&
		     allowed("10.0.0.0/8", "any", "192.168.0.1"));
	assert_true(allowed("::1", "any", "::1"));
	assert_false(allowed("::1", "any", "127.0.0.1"));
	assert_true(allowed("fd00::/8", "any", "fd12::1"));
	assert_true(allowed("169.254.169.254", "any", "169.254.169.254"));
	assert_false(allowed("169.254.169.253", "any", "169.254.169.254"));
	/* names: private addresses, and nothing else */
	assert_true(allowed("intranet.example", "intranet.example", "10.0.0.1"));
	assert_true(allowed("Intranet.Example", "intranet.example", "fd12::1"));
	assert_false(allowed("intranet.example", "evil.example", "10.0.0.1"));
	assert_false(allowed("intranet.example", "x.intranet.example",
			     "10.0.0.1"));
	assert_true(allowed("*.example", "a.b.example", "192.168.1.1"));
	assert_false(allowed("*.example", "example", "192.168.1.1"));
	assert_false(allowed("*.example", "notexample", "192.168.1.1"));
	assert_false(allowed("intranet.example", "intranet.example",
			     "127.0.0.1"));
	assert_false(allowed("intranet.example", "intranet.example",
			     "169.254.169.254"));
	assert_false(allowed("intranet.example", "intranet.example",
			     "0.0.0.0"));
	assert_true(allowed("localhost", "localhost", "127.0.0.1"));
	assert_true(allowed("*.localhost", "a.localhost", "::1"));
	assert_false(allowed("localhost", "localhost", "169.254.169.254"));
}

static void entries_are_checked(void **state)
{
	static const char *const good[] = {
		"10.0.0.0/8", "::1", "intranet", "intranet.example.org",
		"*.corp.example", "a_b-c.example",
	};
	static const char *const bad[] = {
		"", "10.0.0", "10/8", "*", "*.", "http://a", "a b", "a:80",
		"a/b", "*.*.a", "a.", "1.2.3.4.5", "[::1]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (check_allow(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (!check_allow(bad[i]))
			fail_msg("\"%s\"", bad[i]);
}

/* -- requests --------------------------------------------------------------- */

static int serve_ok(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_reply(fd, "200 OK", "", "hello");
}

static int serve_redirect(struct peer *p, int fd, int n)
{
	char header[128];

	(void)n;
	snprintf(header, sizeof(header),
		 "Location: http://127.0.0.1:%d/secret\r\n", p->port);
	return peer_reply(fd, "302 Found", header, "");
}

static enum err_code get(const char *host, int port, const char *entry,
			 bool guarded, struct http_result *res)
{
	struct conf_list allow = { &entry, entry != NULL };
	struct net_guard g = { .allow = &allow };
	struct err e = ERR_INIT;
	char url[200];
	struct http_request r = {
		.method = "GET", .url = url, .watch_fd = -1,
		.total_timeout_ms = 10000, .guard = guarded ? &g : NULL,
	};

	snprintf(url, sizeof(url), "http://%s:%d/x", host, port);
	if (http_do(pool, &r, res, &e) == 0)
		assert_int_equal(e.code, ERR_NONE);
	return e.code;
}

/* P-G14: by whatever name or spelling. */
static void refused_addresses_get_not_one_byte(void **state)
{
	static const char *const hosts[] = {
		"127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1",
		"[::1]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST.",
		"rebind.example", "0.0.0.0", "169.254.169.254",
		"user@127.0.0.1", "good.example@127.0.0.1",
	};
	struct peer *p = peer_start(serve_ok);
	struct http_result res;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		enum err_code code = get(hosts[i], p->port, NULL, true, &res);

		if (code != ERR_ADDRESS_REFUSED)
			fail_msg("%s: %s", hosts[i], err_rows[code].name);
		assert_false(res.sent);
	}
	assert_int_equal(atomic_load(&p->n_conns), 0);
	/* a name of the list that now is this machine */
	assert_int_equal(get("intranet.example", p->port, "intranet.example",
			     true, &res), ERR_ADDRESS_REFUSED);
	assert_int_equal(atomic_load(&p->n_conns), 0);
	assert_int_equal(get("127.0.0.1", p->port, "127.0.0.1", true, &res),
			 ERR_NONE);
	assert_int_equal(get("localhost", p->port, "localhost", true, &res),
			 ERR_NONE);
	assert_int_equal(res.status, 200);
}

static void warm_connections_are_asked_about_too(void **state)
{
	struct peer *p = peer_start(serve_ok);
	struct http_result res;

	(void)state;
	assert_int_equal(get("127.0.0.1", p->port, NULL, false, &res),
			 ERR_NONE);
	assert_int_equal(get("127.0.0.1", p->port, NULL, true, &res),
			 ERR_ADDRESS_REFUSED);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	assert_int_equal(get("127.0.0.1", p->port, NULL, false, &res),
			 ERR_NONE);
}

/* P-G14: the name is looked up once per connection, by the one that connects. */
static void there_is_no_second_look_up(void **state)
{
	struct peer *p = peer_start(serve_ok);
	struct http_result res;
	int before = atomic_load(&looked_up);

	(void)state;
	assert_int_equal(get("once.example", p->port, "127.0.0.0/8", true,
			     &res), ERR_NONE);
	assert_int_equal(atomic_load(&looked_up) - before, 1);
}

/* P-E14. */
static void redirects_are_not_followed(void **state)
{
	struct peer *p = peer_start(serve_redirect);
	struct http_result res;

	(void)state;
	assert_int_equal(get("127.0.0.1", p->port, "127.0.0.1", true, &res),
			 ERR_NONE);
	assert_int_equal(res.status, 302);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
}

static int set_up(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	/* a proxy would hide where we go: guarded requests take none */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("no_proxy", "127.0.0.1", 1);
	assert_int_equal(http_global_init(&e), 0);
	pool = http_pool_new(4);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	http_pool_free(pool);
	http_global_cleanup();
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_classes),
		cmocka_unit_test(the_list_opens_what_it_says),
		cmocka_unit_test(an_address_in_a_url_is_seen),
		cmocka_unit_test(names_have_any_script),
		cmocka_unit_test(
			a_secret_in_the_clear_goes_where_it_is_listed),
		cmocka_unit_test(entries_are_checked),
		cmocka_unit_test(refused_addresses_get_not_one_byte),
		cmocka_unit_test(warm_connections_are_asked_about_too),
		cmocka_unit_test(there_is_no_second_look_up),
		cmocka_unit_test(redirects_are_not_followed),
	};

	return cmocka_run_group_tests_name("guard", tests, set_up, tear_down);
}
