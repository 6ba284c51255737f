/* SPDX-License-Identifier: MIT */
#include "resource/section.h"

#include <strings.h>

#include "base/util.h"

#include "base/banned.h"

/* Reads a Markdown text line by line. */
struct section_reader {
	struct str rest;
	char fence;		/* of the block that the line is in; 0: none */
	size_t fence_length;
};

static size_t run_of(struct str line, char c)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == c)
		n++;
	return n;
}

/* At most three blanks stand before what makes a line special. */
static struct str unindented(struct str line)
{
	size_t blanks = run_of(line, ' ');

	return blanks > 3 ? (struct str){ line.p, 0 }
		: (struct str){ line.p + blanks, line.n - blanks };
}

static void note_fence(struct section_reader *r, struct str line)
{
	const char c = line.n ? line.p[0] : 0;
	const size_t n = c == '`' || c == '~' ? run_of(line, c) : 0;
	const struct str after = { line.p + n, line.n - n };

	if (n < 3)
		return;
	if (!r->fence) {
		r->fence = c;
		r->fence_length = n;
	} else if (r->fence == c && n >= r->fence_length && !str_trim(after).n) {
		r->fence = 0;
	}
}

/* The words of a heading line, and its level; 0: it is none. */
static size_t heading_of(struct str line, struct str *words)
{
	const size_t level = run_of(line, '#');
	size_t end;

	if (!level || level > 6 || (level < line.n && line.p[level] != ' ' &&
				    line.p[level] != '\t'))
		return 0;
	*words = str_trim((struct str){ line.p + level, line.n - level });
	/* What closes it: # after a blank. */
	for (end = words->n; end && words->p[end - 1] == '#'; end--)
		continue;
	if (end < words->n && (!end || words->p[end - 1] == ' '))
		*words = str_trim((struct str){ words->p, end });
	return level;
}

/* The next line, with its end; its level if it is a heading, with its words. */
static bool next_line(struct section_reader *r, struct str *line, size_t *level,
		      struct str *words)
{
	const char *end = r->rest.n ? memchr(r->rest.p, '\n', r->rest.n) : NULL;
	const bool fenced = r->fence != 0;
	struct str bare;

	if (!r->rest.n)
		return false;
	*line = (struct str){ r->rest.p, end ? (size_t)(end - r->rest.p) + 1 : r->rest.n };
	r->rest = (struct str){ line->p + line->n, r->rest.n - line->n };
	bare = unindented(*line);
	note_fence(r, bare);
	*level = fenced || r->fence ? 0 : heading_of(bare, words);
	return true;
}

static bool same_words(struct str a, struct str b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* The wanted words without # before them. */
static struct str wanted_of(struct str heading)
{
	struct str trimmed = str_trim(heading), words;

	return heading_of(trimmed, &words) ? words : trimmed;
}

static void add_block(struct buf *out, struct str block)
{
	buf_addstr(out, block);
	if (block.n && block.p[block.n - 1] != '\n')
		buf_addc(out, '\n');
}

bool section_replace(struct buf *out, struct str text, struct str heading,
		     struct str body)
{
	const struct str wanted = wanted_of(heading);
	struct section_reader r = { .rest = text }, in_body = { .rest = body };
	struct str line, words, found = { NULL, 0 };
	size_t level, found_level = 0, body_level = 0;

	while (!found.p && next_line(&r, &line, &level, &words))
		if (level && same_words(words, wanted)) {
			found = line;
			found_level = level;
		}
	if (!found.p)
		return false;
	body = str_trim(body);
	in_body.rest = body;
	if (!next_line(&in_body, &line, &body_level, &words))
		body_level = 0;
	buf_add(out, text.p, (size_t)(found.p - text.p));
	if (body.n && !body_level)
		add_block(out, found);
	add_block(out, body);
	while (next_line(&r, &line, &level, &words))
		if (level && level <= found_level) {
			if (body.n)
				buf_addc(out, '\n');
			buf_addstr(out, line);
			buf_addstr(out, r.rest);
			break;
		}
	return true;
}

void section_names(struct buf *out, struct str text, size_t max_bytes)
{
	struct section_reader r = { .rest = text };
	const size_t begin = out->n;
	struct str line, words;
	size_t level;

	while (next_line(&r, &line, &level, &words)) {
		if (!level || !words.n)
			continue;
		if (out->n - begin + words.n + 4 > max_bytes) {
			buf_adds(out, ", …");
			return;
		}
		buf_addf(out, "%s\"%.*s\"", out->n > begin ? ", " : "", STR_ARG(words));
	}
}

void section_append(struct buf *out, struct str text, struct str more)
{
	size_t end = text.n;

	while (end && (text.p[end - 1] == '\n' || text.p[end - 1] == ' '))
		end--;
	buf_add(out, text.p, end);
	if (end)
		buf_adds(out, "\n\n");
	buf_addstr(out, more);
}
