/* What handlers of files share: bodies on their way in, downloads. */
#ifndef API_ATTACHMENT_H
#define API_ATTACHMENT_H

#include "file/upload.h"
#include "multipart.h"
#include "response.h"

/*
 * What comes of the body, or of the open part of m (NULL: the body is the file), goes
 * behind what t has; complete: then it is read (file_finish). What arrived before an
 * error is kept. Errors of file_upload_add and of the body.
 */
int api_file_receive(struct request *rq, struct multipart *m,
		     const struct owner *o, const struct file_caps *caps,
		     bool complete, struct attachment *t,
		     struct err *e) MUST_CHECK;

/*
 * Stores the open part of a form as an attachment of the caller's, and reads its
 * text. What fails leaves none. ERR_TOO_BIG, ERR_CONFLICT, ERR_FORBIDDEN with a
 * sentence for the user; ERR_OVERLOADED when it cannot be read now; ERR_BAD_REQUEST
 * where the body breaks off. *out: in rq's arena.
 */
int api_attachment_take(struct request *rq, struct multipart *m, struct str name,
			struct attachment *out, struct err *e) MUST_CHECK;

/*
 * All of t, or the range that rq asks for, always to be saved, never shown. The
 * caller has checked whose it is. ERR_OVERLOADED: the user has too many downloads.
 */
int api_file_send(struct request *rq, struct response *rs,
		  const struct attachment *t, struct err *e) MUST_CHECK;

#endif
