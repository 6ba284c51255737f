/*
 * Idempotency-Key (DESIGN 6): a repeated key gives the first answer.
 *
 * What a request with a key creates has its id from the key: the same for this
 * caller, kind of thing and key. So it is found again by its id, whichever
 * process made it, and a key is good for as long as that is there. The other
 * way, a table of keys and answers, has rows that must expire, and still must
 * be written in the transaction of what they stand for.
 *
 * draft-ietf-httpapi-idempotency-key-header: another request under a key that
 * was used is 422; one that comes while the first is at work may be a 409.
 *
 * A form of the plain pages has its key in it: its token.
 */
#ifndef API_IDEMPOTENT_H
#define API_IDEMPOTENT_H

#include "api/send.h"
#include "store/conversation.h"
#include "store/turn.h"

/*
 * 1 and the id that the request's key gives to a thing of kind ("fork"), 0 and
 * nil when it has no key; -1 with ERR_INVALID_FIELD when the key is not 1 to
 * LIM_KEY_BYTES visible characters.
 */
int idempotent_id(const struct request *rq, const char *kind, struct uuid *id,
		  struct err *e) MUST_CHECK;

/* That the key was used for something else: ERR_INVALID_FIELD. Returns -1. */
int idempotent_differs(struct err *e);

/* 1 and the caller's conversation, 0 when there is none of that id, -1. */
int idempotent_conversation(struct request *rq, const struct uuid *id,
			    struct conversation *out, struct err *e) MUST_CHECK;

/* What a turn is compared with: that it is the same request. */
struct idempotent_turn {
	struct str content;		/* p == NULL: any */
	struct str meta;		/* of the message; with content */
	const struct uuid *conversation;	/* NULL: any */
	struct str workspace_id, agent_id;	/* the conversation's; p == NULL: any */
	int64_t user_seq;		/* of the message; 0: any */
};

/*
 * For a request that opens a turn: 1 when its key has done so before, and the
 * turn; 0: go on, the one that is opened here (send.h) gets the key's id. -1:
 * ERR_INVALID_FIELD. Text in rq's arena.
 */
int idempotent_find(struct request *rq, const struct idempotent_turn *same,
		    struct turn *out, struct err *e) MUST_CHECK;

/*
 * The same for a form: 1 when this very form (path, token, fields) has opened a
 * turn before. One with another text is another form, whatever page it came
 * from; one without a token, of a program, is always new.
 */
int idempotent_form(struct request *rq, struct turn *out,
		    struct err *e) MUST_CHECK;

/* The same as idempotent_find; when 1, what that turn tells was streamed, from its start. */
int idempotent_stream(struct request *rq, struct response *rs,
		      const struct idempotent_turn *same,
		      const struct send_as *as, struct err *e) MUST_CHECK;

/*
 * The same once the turn has ended or waits: *run has then its user message and
 * its answer, as turn_run leaves them, *status says how it is. ERR_BUSY with the
 * turn's id when this process is told to stop before.
 */
int idempotent_end(struct request *rq, const struct idempotent_turn *same,
		   struct turn_run *run, enum turn_status *status,
		   struct err *e) MUST_CHECK;

/*
 * Whether a form, or a request with a key, that e (ERR_CONFLICT) refuses only
 * decides again what was decided so before about the waiting calls of a turn:
 * then e is cleared, and *after is the event behind which the first answer
 * began; else e stays as it is, or says that the key is a bad one.
 */
bool idempotent_decided(struct request *rq, const struct uuid *turn,
			const struct turn_decision *v, size_t n, int64_t *after,
			struct err *e) MUST_CHECK;

#endif
