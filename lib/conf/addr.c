/* SPDX-License-Identifier: MIT */
#include "conf/addr.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

/* 1 to 3 digits without a sign or a needless zero; -1 otherwise. */
static int small_number(struct str s)
{
	int v = 0;

	if (s.n < 1 || s.n > 3 || (s.n > 1 && s.p[0] == '0'))
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return -1;
		v = v * 10 + (s.p[i] - '0');
	}
	return v;
}

bool addr_parse(struct str s, struct addr_net *out)
{
	static const unsigned char v4[12] = { [10] = 0xff, [11] = 0xff };
	struct str host = str_cut(&s, '/');
	struct addr_net a = { .bits = 128 };
	char text[INET6_ADDRSTRLEN + 1];
	bool is4 = false;
	int bits;

	if (host.n == 0 || host.n >= sizeof(text) ||
	    memchr(host.p, '\0', host.n))
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	if (inet_pton(AF_INET, text, a.ip + 12) == 1) {
		memcpy(a.ip, v4, sizeof(v4));
		is4 = true;
	} else if (inet_pton(AF_INET6, text, a.ip) != 1) {
		return false;
	}
	if (s.p) {
		bits = small_number(s);
		if (bits < 0 || bits > (is4 ? 32 : 128))
			return false;
		a.bits = is4 ? bits + 96 : bits;
	}
	*out = a;
	return true;
}

bool addr_in(const struct addr_net *net, const struct addr_net *addr)
{
	int bytes = net->bits / 8, rest = net->bits % 8;
	unsigned char mask = (unsigned char)(0xff00 >> rest);

	if (memcmp(net->ip, addr->ip, (size_t)bytes))
		return false;
	return rest == 0 ||
	       (net->ip[bytes] & mask) == (addr->ip[bytes] & mask);
}

bool addr_host_port(struct str s, char name[256], int *port)
{
	struct str host = s, number = { NULL, 0 };
	const char *colon;
	int64_t n;

	if (s.n && s.p[0] == '[') {		/* [::1]:3306 */
		const char *close = memchr(s.p, ']', s.n);

		if (!close)
			return false;
		host = (struct str){ s.p + 1, (size_t)(close - s.p) - 1 };
		number = (struct str){ close + 1, s.n - host.n - 2 };
		if (number.n && number.p[0] != ':')
			return false;
	} else {
		colon = memchr(s.p, ':', s.n);
		if (colon) {
			host.n = (size_t)(colon - s.p);
			number = (struct str){ colon, s.n - host.n };
		}
	}
	if (!host.n || host.n > 255)
		return false;
	memcpy(name, host.p, host.n);
	name[host.n] = '\0';
	if (!number.n)
		return true;
	if (number.n < 2 || number.n > 6)
		return false;
	number = (struct str){ number.p + 1, number.n - 1 };
	if (number.p[0] == '+' || !str_int(number, &n) || n < 1 || n > 65535)
		return false;
	*port = (int)n;
	return true;
}
