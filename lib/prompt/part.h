/*
 * Context parts: the context of a model is the sum of the rows of part.def, and
 * one allocator gives each part its tokens of the service's window (DESIGN.md
 * section 7). A token is four characters, rounded up for each block, message
 * and tool (C25).
 *
 * Parts of the system prompt are texts. Stable ones, which are the same from
 * turn to turn, come first, so that provider prompt caches hit (E30). A text that
 * does not get all of its tokens is cut at its end, with a note; if not even its
 * beginning fits, it is left out. The guardrails are never cut.
 */
#ifndef PROMPT_PART_H
#define PROMPT_PART_H

#include <stdint.h>

#include "agent/catalog.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "prompt/blocks.h"

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
	PART_IS_STABLE,		/* the same from turn to turn */
	PART_IS_CHANGING,
	PART_IS_DATA,		/* text of others, sent in the turn's envelope */
	PART_IS_OF_TURN,	/* no text of the system prompt */
};

/* What texts are made of. All borrowed. */
struct part_input {
	const struct conf *conf;
	const struct workspace *workspace;
	const struct agent *agent;
	const struct untrusted *envelope;	/* for DATA */
	const struct setting_said *said;	/* settings of the user; or NULL */
	/* Whose groups' layers count, and what these have stored; or NULL. */
	const struct identity *who;
	const struct setting_said *teams;
	const struct module_use *module;	/* the active one; or NULL */
	bool tools;		/* some are offered */
	struct str mentions;	/* what the message mentions; untrusted */
	struct str knowledge;	/* passages for it; untrusted */
	struct str user_name;	/* as shown to people; empty = not said */
	int64_t now_us;		/* 0 = no date */
	struct arena *arena;	/* of the turn */
};

/* The result of fill. Borrowed from the input, or in its arena. */
struct part_text {
	const char *name;	/* for the stamp; of DATA, for the envelope too */
	int version;		/* 0 = it has none */
	struct str text;	/* nothing in it: not in this turn */
};

/*
 * Stores a part's text for this turn in *out, which is zeroed before. May block.
 * A failure ends the turn, so an optional part should give no text instead.
 */
typedef int part_fill(const struct part_input *in, struct part_text *out,
		      struct err *e);

#define PART(id, layer, kind, min, max, priority, fill, what) part_fill fill;
#define PART_OF_TURN(id, layer, min, max, priority, what)
#include "prompt/part.def"
#undef PART
#undef PART_OF_TURN

#define PART_WHOLE INT64_MAX	/* as min: never cut */
#define PART_PRIORITY_MAX 9

struct part_row {
	const char *layer;	/* its name, and the layer of its stamp */
	enum part_kind kind;
	int64_t min, max;	/* tokens; see part.def */
	int priority;
	part_fill *fill;	/* NULL = of the turn */
	const char *what;
};
extern const struct part_row part_rows[PART__MAX];

struct part_share {		/* of one part; zero-initialised: nothing */
	int64_t want;		/* tokens that it would have */
	int64_t tokens;		/* that it gets; once composed, that it has */
	bool cut;		/* something was left out for want of room */
};

/*
 * Sets tokens of each share from its want, its row and the window, in tokens.
 * Their sum exceeds the window only if that of the minimums does. Any thread.
 */
void part_allocate(int64_t window, struct part_share share[PART__MAX]);

/*
 * Fills all texts, allocates, cuts, and adds the blocks to out, in in->arena.
 * On entry, share has the want of the turn's own parts; on return, their tokens.
 * Errors of the fill functions.
 */
int part_compose(const struct part_input *in, int64_t window,
		 struct part_share share[PART__MAX], struct prompt_blocks *out,
		 struct err *e) MUST_CHECK;

/* For `list parts`: a line each. */
void part_print_list(struct buf *out);

#endif
