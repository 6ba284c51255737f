/* SPDX-License-Identifier: MIT */
/*
 * Converts the raw request target to a path that can be routed. Pure functions. The
 * router uses REQUEST_URI as the client sent it, because SCRIPT_NAME and PATH_INFO
 * differ between web servers and are normalised. A server's access rules apply to
 * the normalised path, so a lenient router would be a way around them.
 */
#ifndef APP_PATH_H
#define APP_PATH_H

#include "base/arena.h"
#include "base/err.h"

/* The mounts below the base, each with its own routes. */
enum mount {
	MOUNT_API,	/* ours */
	MOUNT_OPENAI,	/* for clients that speak OpenAI's format */
	MOUNT_PLAIN,	/* pages for browsers without JavaScript */
	MOUNT__MAX
};

/* "/api/v1", "/openai/v1", "/plain": the path of a mount after the base. */
extern const char *const mount_roots[MOUNT__MAX];

struct uri_parts {
	enum mount mount;
	struct str path;	/* after base and root: "/me"; "" = none */
	struct str query;	/* raw, without '?'; may be empty */
};

/*
 * Splits uri (REQUEST_URI: a path, or an absolute URI with scheme and host). base
 * is where the application is mounted, percent-encoded or not, with or without a
 * slash at its end; if it is "" or NULL (unknown), it is the part before the first
 * root of a mount. After the base (without a base: everywhere) only
 * [A-Za-z0-9._~/-] are allowed, and neither "//" nor dot segments, except for "%2F"
 * after the root of MOUNT_OPENAI, where names may contain it: otherwise
 * ERR_NOT_FOUND; ERR_TOO_BIG beyond LIM_URI_BYTES. Results point into uri.
 */
int path_split(struct str uri, const char *base, struct uri_parts *out,
	       struct err *e) MUST_CHECK;

/*
 * Decodes %XX (and '+' as a blank if plus is set) into the arena. The result must
 * be UTF-8 without NUL: ERR_BAD_REQUEST, ERR_INVALID_UTF8.
 */
int path_decode(struct arena *a, struct str s, bool plus, struct str *out,
		struct err *e) MUST_CHECK;

#endif
