/* SPDX-License-Identifier: MIT */
/*
 * Tools of kind `command`: a program of the admin's, called in the manner of CGI.
 * The arguments come as one JSON object on stdin; the environment identifies the
 * user and has no other variables of ours. Its stdout is the result, also when it
 * fails (an exit code other than 0): then it should explain what to do better.
 * stderr goes to the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/utf8.h"
#include "net/http.h"
#include "tool/command/option.h"
#include "tool/core/family.h"
#include "tool/core/secret.h"
#include "tool/core/text.h"

#include "base/banned.h"

enum {
	STDERR_BYTES = 4096,
	WHY_BYTES = 2000,	/* of stdout, when it failed */
	OWN_VARIABLES = 12,
};

static int command_check(const struct conf *conf,
			 const struct workspace *w,
			 const struct conf_tool *c, struct err *e)
{
	const char *program = c->command->run.v[0];

	(void)conf;
	(void)w;
	if (program[0] != '/')
		return err_field(e, ERR_CONFIG, "command.run[0]",
				 "must be the path of a program, from /");
	return 0;
}

/* -- what is run ------------------------------------------------------------- */

static struct str joined(struct arena *a, const struct str *v, size_t n)
{
	struct buf b = BUF_INIT(LIM_GROUPS * 512);
	struct str out;

	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i ? "," : "");
		buf_addstr(&b, v[i]);
	}
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

/* The admin's variables, then ours, so that only we identify the user. */
static const char *const *environment(const struct tool *t,
				      const struct tool_ctx *ctx)
{
	const struct conf_tool *c = t->data;
	const struct conf_list *env = &c->command->env;
	const struct identity *who = ctx->turn.by.who;
	struct arena *a = ctx->arena;
	const char *tz = getenv("TZ");
	struct str groups = joined(a, who->groups, who->n_groups);
	const char **v = arena_zalloc(a, env->n + OWN_VARIABLES + 1,
				      sizeof(*v));
	size_t n = 0;

	v[n++] = "PATH=/usr/local/bin:/usr/bin:/bin";
	v[n++] = "LANG=C.UTF-8";
	if (tz && tz[0])
		v[n++] = arena_printf(a, "TZ=%s", tz);
	for (size_t i = 0; i < env->n; i++)
		v[n++] = env->v[i];
	v[n++] = arena_printf(a, "LAMPLIGHTER_USER=%.*s", STR_ARG(who->login));
	v[n++] = arena_printf(a, "LAMPLIGHTER_USER_ID=%s", who->user_id_text);
	v[n++] = arena_printf(a, "LAMPLIGHTER_USER_NAME=%.*s",
			      STR_ARG(who->name));
	v[n++] = arena_printf(a, "LAMPLIGHTER_GROUPS=%.*s", STR_ARG(groups));
	v[n++] = arena_printf(a, "LAMPLIGHTER_TENANT=%.*s",
			      STR_ARG(who->tenant));
	v[n++] = arena_printf(a, "LAMPLIGHTER_WORKSPACE=%s",
			      ctx->turn.workspace ? ctx->turn.workspace->id
			      : "");
	v[n++] = arena_printf(a, "LAMPLIGHTER_TOOL=%s", t->name);
	return v;
}

static struct spawn spawn_of(const struct tool *t, const struct tool_ctx *ctx)
{
	const struct conf_tool *c = t->data;
	const struct conf_tool_command *m = c->command;
	const char **argv = arena_zalloc(ctx->arena, m->run.n + 1,
					 sizeof(*argv));

	memcpy(argv, m->run.v, m->run.n * sizeof(*argv));
	return (struct spawn){
		.argv = argv, .env = environment(t, ctx), .dir = m->dir,
		.limits = m->limits,
	};
}

/* -- what comes back --------------------------------------------------------- */

static void mask(const struct conf_tool_command *m, struct buf *b)
{
	for (size_t i = 0; i < m->env.n; i++) {
		const char *value = strchr(m->env.v[i], '=');

		secret_mask(b, str_of(value + 1));
	}
}

static void log_stderr(const struct tool *t, struct buf *errors)
{
	struct buf text = BUF_INIT(4 * STDERR_BYTES);

	if (errors->n) {
		utf8_scrub(&text, buf_str(errors));
		log_warn("a command wrote to stderr", "tool", t->name, "stderr",
			 text.p);
	}
	buf_release(&text);
}

static int judge(const struct tool *t, const struct spawn_result *r,
		 struct err *e)
{
	const struct conf_tool *c = t->data;

