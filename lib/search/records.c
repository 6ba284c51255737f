/* SPDX-License-Identifier: MIT */
#include "search/records.h"

#include "base/util.h"

#include "base/banned.h"

enum {
	SAMPLE = 50,		/* records that are looked at */
	SAMPLE_BYTES = 65536,
	LEAST = 3,		/* of them must be there */
	SAME = 90,		/* per cent of them have as many fields as the first */
	FIELD_BYTES = 32768,	/* a quoted field that is longer is a quote without end */
	YEAR = 4,		/* digits that may be the name of a column */
};

/*
 * The end of the field whose opening quote is at i: the byte behind the quote that is
 * not doubled and that a delimiter or a line end follows. 0: none; the quote is a
 * character like others then.
 */
static size_t quoted_end(struct records *r, size_t i)
{
	const struct str s = r->text;
	const size_t most = MIN(s.n, i + FIELD_BYTES);
	size_t k = i + 1;

	while (k < most) {
		size_t n = 0;

		while (k + n < s.n && s.p[k + n] == '"')
			n++;
		if (n % 2 && (k + n == s.n || s.p[k + n] == r->delimiter ||
			      s.p[k + n] == '\n' || s.p[k + n] == '\r'))
			return k + n;
		k += n ? n : 1;
		if (k > r->open_from && k < r->open_to)
			k = r->open_to;	/* searched before, in vain */
	}
	r->open_from = i;
	r->open_to = k;
	return 0;
}

/* As records_end; *fields: their number; *names: whether none of them is a number. */
static size_t cut_record(struct records *r, size_t i, size_t *fields, bool *names)
{
	const struct str s = r->text;

	*fields = 1;
	*names = true;
	for (;;) {
		const bool quoted = i < s.n && s.p[i] == '"';
		const size_t end = quoted ? quoted_end(r, i) : 0;
		size_t digits = 0, from = i;

		i = MAX(i, end);
		while (i < s.n && s.p[i] != r->delimiter && s.p[i] != '\n')
			i++;
		while (from < i && strchr("0123456789.,:/+-% \"\r", s.p[from]) &&
		       s.p[from]) {
			digits += s.p[from] >= '0' && s.p[from] <= '9';
			from++;
		}
		*names &= from < i || !digits || digits == YEAR;
		if (i == s.n)
			return i;
		if (s.p[i++] == '\n')
			return i;
		++*fields;
	}
}

size_t records_end(struct records *r, size_t i)
{
	size_t fields;
	bool names;

	return cut_record(r, i, &fields, &names);
}

/* Number of fields if the text has this delimiter; 0: it does not. */
static size_t fields_with(struct records *r)
{
	const size_t sample = MIN(r->text.n, (size_t)SAMPLE_BYTES);
	size_t first = 0, n = 0, same = 0, i = r->head_at;

	while (i < sample && n < SAMPLE) {
		size_t fields;
		bool names;
		const size_t end = cut_record(r, i, &fields, &names);

		if (!n) {
			first = fields;
			r->at = names ? end : i;
			r->head_n = r->at - r->head_at;
		}
		same += fields == first;
		n++;
		i = end;
	}
	return n >= LEAST && first > 1 && same * 100 >= n * SAME ? first : 0;
}

/* Whether it begins like Markdown, HTML or JSON, whose lines may look like records. */
static bool is_other(struct str s)
{
	return !s.n || strchr("{[|><", s.p[0]) ||
		(s.n > 1 && strchr("#-*+", s.p[0]) && strchr(" #", s.p[1]));
}

bool records_detect(struct str text, struct records *out)
{
	static const char delimiters[] = { '\t', ';', ',', '|' };
	const struct str mark = STR("sep=");	/* Excel's own first line */
	size_t most = 0, from = 0;
	char only = '\0';

	if (text.n > mark.n + 1 && str_starts(text, mark)) {
		from = mark.n + 1 + (text.p[mark.n + 1] == '\r');
		if (from < text.n && text.p[from] == '\n') {
			only = text.p[mark.n];
			from++;
		}
	}
	if (!only)
		from = 0;
	if (is_other((struct str){ text.p + from, text.n - from }))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(delimiters); i++) {
		struct records r = { .text = text, .head_at = from,
				     .delimiter = only ? only : delimiters[i] };
		const size_t n = fields_with(&r);

		if (n <= most)
			continue;
		most = n;
		*out = r;
	}
	return most > 0;
}
