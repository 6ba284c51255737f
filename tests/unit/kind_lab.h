/* SPDX-License-Identifier: MIT */
/* For tests of declared tools: a configuration from text, and calls by hand. */
#ifndef UNIT_KIND_LAB_H
#define UNIT_KIND_LAB_H

#include "auth/identity.h"
#include "conf/conf.h"
#include "net/http.h"
#include "tool/core/env.h"
#include "tool/core/tool.h"

#include "unit.h"

extern struct kind_lab {
	char dir[64];
	struct http_pool *http;
	struct tool_env *env;
	struct conf *conf;		/* of kind_lab_conf */
	struct http_abort *abort;	/* of the next calls; may be NULL */
} kind_lab;

/* Set-up and tear-down of a group of tests. */
int kind_lab_up(void **state);
int kind_lab_down(void **state);

/* A file in the lab's directory. */
void kind_lab_file(const char *name, const char *text, unsigned mode);

/* -1 with the error; else kind_lab.conf is it. The workspace's id is w. */
int kind_lab_load(const char *main_file, const char *workspace,
		  struct err *e);
void kind_lab_conf(const char *main_file, const char *workspace);

/* A context for the user anna of the groups (by blanks) in that workspace. */
void kind_lab_ctx(const char *groups, struct arena *a, struct tool_ctx *ctx);

struct tool_result kind_lab_call(const char *groups, const char *tool,
				 const char *args, struct arena *a);

/* "name name …" of what is offered. */
const char *kind_lab_offered(const char *groups, struct arena *a);

#endif
