/* SPDX-License-Identifier: MIT */
/* See dataset.h: who sees what, and the tool list_datasets. */
#include "tool/data/dataset.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "auth/policy.h"
#include "base/log.h"
#include "tool/core/env.h"
#include "tool/data/query.h"
#include "tool/data/rowfilter.h"
#include "tool/core/text.h"

#include "base/banned.h"

bool dataset_visible(const struct tool_ctx *ctx, const struct conf_dataset *d)
{
	return policy_in_groups(ctx->turn.by.who, &d->groups);
}

bool dataset_any(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	for (size_t i = 0; i < ctx->turn.workspace->n_datasets; i++)
		if (dataset_visible(ctx, &ctx->turn.workspace->datasets[i]))
			return true;
	return false;
}

static bool has_auto(const struct conf_dataset *d)
{
	for (size_t i = 0; i < d->n_columns; i++)
		if (d->columns[i].type == COL_AUTO)
			return true;
	return false;
}

/* The declared columns; unset properties are those of the table. */
static struct conf_column *declared_with_types(struct arena *a,
					       const struct conf_dataset *d,
					       const struct conf_column *table,
					       size_t n_table)
{
	struct conf_column *out = arena_alloc(a, d->n_columns * sizeof(*out));

	for (size_t i = 0; i < d->n_columns; i++) {
		struct conf_column *c = &out[i];

		*c = d->columns[i];
		if (c->type != COL_AUTO)
			continue;
		c->type = COL_TEXT;
		for (size_t k = 0; k < n_table; k++) {
			if (strcmp(table[k].name, c->name) != 0 ||
			    (c->expr && c->expr[0]))
				continue;
			c->type = table[k].type;
			if (!c->description || !c->description[0])
				c->description = table[k].description;
			if (c->values.n == 0)
				c->values = table[k].values;
		}
	}
	return out;
}

int dataset_resolve(const struct tool_ctx *ctx, const struct conf_dataset *d,
		    struct dataset *out, struct err *e)
{
	const struct conf_column *columns = d->columns;
	size_t n = d->n_columns;

	*out = (struct dataset){ .conf = d };
	out->database = strcmp(d->database, "app") == 0 ? &ctx->turn.by.conf->db
		: conf_database(ctx->turn.by.conf, str_of(d->database));
	if (!out->database)
		return err_set(e, ERR_CONFIG, "%s:%d: dataset %s: no database "
			       "%s", d->file, d->line, d->name, d->database);
	if (n == 0 || has_auto(d)) {
		struct conf_column *read = NULL;
		size_t n_read = 0;

		if (d->table[0] &&
		    tool_env_columns(ctx->turn.env, out->database, d->table,
				     ctx->arena, &read, &n_read, e) < 0)
			return err_wrap(e, "dataset %s", d->name);
		if (n)
			read = declared_with_types(ctx->arena, d, read, n_read);
		columns = read;
		n = n ? n : n_read;
	}
	out->columns = arena_alloc(ctx->arena, (n + 1) * sizeof(*out->columns));
	for (size_t i = 0; i < n; i++)
		if (policy_in_groups(ctx->turn.by.who, &columns[i].groups))
			out->columns[out->n_columns++] = &columns[i];
	if (out->n_columns == 0)
		return err_public(e, ERR_TOOL_ARGS, "Dataset \"%.60s\" has no "
				  "columns that this user may see.", d->name);
	return 0;
}

int dataset_find(const struct tool_ctx *ctx, struct str name,
		 struct dataset *out, struct err *e)
{
	const struct workspace *w = ctx->turn.workspace;
	const char **names = arena_alloc(ctx->arena,
					 (w->n_datasets + 1) * sizeof(*names));
	struct buf hint = BUF_INIT(4096);
	size_t n = 0;

	for (size_t i = 0; i < w->n_datasets; i++) {
		const struct conf_dataset *d = &w->datasets[i];

		if (!dataset_visible(ctx, d))
			continue;
		if (strlen(d->name) == name.n &&
		    strncasecmp(d->name, name.p, name.n) == 0)
			return dataset_resolve(ctx, d, out, e);
		names[n++] = d->name;
	}
	text_names(&hint, "Datasets", name, names, n);
	err_public(e, ERR_TOOL_ARGS, "There is no dataset \"%.*s\". %.180s",
		   STR_ARG(text_quote(name, 40)), hint.p);
	buf_release(&hint);
	return -1;
}

const struct conf_column *dataset_column(const struct dataset *d,
					 struct str name)
{
	const struct conf_column *any_case = NULL;

