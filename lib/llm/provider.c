/* SPDX-License-Identifier: MIT */
/*
 * The provider table and the quirk table. Values that
 * a row does not name are zero, hence the first of each enum; BASE has those
 * that nearly all share.
 */
#include "llm/provider.h"

#include <limits.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

#define CHAT_URL "{url}/chat/completions"
#define BEARER "Authorization: Bearer {key}"

/* What is assumed of an OpenAI-compatible server unless its row differs. */
#define BASE \
	.include_usage = true, .supports_tools = true, \
	.supports_tool_choice = true, .supports_vision = true, \
	.url_template = CHAT_URL, \
	.auth_header = BEARER, \
	.reasoning_in = { "reasoning_content", "reasoning", "reasoning_details" }
#define HOSTED BASE, .key_required = true

#define APART (LLM_CAN_EMBED | LLM_CAN_RERANK | LLM_CAN_TRANSCRIBE)

/* A row's own value after BASE's is meant to win. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct provider rows[] = {
	{
		.name = "openai", .title = "OpenAI",
		.dialect = &llm_dialect_openai, .url = "https://api.openai.com/v1",
		.quirks = { HOSTED, .max_tokens_field = MAXTOK_COMPLETION,
			.hide_obfuscation = true, .strict_schema = true },
	}, {
		.name = "azure", .title = "Azure OpenAI",
		.dialect = &llm_dialect_openai, .url = "",
		.quirks = { HOSTED, .max_tokens_field = MAXTOK_COMPLETION,
			.strict_schema = true, .url_template = "{url}/openai/deployments/{deployment}"
				"/chat/completions?api-version={api_version}",
			.auth_header = "api-key: {key}" },
	}, {
		.name = "azure_v1", .title = "Azure OpenAI, v1 address",
		.dialect = &llm_dialect_openai, .url = "",
		.quirks = { HOSTED, .max_tokens_field = MAXTOK_COMPLETION,
			.strict_schema = true, .url_template = "{url}/openai/v1/chat/completions",
			.auth_header = "api-key: {key}" },
	}, {
		.name = "openrouter", .title = "OpenRouter",
		.dialect = &llm_dialect_openai, .url = "https://openrouter.ai/api/v1",
		.quirks = { HOSTED, .reasoning_in = { "reasoning",
				"reasoning_content", "reasoning_details" } },
	}, {
		.name = "gemini", .title = "Google Gemini (compatible address)",
		.dialect = &llm_dialect_openai,
		.url = "https://generativelanguage.googleapis.com/v1beta/openai",
		.quirks = { HOSTED, .tool_schema_filter = SCHEMA_GEMINI,
			.usage_output_rule = USAGE_TOTAL },
	}, {
		.name = "mistral", .title = "Mistral",
		.dialect = &llm_dialect_openai, .url = "https://api.mistral.ai/v1",
		.quirks = { HOSTED, .tool_id_style = TOOLID_ALNUM9,
			.include_usage = false },
	}, {
		.name = "groq", .title = "Groq",
		.dialect = &llm_dialect_openai,
		.url = "https://api.groq.com/openai/v1",
		.quirks = { HOSTED, .max_tokens_field = MAXTOK_COMPLETION,
			.output_format = OUTPUT_OBJECT },
	}, {
		.name = "deepseek", .title = "DeepSeek",
		.dialect = &llm_dialect_openai, .url = "https://api.deepseek.com",
		/* image parts: 400 "unknown variant `image_url`" */
		.quirks = { HOSTED, .supports_vision = false,
			.reasoning_replay = REPLAY_TOOL_LOOP,
			.output_format = OUTPUT_OBJECT },
	}, {
		.name = "xai", .title = "xAI",
		.dialect = &llm_dialect_openai, .url = "https://api.x.ai/v1",
		.quirks = { HOSTED, .usage_output_rule = USAGE_TOTAL },
	}, {
		.name = "qwen", .title = "Qwen (DashScope)",
		.dialect = &llm_dialect_openai,
		.url = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
		/* 400 "batch size is invalid, it should not be larger than 10" */
		.quirks = { HOSTED, .output_format = OUTPUT_OBJECT,
			.embed_texts = 10 },
	}, {
		.name = "perplexity", .title = "Perplexity",
		.dialect = &llm_dialect_openai, .url = "https://api.perplexity.ai",
		.quirks = { HOSTED, .supports_tools = false,
			.include_usage = false, .think_tags = THINK_TAGS },
	}, {
		.name = "vllm", .title = "vLLM",
		.dialect = &llm_dialect_openai, .url = "http://127.0.0.1:8000/v1",
		.quirks = { BASE, .reasoning_in = { "reasoning",
				"reasoning_content" } },
	}, {
		.name = "llamacpp", .title = "llama.cpp server",
		.dialect = &llm_dialect_openai, .url = "http://127.0.0.1:8080/v1",
		.quirks = { BASE },
	}, {
		.name = "gpustack", .title = "GPUStack, llama-box",
		.dialect = &llm_dialect_openai, .url = "",
		.quirks = { BASE },
	}, {
		.name = "lmstudio", .title = "LM Studio",
		.dialect = &llm_dialect_openai, .url = "http://127.0.0.1:1234/v1",
		.quirks = { BASE, .think_tags = THINK_TAGS },
	}, {
		.name = "ollama_v1", .title = "Ollama, compatible address",
		.dialect = &llm_dialect_openai, .url = "http://127.0.0.1:11434/v1",
		.quirks = { BASE, .supports_tool_choice = false,
			.reasoning_replay = REPLAY_TOOL_LOOP,
			.reasoning_in = { "reasoning", "reasoning_content" } },
	}, {
		.name = "openai_compatible", .title = "Any compatible server",
		.dialect = &llm_dialect_openai, .url = "",
		.quirks = { BASE },
	}, {
		.name = "anthropic", .title = "Anthropic",
		.dialect = &llm_dialect_anthropic, .url = "https://api.anthropic.com",
		.quirks = { .supports_tools = true, .supports_tool_choice = true,
			.supports_vision = true, .key_required = true,
			.tool_id_style = TOOLID_SAFE,
			.reasoning_replay = REPLAY_ALWAYS,
			.url_template = "{url}/v1/messages",
			.auth_header = "x-api-key: {key}" },
	}, {
		.name = "anthropic_compatible", .title = "Any server like Anthropic's",
		.dialect = &llm_dialect_anthropic, .url = "",
		.quirks = { .supports_tools = true, .supports_tool_choice = true,
			.supports_vision = true, .tool_id_style = TOOLID_SAFE,
			.output_format = OUTPUT_PROMPT,
			.reasoning_replay = REPLAY_ALWAYS,
			.url_template = "{url}/v1/messages",
			.auth_header = BEARER },
	}, {
		.name = "ollama", .title = "Ollama",
		.dialect = &llm_dialect_ollama, .url = "http://127.0.0.1:11434",
		.quirks = { .supports_tools = true, .supports_vision = true,
			.reasoning_replay = REPLAY_TOOL_LOOP,
			.url_template = "{url}/api/chat",
			.auth_header = BEARER },
	}, {
		.name = "openai_responses",
		.title = "OpenAI Responses, for `decode` only",
		.dialect = &llm_dialect_responses, .url = "",
	}, {
		.name = "gemini_native",
		.title = "Gemini's own API, for `decode` only",
		.dialect = &llm_dialect_gemini, .url = "",
	},
};
#pragma GCC diagnostic pop

