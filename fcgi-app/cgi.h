/*
 * Plain CGI: the same request over environment, stdin and stdout, one per
 * process. Same features, one process start slower.
 */
#ifndef APP_CGI_H
#define APP_CGI_H

#include "conn.h"

/* The connection of this process; borrowed, static. main only. */
struct conn *cgi_conn(void);

#endif
