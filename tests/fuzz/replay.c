/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer: over its corpus, and over a few
 * hundred simple mutations of each input, the same ones every time. Prints TAP.
 *
 * The corpus of fuzz_X is tests/fuzz/corpus/X.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUTATIONS 60
#define INPUT_BYTES (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t state = 2463534242u;

static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* In memory of just its size, so that overreading is seen. */
static void try_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	memcpy(copy, data, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void mutate(const uint8_t *data, size_t n)
{
	static const char bytes[] = "\"\\{}[]:,\n\r \0ud\xe2\xff";
	uint8_t *m = malloc(n + 1);
	size_t n_changes = 1 + next() % 4;

	if (!m)
		abort();
	memcpy(m, data, n);
	for (size_t i = 0; n && i < n_changes; i++) {
		size_t at = next() % n;

		switch (next() % 4) {
		case 0:
			m[at] = (uint8_t)next();
			break;
		case 1:
			m[at] = (uint8_t)bytes[next() % (sizeof(bytes) - 1)];
			break;
		case 2:		/* cut out */
			memmove(m + at, m + at + 1, n - at - 1);
			n--;
			break;
		default:	/* cut off */
			if (next() % 8 == 0)
				n = at;
		}
	}
	try_one(m, n);
	free(m);
}

int main(int argc, char **argv)
{
	const char *root = getenv("LAMPLIGHTER_SRCDIR");
	const char *name = strstr(argv[0], "fuzz_");
	uint8_t *data = malloc(INPUT_BYTES);
	char dir[512], file[1024];
	struct dirent *d;
	int n_inputs = 0;
	DIR *h;

	(void)argc;
	while (name && strstr(name + 1, "fuzz_"))
		name = strstr(name + 1, "fuzz_");
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s",
		 root ? root : ".", name ? name + 5 : "");
	h = opendir(dir);
	while (h && data && (d = readdir(h)) != NULL) {
		size_t n;
		FILE *f;

		if (d->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", dir, d->d_name);
		f = fopen(file, "rb");
		if (!f)
			continue;
		n = fread(data, 1, INPUT_BYTES, f);
		fclose(f);
		state = 2463534242u;
		try_one(data, n);
		for (int i = 0; i < MUTATIONS; i++)
			mutate(data, n);
		n_inputs++;
	}
	if (h)
		closedir(h);
	free(data);
	printf("1..1\n%sok 1 - %s: %d inputs, %d mutations of each\n",
	       n_inputs ? "" : "not ", name ? name : "?", n_inputs, MUTATIONS);
	return n_inputs ? 0 : 1;
}
