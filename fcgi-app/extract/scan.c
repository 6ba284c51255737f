/* SPDX-License-Identifier: MIT */
/*
 * OCR of pages of a PDF without text, and of image files, by libtesseract if it is
 * installed; or draws one page as a PNG for a model with vision. The library and its
 * language data are loaded before the process confines itself; images are decoded, drawn
 * and recognised after that, without access to files. Its C interface and that of
 * Leptonica, on which it depends, are declared here, so neither is needed to build.
 */
#include "extract/file.h"

#include <dlfcn.h>
#include <math.h>
#include <poppler.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "extract/kind.h"
#include "extract/out.h"
#include "extract/pdf_page.h"

#include "base/banned.h"

/* As in Debian 12 and 13. */
#define LIBRARY "libtesseract.so.5"

enum {
	POINTS = 72,		/* units of a PDF per inch */
	DPI = 300,		/* resolution that Tesseract works best with */
	PICTURE_SIDE = 1600,	/* pixels; models scale larger images down */
	PICTURE_TRIES = 4,
	PAGE_MS = 15000,	/* time limit for one page */
	SLICE_S = 5,		/* CPU time after which no further page is begun */
	AUTOMATIC = 3,		/* PSM_AUTO: detects columns and blocks */
	QUIET = 6,		/* L_SEVERITY_NONE */
};

struct pix;

/* Tesseract's capi.h and Leptonica's allheaders.h (5.3 and 1.82), as far as needed. */
static struct {
	void *(*TessBaseAPICreate)(void);
	int (*TessBaseAPIInit3)(void *api, const char *folder, const char *languages);
	void (*TessBaseAPISetPageSegMode)(void *api, int mode);
	void (*TessBaseAPISetImage)(void *api, const unsigned char *bytes, int width,
				    int height, int pixel_bytes, int line_bytes);
	void (*TessBaseAPISetImage2)(void *api, struct pix *image);
	void (*TessBaseAPISetSourceResolution)(void *api, int dpi);
	int (*TessBaseAPIRecognize)(void *api, void *monitor);
	char *(*TessBaseAPIGetUTF8Text)(void *api);
	void (*TessDeleteText)(const char *text);
	void *(*TessMonitorCreate)(void);
	void (*TessMonitorDelete)(void *monitor);
	void (*TessMonitorSetDeadlineMSecs)(void *monitor, int ms);
	int (*pixReadHeaderMem)(const unsigned char *p, size_t n, int *format,
				int *width, int *height, int *bits, int *samples,
				int *is_colour_map);
	struct pix *(*pixReadMem)(const unsigned char *p, size_t n);
	int (*readHeaderMemTiff)(const unsigned char *p, size_t n, int page,
				 int *width, int *height, int *bits, int *samples,
				 int *resolution, int *is_colour_map, int *format);
	struct pix *(*pixReadMemTiff)(const unsigned char *p, size_t n, int page);
	struct pix *(*pixRotateOrth)(struct pix *image, int turns);
	void (*pixDestroy)(struct pix **image);
	int (*setMsgSeverity)(int severity);
} lib;

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define FN(name) { #name, __builtin_offsetof(__typeof__(lib), name) }
	FN(TessBaseAPICreate), FN(TessBaseAPIInit3), FN(TessBaseAPISetPageSegMode),
	FN(TessBaseAPISetImage), FN(TessBaseAPISetImage2),
	FN(TessBaseAPISetSourceResolution), FN(TessBaseAPIRecognize),
	FN(TessBaseAPIGetUTF8Text), FN(TessDeleteText), FN(TessMonitorCreate),
	FN(TessMonitorDelete), FN(TessMonitorSetDeadlineMSecs),
	FN(pixReadHeaderMem), FN(pixReadMem), FN(readHeaderMemTiff),
	FN(pixReadMemTiff), FN(pixRotateOrth), FN(pixDestroy), FN(setMsgSeverity),
#undef FN
};

static void *api;

