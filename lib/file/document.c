/* SPDX-License-Identifier: MIT */
/* Extracts the text of documents that are files, and indexes it. */
#include "base/clock.h"
#include "base/log.h"
#include "file/facts.h"
#include "file/scan.h"
#include "job/work.h"
#include "knowledge/kb.h"
#include "knowledge/kb_index.h"

#include "base/banned.h"

enum { READ_TRIES = 4 };	/* consecutive runs, at least half a minute apart */

struct document_run {
	const struct job_run *r;
	struct uuid base;
	int64_t most_mb;
	struct err later;	/* why a file could not be read in this run */
	bool more;		/* a file has further pages to be read */
};

/* Returns 1 if there are more pages, else 0, or -1. */
static int read_images(const struct document_run *k, const struct owner *o,
		       const struct kb_document *d, struct attachment *t,
		       struct arena *a, struct err *e)
{
	struct file_scanner with = {
		.db = k->r->db, .conf = k->r->conf, .http = k->r->http,
		.stop = k->r->stop, .by = { .tenant_id = o->tenant_id }, .user = &d->user_id,
	};

	if (!t->unread)
		return 0;
	return kb_owner(k->r->db, &k->base, &with.by.user_id, e) ? -1
		: file_scan(&with, o, t, a, e);
}

/* Reads the document's file, or uses the result of an earlier reading. */
static int read_one(struct document_run *k, const struct kb_document *d,
		    struct arena *a, struct err *e)
{
	const struct owner o = kb_files(k->r->job->tenant_id, &k->base);
	struct kb_file_facts found = { .pages = 0 };
	struct attachment t = { .ready = 0 };
	int more;

	/* The document was deleted or has another file now; ignore it. */
	if (attachment_get(k->r->db, &o, &d->attachment_id, a, &t, e)) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		found.problem = STR("Its file was deleted.");
		return kb_file_read(k->r->db, &k->base, d, &found, k->most_mb, e);
	}
	if (!t.ready && file_finish(k->r->db, &o, &d->user_id, &t, NULL, a, e))
		return -1;
	more = read_images(k, &o, d, &t, a, e);
	if (more) {
		k->more |= more > 0;
		return more < 0 ? -1 : 0;
	}
	if (attachment_text(k->r->db, &o, &t.id, a, &found.text, e))
		return -1;
	found.media_type = t.media_type;
	found.pages = t.pages;
	found.problem = t.problem;
	if (!found.text.p && !found.problem.p)
		found.problem = STR("The file is an image. It has no text.");
	return kb_file_read(k->r->db, &k->base, d, &found, k->most_mb, e);
}

/*
 * A faulty file must not delay the others: the document fails, at once or, if a later
 * run may be able to read it, after a few runs. Returns -1 if the error is not caused by
 * the file.
 */
static int fail_one(struct document_run *k, const struct kb_document *d,
		    struct err *why, struct arena *a, struct err *e)
{
	const struct owner o = kb_files(k->r->job->tenant_id, &k->base);
	struct kb_file_facts found = { .pages = 0 };
	struct attachment t;

	switch (why->code) {
	case ERR_CONFLICT:	/* deleted while it was being read */
		if (!attachment_get(k->r->db, &o, &d->attachment_id, a, &t, e))
			k->later = *why;
		else if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return 0;
	case ERR_INTERNAL:
		found.problem = STR("Its file is damaged: a part of it is missing. "
				    "Upload it again.");
		break;
	case ERR_FILE_STORE:
		found.problem = STR("Its file cannot be read at the moment.");
		break;
	case ERR_OVERLOADED:
		found.problem = STR("The server was too busy to read its file.");
		break;
	case ERR_UPSTREAM:
		found.problem = STR("The service that reads images refuses to. An "
				    "admin can see why in the log.");
		break;
	case ERR_CANCELLED:	/* another process continues */
		k->more = true;
		return 0;
	default:
		*e = *why;
		return -1;
	}
	log_err("a file of a knowledge base", why);
	if (why->code != ERR_INTERNAL && k->r->job->attempts < READ_TRIES) {
		k->later = *why;
		return 0;
	}
	return kb_file_read(k->r->db, &k->base, d, &found, k->most_mb, e);
}

static bool is_over(const struct document_run *k, int64_t until_ms)
{
	return clock_mono_ms() >= until_ms ||
		(k->r->stop && atomic_load(k->r->stop));
}

/* 1: all are read, or postponed; 0: there are more; -1. Reads at least one. */
static int read_files(struct document_run *k, int64_t until_ms, struct err *e)
{
	struct uuid after = { .b = { 0 } };
	struct kb_document *v;
	size_t n;
	int rc;

	do {
		struct arena a = ARENA_INIT;

		rc = kb_unread(k->r->db, &k->base, &after, &a, &v, &n, e);
		for (size_t i = 0; !rc && i < n; i++) {
			struct err why = ERR_INIT;

			if (read_one(k, &v[i], &a, &why))
				rc = fail_one(k, &v[i], &why, &a, e);
			after = v[i].id;
			if (is_over(k, until_ms))
				break;
		}
		arena_release(&a);
	} while (!rc && n && !is_over(k, until_ms));
	return rc ? -1 : !n && !k->more;
}

/*
 * Documents that were read or indexed are no longer queued, so a concurrent run finds
 * others.
 */
int job_knowledge_index(const struct job_run *r, struct err *e)
{
	struct document_run k = { .r = r, .later = ERR_INIT };
	int64_t now_ms = clock_mono_ms();
	struct err why = ERR_INIT;
	bool is_private, paused;
	int files = 1, rc;

	if (!uuid_parse(r->job->subject, &k.base))
		return err_set(e, ERR_INTERNAL, "its subject is no id");
	if (kb_kind(r->db, &k.base, &is_private, &paused, e))
		return -1;
	k.most_mb = is_private ? r->conf->knowledge.private_mb
		: r->conf->knowledge.base_mb;
	/* Half the time for reading, so that indexing does not have to wait for its end. */
	if (!paused)
		files = read_files(&k, now_ms + (r->until_ms - now_ms) / 2, &why);
	if (files < 0 && why.code == ERR_NOT_FOUND)	/* the base was deleted */
		return 1;
	rc = kb_index(r->db, &r->job->user_id, &k.base, r->until_ms, e);
	if (rc <= 0)
		return rc;
	if (files >= 0 && k.later.code)
		why = k.later;
	if (why.code) {		/* retried, with growing delays */
		*e = why;
		return -1;
	}
	return files;
}
