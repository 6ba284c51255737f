/* SPDX-License-Identifier: MIT */
/*
 * An LLM service: its address, credential and options, as files and rows have them: the
 * members are described in resource/resource.def, and in option.def those that only files
 * have. lib/domain finds services (domain/catalog.h), lib/llm uses them.
 *
 * Flags in `set` say which members are set, never a special value: 0 is a valid
 * temperature, and "" may be intended. A member without its flag has no meaning.
 * Zeroed, nothing is set.
 */
#ifndef CONF_SERVICE_H
#define CONF_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "conf/list.h"

enum domain_source {	/* "source" of the API */
	SOURCE_CONFIG,	/* a file: read-only over the API */
	SOURCE_API,	/* a row */
};

/* Whose key pays for a call: usage_record.payer. */
enum llm_payer {
	PAYER_UNKNOWN,
	PAYER_INSTALLATION,	/* a service of the files */
	PAYER_TENANT,		/* one that was made over the API */
	PAYER_USER,		/* one of the user's own */
	PAYER_WORKSPACE,	/* one that a workspace's managers made */
};

/* llm_services.*: capabilities as bits. */
enum {
	LLM_CAN_CHAT = 1, LLM_CAN_TOOLS = 2, LLM_CAN_VISION = 4,
	LLM_CAN_EMBED = 8, LLM_CAN_RERANK = 16, LLM_CAN_SUMMARIZE = 32,
	LLM_CAN_TRANSCRIBE = 64,
};

struct llm_service {
	const char *id;		/* first, for str_nearest */
	enum domain_source source;
	uint64_t version;	/* of a file: the generation */
	const char *name;	/* for display */
	const char *provider;	/* a row of the provider table, or unknown */
	const char *model;
	const char *url;	/* base URL; unset = the provider's own */
	const char *api_key;	/* secret */
	const char *api_version;	/* Azure, Anthropic; unset = default */
	const char *deployment;		/* Azure; unset = model */
	unsigned capabilities;		/* LLM_CAN_* */
	int context_tokens, max_output_tokens;
	double temperature, top_p;	/* unset = not sent, as the next two */
	const char *reasoning_effort;
	double input_price, output_price;	/* of a million tokens; unset: not
						   known */
	int thinking_budget_tokens;	/* Anthropic */
	bool prompt_cache;		/* Anthropic cache marks (E30) */
	int connect_timeout_ms, first_byte_timeout_ms;
	int idle_timeout_ms, total_timeout_ms;
	int retries;
	struct conf_list fallbacks;	/* ids; turn/fallback.h */
	/* Of a row, for a turn: the fallbacks, NULL where one is gone or cannot be
	   used; NULL for one of the files, whose fallbacks are in files. */
	const struct llm_service *const *others;
	json_t *quirks;		/* object: overrides of the provider's quirks,
				   checked by llm_quirks_check; NULL = none */
	json_t *extra_body;	/* object merged into requests; NULL = none */
	struct conf_list extra_headers;	/* "Name: value"; secret */
	enum llm_payer payer;
	/* Of a row: the private addresses that it may have (net/guard.h); NULL
	   for one of the files, whose address is the admin's. */
	const struct conf_list *guard;
	const char *file;	/* where it stands, for messages */
	int line;
	struct {
		bool url, api_key, price, api_version, deployment;
		bool temperature, top_p;
		bool reasoning_effort, thinking_budget_tokens;
	} set;
};

#endif
