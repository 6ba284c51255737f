/* SPDX-License-Identifier: MIT */
#include "store/blob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/banned.h"

#define TMP   "tmp"
#define STATE "sweep"	/* the next part; the file's time is that of the last
			   one */

enum {
	ID_DIGITS = 2 * sizeof(struct uuid),
	HASH_DIGITS = 2 * BLOB_HASH_BYTES,
	TMP_PART = BLOB_PARTS - 1,
};

static char *root;	/* set by blob_use */
static bool for_new_files;

void blob_use(const char *dir, bool for_new)
{
	free(root);
	root = dir && *dir ? xstrdup(dir) : NULL;
	for_new_files = root && for_new;
}

const char *blob_dir(void)
{
	return root;
}

bool blob_for_new(void)
{
	return for_new_files;
}

/* -- places -------------------------------------------------------- */

static char *put_hex(char *to, const unsigned char *from, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*to++ = digits[from[i] >> 4];
		*to++ = digits[from[i] & 15];
	}
	*to = '\0';
	return to;
}

const char *blob_arriving(const struct uuid *id, char out[BLOB_PLACE_BYTES])
{
	memcpy(out, TMP "/", 4);
	put_hex(out + 4, id->b, sizeof(id->b));
	return out;
}

const char *blob_complete(const unsigned char hash[BLOB_HASH_BYTES],
			  const struct uuid *id, char out[BLOB_PLACE_BYTES])
{
	char *at = put_hex(out, hash, 1);

	*at++ = '/';
	at = put_hex(at, hash, BLOB_HASH_BYTES);
	*at++ = '-';
	put_hex(at, id->b, sizeof(id->b));
	return out;
}

