lib_liblamplighter_a_SOURCES += \
	lib/intake/directory.c \
	lib/intake/intake.c lib/intake/intake.h \
	lib/intake/item.c lib/intake/item.h \
	lib/intake/look.c \
	lib/intake/select.c
