/* SPDX-License-Identifier: MIT */
/*
 * The configuration: YAML files read into one immutable tree of typed structs.
 *
 * The main file, workspaces.d/, prompts.d/ and catalogue.d/ are read as one generation. A
 * generation that has any error is refused whole, with file, line, column and
 * (for an unknown key) the nearest known one; the generation before stays in
 * use. `struct conf` never changes after it was published, so a request keeps
 * the generation that it got from conf_get until conf_put.
 *
 * Options are rows of lib/conf/option.def; loader, range check, `config print`,
 * `list options` and docs/configuration.md come from them.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/spawn.h"
#include "conf/agent.h"
#include "conf/list.h"
#include "conf/service.h"

/* Whether the same texts are in both, in the same order. */
bool conf_list_eq(const struct conf_list *a, const struct conf_list *b);

enum conf_db_hosts { DB_HOSTS_ORDER, DB_HOSTS_SPREAD };

struct conf_db {		/* `database:` and each entry of `databases:` */
	const char *id;		/* key in `databases:`, "app" for ours */
	const char *socket;	/* "" = TCP, or the client library's default
				   socket when host is "" too */
	const char *host;
	struct conf_list hosts;	/* "host" or "host:port"; n == 0: the one above */
	int hosts_order;	/* enum conf_db_hosts */
	int port;
	const char *name, *user;
	const char *password;	/* secret */
	const char *tls_ca;	/* PEM file; "" = no TLS */
	int pool;		/* connections at most, per process */
};

enum file_store { FILE_STORE_DATABASE, FILE_STORE_DIRECTORY };

enum conf_identity_kind {
	IDENTITY_API_TOKEN, IDENTITY_REMOTE_USER, IDENTITY_TRUSTED_HEADER,
	IDENTITY_ANONYMOUS, IDENTITY_JWT, IDENTITY_SESSION_SQL,
};

struct conf_identity {		/* one link of identity.chain */
	enum conf_identity_kind kind;
	const char *groups_param, *proof_param;		/* remote_user */
	const char *user_header, *groups_header;	/* trusted_header */
	const char *secret_header, *secret;		/* secret */
	struct conf_list from;				/* addresses */
	const char *user, *name;			/* anonymous */
	struct conf_list groups;			/* anonymous */
	struct conf_list hosts;				/* anonymous */
};

/* Whether logins that differ only in case are one user. */
enum conf_login_case { LOGIN_CASE_KEEP, LOGIN_CASE_LOWER };

struct conf_group {		/* besides the groups that a link finds */
	const char *group;
	struct conf_list members;	/* logins, as login_case makes them */
};

struct conf_role {
	const char *id;
	struct conf_list groups;	/* who has it; "*" = everyone */
	struct conf_list permissions;	/* "*" at the end matches the rest */
};

/* openai.services.*: what programs may use, besides agents (domain/offer.h). */
struct conf_offer {
	const char *id;			/* of an LLM service, in a file or a row */
	struct conf_list groups;	/* whose members may; "*" = everyone */
};

/*
 * The name of the first capability in wanted that is missing in has; NULL: none is.
 * What an LLM service is bound to is checked with llm_check_can (llm/llm.h), which
 * uses this; lib/conf itself cannot.
 */
const char *conf_lacks(unsigned has, unsigned wanted);

/* Where a service is chosen by rules (domain/auto.h). */
enum { AUTO_NEEDS_TOOLS = 1, AUTO_NEEDS_VISION = 2 };
enum auto_task {
	AUTO_CHAT = 1, AUTO_TITLE = 2, AUTO_COMPLETE = 4,
	AUTO_AGENT = 8,		/* called as a tool */
};

struct conf_auto {		/* absent conditions are met */
	const char *service;	/* id */
	unsigned needs;		/* AUTO_NEEDS_* */
	int min_tokens;
	struct conf_list groups;	/* any of them */
	unsigned tasks;		/* enum auto_task, any of them */
	const char *from, *until;	/* "HH:MM", local time; both or "" */
};

struct conf_team {		/* the prompt layer of a group */
	const char *group;
	int version;
	const char *text;
};

/* Of what is in a state. */
enum conf_counts {
	COUNTS_DEFAULT,		/* as it is built in; else open */
	COUNTS_OPEN,
	COUNTS_CLOSED,		/* nothing is left to do */
	COUNTS_DONE,		/* the same, and it was done */
};

struct conf_choice {		/* a value that people choose */
	const char *value, *label;	/* label: "" = the words of the value */
	enum conf_counts counts;	/* of a state */
};

/*
 * A typed value: what a page tells about what its user sees (prompt/module.h), or a
 * member of props (resource/props.h). param.h checks it.
 */
