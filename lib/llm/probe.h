/* SPDX-License-Identifier: MIT */
/*
 * Checks an LLM service at no cost: requests the list of models, if the server
 * has one, with the service's credential and headers.
 */
#ifndef LLM_PROBE_H
#define LLM_PROBE_H

#include "llm/llm.h"
#include "llm/models.h"
#include "net/http.h"

struct llm_probe {
	const char *url;	/* that was asked; arena */
	int status;		/* HTTP; 0 = nothing answered */
	enum http_trouble trouble;	/* why nothing did */
	int64_t ms;		/* until the whole answer was there */
	bool has_list;		/* the answer is a list of models … */
	bool has_model;		/* … and the service's is in it */
	struct llm_models models;	/* the list */
};

/*
 * Asks once, at most 10 s. Returns 0 when something answered, whatever it
 * said; -1 with the errors of llm_build or ERR_UPSTREAM_…. Text in a.
 *
 * GET {url}/models (OpenAI and what is like it), {url}/v1/models (Anthropic),
 * {url}/api/tags (Ollama), {url}/openai/models (Azure); addresses of the
 * providers' references, 2026-11. 401 and 403 mean the credential; 404 that
 * there is no such list, so that only the way to the server is known.
 */
int llm_probe(struct http_pool *http, const struct llm_service *s,
	      struct arena *a, struct llm_probe *out, struct err *e) MUST_CHECK;

/*
 * The address whose path ends with other in place of chat, with its query, in a;
 * NULL where the path does not end with chat. Pure.
 */
const char *llm_url_beside(struct arena *a, const char *chat_url,
			   const char *chat, const char *other);

#endif
