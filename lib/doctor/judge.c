/* SPDX-License-Identifier: MIT */
/* Findings from what a client measured through the real URL. */
#include "doctor/doctor.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#include "base/banned.h"

enum {
	SHOWN_CHARS = 80,	/* of a text that a client or server gave */
	ARRIVALS = 256,		/* looked at */
	SKEW_WARN_MS = 2000, SKEW_BAD_MS = 10000,
};

/* A time that may be added to others. */
static int64_t ms_of(const json_t *obj, const char *key)
{
	const int64_t far = INT64_C(1000000000000000);

	return MIN(MAX(jx_int(obj, key, 0), -far), far);
}

/* A text from outside, short enough for a sentence. */
static const char *shown(struct doctor *d, struct str s)
{
	struct buf b = BUF_INIT(1024);
	const char *out;

	utf8_scrub(&b, utf8_head(s, SHOWN_CHARS));
	out = arena_strdup(d->arena, b.p);
	buf_release(&b);
	return out;
}

static void judge_reach(struct doctor *d, const json_t *m)
{
	int status = (int)jx_int(m, "status", 0);
	struct str location = jx_str(m, "location");

	if (!m)
		return;
	if (jx_bool(m, "ours", false))
		doctor_add(d, DOCTOR_REACH, DOCTOR_OK, "", "",
			   "The API answers under %s/api/v1.",
			   d->base);
	else if (status == 0)
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "", "",
			   "Cannot connect: %s",
			   shown(d, jx_str(m, "error")));
	else if (status >= 300 && status < 400)
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "", "",
			   "The web server redirects (%d), and API clients do "
			   "not follow redirects. Run doctor with the address "
			   "that a browser ends up at%s%s.", status,
			   location.n ? ", " : "", shown(d, location));
	else if (status == 401)
		doctor_add(d, DOCTOR_REACH, DOCTOR_OK, "", "",
			   "The web server requires a sign-in.");
	else if (jx_bool(m, "problem", false) && status == 404)
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_BASE),
			   "The responder answers 404: it does not know its "
			   "base path.");
	else if (jx_bool(m, "problem", false))
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "", "",
			   "The responder is reached and answers %d: %s", status,
			   shown(d, jx_str(m, "detail")));
	else if (status >= 500)
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_ROUTE),
			   "The web server answers %d: it cannot reach the "
			   "responder. Check that the responder is running and "
			   "that both use the same socket path.", status);
	else
		doctor_add(d, DOCTOR_REACH, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_ROUTE),
			   "%s/api/v1/health is not answered by Lamplighter "
			   "(status %d): the web server does not forward it.", d->base,
			   status);
}

static void judge_page(struct doctor *d, const json_t *m)
{
	int status = (int)jx_int(m, "status", 0);

	if (!m)
		return;
	if (status == 200 && str_starts(jx_str(m, "type"), STR("text/html")))
		doctor_add(d, DOCTOR_PAGE, DOCTOR_OK, "", "",
			   "%s/ is served.", d->base);
	else if (status == 401)
		doctor_add(d, DOCTOR_PAGE, DOCTOR_OK, "", "",
			   "%s/ requires a sign-in.", d->base);
	else
		doctor_add(d, DOCTOR_PAGE, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_PAGE),
			   "%s/ is not the chat page (status %d, %s).", d->base,
			   status, shown(d, jx_str(m, "type")));
}

static void judge_token(struct doctor *d, const json_t *m)
{
	int status = (int)jx_int(m, "status", 0);

	if (!m)
		return;
	if (jx_bool(m, "ours", false) && status == 200 &&
	    str_is(jx_str(m, "kind"), "api_token"))
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_OK, "", "",
			   "Bearer tokens arrive and are accepted.");
	else if (jx_bool(m, "ours", false) && jx_bool(m, "unknown", false))
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_PROBLEM, "", "",
			   "The responder received the token and does not know it: "
			   "it uses another database than the configuration that "
			   "this command reads, or another instance answers under "
			   "this address.");
	else if (jx_bool(m, "ours", false) && status != 200 && status != 401)
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_PROBLEM, "", "",
			   "The responder answers a request with a token with %d: "
			   "%s", status, shown(d, jx_str(m, "detail")));
	else if (jx_bool(m, "ours", false))
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_TOKEN),
			   "Bearer tokens do not arrive: the web server does "
			   "not pass the Authorization header on.");
	else if (status == 401)
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_BEARER),
			   "The web server asks for a password even for "
			   "requests with a bearer token, so programs cannot "
			   "use API tokens.");
	else
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_WARNING, "", "",
			   "Not measured: the status was %d.", status);
}

