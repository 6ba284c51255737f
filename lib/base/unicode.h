/* SPDX-License-Identifier: MIT */
/*
 * libunistring and libstemmer, loaded when the first text is analysed, so that a plain
 * CGI process that only serves a page does not pay for them. This file is included
 * instead of their headers; their functions are called through unicode_now.
 */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <libstemmer.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "base/err.h"

#define UNICODE_FUNCTIONS(X) \
	X(u8_mbtouc) \
	X(u8_casefold) \
	X(u8_normalize) \
	X(uc_is_general_category_withtable) \
	X(uninorm_nfkc) \
	X(uninorm_nfkd)

#define STEMMER_FUNCTIONS(X) \
	X(sb_stemmer_new) \
	X(sb_stemmer_delete) \
	X(sb_stemmer_stem) \
	X(sb_stemmer_length)

/* Set by unicode_load. */
extern struct unicode_functions {
#define UNICODE_MEMBER(f) __typeof__(f) *f;
	UNICODE_FUNCTIONS(UNICODE_MEMBER)
	STEMMER_FUNCTIONS(UNICODE_MEMBER)
#undef UNICODE_MEMBER
} unicode_now;

/*
 * Loads both libraries; later calls return the result of the first. ERR_INTERNAL if a
 * library or function is missing. Any thread.
 */
int unicode_load(struct err *e) MUST_CHECK;

#endif
