/* SPDX-License-Identifier: MIT */
/*
 * What services do besides chats: vectors of texts (`capabilities: [embed]`), scores of
 * how well passages match a question (`capabilities: [rerank]`), and the text of sound
 * (`capabilities: [transcribe]`). One request and one answer each, with the service's
 * address, credential, guard and retries.
 */
#ifndef LLM_RETRIEVAL_H
#define LLM_RETRIEVAL_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/uuid.h"
#include "llm/llm.h"

struct llm_call {		/* all borrowed */
	struct http_pool *http;
	struct http_abort *abort;	/* ends it; may be NULL */
	const atomic_bool *stop;	/* the same, looked at now and then; or NULL */
	int peer_fd;		/* descriptor above 0: the request ends soon
				 * after it hangs up */
};

struct llm_vectors {
	float *v;		/* n times dimension, in the order of the texts */
	int dimension;		/* 1 to LIM_DIMENSION */
	struct llm_usage usage;	/* of the answered requests, also after a
				 * failure */
	struct str reason;	/* after a failure, the service's own sentence, without
				 * its credential; or NULL */
	size_t at;		/* and which text it failed at; SIZE_MAX: at several */
};

struct llm_ranks {
	struct llm_usage usage;
	struct str reason;	/* as of llm_vectors, and at */
	size_t at;
};

/* A form with sound, as it is sent: begin, then fields, one file, and llm_transcribe. */
struct llm_sound {
	struct buf form;
	char boundary[UUID_HEX_BYTES];
};

struct llm_transcript {
	struct str body;	/* the answer as it is, up to 16 MiB; in the arena */
	struct llm_usage usage;
	struct str reason;	/* as of llm_vectors */
};

enum llm_text {		/* flags: what the texts are */
	LLM_PASSAGES = 0,
	LLM_QUESTIONS = 1,
	LLM_WHOLE = 2,	/* a text that is too long is not cut, but an error */
};

/*
 * The name of the vectors of a service: its model, and the requested dimension
 * (quirk embed_dimensions), if any. Vectors with different names cannot be
 * compared. In a.
 */
struct str llm_embed_name(const struct llm_service *s, struct arena *a);

/*
 * The vectors of n texts, none of which is empty, in a. Of each at most
 * LIM_EMBED_CHARS characters are sent; at most LIM_EMBED_TEXTS texts go into a
 * request; the quirks embed_… lower these limits and add members. A request that the
 * service refuses, or fails at, is halved, and of a text that is refused alone only the
 * first half is sent, and so on: one that is too long has the vector of its beginning.
 * how: enum llm_text; with LLM_WHOLE, texts have no limit here. Blocks.
 * ERR_LLM_UNSUPPORTED, public: the service or its provider has none; the errors of
 * llm_check_service; ERR_UPSTREAM_…; ERR_CANCELLED.
 */
int llm_embed(const struct llm_call *io, const struct llm_service *s,
	      const struct str *texts, size_t n, unsigned how, struct arena *a,
	      struct llm_vectors *out, struct err *e) MUST_CHECK;

/*
 * How well each of n texts fits the question, into scores,
 * higher is better; as the server counts. A text that it does not name has
 * -INFINITY. Texts are cut unless how has LLM_WHOLE; a request of several texts that the
 * service refuses, or fails at, is halved. Blocks; errors as llm_embed.
 *
 * {url}/rerank with {model, query, documents} (Cohere, Jina, Voyage, vLLM,
 * llama.cpp) or, by the quirk rerank_format, {query, texts} (TEI); the list of
 * {index, relevance_score or score} is the answer, its `results` or its `data`.
 */
int llm_rerank(const struct llm_call *io, const struct llm_service *s,
	       struct str question, const struct str *texts, size_t n, unsigned how,
	       double *scores, struct arena *a, struct llm_ranks *out,
	       struct err *e) MUST_CHECK;

/*
 * Begins an empty form of at most cap_bytes; release it in any case. field and file: the
 * names and values are single lines, of which quotes are replaced. After file, the
 * caller appends the bytes of the file to form. If they did not fit, buf_ok says so.
 */
void llm_sound_begin(struct llm_sound *f, size_t cap_bytes);
void llm_sound_field(struct llm_sound *f, const char *name, struct str value);
void llm_sound_file(struct llm_sound *f, struct str filename);
void llm_sound_release(struct llm_sound *f);

/*
 * The text of sound: completes f with the service's model and the texts and numbers of
 * its extra_body, and sends it to {url}/audio/transcriptions. What the answer is depends
 * on the form. Blocks; errors as llm_embed, and ERR_TOO_BIG.
 */
int llm_transcribe(const struct llm_call *io, const struct llm_service *s,
		   struct llm_sound *f, struct arena *a, struct llm_transcript *out,
		   struct err *e) MUST_CHECK;

#endif
