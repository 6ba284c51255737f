/*
 * Plain CGI: the same request over environment, stdin and stdout, one per
 * process. Same features, one process start slower.
 */
#ifndef APP_CGI_H
#define APP_CGI_H

#include "conn.h"

/* The connection of this process; borrowed, static. main only. */
struct conn *cgi_conn(void);

/*
 * Ends the answer, after the last flush: the server, which reads to the end of
 * our output, sees it. What the process does from here on is not waited for.
 */
void cgi_end(void);

#endif
