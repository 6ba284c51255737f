/* SPDX-License-Identifier: MIT */
/*
 * The files of a configuration: what was read, and whether the files on disk are
 * still the same. Only lib/conf includes this.
 */
#ifndef CONF_SOURCE_H
#define CONF_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct conf_source {		/* a file or a directory */
	char *path;
	bool there;
	dev_t dev;
	ino_t ino;
	off_t size;
	int64_t mtime_us;
};

struct conf_sources {
	struct conf_source *v;
	size_t n, size;
	uint64_t hash;		/* of names and contents, in reading order */
	int64_t read_us;	/* wall clock when reading began */
};

/* Empty, with the current time. Release leaves it as after init, without a time. */
void sources_init(struct conf_sources *s);
void sources_release(struct conf_sources *s);

/*
 * Appends a file's content to out (whose cap holds) and notes the file.
 * ERR_CONFIG: "PATH: No such file or directory", … The note is made anyway.
 */
int source_read(struct conf_sources *s, const char *path, struct buf *out,
		struct err *e) MUST_CHECK;

/*
 * Lists the *.yaml and *.yml files of a directory by name (not those that
 * start with a dot) and notes it. Names are malloc'd; the caller frees them
 * and the array, also after an error. *there is false when it does not exist.
 */
int source_list(struct conf_sources *s, const char *dir, char ***names,
		size_t *n, bool *there, struct err *e) MUST_CHECK;

/* Whether something noted looks different now. */
bool sources_changed(const struct conf_sources *s);

/*
 * Whether a file was written so shortly before it was read that a later write
 * may have the same time stamp.
 */
bool sources_young(const struct conf_sources *s);

/* The newest write that can be seen now, wall clock; 0 = none. */
int64_t sources_newest_us(const struct conf_sources *s);

#endif
