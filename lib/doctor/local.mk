lib_liblamplighter_a_SOURCES += \
	lib/doctor/checks.def lib/doctor/doctor.h \
	lib/doctor/advice.c \
	lib/doctor/judge.c \
	lib/doctor/look.c lib/doctor/look.h