enum conf_param_type {
	PARAM_TEXT, PARAM_LIST,	/* of anybody: sent to models as data only */
	PARAM_CHOICE, PARAM_INTEGER, PARAM_NUMBER, PARAM_DATE, PARAM_ID, PARAM_BOOLEAN,
};

struct conf_param {
	const char *name, *label, *description, *example;
	enum conf_param_type type;
	bool required;
	int max_chars;		/* of a text, or of those of a list together */
	double min, max;	/* of a number */
	const struct conf_choice *choices;
	size_t n_choices;
};

struct conf_entity {		/* an entry of `entities:` */
	const char *kind;
	const struct conf_choice *types, *states;	/* beside the built-in ones */
	const struct conf_param *props;
	size_t n_types, n_states, n_props;
};

struct conf_module {		/* an entry of `modules:` */
	const char *id;
	int version;
	const char *prompt;
	struct conf_list groups;	/* who has it; n == 0 = everyone */
	const struct conf_param *params;
	size_t n_params;
};

enum conf_col_type {
	COL_TEXT, COL_INTEGER, COL_DECIMAL, COL_DATE, COL_DATETIME, COL_BOOLEAN,
	COL_JSON,
	COL_AUTO,	/* absent: as in the table, else text */
};

struct conf_column {
	const char *name;	/* what the model sees */
	const char *expr;	/* SQL written by the admin; "" = the name */
	const char *description;
	enum conf_col_type type;
	struct conf_list values;	/* known values, for the model */
	struct conf_list groups;	/* who may see it; n == 0 = everyone */
	bool filter, sort, group;	/* may be used so; default true */
};

enum conf_mention_match {
	MENTION_START,	/* texts that begin with what was typed */
	MENTION_WORDS,	/* texts with each of the words somewhere */
};

/* How rows of a dataset are mentioned with @ (tool/mention/mention.h). */
struct conf_mention {
	const char *label;		/* column: the name of a row */
	const char *description;	/* column: description that tells it
					 * apart; "" */
	struct conf_list key;		/* columns; n == 0: the dataset's key */
	const char *link;	/* to a row's own page, {column} within; "" */
	enum conf_mention_match match;
};

struct conf_dataset {
	const char *name, *description;
	const char *database;	/* id in `databases:`; "app" = ours */
	const char *table;	/* "" when `from` is given */
	const char *from;	/* FROM clause by the admin; "" when `table` */
	const char *where;	/* row filter with :user :user_id :tenant :groups */
	int max_rows, timeout_ms;
	int max_scan_rows;	/* by the server's estimate; 0 = any */
	struct conf_list groups;	/* who may query it; n == 0 = everyone */
	struct conf_list key;	/* columns that tell rows apart; n == 0: not known */
	const struct conf_mention *mention;	/* NULL: not with @ */
	const struct conf_column *columns;	/* n_columns == 0: introspected */
	size_t n_columns;
	const char *file;
	int line;
};

enum robots_mode { ROBOTS_OBEY, ROBOTS_IGNORE };

/* Where documents of a knowledge base come from (intake/intake.h). */
struct conf_intake {
	const char *name;
	const char *base;	/* name of a base of the tenant, or an id */
	const char *language;	/* of the base, where it is made */
	const char *directory;	/* "": it is another kind */
	const char *database;	/* id in `databases:`; "app" = ours */
	const char *select;	/* by the admin; "" … */
	struct conf_list urls;	/* n == 0 … */
	const char *sitemap;	/* "" … */
	struct conf_list allow_private;	/* this and what follows: of sites */
	struct conf_list headers;	/* "Name: value"; secret */
	enum robots_mode robots;
	int max_pages, page_bytes, run_mb, delay_ms, timeout_ms;
	struct conf_list groups;	/* of its documents; n == 0: none */
	int every;		/* minutes; 0 = by the command only */
	const char *file;
	int line;
};

enum tool_effect { TOOL_READ, TOOL_WRITE, TOOL_DESTRUCTIVE };

enum { CONF_EFFECT_BY_KIND = TOOL_DESTRUCTIVE + 1 };	/* while loading only */

/* When the user is asked before a call runs. */
enum tool_confirm {
	TOOL_CONFIRM_NEVER,
	TOOL_CONFIRM_TAINTED,	/* while others' text is in the context */
	TOOL_CONFIRM_ALWAYS,
	TOOL_CONFIRM_BY_EFFECT,	/* while loading only */
};

/* Whether "always allow in this conversation" may be chosen. */
enum tool_remember {
	TOOL_REMEMBER_BY_POLICY,	/* write tools that ask when tainted */
	TOOL_REMEMBER_YES, TOOL_REMEMBER_NO,
};