/* Whether a proxy must send groups. */
static bool groups_wanted(const struct doctor *d)
{
	for (size_t i = 0; i < d->conf->n_chain; i++)
		if (d->conf->chain[i].kind == IDENTITY_TRUSTED_HEADER &&
		    *d->conf->chain[i].groups_header)
			return true;
	return false;
}

/* Both sides: the web server provides a name, and the chain accepts it. */
static void add_nobody(struct doctor *d, const char *as)
{
	doctor_add(d, DOCTOR_IDENTITY, DOCTOR_PROBLEM, "",
		   arena_printf(d->arena, "%s\nidentity: {chain: [{kind: "
				"remote_user}, …]}   # in lamplighter.yaml",
				doctor_advice(d, ADVICE_IDENTITY)),
		   "A user who signed in at the web server is %s here: "
		   "REMOTE_USER with AUTH_TYPE did not arrive, or no link of "
		   "identity.chain accepts it%s.", as, groups_wanted(d)
		   ? ", or the proxy does not send the groups_header, which is "
		     "required in every request (- for no group)" : "");
}

static void judge_identity(struct doctor *d, const json_t *m)
{
	int status = (int)jx_int(m, "status", 0);
	bool ours = jx_bool(m, "ours", false);
	struct str kind = jx_str(m, "kind");

	if (!m)
		return;
	if (ours && status == 401)
		add_nobody(d, "nobody");
	else if (!ours)
		doctor_add(d, DOCTOR_IDENTITY, DOCTOR_PROBLEM, "", "",
			   "The sign-in was not accepted (status %d).",
			   status);
	else if (status != 200)
		doctor_add(d, DOCTOR_IDENTITY, DOCTOR_PROBLEM, "", "",
			   "The responder answers a signed-in user with %d: %s",
			   status, shown(d, jx_str(m, "detail")));
	else if (str_is(kind, "anonymous") && jx_bool(m, "signedIn", false))
		add_nobody(d, "the guest");
	else
		doctor_add(d, DOCTOR_IDENTITY, DOCTOR_OK, "", "",
			   "The user arrives as %s, by %s.", shown(d, jx_str(m, "user")),
			   shown(d, kind));
}

/* A measurement without its own header was made with a password. */
static const char *spoof_advice(struct doctor *d, struct str header)
{
	if (memmem(header.p, header.n, " ", 1))
		return doctor_advice(d, ADVICE_PASSWORD);
	d->header = shown(d, header);
	return doctor_advice(d, ADVICE_HEADER);
}

static void judge_spoof(struct doctor *d, const json_t *list)
{
	const json_t *m;
	bool bad = false;
	size_t i;

	if (!json_array_size(list))
		return;
	json_array_foreach((json_t *)list, i, m) {
		if (!str_is(jx_str(m, "user"), DOCTOR_SPOOF_LOGIN))
			continue;
		bad = true;
		doctor_add(d, DOCTOR_SPOOF, DOCTOR_PROBLEM,
			   shown(d, jx_str(m, "header")),
			   spoof_advice(d, jx_str(m, "header")),
			   "Anybody can pose as any user: a client that sends "
			   "%s is believed (by %s).", shown(d, jx_str(m, "header")),
			   shown(d, jx_str(m, "kind")));
	}
	if (!bad)
		doctor_add(d, DOCTOR_SPOOF, DOCTOR_OK, "", "",
			   "Forged user names were not accepted (%zu ways "
			   "tried).", json_array_size(list));
}

/* From the first piece to the last; -1 = nothing arrived. */
static int64_t spread_ms(const json_t *arrivals)
{
	size_t n = MIN(json_array_size(arrivals), ARRIVALS);
	int64_t first, last;

	if (!n)
		return -1;
	first = json_integer_value(json_array_get(arrivals, 0));
	last = json_integer_value(json_array_get(arrivals, n - 1));
	return first < 0 || last < first ? -1 : last - first;
}

/* By "1.1" or "2" of one measurement; the page has made it as a browser does. */
static void judge_write(struct doctor *d, const json_t *m)
{
	const char *subject = arena_printf(d->arena, "HTTP/%s",
					   shown(d, jx_str(m, "version")));
	int status = (int)jx_int(m, "status", 0);

	d->origin = shown(d, jx_str(m, "sent"));
	if (status == 200 && jx_bool(m, "ours", false) &&
	    !str_is(jx_str(m, "origin"), "foreign"))
		doctor_add(d, DOCTOR_ORIGIN, DOCTOR_OK, subject, "",
			   "Writes with the page's Origin are accepted.");
	else if (str_is(jx_str(m, "origin"), "foreign") ||
		 str_is(jx_str(m, "code"), "csrf_failed"))
		doctor_add(d, DOCTOR_ORIGIN, DOCTOR_PROBLEM, subject,
			   doctor_advice(d, ADVICE_ORIGIN),
			   "What the page writes seems to come from another site: "
			   "browsers send the Origin %s, and the responder receives "
			   "the Host %s. A proxy in front changes it, or "
			   "server.origin is another.", d->origin,
			   shown(d, jx_str(m, "host")));
	else
		doctor_add(d, DOCTOR_ORIGIN, DOCTOR_PROBLEM, subject, "",
			   "A write with the page's Origin is refused: the status "
			   "was %d%s.", status, jx_bool(m, "ours", false)
			   ? "" : ", and it was not the responder that answered");
}