int extract_scan_prepare(struct extract *x)
{
	int rc = extract_file_prepare(x);
	void *so;

	/* Threads are forbidden in the confined process. */
	if (setenv("OMP_THREAD_LIMIT", "1", 1) < 0)
		return EXTRACT_MEMORY;
	so = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; so && i < ARRAY_LEN(functions); i++) {
		void *fn = dlsym(so, functions[i].name);

		if (!fn)
			return EXTRACT_NO_READER;
		memcpy((char *)&lib + functions[i].offset, &fn, sizeof(fn));
	}
	if (!so)
		return EXTRACT_NO_READER;
	lib.setMsgSeverity(QUIET);
	api = lib.TessBaseAPICreate();
	if (!api || lib.TessBaseAPIInit3(api, NULL, x->languages))
		return EXTRACT_NO_READER;
	lib.TessBaseAPISetPageSegMode(api, AUTOMATIC);
	return rc;
}

/* -- recognising --- */

/* Appends the text of the image that was passed to the library. */
static int recognise(struct extract *x, int page)
{
	void *monitor = lib.TessMonitorCreate();
	char *text = NULL;

	lib.TessMonitorSetDeadlineMSecs(monitor, PAGE_MS);
	if (lib.TessBaseAPIRecognize(api, monitor) == 0)
		text = lib.TessBaseAPIGetUTF8Text(api);
	lib.TessMonitorDelete(monitor);
	if (!text)
		return EXTRACT_UNREADABLE;
	if (str_trim(str_of(text)).n) {
		if (page)
			extract_put_page(&x->out, page);
		extract_put_paragraph(&x->out, str_of(text));
	}
	lib.TessDeleteText(text);
	return EXTRACT_OK;
}

static bool is_small(int width, int height)
{
	return width > 0 && height > 0 &&
		(int64_t)width * height <= LIM_SCAN_PIXELS;
}

/* Leptonica applies the orientation in a TIFF, but not the one in a JPEG. */
static void make_upright(struct pix **image, struct str bytes)
{
	int turns = extract_kind_turns(bytes);
	struct pix *upright = turns ? lib.pixRotateOrth(*image, turns) : NULL;

	if (!upright)
		return;
	lib.pixDestroy(image);
	*image = upright;
}

/*
 * A page of a TIFF, from 0 (EXTRACT_EMPTY: it has no such page); or a file that is one
 * image: page < 0.
 */
static struct pix *read_image(const struct extract *x, int page, int *rc)
{
	const unsigned char *p = (const unsigned char *)x->input.p;
	int w = 0, h = 0, other[5];
	int bad = page < 0
		? lib.pixReadHeaderMem(p, x->input.n, &other[0], &w, &h, &other[1],
				       &other[2], &other[3])
		: lib.readHeaderMemTiff(p, x->input.n, page, &w, &h, &other[0],
					&other[1], &other[2], &other[3], &other[4]);
	struct pix *image;

	*rc = !bad ? EXTRACT_TOO_BIG : page > 0 ? EXTRACT_EMPTY : EXTRACT_UNREADABLE;
	if (bad || !is_small(w, h))
		return NULL;
	image = page < 0 ? lib.pixReadMem(p, x->input.n)
		: lib.pixReadMemTiff(p, x->input.n, page);
	if (image && page < 0)
		make_upright(&image, buf_str(&x->input));
	*rc = image ? EXTRACT_OK : EXTRACT_UNREADABLE;
	return image;
}

/* Recognises a page of an image file. *there: whether the page exists. */
static int scan_image(struct extract *x, int page, bool marked, bool *there)
{
	int rc;
	struct pix *image = read_image(x, page, &rc);

	*there = rc != EXTRACT_EMPTY;
	if (!image)
		return rc;
	lib.TessBaseAPISetImage2(api, image);
	rc = recognise(x, marked ? page + 1 : 0);
	lib.pixDestroy(&image);
	return rc;
}

/* -- pages of a PDF --- */

/* Draws the page on white, scaled, with at most `most` pixels. NULL: it cannot be drawn. */
static cairo_surface_t *draw(PopplerPage *page, double scale)
{
	double w, h;
	cairo_surface_t *s;
	cairo_t *c;

	poppler_page_get_size(page, &w, &h);
	if (!isfinite(w) || !isfinite(h) || w < 1 || h < 1)
		return NULL;
	scale = fmin(scale, sqrt((double)LIM_SCAN_PIXELS / w / h));
	if (w * scale < 1 || h * scale < 1 || w * scale > 30000 || h * scale > 30000)
		return NULL;
	s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(w * scale),
				       (int)(h * scale));
	c = cairo_create(s);
	cairo_set_source_rgb(c, 1, 1, 1);
	cairo_paint(c);
	cairo_scale(c, scale, scale);
	poppler_page_render(page, c);
	cairo_destroy(c);
	cairo_surface_flush(s);
	if (cairo_surface_status(s) == CAIRO_STATUS_SUCCESS)
		return s;
	cairo_surface_destroy(s);
	return NULL;
}

