/* SPDX-License-Identifier: MIT */
/*
 * words.c - the little English the rules know.
 */
#include "demo-llm/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define WORDS_MAX 400	/* of one question; what follows is not read */

static bool is_word_byte(unsigned char c)
{
	return isalnum(c) || c >= 0x80 || c == '_';
}

/* Bytes that stay inside a word when word bytes are on both sides. */
static bool joins(const char *s, size_t i, size_t n)
{
	char c = s[i];

	if (i + 1 >= n || !i || !is_word_byte((unsigned char)s[i + 1]))
		return false;
	if (c == '\'' || c == '@' || c == '.')
		return true;
	/* "BW-1042", "2026-01-31", "10:30"; not "in-progress" */
	return (c == '-' || (c == ':' && isdigit((unsigned char)s[i - 1]))) &&
	       isdigit((unsigned char)s[i + 1]);
}

static bool ends(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n > m && !memcmp(s + n - m, end, m);
}

static const char *singular(struct arena *a, const char *low)
{
	static const char *const odd[][2] = {
		{"people", "person"}, {"staff", "employee"}, {"men", "man"},
		{"women", "woman"}, {"children", "child"}, {"news", "news"},
		{"series", "series"}, {"status", "status"}, {"data", "data"},
	};
	size_t i, n = strlen(low);

	for (i = 0; i < ARRAY_LEN(odd); i++)
		if (!strcmp(odd[i][0], low))
			return odd[i][1];
	if (n > 4 && ends(low, n, "ies"))
		return arena_printf(a, "%.*sy", (int)n - 3, low);
	if (n > 4 && (ends(low, n, "sses") || ends(low, n, "xes") ||
		      ends(low, n, "ches") || ends(low, n, "shes")))
		return arena_memdup(a, low, n - 2);
	if (n > 3 && ends(low, n, "s") && !ends(low, n, "ss") &&
	    !ends(low, n, "us") && !ends(low, n, "is"))
		return arena_memdup(a, low, n - 1);
	return low;
}

static const char *rough_stem(struct arena *a, const char *one)
{
	static const char *const tail[] = {"ing", "ed", "ee", "er", "or", "e"};
	size_t i, n = strlen(one);

	for (i = 0; i < ARRAY_LEN(tail); i++)
		if (n >= strlen(tail[i]) + 3 && ends(one, n, tail[i]))
			return arena_memdup(a, one, n - strlen(tail[i]));
	return one;
}

static void add_word(struct words *w, struct str src, bool quoted)
{
	struct word *x = &w->w[w->n];
	char *low = arena_memdup(w->a, src.p, src.n);
	size_t i, dots = 0, digits = 0, upper = 0;

	if (!src.n || w->n == WORDS_MAX)
		return;
	*x = (struct word){.src = src, .quoted = quoted};
	if (!quoted && src.n > 2 && src.p[src.n - 2] == '\'' &&
	    tolower((unsigned char)src.p[src.n - 1]) == 's') {
		x->src.n -= 2;
		x->possessive = true;
	}
	low[x->src.n] = '\0';
	for (i = 0; low[i]; i++) {
		upper += isupper((unsigned char)low[i]) != 0;
		low[i] = (char)tolower((unsigned char)low[i]);
		digits += isdigit((unsigned char)low[i]) != 0;
		dots += low[i] == '.';
	}
	x->low = low;
	x->one = singular(w->a, low);
	x->stem = rough_stem(w->a, x->one);
	/* A first byte 0xC3 0x80-0x9E is a Latin-1 capital (Ä, É, Ø). */
	x->cap = isupper((unsigned char)src.p[0]) ||
		 (src.n > 1 && (unsigned char)src.p[0] == 0xc3 &&
		  (unsigned char)src.p[1] < 0x9f);
	x->caps = upper > 1 && upper == x->src.n;
	x->number = digits && digits + dots == x->src.n && dots < 2;
	w->n++;
}

/* Length of an opening quote at s, with the closing one in *close. */
static size_t quote_at(const char *s, const char **close)
{
	static const char *const pair[][2] = {
		{"\"", "\""}, {"\xe2\x80\x9c", "\xe2\x80\x9d"},
		{"\xe2\x80\x9e", "\xe2\x80\x9c"}, {"`", "`"},
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(pair); i++)
		if (!strncmp(s, pair[i][0], strlen(pair[i][0]))) {
			*close = pair[i][1];
			return strlen(pair[i][0]);
		}
	return 0;
}

