/* SPDX-License-Identifier: MIT */
/*
 * The list of models that a provider has, in the forms in which providers give
 * it. Pure functions on bytes; probe.h asks for it.
 */
#ifndef LLM_MODELS_H
#define LLM_MODELS_H

#include "base/arena.h"
#include "base/str.h"

enum llm_can { LLM_CAN_UNKNOWN, LLM_CAN_NOT, LLM_CAN_SURELY };

struct llm_model {		/* strings in the arena */
	const char *id;		/* as `model:` of a service says it */
	const char *name;	/* for people; the id where there is no other */
	int64_t context_tokens;	/* 0 = not told */
	enum llm_can tools, vision;
};

struct llm_models {
	const struct llm_model *rows;	/* in the provider's order */
	size_t n;			/* at most LIM_MODELS */
	bool cut;			/* there were more */
};

/*
 * Reads the list in body into *out, in a. Entries without an id or with one
 * above LIM_MODEL_BYTES are left out. False when body is no such list.
 *
 * {"data": [{"id", …}]} (OpenAI and what is like it, Anthropic) and
 * {"models": [{"name", …}]} (Ollama, /api/tags). What a model can do is told by
 * OpenRouter (supported_parameters, architecture.input_modalities,
 * context_length), Mistral (capabilities, max_context_length), vLLM
 * (max_model_len), Groq (context_window) and Anthropic (display_name); the
 * providers' references, 2026-11.
 */
bool llm_models_read(struct str body, struct arena *a, struct llm_models *out);

/* The row of this model, also as "NAME:latest" (Ollama); NULL: not there. */
const struct llm_model *llm_models_find(const struct llm_models *m,
					const char *model);

#endif