enum conf_output { OUTPUT_AUTO, OUTPUT_JSON, OUTPUT_TEXT };

/* A short-lived token that says who asks, for services of the intranet. */
struct conf_user_token {
	const char *audience, *issuer;
	enum conf_token_alg { TOKEN_HS256, TOKEN_EDDSA } algorithm;
	const char *key;		/* secret */
	const char *key_id;		/* "" = none */
	int ttl_s;
};

/*
 * An entry of `tools:`, in the main file or in a workspace. The options of its
 * kind are in a map with the name of the kind.
 */
struct conf_tool {
	const char *name, *kind, *description;
	const char *group;		/* for `group:NAME`; "" = none */
	enum tool_effect effect;
	enum tool_confirm confirm;
	enum tool_remember remember;
	bool editable;			/* by the user, before they approve */
	bool untrusted;			/* results are others' text */
	int timeout_ms;			/* 0 = the kind's */
	int result_bytes;		/* 0 = limits.tool_result_bytes */
	struct conf_list groups;	/* who has it; n == 0 = everyone */
	json_t *parameters;		/* JSON Schema; NULL = no arguments */
	/* Of kinds, tool/FAMILY/option.h; NULL = not there. */
#define KIND(name, sec, type, help) const type *name;
#include "conf/kind.def"
	const char *file;
	int line;
};

/* Tools that need no declaration; bits of conf.ready_tools. */
enum conf_ready { READY_SUMMARIZE, READY_TRANSLATE, READY_TOOLS };

/* What an admin says about single tools of an MCP server. */
struct conf_mcp_tool {
	const char *name;		/* as the server has it, or a glob */
	enum tool_effect effect;	/* CONF_EFFECT_SERVER: the server's */
	enum tool_confirm confirm;	/* BY_EFFECT: depends on effect */
	bool idempotent;		/* a second call does no more harm */
	int timeout_ms;			/* 0 = the server's */
};

enum { CONF_EFFECT_SERVER = TOOL_DESTRUCTIVE + 1 };

enum conf_pin { PIN_ACCEPT, PIN_FIRST_USE };

struct conf_mcp {		/* an entry of `mcp_servers:` */
	const char *id;
	const char *url;		/* "" when command is given */
	struct conf_list command;	/* program's path and arguments */
	const char *dir;
	struct conf_list env;		/* "NAME=value"; secret */
	struct conf_list headers;	/* "Name: value"; secret */
	const struct conf_user_token *token;	/* user token; NULL = none */
	const char *token_header;
	struct conf_list allow_private;	/* net/guard.h */
	struct conf_list allow;		/* globs of the server's tool names */
	enum conf_pin pin;
	enum tool_effect effect;	/* where `tools` says nothing */
	enum tool_confirm confirm;
	bool trust_hints;		/* readOnlyHint makes a tool read, … */
	int timeout_ms, result_bytes, idle_s;
	struct spawn_limits limits;	/* of the command */
	struct conf_list groups;	/* who has its tools; n == 0 = everyone */
	const struct conf_mcp_tool *tools;
	size_t n_tools;
	const char *file;
	int line;
};

/* An entry of `actions:`: a link that the agent may suggest (A40). */
struct conf_action {
	const char *name, *label, *description;
	const char *type;	/* in the page's words: "link", "connect", … */
	const char *url;	/* with {placeholders} behind its host */
	struct conf_list groups;	/* who gets it; n == 0 = everyone */
	bool offered;		/* an empty conversation shows it */
	const char *file;
	int line;
};

/* Whose tools of the page a turn takes (E16). */
enum conf_client_tools {
	CLIENT_TOOLS_DECLARED,	/* those that YAML declares (kind client) */
	CLIENT_TOOLS_ALLOW,	/* and those that the page brings along */
};

/*
 * A workspace, as files and rows have it: the members are described in
 * resource/resource.def, and in option.def those that only files have. Flags in `set` are as
 * in conf/agent.h.
 */
