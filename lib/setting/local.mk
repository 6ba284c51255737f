lib_liblamplighter_a_SOURCES += \
	lib/setting/said.c lib/setting/said.h \
	lib/setting/setting.c lib/setting/setting.def lib/setting/setting.h