static bool take_hex(const char *from, size_t digits, unsigned char *to)
{
	for (size_t i = 0; i < digits; i += 2) {
		int high = hex_digit(from[i]);
		int low = high < 0 ? -1 : hex_digit(from[i + 1]);

		if (low < 0)
			return false;
		to[i / 2] = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* Parses a name that the functions above have made; false for any other. */
static bool parse_name(const char *name, bool tmp, struct uuid *id,
		       char place[BLOB_PLACE_BYTES])
{
	size_t n = strlen(name);
	unsigned char hash[BLOB_HASH_BYTES];
	const char *slash;

	if (tmp) {
		if (n != ID_DIGITS || !take_hex(name, ID_DIGITS, id->b))
			return false;
		blob_arriving(id, place);
	} else {
		if (n != HASH_DIGITS + 1 + ID_DIGITS ||
		    !take_hex(name, HASH_DIGITS, hash) ||
		    !take_hex(name + HASH_DIGITS + 1, ID_DIGITS, id->b))
			return false;
		blob_complete(hash, id, place);
	}
	slash = strchr(place, '/');
	return strcmp(slash + 1, name) == 0;
}

/* A place in a row is not trusted: it must be a possible place of this file. */
static bool is_place_of(struct str place, const struct uuid *id,
			char out[BLOB_PLACE_BYTES])
{
	char text[BLOB_PLACE_BYTES];
	const char *slash;
	struct uuid of;

	if (!place.n || place.n >= sizeof(text) || memchr(place.p, 0, place.n))
		return false;
	memcpy(text, place.p, place.n);
	text[place.n] = '\0';
	slash = strchr(text, '/');
	return slash && parse_name(slash + 1, str_starts(place, STR(TMP "/")),
				   &of, out) &&
		strcmp(out, text) == 0 && uuid_eq(&of, id);
}

/* -- the directory -------------------------------------------------------- */

static int fails(struct err *e, const char *what, const char *place)
{
	char why[128];
	int n = errno;

	return err_set(e, ERR_FILE_STORE, "file_dir: cannot %s %s: %s", what,
		       place, err_errno(n, why, sizeof(why)));
}

/* Opens a directory below the root, and creates it if `make`; -1 with errno. */
static int open_dir(const char *name, bool make)
{
	enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
	int top, fd, was;

	if (!root) {
		errno = ENOTDIR;
		return -1;
	}
	top = open(root, FLAGS);
	if (top < 0)
		return -1;
	fd = openat(top, name, FLAGS | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT && make) {
		if (mkdirat(top, name, 0700) == 0)
			(void)fsync(top);
		fd = openat(top, name, FLAGS | O_NOFOLLOW);
	}
	was = errno;
	close(top);
	errno = was;
	return fd;
}

/* Opens the directory of a place; *name: the rest of the place. */
static int open_dir_of(const char *place, bool make, const char **name)
{
	char part[8];
	size_t n = strcspn(place, "/");

	memcpy(part, place, n);
	part[n] = '\0';
	*name = place + n + 1;
	return open_dir(part, make);
}

static int open_file(const char *place, int flags)
{
	const char *name;
	int dir = open_dir_of(place, flags & O_CREAT, &name), fd, was;

	if (dir < 0)
		return -1;
	fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	was = errno;
	close(dir);
	errno = was;
	return fd;
}

static int sync_dir(const char *place, struct err *e)
{
	const char *name;
	int fd = open_dir_of(place, false, &name);
	int rc = fd < 0 ? -1 : fsync(fd);

	if (rc < 0)
		rc = fails(e, "sync the directory of", place);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* -- bytes -------------------------------------------------------- */

static int write_all(int fd, int64_t start, struct str data)
{
	while (data.n) {
		ssize_t n = pwrite(fd, data.p, data.n, start);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data = (struct str){ data.p + n, data.n - (size_t)n };
		start += n;
	}
	return 0;
}

int blob_write(const char *place, int64_t start, struct str data, struct err *e)
{
	int fd = open_file(place, O_WRONLY | O_CREAT), rc;

	if (fd < 0)
		return fails(e, "open", place);
	/* What a row calls received must survive a power failure. */
	rc = write_all(fd, start, data) < 0 || fdatasync(fd) < 0
		? fails(e, "write", place) : 0;
	close(fd);
	/* Only the first piece makes a directory entry. */
	return rc < 0 ? -1 : start ? 0 : sync_dir(place, e);
}

int blob_sync(const char *place, int64_t size_bytes, struct err *e)
{
	/* An empty file was not created by a piece. */
	int fd = open_file(place, O_WRONLY | (size_bytes ? 0 : O_CREAT)), rc = 0;
	struct stat st;

	if (fd < 0)
		return fails(e, "open", place);
	if (fstat(fd, &st) < 0)
		rc = fails(e, "look at", place);
	else if (st.st_size < size_bytes)
		rc = err_set(e, ERR_FILE_STORE, "file_dir: %s is shorter than its "
			     "row says", place);
	/* A piece whose transaction was rolled back may be behind the end. */
	else if (ftruncate(fd, size_bytes) < 0 || fsync(fd) < 0)
		rc = fails(e, "sync", place);
	close(fd);
	return rc < 0 ? -1 : sync_dir(place, e);
}

int blob_is_there(const char *place, struct err *e)
{
	int fd = open_file(place, O_RDONLY);

	if (fd >= 0) {
		close(fd);
		return 1;
	}
	/* Of a directory that is not mounted, nothing is known to be missing. */
	return errno == ENOENT && access(root ? root : "", X_OK) == 0 ? 0
		: fails(e, "look for", place);
}

int blob_move(const char *from, const char *to, struct err *e)
{
	const char *old, *new;
	int a = open_dir_of(from, false, &old);
	int b = open_dir_of(to, true, &new), rc = 0, why_errno = 0;

	if (a < 0 || b < 0 || renameat(a, old, b, new) < 0) {
		why_errno = errno;
		rc = fails(e, "rename", from);
	}
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	if (why_errno == ENOENT) {
		struct err why = ERR_INIT;

		/* Another process has renamed it. */
		if (blob_is_there(to, &why) == 1) {
			err_clear(e);
			return 0;
		}
	}
	return rc < 0 ? -1 : sync_dir(to, e);
}

static int read_at(int fd, int64_t from, size_t max, struct arena *a,
		   struct str *out)
{
	char *p = arena_alloc(a, max + 1);
	size_t n = 0;

	while (n < max) {
		ssize_t got = pread(fd, p + n, max - n, from + (int64_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*out = (struct str){ p, n };
	return 0;
}

int blob_read(struct str place, const struct uuid *id, int64_t from, size_t max,
	      struct arena *a, struct str *out, struct err *e)
{
	char at[BLOB_PLACE_BYTES], tmp[BLOB_PLACE_BYTES];
	int fd, rc = 0;

	*out = (struct str){ NULL, 0 };
	if (!is_place_of(place, id, at))
		return err_set(e, ERR_FILE_STORE, "a file has a place that is "
			       "not its own");
	fd = open_file(at, O_RDONLY);
	if (fd < 0 && errno == ENOENT)
		fd = open_file(blob_arriving(id, tmp), O_RDONLY);
	/* It was renamed between the two attempts. */
	if (fd < 0 && errno == ENOENT)
		fd = open_file(at, O_RDONLY);
	if (fd < 0)
		return errno == ENOENT ? 0 : fails(e, "open", at);
	if (read_at(fd, from, max, a, out) < 0)
		rc = fails(e, "read", at);
	close(fd);
	return rc;
}

static int remove_one(const char *place, struct err *e)
{
	const char *name;
	int dir = open_dir_of(place, false, &name), rc = 0;

	/* If the directory is not mounted, the file is not missing. */
	if (dir < 0)
		return errno == ENOENT && root && access(root, W_OK) == 0 ? 0
			: fails(e, "delete", place);
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		rc = fails(e, "delete", place);
	close(dir);
	return rc;
}

int blob_remove(struct str place, const struct uuid *id, struct err *e)
{
	char at[BLOB_PLACE_BYTES], tmp[BLOB_PLACE_BYTES];

	if (!is_place_of(place, id, at))
		return err_set(e, ERR_FILE_STORE, "a file has a place that is "
			       "not its own");
	return remove_one(at, e) < 0 ||
		remove_one(blob_arriving(id, tmp), e) < 0 ? -1 : 0;
}

int blob_unlink(const char *place, struct err *e)
{
	return remove_one(place, e);
}

int blob_adopt(const char *from, const char *place, const struct uuid *id,
	       struct err *e)
{
	char to[BLOB_PLACE_BYTES];
	int there;

	if (!is_place_of(str_of(place), id, to))
		return err_set(e, ERR_FILE_STORE, "a file has a place that is "
			       "not its own");
	if (!strcmp(from, to))
		return 0;
	there = blob_is_there(to, e);
	return there < 0 ? -1 : there ? remove_one(from, e)
		: blob_move(from, to, e);
}

/* -- the sweep -------------------------------------------------------- */

static const char *part_name(int part, char out[4])
{
	if (part == TMP_PART)
		return TMP;
	put_hex(out, &(unsigned char){ (unsigned char)part }, 1);
	return out;
}

int blob_each(int part, int64_t age_s,
	      int (*fn)(void *ctx, const char *place, const struct uuid *id,
			struct err *e),
	      void *ctx, struct err *e)
{
	char name[4], place[BLOB_PLACE_BYTES];
	int fd = open_dir(part_name(part, name), false), rc = 0;
	time_t now = time(NULL);
	struct dirent *d;
	struct stat st;
	struct uuid id;
	DIR *dir;

	if (fd < 0)
		return errno == ENOENT ? 0
			: fails(e, "open", part_name(part, name));
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return fails(e, "read", part_name(part, name));
	}
	while (rc == 0 && (d = readdir(dir)) != NULL) {
		if (!parse_name(d->d_name, part == TMP_PART, &id, place) ||
		    fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || now - st.st_mtime < age_s)
			continue;
		rc = fn(ctx, place, &id, e);
	}
	closedir(dir);
	return rc;
}

static int open_state(int flags)
{
	int top = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int fd = top < 0 ? -1 : openat(top, STATE, flags | O_CLOEXEC | O_NOFOLLOW,
				       0600);
	int was = errno;

	if (top >= 0)
		close(top);
	errno = was;
	return fd;
}

enum { SWEEP_S = 86400 };	/* between two sweeps of the directory */

int blob_sweep_next(int *part, struct err *e)
{
	char text[16] = "";
	struct stat st;
	int64_t n;
	int fd = open_state(O_RDONLY);

	*part = 0;
	if (fd < 0)
		return errno == ENOENT && access(root ? root : "", X_OK) == 0
			? 0 : fails(e, "open", STATE);
	if (fstat(fd, &st) == 0 && read(fd, text, sizeof(text) - 1) > 0 &&
	    str_int(str_trim(str_of(text)), &n) && n >= 0 && n <= BLOB_PARTS)
		*part = n == BLOB_PARTS && time(NULL) - st.st_mtime >= SWEEP_S
			? 0 : (int)n;
	close(fd);
	return 0;
}

int blob_sweep_done(int part, struct err *e)
{
	int fd = open_state(O_WRONLY | O_CREAT | O_TRUNC), rc = 0;

	if (fd < 0)
		return fails(e, "write", STATE);
	if (dprintf(fd, "%d\n", part) < 0)
		rc = fails(e, "write", STATE);
	close(fd);
	return rc;
}

/* -- for doctor -------------------------------------------------------- */

int blob_try(struct err *e)
{
	char from[BLOB_PLACE_BYTES], to[BLOB_PLACE_BYTES];
	const unsigned char hash[BLOB_HASH_BYTES] = { 0 };
	struct uuid id = uuid_new();

	blob_arriving(&id, from);
	blob_complete(hash, &id, to);
	if (blob_write(from, 0, STR("doctor\n"), e) < 0)
		return -1;
	if (blob_sync(from, 7, e) < 0 || blob_move(from, to, e) < 0) {
		struct err ignored = ERR_INIT;
		int rc = blob_remove(str_of(from), &id, &ignored);

		return MIN(rc, -1);
	}
	return blob_remove(str_of(to), &id, e);
}
