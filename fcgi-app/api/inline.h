/* SPDX-License-Identifier: MIT */
/*
 * Files in the messages of clients with other protocols: data URLs, bytes as base64,
 * addresses, ids of attachments. Each becomes an attachment of the caller, as if it had
 * been uploaded (docs/files.md): the same limits, the content stored once, its text
 * read. One that is refused does not stop the message: the model and the client are
 * told.
 */
#ifndef API_INLINE_H
#define API_INLINE_H

#include "route.h"
#include "turn/turn.h"

/* Whether a part of a message is a file, in any of the dialects. */
bool inline_is(const json_t *part);

/* Whether a content (a text, or a list of parts) has files. */
bool inline_has(const json_t *content);

/* The files of one request. */
struct inline_files {
	json_t *ids;		/* of attachments; in the arena */
	struct str note;	/* for the model, of those that were refused; or empty */
	size_t refused;		/* how many were */
	size_t tried;		/* how many were looked at: twice what a message may have */
	size_t read;		/* bytes that came from addresses */
	int64_t until_ms;	/* monotonic: no more of them afterwards; 0: none yet */
};

/*
 * Adds the files of a content, in their order. Whatever is wrong with a file is told,
 * and is no error; those of the server are. In rq's arena.
 */
int inline_take(struct request *rq, const json_t *content, struct inline_files *f,
		struct err *e) MUST_CHECK;

/*
 * Makes the files part of the request for a turn: its option attachments, and in its
 * metadata what was refused. ERR_INVALID_FIELD (messages) if the message has neither a
 * text nor a file that can be used.
 */
int inline_use(struct request *rq, const struct inline_files *f, struct turn_request *in,
	       struct err *e) MUST_CHECK;

/* Tells the client how many files were refused: X-Refused-Attachments. */
void inline_tell(struct response *rs, const struct inline_files *f);

#endif
