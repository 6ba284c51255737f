/* SPDX-License-Identifier: MIT */
/*
 * Who wrote a stored prompt: an agent's, a workspace's, a group's, one of the
 * catalogue. A prompt makes the model act for everybody who uses it, so one that
 * another user wrote taints their turns (tool/core/gate.c) unless an admin trusts
 * it: its author, a group that the author was in, or exactly this text by its hash
 * (trusted_prompts). Trust never belongs to an id, because its text may change.
 *
 * The author stands beside the text, so knowing it costs a turn no read.
 */
#ifndef RESOURCE_AUTHOR_H
#define RESOURCE_AUTHOR_H

#include "auth/caller.h"
#include "resource/resource.h"

#define AUTHOR_HASH_BYTES 65	/* SHA-256 in hex, NUL */

struct author {
	struct str login;	/* empty: the installation, or unknown */
	bool known;		/* there is a text, and who wrote it is known */
	bool trusted;		/* the caller's, the installation's, trusted by an
				   admin, or no text at all */
	bool by_hash;		/* trusted for its hash only */
	char hash[AUTHOR_HASH_BYTES];	/* of the text; "" without one */
};

/*
 * The author of text. stored: its column `author` (p == NULL: unknown). who: the
 * caller; NULL: nobody, who has no texts of their own. out->login is in a.
 */
void author_of(const struct conf *c, const struct identity *who,
	       struct str stored, struct str text, struct arena *a,
	       struct author *out);

/* The same of a row with an AUTHORED field. */
void author_of_row(const struct conf *c, const struct identity *who,
		   const struct resource *r, const struct resource_row *row,
		   struct arena *a, struct author *out);

/* The login of that author; empty: the installation, unknown, or there is no text. In a. */
struct str author_login(const struct resource *r, const struct resource_row *row,
			struct arena *a);

/* The value of the column `author`; who NULL: the installation. In a. */
struct str author_text(const struct identity *who, struct arena *a);

/*
 * Stamps row with its author if a given AUTHORED text is not the one of now, the
 * row before the change (NULL: a new row). A stamp that is already given stays.
 * who as in author_text. Texts in a.
 */
void author_stamp(const struct identity *who, const struct resource *r,
		  const struct resource_row *now, struct resource_row *row,
		  struct arena *a);

/* Stamps row as from's text, of which it is a copy; from NULL: the installation. */
void author_copy(const struct resource *r, const struct resource_row *from,
		 struct resource_row *row);

/*
 * Whether the texts differ in blanks of any kind, line ends and unseen characters only,
 * which forms change.
 */
bool author_same_words(struct str a, struct str b);

/* "bob (agent sage)"; an author who is not known is "somebody". In arena. */
struct str author_label(const struct author *a, const char *what,
			struct str name, struct arena *arena);

/*
 * Writes promptAuthor (a login or null), promptTrusted and promptHash (or null).
 */
void author_write(struct jw *w, const struct author *a);

#endif
