/* SPDX-License-Identifier: MIT */
/* The types of lamplighter-extract-file: files in general, typed by their content. */
#include "extract/extract.h"

#include "extract/file.h"
#include "extract/folder.h"
#include "extract/page.h"
#include "extract/web.h"

#include "base/banned.h"

static const struct extract_type types[] = {
	{ .name = "file", .prepare = extract_file_prepare,
	  .extract = extract_file_read, .answers = true, .quiet = true },
	{ .name = "scan", .prepare = extract_scan_prepare,
	  .extract = extract_scan_read, .answers = true, .quiet = true },
	{ .name = "picture", .prepare = extract_file_prepare,
	  .extract = extract_picture_read, .answers = true, .quiet = true },
	{ .name = "html", .prepare = extract_page_prepare, .extract = extract_page_read },
	{ .name = "folder", .prepare = extract_folder_prepare,
	  .extract = extract_folder_read, .quiet = true },
	{ .name = "pack", .prepare = extract_folder_prepare,
	  .extract = extract_folder_pack, .quiet = true },
	{ .name = "sitemap", .prepare = extract_sitemap_prepare,
	  .extract = extract_sitemap_read, .quiet = true },
};

const struct extract_type *extract_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}
