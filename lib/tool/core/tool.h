/* SPDX-License-Identifier: MIT */
/*
 * Tools: the only thing that the loop can call (A17). All kinds have the same
 * struct: built-in tools as rows of a table, declared ones built per turn in the
 * arena.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "domain/catalog.h"
#include "auth/identity.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "prompt/origin.h"
#include "schema/schema.h"
#include "tool/core/passage.h"
#include "tool/core/pool.h"

struct http_pool;
struct http_abort;

/*
 * What the tools of a process share: connections to other databases, servers,
 * caches. Borrows both arguments; either may be NULL if no tool needs it. Never
 * NULL. Opens nothing yet. Any thread may use it.
 */
struct tool_env;
struct tool_env *tool_env_new(struct http_pool *http);
void tool_env_free(struct tool_env *env);	/* NULL is fine */

/*
 * What the user wants, as far as changes in projects go (D10). Those are held for approval
 * unless both the model and the user's own words say ACT.
 */
enum tool_mode {
	TOOL_MODE_NONE,		/* not in a turn: nobody's words are known */
	TOOL_MODE_CLARIFY,	/* it is not clear */
	TOOL_MODE_INFORM,	/* to read something */
	TOOL_MODE_ACT,		/* to have something changed */
};

/* The progress of a call, for the user who waits. */
enum tool_note_status { NOTE_START, NOTE_PROGRESS, NOTE_SUCCESS, NOTE_ERROR };

struct tool_note {
	enum tool_note_status status;
	struct str tool;	/* the tool at work: itself, or one below it */
	struct str text;	/* valid UTF-8 of anybody; may be empty */
	struct str plan;	/* JSON: where a plan stands, and nothing else; or empty */
	/*
	 * The others say one of these and nothing else, of an agent within the call or of a
	 * step of its plan. None is lost, and they keep their order.
	 */
	const struct resource_changes *changes;	/* what a step has changed; or NULL */
	const struct turn_wait *waits;	/* what a step waits for, as stored; or NULL */
	size_t n_waits;
	const struct tool_operation *operation;	/* that begins or ends; or NULL */
	struct str delta;	/* of the agent state (D41), JSON; or empty */
	enum tool_mode mode;	/* with a delta: a new one; or NONE */
};

struct tool;
struct tool_ctx;
struct tool_operation;
struct turn_wait;
struct llm_image;
struct prompt_text;

/* What an agent within a call is to do (tool_host.agent). */
struct tool_task {
	const struct conf_tool *tool;	/* with its section `agent` */
	/*
	 * One call with this instruction, without tools, instead of the agent's
	 * loop; NULL = the loop.
	 */
	const struct prompt_text *prompt;
	struct str input;		/* what it is told */
	const struct llm_image *images;	/* in front of that; the service must see */
	size_t n_images;
	/* With prompt: an answer that was cut off at its limit is an error. */
	bool whole;
};

enum { TOOL_DEPTH = 2 };	/* agents within agents */

/*
 * What whoever runs a call does for it: a constant table, implemented above. Each finds
 * in call->host_ctx whose call it is.
 */
struct tool_host {
	/* Shows a note. Never blocks; any thread. */
	void (*note)(const struct tool_ctx *call, const struct tool_note *n);
	/*
	 * Runs model and tools with a separate prompt and budget until there
	 * is an answer, which is appended to out. Blocks; in the thread
	 * of the call. ERR_TOOL_FAILED, ERR_TOOL_TIMEOUT, ERR_CANCELLED.
	 */
	int (*agent)(const struct tool_ctx *call, const struct tool_task *task,
		     struct buf *out, struct err *e);
	/*
	 * Makes the plan that args ask for, or takes them for it, and carries it out.
	 * Appends where it ended to out. If it waits for the user, nothing is appended
	 * and the turn pauses; the tool is called again then. ERR_TOOL_ARGS,
	 * ERR_TOOL_FAILED, ERR_CANCELLED. NULL: no plans here.
	 */
	int (*plan)(const struct tool_ctx *call, const struct tool *t,
		    const json_t *args, struct buf *out, struct err *e);
	/*
	 * Whether this text occurs in the user's messages, or came from a tool
	 * before the model wrote it. In the thread of the call.
	 */
	bool (*is_from_others)(const struct tool_ctx *call, struct str text);
};

/*
 * What a tool may know about the turn that calls it; the same for all calls of a
 * round. All borrowed.
 */
