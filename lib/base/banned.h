/* SPDX-License-Identifier: MIT */
/*
 * Functions that have no safe use here, turned into build errors. Include
 * last, after the system headers that declare them.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok
#pragma GCC poison atoi atol atof gmtime localtime ctime asctime rand srand
#pragma GCC poison gets tmpnam mktemp strerror

#endif