	for (size_t i = 0; i < d->n_columns; i++) {
		const struct conf_column *c = d->columns[i];

		if (strlen(c->name) != name.n)
			continue;
		if (memcmp(c->name, name.p, name.n) == 0)
			return c;
		if (strncasecmp(c->name, name.p, name.n) == 0)
			any_case = c;
	}
	return any_case;
}

void dataset_write_column(struct jw *w, const struct conf_column *c)
{
	jw_kstrz(w, "name", c->name);
	jw_kstrz(w, "type", query_type_name(c->type));
	if (c->description && c->description[0])
		jw_kstrz(w, "description", c->description);
	if (c->values.n) {
		jw_key(w, "values");
		jw_arr(w);
		for (size_t i = 0; i < c->values.n; i++)
			jw_str(w, str_of(c->values.v[i]));
		jw_end_arr(w);
	}
}

int list_datasets_run(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out, bool *is_json,
		      struct err *e)
{
	struct jw w = jw_on(out);

	(void)t;
	(void)args;
	(void)e;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "datasets");
	jw_arr(&w);
	for (size_t i = 0; i < ctx->turn.workspace->n_datasets; i++) {
		const struct conf_dataset *d = &ctx->turn.workspace->datasets[i];
		struct err local = ERR_INIT;
		struct dataset view;
		int rc;

		if (!dataset_visible(ctx, d))
			continue;
		rc = dataset_resolve(ctx, d, &view, &local);
		jw_obj(&w);
		jw_kstrz(&w, "name", d->name);
		jw_kstrz(&w, "description", d->description ? d->description : "");
		jw_key(&w, "columns");
		jw_arr(&w);
		for (size_t k = 0; rc == 0 && k < view.n_columns; k++) {
			jw_obj(&w);
			dataset_write_column(&w, view.columns[k]);
			jw_end_obj(&w);
		}
		jw_end_arr(&w);
		if (rc < 0) {
			log_err("dataset cannot be described", &local);
			jw_kstrz(&w, "error", err_message(&local));
		}
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* -- what the admin wrote --------------------------------------------------- */

static int at(const struct conf_dataset *d, const char *what,
	      const char *name, struct err *fault, struct err *e)
{
	return err_public(e, ERR_CONFIG, "%s:%d: dataset %.60s: %s%s%.60s %s",
			  d->file ? d->file : "", d->line, d->name, what,
			  name[0] ? " " : "", name, fault->public);
}

static bool is_declared(const struct conf_dataset *d, const char *name)
{
	for (size_t i = 0; i < d->n_columns; i++)
		if (strcmp(d->columns[i].name, name) == 0)
			return true;
	return false;
}

int dataset_check(const struct conf *conf, const struct conf_dataset *d,
		  struct err *e)
{
	struct row_caller nobody = { .user = STR("") };
	struct arena arena = ARENA_INIT;
	struct query_args args = { .arena = &arena };
	struct buf sql = BUF_INIT(65536);
	struct err fault = ERR_INIT;
	int rc = 0;

	if (strcmp(d->database, "app") != 0 &&
	    !conf_database(conf, str_of(d->database))) {
		err_public(&fault, ERR_CONFIG, "is not declared in databases:");
		rc = at(d, "database", d->database, &fault, e);
	} else if (!d->table[0] == !d->from[0]) {
		err_public(&fault, ERR_CONFIG, "needs one of table: and from:");
		rc = at(d, "it", "", &fault, e);
	} else if (!d->table[0] && d->n_columns == 0) {
		err_public(&fault, ERR_CONFIG, "with from: needs columns:");
		rc = at(d, "it", "", &fault, e);
	} else if (d->from[0] && query_fragment_check(d->from, &fault) < 0) {
		rc = at(d, "from:", "", &fault, e);
	} else if (d->where && d->where[0] &&
		   row_filter_bind(d->where, &nobody, &sql, &args, &fault) < 0) {
		rc = at(d, "", "", &fault, e);
	}
	for (size_t i = 0; rc == 0 && d->n_columns && i < d->key.n; i++)
		if (!is_declared(d, d->key.v[i])) {
			const char *near = str_nearest(str_of(d->key.v[i]),
				&d->columns[0].name, d->n_columns,
				sizeof(*d->columns), 2);

			err_public(&fault, ERR_CONFIG, "is not one of its "
				   "columns." STR_MEANT, STR_MEANT_ARG(near));
			rc = at(d, "key", d->key.v[i], &fault, e);
		}
	for (size_t i = 0; rc == 0 && i < d->n_columns; i++) {
		const char *expr = d->columns[i].expr;

		if (expr && expr[0] &&
		    query_fragment_check(expr, &fault) < 0)
			rc = at(d, "expr of column", d->columns[i].name,
				&fault, e);
	}
	buf_release(&sql);
	arena_release(&arena);
	return rc;
}
