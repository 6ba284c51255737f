/* The rights that the process drops before it parses anything. */
#ifndef EXTRACT_CONFINE_H
#define EXTRACT_CONFINE_H

#include "base/buf.h"

/*
 * No new privileges, no new descriptor of any kind, no new process, no memory
 * that others may read: these always apply. Then a system call filter that allows
 * only memory, reading, writing and exiting; anything else ends the process with
 * SIGSYS. The filter needs a kernel and a container that permit it: otherwise
 * returns -1 with the reason appended to why, and the rest still applies. Irrevocable
 * for the whole process; call it with one thread. quiet: instead, such a call fails
 * with EPERM, for libraries that look for files and go on without them.
 */
int confine(bool quiet, struct buf *why) MUST_CHECK;

/* Its first part alone, for tests. */
void confine_limits(void);

#endif
