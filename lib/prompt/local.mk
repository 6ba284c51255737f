lib_liblamplighter_a_SOURCES += \
	lib/prompt/ask.c lib/prompt/ask.h \
	lib/prompt/blocks.c lib/prompt/blocks.h \
	lib/prompt/builtin.h \
	lib/prompt/guardrails.c \
	lib/prompt/module.c lib/prompt/module.h \
	lib/prompt/origin.c lib/prompt/origin.def lib/prompt/origin.h \
	lib/prompt/part.c lib/prompt/part.def lib/prompt/part.h \
	lib/prompt/shown.c lib/prompt/shown.h \
	lib/prompt/team.c \
	lib/prompt/text.c \
	lib/prompt/untrusted.c lib/prompt/untrusted.h \
	lib/prompt/untrusted_schema.c
