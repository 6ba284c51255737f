/* SPDX-License-Identifier: MIT */
/* Which program this is: its version, its commit, and the schema that it knows. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* "0.1.0" */
extern const char version_name[];

/* The number of the newest migration when the program was built. */
int version_schema(void);

/*
 * Prints a line each: "lamplighter 0.1.0", "commit 4e81d084ab12" (with + if files were changed
 * since; "unknown" if neither Git nor a release told it), "schema 0066". For -V.
 */
void version_print(void);

#endif
