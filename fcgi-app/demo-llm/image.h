/* SPDX-License-Identifier: MIT */
/*
 * image.h - images in requests. The stand-in cannot see; it checks what the
 * real services check, and can say what it was given.
 */
#ifndef DEMO_IMAGE_H
#define DEMO_IMAGE_H

#include "demo-llm/ask.h"

/*
 * Notes an image of message m. media_type: as the wire says it, NULL where it
 * says none. Refuses (400) what is no base64, no PNG, JPEG, WebP or GIF, or not
 * what media_type says.
 */
int image_add(struct ask *a, struct msg *m, const char *media_type,
	      const char *base64, struct refusal *w);

/* The same for a URL, which must be data:TYPE;base64,…: nothing is fetched. */
int image_add_url(struct ask *a, struct msg *m, const char *url,
		  struct refusal *w);

#endif
