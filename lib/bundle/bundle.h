/* SPDX-License-Identifier: MIT */
/*
 * A project as a file, with all that is in it: one JSON, or a ZIP archive of a folder of
 * Markdown in which the tree of documents is folders. Who works on it, whose it is and what
 * was changed are not in the file. docs/projects.md has the formats.
 */
#ifndef BUNDLE_BUNDLE_H
#define BUNDLE_BUNDLE_H

#include "resource/call.h"

#define BUNDLE_FORMAT "lamplighter-project"
enum { BUNDLE_VERSION = 1 };

/* A part: the resources below a project that are in the file, as its member or folder. */
struct bundle_part {
	const char *name;
	enum resource_id resource;
	const char *text;	/* the field that is the text of a file; NULL: none */
	bool tree;		/* the folder of one is where those below it are */
};

/* Links are the last part; in a folder they are in the files that they begin in. */
enum { BUNDLE_EDGES = 9, BUNDLE_PARTS };
extern const struct bundle_part bundle_parts[BUNDLE_PARTS];
extern const struct bundle_part bundle_project;

/* The field of the part's resource that names a row ("title", "name"); NULL: none. */
const struct resource_field *bundle_title(const struct bundle_part *p);

/* Whether the value of the field is in the file. */
bool bundle_has(const struct bundle_part *p, const struct resource_field *f);

/*
 * Appends a project that the caller sees, as JSON or (folder) as a ZIP archive. *name: of
 * the project. ERR_NOT_FOUND; ERR_TOO_BIG, public, beyond LIM_PROJECT_FILE_BYTES;
 * ERR_TOOL_FAILED if the child that packs cannot be started. In by's arena; blocks.
 */
int bundle_write(const struct caller *by, const struct uuid *project, bool folder,
		 struct str *name, struct buf *out, struct err *e) MUST_CHECK;

struct bundle_report {
	struct uuid project;
	struct str name;
	int64_t created[BUNDLE_PARTS];
	struct str notes[20];		/* what was left out, in sentences; the first ones */
	size_t n_notes;
	bool more_notes;
};

/*
 * Makes a project of the caller of such a file, or of any folder of Markdown, whose files
 * are then documents: all of it, or nothing. An archive is read in the confined child.
 * name: of the project (empty: as in the file). ERR_INVALID_FIELD, naming "body", says what
 * in the file is wrong; the errors of resource_call; ERR_TOOL_FAILED and ERR_TOOL_TIMEOUT
 * of the child; ERR_TOO_BIG if it takes too long. In by's arena; blocks.
 */
int bundle_read(const struct caller *by, struct str file, struct str name,
		struct bundle_report *out, struct err *e) MUST_CHECK;

#endif
