/* SPDX-License-Identifier: MIT */
#include "file/scan.h"

#include <stdatomic.h>
#include <string.h>

#include "domain/catalog.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "file/facts.h"
#include "llm/llm.h"
#include "net/http.h"
#include "prompt/ask.h"

#include "base/banned.h"

enum {
	PAGES = 8,		/* per run of Tesseract */
	AGAIN_MS = 60000,	/* until the next check whether it is installed */
	ANSWER_BYTES = 262144,	/* limit of a service's answer for one page */
	ANSWER_MS = 120000,
	ANSWER_TOKENS = 8000,
	TICK_MS = 200,		/* between looks at another process's lease */
	/* After a kill, others continue that much later. A run of Tesseract may take
	   longer than the lease: then others may read the same pages, at no cost. */
	LEASE_MS = 30000,
	RENEW_MS = 10000,
};

/* The result of one step. */
struct pages_read {
	struct str text;	/* with page marks, unless the file is one image */
	int64_t next;		/* the page to continue with; 0: all are read */
	const char *problem;	/* why the others cannot be read; or NULL */
	const char *skipped;	/* why one of these pages could not be read; or NULL */
};

/* -- the lease --- */

struct page_lease {
	struct db *db;
	const struct attachment *t;
	int64_t until_us;	/* identifies it */
	int64_t renew_ms;	/* monotonic: when to renew it */
};

/* 1; 0 if another process has taken it over; -1. */
static int renew(struct page_lease *l, struct err *e)
{
	l->renew_ms = clock_mono_ms() + RENEW_MS;
	return attachment_scan_keep(l->db, l->t, LEASE_MS, &l->until_us, e);
}

/* Nothing was read: others may try at once. */
static void leave(struct page_lease *l)
{
	struct err why = ERR_INIT;

	if (attachment_scan_keep(l->db, l->t, 0, &l->until_us, &why) < 0)
		log_err("the lease of a file's images", &why);
}

/* -- page marks --- */

#define MARK "<!-- page "

/* Splits off the text before the next mark; *page: number of its own mark, 0: none. */
static struct str cut_page(struct str *rest, int64_t *page)
{
	struct str s = *rest, number = s;
	const char *next;
	size_t n = s.n;

	*page = 0;
	if (str_starts(s, STR(MARK))) {
		number.p += sizeof(MARK) - 1;
		number.n -= sizeof(MARK) - 1;
		if (!str_int(str_cut(&number, ' '), page))
			*page = 0;
	}
	next = s.n ? memmem(s.p + 1, s.n - 1, "\n" MARK, sizeof(MARK)) : NULL;
	if (next)
		n = (size_t)(next + 1 - s.p);
	rest->p += n;
	rest->n -= n;
	return str_trim((struct str){ s.p, n });
}

void file_scan_merge(struct str old, struct str more, struct buf *out)
{
	int64_t a = 0, b = 0;
	struct str one = cut_page(&old, &a), other = cut_page(&more, &b);

	while (one.n || other.n) {
		bool first = one.n && (!other.n || a <= b);

		if (out->n)
			buf_adds(out, "\n\n");
		buf_addstr(out, first ? one : other);
		if (first)
			one = cut_page(&old, &a);
		else
			other = cut_page(&more, &b);
	}
	if (out->n)
		buf_addc(out, '\n');
}

/* -- Tesseract --- */

static bool is_kind(const struct attachment *t, const char *type)
{
	return str_is(t->media_type, type);
}

/* Runs the reader on the file, beginning with page t->unread. */
static int run_reader(const struct file_scanner *k, const struct attachment *t,
		      int most, bool picture, struct arena *a,
		      struct file_scanned *out, struct err *e)
{
	struct err broken = ERR_INIT;
	struct file_reader r = {
		.db = k->db, .file_id = &t->file_id, .upto = t->size,
		.piece = ARENA_INIT, .e = &broken,
	};
	const struct file_source src = {
		.more = file_next_piece, .ctx = &r, .user = k->user,
	};
	const struct file_scan_want w = {
		.from = (int)t->unread, .to = k->conf->scans.pages,
		.most = most, .picture = picture,
		.languages = k->conf->scans.languages, .abort = k->abort,
		.stop = k->stop,
	};
	int rc = file_extract_scan(&src, &w, a, out, e);

