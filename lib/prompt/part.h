/* SPDX-License-Identifier: MIT */
/*
 * Context parts: the model's context is the sum of the rows of part.def, and
 * one allocator divides the tokens of the service's window among them. A token
 * is four characters, rounded up for each block, message and tool (C25).
 *
 * Parts of the system prompt are texts. Stable ones, equal from turn to turn,
 * come first, so that provider prompt caches hit (E30). A text that gets too
 * few tokens is cut at its end, with a note, or left out if not even its
 * beginning fits. The guardrails are never cut.
 */
#ifndef PROMPT_PART_H
#define PROMPT_PART_H

#include <stdint.h>

#include "domain/catalog.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "prompt/blocks.h"
#include "prompt/origin.h"

struct author;		/* resource/author.h */
struct untrusted;	/* prompt/untrusted.h */
struct module_use;	/* prompt/module.h */

enum part_id {
#define PART(id, layer, kind, min, max, priority, fill, what) PART_##id,
#define PART_OF_TURN(id, layer, min, max, priority, what) PART_##id,
#include "prompt/part.def"
#undef PART
#undef PART_OF_TURN
	PART__MAX
};

enum part_kind {
	PART_IS_STABLE,		/* equal from turn to turn */
	PART_IS_CHANGING,
	PART_IS_OWN,		/* words of the caller, which do not taint, in an
				   envelope that is equal from turn to turn */
	PART_IS_DATA,		/* untrusted text, in the turn's envelope */
	PART_IS_OF_TURN,	/* not a text of the system prompt */
};

/* Input of the fill functions. Everything is borrowed. */
struct part_input {
	const struct conf *conf;
	const struct workspace *workspace;
	const struct agent *agent;
	const struct untrusted *envelope;	/* for PART_IS_DATA */
	const struct setting_values *values;	/* settings of the user; or NULL */
	/* The user whose groups' layers and stored prompts apply; or NULL. */
	const struct identity *who;
	const struct setting_values *teams;
	const struct module_use *module;	/* the active one; or NULL */
	const json_t *shown;	/* by the client (shown.h); or NULL */
	bool tools;		/* tools are offered */
	struct str mentions;	/* of the message; untrusted */
	struct str knowledge;	/* passages for it; untrusted */
	struct str scope;	/* what the context type asks for */
	struct str place;	/* where the user is; untrusted unless it is own */
	bool place_is_own;	/* nobody else has written in it */
	struct str memory, state;	/* of the conversation; untrusted unless they are own */
	bool memory_is_own;	/* made from the user's words alone */
	int memory_version;	/* of both, for the stamp */
	struct str recalled_own, recalled;	/* of the user; the latter untrusted */
	struct str user_name;	/* display name; empty = unknown */
	int64_t now_us;		/* 0 = no date */
	struct str zone;	/* of the date (base/zone.h); "": the process's */
	struct arena *arena;	/* the turn's */
	/* Where prompts by others are noted as origins; NULL: nowhere. */
	struct origins *from;
};

/* The result of a fill function. Borrows from the input, or in its arena. */
struct part_text {
	/* For the stamp; for DATA also for the envelope */
	const char *name;
	int version;		/* 0 = unversioned */
	struct str text;	/* empty: not in this turn */
};

/*
 * Sets *out, zeroed before, to a part's text for this turn. May block. An error
 * ends the turn, so an optional part should rather leave it empty.
 */
typedef int part_fill(const struct part_input *in, struct part_text *out,
		      struct err *e);

#define PART(id, layer, kind, min, max, priority, fill, what) part_fill fill;
#define PART_OF_TURN(id, layer, min, max, priority, what)
#include "prompt/part.def"
#undef PART
#undef PART_OF_TURN

/*
 * Notes a prompt in in->from unless its author is trusted, as "bob (agent sage)".
 * what and name: such as "agent" and its id.
 */
void part_note(const struct part_input *in, enum origin_entry entry,
	       const char *what, struct str name, const struct author *by);

#define PART_WHOLE INT64_MAX	/* as min: never cut */
#define PART_PRIORITY_MAX 9

struct part_row {
	const char *layer;	/* its name, and the stamp's layer */
	enum part_kind kind;
	int64_t min, max;	/* tokens; see part.def */
	int priority;
	part_fill *fill;	/* NULL = a part of the turn */
	const char *what;
};
extern const struct part_row part_rows[PART__MAX];

struct part_share {		/* of one part; zero-initialised: nothing */
	int64_t want;		/* tokens wanted */
	int64_t tokens;		/* tokens granted; once composed, tokens used */
	bool cut;		/* something was left out for lack of room */
};

/*
 * Computes the tokens of each share from its want, its row and the window (in
 * tokens). The sum exceeds the window only if the minimums do. Any thread.
 */
void part_allocate(int64_t window, struct part_share share[PART__MAX]);

/*
 * Fills all texts, allocates, cuts, and adds the blocks to out, in in->arena.
 * On entry, share has the want of the turn's own parts; on return, the tokens
 * of all. Errors of the fill functions.
 */
int part_compose(const struct part_input *in, int64_t window,
		 struct part_share share[PART__MAX], struct prompt_blocks *out,
		 struct err *e) MUST_CHECK;

/* For `list parts`: one line per part. */
void part_print_list(struct buf *out);

#endif
