/* SPDX-License-Identifier: MIT */
/*
 * Rules for texts of the configuration beyond their type and length. Each
 * returns NULL if the text follows it, else the rule ("must be …").
 * Pure; any thread.
 */
#ifndef CONF_RULES_H
#define CONF_RULES_H

#include "conf/option.h"

opt_check check_slug;		/* [a-z0-9][a-z0-9_-]{0,63} */
opt_check check_slug_or_empty;
opt_check check_colour;		/* #rrggbb; "" is fine */
opt_check check_category;	/* 1 to 100 characters, one line */
opt_check check_ident;		/* [A-Za-z0-9_][A-Za-z0-9_-]{0,63} */
opt_check check_tool;		/* [A-Za-z0-9_-]{1,64} */
opt_check check_tool_choice;	/* the same, or "group:NAME" */
opt_check check_action_url;	/* /path or http(s)://, {NAME} within */
opt_check check_mention_link;	/* as check_action_url; "" is fine */
opt_check check_path;		/* /absolute */
opt_check check_dir;		/* the same, not the root; "" is fine */
opt_check check_env;		/* "NAME=value" */
opt_check check_url;		/* http(s)://…, no blanks; "" is fine */
opt_check check_url_template;	/* the same, and {name} behind the host */
opt_check check_method;		/* of HTTP: A-Z */
opt_check check_pointer;	/* JSON pointer; "" */
opt_check check_next;		/* the same, or "link" */
opt_check check_origin;		/* scheme://host[:port]; "" is fine */
opt_check check_base;		/* /path without a slash at its end; "" */
opt_check check_header;		/* name of a header; "" is fine */
opt_check check_header_value;	/* no control characters */
opt_check check_label;		/* the same, and no | */
opt_check check_choice;		/* 1 to 64 characters in one line */
opt_check check_key;		/* typeKey, stateKey: 1 to 32 of a-z, 0-9 and _ */
opt_check check_entity;		/* kind of what is in projects */
opt_check check_secret_key;	/* 64 hexadecimal digits each, blanks between */
opt_check check_extra_header;	/* "Name: value" */
opt_check check_param;		/* server variable, never HTTP_*; "" */
opt_check check_hash;		/* SHA-256 in hexadecimal digits */
opt_check check_db_host;	/* host or host:port */
opt_check check_addr;		/* address, or network with /bits */
opt_check check_allow;		/* the same, or a host name, or *.domain */
opt_check check_host;		/* host without port, *.domain, or * */
opt_check check_group;		/* name of a group, not * */
opt_check check_login;
opt_check check_permission;	/* Part.Part, * at the end */
opt_check check_clock;		/* HH:MM; "" */
opt_check check_table;		/* name or schema.name; "" */
opt_check check_sql;		/* quotes closed, no placeholder, one part */
opt_check check_where;		/* as check_sql, with identity placeholders */

#endif
