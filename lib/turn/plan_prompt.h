/* SPDX-License-Identifier: MIT */
/* What the models that make and carry out plans are told. */
#ifndef TURN_PLAN_PROMPT_H
#define TURN_PLAN_PROMPT_H

#include "plan/plan.h"
#include "turn/ask.h"

/* For the model that makes a plan. */
extern const struct prompt_text turn_plan_prompt;

/* For the agent that carries out a step. */
const char *turn_plan_step_prompt(enum plan_executor x);

#endif
