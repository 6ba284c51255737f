lib_liblamplighter_a_SOURCES += \
	lib/job/job.def \
	lib/job/work.c lib/job/work.h
