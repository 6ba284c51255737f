/* SPDX-License-Identifier: MIT */
/*
 * Memory with one lifetime: everything taken from an arena is given back at
 * once. A worker has one per request; a turn rewinds it to a mark. Strings in
 * an arena are never freed singly. Foreign things (a json_t, a handle, a file
 * descriptor) join with arena_defer and are released newest first.
 *
 * An arena that holds LIM_ARENA_BYTES is full. It continues to give memory, so
 * no caller must handle NULL and no request ends the process. But the places
 * where outside bytes come in check first (arena_try, arena_check) and fail with
 * ERR_TOO_BIG: a row of the database, a step of a turn, a call of a tool, a page
 * of a list. Allocations between two checks are bounded by the other caps of
 * limits.h. Allocation aborts only if the system has no memory left. One thread
 * at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"

struct arena_chunk;
struct arena_defer;

struct arena {
	struct arena_chunk *chunk;	/* newest; NULL = nothing taken yet */
	struct arena_defer *defers;	/* newest first */
	size_t total_bytes;		/* in all chunks */
	bool secret;			/* what is given back is wiped first */
};

#define ARENA_INIT { .chunk = NULL }

struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
	struct arena_defer *defers;
};

/* n_bytes of memory, aligned for any type, not cleared. Never NULL. */
void *arena_alloc(struct arena *a, size_t n_bytes);

/*
 * As arena_alloc, for a size that comes from outside: NULL with ERR_TOO_BIG
 * when the arena would hold more than LIM_ARENA_BYTES with it.
 */
void *arena_try(struct arena *a, size_t n_bytes, struct err *e) MUST_CHECK;

/*
 * ERR_TOO_BIG when the arena is full. To be called before each iteration of a
 * loop whose length or memory depends on outside input.
 */
int arena_check(const struct arena *a, struct err *e) MUST_CHECK;

/* As arena_alloc for n objects of size_bytes, cleared to zero. */
void *arena_zalloc(struct arena *a, size_t n, size_t size_bytes);

/*
 * Makes room for more objects of size_bytes after the n in v, an array of *room
 * objects. Returns v, or a copy with at least twice the room, cleared after the
 * first n; *room is then the new size. The old array stays in the arena. v may
 * be NULL if n is 0.
 */
void *arena_room(struct arena *a, void *v, size_t n, size_t more, size_t *room,
		 size_t size_bytes);

#define arena_new(a, type) ((type *)arena_zalloc((a), 1, sizeof(type)))

/* Copies, NUL-terminated. s may be NULL: then NULL. Owned by the arena. */
char *arena_strdup(struct arena *a, const char *s);
char *arena_memdup(struct arena *a, const char *p, size_t n_bytes);
struct str arena_str(struct arena *a, struct str s);

/* Formatted text. Owned by the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Calls fn(p) when the arena is reset or rewound past this point. */
void arena_defer(struct arena *a, void (*fn)(void *p), void *p);

/* Remember a point, and give back all that was taken since then. */
struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);

/*
 * From now on until the next reset whatever is given back is overwritten first:
 * the arena holds a key that must not stay in memory that is used again.
 */
void arena_secret(struct arena *a);

/* Runs the defers and keeps one chunk for the next round. */
void arena_reset(struct arena *a);

/* Runs the defers and gives everything back; the arena is as after INIT. */
void arena_release(struct arena *a);

#endif
