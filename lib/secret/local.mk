lib_liblamplighter_a_SOURCES += \
	lib/secret/secret.c lib/secret/secret.h