static void judge_methods(struct doctor *d, const json_t *list)
{
	struct buf blocked = BUF_INIT(256);
	const json_t *m;
	int status = 0;
	size_t i;

	if (!json_array_size(list))
		return;
	json_array_foreach((json_t *)list, i, m) {
		if (jx_bool(m, "ours", false))
			continue;
		status = (int)jx_int(m, "status", 0);
		buf_addf(&blocked, "%s%s", blocked.n ? ", " : "",
			 shown(d, jx_str(m, "method")));
	}
	if (blocked.n)
		doctor_add(d, DOCTOR_METHODS, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_METHODS),
			   "The web server blocks %s (the status was %d). The page "
			   "then sends a POST with X-HTTP-Method-Override; other "
			   "clients must do the same.", blocked.p, status);
	else
		doctor_add(d, DOCTOR_METHODS, DOCTOR_OK, "", "",
			   "All methods of the API get through.");
	buf_release(&blocked);
}

/* Keep-alives come after TURN_IDLE_MS; a web server that waits less ends streams. */
static void judge_quiet(struct doctor *d, const json_t *m)
{
	long long ms = (long long)jx_int(m, "ms", 0);

	if (!m || jx_int(m, "status", 0) != 200)
		return;
	if (jx_bool(m, "ended", false))
		doctor_add(d, DOCTOR_QUIET, DOCTOR_OK, "", "",
			   "A stream may be silent for %d s, until its keep-alive "
			   "comes.", TURN_IDLE_MS / 1000);
	else
		doctor_add(d, DOCTOR_QUIET, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_QUIET),
			   "A silent stream is cut off after %lld.%lld s: the web "
			   "server waits less than the %d s between two "
			   "keep-alives. Answers then break off while a model "
			   "thinks or a tool works.", ms / 1000, ms / 100 % 10,
			   TURN_IDLE_MS / 1000);
}

static void judge_stream(struct doctor *d, const json_t *m)
{
	const int64_t sent_ms = (DOCTOR_EVENTS - 1) * DOCTOR_EVENT_MS;
	int64_t spread = spread_ms(jx_arr(m, "arrivalsMs"));
	int status = (int)jx_int(m, "status", 0);

	if (!m)
		return;
	if (status != 200 || spread < 0)
		doctor_add(d, DOCTOR_STREAM, DOCTOR_WARNING, "", "",
			   "Not measured: the status was %d.", status);
	else if (spread < sent_ms / 2)
		doctor_add(d, DOCTOR_STREAM, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_STREAM),
			   "Answers are buffered until they are complete: "
			   "events sent over %lld ms arrived within %lld ms.",
			   (long long)sent_ms, (long long)spread);
	else if (json_array_size(jx_arr(m, "arrivalsMs")) < DOCTOR_EVENTS - 2)
		doctor_add(d, DOCTOR_STREAM, DOCTOR_WARNING, "",
			   doctor_advice(d, ADVICE_STREAM),
			   "Events arrive several at a time: %d events in %zu "
			   "pieces.", DOCTOR_EVENTS,
			   json_array_size(jx_arr(m, "arrivalsMs")));
	else
		doctor_add(d, DOCTOR_STREAM, DOCTOR_OK, "", "",
			   "Events arrive as they are sent.");
}

