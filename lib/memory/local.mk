lib_liblamplighter_a_SOURCES += \
	lib/memory/stmt.def \
	lib/memory/fact.c lib/memory/fact.h \
	lib/memory/fold.c lib/memory/fold.h \
	lib/memory/memory.c lib/memory/memory.h \
	lib/memory/personal.c lib/memory/personal.h \
	lib/memory/state.c lib/memory/state.h
