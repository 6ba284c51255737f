/* SPDX-License-Identifier: MIT */
#include "conf/option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "conf/field.h"
#include "conf/rules.h"
#include "tool/agent/option.h"
#include "tool/command/option.h"
#include "tool/http/option.h"
#include "tool/web/option.h"

#include "base/banned.h"

#define NUMBER(x) STRINGIFY(x)

static const struct opt_name log_levels[] = {
	{ "error", LOG_LVL_ERROR }, { "warn", LOG_LVL_WARN },
	{ "info", LOG_LVL_INFO }, { "debug", LOG_LVL_DEBUG }, { NULL, 0 },
};

static const struct opt_name log_targets[] = {
	{ "stderr", LOG_TO_STDERR }, { "syslog", LOG_TO_SYSLOG }, { NULL, 0 },
};

static const struct opt_name robots_modes[] = {
	{ "obey", ROBOTS_OBEY }, { "ignore", ROBOTS_IGNORE }, { NULL, 0 },
};

static const struct opt_name file_stores[] = {
	{ "database", FILE_STORE_DATABASE },
	{ "directory", FILE_STORE_DIRECTORY }, { NULL, 0 },
};

static const struct opt_name identity_kinds[] = {
	{ "api_token", IDENTITY_API_TOKEN },
	{ "remote_user", IDENTITY_REMOTE_USER },
	{ "trusted_header", IDENTITY_TRUSTED_HEADER },
	{ "anonymous", IDENTITY_ANONYMOUS },
	{ "jwt", IDENTITY_JWT },
	{ "session_sql", IDENTITY_SESSION_SQL },
	{ NULL, 0 },
};

static const struct opt_name login_cases[] = {
	{ "keep", LOGIN_CASE_KEEP }, { "lower", LOGIN_CASE_LOWER }, { NULL, 0 },
};

static const struct opt_name capability_names[] = {
	{ "chat", LLM_CAN_CHAT }, { "tools", LLM_CAN_TOOLS },
	{ "vision", LLM_CAN_VISION }, { "embed", LLM_CAN_EMBED },
	{ "rerank", LLM_CAN_RERANK }, { "summarize", LLM_CAN_SUMMARIZE },
	{ "transcribe", LLM_CAN_TRANSCRIBE },
	{ NULL, 0 },
};

const char *conf_lacks(unsigned has, unsigned wanted)
{
	for (const struct opt_name *v = capability_names; v->name; v++)
		if (v->value & wanted & ~has)
			return v->name;
	return NULL;
}

static const struct opt_name auto_needs[] = {
	{ "tools", AUTO_NEEDS_TOOLS }, { "vision", AUTO_NEEDS_VISION },
	{ NULL, 0 },
};

static const struct opt_name auto_tasks[] = {
	{ "chat", AUTO_CHAT }, { "title", AUTO_TITLE },
	{ "complete", AUTO_COMPLETE }, { "agent", AUTO_AGENT }, { NULL, 0 },
};

static const struct opt_name column_types[] = {
	{ "auto", COL_AUTO }, { "text", COL_TEXT }, { "integer", COL_INTEGER },
	{ "decimal", COL_DECIMAL }, { "date", COL_DATE },
	{ "datetime", COL_DATETIME }, { "boolean", COL_BOOLEAN },
	{ "json", COL_JSON }, { NULL, 0 },
};

static const struct opt_name tool_effects[] = {
	{ "read", TOOL_READ }, { "write", TOOL_WRITE },
	{ "destructive", TOOL_DESTRUCTIVE }, { NULL, 0 },
};

static const struct opt_name kind_effects[] = {
	{ "read", TOOL_READ }, { "write", TOOL_WRITE },
	{ "destructive", TOOL_DESTRUCTIVE },
	{ "by-kind", CONF_EFFECT_BY_KIND }, { NULL, 0 },
};

static const struct opt_name tool_confirms[] = {
	{ "never", TOOL_CONFIRM_NEVER }, { "tainted", TOOL_CONFIRM_TAINTED },
	{ "always", TOOL_CONFIRM_ALWAYS },
	{ "by-effect", TOOL_CONFIRM_BY_EFFECT }, { NULL, 0 },
};

static const struct opt_name db_hosts_orders[] = {
	{ "order", DB_HOSTS_ORDER }, { "spread", DB_HOSTS_SPREAD }, { NULL, 0 },
};