struct workspace {
	const char *id;		/* first, for str_nearest */
	enum domain_source source;
	uint64_t version;
	const struct resource_row *row;	/* NULL: from a file, or a placeholder */
	const char *name, *description;
	const char *llm_service;	/* id; unset: the chat: block's */
	const struct conf_auto *autos;	/* the rules, if it is "auto" */
	size_t n_autos;
	struct prompt prompt;		/* unset: the layer is absent */
	struct conf_list visible_to;	/* groups; none or "*" = everyone */
	struct conf_list manager_users, manager_groups;	/* of a row only */
	int max_tool_iterations;
	int history_messages, history_tokens;
	int max_parallel_tools;
	bool title_by_model;
	bool personal_memory;		/* what is remembered of users may be used here */
	enum tool_confirm confirm;	/* minimum for tools that change data */
	struct conf_list suggestions;
	/*
	 * Of a file: all agents, one of them the default. Of a row: the default
	 * agent; stored.h finds the others.
	 */
	const struct agent *agents;
	size_t n_agents;
	const struct conf_dataset *datasets;
	size_t n_datasets;
	const struct conf_action *actions;
	size_t n_actions;
	enum conf_client_tools client_tools;
	struct conf_list allow_tools;	/* same form as an agent's tools; unset:
					   all */
	bool projects;			/* with the tools of the context type */
	/* In addition to those of the main file */
	const struct conf_tool *tools;
	size_t n_tools;
	const char *file;		/* where it is declared, for messages */
	struct {
		bool llm_service, prompt, allow_tools;
	} set;
};

/* What higher modules make of a configuration, once (conf_derived). */
enum conf_derived {
	CONF_DERIVED_CATALOG,	/* domain/catalog.h */
	CONF_DERIVED_TOOLS,	/* tool/core/registry.c */
	CONF_DERIVED__MAX
};

enum conf_byok { BYOK_OFF, BYOK_PLATFORM_ONLY, BYOK_ALLOW_USER };

struct conf {
	struct arena arena;	/* owns everything below */
	int refs;		/* atomic; only for conf.c */
	uint64_t generation;	/* 1, 2, … */
	uint64_t hash;		/* of everything that was read */
	const char *file;	/* the main file, as given */
	struct conf_list open_secrets;	/* files that contain a secret themselves */
	const char *workspaces_dir, *prompts_dir, *catalogue_dir; /* as written */
	const char *templates_dir;
	struct conf_list files;	/* and directories: all that was read,
				   secrets' files too */

	unsigned ready_tools;	/* 1 << enum conf_ready */
	struct conf_list web_words;	/* of a message that asks for the web */
	struct conf_list calendar_words;	/* and for the calendar */
	struct conf_db db;
	const struct conf_db *databases;	/* without ours */
	size_t n_databases;
	struct {
		int max, max_turns, idle_s, stack_kb, grace_s;
	} threads;
	struct {
		int level;	/* enum log_level */
		int target;	/* enum log_target */
	} log;
	bool core_dumps;
	struct {
		int body_bytes, message_chars, answer_bytes;
		int notification_streams;
		int user_share, unsent_bytes, arriving_bytes, stored_mb;
		int user_jobs;
		int body_s, body_rate_bytes;
		int tool_result_bytes, approval_s;
	} limits;
	int client_keep_days;	/* conversations of programs; 0: for ever */
	int client_left_s;	/* a turn runs on whose client left */
	struct {
		int file_bytes, user_mb, message_files, turn_tokens;
	} attach;
	struct {
		bool tesseract;
		int pages;
		const char *languages, *llm_service;	/* "" = none */
	} scans;
	int file_store;		/* enum file_store: where new files go */
	const char *file_dir;	/* "" = none */
	struct {
		int base_mb, private_mb, cache_mb, question_ms;
		const char *embedding_service;	/* "" = none */
		const struct conf_intake *sources;
		size_t n_sources;
	} knowledge;
	enum tool_confirm confirm;	/* as a workspace's */
	struct {
		const char *base;	/* "" = as the web server says */
		const char *origin;	/* "" = compare with Host */
		struct conf_list cors;	/* origins of pages elsewhere */
		int workers;		/* of the web server; 0: its stock number */
		int notification_percent, answer_percent;	/* of them */
	} server;
	const char *tenant;
	int login_case;		/* enum conf_login_case */
	const struct conf_identity *chain;
	size_t n_chain;
	const struct conf_group *groups;
	size_t n_groups;
	const struct conf_role *roles;
	size_t n_roles;
	const struct conf_offer *offers;
	size_t n_offers;
	const struct llm_service *llms;
	size_t n_llms;
	const char *chat_llm_service;	/* "" = no chat: block */
	const struct conf_auto *autos;	/* rules for "auto" */
	size_t n_autos;
	const char *chat_system_prompt;
	int chat_version;		/* of chat_system_prompt */
	const char *currency;		/* of prices; "" = not said */
	json_t *settings;		/* object by key, checked by lib/domain
					   (setting_check_conf); NULL: none */
	struct {
		enum conf_byok mode;
		struct conf_list allow_private;	/* of users' addresses */
		bool anonymous;
	} byok;
	struct {		/* prompts and services of users that do not taint */
		struct conf_list users, groups, services, hashes;
	} trusted;
	struct conf_list api_services_private;
	const char *secret_key;		/* secret/secret.h; "" = none */
	struct prompt platform;
	const struct conf_team *teams;		/* prompts.teams */
	size_t n_teams;
	const struct conf_module *modules;
	size_t n_modules;
	const struct conf_entity *entities;
	size_t n_entities;
	const struct prompt *prompts;	/* prompts.d */
	size_t n_prompts;
	const struct catalogue_prompt *catalogue;	/* catalogue.d */
	size_t n_catalogue;
	const struct agent_template *templates;	/* agent-templates.d */
	size_t n_templates;
	const struct conf_tool *tools;		/* of every workspace */
	size_t n_tools;
	const struct conf_mcp *mcp_servers;
	size_t n_mcp_servers;
	struct conf_list allow_private;	/* net/guard.h: tools with URLs of the admin */
	const struct workspace *workspaces;
	size_t n_workspaces;
	const void *derived[CONF_DERIVED__MAX];	/* conf_derived */
};

