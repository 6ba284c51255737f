lib_liblamplighter_a_SOURCES += \
	lib/intake/stmt.def \
	lib/intake/directory.c \
	lib/intake/intake.c lib/intake/intake.h \
	lib/intake/item.c lib/intake/item.h \
	lib/intake/leave.c \
	lib/intake/look.c \
	lib/intake/select.c \
	lib/intake/site.c lib/intake/site.h \
	lib/intake/site_get.c
