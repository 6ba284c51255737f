lib_liblamplighter_a_SOURCES += \
	lib/base/arena.c lib/base/arena.h \
	lib/base/banned.h \
	lib/base/blank.c lib/base/blank.h \
	lib/base/buf.c lib/base/buf.h \
	lib/base/clock.c lib/base/clock.h \
	lib/base/err.c lib/base/err.h lib/base/err.def \
	lib/base/json.c lib/base/json.h \
	lib/base/limits.h \
	lib/base/log.c lib/base/log.h \
	lib/base/spawn.c lib/base/spawn.h \
	lib/base/str.c lib/base/str.h \
	lib/base/trace.c lib/base/trace.def lib/base/trace.h \
	lib/base/utf8.c lib/base/utf8.h \
	lib/base/util.c lib/base/util.h \
	lib/base/uuid.c lib/base/uuid.h
