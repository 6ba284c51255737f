/* SPDX-License-Identifier: MIT */
/*
 * The admin command `lamplighter`: one table of commands (main.c), one file
 * per group. Results go to stdout, messages to people to stderr.
 * Exit codes: 0 success, 1 failure, 2 usage error.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "domain/target.h"
#include "auth/identity.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

#define CLI_OUT_BYTES (16 * 1024 * 1024)	/* cap of one printed text */

struct cli_command;
struct db;
struct http_pool;
struct tool_env;

struct cli {
	const char *conf_file;
	const struct cli_command *command;	/* the one that runs */
};

struct cli_command {
	const char *name;
	const char *args;	/* synopsis behind the name */
	const char *summary;	/* one line, for the overview */
	const char *help;	/* lines for `help NAME`, or "" */
	/* argv[0] is the name; returns an exit code. */
	int (*run)(struct cli *cli, int argc, char **argv);
};

/* The commands, one function each. */
int cli_check(struct cli *cli, int argc, char **argv);
int cli_config(struct cli *cli, int argc, char **argv);
int cli_list(struct cli *cli, int argc, char **argv);
int cli_token(struct cli *cli, int argc, char **argv);
int cli_migrate(struct cli *cli, int argc, char **argv);
int cli_project(struct cli *cli, int argc, char **argv);
int cli_resource(struct cli *cli, int argc, char **argv);
int cli_preview(struct cli *cli, int argc, char **argv);
int cli_mcp(struct cli *cli, int argc, char **argv);

int cli_eval(struct cli *cli, int argc, char **argv);
int cli_erase(struct cli *cli, int argc, char **argv);
int cli_stored(struct cli *cli, int argc, char **argv);
int cli_export(struct cli *cli, int argc, char **argv);
int cli_doctor(struct cli *cli, int argc, char **argv);
int cli_kb(struct cli *cli, int argc, char **argv);
int cli_files(struct cli *cli, int argc, char **argv);
int cli_secret(struct cli *cli, int argc, char **argv);
int cli_services(struct cli *cli, int argc, char **argv);
int cli_setting(struct cli *cli, int argc, char **argv);
int cli_tools(struct cli *cli, int argc, char **argv);
int cli_trace(struct cli *cli, int argc, char **argv);
int cli_turn(struct cli *cli, int argc, char **argv);
int cli_exchange(struct cli *cli, int argc, char **argv);
int cli_work(struct cli *cli, int argc, char **argv);
int cli_decode(struct cli *cli, int argc, char **argv);

/* An option's whole number within bounds, or -1. */
int cli_number(const char *s, int min, int max);

/* Prints the mistake and how to use the command. Returns CLI_USAGE. */
int cli_usage(const struct cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * For a command that has only --user LOGIN, which is required: CLI_OK, or CLI_USAGE
 * (printed).
 */
int cli_user_args(const struct cli *cli, int argc, char **argv,
		  const char **login);

/* Prints the error's log text. Returns CLI_FAILED. */
int cli_failed(const struct err *e);

/*
 * The configuration, or NULL if it has errors, all of which have been printed. The
 * caller releases it with conf_put.
 */
const struct conf *cli_conf(const struct cli *cli);

/* One use of the configuration and the database by a command. */
struct cli_session {
	const struct conf *conf;
	struct db *db;		/* connects to nothing until it is used */
	struct arena arena;
	/* NULL until cli_session_tools */
	struct http_pool *http;
	struct tool_env *tools;
};

/* 0, or -1 if the configuration has errors, which have been printed. */
int cli_session_open(struct cli_session *s, const struct cli *cli) MUST_CHECK;
void cli_session_close(struct cli_session *s);

/* For a command that calls tools or servers. -1: the error has been printed. */
int cli_session_tools(struct cli_session *s) MUST_CHECK;

/* The user, workspace and agent of the command line (who.c). */
struct cli_who {
	const char *user, *workspace, *agent;	/* NULL = not said */
	struct str groups[LIM_GROUPS];
	size_t n_groups;
};

/* For getopt_long's table; their letters go to cli_who_option. */
#define CLI_WHO_OPTIONS \
	{ "user", required_argument, NULL, 'u' }, \
	{ "group", required_argument, NULL, 'g' }, \
	{ "workspace", required_argument, NULL, 'w' }, \
	{ "agent", required_argument, NULL, 'a' }

/* Handles one of these options. CLI_USAGE (printed) for any other. */
int cli_who_option(const struct cli *cli, int c, char *value,
		   struct cli_who *w);

/* The user w->user with the groups. In the session's arena. */
int cli_identity(struct cli_session *s, const struct cli_who *w,
		 struct identity *out, struct err *e) MUST_CHECK;

struct cli_place {
	struct identity who;
	struct target target;
};

/*
 * The user w->user, and the workspace and agent: those that are named, else the
 * only workspace, and its default agent. Checks the configuration's tools. In
 * the session's arena. ERR_CONFIG, ERR_NOT_FOUND.
 */
int cli_place(struct cli_session *s, const struct cli_who *w,
	      struct cli_place *out, struct err *e) MUST_CHECK;

/* A message of the command line. */
struct cli_message {
	struct cli_who who;
	const char *conversation, *text;
	int warm;		/* --warm; -1 on entry: not accepted */
};

struct turn_request;

/* Reads the options and the text: CLI_OK, or CLI_USAGE (printed). */
int cli_message_args(const struct cli *cli, int argc, char **argv,
		     struct cli_message *m);

/*
 * Fills the request that sends the message. In the session's arena. ERR_CONFIG,
 * ERR_NOT_FOUND; ERR_CONFLICT if the conversation is with another agent than
 * the one named; errors of the database.
 */
int cli_message_request(struct cli_session *s, const struct cli_message *m,
			struct turn_request *in, struct err *e) MUST_CHECK;

/*
 * Calls run with a session that has tools, and prints what it adds to out. Returns an
 * exit code; the error of run has been printed.
 */
int cli_message_run(const struct cli *cli, const struct cli_message *m,
		    int (*run)(struct cli_session *s, const struct cli_message *m,
			       struct buf *out, struct err *e));

/*
 * Appends a file to out ("-": what stdin has). ERR_CONFIG if it cannot be read; ERR_TOO_BIG
 * if it does not fit.
 */
int cli_read(const char *file, struct buf *out, struct err *e) MUST_CHECK;

/*
 * Writes the text, which may be untrusted, to stdout and releases it; on a terminal
 * without control characters. Returns an exit code.
 */
int cli_print(struct buf *b);

#endif
