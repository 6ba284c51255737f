/* SPDX-License-Identifier: MIT */
#include "db/split.h"

#include <string.h>

#include "base/buf.h"

#include "base/banned.h"

/* Index after the quoted text that starts at i. */
static size_t quoted(struct str s, size_t i)
{
	char q = s.p[i++];

	while (i < s.n && s.p[i] != q) {
		if (s.p[i] == '\\' && q != '`')
			i++;
		i++;
	}
	return MIN(i + 1, s.n);
}

/* End of the comment that starts at i, or i if there is none. */
static size_t comment(struct str s, size_t i)
{
	char next = i + 1 < s.n ? s.p[i + 1] : '\0';
	char third = i + 2 < s.n ? s.p[i + 2] : '\n';

	if (s.p[i] == '#' || (s.p[i] == '-' && next == '-' &&
			      strchr(" \t\r\n", third))) {
		while (i < s.n && s.p[i] != '\n')
			i++;
	} else if (s.p[i] == '/' && next == '*') {
		for (i += 2; i < s.n; i++)
			if (s.p[i] == '*' && i + 1 < s.n && s.p[i + 1] == '/')
				return i + 2;
	}
	return i;
}

struct str *db_split_sql(struct arena *a, struct str text, size_t *n)
{
	struct buf b = BUF_INIT(text.n + 1);
	size_t room = 1, i = 0;
	struct str *out;

	for (size_t k = 0; k < text.n; k++)
		room += text.p[k] == ';';
	out = arena_zalloc(a, room, sizeof(*out));
	*n = 0;
	while (i <= text.n) {
		size_t end;

		if (i == text.n || text.p[i] == ';') {
			struct str s = str_trim(buf_str(&b));

			if (s.n)
				out[(*n)++] = arena_str(a, s);
			buf_reset(&b);
			i++;
			continue;
		}
		end = comment(text, i);
		if (end > i) {
			buf_addc(&b, ' ');
			i = end;
			continue;
		}
		end = strchr("'\"`", text.p[i]) && text.p[i]
			? quoted(text, i) : i + 1;
		buf_add(&b, text.p + i, end - i);
		i = end;
	}
	buf_release(&b);
	return out;
}