/* Converts the surface to grey in place, one byte per pixel. */
static void make_grey(unsigned char *p, int width, int height, int stride)
{
	for (int y = 0; y < height; y++) {
		unsigned char *line = p + (size_t)y * (size_t)stride;

		for (int i = 0; i < width; i++) {
			uint32_t v;

			memcpy(&v, line + 4 * (size_t)i, sizeof(v));
			line[i] = (unsigned char)(((v >> 16 & 0xff) * 77 +
				(v >> 8 & 0xff) * 151 + (v & 0xff) * 28) >> 8);
		}
	}
}

static int scan_page(struct extract *x, PopplerPage *page, int number)
{
	cairo_surface_t *s = draw(page, (double)DPI / POINTS);
	int w, h, stride, rc;

	if (!s)
		return EXTRACT_UNREADABLE;
	w = cairo_image_surface_get_width(s);
	h = cairo_image_surface_get_height(s);
	stride = cairo_image_surface_get_stride(s);
	make_grey(cairo_image_surface_get_data(s), w, h, stride);
	lib.TessBaseAPISetImage(api, cairo_image_surface_get_data(s), w, h, 1,
				stride);
	lib.TessBaseAPISetSourceResolution(api, DPI);
	rc = recognise(x, number);
	cairo_surface_destroy(s);
	return rc;
}

/* -- scanning --- */

/* The pages of the input, from 1; pages that cannot be read are skipped. */
struct scanning {
	struct extract *x;
	PopplerDocument *doc;	/* NULL: an image */
	struct pdf *text;	/* the same document */
	bool many;		/* a TIFF, which may have several pages */
	int pages;
};

static PopplerPage *page_without_text(const struct scanning *s, int number)
{
	PopplerPage *page = poppler_document_get_page(s->doc, number - 1);

	if (page && extract_pdf_has_text(s->text, number - 1)) {
		g_object_unref(page);
		return NULL;
	}
	return page;
}

static int open_scan(struct scanning *s)
{
	char type[EXTRACT_TYPE_BYTES];
	struct extract *x = s->x;
	bool is_pdf, locked;

	extract_kind_type(buf_str(&x->input), type);
	is_pdf = !strcmp(type, "application/pdf");
	buf_addf(&x->out, "type: %s\n", type);
	s->many = !strcmp(type, "image/tiff");
	s->pages = s->many ? LIM_EXTRACT_PAGES : 1;
	if (!is_pdf)
		return extract_is_image(type) ? EXTRACT_OK : EXTRACT_UNKNOWN;
	s->doc = poppler_document_new_from_bytes(
		g_bytes_new_static(x->input.p, x->input.n), NULL, NULL);
	s->text = pdf_open(x->input.p, x->input.n, &locked);
	if (!s->doc || !s->text)
		return EXTRACT_UNREADABLE;
	s->pages = MIN(poppler_document_get_n_pages(s->doc), LIM_EXTRACT_PAGES);
	return EXTRACT_OK;
}

/* Scans one page. Returns 1 if it is an image, else 0. *end: there is no such page. */
static int scan_one(struct scanning *s, int number, bool *end)
{
	PopplerPage *page;
	bool there;

	if (!s->doc) {
		int rc = scan_image(s->x, s->many ? number - 1 : -1, s->many,
				    &there);

		*end = !there;
		if (there && rc != EXTRACT_OK)
			s->x->failed = rc;
		return there;
	}
	page = page_without_text(s, number);
	if (!page)
		return 0;
	/* A page that cannot be drawn counts as empty. */
	(void)scan_page(s->x, page, number);
	g_object_unref(page);
	return 1;
}