static const struct opt_name client_tools[] = {
	{ "declared", CLIENT_TOOLS_DECLARED }, { "allow", CLIENT_TOOLS_ALLOW },
	{ NULL, 0 },
};

static const struct opt_name mention_matches[] = {
	{ "start", MENTION_START }, { "words", MENTION_WORDS }, { NULL, 0 },
};

static const struct opt_name ready_tools[] = {
	{ "summarize", 1 << READY_SUMMARIZE },
	{ "translate", 1 << READY_TRANSLATE }, { NULL, 0 },
};

static const struct opt_name tool_remembers[] = {
	{ "by-policy", TOOL_REMEMBER_BY_POLICY }, { "yes", TOOL_REMEMBER_YES },
	{ "no", TOOL_REMEMBER_NO }, { NULL, 0 },
};

static const struct opt_name outputs[] = {
	{ "auto", OUTPUT_AUTO }, { "json", OUTPUT_JSON },
	{ "text", OUTPUT_TEXT }, { NULL, 0 },
};

static const struct opt_name mcp_effects[] = {
	{ "read", TOOL_READ }, { "write", TOOL_WRITE },
	{ "destructive", TOOL_DESTRUCTIVE },
	{ "server", CONF_EFFECT_SERVER }, { NULL, 0 },
};

static const struct opt_name pins[] = {
	{ "accept", PIN_ACCEPT }, { "first-use", PIN_FIRST_USE }, { NULL, 0 },
};

static const struct opt_name byok_modes[] = {
	{ "off", BYOK_OFF }, { "platform_only", BYOK_PLATFORM_ONLY },
	{ "allow_user", BYOK_ALLOW_USER }, { NULL, 0 },
};

static const struct opt_name confirm_floors[] = {
	{ "never", TOOL_CONFIRM_NEVER }, { "tainted", TOOL_CONFIRM_TAINTED },
	{ "always", TOOL_CONFIRM_ALWAYS }, { NULL, 0 },
};

static const struct opt_name token_algs[] = {
	{ "HS256", TOKEN_HS256 }, { "EdDSA", TOKEN_EDDSA }, { NULL, 0 },
};

static const struct opt_name param_types[] = {
	{ "text", PARAM_TEXT }, { "list", PARAM_LIST }, { "choice", PARAM_CHOICE },
	{ "integer", PARAM_INTEGER }, { "number", PARAM_NUMBER }, { "date", PARAM_DATE },
	{ "id", PARAM_ID }, { "boolean", PARAM_BOOLEAN }, { NULL, 0 },
};

static const struct opt_name counts_names[] = {
	{ "default", COUNTS_DEFAULT }, { "open", COUNTS_OPEN },
	{ "closed", COUNTS_CLOSED }, { "done", COUNTS_DONE }, { NULL, 0 },
};

#define NAMES(set, ...) \
	static const struct opt_name set[] = { __VA_ARGS__, { NULL, 0 } };
#include "conf/kind.def"

/* The struct of each section, for offsetof. */
#define S_MAIN      struct conf
#define S_DB        struct conf_db
#define S_IDENTITY  struct conf_identity
#define S_GROUP     struct conf_group
#define S_ROLE      struct conf_role
#define S_OFFER     struct conf_offer
#define S_LLM       struct llm_service
#define S_AUTO      struct conf_auto
#define S_PROMPT    struct prompt
#define S_TEAM      struct conf_team
#define S_MODULE    struct conf_module
#define S_PARAM     struct conf_param
#define S_CHOICE    struct conf_choice
#define S_ENTITY    struct conf_entity
#define S_STATE     struct conf_choice
#define S_INTAKE    struct conf_intake
#define S_CATALOGUE struct catalogue_prompt
#define S_TEMPLATE  struct agent_template
#define S_WORKSPACE struct workspace
#define S_AGENT     struct agent
#define S_DATASET   struct conf_dataset
#define S_MENTION   struct conf_mention
#define S_COLUMN    struct conf_column
#define S_ACTION    struct conf_action
#define S_TOOL      struct conf_tool
#define S_MCP       struct conf_mcp
#define S_MCP_TOOL  struct conf_mcp_tool
#define S_USER_TOKEN struct conf_user_token
#define SECTION(sec, type, title, help) typedef type S_##sec;
#include "conf/kind.def"

#include "resource/resource.def"

/*
 * Fields of resources that files have, too (conf/field.h), in the struct that rows fill.
 * Of their flags, files know one.
 */
