/* SPDX-License-Identifier: MIT */
/*
 * The YAML reader and the option loader on arbitrary bytes: a tree or an
 * error with a place, never a crash, a leak or a budget overrun.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "conf/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Loads root as each kind of file; what it gives is thrown away. */
static void load_as(const struct ynode *root, enum opt_section sec)
{
	struct conf *c = xcalloc(1, sizeof(*c));
	struct buf report = BUF_INIT(65536);
	struct err e = ERR_INIT;
	struct conf_sources src;
	char *base = arena_zalloc(&c->arena, 1, opt_sections[sec].size);
	struct loader l = {
		.c = c, .a = &c->arena, .src = &src, .dir = "",
		.bytes_left = LIM_CONF_BYTES, .e = &e, .report = &report,
	};

	sources_init(&src);
	c->refs = 1;
	c->file = root->pos.file;
	load_struct(&l, sec, sec == SEC_MAIN ? (void *)c : base, root,
		    &root->pos);
	if (sec == SEC_MAIN && !l.n_errors)
		check_all(&l);
	if ((l.n_errors > 0) != (e.code == ERR_CONFIG))
		abort();
	if (sec == SEC_MAIN && !l.n_errors) {
		buf_reset(&report);
		conf_print(c, &report);
	}
	free(l.places);
	sources_release(&src);
	buf_release(&report);
	conf_put(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum opt_section roots[] = {
		SEC_MAIN, SEC_WORKSPACE, SEC_PROMPT, SEC_CATALOGUE,
	};
	struct str text = { (const char *)data, size };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	size_t budget = LIM_CONF_NODES;
	struct ynode *root;

	/* never open what the input names */
	if (memmem(data, size, "file:", 5))
		return 0;
	if (ytree_parse(&a, "fuzz", text, &budget, &root, &e)) {
		if (e.code != ERR_CONFIG || strncmp(e.text, "fuzz:", 5))
			abort();
	} else if (root) {
		for (size_t i = 0; i < ARRAY_LEN(roots); i++)
			load_as(root, roots[i]);
	}
	arena_release(&a);
	return 0;
}
