/* SPDX-License-Identifier: MIT */
/*
 * quote.h - the conversational mode for questions that no dataset answers: it
 * searches the knowledge bases and quotes the sentence that has most of the
 * question's words.
 */
#ifndef DEMO_QUOTE_H
#define DEMO_QUOTE_H

#include "demo-llm/act.h"

/*
 * text is the question, w its words. ACT_CALL: p has the call of search_knowledge;
 * ACT_SAID: say has the quotation; ACT_NONE: the tool is not offered, or has found
 * nothing that fits.
 */
enum act quote(const struct ask *a, const char *text, const struct words *w,
	       struct deeds done, struct plan *p, struct out *say);

/* A message's own words: without the files that stand behind them. */
const char *demo_own_words(struct arena *a, const char *text);

/*
 * Quotes the files of the user's messages from..to; all: only a sentence that has,
 * with its headings, all words of the question. True when say has the quotation.
 */
bool demo_quote_file(const struct ask *a, long from, long to,
		     const struct words *w, bool all, struct out *say);

#endif
