/* SPDX-License-Identifier: MIT */
/* A file that an option names: JSON, or YAML as YAML 1.2 reads its scalars. */
#include <string.h>

#include "base/limits.h"
#include "conf/load.h"

#include "base/banned.h"

json_t *load_document(struct loader *l, const char *path,
		      const struct ypos *pos)
{
	struct buf b = BUF_INIT(LIM_CONF_FILE_BYTES);
	struct err e = ERR_INIT;
	struct ynode *root = NULL;
	json_t *j = NULL;
	struct str s;

	if (*path != '/')
		path = arena_printf(l->a, "%s%s", l->dir, path);
	if (source_read(l->src, path, &b, &e)) {
		load_fail(l, pos, "%s", e.text);
		goto out;
	}
	s = str_trim(buf_str(&b));
	if (s.n > l->bytes_left) {
		load_fail(l, pos, "the files have more than %d bytes in total",
			  LIM_CONF_BYTES);
		goto out;
	}
	l->bytes_left -= s.n;
	if (s.n && *s.p == '{') {
		j = jx_load(s, &e);
		if (!j)
			load_fail(l, pos, "%s: %s", path, err_message(&e));
	} else if (ytree_parse(&l->tree, arena_strdup(&l->tree, path), s,
			       &l->nodes_left, &root, &e)) {
		load_fail(l, NULL, "%s", e.text);
	} else if (!root || root->kind != YMAP) {
		load_fail(l, pos, "%s is not a map", path);
	} else {
		j = load_json(root);
	}
out:
	buf_release(&b);
	return j ? jx_keep(l->a, j) : NULL;
}
