/* SPDX-License-Identifier: MIT */
/* Converts the answer of a web service to a result for the model. See http_tool.h. */
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "file/extract.h"
#include "tool/http/http_tool.h"
#include "tool/core/text.h"

#include "base/banned.h"

enum form { FORM_JSON, FORM_TEXT, FORM_HTML, FORM_UNKNOWN };

/* By type, or by the part after "+" or before "/". */
static const struct {
	const char *type;
	enum form form;
} types[] = {
	{ "application/json", FORM_JSON },
	{ "+json", FORM_JSON },
	{ "text/json", FORM_JSON },
	{ "text/html", FORM_HTML },
	{ "application/xhtml+xml", FORM_HTML },
	{ "text/", FORM_TEXT },
	{ "application/xml", FORM_TEXT },
	{ "+xml", FORM_TEXT },
	{ "application/yaml", FORM_TEXT },
	{ "application/x-yaml", FORM_TEXT },
	{ "application/javascript", FORM_TEXT },
	{ "application/csv", FORM_TEXT },
};

static bool is_type(struct str type, const char *row)
{
	size_t n = strlen(row);

	if (row[0] == '+')
		return type.n > n &&
		       strncasecmp(type.p + type.n - n, row, n) == 0;
	if (row[n - 1] == '/')
		return type.n > n && strncasecmp(type.p, row, n) == 0;
	return type.n == n && strncasecmp(type.p, row, n) == 0;
}

static enum form form_of(struct str type)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (is_type(type, types[i].type))
			return types[i].form;
	return FORM_UNKNOWN;
}

/* A valid type (RFC 9110, 8.3.1), for our own text; others are not quoted. */
static struct str name_of(struct str type)
{
	static const char tchar[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-./";

	for (size_t i = 0; i < type.n; i++)
		if (!type.p[i] || !strchr(tchar, type.p[i]))
			return STR("something");
	return text_quote(type, 60);
}

/* The charset of "text/html; charset=…", or "". */
static void charset_of(const char *content_type, char *out, size_t n_bytes)
{
	const char *p = strcasestr(content_type, "charset=");
	size_t n = 0;

	out[0] = '\0';
	if (!p)
		return;
	p += 8;
	p += *p == '"';
	n = strcspn(p, "\"; ");
	if (n < n_bytes) {
		memcpy(out, p, n);
		out[n] = '\0';
	}
}

/* Appends s, converted if its charset is known and is not UTF-8. */
static void add_as_utf8(struct buf *out, struct str s, const char *charset)
{
	iconv_t cd;

	if (!charset[0] || strcasecmp(charset, "utf-8") == 0 || utf8_valid(s)) {
		buf_addstr(out, s);
		return;
	}
	cd = iconv_open("UTF-8", charset);
	if (cd == (iconv_t)-1) {
		buf_addstr(out, s);	/* what is not UTF-8 is replaced later */
		return;
	}
	while (s.n) {
		char part[4096], *to = part, *from = (char *)s.p;
		size_t left = s.n, room = sizeof(part);
		size_t rc = iconv(cd, &from, &left, &to, &room);

		buf_add(out, part, sizeof(part) - room);
		if (rc == (size_t)-1 && left == s.n && left) {
			buf_adds(out, "\xef\xbf\xbd");
			from++;
			left--;
		}
		s = (struct str){ from, left };
	}
	iconv_close(cd);
}

static int read_json(const struct conf_tool_http *h, const struct buf *body,
		     struct http_answer *out, struct err *e)
{
	struct err cause = ERR_INIT;

	out->whole = jx_load_lenient(buf_str(body), &cause);
	if (!out->whole)
		return err_public(e, ERR_TOOL_FAILED, "The service's answer is "
				  "not valid JSON.");
	out->json = json_incref(jx_pointer(out->whole, h->select));
	if (!out->json)
		return err_public(e, ERR_TOOL_FAILED, "The service's answer has "
				  "nothing at %.150s.", h->select);
	return 0;
}

static int read_page(const struct http_reading *how, const struct buf *body,
		     const char *charset, struct buf *out, struct err *e)
{
	const struct extract_want w = {
		.what = how->what, .type = "html", .charset = charset,
		.until_ms = how->until_ms, .abort = how->abort,
	};

	return file_extract_text(&w, buf_str(body), out, e);
}

int tool_http_answer_read(const struct conf_tool_http *h,
			  const struct http_reading *how,
			  const struct http_result *res, const struct buf *body,
			  struct http_answer *out, struct err *e)
{
	struct str rest = str_of(res->content_type);
	struct str type = str_trim(str_cut(&rest, ';'));
	enum form form = form_of(type);
	char charset[64];

	*out = (struct http_answer){
		.text = BUF_INIT(4 * (size_t)h->response_bytes + 4096),
	};
	if (h->output == OUTPUT_JSON || (h->output == OUTPUT_AUTO &&
					 h->select[0] && form != FORM_HTML))
		form = FORM_JSON;
	else if (h->output == OUTPUT_TEXT && form != FORM_HTML)
		form = FORM_TEXT;
	if (body->n == 0)
		return 0;
	charset_of(res->content_type, charset, sizeof(charset));
	switch (form) {
	case FORM_JSON:
		return read_json(h, body, out, e);
	case FORM_TEXT:
		add_as_utf8(&out->text, buf_str(body), charset);
		return 0;
	case FORM_HTML:
		return read_page(how, body, charset, &out->text, e);
	case FORM_UNKNOWN:
		break;
	}
	return err_public(e, ERR_TOOL_FAILED, "The service answered with "
			  "\"%.*s\", which is neither JSON nor text.",
			  STR_ARG(name_of(type)));
}

void tool_http_answer_release(struct http_answer *a)
{
	json_decref(a->json);
	json_decref(a->whole);
	buf_release(&a->text);
	a->json = a->whole = NULL;
}
