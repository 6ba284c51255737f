/* SPDX-License-Identifier: MIT */
/* IP addresses and networks as an admin writes them. Pure; any thread. */
#ifndef CONF_ADDR_H
#define CONF_ADDR_H

#include <stdbool.h>

#include "base/str.h"

struct addr_net {
	unsigned char ip[16];	/* IPv4 as ::ffff:a.b.c.d */
	int bits;		/* 0..128 of ip count */
};

/*
 * Reads "192.0.2.1", "10.0.0.0/8", "2001:db8::/32". An address without bits
 * is itself. False for anything else; *out is then untouched.
 */
bool addr_parse(struct str s, struct addr_net *out);

/* Whether net has the address (any bits of addr are ignored). */
bool addr_in(const struct addr_net *net, const struct addr_net *addr);

/*
 * Reads "name", "name:port", "[::1]:port", as servers are listed. *port stays as
 * it is when none is given. False for anything else.
 */
bool addr_host_port(struct str s, char name[256], int *port);

#endif
