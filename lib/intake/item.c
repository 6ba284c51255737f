/* SPDX-License-Identifier: MIT */
#include "intake/item.h"

#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "file/upload.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	READ_BYTES = 16384,
	DROP_ROWS = 100,	/* per batch */
	DROP_PAGES = 1000,
	SHOWN_CHARS = 200,	/* of a path or key in messages */
};

/* A file that did not become a document is deleted after a day. */
#define UNWRITTEN_US INT64_C(86400000000)

/* More than a request and reading its answer can take. */
#define LEASE_US INT64_C(120000000)
enum { RENEW_MS = 20000 };

/* -- the run -------------------------------------------------------------------------- */

int intake_take(struct intake_run *k, struct err *e)
{
	int64_t now = clock_now_us();
	struct db_result r;

	k->lease = uuid_new();
	k->renew_ms = clock_mono_ms() + RENEW_MS;
	if (db_exec(k->io->db, STMT_INTAKE_TAKE,
		    DB_ARGS(DB_U(&k->lease), DB_I(now + LEASE_US),
			    DB_S(k->at.tenant_id), DB_S(str_of(k->s->name)),
			    DB_U(&k->lease), DB_I(now)), &r, e))
		return -1;
	return r.affected > 0;
}

static int renewed(const struct db_result *r, struct err *e)
{
	return r->affected ? 0
		: err_public(e, ERR_BUSY, "Another process is reading it now; this "
			     "one stopped.");
}

static int put_lease(struct intake_run *k, int64_t until_us, struct db_result *r,
		     struct err *e)
{
	return db_exec(k->io->db, STMT_INTAKE_LEASE,
		       DB_ARGS(DB_I_IF(until_us, until_us),
			       DB_S(k->at.tenant_id),
			       DB_S(str_of(k->s->name)), DB_U(&k->lease)), r, e);
}

int intake_renew(struct intake_run *k, bool force, struct err *e)
{
	struct db_result r;

	if (!force && clock_mono_ms() < k->renew_ms)
		return 0;
	k->renew_ms = clock_mono_ms() + RENEW_MS;
	return put_lease(k, clock_now_us() + LEASE_US, &r, e) ? -1
		: renewed(&r, e);
}

void intake_release(struct intake_run *k)
{
	struct err lost = ERR_INIT;	/* the lease then expires */

	if (put_lease(k, 0, NULL, &lost))
		log_err("the lease of a source", &lost);
}

int intake_save(struct intake_run *k, struct err *e)
{
	struct intake_state *st = &k->st;
	struct db_result r;

	st->faults = arena_str(k->a, buf_str(&k->faults));
	if (db_exec(k->io->db, STMT_INTAKE_PUT,
		    DB_ARGS(DB_I(clock_now_us() + LEASE_US), DB_U(&st->base_id),
			    DB_I(st->run), DB_I(st->going), DB_B(st->place),
			    DB_I_IF(st->begun_us, st->begun_us),
			    DB_I_IF(st->ended_us, st->ended_us), DB_I(st->created),
			    DB_I(st->changed), DB_I(st->same), DB_I(st->gone),
			    DB_I(st->failed), DB_S(st->faults),
			    DB_I_IF(st->next_us, st->next_us), DB_B(st->origin),
			    DB_S(k->at.tenant_id), DB_S(str_of(k->s->name)),
			    DB_U(&k->lease)), &r, e))
		return -1;
	return renewed(&r, e);
}

/* -- items --------------------------------------------------------------------------- */

void intake_hash(unsigned char out[INTAKE_HASH_BYTES], const struct str *v, size_t n)
{
	crypto_generichash_state h;

	crypto_generichash_init(&h, NULL, 0, INTAKE_HASH_BYTES);
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = v[i].p ? v[i].n : UINT64_MAX;

		crypto_generichash_update(&h, (const unsigned char *)&bytes,
					  sizeof(bytes));
		if (v[i].n)
			crypto_generichash_update(
				&h, (const unsigned char *)v[i].p, v[i].n);
	}
	crypto_generichash_final(&h, out, INTAKE_HASH_BYTES);
}

bool intake_is_late(const struct intake_run *k)
{
	return clock_mono_ms() >= k->io->until_ms ||
	       (k->io->stop && atomic_load(k->io->stop));
}

void intake_fault(struct intake_run *k, struct str key, const char *why)
{
	struct arena a = ARENA_INIT;
	struct str shown = file_line(key, SHOWN_CHARS, &a);

	k->st.failed++;
	if (k->n_faults++ < LIM_INTAKE_FAULTS &&
	    k->faults.n + shown.n + strlen(why) + 4 < LIM_INTAKE_FAULT_BYTES)
		buf_addf(&k->faults, "%.*s: %s\n", STR_ARG(shown), why);
	arena_release(&a);
}

