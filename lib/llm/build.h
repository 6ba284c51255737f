/* SPDX-License-Identifier: MIT */
/*
 * Requests, the part that all dialects share: messages brought into an order
 * that every server accepts, tool names and ids in their wire form, schemas,
 * replayed members, extra_body. Inside lib/llm only.
 */
#ifndef LLM_BUILD_H
#define LLM_BUILD_H

#include "llm/error.h"
#include "llm/provider.h"

/* A message as it is sent; msg is NULL for one that was added here. */
struct build_item {
	enum llm_role role;
	const struct llm_message *msg;
	struct str text;
	const struct llm_image *images;	/* user: before the text */
	size_t n_images;
	size_t n_calls;			/* assistant: of msg, that are sent */
	struct str call_id, tool_name;	/* tool */
	bool is_error;			/* tool */
	bool in_loop;			/* after the last user message */
};

struct build_tool {
	const struct llm_tool *of;
	struct str wire_name;
	const char *description;
	const struct schema_form *schema;	/* kept by the arena */
};

/* A tool's schema as it is sent. Shared between threads, never changed. */
struct schema_form {
	_Atomic int refs;
	const json_t *from;	/* the tool's own, and what was asked of it */
	int filter;
	json_t *normal;
	struct str text;	/* normal as JSON */
	size_t chars;		/* of text */
};

struct build {
	const struct llm_request *r;
	const struct provider *p;
	struct quirks q;
	unsigned repair;	/* REPAIR_* to apply */
	unsigned helps;		/* REPAIR_* that would change the request */
	struct arena *a;
	struct build_item *items;
	size_t n_items;
	struct build_tool *tools;	/* sorted by name (P-E12) */
	size_t n_tools;
	struct str system;	/* all blocks in one, "" = none */
	struct buf body;
	struct jw w;		/* on body */
};

/*
 * llm_build with repairs (REPAIR_*, error.h). The URL and headers are in *out
 * too.
 */
int build_request(const struct llm_request *r, unsigned repair,
		  struct arena *a, struct llm_wire *out, struct err *e)
	MUST_CHECK;

/*
 * Whether the dialect makes one message of neighbours by itself: results and a
 * user's words are one there.
 */
static inline bool build_merges(const struct build *b)
{
	return b->p->dialect == &llm_dialect_anthropic;
}

/* Never NULL: jw_kstr writes null for NULL. */
static inline struct str build_text(struct str s)
{
	return s.p ? s : STR("");
}

/*
 * Starts a top-level member, unless extra_body has it: then false, and
 * build_extra writes the admin's value.
 */
bool build_key(struct build *b, const char *key);

/* Writes extra_body's members but `skip` (may be NULL). Last in the body. */
void build_extra(struct build *b, const char *skip);

/*
 * Whether an optional part may be sent: that for which the repair is has not been
 * refused. Asked only where there is such a part.
 */
bool build_may(struct build *b, unsigned repair);

/* The output limit, 0 = none. */
int build_max_tokens(struct build *b);

/*
 * Writes "temperature", "top_p", "seed" and the penalties as far as they are set, the
 * format takes them, and they may be sent.
 */
void build_sampling(struct build *b);

/* Writes the wish's stop sequences as a list, if there are any. */
void build_stop(struct build *b, const char *key);

/* The effort of the wish, else the service's; n == 0: none, or it may not be sent. */
struct str build_effort(struct build *b);

/* The wish, never NULL. */
const struct llm_params *build_params(const struct build *b);

/* Wire forms of a call id (P-B5, P-B6) and a tool name (P-B14); in the arena. */
struct str build_call_id(struct build *b, struct str id);
struct str build_tool_name(struct build *b, struct str name);

/* The same as JSON text. In the arena. */
struct str build_args_text(struct build *b, struct str args);

/*
 * The members to send back with an assistant message: NULL when there are
 * none, when they come from another provider, model or address, or when the
 * quirk or a repair says not to (P-B12, P-B13). Borrowed.
 */
const json_t *build_replay(struct build *b, const struct build_item *it);
/* Whether o, a replay or opaque, was made by this service (P-B12). */
bool build_same_origin(const struct build *b, const json_t *o);
/* Writes the members of o, if any, into the open object. */
void build_members(struct build *b, const json_t *o);

/* Writes {"type":"function","function":{…}}. */
void build_function_tool(struct build *b, const struct build_tool *t);

/*
 * A tool's schema as the quirk wants it, rendered once for many turns; NULL is
 * taken for {}. The arena holds it.
 */
const struct schema_form *llm_schema_form(const json_t *schema, int filter,
					  struct arena *a);

/* A schema as the quirk wants it (P-E10, P-E11). New reference. */
json_t *llm_schema_normal(const json_t *schema, int filter);
/* Whether a schema keeps the rules of strict:true (P-E9). */
bool llm_schema_is_strict(const json_t *schema);

#endif
