/* SPDX-License-Identifier: MIT */
/* Small helpers that everything uses. */
#ifndef BASE_UTIL_H
#define BASE_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The name at i of n; other if i, which may be of a later version's row, has none. */
static inline const char *name_at(const char *const *names, size_t n, int64_t i,
				  const char *other)
{
	return i >= 0 && i < (int64_t)n && names[i] ? names[i] : other;
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* The value of a macro as a string literal. */
#define STRINGIFY(x) STRINGIFY_(x)
#define STRINGIFY_(x) #x

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
/* Returns argument n, a format, in other words: with the same conversions. */
#define FORMAT_ARG(n) __attribute__((format_arg(n)))
#define MUST_CHECK __attribute__((warn_unused_result))

/* Whether this build has a sanitizer whose shadow takes all addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* A bug: prints where and aborts. Never for outside input. */
_Noreturn void bug_at(const char *file, int line, const char *what);
#define BUG(what) bug_at(__FILE__, __LINE__, what)

/* malloc family that aborts when memory is exhausted; sizes are capped before. */
#define NO_MEMORY "lamplighter: out of memory"	/* what it says then, on stderr */
void *xmalloc(size_t n_bytes);
void *xcalloc(size_t n, size_t size_bytes);
void *xrealloc(void *p, size_t n_bytes);
char *xstrdup(const char *s);

/* x rounded up to a multiple of the power of two a. */
static inline size_t align_up(size_t x, size_t a)
{
	return (x + a - 1) & ~(a - 1);
}

#endif
