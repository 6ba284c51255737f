/* SPDX-License-Identifier: MIT */
/* Where something is in a file, for messages of the modules above. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "conf/conf.h"
#include "conf/source.h"
#include "conf/yaml.h"

#include "base/banned.h"

/* The line of the key, which says more than that of a value in a block. */
static int line_of(const struct ynode *n, const char *path)
{
	int line = n->pos.line;

	while (*path) {
		const struct ynode *next = NULL;
		size_t len = 0;

		if (*path == '[') {
			size_t i = strtoul(path + 1, NULL, 10);

			next = n->kind == YSEQ && i < n->n ? n->v[i] : NULL;
			len = strcspn(path, "]") + 1;
			line = next ? next->pos.line : line;
		} else {
			/* the longest: a key may have dots */
			for (size_t i = 0; n->kind == YMAP && i < n->n; i++) {
				size_t k = strlen(n->keys[i].name);

				if (k < len || strncmp(n->keys[i].name, path, k) ||
				    !strchr(".[", path[k]))
					continue;
				next = n->v[i];
				line = n->keys[i].pos.line;
				len = k;
			}
		}
		if (!next)
			break;
		n = next;
		path += MIN(len, strlen(path));
		path += *path == '.';
	}
	return line;
}

int conf_line(const char *file, const char *path)
{
	struct buf b = BUF_INIT(LIM_CONF_FILE_BYTES);
	size_t budget = LIM_CONF_NODES;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct conf_sources src;
	struct ynode *root;
	int line = 0;

	sources_init(&src);
	if (source_read(&src, file, &b, &e) == 0 &&
	    ytree_parse(&a, file, buf_str(&b), &budget, &root, &e) == 0 && root)
		line = line_of(root, path);
	sources_release(&src);
	arena_release(&a);
	buf_release(&b);
	return line;
}
