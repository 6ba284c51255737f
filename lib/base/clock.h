/* Time: wall clock in microseconds since 1970 UTC, and a monotonic one. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_ISO_BYTES 32

/* Wall clock, microseconds. Any thread. */
int64_t clock_now_us(void);

/* Monotonic, milliseconds and microseconds; only differences mean anything. */
int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);

/*
 * Writes us as ISO-8601 UTC with milliseconds ("2026-11-21T23:05:00.123Z")
 * into out, which has CLOCK_ISO_BYTES. Returns out.
 */
char *clock_iso(int64_t us, char *out);

/* A date of HTTP (RFC 9110, 5.6.7, the first form) in ms; -1 = it is none. */
int64_t clock_http_ms(const char *text);

/* Fixes the wall clock for tests; 0 lets it run again. */
void clock_fix_us(int64_t us);

#endif
