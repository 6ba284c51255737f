/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"

#define LINE_BYTES 4096

static atomic_int cur_level = LOG_LVL_INFO;
static atomic_int cur_target = LOG_TO_STDERR;

/* The fields of struct log_turn. */
static const char *const turn_names[] = {
	"service", "workspace", "conversation", "turn", "client",
};

struct log_bound {
	char request[40], user[64];
	char turn[ARRAY_LEN(turn_names)][72];
};

static _Thread_local struct log_bound own;
static _Thread_local const struct log_bound *lent;	/* NULL: own applies */

static const struct {
	const char *name;
	int syslog;
} levels[] = {
	[LOG_LVL_ERROR] = { "error", LOG_ERR },
	[LOG_LVL_WARN] = { "warn", LOG_WARNING },
	[LOG_LVL_INFO] = { "info", LOG_INFO },
	[LOG_LVL_DEBUG] = { "debug", LOG_DEBUG },
};

void log_setup(enum log_level level, enum log_target target)
{
	if (target == LOG_TO_SYSLOG)
		openlog("lamplighter", LOG_PID, LOG_USER);
	atomic_store(&cur_level, (int)level);
	atomic_store(&cur_target, (int)target);
}

void log_bind(const char *request_id, const char *user_id)
{
	snprintf(own.request, sizeof(own.request), "%s",
		 request_id ? request_id : "");
	snprintf(own.user, sizeof(own.user), "%s", user_id ? user_id : "");
}

void log_bind_turn(const struct log_turn *t)
{
	const char *const v[] = {
		t ? t->service : NULL, t ? t->workspace : NULL,
		t ? t->conversation : NULL, t ? t->turn : NULL,
		t ? t->client : NULL,
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		snprintf(own.turn[i], sizeof(own.turn[i]), "%s",
			 v[i] ? v[i] : "");
}

const struct log_bound *log_bound(void)
{
	return lent ? lent : &own;
}

void log_borrow(const struct log_bound *b)
{
	lent = b;
}

int log_on(enum log_level level)
{
	return (int)level <= atomic_load(&cur_level);
}

/* name=value, quoted where the value has blanks, escaped where it must be. */
static void field(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, " %s=", name);
	if (*value && !strpbrk(value, " \"=\\\n\r\t"))
		buf_adds(b, value);
	else
		buf_json(b, str_of(value));
}

void log_line(enum log_level level, const char *msg, ...)
{
	const struct log_bound *of = log_bound();
	struct buf b = BUF_INIT(LINE_BYTES);
	char when[CLOCK_ISO_BYTES];
	const char *name, *value;
	va_list ap;

	if (!log_on(level))
		return;
	buf_addf(&b, "ts=%s level=%s msg=",
		 clock_iso(clock_now_us(), when), levels[level].name);
	buf_json(&b, str_of(msg));
	if (of->request[0])
		field(&b, "request", of->request);
	if (of->user[0])
		field(&b, "user", of->user);
	for (size_t i = 0; i < ARRAY_LEN(turn_names); i++)
		if (of->turn[i][0])
			field(&b, turn_names[i], of->turn[i]);
	va_start(ap, msg);
	while ((name = va_arg(ap, const char *))) {
		value = va_arg(ap, const char *);
		if (value)
			field(&b, name, value);
	}
	va_end(ap);
	for (size_t i = 0; i < b.n; i++)
		if ((unsigned char)b.p[i] < 0x20 || b.p[i] == 0x7f)
			b.p[i] = '?';
	if (atomic_load(&cur_target) == LOG_TO_SYSLOG) {
		syslog(levels[level].syslog, "%s", b.p);
	} else {
		b.overflow = false;
		b.cap++;
		buf_addc(&b, '\n');
		/* One write, so that lines of several threads never mix. */
		if (write(STDERR_FILENO, b.p, b.n) < 0)
			(void)0;	/* nowhere left to complain */
	}
	buf_release(&b);
}

void log_err(const char *msg, const struct err *e)
{
	const struct err_row *row = err_row(e);
	char place[128];
	const char *file = e->file ? strrchr(e->file, '/') : NULL;

	snprintf(place, sizeof(place), "%s:%d",
		 file ? file + 1 : e->file ? e->file : "?", e->line);
	log_line((enum log_level)row->log_level, msg, "code", row->code,
		 "text", e->text, "at", place, (char *)NULL);
}
