lib_liblamplighter_a_SOURCES += \
	lib/net/curl.c lib/net/curl.h \
	lib/net/guard.c lib/net/guard.h \
	lib/net/http.c lib/net/http.h \
	lib/net/http_abort.h \
	lib/net/http_tls.c lib/net/http_tls.h \
	lib/net/loop.c \
	lib/net/robots.c lib/net/robots.h \
	lib/net/sse.c lib/net/sse.h \
	lib/net/transfer.c lib/net/transfer.h \
	lib/net/url.c lib/net/url.h
