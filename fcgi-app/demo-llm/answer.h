/* SPDX-License-Identifier: MIT */
/*
 * answer.h - the rows of a query as an answer in markdown.
 */
#ifndef DEMO_ANSWER_H
#define DEMO_ANSWER_H

#include "demo-llm/out.h"
#include "demo-llm/question.h"

/* Appends the answer to q from the result of query_data (borrowed). */
void answer_rows(struct out *o, const struct question *q,
		 const json_t *result);

/* Appends what the datasets are, as a list. */
void answer_datasets(struct out *o, const struct catalogue *c);

/* Appends some questions that make sense for the datasets, as a list. */
void answer_examples(struct out *o, const struct catalogue *c);

#endif
