lib_liblamplighter_a_SOURCES += \
	lib/db/adhoc.c lib/db/adhoc.h lib/db/columns.c \
	lib/db/link.c lib/db/link.h lib/db/db.h \
	lib/db/fault.c lib/db/hosts.c lib/db/hosts.h lib/db/stmt_cache.c lib/db/map.c \
	lib/db/migrate.c \
	lib/db/op.c \
	lib/db/pool.c \
	lib/db/prep.c lib/db/prep.h \
	lib/db/query.c \
	lib/db/split.c lib/db/split.h \
	lib/db/stmt.c \
	lib/db/tx.c
