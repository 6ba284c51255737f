lib_liblamplighter_a_SOURCES += \
	lib/schema/pattern.c \
	lib/schema/pattern.h \
	lib/schema/schema.c \
	lib/schema/schema.h \
	lib/schema/schema_keyword.h \
	lib/schema/schema_relax.c
