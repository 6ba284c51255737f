/* SPDX-License-Identifier: MIT */
/*
 * Attachments: uploads, complete or in parts, and downloads (docs/files.md). Lists
 * and records are the generic ones (resource.c). Bodies are neither parsed nor kept
 * in memory: they are stored piece by piece as they arrive (file/upload.h).
 */
#include "api/attachment.h"

#include "api/api.h"
#include "api/idempotent.h"
#include "api/resource.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "body.h"
#include "file/upload.h"
#include "multipart.h"
#include "quota.h"
#include "route.h"
#include "store/attachment.h"

#include "base/banned.h"

enum { READ_BYTES = 32768, ROOM_BYTES = 1 << 20 };

#define UNSENT_US INT64_C(86400000000)	/* a day */

/* -- uploads -------------------------------------------------------- */

static const struct resource *attachments(void)
{
	return &resources[RESOURCE_ATTACHMENT];
}

/* Upload-Complete: ?1 or ?0; absent: ?1. */
static int read_complete(struct request *rq, bool *out, struct err *e)
{
	struct str s = req_header(rq, "Upload-Complete");

	*out = true;
	if (!s.p)
		return 0;
	*out = str_is(s, "?1");
	if (*out || str_is(s, "?0"))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, "Upload-Complete",
			 "Upload-Complete must be ?1 or ?0.");
}

/* 1: the header is a number of bytes; 0: it is absent; -1: it is neither. */
static int read_bytes(struct request *rq, const char *name, int64_t *out)
{
	struct str s = req_header(rq, name);

	if (!s.p)
		return 0;
	return s.n && s.p[0] >= '0' && s.p[0] <= '9' && str_int(s, out) ? 1 : -1;
}

static int wrong_length(const struct upload_part *p, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, "Upload-Length", "The file does not "
			 "have the %lld bytes that Upload-Length promises.",
			 (long long)p->whole);
}

/*
 * Of a body beyond LimitRequestBody, which is 1 GiB by default, mod_fcgid passes on
 * nothing but CONTENT_LENGTH 0: the end of a file that nobody vouches for.
 */
static int nothing_came(struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, "Upload-Length", "No bytes came. If "
			 "the file is complete, say so with its Upload-Length; if "
			 "not, the web server dropped them: send smaller parts.");
}

/*
 * The headers of draft-ietf-httpbis-resumable-upload. A later part must have
 * Upload-Offset, and the first one may only begin at 0. length: of the body, as
 * req_length has it.
 */
static int read_head(struct request *rq, bool first, int64_t length,
		     struct upload_part *out, struct err *e)
{
	int64_t upto;
	int rc;

	*out = (struct upload_part){ .whole = -1 };
	if (read_complete(rq, &out->complete, e) < 0)
		return -1;
	rc = read_bytes(rq, "Upload-Offset", &out->offset);
	if (first && (rc < 0 || out->offset))
		return err_field(e, ERR_INVALID_FIELD, "Upload-Offset",
				 "Upload-Offset must be 0 at the beginning of a "
				 "file. Send further parts with PATCH.");
	if (!first && rc <= 0)
		return err_field(e, ERR_INVALID_FIELD, "Upload-Offset",
				 "Upload-Offset must say how many bytes of the "
				 "file came before.");
	if (read_bytes(rq, "Upload-Length", &out->whole) < 0)
		return err_field(e, ERR_INVALID_FIELD, "Upload-Length",
				 "Upload-Length must be the number of bytes of "
				 "the whole file.");
	/* The body of a form is longer than the file in it. */
	if (out->whole < 0 || length < 0 || multipart_is(rq))
		return 0;
	if (length > out->whole || out->offset > out->whole - length)
		return wrong_length(out, e);
	upto = out->offset + length;
	return out->complete && upto < out->whole ? wrong_length(out, e) : 0;
}

/* -- receiving ------------------------------------------------------ */

struct receiving {
	struct request *rq;
	struct file_upload *to;
	const struct upload_part *part;
	bool others;		/* the file is not the caller's: a document */
	bool announced;		/* room was taken for all of it */
	int64_t bytes;		/* of the file, with those before this part */
	int64_t unchecked;	/* of them, since the last check of the room */
};

