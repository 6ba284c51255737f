lib_liblamplighter_a_SOURCES += \
	lib/context/attach.c lib/context/attach.h \
	lib/context/routing.c lib/context/routing.h \
	lib/context/prompt_use.c lib/context/prompt_use.h \
	lib/context/cite.c lib/context/cite.h \
	lib/context/context.c lib/context/context.h \
	lib/context/generation.c lib/context/generation.h \
	lib/context/history.c lib/context/history.h \
	lib/context/intent.c lib/context/intent.h \
	lib/context/knowledge.c lib/context/knowledge.h \
	lib/context/mention.c lib/context/mention.h \
	lib/context/options.c lib/context/options.h \
	lib/context/payload.c lib/context/payload.h \
	lib/context/place.c lib/context/place.h \
	lib/context/preview.c lib/context/preview.h \
	lib/context/quote.c lib/context/quote.h \
	lib/context/recall.c lib/context/recall.h \
	lib/context/remember.c lib/context/remember.h \
	lib/context/text_origin.c lib/context/text_origin.h \
	lib/context/setting.c lib/context/setting.h \
	lib/context/request.h \
	lib/context/step.h \
	lib/context/whose.c lib/context/whose.h