struct words words_of(struct arena *a, const char *text)
{
	struct words w = {.a = a};
	size_t n = strlen(text), i = 0;

	w.w = arena_zalloc(a, WORDS_MAX + 1, sizeof(*w.w));
	while (i < n) {
		const char *close, *end;
		size_t from = i, open = quote_at(text + i, &close);

		if (open) {
			end = strstr(text + i + open, close);
			if (end && end - text - i < 200) {
				i += open;
				add_word(&w, (struct str){text + i,
					 (size_t)(end - text) - i}, true);
				i = (size_t)(end - text) + strlen(close);
			} else {
				i += open;
			}
			continue;
		}
		while (i < n && (is_word_byte((unsigned char)text[i]) ?
				 !quote_at(text + i, &close)
				 : i > from && joins(text, i, n)))
			i++;
		if (i > from)
			add_word(&w, (struct str){text + from, i - from},
				 false);
		else
			i++;
	}
	return w;
}

struct words words_of_name(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);
	size_t i;

	for (i = 0; s[i]; i++)
		if (s[i] == '_' || s[i] == '-' || s[i] == '.')
			s[i] = ' ';
	return words_of(a, s);
}

static bool in_set(const char *low, const char *set)
{
	size_t n = strlen(low);

	while (*set) {
		size_t m = strcspn(set, " ");

		if (m == n && !memcmp(set, low, n))
			return true;
		set += m + (set[m] != '\0');
	}
	return false;
}

bool word_in(const struct words *w, size_t i, const char *set)
{
	return i < w->n && !w->w[i].quoted && in_set(w->w[i].low, set);
}

long words_find(const struct words *w, const char *set)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (word_in(w, i, set))
			return (long)i;
	return -1;
}

size_t words_at(const struct words *w, size_t i, const char *phrase)
{
	size_t from = i;

	while (*phrase) {
		size_t m = strcspn(phrase, " ");

		if (i >= w->n || strlen(w->w[i].low) != m ||
		    memcmp(w->w[i].low, phrase, m))
			return 0;
		i++;
		phrase += m + (phrase[m] != '\0');
	}
	return i - from;
}

bool words_have(const struct words *w, const char *phrase)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		if (words_at(w, i, phrase))
			return true;
	return false;
}

void words_use(struct words *w, size_t i, size_t n)
{
	for (; n && i < w->n; i++, n--)
		w->w[i].used = true;
}

const char *words_text(const struct words *w, size_t i, size_t n)
{
	const char *from = w->w[i].src.p;
	const struct str last = w->w[i + n - 1].src;

	return arena_memdup(w->a, from, (size_t)(last.p + last.n - from));
}

long word_count(const struct words *w, size_t i)
{
	static const char *const name[] = {"one", "two", "three", "four",
		"five", "six", "seven", "eight", "nine", "ten"};
	size_t k;

	if (i >= w->n)
		return -1;
	if (w->w[i].number && !strchr(w->w[i].low, '.') &&
	    strlen(w->w[i].low) < 7)
		return strtol(w->w[i].low, NULL, 10);
	for (k = 0; k < ARRAY_LEN(name); k++)
		if (!strcmp(name[k], w->w[i].low))
			return (long)k + 1;
	return -1;
}

const char *plural_of(struct arena *a, const char *noun)
{
	size_t n = strlen(noun);

	if (!strcmp(noun, "person"))
		return "people";
	if (n > 1 && noun[n - 1] == 'y' && !strchr("aeiou", noun[n - 2]))
		return arena_printf(a, "%.*sies", (int)n - 1, noun);
	if (ends(noun, n, "s") || ends(noun, n, "x") || ends(noun, n, "ch"))
		return arena_printf(a, "%ses", noun);
	return arena_printf(a, "%ss", noun);
}

bool is_stop_word(const char *low)
{
	return in_set(low,
		"a an the this that these those i me my we us our you your he "
		"she it its they them their there here is are was were be been "
		"am do does did has have had can could will would shall should "
		"may might must who whom whose what which when where why how "
		"many much some any all every each and or but not no nor if so "
		"than then of in at on by to for from with without within into "
		"over under between about as per via show list tell give find "
		"get display count number please currently now right us-all "
		"work works working belong belongs belonging assigned owned "
		"own owns located named called name most least more less "
		"newest latest oldest recent last first top highest lowest "
		"average mean sum total minimum maximum min max describe "
		"overview exist exists existing still also just only ones "
		"called handles handle me mine new old out expired overdue");
}