/*
 * Nobody said how long the body will be. What is stored of a file of the caller counts
 * already; a document counts with its index as soon as it is one.
 */
static int check_stored(struct receiving *r, struct err *e)
{
	if (r->announced || r->unchecked < ROOM_BYTES)
		return 0;
	r->unchecked = 0;
	return quota_store_on(r->rq, r->others ? 2 * r->bytes : 1, e);
}

static int add(struct receiving *r, struct str s, struct err *e)
{
	r->bytes += (int64_t)s.n;
	r->unchecked += (int64_t)s.n;
	if (r->part->whole >= 0 && r->bytes > r->part->whole)
		return wrong_length(r->part, e);
	return file_upload_add(r->to, s.p, s.n, e) < 0 ? -1 : check_stored(r, e);
}

static int read_raw(struct request *rq, struct receiving *r, struct err *e)
{
	char *piece = arena_alloc(rq->arena, READ_BYTES);
	ssize_t n;

	while ((n = req_body_some(rq, piece, READ_BYTES, e)) > 0)
		if (add(r, (struct str){ piece, (size_t)n }, e) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

static int read_part(struct multipart *m, struct receiving *r, struct err *e)
{
	struct str s;

	for (;;) {
		if (multipart_read(m, &s, e) < 0)
			return -1;
		if (s.n && add(r, s, e) < 0)
			return -1;
		if (!m->in_part)
			return 0;
	}
}

int api_file_receive(struct request *rq, struct multipart *m,
		     const struct owner *o, const struct file_caps *caps,
		     const struct upload_part *p, struct attachment *t,
		     struct err *e)
{
	struct receiving r = {
		.rq = rq, .to = file_upload_new(rq->app->db, o, caps, t, rq->arena),
		.part = p, .bytes = t->size, .announced = p->whole >= 0,
		.others = !uuid_eq(&o->user_id, &rq->by.owner.user_id),
	};
	const int64_t before = t->size;
	struct err first = ERR_INIT, rest = ERR_INIT;
	int64_t length;
	int rc = req_length(rq, &length, &first);

	r.announced |= length >= 0;
	if (rc == 0)
		rc = m ? read_part(m, &r, &first) : read_raw(rq, &r, &first);
	if (rc == 0 && p->complete && p->whole >= 0 && r.bytes < p->whole)
		rc = wrong_length(p, &first);
	if (rc == 0 && p->complete && p->whole < 0 && !m && r.bytes == before)
		rc = nothing_came(&first);
	/* What arrived is kept, so that the client can continue from there. */
	if (file_upload_end(r.to, p->complete && rc == 0, rq->arena, t, &rest) < 0 &&
	    rc == 0) {
		first = rest;
		rc = -1;
	}
	file_upload_release(r.to);
	if (rc < 0)
		*e = first;
	return rc;
}

static struct file_caps caps_of(const struct request *rq)
{
	return (struct file_caps){
		.file_bytes = rq->conf->attach.file_bytes,
		.all_mb = rq->conf->attach.user_mb, .most = LIM_ATTACHMENTS,
		.whose = "Your attachments", .what = "an attachment",
		.or_else = ", or old conversations,",
	};
}

/* Appends the received bytes to t. */
static int receive(struct request *rq, struct multipart *m,
		   const struct upload_part *p, struct attachment *t,
		   struct err *e)
{
	const struct file_caps caps = caps_of(rq);

	return api_file_receive(rq, m, &rq->by.owner, &caps, p, t, e);
}

static int check_room(struct request *rq, int64_t more, bool is_new,
		      struct err *e)
{
	const struct file_caps caps = caps_of(rq);

	return file_room(rq->app->db, &rq->by.owner, &caps, more, is_new, e);
}

/* 1: t was created by a request with the same key; 0; -1. */
static int find_keyed(struct request *rq, struct uuid *id, struct err *e)
{
	struct attachment t;
	int keyed = idempotent_id(rq, "attachment", id, e);

	if (keyed == 0)
		*id = uuid_new();
	if (keyed <= 0)
		return keyed;
	if (attachment_get(rq->app->db, &rq->by.owner, id, rq->arena, &t, e) == 0)
		return 1;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return 0;
}

static int make(struct request *rq, const struct uuid *id, struct str name,
		struct attachment *t, struct err *e)
{
	if (attachment_create(rq->app->db, &rq->by.owner, id,
			      file_name(name, rq->arena),
			      clock_now_us() + UNSENT_US, e) < 0)
		return -1;
	return attachment_get(rq->app->db, &rq->by.owner, id, rq->arena, t, e);
}

static int check_on(const struct request *rq, struct err *e)
{
	return rq->conf->attach.message_files > 0 ? 0
		: err_public(e, ERR_FORBIDDEN, "Attachments are turned off.");
}

/* Deletes an upload that failed; the sweep deletes its bytes. */
static void forget(struct request *rq, const struct uuid *id)
{
	struct err ignored = ERR_INIT;

	if (attachment_delete(rq->app->db, &rq->by.owner, id, &ignored) < 0)
		log_err("an interrupted upload is kept for a day", &ignored);
}

int api_attachment_take(struct request *rq, struct multipart *m, struct str name,
			struct attachment *out, struct err *e)
{
	const struct upload_part all = { .complete = true, .whole = -1 };
	struct uuid id = uuid_new();
	int64_t length;

	/* One of several in a form, which together are not longer than it. */
	if (check_on(rq, e) < 0 || req_length(rq, &length, e) < 0 ||
	    (!rq->storing.of && quota_store(rq, length, e) < 0) ||
	    check_room(rq, -1, true, e) < 0 ||
	    make(rq, &id, name, out, e) < 0)
		return -1;
	if (receive(rq, m, &all, out, e) == 0)
		return 0;
	forget(rq, &id);
	return -1;
}

int api_attachment_put(struct request *rq, const struct uuid *id, struct str name,
		       struct str bytes, struct err *e)
{
	const struct file_caps caps = caps_of(rq);
	struct file_upload *u;
	struct attachment t;
	int64_t length;
	int rc;

	/* One of several in a body, which together are not longer than it. */
	if (check_on(rq, e) < 0 || req_length(rq, &length, e) < 0 ||
	    (!rq->storing.of &&
	     quota_store(rq, MAX(length, (int64_t)bytes.n), e) < 0) ||
	    check_room(rq, (int64_t)bytes.n, true, e) < 0)
		return -1;
	if (make(rq, id, name, &t, e) < 0) {
		if (e->code != ERR_DB_DUPLICATE)
			return -1;
		err_clear(e);
		return 0;
	}
	u = file_upload_new(rq->app->db, &rq->by.owner, &caps, &t, rq->arena);
	rc = file_upload_add(u, bytes.p, bytes.n, e) < 0 ? -1
		: file_upload_end(u, true, rq->arena, &t, e);
	file_upload_release(u);
	if (rc < 0)
		forget(rq, id);
	return rc;
}

/* Finds the first part that is a file. */
static int find_file(struct request *rq, struct multipart *m, struct str *name,
		     struct err *e)
{
	struct multipart_part part;
	int rc;

	if (multipart_begin(m, rq, e) < 0)
		return -1;
	do {
		rc = multipart_next(m, &part, e);
	} while (rc > 0 && !part.filename.p);
	*name = part.filename;
	if (rc == 0)
		return err_field(e, ERR_INVALID_FIELD, "file", "The form has no "
				 "file in it: send one in the field file.");
	return rc < 0 ? -1 : 0;
}

/*
 * POST /attachments?name=: the file as the body, or in a part of a multipart form.
 * 201 the record, Location. With Upload-Complete: ?0, the body is only the
 * beginning, and the state is uploading. A repeated Idempotency-Key: the same
 * record in its current state. 413 if the file, or all files of the user, would be
 * too large.
 */
int api_attachment_create(struct request *rq, struct response *rs,
			  struct err *e)
{
	struct multipart m, *form = NULL;
	struct attachment t;
	struct str name;
	struct uuid id;
	struct upload_part part;
	int64_t length;
	int found;

	if (check_on(rq, e) < 0 || req_query(rq, "name", &name, e) < 0 ||
	    req_length(rq, &length, e) < 0 ||
	    read_head(rq, true, length, &part, e) < 0)
		return -1;
	found = find_keyed(rq, &id, e);
	if (found < 0)
		return -1;
	if (found)
		return api_resource_show(rq, rs, 201, attachments(), &id, e);
	if (check_room(rq, MAX(length, part.whole), true, e) < 0 ||
	    quota_store(rq, MAX(length, part.whole), e) < 0)
		return -1;
	if (multipart_is(rq)) {
		form = &m;
		if (find_file(rq, &m, &name, e) < 0)
			return -1;
	}
	if (make(rq, &id, name, &t, e) < 0)
		return -1;
	if (receive(rq, form, &part, &t, e) < 0) {
		forget(rq, &id);	/* the client does not know its id */
		return -1;
	}
	return api_resource_show(rq, rs, 201, attachments(), &id, e);
}

/*
 * PATCH /attachments/{id}: appends bytes at Upload-Offset, which must be the
 * record's size; the last ones with Upload-Complete: ?1, or without that header.
 * 200 the record. 409 at another offset, or if it is complete.
 */
int api_attachment_append(struct request *rq, struct response *rs,
			  struct err *e)
{
	const struct uuid *id = route_arg_uuid(rq, "id");
	struct attachment t;
	struct upload_part part;
	int64_t length;

	if (check_on(rq, e) < 0 || req_length(rq, &length, e) < 0 ||
	    read_head(rq, false, length, &part, e) < 0 ||
	    attachment_get(rq->app->db, &rq->by.owner, id, rq->arena, &t, e) < 0)
		return -1;
	if (t.ready || part.offset != t.size)
		return err_public(e, ERR_CONFLICT, t.ready
				  ? "The upload is already complete."
				  : "The upload is not at this offset. Get the "
				    "attachment: continue at its size.");
	if (length > rq->conf->attach.file_bytes - t.size)
		length = (int64_t)rq->conf->attach.file_bytes + 1;
	if (check_room(rq, length, false, e) < 0 ||
	    quota_store(rq, MAX(length, part.whole - part.offset), e) < 0 ||
	    receive(rq, NULL, &part, &t, e) < 0)
		return -1;
	return api_resource_show(rq, rs, 200, attachments(), id, e);
}

/* DELETE /attachments/{id}: 204; 404. */
int api_attachment_delete(struct request *rq, struct response *rs,
			  struct err *e)
{
	if (attachment_delete(rq->app->db, &rq->by.owner,
			      route_arg_uuid(rq, "id"), e) < 0)
		return -1;
	resp_empty(rs, 204);
	return 0;
}

/* -- downloads -------------------------------------------------------- */

/* The requested part: all, or one range of bytes (RFC 9110 section 14). */
struct byte_range {
	int64_t from, upto;	/* upto: the offset after the last byte */
	bool is_part;
};

static struct byte_range read_range(struct request *rq, int64_t size)
{
	struct str s = req_header(rq, "Range"), last = s, first;
	struct byte_range all = { 0, size, false }, r = { 0, size, true };

	/* For several ranges or other units, all bytes may be returned. */
	if (!size || !str_starts(s, STR("bytes=")) || memchr(s.p, ',', s.n))
		return all;
	last.p += 6;
	last.n -= 6;
	first = str_cut(&last, '-');
	if (!first.n) {
		if (!str_int(last, &r.from) || r.from <= 0)
			return all;
		r.from = MAX(size - r.from, 0);
		return r;
	}
	if (!str_int(first, &r.from) || r.from < 0 || r.from >= size)
		return all;
	if (last.n && (!str_int(last, &r.upto) || r.upto < r.from))
		return all;
	r.upto = last.n && r.upto < size ? r.upto + 1 : size;
	return r;
}

/* RFC 6266 with RFC 8187: the name as it is, and in ASCII for old clients. */
const char *api_disposition(struct request *rq, struct str name)
{
	struct buf b = BUF_INIT(8192);
	const char *out;

	buf_adds(&b, "attachment; filename=\"");
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c >= 0x80 && (c & 0xc0) == 0x80)
			continue;
		buf_addc(&b, c >= 0x80 || c < ' ' || c == '"' || c == '\\' ||
			 c == '%' || c == 0x7f ? '_' : (char)c);
	}
	buf_adds(&b, "\"; filename*=UTF-8''");
	buf_url(&b, name);
	out = arena_strdup(rq->arena, b.p);
	buf_release(&b);
	return out;
}

