/* SPDX-License-Identifier: MIT */
/*
 * Images for models. All three dialects want them in base64 with the media
 * type, and refuse a type that does not match the bytes (Anthropic: "does not
 * match the provided media type", 400), so only the bytes decide, never a header
 * or the end of a URL. Their limit of 5 MiB applies to the base64.
 */
#include <sodium.h>
#include <stdio.h>

#include "base/limits.h"
#include "llm/llm.h"

#include "base/banned.h"

/* How the files begin; WebP is RIFF, four bytes of length, WEBP. */
static const struct form {
	const char *media_type;
	struct str head, at_8;
} forms[] = {
	{ "image/png", { "\x89PNG\r\n\x1a\n", 8 }, { NULL, 0 } },
	{ "image/jpeg", { "\xff\xd8\xff", 3 }, { NULL, 0 } },
	{ "image/gif", { "GIF87a", 6 }, { NULL, 0 } },
	{ "image/gif", { "GIF89a", 6 }, { NULL, 0 } },
	{ "image/webp", { "RIFF", 4 }, { "WEBP", 4 } },
};

static bool is_form(const struct form *f, struct str bytes)
{
	if (!str_starts(bytes, f->head) || bytes.n < 8 + f->at_8.n)
		return false;
	return !f->at_8.n || !memcmp(bytes.p + 8, f->at_8.p, f->at_8.n);
}

static const char *media_type(struct str bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (is_form(&forms[i], bytes))
			return forms[i].media_type;
	return NULL;
}

bool llm_image_takes(struct str type)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (str_is(type, forms[i].media_type))
			return true;
	return false;
}

int llm_image_read(struct str bytes, struct arena *a, struct llm_image *out,
		   struct err *e)
{
	const char *type = media_type(bytes);
	size_t room = sodium_base64_ENCODED_LEN(bytes.n,
						sodium_base64_VARIANT_ORIGINAL);
	size_t head;
	char *p;

	if (!type)
		return err_public(e, ERR_MEDIA_TYPE, "This is not an image in "
				  "one of the formats PNG, JPEG, WebP and "
				  "GIF.");
	if (bytes.n > LIM_IMAGE_BYTES)
		return err_public(e, ERR_TOO_BIG, "The image is too large: it "
				  "may have at most %d bytes.",
				  LIM_IMAGE_BYTES);
	head = strlen(type) + sizeof("data:;base64,") - 1;
	p = arena_alloc(a, head + room);
	snprintf(p, head + 1, "data:%s;base64,", type);
	sodium_bin2base64(p + head, room, (const unsigned char *)bytes.p,
			  bytes.n, sodium_base64_VARIANT_ORIGINAL);
	*out = (struct llm_image){
		.media_type = type, .data_url = { p, head + room - 1 },
		.base64 = { p + head, room - 1 },
	};
	return 0;
}
