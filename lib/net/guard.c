/* SPDX-License-Identifier: MIT */
#include "net/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "conf/addr.h"
#include "net/url.h"

#include "base/banned.h"

/*
 * IANA's registries of special-purpose addresses (IPv4 and IPv6, as of 2025), and
 * cloud metadata services with addresses of their own. The first matching row
 * counts.
 */
static const struct {
	const char *net;
	enum guard_class class;
} special[] = {
	{ "168.63.129.16", GUARD_METADATA },		/* Azure */
	{ "100.100.100.200", GUARD_METADATA },		/* Alibaba */
	{ "fd00:ec2::/32", GUARD_METADATA },		/* Amazon */
	{ "fd20:ce::254", GUARD_METADATA },		/* Google */
	{ "169.254.0.0/16", GUARD_METADATA },
	{ "fe80::/10", GUARD_METADATA },
	{ "127.0.0.0/8", GUARD_LOOPBACK },
	{ "::1", GUARD_LOOPBACK },
	{ "10.0.0.0/8", GUARD_PRIVATE },
	{ "172.16.0.0/12", GUARD_PRIVATE },
	{ "192.168.0.0/16", GUARD_PRIVATE },
	{ "100.64.0.0/10", GUARD_PRIVATE },
	{ "fc00::/7", GUARD_PRIVATE },
	{ "fec0::/10", GUARD_PRIVATE },
	{ "0.0.0.0/8", GUARD_RESERVED },
	{ "192.0.0.0/24", GUARD_RESERVED },
	{ "192.0.2.0/24", GUARD_RESERVED },
	{ "192.88.99.0/24", GUARD_RESERVED },
	{ "198.18.0.0/15", GUARD_RESERVED },
	{ "198.51.100.0/24", GUARD_RESERVED },
	{ "203.0.113.0/24", GUARD_RESERVED },
	{ "224.0.0.0/3", GUARD_RESERVED },	/* multicast, class E, broadcast */
	{ "::ffff:0:0/96", GUARD_PUBLIC },	/* all other IPv4 */
	{ "2001:db8::/32", GUARD_RESERVED },
	{ "2001::/23", GUARD_RESERVED },	/* Teredo, ORCHID, benchmarks */
	{ "3fff::/20", GUARD_RESERVED },
	{ "2000::/3", GUARD_PUBLIC },
};

/* IPv4 embedded in IPv6: the prefix, and the offset of the four bytes. */
static const struct {
	const char *net;
	size_t at;
} embedded[] = {
	{ "64:ff9b::/96", 12 },		/* NAT64 */
	{ "2002::/16", 2 },		/* 6to4 */
	{ "::/96", 12 },		/* IPv4-compatible */
};

static void normalize(struct addr_net *a)
{
	struct addr_net net, one;

	(void)addr_parse(STR("::1"), &one);
	/* ::1 is in ::/96, too, and would become 0.0.0.1. */
	if (addr_in(&one, a))
		return;
	for (size_t i = 0; i < ARRAY_LEN(embedded); i++) {
		unsigned char v4[4];

		(void)addr_parse(str_of(embedded[i].net), &net);
		if (!addr_in(&net, a))
			continue;
		memcpy(v4, a->ip + embedded[i].at, 4);
		(void)addr_parse(STR("0.0.0.0"), a);
		memcpy(a->ip + 12, v4, 4);
		return;
	}
}

/* False for other families. IPv4 as ::ffff:a.b.c.d, like in addr.h. */
static bool address_of(const struct sockaddr *sa, struct addr_net *a)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	(void)addr_parse(STR("0.0.0.0"), a);
	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		memcpy(a->ip + 12, &in.sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof(in6));
		memcpy(a->ip, &in6.sin6_addr, 16);
		normalize(a);
	} else {
		return false;
	}
	return true;
}

static enum guard_class class_of(const struct addr_net *a)
{
	struct addr_net net;

	for (size_t i = 0; i < ARRAY_LEN(special); i++)
		if (addr_parse(str_of(special[i].net), &net) &&
		    addr_in(&net, a))
			return special[i].class;
	return GUARD_RESERVED;	/* IPv6 that is not assigned */
}

enum guard_class guard_class(const struct sockaddr *sa)
{
	struct addr_net a;

	return address_of(sa, &a) ? class_of(&a) : GUARD_RESERVED;
}

static bool name_matches(const char *entry, const char *host)
{
	size_t n, k;

	if (strncmp(entry, "*.", 2) != 0)
		return strcasecmp(entry, host) == 0;
	n = strlen(host);
	k = strlen(entry) - 1;
	return n > k && strcasecmp(host + n - k, entry + 1) == 0;
}

static bool is_localhost(const char *host)
{
	return name_matches("localhost", host) ||
	       name_matches("*.localhost", host);
}

struct net_guard guard_for_secret(const struct conf_list *allow,
				  const char *url)
{
	return (struct net_guard){
		.allow = allow,
		.listed_only = strncasecmp(url, "https://", 8) != 0,
	};
}

bool guard_allows(const struct net_guard *g, const char *host,
		  const struct sockaddr *sa)
{
	enum guard_class class;
	struct addr_net a, net;
	bool named;

	if (!address_of(sa, &a))
		return false;
	class = class_of(&a);
	if (class == GUARD_PUBLIC && !g->listed_only)
		return true;
	named = class == GUARD_PRIVATE || class == GUARD_PUBLIC ||
		(class == GUARD_LOOPBACK && is_localhost(host));
	for (size_t i = 0; g->allow && i < g->allow->n; i++) {
		const char *entry = g->allow->v[i];

		if (addr_parse(str_of(entry), &net)) {
			if (net.bits == 128)
				normalize(&net);
			if (addr_in(&net, &a))
				return true;
		} else if (named && name_matches(entry, host)) {
			return true;
		}
	}
	return false;
}

bool guard_allows_url(const struct net_guard *g, const char *url,
		      enum guard_class *class)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	const struct sockaddr *sa = (const struct sockaddr *)&in;
	char host[URL_HOST_BYTES];

	*class = GUARD_PUBLIC;
	if (!url_host(url, host))
		return true;
	/* Like libcurl, treat all names below localhost as the loopback. */
	if (is_localhost(host))
		in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else if (inet_pton(AF_INET6, host, &in6.sin6_addr) == 1)
		sa = (const struct sockaddr *)&in6;
	else if (!inet_aton(host, &in.sin_addr))
		return true;
	*class = guard_class(sa);
	return guard_allows(g, host, sa);
}
