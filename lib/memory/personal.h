/* SPDX-License-Identifier: MIT */
/*
 * What users let assistants remember of them in all conversations (E40): rows of the
 * resource PERSONAL_MEMORY, sentences that are kept, proposed or refused. After a turn a
 * model reads the user's message, and nothing else of the conversation, and proposes; the
 * user decides (docs/memory.md). So no page, document or tool can propose anything.
 */
#ifndef MEMORY_PERSONAL_H
#define MEMORY_PERSONAL_H

#include "base/json.h"
#include "prompt/builtin.h"
#include "prompt/origin.h"
#include "store/store.h"

struct personal {
	struct str text;
	struct str state;	/* "kept", "proposed", "refused" */
	struct str origins;	/* JSON array; p == NULL: nobody else's text */
};

/* All of the user, newest first. 1 round trip. Text in a. */
int personal_list(struct db *db, const struct owner *o, struct arena *a,
		  struct personal **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Of n rows the kept ones that are sent with a message, as lines of text in a: those with
 * most words of the message, then the newest, up to these characters; own: only those from
 * the user's words alone, else only the others, whose origins are added to from.
 * ERR_INTERNAL without the libraries of words.
 */
int personal_text(const struct personal *v, size_t n, struct str message, bool own,
		  size_t chars, struct arena *a, struct origins *from, struct str *out,
		  struct err *e) MUST_CHECK;

/*
 * The sentences that an answer of the model proposes, into out, room for PERSONAL_NEW:
 * of one line, at most LIM_PERSONAL_MEMORY_CHARS, not among the n known ones. A sentence
 * with a number that the message does not have is left out. In a.
 */
enum { PERSONAL_NEW = 3 };
/* What a turn says of the job: the member `personal` of its args. */
struct personal_options {
	bool keep;		/* what is from the user's words alone is kept unasked */
	struct str service;	/* id of the summarise service; p == NULL: the turn's */
};

/* Writes it as a JSON object. */
void personal_options_write(struct jw *w, const struct personal_options *p);

/* Requests the job for a turn. args: of the turn's work afterwards, with its wish. */
int personal_ask(struct db *db, const struct owner *o, const struct uuid *turn,
		 struct str args, struct err *e) MUST_CHECK;

#endif
