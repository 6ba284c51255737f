lib_liblamplighter_a_SOURCES += \
	lib/metric/metric.c lib/metric/metric.def lib/metric/metric.h
