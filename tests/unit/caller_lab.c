/* SPDX-License-Identifier: MIT */
/* See caller_lab.h. */
#include "caller_lab.h"

#include "auth/identity.h"

#include "unit.h"

struct caller lab_caller(const struct conf *conf, const char *login,
			 const char *name, const char *groups, struct arena *a)
{
	struct identity *who = arena_new(a, struct identity);
	struct str list[8], rest = str_of(groups);
	struct err e = ERR_INIT;
	size_t n = 0;

	while (rest.p && rest.n && n < 8) {
		list[n] = str_trim(str_cut(&rest, ' '));
		n += list[n].n > 0;
	}
	assert_int_equal(identity_make(conf, IDENTITY_REMOTE_USER, str_of(login),
				       str_of(name), list, n, a, who, &e), 0);
	return caller_of(conf, who, NULL, a);
}
