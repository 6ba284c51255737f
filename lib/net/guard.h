/*
 * The address guard: the addresses to which a request may connect if others can
 * influence its URL (server-side request forgery). It checks the socket address
 * just before the connection is made, so no second look-up, redirect or DNS
 * rebinding can bypass it. A warm connection is checked again before it is used.
 *
 * Public addresses are allowed. Of the others, only those that the admin lists:
 *   10.0.0.0/8, 192.0.2.7, fd00::/8   these addresses, of whatever kind
 *   intranet.example                  private addresses of this host name
 *   *.corp.example                    … of every name below corp.example
 *   localhost                         loopback, under that name
 * A name never opens link-local addresses, metadata services of clouds or the
 * loopback (but for localhost): whoever controls a name must not be able to
 * turn it into a way to those. They need an address in the list.
 *
 * A guarded request goes out directly, never through a proxy, since what a
 * proxy connects to cannot be seen here.
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
	/* Passed check_allow (conf/rules.h); NULL or empty = nothing private. */
	const struct conf_list *allow;
	/* Public addresses, too, only if they or the host are in the list. */
	bool listed_only;
};

/*
 * The guard for a request with a secret to this URL: without TLS only to what is
 * listed. allow is borrowed. Pure; any thread.
 */
struct net_guard guard_for_secret(const struct conf_list *allow,
				  const char *url);

/*
 * For an IPv4 address embedded in IPv6 (mapped, NAT64, 6to4), the IPv4 address
 * counts. Other address families are GUARD_RESERVED. Pure; any thread.
 */
enum guard_class guard_class(const struct sockaddr *sa);

/*
 * Whether sa may be connected to for a URL with this host (lower case, without
 * brackets and the dot at its end). Pure; any thread.
 */
bool guard_allows(const struct net_guard *g, const char *host,
		  const struct sockaddr *sa);

/*
 * Whether a request for the URL may be allowed: false if its host is written as an
 * address that guard_allows refuses, as is localhost; what another name resolves to
 * is seen only when it is used. *class: of that address, else GUARD_PUBLIC. True
 * for what is no URL. Looks nothing up. Any thread.
 */
bool guard_allows_url(const struct net_guard *g, const char *url,
		      enum guard_class *class);

#endif
