lib_liblamplighter_a_SOURCES += \
	lib/search/stmt.def \
	lib/search/chats.c lib/search/chats.h \
	lib/search/best.c lib/search/best.h \
	lib/search/cache.c lib/search/cache.h \
	lib/search/chunk.c lib/search/chunk.h \
	lib/search/embed.c lib/search/embed.h \
	lib/search/find.c lib/search/find.h \
	lib/search/finding.c lib/search/finding.h \
	lib/search/near.c \
	lib/search/index.c lib/search/index.h \
	lib/search/lines.c lib/search/lines.h \
	lib/search/post.c lib/search/post.h \
	lib/search/rank.c lib/search/rank.h \
	lib/search/records.c lib/search/records.h \
	lib/search/snippet.c lib/search/snippet.h \
	lib/search/sure.c lib/search/sure.h \
	lib/search/tidy.c \
	lib/search/vector.c lib/search/vector.h \
	lib/search/tokens.c lib/search/tokens.h
