lib_liblamplighter_a_SOURCES += \
	lib/entity/document.c \
	lib/entity/project.c
