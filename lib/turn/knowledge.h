/*
 * What a turn is given of knowledge bases without asking: passages for its message,
 * where its agent says so (ragEnabled), numbered, in the turn's envelope.
 */
#ifndef TURN_KNOWLEDGE_H
#define TURN_KNOWLEDGE_H

struct turn_loop;

/*
 * Searches for the turn's message, unless that is done or the agent does not want
 * it, or the message is empty: l->knowledge. A preview (no sink) searches words
 * alone: it asks no service and stores nothing. Nothing fails: what cannot be
 * searched is logged.
 */
void context_knowledge(struct turn_loop *l);

#endif