/* m: as `plain`, but as a browser asks: with compression, and over HTTP/2. */
static void judge_compression(struct doctor *d, const json_t *m, const json_t *plain)
{
	const int64_t sent_ms = (DOCTOR_EVENTS - 1) * DOCTOR_EVENT_MS;
	int64_t spread = spread_ms(jx_arr(m, "arrivalsMs"));
	struct str encoding = jx_str(m, "encoding");
	enum doctor_topic topic = str_is(encoding, "br") ? ADVICE_BROTLI
		: ADVICE_COMPRESS;

	if (!m || jx_int(m, "status", 0) != 200)
		return;
	if ((!encoding.n || str_is(encoding, "identity")) && spread >= 0 &&
	    spread < sent_ms / 2 && spread_ms(jx_arr(plain, "arrivalsMs")) >= sent_ms / 2)
		doctor_add(d, DOCTOR_COMPRESS, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_STREAM),
			   "Answers are buffered until they are complete where a "
			   "browser asks for them, which accepts compression and uses "
			   "HTTP/2 where it is offered.");
	else if (!encoding.n || str_is(encoding, "identity"))
		doctor_add(d, DOCTOR_COMPRESS, DOCTOR_OK, "", "",
			   "Streams are not compressed.");
	else if (spread < sent_ms / 2)
		doctor_add(d, DOCTOR_COMPRESS, DOCTOR_PROBLEM, "",
			   doctor_advice(d, topic),
			   "Streams are compressed (%s) and therefore buffered "
			   "until they are complete.", shown(d, encoding));
	else
		doctor_add(d, DOCTOR_COMPRESS, DOCTOR_WARNING, "",
			   doctor_advice(d, topic),
			   "Streams are compressed (%s). This costs more than "
			   "it saves.", shown(d, encoding));
}

/* Only browsers know it; the page makes the same check. */
static void judge_http(struct doctor *d, struct str protocol)
{
	if (!protocol.n)
		return;
	if (str_starts(protocol, STR("http/1")))
		doctor_add(d, DOCTOR_HTTP, DOCTOR_OK, "", "",
			   "The protocol is HTTP/1.1: a browser opens at most "
			   "six connections, so six answers at a time. HTTP/2 "
			   "allows more.");
	else
		doctor_add(d, DOCTOR_HTTP, DOCTOR_OK, "", "",
			   "The protocol is %s.", shown(d, protocol));
}

static void judge_body(struct doctor *d, const json_t *m)
{
	long long sent = (long long)jx_int(m, "sent", 0);
	int status = (int)jx_int(m, "status", 0);

	if (!m)
		return;
	if (status == 200 && jx_int(m, "bytes", 0) == sent)
		doctor_add(d, DOCTOR_BODY, DOCTOR_OK, "", "",
			   "A body of %lld bytes (limits.body_bytes) arrives.",
			   sent);
	else
		doctor_add(d, DOCTOR_BODY, DOCTOR_PROBLEM, "",
			   doctor_advice(d, ADVICE_BODY),
			   "A body of %lld bytes (limits.body_bytes) does not "
			   "arrive: the status was %d.", sent, status);
}

static void judge_skew(struct doctor *d, const char *what, int64_t ms,
		       int64_t doubt_ms)
{
	int64_t off = ms < 0 ? -ms : ms;

	off = MAX(off - doubt_ms, 0);
	doctor_add(d, DOCTOR_CLOCK, off >= SKEW_BAD_MS ? DOCTOR_PROBLEM
		   : off >= SKEW_WARN_MS ? DOCTOR_WARNING : DOCTOR_OK, what,
		   off >= SKEW_WARN_MS ? "timedatectl set-ntp true" : "",
		   "The clocks of %s and the responder differ by %lld.%03lld s.",
		   what, (long long)(off / 1000), (long long)(off % 1000));
}

static void judge_clock(struct doctor *d, const json_t *m)
{
	int64_t process_ms = ms_of(m, "processMs");
	int64_t rtt_ms = MAX(ms_of(m, "rttMs"), 0);

	if (!process_ms)
		return;
	if (ms_of(m, "clientMs"))
		judge_skew(d, "this client", ms_of(m, "clientMs") - process_ms,
			   rtt_ms);
	if (ms_of(m, "dateMs"))		/* whole seconds */
		judge_skew(d, "the web server", ms_of(m, "dateMs") - process_ms,
			   rtt_ms + 1000);
}

void doctor_judge(struct doctor *d, const json_t *measured)
{
	const json_t *writes = jx_arr(measured, "writes"), *m;
	size_t i;

	judge_reach(d, jx_obj(measured, "reach"));
	judge_page(d, jx_obj(measured, "page"));
	judge_token(d, jx_obj(measured, "token"));
	judge_identity(d, jx_obj(measured, "identity"));
	judge_spoof(d, jx_arr(measured, "spoof"));
	json_array_foreach((json_t *)writes, i, m)
		judge_write(d, m);
	judge_methods(d, jx_arr(measured, "methods"));
	judge_stream(d, jx_obj(measured, "stream"));
	judge_quiet(d, jx_obj(measured, "quiet"));
	judge_compression(d, jx_obj(measured, "compressed"), jx_obj(measured, "stream"));
	judge_http(d, jx_str(measured, "protocol"));
	judge_body(d, jx_obj(measured, "body"));
	judge_clock(d, jx_obj(measured, "clock"));
}
