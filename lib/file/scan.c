#include "file/scan.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/catalog.h"
#include "agent/embed.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "file/facts.h"
#include "llm/llm.h"
#include "net/http.h"
#include "prompt/builtin.h"
#include "store/usage.h"

#include "base/banned.h"

enum {
	PAGES = 8,		/* per run of Tesseract */
	AGAIN_MS = 60000,	/* until the next check whether it is installed */
	ANSWER_BYTES = 262144,	/* limit of a service's answer for one page */
	ANSWER_MS = 120000,
	ANSWER_TOKENS = 8000,
	TICK_MS = 200,		/* interval of checks whether to stop */
};

/* The result of one step. */
struct pages_read {
	struct str text;	/* with page marks, unless the file is one image */
	int64_t next;		/* the page to continue with; 0: all are read */
	const char *problem;	/* why the others cannot be read; or NULL */
	const char *skipped;	/* why one of these pages could not be read; or NULL */
};

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
static int run_reader(const struct file_scanner *k, const struct owner *o,
		      const struct attachment *t, int most, bool picture,
		      struct arena *a, struct file_scanned *out, struct err *e)
{
	struct err broken = ERR_INIT;
	struct file_reader r = {
		.db = k->db, .file_id = &t->file_id, .upto = t->size,
		.piece = ARENA_INIT, .e = &broken,
	};
	const struct file_source src = {
		.more = file_next_piece, .ctx = &r, .user = &o->user_id,
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

/* Returns 1; 0 if Tesseract is missing; -1. */
static int by_tesseract(const struct file_scanner *k, const struct owner *o,
			const struct attachment *t, struct arena *a,
			struct pages_read *out, struct err *e)
{
	static _Atomic int64_t absent_until_ms;
	struct file_scanned f;

	if (!k->conf->scans.tesseract || clock_mono_ms() < absent_until_ms)
		return 0;
	if (run_reader(k, o, t, PAGES, false, a, &f, e))
		return -1;
	if (f.exit_code == EXTRACT_NO_READER) {
		absent_until_ms = clock_mono_ms() + AGAIN_MS;
		return 0;
	}
	/* One of the pages is too large: check if it is the first. */
	if (f.killed && t->pages > 1 && run_reader(k, o, t, 1, false, a, &f, e))
		return -1;
	*out = (struct pages_read){ .text = f.text, .next = f.killed ? 0 : f.next };
	note_problem(problem_of(&f, t, a), f.killed, out);
	return 1;
}

/* -- a model with vision --- */

struct sight {
	const struct file_scanner *k;
	struct buf text;
	struct llm_usage usage;
};

static int on_event(void *ctx, const struct llm_event *ev)
{
	struct sight *s = ctx;

	if (ev->type == LLM_EV_TEXT)
		buf_addstr(&s->text, ev->text);
	else if (ev->type == LLM_EV_USAGE)
		s->usage = ev->usage;
	return buf_ok(&s->text) ? 0 : -1;
}

static int on_idle(void *ctx)
{
	const atomic_bool *stop = ((const struct sight *)ctx)->k->stop;

	return stop && atomic_load(stop) ? -1 : 0;
}

static int ask(const struct file_scanner *k, const struct llm_service *named,
	       const struct llm_image *image, struct sight *s, struct arena *a,
	       struct err *e)
{
	const struct llm_service service = llm_service_within(named, ANSWER_MS);
	const struct str system[] = {
		str_of(prompt_guardrails.text), str_of(prompt_image_text.text),
	};
	const struct llm_message message = {
		.role = LLM_USER, .text = STR("Write out the text in this image."),
		.images = image, .n_images = 1,
	};
	const struct llm_request r = {
		.service = &service, .system = system,
		.n_system = ARRAY_LEN(system), .messages = &message,
		.n_messages = 1, .max_output_tokens = ANSWER_TOKENS,
	};
	const struct llm_io io = {
		.http = k->http, .abort = k->abort, .watch_fd = -1,
		.idle_ms = TICK_MS, .idle_fn = k->stop ? on_idle : NULL,
	};
	int64_t began_ms = clock_mono_ms();
	int rc = llm_stream(&r, &io, a, on_event, s, e);

	if (!buf_ok(&s->text) && !rc)
		rc = err_set(e, ERR_UPSTREAM_PROTOCOL, "an answer without an end");
	embed_record(k->db, &k->by, USAGE_SCAN, named, &s->usage, began_ms,
		     rc == 0);
	return rc;
}

/* The model's answer as the text of a page, without forged page marks. */
static struct str clean(struct str said, int64_t page, struct arena *a)
{
	struct buf safe = BUF_INIT(4 * ANSWER_BYTES), b = BUF_INIT(4 * ANSWER_BYTES);
	struct str s;

	utf8_scrub(&safe, str_trim(said));
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
static int next_page(const struct file_scanner *k, const struct owner *o,
		     const struct attachment *t, struct arena *a,
		     struct llm_image *image, int64_t *page,
		     struct pages_read *out, struct err *e)
{
	struct err no_image = ERR_INIT;
	struct file_scanned f;

	if (run_reader(k, o, t, 1, true, a, &f, e))
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
static int by_service(const struct file_scanner *k, const struct owner *o,
		      const struct attachment *t, struct arena *a,
		      struct pages_read *out, struct err *e)
{
	struct sight s = { .k = k, .text = BUF_INIT(ANSWER_BYTES),
			   .usage = LLM_USAGE_UNKNOWN };
	const struct llm_service *named = *k->conf->scans.llm_service
		? catalog_service(k->conf, str_of(k->conf->scans.llm_service)) : NULL;
	bool is_pdf = is_kind(t, "application/pdf");
	struct err why = ERR_INIT;
	struct llm_image image;
	int64_t page = 0;
	int rc;

	*out = (struct pages_read){ .next = 0 };
	if (!named || !k->http || llm_check_vision(named, &why))
		return 0;
	rc = is_pdf ? next_page(k, o, t, a, &image, &page, out, e)
		: whole_image(k, t, a, &image, e);
	if (rc <= 0)
		return rc < 0 ? -1 : is_pdf;
	rc = ask(k, named, &image, &s, a, &why);
	if (!rc)
		out->text = clean(buf_str(&s.text), page, a);
	buf_release(&s.text);
	return rc ? refused(&why, out, e) : 1;
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

static int put(const struct file_scanner *k, const struct owner *o,
	       struct attachment *t, const struct pages_read *r, struct arena *a,
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

int file_scan(const struct file_scanner *k, const struct owner *o,
	      struct attachment *t, struct arena *a, struct err *e)
{
	struct pages_read r;
	int rc;

	if (!t->unread || !k->conf->scans.pages ||
	    t->size > LIM_EXTRACT_FILE_BYTES)
		return 0;
	rc = by_tesseract(k, o, t, a, &r, e);
	if (!rc)
		rc = by_service(k, o, t, a, &r, e);
	if (rc <= 0)
		return rc;
	if (put(k, o, t, &r, a, e) || attachment_get(k->db, o, &t->id, a, t, e))
		return -1;
	return t->unread > 0;
}