	arena_release(&r.piece);
	if (rc && broken.code)
		*e = broken;
	return rc;
}

/* A sentence about what cannot be read. */
static const char *problem_of(const struct file_scanned *f,
			      const struct attachment *t, struct arena *a)
{
	switch (f->exit_code) {
	case EXTRACT_OK:
		return NULL;
	case EXTRACT_TOO_BIG:
		return "The image has too many pixels for its text to be "
			"recognised.";
	case EXTRACT_UNREADABLE:
	case EXTRACT_UNKNOWN:
	case EXTRACT_EMPTY:
		return "The image cannot be read.";
	default:
		return t->pages > 1
			? arena_printf(a, "Page %lld takes too much time or memory to "
				       "be read; it and later pages that are "
				       "images are left out.", (long long)t->unread)
			: "The image takes too much time or memory to be read.";
	}
}

/*
 * The problem is skipped: it concerns one page, and the others are read. But if the
 * reader was killed, reading ends, because that may happen again and again.
 */
static void note_problem(const char *problem, bool killed, struct pages_read *out)
{
	*(killed ? &out->problem : &out->skipped) = problem;
}

static _Atomic int64_t absent_until_ms;	/* Tesseract, at the last check */

/* Returns 1; 0 if Tesseract is missing; -1. */
static int by_tesseract(const struct file_scanner *k, const struct attachment *t,
			struct arena *a, struct pages_read *out, struct err *e)
{
	struct file_scanned f;

	if (!k->conf->scans.tesseract || clock_mono_ms() < absent_until_ms)
		return 0;
	if (run_reader(k, t, PAGES, false, a, &f, e))
		return -1;
	if (f.exit_code == EXTRACT_NO_READER) {
		absent_until_ms = clock_mono_ms() + AGAIN_MS;
		return 0;
	}
	/* One of the pages is too large: check if it is the first. */
	if (f.killed && t->pages > 1 && run_reader(k, t, 1, false, a, &f, e))
		return -1;
	*out = (struct pages_read){ .text = f.text, .next = f.killed ? 0 : f.next };
	note_problem(problem_of(&f, t, a), f.killed, out);
	return 1;
}

/* -- a model with vision --- */

/* If the lease was lost, the answer is paid for already. */
static void on_tick(void *ctx)
{
	struct page_lease *l = ctx;
	struct err why = ERR_INIT;

	if (clock_mono_ms() >= l->renew_ms && renew(l, &why) < 0)
		log_err("the lease of a file's images", &why);
}

static int ask_model(const struct file_scanner *k, const struct llm_service *service,
		     const struct llm_image *image, struct page_lease *l,
		     struct arena *a, struct prompt_reply *reply, struct err *e)
{
	const struct prompt_ask q = {
		.http = k->http, .service = service, .kind = USAGE_SCAN,
		.layer = "scan", .prompt = &prompt_image_text, .guardrails = true,
		.input = STR("Write out the text in this image."),
		.images = image, .n_images = 1,
		.max_output_tokens = ANSWER_TOKENS, .max_bytes = ANSWER_BYTES,
		.deadline_ms = ANSWER_MS, .abort = k->abort, .stop = k->stop,
		.tick = on_tick, .tick_ctx = l,
	};
	int rc = prompt_ask(&q, a, reply, e);

	reply->usage.workspace_id = STR("");
	prompt_ask_record(k->db, &k->by, reply);
	return rc;
}

/* The model's answer as the text of a page, without forged page marks. */
static struct str clean(struct str text, int64_t page, struct arena *a)
{
	struct buf safe = BUF_INIT(4 * ANSWER_BYTES), b = BUF_INIT(4 * ANSWER_BYTES);
	struct str s;

