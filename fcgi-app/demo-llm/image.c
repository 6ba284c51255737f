/* SPDX-License-Identifier: MIT */
/*
 * image.c - what the bytes of an image tell without decoding it.
 */
#include "demo-llm/image.h"

#include <sodium.h>
#include <string.h>

#include "base/banned.h"

#define PNG_SIZE_AT 16		/* width and height in IHDR, big-endian */

static const struct {
	const char *type, *head;
	size_t n;
} forms[] = {
	{"image/png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", PNG_SIZE_AT},
	{"image/jpeg", "\xff\xd8\xff", 3},
	{"image/gif", "GIF8", 4},
	{"image/webp", "RIFF", 4},
};

static const char *type_of(const unsigned char *p, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(forms); i++)
		if (n >= forms[i].n && !memcmp(p, forms[i].head, forms[i].n))
			return forms[i].type;
	return NULL;
}

static unsigned long big_endian(const unsigned char *p)
{
	return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 |
	       (unsigned long)p[2] << 8 | p[3];
}

/* "image/png, 640 x 480 pixels, 1234 bytes" */
static const char *describe(struct arena *a, const char *type,
			    const unsigned char *p, size_t n)
{
	const char *size = "";

	if (!strcmp(type, "image/png") && n >= PNG_SIZE_AT + 8)
		size = arena_printf(a, ", %lu x %lu pixels",
				    big_endian(p + PNG_SIZE_AT),
				    big_endian(p + PNG_SIZE_AT + 4));
	return arena_printf(a, "%s%s, %zu bytes", type, size, n);
}

int image_add(struct ask *a, struct msg *m, const char *media_type,
	      const char *base64, struct refusal *w)
{
	size_t n, room = base64 ? strlen(base64) / 4 * 3 + 3 : 1;
	unsigned char *p = arena_alloc(a->a, room);
	const char *type, *what;

	if (!base64 || sodium_base642bin(p, room, base64, strlen(base64), NULL,
			&n, NULL, sodium_base64_VARIANT_ORIGINAL))
		return refuse(w, 400, "messages", "The image is not valid "
			      "base64.");
	type = type_of(p, n);
	if (!type)
		return refuse(w, 400, "messages", "Could not process image: "
			      "it is no PNG, JPEG, WebP or GIF.");
	if (media_type && strcmp(media_type, type))
		return refuse(w, 400, "messages", "Image does not match the "
			      "provided media type %.40s.", media_type);
	what = describe(a->a, type, p, n);
	m->images = m->images ? arena_printf(a->a, "%s; %s", m->images, what)
			      : what;
	return 0;
}

int image_add_url(struct ask *a, struct msg *m, const char *url,
		  struct refusal *w)
{
	struct str rest = str_of(url), head = str_cut(&rest, ',');
	const char *type;

	if (!str_starts(head, STR("data:")) || head.n < 12 ||
	    memcmp(head.p + head.n - 7, ";base64", 7))
		return refuse(w, 400, "messages", "The stand-in fetches "
			      "nothing: an image must be a data: URL with "
			      "base64.");
	type = arena_memdup(a->a, head.p + 5, head.n - 12);
	return image_add(a, m, type, rest.p, w);
}
