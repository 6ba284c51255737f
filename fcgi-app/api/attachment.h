/* SPDX-License-Identifier: MIT */
/* Shared by handlers of files: uploads and downloads. */
#ifndef API_ATTACHMENT_H
#define API_ATTACHMENT_H

#include "file/upload.h"
#include "multipart.h"
#include "response.h"

/* What the headers of an upload say. */
struct upload_part {
	bool complete;	/* the last part: the file is finished afterwards */
	int64_t offset;	/* bytes of the file before this part */
	int64_t whole;	/* bytes of the whole file; -1: unknown */
};

/*
 * Appends the body, or the open part of m (NULL: the body is the file), to t;
 * p->complete: then finishes it (file_finish). What arrived before an error is kept.
 * Errors of file_upload_add and of the body; ERR_INVALID_FIELD if the file does not
 * have p->whole bytes, or is finished by an empty body without p->whole.
 */
int api_file_receive(struct request *rq, struct multipart *m,
		     const struct owner *o, const struct file_caps *caps,
		     const struct upload_part *p, struct attachment *t,
		     struct err *e) MUST_CHECK;

/*
 * Stores the open part of a form as an attachment of the caller, and reads its
 * text. If that fails, there is no attachment. ERR_TOO_BIG, ERR_CONFLICT,
 * ERR_FORBIDDEN with a sentence for the user; ERR_OVERLOADED if it cannot be read
 * now; ERR_BAD_REQUEST if the body is cut off. *out: in rq's arena.
 */
int api_attachment_take(struct request *rq, struct multipart *m, struct str name,
			struct attachment *out, struct err *e) MUST_CHECK;

/*
 * Stores bytes as an attachment of the caller with this id, and reads their text. One
 * that exists already is left as it is. bytes are not empty. Errors of api_attachment_take.
 */
int api_attachment_put(struct request *rq, const struct uuid *id, struct str name,
		       struct str bytes, struct err *e) MUST_CHECK;

/* A Content-Disposition for a download of this name. In rq's arena. */
const char *api_disposition(struct request *rq, struct str name);

/*
 * Sends t, or the range of it that rq requests, as a download that is not
 * displayed. The caller has checked its owner. ERR_OVERLOADED: the user has too
 * many downloads.
 */
int api_file_send(struct request *rq, struct response *rs,
		  const struct attachment *t, struct err *e) MUST_CHECK;

#endif
