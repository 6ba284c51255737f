/* SPDX-License-Identifier: MIT */
#include "store/blob_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/blob.h"
#include "store/key.h"
#include "store/stmt.h"

#include "base/banned.h"

#define NAME "installation"

enum { LOOK_ROWS = 200 };	/* of files, for one that is there */

static struct key_cache installation = KEY_CACHE(NAME);

static int fails(struct err *e, const char *what)
{
	char why[128];
	int n = errno;

	return err_set(e, ERR_FILE_STORE, "file_dir: cannot %s the mark of %s: %s",
		       what, blob_dir(), err_errno(n, why, sizeof(why)));
}

int blob_mark_know(struct db *db, struct err *e)
{
	unsigned char key[KEY_BYTES];

	return blob_dir() ? key_cached(&installation, db, key, e) : 0;
}

static int own_id(struct db *db, struct uuid *out, struct err *e)
{
	unsigned char key[KEY_BYTES];

	if (key_cached(&installation, db, key, e))
		return -1;
	memcpy(out->b, key, sizeof(out->b));
	return 0;
}

static int open_top(void)
{
	return open(blob_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* 1; 0: there is none; -1. out: nil if the file says nothing that is an id. */
static int read_mark(struct uuid *out, struct err *e)
{
	char text[2 * UUID_TEXT_BYTES];
	int top = open_top(), fd = -1, rc = -1;
	ssize_t n;

	*out = (struct uuid){ .b = { 0 } };
	if (top >= 0)
		fd = openat(top, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
			    O_NONBLOCK);
	if (fd < 0) {
		rc = top >= 0 && errno == ENOENT ? 0 : fails(e, "open");
	} else {
		n = read(fd, text, sizeof(text));
		if (n < 0)
			fails(e, "read");
		else
			rc = 1;
		if (n > 0)
			uuid_parse(str_trim((struct str){ text, (size_t)n }), out);
		close(fd);
	}
	if (top >= 0)
		close(top);
	return rc;
}

static int make(int top, const char *name, const struct uuid *id)
{
	char text[UUID_TEXT_BYTES];
	int fd = openat(top, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return -1;
	/* Read by each account that uses the directory: the command's may be root. */
	rc = dprintf(fd, "%s\n", uuid_format(id, text)) < 0 ||
		fchmod(fd, 0644) < 0 || fsync(fd) < 0 ? -1 : 0;
	close(fd);
	return rc;
}

/*
 * Under another name first, so that nobody reads half of it. over: whatever is there;
 * else the first of several processes has made it.
 */
static int write_mark(int top, const char *name, const struct uuid *id, bool over)
{
	int rc = make(top, name, id);

	if (rc == 0 && over) {
		rc = renameat(top, name, top, NAME);
	} else if (rc == 0) {
		rc = linkat(top, name, top, NAME, 0);
		if (rc < 0 && errno != EEXIST)	/* a file system without links */
			rc = make(top, NAME, id);
		if (rc < 0 && errno == EEXIST)
			rc = 0;
		if (unlinkat(top, name, 0) < 0)
			rc = -1;
	}
	return rc < 0 || fsync(top) < 0 ? -1 : 0;
}

static int save(const struct uuid *id, bool over, struct err *e)
{
	char name[sizeof(NAME) + UUID_TEXT_BYTES], text[UUID_TEXT_BYTES];
	struct uuid own = uuid_new();
	int top = open_top(), rc;

	(void)snprintf(name, sizeof(name), NAME "-%s", uuid_format(&own, text));
	rc = top < 0 || write_mark(top, name, id, over) < 0 ? fails(e, "write") : 0;
	if (rc < 0 && top >= 0)
		(void)unlinkat(top, name, 0);
	if (top >= 0)
		close(top);
	return rc;
}

/* -- a directory without a mark ------------------------------------------------ */

static int stop_at_first(void *ctx, const char *place, const struct uuid *id,
			 struct err *e)
{
	(void)place;
	(void)id;
	*(bool *)ctx = true;
	return err_set(e, ERR_FILE_STORE, "there is a file");
}

/* 1, 0, -1 */
static int is_empty(struct err *e)
{
	struct err why = ERR_INIT;
	bool found = false;

	for (int part = 0; part < BLOB_PARTS; part++)
		if (blob_each(part, 0, stop_at_first, &found, &why) < 0) {
			if (found)
				return 0;
			*e = why;
			return -1;
		}
	return 1;
}

struct looking {			/* for a file of ours */
	struct arena paths;
	int found;
};

/* Whether the file of a row is there; of several, one is enough. */
static int look_at_file(void *ctx, const struct db_val *row, struct err *e)
{
	struct looking *l = ctx;

	if (l->found)
		return 0;
	l->found = blob_is_there(arena_printf(&l->paths, "%.*s", STR_ARG(row[3].s)), e);
	return l->found < 0 ? -1 : 0;
}

/* Whether some file of a row is there: that of an installation from before marks. */
static int has_ours(struct db *db, struct err *e)
{
	const struct uuid first = { .b = { 0 } };
	struct looking l = { .found = 0 };
	struct arena a = ARENA_INIT;
	int rc = db_each(db, STMT_FILE_PLACED,
			 DB_ARGS(DB_U(&first), DB_I(1), DB_I(LOOK_ROWS)), &a,
			 look_at_file, &l, e);

	arena_release(&a);
	arena_release(&l.paths);
	return rc ? -1 : l.found;
}

/* -- --------------------------------------------------------------------------- */

static int compare(const struct uuid *own, const struct uuid *mark,
		   struct err *e)
{
	char a[UUID_TEXT_BYTES], b[UUID_TEXT_BYTES];

	if (uuid_eq(own, mark))
		return 1;
	/* The path last: it may be long. */
	return err_set(e, ERR_FILE_STORE, "file_dir belongs to another installation "
		       "(%s; this one is %s). If that one does not use it any more, "
		       "run `lamplighter files take`: %s",
		       uuid_is_nil(mark) ? "its mark is not readable"
		       : uuid_format(mark, a), uuid_format(own, b), blob_dir());
}

int blob_mark_read(struct db *db, struct err *e)
{
	struct uuid own, mark;
	int rc;

	if (own_id(db, &own, e))
		return -1;
	rc = read_mark(&mark, e);
	return rc <= 0 ? rc : compare(&own, &mark, e);
}

int blob_mark_write(struct db *db, struct err *e)
{
	struct uuid own, mark;
	int rc;

	if (own_id(db, &own, e))
		return -1;
	rc = read_mark(&mark, e);
	if (rc < 0)
		return -1;
	if (rc > 0)
		return compare(&own, &mark, e) < 0 ? -1 : 0;
	rc = is_empty(e);
	if (rc == 0)
		rc = has_ours(db, e);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return err_set(e, ERR_FILE_STORE, "file_dir contains files, but "
			       "none of this installation. If no other one uses "
			       "it, run `lamplighter files take`: %s", blob_dir());
	/* Somebody may have been faster, with another mark. */
	if (save(&own, false, e) < 0 || read_mark(&mark, e) < 0)
		return -1;
	return compare(&own, &mark, e) < 0 ? -1 : 0;
}

int blob_mark_take(struct db *db, struct err *e)
{
	struct uuid own;

	return own_id(db, &own, e) || save(&own, true, e) < 0 ? -1 : 0;
}
