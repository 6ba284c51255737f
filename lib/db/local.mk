lib_liblamplighter_a_SOURCES += lib/db/db.h
