lib_liblamplighter_a_SOURCES += \
	lib/prompt/builtin.h \
	lib/prompt/guardrails.c \
	lib/prompt/layers.c lib/prompt/layers.h \
	lib/prompt/untrusted.c lib/prompt/untrusted.h