#define FIELDS(sec, list) list(AS_##sec)
#define AS_LLM(...) FIELD_OF(LLM, struct llm_service, __VA_ARGS__, FIELD_NONE, 0)
#define AS_CATALOGUE(...) FIELD_OF(CATALOGUE, struct catalogue_prompt, __VA_ARGS__, FIELD_NONE, 0)
#define AS_TEMPLATE(...) FIELD_OF(TEMPLATE, struct agent, __VA_ARGS__, FIELD_NONE, 0)
#define AS_WORKSPACE(...) FIELD_OF(WORKSPACE, struct workspace, __VA_ARGS__, FIELD_NONE, 0)
#define AS_AGENT(...) FIELD_OF(AGENT, struct agent, __VA_ARGS__, FIELD_NONE, 0)
enum {
	REQUIRED = 0, NULLABLE = 0, LINE = OPT_LINE, SORT = 0, UNIQUE = 0, AUTHORED = 0,
	AUTHOR = 0, AUTHOR_ID = 0, EMPTY_NULL = 0, FIRST = 0, FOUND = 0,
};
#define RULES_TEXT     OPT_CHARS
#define RULES_SECRET   OPT_CHARS
#define RULES_MARKDOWN OPT_CHARS
#define RULES_LIST     (OPT_CHARS | OPT_LINE)
#define RULES_IDS      RULES_LIST
#define RULES_INT      0
#define RULES_REAL     0
#define RULES_BOOL     0
#define RULES_JSON     0
#define FIELD_OF(sec, s, key, column, type, mode, flags, lo, hi, help, example, how, ...) \
	how(sec, s, RULES_##type | (flags), lo, hi, help, __VA_ARGS__)
#define FIELD_NONE(...)
#define FIELD_ROW(sec, s, rules, lo, hi, item, h, k, ty, member, flag, d, u, fl, ck, says) \
	{ .in = SEC_##sec, .of = SEC_NONE, .key = k, .type = OPT_##ty, \
	  .offset = offsetof(s, member), .set = flag(s, member), .dflt = d, .min = lo, \
	  .max = hi, .item_chars = item, .unit = u, .flags = (fl) | (rules), .check = ck, \
	  .help = HELP(h, says) },
#define HELP(h, says) sizeof(says) > 1 ? says : h "."
#define FIELD_YAML(sec, s, rules, lo, hi, h, k, ty, member, d, u, fl, ck, says, ...) \
	FIELD_ROW(sec, s, rules, lo, hi, 0, h, k, ty, member, NO_FLAG, d, u, fl, ck, says)
#define FIELD_YAML_ZERO(sec, s, rules, lo, hi, h, k, ty, member, d, u, fl, ck, says, ...) \
	FIELD_ROW(sec, s, rules, 0, hi, 0, h, k, ty, member, NO_FLAG, d, u, fl, ck, says)
#define FIELD_YAML_MAY(sec, s, rules, lo, hi, h, k, ty, member, d, u, fl, ck, says, ...) \
	FIELD_ROW(sec, s, rules, 0, hi, 0, h, k, ty, member, FLAG, d, u, fl, ck, says)
#define FIELD_YAML_WIDE(sec, s, rules, lo, hi, h, k, ty, member, least, most, d, u, fl, ck, \
			says, ...) \
	FIELD_ROW(sec, s, rules, least, most, 0, h, k, ty, member, NO_FLAG, d, u, fl, ck, says)
#define FIELD_YAML_MAY_WIDE(sec, s, rules, lo, hi, h, k, ty, member, least, most, d, u, fl, \
			    ck, says, ...) \
	FIELD_ROW(sec, s, rules, least, most, 0, h, k, ty, member, FLAG, d, u, fl, ck, says)
#define FIELD_YAML_LIST(sec, s, rules, lo, hi, h, k, ty, member, least, fl, ck, says, ...) \
	FIELD_ROW(sec, s, rules, least, lo, hi, h, k, ty, member, NO_FLAG, "", "", fl, ck, says)
#define FIELD_YAML_MAY_LIST(sec, s, rules, lo, hi, h, k, ty, member, least, fl, ck, says, ...) \
	FIELD_ROW(sec, s, rules, least, lo, hi, h, k, ty, member, FLAG, "", "", fl, ck, says)
#define FIELD_YAML_NAMES(sec, s, rules, lo, hi, h, k, ty, member, d, set_, fl, says, ...) \
	PICK(sec, k, ty, member, d, set_, fl, HELP(h, says))
#define FLAG(s, member) offsetof(s, set.member)
#define NO_FLAG(s, member) 0