/*
 * Reads main_file and the directories that it names. Returns a configuration
 * with one reference, or NULL with ERR_CONFIG whose text starts with
 * "FILE:LINE:COLUMN: " and ends with the number of further errors, if any.
 * Reads the environment; any thread.
 */
struct conf *conf_load(const char *main_file, struct err *e) MUST_CHECK;

/*
 * As conf_load, and appends every error that was found to report, one per line,
 * in the order of the files. For `lamplighter check`.
 */
struct conf *conf_load_report(const char *main_file, struct buf *report,
			      struct err *e) MUST_CHECK;

/* One more reference; one less (frees at zero; NULL is fine). Any thread. */
const struct conf *conf_ref(const struct conf *c);
void conf_put(const struct conf *c);

/*
 * What make has made of c in c's arena, at the first call; it lives as long as c. make must
 * not call this. Any thread.
 */
const void *conf_derived(const struct conf *c, enum conf_derived what,
		      const void *(*make)(const struct conf *c, struct arena *a));

/*
 * The live configuration of a process: loads, and on conf_live_get looks at
 * the files again (by mtime, size and inode, at most once a second, by one
 * thread at a time). A changed generation replaces the old one only if it is
 * valid; else the old one stays and the error is logged once per change.
 */
struct conf_live;

/* A check that only higher modules can make. ERR_CONFIG, "FILE:LINE: …". */
typedef int conf_check(const struct conf *c, struct err *e);

/* check (may be NULL) is the last check of every generation. */
struct conf_live *conf_live_open(const char *main_file, conf_check *check,
				 struct err *e) MUST_CHECK;
const struct conf *conf_live_get(struct conf_live *l);	/* give back: conf_put */
void conf_live_close(struct conf_live *l);

/* Looks at the files now, without waiting for the second (tests). */
void conf_live_look(struct conf_live *l);

/*
 * Whether the files on disk are the generation in use. False: e has the reason
 * (ERR_CONFIG). For /ready. Any thread.
 */
bool conf_live_ok(struct conf_live *l, struct err *e);

/*
 * Prints c as YAML with every option and secrets masked ("***"), one document
 * per file, for `config print`. What is not a secret reads back the same.
 */
void conf_print(const struct conf *c, struct buf *out);

/*
 * The options: one tab-separated line each (path, type, default, range, unit,
 * flags, help) for `list options`, or as the body of docs/configuration.md or
 * of lamplighter.yaml(5). A test compares those with this output.
 */
enum conf_doc { CONF_DOC_TEXT, CONF_DOC_MARKDOWN, CONF_DOC_MAN };
void conf_print_options(struct buf *out, enum conf_doc form);

/* Look-ups; NULL when absent. Borrowed from c. Others: domain/catalog.h. */
const struct llm_service *conf_llm(const struct conf *c, struct str id);
const struct conf_mcp *conf_mcp(const struct conf *c, struct str id);
const struct conf_intake *conf_source(const struct conf *c, struct str name);
const struct conf_db *conf_database(const struct conf *c, struct str id);

/*
 * The line of a file where the value of path stands ("tools.x.http.url",
 * "tools.x.parameters.required[1]"), or of as much of path as is there; 0 when
 * the file cannot be read. Reads it again: for messages. Any thread.
 */
int conf_line(const char *file, const char *path);

/* Whether the list has s. */
bool conf_list_has(const struct conf_list *l, struct str s);

/* What is said of a kind of what is in projects; never NULL. c may be NULL. */
const struct conf_entity *conf_entity(const struct conf *c, const char *kind);

#endif
