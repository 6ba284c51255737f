/* SPDX-License-Identifier: MIT */
/* Characters of fonts that have symbols in the place of letters. */
#ifndef EXTRACT_SYMBOL_H
#define EXTRACT_SYMBOL_H

#include <stdbool.h>

/* Whether the font is one of these: Symbol, Wingdings, Wingdings 2, Webdings. */
bool extract_symbol_font(const char *font);

/*
 * The character with this code, 0x20 to 0xff, or 0xf020 to 0xf0ff as Word stores it, in
 * UTF-8; U+FFFD if its meaning is unknown. Constant.
 */
const char *extract_symbol(const char *font, unsigned code);

#endif
