lib_liblamplighter_a_SOURCES += \
	lib/calendar/stmt.def \
	lib/calendar/between.c \
	lib/calendar/calendar.h \
	lib/calendar/change.c \
	lib/calendar/event.c \
	lib/calendar/ics.c lib/calendar/ics.h \
	lib/calendar/ics_read.c \
	lib/calendar/rule.c lib/calendar/rule.h \
	lib/calendar/wall.c lib/calendar/wall.h \
	lib/calendar/when.c
