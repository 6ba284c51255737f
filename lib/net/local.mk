lib_liblamplighter_a_SOURCES += \
	lib/net/sse.c lib/net/sse.h
