/* SPDX-License-Identifier: MIT */
/*
 * OpenAI's Responses API: a response as an object, and as the events that build it.
 * Source: OpenAI API reference, responses and their streaming events (2026-11),
 * recordings of them, and openai-node 7.57.0 as their reader.
 */
#ifndef DIALECT_RESPONSES_H
#define DIALECT_RESPONSES_H

#include "base/json.h"
#include "dialect/dialect.h"
#include "store/source.h"
#include "turn/turn.h"

#define RESPONSES_ID "resp_"

struct openai_asked;	/* dialect/openai.h */

/* A response, and what of it a stream has sent. */
struct responses {
	json_t *echo;		/* members that repeat the request; borrowed */
	int64_t skip;		/* so many events are not written, since the client has
				 * them; the last one always is */
	/* -- from here on the stream's own: zero at first -- */
	json_t *output;		/* items that are complete */
	int64_t sequence;
	int open;		/* enum responses_item: the item that is being sent */
	struct buf text;	/* of that item */
};

enum responses_item { RESPONSES_NONE, RESPONSES_MESSAGE, RESPONSES_REASONING };

/*
 * Appends the frames of an event of a turn, of which those before it were written, too;
 * asked->responses is set. unsent: of TURN_EV_DONE, text of the answer that no event had.
 */
void responses_write(struct buf *out, const struct turn_event *ev,
		     const struct openai_asked *asked, struct str unsent);

/* Frees what a stream holds whose end was not written; a second call does nothing. */
void responses_release(struct responses *r);

/*
 * The response of a turn that ended or waits as an object: its answer, with reasoning,
 * and the calls of the client. New.
 */
json_t *responses_whole(const struct responses *r, const struct turn_run *run,
			const struct message *answer, struct str text,
			const struct turn_wait *waits, size_t n_waits);

#endif