const struct provider *provider_rows(size_t *n)
{
	*n = ARRAY_LEN(rows);
	return rows;
}

const struct provider *provider_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

int provider_unknown(const char *name, struct err *e)
{
	struct str wrong = str_of(name ? name : "");
	int best = 2 + (int)MIN(wrong.n, 64) / 3;
	const char *near = NULL;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int d = str_distance(wrong, str_of(rows[i].name));

		if (d < best && rows[i].dialect->build) {
			best = d;
			near = rows[i].name;
		}
	}
	return err_public(e, ERR_LLM_UNSUPPORTED, "The LLM provider \"%.40s\" is "
			  "not supported%s%s%s", wrong.p, near
			  ? "; did you mean \"" : "", near ? near : "",
			  near ? "\"?" : ".");
}

/* Quirks as `quirks:` names them. */

enum q_type { Q_ENUM, Q_BOOL, Q_STR, Q_INT, Q_FIELDS };

static const struct quirk_row {
	const char *key;
	enum q_type type;
	size_t offset;
	const char *values;	/* of an enum, in order, blank separated */
	int min, max;		/* of an int */
	const char *help;
} quirk_rows[] = {
#define Q(member) .key = #member, .offset = offsetof(struct quirks, member)
	{ Q(max_tokens_field), .type = Q_ENUM, .values = "max_tokens max_completion_tokens none", .help = "name of the output limit" },
	{ Q(system_role), .type = Q_ENUM, .values = "system developer user", .help = "role of the system text; user = in front of the first message" },
	{ Q(reasoning_replay), .type = Q_ENUM, .values = "none tool-loop always", .help = "whether reasoning is sent back" },
	{ Q(think_tags), .type = Q_ENUM, .values = "off tags starts-inside", .help = "reasoning inline between <think> and </think>" },
	{ Q(tool_id_style), .type = Q_ENUM, .values = "any alnum9 safe", .help = "form of tool call ids" },
	{ Q(tool_schema_filter), .type = Q_ENUM, .values = "as-is plain gemini", .help = "what is left out of tool schemas" },
	{ Q(output_format), .type = Q_ENUM, .values = "schema object prompt", .help = "how typed output is asked for" },
	{ Q(usage_output_rule), .type = Q_ENUM, .values = "completion total", .help = "output tokens; total = all that is not prompt" },
	{ Q(parallel_tool_calls), .type = Q_ENUM, .values = "unset on off", .help = "sent when set" },
	{ Q(include_usage), .type = Q_BOOL, .help = "ask for usage in streams" },
	{ Q(hide_obfuscation), .type = Q_BOOL, .help = "ask for streams without padding" },
	{ Q(supports_tools), .type = Q_BOOL, .help = "tools are sent" },
	{ Q(supports_tool_choice), .type = Q_BOOL, .help = "tool_choice is understood" },
	{ Q(supports_vision), .type = Q_BOOL, .help = "images may be sent to a service with the capability vision" },
	{ Q(strict_schema), .type = Q_BOOL, .help = "strict schemas where they comply" },
	{ Q(key_required), .type = Q_BOOL, .help = "cannot be used without api_key" },
	{ Q(rerank_format), .type = Q_ENUM, .values = "documents texts", .help = "what passages to be ranked are called; texts: TEI" },
	{ Q(embed_query_prefix), .type = Q_STR, .help = "put in front of a question to embed" },
	{ Q(embed_document_prefix), .type = Q_STR, .help = "put in front of a passage to embed" },
	{ Q(embed_type_field), .type = Q_STR, .help = "name of the member that says what the texts are: input_type, task" },
	{ Q(embed_query_type), .type = Q_STR, .help = "its value for a question" },
	{ Q(embed_document_type), .type = Q_STR, .help = "its value for passages" },
	{ Q(embed_dimensions), .type = Q_INT, .min = 1, .max = LIM_DIMENSION, .help = "sent as dimensions, for models that can make shorter vectors" },
	{ Q(embed_texts), .type = Q_INT, .min = 1, .max = LIM_EMBED_TEXTS, .help = "most texts in one request for vectors" },
	{ Q(embed_chars), .type = Q_INT, .min = 100, .max = LIM_EMBED_CHARS, .help = "most characters of each text that are sent, not counting the prefix" },
	{ Q(embed_truncate), .type = Q_ENUM, .values = "unset on off END", .help = "sent as truncate: whether the server cuts what is too long" },
	{ Q(reasoning_in), .type = Q_FIELDS, .help = "members that hold reasoning, best first" },
	{ Q(url_template), .type = Q_STR, .help = "{url}, {deployment}, {api_version}" },
	{ Q(auth_header), .type = Q_STR, .help = "header with {key}; empty = none" },
#undef Q
};

