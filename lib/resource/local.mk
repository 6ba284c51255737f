lib_liblamplighter_a_SOURCES += \
	lib/resource/owner.h \
	lib/resource/print.c \
	lib/resource/purge.c lib/resource/purge.h \
	lib/resource/resource.c lib/resource/resource.h \
	lib/resource/resource.def lib/resource/stmt.def
EXTRA_DIST += lib/resource/resource.sql