/* A template begins with what its agents have. */
_Static_assert(!offsetof(struct agent_template, agent), "AS_TEMPLATE");

const struct conf_option conf_options[] = {
#define OPT(sec, k, ty, member, d, lo, hi, u, fl, ck, h) \
	{ .in = SEC_##sec, .of = SEC_NONE, .key = k, .type = OPT_##ty, \
	  .offset = offsetof(S_##sec, member), .dflt = d, .min = lo, \
	  .max = hi, .unit = u, .flags = fl, .check = ck, .help = h },
#define SUB(sec, k, ty, member, count, sub, fl, h) \
	{ .in = SEC_##sec, .of = SEC_##sub, .key = k, .type = OPT_##ty, \
	  .offset = offsetof(S_##sec, member), \
	  .count_offset = offsetof(S_##sec, count), .unit = "", \
	  .flags = fl, .help = h },
#define PICK(sec, k, ty, member, d, set, fl, h) \
	{ .in = SEC_##sec, .of = SEC_NONE, .key = k, .type = OPT_##ty, \
	  .offset = offsetof(S_##sec, member), .dflt = d, .names = set, \
	  .unit = "", .flags = fl, .help = h },
#define KIND(name, sec, type, h) \
	SUB(TOOL, #name, POINTER, name, name, sec, 0, h)
#define none NULL
#include "conf/option.def"
#include "conf/kind.def"
#undef none
};

const size_t conf_option_count = ARRAY_LEN(conf_options);

#define AT(type, member) ((int)offsetof(type, member))

const struct opt_section_row opt_sections[SEC__MAX] = {
	[SEC_MAIN] = {
		.name = "main file", .size = sizeof(struct conf),
		.help = "The main file, lamplighter.yaml.",
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_DB] = {
		.name = "database, databases.*", .size = sizeof(struct conf_db),
		.help = "How to reach a MariaDB server: Lamplighter's own "
			"database, and the entries of databases.",
		.id_offset = AT(struct conf_db, id),
		.file_offset = -1, .line_offset = -1, .id_check = check_slug,
	},
	[SEC_IDENTITY] = {
		.name = "identity.chain[]",
		.help = "One way to identify the caller. If a credential is "
			"present but wrong, the request is refused; the next "
			"way is not tried.",
		.size = sizeof(struct conf_identity),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_GROUP] = {
		.name = "groups.*", .size = sizeof(struct conf_group),
		.help = "Members of a group, in addition to those that the web "
			"server puts into it (docs/identity.md). The "
			"key is the group's name; a list in place of the map is "
			"its members.",
		.id_offset = AT(struct conf_group, group),
		.file_offset = -1, .line_offset = -1, .id_check = check_group,
		.short_key = "members",
	},
	[SEC_ROLE] = {
		.name = "roles.*", .size = sizeof(struct conf_role),
		.help = "What the members of groups may do "
			"(lamplighter list permissions).",
		.id_offset = AT(struct conf_role, id),
		.file_offset = -1, .line_offset = -1, .id_check = check_slug,
	},
	[SEC_OFFER] = {
		.name = "openai.services.*", .size = sizeof(struct conf_offer),
		.help = "An LLM service that programs may use (docs/openai-server.md). "
			"A list in place of the map is its groups.",
		.id_offset = AT(struct conf_offer, id),
		.file_offset = -1, .line_offset = -1, .id_check = check_slug,
		.short_key = "groups",
	},
	[SEC_LLM] = {
		.name = "llm_services.*", .size = sizeof(struct llm_service),
		.help = "A model of a provider, and how to talk to it.",
		.id_offset = AT(struct llm_service, id),
		.file_offset = AT(struct llm_service, file),
		.line_offset = AT(struct llm_service, line),
		.id_check = check_slug,
	},
	[SEC_AUTO] = {
		.name = "chat.auto[], auto[] of a workspace",
		.help = "A rule that chooses the service where llm_service is "
			"auto (docs/providers.md). The first rule whose "
			"conditions are all met decides.",
		.size = sizeof(struct conf_auto),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_PROMPT] = {
		.name = "prompts.platform, prompt of a workspace, "
			"files in prompts_dir",
		.help = "A prompt with a name and a version. The files in "
			"prompts_dir are what /complete can name.",
		.size = sizeof(struct prompt),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_TEAM] = {
		.name = "prompts.teams.*",
		.help = "The prompt layer of the members of a group, whose "
			"name is the key (docs/prompt-builder.md).",
		.size = sizeof(struct conf_team),
		.id_offset = AT(struct conf_team, group),
		.file_offset = -1, .line_offset = -1,
	},
	[SEC_MODULE] = {
		.name = "modules.*",
		.help = "A part of the host page that a request can name, with "
			"parameters, as what its user looks at "
			"(docs/prompt-builder.md).",
		.size = sizeof(struct conf_module),
		.id_offset = AT(struct conf_module, id),
		.file_offset = -1, .line_offset = -1, .id_check = check_slug,
	},
	[SEC_PARAM] = {
		.name = "modules.*.parameters.*, entities.*.props.*",
		.help = "A parameter of a module, or a field of what is in projects. Of "
			"a module, only texts and lists can hold what people wrote; the "
			"model is sent them as untrusted data.",
		.size = sizeof(struct conf_param),
		.id_offset = AT(struct conf_param, name),
		.file_offset = -1, .line_offset = -1, .id_check = check_ident,
	},
	[SEC_CHOICE] = {
		.name = "choices.* of such a value, entities.*.types.*",
		.help = "A value that can be chosen, by itself. A text in place of the "
			"map is its label; a list in place of all of them has values "
			"without labels.",
		.size = sizeof(struct conf_choice),
		.id_offset = AT(struct conf_choice, value),
		.file_offset = -1, .line_offset = -1, .id_check = check_choice,
		.short_key = "label", .listed = true,
	},
	[SEC_ENTITY] = {
		.name = "entities.*",
		.help = "Further fields and values of a kind of what is in projects "
			"(docs/projects.md): project, document, task, goal, plan, "
			"milestone, risk or requirement.",
		.size = sizeof(struct conf_entity),
		.id_offset = AT(struct conf_entity, kind),
		.file_offset = -1, .line_offset = -1, .id_check = check_entity,
	},
	[SEC_STATE] = {
		.name = "entities.*.states.*",
		.help = "A state, by its value, which is stateKey in the API. A text in "
			"place of the map is its label.",
		.size = sizeof(struct conf_choice),
		.id_offset = AT(struct conf_choice, value),
		.file_offset = -1, .line_offset = -1, .id_check = check_key,
		.short_key = "label", .listed = true,
	},
	[SEC_INTAKE] = {
		.name = "knowledge.sources.*",
		.help = "Where documents of a knowledge base come from: a "
			"directory, a site, or the tables of an application "
			"(docs/knowledge.md). The key is its name.",
		.size = sizeof(struct conf_intake),
		.id_offset = AT(struct conf_intake, name),
		.file_offset = AT(struct conf_intake, file),
		.line_offset = AT(struct conf_intake, line),
		.id_check = check_slug,
	},
	[SEC_CATALOGUE] = {
		.name = "files in catalogue_dir",
		.help = "A prompt that everyone can choose and copy. One per "
			"file. Where it has {{blanks}}, the user fills them in "
			"(docs/prompts.md).",
		.size = sizeof(struct catalogue_prompt),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_TEMPLATE] = {
		.name = "files in agent_templates_dir",
		.help = "A template for agents (docs/agents.md), one per "
			"file. An agent is a copy: it does not change with "
			"its template.",
		.size = sizeof(struct agent_template),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_WORKSPACE] = {
		.name = "files in workspaces_dir",
		.help = "One workspace per file.",
		.size = sizeof(struct workspace), .id_offset = -1,
		.file_offset = AT(struct workspace, file),
		.line_offset = -1,
	},
	[SEC_AGENT] = {
		.name = "agents[] of a workspace",
		.help = "A persona of a workspace.",
		.size = sizeof(struct agent),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_DATASET] = {
		.name = "datasets.* of a workspace",
		.help = "A table, or a join, that the model may query.",
		.size = sizeof(struct conf_dataset),
		.id_offset = AT(struct conf_dataset, name),
		.file_offset = AT(struct conf_dataset, file),
		.line_offset = AT(struct conf_dataset, line),
		.id_check = check_ident,
	},
	[SEC_MENTION] = {
		.name = "datasets.*.mention of a workspace",
		.help = "Lets users mention rows with @ (docs/mentions.md). "
			"Users who may query the dataset may mention its rows.",
		.size = sizeof(struct conf_mention),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
	[SEC_COLUMN] = {
		.name = "datasets.*.columns.* of a workspace",
		.help = "A column, as the model sees it.",
		.size = sizeof(struct conf_column),
		.id_offset = AT(struct conf_column, name),
		.file_offset = -1, .line_offset = -1, .id_check = check_ident,
	},
	[SEC_ACTION] = {
		.name = "actions.* of a workspace",
		.help = "A link that the agent may suggest with the tool "
			"suggest_action. It is only shown: the user decides "
			"whether to follow it.",
		.size = sizeof(struct conf_action),
		.id_offset = AT(struct conf_action, name),
		.file_offset = AT(struct conf_action, file),
		.line_offset = AT(struct conf_action, line),
		.id_check = check_ident,
	},
	[SEC_TOOL] = {
		.name = "tools.* of the main file or a workspace",
		.help = "A tool that the model may call (docs/tools.md). In "
			"the main file for every workspace, in a workspace's "
			"file for that one. The options of its kind are in "
			"a map with the name of the kind.",
		.size = sizeof(struct conf_tool),
		.id_offset = AT(struct conf_tool, name),
		.file_offset = AT(struct conf_tool, file),
		.line_offset = AT(struct conf_tool, line),
		.id_check = check_tool,
	},
	[SEC_MCP] = {
		.name = "mcp_servers.*",
		.help = "A server of the Model Context Protocol (docs/mcp.md). "
			"Its tools are named SERVER_TOOL, in every workspace, "
			"and are offered once an admin has accepted them.",
		.size = sizeof(struct conf_mcp),
		.id_offset = AT(struct conf_mcp, id),
		.file_offset = AT(struct conf_mcp, file),
		.line_offset = AT(struct conf_mcp, line),
		.id_check = check_slug,
	},
	[SEC_MCP_TOOL] = {
		.name = "mcp_servers.*.tools.*",
		.help = "Overrides what a server states about a tool. The "
			"key is the server's name of the tool, or a glob; the "
			"first match counts.",
		.size = sizeof(struct conf_mcp_tool),
		.id_offset = AT(struct conf_mcp_tool, name),
		.file_offset = -1, .line_offset = -1,
	},
	[SEC_USER_TOKEN] = {
		.name = "tools.*.http.token, tools.*.openapi.token, "
			"mcp_servers.*.token",
		.help = "A signed token (JWT) that identifies the user to a service; "
			"docs/tools.md says how to verify it.",
		.size = sizeof(struct conf_user_token),
		.id_offset = -1, .file_offset = -1, .line_offset = -1,
	},
#define SECTION(sec, type, title, h) \
	[SEC_##sec] = { \
		.name = title, .help = h, .size = sizeof(type), \
		.id_offset = -1, .file_offset = -1, .line_offset = -1, \
	},
#include "conf/kind.def"
};

bool option_has(enum opt_type type, const void *field)
{
	const char *text;

	switch (type) {
	case OPT_INT:
		return *(const int *)field > 0;
	case OPT_DOUBLE:
		return !isnan(*(const double *)field);
	case OPT_STRING:
		text = *(const char *const *)field;
		return text && *text;
	case OPT_LIST:
		return ((const struct conf_list *)field)->n > 0;
	default:
		BUG("a type that always has a value");
	}
}

const struct conf_option *option_find(enum opt_section in, const char *key)
{
	for (size_t i = 0; i < conf_option_count; i++)
		if (conf_options[i].in == in && !strcmp(conf_options[i].key, key))
			return &conf_options[i];
	return NULL;
}

#define EDIT_BYTES 64

const char *option_nearest(enum opt_section in, const char *prefix,
			   const char *unknown, char *out, size_t n_bytes)
{
	int best = 1 + (int)MIN(strlen(unknown), EDIT_BYTES) / 3;
	size_t n = strlen(prefix);
	bool found = false;

	for (size_t i = 0; i < conf_option_count; i++) {
		const char *key = conf_options[i].key;
		char part[EDIT_BYTES];
		int d;

		if (conf_options[i].in != in || strncmp(key, prefix, n))
			continue;
		snprintf(part, sizeof(part), "%.*s",
			 (int)strcspn(key + n, "."), key + n);
		d = str_distance(str_of(unknown), str_of(part));
		/* a forgotten unit: "timeout" for "timeout_ms" */
		if (strlen(unknown) > 2 &&
		    !strncmp(part, unknown, strlen(unknown)))
			d = MIN(d, 2);
		if (d < best || (d == best && !found)) {
			best = d;
			found = true;
			snprintf(out, n_bytes, "%s", part);
		}
	}
	return found ? out : NULL;
}