static void put_safety(struct response *rs)
{
	/* If a browser displays it nevertheless, it can neither run nor load anything. */
	resp_header(rs, "Content-Security-Policy",
		    "sandbox; default-src 'none'");
	resp_header(rs, "Cross-Origin-Resource-Policy", "same-origin");
}

/* Reads the content at byte `from`, as far as it is in one piece, to `piece`. */
static int read_piece(struct request *rq, const struct attachment *t,
		      struct byte_range r, struct arena *piece, struct str *out,
		      struct err *e)
{
	arena_reset(piece);
	if (attachment_piece(rq->app->db, &t->file_id, r.from, piece, out, e) < 0)
		return -1;
	if (!out->n)
		return err_set(e, ERR_FILE_STORE, "a part of a file is missing");
	out->n = MIN(out->n, (size_t)(r.upto - r.from));
	return 0;
}

/* s: the first piece. */
static void send_pieces(struct request *rq, struct response *rs,
			const struct attachment *t, struct byte_range r,
			struct arena *piece, struct str s)
{
	struct pace pace = {
		.rate_bytes = rq->conf->limits.body_rate_bytes,
		.whole_ms = INT32_MAX,
	};
	struct err e = ERR_INIT;

	while (r.from < r.upto && !rs->gone && !rs->head_only) {
		if (!pace_wait_ms(&pace, clock_mono_ms(), 1)) {
			log_info("a download was too slow");
			break;
		}
		if (!s.n && read_piece(rq, t, r, piece, &s, &e) < 0) {
			/* The client notices by the content length. */
			log_err("a download ended early", &e);
			break;
		}
		buf_addstr(resp_stream(rs), s);
		resp_flush(rs);
		r.from += (int64_t)s.n;
		pace.bytes += s.n;
		s.n = 0;
	}
}

