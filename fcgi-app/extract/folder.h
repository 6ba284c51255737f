/* SPDX-License-Identifier: MIT */
/* Folders of Markdown in an archive, for lib/bundle/bundle.h. */
#ifndef EXTRACT_FOLDER_H
#define EXTRACT_FOLDER_H

#include "extract/extract.h"

/*
 * Writes a JSON array of {"path", "meta", "body"} for each Markdown file of a ZIP
 * archive, what is in a folder before its siblings' folders: meta has the members of its
 * front matter (YAML), whose scalars are texts, or null; within members they are numbers
 * and booleans, too. Other files are left out, as are hidden ones. Or {"refused": a
 * sentence}: a path that leads out of the folder, two files of one path, a NUL, front
 * matter that is no YAML.
 */
int extract_folder_prepare(struct extract *x) MUST_CHECK;
int extract_folder_read(struct extract *x) MUST_CHECK;

/*
 * Writes a ZIP archive of the files in the input: for each its path, "\n", its length in
 * bytes as decimal, "\n", and its bytes.
 */
int extract_folder_pack(struct extract *x) MUST_CHECK;

#endif
