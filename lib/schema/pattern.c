/* SPDX-License-Identifier: MIT */
/* See pattern.h. pcre2api(3), pcre2pattern(3); ECMA-262 section 22.2. */
#include "schema/pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	MATCH_STEPS = 10000000,	/* more than any budget, so the budget ends a match */
	MATCH_DEPTH = 20000,
};

/* Memory of one pattern; our allocator stores the size before each block. */
struct pattern {
	size_t used, cap;
	pcre2_general_context *general;
	pcre2_match_context *match;
	pcre2_match_data *data;
	pcre2_code *code;
	struct buf text;	/* in PCRE2's syntax */
	size_t match_n;		/* size of the text that is matched */
	int64_t *work;		/* budget of the current match */
	size_t at;		/* position at the last callout */
};

union block {
	size_t n_bytes;
	max_align_t align;
};

static void *take_memory(size_t n_bytes, void *ctx)
{
	struct pattern *p = ctx;
	union block *b;

	if (n_bytes > p->cap || p->used > p->cap - n_bytes)
		return NULL;
	b = malloc(sizeof(*b) + n_bytes);
	if (!b)
		return NULL;
	b->n_bytes = n_bytes;
	p->used += n_bytes;
	return b + 1;
}

static void give(void *memory, void *ctx)
{
	struct pattern *p = ctx;
	union block *b = memory;

	if (!b)
		return;
	p->used -= b[-1].n_bytes;
	free(b - 1);
}

/* -- the allowed syntax ----------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* p is after the backslash. */
static bool escape_known(const char *p)
{
	if (*p == 'k')
		return p[1] == '<';
	/* PCRE2 accepts any character here: "\c\(?R)" would be a group. */
	if (*p == 'c')
		return is_letter(p[1]);
	if (is_letter(*p))
		return strchr("dDwWsSbBtnrfvcxupP", *p) != NULL;
	return *p != '\0';
}

/* p is after "(?": a group, a lookaround, or a name. */
static bool group_known(const char *p)
{
	if (*p == '<')
		return p[1] == '=' || p[1] == '!' || p[1] == '_' ||
			is_letter(p[1]);
	return *p == ':' || *p == '=' || *p == '!';
}

/*
 * Copies text to out in PCRE2's syntax, in which \v is not a single character.
 * Returns a construct that ECMAScript does not have, or NULL.
 */
static const char *translate(const char *text, struct buf *out)
{
	bool in_class = false;

	for (const char *p = text; *p; p++) {
		if (*p == '\\') {
			if (!escape_known(++p))
				return "uses an escape that is not one of "
				       "ECMAScript";
			if (*p == 'v')
				buf_adds(out, "\\x0b");
			else
				buf_add(out, p - 1, 2);
			continue;
		}
		buf_addc(out, *p);
		if (in_class) {
			in_class = *p != ']';
		} else if (*p == '[') {
			in_class = true;
		} else if (*p == '(' && p[1] == '?' && !group_known(p + 2)) {
			return "uses a group (?…) that is not one of ECMAScript";
		} else if (*p == '(' && p[1] == '*') {
			return "uses (*…), which is not ECMAScript";
		}
	}
	return NULL;
}

static const char *compile_fault(int code)
{
	switch (code) {
	case PCRE2_ERROR_HEAP_FAILED:
	case PCRE2_ERROR_PATTERN_TOO_LARGE:
	case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
		return "repeats too often, or is too large";
	case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
		return "is nested too deep";
	default:
		return "is not a valid expression";
	}
}

/* -- compiling and matching ------------------------------------------------- */

/* The minimum number of repetitions of the item; 0: not stated. */
static size_t repeats(struct str item)
{
	size_t i = item.n, n = 0;

	if (i && (item.p[i - 1] == '?' || item.p[i - 1] == '+'))
		i--;
	if (!i || item.p[i - 1] != '}')
		return 0;
	while (i && item.p[i - 1] != '{')
		i--;
	for (; item.p[i] >= '0' && item.p[i] <= '9' && n < PATTERN_TEXT_BYTES;
	     i++)
		n = 10 * n + (size_t)(item.p[i] - '0');
	return n;
}

/*
 * Called before each item. An item that must repeat n times counts n times, because
 * if it fails earlier, PCRE2 does not tell how far it came.
 */
