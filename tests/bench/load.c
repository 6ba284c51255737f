/* SPDX-License-Identifier: MIT */
/*
 * Load client of the benches: N concurrent streams from one thread, cheap
 * enough (epoll, memmem) that what is measured is the server. Every stream
 * posts a body, reads the chunked answer and counts how often a marker occurs;
 * the time to the first one is the time to first token.
 *
 *   load --port P --path /x --bodies FILE [--streams N] [--repeat R]
 *        [--marker TEXT] [--end TEXT] [--header "Name: value"]...
 *        [--ramp MS] [--rate R]
 *
 * The streams start evenly over MS milliseconds. R markers a second are what
 * each stream should bring: then the delay of every one is reported, against a
 * stream's own schedule (the one that its least delayed marker fits), from the
 * time when all streams have begun to when the first one has ended.
 *
 * FILE has one request body per line; stream i uses line i modulo their number.
 * Prints one JSON object.
 *
 * With --in-turn, one stream uses all lines in each repetition, in an order that is
 * drawn anew, so that a neighbour and what a request leaves behind meet all of them.
 * --path, --marker and --end may then be given for each line. "ways" has of each the
 * time to the first marker, and the median of how much later it came than that of the
 * first line in the same repetition.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"

#define MOST_WAYS 16
#define READ_BYTES 262144
#define TAIL_BYTES 64		/* longest marker */
#define DEADLINE_MS 600000

enum framing { HEAD, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, UNTIL_CLOSE, DONE };

struct way {		/* of a line */
	const char *path, *marker, *end;
	size_t n_marker, n_end;
};

struct stream {
	int fd;
	int left;		/* repetitions to do */
	const struct buf *request;
	const struct way *way;
	enum framing framing;
	size_t chunk_left;
	struct buf line;	/* head or chunk-size line being read */
	char tail[TAIL_BYTES];	/* end of the content so far */
	size_t n_tail;
	int64_t sent_us;
	bool first_seen, ended;
	int status;
	int64_t *at_us;		/* when its markers came; with --rate */
	size_t n_at, at_size;
};

struct load {
	struct sockaddr_in to;
	int epoll;
	int open;
	struct way ways[MOST_WAYS];
	size_t n_ways;			/* 0: not in turn */
	size_t order[MOST_WAYS];	/* of this repetition */
	size_t n_done;			/* of it, and those before */
	int64_t *turns_us;		/* n_ways of each repetition; 0: none */
	const struct buf *requests;
	uint64_t tokens, bytes, ok, failed;
	int64_t *ttft_us;
	size_t n_ttft;
	double rate;
	int64_t all_begun_us, first_end_us;
	size_t n_streams;
};

static void start(struct load *l, struct stream *s)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = s };
	size_t off = 0;
	int one = 1;

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 ||
	    connect(s->fd, (struct sockaddr *)&l->to, sizeof(l->to)) < 0) {
		perror("connect");
		exit(1);
	}
	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	s->framing = HEAD;
	s->n_tail = 0;
	s->first_seen = s->ended = false;
	s->status = 0;
	buf_reset(&s->line);
	s->sent_us = clock_mono_us();
	while (off < s->request->n) {
		ssize_t n = write(s->fd, s->request->p + off,
				  s->request->n - off);

		if (n < 0) {
			perror("write");
			exit(1);
		}
		off += (size_t)n;
	}
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, s->fd, &ev) < 0) {
		perror("epoll_ctl");
		exit(1);
	}
	l->open++;
}

static uint64_t count(const char *p, size_t n, const char *what, size_t n_what)
{
	uint64_t found = 0;
	const char *end = p + n, *q;

	while ((q = memmem(p, (size_t)(end - p), what, n_what))) {
		found++;
		p = q + n_what;
	}
	return found;
}

static void note_arrival(struct stream *s, uint64_t n)
{
	int64_t now_us = clock_mono_us();

	for (; n; n--) {
		if (s->n_at == s->at_size) {
			s->at_size = s->at_size * 2 + 64;
			s->at_us = xrealloc(s->at_us,
					    s->at_size * sizeof(*s->at_us));
		}
		s->at_us[s->n_at++] = now_us;
	}
}

