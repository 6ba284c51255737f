/* SPDX-License-Identifier: MIT */
#include "conf/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"

#include "base/banned.h"

#define YOUNG_US 2000000	/* coarser than any file system's clock */

void sources_init(struct conf_sources *s)
{
	*s = (struct conf_sources){
		.hash = 0xcbf29ce484222325u, .read_us = clock_now_us(),
	};
}

void sources_release(struct conf_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].path);
	free(s->v);
	*s = (struct conf_sources){ .v = NULL };
}

/* FNV-1a: finds changes, guards nothing. */
static void hash_in(struct conf_sources *s, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		s->hash = (s->hash ^ b[i]) * 0x100000001b3u;
	s->hash = (s->hash ^ 0x100 ^ n) * 0x100000001b3u;
}

static void fill(struct conf_source *f, const struct stat *st)
{
	f->there = true;
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->mtime_us = (int64_t)st->st_mtim.tv_sec * 1000000 +
		      st->st_mtim.tv_nsec / 1000;
}

/* st is NULL if it does not exist. */
static void note(struct conf_sources *s, const char *path,
		 const struct stat *st)
{
	struct conf_source f = { .path = xstrdup(path) };

	if (st)
		fill(&f, st);
	if (s->n == s->size) {
		s->size = s->size ? s->size * 2 : 16;
		s->v = xrealloc(s->v, s->size * sizeof(*s->v));
	}
	s->v[s->n++] = f;
	hash_in(s, path, strlen(path));
}

static int fail_errno(const char *path, struct err *e)
{
	char text[128];
	int n = errno;

	return err_set(e, ERR_CONFIG, "%s: %s", path,
		       err_errno(n, text, sizeof(text)));
}

/* Reads to the end; the file may be longer or shorter than stat said. */
static int read_all(int fd, const char *path, struct buf *out, struct err *e)
{
	size_t start = out->n;
	char part[16384];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_errno(path, e);
		buf_add(out, part, (size_t)n);
		if (!buf_ok(out))
			return err_set(e, ERR_CONFIG,
				       "%s: larger than %zu bytes", path,
				       out->cap - start);
	}
	return 0;
}

int source_read(struct conf_sources *s, const char *path, struct buf *out,
		struct err *e)
{
	/* not to be held up by a FIFO */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t start = out->n;
	struct stat st;
	int rc;

	if (fd < 0) {
		rc = fail_errno(path, e);
		note(s, path, NULL);
		return rc;
	}
	if (fstat(fd, &st)) {
		rc = fail_errno(path, e);
		note(s, path, NULL);
	} else if (!S_ISREG(st.st_mode)) {
		rc = err_set(e, ERR_CONFIG, "%s: not a regular file", path);
		note(s, path, &st);
	} else {
		note(s, path, &st);
		rc = read_all(fd, path, out, e);
		if (!rc)
			hash_in(s, out->p + start, out->n - start);
	}
	close(fd);
	return rc;
}

static bool is_yaml(const char *name)
{
	const char *dot = strrchr(name, '.');

	return name[0] != '.' && dot &&
	       (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int source_list(struct conf_sources *s, const char *dir, char ***names,
		size_t *n, bool *there, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	struct stat st;
	int rc = 0;

	*names = NULL;
	*n = 0;
	*there = d != NULL;
	if (!d) {
		if (errno != ENOENT)
			rc = fail_errno(dir, e);
		note(s, dir, NULL);
		return rc;
	}
	note(s, dir, fstat(dirfd(d), &st) ? NULL : &st);
	while (!rc && (entry = readdir(d))) {
		if (!is_yaml(entry->d_name))
			continue;
		if (*n == LIM_CONF_FILES) {
			rc = err_set(e, ERR_CONFIG, "%s: more than %d files",
				     dir, LIM_CONF_FILES);
			break;
		}
		*names = xrealloc(*names, (*n + 1) * sizeof(**names));
		(*names)[(*n)++] = xstrdup(entry->d_name);
	}
	closedir(d);
	if (*n)
		qsort(*names, *n, sizeof(**names), by_name);
	return rc;
}

bool sources_changed(const struct conf_sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct conf_source *was = &s->v[i];
		struct conf_source now = { .path = NULL };
		struct stat st;

		if (!stat(was->path, &st))
			fill(&now, &st);
		if (now.there != was->there || now.dev != was->dev ||
		    now.ino != was->ino || now.mtime_us != was->mtime_us ||
		    now.size != was->size)
			return true;
	}
	return false;
}

bool sources_young(const struct conf_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		/* a time in the far future is not the time of a write */
		if (s->v[i].there &&
		    s->v[i].mtime_us > s->read_us - YOUNG_US &&
		    s->v[i].mtime_us < s->read_us + YOUNG_US)
			return true;
	return false;
}

int64_t sources_newest_us(const struct conf_sources *s)
{
	int64_t newest = 0;
	struct stat st;

	for (size_t i = 0; i < s->n; i++) {
		struct conf_source now = { .path = NULL };

		if (stat(s->v[i].path, &st))
			continue;
		fill(&now, &st);
		newest = MAX(newest, now.mtime_us);
	}
	return newest;
}
