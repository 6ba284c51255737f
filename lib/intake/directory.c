/* SPDX-License-Identifier: MIT */
/*
 * Files of a directory, in the order of their names, so that a run can continue
 * after any of them. Nothing is opened by path: each name is looked up in the
 * open directory, and symbolic links are not followed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "file/upload.h"
#include "intake/item.h"

#include "base/banned.h"

enum { READ_BYTES = 16384 };

struct dir_walk {
	struct intake_run *k;
	size_t entries;
	char path[LIM_INTAKE_PATH];	/* relative to the directory */
	size_t n;
	const char *behind;	/* the rest of the place; NULL: none */
};

static struct str path_of(const struct dir_walk *w)
{
	return (struct str){ w->path, w->n };
}

static void fault_errno(const struct dir_walk *w, const char *what, int n)
{
	char why[128], text[192];

	snprintf(text, sizeof(text), "%s (%s).", what,
		 err_errno(n, why, sizeof(why)));
	intake_fault(w->k, path_of(w), text);
}

/*
 * Handles a directory that cannot be opened. If the permission to read it was
 * removed, its documents are deleted; after an error that may be an outage,
 * none are.
 */
static void shut(struct dir_walk *w, int n)
{
	fault_errno(w, "It cannot be read", n);
	if (n != EACCES && n != EPERM && n != ENOENT)
		w->k->whole = false;
}

/* -- a file -------------------------------------------------------------------- */

