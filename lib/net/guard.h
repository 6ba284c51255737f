/* SPDX-License-Identifier: MIT */
/*
 * The address guard: the addresses to which a request may connect if others can
 * influence its URL (server-side request forgery). It checks the socket address
 * just before the connection is made, so it cannot be bypassed by a second look-up,
 * a redirect or DNS rebinding. A warm connection is checked again before it is
 * used.
 *
 * Public addresses are allowed. Other addresses are allowed only if the admin lists
 * them:
 *   10.0.0.0/8, 192.0.2.7, fd00::/8   these addresses, of any class
 *   intranet.example                  private addresses of this host name
 *   *.corp.example                    … of every name below corp.example
 *   localhost                         loopback, under that name
 * A name never allows link-local addresses, cloud metadata services or the loopback
 * (except localhost), because whoever controls the name could point it at them.
 * They must be listed as addresses.
 *
 * A guarded request is sent directly, never through a proxy, because we cannot see
 * what a proxy connects to.
 */
#ifndef NET_GUARD_H
#define NET_GUARD_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"
#include "conf/conf.h"

enum guard_class {
	GUARD_PUBLIC,
	GUARD_PRIVATE,		/* RFC 1918, unique local, carrier NAT */
	GUARD_LOOPBACK,
	GUARD_METADATA,		/* link-local and metadata of clouds */
	GUARD_RESERVED,		/* multicast, unspecified, documentation, … */
};

struct net_guard {
	/* Passed check_allow (conf/rules.h); NULL or empty = only public addresses. */
	const struct conf_list *allow;
	/* Public addresses, too, are allowed only if they or the host are listed. */
	bool listed_only;
};

/*
 * The guard for a request with a secret to this URL: without TLS, only listed
 * addresses are allowed. allow is borrowed. Pure; any thread.
 */
struct net_guard guard_for_secret(const struct conf_list *allow,
				  const char *url);

/*
 * For an IPv4 address embedded in IPv6 (mapped, NAT64, 6to4), the IPv4 address
 * counts. Other address families are GUARD_RESERVED. Pure; any thread.
 */
enum guard_class guard_class(const struct sockaddr *sa);

/*
 * Whether a connection to sa is allowed for a URL with this host (lower case,
 * without brackets and without the dot at its end). Pure; any thread.
 */
bool guard_allows(const struct net_guard *g, const char *host,
		  const struct sockaddr *sa);

/*
 * Whether a request for the URL may be allowed: false if its host is localhost or
 * written as an address, and guard_allows refuses it; the addresses of other names
 * are checked only when they are used. *class: of that address, else GUARD_PUBLIC.
 * True if it is not a URL. Makes no look-up. Any thread.
 */
bool guard_allows_url(const struct net_guard *g, const char *url,
		      enum guard_class *class);

#endif
