#include "agent/setting.h"

#include "agent/catalog.h"
#include "base/limits.h"

#include "base/banned.h"

#define NUMBER(n) (n)
#define NOTHING 0

const struct setting_row setting_rows[SETTING__MAX] = {
#define TEXT_AT(level, says, value) | 1u << LEVEL_##level
#define NUMBER_AT(level, says, value) | 1u << LEVEL_##level
#define SETTING(n, k, m, d, w, l) [SETTING_##n] = { \
	.key = k, .what = w, .merge = MERGE_##m, .dflt = d, .levels = 0 l },
#include "agent/setting.def"
#undef TEXT_AT
#undef NUMBER_AT
};

/* What one level says; false: nothing. */
static bool said_at(enum setting_level level, enum setting_id id,
		    const struct setting_scope *in, struct setting_value *out)
{
	switch (id) {
#define TEXT_AT(l, says, value) case LEVEL_##l: \
	if (says) out->text = (value); \
	return says;
#define NUMBER_AT(l, says, value) case LEVEL_##l: \
	if (says) out->number = (value); \
	return says;
#define SETTING(n, key, merge, dflt, what, levels) case SETTING_##n: \
	switch (level) { levels default: return false; }
#include "agent/setting.def"
	case SETTING__MAX:
		break;
	}
	return false;
}

/* Whether v takes the place of best. */
static bool wins(enum setting_merge merge, const struct setting_value *v,
		 const struct setting_value *best)
{
	if (best->level == LEVEL_BUILT_IN)
		return true;
	return merge == MERGE_MOST ? v->number > best->number
		: merge == MERGE_LEAST && v->number < best->number;
}

struct setting_value setting_get(enum setting_id id,
				 const struct setting_scope *in)
{
	const struct setting_row *row = &setting_rows[id];
	struct setting_value best = {
		.level = LEVEL_BUILT_IN, .number = row->dflt,
	};

	for (int l = 0; l < LEVEL_BUILT_IN; l++) {
		struct setting_value v = { .level = (enum setting_level)l };

		if (said_at(v.level, id, in, &v) && wins(row->merge, &v, &best))
			best = v;
	}
	return best;
}

/* -- for people --------------------------------------------------------------- */

static const char *const merges[] = {
	[MERGE_FIRST] = "the nearest", [MERGE_MOST] = "the strictest",
	[MERGE_LEAST] = "the smallest",
};

static void print_levels(struct buf *out, const struct setting_row *row)
{
	static const char *const names[] = {
		[LEVEL_TOOL] = "tool", [LEVEL_AGENT] = "agent",
		[LEVEL_WORKSPACE] = "workspace", [LEVEL_USER] = "user",
		[LEVEL_TEAM] = "team", [LEVEL_TENANT] = "tenant",
		[LEVEL_INSTALLATION] = "installation",
	};
	const char *comma = "";

	for (int l = 0; l < LEVEL_BUILT_IN; l++)
		if (row->levels & 1u << l) {
			buf_addf(out, "%s%s", comma, names[l]);
			comma = ", ";
		}
}

static void print_row(struct buf *out, const struct setting_row *row,
		      const char *before, const char *between, const char *after)
{
	buf_addf(out, "%s%s%s", before, row->key, between);
	print_levels(out, row);
	buf_addf(out, "%s%s%s%s%s", between, merges[row->merge], between,
		 row->what, after);
}

void setting_print(struct buf *out)
{
	for (int i = 0; i < SETTING__MAX; i++)
		print_row(out, &setting_rows[i], "", "\t", "\n");
}

void setting_print_table(struct buf *out)
{
	buf_adds(out, "| setting | levels, nearest first | which counts | "
		 "what |\n|---|---|---|---|\n");
	for (int i = 0; i < SETTING__MAX; i++)
		print_row(out, &setting_rows[i], "| ", " | ", " |\n");
}