/* Counts in p[0..n) and across its border with what came before. */
static void content(struct load *l, struct stream *s, const char *p, size_t n)
{
	const struct way *way = s->way;
	size_t head = MIN(n, TAIL_BYTES - 1), keep = way->n_marker - 1;
	char seam[2 * TAIL_BYTES];
	size_t tail = MIN(s->n_tail, keep);
	uint64_t found;

	memcpy(seam, s->tail + s->n_tail - tail, tail);
	memcpy(seam + tail, p, MIN(head, keep));
	found = count(seam, tail + MIN(head, keep), way->marker, way->n_marker) +
		count(p, n, way->marker, way->n_marker);
	if (found && !s->first_seen) {
		s->first_seen = true;
		l->ttft_us[l->n_ttft++] = clock_mono_us() - s->sent_us;
		if (l->n_ways)
			l->turns_us[l->n_done / l->n_ways * l->n_ways +
				    (size_t)(way - l->ways)] =
				l->ttft_us[l->n_ttft - 1];
		if (l->n_ttft == l->n_streams)
			l->all_begun_us = clock_mono_us();
	}
	if (found && l->rate > 0)
		note_arrival(s, found);
	l->tokens += found;
	l->bytes += n;
	if (n >= TAIL_BYTES) {
		memcpy(s->tail, p + n - TAIL_BYTES, TAIL_BYTES);
		s->n_tail = TAIL_BYTES;
	} else {
		size_t old = MIN(s->n_tail, TAIL_BYTES - n);

		memmove(s->tail, s->tail + s->n_tail - old, old);
		memcpy(s->tail + old, p, n);
		s->n_tail = old + n;
	}
	/* The end marker sits in the last bytes or in this piece. */
	if (memmem(p, n, way->end, way->n_end) ||
	    memmem(s->tail, s->n_tail, way->end, way->n_end))
		s->ended = true;
}

static void feed(struct load *l, struct stream *s, const char *p, size_t n)
{
	while (n && s->framing != DONE) {
		const char *nl;
		size_t take;

		if (s->framing == UNTIL_CLOSE || s->framing == CHUNK_DATA) {
			take = s->framing == CHUNK_DATA ? MIN(n, s->chunk_left)
							: n;
			content(l, s, p, take);
			s->chunk_left -= s->framing == CHUNK_DATA ? take : 0;
			if (s->framing == CHUNK_DATA && !s->chunk_left)
				s->framing = CHUNK_END;
			p += take;
			n -= take;
			continue;
		}
		nl = memchr(p, '\n', n);
		take = nl ? (size_t)(nl + 1 - p) : n;
		buf_add(&s->line, p, take);
		p += take;
		n -= take;
		if (!nl)
			break;
		if (s->framing == HEAD) {
			if (s->line.n < 4 ||
			    memcmp(s->line.p + s->line.n - 4, "\r\n\r\n", 4))
				continue;
			s->status = (int)strtol(s->line.p + 9, NULL, 10);
			s->framing = strcasestr(s->line.p, "chunked")
				? CHUNK_SIZE : UNTIL_CLOSE;
		} else if (s->framing == CHUNK_SIZE) {
			s->chunk_left = strtoul(s->line.p, NULL, 16);
			s->framing = s->chunk_left ? CHUNK_DATA : DONE;
		} else {
			s->framing = CHUNK_SIZE;
		}
		buf_reset(&s->line);
	}
}

/* Gives the stream its next line, in a new order for each repetition. */
static void take_turn(struct load *l, struct stream *s)
{
	static uint64_t seed = 88172645463325252ULL;
	size_t at = l->n_done % l->n_ways;

	for (size_t i = at ? 0 : l->n_ways; i > 1; i--) {
		size_t k, swap = l->order[i - 1];

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		k = seed % i;
		l->order[i - 1] = l->order[k];
		l->order[k] = swap;
	}
	s->way = &l->ways[l->order[at]];
	s->request = &l->requests[l->order[at]];
}