static int get_ready(struct request *rq, struct attachment *t, struct err *e)
{
	if (attachment_get(rq->app->db, &rq->by.owner, route_arg_uuid(rq, "id"),
			   rq->arena, t, e) < 0)
		return -1;
	return t->ready ? 0 : err_public(e, ERR_CONFLICT,
					 "The upload is not complete.");
}

int api_file_send(struct request *rq, struct response *rs,
		  const struct attachment *t, struct err *e)
{
	struct byte_range r = read_range(rq, t->size);
	struct arena piece = ARENA_INIT;
	struct str first = { NULL, 0 };

	/* The worker waits for a client that reads slowly. */
	if (quota_take(rq, SHARE_BODIES, &rq->arriving, e))
		return -1;
	/* While an error can still be sent. */
	if (t->size && read_piece(rq, t, r, &piece, &first, e) < 0) {
		arena_release(&piece);
		return -1;
	}
	resp_header(rs, "Content-Disposition", api_disposition(rq, t->name));
	resp_header(rs, "Accept-Ranges", "bytes");
	put_safety(rs);
	if (r.is_part)
		resp_header(rs, "Content-Range", arena_printf(rq->arena,
			"bytes %lld-%lld/%lld", (long long)r.from,
			(long long)r.upto - 1, (long long)t->size));
	resp_open_file(rs, r.is_part ? 206 : 200, t->media_type.p
		       ? arena_strdup(rq->arena, t->media_type.p)
		       : "application/octet-stream", r.upto - r.from);
	send_pieces(rq, rs, t, r, &piece, first);
	arena_release(&piece);
	return 0;
}

/*
 * GET /attachments/{id}/content: the bytes, as a download that is not displayed;
 * one range of them as 206. 404; 409 during the upload.
 */
int api_attachment_content(struct request *rq, struct response *rs,
			   struct err *e)
{
	struct attachment t;

	return get_ready(rq, &t, e) < 0 ? -1 : api_file_send(rq, rs, &t, e);
}

/* GET /attachments/{id}/text: as sent to models; empty if it has none. */
int api_attachment_text(struct request *rq, struct response *rs, struct err *e)
{
	struct attachment t;
	struct str text;

	if (get_ready(rq, &t, e) < 0 ||
	    attachment_text(rq->app->db, &rq->by.owner, &t.id, rq->arena, &text,
			    e) < 0)
		return -1;
	buf_addstr(resp_text(rs, 200, "text/plain; charset=utf-8"), text);
	put_safety(rs);
	return 0;
}
