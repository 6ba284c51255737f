/*
 * Tools: the only thing the loop knows how to call (A17). One struct for every
 * kind; a row in a table for built-ins, the same row built per turn in the
 * arena for what YAML declares.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "auth/identity.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "conf/conf.h"

struct db;
struct http_pool;
struct http_abort;

/* What tools of the process share: connections to foreign databases, … */
struct tool_env;
struct tool_env *tool_env_new(struct db *app_db, struct http_pool *http,
			      struct err *e) MUST_CHECK;
void tool_env_free(struct tool_env *env);

/* What a tool may know of the turn that calls it. All borrowed. */
struct tool_ctx {
	struct tool_env *env;
	const struct conf *conf;
	const struct conf_workspace *workspace;
	const struct conf_agent *agent;
	const struct identity *who;
	struct http_abort *abort;	/* NULL = cannot be cancelled */
	struct arena *arena;		/* this call's own */
};

enum tool_effect { TOOL_READ, TOOL_WRITE, TOOL_DESTRUCTIVE };

struct tool {
	const char *name;		/* [A-Za-z0-9_-]{1,64} */
	const char *description;	/* for the model */
	const char *group;
	const char *schema;		/* JSON Schema text of the arguments */
	enum tool_effect effect;
	bool untrusted;			/* results are others' text (A10) */
	int timeout_ms;
	int result_cap_bytes;		/* 0 = LIM_TOOL_RESULT */
	/* MAY be NULL = always. Whether this turn may see it; asked again before run. */
	bool (*advertise)(const struct tool *t, const struct tool_ctx *ctx);
	/*
	 * MUST. Arguments have passed the schema. Appends the result (JSON, or
	 * text when *is_json is set to false) to out, which is capped. Returns
	 * -1 with an error whose public text tells the model what to do better.
	 */
	int (*run)(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e);
	const void *data;		/* the kind's own */
};

/* The tools offered in this turn, sorted by name (E12). In the arena. */
struct tool_set {
	const struct tool **v;
	size_t n;
};

/*
 * Everything that context, workspace, agent and the caller's permissions
 * (AI.Chat.UseTool.{name}, A25) leave. ctx->arena owns the set.
 */
int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e) MUST_CHECK;

struct tool_result {
	struct str text;	/* what the model sees; valid UTF-8, capped */
	bool is_json, is_error, truncated;
	int64_t duration_ms;
	size_t full_bytes;	/* before the cap */
};

/*
 * Runs one call: offered → permission → arguments parse and fit the schema →
 * run under its timeout → cap. Never fails: what goes wrong is an error
 * result that the model can act on (B17). args is the model's JSON text.
 * Thread: any; calls of one turn may run in parallel with their own ctx->arena.
 */
void tool_call(const struct tool_set *set, const struct tool_ctx *ctx,
	       struct str name, struct str args, struct tool_result *out);

/*
 * Checks v against the JSON Schema subset that tool schemas use (schema.c
 * lists it). Public error text names the place ("filters[0].op") and what was
 * expected. ERR_TOOL_ARGS.
 */
int schema_check(const json_t *schema, const json_t *v, struct err *e) MUST_CHECK;

/* Refuses keywords that schema_check does not know. ERR_CONFIG. */
int schema_supported(const json_t *schema, struct err *e) MUST_CHECK;

/* For `list tools`. */
void tool_print_list(struct buf *out);

#endif
