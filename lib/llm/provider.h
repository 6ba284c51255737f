/* SPDX-License-Identifier: MIT */
/*
 * Providers and dialects. A dialect is a wire format: how to write a request
 * and how to read an answer. A provider is a row of data: a dialect, an
 * address, and quirks. An admin can override each quirk per service
 * (`quirks:` in YAML), so a server that nobody has met needs no code.
 *
 * Adding a provider: one row in provider.c. Adding a dialect: one file with a
 * `struct llm_dialect`, pure functions on bytes and JSON.
 */
#ifndef LLM_PROVIDER_H
#define LLM_PROVIDER_H

#include "llm/llm.h"

struct llm_decoder;

enum q_max_tokens { MAXTOK_MAX_TOKENS, MAXTOK_COMPLETION, MAXTOK_NONE };
enum q_system_role { SYSROLE_SYSTEM, SYSROLE_DEVELOPER, SYSROLE_USER };
enum q_replay { REPLAY_NONE, REPLAY_TOOL_LOOP, REPLAY_ALWAYS };
enum q_think { THINK_OFF, THINK_TAGS, THINK_INSIDE };
enum q_tool_id { TOOLID_ANY, TOOLID_ALNUM9, TOOLID_SAFE };
enum q_schema { SCHEMA_AS_IS, SCHEMA_PLAIN, SCHEMA_GEMINI };
enum q_output { OUTPUT_SCHEMA, OUTPUT_OBJECT, OUTPUT_PROMPT };
enum q_usage { USAGE_COMPLETION, USAGE_TOTAL };
enum q_rerank { RERANK_DOCUMENTS, RERANK_TEXTS };
enum q_truncate { TRUNCATE_UNSET, TRUNCATE_ON, TRUNCATE_OFF, TRUNCATE_END };
enum q_parallel { PARALLEL_UNSET, PARALLEL_ON, PARALLEL_OFF };

#define QUIRK_FIELDS 4

struct quirks {
	int max_tokens_field;	/* enum q_max_tokens (P-E1) */
	int system_role;	/* enum q_system_role (P-E6) */
	int reasoning_replay;	/* enum q_replay (P-B13) */
	int think_tags;		/* enum q_think (P-C3) */
	int tool_id_style;	/* enum q_tool_id (P-B6) */
	int tool_schema_filter;	/* enum q_schema (P-E10) */
	int output_format;	/* enum q_output: typed output (A1) */
	int usage_output_rule;	/* enum q_usage (P-D4) */
	int parallel_tool_calls;	/* enum q_parallel (P-E8) */
	bool include_usage;	/* send stream_options.include_usage (P-E7) */
	bool hide_obfuscation;	/* send include_obfuscation:false (P-C8) */
	bool supports_tools;	/* tools are sent at all (B21) */
	bool supports_tool_choice;	/* else `none` = tools left out (P-E5) */
	bool supports_vision;	/* the format has a place for images */
	bool strict_schema;	/* strict:true for schemas that comply (P-E9) */
	bool key_required;	/* no key: ERR_LLM_NO_CREDENTIAL (B18) */
	int rerank_format;	/* enum q_rerank: what passages are called */
	const char *embed_query_prefix, *embed_document_prefix;	/* or NULL */
	/* Member that says what a text is, and what it says; or NULL. */
	const char *embed_type_field, *embed_query_type, *embed_document_type;
	int embed_dimensions;	/* sent as `dimensions`; 0: not */
	int embed_texts;	/* in a request; 0: LIM_EMBED_TEXTS */
	int embed_chars;	/* of a text that are sent; 0: LIM_EMBED_CHARS */
	int embed_truncate;	/* enum q_truncate: sent as `truncate` */
	const char *reasoning_in[QUIRK_FIELDS];	/* fields, best first (P-C2) */
	const char *url_template;	/* {url} {deployment} {api_version} */
	const char *auth_header;	/* "Name: … {key}"; "" = none (P-E13) */
};

/* A request being built; see build.h. */
struct build;

struct llm_dialect {
	const char *name;
	const char *text_key;	/* member that holds the text of a delta */
	unsigned takes;		/* LLM_TAKES_* */
	unsigned apart;		/* LLM_CAN_EMBED, …: it has a format for them
				   (retrieval.c) */
	/* Writes the body into b->body. NULL = can only be decoded. */
	int (*build)(struct build *b, struct err *e);
	/* One stream payload; one whole document (stream:false, P-A13). */
	void (*event)(struct llm_decoder *d, struct str name, json_t *j);
	void (*whole)(struct llm_decoder *d, json_t *j);
	/* Takes the usage that j holds, if any, and nothing else. */
	void (*usage)(struct llm_decoder *d, const json_t *j);
	/*
	 * The object whose member text_key is the whole effect of j, and a
	 * number that `plain` needs; NULL when j does anything else as well.
	 */
	json_t *(*slot)(json_t *j, int *slot);
	/* The effect of such a j with another text; NULL if slot gives none. */
	void (*plain)(struct llm_decoder *d, int slot, struct str text);
	/* At "[DONE]": sets d->finished where that is enough. MAY be NULL. */
	void (*done)(struct llm_decoder *d);
	/* Before the terminal event: builds d->replay. MAY be NULL. */
	void (*finish)(struct llm_decoder *d);
	void (*release)(struct llm_decoder *d);	/* MAY be NULL */
};

extern const struct llm_dialect llm_dialect_openai, llm_dialect_anthropic, llm_dialect_ollama,
	llm_dialect_responses, llm_dialect_gemini;

struct provider {
	const char *name;	/* what `provider:` says */
	const char *title;	/* for people */
	const struct llm_dialect *dialect;
	const char *url;	/* base URL; "" = must be configured */
	struct quirks quirks;
};

/* The row, or NULL. */
const struct provider *provider_find(const char *name);

/* ERR_LLM_UNSUPPORTED, with the name that was probably meant. Returns -1. */
int provider_unknown(const char *name, struct err *e);

/* All rows. */
const struct provider *provider_rows(size_t *n);

/*
 * The row's quirks with those of `quirks:` on top (NULL = none). Strings are
 * borrowed from overrides. ERR_CONFIG names the wrong key and the nearest one.
 */
int provider_quirks(const struct provider *p, const json_t *overrides,
		    struct quirks *q, struct err *e) MUST_CHECK;

#endif