#define HASH(h) DB_B(((struct str){ (const char *)(h), INTAKE_HASH_BYTES }))

int intake_same(struct intake_run *k, const struct intake_item *it, struct err *e)
{
	struct db_result r;

	if (intake_renew(k, false, e) || db_exec(k->io->db, STMT_INTAKE_SEEN,
		    DB_ARGS(DB_I(k->st.run), DB_U(&k->at.base),
			    DB_S(str_of(k->s->name)), HASH(it->hash),
			    HASH(it->stamp)), &r, e))
		return -1;
	k->st.same += r.affected > 0;
	return r.affected > 0;
}

int intake_keep(struct intake_run *k, const struct intake_item *it, struct err *e)
{
	return db_exec(k->io->db, STMT_INTAKE_KEPT,
		       DB_ARGS(DB_I(k->st.run), DB_U(&k->at.base),
			       DB_S(str_of(k->s->name)), HASH(it->hash)), NULL, e);
}

/* -- writing ------------------------------------------------------------------- */

struct item_old {
	struct str content;
	struct uuid document_id;
};

static const struct db_field old_fields[] = {
	FIELD_OF(struct item_old, content, b),
	FIELD_OF(struct item_old, document_id, u),
};

static int put_row(struct intake_run *k, const struct intake_item *it,
		   const struct uuid *document, struct err *e)
{
	return db_exec(k->io->db, STMT_INTAKE_ITEM_PUT,
		       DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			       HASH(it->hash), DB_I(k->st.run), HASH(it->stamp),
			       HASH(it->content), DB_U(document)), NULL, e);
}

/* The source's name and the path or key, if that is a valid id. */
static struct str external_id(const struct intake_run *k,
			      const struct intake_item *it, struct arena *a)
{
	char hex[2 * INTAKE_HASH_BYTES + 1];
	struct str line = file_line(it->key, it->key.n, a);

	if (str_eq(line, it->key) && utf8_chars(line) + strlen(k->s->name) <
	    LIM_DOCUMENT_ID_CHARS)
		return str_of(arena_printf(a, "%s/%.*s", k->s->name,
					   STR_ARG(line)));
	return str_of(arena_printf(a, "%s/#%s", k->s->name, sodium_bin2hex(
		hex, sizeof(hex), it->hash, INTAKE_HASH_BYTES)));
}

static int store_bytes(struct file_upload *u, struct intake_item *it,
		       struct arena *a, struct attachment *t, struct err *e)
{
	char p[READ_BYTES];
	int64_t n;

	while ((n = it->read(it, p, sizeof(p), e)) > 0)
		if (file_upload_add(u, p, (size_t)n, e))
			return -1;
	/* The job extracts the text. */
	return n < 0 ? -1 : file_upload_end(u, false, a, t, e);
}

/* Stores the file as an attachment of the base. */
static int store_file(struct intake_run *k, struct intake_item *it,
		      struct kb_document *d, struct arena *a, struct err *e)
{
	const struct owner o = kb_files(k->at.tenant_id, &k->at.base);
	const struct file_caps caps = {
		.file_bytes = k->io->conf->attach.file_bytes,
		.all_mb = k->at.most_mb, .or_else = "", .what = "a document",
		.whose = "The files of this knowledge base",
	};
	struct uuid id = uuid_new();
	struct attachment t;
	struct file_upload *u;
	int rc;

	d->file_name = it->file_name;
	if (file_room(k->io->db, &o, &caps, -1, true, e) ||
	    attachment_create(k->io->db, &o, &id, d->file_name,
			      clock_now_us() + UNWRITTEN_US, e) ||
	    attachment_get(k->io->db, &o, &id, a, &t, e))
		return -1;
	u = file_upload_new(k->io->db, &o, &caps, &t, a);
	rc = store_bytes(u, it, a, &t, e);
	file_upload_release(u);
	d->attachment_id = id;
	d->file_size = t.size;
	return rc;
}

static int put_document(struct intake_run *k, struct intake_item *it,
			struct arena *a, struct uuid *id, bool *is_new,
			struct err *e)
{
	const struct owner o = kb_files(k->at.tenant_id, &k->at.base);
	struct kb_document d = {
		.id = uuid_new(), .external_id = external_id(k, it, a),
		.title = it->title, .url = it->url, .groups = it->groups,
	};
	struct uuid file;
	int rc = it->text.p ? 0 : store_file(k, it, &d, a, e);

