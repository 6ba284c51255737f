/* SPDX-License-Identifier: MIT */
/* A shop's database, its datasets, and calls of the data tools by users. */
#ifndef UNIT_QUERY_LAB_H
#define UNIT_QUERY_LAB_H

#include "auth/identity.h"
#include "net/http.h"
#include "tool/data/dataset.h"

#include "unit.h"

extern struct query_lab {
	struct conf *conf;
	struct tool_env *env;
	const struct workspace *shop;
	struct http_abort *abort;	/* of the next calls; may be NULL */
} query_lab;

/* Set-up and tear-down of a group of tests. */
int query_lab_up(void **state);
int query_lab_down(void **state);

/* A file of tests/fixtures/query; valid until the next call. */
const char *query_lab_path(const char *name);

/* A caller with these groups (by blanks), and a context for the tools. */
void as_user(const char *login, const char *groups, struct arena *a,
	     struct tool_ctx *ctx);

/* One number from the server, with all rights. */
int sql_count(const char *text);

/* What the tool answers, as JSON in a; NULL when it is none. */
json_t *call(const char *login, const char *groups, const char *tool,
	     const char *args, struct arena *a, struct tool_result *r);

#endif
