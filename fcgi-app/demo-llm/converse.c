#include "demo-llm/converse.h"
bool converse_wants_title(const struct ask *a){(void)a; return false;}
void converse(const struct ask *a, struct plan *p){(void)a; plan_text(p, PIECE_TEXT, "Hello.");}