	file = d.attachment_id;
	if (!rc)
		rc = kb_write(k->io->db, &k->at, &d,
			      it->text.p ? it->text : STR(""), a, is_new, e);
	*id = d.id;
	if (rc && !uuid_is_nil(&file) &&
	    attachment_delete(k->io->db, &o, &file, &(struct err)ERR_INIT))
		return -1;	/* an unused upload is deleted after a day */
	return rc;
}

int intake_write(struct intake_run *k, struct intake_item *it, struct arena *a,
		 struct err *e)
{
	struct item_old old;
	struct uuid id;
	bool is_new;
	int rc = intake_renew(k, false, e) ? -1 : db_get(k->io->db, STMT_INTAKE_ITEM,
			DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
				HASH(it->hash)), a, old_fields, &old, e);

	if (rc < 0)
		return -1;
	if (rc && old.content.n == INTAKE_HASH_BYTES &&
	    !memcmp(old.content.p, it->content, INTAKE_HASH_BYTES)) {
		k->st.same++;
		return put_row(k, it, &old.document_id, e);
	}
	if (put_document(k, it, a, &id, &is_new, e) == 0) {
		k->st.created += is_new;
		k->st.changed += !is_new;
		return put_row(k, it, &id, e);
	}
	if (!*e->public)	/* an error of the run, not of this item */
		return -1;
	intake_fault(k, it->key, e->public);
	err_clear(e);
	return intake_keep(k, it, e);
}

/* -- groups -------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *intake_groups(struct arena *a, const json_t *list, size_t *wrong)
{
	const char *names[LIM_DOCUMENT_GROUPS];
	size_t n = json_array_size(list);
	json_t *sorted;

	if (wrong)
		*wrong = SIZE_MAX;
	if (!json_is_array(list) || n > LIM_DOCUMENT_GROUPS)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const json_t *name = json_array_get(list, i);

		names[i] = json_string_value(name);
		if (!names[i] || !*names[i] ||
		    strlen(names[i]) != json_string_length(name) ||
		    utf8_chars(str_of(names[i])) > LIM_DOCUMENT_GROUP_CHARS) {
			if (wrong)
				*wrong = i;
			return NULL;
		}
	}
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	sorted = jx_keep(a, json_array());
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			json_array_append_new(sorted, json_string(names[i]));
	return jx_text(a, sorted);
}

/* -- deletion ------------------------------------------------------------------ */

struct left_item {
	struct str item;
	struct uuid document_id;
};

static int drop_one(struct intake_run *k, const struct left_item *l, struct err *e)
{
	if (kb_delete(k->io->db, &k->at, &l->document_id, e)) {
		if (e->code != ERR_NOT_FOUND)	/* it was already deleted */
			return -1;
		err_clear(e);
	} else {
		k->st.gone++;
	}
	return db_exec(k->io->db, STMT_INTAKE_ITEM_DELETE,
		       DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			       DB_B(l->item)), NULL, e);
}

/* Deletes the state of addresses that are not listed any more. 1, 0, -1. */
static int drop_pages(struct intake_run *k, struct err *e)
{
	struct db_result r;

	do
		if (intake_renew(k, true, e) ||
		    db_exec(k->io->db, STMT_INTAKE_PAGES_DROP,
			    DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
				    DB_I(k->st.run), DB_I(DROP_PAGES)), &r, e))
			return -1;
	while (r.affected == DROP_PAGES && !intake_is_late(k));
	return r.affected < DROP_PAGES;
}

int intake_drop(struct intake_run *k, struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct left_item, item, b),
		FIELD_OF(struct left_item, document_id, u),
	};
	struct left_item *v;
	size_t n;
	int rc;

	do {
		struct arena a = ARENA_INIT;

		if (intake_renew(k, true, e))
			return -1;
		rc = db_list(k->io->db, STMT_INTAKE_LEFT,
			     DB_ARGS(DB_U(&k->at.base),
				     DB_S(str_of(k->s->name)), DB_I(k->st.run),
				     DB_I(DROP_ROWS)), &a, fields, sizeof(*v), 0,
			     &v, &n, e);
		for (size_t i = 0; !rc && i < n; i++)
			rc = drop_one(k, &v[i], e);
		arena_release(&a);
	} while (!rc && n == DROP_ROWS && !intake_is_late(k));
	return rc ? -1 : n < DROP_ROWS ? drop_pages(k, e) : 0;
}

int64_t intake_read_body(struct intake_item *it, char *p, size_t n, struct err *e)
{
	size_t part = MIN(n, it->body.n);

	(void)e;
	memcpy(p, it->body.p, part);
	it->body.p += part;
	it->body.n -= part;
	return (int64_t)part;
}
