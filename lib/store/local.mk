lib_liblamplighter_a_SOURCES += \
	lib/store/conversation.h lib/store/message.h lib/store/store.h \
	lib/store/token.h lib/store/turn.h lib/store/usage.h lib/store/user.h