static int count(pcre2_callout_block *at, void *ctx)
{
	struct pattern *p = ctx;
	size_t now = at->current_position;
	size_t n = repeats((struct str){ p->text.p + at->pattern_position,
					 at->next_item_length });

	*p->work -= 1 + (int64_t)(now > p->at ? now - p->at : p->at - now) +
		(int64_t)MIN(n, p->match_n - now);
	p->at = now;
	return *p->work < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static const char *compile(struct pattern *p, struct str text)
{
	pcre2_compile_context *how = pcre2_compile_context_create(p->general);
	PCRE2_SIZE offset;
	uint32_t behind;
	int code = PCRE2_ERROR_HEAP_FAILED;

	if (how) {
		pcre2_set_newline(how, PCRE2_NEWLINE_ANYCRLF);
		pcre2_set_parens_nest_limit(how, PATTERN_NESTING);
		pcre2_set_compile_extra_options(how, PCRE2_EXTRA_ALT_BSUX);
		p->code = pcre2_compile((PCRE2_SPTR)text.p, text.n, PCRE2_UTF |
					PCRE2_ALT_BSUX | PCRE2_DOLLAR_ENDONLY |
					PCRE2_ALLOW_EMPTY_CLASS |
					PCRE2_MATCH_UNSET_BACKREF |
					PCRE2_NEVER_BACKSLASH_C |
					PCRE2_AUTO_CALLOUT, &code, &offset, how);
	}
	pcre2_compile_context_free(how);
	if (!p->code)
		return compile_fault(code);
	pcre2_pattern_info(p->code, PCRE2_INFO_MAXLOOKBEHIND, &behind);
	return behind > PATTERN_LOOKBEHIND ? "looks too far behind" : NULL;
}

/* Allocates what a match needs; false if that was refused. */
static bool allocate_match(struct pattern *p)
{
	p->cap = PATTERN_MATCH_BYTES;
	p->match = pcre2_match_context_create(p->general);
	p->data = pcre2_match_data_create(1, p->general);
	if (!p->match || !p->data)
		return false;
	pcre2_set_match_limit(p->match, MATCH_STEPS);
	pcre2_set_depth_limit(p->match, MATCH_DEPTH);
	pcre2_set_heap_limit(p->match, PATTERN_MATCH_BYTES / 1024);
	pcre2_set_callout(p->match, count, p);
	return true;
}

struct pattern *pattern_new(const char *text, const char **fault)
{
	struct pattern *p = xcalloc(1, sizeof(*p));

	p->text = (struct buf)BUF_INIT(4 * PATTERN_BYTES);
	p->cap = PATTERN_COMPILED_BYTES;
	*fault = "is longer than 1024 bytes";
	_Static_assert(PATTERN_BYTES == 1024, "the text above says so");
	if (strnlen(text, PATTERN_BYTES + 1) <= PATTERN_BYTES)
		*fault = translate(text, &p->text);
	if (!*fault) {
		p->general = pcre2_general_context_create(take_memory, give, p);
		*fault = p->general ? compile(p, buf_str(&p->text))
			: compile_fault(PCRE2_ERROR_HEAP_FAILED);
	}
	if (!*fault && !allocate_match(p))
		*fault = compile_fault(PCRE2_ERROR_HEAP_FAILED);
	if (!*fault)
		return p;
	pattern_free(p);
	return NULL;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->match);
	pcre2_code_free(p->code);
	pcre2_general_context_free(p->general);
	buf_release(&p->text);
	free(p);
}

enum pattern_found pattern_find(struct pattern *p, struct str s, int64_t *work)
{
	int rc;

	if (s.n > PATTERN_TEXT_BYTES)
		return PATTERN_BEYOND;
	*work -= 1 + (int64_t)s.n;	/* the whole text is checked to be UTF-8 */
	if (*work < 0)
		return PATTERN_BEYOND;
	p->work = work;
	p->match_n = s.n;
	p->at = 0;
	rc = pcre2_match(p->code, (PCRE2_SPTR)(s.p ? s.p : ""), s.n, 0,
			 PCRE2_NO_JIT, p->data, p->match);
	p->work = NULL;
	if (rc >= 0)
		return PATTERN_YES;
	return rc == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_BEYOND;
}
