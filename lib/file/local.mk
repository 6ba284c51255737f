lib_liblamplighter_a_SOURCES += \
	lib/file/document.c \
	lib/file/extract.c lib/file/extract.h \
	lib/file/facts.c lib/file/facts.h \
	lib/file/move.c lib/file/move.h \
	lib/file/scan.c lib/file/scan.h \
	lib/file/sweep.c \
	lib/file/upload.c lib/file/upload.h