static int unknown_quirk(const char *key, struct err *e)
{
	return err_set(e, ERR_CONFIG, "unknown quirk \"%.40s\"; "
		       "did you mean \"%s\"?", key,
		       str_nearest(str_of(key), quirk_rows,
				   ARRAY_LEN(quirk_rows), sizeof(*quirk_rows),
				   INT_MAX - 1));
}

static int set_enum(const struct quirk_row *row, const json_t *v, int *out,
		    struct err *e)
{
	struct str rest = str_of(row->values), want = {
		json_string_value(v), json_string_length(v)
	};

	/* YAML reads on and off as booleans. */
	if (json_is_boolean(v))
		want = json_is_true(v) ? STR("on") : STR("off");
	for (int i = 0; rest.p; i++) {
		if (str_eq(str_cut(&rest, ' '), want)) {
			*out = i;
			return 0;
		}
	}
	return err_set(e, ERR_CONFIG, "quirk %s must be one of: %s", row->key,
		       row->values);
}

static int set_fields(const struct quirk_row *row, const json_t *v,
		      const char **out, struct err *e)
{
	size_t n = json_array_size(v);

	if (!json_is_array(v) || n > QUIRK_FIELDS)
		return err_set(e, ERR_CONFIG, "quirk %s must be a list of at "
			       "most %d names", row->key, QUIRK_FIELDS);
	for (size_t i = 0; i < QUIRK_FIELDS; i++) {
		const json_t *s = i < n ? json_array_get(v, i) : NULL;

		if (i < n && !json_is_string(s))
			return err_set(e, ERR_CONFIG,
				       "quirk %s must be a list of names",
				       row->key);
		out[i] = json_string_value(s);
	}
	return 0;
}