/* Whether the page exists and is an image. */
static bool is_unread(struct scanning *s, int number)
{
	PopplerPage *page;
	bool there = false;

	if (s->doc) {
		page = page_without_text(s, number);
		if (page)
			g_object_unref(page);
		return page != NULL;
	}
	if (s->many) {
		int rc;
		struct pix *image = read_image(s->x, number - 1, &rc);

		there = rc != EXTRACT_EMPTY;
		if (image)
			lib.pixDestroy(&image);
	}
	return there;
}

int extract_scan_read(struct extract *x)
{
	struct scanning s = { .x = x };
	struct buf head;
	int rc = open_scan(&s), number = MAX(x->from, 1), done = 0;
	clock_t began = clock();
	bool end = false;

	if (rc != EXTRACT_OK)
		return rc;
	head = x->out;
	x->out = (struct buf)BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	for (; number <= s.pages && done < x->most && buf_ok(&x->out) &&
	     (clock() - began) / CLOCKS_PER_SEC < SLICE_S; number++) {
		if (number > x->to && is_unread(&s, number))
			break;
		if (number <= x->to)
			done += scan_one(&s, number, &end);
		if (end || (number > x->to && !s.doc))
			number = s.pages;
	}
	if (number > s.pages)
		number = 0;
	buf_addf(&head, "done: %d\nnext: %d\n\n", done, number);
	buf_addstr(&head, buf_str(&x->out));
	buf_release(&x->out);
	x->out = head;
	return x->failed;
}

/* -- a page as a picture --- */

static cairo_status_t take_bytes(void *ctx, const unsigned char *p, unsigned int n)
{
	struct buf *b = ctx;

	buf_add(b, (const char *)p, n);
	return buf_ok(b) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Whether the surface has one colour only; such pages are not sent to a paid service. */
static bool is_blank(cairo_surface_t *s)
{
	const unsigned char *p = cairo_image_surface_get_data(s);
	size_t stride = (size_t)cairo_image_surface_get_stride(s);
	size_t line = 4 * (size_t)cairo_image_surface_get_width(s);
	int height = cairo_image_surface_get_height(s);

	if (memcmp(p, p + 4, line - 4) != 0)
		return false;
	for (int y = 1; y < height; y++)
		if (memcmp(p, p + (size_t)y * stride, line) != 0)
			return false;
	return true;
}

/* Writes the page as a PNG for a model. EXTRACT_EMPTY if it is blank. */
static int put_picture(struct extract *x, PopplerPage *page)
{
	double side = PICTURE_SIDE, w, h;
	int rc = EXTRACT_TOO_BIG;

	poppler_page_get_size(page, &w, &h);
	for (int i = 0; i < PICTURE_TRIES && rc == EXTRACT_TOO_BIG; i++, side *= 0.7) {
		struct buf png = BUF_INIT(LIM_IMAGE_BYTES);
		cairo_surface_t *s = draw(page, side / fmax(fmax(w, h), 1));

		if (!s)
			return EXTRACT_UNREADABLE;
		if (is_blank(s))
			rc = EXTRACT_EMPTY;
		else if (cairo_surface_write_to_png_stream(s, take_bytes, &png) ==
			 CAIRO_STATUS_SUCCESS)
			rc = EXTRACT_OK;
		cairo_surface_destroy(s);
		if (rc == EXTRACT_OK)
			buf_addstr(&x->out, buf_str(&png));
		buf_release(&png);
	}
	return rc;
}

int extract_picture_read(struct extract *x)
{
	struct scanning s = { .x = x };
	int rc = open_scan(&s), number = MAX(x->from, 1);
	struct buf head = x->out;

	if (rc != EXTRACT_OK || !s.doc)
		return rc == EXTRACT_OK ? EXTRACT_UNKNOWN : rc;
	x->out = (struct buf)BUF_INIT(LIM_IMAGE_BYTES + 1);
	for (rc = EXTRACT_EMPTY; number <= s.pages && rc == EXTRACT_EMPTY; number++) {
		PopplerPage *page = page_without_text(&s, number);

		if (page && number > x->to) {
			g_object_unref(page);
			break;
		}
		if (page) {
			rc = put_picture(x, page);
			g_object_unref(page);
		}
	}
	buf_addf(&head, "done: %d\nnext: %d\n\n", rc == EXTRACT_OK ? number - 1 : 0,
		 number > s.pages ? 0 : number);
	buf_addstr(&head, buf_str(&x->out));
	buf_release(&x->out);
	x->out = head;
	return rc;
}
