/* SPDX-License-Identifier: MIT */
/* Starts and limits the child and interprets how it ended. See extract.h. */
#include "file/extract.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/util.h"
#include "base/utf8.h"
#include "net/http.h"

#include "base/banned.h"

#define PROGRAM "lamplighter-extract"

enum {
	LONGEST_MS = 20000,
	STDERR_BYTES = 2048,
	PATH_BYTES = 4096,	/* buffer of realpath */
};

/* Sanitizers need files and address space; the child allows files in that case. */
static const struct spawn_limits limits = {
	.cpu_s = 15, .memory_mb = SANITIZED ? 0 : 768,
	.file_mb = SANITIZED ? 0 : SPAWN_NONE,
	.files = 16,	/* to load libraries; none after that (confine.c) */
};

/* The same for the program for files. */
static const struct spawn_limits file_limits = {
	.cpu_s = 25, .memory_mb = SANITIZED ? 0 : 1024,
	.file_mb = SANITIZED ? 0 : SPAWN_NONE, .files = 32,
};

/* -- the program -------------------------------------------------------- */

static char program[PATH_BYTES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/*
 * Sets program to the path in dir and returns whether it can be run. The path is
 * absolute, because a child starts in another directory, unless realpath fails.
 */
static bool is_at(const char *dir, int n)
{
	char path[PATH_BYTES];
	int len = snprintf(path, sizeof(path), "%.*s/" PROGRAM, n, dir);

	if (!realpath(path, program))
		snprintf(program, sizeof(program), "%s", path);
	return len < (int)sizeof(path) && access(program, X_OK) == 0;
}

static void find_program(void)
{
	const char *env = getenv("LAMPLIGHTER_LIBEXEC_DIR");
	char self[PATH_BYTES];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

	/* The admin's setting is used even if it is wrong. */
	if (env && *env) {
		(void)is_at(env, (int)strlen(env));
		return;
	}
	while (n > 0 && self[n - 1] != '/')
		n--;
	if (n > 1 && is_at(self, (int)n - 1))
		return;
	(void)is_at(LAMPLIGHTER_LIBEXECDIR, (int)strlen(LAMPLIGHTER_LIBEXECDIR));
}

const char *file_extract_program(void)
{
	pthread_once(&once, find_program);
	return program;
}

/* -- one run -------------------------------------------------------- */

struct child_outcome {
	struct buf out, errors;
	struct spawn_result r;
};

static int run_reader(const struct extract_want *w, struct str input, int timeout_ms,
		      struct child_outcome *o, struct err *e)
{
	static const char *const env[] = { NULL };
	struct buf path = BUF_INIT(PATH_BYTES + 8);
	const char *argv[8] = { NULL, "--type", w->type };
	const struct spawn s = {
		.argv = argv, .env = env, .dir = "/",
		.limits = w->files ? file_limits : limits,
	};
	size_t n = 3;
	int rc;

	buf_addf(&path, "%s%s", file_extract_program(),
		 w->files ? FILE_EXTRACT_FILES : "");
	argv[0] = path.p;

	if (w->charset && *w->charset) {
		argv[n++] = "--charset";
		argv[n++] = w->charset;
	}
	if (w->links)
		argv[n++] = "--links";
	rc = spawn_run(&s, input, timeout_ms,
		       w->abort ? http_abort_fd(w->abort) : -1, &o->out,
		       &o->errors, &o->r, e);
	buf_release(&path);
	return rc;
}

/* Log once per process: a host without the filter would repeat it for each page. */
static void log_errors(const struct child_outcome *o)
{
	static atomic_bool logged;
	struct buf text = BUF_INIT(4 * STDERR_BYTES);
	struct str s = str_trim(buf_str(&o->errors));
	bool unconfined = str_starts(s, STR(EXTRACT_UNCONFINED));

	utf8_scrub(&text, s);
	if (unconfined && !atomic_exchange(&logged, true))
		log_warn("untrusted files are read in a child without a system "
			 "call filter", "why", text.p);
	else if (s.n && !unconfined)
		log_warn("the reader of untrusted files wrote to stderr",
			 "stderr", text.p);
	buf_release(&text);
}

static int failed(const struct extract_want *w, const char *why, struct err *e)
{
	return err_public(e, ERR_TOOL_FAILED, "%s %s", w->what, why);
}

static int late(const struct extract_want *w, struct err *e)
{
	return err_public(e, ERR_TOOL_TIMEOUT, "%s takes too long to be read. "
			  "It was given up.", w->what);
}

/* Libraries also abort for other reasons, such as a corrupt heap. */
static bool out_of_memory(const struct child_outcome *o)
{
	return o->r.exit_code == EXTRACT_MEMORY ||
	       (o->r.signal == SIGABRT &&
		str_starts(buf_str(&o->errors), STR(NO_MEMORY)));
}

static int judge(const struct extract_want *w, const struct child_outcome *o,
		 struct err *e)
{
	const struct spawn_result *r = &o->r;

	if (r->stopped)
		return err_set(e, ERR_CANCELLED, "stopped while reading");
	if (r->late)
		return late(w, e);
	if (r->too_big || r->exit_code == EXTRACT_TOO_BIG)
		return failed(w, "is too long to be read.", e);
	/* Killed at its CPU limit; the cases in which we killed it are handled above. */
	if (r->signal == SIGKILL || r->signal == SIGXCPU)
		return late(w, e);
	if (out_of_memory(o))
		return failed(w, "needs more memory to be read than there is "
			      "for it.", e);
	if (r->signal == 0 && r->exit_code == EXTRACT_OK)
		return 0;
	if (r->signal == 0 && r->exit_code == EXTRACT_BOMB)
		return failed(w, "expands to far more data than can be read.", e);
	if (r->signal == 0 && r->exit_code == EXTRACT_EMPTY)
		return failed(w, "is empty.", e);
	if (r->signal == 0 && r->exit_code == EXTRACT_ENCRYPTED)
		return failed(w, "is protected with a password.", e);
	if (r->exit_code != EXTRACT_UNREADABLE) {
		struct err fault = ERR_INIT;

		err_set(&fault, ERR_TOOL_FAILED, "%s ended with %d, signal %d",
			PROGRAM, r->exit_code, r->signal);
		log_err("an untrusted file could not be read", &fault);
	}
	return failed(w, "cannot be read.", e);
}

int file_extract_text(const struct extract_want *w, struct str input,
		      struct buf *out, struct err *e)
{
	int64_t left = MIN(w->until_ms - clock_mono_ms(), LONGEST_MS);
	struct child_outcome o = {
		.out = BUF_INIT(MIN(out->cap - out->n, LIM_EXTRACT_OUTPUT_BYTES) + 1),
		.errors = BUF_INIT(STDERR_BYTES),
	};
	struct err cause = ERR_INIT;
	int rc;

	if (input.n > LIM_EXTRACT_INPUT_BYTES)
		return failed(w, "is too large.", e);
	if (left <= 0)
		return late(w, e);
	if (run_reader(w, input, (int)left, &o, &cause) < 0) {
		log_err("an untrusted file could not be read", &cause);
		rc = failed(w, "cannot be read: the program for it cannot be "
			    "started here.", e);
	} else {
		log_errors(&o);
		rc = judge(w, &o, e);
	}
	if (rc == 0) {
		size_t before = out->n;

		/* The child is not trusted to write valid UTF-8. */
		if (w->bytes)
			buf_addstr(out, buf_str(&o.out));
		else
			utf8_scrub(out, buf_str(&o.out));
		if (!buf_ok(out)) {
			out->n = before;
			out->p[before] = '\0';
			out->overflow = false;
			rc = failed(w, "is too long to be read.", e);
		}
	}
	buf_release(&o.errors);
	buf_release(&o.out);
	return rc;
}

/* -- files -------------------------------------------------------- */

/* Waiting and reading together must be shorter than the minute that web servers wait. */
enum {
	FILE_MS = 30000,
	PLACES = 4,	/* each may use a GiB and a CPU for half a minute */
	PLACES_OF_USER = 2,
	PLACE_MS = 20000,
	SHARE_MS = 10000,	/* CPU time after which it is not the machine's fault */
};

/* A sentence about why a file has no text; NULL if none is expected. */
static const char *sentence(const struct child_outcome *o)
{
	static const struct {
		int exit_code;
		const char *text;
	} rows[] = {
		{ EXTRACT_UNREADABLE, "The file is damaged and cannot be read." },
		{ EXTRACT_TOO_BIG, "The file is too long to be read." },
		{ EXTRACT_ENCRYPTED, "The file is protected with a password. "
		  "Remove the password and upload it again." },
		{ EXTRACT_NO_TEXT, "The file contains no text: its pages are "
		  "images, as in a scan." },
		{ EXTRACT_EMPTY, "The file is empty." },
		{ EXTRACT_BOMB, "The file expands to far more data than can be "
		  "read." },
	};
	const struct spawn_result *r = &o->r;

	/* Killed at its CPU limit; if we killed it, r->late or r->too_big is set. */
	if (!r->too_big && (r->signal == SIGKILL || r->signal == SIGXCPU))
		return "The file takes too long to be read.";
	if (out_of_memory(o))
		return "The file needs too much memory to be read.";
	if (r->too_big)
		return "The file is too long to be read.";
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (r->signal == 0 && rows[i].exit_code == r->exit_code)
			return rows[i].text;
	if (r->signal == 0 && r->exit_code == EXTRACT_UNKNOWN)
		return NULL;
	return "The file cannot be read.";
}

/* A sentence about the pages "2-5, 9"; p == NULL if the syntax is not valid. */
static struct str scanned_pages(struct str pages, struct arena *a)
{
	bool many = memchr(pages.p, '-', pages.n) || memchr(pages.p, ',', pages.n);

	for (size_t i = 0; i < pages.n; i++)
		if (!memchr("0123456789-,. ", pages.p[i], 14))
			return (struct str){ NULL, 0 };
	return str_of(arena_printf(a, "Page%s %.*s %s no text: %s, as in a scan.",
				   many ? "s" : "", STR_ARG(pages),
				   many ? "have" : "has",
				   many ? "they are images or empty"
				   : "it is an image or empty"));
}

/* A header line "key: value" of the output; false at the empty line behind the last. */
static bool next_header(struct str *rest, struct str *key, struct str *value)
{
	struct str line = str_cut(rest, '\n');

	*value = line;
	*key = str_cut(value, ':');
	*value = str_trim(*value);
	return line.n > 0;
}

/* Parses the output: header lines such as "type: …", an empty line, and the text. */
static void read_found(struct str s, struct arena *a, bool text,
		       struct file_found *out)
{
	struct buf clean = BUF_INIT(3 * LIM_FILE_TEXT_BYTES + 1024);
	struct str key, value;

	while (next_header(&s, &key, &value)) {
		if (str_is(key, "type"))
			out->media_type = arena_str(a, value);
		else if (str_is(key, "pages"))
			str_int(value, &out->pages);
		else if (str_is(key, "unread"))
			str_int(value, &out->unread);
		else if (text && str_is(key, "scanned"))
			out->problem = scanned_pages(value, a);
	}
	if (text) {
		utf8_scrub(&clean, s);
		s = buf_str(&clean);
		s.n = MIN(s.n, LIM_FILE_TEXT_BYTES);
		s.n = utf8_complete(s);
		out->text = arena_str(a, s);
	}
	buf_release(&clean);
}

static void log_fault(const struct child_outcome *o)
{
	struct err fault = ERR_INIT;

	err_set(&fault, ERR_TOOL_FAILED, "%s-file ended with %d, signal %d",
		PROGRAM, o->r.exit_code, o->r.signal);
	log_err("an uploaded file could not be read", &fault);
}

struct share_limit file_extract_limit(void)
{
	return (struct share_limit){ .all = PLACES, .part = PLACES / PLACES_OF_USER };
}

/* Waits for a free place; uploads are in the database meanwhile. -1: waited too long. */
static int take_place(const struct uuid *user, struct share_part *place,
		      struct err *e)
{
	struct err why = ERR_INIT;

	if (share_wait(share_process(), user, SHARE_READERS, 1,
		       file_extract_limit(),
		       clock_mono_ms() + PLACE_MS, place, &why) == 0)
		return 0;
	return err_set(e, ERR_OVERLOADED, "too many files are read: %s", why.text);
}

bool file_extract_starved(const struct spawn_result *r)
{
	return r->late && r->cpu_ms < SHARE_MS;
}

/* Runs the program with these arguments (sets argv[0]) in a place of the user. */
static int run_file(const struct file_source *src, const char **argv, int stop_fd,
		    const atomic_bool *stop, struct child_outcome *o, struct err *e)
{
	static const char *const env[] = { NULL };
	struct buf path = BUF_INIT(PATH_BYTES + 8);
	const struct spawn s = {
		.argv = argv, .env = env, .dir = "/", .limits = file_limits,
		.more = src->more, .more_ctx = src->ctx, .stop = stop,
	};
	struct share_part place = { .of = NULL };
	int rc;

	if (take_place(src->user, &place, e) < 0)
		return -1;
	buf_addf(&path, "%s" FILE_EXTRACT_FILES, file_extract_program());
	argv[0] = path.p;
	rc = spawn_run(&s, (struct str){ NULL, 0 }, FILE_MS, stop_fd, &o->out,
		       &o->errors, &o->r, e);
	share_give(&place);
	/* The child did not get its CPU time, so this is not the file's fault. */
	if (rc == 0 && file_extract_starved(&o->r))
		rc = err_set(e, ERR_OVERLOADED, "a file was not read in time");
	buf_release(&path);
	return rc;
}

int file_extract_all(const struct file_source *src, struct arena *a,
		     struct file_found *out, struct err *e)
{
	const char *argv[] = { NULL, "--type", "file",
			       src->head_only ? "--head" : NULL, NULL };
	struct child_outcome o = {
		.out = BUF_INIT(LIM_FILE_TEXT_BYTES + 1024),
		.errors = BUF_INIT(STDERR_BYTES),
	};
	const char *why = NULL;
	int rc = run_file(src, argv, -1, NULL, &o, e);

	*out = (struct file_found){ .pages = 0 };
	if (rc == 0 && o.r.stopped)
		rc = err_set(e, ERR_INTERNAL, "the file could not be read back");
	if (rc == 0) {
		log_errors(&o);
		if (o.r.signal || (o.r.exit_code != EXTRACT_OK))
			why = sentence(&o);
		if (o.r.signal || o.r.exit_code < 0 ||
		    o.r.exit_code == EXTRACT_USAGE)
			log_fault(&o);
		read_found(buf_str(&o.out), a, o.r.signal == 0 &&
			   o.r.exit_code == EXTRACT_OK && !src->head_only, out);
		if (why)
			out->problem = str_of(why);
	}
	buf_release(&o.errors);
	buf_release(&o.out);
	return rc;
}

/* -- pages that are images -------------------------------------------------------- */

static void read_scanned(struct str s, bool picture, struct arena *a,
			 struct file_scanned *out)
{
	struct buf clean = BUF_INIT(3 * LIM_FILE_TEXT_BYTES + 1024);
	struct str key, value;

	while (next_header(&s, &key, &value)) {
		if (str_is(key, "done"))
			str_int(value, &out->done);
		else if (str_is(key, "next"))
			str_int(value, &out->next);
	}
	if (!picture) {
		utf8_scrub(&clean, s);
		s = buf_str(&clean);
	}
	out->text = arena_str(a, s);
	buf_release(&clean);
}

int file_extract_scan(const struct file_source *src, const struct file_scan_want *w,
		      struct arena *a, struct file_scanned *out, struct err *e)
{
	const char *argv[] = {
		NULL, "--type", w->picture ? "picture" : "scan",
		"--from", arena_printf(a, "%d", w->from),
		"--to", arena_printf(a, "%d", w->to),
		"--most", arena_printf(a, "%d", w->most),
		"--languages", w->languages, NULL,
	};
	struct child_outcome o = {
		.out = BUF_INIT(LIM_FILE_TEXT_BYTES + 1024),
		.errors = BUF_INIT(STDERR_BYTES),
	};
	int rc = run_file(src, argv, w->abort ? http_abort_fd(w->abort) : -1, w->stop,
			  &o, e);

	*out = (struct file_scanned){ .exit_code = o.r.exit_code };
	if (rc == 0 && o.r.stopped)
		rc = err_set(e, w->abort || w->stop ? ERR_CANCELLED : ERR_INTERNAL,
			     "stopped while reading");
	if (rc == 0) {
		/* Libraries also write warnings about the image to stderr. */
		if (str_starts(buf_str(&o.errors), STR(EXTRACT_UNCONFINED)))
			log_errors(&o);
		out->killed = o.r.signal || o.r.exit_code == EXTRACT_MEMORY;
		if (!out->killed && !o.r.too_big)
			read_scanned(buf_str(&o.out), w->picture, a, out);
	}
	buf_release(&o.errors);
	buf_release(&o.out);
	return rc;
}

static int nothing_more(void *ctx, struct str *next)
{
	(void)ctx;
	*next = (struct str){ NULL, 0 };
	return 0;
}

int file_extract_can_scan(const char *languages, struct err *e)
{
	const struct uuid nobody = { .b = { 0 } };
	const struct file_source src = { .more = nothing_more, .user = &nobody };
	const struct file_scan_want w = {
		.from = 1, .to = 1, .most = 1, .languages = languages,
	};
	struct arena a = ARENA_INIT;
	struct file_scanned f;
	int rc = file_extract_scan(&src, &w, &a, &f, e);

	arena_release(&a);
	return rc < 0 ? -1 : f.exit_code == EXTRACT_UNKNOWN;
}

/* -- for doctor -------------------------------------------------------- */

int file_extract_try(bool files, bool *confined, struct buf *why, struct err *e)
{
	static const char *const env[] = { NULL };
	struct buf path = BUF_INIT(PATH_BYTES + 8);
	const char *argv[] = { NULL, "--type", files ? "file" : "html", NULL };
	const struct spawn s = {
		.argv = argv, .env = env, .dir = "/",
		.limits = files ? file_limits : limits,
	};
	struct child_outcome o = {
		.out = BUF_INIT(4096), .errors = BUF_INIT(STDERR_BYTES),
	};
	int rc;

	buf_addf(&path, "%s%s", file_extract_program(),
		 files ? FILE_EXTRACT_FILES : "");
	argv[0] = path.p;
	rc = spawn_run(&s, STR("here"), LONGEST_MS, -1, &o.out, &o.errors, &o.r,
		       e);
	if (rc == 0 && !str_is(str_trim(buf_str(&o.out)), files
			       ? "type: text/plain\n\nhere" : "here"))
		rc = err_set(e, ERR_TOOL_FAILED, "%.150s does not work (exit "
			     "code %d, signal %d)", path.p, o.r.exit_code,
			     o.r.signal);
	*confined = o.errors.n == 0;
	utf8_scrub(why, str_trim(buf_str(&o.errors)));
	buf_release(&path);
	buf_release(&o.errors);
	buf_release(&o.out);
	return rc;
}
