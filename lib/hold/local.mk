lib_liblamplighter_a_SOURCES += \
	lib/hold/stmt.def \
	lib/hold/line.c lib/hold/line.h \
	lib/hold/rate.c lib/hold/rate.h \
	lib/hold/share.c lib/hold/share.h lib/hold/share.def \
	lib/hold/stored.c lib/hold/stored.def lib/hold/stored.h
