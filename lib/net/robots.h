/*
 * What a site says of programs that read it: robots.txt (RFC 9309) and the words of
 * X-Robots-Tag. For us, who are called lamplighter, else for everybody. Pure; linear
 * in the length of what is given; any thread.
 */
#ifndef NET_ROBOTS_H
#define NET_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Whether the rules of robots allow path ("/a?b"). Both are compared with their
 * percent-encoding made equal.
 */
bool robots_allow(struct str robots, struct str path);

/* The pause between two requests that they ask for, ms; 0: none, or no number. */
int64_t robots_delay_ms(struct str robots);

/* The part of a URL that rules are about; "/" when there is none. Borrowed. */
struct str robots_path(const char *url);

/* Whether "noindex" or "none" is in an X-Robots-Tag, or a meta element's content. */
bool robots_noindex(struct str value);

#endif
