/* What the process takes from itself before it parses anything. */
#ifndef EXTRACT_CONFINE_H
#define EXTRACT_CONFINE_H

#include "base/buf.h"

/*
 * No new privileges, no new descriptor of any kind, no new process, no memory
 * that others may read: these always hold. Then a system call filter that
 * leaves memory, reading, writing and ending; anything else ends the process by
 * SIGSYS. The filter needs a kernel and a container that permit it: where they
 * do not, returns -1 with the reason appended to why, and the rest holds. For
 * the whole process, for good; call it with one thread.
 */
int confine(struct buf *why) MUST_CHECK;

/* Its first part alone, for tests. */
void confine_limits(void);

#endif
