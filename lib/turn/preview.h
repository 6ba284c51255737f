/*
 * What a turn would send to its model, before it is spent (DESIGN.md section
 * 7). The very code of the turn makes it; nothing is stored and no model is
 * asked. Under `lamplighter preview` and the preview of the API.
 */
#ifndef TURN_PREVIEW_H
#define TURN_PREVIEW_H

#include "llm/llm.h"
#include "prompt/part.h"
#include "turn/turn.h"

struct context_preview {	/* all in the arena, or borrowed from conf */
	struct caller by;
	const struct workspace *workspace;
	const struct agent *agent;
	struct uuid conversation_id;	/* nil: it would be a new one */
	const struct llm_service *service;
	bool own;			/* the service is the caller's own */
	const char *rule;		/* of "auto" that chose it; or NULL */
	struct part_share share[PART__MAX];
	struct prompt_blocks blocks;	/* the system prompt */
	const struct llm_tool *tools;
	const struct llm_tool_form *forms;	/* of tool i, as it is sent */
	size_t n_tools, n_messages;
	int64_t tokens;			/* of all (C25) */
	struct str body;		/* the request's, as it would be sent */
};

/*
 * Makes the preview of a turn of `in`: a new one of the conversation, or of a
 * new one where conversation_id is nil. Of deps, db, http and tools are used.
 * Only the boundary of untrusted text (prompt/untrusted.h) differs from what
 * the turn itself sends. Tools may ask their servers what they offer.
 * The errors of target_can_chat, chosen_find, chosen_module_find, attach_read and
 * llm_build; ERR_NOT_FOUND, also if the conversation is another agent's.
 */
int context_preview(const struct turn_deps *deps, const struct turn_request *in,
		    struct arena *a, struct context_preview *out,
		    struct err *e) MUST_CHECK;

enum context_preview_for {
	PREVIEW_FOR_ADMIN,	/* with all texts and the request */
	/* Without the request, and without the texts of layers that the caller may
	   not read; long texts are cut. */
	PREVIEW_FOR_CALLER,
};

/*
 * Writes the Preview of docs/openapi.yaml. name to text are for parts of the system
 * prompt only; hash and text are null where the caller may not read the layer.
 */
void context_preview_write(const struct context_preview *p,
			   enum context_preview_for who, struct jw *w);

#endif
