lib_liblamplighter_a_SOURCES += \
	lib/knowledge/stmt.def \
	lib/knowledge/agent.c \
	lib/knowledge/embed.c lib/knowledge/embed.h \
	lib/knowledge/excerpt.c lib/knowledge/excerpt.h \
	lib/knowledge/kb.c lib/knowledge/kb.h \
	lib/knowledge/kb_index.c lib/knowledge/kb_index.h \
	lib/knowledge/retrieve.c lib/knowledge/retrieve.h
