lib_liblamplighter_a_SOURCES += \
	lib/schema/pattern.c \
	lib/schema/pattern.h \
	lib/schema/schema.c \
	lib/schema/schema.h \
	lib/schema/schema_form.c \
	lib/schema/schema_keyword.h \
	lib/schema/schema_relax.c \
	lib/schema/schema_value.c \
	lib/schema/schema_value.h
