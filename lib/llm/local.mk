lib_liblamplighter_a_SOURCES += \
	lib/llm/anthropic.c lib/llm/anthropic_build.c \
	lib/llm/build.c lib/llm/build.h \
	lib/llm/circuit.c lib/llm/circuit.h \
	lib/llm/decode_cli.c lib/llm/decode_cli.h \
	lib/llm/decoder.c lib/llm/decoder.h \
	lib/llm/emit.c lib/llm/emit.h \
	lib/llm/error.c lib/llm/error.h \
	lib/llm/gemini_native.c \
	lib/llm/image.c \
	lib/llm/llm.h \
	lib/llm/repair.c lib/llm/repair.h \
	lib/llm/models.c lib/llm/models.h \
	lib/llm/ollama.c \
	lib/llm/openai.c lib/llm/openai.h lib/llm/openai_build.c \
	lib/llm/openai_responses.c \
	lib/llm/provider.c lib/llm/provider.h \
	lib/llm/probe.c lib/llm/probe.h \
	lib/llm/retrieval.c lib/llm/retrieval.h \
	lib/llm/schema.c \
	lib/llm/service.c lib/llm/service.h \
	lib/llm/stream.c \
	lib/llm/toolname.c lib/llm/toolname.h \
	lib/llm/usage.c
