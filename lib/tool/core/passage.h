/* SPDX-License-Identifier: MIT */
/*
 * The passages that a turn uses: results of tools, parts of attachments. Each gets a
 * number that is unique in the turn, by which the model cites it: [3]. Agents that
 * run within a call share the turn's.
 */
#ifndef TOOL_PASSAGE_H
#define TOOL_PASSAGE_H

#include "base/json.h"
#include "store/source.h"

struct passages;

/* Owned: passages_free (NULL is fine). */
struct passages *passages_new(void);
void passages_free(struct passages *p);

/*
 * Adds a copy of *s and returns its number (s->no is ignored); a known passage
 * keeps its number. 0: there are LIM_SOURCES already, so it must not be used.
 * An url that is not http or https is left out. p may be NULL: 0. Any thread.
 */
int passages_add(struct passages *p, const struct source *s);

/* Adds a passage of an earlier run under its number s->no. */
void passages_restore(struct passages *p, const struct source *s);

/* The numbers up to and including no are in use and are not assigned. */
void passages_reserve(struct passages *p, int64_t no);

/* A search was made, whatever it found: the answer's citations are checked. */
void passages_note_search(struct passages *p);
bool passages_searched(struct passages *p);

/*
 * The i-th by number (from 0), until p is freed; NULL: there are no more. Any
 * thread.
 */
const struct source *passages_at(struct passages *p, size_t i);

/*
 * Writes the members of s into an open object: number, documentId,
 * knowledgeBaseId, attachmentId, chunkId, page, score.
 */
void passages_write_place(struct jw *w, const struct source *s);

/*
 * The same with externalId, title, url and text (at most so many characters).
 */
void passages_write_members(struct jw *w, const struct source *s,
			    size_t text_chars);

#endif