struct tool_turn {
	struct caller by;
	struct tool_env *env;
	const struct workspace *workspace;
	const struct agent *agent;
	/*
	 * The LLM service of agents in calls that name none; NULL = not known.
	 */
	const struct llm_service *service;
	enum tool_pool pool;		/* of the conversation's context type */
	struct http_abort *abort;	/* NULL = cannot be cancelled */
	const struct str *allowed;	/* tools approved for the conversation */
	size_t n_allowed;
	const struct tool *more;	/* tools of this turn alone (the page's) */
	size_t n_more;
	const struct str *page;		/* names of all that the page accepts */
	size_t n_page;
	int depth;			/* of agents around it; 0 = the turn's */
	bool plan;			/* a step of a plan, which can ask the user */
	bool web;			/* the user asked for the web (C30) */
	bool trial;			/* the user tries a tool: changes are asked about */
	bool calendar;			/* and for the calendar */
	enum tool_mode intent;		/* by the user's last own words */
	/* Only the tool of this name is needed, so sources that cannot have it
	   are skipped; NULL = all. For tool_set_build. */
	const char *only;
	/* Where long results are kept; NULL = nowhere. */
	const struct uuid *conversation_id;
	bool has_kept;			/* the model was told of one */
	bool has_facts;			/* the conversation has some (memory/fact.h) */
};

/*
 * A call and its view of the turn: a copy, because a call within an agent, or one
 * that is only checked, sees less. All borrowed.
 */
struct tool_ctx {
	struct tool_turn turn;
	struct arena *arena;		/* this call's own */
	const struct tool_host *host;	/* NULL = not in a turn */
	void *host_ctx;
	/*
	 * The origins of untrusted text in the context when the model made this
	 * call. NULL or empty = only the user's own text.
	 */
	const struct origins *taint;
	/* The origins of this call's result; run adds them. NULL = not needed. */
	struct origins *from;
	struct passages *passages;	/* of the turn; NULL = not in one */
	bool approved;			/* this call, by the user */
};

/* Reports the progress of the call to the turn, if any. Any thread. */
static inline void tool_note(const struct tool_ctx *ctx,
			     const struct tool_note *n)
{
	if (ctx->host)
		ctx->host->note(ctx, n);
}

/* What a call does to what is in projects, for the user who follows it (D24). */
struct tool_operation {
	const char *action;		/* list, search, read, create, update, delete */
	const char *entity_type;	/* document, task, …, project */
	struct str name;		/* for people; may be empty. In the call's arena */
	struct uuid id;			/* nil: none, or not yet */
	const char *status;		/* start, success or error, as it is told */
};

/* Who carries out a call. */
enum tool_visibility {
	TOOL_SERVER,	/* run, here */
	TOOL_CLIENT,	/* the user's page (E16) */
	TOOL_USER,	/* the user, who answers a question (A41) */
};

struct tool_offer;

struct tool {
	const char *name;		/* [A-Za-z0-9_-]{1,64} */
	const char *description;	/* for the model */
	const char *title;		/* for people; NULL = by the name */
	/* For `group:NAME` of agents, and pools: by blanks; "" = none. */
	const char *group;
	const char *source;		/* what declares it: "built-in", a file */
	const char *kind;		/* what of `tools:`; NULL = built-in */
	const char *schema;		/* JSON Schema text of the arguments, or */
	const json_t *parameters;	/* … parsed: read-only, outlives the row */
	const json_t *declared;		/* … with its mode; NULL: it has none */
	const struct conf_list *groups;	/* who has it; NULL = everyone */
	enum tool_effect effect;
	enum tool_confirm confirm;	/* never BY_EFFECT */
	enum tool_remember remember;
	enum tool_visibility visibility;
	bool editable;			/* the user may change the arguments */
	/* It asks the user itself, and goes on when it is called again (a plan). */
	bool resumes;
	bool suggests;			/* results are actions, shown as such */
	bool untrusted;			/* results are others' text (A10) */
	/* Id of the server whose definition of it no admin has accepted; or NULL */
	const char *unaccepted;
	bool listed_only;		/* only where the agent, or for reading the
					   workspace, lists it or its group */
	bool external;			/* uses the web: only where the user
					 * asks for it (C30) */
	/* Reads results that were kept: offered with any other tool, and its own
	   results are not kept. */
	bool reads_kept;
	int timeout_ms;			/* run keeps it by itself */
	int result_cap_bytes;		/* 0 = the configured cap */
	/* MAY be NULL = always. Whether this turn may see it; asked again before run. */
	bool (*advertise)(const struct tool *t, const struct tool_ctx *ctx);
	/*
	 * Of built-in ones MAY be instead of schema: makes it of what depends on the
	 * configuration alone, once for each; conf NULL: on nothing. In a.
	 */
	const json_t *(*arguments)(const struct tool *t, const struct conf *conf,
				   struct arena *a);
	/*
	 * MAY be NULL. Replaces description and schema by those for this turn
	 * (with the names that exist here, for example), in ctx->arena.
	 */
	int (*describe)(const struct tool *t, const struct tool_ctx *ctx,
			struct tool_offer *o, struct err *e);
	/*
	 * MUST, for TOOL_SERVER. Arguments have passed the schema. Appends the result (JSON, or
	 * text when *is_json is set to false) to out. A tool that can shorten
	 * its result sensibly keeps it within tool_result_cap and says so in
	 * it; results of others lose their middle. Returns -1 with an error
	 * whose public text tells the model what to do better; or 1 if out is
	 * the report of a failure by a service: untrusted, like a result.
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
	/*
	 * MAY be NULL. What a call with these arguments, which fit the schema, does in
	 * projects; false: nothing. In the turn's thread, so it must be quick.
	 */
	bool (*operation)(const struct tool *t, const struct tool_ctx *ctx,
			  const json_t *args, struct tool_operation *out);
	const void *data;		/* the kind's own */
};