static int64_t read_file(struct intake_item *it, char *p, size_t n, struct err *e)
{
	char why[128];
	ssize_t got;

	do
		got = read(it->fd, p, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_public(e, ERR_INVALID_FIELD, "It cannot be read (%s).",
				  err_errno(errno, why, sizeof(why)));
	return got;
}

static int hash_content(struct intake_item *it, struct err *e)
{
	struct str parts[] = { it->title, it->groups, { NULL, 0 } };
	unsigned char head[INTAKE_HASH_BYTES];
	crypto_generichash_state h;
	char p[READ_BYTES];
	int64_t n;

	intake_hash(head, parts, 2);
	crypto_generichash_init(&h, NULL, 0, INTAKE_HASH_BYTES);
	crypto_generichash_update(&h, head, sizeof(head));
	while ((n = it->read(it, p, sizeof(p), e)) > 0)
		crypto_generichash_update(&h, (const unsigned char *)p,
					  (size_t)n);
	crypto_generichash_final(&h, it->content, INTAKE_HASH_BYTES);
	return n < 0 || lseek(it->fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

/* The name without its extension. */
static struct str title_of(struct str name)
{
	for (size_t i = name.n; i-- > 1;)
		if (name.p[i] == '.')
			return (struct str){ name.p, i };
	return name;
}

static int take_open(struct dir_walk *w, struct intake_item *it,
		     const struct stat *st, struct arena *a, struct err *e)
{
	char text[160];

	it->file_name = file_name(path_of(w), a);
	it->title = title_of(it->file_name);
	it->groups = w->k->groups;
	if (st->st_size == 0) {
		intake_fault(w->k, path_of(w), "The file is empty.");
		return 0;
	}
	if (st->st_size > w->k->io->conf->attach.file_bytes) {
		snprintf(text, sizeof(text), "The file is too large: it may have "
			 "at most %d bytes.", w->k->io->conf->attach.file_bytes);
		intake_fault(w->k, path_of(w), text);
		return intake_keep(w->k, it, e);
	}
	if (hash_content(it, e) == 0)
		return intake_write(w->k, it, a, e);
	intake_fault(w->k, path_of(w), err_message(e));
	err_clear(e);
	return intake_keep(w->k, it, e);
}

static void put_stamp(struct intake_item *it, const struct intake_run *k,
		      const struct stat *st)
{
	char text[96];
	struct str parts[2];

	snprintf(text, sizeof(text), "%jd %jd.%09ld", (intmax_t)st->st_size,
		 (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	parts[0] = str_of(text);
	parts[1] = k->groups;
	intake_hash(it->stamp, parts, 2);
}

static int take_file(struct dir_walk *w, int dir, const char *name,
		     const struct stat *seen, struct err *e)
{
	struct intake_item it = { .key = path_of(w), .read = read_file };
	struct arena a = ARENA_INIT;
	struct stat st;
	int rc;

	/*
	 * Its time does not change when only the permission to read it is
	 * removed.
	 */
	if (faccessat(dir, name, R_OK, AT_EACCESS) < 0) {
		shut(w, errno);
		return 0;
	}
	intake_hash(it.hash, &it.key, 1);
	put_stamp(&it, w->k, seen);
	rc = intake_same(w->k, &it, e);
	if (rc)
		return rc < 0 ? -1 : 0;
	it.fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (it.fd < 0 || fstat(it.fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		shut(w, it.fd < 0 ? errno : EINVAL);
		if (it.fd >= 0)
			close(it.fd);
		return 0;
	}
	put_stamp(&it, w->k, &st);
	rc = take_open(w, &it, &st, &a, e);
	close(it.fd);
	arena_release(&a);
	return rc;
}

/* -- a directory --------------------------------------------------------------- */

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * Whether the run has passed the name before: 1 yes, 0 no, -1 the place is
 * within it.
 */
static int is_done(struct dir_walk *w, const char *name)
{
	const char *end = w->behind ? strchr(w->behind, '/') : NULL;
	size_t n = end ? (size_t)(end - w->behind)
		: w->behind ? strlen(w->behind) : 0;
	int order = w->behind ? strncmp(name, w->behind, n) : 1;

	if (order == 0 && name[n])
		order = 1;
	if (order < 0)
		return 1;
	if (order == 0 && end) {
		w->behind = end + 1;
		return -1;
	}
	w->behind = NULL;
	return order == 0;
}

static int walk_in(struct dir_walk *w, int fd, int depth, struct err *e);

/* Returns 1; 0 if time is up; -1. */
static int take_entry(struct dir_walk *w, int dir, const char *name, int depth,
		      struct err *e)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		shut(w, errno);
		return 1;
	}
	if (S_ISREG(st.st_mode)) {
		if (take_file(w, dir, name, &st, e))
			return -1;
		w->k->st.place = path_of(w);
		return !intake_is_late(w->k);
	}
	if (!S_ISDIR(st.st_mode))
		return 1;	/* a link or a device: skipped */
	if (depth >= LIM_INTAKE_DEPTH) {
		intake_fault(w->k, path_of(w), "Directories are nested too "
			     "deeply.");
		w->k->whole = false;
		return 1;
	}
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		shut(w, errno);
		return 1;
	}
	return walk_in(w, fd, depth + 1, e);
}

/* Appends the name to the path. */
static bool enter(struct dir_walk *w, const char *name)
{
	size_t n = strlen(name);

	if (w->n + n + 2 > sizeof(w->path))
		return false;
	if (w->n)
		w->path[w->n++] = '/';
	memcpy(w->path + w->n, name, n + 1);
	w->n += n;
	return true;
}

static int walk_names(struct dir_walk *w, int fd, struct dirent **v, int n, int depth,
		      struct err *e)
{
	size_t before = w->n;
	int rc = 1, within;

	for (int i = 0; rc > 0 && i < n; i++) {
		if (++w->entries > LIM_INTAKE_ENTRIES)
			return err_public(e, ERR_TOO_BIG, "The directory has more "
					  "than %d files and directories.",
					  LIM_INTAKE_ENTRIES);
		within = is_done(w, v[i]->d_name);
		if (within > 0)
			continue;
		if (enter(w, v[i]->d_name)) {
			rc = take_entry(w, fd, v[i]->d_name, depth, e);
		} else {
			intake_fault(w->k, path_of(w), "A path below it is too long.");
			w->k->whole = false;
		}
		if (within)
			w->behind = NULL;	/* the place has been reached */
		if (rc > 0) {
			w->n = before;
			w->path[before] = 0;
		}
	}
	return rc;
}

/* Reads the directory fd. Returns 1 if it is complete; 0 if time is up; -1. */
static int walk_in(struct dir_walk *w, int fd, int depth, struct err *e)
{
	struct dirent **v = NULL;
	int n = scandirat(fd, ".", &v, visible, by_bytes), rc = 1;

	if (n < 0)
		shut(w, errno);
	else
		rc = walk_names(w, fd, v, n, depth, e);
	for (int i = 0; i < n; i++)
		free(v[i]);
	free(v);
	close(fd);
	return rc;
}

int intake_directory(struct intake_run *k, struct err *e)
{
	struct dir_walk *w = arena_new(k->a, struct dir_walk);
	char why[128];
	int fd = open(k->s->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_public(e, ERR_CONFIG, "The directory %s cannot be "
				  "opened (%s).", k->s->directory,
				  err_errno(errno, why, sizeof(why)));
	w->k = k;
	if (k->st.place.n)
		w->behind = arena_memdup(k->a, k->st.place.p, k->st.place.n);
	rc = walk_in(w, fd, 1, e);
	k->st.place = rc ? STR("") : arena_str(k->a, k->st.place);
	return rc;
}
