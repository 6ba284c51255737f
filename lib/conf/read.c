/* SPDX-License-Identifier: MIT */
/* Reading one generation: the main file, and those of its folders. */
#include "conf/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blank.h"
#include "base/limits.h"
#include "conf/load.h"
#include "conf/rules.h"

#include "base/banned.h"

/* "intranet" of "/etc/x/intranet.yaml", in the arena. */
static const char *stem(struct arena *a, const char *path)
{
	const char *name = strrchr(path, '/');
	const char *dot;

	name = name ? name + 1 : path;
	dot = strrchr(name, '.');
	return arena_memdup(a, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* The id defaults to the file's name, which must then be a valid id. */
static bool id_or_stem(struct loader *l, const char **id,
		       const struct ypos *at)
{
	bool written;

	if (!*id)
		return false;	/* noted */
	written = **id != '\0';
	if (!written)
		*id = stem(l->a, at->file);
	if (!check_slug(*id))
		return true;
	if (!written)
		load_fail(l, at, "the file's name is not an id, so the file "
			  "must have one (a-z, 0-9, _ and -)");
	return false;
}

static void add_workspace(struct loader *l, const struct ynode *root)
{
	struct workspace *all = (struct workspace *)l->c->workspaces;
	struct workspace *w = &all[l->c->n_workspaces];

	load_place(l, w, &root->pos);
	load_struct(l, SEC_WORKSPACE, w, root, &root->pos);
	if (!id_or_stem(l, &w->id, &root->pos))
		return;
	for (size_t i = 0; i < l->c->n_workspaces; i++)
		if (!strcmp(all[i].id, w->id)) {
			load_fail(l, load_pos(l, w), "workspace \"%s\" is "
				  "already defined in %s", w->id,
				  all[i].file);
			return;
		}
	l->c->n_workspaces++;
}

static void add_prompt(struct loader *l, const struct ynode *root)
{
	struct prompt *all = (struct prompt *)l->c->prompts;
	struct prompt *p = &all[l->c->n_prompts];

	load_place(l, p, &root->pos);
	load_struct(l, SEC_PROMPT, p, root, &root->pos);
	if (!id_or_stem(l, &p->name, &root->pos))
		return;
	for (size_t i = 0; i < l->c->n_prompts; i++)
		if (!strcmp(all[i].name, p->name)) {
			load_fail(l, load_pos(l, p), "there is another prompt "
				  "named \"%s\"", p->name);
			return;
		}
	l->c->n_prompts++;
}

static void add_catalogue(struct loader *l, const struct ynode *root)
{
	struct catalogue_prompt *all =
		(struct catalogue_prompt *)l->c->catalogue;
	struct catalogue_prompt *p = &all[l->c->n_catalogue];
	struct err e = ERR_INIT;
	struct blank *blanks;
	size_t n;

	load_place(l, p, &root->pos);
	load_struct(l, SEC_CATALOGUE, p, root, &root->pos);
	if (!id_or_stem(l, &p->id, &root->pos))
		return;
	if (p->body && blank_parse(str_of(p->body), l->a, &blanks, &n,
				   &e) < 0)
		load_fail(l, load_pos(l, &p->body), "%s", err_message(&e));
	for (size_t i = 0; i < l->c->n_catalogue; i++)
		if (!strcmp(all[i].id, p->id)) {
			load_fail(l, load_pos(l, p), "there is another prompt "
				  "with the id \"%s\"", p->id);
			return;
		}
	l->c->n_catalogue++;
}

static void add_template(struct loader *l, const struct ynode *root)
{
	struct agent_template *all = (struct agent_template *)l->c->templates;
	struct agent_template *t = &all[l->c->n_templates];

	load_place(l, t, &root->pos);
	load_struct(l, SEC_TEMPLATE, t, root, &root->pos);
	if (!id_or_stem(l, &t->agent.id, &root->pos))
		return;
	if (l->c->n_templates == LIM_AGENT_TEMPLATES) {
		load_fail(l, load_pos(l, t), "there are more than %d templates",
			  LIM_AGENT_TEMPLATES);
		return;
	}
	for (size_t i = 0; i < l->c->n_templates; i++)
		if (!strcmp(all[i].agent.id, t->agent.id)) {
			load_fail(l, load_pos(l, t), "there is another "
				  "template with the id \"%s\"", t->agent.id);
			return;
		}
	l->c->n_templates++;
}

/* Reads each file of a directory. One with a name of its own must exist. */
static void load_dir(struct loader *l, const char *const *option,
		     const char *usual, const void **array, size_t size,
		     void (*add)(struct loader *l, const struct ynode *root))
{
	const struct ypos *pos = load_pos(l, option);
	const char *dir = **option == '/' ? *option
		: arena_printf(l->a, "%s%s", l->dir, *option);
	struct err e = ERR_INIT;
	const struct ynode *root;
	char **names;
	size_t n;
	bool there;

	if (source_list(l->src, dir, &names, &n, &there, &e))
		load_fail(l, pos, "%s", e.text);
	else if (!there && strcmp(*option, usual))
		load_fail(l, pos, "there is no directory %s", dir);
	*array = arena_zalloc(l->a, n + 1, size);
	for (size_t i = 0; i < n; i++) {
		root = load_file(l, arena_printf(&l->tree, "%s/%s", dir,
						 names[i]));
		if (root)
			add(l, root);
		free(names[i]);
	}
	free(names);
}

static void load_all(struct loader *l)
{
	struct conf *c = l->c;
	const struct ynode *root = load_file(l, c->file);
	struct ypos top = { .file = c->file, .line = 1, .column = 1 };

	if (!root)
		return;		/* the directories are not known */
	load_struct(l, SEC_MAIN, c, root, &top);
	if (c->workspaces_dir)
		load_dir(l, &c->workspaces_dir, "workspaces.d",
			 (const void **)&c->workspaces, sizeof(*c->workspaces),
			 add_workspace);
	if (c->prompts_dir)
		load_dir(l, &c->prompts_dir, "prompts.d",
			 (const void **)&c->prompts, sizeof(*c->prompts),
			 add_prompt);
	if (c->catalogue_dir)
		load_dir(l, &c->catalogue_dir, "catalogue.d",
			 (const void **)&c->catalogue, sizeof(*c->catalogue),
			 add_catalogue);
	if (c->templates_dir)
		load_dir(l, &c->templates_dir, "agent-templates.d",
			 (const void **)&c->templates, sizeof(*c->templates),
			 add_template);
	/* a value that failed may be NULL: references would only add noise */
	if (!l->n_errors)
		check_all(l);
}

static void note_files(struct conf *c, const struct conf_sources *src)
{
	c->files.v = arena_alloc(&c->arena, (src->n + 1) * sizeof(*c->files.v));
	for (size_t i = 0; i < src->n; i++)
		if (src->v[i].there)
			c->files.v[c->files.n++] =
				arena_strdup(&c->arena, src->v[i].path);
}

static int compare_templates(const void *a, const void *b)
{
	const struct agent_template *x = a, *y = b;

	return strcmp(x->agent.id, y->agent.id);
}

struct conf *conf_read(const char *main_file, struct conf_sources *src,
		       struct buf *report, struct err *e)
{
	static uint64_t generations;
	struct conf *c = xcalloc(1, sizeof(*c));
	const char *slash = strrchr(main_file, '/');
	struct loader l = {
		.c = c, .a = &c->arena, .src = src, .report = report, .e = e,
		.nodes_left = LIM_CONF_NODES, .bytes_left = LIM_CONF_BYTES,
	};
	size_t n;

	sources_init(src);
	c->refs = 1;
	c->file = arena_strdup(&c->arena, main_file);
	l.dir = slash ? arena_memdup(&c->arena, main_file,
				     (size_t)(slash - main_file) + 1) : "";
	load_all(&l);
	if (l.n_errors > 1) {
		n = strlen(e->text);
		snprintf(e->text + n, sizeof(e->text) - n, " (and %d more)",
			 l.n_errors - 1);
	}
	arena_release(&l.tree);
	free(l.places);
	note_files(c, src);
	c->hash = src->hash;
	c->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < c->n_llms; i++)
		((struct llm_service *)c->llms)[i].version = c->generation;
	for (size_t i = 0; i < c->n_workspaces; i++) {
		struct workspace *w = (struct workspace *)&c->workspaces[i];

		w->version = c->generation;
		for (size_t k = 0; k < w->n_agents; k++)
			((struct agent *)w->agents)[k].version = c->generation;
	}
	if (c->n_templates)
		qsort((void *)c->templates, c->n_templates, sizeof(*c->templates),
		      compare_templates);
	if (!l.n_errors)
		return c;
	conf_put(c);
	return NULL;
}

struct conf *conf_load_report(const char *main_file, struct buf *report,
			      struct err *e)
{
	struct conf_sources src;
	struct conf *c = conf_read(main_file, &src, report, e);

	sources_release(&src);
	return c;
}

struct conf *conf_load(const char *main_file, struct err *e)
{
	return conf_load_report(main_file, NULL, e);
}