/* A tool as this turn sees it: what is sent to the model. */
struct tool_offer {
	const struct tool *tool;
	const char *description;
	const json_t *schema;		/* read-only, shared between threads */
	int timeout_ms;			/* longest that a call may take */
};

/* The tools offered in this turn, sorted by name (E12). In the arena. */
struct tool_set {
	const struct tool_offer *v;
	size_t n;
};

/*
 * Everything that context type, workspace, agent and the caller's permissions
 * (AI.Chat.UseTool.{name}, A25) leave. ctx->arena owns the set. A tool that
 * cannot be described at the moment (its database is down) is left out and
 * logged; the turn continues without it.
 */
int tool_set_build(const struct tool_ctx *ctx, struct tool_set *out,
		   struct err *e) MUST_CHECK;

/*
 * Whether a turn of the caller with the agent, in which the user asks for the web
 * (C30), would have a tool for it, also within an agent.
 */
bool tool_web_offered(const struct caller *by, const struct workspace *w,
		      const struct agent *a);

/*
 * Writes the Tool of docs/openapi.yaml of each that an agent of w could use for the
 * caller if it named it, by name; returns how many. by->settings, if it was read, counts
 * for `asks`.
 */
int64_t tool_choices_write(const struct caller *by, const struct workspace *w,
			   struct jw *out);

/*
 * Version of the texts of the built-in tools (name, description, schema), which usage
 * records show with the hash of what was sent (A31). Raise it when the texts change.
 */
enum { TOOL_TEXTS_VERSION = 1 };

/* The offer of this name, or NULL. */
const struct tool_offer *tool_set_find(const struct tool_set *set,
				       struct str name);

/* The display name of the tool of this name; empty if there is none. */
struct str tool_set_title(const struct tool_set *set, struct str name);

/* Bytes of result that the model may get from t. */
size_t tool_result_cap(const struct tool *t, const struct tool_ctx *ctx);

struct tool_result {
	struct str text;	/* what the model sees; valid UTF-8, capped;
				   in ctx->arena */
	bool is_json, is_error, truncated;
	bool foreign;		/* the tool's words, not ours about it */
	bool ran;		/* the tool itself was reached */
	bool kept;		/* read_result has all of it */
	int64_t duration_ms;
	size_t full_bytes;	/* before the cap */
};

/*
 * Runs one call: known and offered → permission → arguments parse and fit the
 * schema → run under its timeout → cap. Never fails: failures become error
 * results that the model can act on (B17). args is the model's JSON text.
 * Thread: any; calls of one turn may run in parallel with their own ctx->arena.
 */
void tool_call(const struct tool_set *set, const struct tool_ctx *ctx,
	       struct str name, struct str args, struct tool_result *out);

/*
 * The checks before a run: known and offered → permission → arguments parse and
 * match the schema. *args is kept by ctx->arena. For callers that must know before
 * a call is run or approved; tool_call checks again.
 */
