/* SPDX-License-Identifier: MIT */
#ifndef CONF_LIST_H
#define CONF_LIST_H

#include <stddef.h>

struct conf_list {		/* list of strings */
	const char **v;
	size_t n;
};

#endif
