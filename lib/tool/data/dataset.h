/* SPDX-License-Identifier: MIT */
/*
 * Datasets as one caller sees them: those of the workspace whose groups include
 * the caller, with the columns whose groups do. Columns come from the YAML or,
 * if it declares none, from the database.
 */
#ifndef TOOL_DATASET_H
#define TOOL_DATASET_H

#include "tool/core/tool.h"

struct dataset {
	const struct conf_dataset *conf;
	const struct conf_db *database;
	const struct conf_column **columns;	/* visible ones; arena */
	size_t n_columns;
};

/* Whether the caller may query it at all; asks no database. */
bool dataset_visible(const struct tool_ctx *ctx, const struct conf_dataset *d);

/*
 * The dataset of this name for this caller, in ctx->arena. ERR_TOOL_ARGS with the
 * names that exist if there is none or they may not see it; ERR_DB* if its columns
 * cannot be read; ERR_CONFIG if its database is not declared.
 */
int dataset_find(const struct tool_ctx *ctx, struct str name,
		 struct dataset *out, struct err *e) MUST_CHECK;

/* The same for one that is known to be visible. */
int dataset_resolve(const struct tool_ctx *ctx, const struct conf_dataset *d,
		    struct dataset *out, struct err *e) MUST_CHECK;

/* The visible column of this name (exact, else ignoring case), or NULL. */
const struct conf_column *dataset_column(const struct dataset *d,
					 struct str name);

/* The members of a column that every description has, in an object of w. */
void dataset_write_column(struct jw *w, const struct conf_column *c);

/* The tools (rows.c). */
bool dataset_any(const struct tool *t, const struct tool_ctx *ctx);
int list_datasets_run(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out, bool *is_json,
		      struct err *e) MUST_CHECK;
int describe_dataset_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e) MUST_CHECK;
int query_data_describe(const struct tool *t, const struct tool_ctx *ctx,
			struct tool_offer *o, struct err *e) MUST_CHECK;
int query_data_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, bool *is_json,
		   struct err *e) MUST_CHECK;

/* Appends the statement and its arguments, without running it. Errors as run. */
int query_data_dry_run(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out,
		       struct err *e) MUST_CHECK;

/* Checks what the admin wrote. ERR_CONFIG, "FILE:LINE: dataset …". */
int dataset_check(const struct conf *conf, const struct conf_dataset *d,
		  struct err *e) MUST_CHECK;

#endif
