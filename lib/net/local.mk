lib_liblamplighter_a_SOURCES += \
	lib/net/http.c lib/net/http.h \
	lib/net/http_abort.c lib/net/http_abort.h \
	lib/net/http_handle.h lib/net/http_pool.c \
	lib/net/http_tls.c lib/net/http_tls.h \
	lib/net/sse.c lib/net/sse.h