static int set_quirk(const char *key, const json_t *v, struct quirks *q,
		     struct err *e)
{
	const struct quirk_row *row = NULL;
	char *at;

	for (size_t i = 0; i < ARRAY_LEN(quirk_rows); i++)
		if (strcmp(quirk_rows[i].key, key) == 0)
			row = &quirk_rows[i];
	if (!row)
		return unknown_quirk(key, e);
	at = (char *)q + row->offset;
	switch (row->type) {
	case Q_ENUM:
		return set_enum(row, v, (int *)(void *)at, e);
	case Q_BOOL:
		if (!json_is_boolean(v))
			return err_set(e, ERR_CONFIG, "quirk %s must be true "
				       "or false", key);
		*(bool *)(void *)at = json_is_true(v);
		return 0;
	case Q_STR:
		if (!json_is_string(v))
			return err_set(e, ERR_CONFIG, "quirk %s must be text",
				       key);
		*(const char **)(void *)at = json_string_value(v);
		return 0;
	case Q_INT:
		if (!json_is_integer(v) || json_integer_value(v) < row->min ||
		    json_integer_value(v) > row->max)
			return err_set(e, ERR_CONFIG, "quirk %s must be a number "
				       "from %d to %d", key, row->min, row->max);
		*(int *)(void *)at = (int)json_integer_value(v);
		return 0;
	case Q_FIELDS:
		return set_fields(row, v, (const char **)(void *)at, e);
	}
	BUG("quirk type");
}

int provider_quirks(const struct provider *p, const json_t *overrides,
		    struct quirks *q, struct err *e)
{
	const char *key;
	json_t *v;

	*q = p->quirks;
	if (overrides && !json_is_object(overrides))
		return err_set(e, ERR_CONFIG, "quirks must be a mapping");
	json_object_foreach((json_t *)overrides, key, v)
		if (set_quirk(key, v, q, e) < 0)
			return -1;
	return 0;
}

