/* SPDX-License-Identifier: MIT */
/*
 * What a site allows crawlers: robots.txt (RFC 9309) and X-Robots-Tag. Rules for
 * our agent, lamplighter, else those for all agents. Pure; linear in the length of
 * the input; any thread.
 */
#ifndef NET_ROBOTS_H
#define NET_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Whether the rules of robots allow path ("/a?b"). The percent-encoding of both is
 * normalised before they are compared.
 */
bool robots_allow(struct str robots, struct str path);

/* The requested pause between two requests, ms; 0: none, or not a number. */
int64_t robots_delay_ms(struct str robots);

/* The part of a URL to which rules apply; "/" if it has none. Borrowed. */
struct str robots_path(const char *url);

/* Whether an X-Robots-Tag, or the content of a meta element, has "noindex" or "none". */
bool robots_noindex(struct str value);

#endif
