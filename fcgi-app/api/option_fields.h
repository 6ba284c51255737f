/* The rows of turn_options.def in a table of struct field: see SEND_FIELD. */
#define TURN_OPTION(member_, key_, type_, max_, kept_, form_) \
	{ .key = key_, .type = FIELD_##type_, .flags = FIELD_NULLABLE, \
	  .max_chars = max_, \
	  .offset = offsetof(struct turn_request, options.member_) },
#include "turn/turn_options.def"
#undef TURN_OPTION
