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
#include "tool/schema.h"

struct db;
struct http_pool;
struct http_abort;

/* What tools of the process share: connections to foreign databases, … */
struct tool_env;
struct tool_env *tool_env_new(struct db *app_db, struct http_pool *http,
			      struct err *e) MUST_CHECK;
void tool_env_free(struct tool_env *env);

/* What a call is at, for the person who waits. */
enum tool_note_status { NOTE_START, NOTE_PROGRESS, NOTE_SUCCESS, NOTE_ERROR };

struct tool_note {
	enum tool_note_status status;
	struct str tool;	/* what is done: the tool itself, or one below */
	struct str text;	/* valid UTF-8 of anybody; may be empty */
};

/* What the turn does for a call that it runs; implemented above (calls.c). */
struct tool_host {
	/* Shows a note. Never blocks; any thread. */
	void (*note)(void *ctx, const struct tool_note *n);
	void *ctx;
};

/* What a tool may know of the turn that calls it. All borrowed. */
struct tool_ctx {
	struct tool_env *env;
	const struct conf *conf;
	const struct conf_workspace *workspace;
	const struct conf_agent *agent;
	const struct identity *who;
	struct http_abort *abort;	/* NULL = cannot be cancelled */
	struct arena *arena;		/* this call's own */
	const struct tool_host *host;	/* NULL = not in a turn */
	/* Where long results are kept; NULL = nowhere. */
	const struct uuid *conversation_id;
	bool has_kept;			/* the model was told of one */
};

/* Tells the turn, if there is one, what the call is at. Any thread. */
static inline void tool_note(const struct tool_ctx *ctx,
			     const struct tool_note *n)
{
	if (ctx->host)
		ctx->host->note(ctx->host->ctx, n);
}

/* Where it runs: here, or in the page of the user (E13, E16). */
enum tool_visibility { TOOL_SERVER, TOOL_CLIENT };

struct tool_offer;

struct tool {
	const char *name;		/* [A-Za-z0-9_-]{1,64} */
	const char *description;	/* for the model */
	const char *group;		/* for `group:NAME` of agents; "" = none */
	const char *source;		/* what declares it: "built-in", a file */
	const char *kind;		/* row of kind.c; NULL = built-in */
	const char *schema;		/* JSON Schema text of the arguments, or */
	const json_t *parameters;	/* … parsed: read-only, outlives the row */
	size_t parameters_bytes;	/* of it as text, about */
	const struct conf_list *groups;	/* who has it; NULL = everyone */
	enum tool_effect effect;
	enum tool_confirm confirm;	/* never BY_EFFECT */
	enum tool_visibility visibility;
	bool untrusted;			/* results are others' text (A10) */
	int timeout_ms;			/* run keeps it by itself */
	int result_cap_bytes;		/* 0 = the configured cap */
	/* MAY be NULL = always. Whether this turn may see it; asked again before run. */
	bool (*advertise)(const struct tool *t, const struct tool_ctx *ctx);
	/*
	 * MAY be NULL. Replaces description and schema by what fits this turn
	 * (names that exist here, say). What it makes lives in ctx->arena.
	 */
	int (*describe)(const struct tool *t, const struct tool_ctx *ctx,
			struct tool_offer *o, struct err *e);
	/*
	 * MUST. Arguments have passed the schema. Appends the result (JSON, or
	 * text when *is_json is set to false) to out. A tool that can shorten
	 * its result sensibly keeps it within tool_result_cap and says so in
	 * it; of others the middle is cut out. Returns -1 with an error whose
	 * public text tells the model what to do better; or 1 when what it
	 * asked says in out that it failed: others' words, like a result.
	 */
	int (*run)(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e);
	/*
	 * MAY be NULL. What run would send, as text for a person, with secrets
	 * masked; sends nothing. For `lamplighter tools call --dry-run`.
	 */
	int (*dry_run)(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, struct err *e);
	const void *data;		/* the kind's own */
};

/* A tool as this turn sees it: what is sent to the model. */
struct tool_offer {
	const struct tool *tool;
	const char *description;
	const json_t *schema;		/* read-only, shared between threads */
	size_t schema_bytes;		/* of it as JSON text, about */
	int timeout_ms;			/* longest that a call may take */
};

/* The tools offered in this turn, sorted by name (E12). In the arena. */
struct tool_set {
	const struct tool_offer *v;
	size_t n;
};

/*
 * Everything that context, workspace, agent and the caller's permissions
 * (AI.Chat.UseTool.{name}, A25) leave. ctx->arena owns the set. A tool that
 * cannot be described at the moment (its database is down) is left out and
 * logged; the turn goes on without it.
 */
int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e) MUST_CHECK;

/* The offer of this name, or NULL. */
const struct tool_offer *tool_set_find(const struct tool_set *set,
				       struct str name);

/* Bytes of result that the model may get from t. */
size_t tool_result_cap(const struct tool *t, const struct tool_ctx *ctx);

struct tool_result {
	struct str text;	/* what the model sees; valid UTF-8, capped;
				   in ctx->arena */
	bool is_json, is_error, truncated;
	bool foreign;		/* the tool's words, not ours about it */
	int64_t duration_ms;
	size_t full_bytes;	/* before the cap */
};

/*
 * Runs one call: known and offered → permission → arguments parse and fit the
 * schema → run under its timeout → cap. Never fails: what goes wrong is an
 * error result that the model can act on (B17). args is the model's JSON text.
 * Thread: any; calls of one turn may run in parallel with their own ctx->arena.
 */
void tool_call(const struct tool_set *set, const struct tool_ctx *ctx,
	       struct str name, struct str args, struct tool_result *out);

/*
 * What a call would send, as text for a person; the same checks in front.
 * Returns -1 with a public text when it would be refused, or when the tool
 * cannot show it.
 */
int tool_dry_run(const struct tool_set *set, const struct tool_ctx *ctx,
		 struct str name, struct str args, struct buf *out,
		 struct err *e) MUST_CHECK;

/* An error result for a call that is not run, as the model gets it. */
void tool_refuse(struct arena *a, enum err_code code, const char *text,
		 struct tool_result *out);

/*
 * What a configuration says about tools and datasets, checked as far as that
 * is possible without asking anybody: declared tools are whole and their
 * schemas are of the subset that schema.h checks, tools that agents name
 * exist, row filters and SQL fragments of datasets are well-formed. ERR_CONFIG
 * with "FILE:LINE: ". A conf_check: conf_live_open gets it.
 */
int tool_check_conf(const struct conf *conf, struct err *e) MUST_CHECK;

/* For `list tools`: a line each. */
void tool_print_list(struct buf *out);

#endif
