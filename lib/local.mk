# The convenience library that responder, command and tests link.
noinst_LIBRARIES += lib/liblamplighter.a
lib_liblamplighter_a_SOURCES =

# What a program that links the whole library needs. The dynamic linker looks each
# symbol up in this order: first the libraries that have most to be looked up.
LAMPLIGHTER_LIBS = lib/liblamplighter.a $(OPENSSL_LIBS) $(MARIADB_LIBS) \
	$(JANSSON_LIBS) $(PCRE2_LIBS) $(YAML_LIBS) $(SODIUM_LIBS) -lm

include lib/base/local.mk
include lib/metric/local.mk
include lib/conf/local.mk
include lib/secret/local.mk
include lib/db/local.mk
include lib/net/local.mk
include lib/auth/local.mk
include lib/resource/local.mk
include lib/store/local.mk
include lib/hold/local.mk
include lib/job/local.mk
include lib/memory/local.mk
include lib/plan/local.mk
include lib/search/local.mk
include lib/file/local.mk
include lib/intake/local.mk
include lib/llm/local.mk
include lib/setting/local.mk
include lib/domain/local.mk
include lib/knowledge/local.mk
include lib/entity/local.mk
include lib/calendar/local.mk
include lib/bundle/local.mk
include lib/prompt/local.mk
include lib/schema/local.mk
include lib/tool/local.mk
include lib/event/local.mk
include lib/context/local.mk
include lib/turn/local.mk
include lib/doctor/local.mk