int llm_quirks_check(const char *provider, const json_t *quirks, struct err *e)
{
	const struct provider *p = provider_find(provider);
	struct quirks q;

	if (!p)
		return 0;	/* B17: that is told when it is used */
	return provider_quirks(p, quirks, &q, e);
}

int llm_check_service(const struct llm_service *s, struct err *e)
{
	const struct provider *p = provider_find(s->provider);
	struct quirks q;

	if (!p || !p->dialect->build)
		return provider_unknown(s->provider, e);
	if (provider_quirks(p, s->quirks, &q, e) < 0)
		return -1;
	if (!p->url[0] && !s->set.url)
		return err_set(e, ERR_CONFIG, "LLM service %s: provider %s "
			       "needs `url:`", s->id, p->name);
	if (q.key_required && !s->set.api_key)
		return err_set(e, ERR_LLM_NO_CREDENTIAL,
			       "LLM service %s has no api_key", s->id);
	return 0;
}

int llm_check_can(const struct llm_service *s, unsigned can, struct err *e)
{
	const struct provider *p = provider_find(s->provider);
	const unsigned missing = can & ~s->capabilities;
	struct quirks q = { .supports_vision = false };

	if (missing)
		return err_public(e, missing & LLM_CAN_CHAT
				  ? ERR_CHAT_DISABLED : ERR_LLM_UNSUPPORTED,
				  "The LLM service \"%.60s\" does not have the "
				  "capability %s.", s->id,
				  conf_lacks(s->capabilities, can));
	if (can & LLM_CAN_VISION && p &&
	    provider_quirks(p, s->quirks, &q, e) < 0)
		return -1;
	if (can & LLM_CAN_VISION && !q.supports_vision)
		return err_public(e, ERR_LLM_UNSUPPORTED, "The provider "
				  "\"%.40s\" of the LLM service \"%.60s\" does "
				  "not take images (quirk supports_vision).",
				  s->provider, s->id);
	if (p && can & APART & ~p->dialect->apart)
		return err_public(e, ERR_LLM_UNSUPPORTED, "The provider "
				  "\"%.40s\" of the LLM service \"%.60s\" cannot "
				  "%s.", s->provider, s->id,
				  conf_lacks(p->dialect->apart, can & APART));
	return 0;
}

json_t *llm_capabilities(const struct llm_service *s)
{
	const struct provider *p = provider_find(s->provider);
	struct quirks q = { .supports_tools = false };
	struct err e = ERR_INIT;
	bool tools;

	if (p && provider_quirks(p, s->quirks, &q, &e) < 0)
		q = p->quirks;
	tools = q.supports_tools &&
		(!s->capabilities || (s->capabilities & LLM_CAN_TOOLS));
	return json_pack("{s:s, s:s, s:b, s:b, s:b, s:b}",
			 "providerName", s->provider ? s->provider : "",
			 "model", s->model ? s->model : "",
			 "supportsStreaming", p != NULL,
			 "supportsToolUse", p && tools,
			 "supportsVision",
			 llm_check_can(s, LLM_CAN_VISION, &e) == 0,
			 "supportsPromptCaching",
			 p && p->dialect == &llm_dialect_anthropic &&
			 s->prompt_cache);
}

void llm_print_providers(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct provider *p = &rows[i];

		buf_addf(out, "%s\t%s\t%s\t%s\t%s\n", p->name, p->dialect->name,
			 !p->dialect->build ? "decode" :
			 p->quirks.key_required ? "key" : "-",
			 p->url[0] ? p->url : "-", p->title);
	}
}

void llm_print_quirks(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(quirk_rows); i++)
		buf_addf(out, "%s\t%s\t%s\n", quirk_rows[i].key,
			 quirk_rows[i].type == Q_ENUM ? quirk_rows[i].values :
			 quirk_rows[i].type == Q_BOOL ? "true false" :
			 quirk_rows[i].type == Q_STR ? "text" :
			 quirk_rows[i].type == Q_INT ? "number" : "list",
			 quirk_rows[i].help);
}