static void finish(struct load *l, struct stream *s)
{
	if (s->status == 200 && s->ended)
		l->ok++;
	else
		l->failed++;
	if (!l->first_end_us)
		l->first_end_us = clock_mono_us();
	close(s->fd);
	l->open--;
	l->n_done++;
	if (--s->left <= 0)
		return;
	if (l->n_ways)
		take_turn(l, s);
	start(l, s);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double of_sorted_ms(const int64_t *us, size_t n, int p)
{
	return n ? (double)us[(n - 1) * (size_t)p / 100] / 1000.0 : -1;
}

static double percentile_ms(const struct load *l, int p)
{
	return of_sorted_ms(l->ttft_us, l->n_ttft, p);
}

/* The delays of one stream's markers, behind those that are there already. */
static size_t add_delays(const struct load *l, const struct stream *s,
			 int64_t *to)
{
	int64_t least = INT64_MAX;
	size_t n = 0;

	for (size_t i = 0; i < s->n_at; i++)
		least = MIN(least, s->at_us[i] -
			    (int64_t)((double)i * 1e6 / l->rate));
	for (size_t i = 0; i < s->n_at; i++)
		if (s->at_us[i] >= l->all_begun_us &&
		    s->at_us[i] < l->first_end_us)
			to[n++] = s->at_us[i] - least -
				(int64_t)((double)i * 1e6 / l->rate);
	return n;
}

static void report_delays(const struct load *l, const struct stream *streams)
{
	int64_t *us;
	size_t n = 0;

	for (size_t i = 0; i < l->n_streams; i++)
		n += streams[i].n_at;
	us = xcalloc(n + 1, sizeof(*us));
	n = 0;
	for (size_t i = 0; i < l->n_streams && l->all_begun_us; i++)
		n += add_delays(l, &streams[i], us + n);
	qsort(us, n, sizeof(*us), by_value);
	printf(", \"delay_ms\": {\"n\": %zu, \"p50\": %.4f, \"p99\": %.4f,"
	       " \"max\": %.4f}", n, of_sorted_ms(us, n, 50),
	       of_sorted_ms(us, n, 99), of_sorted_ms(us, n, 100));
	free(us);
}

/* The median of a way's times, or of how much they are beyond those of the first one. */
static double of_way_ms(const struct load *l, size_t way, bool beyond)
{
	size_t rounds = l->n_done / l->n_ways, n = 0;
	int64_t *us = xcalloc(rounds + 1, sizeof(*us));
	double ms;

	for (size_t i = 0; i < rounds; i++) {
		const int64_t *v = &l->turns_us[i * l->n_ways];

		if (v[way] && v[0])
			us[n++] = v[way] - (beyond ? v[0] : 0);
	}
	qsort(us, n, sizeof(*us), by_value);
	ms = of_sorted_ms(us, n, 50);
	free(us);
	return ms;
}

static void report_ways(const struct load *l)
{
	printf(", \"ways\": [");
	for (size_t i = 0; i < l->n_ways; i++)
		printf("%s{\"p50\": %.4f, \"beyond\": %.4f}", i ? ", " : "",
		       of_way_ms(l, i, false), of_way_ms(l, i, true));
	printf("]");
}

static void report(struct load *l, const struct stream *streams,
		   double seconds)
{
	qsort(l->ttft_us, l->n_ttft, sizeof(*l->ttft_us), by_value);
	printf("{\"ok\": %lu, \"failed\": %lu, \"tokens\": %lu, \"bytes\": %lu,"
	       " \"seconds\": %.4f, \"tokens_per_s\": %.0f, \"ttft_ms\":"
	       " {\"p5\": %.4f, \"p50\": %.4f, \"p90\": %.4f, \"p99\": %.4f}",
	       l->ok, l->failed, l->tokens, l->bytes, seconds,
	       (double)l->tokens / seconds, percentile_ms(l, 5), percentile_ms(l, 50),
	       percentile_ms(l, 90), percentile_ms(l, 99));
	if (l->rate > 0)
		report_delays(l, streams);
	if (l->n_ways)
		report_ways(l);
	puts("}");
}

/* One request per line of the file. */
static struct buf *requests(const char *file, const struct way *ways,
			    const struct buf *headers, size_t *n)
{
	FILE *f = fopen(file, "r");
	struct buf *v = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (!f) {
		perror(file);
		exit(1);
	}
	*n = 0;
	while ((len = getline(&line, &size, f)) > 0) {
		struct buf *b;

		if (line[len - 1] == '\n')
			len--;
		v = xrealloc(v, (*n + 1) * sizeof(*v));
		b = &v[(*n)++];
		*b = (struct buf)BUF_INIT(16 << 20);
		buf_addf(b, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			 "Connection: close\r\nAccept: text/event-stream\r\n"
			 "Content-Type: application/json\r\n%s"
			 "Content-Length: %zd\r\n\r\n",
			 ways[MIN(*n, MOST_WAYS) - 1].path, headers->p, len);
		buf_add(b, line, (size_t)len);
	}
	free(line);
	fclose(f);
	return v;
}

/* The next one that an option is for. */
static struct way *way_at(struct load *l, size_t *n)
{
	size_t i = MIN(*n, MOST_WAYS - 1);

	++*n;
	return &l->ways[i];
}

/* What is not given for a line is as for the one before. */
static void complete(struct load *l)
{
	static const struct way usual = {
		.path = "/", .marker = "event: token", .end = "event: done",
	};

	for (size_t i = 0; i < MOST_WAYS; i++) {
		const struct way *before = i ? &l->ways[i - 1] : &usual;
		struct way *w = &l->ways[i];

		w->path = w->path ? w->path : before->path;
		w->marker = w->marker ? w->marker : before->marker;
		w->end = w->end ? w->end : before->end;
		w->n_marker = strlen(w->marker);
		w->n_end = strlen(w->end);
		if (w->n_marker < 1 || w->n_marker >= TAIL_BYTES ||
		    w->n_end >= TAIL_BYTES) {
			fputs("load: markers have 1 to 63 bytes\n", stderr);
			exit(2);
		}
		l->order[i] = i;
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "path", required_argument, NULL, 'u' },
		{ "bodies", required_argument, NULL, 'b' },
		{ "streams", required_argument, NULL, 'n' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "marker", required_argument, NULL, 'm' },
		{ "end", required_argument, NULL, 'e' },
		{ "header", required_argument, NULL, 'h' },
		{ "ramp", required_argument, NULL, 'a' },
		{ "rate", required_argument, NULL, 't' },
		{ "in-turn", no_argument, NULL, 'i' },
		{ NULL, 0, NULL, 0 },
	};
	struct load l = { .n_ways = 0 };
	struct buf headers = BUF_INIT(65536), *reqs;
	size_t n_paths = 0, n_markers = 0, n_ends = 0;
	const char *bodies = "/dev/null";
	bool in_turn = false;
	int n_streams = 1, n_started = 0, repeat = 1, c;
	int64_t ramp_us = 0;
	struct epoll_event evs[256];
	struct stream *streams;
	size_t n_reqs;
	char *data = xmalloc(READ_BYTES);
	int64_t began;

	l.to = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p': l.to.sin_port = htons((uint16_t)strtol(optarg, NULL, 10)); break;
		case 'u': way_at(&l, &n_paths)->path = optarg; break;
		case 'b': bodies = optarg; break;
		case 'n': n_streams = (int)strtol(optarg, NULL, 10); break;
		case 'r': repeat = (int)strtol(optarg, NULL, 10); break;
		case 'm': way_at(&l, &n_markers)->marker = optarg; break;
		case 'e': way_at(&l, &n_ends)->end = optarg; break;
		case 'i': in_turn = true; break;
		case 'a': ramp_us = strtol(optarg, NULL, 10) * 1000; break;
		case 't': l.rate = strtod(optarg, NULL); break;
		case 'h': buf_addf(&headers, "%s\r\n", optarg); break;
		default: return 2;
		}
	}
	complete(&l);
	reqs = requests(bodies, l.ways, &headers, &n_reqs);
	if (!n_reqs || n_streams < 1 || repeat < 1 ||
	    (in_turn && (n_streams != 1 || n_reqs > MOST_WAYS)))
		return 2;
	if (in_turn) {
		l.n_ways = n_reqs;
		repeat *= (int)n_reqs;
		l.turns_us = xcalloc((size_t)repeat, sizeof(*l.turns_us));
	}
	l.requests = reqs;
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	l.ttft_us = xcalloc((size_t)n_streams * (size_t)repeat,
			    sizeof(*l.ttft_us));
	streams = xcalloc((size_t)n_streams, sizeof(*streams));
	began = clock_mono_us();
	for (int i = 0; i < n_streams; i++) {
		streams[i].left = repeat;
		streams[i].request = &reqs[(size_t)i % n_reqs];
		streams[i].way = &l.ways[MIN((size_t)i % n_reqs, MOST_WAYS - 1)];
		if (l.n_ways)
			take_turn(&l, &streams[i]);
		streams[i].line = (struct buf)BUF_INIT(65536);
	}
	l.n_streams = (size_t)n_streams;
	while (l.open || n_started < n_streams) {
		int64_t due_us = began + ramp_us * n_started / n_streams;
		int64_t wait_us = due_us - clock_mono_us();
		int n;

		if (n_started < n_streams && wait_us <= 0) {
			start(&l, &streams[n_started++]);
			continue;
		}
		n = epoll_wait(l.epoll, evs, ARRAY_LEN(evs),
			       n_started < n_streams
			       ? (int)(wait_us / 1000) + 1 : DEADLINE_MS);
		if (n <= 0 && errno != EINTR && n_started == n_streams) {
			fputs("load: no progress\n", stderr);
			return 1;
		}
		for (int i = 0; i < n; i++) {
			struct stream *s = evs[i].data.ptr;
			ssize_t got = read(s->fd, data, READ_BYTES);

			if (got > 0)
				feed(&l, s, data, (size_t)got);
			if (got <= 0 || s->framing == DONE)
				finish(&l, s);
		}
	}
	report(&l, streams, (double)(clock_mono_us() - began) / 1e6);
	return l.failed ? 1 : 0;
}