	utf8_scrub(&safe, str_trim(text));
	if (page)
		buf_addf(&b, MARK "%lld -->\n\n", (long long)page);
	for (size_t i = 0; i < safe.n; i++) {
		if (safe.p[i] == '!' && i && safe.p[i - 1] == '<')
			buf_addc(&b, ' ');
		buf_addc(&b, safe.p[i]);
	}
	s = str_starts(buf_str(&safe), STR("(There is no text in this image"))
		? STR("") : arena_str(a, buf_str(&b));
	buf_release(&safe);
	buf_release(&b);
	return s;
}

/* Reads an image file. Returns 1, 0 if models do not accept it, or -1. */
static int whole_image(const struct file_scanner *k, const struct attachment *t,
		       struct arena *a, struct llm_image *out, struct err *e)
{
	struct buf bytes = BUF_INIT(LIM_IMAGE_BYTES);
	struct file_reader r = {
		.db = k->db, .file_id = &t->file_id, .upto = t->size,
		.piece = ARENA_INIT, .e = e,
	};
	struct err no_image = ERR_INIT;
	struct str piece;
	int rc = t->size > LIM_IMAGE_BYTES ? 0 : 1;

	while (rc > 0 && bytes.n < (size_t)t->size) {
		rc = file_next_piece(&r, &piece);
		if (rc > 0)
			buf_addstr(&bytes, piece);
	}
	if (rc > 0 && llm_image_read(buf_str(&bytes), a, out, &no_image))
		rc = 0;
	arena_release(&r.piece);
	buf_release(&bytes);
	return rc;
}

/* Draws the next page of a PDF. Returns 1, 0 if there is none or it fails (see out), or -1. */
static int next_page(const struct file_scanner *k, const struct attachment *t,
		     struct arena *a, struct llm_image *image, int64_t *page,
		     struct pages_read *out, struct err *e)
{
	struct err no_image = ERR_INIT;
	struct file_scanned f;

	if (run_reader(k, t, 1, true, a, &f, e))
		return -1;
	*page = f.done;
	out->next = f.killed ? 0 : f.next;
	if (f.exit_code != EXTRACT_EMPTY)
		note_problem(problem_of(&f, t, a), f.killed, out);
	return f.exit_code == EXTRACT_OK && f.done &&
		!llm_image_read(f.text, a, image, &no_image);
}

/* 1: the service refuses this page only; the reason is not requested again; -1. */
static int refused(const struct err *why, struct pages_read *out, struct err *e)
{
	switch (why->code) {
	case ERR_CANCELLED:
		*e = *why;
		return -1;
	case ERR_UPSTREAM_FILTER:
		out->skipped = "The content filter of the service that reads images "
			"blocked it.";
		break;
	case ERR_UPSTREAM_CONTEXT:
	case ERR_UPSTREAM_PROTOCOL:
	case ERR_UPSTREAM_REQUEST:
		out->skipped = "The service that reads images could not read it.";
		break;
	default:
		log_err("a service that reads images", why);
		return err_row(why)->retryable
			? err_set(e, ERR_OVERLOADED, "the service that reads images "
				  "failed")
			: err_set(e, ERR_UPSTREAM, "the service that reads images "
				  "refuses every page");
	}
	log_err("a page that a service does not read", why);
	return 1;
}

/* Returns 1, 0 if there is no service or it does not accept the file, or -1. */
static int by_service(const struct file_scanner *k, struct page_lease *l,
		      struct arena *a, struct pages_read *out, struct err *e)
{
	const struct attachment *t = l->t;
	const struct llm_service *named = *k->conf->scans.llm_service
		? catalog_service(k->conf, str_of(k->conf->scans.llm_service)) : NULL;
	bool is_pdf = is_kind(t, "application/pdf");
	struct err why = ERR_INIT;
	struct prompt_reply reply;
	struct llm_image image;
	int64_t page = 0;
	int rc;

	*out = (struct pages_read){ .next = 0 };
	if (!named || !k->http || llm_check_can(named, LLM_CAN_VISION, &why))
		return 0;
	rc = is_pdf ? next_page(k, t, a, &image, &page, out, e)
		: whole_image(k, t, a, &image, e);
	if (rc <= 0)
		return rc < 0 ? -1 : is_pdf;
	rc = renew(l, e);
	if (rc <= 0)
		return rc < 0 ? -1 : err_set(e, ERR_OVERLOADED, "another "
					     "process reads this file now");
	if (ask_model(k, named, &image, l, a, &reply, &why) < 0)
		return refused(&why, out, e);
	out->text = clean(reply.text, page, a);
	return 1;
}

