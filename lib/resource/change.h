/* SPDX-License-Identifier: MIT */
/*
 * Changes of resources: each is a row that is written in the transaction of the
 * change itself, so that nothing is told that was not stored, and nothing stored is
 * forgotten. They say to everyone who sees the rows that something is new. Those of TRACKED
 * resources are also read as what happened, and have what is needed to take one back; those
 * of ANNOUNCED ones say only what is to be read again.
 */
#ifndef RESOURCE_CHANGE_H
#define RESOURCE_CHANGE_H

#include "resource/call.h"

/* A change that was stored. Texts are in the arena of its caller. */
struct resource_changed {
	struct uuid id;			/* of its row */
	struct uuid row_id, top_id;	/* of what was changed, and of the top above it */
	const char *kind;
	struct str verb;		/* create, update, delete or move */
	struct str title;
	int64_t number;			/* its version then, as shown */
	/*
	 * JSON object: the record as it is now, without LONG values; of a move what is new;
	 * of what is deleted an empty one.
	 */
	struct str patch;
	struct resource_changed *next;
};

/*
 * Collects the changes of one caller (caller.changes), in their order, and says why they
 * were made. Not for several threads at once.
 */
struct resource_changes {
	struct uuid turn_id;	/* of the agent that makes them; nil: a person does */
	struct uuid conversation_id;	/* of that turn */
	struct uuid undoes;	/* the change that they take back; nil: none */
	bool others;		/* text of others may be in them */
	/*
	 * The call of a plan that makes them (plan/rows.h): each change is counted there in
	 * its transaction, and refused with ERR_CONFLICT once another try has begun. nil:
	 * not in a plan.
	 */
	struct uuid plan_id;
	int64_t plan_call, plan_try;
	struct resource_changed *first, *last;
};

/* Appends those of from, with their texts, to another list. In a. */
void resource_changes_copy(struct resource_changes *to,
			   const struct resource_changes *from, struct arena *a);

/* The kind of a TRACKED resource, as its changes name it; NULL: it is none. */
const char *resource_kind(const struct resource *r);

/* The TRACKED resource of that kind; NULL: there is none. */
const struct resource *resource_of_kind(struct str kind);

/* The title of a row of a TRACKED resource. */
struct str resource_title(const struct resource *r, const struct resource_row *row);

/*
 * What was changed: a row of a TRACKED resource, r. before: JSON text of an object, kept
 * as before_json (p == NULL: nothing); fields: JSON text of an array of keys.
 */
struct resource_change_row {
	struct uuid id;
	const struct resource *r;
	const struct resource_row *row;
	struct str verb, fields, before;
	struct str patch;	/* for resource_change_tell: see struct resource_changed */
};

/* Writes such a row, in the transaction of the change (by->db). */
int resource_change_add(const struct caller *by, const struct resource_change_row *c,
			struct err *e) MUST_CHECK;

/*
 * ANNOUNCED: writes the row that tells those who read row (at: its scope; of a deletion only
 * its id and holder need be known) of the change, in its transaction; does nothing for
 * others. verb: create, update or delete. why: NULL: nobody's turn. last: nothing follows in
 * the closure of tx, so that the COMMIT is part of it if the closure ends the transaction.
 */
int resource_announce(struct db *tx, const struct resource *r, const struct resource_at *at,
		      const struct resource_row *row, struct str verb,
		      const struct resource_changes *why, bool last,
		      struct err *e) MUST_CHECK;

/* Collects it after the transaction, if the caller does. */
void resource_change_tell(const struct caller *by, const struct resource_change_row *c);

/* Members of that which are no fields: see struct resource_change, and struct resource_was. */
#define RESOURCE_WITH "with"
#define RESOURCE_WAS "was"

/*
 * What a row was before the change with this id, a JSON object of fields by key (of a
 * PERSON: the login, or null), kept by by's arena; NULL if nothing is kept. The caller has
 * checked that the user sees the change, which is one of r.
 */
int resource_change_before(const struct caller *by, const struct resource *r,
			   const struct uuid *change, json_t **out,
			   struct err *e) MUST_CHECK;

#endif
