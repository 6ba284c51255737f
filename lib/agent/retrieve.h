/*
 * Passages of knowledge bases for a question: which bases are meant (B14), the
 * question's vector, the search in each, and the ranking by a service (B52). For
 * tools, for what a turn is given without asking, and for the API. If a service
 * fails, there are passages nevertheless, and a sentence that says so.
 */
#ifndef AGENT_RETRIEVE_H
#define AGENT_RETRIEVE_H

#include "agent/agent.h"
#include "agent/caller.h"
#include "llm/retrieval.h"
#include "search/kb.h"
#include "store/source.h"

struct retrieve_hit {
	const struct resource_row *base;	/* of RESOURCE_KNOWLEDGE_BASE */
	struct search_found *found;
	const struct kb_document *document;
};

/* As a turn numbers it (tool/core/passage.h); borrowed from hit. */
struct source retrieve_source(const struct retrieve_hit *hit);

/*
 * What the caller sees of a base, into *at, for retrieve_seen. ERR_NOT_FOUND: nothing.
 */
typedef int retrieve_sight(void *ctx, const struct uuid *base, struct kb_at *at,
			   struct err *e);

/*
 * Leaves of *n sources those that the caller may see now, in their order: of documents,
 * by sight (NULL: as turns search, by the caller's groups), and of their attachments.
 * One look-up for each base. Errors of the database.
 */
int retrieve_seen(const struct caller *by, retrieve_sight *sight, void *ctx,
		  struct source *v, size_t *n, struct arena *a,
		  struct err *e) MUST_CHECK;

struct retrieve_ask {		/* all borrowed */
	const struct caller *by;
	const struct llm_call *io;	/* http NULL: words alone */
	const struct resource_row *bases;
	size_t n_bases;
	bool more;		/* there are others, which is said in the notice */
	/* mode, text, all, documents and max; groups are by's. */
	struct search_ask ask;
	double min_score;	/* 0 to 1; see retrieve_find */
	const struct llm_service *ranker;	/* or NULL */
	size_t max_ranked;	/* passages behind the ranking; 0: ask.max */
};

struct retrieve_found {
	struct retrieve_hit *v;	/* best first */
	size_t n;
	const char *notice;	/* what did not work, a sentence; or NULL */
};

/*
 * Searches, in a. Passages of several bases are in the order of their scores, where
 * all were searched in the same way; else of their ranks.
 * min_score leaves out what is worse: by the ranker's score, where it ranked (a
 * score beyond 0 to 1 is taken for a logit); the cosine, in mode SEARCH_VECTORS;
 * else by the part of the best possible score (fused) or of the best one (words).
 * Errors of the database; ERR_INVALID_FIELD, public: mode SEARCH_VECTORS of a base
 * without vectors.
 */
int retrieve_find(const struct retrieve_ask *q, struct arena *a,
		  struct retrieve_found *out, struct err *e) MUST_CHECK;

/*
 * The bases that are meant, of those that the caller sees in this workspace (NULL:
 * all): the conversation's set (set.p NULL: not said), else the agent's (NULL: none),
 * else all, at most LIM_BASES_SEARCHED, the first by name. A set may name bases that
 * have gone: it means what is left of it, perhaps nothing. In a.
 */
struct retrieve_bases {
	struct resource_row *v;
	size_t n;
	bool more;		/* the caller sees others that are meant as well */
};
int retrieve_bases(const struct caller *by, const struct workspace *w,
		   const struct agent *agent, struct str set, struct arena *a,
		   struct retrieve_bases *out, struct err *e) MUST_CHECK;

/* The set of the caller's conversation: JSON; p == NULL: not said, or none there. */
int retrieve_set(const struct caller *by, const struct uuid *conversation,
		 struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/*
 * Checks a set that the caller gives: a JSON array of ids of bases that they see, or
 * that are in old (JSON; p == NULL: none). *out: the set as JSON, each base once, in
 * a. ERR_INVALID_FIELD, public, with key.
 */
int retrieve_set_check(const struct caller *by, const json_t *set, struct str old,
		       const char *key, struct arena *a, struct str *out,
		       struct err *e) MUST_CHECK;

/* What an agent says of retrieval, in its row or its file; else nothing is enabled. */
struct retrieve_wish {
	bool enabled, ranks;
	size_t max, max_ranked;	/* 0: not said */
	double min_score;
	struct str ranker;	/* p == NULL: not said */
};
struct retrieve_wish retrieve_wish_of(const struct agent *agent);

#endif