/* -- with either --- */

/* The new value of the file's problem. */
static struct str problem_now(const struct file_scanner *k,
			      const struct attachment *t,
			      const struct pages_read *r, struct str text,
			      struct arena *a)
{
	int most = k->conf->scans.pages;

	if (r->problem)
		return str_of(r->problem);
	if (r->next > most)
		return str_of(arena_printf(a, "The text of images is recognised on "
					   "the first %d pages of a file only.",
					   most));
	if (r->next && t->pages)
		return str_of(arena_printf(a, "Pages %lld to %lld are not completely "
					   "read yet: some are images.",
					   (long long)r->next,
					   (long long)t->pages));
	if (r->next)
		return str_of(arena_printf(a, "Only pages up to %lld are read so far.",
					   (long long)r->next - 1));
	if (text.n)
		return (struct str){ NULL, 0 };
	return r->skipped ? str_of(r->skipped)
		: STR("No text was found in the images of this file.");
}

static int store_text(const struct file_scanner *k, const struct owner *o,
		      const struct attachment *t, const struct pages_read *r, struct arena *a,
		      struct err *e)
{
	struct attachment_facts f = { .pages = t->pages };
	struct buf all = BUF_INIT(2 * LIM_FILE_TEXT_BYTES + ANSWER_BYTES);
	struct str old;
	int rc = attachment_text(k->db, o, &t->id, a, &old, e);

	if (!rc) {
		struct str s;

		file_scan_merge(old, r->text, &all);
		s = buf_str(&all);
		s.n = MIN(s.n, LIM_FILE_TEXT_BYTES);
		s.n = utf8_complete(s);
		f.text = str_trim(s).n ? s : (struct str){ NULL, 0 };
		f.text_chars = (int64_t)utf8_chars(f.text);
		f.problem = problem_now(k, t, r, f.text, a);
		f.unread = r->problem || r->next > k->conf->scans.pages ? 0
			: r->next;
		rc = attachment_scanned(k->db, t, &f, e);
	}
	buf_release(&all);
	return rc;
}

static bool can_read(const struct file_scanner *k, const struct attachment *t)
{
	return t->unread && k->conf->scans.pages &&
		t->size <= LIM_EXTRACT_FILE_BYTES &&
		((k->conf->scans.tesseract && clock_mono_ms() >= absent_until_ms) ||
		 (*k->conf->scans.llm_service && k->http));
}

/* Reads the next pages with the lease, and ends it. As file_scan, but t is as before. */
static int read_some(const struct file_scanner *k, const struct owner *o,
		     struct page_lease *l, struct arena *a, struct err *e)
{
	struct pages_read r;
	int rc = by_tesseract(k, l->t, a, &r, e);

	if (!rc)
		rc = by_service(k, l, a, &r, e);
	if (rc > 0 && store_text(k, o, l->t, &r, a, e))
		rc = -1;
	if (rc <= 0)
		leave(l);
	return rc;
}

/* Another process reads the file. 1 after a moment; -1. */
static int wait_for_it(const struct file_scanner *k, struct err *e)
{
	const struct http_request r = { .abort = k->abort, .watch_fd = -1 };

	return http_wait(&r, TICK_MS, e) ? -1 : 1;
}

int file_scan(const struct file_scanner *k, const struct owner *o,
	      struct attachment *t, struct arena *a, struct err *e)
{
	struct page_lease l = { .db = k->db, .t = t };
	int rc;

	if (!can_read(k, t))
		return 0;
	rc = attachment_scan_take(k->db, t, LEASE_MS, &l.until_us, e);
	if (rc >= 0)
		rc = rc ? read_some(k, o, &l, a, e) : wait_for_it(k, e);
	if (rc <= 0)
		return rc;
	return attachment_get(k->db, o, &t->id, a, t, e) ? -1 : t->unread > 0;
}