int tool_prepare(const struct tool_set *set, const struct tool_ctx *ctx,
		 struct str name, struct str args,
		 const struct tool_offer **o, json_t **out,
		 struct err *e) MUST_CHECK;

/* -- the user's page (page.c) -------------------------------------------------- */

/*
 * Checks the description of the page in a request, {mode, tools: [name or {name,
 * description, parameters}]} (NULL: none). *out is the list of tools that the
 * turn gets from it, borrowed; NULL if there are none, or mode is "panel"
 * (E17). ERR_INVALID_FIELD and ERR_TOO_BIG with field "client"; "tools" for a
 * program, which has its own tools only.
 */
int tool_page_read(const json_t *client, json_t **out,
		   struct err *e) MUST_CHECK;

/* Whether mode is "program": see page.c. */
bool tool_page_is_program(const json_t *client);

/*
 * Puts such a list, as the member tools of what is stored of a client (NULL: none;
 * program: whether it is one), into ctx: the names that the page accepts and, if
 * the workspace allows it, the tools that the client declares. Those change what the
 * user sees, so they count as `write`. ctx->turn's caller and workspace must be
 * set. In a; a list in another form is ignored.
 */
void tool_page_load(const json_t *client, struct arena *a, struct tool_ctx *ctx);

/* -- policy (gate.c): whether the user is asked first (D57) ------------------- */

struct tool_question {
	const char *reason;	/* "policy", "tainted", "intent" */
	bool may_remember;	/* "always allow in this conversation" */
};

/*
 * Whether the user must approve a call of t with these arguments: the strictest of the
 * tool's, the workspace's and the tenant's policy, and for changes in projects the mode,
 * unless they have allowed this tool for the conversation, which a policy of `always`
 * overrides. The only place that decides; it is asked before a call is stored and again
 * before it runs. A tool_call that needs it and has no ctx->approved gives
 * ERR_TOOL_NOT_APPROVED. q may be NULL.
 */
bool tool_asks(const struct tool *t, const struct tool_ctx *ctx, const json_t *args,
	       struct tool_question *q);

/*
 * The mode of a call with these arguments (NULL: none are known): what the model declares,
 * as far as the user's words go; TOOL_MODE_NONE for tools that change nothing in projects.
 */
enum tool_mode tool_mode_of(const struct tool *t, const struct tool_ctx *ctx,
			    const json_t *args);

/* The argument by which a model declares the mode of a call; tools do not get it. */
#define TOOL_MODE_KEY "mode"

/* "clarify", "inform", "act". */
const char *tool_mode_name(enum tool_mode m);

/* Whether calls of t declare their mode: a change in projects, but no deletion, which is
   always asked about. */
bool tool_declares(const struct tool *t);

/*
 * What a call would send, as text for a person, after the same checks. Returns -1
 * with a public text if the call would be refused, or if the tool cannot show it.
 */
int tool_dry_run(const struct tool_set *set, const struct tool_ctx *ctx,
		 struct str name, struct str args, struct buf *out,
		 struct err *e) MUST_CHECK;

/* An error result for a call that is not run, as the model gets it. */
void tool_refuse(struct arena *a, enum err_code code, const char *text,
		 struct tool_result *out);

/*
 * A result from outside (the page, the user): JSON text as JSON, other text as
 * text, within the cap of t (NULL: the configured one).
 */
void tool_accept(const struct tool *t, const struct tool_ctx *ctx,
		 struct str text, struct tool_result *out);

/*
 * Checks the tools and datasets of a configuration as far as possible without
 * I/O: declared tools are complete and their schemas within the subset of
 * schema.h, tools that agents name exist, row filters and SQL fragments of
 * datasets are well-formed. ERR_CONFIG with "FILE:LINE: ". A conf_check for
 * conf_live_open.
 */
int tool_check_conf(const struct conf *conf, struct err *e) MUST_CHECK;

/*
 * Appends one line per tool that a role permits and that neither the files nor the
 * program have. For `lamplighter check`.
 */
void tool_check_grants(const struct conf *conf, struct buf *out);

/* "read", "write", "destructive"; the last also for any other value. */
const char *tool_effect_name(int64_t effect);

/* For `list tools`: a line each. */
void tool_print_list(struct buf *out);

/* The same of those that the context type gives in workspaces with projects. */
void tool_print_given(struct buf *out, enum tool_pool pool);

/*
 * For each context type: how many tools it gives there, and has by its groups (C24), and
 * the tokens of their texts, estimated as C25 says.
 */
void tool_print_sums(struct buf *out);

#endif
