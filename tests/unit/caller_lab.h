/* SPDX-License-Identifier: MIT */
/* A caller for tests, made as sign-in by the web server makes one. */
#ifndef UNIT_CALLER_LAB_H
#define UNIT_CALLER_LAB_H

#include "auth/caller.h"

/* In a: login with this name and these groups (by blanks). */
struct caller lab_caller(const struct conf *conf, const char *login,
			 const char *name, const char *groups, struct arena *a);

#endif
