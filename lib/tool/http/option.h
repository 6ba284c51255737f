/* SPDX-License-Identifier: MIT */
/*
 * Options of the kinds in this folder, as lib/conf fills them in from the rows of
 * option.def. Both belong to lib/conf, but are next to the code that uses them.
---
 */
#ifndef TOOL_HTTP_OPTION_H
#define TOOL_HTTP_OPTION_H

#include "conf/conf.h"

struct conf_tool_http {		/* `http:` of a tool */
	const char *method;
	const char *url;		/* template; {name} in path and query */
	struct conf_list headers;	/* templates, "Name: value" */
	json_t *query, *body;		/* templates; NULL = what is left */
	enum conf_body { BODY_JSON, BODY_FORM } body_type;
	enum conf_http_auth {
		HTTP_AUTH_NONE, HTTP_AUTH_HEADER, HTTP_AUTH_BEARER,
		HTTP_AUTH_BASIC, HTTP_AUTH_USER_TOKEN,
	} auth;
	const char *secret;		/* secret */
	const char *user;		/* basic */
	const char *auth_header;	/* header, user_token */
	const struct conf_user_token *token;	/* user_token; else NULL */
	enum conf_output output;
	const char *select;		/* JSON pointer; "" = all */
	struct {
		int max;		/* 1 = no paging */
		const char *next;	/* JSON pointer, "link" or "" */
		const char *param;	/* of the query; "" = none */
		int first, step;	/* of param without next */
	} page;
	int retries;
	int response_bytes;		/* of one answer, before select */
	struct conf_list allow_private;	/* net/guard.h */
};

struct conf_tool_openapi {	/* `openapi:` of a tool */
	const char *file;		/* relative to the main file */
	const json_t *document;		/* what is in it */
	struct conf_list operations;	/* globs of operationId */
	const char *base_url;		/* "" = the document's first server */
	struct conf_tool_http http;	/* how: auth and limits only */
};

#endif
