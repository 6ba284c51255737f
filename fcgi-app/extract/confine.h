/* SPDX-License-Identifier: MIT */
/* Drops rights of the process before it parses anything. */
#ifndef EXTRACT_CONFINE_H
#define EXTRACT_CONFINE_H

#include "base/buf.h"

/*
 * Forbids new privileges, descriptors and processes and makes the memory unreadable to
 * others; then installs a system call filter that allows only memory management, reading,
 * writing and exiting. Other calls end the process with SIGSYS or, if quiet, fail with
 * EPERM, for libraries that look for files and continue without them. If the kernel or
 * the container does not permit the filter, returns -1 with the reason appended to why;
 * everything else still applies. Irrevocable; the process must have one thread.
 */
int confine(bool quiet, struct buf *why) MUST_CHECK;

/* Only the part without the filter, for tests. */
void confine_limits(void);

#endif
