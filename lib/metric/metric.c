/* SPDX-License-Identifier: MIT */
#include "metric/metric.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#include "base/banned.h"

enum type { COUNTER, GAUGE, HISTOGRAM };

enum label {
#define LABEL(id, name, words) LABEL_##id,
#include "metric/metric.def"
	LABEL__MAX
};

static const struct label_row {
	const char *name, *words;
} labels[LABEL__MAX] = {
#define LABEL(id, name_, words_) [LABEL_##id] = { name_, words_ },
#include "metric/metric.def"
};

static const struct metric_row {
	const char *name, *unit, *help;
	enum type type;
	enum label a, b;
} rows[METRIC__MAX] = {
#define METRIC(id, name_, type_, unit_, a_, b_, help_) \
	[METRIC_##id] = { .name = name_, .unit = unit_, .help = help_, \
			  .type = type_, .a = LABEL_##a_, .b = LABEL_##b_ },
#include "metric/metric.def"
};

/* Upper bounds of a histogram; behind the last one is +Inf, then the sum. */
static const struct bound {
	int64_t ms;
	const char *text;
} bounds[] = {
	{ 100, "0.1" }, { 250, "0.25" }, { 500, "0.5" }, { 1000, "1.0" },
	{ 2500, "2.5" }, { 5000, "5.0" }, { 10000, "10.0" },
	{ 30000, "30.0" }, { 60000, "60.0" },
};
enum { CELL_INF = ARRAY_LEN(bounds), CELL_SUM, HISTOGRAM_CELLS };

static atomic_int_fast64_t counted[METRIC__MAX][METRIC_CELLS];

/* -- cells ------------------------------------------------------------------ */

/* Number i of the label's values; p == NULL: there are fewer. */
static struct str word_at(enum label l, size_t i)
{
	struct str rest = str_of(labels[l].words);

	while (rest.n) {
		struct str word = str_cut(&rest, ' ');

		if (!i--)
			return word;
	}
	return (struct str){ NULL, 0 };
}

static size_t n_words(enum label l)
{
	size_t n = 1;

	for (const char *p = labels[l].words; *p; p++)
		n += *p == ' ';
	return n;
}

/* The number of the value, or of the last one. */
static size_t word_index(enum label l, const char *text)
{
	struct str rest = str_of(labels[l].words);
	size_t i = 0;

	while (rest.n && !str_is(str_cut(&rest, ' '), text ? text : ""))
		i += rest.n > 0;
	return i;
}

/* The number of cells for one value of the first label. */
static size_t width_of(const struct metric_row *r)
{
	return r->b == LABEL_NONE ? 1 : n_words(r->b);
}

void metric_add(enum metric m, const char *a, const char *b, int64_t n)
{
	const struct metric_row *r = &rows[m];
	size_t i = word_index(r->a, a) * width_of(r) + word_index(r->b, b);

	atomic_fetch_add_explicit(&counted[m][i], n, memory_order_relaxed);
}

void metric_observe(enum metric m, int64_t ms)
{
	size_t i = 0;

	while (i < CELL_INF && ms > bounds[i].ms)
		i++;
	atomic_fetch_add_explicit(&counted[m][i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&counted[m][CELL_SUM], ms,
				  memory_order_relaxed);
}

bool metric_take(struct metric_sums *out)
{
	bool any = false;

	for (int m = 0; m < METRIC__MAX; m++)
		for (size_t i = 0; i < METRIC_CELLS; i++) {
			int64_t n = atomic_load(&counted[m][i]);

			if (n && !metric_is_gauge(m))
				n = atomic_exchange(&counted[m][i], 0);
			out->v[m][i] += n;
			any |= n != 0;
		}
	return any;
}

void metric_put_back(const struct metric_sums *s)
{
	for (int m = 0; m < METRIC__MAX; m++)
		for (size_t i = 0; i < METRIC_CELLS; i++)
			if (!metric_is_gauge(m) && s->v[m][i])
				atomic_fetch_add(&counted[m][i], s->v[m][i]);
}

bool metric_is_gauge(enum metric m)
{
	return rows[m].type == GAUGE;
}

const char *metric_name(enum metric m)
{
	return rows[m].name;
}

bool metric_cell(enum metric m, size_t i, char text[METRIC_CELL_BYTES])
{
	const struct metric_row *r = &rows[m];
	size_t width = width_of(r);
	struct str a, b;

	if (r->type == HISTOGRAM) {
		if (i < CELL_INF)
			snprintf(text, METRIC_CELL_BYTES, "le=\"%s\"",
				 bounds[i].text);
		else
			snprintf(text, METRIC_CELL_BYTES, "%s",
				 i == CELL_INF ? "le=\"+Inf\"" : "sum");
		return i < HISTOGRAM_CELLS;
	}
	if (r->a == LABEL_NONE) {
		text[0] = '\0';
		return i == 0;
	}
	a = word_at(r->a, i / width);
	b = word_at(r->b, i % width);
	if (!a.p || i >= METRIC_CELLS)
		return false;
	if (r->b == LABEL_NONE)
		snprintf(text, METRIC_CELL_BYTES, "%s=\"%.*s\"",
			 labels[r->a].name, STR_ARG(a));
	else
		snprintf(text, METRIC_CELL_BYTES, "%s=\"%.*s\",%s=\"%.*s\"",
			 labels[r->a].name, STR_ARG(a), labels[r->b].name,
			 STR_ARG(b));
	return true;
}

int64_t *metric_find(struct metric_sums *s, struct str name, struct str cell)
{
	char text[METRIC_CELL_BYTES];

	for (int m = 0; m < METRIC__MAX; m++) {
		if (!str_is(name, rows[m].name))
			continue;
		for (size_t i = 0; metric_cell(m, i, text); i++)
			if (str_is(cell, text))
				return &s->v[m][i];
	}
	return NULL;
}

/* -- text ------------------------------------------------------------------- */

#define PREFIX "lamplighter_"

static const char *const type_names[] = {
	[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram",
};

/* OpenMetrics names the family of a counter without _total, Prometheus with. */
static void print_head(const struct metric_row *r, bool open, struct buf *out)
{
	const char *total = r->type == COUNTER && !open ? "_total" : "";

	buf_addf(out, "# TYPE " PREFIX "%s%s %s\n", r->name, total,
		 type_names[r->type]);
	if (open && *r->unit)
		buf_addf(out, "# UNIT " PREFIX "%s %s\n", r->name, r->unit);
	buf_addf(out, "# HELP " PREFIX "%s%s %s\n", r->name, total, r->help);
}

static void print_histogram(const struct metric_row *r, const int64_t *v,
			    struct buf *out)
{
	int64_t sum_ms = MAX(v[CELL_SUM], 0), n = 0;

	for (size_t i = 0; i <= CELL_INF; i++) {
		n += v[i];
		buf_addf(out, PREFIX "%s_bucket{le=\"%s\"} %lld\n", r->name,
			 i < CELL_INF ? bounds[i].text : "+Inf", (long long)n);
	}
	buf_addf(out, PREFIX "%s_count %lld\n" PREFIX "%s_sum %lld.%03d\n",
		 r->name, (long long)n, r->name, (long long)(sum_ms / 1000),
		 (int)(sum_ms % 1000));
}

static void print_cells(enum metric m, const int64_t *v, struct buf *out)
{
	const struct metric_row *r = &rows[m];
	char text[METRIC_CELL_BYTES];

	for (size_t i = 0; metric_cell(m, i, text); i++)
		buf_addf(out, *text ? PREFIX "%s%s{%s} %lld\n"
			 : PREFIX "%s%s%s %lld\n", r->name,
			 r->type == COUNTER ? "_total" : "", text,
			 (long long)v[i]);
}

void metric_print(const struct metric_sums *s, bool open, struct buf *out)
{
	for (int m = 0; m < METRIC__MAX; m++) {
		print_head(&rows[m], open, out);
		if (rows[m].type == HISTOGRAM)
			print_histogram(&rows[m], s->v[m], out);
		else
			print_cells(m, s->v[m], out);
	}
	if (open)
		buf_adds(out, "# EOF\n");
}

static void print_row(struct buf *out, const struct metric_row *r,
		      const char *begin, const char *between, const char *end)
{
	const struct label_row *a = &labels[r->a], *b = &labels[r->b];

	buf_addf(out, "%s" PREFIX "%s%s%s%s%s%s%s%s%s%s%s", begin, r->name,
		 r->type == COUNTER ? "_total" : "", between,
		 type_names[r->type], between, a->name, *b->name ? ", " : "",
		 b->name, between, r->help, end);
}

void metric_print_list(struct buf *out)
{
	for (int m = 0; m < METRIC__MAX; m++)
		print_row(out, &rows[m], "", "\t", "\n");
}

void metric_print_table(struct buf *out)
{
	buf_adds(out, "| metric | type | labels | what |\n|---|---|---|---|\n");
	for (int m = 0; m < METRIC__MAX; m++)
		print_row(out, &rows[m], "| ", " | ", " |\n");
}
