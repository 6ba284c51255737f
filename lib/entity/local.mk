lib_liblamplighter_a_SOURCES += \
	lib/entity/stmt.def \
	lib/entity/dates.c \
	lib/entity/edge.c \
	lib/entity/entity.h \
	lib/entity/find.c \
	lib/entity/index.c \
	lib/entity/kind.def \
	lib/entity/pack.c lib/entity/pack.h \
	lib/entity/project.c \
	lib/entity/read.c \
	lib/entity/tree.c lib/entity/tree.h \
	lib/entity/undo.c lib/entity/undo.h \
	lib/entity/words.c lib/entity/write.c
