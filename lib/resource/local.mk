lib_liblamplighter_a_SOURCES += \
	lib/resource/arguments.c \
	lib/resource/author.c lib/resource/author.h \
	lib/resource/bin.c lib/resource/bin.h \
	lib/resource/body.c \
	lib/resource/call.c lib/resource/call.h \
	lib/resource/change.c lib/resource/change.h \
	lib/resource/erase.c lib/resource/erase.h \
	lib/resource/export.c lib/resource/export.h \
	lib/resource/fold.c lib/resource/fold.h \
	lib/resource/form.c lib/resource/form.h \
	lib/resource/page.c \
	lib/resource/print.c \
	lib/resource/props.c lib/resource/props.h \
	lib/resource/purge.c lib/resource/purge.h \
	lib/resource/query.c \
	lib/resource/read.c lib/resource/rows.h \
	lib/resource/reseal.c lib/resource/reseal.h \
	lib/resource/section.c lib/resource/section.h \
	lib/resource/sift.c lib/resource/sift.h \
	lib/resource/version.c \
	lib/resource/words.c \
	lib/resource/write.c \
	lib/resource/resource.c lib/resource/resource.h \
	lib/resource/resource.def lib/resource/stmt.def \
	lib/resource/type.def
EXTRA_DIST += lib/resource/resource.sql
