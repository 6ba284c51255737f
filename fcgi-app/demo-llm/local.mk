# The stand-in model: a separate program. The parts of lib/base that it uses
# are named here instead of linking the library, so that nothing else of ours
# can slip in and it builds by itself.
bin_PROGRAMS += fcgi-app/demo-llm/lamplighter-demo-llm
fcgi_app_demo_llm_lamplighter_demo_llm_SOURCES = \
	fcgi-app/demo-llm/main.c \
	fcgi-app/demo-llm/server.c fcgi-app/demo-llm/server.h \
	fcgi-app/demo-llm/http.c fcgi-app/demo-llm/http.h \
	fcgi-app/demo-llm/out.c fcgi-app/demo-llm/out.h \
	fcgi-app/demo-llm/app.c fcgi-app/demo-llm/app.h \
	fcgi-app/demo-llm/ask.c fcgi-app/demo-llm/ask.h \
	fcgi-app/demo-llm/image.c fcgi-app/demo-llm/image.h \
	fcgi-app/demo-llm/script.c fcgi-app/demo-llm/script.h \
	fcgi-app/demo-llm/steps.c fcgi-app/demo-llm/steps.h \
	fcgi-app/demo-llm/plan.c fcgi-app/demo-llm/plan.h \
	fcgi-app/demo-llm/reply.c fcgi-app/demo-llm/reply.h \
	fcgi-app/demo-llm/wire.c fcgi-app/demo-llm/wire.h \
	fcgi-app/demo-llm/wire_openai.c \
	fcgi-app/demo-llm/wire_anthropic.c \
	fcgi-app/demo-llm/wire_ollama.c \
	fcgi-app/demo-llm/converse.c fcgi-app/demo-llm/converse.h \
	fcgi-app/demo-llm/act.c fcgi-app/demo-llm/act.h \
	fcgi-app/demo-llm/project.c fcgi-app/demo-llm/project.h \
	fcgi-app/demo-llm/quote.c fcgi-app/demo-llm/quote.h \
	fcgi-app/demo-llm/words.c fcgi-app/demo-llm/words.h \
	fcgi-app/demo-llm/dates.c fcgi-app/demo-llm/dates.h \
	fcgi-app/demo-llm/catalogue.c fcgi-app/demo-llm/catalogue.h \
	fcgi-app/demo-llm/question.c fcgi-app/demo-llm/question.h \
	fcgi-app/demo-llm/filters.c \
	fcgi-app/demo-llm/answer.c fcgi-app/demo-llm/answer.h \
	fcgi-app/demo-llm/fill.c fcgi-app/demo-llm/fill.h \
	lib/base/arena.c lib/base/buf.c lib/base/clock.c lib/base/err.c lib/base/lang.c \
	lib/base/json.c lib/base/str.c lib/base/utf8.c lib/base/util.c lib/base/uuid.c
fcgi_app_demo_llm_lamplighter_demo_llm_LDADD = $(JANSSON_LIBS) $(SODIUM_LIBS) -lm
EXTRA_DIST += docs/demo-model.md tests/api/demo_model.py \
	tests/api/test_demo_images.py \
	tests/api/test_demo_llm.py tests/api/test_demo_talk.py