	if (r->stopped)
		return err_set(e, ERR_CANCELLED, "command stopped");
	if (r->late)
		return err_public(e, ERR_TOOL_TIMEOUT, "The command took longer "
				  "than %d ms and was ended.", t->timeout_ms);
	if (r->too_big)
		return err_public(e, ERR_TOOL_FAILED, "The command wrote more "
				  "than %d bytes and was ended. Ask for less.",
				  c->command->output_bytes);
	if (r->signal)
		return err_public(e, ERR_TOOL_FAILED, "The command was ended by "
				  "signal %d (%s), possibly at one of its "
				  "limits.", r->signal,
				  sigabbrev_np(r->signal)
				  ? sigabbrev_np(r->signal) : "unknown");
	return 0;
}

/* {"error":{"code","message"},"output":…} in the program's words. Returns 1. */
static int write_failure(const struct spawn_result *r, const struct buf *got,
			 struct buf *out)
{
	struct buf text = BUF_INIT(4 * WHY_BYTES);
	struct jw w = jw_on(out);
	char code[32];

	snprintf(code, sizeof(code), "exit_%d", r->exit_code);
	utf8_scrub(&text, text_quote(str_trim(buf_str(got)), WHY_BYTES));
	jw_obj(&w);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kstrz(&w, "code", code);
	jw_kstrz(&w, "message", "The command failed.");
	jw_end_obj(&w);
	if (text.n)
		jw_kstr(&w, "output", buf_str(&text));
	jw_end_obj(&w);
	buf_release(&text);
	return 1;
}

/* JSON is written compactly; other output is text, if text is allowed. */
static int answer(const struct conf_tool *c, const struct buf *got,
		  struct buf *out, bool *is_json, struct err *e)
{
	struct str s = str_trim(buf_str(got));
	enum conf_output want = c->command->output;
	struct err fault = ERR_INIT;
	json_t *j = NULL;

	*is_json = false;
	if (want == OUTPUT_JSON ||
	    (want == OUTPUT_AUTO && s.n && strchr("{[", s.p[0])))
		j = jx_load_lenient(s, &fault);
	if (j) {
		*is_json = true;
		jx_dump(out, j);
		json_decref(j);
		return 0;
	}
	if (want == OUTPUT_JSON)
		return err_public(e, ERR_TOOL_FAILED, "The command did not "
				  "answer with JSON.");
	buf_addstr(out, s);
	return 0;
}

static int command_run(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, bool *is_json,
		       struct err *e)
{
	const struct conf_tool *c = t->data;
	struct buf in = BUF_INIT(2 * LIM_TOOL_ARGS_BYTES);
	struct buf got = BUF_INIT((size_t)c->command->output_bytes);
	struct buf errors = BUF_INIT(STDERR_BYTES);
	struct spawn s = spawn_of(t, ctx);
	struct err cause = ERR_INIT;
	struct spawn_result r;
	int rc;

	jx_dump(&in, args);
	buf_addc(&in, '\n');
	rc = spawn_run(&s, buf_str(&in), t->timeout_ms,
		       ctx->turn.abort ? http_abort_fd(ctx->turn.abort) : -1,
		       &got, &errors, &r, &cause);
	if (rc < 0) {
		log_err("command", &cause);
		rc = err_public(e, ERR_TOOL_FAILED,
				"The command cannot be started here.");
	} else {
		mask(c->command, &got);
		mask(c->command, &errors);
		log_stderr(t, &errors);
		rc = judge(t, &r, e);
		if (rc == 0 && r.exit_code)
			rc = write_failure(&r, &got, out);
		else if (rc == 0)
			rc = answer(c, &got, out, is_json, e);
	}
	buf_release(&errors);
	buf_release(&got);
	buf_release(&in);
	return rc;
}

static int command_dry_run(const struct tool *t, const struct tool_ctx *ctx,
			   const json_t *args, struct buf *out, struct err *e)
{
	const struct conf_tool *c = t->data;
	struct spawn s = spawn_of(t, ctx);

	(void)e;
	buf_adds(out, "run:");
	for (size_t i = 0; s.argv[i]; i++) {
		buf_addc(out, ' ');
		buf_json(out, str_of(s.argv[i]));
	}
	buf_addf(out, "\ndir: %s\n", s.dir);
	for (size_t i = 0; s.env[i]; i++)
		buf_addf(out, "env: %s\n", s.env[i]);
	mask(c->command, out);
	buf_addf(out, "timeout: %d ms\nstdin: ", t->timeout_ms);
	jx_dump(out, args);
	buf_addc(out, '\n');
	return 0;
}

static const struct tool_kind kind = {
	.name = "command",
	.section = offsetof(struct conf_tool, command),
	.check = command_check,
	.row = {
		.timeout_ms = 10000,
		.run = command_run, .dry_run = command_dry_run,
	},
};

static const struct tool_kind *const kinds[] = { &kind };

const struct tool_family tool_family_command = {
	.kinds = kinds, .n_kinds = ARRAY_LEN(kinds),
};
