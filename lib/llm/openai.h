/* SPDX-License-Identifier: MIT */
/* Parts of the dialects that live in files of their own. */
#ifndef LLM_OPENAI_H
#define LLM_OPENAI_H

#include "llm/provider.h"

/* Writes a chat.completions body (openai_build.c). */
int openai_build(struct build *b, struct err *e) MUST_CHECK;

/* Writes a Messages body (anthropic_build.c). */
int anthropic_build(struct build *b, struct err *e) MUST_CHECK;

#endif
