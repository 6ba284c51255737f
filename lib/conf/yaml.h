/* SPDX-License-Identifier: MIT */
/*
 * YAML as a plain tree: what a configuration may be, and nothing more.
 *
 * The subset: one document, UTF-8, scalars, sequences, maps with scalar keys.
 * Refused, because a configuration is to be read by people: anchors, aliases
 * and merge keys (also the way to blow up a small file), explicit tags, a
 * second document, duplicate keys, NUL characters. Scalars stay text: what
 * `no` or `1e3` means is decided by the option that it stands for, so the
 * booleans of YAML 1.1 never surprise where a string is expected.
 *
 * yaml.c is the only file that includes <yaml.h>, besides the confined reader of files.
 */
#ifndef CONF_YAML_H
#define CONF_YAML_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ypos {			/* where something stands; 1-based */
	const char *file;
	int line, column;
};

enum ykind { YSCALAR, YSEQ, YMAP };

struct ykey {
	const char *name;
	struct ypos pos;
};

struct ynode {
	enum ykind kind;
	struct ypos pos;
	const char *text;	/* YSCALAR: no NUL inside */
	bool plain;		/* YSCALAR: not quoted, not a block */
	struct ynode **v;	/* YSEQ: items; YMAP: values, never NULL */
	struct ykey *keys;	/* YMAP: keys[i] belongs to v[i] */
	size_t n;
};

/* Whether n is a plain null: `null`, `~` or nothing at all. */
bool ynode_null(const struct ynode *n);

/*
 * Parses text. file is only for positions and must live as long as the tree.
 * *budget is the number of nodes that may still be made and is counted down:
 * one budget for all files of a generation. Nesting is capped at
 * LIM_CONF_DEPTH, keys per map at LIM_CONF_KEYS. Returns the root owned by
 * the arena; *root is NULL for a file without content. Errors: -1 with
 * ERR_CONFIG, text starting "FILE:LINE:COLUMN: ". Any thread.
 */
int ytree_parse(struct arena *a, const char *file, struct str text,
		size_t *budget, struct ynode **root, struct err *e) MUST_CHECK;

#endif
