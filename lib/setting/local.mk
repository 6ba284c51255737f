lib_liblamplighter_a_SOURCES += \
	lib/setting/values.c lib/setting/values.h \
	lib/setting/setting.c lib/setting/setting.def lib/setting/setting.h
