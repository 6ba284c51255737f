/* SPDX-License-Identifier: MIT */
/*
 * Retrieval: finds passages of knowledge bases for a question. Selects the
 * bases (B14), makes the question's vector, searches each base, and ranks the
 * results by a service (B52). Used by tools, by turns with ragEnabled, and by
 * the API. If a service fails, the other passages are returned with a sentence
 * that says so.
 */
#ifndef KNOWLEDGE_RETRIEVE_H
#define KNOWLEDGE_RETRIEVE_H

#include "domain/agent.h"
#include "auth/caller.h"
#include "llm/retrieval.h"
#include "knowledge/kb.h"
#include "store/source.h"

struct retrieve_hit {
	const struct resource_row *base;	/* a row of
						   RESOURCE_KNOWLEDGE_BASE */
	struct search_found *found;
	const struct kb_document *document;
};

/* A hit as a source of a turn (tool/core/passage.h); borrows from hit. */
struct source retrieve_source(const struct retrieve_hit *hit);

/*
 * Sets *at to the caller's view of a base, for retrieve_seen. ERR_NOT_FOUND if
 * the caller may not see it.
 */
typedef int retrieve_sight(void *ctx, const struct uuid *base, struct kb_at *at,
			   struct err *e);

/*
 * Filters *n sources down to those that the caller may see now, keeping their
 * order. Documents are checked by sight (NULL: by the caller's groups, as in
 * turns), attachments by their owner. One look-up per base. Database errors.
 */
int retrieve_seen(const struct caller *by, retrieve_sight *sight, void *ctx,
		  struct source *v, size_t *n, struct arena *a,
		  struct err *e) MUST_CHECK;

struct retrieve_ask {		/* everything is borrowed */
	const struct caller *by;
	const struct llm_call *io;	/* http NULL: search words only */
	const struct resource_row *bases;
	size_t n_bases;
	bool more;		/* not all bases are searched; the notice says so */
	/* mode, text, all, documents and max; groups are set from by */
	struct search_ask ask;
	double min_score;	/* 0 to 1; see retrieve_find */
	const struct llm_service *ranker;	/* or NULL */
	size_t max_ranked;	/* passages after ranking; 0: ask.max */
};

struct retrieve_found {
	struct retrieve_hit *v;	/* best first */
	size_t n;
	const char *notice;	/* a sentence about what failed; or NULL */
};

/*
 * Searches, in a. Passages of several bases are ordered by score if all bases
 * were searched in the same way, else by rank.
 * A hit's score is how sure it is that the passage answers the question, from 0 to 1
 * (search/sure.h), however it was found and ranked; the order is the ranking's.
 * min_score drops passages below it.
 * Database errors; ERR_INVALID_FIELD, public: mode SEARCH_VECTORS for a base
 * without vectors.
 */
int retrieve_find(const struct retrieve_ask *q, struct arena *a,
		  struct retrieve_found *out, struct err *e) MUST_CHECK;

/*
 * Selects the bases to search, among those that the caller sees in this
 * workspace (NULL: in all): the conversation's set (set.p == NULL: not set),
 * else the agent's (NULL: none), else all, at most LIM_BASES_SEARCHED, in the
 * order of their names. Deleted bases of a set are ignored, even if none is
 * left. In a. Database errors.
 */
struct retrieve_bases {
	struct resource_row *v;
	size_t n;
	bool more;		/* there are further ones */
};
int retrieve_bases(const struct caller *by, const struct workspace *w,
		   const struct agent *agent, struct str set, struct arena *a,
		   struct retrieve_bases *out, struct err *e) MUST_CHECK;

/*
 * The set of the caller's conversation as JSON; p == NULL if it is not set or
 * there is no such conversation.
 */
int retrieve_set(const struct caller *by, const struct uuid *conversation,
		 struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/*
 * Checks a new set: a JSON array of ids of bases that the caller sees or that
 * are in old (JSON; p == NULL: none). *out: the set as JSON, each base once, in
 * a; p == NULL, no set, for NULL, null and the empty array. But if all bases of old
 * were deleted, its record has the empty array, which then means old: what a record
 * has can be written back, and never makes a set wider (B49).
 * ERR_INVALID_FIELD, public, of the field knowledgeBaseIds; database errors.
 */
int retrieve_set_check(const struct caller *by, const json_t *set, struct str old,
		       struct arena *a, struct str *out, struct err *e) MUST_CHECK;

/*
 * An agent's retrieval options, from its row or file; without them retrieval is
 * off.
 */
struct retrieve_options {
	bool enabled, ranks;
	size_t max, max_ranked;	/* 0: not set */
	double min_score;
	struct str ranker;	/* p == NULL: not set */
};
struct retrieve_options retrieve_options_of(const struct agent *agent);

#endif
