/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "base/utf8.h"

const struct err_row err_rows[ERR__MAX] = {
#define ERR(n, status, wire, text, level, retry) \
	[ERR_##n] = { .name = "ERR_" #n, .http_status = status, .code = wire, \
		.message = text, .log_level = LOG_LVL_##level, \
		.retryable = retry },
#include "base/err.def"
#undef ERR
};

/* Texts are cut by bytes, so a character may be cut too; its rest becomes '?'. */
static void tidy(char *text)
{
	if (utf8_valid(str_of(text)))
		return;
	for (size_t n, left = strlen(text); left; text += n, left -= n) {
		for (n = 1; n < 4 && n < left; n++)
			if (utf8_valid((struct str){ text, n }))
				break;
		if (!utf8_valid((struct str){ text, n })) {
			*text = '?';
			n = 1;
		}
	}
}

/* Whether it was set: the first one stays. */
PRINTF_LIKE(5, 0)
static bool set(struct err *e, const char *file, int line, enum err_code code,
		const char *fmt, va_list ap)
{
	if (e->code != ERR_NONE)
		return false;
	e->code = code;
	e->file = file;
	e->line = line;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	tidy(e->text);
	return true;
}

/* The same with the text for the client. */
PRINTF_LIKE(5, 0)
static bool set_public(struct err *e, const char *file, int line, enum err_code code,
		       const char *fmt, va_list ap)
{
	va_list again;
	bool is_set;

	va_copy(again, ap);
	is_set = set(e, file, line, code, fmt, ap);
	if (is_set && e->lang) {
		/* tests/check/lang.py has gettext compare the conversions. */
		vsnprintf(e->public, sizeof(e->public), lang_text(e->lang, fmt), again);
		tidy(e->public);
	} else if (is_set) {
		memcpy(e->public, e->text, sizeof(e->public));
	}
	va_end(again);
	return is_set;
}

int err_set_at(struct err *e, const char *file, int line, enum err_code code,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, file, line, code, fmt, ap);
	va_end(ap);
	return -1;
}

int err_public_at(struct err *e, const char *file, int line,
		  enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_public(e, file, line, code, fmt, ap);
	va_end(ap);
	return -1;
}

int err_key_differs(struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, "Idempotency-Key",
			 "This Idempotency-Key was used for another request.");
}

int err_field_at(struct err *e, const char *file, int line,
		 enum err_code code, const char *field, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (set_public(e, file, line, code, fmt, ap)) {
		snprintf(e->field, sizeof(e->field), "%s", field);
		tidy(e->field);
	}
	va_end(ap);
	return -1;
}

int err_meant(struct err *e, const char *near)
{
	const size_t n = strlen(e->text), n_public = strlen(e->public);

	if (!near)
		return -1;
	snprintf(e->text + n, sizeof(e->text) - n, STR_MEANT, STR_MEANT_ARG(near));
	tidy(e->text);
	snprintf(e->public + n_public, sizeof(e->public) - n_public, " ");
	snprintf(e->public + n_public + 1, sizeof(e->public) - n_public - 1,
		 lang_text(e->lang, "Did you mean \"%s\"?"), near);
	tidy(e->public);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	size_t n;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", old);
	tidy(e->text);
	return -1;
}

void err_clear(struct err *e)
{
	*e = (struct err){ .code = ERR_NONE, .lang = e->lang };
}

const char *err_message(const struct err *e)
{
	return e->public[0] ? e->public : lang_text(e->lang, err_rows[e->code].message);
}

const struct err_row *err_row(const struct err *e)
{
	return &err_rows[e->code];
}

const char *err_errno(int n, char *buf, size_t n_bytes)
{
	return strerror_r(n, buf, n_bytes);
}
