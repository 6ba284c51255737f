/* SPDX-License-Identifier: MIT */
/*
 * What a turn would send to its model, before anything is spent. Built by the
 * code of the turn itself; nothing is stored and no model is asked. Used by
 * `lamplighter preview` and the API.
 */
#ifndef CONTEXT_PREVIEW_H
#define CONTEXT_PREVIEW_H

#include "llm/llm.h"
#include "prompt/part.h"
#include "context/request.h"

struct context_preview {	/* all in the arena, or borrowed from conf */
	struct caller by;
	const struct workspace *workspace;
	const struct agent *agent;
	struct uuid conversation_id;	/* nil: a new one */
	const struct llm_service *service;
	bool own;			/* the service is the caller's own */
	/* Rule of "auto" that chose it; or NULL */
	const char *rule;
	struct part_share share[PART__MAX];
	struct prompt_blocks blocks;	/* the system prompt */
	const struct llm_tool *tools;
	const struct llm_tool_form *forms;	/* of tool i, as sent */
	size_t n_tools, n_messages;
	int64_t tokens;			/* of the whole request (C25) */
	struct str body;		/* of the request, as sent */
};

/*
 * Previews a turn of `in`: of its conversation, or of a new one if
 * conversation_id is nil. Uses deps->db, http and tools; tools may ask their
 * servers for what they offer. Only the boundary of untrusted text
 * (prompt/untrusted.h) differs from what the turn sends.
 * Errors: those of target_can_chat, context_prompt_find, context_module_find,
 * attach_read and llm_build; ERR_NOT_FOUND, also for a conversation of another
 * agent.
 */
int context_preview(const struct turn_deps *deps, const struct turn_request *in,
		    struct arena *a, struct context_preview *out,
		    struct err *e) MUST_CHECK;

enum context_preview_for {
	PREVIEW_FOR_ADMIN,	/* all texts and the request */
	/*
	 * Without the request and without the texts of layers that the caller
	 * may not read; long texts are cut.
	 */
	PREVIEW_FOR_CALLER,
};

/*
 * Writes the Preview of docs/openapi.yaml. Only parts of the system prompt have
 * name to text; hash and text are null if the caller may not read the layer.
 */
void context_preview_write(const struct context_preview *p,
			   enum context_preview_for who, struct jw *w);

#endif
