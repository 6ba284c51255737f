/* SPDX-License-Identifier: MIT */
/*
 * Plain CGI: one request per process, from environment, stdin and stdout, with all
 * features.
 */
#ifndef APP_CGI_H
#define APP_CGI_H

#include "conn.h"

/* The connection of this process; borrowed, static. main only. */
struct conn *cgi_conn(void);

#endif
