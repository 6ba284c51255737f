/* SPDX-License-Identifier: MIT */
/* Time: wall clock in microseconds since 1970 UTC, and a monotonic one. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_ISO_BYTES 32

/* Wall clock, microseconds. Any thread. */
int64_t clock_now_us(void);

/* Monotonic, milliseconds and microseconds; only differences mean anything. */
int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/*
 * Waits as long as it is since since_us (monotonic), at most 100 ms: work in the
 * background that pauses so has half of a processor, and leaves the other to those who
 * wait for an answer.
 */
void clock_give_way(int64_t since_us);

/*
 * Makes *c wait by the monotonic clock, as steps of the wall clock must not
 * delay anybody. Its timed waits end at clock_mono_at of clock_mono_ms.
 */
void clock_cond_init(pthread_cond_t *c);
struct timespec clock_mono_at(int64_t ms);

/*
 * Writes us as ISO-8601 UTC with milliseconds ("2026-11-21T23:05:00.123Z")
 * into out, which has CLOCK_ISO_BYTES. Returns out.
 */
char *clock_iso(int64_t us, char *out);

/*
 * Reads such a time, with or without a fraction (up to microseconds), from 1970
 * to 9999. False: text is none, or NULL.
 */
bool clock_iso_parse(const char *text, int64_t *us);

/* Whether text (NULL: no) is a day of the calendar, "2027-01-31", from the year 1000. */
bool clock_is_date(const char *text);

/* A date of HTTP (RFC 9110, 5.6.7, the first form) in ms; -1 = it is none. */
int64_t clock_http_ms(const char *text);

/* Fixes the wall clock for tests; 0 lets it run again. */
void clock_fix_us(int64_t us);

#endif
