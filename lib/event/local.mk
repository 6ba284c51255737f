lib_liblamplighter_a_SOURCES += \
	lib/event/event.c lib/event/event.def lib/event/event.h \
	lib/event/live.c lib/event/live.h \
	lib/event/log.c lib/event/log.h \
	lib/event/notify.c lib/event/notify.h \
	lib/event/pack.c lib/event/pack.h \
	lib/event/relay.c lib/event/relay.h \
	lib/event/texts.c lib/event/texts.h
