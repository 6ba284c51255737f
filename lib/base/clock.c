/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/util.h"

#include "base/banned.h"

static _Atomic int64_t fixed_us;

int64_t clock_now_us(void)
{
	int64_t us = atomic_load_explicit(&fixed_us, memory_order_relaxed);
	struct timespec ts;

	if (us)
		return us;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_mono_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

void clock_give_way(int64_t since_us)
{
	const int64_t us = MIN(clock_mono_us() - since_us, INT64_C(100000));

	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

void clock_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

struct timespec clock_mono_at(int64_t ms)
{
	return (struct timespec){ .tv_sec = ms / 1000,
				  .tv_nsec = ms % 1000 * 1000000 };
}

/*
 * Civil date from days since 1970 (Howard Hinnant's days-from-civil inverted):
 * a page of messages formats dozens of times, and gmtime_r takes a lock.
 */
char *clock_iso(int64_t us, char *out)
{
	int64_t ms = us / 1000, s = ms / 1000, days = s / 86400;
	int64_t z = days + 719468, era = z / 146097;
	unsigned doe = (unsigned)(z - era * 146097);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	unsigned mp = (5 * doy + 2) / 153;
	unsigned d = doy - (153 * mp + 2) / 5 + 1;
	unsigned m = mp < 10 ? mp + 3 : mp - 9;
	unsigned y = (unsigned)(yoe + era * 400 + (m <= 2));
	unsigned t = (unsigned)(s % 86400);
	unsigned f[7] = { y, m, d, t / 3600, t / 60 % 60, t % 60,
			  (unsigned)(ms % 1000) };
	static const char tail[] = "--T::.Z";
	static const unsigned char width[] = { 4, 2, 2, 2, 2, 2, 3 };
	char *p = out;

	for (int i = 0; i < 7; i++) {
		for (int k = width[i] - 1; k >= 0; k--) {
			p[k] = (char)('0' + f[i] % 10);
			f[i] /= 10;
		}
		p += width[i];
		*p++ = tail[i];
	}
	*p = '\0';
	return out;
}

int64_t clock_http_ms(const char *text)
{
	struct tm tm = { .tm_sec = 0 };
	const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);

	return end && !*end ? (int64_t)timegm(&tm) * 1000 : -1;
}

bool clock_iso_parse(const char *text, int64_t *us)
{
	struct tm tm = { .tm_sec = 0 };
	const char *p = text && text[0] >= '0' && text[0] <= '9'
		? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int64_t part = 0, scale = 1000000, s;
	char again[32];

	/* strptime takes the 31st of every month, and fewer digits. */
	if (!p || p - text != 19)
		return false;
	s = (int64_t)timegm(&tm);
	if (s < 0 || memcmp(clock_iso(s * 1000000, again), text, 19) != 0)
		return false;
	if (*p == '.')
		for (p++; scale > 1 && *p >= '0' && *p <= '9'; p++) {
			scale /= 10;
			part += (*p - '0') * scale;
		}
	*us = s * 1000000 + part;
	return strcmp(p, "Z") == 0 && p[-1] != '.';
}

bool clock_is_date(const char *text)
{
	struct tm tm = { .tm_sec = 0 };
	char again[16];

	if (!text || text[0] < '1' || text[0] > '9' ||
	    !strptime(text, "%Y-%m-%d", &tm))
		return false;
	/* strptime takes the 31st of every month, blanks, and fewer digits. */
	(void)timegm(&tm);
	return strftime(again, sizeof(again), "%Y-%m-%d", &tm) == 10 &&
		strcmp(again, text) == 0;
}

void clock_fix_us(int64_t us)
{
	atomic_store(&fixed_us, us);
}
