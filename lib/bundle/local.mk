lib_liblamplighter_a_SOURCES += \
	lib/bundle/bundle.c lib/bundle/bundle.h \
	lib/bundle/read.c
