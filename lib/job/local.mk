lib_liblamplighter_a_SOURCES += \
	lib/job/job.def \
	lib/job/below.c \
	lib/job/chats.c \
	lib/job/entity.c \
	lib/job/erase.c lib/job/erase.h \
	lib/job/knowledge.c \
	lib/job/work.c lib/job/work.h
