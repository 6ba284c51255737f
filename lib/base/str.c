#include "base/str.h"

#include <ctype.h>

#include "base/util.h"

#include "base/banned.h"

#define DISTANCE_BYTES 64

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int str_distance(struct str a, struct str b)
{
	int row[3][DISTANCE_BYTES + 1];
	int n = (int)MIN(a.n, DISTANCE_BYTES), m = (int)MIN(b.n, DISTANCE_BYTES);
	int *before = row[0], *last = row[1], *now = row[2], *t;

	for (int j = 0; j <= m; j++)
		last[j] = j;
	for (int i = 1; i <= n; i++) {
		now[0] = i;
		for (int j = 1; j <= m; j++) {
			int best = last[j - 1] + !same(a.p[i - 1], b.p[j - 1]);

			best = MIN(best, last[j] + 1);
			best = MIN(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && same(a.p[i - 1], b.p[j - 2]) &&
			    same(a.p[i - 2], b.p[j - 1]))
				best = MIN(best, before[j - 2] + 1);
			now[j] = best;
		}
		t = before;
		before = last;
		last = now;
		now = t;
	}
	return last[m];
}
